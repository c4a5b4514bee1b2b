/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_differences_sort.c - values in order, and numbers kept short, against what is slow and plain.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/differences_parts.h"
#include "tests/world/effort.h"
#include "tests/world/result.h"

/* Insertion: stable, and by the values alone. */
static void sort_slowly(struct valued *value, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct valued one = value[i];
		size_t k = i;
		for (; k && value[k - 1].value > one.value; k--)
			value[k] = value[k - 1];
		value[k] = one;
	}
}

static double drawn(uint64_t *state, unsigned kind)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const uint64_t bits = *state >> 20;
	switch (kind) {
	case 0:
		return (double)(bits % 50); /* Many alike. */
	case 1:
		return bits % 2 ? -0.0 : 0.0;
	case 2:
		return (double)(int64_t)(bits % 2001) - 1000;
	case 3:
		return (double)bits / 7 - 1e12;
	default:
		return (double)(bits % 1000) / (double)(bits % 37 + 1) * (bits % 5 ? 1 : 1e300);
	}
}

Test(differences_sort, as_the_slow_one)
{
	enum { MOST = 400, KINDS = 5 };
	static struct valued value[MOST], slow[MOST], other[MOST];
	uint64_t state = 1;
	for (unsigned round = 0; round < 100 * KINDS; round++) {
		const size_t count = round / KINDS * 4 % MOST;
		for (size_t i = 0; i < count; i++)
			slow[i] = value[i] = (struct valued){ drawn(&state, round % KINDS), (uint32_t)i };
		valued_sort(value, other, count);
		sort_slowly(slow, count);
		for (size_t i = 0; i < count; i++)
			cr_assert(value[i].value == slow[i].value && value[i].block == slow[i].block,
				"round %u, %zu of %zu", round, i, count);
	}
}

/* Whole seconds, microseconds, and longer than four bytes hold: each reads as it was. */
Test(differences_sort, numbers_read_as_they_were)
{
	static const int64_t lengths[] = { 1, INT32_MAX, (int64_t)INT32_MAX + 1, INT64_C(90000000000) };
	for (size_t l = 0; l < SL_LEN(lengths); l++)
		for (unsigned odd = 0; odd < 2; odd++) {
			struct sl_metrics metrics = { 0 };
			struct sl_err err = { 0 };
			struct series series;
			struct hand *hand = hand_new(1000);
			hand_add(hand, (struct hand_job){
					       0, lengths[l], 2 * lengths[l], 3, 100, 1, 1, SL_COMPLETED });
			hand_add(hand, (struct hand_job){ 5, -1, -1, 1, 100, 1, 1, SL_PENDING });
			hand->start[0] += odd;
			cr_assert_eq(series_of_result(&series, &hand->result, &metrics, &err), SL_OK);
			cr_assert_eq(number_at(&series.wait, 0), hand->start[0]);
			cr_assert_eq(number_at(&series.turnaround, 0), hand->end[0]);
			cr_assert_eq(number_at(&series.run, 0), hand->end[0] - hand->start[0]);
			cr_assert_eq(number_at(&series.cpus, 0), 3);
			cr_assert_eq(number_at(&series.submit, 1), 5 * SL_SECOND);
			cr_assert_eq(number_at(&series.wait, 1), SL_NONE);
			cr_assert_eq(number_at(&series.run, 1), SL_NONE);
			cr_assert_eq(series.wait.narrow != NULL,
				lengths[l] * (odd ? SL_SECOND : 1) + odd <= INT32_MAX);
			series_release(&series);
			free(hand);
		}
}
