# Feature gates that decide who is admitted, on and off: jobs that somebody else holds back (AdmissionGatedBy), the WorkloadPriorityClass
# "default" (WorkloadPriorityClassDefaulting), claims on devices (KueueDRAIntegration). One cpu, so that the one of more priority is first.
cat >world.yaml <<'YAML'
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: lab}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 1}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: lab}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: default}
value: 5
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: 1
YAML
job() { # NAME LABELS ANNOTATIONS POD
	cat <<YAML
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $1
  labels: {kueue.x-k8s.io/queue-name: q${2:-}}
  annotations: {schedlab/submit: "0", schedlab/run-time: "60"${3:-}}
spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]${4:-}}}}
YAML
}
{
	job low ', kueue.x-k8s.io/priority-class: low'
	job usual
	job gated '' ', kueue.x-k8s.io/admission-gated-by: example.com/data'
	job claims '' '' ', resourceClaims: [{name: g, resourceClaimName: mine}]'
} >>world.yaml
show() { # GATES
	sed "s|^featureGates: {}$|featureGates: {$1}|" world.yaml >gates.yaml
	schedlab run gates.yaml -c gates.yaml -p kueue -o out --force --quiet >/dev/null 2>err.txt || cat err.txt
	cut -d, -f1,7,8 out/jobs.csv
}
show ''
for job in gated claims; do schedlab explain out $job --no-what-if | grep -m 1 Kueue:; done
show 'AdmissionGatedBy: false, WorkloadPriorityClassDefaulting: false'
show 'KueueDRAIntegration: false'
schedlab explain out claims --no-what-if | grep -m 1 Kueue:
show 'KueueDRAIntegration: false, KueueDRARejectWorkloadsWhenDRADisabled: false'
rm -r out
show 'MultiplePreemptions: false' 2>&1 | head -n 1
