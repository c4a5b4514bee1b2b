/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_ranges.c - what a search varies: "cluster.nodes[h100].count+=0..64:4".
 *
 *   range = part { "," part }
 *   part  = from ".." to [ ":" step | ":x" factor ] | value
 *
 * Numbers may have a unit of time (30m..4h:30m). The order is that of what is wanted: the first that will do
 * is the answer. Of what is removed, and of loads, the most is wanted; words have no order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/whatif/whatif_search.h"

struct reading {
	const char *option; /* "--vary" */
	const char *text;   /* Its value. */
	struct axis *axis;
	struct sl_arena *arena;
	size_t capacity;
	int64_t *number; /* By value: millionths, or microseconds. */
	bool words;
};

static int fail_part(
	const struct reading *r, const char *part, size_t len, const char *why, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"%s '%.200s': '%.*s' %s: give 0..64, 60..2880:60 (a step), 1..64:x2 (a factor) or 1,2,5",
		r->option, r->text, (int)(len < 60 ? len : 60), part, why);
}

/* "30m" with its unit; '\0': none. */
static bool whatif_ranges_number_in(const char *text, size_t len, int64_t *number, char *unit)
{
	*unit = '\0';
	if (sl_get_micro(text, len, number))
		return true;
	if (!len || !strchr("smhdw", text[len - 1]) || !sl_get_duration(text, len, number))
		return false;
	*unit = text[len - 1];
	return true;
}

/* A number as it is written; with a unit, as seconds, or as that unit where it comes out even. */
static const char *whatif_ranges_number_text(struct sl_arena *arena, int64_t number, char unit)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	char text[48];
	for (size_t i = 0; i < SL_LEN(units); i++) {
		if (unit != units[i].unit)
			continue;
		if (number % (units[i].seconds * SL_SECOND) == 0)
			number /= units[i].seconds;
		else
			unit = 's';
		break;
	}
	char *end = sl_put_micro(text, number);
	if (unit)
		*end++ = unit;
	return sl_strdup(arena, text, (size_t)(end - text));
}

static int whatif_ranges_add(struct reading *r, const char *value, int64_t number, struct sl_err *err)
{
	struct axis *axis = r->axis;
	if (!value)
		return sl_fail_memory(err);
	if (axis->count == AXIS_VALUES_MAX)
		return sl_fail(err, SL_USAGE, "%s '%.200s': more than %d values: use a wider step", r->option,
			r->text, (int)AXIS_VALUES_MAX);
	if (!r->number || axis->count == r->capacity) {
		const size_t capacity = r->capacity ? 2 * r->capacity : 64;
		const char **values = sl_alloc(r->arena, capacity, sizeof(*values));
		int64_t *numbers = sl_alloc(r->arena, capacity, sizeof(*numbers));
		if (!values || !numbers)
			return sl_fail_memory(err);
		SL_CHECK(r->number || !axis->count);
		for (size_t i = 0; i < axis->count; i++) {
			values[i] = axis->value[i];
			numbers[i] = r->number[i];
		}
		axis->value = values;
		r->number = numbers;
		r->capacity = capacity;
	}
	for (size_t i = 0; i < axis->count; i++)
		if (strcmp(axis->value[i], value) == 0)
			return sl_fail(err, SL_USAGE, "%s '%.200s': '%.60s' stands twice: remove one",
				r->option, r->text, value);
	axis->value[axis->count] = value;
	r->number[axis->count++] = number;
	return SL_OK;
}

/* "from..to:step" as numbers: times in microseconds, others in millionths. */
struct range {
	int64_t from, to, step;
	char unit, of_step; /* '\0': none. */
	bool factor;
};

/* from, from + step ... to, up or down. */
static int add_steps(struct reading *r, const struct range *range, struct sl_err *err)
{
	const bool down = range->to < range->from;
	char unit = 's';
	if (range->of_step == range->unit)
		unit = range->unit;
	int status = SL_OK;
	for (int64_t at = range->from; !status && (down ? at >= range->to : at <= range->to);
		at += down ? -range->step : range->step)
		status = whatif_ranges_add(r, whatif_ranges_number_text(r->arena, at, unit), at, err);
	return status;
}

/* from, from * factor ... to, each rounded to a whole number where both ends are. */
static int add_factors(struct reading *r, const struct range *range, struct sl_err *err)
{
	const bool whole = range->from % SL_SECOND == 0 && range->to % SL_SECOND == 0;
	int status = SL_OK;
	for (int64_t at = range->from; !status && at <= range->to;) {
		status = whatif_ranges_add(r, whatif_ranges_number_text(r->arena, at, range->unit), at, err);
		const int64_t last = at;
		at = sl_mul_div(at, range->step, 1000000);
		if (whole)
			at = (at + SL_SECOND / 2) / SL_SECOND * SL_SECOND;
		if (at <= last)
			at = last + (whole ? SL_SECOND : 1);
	}
	return status;
}

/* That of both ends; seconds, where they differ. 0 has any. */
static char unit_of(char from, char to, const struct range *range)
{
	if (from == to || !range->from)
		return to;
	if (!range->to)
		return from;
	return 's';
}

static int read_ends(const struct reading *r, const char *part, size_t len, const char *dots,
	struct range *range, struct sl_err *err)
{
	const int64_t most = INT64_MAX / 4;
	const char *second = dots + 2;
	const char *end = part + len;
	const char *colon = memchr(second, ':', (size_t)(end - second));
	char of_from, of_to;
	if (!whatif_ranges_number_in(part, (size_t)(dots - part), &range->from, &of_from) ||
		!whatif_ranges_number_in(
			second, (size_t)((colon ? colon : end) - second), &range->to, &of_to))
		return fail_part(r, part, len, "is no range of numbers", err);
	if (range->from < 0 || range->to < 0 || range->from > most || range->to > most)
		return fail_part(r, part, len, "is out of range", err);
	if (!of_from != !of_to && range->from && range->to)
		return fail_part(r, part, len, "has a unit at one end alone", err);
	range->unit = unit_of(of_from, of_to, range);
	return SL_OK;
}

static int read_step(
	const struct reading *r, const char *part, size_t len, struct range *range, struct sl_err *err)
{
	const int64_t most = INT64_MAX / 4;
	const char *colon = memchr(part, ':', len);
	int64_t one = 1000000; /* Of the unit. */
	char ignored;
	if (range->unit)
		(void)whatif_ranges_number_in((char[]){ '1', range->unit }, 2, &one, &ignored);
	range->step = one;
	range->of_step = range->unit;
	if (!colon)
		return SL_OK;
	const char *text = colon + 1;
	range->factor = text < part + len && *text == 'x';
	text += range->factor;
	if (!whatif_ranges_number_in(text, (size_t)(part + len - text), &range->step, &range->of_step) ||
		range->step <= 0 || range->step > most)
		return fail_part(r, part, len, "has no step that leads on", err);
	if (range->factor)
		return SL_OK;
	if (range->of_step && !range->unit)
		return fail_part(r, part, len, "has a unit in its step alone", err);
	if (!range->of_step) {
		range->step = sl_mul_div(range->step, one, 1000000);
		range->of_step = range->unit;
	}
	return SL_OK;
}

static int add_range(struct reading *r, const char *part, size_t len, const char *dots, struct sl_err *err)
{
	struct range range = { 0 };
	int status = read_ends(r, part, len, dots, &range, err);
	if (!status)
		status = read_step(r, part, len, &range, err);
	if (status)
		return status;
	if (!range.factor)
		return add_steps(r, &range, err);
	if (range.step <= 1000000 || range.of_step || range.from <= 0 || range.to < range.from)
		return fail_part(r, part, len, "has no factor above 1 that leads up from above 0", err);
	return add_factors(r, &range, err);
}

static const char *dots_in(const char *part, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (part[i] == '.' && part[i + 1] == '.')
			return part + i;
	return NULL;
}

static int add_part(struct reading *r, const char *part, size_t len, struct sl_err *err)
{
	const char *dots = dots_in(part, len);
	int64_t number = 0;
	char unit;
	if (!len)
		return fail_part(r, part, len, "is empty", err);
	if (dots)
		return add_range(r, part, len, dots, err);
	if (!whatif_ranges_number_in(part, len, &number, &unit))
		r->words = true;
	return whatif_ranges_add(r, sl_strdup(r->arena, part, len), number, err);
}

/* The most is wanted first. */
static void turn(struct reading *r)
{
	struct axis *axis = r->axis;
	for (size_t i = 0; i < axis->count / 2; i++) {
		const size_t k = axis->count - 1 - i;
		const char *value = axis->value[i];
		const int64_t number = r->number[i];
		axis->value[i] = axis->value[k];
		axis->value[k] = value;
		r->number[i] = r->number[k];
		r->number[k] = number;
	}
}

/* Settings with a proven order: what one value allows, the next one does too. A policy need not find the
 * schedule that is there, so that the search looks about each answer (axis_search.h). Nothing of the kind is
 * known of weights, intervals, limits, quotas or names: each of their values is simulated. schedlab-whatif(1)
 * has the same table. */
static const struct {
	const char *begin, *end; /* Of the key, without its operator. */
	bool load;               /* Less of it allows more. */
} orders[] = {
	{ "cluster.cpus", "", false },           /* A schedule on fewer cpus is one on more. */
	{ "cluster.nodes[", "].count", false },  /* Likewise. */
	{ "cluster.nodes[", "].cpus", false },   /* What fits on a smaller node fits on a larger one. */
	{ "cluster.nodes[", "].CPUs", false },   /* In Slurm's words. */
	{ "cluster.nodes[", "].memory", false }, /* As of cpus. */
	{ "cluster.nodes[", "].RealMemory", false },
	{ "cluster.nodes[", "].gpus", false },
	{ "replay.load", "", true }, /* Jobs that start in order wait no longer if they come farther apart. */
	{ "load", "", true },
};

static bool is_between(const char *key, size_t len, const char *begin, const char *end)
{
	const size_t first = strlen(begin), last = strlen(end);
	return len >= first + last && (last || len == first) && strncmp(key, begin, first) == 0 &&
	       strncasecmp(key + len - last, end, last) == 0;
}

static bool has_order(const char *key, bool *load)
{
	size_t len = strcspn(key, "=");
	len -= len && (key[len - 1] == '+' || key[len - 1] == '-');
	for (size_t i = 0; i < SL_LEN(orders); i++)
		if (is_between(key, len, orders[i].begin, orders[i].end)) {
			*load = orders[i].load;
			return true;
		}
	return false;
}

/* Upper bounds on how long is waited: what a schedule that remains possible keeps. */
bool bounds_have_order(const struct threshold *until, size_t count)
{
	static const char *const waits[] = { "wait.", "turnaround.", "slowdown.", "bounded_slowdown.",
		"per_cpu_bounded_slowdown.", "queue." };
	for (size_t i = 0; i < count; i++) {
		const enum tol_kind kind = until[i].bound.node[until[i].bound.root].kind;
		const char *text = selector_text(until[i].selector);
		bool found = false;
		for (size_t k = 0; k < SL_LEN(waits); k++)
			found |= strncmp(text, waits[k], strlen(waits[k])) == 0;
		if (!found || (kind != TOL_LT && kind != TOL_LE))
			return false;
	}
	return true;
}

/* Words have no order; nor have numbers that go up and down. */
static void order(struct reading *r)
{
	struct axis *axis = r->axis;
	SL_CHECK(r->number); /* There is one value at least. */
	bool up = true, down = true;
	for (size_t i = 1; i < axis->count; i++) {
		up &= r->number[i] > r->number[i - 1];
		down &= r->number[i] < r->number[i - 1];
	}
	const size_t len = strlen(axis->key);
	const bool taken = len > 1 && axis->key[len - 2] == '-';
	bool load = false;
	const bool proven = has_order(axis->key, &load);
	axis->unordered = r->words || (!up && !down);
	axis->falls = !axis->unordered && (taken || load || (down && !up));
	if ((taken || load) && up && !axis->unordered)
		turn(r);
	/* From the tightest on, as the search goes. */
	axis->proven = proven && !axis->unordered && (axis->count == 1 || axis->falls == (taken || load));
}

/* "cluster.nodes[h100].count+=" buys nodes of the entry h100. */
static int bought(struct reading *r, struct sl_err *err)
{
	static const char nodes[] = "cluster.nodes[";
	static const char pool[] = "cluster.cpus";
	struct axis *axis = r->axis;
	const char *key = axis->key;
	const size_t begin = sizeof(nodes) - 1;
	const char *end = strstr(key, "].count");
	const size_t len = strlen(key);
	const bool less = len > 1 && key[len - 2] == '-';
	if (r->words)
		return SL_OK;
	if (strncmp(key, nodes, begin) == 0 && end && strspn(end + 7, "+-=") == strlen(end + 7))
		axis->bought = sl_strdup(r->arena, key + begin, (size_t)(end - key) - begin);
	else if (strncmp(key, pool, sizeof(pool) - 1) == 0)
		axis->bought = "cpus";
	else
		return SL_OK;
	axis->units = sl_alloc(r->arena, axis->count, sizeof(*axis->units));
	if (!axis->bought || !axis->units)
		return sl_fail_memory(err);
	for (size_t i = 0; i < axis->count; i++)
		axis->units[i] = (less ? -r->number[i] : r->number[i]) / 1000000;
	return SL_OK;
}

/* The '=' behind the key. Before a range it is the last one: "conf.SchedulerParameters=bf_window=60..2880".
 */
static const char *key_end(const char *text)
{
	const char *equals = strchr(text, '=');
	const char *dots = strstr(text, "..");
	for (const char *next = equals; next && dots && next < dots; next = strchr(next + 1, '='))
		equals = next;
	return equals;
}

int axis_parse(
	struct axis *axis, const char *option, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	static const char cluster[] = "cluster.";
	struct reading r = { .option = option, .text = text, .axis = axis, .arena = arena };
	const char *equals = key_end(text);
	int status = SL_OK;
	*axis = (struct axis){ .text = text };
	if (!equals || equals == text || strlen(text) > AXIS_TEXT_MAX)
		return sl_fail(err, SL_USAGE,
			"%s '%.200s' is not KEY=RANGE: give cluster.nodes[gpu].count+=0..64, for instance",
			option, text);
	axis->key = sl_strdup(arena, text, (size_t)(equals - text) + 1);
	const char *short_key =
		strncmp(text, cluster, sizeof(cluster) - 1) == 0 ? text + sizeof(cluster) - 1 : text;
	axis->name = sl_strdup(arena, short_key, (size_t)(equals - short_key));
	if (!axis->key || !axis->name)
		return sl_fail_memory(err);
	for (const char *part = equals + 1; part && !status;) {
		const size_t len = strcspn(part, ",");
		status = add_part(&r, part, len, err);
		part = part[len] ? part + len + 1 : NULL;
	}
	if (status)
		return status;
	order(&r);
	axis->given = axis->value;
	return bought(&r, err);
}

int axis_pool(struct axis *axis, int64_t cpus, struct sl_arena *arena, struct sl_err *err)
{
	static const char plus[] = "cluster.cpus+=", minus[] = "cluster.cpus-=";
	if (!axis->units || (strcmp(axis->key, plus) != 0 && strcmp(axis->key, minus) != 0))
		return SL_OK;
	axis->key = "cluster.cpus=";
	axis->given = sl_alloc(arena, axis->count, sizeof(*axis->given));
	for (size_t i = 0; axis->given && i < axis->count; i++) {
		char text[32];
		const char *end = sl_put_i64(text, cpus + axis->units[i]);
		axis->given[i] = sl_strdup(arena, text, (size_t)(end - text));
		if (!axis->given[i])
			break;
	}
	return axis->given && axis->given[axis->count - 1] ? SL_OK : sl_fail_memory(err);
}

int axis_buy(struct axis *axis, const char *text, size_t len, struct sl_arena *arena, struct sl_err *err)
{
	const char *equals = memchr(text, '=', len);
	if (!equals || equals == text)
		return sl_fail(err, SL_USAGE, "--buy: '%.*s' is not NODES=RANGE: give h100=0..32,l40s=0..64",
			(int)(len < 100 ? len : 100), text);
	const char *setting = text_made(arena, "cluster.nodes[%.*s].count+=%.*s", (int)(equals - text), text,
		(int)(text + len - equals - 1), equals + 1);
	return setting ? axis_parse(axis, "--buy", setting, arena, err) : sl_fail_memory(err);
}
