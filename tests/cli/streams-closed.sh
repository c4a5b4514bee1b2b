# What cannot be printed is an error in every command, also where the caller closed the stream; and what is printed
# never ends up in a file of results.
schedlab generate lublin --jobs 300 --cpus 64 --seed 1 -o w.swf
schedlab run w.swf -q -p easy -o whole >/dev/null
schedlab run w.swf -q -p easy -o closed >&-
echo "run: exit $?"
cmp whole/jobs.csv closed/jobs.csv
schedlab run w.swf -q -p easy -o without >/dev/null 2>&- <&-
echo "run without stderr and stdin: exit $?"
cmp whole/jobs.csv without/jobs.csv

# each COMMAND: its data to a full disk, and to nowhere.
each() {
	schedlab "$@" >/dev/full 2>full
	full=$?
	schedlab "$@" >&- 2>closed.text
	echo "$full $? $* $(grep -c "cannot write 'standard output'" full closed.text | tr '\n' ' ')"
}
schedlab run w.swf -q -p fcfs -o base >/dev/null
each
each help
each help run
each run --help
each version
each version --json
each list policies
each list policies --json
each list settings
each completion bash
each inspect w.swf
each inspect w.swf --json
each run w.swf -q
each run w.swf -q --json
each compare w.swf -q -p fcfs -p easy
each compare w.swf -q -p fcfs -p easy --json
each compare base whole
each generate lublin --jobs 10 --cpus 64 -o -
each convert w.swf -o -
each explain whole 20
each explain whole 20 --json
each view sacct whole
each view squeue whole --at +1d
each report whole -o -
each report whole --format svg -o -
each whatif w.swf -q --scale-load 1.1
each whatif w.swf -q --scale-load 1.1 --json
each run w.swf --dry-run

# Nobody reads any more: the program ends as others do, by SIGPIPE, after it has published what it was to write.
{ sleep 0.2; schedlab run w.swf -q -o piped; echo "exit $?" >code; } | true
cat code
ls piped
{ sleep 0.2; schedlab version; echo "exit $?" >code; } 2>said | true
cat code said
# Where SIGPIPE is ignored it is an error like any other.
{ trap '' PIPE; sleep 0.2; schedlab version; echo "exit $?" >code; } 2>said | true
cat code said
# That nobody reads stderr ends nothing.
{ sleep 0.2; schedlab run w.swf -v -o heard >summary; echo "exit $?" >code; } 2>&1 | true
cat code
ls heard
find . -name '.?*'
