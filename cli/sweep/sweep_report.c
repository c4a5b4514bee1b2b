/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_report.c - what came of a sweep: points.csv, runs.db and curves.svg, made of the points' files.
 *
 * Everything is read in the order of the plan, so that whoever did the points, the bytes are the same. What
 * is a mean of what, sweep_places.c says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep_found.h"
#include "sim/base/stats.h"

/* ---- Points, read ------------------------------------------------------------------------------------ */

static size_t metric_find(struct found *found, const char *name, size_t similar, struct sl_err *err)
{
	/* Points have the same metrics in the same order, mostly. */
	if (similar < found->metric_count && strcmp(found->metric[similar], name) == 0)
		return similar;
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

static int sweep_report_take_metrics(
	struct found *found, struct found_point *point, const struct sl_doc *doc, struct sl_err *err)
{
	const struct sl_doc_node *map = sl_doc_member(doc, &doc->node[0], "metrics");
	if (!map)
		return SL_OK;
	point->value = sl_alloc(found->arena, map->count + 1, sizeof(*point->value));
	if (!point->value)
		return sl_fail_memory(err);
	SL_DOC_EACH (node, doc, map) {
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

static const char *sweep_report_text_of(struct found *found, const struct sl_doc *doc, const char *key)
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
		point->digest = sweep_report_text_of(found, &doc, "digest");
		point->error = sweep_report_text_of(found, &doc, "error");
		status = sweep_report_take_metrics(found, point, &doc, err);
	}
	sl_doc_release(&doc);
	sl_input_close(in);
	found->count += !status;
	return status;
}

int sweep_found_read(struct found *found, const struct sweep *sweep, struct sl_err *err)
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

static struct datum datum_verbatim(const char *text)
{
	return datum_of(text ? DATUM_VERBATIM : DATUM_ABSENT, NULL, text, 0);
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
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		csv_more(out, datum_verbatim(sweep->spec.factor[f].name));
	sl_out_text(out, ",digest,error");
	for (size_t m = 0; m < found->metric_count; m++)
		csv_more(out, datum_verbatim(found->metric[m]));
	sl_out_text(out, "\n");
	for (size_t i = 0; i < found->count; i++) {
		const struct found_point *point = &found->point[i];
		const struct point *of = &sweep->point[point->number];
		csv_begin(out, datum_count(NULL, point->number), datum_plain(NULL, of->id));
		for (size_t f = 0; f < sweep->spec.factor_count; f++)
			csv_more(out, datum_verbatim(point_value(sweep, of, f)));
		csv_more(out, datum_verbatim(point->digest), datum_verbatim(point->error));
		for (size_t m = 0; m < found->metric_count; m++) {
			const int64_t *micro = found_value(point, m);
			csv_more(out, datum_micro(NULL, micro ? *micro : SL_NONE));
		}
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
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

/* "12.30 ± 1.20", and of how many points that are planned, where some are missing. */
static void cell(struct screen_table *table, const struct curve_place *place)
{
	char mean[48];
	char half[48] = "";
	char of[64] = "";
	if (!place->count) {
		screen_cell(table, true, "-");
		return;
	}
	if (place->has_interval)
		(void)screen_number(half, micro_of(place->interval.high - place->mean), 2);
	if (place->count != place->planned)
		(void)snprintf(of, sizeof(of), " (%u of %u)", place->count, place->planned);
	screen_cell(table, true, "%s%s%s%s", screen_number(mean, micro_of(place->mean), 2),
		*half ? " ± " : "", half, of);
}

/* A row for each value of the axis, of each combination of what stands apart. lines: from this one on. */
static void grid_print(const struct curves *curves, const struct sweep *sweep,
	const struct curve_place *places, size_t first)
{
	const struct factor *by = &sweep->spec.factor[curves->by];
	struct screen_table *table =
		screen_table_new(sweep->arena, curves->apart_count + 1 + curves->lines - first);
	for (size_t i = 0; i < curves->apart_count; i++)
		screen_cell(table, false, "%s", sweep->spec.factor[curves->apart[i]].name);
	screen_cell(table, false, "%s", curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].name);
	for (size_t line = first; line < curves->lines; line++)
		screen_cell(table, true, "%s", by->value[line]);
	for (size_t row = 0; row < curves->panels * curves->xs; row++) {
		const size_t panel = row / curves->xs;
		for (size_t i = 0; i < curves->apart_count; i++)
			screen_cell(table, false, "%s", curves_apart(curves, sweep, panel, i));
		screen_cell(table, false, "%s", x_text(curves, sweep, row % curves->xs));
		for (size_t line = first; line < curves->lines; line++)
			cell(table, &places[(panel * curves->lines + line) * curves->xs + row % curves->xs]);
	}
	screen_print(table, stdout);
}

static bool any_interval(const struct curves *curves)
{
	for (size_t i = 0; i < curves->panels * curves->lines * curves->xs; i++)
		if (curves->place[i].has_interval || curves->difference[i].has_interval)
			return true;
	return false;
}

/* Drawn, and without an interval: how many; the largest effective number of seeds of any. */
static size_t too_little(const struct curves *curves, double *most)
{
	const size_t places = curves->panels * curves->lines * curves->xs;
	size_t count = 0;
	for (size_t i = 0; i < 2 * places; i++) {
		const struct curve_place *place =
			i < places ? &curves->place[i] : &curves->difference[i - places];
		if (!place->evidence.blocks || place->has_interval || place->evidence.t > 0)
			continue;
		count++;
		*most = place->evidence.effective > *most ? place->evidence.effective : *most;
	}
	return count;
}

static void table_report(const struct curves *curves)
{
	double most = 0;
	const size_t count = too_little(curves, &most);
	if (any_interval(curves))
		printf("\n± what a t test at 5 %% over the seeds does not tell the figure from\n");
	if (count)
		printf("\nno interval of %zu figures: the seeds tell what %.1f even ones would, at the most, and 6 are "
		       "needed\n",
			count, floor(most * 10) / 10);
}

static void table_print(const struct curves *curves, const struct found *found)
{
	const struct sweep *sweep = found->sweep;
	const bool seeds =
		sweep->spec.seed_at != SIZE_MAX && sweep->spec.factor[sweep->spec.seed_at].count > 1;
	printf("%s%s%s\n\n", curves->y, seeds ? ", mean over seeds" : "",
		any_interval(curves) ? " and interval" : "");
	grid_print(curves, sweep, curves->place, 0);
	if (curves->lines > 1) {
		printf("\nless that of %s, pair by pair\n\n", sweep->spec.factor[curves->by].value[0]);
		grid_print(curves, sweep, curves->difference, 1);
	}
	table_report(curves);
}

static void json_place(struct json *json, const char *key, const struct curve_place *place)
{
	char name[3][32];
	static const char *const part[3] = { "effective", "low", "high" };
	for (size_t i = 0; i < SL_LEN(part); i++)
		(void)snprintf(name[i], sizeof(name[i]), "%.20s_%s", key, part[i]);
	json_put(json, datum_micro(key, place->count ? micro_of(place->mean) : SL_NONE));
	if (!place->count)
		return;
	json_put(json,
		datum_if(place->evidence.blocks, datum_micro(name[0], micro_of(place->evidence.effective))),
		datum_if(place->has_interval, datum_micro(name[1], micro_of(place->interval.low))),
		datum_if(place->has_interval, datum_micro(name[2], micro_of(place->interval.high))));
}

static int json_print(const struct curves *curves, const struct found *found, struct sl_err *err)
{
	static const struct json_form of_curves = { "\n", ",\n", "\n", true };
	const struct sweep *sweep = found->sweep;
	const struct factor *by = &sweep->spec.factor[curves->by];
	struct json json;
	const int status = json_start(&json, &json_one_line, err);
	if (status)
		return status;
	size_t failed = 0;
	for (size_t i = 0; i < found->count; i++)
		failed += found->point[i].error != NULL;
	json_put(&json, datum_count("points", sweep->count), datum_count("done", found->count),
		datum_count("failed", failed), datum_text("y", curves->y),
		datum_text("x", curves->x == SIZE_MAX ? "" : sweep->spec.factor[curves->x].name),
		datum_count("missing", sweep->count - found->count),
		datum_count("not_compared", curves->unlike));
	json_nest(&json, "curves", '[', &of_curves);
	for (size_t at = 0; at < curves->panels * curves->lines * curves->xs; at++) {
		const size_t line = at / curves->xs % curves->lines;
		json_nest(&json, NULL, '{', &json_one_line);
		for (size_t i = 0; i < curves->apart_count; i++)
			json_put(&json,
				datum_text(sweep->spec.factor[curves->apart[i]].name,
					curves_apart(curves, sweep, at / curves->xs / curves->lines, i)));
		json_put(&json, datum_text(by->name, by->value[line]),
			datum_text("x", x_text(curves, sweep, at % curves->xs)),
			datum_count("points", curves->place[at].count),
			datum_count("planned", curves->place[at].planned));
		json_place(&json, "mean", &curves->place[at]);
		if (line)
			json_place(&json, "difference", &curves->difference[at]);
		json_close(&json);
	}
	return json_finish(&json, SL_OK, err);
}

enum { MISSING_DISPLAYED = 5 };

/* "3 (seed=2 policy=easy)" */
static void put_point(FILE *to, const struct sweep *sweep, size_t number)
{
	(void)fprintf(to, "%zu (", number);
	for (size_t f = 0, any = 0; f < sweep->spec.factor_count; f++)
		if (sweep->spec.factor[f].count > 1)
			(void)fprintf(to, "%s%s=%s", any++ ? " " : "", sweep->spec.factor[f].name,
				point_value(sweep, &sweep->point[number], f));
	(void)fprintf(to, ")");
}

/* Points that are not there yet, by name, and pairs that cannot be compared: below the table, else on stderr.
 */
static void report_missing(const struct found *found, bool below)
{
	const struct sweep *sweep = found->sweep;
	const size_t missing = sweep->count - found->count;
	char *text = NULL;
	size_t len, shown = 0;
	FILE *to = missing ? open_memstream(&text, &len) : NULL;
	for (size_t number = 0, at = 0; to && number < sweep->count && shown < MISSING_DISPLAYED; number++) {
		if (at < found->count && found->point[at].number == number) {
			at++;
			continue;
		}
		(void)fprintf(to, "%s", shown++ ? ", " : "");
		put_point(to, sweep, number);
	}
	if (to && !fclose(to)) {
		const char *more = missing > shown ? " ..." : "";
		if (below)
			printf("\n%zu of %zu points are missing: %s%s\n", missing, sweep->count, text, more);
		else
			talk("%zu of %zu points are missing: %s%s", missing, sweep->count, text, more);
	}
	free(text);
}

static void report_unlike(const struct curves *curves, bool below)
{
	static const char why[] = "not compared: of the two, one replayed or completed fewer jobs";
	const char *pairs = curves->unlike == 1 ? "pair is" : "pairs are";
	if (curves->unlike && below)
		printf("\n%zu %s %s\n", curves->unlike, pairs, why);
	else if (curves->unlike)
		talk("%zu %s %s", curves->unlike, pairs, why);
}

static void report_failed(const struct found *found)
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
	int status = sweep_found_read(&found, sweep, err);
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
	report_failed(&found);
	if (log_shows(LOG_INFO))
		log_line(LOG_INFO, "%zu of %zu points: %s/points.csv, runs.db%s", found.count, sweep->count,
			sweep->dir_name, curves.x != SIZE_MAX ? ", curves.svg" : "");
	const bool json = arg_flag(sweep->args, "json");
	if (!json)
		table_print(&curves, &found);
	report_missing(&found, !json);
	report_unlike(&curves, !json);
	return json ? json_print(&curves, &found, err) : SL_OK;
}
