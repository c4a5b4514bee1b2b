# What waiting is charged to adds up to it, under every preset and policy, on every workload that comes with schedlab:
# added up by awk from the files alone. More jobs, and real logs: scripts/charges -r build 2000 TRACES.
jobs=100
[ "${SL_EFFORT:-}" = full ] && jobs=1000
[ "${SL_EFFORT:-}" = less ] && jobs=40
"$ROOT/scripts/charges" -r "$(dirname "$(command -v schedlab)")" $jobs |
	sed '/ jobs$/d; s/^[1-9][0-9]* passed, 0 failed$/all add up/'
# A segment that is too short by a microsecond is seen, and one that begins too late.
schedlab run "$DATA/four.swf" -p easy -o out --quiet >/dev/null
"$ROOT/scripts/charges" -v out
sed 's/^2,10,100,/2,10,99.999999,/' out/reasons.csv >wrong && mv wrong out/reasons.csv
"$ROOT/scripts/charges" out || echo "exit $?"
