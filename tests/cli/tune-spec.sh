# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong with a file of options is said where it stands there: file:line:column. One line is wrong at a time.
{
	echo '; MaxProcs: 4'
	awk 'BEGIN { for (i = 1; i <= 32; i++) printf "%d %d -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1\n", i, i * 100 }'
} >t.swf
bad() { # LINE: in place of the line that has its key.
	cat >spec.yaml <<-'SPEC'
		trace: t.swf
		policy: easy
		vary:
		  policy.order: [fcfs, sjf]
		  replay.load: [1, 2]
		minimize:
		  - wait.mean
		require: [jobs.completed no less than today]
		spans: 8
	SPEC
	[ $# = 0 ] || sed "$1" spec.yaml >t.yaml && mv t.yaml spec.yaml
	schedlab tune --spec spec.yaml -q --no-sync -o d >out || echo "exit $?"
}
bad 's/easy/esay/'
bad 's/sjf/sjff/'
bad 's/policy.order/policy.ordr/'
bad 's/1, 2/0, -1/'
bad 's/replay.load/replay.lod/'
bad 's/  - wait.mean/  - wait.mean{cpus>=}/'
bad 's/  - wait.mean/  - wait.mean{cpus>=8}/'
bad 's/\[jobs.completed no less than today\]/[wait.max <= 5, wait.max 1..2]/'
bad 's/^spans: 8/spans: 3/'
bad 's/^spans: 8/span: soon/'
bad 's/^spans: 8/spans: 8\nset: [replay.lod=1]/'
bad 's/^spans: 8/spans: 8\nset: [replay.load]/'
bad 's/^spans: 8/spans: 8\nlink: [policy.order+replay.load=3]/'
bad 's/^spans: 8/spans: 8\nlink: {replay.load+replay.lod: 3}/'
bad 's/^spans: 8/spans: 8\ncluster: nowhere.yaml/'
# Nothing is wrong with this; a mistake of the line's own has no place.
bad
grep -c 'no better' out
schedlab tune --spec spec.yaml --vary policy.fill=no -q -o d || echo "exit $?"
