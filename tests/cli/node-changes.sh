# Four nodes of one cpu and one GPU, from the first submission at 10 to the last end at 60: 200 s of each. n1 is down from 20
# to 40 (20 s); n2 drained from 5 to 30, idle (20 s from 10 on); n3 drained from 15 on, while job 2 has its cpu until 50
# (10 s, its GPU 45 s); n4 goes down after all. Busy were 80 s of cpus, 40 s of GPUs: 80/150 and 40/115 of what was there.
cat >nodes.yaml <<'EOF'
nodes:
  - { name: n, count: 4, cpus: 1, gpus: 1 }
EOF
printf 'job_id,submit,run_time,tasks,cpus_per_task,gpus_per_task\n1,10,10,1,1,1\n2,10,40,1,1,0\n3,30,30,1,1,1\n' >jobs.csv
cat >log.csv <<'EOF'
node,from,until,cause,state
n1,20,40,disk,DOWN
n2,5,30,check,DRAIN
n3,15,200,check,DRAIN
n4,100,150,disk,DOWN
EOF
schedlab run jobs.csv -c nodes.yaml --model failures:log=log.csv --check -o out --quiet >/dev/null || echo "exit $?"
cut -d, -f1,7,8 out/jobs.csv
cat out/node_changes.csv
grep utilization out/metrics.json
schedlab run jobs.csv -c nodes.yaml --model failures:log=log.csv --only node_changes -o only --quiet >/dev/null && ls only
