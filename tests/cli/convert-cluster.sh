# A cluster is written as our file: from YAML and JSON, the same bytes a second time; what it is, its content says.
cat >lab.yaml <<'END'
name: lab
nodes:
  - { hosts: 'dgx[0180-0189]', type: dgx-a100, weight: 10 }
  - { name: cpu, count: 4, type: cpu-2s, features: [big] }
partitions:
  - { name: gpu, nodes: 'dgx[0180-0189]', max_time: 3-00:00:00, default: yes }
  - { name: all, nodes: ALL, max_time: unlimited }
END
schedlab convert lab.yaml -o one.yaml && cat one.yaml
schedlab convert one.yaml two.yaml && cmp one.yaml two.yaml
schedlab convert lab.yaml - --to json >one.json
schedlab convert one.json - | cmp - one.yaml
gzip -c one.json >one.json.gz
schedlab convert one.json.gz - | cmp - one.yaml
schedlab convert - - --to yaml <lab.yaml | cmp - one.yaml
tail -n 8 one.json
# A trace that is JSON stays a trace.
printf '{"nb_res": 4, "jobs": [{"id": 1, "subtime": 0, "res": 2, "profile": "p"}], "profiles": {"p": {"type": "delay", "delay": 5}}}\n' >batsim.json
schedlab convert batsim.json -
printf 'nodes: [{name: n, cpu: 4}]\n' >bad.yaml
schedlab convert bad.yaml out.yaml || echo "exit $?"
schedlab convert lab.yaml out.yaml --to swf || echo "exit $?"
schedlab convert lab.yaml out.yaml --clean || echo "exit $?"
schedlab convert lab.yaml || echo "exit $?"
schedlab convert lab.yaml out.yaml -o out.yaml || echo "exit $?"
ls
