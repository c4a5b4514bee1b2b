# Each kind of cause that is no queue, with what the sentence says of it, on worlds small enough to be checked by hand.
cat >jobs.csv <<'CSV'
job_id,submit,run_time,time_limit,cpus,user,begin,dependency,array,array_task,array_limit,name
1,0,100,100,4,ann,,,,,,prep
2,0,50,60,4,bob,,afterok:1,,,,main
7_1,5,20,20,1,cyd,,,7,1,1,array
7_2,5,20,20,1,cyd,,,7,2,1,array
9,7,10,10,1,dan,60,,,,,late
11,8,10,10,1,dan,,afternotok:1,,,,never
CSV
schedlab run jobs.csv --set cluster.cpus=8 -o out --quiet >/dev/null
for job in 2 7_2 9 11; do
	schedlab explain out $job --no-what-if | sed -n '1p; /waited for/,/^$/p; /at the end/,$p'
done
# Without what it depends on, and without its begin time, each would have started at once.
schedlab explain out 2 --what-if 'replay.change=job=2 dependency=none' | sed -n '/would have been/,$p'
schedlab explain out 9 --what-if 'replay.change=job=9 begin=none' | sed -n '/would have been/,$p'
# Quotas: 4 cpus each; two of ann's jobs fill hers, the third waits although half the machine is idle.
cat >quota.csv <<'CSV'
job_id,submit,run_time,time_limit,cpus,user
1,0,100,100,4,ann
2,0,200,200,4,bob
3,1,50,50,2,ann
CSV
echo
schedlab run quota.csv --set cluster.cpus=8 -p 'quota:by=user,quotas="ann=4,bob=4"' -o quota --quiet >/dev/null
schedlab explain quota 3 --no-what-if
# Quotas that are claimed back: ann has lent 4 cpus; when bob comes, her second job makes room for his, and waits until
# that is over.
cat >claim.csv <<'CSV'
job_id,submit,run_time,time_limit,cpus,user
1,0,100,100,4,ann
2,0,200,200,4,ann
3,10,50,50,4,bob
CSV
echo
schedlab run claim.csv --set cluster.cpus=8 -p 'quota:by=user,quotas="ann=4,bob=4"' -o claim --quiet >/dev/null
for job in 2 3; do
	schedlab explain claim $job --no-what-if | sed -n '/^job/p; /waited for/,$p'
done
# Who asks for more than his quota waits even when nobody holds anything of it, as long as nobody lends; of a job that
# started at once no world is told in which it would have started at once, too.
echo '4,20,60,60,8,bob' >>claim.csv
schedlab run claim.csv --set cluster.cpus=8 -p 'quota:by=user,quotas="ann=4,bob=4"' -o over --quiet >/dev/null
schedlab explain over 4 --no-what-if --all | sed -n '/waited for/,/^$/p'
schedlab explain over 2 | sed -n '/^job/p; /would have been/,$p'
