# What ends or stops jobs besides the scheduler: limits of projects, planned down time, nodes that fail.
cat >c.yaml <<'YAML'
nodes:
  - {name: n, count: 2, cpus: 64, memory: 256G, gpus: {a100: 2}}
YAML
cat >p.yaml <<'YAML'
projects:
  - {name: a, quota: 4, time-limit: {interactive: 1m, train: 10m}, idle-limit: {interactive: 20, train: 2m}}
  - {name: b, quota: 0, over-quota: 1}
map: {by: account}
YAML
run() {
	rm -rf out
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml${1:+,$1}" --check --quiet -o out ${2-} >/dev/null || return 0
	cut -d, -f1,7-9,15 out/jobs.csv
	tail -n +2 out/attempts.csv 2>/dev/null
}
# Limits are by type: builds end after 1 min, training after 10; who never uses its GPUs after 20 s, or 2 min. b has none.
cat >t.csv <<'END'
submit,run_time,gpus,account,qos,gpu_active
0,100,1,a,build,0.5
0,50,1,a,build,0.5
0,50,1,a,build,0
0,10,1,a,build,0
60,1000,1,a,train,0.1
60,1000,1,a,train,0
60,1000,1,b,train,0
END
run ''
# A limit is of one attempt: the evicted build-preemptible job has its minute anew. Its work is kept: 50 of 70 s, then 20.
printf 'submit,run_time,gpus,account,qos\n0,70,4,a,build-preemptible\n50,5,4,a,build\n' >t.csv
run ''
# From 30 to 90 node n2 is drained: the job there, on the fuller node last, stops, and goes on when there is room; what is on n1 is not touched.
cat >>c.yaml <<'YAML'
reservations:
  - {name: repair, nodes: n2, start: 30, duration: 60}
YAML
printf 'submit,run_time,gpus,account,qos\n0,100,2,a,train\n0,100,2,a,build\n40,10,1,a,train\n' >t.csv
run ''
run grace=10
# A node that fails takes its job along, which begins anew where there is room.
sed -i '/^reservations/,$d' c.yaml
printf 'submit,run_time,gpus,account,qos\n0,1000,2,b,train\n0,1000,2,b,train\n' >t.csv
run '' '--model failures:mtbf=900,repair=fixed,repair_time=50'
true
