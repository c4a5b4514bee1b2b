# Every example of every --help runs as it stands, where the files are that it names.
mkdir files && cd files || exit 1
schedlab generate lublin --jobs 200 --cpus 256 --load 1.2 -o log.swf -q
cp log.swf batch.swf
cp log.swf trace.swf
gzip -k log.swf
gzip -k trace.swf
xz -k trace.swf
printf 'nodes:\n  - {name: gpu, count: 4, cpus: 64, gpus: {a100: 8}}\n  - {name: h100, count: 1, cpus: 64, price: 300, gpus: {h100: 8}}\n' >cluster.yaml
printf '  - {name: l40s, count: 1, cpus: 64, price: 100, gpus: {l40s: 8}}\n' >>cluster.yaml
cp cluster.yaml now.yaml
cp cluster.yaml next.yaml
schedlab convert cluster.yaml -o cluster.json -q
printf 'job_id,submit,run_time,time_limit,user,cpus,gpus\n' >jobs.csv
i=0
while [ $i -lt 400 ]; do
	i=$((i + 1))
	echo "$i,$((i * 900)),3000,4000,$([ $((i % 3)) = 0 ] && echo alice || echo bob),8,$((1 << i % 4))" >>jobs.csv
done
schedlab run jobs.csv -c cluster.yaml -p easy -o out -q >/dev/null
schedlab compare jobs.csv -c cluster.yaml -p easy -p fcfs -p sjf -o three -q >/dev/null
schedlab step log.swf -p easy --script - --record answers.txt </dev/null >/dev/null 2>&1
cp -r "$ROOT/docs/examples/slurm" slurm
cp slurm/slurm.conf slurm.conf
cp slurm/*.conf .
cp slurm/week.txt log.txt
cp slurm/week.txt sacct.txt
printf 'traces: [log.swf]\npolicies: [fcfs, easy]\nsettings: {replay.load: [0.8, 1.0]}\n' >load.yaml
printf 'purpose: for help\ntraces: [log.swf]\npolicies: [fcfs, easy]\n' >paper.yaml
mkdir include && ln -s "$ROOT/sim" include/schedlab
cc -shared -fPIC -Iinclude -o my-easy.so "$ROOT/docs/examples/policy/my-easy.c"
cp my-easy.so mine.so
schedlab generate sessions --users 30 --limit 4h -o sessions.csv -q
echo 'shadow: 22' >answers.yaml
echo '#!/bin/sh' >job.sh
ln -s "$ROOT/docs" docs
ln -s "$ROOT/traces" traces
printf 'a key of more than sixteen bytes' >site.key
schedlab check --init log.swf -p easy -p conservative -o baseline.json -q >/dev/null
schedlab sweep run load.yaml -o load -q >/dev/null
schedlab bundle out -o paper-run.tar.xz -q
schedlab study paper.yaml -o paper -q >/dev/null
printf 'sbatch job.sh\nadvance 1h\nsqueue\n' >lesson.txt
schedlab run log.swf --until 1d -o half -q >/dev/null
schedlab run sacct.txt -c slurm -p slurm -o slurm-run -q >/dev/null 2>&1
git init -q . && git add baseline.json && git -c user.name=a -c user.email=a@b commit -qm a
cd ..
ln -s "$ROOT/traces" traces
schedlab run traces/bundled/lublin-256.swf -o lublin -q >/dev/null
# What an example makes is not there before; what it needs is.
prepare() {
	rm -rf work
	cp -a files work
	case $1 in *' -o out'*) rm -r work/out ;; *out/1-*) rm -r work/out && mv work/three work/out ;; esac
	case $1 in *' -o load'*) rm -r work/load ;; *check*--init*) rm work/baseline.json ;; *'study paper.yaml'*) rm -r work/paper ;; esac
	case $1 in *' -o paper-run.tar.xz'*) rm work/paper-run.tar.xz ;; *convert*' trace.swf') rm work/trace.swf ;; esac
	case $1 in *--new-key*) rm work/site.key ;; *'cluster.json -o cluster.yaml') rm work/cluster.yaml ;; esac
	case $1 in *from-snapshot*) rm -r work/out && mv work/half work/out ;; *sprio*) rm -r work/out && mv work/slurm-run work/out ;; esac
	case $1 in *'explain out'*) rm -r work/out && cp -r lublin work/out ;; esac
	case $1 in *--record*) rm work/answers.txt ;; esac
}
# A line that begins with four more spaces goes on with the one before.
for command in $(schedlab help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
	schedlab "$command" --help | awk '/^      +-/ && e { e = e " " $0; next } e { print e; e = "" }
		/^  (schedlab|mpirun|echo|eval|source) / { e = $0; sub(/ +\(.*\)$/, "", e) } END { if (e) print e }'
done | sed 's/^ *//; s|/etc/slurm|slurm|; s/^mpirun -n 64 //; s/ | sbatch/ | cat/; s/--count 1000/--count 20/; s/\(lublin --jobs\) 10000/\1 1000/; /--student/s/$/ || [ $? = 1 ]/
	/^schedlab step/{ /--script\|--replay/! s|$| --script - </dev/null| }
	s/; advance 2h//' >examples
# Where all is slow, less of what takes long.
[ "${SL_EFFORT:-}" != less ] ||
	sed -i 's/ --backtest/& --moments 5 --futures 10/; /^schedlab policy-test/{ s/$/ --count 10/; s/ --count 20 / /; }' examples
while read -r example; do
	prepare "$example"
	(cd work && HOME=$PWD && export HOME && mkdir -p .zfunc .config/fish/completions && bash -c "set -e; $example") >shown 2>said </dev/null ||
		echo "exit $?: $example: $(tail -n 1 said)"
done <examples
wc -l <examples
