/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_power.c - what nodes draw, its integral, tariffs, shares under a cap, by hand and by the microsecond.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "models/power/power.h"
#include "sim/base/base.h"

/* ---- Figures ----------------------------------------------------------------------------------------------
 */

static struct figures figures_for(
	const char *gpu, int64_t gpus, const struct sl_setting *setting, uint32_t count)
{
	const char *const kinds[] = { "cpus", "memory", gpu };
	const struct sl_node_type type = { .name = "n", .amount = { 128, 1, gpus } };
	const struct sl_cluster cluster = { .type_count = 1,
		.type = &type,
		.kind_count = gpu ? 3 : 2,
		.kind_name = kinds,
		.setting = setting,
		.setting_count = count };
	struct figures f = { .off = 15 * POWER_UW, .boot = -1 };
	struct sl_err err = { 0 };
	cr_assert_eq(figures_of(&f, &cluster, 0, &err), SL_OK, "%s", err.text);
	return f;
}

/* 1390 + 0.7 * 5110 = 4967 W. */
Test(power, an_a100_node_at_seven_tenths)
{
	const struct figures f = figures_for("a100", 8, NULL, 0);
	cr_expect_eq(f.idle, 1390 * POWER_UW);
	cr_expect_eq(f.idle + 8 * f.gpu, 6500 * POWER_UW);
	cr_expect_eq(figures_draw(&f, 8 * f.gpu / 10 * 7), 4967 * POWER_UW);
	cr_expect_eq(f.boot, -1, "nothing is said");
	cr_expect_eq(f.off, 15 * POWER_UW);
}

/* 440 W over 128 cpus. */
Test(power, a_node_without_gpus)
{
	const struct figures f = figures_for(NULL, 0, NULL, 0);
	cr_expect_eq(f.idle, 520 * POWER_UW);
	cr_expect_eq(f.core, 3437500);
	cr_expect_eq(f.gpu, 0);
}

Test(power, what_the_cluster_file_says)
{
	static const struct sl_setting said[] = {
		{ .kind = "node", .name = "n", .key = "power_idle", .value = "1000" },
		{ .kind = "node", .name = "n", .key = "power_max", .value = "3000" },
		{ .kind = "node", .name = "n", .key = "boot_time", .value = "90" },
		{ .kind = "node", .name = "n", .key = "power_off", .value = "2.5" },
		{ .kind = "node", .name = "n", .key = "power_shutdown", .value = "80" },
		{ .kind = "node", .name = "n", .key = "shutdown_time", .value = "6.1" },
	};
	const struct figures f = figures_for("v100", 4, said, SL_LEN(said));
	cr_expect_eq(f.idle, 1000 * POWER_UW);
	cr_expect_eq(f.gpu, 500 * POWER_UW);
	cr_expect_eq(f.boot_time, 90 * SL_SECOND);
	cr_expect_eq(f.off, 2500000);
	cr_expect_eq(f.shutdown, 80 * POWER_UW);
	cr_expect_eq(f.shutdown_time, 6100000);
}

/* 100, 300 and 400 W at 0, 1/2 and 1: a quarter is half way to 300. */
Test(power, curves)
{
	static const char *const column[] = { "type", "utilization", "watts" };
	static const char *const cell[] = { "n", "0", "100", "n", "0.5", "300", "m", "0", "7", "n", "1",
		"400", "m", "1", "8" };
	static const uint64_t lines[] = { 2, 3, 4, 5, 6 };
	const struct sl_csv_table csv = { "c.csv", 3, 5, column, cell, lines };
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	struct watt_curve *curve;
	uint32_t count;
	cr_assert_eq(watt_curves_read(&curve, &count, &csv, arena, &err), SL_OK, "%s", err.text);
	cr_assert_eq(count, 2);
	const struct figures f = { .most = 8000, .curve = &curve[0] };
	cr_expect_eq(figures_draw(&f, 0), 100 * POWER_UW);
	cr_expect_eq(figures_draw(&f, 2000), 200 * POWER_UW);
	cr_expect_eq(figures_draw(&f, 6000), 350 * POWER_UW);
	cr_expect_eq(figures_draw(&f, 9000), 400 * POWER_UW);
	const struct sl_csv_table late = { "c.csv", 3, 1, column, &cell[3], lines };
	cr_expect_eq(watt_curves_read(&curve, &count, &late, arena, &err), SL_INPUT);
	cr_expect_str_eq(err.text, "c.csv:2: the points of n are not in order from utilization 0 on");
	const struct sl_csv_table cut = { "c.csv", 3, 4, column, cell, lines };
	struct sl_err cut_err = { 0 };
	cr_expect_eq(watt_curves_read(&curve, &count, &cut, arena, &cut_err), SL_INPUT);
	cr_expect_str_eq(cut_err.text, "c.csv:1: the points of m do not go up to utilization 1");
	sl_arena_free(arena);
}

/* ---- The meter
 * ---------------------------------------------------------------------------------------------- */

Test(power, a_meter_by_hand)
{
	struct meter *m = calloc(1, sizeof(*m));
	cr_assert(m);
	meter_begin(m, 10 * SL_SECOND);
	meter_advance(m, 5, 12 * SL_SECOND);
	meter_advance(m, 7, 12 * SL_SECOND);
	meter_advance(m, 3, 14 * SL_SECOND + 1);
	cr_expect_eq((uint64_t)m->total, 5 * 2 * 1000000 + 3 * 2000001);
	cr_expect_eq(m->peak, 5, "what lasted no time is none");
	free(m);
}

/* Against a sum step by step; the bins add up, none has more than its peak. */
Test(power, meters_add_up)
{
	struct meter *m = calloc(1, sizeof(*m));
	cr_assert(m);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/meter");
		const sl_time begun = (sl_time)sl_rng_below(&rng, 1000000000);
		power_sum total = 0;
		sl_time now = begun;
		meter_begin(m, begun);
		for (int i = 0; i < 300; i++) {
			const sl_time length =
				(sl_time)sl_rng_below(&rng, (uint64_t)1 << sl_rng_below(&rng, 40));
			const int64_t draw = (int64_t)sl_rng_below(&rng, (uint64_t)1 << 50);
			now += length;
			total += (power_sum)draw * (uint64_t)length;
			meter_advance(m, draw, now);
		}
		power_sum bins = 0;
		for (int i = 0; i < METER_BINS; i++) {
			bins += m->bin[i].sum;
			cr_expect(m->bin[i].sum <= (power_sum)m->bin[i].peak * (uint64_t)m->width);
		}
		cr_expect(m->total == total && bins == total, "seed %llu", (unsigned long long)seed);
		cr_expect(m->width * METER_BINS >= now - begun && m->at == now);
	}
	free(m);
}

/* ---- Tariffs
 * --------------------------------------------------------------------------------------------------- */

static const sl_time at[] = { 100, 300, 400 };
static const int64_t value[] = { 5, 9, 2 };

Test(power, a_tariff_once)
{
	const struct tariff t = { .count = 3, .at = at, .value = value };
	cr_expect_eq(tariff_at(&t, 0), 5, "the first one holds before it, too");
	cr_expect_eq(tariff_at(&t, 300), 9);
	cr_expect_eq(tariff_at(&t, 399), 9);
	cr_expect_eq(tariff_at(&t, 100000), 2);
	cr_expect_eq(tariff_next(&t, 0), 100);
	cr_expect_eq(tariff_next(&t, 100), 300);
	cr_expect_eq(tariff_next(&t, 400), SL_NEVER);
	cr_expect_eq((int64_t)tariff_over(&t, 50, 450), 250 * 5 + 100 * 9 + 50 * 2);
}

/* Each 1000, at a phase of 200: time 900 is 100 of the next round. */
Test(power, a_tariff_retry_and_retry)
{
	const struct tariff t = { .count = 3, .at = at, .value = value, .cycle = 1000, .shift = 200 };
	for (sl_time now = -1000; now < 3000; now++) {
		const sl_time phase = (now + 5200) % 1000;
		const int64_t wanted = phase < 100 ? 2 : phase < 300 ? 5 : phase < 400 ? 9 : 2;
		cr_expect_eq(tariff_at(&t, now), wanted, "at %lld", (long long)now);
		const sl_time next = tariff_next(&t, now);
		cr_expect(next > now && (phase >= 400 || tariff_at(&t, next) != wanted));
		cr_expect_eq((int64_t)tariff_over(&t, now, now + 1), wanted);
	}
	cr_expect_eq((int64_t)tariff_over(&t, 7, 2007), 2 * (200 * 5 + 100 * 9 + 700 * 2));
}

/* ---- Caps
 * ----------------------------------------------------------------------------------------------------------
 */

/* 1000 W of 600 fixed leave 400 for 800 driven: half. */
Test(power, shares_under_a_cap)
{
	cr_expect_eq(cap_share(1000, 600, 800, 0), SL_SPEED_ONE / 2);
	cr_expect_eq(cap_share(1400, 600, 800, 0), SL_SPEED_ONE);
	cr_expect_eq(cap_share(1399, 600, 800, 0), SL_SPEED_ONE / 1024 * 1022, "rounded down");
	cr_expect_eq(cap_share(500, 600, 800, 1000), 1000, "no further than the floor");
	cr_expect_eq(cap_share(500, 600, 0, 1000), SL_SPEED_ONE, "there is nothing to throttle");
}

/* An eighth of the draw at half the clock. */
Test(power, the_cube_of_the_clock)
{
	cr_expect_eq(cap_clock_cubic(SL_SPEED_ONE / 8), SL_SPEED_ONE / 2);
	cr_expect_eq(cap_clock_cubic(SL_SPEED_ONE), SL_SPEED_ONE);
	cr_expect_eq(cap_clock_cubic(SL_SPEED_ONE / 1000 * 343) >> 22, (SL_SPEED_ONE / 10 * 7) >> 22);
}
