/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * since.c - what happened after the last pass, for plans that do less where less happened. Kept in a ledger,
 * so that a pass that is undone forgets nothing.
 */
#include "policies/composed/composed.h"

enum since_row {
	SINCE_ENDED,
	SINCE_FIRST, /* The first submission's row + 1; 0: none. */
	SINCE_LAST,  /* The last one's. */
	SINCE_ROWS
};

int since_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	composed->since = sl_ledger_new(setup, "since", SINCE_ROWS);
	return SL_OK;
}

static int64_t get(const struct composed *composed, const struct sl_pass *pass, enum since_row row)
{
	return sl_ledger_get(pass, composed->since, row);
}

static void set(struct composed *composed, struct sl_pass *pass, enum since_row row, int64_t value)
{
	sl_ledger_add(pass, composed->since, row, value - get(composed, pass, row));
}

/* A policy's own timers are no news. */
void since_note(struct composed *composed, struct sl_pass *pass, const struct sl_event *event)
{
	if (event->class == SL_EV_TIMER)
		return;
	if (event->class != SL_EV_SUBMIT) {
		set(composed, pass, SINCE_ENDED, 1);
		return;
	}
	const int64_t row = (int64_t)event->row + 1;
	if (!since_came(composed, pass) || row < get(composed, pass, SINCE_FIRST))
		set(composed, pass, SINCE_FIRST, row);
	if (row > get(composed, pass, SINCE_LAST))
		set(composed, pass, SINCE_LAST, row);
}

bool since_ended(const struct composed *composed, const struct sl_pass *pass)
{
	return get(composed, pass, SINCE_ENDED);
}

bool since_came(const struct composed *composed, const struct sl_pass *pass)
{
	return get(composed, pass, SINCE_FIRST);
}

sl_job since_next(const struct composed *composed, const struct sl_pass *pass, sl_job before)
{
	const int64_t first = get(composed, pass, SINCE_FIRST);
	const int64_t last = get(composed, pass, SINCE_LAST);
	for (int64_t row = sl_job_is(before) ? (int64_t)before.row + 2 : first; first && row <= last; row++) {
		const sl_job job = { (uint32_t)(row - 1) };
		if (sl_waits(pass, job))
			return job;
	}
	return SL_JOB_NONE;
}

void since_forget(struct composed *composed, struct sl_pass *pass)
{
	for (enum since_row row = 0; row < SINCE_ROWS; row++)
		set(composed, pass, row, 0);
}
