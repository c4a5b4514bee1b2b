# DefaultTime of a partition is the limit of jobs of a table that give none, as of those of sacct.
cat >slurm.conf <<'END'
ClusterName=m
SelectType=select/cons_tres
NodeName=c1 CPUs=2 Sockets=1 CoresPerSocket=2
PartitionName=all Nodes=c1 Default=YES DefaultTime=10 MaxTime=60
PartitionName=free Nodes=c1
END
printf 'job_id,submit,run_time,cpus,partition\n1,0,900,1,all\n2,0,100,1,all\n3,0,100,1,free\n' >jobs.csv
for policy in easy slurm; do
	schedlab run jobs.csv -c slurm.conf -p $policy -o out --force 2>&1 >/dev/null | grep limit
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } { print $c["job_id"], $c["run_time"], $c["time_limit"], $c["state"] }' out/jobs.csv
done
