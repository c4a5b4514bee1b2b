# The deadlock of https://github.com/kubernetes-sigs/lws/issues/167: a LeaderWorkerSet of four groups, of a leader and a worker each, on four
# nodes with one GPU each. Leaders are tried first (here by their priority): without gangs they take all four GPUs, and no group has its
# worker, for ever. As gangs two groups run at a time.
for i in 1 2 3 4; do
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: {allocatable: {cpu: "4", nvidia.com/gpu: "1", pods: "20"}}\n' $i
done >c.yaml
printf -- '---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: leaders}\nvalue: 10\npreemptionPolicy: Never\n' >>c.yaml
cat >l.yaml <<'END'
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: vllm, namespace: default, annotations: {schedlab/run-time: "100"}}
spec:
  replicas: 4
  leaderWorkerTemplate:
    size: 2
    leaderTemplate: {spec: {priorityClassName: leaders, containers: [{name: l, resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}}]}}
    workerTemplate: {spec: {containers: [{name: w, resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}}]}}
END
for gang in off auto; do
	schedlab run l.yaml -c c.yaml -p kube:gang=$gang --check -o $gang --quiet >/dev/null
	cut -d, -f1,7,15 $gang/jobs.csv
done
