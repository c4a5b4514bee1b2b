# replay.drop and replay.change: the trace without some jobs, or with jobs that ask something else. Rows are told as they
# came out; what each line says in words stands above it.
cat >jobs.csv <<'CSV'
job_id,name,user,account,partition,qos,submit,run_time,time_limit,tasks,cpus_per_task,gpus_per_task,state
1,prep,ann,phys,a,low,0,100,200,4,2,0,COMPLETED
2,train,bob,chem,a,low,10,100,200,4,1,1,FAILED
3,train,bob,chem,b,high,20,100,200,1,4,2,COMPLETED
4,"odd, name",cyd,chem,b,high,30,100,200,1,4,0,CANCELLED
5,late,ann,phys,b,high,40,100,200,2,1,0,COMPLETED
CSV
cat >cluster.yaml <<'END2'
name: small
nodes: [{ name: n, count: 4, cpus: 8, gpus: 4 }]
END2
run() {
	echo "-- $*"
	rm -rf out
	if schedlab run jobs.csv -c cluster.yaml --only jobs -o out --quiet "$@" >/dev/null 2>said; then
		tail -n +2 out/jobs.csv | cut -d, -f 1,2,3,4,5,7,10,11,13,14
	else
		echo "exit $?"
	fi
	sed 's/^/   /' said
}
run
# By each of what jobs are chosen by; several values, several conditions, several clauses.
run --set 'replay.drop=user=ann'
run --set 'replay.drop=job=1|5,account=phys; qos=high,partition=b,state=CANCELLED'
run --set 'drop=name=odd\,\ name'
run --set 'replay.drop=name=train,state=FAILED'
# Zero stays the first submission of the trace, --jobs counts those of the trace, and so does the load factor.
run --set 'replay.drop=job=1' --set replay.load=0.5 --jobs 3
# What is changed: limits, their halves, sizes. With 4 tasks of 1 GPU each, 2 GPUs are 2 tasks; one task asks them itself.
run --set 'replay.change=job=2 limit=150 gpus=2; job=3 gpus=4 limit*0.75'
run --set 'replay.change=job=1 cpus=4; user=cyd cpus=8 run=10 limit=20'
run --set 'replay.change=partition=b partition=c account=maths' --set 'replay.drop=account=phys'
run --set 'replay.change=job=5 nodes=2; job=4 tasks=3; job=1 run*2 begin=50'
run --set 'replay.change=job=5 dependency=afterok:4; job=3 hold=yes'
run --set "replay.change=job=5 dependency=$(printf '\001')x"
# As in run.json; and the run from there, and a view, are the same again.
schedlab run jobs.csv -c cluster.yaml --set 'replay.change=job=2 limit=150 gpus=2' --set replay.drop=job=1 -o kept --until 60 >/dev/null
sed -n 's/.*\("drop": "[^"]*", "change": "[^"]*"\).*/\1/p; s/.*\({ "cause": "left out.*\)/\1/p; s/.*\({ "cause": "changed.*\)/\1/p' kept/run.json
schedlab run --from-snapshot kept/snapshot.json -o on --quiet >/dev/null
schedlab run jobs.csv -c cluster.yaml --set 'replay.change=job=2 limit=150 gpus=2' --set replay.drop=job=1 -o whole --quiet >/dev/null
cmp on/jobs.csv whole/jobs.csv
schedlab view squeue whole --at 15 -h -o '%i %l %b' 2>/dev/null
# Errors.
run --set 'replay.drop=user=anne'
run --set 'replay.drop=job=6'
run --set 'replay.drop=users=ann'
run --set 'replay.drop=user=ann,job=2'
run --set 'replay.drop=user=ann limit=3'
run --set 'replay.drop= '
run --set 'replay.drop=job=1|2|3|4|5'
run --set 'replay.change=job=1'
run --set 'replay.change=job=1 limits=3'
run --set 'replay.change=job=1 limit=soon'
run --set 'replay.change=job=1 gpus*2'
run --set 'replay.change=job=2 gpus=3 cpus=3; job=1 cpus=3'
run --set 'replay.change=job=1 constraint=big'
run --set 'replay.change=name=odd,\ name limit=3'
# Signs made plain do not hide those behind them; times stay such as can be counted.
run --set 'replay.drop=name=odd\;|prep|train'
run --set 'replay.change=job=1 limit*1000 limit*1000 limit*1000 limit*1000 limit*1000'
run --set 'replay.change=job=1 mem=99999999P'
run --set 'replay.change=job=1 limit'
run --set 'replay.drop=job'
