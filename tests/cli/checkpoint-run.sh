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

# M as the model failures has it: 2000 s of a node. Two nodes: sqrt(2 * 10 * 1000) = 141 s, by Daly 135 s; of an mtbf of
# its own it takes that. 6.5 in 1000 days, which failures has by itself, are 6646154 s of two nodes: 115 s at 1 ms.
cat >two.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task
1,0,1000,2,2
EOF
for models in "failures:mtbf=2000s --set checkpoint.cost=10" "failures --set failures.rate=43200 --set checkpoint.cost=10" \
	"failures:mtbf=1000d --set checkpoint.mtbf=2000s --set checkpoint.cost=10" "failures --set checkpoint.cost=0.001" \
	"failures:rate=6.5 --set checkpoint.cost=0.001"; do
	# shellcheck disable=SC2086
	schedlab run two.csv -c c.yaml --seed 3 --model checkpoint --model $models -o out --force \
		>/dev/null 2>&1 || exit
	echo "$models: $(grep -o '"checkpoint.count[^,]*' out/metrics.json)"
done

# What a preemption pays for: job 2 has less left. Written as job 1 goes on, 10 GB at 2 GB/s, then read, then 7 s.
cat >less.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,checkpoint_bytes
1,0,1000,2,2,10000000000
2,100,50,2,2,
EOF
cat >two.yaml <<'EOF'
nodes:
  - { name: n, count: 2, cpus: 2 }
EOF
for preempt in free pays; do
	schedlab run less.csv -c two.yaml -p srtf --model checkpoint:mtbf=100d,preempt=$preempt,restart=7 --check -o out --force \
		>/dev/null 2>&1 || exit
	cut -d, -f1,7,8,20- out/jobs.csv
done
