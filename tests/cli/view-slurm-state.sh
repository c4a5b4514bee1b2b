# squeue, sinfo and scontrol of runs under policy slurm: what the controller knows and the engine does not. The worlds
# are those of tests/golden/slurm 99-power-save, own-31-drain-down and own-57-resv-nodecnt, shortened. As recorded from
# slurmctld 22.05.8: sinfo of the first at all four moments, of the second at 40 and 75, reservations at 9. At 25 it
# showed n3 as mix, not mix-, two seconds after a plan had it. All else is what we print, not what was recorded.
fast=SchedulerParameters=bf_interval=1,bf_resolution=1,bf_continue,bf_max_time=60,sched_interval=1,batch_sched_delay=0
world() { # NAME NODES LINES OF slurm.conf...: and jobs from stdin: second, run time, options.
	name=$1
	mkdir "$name"
	{
		printf 'SLURM_VERSION=22.05.8\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nPriorityType=priority/basic\n%s\n' "$fast"
		echo "NodeName=n[1-$2] CPUs=4 CoresPerSocket=4 RealMemory=4000"
		echo 'PartitionName=p Nodes=ALL Default=YES'
		shift 2
		printf '%s\n' "$@"
	} >"$name/slurm.conf"
	{
		echo 'JobID|JobName|User|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine'
		id=0
		while read -r user at run options; do
			id=$((id + 1))
			echo "$id|J|$user|2024-01-01T00:$at|Unknown|Unknown|$run|COMPLETED|0:0|sbatch --mem=100 $options --wrap=true"
		done
	} >"$name.txt"
}
run() { schedlab run "$1.txt" -c "$1" -p "$2" ${3:+--set "replay.commands=$3"} -o "$1.out" -q >"$1.sum" 2>&1 || cat "$1.sum"; }
world power 4 SuspendProgram=/bin/true ResumeProgram=/bin/true SuspendTime=60 SuspendTimeout=10 ResumeTimeout=100 <<'END'
root 00:00 150 --time=4 --nodes=1 --exclusive
root 01:50 30 --time=1 --nodes=2 --exclusive
root 02:00 30 --time=1 --nodes=1 --exclusive
END
run power slurm:boot=20
for at in 80 118 140 170; do
	echo "-- sinfo at $at"
	schedlab view sinfo power.out --at $at
done
echo '-- squeue, scontrol at 140'
schedlab view squeue power.out --at 140
schedlab view squeue power.out --at 140 -h -t CF -o '%i %t %T %N %S %e %M' || echo "exit $?"
schedlab view scontrol power.out --at 140 -o show node n4
world drain 3 ReturnToService=0 <<'END'
root 00:00 60 --time=2 --nodes=1 --exclusive
root 00:04 60 --time=2 --nodes=1 --exclusive
root 00:08 30 --time=1 --nodes=2 --exclusive
root 00:12 30 --time=1 --ntasks=1
root 00:16 20 --time=1 --nodes=3 --exclusive
END
cat >drain.commands <<'END'
2024-01-01T00:00:20 scontrol update nodename=n1 state=drain reason=x
2024-01-01T00:00:30 scontrol update nodename=n2 state=down reason=y
2024-01-01T00:01:40 scontrol update nodename=n1 state=resume
2024-01-01T00:01:50 scontrol update nodename=n2 state=resume
2024-01-01T00:01:55 scontrol update partitionname=p state=drain maxtime=30
END
run drain slurm drain.commands
for at in 18 25 40 75 118; do
	echo "-- sinfo, squeue --start at $at"
	schedlab view sinfo drain.out --at $at -h
	schedlab view squeue drain.out --at $at --start -h
done
schedlab view sinfo drain.out --at 40 -R -h
world resv 4 ReturnToService=2 <<'END'
root 00:00 60 --time=2 --nodes=1 --exclusive
root 00:02 60 --time=5 --nodes=1 --exclusive
u1 00:18 20 --time=1 --nodes=1 --exclusive --reservation=r
END
cat >resv.commands <<'END'
2024-01-01T00:00:05 scontrol create reservation ReservationName=r StartTime=now+20 Duration=2 Users=u1 NodeCnt=2 PartitionName=p
2024-01-01T00:00:07 scontrol create reservation ReservationName=q StartTime=now+200 Duration=2 Users=u2 NodeCnt=1 PartitionName=p
END
run resv slurm resv.commands
echo '-- reservations at 9, 30, 400'
schedlab view scontrol resv.out --at 9 -o show res
schedlab view sinfo resv.out --at 30 -h
schedlab view sinfo resv.out --at 30 -T
schedlab view scontrol resv.out --at 400 show res
