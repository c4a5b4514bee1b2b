# Owners who come back (docs/labs/runai.md), worked by hand: what is told of projects and evictions, and what KAI says of who waits.
E="$ROOT/docs/examples/runai"
run() { # TRACE OUT PARAMETERS
	schedlab run "$E/$1.csv" -c "$E/cluster.yaml" -p "runai:projects=$E/projects.yaml${3-}" --check -o "$2" --quiet >/dev/null 2>&1
}
run owner owner
# At 50 speech has all eight, 7 over its quota: vision lends its 3, and product the 4 of search. At 100 vision takes 2 back, of its 3.
for at in 7 100 200 300; do grep "^$at," owner/projects.csv; done
cat owner/evictions.csv
schedlab explain owner s6 --no-what-if | sed -n '/what it waited/,/^$/p;/its course/,$p'
schedlab explain owner s6 --no-what-if --json | grep -o '"at": 200, "reason".*'
# Work is kept: 8 x 1000 + 2 x 500 + 500 + 4 x 500 = 11500 GPU seconds in all. Evicted: 93+94+195+296+297+298+299 = 1572.
grep '"runai\.' owner/metrics.json | grep -v '[{]\|sessions'
grep '"runai\..*project=speech' owner/metrics.json
# Work that is lost, the 1572 GPU seconds, is done again. Build may not go over the quota, and takes the place of training.
run owner lost ,resume=restart
grep 'gpu_hours"' lost/metrics.json
cut -d, -f1-6 lost/evictions.csv | head -n 2
run types types
grep -v '^at' types/evictions.csv
schedlab explain types b2 --no-what-if | sed -n '/what it waited/,/^$/p'
# Without a file each account is a project: what it is entitled to is told as a share of all GPUs.
printf 'job_id,submit,run_time,gpus,account\n1,0,100,6,x\n2,0,100,2,y\n3,0,100,2,y\n' >t.csv
schedlab run t.csv -c "$E/cluster.yaml" -p runai -o accounts --quiet >/dev/null 2>&1
grep entitled accounts/metrics.json
grep '^0,' accounts/projects.csv
# How active GPUs are, where the trace says: half of 4, a quarter of 2; of a third nobody knows.
printf 'job_id,submit,run_time,gpus,account,gpu_active\n1,0,3600,4,x,0.5\n2,0,3600,2,y,0.25\n3,0,3600,2,y,\n' >t.csv
schedlab run t.csv -c "$E/cluster.yaml" -p runai -o active --quiet >/dev/null 2>&1
grep '_gpu_hours"' active/metrics.json
cut -d, -f1,2,9,14 active/projects.csv
