# Windows are runs of their own, from an empty machine; what stands above them are means. Four jobs on 4 cpus, in three
# windows of 2, of which the last overlaps: the second begins with job 3, which then waits for nobody.
cp "$DATA/four.swf" .
schedlab run four.swf -p fcfs --set windows=2@0,2,1 -o out --quiet
cut -d , -f 1-7 out/windows.csv
grep -e '"wait.mean"' -e '"jobs.total"' out/metrics.json
for window in 1 2 3; do
	echo "window $window: $(sed 1d "out/window-$window/jobs.csv" | cut -d , -f 1,5,7 | tr '\n' ' ')"
done
grep -e '"files"' -e '"runs"' -e '"first"' out/run.json
echo "--- the same again, then other windows, then with the means alone"
schedlab run four.swf -p fcfs --set windows=2@0,2,1 -o out --quiet >/dev/null && echo replaced
schedlab run four.swf -p fcfs --set windows=2@0,2 -o out --quiet || echo "exit $?"
schedlab run four.swf -p fcfs --set windows=2@0,2 --json --quiet | grep '"wait.mean"'
schedlab run four.swf -p fcfs --set windows=2@0,2 --only jobs -o few --quiet
ls few few/window-1
echo "--- compared"
schedlab compare four.swf -p fcfs -p easy --set windows=2@0,2,1 -o both --quiet >/dev/null
ls both both/2-easy
cut -d , -f 1-6 both/compare.csv
schedlab compare both/1-fcfs both/2-easy both/1-fcfs/window-1 >/dev/null && echo and their folders are runs
echo "--- refused"
schedlab run four.swf --set windows=2@3 || echo "exit $?"
