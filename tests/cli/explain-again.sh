# What would have been, as explain simulates it, is what a plain run with that setting comes to: the same start, to the
# microsecond. Over the bundled traces, of jobs that waited longest, under policies of each kind.

# check DIR JOB TRACE-AND-OPTIONS...: each of explain's other worlds, once more by hand.
check() {
	dir=$1
	job=$2
	shift 2
	schedlab explain "$dir" "$job" --json ${asked:+--what-if "$asked"} >explained.json || return
	sed -n 's/.*"outcome": "\([a-z]*\)".*"start": \([^,]*\),.*"settings": \["\(.*\)"\] }.*/\1 \2 \3/p' explained.json |
		sed 's/\\"/"/g' >worlds
	while read -r outcome start setting; do
		# Where all is slow only every third world is run once more.
		if [ "${SL_EFFORT:-}" = less ]; then
			runs=$((runs + 1))
			[ $((runs % 3)) -eq 0 ] || continue
		fi
		rm -rf other
		schedlab run "$@" --set "$setting" -o other --only jobs --quiet >/dev/null 2>said </dev/null || {
			echo "$setting: $(cat said)"
			continue
		}
		there=$(awk -F, -v job="$job" '$1 == job { print $7; found = 1 } END { if (!found) print "none" }' other/jobs.csv)
		case $outcome in
		started) [ "$there" = "$start" ] || echo "$dir, job $job, $setting: explain says $start, a run $there" ;;
		never) [ -z "$there" ] || echo "$dir, job $job, $setting: explain says never, a run $there" ;;
		*) [ "$there" = none ] || echo "$dir, job $job, $setting: explain says $outcome, a run $there" ;;
		esac
	done <worlds
	echo "$dir, job $job: $(wc -l <worlds) other worlds, $(awk '$1 == "started"' worlds | wc -l) in which it started"
}
# longest DIR: the job that waited longest; ties go to the first.
longest() { tail -n +2 "$1/jobs.csv" | sort -t, -k9,9nr -s | sed -n '1s/,.*//p'; }

runs=0
asked=
traces=$ROOT/traces/bundled
for policy in fcfs easy conservative sjf fairshare easy:order=wfp3,fill=shortest slack 'easy:estimate=tsafrir'; do
	schedlab run "$traces/lublin-256.swf" --jobs 3000 -p "$policy" -o "swf-$policy" --quiet >/dev/null
	check "swf-$policy" "$(longest "swf-$policy")" "$traces/lublin-256.swf" --jobs 3000 -p "$policy"
done
for policy in easy:place=best conservative 'quota:by=user'; do
	schedlab run "$traces/gpu-200.csv" -c "$traces/gpu-cluster.yaml" -p "$policy" -o "gpu-$policy" --quiet >/dev/null
	check "gpu-$policy" "$(longest "gpu-$policy")" "$traces/gpu-200.csv" -c "$traces/gpu-cluster.yaml" -p "$policy"
done
week=$ROOT/docs/examples/slurm
for policy in easy:place=slurm slurm; do
	schedlab run "$week/week.txt" -c "$week" -p "$policy" -o "week-$policy" --quiet >/dev/null
	check "week-$policy" "$(longest "week-$policy")" "$week/week.txt" -c "$week" -p "$policy"
	# Where it cannot run: no such job, or one that waits for ever.
	asked=partition
	check "week-$policy" "$(longest "week-$policy")" "$week/week.txt" -c "$week" -p "$policy"
	asked='replay.change=job=1226 gpus=4 nodes=1 mem=64G; user=eva limit*0.5'
	check "week-$policy" "$(longest "week-$policy")" "$week/week.txt" -c "$week" -p "$policy"
	asked=
done
