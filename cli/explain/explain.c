/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain.c - the explained run, rerun; its jobs by their names; what each waited for.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/engine.h"

/* ---- Text ------------------------------------------------------------------------------------ */

SL_PRINTF(2, 0)
static const char *text_list(const struct explain *explain, const char *format, va_list args)
{
	va_list rerun;
	va_copy(rerun, args);
	const int len = vsnprintf(NULL, 0, format, args); /* Settings and names are as long as they are. */
	char *text = len < 0 ? NULL : sl_alloc(explain->view.arena, (size_t)len + 1, 1);
	if (text)
		(void)vsnprintf(text, (size_t)len + 1, format, rerun);
	va_end(rerun);
	return text ? text : "";
}

const char *report_text(const struct explain *explain, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = text_list(explain, format, args);
	va_end(args);
	return text;
}

const char *cell_text(const struct explain *explain, struct cell *cell)
{
	const char *text = report_text(explain, "%s", cell->text ? cell->text : "");
	cell_free(cell);
	return text;
}

const char *id_text(const struct explain *explain, uint32_t job)
{
	struct cell cell = { 0 };
	put_job_id(&cell, &explain->view, job);
	return cell_text(explain, &cell);
}

/* A name, or what the number is of. */
static const char *named_text(
	const struct explain *explain, const char *of, int32_t number, const char *const *name)
{
	if (number < 0)
		return "";
	return name ? name[number] : report_text(explain, "%s %" PRId32, of, number);
}

const char *user_text(const struct explain *explain, uint32_t job)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	return named_text(explain, "user", jobs->user[job], jobs->user_name);
}

const char *account_text(const struct explain *explain, uint32_t job)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	return named_text(explain, "account", jobs->account[job], jobs->account_name);
}

const char *partition_text(const struct explain *explain, uint32_t job)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	return named_text(explain, "partition", jobs->partition[job], jobs->partition_name);
}

const char *range_text(const struct explain *explain, sl_time length)
{
	char buffer[32];
	return report_text(explain, "%s", screen_duration(buffer, length));
}

const char *time_text(const struct explain *explain, sl_time at)
{
	struct cell cell = { 0 };
	if (at == SL_NONE || at == SL_NEVER)
		return "never";
	if (!explain->view.scenario->epoch) { /* Not rounded to minutes: moments are to be found again. */
		const int64_t s = seconds_of(at);
		return s / 86400 && s > 0 ? report_text(explain, "%" PRId64 " d %02d:%02d:%02d", s / 86400,
						    (int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60))
					  : report_text(explain, "%s", range_text(explain, at));
	}
	put_date(&cell, &explain->view, at);
	return cell_text(explain, &cell);
}

const char *count_words(const struct explain *explain, uint64_t count, const char *one, const char *many)
{
	char number[48];
	return report_text(explain, "%s %s", screen_number(number, (int64_t)count * 1000000, 0),
		count == 1 ? one : many);
}

const char *hours_text(const struct explain *explain, int64_t cpu_seconds)
{
	char number[48];
	const int64_t hour = 3600;
	if (cpu_seconds < hour)
		return cpu_seconds < 60
			       ? count_words(explain, (uint64_t)cpu_seconds, "cpu-second", "cpu-seconds")
			       : count_words(explain, (uint64_t)(cpu_seconds + 30) / 60, "cpu-minute",
					 "cpu-minutes");
	const int64_t micro = sl_mul_div(cpu_seconds, 1000000, hour);
	return report_text(explain, "%s cpu-hours", screen_number(number, micro, micro < 100000000 ? 1 : 0));
}

int64_t cpu_seconds_of(const struct explain *explain, uint32_t job)
{
	const struct sl_result *result = explain->view.result;
	const int64_t parts = sl_parts(explain->view.cluster->cpu_parts);
	return sl_mul_div(sl_cpus_of(result, job), sl_run_time_of(result, job), parts * SL_SECOND);
}

const char *asked_text(const struct explain *explain, uint32_t job)
{
	const struct view *view = &explain->view;
	const struct sl_request *request = view_request(view, job);
	const struct sl_job_desc *desc = view_desc(view, job);
	struct cell cell = { 0 };
	char number[48];
	const int64_t gpus = request ? request->gpus : 0;
	if (gpus)
		cell_put(&cell, "%s GPU%s and ", parts_text(number, gpus, view->cluster->gpu_parts),
			gpus == sl_parts(view->cluster->gpu_parts) ? "" : "s");
	const int64_t cpus = request ? request->cpus : view->jobs->size[job];
	cell_put(&cell, "%s cpu%s", parts_text(number, cpus, view->cluster->cpu_parts),
		cpus == sl_parts(view->cluster->cpu_parts) ? "" : "s");
	if (view_mem_asked(view, job)) {
		cell_put(&cell, ", ");
		put_mem(&cell, view_mem_asked(view, job));
		cell_put(&cell, " of memory");
	}
	const uint32_t least = request ? request->group->nodes_min : 0;
	if (desc && desc->nodes_min != SL_NONE)
		cell_put(&cell, ", on %s", count_words(explain, (uint64_t)desc->nodes_min, "node", "nodes"));
	else if (least > 1)
		cell_put(&cell, ", on at least %" PRIu32 " nodes", least);
	return cell_text(explain, &cell);
}

size_t times_before(const void *list, size_t count, size_t size, sl_time at, bool with)
{
	size_t low = 0;
	size_t high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const sl_time *time = (const void *)((const char *)list + middle * size);
		const bool before = *time < at || (with && *time == at);
		*(before ? &low : &high) = before ? middle + 1 : middle;
	}
	return low;
}

void look_says(const struct explain *explain, struct look *look, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = text_list(explain, format, args);
	va_end(args);
	if (look->said_count < SAID_MAX && *text)
		look->said[look->said_count++] = text;
}

void look_fact(struct look *look, const char *key, int64_t micro)
{
	if (look->fact_count < FACTS_MAX)
		look->fact[look->fact_count++] = (struct fact){ key, NULL, micro };
}

void look_word(struct look *look, const char *key, const char *text)
{
	if (look->fact_count < FACTS_MAX)
		look->fact[look->fact_count++] = (struct fact){ key, text, 0 };
}

/* ---- The run ------------------------------------------------------------------------------------- */

int explain_open(struct explain *explain, const char *path, struct registry *registry, struct sl_err *err)
{
	struct view *view = &explain->view;
	explain->registry = registry;
	explain->path = path;
	int status = rerun_open(&view->rerun, path, registry, err);
	if (!status && explain->until) {
		char setting[80];
		(void)snprintf(setting, sizeof(setting), "replay.until=%.60s", explain->until);
		status = rerun_change(&view->rerun, setting, err);
	}
	view->arena = view->rerun.arena;
	if (!status)
		status = rerun_load(&view->rerun, err);
	view->scenario = &view->rerun.scenario;
	view->jobs = &view->scenario->jobs;
	view->cluster = &view->scenario->cluster;
	if (!status)
		status = rerun_run(&view->rerun, &view->sim,
			SIM_RECORD_REASONS | SIM_RECORD_PLACES | SIM_RECORD_DECISIONS, err);
	view->result = &view->sim.result;
	return status;
}

void explain_close(struct explain *explain)
{
	if (!explain->view.rerun.arena)
		return;
	sim_release(&explain->view.sim);
	rerun_close(&explain->view.rerun);
}

/* ---- Who ------------------------------------------------------------------------------------------- */

static int fail_no_job(const struct explain *explain, const char *text, struct sl_err *err)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	const char **known = sl_alloc(explain->view.arena, (size_t)jobs->count + 1, sizeof(*known));
	int64_t wanted;
	uint32_t similar = 0;
	if (!known)
		return sl_fail_memory(err);
	if (sl_get_i64(text, strlen(text), &wanted) && wanted >= 0 && wanted < INT64_MAX / 2) {
		for (uint32_t row = 1; row < jobs->count; row++)
			if (llabs(jobs->id[row] - wanted) < llabs(jobs->id[similar] - wanted))
				similar = row;
		char dropped[400];
		const bool any = anomalies_text(explain->view.scenario, true, dropped, sizeof(dropped)) != 0;
		return sl_fail(err, SL_USAGE, "there is no job %.60s in this run: the nearest is %s%s%s",
			text, id_text(explain, similar), any ? "; not in it are " : "", any ? dropped : "");
	}
	for (uint32_t row = 0; row < jobs->count; row++)
		known[row] = id_text(explain, row);
	char buffer[128];
	return sl_fail(err, SL_USAGE,
		"there is no job '%.60s' in this run: %sgive its number, as in jobs.csv", text,
		did_you_mean(buffer, sl_nearest(text, known)));
}

/* The only one of which it is the last part of the name, "train" of "ml/train"; UINT32_MAX: none, or several.
 */
static uint32_t find_last_part(const struct explain *explain, const char *text)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	uint32_t found = UINT32_MAX;
	for (uint32_t row = 0; jobs->id_name && row < jobs->count; row++) {
		const char *slash = jobs->id_name[row] ? strrchr(jobs->id_name[row], '/') : NULL;
		if (!slash || strcmp(slash + 1, text) != 0)
			continue;
		if (found != UINT32_MAX)
			return UINT32_MAX;
		found = row;
	}
	return found;
}

int explain_find(const struct explain *explain, const char *text, uint32_t *job, struct sl_err *err)
{
	const struct view *view = &explain->view;
	int64_t number = SL_NONE;
	uint32_t tasks = 0;
	uint32_t plain = UINT32_MAX; /* A task by its number in jobs.csv. */
	const bool whole = sl_get_i64(text, strlen(text), &number);
	struct cell cell = { 0 };
	*job = UINT32_MAX;
	for (uint32_t row = 0; row < view->jobs->count; row++) {
		if (whole && view_array(view, row) == number && !tasks++)
			*job = row;
		if (whole && view->jobs->id[row] >= 0 && view->jobs->id[row] != number)
			continue;
		if (whole && view->jobs->id[row] == number)
			plain = row;
		cell_clear(&cell);
		put_job_id(&cell, view, row);
		if (cell.text && strcmp(cell.text, text) == 0) {
			*job = row;
			tasks = 1;
			break;
		}
	}
	cell_free(&cell);
	if (*job == UINT32_MAX)
		*job = plain;
	if (*job == UINT32_MAX)
		*job = find_last_part(explain, text);
	if (*job == UINT32_MAX)
		return fail_no_job(explain, text, err);
	if (tasks > 1)
		return sl_fail(err, SL_USAGE, "job %s is an array of %" PRIu32 " tasks: choose one, as %s",
			text, tasks, id_text(explain, *job));
	return SL_OK;
}

/* ---- What it waited for ------------------------------------------------------------------------------ */

/* As reasons.csv has it. */
size_t charges_fill(const struct explain *explain, uint32_t job, struct charge **charge, size_t *capacity)
{
	struct sl_charging charging = sl_charges_of(explain->view.result, job);
	struct sl_charge now;
	struct sl_err none = { 0 };
	size_t count = 0;
	while (sl_charge_next(&charging, &now)) {
		if (SL_GROW(*charge, *capacity, count + 1, &none))
			return SIZE_MAX;
		(*charge)[count++] = (struct charge){ .from = now.from,
			.until = now.until,
			.reason = now.reason,
			.detail = now.detail,
			.count = 1,
			.total = now.until - now.from };
	}
	return count;
}

static int charges_take(struct explain *explain, struct sl_err *err)
{
	struct charge *charge = NULL;
	size_t capacity = 0;
	const size_t count = charges_fill(explain, explain->job, &charge, &capacity);
	if (count != SIZE_MAX)
		explain->charge = sl_alloc(explain->view.arena, count + 1, sizeof(*charge));
	if (explain->charge && count)
		memcpy(explain->charge, charge, count * sizeof(*charge));
	explain->charge_count = explain->charge ? count : 0;
	free(charge);
	return explain->charge ? SL_OK : sl_fail_memory(err);
}

/* ---- One job --------------------------------------------------------------------------------------------
 */

enum { CHARGES_REPORTED = 8 };

static int compare_totals(const void *a, const void *b)
{
	const struct charge *x = a;
	const struct charge *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Many intervals: one for each reason, reported by its longest. */
static void merge_charges(struct explain *explain)
{
	struct charge *charge = explain->charge;
	size_t kept = 0;
	for (size_t i = 0; i < explain->charge_count; i++) {
		size_t k = 0;
		while (k < kept &&
			(charge[k].reason != charge[i].reason || charge[k].detail != charge[i].detail))
			k++;
		if (k == kept) {
			charge[kept++] = charge[i];
			continue;
		}
		charge[k].count++;
		charge[k].total += charge[i].total;
		if (charge[i].until - charge[i].from > charge[k].until - charge[k].from) {
			charge[k].from = charge[i].from;
			charge[k].until = charge[i].until;
		}
	}
	explain->merged = true;
	explain->charge_count = kept;
	qsort(charge, kept, sizeof(*charge), compare_totals);
}

static int compare_from(const void *a, const void *b)
{
	const struct charge *x = *(struct charge *const *)a;
	const struct charge *y = *(struct charge *const *)b;
	return (x->from > y->from) - (x->from < y->from);
}

/* Of a job that was never started: the run's end. */
static int look_at_end(struct explain *explain, struct sl_err *err)
{
	struct view *view = &explain->view;
	const struct sl_result *result = view->result;
	struct sim_run sim = { 0 };
	if (result->start[explain->job] != SL_NONE || result->state[explain->job] != SL_PENDING ||
		!explain->charge_count)
		return SL_OK;
	const sl_time submit = view->jobs->submit[explain->job];
	const sl_time at = submit > result->last ? submit : result->last;
	const struct charge now = { .from = at, .until = at, .reason = sl_reason_last(result, explain->job) };
	explain->waits_for = now.reason;
	explain->waits = sl_alloc(view->arena, 1, sizeof(*explain->waits));
	if (!explain->waits)
		return sl_fail_memory(err);
	const int status = rerun_begin(&view->rerun, &sim, 0, at, err);
	if (!status)
		look_at(explain, &sim, &now, explain->waits);
	sim_release(&sim);
	return status;
}

/* A second replay, which stops at the beginning of each interval. */
static int look_into(struct explain *explain, struct sl_err *err)
{
	struct view *view = &explain->view;
	const size_t count = explain->charge_count;
	struct charge **order = sl_alloc(view->arena, count + 1, sizeof(struct charge *));
	struct sim_run sim = { 0 };
	if (!order)
		return sl_fail_memory(err);
	if (!count)
		return SL_OK;
	for (size_t i = 0; i < count; i++)
		order[i] = &explain->charge[i];
	qsort(order, count, sizeof(struct charge *), compare_from);
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++) {
		struct charge *charge = order[i];
		charge->look = sl_alloc(view->arena, 1, sizeof(*charge->look));
		if (!charge->look)
			status = sl_fail_memory(err);
		else if (!i || view->rerun.recipe.history_count > 1) {
			sim_release(&sim);
			sim = (struct sim_run){ 0 };
			status = rerun_begin(&view->rerun, &sim, 0, charge->from, err);
		} else
			status = sim_advance(&sim, charge->from, err);
		if (!status)
			look_at(explain, &sim, charge, charge->look);
	}
	sim_release(&sim);
	return status;
}

static void explain_rank(struct explain *explain)
{
	const struct view *view = &explain->view;
	const int32_t partition = view->jobs->partition[explain->job];
	const sl_time waited = explain->waited = sl_wait_total_of(view->result, explain->job);
	for (uint32_t row = 0; row < view->jobs->count; row++) {
		const bool less = sl_wait_total_of(view->result, row) < waited;
		const bool same = partition >= 0 && view->jobs->partition[row] == partition;
		explain->ranked++;
		explain->rank += less;
		explain->ranked_part += same;
		explain->rank_part += same && less;
	}
}

int explain_job(struct explain *explain, struct sl_err *err)
{
	explain->id = id_text(explain, explain->job);
	explain_rank(explain);
	int status = charges_take(explain, err);
	if (!explain->all && explain->charge_count > CHARGES_REPORTED)
		merge_charges(explain);
	if (!status)
		status = look_into(explain, err);
	if (!status)
		status = look_at_end(explain, err);
	if (!status)
		status = ahead_find(explain, err);
	if (!status)
		status = plans_find(explain, err);
	if (!status)
		status = evictions_find(explain, err);
	if (!status)
		status = series_find(explain, err);
	/* A job that started at once has no wait to explain, whatever became of it later, unless starts are
	 * compared on request. */
	const bool at_once =
		explain->view.result->start[explain->job] == explain->view.jobs->submit[explain->job];
	const bool waited = (explain->charge_count && !at_once) || explain->wanted;
	return status || !explain->what_if || !waited ? status : what_if_find(explain, err);
}
