# SPDX-License-Identifier: GPL-3.0-or-later
# Images and datasets that nodes keep: 10 GB/s, nodes without bound, disks of 100 GB.
cat >keep.yaml <<'EOF'
nodes:
  - { name: n, count: 2, cpus: 2 }
storage:
  - { name: fs, read: 10GB/s, write: 10GB/s }
EOF
# 1 pulls 40 GB to one node; 2 finds them there; 3 pulls them to the other node; 4's dataset takes the image's
# place, and 5 pulls it again on both.
cat >jobs.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,image,image_bytes,dataset,dataset_bytes
1,0,10,1,2,torch,40000000000,,
2,100,10,1,2,torch,40000000000,,
3,200,10,2,2,torch,40000000000,,
4,300,10,2,2,,,tokens,70000000000
5,400,10,2,2,torch,40000000000,,
EOF
schedlab run jobs.csv -c keep.yaml --model storage:cache=100GB --check -o out >/dev/null 2>&1 || exit
cut -d, -f1,7,8,20- out/jobs.csv
grep -o '"storage.c[^,]*' out/metrics.json
# Nothing is kept.
schedlab run jobs.csv -c keep.yaml --model storage -o cold >/dev/null 2>&1 || exit
cut -d, -f1,7,8,20- cold/jobs.csv

# Streams: 2 GB in each iteration of 0.1 s is 20 GB/s: half speed, and a quarter with two.
cat >stream.csv <<'EOF'
job_id,submit,run_time,tasks,cpus_per_task,comp,read_each_bytes
1,0,100,1,2,0.1,2000000000
2,50,100,1,2,0.1,2000000000
EOF
schedlab run stream.csv -c keep.yaml --model storage --check -o stream >/dev/null 2>&1 || exit
cut -d, -f1,7,8,20- stream/jobs.csv
