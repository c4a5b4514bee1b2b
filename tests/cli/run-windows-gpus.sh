# What of their GPU time was active is known by job: a window has its own jobs' shares, 0.15 and 0.6 of 20 s.
printf 'submit,run_time,tasks,gpus_per_task,gpu_active\n0,10,1,1,0.1\n0,10,1,1,0.2\n0,10,1,1,0.4\n0,10,1,1,0.8\n' >active.csv
printf 'nodes:\n  - { name: n, count: 1, cpus: 8, gpus: 4 }\n' >node.yaml
schedlab run active.csv -c node.yaml --set windows=2@0,2 -o out --quiet >/dev/null
grep -H gpu_hours.active out/window-1/metrics.json out/window-2/metrics.json
