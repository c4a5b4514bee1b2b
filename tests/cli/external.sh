# SPDX-License-Identifier: GPL-3.0-or-later
# Another program decides: the same as the built-in rule, again from its record; and what is wrong with its answers.
deciders=$ROOT/docs/examples/decider
log=$ROOT/traces/bundled/lublin-256.swf
# shellcheck disable=SC2086 # An option, or nothing.
digest() { schedlab run "$log" --jobs 800 --quiet --verbose -p "$1" ${2-} 2>&1 >/dev/null | sed -n 's/.*digest //p'; }
for rule in fcfs easy; do
	built_in=$(digest $rule)
	asked=$(digest "external:command=\"python3 $deciders/$rule.py\",record=$rule.json")
	checked=$(digest "external:command=\"python3 $deciders/$rule.py\"" --check)
	replayed=$(digest "external:replay=$rule.json")
	[ "$built_in" = "$asked" ] && [ "$asked" = "$checked" ] && [ "$asked" = "$replayed" ] && echo "$rule: the same"
done
# A run by a record is made again like any other; one whose record is gone is not.
schedlab run "$log" --jobs 800 --quiet -p external:replay=easy.json -o out >/dev/null
schedlab explain out 5 | head -n 1
echo >>easy.json
schedlab explain out 5
echo "exit $?"
# Several at a time have a process each.
schedlab compare "$log" --jobs 300 -p "external:command=\"python3 $deciders/fcfs.py\"" -p "external:command=\"python3 $deciders/easy.py\"" \
	-p fcfs -p easy --quiet --json | grep -c wait.mean\":
# What it says that makes no sense, or nothing.
cat >t.swf <<'SWF'
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
SWF
try() {
	schedlab run t.swf --quiet -p "external:$1" >/dev/null
	echo "exit $?"
}
try ''
try 'command="true"'
# It hears before it speaks, so that it is there when it is asked.
try 'command="read a; echo hello; cat >/dev/null"'
try 'command="read a; echo {}; read a; echo {; cat >/dev/null"'
for answer in '{"start":[7]}' '{"start":[-1]}' '{"start":1}' '{"start":["x"]}' '{"wake":"soon"}' '[]' '3'; do
	printf '%s\n' '{}' "$answer" >answers
	try 'command="read a; cat answers; cat >/dev/null"'
done
try 'command="sleep 5",timeout=1'
try 'command="nothing-of-the-kind 2>/dev/null"'
try 'replay=none.json'
echo '{}' >none.json
try 'replay=none.json'
# A job that does not fit is refused, and told so; a wake is a pass.
cat >decider.sh <<'SH'
read -r hello
echo '{}'
while read -r line; do
	echo "$line" | sed 's/"events":.*//' >&2
	case $line in
	*'"now":0,'*) echo '{"start":[0]}' ;;
	*'"now":1,'*) echo '{"start":[1],"wake":5.5}' ;;
	*'"now":10,'*) echo '{"start":[1]}' ;;
	*) echo '{}' ;;
	esac
done
SH
try 'command="sh decider.sh"'
# One that starts nothing of more than 3 cpus: what fits and is first is left by it, from the first to the last.
{ sed 's/if job\["size"\] > self.free:/if job["size"] > 3:/' "$deciders/fcfs.py"; } >lazy.py
cp "$deciders/decider.py" .
printf 'job_id,submit,run_time,cpus\n1,0,10,1\n2,0,10,4\n3,1,10,1\n' >left.csv
schedlab run left.csv --set cluster.cpus=8 -p 'external:command="python3 lazy.py"' --quiet -o left >/dev/null 2>&1
cat left/reasons.csv
