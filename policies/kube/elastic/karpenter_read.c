/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_read.c - NodePools (karpenter.sh/v1), InstanceTypes and flags; nodes of pools and of offers.
 *
 * A node is of the pool that its label karpenter.sh/nodepool names, whether it may come (traces/kube made it)
 * or was there: then it was made at time 0. Its price is that of InstanceTypes for its type, zone and
 * capacity type.
 */
#include "policies/kube/elastic/karpenter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE     "node.kubernetes.io/instance-type"
#define ZONE     "topology.kubernetes.io/zone"
#define CAPACITY "karpenter.sh/capacity-type"
#define POOL     "karpenter.sh/nodepool"

enum { WEIGHT_MAX = 100, RELEASES_MAX = 1000 };

/* ---- Pools --------------------------------------------------------------------------------------- */

static int take_limits(struct kube *k, struct karpenter_pool *pool, struct sl_err *err)
{
	const struct sl_object *object = pool->object;
	struct sl_amounts limits;
	const int status = sl_doc_amounts(
		k->arena, object->doc, sl_doc_at(object->doc, object->node, "spec.limits"), &limits, err);
	for (uint32_t i = 0; i < KUBE_RES_MAX; i++)
		pool->limit[i] = -1;
	pool->nodes_limit = -1;
	for (uint32_t i = 0; !status && i < limits.count; i++) {
		const bool nodes = strcmp(limits.at[i].resource, "nodes") == 0;
		const uint32_t resource = nodes ? KUBE_NO : kube_resource(k, limits.at[i].resource);
		if (nodes)
			pool->nodes_limit = limits.at[i].amount;
		else if (resource != KUBE_NO)
			pool->limit[resource] = limits.at[i].amount;
	}
	return status;
}

static int take_disruption(struct karpenter_pool *pool, struct sl_err *err)
{
	const struct sl_object *object = pool->object;
	const struct sl_doc_node *at =
		sl_doc_at(object->doc, object->node, "spec.disruption.consolidationPolicy");
	const char *policy = sl_doc_word(object->doc, at);
	pool->consolidate_after = 0;
	pool->expire_after = 720 * 3600 * SL_SECOND;
	pool->grace = SL_NEVER;
	pool->empty_only = policy && strcmp(policy, "WhenEmpty") == 0;
	if (policy && !pool->empty_only && strcmp(policy, "WhenEmptyOrUnderutilized") != 0) {
		const struct sl_place place = sl_doc_place(object->doc, at);
		return sl_fail_at(err, &place,
			"'consolidationPolicy' is WhenEmpty or WhenEmptyOrUnderutilized, not '%.60s'",
			policy);
	}
	int status =
		elastic_time(object, "spec.disruption.consolidateAfter", true, &pool->consolidate_after, err);
	if (!status)
		status = elastic_time(
			object, "spec.template.spec.expireAfter", true, &pool->expire_after, err);
	if (!status)
		status = elastic_time(
			object, "spec.template.spec.terminationGracePeriod", false, &pool->grace, err);
	return status ? status : karpenter_budgets_read(pool, err);
}

static int take_pool(struct kube_scaler *s, const struct sl_object *object, struct sl_err *err)
{
	struct karpenter_pool *pool = &s->karpenter->pool[s->karpenter->pools++];
	*pool = (struct karpenter_pool){ .pool = s->pools, .object = object };
	s->pool[s->pools++] = (struct elastic_pool){ .name = object->name, .karpenter = true };
	pool->hash = sl_doc_word(object->doc,
		sl_doc_member(object->doc, sl_doc_at(object->doc, object->node, "metadata.annotations"),
			"karpenter.sh/nodepool-hash"));
	int status = elastic_spec(object, err);
	if (!status)
		status = kube_int(object->doc, object->node, "spec.weight", &pool->weight, err);
	if (!status && (pool->weight < 0 || pool->weight > WEIGHT_MAX)) {
		const struct sl_place place = sl_doc_place(object->doc, object->node);
		status = sl_fail_at(err, &place, "'spec.weight' is 1 to %d", WEIGHT_MAX);
	}
	if (!status)
		status = take_limits(s->k, pool, err);
	return status ? status : take_disruption(pool, err);
}

static int by_weight(const void *a, const void *b)
{
	const struct karpenter_pool *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->object->name, y->object->name);
}

/* ---- Offers -------------------------------------------------------------------------------------- */

static const struct sl_object *types_object(const struct kube *k)
{
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		if (strcmp(k->cluster->object[i].kind, "InstanceTypes") == 0)
			return &k->cluster->object[i];
	return NULL;
}

static bool is_word(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key,
	const char *wanted, const char *fallback)
{
	const char *word = sl_doc_word(doc, sl_doc_member(doc, map, key));
	return strcmp(word ? word : fallback, wanted) == 0;
}

static const char *label_of(const struct kube *k, uint32_t node, const char *key)
{
	const char *value = sl_label_of(&k->node[node].labels, key);
	return value ? value : "";
}

/* The type's and offering's entries that a node is of. */
static const struct sl_doc_node *find_type(const struct kube_scaler *s, const struct sl_object *types,
	uint32_t node, const struct sl_doc_node **offering)
{
	const struct sl_doc *doc = types->doc;
	const char *type = label_of(s->k, node, TYPE);
	const char *capacity = label_of(s->k, node, CAPACITY);
	SL_DOC_EACH (at, doc, sl_doc_at(doc, types->node, "spec.types")) {
		if (!is_word(doc, at, "name", type, ""))
			continue;
		SL_DOC_EACH (one, doc, sl_doc_member(doc, at, "offerings"))
			if (is_word(doc, one, "zone", label_of(s->k, node, ZONE), "") &&
				is_word(doc, one, "capacityType", *capacity ? capacity : "on-demand",
					"on-demand")) {
				*offering = one;
				return at;
			}
	}
	return NULL;
}

static int make_offer(struct kube_scaler *s, const struct sl_object *types, uint32_t pool, uint32_t node,
	struct karpenter_offer *offer, struct sl_err *err)
{
	struct kube *k = s->k;
	const struct sl_doc_node *offering = NULL;
	const struct sl_doc_node *type = find_type(s, types, node, &offering);
	struct sl_amounts has = { NULL, 0 };
	*offer = (struct karpenter_offer){ .pool = pool,
		.type = label_of(k, node, TYPE),
		.zone = label_of(k, node, ZONE),
		.spot = strcmp(label_of(k, node, CAPACITY), "spot") == 0 };
	memcpy(offer->capacity, k->node[node].alloc, sizeof(offer->capacity));
	if (!type)
		return SL_OK; /* A node that was there, of a type that is not listed: it costs nothing. */
	const struct sl_doc_node *price = sl_doc_member(types->doc, offering, "price");
	const char *text = sl_doc_word(types->doc, price);
	const struct sl_place place = sl_doc_place(types->doc, price ? price : offering);
	if (!text || !sl_get_micro(text, strlen(text), &offer->price) || offer->price < 0)
		return sl_fail_at(err, &place, "an offering has a price, a number of an hour, 0 or more");
	const int status =
		sl_doc_amounts(k->arena, types->doc, sl_doc_member(types->doc, type, "capacity"), &has, err);
	for (uint32_t i = 0; !status && i < has.count; i++) {
		const uint32_t resource = kube_resource(k, has.at[i].resource);
		if (resource != KUBE_NO)
			offer->capacity[resource] = has.at[i].amount;
	}
	return status;
}

static bool is_of(
	const struct kube_scaler *s, const struct karpenter_offer *offer, uint32_t pool, uint32_t node)
{
	return offer->pool == pool && strcmp(offer->type, label_of(s->k, node, TYPE)) == 0 &&
	       strcmp(offer->zone, label_of(s->k, node, ZONE)) == 0 &&
	       offer->spot == (strcmp(label_of(s->k, node, CAPACITY), "spot") == 0);
}

static int take_node(struct kube_scaler *s, const struct sl_object *types, uint32_t node, struct sl_err *err)
{
	struct elastic_karpenter *kp = s->karpenter;
	const char *name = label_of(s->k, node, POOL);
	uint32_t pool = 0, at = 0;
	while (pool < kp->pools && strcmp(kp->pool[pool].object->name, name) != 0)
		pool++;
	if (pool == kp->pools || s->node[node].pool != KUBE_NO)
		return SL_OK;
	pool = kp->pool[pool].pool;
	while (at < kp->offers && !is_of(s, &kp->offer[at], pool, node))
		at++;
	if (at == kp->offers) {
		const int status = make_offer(s, types, pool, node, &kp->offer[kp->offers++], err);
		if (status)
			return status;
	}
	struct elastic_pool *of = &s->pool[pool];
	struct karpenter_offer *offer = &kp->offer[at];
	if (SL_GROW_IN(s->k->arena, offer->node, offer->node_capacity, offer->nodes + 1, err) ||
		SL_GROW_IN(s->k->arena, of->node, of->node_capacity, of->nodes + 1, err))
		return SL_SYSTEM;
	offer->node[offer->nodes++] = node;
	of->node[of->nodes++] = node;
	of->there += s->node[node].state == ELASTIC_THERE;
	s->node[node].pool = pool;
	s->node[node].offer = at;
	s->node[node].price = offer->price;
	return SL_OK;
}

struct priced {
	int64_t price;
	const char *type, *zone;
	uint32_t offer;
};

static int by_price(const void *a, const void *b)
{
	const struct priced *x = a, *y = b;
	int order = (x->price > y->price) - (x->price < y->price);
	order = order ? order : strcmp(x->type, y->type);
	order = order ? order : strcmp(x->zone, y->zone);
	return order ? order : (x->offer > y->offer) - (x->offer < y->offer);
}

/* The pool's offers, cheapest first. */
static int sort_offers(struct kube_scaler *s, struct karpenter_pool *pool, struct sl_err *err)
{
	const struct elastic_karpenter *kp = s->karpenter;
	struct priced *list = malloc(((size_t)kp->offers + 1) * sizeof(*list));
	uint32_t count = 0;
	pool->offer = sl_alloc(s->k->arena, (size_t)kp->offers + 1, sizeof(*pool->offer));
	if (!list || !pool->offer) {
		free(list);
		return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < kp->offers; i++)
		if (kp->offer[i].pool == pool->pool)
			list[count++] = (struct priced){ kp->offer[i].price, kp->offer[i].type,
				kp->offer[i].zone, i };
	qsort(list, count, sizeof(*list), by_price);
	for (uint32_t i = 0; i < count; i++)
		pool->offer[pool->offers++] = list[i].offer;
	free(list);
	return SL_OK;
}

/* Equal texts become one pointer, so that types and zones are compared as such. */
static void share_texts(struct elastic_karpenter *kp)
{
	for (uint32_t i = 0; i < kp->offers; i++)
		for (uint32_t j = 0; j < i; j++) {
			if (strcmp(kp->offer[i].type, kp->offer[j].type) == 0)
				kp->offer[i].type = kp->offer[j].type;
			if (strcmp(kp->offer[i].zone, kp->offer[j].zone) == 0)
				kp->offer[i].zone = kp->offer[j].zone;
		}
}

/* ---- Flags, and the rest of InstanceTypes ------------------------------------------------------------ */

/* pkg/operator/options/options.go; --feature-gates, of which SpotToSpotConsolidation is followed. */
static int take_flags(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err)
{
	struct elastic_karpenter *kp = s->karpenter;
	const char *gates = NULL;
	kp->batch_idle = SL_SECOND;
	kp->batch_max = 10 * SL_SECOND;
	kp->poll = 10 * SL_SECOND;
	kp->ttl = 15 * SL_SECOND;
	const struct elastic_flag flag[] = { { "batch-idle-duration", ELASTIC_TIME, &kp->batch_idle, NULL },
		{ "batch-max-duration", ELASTIC_TIME, &kp->batch_max, NULL },
		{ "feature-gates", ELASTIC_WORD, NULL, &gates } };
	const int status = elastic_flags_read(s->k, setup, "karpenter", flag, SL_LEN(flag), NULL, NULL, err);
	kp->spot_to_spot = gates && strstr(gates, "SpotToSpotConsolidation=true") != NULL;
	return status;
}

static int take_releases(struct kube_scaler *s, const struct sl_object *types, struct sl_err *err)
{
	struct elastic_karpenter *kp = s->karpenter;
	const struct sl_doc_node *list = sl_doc_at(types->doc, types->node, "spec.releases");
	kp->release = sl_alloc(s->k->arena, list ? (size_t)list->count + 1 : 1, sizeof(*kp->release));
	if (!kp->release)
		return sl_fail_memory(err);
	if (list && list->kind != SL_DOC_LIST) {
		const struct sl_place place = sl_doc_place(types->doc, list);
		return sl_fail_at(
			err, &place, "'spec.releases' is a list of times since the beginning ([7d, 36h])");
	}
	SL_DOC_EACH (at, types->doc, list) {
		const char *text = sl_doc_word(types->doc, at);
		const struct sl_place place = sl_doc_place(types->doc, at);
		if (!text || !sl_get_duration(text, strlen(text), &kp->release[kp->releases]) ||
			kp->releases == RELEASES_MAX)
			return sl_fail_at(err, &place,
				"'spec.releases' lists up to %d times since the beginning (7d, 36h)",
				RELEASES_MAX);
		kp->releases++;
	}
	return SL_OK;
}

static int take_types(struct kube_scaler *s, const struct sl_object *types, struct sl_err *err)
{
	sl_time provisioning = 60 * SL_SECOND;
	int status = elastic_spec(types, err);
	if (!status)
		status = elastic_provisioning(types, &provisioning, err);
	if (!status)
		status = take_releases(s, types, err);
	s->karpenter->provisioning = provisioning;
	if (!status)
		status = elastic_currency(s, types, err);
	for (uint32_t i = 0; i < s->k->nodes && !status; i++)
		if (sl_label_of(&s->k->node[i].labels, POOL))
			status = take_node(s, types, i, err);
	return status;
}

/* ---- All of it ------------------------------------------------------------------------------------- */

static int make_room(struct kube_scaler *s, uint32_t pools, struct sl_err *err)
{
	struct elastic_karpenter *kp = s->karpenter;
	struct sl_arena *arena = s->k->arena;
	const size_t nodes = (size_t)s->k->nodes + 1;
	kp->pool = sl_alloc(arena, (size_t)pools + 1, sizeof(*kp->pool));
	kp->offer = sl_alloc(arena, nodes, sizeof(*kp->offer));
	kp->pod = sl_alloc(arena, 4 * ELASTIC_PODS_MAX, sizeof(*kp->pod));
	kp->order = sl_alloc(arena, nodes, sizeof(*kp->order));
	kp->claim = sl_alloc(arena, nodes, sizeof(*kp->claim));
	kp->left = sl_alloc(arena, (size_t)pools + 1, sizeof(*kp->left));
	kp->nodes_left = sl_alloc(arena, (size_t)pools + 1, sizeof(*kp->nodes_left));
	kp->chosen = sl_alloc(arena, nodes, sizeof(*kp->chosen));
	kp->candidate = sl_alloc(arena, nodes, sizeof(*kp->candidate));
	kp->gone = sl_alloc(arena, nodes, sizeof(*kp->gone));
	kp->shown = sl_alloc(arena, nodes, sizeof(*kp->shown));
	return kp->pool && kp->offer && kp->pod && kp->order && kp->claim && kp->left && kp->nodes_left &&
			       kp->chosen && kp->candidate && kp->gone && kp->shown
		       ? SL_OK
		       : sl_fail_memory(err);
}

int elastic_karpenter_make(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = s->k->cluster;
	const struct sl_object *types = types_object(s->k);
	uint32_t pools = 0;
	for (uint32_t i = 0; i < cluster->object_count; i++)
		pools += strcmp(cluster->object[i].kind, "NodePool") == 0;
	if (!pools || !types)
		return SL_OK;
	struct elastic_karpenter *kp = sl_alloc(s->k->arena, 1, sizeof(*kp));
	s->karpenter = kp;
	int status = kp ? make_room(s, pools, err) : sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->object_count && !status; i++)
		if (strcmp(cluster->object[i].kind, "NodePool") == 0)
			status = take_pool(s, &cluster->object[i], err);
	if (status)
		return status;
	qsort(kp->pool, kp->pools, sizeof(*kp->pool), by_weight);
	kp->batch_first = kp->batch_last = SL_NONE;
	kp->due = SL_NEVER;
	status = take_flags(s, setup, err);
	if (!status)
		status = take_types(s, types, err);
	share_texts(kp);
	for (uint32_t i = 0; i < kp->pools && !status; i++)
		status = sort_offers(s, &kp->pool[i], err);
	return status;
}

void elastic_karpenter_free(struct kube_scaler *s)
{
	if (s->karpenter)
		free(s->karpenter->command);
	s->karpenter = NULL;
}

struct karpenter_pool *karpenter_pool_of(const struct kube_scaler *s, uint32_t node)
{
	for (uint32_t i = 0; s->node[node].pool != KUBE_NO && i < s->karpenter->pools; i++)
		if (s->karpenter->pool[i].pool == s->node[node].pool)
			return &s->karpenter->pool[i];
	return NULL;
}

sl_time elastic_karpenter_run(struct kube_scaler *s)
{
	(void)karpenter_drain(s);
	const sl_time provision = karpenter_provision(s);
	const sl_time disrupt = karpenter_disrupt(s);
	const sl_time drain = karpenter_drain(s); /* What was decided just now goes at once. */
	const sl_time next = drain < provision ? drain : provision;
	return disrupt < next ? disrupt : next;
}
