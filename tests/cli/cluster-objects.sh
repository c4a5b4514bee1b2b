# cluster.objects: manifests beside a cluster file, from a file or a folder. Node n2 gets its label and what is allocatable by its name;
# n9 is no node of the cluster, and is left out. Kueue runs on the nodes of our own file: pods that select the label go to n2.
printf 'nodes:\n  - {name: n, count: 3, cpus: 4, memory: 8G}\n' >c.yaml
mkdir all
cat >all/nodes.yaml <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {zone: b}}
status: {allocatable: {cpu: 3, memory: 6Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: n9}
status: {allocatable: {cpu: 64, memory: 8Gi}}
YAML
cat >all/queues.yaml <<'YAML'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
spec: {nodeLabels: {zone: b}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 8}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: default}
spec: {clusterQueue: team}
YAML
printf 'submit,run_time,cpus\n0,100,3\n0,100,3\n0,100,1\n' >t.csv
schedlab run t.csv -c c.yaml -p kube --set cluster.objects=all/nodes.yaml --check -o kube >/dev/null
cut -d, -f7-9,15 kube/jobs.csv
schedlab run t.csv -c c.yaml -p kueue --set cluster.objects=all --check -o kueue >/dev/null
cut -d, -f7-9,15 kueue/jobs.csv
grep -c sha256 kueue/run.json
# Kept for the run's identity, and without use to others.
schedlab run t.csv -c c.yaml -p easy --set cluster.objects=all --quiet -o easy >/dev/null && cut -d, -f7-9 easy/jobs.csv
schedlab run t.csv -p easy --set cluster.cpus=8 --set cluster.objects=all --quiet -o none >/dev/null
echo "exit $?"
schedlab run t.csv -c c.yaml -p kueue --set cluster.objects=t.csv --quiet -o none >/dev/null
echo "exit $?"
