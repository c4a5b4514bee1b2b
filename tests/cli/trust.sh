# SPDX-License-Identifier: GPL-3.0-or-later
# Files that name programs, scripts, plug-ins and files to be written, of every kind that one may be sent, opened with every command: nothing
# of it happens, and who refuses says in one line what would have been done and which file names it. With --trust the same does happen.
cp "$DATA/four.swf" .
cat >evil.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void come(void) { fclose(fopen("canary", "w")); }
C
${CC:-cc} -shared -fPIC -o evil.so evil.c
cat >evil.lua <<'LUA'
error("canary")
LUA
echo '{ "answers": [] }' >none.json

# What was an honest run, snapshot, baseline, bundle.
schedlab run four.swf -p fcfs -o run --quiet >/dev/null
schedlab run four.swf -p fcfs --until 50 -o half --quiet >/dev/null
schedlab check --init four.swf -p fcfs -o base.json --quiet >/dev/null
schedlab bundle run -o kept --quiet
hash=$(sha256sum evil.so | cut -d ' ' -f 1)

# forge NAME POLICY PLUGIN: the same files under that policy, in the folder NAME. Their hashes are as they should be.
forge() {
	mkdir "$1"
	cp -r run half base.json kept four.swf "$1"
	text=$(printf '%s' "$2" | sed 's/["\\&|]/\\&/g; s/\\"/\\\\"/g')
	sed -i "s|\"policy\": { \"text\": \"fcfs\".*|\"policy\": { \"text\": \"$text\", \"name\": \"x\", \"values\": {} },|" \
		"$1/run/run.json" "$1/kept/run/run.json"
	[ -z "${3-}" ] || sed -i "s|\"seed\": 1,|\"plugins\": [ { \"path\": \"$3\", \"sha256\": \"$hash\" } ],\n  &|" "$1/run/run.json" "$1/kept/run/run.json"
	[ -z "${3-}" ] || sed -i "s|\"plugins\": \[.*\]|\"plugins\": [ { \"path\": \"$3\", \"sha256\": \"$hash\", \"named\": true } ]|" "$1/half/snapshot.json"
	sed -i "s|\"policy\": \"fcfs\"|\"policy\": \"$text\"|; s|\"values\": {.*}|\"values\": {}|" "$1/half/snapshot.json"
	sed -i "s|\"policy\": \"fcfs\"|\"policy\": \"$text\"|" "$1/base.json"
	(cd "$1/kept" && find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
	printf 'traces: [%s/four.swf]\nseeds: 1\npolicies:\n  - %s\n' "$PWD" "'$2'" >"$1/sweep.yaml"
	mkdir "$1/lab"
	cp four.swf "$1/lab"
	# Words of a key are apart by blanks.
	word=$(printf '%s' "$2" | tr -d ' "')
	printf 'title: t\nquestions:\n  one: {run: "four.swf -p %s", metric: wait.mean}\n  two: {policy: four.swf, beats: four.swf -p fcfs, metric: wait.mean}\n' \
		"$word" >"$1/lab/key.yaml"
	printf "one: 3\n" >"$1/one.yaml"
	printf "two: '%s'\n" "$2" >"$1/two.yaml"
	printf "# schedlab session 1\npolicy '%s'\n" "$2" >"$1/session.txt"
	printf "policy '%s'\n" "$2" >"$1/script.txt"
	{ echo 'traces:'; printf '  - {name: g, generate: "lublin --jobs 3 --cpus 4 --plugin %s"}\n' "${3:-./evil.so}"; echo 'seeds: 1'; } >"$1/drawn.yaml"
}
forge so ./evil.so ./evil.so
forge named fcfs ./evil.so
forge program 'external:command="touch canary"'
forge script easy:order=lua:evil.lua
forge whole evil.lua
forge write external:replay=none.json,record=canary

# refused KIND COMMAND...: exit 2, one line that says so, and nothing happened; what is only shown may be (0).
refused() {
	kind=$1
	shift
	find . -name canary -delete
	schedlab "$@" >said.out 2>said </dev/null
	status=$?
	[ -z "$(find . -name canary)" ] || echo "$kind: schedlab $*: RAN"
	! grep -q 'lua:[0-9]*: canary' said.out said || echo "$kind: schedlab $*: RAN the script"
	case $status in
	2) [ "$(grep -c ': would .*: say --trust' said)" = 1 ] && [ "$(wc -l <said)" = 1 ] ||
		{ echo "$kind: schedlab $*: says" && cat said; } ;;
	0) shown="$shown $1" ;;
	*) echo "$kind: schedlab $*: exit $status" && cat said ;;
	esac
}
# What each command can be given of these; of one that is not in the table the test knows nothing, and says so.
opened() {
	k=$1
	case $2 in
	run)
		refused "$k" run --from-snapshot "$k/half/snapshot.json" --quiet
		refused "$k" run --from-snapshot "$k/half/snapshot.json" -p easy --quiet -o "$k/new"
		;;
	compare) refused "$k" compare "$k/run" run --quiet ;;
	whatif) refused "$k" whatif "$k/run" --scale-load 1.1 --quiet ;;
	forecast) refused "$k" forecast "$k/run" --at 10 --quiet ;;
	tune)
		[ "$k" = named ] && return
		sed "s/^traces: \\[\\(.*\\)\\]/trace: \\1/;/^seeds/d;s/^policies:/policy:/;s/^  - / /" "$k/sweep.yaml" | tr '\n' ' ' | sed 's/ policy:  */\npolicy: /;s/ $/\n/' >"$k/tune.yaml"
		refused "$k" tune --spec "$k/tune.yaml" --vary policy.order=fcfs,sjf --minimize wait.mean -o "$k/tuned" --quiet
		;;
	sweep)
		refused "$k" sweep run "$k/drawn.yaml" -o "$k/points" --quiet
		[ "$k" = named ] && return
		refused "$k" sweep run "$k/sweep.yaml" -o "$k/points" --quiet
		refused "$k" sweep plan "$k/sweep.yaml"
		refused "$k" sweep run "$k/sweep.yaml" -o "$k/points" --dry-run
		refused "$k" sweep plan "$k/sweep.yaml" -o "$k/points" --emit make
		;;
	study)
		[ "$k" = named ] && return
		refused "$k" study "$k/sweep.yaml" -o "$k/study"
		refused "$k" study "$k/sweep.yaml" -o "$k/study" --dry-run
		;;
	view)
		for tool in squeue sinfo sacct scontrol sprio sshare; do
			words=
			[ $tool != scontrol ] || words='show job 1'
			# shellcheck disable=SC2086 # Words, or none.
			refused "$k" view $tool "$k/run" --at 10 $words
			# shellcheck disable=SC2086
			refused "$k" view $tool "$k/half/snapshot.json" --at 10 $words
		done
		;;
	step) refused "$k" step "$k/run" --script /dev/null ;;
	shell)
		[ "$k" = named ] && return
		refused "$k" shell --session "$k/session.txt" --script /dev/null
		refused "$k" shell --script "$k/script.txt"
		;;
	report) refused "$k" report "$k/run" -o "$k/page.html" --quiet ;;
	explain)
		refused "$k" explain "$k/run" 1
		refused "$k" explain "$k/half/snapshot.json" 1
		;;
	check)
		[ "$k" = named ] && return
		refused "$k" check "$k/base.json"
		refused "$k" check "$k/base.json" --update --force
		refused "$k" check "$k/lab" --key
		refused "$k" check "$k/lab" --student "$k/one.yaml"
		refused "$k" check "$k/lab" --student "$k/two.yaml"
		mkdir -p "$k/class" && cp "$k/two.yaml" "$k/class"
		refused "$k" check "$k/lab" --grade "$k/class"
		;;
	bundle)
		refused "$k" bundle "$k/run" -o "$k/other"
		refused "$k" bundle "$k/run" -o "$k/other" --dry-run
		refused "$k" bundle --verify "$k/kept"
		;;
	# These take traces, clusters and words of the user's alone.
	inspect | convert | anonymize | generate | policy-test | list | completion | version | help) ;;
	*) echo "no row for schedlab $2" ;;
	esac
}
for kind in so named program script whole write; do
	shown=
	for command in $(schedlab help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do opened $kind "$command"; done
	echo "$kind: nothing ran; shown from what is stored:$shown"
done

# Each is said with its file, and the line.
for kind in so named program script whole write; do schedlab report $kind/run; done
schedlab check program/base.json
schedlab sweep run program/sweep.yaml -o points
schedlab check script/lab --student script/two.yaml
schedlab check script/lab --key
schedlab shell --script so/script.txt

# Who says so has it done: with --trust, or in the same words.
ran() {
	find . -name canary -delete
	schedlab "$@" >/dev/null 2>&1
	[ -z "$(find . -name canary)" ] || echo "ran: $1 $2"
}
forged=$(sed -n 's/.*"named": \(true\).*/\1/p' so/half/snapshot.json)
[ -n "$forged" ] || echo 'the snapshot names no plug-in'
for command in "explain program/run 1" "report program/run -o page.html --force" "view sacct program/run" \
	"bundle --verify program/kept" "check program/base.json" "run --from-snapshot program/half/snapshot.json" "check program/lab --student program/two.yaml" \
	"explain so/run 1" "explain named/run 1" "whatif program/run --scale-load 1.1" "step program/run --script /dev/null" "shell --script program/script.txt"; do
	# shellcheck disable=SC2086 # Words.
	ran $command --trust
done
ran sweep run program/sweep.yaml -o points --trust
ran run --from-snapshot program/half/snapshot.json -p 'external:command="touch canary"'
ran run --from-snapshot so/half/snapshot.json -p ./evil.so
schedlab sweep plan program/sweep.yaml -o points --emit make --trust | grep -c -- --trust
# A plug-in whose hash is another is not loaded, with --trust either.
sed -i "s/$hash/$(printf %064d 0)/" named/run/run.json
find . -name canary -delete
schedlab explain named/run 1 --trust
echo "exit $?"
find . -name canary
# A repository within the files that somebody sent, which names a program to fetch what it lacks: git does not start it.
(
	unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$PWD"
	quietly() { git -c user.name=n -c user.email=n@example.org -c init.defaultBranch=main -c commit.gpgsign=false "$@" >/dev/null 2>&1; }
	mkdir theirs.git-test && cd theirs.git-test || exit
	printf 'nodes:\n  - {name: n, count: 4, cpus: 4}\n' >c.yaml
	schedlab check --init "$DATA/four.swf" -c c.yaml -p fcfs -o plain.json -q >/dev/null
	for kind in bare whole; do
		rm -rf evil && mkdir evil && cp c.yaml evil/
		quietly init evil && (cd evil && quietly add -A && quietly commit -m one)
		blob=$(git -C evil rev-parse HEAD:c.yaml)
		at=evil/.git
		[ $kind = whole ] || { mv evil/.git evil/bare && cp c.yaml evil/bare/ && at=evil/bare; }
		rm -f "$at/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
		cat >>"$at/config" <<G
[extensions]
	partialClone = origin
[remote "origin"]
	url = ssh://x/y
	promisor = true
	partialclonefilter = blob:none
	uploadpack = "touch $PWD/canary; false"
[core]
	sshCommand = "touch $PWD/canary; false"
	repositoryformatversion = 1
	bare = $([ $kind = bare ] && echo true || echo false)
[protocol]
	allow = always
[protocol "ssh"]
	allow = always
G
		sed "s|\"cluster\": \"c.yaml\"|\"cluster\": \"${at%/.git}/c.yaml\"|" plain.json >evil.json
		schedlab check evil.json --git HEAD -q >/dev/null 2>&1
		echo "exit $?: --git, $kind"
		[ ! -e canary ] || echo "it ran: $kind"
		rm -f canary
	done
)
