# Decisions that are others: the first is named, with what the job does now. Job 3 starts at 20 behind job 2 under easy alone.
cp "$DATA/four.swf" .
schedlab check --init four.swf -p easy -o b.json -q >/dev/null
sed 's/"policy": "easy"/"policy": "fcfs"/' b.json >was-easy.json
cp b.decisions.zst was-easy.decisions.zst
schedlab check was-easy.json
echo "exit $?"
# The other way round.
schedlab check --init four.swf -p fcfs -o c.json -q >/dev/null
sed 's/"policy": "fcfs"/"policy": "easy"/' c.json >was-fcfs.json
cp c.decisions.zst was-fcfs.decisions.zst
schedlab check was-fcfs.json -q
# Metrics alone decide where the case does not say that decisions must be the same.
cat >loose.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [
  { "id": "loose", "trace": "four.swf", "policy": "fcfs", "result": "0000000000000000",
    "metrics": {
      "wait.mean": { "value": 80, "tol": "+10%" } } } ] }
END
schedlab check loose.json
echo "exit $?"
# Without metrics there is nothing else to go by; without anything, nothing at all.
sed 's/,$/ } ] }/; /metrics/,$d' loose.json >bare.json
schedlab check bare.json
echo "exit $?"
sed 's/, "result": "0*"//' bare.json >nothing.json
schedlab check nothing.json
echo "exit $?"
