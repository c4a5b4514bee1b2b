# A folder of Slurm's files: nodes, partitions, and each key with how far it is followed.
mkdir slurm
cat >slurm/slurm.conf <<'EOF'
ClusterName=lab
SlurmctldHost=head
GresTypes=gpu,mps,bandwidth
TopologyPlugin=topology/tree
SchedulerParameters=bf_continue,bf_interval=30
Include nodes.conf
PartitionName=DEFAULT MaxTime=2-00:00:00 PreemptMode=OFF
PartitionName=batch Nodes=ALL Default=YES
PartitionName=gpu Nodes=tux[0-7] PriorityTeir=5
Licenses=matlab:20
EOF
cat >slurm/nodes.conf <<'EOF'
NodeName=tux[0-7] CPUs=16 RealMemory=64000 Gres=gpu:tesla:2,gpu:kepler:2,mps:400,bandwidth:lustre:no_consume:4G
NodeName=cpu[1-4] CPUs=32 RealMemory=128000 Weight=5
DownNodes=cpu3
EOF
cat >slurm/topology.conf <<'EOF'
SwitchName=a Nodes=tux[0-7]
SwitchName=b Nodes=cpu[1-4]
SwitchName=top Switches=a,b
EOF
echo 'Name=gpu Type=tesla File=/dev/nvidia[0-1] Cores=0-7' >slurm/gres.conf
: >slurm/cgroup.conf
schedlab inspect slurm
schedlab inspect slurm --json | head -n 12
schedlab inspect slurm --set 'cluster.nodes[tux].count+=8' | sed -n '2,9p'
schedlab inspect slurm --set 'cluster.nodes[tuxx].count=8'
echo "exit $?"
printf 'PartitionName=p Nodes=n1\n' >slurm/nodes.conf
schedlab inspect slurm
echo "exit $?"
mkdir empty
schedlab inspect empty
echo "exit $?"
