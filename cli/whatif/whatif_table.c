/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_table.c - a what-if as a table: a line a metric, a column a scenario, with what changed against the
 * base; and whatif.json and whatif.csv of a directory.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"
#include "cli/whatif/whatif_parts.h"

enum { LABELS_DISPLAYED = 6 };

static const struct metric_info {
	const char *name, *heading;
	enum summary_unit unit;
	int better;
} metric_info[] = {
	{ "jobs.total", "jobs", UNIT_COUNT, 0 },
	{ "jobs.completed", "jobs completed", UNIT_COUNT, 0 },
	{ "wait.mean", "wait mean", UNIT_TIME, -1 },
	{ "wait.p50", "wait p50", UNIT_TIME, -1 },
	{ "wait.p95", "wait p95", UNIT_TIME, -1 },
	{ "wait.max", "wait max", UNIT_TIME, -1 },
	{ "turnaround.mean", "turnaround mean", UNIT_TIME, -1 },
	{ "bounded_slowdown.mean", "bounded slowdown", UNIT_NUMBER, -1 },
	{ "utilization.cpus", "utilization cpus", UNIT_SHARE, 1 },
	{ "utilization.gpus", "utilization GPUs", UNIT_SHARE, 1 },
	{ "loss_of_capacity", "lost capacity", UNIT_SHARE, -1 },
	{ "loss_of_capacity.cpus", "lost cpus", UNIT_SHARE, -1 },
	{ "loss_of_capacity.gpus", "lost GPUs", UNIT_SHARE, -1 },
	{ "queue.mean", "queue mean", UNIT_NUMBER, -1 },
	{ "throughput", "throughput", UNIT_RATE, 1 },
	{ "makespan", "makespan", UNIT_TIME, -1 },
};

static void value_cell(struct screen_table *table, const struct comparison *all, size_t row,
	const struct metric_info *metric)
{
	char text[48];
	const int64_t *value = metrics_get(&all->row[row].metrics, metric->name);
	screen_cell(table, true, "%s%s", value ? summary_text(text, metric->unit, *value) : "",
		value && all->row[row].partial ? "?" : "");
}

/* In hundredths of the base's value. */
static const char *whatif_table_share(char text[48], int64_t base, int64_t change)
{
	return screen_signed(text, base ? sl_mul_div(change, 100000000, base < 0 ? -base : base) : 0, 1);
}

/* "-31.2 % [-40.1, -12.0] better": a difference that is not significant is "~", in place of the word. */
static void change_cell(struct screen_table *table, const struct comparison *all, size_t row,
	const struct metric_info *metric)
{
	const int64_t *base = metrics_get(&all->row[0].metrics, metric->name);
	const int64_t *value = metrics_get(&all->row[row].metrics, metric->name);
	const struct sl_certainty *known = compare_certainty(all, row, metric->name);
	char number[48];
	char low[48];
	char high[48];
	if (!base || !value || *base == *value || all->row[0].partial || all->row[row].partial) {
		screen_cell(table, false, "%s", base && value && *base == *value ? "=" : "");
		return;
	}
	const bool interval = known && known->ratio_low <= known->ratio_high;
	const bool good = (*value > *base) == (metric->better > 0);
	const char *word = !metric->better || all->reported.apart ? ""
			   : known && known->sure                 ? good ? " better" : " worse"
			   : interval                             ? " ~"
								  : "";
	if (!*base) /* There is no share of nothing. */
		screen_cell(table, false, "%s%s", *value > 0 ? "more" : "less", word);
	else if (interval)
		screen_cell(table, false, "%s %% [%s, %s]%s",
			whatif_table_share(number, *base, *value - *base),
			whatif_table_share(low, 1000000, known->ratio_low),
			whatif_table_share(high, 1000000, known->ratio_high), word);
	else
		screen_cell(table, false, "%s %%%s", whatif_table_share(number, *base, *value - *base), word);
}

static void metric_row(
	struct screen_table *table, const struct comparison *all, const struct metric_info *metric)
{
	screen_cell(table, false, "%s", metric->heading);
	value_cell(table, all, 0, metric);
	for (size_t i = 1; i < all->count; i++) {
		value_cell(table, all, i, metric);
		change_cell(table, all, i, metric);
	}
}

/* By how much any scenario moves it. */
static int64_t moved(const struct comparison *all, const char *name)
{
	const int64_t *base = metrics_get(&all->row[0].metrics, name);
	int64_t most = 0;
	for (size_t i = 1; i < all->count; i++) {
		const int64_t *value = metrics_get(&all->row[i].metrics, name);
		const int64_t by = base && value ? llabs(*value - *base) : 0;
		most = by > most ? by : most;
	}
	return most;
}

/* Of one label those that change most, in the order of the metrics. */
static void label_rows(struct screen_table *table, const struct comparison *all, const char *label)
{
	const struct sl_metrics *names = &all->row[0].metrics;
	char begin[64];
	(void)snprintf(begin, sizeof(begin), "wait.p95{%s=", label);
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->row[i].name;
		if (strncmp(name, begin, strlen(begin)) != 0 || !moved(all, name))
			continue;
		size_t ahead = 0;
		for (size_t k = 0; k < names->count; k++) {
			const char *other = names->row[k].name;
			if (k == i || strncmp(other, begin, strlen(begin)) != 0)
				continue;
			const int64_t by = moved(all, other);
			ahead += by > moved(all, name) || (by == moved(all, name) && k < i);
		}
		char heading[128];
		(void)snprintf(heading, sizeof(heading), "  %.*s",
			(int)(strcspn(name, "}") - strlen("wait.p95{")), name + strlen("wait.p95{"));
		if (ahead < LABELS_DISPLAYED)
			metric_row(table, all, &(struct metric_info){ name, heading, UNIT_TIME, -1 });
	}
}

/* Of two replicas another resource may be the scarcest: each is reported, where there are several. */
static bool is_reported(const struct sl_metrics *base, const char *name)
{
	return metrics_get(base, name) &&
	       (strcmp(name, "loss_of_capacity") != 0 || !metrics_get(base, "loss_of_capacity.cpus"));
}

void whatif_table(const struct comparison *all)
{
	struct screen_table *table = screen_table_new(all->args->arena, 2 * all->count);
	if (!table)
		return;
	screen_row(table, "lr", "", all->row[0].label);
	for (size_t i = 1; i < all->count; i++)
		screen_row(table, "rl", all->row[i].label, "");
	/* What became of the jobs, where not all ran to their end. */
	for (const struct summary_metric *column = all->column; column && column->name; column++)
		if (column->heading && strncmp(column->name, "jobs.", strlen("jobs.")) == 0 &&
			strcmp(column->name, "jobs.total") != 0)
			metric_row(table, all,
				&(struct metric_info){ column->name, column->heading, column->unit, 0 });
	for (size_t i = 0; i < SL_LEN(metric_info); i++)
		if (is_reported(&all->row[0].metrics, metric_info[i].name))
			metric_row(table, all, &metric_info[i]);
	for (const struct summary_metric *column = all->column; column && column->name; column++)
		if (selected_is(all->args, column->name))
			metric_row(table, all,
				&(struct metric_info){
					column->name, column->name, column->unit, column->better });
	screen_row(table, "l", "wait p95 by");
	screen_blanks(table, 2 * all->count - 1);
	label_rows(table, all, "partition");
	label_rows(table, all, "size");
	screen_print(table, stdout);
	compare_methods(all);
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static void csv(struct sl_out *out, const struct comparison *all)
{
	const struct sl_metrics *names = &all->row[0].metrics;
	sl_out_text(out, "scenario,metric,base,value,difference,low,high\n");
	for (size_t row = 1; row < all->count; row++)
		for (size_t i = 0; i < names->count; i++) {
			const char *name = names->row[i].name;
			const int64_t *value = metrics_get(&all->row[row].metrics, name);
			const struct sl_difference *said = compare_difference(all, row, name);
			const bool sure = said && said->low <= said->high;
			csv_begin(out, datum_of(DATUM_QUOTED, NULL, all->row[row].label, 0),
				datum_of(DATUM_QUOTED, NULL, name, 0), datum_micro(NULL, names->row[i].micro),
				datum_micro(NULL, value ? *value : SL_NONE),
				datum_micro(NULL, value ? *value - names->row[i].micro : SL_NONE),
				datum_micro(NULL, sure ? said->low : SL_NONE),
				datum_micro(NULL, sure ? said->high : SL_NONE));
			sl_out_text(out, "\n");
		}
}

int whatif_files(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	int status = outdir_file(all->dir, "whatif.csv", &out, err);
	if (status)
		return status;
	csv(out, all);
	status = sl_out_commit(out, err);
	if (!status)
		status = outdir_file(all->dir, "whatif.json", &out, err);
	return status ? status : compare_json(all, out, err);
}
