/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_find.c - the search for devices: claims, requests and devices in order, depth first; the first
 * full solution is used, none is scored. Within a request devices are tried in ascending order only, so that
 * a shared one serves it once at most.
 *
 * Rules of the structured allocator of Kubernetes 1.36 (allocateOne, allocateDevice): a device is one
 * claim's, unless it allows several; admin access ignores other allocations; counters of a pool, and
 * capacities of devices, are not to be exceeded; taints have to be tolerated; constraints apply across a
 * claim. All devices: every one that matches, at least one. A claim that would have more than 32 devices
 * falls back to the next alternative.
 *
 * Some failures are errors, after which no other node is tried: a selector that cannot be evaluated, all
 * devices of a pool that is incomplete or invalid, all devices where a constraint does not let one of them
 * in, more than 32 devices at least.
 */
#include <stdio.h>
#include <string.h>

#include "policies/kube/kube_dra.h"

enum found { FOUND, NONE, TOO_MANY, STOPPED };

struct search {
	struct kube_dra *dra;
	struct dra_claim *claim[DRA_OPEN_MAX]; /* Those not allocated yet. */
	uint32_t claims, node;
	const uint32_t *device; /* Of the node. */
	uint32_t devices;
};

/* Where the search stands. */
struct place {
	uint32_t claim, request, alternative;
	uint32_t got;  /* Devices of the request. */
	uint32_t from; /* The next of the node's to be tried. */
};

bool dra_reaches(const struct kube *k, const struct dra_reach *reach, uint32_t node)
{
	if (reach->all || reach->node == node)
		return true;
	for (uint32_t i = 0; i < reach->terms; i++)
		if (sl_label_selects(&reach->term[i], &k->node[node].labels))
			return true;
	return false;
}

static struct dra_device *device_at(const struct search *s, uint32_t at)
{
	return &s->dra->device[s->device[at]];
}

static const struct dra_needs *needs_at(const struct search *s, const struct place *at)
{
	return &s->claim[at->claim]->request[at->request].needs[at->alternative];
}

static enum found fail(struct search *s, const struct place *at, const char *what)
{
	struct kube_dra *dra = s->dra;
	const struct dra_claim *claim = s->claim[at->claim];
	(void)snprintf(dra->error, sizeof(dra->error), "claim %.64s/%.64s, request %.64s: %.300s",
		claim->namespace, claim->name, claim->request[at->request].name, what);
	dra->why = dra->error;
	dra->failed = true;
	return STOPPED;
}

/* A node that has some of an extended resource serves it itself. */
static bool is_asked(const struct search *s, const struct dra_request *request)
{
	return request->resource == KUBE_NO || kube_dra_serves(s->dra->k, s->node, request->resource);
}

/* ---- Which devices --------------------------------------------------------------------------- */

static enum cel_truth all_hold(
	struct kube_dra *dra, struct cel *const *selector, uint32_t count, const struct cel_device *device)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *why;
		const enum cel_truth truth = cel_holds(selector[i], device, &why);
		if (truth == CEL_FAILED)
			dra->why = why;
		if (truth != CEL_YES)
			return truth;
	}
	return CEL_YES;
}

/* Do the class's and the request's selectors match? Evaluated once. */
static enum cel_truth matches(struct kube_dra *dra, const struct dra_needs *needs, uint32_t device)
{
	const struct cel_device *seen = &dra->device[device].seen;
	if (!needs->fits[device]) {
		enum cel_truth truth = all_hold(dra, needs->class->selector, needs->class->selectors, seen);
		if (truth == CEL_YES)
			truth = all_hold(dra, needs->selector, needs->selectors, seen);
		if (truth == CEL_FAILED)
			return truth;
		needs->fits[device] = (uint8_t)(1 + truth);
	}
	return (enum cel_truth)(needs->fits[device] - 1);
}

static bool is_tolerated(const struct dra_device *device, const struct dra_needs *needs)
{
	for (uint32_t i = 0; i < device->taints.count; i++)
		if (device->taints.at[i].effect != SL_PREFER_NO_SCHEDULE &&
			!sl_tolerates(&needs->tolerations, &device->taints.at[i]))
			return false;
	return true;
}

static bool is_usable(const struct kube_dra *dra, const struct dra_device *device)
{
	return !dra->pool[device->pool].incomplete && !dra->pool[device->pool].invalid;
}

static bool is_in_use(const struct search *s, const struct place *at, const struct dra_device *device)
{
	if (device->seen.shared)
		return false;
	return needs_at(s, at)->admin ? device->trying >> at->claim & 1 : device->users || device->trying;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool concerns(const struct dra_constraint *constraint, const struct dra_request *request,
	const struct dra_needs *needs)
{
	const size_t len = strlen(request->name);
	for (uint32_t i = 0; i < constraint->requests; i++) {
		const char *name = constraint->request[i];
		if (strncmp(name, request->name, len) != 0)
			continue;
		if (!name[len] || (request->alternatives && name[len] == '/' &&
					  strcmp(name + len + 1, needs->name) == 0))
			return true;
	}
	return !constraint->requests;
}

static bool is_same(const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == CEL_VERSION ? strcmp(a->text, b->text) == 0 : cel_equal(a, b);
}

/* matchAttribute compares with the first device. distinctAttribute remembers one device a request, the last
 * one, and forgets it as any device of the request is put back: so a request for several may get equal ones,
 * in Kubernetes as here. */
static bool put_under(const struct dra_constraint *constraint, struct dra_held *held, uint32_t request,
	const struct dra_device *device)
{
	const struct cel_value *value = cel_attribute(&device->seen, constraint->domain, constraint->name);
	if (!value)
		return false;
	if (!constraint->distinct) {
		if (held->devices && !is_same(held->value[0], value))
			return false;
		if (!held->devices++)
			held->value[0] = value;
		return true;
	}
	for (uint32_t i = 0; held->devices && i < DRA_REQUESTS_MAX; i++)
		if (held->value[i] && is_same(held->value[i], value))
			return false;
	held->value[request] = value;
	held->devices++;
	return true;
}

static void take_from(const struct dra_constraint *constraint, struct dra_held *held, uint32_t request)
{
	if (constraint->distinct)
		held->value[request] = NULL;
	held->devices--;
}

/* From the first `count` constraints of the claim. */
static void leave_constraints(const struct search *s, const struct place *at, uint32_t count)
{
	const struct dra_claim *claim = s->claim[at->claim];
	for (uint32_t i = 0; i < count; i++)
		if (concerns(&claim->constraint[i], &claim->request[at->request], needs_at(s, at)))
			take_from(&claim->constraint[i], &s->dra->held[at->claim][i], at->request);
}

static bool enter_constraints(const struct search *s, const struct place *at, const struct dra_device *device)
{
	const struct dra_claim *claim = s->claim[at->claim];
	for (uint32_t i = 0; i < claim->constraints; i++) {
		if (!concerns(&claim->constraint[i], &claim->request[at->request], needs_at(s, at)) ||
			put_under(&claim->constraint[i], &s->dra->held[at->claim][i], at->request, device))
			continue;
		leave_constraints(s, at, i);
		return false;
	}
	return true;
}

/* ---- One device ------------------------------------------------------------------------------ */

static enum found try_device(struct search *s, const struct place *at, struct dra_device *device)
{
	struct kube_dra *dra = s->dra;
	const struct dra_needs *needs = needs_at(s, at);
	if (is_in_use(s, at, device) || !dra_has_counters(dra, device) || !is_tolerated(device, needs))
		return NONE;
	if (!enter_constraints(s, at, device)) {
		char text[DRA_TEXT_MAX];
		(void)snprintf(text, sizeof(text),
			"cannot add device %s/%s/%s because a claim constraint would not be satisfied",
			device->seen.driver, dra->pool[device->pool].name, device->name);
		return needs->all ? fail(s, at, text) : NONE;
	}
	if (!dra_has_capacity(device, needs)) {
		leave_constraints(s, at, s->claim[at->claim]->constraints);
		return NONE;
	}
	dra_try(dra, device, needs);
	dra->pick[dra->picks++] = (struct dra_pick){ device, needs, s->claim[at->claim], at->claim,
		at->request, at->alternative };
	if (!device->seen.shared)
		device->trying |= UINT64_C(1) << at->claim;
	return FOUND;
}

static void take_back(struct search *s)
{
	struct kube_dra *dra = s->dra;
	const struct dra_pick *pick = &dra->pick[--dra->picks];
	const struct place at = {
		.claim = pick->claim, .request = pick->request, .alternative = pick->alternative
	};
	if (!pick->device->seen.shared)
		pick->device->trying &= ~(UINT64_C(1) << pick->claim);
	dra_untry(dra, pick->device, pick->needs);
	leave_constraints(s, &at, s->claim[at.claim]->constraints);
}

static uint32_t picked(const struct search *s, uint32_t claim)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->dra->picks; i++)
		count += s->dra->pick[i].claim == claim;
	return count;
}

/* ---- The search ------------------------------------------------------------------------------ */

static enum found search_on(struct search *s, struct place at);

/* Is it a candidate? NONE: no. */
static enum found looks_good(struct search *s, const struct place *at, uint32_t device)
{
	const struct dra_needs *needs = needs_at(s, at);
	struct dra_device *of = &s->dra->device[device];
	if (!is_usable(s->dra, of) || (!needs->all && is_in_use(s, at, of)))
		return NONE;
	const enum cel_truth truth = matches(s->dra, needs, device);
	if (truth == CEL_FAILED)
		return fail(s, at, s->dra->why);
	if (truth == CEL_NO || !dra_has_capacity(of, needs))
		return NONE;
	return FOUND;
}

static enum found next_device(struct search *s, struct place at)
{
	const struct dra_needs *needs = needs_at(s, &at);
	if (at.got >= needs->on_node)
		return search_on(s, (struct place){ .claim = at.claim, .request = at.request + 1 });
	for (; at.from < s->devices; at.from++) {
		if (++s->dra->steps > DRA_STEPS_MAX) {
			s->dra->why = "the search for devices took too many steps: narrow the selectors";
			return STOPPED;
		}
		enum found found = looks_good(s, &at, s->device[at.from]);
		if (found == FOUND)
			found = try_device(s, &at, device_at(s, at.from));
		else if (found == NONE)
			continue;
		if (found == NONE && !needs->all)
			continue;
		if (found != FOUND)
			return found;
		struct place next = at;
		next.got++;
		next.from++;
		found = next_device(s, next);
		if (found == FOUND)
			return FOUND;
		take_back(s);
		if (found != NONE || needs->all)
			return found;
	}
	return NONE;
}

static enum found search_needs(struct search *s, const struct place *at)
{
	const struct dra_needs *needs = needs_at(s, at);
	if (!needs->on_node)
		return NONE;
	if (picked(s, at->claim) + needs->on_node > DRA_RESULTS_MAX)
		return TOO_MANY;
	return next_device(s, *at);
}

/* The request at hand, and all behind it. */
static enum found search_on(struct search *s, struct place at)
{
	if (at.claim == s->claims)
		return FOUND;
	const struct dra_claim *claim = s->claim[at.claim];
	if (at.request == claim->requests) {
		const enum found found = search_on(s, (struct place){ .claim = at.claim + 1 });
		return found == TOO_MANY ? NONE : found;
	}
	if (!is_asked(s, &claim->request[at.request]))
		return search_on(s, (struct place){ .claim = at.claim, .request = at.request + 1 });
	bool all_too_many = true;
	for (; at.alternative < claim->request[at.request].asks; at.alternative++) {
		const enum found found = search_needs(s, &at);
		if (found == FOUND || found == STOPPED)
			return found;
		all_too_many &= found == TOO_MANY;
	}
	return all_too_many ? TOO_MANY : NONE;
}

/* ---- What it asks of this node --------------------------------------------------------------- */

/* How many there are for "all". Pools that have counters are looked at by all nodes. */
static enum found count_all(struct search *s, const struct place *at, uint32_t *count)
{
	struct kube_dra *dra = s->dra;
	for (uint32_t i = 0; i < dra->pools; i++)
		if (dra->pool[i].counters && dra->pool[i].incomplete)
			return fail(s, at, "asks for all devices, but a resource pool is being updated");
	for (uint32_t i = 0; i < s->devices; i++) {
		const struct dra_pool *pool = &dra->pool[device_at(s, i)->pool];
		if (pool->incomplete)
			return fail(s, at, "asks for all devices, but a resource pool is being updated");
		if (pool->invalid)
			return fail(s, at, "asks for all devices, but a resource pool is invalid");
		const enum found found = looks_good(s, at, s->device[i]);
		if (found == STOPPED)
			return found;
		*count += found == FOUND;
	}
	return FOUND;
}

/* The fewest devices that the claim can do with have to be few enough. */
static enum found prepare_claim(struct search *s, uint32_t claim)
{
	uint64_t least = 0;
	struct place at = { .claim = claim };
	for (; at.request < s->claim[claim]->requests; at.request++) {
		const struct dra_request *request = &s->claim[claim]->request[at.request];
		uint32_t fewest = is_asked(s, request) ? UINT32_MAX : 0;
		for (at.alternative = 0; fewest && at.alternative < request->asks; at.alternative++) {
			struct dra_needs *needs = &request->needs[at.alternative];
			needs->on_node = needs->all ? 0 : (uint32_t)needs->count;
			if (needs->all && count_all(s, &at, &needs->on_node) == STOPPED)
				return STOPPED;
			fewest = needs->on_node < fewest ? needs->on_node : fewest;
		}
		least += fewest;
	}
	at.request = 0;
	return least > DRA_RESULTS_MAX ? fail(s, &at, "more devices are requested than the 32 of a claim")
				       : FOUND;
}

static enum found search_all(struct search *s)
{
	memset(s->dra->held, 0, s->claims * sizeof(s->dra->held[0]));
	for (uint32_t i = 0; i < s->claims; i++)
		if (prepare_claim(s, i) == STOPPED)
			return STOPPED;
	return search_on(s, (struct place){ .claim = 0 });
}

bool dra_find(struct kube_dra *dra, const struct dra_claims *claims, uint32_t node)
{
	struct search s = { .dra = dra,
		.node = node,
		.device = &dra->on_node[dra->node_first[node]],
		.devices = dra->node_first[node + 1] - dra->node_first[node] };
	for (uint32_t i = 0; i < claims->count; i++)
		if (claims->at[i]->template || !claims->at[i]->users)
			s.claim[s.claims++] = claims->at[i];
	dra->picks = dra->steps = 0;
	dra->why = NULL;
	const bool found = search_all(&s) == FOUND;
	for (uint32_t i = 0; !found && !dra->why && i < s.devices; i++)
		if (dra->pool[device_at(&s, i)->pool].invalid)
			dra->why = "invalid resource pools were encountered";
	/* Nothing is allocated yet: the caller does so, or not. */
	const uint32_t picks = found ? dra->picks : 0;
	while (dra->picks)
		take_back(&s);
	dra->picks = picks;
	return found;
}
