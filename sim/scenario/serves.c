/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serves.c - a service as its replicas' profiles state it: a text of keys, and its load over time.
 *
 * All in whole numbers: loads are millionths of a request a second, and hold for a while, so that their
 * integrals are exact.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"

#define LOAD_MAX  (INT64_C(1000000000) * SL_SECOND) /* Requests a second. */
#define RANGE_MAX (INT64_C(1000000000) * SL_SECOND) /* Seconds. */
#define HOUR      INT64_C(3600000000)
#define DAY       INT64_C(86400000000)

struct cursor {
	const char *p;
};

/* The next number, up to one of the marks, which is skipped. False: there is none from min to max. */
static bool serves_number_in(struct cursor *c, const char *marks, int64_t min, int64_t max, int64_t *value)
{
	const size_t len = strcspn(c->p, marks);
	if (!len || !sl_get_micro(c->p, len, value) || *value < min || *value > max)
		return false;
	c->p += len;
	return true;
}

static bool passed(struct cursor *c, char mark)
{
	if (*c->p != mark)
		return false;
	c->p++;
	return true;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

static const char *points_in(struct sl_serves *serves, struct cursor *c)
{
	uint32_t capacity = 1;
	for (const char *p = c->p; *p && *p != ';'; p++)
		capacity += *p == ',';
	if (capacity > SL_SERVES_POINTS_MAX || serves->point)
		return "'points' must stand once, with at most 20000 points";
	serves->point = calloc(capacity, sizeof(*serves->point));
	if (!serves->point)
		return "memory is out";
	sl_time at = 0;
	do {
		struct sl_load_point *point = &serves->point[serves->points];
		sl_time after;
		if (!serves_number_in(c, ":;", serves->points ? 1 : 0, RANGE_MAX, &after) ||
			!passed(c, ':') || !serves_number_in(c, ",;", 0, LOAD_MAX, &point->load) ||
			at + after > RANGE_MAX)
			return "'points' must be times and loads such as 0:5,60:7.5, each time after the one "
			       "before";
		at += after;
		point->at = at;
		serves->points++;
	} while (passed(c, ','));
	return serves->point[0].at ? "'points' must begin at 0" : NULL;
}

static const char *list_in(struct cursor *c, int64_t *value, uint32_t count, const char *wanted)
{
	for (uint32_t i = 0; i < count; i++)
		if ((i && !passed(c, ',')) || !serves_number_in(c, ",;", 0, LOAD_MAX, &value[i]))
			return wanted;
	return NULL;
}

enum { SEEN_CAPACITY = 1, SEEN_UNTIL = 2, SEEN_DAY = 4 };

static const char *key_in(struct sl_serves *serves, struct cursor *c, unsigned *seen)
{
	const struct {
		const char *key;
		int64_t *value;
		int64_t min, max;
		unsigned seen;
	} numbers[] = {
		{ "capacity=", &serves->capacity, 1, LOAD_MAX, SEEN_CAPACITY },
		{ "cold=", &serves->cold, 0, RANGE_MAX, 0 },
		{ "until=", &serves->until, 1, RANGE_MAX, SEEN_UNTIL },
		{ "step=", &serves->step, SL_SECOND, DAY, 0 },
		{ "phase=", &serves->phase, 0, 7 * DAY, 0 },
	};
	for (size_t i = 0; i < SL_LEN(numbers); i++) {
		const size_t len = strlen(numbers[i].key);
		if (strncmp(c->p, numbers[i].key, len) != 0)
			continue;
		c->p += len;
		*seen |= numbers[i].seen;
		return serves_number_in(c, ";", numbers[i].min, numbers[i].max, numbers[i].value)
			       ? NULL
			       : "one of capacity, cold, until, step and phase is no such number";
	}
	const size_t len = strcspn(c->p, "=;");
	const bool day = len == 3 && memcmp(c->p, "day", len) == 0;
	const bool week = len == 4 && memcmp(c->p, "week", len) == 0;
	const bool points = len == 6 && memcmp(c->p, "points", len) == 0;
	if (c->p[len] != '=' || (!day && !week && !points))
		return "it has a key that is none of capacity, cold, until, step, phase, day, week and points";
	c->p += len + 1;
	if (points)
		return points_in(serves, c);
	*seen |= day ? SEEN_DAY : 0;
	return day ? list_in(c, serves->day, 24, "'day' must be 24 loads")
		   : list_in(c, serves->week, 7, "'week' must be 7 factors");
}

const char *sl_serves_read(struct sl_serves *serves, const char *text)
{
	struct cursor c = { text };
	unsigned seen = 0;
	const char *wrong = NULL;
	*serves = (struct sl_serves){ .step = 60 * SL_SECOND };
	for (size_t i = 0; i < SL_LEN(serves->week); i++)
		serves->week[i] = SL_SECOND;
	if (strlen(text) > SL_SERVES_TEXT_MAX)
		return "it is longer than 60000 bytes";
	do {
		wrong = key_in(serves, &c, &seen);
		if (!wrong && *c.p && *c.p != ';')
			wrong = "there is something behind a value: keys are separated by ';'";
	} while (!wrong && passed(&c, ';'));
	if (wrong)
		return wrong;
	if ((seen & (SEEN_CAPACITY | SEEN_UNTIL)) != (SEEN_CAPACITY | SEEN_UNTIL))
		return "it must say 'capacity' and 'until'";
	return !(seen & SEEN_DAY) == !serves->points ? "it must say one of 'day' and 'points'" : NULL;
}

void sl_serves_release(struct sl_serves *serves)
{
	free(serves->point);
	*serves = (struct sl_serves){ 0 };
}

/* ---- Loads ------------------------------------------------------------------------------------ */

/* Steps go by the clock: they begin at midnight. */
static int64_t cyclic_at(const struct sl_serves *serves, sl_time at, sl_time *until)
{
	const sl_time clock = at + serves->phase;
	const sl_time day = clock / DAY;
	const sl_time step = (clock % DAY) / serves->step * serves->step;
	const sl_time next = step + serves->step < DAY ? step + serves->step : DAY;
	const size_t hour = (size_t)(step / HOUR);
	const sl_time beyond = step % HOUR;
	const __int128 between = (__int128)serves->day[hour] * (HOUR - beyond) +
				 (__int128)serves->day[(hour + 1) % 24] * beyond;
	*until = day * DAY + next - serves->phase;
	return sl_mul_div((int64_t)((between + HOUR / 2) / HOUR), serves->week[day % 7], SL_SECOND);
}

int64_t sl_load_at(const struct sl_serves *serves, sl_time at, sl_time *until)
{
	if (!serves->points)
		return cyclic_at(serves, at, until);
	uint32_t low = 0;
	uint32_t high = serves->points;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (serves->point[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	*until = high < serves->points ? serves->point[high].at : SL_NEVER;
	return serves->point[low].load;
}
