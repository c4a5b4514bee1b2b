# SPDX-License-Identifier: GPL-3.0-or-later
# Runs with models, and of inputs of several files, are made again from what their directories say.
printf 'nodes:\n  - {name: n, count: 2, cpus: 4}\n' >c.yaml
printf 'submit,run_time,cpus\n0,100,4\n0,150,4\n10,50,4\n' >t.csv
printf 'node,from,until\nn1,40,60\nn2,120,130\n' >one.csv
printf 'node,from,until\nn1,90,95\nn2,120,130\n' >two.csv
for log in one two; do
	schedlab run t.csv -c c.yaml --quiet -p fcfs --model failures:log=$log.csv -o $log >/dev/null
done
schedlab compare one two | sed -n '/^settings/,/^what it led to/p'
schedlab compare one two --json | grep -c '"again": true'
# A job that fails for good is not one that waits again.
for retries in 0 1; do
	schedlab run t.csv -c c.yaml --quiet -p fcfs --model failures:rate=0,job_share=1,job_at=0.5,retries=$retries -o r$retries >/dev/null
done
schedlab compare r0 r1 | sed -n '/^settings/,/^what it led to/p'
# A services file names its load, and there is no cluster's file.
printf 'time,requests_per_s\n0,8\n600,60\n' >load.csv
cat >s.yaml <<'YAML'
services:
  - {name: chat, tasks: 1, until: 3600, load: {file: load.csv}, capacity: 10, cold_start: 60}
YAML
schedlab run s.yaml --quiet --set cluster.cpus=8 --model serving -o services >/dev/null
# Several traces join the first, which is called as the run's own table of jobs.
cp t.csv jobs.csv
printf 'submit,run_time,cpus,job_id\n0,10,1,1\n' >more.csv
printf 'submit,run_time,cpus,job_id\n5,10,1,1\n' >most.csv
schedlab run jobs.csv --quiet --set cluster.cpus=8 --set replay.with=more.csv,most.csv -o with >/dev/null
# From here as from elsewhere.
mkdir deeper
for from in . deeper; do
	for run in one r1 services with; do
		dir=$(pwd)/$run
		(cd $from && schedlab explain "$dir" "$(sed -n '2s/,.*//p' "$dir/jobs.csv")" | head -n 1)
		(cd $from && schedlab view squeue "$dir" --at 30 2>/dev/null | wc -l)
		(cd $from && schedlab report "$dir" -o page.html --quiet --force && echo reported)
	done
done
# While it is down, a node is shown so; without the models there are none of their settings.
schedlab view sinfo one --at 50 2>/dev/null
schedlab explain r1 3 --what-if replay.models= | tail -n 2
