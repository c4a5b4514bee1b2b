/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_shares.c - who used which share of what was in use, over time, against what they were entitled to.
 */
#include "reports/page/page.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 400, GROUPS_MAX = 12 };

struct shares {
	struct page_run *run;
	struct page_grid grid;
	int kind;
	const struct page_groups *groups;
	uint32_t shown; /* And one more for the others, if there are. */
	uint32_t *rank;
	int64_t *total; /* By step. */
	float *used;
	double *entitlement; /* By group. */
};

static int64_t page_shares_amount_of(const struct shares *all, uint32_t row)
{
	return all->kind == SL_KIND_GPUS ? sl_gpus_of(all->run->result, row)
					 : sl_cpus_of(all->run->result, row);
}

/* The groups that used most, in amounts x ticks. */
static void page_shares_rank(struct shares *all)
{
	const struct page_run *run = all->run;
	uint64_t *weight = page_alloc(run->page, all->groups->count, sizeof(*weight));
	for (size_t i = 0; weight && i < run->range_count; i++) {
		const struct page_range *range = &run->range[i];
		const uint32_t group = all->groups->of[range->job];
		if (group != UINT32_MAX)
			weight[group] += (uint64_t)page_shares_amount_of(all, range->job) *
					 (uint64_t)((int64_t)range->until - range->from);
	}
	if (weight)
		all->shown = page_largest(all->run, all->groups, weight, GROUPS_MAX, all->rank);
	free(weight);
}

static void page_shares_add_up(struct shares *all)
{
	const struct page_run *run = all->run;
	for (size_t i = 0; i < run->range_count; i++) {
		const uint32_t group = all->groups->of[run->range[i].job];
		/* Those of nobody count as used, in a row of their own that is not shown. */
		const uint32_t row = group == UINT32_MAX ? GROUPS_MAX + 1 : all->rank[group];
		page_grid_add(
			&all->grid, row, 1, page_shares_amount_of(all, run->range[i].job), &run->range[i]);
	}
	page_grid_sum(&all->grid);
	for (uint32_t row = 0; row < all->grid.rows; row++)
		for (uint32_t step = 0; step < all->grid.columns; step++)
			all->total[step] += all->grid.part[(size_t)row * all->grid.columns + step];
}

static void page_shares_put_group(struct shares *all, struct page_text *json, uint32_t row)
{
	const struct page_groups *groups = all->groups;
	const bool other = row == all->shown;
	const char *name = "other";
	double entitlement = -1;
	for (uint32_t g = 0; g < groups->count && !other; g++)
		if (all->rank[g] == row) {
			name = groups->name[g];
			entitlement = all->entitlement[g];
		}
	for (uint32_t step = 0; step < all->grid.columns; step++) {
		const int64_t part = all->grid.part[(size_t)row * all->grid.columns + step];
		all->used[step] = all->total[step] ? (float)((double)part / (double)all->total[step]) : 0;
	}
	page_put(json, row ? ",\n{" : "{");
	page_name(json, "name");
	page_json(json, name);
	page_put(json, other ? ",\"other\":true,\"entitled\":" : ",\"entitled\":");
	if (entitlement < 0)
		page_put(json, "null");
	else
		page_micro(json, (int64_t)floor(entitlement * 1e6 + 0.5));
	page_member(all->run->page, json, "used", PAGE_F32 | PAGE_SPLIT, all->used, all->grid.columns);
	page_put(json, "}");
}

static void put_all(struct shares *all, struct page_text *json)
{
	const uint32_t rows = all->groups->count > all->shown ? all->shown + 1 : all->shown;
	int32_t *time = page_alloc(all->run->page, all->grid.columns, sizeof(*time));
	for (uint32_t step = 0; time && step < all->grid.columns; step++)
		time[step] = (int32_t)(all->grid.from + step * all->grid.step);
	if (time)
		page_member(all->run->page, json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, time,
			all->grid.columns);
	page_put(json, ",\"group\":[");
	for (uint32_t row = 0; row < rows; row++)
		page_shares_put_group(all, json, row);
	page_put(json, "]}");
	free(time);
}

static void page_shares_put_here(
	struct page_run *run, struct page_text *json, enum page_by by, const char *name)
{
	const struct page_groups *groups = &run->by[by];
	const bool gpus = run->cluster && run->cluster->gpus;
	struct shares all = { .run = run, .groups = groups, .kind = gpus ? SL_KIND_GPUS : SL_KIND_CPUS };
	all.rank = page_alloc(run->page, groups->count, sizeof(*all.rank));
	all.total = page_alloc(run->page, STEPS + 1, sizeof(*all.total));
	all.used = page_alloc(run->page, STEPS + 1, sizeof(*all.used));
	all.entitlement = page_alloc(run->page, groups->count, sizeof(*all.entitlement));
	page_put(json, json->length > 1 ? ",\n" : "");
	page_format(json, "{\"by\":\"%s\",\"of\":\"%s\",\"title\":\"%s in use, by %s\"", name,
		gpus ? "gpus" : "cpus", gpus ? "GPUs" : "CPUs", name);
	if (all.rank && all.total && all.used && all.entitlement &&
		page_grid_make(run->page, &all.grid, run, GROUPS_MAX + 2, STEPS)) {
		page_name(json, "rule");
		const char *rule =
			sl_entitlement(run->reported, name, groups->name, groups->count, all.entitlement);
		run->page->failed = run->page->failed || !rule;
		struct page_text reported = { 0 };
		page_put(&reported, rule ? rule : "");
		if (run->suspended)
			page_format(&reported, "%sJobs count while they are suspended, too.",
				rule && *rule ? " " : "");
		page_bytes(&reported, "", 1);
		page_json(json, reported.data);
		run->page->failed = run->page->failed || reported.failed;
		page_text_free(&reported);
		page_shares_rank(&all);
		page_shares_add_up(&all);
		put_all(&all, json);
	}
	page_grid_free(&all.grid);
	free(all.entitlement);
	free(all.used);
	free(all.total);
	free(all.rank);
}

void page_shares_put(struct page_run *run)
{
	static const struct {
		const char *name;
		enum page_by by;
	} known[] = { { "account", PAGE_ACCOUNT }, { "user", PAGE_USER }, { "partition", PAGE_PARTITION } };
	struct page_text json = { 0 };
	page_put(&json, "[");
	for (size_t i = 0; i < SL_LEN(known); i++) {
		const struct page_groups *groups = &run->by[known[i].by];
		if (groups->of && groups->name && groups->count)
			page_shares_put_here(run, &json, known[i].by, known[i].name);
	}
	page_put(&json, "]");
	page_name(run->json, "shares");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
}
