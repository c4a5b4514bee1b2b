# Workflows of Argo, worked by hand: each pod is a job, behind those before it.
cat >nodes.yaml <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1, disk: ssd}}
status: {allocatable: {cpu: "4", memory: 32Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status: {allocatable: {cpu: "4", memory: 32Gi, pods: "110"}}
YAML
show() { # trace, policy
	schedlab run "$1" -c "${3:-nodes.yaml}" -p "${2:-kube}" --check --quiet --force -o out >/dev/null || return
	cut -d, -f1,5-8,13,22,23 out/jobs.csv
}
# build for 20 s on the node with an ssd. At 20 both tests (30 s and 40 s), and the dag on n2: a, then b and c twice, then d, 10 s each.
# The tests are over at 60, 7 s of suspension, last for its 5 s by default, onExit with a pod that requests nothing.
cat >wf.yaml <<'YAML'
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: wf, namespace: ci, annotations: {schedlab/submit: "0", schedlab/run-time: "10"}}
spec:
  entrypoint: main
  arguments: {parameters: [{name: cpu, value: 2}]}
  nodeSelector: {disk: ssd}
  onExit: bye
  templates:
  - name: main
    steps:
    - - {name: build, template: one, arguments: {parameters: [{name: n, value: 20}]}}
    - - {name: test, template: one, withItems: [30, 40], arguments: {parameters: [{name: n, value: "{{item}}"}]}}
      - {name: graph, template: graph}
    - - {name: pause, template: pause}
    - - {name: last, template: one}
  - name: one
    inputs: {parameters: [{name: n, value: 5}]}
    metadata: {annotations: {schedlab/run-time: "{{inputs.parameters.n}}"}}
    container: {image: x, args: ["{{steps.build.outputs.result}}"], resources: {requests: {cpu: "{{ workflow.parameters.cpu }}"}}}
  - name: pause
    suspend: {duration: 7s}
  - name: graph
    dag:
      tasks:
      - {name: d, depends: "b && c.Succeeded", template: any}
      - {name: a, template: any}
      - {name: b, dependencies: [a], template: any}
      - {name: c, dependencies: [a], template: any, withSequence: {count: 2}}
  - name: any
    nodeSelector: {kubernetes.io/hostname: n2}
    script: {source: x, resources: {requests: {cpu: 1}}}
  - name: bye
    resource: {action: create}
YAML
show wf.yaml
# Of a WorkflowTemplate, whose parameter the Workflow replaces: 4 cpus each, three of them, two at a time (parallelism), and so the third
# at 13. Under kueue the queue is a label of the pods: a quota of 4 admits one at a time, a second after each end; the third is made
# as the first is over. The pod by templateRef runs for 33 s, as --run-times says; items are maps, and a suspend at first comes later.
cat >base.yaml <<'YAML'
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: base, namespace: ci}
spec:
  entrypoint: main
  parallelism: 2
  arguments: {parameters: [{name: cpu, value: 1}]}
  podMetadata: {labels: {kueue.x-k8s.io/queue-name: q, team: a}}
  templates:
  - {name: main, steps: [[{name: work, template: one, withSequence: {start: 5, end: 3}}]]}
  - {name: one, metadata: {labels: {team: b}}, container: {image: x, resources: {requests: {cpu: "{{workflow.parameters.cpu}}"}}}}
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: run-, namespace: ci, annotations: {schedlab/submit: "3", schedlab/run-time: "10"}}
spec: {workflowTemplateRef: {name: base}, arguments: {parameters: [{name: cpu, value: 4}]}}
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: two, namespace: ci, annotations: {schedlab/submit: "5"}}
spec:
  entrypoint: m
  arguments: {parameters: [{name: cpu, value: 500m}]}
  templates:
  - name: m
    steps:
    - [{name: wait, template: wait}]
    - [{name: s, templateRef: {name: base, template: one}, withItems: [{k: 1}, {k: 2}]}]
  - {name: wait, suspend: {duration: 1m}}
YAML
cat nodes.yaml - >kueue.yaml <<'YAML'
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: ci}, spec: {clusterQueue: q}}
YAML
printf 'name,run_time\nci/two*,33\n' >times.csv
for policy in kube kueue runai; do
	schedlab run base.yaml -c kueue.yaml -p $policy --run-times times.csv --check --quiet --force -o out >/dev/null 2>&1
	cut -d, -f1,5-8,13,22,23 out/jobs.csv
done
# The Workflow's arguments are its first template's: 40 s, and not the 3 of that by itself.
cat >hello.yaml <<'YAML'
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: hello-, namespace: ci, annotations: {schedlab/submit: "0"}}
spec:
  entrypoint: print
  arguments: {parameters: [{name: n, value: 40}, {name: cpu, value: 1500m}]}
  templates:
  - name: print
    inputs: {parameters: [{name: n, value: 3}, {name: cpu}]}
    metadata: {annotations: {schedlab/run-time: "{{inputs.parameters.n}}"}}
    container: {image: busybox, resources: {requests: {cpu: "{{inputs.parameters.cpu}}"}}}
YAML
show hello.yaml
# A group of no steps is over at once: b comes after a all the same, at 10. What a resource template creates is told. Names that are
# generated are names: each workflow keeps its own pods apart, and not those of others, so both begin at 0.
cat >names.yaml <<'YAML'
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: run-, namespace: ci, annotations: {schedlab/submit: "0", schedlab/run-time: "10"}}
spec:
  entrypoint: main
  templates:
  - {name: main, steps: [[{name: a, template: one}], [], [{name: b, template: one}, {name: c, template: none}], [{name: d, template: job}]]}
  - {name: none, steps: []}
  - {name: job, resource: {action: create, manifest: "kind: Job"}}
  - name: one
    metadata: {labels: {run: "{{workflow.name}}"}}
    affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
      {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {run: "{{workflow.name}}"}}}]}}
    container: {image: x, resources: {requests: {cpu: 1}}}
YAML
{
	cat names.yaml
	echo ---
	cat names.yaml
} | head -n 35 >twice.yaml
head -n 1 nodes.yaml >one.yaml
sed 1d nodes.yaml | sed '/^---/,$d' >>one.yaml
show twice.yaml kube one.yaml
schedlab run twice.yaml -c one.yaml -p kube -o out --force 2>&1 >/dev/null | grep resource
# Of a Workflow with parallelism squeue, explain and reasons call each pod by its name: they are no tasks of an array.
sed 's/^  entrypoint: main/  entrypoint: main\n  parallelism: 1/' wf.yaml >one-at-a-time.yaml
schedlab run one-at-a-time.yaml -c nodes.yaml -p kube -o parallel --quiet >/dev/null 2>&1
schedlab view squeue parallel --at 30 -o '%25i %.2t %R' 2>/dev/null
schedlab explain parallel ci/wf.test.1 --no-what-if 2>/dev/null | sed -n '/what it waited/,/^$/p'
# What is not read is refused by name; what is not known before it runs, only where a pod asks for it.
bad() { # sed
	sed "$1" wf.yaml >bad.yaml
	show bad.yaml 2>&1
	echo "exit $?"
}
bad 's/name: last, /name: last, when: "{{x}} == 1", /'
bad 's/withItems: \[30, 40\]/withParam: "{{steps.build.outputs.result}}"/'
bad 's/withSequence: {count: 2}/withSequence: {count: 2, format: x%d}/'
bad 's/withSequence: {count: 2}/withSequence: {count: 2, end: 2}/'
bad 's/withSequence: {count: 2}/withSequence: {count: 2}, withItems: [1]/'
bad 's/cpu: "{{ workflow.parameters.cpu }}"/cpu: "{{steps.build.outputs.result}}"/'
bad 's/suspend: {duration: 7s}/suspend: {}/'
bad 's/depends: "b && c.Succeeded"/depends: "b || c"/'
bad 's/dependencies: \[a\]/dependencies: [z]/'
bad 's/name: a, template/name: a, depends: d, template/'
bad 's/template: graph/template: none/'
bad 's/template: any, withS/template: graph, withS/'
bad 's/resource: {action: create}/http: {url: x}/'
bad 's/^  entrypoint: main/  entrypoint: main\n  podSpecPatch: x/'
bad 's/^  entrypoint: main//'
bad 's/^  entrypoint: main/  entrypoint: main\n  suspend: true/'
bad 's/- name: pause/- name: pause\n    parallelism: 1/'
bad 's/schedlab.run-time: "{{inputs.parameters.n}}"/schedlab\/run-time: soon/'
bad 's/onExit: bye/onExit: [bye]/'
bad 's/v1alpha1/v1/'
bad 's/name: a, template/name: "a,b", template/'
bad 's/name: last, //'
bad 's/name: pause, template/name: build, template/'
bad 's/name: b, dep/name: c, dep/'
bad 's/^    steps:/    steps: all\n    more:/'
bad 's/^      tasks:/      task:/'
bad 's/nodeSelector: {kubernetes.io.hostname: n2}/affinity: [n2]/'
bad 's/requests: {cpu: 1}/requests: {cpu: lots}/'
# Chains of tasks in dags in dags are no deeper than the stack goes, wherever they are.
awk 'BEGIN {
	print "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: deep, namespace: ci}\nspec:\n  entrypoint: t0\n  templates:"
	for (d = 0; d < 22; d++) {
		printf "  - name: t%d\n    dag:\n      tasks:\n", d
		for (i = 0; i < 1000; i++)
			printf "      - {name: k%d, template: %s, dependencies: [%s]}\n", i, i < 999 || d == 21 ? "one" : "t" (d + 1), i < 999 ? "k" (i + 1) : ""
	}
	print "  - {name: one, container: {image: x}}"
}' >deep.yaml
show deep.yaml 2>&1 || true
# A parameter that grows with each call is no more than memory holds.
awk 'BEGIN {
	print "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: grows, namespace: ci}\nspec:\n  entrypoint: main\n  arguments: {parameters: [{name: a, value: xxxxxxxxxx}]}\n  templates:"
	a = "{{inputs.parameters.a}}"
	print "  - name: main\n    inputs: {parameters: [{name: a}]}\n    steps: [[{name: s, template: main, arguments: {parameters: [{name: a, value: \"" a a a a "\"}]}}]]"
}' >grows.yaml
show grows.yaml 2>&1 || true
