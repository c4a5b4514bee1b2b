# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong is said before anything is simulated, and nothing is written.
{
	echo '; MaxProcs: 4'
	awk 'BEGIN { for (i = 1; i <= 32; i++) printf "%d %d -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1\n", i, i * 100 }'
} >t.swf
bad() { schedlab tune "$@" -q -o d || echo "exit $?"; }
bad
bad t.swf
bad t.swf --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf
bad t.swf --vary policy.order=fcfs,sjff --minimize wait.mean
bad t.swf --vary policy=easy,esay --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.maen
bad t.swf --vary policy.order=fcfs --vary policy.order=sjf --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --minimize wait.mean
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --require 'wait.max'
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --require 'wait.max 1..2'
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --spans 3
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --span 40m
bad t.swf --vary policy.order=fcfs,sjf --minimize wait.mean --span soon
bad t.swf --vary slurm.conf:PriorityWeightAge=1,2 --minimize wait.mean
bad t.swf --vary replay.size=requested,larger --minimize wait.mean --warm-up 1h --set replay.load=1.1
schedlab tune t.swf --vary policy.order=fcfs,sjf --minimize wait.mean -q || echo "exit $?"
mkdir other && : >other/file
schedlab tune t.swf --vary policy.order=fcfs,sjf --minimize wait.mean -q -o other || echo "exit $?"
printf 'vary: {policy.order: [fcfs, sjf]}\nminimise: [wait.mean]\n' >spec.yaml
bad t.swf --spec spec.yaml
printf -- '- a\n' >spec.yaml
bad --spec spec.yaml
ls d 2>/dev/null
# A setting that cannot be simulated is not chosen, and said; one that must be is an error.
schedlab tune t.swf --vary cluster.cpus=4,0 --minimize wait.mean --spans 8 -q -o e >out || echo "exit $?"
grep -c 'no better' out
