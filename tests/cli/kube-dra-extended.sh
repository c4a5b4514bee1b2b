# GPUs that devices stand for: n1 has two by DRA, n2 one by its device plugin. train takes all three; tune asks for two by the
# class's name, which n2 has none of, and waits until train is over. Nothing is larger than the machine, though nodes have one.
cat >world.yaml <<END
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110, nvidia.com/gpu: 1}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {extendedResourceName: nvidia.com/gpu, selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]}
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
apiVersion: batch/v1
kind: Job
metadata: {name: train, annotations: {schedlab/run-time: "60"}}
spec:
  completions: 3
  parallelism: 3
  template:
    spec:
      containers: [{name: c, resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: tune, annotations: {schedlab/run-time: "60"}}
spec:
  template:
    spec:
      containers: [{name: c, resources: {limits: {cpu: 1, deviceclass.resource.kubernetes.io/gpu: 2}}}]
END
schedlab run world.yaml -c world.yaml -p kube --check -o out --force --quiet >/dev/null
cut -d, -f1,7-9 out/jobs.csv
# The same where no node has any.
sed "s/pods: 110, nvidia.com.gpu: 1/pods: 110/; s/: 3\$/: 2/" world.yaml >none.yaml
schedlab run none.yaml -c none.yaml -p kube --check -o out --force --quiet >/dev/null
cut -d, -f1,7-9 out/jobs.csv
# Without the class two of train's pods are more than there is.
sed 's/extendedResourceName: nvidia.com.gpu, //' world.yaml >plain.yaml
schedlab run plain.yaml -c plain.yaml -p kube --check -o out --force --quiet >/dev/null
cut -d, -f1,7-9 out/jobs.csv
