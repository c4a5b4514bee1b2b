# SPDX-License-Identifier: GPL-3.0-or-later
# Policy kube: a group of nodes grows for jobs 3 and 4 at 10 s, is there at 130 s, and goes after ten idle minutes:
# 1 000 s at 1.5 an hour. Job 3 finds room before.
cat >c.yaml <<'YAML'
nodes:
  - {name: own, count: 2, cpus: 4, memory: 16G}
  - {name: cloud, count: 4, cpus: 8, memory: 32G}
YAML
cat >groups.yaml <<'YAML'
apiVersion: schedlab/v1
kind: NodeGroup
metadata: {name: cloud}
spec: {nodes: "cloud[1-4]", max: 4, price: 1.5, provisioning: 120, scaleDownAfter: 600}
YAML
printf 'submit,run_time,cpus\n0,100,4\n0,1000,4\n10,500,4\n20,400,4\n2000,50,4\n' >t.csv
schedlab run t.csv -c c.yaml --quiet -p kube:autoscale=true,expander=price+random --set cluster.objects=groups.yaml --check -o out >/dev/null
cut -d, -f1,5-9 out/jobs.csv
grep -E 'autoscaler|kube' out/metrics.json
# Without it the group's nodes are there.
schedlab run t.csv -c c.yaml --quiet -p kube --set cluster.objects=groups.yaml --check -o all >/dev/null
cut -d, -f8,9 all/jobs.csv | tail -n 3
# Mistakes.
schedlab run t.csv -c c.yaml --quiet -p kube:autoscale=true,expander=cheapest
echo $?
sed 's/1-4/1-5/' groups.yaml >more.yaml
schedlab run t.csv -c c.yaml --quiet -p kube:autoscale=true --set cluster.objects=more.yaml
echo $?
