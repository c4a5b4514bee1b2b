# A job whose groups fit one by one and not together is never started. The run says who was left.
cat >c.yaml <<'YAML'
nodes:
  - {name: n, count: 2, cpus: 4}
YAML
cat >t.csv <<'CSV'
job_id,group,submit,run_time,tasks,cpus_per_task,tasks_per_node,exclusive
7,0,0,10,2,1,1,yes
7,1,0,10,1,1,,
8,0,5,10,1,1,,
CSV
schedlab run t.csv -c c.yaml -p fcfs --quiet --json | grep -E '"jobs\.(total|completed)"'
schedlab compare t.csv -c c.yaml -p fcfs -p greedy --quiet >/dev/null
