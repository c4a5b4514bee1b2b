/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_pick.c - which domains the pods go to, from the counts (KEP-2724, second phase of the algorithm;
 * TASFlavorSnapshot.findLevelWithFitDomains): the level, its domains, and down to the leaves.
 *
 * BestFit picks the domain with the most free capacity first, and the smallest that suffices as the last one;
 * LeastFreeCapacity begins with the least.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Order -------------------------------------------------------------------------------------- */

static bool kq_tas_pick_before(const struct kq_key *a, const struct kq_key *b)
{
	for (int i = 0; i < 4; i++)
		if (a->cause[i] != b->cause[i])
			return a->cause[i] < b->cause[i];
	return a->domain < b->domain;
}

static struct kq_key kq_tas_pick_key_of(
	const struct kq_found *found, uint32_t domain, bool with_leader, bool least, bool by_affinity)
{
	const int64_t slices = with_leader ? found->slices_with : found->slices;
	return (struct kq_key){ { with_leader ? -found->leader : 0, by_affinity ? -found->affinity : 0,
					least ? slices : -slices,
					with_leader ? found->pods_with : found->pods },
		domain };
}

/* Merge sort, bottom up, after runs of eight put in by hand; key holds twice as many. */
static void sort_keys(struct kq_key *key, uint32_t count)
{
	for (uint32_t run = 0; run < count; run += 8)
		for (uint32_t i = run + 1; i < count && i < run + 8; i++) {
			const struct kq_key one = key[i];
			uint32_t to = i;
			for (; to > run && kq_tas_pick_before(&one, &key[to - 1]); to--)
				key[to] = key[to - 1];
			key[to] = one;
		}
	struct kq_key *from = key, *into = key + count;
	for (size_t width = 8; width < count; width *= 2) {
		for (size_t left = 0; left < count; left += 2 * width) {
			const size_t middle = left + width < count ? left + width : count;
			const size_t end = left + 2 * width < count ? left + 2 * width : count;
			size_t a = left, b = middle;
			for (size_t to = left; to < end; to++)
				into[to] = b >= end || (a < middle && !kq_tas_pick_before(&from[b], &from[a]))
						   ? from[a++]
						   : from[b++];
		}
		struct kq_key *turn = from;
		from = into;
		into = turn;
	}
	if (from != key)
		memcpy(key, from, count * sizeof(*key));
}

void kq_order(struct kq_search *search, const struct kq_found *found, uint32_t *domain, uint32_t count,
	bool with_leader, bool least)
{
	struct kq_key *key = search->kq->tas->key;
	for (uint32_t i = 0; i < count; i++)
		key[i] = kq_tas_pick_key_of(
			&found[domain[i]], domain[i], with_leader, least, search->needs->by_affinity);
	sort_keys(key, count);
	for (uint32_t i = 0; i < count; i++)
		domain[i] = key[i].domain;
}

static int by_values(const struct kq_tas_domain *a, const struct kq_tas_domain *b)
{
	for (uint32_t l = 0; l < a->value_count && l < b->value_count; l++) {
		const int order = strcmp(a->value[l], b->value[l]);
		if (order)
			return order;
	}
	return (a->row > b->row) - (a->row < b->row);
}

void kq_tas_sort(struct kq_tas_domain *domain, uint32_t count, bool unconstrained, bool with_leader,
	bool by_affinity, bool mixed)
{
	for (uint32_t i = 1; i < count; i++) {
		const struct kq_tas_domain one = domain[i];
		uint32_t to = i;
		for (; to > 0; to--) {
			struct kq_key key[2];
			for (int k = 0; k < 2; k++) {
				const struct kq_tas_domain *from = k ? &domain[to - 1] : &one;
				const struct kq_found found = { from->pods, from->pods_with_leader,
					from->slices, from->slices_with_leader, from->affinity,
					from->leader };
				key[k] = kq_tas_pick_key_of(
					&found, 0, with_leader, unconstrained && mixed, by_affinity);
			}
			key[0].domain = by_values(&one, &domain[to - 1]) < 0 ? 0 : 1;
			key[1].domain = 1 - key[0].domain;
			if (!kq_tas_pick_before(&key[0], &key[1]))
				break;
			domain[to] = domain[to - 1];
		}
		domain[to] = one;
	}
}

/* ---- The last one ------------------------------------------------------------------------------- */

enum unit { PODS, SLICES };

/* What is still to be given to domains. */
struct giving {
	enum unit unit;
	int64_t size; /* Pods of a unit. */
	int64_t rest, leaders;
};

static int64_t kq_tas_pick_holds(const struct kq_found *found, enum unit unit, bool with_leader)
{
	if (unit == PODS)
		return with_leader ? found->pods_with : found->pods;
	return with_leader ? found->slices_with : found->slices;
}

/* The first of the smallest that suffice; among those alone that nodes' affinity prefers as it does the
 * first. None: the first. */
static uint32_t best_fit(const struct kq_search *search, const struct kq_found *found, const uint32_t *domain,
	uint32_t count, const struct giving *giving)
{
	uint32_t best = domain[0];
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		const struct kq_found *one = &found[domain[i]];
		if (search->needs->by_affinity && one->affinity != found[domain[0]].affinity)
			break;
		const int64_t capacity = kq_tas_pick_holds(one, giving->unit, giving->leaders > 0);
		if (one->leader >= giving->leaders && capacity >= giving->rest && capacity < least) {
			best = domain[i];
			least = capacity;
		}
	}
	return best;
}

/* A domain that would hold the leader goes first, if what the leader costs there is to spare. */
static void leader_first(
	const struct kq_found *found, uint32_t *domain, uint32_t count, const struct giving *giving)
{
	const int64_t leaders = giving->leaders;
	const enum unit unit = giving->unit;
	int64_t all = 0;
	if (leaders == 0 || count < 2)
		return;
	for (uint32_t i = 0; i < count; i++)
		all += kq_tas_pick_holds(&found[domain[i]], unit, false);
	for (uint32_t i = 0; i < count; i++) {
		const struct kq_found *one = &found[domain[i]];
		const int64_t cost = kq_tas_pick_holds(one, unit, false) - kq_tas_pick_holds(one, unit, true);
		if (one->leader < leaders || all - cost < giving->rest)
			continue;
		const uint32_t first = domain[i];
		memmove(&domain[1], &domain[0], i * sizeof(*domain));
		domain[0] = first;
		return;
	}
}

/* ---- The level and its domains ------------------------------------------------------------------ */

static uint32_t no_room(struct kq_search *search, int64_t fitting, int64_t need)
{
	const char *what = search->needs->size > 1 ? "slices" : "pods";
	if (fitting <= 0)
		(void)snprintf(search->why, KQ_WHY, "topology \"%s\" has no room for any of %" PRId64 " %s",
			search->tree->topology->name, need, what);
	else
		(void)snprintf(search->why, KQ_WHY,
			"topology \"%s\" has room for %" PRId64 " of %" PRId64 " %s only",
			search->tree->topology->name, fitting, need, what);
	return 0;
}

/* Over several domains of one level: those with leaders until all have a place, then for the rest. */
static uint32_t kq_tas_pick_spread(
	struct kq_search *search, uint32_t *domain, uint32_t count, uint32_t *result)
{
	const struct kq_needs *needs = search->needs;
	const struct kq_found *found = search->have;
	const int64_t need = needs->count / needs->size;
	struct giving giving = { SLICES, needs->size, need, needs->leaders };
	uint32_t at = 0, made = 0;
	leader_first(found, domain, count, &giving);
	for (; giving.leaders > 0 && at < count && found[domain[at]].leader > 0; at++) {
		uint32_t one = domain[at];
		if (!needs->least && found[one].slices_with >= giving.rest)
			one = best_fit(search, found, &domain[at], count - at, &giving);
		result[made++] = one;
		giving.leaders -= found[one].leader;
		giving.rest -= found[one].slices_with;
	}
	if (giving.leaders > 0)
		return no_room(search, 0, need);
	kq_order(search, found, &domain[at], count - at, false, needs->least);
	for (; giving.rest > 0 && at < count; at++) {
		uint32_t one = domain[at];
		if (!needs->least && found[one].slices >= giving.rest)
			one = best_fit(search, found, &domain[at], count - at, &giving);
		result[made++] = one;
		giving.rest -= found[one].slices;
	}
	return giving.rest > 0 ? no_room(search, need - giving.rest, need) : made;
}

static bool suffices(const struct kq_needs *needs, const struct kq_found *found)
{
	return found->leader >= needs->leaders && found->slices_with >= needs->count / needs->size;
}

/* Where nodes' affinity is heeded, a preferred level is left if what stands first there does not suffice. */
static bool first_suffices(const struct kq_search *search, uint32_t level)
{
	struct kq_key first = { .domain = KQ_NO };
	for (uint32_t d = search->tree->first[level]; d < search->tree->first[level + 1]; d++) {
		const struct kq_key key = kq_tas_pick_key_of(&search->have[d], d, true, false, true);
		if (first.domain == KQ_NO || kq_tas_pick_before(&key, &first))
			first = key;
	}
	return first.domain != KQ_NO && suffices(search->needs, &search->have[first.domain]);
}

/* One domain for everything, without an order of all: what the first of the order would be, and of those that
 * suffice the one that is taken. KQ_NO: none. */
static uint32_t kq_tas_pick_whole(const struct kq_search *search, uint32_t level)
{
	const struct kq_needs *needs = search->needs;
	const struct kq_tree *tree = search->tree;
	struct kq_key best = { .domain = KQ_NO };
	if (needs->by_affinity && !needs->least && !needs->required && !first_suffices(search, level))
		return KQ_NO;
	for (uint32_t d = tree->first[level]; d < tree->first[level + 1]; d++) {
		if (!suffices(needs, &search->have[d]))
			continue;
		/* The smallest that suffices is the first of an order by least free capacity. */
		const struct kq_key key =
			kq_tas_pick_key_of(&search->have[d], d, true, true, needs->by_affinity);
		if (best.domain == KQ_NO || kq_tas_pick_before(&key, &best))
			best = key;
	}
	return best.domain;
}

/* Domains in result, at *level; 0: none. */
static uint32_t kq_tas_pick_choose(
	struct kq_search *search, uint32_t *list, uint32_t *result, uint32_t *level)
{
	const struct kq_needs *needs = search->needs;
	const struct kq_tree *tree = search->tree;
	for (*level = needs->level;; --*level) {
		const uint32_t first = tree->first[*level], count = tree->first[*level + 1] - first;
		if (count == 0) {
			(void)snprintf(search->why, KQ_WHY, "topology \"%s\" has no domain at level %s",
				tree->topology->name, tree->topology->level[*level]);
			return 0;
		}
		result[0] = kq_tas_pick_whole(search, *level);
		if (result[0] != KQ_NO)
			return 1;
		int64_t most = 0;
		for (uint32_t d = first; d < first + count; d++)
			most = search->have[d].slices > most ? search->have[d].slices : most;
		if (needs->required)
			return no_room(search, most, needs->count / needs->size);
		if (*level > 0 && !needs->unconstrained)
			continue;
		for (uint32_t i = 0; i < count; i++)
			list[i] = first + i;
		kq_order(search, search->have, list, count, true, needs->least);
		return kq_tas_pick_spread(search, list, count, result);
	}
}

/* ---- Down to the leaves ------------------------------------------------------------------------- */

static int64_t *kq_tas_pick_count_of(struct kq_found *found, enum unit unit)
{
	return unit == PODS ? &found->pods : &found->slices;
}

/* With the leader still to be assigned. True: all are assigned. */
static bool give_with_leader(struct kq_search *search, struct giving *giving, const uint32_t *domain,
	uint32_t count, uint32_t *given)
{
	uint32_t one = domain[0];
	if (!search->needs->least &&
		kq_tas_pick_holds(&search->work[one], giving->unit, true) >= giving->rest &&
		search->work[one].leader >= giving->leaders)
		one = best_fit(search, search->work, domain, count, giving);
	struct kq_found *to = &search->work[one];
	int64_t capacity = kq_tas_pick_holds(to, giving->unit, true);
	const bool all = capacity >= giving->rest && to->leader >= giving->leaders;
	capacity = capacity < giving->rest ? capacity : giving->rest;
	if (to->leader > giving->leaders)
		to->leader = giving->leaders;
	*kq_tas_pick_count_of(to, giving->unit) = capacity;
	to->pods = capacity * giving->size;
	giving->rest -= capacity;
	giving->leaders -= to->leader;
	*given = one;
	return all;
}

static bool give(struct kq_search *search, struct giving *giving, const uint32_t *domain, uint32_t count,
	uint32_t *given)
{
	uint32_t one = domain[0];
	if (giving->leaders > 0)
		return give_with_leader(search, giving, domain, count, given);
	if (!search->needs->least &&
		kq_tas_pick_holds(&search->work[one], giving->unit, false) >= giving->rest)
		one = best_fit(search, search->work, domain, count, giving);
	struct kq_found *to = &search->work[one];
	const int64_t capacity = kq_tas_pick_holds(to, giving->unit, false);
	const bool all = capacity >= giving->rest;
	to->leader = 0;
	if (all)
		*kq_tas_pick_count_of(to, giving->unit) = giving->rest;
	to->pods = *kq_tas_pick_count_of(to, giving->unit) * giving->size;
	giving->rest -= all ? giving->rest : capacity;
	*given = one;
	return all;
}

static struct giving giving_of(int64_t pods, int64_t leaders, int64_t size, enum unit unit)
{
	return (struct giving){ unit, unit == SLICES ? size : 1, unit == SLICES ? pods / size : pods,
		leaders };
}

/* What the domains get, in their order; which of them, in result. */
static uint32_t share_out(
	struct kq_search *search, uint32_t *domain, uint32_t count, struct giving giving, uint32_t *result)
{
	uint32_t made = 0;
	leader_first(search->work, domain, count, &giving);
	for (uint32_t i = 0; i < count; i++)
		if (give(search, &giving, &domain[i], count - i, &result[made++]))
			return made;
	(void)snprintf(search->why, KQ_WHY, "topology \"%s\": %" PRId64 " pods have no place",
		search->tree->topology->name, giving.rest * giving.size);
	return giving.rest > 0 || giving.leaders > 0 ? 0 : made;
}

/* Children of the domains, with what they would hold. */
static uint32_t children(
	const struct kq_search *search, const uint32_t *domain, uint32_t count, uint32_t *child)
{
	const struct kq_tree *tree = search->tree;
	uint32_t made = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < tree->child_count[domain[i]]; c++) {
			const uint32_t one = tree->child[domain[i]] + c;
			if (!search->loaded)
				search->work[one] = search->have[one];
			child[made++] = one;
		}
	return made;
}

static int64_t inner_size(const struct kq_needs *needs, uint32_t level)
{
	if (level < needs->slice_level)
		return needs->size;
	return level + 1 < needs->layers && needs->size_at[level + 1] > 0 ? needs->size_at[level + 1] : 1;
}

/* Each domain's part among its own children; child: as long as those of one. */
static uint32_t descend(struct kq_search *search, const uint32_t *domain, uint32_t count, uint32_t *child,
	uint32_t *result, uint32_t level)
{
	const int64_t size = inner_size(search->needs, level);
	uint32_t made = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct kq_found part = search->work[domain[i]];
		const uint32_t below = children(search, &domain[i], 1, child);
		if (part.pods == 0 && part.leader == 0 && (made > 0 || i + 1 < count))
			continue; /* As there is somebody else, nothing goes on for it. */
		kq_order(search, search->work, child, below, false, search->needs->least);
		for (uint32_t c = 0; size > 1 && c < below; c++) {
			struct kq_found *one = &search->work[child[c]];
			one->slices = one->pods / size;
			one->slices_with = one->pods_with / size;
		}
		const uint32_t more = share_out(search, child, below,
			giving_of(part.pods, part.leader, size, size > 1 ? SLICES : PODS), &result[made]);
		if (more == 0)
			return 0;
		made += more;
	}
	return made;
}

static void sort_rows(struct kq_search *search, uint32_t *row, uint32_t count)
{
	struct kq_key *key = search->kq->tas->key;
	for (uint32_t i = 0; i < count; i++)
		key[i] = (struct kq_key){ { 0 }, row[i] };
	sort_keys(key, count);
	for (uint32_t i = 0; i < count; i++)
		row[i] = key[i].domain;
}

uint32_t kq_pick(struct kq_search *search, uint32_t *leaf)
{
	const struct kq_needs *needs = search->needs;
	const struct kq_tree *tree = search->tree;
	const uint32_t last = tree->level_count - 1;
	const size_t capacity = (size_t)search->kq->tas->domains_max + 1;
	uint32_t *now = search->kq->tas->list, *next = now + capacity, *child = next + capacity;
	uint32_t level = needs->level, count = needs->balanced ? kq_balance(search, now, &level) : 0;
	search->loaded = count > 0;
	if (!search->loaded) {
		count = kq_tas_pick_choose(search, child, now, &level);
		if (count == 0)
			return 0;
		for (uint32_t i = 0; i < count; i++)
			search->work[now[i]] = search->have[now[i]];
	}
	memcpy(child, now, count * sizeof(*now));
	const struct giving all = giving_of(needs->count, needs->leaders, needs->size, SLICES);
	count = share_out(search, child, count, all, now);
	for (; count > 0 && level < last && level < needs->slice_level && !search->loaded; level++) {
		const uint32_t below = children(search, now, count, child);
		kq_order(search, search->work, child, below, false, needs->least);
		count = share_out(search, child, below, all, now);
	}
	for (; count > 0 && level < last; level++) {
		count = descend(search, now, count, child, next, level);
		memcpy(now, next, count * sizeof(*now));
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (search->work[now[i]].pods > 0 || search->work[now[i]].leader > 0)
			leaf[kept++] = now[i];
	sort_rows(search, leaf, kept);
	return count > 0 && kept == 0 ? KQ_NO : kept;
}
