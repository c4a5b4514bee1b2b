# Settings of KAI's scheduler as parameters: they hold over the file's. Two nodes of two GPUs; projects a and b, quota 2 each.
cat >c.yaml <<'YAML'
nodes:
  - {name: n, count: 2, cpus: 64, memory: 256G, gpus: {a100: 2}}
YAML
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 2}, {name: b, quota: 2}]
map: {by: account}
scheduler: {minRuntime: {reclaimMinRuntime: 1m}}
YAML
run() { # PARAMETERS: who ran when
	rm -rf out
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml${1:+,$1}" --check --quiet -o out >/dev/null || return 0
	cut -d, -f1,7-9,15 out/jobs.csv | tail -n +2 | tr '\n' ' '
	echo "($1)"
}
# a has all; b's owner comes at 10, and waits for a's minimum run time, by the file, by the parameter; or for ever (200) without reclaim.
printf 'submit,run_time,gpus,account\n0,200,1,a\n0,200,1,a\n0,200,1,a\n0,200,1,a\n10,100,2,b\n' >t.csv
run ''
run reclaim-min-runtime=0
run reclaim-min-runtime=90
run actions=allocate+consolidation+preempt
# Spread: one job on each node, so that the job of two GPUs waits. Binpack: it does not. By consolidation it does not, whatever the placement was.
printf 'submit,run_time,gpus,account,nodes\n0,200,1,a,1\n1,200,1,a,1\n2,100,2,b,1\n' >t.csv
run ''
run gpu-placement=spread
run gpu-placement=spread,actions=allocate+consolidation+reclaim
run gpu-placement=spread,actions=allocate+consolidation,max-consolidation-preemptees=0
# A job in a queue of depth 1 is not looked at as long as one before it is, fit or not.
printf 'submit,run_time,gpus,account\n0,100,2,a\n0,50,2,b\n1,10,3,a\n2,10,1,a\n' >t.csv
run actions=allocate
run actions=allocate,queue-depth-per-action=1
# a has had its half hour; b was never there. With usage b's job comes first.
printf 'submit,run_time,gpus,account\n0,1800,4,a\n1,100,4,a\n2,100,4,b\n' >t.csv
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 0, over-quota: 1}, {name: b, quota: 0, over-quota: 1}]
map: {by: account}
YAML
run actions=allocate
run actions=allocate,usage=sliding,window-size=1h
# Mistakes.
run actions=allocate+reclam
run actions=allocate+allocate
run default-staleness-grace-period=no
run half-life=5m
run reclaimer-utilization-multiplier=0.5
