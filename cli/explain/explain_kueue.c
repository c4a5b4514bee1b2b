/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_kueue.c - what Kueue itself says of a job that waits, and who uses the quotas of its cohort: from
 * the tables "pending" and "quota" of the policy `kueue` (kueue_table.c), and the reported evictions.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/explain/explain.h"
#include "sim/run/engine.h"

enum { QUOTAS_REPORTED = 12 };

static void say_place(
	const struct explain *explain, struct look *look, const struct view_table *pending, size_t row)
{
	const double place = table_number(pending, row, "place");
	const char *queue = table_text(pending, row, "queue");
	size_t waits = 0;
	for (size_t i = 0; i < pending->row_count; i++)
		waits += strcmp(table_text(pending, i, "queue"), queue) == 0;
	if (place > 0)
		look_says(explain, look,
			"place %" PRId64 " of %zu in ClusterQueue '%s', %" PRId64 " in LocalQueue '%s'",
			(int64_t)place, waits, queue, (int64_t)table_number(pending, row, "local_place"),
			table_text(pending, row, "local_queue"));
	if (place > 0)
		look_fact(look, "queue_place", (int64_t)place * 1000000);
}

/* Somebody of that tree uses some of the quota that the row reports. */
static bool is_used(const struct view_table *quota, size_t row)
{
	static const char *const same[] = { "root", "flavor", "resource" };
	for (size_t i = 0; i < quota->row_count; i++) {
		size_t k = 0;
		while (k < SL_LEN(same) &&
			strcmp(table_text(quota, i, same[k]), table_text(quota, row, same[k])) == 0)
			k++;
		if (k == SL_LEN(same) && strcmp(table_text(quota, i, "used"), "0") != 0)
			return true;
	}
	return false;
}

/* Of its own queue and of others of the same tree, as far as they use anything of what anybody uses. */
static void say_quota(
	const struct explain *explain, struct look *look, const struct view_table *quota, const char *queue)
{
	const char *root = NULL;
	size_t reported = 0, left_out = 0;
	for (size_t i = 0; i < quota->row_count && !root; i++)
		if (strcmp(table_text(quota, i, "queue"), queue) == 0)
			root = table_text(quota, i, "root");
	for (size_t i = 0; root && i < quota->row_count; i++) {
		const bool own = strcmp(table_text(quota, i, "queue"), queue) == 0;
		if (strcmp(table_text(quota, i, "root"), root) != 0 ||
			(own ? !is_used(quota, i) : strcmp(table_text(quota, i, "used"), "0") == 0))
			continue;
		if (reported++ >= QUOTAS_REPORTED) {
			left_out++;
			continue;
		}
		const bool borrows = table_number(quota, i, "borrows") > 0;
		const char *borrowed = borrows ? report_text(explain, ", %s of it borrowed",
							 table_text(quota, i, "borrowed"))
					       : "";
		look_says(explain, look,
			"%s in flavor %s: '%s' uses %s, its quota is %s%s; %s more is available to it",
			table_text(quota, i, "resource"), table_text(quota, i, "flavor"),
			table_text(quota, i, "queue"), table_text(quota, i, "used"),
			table_text(quota, i, "nominal"), borrowed, table_text(quota, i, "available"));
	}
	if (left_out)
		look_says(explain, look, "and %zu quotas more", left_out);
}

void look_at_kueue(const struct explain *explain, struct sl_pass *pass, struct look *look)
{
	struct view_table pending = { 0 }, quota = { 0 };
	struct sl_err err = { 0 };
	struct sl_arena *arena = explain->view.arena;
	if (view_take_table(arena, pass, sl_now(pass), "pending", &pending, &err) ||
		!table_has(&pending, "local_queue"))
		return;
	const size_t row = table_row_of(&pending, explain->job);
	if (row == pending.row_count)
		return;
	const char *message = table_text(&pending, row, "message");
	if (*message)
		look_says(explain, look, "Kueue: %s: %s", table_text(&pending, row, "reason"), message);
	if (*message)
		look_word(look, "kueue_message", message);
	say_place(explain, look, &pending, row);
	if (!view_take_table(arena, pass, sl_now(pass), "quota", &quota, &err))
		say_quota(explain, look, &quota, table_text(&pending, row, "queue"));
}

/* ---- Its evictions ----------------------------------------------------------------------------------------
 */

/* NULL: there is no such column. */
static const struct sl_cell *find_cell(const struct sl_report_table *table, size_t row, const char *column)
{
	for (uint32_t i = 0; i < table->columns; i++)
		if (strcmp(table->column[i], column) == 0)
			return &table->cell[row * table->columns + i];
	return NULL;
}

static const char *cell_in(const struct sl_report_table *table, size_t row, const char *column)
{
	const struct sl_cell *cell = find_cell(table, row, column);
	return cell ? cell->text : NULL;
}

static struct evicted of_kueue(const struct sl_report_table *table, size_t row)
{
	return (struct evicted){
		.at = table->cell[row * table->columns].micro,
		.how = cell_in(table, row, "reason"),
		.why = cell_in(table, row, "cause"),
		.by = cell_in(table, row, "by"),
		.by_queue = cell_in(table, row, "by_queue"),
		.message = cell_in(table, row, "message"),
	};
}

/* Of runai_report.c. */
static struct evicted of_runai(const struct explain *explain, const struct sl_report_table *table, size_t row)
{
	const struct sl_cell *ran = find_cell(table, row, "ran_for");
	const char *work = cell_in(table, row, "work"), *moved = cell_in(table, row, "moved");
	return (struct evicted){
		.at = table->cell[row * table->columns].micro,
		.how = cell_in(table, row, "action"),
		.why = report_text(explain, "%sits work of %s is %s",
			moved && strcmp(moved, "yes") == 0 ? "moved, " : "",
			range_text(explain, ran ? ran->micro : 0), work ? work : "lost"),
		.by = cell_in(table, row, "by"),
		.by_queue = cell_in(table, row, "by_project"),
		.message = cell_in(table, row, "reason"),
	};
}

/* Of a workload, as kueue_jobs.c names it: of long names the first 60 bytes. */
static bool is_name(const struct explain *explain, const char *name)
{
	enum { NAME = 60 };
	const struct sl_jobs *jobs = explain->view.jobs;
	const char *id = jobs->id_name ? jobs->id_name[explain->job] : NULL;
	if (id)
		return strncmp(id, name, NAME) == 0;
	return strcmp(report_text(explain, "%" PRId64, jobs->id[explain->job]), name) == 0;
}

int evictions_find(struct explain *explain, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	const struct sl_report_table *table = NULL;
	for (size_t i = 0; i < result->reported_table_count; i++)
		if (strcmp(result->reported_table[i].name, "evictions") == 0)
			table = &result->reported_table[i];
	if (!table || !cell_in(table, 0, "job_id"))
		return SL_OK;
	explain->eviction = sl_alloc(explain->view.arena, table->rows + 1, sizeof(*explain->eviction));
	if (!explain->eviction)
		return sl_fail_memory(err);
	for (size_t row = 0; row < table->rows; row++) {
		const char *job = cell_in(table, row, "job_id");
		if (!job || !is_name(explain, job))
			continue;
		explain->eviction[explain->eviction_count++] = find_cell(table, 0, "by_project")
								       ? of_runai(explain, table, row)
								       : of_kueue(table, row);
	}
	return SL_OK;
}

/* ---- Its progress
 * -------------------------------------------------------------------------------------------
 */

static int take_series(struct explain *explain, const struct view_table *series, struct sl_err *err)
{
	explain->step = sl_alloc(explain->view.arena, series->row_count + 1, sizeof(*explain->step));
	if (!explain->step)
		return sl_fail_memory(err);
	for (size_t row = 0; row < series->row_count; row++)
		if (table_number(series, row, "job") == (double)explain->job)
			explain->step[explain->step_count++] = (struct step){ table_text(series, row, "at"),
				table_text(series, row, "step") };
	return SL_OK;
}

/* From one more replay, which stands at the run's end; only under a policy that may have such a table. */
int series_find(struct explain *explain, struct sl_err *err)
{
	struct view *view = &explain->view;
	struct view_table series = { 0 };
	struct sim_run sim = { 0 };
	static const char *const tells[] = { "kueue", "runai" };
	const char *policy = view->result->policy; /* "kueue:grace=5s" */
	const size_t name = strcspn(policy, ":");
	bool any = false;
	for (size_t i = 0; i < SL_LEN(tells); i++)
		any |= name == strlen(tells[i]) && memcmp(policy, tells[i], name) == 0;
	if (!any)
		return SL_OK;
	int status = rerun_begin(&view->rerun, &sim, 0, view->result->last, err);
	if (!status)
		status = view_take_table(
			view->arena, &sim.engine->sim, view->result->last, "course", &series, err);
	if (!status)
		status = take_series(explain, &series, err);
	sim_release(&sim);
	return status;
}
