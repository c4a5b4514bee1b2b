/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg_charts.c - the charts themselves, drawn from what was kept.
 */
#include "reports/export/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Common axes ------------------------------------------------------------------------- */

/* From the earliest first to the latest last, so that runs lie under each other. */
void svg_time_range(const struct svg *svg, struct svg_panel *panel)
{
	panel->x_least = svg->run[0].first;
	panel->x_most = svg->run[0].last;
	for (uint32_t i = 1; i < svg->runs; i++) {
		if (svg->run[i].first < panel->x_least)
			panel->x_least = svg->run[i].first;
		if (svg->run[i].last > panel->x_most)
			panel->x_most = svg->run[i].last;
	}
}

/* A line that has its panel to itself is whole: there dashes would only hide how it moves. */
static void open_path(struct sl_out *out, const struct svg_panel *panel, uint32_t run, double width)
{
	const char *dash = panel->alone ? "" : svg_dash[run % SVG_COLOURS];
	sl_out_printf(out, "<path fill=\"none\" stroke=\"%s\"", panel->colours[run % SVG_COLOURS]);
	svg_at(out, "stroke-width", width);
	if (dash[0])
		sl_out_printf(out, " stroke-dasharray=\"%s\"", dash);
	sl_out_text(out, " stroke-linejoin=\"round\" d=\"");
}

void svg_put_to(struct sl_out *out, const char *command, double value)
{
	sl_out_text(out, command);
	svg_number(out, value);
}

/* The i-th of so many panels, one under the other. */
struct svg_panel svg_panel_of(const struct svg_panel *area, uint32_t i, uint32_t count)
{
	struct svg_panel panel = *area;
	const double each = area->height / count;
	panel.y = area->y + each * i + 22;
	panel.height = each - 46;
	return panel;
}

/* ---- Lines over time --------------------------------------------------------------------------- */

static const struct {
	const char *title, *unit;
} line_of[2][SVG_SERIES] = { { { "Share of cpus busy", " %" }, { "Share of GPUs busy", " %" } },
	{ { "Jobs waiting", "" }, { "Cpus that waiting jobs ask for", "" } } };

static bool has_series(const struct svg *svg, unsigned which)
{
	for (uint32_t i = 0; i < svg->runs; i++)
		if (svg->run[i].series[which].count)
			return true;
	return false;
}

enum { MULTIPLE = 92 };

double svg_lines_height(const struct svg *svg)
{
	if (svg_multiples(svg))
		return MULTIPLE * (double)svg->runs;
	return has_series(svg, 0) && has_series(svg, 1) ? 2 * 206 : 260;
}

void svg_caption(struct sl_out *out, const struct svg_panel *panel, const char *text)
{
	if (panel->bare)
		return;
	const struct svg_text how = { .x = panel->x + panel->width,
		.y = panel->y - 7,
		.size = 9.5,
		.anchor = "end",
		.fill = SVG_FAINT };
	svg_text(out, &how, text);
}

static void draw_steps(struct sl_out *out, const struct svg_panel *panel, const struct svg_run *run,
	const struct svg_series *series, uint32_t number)
{
	open_path(out, panel, number, 1.3);
	double y = svg_y(panel, series->y[0]);
	svg_put_to(out, "M", svg_x(panel, series->x[0]));
	svg_put_to(out, " ", y);
	for (size_t i = 1; i < series->count; i++) {
		const double next = svg_y(panel, series->y[i]);
		svg_put_to(out, "H", svg_x(panel, series->x[i]));
		if (fabs(next - y) < 0.005)
			continue;
		svg_put_to(out, "V", next);
		y = next;
	}
	svg_put_to(out, "H", svg_x(panel, run->last));
	sl_out_text(out, "\"/>\n");
}

static double lines_most(const struct svg *svg, unsigned which)
{
	double most = 0;
	for (uint32_t j = 0; j < svg->runs; j++)
		for (size_t k = 0; k < svg->run[j].series[which].count; k++)
			most = fmax(most, svg->run[j].series[which].y[k]);
	return most;
}

/* Of GPUs where there are any, else of cpus; all on the same scales. */
static void lines_apart(const struct svg *svg, struct sl_out *out, const struct svg_panel *area)
{
	const bool queue = svg->kind == SVG_QUEUE;
	const unsigned which = !queue && has_series(svg, 1);
	for (uint32_t i = 0; i < svg->runs; i++) {
		struct svg_panel panel = svg_panel_of(area, i, svg->runs);
		char title[200];
		panel.alone = true;
		panel.y_most = queue ? lines_most(svg, which) : 100;
		const double step = svg_step(panel.y_most, 3);
		panel.y_most = panel.y_most > 0 ? ceil(panel.y_most / step) * step : 1;
		(void)snprintf(title, sizeof(title), "%.150s: %s", svg->reported[i].label,
			line_of[queue][which].title);
		svg_frame(out, &panel, title);
		svg_axis_values(out, &panel, line_of[queue][which].unit);
		svg_axis_time(out, &panel, svg->run[0].epoch);
		if (svg->run[i].series[which].count)
			draw_steps(out, &panel, &svg->run[i], &svg->run[i].series[which], i);
	}
}

void svg_lines_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	const bool queue = svg->kind == SVG_QUEUE;
	if (svg_multiples(svg)) {
		svg_time_range(svg, &area);
		lines_apart(svg, out, &area);
		return;
	}
	const uint32_t panels = has_series(svg, 1) ? 2 : 1;
	svg_time_range(svg, &area);
	for (uint32_t i = 0; i < panels; i++) {
		struct svg_panel panel = svg_panel_of(&area, i, panels);
		panel.y_most = queue ? 0 : 100;
		for (uint32_t j = 0; j < svg->runs; j++)
			for (size_t k = 0; queue && k < svg->run[j].series[i].count; k++)
				panel.y_most = fmax(panel.y_most, svg->run[j].series[i].y[k]);
		const double step = svg_step(panel.y_most, 5);
		panel.y_most = panel.y_most > 0 ? ceil(panel.y_most / step) * step : 1;
		svg_frame(out, &panel, line_of[queue][i].title);
		svg_axis_values(out, &panel, line_of[queue][i].unit);
		svg_axis_time(out, &panel, svg->run[0].epoch);
		bool joined = false;
		for (uint32_t j = 0; j < svg->runs; j++)
			joined |= svg->run[j].series[i].joined;
		if (joined)
			svg_caption(out, &panel, "means over 480 equal stretches of each run");
		for (uint32_t j = 0; j < svg->runs; j++)
			if (svg->run[j].series[i].count)
				draw_steps(out, &panel, &svg->run[j], &svg->run[j].series[i], j);
	}
}

/* ---- Distributions ------------------------------------------------------------------------------- */

static const struct {
	double value;
	const char *name;
} time_tick[] = { { 1, "1 s" }, { 10, "10 s" }, { 60, "1 min" }, { 600, "10 min" }, { 3600, "1 h" },
	{ 21600, "6 h" }, { 86400, "1 d" }, { 864000, "10 d" }, { 8640000, "100 d" },
	{ 86400000, "1000 d" } };
static const struct {
	double value;
	const char *name;
} ratio_tick[] = { { 1, "1" }, { 10, "10" }, { 100, "100" }, { 1000, "1 000" }, { 10000, "10 000" },
	{ 100000, "100 000" }, { 1000000, "1 000 000" }, { 10000000, "10 000 000" } };

/* Below a second there is one place, at the left: a logarithm has none for zero. */
static double zero_width(const struct svg_panel *panel) { return panel->bare ? 36 : 70; }

static double cdf_x(const struct svg_panel *panel, bool wait, double value)
{
	if (wait && value < 1)
		return panel->x + zero_width(panel) * 0.5;
	struct svg_panel scale = *panel;
	if (wait) {
		scale.x += zero_width(panel);
		scale.width -= zero_width(panel);
	}
	return svg_x(&scale, log10(value));
}

/* In a narrow one, names that would lie over each other are left out. */
static bool is_near(const struct svg_panel *panel, double x, double *last)
{
	const bool near = panel->bare && x - *last < 36;
	*last = near ? *last : x;
	return near;
}

static void cdf_tick(struct sl_out *out, const struct svg_panel *panel, double x, const char *name)
{
	const double bottom = panel->y + panel->height;
	svg_line(out, (double[]){ x, panel->y }, (double[]){ x, bottom + 4 }, SVG_GRID, 0.6);
	svg_text(out,
		&(struct svg_text){
			.x = x, .y = bottom + 16, .size = 10.5, .anchor = "middle", .fill = SVG_FAINT },
		name);
}

static void cdf_axis(struct sl_out *out, const struct svg_panel *panel, bool wait)
{
	double last = panel->x + zero_width(panel) * 0.5;
	if (wait) {
		cdf_tick(out, panel, last, "< 1 s");
		for (size_t i = 0; i < SL_LEN(time_tick); i++)
			if (log10(time_tick[i].value) <= panel->x_most + 1e-9 &&
				!is_near(panel, cdf_x(panel, wait, time_tick[i].value), &last))
				cdf_tick(out, panel, cdf_x(panel, wait, time_tick[i].value),
					time_tick[i].name);
		return;
	}
	last = -1000;
	for (size_t i = 0; i < SL_LEN(ratio_tick); i++)
		if (log10(ratio_tick[i].value) <= panel->x_most + 1e-9 &&
			!is_near(panel, cdf_x(panel, wait, ratio_tick[i].value), &last))
			cdf_tick(out, panel, cdf_x(panel, wait, ratio_tick[i].value), ratio_tick[i].name);
}

void svg_cdf_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	const bool wait = svg->kind == SVG_WAIT_CDF;
	struct svg_panel panel = svg_panel_of(&area, 0, 1);
	panel.y_most = 100;
	panel.x_least = 0;
	panel.x_most = 1;
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_series *series = &svg->run[i].series[0];
		if (series->count && series->x[series->count - 1] > 10)
			panel.x_most = fmax(panel.x_most, log10(series->x[series->count - 1]));
	}
	svg_frame(out, &panel,
		wait ? "Share of jobs that waited at most so long"
		     : "Share of jobs with a bounded slowdown of at most so much");
	svg_axis_values(out, &panel, " %");
	cdf_axis(out, &panel, wait);
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_series *series = &svg->run[i].series[0];
		if (!series->count)
			continue;
		open_path(out, &panel, i, 1.6);
		svg_put_to(out, "M", cdf_x(&panel, wait, series->x[0]));
		svg_put_to(out, " ", svg_y(&panel, 0));
		for (size_t j = 0; j < series->count; j++) {
			svg_put_to(out, "H", cdf_x(&panel, wait, series->x[j]));
			svg_put_to(out, "V", svg_y(&panel, series->y[j]));
		}
		svg_put_to(out, "H", panel.x + panel.width);
		sl_out_text(out, "\"/>\n");
	}
}

/* Both axes are logarithms: a straight line is a tail that thins out by a power. */
void svg_survival_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	struct svg_panel panel = svg_panel_of(&area, 0, 1);
	panel.x_least = 0;
	panel.x_most = 1;
	panel.y_least = -1;
	panel.y_most = 0;
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_series *series = &svg->run[i].series[0];
		if (!series->count)
			continue;
		panel.x_most = fmax(panel.x_most, log10(fmax(series->x[series->count - 1], 10)));
		panel.y_least = fmin(panel.y_least, floor(log10(series->y[series->count - 1])));
	}
	svg_frame(out, &panel, "Share of jobs that waited so long or longer");
	static const char *const decade[] = { "100 %", "10 %", "1 %", "0.1 %", "0.01 %", "0.001 %",
		"0.0001 %" };
	for (size_t i = 0; i < SL_LEN(decade) && -(double)i >= panel.y_least; i++) {
		const double y = svg_y(&panel, -(double)i);
		svg_line(
			out, (double[]){ panel.x, y }, (double[]){ panel.x + panel.width, y }, SVG_GRID, 0.6);
		svg_text(out,
			&(struct svg_text){ .x = panel.x - 7,
				.y = y + 3.6,
				.size = 10.5,
				.anchor = "end",
				.fill = SVG_FAINT },
			decade[i]);
	}
	cdf_axis(out, &panel, true);
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_series *series = &svg->run[i].series[0];
		if (!series->count)
			continue;
		open_path(out, &panel, i, 1.6);
		svg_put_to(out, "M", panel.x);
		svg_put_to(out, " ", svg_y(&panel, 0));
		for (size_t j = 0; j < series->count; j++) {
			svg_put_to(out, "H", cdf_x(&panel, true, series->x[j]));
			svg_put_to(out, "V", svg_y(&panel, fmax(log10(series->y[j]), panel.y_least)));
		}
		sl_out_text(out, "\"/>\n");
	}
}

/* ---- Rows over time -------------------------------------------------------------------------------- */

static void draw_row_names(struct sl_out *out, const struct svg_panel *panel, const struct svg_run *run)
{
	const uint32_t names = run->rows < SVG_ROW_NAMES ? run->rows : SVG_ROW_NAMES;
	for (uint32_t i = 0; i < names; i++) {
		const uint32_t row = names > 1 ? (uint32_t)((uint64_t)i * (run->rows - 1) / (names - 1)) : 0;
		const struct svg_text name = { .x = panel->x - 6,
			.y = panel->y + panel->height * ((double)row + 0.5) / run->rows + 3.3,
			.size = 9.5,
			.anchor = "end",
			.fill = SVG_FAINT };
		svg_text(out, &name, run->row_name[i]);
	}
}

/* As many cells as shapes may be; neighbours of the same shade are one. */
static uint32_t draw_grid(
	const struct svg *svg, struct sl_out *out, const struct svg_panel *panel, const struct svg_run *run)
{
	uint32_t joined = 1;
	while ((uint64_t)run->grid_rows * (SVG_GRID_COLUMNS / joined) * svg->runs > SVG_SHAPES &&
		joined < SVG_GRID_COLUMNS / 8)
		joined *= 2;
	const uint32_t columns = SVG_GRID_COLUMNS / joined;
	const double height = panel->height / run->grid_rows;
	for (uint32_t row = 0; row < run->grid_rows; row++) {
		unsigned before = SVG_SHADES;
		uint32_t since = 0;
		for (uint32_t i = 0; i <= columns; i++) {
			double share = 0;
			for (uint32_t j = 0; i < columns && j < joined; j++)
				share += run->grid[(size_t)row * SVG_GRID_COLUMNS + (size_t)i * joined + j] /
					 joined;
			/* Nothing at all has no colour. */
			const double shade = fmin(share * SVG_SHADES, SVG_SHADES - 1);
			const unsigned now = i == columns || share < 0.0005 ? SVG_SHADES : (unsigned)shade;
			if (i < columns && now == before)
				continue;
			if (before < SVG_SHADES) {
				const double width = (run->last - run->first) / columns;
				const double x = svg_x(panel, run->first + since * width);
				const double right = svg_x(panel, run->first + i * width);
				svg_rect(out, (double[]){ x, panel->y + row * height },
					(double[]){ right - x + 0.1, height + 0.05 }, svg_shade[before]);
				sl_out_text(out, "/>\n");
			}
			before = now;
			since = i;
		}
	}
	return columns;
}

void svg_run_title(const struct svg *svg, char title[160], uint32_t run, const char *of)
{
	char *label = export_clean(svg->reported[run].label, 60);
	(void)snprintf(title, 160, "%s: %s", label ? label : "", of);
	free(label);
}

static void draw_boxes(struct sl_out *out, const struct svg_panel *panel, const struct svg_run *run)
{
	const double height = panel->height / run->rows;
	for (size_t i = 0; i < run->boxes; i++) {
		const struct svg_box *box = &run->box[i];
		if (box->row >= run->rows)
			continue; /* Beside suspended jobs: beyond the pool. */
		const double x = svg_x(panel, box->from);
		const double width = svg_x(panel, box->until) - x;
		const double rows = fmin(box->height, run->rows - box->row);
		const double tall = rows * height;
		const double gap = width > 2 ? 0.4 : 0;
		const double floor_gap = tall > 2 ? 0.4 : 0;
		svg_rect(out, (double[]){ x, panel->y + box->row * height },
			(double[]){ fmax(width - gap, 0.15), fmax(tall - floor_gap, 0.15) },
			svg_wait_colour[box->wait_class]);
		if (!box->id || run->boxes > SVG_TITLES) {
			sl_out_text(out, "/>\n");
			continue;
		}
		sl_out_text(out, "><title>job ");
		svg_escape(out, box->id);
		sl_out_text(out, "</title></rect>\n");
	}
}

/* Below the bars: what jobs may run in them lies over it. */
static void draw_windows(struct sl_out *out, const struct svg_panel *panel, const struct svg_run *run)
{
	const double height = panel->height / run->rows;
	for (size_t i = 0; i < run->windows; i++) {
		const struct svg_range *window = &run->window[i];
		const double x = svg_x(panel, window->from);
		svg_rect(out, (double[]){ x, panel->y + window->row * height },
			(double[]){ fmax(svg_x(panel, window->until) - x, 0.5), window->height * height },
			"#e3e3e3");
		sl_out_printf(out, "><title>%s</title></rect>\n", window->kind);
	}
}

/* The panel of a run in which rows stand over time, with all around them. */
static struct svg_panel rows_panel(const struct svg *svg, struct sl_out *out, const struct svg_panel *area,
	uint32_t run, const char *what)
{
	const struct svg_panel panel = svg_panel_of(area, run, svg->runs);
	char title[160];
	svg_run_title(svg, title, run, what);
	svg_frame(out, &panel, title);
	draw_row_names(out, &panel, &svg->run[run]);
	svg_axis_time(out, &panel, svg->run[run].epoch);
	return panel;
}

void svg_gantt_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	svg_time_range(svg, &area);
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_run *run = &svg->run[i];
		const struct svg_panel panel = rows_panel(svg, out, &area, i, "who ran where");
		char note[160];
		draw_windows(out, &panel, run);
		if (run->boxes == run->bars && run->boxes <= SVG_SHAPES / svg->runs) {
			draw_boxes(out, &panel, run);
			(void)snprintf(note, sizeof(note), "%zu bars", run->boxes);
		} else {
			const uint32_t columns = draw_grid(svg, out, &panel, run);
			(void)snprintf(note, sizeof(note),
				"%zu bars: too many; shown is how much was in use, in %u x %u cells",
				run->bars, run->grid_rows, columns);
		}
		if (run->windows)
			(void)snprintf(note + strlen(note), sizeof(note) - strlen(note),
				"; grey: reserved, or down");
		if (run->elsewhere)
			(void)snprintf(note + strlen(note), sizeof(note) - strlen(note),
				"; of %zu more the nodes were not recorded", run->elsewhere);
		svg_caption(out, &panel, note);
	}
}

void svg_heat_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	svg_time_range(svg, &area);
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_run *run = &svg->run[i];
		const struct svg_panel panel = rows_panel(svg, out, &area, i, "share of cpus in use");
		char note[96];
		const uint32_t columns = draw_grid(svg, out, &panel, run);
		(void)snprintf(note, sizeof(note), "means over %u x %u cells", run->grid_rows, columns);
		svg_caption(out, &panel, note);
	}
}

/* ---- The comparison ------------------------------------------------------------------------------------ */

enum { BAR = 17, BAND = 34 };

double svg_comparison_height(const struct svg *svg, const struct sl_compared *compared)
{
	return (double)compared->metric_info_count * (BAR * svg->runs + BAND) + 6;
}

/* The whisker: where the value lies by the interval of its difference to the first. */
static void draw_whisker(struct sl_out *out, const struct svg_panel *panel, const double ends[2], double y)
{
	const double from[2] = { svg_x(panel, ends[0] > 0 ? ends[0] : 0), y };
	const double to[2] = { svg_x(panel, ends[1]), y };
	svg_line(out, from, to, SVG_INK, 1.2);
	svg_line(out, (double[]){ from[0], y - 3 }, (double[]){ from[0], y + 3 }, SVG_INK, 1.2);
	svg_line(out, (double[]){ to[0], y - 3 }, (double[]){ to[0], y + 3 }, SVG_INK, 1.2);
}

static bool interval_of(const struct svg *svg, const struct sl_compared *compared, const char *name,
	uint32_t run, double ends[2])
{
	int64_t base;
	const struct sl_difference *found = export_difference(compared, name, run);
	if (!found || found->low > found->high || !export_compared(svg->reported, compared, 0, name, &base))
		return false;
	ends[0] = (double)(base + found->low);
	ends[1] = (double)(base + found->high);
	return true;
}

static void draw_bar(const struct svg *svg, struct sl_out *out, const struct sl_compared *compared,
	const struct svg_panel *panel, const struct sl_metric_info *metric_info, uint32_t run)
{
	int64_t micro;
	char text[48];
	double ends[2] = { 0, 0 };
	const double y = panel->y + BAR * run;
	const struct svg_text label = { .x = panel->x - 7,
		.y = y + 10.5,
		.size = 10.5,
		.anchor = "end",
		.fill = SVG_INK,
		.most = svg->bare ? 0 : 17 };
	svg_text(out, &label, svg->reported[run].label);
	if (!export_compared(svg->reported, compared, run, metric_info->name, &micro))
		return;
	const double value = micro > 0 ? (double)micro : 0;
	svg_rect(out, (double[]){ panel->x, y + 2 }, (double[]){ svg_x(panel, value) - panel->x, BAR - 6 },
		panel->colours[run % SVG_COLOURS]);
	sl_out_text(out, "/>\n");
	double right = svg_x(panel, value);
	if (interval_of(svg, compared, metric_info->name, run, ends)) {
		draw_whisker(out, panel, ends, y + BAR / 2.0 - 1);
		right = fmax(right, svg_x(panel, ends[1]));
	}
	export_number(text, micro, metric_info->unit, false);
	const struct svg_text number = {
		.x = right + 6, .y = y + 10.5, .size = 10.5, .anchor = "start", .fill = SVG_INK
	};
	svg_text(out, &number, text);
}

void svg_comparison_draw(
	const struct svg *svg, const struct sl_compared *compared, struct sl_out *out, struct svg_panel area)
{
	const double band =
		area.height / (double)(compared->metric_info_count ? compared->metric_info_count : 1);
	for (size_t i = 0; i < compared->metric_info_count; i++) {
		const struct sl_metric_info *metric_info = &compared->metric_info[i];
		struct svg_panel panel = area;
		char title[160];
		const char *unit = export_unit(metric_info->unit);
		const double more = svg->bare ? svg_label_width(svg, 10.5) + 14 - panel.x : 40;
		panel.x += more;
		panel.width -= more + 70;
		panel.width = panel.width > 40 ? panel.width : 40;
		panel.y = area.y + band * (double)i + 20;
		panel.x_least = 0;
		panel.x_most = 1;
		for (uint32_t run = 0; run < svg->runs; run++) {
			int64_t micro;
			double ends[2];
			if (export_compared(svg->reported, compared, run, metric_info->name, &micro))
				panel.x_most = fmax(panel.x_most, (double)micro);
			if (interval_of(svg, compared, metric_info->name, run, ends))
				panel.x_most = fmax(panel.x_most, ends[1]);
		}
		(void)snprintf(title, sizeof(title), "%s%s%s%s%s", metric_info->heading, unit[0] ? " (" : "",
			unit, unit[0] ? ")" : "",
			metric_info->better < 0   ? ", less is better"
			: metric_info->better > 0 ? ", more is better"
						  : "");
		const struct svg_text heading = { .x = svg->bare ? 4 : panel.x,
			.y = panel.y - 5,
			.size = 11.5,
			.anchor = "start",
			.fill = SVG_INK,
			.most = 100,
			.bold = true };
		svg_text(out, &heading, title);
		for (uint32_t run = 0; run < svg->runs; run++)
			draw_bar(svg, out, compared, &panel, metric_info, run);
		svg_line(out, (double[]){ panel.x, panel.y },
			(double[]){ panel.x, panel.y + BAR * svg->runs }, SVG_FAINT, 1);
	}
}
