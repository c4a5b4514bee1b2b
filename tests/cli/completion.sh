# SPDX-License-Identifier: GPL-3.0-or-later
# Lines as people type them, completed by the shells' own functions; then by the program for the last word.
schedlab completion bash >function.bash
cat >as_bash <<'BASH'
# as_bash LINE: what bash shows; its words are split where COMP_WORDBREAKS says, as bash does.
. ./function.bash
compopt() { echo "  $*"; }
COMP_LINE=$1 COMP_POINT=${#1}
COMP_WORDS=(schedlab)
_schedlab
printf '%s:' "$1"
printf ' %s' "${COMPREPLY[@]:0:4}"
echo
BASH
for line in 'schedlab comp' 'schedlab run x -p conser' 'schedlab run x -p easy:ord' 'schedlab run x -p easy:order=s' \
	'schedlab run x --policy=easy:order=sj' 'schedlab run x --set replay.overr' 'schedlab run x --set replay.overrun=' \
	"schedlab run x --set 'replay.overrun=k" 'schedlab sweep run s.yaml --emit ' 'schedlab run x --only jobs,at' \
	'schedlab run x -o '; do
	bash ./as_bash "$line"
done
bash -n function.bash
for shell in zsh fish; do
	schedlab completion $shell >script
	! command -v $shell >/dev/null || $shell -n script
done
# The fish that is there, if one is, shows the same.
if command -v fish >/dev/null; then
	fish -c 'source script; complete -C "schedlab run x -p conser"' | cut -f1
else
	echo conservative
fi
schedlab completion csh
echo "exit $?"
# Places on the line: behind --, behind letters, what a word asks for that is no option.
for line in 'run -- -p' 'run -qp conser' 'run x -p nothing:' 'run x --model fabric:contention=m' 'list pre' 'view sq' \
	'whatif out --until wait.p9' 'run x --set cluster.nodes[gpu].cou' 'generate lublin --loa' 'nothing x' 'help swe' \
	'--data=x -v --log-level debug whati' 'run --log-level wa' 'run --plugin ./none.so -p conser' 'policy-test easy:plan=com' 'sweep ru' 'completion f' '-'; do
	echo "$line"
	# shellcheck disable=SC2086 # Words.
	schedlab __complete $line | cut -f1 | sed 's/^/  /'
done
schedlab __complete run x -p '' | cut -f1 | sort | uniq -d
