# compare DIR DIR: the first decision that differs, of pairs made by hand, and what it led to.
cp "$DATA/four.swf" .
cat >nodes.yaml <<'EOF'
nodes:
  - { name: a, count: 2, cpus: 4 }
  - { name: b, count: 2, cpus: 2 }
EOF
# Three jobs on 4 cpus: the second runs for twice its limit; the third fits beside it only in what is left.
cat >long.swf <<'EOF'
; MaxProcs: 4
1  0 -1  50 2 -1 -1 2 100 -1 1 1 1 -1 1 1 -1 -1
2  5 -1 100 2 -1 -1 2  50 -1 1 2 1 -1 1 1 -1 -1
3 10 -1  10 4 -1 -1 4  10 -1 1 2 1 -1 1 1 -1 -1
EOF
# Job 3 needs more than its end by job 2's shadow (100), but one cpu is spare then.
cat >spare.swf <<'EOF'
; MaxProcs: 4
1  0 -1 100 3 -1 -1 3 100 -1 1 1 1 -1 1 1 -1 -1
2 10 -1  50 3 -1 -1 3  50 -1 1 2 1 -1 1 1 -1 -1
3 20 -1 300 1 -1 -1 1 300 -1 1 3 1 -1 1 1 -1 -1
EOF
made() { # made DIR TRACE POLICY...: a run in DIR
	dir=$1
	trace=$2
	policy=$3
	shift 3
	schedlab run "$trace" -p "$policy" -o "$dir" --quiet "$@" >/dev/null
}
parts() { # parts DIR DIR: what follows the table
	echo "== $1 $2"
	schedlab compare "$1" "$2" | sed '1,/^$/d; /^against/,/^$/d'
}
# A clause of EASY broken: nobody may use what is spare at the shadow.
made spare spare.swf easy
made none spare.swf easy:spare=none
parts spare none
# Nodes alone: best fit takes the small ones. Nobody starts at another time.
made first four.swf easy -c nodes.yaml
made best four.swf easy:place=best -c nodes.yaml
parts first best
# An end: cut at the limit, or let run.
made raise long.swf easy --set replay.overrun=raise
made kill long.swf easy --set replay.overrun=kill
parts kill raise
# A preemption: the shortest remaining time first puts job 1 back.
made easy four.swf easy
made srtf four.swf srtf
parts easy srtf
# Reasons alone: with a queue for each partition, each has a first job that waits for resources.
cat >parts.swf <<'EOF'
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 1 1 -1 -1
2 1 -1 10 4 -1 -1 4 10 -1 1 2 1 -1 1 2 -1 -1
3 2 -1 10 4 -1 -1 4 10 -1 1 2 1 -1 1 3 -1 -1
EOF
made one parts.swf fcfs
made each parts.swf fcfs:queues=partition
cmp -s one/reasons.csv each/reasons.csv || echo "reasons differ"
parts one each
# Another schedlab's run (its digest is not what this one makes): by the files.
cp -r spare other
sed -i 's/"digest": "[0-9a-f]*"/"digest": "0123456789abcdef"/' other/run.json
sed -i 's/^2,\(.*\),10,10,100,150,/2,\1,10,10,120,170,/' other/jobs.csv
parts other none
# The trace is gone.
rm spare.swf
parts spare none
# Two of one policy go by their folders; jobs that are in one alone are counted.
made three four.swf easy --jobs 3
parts easy three
schedlab compare easy three --json | sed '1,/^"first_diff/d'
# Several windows are several runs.
made windows four.swf easy --set replay.windows=2@0,2
parts easy windows
