/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_time.c - zones and points of time as people write them.
 *
 * A date is local to the scenario's fixed offset from UTC; the machine's own
 * zone is never read.
 */
#include <string.h>

#include "sim/scenario_parts.h"

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

/* Days from 1970-01-01 to a date of the Gregorian calendar: whole 400-year eras, years from March on. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	const int64_t era = year / 400; /* Years have four digits: never negative. */
	const int64_t year_of_era = year - era * 400;
	const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static int64_t month_days(int64_t year, int64_t month)
{
	static const int64_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return days[month - 1] + (leap && month == 2);
}

static bool looks_like_date(const char *text, size_t len)
{
	return len >= 10 && text[4] == '-' && text[7] == '-';
}

/* YYYY-MM-DD[THH:MM[:SS]] as seconds since 1970, of its own clock. */
static bool date_of(const char *text, size_t len, int64_t *seconds)
{
	int64_t year, month, day, clock[3] = { 0, 0, 0 };
	if (!digits_of(text, 4, &year) || year < 1 || !digits_of(text + 5, 2, &month) || month < 1 ||
		month > 12 || !digits_of(text + 8, 2, &day) || day < 1 || day > month_days(year, month))
		return false;
	if (len != 10 && len != 16 && len != 19)
		return false;
	for (size_t i = 0, at = 10; at < len; i++, at += 3) {
		const bool separated = at == 10 ? text[at] == 'T' || text[at] == ' ' : text[at] == ':';
		if (!separated || !digits_of(text + at + 1, 2, &clock[i]) || clock[i] > (i ? 59 : 23))
			return false;
	}
	*seconds = days_of(year, month, day) * 86400 + (clock[0] * 60 + clock[1]) * 60 + clock[2];
	return true;
}

int time_point(const struct scenario *scenario, const char *what, const char *text, sl_time *time,
	struct sl_err *err)
{
	size_t len = strlen(text);
	int64_t seconds;
	if (looks_like_date(text, len) && date_of(text, len, &seconds)) {
		if (!scenario->epoch)
			return sl_fail(err, SL_USAGE,
				"%s=%s: the trace does not say when it began (UnixStartTime), so it has no dates: "
				"give seconds since its zero, or a duration such as 3d",
				what, text);
		*time = (seconds - scenario->utc_offset - scenario->epoch) * SL_SECOND;
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
