# SPDX-License-Identifier: GPL-3.0-or-later
# Users of a trace, drawn anew: rows keep what they say; numbers, the job before, times beside the submission and users
# who come twice are new.
cat >two.swf <<'END'
; UnixStartTime: 1000000000
; MaxProcs: 8
; MaxJobs: 5
11 0 5 100 2 -1 -1 2 200 -1 1 3 9 4 1 2 -1 -1
12 3600 6 200 1 -1 -1 1 300 -1 0 3 9 4 1 2 11 50
13 90000 0 300 4 -1 -1 4 400 -1 1 5 9 4 1 2 11 70
14 1300000 0 400 4 -1 -1 4 500 -1 1 3 9 4 1 2 12 80
15 1400000 0 500 8 -1 -1 8 500 -1 1 3 9 4 1 2 99 90
END
schedlab generate resample two.swf --temporary 2 --load 2 --seed 2
schedlab generate resample two.swf --temporary 2 --load 2 --seed 2 --to table -o a.csv 2>/dev/null
schedlab generate resample - --temporary 2 --load 2 --seed 2 --to table <two.swf >b.csv 2>/dev/null
cmp a.csv b.csv && sed -n 2p a.csv | cut -c1-60
# Names; times that move along.
cat >names.csv <<'END'
job_id,user,gang,submit,run_time,tasks,begin,dependency
x1,alice,g,0,100,2,50,
x2,alice,g,60,100,2,,afterok:x1
x3,bob,,120,100,2,700000,
END
schedlab generate resample names.csv --load 2 --weeks 3 --seed 5 -o n.csv
awk -F, '!/^#/ { if (!n) for (i = 1; i <= NF; i++) at[$i] = i
	n = 1; print $at["job_id"], $at["user"], $at["gang"], $at["submit"], $at["begin"], $at["dependency"] }' n.csv
schedlab run n.csv --set cluster.cpus=8 --quiet | sed -n '/^jobs/p'
try() {
	schedlab generate resample "$@"
	echo "exit $?"
}
try two.swf --load 0
try two.swf --load x
try two.swf --to none
try none.swf
try two.swf names.csv
