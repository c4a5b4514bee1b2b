/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cron.c - schedules: of a CronJob, and of a NodePool's disruption budgets, both of which Kubernetes reads as
 * robfig/cron/v3 does (ParseStandard).
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax: minute, hour, day of
 * the month, month, day of the week, each a list of numbers (names of months and days, too), ranges and
 * steps; of the two days either will do where both are said; and @hourly, @daily, @weekly, @monthly, @yearly.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/plugin.h"

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELDS };
_Static_assert((int)FIELDS == (int)SL_CRON_FIELDS, "one a field");

static const struct {
	int least, most;
} range[FIELDS] = { { 0, 59 }, { 0, 23 }, { 1, 31 }, { 1, 12 }, { 0, 6 } };

/* ---- Reading ------------------------------------------------------------------------------------------- */

static bool number_in(const char **p, int field, int *number)
{
	static const char *const names[] = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep",
		"oct", "nov", "dec", "sun", "mon", "tue", "wed", "thu", "fri", "sat" };
	enum { MONTHS = 12, DAYS = 7 };
	char *end;
	const size_t first = field == WEEKDAY ? MONTHS : 0;
	const size_t count = field == WEEKDAY ? DAYS : field == MONTH ? MONTHS : 0;
	for (size_t i = 0; i < count; i++)
		if (strncasecmp(*p, names[first + i], 3) == 0) {
			*number = (int)i + (field == MONTH);
			*p += 3;
			return true;
		}
	if (**p < '0' || **p > '9')
		return false;
	const long value = strtol(*p, &end, 10);
	*p = end;
	*number = value > 99 ? 99 : (int)value;
	return true;
}

/* "*", "5", "1-5", with "/2" behind it. */
static bool item_in(const char **p, int field, struct sl_cron *cron)
{
	int from = range[field].least;
	int to = range[field].most;
	int step = 1;
	const bool all = **p == '*' || **p == '?';
	if (all)
		++*p;
	else if (!number_in(p, field, &from))
		return false;
	const bool ranged = !all && **p == '-';
	if (ranged && (++*p, !number_in(p, field, &to)))
		return false;
	if (!all && !ranged && **p != '/')
		to = from;
	if (**p == '/' && (++*p, !number_in(p, DAY, &step)))
		return false;
	if (from < range[field].least || to > range[field].most || from > to || step < 1)
		return false;
	cron->any[field] |= all && step == 1;
	for (int i = from; i <= to; i += step)
		cron->on[field] |= UINT64_C(1) << i;
	return true;
}

bool sl_cron_read(const char *text, struct sl_cron *cron)
{
	static const char *const words[][2] = { { "@hourly", "0 * * * *" }, { "@daily", "0 0 * * *" },
		{ "@midnight", "0 0 * * *" }, { "@weekly", "0 0 * * 0" }, { "@monthly", "0 0 1 * *" },
		{ "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" } };
	*cron = (struct sl_cron){ 0 };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcmp(text, words[i][0]) == 0)
			text = words[i][1];
	for (int field = 0; field < FIELDS; field++) {
		text += strspn(text, " \t");
		do
			if (!item_in(&text, field, cron))
				return false;
		while (*text == ',' && *++text);
		if (*text && !strchr(" \t", *text))
			return false;
	}
	return !text[strspn(text, " \t")];
}

/* ---- Times --------------------------------------------------------------------------------------------- */

/* Month and day of a number of days since 1970, by the proleptic Gregorian calendar: eras of 400 years, and
 * years that begin in March. */
static void date_of(int64_t days, int *month, int *day)
{
	const int64_t shifted = days + 719468;
	const int64_t of_era = shifted % 146097;
	const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	const int64_t since_march = (5 * of_year + 2) / 153;
	*day = (int)(of_year - (153 * since_march + 2) / 5) + 1;
	*month = (int)(since_march < 10 ? since_march + 3 : since_march - 9);
}

bool sl_cron_on_day(const struct sl_cron *cron, int64_t days)
{
	int month, day;
	date_of(days, &month, &day);
	const bool of_month = cron->on[DAY] >> day & 1;
	const bool of_week = cron->on[WEEKDAY] >> ((days + 4) % 7) & 1; /* 1970 began on a Thursday. */
	const bool either = !cron->any[DAY] && !cron->any[WEEKDAY];
	return (cron->on[MONTH] >> month & 1) && (either ? of_month || of_week : of_month && of_week);
}

bool sl_cron_hits(const struct sl_cron *cron, int64_t minute)
{
	return (cron->on[MINUTE] >> minute % 60 & 1) && (cron->on[HOUR] >> minute / 60 % 24 & 1) &&
	       sl_cron_on_day(cron, minute / 1440);
}
