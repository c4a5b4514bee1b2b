# Where other jobs ran in some rows: metrics by label, of --metric and wait_total are of the jobs that ran in all, too; and
# so is every log of several.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
table=gpu-200.csv
cluster=gpu-cluster.yaml
schedlab whatif "$table" -c "$cluster" --down a -q -o out 2>&1 | sed -n '/^wait p95 by/,/ran in all/p'
grep '"changed","wait\(_total\)\?[.]\(mean\|p95{partition=gpu}\)"' out/whatif.csv
# By hand: the gpu jobs that started in both, their p95 by nearest rank.
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	FNR == NR { if ($at["start"] != "") ran[$at["job_id"]] = 1; next }
	$at["start"] != "" && $at["job_id"] in ran && $at["partition"] == "gpu" { print $at["wait"] }' \
	out/2-*/jobs.csv out/1-*/jobs.csv | sort -n | awk '{ v[NR] = $1 } END { print NR, v[int((NR * 95 + 99) / 100)] }'
sed -e "/name: a/,/gpus/d" -e "/^reservations/,\$d" "$cluster" >small.yaml
schedlab compare "$table" -c "$cluster" -c small.yaml -p easy -q -o both \
	--metric 'wait.p95{gpus>=1}' --metric 'wait.mean{user=eli}' --metric 'jobs.total{user=eli}' | sed -n 1,6p
schedlab compare both/1-easy both/2-easy -q --metric 'wait.mean{user=eli}' 2>&1 | sed -n '/^policy/,/^against/p;/metric/p'
for seed in 1 2 3; do
	schedlab generate lublin --jobs 200 --cpus 256 --load 0.9 --seed "$seed" -q >"l$seed.swf"
done
for cpus in 256 128; do
	printf 'nodes:\n  - name: n\n    count: 1\n    cpus: %s\n' "$cpus" >"c$cpus.yaml"
done
schedlab compare l1.swf l2.swf l3.swf -c c256.yaml -c c128.yaml -p easy -q -o logs | sed -n '1,5p;/ran in all/p'
cut -d , -f 1,2,5,7 logs/replications.csv
head -1 logs/replications.csv | tr , '\n' | grep -n compared
# The same log by itself says the same.
schedlab compare l2.swf -c c256.yaml -c c128.yaml -p easy -q | sed -n 2,3p
