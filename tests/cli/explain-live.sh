# A dump of a live cluster in one pipe: why a job waits now, and what would let it start. Worked by hand.
live="$DATA/live"
# Kueue. Team b uses its 8 cpus and borrows 2, a uses 4 of its 8: 2 of 16 are free, and b asks for 4. 2 more of quota do. No
# borrowingLimit does, as the cohort has no more; b's big job's end does, a's not: 6 would be free, of which b may borrow 2 more.
schedlab explain - b/more <"$live/kueue.yaml"
# Where b may borrow 8, it is the cohort alone that is short: a's end does, too.
sed 's/borrowingLimit: "4"/borrowingLimit: "8"/' "$live/kueue.yaml" | schedlab explain - b/job-more-1
# b may borrow 1 alone, and a is idle: a limit of 6, quota of 5 more (14 of 8 + 5 + 1), or big's end.
sed 's/borrowingLimit: "4"/borrowingLimit: "3"/; s/cpu: "4"/cpu: "1"/; s/count: 4, flavors/count: 1, flavors/' "$live/kueue.yaml" | schedlab explain - more
# a lends none of its 8: 4 are free, of which b has no use.
sed '/name: a}/,/name: b}/s/nominalQuota: "8"/nominalQuota: "8", lendingLimit: "0"/; s/count: 10, flavors/count: 8, flavors/; s/cpu: "10"/cpu: "8"/' "$live/kueue.yaml" | schedlab explain - b/more
# A queue that is stopped.
sed '/name: b}/,/resourceGroups/s/cohortName: all/cohortName: all, stopPolicy: Hold/; s/count: 10, flavors/count: 4, flavors/; s/cpu: "10"/cpu: "4"/' "$live/kueue.yaml" >held.yaml
sed -i 's/^    cohortName: all, stopPolicy: Hold/    cohortName: all\n    stopPolicy: Hold/' held.yaml
schedlab explain held.yaml b/more
# Topologies: n1 is full, n2 has 2 of 4; counts in another spelling of the slices, 3 on n1 and 1 and 2 on n2: 1 on each.
schedlab explain - three <"$live/tas.yaml" | sed -n '/Kueue:/p;/what would/,$p'
sed 's/slices: \[{domainCount: 1, valuesPerLevel: \[{universal: n1}\], podCounts: {universal: 4}}\]/slices: [{domainCount: 2, valuesPerLevel: [{prefix: n, roots: ["1", "2"]}], podCounts: [3, 1]}]/' \
	"$live/tas.yaml" | schedlab explain - three | grep Kueue:
# What does not wait, and who is not there.
schedlab explain - a/own <"$live/kueue.yaml"
schedlab explain - b/none <"$live/kueue.yaml"
echo "exit $?"
# kube-scheduler, of JSON: n1 has 1 GPU of 4 free, n2 is cordoned, n3 has a taint and no GPUs. Its words are those of the dump.
schedlab explain - ml/train <"$live/pods.json"
schedlab explain - ml/train --json <"$live/pods.json" | grep -A6 would_start
schedlab explain "$live/pods.json" ml/gated
schedlab explain "$live/pods.json" ml/done
schedlab explain "$live/pods.json" ml/old-0
# KAI: its limit, the quota of which is not what is short.
schedlab explain - ml/second-0 <"$live/kai.yaml"
# The same in one file of several documents is as good as a List, and a job alone, that is not submitted yet, can be asked for.
cat "$DATA/manifests/cluster.yaml" >docs.yaml
printf -- '---\napiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: big, namespace: default, labels: {kueue.x-k8s.io/queue-name: team}}\nspec: {headGroupSpec: {template: {spec: {containers: [{name: h, resources: {requests: {cpu: 1, nvidia.com/gpu: 20}, limits: {nvidia.com/gpu: 20}}}]}}}}\n' >>docs.yaml
schedlab explain docs.yaml default/big
# What is wrong with the dump is said where it stands; and what is asked of a run is not asked of a dump.
sed 's/"cpu": "2"/"cpu": "two"/' "$live/pods.json" | schedlab explain - ml/train
sed 's/nominalQuota: "8", borrowingLimit/nominalQuota: "eight", borrowingLimit/' "$live/kueue.yaml" | schedlab explain - b/more
schedlab explain - --top 3 <"$live/pods.json"
schedlab explain - <"$live/pods.json"
schedlab explain - ml/train ml/old <"$live/pods.json"
echo "exit $?"
# A limit as large as can be is no limit; a resourceUsage, or a flavor, of another shape is told.
sed 's/borrowingLimit: "4"/borrowingLimit: "9223372036854775807"/' "$live/kueue.yaml" | schedlab explain - b/more | grep -c borrowingLimit
for wrong in 's/resourceUsage: {[^}]*}/resourceUsage: 0/' 's/flavors: {cpu: tas}/flavors: {cpu: [1]}/'; do
	sed "$wrong" "$live/tas.yaml" | schedlab explain - three >/dev/null || echo "exit $?"
done
