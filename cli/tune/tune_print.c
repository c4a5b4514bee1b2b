/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_print.c - the answer for people.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/tune/tune.h"

static int64_t micro_of(double value)
{
	return isnan(value) ? SL_NONE : (int64_t)(value < 0 ? value * 1e6 - 0.5 : value * 1e6 + 0.5);
}

static const char *value_text(char text[48], const struct tune *tune, size_t column, double value)
{
	if (isnan(value))
		return "-";
	return summary_text(text, selector_unit(tune->wanted[column].selector), micro_of(value));
}

/* "-12.3 %" */
const char *change_text(char text[32], double today, double is)
{
	char number[48];
	if (isnan(today) || isnan(is))
		return "-";
	if (today == is)
		return "=";
	if (today == 0)
		return is > 0 ? "more" : "less";
	(void)snprintf(
		text, 32, "%s %%", screen_signed(number, micro_of(100 * (is - today) / fabs(today)), 1));
	return text;
}

static const char *interval_text(char text[80], const struct judged_column *column)
{
	char low[48];
	char high[48];
	if (column->today == column->is && !column->bounded)
		return "";
	/* Of nothing there are no parts. */
	if (!column->bounded && column->differing >= TUNE_DIFFERING_LEAST)
		return column->told ? "told" : "~";
	if (!column->bounded)
		(void)snprintf(text, 80, "none: %u of %u spans differ, six are needed", column->differing,
			column->spans);
	else
		(void)snprintf(text, 80, "[%s, %s]%s", screen_signed(low, micro_of(100 * column->low), 1),
			screen_signed(high, micro_of(100 * column->high), 1), column->told ? "" : " ~");
	return text;
}

static const uint32_t *winner_of(const struct tune *tune)
{
	return tune->search.candidate[tune->search.best].level;
}

const char *verdict_word(enum tune_verdict verdict)
{
	static const char *const word[] = { [TUNE_BETTER] = "better than today",
		[TUNE_NO_BETTER] = "no better than today",
		[TUNE_TRADE] = "a trade",
		[TUNE_WORSE] = "worse than today",
		[TUNE_NOTHING_FOUND] = "no better than today" };
	return word[verdict];
}

size_t tune_tried(const struct tune *tune)
{
	size_t tried = 0;
	for (size_t i = 0; i < tune->search.count; i++)
		tried += tune->search.candidate[i].met > 0;
	return tried;
}

/* ---- Parts ----------------------------------------------------------------------------------------------
 */

static void print_head(const struct tune *tune)
{
	char each[32];
	char warm[32];
	const size_t judged = tune->spans - tune->problem.spans;
	const uint64_t points = tune_settings(&tune->problem);
	char count[48];
	char seeds[48] = "";
	printf("%s under %s: %zu spans of %s; tuned on the first %u, judged on the other %zu\n", tune->trace,
		tune->policy, tune->spans, screen_duration(each, tune->span[0].until - tune->span[0].from),
		tune->problem.spans, judged);
	if (tune->warm)
		printf("each span begins with %s of the log that counts for nothing\n",
			screen_duration(warm, tune->warm));
	if (tune->seeds > 1)
		(void)snprintf(seeds, sizeof(seeds), ", each with %" PRIu64 " seeds", tune->seeds);
	printf("%s: %zu of %s settings tried, %" PRIu64 " runs of one span%s\n\n",
		tune->problem.every ? "every one" : "searched", tune_tried(tune),
		points == UINT64_MAX ? "more than can be counted" : count_text(count, points),
		tune->search.spent, seeds);
}

static void print_knobs(const struct tune *tune)
{
	struct screen_table *table = screen_table_new(tune->arena, 3);
	screen_row(table, "lll", "what may move", "today", "best found");
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		const uint32_t level = winner_of(tune)[k];
		screen_cell(table, false, "%s", knob->name);
		screen_cell(table, false, "%s", knob_value(knob, knob->today));
		screen_cell(table, false, "%s", level == knob->today ? "=" : knob_value(knob, level));
	}
	screen_print(table, stdout);
	printf("\n");
}

static const char *held_text(const struct tune *tune, size_t column)
{
	if (tune_is_goal(&tune->problem.column[column]))
		return "";
	return judged_holds(tune, &tune->front[0], column) ? "holds" : "does not hold";
}

static void print_columns(const struct tune *tune)
{
	const bool judged = tune->search.best != 0;
	struct screen_table *table = screen_table_new(tune->arena, judged ? 9 : 4);
	char text[48];
	char change[32];
	char interval[80];
	if (judged)
		screen_row(table, "lrrrrrrll", "what is wanted", "tuned on: today", "best", "change",
			"judged on: today", "best", "change", "interval", "");
	else
		screen_row(table, "lrrr", "what is wanted", "tuned on: today", "best", "change");
	for (size_t c = 0; c < tune->problem.columns; c++) {
		const struct tune_candidate *today = &tune->search.candidate[0];
		const struct tune_candidate *best = &tune->search.candidate[tune->search.best];
		const double was = tune_mean(&tune->search, today, best, c, tune->problem.spans);
		const double is = tune_mean(&tune->search, best, today, c, tune->problem.spans);
		const struct judged_column *column = &tune->front[0].column[c];
		screen_cell(table, false, "%s%s", tune->wanted[c].text,
			tune->wanted[c].implied ? " (unless you say otherwise)" : "");
		screen_cell(table, true, "%s", value_text(text, tune, c, was));
		screen_cell(table, true, "%s", value_text(text, tune, c, is));
		screen_cell(table, true, "%s", change_text(change, was, is));
		if (!judged)
			continue;
		screen_cell(table, true, "%s", value_text(text, tune, c, column->today));
		screen_cell(table, true, "%s", value_text(text, tune, c, column->is));
		screen_cell(table, true, "%s", change_text(change, column->today, column->is));
		screen_cell(table, false, "%s", interval_text(interval, column));
		screen_cell(table, false, "%s", held_text(tune, c));
	}
	screen_print(table, stdout);
	if (judged)
		printf("\nintervals at 95 %% of the change over the judged spans, against today; ~ not told from none\n");
}

static void print_verdict(const struct tune *tune)
{
	printf("\n%s", verdict_word(tune->verdict));
	if (tune->verdict == TUNE_NOTHING_FOUND)
		printf(": nothing that was tried does better on the spans tuned on\n");
	else if (tune->verdict == TUNE_NO_BETTER)
		printf(": on the spans that were not looked at the best found is not told from today, or what must hold does not\n");
	else if (tune->verdict == TUNE_WORSE)
		printf(": what is best on the spans tuned on is worse on those that were not looked at: keep today's settings\n");
	else if (tune->verdict == TUNE_TRADE)
		printf(": better in one goal and worse in another, on spans that the search never looked at: the front has what there is to choose from\n");
	else
		printf(", on spans that the search never looked at\n");
}

/* What is put back together; NULL: it was, with one before it. */
static const char *back_name(const struct tune *tune, size_t k)
{
	const char *name = "";
	for (size_t i = 0; i < tune->problem.axes && name; i++) {
		const struct knob *knob = &tune->knob[i];
		if (winner_of(tune)[i] == knob->today || !tune_together(&tune->problem, k, i))
			continue;
		if (i < k)
			return NULL;
		name = text_made(tune->arena, "%s%s%s=%s", name, *name ? " " : "", knob->name,
			knob_value(knob, knob->today));
	}
	return name;
}

static void print_mattered(const struct tune *tune)
{
	size_t goals[TUNE_COLUMNS_MAX];
	size_t count = 0;
	char change[32];
	char interval[80];
	for (size_t c = 0; c < tune->problem.columns; c++)
		if (tune_is_goal(&tune->problem.column[c]))
			goals[count++] = c;
	struct screen_table *table = screen_table_new(tune->arena, 1 + 2 * count);
	screen_cell(table, false, "which mattered: put back alone");
	for (size_t g = 0; g < count; g++) {
		screen_cell(table, true, "%s", tune->wanted[goals[g]].metric);
		screen_cell(table, false, "%s", "");
	}
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		const char *name = back_name(tune, k);
		if (winner_of(tune)[k] == knob->today || !name)
			continue;
		screen_cell(table, false, "%s", name);
		for (size_t g = 0; g < count; g++) {
			const struct judged_column *column = &tune->back[k].column[goals[g]];
			screen_cell(table, true, "%s",
				tune->back[k].failed ? "cannot run"
						     : change_text(change, column->today, column->is));
			screen_cell(table, false, "%s",
				tune->back[k].failed ? "" : interval_text(interval, column));
		}
	}
	printf("\n");
	screen_print(table, stdout);
}

static void print_gainers(const struct tune *tune)
{
	struct screen_table *table = screen_table_new(tune->arena, 5);
	size_t gain = 0;
	size_t lose = 0;
	char text[48];
	char change[32];
	screen_row(table, "lrrrr", "who gains, who loses (judged)", "jobs", "wait today", "best", "change");
	for (size_t i = 0; i < tune->gainers; i++) {
		const struct gainer *gainer = &tune->gainer[i];
		gain += gainer->is < gainer->was;
		lose += gainer->is > gainer->was;
		screen_cell(table, false, "%s %s", gainer->kind, gainer->name);
		screen_cell(table, true, "%.0f", gainer->jobs);
		screen_cell(table, true, "%s", summary_text(text, UNIT_TIME, micro_of(gainer->was)));
		screen_cell(table, true, "%s", summary_text(text, UNIT_TIME, micro_of(gainer->is)));
		screen_cell(table, true, "%s", change_text(change, gainer->was, gainer->is));
	}
	if (!tune->gainers)
		return;
	printf("\n");
	screen_print(table, stdout);
	printf("%zu gain, %zu lose\n", gain, lose);
}

static void print_front(const struct tune *tune)
{
	size_t goals = 0;
	char text[48];
	char change[32];
	for (size_t c = 0; c < tune->problem.columns; c++)
		goals += tune_is_goal(&tune->problem.column[c]);
	if (goals < 2 || tune->front_count < 2)
		return;
	struct screen_table *table = screen_table_new(tune->arena, 1 + 2 * goals);
	screen_cell(table, false, "the front: none of these is better in all");
	for (size_t c = 0; c < tune->problem.columns; c++)
		if (tune_is_goal(&tune->problem.column[c])) {
			screen_cell(table, true, "%s", tune->wanted[c].text);
			screen_cell(table, true, "%s", "");
		}
	for (size_t i = 0; i < tune->front_count; i++) {
		const struct judged *judged = &tune->front[i];
		const uint32_t *level = tune->search.candidate[judged->candidate].level;
		char *name = NULL;
		size_t len;
		FILE *out = open_memstream(&name, &len);
		for (size_t k = 0; out && k < tune->problem.axes; k++)
			if (level[k] != tune->knob[k].today)
				(void)fprintf(out, "%s%s=%s", ftell(out) > 0 ? " " : "", tune->knob[k].name,
					knob_value(&tune->knob[k], level[k]));
		screen_cell(table, false, "%s", out && fclose(out) == 0 && len ? name : "today");
		free(name);
		for (size_t c = 0; c < tune->problem.columns; c++) {
			const struct judged_column *column = &judged->column[c];
			if (!tune_is_goal(&tune->problem.column[c]))
				continue;
			screen_cell(table, true, "%s", value_text(text, tune, c, column->is));
			screen_cell(table, true, "%s%s", change_text(change, column->today, column->is),
				column->told || column->today == column->is ? "" : " ~");
		}
	}
	printf("\n");
	screen_print(table, stdout);
}

static int print_change(const struct tune *tune, struct sl_err *err)
{
	char *patch = tune_patch(tune, winner_of(tune));
	if (!patch)
		return sl_fail_memory(err);
	if (*patch)
		printf("\nthe change, also in %s/change.patch:\n\n%s", tune->dir, patch);
	free(patch);
	printf("\nthe best found on all of the log:\n  ");
	const int status = tune_put_run(tune, winner_of(tune), stdout, err);
	printf("\n");
	return status;
}

int tune_print(const struct tune *tune, struct sl_err *err)
{
	int status = SL_OK;
	print_head(tune);
	print_knobs(tune);
	print_columns(tune);
	print_verdict(tune);
	if (tune->search.best) {
		print_mattered(tune);
		print_gainers(tune);
	}
	print_front(tune);
	if (tune->verdict == TUNE_BETTER)
		status = print_change(tune, err);
	printf("\nthe same again:\n  ");
	tune_put_line(tune, stdout);
	printf("\n");
	return status;
}
