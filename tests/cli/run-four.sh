# Four jobs by hand: under fcfs nobody overtakes; under easy job 3 fits before job 2 can start, job 4 does not.
cp "$DATA/four.swf" .
for policy in fcfs easy conservative sjf; do
	schedlab run four.swf -p "$policy" -o "$policy" --quiet >/dev/null
	echo "$policy: $(sed 1d "$policy/jobs.csv" | cut -d , -f 7 | tr '\n' ' ')"
done
