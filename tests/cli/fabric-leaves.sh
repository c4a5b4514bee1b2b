# Eight nodes, two a leaf, one port's worth of cables upwards of each. Job 1 takes a leaf and a node of the next; job 2
# by leaves takes one leaf and that leaf's other node, and shares its cable; by prediction it goes elsewhere.
printf 'nodes:\n  - { name: n, count: 8, cpus: 1 }\nfabric: { nodes_per_leaf: 2, oversubscription: 2, efficiency: 1, alpha: 0, hop: 0 }\n' >c.yaml
printf 'job_id,submit,run_time,time_limit,tasks,tasks_per_node,comp,comm_bytes,pattern\n1,0,100,400,3,1,0,1GB,ring\n2,1,100,400,3,1,0,1GB,ring\n' >t.csv
for place in pack_leaves spread_leaves contention; do
	echo "$place"
	schedlab run t.csv -c c.yaml -p "easy:place=$place" --model fabric --check -o "$place" --quiet >/dev/null
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		{ print $1, $at["start"], $at["end"], $at["network_slowdown"] }' "$place/jobs.csv"
done
# Without a model it is pack_leaves; promises are refused, and who has no nodes.
for place in pack_leaves contention; do
	schedlab run t.csv -c c.yaml -p "easy:place=$place" -o "$place-alone" --quiet >/dev/null
	sed -n 's/.*"digest": *//p' "$place-alone/run.json"
done
schedlab run t.csv -c c.yaml -p conservative:place=contention
echo "exit $?"
printf 'job_id,submit,run_time,cpus\n1,0,5,4\n' >pool.csv
schedlab run pool.csv --set cluster.cpus=8 -p easy:place=contention
echo "exit $?"
# What is wrong with a fabric is said once.
try() {
	schedlab run t.csv -c c.yaml --model "fabric:$1"
	echo "exit $?"
}
try rate=fast
try topology=rnig
try topology=fat_tree,k=2
try routing=dmodk
try oversubscription=0
try 'topology=xgft,xgft=2;2/2;1'
# Placers see the leaves of the model: two nodes each by the parameter, or as an xgft has them, as by the section above.
grep -v '^$' c.yaml | sed 's/nodes_per_leaf: 2, //' >bare.yaml
for model in fabric fabric:nodes_per_leaf=2 'fabric:topology=xgft,xgft=2;2/4;1/1,routing=dmodk'; do
	schedlab run t.csv -c bare.yaml -p easy:place=pack_leaves --model "$model" -o bare --force --quiet >/dev/null
	echo "$model$(sed -n 's/.*"digest"//p' bare/run.json)"
done
