# --metric: one more column, in tables, JSON and CSV; the number of the run's own --metric.
trace=$ROOT/traces/bundled/gpu-200.csv
cluster=$ROOT/traces/bundled/gpu-cluster.yaml
schedlab compare "$trace" -c "$cluster" --quiet -p fcfs -p easy --metric 'wait.p95{gpus>=4,limit<1d}' -o out --no-report |
	sed -n 's/.*  \([^ ].*\)$/\1/p' | head -n 3
schedlab run "$trace" -c "$cluster" --quiet -p easy --metric 'wait.p95{gpus>=4,limit<1d}' | tail -n 1
grep -o '"wait.p95{gpus>=4,limit<1d}": [0-9.]*' out/2-easy/metrics.json
head -n 1 out/compare.csv | grep -o '"wait.p95{gpus>=4,limit<1d}"'
# Of directories, what their runs left.
schedlab compare out/1-fcfs out/2-easy --quiet --metric 'wait.p95{gpus>=4,limit<1d}' | sed -n '1,3s/.*  \([^ ].*\)$/\1/p'
schedlab compare "$trace" -c "$cluster" --quiet -p easy:place=random -p fcfs:place=random --reps 3 \
	--metric 'jobs{gpus>=4}' | sed -n '1,3s/.*  \([^ ].*\)$/\1/p'
schedlab compare "$trace" -c "$cluster" --quiet -p fcfs --metric 'jobs{user=nobody}' || echo "exit $?"
schedlab whatif "$trace" -c "$cluster" --quiet --set 'cluster.nodes[a].count+=4' --metric 'wait.p95{gpus>=4}' |
	grep 'wait.p95{gpus>=4}'
