# How far keys are followed is said of each policy, SchedulerParameters option by option, and what nobody knows is named.
cat >slurm.conf <<'END'
ClusterName=x
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_intervall=30,bf_window=60,defer
PriorityWeightFairshare=10
PreemptExemptTime=1
MCSPlugin=mcs/user
NodeName=n[1-4] CPUs=8 RealMemory=1000 State=UNKNOWN
NodeName=d[1-2] CPUs=8 RealMemory=1000 State=DOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP DenyAccounts=none
END
for policy in slurm easy easy:place=slurm external:command=true kueue; do
	schedlab inspect slurm.conf -p "$policy" >out || echo "exit $?"
	grep -E 'keys|Scheduler|SelectTypeP|Priority|MCS|DenyAcc' out | sed 's/  */ /g'
done
schedlab inspect slurm.conf | grep -E 'keys|bf_window|SelectTypeP' | sed 's/  */ /g'
schedlab inspect slurm.conf -p easy --json | grep -E '"policy"|SchedulerParameters.bf_window'
# A run names what is not known, --strict and --set refuse it.
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,10,10,1\n' >t.csv
schedlab run t.csv -c slurm.conf -p easy --json >/dev/null
schedlab run t.csv -c slurm.conf -p easy --json --strict >/dev/null || echo "exit $?"
sed 's/intervall/interval/' slurm.conf >good.conf
schedlab run t.csv -c good.conf -p slurm --strict --quiet --json >/dev/null && echo 'all known'
schedlab run t.csv -c good.conf -p slurm --set cluster.conf.SchedulerParameters=bf_windw=9 --quiet || echo "exit $?"
schedlab run t.csv -c good.conf -p slurm --set cluster.conf.SchedulerParameters=bf_window=9,defer --quiet --json >/dev/null && echo 'set'
# Why one was refused; nothing on nodes that are down is free.
printf 'job_id,submit,run_time,time_limit,nodes,cpus_per_node\n1,0,50,60,2,8\n2,5,50,60,9,8\n3,10,50,60,4,8\n' >t.csv
schedlab run t.csv -c good.conf -p slurm --quiet --json -o out-s >/dev/null
schedlab explain out-s 2 --no-what-if | tail -1
schedlab explain out-s 2 --no-what-if --json | grep -o '"refused": "[^"]*"'
schedlab explain out-s 3 --no-what-if | grep 'free on'
# A kind is known by its API group: a Job of another one, and the Workload of scheduling.k8s.io, are others.
cat >jobs.yaml <<'END'
apiVersion: batch.example.com/v1alpha1
kind: Job
metadata: {name: theirs, namespace: n}
spec: {minAvailable: 1, tasks: []}
---
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: gang, namespace: n}
spec: {podGroups: []}
---
apiVersion: batch/v1
kind: Job
metadata: {name: ours, namespace: n, annotations: {schedlab/run-time: "10"}}
spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
END
cat >nodes.yaml <<'END'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 99}}
---
apiVersion: metal3.io/v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 99}}
---
apiVersion: kueue.x-k8s.io/v9
kind: ResourceFlavor
metadata: {name: f}
spec: {nodeLabels: {a: b}}
END
schedlab inspect nodes.yaml -p kube | sed 's/  */ /g'
schedlab run jobs.yaml -c nodes.yaml -p kube --quiet --json -o out-k | grep '"jobs.total"'
schedlab inspect jobs.yaml | grep -i 'example\|k8s' | sed 's/  */ /g'
# A gate that Kueue does not have is refused; one that decides nothing here is not.
for gate in PartialAdmision LocalQueueMetrics; do
	printf 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: {%s: true}\n---\n' $gate >gates.yaml
	cat >>gates.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: c}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: n}
spec: {clusterQueue: c}
END
	printf 'job_id,submit,run_time,time_limit,cpus,namespace,queue\n1,0,10,10,1,n,q\n' >q.csv
	schedlab run q.csv -c gates.yaml -p kueue --quiet --json >/dev/null || echo "exit $?"
done
# TRES that nobody counts: limits and weights of them are named, with their place.
printf 'Name|Priority|UsageFactor|GrpTRES|MaxTRESPU\nnormal|0|1|cpu=8,gres/gpu:v100=4|license/none=2\n' >qos.txt
printf 'PriorityWeightTRES=cpu=10,gres/gpuu=5\nPriorityType=priority/multifactor\n' >>good.conf
schedlab run t.csv -c good.conf -p slurm --set cluster.qos=qos.txt --quiet --json 2>&1 >/dev/null | grep counted
# A type of GPU that AccountingStorageTRES has not: no weight, so the order is that of submission, and it is said.
cat >typed.conf <<'END'
ClusterName=m
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
AccountingStorageTRES=gres/gpu
PriorityType=priority/multifactor
PriorityWeightTRES=gres/gpu:v100=300000
NodeName=c1 CPUs=8 Sockets=1 CoresPerSocket=8 Gres=gpu:v100:4
PartitionName=all Nodes=c1 Default=YES
END
printf 'job_id,submit,run_time,time_limit,cpus,gpus\n1,0,100,100,8,0\n2,1,100,100,8,0\n3,2,100,100,8,4\n' >typed.csv
schedlab run typed.csv -c typed.conf -p slurm --quiet -o typed 2>&1 >/dev/null
cut -d, -f1,7 typed/jobs.csv
sed -i 's/cpu=8/cpu=abc/' qos.txt
schedlab run t.csv -c good.conf -p slurm --set cluster.qos=qos.txt --quiet --json >/dev/null || echo "exit $?"
