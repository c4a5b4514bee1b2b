# Under policy slurm: limits of an account and who uses it up, a licence, a hold that an operator lifts, priorities with
# what they are made of, a job that goes ahead by backfill, a planned start that an early end moves; one switch.
mkdir site
cat >site/slurm.conf <<'END2'
ClusterName=rig
SlurmctldHost=localhost
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityMaxAge=0-00:10
PriorityWeightAge=1000
PriorityWeightFairshare=2000
PriorityWeightQOS=150
PriorityCalcPeriod=1
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0
Licenses=sim:2
NodeName=n[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000
PartitionName=p Nodes=ALL State=UP Default=YES
END2
cat >accounts <<'END2'
Cluster|Account|User|Partition|Share|QOS|Def QOS|GrpTRES
rig|root|||1|normal||
rig|a|||1|normal||cpu=4
rig|a|ann||1|normal|normal|
rig|b|||1|normal||
rig|b|bob||1|normal|normal|
END2
printf 'Name|Priority|UsageFactor\nnormal|10|1.000000\n' >qos
cat >jobs.txt <<'END2'
JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine
1|A|ann|a||normal|2024-01-01T00:00:10|Unknown|Unknown|60|COMPLETED|0:0|sbatch --time=2 --mem=100 --ntasks=4 --wrap=true
2|B|ann|a||normal|2024-01-01T00:00:12|Unknown|Unknown|30|COMPLETED|0:0|sbatch --time=2 --mem=100 --ntasks=2 --wrap=true
3|C|bob|b||normal|2024-01-01T00:00:14|Unknown|Unknown|90|COMPLETED|0:0|sbatch --time=4 --mem=100 --ntasks=2 --licenses=sim:2 --wrap=true
4|D|bob|b||normal|2024-01-01T00:00:16|Unknown|Unknown|30|COMPLETED|0:0|sbatch --time=1 --mem=100 --ntasks=1 --licenses=sim:1 --wrap=true
5|E|bob|b||normal|2024-01-01T00:00:18|Unknown|Unknown|60|COMPLETED|0:0|sbatch --time=3 --mem=100 --nodes=2 --exclusive --wrap=true
6|F|bob|b||normal|2024-01-01T00:00:20|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=1 --mem=100 --ntasks=1 --wrap=true
7|G|bob|b||normal|2024-01-01T00:00:22|Unknown|Unknown|20|COMPLETED|0:0|sbatch --time=1 --mem=100 --ntasks=1 --hold --wrap=true
END2
echo '2024-01-01T00:01:00 scontrol release 7' >commands
schedlab run jobs.txt -c site -p slurm --set replay.commands=commands --set cluster.accounts=accounts --set cluster.qos=qos \
	-o out --quiet >/dev/null
cut -d, -f 1,5-9 out/jobs.csv
for job in 2 4 5 7; do
	echo
	schedlab explain out $job --no-what-if
done

# Two leaves with two nodes each, one of each is taken: two nodes are free, but not below one switch.
mkdir tree
cat >tree/slurm.conf <<'END2'
ClusterName=rig
SlurmctldHost=localhost
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
TopologyPlugin=topology/tree
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0,max_switch_wait=1000
NodeName=n[1-4] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000
PartitionName=p Nodes=ALL State=UP Default=YES
END2
cat >tree/topology.conf <<'END2'
SwitchName=leaf1 Nodes=n[1-2]
SwitchName=leaf2 Nodes=n[3-4]
SwitchName=top Switches=leaf[1-2]
END2
cat >switch.txt <<'END2'
JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine
1|A|ann|a|||2024-01-01T00:00:10|Unknown|Unknown|60|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=1 --exclusive --nodelist=n1 --wrap=true
2|B|ann|a|||2024-01-01T00:00:10|Unknown|Unknown|90|COMPLETED|0:0|sbatch --time=2 --mem=100 --nodes=1 --exclusive --nodelist=n3 --wrap=true
3|C|bob|b|||2024-01-01T00:00:14|Unknown|Unknown|90|COMPLETED|0:0|sbatch --time=4 --mem=100 --nodes=2 --exclusive --switches=1@10:00 --wrap=true
END2
schedlab run switch.txt -c tree -p slurm -o switch --quiet >/dev/null
echo
schedlab explain switch 3 --what-if fewer
