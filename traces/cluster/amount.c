/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * amount.c - how many and how much: the numbers of the cluster file and of its settings, with their bounds.
 */
#include <string.h>

#include "traces/cluster/cluster_file.h"

/* Memory below what stands for no bound, on each of the most nodes, is a sum that fits in 63 bits. */
static const struct {
	int64_t min, max;
	const char *text;
} amounts[AMOUNTS] = {
	[AMOUNT_COUNT] = { 0, 10000000, "a whole number from 0 to 10000000" },
	[AMOUNT_CPUS] = { 1, 1 << 20, "a whole number from 1 to 1048576" },
	[AMOUNT_MEMORY] = { 1, SL_MEM_UNBOUNDED / 2,
		"a size such as 192GiB (a bare number is MiB), up to 128 PiB" },
	[AMOUNT_GPUS] = { 0, 1 << 16, "a whole number from 0 to 65536" },
};

bool amount_within(enum amount which, int64_t value)
{
	return value >= amounts[which].min && value <= amounts[which].max;
}

bool amount_read(enum amount which, const char *text, int64_t *value)
{
	const size_t len = strlen(text);
	const bool read = which == AMOUNT_MEMORY ? sl_get_memory(text, len, false, value)
						 : sl_get_i64(text, len, value);
	return read && amount_within(which, *value);
}

const char *amount_text(enum amount which) { return amounts[which].text; }
