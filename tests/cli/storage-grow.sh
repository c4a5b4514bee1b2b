# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs that grow pull what the nodes that came lack: an image of 10 GB on each node, at 1 GB/s in all.
cat >c.yaml <<'EOF'
nodes:
  - { name: n, count: 4, cpus: 2 }
storage:
  - { name: fs, read: 1GB/s, write: 1GB/s }
EOF
# Until 10 s job 1 has two nodes, and 10 of its 20 GB; with two more nodes 30 are missing, until 40. Then it works
# twice as fast: 50 s.
cat >early.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,tasks_min,tasks_max,elastic,image,image_bytes,read_bytes
1,0,100,2,2,1,4,malleable,a,10000000000,
2,0,10,2,2,,,,,,
EOF
# From 25 to 30 s it works, then two nodes come: 20 GB until 50, and 95 s of work at twice the speed. What it read
# it does not read again.
cat >late.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,tasks_min,tasks_max,elastic,image,image_bytes,read_bytes
1,0,100,2,2,1,4,malleable,a,10000000000,5000000000
2,0,30,2,2,,,,,,
EOF
for jobs in early late; do
	for cache in 0 100GB; do
		schedlab run $jobs.csv -c c.yaml -p composed:plan=elastic --model storage:cache=$cache --check -o out --force \
			>/dev/null 2>&1 || exit
		cut -d, -f1,7,8,20- out/jobs.csv
		cat out/storage.csv
	done
done

# Checkpoints are of work, at whatever size: at twice the speed 300 s of work are 150 s, and one takes 10 s.
cat >alone.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,tasks_min,tasks_max,elastic,checkpoint_every,checkpoint_cost
1,0,1000,2,2,1,4,malleable,300,10
EOF
schedlab run alone.csv -c c.yaml -p composed:plan=elastic --model checkpoint --check -o out --force >/dev/null 2>&1 || exit
cut -d, -f1,7,8,20- out/jobs.csv
