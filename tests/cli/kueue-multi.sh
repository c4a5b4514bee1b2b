# MultiKueue by hand: workers east (4 cpus) and west (8 cpus), the manager's quota is 16; jobs of 4 cpus for 100 s, all at 0.
lab="$ROOT/docs/examples/kueue/multikueue.yaml"
printf 'submit,run_time,cpus,namespace,queue\n0,100,4,lab,jobs\n0,100,4,lab,jobs\n0,100,4,lab,jobs\n0,100,4,lab,jobs\n' >jobs.csv
show() {
	rm -rf out
	schedlab run jobs.csv -c "$lab" --check -o out --quiet "$@" >/dev/null || return
	cut -d, -f1,7,8,15 out/jobs.csv
	sed -n 's/^ *"\(kueue\.multikueue\.[a-z_]*\)": \(.*[0-9]\),*$/\1 \2/p' out/metrics.json
}
# Three go at once: the first to reserve wins, east one, west two. The fourth holds the manager's quota, and waits in both workers'
# queues for 101 s (notes of change are gathered for a second).
show -p kueue
cut -d, -f1-4 out/reasons.csv
show -p kueue:pods=quota
# Copies take 5 s. One cluster a round, rounds of 30 s: west hears of them at 30.
show -p kueue:transfer=5
show -p kueue:dispatch=incremental,dispatch-step=1,dispatch-round=30
# West is lost at 10, for good: after 50 s its two are taken back, and wait for east, where the fourth waits, too.
printf '10 kubectl patch multikueuecluster west connected=False\n' >commands
show -p kueue:worker-lost=50 --set replay.commands=commands
cut -d, -f1,2,4,5 out/evictions.csv
# It comes back in time.
printf '40 kubectl patch multikueuecluster west connected=True\n' >>commands
show -p kueue:worker-lost=50 --set replay.commands=commands
printf '1 kubectl patch multikueuecluster north connected=True\n' >commands
show -p kueue --set replay.commands=commands || echo "exit $?"
sed 's/clusters: \[east, west\]/clusters: [east, north]/' "$lab" >bad.yaml
schedlab run jobs.csv -c bad.yaml -p kueue --quiet || echo "exit $?"
# East preempts for a job of higher priority that wants all of it: the first is taken back, and dispatched again, to west, where there
# is room once 2 and 3 are over; its work is lost.
sed '/metadata: { name: east, labels/,/spec:/s/^spec:/spec:\n  preemption: { withinClusterQueue: LowerPriority }/' "$lab" >prefers.yaml
printf 'submit,run_time,cpus,namespace,queue,priority\n0,100,4,lab,jobs,0\n0,100,4,lab,jobs,0\n0,100,4,lab,jobs,0\n50,100,4,lab,jobs,9\n' >jobs.csv
lab=prefers.yaml
show -p kueue
cut -d, -f1-5 out/evictions.csv
# Of the Configuration: one cluster a round, in the order of the list, west's 8 cpus first (two at 0, one at 300 in east), or by name as
# before v0.19 (one in east, two at 300 in west). A parameter goes before it.
cat - "$ROOT/docs/examples/kueue/multikueue.yaml" >ordered.yaml <<'YAML'
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
multiKueue: { dispatcherName: kueue.x-k8s.io/multikueue-dispatcher-incremental, incrementalDispatcherConfig: { stepSize: 1 } }
---
YAML
sed -i 's/clusters: \[east, west\]/clusters: [west, east]/' ordered.yaml
printf 'submit,run_time,cpus,namespace,queue\n0,1000,4,lab,jobs\n0,1000,4,lab,jobs\n0,1000,4,lab,jobs\n' >jobs.csv
lab=ordered.yaml
show -p kueue
sed 's/^multiKueue/featureGates: { MultiKueueIncrementalDispatcherRespectConfigOrder: false }\nmultiKueue/' ordered.yaml >named.yaml
lab=named.yaml
show -p kueue
show -p kueue:dispatch-step=2
