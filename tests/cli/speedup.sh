# Jobs whose size changes, and how fast they are then, by hand: start and end of each.
printf 'nodes:\n  - {name: n, count: 8, cpus: 1}\n' >eight.yaml
show() {
	echo "$*"
	rm -rf out
	schedlab run jobs.csv -c eight.yaml --quiet --check "$@" -o out >/dev/null && cut -d, -f7,8 out/jobs.csv | tail -n +2
}
head='submit,run_time,tasks,tasks_min,tasks_max,cpus_per_task,elastic,serial,evolves'
# Half of it serial: 8 in place of 4 are 10/9 as fast.
printf '%s\n0,100,4,1,8,1,malleable,0.5,\n' "$head" >jobs.csv
show -p composed:plan=elastic
show -p composed:plan=elastic --model speedup
show -p easy --model speedup
# Two of eight are left for job 2, who asks four: half as fast. As asked it would end at 140.
printf '%s\n0,100,6,,,1,,,\n0,40,4,2,4,1,moldable,,\n' "$head" >jobs.csv
show -p composed:plan=elastic,moldable=asked
show -p composed:plan=elastic,moldable=fit
show -p composed:plan=elastic,moldable=earliest
# Job 1 is soon over: as asked, from 10 to 50, job 2 ends before 80.
printf '%s\n0,10,6,,,1,,,\n0,40,4,2,4,1,moldable,,\n' "$head" >jobs.csv
show -p composed:plan=elastic,moldable=earliest
# After 10 s of work it asks for 4 in place of 2: 30 s of work are left, done in 15.
printf '%s\n0,40,2,1,4,1,evolving,,10:4\n' "$head" >jobs.csv
show -p composed:plan=elastic
show -p composed:plan=elastic --model speedup
show -p composed:plan=elastic --model speedup:resize_cost=5
grep resizes out/metrics.json
# There is no room before 20: it goes on meanwhile, or waits.
printf '%s\n0,20,6,,,1,,,\n0,40,2,1,4,1,evolving,,10:4\n' "$head" >jobs.csv
show -p composed:plan=elastic --model speedup
show -p composed:plan=elastic --model speedup:evolving=wait
# Types of GPUs: three quarters of the work on GPUs of twice the speed, as a table has it, or a list.
printf 'nodes:\n  - {name: v, cpus: 8, gpus: {v100: 4}}\n  - {name: a, cpus: 8, gpus: {a100: 4}}\n' >eight.yaml
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node,model\n0,100,1,1,4,X\n0,100,1,1,4,Y\n' >jobs.csv
printf 'model,gpu_type,gpus,steps_per_s\nY,v100,4,10\nY,a100,4,40\n' >table.csv
show -p easy --model speedup
show -p easy --model 'speedup:factors="v100=1,a100=2"'
show -p easy --model 'speedup:factors="v100=1,a100=2",table=table.csv'
show -p easy --model 'speedup:factors="v100=1,a100=2",reference=a100'
printf 'model,gpu_type,gpus,steps_per_s\nY,v100,4,fast\n' >table.csv
show --model speedup:table=table.csv || echo "exit $?"
# Each request is heard: 10 s of work with 4, 10 with 8, 10 with 2 and 70 with 1 are 10, 5, 20 and 280 s.
printf 'nodes:\n  - {name: n, count: 8, cpus: 1}\n' >eight.yaml
printf '%s\n0,100,4,1,8,1,evolving,,"10:8,20:2,30:1"\n' "$head" >jobs.csv
show -p composed:plan=elastic --model speedup
show -p composed:plan=elastic --model speedup:evolving=wait,resize_cost=5
# Who asks for more than his bounds gets as many as they allow.
printf '%s\n0,100,4,1,8,1,evolving,,10:9\n' "$head" >jobs.csv
show -p composed:plan=elastic --model speedup:evolving=wait
printf '%s\n0,100,4,1,8,1,evolving,,"10:8,5:2"\n' "$head" >jobs.csv
show || echo "exit $?"
# Half as large and half as fast, job 2 is not cut at its limit; nor is job 1, who is large for little.
printf '%s\n0,100,6,,,1,,,\n0,40,4,2,4,1,moldable,,\n' "$head" >jobs.csv
show -p composed:plan=elastic,moldable=fit --model speedup --set replay.overrun=kill
printf '%s\n0,100,4,1,8,1,malleable,0.5,\n' "$head" >jobs.csv
show -p composed:plan=elastic --model speedup --set replay.overrun=kill
