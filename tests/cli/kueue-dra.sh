# Devices by what they consume. Quota is 40 GiB of GPU memory; by its counter a half is 20, the whole device 40: two halves, then the whole one, then a
# half. By count, of 40, all are admitted at once.
cat >world.yaml <<END
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.x'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.x
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  sharedCounters: [{name: g, counters: {memory: {value: 40Gi}}}]
  devices:
  - name: whole
    attributes: {profile: {string: whole}}
    capacity: {memory: {value: 40Gi, requestPolicy: {default: 10Gi, validRange: {min: 10Gi, step: 10Gi, max: 40Gi}}}}
    consumesCounters: [{counterSet: g, counters: {memory: {value: 40Gi}}}]
  - name: half-0
    attributes: {profile: {string: half}}
    consumesCounters: [{counterSet: g, counters: {memory: {value: 20Gi}}}]
  - name: half-1
    attributes: {profile: {string: half}}
    consumesCounters: [{counterSet: g, counters: {memory: {value: 20Gi}}}]
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
resources:
  deviceClassMappings:
  - name: gpu.memory
    deviceClassNames: [gpu]
    sources: [{counter: {name: memory, driver: gpu.x, deviceSelector: {cel: {expression: "device.driver == 'gpu.x'"}}}}]
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
  - coveredResources: [cpu, gpu.memory]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 32}, {name: gpu.memory, nominalQuota: 40Gi}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: lab}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}
END
for profile in half whole; do
	cat >>world.yaml <<END
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: $profile, namespace: default}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "device.attributes['gpu.x'].profile == '$profile'"}}]}}]}}}
END
done
submit=0
for job in a-half b-half c-whole d-half; do
	cat >>world.yaml <<END
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $job
  labels: {kueue.x-k8s.io/queue-name: q}
  annotations: {schedlab/submit: "$submit", schedlab/run-time: "60"}
spec:
  template:
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: ${job#?-}}]
      containers: [{name: c, resources: {requests: {cpu: 1}, claims: [{name: gpu}]}}]
END
	submit=$((submit + 1))
done
show() { # FILE [PODS]
	echo "$1"
	schedlab run "$1" -c "$1" -p kueue:pods="${2:-quota}" --check -o out --force --quiet >/dev/null
	cut -d, -f1,7-9 out/jobs.csv
	grep -o '"kueue.misconfigured":[^,]*' out/metrics.json
}
without_slice() {
	awk 'BEGIN { RS = "---\n"; ORS = "" } !/kind: ResourceSlice/ { print (NR > 1 ? "---\n" : "") $0 }'
}
show world.yaml
show world.yaml kube
sed '/^    sources:/d; s/nominalQuota: 40Gi/nominalQuota: 40/' world.yaml >count.yaml
show count.yaml
# By capacity: of the whole device 15 GiB are requested, which are 20, twice in the quota.
sed 's/^resources:$/featureGates: {KueueDRAIntegrationConsumableCapacity: true}\nresources:/; s/{counter: {name/{capacity: {name/
	s/exactly: {\(.*whole\)/exactly: {capacity: {requests: {memory: 15Gi}}, \1/; s/Name: half/Name: whole/' world.yaml >capacity.yaml
show capacity.yaml
# Without ResourceSlices selectors are taken to find their devices, and amounts are not known.
without_slice <count.yaml >nothing.yaml
show nothing.yaml
without_slice <world.yaml >unknown.yaml
show unknown.yaml
