/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_lanes.c - which rows a job is drawn in, where the run itself does not say.
 *
 * A counted pool has no nodes, and of a node the run knows amounts: the page assigns lanes. In the order of
 * the starts, what has ended before is free again; a job gets the lowest lanes that are free next to each
 * other, or the lowest ones where no gap is wide enough. Same run, same picture. Lanes never hold two jobs at
 * a time, but GPUs that the run names, which jobs may share.
 */
#include "reports/page/page_rows.h"

#include <stdlib.h>
#include <string.h>

static void lane_add(struct page_lanes *lanes, struct page_lane lane)
{
	if (SL_GROW(lanes->lane, lanes->capacity, lanes->count + 1, NULL)) {
		lanes->page->failed = true;
		return;
	}
	lanes->lane[lanes->count++] = lane;
}

/* Intervals in the order of their ends; NULL: no memory. */
static uint64_t *by_end(struct page_run *run)
{
	const size_t count = run->range_count;
	uint64_t *key = page_alloc(run->page, 2 * count, sizeof(*key));
	for (size_t i = 0; key && i < count; i++)
		key[i] = page_row_key((uint32_t)((int64_t)run->range[i].until - INT32_MIN), (uint32_t)i);
	if (!key)
		return NULL;
	page_sort_rows(key, key + count, count);
	return page_shorter(key, count);
}

/* ---- A pool: its free gaps, ascending, never touching --------------------------------------------- */

struct gap {
	uint32_t first, count;
};

struct pool {
	struct gap *gap;
	size_t count, capacity;
};

static void gap_drop(struct pool *pool, size_t at)
{
	pool->count--;
	memmove(pool->gap + at, pool->gap + at + 1, (pool->count - at) * sizeof(*pool->gap));
}

/* Up to so many of that gap. */
static uint32_t pool_cut(struct page_lanes *lanes, struct pool *pool, size_t at, uint32_t count)
{
	struct gap *gap = &pool->gap[at];
	const uint32_t taken = gap->count < count ? gap->count : count;
	lane_add(lanes, (struct page_lane){ 0, gap->first, taken, false });
	gap->first += taken;
	gap->count -= taken;
	if (!gap->count)
		gap_drop(pool, at);
	return taken;
}

static void pool_take(struct page_lanes *lanes, struct pool *pool, uint32_t count)
{
	for (size_t i = 0; i < pool->count; i++)
		if (pool->gap[i].count >= count) {
			(void)pool_cut(lanes, pool, i, count);
			return;
		}
	while (count && pool->count)
		count -= pool_cut(lanes, pool, 0, count);
}

static void pool_give(struct page_lanes *lanes, struct pool *pool, struct gap back)
{
	size_t low = 0;
	for (size_t high = pool->count; low < high;) {
		const size_t mid = (low + high) / 2;
		if (pool->gap[mid].first < back.first)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < pool->count && back.first + back.count == pool->gap[low].first) {
		back.count += pool->gap[low].count;
		gap_drop(pool, low);
	}
	if (low && pool->gap[low - 1].first + pool->gap[low - 1].count == back.first) {
		pool->gap[low - 1].count += back.count;
		return;
	}
	if (SL_GROW(pool->gap, pool->capacity, pool->count + 1, NULL)) {
		lanes->page->failed = true;
		return;
	}
	memmove(pool->gap + low + 1, pool->gap + low, (pool->count - low) * sizeof(*pool->gap));
	pool->gap[low] = back;
	pool->count++;
}

void page_lanes_pool(struct page_run *run, struct page_lanes *lanes, int64_t cpus)
{
	struct pool pool = { 0 };
	uint64_t *end = by_end(run);
	size_t ended = 0;
	lanes->first = page_alloc(run->page, run->range_count + 1, sizeof(*lanes->first));
	pool_give(lanes, &pool, (struct gap){ 0, (uint32_t)cpus });
	for (size_t i = 0; end && lanes->first && !run->page->failed && i < run->range_count; i++) {
		const struct page_range *range = &run->range[i];
		for (; run->range[(uint32_t)end[ended]].until <= range->from; ended++) {
			const size_t over = (uint32_t)end[ended];
			for (size_t k = lanes->first[over]; k < lanes->first[over + 1]; k++)
				pool_give(lanes, &pool,
					(struct gap){ lanes->lane[k].lane, lanes->lane[k].height });
		}
		lanes->first[i] = lanes->count;
		pool_take(lanes, &pool, (uint32_t)sl_cpus_of(run->result, range->job));
		lanes->first[i + 1] = lanes->count;
	}
	free(end);
	free(pool.gap);
}

/* ---- Nodes: lanes as bits ------------------------------------------------------------------------ */

struct node {
	uint64_t *busy;
	uint32_t words, gpus, used;
};

/* GPUs of a node, in wholes. */
static uint32_t page_gpus_of(const struct sl_cluster *cluster, uint32_t node)
{
	const struct sl_node_type *type = &cluster->type[cluster->node_type[node]];
	const int64_t parts = sl_parts(cluster->gpu_parts);
	int64_t gpus = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		gpus += (type->amount[kind] + parts - 1) / parts;
	return (uint32_t)(gpus < 4096 ? gpus : 4096);
}

/* The lowest free lane from that one on, below `end` if there is one: else UINT32_MAX. */
static uint32_t free_lane(struct page *page, struct node *node, uint32_t from, uint32_t end)
{
	for (uint32_t lane = from; lane < end; lane++) {
		if (SL_GROW_ZEROED(node->busy, node->words, lane / 64 + 1, NULL)) {
			page->failed = true;
			return UINT32_MAX;
		}
		if (!(node->busy[lane / 64] >> lane % 64 & 1))
			return lane;
	}
	return UINT32_MAX;
}

static void page_lanes_take(struct page_lanes *lanes, struct node *nodes, uint32_t n, uint32_t lane)
{
	struct page_lane *last = lanes->count > lanes->begun ? &lanes->lane[lanes->count - 1] : NULL;
	struct node *node = &nodes[n];
	node->busy[lane / 64] |= UINT64_C(1) << lane % 64;
	node->used = lane >= node->used ? lane + 1 : node->used;
	if (last && last->node == n && !last->reported && last->lane + last->height == lane)
		last->height++;
	else
		lane_add(lanes, (struct page_lane){ n, lane, 1, false });
}

/* What an allocation has on its node: the GPUs that the run names, as many as it counts, or a lane of its
 * own. */
static void take_alloc(
	struct page_lanes *lanes, struct node *nodes, const struct sl_node_tasks *alloc, int64_t gpus)
{
	struct node *node = &nodes[alloc->node];
	if (gpus && alloc->devices) {
		for (uint32_t i = 0; i < SL_DEVICES_MAX && i < node->gpus; i++)
			if (alloc->devices >> i & 1)
				lane_add(lanes, (struct page_lane){ alloc->node, i, 1, true });
		return;
	}
	const int64_t wanted = gpus < 1 ? 1 : gpus;
	for (int64_t i = 0; i < wanted; i++) {
		uint32_t lane = gpus ? free_lane(lanes->page, node, 0, node->gpus) : UINT32_MAX;
		if (lane == UINT32_MAX)
			lane = free_lane(lanes->page, node, node->gpus, UINT32_MAX);
		if (lane == UINT32_MAX)
			return;
		page_lanes_take(lanes, nodes, alloc->node, lane);
	}
}

static void take_range(struct page_run *run, struct page_lanes *lanes, struct node *nodes,
	const struct page_range *range, int64_t *amount)
{
	const struct sl_allocation allocation = page_allocation(run, range);
	const int64_t parts = run->gpu_parts;
	lanes->begun = lanes->count;
	if (run->cluster->gpus)
		page_allocs(run, range, SL_KIND_GPUS, amount);
	for (uint32_t i = 0; i < allocation.count && !run->page->failed; i++)
		take_alloc(lanes, nodes, &allocation.alloc[i],
			run->cluster->gpus ? (amount[i] + parts - 1) / parts : 0);
}

static void give_range(const struct page_lanes *lanes, struct node *nodes, size_t range)
{
	for (size_t k = lanes->first[range]; k < lanes->first[range + 1]; k++) {
		const struct page_lane *lane = &lanes->lane[k];
		for (uint32_t i = lane->lane; !lane->reported && i < lane->lane + lane->height; i++)
			nodes[lane->node].busy[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

void page_lanes_nodes(struct page_run *run, struct page_lanes *lanes, uint32_t *used)
{
	const struct sl_cluster *cluster = run->cluster;
	struct node *nodes = page_alloc(run->page, cluster->node_count, sizeof(*nodes));
	uint64_t *end = by_end(run);
	size_t ended = 0;
	int64_t *amount = page_alloc(run->page, page_allocs_most(run), sizeof(*amount));
	lanes->first = page_alloc(run->page, run->range_count + 1, sizeof(*lanes->first));
	for (uint32_t n = 0; nodes && n < cluster->node_count; n++)
		nodes[n].gpus = nodes[n].used = page_gpus_of(cluster, n);
	for (size_t i = 0;
		nodes && end && amount && lanes->first && !run->page->failed && i < run->range_count; i++) {
		const struct page_range *range = &run->range[i];
		for (; run->range[(uint32_t)end[ended]].until <= range->from; ended++)
			give_range(lanes, nodes, (uint32_t)end[ended]);
		lanes->first[i] = lanes->count;
		take_range(run, lanes, nodes, range, amount);
		lanes->first[i + 1] = lanes->count;
	}
	for (uint32_t n = 0; nodes && n < cluster->node_count; n++) {
		used[n] = nodes[n].used ? nodes[n].used : 1;
		free(nodes[n].busy);
	}
	free(amount);
	free(end);
	free(nodes);
}
