/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics.c - exact quotients, nearest-rank quantiles, slowdowns, evenness.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

static unsigned bits_of(metrics_wide value)
{
	unsigned bits = 0;
	for (; value; value >>= 1)
		bits++;
	return bits;
}

int64_t metrics_ratio_micro(metrics_wide top, metrics_wide bottom, uint64_t scale)
{
	if (!bottom)
		return 0;
	/* 20 bits for the scale, two to round: what is shifted out is below 2^-80 of the whole. */
	while (bits_of(top) > 105 || bits_of(bottom) > 126) {
		top >>= 1;
		bottom >>= 1;
	}
	if (!bottom)
		return INT64_MAX;
	top *= scale;
	const metrics_wide whole = top / bottom;
	const metrics_wide value = whole + ((top - whole * bottom) * 2 >= bottom);
	return value <= INT64_MAX ? (int64_t)value : INT64_MAX;
}

void metrics_put(
	struct sl_metrics *metrics, const char *name, metrics_wide top, metrics_wide bottom, uint64_t scale)
{
	const int64_t value = metrics_ratio_micro(top, bottom, scale);
	if (value < INT64_MAX)
		sl_metric_put(metrics, name, value);
}

void metrics_put_jain(struct sl_metrics *metrics, const char *name, metrics_wide *x, size_t count)
{
	metrics_wide sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += x[i];
	unsigned bits = 0;
	for (metrics_wide all = sum; all; all >>= 1)
		bits++;
	for (size_t all = count; all; all >>= 1)
		bits++;
	/* Low bits go, until the squares fit. */
	const unsigned drop = bits > 63 ? bits - 63 : 0;
	metrics_wide squares = 0;
	sum = 0;
	for (size_t i = 0; i < count; i++) {
		x[i] >>= drop;
		sum += x[i];
		squares += x[i] * x[i];
	}
	if (sum)
		metrics_put(metrics, name, sum * sum, count * squares, METRICS_MICRO);
}

static void insertion_sort(int64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const int64_t value = values[i];
		size_t k = i;
		for (; k && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

enum { SMALL = 16, DIGIT_BITS_MAX = 11 };

/* By the leading digit of value - least: a histogram, then only the digit's own values. A digit has about as
 * many forms as there are values, so that small groups are cheap too. */
int64_t metrics_select(int64_t *values, size_t count, size_t k)
{
	while (count > SMALL) {
		int64_t least = values[0];
		int64_t most = values[0];
		for (size_t i = 1; i < count; i++) {
			least = values[i] < least ? values[i] : least;
			most = values[i] > most ? values[i] : most;
		}
		if (least == most)
			return least;
		const unsigned wide = bits_of((metrics_wide)(most - least));
		const unsigned fit = bits_of(count);
		const unsigned digit = fit < DIGIT_BITS_MAX ? fit : DIGIT_BITS_MAX;
		const unsigned shift = wide > digit ? wide - digit : 0;
		uint32_t number[1 << DIGIT_BITS_MAX];
		memset(number, 0, sizeof(*number) << digit);
		for (size_t i = 0; i < count; i++)
			number[(uint64_t)(values[i] - least) >> shift]++;
		uint64_t chosen = 0;
		for (; k >= number[chosen]; chosen++)
			k -= number[chosen];
		size_t kept = 0;
		for (size_t i = 0; i < count; i++) {
			values[kept] = values[i];
			kept += (uint64_t)(values[i] - least) >> shift == chosen;
		}
		count = kept;
	}
	insertion_sort(values, count);
	return values[k];
}

sl_time metrics_last_submit(const struct sl_result *result)
{
	const struct sl_jobs *jobs = result->jobs;
	sl_time last = jobs->count ? jobs->submit[jobs->count - 1] : 0;
	for (uint32_t row = 0; result->moved && row < jobs->count; row++)
		last = jobs->submit[row] > last ? jobs->submit[row] : last;
	return last;
}

uint32_t metrics_first(const struct sl_result *result)
{
	uint32_t row = 0;
	while (row < result->jobs->count && result->jobs->submit[row] < result->first)
		row++;
	return row;
}

struct metrics_span metrics_span_of(const struct sl_result *result)
{
	const sl_time *submit = result->jobs->submit;
	const sl_time warmup = result->warmup != SL_NONE ? result->warmup : 0;
	struct metrics_span span = { .first = metrics_first(result), .until = result->jobs->count };
	span.cut = warmup > 0 || result->cooldown > 0;
	if (!span.cut)
		return span;
	span.from = warmup < INT64_MAX - result->first ? result->first + warmup : INT64_MAX;
	span.to = metrics_last_submit(result) - result->cooldown;
	span.sieve = result->moved;
	while (!span.sieve && span.first < span.until && submit[span.first] < span.from)
		span.first++;
	while (!span.sieve && span.until > span.first && submit[span.until - 1] > span.to)
		span.until--;
	return span;
}

/* Of one interval. */
static sl_time metrics_within(const struct sl_attempt *interval, sl_time from, sl_time to)
{
	from = interval->start > from ? interval->start : from;
	to = interval->end < to ? interval->end : to;
	if (to <= from)
		return 0;
	const sl_time held = to - from;
	return interval->suspended
		       ? held - sl_mul_div(interval->suspended, held, interval->end - interval->start)
		       : held;
}

sl_time metrics_held_within(const struct sl_result *result, uint32_t row, sl_time from, sl_time to)
{
	const struct sl_attempt *attempt = NULL;
	const size_t count = result->attempt_count ? sl_attempts_of(result, row, &attempt) : 0;
	const struct sl_attempt only = { .start = result->start[row],
		.end = result->end[row] != SL_NONE ? result->end[row] : result->last,
		.suspended = result->suspended ? result->suspended[row] : 0 };
	sl_time held = count ? 0 : metrics_within(&only, from, to);
	for (size_t i = 0; i < count; i++)
		held += metrics_within(&attempt[i], from, to);
	return held;
}

size_t metrics_rank(size_t count, unsigned q) { return (count * q + 99) / 100 - 1; }

/* Buckets of like magnitude: the leading bits of a value, and how many follow. Ascending in the value. */
enum { LEAD_BITS = 6, BUCKETS = 64 << LEAD_BITS };

static inline unsigned bucket_of(int64_t value)
{
	const uint64_t size = (uint64_t)value;
	if (size < 1U << LEAD_BITS)
		return (unsigned)size;
	const unsigned behind = 63 - (unsigned)__builtin_clzll(size) - LEAD_BITS;
	return ((behind + 1) << LEAD_BITS) + (unsigned)(size >> behind & ((1U << LEAD_BITS) - 1));
}

int metrics_values_make(struct metrics_values *values, uint32_t capacity, int64_t least, struct sl_err *err)
{
	*values = (struct metrics_values){ .least = least };
	values->value = malloc(((size_t)capacity + 1) * sizeof(*values->value));
	return values->value ? SL_OK : sl_fail_memory(err);
}

void metrics_values_release(struct metrics_values *values)
{
	free(values->value);
	*values = (struct metrics_values){ 0 };
}

/* A bucket of which the rank-th smallest value is wanted. */
struct wanted {
	unsigned bucket;
	size_t rank;
	int64_t *value; /* A copy of the bucket's, which metrics_select uses up. */
};

/* The values of all wanted buckets, ascending, in one walk over all; the caller frees the array. */
static int64_t *gather(
	const struct metrics_values *values, const uint32_t *number, struct wanted *wanted, size_t count)
{
	int64_t *next[BUCKETS] = { NULL }; /* By bucket, where its next one goes; NULL: it is not wanted. */
	size_t total = 0;
	for (size_t i = 0; i < count; i++)
		total += number[wanted[i].bucket];
	int64_t *all = malloc((total + 1) * sizeof(*all));
	int64_t *begin = all;
	for (size_t i = 0; all && i < count; i++) {
		const unsigned bucket = wanted[i].bucket;
		wanted[i].value = begin;
		if (!next[bucket])
			next[bucket] = begin;
		begin += number[bucket];
	}
	for (size_t i = 0; all && i < values->count; i++) {
		int64_t **to = &next[bucket_of(values->value[i])];
		if (*to)
			*(*to)++ = values->value[i];
	}
	for (size_t i = 1; all && i < count; i++)
		if (wanted[i].bucket == wanted[i - 1].bucket)
			memcpy(wanted[i].value, wanted[i - 1].value, number[wanted[i].bucket] * sizeof(*all));
	return all;
}

int metrics_put_quantiles(struct sl_metrics *metrics, const struct metrics_values *values,
	const struct metrics_quantile *quantile, size_t count, unsigned per_micro, struct sl_err *err)
{
	uint32_t number[BUCKETS] = { 0 };
	struct wanted wanted[METRICS_QUANTILES_MAX];
	size_t chosen = 0;
	const size_t total = values->least_count + values->count;
	SL_CHECK(count <= METRICS_QUANTILES_MAX);
	for (size_t i = 0; i < values->count; i++)
		number[bucket_of(values->value[i])]++;
	for (size_t i = 0; total && i < count; i++) {
		size_t k = metrics_rank(total, quantile[i].hundredth);
		unsigned bucket = 0;
		if (k < values->least_count)
			continue;
		for (k -= values->least_count; k >= number[bucket]; bucket++)
			k -= number[bucket];
		wanted[chosen++] = (struct wanted){ .bucket = bucket, .rank = k };
	}
	int64_t *gathered = gather(values, number, wanted, chosen);
	if (!gathered)
		return sl_fail_memory(err);
	chosen = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t value = total ? values->least : 0;
		if (total && metrics_rank(total, quantile[i].hundredth) >= values->least_count) {
			const struct wanted *one = &wanted[chosen++];
			value = metrics_select(one->value, number[one->bucket], one->rank);
		}
		metrics_put(metrics, quantile[i].name, (metrics_wide)value, per_micro, 1);
	}
	free(gathered);
	return SL_OK;
}

uint64_t metrics_nano(uint64_t top, uint64_t bottom)
{
	if (top > UINT64_MAX / METRICS_NANO && top % METRICS_MICRO == 0 && bottom % METRICS_MICRO == 0) {
		top /= METRICS_MICRO; /* Whole seconds, as most logs have: 64 bits are enough. */
		bottom /= METRICS_MICRO;
	}
	if (top <= UINT64_MAX / METRICS_NANO) {
		top *= METRICS_NANO;
		const uint64_t whole = top / bottom;
		return whole + (top - whole * bottom >= bottom - bottom / 2);
	}
	const metrics_wide wide = (metrics_wide)top * METRICS_NANO;
	const metrics_wide whole = wide / bottom;
	SL_CHECK(whole < UINT64_MAX);
	return (uint64_t)whole + (wide - whole * bottom >= bottom - bottom / 2);
}

uint64_t metrics_bounded_slowdown(const struct sl_result *result, uint32_t row)
{
	return metrics_bounded(result->end[row] - result->jobs->submit[row], metrics_held(result, row));
}
