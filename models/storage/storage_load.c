/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage_load.c - how much was moved when, in a bounded number of rows.
 *
 * Spans of equal length, a second at first. A rate is constant between two settlements, so its bytes are
 * laid over the spans in proportion to time, by differences of rounded sums: none is lost. Once the last
 * span is over, neighbours are joined, and spans are twice as long.
 */
#include "models/storage/storage.h"

void storage_load_init(struct storage_load *load, sl_time zero)
{
	*load = (struct storage_load){ .zero = zero, .width = SL_SECOND };
}

/* No more than fits. */
static void gain(int64_t *sum, int64_t bytes) { *sum = *sum < INT64_MAX - bytes ? *sum + bytes : INT64_MAX; }

static void halve(struct storage_load *load)
{
	for (uint32_t i = 0; i < STORAGE_SPANS / 2; i++) {
		load->bytes[i] = load->bytes[2 * (size_t)i];
		gain(&load->bytes[i], load->bytes[2 * (size_t)i + 1]);
	}
	for (uint32_t i = STORAGE_SPANS / 2; i < STORAGE_SPANS; i++)
		load->bytes[i] = 0;
	load->width *= 2;
	load->used = (load->used + 1) / 2;
}

void storage_load_add(struct storage_load *load, sl_time from, sl_time until, int64_t bytes)
{
	SL_CHECK(from >= load->zero && until > from);
	while ((until - load->zero - 1) / load->width >= STORAGE_SPANS)
		halve(load);
	int64_t told = 0;
	for (sl_time at = from; at < until;) {
		const uint32_t span = (uint32_t)((at - load->zero) / load->width);
		const sl_time end = load->zero + (span + 1) * load->width;
		at = end < until ? end : until;
		const int64_t sum = (int64_t)((__int128)bytes * (at - from) / (until - from));
		gain(&load->bytes[span], sum - told);
		told = sum;
		if (span >= load->used)
			load->used = span + 1;
	}
}
