# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep that is killed loses no point, and goes on without doing one twice.
# Long: two sweeps.
cat >s.yaml <<'YAML'
traces: [{generate: lublin --jobs 4000 --cpus 128, name: drawn}]
policies: [easy, conservative]
seeds: 1..6
YAML
schedlab sweep run s.yaml -o whole --quiet && schedlab sweep report s.yaml -o whole --quiet >/dev/null
there() { find "$1" -name '*.json' ! -name '.*' -printf '%i %f\n' 2>/dev/null | sort; }
# A process group of its own, so that workers die with it.
setsid schedlab sweep run s.yaml -o d -j 2 --quiet &
sweep=$!
tries=0
while [ "$(there d/points | wc -l)" -lt 4 ] && [ $tries -lt 3000 ]; do
	sleep 0.01
	tries=$((tries + 1))
done
kill -KILL -$sweep 2>/dev/null
wait $sweep 2>/dev/null
there d/points >before
[ -s before ] && echo 'some were there'
schedlab sweep run s.yaml -o d --quiet && schedlab sweep report s.yaml -o d --quiet >/dev/null
there d/points >after
comm -23 before after
cmp whole/points.csv d/points.csv && echo 'the same'
# A worker alone that is killed is replaced, and its point done again. (Where all is over before that: once more.)
: >said
tries=0
while [ ! -s said ] && [ $tries -lt 20 ]; do
	rm -rf d
	schedlab sweep run s.yaml -o d -j 1 --quiet 2>said &
	sweep=$!
	worker=
	while [ -z "$worker" ] && kill -0 $sweep 2>/dev/null; do
		read -r worker <"/proc/$sweep/task/$sweep/children"
	done 2>/dev/null
	kill -KILL ${worker:+"$worker"} 2>/dev/null
	wait $sweep
	code=$?
	tries=$((tries + 1))
done
echo "exit $code"
sed 's/ at point.*//' said
schedlab sweep report s.yaml -o d --quiet >/dev/null
cmp whole/points.csv d/points.csv && echo 'the same'
# What another machine has begun is waited for, until nothing was heard of it for three minutes.
id=$(schedlab sweep plan s.yaml | sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p' | head -n 1)
rm "d/points/$id.json" d/claims/"$id".*
echo 'another/machine 17 1000 node7' >"d/claims/$id.0"
schedlab sweep status d
schedlab sweep run d -j 1 --quiet 2>&1 &
sweep=$!
while [ -z "$(cat /proc/$sweep/task/$sweep/children)" ]; do :; done
kill -TERM $sweep
wait $sweep
echo "exit $?"
touch -d '4 minutes ago' "d/claims/$id.0"
schedlab sweep status d
schedlab sweep run d 2>&1
