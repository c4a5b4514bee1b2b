# SPDX-License-Identifier: GPL-3.0-or-later
# Two questions of users, on the walk's files (docs/labs/elastic.md).
files=$ROOT/docs/examples/elastic
ask() { # jobs, manifests
	schedlab run "$1" -c "$2" -p kube:autoscale=on --check --quiet -o out |
		grep -E 'turnaround|autoscaler.(cost|evicted|scale_downs)'
	rm -rf out
}
# kubernetes-sigs/karpenter issue 701, "Do not evict running jobs": a note on each, nodes that go when they are empty, or
# a budget that allows none to go for being underutilized. Nobody is moved, and it costs more than where all are.
sed 's/annotations: {}/annotations: {karpenter.sh\/do-not-disrupt: "true"}/' "$files/jobs.yaml" >noted.yaml
sed 's/WhenEmptyOrUnderutilized/WhenEmpty/' "$files/karpenter.yaml" >when-empty.yaml
sed 's/budgets: .*/budgets: [{nodes: "50%"}, {nodes: "0", reasons: [Underutilized]}]/' "$files/karpenter.yaml" >budget.yaml
ask "$files/jobs.yaml" "$files/karpenter.yaml"
ask noted.yaml "$files/karpenter.yaml"
ask "$files/jobs.yaml" when-empty.yaml
ask "$files/jobs.yaml" budget.yaml
# kubernetes/autoscaler issue 8707, empty nodes alone: a threshold of 0.
for share in 0 0.1 0.5; do
	sed "s/threshold=0.5/threshold=$share/" "$files/groups.yaml" >share.yaml
	ask "$files/jobs.yaml" share.yaml
done
