# whatif --drain: lost and idle hours, on drawn worlds, against sums over the base's jobs alone. All nodes are taken out, so
# that nothing but the jobs that run at a moment counts: kill loses what they have done, wait leaves idle what the last of
# them does not use.
printf 'nodes: [{ name: n, count: 3, cpus: 2 }]\n' >c.yaml
count=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	awk -v seed=$seed 'BEGIN { srand(seed); print "job_id,user,submit,run_time,time_limit,nodes,cpus_per_node"
		for (i = 1; i <= 12; i++) {
			run = 1 + int(rand() * 200)
			print i ",u" i % 3 "," (t += int(rand() * 60)) "," run "," run + int(rand() * 100) "," 1 + int(rand() * 3) "," 1 + int(rand() * 2)
		} }' >t.csv
	rm -rf base
	schedlab run t.csv -c c.yaml -q -o base >/dev/null
	schedlab whatif t.csv -c c.yaml -q --drain n --within 300 --for 60 --json >all.json || exit
	grep -o '"from": [^}]*' all.json | tr -d '",:' | awk '{ for (i = 1; i < NF; i++) if ($i == "from" || $i == "way" || $i == "lost_hours" || $i == "idle_hours") v[$i] = $(i + 1)
		print v["from"], v["way"], v["lost_hours"], v["idle_hours"] }' >plans
	count=$((count + $(wc -l <plans)))
	awk -F '[, ]' -v seed=$seed 'function off(a, b) { return a - b > 0.000001 || b - a > 0.000001 }
		FILENAME ~ /jobs.csv/ { if (FNR > 1) { n++; start[n] = $7; end[n] = $8; cpus[n] = $13 } next }
		{
			lost = busy = 0; last = $1
			for (i = 1; i <= n; i++)
				if (start[i] < $1 && end[i] > $1) {
					lost += cpus[i] * ($1 - start[i])
					busy += cpus[i] * (end[i] - $1)
					last = end[i] > last ? end[i] : last
				}
			idle = $2 == "kill" ? 0 : 6 * (last - $1) - busy
			lost = $2 == "kill" ? lost : 0
			if (off(lost / 3600, $3) || off(idle / 3600, $4))
				print "world " seed ", " $1 " " $2 ": lost " lost / 3600 ", said " $3 "; idle " idle / 3600 ", said " $4
		}' base/jobs.csv plans
done
echo "$count plans"
