# What explain refuses, each with one line that says what to do.
schedlab run "$DATA/four.swf" -o out --quiet >/dev/null
mkdir empty
schedlab compare "$DATA/four.swf" -p fcfs -p easy -o both --quiet >/dev/null
try() {
	schedlab explain "$@"
	echo "exit $?"
}
try out 7
try out four
try out
try out 1 --user 2
try out --user 9
try out --partition gpu
try both 1
try empty 1
try missing 1
try out 1 --what-if half-limt
try out 1 --top 0
try out 1 -j 0
cp "$DATA/four.swf" mine.swf
schedlab run mine.swf -o gone --quiet >/dev/null
echo '5 40 -1 10 1 -1 -1 1 10 -1 1 2 1 -1 1 1 -1 -1' >>mine.swf
schedlab explain gone 1 2>said
echo "exit $?"
cut -c1-60 said
# One that the trace has, but the run has not.
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,100,100,8\n2,1,50,50,16\n' >large.csv
schedlab run large.csv --set cluster.cpus=8 -o large --quiet >/dev/null 2>&1
try large 2
cp "$DATA/four.swf" four.swf
try four.swf 3
