/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg_shares.c - areas over time that stand on each other, a panel a run: who used which share of the cpus;
 * by how many hours whose jobs started later than fair.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/export/svg.h"

static double used_in_all(const struct svg_run *run, uint32_t group)
{
	double sum = 0;
	for (unsigned j = 0; j < SVG_BINS; j++)
		sum += run->used[group * SVG_BINS + j];
	return sum;
}

/* A user's sum over all runs. */
static double user_in_all(const struct svg *svg, const char *name)
{
	double sum = 0;
	for (uint32_t i = 0; i < svg->runs; i++)
		for (uint32_t g = 0; g + svg->run[i].others < svg->run[i].groups; g++)
			if (strcmp(svg->run[i].group[g], name) == 0)
				sum += used_in_all(&svg->run[i], g);
	return sum;
}

/* It stands in an earlier run, or earlier in this one. */
static bool is_named_before(const struct svg *svg, uint32_t run, uint32_t group)
{
	const char *name = svg->run[run].group[group];
	for (uint32_t i = 0; i <= run; i++)
		for (uint32_t g = 0; g + svg->run[i].others < svg->run[i].groups && (i < run || g < group);
			g++)
			if (strcmp(svg->run[i].group[g], name) == 0)
				return true;
	return false;
}

/* Of unfairness a user has one colour in all runs: those that missed most in sum have one, all others are
 * grey together. Of shares a group's place is its colour. */
static unsigned colour_of(const struct svg *svg, uint32_t run, uint32_t group)
{
	const struct svg_run *of = &svg->run[run];
	if (svg->kind != SVG_UNFAIRNESS)
		return group % SVG_COLOURS;
	if (group + of->others >= of->groups)
		return SVG_COLOURS - 1;
	const char *name = of->group[group];
	const double sum = user_in_all(svg, name);
	unsigned above = 0;
	for (uint32_t i = 0; i < svg->runs; i++)
		for (uint32_t g = 0; g + svg->run[i].others < svg->run[i].groups; g++) {
			const char *other = svg->run[i].group[g];
			const double more = user_in_all(svg, other);
			above += !is_named_before(svg, i, g) &&
				 (more > sum || (more == sum && strcmp(other, name) < 0));
		}
	return above < SVG_COLOURS - 1 ? above : SVG_COLOURS - 1;
}

static void draw_area(const struct svg *svg, struct sl_out *out, const struct svg_panel *panel,
	uint32_t number, uint32_t group)
{
	const struct svg_run *run = &svg->run[number];
	const double width = (run->last - run->first) / SVG_BINS;
	double base[SVG_BINS] = { 0 };
	for (uint32_t i = 0; i < group; i++)
		for (unsigned j = 0; j < SVG_BINS; j++)
			base[j] += run->used[i * SVG_BINS + j];
	sl_out_printf(out, "<path fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.4\" d=\"",
		svg_colour[colour_of(svg, number, group)]);
	svg_put_to(out, "M", svg_x(panel, run->first));
	svg_put_to(out, " ", svg_y(panel, base[0]));
	for (unsigned j = 0; j < SVG_BINS; j++) {
		svg_put_to(out, "V", svg_y(panel, base[j] + run->used[group * SVG_BINS + j]));
		svg_put_to(out, "H", svg_x(panel, run->first + (j + 1) * width));
	}
	for (unsigned j = SVG_BINS; j--;) {
		svg_put_to(out, "V", svg_y(panel, base[j]));
		svg_put_to(out, "H", svg_x(panel, run->first + j * width));
	}
	sl_out_text(out, "Z\"><title>");
	svg_escape(out, run->group[group]);
	sl_out_text(out, "</title></path>\n");
}

/* Of those that are grey together none is named. */
static bool is_in_legend(const struct svg *svg, uint32_t run, uint32_t group)
{
	const struct svg_run *of = &svg->run[run];
	return svg->kind != SVG_UNFAIRNESS || group + of->others >= of->groups ||
	       colour_of(svg, run, group) < SVG_COLOURS - 1;
}

static void group_legend(
	const struct svg *svg, struct sl_out *out, const struct svg_panel *panel, uint32_t number)
{
	const struct svg_run *run = &svg->run[number];
	for (uint32_t i = 0; i < run->groups; i++) {
		if (!is_in_legend(svg, number, i))
			continue;
		const double y = panel->y + 12 + 14.0 * i;
		const double x = panel->x + panel->width + 12;
		svg_rect(out, (double[]){ x, y - 8 }, (double[]){ 9, 9 },
			svg_colour[colour_of(svg, number, i)]);
		sl_out_text(out, "/>\n");
		const struct svg_text name = { .x = x + 14,
			.y = y,
			.size = 10,
			.anchor = "start",
			.fill = SVG_INK,
			.most = *run->entitlement_rule ? 11 : 17 };
		svg_text(out, &name, run->group[i]);
		if (!(run->entitlement[i] >= 0))
			continue;
		char share[32];
		(void)snprintf(share, sizeof(share), "%.1f %%", 100 * run->entitlement[i]);
		const struct svg_text entitlement = {
			.x = x + 106, .y = y, .size = 9.5, .anchor = "end", .fill = SVG_FAINT
		};
		svg_text(out, &entitlement, share);
	}
}

/* Below the axis, in a narrow picture: as many rows as it takes. */
static void group_legend_below(
	const struct svg *svg, struct sl_out *out, const struct svg_panel *panel, uint32_t number)
{
	const struct svg_run *run = &svg->run[number];
	double x = 4;
	double y = panel->y + panel->height + 33;
	for (uint32_t i = 0; i < run->groups; i++) {
		const double width = 26 + 6 * (double)strlen(run->group[i]);
		if (!is_in_legend(svg, number, i))
			continue;
		if (x > 4 && x + width > svg->width) {
			x = 4;
			y += 14;
		}
		svg_rect(out, (double[]){ x, y - 8 }, (double[]){ 9, 9 },
			svg_colour[colour_of(svg, number, i)]);
		sl_out_text(out, "/>\n");
		const struct svg_text name = {
			.x = x + 14, .y = y, .size = 10, .anchor = "start", .fill = SVG_INK
		};
		svg_text(out, &name, run->group[i]);
		x += width;
	}
}

/* The highest that a run's areas stand on each other. */
static double areas_most(const struct svg_run *run)
{
	double most = 0;
	for (unsigned j = 0; j < SVG_BINS; j++) {
		double sum = 0;
		for (uint32_t g = 0; g < run->groups; g++)
			sum += run->used[g * SVG_BINS + j];
		most = fmax(most, sum);
	}
	return most;
}

void svg_shares_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area)
{
	const bool unfair = svg->kind == SVG_UNFAIRNESS;
	svg_time_range(svg, &area);
	area.width -= svg->bare ? 0 : 118;
	for (uint32_t i = 0; i < svg->runs; i++) {
		const struct svg_run *run = &svg->run[i];
		struct svg_panel panel = svg_panel_of(&area, i, svg->runs);
		char title[160];
		char of[64];
		/* A policy's hours may be a thousandfold another's: each has its own scale. */
		const double most = unfair ? areas_most(run) : 100;
		const double step = svg_step(most, 3);
		panel.y_most = most > 0 ? ceil(most / step) * step : 1;
		panel.height -= svg->bare ? 30 : 0;
		(void)snprintf(of, sizeof(of),
			unfair ? "hours started late, by %s" : "share of cpus in use, by %s",
			run->grouped_by);
		svg_run_title(svg, title, i, of);
		svg_frame(out, &panel, title);
		svg_axis_values(out, &panel, unfair ? " h" : " %");
		svg_axis_time(out, &panel, run->epoch);
		for (uint32_t j = 0; j < run->groups; j++)
			draw_area(svg, out, &panel, i, j);
		if (*run->entitlement_rule)
			svg_caption(out, &panel, "beside a name: what it is entitled to");
		if (unfair && !run->groups)
			svg_caption(out, &panel, "nobody, or nobody looked (replay.metrics=field)");
		if (svg->bare)
			group_legend_below(svg, out, &panel, i);
		else
			group_legend(svg, out, &panel, i);
	}
}
