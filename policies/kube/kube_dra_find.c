/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_find.c - the search for devices: claims, requests and devices in order, depth first; the first
 * full solution is used, none is scored. Within a request devices are tried in ascending order only, as
 * which of them came first changes nothing.
 *
 * Rules of allocateOne and allocateDevice (structured allocator of Kubernetes 1.36): a device is one
 * claim's, unless it allows several; admin access ignores other allocations; counters of a pool, and
 * capacities of devices that are shared, are not to be exceeded; taints have to be tolerated; constraints
 * apply across a claim. All devices: every one that matches, at least one, and no pool that the node reaches
 * may be incomplete or invalid. A claim that would have more than 32 devices falls back to the next
 * alternative.
 */
#include <string.h>

#include "policies/kube/kube_dra.h"

enum found { FOUND, NONE, TOO_MANY, STOPPED };

struct search {
	struct kube_dra *dra;
	struct dra_claim *claim[DRA_CLAIMS_MAX]; /* Those not allocated yet. */
	uint32_t claims;
	const uint32_t *device; /* Of the node. */
	uint32_t devices;
};

/* Where the search stands. */
struct place {
	uint32_t claim, request, alternative;
	uint32_t got, wanted; /* Devices of the request. */
	uint32_t from;        /* The next of the node's to be tried. */
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

/* ---- Amounts --------------------------------------------------------------------------------- */

static const struct dra_want *want_of(
	const struct dra_device *device, const struct dra_needs *needs, uint32_t capacity)
{
	const struct cel_entry *name = &device->seen.capacity[capacity];
	const char *domain = *name->domain ? name->domain : device->seen.driver;
	for (uint32_t i = 0; i < needs->wants; i++)
		if (strcmp(needs->want[i].name, name->name) == 0 &&
			strcmp(*needs->want[i].domain ? needs->want[i].domain : device->seen.driver,
				domain) == 0)
			return &needs->want[i];
	return NULL;
}

static int64_t rounded(const struct dra_capacity *capacity, int64_t amount)
{
	if (capacity->least != SL_NONE) {
		if (amount <= capacity->least)
			return capacity->least;
		if (capacity->step <= 0)
			return amount;
		const int64_t over = (amount - capacity->least) % capacity->step;
		return over && amount <= INT64_MAX - capacity->step ? amount + capacity->step - over : amount;
	}
	for (uint32_t i = 0; i < capacity->valid_count; i++)
		if (capacity->valid[i] >= amount)
			return capacity->valid[i];
	return amount;
}

/* What it consumes of a capacity; below 0: it requests what the policy forbids. */
static int64_t taken(const struct dra_device *device, const struct dra_needs *needs, uint32_t at)
{
	const struct dra_capacity *capacity = &device->capacity[at];
	const struct dra_want *want = want_of(device, needs, at);
	if (!want)
		return capacity->preset != SL_NONE ? capacity->preset : capacity->total;
	const int64_t amount = rounded(capacity, want->amount);
	if (capacity->most != SL_NONE && amount > capacity->most)
		return -1;
	if (capacity->valid_count && amount > capacity->valid[capacity->valid_count - 1])
		return -1;
	return amount;
}

static bool has_capacity(const struct dra_device *device, const struct dra_needs *needs)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < device->seen.capacities; i++) {
		const struct dra_capacity *capacity = &device->capacity[i];
		known += want_of(device, needs, i) != NULL;
		const int64_t amount = taken(device, needs, i);
		if (amount < 0 || amount > capacity->total - (device->seen.shared ? capacity->used : 0))
			return false;
	}
	return known >= needs->wants; /* What it requests, the device has to have. */
}

static bool has_counters(const struct kube_dra *dra, const struct dra_device *device)
{
	for (uint32_t i = 0; i < device->needs; i++) {
		const struct dra_counter *counter = &dra->counter[device->need[i].counter];
		if (device->need[i].amount > counter->total - counter->used)
			return false;
	}
	return true;
}

static void count_needs(struct kube_dra *dra, const struct dra_device *device, int64_t sign)
{
	for (uint32_t i = 0; i < device->needs; i++)
		dra->counter[device->need[i].counter].used += sign * device->need[i].amount;
}

bool dra_try(struct dra_device *device, const struct dra_needs *needs, struct kube_dra *dra)
{
	if (!needs->admin && !device->seen.shared && device->users)
		return false;
	if (!(device->seen.shared && device->users) && !has_counters(dra, device))
		return false;
	if (!has_capacity(device, needs))
		return false;
	if (needs->admin)
		return true;
	if (device->users++ == 0)
		count_needs(dra, device, 1);
	for (uint32_t i = 0; device->seen.shared && i < device->seen.capacities; i++)
		device->capacity[i].used += taken(device, needs, i);
	return true;
}

void dra_put_back(struct dra_device *device, const struct dra_needs *needs, struct kube_dra *dra)
{
	if (needs->admin)
		return;
	if (--device->users == 0)
		count_needs(dra, device, -1);
	for (uint32_t i = 0; device->seen.shared && i < device->seen.capacities; i++)
		device->capacity[i].used -= taken(device, needs, i);
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

/* Beside those that the claim has already; the last pick is the new one. */
static bool constraint_holds(const struct search *s, const struct dra_constraint *constraint)
{
	const struct kube_dra *dra = s->dra;
	const struct dra_pick *last = &dra->pick[dra->picks - 1];
	const struct dra_claim *claim = s->claim[last->claim];
	if (!concerns(constraint, &claim->request[last->request], last->needs))
		return true;
	const struct cel_value *value =
		cel_attribute(&last->device->seen, constraint->domain, constraint->name);
	if (!value)
		return false;
	for (uint32_t i = 0; i + 1 < dra->picks; i++) {
		const struct dra_pick *other = &dra->pick[i];
		if (other->claim != last->claim ||
			!concerns(constraint, &claim->request[other->request], other->needs))
			continue;
		const struct cel_value *theirs =
			cel_attribute(&other->device->seen, constraint->domain, constraint->name);
		const bool same = theirs->kind == value->kind &&
				  (value->kind == CEL_VERSION ? strcmp(value->text, theirs->text) == 0
							      : cel_equal(value, theirs));
		if (same == constraint->distinct)
			return false;
	}
	return true;
}

static bool constraints_hold(const struct search *s)
{
	const struct dra_claim *claim = s->claim[s->dra->pick[s->dra->picks - 1].claim];
	for (uint32_t i = 0; i < claim->constraints; i++)
		if (!constraint_holds(s, &claim->constraint[i]))
			return false;
	return true;
}

/* ---- The search ------------------------------------------------------------------------------ */

static struct dra_needs *needs_at(const struct search *s, const struct place *at)
{
	return &s->claim[at->claim]->request[at->request].needs[at->alternative];
}

static bool try_device(struct search *s, const struct place *at, struct dra_device *device)
{
	struct kube_dra *dra = s->dra;
	const struct dra_needs *needs = needs_at(s, at);
	const uint32_t bit = 1U << at->claim;
	if (!device->seen.shared && (needs->admin ? device->trying & bit : device->trying))
		return false;
	if (!is_tolerated(device, needs) || !dra_try(device, needs, dra))
		return false;
	dra->pick[dra->picks++] = (struct dra_pick){ device, needs, at->claim, at->request, at->alternative };
	if (!constraints_hold(s)) {
		dra->picks--;
		dra_put_back(device, needs, dra);
		return false;
	}
	if (!device->seen.shared)
		device->trying |= bit;
	return true;
}

static void take_back(struct search *s)
{
	struct kube_dra *dra = s->dra;
	const struct dra_pick *pick = &dra->pick[--dra->picks];
	if (!pick->device->seen.shared)
		pick->device->trying &= ~(1U << pick->claim);
	dra_put_back(pick->device, pick->needs, dra);
}

static uint32_t picked(const struct search *s, uint32_t claim)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->dra->picks; i++)
		count += s->dra->pick[i].claim == claim;
	return count;
}

static enum found search_on(struct search *s, struct place at);

/* How many there are for "all"; none where that cannot be known. */
static uint32_t count_all(struct search *s, const struct dra_needs *needs)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->devices; i++) {
		const struct dra_device *device = &s->dra->device[s->device[i]];
		if (!is_usable(s->dra, device)) {
			s->dra->why =
				"all devices are asked for, and a resource pool is incomplete or invalid";
			return 0;
		}
		count += matches(s->dra, needs, s->device[i]) == CEL_YES && has_capacity(device, needs);
	}
	return count;
}

static enum found next_device(struct search *s, struct place at)
{
	struct dra_needs *needs = needs_at(s, &at);
	if (at.got >= at.wanted)
		return search_on(s, (struct place){ .claim = at.claim, .request = at.request + 1 });
	for (; at.from < s->devices; at.from++) {
		struct dra_device *device = &s->dra->device[s->device[at.from]];
		if (++s->dra->steps > DRA_STEPS_MAX) {
			s->dra->why = "the search for devices took too many steps: narrow the selectors";
			return STOPPED;
		}
		if (!is_usable(s->dra, device))
			continue;
		const enum cel_truth truth = matches(s->dra, needs, s->device[at.from]);
		if (truth == CEL_FAILED)
			return STOPPED;
		if (truth == CEL_NO || (needs->all && !has_capacity(device, needs)))
			continue;
		if (!try_device(s, &at, device)) {
			if (needs->all)
				return NONE;
			continue;
		}
		struct place next = at;
		next.got++;
		next.from++;
		const enum found found = next_device(s, next);
		if (found == FOUND)
			return FOUND;
		take_back(s);
		if (found != NONE || needs->all)
			return found;
	}
	return NONE;
}

static enum found search_needs(struct search *s, struct place at)
{
	const struct dra_needs *needs = needs_at(s, &at);
	at.wanted = needs->all ? count_all(s, needs) : (uint32_t)needs->count;
	if (needs->all && !at.wanted)
		return NONE;
	if (picked(s, at.claim) + at.wanted > DRA_RESULTS_MAX)
		return TOO_MANY;
	return next_device(s, at);
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
	bool all_too_many = true;
	for (; at.alternative < claim->request[at.request].asks; at.alternative++) {
		const enum found found = search_needs(s, at);
		if (found == FOUND || found == STOPPED)
			return found;
		all_too_many &= found == TOO_MANY;
	}
	return all_too_many ? TOO_MANY : NONE;
}

bool dra_find(struct kube_dra *dra, const struct dra_claims *claims, uint32_t node)
{
	struct search s = { .dra = dra,
		.device = &dra->on_node[dra->node_first[node]],
		.devices = dra->node_first[node + 1] - dra->node_first[node] };
	for (uint32_t i = 0; i < claims->count; i++)
		if (claims->at[i]->template || !claims->at[i]->users)
			s.claim[s.claims++] = claims->at[i];
	dra->picks = dra->steps = 0;
	dra->why = NULL;
	const bool found = search_on(&s, (struct place){ .claim = 0 }) == FOUND;
	/* Nothing is allocated yet: the caller does so, or not. */
	const uint32_t picks = found ? dra->picks : 0;
	while (dra->picks)
		take_back(&s);
	dra->picks = picks;
	return found;
}
