/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_warmup.c - how long the run took to forget that it began empty.
 *
 * MSER-5: waits in submit order, in batches of five; the first d batches are cut that leave the smallest
 * standard error of the mean of the rest, d at most half of them. With Y_i the batch means and k = n - d,
 * that is the least sum (Y_i - Y)^2 / k^2 = (k sum Y_i^2 - (sum Y_i)^2) / k^3; its top is computed in
 * integers, of batch sums, and only the division is of doubles. The smallest d wins a tie.
 * White 1997: An effective truncation heuristic for bias reduction in simulation output.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>

enum { BATCH = 5 };

/* Sums of five waits each, and the row of each batch's first job. */
struct batches {
	uint64_t *sum;
	uint32_t *row;
	size_t count;
	uint64_t most;
};

struct submission {
	sl_time at;
	uint32_t row;
};

static int by_submission(const void *a, const void *b)
{
	const struct submission *x = a;
	const struct submission *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Rows in order of submission, where that is not theirs; NULL: it is, or memory is out. */
static struct submission *order_of(const struct sl_result *result)
{
	const uint32_t count = result->jobs->count;
	struct submission *order = result->moved ? malloc(((size_t)count + 1) * sizeof(*order)) : NULL;
	for (uint32_t row = 0; order && row < count; row++)
		order[row] = (struct submission){ result->jobs->submit[row], row };
	if (order)
		qsort(order, count, sizeof(*order), by_submission);
	return order;
}

static int batches_make(struct batches *batches, const struct sl_result *result, struct sl_err *err)
{
	const size_t capacity = result->jobs->count / BATCH + 1;
	*batches = (struct batches){ 0 };
	batches->sum = malloc(capacity * sizeof(*batches->sum));
	batches->row = malloc(capacity * sizeof(*batches->row));
	struct submission *order = order_of(result);
	if (!batches->sum || !batches->row || (result->moved && !order)) {
		free(order);
		free(batches->sum);
		free(batches->row);
		return sl_fail_memory(err);
	}
	unsigned held = 0;
	for (uint32_t i = metrics_first(result); i < result->jobs->count; i++) {
		const uint32_t row = order ? order[i].row : i;
		if (!metrics_started(result, row))
			continue;
		uint64_t *sum = &batches->sum[batches->count];
		if (!held++) {
			*sum = 0;
			batches->row[batches->count] = row;
		}
		*sum += (uint64_t)metrics_wait(result, row);
		if (held < BATCH)
			continue;
		batches->most = *sum > batches->most ? *sum : batches->most;
		batches->count++;
		held = 0;
	}
	free(order);
	return SL_OK;
}

/* Sums lose this many low bits, so that count * count * sum^2 stays within 126 bits: none in a million jobs
 * that wait up to a month each. */
static unsigned bits_to_drop(const struct batches *batches)
{
	unsigned bits = 0;
	for (uint64_t count = batches->count; count; count >>= 1)
		bits++;
	for (uint64_t most = batches->most; most; most >>= 1)
		bits++;
	return bits > 63 ? bits - 63 : 0;
}

static size_t batches_to_cut(const struct batches *batches)
{
	const unsigned drop = bits_to_drop(batches);
	metrics_wide sum = 0;
	metrics_wide squares = 0;
	double best = 0;
	size_t cut = 0;
	bool any = false;
	for (size_t d = batches->count; d-- > 0;) {
		const uint64_t batch = batches->sum[d] >> drop;
		sum += batch;
		squares += (metrics_wide)batch * batch;
		if (d > batches->count / 2)
			continue;
		const uint64_t kept = batches->count - d;
		const double k = (double)kept;
		const double error = (double)(kept * squares - sum * sum) / (k * k * k);
		if (any && error > best)
			continue;
		any = true;
		best = error;
		cut = d;
	}
	return cut;
}

int metrics_warmup(const struct sl_result *result, sl_time *warmup, struct sl_err *err)
{
	*warmup = result->warmup;
	if (*warmup != SL_NONE)
		return SL_OK;
	struct batches batches;
	const int status = batches_make(&batches, result, err);
	if (status)
		return status;
	const size_t cut = batches_to_cut(&batches);
	*warmup = cut ? result->jobs->submit[batches.row[cut]] - result->first : 0;
	free(batches.sum);
	free(batches.row);
	return SL_OK;
}
