/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leaves_choose.c - placements by leaf switch: pack_leaves, spread_leaves, contention.
 *
 * pack_leaves: of the leaves that fit the whole job that on which it needs the fewest nodes, ties the least
 * free (best fit, as Slurm's topology/tree does below one switch); else the fewest leaves, the one with most
 * free first, and what is left of the job on one by the same rule. spread_leaves uses a node of each leaf in
 * turn, the one with most free first: Slurm's rule for dragonflies. contention makes a candidate of each;
 * one of the fewest nodes, whatever their leaves; and one of the leaves with the fewest nodes of jobs that
 * cross leaves. Models say how fast the job would run there beside what runs (placements are scored so by
 * Themis and CASSINI), and the fastest is chosen; ties the fewest leaves, then the order of candidates here.
 * Jobs that it slows down are not considered. Without a model that knows the difference it is pack_leaves.
 */
#include <stdlib.h>

#include "policies/place/leaves.h"

/* ---- What is there ------------------------------------------------------------------------------------- */

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static uint32_t takes(const struct leaves *l, uint32_t node)
{
	return l->holds[node] < l->most ? l->holds[node] : l->most;
}

/* Nodes of a leaf: those that fit most of the job first, then the tightest, then the lowest. */
static void rank_nodes(struct leaves *l, uint32_t leaf, struct ranked *rank)
{
	uint32_t count = 0;
	l->sum[leaf] = 0;
	for (uint32_t i = l->first[leaf]; i < l->first[leaf + 1]; i++) {
		const uint32_t node = l->by_leaf[i];
		l->sum[leaf] += takes(l, node);
		rank[count++] = (struct ranked){ UINT32_MAX - takes(l, node), l->holds[node], node };
	}
	qsort(rank, count, sizeof(*rank), compare_ranked);
	for (uint32_t i = 0; i < count; i++)
		l->within[l->first[leaf] + i] = rank[i].row;
}

static void leaves_choose_look(struct leaves *l, const uint64_t *closed)
{
	const struct sl_cluster *cluster = l->cluster;
	const uint64_t *types = l->group->node_set ? cluster->node_set[l->group->node_set].types : NULL;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const uint32_t type = cluster->node_type[node];
		const bool out = (closed && closed[node / 64] >> node % 64 & 1) ||
				 (types && !(types[type / 64] >> type % 64 & 1));
		l->holds[node] = out ? 0 : leaves_fit(l, node, l->group);
	}
	for (uint32_t leaf = 0; leaf < l->leaf_count; leaf++)
		rank_nodes(l, leaf, l->rank);
}

/* ---- Candidates ---------------------------------------------------------------------------------------- */

static void candidate_begins(struct leaves *l)
{
	l->allocs = 0;
	l->leaves_used = 0;
	l->left = l->group->tasks;
	for (uint32_t leaf = 0; leaf < l->leaf_count; leaf++)
		l->next[leaf] = l->first[leaf];
}

/* The next nodes of the leaf, at most so many. */
static void take_of(struct leaves *l, uint32_t leaf, uint32_t nodes)
{
	const bool fresh = l->next[leaf] == l->first[leaf];
	const uint32_t before = l->allocs;
	while (nodes && l->left && l->next[leaf] < l->first[leaf + 1]) {
		const uint32_t node = l->within[l->next[leaf]++];
		const uint32_t tasks = takes(l, node) < l->left ? takes(l, node) : l->left;
		if (!tasks)
			continue;
		l->alloc[l->allocs++] = (struct sl_node_tasks){ .node = node, .tasks = tasks };
		l->left -= tasks;
		nodes--;
	}
	l->leaves_used += fresh && l->allocs > before;
}

/* How many nodes of the leaf so many tasks need; they fit. */
static uint32_t nodes_for(const struct leaves *l, uint32_t leaf, uint64_t tasks)
{
	uint32_t count = 0;
	for (uint32_t i = l->first[leaf]; i < l->first[leaf + 1] && tasks; i++, count++) {
		const uint32_t here = takes(l, l->within[i]);
		tasks -= here < tasks ? here : tasks;
	}
	return count;
}

/* Of the leaves not used yet that fit so many that on which they need the fewest nodes, ties the tightest;
 * UINT32_MAX: none does. */
static uint32_t tightest(const struct leaves *l, uint64_t tasks)
{
	uint32_t best = UINT32_MAX, best_nodes = UINT32_MAX;
	for (uint32_t leaf = 0; leaf < l->leaf_count; leaf++) {
		if (l->next[leaf] != l->first[leaf] || l->sum[leaf] < tasks)
			continue;
		const uint32_t nodes = nodes_for(l, leaf, tasks);
		if (best == UINT32_MAX || nodes < best_nodes ||
			(nodes == best_nodes && l->sum[leaf] < l->sum[best])) {
			best = leaf;
			best_nodes = nodes;
		}
	}
	return best;
}

/* The fewest nodes, whatever their leaves: those that fit most first, then the tightest, then the lowest. */
static void take_fullest(struct leaves *l)
{
	const uint32_t nodes = l->cluster->node_count;
	for (uint32_t node = 0; node < nodes; node++)
		l->rank[node] = (struct ranked){ UINT32_MAX - takes(l, node), l->holds[node], node };
	qsort(l->rank, nodes, sizeof(*l->rank), compare_ranked);
	for (uint32_t i = 0; i < nodes && l->left; i++) {
		const uint32_t node = l->rank[i].row, leaf = l->leaf[node];
		const uint32_t tasks = takes(l, node) < l->left ? takes(l, node) : l->left;
		if (!tasks)
			return;
		l->alloc[l->allocs++] = (struct sl_node_tasks){ .node = node, .tasks = tasks };
		l->left -= tasks;
		l->leaves_used += l->next[leaf] == l->first[leaf];
		l->next[leaf]++; /* It has been touched. */
	}
}

static void order_leaves(struct leaves *l, bool quiet)
{
	for (uint32_t leaf = 0; leaf < l->leaf_count; leaf++)
		l->rank[leaf] =
			(struct ranked){ quiet ? l->across[leaf] : 0, UINT64_MAX - l->sum[leaf], leaf };
	qsort(l->rank, l->leaf_count, sizeof(*l->rank), compare_ranked);
	for (uint32_t i = 0; i < l->leaf_count; i++)
		l->order[i] = l->rank[i].row;
}

static int compare_allocs(const void *a, const void *b)
{
	const struct sl_node_tasks *x = a, *y = b; /* A node is there once. */
	return (x->node > y->node) - (x->node < y->node);
}

/* False: the job cannot be placed that way. */
static bool candidate(struct leaves *l, enum leaves_way way)
{
	candidate_begins(l);
	if (way == LEAVES_BEST) {
		const uint32_t leaf = tightest(l, l->left);
		if (leaf != UINT32_MAX)
			take_of(l, leaf, UINT32_MAX);
	} else if (way == LEAVES_NODES) {
		take_fullest(l);
	} else {
		order_leaves(l, way == LEAVES_QUIET);
	}
	for (uint32_t i = 0; way == LEAVES_FEWEST && i < l->leaf_count && l->left; i++) {
		const uint32_t last = tightest(l, l->left);
		take_of(l, last == UINT32_MAX ? l->order[i] : last, UINT32_MAX);
	}
	for (uint32_t i = 0; way == LEAVES_QUIET && i < l->leaf_count && l->left; i++)
		take_of(l, l->order[i], UINT32_MAX);
	for (uint32_t before = UINT32_MAX; way == LEAVES_SPREAD && l->left && before != l->left;) {
		before = l->left;
		for (uint32_t i = 0; i < l->leaf_count && l->left; i++)
			take_of(l, l->order[i], 1);
	}
	const struct sl_group *group = l->group;
	if (l->left || l->allocs < group->nodes_min || (group->nodes_max && l->allocs > group->nodes_max))
		return false;
	qsort(l->alloc, l->allocs, sizeof(*l->alloc), compare_allocs);
	return true;
}

/* ---- The choice ---------------------------------------------------------------------------------------- */

static void keep_candidate(struct leaves *l)
{
	struct sl_node_tasks *kept = l->best;
	l->best = l->alloc;
	l->alloc = kept;
}

static size_t leaves_choose_hold(struct leaves *l, uint32_t allocs, const struct sl_node_alloc **node_alloc)
{
	l->allocs = allocs;
	for (uint32_t i = 0; i < allocs; i++) {
		uint32_t *gpus = &l->gpus[(size_t)i * l->types];
		SL_CHECK(leaves_amounts(l, l->best[i].node, l->group, l->best[i].tasks, l->amount));
		for (uint32_t type = 0; type < l->types; type++)
			gpus[type] = (uint32_t)l->amount[SL_KIND_GPUS + type];
		l->node_alloc[i] = (struct sl_node_alloc){ .node = l->best[i].node,
			.tasks = l->best[i].tasks,
			.cpus = l->amount[SL_KIND_CPUS],
			.mem = l->amount[SL_KIND_MEM],
			.gpus = gpus };
	}
	*node_alloc = l->node_alloc;
	return allocs;
}

/* So many nodes at least: no node gets more than leaves a task for each other one. */
static uint32_t most_on_node(const struct sl_group *group)
{
	uint32_t most = group->tasks_per_node ? group->tasks_per_node : UINT32_MAX;
	const uint32_t nodes = group->nodes_min ? group->nodes_min : 1;
	const uint32_t even = (group->tasks + nodes - 1) / nodes;
	return even < most ? even : most;
}

static size_t leaves_choose(
	void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc)
{
	struct leaves *l = state;
	const bool asks = l->ways >> LEAVES_QUIET & 1; /* With one way only there is nothing to compare. */
	l->group = l->jobs->requests[l->jobs->request[job.row]].group;
	l->most = most_on_node(l->group);
	leaves_know(l);
	leaves_choose_look(l, closed);
	uint64_t best = 0;
	uint32_t allocs = 0, leaves = 0;
	for (int way = 0; way < LEAVES_WAYS; way++) {
		if (!(l->ways >> way & 1) || !candidate(l, (enum leaves_way)way))
			continue;
		const bool alone = l->allocs == 1 || !asks; /* On one node no other job is in its way. */
		const uint64_t rate = alone ? SL_SPEED_ONE : sl_predict(l->sim, job, l->alloc, l->allocs);
		if (!allocs || rate > best || (rate == best && l->leaves_used < leaves)) {
			best = rate;
			allocs = l->allocs;
			leaves = l->leaves_used;
			keep_candidate(l);
		}
		if (alone)
			break;
	}
	return allocs ? leaves_choose_hold(l, allocs, node_alloc) : 0;
}

/* ---- Three placements ---------------------------------------------------------------------------------- */

enum {
	PACK = 1 << LEAVES_BEST | 1 << LEAVES_FEWEST,
	SPREAD = 1 << LEAVES_SPREAD,
	ALL = (1 << LEAVES_WAYS) - 1
};

static int made(void **state, const struct sl_setup *setup, unsigned ways, struct sl_err *err)
{
	struct leaves *l = NULL;
	const int status = leaves_new(&l, setup, ways, err);
	*state = l;
	return status;
}

static int init_pack(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	return made(state, setup, PACK, err);
}

static int init_spread(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	return made(state, setup, SPREAD, err);
}

static int init_contention(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	return made(state, setup, ALL, err);
}

/* It goes by the request alone, where no model is asked. */
static bool leaves_alike(void *state, uint32_t request)
{
	(void)state, (void)request;
	return true;
}

#define LEAVES_ACCOUNTING                                                                                 \
	.release = leaves_release, .choose = leaves_choose, .take = leaves_take, .untake = leaves_untake, \
	.give = leaves_give, .restore = leaves_restore, .forget = leaves_forget, .held = leaves_held_by

const struct sl_allocator allocator_pack_leaves = {
	.abi = SL_ABI_OF(struct sl_allocator),
	.name = "pack_leaves",
	.summary = "the tightest leaf switch that holds the job, else the fewest leaves",
	.paper = "best fit over leaves, as Slurm's topology/tree",
	.init = init_pack,
	.alike = leaves_alike,
	LEAVES_ACCOUNTING,
};

const struct sl_allocator allocator_spread_leaves = {
	.abi = SL_ABI_OF(struct sl_allocator),
	.name = "spread_leaves",
	.summary = "a node of each leaf switch in turn, the roomiest leaf first",
	.paper = "Slurm's TopologyParam=Dragonfly",
	.init = init_spread,
	.alike = leaves_alike,
	LEAVES_ACCOUNTING,
};

const struct sl_allocator allocator_contention = {
	.abi = SL_ABI_OF(struct sl_allocator),
	.name = "contention",
	.summary = "of several placements that on which models predict the fastest run beside what runs",
	.paper = "after Rajasekaran, Ghobadi & Akella (CASSINI), NSDI 2024",
	.init = init_contention,
	LEAVES_ACCOUNTING,
};
