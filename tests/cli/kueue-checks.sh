# ProvisioningRequests by hand: 8 cpus, jobs of 4 cpus for 100 s, queued behind a check that makes nodes first.
manifests() { # retry strategy
	cat <<END
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: c}
spec: {provisioningClassName: x, retryStrategy: {${1-}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: paid}
spec: {controllerName: kueue.x-k8s.io/provisioning-request,
  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: c}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  admissionChecksStrategy: {admissionChecks: [{name: paid}]}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 8}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: lab}
spec: {clusterQueue: q}
END
}
manifests >c.yaml
printf 'submit,run_time,cpus,priority\n0,100,4,0\n0,100,4,0\n50,100,4,0\n' >jobs.csv
show() {
	rm -rf out
	schedlab run jobs.csv -c c.yaml --check -o out --quiet "$@" >/dev/null || return
	cut -d, -f1,7,8,15 out/jobs.csv
	sed -n 's/^ *"\(kueue\.\(provisioning_failed\|capacity_revoked\|budget_rejected\)\)": \(.*[0-9]\),*$/\1 \3/p' out/metrics.json
}
# Quota is held for the 20 s that nodes take.
show -p kueue:provision=20
cut -d, -f1-4 out/reasons.csv
# All fail: after 20 s each, again 60, 120 and 240 s later; the fourth failure is the last, and the job waits for ever.
printf 'submit,run_time,cpus,priority\n0,100,4,0\n' >jobs.csv
show -p kueue:provision=20,provision-fails=100
cut -d, -f1,2,4,8 out/evictions.csv
# One retry, 10 s later.
manifests 'backoffLimitCount: 1, backoffBaseSeconds: 10' >c.yaml
show -p kueue:provision=20,provision-fails=100
cut -d, -f1,2,4 out/evictions.csv
# Half of them fail, by seed.
printf 'submit,run_time,cpus,priority\n0,100,1,0\n0,100,1,0\n0,100,1,0\n0,100,1,0\n0,100,1,0\n0,100,1,0\n' >jobs.csv
show -p kueue:provision=20,provision-fails=50 --seed 7
# Capacity is revoked 30 s after the start.
printf 'submit,run_time,cpus,priority\n0,100,4,0\n0,20,4,0\n' >jobs.csv
show -p kueue:revoke=30
cut -d, -f1,2,4 out/evictions.csv
# A cpu-hour in 2 hours: job 1 takes 4 cpus for 900 s, all of it. At 1000 there is none for job 2; at 7200 the next period begins.
printf 'submit,run_time,cpus,priority\n0,900,4,0\n1000,100,4,0\n7200,100,4,0\n' >jobs.csv
show -p 'kueue:budget="paid:cpu:1/2h"'
# What is none.
show -p 'kueue:budget="paid:cpu:1"' || echo "exit $?"
show -p 'kueue:budget="free:cpu:1/2h"' || echo "exit $?"
# Cooperative preemption: the victim has 15 s to write its checkpoint, and goes on from there.
manifests >c.yaml
printf 'submit,run_time,cpus,priority\n0,100,8,0\n40,50,8,9\n' >jobs.csv
show -p kueue:checkpoint=1,grace=15
