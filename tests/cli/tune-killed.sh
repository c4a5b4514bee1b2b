# SPDX-License-Identifier: GPL-3.0-or-later
# A tune that was ended by a signal goes on where it was, and comes to the same bytes: SIGINT, and SIGKILL, of which it hears nothing.
# The policy is a program that waits, the third time it is called, until it may go on.
{
	echo '; MaxProcs: 4'
	awk 'BEGIN { for (s = 0; s < 8; s++) for (j = 0; j < 3; j++)
		printf "%d %d -1 %d 4 -1 -1 4 %d -1 1 %d 1 -1 -1 -1 -1 -1\n", ++n, s * 1000 + j, j == 2 ? 10 : 100, j == 2 ? 10 : 100, j }'
} >t.swf
cat >decide <<'SH'
#!/bin/sh
echo >>called
if [ "$(wc -l <called)" -ge 3 ] && [ ! -e go ]; then
	touch begun
	until [ -e go ]; do sleep 0.05; done
fi
exec python3 "$ROOT/docs/examples/decider/fcfs.py"
SH
chmod +x decide
tune() { exec schedlab tune t.swf -q --no-sync -j 1 --trust -p fcfs --vary 'policy=external:command="./decide"' --span 1000 --minimize wait.mean --json "$@"; }
export ROOT
touch go
(tune -o whole) | sed '/"again"/d' >want
for signal in INT KILL; do
	rm -f go begun called
	tune -o $signal >out 2>said &
	run=$!
	until [ -e begun ]; do sleep 0.05; done
	kill -$signal $run
	touch go
	wait $run 2>/dev/null # Of a job that was killed the shell says so, when it is the one that waits.
	echo "exit $?"
	ls $signal/tune.html 2>/dev/null
	[ "$(ls $signal/points | wc -l)" -lt "$(ls whole/points | wc -l)" ] && echo 'in the middle'
	(tune -o $signal) | sed '/"again"/d' | cmp - want && echo 'the same'
	ls $signal/points >points && ls whole/points | cmp - points
	cmp $signal/tried.csv whole/tried.csv
done
