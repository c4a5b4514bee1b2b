/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_names.c - texts get numbers in the order in which they first came, whatever came just before: as by
 * looking through all of them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/names.h"

enum { TEXTS = 400, LONGEST = 24 };

static uint32_t number_in(char (*text)[LONGEST + 1], uint32_t count, const char *wanted)
{
	uint32_t number = 0;
	while (number < count && strcmp(text[number], wanted) != 0)
		number++;
	return number;
}

/* Texts of two letters: many look alike, and many begin as others do. */
Test(names, as_one_by_one)
{
	struct sl_rng rng = sl_rng_stream(1, "tests/names");
	struct sl_arena *arena = sl_arena_new();
	for (int round = 0; round < 30; round++) {
		struct names names = { 0 };
		struct sl_err err = { 0 };
		char text[TEXTS][LONGEST + 1];
		uint32_t count = 0;
		for (int i = 0; i < 600; i++) {
			char drawn[LONGEST + 3] = "";
			const bool large = sl_rng_below(&rng, 2);
			const size_t len = sl_rng_below(&rng, large ? LONGEST + 1 : 6);
			for (size_t k = 0; k < len; k++) /* Of the long ones a few letters are drawn. */
				drawn[k] = "ab"[large && k % 5 ? 0 : sl_rng_below(&rng, 2)];
			drawn[len] = 'b'; /* What follows the text is none of it. */
			char wanted[LONGEST + 1] = "";
			memcpy(wanted, drawn, len);
			const uint32_t want = number_in(text, count, wanted);
			uint32_t got = UINT32_MAX;
			if (sl_rng_below(&rng, 4) == 0) {
				cr_assert_eq(names_find(&names, drawn, len), want < count ? want : UINT32_MAX,
					"'%s'", wanted);
				continue;
			}
			cr_assert_eq(names_add(&names, arena, drawn, len, &got, &err), SL_OK, "%s", err.text);
			cr_assert_eq(got, want, "'%s' is %u, not %u", wanted, got, want);
			if (want == count)
				(void)snprintf(text[count++], sizeof(text[0]), "%s", wanted);
			cr_assert_eq(names.count, count);
			cr_assert_str_eq(names.text[got], wanted);
		}
		names_release(&names);
		cr_assert(!names.recent[0] && !names.count);
	}
	sl_arena_free(arena);
}
