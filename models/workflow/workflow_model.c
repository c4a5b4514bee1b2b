/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow_model.c - workflows are reported on: makespans, critical paths, waiting on them. Nothing runs
 * otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "models/workflow/workflow_model.h"

static int workflow_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct workflows *w = sl_alloc(setup->arena, 1, sizeof(*w));
	if (!w)
		return sl_fail_memory(err);
	*state = w;
	w->arena = setup->arena;
	w->jobs = setup->jobs;
	w->job = sl_alloc(setup->arena, (size_t)setup->jobs->count + 1, sizeof(*w->job));
	if (!w->job)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < setup->jobs->count; row++)
		w->job[row] =
			(struct workflow_job){ .of = row, .ends = SL_NONE, .start = SL_NONE, .end = SL_NONE };
	return workflow_paths(w, err);
}

static void started(void *state, struct sim *sim, sl_job job)
{
	struct workflows *w = state;
	if (w->job[job.row].start == SL_NONE)
		w->job[job.row].start = sl_now(sim);
}

static void left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct workflows *w = state;
	if (how == SL_LEFT_END)
		w->job[job.row].end = sl_now(sim);
}

/* ---- What is reported ----------------------------------------------------------------------------- */

struct reported {
	uint32_t jobs, ended, last; /* last: the row that ended last. */
	sl_time submit, end, path;  /* path: SL_NONE: some job waits in a circle. */
};

static sl_time end_in_run(const struct workflows *w, uint32_t row, bool start)
{
	const sl_time at = start ? w->job[row].start : w->job[row].end;
	return at == SL_NONE ? SL_NEVER : at;
}

static void workflow_model_gather(const struct workflows *w, struct reported *reported)
{
	for (uint32_t row = 0; row < w->jobs->count; row++) {
		const struct workflow_job *job = &w->job[row];
		struct reported *of = &reported[job->of];
		if (!of->jobs++)
			*of = (struct reported){
				.jobs = 1, .submit = SL_NEVER, .end = SL_NONE, .path = INT64_MIN + 1
			};
		of->submit = w->jobs->submit[row] < of->submit ? w->jobs->submit[row] : of->submit;
		if (job->ends == SL_NONE)
			of->path = SL_NONE;
		else if (of->path != SL_NONE && job->ends > of->path)
			of->path = job->ends;
		of->ended += job->end != SL_NONE;
		if (job->end != SL_NONE && (of->end == SL_NONE || job->end > of->end)) {
			of->end = job->end;
			of->last = row;
		}
	}
}

/* From the job that ended last, back by whom each waited for: what each waited for the cluster. */
static sl_time path_wait(const struct workflows *w, const struct reported *of)
{
	sl_time wait = 0;
	uint32_t row = of->last;
	for (uint32_t steps = 0; row != UINT32_MAX && steps <= of->jobs; steps++) {
		uint32_t by;
		const sl_time ready = workflow_ready(w, row, end_in_run, &by);
		if (w->job[row].start != SL_NONE && w->job[row].start > ready)
			wait += w->job[row].start - ready;
		row = by;
	}
	return wait;
}

/* "train-1" of train-1.prep.0; else the id of its first job. */
static const char *workflow_model_name_of(const struct workflows *w, uint32_t row)
{
	char text[32];
	const char *id = w->jobs->id_name ? w->jobs->id_name[row] : NULL;
	if (!id)
		return sl_strdup(w->arena, text, (size_t)(sl_put_i64(text, w->jobs->id[row]) - text));
	size_t len = strlen(id);
	size_t dots = 0;
	for (size_t i = len; i-- > 0 && dots < 2;)
		if (id[i] == '.') {
			dots++;
			len = i;
		}
	return dots == 2 && len ? sl_strdup(w->arena, id, len) : id;
}

struct sums {
	int64_t count, measured;
	sl_time makespan, path_wait;
	int64_t slowdown;
};

static int row_put(const struct workflows *w, uint32_t row, const struct reported *of, struct sl_cell *cell,
	struct sums *sums)
{
	const bool whole = of->ended == of->jobs && of->path != SL_NONE;
	const sl_time makespan = whole ? of->end - of->submit : SL_NONE;
	const sl_time path = of->path == SL_NONE ? SL_NONE : of->path - of->submit;
	const sl_time wait = whole ? path_wait(w, of) : SL_NONE;
	const int64_t slowdown = whole && path > 0 ? sl_mul_div(makespan, SL_SECOND, path) : SL_NONE;
	const char *name = workflow_model_name_of(w, row);
	const int64_t number[] = { (int64_t)of->jobs * SL_SECOND, (int64_t)of->ended * SL_SECOND, of->submit,
		of->end, makespan, path, slowdown, wait };
	cell[0] = (struct sl_cell){ name, SL_NONE };
	for (size_t i = 0; i < SL_LEN(number); i++)
		cell[i + 1] = (struct sl_cell){ NULL, number[i] };
	sums->count++;
	if (slowdown != SL_NONE) {
		sums->measured++;
		sums->makespan += makespan;
		sums->path_wait += wait;
		sums->slowdown += slowdown;
	}
	return name ? SL_OK : SL_SYSTEM;
}

static int metrics_report(const struct sums *sums, struct sl_tally *tally, struct sl_err *err)
{
	const int64_t n = sums->measured;
	int status = sl_report_metric(tally, "workflow.count", sums->count * SL_SECOND, err);
	if (!status && n)
		status = sl_report_metric(
			tally, "workflow.makespan.mean", sl_mul_div(sums->makespan, 1, n), err);
	if (!status && n)
		status = sl_report_metric(
			tally, "workflow.slowdown.mean", sl_mul_div(sums->slowdown, 1, n), err);
	if (!status && n)
		status = sl_report_metric(
			tally, "workflow.path_wait.mean", sl_mul_div(sums->path_wait, 1, n), err);
	return status;
}

static int workflow_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "workflow", "jobs", "ended", "submit", "end", "makespan",
		"critical_path", "slowdown", "path_wait" };
	(void)sim;
	const struct workflows *w = state;
	const uint32_t count = w->jobs->count;
	struct reported *reported = calloc((size_t)count + 1, sizeof(*reported));
	if (!reported)
		return sl_fail_memory(err);
	workflow_model_gather(w, reported);
	size_t rows = 0;
	for (uint32_t row = 0; row < count; row++)
		rows += reported[row].jobs > 1;
	struct sl_cell *cell = sl_alloc(w->arena, rows * SL_LEN(column) + 1, sizeof(*cell));
	struct sums sums = { 0 };
	int status = cell ? SL_OK : SL_SYSTEM;
	size_t at = 0;
	for (uint32_t row = 0; row < count && !status; row++)
		if (reported[row].jobs > 1)
			status = row_put(w, row, &reported[row], &cell[at++ * SL_LEN(column)], &sums);
	free(reported);
	if (status)
		return sl_fail_memory(err);
	status = sl_report_add_table(tally, "workflows", column, SL_LEN(column), cell, rows, err);
	return status ? status : metrics_report(&sums, tally, err);
}

const struct sl_model model_workflow = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "workflow",
	.summary = "workflows are told of: makespans, critical paths, waiting on them",
	.init = workflow_init,
	.started = started,
	.left = left,
	.report = workflow_report,
};
