# PodGroups of scheduling.k8s.io in a trace, under policy kube: not followed by default, and said so; gangs by gates; what is missing.
for zone in a b b; do
	i=$((${i:-0} + 1))
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {zone: %s}}\n' $i $zone
	printf 'status: {allocatable: {cpu: "2", memory: 8Gi, pods: "9"}}\n'
done >nodes.yaml
group() { # API NAME SPEC
	printf -- '---\napiVersion: %s\nkind: PodGroup\nmetadata: {name: %s}\nspec: {%s}\n' "$1" "$2" "$3"
}
job() { # NAME PODS SUBMIT LABELS SPEC
	printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, annotations: {schedlab/submit: "%s", schedlab/run-time: 1m}}\n' "$1" "$3"
	printf 'spec:\n  parallelism: %s\n  completions: %s\n  template:\n    metadata: {labels: {%s}}\n' "$2" "$2" "$4"
	printf '    spec: {%s containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]}\n' "$5"
}
starts() { # FILE PARAMETERS
	echo "--- $2"
	schedlab run "$1" -c nodes.yaml -p "kube$2" --quiet --force -o run >/dev/null
	cut -d, -f1,7 run/jobs.csv
}
gates=:gates=GenericWorkload=true+GangScheduling=true
# Two jobs are one gang of four, and three cpus of six are taken: without the gates the first of them starts alone.
{
	group scheduling.k8s.io/v1alpha2 g 'schedulingPolicy: {gang: {minCount: 4}}'
	job wide 3 0 '' ''
	job one 2 1 '' 'schedulingGroup: {podGroupName: g},'
	job two 2 1 '' 'schedulingGroup: {podGroupName: g},'
} >gang.yaml
starts gang.yaml ''
starts gang.yaml "$gates"
# In one zone: none has room for five, and without the third gate nobody minds zones.
{
	group scheduling.k8s.io/v1alpha2 g 'schedulingPolicy: {gang: {minCount: 5}}, schedulingConstraints: {topology: [{key: zone}]}'
	job one 5 0 '' 'schedulingGroup: {podGroupName: g},'
	job small 1 0 '' ''
} >zone.yaml
starts zone.yaml "$gates"
starts zone.yaml "$gates+TopologyAwareWorkloadScheduling=true"
# A PodGroup of the coscheduling plugin is followed without a gate; one of its first API is told, as is one that is missing.
{
	group scheduling.x-k8s.io/v1alpha1 g 'minMember: 4'
	job wide 3 0 '' ''
	job one 2 1 'scheduling.x-k8s.io/pod-group: g' ''
	job two 2 1 'scheduling.x-k8s.io/pod-group: g' ''
	job old 1 1 'pod-group.scheduling.sigs.k8s.io: g' ''
} >sigs.yaml
starts sigs.yaml ''
job lost 1 0 '' 'schedulingGroup: {podGroupName: h},' >missing.yaml
starts missing.yaml "$gates"
schedlab run gang.yaml -c nodes.yaml -p kube:gates=GangScheduling=true --quiet --force -o run
echo $?
# In the cluster's file, or where one file is both, it is no mistake.
cat nodes.yaml gang.yaml >both.yaml
schedlab run both.yaml -c both.yaml -p "kube$gates" --strict --quiet --force -o run >/dev/null
cut -d, -f1,7 run/jobs.csv
# One policy is said, and a gang's with its size; in the trace, as in the cluster's file.
for policy in 'gang: {minCount: 0}' 'gang: {minCount: 2}, basic: {}' ''; do
	{
		group scheduling.k8s.io/v1alpha2 g "schedulingPolicy: {$policy}"
		job one 2 1 '' 'schedulingGroup: {podGroupName: g},'
	} >wrong.yaml
	schedlab run wrong.yaml -c nodes.yaml -p "kube$gates" --quiet
	job one 2 1 '' 'schedulingGroup: {podGroupName: g},' >job.yaml
	{ cat nodes.yaml && group scheduling.k8s.io/v1alpha2 g "schedulingPolicy: {$policy}"; } >cluster.yaml
	schedlab run job.yaml -c cluster.yaml -p "kube$gates" --quiet
done
# Permits of a gang that has room for six of its seven pods end every five minutes: not for ever. One that goes in the
# meantime, and one that comes later, are no worse off.
{
	group scheduling.x-k8s.io/v1alpha1 g 'minMember: 7'
	job one 4 0 'scheduling.x-k8s.io/pod-group: g' ''
	job two 3 0 'scheduling.x-k8s.io/pod-group: g' ''
	job alone 1 10 '' ''
	job late 6 900000 '' ''
} >never.yaml
starts never.yaml :permit=on
grep -o '"kube.attempts": [0-9]*' run/metrics.json
