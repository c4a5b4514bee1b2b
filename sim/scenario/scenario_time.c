/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_time.c - zones and points of time as people write them.
 *
 * A date is local to the scenario's fixed offset from UTC; the machine's own
 * zone is never read.
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

/* All of text is digits. */
static bool digits_of(const char *text, size_t len, int64_t *value)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return sl_get_i64(text, len, value);
}

int time_zone(const char *text, int64_t *offset, struct sl_err *err)
{
	const size_t len = strlen(text);
	int64_t hours, minutes;
	const bool signed_text = text[0] == '+' || text[0] == '-';
	bool good = false;
	if (len == 6 && signed_text && text[3] == ':' && digits_of(text + 1, 2, &hours) &&
		digits_of(text + 4, 2, &minutes) && minutes < 60) {
		*offset = (hours * 60 + minutes) * (text[0] == '-' ? -60 : 60);
		good = true;
	} else {
		good = sl_get_i64(text, len, offset);
	}
	if (good && *offset >= -86400 && *offset <= 86400)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"time zone '%s' is not one: give the offset from UTC as +02:00, or in seconds", text);
}

int time_point(const struct scenario *scenario, const char *what, const char *text, sl_time *time,
	struct sl_err *err)
{
	size_t len = strlen(text);
	sl_time date;
	if (sl_get_date(text, len, &date)) {
		if (!scenario->epoch)
			return sl_fail(err, SL_USAGE,
				"%s=%s: the trace does not say when it began (UnixStartTime), so it has no dates: "
				"give seconds since its zero, or a duration such as 3d",
				what, text);
		*time = date - (scenario->utc_offset + scenario->epoch) * SL_SECOND;
		return SL_OK;
	}
	const char *number = text;
	if (*number == '+') {
		number++;
		len--;
	}
	if (sl_get_duration(number, len, time))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"%s=%s is not a time: give seconds since the trace's zero, a duration such as 3d or 36h, or a date "
		"as 2001-12-31T23:59",
		what, text);
}
