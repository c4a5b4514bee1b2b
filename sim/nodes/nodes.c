/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes.c - nodes.h from the top: the node store is made, gets another node scorer at a handover, and is
 * freed.
 *
 * The files stand in layers, and each calls only what is below (nodes_parts.h). From the bottom:
 * - the store, free resources of each node and each class of equal nodes, allocated and released:
 * nodes_allocation.c, nodes_freed.c, nodes_device.c, nodes_ties.c, nodes_score.c, nodes_gauge.c,
 * nodes_class.c, nodes_interval.c;
 * - ahead, reads only: nodes_tree.c, nodes_ahead.c, nodes_unit.c, nodes_held.c;
 * - the choice: nodes_place.c;
 * - queries of any request, reads and trial placements that are undone: nodes_fits.c, nodes_backfill_check.c;
 * - commands: nodes_window.c, nodes_start.c, nodes_resize.c, nodes_promise.c, nodes_sooner.c,
 * nodes_unavailable.c;
 * - the whole: nodes.c, nodes_check.c.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- The node scorer ----------------------------------------------------------------------------- */

void nodes_set_scorer(struct nodes *nodes, const struct scorer *scorer)
{
	/* Each class's nodes are in the order of the ties. */
	for (uint32_t row = 0; row < nodes->count; row++)
		class_pull(nodes, row);
	nodes->scorer = *scorer;
	const int status = ties_init(nodes);
	for (uint32_t row = 0; row < nodes->count && !status; row++)
		class_put(nodes, nodes->node[row].class, row);
	nodes->version++;
	cache_entries_drop(nodes);
	scores_forget(nodes);
	for (uint32_t i = 0; i < nodes->request_count; i++) {
		nodes->shape[i].choice_at = 0;
		if (nodes->shape[i].kind == SHAPE_OTHER)
			nodes->shape[i].could = 0;
	}
}

uint64_t nodes_version(const struct nodes *nodes) { return nodes->version; }

int nodes_status(const struct nodes *nodes, struct sl_err *err)
{
	return failed(nodes) ? sl_fail(err, nodes->err.status, "%s", nodes->err.text) : SL_OK;
}

/* ---- Begin and end of all -------------------------------------------------------------------- */

static void levels_init(struct nodes *nodes)
{
	uint32_t count = nodes->count;
	for (;;) {
		nodes->level_first[nodes->levels] = nodes->level_all;
		nodes->level_count[nodes->levels++] = count;
		nodes->level_all += count;
		if (count == 1)
			return;
		count = (count + WAYS - 1) / WAYS;
	}
}

static int columns_init(struct nodes *nodes)
{
	nodes->node = lines_new(nodes->count, sizeof(*nodes->node));
	nodes->type_nodes = calloc(nodes->cluster->type_count, sizeof(*nodes->type_nodes));
	nodes->shape = calloc(nodes->request_count ? nodes->request_count : 1, sizeof(*nodes->shape));
	nodes->job_allocation =
		calloc(nodes->job_count ? nodes->job_count : 1, sizeof(*nodes->job_allocation));
	nodes->job_promise = calloc(nodes->job_count ? nodes->job_count : 1, sizeof(*nodes->job_promise));
	nodes->place = malloc(nodes->count * sizeof(*nodes->place));
	nodes->changed = malloc(nodes->count * sizeof(*nodes->changed));
	if (!nodes->node || !nodes->type_nodes || !nodes->shape || !nodes->job_allocation ||
		!nodes->job_promise || !nodes->place || !nodes->changed)
		return sl_fail_memory(&nodes->err);
	for (uint32_t i = 0; i < nodes->request_count; i++)
		nodes->shape[i] = shape_of(nodes, &nodes->requests[i]);
	for (uint32_t row = 0; row < nodes->count; row++) {
		const uint32_t type = type_of(nodes, row);
		nodes->node[row].first = nodes->node[row].last = NONE;
		nodes->type_nodes[type]++;
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (nodes->cluster->type[type].amount[kind] < UNBOUNDED)
				nodes->idle[kind] += nodes->cluster->type[type].amount[kind];
	}
	memcpy(nodes->total, nodes->idle, sizeof(nodes->total));
	return SL_OK;
}

static int islands_init(struct nodes *nodes)
{
	const struct sl_cluster *cluster = nodes->cluster;
	nodes->island = calloc((size_t)cluster->island_count + 1, sizeof(*nodes->island));
	if (!nodes->island)
		return sl_fail_memory(&nodes->err);
	for (uint32_t row = nodes->count; row-- > 0;) {
		const uint32_t island = cluster->type[type_of(nodes, row)].island;
		SL_CHECK(island <= cluster->island_count);
		nodes->island[island].first = row;
	}
	return SL_OK;
}

/* NOLINTNEXTLINE(readability-function-size): each is one of its own. */
int nodes_new(struct nodes **result, const struct sl_cluster *cluster, const struct sl_request *requests,
	uint32_t request_count, uint32_t job_count, const struct scorer *scorer, struct sl_err *err)
{
	SL_CHECK(cluster->node_count && cluster->kind_count >= SL_KIND_GPUS &&
		 cluster->kind_count <= SL_KINDS_MAX);
	struct nodes *nodes = calloc(1, sizeof(*nodes));
	*result = nodes;
	if (!nodes)
		return sl_fail_memory(err);
	nodes->cluster = cluster;
	nodes->requests = requests;
	nodes->request_count = request_count;
	nodes->job_count = job_count;
	nodes->scorer = *scorer;
	nodes->count = cluster->node_count;
	nodes->kinds = cluster->kind_count;
	nodes->now = INT64_MIN / 4;
	nodes->version = 1;
	nodes->interval_spare = NONE;
	nodes->backfill_check.chosen = CHAIN_NONE;
	nodes->asker = NONE;
	levels_init(nodes);
	int status = devices_init(nodes);
	if (!status)
		status = columns_init(nodes);
	if (!status)
		status = ties_init(nodes);
	if (!status)
		status = islands_init(nodes);
	if (!status)
		status = windows_init(nodes);
	if (!status)
		status = classes_init(nodes);
	if (!status)
		status = windows_of_cluster(nodes);
	if (status) {
		(void)nodes_status(nodes, err);
		nodes_free(nodes);
		*result = NULL;
	}
	return status;
}

void nodes_free(struct nodes *nodes)
{
	if (!nodes)
		return;
	classes_release(nodes);
	gauges_free(nodes);
	nodes_windows_release(nodes);
	free(nodes->rank);
	free(nodes->island);
	free(nodes->node);
	free(nodes->type_nodes);
	free(nodes->type_free);
	free(nodes->shape);
	free(nodes->job_allocation);
	free(nodes->job_promise);
	free(nodes->place);
	free(nodes->least);
	free(nodes->changed);
	free(nodes->interval);
	free(nodes->kept);
	free(nodes->alloc);
	free(nodes->closed);
	free(nodes->unavailable);
	sooner_free(nodes);
	free(nodes->cand);
	free(nodes->retry);
	free(nodes->pick);
	free(nodes->pick_free);
	free(nodes->view.free);
	free(nodes->view.status);
	free(nodes);
}
