# topology.yaml (25.05): each partition goes by its own topology; up to 24.11 the default one holds for all.
mkdir site
cat >site/slurm.conf <<'END'
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/basic
SchedulerParameters=bf_interval=-1,sched_interval=1,batch_sched_delay=0
NodeName=n[1-8] CPUs=4
PartitionName=tree Nodes=ALL Default=YES
PartitionName=block Nodes=ALL Topology=blocks
PartitionName=flat Nodes=ALL Topology=plain
END
cat >site/topology.yaml <<'END'
- topology: switches
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - switch: s1
        nodes: n[1-4]
      - switch: s2
        nodes: n[5-8]
- topology: blocks
  block:
    block_sizes: [2, 4]
    blocks:
      - block: b1
        nodes: n[1-2]
      - block: b2
        nodes: n[3-4]
      - block: b3
        nodes: n[5-6]
      - block: b4
        nodes: n[7-8]
- topology: plain
  flat: true
END
echo "SwitchName=a Nodes=n[1-8]" >site/topology.conf # Not looked at.
cat >jobs.txt <<'END'
JobID|Submit|Start|End|State|NNodes|NCPUS|Partition|Timelimit|SubmitLine
1|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T12:00:00|COMPLETED|1|4|tree|03:00:00|sbatch -N1 -n4 -w n2 -p tree
2|2026-01-05T10:20:00|2026-01-05T10:20:00|2026-01-05T10:21:00|COMPLETED|2|2|tree|00:20:00|sbatch -N2 -p tree
3|2026-01-05T10:30:00|2026-01-05T10:30:00|2026-01-05T10:31:00|COMPLETED|2|2|block|00:20:00|sbatch -N2 -p block
4|2026-01-05T10:40:00|2026-01-05T10:40:00|2026-01-05T10:41:00|COMPLETED|2|2|flat|00:20:00|sbatch -N2 -p flat
5|2026-01-05T10:50:00|2026-01-05T10:50:00|2026-01-05T10:51:00|COMPLETED|4|4|block|00:20:00|sbatch -N4 --segment=2 -p block
END
for version in 24.11 25.05; do
	schedlab run jobs.txt -c site -p "slurm:version=$version" -q -o "$version" >/dev/null
	echo "$version"
	schedlab view sacct "$version" -X -n -P -o JobID,NodeList
done
schedlab inspect site | grep '^  topology' | cut -c1-95

# What is wrong with it is said where it stands.
wrong() {
	cat >site/topology.yaml
	schedlab run jobs.txt -c site -p slurm 2>&1 | tail -1
}
wrong <<'END'
topology: a
END
wrong <<'END'
- topology: a
  flat: true
  block: {blocks: []}
END
wrong <<'END'
- topology: a
  flat: true
- topology: a
  flat: true
END
wrong <<'END'
- topology: a
  block:
    block_sizes: [none]
    blocks: []
END
wrong <<'END'
- topology: a
  tree:
    switches:
      - nodes: n1
END
wrong <<'END'
- topology: a
  cluster_default: true
  tree:
    switches:
      - {switch: s1, children: s2}
END
wrong <<END
- topology: a
  block:
    block_sizes: [$(seq -s, 33)]
    blocks: []
END
