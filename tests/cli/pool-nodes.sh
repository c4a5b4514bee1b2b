# Policies that make nodes of a pool of processors: documents of their runs, where the trace has no requests. And a limit that an
# operator sets below what a job has run already ends it at slurmctld's next look.
schedlab generate lublin --jobs 4 --cpus 64 --seed 3 -o s.swf >/dev/null
for policy in slurm kube; do
	schedlab run s.swf -p $policy -o $policy -q >/dev/null
	schedlab report $policy -q >/dev/null && [ -s $policy/report.html ] && echo "$policy: page"
	schedlab report $policy --format perfetto -q >/dev/null && echo "$policy: perfetto"
done
schedlab compare s.swf -p easy -p slurm -o both -q >/dev/null && [ -s both/report.html ] && echo compared
printf '; MaxProcs: 4\n1 0 -1 3000 1 -1 -1 1 3600 -1 1 1 1 -1 -1 -1 -1 -1\n' >h.swf
echo '1541 scontrol update jobid=1 timelimit=22' >h.cmds
timeout 200 schedlab run h.swf -p slurm --set replay.commands=h.cmds --set replay.overrun=kill -o h -q >/dev/null 2>&1
echo "exit $?"
cut -d, -f1-12 h/jobs.csv
