/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_solve.c - pods on nodes, on nodes that are ordered, and on claims for new ones
 * (pkg/controllers/provisioning/scheduling: scheduler.go, queue.go, nodeclaim.go).
 *
 * Pods are taken largest first, by cpu, then by memory. Each goes to the first node that has room, nodes that
 * are there before those that are ordered, each by name; else to the open claim with the fewest pods that
 * still has an instance type for it beside them; else to a new claim, of the first pool by weight that may
 * launch a type which holds it and is within its limits (of a claim the largest type counts against these, as
 * any of them might be launched).
 *
 * All filters of the scheduler are asked of one node of the claim's cheapest offer; of other offers labels,
 * taints and resources are. A pod whose place depends on others (spreading, affinity) binds its claim to that
 * node's zone. Preferences are not relaxed one by one: only what is required keeps a pod off a node.
 */
#include "policies/kube/elastic/karpenter.h"

#include <stdlib.h>
#include <string.h>

static struct karpenter_offer *offer_at(
	const struct kube_scaler *s, const struct karpenter_claim *claim, uint32_t at)
{
	return &s->karpenter->offer[s->karpenter->pool[claim->pool].offer[at]];
}

static uint32_t free_slot(const struct kube_scaler *s, const struct karpenter_offer *offer)
{
	for (uint32_t i = 0; i < offer->nodes; i++) {
		const uint32_t node = offer->node[i];
		if (s->node[node].template && s->node[node].state == ELASTIC_ABSENT && s->k->node[node].up &&
			(!s->k->node[node].there || s->karpenter->shown[node]))
			return node;
	}
	return KUBE_NO;
}

/* Zones in which nothing runs yet count as domains too (topologygroup.go): a node of each is shown, the last
 * of its offer, so that another one is launched before. */
static void show_zones(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	for (uint32_t i = 0; i < kp->offers; i++) {
		const struct karpenter_offer *offer = &kp->offer[i];
		bool new = true;
		for (uint32_t j = 0; j < i && new; j++)
			new = kp->offer[j].zone != offer->zone;
		for (uint32_t at = offer->nodes; new &&at-- > 0;) {
			const uint32_t node = offer->node[at];
			if (s->node[node].state != ELASTIC_ABSENT || !s->k->node[node].up ||
				s->k->node[node].there)
				continue;
			kp->shown[node] = 1;
			elastic_show(s, node);
			new = false;
		}
	}
}

/* ---- A claim ------------------------------------------------------------------------------------- */

static uint32_t cheapest_at(const struct kube_scaler *s, const struct karpenter_claim *claim)
{
	const struct karpenter_pool *pool = &s->karpenter->pool[claim->pool];
	uint32_t first = KUBE_NO;
	for (uint32_t i = 0; i < pool->offers; i++) {
		if (!claim->may[i])
			continue;
		if (offer_at(s, claim, i)->spot)
			return i;
		first = first == KUBE_NO ? i : first;
	}
	return first;
}

uint32_t karpenter_cheapest(const struct kube_scaler *s, const struct karpenter_claim *claim)
{
	const uint32_t at = cheapest_at(s, claim);
	return at == KUBE_NO ? KUBE_NO : s->karpenter->pool[claim->pool].offer[at];
}

static bool holds(const struct kube_scaler *s, const struct karpenter_claim *claim,
	const struct kube_spec *spec, const struct karpenter_offer *offer)
{
	const struct kube *k = s->k;
	const uint32_t like = offer->node[0];
	const struct kube_node *node = &k->node[like];
	if (claim->pods + 1 > node->pods_max || kube_taints_keep_off(spec, node) ||
		!kube_node_suits(k, spec, like))
		return false;
	for (uint32_t i = 0; i < k->resources; i++)
		if (spec->request[i] > 0 && claim->asked[i] + spec->request[i] > node->alloc[i])
			return false;
	return true;
}

static bool depends_on_others(const struct kube_scaler *s, uint32_t pod)
{
	const struct kube_spec *spec = &s->k->spec[s->k->pod[pod].spec];
	return spec->pod_affinity_any || spec->podset->spread_count > 0 || s->k->pod_affinity_pods > 0;
}

static void bind_zone(const struct kube_scaler *s, struct karpenter_claim *claim, const char *zone)
{
	for (uint32_t i = 0; i < s->karpenter->pool[claim->pool].offers; i++)
		if (offer_at(s, claim, i)->zone != zone)
			claim->may[i] = 0;
}

/* The claim's pods and that one on a node of its cheapest offer. False: all is as it was. */
static bool try_cheapest(struct kube_scaler *s, struct karpenter_claim *claim, uint32_t pod)
{
	const uint32_t at = cheapest_at(s, claim);
	const size_t mark = s->moves;
	if (at == KUBE_NO)
		return false;
	const uint32_t offer = s->karpenter->pool[claim->pool].offer[at];
	const uint32_t slot = claim->slot != KUBE_NO && s->node[claim->slot].offer == offer
				      ? claim->slot
				      : free_slot(s, &s->karpenter->offer[offer]);
	bool good = slot != KUBE_NO;
	if (good && slot != claim->slot) {
		for (uint32_t i = 0; i < claim->pods; i++)
			elastic_lift(s, claim->pod[i]);
		if (claim->slot != KUBE_NO)
			elastic_hide(s, claim->slot);
		elastic_show(s, slot);
		for (uint32_t i = 0; good && i < claim->pods; i++)
			good = elastic_place(s, claim->pod[i], slot);
	}
	good = good && elastic_place(s, pod, slot);
	if (!good) {
		elastic_undo(s, mark);
		return false;
	}
	claim->slot = slot;
	s->karpenter->shown[slot] = 0;
	return true;
}

static bool grow(struct kube_scaler *s, struct karpenter_claim *claim, uint32_t pod)
{
	const struct kube_spec *spec = &s->k->spec[s->k->pod[pod].spec];
	if (SL_GROW(claim->pod, claim->pod_capacity, claim->pods + 1, &s->k->err))
		return false;
	claim->pod[claim->pods++] = pod;
	for (uint32_t i = 0; i < s->k->resources; i++)
		claim->asked[i] += spec->request[i];
	if (depends_on_others(s, pod))
		bind_zone(s, claim, s->karpenter->offer[s->node[claim->slot].offer].zone);
	return true;
}

/* One zone after another, for a pod that does not fit where it is cheapest. */
static bool try_zones(struct kube_scaler *s, struct karpenter_claim *claim, uint32_t pod, const uint8_t *may)
{
	const uint32_t offers = s->karpenter->pool[claim->pool].offers;
	for (uint32_t i = 0; i < offers; i++) {
		const char *zone = offer_at(s, claim, i)->zone;
		bool new = may[i];
		for (uint32_t j = 0; j < i && new; j++)
			new = !may[j] || offer_at(s, claim, j)->zone != zone;
		if (!new)
			continue;
		memcpy(claim->may, may, offers);
		bind_zone(s, claim, zone);
		if (try_cheapest(s, claim, pod))
			return true;
	}
	return false;
}

static bool add_to_claim(struct kube_scaler *s, struct karpenter_claim *claim, uint32_t pod)
{
	const struct kube_spec *spec = &s->k->spec[s->k->pod[pod].spec];
	const uint32_t offers = s->karpenter->pool[claim->pool].offers;
	uint8_t *before = malloc(2 * (size_t)offers + 1);
	if (!before) {
		(void)sl_fail_memory(&s->k->err);
		return false;
	}
	uint8_t *may = before + offers;
	memcpy(before, claim->may, offers);
	for (uint32_t i = 0; i < offers; i++)
		claim->may[i] = claim->may[i] && holds(s, claim, spec, offer_at(s, claim, i));
	memcpy(may, claim->may, offers);
	bool good = try_cheapest(s, claim, pod);
	if (!good && !claim->pods && depends_on_others(s, pod))
		good = try_zones(s, claim, pod, may);
	if (!good || !grow(s, claim, pod))
		memcpy(claim->may, before, offers);
	free(before);
	return good;
}

/* ---- Limits -------------------------------------------------------------------------------------- */

static void count_left(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	for (uint32_t p = 0; p < kp->pools; p++) {
		const struct elastic_pool *of = &s->pool[kp->pool[p].pool];
		memcpy(kp->left[p], kp->pool[p].limit, sizeof(kp->left[p]));
		kp->nodes_left[p] = kp->pool[p].nodes_limit;
		for (uint32_t i = 0; i < of->nodes; i++) {
			const struct elastic_node *node = &s->node[of->node[i]];
			if (node->state == ELASTIC_ABSENT || kp->gone[of->node[i]])
				continue;
			kp->nodes_left[p]--;
			for (uint32_t at = 0; at < s->k->resources; at++)
				if (kp->pool[p].limit[at] >= 0)
					kp->left[p][at] -= kp->offer[node->offer].capacity[at];
		}
	}
}

static bool is_within(const struct kube_scaler *s, uint32_t p, const struct karpenter_offer *offer)
{
	const struct elastic_karpenter *kp = s->karpenter;
	if (kp->pool[p].nodes_limit >= 0 && kp->nodes_left[p] < 1)
		return false;
	for (uint32_t at = 0; at < s->k->resources; at++)
		if (kp->pool[p].limit[at] >= 0 && offer->capacity[at] > kp->left[p][at])
			return false;
	return true;
}

/* The largest of what it may become. */
static void charge(struct kube_scaler *s, const struct karpenter_claim *claim)
{
	struct elastic_karpenter *kp = s->karpenter;
	const struct karpenter_pool *pool = &kp->pool[claim->pool];
	kp->nodes_left[claim->pool]--;
	for (uint32_t at = 0; at < s->k->resources; at++) {
		int64_t most = 0;
		if (pool->limit[at] < 0)
			continue; /* Nothing is counted against no limit. */
		for (uint32_t i = 0; i < pool->offers; i++)
			if (claim->may[i] && offer_at(s, claim, i)->capacity[at] > most)
				most = offer_at(s, claim, i)->capacity[at];
		kp->left[claim->pool][at] -= most;
	}
}

/* ---- Solving ------------------------------------------------------------------------------------- */

static bool add_to_new(struct kube_scaler *s, uint32_t pod)
{
	struct elastic_karpenter *kp = s->karpenter;
	for (uint32_t p = 0; p < kp->pools; p++) {
		struct karpenter_claim *claim = &kp->claim[kp->claims];
		const uint32_t offers = kp->pool[p].offers;
		bool any = false;
		if (kp->claims >= s->k->nodes)
			return false;
		*claim = (struct karpenter_claim){
			.pool = p, .slot = KUBE_NO, .may = calloc((size_t)offers + 1, 1)
		};
		for (uint32_t i = 0; claim->may && i < offers; i++) {
			const struct karpenter_offer *offer = offer_at(s, claim, i);
			claim->may[i] = is_within(s, p, offer) && free_slot(s, offer) != KUBE_NO;
			any |= claim->may[i];
		}
		if (any && add_to_claim(s, claim, pod)) {
			kp->claims++;
			charge(s, claim);
			return true;
		}
		free(claim->may);
		free(claim->pod);
	}
	return false;
}

struct claim_order {
	uint32_t pods, claim;
};

static int by_pods(const void *a, const void *b)
{
	const struct claim_order *x = a, *y = b;
	if (x->pods != y->pods)
		return x->pods < y->pods ? -1 : 1;
	return (x->claim > y->claim) - (x->claim < y->claim);
}

static bool add_to_open(struct kube_scaler *s, uint32_t pod)
{
	struct elastic_karpenter *kp = s->karpenter;
	struct claim_order *order = malloc(((size_t)kp->claims + 1) * sizeof(*order));
	bool good = false;
	for (uint32_t i = 0; order && i < kp->claims; i++)
		order[i] = (struct claim_order){ kp->claim[i].pods, i };
	if (order)
		qsort(order, kp->claims, sizeof(*order), by_pods);
	for (uint32_t i = 0; order && i < kp->claims && !good; i++)
		good = add_to_claim(s, &kp->claim[order[i].claim], pod);
	free(order);
	return good;
}

static bool add_to_node(struct kube_scaler *s, uint32_t pod, bool ordered)
{
	const struct kube *k = s->k;
	for (uint32_t i = 0; i < k->nodes; i++) {
		const uint32_t node = s->by_rank[i];
		const bool is = s->node[node].state == (ordered ? ELASTIC_ORDERED : ELASTIC_THERE);
		if (is && k->node[node].there && !s->karpenter->gone[node] && elastic_place(s, pod, node))
			return true;
	}
	return false;
}

struct sized {
	int64_t cpu, mem;
	sl_time created;
	uint32_t pod;
};

static int by_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;
	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? -1 : 1;
	if (x->mem != y->mem)
		return x->mem > y->mem ? -1 : 1;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return (x->pod > y->pod) - (x->pod < y->pod);
}

static void sort_pods(const struct kube_scaler *s, uint32_t *pod, uint32_t count)
{
	struct sized *list = malloc(((size_t)count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < count; i++) {
		const struct kube_spec *spec = &s->k->spec[s->k->pod[pod[i]].spec];
		list[i] = (struct sized){ spec->request[KUBE_RES_CPU], spec->request[KUBE_RES_MEM],
			s->k->pod[pod[i]].created, pod[i] };
	}
	if (list)
		qsort(list, count, sizeof(*list), by_size);
	for (uint32_t i = 0; list && i < count; i++)
		pod[i] = list[i].pod;
	free(list);
}

void karpenter_claims_clear(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	for (uint32_t i = 0; i < kp->claims; i++) {
		free(kp->claim[i].may);
		free(kp->claim[i].pod);
	}
	kp->claims = 0;
}

/* Of those that ran: has it no place, or one that is not there yet? */
static bool is_stranded(const struct kube_scaler *s, uint32_t pod)
{
	const struct kube_pod *of = &s->k->pod[pod];
	if (of->state != KUBE_POD_BOUND && of->state != KUBE_POD_WAITS)
		return false;
	return of->node == KUBE_NO || s->node[of->node].state == ELASTIC_ORDERED;
}

uint32_t karpenter_solve(struct kube_scaler *s, uint32_t *pod, uint32_t count, bool existing)
{
	uint32_t stranded = 0;
	bool depends = false;
	sort_pods(s, pod, count);
	count_left(s);
	for (uint32_t i = 0; i < count && !depends; i++)
		depends = depends_on_others(s, pod[i]);
	if (depends)
		show_zones(s);
	for (uint32_t i = 0; i < s->k->nodes; i++)
		if (s->node[i].state == ELASTIC_ORDERED)
			elastic_show(s, i);
	for (uint32_t i = 0; i < count; i++) {
		if ((existing && add_to_node(s, pod[i], false)) || add_to_node(s, pod[i], true) ||
			add_to_open(s, pod[i]))
			continue;
		(void)add_to_new(s, pod[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		stranded += is_stranded(s, pod[i]);
	memset(s->karpenter->shown, 0, s->k->nodes);
	return stranded;
}

uint32_t karpenter_launch(struct kube_scaler *s, uint32_t offer)
{
	const uint32_t node = offer == KUBE_NO ? KUBE_NO : free_slot(s, &s->karpenter->offer[offer]);
	if (node != KUBE_NO)
		elastic_order(s, node, s->k->now + s->karpenter->provisioning);
	return node;
}
