# Each limit of an association or a QOS keeps a second job like the first waiting, or each of the two, and is what its
# wait is charged to. A limit on submissions refuses it, so that it does not wait at all.
cat >slurm.conf <<'END'
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos,safe
AccountingStorageTRES=gres/gpu,license/lic
Licenses=lic:4
NodeName=n[1-4] CPUs=4 RealMemory=4000 Gres=gpu:4
PartitionName=p Nodes=ALL Default=YES
END
echo 'Name=gpu File=/dev/nvidia[0-3]' >gres.conf
# limit OWNER KEY VALUE [account|user] [OPTION]: what the jobs 1 and 2 are charged; job 3 is another's, and runs on.
limit() {
	job="300|COMPLETED|0:0|sbatch --nodes=2 --ntasks=4 --mem=1000 --gres=gpu:2 --licenses=lic:2 --time=10 --qos=q ${5:-}"
	cat >sacct.txt <<END
JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine
1|J|u|a|||2026-01-01T00:00:00|Unknown|Unknown|$job job.sh
2|J|u|a|||2026-01-01T00:00:05|Unknown|Unknown|$job job.sh
3|J|v|b|||2026-01-01T00:00:06|Unknown|Unknown|900|COMPLETED|0:0|sbatch --time=20 --mem=10 --qos=r job.sh
END
	account='' user='' qos=''
	case $1,${4:-} in
	assoc,account) account=$3 ;;
	assoc,user) user=$3 ;;
	qos,*) qos=$3 ;;
	esac
	cat >accounts.txt <<END
Cluster|Account|User|Partition|ParentName|Share|QOS|Def QOS|$([ "$1" = qos ] && echo Comment || echo "$2")
c|root||||1|q,r|r|
c|a|||root|1|q,r|r|$account
c|a|u|||1|q,r|r|$user
c|b|||root|1|q,r|r|
c|b|v|||1|q,r|r|
END
	cat >qos.txt <<END
Name|Priority|UsageFactor|$([ "$1" = qos ] && echo "$2" || echo Comment)
q|0|1|$qos
r|0|1|
END
	schedlab run sacct.txt -c . -p slurm -o out --force --quiet --set cluster.accounts=accounts.txt \
		--set cluster.qos=qos.txt --until 1200 >/dev/null 2>err || cat err
	grep -i 'refuse' err
	# shellcheck disable=SC2046 # In one line.
	echo "$1 $2=$3:" $(sed 1d out/reasons.csv | cut -d , -f 1,4 | grep -v ',None$' | sort -u)
}
for owner in assoc qos; do
	for value in cpu=6 mem=3000 gres/gpu=6 license/lic=3 billing=6; do limit $owner GrpTRES $value account; done
	limit $owner GrpTRES node=3 account --exclusive
	for value in cpu=60 mem=30000 node=30 gres/gpu=60 license/lic=30 billing=60; do
		limit $owner GrpTRESMins $value account
		limit $owner GrpTRESRunMins $value account
	done
	for value in cpu=3 mem=1999 node=1 gres/gpu=3 license/lic=1 billing=3; do limit $owner MaxTRES $value user; done
	for value in cpu=39 mem=19999 node=19 gres/gpu=39 license/lic=19 billing=39; do limit $owner MaxTRESMins $value user; done
	for value in cpu=1 mem=999 gres/gpu=1 billing=1 node=0; do limit $owner MaxTRESPerNode $value user; done
	limit $owner GrpJobs 1 account
	limit $owner GrpSubmit 1 account
	limit $owner GrpWall 0 account
	limit $owner MaxWall 9 user
	limit $owner MaxJobs 1 user
	limit $owner MaxSubmit 1 user
done
for value in cpu=6 mem=3000 gres/gpu=6 license/lic=3 billing=6; do
	limit qos MaxTRESPerUser $value
	limit qos MaxTRESPerAccount $value
done
limit qos MaxTRESPerUser node=3 user --exclusive
limit qos MaxTRESPerAccount node=3 user --exclusive
for value in cpu=5 mem=2001 node=3 gres/gpu=5 license/lic=3 billing=5; do limit qos MinTRES $value; done
limit qos MaxJobsPerAccount 1
limit qos MaxSubmitJobsPerAccount 1
