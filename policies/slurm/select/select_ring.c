/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_ring.c - topology/ring, of 26.05: nodes that are neighbours on a ring (eval_nodes_ring()).
 *
 * Read in the source. A ring's nodes are in the order of its list, the last beside the first. A job, or each
 * of its segments (--segment), gets so many neighbours of one ring, all of them usable; of each ring its best
 * stretch is looked at: that whose heaviest node is lightest, of equal ones the first. Of the rings the one
 * with the lightest stretch is taken, then the one with the fewest candidates, then the first. Segments are
 * of different rings. A job never has more nodes than it needs at least. Of required nodes there have to be
 * as many as it needs.
 */
#include "policies/slurm/select/select_pick.h"

struct stretch {
	uint32_t ring, start;
	uint64_t weight;
	int64_t open; /* Candidates of its ring. */
};

/* The best stretches of different rings; the worst one is on top of a heap. */
struct stretches {
	struct stretch *one;
	int64_t count, wanted;
};

struct ring {
	struct sel_test *t;
	const struct sel_topology *topo;
	struct sel_need need;
	int64_t nodes; /* Of a stretch. */
};

static bool is_worse(const struct stretch *a, const struct stretch *b)
{
	return a->weight > b->weight || (a->weight == b->weight && a->open > b->open);
}

static void stretch_swap(struct stretch *a, struct stretch *b)
{
	const struct stretch was = *a;
	*a = *b;
	*b = was;
}

static void stretch_add(struct stretches *all, const struct stretch *one)
{
	int64_t at = all->count;
	if (all->count < all->wanted) {
		all->one[all->count++] = *one;
		for (; at > 0 && is_worse(&all->one[at], &all->one[(at - 1) / 2]); at = (at - 1) / 2)
			stretch_swap(&all->one[at], &all->one[(at - 1) / 2]);
		return;
	}
	if (!is_worse(&all->one[0], one))
		return;
	all->one[0] = *one;
	for (at = 0;;) {
		int64_t worst = at;
		for (int64_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < all->count && is_worse(&all->one[child], &all->one[worst]))
				worst = child;
		if (worst == at)
			return;
		stretch_swap(&all->one[at], &all->one[worst]);
		at = worst;
	}
}

/* What a node offers; it is asked once. */
static int64_t cpus_of(const struct ring *e, uint32_t node)
{
	struct select *s = e->t->s;
	if (!s->usable[node] && bit_test(e->t->nodes, node))
		s->usable[node] = sel_cores(e->t, node);
	return s->usable[node];
}

/* From there on so many neighbours are usable: the heaviest weight of them; else how many are (*good). */
static bool measure(const struct ring *e, const struct sl_switch *sw, uint32_t start, uint64_t most,
	uint64_t *weight, uint32_t *good, int64_t *gres)
{
	*weight = 0;
	for (*good = 0; *good < e->nodes; (*good)++) {
		const uint32_t n = sw->node[(start + *good) % sw->node_count];
		const uint64_t its = e->t->s->avail[n].weight;
		if (!bit_test(e->t->nodes, n) || its > most || !cpus_of(e, n))
			return false;
		if (e->need.per_job)
			sel_gres_count(e->t, n, gres);
		*weight = its > *weight ? its : *weight;
	}
	return true;
}

static void look_at_ring(const struct ring *e, uint32_t ring, struct stretches *all)
{
	const struct sl_switch *sw = &e->topo->sw[ring];
	const struct select *s = e->t->s;
	struct stretch best = { .weight = UINT64_MAX, .open = INT64_MAX };
	bool found = false;
	int64_t open = 0;
	for (size_t w = 0; w < s->words; w++)
		open += bits_of(e->topo->nodes[ring][w] & e->t->nodes[w]);
	if (open < e->nodes || sw->node_count < e->nodes)
		return;
	if (all->count == all->wanted)
		best = all->one[0];
	for (uint32_t start = 0, good; start < sw->node_count; start++) {
		int64_t gres[SEL_GRES] = { 0 };
		uint64_t weight;
		const bool usable = measure(e, sw, start, best.weight, &weight, &good, gres);
		const struct stretch one = { ring, start, weight, open };
		if (!usable)
			start += good; /* None that begins before that one has it. */
		else if (is_worse(&best, &one) &&
			 (all->wanted > 1 || !e->need.per_job || sel_gres_in(e->t, gres))) {
			best = one;
			found = true;
		}
	}
	if (found)
		stretch_add(all, &best);
}

static bool take_stretches(struct ring *e, const struct stretches *all)
{
	struct sel_test *t = e->t;
	memset(t->nodes, 0, t->s->words * sizeof(*t->nodes));
	for (int64_t i = 0; i < all->count; i++) {
		const struct sl_switch *sw = &e->topo->sw[all->one[i].ring];
		for (int64_t k = 0; k < e->nodes; k++) {
			const uint32_t n = sw->node[(all->one[i].start + k) % sw->node_count];
			if (!sel_need_take(&e->need, n, t->s->usable[n]))
				return false;
			bit_set(t->nodes, n);
		}
	}
	return e->need.nodes_least <= 0 && e->need.cpus <= 0 && sel_gres_enough(t);
}

/* The required nodes are all that it may have. */
static bool keep_required(struct sel_test *t)
{
	if (!t->required)
		return true;
	const int64_t count = bits_count(t->required, t->s->words);
	if (count > t->nodes_max || count < t->nodes_min)
		return false;
	for (size_t w = 0; w < t->s->words; w++)
		t->nodes[w] &= t->required[w];
	return true;
}

bool sel_eval_ring(struct sel_test *t)
{
	struct select *s = t->s;
	struct ring e = { .t = t, .topo = sel_topology_of(s, t->q->partition) };
	const int64_t segment = t->q->desc.segment;
	struct stretches all = { .wanted = 1 };
	sel_need_begin(&e.need, t);
	e.nodes = min64(t->nodes_min, t->nodes_want);
	if (segment != SL_NONE && segment > 0) {
		if (e.nodes % segment)
			return false;
		all.wanted = e.nodes / segment;
		e.nodes = segment;
	}
	if (all.wanted > e.topo->count || !keep_required(t))
		return false;
	/* By ring, in the place of runs. */
	_Static_assert(sizeof(struct stretch) <= sizeof(struct sel_run), "as many stretches as runs fit");
	all.one = (struct stretch *)(void *)s->run;
	if (all.wanted > s->node_count)
		return false;
	memset(s->usable, 0, s->node_count * sizeof(*s->usable));
	t->best_switch = true; /* --switches asks for nothing here. */
	for (uint32_t i = 0; i < e.topo->count; i++)
		look_at_ring(&e, i, &all);
	return all.count == all.wanted && take_stretches(&e, &all);
}
