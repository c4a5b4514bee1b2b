# Whose a job is: by manifest, namespace or queue, else by partition, account or user. Whose a node: by list, else by Node object.
# Slurm gets whole cpus where a pod asks half of one.
printf 'nodes:\n  - {name: n, count: 4, cpus: 4, memory: 8G}\n' >c.yaml
printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n4}\nstatus: {allocatable: {cpu: 4, memory: 8Gi}}\n' >o.yaml
cat >t.csv <<'CSV'
job_id,user,account,partition,namespace,submit,run_time,cpus
1,ann,lab,batch,,0,100,4
2,ann,lab,batch,web,0,100,0.5
3,bob,lab,batch,,0,100,4
4,ann,web,batch,,0,100,4
5,ann,lab,serve,,0,100,4
6,ann,lab,batch,,0,100,4
CSV
try() { schedlab run t.csv -c "$1" -p "$2" --set cluster.objects=o.yaml --check --quiet -o out --force >/dev/null && grep 'hybrid.jobs' out/metrics.json; }
try c.yaml hybrid
try c.yaml hybrid:kube-users=bob
try c.yaml 'hybrid:kube-accounts="web,x"'
try c.yaml 'hybrid:kube-partitions=serve,kube-nodes="n[1-3]"'
cut -d, -f1,7,8,9,12,15 out/jobs.csv
try c.yaml 'hybrid:slurm-nodes="n[1-3]",kube-nodes=n4'
# Mistakes.
fails() { schedlab run t.csv -c c.yaml --quiet -p "$@" >/dev/null; echo "exit $?"; }
fails hybrid
fails 'hybrid:slurm-nodes="n[1-4]"'
fails 'hybrid:slurm-nodes="n[1-3]",kube-nodes="n[3-4]"'
fails 'hybrid:slurm-nodes="n[1-2]",kube-nodes=n4'
fails 'hybrid:slurm-nodes=m1'
fails 'hybrid:slurm-nodes=n1,slurm="strat=1"'
fails 'hybrid:slurm-nodes=n1,with=kueue'
fails hybrid --set cluster.objects=none.yaml
fails hybrid --set cluster.objects=c.yaml
sed 's/,4$/,1.5/' t.csv >parts.csv
schedlab run parts.csv -c c.yaml --quiet -p hybrid:kube-nodes=n4 >/dev/null
echo "exit $?"
schedlab run "$ROOT/tests/data/four.swf" -p hybrid --quiet >/dev/null
echo "exit $?"
