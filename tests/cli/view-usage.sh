# What nodes are shown to give out at a moment is what usage.csv has of it: cpus, GPUs and nodes, under every kind of hold
# (shared, exclusive, suspended by slices).
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
for policy in easy conservative slices; do
	schedlab run gpu-200.csv -c gpu-cluster.yaml -p $policy --jobs 80 -o $policy --quiet >summary || continue
	for at in 2h 5h 9h 14h; do
		seconds=$((${at%h} * 3600))
		used=$(awk -F, -v at=$seconds 'NR > 1 && $1 <= at { found = $2 " " $7 " " $9 } END { print found }' $policy/usage.csv)
		shown=$(schedlab view scontrol $policy --at $at -o show node 2>said |
			awk '{ for (i = 1; i <= NF; i++) {
				if (split($i, part, "=") > 1 && part[1] == "CPUAlloc") cpus += part[2]
				if (part[1] == "AllocTRES" && part[2] != "") nodes++
				if ($i ~ /^AllocTRES=.*gpu=/) { sub(/.*gpu=/, "", $i); gpus += $i }
				part[1] = ""
			} } END { print cpus + 0, gpus + 0, nodes + 0 }')
		[ "$used" = "$shown" ] && echo "$policy $at: $shown" || echo "$policy $at: used $used, shown $shown"
	done
done
