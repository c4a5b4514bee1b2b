# Objects of a cluster's file whose kind is misspelt, or of another API group, and feature gates that Kueue does not
# have: a run names each with its place, whatever the policy, and --strict refuses them. A Gateway is no mistake.
head() {
	cat <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: f }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: c }
spec: { namespaceSelector: {}, resourceGroups: [ { coveredResources: [ cpu ], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 4 } ] } ] } ] }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: q, namespace: n }
spec: { clusterQueue: c }
---
END
}
printf 'job_id,submit,run_time,time_limit,cpus,namespace,queue\n1,0,10,10,1,n,q\n' >q.csv
run() {
	echo "== $*"
	schedlab run q.csv "$@" -o out --force 2>&1 >/dev/null | grep -v 'submitted\|limit\|implies'
	[ -d out ] && echo ran
	rm -rf out
}
{ head && printf 'apiVersion: scheduling.k8s.io/v1\nkind: ClusterQueue\nmetadata: { name: d }\n'; } >group.yaml
{ head && printf 'apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueu\nmetadata: { name: d }\n'; } >kind.yaml
{ head && printf 'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: { name: d }\n'; } >other.yaml
{ head && printf 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: { TopologyAwareSchedulin: true, LocalQueueMetrics: true, Foo: false }\n'; } >gates.yaml
for file in group kind other gates; do
	run -c $file.yaml -p kueue
	run -c $file.yaml -p kueue --strict
done
run -c gates.yaml -p easy
schedlab inspect gates.yaml -p kueue | grep -i gates | sed 's/  */ /g'
