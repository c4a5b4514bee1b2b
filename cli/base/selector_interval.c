/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector_interval.c - how sure a figure of one run is: jobs of one trace wait for each other, so what is
 * counted are batches of them, as where runs are compared (differences_blocks.c): a t test over the batches
 * turned round, with as many degrees of freedom as there are effective ones. A batch in which no job waits
 * has no information on waits; nor has one without a job beyond a quantile any on that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector_parts.h"
#include "sim/base/stats.h"

enum { BATCHES = 40, BATCH_JOBS = 10 };
static const double level = 0.95;

struct valued {
	int64_t value;
	unsigned batch;
};

/* By batch: its jobs, what they add up to, how many more of them are beyond a value than should be. */
struct batches {
	unsigned count;
	size_t jobs;
	double size[BATCHES], sum[BATCHES], beyond[BATCHES], t;
	struct valued *sorted; /* In ascending order. */
	unsigned hundredth;
};

static int selector_interval_by_value(const void *a, const void *b)
{
	const struct valued *x = a;
	const struct valued *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->batch > y->batch) - (x->batch < y->batch);
}

static bool batches_make(struct batches *batches, const int64_t *value, size_t jobs, unsigned hundredth)
{
	const size_t count = jobs / BATCH_JOBS < BATCHES ? jobs / BATCH_JOBS : BATCHES;
	*batches = (struct batches){ .count = (unsigned)count, .jobs = jobs, .hundredth = hundredth };
	batches->sorted = malloc((jobs + 1) * sizeof(*batches->sorted));
	if (!batches->sorted)
		return false;
	for (size_t i = 0; i < jobs; i++) {
		const unsigned batch = (unsigned)(i * count / jobs);
		batches->sorted[i] = (struct valued){ value[i], batch };
		batches->size[batch]++;
		batches->sum[batch] += (double)value[i];
	}
	qsort(batches->sorted, jobs, sizeof(*batches->sorted), selector_interval_by_value);
	return true;
}

/* A batch counts by what it has over the least value, which is no slowdown, or no wait; no mean is below it.
 * */
static bool of_mean(struct batches *batches, double *low, double *high)
{
	const double least = (double)batches->sorted[0].value;
	for (unsigned i = 0; i < batches->count; i++)
		batches->beyond[i] = batches->sum[i] - least * batches->size[i];
	batches->t = stats_evidence(batches->beyond, batches->count, true, level).t;
	if (!stats_ratio(batches->sum, batches->size, batches->count, batches->t, low, high))
		return false;
	*low = *low > least ? *low : least;
	return true;
}

static void count_beyond(struct batches *batches, int64_t value)
{
	memset(batches->beyond, 0, sizeof(batches->beyond));
	for (size_t i = batches->jobs; i-- && batches->sorted[i].value > value;)
		batches->beyond[batches->sorted[i].batch]++;
}

/* So many are beyond the value of that rank that it differs significantly from the quantile. */
static bool is_significant(struct batches *batches, size_t rank)
{
	count_beyond(batches, batches->sorted[rank].value);
	for (unsigned i = 0; i < batches->count; i++)
		batches->beyond[i] -= batches->size[i] * (100 - batches->hundredth) / 100;
	return stats_significant(batches->beyond, batches->count, batches->t);
}

/* Between a rank that does not differ significantly and one that does: the latter. */
static size_t border(struct batches *batches, size_t alike, size_t apart)
{
	while ((alike < apart ? apart - alike : alike - apart) > 1) {
		const size_t at = alike < apart ? alike + (apart - alike) / 2 : alike - (alike - apart) / 2;
		if (is_significant(batches, at))
			apart = at;
		else
			alike = at;
	}
	return apart;
}

static bool of_quantile(struct batches *batches, double *low, double *high)
{
	const size_t rank = (batches->jobs * batches->hundredth + 99) / 100;
	const size_t at = rank ? rank - 1 : 0;
	const size_t last = batches->jobs - 1;
	count_beyond(batches, batches->sorted[at].value);
	for (unsigned i = 0; i < batches->count && batches->hundredth < 50; i++)
		batches->beyond[i] = batches->size[i] - batches->beyond[i]; /* Those are the fewer. */
	batches->t = stats_evidence(batches->beyond, batches->count, true, level).t;
	if (!(batches->t > 0) || is_significant(batches, at) || !is_significant(batches, last))
		return false; /* No value is so large that it differs significantly. */
	*high = (double)batches->sorted[border(batches, at, last)].value;
	*low = (double)batches->sorted[is_significant(batches, 0) ? border(batches, at, 0) + 1 : 0].value;
	return true;
}

int selector_interval(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *low, int64_t *high, struct sl_err *err)
{
	size_t count = 0;
	double ends[2];
	*low = 1;
	*high = 0;
	if (selector->figure < FIGURE_SPREAD)
		return SL_OK;
	int64_t *value = malloc(((size_t)result->jobs->count + 1) * sizeof(*value));
	if (!value)
		return sl_fail_memory(err);
	int status = selector_spread(selector, scenario, result, value, &count, err);
	struct batches batches = { 0 };
	if (!status && count >= SELECTOR_INTERVAL_JOBS &&
		!batches_make(&batches, value, count, selector->hundredth))
		status = sl_fail_memory(err);
	const bool known = !status && batches.sorted &&
			   (selector->hundredth ? of_quantile(&batches, &ends[0], &ends[1])
						: of_mean(&batches, &ends[0], &ends[1]));
	if (known && ends[0] < ends[1]) {
		const double unit = selector_per_micro(selector);
		*low = (int64_t)llround(ends[0] / unit);
		*high = (int64_t)llround(ends[1] / unit);
	}
	free(batches.sorted);
	free(value);
	return status;
}
