# Objects of a live cluster, as kubectl get -o yaml prints them. By hand: a quota of four cpus. Two Workloads ran 100 s each; runs was admitted at
# 9:03:20, so that it ends at 9:05:00; urgent (priority 100) goes next, and waits after it, each with a second until the quota is free.
cp "$ROOT/docs/examples/forecast/kueue.yaml" dump.yaml
dump=dump.yaml
ask() { schedlab forecast "$@" -q --horizon 0.001 --futures 5; }
ask "$dump" -c "$dump" -p kueue
ask "$dump" -c "$dump" -p kueue --at 2026-01-05T09:04:20
# One that is not active does not start; one that was over before it was admitted does not wait.
sed 's/^    priority: 100/    active: false\n&/' "$dump" >inactive.yaml
ask inactive.yaml -c inactive.yaml -p kueue | cut -c 1-50
{ cat "$dump" && printf '  status:\n    conditions: [{ type: Finished, status: "True", lastTransitionTime: "2026-01-05T09:04:30Z" }]\n'; } >over.yaml
ask over.yaml -c over.yaml -p kueue | sed -n 1p
# Pods under kube, as JSON: one ran 100 s, one runs since 9:01:40, one waits.
cat >pods.json <<'END_OF_PODS'
{ "apiVersion": "v1", "kind": "List", "items": [
 { "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n1" }, "status": { "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "10" } } },
 { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "done", "namespace": "team", "creationTimestamp": "2026-01-05T09:00:00Z" },
   "spec": { "nodeName": "n1", "containers": [{ "name": "c", "resources": { "requests": { "cpu": "4" } } }] },
   "status": { "phase": "Succeeded", "startTime": "2026-01-05T09:00:00Z",
     "containerStatuses": [{ "name": "c", "state": { "terminated": { "finishedAt": "2026-01-05T09:01:40Z" } } }] } },
 { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "runs", "namespace": "team", "creationTimestamp": "2026-01-05T09:01:00Z" },
   "spec": { "nodeName": "n1", "containers": [{ "name": "c", "resources": { "requests": { "cpu": "4" } } }] },
   "status": { "phase": "Running", "startTime": "2026-01-05T09:01:40Z" } },
 { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "waits", "namespace": "team", "creationTimestamp": "2026-01-05T09:02:00Z" },
   "spec": { "containers": [{ "name": "c", "resources": { "requests": { "cpu": "4" } } }] }, "status": { "phase": "Pending" } }] }
END_OF_PODS
ask pods.json -c pods.json -p kube
# A log of Slurm under a policy that has the say from the beginning.
cat >now.txt <<'END_OF_LOG'
JobID|User|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|NNodes|ReqCPUS|AllocCPUS
1|a|x|p|2026-01-05T09:00:00|2026-01-05T09:00:00|2026-01-05T09:01:40|00:01:40|00:10:00|COMPLETED|1|4|4
4|a|x|p|2026-01-05T09:00:00|2026-01-05T09:05:00|Unknown|00:00:50|00:10:00|RUNNING|1|4|4
5|a|x|p|2026-01-05T09:00:01|Unknown|Unknown|00:00:00|00:10:00|PENDING|1|4|0
END_OF_LOG
echo 'nodes: [{ name: n, count: 1, cpus: 4 }]' >c.yaml
ask now.txt -c c.yaml -p kube
