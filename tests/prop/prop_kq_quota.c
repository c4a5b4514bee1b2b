/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kq_quota.c - Kueue's quota tree on generated forests, against the definitions written down as they
 * stand: recursion over the whole tree for every question. And: what is added and removed or undone leaves
 * nothing behind; who takes only what is available stays within every limit.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kq_small.h"

enum { COHORTS = 6, QUEUES = 6, FLAVORS = 2, RESOURCES = 2, STEPS = 25 };

static const char *const flavor_name[FLAVORS] = { "f", "g" };
static const char *const resource_name[RESOURCES] = { "gpu", "cpu" };

struct forest {
	struct kq_small w;
	struct kq *kq;
	struct sl_rng rng;
	uint64_t seed;
	uint32_t queue[QUEUES], queue_count;
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static int64_t below(struct forest *f, int64_t bound)
{
	return (int64_t)sl_rng_below(&f->rng, (uint64_t)bound);
}

static int64_t limit(struct forest *f) { return below(f, 2) ? KQ_NO_LIMIT : below(f, 9); }

static void add_quotas(struct forest *f, uint32_t node, bool queue)
{
	static const double weight[] = { 1, 1, 0, 2.5, 0.5 };
	for (int fl = 0; fl < FLAVORS; fl++)
		for (int r = 0; r < RESOURCES; r++) {
			if (!below(f, queue ? 6 : 2))
				continue;
			const int64_t nominal = below(f, 25) ? below(f, 10) : KQ_UNLIMITED;
			const int64_t borrowing = limit(f), lending = limit(f);
			kq_small_quota(
				&f->w, node, flavor_name[fl], resource_name[r], nominal, borrowing, lending);
		}
	f->kq->node[node].weight = weight[below(f, SL_LEN(weight))];
}

static struct forest forest_open(uint64_t seed)
{
	static const char *const cohort[COHORTS] = { "c0", "c1", "c2", "c3", "c4", "c5" };
	static const char *const queue[QUEUES] = { "q0", "q1", "q2", "q3", "q4", "q5" };
	struct forest f = { .w = kq_small_open(), .seed = seed };
	f.kq = f.w.kq;
	f.rng = sl_rng_stream(seed, "tests/kq_quota");
	const int64_t cohorts = 1 + below(&f, COHORTS);
	f.queue_count = (uint32_t)(1 + below(&f, QUEUES));
	for (int64_t i = 0; i < cohorts; i++) {
		const int64_t up = below(&f, i + 1); /* Itself: a root. */
		add_quotas(&f, kq_small_cohort(&f.w, cohort[i], up < i ? cohort[up] : NULL), false);
	}
	for (uint32_t i = 0; i < f.queue_count; i++) {
		const int64_t up = below(&f, cohorts + 1);
		f.queue[i] = kq_small_queue(&f.w, queue[i], up < cohorts ? cohort[up] : NULL);
		add_quotas(&f, f.queue[i], true);
	}
	kq_small_seal(&f.w);
	return f;
}

/* ---- The definitions ---- */

static size_t at(const struct kq *kq, uint32_t node, uint32_t fr) { return (size_t)node * kq->fr_count + fr; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t ref_guaranteed(const struct kq *kq, uint32_t n, uint32_t fr);

static int64_t ref_subtree(const struct kq *kq, uint32_t n, uint32_t fr)
{
	int64_t sum = kq->nominal[at(kq, n, fr)];
	for (uint32_t c = 0; c < kq->node_count; c++)
		if (kq->node[c].parent == n)
			sum = kq_add(sum, kq_sub(ref_subtree(kq, c, fr), ref_guaranteed(kq, c, fr)));
	return sum;
}

static int64_t ref_guaranteed(const struct kq *kq, uint32_t n, uint32_t fr)
{
	const int64_t lending = kq->lending[at(kq, n, fr)];
	return lending == KQ_NO_LIMIT ? 0 : max64(0, kq_sub(ref_subtree(kq, n, fr), lending));
}

/* From the usage of queues alone. */
static int64_t ref_usage(const struct kq *kq, uint32_t n, uint32_t fr)
{
	int64_t sum = 0;
	if (kq->node[n].is_queue)
		return kq->usage[at(kq, n, fr)];
	for (uint32_t c = 0; c < kq->node_count; c++)
		if (kq->node[c].parent == n)
			sum = kq_add(sum, max64(0, kq_sub(ref_usage(kq, c, fr), ref_guaranteed(kq, c, fr))));
	return sum;
}

static int64_t ref_free(const struct kq *kq, uint32_t n, uint32_t fr)
{
	return max64(0, kq_sub(ref_guaranteed(kq, n, fr), ref_usage(kq, n, fr)));
}

static int64_t ref_available(const struct kq *kq, uint32_t n, uint32_t fr)
{
	const int64_t subtree = ref_subtree(kq, n, fr), usage = ref_usage(kq, n, fr);
	if (kq->node[n].parent == KQ_NO)
		return kq_sub(subtree, usage);
	int64_t above = ref_available(kq, kq->node[n].parent, fr);
	const int64_t borrowing = kq->borrowing[at(kq, n, fr)], own = ref_guaranteed(kq, n, fr);
	if (borrowing != KQ_NO_LIMIT)
		above = min64(
			above, kq_add(kq_sub(kq_sub(subtree, own), max64(0, kq_sub(usage, own))), borrowing));
	return kq_add(ref_free(kq, n, fr), above);
}

static int64_t ref_potential(const struct kq *kq, uint32_t n, uint32_t fr)
{
	const int64_t subtree = ref_subtree(kq, n, fr), borrowing = kq->borrowing[at(kq, n, fr)];
	if (kq->node[n].parent == KQ_NO)
		return subtree;
	const int64_t most = kq_add(ref_guaranteed(kq, n, fr), ref_potential(kq, kq->node[n].parent, fr));
	return borrowing == KQ_NO_LIMIT ? most : min64(most, kq_add(subtree, borrowing));
}

static uint32_t ref_height(const struct kq *kq, uint32_t n)
{
	uint32_t height = 0;
	for (uint32_t c = 0; c < kq->node_count; c++)
		if (kq->node[c].parent == n) {
			const uint32_t own = 1 + (kq->node[c].is_queue ? 0 : ref_height(kq, c));
			height = own > height ? own : height;
		}
	return height;
}

static uint32_t ref_rise(const struct kq *kq, uint32_t n, uint32_t fr, int64_t rest, bool *reclaim)
{
	const uint32_t parent = kq->node[n].parent;
	*reclaim = parent != KQ_NO;
	if (parent == KQ_NO || kq_add(ref_usage(kq, n, fr), rest) <= ref_subtree(kq, n, fr))
		return ref_height(kq, n);
	return ref_rise(kq, parent, fr, kq_sub(rest, ref_free(kq, n, fr)), reclaim);
}

static uint32_t ref_borrow(const struct kq *kq, uint32_t q, uint32_t fr, int64_t amount, bool *reclaim)
{
	const uint32_t parent = kq->node[q].parent;
	*reclaim = parent != KQ_NO;
	if (parent == KQ_NO || kq_add(kq->usage[at(kq, q, fr)], amount) <= kq->nominal[at(kq, q, fr)])
		return 0;
	return ref_rise(kq, parent, fr, kq_sub(amount, ref_free(kq, q, fr)), reclaim);
}

static bool ref_quoted(const struct kq *kq, uint32_t n, uint32_t fr)
{
	for (uint32_t g = 0; g < kq->node[n].group_count; g++) {
		const struct kq_group_flavor *flavor = kq->node[n].group[g].flavor;
		if (kq_fr(kq, flavor->flavor, flavor->quota[0].resource) == fr)
			return true;
	}
	for (uint32_t c = 0; c < kq->node_count; c++)
		if (kq->node[c].parent == n && ref_quoted(kq, c, fr))
			return true;
	return false;
}

/* Of one resource, in thousandths; < 0: nothing is borrowed of it. */
static double ref_ratio(const struct kq *kq, uint32_t n, uint32_t resource, const struct kq_usage_cell *extra)
{
	int64_t borrowed = 0, lendable = 0;
	for (uint32_t fr = 0; fr < kq->fr_count; fr++) {
		if (kq->fr[fr].resource != resource)
			continue;
		const int64_t more = extra->fr == fr ? extra->amount : 0;
		const int64_t used = kq_add(more, ref_usage(kq, n, fr));
		if (ref_quoted(kq, n, fr))
			borrowed = kq_add(borrowed, max64(0, kq_sub(used, ref_subtree(kq, n, fr))));
		lendable = kq_add(lendable, ref_potential(kq, kq->node[n].parent, fr));
	}
	if (borrowed <= 0)
		return -1;
	return lendable > 0 ? (double)borrowed * 1000.0 / (double)lendable : 0;
}

/* ---- Compared ---- */

static void check_share(struct forest *f, uint32_t n)
{
	const struct kq *kq = f->kq;
	const struct kq_usage_cell extra = { (uint32_t)below(f, kq->fr_count), below(f, 8) };
	const struct kq_share share = kq_share_of(kq, n, &extra, 1);
	const char *name = "";
	double best = 0;
	bool borrows = false;
	for (uint32_t r = 0; r < kq->resource_count && kq->node[n].parent != KQ_NO; r++) {
		const double ratio = ref_ratio(kq, n, r, &extra);
		borrows |= ratio >= 0;
		if (ratio > best || (ratio > 0 && !(ratio < best) && strcmp(kq->resource[r], name) < 0)) {
			best = ratio;
			name = kq->resource[r];
		}
	}
	const bool zero = best > 0 && !(kq->node[n].weight > 0);
	cr_assert_eq(share.borrowing, borrows, "seed %llu %s", (unsigned long long)f->seed, kq->node[n].name);
	cr_assert_eq(share.zero_weight, zero, "seed %llu %s", (unsigned long long)f->seed, kq->node[n].name);
	cr_assert_eq(share.ratio, best, "seed %llu %s", (unsigned long long)f->seed, kq->node[n].name);
	cr_assert_str_eq(share.resource == KQ_NO ? "" : kq->resource[share.resource], name, "seed %llu %s",
		(unsigned long long)f->seed, kq->node[n].name);
}

static void check_all(struct forest *f)
{
	const struct kq *kq = f->kq;
	for (uint32_t n = 0; n < kq->node_count; n++) {
		const char *name = kq->node[n].name;
		const unsigned long long seed = f->seed;
		for (uint32_t fr = 0; fr < kq->fr_count; fr++) {
			const size_t cell = at(kq, n, fr);
			cr_assert_eq(kq->subtree[cell], ref_subtree(kq, n, fr), "seed %llu %s", seed, name);
			cr_assert_eq(kq->usage[cell], ref_usage(kq, n, fr), "seed %llu %s", seed, name);
			cr_assert_eq(kq_guaranteed(kq, n, fr), ref_guaranteed(kq, n, fr), "seed %llu %s",
				seed, name);
			cr_assert_eq(kq_available(kq, n, fr), ref_available(kq, n, fr), "seed %llu %s", seed,
				name);
			cr_assert_eq(kq_potential(kq, n, fr), ref_potential(kq, n, fr), "seed %llu %s", seed,
				name);
			if (!kq->node[n].is_queue)
				continue;
			bool reclaim, want;
			const int64_t amount = below(f, 30);
			cr_assert_eq(kq_borrow_height(kq, n, fr, amount, &reclaim),
				ref_borrow(kq, n, fr, amount, &want), "seed %llu %s", seed, name);
			cr_assert_eq(reclaim, want, "seed %llu %s", seed, name);
		}
		check_share(f, n);
	}
}

/* A random queue and cell: more, or some of what it uses less. */
static void step(struct forest *f)
{
	const uint32_t q = f->queue[below(f, f->queue_count)], fr = (uint32_t)below(f, f->kq->fr_count);
	const int64_t used = f->kq->usage[at(f->kq, q, fr)];
	if (below(f, 3))
		kq_usage_add(f->kq, q, fr, below(f, 8));
	else
		kq_usage_remove(f->kq, q, fr, below(f, used + 1));
}

Test(kq_quota_prop, every_figure_is_as_defined)
{
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		struct forest f = forest_open(seed);
		for (int i = 0; f.kq->fr_count && i < STEPS; i++) {
			step(&f);
			check_all(&f);
		}
		kq_small_close(&f.w);
	}
}

Test(kq_quota_prop, what_is_undone_or_taken_back_leaves_nothing)
{
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		struct forest f = forest_open(seed);
		const size_t size = (size_t)f.kq->node_count * f.kq->fr_count * sizeof(int64_t);
		int64_t *before = malloc(size + 1);
		cr_assert_not_null(before);
		for (int i = 0; f.kq->fr_count && i < STEPS; i++)
			step(&f);
		memcpy(before, f.kq->usage, size);
		const kq_marked mark = kq_mark(f.kq);
		for (int i = 0; f.kq->fr_count && i < STEPS; i++)
			step(&f);
		const kq_marked inner = kq_mark(f.kq);
		for (int i = 0; f.kq->fr_count && i < STEPS; i++)
			step(&f);
		kq_keep(f.kq, inner);
		kq_undo(f.kq, mark);
		cr_assert_eq(
			memcmp(before, f.kq->usage, size), 0, "seed %llu: undone", (unsigned long long)seed);
		for (uint32_t fr = 0; fr < f.kq->fr_count; fr++) {
			const uint32_t q = f.queue[below(&f, f.queue_count)];
			const int64_t amount = below(&f, 20);
			kq_usage_add(f.kq, q, fr, amount);
			kq_usage_remove(f.kq, q, fr, amount);
		}
		cr_assert_eq(memcmp(before, f.kq->usage, size), 0, "seed %llu: taken back",
			(unsigned long long)seed);
		free(before);
		kq_small_close(&f.w);
	}
}

/* Roots hold what is used; borrowing limits hold; what is guaranteed can always be had. */
static void check_limits(const struct forest *f)
{
	const struct kq *kq = f->kq;
	const unsigned long long seed = f->seed;
	for (uint32_t n = 0; n < kq->node_count; n++)
		for (uint32_t fr = 0; fr < kq->fr_count; fr++) {
			const size_t cell = at(kq, n, fr);
			const int64_t usage = kq->usage[cell], subtree = kq->subtree[cell];
			cr_assert_geq(kq_available(kq, n, fr), kq_local_free(kq, n, fr), "seed %llu", seed);
			if (kq->node[n].parent == KQ_NO)
				cr_assert_leq(usage, subtree, "seed %llu %s", seed, kq->node[n].name);
			else if (kq->borrowing[cell] != KQ_NO_LIMIT)
				cr_assert_leq(usage, kq_add(subtree, kq->borrowing[cell]), "seed %llu %s",
					seed, kq->node[n].name);
			cr_assert_leq(usage, kq_potential(kq, n, fr), "seed %llu %s", seed, kq->node[n].name);
		}
}

Test(kq_quota_prop, who_takes_what_is_available_stays_within_all_limits)
{
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		struct forest f = forest_open(seed);
		for (int i = 0; f.kq->fr_count && i < STEPS * 2; i++) {
			const uint32_t q = f.queue[below(&f, f.queue_count)];
			const uint32_t fr = (uint32_t)below(&f, f.kq->fr_count);
			const int64_t most = min64(max64(0, kq_available(f.kq, q, fr)), 1000);
			if (below(&f, 4))
				kq_usage_add(f.kq, q, fr, below(&f, 2) ? most : below(&f, most + 1));
			else
				kq_usage_remove(f.kq, q, fr, below(&f, f.kq->usage[at(f.kq, q, fr)] + 1));
			check_limits(&f);
		}
		kq_small_close(&f.w);
	}
}
