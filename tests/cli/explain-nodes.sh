# Nodes: GPUs that are free, but apart; kinds of nodes; a window in the way; the plans that a promise went through.
cat >gpus.yaml <<'END2'
name: apart
nodes:
  - name: g
    count: 3
    cpus: 16
    gpus: { a100: 4 }
  - name: v
    count: 1
    cpus: 16
    gpus: { v100: 4 }
END2
# 1, 2 and 3 take a GPU of each of g1 to g3 (spread); 4 wants four of one node, and 9 are free, 3 on each.
cat >gpus.csv <<'CSV'
job_id,submit,run_time,time_limit,user,tasks,cpus_per_task,gpus_per_task,gpu_type
1,0,100,100,ann,1,1,1,a100
2,0,200,200,ann,1,1,1,a100
3,0,300,300,bob,1,1,1,a100
4,1,50,50,cyd,1,1,4,a100
5,2,50,50,cyd,2,1,2,a100
CSV
schedlab run gpus.csv -c gpus.yaml -p easy:place=spread -o gpus --quiet >/dev/null
schedlab explain gpus 4 --no-what-if
echo
schedlab explain gpus 4 | sed -n '/would have been/,$p'
echo
# Nodes that an operator takes: the small world of the views.
. "$DATA/view-world.sh"
schedlab explain out 5
echo
schedlab explain promised 3 --no-what-if | sed -n '/planned/,$p'
echo
# Types: of two GPUs (a100) on each node one is taken; the v100s beside them are no help to one that wants two a100s.
cat >types.yaml <<'END2'
name: types
nodes: [{ name: x, count: 2, cpus: 16, gpus: { a100: 2, v100: 1 } }]
END2
cat >types.csv <<'CSV'
job_id,submit,run_time,time_limit,user,tasks,cpus_per_task,gpus_per_task,gpu_type
1,0,100,100,ann,1,1,1,a100
2,0,200,200,ann,1,1,1,a100
3,1,50,50,cyd,1,1,2,a100
CSV
schedlab run types.csv -c types.yaml -p easy:place=spread -o types --quiet >/dev/null
schedlab explain types 3 --no-what-if | sed -n '/waited for/,/^$/p'
