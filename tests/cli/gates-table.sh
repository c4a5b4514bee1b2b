# Jobs that say when they may be considered, in a table by hand: dates, dependencies, an array, a deadline; what
# comes of it, the same from what convert writes, and under a higher load with the same distances.
cat >jobs.csv <<'CSV'
job_id,submit,run_time,time_limit,cpus,begin,deadline,dependency,array,array_task,array_limit,nice,qos,name,hold,requeue,time_min,cancel
1,2024-03-01T10:00:00,100,100,4,,,,,,,,normal,prep,,,,
2,2024-03-01T10:00:00,50,60,4,,,afterok:1,,,,,normal,main,,,,
7_1,2024-03-01T10:00:05,20,20,1,,,,7,1,1,,,array,,,,
7_2,2024-03-01T10:00:05,20,20,1,,,,7,2,1,,,array,,,,
7_3,2024-03-01T10:00:05,20,20,1,,,,7,3,1,,,array,,,,
8,2024-03-01T10:00:06,10,10,1,,,"AfterAny:7,singleton?after:1+2",,,,5,,"a, b",,,,
9,2024-03-01T10:00:07,10,10,1,2024-03-01T10:01,,,,,,,,,,,,
10,2024-03-01T10:00:08,10,30,4,,2024-03-01T10:01:10,,,,,,,,,,,
11,2024-03-01T10:00:09,10,10,1,,,afterok:99,,,,,,,,0,5,
12,2024-03-01T10:00:10,10,10,1,,,whenever:1,,,,,,,,,,
13,2024-03-01T10:00:10,10,10,1,,,,,,,,,,yes,,,2024-03-01T10:00:40
14,2024-03-01T10:00:10,10,10,1,,,afternotok:1(unfulfilled),,,,,,,,,,
15,2024-03-01T10:00:10,10,10,1,,,afterok:7_2,,,,,,,,,,
CSV
schedlab run jobs.csv --set cluster.cpus=8 -o out --check >/dev/null
cut -d, -f 1,5-8,15,20- out/jobs.csv
cat out/reasons.csv
schedlab inspect jobs.csv --set cluster.cpus=8 | grep 'of them'
schedlab inspect jobs.csv --set cluster.cpus=8 --json | grep says

echo
schedlab convert jobs.csv again.csv --to table
cat again.csv
schedlab convert jobs.csv --clean --to table - 2>/dev/null | cmp - again.csv
schedlab run again.csv --set cluster.cpus=8 --quiet -o out-again >/dev/null
cmp out/jobs.csv out-again/jobs.csv
schedlab run out/jobs.csv --set cluster.cpus=8 --quiet -o out-jobs >/dev/null
cut -d, -f 1,20-24 out-jobs/jobs.csv | tail -n +4 | head -n 3

echo
schedlab run jobs.csv --set cluster.cpus=8 --set replay.load=2 --quiet -o out-load --check >/dev/null
cut -d, -f 1,5-8,15 out-load/jobs.csv | grep -E '^(9|10|13),'
schedlab run jobs.csv --set cluster.cpus=8 --strict || echo "exit $?"
