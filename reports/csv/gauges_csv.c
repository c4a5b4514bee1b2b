/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gauges_csv.c - gauges.csv: what each gauge showed, from each time on until its next line.
 *
 * In the order of time; at one time, in the order in which the gauges were named.
 */
#include "reports/csv/csv.h"

enum { LINE = 2 * CSV_NUMBER };

static bool wanted(const struct sl_result *result) { return result->gauge_count > 0; }

/* The gauge with the next point; gauge_count: there is none. */
static uint32_t next_of(const struct sl_result *result, const size_t *written)
{
	uint32_t next = result->gauge_count;
	sl_time at = SL_NEVER;
	for (uint32_t i = 0; i < result->gauge_count; i++) {
		const struct sl_gauge_course *course = &result->gauge[i];
		if (written[i] == course->count || (next < i && course->point[written[i]].at >= at))
			continue;
		next = i;
		at = course->point[written[i]].at;
	}
	return next;
}

static int write_gauges(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	size_t written[SL_GAUGES_MAX] = { 0 };
	sl_out_text(out, "time,gauge,value\n");
	for (uint32_t i; (i = next_of(result, written)) < result->gauge_count;) {
		const struct sl_gauge_course *course = &result->gauge[i];
		const struct sl_gauge_point *point = &course->point[written[i]++];
		char *p = csv_put_micro(sl_out_room(out, LINE), point->at);
		*p++ = ',';
		sl_out_advance(out, p);
		sl_out_csv(out, course->gauge->name);
		p = sl_out_room(out, LINE);
		*p++ = ',';
		p = csv_put_micro(p, point->value);
		*p++ = '\n';
		sl_out_advance(out, p);
	}
	return SL_OK;
}

const struct sl_report csv_gauges = { SL_ABI_OF(struct sl_report), "gauges.csv",
	"gauges that are followed (replay.gauges), over time", write_gauges, wanted, false, NULL };
