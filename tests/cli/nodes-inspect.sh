# What a trace of jobs on GPUs is on a cluster of nodes: types, reservations, what fits and what never could.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
schedlab inspect gpu-200.csv -c gpu-cluster.yaml | sed -n 1,20p
schedlab inspect gpu-200.csv -c gpu-cluster.yaml --set 'cluster.nodes[v].count-=1' --json | sed -n '/"cluster"/p; /"oddities"/,/\]/p'
schedlab inspect gpu-200.csv -c gpu-cluster.yaml --set 'cluster.nodes[b].count-=2'
echo "exit $?"
