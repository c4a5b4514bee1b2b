/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill_csv.c - fill.csv: a line for each percentage of the GPUs that was asked so far, from 0 on.
 */
#include "reports/fill/fill.h"

static char *put_micro(char *p, int64_t value)
{
	*p++ = ',';
	return sl_put_micro(p, value);
}

static void put_row(struct sl_out *out, const struct fill_course *course, size_t percent)
{
	enum { ROOM = 160 };
	const struct fill_row row = fill_row(course, percent);
	if (!row.known)
		return;
	char *p = sl_put_i64(sl_out_room(out, ROOM), (int64_t)percent);
	p = put_micro(p, row.allocated);
	if (course->gauged) {
		p = put_micro(p, row.fragmented);
		p = put_micro(p, row.ratio);
	} else {
		*p++ = ',';
		*p++ = ',';
	}
	*p++ = '\n';
	sl_out_advance(out, p);
}

static int write_fill(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct fill_course course;
	const int status = fill_course(&course, result, err);
	if (status)
		return status;
	sl_out_text(out, "requested_percent,allocated_percent,fragmented_percent,fragmented_ratio\n");
	for (size_t percent = 0; percent < course.count; percent++)
		put_row(out, &course, percent);
	fill_release(&course);
	return SL_OK;
}

const struct sl_report fill_csv = { SL_ABI_OF(struct sl_report), "fill.csv",
	"GPUs allocated and fragmented, by how many were asked so far", write_fill, fill_was_asked, false,
	NULL };
