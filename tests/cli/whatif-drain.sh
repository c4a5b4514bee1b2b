# When to drain: every moment and way, against plain runs with the same outage. 2 nodes of 2 cpus; n1 has job 1 (0-100),
# then job 3 (100-400); n2 has job 2 (0-300).
cat >t.csv <<'END'
job_id,user,submit,run_time,time_limit,nodes,cpus_per_node
1,a,0,100,100,1,2
2,b,0,300,300,1,2
3,a,10,300,300,1,2
4,b,350,100,100,1,2
END
cat >c.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 2 }]
END
# By hand, at 120 s of 2 cpus: wait is idle for nobody until 400 (job 3 fills n1): nothing lost, nothing idle; kill loses
# 20 s of job 3. Best is 100 s, when n1 is empty, and nothing waits for it but job 3.
schedlab whatif t.csv -c c.yaml -q --drain n1 --within 240 --for 60
schedlab whatif t.csv -c c.yaml -q --drain n1 --within 240 --for 60 --json >all.json
# Brute force: the same outage in a run of its own; waits summed, and work lost (cpu-hours), come out the same.
hours() { awk -v x="$1" 'BEGIN { printf "%.6f\n", x / 3600 }'; }
sum() { awk -F , -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i; next } { s += $k } END { print s + 0 }' "$1"; }
schedlab run t.csv -c c.yaml -q -o base >/dev/null
grep -o '"from": [0-9.]*, "way": "[a-z]*", "work_begins": [0-9.]*, "back": [0-9.]*' all.json | sed 1d | tr -d '",:' >plans
bad=0
count=0
while read -r _ from _ way _ _ _ back; do
	state=down
	[ "$way" = kill ] || state=drain
	rm -rf one
	schedlab run t.csv -c c.yaml -q --model "failures:outages=\"n1 $from $back $state\"" -o one >/dev/null
	wait=$(($(sum one/jobs.csv wait_total) - $(sum base/jobs.csv wait_total)))
	said=$(grep "\"from\": $from, \"way\": \"$way\"" all.json | tail -n 1 | sed 's/.*"wait_hours": \([-0-9.]*\).*/\1/')
	count=$((count + 1))
	[ "$(hours "$wait")" = "$(awk -v x="$said" 'BEGIN { printf "%.6f\n", x }')" ] || { echo "$from $way: $wait s, said $said h"; bad=$((bad + 1)); }
done <plans
echo "$count plans, $bad differ"
# A weight on waits, fewer moments, another first moment.
schedlab whatif t.csv -c c.yaml -q --drain n --within 100 --at 50 --wait-weight 2 --moments 3 | sed -n '3,9p;$p'
