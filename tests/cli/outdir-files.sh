# The files of a run of four jobs, by hand: what each did, what was busy, and what each second of waiting was for.
cp "$DATA/four.swf" .
schedlab run four.swf -p fcfs --quiet -o out >/dev/null
cat out/jobs.csv out/usage.csv out/reasons.csv
