# Each form of a tolerance over one run: under easy the mean wait is 52.5 s, the longest 120 s, utilization 0.81.
cp "$DATA/four.swf" .
cat >b.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [
  { "id": "exact", "trace": "four.swf", "metrics": {
      "wait.mean": { "value": 52.5, "tol": "=" },
      "wait.max": { "value": 119, "tol": "=" } } },
  { "id": "band", "trace": "four.swf", "metrics": {
      "wait.mean": { "value": 50, "tol": "±5%" },
      "wait.max": { "value": 125, "tol": "±4" } } },
  { "id": "worse", "trace": "four.swf", "metrics": {
      "wait.mean": { "value": 50, "tol": "+5%" },
      "wait.max": { "value": 100, "tol": "+19.99" },
      "makespan": { "value": 300, "tol": "+1%" },
      "utilization": { "value": 0.9, "tol": "-0.05" } } },
  { "id": "range", "trace": "four.swf", "metrics": {
      "wait.mean": { "tol": "50..55" },
      "wait.max": { "tol": "1m..119s" } } },
  { "id": "bound", "trace": "four.swf", "metrics": {
      "wait.mean": { "tol": "<= 52.5" },
      "wait.max": { "tol": "< 2m" },
      "wait.mean{user=*}": { "tol": "<= 1m" },
      "utilization": { "tol": ">= 80%" } } },
  { "id": "both", "trace": "four.swf", "metrics": {
      "wait.mean": { "value": 50, "tol": "+2% or +3" },
      "wait.max": { "value": 110, "tol": "+10% and <= 2m" },
      "turnaround.mean": { "value": 100, "tol": "warn +2%" } } } ] }
END
schedlab check b.json
echo "exit $?"
schedlab check b.json --case worse --case band --fail-on-improvement -q
echo "exit $?"
schedlab check b.json --case range --case bound -q >/dev/null
echo "exit $?"
