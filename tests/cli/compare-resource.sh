# Two clusters of which GPUs are the scarcest in one and memory in the other: a column is of one resource, and says of which.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
sed 's/a100: 8/a100: 64/; s/v100: 4/v100: 64/' gpu-cluster.yaml >many.yaml
schedlab compare gpu-200.csv -c gpu-cluster.yaml -c many.yaml -p easy -q -o out
# What metrics.json has of each, and the files of the comparison.
for run in out/1-easy out/2-easy; do
	grep -o '"utilization\(.gpus\|.memory\)\?": [0-9.]*' $run/metrics.json
done
grep ',utilization' out/differences.csv | cut -d , -f 3,4
schedlab compare gpu-200.csv -c gpu-cluster.yaml -c many.yaml -p easy -q --json | grep '^"resource"'
schedlab report out -q --format markdown -o - | sed -n 's/.*\(utilization of [a-zA-Z]*\) (%).*/\1/p;s/^| \(.*\) | \(.* of GPUs.*\)$/\1: \2/p'
schedlab compare out/1-easy out/2-easy -q | sed -n 1,3p
# The other way round it is memory.
schedlab compare gpu-200.csv -c many.yaml -c gpu-cluster.yaml -p easy -q | sed -n '1,3p;/^utilization/p'
# Two logs.
{ sed 1q gpu-200.csv; sed 1d gpu-200.csv | head -n 150; } >fewer.csv
schedlab compare gpu-200.csv fewer.csv -c gpu-cluster.yaml -c many.yaml -p easy -q | sed -n '1,3p;/^utilization/p'
# One resource in all: nothing is said.
schedlab compare gpu-200.csv -c gpu-cluster.yaml -p easy -p fcfs -q | grep -c GPUs
