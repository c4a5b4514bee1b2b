# Intervals of differences: of one run's batches, of blocks of time, of seeds and windows; in the table, as JSON and CSV.
cp "$ROOT/traces/bundled/lublin-256.swf" "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
schedlab compare lublin-256.swf -p easy -p conservative --jobs 2000 --quiet -o out
cat out/differences.csv
sed -n '1s/.*,partial/partial/p' out/compare.csv
schedlab compare lublin-256.swf -p easy -p conservative --jobs 2000 --quiet --json | sed -n '/^"differences/,/wait.p50/p'
# The same bytes on one thread, and again.
schedlab compare lublin-256.swf -p easy -p conservative --jobs 2000 --quiet -j 1 --json >one
schedlab compare lublin-256.swf -p easy -p conservative --jobs 2000 --quiet -j 2 --json | cmp one - && echo same
# Weeks of one run; too few of them; 12 equal spans.
schedlab compare lublin-256.swf -p easy -p fcfs --quiet --blocks week | sed '1,/^$/d'
schedlab compare lublin-256.swf -p easy -p fcfs --quiet --blocks week --jobs 2000 | tail -n 1
schedlab compare lublin-256.swf -p easy -p fcfs --quiet --blocks 12 | grep paired
# Seeds: who draws nothing is told; where nobody does, there is nothing to replicate.
schedlab compare gpu-200.csv -c gpu-cluster.yaml -p easy:ties=random -p easy --reps 6 -o reps | sed '1,/^$/d'
cut -d , -f 1-4 reps/replications.csv | sed 's/,[0-9a-f]\{16\},/,DIGEST,/'
ls reps reps/1-easy-ties-random
schedlab compare lublin-256.swf --jobs 300 -p easy -p fcfs --reps 3 --quiet || echo "exit $?"
# What cannot go together.
schedlab compare lublin-256.swf -p easy -p fcfs --reps 3 --blocks week --quiet || echo "exit $?"
schedlab compare lublin-256.swf -p easy -p fcfs --blocks 5 --quiet || echo "exit $?"
schedlab compare lublin-256.swf -p easy -p fcfs --reps 1 --quiet || echo "exit $?"
schedlab compare lublin-256.swf -p easy -p fcfs --set replay.windows=100@0,100 --reps 3 --quiet || echo "exit $?"
schedlab compare lublin-256.swf -p easy -p fcfs --set replay.windows=100@0,100 --blocks day --quiet || echo "exit $?"
schedlab compare out reps --reps 3 || echo "exit $?"
# Windows are samples, six at least for an interval by ranks.
schedlab compare lublin-256.swf -p easy -p fcfs --set replay.windows=300@0,300,600,900,1200,1500 --quiet | tail -n 4
# Each estimate is the difference of the two values shown, and lies in its interval: of batches, seeds, blocks, windows.
check() {
	awk -F , 'FNR == 1 { for (i = 1; i <= NF; i++) name[FILENAME, i] = $i }
		FILENAME == ARGV[1] && FNR > 1 { for (i = 1; i <= NF; i++) value[FNR - 1, name[FILENAME, i]] = $i }
		FILENAME == ARGV[2] && FNR > 1 {
			off = $4 - (value[$1, $3] - value[1, $3])
			if (off > 1e-5 || off < -1e-5) print $3 " is off by " off
			if ($5 != "" && ($4 + 0 < $5 + 0 || $4 + 0 > $6 + 0)) print $3 " is not in its interval"
			some += $5 != ""
		}
		END { print some " intervals" }' "$1/compare.csv" "$1/differences.csv"
}
check out
check reps
schedlab compare lublin-256.swf -p easy -p fcfs -p sjf --jobs 4000 --quiet --blocks day -o days >/dev/null
check days
schedlab compare lublin-256.swf -p easy -p fcfs --set replay.windows=300@0,300,600,900,1200,1500 --quiet -o windows >/dev/null
check windows
