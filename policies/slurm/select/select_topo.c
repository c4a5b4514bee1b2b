/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_topo.c - topology/tree: nodes under few switches.
 *
 * Rules (public source of 22.05, the tree part of cons_tres/job_test.c, in
 * outline; topology.html):
 * - The top switch is the highest one that joins the required nodes, else the
 *   last of the highest that has enough candidates and the lightest of them.
 * - Weights are collected, the lightest first, until their nodes suffice; all
 *   nodes of the weights before the last are then the job's.
 * - Leaves with nodes of the job are used up. Then leaf after leaf:
 *   the nearest to those already used that is no worse a fit; of equally near
 *   ones the one with the fewest nodes that are enough, or else the most; a tie
 *   is decided by the switches above. Within a leaf, nodes in order.
 * - --switches=N: more leaves than N will not do until the job has waited.
 * topology/block counts as leaves without a top: a job fills as few blocks as
 * it can, all equally near to each other.
 */
#include "policies/slurm/select/select_pick.h"

/* Up from each of two until they meet. */
static int64_t distance(const struct sl_cluster *c, uint32_t a, uint32_t b)
{
	int64_t steps = 0;
	while (a != b) {
		const bool up_a = c->sw[a].level <= c->sw[b].level;
		uint32_t *lower = up_a ? &a : &b;
		if (c->sw[*lower].parent == UINT32_MAX) {
			lower = up_a ? &b : &a;
			if (c->sw[*lower].parent == UINT32_MAX)
				return c->topology == SL_TOPOLOGY_BLOCK ? 1 : SEL_INFINITE;
		}
		*lower = c->sw[*lower].parent;
		steps++;
	}
	return steps;
}

int sel_topo_make(struct select *s, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	if (c->topology == SL_TOPOLOGY_NONE || !c->switch_count)
		return SL_OK;
	s->switch_count = c->switch_count;
	s->switch_nodes = sl_alloc(s->arena, c->switch_count, sizeof(*s->switch_nodes));
	s->switch_distance =
		sl_alloc(s->arena, (size_t)c->switch_count * c->switch_count, sizeof(*s->switch_distance));
	if (!s->switch_nodes || !s->switch_distance)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->switch_count; i++) {
		/* The nodes below it, and a set of them for a selection. */
		s->switch_nodes[i] = sl_alloc(s->arena, 2 * s->words, sizeof(uint64_t));
		if (!s->switch_nodes[i])
			return sl_fail_memory(err);
		for (uint32_t n = 0; n < c->sw[i].node_count; n++)
			bit_set(s->switch_nodes[i], c->sw[i].node[n]);
		for (uint32_t j = 0; j < c->switch_count; j++)
			s->switch_distance[(size_t)i * c->switch_count + j] = distance(c, i, j);
	}
	return SL_OK;
}

struct tree {
	struct sel_test *t;
	struct select *s;
	struct sel_need need;
	int64_t *count, *dist; /* By switch. */
	bool *used;
	uint32_t top;
	uint64_t *best; /* Candidates of the weights in use. */
};

static uint64_t *below(const struct tree *e, uint32_t sw) { return e->s->switch_nodes[sw] + e->s->words; }

static bool overlap(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

static uint64_t lightest(const struct tree *e, const uint64_t *nodes)
{
	uint64_t weight = UINT64_MAX;
	for (uint32_t n = bits_next(nodes, e->s->words, 0); n != UINT32_MAX;
		n = bits_next(nodes, e->s->words, n + 1))
		if (e->s->avail[n].weight < weight)
			weight = e->s->avail[n].weight;
	return weight;
}

static bool find_top(struct tree *e)
{
	const struct sl_cluster *c = e->s->cluster;
	uint64_t top_weight = 0;
	e->top = UINT32_MAX;
	for (uint32_t i = 0; i < e->s->switch_count; i++) {
		uint64_t *nodes = below(e, i);
		for (size_t w = 0; w < e->s->words; w++)
			nodes[w] = e->s->switch_nodes[i][w] & e->t->nodes[w];
		e->count[i] = bits_count(nodes, e->s->words);
		if (e->t->required) {
			if (overlap(e->t->required, nodes, e->s->words)) {
				e->used[i] = true;
				if (e->top == UINT32_MAX || c->sw[i].level > c->sw[e->top].level)
					e->top = i;
			}
			continue;
		}
		if (!e->count[i] || !sel_enough_nodes(e->t, e->count[i], e->need.nodes))
			continue;
		const uint64_t weight = lightest(e, nodes);
		if (e->top == UINT32_MAX || (c->sw[i].level >= c->sw[e->top].level && weight <= top_weight)) {
			e->top = i;
			top_weight = weight;
		}
	}
	if (c->topology == SL_TOPOLOGY_BLOCK)
		return true; /* All blocks are joined. */
	if (e->top == UINT32_MAX ||
		(e->t->required && !bits_within(e->t->required, below(e, e->top), e->s->words)))
		return false;
	for (uint32_t i = 0; i < e->s->switch_count; i++)
		for (size_t w = 0; w < e->s->words && i != e->top; w++)
			below(e, i)[w] &= below(e, e->top)[w];
	return true;
}

static bool under_top(const struct tree *e, uint32_t node)
{
	return e->top == UINT32_MAX || e->s->cluster->topology == SL_TOPOLOGY_BLOCK ||
	       bit_test(below(e, e->top), node);
}

/* Adds the nodes of a weight to the candidates. */
static void add_weight(struct tree *e, uint64_t weight, const uint64_t *open, struct sel_run *sum)
{
	for (uint32_t n = bits_next(open, e->s->words, 0); n != UINT32_MAX;
		n = bits_next(open, e->s->words, n + 1)) {
		if (e->s->avail[n].weight != weight || e->s->usable[n] || !under_top(e, n))
			continue;
		const int64_t cpus = sel_cores(e->t, n);
		if (!cpus)
			continue;
		e->s->usable[n] = cpus;
		bit_set(e->best, n);
		sum->cpus += cpus;
		sum->nodes++;
		if (e->need.per_job)
			sel_gres_count(e->t, n, sum->gres);
	}
}

static bool suffices(const struct tree *e, const struct sel_run *sum)
{
	return sum->cpus >= e->need.cpus && sel_enough_nodes(e->t, sum->nodes, e->need.nodes) &&
	       (!e->need.per_job || sel_gres_in(e->t, sum->gres));
}

/* Nodes of set[2], the lighter weights, become the job's. */
static bool collect_weights(struct tree *e, const uint64_t *open, uint64_t *lighter)
{
	struct sel_run sum = { 0 };
	uint64_t weight = 0;
	bool first = true;
	memset(lighter, 0, e->s->words * sizeof(*lighter));
	memset(e->best, 0, e->s->words * sizeof(*e->best));
	do {
		uint64_t next = UINT64_MAX;
		for (uint32_t n = bits_next(open, e->s->words, 0); n != UINT32_MAX;
			n = bits_next(open, e->s->words, n + 1))
			if ((first || e->s->avail[n].weight > weight) && e->s->avail[n].weight < next)
				next = e->s->avail[n].weight;
		if (next == UINT64_MAX)
			return false;
		weight = next;
		first = false;
		memcpy(lighter, e->best, e->s->words * sizeof(*lighter));
		add_weight(e, weight, open, &sum);
	} while (!suffices(e, &sum));
	return true;
}

/* Nodes of the set that are not yet the job's, in order, until it has enough. */
static bool select_topo_take_all(struct tree *e, const uint64_t *set)
{
	for (uint32_t n = bits_next(set, e->s->words, 0); n != UINT32_MAX && e->need.nodes_most > 0;
		n = bits_next(set, e->s->words, n + 1)) {
		if (bit_test(e->t->nodes, n) || !e->s->usable[n])
			continue;
		(void)sel_need_take(&e->need, n, e->s->usable[n]);
		bit_set(e->t->nodes, n);
		if (sel_need_met(&e->need))
			return true;
	}
	return false;
}

static void come_nearer(struct tree *e, uint32_t sw)
{
	for (uint32_t i = 0; i < e->s->switch_count; i++)
		e->dist[i] = min64(SEL_INFINITE,
			e->dist[i] + e->s->switch_distance[(size_t)sw * e->s->switch_count + i]);
}

/* Above 0: a is the better fit; below: b. */
static int compare_fit(const struct tree *e, uint32_t a, uint32_t b)
{
	const struct sl_switch *sw = e->s->cluster->sw;
	for (;;) {
		const bool fits_a = e->count[a] >= e->need.nodes, fits_b = e->count[b] >= e->need.nodes;
		if (fits_a != fits_b)
			return fits_a ? 1 : -1;
		if (fits_a && e->count[a] != e->count[b])
			return e->count[a] < e->count[b] ? 1 : -1;
		if (fits_a)
			break;
		if (sw[a].parent == UINT32_MAX || sw[b].parent == UINT32_MAX || sw[a].parent == sw[b].parent)
			break;
		a = sw[a].parent;
		b = sw[b].parent;
	}
	if (e->count[a] != e->count[b])
		return e->count[a] > e->count[b] ? 1 : -1;
	return sw[a].level == sw[b].level ? 0 : sw[a].level < sw[b].level ? 1 : -1;
}

static uint32_t best_leaf(const struct tree *e)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < e->s->switch_count; i++) {
		if (e->used[i] || e->s->cluster->sw[i].level != 0 || !e->count[i] ||
			e->dist[i] >= SEL_INFINITE)
			continue;
		const int fit = best == UINT32_MAX ? 1 : compare_fit(e, i, best);
		if (best == UINT32_MAX || (e->dist[i] < e->dist[best] && fit >= 0) ||
			(e->dist[i] == e->dist[best] && fit > 0))
			best = i;
	}
	return best;
}

static bool take_leaves(struct tree *e)
{
	for (uint32_t i = 0; i < e->s->switch_count; i++)
		if (e->used[i])
			come_nearer(e, i);
	for (int64_t before = e->need.nodes + 1; before != e->need.nodes;) {
		before = e->need.nodes;
		const uint32_t leaf = best_leaf(e);
		if (leaf == UINT32_MAX)
			break;
		come_nearer(e, leaf);
		if (select_topo_take_all(e, below(e, leaf)))
			return true;
		e->count[leaf] = 0;
	}
	return e->need.nodes_least <= 0 && e->need.cpus <= 0 && sel_gres_enough(e->t);
}

static bool lay_out(struct tree *e, const uint64_t *open)
{
	struct sel_test *t = e->t;
	struct select *s = e->s;
	uint64_t *lighter = s->set[2];
	for (uint32_t n = t->required ? bits_next(t->required, s->words, 0) : UINT32_MAX; n != UINT32_MAX;
		n = bits_next(t->required, s->words, n + 1)) {
		if (e->need.nodes_most <= 0)
			return false;
		s->usable[n] = sel_need_take(&e->need, n, sel_cores(t, n));
		if (!s->usable[n])
			return false;
	}
	if (!find_top(e))
		return false;
	if (t->required)
		memcpy(t->nodes, t->required, s->words * sizeof(*t->nodes));
	else
		memset(t->nodes, 0, s->words * sizeof(*t->nodes));
	if (t->required && sel_need_met(&e->need))
		return true;
	if (e->need.nodes_most <= 0 || !collect_weights(e, open, lighter))
		return false;
	const bool lightly = bits_count(lighter, s->words) > 0;
	if (select_topo_take_all(e, lighter))
		return true;
	if (e->need.nodes_most <= 0)
		return false;
	for (uint32_t i = 0; i < s->switch_count; i++) {
		if (overlap(lighter, below(e, i), s->words))
			e->used[i] = true;
		for (size_t w = 0; w < s->words; w++)
			below(e, i)[w] &= e->best[w] | t->nodes[w];
		e->count[i] = bits_count(below(e, i), s->words);
	}
	for (uint32_t i = 0; i < s->switch_count && (t->required || lightly); i++)
		if (e->used[i] && s->cluster->sw[i].level == 0 && select_topo_take_all(e, below(e, i)))
			return true;
	return take_leaves(e);
}

static void count_leaves(struct tree *e)
{
	const struct sel_request *q = e->t->q;
	int64_t leaves = 0;
	if (q->switches <= 0)
		return;
	for (uint32_t i = 0; i < e->s->switch_count; i++)
		if (e->s->cluster->sw[i].level == 0 &&
			overlap(e->s->switch_nodes[i], e->t->nodes, e->s->words))
			leaves++;
	e->t->best_switch = leaves <= q->switches || e->t->job->waited >= q->switches_wait;
}

bool sel_eval_tree(struct sel_test *t)
{
	struct select *s = t->s;
	struct tree e = { .t = t, .s = s, .best = s->set[3] };
	uint64_t *open = s->set[0];
	/* By switch, behind the usable cpus by node. */
	e.count = s->usable + s->node_count;
	e.dist = e.count + s->switch_count;
	e.used = (bool *)(e.dist + s->switch_count);
	memset(s->usable, 0, (s->node_count + 2 * s->switch_count) * sizeof(*s->usable));
	memset(e.used, 0, s->switch_count);
	memcpy(open, t->nodes, s->words * sizeof(*open));
	sel_need_begin(&e.need, t);
	if (!lay_out(&e, open))
		return false;
	count_leaves(&e);
	return true;
}
