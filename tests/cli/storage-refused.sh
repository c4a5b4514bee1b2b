# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong with file systems is said with its place; nodes that may not use one.
cat >jobs.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,read_bytes,fs
1,0,10,1,2,1000,a
EOF
try() {
	printf 'nodes:\n  - { name: n, count: 2, cpus: 2 }\nstorage:\n  - { name: a, %s }\n' "$1" >c.yaml
	schedlab run jobs.csv -c c.yaml --model storage >/dev/null 2>err
	code=$?
	grep -v submitted err
	echo "$code"
}
try 'read: fast'
try 'raed: 1GB/s'
try 'slots: -1'
try 'rtt: 0'
try 'duplex: both'
try 'nodes: n9'
try 'nodes: n1'
sed -i 's|name: a|name: b|' c.yaml
schedlab run jobs.csv -c c.yaml --model storage 2>&1 >/dev/null | grep -v submitted
printf 'nodes:\n  - { name: n, count: 2, cpus: 2 }\nstorage:\n  - { name: a, nodes: n2 }\n' >c.yaml
schedlab run jobs.csv -c c.yaml --model storage --check -o out >/dev/null 2>&1
cut -d, -f1,8,15 out/jobs.csv
schedlab run jobs.csv -c c.yaml --model storage:cache=big 2>&1 >/dev/null | grep -v submitted
schedlab run jobs.csv -c c.yaml --model storage:images=x 2>&1 >/dev/null | grep -v submitted
