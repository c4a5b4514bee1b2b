# Limits of time: who is cut, who was cut before (censored), and what may be tried of that. By hand: 2 cpus; job 1
# ran for its limit of 100 s, job 2 for 50 of 200, job 3 for 150 of 150.
cat >t.csv <<'END'
job_id,user,partition,submit,run_time,time_limit,nodes,cpus_per_node
1,a,p,0,100,100,1,1
2,a,p,0,50,200,1,1
3,b,p,0,150,150,1,1
END
cat >c.yaml <<'END'
nodes: [{ name: n, cpus: 2 }]
partitions: [{ name: p, nodes: ALL, max_time: 240, default: true }]
END
told() { sed '1,/^changed:.*later/d'; }
# A higher limit: jobs 1 and 3, 250 s of one cpu, are censored.
schedlab whatif t.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].MaxTime=60' | told
# Twice as long: job 3 runs for 300 s (it starts when job 2 has ended, as before), job 1 for 200 s.
schedlab whatif t.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].MaxTime=60' --censored extend=2 -o out | told
sed '/^job_id/d' out/2-slurm/jobs.csv | cut -d , -f 1,7,8,10,11
# A lower one, 120 s: job 2 (ran 50 s) and job 3 ask for more and never start; job 3 would be cut.
schedlab whatif t.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].max_time=120' 2>/dev/null | told
schedlab whatif t.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].max_time=120' --json | grep -E '"(jobs_cut|censored|lower)' | sed 's/^ *//'
# A limit that another cluster's file raises is a limit that is changed, too.
sed 's/max_time: 240/max_time: 1h/' c.yaml >higher.yaml
schedlab whatif t.csv -c c.yaml -p slurm -q -c higher.yaml | told | sed -n '/limit/p'
# A log without states, whose limits all were reached, or which has none: nobody is known to have been cut.
awk 'BEGIN { print "job_id,user,partition,submit,run_time,time_limit,nodes,cpus_per_node"
	for (i = 1; i <= 12; i++) print i ",a,p," i ",10" i "," (i > 10 ? "" : "10" i) ",1,1" }' >exact.csv
schedlab whatif exact.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].MaxTime=60' 2>/dev/null | told | sed -n '/limit/p'
sed 's/,10[0-9]*,1,1$/,,1,1/' exact.csv >none.csv
schedlab whatif none.csv -c c.yaml -p slurm -q --set 'cluster.partition[p].MaxTime=60' 2>/dev/null | told | sed -n '/limit/p'
# Under a lower MaxWall of their QOS, or of their account where the QOS has none, jobs that ran longer count as cut: job 3
# (not job 2, which ran for 50 s of 200).
mkdir conf
cat >conf/slurm.conf <<'END'
ClusterName=x
SelectType=select/cons_tres
AccountingStorageEnforce=limits,qos
NodeName=n CPUs=2 State=UNKNOWN
PartitionName=p Nodes=n Default=YES State=UP
END
printf 'Name|Priority|MaxWall\nnormal|0|\n' >qos.txt
printf 'Cluster|Account|User|MaxWall|QOS|Def QOS\nx|root|||normal|normal\nx|lab||1-00:00:00|normal|normal\nx|lab|a||normal|normal\nx|lab|b||normal|normal\n' >assoc.txt
cat >walls.csv <<'END'
job_id,user,account,partition,qos,submit,run_time,time_limit,nodes,cpus_per_node
1,a,lab,p,normal,0,100,100,1,1
2,a,lab,p,normal,0,50,200,1,1
3,b,lab,p,normal,0,150,150,1,1
END
for set in 'cluster.qos[normal].MaxWall=2' 'cluster.account[lab].MaxWall=2'; do
	schedlab whatif walls.csv -c conf -p slurm -q --base cluster.qos=qos.txt --base cluster.accounts=assoc.txt --set "$set" \
		--json | grep -E '"jobs_(cut|cut_and_gone)"' | sed 's/^ *//'
done
