/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_ones.c - nodes of one cpu, all alike: a plain pool of processors.
 *
 * A job without gres gets of each such node its one cpu or nothing, and it can have it if no job is there. So
 * what is free is a set of nodes, a job of n cpus fits where the set has n, and consecutive best fit
 * (select_pick.c) looks at stretches of the set: the smallest that is enough, the first of those, or else the
 * largest, and so on. When what runs will have ended is a set that grows by each end in turn: it is kept at
 * every so many ends, for all requests together, until something changes.
 *
 * Whatever else is requested, or holds of the nodes (suspended jobs, ranks), is not decided here.
 */
#include "policies/slurm/select/select_pick.h"

#include <stdlib.h>

enum { ENDS_WORDS = 1 << 16 };

/* Free neighbours. */
struct sel_stretch {
	uint32_t from, count;
};

struct sel_ends {
	uint64_t listing, change; /* Of what runs, and of nodes, when it was made; listing 0: it is not. */
	bool shared;              /* Some node has two jobs: it is not known here when both have ended. */
	size_t each, count;       /* A set for each so many ends; so many sets. */
	uint64_t *set;            /* Nodes without a job by then. */
	size_t capacity;
};

/* ---- Whether it is decided here ------------------------------------------------------------------------ */

bool sel_ones_made(const struct select *s)
{
	for (uint32_t n = 0; n < s->node_count; n++) {
		const struct sel_shape *shape = shape_of(s, n);
		if (shape != shape_of(s, 0) || shape->core_count != 1 || shape->threads != 1 ||
			shape->cpus != 1 || shape->spec[0])
			return false;
	}
	return true;
}

/* What the job would have of an idle node is its cpu. Asked once for each request. */
static bool takes_one(struct sel_test *t)
{
	struct select *s = t->s;
	const bool ever = t->ever;
	const uint32_t n = bits_next(t->q->candidates, s->words, 0);
	if (n == UINT32_MAX || t->q->overcommit || t->q->gres_count)
		return false;
	t->ever = t->first_pass = true;
	bool takes = sel_view_cores(t, n, false);
	if (takes) {
		sel_avail_node(t, n);
		takes = s->avail[n].usable && sel_cores(t, n) == 1;
	}
	t->ever = ever;
	return takes;
}

/* It wants one node for each of its cpus, as many as it may have. */
static bool is_bounded(struct sel_test *t)
{
	const int64_t least = t->nodes_min, most = t->nodes_max;
	sel_bound_nodes(t);
	const bool bounded = t->cpus_min >= 1 && t->nodes_min <= t->cpus_min &&
			     t->nodes_want <= t->cpus_min && t->nodes_max >= t->cpus_min;
	t->nodes_min = least;
	t->nodes_max = most;
	return bounded;
}

/* The first node will do (sel_wants_one). */
static bool is_single(struct sel_test *t)
{
	const int64_t least = t->nodes_min, most = t->nodes_max;
	sel_bound_nodes(t);
	const bool single = sel_wants_one(t);
	t->nodes_min = least;
	t->nodes_max = most;
	return single;
}

static bool is_of_ones(struct sel_test *t)
{
	const struct select *s = t->s;
	struct sel_request *q = t->q;
	if (!s->ones || s->plain || s->stopped_holds || s->ranked || t->job->over_qos || !sel_is_simple(t))
		return false;
	if (!q->ones)
		q->ones = takes_one(t) ? 1 : -1;
	return q->ones > 0 && is_bounded(t);
}

/* ---- Consecutive best fit ------------------------------------------------------------------------------ */

static uint32_t next_clear(const struct select *s, const uint64_t *set, uint32_t from)
{
	size_t w = from / 64;
	uint64_t word = ~set[w] & (~UINT64_C(0) << (from % 64));
	while (!word) {
		if (++w == s->words)
			return s->node_count;
		word = ~set[w];
	}
	return (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);
}

static uint32_t find_stretches(const struct select *s, const uint64_t *set)
{
	uint32_t count = 0;
	for (uint32_t n = bits_next(set, s->words, 0); n != UINT32_MAX;) {
		const uint32_t end = next_clear(s, set, n);
		s->stretch[count++] = (struct sel_stretch){ n, end - n };
		n = bits_next(set, s->words, end);
	}
	return count;
}

static void take_nodes(uint64_t *set, uint32_t from, uint32_t count)
{
	for (uint32_t until = from + count; from < until;) {
		const uint32_t here = (uint32_t)min64(until - from, 64 - from % 64);
		set[from / 64] |= (~UINT64_C(0) >> (64 - here)) << (from % 64);
		from += here;
	}
}

/* The smallest that is enough, the first of those; count: there is none. */
static uint32_t smallest_of(const struct sel_stretch *stretch, uint32_t count, int64_t left)
{
	uint32_t best = count;
	for (uint32_t i = 0; i < count; i++)
		if (stretch[i].count >= left && (best == count || stretch[i].count < stretch[best].count))
			best = i;
	return best;
}

static int by_size(const void *a, const void *b)
{
	const struct sel_stretch *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Of t->nodes, of which there are enough, those that the job gets. */
static void choose_ones(struct sel_test *t)
{
	const struct select *s = t->s;
	struct sel_stretch *stretch = s->stretch;
	const uint32_t first = bits_next(t->nodes, s->words, 0);
	if (t->cpus_min == 1 && is_single(t)) {
		memset(t->nodes, 0, s->words * sizeof(*t->nodes));
		bit_set(t->nodes, first);
		return;
	}
	const uint32_t count = find_stretches(s, t->nodes);
	int64_t left = t->cpus_min;
	uint32_t i = 0, best = smallest_of(stretch, count, left);
	memset(t->nodes, 0, s->words * sizeof(*t->nodes));
	if (best == count) { /* The largest as long as none is enough. */
		qsort(stretch, count, sizeof(*stretch), by_size);
		for (; stretch[i].count < left; i++) {
			take_nodes(t->nodes, stretch[i].from, stretch[i].count);
			left -= stretch[i].count;
		}
		best = i + smallest_of(stretch + i, count - i, left);
	}
	take_nodes(t->nodes, stretch[best].from, (uint32_t)left);
}

/* Those of the set that are in question, into t->nodes. False: too few. */
static bool find_ones(struct sel_test *t, const uint64_t *set, const uint64_t *available)
{
	int64_t count = 0;
	for (size_t w = 0; w < t->s->words; w++) {
		t->nodes[w] = set[w] & t->q->candidates[w] & (available ? available[w] : ~UINT64_C(0));
		count += bits_of(t->nodes[w]);
	}
	return count >= t->cpus_min;
}

static bool have_ones(struct select *s)
{
	if (!s->stretch)
		s->stretch = sl_alloc(s->arena, s->node_count / 2 + 1, sizeof(*s->stretch));
	return s->stretch != NULL;
}

int sel_ones(struct sel_test *t, const uint64_t *available)
{
	struct select *s = t->s;
	if (!is_of_ones(t) || !have_ones(s))
		return -1;
	if (!find_ones(t, s->idle, available))
		return 0;
	choose_ones(t);
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1)) {
		*map_of(s, n) = 1;
		s->avail[n] = (struct sel_avail){ .usable = true, .cpus = 1, .cpus_max = 1 };
	}
	return 1;
}

/* ---- When ---------------------------------------------------------------------------------------------- */

static bool ends_capacity(struct select *s, size_t words)
{
	if (!s->ends && !(s->ends = sl_alloc(s->arena, 1, sizeof(*s->ends))))
		return false;
	struct sel_ends *e = s->ends;
	if (words > e->capacity) {
		e->set = sl_alloc(s->arena, 2 * words, sizeof(*e->set));
		e->capacity = e->set ? 2 * words : 0;
	}
	return e->set != NULL;
}

/* The nodes that have no job when this one has ended as well. False: another has one of them too. */
static bool end_one(const struct select *s, const struct select_alloc *a, uint64_t *idle)
{
	for (uint32_t i = 0; a->held && i < a->node_count; i++) {
		if (s->node[a->node_alloc[i].node].jobs > 1)
			return false;
		bit_set(idle, a->node_alloc[i].node);
	}
	return true;
}

/* After none, after each so many ends, and after the last. */
static bool make_ends(struct select *s, const struct select_outlook *o)
{
	const size_t each = 1 + o->running_count * s->words / ENDS_WORDS;
	if (s->ends && s->ends->listing == o->listing && s->ends->change == s->change)
		return !s->ends->shared;
	if (!o->listing || !ends_capacity(s, (o->running_count / each + 2) * s->words))
		return false;
	struct sel_ends *e = s->ends;
	uint64_t *set = e->set;
	memcpy(set, s->idle, s->words * sizeof(*set));
	e->shared = false;
	for (size_t i = 0; i < o->running_count && !e->shared; i++) {
		if (i % each == 0) {
			memcpy(set + s->words, set, s->words * sizeof(*set));
			set += s->words;
		}
		e->shared = !end_one(s, o->running[i].alloc, set);
	}
	e->each = each;
	e->count = (size_t)(set - e->set) / s->words + 1;
	e->listing = o->listing;
	e->change = s->change;
	return !e->shared;
}

/* The first set with enough; its count: none. */
static size_t first_enough(struct sel_test *t, const uint64_t *available)
{
	const struct sel_ends *e = t->s->ends;
	size_t low = 0;
	for (size_t high = e->count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (find_ones(t, e->set + middle * t->s->words, available))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Those in question when so many have ended, into t->nodes. False: too few. */
static bool find_behind(
	struct sel_test *t, const uint64_t *available, const struct select_outlook *o, size_t ended)
{
	const struct select *s = t->s;
	const struct sel_ends *e = s->ends;
	const size_t whole = ended == o->running_count ? e->count - 1 : ended / e->each;
	const uint64_t *known = e->set + whole * s->words;
	if (whole * e->each >= ended)
		return find_ones(t, known, available);
	uint64_t *set = s->set[0];
	memcpy(set, known, s->words * sizeof(*set));
	for (size_t i = whole * e->each; i < ended; i++)
		(void)end_one(s, o->running[i].alloc, set);
	return find_ones(t, set, available);
}

/* Batches that end before the first set with enough bring too few; so may those that end before it is full.
 */
static int behind_ends(struct sel_test *t, const uint64_t *available, const struct select_outlook *o,
	const struct select_running **last)
{
	const struct sel_ends *e = t->s->ends;
	const size_t enough = first_enough(t, available);
	struct sel_batch b = { .window = 30, .next = o->gone };
	if (enough < e->count && o->gone && find_behind(t, available, o, o->gone)) {
		choose_ones(t);
		return 1; /* When those are gone. */
	}
	while (enough < e->count && b.next < o->within) {
		const size_t at = sel_pass_batch(&b, t->s, o, available);
		if (at == SIZE_MAX)
			break;
		if (b.next <= (enough - 1) * e->each || !find_behind(t, available, o, b.next))
			continue;
		choose_ones(t);
		*last = &o->running[at];
		return 1;
	}
	return 0;
}

int sel_ones_when(struct sel_test *t, const uint64_t *available, const struct select_outlook *outlook,
	const struct select_running **last)
{
	struct select *s = t->s;
	*last = NULL;
	if (outlook->preempted_count || outlook->candidate_count || s->busy_nodes || !is_of_ones(t) ||
		!have_ones(s))
		return -1;
	/* Ahead of now it is asked of what is free then. */
	const bool ahead = outlook->gone && outlook->from > outlook->now;
	if (!ahead && find_ones(t, s->idle, available)) {
		choose_ones(t);
		return 1;
	}
	if (!outlook->within)
		return 0;
	return make_ends(s, outlook) ? behind_ends(t, available, outlook, last) : -1;
}
