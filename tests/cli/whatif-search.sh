# whatif --until: the answer of a search is that of all points tried; what breaks, what costs, what is refused.
gpus="$ROOT/traces/bundled/gpu-200.csv -c $ROOT/traces/bundled/gpu-cluster.yaml --quiet"
log="$ROOT/traces/bundled/lublin-256.swf --jobs 1000 --quiet"
answers() { # of a search's JSON
	sed -n '/"answers"/,/"nearest"/p' "$1" | grep -o '"settings": {[^}]*}'
}
# Each of these bounds by search and by all points.
# Words are split on purpose.
# shellcheck disable=SC2086
for bound in 'wait.p95 < 4h' 'wait.mean < 30m' 'bounded_slowdown.mean < 30' 'wait.p95{size>=64} < 12h'; do
	schedlab whatif $log --until "$bound" --vary 'cluster.cpus+=0..128:4' --json >few
	schedlab whatif $log --until "$bound" --vary 'cluster.cpus+=0..128:4' --json --exhaustive >all
	answers few >few.answers
	answers all | diff few.answers - && cat few.answers
	grep -h simulated\" few all
done
# A point of the search is the run with its setting.
# shellcheck disable=SC2086
schedlab run $log --set cluster.cpus=320 --json | grep '"wait.p95":'
grep -A 1 '"settings": {"cpus+": "64"}' all | head -n 1 | cut -c 1-60
# The mix by prices, found and proved; twice the same.
for how in '' --exhaustive; do
	# shellcheck disable=SC2086
	schedlab whatif $gpus --until 'wait.p95{gpus>=1} < 10m' --buy 'a=0..8,v=0..4' --price a=30 --price v=13 \
		--price-per month --json $how >out.json
	answers out.json
done
# A node type that the cluster lacks; prices of the file; what is taken away.
sed 's/count: 3/count: 12/; s/name: a$/name: a\n    price: 40.5/' "$ROOT/traces/bundled/gpu-cluster.yaml" >large.yaml
# shellcheck disable=SC2086
schedlab whatif "$ROOT/traces/bundled/gpu-200.csv" -c large.yaml --quiet --until 'wait.p95 < 1h' \
	--vary 'cluster.nodes[a].count-=0..9'
# shellcheck disable=SC2086
schedlab whatif $gpus --until 'utilization > 40%' --buy 'dgx-a100=0..2' --price 'nodes[dgx-a100]=9' --price-per hour
# None will do: 1. Nodes that no partition has are told of.
cat >part.yaml <<END
nodes:
  - {name: n, count: 2, cpus: 4}
partitions:
  - {name: p, nodes: 'n[1-2]', default: true}
END
printf 'job_id,submit,run_time,cpus\n1,0,100,8\n2,0,100,8\n' >two.csv
schedlab whatif two.csv -c part.yaml --quiet --until 'wait.max < 10' --vary 'cluster.nodes[n].count+=0,2' || echo "exit $?"
sed 's/n\[1-2\]/n/' part.yaml >entry.yaml
schedlab whatif two.csv -c entry.yaml --quiet --until 'wait.max < 10' --vary 'cluster.nodes[n].count+=0,2' | tail -n 6
