# One rule for values: what slurmctld refuses is an error with its place, whatever the policy; what it warns of or passes
# over holds as its default, is named with its place, and refused by --strict and --set.
cat >good.conf <<'END'
ClusterName=m
SelectType=select/cons_tres
NodeName=c1 CPUs=8 Sockets=1 CoresPerSocket=8
PartitionName=all Nodes=c1 Default=YES
END
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,100,200,4\n' >jobs.csv
said() {
	schedlab run jobs.csv "$@" 2>&1 >/dev/null | grep -v 'submitted\|limit,\|its time limit\|implies'
}
while read -r line; do
	echo "== $line"
	sed '/PartitionName/d' good.conf >slurm.conf
	echo "$line" >>slurm.conf
	grep -q PartitionName slurm.conf || echo 'PartitionName=all Nodes=c1 Default=YES' >>slurm.conf
	schedlab run jobs.csv -c slurm.conf -p easy --quiet >/dev/null
	echo "exit $?"
	said -c slurm.conf -p slurm --strict
	case $line in
	Part*) ;;
	*) said -c good.conf -p slurm --set "cluster.conf.$line" ;;
	esac
done <<'END'
SelectTypeParameters=CR_Coer
SelectType=select/foo
TopologyPlugin=topology/foo
PriorityType=priority/foo
SchedulerType=sched/foo
PreemptType=preempt/foo
PreemptMode=bogus
AccountingStorageEnforce=limits,limitz
EnforcePartLimits=MAYBE
OverTimeLimit=abc
KillWait=x
CompleteWait=-1
JobRequeue=x
MaxArraySize=x
PartitionName=all Nodes=c1 Default=YES PreemptMode=bogus
SchedulerParameters=bf_interval=abc
SchedulerParameters=bf_window=-5,bf_continue
PriorityFlags=FOO,MAX_TRES
PreemptParameters=foo
SchedulerParameters=bf_interval=-1,bf_max_job_test=100
AccountingStorageEnforce=associations,limits,qos,safe
PreemptMode=GANG,SUSPEND
OverTimeLimit=UNLIMITED
END
printf 'Name|Priority|Flags\nnormal|0|DenyOnLimit,Bogus\n' >qos.txt
said -c good.conf -p slurm --set cluster.qos=qos.txt
schedlab inspect good.conf --set cluster.conf.TopologyPlugin=topology/3d_torus -p slurm | grep -i topologyp | sed 's/  */ /g'
