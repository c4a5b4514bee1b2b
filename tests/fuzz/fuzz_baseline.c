/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_baseline.c - any bytes at all as a baseline, and as a tolerance.
 *
 * What is refused has a status and a text, or a place within the text. What is read can be written anew, and
 * that is read with the values that were written.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/result/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double p_of(void *self, int64_t margin, bool rise)
{
	(void)self;
	return rise && margin > 0 ? 0.25 : 0.75;
}

static void try_tolerance(const char *text)
{
	struct tolerance tolerance;
	struct tol_wrong wrong;
	if (!tolerance_parse(&tolerance, text, &wrong)) {
		SL_CHECK(wrong.why && wrong.at <= strlen(text));
		return;
	}
	static const struct tol_move move[] = { { 0, 0, 0, 0 }, { 5000000, 5000001, 1, 1 },
		{ INT64_MAX, INT64_MIN, -INT64_MAX, INT64_MAX } };
	for (size_t i = 0; i < SL_LEN(move); i++) {
		SL_CHECK(tolerance_judge(&tolerance, &move[i]) <= VERDICT_ZERO);
		const double p = tolerance_p(&tolerance, &move[i], p_of, NULL);
		SL_CHECK(p >= 0 && p <= 1);
	}
}

static void write_anew(const struct baseline *baseline, struct sl_arena *arena)
{
	struct baseline_edits edits = { .arena = arena };
	struct baseline retry;
	struct sl_err err = { 0 };
	size_t len = 0;
	for (size_t i = 0; i < baseline->count; i++) {
		const struct baseline_case *item = &baseline->item[i];
		baseline_put_key(&edits, baseline, item, "trace_sha256", &item->trace_sha256.range, "\"ff\"");
		for (size_t k = 0; k < item->metric_count; k++)
			baseline_put_value(&edits, &item->metric[k], "-12.25", NULL);
	}
	const char *text = baseline_edited(baseline, &edits, &len);
	SL_CHECK(text);
	if (len > BASELINE_BYTES_MAX)
		return;
	const int status = baseline_parse(&retry, "again", text, len, arena, &err);
	SL_CHECK(!status && retry.count == baseline->count);
	for (size_t i = 0; i < retry.count; i++) {
		SL_CHECK(retry.item[i].trace_sha256.count == 1);
		SL_CHECK(retry.item[i].metric_count == baseline->item[i].metric_count);
		for (size_t k = 0; k < retry.item[i].metric_count; k++)
			SL_CHECK(retry.item[i].metric[k].has_value &&
				 retry.item[i].metric[k].value_micro == -12250000);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_arena *arena = sl_arena_new();
	struct baseline baseline;
	struct sl_err err = { 0 };
	SL_CHECK(arena);
	const char *text = sl_strdup(arena, (const char *)data, size);
	SL_CHECK(text);
	const int status = baseline_parse(&baseline, "fuzz", text, size, arena, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (!status)
		write_anew(&baseline, arena);
	try_tolerance(text);
	sl_arena_free(arena);
	return 0;
}
