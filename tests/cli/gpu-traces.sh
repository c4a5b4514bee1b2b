# Traces and node lists of GPU clusters, by their content: virtual clusters are partitions, jobs of others are dropped.
cd "$DATA/gpu" || exit 1
run() {
	schedlab run "$@" --only jobs -o "$OLDPWD/out" --force --quiet >"$OLDPWD/said" 2>&1
	echo "exit $?"
	grep -E 'dropped|not used' "$OLDPWD/said" | sed 's/.*: //'
	[ ! -f "$OLDPWD/out/jobs.csv" ] || cut -d, -f1-15 "$OLDPWD/out/jobs.csv"
	rm -rf "$OLDPWD/out"
}
run philly-list.csv -c philly-vcs.csv
run philly.json -c philly-machines.csv
run chronus.csv -c philly-vcs.csv
run muri.csv -c philly-vcs.csv --set cluster.gpus_per_node=4
run tiresias.csv -c spot-nodes.csv
run helios.csv -c helios-vcs.csv
run helios.csv -c helios-vcs.csv --set cluster.date=2020-04-02
run kalos.csv -c spot-nodes.csv
run dlrm.csv -c spot-nodes.csv
run openb-pods.csv -c openb-nodes.csv
run pai/pai_job_table.csv -c pai/pai_machine_spec.csv
run seren.csv -c spot-nodes.csv
schedlab inspect helios-vcs.csv --set cluster.date=2020-04-03
echo "exit $?"
schedlab run philly-list.csv -c philly-vcs.csv --set cluster.gpu_per_node=4 --quiet
echo "exit $?"
schedlab run philly-list.csv -c philly-vcs.csv --strict --quiet
echo "exit $?"
