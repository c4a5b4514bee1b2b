# Each reason that KAI gives, by hand: a job for each, on two nodes of 4 GPUs.
cat >c.yaml <<'YAML'
nodes:
  - {name: n, count: 2, cpus: 64, memory: 256G, gpus: {a100: 4}}
YAML
cat >p.yaml <<'YAML'
departments:
  - {name: d, quota: 8, limit: 6}
projects:
  - {name: a, department: d, quota: 4, limit: 4, over-quota: false}
  - {name: b, department: d, quota: 4, types: [train, build]}
  - {name: c, quota: 0}
YAML
# limit: a has 4 and may have no more. quota: a's 4 are all in use by jobs that are not preemptible. limit of d: 6 of 6.
# nobody: there is no such project. type: b takes no inference. nowhere: 5 GPUs on one node. delayed: may not evict before 60 s.
cat >t.csv <<'CSV'
job_id,submit,run_time,time_limit,queue,qos,tasks,gpus_per_task,begin
a1,0,100,200,a,train,1,4,
limit,1,10,200,a,train,1,1,
b1,2,100,200,b,build,1,2,
department,3,10,200,b,train,1,1,
nobody,4,10,200,nobody,train,1,1,
type,5,10,200,b,inference,1,1,
nowhere,6,10,200,c,train,1,5,
later,7,10,200,c,train,1,1,10
quota,8,10,200,c,build,1,1,
CSV
schedlab run t.csv -c c.yaml -p runai:projects=p.yaml --check -o out --force --quiet >/dev/null 2>&1
cut -d, -f1-4 out/reasons.csv
for job in limit department nobody type nowhere quota; do
	schedlab explain out $job --no-what-if --json | grep -o '"kai_message": "[^"]*"' | sort -u
done
# Pods that take 5 s to stop; a topology of two racks of one node; who may not evict others for a minute.
node() {
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {rack: r%s}}\n' "$1" "$1"
	printf 'status: {allocatable: {cpu: 64, memory: 256Gi, nvidia.com/gpu: 4, pods: 110}}\n'
}
queue() { # NAME QUOTA
	printf -- '---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: %s}\nspec:\n  parentQueue: top\n' "$1"
	printf '  resources: {gpu: {quota: %s, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}\n' "$2"
}
job() { # NAME QUEUE PODS GPUS SUBMIT RUN ANNOTATIONS
	printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s\n  labels: {kai.scheduler/queue: %s}\n' "$1" "$2"
	printf '  annotations: {kai.scheduler/batch-min-member: "%s", schedlab/submit: "%s", schedlab/run-time: %ss%s}\n' "$3" "$5" "$6" "$7"
	printf 'spec:\n  parallelism: %s\n  completions: %s\n  template:\n    spec:\n      schedulerName: kai-scheduler\n' "$3" "$3"
	printf '      containers: [{name: main, resources: {requests: {cpu: 1}, limits: {nvidia.com/gpu: %s}}}]\n' "$4"
}
{
	node 1
	node 2
	printf -- '---\napiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: net}\nspec: {levels: [{nodeLabel: rack}]}\n'
	queue top -1 | sed '/parentQueue/d'
	queue a 0
	queue b 4
	queue lost 4 | sed 's/: top/: nowhere/'
	job full a 2 4 0 100 ''
	job owner b 1 4 10 20 ''
	job delayed b 1 4 200 20 ', kai.scheduler/preemption-delay: 30s'
	job again a 2 4 190 100 ''
	job rack a 2 3 400 10 ', kai.scheduler/topology: net, kai.scheduler/topology-required-placement: rack'
	job orphan lost 1 1 410 10 ''
	job last b 1 1 420 10 ''
} >all.yaml
schedlab run all.yaml -c all.yaml -p runai:grace=5 --check -o out --force --quiet >/dev/null 2>&1
cut -d, -f1-4 out/reasons.csv
for job in owner delayed rack orphan; do
	schedlab explain out $job --no-what-if --json | grep -o '"kai_message": "[^"]*"' | sort -u
done
sed 's/"[^"]*"/.../' out/evictions.csv
# Sessions 10 s apart: until the next nobody is looked at.
printf 'job_id,submit,run_time,gpus,queue\n1,0,100,1,b\n2,3,100,1,b\n' >t.csv
schedlab run t.csv -c c.yaml -p runai:projects=p.yaml,cycle=10 --check -o out --force --quiet >/dev/null 2>&1
cut -d, -f1-4 out/reasons.csv
