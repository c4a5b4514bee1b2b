# What is no question is said, each with exit 2.
cp "$DATA/four.swf" .
ask() {
	schedlab whatif four.swf --quiet "$@" || echo "exit $?"
}
ask --until 'wait.p95 < 1h'
ask --vary 'cluster.cpus+=0..4'
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --as A
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --vary 'cluster.cpus+=5..6'
ask --until 'wait.p95' --vary 'cluster.cpus+=0..4'
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=4..x'
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --reps 3
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --price a=3
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --budget 3
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --price cpus=x
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=2..4' --price cpus=2 --budget 3
ask --until 'wait.p95 < 1h' --vary 'cluster.cpus+=0..4' --price cpus=2 --price-per year
ask --until 'wait.p95{user=9} < 1h' --vary 'cluster.cpus+=0..4'
ask --until 'wait.p95{size>4} < 1h' --vary 'cluster.cpus+=0..4'
schedlab whatif - --until 'wait.p95 < 1h' --vary 'cluster.cpus=4..8' <four.swf || echo "exit $?"
ask --until 'wait.p95 < 1h' --buy a=0..4
ask --until 'wait.p95 < 1h' --buy a
ask --until 'wait.p95 < 1h' --vary policy.nonsense=1,2
ask --head-room 1..x
ask --head-room=fast,slow
