# Each reason of the composed policy, and those of the engine, which keeps jobs from the queue under any policy.
cp "$DATA/four.swf" .
run() {
	schedlab run "$2" -p "$3" --set cluster.cpus=4 -o out --force --quiet --check >/dev/null 2>err || cat err
	# shellcheck disable=SC2046 # In one line.
	echo "$1:" $(sed 1d out/reasons.csv | sed 's/,$//' | cut -d , -f 1,4- | sort -u)
}
run 'the first, and who stands behind it' four.swf easy
awk '/^;/ { print; next } { $3 = 20 * NR; print }' four.swf >waited.swf
run 'when the log says' waited.swf recorded
run 'whose quota is used' four.swf 'quota:by=user,quotas="1=1,2=3"'
cat >gangs.csv <<'END'
job_id,submit,run_time,time_limit,cpus,gang
1,0,100,100,1,g
2,50,100,100,1,g
END
run 'whose gang is not whole' gangs.csv gang
cat >gated.csv <<'END'
job_id,submit,run_time,time_limit,cpus,begin,dependency,array,array_task,array_limit,hold,cancel
1,2024-03-01T10:00:00,100,100,1,,,,,,,
2,2024-03-01T10:00:01,10,10,1,2024-03-01T10:01:00,,,,,,
3,2024-03-01T10:00:02,10,10,1,,afterok:1,,,,,
4,2024-03-01T10:00:03,10,10,1,,afternotok:1,,,,,
5_1,2024-03-01T10:00:04,50,50,1,,,5,1,1,,
5_2,2024-03-01T10:00:04,50,50,1,,,5,2,1,,
6,2024-03-01T10:00:05,10,10,1,,,,,,yes,2024-03-01T10:00:40
7,2024-03-01T10:05:00,10,10,1,,,,,,,
END
run 'kept from the queue' gated.csv easy
cat >windows.yaml <<'END'
nodes: [{ name: n, count: 2, cpus: 4, memory: 8GiB }]
reservations:
  - { name: update, nodes: "n[1-2]", start: 100, end: 200, kind: maint }
  - { name: power, nodes: n1, start: 1000, end: 1100, kind: outage }
  - { name: course, nodes: n2, start: 2000, end: 2100 }
END
# Job 2 is first until 100 for want of cpus. Job 3 has n2, and n1 is free, but not for as long as job 4 takes; it would
# be for a job of 40 s, which stands behind it. Job 6 needs both.
cat >windows.csv <<'END'
job_id,submit,run_time,time_limit,cpus
1,0,100,100,4
2,10,50,100,8
3,950,250,250,4
4,960,90,90,4
5,960,40,40,4
6,1950,90,90,8
END
schedlab run windows.csv -p fcfs -c windows.yaml -o out --force --quiet --check >/dev/null
echo 'kept by windows alone:' && sed '1d; s/"//g; s/,$//' out/reasons.csv
# Who never starts: 100 of 32 GPUs, also as the last event of the run; and who could, under a policy that starts nobody.
printf 'nodes: [{ name: n, count: 4, cpus: 64, gpus: { a100: 8 } }]\n' >never.yaml
printf 'job_id,submit,run_time,time_limit,tasks,gpus_per_task\n1,0,10,10,1,1\n2,5,10,10,100,1\n3,900,10,10,100,1\n' >never.csv
schedlab run never.csv -p fcfs -c never.yaml --set replay.impossible=keep -o out --force --quiet --check >/dev/null 2>&1
echo 'what the cluster does not have:' && sed '1d; s/,$//' out/reasons.csv
printf 'function pass(s) end\n' >idle.lua
run 'nobody is started' four.swf ./idle.lua
# Nor does a quota keep it.
schedlab run never.csv -p quota -c never.yaml --set replay.impossible=keep -o out --force --quiet --check >/dev/null 2>&1
echo 'nor by any quota:' && sed '1d; s/,$//' out/reasons.csv
