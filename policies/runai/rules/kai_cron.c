/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_cron.c - when a window of past usage starts anew, as crontab(5) writes it: five fields of numbers,
 * ranges, steps and lists, names of months and days, or a word such as @daily. A day fits if day of month and
 * weekday do; if both are said, if one of them does.
 *
 * KAI reads more (aptible/supercronic cronexpr: seconds, years, L, W, #): those are refused, not guessed.
 */
#include "policies/runai/rules/kai_share.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	MINUTE_S = 60,
	HOUR_S = 3600,
	DAY_S = 86400,
	HOURS = 24,
	MINUTES = 60,
	WEEK = 7,
	DAYS_AHEAD = 366 * 8 + 2, /* To 29 February of the next leap year, over a year such as 2100. */
	FIELDS = 5,
	NAME = 3 /* Letters of "jan", "mon". */
};

struct field {
	const char *what;
	unsigned from, to;
	const char *const *names; /* Of from, from + 1...; ended by NULL. */
};

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
	"nov", "dec", NULL };
static const char *const weekdays[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL };
static const struct field fields[FIELDS] = {
	{ "minute", 0, 59, NULL }, { "hour", 0, 23, NULL }, { "day of the month", 1, 31, NULL },
	{ "month", 1, 12, months }, { "day of the week", 0, 7, weekdays }, /* 7 is Sunday too. */
};
static const struct {
	const char *word, *text;
} words[] = {
	{ "@hourly", "0 * * * *" },
	{ "@daily", "0 0 * * *" },
	{ "@midnight", "0 0 * * *" },
	{ "@weekly", "0 0 * * 0" },
	{ "@monthly", "0 0 1 * *" },
	{ "@yearly", "0 0 1 1 *" },
	{ "@annually", "0 0 1 1 *" },
};

/* ---- Read ---- */

/* A number or name at *text, which moves on. False: neither, or out of range. */
static bool get_value(const struct field *field, const char **text, unsigned *value)
{
	const char *at = *text;
	for (unsigned i = 0; field->names && field->names[i]; i++)
		if (strncasecmp(at, field->names[i], NAME) == 0) {
			*value = field->from + i;
			*text = at + NAME;
			return true;
		}
	unsigned number = 0;
	for (; *at >= '0' && *at <= '9' && number <= field->to; at++)
		number = number * 10 + (unsigned)(*at - '0');
	if (at == *text || number < field->from || number > field->to)
		return false;
	*value = number;
	*text = at;
	return true;
}

/* One of a list: "*", "5", "1-5", any with "/2". */
static bool get_part(const struct field *field, const char **text, uint64_t *bits)
{
	unsigned from = field->from, to = field->to, step = 1;
	const bool any = **text == '*' || **text == '?';
	if (any) {
		++*text;
	} else {
		if (!get_value(field, text, &from))
			return false;
		to = from;
		if (**text == '-' && (++*text, !get_value(field, text, &to)))
			return false;
	}
	if (**text == '/') {
		static const struct field steps = { "step", 1, 59, NULL };
		if (to == from && !any)
			to = field->to;
		++*text;
		if (!get_value(&steps, text, &step))
			return false;
	}
	if (to < from)
		return false;
	for (unsigned i = from; i <= to; i += step)
		*bits |= UINT64_C(1) << i;
	return true;
}

/* Up to a blank, or the end. */
static bool get_field(const struct field *field, const char **text, uint64_t *bits)
{
	for (;;) {
		if (!get_part(field, text, bits))
			return false;
		if (**text != ',')
			return **text == ' ' || **text == '\t' || **text == '\0';
		++*text;
	}
}

static const char *skip(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

int kai_cron_parse(const char *text, struct kai_cron *cron, struct sl_err *err)
{
	const char *at = skip(text);
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(at, words[i].word) == 0)
			at = words[i].text;
	uint64_t bits[FIELDS] = { 0 };
	bool said[FIELDS];
	for (int i = 0; i < FIELDS; i++) {
		said[i] = *at != '*' && *at != '?';
		if (!get_field(&fields[i], &at, &bits[i]))
			return sl_fail(err, SL_INPUT,
				"'%.80s' is not a cron time: its %s is none of *, a number from %u to %u, a range a-b, "
				"a step */n or a list of them; write \"minute hour day month weekday\"",
				text, fields[i].what, fields[i].from, fields[i].to);
		at = skip(at);
	}
	if (*at)
		return sl_fail(err, SL_INPUT,
			"'%.80s' is not a cron time: more than five fields; write \"minute hour day month weekday\"",
			text);
	*cron = (struct kai_cron){ .minute = bits[0],
		.hour = (uint32_t)bits[1],
		.day = (uint32_t)bits[2],
		.month = (uint32_t)bits[3],
		.weekday = (uint32_t)((bits[4] | bits[4] >> WEEK) & ((1U << WEEK) - 1)),
		.day_said = said[2],
		.weekday_said = said[4] };
	return 0;
}

/* ---- When ---- */

struct date {
	unsigned month, day;
};

/* Days since 1970 to a day of the Gregorian calendar (H. Hinnant, chrono-compatible low-level date
 * algorithms: years from March, eras of 400). */
static struct date kai_cron_date_of(int64_t days)
{
	enum { TO_1970 = 719468, ERA = 146097, YEAR = 365, LEAP = 1460, CENTURY = 36524 };
	const int64_t shifted = days + TO_1970;
	const int64_t era = (shifted >= 0 ? shifted : shifted - (ERA - 1)) / ERA;
	const unsigned of_era = (unsigned)(shifted - era * ERA);
	const unsigned year = (of_era - of_era / LEAP + of_era / CENTURY - of_era / (ERA - 1)) / YEAR;
	const unsigned of_year = of_era - (YEAR * year + year / 4 - year / 100);
	const unsigned march = (5 * of_year + 2) / 153;
	return (struct date){ march < 10 ? march + 3 : march - 9, of_year - (153 * march + 2) / 5 + 1 };
}

static bool day_fits(const struct kai_cron *cron, int64_t days)
{
	enum { THURSDAY = 4 }; /* 1 January 1970 */
	const struct date date = kai_cron_date_of(days);
	const int64_t weekday = ((days + THURSDAY) % WEEK + WEEK) % WEEK;
	const bool day = cron->day >> date.day & 1, week = cron->weekday >> weekday & 1;
	if (!(cron->month >> date.month & 1))
		return false;
	return cron->day_said && cron->weekday_said ? day || week : day && week;
}

/* The first minute of a day from `minute` on; -1: none. */
static int minute_from(const struct kai_cron *cron, int minute)
{
	for (; minute < HOURS * MINUTES; minute++)
		if (cron->hour >> minute / MINUTES & 1 && cron->minute >> minute % MINUTES & 1)
			return minute;
	return -1;
}

int64_t kai_cron_next(const struct kai_cron *cron, int64_t after_s)
{
	int64_t day = after_s / DAY_S - (after_s % DAY_S < 0);
	int minute = (int)((after_s - day * DAY_S) / MINUTE_S) + 1;
	for (int i = 0; i < DAYS_AHEAD; i++, day++, minute = 0) {
		const int found = day_fits(cron, day) ? minute_from(cron, minute) : -1;
		if (found >= 0)
			return day * DAY_S + (int64_t)found * MINUTE_S;
	}
	return INT64_MAX;
}
