/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_json.c - the answer for programs, and the files of DIR.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "sim/base/out.h"

/* Seven digits: libm's last bits are not the same everywhere. */
static int64_t rounded(double value)
{
	double scale = 1;
	if (isnan(value) || !(fabs(value) < 9e11))
		return SL_NONE;
	while (fabs(value) * 1e6 * scale >= 1e8)
		scale /= 10;
	const double whole = floor(fabs(value) * 1e6 * scale + 0.5) / scale;
	return value < 0 ? -(int64_t)whole : (int64_t)whole;
}

static void put_levels(struct json *json, const struct tune *tune, const uint32_t *level)
{
	json_nest(json, "settings", '{', &json_one_line);
	for (size_t k = 0; k < tune->problem.axes; k++)
		json_put(json, datum_text(tune->knob[k].name, tune->knob[k].value[level[k]]));
	json_close(json);
}

static void put_judged(struct json *json, const struct judged_column *column)
{
	json_put(json, datum_micro("judged_today", rounded(column->today)),
		datum_micro("judged", rounded(column->is)), datum_count("spans", column->spans),
		datum_count("differing", column->differing),
		datum_if(column->bounded, datum_micro("change_low", rounded(column->low))),
		datum_if(column->bounded, datum_micro("change_high", rounded(column->high))),
		datum_flag("told", column->told));
}

static void put_candidate(
	struct json *json, const struct tune *tune, const struct judged *judged, bool with_judged)
{
	const struct tune_candidate *today = &tune->search.candidate[0];
	const struct tune_candidate *candidate = &tune->search.candidate[judged->candidate];
	put_levels(json, tune, candidate->level);
	json_nest(json, "wanted", '[', &json_lines_4);
	for (size_t c = 0; c < tune->problem.columns; c++) {
		json_nest(json, NULL, '{', &json_one_line);
		json_put(json, datum_text("text", tune->wanted[c].text),
			datum_text("metric", tune->wanted[c].metric),
			datum_micro("tuned_today",
				rounded(tune_mean(&tune->search, today, candidate, c, tune->problem.spans))),
			datum_micro("tuned",
				rounded(tune_mean(&tune->search, candidate, today, c, tune->problem.spans))));
		if (with_judged)
			put_judged(json, &judged->column[c]);
		if (with_judged && !tune_is_goal(&tune->problem.column[c]))
			json_put(json, datum_flag("holds", judged_holds(tune, judged, c)));
		json_close(json);
	}
	json_close(json);
}

static void put_mattered(struct json *json, const struct tune *tune)
{
	json_nest(json, "put_back", '[', &json_lines_2);
	for (size_t k = 0; k < tune->problem.axes && tune->search.best; k++) {
		if (tune->search.candidate[tune->search.best].level[k] == tune->knob[k].today)
			continue;
		for (size_t c = 0; c < tune->problem.columns; c++) {
			if (!tune_is_goal(&tune->problem.column[c]))
				continue;
			json_nest(json, NULL, '{', &json_one_line);
			json_put(json, datum_text("setting", tune->knob[k].name),
				datum_text("metric", tune->wanted[c].metric));
			put_judged(json, &tune->back[k].column[c]);
			json_close(json);
		}
	}
	json_close(json);
}

static void put_gainers(struct json *json, const struct tune *tune)
{
	json_nest(json, "gainers", '[', &json_lines_2);
	for (size_t i = 0; i < tune->gainers; i++) {
		const struct gainer *gainer = &tune->gainer[i];
		json_object(json, NULL, datum_text("kind", gainer->kind), datum_text("name", gainer->name),
			datum_micro("jobs", rounded(gainer->jobs)),
			datum_micro("wait_today", rounded(gainer->was)),
			datum_micro("wait", rounded(gainer->is)));
	}
	json_close(json);
}

static int put_texts(struct json *json, const struct tune *tune, struct sl_err *err)
{
	const uint32_t *level = tune->search.candidate[tune->search.best].level;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (!out)
		return sl_fail_memory(err);
	tune_put_line(tune, out);
	int status = fclose(out) == 0 ? SL_OK : sl_fail_memory(err);
	if (!status)
		json_put(json, datum_text("again", text));
	free(text);
	text = NULL;
	out = status ? NULL : open_memstream(&text, &len);
	if (out) {
		status = tune_put_run(tune, level, out, err);
		if (fclose(out) == 0 && !status)
			json_put(json, datum_text("run", text));
	}
	free(text);
	char *patch = tune_patch(tune, level);
	if (patch && !status)
		json_put(json, datum_text("patch", patch));
	free(patch);
	return status;
}

int tune_json(const struct tune *tune, struct sl_err *err)
{
	struct json json;
	const bool judged = tune->search.best || tune->front_count > 1;
	int status = json_start(&json, NULL, err);
	if (status)
		return status;
	char from[40];
	json_put(&json, datum_text("trace", tune->trace), datum_text("verdict", verdict_word(tune->verdict)),
		datum_flag("found", tune->search.best != 0), datum_count("spans_tuned", tune->problem.spans),
		datum_count("spans_judged", tune->spans - tune->problem.spans),
		datum_plain("span_s", span_time(from, tune->span[0].until - tune->span[0].from)),
		datum_count("tried", tune_tried(tune)), datum_count("runs", tune->search.spent),
		datum_count("seeds", tune->seeds));
	json_nest(&json, "spans", '[', &json_tight);
	for (size_t i = 0; i < tune->spans; i++)
		json_put(&json, datum_plain(NULL, span_time(from, tune->span[i].from)));
	json_close(&json);
	json_nest(&json, "today", '{', &json_one_line);
	put_levels(&json, tune, tune->search.candidate[0].level);
	json_close(&json);
	json_nest(&json, "best", '{', NULL);
	put_candidate(&json, tune, &tune->front[0], judged && tune->search.best);
	json_close(&json);
	put_mattered(&json, tune);
	put_gainers(&json, tune);
	json_nest(&json, "front", '[', &json_lines_2);
	for (size_t i = 0; i < tune->front_count && tune->front_count > 1; i++) {
		json_nest(&json, NULL, '{', &json_lines_4);
		put_candidate(&json, tune, &tune->front[i], true);
		json_close(&json);
	}
	json_close(&json);
	status = put_texts(&json, tune, err);
	return json_finish(&json, status, err);
}

static int file_write(const struct tune *tune, const char *name, const char *text, struct sl_err *err)
{
	struct sl_out *out;
	const char *path = text_made(tune->arena, "%s/%s", tune->dir, name);
	if (!path)
		return sl_fail_memory(err);
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	out_ways(out, !arg_flag(tune->args, "no-sync"), true);
	sl_out_text(out, text);
	return sl_out_commit(out, err);
}

/* DIR/tried.csv: each that was tried, with what came of it on the spans that it met. */
static int tried_write(const struct tune *tune, struct sl_err *err)
{
	struct sl_out *out;
	const char *path = text_made(tune->arena, "%s/tried.csv", tune->dir);
	int status = path ? sl_out_open(&out, path, err) : sl_fail_memory(err);
	if (status)
		return status;
	out_ways(out, !arg_flag(tune->args, "no-sync"), true);
	sl_out_text(out, "number,spans,failed");
	for (size_t k = 0; k < tune->problem.axes; k++)
		csv_more(out, datum_text(NULL, tune->knob[k].name));
	for (size_t c = 0; c < tune->problem.columns; c++)
		csv_more(out, datum_text(NULL, tune->wanted[c].metric));
	sl_out_text(out, "\n");
	for (size_t i = 0; i < tune->search.count; i++) {
		const struct tune_candidate *candidate = &tune->search.candidate[i];
		csv_begin(out, datum_count(NULL, i), datum_count(NULL, candidate->met),
			datum_flag(NULL, candidate->failed));
		for (size_t k = 0; k < tune->problem.axes; k++)
			csv_more(out, datum_text(NULL, tune->knob[k].value[candidate->level[k]]));
		for (size_t c = 0; c < tune->problem.columns; c++)
			csv_more(out,
				datum_micro(NULL, rounded(tune_mean(&tune->search, candidate,
							  &tune->search.candidate[0], c, candidate->met))));
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

int tune_files_write(const struct tune *tune, struct sl_err *err)
{
	char *patch = tune_patch(tune, tune->search.candidate[tune->search.best].level);
	int status = patch ? SL_OK : sl_fail_memory(err);
	/* A change that is not told to be better is not handed out. */
	if (!status && *patch && tune->verdict == TUNE_BETTER)
		status = file_write(tune, "change.patch", patch, err);
	free(patch);
	if (!status)
		status = tried_write(tune, err);
	return status ? status : tune_page(tune, err);
}
