/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attempts_csv.c - several lines a job, in the order of the trace and then of time: attempts.csv, one for
 * each start of the jobs that had several (there is no file if no job had two), and reasons.csv, what each
 * second of waiting is charged to.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

enum { LINE = 9 * CSV_NUMBER };

static void put_attempt(struct sl_out *out, const struct sl_jobs *jobs, const struct sl_attempt *attempt,
	size_t number, const struct csv_word *states)
{
	csv_id(out, jobs, attempt->job);
	char *p = sl_out_reserve(out, LINE);
	*p++ = ',';
	p = csv_put_u64(p, number);
	*p++ = ',';
	p = csv_put_micro(p, attempt->start);
	*p++ = ',';
	p = csv_put_micro(p, attempt->end);
	*p++ = ',';
	p = csv_put_word(p, &states[attempt->state]);
	p = csv_put_micro(p, attempt->suspended);
	*p++ = ',';
	p = csv_put_micro(p, attempt->lost);
	*p++ = ',';
	p = csv_put_micro(p, attempt->overhead);
	*p++ = '\n';
	sl_out_advance(out, p);
}

static int write_attempts(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct csv_word states[SL_STATE_COUNT];
	for (unsigned i = 0; i < SL_STATE_COUNT; i++)
		csv_word_set(&states[i], sl_state_name((enum sl_state)i));
	uint32_t *order;
	const int status = csv_order(result->jobs, &order, err);
	if (status)
		return status;
	sl_out_text(out, "job_id,attempt,start,end,state,suspended,lost,overhead\n");
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const struct sl_attempt *attempt;
		const size_t count = sl_attempts_of(result, order ? order[i] : i, &attempt);
		for (size_t k = 0; k < count; k++)
			put_attempt(out, result->jobs, &attempt[k], k + 1, states);
	}
	free(order);
	return SL_OK;
}

static bool had_several(const struct sl_result *result) { return result->attempt_count > 0; }

const struct sl_report csv_attempts = { SL_ABI_OF(struct sl_report), "attempts.csv",
	"one line for each start of the jobs that had several", write_attempts, had_several, false, NULL };

/* ---- reasons.csv: what each second of waiting is charged to.
 *
 * The segments of a job follow each other without a gap from its submission until it no longer waited, so
 * they add up to its wait_total in jobs.csv, to the microsecond. None is empty but the last of a job
 * that still waits as the run is over, and neighbours differ.
 */

enum { CHARGE_LINE = 4 * CSV_NUMBER + CSV_WORD };

static void put_charge(struct sl_out *out, const struct sl_jobs *jobs, uint32_t row,
	const struct sl_charge *charge, const struct csv_word *word)
{
	csv_id(out, jobs, row);
	char *p = sl_out_reserve(out, CHARGE_LINE);
	*p++ = ',';
	p = csv_put_micro(p, charge->from);
	*p++ = ',';
	p = csv_put_micro(p, charge->until);
	*p++ = ',';
	p = csv_put_word(p, word);
	if (charge->detail)
		p = csv_put_u64(p, charge->detail);
	*p++ = '\n';
	sl_out_advance(out, p);
}

static int write_reasons(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct csv_word reasons[SL_REASON_COUNT];
	for (unsigned i = 0; i < SL_REASON_COUNT; i++)
		csv_word_set(&reasons[i], sl_reason_name((enum sl_reason)i));
	uint32_t *order;
	const int status = csv_order(result->jobs, &order, err);
	if (status)
		return status;
	sl_out_text(out, "job_id,from,to,reason,detail\n");
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const uint32_t row = order ? order[i] : i;
		struct sl_charging charging = sl_charges_of(result, row);
		struct sl_charge charge;
		while (sl_charge_next(&charging, &charge))
			put_charge(out, result->jobs, row, &charge, &reasons[charge.reason]);
	}
	free(order);
	return SL_OK;
}

const struct sl_report csv_reasons = { SL_ABI_OF(struct sl_report), "reasons.csv",
	"what each second of a job's wait is charged to", write_reasons, NULL, false, NULL };
