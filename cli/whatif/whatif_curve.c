/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_curve.c - schedlab whatif --head-room: metrics by load, and the load at which --until breaks.
 *
 * Loads are factors on the base's arrival rate (replay.load: gaps between submissions shrink, jobs stay).
 * With --vary or --buy there is a curve for each point of these. All points are simulated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/whatif_search.h"

static const char *const metrics[CURVE_METRICS] = { "utilization", "wait.p95", "bounded_slowdown.mean" };

/* What the base has already. */
static int64_t load_before(const struct search *search)
{
	static const char *const keys[] = { "replay.load=", "load=" };
	const char *text = base_setting(search->base, "replay.load");
	int64_t load = SL_SECOND;
	for (size_t i = 0; i < search->replica.setting_count; i++)
		for (size_t k = 0; k < SL_LEN(keys); k++)
			if (strncmp(search->replica.setting[i], keys[k], strlen(keys[k])) == 0)
				text = search->replica.setting[i] + strlen(keys[k]);
	if (text)
		(void)sl_get_micro(text, strlen(text), &load);
	return load;
}

/* Loads as the last axis, ascending, printed as factors. */
static int add_loads(struct search *search, struct sl_err *err)
{
	static const char key[] = "load=";
	const char *given = arg(search->args, "head-room");
	const char *range = *given ? given : "0.8..1.6:0.1";
	const int64_t before = load_before(search);
	char *text = sl_alloc(search->arena, sizeof(key) + strlen(range), 1);
	if (!text)
		return sl_fail_memory(err);
	(void)stpcpy(stpcpy(text, key), range);
	if (search->axis_count == AXIS_SEARCH_AXES_MAX)
		return sl_fail(err, SL_USAGE, "--head-room: at most %d things are searched over beside it",
			(int)AXIS_SEARCH_AXES_MAX - 1);
	struct axis *axis = &search->axis[search->axis_count];
	int status = axis_parse(axis, "--head-room", text, search->arena, err);
	if (status)
		return status;
	search->axis_count++;
	axis->key = "replay.load=";
	axis->given = sl_alloc(search->arena, axis->count, sizeof(*axis->given));
	if (!axis->given)
		return sl_fail_memory(err);
	for (size_t i = 0; i < axis->count / 2 && axis->falls; i++) {
		const char *swap = axis->value[i];
		axis->value[i] = axis->value[axis->count - 1 - i];
		axis->value[axis->count - 1 - i] = swap;
	}
	for (size_t i = 0; i < axis->count; i++) {
		char load[48];
		int64_t factor;
		const size_t len = strlen(axis->value[i]);
		if (axis->unordered || !sl_get_micro(axis->value[i], len, &factor) || factor <= 0)
			return sl_fail(err, SL_USAGE,
				"--head-room '%.60s' is no range of loads: give 0.8..1.6:0.1, for instance",
				range);
		const char *end = sl_put_micro(load, sl_mul_div(factor, before, SL_SECOND));
		axis->given[i] = sl_strdup(search->arena, load, (size_t)(end - load));
		if (!axis->given[i])
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* ---- What came of it ----------------------------------------------------------------------------- */

/* Along one curve. */
struct headroom {
	size_t last;  /* The last point up to which all hold; SIZE_MAX: the first fails. */
	size_t first; /* The first that fails; SIZE_MAX: none does. */
	size_t back;  /* One behind that, which holds; SIZE_MAX: none. */
};

static struct headroom headroom_of(const struct search *search, size_t curve)
{
	const size_t count = search->grid.count[search->axis_count - 1];
	struct headroom headroom = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
	for (size_t i = 0; i < count; i++) {
		const size_t point = curve * count + i;
		const bool holds = search->outcome[point].holds;
		if (headroom.first == SIZE_MAX && holds)
			headroom.last = point;
		else if (headroom.first == SIZE_MAX)
			headroom.first = point;
		else if (holds && headroom.back == SIZE_MAX)
			headroom.back = point;
	}
	return headroom;
}

static const char *load_at(const struct search *search, size_t point)
{
	const size_t axis = search->axis_count - 1;
	return search->axis[axis].value[axis_search_at(&search->grid, point, axis)];
}

/* "0:33:00 [0:21:00, 0:50:00]" */
static void cell(struct screen_table *table, const struct outcome *outcome, const struct selector *selector,
	const struct figure *figure)
{
	char text[48], low[48], high[48];
	const enum summary_unit unit = selector_unit(selector);
	if (outcome->unbuilt) {
		screen_row(table, "rl", "-", "");
		return;
	}
	screen_cell(table, true, "%s", figure_text(text, selector, figure));
	if (figure->low <= figure->high)
		screen_cell(table, false, "[%s, %s]", summary_text(low, unit, figure->low),
			summary_text(high, unit, figure->high));
	else
		screen_cell(table, false, "%s", "");
}

/* A bound is on it: it has a column of its own. */
static bool is_bounded(const struct search *search, size_t metric)
{
	for (size_t i = 0; i < search->until_count; i++)
		if (strcmp(selector_text(search->until[i].selector), metrics[metric]) == 0)
			return true;
	return false;
}

static void print_curves(const struct search *search)
{
	const size_t axes = search->axis_count;
	size_t shown = search->until_count;
	for (size_t i = 0; i < CURVE_METRICS; i++)
		shown += !is_bounded(search, i);
	struct screen_table *table = screen_table_new(search->arena, axes + 2 * shown + 1);
	for (size_t i = 0; i < axes; i++)
		screen_cell(table, true, "%.60s", search->axis[i].name);
	for (size_t i = 0; i < CURVE_METRICS; i++) {
		if (is_bounded(search, i))
			continue;
		screen_row(table, "rl", metrics[i], "");
	}
	for (size_t i = 0; i < search->until_count; i++) {
		screen_cell(table, true, "%.60s", selector_text(search->until[i].selector));
		screen_cell(table, false, "%s", "");
	}
	screen_cell(table, false, "%s", search->until_count ? "holds" : "");
	for (size_t p = 0; p < search->grid.points; p++) {
		const struct outcome *outcome = &search->outcome[p];
		for (size_t i = 0; i < axes; i++)
			screen_cell(table, true, "%.60s",
				search->axis[i].value[axis_search_at(&search->grid, p, i)]);
		for (size_t i = 0; i < CURVE_METRICS; i++)
			if (!is_bounded(search, i))
				cell(table, outcome, search->more[i], &outcome->more[i]);
		for (size_t i = 0; i < search->until_count; i++)
			cell(table, outcome, search->until[i].selector, &outcome->until[i]);
		screen_cell(table, false, "%s",
			outcome->unbuilt       ? "cannot be made"
			: !search->until_count ? ""
			: outcome->holds       ? "yes"
					       : "no");
	}
	screen_print(table, stdout);
	search_unbuilt(search);
	(void)printf(
		"\n[low, high]: what a t test at 5 %% over %s does not tell the figure from; none where they tell "
		"what fewer than 6 even ones would\n",
		search->reps > 1 ? "the seeds" : "batches of jobs");
}

/* Is there a load up to which all bounds hold, on some curve? */
static bool has_headroom(const struct search *search)
{
	const size_t curves = search->grid.points / search->axis[search->axis_count - 1].count;
	for (size_t curve = 0; curve < curves; curve++)
		if (headroom_of(search, curve).last != SIZE_MAX)
			return true;
	return false;
}

static void print_headroom(const struct search *search, size_t curve)
{
	const struct headroom headroom = headroom_of(search, curve);
	const size_t count = search->grid.count[search->axis_count - 1];
	char text[POINT_TEXT];
	if (search->axis_count > 1) {
		(void)point_text(text, search, curve * count);
		text[strlen(text) - strlen(" load=") - strlen(load_at(search, curve * count))] = '\0';
		(void)printf("%s: ", text);
	}
	if (headroom.first != SIZE_MAX && headroom.last == SIZE_MAX &&
		search->outcome[headroom.first].unbuilt)
		(void)printf(
			"no head-room is known: load=%s cannot be made", load_at(search, headroom.first));
	else if (headroom.first == SIZE_MAX)
		(void)printf("head-room: beyond %s times the load", load_at(search, headroom.last));
	else if (headroom.last == SIZE_MAX)
		(void)printf("no head-room: at %s times the load it fails", load_at(search, headroom.first));
	else
		(void)printf("head-room: %s times the load; at %s it fails", load_at(search, headroom.last),
			load_at(search, headroom.first));
	if (headroom.back != SIZE_MAX)
		(void)printf(" (not monotone: at %s it holds again)", load_at(search, headroom.back));
	(void)printf("\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static struct datum datum_load(const struct search *search, const char *key, size_t point)
{
	return point == SIZE_MAX ? datum_text(key, NULL) : datum_plain(key, load_at(search, point));
}

static int curve_json(const struct search *search, struct sl_err *err)
{
	static const struct json_form curves = { "\n  ", ",\n  ", "\n  ", true };
	struct json json;
	const size_t count = search->grid.count[search->axis_count - 1];
	const int status = json_start(&json, &json_lines_2, err);
	if (status)
		return status;
	json_put(&json, datum_text("schema", "schedlab.head-room/1"), datum_count("seeds", search->reps));
	json_nest(&json, "curves", '[', &curves);
	for (size_t curve = 0; curve < search->grid.points / count; curve++) {
		const struct headroom headroom = headroom_of(search, curve);
		json_nest(&json, NULL, '{', &json_tight);
		json_nest(&json, "points", '[', &json_lines_4);
		for (size_t at = curve * count; at < (curve + 1) * count; at++)
			search_put_point(&json, NULL, search, &search->outcome[at], at);
		json_close(&json);
		if (search->until_count)
			json_put(&json, datum_load(search, "head_room", headroom.last),
				datum_load(search, "fails_at", headroom.first),
				datum_load(search, "holds_again_at", headroom.back));
		json_close(&json);
	}
	return json_finish(&json, SL_OK, err);
}

int curve_go(struct search *search, struct sl_err *err)
{
	int status = add_loads(search, err);
	for (size_t i = 0; i < CURVE_METRICS && !status; i++)
		status = selector_parse(&search->more[i], metrics[i], search->arena, err);
	search->grid.axes = search->axis_count;
	for (size_t i = 0; i < search->axis_count; i++)
		search->grid.count[i] = search->axis[i].count;
	if (!status)
		status = axis_search_make(&search->grid, err);
	if (status)
		return status;
	search->outcome = calloc(search->grid.points, sizeof(*search->outcome));
	if (!search->outcome)
		return sl_fail_memory(err);
	for (size_t p = 0; p < search->grid.points; p++) {
		search->outcome[p].cost = cost_of(&search->prices, search->axis, &search->grid, p);
		search->grid.batch[p] = p;
	}
	status = search_try(search, search->grid.batch, search->grid.points, err);
	if (!status)
		status = search_drew(search, err);
	if (status)
		return status;
	if (!search->built)
		return search_fail_unbuilt(search, 0, err);
	const size_t curves = search->grid.points / search->axis[search->axis_count - 1].count;
	if (arg_flag(search->args, "json")) {
		status = curve_json(search, err);
	} else {
		print_curves(search);
		for (size_t curve = 0; curve < curves && search->until_count; curve++)
			print_headroom(search, curve);
		search_caveats(search);
	}
	if (status || !search->until_count || has_headroom(search))
		return status;
	err->status = SL_CHECK_FAILED; /* Said on stdout. */
	return SL_CHECK_FAILED;
}
