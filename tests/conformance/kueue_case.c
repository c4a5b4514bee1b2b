/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_case.c - a case's world from its JSON. Conventions: the README beside the cases (schema
 * kueue-cases/1).
 */
#include "tests/conformance/kueue_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The document
 * ------------------------------------------------------------------------------------------- */

const char *kc_text(const struct kueue_case *c, const struct sl_doc_node *node)
{
	return node && node->kind == SL_DOC_TEXT ? c->doc->text + node->text : NULL;
}

static bool is_null(const struct kueue_case *c, const struct sl_doc_node *node)
{
	const char *text = kc_text(c, node);
	return text && strcmp(text, "null") == 0;
}

const char *kc_key(const struct kueue_case *c, const struct sl_doc_node *node)
{
	return c->doc->text + node->key;
}

const struct sl_doc_node *kc_first(const struct kueue_case *c, const struct sl_doc_node *list)
{
	return list && list->kind != SL_DOC_TEXT ? sl_doc_child(c->doc, list) : NULL;
}

const struct sl_doc_node *kc_next(const struct kueue_case *c, const struct sl_doc_node *node)
{
	return sl_doc_next(c->doc, node);
}

const struct sl_doc_node *kc_get(const struct kueue_case *c, const struct sl_doc_node *map, const char *key)
{
	if (!map || map->kind != SL_DOC_MAP)
		return NULL;
	for (const struct sl_doc_node *one = kc_first(c, map); one; one = kc_next(c, one))
		if (strcmp(kc_key(c, one), key) == 0)
			return is_null(c, one) ? NULL : one;
	return NULL;
}

const char *kc_str(
	const struct kueue_case *c, const struct sl_doc_node *map, const char *key, const char *fallback)
{
	const char *text = kc_text(c, kc_get(c, map, key));
	return text ? text : fallback;
}

int64_t kc_int(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, int64_t fallback)
{
	const struct sl_doc_node *node = kc_get(c, map, key);
	return node ? kc_amount(c, node) : fallback;
}

bool kc_bool(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, bool fallback)
{
	const char *text = kc_str(c, map, key, NULL);
	return text ? strcmp(text, "true") == 0 : fallback;
}

double kc_real(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, double fallback)
{
	const char *text = kc_str(c, map, key, NULL);
	return text ? strtod(text, NULL) : fallback;
}

sl_time kc_time(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, sl_time fallback)
{
	const char *text = kc_str(c, map, key, NULL);
	int64_t micro;
	return text && sl_get_micro(text, strlen(text), &micro) ? micro : fallback;
}

int64_t kc_amount(const struct kueue_case *c, const struct sl_doc_node *node)
{
	const char *text = kc_text(c, node);
	int64_t value;
	if (!text)
		return 0;
	if (strcmp(text, "unlimited") == 0)
		return KQ_UNLIMITED;
	if (sl_get_i64(text, strlen(text), &value))
		return value;
	return *text == '-' ? INT64_MIN : KQ_UNLIMITED;
}

struct kq_amounts kc_amounts(struct kueue_case *c, const struct sl_doc_node *map)
{
	struct kq_amount amount[KQ_LEVELS_MAX * 4];
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, map); one && count < SL_LEN(amount);
		one = kc_next(c, one))
		amount[count++] = (struct kq_amount){ kq_resource(c->kq, kc_key(c, one)), kc_amount(c, one) };
	return kq_amounts(c->kq, amount, count);
}

static uint32_t count_of(const struct sl_doc_node *list) { return list ? list->count : 0; }

struct sl_labels kc_labels(struct kueue_case *c, const struct sl_doc_node *map)
{
	struct sl_label *label = kq_alloc(c->kq, count_of(map), sizeof(*label));
	struct sl_labels made = { label, 0 };
	for (const struct sl_doc_node *one = kc_first(c, map); one; one = kc_next(c, one))
		label[made.count++] =
			(struct sl_label){ kq_text(c->kq, kc_key(c, one)), kq_text(c->kq, kc_text(c, one)) };
	return made;
}

/* ---- Selectors, taints
 * ---------------------------------------------------------------------------------------- */

static enum sl_label_op op_of(const char *text)
{
	static const char *const name[] = { "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" };
	for (size_t i = 0; i < SL_LEN(name); i++)
		if (strcmp(name[i], text) == 0)
			return (enum sl_label_op)i;
	return SL_LABEL_OP_INVALID;
}

static struct sl_label_term term_of(struct kueue_case *c, const struct sl_doc_node *list)
{
	struct sl_label_expr *expr = kq_alloc(c->kq, count_of(list), sizeof(*expr));
	struct sl_label_term made = { .expr = expr };
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		const struct sl_doc_node *values = kc_get(c, one, "values");
		const char **value = kq_alloc(c->kq, count_of(values), sizeof(*value));
		struct sl_label_expr *to = &expr[made.count++];
		*to = (struct sl_label_expr){ kq_text(c->kq, kc_str(c, one, "key", "")),
			op_of(kc_str(c, one, "op", "")), value, 0 };
		for (const struct sl_doc_node *v = kc_first(c, values); v; v = kc_next(c, v))
			value[to->count++] = kq_text(c->kq, kc_text(c, v));
	}
	return made;
}

static struct sl_label_selector selector_of(struct kueue_case *c, const struct sl_doc_node *node)
{
	struct sl_label_selector made = { .nothing = !node };
	if (!node || kc_bool(c, node, "match_all", false))
		return made;
	made.labels = kc_labels(c, kc_get(c, node, "labels"));
	made.term = term_of(c, kc_get(c, node, "expressions"));
	return made;
}

static enum sl_taint_effect effect_of(const char *text)
{
	if (strcmp(text, "NoSchedule") == 0)
		return SL_NO_SCHEDULE;
	if (strcmp(text, "NoExecute") == 0)
		return SL_NO_EXECUTE;
	return strcmp(text, "PreferNoSchedule") == 0 ? SL_PREFER_NO_SCHEDULE : SL_ANY_EFFECT;
}

static struct sl_taints taints_of(struct kueue_case *c, const struct sl_doc_node *list)
{
	struct sl_taint *taint = kq_alloc(c->kq, count_of(list), sizeof(*taint));
	struct sl_taints made = { taint, 0 };
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		taint[made.count++] = (struct sl_taint){ kq_text(c->kq, kc_str(c, one, "key", "")),
			kq_text(c->kq, kc_str(c, one, "value", "")),
			effect_of(kc_str(c, one, "effect", "")) };
	return made;
}

static struct sl_tolerations tolerations_of(struct kueue_case *c, const struct sl_doc_node *list)
{
	struct sl_toleration *to = kq_alloc(c->kq, count_of(list), sizeof(*to));
	struct sl_tolerations made = { to, 0 };
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		to[made.count++] = (struct sl_toleration){ kq_text(c->kq, kc_str(c, one, "key", "")),
			kq_text(c->kq, kc_str(c, one, "value", "")),
			strcmp(kc_str(c, one, "operator", "Equal"), "Exists") == 0,
			effect_of(kc_str(c, one, "effect", "")) };
	return made;
}

/* ---- Flavors, topologies, hosts
 * --------------------------------------------------------------------------------
 */

static void build_flavor(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row = kq_flavor(c->kq, kc_str(c, node, "name", ""));
	const char *topology = kc_str(c, node, "topology", NULL);
	struct kq_flavor *flavor = &c->kq->flavor[row];
	flavor->exists = true;
	flavor->labels = kc_labels(c, kc_get(c, node, "labels"));
	flavor->taints = taints_of(c, kc_get(c, node, "taints"));
	flavor->tolerations = tolerations_of(c, kc_get(c, node, "tolerations"));
	if (topology)
		flavor->topology = kq_topology(c->kq, topology);
}

static void build_topology(struct kueue_case *c, const struct sl_doc_node *node)
{
	struct kq_topology *topology = &c->kq->topology[kq_topology(c->kq, kc_str(c, node, "name", ""))];
	topology->exists = true;
	const struct sl_doc_node *levels = kc_get(c, node, "levels");
	for (const struct sl_doc_node *one = kc_first(c, levels);
		one && topology->level_count < KQ_LEVELS_MAX; one = kc_next(c, one))
		topology->level[topology->level_count++] = kq_text(c->kq, kc_text(c, one));
}

static void build_host(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row = kq_host(c->kq, kc_str(c, node, "name", ""));
	const struct kq_amounts allocatable = kc_amounts(c, kc_get(c, node, "allocatable"));
	struct kq_host *host = &c->kq->host[row];
	host->labels = kc_labels(c, kc_get(c, node, "labels"));
	host->taints = taints_of(c, kc_get(c, node, "taints"));
	host->allocatable = allocatable;
	host->ready = kc_bool(c, node, "ready", true);
	host->unschedulable = kc_bool(c, node, "unschedulable", false);
}

/* Pods on nodes that are not over: one of `pods` each, besides what they ask. */
static void build_pod(struct kueue_case *c, const struct sl_doc_node *node)
{
	const char *phase = kc_str(c, node, "phase", "");
	const uint32_t host = kq_find_host(c->kq, kc_str(c, node, "node", ""));
	if (host == KQ_NO || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0)
		return;
	int64_t *foreign = c->kq->host[host].foreign;
	const struct kq_amounts requests = kc_amounts(c, kc_get(c, node, "requests"));
	for (uint32_t i = 0; i < requests.count; i++)
		foreign[requests.at[i].resource] =
			kq_add(foreign[requests.at[i].resource], requests.at[i].amount);
	foreign[KQ_PODS]++;
}

/* ---- Queues and cohorts
 * ---------------------------------------------------------------------------------------- */

static void flavor_quotas(struct kueue_case *c, struct kq_group_flavor *to, const struct sl_doc_node *node)
{
	const struct sl_doc_node *quotas = kc_get(c, node, "quotas");
	struct kq_quota *quota = kq_alloc(c->kq, count_of(quotas), sizeof(*quota));
	*to = (struct kq_group_flavor){ kq_flavor(c->kq, kc_str(c, node, "name", "")), quota, 0 };
	for (const struct sl_doc_node *one = kc_first(c, quotas); one; one = kc_next(c, one))
		quota[to->count++] = (struct kq_quota){ kq_resource(c->kq, kc_key(c, one)),
			kc_int(c, one, "nominal", 0), kc_int(c, one, "borrowing_limit", KQ_NO_LIMIT),
			kc_int(c, one, "lending_limit", KQ_NO_LIMIT) };
}

static void build_groups(struct kueue_case *c, uint32_t row, const struct sl_doc_node *list)
{
	struct kq_group *group = kq_alloc(c->kq, count_of(list), sizeof(*group));
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one), count++) {
		const struct sl_doc_node *resources = kc_get(c, one, "resources");
		const struct sl_doc_node *flavors = kc_get(c, one, "flavors");
		uint32_t *resource = kq_alloc(c->kq, count_of(resources), sizeof(*resource));
		struct kq_group_flavor *flavor = kq_alloc(c->kq, count_of(flavors), sizeof(*flavor));
		group[count] = (struct kq_group){ resource, 0, flavor, 0 };
		for (const struct sl_doc_node *r = kc_first(c, resources); r; r = kc_next(c, r))
			resource[group[count].resource_count++] = kq_resource(c->kq, kc_text(c, r));
		for (const struct sl_doc_node *f = kc_first(c, flavors); f; f = kc_next(c, f))
			flavor_quotas(c, &flavor[group[count].flavor_count++], f);
	}
	c->kq->node[row].group = group;
	c->kq->node[row].group_count = count;
}

static enum kq_within within_of(const char *text)
{
	if (strcmp(text, "LowerPriority") == 0)
		return KQ_LOWER_PRIORITY;
	if (strcmp(text, "LowerOrNewerEqualPriority") == 0)
		return KQ_LOWER_OR_NEWER_EQUAL;
	return strcmp(text, "Any") == 0 ? KQ_ANY : KQ_NEVER;
}

static enum kq_stop stop_of(const char *text)
{
	if (strcmp(text, "Hold") == 0)
		return KQ_HOLD;
	return strcmp(text, "HoldAndDrain") == 0 ? KQ_HOLD_AND_DRAIN : KQ_STOP_NONE;
}

bool kc_requires(const struct kueue_case *c, const char *what)
{
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->root, "requires")); one;
		one = kc_next(c, one))
		if (strcmp(kc_text(c, one), what) == 0)
			return true;
	return false;
}

static void build_preemption(struct kueue_case *c, struct kq_node *queue, const struct sl_doc_node *node)
{
	const struct sl_doc_node *borrow = kc_get(c, node, "borrow_within_cohort");
	queue->within = within_of(kc_str(c, node, "within_cluster_queue", "Never"));
	queue->reclaim = within_of(kc_str(c, node, "reclaim_within_cohort", "Never"));
	/* Recorded as Never even where the source left it out; `requires` says so. */
	queue->reclaim_unset = !kc_get(c, node, "reclaim_within_cohort") ||
			       (queue->reclaim == KQ_NEVER && kc_requires(c, "unset-reclaim-policy"));
	if (!borrow)
		return;
	queue->borrow_within = within_of(kc_str(c, borrow, "policy", "Never"));
	queue->has_threshold = kc_get(c, borrow, "max_priority_threshold") != NULL;
	queue->threshold = (int32_t)kc_int(c, borrow, "max_priority_threshold", 0);
}

static void build_checks(struct kueue_case *c, uint32_t row, const struct sl_doc_node *list)
{
	struct kq_queue_check *check = kq_alloc(c->kq, count_of(list), sizeof(*check));
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		const struct sl_doc_node *flavors = kc_get(c, one, "on_flavors");
		uint32_t *flavor = kq_alloc(c->kq, count_of(flavors), sizeof(*flavor));
		struct kq_queue_check *to = &check[count++];
		*to = (struct kq_queue_check){ kq_check(c->kq, kc_str(c, one, "name", "")), flavor, 0,
			!count_of(flavors) };
		for (const struct sl_doc_node *f = kc_first(c, flavors); f; f = kc_next(c, f))
			flavor[to->flavor_count++] = kq_flavor(c->kq, kc_text(c, f));
	}
	c->kq->node[row].check = check;
	c->kq->node[row].check_count = count;
}

static void build_concurrent(struct kueue_case *c, struct kq_node *queue, const struct sl_doc_node *node)
{
	const struct sl_doc_node *migration = kc_get(c, node, "migration");
	queue->concurrent = node != NULL;
	queue->concurrent_mode = kq_text(c->kq, kc_str(c, migration, "mode", ""));
	queue->concurrent_last = kq_text(
		c->kq, kc_str(c, kc_get(c, migration, "constraints"), "lastAcceptableFlavorName", ""));
}

static void build_queue(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row = kq_cluster_queue(c->kq, kc_str(c, node, "name", ""));
	const struct sl_label_selector spaces = selector_of(c, kc_get(c, node, "namespace_selector"));
	const struct sl_doc_node *fungibility = kc_get(c, node, "fungibility");
	const char *parent = kc_str(c, node, "cohort", NULL);
	struct kq_node *queue = &c->kq->node[row];
	queue->exists = true;
	queue->parent_name = parent ? kq_text(c->kq, parent) : NULL;
	queue->namespaces = spaces;
	queue->strategy = strcmp(kc_str(c, node, "queueing_strategy", "BestEffortFIFO"), "StrictFIFO") == 0
				  ? KQ_STRICT_FIFO
				  : KQ_BEST_EFFORT_FIFO;
	queue->borrow_next = strcmp(kc_str(c, fungibility, "when_can_borrow", ""), "TryNextFlavor") == 0;
	queue->preempt_next =
		strcmp(kc_str(c, fungibility, "when_can_preempt", "TryNextFlavor"), "TryNextFlavor") == 0;
	queue->preference = strcmp(kc_str(c, fungibility, "preference", ""), "PreemptionOverBorrowing") == 0
				    ? KQ_PREEMPTION_OVER_BORROWING
				    : KQ_BORROWING_OVER_PREEMPTION;
	build_preemption(c, queue, kc_get(c, node, "preemption"));
	queue->stop = stop_of(kc_str(c, node, "stop_policy", "None"));
	queue->weight = kc_real(c, node, "fair_weight", 1);
	queue->usage_based =
		strcmp(kc_str(c, node, "admission_scope", ""), "UsageBasedAdmissionFairSharing") == 0;
	queue->terminating = !kc_bool(c, node, "active", true);
	build_concurrent(c, queue, kc_get(c, node, "concurrent_admission"));
	build_checks(c, row, kc_get(c, node, "admission_checks"));
	build_groups(c, row, kc_get(c, node, "resource_groups"));
}

static void build_cohort(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row = kq_cohort(c->kq, kc_str(c, node, "name", ""));
	const char *parent = kc_str(c, node, "parent", NULL);
	c->kq->node[row].parent_name = parent ? kq_text(c->kq, parent) : NULL;
	c->kq->node[row].weight = kc_real(c, node, "fair_weight", 1);
	build_groups(c, row, kc_get(c, node, "resource_groups"));
}

static void build_local(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row =
		kq_local_queue(c->kq, kc_str(c, node, "namespace", ""), kc_str(c, node, "name", ""));
	struct kq_local_queue *local = &c->kq->local[row];
	local->exists = true;
	local->queue_name = kq_text(c->kq, kc_str(c, node, "cluster_queue", ""));
	local->queue = kq_find_queue(c->kq, local->queue_name);
	local->stop = stop_of(kc_str(c, node, "stop_policy", "None"));
	local->weight = kc_real(c, node, "fair_weight", 1);
}

/* ---- Workloads
 * --------------------------------------------------------------------------------------------------- */

static struct kq_topology_request topology_of(struct kueue_case *c, const struct sl_doc_node *node)
{
	struct kq_topology_request made = { .given = node != NULL };
	if (!node)
		return made;
	const char *required = kc_str(c, node, "required", NULL),
		   *preferred = kc_str(c, node, "preferred", NULL);
	const char *slice = kc_str(c, node, "slice_required_topology", NULL);
	made.required = required ? kq_text(c->kq, required) : NULL;
	made.preferred = preferred ? kq_text(c->kq, preferred) : NULL;
	made.unconstrained = kc_bool(c, node, "unconstrained", false);
	if (slice)
		made.slice[made.slice_count++] =
			(struct kq_slice){ kq_text(c->kq, slice), kc_int(c, node, "slice_size", 0) };
	const struct sl_doc_node *list = kc_get(c, node, "slice_constraints");
	for (const struct sl_doc_node *one = kc_first(c, list); one && made.slice_count < KQ_SLICE_LAYERS_MAX;
		one = kc_next(c, one))
		made.slice[made.slice_count++] =
			(struct kq_slice){ kq_text(c->kq, kc_str(c, one, "topology", "")),
				kc_int(c, one, "size", 0) };
	const char *pod = kc_str(c, node, "pod_index_label", NULL);
	const char *sub = kc_str(c, node, "sub_group_index_label", NULL);
	made.pod_index_label = pod ? kq_text(c->kq, pod) : NULL;
	made.sub_group_index_label = sub ? kq_text(c->kq, sub) : NULL;
	made.sub_group_count = kc_int(c, node, "sub_group_count", 0);
	return made;
}

struct kq_placement *kc_placement(struct kueue_case *c, const struct sl_doc_node *node)
{
	const struct sl_doc_node *levels = kc_get(c, node, "levels"), *domains = kc_get(c, node, "domains");
	struct kq_placement *made = calloc(1, sizeof(*made));
	if (made)
		made->domain = calloc(count_of(domains) + 1, sizeof(*made->domain));
	if (!made || !made->domain)
		abort();
	for (const struct sl_doc_node *one = kc_first(c, levels); one && made->level_count < KQ_LEVELS_MAX;
		one = kc_next(c, one))
		made->level[made->level_count++] = kq_text(c->kq, kc_text(c, one));
	for (const struct sl_doc_node *one = kc_first(c, domains); one; one = kc_next(c, one)) {
		struct kq_domain_count *domain = &made->domain[made->count++];
		const struct sl_doc_node *values = kc_get(c, one, "values");
		uint32_t level = 0;
		for (const struct sl_doc_node *v = kc_first(c, values); v && level < KQ_LEVELS_MAX;
			v = kc_next(c, v))
			domain->value[level++] = kq_text(c->kq, kc_text(c, v));
		domain->count = kc_int(c, one, "count", 0);
	}
	return made;
}

static const struct sl_label_term *terms_of(
	struct kueue_case *c, const struct sl_doc_node *list, bool weighted, uint32_t *count)
{
	struct sl_label_term *term = kq_alloc(c->kq, count_of(list), sizeof(*term));
	*count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		struct sl_label_term *to = &term[(*count)++];
		*to = term_of(c, weighted ? kc_get(c, one, "term") : one);
		to->weight = weighted ? (int32_t)kc_int(c, one, "weight", 0) : 0;
	}
	return term;
}

static void podset_of(struct kueue_case *c, struct kq_podset *to, const struct sl_doc_node *node)
{
	const struct sl_doc_node *affinity = kc_get(c, node, "affinity");
	const char *group = kc_str(c, node, "group", NULL);
	const struct sl_doc_node *request = kc_get(c, node, "topology_request");
	if (!group)
		group = kc_str(c, request, "podset_group", NULL);
	*to = (struct kq_podset){ .name = kq_text(c->kq, kc_str(c, node, "name", "")),
		.count = kc_int(c, node, "count", 0),
		.min_count = kc_int(c, node, "min_count", 0),
		.request = kc_amounts(c, kc_get(c, node, "requests_per_pod")),
		.node_selector = kc_labels(c, kc_get(c, node, "node_selector")),
		.tolerations = tolerations_of(c, kc_get(c, node, "tolerations")),
		.topology = topology_of(c, request),
		.group = group ? kq_text(c->kq, group) : NULL,
		.exceeds_limits = kc_bool(c, node, "requests_exceed_limits", false) };
	to->required = terms_of(c, kc_get(c, affinity, "required_terms"), false, &to->required_count);
	to->preferred = terms_of(c, kc_get(c, affinity, "preferred_terms"), true, &to->preferred_count);
	const struct sl_doc_node *before = kc_get(c, node, "previous_assignment");
	if (before) {
		struct kq_placement *placement = kc_placement(c, before);
		struct kq_placement *kept = kq_alloc(c->kq, 1, sizeof(*kept));
		*kept = *placement;
		kept->domain = kq_alloc(c->kq, placement->count, sizeof(*kept->domain));
		memcpy(kept->domain, placement->domain, placement->count * sizeof(*kept->domain));
		kq_placement_free(placement);
		to->before = kept;
	}
}

void kc_podsets(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *list)
{
	struct kq_podset *podset = kq_alloc(c->kq, count_of(list), sizeof(*podset));
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		podset_of(c, &podset[count++], one);
	c->kq->workload[workload].podset = podset;
	c->kq->workload[workload].podset_count = count;
}

static void admitted_podset(
	struct kueue_case *c, struct kq_admitted_podset *to, const struct sl_doc_node *node)
{
	const struct sl_doc_node *flavors = kc_get(c, node, "flavors"), *usage = kc_get(c, node, "usage");
	*to = (struct kq_admitted_podset){ .name = kq_text(c->kq, kc_str(c, node, "name", "")),
		.count = kc_int(c, node, "count", 0) };
	to->flavor = calloc(count_of(flavors) + count_of(usage) + 1, sizeof(*to->flavor));
	if (!to->flavor)
		abort();
	for (const struct sl_doc_node *one = kc_first(c, flavors); one; one = kc_next(c, one))
		to->flavor[to->flavor_count++] =
			(struct kq_admitted_flavor){ kq_resource(c->kq, kc_key(c, one)),
				kq_flavor(c->kq, kc_text(c, one)), kc_int(c, usage, kc_key(c, one), 0) };
	for (const struct sl_doc_node *one = kc_first(c, usage); one; one = kc_next(c, one))
		if (!kc_get(c, flavors, kc_key(c, one)))
			to->flavor[to->flavor_count++] =
				(struct kq_admitted_flavor){ kq_resource(c->kq, kc_key(c, one)), KQ_NO,
					kc_amount(c, one) };
	if (kc_get(c, node, "topology_assignment"))
		to->placement = kc_placement(c, kc_get(c, node, "topology_assignment"));
	to->delayed = kc_get(c, node, "delayed_topology") != NULL &&
		      strcmp(kc_str(c, node, "delayed_topology", ""), "Pending") == 0;
}

static struct kq_admission *admission_of(struct kueue_case *c, const struct sl_doc_node *node)
{
	const struct sl_doc_node *list = kc_get(c, node, "podsets");
	struct kq_admission *made = calloc(1, sizeof(*made));
	if (!made)
		abort();
	made->queue_name = kq_text(c->kq, kc_str(c, node, "cluster_queue", ""));
	made->queue = kq_find_queue(c->kq, made->queue_name);
	made->podset = calloc(count_of(list) + 1, sizeof(*made->podset));
	if (!made->podset)
		abort();
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		admitted_podset(c, &made->podset[made->podset_count++], one);
	return made;
}

static void conditions_of(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *list)
{
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		const char *type = kc_str(c, one, "type", ""), *status = kc_str(c, one, "status", "");
		for (int i = 0; i < KQ_COND_COUNT; i++)
			if (strcmp(kq_cond_name((enum kq_cond_type)i), type) == 0)
				c->kq->workload[workload].cond[i] =
					(struct kq_cond){ strcmp(status, "True") == 0    ? KQ_TRUE
							  : strcmp(status, "False") == 0 ? KQ_FALSE
											 : KQ_UNKNOWN,
						kq_text(c->kq, kc_str(c, one, "reason", "")), NULL,
						kc_time(c, one, "at", SL_NONE) };
	}
}

static void workload_checks(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *list)
{
	static const char *const state[] = { "Pending", "Ready", "Retry", "Rejected" };
	struct kq_workload_check *check = kq_alloc(c->kq, count_of(list), sizeof(*check));
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		check[count] =
			(struct kq_workload_check){ .check = kq_check(c->kq, kc_str(c, one, "name", "")),
				.at = kc_time(c, one, "at", 0) };
		for (uint32_t i = 0; i < SL_LEN(state); i++)
			if (strcmp(kc_str(c, one, "state", "Pending"), state[i]) == 0)
				check[count].state = (enum kq_check_state)i;
		count++;
	}
	c->kq->workload[workload].check = check;
	c->kq->workload[workload].check_count = count;
}

static void reclaimable_of(struct kueue_case *c, struct kq_workload *row, const struct sl_doc_node *map)
{
	for (uint32_t i = 0; i < row->podset_count; i++)
		row->podset[i].reclaimable = kc_int(c, map, row->podset[i].name, 0);
}

static void owner_of(struct kueue_case *c, struct kq_workload *row, const struct sl_doc_node *list)
{
	const struct sl_doc_node *first = kc_first(c, list);
	if (!first)
		return;
	row->owner_kind = kq_text(c->kq, kc_str(c, first, "kind", ""));
	row->owner_uid = kq_text(c->kq, kc_str(c, first, "uid", ""));
}

static void unhealthy_of(struct kueue_case *c, struct kq_workload *row, const struct sl_doc_node *list)
{
	const char **name = kq_alloc(c->kq, count_of(list), sizeof(*name));
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		name[row->unhealthy_count++] = kq_text(c->kq, kc_text(c, one));
	row->unhealthy = name;
}

uint32_t kc_workload(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t w = kq_workload(c->kq, kc_str(c, node, "namespace", ""), kc_str(c, node, "name", ""));
	kc_podsets(c, w, kc_get(c, node, "podsets"));
	conditions_of(c, w, kc_get(c, node, "conditions"));
	workload_checks(c, w, kc_get(c, node, "admission_checks"));
	struct kq_workload *row = &c->kq->workload[w];
	row->uid = kq_text(c->kq, kc_str(c, node, "uid", ""));
	row->queue_name = kq_text(c->kq, kc_str(c, node, "queue", ""));
	row->local = kq_find_local(c->kq, row->namespace, row->queue_name);
	row->priority = kc_int(c, node, "priority", 0);
	row->created = kc_time(c, node, "created", SL_NONE);
	row->active = kc_bool(c, node, "active", true);
	row->deleted = kc_get(c, node, "deleted_at") != NULL;
	row->max_execution = kc_int(c, node, "max_execution_time", 0) * SL_SECOND;
	row->annotations = kc_labels(c, kc_get(c, node, "annotations"));
	row->gated = count_of(kc_get(c, node, "preemption_gates")) > 0;
	reclaimable_of(c, row, kc_get(c, node, "reclaimable"));
	owner_of(c, row, kc_get(c, node, "owners"));
	unhealthy_of(c, row, kc_get(c, node, "unhealthy_nodes"));
	const struct sl_doc_node *requeue = kc_get(c, node, "requeue_state");
	row->requeue_count = kc_int(c, requeue, "count", 0);
	row->requeue_at = kc_time(c, requeue, "requeue_at", SL_NONE);
	const char *boost = sl_label_of(&row->annotations, "kueue.x-k8s.io/priority-boost");
	row->has_boost = boost && sl_get_i64(boost, strlen(boost), &row->boost);
	if (kc_get(c, node, "admission"))
		row->admission = admission_of(c, kc_get(c, node, "admission"));
	return w;
}

uint32_t kc_find_workload(const struct kueue_case *c, const char *key)
{
	char own[512];
	for (uint32_t i = 0; i < c->kq->workload_count; i++) {
		kc_workload_key(c, i, own);
		if (strcmp(own, key) == 0)
			return i;
	}
	return KQ_NO;
}

void kc_workload_key(const struct kueue_case *c, uint32_t workload, char key[512])
{
	(void)snprintf(
		key, 512, "%s/%s", c->kq->workload[workload].namespace, c->kq->workload[workload].name);
}

/* ---- The world
 * ------------------------------------------------------------------------------------------------------
 */

static void each(
	struct kueue_case *c, const char *key, void (*build)(struct kueue_case *, const struct sl_doc_node *))
{
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->given, key)); one;
		one = kc_next(c, one))
		build(c, one);
}

static void build_space(struct kueue_case *c, const struct sl_doc_node *node)
{
	const uint32_t row = kq_namespace(c->kq, kc_str(c, node, "name", ""));
	const struct sl_labels labels = kc_labels(c, kc_get(c, node, "labels"));
	c->kq->namespace[row].labels = labels;
}

static void build_check(struct kueue_case *c, const struct sl_doc_node *node)
{
	const char *controller = kc_str(c, node, "controller", "");
	const uint32_t row = kq_check(c->kq, kc_str(c, node, "name", ""));
	struct kq_check *check = &c->kq->check[row];
	check->exists = true;
	check->active = kc_bool(c, node, "active", true);
	if (strcmp(controller, "kueue.x-k8s.io/provisioning-request") == 0)
		check->kind = KQ_CHECK_PROVISIONING;
	if (strcmp(controller, "kueue.x-k8s.io/multikueue") == 0)
		check->kind = KQ_CHECK_MULTIKUEUE;
}

/* A LimitRange bounds what a container may ask: a pod of these cases is one container. */
static bool outside(
	const struct kueue_case *c, const struct sl_doc_node *limit, const struct kq_amounts *asks)
{
	const struct sl_doc_node *max = kc_get(c, limit, "max"), *min = kc_get(c, limit, "min");
	for (uint32_t i = 0; i < asks->count; i++) {
		const bool milli = asks->at[i].resource == KQ_CPU;
		const char *name = c->kq->resource[asks->at[i].resource];
		const struct sl_doc_node *high = kc_get(c, max, name), *low = kc_get(c, min, name);
		if (high && asks->at[i].amount > kc_int(c, high, milli ? "m" : "v", 0))
			return true;
		if (low && asks->at[i].amount < kc_int(c, low, milli ? "m" : "v", 0))
			return true;
	}
	return false;
}

static void limit_podsets(struct kueue_case *c, const char *namespace, const struct sl_doc_node *limit)
{
	for (uint32_t w = 0; w < c->kq->workload_count; w++) {
		struct kq_workload *row = &c->kq->workload[w];
		for (uint32_t p = 0; strcmp(row->namespace, namespace) == 0 && p < row->podset_count; p++)
			if (outside(c, limit, &row->podset[p].request))
				row->podset[p].exceeds_limits = true;
	}
}

static void build_object(struct kueue_case *c, const struct sl_doc_node *node)
{
	if (strcmp(kc_str(c, node, "type", ""), "LimitRange") != 0)
		return;
	const struct sl_doc_node *limits = kc_get(c, kc_get(c, node, "spec"), "limits");
	for (const struct sl_doc_node *one = kc_first(c, limits); one; one = kc_next(c, one))
		limit_podsets(c, kc_str(c, node, "namespace", ""), one);
}

static void build_workload(struct kueue_case *c, const struct sl_doc_node *node)
{
	(void)kc_workload(c, node);
}

/* Elastic jobs: a slice names the one that it replaces. */
static void link_slices(struct kueue_case *c)
{
	for (uint32_t w = 0; w < c->kq->workload_count; w++) {
		const char *old = sl_label_of(
			&c->kq->workload[w].annotations, "kueue.x-k8s.io/workload-slice-replacement-for");
		c->kq->workload[w].replaces = old ? kc_find_workload(c, old) : KQ_NO;
	}
}

static void build_gates(struct kueue_case *c)
{
	const struct sl_doc_node *gates = kc_get(c, c->root, "gates");
	for (const struct sl_doc_node *one = kc_first(c, gates); one; one = kc_next(c, one)) {
		const enum kq_gate gate = kq_gate_find(kc_key(c, one));
		if (gate != KQ_GATE_COUNT)
			c->kq->config.gate[gate] = strcmp(kc_text(c, one), "true") == 0;
	}
}

static void build_strategies(struct kueue_case *c)
{
	const struct sl_doc_node *list = kc_get(c, c->input, "strategies");
	struct kq_config *config = &c->kq->config;
	if (!count_of(list))
		return;
	config->fair_count = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one && config->fair_count < 2;
		one = kc_next(c, one))
		config->fair[config->fair_count++] = strcmp(kc_text(c, one), "LessThanInitialShare") == 0
							     ? KQ_LESS_INITIAL
							     : KQ_LESS_OR_EQUAL_FINAL;
}

static void build_afs(struct kueue_case *c, const struct sl_doc_node *afs)
{
	if (!afs)
		return;
	struct kq_config *config = &c->kq->config;
	const struct sl_labels weights = kc_labels(c, kc_get(c, afs, "resource_weights"));
	config->afs = true;
	config->afs_half_life = kc_time(c, afs, "half_life_s", 0);
	config->afs_interval = kc_time(c, afs, "sampling_interval_s", 300 * SL_SECOND);
	config->afs_weight = weights.at;
	config->afs_weight_count = weights.count;
}

/* Resources that consumption alone names are known when the world is sealed. */
static void name_afs(struct kueue_case *c, const struct sl_doc_node *usage)
{
	for (const struct sl_doc_node *one = kc_first(c, usage); one; one = kc_next(c, one))
		for (const struct sl_doc_node *r = kc_first(c, one); r; r = kc_next(c, r))
			(void)kq_resource(c->kq, kc_key(c, r));
}

/* Of local queues: consumption at the beginning, in natural units. */
static void count_afs(struct kueue_case *c, const struct sl_doc_node *usage)
{
	for (const struct sl_doc_node *one = kc_first(c, usage); one; one = kc_next(c, one)) {
		char key[512];
		(void)snprintf(key, sizeof(key), "%s", kc_key(c, one));
		char *slash = strchr(key, '/');
		if (!slash)
			continue;
		*slash = 0;
		const uint32_t local = kq_find_local(c->kq, key, slash + 1);
		for (const struct sl_doc_node *r = local == KQ_NO ? NULL : kc_first(c, one); r;
			r = kc_next(c, r)) {
			const uint32_t resource = kq_resource(c->kq, kc_key(c, r));
			const double amount = (double)kc_amount(c, r);
			if (resource < c->kq->resource_sealed && c->kq->local[local].used)
				c->kq->local[local].used[resource] =
					resource == KQ_CPU ? amount / 1000 : amount;
		}
	}
}

static void count_usage(struct kueue_case *c)
{
	const struct sl_doc_node *usage = kc_get(c, c->given, "usage");
	for (const struct sl_doc_node *q = kc_first(c, usage); q; q = kc_next(c, q)) {
		const uint32_t queue = kq_find_queue(c->kq, kc_key(c, q));
		for (const struct sl_doc_node *f = kc_first(c, q); f && queue != KQ_NO; f = kc_next(c, f))
			for (const struct sl_doc_node *r = kc_first(c, f); r; r = kc_next(c, r)) {
				const uint32_t fr = kq_fr(c->kq, kq_flavor(c->kq, kc_key(c, f)),
					kq_resource(c->kq, kc_key(c, r)));
				if (fr != KQ_NO)
					kq_usage_add(c->kq, queue, fr, kc_amount(c, r));
			}
	}
}

void kc_build(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	build_gates(c);
	build_strategies(c);
	kq->config.fair_sharing = kc_bool(c, c->input, "fair_sharing", false);
	kq->now = kc_time(c, c->input, "now", 0);
	build_afs(c, kc_get(c, c->given, "afs"));
	each(c, "namespaces", build_space);
	each(c, "flavors", build_flavor);
	each(c, "topologies", build_topology);
	each(c, "nodes", build_host);
	each(c, "admission_check_objects", build_check);
	each(c, "cohorts", build_cohort);
	each(c, "cluster_queues", build_queue);
	each(c, "local_queues", build_local);
	each(c, "workloads", build_workload);
	each(c, "objects", build_object);
	link_slices(c);
	for (uint32_t i = 0; i < kq->host_count; i++)
		kq->host[i].foreign = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(int64_t));
	for (uint32_t i = 0; i < kq->local_count; i++) {
		kq->local[i].used = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
		kq->local[i].penalty = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
	}
	if (kq->err.status)
		return;
	each(c, "pods", build_pod);
	name_afs(c, kc_get(c, kc_get(c, c->given, "afs"), "initial_usage"));
	if (kq_seal(kq) != 0)
		return;
	count_usage(c);
	count_afs(c, kc_get(c, kc_get(c, c->given, "afs"), "initial_usage"));
}
