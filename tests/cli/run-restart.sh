# What it costs to go on from a checkpoint: a table by size, and what is none.
cat >jobs.csv <<'CSV'
job_id,submit,run_time,cpus,partition
long,0,100,4,a
short,10,20,4,a
other,10,30,4,b
CSV
schedlab run jobs.csv -p srtf --set cluster.cpus=4 --set replay.restart=7s,2:30s,9:60s --only jobs,attempts -o out --quiet >/dev/null
cut -d, -f1,7,8,15 out/jobs.csv
cat out/attempts.csv
schedlab run jobs.csv -p srtf:queues=partition --set cluster.cpus=8 --only jobs -o lanes --quiet >/dev/null
cut -d, -f1,7,8 lanes/jobs.csv
for table in '' 7x 2:30s,2:60s 9:60s,2:30s 0:7s 1:2:3:x a:7s 7s, -5s; do
	schedlab run jobs.csv -p srtf --set cluster.cpus=4 --set "replay.restart=$table" --quiet
	echo "exit $?"
done
schedlab run jobs.csv -p conservative:queues=partition --set cluster.cpus=4 --quiet
schedlab run jobs.csv -p fairshare:queues=partition --set cluster.cpus=4 --quiet
schedlab run jobs.csv -p srtf:order=sjf --set cluster.cpus=4 --quiet
