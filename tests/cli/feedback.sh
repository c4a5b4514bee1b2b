# SPDX-License-Identifier: GPL-3.0-or-later
# Submissions that follow the end of the job before; jobs of further traces.
cat >f.swf <<'SWF'
; MaxProcs: 2
1 0 -1 100 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1
2 10 -1 50 2 -1 -1 2 50 -1 1 2 1 1 1 1 -1 -1
3 500 -1 20 1 -1 -1 1 20 -1 1 1 1 1 1 1 1 30
4 540 -1 10 2 -1 -1 2 10 -1 1 3 1 1 1 1 99 200
SWF
for how in none after think; do
	schedlab run f.swf -p fcfs --set replay.feedback=$how -o $how >/dev/null
	cut -d, -f1,5,7,8,9 $how/jobs.csv
done
schedlab run f.swf --quiet -p fcfs -o plain >/dev/null
cmp none/jobs.csv plain/jobs.csv && echo same
schedlab compare f.swf --quiet -p fcfs -p sjf --set replay.feedback=think >/dev/null && echo compared
printf 'submit,run_time,cpus,job_id,dependency\n0,100,1,1,\n5,50,2,2,afterok:1\n' >more.csv
schedlab run f.swf --quiet -p fcfs --set replay.with=more.csv -o with >/dev/null
cut -d, -f1,5,7,8 with/jobs.csv
grep '"path"' with/run.json | sed 's/sha256.*bytes/bytes/'
schedlab run f.swf --quiet --set replay.with=more.csv --set replay.feedback=after || echo "exit $?"
schedlab run f.swf --quiet --set replay.with=none.csv || echo "exit $?"
# A run that stopped goes on from its snapshot, to the same end.
for set in replay.feedback=think replay.with=more.csv; do
	schedlab run f.swf --quiet -p fcfs --set $set --until 120 -o part --force >/dev/null
	schedlab run --from-snapshot part/snapshot.json --quiet -o whole --force >/dev/null
	schedlab run f.swf --quiet -p fcfs --set $set -o once --force >/dev/null
	cmp whole/jobs.csv once/jobs.csv && echo resumed
done
schedlab run f.swf --quiet -p fcfs --set replay.feedback=think --until 120 -o part --force >/dev/null
schedlab run --from-snapshot part/snapshot.json --quiet -p sjf || echo "exit $?"
