# SPDX-License-Identifier: GPL-3.0-or-later
# Interactive sessions come as a table, since they ask GPUs; they run as any trace does.
columns() { # FILE NAME...: these of a table, by name
	awk -F, -v want="$2" '!/^#/ {
		if (!n) for (i = 1; i <= NF; i++) at[$i] = i
		k = split(want, name, " ")
		for (i = 1; i <= k; i++) printf "%s%s", $at[name[i]], i < k ? "," : "\n"
		n = 1
	}' "$1"
}
schedlab generate sessions --users 3 --days 5 --limit 4h --seed 7 -o sessions.csv
sed -n 's/^# Note: made by/made by/p' sessions.csv
columns sessions.csv "job_id user submit run_time time_limit status tasks cpus_per_task mem_per_task gpus_per_task name"
printf 'nodes:\n  - { name: n, count: 1, cpus: 16, memory: 128G, gpus: 2 }\n' >lab.yaml
schedlab run sessions.csv -c lab.yaml --quiet -o out >/dev/null
cut -d, -f1,2,5,7,8,10,11,14 out/jobs.csv
schedlab generate sessions --gpus 1.5
echo "exit $?"
schedlab generate sessions --jobs 5
echo "exit $?"
