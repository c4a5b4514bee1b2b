# Policy kueue from manifests as people have them. What is larger than every quota is a job, and waits for ever
# as ExceedsMaxQuota: of a manifest (too-large), of a table (job 2), and one that asks a GPU that there is not.
cat >queue.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: default-flavor }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: cluster-queue }
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [ "cpu", "memory" ]
    flavors:
    - name: default-flavor
      resources: [ { name: cpu, nominalQuota: 9 }, { name: memory, nominalQuota: 36Gi } ]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { namespace: default, name: user-queue }
spec: { clusterQueue: cluster-queue }
END
job() {
	cat <<END
---
apiVersion: batch/v1
kind: Job
metadata:
  $1
  annotations: { schedlab/run-time: 10m }
  labels: { kueue.x-k8s.io/queue-name: user-queue }
spec:
  parallelism: $2
  completions: $2
  suspend: true
  template: { spec: { containers: [ { resources: { requests: { $3 } } } ] } }
END
}
run() {
	schedlab run "$1" -c "$2" -p kueue --check --quiet -o "$3" >/dev/null
	cut -d, -f1,7,8,13 "$3/jobs.csv"
	grep -v PendingEvaluation "$3/reasons.csv"
}
{
	job 'name: sample' 3 'cpu: 1, memory: 200Mi'
	job 'name: too-large' 30 'cpu: 1'
	job 'name: huge' 10000000 'cpu: 9E'
	job 'name: gpu' 1 'cpu: 1, nvidia.com/gpu: 1'
} >jobs.yaml
run jobs.yaml queue.yaml keep
printf 'submit,run_time,cpus\n0,10,4\n1,10,40\n2,10,3\n' >jobs.csv
run jobs.csv queue.yaml table
# Names that the API server would make are numbered; a List in a List, and a folder with files of others.
{
	job 'generateName: sample-' 1 'cpu: 1'
	job 'generateName: sample-' 1 'cpu: 2'
} >named.yaml
mkdir site
cp queue.yaml site
echo 'replicas: 3' >site/a-values.yaml
run named.yaml site named
schedlab inspect site | grep values
job 'namespace: default' 1 'cpu: 1' >nameless.yaml
schedlab run nameless.yaml -c queue.yaml -p kueue
job 'creationTimestamp: 2026-01-05T10:00:00+01:00' 1 'cpu: 1' >when.yaml
schedlab run when.yaml -c queue.yaml -p kueue
cat >lists.yaml <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: Pod
    metadata: { name: a, annotations: { schedlab/run-time: 5 }, labels: { kueue.x-k8s.io/queue-name: user-queue } }
    spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] }
END
run lists.yaml queue.yaml lists
# Pods of a group are one job, of a podset for each shape, as soon as the last is there; one is too many.
pod() {
	cat <<END
---
apiVersion: v1
kind: Pod
metadata:
  name: $1
  annotations: { schedlab/run-time: "$2", schedlab/submit: "$3", kueue.x-k8s.io/pod-group-total-count: "$4" }
  labels: { kueue.x-k8s.io/queue-name: user-queue, kueue.x-k8s.io/pod-group-name: group, app: $1 }
spec: { containers: [ { name: $1, resources: { requests: { cpu: $5 } } } ] }
END
}
{
	pod driver 100 0 3 2
	job 'name: sample' 5 'cpu: 1' | sed 's/10m/10m, schedlab\/submit: "4"/'
	pod worker-1 90 5 3 1
	pod worker-2 110 7 3 1
	pod worker-3 500 8 3 1
} >group.yaml
run group.yaml queue.yaml group
schedlab convert group.yaml - --to table | sed -n '/^job_id/,$p' | grep -o '"{.*'
pod driver 100 0 3 2 >few.yaml
schedlab run few.yaml -c queue.yaml -p kueue
# A Workload that was deactivated waits; the next does not wait for it.
workload() {
	cat <<END
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: { name: $1, annotations: { schedlab/run-time: "60" } }
spec:
  queueName: user-queue
  active: $2
  podSets: [ { name: main, count: 5, template: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } } } ]
END
}
{
	workload off false
	workload on true
} >active.yaml
run active.yaml queue.yaml active
# A node of absurd size is no node.
printf 'apiVersion: v1\nkind: Node\nmetadata: { name: n }\nstatus: { allocatable: { cpu: 9E } }\n' >node.yaml
schedlab inspect node.yaml
# What pods ask is transformed before quotas see it: a MIG slice is 5 GiB of accelerator memory, of which there are 20,
# and stays itself for nodes; what begins with an excluded prefix takes no quota. Four jobs fit, one waits.
cat >transform.yaml <<'END'
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
resources:
  excludeResourcePrefixes: [ "networking.example.com/" ]
  transformations:
  - input: nvidia.com/mig-1g.5gb
    strategy: Replace
    outputs: { example.com/accelerator-memory: 5Gi }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: default-flavor }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: cluster-queue }
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [ "cpu", "example.com/accelerator-memory" ]
    flavors:
    - name: default-flavor
      resources: [ { name: cpu, nominalQuota: 9 }, { name: example.com/accelerator-memory, nominalQuota: 20Gi } ]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { namespace: default, name: user-queue }
spec: { clusterQueue: cluster-queue }
END
for i in 1 2 3 4 5; do
	job "name: mig-$i" 1 'cpu: 1, nvidia.com/mig-1g.5gb: 1, networking.example.com/vpc: 1'
done >mig.yaml
run mig.yaml transform.yaml mig
# A live cluster as the beginning: two Workloads are admitted there, in the flavors that their status says, and run for
# what is left of their time; others wait in their order. old-1 has all 4 cpus of spot until 40, old-2 three of 4 of
# on-demand until 100: wait-3, of one cpu, starts beside it at once. A second after 40 wait-1 takes spot, for 50 s, and a
# second after that wait-2.
cat >live-queue.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: on-demand }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: cluster-queue }
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [ "cpu" ]
    flavors:
    - { name: on-demand, resources: [ { name: cpu, nominalQuota: 4 } ] }
    - { name: spot, resources: [ { name: cpu, nominalQuota: 4 } ] }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { namespace: default, name: user-queue }
spec: { clusterQueue: cluster-queue }
END
item() {
	cat <<END
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: { name: $1, annotations: { schedlab/run-time: "$2", schedlab/submit: "$3"${5:-} } }
spec:
  queueName: user-queue
  podSets: [ { name: main, count: $4, template: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } } } ]
END
}
running() {
	item "$1" "$2" 0 "$3" ', schedlab/admitted: "true"'
	cat <<END
status:
  admission:
    clusterQueue: $5
    podSetAssignments: [ { name: main, count: $3, flavors: { cpu: $4 }, resourceUsage: { cpu: "$3" } } ]
  conditions: [ { type: QuotaReserved, status: "True" }, { type: Admitted, status: "True" } ]
END
}
{
	running old-1 40 4 spot cluster-queue
	running old-2 100 3 on-demand cluster-queue
	item wait-1 50 1 4
	item wait-2 50 2 4
	item wait-3 10 3 1
} >live.yaml
run live.yaml live-queue.yaml live
running old-1 40 4 spot another >bad.yaml
schedlab run bad.yaml -c live-queue.yaml -p kueue --quiet
