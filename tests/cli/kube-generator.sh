# A generator file of Kueue's performance test is a cluster and a trace: each set's n-th workload comes at n intervals.
cat >small.yaml <<'END'
topology:
  name: t
  levels:
  - { name: rack, count: 2, nodeLabel: rack }
  - { name: node, count: 2, nodeLabel: kubernetes.io/hostname, capacity: { cpu: 8, memory: 16Gi } }
resourceFlavor: { name: tas, nodeLabel: group, topologyName: t }
cohorts:
- className: cohort
  count: 1
  queuesSets:
  - className: cq
    count: 2
    nominalQuota: 4
    borrowingLimit: 8
    reclaimWithinCohort: Any
    withinClusterQueue: LowerPriority
    workloadsSets:
    - count: 2
      creationIntervalMs: 100
      workloads:
      - { className: a, runtimeMs: 200, priority: 50, request: 500m, podCount: 2, tasConstraint: balanced, tasLevel: rack, sliceSize: 1 }
      - { className: b, runtimeMs: 300, priority: 60, request: 1 }
    - count: 1
      creationIntervalMs: 250
      workloads: [ { className: c, runtimeMs: 1000, priority: 70, request: 2 } ]
END
schedlab inspect small.yaml -c small.yaml | sed -n '4,6p'
schedlab convert small.yaml - --to table | sed -n '/^job_id/,$p' | cut -d, -f1,3,7,9,12,13,23,37-
for name in baseline large-scale tas; do
	schedlab run "$ROOT/docs/examples/kueue/$name.yaml" -c "$ROOT/docs/examples/kueue/$name.yaml" 2>/dev/null | sed -n 1,3p
done
for line in 's/count: 1$/count: -1/' 's/podCount/devices: 4, podCount/' 's/nominalQuota: 4/nominalQuota: x/' \
	's/balanced/often/' 's/count: 2$/count: 100001/'; do
	sed "$line" small.yaml >bad.yaml
	schedlab run bad.yaml -c bad.yaml
	echo "exit $?"
done
