# Limits as long as a time can be: none of it goes round to a time before the beginning, so nobody seems to have more
# left than all, and every policy comes to its end.
cat >huge.swf <<'SWF'
; Version: 2.2
; MaxProcs: 4
1  0 -1 100 3 -1 -1 3 9223372036854 -1 1 1 1 -1 1 1 -1 -1
2 10 -1  50 4 -1 -1 4 9223372036854 -1 1 2 1 -1 1 1 -1 -1
3 20 -1  50 1 -1 -1 1 9000000000000 -1 1 2 1 -1 1 1 -1 -1
SWF
for policy in fcfs easy conservative srtf slack gang slices depth-k easy:estimate=tsafrir slurm; do
	schedlab run huge.swf -q -p "$policy" --max-time 20 --max-memory 8G --json |
		sed -n 's/.*"wait.mean": *\([0-9.]*\).*/'"$policy"' \1/p' || echo "exit $?"
done
