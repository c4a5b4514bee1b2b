# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong is said before anything is simulated, and nothing is written.
{
	echo '; MaxProcs: 4'
	awk 'BEGIN { for (i = 1; i <= 32; i++) printf "%d %d -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1\n", i, i * 100 }'
} >t.swf
bad() { schedlab tune "$@" -q -o d || echo "exit $?"; }
bad
bad t.swf
bad t.swf --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf
bad t.swf --vary policy.order=fcfs,sjff --minimize wait.mean
bad t.swf --vary policy=easy,esay --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.maen
bad t.swf --vary policy.order=fcfs --vary policy.order=sjf --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --require 'wait.max'
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --require 'wait.max 1..2'
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --spans 3
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --span 40m
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --span soon
bad t.swf --vary slurm.conf:PriorityWeightAge=1,2 --minimize wait.mean
bad t.swf --vary replay.size=requested,larger --minimize wait.mean --warm-up 1h --set replay.load=1.1
schedlab tune t.swf --vary policy.order=fcfs,sjf --minimize wait.mean -q || echo "exit $?"
mkdir other && : >other/file
schedlab tune t.swf --vary policy.order=fcfs,sjf --minimize wait.mean -q -o other || echo "exit $?"
printf 'vary: {policy.order: [fcfs, sjf]}\nminimise: [wait.mean]\n' >spec.yaml
bad t.swf --spec spec.yaml
printf -- '- a\n' >spec.yaml
bad --spec spec.yaml
# A value that no run can have, alone or with any policy; a name that nobody knows.
bad t.swf --vary cluster.cpus=4,0 --minimize wait.mean --spans 8
bad t.swf --vary policy=easy,fcfs --vary policy.order=fcfs,sjff --minimize wait.mean --spans 8
bad t.swf --vary policy.ordr=fcfs,sjf --minimize wait.mean --spans 8
bad t.swf --vary replay.lod=1,2 --minimize wait.mean --spans 8
bad t.swf --vary policy.order=fcfs,sjf --minimize 'wait.mean{cpus>=8}' --spans 8
# Of Slurm's files: keys, options, attributes and partitions that there are not; one that an included file has; twice the same.
mkdir conf
printf 'ClusterName=c\nSlurmctldHost=h\nSchedulerParameters=bf_window=60\nInclude more.conf\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=n1 Default=YES\n' >conf/slurm.conf
echo PriorityWeightJobSize=5 >conf/more.conf
for what in PriorityWeightAgee SchedulerParameter/bf_window SchedulerParameters/bf_windw PartitionName/p/MaxTim PartitionName/q/MaxTime PriorityWeightJobSize; do
	bad t.swf -c conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:$what=60,120
done
bad t.swf -c conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:PriorityWeightAge=low,high
bad t.swf -c conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:SchedulerParameters=x --vary slurm.conf:SchedulerParameters/bf_window=1,2
bad t.swf -c conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:PriorityWeightAge=1,2 --vary slurm.conf:priorityweightage=3,4
bad t.swf -c conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:LaunchParameters/a=1,2 --vary slurm.conf:LaunchParameters/b=3,4
# One that the policy does not follow is said; a file by itself has what it includes beside it, a folder has folders.
schedlab tune t.swf -c conf -p easy --spans 8 --minimize wait.mean --vary slurm.conf:PriorityWeightAge=1,2 -q -o e | grep 'settings tried'
schedlab tune t.swf -c conf/slurm.conf -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:PriorityWeightAge=1,2 -q -o f | grep 'settings tried'
mkdir -p below/conf.d
sed 's,more,conf.d/more,' conf/slurm.conf >below/slurm.conf
cp conf/more.conf below/conf.d
schedlab tune t.swf -c below -p slurm --spans 8 --minimize wait.mean --vary slurm.conf:PriorityWeightAge=1,2 -q -o g | grep 'settings tried'
# Of what has an order some values may be refused: they are not chosen, and said.
schedlab tune t.swf --vary cluster.cpus=0,2,4,8 --minimize wait.mean --spans 8 -q -o h >out || echo "exit $?"
grep -c 'no better' out
