# usage.csv is the same whether its points are written while the run goes on (run), kept packed and written behind it
# (compare), or kept as they are, since a plug-in might read them.
same() { cmp "$1/usage.csv" "$2/usage.csv" && echo "$1: $(wc -l <"$1/usage.csv") lines"; }
lublin=$ROOT/traces/bundled/lublin-256.swf
cp "$ROOT/docs/examples/policy/window.lua" mine.lua
schedlab run "$lublin" --jobs 2000 -o easy --quiet >/dev/null
schedlab compare "$lublin" --jobs 2000 -p fcfs -p easy -o two --quiet --no-report >/dev/null
schedlab run "$lublin" --jobs 2000 --plugin ./mine.lua -o plugged --quiet >/dev/null
same easy two/2-easy
same easy plugged
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
for policy in conservative kube; do
	schedlab run gpu-200.csv -c gpu-cluster.yaml -p $policy -o $policy --quiet >/dev/null
	schedlab compare gpu-200.csv -c gpu-cluster.yaml -p fcfs -p $policy -o $policy-2 --quiet --no-report >/dev/null
	same $policy $policy-2/2-$policy
done
