# A small world for views, in two runs: `out` under EASY, `promised` under conservative backfill.
cat >cluster.yaml <<'END'
name: batch
nodes:
  - name: n
    count: 4
    cpus: 4
    memory: 8GiB
reservations:
  - name: upkeep
    nodes: n4
    start: 2026-01-13T09:00
    duration: 2h
END
cat >trace.csv <<'END'
job_id,user,account,partition,submit,run_time,time_limit,nodes,cpus_per_node,mem_per_node
1,ada,phys,batch,2026-01-12T09:00:00,3600,7200,2,4,4GiB
2,bob,chem,batch,2026-01-12T09:00:10,600,1200,1,2,1000MiB
3,ada,phys,batch,2026-01-12T09:00:20,1800,36000,3,4,1GiB
4,cyd,phys,batch,2026-01-12T09:00:30,60,120,1,2,1GiB
5,bob,chem,batch,2026-01-12T09:05:00,300,90000,4,1,1GiB
END
schedlab run trace.csv -c cluster.yaml -o out --quiet >summary
schedlab run trace.csv -c cluster.yaml -p conservative -o promised --quiet >summary
