# SPDX-License-Identifier: GPL-3.0-or-later
# ProvisioningRequests that cluster-autoscaler answers, by hand: a node of 4 cpus, and at most two more, 60 s after they
# are ordered. At 0 the node takes job 1, of 100 s; job 2 comes at 5, and is looked at in the loop of 10.
manifests() { # class, parameters
	cat <<END
apiVersion: v1
kind: Node
metadata: {name: own-1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: schedlab/v1
kind: NodeGroup
metadata: {name: g}
spec:
  template: {status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}}
  max: 2
  price: 1
  provisioning: 60
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: c}
spec: {provisioningClassName: $1, parameters: {${2-}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: capacity}
spec: {controllerName: kueue.x-k8s.io/provisioning-request,
  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: c}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: capacity}]}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 100}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: lab}
spec: {clusterQueue: q}
END
}
show() {
	rm -rf out
	schedlab run jobs.csv -c c.yaml -p kueue:autoscale=on --check -o out --quiet >/dev/null || return
	cut -d, -f1,7,8,15 out/jobs.csv
	[ ! -f out/evictions.csv ] || cut -d, -f1,2,4 out/evictions.csv
	grep '"autoscaler.node_hours"' out/metrics.json
	[ ! -f out/elastic.csv ] || cat out/elastic.csv
}
printf 'submit,run_time,cpus\n0,100,4\n5,100,4\n' >jobs.csv
# Nodes are ordered at 10, there at 70. Empty at 170, unneeded for more than 600 s at 780, gone at 785: 715 s, 0.198611 h.
manifests best-effort-atomic-scale-up.autoscaling.x-k8s.io >c.yaml
show
# A third job, looked at in the loop of 20: the node that is ordered is job 2's. One more, there at 80.
printf 'submit,run_time,cpus\n0,100,4\n5,100,4\n5,100,4\n' >jobs.csv
show
printf 'submit,run_time,cpus\n0,100,4\n5,100,4\n' >jobs.csv
# check-capacity orders none: there is no capacity at 10, nor a minute later; two minutes later there is.
manifests check-capacity.autoscaling.x-k8s.io >c.yaml
show
# Without retries of its own the request fails at 10; Kueue makes it anew 60 s later, and 120 s.
manifests check-capacity.autoscaling.x-k8s.io 'noRetry: "true"' >c.yaml
show
# All or nothing: 12 cpus in pods of 4 are more than can come beside job 1: no node is
# ordered until it ends, in the loop of 190; the two are there from 250 to 965.
printf 'submit,run_time,tasks,cpus_per_task\n0,100,1,4\n5,100,3,4\n' >jobs.csv
manifests best-effort-atomic-scale-up.autoscaling.x-k8s.io >c.yaml
show
