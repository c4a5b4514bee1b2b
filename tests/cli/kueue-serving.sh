# Serving beside batch in a cohort of 16 GPUs: batch borrows while the load is low (two jobs of 4 GPUs run at night), and makes room as
# the service's replicas take their GPUs back by day: each reclaim is one of batch's jobs that ran on borrowed GPUs.
lab="$ROOT/docs/examples/kueue"
awk 'BEGIN { print "submit,run_time,cpus,gpus,namespace,queue,priority"
	for (i = 0; i < 48; i++) printf "%d,7200,8,4,lab,jobs,%d\n", i * 3600, i % 2 }' >batch.csv
schedlab run "$lab/serving-services.yaml" -c "$lab/serving.yaml" -p kueue --model serving --set replay.with=batch.csv --check -o out \
	--quiet >/dev/null
cut -d, -f1-7 out/evictions.csv
sed -n 's/^ *"\(serving\.\(served\|attainment\|cold_starts\|replacements\)\|kueue.misconfigured\)": \(.*[0-9]\),*$/\1 \3/p' \
	out/metrics.json
grep -c '^batch,serving\|^serving,batch' out/lending.csv
# By hand: 2 GPUs are the service's, 2 are batch's. It wants 4 replicas. At 300 batch's job takes its 2 back: of equal age, first by name;
# at 600 they are free, and a second later (notes are gathered) theirs again, cold for 60 s: 2 x 5 x (301 + 60) requests are not served,
# and 4 x 5 x 60 before: 4810.
sed 's/nominalQuota: 12/nominalQuota: 2/; s/nominalQuota: 4/nominalQuota: 2/' "$lab/serving.yaml" >c.yaml
cat >s.yaml <<'END'
services:
  - {name: chat, namespace: prod, queue: chat, tasks: 1, cpus_per_task: 8, gpus_per_task: 1, until: 1000, load: 20, capacity: 5,
     cold_start: 60, min: 4, max: 4}
END
printf 'submit,run_time,cpus,gpus,namespace,queue\n300,300,8,2,lab,jobs\n' >batch.csv
schedlab run s.yaml -c c.yaml -p kueue --model serving --set replay.with=batch.csv --check -o hand --quiet >/dev/null
cut -d, -f1-7 hand/evictions.csv
cut -d, -f1,7,8,15 hand/jobs.csv
sed -n 's/^ *"\(serving\.\(unserved\|cold_starts\|replacements\)\)": \(.*[0-9]\),*$/\1 \3/p' hand/metrics.json
