/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_sweep.c - any bytes at all as the file of a sweep.
 *
 * What is refused has a status and a text. What is read has factors with values, and its points are at most
 * the product of their numbers, each within its factors.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_points(struct sweep *sweep)
{
	const struct sweep_spec *spec = &sweep->spec;
	struct sl_err err = { 0 };
	size_t most = 1;
	for (size_t f = 0; f < spec->factor_count; f++) {
		SL_CHECK(spec->factor[f].count && *spec->factor[f].name);
		most *= spec->factor[f].count;
		if (most > 10000)
			return; /* Nothing that fewer do not show. */
	}
	const int status = sweep_points(sweep, &err);
	SL_CHECK(!status || (status == SL_INPUT && *err.text));
	SL_CHECK(sweep->count <= most);
	for (size_t i = 0; i < sweep->count; i++)
		for (size_t f = 0; f < spec->factor_count; f++)
			SL_CHECK(point_value(sweep, &sweep->point[i], f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	struct sweep sweep = { .arena = arena };
	char *text = malloc(size + 1);
	SL_CHECK(arena && text);
	memcpy(text, data, size);
	text[size] = '\0';
	const int status = sweep_spec_parse(&sweep.spec, "fuzz", text, size, arena, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status)
		check_points(&sweep);
	free(text);
	sl_arena_free(arena);
	return 0;
}
