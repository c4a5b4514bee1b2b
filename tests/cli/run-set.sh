# --set: full keys and bare ones; what the policy's own text says wins; a key that nobody takes is refused.
cp "$DATA/four.swf" .
starts() {
	schedlab run four.swf --quiet "$@" -o out --force >/dev/null && sed 1d out/jobs.csv | cut -d , -f 7 | tr '\n' ' '
	echo "$*"
}
starts --set policy.plan=fcfs
starts --set plan=fcfs
starts --set plan=fcfs -p easy:plan=easy
starts --set cluster.cpus=8
starts --set replay.load=0.1 -p fcfs
starts --set load=0.1 -p fcfs
starts -p 'easy:order=expr:"0 - size, ignored"' || echo "exit $?"
starts -p 'fcfs:order=expr:"size"'
for set in policy.plna=fcfs plna=fcfs replay.laod=1 plan order=sjf,plan=easy; do
	schedlab run four.swf --quiet --set "$set" >/dev/null || echo "exit $?"
done
