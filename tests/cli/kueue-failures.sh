# Nodes fail under a topology: pods are made anew elsewhere, or once their node is back; every job completes, and the books hold.
tas="$ROOT/docs/examples/kueue/tas.yaml"
for pods in quota kube; do
	echo "$pods"
	schedlab run "$tas" -c "$tas" -p "kueue:pods=$pods" --jobs 1500 --model failures:mtbf=30,repair=fixed,repair_time=5 --check \
		-o out --force --quiet >/dev/null && cut -d, -f15 out/jobs.csv | sort | uniq -c
	grep -q '"failures.jobs_hit": 0,' out/metrics.json && echo "nobody was hit"
done
true
