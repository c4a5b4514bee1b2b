# SPDX-License-Identifier: GPL-3.0-or-later
# SIGUSR1 to a sweep: how far it is, which point each worker is at, and under --max-time the run of each.
cat >t.swf <<'SWF'
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
SWF
cat >s.yaml <<YAML
traces: [$PWD/t.swf]
policies: ['external:command="touch begun; until [ -e told ]; do sleep 0.05; done; exit 1"']
seeds: 1
YAML
schedlab sweep run s.yaml -o d -j 1 --trust --max-time 60 --quiet 2>said &
run=$!
until [ -e begun ]; do sleep 0.05; done
kill -USR1 $run
for _ in $(seq 1200); do
	[ "$(wc -l <said)" -ge 3 ] && break
	sleep 0.05
done
touch told
wait $run
echo "exit $?"
grep -c '^schedlab: 0 of 1 points done, 0 failed$' said
grep -c '^schedlab: worker 1 is at point 0$' said
grep -c 'of the simulation\|has not begun' said
