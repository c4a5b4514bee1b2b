# Names, dates and columns that nobody knows: kept, from the first submit on, and said.
cat >jobs.csv <<'END'
# MaxProcs: 8
id,user,Submit Time,Duration,tasks,gpu_util,"queue, of old"
"run 1",ann,2024-03-01 08:00:00,1h,4,0.3,x
run 2,"bob ""b""",2024-03-01 08:10:00,1800,8,0.2,x
7,ann,2024-03-01 08:05:00,60,1,0.9,x
END
schedlab run jobs.csv -p easy -o out
cat out/jobs.csv out/reasons.csv
grep -E '"(epoch|ignored)"' out/run.json
grep 'jobs{user' out/metrics.json
schedlab convert jobs.csv - --clean
schedlab convert jobs.csv - --to table --clean | cut -d, -f1-8
schedlab run jobs.csv --from 2024-03-01T08:04 --to 2024-03-01T08:06 --quiet | sed -n 2p
