# --metric: names of metrics.json that are made of jobs, asked for as selectors by other words for the same jobs, are
# the numbers that they are there.
cp "$DATA/four.swf" .
same() { # TRACE -c ...
	schedlab run "$@" --json --quiet | sed -n 's/^ *"\(.*\)": \([^,]*\).*/\1\t\2/p' | grep -E \
		'^(jobs|wait|wait_total|turnaround|slowdown|bounded_slowdown|per_cpu_bounded_slowdown|cpu_seconds|gpu_seconds|preemptions|work|suspended)[.{	]' |
		sed 's/{\([^}]*\)}/{ \1 }/; t; s/	/{job!=none}	/' >wanted
	set -- "$@" --json --quiet
	while IFS='	' read -r name value; do
		[ -z "$value" ] || set -- "$@" --metric "$name"
	done <wanted
	schedlab run "$@" | sed -n 's/^ *"\(.*{ .*\|.*{job!=none}\)": \([^,]*\).*/\1\t\2/p' | diff wanted - && wc -l <wanted
}
same "$ROOT/traces/bundled/gpu-200.csv" -c "$ROOT/traces/bundled/gpu-cluster.yaml"
same "$ROOT/docs/examples/slurm/week.txt" -c "$ROOT/docs/examples/slurm" -p easy:place=slurm
same four.swf
# In the directory's metrics.json too; of nobody there is none.
schedlab run "$ROOT/traces/bundled/gpu-200.csv" -c "$ROOT/traces/bundled/gpu-cluster.yaml" --quiet -o out \
	--metric 'wait.p95{gpus>=8}' --metric gpu_hours --metric 'wait.mean{gpus>800}' | tail -n 3
grep 'wait.p95{gpus>=8}' out/metrics.json
schedlab run four.swf --metric 'wait.mean{user=nobody}' || echo "exit $?"
schedlab run four.swf --metric 'wait.man' || echo "exit $?"
schedlab run four.swf --metric 'wait.mean{usr=1}' || echo "exit $?"
