# What Kueue says of jobs that wait, worked by hand on the two teams: 8 cpus each, b may borrow 4 (see kueue-run.sh).
lab="$ROOT/docs/examples/kueue"
schedlab run "$lab/two-teams.csv" -c "$lab/two-teams.yaml" -p kueue -o out --quiet >/dev/null 2>&1
# Job 3, at 0: b uses its 8 and the 4 that it may borrow, and 4 more would be 4 too many.
schedlab explain out 3 --no-what-if | sed -n '/what it waited/,/who started/p'
# Job 1 was taken back twice, for jobs 4 and 6 of team a; at 11 both teams are at their quotas, and 1 is before 3.
schedlab explain out 1 --no-what-if --all | sed -n '/from 11 s/,/^ *$/p' | head -n 6
schedlab explain out 1 --no-what-if | sed -n '/its course/,$p'
schedlab explain out 1 --no-what-if --json | grep InCohortReclamation
# Job 7 waits behind 5 in team a; 8 names a queue that is not there.
schedlab explain out 7 --no-what-if --json | grep -o '"place[^"]*"\|"queue_place": [0-9]*'
schedlab explain out 8 --no-what-if | sed -n '/at the end/,$p'
# With a grace of 5 s and 3 s until pods are ready: 1 is evicted for 4 at 10 and holds its quota until 15; 4 is ready at 18.
schedlab run "$lab/two-teams.csv" -c "$lab/two-teams.yaml" -p kueue:grace=5,start=3 -o slow --quiet >/dev/null 2>&1
schedlab explain slow 4 --no-what-if | sed -n '/its course/,/^$/p'
# By the last part of its name, if no other has it.
cat >jobs.csv <<'END'
job_id,submit,run_time,time_limit,cpus,namespace,queue
ml/train,0,100,200,4,lab,b
ml/test,0,100,200,4,lab,b
web/test,0,100,200,8,lab,b
END
schedlab run jobs.csv -c "$lab/two-teams.yaml" -p kueue -o named --quiet >/dev/null 2>&1
schedlab explain named train --no-what-if | head -n 1
schedlab explain named web/test --no-what-if | sed -n '1p;/Kueue:/,/place/p'
schedlab explain named test --no-what-if || echo "exit $?"
schedlab explain named rain --no-what-if || echo "exit $?"
# Admitted with fewer pods, as its min-parallelism allows; who says nothing of it waits for all four.
cat >partial.yaml <<'YAML'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: lab}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 3}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: lab}
YAML
for part in '' ', kueue.x-k8s.io/job-min-parallelism: "2"'; do
	cat partial.yaml - >jobs.yaml <<YAML
---
apiVersion: batch/v1
kind: Job
metadata:
  name: four
  labels: {kueue.x-k8s.io/queue-name: q}
  annotations: {schedlab/submit: "0", schedlab/run-time: "60"$part}
spec: {parallelism: 4, completions: 4, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
YAML
	schedlab run jobs.yaml -c jobs.yaml -p kueue -o partial --force --quiet >/dev/null 2>&1
	schedlab explain partial four --no-what-if | sed -n '/its course/,/^$/p'
done
