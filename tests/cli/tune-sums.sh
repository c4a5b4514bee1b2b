# SPDX-License-Identifier: GPL-3.0-or-later
# Quotas that add up: of two projects of 2 GPUs each the second has three jobs of one GPU at a time, the first none. With quotas of
# 0..4 that add up to 4 there are five settings: of (4,0), (3,1), (2,2), (1,3), (0,4) the last two let all three start at once.
printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: "8", memory: 8Gi, nvidia.com/gpu: "4", pods: "100"}}\n' >nodes.yaml
printf 'projects:\n  - {name: x, quota: 2, over-quota: false}\n  - {name: y, quota: 2, over-quota: false}\nmap: {by: account}\n' >projects.yaml
echo job_id,submit,run_time,time_limit,cpus,gpus,account >r.csv
awk 'BEGIN { for (s = 0; s < 16; s++) for (j = 0; j < 3; j++) printf "%d,%d,100,200,1,1,y\n", ++n, s * 1000 }' >>r.csv
tune() { schedlab tune r.csv -c nodes.yaml -p runai:projects=projects.yaml -q --no-sync --span 1000 --minimize wait.mean \
	--vary projects.yaml:x/quota=0..4 --vary projects.yaml:y/quota=0..4 "$@"; }
tune --every -o d --link projects.yaml:x/quota+projects.yaml:y/quota=4 | sed -n '/^searched/p;/^projects/p;/^minimize/p'
sed 1d d/tried.csv | wc -l
# A sum that today's does not have: 3 GPUs for both. Today is none of them, but what they stand beside. From a file, too.
printf 'link: {projects.yaml:x/quota+projects.yaml:y/quota: 3}\n' >sum.yaml
tune --spec sum.yaml -o e | sed -n '/^searched/p;/^projects/p;/^minimize/p;/^+/p'
bad() { tune "$@" -o bad || echo "exit $?"; }
bad --link projects.yaml:x/quota+projects.yaml:y/quota
bad --link projects.yaml:x/quota=4
bad --link projects.yaml:x/quota+projects.yaml:z/quota=4
bad --link projects.yaml:x/quota+=4
bad --link projects.yaml:x/quota+projects.yaml:x/quota=4
bad --link projects.yaml:x/quota+projects.yaml:y/quota=9
bad --vary replay.size=requested,used --link projects.yaml:x/quota+replay.size=4
