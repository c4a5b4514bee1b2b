/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * date.c - dates of the Gregorian calendar as times of their own clock; no zone reaches here.
 */
#include "sim/base/base.h"

/* All of text is digits. */
static bool digits_of(const char *text, size_t len, int64_t *value)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return sl_get_i64(text, len, value);
}

/* Days from 1970-01-01 to a date: whole 400-year eras, years from March on. */
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

bool sl_get_date(const char *text, size_t len, sl_time *value)
{
	enum { DATE = 10, MINUTES = 16, SECONDS = 19, LONGEST = 26 };
	int64_t year, month, day, clock[3] = { 0, 0, 0 };
	int64_t fraction = 0;
	if (len < DATE || text[4] != '-' || text[7] != '-')
		return false;
	if (!digits_of(text, 4, &year) || year < 1 || !digits_of(text + 5, 2, &month) || month < 1 ||
		month > 12 || !digits_of(text + 8, 2, &day) || day < 1 || day > month_days(year, month))
		return false;
	if (len > SECONDS + 1 && len <= LONGEST && text[SECONDS] == '.') {
		if (!digits_of(text + SECONDS + 1, len - SECONDS - 1, &fraction))
			return false;
		for (size_t i = len; i < LONGEST; i++)
			fraction *= 10;
		len = SECONDS;
	}
	if (len != DATE && len != MINUTES && len != SECONDS)
		return false;
	for (size_t i = 0, at = DATE; at < len; i++, at += 3) {
		const bool separated = at == DATE ? text[at] == 'T' || text[at] == ' ' : text[at] == ':';
		if (!separated || !digits_of(text + at + 1, 2, &clock[i]) || clock[i] > (i ? 59 : 23))
			return false;
	}
	const int64_t seconds =
		days_of(year, month, day) * 86400 + (clock[0] * 60 + clock[1]) * 60 + clock[2];
	*value = seconds * SL_SECOND + fraction;
	return true;
}
