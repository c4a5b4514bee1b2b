# Services by hand: replicas of 1 GPU, on nodes of 4.
printf 'nodes:\n  - {name: n, count: 2, cpus: 8, gpus: 4}\n' >c.yaml
show() {
	echo "$*"
	rm -rf out
	schedlab run "$@" -c c.yaml --quiet --check -o out >/dev/null || return
	sed -n 's/^ *"\(serving\.[a-z_.]*\)": \(.*[0-9]\),*$/\1 \2/p' out/metrics.json
	cut -d, -f1,5,7-9,15 out/jobs.csv
}
# 8 requests a second of 10 that one serves, 60 from 600 s on, 20 from 1500 s on: 1, 8, 3 replicas (after 300 s). Cold for 60 s:
# 480 are lost at first, then 50 x 60 + 10 x 15. At 2000 s an update: .2 goes, .8 and .9 come; ready, they let .1 and .0 go.
printf 'time,requests_per_s\n0,8\n600,60\n1500,20\n' >load.csv
cat >a.yaml <<'EOF'
services:
  - {name: chat, user: web, tasks: 1, gpus_per_task: 1, until: 3600, load: {file: load.csv}, capacity: 10, target: 0.8,
     cold_start: 60, min: 1, max: 12, updates: [{at: 2000, max_surge: 1, max_unavailable: 1}]}
EOF
show a.yaml --model serving
grep -c . out/serving.csv
sed -n '1,2p;12,13p' out/serving.csv
grep -c 'load.csv' out/run.json
grep -o 'serving.*ready.*' out/metrics.json
# The rows as a table say the same.
schedlab convert a.yaml --to table rows.csv >/dev/null
sed -n 's/^ *"serving\.unserved": //p' out/metrics.json
rm -rf again
schedlab run rows.csv -c c.yaml --quiet --model serving -o again >/dev/null
sed -n 's/^ *"serving\.unserved": //p' again/metrics.json
# Without the model nobody is ready, so the update stays where it began.
show a.yaml
# Its node fails at 300 s for 100 s: the replica goes to the other, cold again, from 300 to 360 s.
printf 'node,from,until\nn1,300,400\n' >fails.csv
cat >b.yaml <<'EOF'
services:
  - {name: chat, tasks: 1, gpus_per_task: 1, until: 1000, load: 5, capacity: 10, cold_start: 60}
EOF
show b.yaml --model failures:log=fails.csv --model serving
# Its image is read at 1 GB/s for 20 s before it warms up.
printf 'nodes:\n  - {name: n, count: 2, cpus: 8, gpus: 4}\nstorage:\n  filesystems:\n    - {name: fs, read: 1GB}\n' >c.yaml
sed 's/cold_start/image: llm, image_bytes: 20GB, cold_start/' b.yaml >d.yaml
show d.yaml --model storage --model serving
head -n 1 out/jobs.csv | grep -o 'stage_in.*'
cut -d, -f1,24- out/jobs.csv | tail -n 1
# What is none.
show rows.csv --model serving:x=1 || echo "exit $?"
printf 'submit,run_time,cpus\n0,5,1\n' >plain.csv
show plain.csv --model serving || echo "exit $?"
sed 's/load.csv/none.csv/' a.yaml >e.yaml
show e.yaml || echo "exit $?"
printf 'time,requests_per_s\n0,8\n0,60\n' >load.csv
show a.yaml || echo "exit $?"
