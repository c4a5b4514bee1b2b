/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_table.c - a comparison as a table, as JSON, as CSV.
 */
#include <string.h>

#include "sim/cli/compare.h"
#include "sim/cli/selector.h"

/* ---- The table ---------------------------------------------------------------------- */

static const struct summary_metric *columns_of(const struct comparison *all)
{
	return all->column ? all->column : summary_metrics;
}

/* True if no other row is better, and some row is worse. */
static bool is_best(const struct comparison *all, const struct summary_metric *column, int64_t value)
{
	bool worse = false;
	for (size_t i = 0; i < all->count; i++) {
		const int64_t *other = metrics_get(&all->row[i].metrics, column->name);
		if (!other || *other == value)
			continue;
		if ((*other > value) == (column->better > 0))
			return false;
		worse = true;
	}
	return worse;
}

/* "+12.3 %" of the first row's value. */
static const char *difference(char buffer[48], const int64_t *first, const int64_t *value)
{
	buffer[0] = '\0';
	if (!first || !value || (*first == 0 && *value != 0))
		return buffer;
	const int64_t size = *first < 0 ? -*first : *first;
	const int64_t share = size ? sl_mul_div(*value - *first, 100000000, size) : 0;
	char number[48];
	(void)screen_number(number, share, 1);
	(void)snprintf(buffer, 48, "%s%.40s %%", share > 0 ? "+" : "", number);
	return buffer;
}

static size_t columns_shown(const struct comparison *all)
{
	size_t count = 0;
	for (const struct summary_metric *column = columns_of(all); column->name; column++)
		count += column->heading != NULL;
	return count;
}

/* A partial run covers another span than a whole one: nothing is best, and no difference means anything. */
static bool all_whole(const struct comparison *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->row[i].partial)
			return false;
	return true;
}

static void values_row(
	struct screen_table *table, const struct comparison *all, const struct compared_row *row)
{
	screen_cell(table, false, "%s%s", row->label, row->partial ? " (partial)" : "");
	for (const struct summary_metric *column = columns_of(all); column->name; column++) {
		if (!column->heading)
			continue;
		const int64_t *value = metrics_get(&row->metrics, column->name);
		char text[48] = "";
		screen_cell(table, true, "%s%s",
			value && all_whole(all) && is_best(all, column, *value) ? "*" : "",
			value ? summary_text(text, column->unit, *value) : "");
	}
}

/* What is said of that row and metric, or NULL. */
const struct sl_difference *compare_difference(const struct comparison *all, size_t row, const char *metric)
{
	for (size_t i = 0; i < all->difference_count; i++)
		if (all->difference[i].run == row && strcmp(all->difference[i].metric, metric) == 0)
			return &all->difference[i];
	return NULL;
}

static bool has_interval(const struct sl_difference *said) { return said && said->low <= said->high; }

/* Where batch by batch nothing differs, there is nothing to be sure of. */
static bool shows_interval(const struct sl_difference *said)
{
	return has_interval(said) && (said->low || said->high);
}

/* In hundredths of the first row's value; false: that is 0. */
static bool share_of(const int64_t *first, int64_t value, char number[48])
{
	if (!first || *first == 0)
		return false;
	const int64_t share = sl_mul_div(value, 100000000, *first < 0 ? -*first : *first);
	char text[48];
	(void)screen_number(text, share, 1);
	(void)snprintf(number, 48, "%s%.40s", share > 0 ? "+" : "", text);
	return true;
}

/* "-38.2 %", with an interval "-38.2 %*" or "-38.2 %~". */
static void difference_cell(
	struct screen_table *table, const struct comparison *all, size_t row, const char *metric)
{
	const int64_t *first = metrics_get(&all->row[0].metrics, metric);
	const struct sl_difference *said = compare_difference(all, row, metric);
	char text[48];
	if (shows_interval(said) && share_of(first, said->estimate, text))
		screen_cell(table, true, "%s %%%s", text, said->low > 0 || said->high < 0 ? "*" : "~");
	else
		screen_cell(table, true, "%s",
			difference(text, first, metrics_get(&all->row[row].metrics, metric)));
}

static void differences_row(struct screen_table *table, const struct comparison *all, size_t row)
{
	screen_cell(table, false, "%s", all->row[row].label);
	for (const struct summary_metric *column = columns_of(all); column->name; column++)
		if (column->heading)
			difference_cell(table, all, row, column->name);
}

static bool any_interval(const struct comparison *all, size_t row)
{
	bool any = false;
	for (const struct summary_metric *column = columns_of(all); column->name; column++)
		any |= column->heading && shows_interval(compare_difference(all, row, column->name));
	return any;
}

/* "[-47.0, -39.2]" below each. */
static void intervals_row(struct screen_table *table, const struct comparison *all, size_t row)
{
	screen_cell(table, false, "  95 %%");
	for (const struct summary_metric *column = columns_of(all); column->name; column++) {
		if (!column->heading)
			continue;
		const struct sl_difference *said = compare_difference(all, row, column->name);
		const int64_t *first = metrics_get(&all->row[0].metrics, column->name);
		char low[48];
		char high[48];
		if (shows_interval(said) && share_of(first, said->low, low) &&
			share_of(first, said->high, high))
			screen_cell(table, true, "[%s, %s]", low, high);
		else
			screen_cell(table, true, "%s", "");
	}
}

static const struct difference_ranks *ranks_at(const struct comparison *all, size_t row, const char *metric)
{
	const struct sl_difference *said = compare_difference(all, row, metric);
	const struct difference_ranks *ranks =
		said && all->ranks ? &all->ranks[said - all->difference] : NULL;
	return ranks && ranks->known ? ranks : NULL;
}

/* Below the t intervals of independent samples: the shift by ranks, its interval, and the test's p. */
static void ranks_rows(struct screen_table *table, const struct comparison *all, size_t row)
{
	static const char *const heading[] = { "  by ranks", "  95 %", "  p" };
	for (size_t line = 0; line < SL_LEN(heading); line++) {
		screen_cell(table, false, "%s", heading[line]);
		for (const struct summary_metric *column = columns_of(all); column->name; column++) {
			if (!column->heading)
				continue;
			const struct difference_ranks *ranks = ranks_at(all, row, column->name);
			const int64_t *first = metrics_get(&all->row[0].metrics, column->name);
			char text[2][48] = { "", "" };
			if (line == 0 && ranks && share_of(first, ranks->shift, text[0]))
				screen_cell(table, true, "%s %%", text[0]);
			else if (line == 1 && ranks && ranks->low <= ranks->high &&
				 share_of(first, ranks->low, text[0]) &&
				 share_of(first, ranks->high, text[1]))
				screen_cell(table, true, "[%s, %s]", text[0], text[1]);
			else if (line == 2 && ranks)
				screen_cell(table, true, "%s",
					ranks->p < 0.0001
						? "< 0.0001"
						: screen_number(text[0], (int64_t)(ranks->p * 1e6 + 0.5), 4));
			else
				screen_cell(table, true, "%s", "");
		}
	}
}

/* ---- Methods ------------------------------------------------------------------------ */

/* Rows of which that is how the column's difference was found. */
static size_t rows_with(const struct comparison *all, const char *metric, const char *method)
{
	size_t count = 0;
	for (size_t row = 1; row < all->count; row++) {
		const struct sl_difference *said = compare_difference(all, row, metric);
		count += said && strcmp(said->method, method) == 0;
	}
	return count;
}

enum { LINE = 110 };

/* On the line, or on the next one where it is full. */
static void item_print(size_t *column, const char *before, const char *text, const char *behind)
{
	const size_t length = strlen(text) + strlen(behind);
	if (*column + strlen(before) + length > LINE) {
		while (*before && *before != ' ')
			(void)putchar(*before++); /* A comma. */
		before += *before == ' ';
		(void)printf("\n  ");
		*column = 2;
	}
	(void)printf("%s%s%s", before, text, behind);
	*column += strlen(before) + length;
}

/* "the method: wait mean, makespan (sjf)" */
static void method_print(const struct comparison *all, const char *method)
{
	size_t at = (size_t)printf("%s", method);
	const char *before = ": ";
	for (const struct summary_metric *column = columns_of(all); column->name; column++) {
		const size_t rows = column->heading ? rows_with(all, column->name, method) : 0;
		size_t left = rows < all->count - 1 ? rows : 0;
		if (!rows)
			continue;
		item_print(&at, before, column->heading, "");
		before = " (";
		for (size_t row = 1; row < all->count && left; row++) {
			const struct sl_difference *said = compare_difference(all, row, column->name);
			if (!said || strcmp(said->method, method) != 0)
				continue;
			item_print(&at, before, all->row[row].label, --left ? "" : ")");
			before = ", ";
		}
		before = ", ";
	}
	(void)printf("\n");
}

static bool said_before(const struct comparison *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(all->difference[k].method, all->difference[i].method) == 0)
			return true;
	return false;
}

static bool is_shown(const struct comparison *all, const char *metric)
{
	for (const struct summary_metric *column = columns_of(all); column->name; column++)
		if (column->heading && strcmp(column->name, metric) == 0)
			return true;
	return false;
}

/* How the intervals were found, by method; or why there are none. */
void compare_methods(const struct comparison *all)
{
	bool any = false;
	for (size_t row = 1; row < all->count; row++)
		any |= any_interval(all, row);
	for (size_t i = 0; !any && i < all->difference_count; i++)
		if (is_shown(all, all->difference[i].metric)) { /* The first is the mean wait. */
			if (!has_interval(&all->difference[i]))
				(void)printf("\n%s\n", all->difference[i].method);
			return;
		}
	if (!any)
		return;
	(void)printf("\n* the 95 %% interval leaves out 0, ~ it holds it: schedlab-statistics(7)\n");
	if (all->ranks)
		(void)printf(
			"by ranks: Hodges-Lehmann shift and its interval; p: Wilcoxon's signed ranks, two-sided\n");
	for (size_t i = 0; i < all->difference_count; i++) {
		bool shown = false;
		for (size_t k = i; k < all->difference_count && !shown; k++)
			shown = is_shown(all, all->difference[k].metric) &&
				strcmp(all->difference[k].method, all->difference[i].method) == 0;
		if (shown && !said_before(all, i))
			method_print(all, all->difference[i].method);
	}
}

/* A line with a text at its left, or nothing. */
static void heading_row(struct screen_table *table, const char *text, const char *name, size_t columns)
{
	screen_cell(table, false, "%s%s", text, name);
	while (--columns)
		screen_cell(table, false, "%s", "");
}

static void table_print(const struct comparison *all)
{
	const size_t columns = columns_shown(all) + 1;
	struct screen_table *table = screen_table_new(all->args->arena, columns);
	screen_cell(table, false, "policy");
	for (const struct summary_metric *column = columns_of(all); column->name; column++)
		if (column->heading)
			screen_cell(table, true, "%s", column->heading);
	for (size_t i = 0; i < all->count; i++)
		values_row(table, all, &all->row[i]);
	const bool differ = all->count > 1 && all_whole(all);
	if (differ) {
		heading_row(table, "", "", columns);
		heading_row(table, "against ", all->row[0].label, columns);
	}
	for (size_t i = 1; differ && i < all->count; i++) {
		differences_row(table, all, i);
		if (any_interval(all, i))
			intervals_row(table, all, i);
		if (all->ranks && any_interval(all, i))
			ranks_rows(table, all, i);
	}
	screen_print(table, stdout);
	if (differ)
		compare_methods(all);
}

static void json_micro(struct sl_out *out, const char *key, int64_t micro)
{
	sl_out_printf(out, ", \"%s\": ", key);
	sl_out_advance(out, sl_put_micro(sl_out_room(out, 32), micro));
}

/* null where there is none. */
static void json_interval(
	struct sl_out *out, const char *low_key, const char *high_key, int64_t low, int64_t high)
{
	if (low > high) {
		sl_out_printf(out, ", \"%s\": null, \"%s\": null", low_key, high_key);
		return;
	}
	json_micro(out, low_key, low);
	json_micro(out, high_key, high);
}

static void json_ranks(struct sl_out *out, const struct difference_ranks *ranks)
{
	if (!ranks->known)
		return;
	json_micro(out, "wilcoxon_p", (int64_t)(ranks->p * 1e6 + 0.5));
	sl_out_printf(out, ", \"wilcoxon_exact\": %s", ranks->exact ? "true" : "false");
	json_micro(out, "hodges_lehmann", ranks->shift);
	json_interval(out, "hodges_lehmann_low", "hodges_lehmann_high", ranks->low, ranks->high);
}

static void json_differences(struct sl_out *out, const struct comparison *all)
{
	if (!all->difference_count)
		return;
	sl_out_text(out, ",\n\"differences\": [");
	for (size_t i = 0; i < all->difference_count; i++) {
		const struct sl_difference *said = &all->difference[i];
		sl_out_text(out, i ? ",\n{ \"policy\": " : "\n{ \"policy\": ");
		sl_out_json(out, all->row[said->run].policy);
		sl_out_printf(out, ", \"run\": %u, \"metric\": \"%s\"", said->run + 1, said->metric);
		json_micro(out, "estimate", said->estimate);
		json_interval(out, "low", "high", said->low, said->high);
		if (all->ranks)
			json_ranks(out, &all->ranks[i]);
		sl_out_printf(out, ", \"samples\": %u, \"method\": ", said->samples);
		sl_out_json(out, said->method);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "\n]");
}

static void json_partings(struct sl_out *out, const struct comparison *all)
{
	if (!all->parting)
		return;
	sl_out_text(out, ",\n\"first_differences\": [");
	for (size_t i = 1; i < all->count; i++) {
		const struct compared_parting *parting = &all->parting[i];
		sl_out_printf(out, "%s{ \"run\": %zu", i > 1 ? ",\n" : "\n", i + 1);
		if (parting->why) {
			sl_out_text(out, ", \"not_made_again\": ");
			sl_out_json(out, parting->why);
		}
		if (parting->known) {
			sl_out_text(out, ",\n\"found\": ");
			first_difference_json(&parting->is, out);
		}
		sl_out_text(out, " }");
	}
	sl_out_text(out, "\n]");
}

int compare_json(const struct comparison *all, struct sl_out *out, struct sl_err *err)
{
	sl_out_text(out, "{ \"runs\": [");
	for (size_t i = 0; i < all->count; i++) {
		const struct compared_row *row = &all->row[i];
		sl_out_text(out, i ? ",\n{ " : "\n{ ");
		if (all->heading) {
			sl_out_text(out, "\"name\": ");
			sl_out_json(out, row->label);
			sl_out_text(out, ", ");
		}
		sl_out_text(out, "\"policy\": ");
		sl_out_json(out, row->policy);
		sl_out_text(out, ", \"cluster\": ");
		sl_out_json(out, row->cluster);
		sl_out_text(out, row->partial ? ", \"partial\": true, \"metrics\": " : ", \"metrics\": ");
		metrics_json(out, &row->metrics);
		sl_out_text(out, "}");
	}
	sl_out_text(out, "\n]");
	json_differences(out, all);
	json_partings(out, all);
	const int more = all->more ? all->more(all->self, out, err) : SL_OK;
	sl_out_text(out, " }\n");
	return more;
}

static int json_print(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	status = compare_json(all, out, err);
	if (status)
		sl_out_abandon(out);
	return status ? status : sl_out_commit(out, err);
}

static void parting_print(const struct comparison *all, size_t i)
{
	const struct compared_parting *parting = &all->parting[i];
	(void)printf("\n%s against %s\n", all->args->word[i], all->args->word[0]);
	if (parting->why)
		(void)printf(
			"not made again: %s\n%s", parting->why, parting->known ? "by their jobs.csv:\n" : "");
	if (parting->known)
		first_difference_print(&parting->is, stdout);
}

int compare_show(const struct comparison *all, struct sl_err *err)
{
	if (arg_flag(all->args, "json"))
		return json_print(all, err);
	if (all->heading)
		all->heading(all->self);
	if (all->table)
		all->table(all, all->self);
	else
		table_print(all);
	if (all->more)
		return all->more(all->self, NULL, err);
	for (size_t i = 1; all->parting && i < all->count; i++)
		parting_print(all, i);
	return SL_OK;
}

/* ---- compare.csv -------------------------------------------------------------------- */

/* Quoted where CSV needs it. */
void compare_csv_text(struct sl_out *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		sl_out_text(out, text);
		return;
	}
	sl_out_text(out, "\"");
	for (; *text; text++)
		sl_out_printf(out, *text == '"' ? "\"%c" : "%c", *text);
	sl_out_text(out, "\"");
}

static void csv_micro(struct sl_out *out, bool known, int64_t micro)
{
	char *p = sl_out_room(out, 64);
	*p++ = ',';
	sl_out_advance(out, known ? sl_put_micro(p, micro) : p);
}

/* Behind the metrics: of each of which any row's difference has an interval, the difference and its ends. */
static bool csv_has(const struct comparison *all, const char *metric)
{
	bool any = false;
	for (size_t row = 1; row < all->count; row++)
		any |= has_interval(compare_difference(all, row, metric));
	return any;
}

/* Without a label, or asked for. */
static bool in_csv(const struct comparison *all, const char *metric)
{
	return !strchr(metric, '{') || selected_is(all->args, metric);
}

static void csv_row(struct sl_out *out, const struct comparison *all, size_t r)
{
	const struct sl_metrics *names = &all->row[0].metrics;
	compare_csv_text(out, all->row[r].policy);
	sl_out_text(out, ",");
	compare_csv_text(out, all->row[r].cluster);
	for (size_t i = 0; i < names->count; i++) {
		if (!in_csv(all, names->row[i].name))
			continue;
		const int64_t *value = metrics_get(&all->row[r].metrics, names->row[i].name);
		csv_micro(out, value != NULL, value ? *value : 0);
	}
	sl_out_text(out, all->row[r].partial ? ",1" : ",0");
	for (size_t i = 0; i < names->count; i++) {
		if (!csv_has(all, names->row[i].name))
			continue;
		const struct sl_difference *said = compare_difference(all, r, names->row[i].name);
		csv_micro(out, said != NULL, said ? said->estimate : 0);
		csv_micro(out, has_interval(said), said ? said->low : 0);
		csv_micro(out, has_interval(said), said ? said->high : 0);
	}
	sl_out_text(out, "\n");
}

static int compare_csv(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	const int status = outdir_file(all->dir, "compare.csv", &out, err);
	if (status)
		return status;
	const struct sl_metrics *names = &all->row[0].metrics;
	sl_out_text(out, "policy,cluster");
	for (size_t i = 0; i < names->count; i++)
		if (in_csv(all, names->row[i].name)) {
			sl_out_text(out, ",");
			compare_csv_text(out, names->row[i].name);
		}
	sl_out_text(out, ",partial");
	for (size_t i = 0; i < names->count; i++)
		if (csv_has(all, names->row[i].name))
			sl_out_printf(out, ",%s.difference,%s.difference.low,%s.difference.high",
				names->row[i].name, names->row[i].name, names->row[i].name);
	sl_out_text(out, "\n");
	for (size_t r = 0; r < all->count; r++)
		csv_row(out, all, r);
	return sl_out_commit(out, err);
}

static int differences_csv(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	const int status = outdir_file(all->dir, "differences.csv", &out, err);
	if (status)
		return status;
	sl_out_text(out, "run,policy,metric,estimate,low,high,samples,method");
	sl_out_text(out,
		all->ranks ? ",wilcoxon_p,hodges_lehmann,hodges_lehmann_low,hodges_lehmann_high\n" : "\n");
	for (size_t i = 0; i < all->difference_count; i++) {
		const struct sl_difference *said = &all->difference[i];
		const struct difference_ranks *ranks = all->ranks ? &all->ranks[i] : NULL;
		sl_out_printf(out, "%u,", said->run + 1);
		compare_csv_text(out, all->row[said->run].policy);
		sl_out_printf(out, ",%s", said->metric);
		csv_micro(out, true, said->estimate);
		csv_micro(out, has_interval(said), said->low);
		csv_micro(out, has_interval(said), said->high);
		sl_out_printf(out, ",%u,", said->samples);
		compare_csv_text(out, said->method);
		if (ranks) {
			csv_micro(out, ranks->known, (int64_t)(ranks->p * 1e6 + 0.5));
			csv_micro(out, ranks->known, ranks->shift);
			csv_micro(out, ranks->low <= ranks->high, ranks->low);
			csv_micro(out, ranks->low <= ranks->high, ranks->high);
		}
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

int compare_files(const struct comparison *all, struct sl_err *err)
{
	int status = compare_csv(all, err);
	if (!status && all->difference_count)
		status = differences_csv(all, err);
	return status || !all->replication ? status : replications_csv(all, err);
}
