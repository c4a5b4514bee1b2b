# Who waits longer or shorter in the model, and what a second log of the same jobs allows. Here a waits 320 s, b 1280 s, all
# 800 s in the mean; by the log each 600 s.
cat >nodes.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 1 }]
END
head='JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|State|NCPUS|Timelimit'
# log A B: five jobs of a that waited A s, five of b that waited B s.
log() {
	echo "$head"
	for i in 1 2 3 4 5; do
		echo "$i|ann|a|p|n|1000|1000|$((1000 + $1))|$((1400 + $1))|400|COMPLETED|1|1:00:00"
	done
	for i in 6 7 8 9 10; do
		echo "$i|bob|b|p|n|1000|1000|$((1000 + $2))|$((1400 + $2))|400|COMPLETED|1|1:00:00"
	done
}
log 600 600 >one
log 850 610 >two
show() { schedlab run "$@" -c nodes.yaml -p fcfs -q --calibrate 2>&1 | grep -E 'longer|shorter|second log|^schedlab'; }
show one
show one --calibrate-with two
log 400 1200 >three # 200 s apart are all of p: not told.
show one --calibrate-with three
sed 's/^\([0-9]\)/9\1/' two >others
show one --calibrate-with others
schedlab run one -c nodes.yaml -p fcfs -q --calibrate-with two || echo "exit $?"
