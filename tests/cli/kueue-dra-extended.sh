# Quota for extended resources that devices stand for: two devices, jobs of two GPUs each. With the class mapped they count as gpus, of
# which there are 2; without, by their own name, of which the queue has 4, so that both are admitted and the second waits for devices;
# with the gate off they are a plain resource, which the queue does not cover.
cat >world.yaml <<END
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu, creationTimestamp: "2026-01-02T00:00:00Z"}
spec: {extendedResourceName: nvidia.com/gpu, selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: older, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {extendedResourceName: nvidia.com/gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: g0}, {name: g1}]
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
resources:
  deviceClassMappings:
  - {name: gpus, deviceClassNames: [gpu]}
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
  - coveredResources: [cpu, gpus]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 32}, {name: gpus, nominalQuota: 2}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: lab}
END
for job in first second; do
	cat >>world.yaml <<END
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $job
  labels: {kueue.x-k8s.io/queue-name: q}
  annotations: {schedlab/submit: "0", schedlab/run-time: "60"}
spec:
  template:
    spec:
      containers: [{name: c, resources: {limits: {cpu: 1, nvidia.com/gpu: 2}}}]
END
done
show() { # FILE OPTION...
	local file=$1
	shift
	schedlab run "$file" -c "$file" "$@" --check -o out --force --quiet >/dev/null
	cut -d, -f1,7-9 out/jobs.csv
	grep -o '"kueue.admissions":[^,]*' out/metrics.json
}
show world.yaml -p kueue
sed 's/deviceClassNames: \[gpu\]/deviceClassNames: [other]/; s/cpu, gpus\]/cpu, nvidia.com\/gpu]/; s/name: gpus, nominalQuota: 2/name: nvidia.com\/gpu, nominalQuota: 4/' world.yaml >own.yaml
show own.yaml -p kueue
sed 's/^resources:$/featureGates: {KueueDRAIntegrationExtendedResource: false}\nresources:/' world.yaml >off.yaml
show off.yaml -p kueue
