# Several clusters: each policy on each, rows of the first cluster first.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
sed 's/count: 3/count: 6/' gpu-cluster.yaml >large.yaml
schedlab compare gpu-200.csv -c gpu-cluster.yaml -c large.yaml -p fcfs -p easy -o out --quiet
ls out
cut -d, -f1-4 out/compare.csv
schedlab compare out/2-easy out/4-easy --json | grep -o '"cluster": "[a-z.-]*"'
