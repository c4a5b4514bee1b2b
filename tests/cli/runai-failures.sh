# Nodes fail under runai, with elastic jobs, gangs, grace and restarts: every job completes, and the books hold.
cat >c.yaml <<'YAML'
nodes: [{name: n, count: 4, cpus: 32, memory: 64GiB, gpus: {a100: 4}}]
YAML
cat >p.yaml <<'YAML'
projects: [{name: a, quota: 8}, {name: b, quota: 8}]
map: {by: account}
YAML
echo submit,run_time,account,tasks,tasks_min,tasks_max,gpus_per_task >t.csv
awk 'BEGIN {
	for (i = 0; i < 300; i++) {
		most = 1 + i * 7 % 6
		least = i % 3 ? most : 1
		printf "%d,%d,%s,%d,%d,%d,%d\n", i * 40, 60 + i * 37 % 600, i * 5 % 7 < 3 ? "a" : "b", most, least, most + (i % 5 == 0), 1 + i % 2
	}
}' >>t.csv
for more in "" ,grace=7,resume=restart ,cycle=10; do
	echo "runai$more"
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml$more" --model failures:mtbf=1h,repair=fixed,repair_time=120 --check \
		-o out --force --quiet >/dev/null
	cut -d, -f15 out/jobs.csv | sort | uniq -c
	grep -q '"failures.jobs_hit": 0,' out/metrics.json && echo "nobody was hit"
	[ "$(wc -l <out/evictions.csv)" -gt 1 ] || echo "nobody was evicted"
done
true
