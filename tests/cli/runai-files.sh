# The projects file of policy runai, and KAI's and Run:AI's objects: what is read, who gets what, what is wrong.
E="$ROOT/docs/examples/runai"
printf 'nodes:\n  - {name: n, count: 2, cpus: 64, memory: 256G, gpus: {a100: 4}}\n' >c.yaml
cat >p.yaml <<'YAML'
projects:
  - {name: a, quota: 6, users: [anna], node-types: a100}
  - {name: b, quota: 2, over-quota: false}
map: {by: account, rules: [{match: {name: "x*"}, project: a}]}
types: {rules: [{match: {gpus: {max: 1}}, type: build}]}
YAML
# By a list of users (4 GPUs); a rule (2); the account (2: all of its quota, so the next waits; it is of no class); nobody's waits for ever.
printf 'submit,run_time,gpus,user,account,name,qos\n0,100,4,anna,b,j,\n1,100,2,ben,c,x1,\n2,100,2,ben,b,j,\n3,100,1,ben,b,j,train\n4,100,1,ben,z,j,\n' >t.csv
schedlab run t.csv -c c.yaml -p runai:projects=p.yaml --check --quiet -o run >/dev/null
cut -d, -f1-3,7-9,15 run/jobs.csv
# The same file as an object of the cluster, and as JSON. The bytes of the file, not its path, are part of what the run is.
(printf 'apiVersion: schedlab/v1\nkind: Projects\n' && cat p.yaml) >o.yaml
schedlab run t.csv -c c.yaml -p runai --set cluster.objects=o.yaml --quiet -o object >/dev/null
cmp run/jobs.csv object/jobs.csv && echo same
identity() {
	grep -o '"identity": "[^"]*"' "$1/run.json"
}
cp p.yaml q.yaml
schedlab run t.csv -c c.yaml -p runai:projects=q.yaml --quiet -o again >/dev/null
[ "$(identity run)" = "$(identity again)" ] && echo same
echo '# more' >>q.yaml
schedlab run t.csv -c c.yaml -p runai:projects=q.yaml --quiet -o other >/dev/null
[ "$(identity run)" = "$(identity other)" ] || echo other
# KAI's manifests as cluster and trace; Run:AI's workloads beside a cluster of our own.
schedlab run "$E/kai.yaml" -c "$E/kai.yaml" -p runai --check --quiet -o kai >/dev/null
cut -d, -f1,7-9,13-15 kai/jobs.csv
schedlab run "$E/workloads.yaml" -c c.yaml -p runai --set cluster.objects="$E/workloads.yaml" --quiet -o workloads >/dev/null
cut -d, -f1,7-9,13-15 workloads/jobs.csv
schedlab inspect "$E/university.yaml" | tail -n 5
# What is not as one might expect is told: no quota, and no limit in KAI, which is 0.
printf 'projects: [{name: a}]\nmap: {default: a}\n' >n.yaml
schedlab run t.csv -c c.yaml -p runai:projects=n.yaml --quiet -o note 2>&1 >/dev/null | sed -n 1p
printf 'apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: b}\nspec: {parentQueue: top, resources: {gpu: {quota: 1}}}\n' >k.yaml
schedlab run t.csv -c c.yaml -p runai --set cluster.objects=k.yaml --quiet -o note2 2>&1 >/dev/null | sed '$d'
# Mistakes, at their places.
wrong() {
	schedlab run t.csv -c c.yaml -p "runai:projects=$1" --quiet -o none 2>&1 | tail -n 1
}
wrong gone.yaml
printf '' >empty.yaml && wrong empty.yaml
printf 'projects: []\nmap: {by: queue}\n' >bad.yaml && wrong bad.yaml
printf 'projects:\n  - {name: a, qouta: 3}\n' >bad.yaml && wrong bad.yaml
printf 'projects:\n  - {name: a, quota: many}\n' >bad.yaml && wrong bad.yaml
printf '{"projects": [{"name": "a"}], "map": {"default": "b"}}' >bad.json && wrong bad.json
printf 'projects: [\n' >bad.yaml && wrong bad.yaml
manifest() {
	cat >m.yaml
	schedlab run m.yaml -c c.yaml -p easy --quiet -o none 2>&1 | tail -n 1
}
manifest <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {pod-group-name: g, schedlab/run-time: 1m}}
spec: {containers: [{name: c}]}
YAML
manifest <<'YAML'
apiVersion: run.ai/v2alpha1
kind: TrainingWorkload
metadata: {name: t, namespace: runai-a, annotations: {schedlab/run-time: 1m}}
spec: {gpu: {value: "1.5"}}
YAML
