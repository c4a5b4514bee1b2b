# Another configuration in place of the baseline's: the same trace, the same tolerances, and whom it moves.
mkdir conf
for name in slurm nodes gres topology; do cp "$ROOT/docs/examples/slurm/$name.conf" conf; done
cp "$ROOT/docs/examples/slurm/week.txt" .
schedlab check --init week.txt -c conf -p slurm --jobs 200 -o b.json -q --no-decisions >/dev/null
# Comments, blanks, the order of lines and keys, how a list or a time is written, and what is ignored are nobody's business.
cp -r conf other
sed -i 's/^SlurmctldHost=.*/SlurmctldHost=elsewhere # moved/; s/MaxTime=2-00:00:00/MaxTime=2880/; s/=lab/ = lab/' other/slurm.conf
sed -i 's/Nodes=cn\[09-16\]/Nodes=cn[13-16,09-12]/' other/slurm.conf
tac other/gres.conf >x && sort -r other/nodes.conf >y && mv y other/nodes.conf && rm x
printf '\n# One more\n' >>other/topology.conf
sed 's|"conf"|"other"|' b.json >other.json
schedlab check other.json -q
echo "exit $?"
schedlab check b.json --against other
echo "exit $?"
# What is read is the configuration, wherever it stands: exit 4, and what to do.
for change in 's/Nodes=cn\[09-16\]/Nodes=cn[09-15]/ slurm.conf' 's/PriorityTier=10/PriorityTier=11/ slurm.conf' \
	's/RealMemory=126000/RealMemory=63000/ nodes.conf' 's/0-39/0-19/ gres.conf' 's/cn\[01-08\]/cn[01-07]/ topology.conf' \
	's/bf_window=4320/bf_window=2880/ slurm.conf' 's/DefMemPerCPU=3900/DefMemPerCPU=7800/ slurm.conf'; do
	rm -rf other && cp -r conf other
	sed -i "${change% *}" "other/${change##* }"
	cmp -s "conf/${change##* }" "other/${change##* }" && echo "nothing is changed by $change"
	schedlab check other.json -q >said
	echo "exit $?: $change"
done
cat said
# A change of limits: some no longer run, which is said whatever their waits become.
rm -rf other && cp -r conf other
sed -i 's/PartitionName=gpu /PartitionName=gpu MaxTime=12:00:00 /' other/slurm.conf
schedlab check b.json --against other --junit j.xml --markdown m.md
echo "exit $?"
cat m.md
sed -n '/<system-out>conf/,$p' j.xml | head -n 5
sed -i 's/"tol": "="/"tol": "+1% or +1"/; /utilization/s/+1% or +1/-50%/; /throughput/s/+1% or +1/-50%/' b.json
schedlab check b.json --against other -q
echo "exit $?"
schedlab check b.json --against other -q --accept jobs
echo "exit $?"
schedlab check b.json --against other --json | grep -e '"passed"' -e '"before"' -e '"after"' -e '"by": "partition"'
GITHUB_STEP_SUMMARY=s.md schedlab check b.json --against other -q --github-summary >/dev/null
cmp s.md m.md || grep -c 'partition' s.md
# Nothing is said that was not so: no configuration, no such file, options that have nothing to do there.
schedlab check --init "$DATA/four.swf" -p easy -o plain.json -q >/dev/null
schedlab check plain.json --against conf
echo "exit $?"
schedlab check b.json --against nowhere
echo "exit $?"
schedlab check b.json --against other --update
echo "exit $?"
schedlab check b.json --github-summary -q
echo "exit $?"
# An old baseline goes by bytes, and says so.
sed '/cluster_read/d; /loss_of/d' b.json >old.json
schedlab check old.json -q
echo "exit $?"
echo '# x' >>conf/slurm.conf
schedlab check old.json -q
echo "exit $?"
schedlab check b.json -q
echo "exit $?"
# Changed where it stands, there is no run of the old one: the baseline's own values are the base, and nothing passes for want of it.
schedlab check b.json --against conf -q
echo "exit $?"
sed -i 's/bf_window=4320/bf_window=60/; s/PartitionName=gpu /PartitionName=gpu MaxTime=12:00:00 /' conf/slurm.conf
schedlab check b.json --against conf/slurm.conf
echo "exit $?"
schedlab check b.json --against conf/slurm.conf --accept jobs -q
echo "exit $?"
# Files of other kinds: our own, and Kubernetes' objects.
changed() { # changed FILE SED: exit codes of a comment with keys in another order, and of that change
	rm -f other-kind.json
	cp "$1" now.yaml
	schedlab check --init "$2" -c now.yaml -p "$3" --jobs 20 -o other-kind.json -q --no-decisions >/dev/null
	{ echo '# A comment.'; cat "$1"; } | sed "$4" >now.yaml
	schedlab check other-kind.json -q >/dev/null
	echo "exit $?: a comment, keys in another order"
	sed "$5" "$1" >now.yaml
	cmp -s "$1" now.yaml && echo 'nothing is changed'
	schedlab check other-kind.json -q >/dev/null
	echo "exit $?: $5"
}
changed "$ROOT/traces/bundled/gpu-cluster.yaml" "$ROOT/traces/bundled/gpu-200.csv" easy \
	'/memory: /{h;d}; /gpus: /G; /count: 4/{n;s/$/\n    memory: 256GiB/}' 's/cpus: 40/cpus: 20/'
changed "$ROOT/docs/examples/kueue/two-teams.yaml" "$ROOT/docs/examples/kueue/two-teams.csv" kueue 's/$/ /' 's/nominalQuota: [0-9]*/nominalQuota: 7/'
