/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_tune_place.c - any words, and behind the first newline any bytes as the user's file: where does the
 * value stand?
 *
 * What is refused has a status and a text. What is found lies in the file; of what is there today's value is
 * those bytes; what is added takes none.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct tuned_file *file, const char *words, bool yaml)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	struct file_place place;
	SL_CHECK(arena);
	const int status = yaml ? place_yaml(&place, file, words, arena, &err)
				: place_conf(&place, file, words, arena, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status) {
		SL_CHECK(place.at <= file->len && place.len <= file->len - place.at);
		SL_CHECK(place.before && place.after);
		SL_CHECK(place.today ? strncmp(place.today, file->text + place.at, place.len) == 0
				     : !place.len);
	}
	sl_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	SL_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	char *newline = memchr(text, '\n', size);
	if (newline && newline - text < 300 && strlen(text) == size) {
		*newline = '\0';
		const struct tuned_file file = { .name = "fuzz",
			.path = "fuzz",
			.text = newline + 1,
			.len = size - (size_t)(newline + 1 - text) };
		look(&file, text, true);
		look(&file, text, false);
	}
	free(text);
	return 0;
}
