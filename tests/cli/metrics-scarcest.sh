# What stands beside each other is of one resource, the scarcest: utilization, utilization.steady and loss_of_capacity.
cat >gpus.yaml <<'Y'
nodes: [{ name: n, count: 1, cpus: 8, gpus: 2 }]
Y
# In 300 s: 1 of 2 GPUs idles for 100 s before job 3, which would have fitted, and 7 of 8 cpus. From 100 on no GPU is
# idle, so that idle cpus are of no use to job 3. GPUs: 400 of 600 busy, 100 lost; cpus 300 of 2400 busy, 700 lost.
cat >gpus.csv <<'Y'
job_id,submit,run_time,time_limit,tasks,cpus_per_task,gpus_per_task
1,0,100,100,1,1,1
2,0,100,100,1,1,2
3,0,100,100,1,1,1
Y
schedlab run gpus.csv -c gpus.yaml -p fcfs -o gpus
grep -E 'utiliz|loss' gpus/metrics.json
grep utilization_resource gpus/run.json

# In 400 s 8, 10, 2 and 10 of 10 GiB are busy, of which the steady part ends at 300; 2 GiB idle for 100 s before job 3,
# which would have fitted, and 7 of 8 cpus. Memory: 3000 of 4000 busy, 200 lost; cpus 400 of 3200 busy, 700 lost.
cat >memory.yaml <<'Y'
nodes: [{ name: n, count: 1, cpus: 8, memory: 10G }]
Y
cat >memory.csv <<'Y'
job_id,submit,run_time,time_limit,tasks,cpus_per_task,mem_per_task
1,0,100,100,1,1,8G
2,0,100,100,1,1,10G
3,0,100,100,1,1,2G
4,300,100,100,1,1,10G
Y
schedlab run memory.csv -c memory.yaml -p fcfs -o memory
grep -E 'utiliz|loss' memory/metrics.json
grep utilization_resource memory/run.json
