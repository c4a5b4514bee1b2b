# The section fabric of a cluster's file: what is wrong in it is told once, with its place; what a parameter says counts
# over it.
cat >jobs.csv <<'END'
job_id,submit,run_time,tasks,tasks_per_node,nodes,comp,comm_bytes,pattern
1,0,100,4,1,4,0.1,1000000000,ring
END
try() { # try LINE...: of the section; the first message, and how it ended
	local status=0
	printf 'switches: [{name: a, nodes: "n[1-2]"}, {name: b, nodes: "n[3-4]"}, {name: t, switches: "a,b"}]\n' >c.yaml
	printf 'nodes:\n  - {name: n, count: 4, cpus: 1%s}\nfabric:\n' "$node" >>c.yaml
	printf '  %s\n' "$@" >>c.yaml
	schedlab run jobs.csv -c c.yaml --model fabric"$parameter" -q >/dev/null 2>err || status=$?
	echo "$status $(head -n 1 err)"
}
node= parameter=
echo "== keys and values"
try 'nodes_per_leef: 2'
try 'rate: fast'
try 'efficiency: 2'
try 'hop: -1'
try 'topology: tre'
echo "== cables of switches"
try 'cables: [{name: c, uplinks: 2}]'
try 'cables: [{name: a, uplink: 2}]'
try 'cables: [{name: a, uplinks: 0}]'
try 'cables: [{name: a, rate: 1 furlong}]'
echo "== entries of nodes"
node=', nics: 65'
try 'rate: EDR'
node=', nic_rate: quick'
try 'rate: EDR'
node=', nvlink: -1'
try 'rate: EDR'
node=
echo "== a parameter counts over the section, and has no place"
parameter=:rate=EDR
try 'rate: fast'
parameter=:rate=slow
try 'rate: EDR'
parameter=
echo "== cables of a switch, as the manual says"
try 'cables: [{name: a, uplinks: 2, rate: 25 GB/s}]' 'efficiency: 1'
schedlab run jobs.csv -c c.yaml --model fabric -q -o run >/dev/null
grep '^[ab]:' run/links.csv | cut -d, -f1-3
