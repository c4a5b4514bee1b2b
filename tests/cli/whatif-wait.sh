# The change of the mean wait over the jobs of both is the difference of the table: one interval of it, or one reason why none.
schedlab generate lublin --jobs 2000 --cpus 64 --load 0.7 --seed 1 -q >log.swf
# said WORDS...: the mean wait in the table, why it has no interval, and the line below.
said() {
	schedlab whatif log.swf -q -p easy "$@" -o out >text
	grep '^wait mean\|^no interval, as\|^no interval: .*batches\|jobs of both' text
	grep '"changed","wait.mean"' out/whatif.csv
	sed -n 's/.*\("wait_change": [-0-9.]*.*\),$/\1/p' out/whatif.json | head -1
	rm -r out
}
said --drop user=3
said --drop user=3 --blocks 30
said --scale-load 1.1
# Of two worlds the table is over the jobs of all three, the line over those of two.
schedlab whatif log.swf -q -p easy --blocks 30 --as a --drop user=3 --as b --drop user=3 --drop user=5 | grep 'of both'
