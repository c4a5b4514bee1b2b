/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences_series.c - runs as they are kept to be compared, and which of their jobs are compared: those
 * that started in all of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/differences_parts.h"

/* ---- What is kept of a run ------------------------------------------------------------------- */

static uint64_t folded_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = folded(h, (unsigned char)*text);
	return folded(h, 256);
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

/* Are all so many units, and few enough? Of a unit that is known here a division is a product. */
static bool fit(const int64_t *value, uint32_t count, int64_t unit)
{
	for (uint32_t row = 0; row < count; row++) {
		const int64_t units = unit == SL_SECOND ? value[row] / SL_SECOND : value[row];
		if (value[row] != SL_NONE &&
			(units * unit != value[row] || units <= INT32_MIN || units > INT32_MAX))
			return false;
	}
	return true;
}

/* As many, in the largest unit that they are whole ones of. unit: of these. */
static int numbers_make(struct numbers *numbers, const int64_t *value, uint32_t count, int64_t unit)
{
	static const int64_t units[] = { SL_SECOND, 1 };
	size_t u = unit == 1;
	while (u < SL_LEN(units) && !fit(value, count, units[u]))
		u++;
	if (u == SL_LEN(units)) {
		numbers->wide = malloc(((size_t)count + 1) * sizeof(*numbers->wide));
		if (numbers->wide)
			memcpy(numbers->wide, value, count * sizeof(*value));
		return numbers->wide ? SL_OK : SL_SYSTEM;
	}
	numbers->unit = units[u];
	numbers->narrow = malloc(((size_t)count + 1) * sizeof(*numbers->narrow));
	for (uint32_t row = 0; numbers->narrow && row < count; row++)
		numbers->narrow[row] = value[row] == SL_NONE ? INT32_MIN
				       : u                   ? (int32_t)value[row]
							     : (int32_t)(value[row] / SL_SECOND);
	return numbers->narrow ? SL_OK : SL_SYSTEM;
}

static void numbers_free(struct numbers *numbers)
{
	free(numbers->narrow);
	free(numbers->wide);
	*numbers = (struct numbers){ 0 };
}

void series_release(struct series *series)
{
	free(series->number);
	numbers_free(&series->submit);
	numbers_free(&series->wait);
	numbers_free(&series->turnaround);
	numbers_free(&series->run);
	numbers_free(&series->cpus);
	metrics_release(&series->metrics);
	if (series->arena)
		sl_arena_free(series->arena);
	series->arena = NULL;
}

static int keep_names(struct series *series, const struct schedule *from)
{
	const char **id = sl_alloc(series->arena, (size_t)from->count + 1, sizeof(*id));
	if (!id)
		return SL_SYSTEM;
	for (uint32_t row = 0; row < from->count; row++) {
		id[row] =
			from->id[row] ? sl_strdup(series->arena, from->id[row], strlen(from->id[row])) : NULL;
		if (from->id[row] && !id[row])
			return SL_SYSTEM;
	}
	series->jobs.id = id;
	return SL_OK;
}

/* What the jobs are. */
static int keep_jobs(struct series *series, const struct schedule *from, int64_t *value)
{
	const size_t capacity = (size_t)from->count + 1;
	series->same = from->count;
	for (uint32_t row = 0; row < from->count; row++) {
		series->same = folded(series->same, (uint64_t)from->submit[row]);
		series->same = from->id && from->id[row] ? folded_text(series->same, from->id[row])
							 : folded(series->same, (uint64_t)from->number[row]);
		value[row] = from->submit[row];
	}
	series->jobs.count = from->count;
	series->number = from->number ? malloc(capacity * sizeof(*series->number)) : NULL;
	if (numbers_make(&series->submit, value, from->count, SL_SECOND) || (from->number && !series->number))
		return SL_SYSTEM;
	if (from->number)
		memcpy(series->number, from->number, from->count * sizeof(*series->number));
	series->jobs.number = series->number;
	return from->id ? keep_names(series, from) : SL_OK;
}

void series_share(struct series *series, const struct series *first)
{
	if (first->same != series->same)
		return;
	free(series->number);
	series->number = NULL;
	numbers_free(&series->submit);
	series->jobs = (struct schedule){ .count = series->jobs.count };
}

static int series_begin(
	struct series *series, const struct schedule *from, const struct sl_metrics *metrics, int64_t *value)
{
	*series = (struct series){ .from = SL_NONE, .until = SL_NONE, .arena = sl_arena_new() };
	metrics_init(&series->metrics, series->arena, NULL);
	if (!series->arena || keep_jobs(series, from, value))
		return SL_SYSTEM;
	for (size_t i = 0; i < metrics->count; i++)
		if (!strchr(metrics->row[i].name, '{'))
			sl_metric_put(&series->metrics, metrics->row[i].name, metrics->row[i].micro);
	return series->metrics.failed ? SL_SYSTEM : SL_OK;
}

/* A run, as its columns are made: of a result, or of a file. */
struct made {
	const struct schedule *from;
	const struct sl_result *result; /* NULL: of a file. */
	struct metrics_span span;       /* Of the result. */
};

/* It is none of the jobs that the metrics are of. */
static bool is_apart(const struct made *made, uint32_t row)
{
	return made->result && !metrics_counted(&made->span, made->result, row);
}

static bool has_started(const struct made *made, uint32_t row)
{
	return !is_apart(made, row) && made->from->start[row] != SL_NONE;
}

static bool has_ended(const struct made *made, uint32_t row)
{
	return has_started(made, row) && made->from->end[row] != SL_NONE;
}

static int64_t made_wait(const struct made *made, uint32_t row)
{
	return has_started(made, row) ? made->from->start[row] - made->from->submit[row] : SL_NONE;
}

static int64_t made_turnaround(const struct made *made, uint32_t row)
{
	return has_ended(made, row) ? made->from->end[row] - made->from->submit[row] : SL_NONE;
}

static int64_t made_run(const struct made *made, uint32_t row)
{
	if (!has_ended(made, row))
		return SL_NONE;
	return made->result ? sl_run_time_of(made->result, row) : made->from->run[row];
}

static int64_t made_cpus(const struct made *made, uint32_t row)
{
	if (is_apart(made, row))
		return 0;
	if (made->result)
		return sl_cpus_of(made->result, row);
	return made->from->cpus[row] == SL_NONE ? 0 : made->from->cpus[row] / 1000000;
}

static int column_make(struct numbers *numbers, const struct made *made,
	int64_t (*of)(const struct made *made, uint32_t row), int64_t unit, int64_t *value)
{
	for (uint32_t row = 0; row < made->from->count; row++)
		value[row] = of(made, row);
	return numbers_make(numbers, value, made->from->count, unit);
}

static int series_make(
	struct series *series, const struct made *made, const struct sl_metrics *metrics, struct sl_err *err)
{
	const uint32_t count = made->from->count;
	int64_t *value = malloc(((size_t)count + 1) * sizeof(*value));
	*series = (struct series){ 0 };
	int status = value ? series_begin(series, made->from, metrics, value) : SL_SYSTEM;
	if (!status)
		status = column_make(&series->wait, made, made_wait, SL_SECOND, value);
	if (!status)
		status = column_make(&series->turnaround, made, made_turnaround, SL_SECOND, value);
	if (!status)
		status = column_make(&series->run, made, made_run, SL_SECOND, value);
	if (!status)
		status = column_make(&series->cpus, made, made_cpus, 1, value);
	for (uint32_t row = 0; row < count; row++) {
		if (is_apart(made, row))
			continue;
		if (series->from == SL_NONE)
			series->from = made->from->submit[row];
		series->until = made->from->submit[row];
	}
	free(value);
	return status ? sl_fail_memory(err) : SL_OK;
}

int series_of_result(struct series *series, const struct sl_result *result, const struct sl_metrics *metrics,
	struct sl_err *err)
{
	const struct schedule from = schedule_of(result);
	const struct made made = { &from, result, metrics_span_of(result) };
	const int status = series_make(series, &made, metrics, err);
	series->partial = result->interrupted;
	return status;
}

int series_of_file(struct series *series, const struct schedule *schedule, const struct sl_metrics *metrics,
	struct sl_err *err)
{
	const int status = series_make(series, &(struct made){ .from = schedule }, metrics, err);
	series->read = true;
	return status;
}

double series_figure(const struct series *series, enum figure figure, uint32_t row)
{
	row = series->matched ? series->matched[row] : row;
	if (figure == WAIT) {
		const sl_time wait = number_at(&series->wait, row);
		return wait == SL_NONE ? (double)NAN : (double)wait / (double)SL_SECOND;
	}
	const sl_time turnaround = number_at(&series->turnaround, row);
	const sl_time run = number_at(&series->run, row);
	if (turnaround == SL_NONE || run == SL_NONE || (figure == SLOWDOWN && run <= 0))
		return (double)NAN;
	if (figure == TURNAROUND)
		return (double)turnaround / (double)SL_SECOND;
	if (figure == SLOWDOWN)
		return (double)turnaround / (double)run;
	const sl_time least = 10 * SL_SECOND;
	const double bounded = (double)turnaround / (double)(run > least ? run : least);
	return bounded > 1 ? bounded : 1;
}

/* ---- The same jobs --------------------------------------------------------------------------- */

/* Whose ids the first has, by their order among those of one id. */
static int series_match(struct differences *all, struct series *series, struct sl_err *err)
{
	const struct series *first = &all->series[0];
	struct matched matched = { 0 };
	if (series->same == first->same)
		return SL_OK;
	const int status = schedules_match(
		&matched, (const struct schedule[]){ first->jobs, series->jobs }, all->arena, err);
	uint32_t *row = status ? NULL : sl_alloc(all->arena, (size_t)first->jobs.count + 1, sizeof(*row));
	if (!row)
		return status ? status : sl_fail_memory(err);
	for (uint32_t i = 0; i < first->jobs.count; i++)
		row[i] = UINT32_MAX;
	for (uint32_t i = 0; i < matched.count; i++)
		row[matched.row[0][i]] = matched.row[1][i];
	series->matched = row;
	return SL_OK;
}

static bool started(const struct series *series, uint32_t row)
{
	row = series->matched ? series->matched[row] : row;
	return row != UINT32_MAX && number_at(&series->wait, row) != SL_NONE;
}

/* Those of a run that started. */
static uint32_t starts_of(const struct series *series)
{
	uint32_t count = 0;
	for (uint32_t row = 0; row < series->jobs.count; row++)
		count += number_at(&series->wait, row) != SL_NONE;
	return count;
}

static int find_common(struct differences *all, struct sl_err *err)
{
	const uint32_t count = all->series[0].jobs.count;
	uint32_t some = 0;
	all->common = sl_alloc(all->arena, (size_t)count + 1, sizeof(*all->common));
	if (!all->common)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < count; row++) {
		size_t in = 0;
		for (size_t run = 0; run < all->courses; run++)
			in += started(&all->series[run], row);
		if (in == all->courses)
			all->common[all->common_count++] = row;
		some += in && in < all->courses;
	}
	/* Nor has the first all that others have. */
	for (size_t run = 1; run < all->courses; run++) {
		const struct series *series = &all->series[run];
		uint32_t known = 0;
		for (uint32_t row = 0; row < count; row++)
			known += started(series, row);
		const uint32_t other = starts_of(series) - known;
		some = other > some ? other : some;
	}
	all->apart_count = some;
	return SL_OK;
}

/* What became of the jobs differs, by count. */
static bool ends_differ(const struct differences *all)
{
	for (size_t i = 0; compared_counts[i]; i++)
		for (size_t run = 1; run < all->courses; run++) {
			const int64_t *a = metrics_get(&all->series[0].metrics, compared_counts[i]);
			const int64_t *b = metrics_get(&all->series[run].metrics, compared_counts[i]);
			if ((a ? *a : 0) != (b ? *b : 0))
				return true;
		}
	return false;
}

/* ---- Metrics over the common jobs ---------------------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

static int restate(struct differences *all, size_t run, const char *metric, int64_t micro, struct sl_err *err)
{
	const int status =
		SL_GROW_MOST(all->restated, all->restated_capacity, all->restated_count + 1, UINT32_MAX, err);
	if (status)
		return status;
	all->restated[all->restated_count++] = (struct sl_restated){ metric, (uint32_t)run, micro };
	return SL_OK;
}

/* value: an array for all. */
static int restate_metric(struct differences *all, size_t run, const struct displayed_way *way, double *value,
	struct sl_err *err)
{
	size_t count = 0;
	double sum = 0;
	for (uint32_t i = 0; i < all->common_count; i++) {
		const double is = series_figure(&all->series[run], way->figure, all->common[i]);
		if (isnan(is))
			continue;
		sum += is;
		value[count++] = is;
	}
	if (!count)
		return SL_OK;
	if (way->way == BY_MEAN)
		return restate(all, run, way->name, difference_micro(sum / (double)count), err);
	qsort(value, count, sizeof(*value), compare_double);
	const size_t rank = (count * way->hundredth + 99) / 100;
	return restate(all, run, way->name, (int64_t)floor(value[rank - 1] * 1e6 + 0.5), err);
}

static int restate_all(struct differences *all, struct sl_err *err)
{
	double *value = malloc(((size_t)all->common_count + 1) * sizeof(*value));
	int status = value ? SL_OK : sl_fail_memory(err);
	for (size_t run = 0; run < all->courses && !status; run++) {
		for (size_t i = 0; i < difference_way_count && !status; i++)
			if (difference_ways[i].hundredth || difference_ways[i].way == BY_MEAN)
				status = restate_metric(all, run, &difference_ways[i], value, err);
		if (!status)
			status =
				restate(all, run, "jobs.compared", (int64_t)all->common_count * 1000000, err);
	}
	free(value);
	return status;
}

const int64_t *series_metric(const struct differences *all, size_t run, const char *name)
{
	for (size_t i = 0; i < all->restated_count; i++)
		if (all->restated[i].run == run && strcmp(all->restated[i].metric, name) == 0)
			return &all->restated[i].micro;
	return metrics_get(&all->series[run].metrics, name);
}

/* A count that any run has: 0 in those that have none. */
static int restate_counts(struct differences *all, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; compared_counts[i]; i++) {
		size_t some = 0;
		for (size_t run = 0; run < all->courses; run++)
			some += metrics_get(&all->series[run].metrics, compared_counts[i]) != NULL;
		for (size_t run = 0; run < all->courses && some && some < all->courses && !status; run++)
			if (!metrics_get(&all->series[run].metrics, compared_counts[i]))
				status = restate(all, run, compared_counts[i], 0, err);
	}
	return status;
}

/* Utilizations of all are of the first's scarcest resource. */
static int restate_resource(struct differences *all, struct sl_err *err)
{
	static const char *const names[] = { "utilization", "loss_of_capacity" };
	const char *resource = resource_scarcest(&all->series[0].metrics);
	int status = SL_OK;
	for (size_t run = 1; run < all->courses && !status; run++) {
		struct series *series = &all->series[run];
		if (!resource_take(&series->metrics, resource))
			continue;
		all->resource = resource;
		for (size_t i = 0; i < SL_LEN(names) && !status; i++) {
			const int64_t *value = metrics_get(&series->metrics, names[i]);
			if (value)
				status = restate(all, run, names[i], *value, err);
		}
	}
	return status;
}

/* Some run has none of that resource, or of the scarcest alone. */
static bool is_left_out(const struct differences *all, const char *metric)
{
	if (!all->resource ||
		(strncmp(metric, "utilization", 11) != 0 && strncmp(metric, "loss_of_capacity", 16) != 0))
		return false;
	for (size_t run = 0; run < all->courses; run++)
		if (!metrics_get(&all->series[run].metrics, metric))
			return true;
	return false;
}

/* Of which resource it is. */
static int metric_info_take(struct sl_metric_info *kept, const struct sl_metric_info *metric_info,
	const struct differences *all, size_t *count)
{
	char text[200];
	if (is_left_out(all, metric_info->name))
		return SL_OK;
	kept[*count] = *metric_info;
	if (all->resource && strncmp(metric_info->title, "of the scarcest resource", 24) == 0) {
		const char *word = resource_word(all->resource);
		(void)snprintf(text, sizeof(text), "%s of %s", metric_info->heading, word);
		kept[*count].heading = sl_strdup(all->arena, text, strlen(text));
		(void)snprintf(text, sizeof(text), "of %s, the first run's scarcest resource%s", word,
			metric_info->title + 24);
		kept[*count].title = sl_strdup(all->arena, text, strlen(text));
		if (!kept[*count].heading || !kept[*count].title)
			return SL_SYSTEM;
	}
	(*count)++;
	return SL_OK;
}

const struct sl_metric_info *differences_metric_info(const struct differences *all, size_t *count)
{
	static const struct sl_metric_info counted[] = {
		{ "jobs.total", "jobs", "submitted, and not dropped when read", "count", 0 },
		{ "jobs.compared", "compared", "ran in all runs: of these are waits, turnarounds, slowdowns",
			"count", 0 },
		{ "jobs.refused", "refused", "at submission, as nothing could ever hold them", "count", 0 },
		{ "jobs.never_started", "never started", "when the run was over", "count", 0 },
		{ "jobs.cut", "cut", "by their time limit", "count", 0 },
		{ "jobs.lost", "lost", "ended in another way than completed", "count", 0 },
		{ "jobs.unfinished", "unfinished", "started, and not over when the run was", "count", 0 },
	};
	size_t given;
	const struct sl_metric_info *metric_info = reporting_metric_info(&given);
	*count = 0;
	struct sl_metric_info *kept = sl_alloc(all->arena, given + SL_LEN(counted), sizeof(*kept));
	if (!kept)
		return NULL;
	for (size_t i = 0; i < SL_LEN(counted); i++) {
		bool any = false;
		for (size_t run = 0; run < all->courses; run++) {
			const int64_t *value = series_metric(all, run, counted[i].name);
			const int64_t *first = series_metric(all, 0, counted[i].name);
			any |= i ? value && *value : value && first && *value != *first;
		}
		if (any)
			kept[(*count)++] = counted[i];
	}
	for (size_t i = 0; i < given; i++)
		if (metric_info_take(kept, &metric_info[i], all, count))
			return NULL;
	return kept;
}

static int words_make(struct differences *all, struct sl_err *err)
{
	char text[320];
	char number[2][48];
	(void)screen_number(number[0], (int64_t)all->common_count * 1000000, 0);
	(void)screen_number(number[1], (int64_t)all->apart_count * 1000000, 0);
	if (all->apart_count)
		(void)snprintf(text, sizeof(text),
			"waits, turnarounds and slowdowns are over the %s jobs that ran in all; %s ran in some "
			"only, so no run is better than another",
			number[0], number[1]);
	else
		(void)snprintf(text, sizeof(text),
			"not all jobs ended alike in all runs, so no run is better than another");
	all->words = sl_strdup(all->arena, text, strlen(text));
	return all->words ? SL_OK : sl_fail_memory(err);
}

int courses_align(struct differences *all, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t run = 1; run < all->courses && !status; run++)
		status = series_match(all, &all->series[run], err);
	if (!status)
		status = find_common(all, err);
	for (size_t run = 0; run < all->courses && !status; run++) {
		struct series *series = &all->series[run];
		for (uint32_t i = 0; i < all->common_count; i++) {
			const uint32_t row =
				series->matched ? series->matched[all->common[i]] : all->common[i];
			const sl_time ran = number_at(&series->run, row);
			if (ran != SL_NONE)
				series->held += (unsigned __int128)ran *
						(unsigned __int128)number_at(&series->cpus, row);
		}
		all->slower |= series->held != all->series[0].held;
	}
	if (status)
		return status;
	all->apart = all->apart_count || ends_differ(all);
	status = restate_resource(all, err);
	if (!status)
		status = restate_counts(all, err);
	if (!status && all->apart_count)
		status = restate_all(all, err);
	return status || !all->apart ? status : words_make(all, err);
}
