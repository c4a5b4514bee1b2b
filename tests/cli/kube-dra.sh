# Devices. kube: two halves on n2 and n1's GPU are taken; tune needs a whole one, n2's as the halves end at 100; infer
# needs a half, when tune is over. kueue: three devices of quota, so tune is admitted at 100 (and a second later is placed).
E="$ROOT/docs/examples/kueue/dra.yaml"
for policy in kube kueue; do
	schedlab run "$E" -c "$E" -p $policy --check -o out --force --quiet >/dev/null
	cut -d, -f1,7-9 out/jobs.csv
done
# A request that cannot be counted is not queued; one that is not understood is said where it stands.
sed 's/^  - {name: gpus, .*/  - {name: gpus, deviceClassNames: [other]}/' "$E" >other.yaml
schedlab run other.yaml -c other.yaml -p kueue --check -o out --force --quiet >/dev/null
grep -o 'kueue.misconfigured.*' out/metrics.json
sed "s/profile == 'half'/profile + 'half'/" "$E" >bad.yaml
schedlab run bad.yaml -c bad.yaml -p kube --quiet >/dev/null
echo $?
