# Topologies of KAI, from objects of the cluster and annotations of jobs: racks of two nodes with four GPUs each.
cat >racks.yaml <<'YAML'
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: fabric}
spec: {levels: [{nodeLabel: spine}, {nodeLabel: rack}]}
---
apiVersion: schedlab/v1
kind: Projects
projects: [{name: vision, quota: 16}]
YAML
for node in 1 2 3 4; do
	cat >>racks.yaml <<YAML
---
apiVersion: v1
kind: Node
metadata: {name: n$node, labels: {spine: s1, rack: r$(((node + 1) / 2))}}
status: {allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "4", pods: "110"}}
YAML
done
job() { # NAME SUBMIT PODS required|preferred LEVEL TOPOLOGY: each pod asks four GPUs
	cat <<YAML
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $1
  labels: {kai.scheduler/queue: vision}
  annotations:
    schedlab/submit: "$2"
    schedlab/run-time: "100"
    kai.scheduler/batch-min-member: "$3"
    kai.scheduler/topology: $6
    kai.scheduler/topology-$4-placement: $5
spec:
  parallelism: $3
  completions: $3
  template:
    spec:
      containers: [{name: c, resources: {requests: {cpu: "1", nvidia.com/gpu: "4"}}}]
YAML
}
# One node of r1; all of r2; r1 has one node left, and two are asked of one rack; the last three find no place, ever.
{
	job one 0 1 required rack fabric
	job rack 10 2 required rack fabric
	job waits 20 2 required rack fabric
	job large 30 4 required rack fabric
	job level 40 1 required row fabric
	job lost 50 1 required rack nowhere
} | sed 1d >jobs.yaml
schedlab run jobs.yaml -c racks.yaml -p runai --check --quiet -o run >/dev/null
cut -d, -f1,5,7-9,12,14,15 run/jobs.csv
cut -d, -f1-4 run/reasons.csv
# Preferred: what fits in no rack goes to several.
{
	job one 0 1 required rack fabric
	job two 10 3 preferred rack fabric
} | sed 1d >jobs.yaml
schedlab run jobs.yaml -c racks.yaml -p runai --check --quiet -o preferred >/dev/null
cut -d, -f1,5,7-9,12,14,15 preferred/jobs.csv
