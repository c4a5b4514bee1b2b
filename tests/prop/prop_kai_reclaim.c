/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_reclaim.c - reclaim in drawn trees of queues: verdicts are the same as by the rules read slowly,
 * over plain paths from the roots and sums made anew for each question.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/world/kai_small.h"

enum { DRAWS = 6000, QUEUES = 14, UNITS = 6, GPUS_MOST = 8 };

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

static struct kai_vec draw_vec(bool bounds)
{
	struct kai_vec vec = { 0 };
	vec.at[KAI_CPU] = bounds && draw(3) ? KAI_UNLIMITED : draw(GPUS_MOST);
	vec.at[KAI_MEM] = bounds ? KAI_UNLIMITED : 0;
	vec.at[KAI_GPUS] = bounds && !draw(8) ? KAI_UNLIMITED : draw(GPUS_MOST) * KAI_GPU;
	return vec;
}

/* Two or three departments, some of which have departments of their own. */
static uint32_t draw_tree(struct kai *kai, uint32_t *leaf)
{
	uint32_t leaves = 0;
	for (uint32_t i = 0; i < QUEUES; i++) {
		char name[] = { 'q', (char)('a' + i), '\0' };
		const uint32_t row = kai_queue(kai, name);
		kai->queue[row].parent = i < 3 ? KAI_NO : 1 + draw(i - 2);
	}
	cr_assert_eq(kai_seal(kai), 0, "%s", kai->err.text);
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		struct kai_queue *queue = &kai->queue[i];
		queue->priority = draw(2);
		queue->quota = draw_vec(true);
		queue->limit = draw(3) ? queue->limit : draw_vec(true);
		queue->fair = draw_vec(true);
		queue->allocated = draw_vec(false);
		queue->allocated_np = draw_vec(false);
		if (!queue->child_count)
			leaf[leaves++] = i;
	}
	return leaves;
}

/* ---- The rules, slowly ---- */

struct path {
	uint32_t row[KAI_DEPTH_MAX], count; /* From the root. */
};

static struct path path_of(const struct kai *kai, uint32_t leaf)
{
	struct path path = { .count = kai->queue[leaf].depth + 1 };
	for (uint32_t i = path.count, at = leaf; i-- > 0; at = kai->queue[at].parent)
		path.row[i] = at;
	return path;
}

/* The first that differ; which: 0 the one's, 1 the other's. */
static uint32_t differ(const struct kai *kai, uint32_t one, uint32_t other, int which)
{
	const struct path a = path_of(kai, one), b = path_of(kai, other);
	uint32_t i = 0;
	while (i + 1 < a.count && i + 1 < b.count && a.row[i] == b.row[i])
		i++;
	return which ? b.row[i] : a.row[i];
}

static bool is_below(const struct kai *kai, uint32_t leaf, uint32_t queue)
{
	const struct path path = path_of(kai, leaf);
	for (uint32_t i = 0; i < path.count; i++)
		if (path.row[i] == queue)
			return true;
	return false;
}

struct question {
	struct kai *kai;
	struct kai_taker taker;
	struct kai_unit unit[UNITS];
	uint32_t count;
};

/* What the queue has left after so many units. */
static int64_t left_of(const struct question *q, uint32_t queue, uint32_t units, int res)
{
	int64_t left = q->taker.allocated[queue].at[res];
	for (uint32_t i = 0; i < units; i++)
		if (is_below(q->kai, q->unit[i].leaf, queue))
			left -= q->unit[i].needs.at[res];
	return left;
}

static bool all_within(const struct kai_vec *held, const struct kai_vec *needs, const struct kai_vec *bound)
{
	bool within = true;
	for (int res = 0; res < KAI_RES; res++)
		within = within && (bound->at[res] == KAI_UNLIMITED ||
					   held->at[res] + needs->at[res] <= bound->at[res]);
	return within;
}

static bool unit_may_go(const struct question *q, uint32_t i)
{
	const uint32_t ours = differ(q->kai, q->taker.leaf, q->unit[i].leaf, 0);
	const uint32_t theirs = differ(q->kai, q->taker.leaf, q->unit[i].leaf, 1);
	const struct kai_queue *taker = &q->kai->queue[ours], *loser = &q->kai->queue[theirs];
	bool over_share = false, over_quota = false;
	for (int res = 0; res < KAI_RES; res++) {
		const int64_t left = left_of(q, theirs, i, res);
		over_share = over_share || left > kai_allocatable(loser, (enum kai_res)res);
		over_quota = over_quota || left > loser->quota.at[res];
	}
	const bool fits = all_within(&q->taker.allocated[ours], q->taker.needs, &taker->quota);
	const bool priority = q->kai->config.priority_reclaim && taker->priority > loser->priority;
	return over_share || (fits && (over_quota || priority));
}

static bool loses(const struct question *q, uint32_t queue)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (is_below(q->kai, q->unit[i].leaf, queue))
			return true;
	return false;
}

/* Does somebody ask or lose it: the taker, or who is below that queue. */
static bool involved(const struct question *q, uint32_t queue, int res)
{
	bool is = q->taker.needs->at[res] > 0;
	for (uint32_t i = 0; i < q->count; i++)
		is = is || (is_below(q->kai, q->unit[i].leaf, queue) && q->unit[i].needs.at[res] > 0);
	return is;
}

static bool too_full(const struct question *q, uint32_t ours, uint32_t theirs, int res)
{
	const int64_t fair = q->kai->queue[ours].fair.at[res], other = q->kai->queue[theirs].fair.at[res];
	const int64_t after = left_of(q, ours, q->count, res) + q->taker.needs->at[res];
	if (!involved(q, theirs, res) || fair == KAI_UNLIMITED || other == KAI_UNLIMITED || other == 0)
		return false;
	if (fair == 0)
		return after > 0; /* Infinitely full. */
	/* after / fair > 1, and times 3/2 not below left / other. */
	const __int128 left = left_of(q, theirs, q->count, res);
	return after > fair && (__int128)after * 3 * other >= left * 2 * fair;
}

static bool reclaimable_slowly(const struct question *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (!unit_may_go(q, i))
			return false;
	for (uint32_t at = q->taker.leaf; at != KAI_NO; at = q->kai->queue[at].parent) {
		for (uint32_t i = 0; i < q->kai->queue_count; i++)
			for (int res = 0; res < KAI_RES; res++)
				if (i != at && q->kai->queue[i].parent == q->kai->queue[at].parent &&
					loses(q, i) && too_full(q, at, i, res))
					return false;
		if (!q->taker.preemptible &&
			!all_within(&q->taker.allocated_np[at], q->taker.needs, &q->kai->queue[at].quota))
			return false;
	}
	return true;
}

/* ---- Draws ---- */

static int by_leaf(const void *a, const void *b)
{
	const struct kai_unit *x = a, *y = b;
	return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

Test(kai_reclaim_prop, as_the_rules_read_slowly)
{
	uint32_t yes = 0;
	for (uint32_t seed = 0; seed < DRAWS; seed++) {
		struct kai_small w = kai_small_open();
		struct kai_vec allocated[QUEUES + 1], np[QUEUES + 1];
		uint32_t leaf[QUEUES + 1];
		struct question q = { .kai = w.kai };
		draw_state = seed;
		const uint32_t leaves = draw_tree(w.kai, leaf);
		const struct kai_vec needs = draw_vec(false);
		w.kai->config.saturation = 1.5;
		w.kai->config.priority_reclaim = draw(2);
		for (uint32_t i = 0; i < w.kai->queue_count; i++) {
			allocated[i] = w.kai->queue[i].allocated;
			np[i] = w.kai->queue[i].allocated_np;
		}
		q.taker = (struct kai_taker){ leaf[draw(leaves)], draw(2), &needs, allocated, np };
		for (uint32_t i = draw(UNITS); i > 0; i--) {
			const uint32_t victim = leaf[draw(leaves)];
			if (victim != q.taker.leaf)
				q.unit[q.count++] = (struct kai_unit){ victim, draw_vec(false) };
		}
		qsort(q.unit, q.count, sizeof(*q.unit), by_leaf);
		const bool got = kai_reclaimable(w.kai, &q.taker, q.unit, q.count);
		cr_assert_eq(got, reclaimable_slowly(&q), "draw %u: %s", seed, got ? "yes" : "no");
		cr_assert_eq(
			got, kai_reclaimable(w.kai, &q.taker, q.unit, q.count), "draw %u: asked again", seed);
		yes += got && q.count;
		kai_small_close(&w);
	}
	cr_expect(yes > DRAWS / 50 && yes < DRAWS - DRAWS / 50, "%u of %d may", yes, DRAWS);
}

Test(kai_reclaim_prop, minimum_run_times_as_paths_say)
{
	for (uint32_t seed = 0; seed < DRAWS / 10; seed++) {
		struct kai_small w = kai_small_open();
		uint32_t leaf[QUEUES + 1];
		draw_state = seed;
		const uint32_t leaves = draw_tree(w.kai, leaf);
		w.kai->config.reclaim_min = 7;
		for (uint32_t i = 0; i < w.kai->queue_count; i++)
			w.kai->queue[i].reclaim_min = draw(3) ? SL_NONE : 100 + i;
		const uint32_t ours = leaf[draw(leaves)], theirs = leaf[draw(leaves)];
		const struct path path = path_of(w.kai, theirs);
		sl_time least = 7;
		for (uint32_t i = 0; i < path.count; i++) {
			const sl_time said = w.kai->queue[path.row[i]].reclaim_min;
			if (said != SL_NONE)
				least = said;
			if (path.row[i] == differ(w.kai, ours, theirs, 1))
				break;
		}
		cr_assert_eq(kai_reclaim_min(w.kai, ours, theirs), least, "draw %u", seed);
		kai_small_close(&w);
	}
}
