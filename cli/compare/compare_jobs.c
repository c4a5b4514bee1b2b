/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_jobs.c - the metrics of rows over the jobs that ran in all of them, where other jobs ran in some.
 *
 * Waits, turnarounds, slowdowns and run times of a group, or of a selector, are recomputed from the run's
 * result as if the other jobs had not started; where the result is not at hand there are none, rather than
 * those of other jobs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"

void compare_restate(struct sl_metrics *metrics, const struct sl_restated *as)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->row[i].name, as->metric) == 0) {
			metrics->row[i].micro = as->micro;
			return;
		}
	sl_metric_put(metrics, as->metric, as->micro);
}

/* Of those that are of jobs the values found, or nothing. */
static void put_over(struct sl_metrics *metrics, const struct sl_metrics *found)
{
	size_t kept = 0;
	size_t own = 0;
	for (size_t i = 0; i < metrics->count; i++) {
		struct metric_row row = metrics->row[i];
		const bool over = metric_is_of_waits(row.name);
		const int64_t *micro = over ? metrics_get(found, row.name) : NULL;
		if (over && !micro)
			continue;
		row.micro = micro ? *micro : row.micro;
		own += i < metrics->own;
		metrics->row[kept++] = row;
	}
	metrics->count = kept;
	metrics->own = own;
}

/* The result with the starts and ends of common jobs alone: the caller frees these. */
static int result_masked(struct sl_result *masked, sl_time **start, sl_time **end,
	const struct differences *differences, size_t row, struct sl_err *err)
{
	const uint32_t count = masked->jobs->count;
	bool *common = calloc((size_t)count + 1, sizeof(*common));
	*start = malloc(((size_t)count + 1) * sizeof(**start));
	*end = malloc(((size_t)count + 1) * sizeof(**end));
	if (!common || !*start || !*end) {
		free(common);
		return sl_fail_memory(err);
	}
	differences_mark_common(differences, row, common);
	for (uint32_t i = 0; i < count; i++) {
		(*start)[i] = common[i] ? masked->start[i] : SL_NONE;
		(*end)[i] = common[i] ? masked->end[i] : SL_NONE;
	}
	masked->start = *start;
	masked->end = *end;
	free(common);
	return SL_OK;
}

static int metrics_over(struct sl_metrics *found, const struct run *run, const struct sl_result *masked,
	const struct args *args, struct sl_err *err)
{
	static const char *const names[] = { "wait", "slowdown", "groups" };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(names) && !status; i++) {
		const struct sl_metric *metric = sl_by_name(args->registry->known.metrics, names[i]);
		status = metric->compute(masked, found, err);
	}
	return status ? status : selected_put(found, run->scenario, masked, args, err);
}

/* As it was, without what was recorded of it. */
static int run_again(struct run *run, struct sl_err *err)
{
	struct sim_options options = run->options;
	if (run->sim.result.jobs)
		return SL_OK;
	options.record = 0;
	options.progress = NULL;
	return sim_run(&run->sim, &options, err);
}

int compare_over_common(struct sl_metrics *metrics, struct run *run, const struct differences *differences,
	size_t row, const struct args *args, struct sl_err *err)
{
	struct sl_metrics found;
	sl_time *start = NULL;
	sl_time *end = NULL;
	int status = run ? run_again(run, err) : SL_OK;
	metrics_init(&found, metrics->arena, NULL);
	found.plain = metrics->plain;
	if (run && !status) {
		struct sl_result masked = run->sim.result;
		status = result_masked(&masked, &start, &end, differences, row, err);
		if (!status)
			status = metrics_over(&found, run, &masked, args, err);
		free(start);
		free(end);
	}
	if (!status && found.failed)
		status = sl_fail_memory(err);
	if (!status)
		put_over(metrics, &found);
	metrics_release(&found);
	return status;
}

/* Utilizations of all rows are of the first's scarcest resource. */
static void rows_of_resource(struct comparison *all)
{
	const char *resource = resource_scarcest(&all->row[0].metrics);
	for (size_t row = 1; row < all->count; row++)
		if (resource_take(&all->row[row].metrics, resource))
			all->resource = resource;
}

/* The i-th run of that row. */
static struct sl_metrics *sample_of(const struct comparison *all, size_t row, size_t i)
{
	return all->windows ? &all->windows[row].done[i].metrics
			    : &all->replication[i * all->count + row].metrics;
}

void compare_samples_resource(struct comparison *all)
{
	const char *resource = resource_scarcest(sample_of(all, 0, 0));
	for (size_t row = 0; row < all->count; row++)
		for (size_t i = 0; i < all->each; i++)
			if (resource_take(sample_of(all, row, i), resource))
				all->resource = resource;
	for (size_t row = 0; row < all->count && all->resource; row++) {
		for (size_t i = 0; i < all->each; i++)
			resource_alone(sample_of(all, row, i));
		(void)resource_take(&all->row[row].metrics, resource); /* Of windows; of others they come. */
		resource_alone(&all->row[row].metrics);
	}
}

int compare_rows_common(struct comparison *all, struct sl_err *err)
{
	int status = SL_OK;
	if (!all->replication && !all->windows)
		rows_of_resource(all);
	uint32_t apart;
	(void)differences_common(all->differences, &apart);
	for (size_t row = 0; row < all->count && apart && !status; row++)
		status = compare_over_common(&all->row[row].metrics, all->run ? &all->run[row] : NULL,
			all->differences, row, all->args, err);
	if (!status && apart && !all->run && arg(all->args, "metric"))
		talk("what --metric asks for is left out: other jobs ran in some runs, and stored runs have it over "
		     "their own jobs only");
	for (size_t i = 0; i < all->reported.restated_count; i++)
		compare_restate(&all->row[all->reported.restated[i].run].metrics, &all->reported.restated[i]);
	return status;
}
