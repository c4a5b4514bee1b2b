# Scenarios beside their base; each is what a plain run with its settings is, to the digest.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
G="gpu-200.csv -c gpu-cluster.yaml -q"
digest() { sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' "$1/run.json" | head -n 1; }
# shellcheck disable=SC2086
{
	schedlab whatif $G -p easy --set replay.overrun=raise --as more --set 'cluster.nodes[a].count+=1' --as fewer --drop user=chen \
		--scale-load 1.2 --as sjf -p easy:order=sjf -o out >table
	schedlab run $G -p easy -o base >/dev/null
	schedlab run $G -p easy --set 'cluster.nodes[a].count+=1' -o more >/dev/null
	schedlab run $G -p easy --set replay.drop=user=chen --set replay.load=1.2 -o fewer >/dev/null 2>&1
	schedlab run $G -p easy:order=sjf -o sjf >/dev/null
}
ls out
for pair in 1-easy:base 2-easy:more 3-easy:fewer 4-easy-order-sjf:sjf; do
	[ "$(digest "out/${pair%:*}")" = "$(digest "${pair#*:}")" ] && echo "same ${pair#*:}"
done
cat table
# The base is a run's directory, made again; JSON and files say the same.
schedlab whatif base -q --as sjf --set policy.order=sjf | sed -n '/^wait mean/p;/^sjf/p'
schedlab whatif base -q --as sjf --set order=sjf --json | sed -n 's/.*"name": "\([a-z]*\)", "policy": "\([a-z]*\)".*/\1 \2/p'
sed -n '/"sjf","wait.mean"/p;1p' out/whatif.csv
sed -n 's/.*"name": "\([a-z]*\)", "policy": .*/\1/p' out/whatif.json
