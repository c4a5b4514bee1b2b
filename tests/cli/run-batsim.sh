# A workload of Batsim goes in as it is: the machine is its nb_res, times are real, other profiles are dropped.
cat >load.json <<'END'
{"nb_res": 4,
 "jobs": [
  {"id": 1, "subtime": 0.25, "walltime": 20, "res": 3, "profile": "short"},
  {"id": 2, "subtime": 1.5, "walltime": 20, "res": 2, "profile": "short"},
  {"id": 3, "subtime": 2, "walltime": 20, "res": 1, "profile": "mpi"}],
 "profiles": {"short": {"type": "delay", "delay": 10.125}, "mpi": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0}}}
END
schedlab run load.json -p fcfs -o out >/dev/null
cut -d , -f 1,5,7,8,10,11,13 out/jobs.csv
grep '"format"' out/run.json
tr -d '\n' <load.json | schedlab run - -p fcfs --quiet --json | grep '"wait.mean"'
sed 's/"res": 2/"res": 2.5/' load.json >bad.json
schedlab run bad.json || echo "exit $?"
schedlab run load.json --strict --quiet || echo "exit $?"
head -c 300 load.json >cut.json
schedlab run cut.json || echo "exit $?"
schedlab convert load.json load.swf && cat load.swf
