# What explain says adds up to what the run's files say: each job's reasons to its wait_total, everybody's to the sums of
# reasons.csv, a group's to those of its jobs; the jobs that started meanwhile are those of jobs.csv that did.
dir=$ROOT/traces/bundled
schedlab run "$dir/lublin-256.swf" --jobs 2000 -p conservative -o swf --quiet >/dev/null
schedlab run "$dir/gpu-200.csv" -c "$dir/gpu-cluster.yaml" -p slices -o gpu --quiet >/dev/null
schedlab run "$ROOT/docs/examples/slurm/week.txt" -c "$ROOT/docs/examples/slurm" -p slurm -o week --quiet >/dev/null

# The number behind a key of a line.
number() { sed -n "s/.*\"$1\": \\([0-9.]*\\).*/\\1/p"; }
sum() { awk '{ s += $1 } END { printf "%.6f\n", s }'; }

for run in swf gpu week; do
	jobs=0
	for job in $(tail -n +2 $run/jobs.csv | sort -t, -k17,17nr -s | sed -n '1~23s/,.*//p' | head -n 6); do
		schedlab explain $run "$job" --json --no-what-if >one.json
		total=$(awk -F, -v job="$job" '$1 == job { printf "%.6f\n", $17 }' $run/jobs.csv)
		said=$(sed -n '/"waits": \[/,/^  \]/p' one.json | number total | sum)
		later=$(grep '"started_meanwhile"' one.json | number later)
		# By hand, of jobs that wait once: who was submitted later (rows are in that order, ids not) and started meanwhile.
		there=$(awk -F, -v job="$job" 'FNR == 1 { next } NR == FNR { if ($1 == job) { submit = $5; start = $7 } next }
			$5 > submit && $7 != "" && $7 + 0 < start + 0 { n++ } END { print n + 0 }' $run/jobs.csv $run/jobs.csv)
		[ "$total" = "$said" ] || echo "$run, job $job: waited $total, and explain accounts for $said"
		[ "$run" = gpu ] || [ "$later" = "$there" ] || echo "$run, job $job: $there jobs started meanwhile, explain says $later"
		jobs=$((jobs + 1))
	done
	schedlab explain $run --top 3 --json >all.json
	# One word has commas of its own: what is before the first is enough.
	sed 's/"\([^",]*\),[^"]*"/\1/' $run/reasons.csv | awk -F, 'NR > 1 { s[$4] += $3 - $2; if (!(($1, $4) in seen)) n[$4]++; seen[$1, $4] = 1 }
		END { for (r in s) printf "%s %.6f %d\n", r, s[r], n[r] }' | sort >sums
	sed -n 's/.*"reason": "\([^",]*\)[^"]*", "wait": \([0-9.]*\), "wait_of_everybody": [0-9.]*, "jobs": \([0-9]*\).*/\1 \2 \3/p' all.json |
		awk '{ printf "%s %.6f %d\n", $1, $2, $3 }' | sort | diff sums - && echo "$run: $jobs jobs and all reasons add up"
	# The days, and the hours of the week, are all of it too.
	total=$(grep '"group"' all.json | number wait_total | sum)
	days=$(sed -n '/"days"/,/\]/p' all.json | number wait | sum)
	[ "$total" = "$days" ] || echo "$run: waited $total, by days $days"
done
user=$(cut -d, -f2 swf/jobs.csv | sed -n 3p)
said=$(schedlab explain swf --user "$user" --json | grep '"group"' | number wait_total)
there=$(awk -F, -v user="$user" '$2 == user { s += $17 } END { print s }' swf/jobs.csv)
[ "$said" = "$there" ] && echo "user $user: all jobs add up"
