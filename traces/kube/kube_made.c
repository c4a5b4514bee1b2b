/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made.c - objects of kinds whose controllers make pods, as Workloads.
 *
 * A table of kinds, each with the versions that are read and the function that writes its podsets, as the
 * kind's controller makes pods and as Kueue's integrations count them
 * (https://kueue.sigs.k8s.io/docs/tasks/run/). Name, labels and annotations stay the object's.
 */
#include "traces/kube/kube_made.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KUEUE "kueue.x-k8s.io/"

/* kind: as kube_file.c calls it, so with its group where a kind of that name is of another one. */
static const struct made_kind {
	const char *kind, *group;
	const char *version[4]; /* NULL: none further. */
	enum kube_made_as as;
	int (*podsets)(struct kube_making *m);
} kinds[] = {
	{ "RayJob", "ray.io", { "v1", "v1alpha1" }, MADE_ONE, made_ray_job },
	{ "RayCluster", "ray.io", { "v1", "v1alpha1" }, MADE_ONE, made_ray_cluster },
	{ "RayService", "ray.io", { "v1", "v1alpha1" }, MADE_ONE, made_ray_service },
	{ "PyTorchJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "TFJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "XGBoostJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "PaddleJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "JAXJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "MXJob", "kubeflow.org", { "v1" }, MADE_ONE, made_replica_specs },
	{ "MPIJob", "kubeflow.org", { "v1", "v2beta1" }, MADE_ONE, made_replica_specs },
	{ "TrainJob", "trainer.kubeflow.org", { "v1alpha1" }, MADE_ONE, made_train_job },
	{ "AppWrapper", "workload.codeflare.dev", { "v1beta2" }, MADE_ONE, made_app_wrapper },
	{ "SparkApplication", "sparkoperator.k8s.io", { "v1beta2" }, MADE_ONE, made_spark },
	{ "Job.batch.volcano.sh", "batch.volcano.sh", { "v1alpha1" }, MADE_ONE, made_volcano },
	{ "Deployment", "apps", { "v1" }, MADE_EACH, made_one_replica },
	{ "ReplicaSet", "apps", { "v1" }, MADE_EACH, made_one_replica },
	{ "StatefulSet", "apps", { "v1" }, MADE_ONE, made_replicas },
	{ "CronJob", "batch", { "v1" }, MADE_CRON, made_cron_job },
	{ "Workflow", "argoproj.io", { "v1alpha1" }, MADE_STEPS, NULL },
};

/* Kinds that make pods, of which none are made here. */
static const struct {
	const char *kind, *group, *why;
} refused[] = {
	{ "CronWorkflow", "argoproj.io", "give the Workflow of each time" },
	{ "ScheduledSparkApplication", "sparkoperator.k8s.io", "give the SparkApplication of each time" },
	{ "SparkConnect", "sparkoperator.k8s.io",
		"its executors come and go with its clients: give the pods" },
	{ "RayCronJob", "ray.io", "give the RayJob of each time" },
	{ "PipelineRun", "tekton.dev", "its tasks wait for each other: give the pods" },
	{ "TaskRun", "tekton.dev", "its pod is made of a Task: give the pod" },
	{ "InferenceService", "serving.kserve.io", "its pods come and go with requests: give a Deployment" },
	{ "DisaggregatedSet", "disaggregatedset.x-k8s.io", "give its LeaderWorkerSets" },
	{ "ScaledJob", "keda.sh", "its jobs come with events that are not in the file: give the Jobs" },
};

/* ---- Kinds ---------------------------------------------------------------------------------------- */

static bool is_of_group(const char *version, const char *group)
{
	const size_t len = strlen(group);
	return strncmp(version, group, len) == 0 && version[len] == '/';
}

static const struct made_kind *find_kind(const struct sl_object *object)
{
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, object->kind) == 0 && is_of_group(object->version, kinds[i].group))
			return &kinds[i];
	return NULL;
}

enum kube_made_as kube_made_of(const struct sl_object *object)
{
	const struct made_kind *kind = find_kind(object);
	return kind ? kind->as : MADE_NOT;
}

bool kube_made_has(const char *kind)
{
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return true;
	for (size_t i = 0; i < SL_LEN(refused); i++)
		if (strcmp(refused[i].kind, kind) == 0)
			return true;
	return false;
}

const char *kube_made_refused(const struct sl_object *object)
{
	for (size_t i = 0; i < SL_LEN(refused); i++)
		if (strcmp(refused[i].kind, object->kind) == 0 &&
			is_of_group(object->version, refused[i].group))
			return refused[i].why;
	return NULL;
}

bool kube_has_no_pods(const char *kind)
{
	static const char *const none[] = { "Service", "ConfigMap", "Secret", "ServiceAccount", "Ingress",
		"PersistentVolumeClaim", "PersistentVolume", "StorageClass", "Role", "RoleBinding",
		"ClusterRole", "ClusterRoleBinding", "NetworkPolicy", "Endpoints", "EndpointSlice", "Event",
		"LimitRange", "ResourceQuota", "HorizontalPodAutoscaler", "CustomResourceDefinition", "Lease",
		"Route", "APIService", "ControllerRevision", "PodTemplate", "ValidatingAdmissionPolicy",
		"ValidatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingWebhookConfiguration", "ServiceMonitor", "PodMonitor", "PodGroup",
		"WorkflowTemplate", "ClusterWorkflowTemplate" };
	for (size_t i = 0; i < SL_LEN(none); i++)
		if (strcmp(none[i], kind) == 0)
			return true;
	return false;
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

int made_fail(struct kube_making *m, const struct sl_doc_node *node, const char *format, ...)
{
	char text[400];
	const struct sl_place at = sl_doc_place(m->object->doc, node ? node : m->object->node);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_fail_at(m->err, &at, "%s '%.60s': %s", m->object->kind, m->object->name, text);
}

int made_number(struct kube_making *m, const struct sl_doc_node *map, const char *key, int64_t otherwise,
	int64_t *number)
{
	const struct sl_doc_node *node = sl_doc_member(m->object->doc, map, key);
	const char *text = manifest_text(m->object->doc, node);
	*number = otherwise;
	if (!node || (!text && node->kind == SL_DOC_TEXT) ||
		(text && sl_get_i64(text, strlen(text), number) && *number >= 0 && *number <= MADE_PODS_MAX))
		return SL_OK;
	return made_fail(m, node, "'%s' must be a whole number from 0 to %d, not '%.40s'", key, MADE_PODS_MAX,
		text ? text : "a map or list");
}

void made_put(struct manifest_text *text, const char *more) { kube_put(text, more, strlen(more)); }

void made_put_member(
	struct manifest_text *text, const struct sl_doc *doc, const char *key, const struct sl_doc_node *node)
{
	if (!node)
		return;
	kube_put_string(text, key);
	made_put(text, ":");
	kube_put_object(text, doc, node);
	made_put(text, ",");
}

static bool is_among(const char *key, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (strcmp(list[i], key) == 0)
			return true;
	return false;
}

void made_put_open(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *map,
	const char *const *but)
{
	made_put(text, "{");
	if (!map || map->kind != SL_DOC_MAP)
		return;
	SL_DOC_EACH (member, doc, map)
		if (!is_among(doc->text + member->key, but))
			made_put_member(text, doc, doc->text + member->key, member);
}

int made_podset_text(
	struct kube_making *m, const char *name, int64_t count, const struct manifest_text *template)
{
	char line[2 * KUBE_NAME_MAX + 64];
	int len = 0;
	if (m->count == MADE_PODSETS_MAX)
		return made_fail(m, NULL, "more than %d kinds of pods", MADE_PODSETS_MAX);
	if (count > MADE_PODS_MAX || m->pods + count > MADE_PODS_MAX)
		return made_fail(m, NULL, "more than %d pods", MADE_PODS_MAX);
	if (m->called)
		len = snprintf(line, sizeof(line), "%.*s-%u", KUBE_NAME_MAX, m->called, m->count);
	for (size_t i = 0; !m->called && name[i] && i < KUBE_NAME_MAX; i++)
		line[len++] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i]) : '-';
	line[len] = '\0';
	made_put(&m->podsets, m->count ? ",{\"name\":" : "{\"name\":");
	kube_put_string(&m->podsets, line);
	(void)snprintf(line, sizeof(line), ",\"count\":\"%lld\",\"template\":", (long long)count);
	made_put(&m->podsets, line);
	kube_put(&m->podsets, template->text, template->len);
	made_put(&m->podsets, "}");
	m->podsets.failed |= template->failed;
	m->count++;
	m->pods += count;
	return m->podsets.failed ? sl_fail_memory(m->err) : SL_OK;
}

int made_podset(struct kube_making *m, const char *name, int64_t count, const struct sl_doc_node *template)
{
	struct manifest_text text = { 0 };
	if (!template || template->kind != SL_DOC_MAP)
		return made_fail(m, template, "'%.60s' has no pod template: give one", name);
	kube_put_object(&text, m->object->doc, template);
	const int status = text.failed ? sl_fail_memory(m->err) : made_podset_text(m, name, count, &text);
	free(text.text);
	return status;
}

/* ---- The Workload ------------------------------------------------------------------------------------ */

static int check_version(struct kube_making *m, const struct made_kind *kind)
{
	char known[100];
	size_t len = 0;
	const char *version = strchr(m->object->version, '/');
	for (size_t i = 0; i < SL_LEN(kind->version) && kind->version[i]; i++) {
		if (version && strcmp(kind->version[i], version + 1) == 0)
			return SL_OK;
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s/%s", i ? ", " : "",
			kind->group, kind->version[i]);
	}
	return made_fail(m, sl_doc_member(m->object->doc, m->object->node, "apiVersion"),
		"'%.80s' is not read: give %s", m->object->version, known);
}

int kube_made_podsets(struct kube_making *m, const struct sl_object *object)
{
	const struct sl_object *outer = m->object;
	const struct made_kind *kind = find_kind(object);
	if (!kind)
		return SL_INPUT;
	m->object = object;
	int status = check_version(m, kind);
	if (!status)
		status = kind->as == MADE_EACH ? made_replicas(m) : kind->podsets(m);
	m->object = outer;
	return status;
}

int kube_made_check(const struct sl_object *object, struct sl_err *err)
{
	struct kube_making m = { .object = object, .err = err };
	return check_version(&m, find_kind(object));
}

static const char *queue_of(const struct sl_object *object)
{
	return manifest_text(
		object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels", KUEUE "queue-name"));
}

/* Metadata of the pods' template stand for those of a Deployment that has no queue of its own. */
static const struct sl_doc_node *metadata_of(const struct sl_object *object, const char *key)
{
	const struct sl_doc_node *own = KUBE_AT(object->doc, object->node, "metadata", key);
	const struct sl_doc_node *pods =
		KUBE_AT(object->doc, object->node, "spec", "template", "metadata", key);
	const bool each = kube_made_of(object) == MADE_EACH;
	return each && strcmp(key, "labels") == 0 && !queue_of(object) && pods ? pods : own;
}

static void put_workload(struct manifest_text *text, const struct kube_making *m)
{
	static const char *const keys[] = { "name", "generateName", "namespace", "uid", "creationTimestamp" };
	const struct sl_object *object = m->object;
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *class =
		KUBE_AT(doc, object->node, "metadata", "labels", KUEUE "priority-class");
	char line[100];
	made_put(text, "{\"kind\":\"Workload\",\"apiVersion\":\"" KUEUE "v1beta2\",\"metadata\":{");
	for (size_t i = 0; i < SL_LEN(keys); i++)
		made_put_member(text, doc, keys[i], KUBE_AT(doc, object->node, "metadata", keys[i]));
	made_put_member(text, doc, "labels", metadata_of(object, "labels"));
	made_put_member(text, doc, "annotations", metadata_of(object, "annotations"));
	made_put(text, "\"schedlab/kind\":\"");
	made_put(text, object->kind);
	made_put(text, "\"},\"spec\":{");
	if (class) {
		made_put(text, "\"priorityClassRef\":{\"name\":");
		kube_put_object(text, doc, class);
		made_put(text, "},");
	}
	made_put(text, "\"podSets\":[");
	kube_put(text, m->podsets.text ? m->podsets.text : "", m->podsets.len);
	made_put(text, "]}");
	if (m->least) {
		(void)snprintf(line, sizeof(line),
			",\"schedlab/podGroup\":{\"spec\":{\"minMember\":\"%lld\"}}", (long long)m->least);
		made_put(text, line);
	}
	made_put(text, "}");
}

int kube_made_make(const struct sl_object *object, const struct kube_file *file, struct kube_file *made,
	struct sl_err *err)
{
	struct kube_making m = { .object = object, .file = file, .err = err };
	struct manifest_text text = { 0 };
	const struct made_kind *kind = find_kind(object);
	SL_CHECK(kind);
	int status = check_version(&m, kind);
	if (!status)
		status = kind->podsets(&m);
	if (!status)
		put_workload(&text, &m);
	if (!status)
		status = text.failed ? sl_fail_memory(err)
				     : kube_written_read(text.text, text.len, object, made, err);
	free(text.text);
	free(m.podsets.text);
	return status;
}
