# SPDX-License-Identifier: GPL-3.0-or-later
# Three jobs of 1, 4 and 8 nodes read 10, 40 and 16 GB at once from a server of 1.25 GB/s, 0.25 a node: 1.25/13 a
# node until the last has read, at 20.8 s, then 0.25 until 52.8 s. The third writes 2 GB at 1.25 GB/s.
cat >nfs.yaml <<'EOF'
nodes:
  - { name: n, count: 13, cpus: 2 }
storage:
  - { name: home, read: 1.25GB/s, write: 1.25GB/s, per_client: 250MB/s }
EOF
cat >jobs.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,read_bytes,write_bytes
1,0,100,1,2,10000000000,
2,0,100,4,2,40000000000,
3,0,100,8,2,16000000000,2000000000
EOF
schedlab run jobs.csv -c nfs.yaml --model storage --check -o out >/dev/null 2>&1 || exit
cut -d, -f1,7,8,20- out/jobs.csv
cat out/storage.csv
grep -o '"storage[^,]*' out/metrics.json

# What nobody has to wait for is nothing: the same run as without the model.
digest() { grep -o '"digest": "[^"]*"' "$1/run.json" | head -n 1; }
cat >fast.yaml <<'EOF'
nodes:
  - { name: n, count: 13, cpus: 2 }
EOF
schedlab run jobs.csv -c fast.yaml -o off >/dev/null 2>&1
schedlab run jobs.csv -c fast.yaml --model storage -o on >/dev/null 2>&1
[ -n "$(digest on)" ] && [ "$(digest on)" = "$(digest off)" ] && echo "unbounded: same digest"
