/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read_queue.c - ClusterQueue and Cohort: resource groups, limits, preemption.
 *
 * Bounds and rules of what is valid: those of the API (kueue.x-k8s.io, v1beta1 and v1beta2).
 */
#include "policies/kueue/objects/kq_read.h"

#include <string.h>

enum { GROUPS_MAX = 16, FLAVORS_IN_QUEUE_MAX = 256, RESOURCES_IN_QUEUE_MAX = 256 };

/* ---- Resource groups ---------------------------------------------------------------------------- */

struct reading {
	struct kq *kq;
	const char *owner;
	bool has_parent;
	uint32_t flavor[FLAVORS_IN_QUEUE_MAX], flavor_count;
	uint32_t resource[RESOURCES_IN_QUEUE_MAX], resource_count;
};

static bool kq_read_queue_is_among(const uint32_t *row, uint32_t count, uint32_t wanted)
{
	for (uint32_t i = 0; i < count; i++)
		if (row[i] == wanted)
			return true;
	return false;
}

/* The parent is where limits apply. */
static int64_t kq_read_queue_limit_of(
	struct reading *r, struct sl_at quota, const char *key, const char *resource)
{
	const struct sl_at at = sl_at_get(quota, key);
	const int64_t limit = kq_doc_amount(at, resource, KQ_NO_LIMIT);
	if (limit != KQ_NO_LIMIT && !r->has_parent)
		(void)sl_at_fail(at,
			"'%s' has a %s for '%s', and no cohort: give it a cohort, or leave it out", r->owner,
			key, resource);
	return limit;
}

static void read_quotas(
	struct reading *r, struct sl_at list, const struct kq_group *group, struct kq_group_flavor *flavor)
{
	struct kq_quota *quota = kq_alloc(r->kq, sl_at_count(list), sizeof(*quota));
	flavor->quota = quota;
	for (struct sl_at at = sl_at_first(list); at.node && quota; at = sl_at_next(at)) {
		const char *name = kq_doc_name(at, "name");
		const uint32_t resource = kq_resource(r->kq, name);
		if (!kq_read_queue_is_among(group->resource, group->resource_count, resource)) {
			(void)sl_at_fail(at,
				"'%s' has a quota of '%s', which is not among its coveredResources: add it there",
				r->owner, name);
			return;
		}
		for (uint32_t i = 0; i < flavor->count; i++)
			if (quota[i].resource == resource)
				(void)sl_at_fail(at, "'%s' is there twice: leave one out", name);
		quota[flavor->count++] = (struct kq_quota){ .resource = resource,
			.nominal = kq_doc_amount(sl_at_get(at, "nominalQuota"), name, 0),
			.borrowing = kq_read_queue_limit_of(r, at, "borrowingLimit", name),
			.lending = kq_read_queue_limit_of(r, at, "lendingLimit", name) };
	}
}

static void read_covered(struct reading *r, struct sl_at list, struct kq_group *group)
{
	uint32_t *resource = kq_alloc(r->kq, sl_at_count(list), sizeof(*resource));
	group->resource = resource;
	for (struct sl_at at = sl_at_first(list); at.node && resource; at = sl_at_next(at)) {
		const char *name = kq_doc_text(at);
		if (r->resource_count == RESOURCES_IN_QUEUE_MAX) {
			(void)sl_at_fail(at, "more than %d resources", RESOURCES_IN_QUEUE_MAX);
			return;
		}
		const uint32_t row = kq_resource(r->kq, name ? name : "");
		if (kq_read_queue_is_among(r->resource, r->resource_count, row)) {
			(void)sl_at_fail(at, "'%s' covers '%s' twice: a resource is in one group only",
				r->owner, name);
			return;
		}
		r->resource[r->resource_count++] = row;
		resource[group->resource_count++] = row;
	}
}

static void read_flavors(struct reading *r, struct sl_at list, struct kq_group *group)
{
	struct kq_group_flavor *flavor = kq_alloc(r->kq, sl_at_count(list), sizeof(*flavor));
	group->flavor = flavor;
	for (struct sl_at at = sl_at_first(list); at.node && flavor; at = sl_at_next(at)) {
		const char *name = kq_doc_name(at, "name");
		const uint32_t row = kq_flavor(r->kq, name);
		if (r->flavor_count == FLAVORS_IN_QUEUE_MAX) {
			(void)sl_at_fail(at, "more than %d flavors", FLAVORS_IN_QUEUE_MAX);
			return;
		}
		if (kq_read_queue_is_among(r->flavor, r->flavor_count, row)) {
			(void)sl_at_fail(at, "'%s' has the flavor '%s' twice: a flavor is in one group only",
				r->owner, name);
			return;
		}
		r->flavor[r->flavor_count++] = row;
		flavor[group->flavor_count].flavor = row;
		read_quotas(r, sl_at_get(at, "resources"), group, &flavor[group->flavor_count]);
		group->flavor_count++;
	}
}

static void read_groups(struct kq *kq, struct sl_at list, uint32_t node, const char *owner, bool has_parent)
{
	struct reading reading = { .kq = kq, .owner = owner, .has_parent = has_parent };
	const uint32_t count = sl_at_count(list);
	if (count > GROUPS_MAX) {
		(void)sl_at_fail(list, "more than %d resource groups", GROUPS_MAX);
		return;
	}
	struct kq_group *group = kq_alloc(kq, count, sizeof(*group));
	uint32_t made = 0;
	for (struct sl_at at = sl_at_first(list); at.node && group; at = sl_at_next(at)) {
		read_covered(&reading, sl_at_get(at, "coveredResources"), &group[made]);
		read_flavors(&reading, sl_at_get(at, "flavors"), &group[made]);
		made++;
	}
	kq->node[node].group = group;
	kq->node[node].group_count = made;
}

/* ---- Cohort ------------------------------------------------------------------------------------- */

static bool is_repeated(const struct kq_read *read, const struct sl_object *object)
{
	for (const struct sl_object *other = read->object; other < object; other++)
		if (strcmp(other->kind, object->kind) == 0 && strcmp(other->name, object->name) == 0)
			return true;
	return false;
}

/* A name under either of two keys: v1beta2's, and v1beta1's. */
static const char *either(struct sl_at at, const char *key, const char *older)
{
	const char *name = kq_doc_text(sl_at_get(at, key));
	if (!name)
		name = kq_doc_text(sl_at_get(at, older));
	return name && *name ? name : NULL;
}

void kq_read_cohort(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	if (is_repeated(read, object)) {
		(void)sl_at_fail(at, "the Cohort '%s' is there twice: leave one out", object->name);
		return;
	}
	const uint32_t node = kq_cohort(kq, object->name);
	const char *parent = either(at, "spec.parentName", "spec.parent");
	if (kq->err.status)
		return;
	kq->node[node].parent_name = parent;
	kq->node[node].weight = kq_doc_weight(sl_at_get(at, "spec.fairSharing.weight"), 1);
	read_groups(kq, sl_at_get(at, "spec.resourceGroups"), node, object->name, parent != NULL);
}

/* ---- ClusterQueue ------------------------------------------------------------------------------- */

static void read_preemption(struct sl_at at, struct kq_node *queue)
{
	static const char *const within[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority", NULL };
	static const char *const reclaim[] = { "Never", "LowerPriority", "Any", NULL };
	static const char *const borrow[] = { "Never", "LowerPriority", NULL };
	queue->within = (enum kq_within)sl_at_word(sl_at_get(at, "withinClusterQueue"), within, KQ_NEVER);
	const struct sl_at said = sl_at_get(at, "reclaimWithinCohort");
	const int word = sl_at_word(said, reclaim, 0);
	queue->reclaim = word == 2 ? KQ_ANY : word == 1 ? KQ_LOWER_PRIORITY : KQ_NEVER;
	const struct sl_at policy = sl_at_get(at, "borrowWithinCohort.policy");
	queue->borrow_within = sl_at_word(policy, borrow, 0) == 1 ? KQ_LOWER_PRIORITY : KQ_NEVER;
	if (queue->borrow_within != KQ_NEVER && queue->reclaim == KQ_NEVER)
		(void)sl_at_fail(policy,
			"borrowWithinCohort preempts while reclaimWithinCohort is Never: set reclaimWithinCohort, or leave "
			"this out");
	const struct sl_at threshold = sl_at_get(at, "borrowWithinCohort.maxPriorityThreshold");
	queue->has_threshold = !sl_at_is_null(threshold);
	queue->threshold = (int32_t)sl_at_int(threshold, 0, INT32_MIN, INT32_MAX);
}

static void read_fungibility(struct sl_at at, struct kq_node *queue)
{
	/* Words of v1beta1 are the second and third. */
	static const char *const borrow[] = { "TryNextFlavor", "MayStopSearch", "Borrow", NULL };
	static const char *const preempt[] = { "TryNextFlavor", "MayStopSearch", "Preempt", NULL };
	static const char *const preference[] = { "BorrowingOverPreemption", "PreemptionOverBorrowing",
		NULL };
	queue->borrow_next = sl_at_word(sl_at_get(at, "whenCanBorrow"), borrow, 1) == 0;
	queue->preempt_next = sl_at_word(sl_at_get(at, "whenCanPreempt"), preempt, 0) == 0;
	queue->preference = (enum kq_preference)sl_at_word(
		sl_at_get(at, "preference"), preference, KQ_BORROWING_OVER_PREEMPTION);
}

static void read_queue_check(struct kq *kq, struct sl_at at, struct kq_queue_check *check)
{
	const struct sl_at flavors = sl_at_get(at, "onFlavors");
	uint32_t *flavor = kq_alloc(kq, sl_at_count(flavors), sizeof(*flavor));
	check->check = kq_check(kq, kq_doc_name(at, "name"));
	for (struct sl_at one = sl_at_first(flavors); one.node && flavor; one = sl_at_next(one))
		flavor[check->flavor_count++] = kq_flavor(kq, kq_doc_text(one));
	check->flavor = flavor;
	check->all_flavors = !check->flavor_count;
}

/* admissionChecks of v1beta1 are names alone, for all flavors. */
static void read_checks(struct kq *kq, struct sl_at spec, uint32_t node)
{
	const struct sl_at names = sl_at_get(spec, "admissionChecks");
	const struct sl_at rules = sl_at_get(spec, "admissionChecksStrategy.admissionChecks");
	const uint32_t capacity = sl_at_count(names) + sl_at_count(rules);
	struct kq_queue_check *check = kq_alloc(kq, capacity, sizeof(*check));
	uint32_t count = 0;
	for (struct sl_at at = sl_at_first(names); at.node && check; at = sl_at_next(at))
		check[count++] = (struct kq_queue_check){ .check = kq_check(kq, kq_doc_text(at)),
			.all_flavors = true };
	for (struct sl_at at = sl_at_first(rules); at.node && check; at = sl_at_next(at))
		read_queue_check(kq, at, &check[count++]);
	kq->node[node].check = check;
	kq->node[node].check_count = count;
}

static void read_scope(struct kq *kq, struct sl_at spec, struct kq_node *queue)
{
	static const char *const modes[] = { "NoAdmissionFairSharing", "UsageBasedAdmissionFairSharing",
		NULL };
	static const char *const migrations[] = { "TryPreferredFlavors", "RetainFirstAdmission", NULL };
	static const char *const stop[] = { "None", "Hold", "HoldAndDrain", NULL };
	static const char *const strategies[] = { "BestEffortFIFO", "StrictFIFO", NULL };
	static const char *const undeclared[] = { "BlockUndeclared", "IgnoreUndeclared", NULL };
	queue->strategy = (enum kq_strategy)sl_at_word(
		sl_at_get(spec, "queueingStrategy"), strategies, KQ_BEST_EFFORT_FIFO);
	queue->stop = (enum kq_stop)sl_at_word(sl_at_get(spec, "stopPolicy"), stop, KQ_STOP_NONE);
	queue->usage_based = sl_at_word(sl_at_get(spec, "admissionScope.admissionMode"), modes, 0) == 1;
	queue->ignore_undeclared = sl_at_word(sl_at_get(spec, "quotaCheckStrategy"), undeclared, 0) == 1;
	const struct sl_at concurrent = sl_at_get(spec, "concurrentAdmissionPolicy");
	const struct sl_at mode = sl_at_get(concurrent, "migration.mode");
	queue->concurrent = !sl_at_is_null(concurrent);
	if (queue->concurrent)
		queue->concurrent_mode = kq_text(kq, migrations[sl_at_word(mode, migrations, 0)]);
}

void kq_read_cluster_queue(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const struct sl_at spec = sl_at_get(at, "spec");
	const uint32_t node = kq_cluster_queue(kq, object->name);
	if (kq->err.status)
		return;
	if (kq->node[node].exists) {
		(void)sl_at_fail(at, "the ClusterQueue '%s' is there twice: leave one out", object->name);
		return;
	}
	read->queues++;
	const char *parent = either(spec, "cohortName", "cohort");
	read_groups(kq, sl_at_get(spec, "resourceGroups"), node, object->name, parent != NULL);
	read_checks(kq, spec, node);
	struct kq_node *queue = &kq->node[node];
	queue->exists = true;
	queue->parent_name = parent;
	queue->weight = kq_doc_weight(sl_at_get(spec, "fairSharing.weight"), 1);
	queue->namespaces = kq_doc_selector(sl_at_get(spec, "namespaceSelector"));
	queue->reclaim_unset = sl_at_is_null(sl_at_get(spec, "preemption.reclaimWithinCohort"));
	read_preemption(sl_at_get(spec, "preemption"), queue);
	read_fungibility(sl_at_get(spec, "flavorFungibility"), queue);
	read_scope(kq, spec, queue);
}
