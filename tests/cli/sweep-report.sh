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
# The mean and the interval of one place, by hand: Student's t of three seeds, 4.3027 / sqrt(3).
head -n 1 d/points.csv | tr , '\n' | grep -n 'wait.mean$' | cut -d : -f 1 >column
awk -F , -v c="$(cat column)" '/^[0-9]/ && /,one,/ && /,0.8,fcfs,easy,/ { s += $c; q += $c * $c; n++ }
	END { m = s / n; printf "%.2f ± %.2f of %d\n", m, 4.302653 / sqrt(n) * sqrt((q - n * m * m) / (n - 1)), n }' d/points.csv
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
