# How long jobs run that do not say it: by name (of two lines the lower), by pattern, by stem (the median of 10, 20, 60), not at all.
item() {
	printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: ml%s}\nspec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}\n' "$@"
}
{ item own ', annotations: {schedlab/run-time: "7"}' && item twice && item train-a && item nightly-29460270 && item gen-7x2kf && item other; } >jobs.yaml
cat >times.csv <<'END'
name,run_time,user
ml/own,100,ann
ml/twice,40,ann
ml/twice,30,ann
ml/train-*,15m,ann
ml/train-a*,2h,ann
ml/nightly-29460001,60,ann
ml/nightly-29460002,10,ann
ml/nightly-29460003,20,ann
ml/nightly-29460004,,ann
ml/gen-aaaaa,5,ann
END
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times times.csv -o out --quiet >/dev/null
cut -d, -f1,10 out/jobs.csv
# The same as a setting, with a default for who is left; and the jobs.csv of a run.
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --set replay.run_times=times.csv --set replay.run_unknown=3 -o two --quiet >/dev/null
cut -d, -f1,10 two/jobs.csv | tail -n 1
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times out/jobs.csv -o three --quiet >/dev/null
cut -d, -f1,10 three/jobs.csv | cmp - out/jobs.csv >/dev/null || cut -d, -f1,10 three/jobs.csv
# It is an input of the run: a rerun misses it once it has changed.
echo 'ml/own,1,ann' >>times.csv
schedlab explain out ml/own --no-what-if >/dev/null 2>said || echo "exit $? $(grep -c 'not there as it was' said)"
# Mistakes.
printf 'name,run_time\nml/own,long\n' >bad.csv
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times bad.csv --quiet || echo "exit $?"
printf 'name,seconds\nml/own,1\n' >bad.csv
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times bad.csv --quiet || echo "exit $?"
printf '# of a colleague\nname,seconds\nml/own,1\n' >bad.csv
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times bad.csv --quiet || echo "exit $?"
printf 'name,run_time\nelse,1\nml/only,0\n' >none.csv
item only '' >unknown.yaml
schedlab run unknown.yaml -c "$DATA/manifests/cluster.yaml" -p kube --run-times none.csv --quiet || echo "exit $?"
