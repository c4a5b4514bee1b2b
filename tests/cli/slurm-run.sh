# Slurm's controller on the example: under --check; passes that find nothing changed make no difference; so does going
# on from a snapshot.
run() { schedlab run "$ROOT/docs/examples/slurm/week.txt" -c "$ROOT/docs/examples/slurm" --quiet "$@" >/dev/null 2>&1; }
printf '1d scontrol update nodename=cn[01-04] state=drain reason=disks\n2d scontrol update nodename=cn[01-04] state=resume\n' >commands
run -p slurm --set replay.commands=commands --check -o checked
run -p slurm:skip=0 --set replay.commands=commands -o all
run -p slurm --set replay.commands=commands --until 3d --snapshot begun.json -o begun
schedlab run --from-snapshot begun.json --quiet -o rest >/dev/null 2>&1
for file in jobs reasons usage; do
	cmp checked/$file.csv all/$file.csv && cmp checked/$file.csv rest/$file.csv && echo "$file is the same"
done
# Nothing runs on the drained nodes before they are resumed, but what ran there already.
awk -F, 'NR > 1 && $7 != "" && $7 < $6 { early++ } END { print early + 0 " started before they were eligible" }' checked/jobs.csv
# Cores of the node are given out three times, and memory is not.
cat >slurm.conf <<'END'
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0
NodeName=n1 CPUs=2 RealMemory=1000
PartitionName=p Nodes=n1 Default=YES OverSubscribe=FORCE:3
END
cat >jobs.swf <<'END'
; UnixStartTime: 1800000000
END
for job in 1 2 3 4; do echo "$job 0 -1 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1" >>jobs.swf; done
schedlab run jobs.swf -c slurm.conf -p slurm --check -o shared --quiet | grep -e utilization -e completed
cut -d, -f1,7,8 shared/jobs.csv
cut -d, -f1-4 shared/usage.csv
# A counted pool: nodes of one cpu, for tasks of one cpu.
schedlab run "$DATA/four.swf" -p slurm --check -o pool --quiet >/dev/null
cut -d, -f1,7,8,12-14 pool/jobs.csv
