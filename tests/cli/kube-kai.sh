# KAI's PodGroups and shares of GPUs, Run:AI's workloads, as jobs of any policy; what is followed of their fields.
printf 'nodes:\n  - {name: n, count: 4, cpus: 16, memory: 64G, gpus: {a100: 4}}\n' >c.yaml
pod() {
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, annotations: {%s}, labels: {%s}}\n' "$1" "$2" "$3"
	printf 'spec: {containers: [{name: c, resources: {requests: {cpu: 1}, limits: {%s}}}]}\n' "$4"
}
{
	cat <<'YAML'
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, annotations: {schedlab/submit: "5", schedlab/run-time: 1m}}
spec: {minMember: 2, queue: a, subGroups: [{name: lead, minMember: 1}, {name: work, minMember: 1}]}
YAML
	# One job of three pods: 1.75 GPUs. What the pods say of times does not count where the group says it.
	pod g0 'pod-group-name: g, schedlab/run-time: 9m' 'kai.scheduler/subgroup-name: lead' 'nvidia.com/gpu: 1'
	pod g1 'pod-group-name: g, gpu-fraction: "0.25"' 'kai.scheduler/subgroup-name: work' ''
	pod g2 'pod-group-name: g, gpu-fraction: "0.5"' 'kai.scheduler/subgroup-name: work' ''
	# Alone: half of each of three devices, which is three of them for policies other than runai.
	pod alone 'gpu-fraction: "0.5", gpu-fraction-num-devices: "3", schedlab/run-time: 1m' '' ''
	cat <<'YAML'
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, annotations: {schedlab/run-time: 1m}}
spec:
  parallelism: 2
  template: {metadata: {annotations: {pod-group-name: g}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}
---
apiVersion: run.ai/v2alpha1
kind: TrainingWorkload
metadata: {name: many, annotations: {schedlab/run-time: 1m}}
spec: {gpu: {value: "2"}, parallelism: {value: 3}, cpu: {value: 500m}, image: {value: x}, gpuLimit: {value: "1"}}
---
apiVersion: run.ai/v1alpha1
kind: TrainingWorkload
metadata: {name: mpi, annotations: {schedlab/run-time: 1m}}
spec: {gpu: {value: "1"}, processes: {value: 4}}
---
apiVersion: run.ai/v2alpha1
kind: InteractiveWorkload
metadata: {name: notebook, annotations: {schedlab/run-time: 1m}}
spec: {gpu: {value: "0.25"}}
---
apiVersion: run.ai/v2alpha1
kind: InteractiveWorkload
metadata: {name: template}
spec: {usage: Template, gpu: {value: "4"}}
---
apiVersion: run.ai/v2alpha1
kind: InferenceWorkload
metadata: {name: serve, annotations: {schedlab/run-time: 1m}}
spec: {gpu: {value: "1"}, minScale: {value: 2}, maxScale: {value: 9}}
---
apiVersion: run.ai/v1
kind: RunaiJob
metadata: {name: old, annotations: {schedlab/run-time: 1m}}
spec: {template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}}}
YAML
} >t.yaml
schedlab run t.yaml -c c.yaml -p easy --quiet -o run >/dev/null
cut -d, -f1,5,12-15 run/jobs.csv
# Fields of objects that are no jobs; of another's Queue nothing is known.
cat >q.yaml <<'YAML'
apiVersion: kai.scheduler/v1
kind: SchedulingShard
metadata: {name: default}
spec: {kValue: 2, args: {schedule-period: 2s, v: "6"}, plugins: {numa: {enabled: true}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: v}
spec: {weight: 1}
---
apiVersion: run.ai/v1
kind: Project
metadata: {name: p}
spec: {deservedGpus: 2, interactiveJobMaxIdleDurationSecs: 60, colour: blue}
YAML
schedlab inspect q.yaml
