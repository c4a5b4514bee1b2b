# From a moment on, worked by hand: 4 cpus in 2 nodes, easy. Job 1 (4 cpus) runs 0-100, jobs 2 and 3 (2 cpus, user b, a)
# 100-150, job 4 (b) 200-250, job 5 (a) 300-350.
cat >t.csv <<'END'
job_id,user,submit,run_time,time_limit,nodes,cpus_per_node
1,a,0,100,100,2,2
2,b,10,50,60,1,2
3,a,20,50,60,1,2
4,b,200,50,60,1,2
5,a,300,50,60,1,2
END
cat >c.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 2 }]
END
jobs() { sed 1d out/2-*/jobs.csv | cut -d , -f 1,5,7,8,15 | tr '\n' ' ' && echo; }
try() { schedlab whatif t.csv -c c.yaml -q -o out --force "$@" >/dev/null && jobs; }
# Who is submitted later than 20 s: job 5 of user a is not there, jobs 1 and 3 are.
try --at 20 --drop user=a
# Twice as often from 100 s on: job 4 comes at 150 s, job 5 at 200 s; and over the base's own factor of 0.5 at 250 s and 350 s.
try --at 100 --scale-load 2
try --base replay.load=0.5 --at 100 --scale-load 2
# Node n1 is down from 120 s on for 60 s: job 2 is queued again, and runs when job 3 leaves n2, 150-200.
try --at 120 --down n1 --for 60
# The same as a plain run, to the digest.
schedlab run t.csv -c c.yaml -q --model failures:outages='n1 120 180' -o plain >/dev/null
sed 1d plain/jobs.csv | cut -d , -f 1,5,7,8,15 | tr '\n' ' ' && echo
# Another policy from a moment on is what a run from a snapshot of then is.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
digest() { sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' "$1/run.json" | tail -n 1; }
schedlab run gpu-200.csv -c gpu-cluster.yaml -q --until 20h --snapshot s.json >/dev/null
schedlab run --from-snapshot s.json -q -p easy:order=sjf -o on >/dev/null
schedlab whatif gpu-200.csv -c gpu-cluster.yaml -q --at 20h -p easy -p easy:order=sjf -o fork | sed -n '1,2p;/^wait mean/p'
[ "$(digest fork/2-*)" = "$(digest on)" ] && echo same
cmp fork/2-*/jobs.csv on/jobs.csv && echo same
# A past that would be another is refused by its digest.
schedlab whatif t.csv -c c.yaml -q --at 120 --set 'failures.outages=n1 20 30' --set replay.models=failures || echo "exit $?"
