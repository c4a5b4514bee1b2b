/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg_draw.c - numbers, text, lines and axes of SVG.
 */
#include "reports/export/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Okabe and Ito 2008: told apart by those who do not see all colours. Yellow, which paper does not show, is
 * grey. */
const char *const svg_colour[SVG_COLOURS] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
	"#56b4e9", "#7a5195", "#6b6b6b" };
const char *const svg_page_colour[SVG_COLOURS] = { "#0067a5", "#c85200", "#007f5f", "#a0468a", "#8a6a00",
	"#4b5563", "#2f8fc4", "#80431f" };
const char *const svg_dash[SVG_COLOURS] = { "", "6 3", "2 2", "8 3 2 3", "4 2 1 2 1 2", "12 4", "1 3",
	"3 5" };
const char *const svg_shade[SVG_SHADES] = { "#eaf1f8", "#d3e2f0", "#bad1e7", "#9dbfdc", "#7eaad0", "#6094c3",
	"#457db4", "#2e66a3", "#1b4f8c", "#0b3873" };

void svg_number(struct sl_out *out, double value)
{
	const double bound = 1e9;
	const double kept = value > bound ? bound : value < -bound ? -bound : value;
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 40), (int64_t)floor(kept * 100 + 0.5) * 10000));
}

void svg_at(struct sl_out *out, const char *name, double value)
{
	sl_out_printf(out, " %s=\"", name);
	svg_number(out, value);
	sl_out_text(out, "\"");
}

void svg_escape(struct sl_out *out, const char *text)
{
	char inert[SL_INERT_SIZE] = "";
	for (const char *p = inert; *p || *text; p++) {
		if (!*p) { /* The next character, of which these are the bytes. */
			(void)sl_inert(&text, inert);
			p = inert;
		}
		const char *instead = *p == '<'    ? "&lt;"
				      : *p == '>'  ? "&gt;"
				      : *p == '&'  ? "&amp;"
				      : *p == '"'  ? "&quot;"
				      : *p == '\'' ? "&#39;"
						   : NULL;
		char *space = sl_out_reserve(out, 1);
		*space = *p;
		if (instead)
			sl_out_text(out, instead);
		else
			sl_out_advance(out, space + 1);
	}
}

void svg_text(struct sl_out *out, const struct svg_text *how, const char *text)
{
	char *cut = how->most ? export_clean(text, how->most) : NULL;
	sl_out_text(out, "<text");
	svg_at(out, "x", how->x);
	svg_at(out, "y", how->y);
	svg_at(out, "font-size", how->size);
	sl_out_printf(out, " text-anchor=\"%s\" fill=\"%s\"%s>", how->anchor, how->fill,
		how->bold ? " font-weight=\"bold\"" : "");
	if (cut && strcmp(cut, text) != 0) {
		sl_out_text(out, "<title>");
		svg_escape(out, text);
		sl_out_text(out, "</title>");
	}
	svg_escape(out, cut ? cut : text);
	sl_out_text(out, "</text>\n");
	free(cut);
}

void svg_line(struct sl_out *out, const double from[2], const double to[2], const char *stroke, double width)
{
	sl_out_text(out, "<line");
	svg_at(out, "x1", from[0]);
	svg_at(out, "y1", from[1]);
	svg_at(out, "x2", to[0]);
	svg_at(out, "y2", to[1]);
	sl_out_printf(out, " stroke=\"%s\"", stroke);
	svg_at(out, "stroke-width", width);
	sl_out_text(out, "/>\n");
}

void svg_rect(struct sl_out *out, const double at[2], const double size[2], const char *fill)
{
	sl_out_text(out, "<rect");
	svg_at(out, "x", at[0]);
	svg_at(out, "y", at[1]);
	svg_at(out, "width", size[0]);
	svg_at(out, "height", size[1]);
	sl_out_printf(out, " fill=\"%s\"", fill);
}

/* ---- Axes --------------------------------------------------------------------------------- */

double svg_step(double range, unsigned most)
{
	static const double of[] = { 1, 2, 5 };
	if (!(range > 0) || range > 1e15)
		return 1;
	double power = 1e-6;
	size_t i = 0;
	while (of[i] * power * most < range) {
		if (++i < SL_LEN(of))
			continue;
		i = 0;
		power *= 10;
	}
	return of[i] * power;
}

void svg_frame(struct sl_out *out, const struct svg_panel *panel, const char *title)
{
	const struct svg_text heading = { .x = panel->bare ? 4 : panel->x,
		.y = panel->y - 7,
		.size = panel->bare ? 10.5 : 12,
		.anchor = "start",
		.fill = SVG_INK,
		.most = panel->bare ? 0 : 110,
		.bold = !panel->bare };
	svg_text(out, &heading, title);
	svg_line(out, (double[]){ panel->x, panel->y + panel->height },
		(double[]){ panel->x + panel->width, panel->y + panel->height }, SVG_FAINT, 1);
}

/* A tick's number: shortest, with its unit. */
static void tick_text(char *text, double value, const char *unit)
{
	char *p = sl_put_micro(text, (int64_t)floor(value * 1e6 + 0.5));
	const size_t length = strlen(unit);
	memcpy(p, unit, length + 1);
}

void svg_axis_values(struct sl_out *out, const struct svg_panel *panel, const char *unit)
{
	const unsigned most = panel->height < 90 ? 3 : 5;
	const double step = svg_step(panel->y_most - panel->y_least, most);
	for (unsigned i = 0; i <= 2 * most; i++) {
		const double value = panel->y_least + step * i;
		if (value > panel->y_most + step / 1000)
			break;
		const double y = svg_y(panel, value);
		char text[64];
		tick_text(text, value, unit);
		if (i)
			svg_line(out, (double[]){ panel->x, y }, (double[]){ panel->x + panel->width, y },
				SVG_GRID, 0.6);
		svg_text(out,
			&(struct svg_text){ .x = panel->x - 7,
				.y = y + 3.6,
				.size = 10.5,
				.anchor = "end",
				.fill = SVG_FAINT },
			text);
	}
}

/* In seconds; the labels say as much of a time as the step needs. */
static const double steps_of_time[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800,
	21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 5184000, 7776000, 15552000, 31536000, 63072000,
	157680000 };

static double step_of_time(double range, unsigned most)
{
	for (size_t i = 0; i < SL_LEN(steps_of_time); i++)
		if (steps_of_time[i] * most >= range)
			return steps_of_time[i];
	return svg_step(range, most);
}

static void date_text(char text[64], double seconds, double step)
{
	const time_t time = (time_t)seconds;
	struct tm tm;
	if (!gmtime_r(&time, &tm)) {
		text[0] = '\0';
		return;
	}
	(void)strftime(text, 64, step >= 86400 ? "%Y-%m-%d" : step >= 60 ? "%m-%d %H:%M" : "%H:%M:%S", &tm);
}

static void range_text(char text[64], double seconds, double step)
{
	const double unit = step >= 86400 ? 86400 : step >= 3600 ? 3600 : step >= 60 ? 60 : 1;
	tick_text(text, seconds / unit,
		step >= 86400  ? " d"
		: step >= 3600 ? " h"
		: step >= 60   ? " min"
			       : " s");
}

void svg_axis_time(struct sl_out *out, const struct svg_panel *panel, int64_t epoch)
{
	const double shift = (double)epoch;
	unsigned most = (unsigned)(panel->width / (panel->bare ? 55 : 90));
	most = most < 2 ? 2 : most;
	const double step = step_of_time(panel->x_most - panel->x_least, most);
	const double first = ceil((panel->x_least + shift) / step) * step - shift;
	for (unsigned i = 0; i <= most + 1; i++) {
		const double value = first + i * step;
		if (value > panel->x_most)
			break;
		const double x = svg_x(panel, value);
		const double bottom = panel->y + panel->height;
		char text[64];
		if (epoch)
			date_text(text, value + shift, step);
		else
			range_text(text, value, step);
		svg_line(out, (double[]){ x, bottom }, (double[]){ x, bottom + 4 }, SVG_FAINT, 1);
		svg_text(out,
			&(struct svg_text){ .x = x,
				.y = bottom + 16,
				.size = 10.5,
				.anchor = "middle",
				.fill = SVG_FAINT },
			text);
	}
}
