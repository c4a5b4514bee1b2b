# SPDX-License-Identifier: GPL-3.0-or-later
# --json of every command that has no test of its own for it: one object that a reader reads; --dry-run tells, and
# leaves the folder as it was.
parse() { python3 -c 'import json, sys
o = json.load(sys.stdin)
for k in ("sha256", "bytes", "complaint"): o.pop(k, None)
print(json.dumps(o)[:400])'; }
schedlab generate lublin --jobs 20 --cpus 8 --seed 3 -o g.swf --json | parse
schedlab generate lublin --jobs 20 --cpus 8 --json
echo "exit $?"
schedlab generate resample g.swf --seed 2 -o r.swf --json | parse
schedlab convert g.swf g.csv --to table --json | parse
printf 'nodes:\n  - {name: n, count: 1, cpus: 8}\n' >c.yaml
schedlab convert c.yaml c.json --to json --json | parse
printf 'job_id,submit,run_time,cpus,user\n1,0,100,4,"a ""b"" c\\"\n2,1,100,4,ä\n' >t.csv
schedlab anonymize t.csv -o safe.csv --key k --new-key --json | parse
schedlab run t.csv -c c.yaml -o out -q >/dev/null
schedlab report out -o page.html --json -q | parse
mkdir data data/traces && cp g.swf data/traces/lublin-256.swf
schedlab --data=data policy-test fcfs --count 2 --json -q | parse
printf 'traces: [g.swf]\npolicies: [fcfs, easy]\n' >s.yaml
for line in 'run t.csv -c c.yaml -o d' 'run t.csv -c c.yaml -o d --json' 'compare t.csv -c c.yaml -p fcfs -p easy -o d' \
	'compare t.csv -c c.yaml -p fcfs -p easy --json' 'whatif out --set cluster.nodes[n].count+=1 --as twice --scale-load 2' \
	'whatif out --drop user=ä --json' 'generate lublin --jobs 20 --cpus 8 -o d.swf' 'generate lublin --jobs 0 -o d.swf' \
	'generate resample g.swf -o d.swf' 'convert g.swf d.csv --to table' 'convert none.swf d.csv' 'convert g.swf none/d.csv' \
	'anonymize t.csv -o d.csv --key d.key --new-key' 'anonymize t.csv -o d.csv --key k' 'report out -o d.html' \
	'report out -o d.html --json' 'sweep run s.yaml -o d' 'sweep run s.yaml -o out' 'sweep report s.yaml -o d' 'generate resample g.swf --load nonsense -o d.swf' 'generate fit g.swf' 'whatif out --drain n1 --within 1h'; do
	echo "== $line"
	: >told
	ls | grep -v before >before
	# shellcheck disable=SC2086 # Words.
	case $line in
	*--json*) schedlab $line --dry-run -q >told && parse <told ;;
	*) schedlab $line --dry-run -q | sed 's/  [0-9]* bytes$//' ;;
	esac
	ls | grep -v before | diff before - || echo 'something was written'
done
