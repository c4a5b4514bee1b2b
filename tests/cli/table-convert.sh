# Any trace as a table and back: the same replay; our own jobs.csv is a table too.
cp "$DATA/site.swf" .
schedlab convert site.swf site.csv --to table
sed -n '/^job_id/,$p' site.csv
schedlab convert site.csv again.swf
for trace in site.swf site.csv again.swf; do
	schedlab run "$trace" --quiet -o "out-$trace" >/dev/null
	cmp out-site.swf/jobs.csv "out-$trace/jobs.csv" || echo "$trace differs"
done
cpus=$(sed -n 's/.*"cluster": { "cpus": \([0-9]*\).*/\1/p' out-site.swf/run.json)
schedlab run out-site.swf/jobs.csv --set "cluster.cpus=$cpus" --quiet -o out-jobs >/dev/null
cut -d, -f1,5,7,8 out-jobs/jobs.csv
