# What idles while jobs wait counts as lost in a pool too where nothing runs meanwhile: cpus of a reservation keep jobs of the whole pool
# waiting for 1 000 s, then they run. Between 10 s and 1 005 s 2 of 4 cpus idle that somebody wants: 1 990 of 4 * 1 205 cpu-seconds.
printf '; MaxProcs: 4\n%s\n%s\n%s\n' '1 0 -1 3 4 -1 -1 4 3 -1 1 1 1 -1 -1 -1 -1 -1' \
	'2 10 -1 100 4 -1 -1 4 200 -1 1 1 1 -1 -1 -1 -1 -1' '3 20 -1 100 4 -1 -1 4 100 -1 1 1 1 -1 -1 -1 -1 -1' >t.swf
printf 'cpus: 4\nreservations:\n  - { name: w, cpus: 2, start: 5, duration: 1000 }\n' >c.yaml
for policy in easy fcfs conservative; do
	schedlab run t.swf -c c.yaml -p $policy --json 2>/dev/null | grep -E '"loss_of_capacity'
done
