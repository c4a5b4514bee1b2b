/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.c - what may be said of the differences of several runs over one trace.
 *
 * Each estimate is the difference of the two metrics, and each interval one of that same quantity, by the
 * ratio of the two metrics at the first run's level. Jobs of one trace wait for each other: what is compared
 * is never a job, but a batch of them. The jobs that the metric counts are cut, in the order of submission,
 * into 20 batches of equal count, and a t interval is of what each batch adds to the ratio. Where
 * neighbouring batches are autocorrelated (lag 1), two are joined into one. Quantiles do not add up: cells of
 * jobs are drawn anew in blocks as long as a batch (circular block bootstrap). What is an average over time
 * is cut into 20 spans of the time that its metric is of. All else is one number a run.
 *
 * Law 2015, Simulation Modeling and Analysis, 9.5 and 10.2; Schmeiser 1982: Batch size effects in the
 * analysis of simulation output; Cochran 1977, Sampling Techniques, 6.4; Politis, Romano 1992: A circular
 * block-resampling procedure for stationary data; Shao, Wu 1989: A general theory for jackknife variance
 * estimation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/telling.h"
#include "sim/stats.h"

enum {
	BATCHES = 20,
	BATCH_LEAST = 10, /* Jobs. */
	CELLS_EACH = 10,  /* Of a batch, to begin a drawn block at. */
	CELLS = BATCHES * CELLS_EACH,
	DRAWS = 1000,
	GRID = 4000, /* Cells of time, from first to last submission; of the same length until the last end,
		      */
	GRID_MOST = 16 * GRID, /* the last of these as long as it takes. */
};
static const double level = 0.95;

/* ---- What is kept of a run ------------------------------------------------------------------- */

enum figure { WAIT, TURNAROUND, SLOWDOWN, BOUNDED, FIGURES };
enum rate { BUSY_CPUS, BUSY_GPUS, QUEUED, COMPLETED, RATES };

/* By job, in seconds; NaN: it does not count. Rates are integrated over each cell of the grid. */
struct course {
	uint32_t count;
	uint64_t jobs; /* Of what the jobs are: two runs of the same ones may be paired. */
	double *of[FIGURES];
	double *grid[RATES], *step[RATES]; /* step: from that cell on, so much more. */
	double cell;                       /* Its length; 0: all were submitted at once. */
	size_t cells;
	double last_cell;          /* The length of the last one, in cells. */
	sl_time from, until, last; /* First and last submission, last end. */
	sl_time warmup;
	bool gpus; /* Are what utilization is of. */
	bool memory;
	struct sl_metrics metrics;
};

struct differences {
	struct sl_arena *arena;
	struct course first;
	bool any, partial;
	sl_time cut_length; /* In place of batches; or */
	unsigned cut_count; /* so many; both 0: batches. */
	const char *cut_each;
	struct sl_difference *list;
	struct difference_ranks *ranks;
	size_t count, capacity, ranks_capacity;
	bool ranked;
};

struct differences *differences_new(struct sl_arena *arena)
{
	struct differences *all = calloc(1, sizeof(*all));
	if (all)
		all->arena = arena;
	return all;
}

static void course_release(struct course *course)
{
	for (size_t i = 0; i < FIGURES; i++)
		free(course->of[i]);
	for (size_t i = 0; i < RATES; i++) {
		free(course->grid[i]);
		free(course->step[i]);
	}
	metrics_release(&course->metrics);
}

void differences_free(struct differences *all)
{
	if (!all)
		return;
	if (all->any)
		course_release(&all->first);
	free(all->list);
	free(all->ranks);
	free(all);
}

static uint64_t folded(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static void take_job(struct course *course, const struct sl_result *result, uint32_t row)
{
	const sl_time start = result->start[row];
	const sl_time end = result->end[row];
	const double turnaround = (double)(end - result->jobs->submit[row]) / (double)SL_SECOND;
	for (size_t i = 0; i < FIGURES; i++)
		course->of[i][row] = (double)NAN;
	if (start == SL_NONE || result->jobs->submit[row] < result->first)
		return;
	course->of[WAIT][row] = (double)(start - result->jobs->submit[row]) / (double)SL_SECOND;
	if (end == SL_NONE)
		return;
	const double run = (double)sl_run_time_of(result, row) / (double)SL_SECOND;
	const double bounded = turnaround / (run > 10 ? run : 10);
	course->of[TURNAROUND][row] = turnaround;
	course->of[BOUNDED][row] = bounded > 1 ? bounded : 1;
	if (run > 0)
		course->of[SLOWDOWN][row] = turnaround / run;
}

static size_t cell_of(const struct course *course, double at)
{
	return at < (double)(course->cells - 1) ? (size_t)at : course->cells - 1;
}

/* So much at each moment of [from, until). */
static void grid_add(struct course *course, enum rate rate, double amount, sl_time from, sl_time until)
{
	from = from > course->from ? from : course->from;
	until = until < course->last ? until : course->last;
	if (until <= from || amount == 0 || !(course->cell > 0))
		return;
	const double begin = (double)(from - course->from) / course->cell;
	const double end = (double)(until - course->from) / course->cell;
	const size_t first = cell_of(course, begin);
	const size_t last = cell_of(course, end);
	if (first == last) {
		course->grid[rate][first] += amount * (end - begin);
		return;
	}
	course->grid[rate][first] += amount * ((double)(first + 1) - begin);
	course->step[rate][first + 1] += amount;
	course->step[rate][last] -= amount;
	course->grid[rate][last] += amount * (end - (double)last);
}

static void grid_finish(struct course *course)
{
	for (size_t rate = 0; rate < RATES; rate++) {
		double whole = 0;
		for (size_t i = 0; i < course->cells; i++) {
			whole += course->step[rate][i];
			course->grid[rate][i] += whole;
		}
	}
}

static void take_spans(struct course *course, const struct sl_result *result, uint32_t row)
{
	const struct sl_attempt *attempt;
	const size_t attempts = result->attempt_count ? sl_attempts_of(result, row, &attempt) : 0;
	const double cpus = (double)sl_cpus_of(result, row);
	const double gpus = result->gpus_held ? (double)result->gpus_held[row] : 0;
	const sl_time end = result->end[row] != SL_NONE ? result->end[row] : result->last;
	sl_time from;
	sl_time until;
	for (size_t i = 0; i < attempts; i++) {
		const sl_time held = attempt[i].end - attempt[i].start;
		const double part = held > 0 ? (double)(held - attempt[i].suspended) / (double)held : 0;
		grid_add(course, BUSY_CPUS, cpus * part, attempt[i].start, attempt[i].end);
		grid_add(course, BUSY_GPUS, gpus * part, attempt[i].start, attempt[i].end);
	}
	if (!attempts && result->start[row] != SL_NONE) {
		grid_add(course, BUSY_CPUS, cpus, result->start[row], end);
		grid_add(course, BUSY_GPUS, gpus, result->start[row], end);
	}
	for (size_t i = 0; sl_wait_span(result, row, i, &from, &until); i++)
		grid_add(course, QUEUED, 1, from, until);
	const bool counts = result->jobs->submit[row] >= course->from;
	if (counts && result->state[row] == SL_COMPLETED && end >= course->from && course->cell > 0)
		course->grid[COMPLETED][cell_of(course, (double)(end - course->from) / course->cell)] += 1;
}

static int64_t metric_or(const struct sl_metrics *metrics, const char *name, int64_t fallback)
{
	const int64_t *value = metrics_get(metrics, name);
	return value ? *value : fallback;
}

static void grid_measure(struct course *course)
{
	const sl_time length = course->until - course->from;
	course->cells = 1;
	if (length <= 0)
		return;
	course->cell = (double)length / GRID;
	const double all = (double)(course->last - course->from) / course->cell;
	course->cells = all < GRID_MOST ? (size_t)ceil(all) : GRID_MOST;
	course->cells = course->cells > GRID ? course->cells : GRID;
	course->last_cell = all - (double)(course->cells - 1);
}

static int course_take(struct course *course, const struct sl_result *result,
	const struct sl_metrics *metrics, struct differences *all, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	*course = (struct course){ .count = jobs->count, .jobs = jobs->count };
	metrics_init(&course->metrics, all->arena);
	bool whole = true;
	for (size_t i = 0; i < FIGURES; i++)
		whole &= (course->of[i] = malloc(((size_t)jobs->count + 1) * sizeof(double))) != NULL;
	course->from = result->first;
	course->until = jobs->count ? jobs->submit[jobs->count - 1] : result->first;
	course->last = result->last > course->until ? result->last : course->until;
	grid_measure(course);
	for (size_t i = 0; i < RATES; i++) {
		whole &= (course->grid[i] = calloc(course->cells, sizeof(double))) != NULL;
		whole &= (course->step[i] = calloc(course->cells, sizeof(double))) != NULL;
	}
	if (!whole)
		return sl_fail_memory(err);
	course->warmup = metric_or(metrics, "warmup", 0);
	course->gpus = metric_or(metrics, "utilization.gpus", 0) > metric_or(metrics, "utilization.cpus", 0);
	const int64_t memory = metric_or(metrics, "utilization.memory", 0);
	course->memory = memory > metric_or(metrics, "utilization.cpus", 0) &&
			 memory > metric_or(metrics, "utilization.gpus", 0);
	for (uint32_t row = 0; row < jobs->count; row++) {
		course->jobs =
			folded(folded(course->jobs, (uint64_t)jobs->submit[row]), (uint64_t)jobs->id[row]);
		take_job(course, result, row);
		take_spans(course, result, row);
	}
	grid_finish(course);
	for (size_t i = 0; i < metrics->count; i++)
		if (!strchr(metrics->row[i].name, '{'))
			sl_metric_put(&course->metrics, metrics->row[i].name, metrics->row[i].micro);
	return course->metrics.failed ? sl_fail_memory(err) : SL_OK;
}

/* ---- Two runs ------------------------------------------------------------------------------------ */

/* What a metric counts, jobs in the order of submission or cells of time, one item each, of both runs side by
 * side: a figure's sum over it, and how much it weighs in the mean; 0: it does not count. */
struct pair {
	const struct course *a, *b;
	const sl_time *submit;
	double *sum[2], *weight[2];
	double *begin; /* When it was submitted, or began. */
	size_t count;
	size_t counted[2]; /* Items of any weight. */
};

/* The same bits on every machine, though libm's last one is not: seven digits. */
static int64_t micro_of(double value)
{
	double scale = 1;
	double size = fabs(value) * 1e6;
	while (size * scale >= 1e8)
		scale /= 10;
	const double rounded = floor(fabs(value) * 1e6 * scale + 0.5) / scale;
	if (!(rounded < 9e18))
		return 0;
	return value < 0 ? -(int64_t)rounded : (int64_t)rounded;
}

static int64_t shown_difference(const struct pair *pair, const char *name)
{
	return metric_or(&pair->b->metrics, name, 0) - metric_or(&pair->a->metrics, name, 0);
}

/* The interval holds the estimate: t intervals have it in their middle, but for the rounding of their ends;
 * one of drawn quantiles is widened to it where it does not. */
static struct sl_difference said(int64_t estimate, const struct stats_interval *at, const char *method)
{
	const int64_t low = micro_of(at->low);
	const int64_t high = micro_of(at->high);
	return (struct sl_difference){ .estimate = estimate,
		.low = low < estimate ? low : estimate,
		.high = high > estimate ? high : estimate,
		.samples = at->samples,
		.method = method };
}

static struct sl_difference unsaid(const struct pair *pair, const char *name, const char *why)
{
	return (struct sl_difference){
		.estimate = shown_difference(pair, name), .low = 1, .high = 0, .samples = 1, .method = why
	};
}

static const char few[] = "no 95 % interval, as fewer than 200 jobs ran in both";

static void pair_jobs(struct pair *pair, enum figure figure)
{
	pair->count = pair->counted[0] = pair->counted[1] = 0;
	for (uint32_t row = 0; row < pair->a->count; row++) {
		const double value[] = { pair->a->of[figure][row], pair->b->of[figure][row] };
		if (isnan(value[0]) && isnan(value[1]))
			continue;
		for (size_t i = 0; i < 2; i++) {
			pair->sum[i][pair->count] = isnan(value[i]) ? 0 : value[i];
			pair->weight[i][pair->count] = !isnan(value[i]);
			pair->counted[i] += isnan(value[i]) ? 0 : 1;
		}
		pair->begin[pair->count++] = (double)pair->submit[row];
	}
}

/* How much of a cell is in the time that the metric is of: from the run's first submission to its last end;
 * steady: from its warm-up to the last submission. */
static double cell_weight(const struct course *course, size_t cell, bool steady)
{
	if (!steady)
		return cell + 1 < course->cells ? 1 : cell < course->cells ? course->last_cell : 0;
	const double in = (double)(cell + 1) - (double)course->warmup / course->cell;
	return cell >= GRID || in <= 0 ? 0 : in < 1 ? in : 1;
}

static void pair_cells(struct pair *pair, enum rate rate, bool steady)
{
	const struct course *const of[] = { pair->a, pair->b };
	const size_t most = of[0]->cells > of[1]->cells ? of[0]->cells : of[1]->cells;
	pair->count = pair->counted[0] = pair->counted[1] = 0;
	for (size_t cell = 0; cell < most && of[0]->cell > 0; cell++) {
		bool any = false;
		for (size_t i = 0; i < 2; i++) {
			const double weight = cell_weight(of[i], cell, steady);
			const double held = cell < of[i]->cells ? of[i]->grid[rate][cell] : 0;
			pair->weight[i][pair->count] = weight;
			pair->sum[i][pair->count] =
				weight > 0 ? held * (weight < 1 && steady ? weight : 1) : 0;
			pair->counted[i] += weight > 0;
			any |= weight > 0;
		}
		pair->begin[pair->count] = (double)of[0]->from + (double)cell * of[0]->cell;
		pair->count += any;
	}
}

/* Each item is in one of so many parts, in order: of equal count, or as `until` cuts time. */
struct parts {
	unsigned count;
	const sl_time *until; /* NULL: of equal count. */
};

static unsigned part_of(const struct parts *parts, const struct pair *pair, size_t item, unsigned before)
{
	if (!parts->until)
		return (unsigned)(item * parts->count / pair->count);
	while (before + 1 < parts->count && pair->begin[item] >= (double)parts->until[before])
		before++;
	return before;
}

/* What is compared is the ratio R of two means, each itself a sum over a sum of weights. What a part adds to
 * it, to first order: (its sum - mean * its weight) / all weight, of b less R times that of a (Cochran 1977,
 * 6.4). difference[]: so many times that, about the estimate, at the level of the first's metric: their mean
 * is the estimate, and the error of their mean is its error. */
static void part_differences(
	const struct pair *pair, const char *name, const struct parts *parts, double *difference)
{
	double all[2] = { 0, 0 };
	double weight[2] = { 0, 0 };
	double mean[2];
	double told[2];
	double sum = 0;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < pair->count; i++) {
			all[k] += pair->sum[k][i];
			weight[k] += pair->weight[k][i];
		}
		mean[k] = weight[k] > 0 ? all[k] / weight[k] : 0;
		told[k] = (double)metric_or(&(k ? pair->b : pair->a)->metrics, name, 0) / 1e6;
	}
	const size_t whole = mean[0] > 0 && told[0] > 0 ? 0 : 1;
	const double scale = mean[whole] > 0 && told[whole] > 0 ? told[whole] / mean[whole] : 1;
	const double ratio = mean[0] > 0 ? mean[1] / mean[0] : 1;
	for (unsigned part = 0; part < parts->count; part++)
		difference[part] = 0;
	for (size_t i = 0, part = 0; i < pair->count; i++) {
		part = part_of(parts, pair, i, (unsigned)part);
		const double a = pair->sum[0][i] - mean[0] * pair->weight[0][i];
		const double b = pair->sum[1][i] - mean[1] * pair->weight[1][i];
		difference[part] +=
			(weight[1] > 0 ? b / weight[1] : 0) - (weight[0] > 0 ? ratio * a / weight[0] : 0);
	}
	for (unsigned part = 0; part < parts->count; part++) {
		difference[part] *= scale * parts->count;
		sum += difference[part];
	}
	const double estimate = (double)shown_difference(pair, name) / 1e6;
	for (unsigned part = 0; part < parts->count; part++)
		difference[part] += estimate - sum / parts->count;
}

/* t over 20 parts of equal count; over 10, which: 1, where those are autocorrelated; 2: these too. */
static unsigned which_batches(const struct pair *pair, const char *name, struct stats_interval *at)
{
	double difference[BATCHES];
	for (unsigned which = 0;; which++) {
		const struct parts parts = { .count = which ? BATCHES / 2 : BATCHES };
		part_differences(pair, name, &parts, difference);
		const bool together = stats_lag1(difference, parts.count) > stats_lag1_high(parts.count);
		(void)stats_paired_t(difference, parts.count, level, at);
		if (!together || which)
			return which + (together && which);
	}
}

static bool are_enough(const struct pair *pair)
{
	const size_t least = (size_t)BATCHES * BATCH_LEAST;
	return pair->counted[0] >= least && pair->counted[1] >= least;
}

static struct sl_difference of_mean(const struct pair *pair, const char *name)
{
	static const char *const method[] = { "t over 20 batches of jobs",
		"t over 10 batches of jobs (20 batches were autocorrelated)",
		"t over 10 batches of jobs (autocorrelated, so too narrow)" };
	struct stats_interval at;
	if (!are_enough(pair))
		return unsaid(pair, name, few);
	const unsigned which = which_batches(pair, name, &at);
	return said(shown_difference(pair, name), &at, method[which]);
}

/* ---- Quantiles ------------------------------------------------------------------------------------- */

enum { CHUNKS = 64 };

/* A run's values in order, each with its cell; how many of each cell are in each chunk of that order, so that
 * a quantile of cells drawn any number of times is found without a look at all values. */
struct sorted {
	struct ranked {
		double value;
		uint32_t cell;
	} * at;
	size_t count;
	uint32_t (*in)[CELLS]; /* By chunk. */
};

struct quantile {
	struct sorted of[2];
	unsigned hundredth;
	double level; /* The first run's metric. */
	bool plain;   /* The difference, not by the ratio: the first run's is 0, in some draw. */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

static size_t chunk_end(size_t count, size_t chunk) { return count * (chunk + 1) / CHUNKS; }

/* parts: in which cell each item is. */
static bool sorted_make(struct sorted *sorted, const struct pair *pair, size_t of, const struct parts *parts)
{
	sorted->at = malloc((pair->counted[of] + 1) * sizeof(*sorted->at));
	if (!sorted->at)
		return false;
	for (size_t i = 0, part = 0; i < pair->count; i++) {
		part = part_of(parts, pair, i, (unsigned)part);
		if (pair->weight[of][i] > 0)
			sorted->at[sorted->count++] = (struct ranked){ pair->sum[of][i], (uint32_t)part };
	}
	qsort(sorted->at, sorted->count, sizeof(*sorted->at), compare_ranked);
	return true;
}

static bool sorted_chunks(struct sorted *sorted)
{
	sorted->in = calloc(CHUNKS, sizeof(*sorted->in));
	for (size_t chunk = 0, i = 0; sorted->in && chunk < CHUNKS; chunk++)
		for (; i < chunk_end(sorted->count, chunk); i++)
			sorted->in[chunk][sorted->at[i].cell]++;
	return sorted->in != NULL;
}

/* Nearest rank, of values as often as their cell was drawn. */
static double sorted_quantile(const struct sorted *sorted, const uint32_t times[CELLS], unsigned hundredth)
{
	uint64_t in[CHUNKS] = { 0 };
	uint64_t all = 0;
	for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
		for (size_t cell = 0; cell < CELLS; cell++)
			in[chunk] += (uint64_t)times[cell] * sorted->in[chunk][cell];
		all += in[chunk];
	}
	uint64_t rank = (all * hundredth + 99) / 100;
	size_t chunk = 0;
	for (; chunk + 1 < CHUNKS && rank > in[chunk]; chunk++)
		rank -= in[chunk];
	size_t i = chunk ? chunk_end(sorted->count, chunk - 1) : 0;
	for (; i + 1 < sorted->count; i++) {
		const uint32_t weight = times[sorted->at[i].cell];
		if (rank <= weight)
			break;
		rank -= weight;
	}
	return sorted->at[i].value;
}

static double quantile_difference(struct quantile *quantile, double a, double b)
{
	quantile->plain |= !(a > 0);
	return quantile->plain ? b - a : (b / a - 1) * quantile->level;
}

static double quantile_figure(void *self, const unsigned *which, unsigned n)
{
	struct quantile *quantile = self;
	uint32_t times[CELLS] = { 0 };
	for (unsigned i = 0; i < n; i++)
		times[which[i]]++;
	const double a = sorted_quantile(&quantile->of[0], times, quantile->hundredth);
	const double b = sorted_quantile(&quantile->of[1], times, quantile->hundredth);
	return quantile_difference(quantile, a, b);
}

static void sorted_release(struct sorted *sorted)
{
	free(sorted->at);
	free(sorted->in);
}

static void quantile_begin(
	struct quantile *quantile, const struct pair *pair, const char *name, unsigned hundredth)
{
	*quantile = (struct quantile){ .hundredth = hundredth,
		.level = (double)metric_or(&pair->a->metrics, name, 0) / 1e6 };
	quantile->plain = !(quantile->level > 0);
}

static struct sl_difference of_quantile(const struct pair *pair, const char *name, unsigned hundredth)
{
	char stream[64];
	struct quantile quantile;
	struct stats_interval at;
	const struct parts cells = { .count = CELLS };
	if (!are_enough(pair))
		return unsaid(pair, name, few);
	const unsigned batches = which_batches(pair, name, &at) ? BATCHES / 2 : BATCHES;
	quantile_begin(&quantile, pair, name, hundredth);
	(void)snprintf(stream, sizeof(stream), "compare/%s", name);
	const struct stats_blocks blocks = { quantile_figure, &quantile, CELLS, CELLS / batches, DRAWS, 1,
		stream };
	const bool plain = quantile.plain;
	bool made = sorted_make(&quantile.of[0], pair, 0, &cells) &&
		    sorted_make(&quantile.of[1], pair, 1, &cells) && sorted_chunks(&quantile.of[0]) &&
		    sorted_chunks(&quantile.of[1]) && stats_bootstrap(&blocks, level, &at);
	if (made && quantile.plain != plain)
		made = stats_bootstrap(&blocks, level, &at);
	sorted_release(&quantile.of[0]);
	sorted_release(&quantile.of[1]);
	return made ? said(shown_difference(pair, name), &at, "block bootstrap over batches of jobs")
		    : unsaid(pair, name, "no 95 % interval, out of memory");
}

/* Nearest rank without one part after the other: from the rank of all, steps down or up. without: room for
 * each part; held: the same, and 0. */
static void sorted_without(
	const struct sorted *sorted, unsigned hundredth, unsigned parts, double *without, size_t (*held)[2])
{
	const size_t rank = (sorted->count * hundredth + 99) / 100;
	memset(held, 0, parts * sizeof(*held));
	for (size_t i = 0; i < sorted->count; i++) {
		held[sorted->at[i].cell][0] += i < rank;
		held[sorted->at[i].cell][1]++;
	}
	for (unsigned part = 0; part < parts; part++) {
		const size_t want = ((sorted->count - held[part][1]) * hundredth + 99) / 100;
		size_t have = rank - held[part][0]; /* Of other parts, up to at[i]. */
		size_t i = rank - 1;
		while (have < want)
			have += sorted->at[++i].cell != part;
		while (want && (have > want || sorted->at[i].cell == part))
			have -= sorted->at[i--].cell != part;
		without[part] = sorted->at[i].value;
	}
}

/* As part_differences, of a quantile: by the jackknife, what it is without the part (Shao and Wu 1989, which
 * holds for quantiles where what is left out is many jobs). False: no memory. */
static bool part_quantiles(const struct pair *pair, const char *name, unsigned hundredth,
	const struct parts *parts, double *difference)
{
	struct quantile quantile;
	double *without[2] = { calloc(parts->count, sizeof(double)), calloc(parts->count, sizeof(double)) };
	size_t(*held)[2] = calloc(parts->count, sizeof(*held));
	double sum = 0;
	quantile_begin(&quantile, pair, name, hundredth);
	bool made = without[0] && without[1] && held;
	for (size_t k = 0; k < 2 && made; k++) {
		made = sorted_make(&quantile.of[k], pair, k, parts);
		if (made)
			sorted_without(&quantile.of[k], hundredth, parts->count, without[k], held);
	}
	for (unsigned part = 0; part < parts->count && made; part++)
		quantile.plain |= !(without[0][part] > 0);
	for (unsigned part = 0; part < parts->count && made; part++)
		sum += difference[part] = quantile_difference(&quantile, without[0][part], without[1][part]);
	const double estimate = (double)shown_difference(pair, name) / 1e6;
	for (unsigned part = 0; part < parts->count && made; part++)
		difference[part] = estimate - (difference[part] - sum / parts->count) * (parts->count - 1.0);
	sorted_release(&quantile.of[0]);
	sorted_release(&quantile.of[1]);
	free(without[0]);
	free(without[1]);
	free(held);
	return made;
}

/* ---- Averages over time ------------------------------------------------------------------------------ */

static struct sl_difference of_spans(const struct pair *pair, const char *name)
{
	static const char *const method[] = { "t over 20 spans of time",
		"t over 10 spans of time (20 spans were autocorrelated)",
		"t over 10 spans of time (autocorrelated, so too narrow)" };
	struct stats_interval at;
	if (pair->counted[0] < BATCHES || pair->counted[1] < BATCHES)
		return unsaid(pair, name, "no 95 % interval, as nothing is left after the warm-up");
	const unsigned which = which_batches(pair, name, &at);
	return said(shown_difference(pair, name), &at, method[which]);
}

/* ---- Metrics ---------------------------------------------------------------------------------------- */

/* BY_WORK: an average over the whole run, which ends when its work is done: over batches of one run there is
 * nothing to be said of it, over blocks of time there is. */
enum way { BY_MEAN, BY_QUANTILE, BY_TIME, BY_WORK, BY_RUN };
static const struct shown_way {
	const char *name;
	enum way way;
	unsigned of; /* enum figure, or enum rate. */
	unsigned hundredth;
} ways[] = {
	{ "wait.mean", BY_MEAN, WAIT, 0 },
	{ "wait.p50", BY_QUANTILE, WAIT, 50 },
	{ "wait.p90", BY_QUANTILE, WAIT, 90 },
	{ "wait.p95", BY_QUANTILE, WAIT, 95 },
	{ "wait.p99", BY_QUANTILE, WAIT, 99 },
	{ "wait.max", BY_RUN, 0, 0 },
	{ "turnaround.mean", BY_MEAN, TURNAROUND, 0 },
	{ "turnaround.p95", BY_QUANTILE, TURNAROUND, 95 },
	{ "slowdown.mean", BY_MEAN, SLOWDOWN, 0 },
	{ "bounded_slowdown.mean", BY_MEAN, BOUNDED, 0 },
	{ "bounded_slowdown.p50", BY_QUANTILE, BOUNDED, 50 },
	{ "bounded_slowdown.p95", BY_QUANTILE, BOUNDED, 95 },
	{ "bounded_slowdown.max", BY_RUN, 0, 0 },
	{ "utilization", BY_WORK, RATES, 0 },
	{ "utilization.cpus", BY_WORK, BUSY_CPUS, 0 },
	{ "utilization.gpus", BY_WORK, BUSY_GPUS, 0 },
	{ "utilization.steady", BY_TIME, RATES, 0 },
	{ "loss_of_capacity", BY_RUN, 0, 0 },
	{ "queue.mean", BY_TIME, QUEUED, 0 },
	{ "queue.max", BY_RUN, 0, 0 },
	{ "throughput", BY_WORK, COMPLETED, 0 },
	{ "makespan", BY_RUN, 0, 0 },
	{ "jobs.completed", BY_RUN, 0, 0 },
};

static bool is_steady(const struct shown_way *way) { return strcmp(way->name, "utilization.steady") == 0; }

/* What the metric counts. RATES: of what the utilization is of. */
static void pair_make(struct pair *pair, const struct shown_way *way)
{
	enum rate rate = (enum rate)way->of;
	if (way->way == BY_MEAN || way->way == BY_QUANTILE) {
		pair_jobs(pair, (enum figure)way->of);
		return;
	}
	if (rate == RATES)
		rate = pair->a->gpus ? BUSY_GPUS : BUSY_CPUS;
	pair_cells(pair, rate, is_steady(way));
}

static bool is_followed(const struct pair *pair, const struct shown_way *way)
{
	return way->way == BY_RUN || way->of != RATES ||
	       (pair->a->gpus == pair->b->gpus && !pair->a->memory && !pair->b->memory);
}

static struct sl_difference difference_of(struct pair *pair, const struct shown_way *way)
{
	if (way->way == BY_RUN || way->way == BY_WORK)
		return unsaid(pair, way->name, "no 95 % interval, one number a run");
	if (pair->a->jobs != pair->b->jobs)
		return unsaid(pair, way->name, "no 95 % interval, as the runs are of other jobs");
	if (!is_followed(pair, way))
		return unsaid(
			pair, way->name, "no 95 % interval, as the scarcest resource is not followed by job");
	if (way->way == BY_TIME) {
		pair_jobs(pair, WAIT);
		if (!are_enough(pair))
			return unsaid(pair, way->name, few);
	}
	pair_make(pair, way);
	return way->way == BY_TIME   ? of_spans(pair, way->name)
	       : way->way == BY_MEAN ? of_mean(pair, way->name)
				     : of_quantile(pair, way->name, way->hundredth);
}

static int put(struct differences *all, struct sl_difference said, const struct difference_ranks *ranks,
	struct sl_err *err)
{
	int status = grow(
		(void **)&all->list, &all->capacity, sizeof(*all->list), all->count + 1, UINT32_MAX, err);
	if (!status)
		status = grow((void **)&all->ranks, &all->ranks_capacity, sizeof(*all->ranks), all->count + 1,
			UINT32_MAX, err);
	if (status)
		return status;
	all->ranks[all->count] = *ranks;
	all->list[all->count++] = said;
	return SL_OK;
}

/* ---- Independent samples --------------------------------------------------------------------------------
 */

enum { SAMPLES_LEAST = 6, SAMPLE_JOBS = 10 };

/* Differences, one a sample: Student's t, and by ranks. estimate: their mean, as the metrics shown have it.
 */
static struct sl_difference of_samples(struct differences *all, const double *difference, unsigned count,
	int64_t estimate, const char *what, struct difference_ranks *ranks)
{
	struct stats_interval at;
	struct stats_wilcoxon found;
	char method[200];
	(void)stats_paired_t(difference, count, level, &at);
	(void)snprintf(method, sizeof(method), "paired t over %u %s", count, what);
	const char *kept = sl_strdup(all->arena, method, strlen(method));
	const struct sl_difference told = said(estimate, &at, kept ? kept : "paired t");
	*ranks = (struct difference_ranks){ .low = 1 };
	if (stats_wilcoxon(difference, count, level, &found)) {
		ranks->known = true;
		ranks->p = found.p;
		ranks->exact = found.exact;
		ranks->shift = micro_of(found.shift.estimate);
		ranks->low = found.shift.method ? micro_of(found.shift.low) : 1;
		ranks->high = found.shift.method ? micro_of(found.shift.high) : 0;
	}
	return told;
}

/* One metric of one run. difference: room for each. */
static int put_samples(struct differences *all, const struct difference_samples *samples, size_t run,
	const char *metric, double *difference, struct sl_err *err)
{
	unsigned count = 0;
	bool any = false;
	for (size_t i = 0; i < samples->each; i++) {
		const int64_t *a = metrics_get(samples->of(samples->self, 0, i), metric);
		const int64_t *b = metrics_get(samples->of(samples->self, run, i), metric);
		if (!a || !b)
			continue;
		any |= *a || *b;
		difference[count++] = (double)(*b - *a) / 1e6;
	}
	if (!any || count < 2)
		return SL_OK;
	struct difference_ranks ranks;
	const int64_t *a = metrics_get(samples->shown(samples->self, 0), metric);
	const int64_t *b = metrics_get(samples->shown(samples->self, run), metric);
	if (!a || !b)
		return SL_OK;
	struct sl_difference said = of_samples(all, difference, count, *b - *a, samples->what, &ranks);
	said.metric = metric;
	said.run = (uint32_t)run;
	return put(all, said, &ranks, err);
}

int differences_samples(struct differences *all, const struct difference_samples *samples, struct sl_err *err)
{
	double *difference = malloc((samples->each + 1) * sizeof(*difference));
	int status = difference ? SL_OK : sl_fail_memory(err);
	all->ranked = true;
	for (size_t run = 1; run < samples->runs && !status; run++)
		for (size_t i = 0; i < SL_LEN(ways) && !status; i++)
			status = put_samples(all, samples, run, ways[i].name, difference, err);
	free(difference);
	return status;
}

void differences_cut(struct differences *all, sl_time length, unsigned count, const char *each)
{
	all->cut_length = length;
	all->cut_count = count;
	all->cut_each = each;
	all->ranked = true;
}

/* Spans of the length asked for, from the first submission on, in order. One in which fewer than SAMPLE_JOBS
 * were submitted is joined to the next, and the last, where it is so or less than half as long, to the one
 * before. until: room for one each SAMPLE_JOBS. */
static struct parts blocks_of(const struct differences *all, const struct pair *pair, sl_time *until)
{
	struct parts parts = { .until = until };
	const sl_time all_of_it = pair->a->until - pair->a->from;
	const sl_time length = all->cut_length ? all->cut_length : all_of_it / all->cut_count;
	sl_time end = pair->a->from + length;
	uint32_t held = 0;
	for (uint32_t row = 0; row < pair->a->count && length > 0; row++) {
		if (pair->submit[row] < pair->a->from)
			continue;
		if (pair->submit[row] >= end) {
			if (held >= SAMPLE_JOBS) {
				until[parts.count++] = end;
				held = 0;
			}
			end += ((pair->submit[row] - end) / length + 1) * length;
		}
		held++;
	}
	if (held >= SAMPLE_JOBS && (pair->a->until - (end - length)) * 2 >= length)
		until[parts.count++] = end;
	return parts;
}

static int put_blocks(struct differences *all, struct pair *pair, const struct shown_way *way, uint32_t run,
	struct sl_err *err)
{
	const size_t room = (size_t)pair->a->count / SAMPLE_JOBS + 2;
	struct difference_ranks ranks = { .low = 1 };
	struct sl_difference said =
		unsaid(pair, way->name, "no 95 % interval, as there are fewer than 6 blocks of 10 jobs");
	sl_time *until = malloc(room * sizeof(*until));
	double *difference = malloc(room * sizeof(*difference));
	bool made = until && difference;
	const struct parts blocks = made ? blocks_of(all, pair, until) : (struct parts){ 0 };
	if (made && blocks.count >= SAMPLES_LEAST) {
		pair_make(pair, way);
		if (way->way == BY_QUANTILE)
			made = pair->counted[0] && pair->counted[1] &&
			       part_quantiles(pair, way->name, way->hundredth, &blocks, difference);
		else
			part_differences(pair, way->name, &blocks, difference);
	}
	if (made && blocks.count >= SAMPLES_LEAST) {
		char what[100];
		const bool together = stats_lag1(difference, blocks.count) > stats_lag1_high(blocks.count);
		(void)snprintf(what, sizeof(what), "%s of one run%s", all->cut_each,
			together ? " (autocorrelated, so too narrow)" : "");
		said = of_samples(all, difference, blocks.count, said.estimate, what, &ranks);
	}
	free(until);
	free(difference);
	said.metric = way->name;
	said.run = run;
	return made ? put(all, said, &ranks, err) : sl_fail_memory(err);
}

static int put_differences(struct differences *all, struct pair *pair, uint32_t run, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(ways) && !status; i++) {
		const int64_t *a = metrics_get(&pair->a->metrics, ways[i].name);
		const int64_t *b = metrics_get(&pair->b->metrics, ways[i].name);
		if (!a || !b || (*a == 0 && *b == 0))
			continue;
		if (all->cut_each && ways[i].way != BY_RUN && pair->a->jobs == pair->b->jobs &&
			is_followed(pair, &ways[i])) {
			status = put_blocks(all, pair, &ways[i], run, err);
			continue;
		}
		struct sl_difference said = difference_of(pair, &ways[i]);
		said.metric = ways[i].name;
		said.run = run;
		status = put(all, said, &(struct difference_ranks){ .low = 1 }, err);
	}
	return status;
}

static int pair_take(struct differences *all, const struct course *b, const struct sl_jobs *jobs,
	uint32_t run, struct sl_err *err)
{
	struct pair pair = { .a = &all->first, .b = b, .submit = jobs->submit };
	double **const column[] = { &pair.sum[0], &pair.sum[1], &pair.weight[0], &pair.weight[1],
		&pair.begin };
	size_t room = pair.a->cells > b->cells ? pair.a->cells : b->cells;
	bool whole = true;
	room = (room > b->count ? room : b->count) + 1;
	for (size_t i = 0; i < SL_LEN(column); i++)
		whole &= (*column[i] = malloc(room * sizeof(double))) != NULL;
	const int status = whole ? put_differences(all, &pair, run, err) : sl_fail_memory(err);
	for (size_t i = 0; i < SL_LEN(column); i++)
		free(*column[i]);
	return status;
}

int differences_take(struct differences *all, size_t run, const struct sl_result *result,
	const struct sl_metrics *metrics, struct sl_err *err)
{
	struct course course;
	all->partial |= result->interrupted;
	if (all->partial)
		return SL_OK;
	int status = course_take(&course, result, metrics, all, err);
	if (!status && run == 0) {
		all->first = course;
		all->any = true;
		return SL_OK;
	}
	if (!status && all->any)
		status = pair_take(all, &course, result->jobs, (uint32_t)run, err);
	course_release(&course);
	return status;
}

const struct sl_difference *differences_list(const struct differences *all, size_t *count)
{
	*count = all->partial ? 0 : all->count;
	return all->list;
}

const struct difference_ranks *differences_ranks(const struct differences *all)
{
	return all->ranked ? all->ranks : NULL;
}
