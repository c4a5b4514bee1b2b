/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_drain_report.c - the best time to drain nodes, what is beside it in time, and the first moment.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/moment/view.h"
#include "cli/whatif/whatif_drain.h"

enum { BEST_DISPLAYED = 4 };

const char *const drain_metrics[DRAIN_METRICS] = { "wait.mean", "wait.p95" };
static const char *const way_text[DRAIN_WAYS] = { [DRAIN_WAIT] = "wait", [DRAIN_KILL] = "kill" };

struct order {
	const struct drain *drain;
	size_t *row; /* Of plans, the best first. */
	bool *shown;
};

static bool is_better(const struct drain_plan *a, const struct drain_plan *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->waited != b->waited)
		return a->waited < b->waited;
	if (a->at != b->at)
		return a->at < b->at;
	return a->way < b->way;
}

static int by_order(const void *a, const void *b, void *order)
{
	const struct drain_plan *plan = ((const struct order *)order)->drain->plan;
	const size_t x = *(const size_t *)a;
	const size_t y = *(const size_t *)b;
	return is_better(&plan[x], &plan[y]) ? -1 : x != y;
}

static int order_make(struct order *order, const struct drain *drain, struct sl_err *err)
{
	*order = (struct order){ .drain = drain };
	order->row = sl_alloc(drain->arena, drain->plan_count, sizeof(*order->row));
	order->shown = sl_alloc(drain->arena, drain->plan_count, sizeof(*order->shown));
	if (!order->row || !order->shown)
		return sl_fail_memory(err);
	for (size_t i = 0; i < drain->plan_count; i++)
		order->row[i] = i;
	qsort_r(order->row, drain->plan_count, sizeof(*order->row), by_order, order);
	return SL_OK;
}

/* The best few; both ways at the best moment and at its neighbours; both at the first. Plans are by moment,
 * then way. */
static void whatif_drain_report_choose(struct order *order)
{
	const size_t count = order->drain->plan_count;
	const size_t best = order->row[0] / DRAIN_WAYS * DRAIN_WAYS;
	for (size_t i = 0; i < count && i < BEST_DISPLAYED; i++)
		order->shown[order->row[i]] = true;
	for (size_t i = best >= DRAIN_WAYS ? best - DRAIN_WAYS : 0;
		i < count && i < best + (size_t)2 * DRAIN_WAYS; i++)
		order->shown[i] = true;
	for (size_t i = 0; i < DRAIN_WAYS; i++)
		order->shown[i] = true;
}

/* ---- For people ------------------------------------------------------------------------------------- */

/* A date where the trace has dates, else a duration since its zero. */
static void time_cell(struct screen_table *table, const struct scenario *scenario, sl_time at)
{
	char duration[32];
	if (scenario->dated && scenario->epoch) {
		const struct view view = { .scenario = scenario };
		struct cell date = { 0 };
		put_date(&date, &view, at);
		screen_cell(table, false, "%s", date.text ? date.text : "");
		cell_free(&date);
	} else {
		screen_cell(table, true, "%s", screen_duration(duration, at));
	}
}

static void hours_cell(struct screen_table *table, __int128 amount, int64_t parts, bool sign)
{
	char text[48];
	const int64_t micro = hours_of(amount, parts);
	screen_cell(table, true, "%s", sign ? screen_signed(text, micro, 1) : screen_number(text, micro, 1));
}

static void head_row(struct screen_table *table, const struct drain *drain)
{
	const char *unit = drain->gpus ? "GPU-h" : "cpu-h";
	screen_cell(table, false, " ");
	screen_cell(table, !drain->scenario->dated, "from");
	screen_cell(table, false, "jobs there");
	screen_cell(table, !drain->scenario->dated, "work begins");
	screen_cell(table, !drain->scenario->dated, "back");
	screen_cell(table, true, "ended");
	screen_cell(table, true, "lost %s", unit);
	screen_cell(table, true, "idle %s", unit);
	screen_cell(table, true, "waits h");
	screen_cell(table, true, "cost");
}

static void plan_row(
	struct screen_table *table, const struct drain *drain, const struct drain_plan *plan, bool best)
{
	screen_cell(table, false, best ? "*" : " ");
	time_cell(table, drain->scenario, plan->at);
	screen_cell(table, false, "%s", way_text[plan->way]);
	time_cell(table, drain->scenario, plan->free);
	time_cell(table, drain->scenario, plan->until);
	screen_cell(table, true, "%" PRIu32, plan->killed);
	hours_cell(table, plan->lost, drain->parts, false);
	hours_cell(table, plan->idle, drain->parts, false);
	hours_cell(table, plan->waited, 1, true);
	hours_cell(table, plan->cost, drain->parts, false);
}

static void print_heading(const struct drain *drain)
{
	char capacity[48];
	char within[32];
	char length[32];
	*sl_put_parts(capacity, drain->capacity, drain->parts) = '\0';
	printf("drain %s: %" PRIu32 " node%s, %s %s, within %s, for %s\n\n", drain->rows.hosts,
		drain->rows.count, drain->rows.count == 1 ? "" : "s", capacity, drain->gpus ? "GPUs" : "cpus",
		screen_duration(within, drain->within), screen_duration(length, drain->length));
}

static void print_notes(const struct drain *drain)
{
	char weight[40];
	*sl_put_micro(weight, drain->weight) = '\0';
	printf("\nwait: nothing new starts there, and work begins once the last job has left; kill: jobs there end at "
	       "once, and are queued again\n"
	       "lost: work to be done again; idle: what stands empty until work begins; waits: of all jobs, summed, "
	       "against the base\n"
	       "cost: lost and idle%s%s; %zu moment%s, each in both ways: %zu runs",
		drain->weight ? ", and hours of waiting times " : "", drain->weight ? weight : "",
		drain->plan_count / DRAIN_WAYS, drain->plan_count == DRAIN_WAYS ? "" : "s", drain->runs);
	if (drain->moments > drain->plan_count / DRAIN_WAYS)
		printf(", the most promising of %zu: --moments N looks at more", drain->moments);
	putchar('\n');
}

static int print(const struct order *order)
{
	const struct drain *drain = order->drain;
	struct screen_table *table = screen_table_new(drain->arena, 10);
	if (!table)
		return SL_SYSTEM;
	head_row(table, drain);
	for (size_t i = 0; i < drain->plan_count; i++)
		if (order->shown[i])
			plan_row(table, drain, &drain->plan[i], i == order->row[0]);
	print_heading(drain);
	screen_print(table, stdout);
	print_notes(drain);
	return SL_OK;
}

/* ---- For programs ------------------------------------------------------------------------------------ */

static void json_metrics(struct json *json, const int64_t metric[DRAIN_METRICS])
{
	for (size_t i = 0; i < DRAIN_METRICS; i++)
		json_put(json, datum_micro(drain_metrics[i], metric[i]));
	json_close(json);
}

static void json_plan(
	struct json *json, const char *name, const struct drain *drain, const struct drain_plan *plan)
{
	json_nest(json, name, '{', &json_one_line);
	json_put(json, datum_micro("from", plan->at), datum_text("way", way_text[plan->way]),
		datum_micro("work_begins", plan->free), datum_micro("back", plan->until),
		datum_count("jobs_ended", plan->killed),
		datum_micro("lost_hours", hours_of(plan->lost, drain->parts)),
		datum_micro("idle_hours", hours_of(plan->idle, drain->parts)),
		datum_micro("wait_hours", hours_of(plan->waited, 1)),
		datum_micro("cost", hours_of(plan->cost, drain->parts)));
	json_metrics(json, plan->metric);
}

static int json_report(const struct order *order, struct sl_err *err)
{
	const struct drain *drain = order->drain;
	struct json json;
	const int status = json_start(&json, &json_one_line, err);
	if (status)
		return status;
	json_put(&json, datum_text("nodes", drain->rows.hosts), datum_count("node_count", drain->rows.count),
		datum_text("resource", drain->gpus ? "gpu" : "cpu"), datum_micro("at", drain->at),
		datum_micro("within", drain->within), datum_micro("for", drain->length),
		datum_micro("wait_weight", drain->weight), datum_count("moments", drain->moments),
		datum_count("moments_simulated", drain->plan_count / DRAIN_WAYS), datum_line(0));
	json_nest(&json, "base", '{', &json_one_line);
	json_metrics(&json, drain->metric);
	json_line(&json, 0);
	json_plan(&json, "best", drain, &drain->plan[order->row[0]]);
	json_line(&json, 0);
	json_nest(&json, "plans", '[', &json_lines_0);
	for (size_t i = 0; i < drain->plan_count; i++)
		json_plan(&json, NULL, drain, &drain->plan[i]);
	return json_finish(&json, SL_OK, err);
}

int drain_report(const struct drain *drain, struct sl_err *err)
{
	struct order order;
	const int status = order_make(&order, drain, err);
	if (status)
		return status;
	whatif_drain_report_choose(&order);
	if (arg_flag(drain->args, "json"))
		return json_report(&order, err);
	return print(&order) ? sl_fail_memory(err) : SL_OK;
}
