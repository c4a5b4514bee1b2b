/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_curves.c - DIR/curves.svg: one metric over one factor, a line for each value of another, with
 * intervals as bars.
 *
 * SVG 1.1 without style sheet or script. Where the values of the axis are no numbers, places are equally far
 * apart. Where the largest value is more than 50 times the least, the other axis is logarithmic, and says so.
 */
#include <math.h>
#include <string.h>

#include "cli/sweep/sweep_found.h"

enum { WIDTH = 860, HEIGHT = 480, LEFT = 90, RIGHT = 210, TOP = 48, BOTTOM = 64, TICKS = 6 };

/* Okabe and Ito 2008: colours that colour-blind readers can distinguish, and dashes besides. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
	"#000000", "#999999" };
static const char *const dashes[] = { "none", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 3", "6 2 1 2" };

struct plot {
	const struct curves *curves;
	const struct found *found;
	struct sl_out *out;
	bool numbers, logarithmic;
	double x_least, x_most, y_least, y_most;
};

static double x_value(const struct plot *plot, size_t x)
{
	const struct factor *factor = &plot->found->sweep->spec.factor[plot->curves->x];
	int64_t micro;
	if (plot->numbers && sl_get_micro(factor->value[x], strlen(factor->value[x]), &micro))
		return (double)micro / 1e6;
	return (double)x;
}

static double x_at(const struct plot *plot, double value)
{
	const double range = plot->x_most - plot->x_least;
	return LEFT + (range > 0 ? (value - plot->x_least) / range : 0.5) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const struct plot *plot, double value)
{
	double least = plot->y_least;
	double most = plot->y_most;
	if (plot->logarithmic) {
		value = log10(value > least ? value : least);
		least = log10(least);
		most = log10(most);
	}
	return HEIGHT - BOTTOM -
	       (most > least ? (value - least) / (most - least) : 0.5) * (HEIGHT - TOP - BOTTOM);
}

static void measure(struct plot *plot)
{
	const struct curves *curves = plot->curves;
	const struct factor *factor = &plot->found->sweep->spec.factor[curves->x];
	int64_t micro;
	double least_above = HUGE_VAL;
	plot->numbers = true;
	for (size_t x = 0; x < curves->xs; x++)
		plot->numbers &= sl_get_micro(factor->value[x], strlen(factor->value[x]), &micro);
	plot->x_least = HUGE_VAL;
	plot->x_most = -HUGE_VAL;
	for (size_t x = 0; x < curves->xs; x++) {
		plot->x_least = fmin(plot->x_least, x_value(plot, x));
		plot->x_most = fmax(plot->x_most, x_value(plot, x));
	}
	for (size_t i = 0; i < curves->xs * curves->lines * curves->panels; i++) {
		const struct curve_place *place = &curves->place[i];
		if (!place->count)
			continue;
		plot->y_most = fmax(plot->y_most, place->has_interval ? place->interval.high : place->mean);
		if (place->mean > 0)
			least_above = fmin(least_above, place->mean);
		plot->y_least = fmin(plot->y_least, place->mean);
	}
	plot->logarithmic = plot->y_least >= 0 && plot->y_most > 50 * least_above && least_above > 0;
	if (plot->logarithmic)
		plot->y_least = pow(10, floor(log10(least_above)));
}

/* Text of ours and of the spec's, escaped. */
static void text(const struct plot *plot, double x, double y, const char *anchor, const char *words)
{
	sl_out_printf(
		plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"12\">", x, y, anchor);
	for (size_t i = 0; words[i]; i++) {
		const char one[2] = { words[i], '\0' };
		sl_out_text(plot->out, *one == '<'                    ? "&lt;"
				       : *one == '>'                  ? "&gt;"
				       : *one == '&'                  ? "&amp;"
				       : *one == '\n' || *one == '\t' ? " "
								      : one);
	}
	sl_out_text(plot->out, "</text>\n");
}

static void rule(
	const struct plot *plot, const double from[2], const double to[2], const char *stroke, double width)
{
	sl_out_printf(plot->out,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n",
		from[0], from[1], to[0], to[1], stroke, width);
}

static double step_of(double range)
{
	const double rough = range / TICKS;
	const double power = pow(10, floor(log10(rough)));
	const double part = rough / power;
	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void value_tick(const struct plot *plot, double value)
{
	char label[48];
	char *dot;
	const double y = y_at(plot, value);
	(void)snprintf(label, sizeof(label), "%.6f", value);
	for (dot = label + strlen(label) - 1; *dot == '0'; dot--)
		*dot = '\0';
	if (*dot == '.')
		*dot = '\0';
	rule(plot, (double[]){ LEFT, y }, (double[]){ WIDTH - RIGHT, y }, "#dcdfe4", 1);
	text(plot, LEFT - 8, y + 4, "end", label);
}

static void axes_draw(const struct plot *plot)
{
	const struct curves *curves = plot->curves;
	const struct factor *factor = &plot->found->sweep->spec.factor[curves->x];
	if (plot->logarithmic) {
		const int decades = (int)floor(log10(plot->y_most / plot->y_least) + 1e-9);
		for (int i = 0; i <= decades; i++)
			value_tick(plot, plot->y_least * pow(10, i));
	} else if (plot->y_most > plot->y_least) {
		const double step = step_of(plot->y_most - plot->y_least);
		const double first = ceil(plot->y_least / step);
		const int count = (int)(floor(plot->y_most / step) - first);
		for (int i = 0; i <= count && i < 100; i++)
			value_tick(plot, (first + i) * step);
	}
	rule(plot, (double[]){ LEFT, HEIGHT - BOTTOM }, (double[]){ WIDTH - RIGHT, HEIGHT - BOTTOM },
		"#1a1a1a", 1);
	const size_t each = (curves->xs + 11) / 12;
	for (size_t x = 0; x < curves->xs; x += each) {
		const double at = x_at(plot, x_value(plot, x));
		rule(plot, (double[]){ at, HEIGHT - BOTTOM }, (double[]){ at, HEIGHT - BOTTOM + 5 },
			"#1a1a1a", 1);
		text(plot, at, HEIGHT - BOTTOM + 20, "middle", factor->value[x]);
	}
	text(plot, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "middle", factor->name);
}

static void line_draw(const struct plot *plot, size_t line)
{
	const struct curves *curves = plot->curves;
	const char *colour = colours[line % SL_LEN(colours)];
	/* Beside each other, so that no interval hides another. */
	const double aside = 3 * ((double)line - (double)(curves->lines * curves->panels - 1) / 2);
	bool open = false;
	for (size_t x = 0; x < curves->xs; x++) {
		const struct curve_place *place = curve_at(curves, x, line);
		const double at = x_at(plot, x_value(plot, x)) + aside;
		if (!place->count)
			continue;
		if (!open)
			sl_out_printf(plot->out,
				"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" "
				"points=\"",
				colour, dashes[line % SL_LEN(dashes)]);
		open = true;
		sl_out_printf(plot->out, "%.1f,%.1f ", at, y_at(plot, place->mean));
	}
	if (open)
		sl_out_text(plot->out, "\"/>\n");
	for (size_t x = 0; x < curves->xs; x++) {
		const struct curve_place *place = curve_at(curves, x, line);
		const double at = x_at(plot, x_value(plot, x)) + aside;
		if (!place->count)
			continue;
		sl_out_printf(plot->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at,
			y_at(plot, place->mean), colour);
		if (place->has_interval)
			rule(plot, (double[]){ at, y_at(plot, fmax(place->interval.low, plot->y_least)) },
				(double[]){ at, y_at(plot, place->interval.high) }, colour, 1.5);
	}
}

/* "easy, log.swf" */
static void line_name(const struct plot *plot, size_t line, char name[200])
{
	const struct curves *curves = plot->curves;
	const struct sweep *sweep = plot->found->sweep;
	size_t used = (size_t)snprintf(
		name, 200, "%.60s", sweep->spec.factor[curves->by].value[line % curves->lines]);
	for (size_t i = 0; i < curves->apart_count && used < 200; i++)
		used += (size_t)snprintf(name + used, 200 - used, ", %.60s",
			curves_apart(curves, sweep, line / curves->lines, i));
}

static void legend_draw(const struct plot *plot)
{
	for (size_t line = 0; line < plot->curves->lines * plot->curves->panels && line < 20; line++) {
		const double y = TOP + 12 + 20.0 * (double)line;
		char whole[200];
		char name[32];
		line_name(plot, line, whole);
		(void)snprintf(name, sizeof(name), "%.24s%s", whole, strlen(whole) > 24 ? "..." : "");
		sl_out_printf(plot->out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
			"stroke-dasharray=\"%s\"/>\n",
			WIDTH - RIGHT + 14, y, WIDTH - RIGHT + 42, y, colours[line % SL_LEN(colours)],
			dashes[line % SL_LEN(dashes)]);
		text(plot, WIDTH - RIGHT + 48, y + 4, "start", name);
	}
}

int curves_draw(const struct curves *curves, const struct found *found, struct sl_err *err)
{
	char path[4096];
	char title[200];
	struct plot plot = { .curves = curves, .found = found };
	(void)snprintf(path, sizeof(path), "%s/curves.svg", found->sweep->dir);
	const int status = sl_out_open(&plot.out, path, err);
	if (status)
		return status;
	measure(&plot);
	sl_out_printf(plot.out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	(void)snprintf(title, sizeof(title), "%.80s%s%.80s%s",
		found->sweep->spec.name ? found->sweep->spec.name : "", found->sweep->spec.name ? ": " : "",
		curves->y, plot.logarithmic ? " (logarithmic)" : "");
	text(&plot, LEFT, 26, "start", title);
	axes_draw(&plot);
	for (size_t line = 0; line < curves->lines * curves->panels; line++)
		line_draw(&plot, line);
	legend_draw(&plot);
	sl_out_text(plot.out, "</svg>\n");
	return sl_out_commit(plot.out, err);
}
