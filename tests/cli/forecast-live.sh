# A cluster of now, as sacct -a -P prints it: 4 processors; three jobs of user a ran 100 s each, job 4 runs since 50 s, job 5 waits, both
# of a. In each future job 4 runs 100 s in all, so that job 5 starts 50 s from now on and ends 100 s later.
cat >now.txt <<'END'
JobID|User|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|NNodes|ReqCPUS|AllocCPUS
1|a|x|p|2026-01-05T09:00:00|2026-01-05T09:00:00|2026-01-05T09:01:40|00:01:40|00:10:00|COMPLETED|1|4|4
2|a|x|p|2026-01-05T09:00:00|2026-01-05T09:01:40|2026-01-05T09:03:20|00:01:40|00:10:00|COMPLETED|1|4|4
3|a|x|p|2026-01-05T09:00:00|2026-01-05T09:03:20|2026-01-05T09:05:00|00:01:40|00:10:00|COMPLETED|1|4|4
4|a|x|p|2026-01-05T09:00:00|2026-01-05T09:05:00|Unknown|00:00:50|00:10:00|RUNNING|1|4|4
5|a|x|p|2026-01-05T09:00:01|Unknown|Unknown|00:00:00|00:10:00|PENDING|1|4|0
END
cat >c.yaml <<'END'
nodes: [{ name: n, count: 1, cpus: 4 }]
END
ask() { schedlab forecast "$@" -c c.yaml -q -p fcfs --horizon 0.001 --futures 5; }
ask now.txt
# The queue and the history apart, who runs in both; the moment said as a date: the same.
sed -n '1p;/RUNNING/p;/PENDING/p' now.txt >queue.txt
ask queue.txt --history now.txt --at 2026-01-05T09:05:50
# As squeue --json and scontrol show jobs --json have it.
cat >queue.json <<'END'
{"jobs": [
 {"job_id": 4, "user_name": "a", "account": "x", "partition": "p", "job_state": ["RUNNING"], "submit_time": 1767603600, "start_time": 1767603900,
  "end_time": 1767604500, "time_limit": {"set": true, "infinite": false, "number": 10}, "node_count": {"set": true, "number": 1}, "cpus": {"set": true, "number": 4}},
 {"job_id": 5, "user_name": "a", "account": "x", "partition": "p", "job_state": ["PENDING"], "submit_time": 1767603601, "start_time": 0,
  "end_time": 0, "time_limit": {"set": true, "infinite": false, "number": 10}, "node_count": {"set": true, "number": 1}, "cpus": {"set": true, "number": 4}}]}
END
ask queue.json --history now.txt --at 2026-01-05T09:05:50
