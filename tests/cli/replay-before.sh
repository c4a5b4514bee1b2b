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
schedlab forecast fair.swf -q -p fairshare --at 1050 --set replay.before=soon
echo "exit $?"
