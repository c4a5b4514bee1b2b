# SPDX-License-Identifier: GPL-3.0-or-later
# Values of the user's own files move: the change is a patch that applies, and the changed file has the figures.
# Slurm: one node of 4 cpus. In each span three jobs of 600 s and one of 60 s come within 3 s and ask for all of it; the short one's
# partition has the higher factor, and with a weight for that it runs second: of 4 waits three are shorter by 540 s, and so on.
mkdir slurm
cat >slurm/slurm.conf <<'END'
# One node.
ClusterName=c
SlurmctldHost=h
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=600,bf_window=1440,sched_min_interval=2000000
PriorityType=priority/multifactor
PriorityWeightAge=0
PriorityWeightPartition=0
NodeName=n1 CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN
PartitionName=slow Nodes=n1 Default=YES MaxTime=100 PriorityJobFactor=1 State=UP
PartitionName=fast Nodes=n1 MaxTime=100 PriorityJobFactor=10 State=UP
END
echo job_id,submit,run_time,time_limit,cpus,user,partition >slurm/jobs.csv
awk 'BEGIN { for (s = 0; s < 16; s++) for (j = 0; j < 4; j++)
	printf "%d,%d,%d,%d,4,u%d,%s\n", ++n, s * 4000 + j, j == 3 ? 60 : 600, j == 3 ? 120 : 1200, j, j == 3 ? "fast" : "slow" }' >>slurm/jobs.csv
schedlab tune slurm/jobs.csv -c slurm -p slurm -q --no-sync --span 4000 --minimize wait.mean -o s \
	--vary slurm.conf:PriorityWeightPartition=0..1000:500 --vary slurm.conf:PriorityWeightJobSize=0,1000 --vary slurm.conf:PartitionName/fast/MaxTime=50,100 |
	sed '/^who gains/,/lose$/d'
cp -r slurm applied && patch -s -d applied <s/change.patch && diff slurm/slurm.conf applied/slurm.conf
for conf in slurm applied; do schedlab run slurm/jobs.csv -c $conf -p slurm -q --from 32000 --to 36000 | grep wait.mean; done
# Kueue: team a has 2 cpus of 8 and may not borrow; in each span it has four jobs of 2 cpus and team b none.
{
	printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: "8", memory: 8Gi, pods: "100"}}\n---\n'
	printf 'apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: default}\n'
	for team in a b; do
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata:\n  name: team-%s\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n' $team
		printf '  - coveredResources: [cpu]\n    flavors:\n    - name: default\n      resources:\n      - name: cpu\n        nominalQuota: 2\n'
		printf -- '---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: %s, namespace: lab}\nspec: {clusterQueue: team-%s}\n' $team $team
	done
} >queues.yaml
echo job_id,submit,run_time,time_limit,cpus,namespace,queue >q.csv
awk 'BEGIN { for (s = 0; s < 16; s++) for (j = 0; j < 4; j++) printf "%d,%d,100,200,2,lab,a\n", ++n, s * 1000 }' >>q.csv
schedlab tune q.csv -c queues.yaml -p kueue -q --no-sync --span 1000 --minimize wait.mean -o k \
	--vary queues.yaml:ClusterQueue/team-a/nominalQuota=2..8:2 --vary queues.yaml:ClusterQueue/team-b/nominalQuota=0..4:2 | sed '/^who gains/,/lose$/d'
# Run:AI: a file that the policy names. Two projects of one GPU each; the second has all the jobs, and may not go over its quota.
printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: "8", memory: 8Gi, nvidia.com/gpu: "4", pods: "100"}}\n' >nodes.yaml
printf 'projects:\n  - {name: x, quota: 1, over-quota: false}\n  - {name: y, quota: 1, over-quota: false}\nmap: {by: account}\n' >projects.yaml
echo job_id,submit,run_time,time_limit,cpus,gpus,account >r.csv
awk 'BEGIN { for (s = 0; s < 16; s++) for (j = 0; j < 3; j++) printf "%d,%d,100,200,1,1,y\n", ++n, s * 1000 }' >>r.csv
schedlab tune r.csv -c nodes.yaml -p runai:projects=projects.yaml -q --no-sync --span 1000 --minimize wait.mean -o r \
	--vary projects.yaml:projects/y/quota=1..4 | sed '/^who gains/,/lose$/d'
# A limit that the manifests do not have: a line of its own. Team a borrows all that team b has and holds it for 100 s; b's job, of user 2,
# comes a second later. With 2 cpus that a may not borrow it need not wait.
sed '/^  namespaceSelector/a\  cohort: all' queues.yaml | sed 's/nominalQuota: 2/nominalQuota: 4/' >cohort.yaml
echo job_id,submit,run_time,time_limit,cpus,user,namespace,queue >b.csv
awk 'BEGIN { for (s = 0; s < 16; s++) for (j = 0; j < 5; j++) printf "%d,%d,100,200,2,%d,lab,%s\n", ++n, s * 1000 + (j == 4), j < 4 ? 1 : 2, j < 4 ? "a" : "b" }' >>b.csv
schedlab tune b.csv -c cohort.yaml -p kueue -q --no-sync --span 1000 --minimize 'wait.mean{user=2}' -o b \
	--vary cohort.yaml:ClusterQueue/team-a/cpu/borrowingLimit=2 --vary cohort.yaml:ClusterQueue/team-b/cpu/lendingLimit=4 >out
sed -n '/^what may/,/^minimize/p;/^--- /,/^$/p' out
cp cohort.yaml patched.yaml && patch -s patched.yaml <b/change.patch && diff cohort.yaml patched.yaml
patch -s -p0 <b/change.patch && cmp cohort.yaml patched.yaml && echo applies
for what in ClusterQueue/team-c/cpu/borrowingLimit ClusterQueue/team-a/cpu/borowingLimit team-a/team-b/borrowingLimit; do
	schedlab tune b.csv -c queues.yaml -p kueue -q --span 1000 --minimize wait.mean -o bad --vary queues.yaml:$what=2 || echo "exit $?"
done
