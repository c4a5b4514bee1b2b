# What people queue, kind by kind: how many cpus and GPUs each job has is worked out beside each of the manifests. All fit at once,
# and GPUs keep RayService waiting until RayJob 'http' has ended.
sets="$DATA/manifests"
show() {
	rm -rf out
	schedlab run "$1" -c "$sets/cluster.yaml" -p "$2" --check -o out --quiet >/dev/null && cut -d, -f1,5,7,8,12-15 out/jobs.csv
}
for file in ray kubeflow trainer spark appwrapper apps volcano jobset; do
	echo "== $file"
	show "$sets/$file.yaml" kueue >kueue
	show "$sets/$file.yaml" kube >kube
	cat kueue
	# The same pods under both; Kueue's batch of notes comes a second after an end.
	cut -d, -f1,6,7,8 kueue >a
	cut -d, -f1,6,7,8 kube | cmp a -
done 2>&1
# Podsets, as Kueue counts them, and what each pod asks: of memory, too.
podsets() { schedlab convert "$1" "$2" --to table >/dev/null && cut -d, -f1,2,12-15 "$2"; }
podsets "$sets/spark.yaml" spark.csv
podsets "$sets/trainer.yaml" trainer.csv
# Of executors that come and go there are at first the most of instances, minExecutors and initialExecutors. Names may have quotes.
sed 's/initialExecutors: 2, minExecutors: 1/initialExecutors: 2, minExecutors: 5/; s/executor: {}/executor: {labels: {"a\\"b": c}}/' "$sets/spark.yaml" >most.yaml
podsets most.yaml most.csv | grep conf
sed 's/name: pytorch/name: "py\\"torch"/' "$sets/appwrapper.yaml" >quote.yaml
show quote.yaml kube | grep py
# On one rack, the two jobs of the JobSet do not fit: the second has no domain to itself.
sed 's/rack: r2/rack: r1/' "$sets/cluster.yaml" >one-rack.yaml
schedlab run "$sets/jobset.yaml" -c one-rack.yaml -p kube --check -o one --quiet >/dev/null
cut -d, -f1,7,15 one/jobs.csv
# Each time of a CronJob, by dates: from the first submission of the others on. Its jobs that are there are those that it made.
cat >cron.yaml <<'END'
apiVersion: batch/v1
kind: CronJob
metadata: {name: c, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z", annotations: {schedlab/run-time: "60"}}
spec:
  schedule: "30 6-18/6 * * mon,WED"
  timeZone: Etc/UTC
  jobTemplate: {spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: first, namespace: default, creationTimestamp: "2026-01-05T10:00:00Z", annotations: {schedlab/run-time: "60"}}
spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: last, namespace: default, creationTimestamp: "2026-01-07T12:30:00Z", annotations: {schedlab/run-time: "60"}}
spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
END
show cron.yaml kube
# Up to the last day: from Monday each second one is Monday, Wednesday and Friday, and no Sunday.
sed 's|schedule: .*|schedule: "0 0 * * 1/2"|; s/2026-01-07T12/2026-01-12T12/' cron.yaml >days.yaml
show days.yaml kube | cut -d, -f1,2
sed 's/name: last, /name: last, ownerReferences: [{kind: CronJob, name: c}], /' cron.yaml >made.yaml
show made.yaml kube
# Of a cluster's dump the farthest owner is the job: pods of the ReplicaSet that is not there are the Deployment's.
cat >dump.yaml <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: default, annotations: {schedlab/run-time: "60"}}
  spec: {replicas: 2, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-5d4f8-x, namespace: default, ownerReferences: [{kind: ReplicaSet, name: web-5d4f8}], annotations: {schedlab/run-time: "60"}}
  spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: other-5d4f8-x, namespace: default, ownerReferences: [{kind: ReplicaSet, name: other-5d4f8}], annotations: {schedlab/run-time: "60"}}
  spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: default}, spec: {template: {spec: {containers: []}}}}
- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}}
- {apiVersion: example.com/v1, kind: Sandwich, metadata: {name: s, namespace: default}}
END
show dump.yaml kube
# What is left out is told.
schedlab run dump.yaml -c "$sets/cluster.yaml" -p kube 2>&1 >/dev/null | grep -o 'not used.*'
schedlab run "$sets/apps.yaml" -c "$sets/cluster.yaml" -p kube 2>&1 >/dev/null | grep -o 'not used.*'
# And every field of jobs is told with what becomes of it.
schedlab inspect "$sets/ray.yaml" | sed -n '/keys modelled/p;/numOfHosts  /p;/workerGroupSpecs.minReplicas  /p'
schedlab inspect "$sets/kubeflow.yaml" --json | grep -c '"coverage": "modelled"'
