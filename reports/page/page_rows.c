/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_rows.c - the Gantt: its rows, with their groups, and a rectangle for each job in neighbouring rows.
 */
#include "reports/page/page_rows.h"

#include <stdlib.h>

/* ---- What a job held on each node ----------------------------------------------------------------- */

static int64_t wanted_of(
	const struct page_run *run, const struct sl_group *group, const struct sl_node_tasks *alloc, int kind)
{
	const int64_t *amount = run->cluster->type[run->cluster->node_type[alloc->node]].amount;
	if (kind == SL_KIND_CPUS)
		return group->exclusive ? amount[kind] : group->task.cpus * alloc->tasks;
	if (!group->exclusive)
		return group->task.gpus * alloc->tasks;
	int64_t gpus = 0;
	for (uint32_t i = SL_KIND_GPUS; i < run->cluster->kind_count; i++)
		gpus += amount[i];
	return gpus;
}

struct sl_allocation page_allocation(const struct page_run *run, const struct page_range *range)
{
	return sl_allocation_of(
		run->result, range->job, range->attempt ? &run->result->attempts[range->attempt - 1] : NULL);
}

uint32_t page_allocs_most(const struct page_run *run)
{
	uint32_t most = 0;
	for (size_t i = 0; i < run->range_count; i++) {
		const uint32_t count = page_allocation(run, &run->range[i]).count;
		most = count > most ? count : most;
	}
	return most;
}

/* As its groups request; where that is not what it held (a policy that allocates amounts of its own), what it
 * held, in proportion. */
void page_allocs(const struct page_run *run, const struct page_range *range, int kind, int64_t *amount)
{
	const struct sl_request *request = /* None on a pool of processors: each of its tasks is one. */
		run->jobs->request ? &run->jobs->requests[run->jobs->request[range->job]] : NULL;
	const struct sl_allocation allocation = page_allocation(run, range);
	const struct sl_node_tasks *alloc = allocation.alloc;
	const uint32_t count = allocation.count;
	const int64_t held = kind == SL_KIND_CPUS ? allocation.cpus : allocation.gpus;
	int64_t sum = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t g = request && alloc[i].group < request->group_count ? alloc[i].group : 0;
		amount[i] = request                ? wanted_of(run, &request->group[g], &alloc[i], kind)
			    : kind == SL_KIND_CPUS ? alloc[i].tasks
						   : 0;
		sum += amount[i];
	}
	if (sum == held)
		return;
	int64_t before = 0;
	int64_t given = 0;
	for (uint32_t i = 0; i < count; i++) {
		before += sum ? amount[i] : 1;
		const int64_t until = sl_mul_div(held, before, sum ? sum : count);
		amount[i] = until - given;
		given = until;
	}
}

/* ---- Rectangles -------------------------------------------------------------------------------------- */

struct rects {
	struct page_run *run;
	uint32_t *job, *row, *height;
	int32_t *from;
	uint32_t *range;
	uint32_t *allocs; /* By kept job. */
	size_t count;
	bool tall, several; /* Some are higher than 1; some jobs are not one interval. */
};

struct alloc {
	uint32_t row, height;
};

static int by_row(const void *a, const void *b)
{
	const struct alloc *x = a;
	const struct alloc *y = b;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The lanes of an interval as rows, neighbours joined. Returns how many there are. */
static size_t allocs_of(
	const struct page_lanes *lanes, size_t range, const uint32_t *first, struct alloc *alloc)
{
	size_t count = 0;
	size_t joined = 0;
	for (size_t k = lanes->first[range]; k < lanes->first[range + 1]; k++) {
		const struct page_lane *lane = &lanes->lane[k];
		alloc[count++] = (struct alloc){ (first ? first[lane->node] : 0) + lane->lane, lane->height };
	}
	if (count > 1)
		qsort(alloc, count, sizeof(*alloc), by_row);
	for (size_t i = 0; i < count; i++)
		if (joined && alloc[joined - 1].row + alloc[joined - 1].height == alloc[i].row)
			alloc[joined - 1].height += alloc[i].height;
		else
			alloc[joined++] = alloc[i];
	return joined;
}

static void put_rects(struct rects *rects)
{
	struct page_run *run = rects->run;
	struct page_text json = { 0 };
	page_put(&json, "{");
	if (rects->several)
		page_member(run->page, &json, "job", PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, rects->job,
			rects->count);
	else
		page_member(run->page, &json, "pieces", PAGE_U32 | PAGE_SPLIT, rects->allocs, run->kept);
	page_member(run->page, &json, "row", PAGE_U32 | PAGE_SPLIT, rects->row, rects->count);
	if (rects->tall)
		page_member(run->page, &json, "height", PAGE_U32 | PAGE_SPLIT, rects->height, rects->count);
	else
		page_put(&json, ",\"height\":null");
	page_put(&json, rects->several ? ",\"pieces\":null" : ",\"job\":null");
	if (rects->several) {
		page_member(run->page, &json, "from", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, rects->from,
			rects->count);
		page_member(run->page, &json, "span", PAGE_U32 | PAGE_SPLIT, rects->range, rects->count);
	} else {
		page_put(&json, ",\"from\":null,\"span\":null");
	}
	page_put(&json, "}");
	page_name(run->json, "rects");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
}

static void add_rects(
	struct rects *rects, const struct page_lanes *lanes, const uint32_t *first, struct alloc *alloc)
{
	const struct page_run *run = rects->run;
	for (size_t i = 0; i < run->range_count; i++) {
		const struct page_range *range = &run->range[i];
		const uint32_t kept = run->kept_of[range->job];
		const size_t count = kept == UINT32_MAX ? 0 : allocs_of(lanes, i, first, alloc);
		if (kept != UINT32_MAX)
			rects->allocs[kept] = (uint32_t)count;
		/* Its only one, on a pool: its cpus, which its columns say. */
		if (count == 1 && !run->cluster && sl_cpus_of(run->result, range->job) == alloc[0].height)
			alloc[0].height = 0;
		for (size_t k = 0; k < count; k++) {
			const size_t at = rects->count++;
			rects->row[at] = alloc[k].row;
			rects->height[at] = alloc[k].height;
			rects->tall = rects->tall || alloc[k].height != 1;
			if (!rects->several)
				continue;
			rects->job[at] = kept;
			rects->from[at] = range->from;
			rects->range[at] = (uint32_t)((int64_t)range->until - range->from);
		}
	}
}

static void make_rects(struct page_run *run, const struct page_lanes *lanes, const uint32_t *first)
{
	struct page *page = run->page;
	struct rects rects = { .run = run, .several = run->result->attempt_count > 0 };
	size_t most = 0;
	size_t kept = 0;
	for (size_t i = 0; i < run->range_count; i++) {
		const size_t count = lanes->first[i + 1] - lanes->first[i];
		most = count > most ? count : most;
		kept += run->kept_of[run->range[i].job] == UINT32_MAX ? 0 : count;
	}
	struct alloc *alloc = page_alloc(page, most, sizeof(*alloc));
	rects.row = page_alloc(page, kept, sizeof(*rects.row));
	rects.height = page_alloc(page, kept, sizeof(*rects.height));
	if (rects.several) { /* Else the jobs' own columns say it. */
		rects.job = page_alloc(page, kept, sizeof(*rects.job));
		rects.from = page_alloc(page, kept, sizeof(*rects.from));
		rects.range = page_alloc(page, kept, sizeof(*rects.range));
	}
	rects.allocs = page_alloc(page, run->kept, sizeof(*rects.allocs));
	if (!page->failed) {
		add_rects(&rects, lanes, first, alloc);
		put_rects(&rects);
	}
	free(alloc);
	free(rects.allocs);
	free(rects.job);
	free(rects.row);
	free(rects.height);
	free(rects.from);
	free(rects.range);
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

/* Neighbouring nodes as rows. first: by node. */
static void put_range(struct page_text *json, const uint32_t *first, uint32_t from, uint32_t until)
{
	page_format(json, "%u,%u", first[from], first[until] - first[from]);
}

/* Leaves of the switches: racks. */
static void put_groups(struct page_run *run, struct page_text *json, const uint32_t *first)
{
	enum { GROUPS_MAX = 10000 };
	const struct sl_cluster *cluster = run->cluster;
	uint32_t put = 0;
	page_name(json, "groups");
	page_put(json, "[");
	for (uint32_t s = 0; s < cluster->switch_count; s++) {
		const struct sl_switch *sw = &cluster->sw[s];
		for (uint32_t i = 0; sw->level == 0 && i < sw->node_count && put < GROUPS_MAX;) {
			uint32_t end = i + 1;
			while (end < sw->node_count && sw->node[end] == sw->node[end - 1] + 1)
				end++;
			page_put(json, put++ ? "," : "");
			page_put(json, "{\"name\":");
			page_json(json, sw->name);
			page_format(json, ",\"first\":%u,\"count\":%u}", first[sw->node[i]],
				first[sw->node[end - 1] + 1] - first[sw->node[i]]);
			i = end;
		}
	}
	page_put(json, "]");
}

static void put_node_names(struct page_run *run, struct page_text *json)
{
	struct page_text names = { 0 };
	for (uint32_t n = 0; n < run->cluster->node_count; n++) {
		page_put(&names, n ? ",\n" : "[");
		page_json(&names, run->cluster->node_name ? run->cluster->node_name[n] : NULL);
	}
	page_put(&names, "]");
	run->page->failed = run->page->failed || names.failed;
	if (names.data)
		page_member(run->page, json, "names", PAGE_JSON, names.data, names.length);
	page_text_free(&names);
}

static void put_windows(struct page_run *run, const uint32_t *first)
{
	static const char *const kind[] = { "reserved", "maintenance", "outage", "state" };
	struct page_text *json = run->json;
	const struct sl_cluster *cluster = run->result->cluster;
	page_name(json, "windows");
	page_put(json, "[");
	for (uint32_t w = 0; cluster && w < cluster->window_count; w++) {
		const struct sl_window *window = &cluster->window[w];
		page_put(json, w ? ",\n" : "");
		page_format(json, "{\"kind\":\"%s\",\"name\":", kind[window->kind]);
		page_json(json, window->name);
		page_format(json, ",\"from\":%d,\"until\":", (int)page_ticks(run, window->from));
		if (window->until == SL_NEVER)
			page_put(json, "null");
		else
			page_i64(json, page_ticks(run, window->until));
		page_put(json, ",\"cpus\":");
		page_i64(json, window->cpus);
		page_put(json, ",\"rows\":[");
		for (uint32_t i = 0; first && i < window->node_count;) {
			uint32_t end = i + 1;
			while (end < window->node_count && window->node[end] == window->node[end - 1] + 1)
				end++;
			page_put(json, i ? ",[" : "[");
			put_range(json, first, window->node[i], window->node[end - 1] + 1);
			page_put(json, "]");
			i = end;
		}
		page_put(json, "]}");
	}
	page_put(json, "]");
}

/* Sentences, one after another; then what is to be known where jobs were suspended. bare: jobs that ran, and
 * have no row. */
static void put_rule(struct page_run *run, struct page_text *json, const char *rule, uint32_t bare)
{
	struct page_text text = { 0 };
	page_put(&text, rule);
	if (run->suspended)
		page_put(&text,
			" Jobs were suspended; when is not recorded: they are drawn from start to end, and the heat map is "
			"of what is drawn.");
	if (bare)
		page_format(&text, " Beside them no row was left for %u job%s, which %s not drawn.", bare,
			bare == 1 ? "" : "s", bare == 1 ? "is" : "are");
	page_bytes(&text, "", 1);
	if (text.data)
		page_json(json, text.data);
	run->page->failed = run->page->failed || text.failed;
	page_text_free(&text);
}

static void put_pool(struct page_run *run, struct page_lanes *lanes)
{
	uint32_t bare = 0;
	page_lanes_pool(run, lanes, run->result->cpus);
	for (size_t i = 0; lanes->first && !run->page->failed && i < run->range_count; i++)
		bare += lanes->first[i] == lanes->first[i + 1];
	page_name(run->json, "rows");
	page_format(run->json, "{\"count\":%u,\"unit\":\"cpu\",\"rule\":", (unsigned)run->result->cpus);
	put_rule(run, run->json,
		"The cluster is a counted pool: its cpus have no names. In the order of their starts, jobs are drawn "
		"in the lowest rows that are free.",
		bare);
	page_put(run->json, ",\"first\":null,\"names\":null,\"groups\":[]}");
	if (lanes->first && !run->page->failed)
		make_rects(run, lanes, NULL);
	put_windows(run, NULL);
}

static const char *page_rows_rule_of(const struct page_run *run, bool shared)
{
	bool reported = false;
	for (uint32_t row = 0; row < run->total && !reported; row++)
		for (uint32_t i = 0; i < run->result->place_count[row] && !reported; i++)
			reported = run->result->place[run->result->place_first[row] + i].devices != 0;
	if (run->cluster->gpus)
		return reported
			       ? "A row is a GPU, as the run gave it out; jobs that share one are drawn over each other. "
				 "Jobs without a GPU have rows of their own below those of their node."
			       : "A row is a GPU. The run counts the GPUs of a node and does not name them: in the order "
				 "of their starts, jobs are drawn in the lowest rows of their node that are free. Jobs "
				 "without a GPU have rows of their own below.";
	return shared ? "A node has as many rows as jobs were on it at once: in the order of their starts, they are "
			"drawn in the lowest that is free."
		      : "A row is a node.";
}

static void page_rows_put_nodes(struct page_run *run, struct page_lanes *lanes)
{
	const struct sl_cluster *cluster = run->cluster;
	struct page_text json = { 0 };
	uint32_t *first = page_alloc(run->page, (size_t)cluster->node_count + 1, sizeof(*first));
	if (!first)
		return;
	page_lanes_nodes(run, lanes, first + 1);
	for (uint32_t n = 0; n < cluster->node_count; n++)
		first[n + 1] += first[n];
	const bool shared = first[cluster->node_count] != cluster->node_count;
	page_format(&json, "{\"count\":%u,\"unit\":\"%s\",\"rule\":", first[cluster->node_count],
		cluster->gpus ? "gpu" : "node");
	put_rule(run, &json, page_rows_rule_of(run, shared), 0);
	if (shared)
		page_member(run->page, &json, "first", PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, first,
			(size_t)cluster->node_count + 1);
	else
		page_put(&json, ",\"first\":null");
	put_node_names(run, &json);
	put_groups(run, &json, first);
	page_put(&json, "}");
	page_name(run->json, "rows");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	if (lanes->first && !run->page->failed)
		make_rects(run, lanes, first);
	put_windows(run, first);
	free(first);
}

void page_rows_put(struct page_run *run)
{
	struct page_lanes lanes = { .page = run->page };
	if (!run->cluster) {
		put_pool(run, &lanes);
	} else if (run->result->place) {
		page_rows_put_nodes(run, &lanes);
	} else {
		page_name(run->json, "rows");
		page_put(run->json, "null,\"rects\":null,\"windows\":[],\"heat\":[]");
	}
	if (!run->page->failed && lanes.first)
		page_heat_put(run, &lanes);
	free(lanes.first);
	free(lanes.lane);
}
