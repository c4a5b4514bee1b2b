/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reasons_csv.c - reasons.csv: what each second of waiting is charged to.
 *
 * The segments of a job follow each other without a gap from its submission until it no longer waited, so
 * they add up to its wait_total in jobs.csv, to the microsecond. None is empty, and neighbours differ.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

enum { LINE = 4 * CSV_NUMBER + CSV_WORD };

/* What a job waits for, from a time on. */
struct segment {
	sl_time from;
	uint32_t reason, detail;
};

/* What charges are written from, and where. */
struct charges {
	const struct sl_result *result;
	struct sl_out *out;
	const struct csv_word *reasons; /* By reason, their words. */
	uint32_t row;
	size_t next; /* Of the row's changes. */
};

static void put_segment(const struct charges *charges, const struct segment *segment, sl_time to)
{
	csv_id(charges->out, charges->result->jobs, charges->row);
	char *p = sl_out_room(charges->out, LINE);
	*p++ = ',';
	p = csv_put_micro(p, segment->from);
	*p++ = ',';
	p = csv_put_micro(p, to);
	*p++ = ',';
	p = csv_put_word(p, &charges->reasons[segment->reason]);
	if (segment->detail)
		p = csv_put_u64(p, segment->detail);
	*p++ = '\n';
	sl_out_advance(charges->out, p);
}

/* One stretch of waiting, until then; now: its beginning. */
static void put_stretch(struct charges *charges, struct segment now, sl_time until)
{
	const struct sl_result *result = charges->result;
	static const struct sl_reason_change none;
	const struct sl_reason_change *changes = result->reason_count ? result->reasons : &none;
	const struct sl_reason_change *end = changes + result->reason_count;
	const struct sl_reason_change *change = changes + charges->next;
	for (; change < end && change->job == charges->row && change->at < until; change++) {
		const bool superseded =
			change + 1 < end && change[1].job == charges->row && change[1].at == change->at;
		/* No reason: it started, and does not wait; that is for the attempts to say. */
		if (change->at < now.from || superseded || change->reason == SL_REASON_NONE)
			continue;
		if (change->reason == now.reason && change->detail == now.detail)
			continue;
		if (change->at > now.from) {
			put_segment(charges, &now, change->at);
			now.from = change->at;
		}
		now.reason = change->reason;
		now.detail = change->detail;
	}
	charges->next = (size_t)(change - changes);
	put_segment(charges, &now, until);
}

static void put_job(struct charges *charges)
{
	const struct sl_result *result = charges->result;
	struct segment now = { 0, result->reason_default, 0 };
	sl_time until;
	for (size_t span = 0; sl_wait_span(result, charges->row, span, &now.from, &until); span++) {
		if (until > now.from)
			put_stretch(charges, now, until);
		if (!result->attempt_count)
			return;
	}
}

/* first[row]: where the row's changes begin. Changes are sorted by row. */
static size_t *index_changes(const struct sl_result *result)
{
	const uint32_t count = result->jobs->count;
	size_t *first = malloc(((size_t)count + 1) * sizeof(*first));
	size_t i = 0;
	for (uint32_t row = 0; first && row < count; row++) {
		while (i < result->reason_count && result->reasons[i].job < row)
			i++;
		first[row] = i;
	}
	return first;
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
	size_t *first = index_changes(result);
	if (!first) {
		free(order);
		return csv_no_memory(err);
	}
	sl_out_text(out, "job_id,from,to,reason,detail\n");
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const uint32_t row = order ? order[i] : i;
		put_job(&(struct charges){ result, out, reasons, row, first[row] });
	}
	free(first);
	free(order);
	return SL_OK;
}

const struct sl_report csv_reasons = { SL_ABI_OF(struct sl_report), "reasons.csv",
	"what each second of a job's wait is charged to", write_reasons, NULL, false, NULL };
