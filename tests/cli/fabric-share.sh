# Jobs that share a fabric: a case by hand in each mode, what never is full, what the limit cuts, the best placement.
# Two leaves of one node, 12.5 GB/s between them. A ring of two sends 1 GB each iteration, which computes for 0.1 s:
# 0.18 s alone, 0.26 s beside another. Job 1 has 1 000 iterations, of which 60 s are 333 1/3; job 2 has 500.
cat >two.yaml <<'EOF'
nodes:
  - { name: n, count: 2, cpus: 2 }
fabric:
  topology: tree
  nodes_per_leaf: 1
  rate: 50 GB/s
  uplink_rate: 12.5 GB/s
  up_cables: 1
  efficiency: 1
  alpha: 0
  hop: 0
EOF
cat >two.csv <<'EOF'
job_id,submit,run_time,time_limit,tasks,tasks_per_node,nodes,comp,comm_bytes,pattern
1,0,180,200,2,1,2,0.1,1000000000,ring
2,60,90,90,2,1,2,0.1,1000000000,ring
EOF
ends() { # ends DIR: job, end, state, slowdown by the network
	cut -d, -f1,8,15,20 "$1/jobs.csv"
}
run() { # run OPTION...: into the directory run
	schedlab run two.csv -c two.yaml --set replay.overrun=extend --quiet --check -o run --force "$@" >/dev/null
}
for mode in backlogged meanfield interleaved; do
	echo "== $mode"
	run --model "fabric:contention=$mode"
	ends run
done
echo "== links and metrics, backlogged"
run --model fabric
cat run/links.csv
grep '"fabric' run/metrics.json
echo "== alone"
run --model fabric --jobs 1
ends run
echo "== its limit cuts it"
schedlab run two.csv -c two.yaml --set replay.overrun=kill --model fabric --quiet -o run --force >/dev/null
ends run
echo "== a share of the time, of jobs that say nothing; without it they are not on the fabric"
cut -d, -f1-7 two.csv >plain.csv
schedlab run plain.csv -c two.yaml --set replay.overrun=extend --model fabric:sens=0.444444,pattern=ring --quiet \
	-o run --force >/dev/null
ends run
schedlab run plain.csv -c two.yaml --set replay.overrun=extend --model fabric --quiet -o run --force >/dev/null
ends run

# Four nodes on two leaves; two of them are held for a second, so that job 3 spans both leaves. Where it takes its
# traced time on one leaf (2 NICs of 25 GB/s: 0.04 s), the 12.5 GB/s between leaves make 0.14 s an iteration 0.18 s.
cat >four.yaml <<'EOF'
nodes:
  - { name: n, count: 4, cpus: 1 }
fabric:
  topology: tree
  nodes_per_leaf: 2
  rate: 25 GB/s
  uplink_rate: 12.5 GB/s
  up_cables: 1
  efficiency: 1
  alpha: 0
  hop: 0
EOF
cat >four.csv <<'EOF'
job_id,submit,run_time,time_limit,tasks,comp,comm_bytes,pattern
1,0,50,50,1,,,
2,0,1,1,1,,,
3,0,2,2,1,,,
4,0,50,50,1,,,
5,0,140,500,2,0.1,1000000000,ring
EOF
for reference in placed packed; do
	echo "== reference=$reference"
	schedlab run four.csv -c four.yaml --set replay.overrun=extend --model "fabric:reference=$reference" --quiet \
		-o run --force >/dev/null
	ends run
done

echo "== without bound nobody is slowed: the same events"
cat >wide.yaml <<'EOF'
nodes:
  - { name: n, count: 24, cpus: 16, gpus: { a100: 4 } }
EOF
awk 'function u() { seed = (seed * 1103515245 + 12345) % 2147483648; return (seed + 0.5) / 2147483648 }
	BEGIN {
		seed = 5
		print "job_id,submit,run_time,time_limit,tasks,gpus_per_task,comp,comm_bytes,pattern"
		split("ring tree hier rs_ag alltoall neighbour broadcast server", name, " ")
		for (i = 1; i <= 120; i++)
			printf "%d,%d,%d,%d,%d,%d,0.1,%d,%s\n", i, now += int(u() * 60), run = 1 + int(u() * 900),
				run * (1 + int(u() * 3)), 1 + int(u() * 6), 1 + int(u() * 4), u() * 1e9, name[1 + int(u() * 8)]
	}' >many.csv
digest() { # digest TRACE CLUSTER POLICY OPTION...
	trace=$1
	cluster=$2
	policy=$3
	shift 3
	schedlab run "$trace" -c "$cluster" -p "$policy" --quiet -o run --force "$@" >/dev/null
	grep '"digest"' run/run.json
}
free=topology=tree,nodes_per_leaf=4,rate=infinite,uplink_rate=infinite,sens=0.5
same() { # same TRACE CLUSTER
	off=$(digest "$1" "$2" "$policy")
	for mode in backlogged meanfield interleaved; do
		on=$(digest "$1" "$2" "$policy" --model "fabric:$free,contention=$mode")
		[ "$off" = "$on" ] || echo "$policy, $mode, $1: $off without, $on with"
	done
}
for policy in fcfs easy conservative easy:place=best srtf fairshare; do
	same many.csv wide.yaml
	same "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml"
done
# It is another on cables that are full.
off=$(digest many.csv wide.yaml easy)
on=$(digest many.csv wide.yaml easy --model fabric:nodes_per_leaf=4,oversubscription=8:1)
[ "$off" != "$on" ] && echo "where they are full, others"

echo "== what makes no sense"
schedlab run two.csv -c two.yaml --model fabric:contention=often --quiet
echo "exit $?"
schedlab run two.csv -c two.yaml --model fabric:sens=2 --quiet
echo "exit $?"
