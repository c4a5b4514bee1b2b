# A run on nodes: names in jobs.csv, GPUs in usage.csv, the cluster and what changed it in run.json.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
schedlab run gpu-200.csv -c gpu-cluster.yaml --jobs 50 --set 'cluster.nodes[v].gpus+=4' -o out --check
sed -n 1,5p out/jobs.csv
sed -n 1,3p out/usage.csv
grep -E '"(path|cluster|utilization_resource|files)"' out/run.json
grep -E 'utilization|user=ada' out/metrics.json
