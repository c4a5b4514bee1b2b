# Times before the trace's zero are times like others: what starts there ends, there or later.
printf 'job_id,submit,run_time,cpus,time_limit\n1,-1000,10,1,20\n2,-3,7,2,9\n3,0,100,4,100\n' >early.csv
schedlab run early.csv --set cluster.cpus=4 -p easy --check -q -o out >/dev/null
cut -d, -f1,5-10,15 out/jobs.csv
