# SPDX-License-Identifier: GPL-3.0-or-later
# A study that was interrupted, or killed, goes on: each run once, and the same bytes as of one that was not.
cat >decide <<SH
#!/bin/sh
# The third run waits until it is told.
echo run >>$PWD/runs
if [ "\$(wc -l <$PWD/runs)" = 3 ] && [ -e $PWD/wait ]; then
	touch $PWD/begun
	until [ -e $PWD/told ]; do sleep 0.05; done
fi
exec python3 $ROOT/docs/examples/decider/fcfs.py
SH
chmod +x decide
cat >s.yaml <<Y
traces: [{generate: lublin --jobs 40 --cpus 16, name: drawn}]
policies: [easy, 'external:command=$PWD/decide']
seeds: 1..4
table: [wait.mean]
Y
schedlab study s.yaml -o whole -q --trust -j 1 >/dev/null
wc -l <runs # One a seed: the first seed's is also that of the figures.
for signal in INT KILL; do
	rm -rf runs begun told
	touch wait
	schedlab study s.yaml -o $signal -q --trust -j 1 >/dev/null 2>&1 &
	run=$!
	until [ -e begun ]; do sleep 0.05; done
	schedlab study s.yaml -o $signal -q --trust -j 1 || echo "exit $?" # Two at a time are one too many.
	kill -s $signal $run
	touch told
	wait $run 2>/dev/null || echo "$signal: exit $?"
	ls -d $signal 2>/dev/null || find $signal.unfinished/points -type f | wc -l
	rm -rf runs wait
	touch $signal.unfinished/.table.csv.1-0 # What a killed process had not finished to write is no file of it.
	schedlab study s.yaml -o $signal -q --trust -j 1 >/dev/null
	wc -l <runs
	diff -r whole $signal && echo "the same"
	ls -d $signal.unfinished $signal/points 2>/dev/null
done
# What is not of it any more is left out; what is, is not done again: the second panel is another, the first is not.
head -n 100 "$ROOT/traces/bundled/lublin-256.swf" >a.swf
head -n 120 a.swf >b.swf
printf 'traces: [a.swf, b.swf]\npolicies: [fcfs, easy]\ntable: [wait.mean, none]\n' >two.yaml
schedlab study two.yaml -o two -q || echo "exit $?"
ls two.unfinished/runs
# A point that is cut, or says nonsense, is one that is not there.
for point in two.unfinished/points/*; do head -c 600 "$point" >cut && mv cut "$point"; done
echo '{"rows": [{"label": 3, "cells": [1]}]}' >"$point"
schedlab study two.yaml -o two -q 2>/dev/null || echo "exit $?"
printf 'traces: [a.swf]\npolicies: [fcfs, easy]\ntable: [wait.mean]\n' >one.yaml
schedlab study one.yaml -o two -q >/dev/null
ls two/runs two/figures | grep -c 2-b || true
# Drawn traces are inputs, also of a panel that is done already.
printf 'traces: [{generate: lublin --jobs 20 --cpus 16, name: drawn}]\npolicies: [fcfs, easy]\nseeds: 1..2\ntable: [wait.mean, none]\n' >drawn.yaml
schedlab study drawn.yaml -o drawn -q 2>/dev/null || ls drawn.unfinished/inputs
schedlab study drawn.yaml -o drawn -q 2>/dev/null || ls drawn.unfinished/inputs
# An input that cannot be read for once costs nothing that is done.
printf 'traces: [b.swf]\npolicies: [fcfs, easy]\ntable: [wait.mean, none]\n' >lost.yaml
schedlab study lost.yaml -o lost -q 2>/dev/null || mv b.swf away.swf
schedlab study lost.yaml -o lost -q || find lost.unfinished/points -type f | wc -l
# A folder of that name that no study has begun is somebody's.
mkdir mine.unfinished && echo precious >mine.unfinished/thesis
schedlab study one.yaml -o mine -q || cat mine.unfinished/thesis
