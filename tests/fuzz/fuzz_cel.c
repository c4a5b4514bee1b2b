/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_cel.c - any bytes at all as an expression of CEL, asked of a device.
 *
 * It is refused with a status and a text, or says the same twice.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/cel/kube_cel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct cel_entry attributes[] = {
	{ "", "model", { .kind = CEL_TEXT, .text = "A100a" } },
	{ "", "index", { .kind = CEL_INT, .number = INT64_MIN } },
	{ "", "v", { .kind = CEL_VERSION, .text = "1.2.3" } },
	{ "", "ecc", { .kind = CEL_BOOL, .number = 1 } },
};
static const struct cel_entry capacities[] = { { "", "memory", { .kind = CEL_QUANTITY, .number = 1000 } } };
static const struct cel_device device = { "gpu.x", true, attributes, capacities, 4, 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sl_place place = { "fuzz", 1, 1 };
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	char *text = calloc(1, size + 1);
	struct cel *cel = NULL;
	SL_CHECK(arena && text);
	if (size)
		memcpy(text, data, size);
	const int status = cel_parse(&cel, arena, text, &place, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status) {
		const char *why;
		const enum cel_truth truth = cel_holds(cel, &device, &why);
		SL_CHECK(cel_holds(cel, &device, &why) == truth && (truth != CEL_FAILED || why));
	}
	cel_release(cel);
	sl_arena_free(arena);
	free(text);
	return 0;
}
