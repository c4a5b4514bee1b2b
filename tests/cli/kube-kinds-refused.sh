# Kinds that make pods and are not read are refused by name and reason, and so is what cannot be made into pods.
refuse() { # apiVersion, kind, spec
	printf 'apiVersion: %s\nkind: %s\nmetadata: {name: x, namespace: default, annotations: {schedlab/run-time: "60"}}\nspec: {%s}\n' "$@" >x.yaml
	schedlab run x.yaml -c "$DATA/manifests/cluster.yaml" -p kube --quiet >/dev/null 2>said
	echo "$? $(cat said)"
}
refuse argoproj.io/v1alpha1 Workflow
refuse argoproj.io/v1alpha1 CronWorkflow
refuse sparkoperator.k8s.io/v1beta2 ScheduledSparkApplication
refuse ray.io/v1 RayCronJob
refuse tekton.dev/v1 PipelineRun
refuse serving.kserve.io/v1beta1 InferenceService
refuse keda.sh/v1alpha1 ScaledJob
pod='template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}'
refuse kubeflow.org/v1alpha1 MPIJob
refuse kubeflow.org/v1 PyTorchJob
refuse kubeflow.org/v1 PyTorchJob "pytorchReplicaSpecs: {Boss: {$pod}}"
refuse kubeflow.org/v1 PyTorchJob "pytorchReplicaSpecs: {Worker: {replicas: many, $pod}}"
refuse kubeflow.org/v1 PyTorchJob "pytorchReplicaSpecs: {Worker: {replicas: 2}}"
refuse ray.io/v1 RayJob "clusterSelector: {ray.io/cluster: there}"
refuse ray.io/v1 RayJob "rayClusterSpec: {}"
refuse trainer.kubeflow.org/v1alpha1 TrainJob "runtimeRef: {name: torch}"
refuse workload.codeflare.dev/v1beta2 AppWrapper "components: [{template: {apiVersion: example.com/v1, kind: Thing, metadata: {name: t}}}]"
refuse workload.codeflare.dev/v1beta2 AppWrapper "components: [{podSets: [{path: template.spec.nowhere}], template: {}}]"
refuse workload.codeflare.dev/v1beta2 AppWrapper "components: [{template: {apiVersion: v1, kind: Service, metadata: {name: t}}}]"
refuse sparkoperator.k8s.io/v1beta2 SparkApplication "driver: {memory: lots}, executor: {}"
refuse sparkoperator.k8s.io/v1beta2 SparkApplication "driver: {coreRequest: many}, executor: {}"
refuse batch/v1 CronJob "schedule: '61 * * * *', jobTemplate: {spec: {$pod}}"
refuse batch/v1 CronJob "schedule: '0 0 * * *', timeZone: Europe/Berlin, jobTemplate: {spec: {$pod}}"
refuse batch.volcano.sh/v1alpha1 Job
# Of the kinds that are written anew a wrong quantity is where the object stands; a schedule has days 0 to 6, and an end.
refuse apps/v1 Deployment "template: {spec: {containers: [{name: c, resources: {requests: {cpu: lots}}}]}}"
refuse batch/v1 CronJob "schedule: '0 0 * * 7', jobTemplate: {spec: {$pod}}"
refuse batch/v1 CronJob "schedule: '0 0 30 2 *', jobTemplate: {spec: {$pod}}"
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, annotations: {schedlab/submit: %s, schedlab/run-time: 1m}}\nspec: {%s}\n---\n' \
	first 0s "$pod" last 2000h "$pod" >jobs.yaml
cat >>jobs.yaml <<END
apiVersion: batch/v1
kind: CronJob
metadata: {name: often, annotations: {schedlab/run-time: 1m}}
spec: {schedule: "* * * * *", jobTemplate: {spec: {$pod}}}
END
schedlab run jobs.yaml -c "$DATA/manifests/cluster.yaml" -p kube --quiet 2>&1
echo "exit $?"
