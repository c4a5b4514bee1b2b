/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_speedup.c - speed by size and by GPUs: formulas at their corners, tables and lists, by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/speedup/speedup.h"
#include "sim/base/base.h"

static bool similar(double a, double b) { return fabs(a - b) < 1e-9; }

/* Half of the work serial: 4 processors do 1 / (1/2 + 1/8). */
Test(speedup, amdahl)
{
	cr_expect(similar(speedup_amdahl(1, 0.5), 1));
	cr_expect(similar(speedup_amdahl(4, 0.5), 1.6));
	cr_expect(similar(speedup_amdahl(1000000, 0), 1000000));
	cr_expect(similar(speedup_amdahl(64, 1), 1));
	cr_expect(similar(speedup_amdahl(0.25, 0.5), 0.25), "a share of a processor");
}

/* A = 10, sigma = 0: as many as there are, up to 10. */
Test(speedup, downey_without_variance)
{
	cr_expect(similar(speedup_downey(1, 10, 0), 1));
	cr_expect(similar(speedup_downey(7, 10, 0), 7));
	cr_expect(similar(speedup_downey(10, 10, 0), 10));
	cr_expect(similar(speedup_downey(11, 10, 0), 10), "and no faster");
}

/* A = 10, sigma = 1/2. At n = A: 100 / (10 + 9/4); between: 150 / (9.5/2 + 15 * 3/4); from 2A - 1 on: A. */
Test(speedup, downey_of_low_variance)
{
	cr_expect(similar(speedup_downey(1, 10, 0.5), 1));
	cr_expect(similar(speedup_downey(10, 10, 0.5), 100 / 12.25));
	cr_expect(similar(speedup_downey(15, 10, 0.5), 150 / 16.0));
	cr_expect(similar(speedup_downey(19, 10, 0.5), 10));
	cr_expect(similar(speedup_downey(100, 10, 0.5), 10));
}

/* A = 10, sigma = 2: 10 * 3n / (2(n + 9) + 10), up to n = 28. */
Test(speedup, downey_of_high_variance)
{
	cr_expect(similar(speedup_downey(1, 10, 2), 1));
	cr_expect(similar(speedup_downey(11, 10, 2), 330 / 50.0));
	cr_expect(similar(speedup_downey(28, 10, 2), 10));
	cr_expect(similar(speedup_downey(29, 10, 2), 10));
}

/* Both branches at sigma = 1, and each branch from below and above its corners. */
Test(speedup, downey_has_no_jumps)
{
	for (int a = 1; a <= 20; a++)
		for (int n = 1; n <= 60; n++) {
			const double low = speedup_downey(n, a, 1);
			const double high = speedup_downey(n, a, 1 + 1e-9);
			cr_expect(fabs(low - high) < 1e-6, "A %d, n %d: %g and %g", a, n, low, high);
			for (int sigma = 0; sigma <= 8; sigma++) {
				const double s = speedup_downey(n, a, sigma / 4.0);
				cr_expect(s >= 1 - 1e-9 && s <= a + 1e-9 && s <= n + 1e-9);
				cr_expect(s <= speedup_downey(n + 1, a, sigma / 4.0) + 1e-9);
			}
		}
}

Test(speedup, rates)
{
	cr_expect_eq(speedup_rate(1), SL_SPEED_ONE);
	cr_expect_eq(speedup_rate(0.5), SL_SPEED_ONE / 2);
	cr_expect_eq(speedup_rate(2.25), SL_SPEED_ONE * 9 / 4, "above one is allowed");
	cr_expect_eq(speedup_rate(0), 0);
	cr_expect_eq(speedup_rate(1e300), SL_SPEED_ONE * 1024);
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

enum { CELLS = 40 };
static const uint64_t lines[] = { 2, 3, 4, 5, 6, 7, 8, 9 };

static int read(struct throughputs *table, const char *const *column, uint32_t columns,
	const char *const *cell, uint32_t rows, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_csv_table csv = { .file = "t.csv",
		.columns = columns,
		.rows = rows,
		.column = column,
		.cell = cell,
		.line = lines };
	*table = (struct throughputs){ 0 };
	return throughputs_read(table, &csv, arena, err);
}

static const char *const gavel[] = { "model", "gpu_type", "gpus", "steps_per_s", "consolidated" };
/* Of Gavel's table: 2 and 4 GPUs on one node and on several; and LM, of which 4 are slower than 2. */
static const char *const cells[CELLS] = { "ResNet-18", "v100", "2", "23.985", "1", "ResNet-18", "v100", "4",
	"69.951", "1", "ResNet-18", "v100", "2", "24.511", "0", "ResNet-18", "v100", "8", "61.136", "0", "LM",
	"v100", "2", "132", "1", "LM", "v100", "4", "111", "1", "ResNet-18", "k80", "1", "1.807", "1" };

Test(speedup, throughputs)
{
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct throughputs t;
	cr_assert_eq(read(&t, gavel, 5, cells, 7, arena, &err), SL_OK, "%s", err.text);
	cr_expect(similar(throughput_of(&t, "ResNet-18", "v100", 0, 2), 23.985), "as measured");
	cr_expect(similar(throughput_of(&t, "ResNet-18", "v100", 0, 3), (23.985 + 69.951) / 2), "half way");
	cr_expect(similar(throughput_of(&t, "ResNet-18", "v100", 0, 1), 23.985 / 2), "below: in proportion");
	cr_expect(similar(throughput_of(&t, "ResNet-18", "v100", 0, 64), 69.951), "beyond: no faster");
	cr_expect(similar(throughput_of(&t, "ResNet-18", "v100", 1, 2), 24.511), "spread over nodes");
	cr_expect(similar(throughput_of(&t, "ResNet-18", "k80", 1, 1), 1.807), "of one sort only");
	cr_expect(similar(throughput_of(&t, "lm", "V100", 0, 4), 111), "slower with more: as measured");
	cr_expect(similar(throughput_of(&t, "LM", "k80", 0, 4), 0));
	cr_expect(similar(throughput_of(&t, "BERT", "v100", 0, 4), 0));
	sl_arena_free(arena);
}

static void expect_error(
	const char *const *column, uint32_t columns, const char *const *cell, uint32_t rows, const char *text)
{
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct throughputs t;
	cr_expect_eq(read(&t, column, columns, cell, rows, arena, &err), SL_INPUT);
	cr_expect_str_eq(err.text, text);
	sl_arena_free(arena);
}

Test(speedup, throughputs_that_are_none)
{
	static const char *const twice[] = { "a", "v100", "2", "1", "1", "A", "V100", "2", "2", "1" };
	static const char *const zero[] = { "a", "v100", "2", "0", "1" };
	static const char *const half[] = { "a", "v100", "0.5", "1", "1" };
	static const char *const far[] = { "a", "v100", "2", "1", "2" };
	expect_error(gavel, 5, twice, 2, "t.csv:1: A on 2 x V100 is there twice: keep one of the rows");
	expect_error(
		gavel, 5, zero, 1, "t.csv:2: steps_per_s '0' is not a positive number of steps a second");
	expect_error(gavel, 5, half, 1, "t.csv:2: gpus '0.5' is not a number of GPUs, from 1 to 1000000");
	expect_error(gavel, 5, far, 1, "t.csv:2: consolidated '2' is not 1 or 0");
	expect_error(gavel, 3, far, 0,
		"t.csv:1: there is no column 'steps_per_s': a table of throughputs has model, gpu_type, gpus, "
		"steps_per_s, and may have nodes or consolidated");
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

Test(speedup, factors)
{
	static const char *const kinds[] = { "cpus", "memory", "v100", "a100" };
	const struct sl_cluster cluster = { .kind_count = 4, .kind_name = kinds };
	int64_t factor[SL_KINDS_MAX];
	struct sl_err err = { 0 };
	cr_assert_eq(speedup_factors("V100=1,a100=2.2,h100=5", &cluster, factor, &err), SL_OK);
	cr_expect_eq(factor[2], 1000000);
	cr_expect_eq(factor[3], 2200000);
	cr_expect_eq(speedup_factors("a100", &cluster, factor, &err), SL_USAGE);
	err = (struct sl_err){ 0 };
	cr_expect_eq(speedup_factors("a100=2,A100=3", &cluster, factor, &err), SL_USAGE);
	cr_expect_str_eq(err.text, "factors: 'A100' is there twice");
}

Test(speedup, evolves)
{
	struct sl_evolution step[SL_EVOLVES_MAX];
	sl_time next;
	cr_assert_eq(sl_evolves_read("600:8,1800:4", step), 2);
	cr_expect_eq(step[0].work, 600 * SL_SECOND);
	cr_expect_eq(step[0].tasks, 8);
	cr_expect_eq(step[1].work, 1800 * SL_SECOND);
	cr_expect_eq(step[1].tasks, 4);
	cr_expect_eq(sl_evolves_read("600:8,600:4", step), -1, "not ascending");
	cr_expect_eq(sl_evolves_read("600:0", step), -1);
	cr_expect_eq(sl_evolves_read("600", step), -1);
	cr_expect_eq(sl_evolves_read("", step), -1);
	cr_expect_eq(sl_evolves_read("600:8,", step), -1);
	cr_expect_eq(sl_evolves_read("600:99999999999", step), -1);
	cr_assert_eq(sl_evolves_read("600:8,1800:4", step), 2);
	cr_expect_eq(sl_evolves_by(step, 2, 599 * SL_SECOND, &next), 0);
	cr_expect_eq(next, 600 * SL_SECOND);
	cr_expect_eq(sl_evolves_by(step, 2, 600 * SL_SECOND, &next), 8);
	cr_expect_eq(next, 1800 * SL_SECOND);
	cr_expect_eq(sl_evolves_by(step, 2, 1800 * SL_SECOND, &next), 4);
	cr_expect_eq(next, SL_NEVER);
}
