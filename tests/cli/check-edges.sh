# What a check must not take for well, and what it must not write.
cp "$DATA/four.swf" .
cat >nodes.yaml <<'EOF'
nodes:
  - { name: a, count: 2, cpus: 4 }
  - { name: b, count: 2, cpus: 2 }
EOF
one() { # one KEYS METRICS: a baseline of one case
	printf '{ "schema": "schedlab.baseline/1", "cases": [ { "id": "e", %s, "metrics": { %s } } ] }\n' "$1" "$2"
}
# Decisions that must be the same, and nothing that says what they were.
one '"trace": "four.swf", "exact": true' '"wait.mean": { "value": 52.5 }' >exact.json
schedlab check exact.json
echo "exit $?"
# So many seeds, one run: no sample. (Nor may a seed or a trace stand twice.)
one '"trace": "four.swf", "seeds": "1..6"' '"wait.mean": { "tol": "+5%", "test": "wilcoxon" }' >seeds.json
schedlab check seeds.json --update
echo "exit $?"
# A user may be called anything: a comma in it is none between labels, a line break none of a log.
printf 'job_id,user,submit,run_time,cpus\n1,a,0,100,3\n2,b,10,50,4\n"3\n::error::x","c,d",20,60,1\n' >log.csv
one '"trace": "log.csv", "set": ["cluster.cpus=4"]' '"wait.p95{user=*}": { "tol": "<= 95" }' >users.json
schedlab check users.json --update -q
echo "exit $?"
sed 's/"id": "e",/& "policy": "fcfs",/' users.json >later.json
cp users.decisions.zst later.decisions.zst
schedlab check later.json
echo "exit $?"
# Preempted now: job 1 started where it did before, which is known of last starts alone.
one '"trace": "four.swf", "cluster": "nodes.yaml"' '' >nodes.json
sed 's/four/full/' nodes.json >full.json
sed 's/^\(.*\) 4 \([0-9-]*\) \([0-9-]*\) 4 /\1 12 \2 \3 12 /' four.swf >full.swf
schedlab check full.json --update -q
sed 's/"id": "e",/& "policy": "srtf",/' full.json >srtf.json
cp full.decisions.zst srtf.decisions.zst
schedlab check srtf.json -q
# Decisions that cannot be read are made anew; lines end as the others do; what is packed stays what it is.
: >nodes.decisions.zst
sed 's/"id"/\r\n&/; s/$/\r/' nodes.json >dos.json
schedlab check nodes.json --update -q && schedlab check nodes.json -q
schedlab check dos.json --update -q && grep -c "$(printf '\r')\$" dos.json && grep -vc "$(printf '\r')\$" dos.json
gzip -c exact.json >packed.json
schedlab check packed.json --update
echo "exit $?"
