# What Slurm only warns of is told and runs; --strict refuses it. Files from the root; many like nodes and keys.
mkdir -p site/nodes root/opt
cat >site/slurm.conf <<'END'
ClusterName=LAB
AuthInfo="cred_expire=9","x"
TaskPluginParam=""
PriorityType=priority/multifactor
PriorityWeightTRES=CPU=-1.5,Mem=10
GresTypes=gpu
TopologyPlugin=topology/tree
SelectType=select/cons_tres
Include /etc/slurm/nodes/a-%c.conf
Include /opt/b.conf
NodeName=c[1-2] CPUs=4 RealMemory=1000 State=CLOUD
DownNodes=gone1
PartitionName=p Nodes=ALL Default=YES OverSubscribe=FORCE:0
END
echo 'NodeName=a[1-4] CPUs=4 RealMemory=1000 Gres=gpu:2' >site/nodes/a-lab.conf
for i in 1 2 3 4 5; do echo "NodeName=b$i CPUs=4 RealMemory=$((i / 5 + 1))000"; done >root/opt/b.conf
echo 'NodeName=a1,x[1-2] Name=gpu File=/dev/nvidia[0-1] Cores=[0-1]' >site/gres.conf
cat >site/topology.conf <<'END'
SwitchName=l1 Nodes=a[1-4],c[1-2],y1
SwitchName=l2 Nodes=b[1-5]
SwitchName=t1 Switches=l[1-2]
SwitchName=t2 Switches=l[1-2]
END
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,10,60,44\n' >t.csv
schedlab inspect site || echo "exit $?"
schedlab inspect site --root root | sed 's/  */ /g'
schedlab run t.csv -c site --root root -p slurm --quiet --json -o out >/dev/null; cut -d, -f1,4,5 out/jobs.csv
schedlab run t.csv -c site --root root -p slurm --json >/dev/null
schedlab run t.csv -c site --set cluster.root=root -p slurm --quiet --strict || echo "exit $?"
schedlab bundle out -o b.tar | head -n 1
