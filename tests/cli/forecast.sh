# By hand: 4 processors, fcfs. Job 1 (4) ran 0-100; job 2 (4) runs 100-200; job 3 (2) waits behind it, and job 4 (4) behind that.
# All jobs of the user ran 100 s, so that job 2 ends at 200, job 3 runs 200-300, job 4 from 300 on, in each future.
cat >t.swf <<'END'
; MaxProcs: 4
1 0 0 100 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
2 10 90 100 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
3 20 180 100 2 -1 -1 2 100 -1 1 7 -1 -1 -1 -1 -1 -1
4 30 270 100 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
END
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5 --json | sed -n '/"job"/p'
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5 --job 4 --json | grep -c '"job"'
# At the moment of a start it is that moment, whatever the policy: of a run's own jobs, in each future.
schedlab run "$ROOT/traces/bundled/lublin-256.swf" -q -p easy --jobs 400 -o out >/dev/null
for row in 90 150 260 330; do
	job=$(sed -n "$((row + 1))p" out/jobs.csv | cut -d , -f 1)
	start=$(sed -n "$((row + 1))p" out/jobs.csv | cut -d , -f 7)
	schedlab forecast out -q --at "$start" --job "$job" --futures 10 --json |
		sed -n 's/.*"start": {\([^}]*\)}.*/\1/p' | grep -cF "\"p10\": $start, \"p50\": $start, \"p90\": $start"
done
# Same seed, same bytes, on one thread and several; another seed, others.
schedlab forecast out -q --at 40h --futures 20 -j 1 --json >a
schedlab forecast out -q --at 40h --futures 20 -j 3 --json >b
schedlab forecast out -q --at 40h --futures 20 --seed 2 --json >c
cmp a b && echo same
cmp -s a c || echo otherwise
# A job not yet submitted: two processors are free when job 2 is over, four when job 4 is.
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5 --ask 'nodes=2 limit=100 user=7' --ask 'nodes=4 limit=100 user=7'
# The same work on half as many: by Amdahl's law with half of it serial 2/3 of the speed (1.6 of 4, 1.333 of 2).
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5 --ask 'nodes=4 limit=100 user=7 serial=0.5' --ask 'nodes=2 limit=200 user=7' --json | sed -n '/"request"/p;/ends_first/p'
schedlab forecast t.swf -q --at 150 --ask 'nodes=2' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --ask 'nodes=2 limit=1h colour=red' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --ask 'nodes=0 limit=1h' || echo "exit $?"
# A history is learned from, and takes no place: job 2 runs, and jobs 3 and 4 wait, as without it.
schedlab forecast t.swf -q -p fcfs --simulated --at 150 --horizon 0.001 --futures 5 --history t.swf | sed -n 1p
{ cat t.swf && echo '5 40 400 -1 4 -1 -1 4 100 -1 5 7 -1 -1 -1 -1 -1 -1'; } >past.swf
schedlab forecast t.swf -q -p fcfs --at 150 --horizon 0.001 --futures 5 --history past.swf | sed -n 1p
# What the machine does not have is never given; and no part is given twice.
schedlab forecast t.swf -q --at 150 --ask 'nodes=65 limit=1h' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --ask 'gpus=3 limit=1h' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --ask 'nodes=2 limit=1h,nodes=3' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --moments 5 || echo "exit $?"
schedlab forecast t.swf -q --at 150 --cases cases.csv || echo "exit $?"
schedlab forecast t.swf -q --backtest --at 150 || echo "exit $?"
schedlab forecast t.swf -q --backtest --ask 'nodes=2 limit=1h' || echo "exit $?"
schedlab forecast t.swf -q --at 150 --job 9 || echo "exit $?"
schedlab forecast t.swf -q || echo "exit $?"
schedlab forecast t.swf -q --at noon || echo "exit $?"
