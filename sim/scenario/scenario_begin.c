/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_begin.c - replay.start=recorded: which jobs ran and which waited at replay.from, by the log.
 *
 * By the log a job ran from submit + wait on, for its run time. One that had
 * started then and not ended runs on from there; one that had not started
 * waits, with its own submit time. A wait that the log does not know is none.
 * One that had ended, within replay.before, is there as history: the policy is told of it.
 */
#include "sim/scenario/scenario_parts.h"

/* Wide: the log is not checked yet. */
static __int128 scenario_begin_start_of(sl_time submit, sl_time wait)
{
	return (__int128)submit + (wait > 0 ? wait : 0);
}

/* Its limit counts where it kills. */
static sl_time length_of(const struct loading *loading, sl_time run, sl_time limit)
{
	return loading->scenario->overrun == SL_OVERRUN_KILL && limit < run ? limit : run;
}

bool begin_reaches(const struct loading *loading, sl_time submit, sl_time wait, sl_time run, sl_time limit)
{
	const __int128 start = scenario_begin_start_of(submit, wait);
	const struct sl_value *told = &loading->scenario->replay[REPLAY_BEFORE];
	const sl_time before = told->text ? told->number : 0;
	return submit < loading->from &&
	       start + length_of(loading, run, limit) > (__int128)loading->from - before;
}

static sl_time wait_of(const struct columns *columns, uint32_t row)
{
	return columns->at[COLUMN_WAIT] ? column_i64(columns, COLUMN_WAIT)[row] : SL_NONE;
}

static bool stays(void *self, uint32_t row)
{
	const struct loading *loading = self;
	const struct columns *columns = loading->scenario->columns;
	const sl_time submit = column_i64(columns, COLUMN_SUBMIT)[row];
	return (submit >= loading->from && submit < loading->to) ||
	       begin_reaches(loading, submit, wait_of(columns, row), column_i64(columns, COLUMN_RUN)[row],
		       column_i64(columns, COLUMN_LIMIT)[row]);
}

int begin_select(struct loading *loading, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const uint32_t before = columns->count;
	const int status = columns_keep(columns, stays, loading, err);
	loading->outside = before - columns->count;
	return !status && !columns->count ? cleaning_fail_nothing(loading, err) : status;
}

/* By how long it had run; SL_NONE: it waited, or was still to come. */
static sl_time ran_of(const struct loading *loading, uint32_t row)
{
	const struct columns *columns = loading->scenario->columns;
	const __int128 start =
		scenario_begin_start_of(column_i64(columns, COLUMN_SUBMIT)[row], wait_of(columns, row));
	return start < loading->from ? (sl_time)(loading->from - start) : SL_NONE;
}

int begin_make(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	struct columns *columns = scenario->columns;
	if (!loading->waits_of_any)
		return sl_fail(err, SL_INPUT,
			"%s: replay.start=recorded needs to know when jobs started, and the log records no waits (all "
			"are unknown or zero): leave it out",
			loading->file);
	scenario->begins = true;
	scenario->begin = loading->from;
	const int status = columns_add(columns, COLUMN_RAN, err);
	bool any = false;
	for (uint32_t row = 0; !status && row < columns->count; row++) {
		const sl_time ran = ran_of(loading, row);
		column_i64(columns, COLUMN_RAN)[row] = ran;
		any |= ran != SL_NONE;
	}
	if (!status && !any)
		columns_drop(columns, COLUMN_RAN);
	return status;
}
