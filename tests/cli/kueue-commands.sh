# What an operator does: a queue is held (its jobs run on), drained (they are evicted), let go; its quota is cut and raised.
lab="$ROOT/docs/examples/kueue/two-teams"
commands() { printf '%s\n' "$@" >commands; }
run() {
	schedlab run "$lab.csv" -c "$lab.yaml" -p kueue --set replay.commands=commands --jobs 4 --check -o out --force --quiet \
		>/dev/null && cut -d, -f1,7,8 out/jobs.csv
}
commands '5 kubectl patch clusterqueue team-a stopPolicy=Hold' '30 kubectl patch clusterqueue team-a stopPolicy=None'
run
commands '5 kubectl patch localqueue lab/b stopPolicy=HoldAndDrain' '200 kubectl patch localqueue lab/b stopPolicy=None'
run && cut -d, -f1,2,4,5 out/evictions.csv
commands '20 kubectl patch clusterqueue team-b default/cpu nominalQuota=12 borrowingLimit=none'
run
# Its quota is 12 from 20 on, so job 1 is admitted at 21; but the node has 16 cpus, and its pods wait for 4 of them until 60.
cut -d, -f1-4 out/reasons.csv
# Mistakes.
for wrong in 'kubectl get pods' 'kubectl patch clusterqueue team-c stopPolicy=Hold' \
	'kubectl patch clusterqueue team-a stopPolicy=Stop' 'kubectl patch clusterqueue team-a x/cpu nominalQuota=1'; do
	commands "5 $wrong"
	run || echo "exit $?"
done
