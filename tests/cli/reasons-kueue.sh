# Each reason that Kueue gives, by hand: a job for each, on a node of 8 cpus.
queue() { # NAME CPUS FLAVOR MORE
	printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: %s}\nspec:\n  namespaceSelector: {}\n' "$1"
	[ -z "$4" ] || printf '  %s\n' "$4"
	printf '  resourceGroups:\n  - {coveredResources: [cpu], flavors: [{name: %s, resources: [{name: cpu, nominalQuota: %s}]}]}\n' "$3" "$2"
	printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: %s, namespace: n}\nspec: {clusterQueue: %s}\n' "$1" "$1"
}
object() { printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: %s\nmetadata: {name: %s}\nspec: %s\n' "$1" "$2" "$3"; }
{
	printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/hostname: n1}}\n'
	printf 'status: {allocatable: {cpu: 8, memory: 8Gi, pods: 99}}\n'
	# Not one of Kueue's: no place for 8 cpus in the topology.
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\n'
	printf 'spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n'
	object ResourceFlavor f '{}'
	object ResourceFlavor tainted '{nodeTaints: [{key: k, effect: NoSchedule}]}'
	object Topology t '{levels: [{nodeLabel: kubernetes.io/hostname}]}'
	object ResourceFlavor tas '{nodeLabels: {kubernetes.io/hostname: n1}, topologyName: t}'
	object AdmissionCheck nodes '{controllerName: kueue.x-k8s.io/provisioning-request}'
	queue main 4 f 'preemption: {withinClusterQueue: LowerPriority}'
	queue held 4 f 'stopPolicy: Hold'
	queue tainted 4 tainted ''
	queue checked 1 f 'admissionChecks: [nodes]'
	queue big 100 f ''
	queue tas 100 tas ''
} >cluster.yaml
cat >jobs.csv <<END
job_id,submit,run_time,time_limit,nodes,cpus_per_node,namespace,queue,priority,begin
quota,0,100,200,1,4,n,main,0,
behind,10,10,200,1,2,n,main,0,
exceeds,10,10,200,1,7,n,main,0,
nowhere,10,10,200,1,1,n,none,0,
held,10,10,200,1,1,n,held,0,
tainted,10,10,200,1,1,n,tainted,0,
checked,10,10,200,1,1,n,checked,0,
urgent,50,10,200,1,4,n,main,10,
first,400,50,200,1,8,n,big,0,
second,410,10,200,1,8,n,big,0,
tas,500,10,200,1,8,n,tas,0,
later,500,10,200,1,1,n,main,0,520
END
run() { schedlab run jobs.csv -c "$1" -p "$2" --check -o out --force --quiet >/dev/null 2>&1 && cut -d, -f1-4 out/reasons.csv; }
run cluster.yaml kueue:pods=quota,grace=5,provision=20
# Pods that are ready a minute late, of 30 s: back twice, after 10 and 20 s, then no more; and nobody else starts meanwhile.
{
	printf 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n'
	printf 'waitForPodsReady: {timeout: 30s, blockAdmission: Enabled, requeuingStrategy: {backoffBaseSeconds: 10, backoffLimitCount: 2}}\n'
	printf -- '---\n'
	cat cluster.yaml
} >ready.yaml
printf 'job_id,submit,run_time,time_limit,nodes,cpus_per_node,namespace,queue\nslow,0,100,200,1,2,n,main\nblocked,1,100,200,1,1,n,big\n' >jobs.csv
run ready.yaml kueue:pods=quota,start=60
