# JobSets whose replicated jobs come one after another, worked by hand on two nodes of 4 cpus.
for i in 1 2; do
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {kubernetes.io/hostname: n%d}}\nstatus: {allocatable: {cpu: "4", memory: 16Gi, pods: "20"}}\n' $i $i
done >nodes.yaml
set_of() { # its members before and in spec
	cat <<YAML
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml, $1}
spec:
  $2
YAML
}
replicated() { # name, replicas, cpu, run time, more
	cat <<YAML
  - name: $1
    replicas: $2
    ${5-}
    template: {metadata: {annotations: {schedlab/run-time: "$4"}}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: $3}}}]}}}}
YAML
}
job() {
	printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: ml, annotations: {schedlab/submit: "%s", schedlab/run-time: "%s"}}\nspec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: %s}}}]}}}\n' "$@"
}
show() {
	schedlab run trace.yaml -c "${1:-nodes.yaml}" -p "${2:-kube}" --check --quiet --force -o out >/dev/null || return
	cut -d, -f1,5-8,13 out/jobs.csv
}
# Complete: leader comes at 30, when both pods of init are over. Ready: worker comes at 30, when leader has its node, and has a
# node for its second pod when other is over, at 45 (3 + 2 + 2 of 8 cpus, 1 and 2 free).
at='annotations: {schedlab/submit: "0"}'
{
	set_of "$at" 'replicatedJobs:'
	replicated init 2 3 30
	replicated leader 1 3 100 'dependsOn: [{name: init, status: Complete}]'
	replicated worker 2 2 100 'dependsOn: [{name: leader, status: Ready}]'
	job other 10 15 2
} >trace.yaml
show
# Each of its jobs alone on a node: the two workers have one each once leader is over, at 130.
cp trace.yaml ordered.yaml
sed 's/annotations: {schedlab.submit: "0"/annotations: {alpha.jobset.sigs.k8s.io\/exclusive-topology: kubernetes.io\/hostname, schedlab\/submit: "0"/; s/cpu: 3/cpu: 1/' ordered.yaml >trace.yaml
show
cp ordered.yaml trace.yaml
# One without pods is complete at once. With a queue of Kueue it is one job of all pods, as long as the chain: 30 + 100.
sed 's/replicas: 2/replicas: 0/' trace.yaml >none.yaml
cp trace.yaml ordered.yaml
mv none.yaml trace.yaml
show
cat >kueue.yaml <<'YAML'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 20}]}]}]}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: ml}, spec: {clusterQueue: q}}
YAML
sed 's/namespace: ml, annotations: {schedlab.submit: "0"}/namespace: ml, labels: {kueue.x-k8s.io\/queue-name: q}, annotations: {schedlab\/submit: "0"}/' ordered.yaml >trace.yaml
show kueue.yaml kueue
# In order: each once the one before it has its nodes. b has them at 5, as other ends; then c, which has no annotation of its
# own, for as long as the JobSet says.
{
	set_of 'annotations: {schedlab/submit: "1", schedlab/run-time: "7"}' 'startupPolicy: {startupPolicyOrder: InOrder}
  replicatedJobs:'
	replicated a 1 4 10
	replicated b 1 4 20
	replicated c 1 1 0
	job other 0 5 2
} | sed 's/metadata: {annotations: {schedlab.run-time: "0"}}, //' >trace.yaml
show
# Between them one without pods: c comes after a, whose second pod has its node at 5, and not at once.
cp trace.yaml order.yaml
sed '/name: a$/,/replicas/s/replicas: 1/replicas: 2/; /name: b$/,/replicas/s/replicas: 1/replicas: 0/' order.yaml >trace.yaml
show
cp order.yaml trace.yaml
# At any time: one job, all at once, for which there is room at 5.
sed -i 's/InOrder/AnyOrder/; s/cpu: 4/cpu: 3/' trace.yaml
show
# What is wrong.
bad() { # sed
	sed "$1" ordered.yaml >trace.yaml
	show 2>&1 || true
}
bad 's/name: init, status: Complete/name: worker, status: Complete/'
bad 's/status: Complete/status: Done/'
bad 's/^  replicatedJobs/  startupPolicy: {startupPolicyOrder: InOrder}\n  replicatedJobs/'
bad 's/- name: worker/- name: leader/'
bad 's/cpu: 2/cpu: lots/'
bad 's/schedlab.run-time: "30"/schedlab\/run-time: soon/'
schedlab inspect ordered.yaml -c nodes.yaml 2>/dev/null | grep -E 'dependsOn|run-time'
