# LeaderWorkerSets by hand: nodes n1, n2 in rack r1, n3, n4 in r2, of 4 cpus each; pods of 1 cpu.
for i in 1 2 3 4; do
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {rack: r%d}}\n' $i $(((i + 1) / 2))
	printf 'status: {allocatable: {cpu: "4", memory: 16Gi, pods: "20"}}\n'
done >c.yaml
cat >q.yaml <<'END'
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu],
  flavors: [{name: f, resources: [{name: cpu, nominalQuota: 6}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: a}
spec: {clusterQueue: q}
END
cat c.yaml >>q.yaml
lws() { # size, replicas, annotations, more of its spec, of its template
	cat <<END
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: l, namespace: a, labels: {kueue.x-k8s.io/queue-name: q}, annotations: {schedlab/run-time: "100", ${3-}}}
spec:
  replicas: $2
  ${4-}
  leaderWorkerTemplate:
    size: $1
    ${5-}
    leaderTemplate: {spec: {containers: [{name: l, resources: {requests: {cpu: 1}}}]}}
    workerTemplate: {spec: {containers: [{name: w, resources: {requests: {cpu: 1}}}]}}
END
}
show() {
	rm -rf out
	schedlab run l.yaml --check -o out --quiet "$@" >/dev/null && cut -d, -f1,7,8,12,15 out/jobs.csv
}
# Three groups of 3: all at once, or a rack each: the third waits for one.
lws 3 3 >l.yaml
show -c c.yaml -p kube
lws 3 3 'leaderworkerset.sigs.k8s.io/exclusive-topology: rack' >l.yaml
show -c c.yaml -p kube
# Each is a workload of its own, whole or not: 6 cpus are enough for two of 3, and for one of 4.
lws 3 3 >l.yaml
show -c q.yaml -p kueue
lws 4 3 >l.yaml
show -c q.yaml -p kueue
# n1 fails at 30: the group begins anew.
printf 'node,from,until\nn1,30,60\n' >fails.csv
for restart in RecreateGroupOnPodRestart None; do
	lws 6 1 '' '' "restartPolicy: $restart" >l.yaml
	show -c c.yaml -p kube --model failures:log=fails.csv && cat out/attempts.csv
	show -c q.yaml -p kueue --model failures:log=fails.csv && cat out/attempts.csv
done
# Two sub-groups of 2, in a rack each; and sizes that do not go together.
lws 4 1 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack' '' 'subGroupPolicy: {subGroupSize: 2}' >l.yaml
show -c c.yaml -p kube
lws 4 1 '' '' 'subGroupPolicy: {subGroupSize: 5}' >l.yaml
show -c c.yaml -p kube || echo "exit $?"
# Rolling updates at 20: four groups of 4, highest first, two at a time, each ready after 10 s, down to number 1; a percentage; by
# default one at a time. What a group did is lost.
lws 4 4 '' 'rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 2, partition: 1}}' >l.yaml
printf '20 kubectl rollout restart leaderworkerset a/l ready=10s\n' >commands
show -c c.yaml -p kube --set replay.commands=commands && cat out/attempts.csv
lws 4 4 '' 'rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 50%, partition: 1}}' >l.yaml
show -c c.yaml -p kube --set replay.commands=commands
lws 4 4 >l.yaml
show -c c.yaml -p kube --set replay.commands=commands
for wrong in 'rollout restart leaderworkerset a/none' 'get pods'; do
	printf '20 kubectl %s\n' "$wrong" >commands
	show -c c.yaml -p kube --set replay.commands=commands || echo "exit $?"
done
