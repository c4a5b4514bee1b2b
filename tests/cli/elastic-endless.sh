# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes that never come, and nodes that are gone before a job has ended: the run ends, and says which job and why.
files=$ROOT/docs/examples/elastic
ask() { # manifests
	schedlab run "$files/jobs.yaml" -c "$1" -p kube:autoscale=on --check -o out 2>said |
		grep -E 'completed|makespan|autoscaler.failed'
	grep 'autoscale=on' said
	rm -rf out
}
sed 's/^  max:/  available: 0\n  max:/' "$files/groups.yaml" >none.yaml
sed 's/^\( *- --expander\)/        - --max-node-provision-time=0s\n\1/' "$files/groups.yaml" >early.yaml
sed 's/expireAfter: .*/expireAfter: 5m/' "$files/karpenter.yaml" >short.yaml
sed 's/^  provisioning: .*/  provisioning: 2147483647/' "$files/karpenter.yaml" >late.yaml
for file in none early short late; do
	echo "$file"
	ask "$file.yaml"
done

printf 'submit,run_time,cpus\n0,100,4\n' >jobs.csv
# Fields that are of another kind than they are to be, and one that is empty.
try() {
	schedlab run jobs.csv -c bad.yaml -p kube:autoscale=on --quiet >/dev/null || echo "exit $?"
}
for change in 's/^spec:$/spec: "x"/;/^spec: "x"/,/^---/{/^  /d}' 's/^  currency: .*/  currency: 1e300/' 's/^  currency: .*/  releases: 7d/'; do
	sed "$change" "$ROOT/docs/examples/elastic/karpenter.yaml" >bad.yaml
	try
done
sed 's/--expander=least-waste/--expander=/' "$ROOT/docs/examples/elastic/groups.yaml" >bad.yaml
try
schedlab run jobs.csv -c "$ROOT/docs/examples/elastic/groups.yaml" -p kube:gates=GenericWorkload=true+GenericWorkload=false --quiet >/dev/null || echo "exit $?"
