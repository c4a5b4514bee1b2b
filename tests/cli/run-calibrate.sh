# A log beside its replay: in words, as files, and where there is nothing to compare.
cat >nodes.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 4 }]
END
cat >log <<'END'
JobID|JobName|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|State|NCPUS|Timelimit
1|a|ann|phys|p|low|1000|1000|1000|1100|100|COMPLETED|8|5:00
2|a|ann|phys|p|low|1010|1010|1110|1130|20|PREEMPTED|8|5:00
3|a|bob|chem|p|high|1020|1050|1130|1170|40|COMPLETED|8|5:00
2|a|ann|phys|p|low|1130|1251|1260|1360|100|COMPLETED|8|5:00
4|a|bob|chem|p|high|1030|1030|Unknown|1100|0|CANCELLED by 5|8|5:00
END
schedlab run log -c nodes.yaml -p fcfs --calibrate | sed -n '/^calibration/,$p'
schedlab run log -c nodes.yaml -p fcfs --calibrate -q -o out >printed && ls out && cat out/calibration.csv
grep -c calibration out/metrics.json
schedlab run log -c nodes.yaml -p fcfs -q --calibrate --only calibration -o none >printed && ls none
printf 'JobID|Submit|ElapsedRaw|NCPUS\n1|100|5|1\n' >silent
schedlab run silent -c nodes.yaml --calibrate || echo "exit $?"
schedlab run log -c nodes.yaml --calibrate --set replay.windows=2@0,1 || echo "exit $?"
