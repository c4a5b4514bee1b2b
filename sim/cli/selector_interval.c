/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector_interval.c - how sure a figure of one run is: jobs of one trace wait for each other, so they are
 * drawn anew in batches that follow each other (circular block bootstrap, Politis and Romano 1992), as
 * compare does for quantiles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/selector_parts.h"
#include "sim/stats.h"

enum { CELLS = 100, BATCHES = 20, DRAWS = 1000, CHUNKS = 256 };

struct valued {
	int64_t value;
	size_t at; /* Its place among the jobs. */
};

/* Jobs in cells of as many; their values in ascending order, in chunks of which is known how many are of each
 * cell, so that the quantile of cells drawn any number of times is found without a look at all values. */
struct cells {
	size_t count, chunk;
	unsigned hundredth;
	struct valued *sorted;
	uint32_t (*in_chunk)[CELLS];
	size_t jobs[CELLS];
	double sum[CELLS];
};

static size_t cell_of(const struct cells *cells, size_t at) { return at * CELLS / cells->count; }

static int by_value(const void *a, const void *b)
{
	const struct valued *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool cells_make(struct cells *cells, const int64_t *value, size_t count, unsigned hundredth)
{
	*cells = (struct cells){
		.count = count, .chunk = (count + CHUNKS - 1) / CHUNKS, .hundredth = hundredth
	};
	cells->sorted = malloc(count * sizeof(*cells->sorted));
	cells->in_chunk = calloc(CHUNKS, sizeof(*cells->in_chunk));
	if (!cells->sorted || !cells->in_chunk)
		return false;
	for (size_t i = 0; i < count; i++) {
		cells->sorted[i] = (struct valued){ value[i], i };
		cells->jobs[cell_of(cells, i)]++;
		cells->sum[cell_of(cells, i)] += (double)value[i];
	}
	qsort(cells->sorted, count, sizeof(*cells->sorted), by_value);
	for (size_t i = 0; i < count; i++)
		cells->in_chunk[i / cells->chunk][cell_of(cells, cells->sorted[i].at)]++;
	return true;
}

static void cells_release(struct cells *cells)
{
	free(cells->sorted);
	free(cells->in_chunk);
}

/* The value of nearest rank, each cell taken so many times. */
static double quantile(const struct cells *cells, const unsigned times[CELLS])
{
	size_t total = 0;
	for (size_t i = 0; i < CELLS; i++)
		total += cells->jobs[i] * times[i];
	size_t left = (total * cells->hundredth + 99) / 100;
	size_t chunk = 0;
	for (; chunk < CHUNKS - 1; chunk++) {
		size_t here = 0;
		for (size_t i = 0; i < CELLS; i++)
			here += (size_t)cells->in_chunk[chunk][i] * times[i];
		if (here >= left)
			break;
		left -= here;
	}
	size_t i = chunk * cells->chunk;
	for (; i + 1 < cells->count; i++) {
		const size_t here = times[cell_of(cells, cells->sorted[i].at)];
		if (here >= left)
			break;
		left -= here;
	}
	return (double)cells->sorted[i < cells->count ? i : cells->count - 1].value;
}

static double figure(void *self, const unsigned *which, unsigned n)
{
	const struct cells *cells = self;
	unsigned times[CELLS] = { 0 };
	double sum = 0, jobs = 0;
	for (unsigned i = 0; i < n; i++) {
		times[which[i]]++;
		sum += cells->sum[which[i]];
		jobs += (double)cells->jobs[which[i]];
	}
	return cells->hundredth ? quantile(cells, times) : sum / jobs;
}

int selector_interval(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *low, int64_t *high, struct sl_err *err)
{
	size_t count = 0;
	*low = 1;
	*high = 0;
	if (selector->figure < FIGURE_SPREAD)
		return SL_OK;
	int64_t *value = malloc(((size_t)result->jobs->count + 1) * sizeof(*value));
	if (!value)
		return sl_fail_memory(err);
	int status = selector_spread(selector, scenario, result, value, &count, err);
	struct cells cells = { 0 };
	const struct stats_blocks blocks = { figure, &cells, CELLS, CELLS / BATCHES, DRAWS, 1,
		"selector/interval" };
	struct stats_interval interval;
	if (!status && count >= SELECTOR_INTERVAL_JOBS) {
		if (!cells_make(&cells, value, count, selector->hundredth) ||
			!stats_bootstrap(&blocks, 0.95, &interval))
			status = sl_fail_memory(err);
		else {
			const double unit = selector_per_micro(selector);
			*low = (int64_t)llround(interval.low / unit);
			*high = (int64_t)llround(interval.high / unit);
		}
		cells_release(&cells);
	}
	free(value);
	return status;
}
