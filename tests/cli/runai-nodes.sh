# What Kubernetes says of nodes, under runai: taints, nodeName, how many pods, GPUs divided by MIG.
node() { # NAME GPUS MORE-ALLOCATABLE TAINTS
	cat <<YAML
---
apiVersion: v1
kind: Node
metadata: {name: $1, labels: {nvidia.com/gpu.product: a100}}
spec: {taints: [${4-}]}
status: {allocatable: {cpu: "16", memory: 64Gi, pods: "2", nvidia.com/gpu: "$2"${3-}}}
YAML
}
queues() {
	cat <<'YAML'
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: root}
spec: {resources: {gpu: {quota: -1, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: a}
spec: {parentQueue: root, resources: {gpu: {quota: 16, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}
YAML
}
pod() { # NAME GPU-RESOURCE COUNT MORE-SPEC
	cat <<YAML
---
apiVersion: v1
kind: Pod
metadata: {name: $1, namespace: n, labels: {kai.scheduler/queue: a}, annotations: {schedlab/run-time: 60s}, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}, limits: {$2: "${3-}"}}}]${4-}}
YAML
}
go() {
	schedlab run t.yaml -c c.yaml -p runai --check --quiet -o "$1" >/dev/null || return
	cut -d, -f1,7-9,14 "$1/jobs.csv"
}
# n is tainted: only who tolerates that goes there; o takes two pods, the third waits for a slot though GPUs are free.
(
	queues
	node n 1 "" "{key: gpu, value: big, effect: NoSchedule}"
	node o 8
) >c.yaml
(
	pod one nvidia.com/gpu 1
	pod two nvidia.com/gpu 1
	pod three nvidia.com/gpu 1
	pod tolerant nvidia.com/gpu 1 ", nodeName: n, tolerations: [{key: gpu, operator: Exists}]"
) >t.yaml
go taints
# A node of two 3g.20gb and one 1g.5gb: each pod takes a slice; the third 3g waits. The whole GPU beside it is for whole GPUs.
(
	queues
	node m 0 ", nvidia.com/mig-3g.20gb: '2', nvidia.com/mig-1g.5gb: '1'" | sed 's/pods: "2"/pods: "9"/'
	node o 1
) >c.yaml
(
	pod one nvidia.com/mig-3g.20gb 1
	pod two nvidia.com/mig-3g.20gb 1
	pod three nvidia.com/mig-3g.20gb 1
	pod small nvidia.com/mig-1g.5gb 1
	pod whole nvidia.com/gpu 1
) >t.yaml
go mig
# With a cluster of our own a Node object says how its GPUs are divided (3g.20gb is half of the memory); without, it cannot be.
printf 'nodes: [{name: n, cpus: 16, memory: 64GiB, gpus: {a100: {count: 1, mig: a100-40gb}}}]\n' >c.yaml
printf 'submit,run_time,mig\n0,60,3g.20gb\n0,60,3g.20gb\n0,60,3g.20gb\n' >t.csv
node n 0 ", nvidia.com/mig-3g.20gb: '2'" | sed 's/pods: "2"/pods: "9"/' >o.yaml
schedlab run t.csv -c c.yaml -p runai --set cluster.objects=o.yaml --check --quiet -o own >/dev/null && cut -d, -f1,7-9,14 own/jobs.csv
schedlab run t.csv -c c.yaml -p runai --quiet >/dev/null || echo "exit $?"
