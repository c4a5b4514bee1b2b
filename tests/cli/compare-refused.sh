# What cannot be compared is said, with the right exit code.
mkdir empty
cp "$DATA/four.swf" .
schedlab compare empty || echo "exit $?"
schedlab compare four.swf four.swf || echo "exit $?"
# Counted twice a log would be two samples.
cp four.swf copy.swf
schedlab compare four.swf copy.swf -p easy -q || echo "exit $?"
schedlab compare empty empty -p easy || echo "exit $?"
schedlab compare four.swf -p easy -p nonsense || echo "exit $?"
schedlab compare four.swf -j 0 || echo "exit $?"
mkdir bad
echo '{ "policy": { "text": "x" } }' >bad/run.json
echo '{ "wait.mean": 1,
  "wait.p95": "two" }' >bad/metrics.json
schedlab compare bad || echo "exit $?"
echo '{ "wait.mean": 1,
  "wait.p95" 2 }' >bad/metrics.json
schedlab compare bad || echo "exit $?"
echo '{ "wait.mean": 1, "wait.mean": 2 }' >bad/metrics.json
schedlab compare bad || echo "exit $?"
# Several policies are several options.
schedlab compare "$DATA/four.swf" -q -p fcfs,easy || echo "exit $?"
