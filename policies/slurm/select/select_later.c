/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_later.c - _will_run_test() without its loop: when and where a job that does not fit now will fit,
 * without removing running jobs.
 *
 * For each recent request it is kept when each node will offer what the job wants of one: at the end of one
 * of its jobs, as only those change it. slurmctld removes running jobs in batches and tries after each; the
 * job does not fit until as many candidate nodes offer something as it wants at least. So the batches before
 * that one are skipped; the nodes are then chosen from what each offers by the end of that batch, and only
 * chosen ones are tested as they will be then.
 *
 * It answers for requests of which each node offers the job's share at least, so that as many nodes as
 * wanted do suffice. Whatever else is requested is left to the batches, removed one by one, with the same
 * answer where both can.
 */
#include "policies/slurm/select/select_pick.h"

#include <stdlib.h>

enum { LATER_LEAST = 16, LATER_MOST = 512, LATER_BYTES = 1 << 26 };

#define ALREADY INT64_MIN /* It offers something now. */

/* When a node offers something. */
struct due {
	sl_time at; /* SL_NEVER: not as far as is known. */
	uint32_t node;
};

struct sel_later {
	struct sel_request *of;
	uint64_t used, seen;
	uint32_t count; /* Of order: all nodes. 0: not yet made. */
	bool uneven;    /* Some node offers less than the share. */
	sl_time *at;    /* By node. */
	int32_t *cpus;  /* By node: what it offers from then on; 0: that changes. */
	uint64_t *weight, *changed;
	struct due *order, *other; /* By time; to merge with. */
};

/* ---- When a node offers something -------------------------------------------------------------------- */

static int by_due(const void *a, const void *b)
{
	const struct due *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Ends of its jobs, ascending, each once. */
static uint32_t ends_of(const struct select *s, uint32_t node, sl_time *end, uint32_t capacity)
{
	uint32_t count = 0;
	for (const struct select_node_alloc *p = s->node[node].first; p; p = p->next) {
		const sl_time its = p->owner->end;
		uint32_t at = count;
		if (its == SL_NEVER)
			continue;
		if (count == capacity)
			return UINT32_MAX;
		while (at > 0 && end[at - 1] > its)
			at--;
		if (at > 0 && end[at - 1] == its)
			continue;
		memmove(&end[at + 1], &end[at], (count - at) * sizeof(*end));
		end[at] = its;
		count++;
	}
	return count;
}

static int32_t gives_then(struct sel_test *t, uint32_t node, sl_time when)
{
	struct sel_aside aside;
	if (!sel_keep_aside(t->s, node, when, &aside))
		return -1;
	const int32_t cpus = sel_gives(t, node, true);
	sel_keep_back(t->s, &aside);
	return cpus;
}

/* False: too much is on it. */
static bool renew(struct sel_test *t, struct sel_later *l, uint32_t node)
{
	struct select *s = t->s;
	sl_time end[SL_LEN(((struct sel_aside *)NULL)->node_alloc)];
	l->at[node] = SL_NEVER;
	l->cpus[node] = 0;
	if (!bit_test(t->q->candidates, node))
		return true;
	const uint32_t count = ends_of(s, node, end, SL_LEN(end) - 1);
	if (count == UINT32_MAX)
		return false;
	int32_t cpus = sel_gives(t, node, true);
	uint32_t i = 0;
	l->at[node] = ALREADY;
	for (; !cpus && i < count; i++) {
		cpus = gives_then(t, node, end[i]);
		l->at[node] = end[i];
	}
	if (!cpus)
		l->at[node] = SL_NEVER;
	l->weight[node] = s->avail[node].weight;
	l->uneven = l->uneven || (cpus > 0 && cpus < div_up(t->cpus_min, t->nodes_min));
	/* It offers no less as more of its jobs end: in between what it offers at both ends, if that is the
	 * same. */
	if (cpus > 0 && (i == count || gives_then(t, node, end[count - 1]) == cpus) &&
		s->avail[node].weight == l->weight[node])
		l->cpus[node] = cpus;
	return cpus >= 0;
}

/* ---- Of a request -------------------------------------------------------------------------------------- */

static struct sel_later *later_new(struct select *s)
{
	struct sel_later *l = sl_alloc(s->arena, 1, sizeof(*l));
	if (!l)
		return NULL;
	l->at = sl_alloc(s->arena, s->node_count, sizeof(*l->at));
	l->cpus = sl_alloc(s->arena, s->node_count, sizeof(*l->cpus));
	l->weight = sl_alloc(s->arena, s->node_count, sizeof(*l->weight));
	l->changed = sl_alloc(s->arena, s->words, sizeof(*l->changed));
	l->order = sl_alloc(s->arena, s->node_count, sizeof(*l->order));
	l->other = sl_alloc(s->arena, s->node_count, sizeof(*l->other));
	return l->at && l->cpus && l->weight && l->changed && l->order && l->other ? l : NULL;
}

static uint32_t later_most(const struct select *s)
{
	return (uint32_t)min64(max64(LATER_BYTES / (64 * max64(s->node_count, 1)), LATER_LEAST), LATER_MOST);
}

/* Made in place of the one that was not asked for longest. */
static struct sel_later *later_of(struct select *s, struct sel_request *q)
{
	struct sel_later *l = q->later;
	if (l)
		return l;
	if (!s->laters && !(s->laters = sl_alloc(s->arena, LATER_MOST, sizeof(struct sel_later *))))
		return NULL;
	if (s->later_count < later_most(s)) {
		l = s->laters[s->later_count] = later_new(s);
		if (!l)
			return NULL;
		s->later_count++;
	} else {
		l = s->laters[0];
		for (uint32_t i = 1; i < s->later_count; i++)
			if (s->laters[i]->used < l->used)
				l = s->laters[i];
		l->of->later = NULL;
	}
	l->of = q;
	l->count = 0;
	l->uneven = false;
	q->later = l;
	return l;
}

static bool make_order(struct sel_test *t, struct sel_later *l)
{
	const uint32_t nodes = t->s->node_count;
	l->uneven = false;
	for (uint32_t n = 0; n < nodes; n++) {
		if (!renew(t, l, n))
			return false;
		l->order[n] = (struct due){ l->at[n], n };
	}
	qsort(l->order, nodes, sizeof(*l->order), by_due);
	l->count = nodes;
	return true;
}

/* Nodes that have changed go to their new places. */
static bool follow_changes(struct sel_test *t, struct sel_later *l)
{
	struct select *s = t->s;
	struct due moved[256];
	uint32_t count = 0, kept = 0;
	memset(l->changed, 0, s->words * sizeof(*l->changed));
	for (uint64_t i = l->seen; i < s->change; i++) {
		const uint32_t n = s->change_log[i & (s->change_capacity - 1)];
		if (s->node[n].changed != i)
			continue;
		const sl_time before = l->at[n];
		if (count == SL_LEN(moved))
			return make_order(t, l);
		if (!renew(t, l, n))
			return false;
		if (l->at[n] == before)
			continue;
		bit_set(l->changed, n);
		moved[count++] = (struct due){ l->at[n], n };
	}
	if (!count)
		return true;
	qsort(moved, count, sizeof(*moved), by_due);
	uint32_t at = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		if (bit_test(l->changed, l->order[i].node))
			continue;
		while (at < count && by_due(&moved[at], &l->order[i]) < 0)
			l->other[kept++] = moved[at++];
		l->other[kept++] = l->order[i];
	}
	while (at < count)
		l->other[kept++] = moved[at++];
	struct due *const order = l->order;
	l->order = l->other;
	l->other = order;
	return true;
}

static bool select_later_follow(struct sel_test *t, struct sel_later *l)
{
	struct select *s = t->s;
	l->used = ++s->index_clock;
	if (l->count && l->seen == s->change)
		return true;
	const bool whole = !l->count || !sel_can_follow(s, l->seen);
	const bool done = whole ? make_order(t, l) : follow_changes(t, l);
	l->seen = s->change;
	if (!done)
		l->count = 0;
	return done;
}

/* Rare: this asks before anything is removed. */
void sel_later_undone(struct select *s, uint64_t from)
{
	for (uint32_t i = 0; i < s->later_count; i++)
		if (s->laters[i]->seen > from)
			s->laters[i]->count = 0;
}

/* ---- Batches ------------------------------------------------------------------------------------------- */

size_t sel_next_touching(const struct select_outlook *o, size_t from, const uint64_t *nodes)
{
	while (from < o->within &&
		(!o->running[from].alloc->held || !sel_touches(o->running[from].alloc, nodes)))
		from++;
	return from;
}

/* From that one back, which itself or one before it touches them. */
static size_t last_touching(const struct select_outlook *o, size_t from, const uint64_t *nodes)
{
	while (sel_next_touching(o, from, nodes) != from)
		from--;
	return from;
}

/* Behind the last one that ends in the batch's time; low: an index in the batch. */
static size_t batch_end(const struct sel_batch *b, const struct select_outlook *o, size_t low)
{
	for (size_t high = o->within; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (sel_seconds(&o->running[middle], o->epoch) > b->closes + b->window)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Its end is searched only behind a job that is removed: where
 * the last in its time is not, it goes on to the next that is. */
size_t sel_pass_batch(
	struct sel_batch *b, const struct select *s, const struct select_outlook *o, const uint64_t *nodes)
{
	const size_t first = sel_next_touching(o, b->next, nodes);
	if (first == o->within) {
		b->next = first;
		return SIZE_MAX;
	}
	const int64_t end = sel_seconds(&o->running[first], o->epoch);
	if (!b->closes)
		b->closes = end + b->window - end % b->window;
	const size_t low = batch_end(b, o, first + 1);
	size_t last = low - 1;
	if (o->nearby) {
		last = last_touching(o, last, nodes);
		b->next = sel_next_touching(o, low, nodes);
	} else if (last != first && sel_next_touching(o, last, nodes) != last) {
		last = low < o->within ? sel_next_touching(o, low, nodes) : low;
		if (last == o->within) {
			b->next = last;
			last = last_touching(o, low - 1, nodes);
		} else {
			b->next = last + 1;
		}
	} else {
		b->next = low;
	}
	do
		b->window = s->window_linear > 0 ? b->window + s->window_linear : 2 * b->window;
	while (b->next < o->within && sel_seconds(&o->running[b->next], o->epoch) > b->closes + b->window);
	return last;
}

/* ---- Choosing ------------------------------------------------------------------------------------------ */

struct ahead {
	struct sel_test *t;
	struct sel_later *l;
	const uint64_t *available;
};

static bool in_question(const struct ahead *a, uint32_t node)
{
	return !a->available || bit_test(a->available, node);
}

/* When as many nodes offer something as are wanted at least. */
static sl_time enough_at(const struct ahead *a)
{
	int64_t count = 0;
	for (uint32_t i = 0; i < a->l->count && a->l->order[i].at != SL_NEVER; i++) {
		count += in_question(a, a->l->order[i].node);
		if (count >= a->t->nodes_min)
			return a->l->order[i].at;
	}
	return SL_NEVER;
}

static bool asides_capacity(struct select *s, uint32_t count)
{
	if (count <= s->aside_capacity)
		return true;
	if (!s->order && !(s->order = sl_alloc(s->arena, s->node_count, sizeof(*s->order))))
		return false;
	s->aside = sl_alloc(s->arena, 2 * (size_t)count, sizeof(*s->aside));
	s->aside_capacity = s->aside ? 2 * count : 0;
	return s->aside != NULL;
}

/* What each node offers by then, and the choice among them. */
static bool choose_then(const struct ahead *a, sl_time then)
{
	struct sel_test *t = a->t;
	struct select *s = t->s;
	memset(t->nodes, 0, s->words * sizeof(*t->nodes));
	for (uint32_t i = 0; i < a->l->count && a->l->order[i].at <= then; i++) {
		const uint32_t n = a->l->order[i].node;
		if (!in_question(a, n))
			continue;
		int32_t cpus = a->l->cpus[n];
		if (cpus)
			s->avail[n].weight = a->l->weight[n];
		else
			cpus = gives_then(t, n, then);
		if (cpus <= 0)
			return false;
		s->usable[n] = cpus;
		bit_set(t->nodes, n);
	}
	t->order = s->order;
	t->order_count = 0;
	const bool chosen = sel_choose_given(t);
	t->order = NULL;
	return chosen;
}

/* The chosen nodes as they will be, and what the job would have of them. 1: it has; 0: they do not do; -1:
 * too much is on one. */
static int lay_out(struct ahead *a, sl_time then, int64_t nodes_min, int64_t nodes_max)
{
	struct sel_test *t = a->t;
	struct select *s = t->s;
	struct sel_need need;
	uint32_t count = 0;
	int placed = asides_capacity(s, t->order_count) ? 1 : -1;
	sel_need_begin(&need, t);
	for (; placed == 1 && count < t->order_count; count++) {
		if (!sel_keep_aside(s, s->order[count], then, &s->aside[count])) {
			placed = -1;
			break;
		}
		(void)sel_need_take(&need, s->order[count], sel_gives(t, s->order[count], true));
	}
	if (placed == 1 && t->q->gres_count)
		sel_trim_to_cores(t);
	const int64_t least = t->nodes_min, most = t->nodes_max;
	t->nodes_min = nodes_min;
	t->nodes_max = nodes_max;
	if (placed == 1)
		placed = sel_allocate(t);
	t->nodes_min = least;
	t->nodes_max = most;
	while (count-- > 0)
		sel_keep_back(s, &s->aside[count]);
	return placed;
}

/* When those that end before outlook->from are gone. */
static int later_from(struct ahead *a, const struct select_outlook *outlook, sl_time enough,
	int64_t nodes_min, int64_t nodes_max)
{
	const sl_time then = outlook->running[outlook->gone - 1].end;
	if (then < enough)
		return 0;
	return choose_then(a, then) ? lay_out(a, then, nodes_min, nodes_max) : -1;
}

int sel_later(struct sel_test *t, const uint64_t *available, const struct select_outlook *outlook,
	const struct select_running **last)
{
	struct select *s = t->s;
	const int64_t nodes_min = t->nodes_min, nodes_max = t->nodes_max;
	sel_bound_nodes(t);
	if (!sel_is_by_node(t) || !asides_capacity(s, 1))
		return -1;
	sel_keep_ends(s, outlook);
	struct ahead a = { .t = t, .l = later_of(s, t->q), .available = available };
	if (!a.l || !select_later_follow(t, a.l))
		return -1;
	const sl_time enough = enough_at(&a);
	if (enough == SL_NEVER || !outlook->within || outlook->running[outlook->within - 1].end < enough)
		return 0; /* Not by then, whatever the share of each node would be. */
	if (!sel_is_even(t) || a.l->uneven)
		return -1;
	struct sel_batch b = { .window = 30, .next = outlook->gone };
	*last = NULL;
	if (outlook->gone) {
		const int placed = later_from(&a, outlook, enough, nodes_min, nodes_max);
		if (placed)
			return placed;
	}
	while (b.next < outlook->within) {
		const size_t at = sel_pass_batch(&b, s, outlook, available);
		if (at == SIZE_MAX)
			return 0;
		const sl_time then = outlook->running[at].end;
		if (then < enough)
			continue;
		/* Jobs that end with it, and are not of the batch. */
		if (b.next < outlook->within && outlook->running[b.next].end == then &&
			(outlook->nearby || b.next == at + 1))
			return -1;
		if (!choose_then(&a, then))
			return -1;
		const int placed = lay_out(&a, then, nodes_min, nodes_max);
		*last = &outlook->running[at];
		if (placed)
			return placed;
	}
	return 0;
}
