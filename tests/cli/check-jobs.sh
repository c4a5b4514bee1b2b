# Whether the same jobs run is judged by itself, and waits over those that ran in both.
mkdir ci
cp -r "$ROOT/docs/examples/slurm" etc
mv etc/week.txt ci
schedlab check --init ci/week.txt -c etc -p slurm --jobs 200 -o ci/all.json -q --no-decisions >/dev/null
sed '/"exact"/d; /"tol"/{/wait/!d; s/"="/"+10% or +60"/; /max/s/,$//}' ci/all.json >ci/b.json
grep -e counts -e tol ci/b.json
# The jobs that waited longest are refused: waits of all that run fall or rise by that alone.
cp -r etc less
sed -i 's/PartitionName=batch Nodes=cn\[01-16\]/PartitionName=batch Nodes=cn[01-14] MaxTime=6:00:00/' less/slurm.conf
schedlab check ci/b.json --against less | grep -v -e '^user' -e '^size' -e '^account'
schedlab check ci/b.json --against less -q --accept jobs
echo "exit $?"
# The means of both are those of the table; labels, and what is of each run: bounds, and {user=*}.
cat >ci/forms.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [ { "id": "forms", "trace": "week.txt", "cluster": "../etc", "policy": "slurm", "jobs": 200, "metrics": {
  "wait.mean{partition=batch}": { "tol": "+10% or +60" },
  "wait.mean{partition=gpu}": { "tol": "+10% or +60" },
  "wait.p95{user=ann}": { "tol": "+10% or +60" },
  "bounded_slowdown.mean{size=8-15}": { "tol": "+10% or <= 3" },
  "wait.mean{limit=1h-4h}": { "tol": "+10% or +60" },
  "wait_total.mean": { "tol": "+10% or +60" },
  "slowdown.mean": { "tol": "+10%" },
  "per_cpu_bounded_slowdown.mean": { "tol": "+10%" },
  "jain.slowdown": { "tol": "-10%" },
  "wait.p90": { "tol": "<= 3d" },
  "wait.p95{user=*}": { "tol": "<= 3d" } } } ] }
END
schedlab check ci/forms.json --update -q --no-decisions >/dev/null
schedlab check ci/forms.json --against less --accept jobs | grep '^[a-zA-Z]* *forms'
schedlab check ci/forms.json --against less --json | grep -o '"name": "jobs".*\|.*jobs_both.*"tol"\|"by": "partition", "name": "batch".*'
# A metric that is gone is none, and no number, wherever it is told.
cp -r etc nogpu
sed -i '/PartitionName=gpu/d' nogpu/slurm.conf
schedlab check ci/forms.json --against nogpu --accept jobs -q --github --markdown s.md --junit s.xml --tap s.tap
echo "exit $?"
grep -h -A 3 -e '=gpu}' s.md s.xml s.tap
grep -c 9,223 s.md s.xml s.tap
# The other way: jobs that newly run.
schedlab check --init ci/week.txt -c less -p slurm --jobs 200 -o ci/less.json -q --no-decisions >/dev/null
sed '/"exact"/d; /"tol"/{/wait/!d; s/"="/"+10% or +60"/; /max/s/,$//}' ci/less.json >ci/l.json
schedlab check ci/l.json --against etc --markdown s.md | grep -e jobs -e '^all'
grep -e newly s.md
# Without another run the counts of the baseline are held against: an update does not pass over them either.
cp ci/b.json ci/u.json
sed -i 's|"../etc"|"../less"|' ci/u.json
schedlab check ci/u.json --update --no-decisions
echo "exit $?"
cmp ci/u.json ci/b.json | cut -d : -f 1
schedlab check ci/u.json --update --no-decisions --accept jobs -q
echo "exit $?"
schedlab check ci/u.json --update --no-decisions --accept jobs --accept wait.p95 -q
echo "exit $?"
grep counts ci/u.json
sed 's/"refused": [0-9]*/"refused": 0/' ci/u.json >ci/other.json
schedlab check ci/other.json -q
echo "exit $?"
# One of before has no counts: it says so once, and works; what cannot be known is no reason to write it.
sed '/"counts"/d' ci/b.json >ci/old.json
schedlab check ci/old.json
echo "exit $?"
sed -i 's|"../etc"|"../less"|' ci/old.json
schedlab check ci/old.json --update --no-decisions -q
echo "exit $?"
schedlab check ci/old.json --update --no-decisions -q --accept jobs --accept wait.p95
echo "exit $?"
grep counts ci/old.json
# Counts are numbers of jobs, and by names that there are.
for counts in '{ "totle": 1 }' '{ "total": -1 }' '7'; do
	sed "s/\"counts\": .*},/\"counts\": $counts,/" ci/b.json >bad.json
	schedlab check bad.json
	echo "exit $?"
done
# A tolerance that only warns is one: an update does not write over it.
cp "$DATA/four.swf" .
printf '{ "schema": "schedlab.baseline/1", "cases": [ { "id": "w", "trace": "four.swf", "metrics": { "wait.mean": { "value": 40, "tol": "warn ±5%%" } } } ] }\n' >w.json
schedlab check w.json -q
echo "exit $?"
schedlab check w.json --update -q --no-decisions
echo "exit $?"
schedlab check w.json --update -q --no-decisions --accept wait.mean
echo "exit $?"
grep -o '"value": [0-9.]*' w.json
