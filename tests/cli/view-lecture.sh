# A lecture's demonstration, on Slurm's own files: partition batch*, ten nodes dgx[0180-0189], all idle; srun of five
# tasks of two cpus and one GPU for four hours lands on dgx0180, which is mixed then; a second one with two GPUs lands
# there too; after scancel all ten are idle again.
mkdir etc
cat >etc/slurm.conf <<'END'
ClusterName=course
SlurmctldHost=login
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
GresTypes=gpu
NodeName=dgx[0180-0189] Sockets=2 CoresPerSocket=20 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:v100:4 State=UNKNOWN
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=1000
END
cat >etc/gres.conf <<'END'
NodeName=dgx[0180-0189] Name=gpu Type=v100 File=/dev/nvidia[0-3]
END
cat >sacct.txt <<'END'
JobID|JobIDRaw|JobName|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|State|ExitCode|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|NodeList|SubmitLine
1|1|bash|student|course|batch|normal|2026-01-12T10:00:00|2026-01-12T10:00:00|2026-01-12T10:00:00|2026-01-12T10:10:00|04:00:00|CANCELLED by 1000|0:0|1|10|10|10000M|billing=10,cpu=10,gres/gpu=1,mem=10000M,node=1|billing=10,cpu=10,gres/gpu=1,mem=10000M,node=1|dgx0180|srun --ntasks=5 --nodes=1 --cpus-per-task=2 --partition=batch --time=4:00:00 --gres=gpu:1 --pty /bin/bash
2|2|bash|student|course|batch|normal|2026-01-12T10:05:00|2026-01-12T10:05:00|2026-01-12T10:05:00|2026-01-12T10:15:00|04:00:00|CANCELLED by 1000|0:0|1|10|10|10000M|billing=10,cpu=10,gres/gpu=2,mem=10000M,node=1|billing=10,cpu=10,gres/gpu=2,mem=10000M,node=1|dgx0180|srun --ntasks=5 --nodes=1 --cpus-per-task=2 --partition=batch --time=4:00:00 --gres=gpu:2 --pty /bin/bash
END
schedlab run sacct.txt -c etc -o out --quiet >summary 2>said || cat said
export SCHEDLAB_RUN="$PWD/out"
schedlab view --install bin >summary
for at in 09:59 10:01 10:06 10:12 10:20; do
	echo "-- $at"
	export SCHEDLAB_AT="2026-01-12T$at"
	bin/sinfo
	bin/squeue
done
bin/scontrol show node dgx0180 | grep -E 'State=|Gres='
bin/sacct -X -o jobid,state%20,elapsed,alloctres%48,nodelist
