# replay.impossible=keep: a job that its partition can never hold keeps what it asks, is started nowhere, and has its
# reason, whatever the policy.
cat >slurm.conf <<'END'
ClusterName=m
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageTRES=gres/gpu
GresTypes=gpu
NodeName=c[1-2] CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=64000
NodeName=g[1-2] CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=64000 Gres=gpu:4
DownNodes=g[1-2] State=DOWN Reason=fan
PartitionName=cpu Nodes=c[1-2] Default=YES MaxTime=1:00:00
PartitionName=gpu Nodes=g[1-2] MaxTime=1:00:00
PartitionName=off Nodes=c[1-2] State=DOWN
END
# Job 2: both nodes are down. 3: no node has as many GPUs. 4: longer than its partition lets it be. 5: its partition is
# down. 6 asks the same as 4, and may.
cat >sacct.txt <<'END'
JobID|Submit|Start|End|State|Partition|Timelimit|ReqNodes|ReqCPUS|ReqMem|ReqTRES|User
1|2026-03-01T00:00:00|2026-03-01T00:00:00|2026-03-01T00:01:40|COMPLETED|cpu|00:10:00|1|2|4000M|cpu=2,mem=4000M,node=1|ann
2|2026-03-01T00:00:01|2026-03-01T00:00:01|2026-03-01T00:01:40|COMPLETED|gpu|00:10:00|1|4|32000M|cpu=4,mem=32000M,node=1,gres/gpu=2|ann
3|2026-03-01T00:00:02|2026-03-01T00:00:02|2026-03-01T00:01:40|COMPLETED|gpu|00:10:00|1|4|32000M|cpu=4,mem=32000M,node=1,gres/gpu=8|ann
4|2026-03-01T00:00:03|2026-03-01T00:00:03|2026-03-01T00:01:40|COMPLETED|cpu|02:00:00|1|2|4000M|cpu=2,mem=4000M,node=1|ann
5|2026-03-01T00:00:04|2026-03-01T00:00:04|2026-03-01T00:01:40|COMPLETED|off|00:10:00|1|2|4000M|cpu=2,mem=4000M,node=1|ann
6|2026-03-01T00:00:05|2026-03-01T00:00:05|2026-03-01T00:01:40|COMPLETED|cpu|00:10:00|1|2|4000M|cpu=2,mem=4000M,node=1|ann
END
cat >table.csv <<'END'
job_id,submit,run_time,time_limit,cpus,gpus,partition,nodes
1,0,100,200,4,2,gpu,1
2,0,100,200,4,0,cpu,1
3,0,100,200,4,9,gpu,1
END
for policy in slurm easy easy:place=slurm conservative sjf fairshare quota; do
	for trace in sacct.txt table.csv; do
		schedlab run $trace -c slurm.conf -p $policy --set replay.impossible=keep -o out --force --quiet --check 2>said >/dev/null ||
			{ cat said && continue; }
		echo "== $policy, $trace"
		cut -d, -f1,4,7,13-15 out/jobs.csv
		grep '"never\|never ended' said
		sed '1d; s/"//g' out/reasons.csv
	done
done
schedlab run sacct.txt -c slurm.conf -p easy --set replay.impossible=keep -o out --force
schedlab explain out 2 --no-what-if | head -20
