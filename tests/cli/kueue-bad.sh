# Mistakes in objects and parameters: one line each, with what to do.
cp "$ROOT/docs/examples/kueue/two-teams."* .
lab=two-teams
try() { schedlab run "$lab.csv" -c "$1" -p "$2" --quiet >/dev/null || echo "exit $?"; }
sed '/^kind: ClusterQueue/,/^---/d' "$lab.yaml" >none.yaml
printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 8Gi}}\n' >node.yaml
try node.yaml kueue
sed 's/withinClusterQueue: LowerPriority/withinClusterQueue: Lower/' "$lab.yaml" >word.yaml
try word.yaml kueue
sed 's/cohortName: lab/queueingStrategy: StrictFIFO/' "$lab.yaml" >cohort.yaml
try cohort.yaml kueue
try "$lab.yaml" kueue:queue=lab/c
try "$lab.yaml" 'kueue:map="group:x=lab/a"'
printf 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {enable: true, timeout: 5s}\n---\n' |
	cat - "$lab.yaml" >ready.yaml
try ready.yaml kueue:start=9
