# Elastic jobs under runai: a job has as many pods as there is room for, loses those beyond its least first, and
# gets them back. On n of its 4 pods it runs n/4 as fast.
cat >c.yaml <<'YAML'
nodes: [{name: n, count: 1, cpus: 16, memory: 64GiB, gpus: {a100: 4}}]
YAML
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 2}, {name: b, quota: 2}]
map: {by: account}
YAML
go() {
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml${2-}" --check --quiet -o "$1" >/dev/null || return
	cut -d, -f1,7-9,14,19 "$1/jobs.csv"
}
head=submit,run_time,account,tasks,tasks_min,tasks_max,gpus_per_task
# b takes its two GPUs at 50: job 1 keeps two pods for 10 s, and has done 55 s of its work at 60: it ends at 105, one attempt.
printf '%s\n0,100,a,4,1,4,1\n50,10,b,1,1,1,2\n' $head >t.csv
go shrinks
cut -d, -f1-3,5-6 shrinks/evictions.csv
# The pods take 10 s to stop, and work until then: b runs from 60 to 70, and job 1 has done 65 s by then.
go grace ,grace=10
# Who waits for others to leave does not have it decide over and over.
awk '/"runai.sessions"/ { print ($2 + 0 < 20 ? "few" : "many") " sessions" }' grace/metrics.json
# Job 1 leaves room for two pods until 20: job 2 starts with those, has done 10 s at 20 and the rest at 110.
printf '%s\n0,20,a,1,1,1,2\n0,100,b,4,2,4,1\n' $head >t.csv
go grows
# Of one that needs three there is no room: it waits, whole or not at all.
printf '%s\n0,20,a,1,1,1,2\n0,100,b,4,3,4,1\n' $head >t.csv
go waits
# It may have more pods than it asks, and is faster then: 100 s of two pods are 50 s of four.
printf '%s\n0,100,a,2,1,4,1\n' $head >t.csv
go more
# Restart: a whole eviction loses the work, a smaller size does not. At 50 b needs all four GPUs, and is first.
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 0, over-quota: 1}, {name: b, quota: 4}]
map: {by: account}
YAML
printf '%s\n0,100,a,4,1,4,1\n40,20,b,1,1,1,2\n50,10,b,1,1,1,2\n' $head >t.csv
go whole ,resume=restart
cut -d, -f1-3,5-6 whole/evictions.csv
