# sprio and sshare of runs under policy slurm. The two worlds were recorded from a real slurmctld 22.05.8
# (tests/golden/slurm: 76-age-factor, 74-fair-tree), and what is shown here is what it showed, but for names and one
# second that its jobs ran less long.
mkdir age fair
cat >age/slurm.conf <<'END'
SLURM_VERSION=22.05.8
ClusterName=rig
SlurmctldHost=localhost
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityMaxAge=0-00:10
PriorityWeightAge=1000
PriorityCalcPeriod=1
PriorityWeightQOS=150
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0
NodeName=n[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000
PartitionName=p Nodes=ALL State=UP Default=YES
END
cat >age.accounts <<'END'
Cluster|Account|User|Partition|Share|QOS|Def QOS
rig|root|||1|normal|
rig|root|root||1|normal|
rig|acc|||1|normal|
rig|acc|u1||1|normal,low,high|normal
rig|acc|u2||1|normal,low,high|normal
rig|acc|u3||1|normal,low,high|normal
END
printf 'Name|Priority|UsageFactor\nnormal|10|1.000000\nlow|1|1.000000\nhigh|100|1.000000\n' >age.qos
cat >age.txt <<'END'
JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine
1|A|u1|acc||normal|2024-01-01T00:00:59|Unknown|Unknown|200|COMPLETED|0:0|sbatch --time=5 --mem=100 --nodes=2 --exclusive --wrap=true
2|B|u1|acc||normal|2024-01-01T00:01:03|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=2 --exclusive --wrap=true
3|C|u2|acc||high|2024-01-01T00:02:03|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=2 --qos=high --exclusive --wrap=true
4|D|u2|acc||normal|2024-01-01T00:03:03|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=2 --nice=-50 --exclusive --wrap=true
5|E|u3|acc||normal|2024-01-01T00:03:29|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=2 --hold --exclusive --wrap=true
END
echo '2024-01-01T00:03:49 scontrol release 5' >age.commands
sed 's/^PriorityWeightAge.*/PriorityWeightFairshare=10000/; s/^PriorityMaxAge.*/PriorityDecayHalfLife=0-01:00/; /QOS=/d; s/^NodeName=n.1-2./NodeName=n[1-4]/' \
	age/slurm.conf >fair/slurm.conf
cat >fair.accounts <<'END'
Cluster|Account|User|Partition|ParentName|Share|QOS|Def QOS
rig|root||||1|normal|
rig|root|root|||1|normal|
rig|a|||root|40|normal|
rig|b|||root|30|normal|
rig|c|||a|10|normal|
rig|d|||a|30|normal|
rig|c|u1|||10|normal|
rig|c|u2|||10|normal|
rig|d|u3|||5|normal|
rig|d|u4|||15|normal|
rig|b|u5|||1|normal|
rig|b|u6|||3|normal|
END
{
	echo 'JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine'
	id=0
	for job in 'u1 c 00 120 ntasks=4' 'u3 d 02 120 ntasks=2' 'u5 b 04 120 ntasks=6' 'u6 b 06 120 ntasks=4' \
		'u1 c 16 40 nodes=4' 'u2 c 18 40 nodes=4' 'u3 d 20 40 nodes=4' 'u4 d 22 40 nodes=4' 'u5 b 24 40 nodes=4' \
		'u6 b 26 40 nodes=4'; do
		# shellcheck disable=SC2086 # Words.
		set -- $job
		id=$((id + 1))
		exclusive=
		[ "$5" = nodes=4 ] && exclusive=' --exclusive'
		echo "$id|J|$1|$2|||2024-01-01T00:00:$3|Unknown|Unknown|$4|COMPLETED|0:0|sbatch --time=3 --mem=100 --$5$exclusive --wrap=true"
	done
} >fair.txt
schedlab run age.txt -c age -p slurm:start=12 --set replay.commands=age.commands --set cluster.accounts=age.accounts \
	--set cluster.qos=age.qos -o one --quiet >summary 2>&1 || cat summary
schedlab run fair.txt -c fair -p slurm:start=8 --set cluster.accounts=fair.accounts -o two --quiet >summary 2>&1 ||
	cat summary
for at in 70 100 130 190; do
	echo "-- sprio -l at $at"
	schedlab view sprio one --at $at -l
done
for options in '' '-w' '-n' '-n -w' '-h -u u2' '-h -j 2,4' '-h -S -y' '-h -o %i|%r|%u|%Y|%A|%Q|%N|%o|%n|%a|%q|' '-h -p q'; do
	echo "-- sprio $options"
	# shellcheck disable=SC2086 # Words.
	schedlab view sprio one --at 190 $options
done
schedlab view squeue one --at 190 -h -o '%i %Q' -t PD
echo '-- sprio -l, rounded and cut'
schedlab view sprio two --at 70 -l -h
for at in 10 70; do
	echo "-- sshare -a -l at $at"
	schedlab view sshare two --at $at -a -l
done
for options in '' '-u u1,u5' '-A c -a -n' '-a -n -P -o Account,User,RawUsage,LevelFS' '-a -n -p -o User%3,FairShare' '-U -a -n -m' '-e'; do
	echo "-- sshare $options"
	# shellcheck disable=SC2086 # Words.
	schedlab view sshare two --at 70 $options
done
schedlab view sshare two --at 80 -a -n -o User,RawUsage >eighty
schedlab view sshare two --at 110 -a -n -o User,RawUsage | cmp eighty - && echo 'RawUsage moves at calculations and ends only'
echo '-- refused'
schedlab view sshare two --at 70 -o Nothing || echo "exit $?"
schedlab view sprio two --at 70 -l -o %i || echo "exit $?"
schedlab view sprio two --at 70 -S '!' || echo "exit $?"
schedlab view sprio two --at 70 --nonsense || echo "exit $?"
schedlab run fair.txt -c fair -p easy -o easy --quiet >summary 2>&1
schedlab view sprio easy --at 70 || echo "exit $?"
schedlab view sshare easy --at 70 || echo "exit $?"
sed -i 's/^PriorityType.*/PriorityType=priority\/basic/' fair/slurm.conf
schedlab run fair.txt -c fair -p slurm --set cluster.accounts=fair.accounts -o basic --quiet >summary 2>&1
schedlab view sprio basic --at 70 || echo "exit $?"
