# What inspect -p says of a key is so: what changes a result is not called ignored.
cat >slurm.conf <<'END'
ClusterName=m
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=pack_serial_at_end,bf_window=100
TopologyPlugin=topology/tree
PreemptType=preempt/none
NodeName=c[1-2] CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=8000
PartitionName=all Nodes=c[1-2] Default=YES MaxCPUsPerNode=4
END
printf 'SwitchName=s Nodes=c[1-2]\n' >topology.conf
for policy in slurm easy easy:place=slurm; do
	echo "== $policy"
	schedlab inspect slurm.conf -p $policy | sed -n 's/  */ /g; /Select\|Scheduler\|TopologyP\|PreemptT\|MaxCPUs/p'
done
echo '== all'
schedlab inspect slurm.conf | sed -n 's/  */ /g; /Select\|Scheduler\|TopologyP\|PreemptT\|MaxCPUs/p'
schedlab inspect slurm.conf --json | grep 'MaxCPUs'
# And it does: a node gives four of its cpus to a job, which asks six of one.
cat >sacct.txt <<'END'
JobID|Submit|Start|End|State|Partition|Timelimit|ReqNodes|ReqCPUS|ReqMem|ReqTRES|User
1|2026-03-01T00:00:00|2026-03-01T00:00:00|2026-03-01T00:01:40|COMPLETED|all|00:10:00|1|6|4000M|cpu=6,mem=4000M,node=1|ann
END
schedlab run sacct.txt -c slurm.conf -p easy -o out --quiet || echo "none runs"
sed -i 's/ MaxCPUsPerNode=4//' slurm.conf
schedlab run sacct.txt -c slurm.conf -p easy -o out --force --quiet >/dev/null
cut -d, -f12,13 out/jobs.csv
