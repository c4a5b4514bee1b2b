/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_usage_log.c - points that were packed against the same in an array: random walks, extremes, blocks
 * that are just full.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/usage_log.h"

enum { BLOCK = SL_USAGE_BLOCK, POINTS_MAX = 5 * BLOCK + 7 };

/* How the next value is made of the one before: constant, a step, anything. */
static int64_t next_of(struct sl_rng *rng, int64_t before, bool narrow)
{
	switch (sl_rng_below(rng, 8)) {
	case 0:
		return narrow ? (int64_t)(sl_rng_u64(rng) >> 32) : (int64_t)sl_rng_u64(rng);
	case 1:
	case 2:
		return narrow ? (int64_t)((uint64_t)(before + 1) & UINT32_MAX)
			      : before ^ (int64_t)sl_rng_below(rng, 300);
	default:
		return before;
	}
}

/* No two points have the same padding, as there is none: they can be compared as bytes. */
static struct sl_usage_point point_after(
	struct sl_rng *rng, const struct sl_usage_point *before, bool nodes, bool whole)
{
	struct sl_usage_point point = *before;
	const uint64_t step = sl_rng_below(rng, 4) ? sl_rng_below(rng, 5000) : 0;
	point.at += (sl_time)(whole ? step * (uint64_t)SL_SECOND : step);
	point.cpus_busy = next_of(rng, point.cpus_busy, false);
	point.cpus_queued = next_of(rng, point.cpus_queued, false);
	point.running = (uint32_t)next_of(rng, point.running, true);
	point.queued = (uint32_t)next_of(rng, point.queued, true);
	point.suspended = (uint32_t)next_of(rng, point.suspended, true);
	if (nodes) {
		point.gpus_busy = next_of(rng, point.gpus_busy, false);
		point.gpus_queued = next_of(rng, point.gpus_queued, false);
		point.mem_busy = next_of(rng, point.mem_busy, false);
		point.nodes_busy = (uint32_t)next_of(rng, point.nodes_busy, true);
	}
	return point;
}

static void expect_same(const struct sl_usage_log *log, const struct sl_usage_point *want, size_t count)
{
	struct sl_result result = { .usage_log = log, .usage_count = count };
	struct sl_usage_reader reader = { .result = &result };
	cr_assert_eq(log->count, count);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(memcmp(sl_usage_at(&reader, i), &want[i], sizeof(*want)), 0, "point %zu", i);
	for (size_t i = count; i-- > 0; i -= i < 100 ? i : 100) /* Backwards too. */
		cr_assert_eq(memcmp(sl_usage_at(&reader, i), &want[i], sizeof(*want)), 0, "point %zu", i);
	struct sl_usage_point *all = usage_log_points(log);
	cr_assert(!count == !all);
	cr_assert(!count || memcmp(all, want, count * sizeof(*want)) == 0);
	free(all);
	result = (struct sl_result){ .usage = want, .usage_count = count };
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(sl_usage_at(&reader, i), &want[i]);
}

Test(usage_log, keeps_what_it_is_given)
{
	static struct sl_usage_point want[POINTS_MAX];
	for (uint64_t seed = 1; seed <= 60; seed++) {
		static const size_t sizes[] = { 0, 1, BLOCK - 1, BLOCK, BLOCK + 1, POINTS_MAX };
		struct sl_rng rng = sl_rng_stream(seed, "usage_log");
		struct sl_usage_log log;
		struct sl_err err = { 0 };
		const bool nodes = seed % 2;
		const size_t count = sizes[seed % SL_LEN(sizes)];
		struct sl_usage_point now = { .at = seed % 3 ? 0 : -5 * SL_SECOND - 3 };
		cr_assert_eq(usage_log_init(&log, nodes, &err), SL_OK);
		for (size_t i = 0; i < count; i++) {
			want[i] = now = point_after(&rng, &now, nodes, seed % 5 > 1);
			cr_assert_eq(usage_log_add(&log, &now, &err), SL_OK);
		}
		expect_same(&log, want, count);
		usage_log_release(&log);
	}
}

/* A day of steps by the second: what a run of a million jobs looks like. */
Test(usage_log, takes_few_bytes)
{
	enum { COUNT = 100 * BLOCK };
	struct sl_rng rng = sl_rng_stream(7, "usage_log");
	struct sl_usage_log log;
	struct sl_err err = { 0 };
	struct sl_usage_point now = {
		.cpus_busy = 900, .cpus_queued = 280000, .running = 40, .queued = 9000
	};
	cr_assert_eq(usage_log_init(&log, false, &err), SL_OK);
	for (size_t i = 0; i < COUNT; i++) {
		now.at += (sl_time)sl_rng_below(&rng, 200) * SL_SECOND;
		now.cpus_busy = 1024 - (int64_t)sl_rng_below(&rng, 64);
		now.cpus_queued += (int64_t)sl_rng_below(&rng, 101) - 50;
		now.running = 30 + (uint32_t)sl_rng_below(&rng, 20);
		now.queued += (uint32_t)sl_rng_below(&rng, 3) - 1;
		cr_assert_eq(usage_log_add(&log, &now, &err), SL_OK);
	}
	cr_expect_lt(log.length, 10 * COUNT, "%zu bytes for %d points", log.length, COUNT);
	usage_log_release(&log);
}
