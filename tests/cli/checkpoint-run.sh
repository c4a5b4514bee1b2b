# SPDX-License-Identifier: GPL-3.0-or-later
# Checkpoints over a file system: two jobs of 1 and 4 nodes write 10 and 40 GB after each 300 s of work; at 0.25 GB/s
# a node 40 s each, and at 0.05, a fifth of 0.25 in all, 200 s each.
cat >jobs.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,checkpoint_bytes,checkpoint_every
1,0,1000,1,2,10000000000,300
2,0,1000,4,2,40000000000,300
EOF
for write in 1.25GB/s 250MB/s; do
	cat >c.yaml <<EOF
nodes:
  - { name: n, count: 5, cpus: 2 }
storage:
  - { name: fs, read: 1GB/s, write: $write, per_client: 250MB/s }
EOF
	schedlab run jobs.csv -c c.yaml --model storage --model checkpoint:mtbf=100d --check -o out --force >/dev/null 2>&1 || exit
	cut -d, -f1,7,8,20- out/jobs.csv
done
grep -o '"checkpoint[^,]*' out/metrics.json
schedlab run jobs.csv -c c.yaml --model checkpoint:cost=10 2>&1 >/dev/null | grep -v submitted
schedlab run jobs.csv -c c.yaml --model checkpoint:interval=every 2>&1 >/dev/null | grep -v submitted
