# An Epilog takes what no file says: warned of once under policy slurm, unless complete= says it; other policies have no such time.
cat >slurm.conf <<'END'
ClusterName=c
SLURM_VERSION=24.11
Epilog=/etc/slurm/epilog.d/*
EpilogSlurmctld=/etc/slurm/done
NodeName=n1 CPUs=4
PartitionName=p Nodes=ALL Default=YES
Epilog=/etc/slurm/more.sh
END
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,10,60,4\n2,0,10,60,4\n' >t.csv
said() { schedlab run t.csv -c slurm.conf --json "$@" 2>&1 >/dev/null | grep Epilog || echo "not said"; }
said -p slurm
said -p slurm:complete=1
said -p easy
for complete in 1 30; do
	schedlab run t.csv -c slurm.conf -p "slurm:complete=$complete" -q -o "$complete" >/dev/null
	cut -d, -f1,7 "$complete/jobs.csv"
done
schedlab inspect slurm.conf | grep Epilog

# scontrol show config numbers them (24.11).
cat >show.txt <<'END'
Configuration data as of 2026-01-05T10:00:00
ClusterName             = c
Epilog[0]               = /etc/slurm/epilog.d/*
Epilog[1]               = /etc/slurm/more.sh
EpilogSlurmctld[0]      = /etc/slurm/done
SLURM_VERSION           = 24.11.5

NodeName=n1 CPUTot=4 State=IDLE
PartitionName=p Nodes=n1 Default=YES
END
schedlab run t.csv -c show.txt --json -p slurm 2>&1 >/dev/null | grep Epilog || echo "not said"
