# Who is in nobody's way is not said to be ahead, nor is a window on nodes that a job does not use.
# Under policy slurm: partitions cpu (n1, n2) and gpu (g1, g2). 7 waits for a cpu of n: 3 and 4, of higher priority, wait for
# g, 5 for a job, 6 for a time: nobody is ahead of it. 9 has 7 ahead of it, and 8, which wants all nodes.
mkdir site
cat >site/slurm.conf <<'END2'
ClusterName=rig
SlurmctldHost=localhost
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightPartition=5000
SchedulerParameters=bf_interval=10,bf_resolution=1,sched_interval=10,batch_sched_delay=0
NodeName=n[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000
NodeName=g[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=4000
PartitionName=cpu Nodes=n[1-2] State=UP Default=YES PriorityJobFactor=1
PartitionName=gpu Nodes=g[1-2] State=UP PriorityJobFactor=10
PartitionName=all Nodes=ALL State=UP PriorityJobFactor=1
END2
cat >jobs.txt <<'END2'
JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine
1|A|ann|a|cpu||2024-01-01T00:00:10|Unknown|Unknown|600|COMPLETED|0:0|sbatch -p cpu --time=20 --mem=100 --ntasks=8 --wrap=true
2|B|ann|a|gpu||2024-01-01T00:00:12|Unknown|Unknown|3000|COMPLETED|0:0|sbatch -p gpu --time=60 --mem=100 --ntasks=8 --wrap=true
3|C|bob|b|gpu||2024-01-01T00:00:14|Unknown|Unknown|90|COMPLETED|0:0|sbatch -p gpu --time=4 --mem=100 --ntasks=8 --wrap=true
4|D|bob|b|gpu||2024-01-01T00:00:16|Unknown|Unknown|30|COMPLETED|0:0|sbatch -p gpu --time=4 --mem=100 --ntasks=8 --wrap=true
5|E|bob|b|cpu||2024-01-01T00:00:18|Unknown|Unknown|60|COMPLETED|0:0|sbatch -p cpu --time=3 --mem=100 --ntasks=4 --dependency=afterok:2 --wrap=true
6|F|bob|b|cpu||2024-01-01T00:00:18|Unknown|Unknown|60|COMPLETED|0:0|sbatch -p cpu --time=3 --mem=100 --ntasks=4 --begin=now+1hour --wrap=true
7|G|cyd|b|cpu||2024-01-01T00:00:20|Unknown|Unknown|20|COMPLETED|0:0|sbatch -p cpu --time=1 --mem=100 --ntasks=1 --wrap=true
8|H|cyd|b|all||2024-01-01T00:00:20|Unknown|Unknown|20|COMPLETED|0:0|sbatch -p all --time=1 --mem=100 --ntasks=16 --wrap=true
9|I|cyd|b|cpu||2024-01-01T00:00:21|Unknown|Unknown|20|COMPLETED|0:0|sbatch -p cpu --time=120 --mem=100 --ntasks=1 --wrap=true
END2
schedlab run jobs.txt -c site -p slurm -o out --quiet >/dev/null
for job in 7 9; do
	schedlab explain out $job --no-what-if | sed -n '/waited for/,/^$/p'
done
# Backfill passes every ten seconds: what moved a plan at 50:20 was the end of 2, eight seconds before.
schedlab explain out 8 --no-what-if | sed -n '/planned/,$p'
# A queue for each partition, and two windows: of these one takes nodes of the other partition.
cat >cluster.yaml <<'END2'
name: parts
nodes:
  - { name: n, count: 2, cpus: 4 }
  - { name: g, count: 2, cpus: 4 }
partitions:
  - { name: cpu, nodes: "n[1-2]" }
  - { name: gpu, nodes: "g[1-2]" }
reservations:
  - { name: maint, nodes: "g[1-2]", start: 2000, end: 3000 }
  - { name: repair, nodes: "n1", start: 500, end: 800 }
END2
cat >jobs.csv <<'CSV'
job_id,user,partition,submit,run_time,time_limit,tasks,cpus_per_task
1,ann,gpu,0,1000,1500,2,4
2,ann,gpu,1,100,200,2,4
4,bob,cpu,3,400,450,2,4
5,cyd,cpu,4,10,2100,2,4
6,cyd,cpu,5,10,20,1,4
CSV
schedlab run jobs.csv -c cluster.yaml -p easy:queues=partition -o lanes --quiet >/dev/null
for job in 5 6; do
	schedlab explain lanes $job --no-what-if | sed -n '/waited for/,/^$/p'
done
