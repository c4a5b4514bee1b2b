/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.c - one chart as one self-contained SVG: title, legend, the chart, and a description for those who do
 * not see it.
 */
#include "reports/export/svg.h"

#include <stdlib.h>
#include <string.h>

enum {
	TOP = 38,
	TOP_BARE = 6,
	LEGEND = 22,
	LEGEND_ROW = 16,
	BOTTOM = 8,
	WIDTH = 960,
	SIDE_MAX = 20000,
	SIDE_MIN = 200
};

static const struct {
	const char *name, *title, *what;
} chart_of[SVG_KINDS] = {
	[SVG_UTILIZATION] = { "utilization", "Utilization", "How much of the machine was busy, over time." },
	[SVG_QUEUE] = { "queue", "Queue", "How many jobs waited, and for how many cpus, over time." },
	[SVG_WAIT_CDF] = { "wait-cdf", "Waiting times",
		"Which share of the jobs that started waited at most so long; the axis of times is logarithmic." },
	[SVG_WAIT_SURVIVAL] = { "wait-survival", "Waiting times",
		"Which share of the jobs that started waited so long or longer; both axes are logarithmic." },
	[SVG_SLOWDOWN_CDF] = { "slowdown-cdf", "Bounded slowdown",
		"Which share of the jobs that ended had a bounded slowdown of at most so much; logarithmic." },
	[SVG_GANTT] = { "gantt", "Schedule",
		"Which jobs ran where and when; a bar's colour says how long the job had waited." },
	[SVG_HEAT] = { "heat", "Use of nodes", "How much of the cpus was in use, by row and time." },
	[SVG_SHARES] = { "shares", "Shares", "Who used how much of the cpus, over time." },
	[SVG_UNFAIRNESS] = { "unfairness", "Unfairness",
		"By how many hours, in sum, jobs started later than their fair start times, by user and submission." },
	[SVG_COMPARISON] = { "comparison", "Comparison",
		"The runs' metrics; a whisker is the interval of the difference to the first run, from the first "
		"run's value on." },
};
static const char *const charts[] = { "utilization", "queue", "wait-cdf", "wait-survival", "slowdown-cdf",
	"gantt", "heat", "shares", "unfairness", "comparison", NULL };

/* ---- The document's order ----------------------------------------------------------------------- */

static bool side_is_bad(uint32_t side) { return side && (side < SIDE_MIN || side > SIDE_MAX); }

static int svg_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	*self = NULL;
	const char *name = options->chart ? options->chart : charts[0];
	int kind = 0;
	while (kind < SVG_KINDS && strcmp(chart_of[kind].name, name) != 0)
		kind++;
	if (kind == SVG_KINDS) {
		const char *similar = sl_nearest(name, charts);
		return sl_fail(err, SL_USAGE,
			"there is no chart '%s'%s%s%s: utilization, queue, wait-cdf, wait-survival, slowdown-cdf, "
			"gantt, heat, shares, unfairness or comparison",
			name, similar ? "; did you mean '" : "", similar ? similar : "", similar ? "'?" : "");
	}
	if (side_is_bad(options->width) || side_is_bad(options->height))
		return sl_fail(err, SL_USAGE, "a chart of %u x %u: width and height are from %d to %d",
			options->width, options->height, SIDE_MIN, SIDE_MAX);
	struct svg *svg = calloc(1, sizeof(*svg));
	*self = svg;
	if (!svg)
		return sl_fail_memory(err);
	svg->kind = (enum svg_kind)kind;
	svg->width = options->width ? options->width : WIDTH;
	svg->height = options->height;
	return SL_OK;
}

static int svg_keep_here(const struct svg *svg, struct svg_run *run, const struct sl_document_run *reported,
	struct sl_err *err)
{
	const struct sl_result *result = reported->result;
	switch (svg->kind) {
	case SVG_UTILIZATION:
	case SVG_QUEUE:
		return svg_keep_steps(run, result, svg->kind, err);
	case SVG_WAIT_CDF:
	case SVG_SLOWDOWN_CDF:
		return svg_keep_cdf(run, result, svg->kind, err);
	case SVG_WAIT_SURVIVAL:
		return svg_keep_survival(run, result, err);
	case SVG_GANTT:
	case SVG_HEAT:
		return svg_keep_rows(run, result, err);
	case SVG_SHARES:
		return svg_keep_shares(run, reported, err);
	case SVG_UNFAIRNESS:
		return svg_keep_unfairness(run, result, err);
	case SVG_COMPARISON:
	case SVG_KINDS:
		break;
	}
	return SL_OK;
}

static int svg_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	struct svg *svg = self;
	const struct sl_result *result = reported->result;
	if (SL_RESIZE(svg->run, svg->runs + (size_t)1, err))
		return SL_SYSTEM;
	struct svg_run *run = &svg->run[svg->runs];
	memset(run, 0, sizeof(*run));
	run->first = (double)result->first / 1e6;
	run->last = result->last > result->first ? (double)result->last / 1e6 : run->first + 1;
	run->epoch = result->epoch ? result->epoch + result->utc_offset : 0;
	/* Remembered in step: reported[i] and run[i] are of one run. */
	const int status = export_remember(&svg->reported, &svg->runs, reported, err);
	return status ? status : svg_keep_here(svg, run, reported, err);
}

static void svg_close(void *self)
{
	struct svg *svg = self;
	if (!svg)
		return;
	for (uint32_t i = 0; i < svg->runs; i++)
		svg_let_go(&svg->run[i]);
	export_runs_free(svg->reported, svg->runs);
	free(svg->run);
	free(svg);
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

static double height_of(const struct svg *svg, const struct sl_compared *compared)
{
	switch (svg->kind) {
	case SVG_UTILIZATION:
	case SVG_QUEUE:
		return svg_lines_height(svg);
	case SVG_WAIT_CDF:
	case SVG_SLOWDOWN_CDF:
	case SVG_WAIT_SURVIVAL:
		return svg->bare ? 240 : 340;
	case SVG_GANTT:
		return 300.0 * svg->runs;
	case SVG_HEAT:
		return 260.0 * svg->runs;
	case SVG_SHARES:
	case SVG_UNFAIRNESS:
		return (svg->bare ? 140.0 : 220.0) * svg->runs;
	case SVG_COMPARISON:
		return svg_comparison_height(svg, compared);
	case SVG_KINDS:
		break;
	}
	return 0;
}

static void svg_draw_here(const struct svg *svg, const struct sl_compared *compared, struct sl_out *out,
	const struct svg_panel *area)
{
	switch (svg->kind) {
	case SVG_UTILIZATION:
	case SVG_QUEUE:
		svg_lines_draw(svg, out, *area);
		break;
	case SVG_WAIT_CDF:
	case SVG_SLOWDOWN_CDF:
		svg_cdf_draw(svg, out, *area);
		break;
	case SVG_WAIT_SURVIVAL:
		svg_survival_draw(svg, out, *area);
		break;
	case SVG_GANTT:
		svg_gantt_draw(svg, out, *area);
		break;
	case SVG_HEAT:
		svg_heat_draw(svg, out, *area);
		break;
	case SVG_SHARES:
	case SVG_UNFAIRNESS:
		svg_shares_draw(svg, out, *area);
		break;
	case SVG_COMPARISON:
		svg_comparison_draw(svg, compared, out, *area);
		break;
	case SVG_KINDS:
		break;
	}
}

static const char *const *colours_of(const struct svg *svg)
{
	return svg->bare ? svg_page_colour : svg_colour;
}

static double top_of(const struct svg *svg) { return svg->bare ? TOP_BARE : TOP; }

/* Letters are taken as wide as they are in the mean; a legend's entries go on in another row. */
static double entry_width(const char *name) { return 29 + 6.3 * (double)strlen(name) + 18; }

double svg_label_width(const struct svg *svg, double size)
{
	size_t longest = 0;
	for (uint32_t i = 0; i < svg->runs; i++) {
		const size_t length = strlen(svg->reported[i].label);
		longest = length > longest ? length : longest;
	}
	return (double)longest * size * 0.56;
}

/* Where the next entry of a legend stands. */
struct legend {
	const struct svg *svg;
	struct sl_out *out; /* NULL: it is only measured. */
	double x;
	unsigned rows; /* Full ones. */
};

/* A run's name beside its line; rows and shades have legends of their own. */
static void legend_entry(struct legend *legend, const char *colour, const char *dash, const char *name)
{
	const struct svg *svg = legend->svg;
	struct sl_out *out = legend->out;
	char *cut = export_clean(name, svg->bare ? 0 : 40);
	const double left = svg->bare ? 4 : SVG_LEFT;
	const double width = entry_width(cut ? cut : "");
	if (legend->x > left && legend->x + width - 18 > svg->width) {
		legend->x = left;
		legend->rows++;
	}
	const double x = legend->x;
	const double y = top_of(svg) + LEGEND_ROW * (double)legend->rows;
	legend->x += width;
	if (out && dash) {
		sl_out_text(out, "<line");
		svg_at(out, "x1", x);
		svg_at(out, "y1", y + 4);
		svg_at(out, "x2", x + 24);
		svg_at(out, "y2", y + 4);
		sl_out_printf(out, " stroke=\"%s\" stroke-width=\"2\"", colour);
		if (dash[0])
			sl_out_printf(out, " stroke-dasharray=\"%s\"", dash);
		sl_out_text(out, "/>\n");
	} else if (out) {
		svg_rect(out, (double[]){ x + 4, y - 1 }, (double[]){ 20, 9 }, colour);
		sl_out_text(out, "/>\n");
	}
	if (out)
		svg_text(out,
			&(struct svg_text){
				.x = x + 29, .y = y + 8, .size = 11, .anchor = "start", .fill = SVG_INK },
			cut ? cut : "");
	free(cut);
}

/* Returns how many rows it has behind the first one. out: NULL: nothing is drawn. */
static unsigned put_legend(const struct svg *svg, struct sl_out *out)
{
	struct legend legend = { .svg = svg, .out = out, .x = svg->bare ? 4 : SVG_LEFT };
	bool bars = false;
	for (uint32_t i = 0; i < svg->runs; i++)
		bars |= svg->kind == SVG_GANTT && svg->run[i].boxes == svg->run[i].bars &&
			svg->run[i].boxes <= SVG_SHAPES / svg->runs;
	/* A panel a run says whose it is. */
	if (svg->kind == SVG_SHARES || svg->kind == SVG_UNFAIRNESS ||
		(svg_multiples(svg) && (svg->kind == SVG_UTILIZATION || svg->kind == SVG_QUEUE)))
		return 0;
	if (bars) {
		for (unsigned i = 0; i < SVG_WAITS; i++)
			legend_entry(&legend, svg_wait_colour[i], NULL, svg_wait_name[i]);
		return legend.rows;
	}
	if (svg->kind == SVG_GANTT || svg->kind == SVG_HEAT) {
		static const char *const share[] = { "up to 10 %", "40 to 50 %", "more than 90 %" };
		static const unsigned shade[] = { 0, 4, SVG_SHADES - 1 };
		for (unsigned i = 0; i < SL_LEN(share); i++)
			legend_entry(&legend, svg_shade[shade[i]], NULL, share[i]);
		return legend.rows;
	}
	for (uint32_t i = 0; i < svg->runs; i++)
		legend_entry(&legend, colours_of(svg)[i % SVG_COLOURS],
			svg->kind == SVG_COMPARISON ? NULL : svg_dash[i % SVG_COLOURS],
			svg->reported[i].label);
	return legend.rows;
}

/* What the chart shows, in words and in the numbers that matter. */
static void put_description(const struct svg *svg, const struct sl_compared *compared, struct sl_out *out)
{
	svg_escape(out, chart_of[svg->kind].what);
	for (uint32_t run = 0; run < svg->runs; run++) {
		sl_out_text(out, " ");
		svg_escape(out, svg->reported[run].label);
		sl_out_text(out, svg->reported[run].partial ? " (a part of a run):" : ":");
		for (size_t i = 0; i < compared->metric_info_count; i++) {
			const struct sl_metric_info *metric_info = &compared->metric_info[i];
			int64_t micro;
			char text[48];
			if (!export_metric(&svg->reported[run], metric_info->name, &micro))
				continue;
			export_number(text, micro, metric_info->unit, false);
			sl_out_text(out, i ? ", " : " ");
			svg_escape(out, metric_info->heading);
			sl_out_printf(out, " %s", text);
			if (export_unit(metric_info->unit)[0])
				sl_out_printf(out, " %s", export_unit(metric_info->unit));
		}
		sl_out_text(out, ".");
	}
}

/* False: no memory. */
static bool put_heading(const struct svg *svg, struct sl_out *out, const char *title)
{
	struct export_bytes heading = { 0 };
	const char *name = chart_of[svg->kind].title;
	export_put(&heading, name, strlen(name));
	export_put(&heading, ": ", title[0] ? 2 : 0);
	export_put(&heading, title, strlen(title) + 1);
	const bool whole = !heading.failed;
	if (whole)
		svg_text(out,
			&(struct svg_text){ .x = SVG_LEFT,
				.y = 22,
				.size = 15,
				.anchor = "start",
				.fill = SVG_INK,
				.most = svg->width / 9,
				.bold = true },
			heading.data);
	export_bytes_free(&heading);
	return whole;
}

static int svg_write(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	struct svg *svg = self;
	if (!svg->runs)
		return sl_fail(err, SL_USAGE, "a chart of no run: name one or several");
	svg->bare = compared->title && !compared->title[0];
	const double above = top_of(svg) + LEGEND + LEGEND_ROW * (double)put_legend(svg, NULL);
	const double height = svg->height ? svg->height : above + height_of(svg, compared) + BOTTOM;
	const double capacity_height = height - above - BOTTOM;
	char *title = export_clean(compared->title ? compared->title : "", 0);
	if (!title)
		return sl_fail_memory(err);
	sl_out_text(out,
		"<!-- Written by schedlab. -->\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\"");
	svg_at(out, "width", svg->width);
	svg_at(out, "height", height);
	sl_out_text(out, " viewBox=\"0 0 ");
	svg_number(out, svg->width);
	sl_out_text(out, " ");
	svg_number(out, height);
	sl_out_text(out,
		"\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n<title id=\"title\">");
	svg_escape(out, chart_of[svg->kind].title);
	sl_out_text(out, title[0] ? ": " : "");
	svg_escape(out, title);
	sl_out_text(out, "</title>\n<desc id=\"desc\">");
	put_description(svg, compared, out);
	sl_out_text(out, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	const bool headed = svg->bare || put_heading(svg, out, title);
	free(title);
	if (!headed)
		return sl_fail_memory(err);
	(void)put_legend(svg, out);
	const double left = svg->bare ? 52 : SVG_LEFT;
	const struct svg_panel area = { .colours = colours_of(svg),
		.bare = svg->bare,
		.x = left,
		.y = above,
		.width = svg->width - left - SVG_RIGHT,
		.height = capacity_height };
	svg_draw_here(svg, compared, out, &area);
	sl_out_text(out, "</svg>\n");
	return SL_OK;
}

const struct sl_document export_svg = { .abi = SL_ABI_OF(struct sl_document),
	.name = "svg",
	.summary =
		"one chart as a picture: utilization, queue, wait-cdf, wait-survival, slowdown-cdf, gantt, heat, shares, unfairness, comparison",
	.file = "report.svg",
	.charts = charts,
	.open = svg_open,
	.add = svg_add,
	.write = svg_write,
	.close = svg_close };
