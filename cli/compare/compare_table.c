/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_table.c - a comparison as a table, as JSON, as CSV.
 */
#include <string.h>

#include "cli/base/render.h"
#include "cli/base/selector.h"
#include "cli/compare/compare.h"

/* ---- The table ---------------------------------------------------------------------- */

/* Too few jobs, or blocks of them, differ in that metric for anything to be said of it. */
static bool tells_too_little(const struct comparison *all, size_t row, const char *metric)
{
	const struct sl_difference *said = compare_difference(all, row, metric);
	const struct sl_certainty *known = compare_certainty(all, row, metric);
	return known && known->known && said->low > said->high && said->estimate;
}

/* A better value may be called so: the same jobs ran and ended alike in all rows, and enough of them differ.
 * Of what is one number a run the waits say that. */
static bool may_be_best(const struct comparison *all, const struct summary_metric *column)
{
	if (all->reported.apart)
		return false;
	for (size_t row = 1; row < all->count; row++) {
		const struct sl_certainty *known = compare_certainty(all, row, column->name);
		if (tells_too_little(all, row, known && known->known ? column->name : "wait.mean"))
			return false;
	}
	return true;
}

/* True if no other row is better, and some row is worse. Busy with the same work for longer is not better. */
static bool is_best(
	const struct comparison *all, const struct summary_metric *column, size_t row, int64_t value)
{
	bool worse = false;
	if (!may_be_best(all, column) || (strncmp(column->name, "utilization", strlen("utilization")) == 0 &&
						 differences_slower(all->differences, row)))
		return false;
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
	char number[48];
	buffer[0] = '\0';
	if (!first || !value || (*first == 0 && *value != 0))
		return buffer;
	const int64_t size = *first < 0 ? -*first : *first;
	const int64_t share = size ? sl_mul_div(*value - *first, 100000000, size) : 0;
	(void)snprintf(buffer, 48, "%.44s %%", screen_signed(number, share, 1));
	return buffer;
}

static size_t columns_metric_info(const struct comparison *all)
{
	size_t count = 0;
	while (all->column[count].name)
		count++;
	return count;
}

/* A partial run covers another time range than a whole one: nothing is best, and no difference means
 * anything. */
static bool all_whole(const struct comparison *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->row[i].partial)
			return false;
	return true;
}

/* ---- What is printed ------------------------------------------------------------------- */

static const struct summary_metric counted[] = {
	{ "jobs.total", "jobs", UNIT_COUNT, 0 },
	{ "jobs.compared", "compared", UNIT_COUNT, 0 },
	{ "jobs.refused", "refused", UNIT_COUNT, 0 },
	{ "jobs.never_started", "never started", UNIT_COUNT, 0 },
	{ "jobs.cut", "cut", UNIT_COUNT, 0 },
	{ "jobs.lost", "lost", UNIT_COUNT, 0 },
	{ "jobs.unfinished", "unfinished", UNIT_COUNT, 0 },
};

/* Some row has any; of all jobs: not each has as many. */
static bool is_counted(const struct comparison *all, const char *name)
{
	const int64_t *first = metrics_get(&all->row[0].metrics, name);
	const bool total = strcmp(name, "jobs.total") == 0;
	for (size_t row = 0; row < all->count; row++) {
		const int64_t *value = metrics_get(&all->row[row].metrics, name);
		if (total ? first && value && *first != *value : value && *value)
			return true;
	}
	return false;
}

/* Which resource they are of, where it is not the scarcest of each row. */
static int headings_of_resource(
	const struct comparison *all, struct summary_metric *column, struct sl_err *err)
{
	for (; column->name; column++) {
		char text[80];
		if (strcmp(column->name, "utilization") != 0 && strcmp(column->name, "loss_of_capacity") != 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s of %s", column->heading, resource_word(all->resource));
		column->heading = sl_strdup(all->args->arena, text, strlen(text));
		if (!column->heading)
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* The counts first, 0 where a run has none of what another has. */
static int columns_count(struct comparison *all, struct sl_err *err)
{
	const struct summary_metric *given = all->column;
	size_t count = columns_metric_info(all);
	struct summary_metric *column =
		sl_alloc(all->args->arena, count + SL_LEN(counted) + 1, sizeof(*column));
	if (!column)
		return sl_fail_memory(err);
	all->column = column;
	for (size_t i = 0; i < SL_LEN(counted); i++) {
		if (!is_counted(all, counted[i].name))
			continue;
		*column++ = counted[i];
		for (size_t row = 0; row < all->count; row++)
			if (!metrics_get(&all->row[row].metrics, counted[i].name))
				sl_metric_put(&all->row[row].metrics, counted[i].name, 0);
	}
	for (size_t i = 0, k = 0; i < count; i++)
		if (given[i].heading)
			column[k++] = given[i];
	/* A table of its own has each resource by name. */
	return all->resource && !all->table ? headings_of_resource(all, column, err) : SL_OK;
}

int compare_report(struct comparison *all, struct sl_err *err)
{
	all->reported = differences_reported(all->differences);
	int status = compare_rows_common(all, err);
	if (!status)
		status = columns_count(all, err);
	for (size_t row = 0; row < all->count && !status; row++)
		if (all->row[row].metrics.failed)
			return sl_fail_memory(err);
	return status;
}

static void values_row(
	struct screen_table *table, const struct comparison *all, const struct compared_row *row)
{
	screen_cell(table, false, "%s%s", row->label, row->partial ? " (partial)" : "");
	for (const struct summary_metric *column = all->column; column->name; column++) {
		const int64_t *value = metrics_get(&row->metrics, column->name);
		char text[48] = "";
		const bool best =
			value && all_whole(all) && is_best(all, column, (size_t)(row - all->row), *value);
		screen_cell(table, true, "%s%s", best ? "*" : "",
			value ? summary_text(text, column->unit, *value) : "");
	}
}

/* What is said of that row and metric, or NULL. */
const struct sl_difference *compare_difference(const struct comparison *all, size_t row, const char *metric)
{
	for (size_t i = 0; i < all->reported.difference_count; i++)
		if (all->reported.difference[i].run == row &&
			strcmp(all->reported.difference[i].metric, metric) == 0)
			return &all->reported.difference[i];
	return NULL;
}

const struct sl_certainty *compare_certainty(const struct comparison *all, size_t row, const char *metric)
{
	const struct sl_difference *said = compare_difference(all, row, metric);
	return said && all->reported.certainty ? &all->reported.certainty[said - all->reported.difference]
					       : NULL;
}

static bool has_interval(const struct sl_difference *said) { return said && said->low <= said->high; }

/* Of the change in hundredths. */
static bool shows_interval(const struct sl_certainty *known)
{
	return known && known->ratio_low <= known->ratio_high;
}

/* "-38.2 %"; significantly different from 0 "-38.2 %*", not so "-38.2 %~". */
static void difference_cell(
	struct screen_table *table, const struct comparison *all, size_t row, const char *metric)
{
	const int64_t *first = metrics_get(&all->row[0].metrics, metric);
	const int64_t *value = metrics_get(&all->row[row].metrics, metric);
	const struct sl_difference *said = compare_difference(all, row, metric);
	const struct sl_certainty *known = compare_certainty(all, row, metric);
	char text[48];
	const bool marked = has_interval(said) && said->estimate && !all->reported.apart;
	(void)difference(text, first, value);
	screen_cell(table, true, "%s%s", text, !text[0] || !marked ? "" : known->sure ? "*" : "~");
}

static void differences_row(struct screen_table *table, const struct comparison *all, size_t row)
{
	screen_cell(table, false, "%s", all->row[row].label);
	for (const struct summary_metric *column = all->column; column->name; column++)
		difference_cell(table, all, row, column->name);
}

static bool any_interval(const struct comparison *all, size_t row)
{
	bool any = false;
	for (const struct summary_metric *column = all->column; column->name; column++)
		any |= shows_interval(compare_certainty(all, row, column->name));
	return any;
}

/* Below a difference. */
struct below {
	const char *heading;
	bool (*applies)(const struct sl_certainty *known);
	void (*cell)(char text[120], const struct sl_certainty *known);
};

static void interval_text(char text[120], const struct sl_certainty *known)
{
	char low[48];
	char high[48];
	(void)snprintf(text, 120, "[%s, %s]", screen_signed(low, known->ratio_low * 100, 1),
		screen_signed(high, known->ratio_high * 100, 1));
}

static bool has_evidence(const struct sl_certainty *known) { return known && known->known && known->blocks; }

/* "8.1 of 40": the effective number of samples. */
static void evidence_text(char text[120], const struct sl_certainty *known)
{
	char number[48];
	(void)screen_number(number, known->effective / 100000 * 100000, 1);
	(void)snprintf(text, 120, "%s of %u", number, (unsigned)known->blocks);
}

static bool has_test(const struct sl_certainty *known) { return known && known->tested; }

static void test_text(char text[120], const struct sl_certainty *known)
{
	char number[48];
	(void)snprintf(text, 120, "%s",
		known->p < 0.0001 ? "< 0.0001" : screen_number(number, (int64_t)(known->p * 1e6 + 0.5), 4));
}

static void below_rows(struct screen_table *table, const struct comparison *all, size_t row)
{
	const struct below rows[] = { { "  interval", shows_interval, interval_text },
		{ "  effective", has_evidence, evidence_text }, { "  p", has_test, test_text } };
	for (size_t i = 0; i < SL_LEN(rows); i++) {
		bool any = false;
		for (const struct summary_metric *column = all->column; column->name; column++)
			any |= rows[i].applies(compare_certainty(all, row, column->name));
		if (!any)
			continue;
		screen_cell(table, false, "%s", rows[i].heading);
		for (const struct summary_metric *column = all->column; column->name; column++) {
			const struct sl_certainty *known = compare_certainty(all, row, column->name);
			char text[120] = "";
			if (rows[i].applies(known))
				rows[i].cell(text, known);
			screen_cell(table, true, "%s", text);
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
	for (const struct summary_metric *column = all->column; column->name; column++) {
		const size_t rows = rows_with(all, column->name, method);
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
		if (strcmp(all->reported.difference[k].method, all->reported.difference[i].method) == 0)
			return true;
	return false;
}

static bool compare_table_is_displayed(const struct comparison *all, const char *metric)
{
	for (const struct summary_metric *column = all->column; column->name; column++)
		if (strcmp(column->name, metric) == 0)
			return true;
	return false;
}

static bool is_covered(const struct comparison *all, const char *metric, unsigned covers)
{
	for (size_t row = 1; row < all->count; row++) {
		const struct sl_certainty *known = compare_certainty(all, row, metric);
		if (shows_interval(known) && known->ratio_covers == covers)
			return true;
	}
	return false;
}

/* In how many of a hundred logs, at least, intervals of each column hold what many logs have. */
static void covers_print(const struct comparison *all)
{
	for (unsigned covers = 100; covers; covers--) {
		const char *before = ": ";
		size_t at = 0;
		for (const struct summary_metric *column = all->column; column->name; column++) {
			if (!is_covered(all, column->name, covers))
				continue;
			if (!at)
				at = (size_t)printf(
					"intervals that hold in %u of 100 logs what all have together",
					covers);
			item_print(&at, before, column->heading, "");
			before = ", ";
		}
		if (at)
			(void)printf("\n");
	}
}

/* How the intervals were found, by method; or why there are none. */
void compare_methods(const struct comparison *all)
{
	bool any = false;
	for (size_t row = 1; row < all->count; row++)
		any |= any_interval(all, row);
	if (all->reported.apart)
		(void)printf("\n%s\n", all->reported.apart);
	if (all->resource && !all->table)
		(void)printf(
			"\nutilization and lost capacity of all are of %s, the scarcest resource of the first\n",
			resource_word(all->resource));
	for (size_t i = 0; !any && i < all->reported.difference_count; i++)
		if (compare_table_is_displayed(
			    all, all->reported.difference[i].metric)) { /* The first is the mean wait. */
			if (!has_interval(&all->reported.difference[i]))
				(void)printf("\n%s\n", all->reported.difference[i].method);
			return;
		}
	if (!any)
		return;
	(void)printf(all->reported.apart
			     ? "\n"
			     : "\n* told from no difference by a test at 5 %%, ~ not told from it\n");
	covers_print(all);
	for (size_t i = 0; i < all->reported.difference_count; i++) {
		bool displayed = false;
		for (size_t k = i; k < all->reported.difference_count && !displayed; k++)
			displayed = compare_table_is_displayed(all, all->reported.difference[k].metric) &&
				    strcmp(all->reported.difference[k].method,
					    all->reported.difference[i].method) == 0;
		if (displayed && !said_before(all, i))
			method_print(all, all->reported.difference[i].method);
	}
}

static void table_print(const struct comparison *all)
{
	const size_t columns = columns_metric_info(all) + 1;
	struct screen_table *table = screen_table_new(all->args->arena, columns);
	screen_cell(table, false, "policy");
	for (const struct summary_metric *column = all->column; column->name; column++)
		screen_cell(table, true, "%s", column->heading);
	for (size_t i = 0; i < all->count; i++)
		values_row(table, all, &all->row[i]);
	const bool differ = all->count > 1 && all_whole(all);
	if (differ) {
		screen_blanks(table, columns);
		screen_cell(table, false, "against %s", all->row[0].label);
		screen_blanks(table, columns - 1);
	}
	for (size_t i = 1; differ && i < all->count; i++) {
		differences_row(table, all, i);
		below_rows(table, all, i);
	}
	screen_print(table, stdout);
	if (differ)
		compare_methods(all);
}

/* An end of an interval: null where there is none. */
static struct datum datum_end(const char *key, bool there, int64_t micro)
{
	return datum_micro(key, there ? micro : SL_NONE);
}

/* In hundredths, with both digits. */
static struct datum datum_covers(const char *key, char text[16], unsigned covers)
{
	(void)snprintf(text, 16, "0.%02u", covers);
	return datum_if(covers, datum_plain(key, text));
}

static void json_differences(struct json *json, const struct comparison *all)
{
	if (!all->reported.difference_count)
		return;
	json_nest(json, "differences", '[', &json_lines_0);
	for (size_t i = 0; i < all->reported.difference_count; i++) {
		const struct sl_difference *said = &all->reported.difference[i];
		const struct sl_certainty *known = &all->reported.certainty[i];
		char covers[2][16];
		json_object(json, NULL, datum_text("policy", all->row[said->run].policy),
			datum_count("run", said->run + 1), datum_text("metric", said->metric),
			datum_micro("estimate", said->estimate),
			datum_end("low", has_interval(said), said->low),
			datum_end("high", has_interval(said), said->high),
			datum_end("ratio_low", shows_interval(known), known->ratio_low),
			datum_end("ratio_high", shows_interval(known), known->ratio_high),
			datum_covers("covers", covers[0], known->covers),
			datum_covers("ratio_covers", covers[1], known->ratio_covers),
			datum_if(known->blocks, datum_count("differing", known->differing)),
			datum_if(known->blocks, datum_micro("effective", known->effective)),
			datum_flag("told_apart", known->sure),
			datum_if(known->tested, datum_micro("wilcoxon_p", (int64_t)(known->p * 1e6 + 0.5))),
			datum_if(known->tested, datum_flag("wilcoxon_exact", known->exact)),
			datum_count("samples", said->samples), datum_text("method", said->method));
	}
	json_close(json);
}

static void json_partings(struct json *json, const struct comparison *all)
{
	if (!all->parting)
		return;
	json_nest(json, "first_differences", '[', &json_lines_0);
	for (size_t i = 1; i < all->count; i++) {
		const struct compared_parting *parting = &all->parting[i];
		json_nest(json, NULL, '{', &json_one_line);
		json_put(json, datum_count("run", i + 1), datum_given("not_made_again", parting->why));
		if (parting->known) {
			json_line(json, 0);
			first_difference_json(&parting->is, "found", json);
		}
		json_close(json);
	}
	json_close(json);
}

int compare_json(const struct comparison *all, struct sl_out *out, struct sl_err *err)
{
	static const struct json_form of_run = { " ", ", ", "", false };
	struct json json;
	json_start_in(&json, out, &json_open_lines);
	json_nest(&json, "runs", '[', &json_lines_0);
	for (size_t i = 0; i < all->count; i++) {
		const struct compared_row *row = &all->row[i];
		json_nest(&json, NULL, '{', &of_run);
		json_put(&json, datum_if(all->heading, datum_text("name", row->label)),
			datum_text("policy", row->policy), datum_text("cluster", row->cluster),
			datum_if(row->partial, datum_flag("partial", true)));
		metrics_json(json_raw(&json, "metrics"), &row->metrics);
		json_close(&json);
	}
	json_close(&json);
	json_put(&json, datum_given("apart", all->reported.apart), datum_given("resource", all->resource));
	json_differences(&json, all);
	json_partings(&json, all);
	return json_finish(&json, all->more ? all->more(all->self, &json, err) : SL_OK, err);
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
	if (arg_flag(all->args, "json")) {
		struct sl_out *out;
		const int status = sl_out_open(&out, NULL, err);
		return status ? status : compare_json(all, out, err);
	}
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
	csv_begin(out, datum_text(NULL, all->row[r].policy), datum_text(NULL, all->row[r].cluster));
	for (size_t i = 0; i < names->count; i++) {
		const int64_t *value = metrics_get(&all->row[r].metrics, names->row[i].name);
		if (in_csv(all, names->row[i].name))
			csv_more(out, datum_end(NULL, value, value ? *value : 0));
	}
	csv_more(out, datum_flag(NULL, all->row[r].partial));
	for (size_t i = 0; i < names->count; i++) {
		const struct sl_difference *said = compare_difference(all, r, names->row[i].name);
		if (csv_has(all, names->row[i].name))
			csv_more(out, datum_end(NULL, said, said ? said->estimate : 0),
				datum_end(NULL, has_interval(said), said ? said->low : 0),
				datum_end(NULL, has_interval(said), said ? said->high : 0));
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
		if (in_csv(all, names->row[i].name))
			csv_more(out, datum_text(NULL, names->row[i].name));
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
	sl_out_text(out,
		"run,policy,metric,estimate,low,high,samples,method,covers,ratio_low,ratio_high,ratio_covers,"
		"differing,effective,told_apart,wilcoxon_p\n");
	for (size_t i = 0; i < all->reported.difference_count; i++) {
		const struct sl_difference *said = &all->reported.difference[i];
		const struct sl_certainty *known = &all->reported.certainty[i];
		csv_begin(out, datum_count(NULL, said->run + 1), datum_text(NULL, all->row[said->run].policy),
			datum_plain(NULL, said->metric), datum_micro(NULL, said->estimate),
			datum_end(NULL, has_interval(said), said->low),
			datum_end(NULL, has_interval(said), said->high), datum_count(NULL, said->samples),
			datum_text(NULL, said->method),
			datum_end(NULL, known->covers, known->covers * INT64_C(10000)),
			datum_end(NULL, shows_interval(known), known->ratio_low),
			datum_end(NULL, shows_interval(known), known->ratio_high),
			datum_end(NULL, known->ratio_covers, known->ratio_covers * INT64_C(10000)),
			datum_end(NULL, known->blocks, known->differing * INT64_C(1000000)),
			datum_end(NULL, known->blocks, known->effective), datum_flag(NULL, known->sure),
			datum_end(NULL, known->tested, (int64_t)(known->p * 1e6 + 0.5)));
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

int compare_files(const struct comparison *all, struct sl_err *err)
{
	int status = compare_csv(all, err);
	if (!status && all->reported.difference_count)
		status = differences_csv(all, err);
	return status || !all->replication ? status : replications_csv(all, err);
}
