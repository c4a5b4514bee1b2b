/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg_keep.c - what a chart keeps of a run, bounded whatever its size.
 *
 * Steps beyond SVG_POINTS become means over equal intervals of time; waits become quantiles (nearest rank);
 * bars beyond SVG_SHAPES a grid of how much of its rows was in use; groups beyond the largest are one.
 */
#include "reports/export/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double seconds(sl_time time) { return (double)time / 1e6; }

static bool series_new(struct svg_series *series, size_t points)
{
	series->x = calloc(points + 1, sizeof(*series->x));
	series->y = calloc(points + 1, sizeof(*series->y));
	return series->x && series->y;
}

/* ---- Over time ---------------------------------------------------------------------------- */

static double of_point(const struct sl_usage_point *point, enum svg_kind kind, unsigned which)
{
	if (kind == SVG_QUEUE)
		return which ? (double)point->cpus_queued : (double)point->queued;
	return which ? (double)point->gpus_busy : (double)point->cpus_busy;
}

/* Adds value over [from, until) to bins over [first, last), as value times seconds. */
static void svg_keep_spread(double *bin, size_t bins, const double range[2], const double of[2], double value)
{
	const double width = (range[1] - range[0]) / (double)bins;
	const double from = of[0] > range[0] ? of[0] : range[0];
	const double until = of[1] < range[1] ? of[1] : range[1];
	if (!(until > from) || !(width > 0))
		return;
	size_t i = (size_t)((from - range[0]) / width);
	for (; i < bins && range[0] + (double)i * width < until; i++) {
		const double left = range[0] + (double)i * width;
		const double begin = from > left ? from : left;
		const double end = until < left + width ? until : left + width;
		if (end > begin)
			bin[i] += value * (end - begin);
	}
}

static void keep_series(
	struct svg_run *run, const struct sl_result *result, enum svg_kind kind, unsigned which)
{
	struct svg_series *series = &run->series[which];
	const double factor = kind == SVG_QUEUE ? 1 / run->whole[which] : 100 / run->whole[which];
	const double range[2] = { run->first, run->last };
	series->joined = result->usage_count > SVG_POINTS;
	if (!series->x || !series->y)
		return;
	struct sl_usage_reader reader = { .result = result };
	for (size_t i = 0; i < result->usage_count; i++) {
		const struct sl_usage_point *point = sl_usage_at(&reader, i);
		const double value = of_point(point, kind, which) * factor;
		const double at = seconds(point->at);
		if (series->joined) {
			const double until = i + 1 < result->usage_count
						     ? seconds(sl_usage_at(&reader, i + 1)->at)
						     : run->last;
			svg_keep_spread(series->y, SVG_POINTS, range, (double[]){ at, until }, value);
			continue;
		}
		series->count -= series->count && series->x[series->count - 1] == at;
		series->x[series->count] = at;
		series->y[series->count++] = value;
	}
	if (!series->joined)
		return;
	series->count = SVG_POINTS;
	const double width = (range[1] - range[0]) / SVG_POINTS;
	for (size_t i = 0; i < SVG_POINTS; i++) {
		series->x[i] = range[0] + (double)i * width;
		series->y[i] /= width > 0 ? width : 1;
	}
}

int svg_keep_steps(
	struct svg_run *run, const struct sl_result *result, enum svg_kind kind, struct sl_err *err)
{
	const double parts = result->cluster ? (double)sl_parts(result->cluster->cpu_parts) : 1;
	run->whole[0] = kind == SVG_QUEUE ? 1 : (double)result->cpus;
	run->whole[1] = kind == SVG_QUEUE         ? parts
			: export_on_nodes(result) ? (double)result->cluster->gpus
						  : 0;
	for (unsigned i = 0; i < SVG_SERIES; i++) {
		if (!(run->whole[i] > 0))
			continue;
		if (!series_new(&run->series[i], SVG_POINTS))
			return sl_fail_memory(err);
		keep_series(run, result, kind, i);
	}
	return SL_OK;
}

/* ---- Distributions --------------------------------------------------------------------------- */

static int svg_keep_ascending(const void *left, const void *right)
{
	const double a = *(const double *)left;
	const double b = *(const double *)right;
	return (a > b) - (a < b);
}

/* Seconds waited; or max(1, turnaround / max(run, 10 s)), of those that ended. False: not of this job. */
static bool cdf_value(const struct sl_result *result, uint32_t job, enum svg_kind kind, double *value)
{
	const sl_time submit = result->jobs->submit[job];
	if (result->start[job] == SL_NONE)
		return false;
	*value = seconds(result->start[job] - submit);
	if (kind == SVG_WAIT_CDF)
		return true;
	if (result->end[job] == SL_NONE)
		return false;
	const double run = seconds(sl_run_time_of(result, job));
	*value = seconds(result->end[job] - submit) / (run > 10 ? run : 10);
	*value = *value > 1 ? *value : 1;
	return true;
}

int svg_keep_survival(struct svg_run *run, const struct sl_result *result, struct sl_err *err)
{
	struct svg_series *series = &run->series[0];
	double *value = calloc(result->jobs->count + (size_t)1, sizeof(*value));
	if (!value || !series_new(series, SVG_QUANTILES)) {
		free(value);
		return sl_fail_memory(err);
	}
	size_t count = 0;
	for (uint32_t job = 0; job < result->jobs->count; job++)
		count += cdf_value(result, job, SVG_WAIT_CDF, &value[count]);
	qsort(value, count, sizeof(*value), svg_keep_ascending);
	/* At the k-th value, (count - k) of count waited so long or longer; the last point is of the longest.
	 */
	for (size_t i = 0; i < SVG_QUANTILES && count; i++) {
		const double left = pow((double)count, 1 - (double)i / (SVG_QUANTILES - 1));
		const size_t longer = (size_t)floor(left + 0.5);
		const size_t k = count - (longer > count ? count : longer ? longer : 1);
		const double at = value[k];
		size_t first = k; /* Of those that waited as long. */
		while (first && value[first - 1] == at)
			first--;
		series->count -= series->count && series->x[series->count - 1] == at;
		series->x[series->count] = at;
		series->y[series->count++] = (double)(count - first) / (double)count;
	}
	free(value);
	return SL_OK;
}

int svg_keep_cdf(struct svg_run *run, const struct sl_result *result, enum svg_kind kind, struct sl_err *err)
{
	struct svg_series *series = &run->series[0];
	double *value = calloc(result->jobs->count + (size_t)1, sizeof(*value));
	if (!value || !series_new(series, SVG_QUANTILES)) {
		free(value);
		return sl_fail_memory(err);
	}
	size_t count = 0;
	for (uint32_t job = 0; job < result->jobs->count; job++)
		count += cdf_value(result, job, kind, &value[count]);
	qsort(value, count, sizeof(*value), svg_keep_ascending);
	const size_t points = count < SVG_QUANTILES ? count : SVG_QUANTILES;
	for (size_t i = 0; i < points; i++) {
		/* The (i+1)/points quantile: of rank ceil(share * count). */
		const size_t rank = ((i + 1) * count + points - 1) / points;
		series->x[i] = value[rank - 1];
		series->y[i] = 100.0 * (double)(i + 1) / (double)points;
	}
	series->count = points;
	run->whole[0] = (double)count;
	free(value);
	return SL_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const char *const svg_wait_name[SVG_WAITS] = { "waited up to 1 min", "up to 1 h", "up to 6 h", "up to 1 d",
	"longer" };
const char *const svg_wait_colour[SVG_WAITS] = { "#a9c9e3", "#56a0d3", "#e6b35a", "#d9702c", "#8c2d19" };

static uint32_t wait_class(sl_time wait)
{
	static const int64_t most[] = { 60, 3600, 21600, 86400 };
	uint32_t class = 0;
	while (class < SL_LEN(most) && wait > most[class] * SL_SECOND)
		class ++;
	return class;
}

struct keeping {
	struct svg_run *run;
	const struct sl_result *result;
	uint32_t *lanes;  /* By node: the most at a time. */
	double *capacity; /* By row of the grid. */
	bool failed;
};

static uint32_t grid_row(const struct svg_run *run, uint32_t row)
{
	return (uint32_t)((uint64_t)row * run->grid_rows / run->rows);
}

static void keep_grid(struct keeping *keeping, const struct export_bar *bar)
{
	struct svg_run *run = keeping->run;
	const double range[2] = { run->first, run->last };
	const double of[2] = { seconds(bar->of.from), seconds(bar->of.until) };
	if (export_on_nodes(keeping->result)) {
		double *row = run->grid + (size_t)grid_row(run, bar->row) * SVG_GRID_COLUMNS;
		svg_keep_spread(row, SVG_GRID_COLUMNS, range, of, (double)bar->cpus);
		return;
	}
	for (uint32_t i = bar->row; i < bar->row + bar->height && i < run->rows;) {
		const uint32_t row = grid_row(run, i);
		uint32_t same = 0;
		while (i < bar->row + bar->height && i < run->rows && grid_row(run, i) == row) {
			i++;
			same++;
		}
		svg_keep_spread(
			run->grid + (size_t)row * SVG_GRID_COLUMNS, SVG_GRID_COLUMNS, range, of, same);
	}
}

static void keep_bar(void *self, const struct export_bar *bar)
{
	struct keeping *keeping = self;
	struct svg_run *run = keeping->run;
	const struct sl_result *result = keeping->result;
	const uint32_t job = bar->of.job;
	const bool nodes = export_on_nodes(result);
	if (nodes && bar->row >= run->rows) {
		run->elsewhere++;
		return;
	}
	keep_grid(keeping, bar);
	if (nodes && bar->lane + 1 > keeping->lanes[bar->row])
		keeping->lanes[bar->row] = bar->lane + 1;
	if (run->bars++ >= SVG_SHAPES)
		return;
	struct svg_box *box = &run->box[run->boxes++];
	*box = (struct svg_box){ seconds(bar->of.from), seconds(bar->of.until), nodes ? bar->lane : bar->row,
		bar->height, wait_class(result->start[job] - result->jobs->submit[job]), NULL };
	if (nodes)
		box->height = bar->row; /* Until the lanes of all nodes are known. */
	if (run->boxes > SVG_TITLES)
		return;
	box->id = export_id(result->jobs, job);
	keeping->failed |= !box->id;
}

/* Boxes of nodes become slices of their rows. */
static void settle_lanes(struct keeping *keeping)
{
	for (size_t i = 0; i < keeping->run->boxes; i++) {
		struct svg_box *box = &keeping->run->box[i];
		const uint32_t node = (uint32_t)box->height;
		const double lanes = keeping->lanes[node];
		box->row = (double)node + box->row / lanes;
		box->height = 1 / lanes;
	}
}

static void settle_grid(struct keeping *keeping)
{
	struct svg_run *run = keeping->run;
	const struct sl_result *result = keeping->result;
	const double width = (run->last - run->first) / SVG_GRID_COLUMNS;
	for (uint32_t i = 0; i < run->rows; i++) {
		const struct sl_cluster *cluster = result->cluster;
		keeping->capacity[grid_row(run, i)] +=
			export_on_nodes(result)
				? (double)cluster->type[cluster->node_type[i]].amount[SL_KIND_CPUS]
				: 1;
	}
	for (size_t i = 0; i < (size_t)run->grid_rows * SVG_GRID_COLUMNS; i++) {
		const double most = keeping->capacity[i / SVG_GRID_COLUMNS] * width;
		run->grid[i] = most > 0 ? run->grid[i] / most : 0;
	}
}

static bool name_rows(struct svg_run *run, const struct sl_result *result)
{
	const uint32_t names = run->rows < SVG_ROW_NAMES ? run->rows : SVG_ROW_NAMES;
	for (uint32_t i = 0; i < names; i++) {
		char number[32];
		const uint32_t row = names > 1 ? (uint32_t)((uint64_t)i * (run->rows - 1) / (names - 1)) : 0;
		*sl_put_i64(number, row) = '\0';
		run->row_name[i] =
			export_clean(export_on_nodes(result) ? result->cluster->node_name[row] : number, 11);
		if (!run->row_name[i])
			return false;
	}
	return true;
}

/* Of each window its runs of neighbouring nodes, as far as they lie in the run. */
static bool keep_windows(struct svg_run *run, const struct sl_cluster *cluster)
{
	static const char *const kind[] = { "reserved", "maintenance", "outage", "state" };
	enum { MOST = 2000 };
	run->window = calloc(MOST, sizeof(*run->window));
	for (uint32_t w = 0; run->window && w < cluster->window_count; w++) {
		const struct sl_window *window = &cluster->window[w];
		const double from = fmax(seconds(window->from), run->first);
		const double until =
			window->until == SL_NEVER ? run->last : fmin(seconds(window->until), run->last);
		for (uint32_t i = 0; i < window->node_count && until > from && run->windows < MOST;) {
			uint32_t end = i + 1;
			while (end < window->node_count && window->node[end] == window->node[end - 1] + 1)
				end++;
			run->window[run->windows++] = (struct svg_range){ from, until, window->node[i],
				end - i, kind[window->kind] };
			i = end;
		}
	}
	return run->window;
}

int svg_keep_rows(struct svg_run *run, const struct sl_result *result, struct sl_err *err)
{
	run->rows = export_rows(result);
	run->grid_rows = run->rows < SVG_GRID_ROWS ? run->rows : SVG_GRID_ROWS;
	run->box = calloc(SVG_SHAPES, sizeof(*run->box));
	run->grid = calloc((size_t)run->grid_rows * SVG_GRID_COLUMNS + 1, sizeof(*run->grid));
	const bool windows = !export_on_nodes(result) || keep_windows(run, result->cluster);
	struct keeping keeping = { .run = run,
		.result = result,
		.lanes = calloc(run->rows + (size_t)1, sizeof(uint32_t)),
		.capacity = calloc(run->grid_rows + (size_t)1, sizeof(double)) };
	int status = windows && run->box && run->grid && keeping.lanes && keeping.capacity &&
				     name_rows(run, result)
			     ? export_bars(result, keep_bar, &keeping, err)
			     : sl_fail_memory(err);
	if (!status && keeping.failed)
		status = sl_fail_memory(err);
	if (!status) {
		if (export_on_nodes(result))
			settle_lanes(&keeping);
		settle_grid(&keeping);
	}
	free(keeping.lanes);
	free(keeping.capacity);
	return status;
}

/* ---- Groups ------------------------------------------------------------------------------------- */

struct group {
	double used; /* cpu-seconds */
	int32_t number;
};

static int by_use(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;
	return a->used != b->used ? (a->used > b->used ? -1 : 1)
				  : (a->number > b->number) - (a->number < b->number);
}

static int svg_keep_by_number(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

/* Whose jobs are told apart: accounts, where jobs have one, else users. */
static const int32_t *svg_keep_column_of(
	const struct sl_jobs *jobs, const char *const **names, const char **by)
{
	for (uint32_t job = 0; job < jobs->count; job++) {
		if (jobs->account[job] < 0 || jobs->account[job] == jobs->account[0])
			continue;
		*names = jobs->account_name;
		*by = "account";
		return jobs->account;
	}
	*names = jobs->user_name;
	*by = "user";
	return jobs->user;
}

/* Each number of the column once, with what its jobs used, most first. */
static size_t rank_groups(struct group *group, size_t count)
{
	qsort(group, count, sizeof(*group), svg_keep_by_number);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept && group[kept - 1].number == group[i].number)
			group[kept - 1].used += group[i].used;
		else
			group[kept++] = group[i];
	}
	qsort(group, kept, sizeof(*group), by_use);
	return kept;
}

static bool name_groups(
	struct svg_run *run, const struct group *group, size_t count, const char *const *names)
{
	const size_t reported = count > SVG_GROUPS ? SVG_GROUPS - 1 : count;
	for (size_t i = 0; i < reported; i++) {
		run->group[i] = export_name(names, group[i].number);
		if (!run->group[i])
			run->group[i] = export_clean("(none)", 0);
		if (!run->group[i])
			return false;
	}
	run->groups = (uint32_t)reported;
	if (count > reported)
		run->group[run->groups++] = export_clean("others", 0);
	run->others = count > reported;
	return !run->groups || run->group[run->groups - 1];
}

/* Of those that have a colour of their own, by the names that the cluster has for them. */
static bool query_entitlement(struct svg_run *run, const struct sl_document_run *reported,
	const struct group *group, const char *const *names)
{
	char digits[SVG_GROUPS + 1][32];
	const char *name[SVG_GROUPS + 1];
	uint32_t of[SVG_GROUPS + 1];
	double share[SVG_GROUPS + 1];
	uint32_t count = 0;
	for (uint32_t i = 0; i < run->groups; i++) {
		run->entitlement[i] = -1;
		if ((i + 1 == run->groups && run->others) || group[i].number < 0)
			continue;
		*sl_put_i64(digits[count], group[i].number) = '\0';
		name[count] = names ? names[group[i].number] : digits[count];
		of[count++] = i;
	}
	run->entitlement_rule = sl_entitlement(reported, run->grouped_by, name, count, share);
	for (uint32_t i = 0; i < count && run->entitlement_rule; i++)
		run->entitlement[of[i]] = share[i];
	return run->entitlement_rule;
}

int svg_keep_shares(struct svg_run *run, const struct sl_document_run *reported, struct sl_err *err)
{
	const struct sl_result *result = reported->result;
	struct export_interval *interval;
	size_t count;
	const char *const *names;
	const int32_t *column = svg_keep_column_of(result->jobs, &names, &run->grouped_by);
	const int status = export_intervals(result, &interval, &count, err);
	if (status)
		return status;
	struct group *group = calloc(count + 1, sizeof(*group));
	run->used = calloc((size_t)SVG_GROUPS * SVG_BINS, sizeof(*run->used));
	for (size_t i = 0; group && i < count; i++) {
		const uint32_t job = interval[i].job;
		group[i] = (struct group){ (double)sl_cpus_of(result, job) *
						   seconds(interval[i].until - interval[i].from),
			column[job] };
	}
	const size_t groups = group ? rank_groups(group, count) : 0;
	if (!group || !run->used || !name_groups(run, group, groups, names) ||
		!query_entitlement(run, reported, group, names)) {
		free(group);
		free(interval);
		return sl_fail_memory(err);
	}
	const double range[2] = { run->first, run->last };
	const double factor = SVG_BINS / ((run->last - run->first) * (double)result->cpus);
	for (size_t i = 0; i < count; i++) {
		const uint32_t job = interval[i].job;
		uint32_t place = 0;
		while (place + 1 < run->groups && group[place].number != column[job])
			place++;
		svg_keep_spread(run->used + (size_t)place * SVG_BINS, SVG_BINS, range,
			(double[]){ seconds(interval[i].from), seconds(interval[i].until) },
			100 * factor * (double)sl_cpus_of(result, job));
	}
	free(group);
	free(interval);
	return SL_OK;
}

/* By how many hours; 0: not at all. */
static double hours_missed(const struct sl_result *result, uint32_t job)
{
	const bool known = result->start[job] != SL_NONE && result->fair_start[job] != SL_NONE;
	return known && result->start[job] > result->fair_start[job]
		       ? seconds(result->start[job] - result->fair_start[job]) / 3600
		       : 0;
}

int svg_keep_unfairness(struct svg_run *run, const struct sl_result *result, struct sl_err *err)
{
	enum { PERIODS = 30 }; /* Jobs are few in a bin, and their sum would be all spikes. */
	const struct sl_jobs *jobs = result->jobs;
	struct group *group = calloc(jobs->count + (size_t)1, sizeof(*group));
	size_t count = 0;
	run->grouped_by = "user";
	run->entitlement_rule = "";
	run->used = calloc((size_t)SVG_GROUPS * SVG_BINS, sizeof(*run->used));
	for (uint32_t job = 0; group && result->fair_start && job < jobs->count; job++)
		if (hours_missed(result, job) > 0)
			group[count++] = (struct group){ hours_missed(result, job), jobs->user[job] };
	const size_t groups = group ? rank_groups(group, count) : 0;
	if (!group || !run->used || !name_groups(run, group, groups, jobs->user_name)) {
		free(group);
		return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < run->groups; i++)
		run->entitlement[i] = -1;
	for (uint32_t job = 0; count && job < jobs->count; job++) {
		const double share = (seconds(jobs->submit[job]) - run->first) / (run->last - run->first);
		const size_t period = share < 0 ? 0 : share < 1 ? (size_t)(share * PERIODS) : PERIODS - 1;
		uint32_t place = 0;
		while (place + 1 < run->groups && group[place].number != jobs->user[job])
			place++;
		double *bin = run->used + (size_t)place * SVG_BINS + period * (SVG_BINS / PERIODS);
		for (size_t i = 0; i < SVG_BINS / PERIODS; i++)
			bin[i] += hours_missed(result, job);
	}
	free(group);
	return SL_OK;
}

void svg_let_go(struct svg_run *run)
{
	for (unsigned i = 0; i < SVG_SERIES; i++) {
		free(run->series[i].x);
		free(run->series[i].y);
	}
	for (size_t i = 0; i < run->boxes; i++)
		free(run->box[i].id);
	for (unsigned i = 0; i < SVG_ROW_NAMES; i++)
		free(run->row_name[i]);
	for (unsigned i = 0; i <= SVG_GROUPS; i++)
		free(run->group[i]);
	free(run->box);
	free(run->window);
	free(run->grid);
	free(run->used);
}
