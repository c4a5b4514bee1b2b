/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sprio.c - sprio: what the priorities of the waiting jobs are made of.
 *
 * Columns and their rounding follow sprio(1) of Slurm 22.05: each weighted factor is rounded, their sum is
 * cut.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/moment/view.h"

/* A row of the policy's table of jobs; or that of weights. */
struct line {
	const struct view_table *table, *weights;
	size_t row;
	bool is_weights;
};

struct prio_view {
	struct view view;
	const char *format, *sort;
	struct view_list jobs, users, partitions;
	bool bare, long_list, norm, weights;
	struct line *line;
	size_t count;
};

/* ---- Fields --------------------------------------------------------------------------------------- */

#define LINE ((const struct line *)line)

static uint32_t view_sprio_job_of(const struct line *of)
{
	return (uint32_t)table_number(of->table, of->row, "job");
}

static double view_sprio_number_of(const struct line *of, const char *column)
{
	return table_number(of->is_weights ? of->weights : of->table, of->row, column);
}

static double view_sprio_sum_of(const struct line *of)
{
	static const char *const part[] = { "age", "assoc", "fairshare", "jobsize", "part", "qos", "site",
		"tres_sum" };
	double sum = -view_sprio_number_of(of, "nice");
	if (view_sprio_number_of(of, "direct") > 0)
		return view_sprio_number_of(of, "priority");
	for (size_t i = 0; i < SL_LEN(part); i++)
		sum += view_sprio_number_of(of, part[i]);
	return sum < 1 ? 1 : sum;
}

/* The factor without its weight, or with it; of weights the weight. */
static void put_factor(struct cell *cell, const void *line, const char *column, bool norm)
{
	const struct line *of = line;
	const double value = view_sprio_number_of(of, column);
	if (!norm || of->is_weights) {
		cell_put(cell, "%.0f", value);
		return;
	}
	const double weight = table_number(of->weights, 0, column);
	cell_put(cell, "%.7f", weight > 0 ? value / weight : 0);
}

#define FACTOR(name, column, norm) \
	VIEW_FIELD(name) { put_factor(cell, line, column, norm); }
FACTOR(put_age_norm, "age", true)
FACTOR(put_age, "age", false)
FACTOR(put_assoc_norm, "assoc", true)
FACTOR(put_assoc, "assoc", false)
FACTOR(put_fair_norm, "fairshare", true)
FACTOR(put_fair, "fairshare", false)
FACTOR(put_size_norm, "jobsize", true)
FACTOR(put_size, "jobsize", false)
FACTOR(put_part_norm, "part", true)
FACTOR(put_part, "part", false)
FACTOR(put_qos_norm, "qos", true)
FACTOR(put_qos, "qos", false)
FACTOR(put_site, "site", false)

VIEW_FIELD(put_id)
{
	const struct line *of = line;
	const int64_t array = of->is_weights ? SL_NONE : view_array(view, view_sprio_job_of(of));
	if (of->is_weights)
		cell_put(cell, "Weights");
	else if (array != SL_NONE && view_sprio_number_of(of, "array") > 0)
		cell_put(cell, "%" PRId64, array); /* Its waiting tasks are one. */
	else
		put_job_raw(cell, view, view_sprio_job_of(of));
}

/* What follows is empty in the line of weights. */
#define PLAIN (!LINE->is_weights)

VIEW_FIELD(view_sprio_put_cluster) { cell_put(cell, "%s", view->cluster->name ? view->cluster->name : ""); }

VIEW_FIELD(put_account_of)
{
	if (PLAIN)
		put_account(cell, view, view_sprio_job_of(line), "");
}

VIEW_FIELD(put_qos_of)
{
	const char *qos = PLAIN ? table_text(LINE->table, LINE->row, "qos_name") : "";
	if (PLAIN && !*qos)
		qos = view_qos(view, view_sprio_job_of(line));
	cell_put(cell, "%s", qos ? qos : "");
}

VIEW_FIELD(put_owner)
{
	if (PLAIN)
		put_user(cell, view, view_sprio_job_of(line), "unknown");
}

VIEW_FIELD(put_partition_of)
{
	if (PLAIN)
		cell_put(cell, "%s", table_text(LINE->table, LINE->row, "partition"));
}

VIEW_FIELD(put_nice)
{
	if (PLAIN)
		cell_put(cell, "%.0f", view_sprio_number_of(line, "nice"));
}

VIEW_FIELD(put_priority)
{
	if (PLAIN)
		cell_put(cell, "%" PRId64, (int64_t)view_sprio_sum_of(line));
}

VIEW_FIELD(put_priority_norm)
{
	if (!PLAIN)
		return;
	const bool direct = view_sprio_number_of(line, "direct") > 0;
	cell_put(cell, "%16.14f", direct ? view_sprio_sum_of(line) : view_sprio_sum_of(line) / UINT32_MAX);
}

VIEW_FIELD(put_tres_norm)
{
	if (PLAIN)
		cell_put(cell, "%s", table_text(LINE->table, LINE->row, "tres_norm"));
}

VIEW_FIELD(put_tres_weighted)
{
	cell_put(cell, "%s", table_text(PLAIN ? LINE->table : LINE->weights, LINE->row, "tres"));
}

static const struct view_field fields[] = {
	{ 'a', NULL, "AGE", put_age_norm, 0 },
	{ 'A', NULL, "AGE", put_age, 0 },
	{ 'b', NULL, "ASSOC", put_assoc_norm, 0 },
	{ 'B', NULL, "ASSOC", put_assoc, 0 },
	{ 'c', NULL, "CLUSTER", view_sprio_put_cluster, 0 },
	{ 'f', NULL, "FAIRSHARE", put_fair_norm, 0 },
	{ 'F', NULL, "FAIRSHARE", put_fair, 0 },
	{ 'i', NULL, "JOBID", put_id, 0 },
	{ 'j', NULL, "JOBSIZE", put_size_norm, 0 },
	{ 'J', NULL, "JOBSIZE", put_size, 0 },
	{ 'n', NULL, "QOSNAME", put_qos_of, 0 },
	{ 'N', NULL, "NICE", put_nice, 0 },
	{ 'o', NULL, "ACCOUNT", put_account_of, 0 },
	{ 'p', NULL, "PARTITION", put_part_norm, 0 },
	{ 'P', NULL, "PARTITION", put_part, 0 },
	{ 'q', NULL, "QOS", put_qos_norm, 0 },
	{ 'Q', NULL, "QOS", put_qos, 0 },
	{ 'r', NULL, "PARTITION", put_partition_of, 0 },
	{ 'S', NULL, "SITE", put_site, 0 },
	{ 't', NULL, "TRES", put_tres_norm, 0 },
	{ 'T', NULL, "TRES", put_tres_weighted, 0 },
	{ 'u', NULL, "USER", put_owner, 0 },
	{ 'y', NULL, "PRIORITY", put_priority_norm, 0 },
	{ 'Y', NULL, "PRIORITY", put_priority, 0 },
	{ 0 },
};

/* ---- The format ---------------------------------------------------------------------------------------- */

/* Without -l columns of no weight are left out. */
static const struct {
	const char *column, *norm, *plain;
	bool always, users;
} parts[] = {
	{ NULL, " %.8u", " %.8u", false, true },
	{ NULL, " %10y", " %.10Y", true, false },
	{ NULL, "", " %.10S", true, false },
	{ "age", " %10a", " %.10A", false, false },
	{ "assoc", " %10b", " %.10B", false, false },
	{ "fairshare", " %10f", " %.10F", false, false },
	{ "jobsize", " %10j", " %.10J", false, false },
	{ "part", " %10p", " %.10P", false, false },
	{ "qos", " %10q", " %.10Q", false, false },
	{ "tres", " %20t", " %.20T", false, false },
};

static bool is_weighed(const struct view_table *weights, const char *column)
{
	return strcmp(column, "tres") == 0 ? *table_text(weights, 0, column) != '\0'
					   : table_number(weights, 0, column) > 0;
}

static int make_format(const struct prio_view *prio, struct view_format *format, struct sl_err *err)
{
	const struct view_table *weights = &prio->view.table[VIEW_TABLE_WEIGHTS];
	struct cell cell = { 0 };
	if (prio->format)
		return format_short(format, prio->format, fields, "sprio", err);
	if (prio->long_list)
		return format_short(format,
			prio->norm
				? "%.15i %9r %.8u %10y %10S %10a %10b %10f %10j %10p %10q %20t"
				: "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T",
			fields, "sprio", err);
	cell_put(&cell, "%%.15i %%9r");
	for (size_t i = 0; i < SL_LEN(parts); i++)
		if (parts[i].always || (parts[i].users && prio->users.count) ||
			(parts[i].column && is_weighed(weights, parts[i].column)))
			cell_put(&cell, "%s", prio->norm ? parts[i].norm : parts[i].plain);
	const char *text = sl_strdup(prio->view.arena, cell.text ? cell.text : "", cell.len);
	cell_free(&cell);
	return text ? format_short(format, text, fields, "sprio", err) : sl_fail_memory(err);
}

/* ---- Lines ------------------------------------------------------------------------------------------------
 */

static const struct view_tool sprio;

static bool view_sprio_is_displayed(const struct prio_view *prio, const struct line *line, struct cell *cell)
{
	return table_number(line->table, line->row, "listed") > 0 &&
	       list_has_job(&prio->jobs, &prio->view, view_sprio_job_of(line)) &&
	       view_selects(&sprio, prio, line, cell);
}

static int view_sprio_gather(struct prio_view *prio, struct sl_err *err)
{
	const struct view_table *table = &prio->view.table[VIEW_TABLE_JOBS];
	struct cell cell = { 0 };
	prio->line = sl_alloc(prio->view.arena, table->row_count + 1, sizeof(*prio->line));
	if (!prio->line)
		return sl_fail_memory(err);
	for (size_t row = 0; row < table->row_count; row++) {
		const struct line line = { table, &prio->view.table[VIEW_TABLE_WEIGHTS], row, false };
		if (view_sprio_is_displayed(prio, &line, &cell))
			prio->line[prio->count++] = line;
	}
	cell_free(&cell);
	return SL_OK;
}

/* By the keys of -S, then by job and as its partitions are. */
static bool sorted_number(
	const struct view *view, const void *line, const struct view_key *key, struct view_value *value)
{
	static const struct {
		const char *letters, *column;
	} numbers[] = { { "aA", "age" }, { "bB", "assoc" }, { "fF", "fairshare" }, { "jJ", "jobsize" },
		{ "pP", "part" }, { "qQ", "qos" }, { "S", "site" }, { "N", "nice" }, { "i", "job" },
		{ "tT", "tres_sum" } };
	size_t i = 0;
	(void)view;
	while (i < SL_LEN(numbers) && !strchr(numbers[i].letters, key->letter))
		i++;
	if (key->letter == 'y' || key->letter == 'Y')
		value->real = view_sprio_sum_of(line);
	else if (i < SL_LEN(numbers))
		value->real = view_sprio_number_of(line, numbers[i].column);
	else
		return false;
	return true;
}

static int by_job(const struct view *view, const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	const double of_x = view_sprio_number_of(x, "job");
	const double of_y = view_sprio_number_of(y, "job");
	const int order = (of_x > of_y) - (of_x < of_y);
	(void)view;
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int view_sprio_sort(struct prio_view *prio, struct sl_err *err)
{
	struct view_order order = {
		.view = &prio->view, .fields = fields, .number = sorted_number, .tie = by_job
	};
	const int status = order_take(&order, prio->sort ? prio->sort : "", ",", "sprio", err);
	return status ? status : order_lines(&order, prio->line, prio->count, sizeof(*prio->line), err);
}

/* ---- Options
 * -------------------------------------------------------------------------------------------------- */

#define VIEW_SELF struct prio_view
static const struct view_option options[] = {
	{ OPT_SKIP("federation", 0) },
	{ OPT_TEXT("format", 'o', format) },
	{ OPT_HELP("help", 0) },
	{ OPT_JOBS("jobs", 'j', jobs) },
	{ OPT_SKIP("local", 0) },
	{ OPT_FLAG("long", 'l', long_list) },
	{ OPT_FLAG("noheader", 'h', bare) },
	{ OPT_FLAG("norm", 'n', norm) },
	{ OPT_LIST("partition", 'p', partitions, put_partition_of, NULL) },
	{ OPT_SKIP("sibling", 0) },
	{ OPT_TEXT("sort", 'S', sort) },
	{ OPT_HELP("usage", 0) },
	{ OPT_LIST("user", 'u', users, put_owner, NULL) },
	{ OPT_LIST("users", 'u', users, NULL, NULL) },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_FLAG("weights", 'w', weights) },
	{ OPT_SKIP_VALUE(NULL, 'M') },
};

static int view_sprio_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct prio_view *prio = self;
	struct view_format format;
	struct view_table *weights = &prio->view.table[VIEW_TABLE_WEIGHTS];
	if (prio->long_list && prio->format)
		return view_refuse("sprio", err,
			"fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and "
			"retry.");
	int status = call_open(&prio->view, call, false, err);
	if (!status && !weights->known)
		return view_refuse(
			"sprio", err, "the run's policy tells nothing of its priorities: slurm does");
	if (!status && !(table_number(weights, 0, "multifactor") > 0))
		return view_refuse("sprio", err,
			"You are not running a supported priority plugin\n(priority/basic).\n"
			"Only 'priority/multifactor' is supported.");
	if (!status)
		status = make_format(prio, &format, err);
	if (!status)
		status = view_sprio_gather(prio, err);
	if (!status)
		status = view_sprio_sort(prio, err);
	if (status)
		return status;
	if (!prio->bare)
		format_heading(&format);
	if (prio->weights) {
		const struct line line = { weights, weights, 0, true };
		format_line(&format, &prio->view, &line);
		return SL_OK;
	}
	for (size_t i = 0; i < prio->count; i++)
		format_line(&format, &prio->view, &prio->line[i]);
	return SL_OK;
}

static const struct view_tool sprio = {
	.name = "sprio",
	.help = "Usage: sprio [OPTIONS]\n"
		"  -j, --jobs=LIST       -p, --partition=LIST  -u, --user=LIST       -S, --sort=FIELDS\n"
		"  -h, --noheader        -l, --long            -n, --norm            -o, --format=FORMAT\n"
		"  -w, --weights         -V, --version         --help, --usage\n",
	.stray = "",
	.option = options,
	.option_count = SL_LEN(options),
	.show = view_sprio_show,
};

int view_sprio(const struct view_call *call, struct sl_err *err)
{
	struct prio_view prio = { 0 };
	return view_run(&sprio, &prio, call, err);
}
