/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences_blocks.c - one metric of two runs, block by block.
 *
 * Jobs of one trace wait for each other: what is compared is never a job, but a block of them, a batch of
 * jobs that follow each other or an interval of time. A block's own difference is the sum of the second run's
 * figures over its jobs less that of the first's: 0 where nothing differs. One t test over these, with as
 * many degrees of freedom as there are effective differences, is turned into all that is said: what a
 * difference, a ratio or a quantile could be without being significant. So all intervals of one metric leave
 * out "the same" together or not at all, and no ratio is below 0.
 *
 * Of a quantile, a block's own difference is how many more of its jobs are beyond that of the first run
 * (Woodruff 1952: Confidence intervals for medians and other position measures).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/differences_parts.h"

enum { BATCHES = 40, BATCHES_LEAST = 20, BATCH_JOBS = 10, BLOCK_JOBS = 10 };
static const double level = 0.95;

int64_t difference_micro(double value)
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

/* ---- Blocks ------------------------------------------------------------------------------------- */

static void cut_by_count(struct pair *pair)
{
	const uint32_t count = pair->all->common_count;
	pair->block_count = count / BATCH_JOBS < BATCHES ? count / BATCH_JOBS : BATCHES;
	for (uint32_t i = 0; i < count; i++)
		pair->block[i] = (uint32_t)((uint64_t)i * pair->block_count / count);
}

/* Spans of the length asked for, from the first submission on. One in which fewer than BLOCK_JOBS were
 * submitted is joined to the next, and the last, where it is so or less than half as long, to the one before.
 */
static void cut_by_time(struct pair *pair)
{
	const struct differences *all = pair->all;
	const struct series *first = &all->series[0];
	const sl_time whole = first->until - first->from;
	const sl_time length = all->cut_length ? all->cut_length : whole / all->cut_count;
	uint32_t held = 0;
	sl_time end = first->from + length;
	for (uint32_t i = 0; i < all->common_count && length > 0; i++) {
		const sl_time submit = number_at(&first->submit, all->common[i]);
		if (submit >= end) {
			pair->block_count += held >= BLOCK_JOBS;
			held = held >= BLOCK_JOBS ? 0 : held;
			end += ((submit - end) / length + 1) * length;
		}
		pair->block[i] = pair->block_count;
		held++;
	}
	if (held >= BLOCK_JOBS && (first->until - (end - length)) * 2 >= length)
		pair->block_count++;
	for (uint32_t i = 0; i < all->common_count && pair->block_count; i++)
		if (pair->block[i] >= pair->block_count)
			pair->block[i] = pair->block_count - 1;
}

/* ---- What is said ------------------------------------------------------------------------------- */

static struct reported untold(int64_t estimate, const char *why)
{
	return (struct reported){
		.difference = { .estimate = estimate, .low = 1, .high = 0, .samples = 1, .method = why },
		.certainty = { .ratio_low = 1, .ratio_high = 0 }
	};
}

static struct reported no_memory(struct sl_err *err)
{
	(void)sl_fail_memory(err);
	return untold(0, "no interval");
}

/* "t over 22 weeks of one run", or "no interval: 3 of 22 weeks differ". */
static const char *method_of(
	const struct stats_evidence *evidence, const char *what, bool cut_each, struct sl_arena *arena)
{
	char text[160];
	if (evidence->t > 0)
		(void)snprintf(text, sizeof(text), "t over %u %s%s", evidence->blocks, what,
			cut_each ? " of one run" : "");
	else if (evidence->differing < STATS_EFFECTIVE_LEAST)
		(void)snprintf(text, sizeof(text), "no interval: %u of %u %s differ%s", evidence->differing,
			evidence->blocks, what, evidence->differing == 1 ? "s" : "");
	else
		(void)snprintf(text, sizeof(text),
			"no interval: %u of %u %s differ, by so unlike amounts that they tell what %.1f even "
			"ones would",
			evidence->differing, evidence->blocks, what, floor(evidence->effective * 10) / 10);
	const char *kept = sl_strdup(arena, text, strlen(text));
	return kept ? kept : "no interval";
}

static struct reported reported_begin(
	const struct stats_evidence *evidence, int64_t estimate, const char *method)
{
	struct reported reported = untold(estimate, method);
	reported.difference.samples = evidence->blocks;
	reported.certainty.known = true;
	reported.certainty.blocks = evidence->blocks;
	reported.certainty.differing = evidence->differing;
	reported.certainty.effective = (int64_t)(evidence->effective * 1e6 + 0.5);
	return reported;
}

/* Samples that all say the same have no spread, and an interval without width would say too much. */
static bool has_width(double low, double high) { return difference_micro(low) < difference_micro(high); }

static const char no_width[] = "no interval, as all samples say the same";

/* Intervals contain the printed estimate, which is rounded. */
static void set_interval(struct reported *reported, double low, double high)
{
	const int64_t estimate = reported->difference.estimate;
	const int64_t ends[] = { difference_micro(low), difference_micro(high) };
	reported->difference.low = ends[0] < estimate ? ends[0] : estimate;
	reported->difference.high = ends[1] > estimate ? ends[1] : estimate;
}

/* low, high: of the ratio. first: the metric of the first run, which the estimate is a share of. */
static void set_ratio(struct reported *reported, int64_t first, double low, double high)
{
	if (first <= 0)
		return;
	const int64_t share = sl_mul_div(reported->difference.estimate, 1000000, first);
	int64_t ends[] = { difference_micro(low > 0 ? low - 1 : -1), difference_micro(high - 1) };
	reported->certainty.ratio_low = ends[0] < share ? ends[0] : share;
	reported->certainty.ratio_high = ends[1] > share ? ends[1] : share;
}

/* Significantly different by the t test, and by ranks where these were requested; and neither interval, as
 * printed, has 0 in it, not even as an end: that of a quantile is the first significant value. */
static void set_sure(struct reported *reported, bool apart)
{
	const struct sl_difference *said = &reported->difference;
	const struct sl_certainty *known = &reported->certainty;
	if (said->low <= 0 && said->high >= 0)
		return;
	if (known->ratio_low <= known->ratio_high && known->ratio_low <= 0 && known->ratio_high >= 0)
		return;
	if (apart && !(reported->certainty.tested && reported->certainty.p >= 1 - level))
		reported->certainty.sure = reported->difference.estimate > 0 ? 1 : -1;
}

/* serial: blocks, which follow each other. */
static void test_ranks(struct reported *reported, const double *difference, unsigned n, bool serial)
{
	struct stats_wilcoxon found;
	if (!stats_wilcoxon(difference, n, serial, level, &found))
		return;
	reported->certainty.tested = true;
	reported->certainty.p = found.p;
	reported->certainty.exact = found.exact;
}

/* ---- Means ---------------------------------------------------------------------------------------- */

/* By block: sums of both runs, of how many jobs; and the second less the first, job by job, so that figures
 * whose differences are the same have the same ones. */
struct sums {
	double *a, *b, *weight, *difference;
};

static bool sums_make(struct sums *sums, unsigned count)
{
	sums->a = calloc((size_t)count * 4 + 1, sizeof(double));
	if (!sums->a)
		return false;
	sums->b = sums->a + count;
	sums->weight = sums->b + count;
	sums->difference = sums->weight + count;
	return true;
}

static double differs(const struct pair *pair, uint32_t i)
{
	const struct series *one = &pair->all->series[0];
	const struct series *other = &pair->all->series[pair->run];
	const uint32_t row = pair->all->common[i];
	const uint32_t there = other->matched ? other->matched[row] : row;
	if (pair->figure == WAIT)
		return (double)(number_at(&other->wait, there) - number_at(&one->wait, row)) /
		       (double)SL_SECOND;
	if (pair->figure == TURNAROUND)
		return (double)(number_at(&other->turnaround, there) - number_at(&one->turnaround, row)) /
		       (double)SL_SECOND;
	return pair->b[i] - pair->a[i];
}

static void sums_take(struct sums *sums, const struct pair *pair)
{
	for (uint32_t i = 0; i < pair->all->common_count; i++) {
		const uint32_t block = pair->block[i];
		if (isnan(pair->a[i]))
			continue;
		sums->a[block] += pair->a[i];
		sums->b[block] += pair->b[i];
		sums->weight[block] += 1;
		sums->difference[block] += differs(pair, i);
	}
}

/* Of a jobs.csv nothing says which jobs its metrics leave out: they are what its own jobs give, or nothing is
 * said. */
static bool are_of_metric(const struct sums *sums, unsigned count, int64_t estimate)
{
	double sum = 0;
	double weight = 0;
	for (unsigned i = 0; i < count; i++) {
		sum += sums->difference[i];
		weight += sums->weight[i];
	}
	const double mean = weight > 0 ? sum / weight : 0;
	return fabs(mean - (double)estimate / 1e6) <= 1e-5 + fabs(mean) * 1e-6;
}

static struct reported of_mean(
	struct pair *pair, const struct displayed_way *way, const char *what, struct sl_err *err)
{
	struct sums sums;
	const struct differences *all = pair->all;
	const unsigned blocks = pair->block_count;
	const int64_t first = *series_metric(all, 0, way->name);
	const int64_t estimate = *series_metric(all, pair->run, way->name) - first;
	if (!sums_make(&sums, blocks))
		return no_memory(err);
	sums_take(&sums, pair);
	const struct stats_evidence evidence = stats_evidence(sums.difference, blocks, true, level);
	struct reported reported =
		reported_begin(&evidence, estimate, method_of(&evidence, what, all->cut_each, pair->arena));
	double low;
	double high;
	if (all->series[0].read && !are_of_metric(&sums, blocks, estimate)) {
		reported = untold(estimate, "no interval, as the metrics leave out jobs that jobs.csv has");
	} else if (evidence.t > 0) {
		if (stats_ratio(sums.difference, sums.weight, blocks, evidence.t, &low, &high)) {
			if (has_width(low, high))
				set_interval(&reported, low, high);
			else
				reported.difference.method = no_width;
			reported.certainty.covers = has_width(low, high) ? way->covers : 0;
		}
		if (stats_ratio(sums.b, sums.a, blocks, evidence.t, &low, &high) && has_width(low, high)) {
			set_ratio(&reported, first, low, high);
			reported.certainty.ratio_covers = way->ratio_covers;
		}
		if (all->cut_each)
			test_ranks(&reported, sums.difference, blocks, true);
		if (reported.difference.low <= reported.difference.high)
			set_sure(&reported, stats_significant(sums.difference, blocks, evidence.t));
	}
	free(sums.a);
	return reported;
}

/* ---- Quantiles -------------------------------------------------------------------------------------- */

/* The second run's values in ascending order, each with its block; by block, how many of the first's are
 * beyond its quantile. */
struct quantile {
	const struct valued *value;
	size_t count;
	unsigned blocks;
	double *first, *difference;
	double t;
};

/* How many more of each block are beyond that value in the second run than beyond the first's quantile in the
 * first. */
static void beyond(const struct quantile *quantile, double value)
{
	for (unsigned block = 0; block < quantile->blocks; block++)
		quantile->difference[block] = -quantile->first[block];
	for (size_t i = quantile->count; i-- && quantile->value[i].value > value;)
		quantile->difference[quantile->value[i].block] += 1;
}

static bool is_significant(const struct quantile *quantile, double value)
{
	beyond(quantile, value);
	return stats_significant(quantile->difference, quantile->blocks, quantile->t);
}

/* Between a value that is not significant and one that is: the one beside the border, on the side of
 * `reported`. As fewer are beyond a larger value, it is found by halves. */
static size_t border(const struct quantile *quantile, size_t alike, size_t apart, bool reported)
{
	while ((alike < apart ? apart - alike : alike - apart) > 1) {
		const size_t at = alike < apart ? alike + (apart - alike) / 2 : alike - (alike - apart) / 2;
		if (is_significant(quantile, quantile->value[at].value))
			apart = at;
		else
			alike = at;
	}
	return reported ? apart : alike;
}

/* Once a figure. */
static bool pair_sort(struct pair *pair)
{
	const uint32_t count = pair->all->common_count;
	if (pair->value_count)
		return true;
	if (!pair->value) {
		pair->value = malloc(((size_t)count + 1) * sizeof(*pair->value));
		pair->other = malloc(((size_t)count + 1) * sizeof(*pair->other));
	}
	if (!pair->value || !pair->other)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!isnan(pair->a[i]))
			pair->value[pair->value_count++] = (struct valued){ pair->b[i], pair->block[i] };
	valued_sort(pair->value, pair->other, pair->value_count);
	return true;
}

/* By block, how many of the first's are beyond its quantile; NaN is beyond nothing. */
static void quantile_take(struct quantile *quantile, const struct pair *pair, double first)
{
	for (uint32_t i = 0; i < pair->all->common_count; i++)
		quantile->first[pair->block[i]] += pair->a[i] > first;
	quantile->value = pair->value;
	quantile->count = pair->value_count;
}

static void quantile_interval(struct reported *reported, const struct quantile *quantile, double first,
	const struct displayed_way *way, int64_t base)
{
	const size_t rank = (quantile->count * way->hundredth + 99) / 100;
	const size_t from = rank ? rank - 1 : 0;
	const size_t last = quantile->count - 1;
	/* No value is so large that it is significant. */
	if (!is_significant(quantile, quantile->value[last].value))
		return;
	const double high = quantile->value[border(quantile, from, last, true)].value;
	const double low = is_significant(quantile, quantile->value[0].value)
				   ? quantile->value[border(quantile, from, 0, false)].value
				   : quantile->value[0].value;
	set_interval(reported, low - first, high - first);
	reported->certainty.covers = way->covers;
	if (first > 0) {
		set_ratio(reported, base, low / first, high / first);
		reported->certainty.ratio_covers = way->ratio_covers;
	}
}

static struct reported of_quantile(
	struct pair *pair, const struct displayed_way *way, const char *what, struct sl_err *err)
{
	const struct differences *all = pair->all;
	const int64_t base = *series_metric(all, 0, way->name);
	const int64_t estimate = *series_metric(all, pair->run, way->name) - base;
	const double first = (double)base / 1e6;
	struct quantile quantile = { .blocks = pair->block_count };
	quantile.first = calloc(2 * (size_t)quantile.blocks + 1, sizeof(double));
	if (!quantile.first || !pair_sort(pair)) {
		free(quantile.first);
		return no_memory(err);
	}
	quantile.difference = quantile.first + quantile.blocks;
	quantile_take(&quantile, pair, first);
	beyond(&quantile, first);
	const struct stats_evidence evidence =
		stats_evidence(quantile.difference, quantile.blocks, true, level);
	quantile.t = evidence.t;
	struct reported reported =
		reported_begin(&evidence, estimate, method_of(&evidence, what, all->cut_each, pair->arena));
	if (evidence.t > 0 && quantile.count) {
		if (all->cut_each)
			test_ranks(&reported, quantile.difference, quantile.blocks, true);
		const bool apart = estimate && is_significant(&quantile, first);
		quantile_interval(&reported, &quantile, first, way, base);
		if (reported.difference.low > reported.difference.high)
			reported.difference.method = "no interval, as its upper end is open";
		else
			set_sure(&reported, apart);
	}
	free(quantile.first);
	return reported;
}

/* ---- One run of each ---------------------------------------------------------------------------------- */

/* No interval can be made of what the blocks of jobs are. */
static const char *differences_blocks_why_not(const struct pair *pair)
{
	const struct differences *all = pair->all;
	const struct series *first = &all->series[0];
	const struct series *other = &all->series[pair->run];
	const bool there = other->submit.narrow || other->submit.wide;
	if (other->same != first->same)
		for (uint32_t i = 0; i < all->common_count && there; i++) {
			const uint32_t row = all->common[i];
			if (number_at(&first->submit, row) != number_at(&other->submit, other->matched[row]))
				return "no interval, as jobs were submitted at other times";
		}
	if (!all->cut_each && pair->block_count < BATCHES_LEAST)
		return "no interval, as fewer than 200 jobs ran in all";
	if (all->cut_each && pair->block_count < STATS_EFFECTIVE_LEAST)
		return "no interval, as there are fewer than 6 blocks of 10 jobs";
	return NULL;
}

int pair_begin(struct pair *pair, const struct differences *all, size_t run, struct sl_arena *arena,
	struct sl_err *err)
{
	*pair = (struct pair){ .all = all, .run = run, .arena = arena };
	pair->block = malloc(((size_t)all->common_count + 1) * sizeof(*pair->block));
	if (!pair->block)
		return sl_fail_memory(err);
	if (all->cut_each)
		cut_by_time(pair);
	else
		cut_by_count(pair);
	pair->why = differences_blocks_why_not(pair);
	return SL_OK;
}

void pair_end(struct pair *pair)
{
	free(pair->block);
	free(pair->a);
	free(pair->value);
	free(pair->other);
}

static bool pair_take(struct pair *pair, enum figure figure)
{
	const struct differences *all = pair->all;
	const uint32_t count = all->common_count;
	if (pair->a && pair->figure == figure)
		return true;
	if (!pair->a)
		pair->a = malloc((2 * (size_t)count + 1) * sizeof(*pair->a));
	if (!pair->a)
		return false;
	pair->b = pair->a + count;
	pair->figure = figure;
	pair->value_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		pair->a[i] = series_figure(&all->series[0], figure, all->common[i]);
		pair->b[i] = series_figure(&all->series[pair->run], figure, all->common[i]);
		if (isnan(pair->b[i]))
			pair->a[i] = pair->b[i];
	}
	return true;
}

struct reported pair_reported(struct pair *pair, const struct displayed_way *way, struct sl_err *err)
{
	const struct differences *all = pair->all;
	const int64_t estimate =
		*series_metric(all, pair->run, way->name) - *series_metric(all, 0, way->name);
	const char *why = all->why             ? all->why
			  : way->way == BY_RUN ? "no interval, one number a run"
					       : pair->why;
	const char *what = all->cut_each ? all->cut_each : "batches of jobs";
	struct reported reported;
	if (why)
		reported = untold(estimate, why);
	else if (!pair_take(pair, way->figure))
		reported = no_memory(err);
	else if (way->way == BY_MEAN)
		reported = of_mean(pair, way, what, err);
	else
		reported = of_quantile(pair, way, what, err);
	/* Where there is too little of it, that is known too. */
	if (why && (all->why || way->way != BY_RUN))
		reported.certainty.known = true;
	if (all->apart)
		reported.certainty.sure = 0;
	return reported;
}

/* ---- Independent samples --------------------------------------------------------------------------------
 */

/* Of n of each: the samples of both runs, their differences, and as many ones. */
struct sampled {
	const double *a, *b;
	double *difference, *one;
	unsigned n;
};

static void sampled_intervals(struct reported *reported, const struct sampled *of, int64_t first, double t)
{
	double low;
	double high;
	if (stats_ratio(of->difference, of->one, of->n, t, &low, &high)) {
		if (has_width(low, high))
			set_interval(reported, low, high);
		else
			reported->difference.method = no_width;
	}
	if (first > 0 && stats_ratio(of->b, of->a, of->n, t, &low, &high) && has_width(low, high))
		set_ratio(reported, first, low, high);
	if (reported->difference.low <= reported->difference.high)
		set_sure(reported, stats_significant(of->difference, of->n, t));
}

struct reported reported_by_samples(const struct differences *all, const double *a, const double *b,
	unsigned n, bool serial, const char *what, struct sl_err *err)
{
	double *capacity = calloc(2 * (size_t)n + 1, sizeof(*capacity));
	if (!capacity)
		return no_memory(err);
	const struct sampled of = { a, b, capacity, capacity + n, n };
	double sum[2] = { 0, 0 };
	for (unsigned i = 0; i < n; i++) {
		of.difference[i] = b[i] - a[i];
		of.one[i] = 1;
		sum[0] += a[i];
		sum[1] += b[i];
	}
	const struct stats_evidence evidence = stats_evidence(of.difference, n, serial, level);
	const int64_t first = difference_micro(n ? sum[0] / n : 0);
	struct reported reported = reported_begin(&evidence, difference_micro(n ? (sum[1] - sum[0]) / n : 0),
		method_of(&evidence, what, all->cut_each, all->arena));
	if (evidence.t > 0) {
		test_ranks(&reported, of.difference, n, serial);
		sampled_intervals(&reported, &of, first, evidence.t);
	}
	free(capacity);
	return reported;
}
