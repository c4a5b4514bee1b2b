# SPDX-License-Identifier: GPL-3.0-or-later
# Fair start times, worked by hand: in the order of arrival, and under the same policy without later arrivals.
# The shortest first: 0, 115 (behind 3 and 4), 105 (behind 4), 100. In order 0 100 150 160: job 2 is late by 15. With
# nobody coming later 0 100 100 100: job 2 is late by 15, job 3 by 5.
cat >f.swf <<'SWF'
; MaxProcs: 4
1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 -1 -1 -1 -1 -1
2 10 -1 50 4 -1 -1 4 50 -1 1 2 1 -1 -1 -1 -1 -1
3 20 -1 10 4 -1 -1 4 10 -1 1 3 1 -1 -1 -1 -1 -1
4 30 -1 5 4 -1 -1 4 5 -1 1 3 1 -1 -1 -1 -1 -1
SWF
fair() { schedlab run "$@" -q --set replay.metrics=field --json | grep -E '"fair_start' || echo none; }
fair f.swf -p sjf
fair f.swf -p sjf --set replay.fair_start=policy
# First come, first served is fair by both.
fair f.swf -p fcfs --set replay.fair_start=policy | grep late
# On nodes nothing says in which order room comes free, but the policy's own is what it is.
printf 'nodes:\n  - {name: n, count: 2, cpus: 2}\n' >c.yaml
fair f.swf -p sjf -c c.yaml
fair f.swf -p sjf -c c.yaml --set replay.fair_start=policy | grep late
# A program is asked once, not for each job; with dependencies a job's fate is not of those before it alone.
fair f.swf -p "external:command=\"python3 $ROOT/docs/examples/decider/fcfs.py\"" --set replay.fair_start=policy
schedlab run f.swf --set replay.fair_start=fcfs -q || echo "exit $?"
# By user over time.
schedlab run f.swf -p sjf -q --set replay.metrics=field --set replay.fair_start=policy -o out >/dev/null
cut -d , -f 1-5 out/fairness.csv
# And as a chart: of users 2 and 3 alone.
schedlab report out --format svg --chart unfairness -o - -q | grep -c '<title>[23]</title>'
schedlab report out --format svg --chart unfairness -o - -q --title '' --width 336 | grep -c 'hours started late, by user'
