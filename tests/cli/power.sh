# What nodes draw, by hand: an A100 node of 8 draws 1390 W idle, 4967 W with all GPUs at 0.7.
printf 'nodes:\n  - {name: a, cpus: 8, gpus: {a100: 8}}\n' >one.yaml
printf 'nodes:\n  - {name: a, count: 2, cpus: 8, gpus: {a100: 8}}\n' >two.yaml
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node\n0,100,1,8,8\n' >jobs.csv
show() {
	echo "$*"
	rm -rf out
	schedlab run "$@" --quiet --check -o out >/dev/null
	sed -n 's/^"\(energy\.[a-z]*\|power\.[a-z]*\)": \(.*[0-9]\),*$/\1 \2/p' out/metrics.json
	cut -d, -f1,7,8,20- out/jobs.csv
}
# 4967 W for 100 s. It meters alone: the digest is that of a run without.
show jobs.csv -c one.yaml --model power
grep '"digest"' out/run.json >with
schedlab run jobs.csv -c one.yaml --quiet -o without >/dev/null
grep '"digest"' without/run.json | cmp - with && echo same
cat out/power.csv | head -n 2
# Half of 3577 W above idle may be drawn: half as fast, or as the cube root of a half.
show jobs.csv -c one.yaml --model power:cap=3178.5
show jobs.csv -c one.yaml --model power:cap=3178.5,dvfs=cubic
# Off from 150 to 1000, at 15 W; it boots for 300 s under job 2, which ends at 1350.
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node\n0,50,1,8,8\n1000,50,1,8,8\n' >late.csv
show late.csv -c one.yaml --model power:idle_time=100
show late.csv -c one.yaml --model power:idle_time=100,keep_on=1
# Being switched off from 150 to 180, for 100 W: job 2, there at 160, waits for that, then for the boot, and ends at 530.
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node\n0,50,1,8,8\n160,50,1,8,8\n' >soon.csv
show soon.csv -c one.yaml --model power:idle_time=100,shutdown=100
# At 150 node a0 is off and a1 is on: job 3 goes to a1 and ends at 200; by the placing alone it boots a0.
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node\n0,10,1,8,8\n0,120,1,8,8\n150,50,1,8,8\n' >three.csv
show three.csv -c two.yaml --model power:idle_time=100
show three.csv -c two.yaml --model power:idle_time=100,prefer=none
# The cap lets one of two jobs in; nobody is slowed down.
printf 'submit,run_time,nodes,cpus_per_node,gpus_per_node\n0,100,1,8,8\n0,100,1,8,8\n' >both.csv
show both.csv -c two.yaml -p easy:power=admit --model power:cap=6367,cap_mode=admit
cut -d, -f1-4 out/reasons.csv
# Dear until 500; a job waits for that, but no longer than it is told.
printf 'time,value\n0,1\n500,0.1\n' >price.csv
show jobs.csv -c one.yaml -p easy:hold=price,hold_above=0.5 --model power:price=price.csv
show jobs.csv -c one.yaml -p easy:hold=price,hold_above=0.5,hold_wait=60 --model power:price=price.csv
# What is none.
printf 'time,value\n5,1\n5,2\n' >price.csv
schedlab run jobs.csv -c one.yaml --quiet --model power:price=price.csv || echo "exit $?"
schedlab run "$DATA/four.swf" --quiet --model power || echo "exit $?"
# From 10 on it has both nodes in place of one: 55 s at 9934 W. Nothing is counted after that; a job drives all that it has.
printf 'submit,run_time,tasks,tasks_min,tasks_max,gpus_per_task,elastic\n0,100,1,1,2,8,malleable\n0,10,1,1,1,8,rigid\n' >grows.csv
show grows.csv -c two.yaml -p composed:plan=elastic --model power
show grows.csv -c two.yaml -p composed:plan=elastic --model power --model speedup:serial=1
# What is wrong in the cluster file, and in a curve.
printf 'nodes:\n  - {name: a, cpus: 8, gpus: {a100: 8}, power_max: 3}\n' >wrong.yaml
schedlab run jobs.csv -c wrong.yaml --quiet --model power || echo "exit $?"
printf 'nodes:\n  - {name: a, cpus: 8, gpus: {a100: 8}, boot_time: soon}\n' >wrong.yaml
schedlab run grows.csv -c wrong.yaml --quiet --model power || echo "exit $?"
printf 'type,utilization,watts\nb,0,5\nb,1,9\n' >curve.csv
schedlab run jobs.csv -c one.yaml --quiet --model power:curve=curve.csv || echo "exit $?"
# On a curve a node boots as it idles there: 100 s at 500 W, off at 15 W, boots 300 s at 500 W.
printf 'type,utilization,watts\na,0,500\na,1,900\n' >curve.csv
show late.csv -c one.yaml --model power:idle_time=100,curve=curve.csv
# At 150 node a0 is off: it is not free in the words of who waits for both nodes, or would fit there but for who is first.
printf 'submit,run_time,time_limit,nodes,cpus_per_node,gpus_per_node\n0,10,10,1,8,8\n0,400,400,1,8,8\n150,50,50,2,8,8\n160,1000,1000,1,8,8\n' >both.csv
for prefer in on none; do
	schedlab run both.csv -c two.yaml --model power:idle_time=100,prefer=$prefer -q -o asleep-$prefer >/dev/null
	schedlab explain asleep-$prefer 4 --no-what-if | sed -n '/from 0:02:40/,/from/p'
done
