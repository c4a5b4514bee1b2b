/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checkpoint.c - intervals between checkpoints, to the digits.
 */
#include <criterion/criterion.h>

#include "models/checkpoint/checkpoint.h"

/* A checkpoint of 60 s, failures each 11 135.08 s: sqrt(2 * 60 * 11135.08) = 1155.95 by Young, 1116.29 by
 * Daly's three terms; sqrt(2 * (11135.08 + 300) * 60 + 3600) = 1172.95 with a restart of 300 s. */
Test(checkpoint, intervals_are_the_published_ones)
{
	const sl_time c = 60 * SL_SECOND, m = 11135080000, r = 300 * SL_SECOND;
	cr_expect_eq((checkpoint_interval(CHECKPOINT_YOUNG, c, m, r) + 5000) / 10000, 115595);
	cr_expect_eq((checkpoint_interval(CHECKPOINT_DALY, c, m, r) + 5000) / 10000, 111629);
	cr_expect_eq((checkpoint_interval(CHECKPOINT_AVAILABLE, c, m, r) + 5000) / 10000, 117295);
}

/* Daly's series holds below C = 2M; from there on, M. */
Test(checkpoint, a_checkpoint_as_long_as_two_lives)
{
	const sl_time m = 30 * SL_SECOND;
	cr_expect_eq(checkpoint_interval(CHECKPOINT_DALY, 60 * SL_SECOND, m, 0), m);
	/* Just below: 60 (1 + 1/3 + 1/9) - 60, nearly: 26.67 s. */
	cr_expect_eq((checkpoint_interval(CHECKPOINT_DALY, 60 * SL_SECOND - 1, m, 0) + 5000) / 10000, 2667);
}

Test(checkpoint, without_failures_none_is_needed)
{
	cr_expect_eq(checkpoint_interval(CHECKPOINT_YOUNG, SL_SECOND, SL_NEVER, 0), SL_NEVER);
	cr_expect_eq(checkpoint_interval(CHECKPOINT_YOUNG, 0, SL_SECOND, 0), 1);
}
