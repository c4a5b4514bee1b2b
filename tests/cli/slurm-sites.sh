# Shapes of slurm.conf that sites have, and slurmctld takes: each loads, and one job runs. No file of a site: written for this.
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,10,60,1\n' >t.csv
runs() { # The name; slurm.conf from stdin.
	mkdir -p "$1"
	cat >"$1/slurm.conf"
	echo "== $1"
	schedlab run t.csv -c "$1" -p slurm --json 2>&1 >/dev/null | sed '/compat=\|submitted over\|by the log\|decides as/d'
}
runs old-keys <<'END'
ControlMachine=head
ControlAddr=10.0.0.1
SlurmctldPort=6820-6852 #6817
FastSchedule=2
CacheGroups=0
TaskPluginParam=Cores,Sched
JobSubmitPlugins=job_submit/lua 
AccountingStorageEnforce=safe
PriorityUsageResetPeriod=NONE
SchedulerParameters=default_queue_depth=50,partition_job_depth=1,bf_continue,max_rpc_cnt=8#defer
NodeName=DEFAULT CPUS=8 RealMemory=16000 Sockets=2 CoresPerSocket=4 \
    ThreadsPerCore=1
NodeName=a0[1-4],b10,c1[2-3,7]
NodeName=lx00[1,2] Procs=8 Feature=ib,1024g,1T
PartitionName=std.q Nodes=\
a0[1-4],b10,\
c1[2-3,7] Priority=50 Shared=NO Default=yes MaxTime=7-0 \
    AllowGroups=wheel,users

PartitionName=DEFAULT Nodes=lx00[1-2] Default=no DefaultTime=00:05:00 
partitionname=short maxtime=60 TRESBillingWeights="cpu=1.0,mem=.25G"
END
runs names <<'END'
clustername=c
SlurmctldHost=a(10.0.0.1)
SlurmctldHost=b(10.0.0.2)
nodename=node-2[01-04] cpus=4 nodeaddr=10.0.0.[1-4] feature=f1,Port=9000 state=unknown
NodeName=srv4-new.example.org CPUs=4 Boards=1 SocketsPerBoard=2 CoresPerSocket=2 Features=f2 CpuSpecList="2-3" State=DRAIN Reason="Maintenance Mode"
Nodeset=ns1 Feature=f1
NodeSet=ns2 Nodes=srv4-new.example.org
PartitionName=all Nodes=ns1,ns2 Default=YES TRESBillingWeights="NODE=0.4,mem=.25G"
PartitionName=empty State=UP
END
runs clouds <<'END'
ClusterName=h
SuspendProgram=/s
ResumeProgram=/r
SuspendTimeout=120
ResumeTimeout=600
SuspendTime=INFINITE
SuspendExcParts=-1
SuspendExcNodes=login
SlurmctldParameters=cloud_dns,idle_on_node_suspend,power_save_interval=10
NodeName=DEFAULT CPUs=4 RealMemory=7800
NodeName=login State=DOWN Reason="login node"
NodeName=aws-[1-2] State=CLOUD Feature=cloud Weight=10
NodeName=later[1-9] State=FUTURE
PartitionName=cloud Nodes=aws-[1-2] Default=YES MaxTime=24:00:00 \
    SuspendTime=300 AllowGroups=ALL State=UP
END
mkdir gres
cat >gres/gres.conf <<'END'
AutoDetect=nvml
Name=gpu Type=tesla File=/dev/nvidia0 COREs=0,1
NodeName=n[1-2] Name=gpu Type=kepler File=/dev/nvidia[2-3] CPUs=2-3 Links=-1,16
Nodename=n[1-2] Name=mps Count=100 File=/dev/nvidia0
NodeName=n[1-2] Name=bandwidth Type=lustre Count=4G Flags=CountOnly
NodeName=m1 AutoDetect=off Name=gpu Type=a100_1g.5gb MultipleFiles=/dev/c[1-2],/dev/nvidia0 Count=7
NodeName=m1 Name=shard Count=28
END
runs gres <<'END'
ClusterName=g
GresTypes=gpu,mps,shard,bandwidth,nvme
SelectTypeParameters=CR_Core_Memory,CR_Pack_Nodes,CR_LLN
PriorityFlags=ACCRUE_ALWAYS,MAX_TRES,NO_FAIR_TREE
AccountingStorageTRES=gres/gpu,gres/gpu:tesla,license/matlab,billing
Licenses=matlab@flex:4,ansys:10
NodeName=n[1-2] CPUs=4 RealMemory=1000 Gres=gpu:tesla:1,gpu:kepler:2,mps:200,bandwidth:lustre:no_consume:4G
NodeName=m1 CPUs=4 RealMemory=1000 Gres=gpu:a100_1g.5gb:7,shard:28,nvme:no_consume:1T
PartitionName=p Nodes=ALL Default=YES MaxTime=UNLIMITED DefaultTime=NONE QOS=part_p AllowQos=ALL MaxMemPerCPU=UNLIMITED JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=7000
END
