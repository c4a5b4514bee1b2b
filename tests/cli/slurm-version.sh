# Which release of slurmctld decides: what scontrol says of itself, as text and as JSON; and two side by side.
cat >show.txt <<'END'
Configuration data as of 2026-01-01T00:00:00
SLURM_CONF              = /etc/slurm/slurm.conf
SLURM_VERSION           = 24.11.5

NodeName=n1 CPUTot=4 Sockets=4 CoresPerSocket=1 ThreadsPerCore=1 RealMemory=4000 State=IDLE
END
nodes='"nodes": [{"name": "n1", "cpus": 4, "sockets": 4, "cores": 1, "threads": 1, "real_memory": 4000}]'
echo "{\"meta\": {\"slurm\": {\"version\": {\"major\": \"25\"}, \"release\": \"25.05.1\"}}, $nodes}" >now.json
echo "{$nodes, \"meta\": {\"Slurm\": {\"release\": \"22.05.8\"}}}" >then.json
for file in show.txt now.json then.json; do
	schedlab inspect $file -p slurm | grep VERSION
done
cat >slurm.conf <<'END'
ClusterName=c
SchedulerType=sched/builtin
PriorityType=priority/basic
NodeName=n1 CPUs=4
PartitionName=p Nodes=ALL Default=YES
END
cat >jobs.txt <<'END'
JobIDRaw|User|Account|Partition|Submit|Start|End|State|Timelimit|ReqTRES|ReqCPUS|ReqNodes|SubmitLine
1|u|a|p|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|COMPLETED|01:00:00|cpu=4,node=1|4|1|sbatch -n 4 j
2|u|a|p|2026-01-01T00:01:00|2026-01-01T01:00:00|2026-01-01T02:00:00|COMPLETED|01:00:00|cpu=4,node=1|4|1|sbatch -n 4 --nice=100 j
3|u|a|p|2026-01-01T00:02:00|2026-01-01T02:00:00|2026-01-01T02:10:00|COMPLETED|00:10:00|cpu=4,node=1|4|1|sbatch -n 4 j
END
schedlab compare jobs.txt -c slurm.conf -p slurm:version=22.05 -p slurm:version=24.11 --quiet | head -4
schedlab run jobs.txt -c slurm.conf -p slurm:version=21.08 --quiet || echo "exit $?"
# What the run says of it, unless it was told; and where the trace alone says it, as JSON or as a header of any trace.
said() { schedlab run "$@" 2>&1 >/dev/null | grep 'decides as' || echo "not said"; }
said jobs.txt -c slurm.conf -p slurm
said jobs.txt -c slurm.conf -p slurm:version=24.11
said jobs.txt -c slurm.conf -p slurm --quiet
said jobs.txt -c slurm.conf -p slurm --set cluster.conf.SLURM_VERSION=master
cat >jobs.json <<'END'
{"meta": {"slurm": {"release": "23.11.4"}}, "jobs": [{"job_id": 1, "user": "u", "account": "a", "partition": "p",
  "time": {"submission": 1767225600, "start": 1767225600, "end": 1767225700, "elapsed": 100, "limit": 5},
  "state": {"current": ["COMPLETED"]}, "required": {"CPUs": 2}, "allocation_nodes": 1}]}
END
said jobs.json -c slurm.conf -p slurm
said jobs.json -c slurm.conf -p slurm --set cluster.conf.SLURM_VERSION=22.05
printf '; SLURM_VERSION: 25.11.2\n; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1\n' >jobs.swf
said jobs.swf -p slurm
