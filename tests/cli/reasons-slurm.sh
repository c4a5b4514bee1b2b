# What slurmctld 22.05 says of a job that waits: each reason that is not a limit's comes up, and is charged.
cat >slurm.conf <<'END'
SLURM_VERSION=22.05
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=10,bf_resolution=1,sched_interval=5,batch_sched_delay=3
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=1000
PriorityCalcPeriod=1
Licenses=lic:1
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=60
ResumeTimeout=120
SuspendExcNodes=n[1-4]
NodeName=n[1-6] CPUs=4 RealMemory=4000
PartitionName=p Nodes=n[1-4] Default=YES MaxTime=60 MaxNodes=3
PartitionName=one Nodes=n[1-2] MaxTime=5 MaxNodes=1 AllowAccounts=b
PartitionName=odd Nodes=n3 AllowQos=r
PartitionName=cloud Nodes=n[5-6]
PartitionName=small Nodes=n[1-4] MaxMemPerNode=1000
END
cat >accounts.txt <<'END'
Cluster|Account|User|Partition|ParentName|Share|QOS|Def QOS
c|root||||1|q,r,t|q
c|a|||root|1|q,r,t|q
c|a|u|||1|q,r,t|q
c|b|||root|1|q,r,t|q
c|b|v|||1|q,r,t|q
END
cat >qos.txt <<'END'
Name|Priority|UsageFactor|Flags|UsageThreshold
q|0|1||
r|0|1||
t|0|1|EnforceUsageThreshold|0.9
END
job=0
# job AT RUN OPTIONS: of user u, unless they say otherwise.
job() {
	job=$((job + 1))
	printf '%s|J|u|a|||2026-01-01T00:%02d:%02d|Unknown|Unknown|%s|COMPLETED|0:0|sbatch --mem=10 --time=20 %s job.sh\n' \
		$job $(($1 / 60)) $(($1 % 60)) "$2" "$3" >>sacct.txt
}
# run WHAT [COMMANDS]
run() {
	printf '%b' "${2:-1 scontrol update partitionname=p state=up\n}" >commands.txt
	schedlab run sacct.txt -c . -p slurm -o out --force --quiet --check --set cluster.accounts=accounts.txt \
		--set cluster.qos=qos.txt --set replay.commands=commands.txt --until 3000 >/dev/null 2>err || cat err
	grep refused err
	# shellcheck disable=SC2046 # In one line.
	echo "$1:" $(sed 1d out/reasons.csv | sed 's/,$//' | cut -d , -f 1,4- | sort -u)
	begin
}
# Somebody who runs.
begin() {
	echo 'JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine' >sacct.txt
	job=0
	job 0 600 '--nodes=1 --exclusive --nodelist=n1'
}
begin
job 10 100 '--exclusive --nodes=3'
job 11 100 '--exclusive --nodes=3'
job 12 100 '--exclusive --nodes=3'
run 'the next, and who stands behind it'
job 10 100 '--begin=2026-01-01T00:01:00'
job 11 100 '--dependency=afterok:1'
job 12 100 '--dependency=afternotok:1'
job 13 100 '--hold'
job 14 100 '--licenses=lic:1 --nodelist=n2'
job 15 100 '--licenses=lic:1 --nodelist=n2'
job 700 1 ''
run 'not to begin yet, depends, held, licences'
job 10 300 '--nodelist=n1'
job 700 1 ''
run 'held by an administrator' '2026-01-01T00:00:20 scontrol hold 2\n2026-01-01T00:01:20 scontrol release 2\n'
run 'requeued and held' '2026-01-01T00:00:05 scontrol requeuehold 1\n'
job 10 100 '--nodes=4'
job 11 100 '--partition=p --time=61'
job 12 100 '--partition=one --time=4'
job 13 100 '--partition=odd --qos=q'
job 14 100 '--partition=one --time=6'
job 15 100 '--partition=odd --qos=r --nodes=2'
job 16 100 '--partition=small --nodes=1 --mem=2000'
job 700 1 ''
run 'beyond what a partition allows'
job 10 100 '--nodelist=n2'
job 700 1 ''
run 'a partition that is down' '2026-01-01T00:00:05 scontrol update partitionname=p state=down\n2026-01-01T00:03:00 scontrol update partitionname=p state=up\n'
job 10 100 '--nodelist=n1'
job 700 1 ''
run 'a partition that is inactive' '2026-01-01T00:00:25 scontrol update partitionname=p state=inactive\n2026-01-01T00:03:00 scontrol update partitionname=p state=up\n'
job 20 100 '--reservation=r1'
job 21 100 '--reservation=r2'
job 700 1 ''
run 'reservations' '2026-01-01T00:00:05 scontrol create reservation reservationname=r1 starttime=now+60 duration=10 users=u nodes=n2\n2026-01-01T00:00:06 scontrol create reservation reservationname=r2 starttime=now+600 duration=10 users=u nodes=n3\n2026-01-01T00:00:50 scontrol delete reservation=r2\n'
job 20 100 '--nodelist=n2'
job 21 100 '--nodelist=n3'
job 22 100 '--nodelist=n4'
job 700 1 ''
run 'nodes that are not to be had' '2026-01-01T00:00:05 scontrol update nodename=n2 state=drain reason=disk\n2026-01-01T00:00:05 scontrol create reservation reservationname=r1 starttime=now+5 duration=10 users=u nodes=n3\n2026-01-01T00:00:06 scontrol create reservation reservationname=m starttime=now+5 duration=10 users=u nodes=n4 flags=maint\n2026-01-01T00:05:00 scontrol update nodename=n2 state=resume\n'
job 10 100 '--nodes=3 --exclusive'
job 700 1 ''
run 'too few nodes are up' '2026-01-01T00:00:05 scontrol update nodename=n[2-4] state=drain reason=disk\n2026-01-01T00:05:00 scontrol update nodename=n[2-4] state=resume\n'
job 200 100 '--partition=cloud'
job 700 1 ''
run 'nodes that boot'
job 10 100 '--array=0-2%1'
sed -i 's/^2|/2_0|/' sacct.txt
job 10 100 '--array=0-2%1'
sed -i 's/^3|/2_1|/' sacct.txt
job 700 1 ''
run 'so many tasks at once'
job 90 100 '--qos=t'
job 700 1 ''
run 'an account that has used more than its share'
job 10 100 '--nodelist=n1'
job 700 1 ''
run 'what no node has any more' '2026-01-01T00:00:20 scontrol update jobid=2 minmemorynode=100000\n'
job 20 100 '--partition=odd --qos=r'
job 700 1 ''
run 'maintenance' '2026-01-01T00:00:06 scontrol create reservation reservationname=m starttime=now+5 duration=10 users=v nodes=n3 flags=maint\n'
