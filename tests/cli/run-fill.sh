# SPDX-License-Identifier: GPL-3.0-or-later
# replay.fill and plan=loss: who does not fit is cancelled as he comes; fill.csv, the metrics, and what run.json says.
cat >jobs.csv <<END
job_id,submit,run_time,cpus,gpus
a,0,10,1,1
b,5,10,1,2
c,6,10,1,4
d,7,10,1,0
END
printf 'nodes:\n  - {name: g, count: 2, cpus: 8, gpus: 5}\n' >c.yaml
run="schedlab run jobs.csv -c c.yaml -p loss -q --set replay.fill=1.3"
$run -o out >/dev/null
cut -d, -f1,5,7-9,11,14,15 out/jobs.csv
cat out/fill.csv
grep '"fill' out/metrics.json
grep '^  "fill":' out/run.json
$run --seed 2 -o two --only jobs >/dev/null
cmp -s out/jobs.csv two/jobs.csv && echo "the seed changes nothing"
$run --set replay.fill_numbers=go -o go --only jobs,fill >/dev/null
cut -d, -f1,15 go/jobs.csv
$run --check >/dev/null && echo checked
schedlab run jobs.csv -p loss -q --set cluster.cpus=8 --set replay.fill=1.3 || echo "exit $?"
