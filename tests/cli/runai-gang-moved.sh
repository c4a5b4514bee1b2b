# Consolidation moves one pod of a gang of two, as KAI does: the other keeps its place, and the gang stands still until
# both are there. Job 2 has two GPUs on each node; job 3 wants a node of four.
cat >c.yaml <<'YAML'
nodes: [{name: n, count: 2, cpus: 16, memory: 64GiB, gpus: {a100: 4}}]
YAML
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 8}]
map: {by: account}
YAML
printf '%s\n0,20,a,1,2\n0,100,a,2,2\n30,10,a,1,4\n' submit,run_time,account,tasks,gpus_per_task >t.csv
go() {
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml$1" --check --quiet --force -o o >/dev/null || return
	echo "$1"
	cut -d, -f1,7-8 o/jobs.csv
	cut -d, -f1-5,7 o/attempts.csv
	cut -d, -f1-2,4-5 o/evictions.csv
}
# It is moved at once, and ends at 100.
go ''
# With nothing kept it begins anew at 30.
go ,resume=restart
# Its pod works for 10 s more, and leaves at 40: 40 s are lost.
go ,grace=10,resume=restart
# The next decision is at 60: from 40 (30 and 10 s) to 60 it stands still, and is not half as fast. 60 s are left.
go ,grace=10,cycle=30
