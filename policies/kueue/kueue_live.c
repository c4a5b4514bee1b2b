/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_live.c - Workloads that are admitted already, as a live cluster shows them.
 *
 * One with the annotation schedlab/admitted=true holds what its status.admission says (clusterQueue, and of
 * each podset flavors and resourceUsage) from its submission on: it is not queued, and its checks are ready.
 * Of its topologyAssignment levels and domains are read (v1beta1), or slices (v1beta2): of each level a value
 * for all their domains, or one for each, between a common prefix and suffix; and so of counts.
 */
#include "policies/kueue/kueue.h"
#include "policies/kueue/rules/kq_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kq_podset *podset_of(const struct kq_workload *workload, const char *name)
{
	for (uint32_t i = 0; i < workload->podset_count; i++)
		if (strcmp(workload->podset[i].name, name) == 0)
			return &workload->podset[i];
	return NULL;
}

/* A value for each level. */
static void take_domain(struct kq *kq, struct sl_at at, struct kq_placement *to)
{
	struct kq_domain_count *domain = &to->domain[to->count++];
	uint32_t level = 0;
	domain->count = sl_at_int(sl_at_get(at, "count"), 0, 0, INT32_MAX);
	for (struct sl_at one = sl_at_first(sl_at_get(at, "values")); one.node && level < to->level_count;
		one = sl_at_next(one)) {
		const char *value = kq_doc_text(one);
		domain->value[level++] = value ? value : "";
	}
	if (level < to->level_count && !kq->err.status)
		(void)sl_at_fail(at,
			"a domain needs a value for each of the %u levels: mend status.admission",
			to->level_count);
}

/* What of a slice is the same for all its domains, or else the next of its list. */
struct slice_list {
	struct sl_at next; /* No node: `same` it is. */
	const char *prefix, *suffix, *same;
	int64_t count;
};

static const char *word_in(struct sl_at at, const char *key)
{
	const char *text = kq_doc_text(sl_at_get(at, key));
	return text ? text : "";
}

static struct slice_list values_in(struct sl_at at)
{
	const struct sl_at inner = sl_at_get(at, "individual");
	const struct sl_at of = sl_at_is_null(inner) ? at : inner;
	const char *same = kq_doc_text(sl_at_get(at, "universal"));
	return (struct slice_list){ sl_at_first(sl_at_get(of, "roots")), word_in(of, "prefix"),
		word_in(of, "suffix"), same ? same : word_in(at, "universalValue"), 0 };
}

static struct slice_list counts_in(struct sl_at slice)
{
	const struct sl_at counts = sl_at_get(slice, "podCounts");
	const bool plain = counts.node && counts.node->kind == SL_DOC_LIST;
	const struct sl_at same = plain ? (struct sl_at){ 0 } : sl_at_get(counts, "universal");
	const struct sl_at list = plain ? counts : sl_at_get(counts, "individual");
	struct slice_list of = { .count = sl_at_int(
					 sl_at_is_null(same) ? sl_at_get(slice, "universalPodCount") : same,
					 0, 0, INT32_MAX) };
	if (sl_at_is_null(same))
		of.next = sl_at_first(list);
	return of;
}

static const char *value_next(struct kq *kq, struct slice_list *list)
{
	const char *root = list->next.node ? kq_doc_text(list->next) : NULL;
	if (!root)
		return list->same;
	const size_t len = strlen(list->prefix) + strlen(root) + strlen(list->suffix) + 1;
	char *value = kq_alloc(kq, len, 1);
	if (value)
		(void)snprintf(value, len, "%s%s%s", list->prefix, root, list->suffix);
	list->next = sl_at_next(list->next);
	return value ? value : "";
}

/* Its domains, as they stand in v1beta1. */
static void take_slice(struct kq *kq, struct sl_at slice, struct kq_placement *to)
{
	const int64_t domains = sl_at_int(sl_at_get(slice, "domainCount"), 0, 0, 100000);
	struct slice_list counts = counts_in(slice);
	struct slice_list values[KQ_LEVELS_MAX];
	uint32_t levels = 0;
	for (struct sl_at one = sl_at_first(sl_at_get(slice, "valuesPerLevel"));
		one.node && levels < to->level_count; one = sl_at_next(one))
		values[levels++] = values_in(one);
	if (levels < to->level_count && !kq->err.status)
		(void)sl_at_fail(slice,
			"a slice needs values for each of the %u levels: mend status.admission",
			to->level_count);
	for (int64_t i = 0; i < domains && levels == to->level_count && !kq->err.status; i++) {
		struct kq_domain_count *domain = &to->domain[to->count++];
		domain->count = counts.next.node ? sl_at_int(counts.next, 0, 0, INT32_MAX) : counts.count;
		if (counts.next.node)
			counts.next = sl_at_next(counts.next);
		for (uint32_t k = 0; k < levels; k++)
			domain->value[k] = value_next(kq, &values[k]);
	}
}

static size_t domains_of(struct sl_at slices)
{
	size_t count = 0;
	for (struct sl_at one = sl_at_first(slices); one.node; one = sl_at_next(one))
		count += (size_t)sl_at_int(sl_at_get(one, "domainCount"), 0, 0, 100000);
	return count;
}

static struct kq_placement *take_placement(struct kq *kq, struct sl_at at)
{
	const struct sl_at domains = sl_at_get(at, "domains");
	const struct sl_at slices = sl_at_get(at, "slices");
	const size_t count = sl_at_count(domains) + domains_of(slices);
	struct kq_placement *made = count ? kq_alloc(kq, 1, sizeof(*made)) : NULL;
	if (!made)
		return NULL;
	made->domain = kq_alloc(kq, count, sizeof(*made->domain));
	for (struct sl_at one = sl_at_first(sl_at_get(at, "levels"));
		one.node && made->level_count < KQ_LEVELS_MAX; one = sl_at_next(one)) {
		const char *level = kq_doc_text(one);
		made->level[made->level_count++] = level ? level : "";
	}
	for (struct sl_at one = sl_at_first(domains); one.node && made->domain; one = sl_at_next(one))
		take_domain(kq, one, made);
	for (struct sl_at one = sl_at_first(slices); one.node && made->domain; one = sl_at_next(one))
		take_slice(kq, one, made);
	return made;
}

/* resourceUsage is of all its pods. */
static void take_podset(
	struct kq *kq, const struct kq_workload *workload, struct sl_at at, struct kq_admitted_podset *to)
{
	const struct sl_at flavors = sl_at_get(at, "flavors");
	const struct sl_at usage = sl_at_get(at, "resourceUsage");
	to->name = kq_doc_name(at, "name");
	const struct kq_podset *podset = podset_of(workload, to->name);
	if (!podset) {
		(void)sl_at_fail(at, "the Workload has no podset '%s': mend status.admission", to->name);
		return;
	}
	to->count = sl_at_int(sl_at_get(at, "count"), podset->count, 0, INT32_MAX);
	to->placement = take_placement(kq, sl_at_get(at, "topologyAssignment"));
	to->flavor = kq_alloc(kq, sl_at_count(flavors), sizeof(*to->flavor));
	for (struct sl_at one = sl_at_first(flavors); one.node && to->flavor; one = sl_at_next(one)) {
		const char *key = sl_at_key(one);
		const uint32_t resource = kq_resource(kq, key);
		const int64_t asked = kq_mul(kq_amount_of(&podset->request, resource), to->count);
		struct sl_at used = sl_at_first(usage);
		while (used.node && strcmp(sl_at_key(used), key) != 0)
			used = sl_at_next(used);
		const char *flavor = kq_doc_text(one);
		if (!flavor)
			return; /* It is no text, or resourceUsage no map: said. */
		to->flavor[to->flavor_count++] = (struct kq_admitted_flavor){ resource, kq_flavor(kq, flavor),
			used.node ? kq_doc_amount(used, key, asked) : asked };
	}
}

/* In its arrays; kq_set_admission makes a copy. */
static bool take_admission(
	struct kq *kq, const struct kq_workload *workload, struct sl_at at, struct kq_admission *to)
{
	const struct sl_at list = sl_at_get(at, "podSetAssignments");
	to->queue_name = kq_doc_name(at, "clusterQueue");
	to->queue = kq_find_queue(kq, to->queue_name);
	to->podset = kq_alloc(kq, sl_at_count(list), sizeof(*to->podset));
	if (to->queue == KQ_NO || !kq->node[to->queue].exists)
		(void)sl_at_fail(at, "there is no ClusterQueue '%s': mend status.admission", to->queue_name);
	for (struct sl_at one = sl_at_first(list); one.node && to->podset; one = sl_at_next(one))
		take_podset(kq, workload, one, &to->podset[to->podset_count++]);
	return !kq->err.status;
}

bool kueue_live(struct kueue *k, uint32_t row)
{
	struct kq *kq = k->kq;
	const uint32_t id = k->job[row].workload;
	const struct sl_pods *pods = k->shape[k->shape_of[row]].pods;
	const char *said = sl_label_of(&pods->annotations, "schedlab/admitted");
	struct kq_admission admission = { 0 };
	if (!said || strcmp(said, "true") != 0 || strcmp(pods->kind, "Workload") != 0)
		return false;
	const struct sl_at at =
		sl_at_get((struct sl_at){ &kq->err, kq, pods->doc, pods->doc->node }, "status.admission");
	if (sl_at_is_null(at)) {
		(void)sl_at_fail((struct sl_at){ &kq->err, kq, pods->doc, pods->doc->node },
			"schedlab/admitted is true, and there is no status.admission: give it, or leave this out");
		return false;
	}
	if (!take_admission(kq, &kq->workload[id], at, &admission))
		return false;
	kq_set_admission(kq, id, &admission);
	kq_reserved(kq, id);
	(void)kq_checks_sync(kq, id, admission.queue);
	for (uint32_t i = 0; i < kq->workload[id].check_count; i++)
		kq_check_set(kq, id, kq->workload[id].check[i].check, KQ_CHECK_READY, 0);
	kq_submit(kq, id);
	(void)kq_sync_admitted(kq, id);
	return true;
}
