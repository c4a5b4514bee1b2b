# Clusters that are none, with a mistake, or of another kind: exit 3, where and what; settings: exit 2.
cp "$DATA/four.swf" .
try() {
	schedlab run four.swf -c "$@" --quiet
	echo "exit $?"
}
printf 'name: x\nnodes:\n  - name: n\n    cpu: 4\n' >key.yaml
try key.yaml
printf '{ "name": "x",\n  "node": [] }\n' >key.json
try key.json
printf '{ "cpus": 4, "cpus": 5 }\n' >twice.json
try twice.json
printf 'nodes:\n  - {name: n, cpus: 4\n' >cut.yaml
try cut.yaml
printf 'nodes:\n  - {name: n, cpus: 4}\nreservations:\n  - {name: r, nodes: m, start: 0, end: 1}\n' >node.yaml
try node.yaml
printf 'NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=n[1-5]\n' >slurm.conf
try slurm.conf
mkdir folder
try folder
: >empty
try empty
echo 1 2 3 >numbers
try numbers
try missing
printf 'nodes: [{name: n, cpus: 1, count: 2}]\n' >small.yaml
try small.yaml
printf 'nodes: [{name: n, cpus: 4, count: 2}]\n' >good.yaml
try good.yaml --set cluster.cpus=4
try good.yaml --set 'cluster.nodes[m].count=4'
schedlab run four.swf --set 'cluster.nodes[n].count=4'
echo "exit $?"
