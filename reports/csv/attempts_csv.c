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

enum { CHARGE_LINE = 4 * CSV_NUMBER + CSV_WORD, CHARGE_LINES = 128 };

struct charges_writer {
	const struct sl_result *result;
	struct sl_out *out;
	char *p; /* Where the next line goes, with room for `room` of them. */
	size_t room;
	struct csv_word reason[SL_REASON_COUNT];
	struct csv_numbers numbers;
};

static void put_charge(struct charges_writer *writer, uint32_t row, const struct sl_charge *charge)
{
	const struct sl_jobs *jobs = writer->result->jobs;
	char *p = writer->p;
	if (!writer->room) {
		sl_out_advance(writer->out, p);
		p = sl_out_reserve(writer->out, CHARGE_LINES * CHARGE_LINE);
		writer->room = CHARGE_LINES;
	}
	writer->room--;
	if (jobs->id_name && jobs->id_name[row]) {
		sl_out_advance(writer->out, p);
		sl_out_csv(writer->out, jobs->id_name[row]);
		p = sl_out_reserve(writer->out, CHARGE_LINE);
		writer->room = 0;
		*p++ = ',';
	} else {
		p = csv_field(p, &writer->numbers, jobs->id[row]);
	}
	p = csv_field_micro(p, &writer->numbers, charge->from);
	p = csv_field_micro(p, &writer->numbers, charge->until);
	p = csv_put_word(p, &writer->reason[charge->reason]);
	if (charge->detail)
		p = csv_put_u64(p, charge->detail);
	*p++ = '\n';
	writer->p = p;
}

/* change: the first of this row's changes of reason, if rows are met in their order; then that of the next
 * one's. */
static void put_charges(struct charges_writer *writer, uint32_t row, size_t *change)
{
	const struct sl_result *result = writer->result;
	struct sl_charging charging;
	struct sl_charge charge;
	if (change) {
		while (*change < result->reason_count && result->reasons[*change].job < row)
			++*change;
		charging = (struct sl_charging){ .result = result, .job = row, .change = *change };
	} else {
		charging = sl_charges_of(result, row);
	}
	while (sl_charge_next(&charging, &charge))
		put_charge(writer, row, &charge);
}

static int write_reasons(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct charges_writer writer = { .result = result, .out = out };
	for (unsigned i = 0; i < SL_REASON_COUNT; i++)
		csv_word_set(&writer.reason[i], sl_reason_name((enum sl_reason)i));
	csv_numbers_make(&writer.numbers);
	uint32_t *order;
	const int status = csv_order(result->jobs, &order, err);
	if (status)
		return status;
	sl_out_text(out, "job_id,from,to,reason,detail\n");
	writer.p = sl_out_reserve(out, 1);
	size_t change = 0;
	for (uint32_t i = 0; i < result->jobs->count; i++)
		put_charges(&writer, order ? order[i] : i, order ? NULL : &change);
	sl_out_advance(out, writer.p);
	free(order);
	return SL_OK;
}

const struct sl_report csv_reasons = { SL_ABI_OF(struct sl_report), "reasons.csv",
	"what each second of a job's wait is charged to", write_reasons, NULL, false, NULL };
