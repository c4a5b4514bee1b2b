# replay.warmup and replay.cooldown: metrics of jobs, selectors and differences are of the jobs between; the rest is of all.
cp "$DATA/four.swf" .
schedlab run four.swf -p fcfs -q --set replay.warmup=10 --set replay.cooldown=5 --metric 'wait.mean{user=2}' --metric 'jobs{user=1}'
# Submitted at 0 10 20 30: those at 10 and 20 count, as a run says with all of its metrics.
schedlab run four.swf -p fcfs -q --set replay.warmup=10 --set replay.cooldown=5 --json | grep -E '"(jobs|wait|utilization|makespan)[a-z_.]*":'
schedlab run four.swf -p fcfs -q -o whole >/dev/null
sed -n '1p;3,4p' whole/jobs.csv | cut -d , -f 1,5,7,9
grep -c left_out whole/metrics.json || true
# A difference is of the same jobs as the two means.
schedlab compare four.swf -q -p fcfs -p easy -o both --set replay.warmup=15 >/dev/null
cut -d , -f 1,3-5 both/compare.csv
grep 'wait.mean' both/differences.csv | cut -d , -f 2-4
# Metrics of the field, on request.
schedlab run four.swf -p easy -q --set replay.metrics=field -o field | grep -E 'area|starts|fair'
cat field/fairness.csv
grep -E 'size=1,run|miss.mean\{' field/metrics.json
schedlab run four.swf --set replay.cooldown=-1 || echo "exit $?"
