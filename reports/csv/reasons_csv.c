/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reasons_csv.c - reasons.csv: what each second of waiting is charged to.
 *
 * The segments of a job follow each other without a gap from its submission until it no longer waited, so
 * they add up to its wait_total in jobs.csv, to the microsecond. None is empty but the last of a job
 * that still waits as the run is over, and neighbours differ.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

enum { LINE = 4 * CSV_NUMBER + CSV_WORD };

static void put_charge(struct sl_out *out, const struct sl_jobs *jobs, uint32_t row,
	const struct sl_charge *charge, const struct csv_word *word)
{
	csv_id(out, jobs, row);
	char *p = sl_out_room(out, LINE);
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
