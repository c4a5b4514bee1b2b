/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waits.c - forecasts without a simulator: how long the user's latest jobs waited, and similar ones.
 */
#include <stdlib.h>

#include "models/forecast/forecast_models.h"

enum { OF_USER = 20, OF_SIMILAR = 1000 };

const double forecast_probability[FORECAST_QUANTILES] = { 0.05, 0.10, 0.50, 0.90, 0.95 };

struct past {
	int64_t key;
	sl_time start, wait;
	uint32_t job;
};

struct forecast_waits {
	struct past *user, *similar; /* By key, the latest first. */
	size_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct past *x = a;
	const struct past *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->start != y->start)
		return x->start > y->start ? -1 : 1;
	return (x->job < y->job) - (x->job > y->job);
}

static int64_t similar_key(const struct forecast_job *job)
{
	int64_t class = 0;
	for (int64_t size = job->size; size > 1; size = (size + 1) / 2)
		class ++;
	return (int64_t)job->partition * 64 + class;
}

struct forecast_waits *forecast_waits_new(
	const struct forecast_job *job, size_t count, sl_time until, struct sl_err *err)
{
	struct forecast_waits *waits = calloc(1, sizeof(*waits));
	if (waits) {
		waits->user = malloc((count + 1) * sizeof(*waits->user));
		waits->similar = malloc((count + 1) * sizeof(*waits->similar));
	}
	if (!waits || !waits->user || !waits->similar) {
		(void)sl_fail_memory(err);
		forecast_waits_free(waits);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (job[i].start == SL_NONE || job[i].start > until || job[i].cancel != SL_NONE)
			continue;
		const struct past past = { job[i].user, job[i].start, job[i].start - job[i].submit,
			(uint32_t)i };
		waits->user[waits->count] = waits->similar[waits->count] = past;
		waits->similar[waits->count++].key = similar_key(&job[i]);
	}
	qsort(waits->user, waits->count, sizeof(*waits->user), by_key);
	qsort(waits->similar, waits->count, sizeof(*waits->similar), by_key);
	return waits;
}

void forecast_waits_free(struct forecast_waits *waits)
{
	if (!waits)
		return;
	free(waits->user);
	free(waits->similar);
	free(waits);
}

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

/* The latest of that key that waited longer than that, ascending. */
static size_t longer(
	const struct past *past, size_t count, int64_t key, sl_time waited, sl_time *wait, size_t most)
{
	size_t low = 0;
	size_t high = count;
	size_t found = 0;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (past[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && past[low].key == key && found < most; low++)
		if (past[low].wait > waited)
			wait[found++] = past[low].wait;
	qsort(wait, found, sizeof(*wait), by_time);
	return found;
}

bool forecast_waits_user(const struct forecast_waits *waits, const struct forecast_job *job, sl_time waited,
	sl_time wait[FORECAST_QUANTILES])
{
	sl_time of_user[OF_USER];
	const size_t n = longer(waits->user, waits->count, job->user, waited, of_user, OF_USER);
	for (int i = 0; n && i < FORECAST_QUANTILES; i++)
		wait[i] = forecast_quantile(of_user, n, forecast_probability[i]);
	return n > 0;
}

/* The lower bound of a quantile is the upper one seen from the other side. */
static sl_time bounded(const sl_time *ascending, size_t n, double q)
{
	enum { CONFIDENCE = 95 };
	if (q > 0.5) {
		const size_t rank = forecast_bound(n, q, CONFIDENCE / 100.0);
		return ascending[(rank > n ? n : rank) - 1];
	}
	const size_t rank = forecast_bound(n, 1 - q, CONFIDENCE / 100.0);
	return ascending[rank > n ? 0 : n - rank];
}

bool forecast_waits_similar(const struct forecast_waits *waits, const struct forecast_job *job,
	sl_time waited, sl_time wait[FORECAST_QUANTILES])
{
	sl_time similar[OF_SIMILAR];
	const size_t n = longer(waits->similar, waits->count, similar_key(job), waited, similar, OF_SIMILAR);
	for (int i = 0; n && i < FORECAST_QUANTILES; i++)
		wait[i] = i == FORECAST_P50 ? forecast_quantile(similar, n, 0.5)
					    : bounded(similar, n, forecast_probability[i]);
	return n > 0;
}
