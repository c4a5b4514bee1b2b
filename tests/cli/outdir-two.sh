# Of two that write one directory at a time the second is refused at its start; when the first was killed the next goes
# on, and nothing of the first is left.
cat >endless.lua <<'LUA'
limits = { instructions = 1000000 }
function pass(s) while true do end end
LUA
cp "$DATA/four.swf" .
schedlab run four.swf -q -p endless.lua -o out >/dev/null 2>&1 &
until ls -d .out.* >/dev/null 2>&1; do sleep 0.1; done
sleep 0.3
schedlab run four.swf -q -p fcfs -o out >/dev/null || echo "exit $?"
schedlab compare four.swf -q -p fcfs -p easy -o out --force >/dev/null || echo "exit $?"
schedlab run four.swf -q -p fcfs -o other >/dev/null || echo "exit $?"
{ kill -s KILL $! && wait $!; } 2>/dev/null
schedlab run four.swf -q -p fcfs -o out >/dev/null || echo "exit $?"
ls -A
ls out
