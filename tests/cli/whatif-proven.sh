# whatif --until: what is bisected, what is gone through one by one; what cannot be made, leaves jobs out, or is too late.
log="$ROOT/traces/bundled/lublin-256.swf --jobs 300 --quiet"
cp "$DATA/four.swf" .
asks() { # how many of how many points of a search were simulated
	# shellcheck disable=SC2086
	schedlab whatif $log --until "$1" --vary "$2" | sed -n '/more points/d; s/ were simulated.*//p; /was simulated/p'
}
# Counts and loads are bisected; numbers without a proven order, and bounds without, are gone through. Descending counts
# are not what is proven.
asks 'wait.p95 < 4h' 'cluster.cpus+=0..64'
asks 'wait.p95 < 4h' 'replay.load=0.01..0.65:0.01'
asks 'utilization > 20%' 'cluster.cpus+=0..64'
asks 'wait.p95 < 4h' 'cluster.cpus=320..256'
asks 'wait.p95 < 4h or > 8h' 'cluster.cpus+=0..64'
# Of 12 depths one alone will do, which is no corner; none is said of all 12, and of few where few were looked at.
for bound in 141.05812 141; do
	# shellcheck disable=SC2086
	schedlab whatif $log -p depth-k --until "bounded_slowdown.mean < $bound" --vary 'policy.depth=1..12' |
		sed -n '/answer/p; / will do/p; / is the /p; /simulated/p'
done
# shellcheck disable=SC2086
schedlab whatif $log --until 'wait.max < 1' --vary 'cluster.cpus+=0..64' | sed -n '/none/p; /simulated/p'

# The last node of a leaf switch, of a partition and of a reservation: they have one less, and one is left without.
cat >leaf.yaml <<'Y'
nodes:
  - {name: n, count: 4, cpus: 4}
switches:
  - {name: s1, nodes: 'n[1-3]'}
  - {name: s2, nodes: n4}
  - {name: root, switches: 's[1-2]'}
partitions:
  - {name: p, nodes: 'n[1-4]', default: true}
  - {name: q, nodes: 'n[3,4]'}
reservations:
  - {name: m, nodes: n4, start: 1d, duration: 6h}
Y
printf 'job_id,submit,run_time,cpus\n1,0,100,8\n2,0,100,8\n3,50,100,4\n' >three.csv
schedlab whatif three.csv -c leaf.yaml --quiet --until 'wait.max < 400' --vary 'cluster.nodes[n].count-=0..4'
schedlab whatif three.csv -c leaf.yaml --quiet --until 'wait.max < 400' --vary 'cluster.nodes[n].count-=0..4' --json |
	grep -o '"cannot_be_made": [^}]*\|"proven_order": [^,]*\|"left_out": [1-9]'
mkdir slurm
cat >slurm/slurm.conf <<'Y'
ClusterName=x
SelectType=select/cons_tres
TopologyPlugin=topology/tree
NodeName=n[1-4] CPUs=4 State=UNKNOWN
PartitionName=p Nodes=n[1-4] Default=YES State=UP
PartitionName=q Nodes=n4 State=UP
Y
printf 'SwitchName=s1 Nodes=n[1-3]\nSwitchName=s2 Nodes=n4\nSwitchName=root Switches=s[1-2]\n' >slurm/topology.conf
schedlab whatif three.csv -c slurm -p slurm --quiet --until 'wait.max < 400' --vary 'cluster.nodes[n].count-=0..2'
# One that never was there.
schedlab run three.csv -c leaf.yaml --quiet --set 'cluster.nodes[n].count-=1' --set 'cluster.partition[p].nodes=n[1-5]' ||
	echo "exit $?"

# No point at all can be made: that is the line's fault.
schedlab whatif three.csv -c leaf.yaml --quiet --until 'wait.max < 400' --vary 'cluster.nodes[x].count+=0..4' || echo "exit $?"

# Head-room without an answer is exit 1, with one 0.
for bound in 'wait.max < 1' 'wait.max < 4h'; do
	schedlab whatif four.swf --quiet --until "$bound" --head-room=0.9..1:0.1 | tail -n 1
	schedlab whatif four.swf --quiet --until "$bound" --head-room=0.9..1:0.1 --json >/dev/null && echo "exit $?" || echo "exit $?"
done

# Times after the end.
late() {
	schedlab whatif "$@" --quiet >/dev/null || echo "exit $?"
}
late four.swf --scale-load 2 --at 251
late four.swf --scale-load 2 --at 250
late three.csv -c leaf.yaml --down n1 --at 9d
late three.csv -c leaf.yaml --drain n1 --at 9d --within 1
late three.csv -c leaf.yaml --drain n1 --within 201
late three.csv -c leaf.yaml --drain n1 --within 200
late four.swf --scale-load 2 --from 9d
