/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_restart.c - what it costs to go on from a checkpoint, by size (replay.restart).
 *
 * "7s,2:30s,9:60s": 7 s for a job of one GPU, 30 s from 2 GPUs on, 60 s from 9
 * on; cpus of a job that asks for no GPU. Smaller jobs than the first named
 * cost nothing.
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

enum { STEPS_MAX = 64 };

static int fail_form(const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"replay.restart='%.60s' is no table of costs: write it like 7s,2:30s,9:60s (from so many GPUs or "
		"cpus on: so long), sizes ascending",
		text);
}

/* "2:30s", or "7s" of the first. */
static bool step_read(const char *text, size_t len, struct restart_step *step)
{
	const char *colon = memchr(text, ':', len);
	const char *cost = colon ? colon + 1 : text;
	step->from = 1;
	return (!colon || (colon - text <= 10 && sl_get_i64(text, (size_t)(colon - text), &step->from))) &&
	       step->from >= 1 && step->from <= INT32_MAX &&
	       sl_get_duration(cost, len - (size_t)(cost - text), &step->cost) && step->cost >= 0 &&
	       step->cost <= INT64_C(1000000) * 86400 * SL_SECOND;
}

int restart_parse(struct scenario *scenario, const char *text, struct sl_err *err)
{
	size_t most = 1;
	for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
		most++;
	if (most > STEPS_MAX)
		return sl_fail(
			err, SL_USAGE, "replay.restart has %zu steps: give at most %d", most, STEPS_MAX);
	struct restart_step *steps = sl_alloc(scenario->arena, most, sizeof(*steps));
	if (!steps)
		return sl_fail_memory(err);
	const char *p = text;
	for (size_t i = 0; i < most; i++) {
		const size_t len = (size_t)(strchrnul(p, ',') - p);
		if (!step_read(p, len, &steps[i]) || (i && steps[i].from <= steps[i - 1].from))
			return fail_form(text, err);
		p += len + 1;
	}
	scenario->restart = steps;
	scenario->restart_count = most;
	return SL_OK;
}

sl_time restart_cost(const struct scenario *scenario, int64_t size)
{
	sl_time cost = 0;
	for (size_t i = 0; i < scenario->restart_count && scenario->restart[i].from <= size; i++)
		cost = scenario->restart[i].cost;
	return cost;
}
