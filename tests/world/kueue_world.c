/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_world.c - small Kueue states for tests.
 */
#include "tests/world/kueue_world.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"

enum { MOST = 8 };

void kueue_make(struct kueue_instance *w)
{
	*w = (struct kueue_instance){ .arena = sl_arena_new() };
	w->kq = kq_new(w->arena);
	w->scratch = kq_scratch_new();
	cr_assert(w->arena && w->kq && w->scratch);
}

void kueue_release(struct kueue_instance *w)
{
	cr_expect_eq(w->kq->err.status, 0, "%s", w->kq->err.text);
	kq_scratch_free(w->scratch);
	kq_free(w->kq);
	sl_arena_free(w->arena);
}

struct kq_node *kueue_cohort(struct kueue_instance *w, const char *name, const char *parent)
{
	const uint32_t row = kq_cohort(w->kq, name);
	struct kq_node *node = &w->kq->node[row];
	node->exists = true;
	node->parent_name = parent ? kq_text(w->kq, parent) : NULL;
	return node;
}

struct kq_node *kueue_queue(struct kueue_instance *w, const char *name, const char *cohort)
{
	const uint32_t row = kq_cluster_queue(w->kq, name);
	struct kq_node *node = &w->kq->node[row];
	node->exists = true;
	node->parent_name = cohort ? kq_text(w->kq, cohort) : NULL;
	node->weight = 1;
	return node;
}

/* The next word, and what ended it: ' ', ',' or 0. */
static const char *word(struct kueue_instance *w, const char **text, char *end)
{
	while (**text == ' ')
		(*text)++;
	const size_t len = strcspn(*text, " ,");
	char *copy = kq_alloc(w->kq, len + 1, 1);
	cr_assert_not_null(copy);
	memcpy(copy, *text, len);
	*text += len;
	*end = **text;
	if (**text)
		(*text)++;
	return copy;
}

static struct kq_quota quota_of(uint32_t resource, const char *text)
{
	char *rest;
	struct kq_quota quota = { resource, strtoll(text, &rest, 10), KQ_NO_LIMIT, KQ_NO_LIMIT };
	if (*rest == '+')
		quota.borrowing = strtoll(rest + 1, NULL, 10);
	return quota;
}

void kueue_group(struct kueue_instance *w, struct kq_node *node, const char *resources, const char *flavors)
{
	struct kq_group *group = kq_alloc(w->kq, MOST, sizeof(*group));
	cr_assert(group && node->group_count < MOST);
	if (node->group_count)
		memcpy(group, node->group, node->group_count * sizeof(*group));
	struct kq_group *one = &group[node->group_count++];
	node->group = group;
	uint32_t *resource = kq_alloc(w->kq, MOST, sizeof(*resource));
	struct kq_group_flavor *flavor = kq_alloc(w->kq, MOST, sizeof(*flavor));
	cr_assert(resource && flavor);
	for (char end = ' '; end;)
		resource[one->resource_count++] = kq_resource(w->kq, word(w, &resources, &end));
	for (char end = ','; end;) {
		struct kq_quota *quota = kq_alloc(w->kq, MOST, sizeof(*quota));
		struct kq_group_flavor *to = &flavor[one->flavor_count++];
		cr_assert_not_null(quota);
		to->flavor = kq_flavor(w->kq, word(w, &flavors, &end));
		w->kq->flavor[to->flavor].exists = true;
		w->kq->flavor[to->flavor].topology = KQ_NO;
		for (uint32_t i = 0; end == ' '; i++) {
			const char *text = word(w, &flavors, &end);
			if (*text != '-')
				quota[to->count++] = quota_of(resource[i], text);
		}
		to->quota = quota;
	}
	one->resource = resource;
	one->flavor = flavor;
}

uint32_t kueue_workload(struct kueue_instance *w, const char *name)
{
	const uint32_t row = kq_workload(w->kq, "", name);
	w->kq->workload[row].podset = kq_alloc(w->kq, MOST, sizeof(struct kq_podset));
	cr_assert_not_null(w->kq->workload[row].podset);
	return row;
}

static struct kq_amounts requests_of(struct kueue_instance *w, const char *text)
{
	struct kq_amount at[MOST];
	uint32_t count = 0;
	for (char end = *text ? ',' : 0; end; count++) {
		at[count].resource = kq_resource(w->kq, word(w, &text, &end));
		at[count].amount = strtoll(word(w, &text, &end), NULL, 10);
	}
	return kq_amounts(w->kq, at, count);
}

struct kq_podset *kueue_podset(
	struct kueue_instance *w, uint32_t workload, const char *name, int64_t count, const char *requests)
{
	struct kq_workload *row = &w->kq->workload[workload];
	cr_assert_lt(row->podset_count, MOST);
	struct kq_podset *podset = &row->podset[row->podset_count++];
	podset->name = kq_text(w->kq, name);
	podset->count = count;
	podset->request = requests_of(w, requests);
	return podset;
}

void kueue_keep(struct kueue_instance *w, uint32_t workload, const struct kq_node *queue, int64_t count,
	const char *usage)
{
	struct kq_admitted_flavor flavor[MOST];
	struct kq_admitted_podset podset = {
		.name = w->kq->workload[workload].podset[0].name, .flavor = flavor, .count = count
	};
	const struct kq_admission admission = { kq_find_queue(w->kq, queue->name), queue->name, &podset, 1 };
	for (char end = ','; end;) {
		struct kq_admitted_flavor *to = &flavor[podset.flavor_count++];
		to->resource = kq_resource(w->kq, word(w, &usage, &end));
		to->flavor = kq_flavor(w->kq, word(w, &usage, &end));
		to->amount = strtoll(word(w, &usage, &end), NULL, 10);
	}
	kq_set_admission(w->kq, workload, &admission);
	kq_set_cond(w->kq, workload, KQ_QUOTA_RESERVED, KQ_TRUE, "QuotaReserved", NULL, 0);
}

void kueue_seal(struct kueue_instance *w)
{
	cr_assert_eq(kq_seal(w->kq), 0, "%s", w->kq->err.text);
	w->queue = w->kq->queue_count ? w->kq->queue[0] : KQ_NO;
	w->workload = 0;
}

uint32_t kueue_fr(struct kueue_instance *w, const char *flavor, const char *resource)
{
	return kq_fr(w->kq, kq_flavor(w->kq, flavor), kq_resource(w->kq, resource));
}

void kueue_use(
	struct kueue_instance *w, const char *queue, const char *flavor, const char *resource, int64_t amount)
{
	kq_usage_add(w->kq, kq_find_queue(w->kq, queue), kueue_fr(w, flavor, resource), amount);
}
