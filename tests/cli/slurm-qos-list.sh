# --qos=low,high, from 24.11 on: what waits shows what was requested, what runs the QOS that it runs with, sprio each by
# itself; sacct's QOSREQ says that a list was requested. Before, a list is the name of none.
cat >slurm.conf <<'END'
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=limits,qos
PriorityType=priority/multifactor
PriorityWeightQOS=1000
NodeName=n[1-2] CPUs=4 RealMemory=4000
PartitionName=p Nodes=ALL Default=YES
END
printf 'Name|Priority|GrpJobs\nnormal|0|\nlow|5|\nhigh|10|1\n' >qos.txt
printf 'Cluster|Account|User|QOS\nc|root||normal\nc|a||normal,low,high\nc|a|u|normal,low,high\n' >accounts.txt
cat >jobs.txt <<'END'
JobID|User|Account|Partition|QOS|QOSREQ|Submit|Start|End|ElapsedRaw|State|Timelimit|ReqCPUS|ReqNodes
1|u|a|p|high||2026-01-01T00:00:00|Unknown|Unknown|100|COMPLETED|00:02:00|4|1
2|u|a|p|high|low,high|2026-01-01T00:00:10|Unknown|Unknown|100|COMPLETED|00:02:00|4|1
3|u|a|p|low|high,low|2026-01-01T00:00:20|Unknown|Unknown|100|COMPLETED|00:02:00|4|1
END
run() { # VERSION
	schedlab run jobs.txt -c slurm.conf --set cluster.accounts=accounts.txt --set cluster.qos=qos.txt \
		-p "slurm:version=$1" -o "of-$1" --quiet >summary 2>&1 || cat summary
	for at in 15 60; do
		echo "-- $1 at $at"
		schedlab view squeue "of-$1" --at $at -h -o '%i %q %T'
	done
	schedlab view sprio "of-$1" --at 60 -h -o '%i %n %Y'
	schedlab view scontrol "of-$1" --at 60 show job 2 | grep -o 'JobId=2\|QOS=[^ ]*\|JobState=[A-Z]*'
	schedlab view sacct "of-$1" --at 60 -X -P -o JobID,QOS,State
}
run 24.11
run 24.05
