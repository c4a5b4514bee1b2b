/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_run.c - one run, as it is reported: its times in ticks, which of its jobs are kept, and all that is
 * said of it.
 */
#include "reports/page/page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Ticks ------------------------------------------------------------------------------------------- */

int32_t page_ticks(const struct page_run *run, sl_time time)
{
	const sl_time low = run->tick == SL_SECOND /* Mostly: then no division is needed. */
				    ? time / SL_SECOND - (time % SL_SECOND < 0)
				    : time / run->tick - (time % run->tick < 0);
	return low > INT32_MAX ? INT32_MAX : low < INT32_MIN ? INT32_MIN : (int32_t)low;
}

/* Is every time of the run a whole number of these? */
static bool is_exact(const struct page_run *run, sl_time tick)
{
	const struct sl_result *result = run->result;
	for (uint32_t row = 0; row < run->total; row++)
		if (run->jobs->submit[row] % tick ||
			(result->start[row] != SL_NONE && result->start[row] % tick) ||
			(result->end[row] != SL_NONE && result->end[row] % tick))
			return false;
	for (size_t i = 0; i < result->attempt_count; i++)
		if (result->attempts[i].start % tick || result->attempts[i].end % tick)
			return false;
	return true;
}

/* The coarsest up to a second that is exact; a coarser one where its numbers would be too long: so that none
 * is longer than 31 bits, and no difference of two longer than 32. */
static void choose_tick(struct page_run *run)
{
	static const sl_time ticks[] = { 1000000 * SL_SECOND, 1000 * SL_SECOND, SL_SECOND, 1000, 1 };
	enum { SECOND = 2 };
	size_t i = SECOND;
	while (i + 1 < SL_LEN(ticks) && !is_exact(run, ticks[i]))
		i++;
	while (i && (run->result->last / ticks[i] > INT32_MAX || run->result->first / ticks[i] < INT32_MIN)) {
		run->rounded = true;
		i--;
	}
	run->tick = ticks[i];
	run->first = page_ticks(run, run->result->first);
	run->last = page_ticks(run, run->result->last);
	if (run->total && page_ticks(run, run->jobs->submit[0]) < run->first)
		run->first = page_ticks(run, run->jobs->submit[0]);
	run->last = run->last < run->first ? run->first : run->last;
}

/* ---- Which jobs are kept ------------------------------------------------------------------------------- */

/* The largest value that at least *most of them reach; *most: how many of those that are just that one are
 * among the largest so many. */
static uint64_t bound_of(const uint64_t *value, uint32_t count, uint64_t *most)
{
	enum { BITS = 11, RADIX = 1 << BITS };
	uint64_t bound = 0;
	for (int shift = 55; shift >= 0; shift -= BITS) { /* What is above is that of the bound. */
		uint32_t place[RADIX] = { 0 };
		const unsigned above = (unsigned)shift + BITS;
		for (uint32_t i = 0; i < count; i++)
			if (above >= 64 || value[i] >> above == bound >> above)
				place[value[i] >> shift & (RADIX - 1)]++;
		uint64_t digit = RADIX - 1;
		while (digit && place[digit] < *most)
			*most -= place[digit--];
		bound |= digit << shift;
	}
	return bound;
}

/* The longest waiting, ties in the order of the trace. */
static void page_run_keep(struct page_run *run)
{
	const uint64_t runs = run->page->options.runs ? run->page->options.runs : 1;
	uint64_t most = run->page->options.jobs_max / runs;
	const bool all = most >= run->total;
	uint64_t bound = 0;
	uint64_t *wait = page_alloc(run->page, all ? 0 : run->total, sizeof(*wait));
	run->kept_of = page_alloc(run->page, run->total, sizeof(*run->kept_of));
	run->row_kept = page_alloc(run->page, all ? run->total : most, sizeof(*run->row_kept));
	for (uint32_t row = 0; wait && !all && row < run->total; row++)
		wait[row] = (uint64_t)sl_wait_total_of(run->result, row);
	if (wait && !all)
		bound = bound_of(wait, run->total, &most);
	for (uint32_t row = 0; wait && run->kept_of && run->row_kept && row < run->total; row++) {
		bool kept = all || wait[row] > bound;
		if (!kept && wait[row] == bound && most) {
			kept = true;
			most--;
		}
		run->kept_of[row] = kept ? run->kept : UINT32_MAX;
		if (kept)
			run->row_kept[run->kept++] = row;
	}
	free(wait);
}

/* ---- Intervals -------------------------------------------------------------------------------------- */

static void range_add(struct page_run *run, uint32_t row, size_t attempt, sl_time from, sl_time until)
{
	const int32_t a = page_ticks(run, from);
	const int32_t b = page_ticks(run, until == SL_NONE ? run->result->last : until);
	if (b > a)
		run->range[run->range_count++] = (struct page_range){ row, (uint32_t)attempt, a, b };
}

static void make_ranges(struct page_run *run)
{
	const struct sl_result *result = run->result;
	const size_t most = (size_t)run->total + result->attempt_count;
	uint64_t *key = page_alloc(run->page, 2 * most, sizeof(*key));
	run->range = page_alloc(run->page, most, sizeof(*run->range));
	if (key && run->range) {
		for (uint32_t row = 0; row < run->total; row++) {
			const struct sl_attempt *attempt;
			const size_t several = sl_attempts_of(result, row, &attempt);
			for (size_t i = 0; i < several; i++)
				range_add(run, row, (size_t)(attempt - result->attempts) + i + 1,
					attempt[i].start, attempt[i].end);
			if (!several && result->start[row] != SL_NONE)
				range_add(run, row, 0, result->start[row], result->end[row]);
		}
		for (size_t i = 0; i < run->range_count; i++)
			key[i] = page_row_key(
				(uint32_t)((int64_t)run->range[i].from - INT32_MIN), (uint32_t)i);
		page_sort_rows(key, key + most, run->range_count);
		key = page_shorter(key, run->range_count);
		struct page_range *sorted = page_alloc(run->page, run->range_count, sizeof(*sorted));
		for (size_t i = 0; sorted && i < run->range_count; i++)
			sorted[i] = run->range[(uint32_t)key[i]];
		free(run->range);
		run->range = sorted;
		run->range_count = sorted ? run->range_count : 0;
	}
	free(key);
}

/* ---- What is said -------------------------------------------------------------------------------------- */

static void put_facts(struct page_run *run)
{
	const struct sl_document_run *reported = run->reported;
	struct page_text *json = run->json;
	page_name(json, "label");
	page_json(json, reported->label);
	page_name(json, "folder");
	page_json(json, reported->folder);
	page_put(
		json, reported->partial ? ",\"partial\":true,\"facts\":[" : ",\"partial\":false,\"facts\":[");
	for (size_t i = 0; i < reported->fact_count; i++) {
		page_put(json, i ? ",[" : "[");
		page_json(json, reported->fact[i].key);
		page_put(json, ",");
		page_json(json, reported->fact[i].value);
		page_put(json, "]");
	}
	page_put(json, "],\"warnings\":[");
	for (size_t i = 0; i < reported->warning_count; i++) {
		page_put(json, i ? "," : "");
		page_json(json, reported->warning[i]);
	}
	page_put(json, "],\"metrics\":{");
	const char *before = "";
	for (size_t i = 0; i < reported->metric_count; i++) {
		if (strstr(reported->metric[i].name, "{user=")) /* May be many: they stay in metrics.json. */
			continue;
		page_put(json, before);
		page_json(json, reported->metric[i].name);
		page_put(json, ":");
		page_micro(json, reported->metric[i].micro);
		before = ",";
	}
	page_put(json, "}");
}

static void page_run_put_number(struct page_text *json, const char *name, int64_t value)
{
	page_name(json, name);
	page_i64(json, value);
}

static const char *tick_rule(const struct page_run *run)
{
	if (!run->rounded)
		return "";
	return run->tick < SL_SECOND
		       ? "The run has times between whole milliseconds: the page shows each rounded down."
	       : run->tick == SL_SECOND
		       ? "The run has times between whole seconds: the page shows each rounded down."
	       : run->tick == 1000 * SL_SECOND
		       ? "The run is longer than 68 years: the page shows each time rounded down to 1 000 s."
		       : "The run is longer than 68 000 years: the page shows each time rounded down to 1 000 000 s.";
}

static void put_inputs(struct page_run *run)
{
	const struct sl_cluster *cluster = run->cluster;
	struct page_text *json = run->json;
	page_run_put_number(json, "tick", run->tick);
	page_name(json, "tick_rule");
	page_json(json, tick_rule(run));
	page_run_put_number(json, "epoch", run->result->epoch);
	page_run_put_number(json, "utc_offset", run->result->utc_offset);
	page_put(json, ",\"parts\":{");
	page_run_put_number(json, "cpus", run->cpu_parts);
	page_run_put_number(json, "gpus", run->gpu_parts);
	page_put(json, "},\"total\":{");
	page_run_put_number(json, "cpus", run->result->cpus);
	page_run_put_number(json, "gpus", cluster ? cluster->gpus : 0);
	page_run_put_number(json, "nodes", cluster ? cluster->node_count : 0);
	page_run_put_number(json, "mem", cluster ? cluster->mem : 0);
	page_put(json, "}");
	page_run_put_number(json, "first", run->first);
	page_run_put_number(json, "last", run->last);
	page_put(json, ",\"jobs\":{");
	page_run_put_number(json, "total", run->total);
	page_run_put_number(json, "kept", run->kept);
	page_name(json, "rule");
	if (run->kept < run->total)
		page_format(json,
			"\"Of %u jobs the %u that waited longest are told one by one (--max-jobs); the others are in the "
			"sums, curves and the heat map alone.\"",
			run->total, run->kept);
	else
		page_put(json, "\"\"");
	page_put(json, "}");
}

static void about_page(struct page *page, const struct page_run *run)
{
	page->epoch = run->result->epoch;
	page->utc_offset = run->result->utc_offset;
	if (!page->run_count && run->result->time_zone) /* Letters, digits, and a few signs. */
		page_put(&page->time_zone, run->result->time_zone);
	for (size_t i = 0; i < run->reported->fact_count; i++)
		if (strcmp(run->reported->fact[i].key, "version") == 0)
			page_put(&page->version, run->reported->fact[i].value);
	page->gpus = run->cluster && run->cluster->gpus;
	page->nodes = run->cluster;
	page->mem = run->cluster && run->cluster->mem;
	page->run_count++;
}

void page_join(struct page *page, struct page *part)
{
	if (!page->run_count) {
		page->epoch = part->epoch;
		page->utc_offset = part->utc_offset;
		page_bytes(&page->version, part->version.data, part->version.length);
		page_bytes(&page->time_zone, part->time_zone.data, part->time_zone.length);
	}
	page->gpus = page->gpus || part->gpus;
	page->nodes = page->nodes || part->nodes;
	page->mem = page->mem || part->mem;
	page->cohorts = page->cohorts || part->cohorts;
	page_put(&page->runs, page->run_count ? ",\n" : "");
	page_blocks_join(page, part);
	page->run_count++;
	page->failed = page->failed || part->failed || page->runs.failed || page->version.failed;
}

static void run_free(struct page_run *run)
{
	page_groups_free(run);
	free(run->row_kept);
	free(run->kept_of);
	free(run->range);
}

int page_run_report(struct page *page, const struct sl_document_run *reported, struct sl_err *err)
{
	const struct sl_result *result = reported->result;
	struct page_text json = { 0 };
	const bool nodes = result->cluster && result->cluster->node_count;
	struct page_run run = { .page = page,
		.reported = reported,
		.result = result,
		.jobs = result->jobs,
		.cluster = nodes ? result->cluster : NULL,
		.json = &json,
		.total = result->jobs->count,
		.cpu_parts = result->cluster ? sl_parts(result->cluster->cpu_parts) : 1,
		.gpu_parts = result->cluster ? sl_parts(result->cluster->gpu_parts) : 1 };
	static void (*const put[])(struct page_run *) = { page_use_put, page_cdf_put, make_ranges,
		page_shares_put, page_unfair_put, page_columns_put, page_charges_put, page_rows_put,
		page_cohorts_put };
	for (uint32_t row = 0; row < run.total && !run.suspended; row++)
		run.suspended = sl_suspended_of(result, row) > 0;
	choose_tick(&run);
	page_run_keep(&run);
	if (!page->failed)
		page_groups_make(&run);
	page_put(&json, "{");
	put_facts(&run);
	put_inputs(&run);
	for (size_t i = 0; i < SL_LEN(put) && !page->failed; i++)
		put[i](&run);
	page_put(&json, "}");
	about_page(page, &run);
	page_bytes(&page->runs, json.data, json.length);
	page->failed = page->failed || json.failed || page->runs.failed || page->version.failed;
	page_text_free(&json);
	run_free(&run);
	return page->failed ? sl_fail_memory(err) : SL_OK;
}
