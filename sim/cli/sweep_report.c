/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_report.c - what came of a sweep: points.csv, runs.db and curves.svg, made of the points' files.
 *
 * Everything is read in the order of the plan, so that whoever did the points, the bytes are the same. A
 * curve is the mean over all points that agree in the axis and in the line (seeds, other traces), with a 95 %
 * interval by Student's t where there are several; one line is compared with the first pair by pair, of
 * points that agree in everything else (common random numbers: Law 2015, 11.2).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/sweep_found.h"
#include "sim/stats.h"

/* ---- Points, read ------------------------------------------------------------------------------------ */

static size_t metric_find(struct found *found, const char *name, size_t near, struct sl_err *err)
{
	/* Points have the same metrics in the same order, mostly. */
	if (near < found->metric_count && strcmp(found->metric[near], name) == 0)
		return near;
	for (size_t i = 0; i < found->metric_count; i++)
		if (strcmp(found->metric[i], name) == 0)
			return i;
	if (found->metric_count == FOUND_METRICS_MAX) {
		(void)sl_fail(err, SL_INPUT, "more than %d metrics: leave out 'labels'", FOUND_METRICS_MAX);
		return SIZE_MAX;
	}
	found->metric[found->metric_count] = sl_strdup(found->arena, name, strlen(name));
	if (!found->metric[found->metric_count]) {
		(void)sl_fail_memory(err);
		return SIZE_MAX;
	}
	return found->metric_count++;
}

static int take_metrics(
	struct found *found, struct found_point *point, const struct sl_doc *doc, struct sl_err *err)
{
	const struct sl_doc_node *map = sl_doc_member(doc, &doc->node[0], "metrics");
	if (!map)
		return SL_OK;
	point->value = sl_alloc(found->arena, map->count + 1, sizeof(*point->value));
	if (!point->value)
		return sl_fail_memory(err);
	for (const struct sl_doc_node *node = sl_doc_child(doc, map); node; node = sl_doc_next(doc, node)) {
		const char *text = doc->text + node->text;
		struct found_value *value = &point->value[point->value_count];
		value->metric = metric_find(found, doc->text + node->key, point->value_count, err);
		if (value->metric == SIZE_MAX)
			return err->status;
		const struct sl_place at = sl_doc_place(doc, node);
		if (!sl_get_micro(text, strlen(text), &value->micro))
			return sl_fail_at(
				err, &at, "'%.60s' is no number: was the file changed? remove it", text);
		point->value_count++;
	}
	return SL_OK;
}

static const char *text_of(struct found *found, const struct sl_doc *doc, const char *key)
{
	const struct sl_doc_node *node = sl_doc_member(doc, &doc->node[0], key);
	const char *text = node && node->kind == SL_DOC_TEXT ? doc->text + node->text : NULL;
	return text ? sl_strdup(found->arena, text, strlen(text)) : NULL;
}

static int read_point(struct found *found, size_t number, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	char path[4096];
	const char *text;
	const char *end;
	struct sl_input *in;
	(void)snprintf(path, sizeof(path), "%s/points/%s.json", sweep->dir, sweep->point[number].id);
	if (access(path, F_OK) != 0)
		return SL_OK;
	struct found_point *point = &found->point[found->count];
	*point = (struct found_point){ .number = number };
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	struct sl_doc doc = { .file = path };
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = sl_doc_read_json(&doc, text, (size_t)(end - text), err);
	if (!status) {
		point->digest = text_of(found, &doc, "digest");
		point->error = text_of(found, &doc, "error");
		status = take_metrics(found, point, &doc, err);
	}
	sl_doc_release(&doc);
	sl_input_close(in);
	found->count += !status;
	return status;
}

int found_read(struct found *found, struct sweep *sweep, struct sl_err *err)
{
	*found = (struct found){ .sweep = sweep, .arena = sweep->arena };
	found->point = sl_alloc(found->arena, sweep->count, sizeof(*found->point));
	found->metric = sl_alloc(found->arena, FOUND_METRICS_MAX, sizeof(*found->metric));
	int status = found->point && found->metric ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < sweep->count && !status; i++)
		status = read_point(found, i, err);
	return status;
}

const int64_t *found_value(const struct found_point *point, size_t metric)
{
	for (size_t i = 0; i < point->value_count; i++)
		if (point->value[i].metric == metric)
			return &point->value[i].micro;
	return NULL;
}

/* ---- points.csv ---- */

static void csv_text(struct sl_out *out, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		sl_out_text(out, text);
		return;
	}
	sl_out_text(out, "\"");
	for (; *text; text++) {
		const char one[] = { *text, *text == '"' ? '"' : '\0', '\0' };
		sl_out_text(out, one);
	}
	sl_out_text(out, "\"");
}

static int points_csv(const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	char path[4096];
	struct sl_out *out;
	(void)snprintf(path, sizeof(path), "%s/points.csv", sweep->dir);
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	sl_out_text(out, "number,id");
	for (size_t f = 0; f < sweep->spec.factor_count; f++) {
		sl_out_text(out, ",");
		csv_text(out, sweep->spec.factor[f].name);
	}
	sl_out_text(out, ",digest,error");
	for (size_t m = 0; m < found->metric_count; m++) {
		sl_out_text(out, ",");
		csv_text(out, found->metric[m]);
	}
	sl_out_text(out, "\n");
	for (size_t i = 0; i < found->count; i++) {
		const struct found_point *point = &found->point[i];
		const struct point *of = &sweep->point[point->number];
		sl_out_printf(out, "%zu,%s", point->number, of->id);
		for (size_t f = 0; f < sweep->spec.factor_count; f++) {
			sl_out_text(out, ",");
			csv_text(out, point_value(sweep, of, f));
		}
		sl_out_text(out, ",");
		csv_text(out, point->digest ? point->digest : "");
		sl_out_text(out, ",");
		csv_text(out, point->error ? point->error : "");
		for (size_t m = 0; m < found->metric_count; m++) {
			const int64_t *micro = found_value(point, m);
			sl_out_text(out, ",");
			if (micro)
				sl_out_advance(out, sl_put_micro(sl_out_room(out, 32), *micro));
		}
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

/* ---- Curves ---- */

static size_t factor_of(const struct sweep *sweep, const char *name)
{
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		if (strcmp(sweep->spec.factor[f].name, name) == 0)
			return f;
	return SIZE_MAX;
}

static bool has_numbers(const struct factor *factor)
{
	int64_t micro;
	for (size_t v = 0; v < factor->count; v++)
		if (!sl_get_micro(factor->value[v], strlen(factor->value[v]), &micro))
			return false;
	return factor->count > 1;
}

/* What is drawn against what: the line's word, the spec's, or what suggests itself. */
static int axes(struct curves *curves, const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	const char *x = arg(sweep->args, "x") ? arg(sweep->args, "x") : spec->x;
	const char *by = arg(sweep->args, "by") ? arg(sweep->args, "by") : spec->by;
	curves->y = arg(sweep->args, "y") ? arg(sweep->args, "y") : spec->y;
	curves->y = curves->y ? curves->y : "bounded_slowdown.mean";
	curves->x = x ? factor_of(sweep, x) : SIZE_MAX;
	curves->by = by ? factor_of(sweep, by) : spec->policy_at;
	if ((x && curves->x == SIZE_MAX) || curves->by == SIZE_MAX)
		return sl_fail(err, SL_USAGE, "no factor of this sweep is called '%.60s'",
			x && curves->x == SIZE_MAX ? x : by);
	for (size_t f = 0; !x && f < spec->factor_count; f++)
		if (f != spec->seed_at && f != curves->by && curves->x == SIZE_MAX &&
			has_numbers(&spec->factor[f]))
			curves->x = f;
	for (curves->metric = 0; curves->metric < found->metric_count; curves->metric++)
		if (strcmp(found->metric[curves->metric], curves->y) == 0)
			return SL_OK;
	return found->count ? sl_fail(err, SL_USAGE, "no point has a metric '%.60s'", curves->y) : SL_OK;
}

static bool on_curve(const struct curves *curves, const struct sweep *sweep, const struct found_point *point,
	size_t x, size_t line)
{
	const struct point *of = &sweep->point[point->number];
	return of->value[curves->by] == line && (curves->x == SIZE_MAX || of->value[curves->x] == x);
}

/* Of all points of one place of a curve. */
static void place_fill(struct curve_place *place, const double *value, unsigned count)
{
	double sum = 0;
	*place = (struct curve_place){ .count = count };
	for (unsigned i = 0; i < count; i++)
		sum += value[i];
	place->mean = count ? sum / count : (double)NAN;
	place->has_interval = count > 1 && stats_paired_t(value, count, 0.95, &place->interval);
}

/* Where a combination stands among all, whether or not it is a point. */
static uint64_t rank_of(const struct sweep *sweep, const struct point *of, size_t by, uint32_t line)
{
	uint64_t rank = 0;
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		rank = rank * sweep->spec.factor[f].count + (f == by ? line : of->value[f]);
	return rank;
}

/* The point that differs from this one in being of the first line, by its place among those found; SIZE_MAX:
 * there is none. Points are in the order of their ranks. */
static size_t partner_of(const struct curves *curves, const struct found *found, const struct found_point *b)
{
	const struct sweep *sweep = found->sweep;
	const uint64_t want = rank_of(sweep, &sweep->point[b->number], curves->by, 0);
	size_t low = 0;
	size_t high = found->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct point *of = &sweep->point[found->point[middle].number];
		const uint64_t rank = rank_of(sweep, of, curves->by, of->value[curves->by]);
		if (rank == want)
			return middle;
		if (rank < want)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

static unsigned pairs_of(const struct curves *curves, const struct found *found, const int64_t *const *micro,
	size_t x, size_t line, double *difference)
{
	unsigned count = 0;
	for (size_t i = 0; i < found->count; i++) {
		const struct found_point *b = &found->point[i];
		if (!micro[i] || !on_curve(curves, found->sweep, b, x, line))
			continue;
		const size_t a = partner_of(curves, found, b);
		if (a != SIZE_MAX && micro[a])
			difference[count++] = (double)(*micro[i] - *micro[a]) / 1e6;
	}
	return count;
}

static void curves_fill(
	struct curves *curves, const struct found *found, const int64_t *const *micro, double *value)
{
	for (size_t line = 0; line < curves->lines; line++)
		for (size_t x = 0; x < curves->xs; x++) {
			unsigned count = 0;
			for (size_t i = 0; i < found->count; i++)
				if (micro[i] && on_curve(curves, found->sweep, &found->point[i], x, line))
					value[count++] = (double)*micro[i] / 1e6;
			place_fill(curve_at(curves, x, line), value, count);
			count = line ? pairs_of(curves, found, micro, x, line, value) : 0;
			place_fill(&curves->difference[line * curves->xs + x], value, count);
		}
}

int curves_make(struct curves *curves, const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	int status = axes(curves, found, err);
	if (status)
		return status;
	curves->xs = curves->x == SIZE_MAX ? 1 : sweep->spec.factor[curves->x].count;
	curves->lines = sweep->spec.factor[curves->by].count;
	curves->place = sl_alloc(sweep->arena, curves->xs * curves->lines, sizeof(*curves->place));
	curves->difference = sl_alloc(sweep->arena, curves->xs * curves->lines, sizeof(*curves->difference));
	double *value = calloc(found->count + 1, sizeof(*value));
	const int64_t **micro = sl_alloc(sweep->arena, found->count + 1, sizeof(*micro));
	if (!curves->place || !curves->difference || !value || !micro) {
		free(value);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < found->count; i++)
		micro[i] = found_value(&found->point[i], curves->metric);
	curves_fill(curves, found, micro, value);
	free(value);
	return SL_OK;
}

/* ---- For people and programs ---- */

/* Seven digits: libm's last bits are not the same everywhere. */
static int64_t micro_of(double value)
{
	double scale = 1;
	while (fabs(value) * 1e6 * scale >= 1e8)
		scale /= 10;
	const double rounded = floor(fabs(value) * 1e6 * scale + 0.5) / scale;
	return !(rounded < 9e18) ? 0 : value < 0 ? -(int64_t)rounded : (int64_t)rounded;
}

static const char *x_text(const struct curves *curves, const struct sweep *sweep, size_t x)
{
	return curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].value[x];
}

static void cell(struct screen_table *table, const struct curve_place *place)
{
	char mean[48];
	char half[48];
	if (!place->count)
		screen_cell(table, true, "-");
	else if (!place->has_interval)
		screen_cell(table, true, "%s", screen_number(mean, micro_of(place->mean), 2));
	else
		screen_cell(table, true, "%s ± %s", screen_number(mean, micro_of(place->mean), 2),
			screen_number(half, micro_of(place->interval.high - place->mean), 2));
}

static void table_print(const struct curves *curves, const struct found *found)
{
	const struct sweep *sweep = found->sweep;
	const struct factor *by = &sweep->spec.factor[curves->by];
	struct screen_table *table = screen_table_new(sweep->arena, curves->lines + 1);
	printf("%s, mean over %s and 95 %% interval\n\n", curves->y,
		curves->x == SIZE_MAX ? "points" : "the points of one place");
	screen_cell(table, false, "%s", curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].name);
	for (size_t line = 0; line < curves->lines; line++)
		screen_cell(table, true, "%s", by->value[line]);
	for (size_t x = 0; x < curves->xs; x++) {
		screen_cell(table, false, "%s", x_text(curves, sweep, x));
		for (size_t line = 0; line < curves->lines; line++)
			cell(table, curve_at(curves, x, line));
	}
	screen_print(table, stdout);
	if (curves->lines < 2)
		return;
	table = screen_table_new(sweep->arena, curves->lines);
	printf("\nless that of %s, pair by pair\n\n", by->value[0]);
	screen_cell(table, false, "%s", curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].name);
	for (size_t line = 1; line < curves->lines; line++)
		screen_cell(table, true, "%s", by->value[line]);
	for (size_t x = 0; x < curves->xs; x++) {
		screen_cell(table, false, "%s", x_text(curves, sweep, x));
		for (size_t line = 1; line < curves->lines; line++)
			cell(table, &curves->difference[line * curves->xs + x]);
	}
	screen_print(table, stdout);
}

static void json_place(struct sl_out *out, const char *key, const struct curve_place *place)
{
	char number[40];
	sl_out_printf(out, ", \"%s\": ", key);
	if (!place->count) {
		sl_out_text(out, "null");
		return;
	}
	*sl_put_micro(number, micro_of(place->mean)) = '\0';
	sl_out_text(out, number);
	if (!place->has_interval)
		return;
	*sl_put_micro(number, micro_of(place->interval.low)) = '\0';
	sl_out_printf(out, ", \"%s_low\": %s", key, number);
	*sl_put_micro(number, micro_of(place->interval.high)) = '\0';
	sl_out_printf(out, ", \"%s_high\": %s", key, number);
}

static int json_print(const struct curves *curves, const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	const struct factor *by = &sweep->spec.factor[curves->by];
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	size_t failed = 0;
	for (size_t i = 0; i < found->count; i++)
		failed += found->point[i].error != NULL;
	sl_out_printf(out, "{ \"points\": %zu, \"done\": %zu, \"failed\": %zu, \"y\": ", sweep->count,
		found->count, failed);
	sl_out_json(out, curves->y);
	sl_out_text(out, ", \"x\": ");
	sl_out_json(out, curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].name);
	sl_out_text(out, ", \"curves\": [");
	for (size_t line = 0; line < curves->lines; line++)
		for (size_t x = 0; x < curves->xs; x++) {
			sl_out_text(out, line || x ? ",\n{ " : "\n{ ");
			sl_out_json(out, by->name);
			sl_out_text(out, ": ");
			sl_out_json(out, by->value[line]);
			sl_out_text(out, ", \"x\": ");
			sl_out_json(out, x_text(curves, sweep, x));
			sl_out_printf(out, ", \"points\": %u", curve_at(curves, x, line)->count);
			json_place(out, "mean", curve_at(curves, x, line));
			if (line)
				json_place(out, "difference", &curves->difference[line * curves->xs + x]);
			sl_out_text(out, " }");
		}
	sl_out_text(out, "\n] }\n");
	return sl_out_commit(out, err);
}

static void tell_failed(const struct found *found)
{
	size_t failed = 0;
	for (size_t i = 0; i < found->count; i++)
		if (found->point[i].error && !failed++)
			talk("point %zu failed: %s", found->point[i].number, found->point[i].error);
	if (failed > 1)
		talk("%zu points failed, all are in points.csv", failed);
}

int sweep_report(struct sweep *sweep, struct sl_err *err)
{
	struct found found;
	struct curves curves = { .x = SIZE_MAX };
	int status = found_read(&found, sweep, err);
	if (!status && !found.count)
		status = sl_fail(err, SL_INPUT, "%s: no point is done yet: schedlab sweep run %s",
			sweep->dir_name, sweep->dir_name);
	if (!status)
		status = curves_make(&curves, &found, err);
	if (!status)
		status = points_csv(&found, err);
	if (!status)
		status = found_database(&found, err);
	if (!status && curves.x != SIZE_MAX)
		status = curves_draw(&curves, &found, err);
	if (status)
		return status;
	claims_tidy(sweep);
	tell_failed(&found);
	if (log_shows(LOG_INFO))
		log_line(LOG_INFO, "%zu of %zu points: %s/points.csv, runs.db%s", found.count, sweep->count,
			sweep->dir_name, curves.x != SIZE_MAX ? ", curves.svg" : "");
	if (arg_flag(sweep->args, "json"))
		return json_print(&curves, &found, err);
	table_print(&curves, &found);
	return SL_OK;
}
