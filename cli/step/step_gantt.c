/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_gantt.c - the strip of the screen: jobs, nodes or cpus against time; what was, now, and what is
 * planned.
 *
 *   J1  |=========|------------          |    ran, and may run on to its limit
 *   J4  |     ....|            ~~~~~~~~  |    waited, and is planned
 *
 * A column is an interval of time, a whole number of a round unit. What is to come is known by limits and
 * plans alone: when a job will end by itself is not shown before it has.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

#define TEXT(stepper, ...) report_text(&(stepper)->explain, __VA_ARGS__)

enum { LABEL = 9, LANES_MAX = 64, LANE_STEPS_MAX = 200000 };

struct strip {
	const struct stepper *stepper;
	const struct picture *picture;
	struct canvas *canvas;
	int row, rows, columns; /* Without the row of times, and the labels. */
	sl_time from, unit;     /* Of the first column; of one. */
};

/* ---- Time ------------------------------------------------------------------------------------------- */

/* The least round unit that is not below. */
static sl_time round_unit(sl_time least)
{
	static const int64_t unit_s[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
		14400, 21600, 43200, 86400 };
	for (size_t i = 0; i < SL_LEN(unit_s); i++)
		if (unit_s[i] * SL_SECOND >= least)
			return unit_s[i] * SL_SECOND;
	const sl_time day = 86400 * SL_SECOND;
	return (least + day - 1) / day * day;
}

static sl_time started_at(const struct stepper *stepper, uint32_t job)
{
	return sim_state(&stepper->sim)->start[job];
}

static bool plans_are_displayed(const struct stepper *stepper) { return !(stepper->hide && stepper->asked); }

static sl_time plan_of(const struct stepper *stepper, uint32_t job)
{
	const sl_time plan = plans_are_displayed(stepper) ? planned_now(stepper, job) : SL_NONE;
	return plan == SL_NEVER ? SL_NONE : plan;
}

static sl_time most(sl_time a, sl_time b) { return a > b ? a : b; }

/* Lengths of time to be shown. */
enum { LENGTHS_MAX = 128, LOOKED = 64 };
struct lengths {
	sl_time length[LENGTHS_MAX];
	size_t count;
};

static void add_length(struct lengths *all, sl_time length)
{
	const sl_time year = SL_SECOND * 366 * 86400;
	if (length > 0 && length < year && all->count < LENGTHS_MAX)
		all->length[all->count++] = length;
}

static int compare_lengths(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

/* Three of four are no longer: one alone does not press all others together. */
static sl_time length_of_most(struct lengths *all)
{
	qsort(all->length, all->count, sizeof(*all->length), compare_lengths);
	return most(10 * SL_SECOND, all->count ? all->length[(all->count * 3 + 3) / 4 - 1] : 0);
}

/* So that the limits of what runs, and what is planned, are in sight; zoomed in, less. */
static void set_scale(struct strip *strip)
{
	const struct stepper *stepper = strip->stepper;
	const sl_time now = stepper->now;
	struct lengths pasts = { .count = 0 };
	struct lengths futures = { .count = 0 };
	const size_t running = strip->picture->running_count;
	for (size_t i = running > LOOKED ? running - LOOKED : 0; i < running; i++) {
		const uint32_t job = strip->picture->running[i];
		add_length(&pasts, now - started_at(stepper, job));
		add_length(&futures, limit_end(stepper, job, started_at(stepper, job)) - now);
	}
	if (!running && stepper->at) /* As far as what happened last. */
		add_length(&pasts,
			now - stepper->instant[stepper->at > LOOKED / 4 ? stepper->at - LOOKED / 4 : 0].at);
	for (size_t i = 0; i < strip->picture->waiting_count && i < LOOKED; i++) {
		const uint32_t job = strip->picture->waiting[i].job;
		const bool starts = strip->picture->waiting[i].flags & FLAG_STARTS;
		const sl_time plan = starts ? now : plan_of(stepper, job);
		if (plan != SL_NONE)
			add_length(&futures, limit_end(stepper, job, plan) - now);
	}
	sl_time before = length_of_most(&pasts);
	const sl_time after = length_of_most(&futures);
	const sl_time left = strip->columns * 2 / 5;
	const sl_time right = strip->columns - left;
	if (before > now - stepper->begin && now >= stepper->begin)
		before = now - stepper->begin;
	sl_time least = most(before / left + 1, after / right + 1);
	/* All of the history, where that needs no more columns. */
	if (now - stepper->begin + after <= least * strip->columns)
		least = (now - stepper->begin + after) / strip->columns + 1;
	strip->unit = round_unit(least >> (stepper->zoom < 30 ? stepper->zoom : 30));
	strip->from = now - left * strip->unit;
	if (strip->from < stepper->begin || now - stepper->begin < left * strip->unit)
		strip->from = stepper->begin;
	strip->from = strip->from >= 0 ? strip->from / strip->unit * strip->unit : strip->from;
}

static int step_gantt_column_of(const struct strip *strip, sl_time at)
{
	if (at < strip->from)
		return -1;
	const sl_time column = (at - strip->from) / strip->unit;
	return column < strip->columns ? (int)column : strip->columns;
}

/* ---- Bars -------------------------------------------------------------------------------------------- */

enum fill { FILL_WAITED, FILL_RAN, FILL_MAY_RUN, FILL_PLANNED, FILLS };
static const struct {
	uint32_t glyph, ascii;
	int style;
} fill[FILLS] = {
	[FILL_WAITED] = { 0x00b7, '.', STYLE_DIM },
	[FILL_RAN] = { 0x2588, '=', STYLE_BUSY },
	[FILL_MAY_RUN] = { 0x2500, '-', STYLE_BUSY },
	[FILL_PLANNED] = { 0x2592, '~', STYLE_PLAN },
};

/* [from, until): at least one column where it is in sight. A name is written into what is wide enough. */
static void draw_range(
	const struct strip *strip, int row, sl_time from, sl_time until, enum fill with, const char *name)
{
	const sl_time end = strip->from + strip->unit * strip->columns;
	if (until < strip->from || from >= end || until < from)
		return;
	const int first = from < strip->from ? 0 : step_gantt_column_of(strip, from);
	int last = until >= end ? strip->columns : step_gantt_column_of(strip, until + strip->unit - 1);
	last = last <= first ? first + 1 : last;
	for (int i = first; i < last && i < strip->columns; i++)
		canvas_glyph(strip->canvas, strip->row + row, LABEL + i, fill[with].style,
			strip->stepper->ascii ? fill[with].ascii : fill[with].glyph);
	if (name && (int)strlen(name) + 1 < last - first)
		(void)canvas_put(
			strip->canvas, strip->row + row, LABEL + first, last - first, STYLE_BOLD, name);
}

/* What ran from then on, until `end` (SL_NONE: it runs): to its limit, as far as that is to come. */
static void draw_ran(
	const struct strip *strip, int row, uint32_t job, sl_time start, sl_time end, const char *name)
{
	const sl_time now = strip->stepper->now;
	if (start > now || (start == now && strip->stepper->displayed)) /* Perhaps it is not shown yet. */
		return;
	if (end != SL_NONE && end <= now) {
		draw_range(strip, row, start, end, FILL_RAN, name);
		return;
	}
	const sl_time limit = limit_end(strip->stepper, job, start);
	if (limit > now)
		draw_range(strip, row, now, limit, FILL_MAY_RUN, NULL);
	if (start < now)
		draw_range(strip, row, start, now, FILL_RAN, name);
}

/* ---- Jobs -----------------------------------------------------------------------------------------------
 */

static bool runs_in(const struct picture *picture, uint32_t job)
{
	for (size_t i = picture->running_count; i-- > 0;)
		if (picture->running[i] == job)
			return true;
	return false;
}

/* An end that has been; SL_NONE: it runs on. */
static sl_time over_by(sl_time end, sl_time now) { return end <= now ? end : SL_NONE; }

static void draw_attempts(const struct strip *strip, int row, uint32_t job)
{
	const struct sl_result *result = strip->stepper->explain.view.result;
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	const sl_time now = strip->stepper->now;
	for (size_t i = 0; i < count; i++)
		draw_ran(strip, row, job, attempt[i].start, over_by(attempt[i].end, now), NULL);
	if (!count && result->start[job] != SL_NONE)
		draw_ran(strip, row, job, result->start[job], over_by(result->end[job], now), NULL);
}

static void draw_job_row(const struct strip *strip, int row, uint32_t job, bool waits, bool starts)
{
	const struct stepper *stepper = strip->stepper;
	const sl_time submit = submitted_at(stepper, job);
	const sl_time start = stepper->explain.view.result->start[job];
	const sl_time plan = starts ? stepper->now : waits ? plan_of(stepper, job) : SL_NONE;
	const sl_time waited = waits || start == SL_NONE || start > stepper->now ? stepper->now : start;
	(void)canvas_put(strip->canvas, strip->row + row, 0, LABEL - 1, STYLE_PLAIN, job_words(stepper, job));
	if (waited > submit)
		draw_range(strip, row, submit, waited, FILL_WAITED, NULL);
	if (!starts)
		draw_attempts(strip, row, job);
	if (plan != SL_NONE)
		draw_range(strip, row, plan, limit_end(stepper, job, plan),
			starts ? FILL_MAY_RUN : FILL_PLANNED, NULL);
}

/* Rows of who waits: those that start, and those next in line. */
static size_t rows_waiting(const struct strip *strip)
{
	const size_t rows = (size_t)strip->rows;
	const size_t waiting = strip->picture->waiting_count;
	const size_t running = strip->picture->running_count;
	if (waiting + running <= rows)
		return waiting;
	const size_t third = (rows + 1) / 3;
	if (running < rows - third)
		return rows - running;
	return waiting < third ? waiting : third;
}

/* Jobs that ended, the last first, while they are in sight. */
static size_t find_ended(const struct strip *strip, uint32_t *job, size_t capacity)
{
	const struct stepper *stepper = strip->stepper;
	struct backwards at = step_latest(stepper);
	const struct happening *one;
	size_t found = 0;
	while (found < capacity && (one = step_before(stepper, &at)) &&
		stepper->instant[at.instant].at > strip->from)
		if (is_over(one) && !runs_in(strip->picture, one->row))
			job[found++] = one->row;
	return found;
}

static void draw_jobs(const struct strip *strip)
{
	enum { ROWS_MAX = 200 };
	uint32_t ended[ROWS_MAX];
	const struct picture *picture = strip->picture;
	const size_t rows = strip->rows < ROWS_MAX ? (size_t)strip->rows : ROWS_MAX;
	const size_t waiting = rows_waiting(strip);
	const size_t running =
		picture->running_count < rows - waiting ? picture->running_count : rows - waiting;
	const size_t over = find_ended(strip, ended, rows - waiting - running);
	int row = 0;
	for (size_t i = over; i-- > 0;)
		draw_job_row(strip, row++, ended[i], false, false);
	for (size_t i = picture->running_count - running; i < picture->running_count; i++)
		draw_job_row(strip, row++, picture->running[i], false, false);
	/* Those that start first: they may stand far behind. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < picture->waiting_count && row < (int)(over + running + waiting); i++) {
			const bool starts = picture->waiting[i].flags & FLAG_STARTS;
			if (starts == (pass == 0))
				draw_job_row(strip, row++, picture->waiting[i].job, true, starts);
		}
}

/* ---- Nodes ------------------------------------------------------------------------------------------------
 */

static void draw_on_nodes(
	const struct strip *strip, uint32_t job, sl_time start, sl_time end, struct sl_allocation allocation)
{
	for (uint32_t i = 0; i < allocation.count; i++)
		if (allocation.alloc[i].node < (uint32_t)strip->rows)
			draw_ran(strip, (int)allocation.alloc[i].node, job, start, end,
				job_words(strip->stepper, job));
}

static void draw_node_ranges(const struct strip *strip, uint32_t job)
{
	const struct sl_result *result = strip->stepper->explain.view.result;
	const sl_time now = strip->stepper->now;
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	for (size_t i = 0; i < count; i++)
		draw_on_nodes(strip, job, attempt[i].start, over_by(attempt[i].end, now),
			sl_allocation_of(result, job, &attempt[i]));
	if (!count && result->start[job] != SL_NONE)
		draw_on_nodes(strip, job, result->start[job], over_by(result->end[job], now),
			sl_allocation_of(result, job, NULL));
}

static void draw_nodes(const struct strip *strip)
{
	enum { ENDED_MAX = 1000 };
	const struct sl_cluster *cluster = strip->stepper->explain.view.cluster;
	uint32_t ended[ENDED_MAX];
	const size_t over = find_ended(strip, ended, ENDED_MAX);
	for (uint32_t node = 0; node < cluster->node_count && node < (uint32_t)strip->rows; node++)
		(void)canvas_put(strip->canvas, strip->row + (int)node, 0, LABEL - 1, STYLE_PLAIN,
			cluster->node_name && cluster->node_name[node]
				? cluster->node_name[node]
				: TEXT(strip->stepper, "%" PRIu32, node));
	for (size_t i = over; i-- > 0;)
		draw_node_ranges(strip, ended[i]);
	for (size_t i = 0; i < strip->picture->running_count; i++)
		draw_node_ranges(strip, strip->picture->running[i]);
}

/* ---- The cpus of a small pool
 * -------------------------------------------------------------------------------- */

/* Nobody says which cpu: the lowest that are free, in the order of the starts. */
struct lanes_of_cpus {
	const struct strip *strip;
	uint32_t job[LANES_MAX]; /* UINT32_MAX: free. */
	sl_time since[LANES_MAX];
	int lanes, each; /* each: to a row. */
};

static void lanes_take_job(struct lanes_of_cpus *all, uint32_t job, sl_time at)
{
	int64_t left = job_cpus(all->strip->stepper, job);
	for (int i = 0; i < all->lanes && left > 0; i++) {
		if (all->job[i] != UINT32_MAX)
			continue;
		all->job[i] = job;
		all->since[i] = at;
		left--;
	}
}

/* end SL_NONE: it runs. */
static void lanes_draw_job(struct lanes_of_cpus *all, uint32_t job, sl_time end)
{
	for (int i = 0; i < all->lanes; i++) {
		if (all->job[i] != job)
			continue;
		if (i % all->each == 0 && (end == SL_NONE || end > all->strip->from))
			draw_ran(all->strip, i / all->each, job, all->since[i], end,
				job_words(all->strip->stepper, job));
		if (end != SL_NONE)
			all->job[i] = UINT32_MAX;
	}
}

static void lanes_happen(struct lanes_of_cpus *all, const struct happening *one, sl_time at)
{
	if (one->what == HAPPENED_START || one->what == HAPPENED_RESUME)
		lanes_take_job(all, one->row, at);
	else if (is_over(one) || one->what == HAPPENED_REQUEUED || one->what == HAPPENED_PREEMPT)
		lanes_draw_job(all, one->row, at);
}

static void draw_lanes(const struct strip *strip)
{
	const struct stepper *stepper = strip->stepper;
	struct lanes_of_cpus all = { .strip = strip, .lanes = (int)stepper->explain.view.scenario->cpus };
	all.each = (all.lanes + strip->rows - 1) / strip->rows;
	for (int i = 0; i < LANES_MAX; i++)
		all.job[i] = UINT32_MAX;
	for (size_t i = 0; i < stepper->at + (stepper->displayed > 0); i++) {
		const uint32_t displayed = i == stepper->at ? stepper->displayed : stepper->instant[i].count;
		for (uint32_t k = 0; k < displayed; k++)
			lanes_happen(&all, step_happening(stepper, i, k), stepper->instant[i].at);
	}
	for (int row = 0; row * all.each < all.lanes; row++)
		(void)canvas_put(strip->canvas, strip->row + row, 0, LABEL - 1, STYLE_PLAIN,
			TEXT(stepper, "cpu %d", row * all.each));
	for (int i = 0; i < all.lanes; i++)
		if (all.job[i] != UINT32_MAX && i % all.each == 0)
			draw_ran(strip, i / all.each, all.job[i], all.since[i], SL_NONE,
				job_words(stepper, all.job[i]));
}

/* ---- All of it
 * --------------------------------------------------------------------------------------------------- */

/* Where the strip begins and ends, and now. */
static void draw_times(const struct strip *strip)
{
	const struct stepper *stepper = strip->stepper;
	const int row = strip->row + strip->rows;
	const int now = step_gantt_column_of(strip, stepper->now);
	const char *from = time_text(&stepper->explain, strip->from);
	const char *end =
		TEXT(stepper, "%s", time_text(&stepper->explain, strip->from + strip->unit * strip->columns));
	const char *mark = TEXT(stepper, "^ %s", time_text(&stepper->explain, stepper->now));
	const int end_at = strip->columns - (int)strlen(end);
	const int width = (int)strlen(mark);
	if (now > (int)strlen(from) + 1)
		(void)canvas_put(strip->canvas, row, LABEL, strip->columns, STYLE_DIM, from);
	if (now + width + 2 < end_at)
		(void)canvas_put(strip->canvas, row, LABEL + end_at, strip->columns, STYLE_DIM, end);
	(void)canvas_put(strip->canvas, row, LABEL + now, strip->columns - now, STYLE_BOLD, mark);
	for (int i = 0; i < strip->rows; i++) {
		const size_t at =
			(size_t)(strip->row + i) * (size_t)strip->canvas->columns + (size_t)(LABEL + now);
		if (strip->canvas->glyph[at] == ' ')
			canvas_glyph(strip->canvas, strip->row + i, LABEL + now, STYLE_DIM,
				stepper->ascii ? '|' : 0x2502);
	}
}

void gantt_draw(const struct stepper *stepper, const struct picture *picture, struct canvas *canvas, int row,
	int rows)
{
	struct strip strip = { .stepper = stepper,
		.picture = picture,
		.canvas = canvas,
		.row = row,
		.rows = rows - 1,
		.columns = canvas->columns - LABEL };
	set_scale(&strip);
	if (stepper->by_node && picture->node_cpus)
		draw_nodes(&strip);
	else if (stepper->by_node && stepper->explain.view.scenario->cpus <= LANES_MAX &&
		 stepper->happening_count <= LANE_STEPS_MAX)
		draw_lanes(&strip);
	else
		draw_jobs(&strip);
	draw_times(&strip);
}
