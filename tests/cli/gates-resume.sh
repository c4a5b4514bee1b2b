# A run that is stopped while jobs are kept from the queue goes on from its snapshot, under the same policy and under
# another one; and from the middle of a log, whose past is the past.
cat >jobs.csv <<'CSV'
job_id,submit,wait,run_time,time_limit,cpus,begin,dependency,array,array_task,array_limit
1,0,0,100,100,4,,,,,
2,1,0,40,50,4,,,,,
3,2,99,50,60,4,,after:2+1?afterok:1,,,
4,3,87,10,10,2,90,,,,
5,4,37,20,20,2,,,5,1,1
6,4,57,20,20,2,,,5,2,1
7,5,150,10,10,1,,afterany:3,,,
CSV
schedlab run jobs.csv --set cluster.cpus=8 --quiet -o whole --check >/dev/null
schedlab run jobs.csv --set cluster.cpus=8 --quiet --until 30 -o half --check >/dev/null
cut -d, -f 1,5-8,15 half/jobs.csv
schedlab run --from-snapshot half/snapshot.json --quiet -o rest >/dev/null
cmp whole/jobs.csv rest/jobs.csv
cmp whole/reasons.csv rest/reasons.csv
schedlab run --from-snapshot half/snapshot.json -p conservative --quiet -o other --check >/dev/null
cut -d, -f 1,5-8,15 other/jobs.csv
echo
schedlab run jobs.csv --set cluster.cpus=8 --quiet --from 30 --set replay.start=recorded -o middle --check >/dev/null
cut -d, -f 1,5-8,15 middle/jobs.csv
cat middle/reasons.csv
