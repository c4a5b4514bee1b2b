# Kubernetes' schedulers know of no holds and begin times: it is said, and of how many jobs. Dependencies are followed, with their delays, as a
# workflow's controller would: job 2 comes at 100, job 4 60 s after the start of 1, job 5 never, as 1 went well.
printf 'job_id,submit,run_time,time_limit,cpus,gpus,dependency,namespace,queue,hold,begin\n1,0,100,200,4,1,,n,q,,\n2,0,100,200,4,0,afterok:1,n,q,1,\n3,0,100,200,4,0,,n,q,,50\n4,0,10,20,4,0,after:1+1,n,q,,\n5,0,10,20,4,0,afternotok:1,n,q,,\n' >jobs.csv
cat >kube.yaml <<'END'
apiVersion: v1
kind: Node
metadata: { name: n1 }
status: { allocatable: { cpu: 32, memory: 64Gi, pods: 99, nvidia.com/gpu: 4 } }
END
{
	cat kube.yaml
	cat <<'END'
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: f }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: c }
spec: { namespaceSelector: {}, resourceGroups: [ { coveredResources: [ cpu, nvidia.com/gpu ], flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 32 }, { name: nvidia.com/gpu, nominalQuota: 4 } ] } ] } ] }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: q, namespace: n }
spec: { clusterQueue: c }
END
} >kueue.yaml
for policy in kube kueue runai; do
	file=kube
	[ $policy != kueue ] || file=kueue
	schedlab run jobs.csv -c $file.yaml -p $policy -o out --force 2>&1 >/dev/null | grep known
	cut -d, -f1,6,7 out/jobs.csv
done
# Who was kept is as old as when it was let in: at 100 job 3, of 10, goes before 2, which comes 20 s after the start of 1.
printf 'job_id,submit,run_time,time_limit,cpus,gpus,dependency,namespace,queue\n1,0,100,200,32,0,,n,q\n2,0,100,200,32,0,after:1+20s,n,q\n3,10,100,200,32,0,,n,q\n' >jobs.csv
for policy in kube kueue runai; do
	file=kube
	[ $policy != kueue ] || file=kueue
	schedlab run jobs.csv -c $file.yaml -p $policy -o out --force 2>/dev/null | grep time_to_admission
	cut -d, -f1,6,7 out/jobs.csv
done
# Cancelled while it is kept, of which no policy hears, or once it was let in; who waits for that one waits for ever.
printf 'job_id,submit,run_time,time_limit,cpus,gpus,dependency,namespace,queue,cancel\n1,0,100,200,32,0,,n,q,\n2,0,100,200,32,0,after:1+20s,n,q,10\n3,10,100,200,32,0,afterok:1,n,q,150\n4,20,5,10,1,0,afterok:3,n,q,\n' >jobs.csv
for policy in kube kueue runai; do
	file=kube
	[ $policy != kueue ] || file=kueue
	schedlab run jobs.csv -c $file.yaml -p $policy --check -o out --force >/dev/null 2>&1
	cut -d, -f1,6-8,15 out/jobs.csv
done
