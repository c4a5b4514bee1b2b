# Tables with a mistake in them: exit 3, with file, line, column and its name; or what is missing to run them.
try() {
	schedlab run "$@" --quiet
	echo "exit $?"
}
printf '# MaxProcs: 4\njob_id,submit,run_time,tasks\n1,0,10,2\n2,5,soon,2\n' >number.csv
try number.csv
printf 'job_id,submit,run_time,tasks,cpus\n1,0,10,2,8\n' >ways.csv
try ways.csv
printf 'job_id,submit,run_time,user\n1,0,10,a"b\n' >quote.csv
try quote.csv
printf 'job_id,submit,user\n1,0,10\n' >column.csv
try column.csv
printf 'job_id,submit,run_time,gpus\n1,0,10,2\n' >gpus.csv
try gpus.csv
try gpus.csv --set cluster.cpus=4
printf 'job_id,submit,run_time,gpus\n1,0,10,2\n2,0,10,\n' >some.csv
schedlab run some.csv --set cluster.cpus=4 | sed -n 2p
try some.csv --set cluster.cpus=4 --strict
printf 'a,b,c\n1,2,3\n' >other.csv
try other.csv
