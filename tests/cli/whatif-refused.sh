# What cannot be set, and what the line does not say, is status 2 with what there is.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
G="gpu-200.csv -c gpu-cluster.yaml -q"
S="$ROOT/docs/examples/slurm/week.txt -c $ROOT/docs/examples/slurm -p slurm -q"
try() { schedlab whatif "$@" || echo "exit $?"; }
# shellcheck disable=SC2086
{
	try $G
	try $G --set 'cluster.nodes[zz].count=3'
	try $G --set nonsense=1
	try $G --as A --drop user=chen --as A --drop user=bao
	try $G --scale-load 0
	try $G --down nowhere
	try $G --censored maybe --drop user=chen
	try $G --at 10h --set 'cluster.nodes[a].count+=1'
	try $G --at 10h -c gpu-cluster.yaml
	try $G --at tomorrow --set order=sjf
	try $G --drain a2
	try $G --drain a2 --within never
	try $G --drain a2 --within 4h --as A
	try "$ROOT/traces/bundled/lublin-256.swf" -q --jobs 100 --drain n1 --within 4h
	try $S --set 'cluster.nodes[zz].count=3'
	try $S --set 'cluster.partition[zz].MaxTime=3'
	try $S --set 'cluster.qos[zz].MaxWall=3'
	try $S --base "cluster.qos=$ROOT/traces/bundled/slurm-record/qos.txt" --set 'cluster.qos[zz].MaxWall=3'
	try $S --base "cluster.qos=$ROOT/traces/bundled/slurm-record/qos.txt" --set 'cluster.qos[high].MaxBall=3'
	try $S --base "cluster.qos=$ROOT/traces/bundled/slurm-record/qos.txt" --set 'cluster.qos[high].MaxWall+=3'
}
