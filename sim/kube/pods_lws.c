/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_lws.c - one group of a LeaderWorkerSet: its podsets, its exclusive topology, and its restart policy
 * when a pod of it is lost.
 *
 * https://lws.sigs.k8s.io/docs/concepts/ and kubernetes-sigs/lws, pkg/webhooks/pod_webhook.go: of an
 * exclusive topology the pods of a group (or sub-group) want one domain of that label, which has no pod of
 * another. There the leader alone has the anti-affinity and its workers follow it; here all of them have it,
 * to the same effect. Which group it is stands in the member "schedlab/group" of the object; without it, the
 * first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kube/pods_parts.h"

#define LWS "leaderworkerset.sigs.k8s.io/"

enum { KEY_CAPACITY = 640 };

/* What is the same for all pods of a group. */
struct group {
	const char *namespace, *name;
	int64_t number, size;
	const char *alone, *sub_alone; /* Labels of nodes; NULL: not asked. */
	int64_t sub_size;              /* 0: no sub-groups. */
	bool leader_apart;             /* LeaderExcluded: the leader is in none. */
};

/* ---- Labels and terms ---------------------------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b)
{
	const struct sl_label *x = a, *y = b;
	return strcmp(x->key, y->key);
}

static void label_add(struct pods_reading *r, struct sl_labels *labels, const char *key, const char *value)
{
	struct sl_label *more = pods_alloc(r, (size_t)labels->count + 1, sizeof(*more));
	if (!more || !value || sl_label_of(labels, key))
		return;
	for (uint32_t i = 0; i < labels->count; i++)
		more[i] = labels->at[i];
	more[labels->count] = (struct sl_label){ key, value };
	qsort(more, (size_t)labels->count + 1, sizeof(*more), compare_labels);
	*labels = (struct sl_labels){ more, labels->count + 1 };
}

static void pod_affinity_these(struct pods_reading *r, struct sl_pod_affinity *pod_affinity,
	const char *topology, const char *label, const char *const *value, bool anti)
{
	struct sl_label_expr *expr = pods_alloc(r, 2, sizeof(*expr));
	*pod_affinity = (struct sl_pod_affinity){ .key = topology, .anti = anti };
	if (!expr)
		return;
	if (anti)
		expr[pod_affinity->pods.term.count++] =
			(struct sl_label_expr){ label, SL_LABEL_EXISTS, NULL, 0 };
	expr[pod_affinity->pods.term.count++] =
		(struct sl_label_expr){ label, anti ? SL_LABEL_NOT_IN : SL_LABEL_IN, value, 1 };
	pod_affinity->pods.term.expr = expr;
}

/* With its like, and away from all others that have the label. */
void pods_alone_in(struct pods_reading *r, struct sl_podset *podset, const char *topology, const char *key,
	const char *group)
{
	const char **value = pods_alloc(r, 1, sizeof(*value));
	struct sl_pod_affinity *pod_affinity =
		pods_alloc(r, (size_t)podset->pod_affinity_count + 2, sizeof(*pod_affinity));
	label_add(r, &podset->labels, key, group);
	if (!topology || !value || !pod_affinity)
		return;
	*value = group;
	for (uint32_t i = 0; i < podset->pod_affinity_count; i++)
		pod_affinity[i] = podset->pod_affinity[i];
	pod_affinity_these(r, &pod_affinity[podset->pod_affinity_count], topology, key, value, false);
	pod_affinity_these(r, &pod_affinity[podset->pod_affinity_count + 1], topology, key, value, true);
	podset->pod_affinity = pod_affinity;
	podset->pod_affinity_count += 2;
}

/* ---- Sub-groups ------------------------------------------------------------------------------------------
 */

/* Of the pod with that index; -1: none. */
static int64_t sub_of(const struct group *group, int64_t index)
{
	const bool workers_alone = (group->size - 1) % group->sub_size == 0;
	if (!index)
		return group->leader_apart ? -1 : 0;
	return (workers_alone ? index - 1 : index) / group->sub_size;
}

static void into_sub(struct pods_reading *r, const struct group *group, int64_t sub, struct sl_podset *podset)
{
	char key[KEY_CAPACITY], number[24];
	if (sub < 0)
		return;
	const int len = snprintf(key, sizeof(key), "%.253s/%.253s-%lld/%lld", group->namespace, group->name,
		(long long)group->number, (long long)sub);
	const int digits = snprintf(number, sizeof(number), "%lld", (long long)sub);
	label_add(r, &podset->labels, LWS "subgroup-index", sl_strdup(r->arena, number, (size_t)digits));
	pods_alone_in(r, podset, group->sub_alone, LWS "subgroup-key", sl_strdup(r->arena, key, (size_t)len));
}

/* The podset's pods begin with that index. */
static void split(struct pods_reading *r, const struct group *group, int64_t first, struct sl_podset *podset)
{
	const int64_t most = podset->count / group->sub_size + 3;
	struct sl_podset *part = pods_alloc(r, (size_t)most, sizeof(*part));
	uint32_t count = 0;
	for (int64_t i = 0, next; part && !r->status && i < podset->count; i = next) {
		const int64_t sub = sub_of(group, first + i);
		for (next = i + 1; next < podset->count && sub_of(group, first + next) == sub;)
			next++;
		part[count] = *podset;
		part[count].count = next - i;
		into_sub(r, group, sub, &part[count++]);
	}
	podset->part = part;
	podset->part_count = count;
}

/* ---- A group ----------------------------------------------------------------------------------------------
 */

static void sub_groups_in(struct pods_reading *r, const struct sl_doc_node *map, struct group *group)
{
	const struct sl_doc_node *policy = pods_map(r, map, "subGroupPolicy");
	const char *type = pods_text(r, policy, "type");
	if (!type)
		type = pods_text(r, policy, "subGroupPolicyType");
	group->sub_size = policy ? pods_number(r, policy, "subGroupSize", 1, 1, PODS_MAX) : 0;
	group->leader_apart = type && strcmp(type, "LeaderExcluded") == 0;
	if (policy && !r->status && (group->size - 1) % group->sub_size &&
		(group->leader_apart || group->size % group->sub_size))
		pods_fail(r, policy,
			"sub-groups of %lld do not divide a group of %lld pods, with or without its leader: give "
			"another 'subGroupSize'",
			(long long)group->sub_size, (long long)group->size);
}

static struct group group_in(
	struct pods_reading *r, const struct sl_doc_node *object, const struct sl_doc_node *map)
{
	const struct sl_doc_node *metadata = pods_map(r, object, "metadata");
	const struct sl_doc_node *annotations = pods_map(r, metadata, "annotations");
	struct group group = { .namespace = pods_text(r, metadata, "namespace"),
		.name = pods_text(r, metadata, "name"),
		.number = pods_number(r, object, "schedlab/group", 0, 0, INT32_MAX),
		.size = pods_number(r, map, "size", 1, 1, PODS_MAX),
		.alone = pods_text(r, annotations, LWS "exclusive-topology"),
		.sub_alone = pods_text(r, annotations, LWS "subgroup-exclusive-topology") };
	group.namespace = group.namespace ? group.namespace : "default";
	group.name = group.name ? group.name : "";
	sub_groups_in(r, map, &group);
	return group;
}

static void pods_lws_finish(
	struct pods_reading *r, const struct group *group, int64_t first, struct sl_podset *podset)
{
	char key[KEY_CAPACITY];
	const int len = snprintf(key, sizeof(key), "%.253s/%.253s-%lld", group->namespace, group->name,
		(long long)group->number);
	label_add(r, &podset->labels, LWS "name", group->name);
	pods_alone_in(r, podset, group->alone, LWS "group-key", sl_strdup(r->arena, key, (size_t)len));
	podset->topology.pod_index_label = LWS "worker-index";
	if (group->sub_size)
		split(r, group, first, podset);
}

/* "Default" is an older word for None; without one, all are recreated. */
static enum sl_pods_restart restart_of(struct pods_reading *r, const struct sl_doc_node *map)
{
	const char *word = pods_text(r, map, "restartPolicy");
	if (word && (strcmp(word, "None") == 0 || strcmp(word, "Default") == 0))
		return SL_RESTART_ONE;
	return word && strcmp(word, "RecreateGroupAfterStart") == 0 ? SL_RESTART_STARTED : SL_RESTART_ALL;
}

void pods_lws(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	const struct sl_doc_node *spec = pods_map(r, object, "spec");
	const struct sl_doc_node *map = pods_map(r, spec, "leaderWorkerTemplate");
	const struct sl_doc_node *leader = pods_map(r, map, "leaderTemplate");
	const char *startup = pods_text(r, spec, "startupPolicy");
	const struct group group = group_in(r, object, map);
	const bool apart = leader && group.size > 1;
	struct sl_podset *podset = pods_podsets(r, pods, apart ? 2 : 1);
	pods->restart = restart_of(r, map);
	pods->leader_first = startup && strcmp(startup, "LeaderReady") == 0 && group.size > 1;
	if (!podset)
		return;
	if (apart) {
		pods_template(r, leader, podset);
		podset->name = "leader";
		podset->count = 1;
		pods_lws_finish(r, &group, 0, podset++);
	}
	pods_template(r, leader && !apart ? leader : pods_map(r, map, "workerTemplate"), podset);
	podset->name = leader ? (apart ? "worker" : "leader") : "main";
	podset->count = apart ? group.size - 1 : group.size;
	pods_lws_finish(r, &group, apart, podset);
}
