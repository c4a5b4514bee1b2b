/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_cdf.c - how waits and bounded slowdowns are distributed, over all jobs and by group.
 *
 * Of all jobs that started, whether they are reported one by one or not. A point of a curve is a quantile by
 * nearest rank: the value of a job, never between two.
 */
#include "reports/page/page.h"

#include <stdlib.h>

/* Points of a curve: evenly over the jobs, and more and more densely towards the longest. */
enum { EVEN = 192, GROUPS_MAX = 12, CURVES = 32 };

enum measure { WAIT, SLOWDOWN, MEASURES };

/* A grouping while curves of it are put: group by row. */
struct grouping {
	const char *by;
	const struct page_groups *groups; /* NULL: by size, or all as one. */
	bool size;
	uint32_t shown; /* Groups with a curve of their own; of others there is one more, if there are.
			 */
	uint32_t *rank; /* By group: which curve. */
	bool other;
};

struct curves {
	struct page_run *run;
	struct page_text *json;
	enum measure measure;
	struct page_key *key; /* Of all jobs that started, by value; twice as long, for sorting. */
	size_t count;
	uint64_t *value; /* Of one group after another; once they are sorted, in the second half. */
	uint8_t *curve;  /* By row, of the grouping under way: which; CURVES or more: none. */
};

/* max(1, turnaround / max(run, 10 s)) in millionths, as jobs.csv has it. Feitelson and others 1997. */
static int64_t bounded_slowdown(sl_time turnaround, sl_time run)
{
	const sl_time over = run > 10 * SL_SECOND ? run : 10 * SL_SECOND;
	return turnaround <= over ? 1000000 : sl_mul_div(turnaround, 1000000, over);
}

static void page_cdf_take(struct curves *all)
{
	const struct sl_result *result = all->run->result;
	const struct sl_jobs *jobs = all->run->jobs;
	all->count = 0;
	for (uint32_t row = 0; row < jobs->count; row++) {
		const sl_time start = result->start[row];
		const sl_time end = result->end[row];
		if (start == SL_NONE || (all->measure == SLOWDOWN && end == SL_NONE))
			continue;
		int64_t value = start - jobs->submit[row];
		if (all->measure == SLOWDOWN)
			value = bounded_slowdown(end - jobs->submit[row], sl_run_time_of(result, row));
		all->key[all->count++] = (struct page_key){ value < 0 ? 0 : (uint64_t)value, row };
	}
	page_sort(all->key, all->key + jobs->count, all->count);
}

static uint32_t size_class(const struct page_run *run, uint32_t row)
{
	const int32_t size = run->jobs->size[row] > 1 ? run->jobs->size[row] : 1;
	return 31U - (uint32_t)__builtin_clz((unsigned)size);
}

/* Which curve a row belongs to; UINT32_MAX: none. */
static uint32_t curve_of(const struct grouping *by, const struct page_run *run, uint32_t row)
{
	if (by->size)
		return size_class(run, row);
	if (!by->groups)
		return 0;
	const uint32_t group = by->groups->of[row];
	return group == UINT32_MAX ? UINT32_MAX : by->rank[group];
}

static void put_share(struct page_text *json, size_t rank, size_t count)
{
	if (rank == count) {
		page_put(json, "1");
		return;
	}
	page_micro(json, sl_mul_div((int64_t)rank, 1000000, (int64_t)count));
}

/* The next rank after that one that gets a point. */
static size_t next_rank(size_t rank, size_t count)
{
	const size_t even = count / EVEN + 1;
	const size_t tail = (count - rank) / 8 + 1; /* Eight steps halve what is left, and more. */
	const size_t step = even < tail ? even : tail;
	return rank + step < count ? rank + step : count;
}

static void put_curve(struct curves *all, const char *by, const char *group, bool other,
	const uint64_t *value, size_t count)
{
	struct page_text *json = all->json;
	page_put(json, json->length > 1 ? ",\n" : "");
	page_format(json,
		"{\"of\":\"%s\",\"by\":\"%s\",\"group\":", all->measure == WAIT ? "wait" : "bounded_slowdown",
		by);
	page_json(json, group);
	page_format(json, "%s,\"jobs\":%zu,\"value\":[", other ? ",\"other\":true" : "", count);
	for (size_t rank = 1;; rank = next_rank(rank, count)) {
		page_put(json, rank > 1 ? "," : "");
		page_micro(json, (int64_t)value[rank - 1]);
		if (rank == count)
			break;
	}
	page_put(json, "],\"share\":[");
	for (size_t rank = 1;; rank = next_rank(rank, count)) {
		page_put(json, rank > 1 ? "," : "");
		put_share(json, rank, count);
		if (rank == count)
			break;
	}
	page_put(json, "]}");
}

static void group_name(const struct grouping *by, uint32_t curve, struct page_text *name)
{
	if (by->size && curve) {
		page_format(name, "%u-%u", 1U << curve, (2U << curve) - 1);
	} else if (by->size) {
		page_put(name, "1");
	} else if (by->groups && curve == by->shown) {
		page_put(name, "other");
	} else if (by->groups) {
		for (uint32_t g = 0; g < by->groups->count; g++)
			if (by->rank[g] == curve) {
				page_put(name, by->groups->name[g]);
				break;
			}
	}
	page_bytes(name, "", 1);
}

/* All curves of a grouping: values of each group, in order as all are. */
static void put_curves(struct curves *all, const struct grouping *by)
{
	size_t first[CURVES + 1] = { 0 };
	size_t filled[CURVES];
	for (uint32_t row = 0; row < all->run->total; row++) {
		const uint32_t curve = curve_of(by, all->run, row);
		all->curve[row] = curve < CURVES ? (uint8_t)curve : CURVES;
	}
	for (size_t i = 0; i < all->count; i++) {
		const uint32_t curve = all->curve[all->key[i].row];
		if (curve < CURVES)
			first[curve + 1]++;
	}
	for (size_t c = 0; c < CURVES; c++) {
		filled[c] = first[c];
		first[c + 1] += first[c];
	}
	for (size_t i = 0; i < all->count; i++) {
		const uint32_t curve = all->curve[all->key[i].row];
		if (curve < CURVES)
			all->value[filled[curve]++] = all->key[i].key;
	}
	for (uint32_t c = 0; c < CURVES; c++) {
		struct page_text name = { 0 };
		if (first[c + 1] == first[c])
			continue;
		group_name(by, c, &name);
		if (name.data)
			put_curve(all, by->by, name.data, by->other && c == by->shown, all->value + first[c],
				first[c + 1] - first[c]);
		page_text_free(&name);
	}
}

uint32_t page_largest(struct page_run *run, const struct page_groups *groups, const uint64_t *weight,
	uint32_t most, uint32_t *rank)
{
	struct page_key *key = page_alloc(run->page, 2 * (size_t)groups->count, sizeof(*key));
	const uint32_t shown = groups->count <= most ? groups->count : most;
	for (uint32_t g = 0; key && g < groups->count; g++)
		key[g] = (struct page_key){ UINT64_MAX - weight[g], g };
	if (key)
		page_sort(key, key + groups->count, groups->count);
	for (uint32_t i = 0; key && i < groups->count; i++)
		rank[key[i].row] = i < shown ? i : shown;
	free(key);
	return shown;
}

static void put_groups(struct curves *all, const char *by, const struct page_groups *groups)
{
	struct page_run *run = all->run;
	uint64_t *jobs = page_alloc(run->page, groups->count, sizeof(*jobs));
	uint32_t *rank = page_alloc(run->page, groups->count, sizeof(*rank));
	struct grouping grouping = { .by = by, .groups = groups, .rank = rank };
	for (uint32_t row = 0; jobs && rank && row < run->total; row++)
		if (groups->of[row] != UINT32_MAX)
			jobs[groups->of[row]]++;
	if (jobs && rank) {
		grouping.shown = page_largest(run, groups, jobs, GROUPS_MAX, rank);
		grouping.other = groups->count > grouping.shown;
		put_curves(all, &grouping);
	}
	free(rank);
	free(jobs);
}

void page_cdf_put(struct page_run *run)
{
	static const char *const by[] = { "user", "account", "partition", "qos", "gpu_type" };
	const size_t rows = run->total;
	struct page_text json = { 0 };
	struct curves all = { .run = run,
		.json = &json,
		.key = page_alloc(run->page, 2 * rows, sizeof(*all.key)),
		.curve = page_alloc(run->page, rows, sizeof(*all.curve)) };
	if (all.key)
		all.value = (uint64_t *)(all.key + rows);
	page_put(&json, "[");
	for (unsigned m = 0; m < MEASURES && all.key && all.curve; m++) {
		all.measure = (enum measure)m;
		page_cdf_take(&all);
		put_curves(&all, &(struct grouping){ .by = "all" });
		put_curves(&all, &(struct grouping){ .by = "size", .size = true });
		for (size_t i = 0; i < SL_LEN(by); i++)
			if (run->by[i].of && run->by[i].name && run->by[i].count)
				put_groups(&all, by[i], &run->by[i]);
	}
	page_put(&json, "]");
	run->page->failed = run->page->failed || json.failed;
	if (json.data)
		page_member(run->page, run->json, "cdf", PAGE_JSON, json.data, json.length);
	page_text_free(&json);
	free(all.key);
	free(all.curve);
}
