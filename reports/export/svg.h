/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.h - charts as SVG: what every chart is drawn with, and what each keeps of a run.
 *
 * Colours are for paper, and told apart without colour by dashes and order. No style sheet and no script:
 * what reads SVG 1.1 shows it. Coordinates are rounded to hundredths of a pixel, so that the last bit of a
 * logarithm does not show.
 */
#ifndef REPORTS_EXPORT_SVG_H
#define REPORTS_EXPORT_SVG_H

#include "reports/export/export.h"

/* ---- Drawing ---------------------------------------------------------------------------- */

enum { SVG_COLOURS = 8, SVG_SHADES = 10 };
enum { SVG_LEFT = 78, SVG_RIGHT = 18 };
extern const char *const svg_colour[SVG_COLOURS];
extern const char *const svg_page_colour[SVG_COLOURS]; /* Those of the report page, in light. */
extern const char *const svg_dash[SVG_COLOURS];
extern const char *const svg_shade[SVG_SHADES]; /* From little to much. */
#define SVG_INK   "#1a1a1a"
#define SVG_FAINT "#5f6368"
#define SVG_GRID  "#dcdfe4"

/* Where a chart's panel lies, and what its axes mean. */
struct svg_panel {
	const char *const *colours; /* Of runs, SVG_COLOURS. */
	bool bare;                  /* As of struct svg: narrow, too. */
	bool alone;                 /* One line is drawn in it. */
	double x, y, width, height;
	double x_least, x_most, y_least, y_most;
};

void svg_number(struct sl_out *out, double value);
/* ` name="value"` */
void svg_at(struct sl_out *out, const char *name, double value);
/* Escaped; cleaned before. */
void svg_escape(struct sl_out *out, const char *text);
/* anchor: "start", "middle", "end". At most `most` characters, all of them as its title where it is cut; 0:
 * all. */
struct svg_text {
	double x, y, size;
	const char *anchor, *fill;
	size_t most;
	bool bold;
};
void svg_text(struct sl_out *out, const struct svg_text *how, const char *text);
void svg_line(struct sl_out *out, const double from[2], const double to[2], const char *stroke, double width);
/* Left open, for a title: closed by "/>" or "</rect>". */
void svg_rect(struct sl_out *out, const double at[2], const double size[2], const char *fill);

static inline double svg_x(const struct svg_panel *panel, double value)
{
	return panel->x + (value - panel->x_least) / (panel->x_most - panel->x_least) * panel->width;
}
static inline double svg_y(const struct svg_panel *panel, double value)
{
	return panel->y + panel->height -
	       (value - panel->y_least) / (panel->y_most - panel->y_least) * panel->height;
}

/* 1, 2 or 5 times a power of ten, so that at most so many steps cover the range. */
double svg_step(double range, unsigned most);
void svg_frame(struct sl_out *out, const struct svg_panel *panel, const char *title);
/* Ticks at the left with grid lines, from y_least to y_most. */
void svg_axis_values(struct sl_out *out, const struct svg_panel *panel, const char *unit);
/* Below: seconds since the trace's zero; with epoch as dates of its clock. */
void svg_axis_time(struct sl_out *out, const struct svg_panel *panel, int64_t epoch);

/* ---- What is kept of a run ----------------------------------------------------------------- */

enum { SVG_POINTS = 480, SVG_QUANTILES = 256, SVG_SHAPES = 20000, SVG_TITLES = 2000 };
enum { SVG_GRID_ROWS = 64, SVG_GRID_COLUMNS = 256, SVG_GROUPS = 8, SVG_BINS = 240, SVG_SERIES = 2 };
enum { SVG_ROW_NAMES = 9 };

struct svg_series {
	double *x, *y;
	size_t count;
	bool joined; /* Points are means over equal intervals. */
};

struct svg_box {
	double from, until, row, height; /* Seconds; rows. */
	uint32_t wait_class;
	char *id;
};

struct svg_range {
	double from, until; /* Seconds. */
	uint32_t row, height;
	const char *kind;
};

struct svg_run {
	double first, last; /* Seconds. */
	int64_t epoch;      /* Of the clock that is shown; 0: not known. */
	struct svg_series series[SVG_SERIES];
	double whole[SVG_SERIES]; /* 0: there is none of it. */
	/* Rows. */
	uint32_t rows;
	char *row_name[SVG_ROW_NAMES]; /* Of rows evenly apart. */
	struct svg_box *box;
	size_t boxes, bars; /* boxes < bars: too many to be drawn one by one. */
	size_t elsewhere;   /* Intervals whose nodes were not recorded. */
	uint32_t grid_rows;
	double *grid; /* Share of capacity in use, grid_rows by SVG_GRID_COLUMNS. */
	/* Groups: cpus in use, as a share of all, by bin; or the hours by which jobs missed their fair
	 * starts. */
	char *group[SVG_GROUPS + 1]; /* The last: others. */
	uint32_t groups;
	bool others;                        /* The last is of all that have no colour. */
	double *used;                       /* groups by SVG_BINS */
	double entitlement[SVG_GROUPS + 1]; /* Of each; negative: nobody said. */
	const char *grouped_by, *entitlement_rule;
	/* Windows, on the rows of their nodes. */
	struct svg_range *window;
	size_t windows;
};

enum svg_kind {
	SVG_UTILIZATION,
	SVG_QUEUE,
	SVG_WAIT_CDF,
	SVG_WAIT_SURVIVAL,
	SVG_SLOWDOWN_CDF,
	SVG_GANTT,
	SVG_HEAT,
	SVG_SHARES,
	SVG_UNFAIRNESS,
	SVG_COMPARISON,
	SVG_KINDS
};

struct svg {
	enum svg_kind kind;
	uint32_t width, height; /* height 0: as high as needed. */
	bool bare; /* Without a heading, as a figure of a paper, whose caption says what it is: labels stand
		      whole. */
	struct export_run *reported;
	struct svg_run *run;
	uint32_t runs;
};

int svg_keep_steps(
	struct svg_run *run, const struct sl_result *result, enum svg_kind kind, struct sl_err *err);
/* Points that are evenly apart on a logarithm of the share that waited longer. */
int svg_keep_survival(struct svg_run *run, const struct sl_result *result, struct sl_err *err);
int svg_keep_cdf(struct svg_run *run, const struct sl_result *result, enum svg_kind kind, struct sl_err *err);
int svg_keep_rows(struct svg_run *run, const struct sl_result *result, struct sl_err *err);
int svg_keep_shares(struct svg_run *run, const struct sl_document_run *reported, struct sl_err *err);
/* Users, by the fair starts that their jobs missed; nobody, where the run has none (replay.metrics=field). */
int svg_keep_unfairness(struct svg_run *run, const struct sl_result *result, struct sl_err *err);
void svg_let_go(struct svg_run *run);

/* How high the chart is without title, legend and caption, and the drawing of it in that room. */
/* So wide is a label at the most, in pixels: that of the widest letters of Helvetica's small ones. */
double svg_label_width(const struct svg *svg, double size);
/* Lines over time stand each in a panel of its own: in a narrow picture they would hide each other. */
static inline bool svg_multiples(const struct svg *svg) { return svg->bare && svg->runs > 1; }
double svg_lines_height(const struct svg *svg);
void svg_lines_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
/* svg_charts.c: from the earliest first to the latest last, so that runs lie under each other; the i-th of so
 * many panels, one under the other; a step of a path; a note at the right above a panel; "easy: who ran
 * where". */
void svg_time_range(const struct svg *svg, struct svg_panel *panel);
struct svg_panel svg_panel_of(const struct svg_panel *area, uint32_t i, uint32_t count);
void svg_put_to(struct sl_out *out, const char *command, double value);
void svg_caption(struct sl_out *out, const struct svg_panel *panel, const char *text);
void svg_run_title(const struct svg *svg, char title[160], uint32_t run, const char *of);
void svg_survival_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
void svg_cdf_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
void svg_gantt_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
void svg_heat_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
void svg_shares_draw(const struct svg *svg, struct sl_out *out, struct svg_panel area);
double svg_comparison_height(const struct svg *svg, const struct sl_compared *compared);
void svg_comparison_draw(
	const struct svg *svg, const struct sl_compared *compared, struct sl_out *out, struct svg_panel area);

/* Classes of waiting, by which bars of a Gantt chart are coloured. */
enum { SVG_WAITS = 5 };
extern const char *const svg_wait_name[SVG_WAITS];
extern const char *const svg_wait_colour[SVG_WAITS];

#endif
