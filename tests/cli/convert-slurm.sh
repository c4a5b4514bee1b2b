# A slurm.conf as our file: written again it is the same to the byte, and a replay on either is the same.
mkdir slurm
cat >slurm/slurm.conf <<'END'
ClusterName=lab
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_window=1440,bf_continue
GresTypes=gpu,nvme
NodeName=n[1-4] CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=16000 Weight=1 Feature=cpu
NodeName=g[01-02] CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:2,nvme:2T Weight=5
PartitionName=short Nodes=n[1-4] MaxTime=1:00:00 Default=YES State=UP
PartitionName=all Nodes=ALL MaxTime=UNLIMITED DefMemPerCPU=1000 State=UP
END
cp "$DATA/four.swf" .
if schedlab convert slurm -o one.yaml; then
	cat one.yaml
	schedlab convert one.yaml two.yaml && cmp one.yaml two.yaml && echo same
	schedlab run four.swf -c slurm --quiet --only jobs -o conf
	schedlab run four.swf -c one.yaml --quiet --only jobs -o ours
	cmp conf/jobs.csv ours/jobs.csv && echo same
fi
