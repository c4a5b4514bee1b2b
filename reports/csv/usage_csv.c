/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_csv.c - usage.csv: what was busy and what waited, from each time on until the next line's.
 *
 * Times ascend strictly and neighbouring lines differ: of several points at one instant the last holds.
 */
#include "reports/csv/csv.h"

enum { LINE = 6 * CSV_NUMBER };

static bool same(const struct sl_usage_point *a, const struct sl_usage_point *b)
{
	return a->cpus_busy == b->cpus_busy && a->cpus_queued == b->cpus_queued && a->running == b->running &&
	       a->queued == b->queued;
}

static int write_usage(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	struct csv_word total;
	char number[CSV_NUMBER];
	*sl_put_i64(number, result->cpus) = '\0';
	csv_word_set(&total, number);
	sl_out_text(out, "time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued\n");
	const struct sl_usage_point *before = NULL;
	for (size_t i = 0; i < result->usage_count; i++) {
		const struct sl_usage_point *point = &result->usage[i];
		const bool superseded = i + 1 < result->usage_count && point[1].at == point->at;
		if (superseded || (before && same(before, point)))
			continue;
		char *p = csv_put_micro(sl_out_room(out, LINE), point->at);
		*p++ = ',';
		p = csv_put_i64(p, point->cpus_busy);
		*p++ = ',';
		p = csv_put_word(p, &total);
		p = csv_put_u64(p, point->running);
		*p++ = ',';
		p = csv_put_u64(p, point->queued);
		*p++ = ',';
		p = csv_put_i64(p, point->cpus_queued);
		*p++ = '\n';
		sl_out_advance(out, p);
		before = point;
	}
	return SL_OK;
}

const struct sl_report csv_usage = { SL_ABI_OF(struct sl_report), "usage.csv",
	"cpus and jobs, running and waiting, over time", write_usage };
