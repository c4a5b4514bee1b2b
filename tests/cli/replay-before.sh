# A run that begins in mid-log (replay.start=recorded) with what was before it (replay.before): fair shares go on, so that every job starts as in
# the whole run; without it they begin with what runs, and it is otherwise.
schedlab run "$ROOT/traces/bundled/lublin-256.swf" --jobs 600 -q -p fairshare -o whole >/dev/null
{ echo '; MaxProcs: 256' && awk -F, 'NR > 1 { print $1, $5, $9, $10, $13, -1, -1, $13, $11, -1, 1, $2, -1, -1, -1, -1, -1, -1 }' whole/jobs.csv; } >log.swf
for before in 0 400d; do
	schedlab run log.swf -q -p fairshare --from 8d --set replay.start=recorded --set replay.before=$before --check -o "of-$before" | grep jobs.total
	awk -F, 'FNR == 1 { next } NR == FNR { start[$1] = $7; next } $7 > 691200 { n++; other += start[$1] != $7 } END { print n " jobs, " (other > 0 ? "some" : "none") " otherwise" }' \
		whole/jobs.csv "of-$before/jobs.csv"
done
# Policies that are told nothing of it, and one that controls the run.
for policy in easy slurm; do
	schedlab run log.swf -q -p $policy -c "$ROOT/tests/data/before.yaml" --from 8d --set replay.start=recorded --set replay.before=14d --check | grep jobs.total
done
schedlab run log.swf -q -p easy --set replay.before=14d
echo "exit $?"
# A forecast tells it as the policy needs it: user 1 has used the machine for long, so that job 4 of user 2 goes before job 3; not so if nothing is told.
cat >fair.swf <<'END_OF_LOG'
; MaxProcs: 4
1 0 0 1000 4 -1 -1 4 1000 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 990 100 4 -1 -1 4 100 -1 1 3 -1 -1 -1 -1 -1 -1
3 20 1080 100 4 -1 -1 4 100 -1 1 1 -1 -1 -1 -1 -1 -1
4 30 1170 100 4 -1 -1 4 100 -1 1 2 -1 -1 -1 -1 -1 -1
END_OF_LOG
for before in 14d 0; do
	schedlab forecast fair.swf -q -p fairshare --at 1050 --horizon 0.001 --futures 5 --set replay.before=$before
done
schedlab forecast fair.swf -q -p fairshare --at 1050 --horizon 0.001 --futures 5 --json | grep '"job"' >a
schedlab forecast fair.swf -q -p fairshare --at 1050 --horizon 0.001 --futures 5 --set before=14d --json | grep '"job"' | cmp a - && echo same
# The same under slurm with PriorityWeightFairshare: user u1 has used the node for four hours, so that u2 goes first.
mkdir sl
cat >sl/slurm.conf <<'END_OF_CONF'
ClusterName=c
PriorityType=priority/multifactor
PriorityWeightFairshare=100000
AccountingStorageType=accounting_storage/slurmdbd
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n1 CPUs=4
PartitionName=p Nodes=n1 Default=YES
END_OF_CONF
printf 'Cluster|Account|User|Share\nc|root||1\nc|x||1\nc|x|u1|1\nc|x|u2|1\nc|x|u3|1\n' >assoc.txt
cat >now.txt <<'END_OF_LOG'
JobID|User|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|NNodes|ReqCPUS|AllocCPUS
1|u1|x|p|2026-01-05T05:00:00|2026-01-05T05:00:00|2026-01-05T09:00:00|04:00:00|04:10:00|COMPLETED|1|4|4
2|u3|x|p|2026-01-05T09:00:00|2026-01-05T09:00:00|2026-01-05T09:01:40|00:01:40|00:10:00|COMPLETED|1|4|4
4|u3|x|p|2026-01-05T09:00:00|2026-01-05T09:05:00|Unknown|00:00:50|00:10:00|RUNNING|1|4|4
5|u1|x|p|2026-01-05T09:00:01|Unknown|Unknown|00:00:00|00:10:00|PENDING|1|4|0
6|u2|x|p|2026-01-05T09:00:02|Unknown|Unknown|00:00:00|00:10:00|PENDING|1|4|0
END_OF_LOG
for more in --set=replay.before=0 --set=replay.before=14d --seed=1; do
	schedlab forecast now.txt -c sl -p slurm -q --horizon 0.001 --futures 5 --calibrate 0 --set cluster.accounts=assoc.txt "$more" 2>/dev/null | cut -c 1-60
done
schedlab forecast fair.swf -q -p fairshare --at 1050 --set replay.before=soon
echo "exit $?"
