/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra.c - plugin DynamicResources: claims of pods, reserved as a pod gets its node and free as it
 * leaves.
 *
 * A template makes a claim for each pod. A ResourceClaim by name is shared by up to 256 pods: the first that
 * is scheduled allocates it, the others go where its devices are reached, and it is deallocated with the
 * last of them. Victims that preemption considers keep their devices meanwhile, as in kube-scheduler: its
 * dry run ignores devices, which are free only once a victim is gone for another reason.
 *
 * Claims have to be there from the beginning: a pod whose claim, template or class is missing waits.
 */
#include "policies/kube/kube_dra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 200 };

static const struct dra_claims *claims_of(const struct kube *k, const struct kube_spec *spec)
{
	return &k->dra->asked[spec->claims - 1];
}

/* ---- Claims of pods -------------------------------------------------------------------------- */

static struct dra_claim *find_claim(
	struct kube_dra *dra, const char *namespace, const char *name, bool template)
{
	for (uint32_t i = 0; dra && i < dra->claims; i++)
		if (dra->claim[i].template == template && strcmp(dra->claim[i].name, name) == 0 &&
			strcmp(dra->claim[i].namespace, namespace) == 0)
			return &dra->claim[i];
	return NULL;
}

static const char *missing_class(const struct dra_claim *claim)
{
	for (uint32_t i = 0; i < claim->requests; i++)
		for (uint32_t at = 0; at < claim->request[i].asks; at++)
			if (!claim->request[i].needs[at].class)
				return claim->request[i].needs[at].class_name;
	return NULL;
}

static void miss(struct dra_claims *claims, const char *what, const char *name)
{
	if (claims->missing)
		return;
	claims->missing = malloc(TEXT_MAX);
	if (claims->missing)
		(void)snprintf(claims->missing, TEXT_MAX, "%s \"%.80s\" not found", what, name);
}

static bool ensure(struct kube *k)
{
	if (!k->dra) {
		k->dra = sl_alloc(k->arena, 1, sizeof(*k->dra));
		if (k->dra) {
			k->dra->k = k;
			k->dra->node_first =
				sl_alloc(k->arena, (size_t)k->nodes + 2, sizeof(*k->dra->node_first));
		}
	}
	if (!k->dra || !k->dra->node_first)
		return (void)sl_fail_memory(&k->err), false;
	return !SL_GROW(k->dra->asked, k->dra->asked_capacity, k->dra->asked_count + 1, &k->err);
}

int kube_dra_needs(struct kube *k, struct kube_spec *spec)
{
	const struct sl_podset *podset = spec->podset;
	const bool extended = dra_asks_extended(k, spec);
	if ((!podset->claim_count && !extended) || !ensure(k))
		return k->err.status;
	if (podset->claim_count > DRA_CLAIMS_MAX)
		return sl_fail(&k->err, SL_INPUT, "a pod has more than %d resource claims: leave some out",
			DRA_CLAIMS_MAX);
	struct dra_claims *claims = &k->dra->asked[k->dra->asked_count++];
	memset(claims, 0, sizeof(*claims));
	spec->claims = (uint32_t)k->dra->asked_count;
	for (uint32_t i = 0; i < podset->claim_count; i++) {
		const bool template = !podset->claim[i].claim;
		const char *name = template ? podset->claim[i].template : podset->claim[i].claim;
		struct dra_claim *claim = find_claim(k->dra, spec->namespace, name, template);
		if (!claim)
			miss(claims, template ? "resourceclaimtemplate" : "resourceclaim", name);
		else if (missing_class(claim))
			miss(claims, "device class", missing_class(claim));
		else
			claims->at[claims->count++] = claim;
	}
	if (extended)
		claims->at[claims->count++] = dra_extended_claim(k, spec);
	return k->err.status;
}

/* ---- Filter and score ------------------------------------------------------------------------ */

static bool is_reached(const struct kube *k, const struct dra_claim *claim, uint32_t node)
{
	if (claim->node != KUBE_NO && claim->node != node)
		return false;
	for (uint32_t i = 0; i < claim->grants; i++)
		if (!dra_reaches(k, &claim->grant[i].device->reach, node))
			return false;
	return true;
}

static bool suits(struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	const struct dra_claims *claims = claims_of(k, spec);
	k->dra->why = claims->missing;
	k->dra->failed = false;
	if (claims->missing)
		return false;
	for (uint32_t i = 0; i < claims->count; i++) {
		const struct dra_claim *claim = claims->at[i];
		if (claim->template || !claim->users)
			continue;
		if (claim->users >= DRA_USERS_MAX) {
			k->dra->why = "resourceclaim in use";
			return false;
		}
		if (!is_reached(k, claim, node)) {
			k->dra->why = "resourceclaim not available on the node";
			return false;
		}
	}
	return dra_find(k->dra, claims, node);
}

const char *kube_dra_why(struct kube *k, const struct kube_spec *spec)
{
	return spec->claims && k->dra->why ? k->dra->why : "cannot allocate all claims";
}

enum kube_why kube_dra_filter(struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	if (suits(k, spec, node))
		return KUBE_FITS;
	return k->dra->failed ? KUBE_WHY_ERROR : KUBE_WHY_DRA;
}

/* Those of firstAvailable that stand further in front count for more; of claims allocated here alone. */
int64_t kube_dra_score(struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	int64_t score = 0;
	if (!suits(k, spec, node))
		return 0;
	for (uint32_t i = 0; i < k->dra->picks; i++) {
		const struct dra_pick *pick = &k->dra->pick[i];
		const bool first = !i || pick[-1].claim != pick->claim || pick[-1].request != pick->request;
		if (first && pick->of->request[pick->request].alternatives)
			score += DRA_ALTERNATIVES_MAX - pick->alternative;
	}
	return score;
}

/* ---- Reserve, Unreserve ---------------------------------------------------------------------- */

struct kube_grants {
	uint32_t count;
	struct dra_grant at[];
};

static void kube_dra_keep(
	struct kube *k, struct kube_pod *pod, const struct dra_claims *claims, uint32_t node)
{
	struct kube_dra *dra = k->dra;
	struct kube_grants *own = malloc(sizeof(*own) + dra->picks * sizeof(own->at[0]));
	if (!own) {
		(void)sl_fail_memory(&k->err);
		return;
	}
	own->count = 0;
	for (uint32_t i = 0; i < dra->picks; i++)
		dra->pick[i].of->node = KUBE_NO;
	for (uint32_t i = 0; i < dra->picks; i++) {
		const struct dra_pick *pick = &dra->pick[i];
		struct dra_claim *claim = pick->of;
		claim->node = pick->device->stays ? node : claim->node;
		const struct dra_grant grant = { pick->device, pick->needs };
		dra_hold(dra, pick->device, pick->needs);
		if (claim->template)
			own->at[own->count++] = grant;
		else
			claim->grant[claim->grants++] = grant;
	}
	for (uint32_t i = 0; i < claims->count; i++)
		if (!claims->at[i]->template)
			claims->at[i]->users++;
	pod->grants = own;
}

void kube_dra_take(struct kube *k, uint32_t pod, uint32_t node)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	SL_CHECK(!k->pod[pod].grants);
	if (suits(k, spec, node))
		kube_dra_keep(k, &k->pod[pod], claims_of(k, spec), node);
}

static void give_back(struct kube *k, const struct dra_grant *grant, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		dra_release(k->dra, grant[i].device, grant[i].needs);
	k->claims_freed |= count > 0;
}

void kube_dra_give(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	if (!of->grants)
		return;
	const struct dra_claims *claims = claims_of(k, &k->spec[of->spec]);
	give_back(k, of->grants->at, of->grants->count);
	for (uint32_t i = 0; i < claims->count; i++) {
		struct dra_claim *claim = claims->at[i];
		if (claim->template || --claim->users)
			continue;
		give_back(k, claim->grant, claim->grants);
		claim->grants = 0;
	}
	free(of->grants);
	of->grants = NULL;
}

/* ---- Queueing hints -------------------------------------------------------------------------- */

/* Whoever waits hears of a claim that is free again; of one that is allocated, or that one of its pods
 * leaves, only those whose claim it is. */
bool kube_dra_share(const struct kube *k, const struct kube_spec *a, const struct kube_spec *b)
{
	if (!a->claims || !b->claims)
		return false;
	const struct dra_claims *mine = claims_of(k, a), *theirs = claims_of(k, b);
	for (uint32_t i = 0; i < mine->count; i++)
		for (uint32_t at = 0; at < theirs->count; at++)
			if (mine->at[i] == theirs->at[at] && !mine->at[i]->template)
				return true;
	return false;
}
