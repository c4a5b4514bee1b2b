# Policy runai: a request that is beyond all numbers is still larger than the cluster, and waits; others run.
printf 'nodes:\n  - {name: n, count: 2, cpus: 64, memory: 256G, gpus: {a100: 4}}\n' >c.yaml
printf 'projects: [{name: a, quota: 4}]\n' >p.yaml
# In tasks of a GPU each, in one task, and on two nodes.
printf 'job_id,submit,run_time,queue,gpus,nodes,gpus_per_node\n1,0,100,a,2000000000,,\n2,0,100,a,,1,2147483647\n3,0,100,a,,2,1073741825\n4,5,10,a,1,,\n' >t.csv
schedlab run t.csv -c c.yaml -p runai:projects=p.yaml --check --quiet -o run >/dev/null 2>&1
cut -d, -f1,7,8,14,15 run/jobs.csv
