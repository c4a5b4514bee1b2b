/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_draw.c - the screen: clock, Gantt strip, queue, nodes, what happened last.
 *
 *   easy  12 s  instant 6 of 11                       cpus 5 of 8 busy  4 run, 3 wait
 *   J1  |=========|----------        |
 *   ...
 *   queue                                             nodes
 *   ...
 *   what happened
 */
#include <inttypes.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

#define TEXT(stepper, ...) report_text(&(stepper)->explain, __VA_ARGS__)

/* Where each part stands. */
struct layout {
	int gantt, gantt_rows;
	int queue, queue_rows, queue_columns;
	struct area nodes;
	int events, event_rows;
};

enum { SIDE_BY_SIDE = 100, WIDE = 76 }; /* Columns from which on nodes stand beside the queue; all fits. */

/* Below the title: a third for the strip, a quarter for what happened; the last row is free. */
static struct layout lay_out(const struct canvas *canvas)
{
	const int rows = canvas->rows - 2;
	struct layout layout = { .gantt = 1 };
	layout.event_rows = rows / 4 < 4 ? 4 : rows / 4;
	layout.gantt_rows = rows / 3 < 5 ? 5 : rows / 3;
	const int left = rows - layout.event_rows - layout.gantt_rows;
	const bool beside = canvas->columns >= SIDE_BY_SIDE;
	layout.queue = layout.gantt + layout.gantt_rows;
	layout.queue_columns = beside ? canvas->columns * 62 / 100 : canvas->columns;
	layout.nodes.rows = beside ? left : left / 3 < 2 ? 2 : left / 3;
	layout.queue_rows = beside ? left : left - layout.nodes.rows;
	layout.nodes.row = beside ? layout.queue : layout.queue + layout.queue_rows;
	layout.nodes.column = beside ? layout.queue_columns + 2 : 0;
	layout.nodes.columns = canvas->columns - layout.nodes.column;
	layout.events = layout.queue + left;
	return layout;
}

/* ---- Title ------------------------------------------------------------------------------------------- */

static void draw_title(const struct stepper *stepper, const struct picture *picture, struct canvas *canvas)
{
	const struct view *view = &stepper->explain.view;
	char busy[48];
	char of[48];
	const int64_t gpus = view->cluster->gpus;
	const char *part = stepper->displayed
				   ? TEXT(stepper, ", %" PRIu32 " of %" PRIu32 " shown", stepper->displayed,
					     stepper->instant[stepper->at].count)
				   : "";
	const char *left = TEXT(stepper, " %s  %s  (%zu of %zu%s)",
		time_text(&stepper->explain, stepper->now), policy_words(stepper, interval_now(stepper)),
		stepper->at + (stepper->displayed > 0), stepper->instant_count, part);
	const char *gpus_text =
		gpus ? TEXT(stepper, "GPUs %s/%s  ",
			       parts_text(busy, gpus - picture->gpus_free, view->cluster->gpu_parts),
			       parts_text(of, gpus, view->cluster->gpu_parts))
		     : "";
	/* Of the two the scarcer one, where the screen is narrow. */
	const char *cpus_text =
		gpus && canvas->columns < WIDE
			? ""
			: TEXT(stepper, "cpus %s/%s  ",
				  parts_text(busy, view->scenario->cpus - picture->cpus_free,
					  view->cluster->cpu_parts),
				  parts_text(of, view->scenario->cpus, view->cluster->cpu_parts));
	const char *right = TEXT(stepper, "%s%srun %zu  wait %zu ", gpus_text, cpus_text,
		picture->running_count + picture->starting, picture->waiting_count - picture->starting);
	canvas_row(canvas, 0, STYLE_BAR);
	const int column = canvas->columns - (int)strlen(right);
	(void)canvas_put(canvas, 0, 0, column - 1, STYLE_BAR, left);
	(void)canvas_put(canvas, 0, column, canvas->columns, STYLE_BAR, right);
}

/* ---- Queue --------------------------------------------------------------------------------------------- */

struct column {
	const char *heading;
	int width; /* 0: what is left. */
	bool right;
};
enum { OF_JOB, OF_ASKED, OF_LIMIT, OF_WAITED, OF_PLAN, OF_REASON, QUEUE_COLUMNS };
static const struct column wide[QUEUE_COLUMNS] = { { "job", 10, false }, { "asks", 18, false },
	{ "limit", 9, true }, { "waited", 9, true }, { "planned", 11, true }, { "reason", 0, false } };
static const struct column narrow[QUEUE_COLUMNS] = { { "job", 7, false }, { "asks", 16, false },
	{ "limit", 9, true }, { "waited", 9, true }, { "planned", 8, true }, { "reason", 0, false } };

static void draw_cells(struct canvas *canvas, int row, int columns, int style, const char *const *cell)
{
	const int gap = columns < WIDE ? 1 : 2;
	int at = 0;
	for (int i = 0; i < QUEUE_COLUMNS; i++) {
		const struct column *column = columns < WIDE ? &narrow[i] : &wide[i];
		const int width =
			column->width && at + column->width < columns ? column->width : columns - at;
		const int len = (int)strlen(cell[i]);
		const int pad = column->right && len < width ? width - len : 0;
		if (width <= 0)
			return;
		(void)canvas_put(canvas, row, at + pad, width - pad, style, cell[i]);
		at += width + gap;
	}
}

/* The plan of the moment; from now on where a time would be too long. Of the first, where its policy reported
 * none: when it would fit. */
static const char *plan_text(const struct stepper *stepper, const struct picture *picture, uint32_t job)
{
	const sl_time reported = planned_now(stepper, job);
	const bool planned = reported != SL_NONE && reported != SL_NEVER;
	const bool first = picture->waiting[0].job == job && !(picture->waiting[0].flags & FLAG_HELD);
	const sl_time plan = planned ? reported : first ? capacity_by_limits(stepper, picture, job) : SL_NONE;
	if (plan == SL_NONE)
		return "";
	const char *at = TEXT(stepper, "%s%s", planned ? "" : "~", time_text(&stepper->explain, plan));
	return (int)strlen(at) <= narrow[OF_PLAN].width
		       ? at
		       : TEXT(stepper, "%s+%s", planned ? "" : "~",
				 range_text(
					 &stepper->explain, plan > stepper->now ? plan - stepper->now : 0));
}

static void draw_job(struct stepper *stepper, const struct picture *picture, struct canvas *canvas, int row,
	int columns, const struct waiting *waiting)
{
	const uint32_t job = waiting->job;
	const sl_time limit = stepper->explain.view.jobs->limit[job];
	const bool starts = waiting->flags & FLAG_STARTS;
	const bool open = stepper->hide && stepper->asked;
	const enum sl_reason reason = reason_now(stepper, job);
	const char *why = starts                             ? "starts now"
			  : waiting->flags & FLAG_NEW        ? "new"
			  : waiting->flags & FLAG_BACK       ? "back"
			  : open || reason == SL_REASON_NONE ? ""
							     : sl_reason_name(reason);
	const char *cell[QUEUE_COLUMNS] = { job_words(stepper, job), brief_words(stepper, job),
		limit >= SL_TIME_MOST ? "none" : range_text(&stepper->explain, limit),
		range_text(&stepper->explain, stepper->now - waits_since(stepper, job)),
		open ? "" : plan_text(stepper, picture, job), why };
	draw_cells(canvas, row, columns, starts ? STYLE_BOLD : STYLE_PLAIN, cell);
}

static void draw_queue(struct stepper *stepper, const struct picture *picture, struct canvas *canvas,
	const struct layout *layout)
{
	const char *cell[QUEUE_COLUMNS];
	const size_t rows = layout->queue_rows > 1 ? (size_t)layout->queue_rows - 1 : 0;
	for (int i = 0; i < QUEUE_COLUMNS; i++)
		cell[i] = wide[i].heading;
	draw_cells(canvas, layout->queue, layout->queue_columns, STYLE_DIM, cell);
	if (stepper->scroll && stepper->scroll + rows > picture->waiting_count)
		stepper->scroll =
			picture->waiting_count > rows ? (uint32_t)(picture->waiting_count - rows) : 0;
	const size_t left = picture->waiting_count - stepper->scroll;
	for (size_t i = 0; i < rows && i < left; i++) {
		const int row = layout->queue + 1 + (int)i;
		if (i + 1 == rows && left > rows) {
			(void)canvas_put(canvas, row, 0, layout->queue_columns, STYLE_DIM,
				TEXT(stepper, "and %zu more", left - i));
			return;
		}
		draw_job(stepper, picture, canvas, row, layout->queue_columns,
			&picture->waiting[stepper->scroll + i]);
	}
	if (!picture->waiting_count)
		(void)canvas_put(
			canvas, layout->queue + 1, 0, layout->queue_columns, STYLE_DIM, "nobody waits");
}

/* ---- What happened ----------------------------------------------------------------------------------------
 */

/* Wrapped at blanks; further lines are set in. Returns the row below. */
static int put_wrapped(struct canvas *canvas, int row, int last, int indent, int style, const char *text)
{
	const int width = canvas->columns;
	while (*text && row < last) {
		int take = (int)strlen(text);
		const int capacity = width - indent;
		if (take > capacity) {
			take = capacity;
			while (take > capacity / 2 && text[take] != ' ')
				take--;
			if (text[take] != ' ')
				take = capacity;
		}
		(void)canvas_put(canvas, row++, indent, take, style, text);
		text += take;
		while (*text == ' ')
			text++;
		indent = indent < 4 ? 4 : indent;
	}
	return row;
}

static int rows_of(const struct canvas *canvas, const char *text)
{
	const int len = (int)strlen(text);
	return 1 + len / (canvas->columns > 8 ? canvas->columns - 4 : 8);
}

/* The last events, each instant with its time, as many as there are lines for. */
static void draw_events(struct stepper *stepper, struct canvas *canvas, const struct layout *layout)
{
	enum { LINES = 64 };
	const char *line[LINES];
	int count = 0;
	int rows = 0;
	const int capacity = layout->event_rows;
	struct backwards at = step_latest(stepper);
	const struct happening *one;
	while (rows < capacity && count < LINES && (one = step_before(stepper, &at))) {
		if (stepper->hide && stepper->asked && one->what == HAPPENED_PLAN)
			continue;
		line[count] =
			TEXT(stepper, "%s  %s", time_text(&stepper->explain, stepper->instant[at.instant].at),
				happening_words(stepper, at.instant, at.number));
		rows += rows_of(canvas, line[count++]);
	}
	int row = layout->events;
	const int last = layout->events + capacity;
	while (count > 0) {
		const char *text = line[--count];
		if (rows > capacity) { /* The oldest does not fit as a whole. */
			rows -= rows_of(canvas, text);
			continue;
		}
		row = put_wrapped(canvas, row, last, 0, STYLE_PLAIN, text);
	}
	if (row == layout->events)
		(void)canvas_put(canvas, row, 0, canvas->columns, STYLE_DIM,
			"nothing has happened yet: n goes to the first event, h shows all keys");
}

/* Over what stands below the strip. */
static void draw_reported(
	struct canvas *canvas, const struct layout *layout, const struct report_lines *reported)
{
	int row = layout->queue;
	for (int i = row; i < canvas->rows - 1; i++)
		for (int column = 0; column < canvas->columns; column++)
			canvas_glyph(canvas, i, column, STYLE_PLAIN, ' ');
	for (size_t i = 0; i < reported->count; i++)
		row = put_wrapped(
			canvas, row, canvas->rows - 1, 0, i ? STYLE_PLAIN : STYLE_BOLD, reported->line[i]);
}

int step_draw(struct stepper *stepper, struct canvas *canvas, const struct report_lines *reported,
	struct sl_err *err)
{
	struct picture picture;
	const struct layout layout = lay_out(canvas);
	const int status = picture_take(stepper, &picture, err);
	if (status)
		return status;
	draw_title(stepper, &picture, canvas);
	gantt_draw(stepper, &picture, canvas, layout.gantt, layout.gantt_rows);
	if (reported && reported->count) {
		draw_reported(canvas, &layout, reported);
		return SL_OK;
	}
	draw_queue(stepper, &picture, canvas, &layout);
	nodes_draw(stepper, &picture, canvas, &layout.nodes);
	draw_events(stepper, canvas, &layout);
	return SL_OK;
}
