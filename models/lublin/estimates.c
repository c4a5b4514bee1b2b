/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * estimates.c - the run times that users request: no estimate is below its run.
 *
 * D. Tsafrir, Y. Etsion, D. G. Feitelson, "Modeling user runtime estimates",
 * JSSPP 2005, after the authors' code. A histogram of a few dozen to a few
 * hundred values, of which 20 "head" values serve 89 % of the jobs, the
 * largest allowed being the most popular; then one of the assignments in
 * which each job requests at least what it will run, drawn uniformly.
 *
 * Where the paper leaves a choice, or does not reach:
 * - Beyond 250 000 jobs the number of bins stays at its last point, 565; only
 *   the counts grow. Below 200 jobs it is less than 20: there is no tail then,
 *   and only the most popular of the head remain, in the same proportions.
 * - A maximum so small that multiples of 5 minutes do not make 20 values goes
 *   on with multiples of 1 minute.
 * - The two members of the pool of ranks are drawn with replacement.
 * - If a legal assignment needs more of the maximum than its share, its count
 *   is the smallest with which one exists, and the other bins share the rest
 *   in their old proportions.
 */
#include "models/lublin/lublin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 20, BINS_MAX = 565, MINUTE = 60, HOUR = 3600 };

/* Shares are in parts of 10^12 of all jobs. */
static const int64_t share_head = INT64_C(890000000000);
static const int64_t share_tail = INT64_C(110000000000);

/* By rank of popularity; [0] is the largest estimate allowed. */
struct bins {
	uint32_t count;
	int32_t time[BINS_MAX]; /* Seconds, all different. */
	int64_t share[BINS_MAX];
	uint32_t jobs[BINS_MAX];
};

static uint32_t bin_count(uint32_t jobs)
{
	static const struct {
		int64_t jobs, bins;
	} point[] = { { 0, 0 }, { 20, 10 }, { 200, 20 }, { 1000, 35 }, { 10000, 90 }, { 70000, 340 },
		{ 250000, BINS_MAX } };
	for (size_t i = 1; i < SL_LEN(point); i++) {
		if (jobs > point[i].jobs)
			continue;
		const int64_t bins = point[i - 1].bins + sl_mul_div(jobs - point[i - 1].jobs,
								 point[i].bins - point[i - 1].bins,
								 point[i].jobs - point[i - 1].jobs);
		return bins > 0 ? (uint32_t)bins : 1;
	}
	return BINS_MAX;
}

static bool taken(const int32_t *time, uint32_t count, int32_t wanted)
{
	for (uint32_t i = 0; i < count; i++)
		if (time[i] == wanted)
			return true;
	return false;
}

/* ---- The head ------------------------------------------------------------------ */

static int estimates_ascending(const void *a, const void *b)
{
	const int32_t left = *(const int32_t *)a;
	const int32_t right = *(const int32_t *)b;
	return (left > right) - (left < right); /* No two are equal. */
}

/* The 19 head values below max, ascending. */
static void head_times(int32_t time[HEAD - 1], int32_t max)
{
	static const int32_t usual[] = { 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE, 30 * MINUTE, HOUR,
		2 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR, 6 * HOUR, 8 * HOUR, 10 * HOUR, 12 * HOUR, 18 * HOUR };
	static const int32_t unit[] = { 200 * HOUR, 100 * HOUR, 50 * HOUR, 10 * HOUR, 5 * HOUR, 2 * HOUR,
		HOUR, 20 * MINUTE, 10 * MINUTE, 5 * MINUTE, MINUTE };
	uint32_t count = 0;
	for (size_t i = 0; i < SL_LEN(usual); i++)
		if (usual[i] < max)
			time[count++] = usual[i];
	for (size_t i = 0; i < SL_LEN(unit); i++) {
		for (int32_t t = (max - 1) / unit[i] * unit[i]; t > 0 && count < HEAD - 1; t -= unit[i])
			if (!taken(time, count, t))
				time[count++] = t;
	}
	SL_CHECK(count == HEAD - 1); /* An hour or more has 59 whole minutes below it. */
	qsort(time, HEAD - 1, sizeof(*time), estimates_ascending);
}

static void head_shares(int64_t share[HEAD])
{
	share[0] = share_head;
	for (int rank = 2; rank <= HEAD; rank++) {
		const double percent = 14.0491 * sl_exp(-0.177531 * rank) + 0.462513;
		share[rank - 1] = (int64_t)(percent * 1e10);
		share[0] -= share[rank - 1];
	}
}

/* Which rank of popularity the values of CTC SP2, SDSC SP2, KTH SP2 and SDSC Blue have, by time ascending. */
static const uint8_t ranks_seen[HEAD][4] = { { 3, 1, 1, 1 }, { 1, 3, 4, 6 }, { 4, 4, 10, 5 },
	{ 17, 2, 14, 3 }, { 13, 12, 20, 7 }, { 7, 9, 2, 2 }, { 8, 8, 3, 18 }, { 18, 18, 7, 19 },
	{ 2, 6, 12, 4 }, { 6, 7, 6, 11 }, { 16, 11, 19, 20 }, { 10, 20, 5, 9 }, { 5, 16, 18, 10 },
	{ 15, 5, 16, 14 }, { 14, 14, 9, 13 }, { 19, 13, 17, 16 }, { 11, 10, 15, 15 }, { 12, 15, 13, 17 },
	{ 9, 17, 8, 8 }, { 20, 19, 11, 12 } };

/* rank_at[t]: the popularity, from 2, of the t-th shortest head value. */
static void head_ranks(uint8_t rank_at[HEAD - 1], uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "models/tsafrir/ranks");
	uint8_t last[HEAD + 1] = { 0 };
	for (int t = 0; t < HEAD; t++)
		for (size_t i = 0; i < 4; i++)
			last[ranks_seen[t][i]] = (uint8_t)t;

	bool used[HEAD + 1] = { [1] = true }; /* Rank 1 is the maximum's. */
	uint8_t pool[HEAD * 4];
	for (int t = 0; t < HEAD - 1; t++) {
		size_t size = 0;
		for (size_t i = 0; i < ((size_t)t + 1) * 4; i++)
			if (!used[ranks_seen[i / 4][i % 4]])
				pool[size++] = ranks_seen[i / 4][i % 4];
		uint8_t rank = 2;
		while (rank <= HEAD && (used[rank] || last[rank] > t))
			rank++;
		if (rank > HEAD) { /* None is at its last chance. */
			const uint8_t one = pool[sl_rng_below(&rng, size)];
			const uint8_t other = pool[sl_rng_below(&rng, size)];
			rank = one < other ? one : other;
		}
		used[rank] = true;
		rank_at[t] = rank;
	}
}

static void head_make(struct bins *bins, uint32_t wanted, int32_t max, uint64_t seed)
{
	int32_t time[HEAD - 1];
	uint8_t rank_at[HEAD - 1];
	head_times(time, max);
	head_ranks(rank_at, seed);
	head_shares(bins->share);
	bins->time[0] = max;
	for (size_t t = 0; t < HEAD - 1; t++)
		bins->time[rank_at[t] - 1] = time[t];
	bins->count = wanted < HEAD ? wanted : HEAD;
}

/* ---- The tail ------------------------------------------------------------------- */

/* The time of the i-th of n, moved a little if it is taken; 0 where it is not free. */
static int32_t tail_time(const struct bins *bins, double a, uint32_t i, uint32_t n)
{
	static const int32_t move[] = { 0, 30, -30, 20, -20, 10, -10 };
	const int32_t max = bins->time[0];
	const double x = (double)i / n;
	const int32_t minute = (int32_t)floor(max * (a - 1) * x / (a - x) / MINUTE + 0.5) * MINUTE;
	for (size_t m = 0; m < SL_LEN(move); m++) {
		const int32_t t = minute + move[m];
		if (t > 0 && t < max && !taken(bins->time, bins->count, t))
			return t;
	}
	return 0;
}

static void tail_make(struct bins *bins, uint32_t wanted, uint64_t seed)
{
	if (wanted <= HEAD)
		return;
	const uint32_t n = wanted - HEAD;
	const double a = 1 + 12.1039 * sl_exp(-0.6026 * sl_ln(wanted));
	for (uint32_t i = 1; i <= n; i++) {
		const int32_t t = tail_time(bins, a, i, n);
		if (t)
			bins->time[bins->count++] = t;
	}
	/* Which of them are popular is a random permutation. */
	struct sl_rng rng = sl_rng_stream(seed, "models/tsafrir/tail");
	for (uint32_t i = bins->count; i > HEAD + 1; i--) {
		const uint32_t other = HEAD + (uint32_t)sl_rng_below(&rng, i - HEAD);
		const int32_t t = bins->time[i - 1];
		bins->time[i - 1] = bins->time[other];
		bins->time[other] = t;
	}
	int64_t total = 0;
	for (uint32_t i = HEAD; i < bins->count; i++) {
		bins->share[i] = (int64_t)(795.6 * sl_exp(-2.267 * sl_ln(i + 1)) * 1e12);
		total += bins->share[i];
	}
	for (uint32_t i = HEAD; i < bins->count; i++)
		bins->share[i] = sl_mul_div(bins->share[i], share_tail, total);
}

/* ---- Counts ------------------------------------------------------------------------ */

/* Of bins [first, count), `jobs` in all: at least one each while there are enough, the most popular first. */
static void counts_share(struct bins *bins, uint32_t first, uint32_t jobs)
{
	int64_t total = 0;
	for (uint32_t i = first; i < bins->count; i++)
		total += bins->share[i];
	const uint32_t least = jobs >= bins->count - first ? 1 : 0;
	int64_t left = jobs;
	for (uint32_t i = first; i < bins->count; i++) {
		const uint32_t part = (uint32_t)sl_mul_div(bins->share[i], jobs, total);
		bins->jobs[i] = part > least ? part : least;
		left -= bins->jobs[i];
	}
	/* What rounding has left over or overdrawn, one job a bin and as many rounds as it takes. */
	while (left) {
		for (uint32_t i = first; i < bins->count && left; i++) {
			if (left < 0 && bins->jobs[i] <= least)
				continue;
			bins->jobs[i] += left > 0 ? 1 : UINT32_MAX; /* - 1 */
			left += left > 0 ? -1 : 1;
		}
	}
}

static void counts_with_max(struct bins *bins, uint32_t jobs, uint32_t at_max)
{
	bins->jobs[0] = at_max;
	if (bins->count > 1)
		counts_share(bins, 1, jobs - at_max);
}

/* True if the k-th longest run is no longer than the k-th largest estimate, for every k. longer[i]: runs
 * longer than bin i's time. */
static bool counts_suffice(const struct bins *bins, const uint32_t *longer)
{
	for (uint32_t i = 0; i < bins->count; i++) {
		uint64_t above = 0;
		for (uint32_t j = 0; j < bins->count; j++)
			if (bins->time[j] > bins->time[i])
				above += bins->jobs[j];
		if (above < longer[i])
			return false;
	}
	return true;
}

static void counts_make(struct bins *bins, uint32_t jobs, const uint32_t *longer)
{
	counts_share(bins, 0, jobs);
	if (counts_suffice(bins, longer))
		return;
	uint32_t few = bins->jobs[0];
	uint32_t enough = jobs; /* All at the maximum always suffices. */
	while (enough - few > 1) {
		const uint32_t middle = few + (enough - few) / 2;
		counts_with_max(bins, jobs, middle);
		if (counts_suffice(bins, longer))
			enough = middle;
		else
			few = middle;
	}
	counts_with_max(bins, jobs, enough);
}

/* ---- Assignment ---------------------------------------------------------------------- */

/* order: rows, the longest run first, ties by row. longer[t], 0 <= t <= max: how many runs are longer. */
static void runs_sort(uint32_t *order, uint32_t *longer, const int32_t *run, uint32_t count, int32_t max)
{
	for (uint32_t i = 0; i < count; i++)
		longer[run[i]]++;
	for (int32_t t = max; t > 0; t--)
		longer[t - 1] += longer[t]; /* Now those as long too: where the runs of t end in order... */
	for (uint32_t i = count; i-- > 0;)
		order[--longer[run[i]]] = i; /* ...and when all are assigned, where they begin. */
}

/* pick: bin of each place, largest estimate first. Each job, longest first, swaps into its place a uniform
 * one of those that suffice for it and are not given yet: places [j, sufficient). */
static void assign(int32_t *estimate, const struct bins *bins, uint16_t *pick, const uint32_t *order,
	const int32_t *run, uint64_t seed)
{
	uint16_t by_time[BINS_MAX] = { 0 };
	for (uint32_t i = 0; i < bins->count; i++) {
		uint32_t at = i;
		for (; at > 0 && bins->time[by_time[at - 1]] < bins->time[i]; at--)
			by_time[at] = by_time[at - 1];
		by_time[at] = (uint16_t)i;
	}
	uint32_t jobs = 0;
	for (uint32_t b = 0; b < bins->count; b++)
		for (uint32_t i = 0; i < bins->jobs[by_time[b]]; i++)
			pick[jobs++] = by_time[b];

	struct sl_rng rng = sl_rng_stream(seed, "models/tsafrir/assignment");
	uint32_t sufficient = 0;
	uint32_t next = 0; /* Of by_time: the first bin that does not suffice yet. */
	for (uint32_t j = 0; j < jobs; j++) {
		while (next < bins->count && bins->time[by_time[next]] >= run[order[j]])
			sufficient += bins->jobs[by_time[next++]];
		SL_CHECK(sufficient > j); /* counts_make saw to it. */
		const uint32_t k = j + (uint32_t)sl_rng_below(&rng, sufficient - j);
		const uint16_t bin = pick[k];
		pick[k] = pick[j];
		estimate[order[j]] = bins->time[bin];
	}
}

int lublin_tsafrir(
	int32_t *estimate, const int32_t *run, uint32_t count, int32_t max, uint64_t seed, struct sl_err *err)
{
	SL_CHECK(count > 0);
	struct bins bins = { 0 };
	const uint32_t wanted = bin_count(count);
	head_make(&bins, wanted, max, seed);
	tail_make(&bins, wanted, seed);

	int32_t run_max = 0;
	for (uint32_t i = 0; i < count; i++)
		run_max = run[i] > run_max ? run[i] : run_max;
	uint32_t *order = calloc(count, sizeof(*order));
	uint16_t *pick = calloc(count, sizeof(*pick));
	uint32_t *longer_than = calloc((size_t)run_max + 1, sizeof(*longer_than));
	int status = SL_OK;
	if (!order || !pick || !longer_than) {
		status = sl_fail_memory(err);
	} else {
		runs_sort(order, longer_than, run, count, run_max);
		uint32_t longer[BINS_MAX] = { 0 };
		for (uint32_t i = 0; i < bins.count; i++)
			longer[i] = bins.time[i] < run_max ? longer_than[bins.time[i]] : 0;
		counts_make(&bins, count, longer);
		assign(estimate, &bins, pick, order, run, seed);
	}
	free(order);
	free(pick);
	free(longer_than);
	return status;
}

void lublin_f_model(
	int32_t *estimate, const int32_t *run, uint32_t count, int32_t max, double factor, struct sl_rng *rng)
{
	for (uint32_t i = 0; i < count; i++) {
		const double asked = floor(run[i] * (1 + sl_rng_unit(rng) * (factor - 1)) + 0.5);
		estimate[i] = asked < max ? (int32_t)asked : max;
	}
}
