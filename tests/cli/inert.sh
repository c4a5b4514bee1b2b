# SPDX-License-Identifier: GPL-3.0-or-later
# Names that somebody else wrote go into every output as text: no byte that a terminal obeys, no markup, no command.
python3 - <<'P'
names = ["\x1b]0;owned\x07x", "two\nlines", 'quo"te', "$(touch canary)", "`touch canary`", "</script><script>alert(1)</script>",
    "<!--", "a|b", "\\input{x}", "\u202eback", "\x9bC1", "=1+cmd|x", "'; touch canary; '", "-rf", "\rcr", "\x7fdel", "é"]
with open("t.csv", "w", newline="") as out:
    out.write("job_id,submit,run_time,cpus,user,account,name,partition\n")
    for i, name in enumerate(names):
        cell = '"' + name.replace('"', '""') + '"'
        out.write(f"{cell},{i},{100 + i},{1 + i % 4},{cell},{cell},{cell},{cell}\n")
with open("bad.csv", "wb") as out:
    out.write(b"job_id,submit,run_time,cpus,user\n1,0,1,1,a\xff\x1b[2J\n")
P
# Bytes that are none of the file's own: all of C0 but line ends and tabs, DEL, and as UTF-8 C1 and marks of direction.
raw() {
	python3 - "$@" <<'P'
import os, re, sys
for path in filter(os.path.isfile, sys.argv[1:]):
    data = open(path, "rb").read()
    text = data.decode("utf-8", "surrogateescape")
    found = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]", text)
    if found:
        print("RAW", path, repr(text[max(0, found.start() - 30):found.end() + 10]))
P
}
try() {
	name=$1
	shift
	"$@" >"said-$name" 2>"told-$name"
	code=$?
	[ $code -le 7 ] || echo "$name: exit $code"
}
printf 'nodes:\n  - {name: n, count: 1, cpus: 8}\n' >c.yaml
try run schedlab run t.csv -c c.yaml -o out
try bad schedlab run bad.csv --set cluster.cpus=8 -o bad-out
try json schedlab run t.csv -c c.yaml --json
try log schedlab run t.csv -c c.yaml -p "$(printf 'ea\033sy')" --log-json
try suggest schedlab run t.csv -c c.yaml -p "easy:or$(printf '\033\302\233\342\200\256')der=fcfs"
try verbose schedlab run t.csv -c c.yaml --log-level trace
try compare schedlab compare t.csv -c c.yaml -p fcfs -p easy -o both
try inspect schedlab inspect t.csv -c c.yaml
try inspect-json schedlab inspect t.csv -c c.yaml --json
for tool in squeue sacct sinfo 'scontrol show job' sprio sshare; do
	# shellcheck disable=SC2086
	try "view-${tool%% *}" schedlab view $tool out --at 20
done
try explain schedlab explain out --json
for job in 1 5 9; do try "explain-$job" schedlab explain out --job "$(python3 -c "import csv; print(list(csv.reader(open('out/jobs.csv')))[$job][0])")"; done
try convert schedlab convert t.csv --to table -o again.csv
try sacct schedlab convert t.csv --to sacct -o again.sacct
for format in html markdown latex svg; do try "report-$format" schedlab report out --format $format -o report.$format --force; done
for format in html markdown latex svg; do try "both-$format" schedlab report both --format $format -o both.$format --force; done
raw said-* told-* out/* bad-out/* both/* both/*/* again.csv again.sacct report.* both.*
# What was written can be read as what it is.
python3 - <<'P'
import csv, glob, json, os, re, xml.dom.minidom
for path in glob.glob("out/*.json") + ["said-json", "said-inspect-json"]:
    json.load(open(path, encoding="utf-8"))
for line in open("told-log", encoding="utf-8"):
    json.loads(line)
rows = list(csv.reader(open("out/jobs.csv", newline="", encoding="utf-8")))
assert len(rows) == 18 and len({len(row) for row in rows}) == 1, len(rows)
for row in rows[1:]:
    print(repr(row[1]))
rows = list(csv.reader(open("again.csv", newline="", encoding="utf-8")))
assert len(rows) == 18 and len({len(row) for row in rows}) == 1
for path in glob.glob("*.svg"):
    xml.dom.minidom.parse(path)
for path in glob.glob("*.html"):
    text = open(path, encoding="utf-8").read()
    print(path, "alert(1)</script>" in text, len(re.findall("<script>alert", text)))
for path in glob.glob("*.markdown"):
    text = open(path, encoding="utf-8").read()
    print(path, "<script>" in text)
for path in glob.glob("*.latex"):
    print(path, "\\input{x}" in open(path, encoding="utf-8").read())
P
schedlab run again.csv -c c.yaml -q >/dev/null && echo 'read again'
# Shell lines and makefiles: the folder has a hostile name, and nothing of it runs.
mkdir 'it'"'"'s $(touch canary) `touch canary` #x; touch canary' bin
printf '#!/bin/sh\nexit 0\n' >bin/schedlab
for engine in srun mpirun parallel; do printf '#!/bin/sh\ncat >/dev/null\nexit 0\n' >bin/$engine; done
chmod +x bin/*
(
	cd it* || exit
	cp ../t.csv ../c.yaml .
	printf 'name: "</x>$(touch canary)"\ntraces: [t.csv]\nclusters: [c.yaml]\npolicies: [fcfs, easy]\n' >sweep.yaml
	for engine in slurm k8s mpirun parallel make; do
		schedlab sweep run sweep.yaml -o points --emit $engine >../emit-$engine 2>../emit-told-$engine </dev/null || echo "emit $engine: $?"
	done
)
for engine in slurm mpirun parallel; do PATH=$PWD/bin:$PATH sh ./emit-$engine >/dev/null 2>&1; done
PATH=$PWD/bin:$PATH make -f emit-make >/dev/null 2>&1
raw emit-*
sed -n 's/^  name: //p' emit-k8s
find . -name canary
mkdir "$(printf 'l\nine')"
(cd l* && cp ../it*/sweep.yaml ../t.csv ../c.yaml . && schedlab sweep run sweep.yaml -o points --emit slurm) 2>&1 | sed "s,$PWD,HERE,"
