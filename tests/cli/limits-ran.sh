# Who runs beyond his limit is known after the run: models make jobs longer than the log has them.
printf '; MaxProcs: 8\n' >over.swf
for job in '1 0 -1 100 8 -1 -1 8 50' '2 1 -1 30 4 -1 -1 4 -1' '3 2 -1 200 4 -1 -1 4 100' '4 3 -1 20 4 -1 -1 4 20'; do
	echo "$job -1 1 1 1 1 1 1 -1 -1" >>over.swf
done
fabric=$ROOT/docs/examples/fabric/cluster.yaml
schedlab generate gpu --cluster philly --jobs 60 --load 0.9 --seed 3 -o gpu.csv --quiet
run() {
	echo "== $1"
	shift
	schedlab run "$@" -o out --force 2>&1 >/dev/null | grep limit
	grep '"limits"' out/run.json
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 && $c["run_time"] > $c["time_limit"] && $c["time_limit"] { n++ }
		END { print n + 0, "beyond in jobs.csv" }' out/jobs.csv
}
run fabric gpu.csv -c "$fabric" --model fabric:sens=0.5
schedlab report out --format markdown --force --quiet
grep -i 'limits* |\|limits*,' out/report.md
for rule in extend kill raise; do
	run $rule over.swf --set replay.overrun=$rule
done
schedlab compare gpu.csv -c "$fabric" --model fabric:sens=0.5 -p easy -p fcfs -o both 2>&1 >/dev/null | grep limit
schedlab compare both/1-easy both/2-fcfs 2>&1 >/dev/null | grep limit
# Of several logs each is told of.
sed 's/^3 2 -1 200/3 2 -1 90/' over.swf >other.swf
schedlab compare over.swf other.swf -p easy -p fcfs 2>&1 >/dev/null | grep limit
