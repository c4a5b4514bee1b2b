# replay.start=recorded: at --from the machine is as the log had it then.
cp "$DATA/begun.swf" "$DATA/four.swf" .
schedlab run begun.swf --from 50 --set replay.start=recorded --check -o out
cut -d , -f 1,5,7,8,9,15 out/jobs.csv
cat out/usage.csv out/reasons.csv
grep -v '{' out/metrics.json | grep -e total -e completed -e 'wait.m' -e '"utilization"' -e queue -e makespan
echo 'a smaller machine than the log knew:'
schedlab run begun.swf --from 50 --set replay.start=recorded --set cluster.cpus=3 -o small --only jobs
cut -d , -f 1,5,7,8,9,15 small/jobs.csv
grep unfit small/run.json
echo 'twice the load, from then on:'
schedlab run begun.swf --from 50 --set replay.start=recorded --set load=2 -o out --only jobs --force --quiet
cut -d , -f 1,5,7 out/jobs.csv
echo 'a snapshot of it:'
schedlab run begun.swf --from 50 --set replay.start=recorded --until 70 --snapshot s.json --quiet >/dev/null
schedlab run --from-snapshot s.json --check --quiet -p conservative -o on --only jobs
cut -d , -f 1,5,7 on/jobs.csv
schedlab run begun.swf --set replay.start=recorded || echo "exit $?"
schedlab run four.swf --from 5 --set replay.start=recorded || echo "exit $?"
schedlab run begun.swf --from 5 --set replay.start=recorded --set replay.windows=1@0 || echo "exit $?"
