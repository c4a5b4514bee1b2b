# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes that may come are made of templates by the reader. Karpenter: at 0 own-1 takes job 1; the others are one batch,
# closed at 8 (a second behind the last), of 7 cpus: one m8, there at 68. Jobs 2, 3 and 5 end at 668; 728 is a minute
# later; looked at at 730, validated at 745: m2 holds job 4, which begins anew there at 805, and ends at 3805. The node
# is empty for a minute at 3865, looked at at 3870, goes at 3885. 737 s at 0.39 and 3080 s at 0.10: 0.1654 EUR.
cat >cluster.yaml <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: own-1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: team, operator: In, values: [red]}
  limits: {cpu: "64"}
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
---
apiVersion: schedlab/v1
kind: InstanceTypes
metadata: {name: example}
spec:
  currency: EUR
  provisioning: 60s
  types:
  - name: m2
    allocatable: {cpu: "2", memory: 8Gi, pods: "58"}
    offerings: [{zone: a, capacityType: on-demand, price: 0.10}, {zone: a, capacityType: spot, price: 0.03}]
  - name: m8
    allocatable: {cpu: "8", memory: 32Gi, pods: "58"}
    offerings: [{zone: a, capacityType: on-demand, price: 0.39}]
YAML
printf 'submit,run_time,cpus\n0,4000,4\n5,600,2\n5,600,2\n6,3000,2\n7,300,1\n' >t.csv
schedlab run t.csv -c cluster.yaml -p kube:autoscale=on --check -o out
cat out/elastic.csv
cut -d, -f1,5-9 out/jobs.csv
grep autoscaler out/metrics.json
# It is on the page, too.
schedlab report out -o page.html --quiet
grep -c '"autoscaler.cost.EUR"' page.html
# A group with a template.
cat >group.yaml <<'YAML'
apiVersion: schedlab/v1
kind: NodeGroup
metadata: {name: g}
spec:
  template: {metadata: {labels: {a: b}}, status: {allocatable: {cpu: "4", memory: 16Gi}}}
  max: 3
  price: 1
  provisioning: 60
YAML
schedlab run t.csv -c group.yaml -p kube:autoscale=on --check --quiet -o g >/dev/null
cat g/elastic.csv
# Mistakes, and what is not there.
bad() { sed "$1" "$2" >bad.yaml; schedlab run t.csv -c bad.yaml -p kube:autoscale=on --quiet >/dev/null; echo $?; }
bad 's/operator: In/operator: Is/' cluster.yaml
bad 's/price: 0.39/price: dear/' cluster.yaml
bad 's/kind: InstanceTypes/kind: Namespace/' cluster.yaml
bad 's/consolidateAfter: 1m/consolidateAfter: soon/' cluster.yaml
bad 's/consolidateAfter: 1m/budgets: [{nodes: "5", schedule: "9 to 5", duration: 8h}]/' cluster.yaml
bad 's/WhenEmptyOr/WhenEmptyAnd/' cluster.yaml
bad 's/max: 3/max: 300000/' group.yaml
bad 's/max: 3/nodes: g-1/' group.yaml
bad 's/max: 3/max: 3, size: 4/' group.yaml
bad 's/max: 3/max: -1/' group.yaml
bad 's/cpu: "4"/cpu: four/' group.yaml
bad 's/cpu: "4"/cpu: "0"/' group.yaml
bad 's/allocatable: {cpu: "8", /allocatable: {/' cluster.yaml
{ cat group.yaml && printf -- '---\n' && sed 's/name: g}/name: h}/' group.yaml; } >two.yaml
bad 's/memory: 8Gi/memory: "9223372036854775807"/' cluster.yaml # Without a limit nothing is subtracted from it.
bad '/name: h}/,$s/max: 3/max: 9223372036854775807/' two.yaml
printf 'nodes: [{name: n, cpus: 4}]\n' >own.yaml
schedlab run t.csv -c own.yaml --set cluster.objects=group.yaml -p kube:autoscale=on --quiet >/dev/null
echo $?
{ cat group.yaml && printf -- '---\napiVersion: schedlab/v1\nkind: AutoscalerFlags\nmetadata: {name: cluster-autoscaler}\nspec: {flags: ["--scan-interval=soon"]}\n'; } >flags.yaml
bad s/a/a/ flags.yaml
bad 's/--scan-interval=soon/--v=4", "--cloud-provider=aws/' flags.yaml
bad 's/--scan-interval=soon/--nodes=1:2:h/' flags.yaml
