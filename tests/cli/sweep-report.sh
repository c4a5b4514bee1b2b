# sweep report: intervals are over seeds alone; traces and whatever else was chosen stand apart; what is missing is said.
cat >s.yaml <<'Y'
traces: [{generate: lublin --jobs 300 --cpus 64, name: one}, {generate: lublin --jobs 200 --cpus 64, name: two}]
policies: [fcfs, easy]
settings: {replay.load: [0.8, 1.2], policy.order: [fcfs, saf]}
seeds: 1..3
Y
cp "$DATA/four.swf" .
schedlab sweep run s.yaml -o d --quiet
schedlab sweep report s.yaml -o d --y wait.mean
schedlab sweep report s.yaml -o d --y wait.mean --json | sed -n 1,3p
grep -c '<polyline' d/curves.svg
# Two points are not there: by name, and by cell.
for number in 2 11; do
	rm "$(grep -l "\"number\": $number," d/points/*.json)"
done
schedlab sweep report s.yaml -o d --y wait.mean
# A log, with which no seed changes anything: no interval.
printf 'traces: [four.swf]\npolicies: [fcfs, easy]\nseeds: 1..3\n' >log.yaml
schedlab sweep run log.yaml -o log --quiet
schedlab sweep report log.yaml -o log --y wait.mean
# Another cluster runs other jobs: the pair is not compared.
printf 'nodes: [{name: n, count: 1, cpus: 4}]\n' >four.yaml
printf 'nodes: [{name: n, count: 1, cpus: 3}]\n' >three.yaml
printf 'traces: [four.swf]\nclusters: [four.yaml, three.yaml]\npolicies: [fcfs]\n' >clusters.yaml
schedlab sweep run clusters.yaml -o clusters --quiet
schedlab sweep report clusters.yaml -o clusters --y wait.mean --by cluster
# The figures of compare over the same logs, and its interval, or none, as seeds tell too little.
for seeds in 4 9; do
	printf 'traces: [{generate: lublin --jobs 300 --cpus 64}]\npolicies: [fcfs, easy]\nseeds: 1..%s\n' $seeds >g.yaml
	schedlab sweep run g.yaml -o g --quiet
	schedlab sweep report g.yaml -o g --y wait.mean
	schedlab sweep report g.yaml -o g --y wait.mean --json | sed -n 's/.*\("difference": .*\) }.*/\1/p'
	seq $seeds | while read -r seed; do
		schedlab generate lublin --jobs 300 --cpus 64 --seed "$seed" -q >"m$seed.swf"
	done
	schedlab compare m?.swf -q -p fcfs -p easy -o c$seeds >/dev/null
	grep '^2,easy,wait.mean' c$seeds/differences.csv | cut -d , -f 4-8,13,14
	rm -r g
done
