# study: one file, one folder: its table is what single runs say, it makes itself again to the byte, bold is the test's word.
cp "$DATA/odd.swf" .
printf '7 50 -1 100 1 -1 -1 1 60 -1 1 2 1 -1 1 1 -1 -1\n' >>odd.swf # Beyond its limit.
head -n 400 "$ROOT/traces/bundled/lublin-256.swf" >log.swf
cat >s.yaml <<'Y'
name: three policies
purpose: Who waits longest & why.
traces: [log.swf, {file: odd.swf, name: odd log}, {generate: lublin --jobs 60 --cpus 16, name: drawn}]
policies: [fcfs, easy, sjf]
settings: {replay.overrun: raise, replay.warmup: 10, replay.cooldown: 5}
seeds: [5]
table: [wait.mean, bounded_slowdown.mean, slowdown.area_weighted, utilization]
Y
schedlab study s.yaml -o s --dry-run
schedlab study s.yaml -o s -q
(cd s && find . -type f | sort | grep -v -e /runs/ -e seed)
# The table equals single runs: of each trace and policy, each number.
schedlab generate lublin --jobs 60 --cpus 16 --seed 5 -q -o drawn.swf
for pair in 1-log.swf:log.swf 2-odd-log:odd.swf 3-drawn:drawn.swf; do
	for policy in fcfs easy sjf; do
		schedlab run "${pair#*:}" -p $policy -q --seed 5 --set replay.overrun=raise --set replay.warmup=10 --set replay.cooldown=5 \
			--set replay.metrics=field --json |
			sed -n 's/^"\(wait.mean\|bounded_slowdown.mean\|slowdown.area_weighted\|utilization\)": \([0-9.]*\),*$/\1 \2/p' |
			sed "s/^/${pair%:*} $policy /"
	done
done | sort >single
tail -n +2 s/table.csv | awk -F , '{ n = split($0, f, ","); print f[2], f[7], f[1], f[8] }' | sort >table
wc -l <single
diff single table && echo the same
sed -n 1,3p s/table.csv
cat s/exclusions.csv
# Waits by size and run time are those of the run.
grep -c . s/waits.csv
grep '^1-log.swf,easy,1,<5m,' s/waits.csv
sed -n 's/^"\(jobs\|wait.mean\){size=1,run=<5m}": //p' s/runs/1-log.swf/2-easy/metrics.json
sed -n 1,16p s/table.md
cat s/table.tex
grep -o 'font-weight="bold">Utilization' s/figures/1-log.swf-utilization.svg || echo no heading
head -c 8 s/figures/1-log.swf-queue.pdf
# Made again from its own spec it is the same, wherever that is.
(mkdir elsewhere && cd elsewhere && schedlab study ../s/study.json -o again -q >/dev/null)
diff -r s elsewhere/again && echo the same
(cd s && sha256sum --quiet -c SHA256SUMS && tar --zstd -xOf bundle.tar.zst --wildcards '*table.csv' | cmp - table.csv) && echo whole
# Bold: seeds enough tell easy from fcfs. Twins are not told apart, so neither is bold.
printf 'traces: [{generate: lublin --jobs 80 --cpus 16, name: drawn}]\npolicies: [fcfs, easy]\nseeds: 1..20\ntable: [wait.mean]\n' >bold.yaml
schedlab study bold.yaml -o bold -q
sed -n 's/.*textbf.*/bold: &/p' bold/table.tex
printf 'traces: [{generate: lublin --jobs 80 --cpus 16, name: drawn}]\npolicies: [fcfs, easy, "easy:fill=queue"]\nseeds: 1..20\ntable: [wait.mean]\n' >twins.yaml
schedlab study twins.yaml -o twins -q
grep -c textbf twins/table.tex || true
# What is refused.
schedlab study s.yaml || echo "exit $?"
schedlab study s.yaml -o s || echo "exit $?"
mkdir mine && touch mine/file
schedlab study s.yaml -o mine --force || echo "exit $?"
sed 's/utilization/utilisation/' s.yaml >t.yaml
schedlab study t.yaml -o t -q || echo "exit $?"
printf 'traces: [log.swf]\nseeds: [1, 3]\n' >u.yaml
schedlab study u.yaml -o u -q || echo "exit $?"
printf 'traces: [none.swf]\n' >v.yaml
schedlab study v.yaml -o v -q || echo "exit $?"
printf 'traces: [log.swf]\npolicies: ["external:command=./decide"]\n' >w.yaml
schedlab study w.yaml -o w -q || echo "exit $?"
ls -d w t u v t.unfinished 2>/dev/null | wc -l
# An error says where, or of which panel it is.
printf 'traces: [log.swf]\nsettings: {replay.nosuch: 3}\n' >n.yaml
schedlab study n.yaml -o n -q || echo "exit $?"
printf 'traces: [log.swf, drawn.swf]\npolicies: [fcfs, "external:command=\\"true\\""]\n' >f.yaml
schedlab study f.yaml -o f -q --trust -j 1 || echo "exit $?"
# No job to be measured, windows, a generated trace with a seed of its own and several seeds.
sed 's/replay.warmup: 10/replay.warmup: 900d/' s.yaml >x.yaml
schedlab study x.yaml -o x -q || echo "exit $?"
printf 'traces: [log.swf]\nsettings: {replay.windows: "100@0,200"}\n' >y.yaml
schedlab study y.yaml -o y -q || echo "exit $?"
printf 'traces: [{generate: lublin --jobs 60 --cpus 16 --seed 4}]\npolicies: [easy]\nseeds: 1..3\ntable: [wait.mean]\n' >z.yaml
schedlab study z.yaml -o z -q
# Names are text, in every format, whatever they hold.
cp log.swf 'a_b & 50% {x}$#^~.swf'
cat >odd.yaml <<'Y'
name: A_1 & 5 %
purpose: <b> | $5 \ #1
traces: ["a_b & 50% {x}$#^~.swf", {file: log.swf, name: 'b\|_&'}]
policies: [easy]
table: [wait.mean]
Y
schedlab study odd.yaml -o odd -q >/dev/null
sed -n 4p odd/table.tex
sed -n 1,3p odd/table.md
cut -d , -f 1-5 odd/table.csv
ls odd/runs
cp log.swf 'a\b.swf'
printf 'traces: ["a\\\\b.swf"]\n' >slash.yaml
schedlab study slash.yaml -o slash -q || echo "exit $?"
