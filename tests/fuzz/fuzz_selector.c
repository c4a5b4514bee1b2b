/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_selector.c - any bytes at all as a selector, and as a threshold: refused in one line, or with a value
 * in a small run.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_selector(const char *text, const struct hand *hand, struct sl_arena *arena)
{
	const struct scenario scenario = {
		.jobs = hand->jobs, .epoch = 1000000000, .registry = builtin_registry()
	};
	const struct selector *selector;
	struct sl_err err = { 0 };
	int64_t micro;
	bool known;
	const int status = selector_parse(&selector, text, arena, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_USAGE && *err.text)));
	if (status)
		return;
	const int found = selector_value(selector, &scenario, &hand->result, NULL, &micro, &known, &err);
	SL_CHECK(found == err.status && (!found || (found == SL_USAGE && *err.text && !known)));
	err = (struct sl_err){ 0 };
	(void)selector_check(selector, &scenario, &err);
	SL_CHECK(!err.status || (err.status == SL_USAGE && *err.text));
}

static void try_threshold(const char *text, struct sl_arena *arena)
{
	struct threshold threshold;
	struct sl_err err = { 0 };
	int64_t margin;
	const int status = threshold_parse(&threshold, text, arena, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_USAGE && *err.text)));
	if (!status) {
		(void)threshold_met(&threshold, 5000000);
		(void)threshold_margin(&threshold, 5000000, &margin);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_arena *arena = sl_arena_new();
	char *text = malloc(size + 1);
	struct hand *hand = hand_new(4);
	SL_CHECK(arena && text);
	memcpy(text, data, size);
	text[size] = '\0';
	hand_add(hand, (struct hand_job){ 0, 0, 100, 4, 200, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 10, -1, 120, 2, 300, 2, -1, SL_CANCELLED });
	try_selector(text, hand, arena);
	try_threshold(text, arena);
	free(hand);
	free(text);
	sl_arena_free(arena);
	return 0;
}
