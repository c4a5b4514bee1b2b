# Manifests of Kubernetes as a cluster and as a trace: nodes, what is followed of the fields, jobs with their dates.
cat >cluster.yaml <<'END'
apiVersion: v1
kind: Node
metadata:
  name: a100-1.example.com
  labels: { nvidia.com/gpu.product: a100, zone: z1 }
status:
  allocatable: { cpu: 7910m, memory: 60Gi, nvidia.com/gpu: "8", pods: 110 }
---
apiVersion: v1
kind: Node
metadata: { name: cpu-1 }
spec: { unschedulable: true }
status: { allocatable: { cpu: 16, memory: 64Gi } }
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: { name: cq }
spec:
  cohort: all
  namespaceSelector: {}
  colour: blue
  resourceGroups:
  - coveredResources: [ cpu, memory ]
    flavors:
    - name: default
      resources: [ { name: cpu, nominalQuota: 9 }, { name: memory, nominalQuota: 36Gi } ]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: web }
END
cat >jobs.yaml <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: train
    namespace: team-a
    creationTimestamp: "2026-01-05T10:00:10Z"
    labels: { kueue.x-k8s.io/queue-name: user-queue }
  spec:
    parallelism: 2
    completions: 2
    activeDeadlineSeconds: 7200
    template: { spec: { containers: [ { resources: { requests: { cpu: 3, memory: 1Gi, nvidia.com/gpu: 1 } } } ] } }
  status: { startTime: "2026-01-05T10:01:00Z", completionTime: "2026-01-05T10:31:00Z" }
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: Workload
  metadata:
    name: job-train-xyz
    namespace: team-a
    creationTimestamp: "2026-01-05T10:00:10Z"
    ownerReferences: [ { kind: Job, name: train } ]
  spec: { queueName: user-queue, podSets: [ { name: main, count: 2, template: { spec: { containers: [ ] } } } ] }
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: small
    namespace: team-b
    creationTimestamp: "2026-01-05T10:00:00Z"
    annotations: { schedlab/run-time: 5m, schedlab/priority: "7" }
  spec: { template: { spec: { containers: [ { resources: { requests: { cpu: 250m } } } ] } } }
- apiVersion: batch/v1
  kind: Job
  metadata: { name: endless, namespace: team-b, creationTimestamp: "2026-01-05T10:00:20Z" }
  spec: { template: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } } }
END
schedlab inspect cluster.yaml
schedlab run jobs.yaml -c cluster.yaml -o out --only jobs && cut -d, -f1-8,11-15 out/jobs.csv
schedlab convert jobs.yaml - --to table | sed -n '/^job_id/,$p' | cut -d, -f1-3,7-10,12-16,36-
# A folder is read whole, and has its hash in the run.
mkdir site && sed '/^kind: Node/s/Node/Note/' cluster.yaml >site/queues.yaml
schedlab inspect site | sed -n '1,/quota/p'
# A cluster of quotas alone.
schedlab run jobs.yaml -c site --set replay.run_unknown=1h -o out2 --only jobs && cut -d, -f1,7,8,13 out2/jobs.csv
# Jobs behind so many nodes that the first bytes have none: run finds them, and inspect with a cluster; without one it shows the nodes.
awk 'BEGIN {
	for (i = 0; i < 3000; i++)
		printf "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}\n---\n", i
	print "apiVersion: batch/v1\nkind: Job\nmetadata: {name: last, annotations: {schedlab/submit: \"0\", schedlab/run-time: \"30\"}}"
	print "spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}"
}' >behind.yaml
schedlab run behind.yaml -c behind.yaml -p kube -o behind --quiet >/dev/null
cut -d, -f1,7,8 behind/jobs.csv
schedlab inspect behind.yaml 2>/dev/null | grep nodes
schedlab inspect behind.yaml -c behind.yaml 2>/dev/null | grep jobs
head -n 12000 behind.yaml | sed '$d' >alone.yaml
schedlab run alone.yaml -c behind.yaml -p kube --quiet 2>&1 || true
