/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_feedback.c - which job's submission follows which job's end (replay.feedback), once rows are
 * final.
 *
 * SWF (Feitelson's standard workload format): field 17 is the number of the job that this one waited for,
 * field 18 how long after its end it was submitted. A job that is not in the replay, or that comes later in
 * the trace, is no preceding one; so there are no circles.
 */
#include <stdlib.h>

#include "sim/scenario/scenario_parts.h"

struct numbered {
	int64_t id;
	uint32_t row;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static uint32_t scenario_feedback_row_of(const struct numbered *known, uint32_t count, int64_t id)
{
	uint32_t low = 0;
	uint32_t high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (known[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && known[low].id == id ? known[low].row : UINT32_MAX;
}

/* In the file: who is submitted later may stand before. */
static uint32_t scenario_feedback_place_of(const struct columns *columns, uint32_t row)
{
	const int32_t *place = column_i32(columns, COLUMN_PLACE);
	return place ? (uint32_t)place[row] : row;
}

static void scenario_feedback_follow(
	struct loading *loading, const struct numbered *known, uint32_t *follows, sl_time *think)
{
	struct scenario *scenario = loading->scenario;
	const struct columns *columns = scenario->columns;
	const bool thinks = scenario->replay[REPLAY_FEEDBACK].number == FEEDBACK_THINK;
	const int64_t *previous = column_i64(columns, COLUMN_PREV);
	const int64_t *after = column_i64(columns, COLUMN_THINK);
	uint64_t unknown = 0;
	uint64_t later = 0;
	for (uint32_t row = 0; row < columns->count; row++) {
		const bool says = previous && previous[row] > 0;
		const uint32_t before =
			says ? scenario_feedback_row_of(known, columns->count, previous[row]) : UINT32_MAX;
		unknown += says && before == UINT32_MAX;
		const bool earlier = before != UINT32_MAX && scenario_feedback_place_of(columns, before) <
								     scenario_feedback_place_of(columns, row);
		later += before != UINT32_MAX && !earlier;
		follows[row] = earlier ? before : UINT32_MAX;
		think[row] = thinks && after && after[row] > 0 ? after[row] : 0;
		scenario->followers += follows[row] != UINT32_MAX;
	}
	if (unknown)
		cleaning_report(loading, CAUSE_NOT_BEFORE, unknown, 0);
	if (later)
		cleaning_report(loading, CAUSE_LATER, later, 0);
}

int feedback_make(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct columns *columns = scenario->columns;
	const uint32_t count = columns->count;
	if (!scenario->replay[REPLAY_FEEDBACK].number)
		return SL_OK;
	uint32_t *follows = sl_alloc(scenario->arena, (size_t)count + 1, sizeof(*follows));
	sl_time *think = sl_alloc(scenario->arena, (size_t)count + 1, sizeof(*think));
	struct numbered *known = malloc(((size_t)count + 1) * sizeof(*known));
	if (!follows || !think || !known) {
		free(known);
		return sl_fail_memory(err);
	}
	for (uint32_t row = 0; row < count; row++)
		known[row] = (struct numbered){ column_i64(columns, COLUMN_ID)[row], row };
	qsort(known, count, sizeof(*known), compare_numbered);
	scenario_feedback_follow(loading, known, follows, think);
	free(known);
	if (!scenario->followers)
		return SL_OK; /* It is as recorded. */
	scenario->follows = follows;
	scenario->think = think;
	return SL_OK;
}
