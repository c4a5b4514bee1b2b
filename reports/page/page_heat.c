/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_heat.c - how full each node was over time; of a pool, each of its cpus as they are drawn.
 *
 * Amounts times ticks are added up as integers, and become a share of the capacity in 255ths at the very end.
 */
#include "reports/page/page_rows.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, COLUMNS = 1024 };

/* A resource while its map is made. */
struct heat {
	struct page_run *run;
	const struct page_lanes *lanes;
	struct page_grid grid;
	uint32_t count, per; /* Nodes, or cpus; to a row. */
	int kind;
};

/* Several rows at once; the first and the last may be covered in part. */
static void add_pool(struct heat *heat, const struct page_range *range, const struct page_lane *lane)
{
	const uint32_t per = heat->per;
	uint32_t from = lane->lane;
	const uint32_t end = lane->lane + lane->height;
	while (from < end) {
		const uint32_t row = from / per;
		const uint32_t rows = from % per ? 0 : (end - from) / per;
		const uint32_t stop = (row + 1) * per < end ? (row + 1) * per : end;
		if (rows) {
			page_grid_add(&heat->grid, row, rows, per, range);
			from += rows * per;
		} else {
			page_grid_add(&heat->grid, row, 1, stop - from, range);
			from = stop;
		}
	}
}

static void add_nodes(struct heat *heat, const struct page_range *range, int64_t *amount)
{
	const struct sl_allocation allocation = page_allocation(heat->run, range);
	page_allocs(heat->run, range, heat->kind, amount);
	for (uint32_t i = 0; i < allocation.count; i++)
		if (amount[i])
			page_grid_add(&heat->grid, allocation.alloc[i].node / heat->per, 1, amount[i], range);
}

static void add_all(struct heat *heat)
{
	const struct page_run *run = heat->run;
	int64_t *amount = page_alloc(run->page, run->cluster ? page_allocs_most(run) : 1, sizeof(*amount));
	for (size_t i = 0; amount && i < run->range_count; i++) {
		const struct page_range *range = &run->range[i];
		if (run->cluster)
			add_nodes(heat, range, amount);
		for (size_t k = heat->lanes->first[i]; !run->cluster && k < heat->lanes->first[i + 1]; k++)
			add_pool(heat, range, &heat->lanes->lane[k]);
	}
	free(amount);
	page_grid_sum(&heat->grid);
}

/* What a row of the map could hold. */
static int64_t page_heat_capacity(const struct heat *heat, uint32_t row)
{
	const struct sl_cluster *cluster = heat->run->cluster;
	const uint32_t first = row * heat->per;
	const uint32_t end = heat->count - first < heat->per ? heat->count : first + heat->per;
	int64_t sum = 0;
	if (!cluster)
		return end - first;
	for (uint32_t n = first; n < end; n++) {
		const int64_t *amount = cluster->type[cluster->node_type[n]].amount;
		if (heat->kind == SL_KIND_CPUS)
			sum += amount[SL_KIND_CPUS];
		for (uint32_t kind = SL_KIND_GPUS; heat->kind == SL_KIND_GPUS && kind < cluster->kind_count;
			kind++)
			sum += amount[kind];
	}
	return sum;
}

static void put_values(struct heat *heat, struct page_text *json)
{
	const struct page_grid *grid = &heat->grid;
	const size_t cells = (size_t)grid->rows * grid->columns;
	uint8_t *value = page_alloc(heat->run->page, cells, 1);
	for (uint32_t row = 0; value && row < grid->rows; row++) {
		const __int128 most = (__int128)page_heat_capacity(heat, row) * grid->step;
		for (uint32_t column = 0; column < grid->columns; column++) {
			const size_t cell = (size_t)row * grid->columns + column;
			const __int128 share =
				most ? ((__int128)grid->part[cell] * 510 + most) / (2 * most) : 0;
			value[cell] = share < 0 ? 0 : share > 255 ? 255 : (uint8_t)share;
		}
	}
	if (value)
		page_member(heat->run->page, json, "value", PAGE_U8, value, cells);
	free(value);
}

static void page_heat_put_here(
	struct page_run *run, const struct page_lanes *lanes, int kind, const char *const name[2])
{
	struct heat heat = { .run = run, .lanes = lanes, .kind = kind };
	struct page_text json = { 0 };
	heat.count = run->cluster ? run->cluster->node_count : (uint32_t)run->result->cpus;
	heat.per = (heat.count + ROWS - 1) / ROWS;
	heat.per = heat.per ? heat.per : 1;
	const uint32_t rows = (heat.count + heat.per - 1) / heat.per;
	page_put(&json, "{");
	page_name(&json, "name");
	page_json(&json, name[0]);
	page_name(&json, "title");
	page_json(&json, name[1]);
	if (page_grid_make(run->page, &heat.grid, run, rows, COLUMNS)) {
		add_all(&heat);
		page_format(&json, ",\"unit\":\"%s\",\"count\":%u,\"rows\":%u,\"per\":%u,\"columns\":%u",
			run->cluster ? "node" : "cpu", heat.count, rows, heat.per, heat.grid.columns);
		page_format(&json, ",\"from\":%d,\"step\":", (int)heat.grid.from);
		page_i64(&json, heat.grid.step);
		put_values(&heat, &json);
	}
	page_grid_free(&heat.grid);
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
}

void page_heat_put(struct page_run *run, const struct page_lanes *lanes)
{
	static const char *const cpus[] = { "cpus", "CPUs in use" };
	static const char *const gpus[] = { "gpus", "GPUs in use" };
	page_name(run->json, "heat");
	page_put(run->json, "[");
	page_heat_put_here(run, lanes, SL_KIND_CPUS, cpus);
	if (run->cluster && run->cluster->gpus) {
		page_put(run->json, ",");
		page_heat_put_here(run, lanes, SL_KIND_GPUS, gpus);
	}
	page_put(run->json, "]");
}
