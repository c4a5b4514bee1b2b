# One week of 22 differs: no interval, no mark, no p, in weeks and in batches; and the words say why.
awk 'BEGIN { print "; MaxProcs: 4"; print "; UnixStartTime: 0"
	for (w = 0; w < 22; w++) {
		for (i = 0; i < 12; i++) print ++n, w * 604800 + i * 40000, -1, 300, 1, -1, -1, 1, 300, -1, 1, 1, 1, 1, 1, 1, -1, -1
		if (w == 9) {
			print ++n, w * 604800 + 500000, -1, 50000, 4, -1, -1, 4, 50000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500010, -1, 9000, 3, -1, -1, 3, 9000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500020, -1, 3000, 2, -1, -1, 2, 3000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500030, -1, 100, 1, -1, -1, 1, 100, -1, 1, 1, 1, 1, 1, 1, -1, -1
		}
	} }' >log.swf
schedlab compare log.swf -q -p fcfs -p easy --blocks week -o weeks
schedlab compare log.swf -q -p fcfs -p easy | tail -n 1
grep -c ',1,[0-9.]*$' weeks/differences.csv
for format in markdown latex; do
	schedlab report weeks/1-fcfs weeks/2-easy --format "$format" -o - -q | grep -c 'better\*\*\|& better'
done
schedlab compare weeks/1-fcfs weeks/2-easy -q | sed -n '/effective/p;/no interval: /p'
# Several logs: each is a sample.
cp log.swf a.swf
{ echo '; another'; cat log.swf; } >b.swf
schedlab compare a.swf b.swf -q -p fcfs -p easy | tail -n 1
schedlab compare a.swf weeks/1-fcfs -q -p fcfs || echo "exit $?"
schedlab compare a.swf b.swf -q --reps 3 || echo "exit $?"
