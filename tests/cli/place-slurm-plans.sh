# Slurm's placement under plans: which go with it, and that what is down stays empty.
E=$ROOT/docs/examples/slurm
for policy in conservative slices depth-k slack; do
	schedlab run "$E/week.txt" -c "$E" -p "$policy:place=slurm" --quiet
	echo "exit $?"
done
schedlab run "$ROOT/tests/data/four.swf" -p easy:place=slurm --quiet
echo "exit $?"
for policy in fcfs easy greedy quota fairshare; do
	schedlab run "$E/week.txt" -c "$E" -p "$policy:place=slurm" --jobs 200 --check --quiet --force -o out >/dev/null
	echo "$policy exit $?"
	schedlab view sacct out -n -P -o nodelist | grep -c dgx0183
done
# A stop in the middle changes nothing; one policy may take over from another that places likewise, or not at all.
schedlab run "$E/week.txt" -c "$E" -p easy:place=slurm --until 2026-03-03T12:00:00 -o stop --quiet >/dev/null
schedlab run --from-snapshot stop/snapshot.json -o on --only jobs --quiet >/dev/null
schedlab run "$E/week.txt" -c "$E" -p easy:place=slurm -o whole --only jobs --quiet >/dev/null
cmp on/jobs.csv whole/jobs.csv && echo same
schedlab run --from-snapshot stop/snapshot.json -p fcfs:place=slurm --quiet >/dev/null
echo "exit $?"
schedlab run --from-snapshot stop/snapshot.json -p easy:place=best --quiet >/dev/null
echo "exit $?"
schedlab run "$E/week.txt" -c "$E" -p easy --until 2026-03-03T12:00:00 -o other --quiet >/dev/null
schedlab run --from-snapshot other/snapshot.json -p easy:place=slurm --quiet >/dev/null
echo "exit $?"
