# The same cluster in YAML and JSON gives the same run; packed is as good.
cp "$ROOT/traces/bundled/gpu-200.csv" .
cat >c.json <<'END'
{ "name": "example",
  "nodes": [
    { "name": "cpu", "count": 4, "cpus": 64, "memory": "256GiB" },
    { "name": "a", "count": 3, "cpus": 64, "memory": "512GiB", "gpus": { "a100": 8 } },
    { "name": "v", "count": 2, "cpus": 40, "memory": 262144, "gpus": 4, "gpu_type": "v100" } ],
  "reservations": [ { "name": "maintenance", "nodes": "a3", "start": "86400", "end": "108000" } ] }
END
gzip -c "$ROOT/traces/bundled/gpu-cluster.yaml" >c.gz
schedlab run gpu-200.csv -c "$ROOT/traces/bundled/gpu-cluster.yaml" -q -o yaml >/dev/null
schedlab run gpu-200.csv -c c.json -q -o json >/dev/null
schedlab run gpu-200.csv -c c.gz -q -o packed >/dev/null
cmp yaml/jobs.csv json/jobs.csv && cmp yaml/metrics.json json/metrics.json && cmp yaml/jobs.csv packed/jobs.csv && echo same
