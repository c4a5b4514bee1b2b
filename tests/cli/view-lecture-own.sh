# A lecture's demonstration, on our own files: ten nodes with GPUs, all idle; a job of five tasks of two cpus and one GPU
# makes the first one mixed; a second job with two GPUs lands there too; cancelled, all ten are idle again.
cat >cluster.yaml <<'END'
name: batch
nodes:
  - name: dgx
    count: 10
    cpus: 40
    memory: 512GiB
    gpus: { v100: 4 }
END
cat >trace.csv <<'END'
job_id,user,partition,submit,run_time,time_limit,nodes,cpus_per_node,gpus_per_node,gpu_type
1,student,batch,2026-01-12T10:00:00,14400,14400,1,10,1,v100
2,student,batch,2026-01-12T10:05:00,14400,14400,1,10,2,v100
END
printf '1 600\n2 600\n' >cancels
schedlab run trace.csv -c cluster.yaml --set replay.cancels=cancels -o out --quiet >summary || cat summary
export SCHEDLAB_RUN="$PWD/out"
schedlab view --install bin >summary
for at in 09:59 10:01 10:06 10:12 10:20; do
	echo "-- $at"
	export SCHEDLAB_AT="2026-01-12T$at"
	bin/sinfo
	bin/squeue
done
bin/sinfo --all --long
bin/sacct -X -o jobid,state,elapsed,alloctres%40,nodelist
