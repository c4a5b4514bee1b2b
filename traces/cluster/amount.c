/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * amount.c - how many and how much: the numbers of the cluster file and of its settings, with their bounds.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

/* A number and a unit, all of them powers of 1024 bytes; MiB without one. Rounded down to whole MiB. */
static bool memory_read(const char *text, int64_t *value)
{
	static const struct {
		char letter;
		int64_t kib;
	} unit[] = { { 'k', 1 }, { 'm', 1 << 10 }, { 'g', 1 << 20 }, { 't', 1 << 30 },
		{ 'p', INT64_C(1) << 40 } };
	const size_t len = strcspn(text, "kmgtpKMGTP ");
	const char *suffix = text + len + strspn(text + len, " ");
	int64_t micro;
	if (!sl_get_micro(text, len, &micro) || micro < 0)
		return false;
	int64_t kib = *suffix ? 0 : 1 << 10;
	for (size_t i = 0; i < SL_LEN(unit); i++)
		if ((*suffix | 0x20) == unit[i].letter)
			kib = unit[i].kib;
	const char *rest = *suffix ? suffix + 1 : suffix;
	if (!kib || (*rest && strcasecmp(rest, "b") != 0 && strcasecmp(rest, "ib") != 0))
		return false;
	const __int128 mib = (__int128)micro * kib / (1024 * INT64_C(1000000));
	*value = mib < INT64_MAX ? (int64_t)mib : INT64_MAX;
	return true;
}

bool amount_within(enum amount which, int64_t value)
{
	return value >= amounts[which].min && value <= amounts[which].max;
}

bool amount_read(enum amount which, const char *text, int64_t *value)
{
	const bool read =
		which == AMOUNT_MEMORY ? memory_read(text, value) : sl_get_i64(text, strlen(text), value);
	return read && amount_within(which, *value);
}

const char *amount_text(enum amount which) { return amounts[which].text; }
