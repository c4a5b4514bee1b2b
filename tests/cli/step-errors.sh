# Without a terminal it says what else there is; a script's mistakes have their line.
try() { "$@" || echo "exit $?"; }
cp "$DATA/backfill.swf" .
try schedlab step backfill.swf
try schedlab step backfill.swf --answers --script -
try schedlab step backfill.swf --script - --replay x
try schedlab step backfill.swf --size 80x24 --json
try schedlab step backfill.swf --script nothing.txt
try schedlab step nothing.swf --script -
try schedlab step - --script -
for size in 59x20 60x19 80 ax3 501x24; do
	try schedlab step backfill.swf --script - --size $size
done
one() { printf '%s\n' "$@" | try schedlab step backfill.swf --quiet --script - >printed; tail -n 3 printed; }
one 'nxt'
one '' '# nothing' 'n 0'
one 'n 1 2 3'
one b
one 't end' n
one 't end' s
one 't yesterday'
one 't'
one 'j 77'
one 'j 4 stop'
one 'j 4' 'j 4' 'j 4' 'j 4'
one 'w 1 2'
one 'p 1'
one 'p 99'
one 'g cpus'
one 'zoom'
one n 'expect J9 starts'
one "$(head -c 5000 /dev/zero | tr '\0' x)"
# Words may be told apart by more than a blank, and the end of a script is the end.
one '  n	2   # two' q 'not looked at'
# Nobody to predict, and nobody who waits.
one 't end' p w
# A run's directory brings its own settings.
schedlab run backfill.swf -p fcfs -o out --quiet >/dev/null
try schedlab step out -p easy --script -
echo n | schedlab step out --quiet --script -
schedlab run backfill.swf --until 12 --snapshot s.json --quiet >/dev/null
printf 't end\n' | schedlab step s.json --quiet --script - | tail -n 2
# A run that went over to another policy: each is called by its name, at the moment of the change too.
schedlab run --from-snapshot s.json -p fcfs -o over --quiet >/dev/null
schedlab step over --json --quiet | sed -n 's/.*"event": "start", "at": \([0-9]*\).*"text": "\([^:]*\):.*/\1 \2/p'
