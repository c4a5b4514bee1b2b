/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_balanced.c - balanced placement, of preferred requests (feature gate TASBalancedPlacement): domains
 * of one parent that hold everything, the fewest of them, and none with less than the most that all can have.
 *
 * Rule: KEP-2724, "Balanced placement"; findBestDomainsForBalancedPlacement. Entropies order by their 10^-9,
 * so that the last bit of a logarithm decides nothing.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a greedy placement over the domains would use. */
struct greedy {
	bool fits;
	uint32_t used;
	uint32_t last_with, last; /* The last domain with a leader, and the last without; KQ_NO. */
};

static struct greedy try_greedy(struct kq_search *search, uint32_t *domain, uint32_t count)
{
	const struct kq_needs *needs = search->needs;
	const struct kq_found *found = search->work;
	struct greedy greedy = { .last_with = KQ_NO, .last = KQ_NO };
	int64_t rest = needs->count / needs->size, leaders = needs->leaders;
	uint32_t at = 0;
	if (leaders > 0) {
		kq_order(search, found, domain, count, true, false);
		for (; leaders > 0 && at < count && found[domain[at]].leader > 0; at++) {
			greedy.used++;
			greedy.last_with = domain[at];
			leaders -= found[domain[at]].leader;
			rest -= found[domain[at]].slices_with;
		}
	}
	kq_order(search, found, &domain[at], count - at, false, false);
	for (; leaders == 0 && rest > 0 && at < count && found[domain[at]].slices > 0; at++) {
		greedy.used++;
		greedy.last = domain[at];
		rest -= found[domain[at]].slices;
	}
	greedy.fits = leaders <= 0 && rest <= 0;
	return greedy;
}

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t threshold_of(const struct kq_search *search, const struct greedy *greedy)
{
	int64_t threshold = search->needs->count / search->needs->size / (greedy->used ? greedy->used : 1);
	if (greedy->last_with != KQ_NO)
		threshold = least_of(threshold, search->work[greedy->last_with].slices_with);
	if (greedy->last != KQ_NO)
		threshold = least_of(threshold, search->work[greedy->last].slices);
	return threshold;
}

/* ---- Subtrees ----------------------------------------------------------------------------------- */

static void load(const struct kq_search *search, uint32_t domain)
{
	search->work[domain] = search->have[domain];
	for (uint32_t c = 0; c < search->tree->child_count[domain]; c++)
		load(search, search->tree->child[domain] + c);
}

static void clear(const struct kq_search *search, uint32_t domain, bool leader_alone)
{
	struct kq_found *found = &search->work[domain];
	found->pods_with = found->slices_with = found->leader = 0;
	if (!leader_alone)
		found->pods = found->slices = 0;
	for (uint32_t c = 0; c < search->tree->child_count[domain]; c++)
		clear(search, search->tree->child[domain] + c, leader_alone);
}

static void prune_one(const struct kq_search *search, uint32_t domain, int64_t threshold)
{
	const struct kq_found *found = &search->work[domain];
	if (found->slices < threshold)
		clear(search, domain, false);
	else if (search->needs->leaders > 0 && found->leader > 0 && found->slices_with < threshold)
		clear(search, domain, true);
}

static void count_retry(const struct kq_search *search, uint32_t domain, uint32_t level)
{
	for (uint32_t c = 0; c < search->tree->child_count[domain]; c++)
		count_retry(search, search->tree->child[domain] + c, level + 1);
	kq_count_up(search->tree, search->needs, search->work, domain, level, false);
}

static void prune(const struct kq_search *search, const uint32_t *domain, uint32_t count, int64_t threshold)
{
	const struct kq_tree *tree = search->tree;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < tree->child_count[domain[i]]; c++)
			prune_one(search, tree->child[domain[i]] + c, threshold);
	for (uint32_t i = 0; i < count; i++) {
		count_retry(search, domain[i], search->needs->level);
		prune_one(search, domain[i], threshold);
	}
}

/* ---- Siblings that would do --------------------------------------------------------------------- */

struct siblings {
	uint32_t first, count;
};
struct balance {
	struct siblings siblings;
	int64_t threshold; /* 0: none were found. */
	uint32_t used;
};

static uint32_t list_of(const struct siblings *siblings, uint32_t *list)
{
	for (uint32_t i = 0; i < siblings->count; i++)
		list[i] = siblings->first + i;
	return siblings->count;
}

static uint32_t children(
	const struct kq_search *search, const uint32_t *domain, uint32_t count, uint32_t *into)
{
	uint32_t made = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < search->tree->child_count[domain[i]]; c++)
			into[made++] = search->tree->child[domain[i]] + c;
	return made;
}

static struct greedy pruned(
	struct kq_search *search, const struct siblings *siblings, int64_t threshold, uint32_t *list)
{
	const uint32_t count = list_of(siblings, list);
	prune(search, list, count, threshold);
	return try_greedy(search, list, count);
}

static void consider(struct kq_search *search, const struct siblings *siblings, struct balance *best)
{
	const struct kq_needs *needs = search->needs;
	uint32_t *list = search->kq->tas->list + 2 * ((size_t)search->kq->tas->domains_max + 1);
	uint32_t *lower = list + search->kq->tas->domains_max + 1;
	uint32_t count = list_of(siblings, list);
	for (uint32_t i = 0; i < count; i++)
		load(search, list[i]);
	if (needs->level < needs->slice_level) {
		count = children(search, list, count, lower);
		list = lower;
	}
	const struct greedy first = try_greedy(search, list, count);
	int64_t threshold = first.fits ? threshold_of(search, &first) : -1;
	if (!first.fits || threshold < best->threshold)
		return;
	int64_t reserved = threshold;
	if (needs->leaders > 0 && first.last != KQ_NO)
		reserved = least_of(threshold, search->work[first.last].slices_with);
	struct greedy after = pruned(search, siblings, threshold, list);
	if (!after.fits && reserved < threshold && reserved > 0 && reserved >= best->threshold) {
		threshold = reserved;
		for (uint32_t i = 0; i < siblings->count; i++)
			load(search, siblings->first + i);
		after = pruned(search, siblings, threshold, list);
	}
	if (after.fits &&
		(threshold > best->threshold ||
			(threshold == best->threshold && best->threshold > 0 && after.used < best->used)))
		*best = (struct balance){ *siblings, threshold, after.used };
}

static struct balance find_siblings(struct kq_search *search)
{
	const struct kq_tree *tree = search->tree;
	const uint32_t level = search->needs->level;
	struct balance best = { .threshold = 0 };
	if (level == 0) {
		const struct siblings all = { tree->first[0], tree->first[1] - tree->first[0] };
		consider(search, &all, &best);
		return best;
	}
	for (uint32_t d = tree->first[level - 1]; d < tree->first[level]; d++) {
		const struct siblings siblings = { tree->child[d], tree->child_count[d] };
		consider(search, &siblings, &best);
	}
	return best;
}

/* ---- The fewest that hold it, with the least to spare ------------------------------------------- */

/* So many domains with so many pods left to place; before: the state without the last domain. */
struct placed {
	int64_t left;
	uint32_t domain, before; /* In the arena of states; KQ_NO. */
};
struct states {
	struct placed *at;
	uint32_t count, capacity;
	uint32_t **order; /* [used * 2 + leaders left]: states by pods left. */
	uint32_t *ordered, *ordered_capacity;
};

static bool kq_tas_balanced_put_state(struct states *states, uint32_t slot, struct placed placed)
{
	uint32_t low = 0, high = states->ordered[slot];
	uint32_t *order = states->order[slot];
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (states->at[order[middle]].left < placed.left)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < states->ordered[slot] && states->at[order[low]].left == placed.left)
		return true; /* Who came first stays. */
	if (SL_GROW(states->at, states->capacity, states->count + 1, NULL))
		return false;
	if (SL_GROW(states->order[slot], states->ordered_capacity[slot], states->ordered[slot] + 1, NULL))
		return false;
	order = states->order[slot];
	memmove(&order[low + 1], &order[low], (states->ordered[slot] - low) * sizeof(*order));
	order[low] = states->count;
	states->ordered[slot]++;
	states->at[states->count++] = placed;
	return true;
}

/* The domain joins every set of one domain less. */
static bool kq_tas_balanced_join(
	struct states *states, const struct kq_found *found, uint32_t domain, uint32_t used)
{
	for (uint32_t leaders = 0; leaders < 2; leaders++) {
		const uint32_t from = (used - 1) * 2 + leaders;
		for (uint32_t i = 0; i < states->ordered[from]; i++) {
			const uint32_t before = states->order[from][i];
			const int64_t left = states->at[before].left;
			if (leaders == 0 && left <= 0)
				continue;
			if (leaders > 0 && found->leader > 0 &&
				!kq_tas_balanced_put_state(states, used * 2 + leaders - 1,
					(struct placed){ left - found->pods_with, domain, before }))
				return false;
			if (found->slices > 0 &&
				!kq_tas_balanced_put_state(states, used * 2 + leaders,
					(struct placed){ left - found->pods, domain, before }))
				return false;
		}
	}
	return true;
}

static uint32_t best_state(const struct states *states, uint32_t used)
{
	uint32_t best = KQ_NO;
	for (uint32_t i = 0; i < states->ordered[(size_t)used * 2]; i++)
		if (states->at[states->order[(size_t)used * 2][i]].left <= 0)
			best = states->order[(size_t)used * 2][i];
	return best;
}

static int64_t entropy_of(const struct kq_search *search, uint32_t domain)
{
	const struct kq_tree *tree = search->tree;
	int64_t total = 0;
	for (uint32_t c = 0; c < tree->child_count[domain]; c++)
		total += search->work[tree->child[domain] + c].pods;
	double entropy = 0;
	for (uint32_t c = 0; total > 0 && c < tree->child_count[domain]; c++) {
		const int64_t pods = search->work[tree->child[domain] + c].pods;
		if (pods > 0)
			entropy -= (double)pods / (double)total * log2((double)pods / (double)total);
	}
	return llround(entropy * 1e9);
}

struct entropic {
	int64_t leader, slices, entropy;
	uint32_t domain;
};

static int by_entropy(const void *a, const void *b)
{
	const struct entropic *left = a, *right = b;
	if (left->leader != right->leader)
		return left->leader > right->leader ? -1 : 1;
	if (left->slices != right->slices)
		return left->slices > right->slices ? -1 : 1;
	if (left->entropy != right->entropy)
		return left->entropy > right->entropy ? -1 : 1;
	return (left->domain > right->domain) - (left->domain < right->domain);
}

static int by_row(const void *a, const void *b)
{
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

static bool in_order(const struct kq_search *search, uint32_t *domain, uint32_t count, bool entropy)
{
	struct entropic *key = entropy ? calloc((size_t)count + 1, sizeof(*key)) : NULL;
	if (entropy && !key)
		return false;
	if (!entropy && count)
		qsort(domain, count, sizeof(*domain), by_row);
	for (uint32_t i = 0; entropy && i < count; i++)
		key[i] = (struct entropic){ search->work[domain[i]].leader,
			search->work[domain[i]].slices_with, entropy_of(search, domain[i]), domain[i] };
	if (entropy && count)
		qsort(key, count, sizeof(*key), by_entropy);
	for (uint32_t i = 0; entropy && i < count; i++)
		domain[i] = key[i].domain;
	free(key);
	return true;
}

static bool states_make(struct states *states, uint32_t used, int64_t pods, int64_t leaders)
{
	const size_t slots = 2 * ((size_t)used + 1);
	states->order = calloc(slots, sizeof(*states->order));
	states->ordered = calloc(slots, sizeof(*states->ordered));
	states->ordered_capacity = calloc(slots, sizeof(*states->ordered_capacity));
	return states->order && states->ordered && states->ordered_capacity &&
	       kq_tas_balanced_put_state(states, leaders > 0 ? 1 : 0, (struct placed){ pods, KQ_NO, KQ_NO });
}

static void states_free(struct states *states, uint32_t used)
{
	for (size_t i = 0; states->order && i < 2 * ((size_t)used + 1); i++)
		free(states->order[i]);
	free(states->order);
	free(states->ordered);
	free(states->ordered_capacity);
	free(states->at);
}

/* Domains become those of the best set; 0: there is none. */
static uint32_t fewest(struct kq_search *search, uint32_t *domain, uint32_t count, bool entropy)
{
	const struct kq_needs *needs = search->needs;
	const struct greedy greedy = try_greedy(search, domain, count);
	struct states states = { 0 };
	uint32_t made = 0;
	if (!greedy.fits || greedy.used == 0)
		return 0;
	bool ok = in_order(search, domain, count, entropy) &&
		  states_make(&states, greedy.used, needs->count / needs->size * needs->size, needs->leaders);
	for (uint32_t i = 0; ok && i < count; i++)
		for (uint32_t used = greedy.used; ok && used > 0; used--)
			ok = kq_tas_balanced_join(&states, &search->work[domain[i]], domain[i], used);
	if (!ok)
		(void)sl_fail_memory(&search->kq->err);
	uint32_t state = ok ? best_state(&states, greedy.used) : KQ_NO;
	for (; state != KQ_NO && states.at[state].domain != KQ_NO; state = states.at[state].before)
		domain[made++] = states.at[state].domain;
	states_free(&states, greedy.used);
	return made;
}

/* Each gets the threshold; what is over goes to the first that have more. */
static bool level_out(struct kq_search *search, uint32_t *domain, uint32_t count, int64_t threshold)
{
	const struct kq_needs *needs = search->needs;
	int64_t over = needs->count / needs->size - (int64_t)count * threshold, leaders = needs->leaders;
	if (over < 0)
		return false;
	kq_order(search, search->work, domain, count, true, false);
	for (uint32_t i = 0; i < count; i++) {
		struct kq_found *found = &search->work[domain[i]];
		int64_t more = 0;
		if (leaders > 0)
			more = least_of(found->slices_with - threshold, over);
		else if (over > 0)
			more = least_of(found->slices - threshold, over);
		found->leader = leaders > 0;
		leaders -= leaders > 0;
		found->slices = found->slices_with = threshold + more;
		found->pods = found->slices * needs->size;
		found->pods_with = found->pods - found->leader;
		over -= more;
	}
	return over <= 0 && leaders <= 0;
}

uint32_t kq_balance(struct kq_search *search, uint32_t *domain, uint32_t *level)
{
	const struct kq_needs *needs = search->needs;
	const struct balance best = find_siblings(search);
	if (best.threshold <= 0)
		return 0;
	uint32_t count = list_of(&best.siblings, domain);
	*level = needs->level;
	if (needs->level < needs->slice_level) {
		uint32_t *list = domain + search->kq->tas->domains_max + 1;
		count = fewest(search, domain, count, true);
		count = children(search, domain, count, list);
		memcpy(domain, list, count * sizeof(*domain));
		*level = needs->level + 1;
	}
	count = fewest(search, domain, count, false);
	return count > 0 && level_out(search, domain, count, best.threshold) ? count : 0;
}
