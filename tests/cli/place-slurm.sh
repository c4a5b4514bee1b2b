# Nodes chosen as slurmctld chooses them: what no node could ever hold is refused at its submission and keeps nobody
# waiting, what is told is what was given, and a run that was stopped goes on to the same end.
mkdir slurm
cat >slurm/slurm.conf <<'END'
ClusterName=lab
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
NodeName=n[1-2] CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=8000
NodeName=g1 CPUs=8 Sockets=2 CoresPerSocket=4 RealMemory=8000 Gres=gpu:a100:2,gpu:v100:2 Weight=5
PartitionName=all Nodes=ALL MaxTime=UNLIMITED Default=YES DefMemPerCPU=100 MaxCPUsPerNode=6
END
job() { # ID SUBMIT ASK...
	id=$1
	submit=$2
	shift 2
	printf '%s|%s|all|2024-01-01T00:00:%s|2024-01-01T00:00:%s|2024-01-01T01:00:00|2024-01-01T01:01:00|00:02:00|COMPLETED|1|1|sbatch %s x.sh\n' \
		"$id" ann "$submit" "$submit" "$*"
}
{
	echo 'JobID|User|Partition|Submit|Eligible|Start|End|Timelimit|State|NNodes|NCPUS|SubmitLine'
	job 1 00 -n 1
	job 2 00 -N 1 -n 1 --exclusive
	job 3 01 -n 3 -w n1
	job 4 02 --gres=gpu:v100:2
} >jobs.txt
schedlab run jobs.txt -c slurm -p easy:place=slurm --check --quiet -o whole >/dev/null
cut -d , -f 1,5,7,8,12-15 whole/jobs.csv
schedlab run jobs.txt -c slurm -p easy:place=slurm --until 30 --quiet -o part >/dev/null
schedlab run --from-snapshot part/snapshot.json --quiet -o rest >/dev/null
cmp whole/jobs.csv rest/jobs.csv && echo same
# Whoever does not know what runs where cannot take over.
schedlab run jobs.txt -c slurm -p easy --until 30 --quiet -o other >/dev/null
schedlab run --from-snapshot other/snapshot.json -p easy:place=slurm --quiet
echo "exit $?"
schedlab run jobs.txt -c slurm -p conservative:place=slurm --quiet
echo "exit $?"
