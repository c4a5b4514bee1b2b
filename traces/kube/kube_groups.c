/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_groups.c - Pods of one group (label kueue.x-k8s.io/pod-group-name, or KAI's annotation pod-group-name)
 * as one job.
 *
 * https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/: the group is one Workload, as soon as all pods are
 * there that its annotation pod-group-total-count says. Pods that request the same (KEP 976: containers'
 * resources and what binds them to nodes) are a podset. The Workload is written as JSON and read as any
 * other. Of KAI's PodGroups (scheduling.run.ai/v2alpha2) all pods in the file are taken, with their
 * sub-groups and shares of GPUs apart, and the PodGroup goes along as the member "schedlab/podGroup".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_jobs.h"

#define KUEUE "kueue.x-k8s.io/"

static const struct sl_doc_node *label_of(const struct sl_object *object, const char *map, const char *key)
{
	return KUBE_AT(object->doc, object->node, "metadata", map, key);
}

const char *kube_group_of(const struct sl_object *object)
{
	if (strcmp(object->kind, "Pod") != 0)
		return NULL;
	return manifest_text(object->doc, label_of(object, "labels", KUEUE "pod-group-name"));
}

const char *kube_pod_group_of(const struct sl_object *object)
{
	if (strcmp(object->kind, "Pod") != 0)
		return NULL;
	return manifest_text(object->doc, label_of(object, "annotations", "pod-group-name"));
}

/* ---- Shapes ------------------------------------------------------------------------------------------- */

static void put_member(struct manifest_text *text, const struct sl_object *object,
	const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = sl_doc_member(object->doc, map, key);
	if (node)
		kube_put_object(text, object->doc, node);
	kube_put(text, ";", 1);
}

/* What distinguishes pods of one role from those of another. */
static void put_shape(struct manifest_text *text, const struct sl_object *object)
{
	static const char *const keys[] = { "nodeSelector", "affinity", "tolerations", "runtimeClassName",
		"priority", "priorityClassName", "topologySpreadConstraints", "overhead", "resourceClaims",
		"resources" };
	static const char *const lists[] = { "initContainers", "containers" };
	static const char *const shares[] = { "gpu-fraction", "gpu-memory", "gpu-fraction-num-devices" };
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, object->node, "spec");
	for (size_t i = 0; i < SL_LEN(keys); i++)
		put_member(text, object, spec, keys[i]);
	put_member(text, object, KUBE_AT(doc, object->node, "metadata", "labels"),
		"kai.scheduler/subgroup-name");
	for (size_t i = 0; i < SL_LEN(shares); i++)
		put_member(text, object, KUBE_AT(doc, object->node, "metadata", "annotations"), shares[i]);
	for (size_t i = 0; i < SL_LEN(lists); i++) {
		const struct sl_doc_node *list = sl_doc_member(doc, spec, lists[i]);
		for (const struct sl_doc_node *node = list ? sl_doc_child(doc, list) : NULL; node;
			node = sl_doc_next(doc, node)) {
			put_member(text, object, node, "resources");
			put_member(text, object, node, "restartPolicy");
		}
		kube_put(text, "|", 1);
	}
}

/* ---- The Workload ------------------------------------------------------------------------------- */

/* How many pods there are to be; fewer are none yet, and those behind them too many. */
static int total_of(const struct kube_pod *pod, size_t count, int64_t *total, struct sl_err *err)
{
	static const char key[] = KUEUE "pod-group-total-count";
	const struct sl_object *object = pod->object;
	const struct sl_doc_node *node = label_of(object, "annotations", key);
	const char *text = manifest_text(object->doc, node);
	const struct sl_place at = sl_doc_place(object->doc, node ? node : object->node);
	if (!text || !sl_get_i64(text, strlen(text), total) || *total < 1 || *total > INT32_MAX)
		return sl_fail_at(err, &at,
			"the pod group '%.60s' needs the annotation '%s', a whole number from 1, in each of its pods",
			pod->group, key);
	if ((uint64_t)*total > count)
		return sl_fail_at(err, &at, "the pod group '%.60s' has %zu of %lld pods: give all of them",
			pod->group, count, (long long)*total);
	return SL_OK;
}

struct role {
	struct manifest_text shape;
	const struct sl_object *first;
	size_t count;
};

static void role_add(struct role *role, size_t *roles, const struct sl_object *object)
{
	struct role *last = &role[*roles];
	size_t i = 0;
	*last = (struct role){ .first = object, .count = 1 };
	put_shape(&last->shape, object);
	while (i < *roles && (last->shape.failed || strcmp(role[i].shape.text, last->shape.text) != 0))
		i++;
	if (i == *roles) {
		(*roles)++;
		return;
	}
	role[i].count++;
	free(last->shape.text);
}

static void kube_groups_put_text(struct manifest_text *text, const char *more)
{
	kube_put(text, more, strlen(more));
}

static void put_podsets(struct manifest_text *text, const struct role *role, size_t roles)
{
	char number[64];
	kube_groups_put_text(text, "\"podSets\":[");
	for (size_t i = 0; i < roles; i++) {
		(void)snprintf(number, sizeof(number),
			"%s{\"name\":\"role-%zu\",\"count\":%zu,\"template\":", i ? "," : "", i + 1,
			role[i].count);
		kube_groups_put_text(text, number);
		kube_put_object(text, role[i].first->doc, role[i].first->node);
		kube_groups_put_text(text, "}");
	}
	kube_groups_put_text(text, "]");
}

/* With the metadata of its PodGroup, which goes along. */
static void put_pod_group(
	struct manifest_text *text, const struct sl_object *group, const struct role *role, size_t roles)
{
	static const char *const keys[] = { "namespace", "labels", "annotations", "uid" };
	const struct sl_doc *doc = group->doc;
	kube_groups_put_text(
		text, "{\"kind\":\"Workload\",\"apiVersion\":\"" KUEUE "v1beta2\",\"metadata\":{\"name\":");
	kube_put_object(text, doc, KUBE_AT(doc, group->node, "metadata", "name"));
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const struct sl_doc_node *node = KUBE_AT(doc, group->node, "metadata", keys[i]);
		if (!node)
			continue;
		kube_groups_put_text(text, ",\"");
		kube_groups_put_text(text, keys[i]);
		kube_groups_put_text(text, "\":");
		kube_put_object(text, doc, node);
	}
	kube_groups_put_text(text, "},\"spec\":{");
	put_podsets(text, role, roles);
	kube_groups_put_text(text, "},\"schedlab/podGroup\":");
	kube_put_object(text, doc, group->node);
	kube_groups_put_text(text, "}");
}

/* With the metadata of its first pod, but for the name. */
static void put_workload(
	struct manifest_text *text, const struct sl_object *first, const struct role *role, size_t roles)
{
	const struct sl_doc *doc = first->doc;
	const struct sl_doc_node *class = label_of(first, "labels", KUEUE "priority-class");
	kube_groups_put_text(
		text, "{\"kind\":\"Workload\",\"apiVersion\":\"" KUEUE "v1beta2\",\"metadata\":{\"name\":");
	kube_put_object(text, doc, label_of(first, "labels", KUEUE "pod-group-name"));
	if (*first->namespace) {
		kube_groups_put_text(text, ",\"namespace\":");
		kube_put_object(text, doc, KUBE_AT(doc, first->node, "metadata", "namespace"));
	}
	kube_groups_put_text(text, ",\"labels\":");
	kube_put_object(text, doc, KUBE_AT(doc, first->node, "metadata", "labels"));
	kube_groups_put_text(text, ",\"annotations\":");
	kube_put_object(text, doc, KUBE_AT(doc, first->node, "metadata", "annotations"));
	kube_groups_put_text(text, "},\"spec\":{");
	if (class) {
		kube_groups_put_text(text, "\"priorityClassRef\":{\"name\":");
		kube_put_object(text, doc, class);
		kube_groups_put_text(text, "},");
	}
	put_podsets(text, role, roles);
	kube_groups_put_text(text, "}}");
}

static int make(const struct kube_pod *pod, size_t count, struct role *role, struct kube_group *group,
	struct sl_err *err)
{
	struct manifest_text text = { 0 };
	size_t roles = 0;
	for (size_t i = 0; i < count; i++)
		role_add(role, &roles, pod[i].object);
	if (pod->pod_group)
		put_pod_group(&text, pod->pod_group, role, roles);
	else
		put_workload(&text, pod->object, role, roles);
	bool failed = text.failed;
	for (size_t i = 0; i < roles; i++) {
		failed |= role[i].shape.failed;
		free(role[i].shape.text);
	}
	const int status = failed ? sl_fail_memory(err)
				  : kube_written_read(text.text, text.len, pod->object, &group->file, err);
	free(text.text);
	return status;
}

/* SL_NONE of any: not known of all. */
static sl_time kube_groups_later(sl_time a, sl_time b)
{
	if (a == SL_NONE || b == SL_NONE)
		return SL_NONE;
	return a > b ? a : b;
}

/* What is written by hand on the PodGroup applies to all its pods. */
static int times_of_group(const struct sl_object *object, struct kube_times *times, struct sl_err *err)
{
	struct kube_times own;
	const int status = kube_times_of(object, &own, err);
	if (status)
		return status;
	if (own.submit != SL_NONE && (!own.dated || times->submit == SL_NONE)) {
		times->submit = own.submit;
		times->dated = own.dated;
	}
	times->run = own.run != SL_NONE ? own.run : times->run;
	times->limit = own.limit != SL_NONE ? own.limit : times->limit;
	times->cancel = own.cancel != SL_NONE ? own.cancel : times->cancel;
	return SL_OK;
}

int kube_group_make(const struct kube_pod *pod, size_t count, struct kube_group *group, struct sl_err *err)
{
	int64_t total = (int64_t)count;
	int status = pod->pod_group ? SL_OK : total_of(pod, count, &total, err);
	if (status)
		return status;
	group->times = pod->times;
	for (int64_t i = 1; i < total; i++) {
		const struct kube_times *times = &pod[i].times;
		group->times.submit = kube_groups_later(group->times.submit, times->submit);
		group->times.start = kube_groups_later(group->times.start, times->start);
		group->times.end = kube_groups_later(group->times.end, times->end);
		group->times.run = kube_groups_later(group->times.run, times->run);
	}
	if (pod->pod_group)
		status = times_of_group(pod->pod_group, &group->times, err);
	if (status)
		return status;
	struct role *role = calloc((size_t)total + 1, sizeof(*role));
	if (!role)
		return sl_fail_memory(err);
	const int made = make(pod, (size_t)total, role, group, err);
	free(role);
	return made;
}
