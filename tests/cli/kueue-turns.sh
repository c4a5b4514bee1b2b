# Two take turns. Job 1 borrows 3 cpus in its cohort "inner"; job 2, of higher priority, needs all 6 of the tree. It preempts 1, which
# is admitted again first, as it borrows no further than in "inner"; and so on, at one instant, where no turn takes time. After eight
# turns the scheduler rests until something comes: job 3 at 40, which has to wait, but for which eight more turns are played; at 140 the
# end of 1. 2 runs until 190; a second later what waits is looked at again. With a grace each turn takes a second.
cat >world.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: f }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: { name: outer }
spec: { resourceGroups: [ { coveredResources: [cpu], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 3 } ] } ] } ] }
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: { name: inner }, spec: { parentName: outer } }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: near }
spec:
  cohortName: inner
  namespaceSelector: {}
  resourceGroups: [ { coveredResources: [cpu], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 0 } ] } ] } ]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: far }
spec:
  cohortName: inner
  namespaceSelector: {}
  preemption: { reclaimWithinCohort: LowerPriority, borrowWithinCohort: { policy: LowerPriority } }
  resourceGroups: [ { coveredResources: [cpu], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 3 } ] } ] } ]
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: { name: near, namespace: ns }, spec: { clusterQueue: near } }
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: { name: far, namespace: ns }, spec: { clusterQueue: far } }
END
cat >jobs.csv <<'END'
job_id,submit,run_time,time_limit,cpus,namespace,queue,priority
1,0,100,200,3,ns,near,0
2,10,50,200,6,ns,far,5
3,40,10,200,6,ns,near,0
END
for policy in kueue kueue:grace=1; do
	schedlab run jobs.csv -c world.yaml -p $policy --check --force -o out --quiet >/dev/null
	cut -d, -f1,5,7,8,15,27 out/jobs.csv
	cut -d, -f1-5 out/evictions.csv | sort -t, -n | uniq -c
done
# A node of one cpu, a quota of four: the two pods of job 1 never run at once. It times out every half hour and backs off, up to an
# hour; a hundred times since the end of job 2, which had its turn at the first time-out, and then the scheduler rests.
cat >world.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: f }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: q }
spec:
  namespaceSelector: {}
  resourceGroups: [ { coveredResources: [cpu], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 4 } ] } ] } ]
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: { name: q, namespace: ns }, spec: { clusterQueue: q } }
---
apiVersion: v1
kind: Node
metadata: { name: n }
status: { allocatable: { cpu: 1, memory: 1Gi, pods: 9 }, conditions: [ { type: Ready, status: 'True' } ] }
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
END
cat >jobs.csv <<'END'
job_id,submit,run_time,time_limit,cpus,namespace,queue
1,5,100,200,2,ns,q
2,6,20,200,1,ns,q
END
schedlab run jobs.csv -c world.yaml -p kueue --check --force -o out --quiet >/dev/null
cut -d, -f1,5,7,8,15,27 out/jobs.csv
