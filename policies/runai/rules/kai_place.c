/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_place.c - the best node for a task: of those it fits on, the one of the highest score; among equals the
 * first by name. KAI, framework/session.go (OrderedNodesByTask, sortNodesByScore) and the plugins that score:
 * nominatednode, topology, gpusharingorder, nodeavailability, resourcetype, nodeplacement (pack.go,
 * spread.go).
 *
 * A score is whole thousands and tens, and what placement adds, 0 to 9. Bin packing scores 9 for the node
 * with least free of all that are offered and 0 to that with most, in a straight line between: so of equal
 * rest the node with less free is better, and neither end has to be known, but for nodes that have nothing of
 * the resource at all: they get 0, as the one with most.
 */
#include "policies/runai/rules/kai_place.h"

#include <math.h>
#include <stdlib.h>

/* Weights of scores (KAI, plugins/scores). */
enum {
	NOMINATED = 10000000,
	TOPOLOGY = 100000,
	GPU_SHARING = 10000,
	AVAILABILITY = 1000,
	RESOURCE_TYPE = 10,
	HUNDREDTHS = 100
};

/* ---- Placement ---- */

/* Whole devices that are free of GPU tasks; of others, cpu. */
static int64_t free_of(const struct kai_look *look, const struct kai_node *node)
{
	return look->gpu ? node->idle.gpus + node->releasing.gpus : node->idle.cpu + node->releasing.cpu;
}

static int64_t all_of(const struct kai_look *look, const struct kai_node *node)
{
	return look->gpu ? node->gpus : node->cpu;
}

/* Hundredths of GPUs that are free, with what is left of shared ones, each rounded as KAI does. */
static int64_t free_hundredths(const struct kai_node *node)
{
	const int64_t device = kai_device_mem(node);
	int64_t free = (node->idle.gpus + node->releasing.gpus) * HUNDREDTHS;
	for (uint32_t i = 0; i < node->shared_count; i++) {
		const struct kai_shared *gpu = &node->shared[i];
		const int64_t leaving = gpu->releasing - gpu->pipelined;
		if (gpu->allocated > 0)
			free += HUNDREDTHS - kai_hundredths(gpu->allocated, device);
		if (leaving > 0 && leaving != gpu->allocated + gpu->pipelined)
			free += kai_hundredths(leaving, device);
	}
	return free;
}

/* One division of whole numbers, so that equal shares are equal. */
static double kai_place_spread(const struct kai_look *look, const struct kai_node *node)
{
	const int64_t all = all_of(look, node);
	if (all == 0)
		return 0;
	if (look->gpu)
		return (double)free_hundredths(node) / (double)(all * HUNDREDTHS);
	return (double)free_of(look, node) / (double)all;
}

/* What the nodes offered have free, of those that have any of it at all. */
struct range {
	bool known;
	int64_t least, most;
};

static void find_range(const struct kai_look *look, kai_nodes among, struct range *range)
{
	const struct kai *kai = look->kai;
	*range = (struct range){ .known = true, .least = INT64_MAX };
	for (uint32_t i = kai_next_node(kai, among, 0); i < kai->node_count;
		i = kai_next_node(kai, among, i + 1)) {
		const struct kai_node *node = &kai->node[i];
		if (all_of(look, node) == 0)
			continue;
		const int64_t free = free_of(look, node);
		range->least = free < range->least ? free : range->least;
		range->most = free > range->most ? free : range->most;
	}
}

/* More is better; only its order counts. */
static double pack(
	const struct kai_look *look, kai_nodes among, const struct kai_node *node, struct range *range)
{
	if (all_of(look, node) > 0)
		return -(double)free_of(look, node);
	if (!range->known)
		find_range(look, among, range);
	if (range->most == 0) /* All get 0. */
		return 0;
	return range->least == range->most ? -HUGE_VAL : -(double)range->most;
}

/* ---- Scores ---- */

struct score {
	int64_t whole;
	double placed;
};

/* A task without GPUs requests nothing of one: any that is shared will do, and KAI prefers its node so (at
 * its commit of kai.h, as recorded cases show; later it does so for shares alone). */
static bool shares_one(const struct kai_look *look, const struct kai_node *node)
{
	const int64_t need = look->shares ? kai_share_mem(node, look->needs) : 0;
	const int64_t device = kai_device_mem(node);
	for (uint32_t i = 0; i < node->shared_count; i++)
		if (kai_share_fits(&node->shared[i], need, device))
			return true;
	return false;
}

static struct score score_of(const struct kai_look *look, kai_nodes among, const double *extra,
	const struct kai_node *node, struct range *range)
{
	const struct kai *kai = look->kai;
	const uint32_t plugins = kai->config.plugins, row = (uint32_t)(node - kai->node);
	struct score score = { 0 };
	if (plugins & KAI_PLUGIN_NOMINATED && kai->task[look->task].nominated == row)
		score.whole += NOMINATED;
	if (extra)
		score.whole += (int64_t)extra[row] * TOPOLOGY;
	if ((look->shares || !look->gpu) && plugins & KAI_PLUGIN_GPUSHARING && shares_one(look, node))
		score.whole += GPU_SHARING;
	if (plugins & KAI_PLUGIN_NODEAVAILABILITY && kai_is_idle(look, node))
		score.whole += AVAILABILITY;
	if (!look->gpu && plugins & KAI_PLUGIN_RESOURCETYPE && node->gpus <= 0 && node->mig == KAI_MIG_NONE)
		score.whole += RESOURCE_TYPE;
	if (!(plugins & KAI_PLUGIN_NODEPLACEMENT))
		return score;
	const enum kai_placement placement =
		look->gpu ? kai->config.gpu_placement : kai->config.cpu_placement;
	if (placement == KAI_BINPACK)
		score.placed = pack(look, among, node, range);
	else if (placement == KAI_SPREAD)
		score.placed = kai_place_spread(look, node);
	return score;
}

/* Below 0: a is worse. */
static int kai_place_compare(struct score a, struct score b)
{
	if (a.whole != b.whole)
		return a.whole < b.whole ? -1 : 1;
	if (a.placed != b.placed)
		return a.placed < b.placed ? -1 : 1;
	return 0;
}

/* ---- What did not fit does not until something is released ---- */

bool kai_nowhere(const struct kai *kai, uint32_t request, uint32_t count)
{
	const struct kai_request *needs = &kai->request[request];
	return needs->nowhere == kai->freed && needs->nowhere > 0 && count >= needs->nowhere_count;
}

void kai_note_nowhere(struct kai *kai, uint32_t request, uint32_t count)
{
	struct kai_request *needs = &kai->request[request];
	if (needs->nowhere == kai->freed && needs->nowhere_count <= count)
		return;
	kai_write(kai, &needs->nowhere, kai->freed);
	kai_write(kai, &needs->nowhere_count, count);
}

/* ---- The best ---- */

/* A task looks for its node. */
struct search {
	struct kai_look look;
	kai_nodes among;
	const double *extra;
	struct range range;
	struct score best;
	uint32_t found;
	bool gated;
};

static void try_node(struct search *search, uint32_t row)
{
	const struct kai *kai = search->look.kai;
	const uint32_t lacks = kai_lacks(&search->look, &kai->node[row]);
	search->gated |= lacks == KAI_LACKS_QUOTA;
	if (lacks)
		return;
	const struct score score =
		score_of(&search->look, search->among, search->extra, &kai->node[row], &search->range);
	const int than = search->found == KAI_NO ? 1 : kai_place_compare(score, search->best);
	if (than < 0 || (than == 0 && kai->node_rank[row] > kai->node_rank[search->found]))
		return;
	search->best = score;
	search->found = row;
}

/* All of a set. */
static void try_all(struct search *search, kai_nodes also)
{
	const struct kai *kai = search->look.kai;
	for (uint32_t i = kai_next_node(kai, search->among, 0); i < kai->node_count;
		i = kai_next_node(kai, search->among, i + 1))
		if (!also || also[i / 64] >> i % 64 & 1)
			try_node(search, i);
}

/* The first of those tried in the order of buckets and names is the best of them as soon as it scores that:
 * bin packing, and nothing else that differs from node to node. Of whole GPUs limits and quotas are the same
 * at each node: where one fits none is gated. */
static int64_t final_score(const struct search *search)
{
	const struct kai_config *config = &search->look.kai->config;
	if (search->extra || !(config->plugins & KAI_PLUGIN_NODEPLACEMENT) ||
		config->gpu_placement != KAI_BINPACK)
		return INT64_MAX;
	if (!(config->plugins & KAI_PLUGIN_NODEAVAILABILITY))
		return 0;
	for (uint32_t b = kai_stock_from(search->look.whole).bucket; b < KAI_BUCKETS; b++)
		if (search->look.kai->stock->idle[b])
			return AVAILABILITY;
	return 0; /* All are busy. */
}

static bool is_among(kai_nodes among, uint32_t row) { return !among || (among[row / 64] >> row % 64 & 1); }

/* Nodes with enough whole GPUs, those with least first. */
static void try_whole(struct search *search)
{
	const struct kai *kai = search->look.kai;
	const uint32_t nominated = kai->task[search->look.task].nominated; /* It scores most. */
	const int64_t final = final_score(search);
	if (kai->config.plugins & KAI_PLUGIN_NOMINATED && nominated < kai->node_count &&
		is_among(search->among, nominated) && kai->gpus_free[nominated] >= search->look.whole)
		try_node(search, nominated);
	struct kai_stock_walk walk = kai_stock_from(search->look.whole);
	for (uint32_t row; (row = kai_stock_next(kai, &walk)) != KAI_NO;) {
		/* The last bucket's differ. */
		if (search->found != KAI_NO && search->best.whole >= final &&
			kai->stock->bucket[search->found] < KAI_BUCKETS - 1)
			return;
		if (is_among(search->among, row) && kai->gpus_free[row] >= search->look.whole)
			try_node(search, row);
	}
}

bool kai_best_spot(
	struct kai *kai, uint32_t task, kai_nodes among, const double *extra, struct kai_spot *spot)
{
	struct search search = {
		.look = kai_look_at(kai, task), .among = among, .extra = extra, .found = KAI_NO
	};
	spot->node = KAI_NO;
	spot->gated = false;
	if (!among && kai_nowhere(kai, kai->task[task].request, 1))
		return false;
	const struct kai_stock *stock = kai_stock(kai);
	if (kai->config.stepwise)
		try_all(&search, NULL);
	else if (search.look.whole > 0)
		try_whole(&search);
	else
		try_all(&search, search.look.shares ? stock->shares : NULL);
	spot->gated = search.gated;
	if (search.found == KAI_NO && !among && !spot->gated)
		kai_note_nowhere(kai, kai->task[task].request, 1);
	spot->node = search.found;
	if (search.found == KAI_NO)
		return false;
	spot->now = kai_is_idle(&search.look, &kai->node[search.found]);
	if (!search.look.shares)
		return true;
	struct kai_devices devices;
	if (!kai_choose_devices(&search.look, &kai->node[search.found], &devices))
		return false; /* More devices are shared there than the array holds. */
	spot->now = devices.now;
	for (int64_t i = 0; i < search.look.needs->gpus; i++)
		spot->shared[i] = devices.row[i];
	return true;
}
