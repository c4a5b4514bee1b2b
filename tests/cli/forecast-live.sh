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
# When it was printed says last_update, of data_parser v0.0.40 on: a moment need not be given.
sed 's/^ /&/; s/^{"jobs"/{"last_backfill": {"set": true, "number": 1767603940}, "last_update": {"set": true, "infinite": false, "number": 1767603950}, "jobs"/' queue.json >dated.json
ask dated.json --history now.txt
# As text: squeue -l, whose first line says when it was printed, and squeue with columns of one's own; a list that does not say when it was
# printed has no place beside a history with dates, and by itself begins with whoever has run longest.
cat >squeue.txt <<'END_OF_QUEUE'
Mon Jan 05 09:05:50 2026
             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)
                 5         p   my job        a  PENDING       0:00     10:00      1 (Resources)
                 4         p       xx        a  RUNNING       0:50     10:00      1 n0
END_OF_QUEUE
ask squeue.txt --history now.txt
cat >squeue-o.txt <<'END_OF_QUEUE'
JOBID|USER|ACCOUNT|PARTITION|ST|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT|NODES|CPUS|NODELIST(REASON)
5|a|x|p|PD|2026-01-05T09:00:01|N/A|0:00|10:00|1|4|(Resources)
4|a|x|p|R|2026-01-05T09:00:00|2026-01-05T09:05:00|0:50|10:00|1|4|n0
END_OF_QUEUE
ask squeue-o.txt --history now.txt
sed 1d squeue.txt >undated.txt
schedlab forecast undated.txt --history now.txt -c c.yaml -p fcfs -q
echo "exit $?"
schedlab forecast undated.txt -c c.yaml -p fcfs --horizon 0.001 --futures 5
# As scontrol show job prints it, over lines and in one (-o).
cat >jobs.txt <<'END_OF_JOBS'
JobId=4 JobName=xx
   UserId=a(1000) GroupId=a(1000) MCS_label=N/A
   Priority=1 Nice=0 Account=x QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   RunTime=00:00:50 TimeLimit=00:10:00 TimeMin=N/A
   SubmitTime=2026-01-05T09:00:00 EligibleTime=2026-01-05T09:00:00
   StartTime=2026-01-05T09:05:00 EndTime=2026-01-05T09:15:00 Deadline=N/A
   Partition=p AllocNode:Sid=login:1
   NodeList=n0
   NumNodes=1 NumCPUs=4 NumTasks=4 CPUs/Task=1 ReqB:S:C:T=0:0:*:*

JobId=5 JobName=my job
   UserId=a(1000) GroupId=a(1000) MCS_label=N/A
   Priority=1 Nice=0 Account=x QOS=normal
   JobState=PENDING Reason=Resources Dependency=(null)
   RunTime=00:00:00 TimeLimit=00:10:00 TimeMin=N/A
   SubmitTime=2026-01-05T09:00:01 EligibleTime=2026-01-05T09:00:01
   StartTime=2026-01-05T09:15:00 EndTime=2026-01-05T09:25:00 Deadline=N/A
   Partition=p AllocNode:Sid=login:1
   NodeList=
   NumNodes=1 NumCPUs=4 NumTasks=4 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
END_OF_JOBS
ask jobs.txt --history now.txt
awk 'BEGIN { RS = "" } { gsub(/\n +/, " "); print }' jobs.txt >jobs-o.txt
ask jobs-o.txt --history now.txt
