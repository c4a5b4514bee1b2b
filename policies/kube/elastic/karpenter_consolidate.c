/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_consolidate.c - is it worth to remove these nodes, or to replace them by one
 * (pkg/controllers/disruption: consolidation.go, multinodeconsolidation.go, helpers.go).
 *
 * All their pods have to find places on nodes that are there, and on at most one new node. That has to be
 * cheaper than what it replaces: an instance type is left whose price would be lower whichever of its offers
 * is launched. Spot nodes are replaced by spot nodes only with the feature gate SpotToSpotConsolidation; one
 * of them alone only where 15 types are cheaper, of which the cheapest 15 are left. Of several nodes the
 * largest number is looked for, from the least costly on, by halving; a replacement of a type that one of
 * them has must be cheaper than that one, else it could be kept.
 */
#include "policies/kube/elastic/karpenter.h"

#include <string.h>

bool karpenter_simulate(struct kube_scaler *s, const uint32_t *node, uint32_t count)
{
	struct elastic_karpenter *kp = s->karpenter;
	struct kube *k = s->k;
	uint32_t pods = elastic_pending(s, INT64_MIN, kp->pod);
	bool good = true;
	for (uint32_t i = 0; i < count; i++) {
		kp->gone[node[i]] = 1;
		for (uint32_t pod = k->node[node[i]].first; pod != KUBE_NO && good; pod = k->pod[pod].next) {
			good = pods < 4 * ELASTIC_PODS_MAX;
			if (good)
				kp->pod[pods++] = pod;
		}
	}
	for (uint32_t i = 0; good && i < pods; i++)
		if (k->pod[kp->pod[i]].node != KUBE_NO)
			elastic_lift(s, kp->pod[i]);
	for (uint32_t i = 0; good && i < count; i++)
		elastic_hide(s, node[i]);
	good = good && karpenter_solve(s, kp->pod, pods, true) == 0;
	for (uint32_t i = 0; i < count; i++)
		kp->gone[node[i]] = 0;
	return good && !k->err.status;
}

/* ---- Price --------------------------------------------------------------------------------------- */

static struct karpenter_offer *offer_at(
	const struct kube_scaler *s, const struct karpenter_claim *claim, uint32_t at)
{
	return &s->karpenter->offer[s->karpenter->pool[claim->pool].offer[at]];
}

static void keep_spot(const struct kube_scaler *s, struct karpenter_claim *claim)
{
	for (uint32_t i = 0; i < s->karpenter->pool[claim->pool].offers; i++)
		if (!offer_at(s, claim, i)->spot)
			claim->may[i] = 0;
}

static bool has_kind(const struct kube_scaler *s, const struct karpenter_claim *claim, bool spot)
{
	for (uint32_t i = 0; i < s->karpenter->pool[claim->pool].offers; i++)
		if (claim->may[i] && offer_at(s, claim, i)->spot == spot)
			return true;
	return false;
}

/* The most that a type may cost: of its spot offers, if it has any; else of the others. */
static int64_t worst_price(const struct kube_scaler *s, const struct karpenter_claim *claim, const char *type)
{
	int64_t worst[2] = { -1, -1 };
	for (uint32_t i = 0; i < s->karpenter->pool[claim->pool].offers; i++) {
		const struct karpenter_offer *offer = offer_at(s, claim, i);
		if (claim->may[i] && offer->type == type && offer->price > worst[offer->spot])
			worst[offer->spot] = offer->price;
	}
	return worst[1] >= 0 ? worst[1] : worst[0];
}

/* Types that are cheaper than that. */
static bool keep_cheaper(const struct kube_scaler *s, struct karpenter_claim *claim, int64_t price)
{
	const uint32_t offers = s->karpenter->pool[claim->pool].offers;
	bool any = false;
	for (uint32_t i = 0; i < offers; i++) {
		if (!claim->may[i])
			continue;
		const char *type = offer_at(s, claim, i)->type;
		if (worst_price(s, claim, type) < price) {
			any = true;
			continue;
		}
		for (uint32_t j = i; j < offers; j++)
			if (offer_at(s, claim, j)->type == type)
				claim->may[j] = 0;
	}
	return any;
}

/* The cheapest types, at most so many, are left. Returns how many there were. */
static uint32_t keep_types(const struct kube_scaler *s, struct karpenter_claim *claim, uint32_t most)
{
	const uint32_t offers = s->karpenter->pool[claim->pool].offers;
	uint32_t types = 0;
	for (uint32_t i = 0; i < offers; i++) {
		if (!claim->may[i])
			continue;
		bool new = true;
		for (uint32_t j = 0; j < i && new; j++)
			new = !claim->may[j] || offer_at(s, claim, j)->type != offer_at(s, claim, i)->type;
		types += new;
		if (types > most)
			claim->may[i] = 0;
	}
	return types;
}

static bool all_spot(const struct kube_scaler *s, const uint32_t *node, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!s->karpenter->offer[s->node[node[i]].offer].spot)
			return false;
	return true;
}

static bool spot_to_spot(
	const struct kube_scaler *s, struct karpenter_claim *claim, uint32_t count, int64_t price)
{
	if (!s->karpenter->spot_to_spot)
		return false;
	keep_spot(s, claim);
	if (!keep_cheaper(s, claim, price))
		return false;
	return count > 1 || keep_types(s, claim, KARPENTER_SPOT_TYPES) >= KARPENTER_SPOT_TYPES;
}

/* What replaces them costs less than they do together. */
static bool is_cheaper(
	const struct kube_scaler *s, struct karpenter_claim *claim, const uint32_t *node, uint32_t count)
{
	int64_t price = 0;
	for (uint32_t i = 0; i < count; i++)
		price += s->node[node[i]].price;
	if (all_spot(s, node, count) && has_kind(s, claim, true))
		return spot_to_spot(s, claim, count, price);
	if (!keep_cheaper(s, claim, price))
		return false;
	if (has_kind(s, claim, true) && has_kind(s, claim, false))
		keep_spot(s, claim);
	return true;
}

/* multinodeconsolidation.go, filterOutSameType. */
static bool is_sensible(
	const struct kube_scaler *s, struct karpenter_claim *claim, const uint32_t *node, uint32_t count)
{
	int64_t most = INT64_MAX;
	for (uint32_t i = 0; i < s->karpenter->pool[claim->pool].offers; i++)
		for (uint32_t j = 0; claim->may[i] && j < count; j++) {
			const struct elastic_node *old = &s->node[node[j]];
			if (s->karpenter->offer[old->offer].type == offer_at(s, claim, i)->type &&
				old->price < most)
				most = old->price;
		}
	return most == INT64_MAX || keep_cheaper(s, claim, most);
}

/* ---- One, or several ------------------------------------------------------------------------------- */

bool karpenter_consolidate(struct kube_scaler *s, uint32_t *node, uint32_t count)
{
	struct elastic_karpenter *kp = s->karpenter;
	bool good = karpenter_simulate(s, node, count) && kp->claims <= 1;
	elastic_undo(s, 0);
	kp->replacement = KUBE_NO;
	if (good && kp->claims) {
		good = is_cheaper(s, &kp->claim[0], node, count) &&
		       (count == 1 || is_sensible(s, &kp->claim[0], node, count));
		kp->replacement = karpenter_cheapest(s, &kp->claim[0]);
	}
	karpenter_claims_clear(s);
	if (!good)
		return false;
	memmove(kp->chosen, node, count * sizeof(*node));
	kp->chosen_count = count;
	return true;
}

bool karpenter_multi(struct kube_scaler *s, const struct karpenter_candidate *candidate, uint32_t count)
{
	struct elastic_karpenter *kp = s->karpenter;
	uint32_t node[KARPENTER_BATCH_NODES], best = 0;
	if (count < 2)
		return false;
	for (uint32_t i = 0; i < count; i++)
		node[i] = candidate[i].node;
	for (uint32_t least = 1, most = count - 1; least <= most;) {
		const uint32_t middle = (least + most) / 2;
		if (karpenter_consolidate(s, node, middle + 1)) {
			best = middle + 1;
			least = middle + 1;
		} else {
			most = middle - 1;
		}
	}
	/* What was chosen last that will do. */
	return best && karpenter_consolidate(s, node, best) && kp->chosen_count == best;
}
