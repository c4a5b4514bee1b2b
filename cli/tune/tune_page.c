/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_page.c - DIR/tune.html: the answer as one page, without script or anything from elsewhere.
 *
 * Of two goals there is a picture: all that was tried on all spans tuned on, today, and the front. Of more,
 * of the first two.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "reports/export/svg.h"
#include "sim/base/out.h"

enum { WIDTH = 640, HEIGHT = 420, EDGE = 70 };

static void put_cell(struct sl_out *out, const char *text)
{
	sl_out_text(out, "<td>");
	svg_escape(out, text);
	sl_out_text(out, "</td>");
}

static void put_heads(struct sl_out *out, const char *const *head, size_t count)
{
	sl_out_text(out, "<table><tr>");
	for (size_t i = 0; i < count; i++)
		sl_out_printf(out, "<th>%s</th>", head[i]);
	sl_out_text(out, "</tr>\n");
}

static void page_value(struct sl_out *out, const struct tune *tune, size_t column, double value)
{
	char text[48];
	put_cell(out, isnan(value) ? "-"
				   : summary_text(text, selector_unit(tune->wanted[column].selector),
					     (int64_t)floor(value * 1e6 + 0.5)));
}

static void page_change(struct sl_out *out, double today, double is)
{
	char text[32];
	put_cell(out, change_text(text, today, is));
}

static void page_interval(struct sl_out *out, const struct judged_column *column)
{
	if (column->bounded)
		sl_out_printf(out, "<td>[%+.1f, %+.1f]%s</td>", 100 * column->low, 100 * column->high,
			column->told ? "" : " ~");
	else
		sl_out_text(out, "<td></td>");
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void page_knobs(struct sl_out *out, const struct tune *tune)
{
	static const char *const head[] = { "what may move", "today", "best found", "put back alone",
		"interval" };
	const uint32_t *winner = tune->search.candidate[tune->search.best].level;
	put_heads(out, head, SL_LEN(head));
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		sl_out_text(out, "<tr>");
		put_cell(out, knob->name);
		put_cell(out, knob_value(knob, knob->today));
		put_cell(out, winner[k] == knob->today ? "=" : knob_value(knob, winner[k]));
		if (winner[k] != knob->today) {
			page_change(out, tune->back[k].column[0].today, tune->back[k].column[0].is);
			page_interval(out, &tune->back[k].column[0]);
		}
		sl_out_text(out, "</tr>\n");
	}
	sl_out_text(out, "</table>\n");
}

static void page_columns(struct sl_out *out, const struct tune *tune)
{
	static const char *const head[] = { "what is wanted", "tuned on: today", "best", "judged on: today",
		"best", "change, %", "interval", "" };
	const struct tune_candidate *today = &tune->search.candidate[0];
	const struct tune_candidate *best = &tune->search.candidate[tune->search.best];
	put_heads(out, head, tune->search.best ? SL_LEN(head) : 3);
	for (size_t c = 0; c < tune->problem.columns; c++) {
		const struct judged_column *column = &tune->front[0].column[c];
		sl_out_text(out, "<tr>");
		put_cell(out, tune->wanted[c].text);
		page_value(out, tune, c, tune_mean(&tune->search, today, best, c, tune->problem.spans));
		page_value(out, tune, c, tune_mean(&tune->search, best, today, c, tune->problem.spans));
		if (tune->search.best) {
			page_value(out, tune, c, column->today);
			page_value(out, tune, c, column->is);
			page_change(out, column->today, column->is);
			page_interval(out, column);
			put_cell(out, tune_is_goal(&tune->problem.column[c])   ? ""
				      : judged_holds(tune, &tune->front[0], c) ? "holds"
									       : "does not hold");
		}
		sl_out_text(out, "</tr>\n");
	}
	sl_out_text(out, "</table>\n");
}

static void page_gainers(struct sl_out *out, const struct tune *tune)
{
	static const char *const head[] = { "who gains, who loses", "jobs judged", "wait today", "best",
		"change" };
	if (!tune->gainers)
		return;
	put_heads(out, head, SL_LEN(head));
	for (size_t i = 0; i < tune->gainers; i++) {
		const struct gainer *gainer = &tune->gainer[i];
		char text[48];
		sl_out_printf(out, "<tr><td>%s ", gainer->kind);
		svg_escape(out, gainer->name);
		sl_out_printf(out, "</td><td>%.0f</td>", gainer->jobs);
		put_cell(out, summary_text(text, UNIT_TIME, (int64_t)floor(gainer->was * 1e6 + 0.5)));
		put_cell(out, summary_text(text, UNIT_TIME, (int64_t)floor(gainer->is * 1e6 + 0.5)));
		page_change(out, gainer->was, gainer->is);
		sl_out_text(out, "</tr>\n");
	}
	sl_out_text(out, "</table>\n");
}

/* ---- The picture -----------------------------------------------------------------------------------------
 */

struct picture {
	const struct tune *tune;
	struct sl_out *out;
	size_t goal[2];
	double least[2], most[2];
};

static double goal_of(const struct picture *picture, size_t candidate, unsigned i)
{
	const struct tune_search *search = &picture->tune->search;
	return tune_mean(search, &search->candidate[candidate], &search->candidate[0], picture->goal[i],
		search->problem.spans);
}

static bool is_drawn(const struct picture *picture, size_t candidate)
{
	const struct tune_candidate *of = &picture->tune->search.candidate[candidate];
	return !of->failed && of->met >= picture->tune->problem.spans &&
	       !isnan(goal_of(picture, candidate, 0)) && !isnan(goal_of(picture, candidate, 1));
}

static void dot(const struct picture *picture, size_t candidate, const char *look, double radius)
{
	double at[2];
	for (unsigned i = 0; i < 2; i++) {
		const double range = picture->most[i] - picture->least[i];
		at[i] = range > 0 ? (goal_of(picture, candidate, i) - picture->least[i]) / range : 0.5;
	}
	if (is_drawn(picture, candidate))
		sl_out_printf(picture->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>\n",
			EDGE + at[0] * (WIDTH - 2 * EDGE), HEIGHT - EDGE - at[1] * (HEIGHT - 2 * EDGE),
			radius, look);
}

static void axis_words(const struct picture *picture, unsigned i)
{
	const struct tune *tune = picture->tune;
	char low[48];
	char high[48];
	const enum summary_unit unit = selector_unit(tune->wanted[picture->goal[i]].selector);
	sl_out_printf(picture->out,
		i ? "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">"
		  : "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		i ? HEIGHT / 2 : WIDTH / 2, HEIGHT - 14);
	svg_escape(picture->out, tune->wanted[picture->goal[i]].text);
	sl_out_printf(picture->out, ", from %s to %s</text>\n",
		summary_text(low, unit, (int64_t)floor(picture->least[i] * 1e6 + 0.5)),
		summary_text(high, unit, (int64_t)floor(picture->most[i] * 1e6 + 0.5)));
}

static void page_picture(struct sl_out *out, const struct tune *tune)
{
	struct picture picture = { .tune = tune, .out = out };
	size_t goals = 0;
	for (size_t c = 0; c < tune->problem.columns; c++)
		if (tune_is_goal(&tune->problem.column[c]) && goals < 2)
			picture.goal[goals++] = c;
	if (goals < 2)
		return;
	for (unsigned i = 0; i < 2; i++) {
		picture.least[i] = HUGE_VAL;
		picture.most[i] = -HUGE_VAL;
		for (size_t k = 0; k < tune->search.count; k++) {
			if (!is_drawn(&picture, k))
				continue;
			picture.least[i] = fmin(picture.least[i], goal_of(&picture, k, i));
			picture.most[i] = fmax(picture.most[i], goal_of(&picture, k, i));
		}
	}
	sl_out_printf(out,
		"<h2>What conflicts</h2>\n<svg width=\"%d\" height=\"%d\" font-size=\"12\" role=\"img\"><title>All that was tried, by the first two goals</title>\n"
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n",
		WIDTH, HEIGHT, EDGE, EDGE, WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE);
	for (size_t k = 0; k < tune->search.count; k++)
		dot(&picture, k, "fill=\"#bbb\"", 3);
	for (size_t i = 0; i < tune->front_count; i++)
		dot(&picture, tune->front[i].candidate, "fill=\"#0072b2\"", 5);
	dot(&picture, 0, "fill=\"none\" stroke=\"#d55e00\" stroke-width=\"3\"", 7);
	axis_words(&picture, 0);
	axis_words(&picture, 1);
	sl_out_text(out,
		"</svg>\n<p>On the spans tuned on: grey, all that was tried on all of them; blue, the front; the ring, today.</p>\n");
}

static void page_front(struct sl_out *out, const struct tune *tune)
{
	if (tune->front_count < 2)
		return;
	sl_out_text(out, "<table><tr><th>the front</th>");
	for (size_t c = 0; c < tune->problem.columns; c++)
		if (tune_is_goal(&tune->problem.column[c])) {
			sl_out_text(out, "<th>");
			svg_escape(out, tune->wanted[c].text);
			sl_out_text(out, "</th><th>change, %</th><th>interval</th>");
		}
	sl_out_text(out, "</tr>\n");
	for (size_t i = 0; i < tune->front_count; i++) {
		const uint32_t *level = tune->search.candidate[tune->front[i].candidate].level;
		sl_out_text(out, "<tr><td>");
		for (size_t k = 0; k < tune->problem.axes; k++) {
			if (level[k] == tune->knob[k].today)
				continue;
			svg_escape(out, tune->knob[k].name);
			sl_out_text(out, "=");
			svg_escape(out, knob_value(&tune->knob[k], level[k]));
			sl_out_text(out, " ");
		}
		sl_out_text(out, "</td>");
		for (size_t c = 0; c < tune->problem.columns; c++) {
			const struct judged_column *column = &tune->front[i].column[c];
			if (!tune_is_goal(&tune->problem.column[c]))
				continue;
			page_value(out, tune, c, column->is);
			page_change(out, column->today, column->is);
			page_interval(out, column);
		}
		sl_out_text(out, "</tr>\n");
	}
	sl_out_text(out, "</table>\n");
}

static int page_lines(struct sl_out *out, const struct tune *tune, struct sl_err *err)
{
	char *patch = tune_patch(tune, tune->search.candidate[tune->search.best].level);
	char *line = NULL;
	size_t len;
	if (!patch)
		return sl_fail_memory(err);
	if (*patch && tune->verdict == TUNE_BETTER) {
		sl_out_text(out, "<h2>The change</h2>\n<pre>");
		for (const char *at = patch; *at;) {
			const size_t width = strcspn(at, "\n");
			const char *text = sl_strdup(tune->arena, at, width);
			svg_escape(out, text ? text : "");
			sl_out_text(out, "\n");
			at += width + (at[width] == '\n');
		}
		sl_out_text(out, "</pre>\n");
	}
	free(patch);
	FILE *file = open_memstream(&line, &len);
	if (!file)
		return sl_fail_memory(err);
	tune_put_line(tune, file);
	const bool closed = fclose(file) == 0;
	sl_out_text(out, "<h2>The same again</h2>\n<pre>");
	svg_escape(out, closed ? line : "");
	sl_out_text(out, "</pre>\n");
	free(line);
	return SL_OK;
}

int tune_page(const struct tune *tune, struct sl_err *err)
{
	struct sl_out *out;
	const char *path = text_made(tune->arena, "%s/tune.html", tune->dir);
	int status = path ? sl_out_open(&out, path, err) : sl_fail_memory(err);
	if (status)
		return status;
	out_ways(out, !arg_flag(tune->args, "no-sync"), true);
	sl_out_text(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
		"<title>schedlab tune</title>\n<style>body{font-family:sans-serif;margin:2em;max-width:70em}"
		"table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}"
		"pre{background:#f4f4f4;padding:1em;overflow:auto}</style></head><body>\n<h1>");
	svg_escape(out, verdict_word(tune->verdict));
	sl_out_text(out, "</h1>\n<p>");
	svg_escape(out, tune->trace);
	sl_out_text(out, " under ");
	svg_escape(out, tune->policy);
	sl_out_printf(out,
		": tuned on the first %u of %zu spans, judged on the others, which the search never looked at. %zu settings tried, %" PRIu64
		" runs of one span.</p>\n",
		tune->problem.spans, tune->spans, tune_tried(tune), tune->search.spent);
	page_columns(out, tune);
	sl_out_text(
		out, "<p>Intervals at 95 % of the change over the judged spans; ~ not told from none.</p>\n");
	page_knobs(out, tune);
	page_picture(out, tune);
	page_front(out, tune);
	page_gainers(out, tune);
	status = page_lines(out, tune, err);
	sl_out_text(out, "</body></html>\n");
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}
