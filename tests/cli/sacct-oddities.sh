# What sacct may print that is no month of one cluster: told apart, or taken for what it says.
cat >nodes.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 4 }]
partitions: [{ name: p, nodes: ALL, max_time: 1h, default: true }, { name: q, nodes: ALL }]
END
# Cancelled before they ran, and no limit is known: the partition's, or none; both wait, one of them starts.
cat >log <<'END'
JobID|Cluster|Partition|Submit|Start|End|Elapsed|Timelimit|State|NCPUS|ReqTRES
1|a|p|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:30:00|00:30:00|01:00:00|COMPLETED|8|cpu=8
2|a|p|2024-01-01T00:01:00|Unknown|2024-01-01T00:20:00|00:00:00|Partition_Limit|CANCELLED by 7|4|cpu=4
3|a|q|2024-01-01T00:02:00|Unknown|2024-01-01T00:40:00|00:00:00|UNLIMITED|CANCELLED by 7|4|cpu=4
4|b|q|2024-01-01T00:03:00|2024-01-01T00:03:00|2024-01-01T00:04:00|00:01:00|00:01:00|COMPLETED|99999999999999999999|cpu=1
5|b|q|2024-01-01T00:04:00|2024-01-01T00:04:00|2024-01-01T00:05:00|00:01:00|00:01:00|COMPLETED|1|cpu=1,gres/gpu=some
END
schedlab run log -c nodes.yaml -p fcfs --only jobs -o out && cut -d, -f1,5,7-11,13,15 out/jobs.csv
tail -n +2 log >headless
schedlab run headless -c nodes.yaml
cat >wide <<'END'
       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode 
------------ ---------- ---------- ---------- ---------- ---------- -------- 
1                  bash      batch       phys          1  COMPLETED      0:0 
END
schedlab run wide -c nodes.yaml
