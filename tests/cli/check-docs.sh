# What docs/ci.md shows: its jobs are the files that it names, and the commands in them do what it says.
unset CI
cd "$ROOT/docs"
for job in github gitlab; do
	awk -v want="# A job that fails" '/^```yaml/ { on = 1; text = ""; next } /^```/ { on = 0; if (text) printf "%s", text > ("/dev/fd/" 3 + n++) ; next }
		on { text = text $0 "\n" }' ci.md 3>"$OLDPWD/github" 4>"$OLDPWD/gitlab"
	cmp examples/baseline/$job.yml "$OLDPWD/$job" && echo "$job: as in ci.md"
done
schedlab check examples/baseline/baseline.json
echo "exit $?"
cd "$OLDPWD"
mkdir ci traces
cp "$DATA/four.swf" traces/log.swf
commands() { sed -n 's/^ *\(- \)\{0,1\}\(run: \)\{0,1\}\(schedlab check.*\)/\3/p' "$@"; }
commands "$ROOT/docs/ci.md" | sed 's/ -p [^ ]*ours.so//' | while read -r command; do
	echo "\$ $command"
	sh -c "$command" </dev/null | tail -n 1
done
ls
# With exit codes that make would hide.
sed 's/"policy": "easy"/"policy": "fcfs"/' ci/baseline.json >ci/x && mv ci/x ci/baseline.json
for job in github gitlab; do
	sh -c "$(commands "$ROOT/docs/examples/baseline/$job.yml")" >/dev/null
	echo "$job: exit $?"
done
printf '1:\n\tschedlab check ci/baseline.json -q\n' >Makefile
make -s 1 >/dev/null 2>&1
echo "make: exit $?"
