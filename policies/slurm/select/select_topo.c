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
 * From 24.05 on (topology/tree/eval_nodes_tree.c of 24.11):
 * - A switch suffices if its cpus do as well as its nodes; a nearer leaf goes before a farther one only if
 * it, or the switch above it up to where the two part, suffices. Nodes that were taken no longer count.
 * - Weights are collected until all nodes that are wanted are there, not the least of them.
 * - Where too many leaves were used for --switches, a job that wants more nodes than it needs is tried with
 *   one node fewer, and so on.
 * topology/block is select_block.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/select/select_pick.h"

/* Which switch hangs on which: a switch may hang on several. */
struct links {
	const struct sel_topology *topo;
	struct link {
		uint32_t up, down;
	} * link;
	size_t count, capacity;
	uint32_t up; /* Whose list is read. */
	struct sl_err *err;
};

static int link_put(struct links *links, uint32_t up, uint32_t down)
{
	if (SL_GROW(links->link, links->capacity, links->count + 1, links->err))
		return SL_SYSTEM;
	links->link[links->count++] = (struct link){ up, down };
	return SL_OK;
}

static int link_add(void *self, const char *name, size_t len)
{
	struct links *links = self;
	const struct sel_topology *c = links->topo;
	uint32_t down = 0;
	while (down < c->count && (strncmp(c->sw[down].name, name, len) != 0 || c->sw[down].name[len]))
		down++;
	if (down == c->count)
		return SL_OK;
	return c->sw[down].parent == links->up ? SL_OK : link_put(links, links->up, down);
}

static int links_make(struct links *links)
{
	const struct sel_topology *c = links->topo;
	int status = SL_OK;
	for (uint32_t i = 0; i < c->count && !status; i++) {
		const char *list = c->sw[i].switches;
		links->up = i;
		if (c->sw[i].parent != UINT32_MAX)
			status = link_put(links, c->sw[i].parent, i);
		if (list && *list && !status)
			status = sl_hosts_each(list, strlen(list), NULL, links->err, link_add, links);
	}
	return status;
}

static bool nearer(int64_t *to, int64_t from)
{
	if (from >= SEL_INFINITE || *to <= from + 1)
		return false;
	*to = from + 1;
	return true;
}

/* From one to each, by the fewest links (_check_better_path). */
static void distances(const struct links *links, uint32_t from, int64_t *distance)
{
	const struct sel_topology *c = links->topo;
	for (uint32_t i = 0; i < c->count; i++)
		distance[i] = i == from ? 0 : SEL_INFINITE;
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < links->count; i++) {
			int64_t *up = &distance[links->link[i].up];
			int64_t *down = &distance[links->link[i].down];
			changed = nearer(up, *down) || changed;
			changed = nearer(down, *up) || changed;
		}
	}
}

int sel_topo_finish(struct select *s, struct sel_topology *topo, struct sl_err *err)
{
	topo->nodes = sl_alloc(s->arena, (size_t)topo->count + 1, sizeof(*topo->nodes));
	topo->distance = sl_alloc(s->arena, (size_t)topo->count * topo->count + 1, sizeof(*topo->distance));
	if (!topo->nodes || !topo->distance)
		return sl_fail_memory(err);
	struct links links = { .topo = topo, .err = err };
	const int status = links_make(&links);
	for (uint32_t i = 0; i < topo->count && !status; i++)
		distances(&links, i, &topo->distance[(size_t)i * topo->count]);
	free(links.link);
	if (status)
		return status;
	for (uint32_t i = 0; i < topo->count; i++) {
		/* The nodes below it, and a set of them for a selection. */
		topo->nodes[i] = sl_alloc(s->arena, 2 * s->words, sizeof(uint64_t));
		if (!topo->nodes[i])
			return sl_fail_memory(err);
		for (uint32_t n = 0; n < topo->sw[i].node_count; n++)
			bit_set(topo->nodes[i], topo->sw[i].node[n]);
	}
	return SL_OK;
}

/* BlockSizes of topology.conf; NULL: not said. */
static const char *block_sizes(const struct sl_cluster *c)
{
	const char *sizes = NULL;
	for (uint32_t i = 0; i < c->setting_count; i++)
		if (strcmp(c->setting[i].kind, "switch") == 0 &&
			strcasecmp(c->setting[i].key, "BlockSizes") == 0)
			sizes = c->setting[i].value;
	return sizes;
}

int sel_topo_make(struct select *s, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	s->topology = sl_alloc(s->arena, 1, sizeof(*s->topology));
	if (!s->topology)
		return sl_fail_memory(err);
	s->topology_count = 1;
	if (c->topology != SL_TOPOLOGY_NONE && c->switch_count) {
		s->topology[0].kind = c->topology == SL_TOPOLOGY_BLOCK ? SEL_BLOCK : SEL_TREE;
		s->topology[0].sw = c->sw;
		s->topology[0].count = c->switch_count;
		if (sel_topo_finish(s, &s->topology[0], err))
			return err->status;
	}
	if (s->topology[0].kind == SEL_BLOCK)
		sel_block_sizes(&s->topology[0], block_sizes(c));
	return sel_topologies_read(s, err);
}

struct tree {
	struct sel_test *t;
	struct select *s;
	const struct sel_topology *topo;
	struct sel_need need;
	int64_t *count, *dist; /* By switch. */
	int64_t *cpus;         /* By switch: of all its candidates. */
	bool *used;
	bool by_cpus; /* The rules of 24.05 and after. */
	uint32_t top;
	uint64_t *best; /* Candidates of the weights in use. */
};

static uint64_t *below(const struct tree *e, uint32_t sw) { return e->topo->nodes[sw] + e->s->words; }

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

static void count_switch(struct tree *e, uint32_t i, const uint64_t *open)
{
	uint64_t *nodes = below(e, i);
	for (size_t w = 0; w < e->s->words; w++)
		nodes[w] = e->topo->nodes[i][w] & open[w];
	e->count[i] = bits_count(nodes, e->s->words);
	e->cpus[i] = 0;
	for (uint32_t n = bits_next(nodes, e->s->words, 0); n != UINT32_MAX && e->by_cpus;
		n = bits_next(nodes, e->s->words, n + 1))
		e->cpus[i] += e->s->avail[n].cpus;
}

/* Nodes that the top does not reach are none of any switch. */
static void keep_under_top(struct tree *e)
{
	for (uint32_t i = 0; i < e->topo->count; i++)
		for (size_t w = 0; w < e->s->words && i != e->top && e->top != UINT32_MAX; w++)
			below(e, i)[w] &= below(e, e->top)[w];
}

static bool find_top(struct tree *e, const uint64_t *open)
{
	const struct sel_topology *c = e->topo;
	uint64_t top_weight = 0;
	e->top = UINT32_MAX;
	for (uint32_t i = 0; i < e->topo->count; i++) {
		const uint64_t *nodes = below(e, i);
		count_switch(e, i, open);
		if (e->t->required) {
			if (overlap(e->t->required, nodes, e->s->words)) {
				e->used[i] = true;
				if (e->top == UINT32_MAX || c->sw[i].level > c->sw[e->top].level)
					e->top = i;
			}
			continue;
		}
		if (!e->count[i] || !sel_enough_nodes(e->t, e->count[i], e->need.nodes) ||
			(e->by_cpus && e->need.cpus > e->cpus[i]))
			continue;
		const uint64_t weight = lightest(e, nodes);
		if (e->top == UINT32_MAX || (c->sw[i].level >= c->sw[e->top].level && weight <= top_weight)) {
			e->top = i;
			top_weight = weight;
		}
	}
	if (e->top == UINT32_MAX ||
		(e->t->required && !bits_within(e->t->required, below(e, e->top), e->s->words)))
		return false;
	keep_under_top(e);
	return true;
}

static bool under_top(const struct tree *e, uint32_t node)
{
	return e->top == UINT32_MAX || bit_test(below(e, e->top), node);
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

/* For the least that the job needs; all: for all that it wants. */
static bool suffices(const struct tree *e, const struct sel_run *sum, bool all)
{
	const bool nodes =
		all ? sum->nodes >= e->need.nodes : sel_enough_nodes(e->t, sum->nodes, e->need.nodes);
	return nodes && sum->cpus >= e->need.cpus && (!e->need.per_job || sel_gres_in(e->t, sum->gres));
}

/* Nodes of set[2], the lighter weights, become the job's. */
static bool collect_weights(struct tree *e, const uint64_t *open, uint64_t *lighter)
{
	struct sel_run sum = { 0 };
	uint64_t weight = 0;
	bool first = true, enough = false;
	memset(lighter, 0, e->s->words * sizeof(*lighter));
	memset(e->best, 0, e->s->words * sizeof(*e->best));
	do {
		uint64_t next = UINT64_MAX;
		for (uint32_t n = bits_next(open, e->s->words, 0); n != UINT32_MAX;
			n = bits_next(open, e->s->words, n + 1))
			if ((first || e->s->avail[n].weight > weight) && e->s->avail[n].weight < next)
				next = e->s->avail[n].weight;
		if (next == UINT64_MAX)
			return enough;
		weight = next;
		first = false;
		memcpy(lighter, e->best, e->s->words * sizeof(*lighter));
		add_weight(e, weight, open, &sum);
		enough = enough || suffices(e, &sum, false);
	} while (!enough || (e->by_cpus && !suffices(e, &sum, true)));
	return true;
}

/* Nodes of the set that are not yet the job's, in order, until it has enough. */
static bool select_topo_take_all(struct tree *e, const uint64_t *set)
{
	for (uint32_t n = bits_next(set, e->s->words, 0); n != UINT32_MAX && e->need.nodes_most > 0;
		n = bits_next(set, e->s->words, n + 1)) {
		if (bit_test(e->t->nodes, n) || !e->s->usable[n])
			continue;
		if (!sel_need_take(&e->need, n, e->s->usable[n])) {
			e->s->usable[n] = 0;
			continue;
		}
		bit_set(e->t->nodes, n);
		if (sel_need_met(&e->need))
			return true;
	}
	return false;
}

static void come_nearer(struct tree *e, uint32_t sw)
{
	for (uint32_t i = 0; i < e->topo->count; i++)
		e->dist[i] =
			min64(SEL_INFINITE, e->dist[i] + e->topo->distance[(size_t)sw * e->topo->count + i]);
}

/* So many of its nodes were taken, and so of each switch above it. */
static void count_off(struct tree *e, uint32_t i, int64_t taken)
{
	for (; i != UINT32_MAX; i = e->topo->sw[i].parent)
		e->count[i] = max64(e->count[i] - taken, 0);
}

static bool fits(const struct tree *e, uint32_t i)
{
	return e->count[i] >= e->need.nodes && (!e->by_cpus || e->cpus[i] >= e->need.cpus);
}

/* Above 0: a is the better fit; below: b. suffices: whether a does, or what is above it where the two part.
 */
static int compare_fit(const struct tree *e, uint32_t a, uint32_t b, bool *suffices)
{
	const struct sl_switch *sw = e->topo->sw;
	for (;;) {
		const bool fits_a = fits(e, a), fits_b = fits(e, b);
		*suffices = fits_a;
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
	for (uint32_t i = 0; i < e->topo->count; i++) {
		if (e->used[i] || e->topo->sw[i].level != 0 || !e->count[i] || e->dist[i] >= SEL_INFINITE)
			continue;
		bool enough = true;
		const int fit = best == UINT32_MAX ? 1 : compare_fit(e, i, best, &enough);
		if (best == UINT32_MAX || (e->dist[i] < e->dist[best] && (e->by_cpus ? enough : fit >= 0)) ||
			(e->dist[i] == e->dist[best] && fit > 0))
			best = i;
	}
	return best;
}

static bool take_leaves(struct tree *e)
{
	for (uint32_t i = 0; i < e->topo->count; i++)
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
		if (e->by_cpus)
			count_off(e, leaf, e->count[leaf]);
		e->count[leaf] = 0;
	}
	return e->need.nodes_least <= 0 && e->need.cpus <= 0 && sel_gres_enough(e->t);
}

/* Leaves with nodes of the job are used up. */
static bool fill_leaves(struct tree *e)
{
	const struct sl_switch *sw = e->topo->sw;
	int64_t taken = 0;
	for (uint32_t i = 0; i < e->topo->count; i++) {
		if (!e->used[i] || sw[i].level != 0)
			continue;
		const int64_t before = e->need.nodes;
		if (select_topo_take_all(e, below(e, i)))
			return true;
		taken += before - e->need.nodes; /* Of all leaves so far: so slurmctld counts. */
		if (e->by_cpus)
			count_off(e, i, taken);
	}
	return false;
}

/* Among the nodes under the top switch. */
static bool lay_below(struct tree *e, const uint64_t *open)
{
	struct sel_test *t = e->t;
	struct select *s = e->s;
	uint64_t *lighter = s->set[2];
	if (e->need.nodes_most <= 0 || !collect_weights(e, open, lighter))
		return false;
	const bool lightly = bits_count(lighter, s->words) > 0;
	if (select_topo_take_all(e, lighter))
		return true;
	if (e->need.nodes_most <= 0)
		return false;
	for (uint32_t i = 0; i < e->topo->count; i++) {
		if (overlap(lighter, below(e, i), s->words))
			e->used[i] = true;
		for (size_t w = 0; w < s->words; w++)
			below(e, i)[w] &= e->best[w] | t->nodes[w];
		e->count[i] = bits_count(below(e, i), s->words);
	}
	if ((t->required || lightly) && fill_leaves(e))
		return true;
	return take_leaves(e);
}

static void begin_nodes(const struct sel_test *t)
{
	if (t->required)
		memcpy(t->nodes, t->required, t->s->words * sizeof(*t->nodes));
	else
		memset(t->nodes, 0, t->s->words * sizeof(*t->nodes));
}

/* The required nodes and the top switch. 1: they suffice; 0: more are wanted; -1: impossible. */
static int lay_required(struct tree *e, const uint64_t *open)
{
	struct sel_test *t = e->t;
	struct select *s = e->s;
	for (uint32_t n = t->required ? bits_next(t->required, s->words, 0) : UINT32_MAX; n != UINT32_MAX;
		n = bits_next(t->required, s->words, n + 1)) {
		if (e->need.nodes_most <= 0)
			return -1;
		s->usable[n] = sel_need_take(&e->need, n, sel_cores(t, n));
		if (!s->usable[n])
			return -1;
	}
	if (!find_top(e, open))
		return -1;
	begin_nodes(t);
	return t->required && sel_need_met(&e->need);
}

/* False: they are too many for --switches, and the job has not yet waited long enough. */
static bool count_leaves(const struct tree *e)
{
	const struct sel_request *q = e->t->q;
	int64_t leaves = 0;
	if (q->switches <= 0)
		return true;
	for (uint32_t i = 0; i < e->topo->count; i++)
		if (e->topo->sw[i].level == 0 && overlap(e->topo->nodes[i], e->t->nodes, e->s->words))
			leaves++;
	return leaves <= q->switches || e->t->job->waited >= q->switches_wait;
}

/* From the required nodes on once more, wanting one node fewer. */
static void begin_again(struct tree *e, const uint64_t *open, const struct sel_need *need)
{
	struct sel_test *t = e->t;
	e->need = *need;
	memset(e->used, 0, e->topo->count);
	memset(e->dist, 0, e->topo->count * sizeof(*e->dist));
	for (uint32_t n = 0; n < e->s->node_count; n++)
		if (!t->required || !bit_test(t->required, n))
			e->s->usable[n] = 0;
	for (uint32_t i = 0; i < e->topo->count; i++) {
		count_switch(e, i, open);
		e->used[i] = t->required && overlap(t->required, below(e, i), e->s->words);
	}
	keep_under_top(e);
	begin_nodes(t);
}

static bool lay_out(struct tree *e, const uint64_t *open)
{
	struct sel_test *t = e->t;
	const int required = lay_required(e, open);
	struct sel_need begun = e->need;
	bool chosen = required > 0 || (required == 0 && lay_below(e, open));
	while (chosen && !required && e->by_cpus && !count_leaves(e) && t->nodes_want > t->nodes_min) {
		t->nodes_want--;
		begun.nodes--;
		begin_again(e, open, &begun);
		chosen = lay_below(e, open);
	}
	return chosen;
}

bool sel_eval_tree(struct sel_test *t)
{
	struct select *s = t->s;
	const int64_t nodes_want = t->nodes_want;
	struct tree e = { .t = t,
		.s = s,
		.topo = sel_topology_of(s, t->q->partition),
		.best = s->set[3],
		.by_cpus = s->version >= SEL_24_05 };
	uint64_t *open = s->set[0];
	/* By switch, behind the usable cpus by node. */
	e.count = s->usable + s->node_count;
	e.dist = e.count + e.topo->count;
	e.cpus = e.dist + e.topo->count;
	e.used = (bool *)(e.cpus + e.topo->count);
	memset(s->usable, 0, (s->node_count + 3 * (size_t)e.topo->count) * sizeof(*s->usable));
	memset(e.used, 0, e.topo->count);
	memcpy(open, t->nodes, s->words * sizeof(*open));
	sel_need_begin(&e.need, t);
	const bool chosen = lay_out(&e, open);
	t->nodes_want = nodes_want;
	if (chosen)
		t->best_switch = count_leaves(&e);
	return chosen;
}
