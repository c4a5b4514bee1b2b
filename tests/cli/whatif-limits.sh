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
