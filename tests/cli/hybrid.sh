# Policy hybrid on the example: n1-n4 are Slurm's, n5-n8 Kubernetes'. Job 2 (4 nodes) waits behind 1, job 6 (6 pods, a node each)
# beyond what Kubernetes has. Worked by hand, with Slurm 22.05:
# static: 2 waits for 1 to end; 6 and 8 behind it never start: 4 of 6's pods hold all there is.
# move: at 300 n7 and n8 have been idle for 5 minutes and 2 lacks two nodes: they are Slurm's at 420. 6 lacks four; Slurm's jobs
# wait too until 7200 (5), then its nodes are idle for 5 minutes by 7920, and Kubernetes' at 8040; and so back for 7.
# pods: 6 is of priority 10. At 1201 Kubernetes has three idle nodes and Slurm none; at 2400 job 5 ends: n3 and n4 go, and Kubernetes
# has six at 2402. They are back a second after 6 is over, and boot for a minute.
# pods-evict=any: at 1201 the jobs that began last are evicted: 5 (n3, n4), then 1 (n1); 30 s later they are requeued.
lab="$ROOT/docs/examples/hybrid"
for share in static move pods pods,pods-evict=any 'move,slurm-min=4,kube-min=3'; do
	echo "== $share"
	schedlab run "$lab/jobs.csv" -c "$lab/slurm.conf" -p "hybrid:share=$share" --set cluster.conf.SLURM_VERSION=22.05 --set cluster.objects="$lab/objects.yaml" \
		--check --quiet -o out --force >/dev/null
	cut -d, -f1,7,8,9,10,15 out/jobs.csv
	grep hybrid out/metrics.json
	[ ! -f out/moves.csv ] || cat out/moves.csv
done
# With kube in place of Kueue, busy nodes are drained too, on both sides: at 240 no idle node is left that is just too young.
schedlab run "$lab/jobs.csv" -c "$lab/slurm.conf" -p hybrid:share=move,drain=1,with=kube --set cluster.objects="$lab/objects.yaml" \
	--check --quiet -o drain >/dev/null
cat drain/moves.csv
# The course, a row for each change.
schedlab run "$lab/jobs.csv" -c "$lab/slurm.conf" -p hybrid:course-every=0 --set cluster.objects="$lab/objects.yaml" --quiet -o course >/dev/null
cat course/hybrid.csv
