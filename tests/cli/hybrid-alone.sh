# With share=static each side does what it does alone on its nodes, start by start; and the same run has the same digest. Jobs are
# drawn, by awk's own small generator, anew for each seed; a third of them are Kubernetes'.
run() { schedlab run "$@" --check --quiet --force >/dev/null; }
draw() {
	awk -v seed="$1" 'function r(n) { seed = (seed * 16807) % 2147483647; return seed % n }
	BEGIN {
		print "job_id,user,partition,namespace,submit,run_time,time_limit,nodes,cpus"
		for (i = 1; i <= 150; i++) {
			at += r(120); run = 30 + r(1500); nodes = 1 + r(3); cpus = nodes * (1 + r(4))
			kube = r(3) == 0
			printf "%d,u%d,%s,%s,%d,%d,%d,%d,%d\n", i, r(5), kube ? "" : "batch", kube ? "web" : "", at, run, \
				run + r(600), nodes, cpus
		}
	}'
}
conf() {
	printf 'ClusterName=c\nSlurmctldHost=h\nSchedulerType=sched/backfill\nSelectType=select/cons_tres\n'
	printf 'SelectTypeParameters=CR_Core\nPriorityType=priority/basic\n'
	printf 'NodeName=n[1-%d] CPUs=4 Sockets=1 CoresPerSocket=4 RealMemory=8000\n' "$1"
	printf 'PartitionName=batch Nodes=n[1-5] Default=YES State=UP MaxTime=1-00:00:00\n'
}
conf 8 >both.conf
conf 5 >slurm.conf
for n in 6 7 8; do
	printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: {allocatable: {cpu: 4, memory: 8000Mi, pods: 110}}\n---\n' $n
done >objects.yaml
cat objects.yaml - >kueue.yaml <<'YAML'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
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
      resources: [{name: cpu, nominalQuota: 9}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: web}
spec: {clusterQueue: team}
YAML
# beside POLICY OBJECTS: against slurm and POLICY, each alone.
beside() {
	run t.csv -c both.conf -p hybrid --set cluster.objects="$2" -o both
	run t.csv -c both.conf -p hybrid --set cluster.objects="$2" -o again
	run k.csv -c "$2" -p "$1" -o k
	cut -d, -f1,5,7,8,15 both/jobs.csv | tail -n +2 | sort >both.txt
	{ tail -n +2 s/jobs.csv; tail -n +2 k/jobs.csv; } | cut -d, -f1,5,7,8,15 | sort >alone.txt
	cmp both.txt alone.txt && echo "seed $seed: as slurm and $1 alone"
	grep '"digest"' both/run.json >one
	grep '"digest"' again/run.json | cmp one - && echo "seed $seed: the same twice"
}
for seed in 11 22 33; do
	draw $seed >t.csv
	awk -F, 'NR == 1 || $4 == ""' t.csv >s.csv
	awk -F, 'NR == 1 || $4 != ""' t.csv >k.csv
	run s.csv -c slurm.conf -p slurm -o s
	beside kube objects.yaml
	beside kueue kueue.yaml
	for share in move move,drain=1,idle-for=0,move-delay=7 pods pods,pods-evict=any,pods-priority=-1; do
		schedlab run t.csv -c both.conf -p "hybrid:share=$share" --set cluster.objects=objects.yaml --check --quiet --force -o x >/dev/null ||
			echo "share=$share: exit $?"
		cut -d, -f15 x/jobs.csv | grep -c COMPLETED
	done
done
