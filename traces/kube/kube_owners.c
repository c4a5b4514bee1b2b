/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_owners.c - which objects of a file are another's: the Workload of a Job, the Pods of a JobSet.
 *
 * metadata.ownerReferences name the nearest owner, which may not be in the file where a farther one is: the
 * ReplicaSet between a Deployment and its Pods, the RayCluster between a RayJob and its Pods. Controllers
 * write the farther one into labels, or have its name in that of the nearer one.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_jobs.h"

static int compare_key(const struct sl_object *x, const char *kind, const char *namespace, const char *name)
{
	int order = strcmp(x->kind, kind);
	order = order ? order : strcmp(x->namespace, namespace);
	return order ? order : strcmp(x->name, name);
}

static int compare_objects(const void *a, const void *b)
{
	const struct sl_object *x = *(const struct sl_object *const *)a;
	const struct sl_object *y = *(const struct sl_object *const *)b;
	const int order = compare_key(x, y->kind, y->namespace, y->name);
	return order ? order : (x > y) - (x < y);
}

int kube_owners_make(struct kube_owners *owners, const struct kube_file *file, struct sl_err *err)
{
	*owners = (struct kube_owners){ .file = file, .by_name = calloc(file->count + 1, sizeof(void *)) };
	if (!owners->by_name)
		return sl_fail_memory(err);
	for (size_t i = 0; i < file->count; i++)
		owners->by_name[owners->count++] = &file->object[i];
	qsort(owners->by_name, owners->count, sizeof(*owners->by_name), compare_objects);
	return SL_OK;
}

void kube_owners_release(struct kube_owners *owners)
{
	free(owners->by_name);
	*owners = (struct kube_owners){ 0 };
}

const struct sl_object *kube_owners_find(
	const struct kube_owners *owners, const char *kind, const char *namespace, const char *name)
{
	size_t low = 0;
	size_t high = owners->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = compare_key(owners->by_name[middle], kind, namespace, name);
		if (order == 0)
			return owners->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* "web-5d4f8" of the Deployment "web", "nightly-29123456" of the CronJob "nightly". */
static const struct sl_object *find_stem(
	const struct kube_owners *owners, const char *kind, const char *namespace, const char *name)
{
	char stem[KUBE_NAME_MAX + 1];
	const char *dash = strrchr(name, '-');
	const size_t len = dash ? (size_t)(dash - name) : 0;
	if (!len || len > KUBE_NAME_MAX)
		return NULL;
	memcpy(stem, name, len);
	stem[len] = '\0';
	return kube_owners_find(owners, kind, namespace, stem);
}

/* The owner that a label of a pod names. */
static const struct sl_object *find_labelled(const struct kube_owners *owners, const struct sl_object *object)
{
	static const struct {
		const char *label, *kind;
	} far[] = {
		{ "jobset.sigs.k8s.io/jobset-name", "JobSet" },
		{ "leaderworkerset.sigs.k8s.io/name", "LeaderWorkerSet" },
		{ "training.kubeflow.org/job-name", "PyTorchJob" },
		{ "sparkoperator.k8s.io/app-name", "SparkApplication" },
		{ "ray.io/originated-from-cr-name", "RayJob" },
		{ "ray.io/originated-from-cr-name", "RayService" },
		{ "ray.io/originated-from-cr-name", "RayCluster" },
		{ "workload.codeflare.dev/appwrapper", "AppWrapper" },
	};
	for (size_t i = 0; i < SL_LEN(far); i++) {
		const char *name = manifest_text(
			object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels", far[i].label));
		const struct sl_object *found =
			name && strcmp(object->kind, far[i].kind) != 0
				? kube_owners_find(owners, far[i].kind, object->namespace, name)
				: NULL;
		if (found)
			return found;
	}
	return NULL;
}

static const struct sl_object *find_owner(
	const struct kube_owners *owners, const struct sl_object *object, const char *kind, const char *name)
{
	const struct sl_object *found = kube_owners_find(owners, kind, object->namespace, name);
	if (!found && strcmp(kind, "ReplicaSet") == 0)
		found = find_stem(owners, "Deployment", object->namespace, name);
	return found ? found : find_labelled(owners, object);
}

const struct sl_object *kube_owner_of(const struct kube_owners *owners, const struct sl_object *object)
{
	const struct sl_doc *doc = object->doc;
	SL_DOC_EACH (node, doc, KUBE_AT(doc, object->node, "metadata", "ownerReferences")) {
		const char *kind = manifest_text(doc, sl_doc_member(doc, node, "kind"));
		const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
		const struct sl_object *found = kind && name ? find_owner(owners, object, kind, name) : NULL;
		if (found && found != object)
			return found;
	}
	return NULL;
}

/* A CronJob's jobs stay jobs, as they are what it did. */
bool kube_is_owned(const struct kube_owners *owners, const struct sl_object *object)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_object *owner = kube_owner_of(owners, object);
	SL_DOC_EACH (node, doc, KUBE_AT(doc, object->node, "metadata", "ownerReferences")) {
		const char *kind = manifest_text(doc, sl_doc_member(doc, node, "kind"));
		if (kind && strcmp(kind, "DaemonSet") == 0)
			return true;
	}
	return owner && strcmp(owner->kind, "CronJob") != 0;
}

bool kube_owns_jobs(const struct kube_owners *owners, const struct sl_object *cron)
{
	for (size_t i = 0; i < owners->file->count; i++) {
		const struct sl_object *object = &owners->file->object[i];
		const struct sl_doc *doc = object->doc;
		if (strcmp(object->kind, "Job") != 0 || strcmp(object->namespace, cron->namespace) != 0)
			continue;
		SL_DOC_EACH (node, doc, KUBE_AT(doc, object->node, "metadata", "ownerReferences")) {
			const char *kind = manifest_text(doc, sl_doc_member(doc, node, "kind"));
			const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
			if (kind && name && strcmp(kind, "CronJob") == 0 && strcmp(name, cron->name) == 0)
				return true;
		}
	}
	return false;
}

bool kube_is_suspended_cron(const struct sl_object *object)
{
	const char *is = manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "suspend"));
	return strcmp(object->kind, "CronJob") == 0 && is && strcmp(is, "true") == 0;
}
