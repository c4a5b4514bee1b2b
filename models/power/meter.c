/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * meter.c - the integral of a draw that holds from one event to the next; shares under a cap.
 */
#include <string.h>

#include "models/power/power.h"

void meter_begin(struct meter *meter, sl_time at)
{
	memset(meter, 0, sizeof(*meter));
	meter->begun = meter->at = at;
	meter->width = SL_SECOND;
}

static void join_bins(struct meter *meter)
{
	for (uint32_t i = 0; i < METER_BINS; i++) {
		struct meter_bin both = { 0 };
		for (uint32_t k = 2 * i; k < 2 * i + 2 && k < METER_BINS; k++) {
			both.sum += meter->bin[k].sum;
			both.peak = both.peak > meter->bin[k].peak ? both.peak : meter->bin[k].peak;
		}
		meter->bin[i] = both;
	}
	meter->width *= 2;
}

void meter_advance(struct meter *meter, int64_t draw, sl_time now)
{
	if (now <= meter->at)
		return;
	meter->total += (power_sum)draw * (power_sum)(now - meter->at);
	meter->peak = draw > meter->peak ? draw : meter->peak;
	while ((now - meter->begun - 1) / meter->width >= METER_BINS)
		join_bins(meter);
	while (meter->at < now) {
		const int64_t index = (meter->at - meter->begun) / meter->width;
		const sl_time boundary = meter->begun + (index + 1) * meter->width;
		const sl_time until = boundary < now ? boundary : now;
		struct meter_bin *bin = &meter->bin[index];
		bin->sum += (power_sum)draw * (power_sum)(until - meter->at);
		bin->peak = draw > bin->peak ? draw : bin->peak;
		meter->at = until;
	}
}

uint64_t cap_share(int64_t cap, int64_t fixed, int64_t dynamic, uint64_t least)
{
	if (!dynamic || dynamic <= cap - fixed)
		return SL_SPEED_ONE;
	const int64_t capacity = cap > fixed ? cap - fixed : 0;
	const uint64_t steps = (uint64_t)((unsigned __int128)capacity * THROTTLE_STEPS / (uint64_t)dynamic);
	const uint64_t share = steps * (SL_SPEED_ONE / THROTTLE_STEPS);
	return share > least ? share : least;
}

/* The largest clock whose cube is not above the share, by halving. */
uint64_t cap_clock_cubic(uint64_t share)
{
	uint64_t low = 0;
	uint64_t high = SL_SPEED_ONE;
	while (low < high) {
		const uint64_t middle = low + (high - low + 1) / 2;
		if ((unsigned __int128)middle * middle * middle <= (unsigned __int128)share << 64)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}
