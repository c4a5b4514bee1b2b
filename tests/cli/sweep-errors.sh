# SPDX-License-Identifier: GPL-3.0-or-later
# What is no sweep is said with its place; a point that fails is a point, told of, and done again when asked.
try() {
	schedlab sweep "$@"
	echo "exit $?"
}
bad() {
	# shellcheck disable=SC2059 # With its newlines.
	printf "$1" >bad.yaml
	try plan bad.yaml
}
bad ''
bad 'policies: [easy]\n'
bad 'traces: []\n'
bad 'traces: [a.swf]\npolices: [easy]\n'
bad 'traces: [{file: a.swf, generate: lublin}]\n'
bad 'traces: [{name: a}]\n'
bad 'traces: [a.swf, a.swf]\n'
bad 'traces: [a.swf]\nseeds: 5..1\n'
bad 'traces: [a.swf]\nseeds: 1..100000000\n'
bad 'traces: [a.swf]\npolicies: [easy, easy]\n'
bad 'traces: [a.swf]\nsettings: {seed: 1}\n'
bad 'traces: [a.swf]\nsettings: {replay.load: [[1]]}\n'
bad 'traces: [a.swf]\nexclude: [{policy: sjf}]\n'
bad 'traces: [a.swf]\nexclude: [{load: 1}]\n'
bad 'traces: [a.swf]\nmetrics: ["wait.p95{"]\n'
bad 'traces: [a.swf]\n'
bad 'traces: [a.swf]\npolicies: [easy, nonsense]\n'
try walk bad.yaml
cat >s.yaml <<'YAML'
traces: [{generate: lublin --jobs 50 --cpus 16, name: drawn}]
policies: [easy]
settings: {cluster.cpus: [16, many]}
YAML
try run s.yaml
try run s.yaml -o d --quiet
try report s.yaml -o d --quiet --y wait.mean
try run s.yaml -o d --quiet --retry
# Another retries that point just now: it is left to him. Once he is gone, it is not.
failed=$(grep -l '^"error": ' d/points/*.json)
echo mark >>"$failed"
ln "$failed" "$failed.retry"
try run s.yaml -o d --quiet --retry
grep -c mark "$failed"
rm "$failed.retry"
try run s.yaml -o d --quiet --retry
grep -c mark "$failed"
ls d/points | grep -c retry
try status s.yaml -o d
# Another sweep, and what is none.
printf 'traces: [{generate: lublin --jobs 50 --cpus 16, name: drawn}]\n' >other.yaml
try run other.yaml -o d --quiet
mkdir other
: >other/thing
try run s.yaml -o other
try run s.yaml -o e --emit cron
try run s.yaml -o e --shard 3/3
try report s.yaml -o d --x nothing
# An input that was changed makes other points.
schedlab generate lublin --jobs 50 --cpus 16 -o t.swf 2>/dev/null
printf 'traces: [t.swf]\npolicies: [easy]\n' >t.yaml
try run t.yaml -o t --quiet
echo '; more' >>t.swf
try run t.yaml -o t --quiet
