# Two teams in a cohort, worked by hand. Team b borrows 4 of team a's 8 cpus (job 1 and 2), and may borrow no more (job 3 waits).
# At 10 a's job 4 claims its quota: b's job 1 makes room, and its work is lost. At 60 job 4 ends; a second later what waits is
# looked at again: 5, and 1 on borrowed cpus. At 70 a's job 6 needs all 8: 1 is taken back, and 5, of lower priority, makes room.
# 7 fits once 6 is over. 8 names a queue that is not there.
lab="$ROOT/docs/examples/kueue/two-teams"
schedlab run "$lab.csv" -c "$lab.yaml" -p kueue --check -o out --quiet >/dev/null
cut -d, -f1,5,7,8,15,16,17 out/jobs.csv
cut -d, -f1-7 out/evictions.csv
cat out/lending.csv
cut -d, -f1-4 out/reasons.csv
awk -F, '$1 == 70 || $1 == 10' out/cohorts.csv
# The same again, byte by byte; and under latencies.
schedlab run "$lab.csv" -c "$lab.yaml" -p kueue -o again --quiet >/dev/null
cmp out/jobs.csv again/jobs.csv && cmp out/evictions.csv again/evictions.csv && echo same
schedlab run "$lab.csv" -c "$lab.yaml" -p kueue:latency=api,qps=1,burst=1 --check -o slow --quiet >/dev/null
cut -d, -f1,7,8 slow/jobs.csv
# Work is kept, and pods take 5 s to stop: job 4 starts at 15, and 1 has 15 of its 100 s behind it.
schedlab run "$lab.csv" -c "$lab.yaml" -p kueue:checkpoint=1,grace=5 --check --jobs 4 -o kept --quiet >/dev/null
cut -d, -f1,7,8 kept/jobs.csv
# Whose use stays as it is may lend more: at 5 and at 8 b begins to borrow 1 and 2 more, and a's quota is lent, though a does nothing.
# At 12 a needs 7 of its 8 cpus: job 3 gives way, and 2 still borrows 1. At 17 a is done, a second later 3 is back; at 20 job 1 ends.
printf 'job_id,submit,run_time,time_limit,cpus,namespace,queue,priority\n1,0,20,50,8,lab,b,0\n2,5,20,50,1,lab,b,0\n3,8,20,50,2,lab,b,0\n4,12,5,50,7,lab,a,0\n' >lent.csv
schedlab run lent.csv -c "$lab.yaml" -p kueue --check -o lent --quiet >/dev/null
awk -F, '$2 == "team-a" && $6 == "cpu" { print $1, $10, $11 }' lent/cohorts.csv
