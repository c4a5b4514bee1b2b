# When a job that waits would start, by limits: worked by hand on the two teams, whose limits are all 200 s.
lab="$ROOT/docs/examples/kueue"
schedlab run "$lab/two-teams.csv" -c "$lab/two-teams.yaml" -p kueue -o kueue --quiet >/dev/null 2>&1
# At 20 team b has job 2 until 200, and team a job 4 until 210; a second later Kueue looks again.
schedlab explain kueue 1 --when --at 20
schedlab explain kueue 5 --when --at 30
schedlab explain kueue 7 --when --at 90 --json
schedlab explain kueue 8 --when
# 8 cpus: job 1 has 4 until 100 by its limit (it runs 20), job 2 needs 8; job 3, of 4 cpus, until 150, may not pass it.
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,20,100,4\n2,10,50,50,8\n3,15,50,150,4\n4,18,1,1,8\n' >jobs.csv
printf 'nodes:\n  - {name: n, count: 1, cpus: 8}\n' >c.yaml
schedlab run jobs.csv -c c.yaml -p easy -o easy --quiet >/dev/null
schedlab explain easy 2 --when --at 16
schedlab explain easy 3 --when --at 16
schedlab run jobs.csv -c c.yaml -p easy --set replay.until=16 -o stopped --quiet >/dev/null 2>&1
schedlab explain stopped 3 --when
# Without limits the traced run times stand for them, and that is told.
printf 'job_id,submit,run_time,cpus\n1,0,20,8\n2,0,50,8\n' >bare.csv
schedlab run bare.csv -c c.yaml -p easy -o bare --quiet >/dev/null
schedlab explain bare 2 --when --at 1
# What is none.
schedlab explain easy 2 --when || echo "exit $?"
schedlab explain easy 1 --when --at 16 || echo "exit $?"
schedlab explain easy 2 --at 16 || echo "exit $?"
schedlab explain easy 2 --when --at noon || echo "exit $?"
