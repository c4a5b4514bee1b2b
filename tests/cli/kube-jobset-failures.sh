# How often a JobSet may lose its node, worked by hand: n1 fails at 10, 30, 50 and 70 for 5 s each; a job of 100 s begins anew each time.
cat >nodes.yaml <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "20"}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: ml}, spec: {clusterQueue: q}}
YAML
cat >set.yaml <<'YAML'
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s, namespace: ml, annotations: {schedlab/submit: "0", schedlab/run-time: "100"}, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  failurePolicy: POLICY
  replicatedJobs:
  - name: w
    template: {spec: {BACKOFF, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}
YAML
try() { # failurePolicy, members of the job's spec, policy
	sed "s/failurePolicy: POLICY/$1/; s/BACKOFF/$2/" set.yaml >trace.yaml
	schedlab run trace.yaml -c nodes.yaml -p "${3:-kube}" --check --quiet --force -o out \
		--model 'failures:outages=n1 10 15; n1 30 35; n1 50 55; n1 70 75' >/dev/null 2>&1
	sed 1d out/jobs.csv | cut -d, -f7,8,15,19
}
none='suspend: false'
# Without a policy it has failed once its Job has, by default with the seventh loss: here there are four, and it ends at 175.
try "$none" "$none"
try "$none" 'backoffLimit: 0'
try "$none" 'backoffLimit: 2'
# Two restarts: the third loss ends it. Of a backoffLimit of 1 each takes two: (1 + 1) * (1 + 1) - 1 = 3 losses are borne.
try 'failurePolicy: {maxRestarts: 2}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 1}' 'backoffLimit: 1'
try 'failurePolicy: {maxRestarts: 2}' 'backoffLimit: 0' kueue
# The first rule for it: of another job, or another reason, none.
try 'failurePolicy: {maxRestarts: 9, rules: [{action: FailJobSet, targetReplicatedJobs: [w]}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 1, rules: [{action: FailJobSet, targetReplicatedJobs: [v]}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 1, rules: [{action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 0, rules: [{action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [BackoffLimitExceeded]}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 1, rules: [{action: RecreateJob}, {action: FailJobSet}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 0, rules: [{action: RestartJobAndIgnoreMaxRestarts}]}' 'backoffLimit: 0'
try 'failurePolicy: {maxRestarts: 1, rules: [{action: RestartJob}]}' 'backoffLimit: 0'
# What the Job's own policy says of a pod whose node was lost: never, or at once.
try "$none" 'backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}'
try 'failurePolicy: {maxRestarts: 1, rules: [{action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}]}' 'podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}'
