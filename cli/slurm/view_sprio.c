/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sprio.c - sprio: what the priorities of the waiting jobs are made of.
 *
 * Columns and their rounding follow sprio(1) of Slurm 22.05: each weighted factor is rounded, their sum is
 * cut.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	bool heading, long_list, norm, weights, jobs_next;
	struct line *line;
	size_t count;
};

/* ---- Fields --------------------------------------------------------------------------------------- */

#define FIELD(name) static void name(struct cell *cell, const struct view *view, const void *line)

static uint32_t job_of(const struct line *of) { return (uint32_t)table_number(of->table, of->row, "job"); }

static double number_of(const struct line *of, const char *column)
{
	return table_number(of->is_weights ? of->weights : of->table, of->row, column);
}

static double sum_of(const struct line *of)
{
	static const char *const part[] = { "age", "assoc", "fairshare", "jobsize", "part", "qos", "site",
		"tres_sum" };
	double sum = -number_of(of, "nice");
	if (number_of(of, "direct") > 0)
		return number_of(of, "priority");
	for (size_t i = 0; i < SL_LEN(part); i++)
		sum += number_of(of, part[i]);
	return sum < 1 ? 1 : sum;
}

/* The factor without its weight, or with it; of weights the weight. */
static void put_factor(struct cell *cell, const void *line, const char *column, bool norm)
{
	const struct line *of = line;
	const double value = number_of(of, column);
	if (!norm || of->is_weights) {
		cell_put(cell, "%.0f", value);
		return;
	}
	const double weight = table_number(of->weights, 0, column);
	cell_put(cell, "%.7f", weight > 0 ? value / weight : 0);
}

#define FACTOR(name, column, norm)                    \
	FIELD(name)                                   \
	{                                             \
		(void)view;                           \
		put_factor(cell, line, column, norm); \
	}
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

FIELD(put_id)
{
	const struct line *of = line;
	const int64_t array = of->is_weights ? SL_NONE : view_array(view, job_of(of));
	if (of->is_weights)
		cell_put(cell, "Weights");
	else if (array != SL_NONE && number_of(of, "array") > 0)
		cell_put(cell, "%" PRId64, array); /* Its waiting tasks are one. */
	else
		put_job_raw(cell, view, job_of(of));
}

/* What follows is empty in the line of weights. */
#define PLAIN (!((const struct line *)line)->is_weights)

FIELD(put_cluster)
{
	(void)line;
	cell_put(cell, "%s", view->cluster->name ? view->cluster->name : "");
}

FIELD(put_account_of)
{
	if (PLAIN)
		put_account(cell, view, job_of(line), "");
}

FIELD(put_qos_of)
{
	const struct sl_job_more *more = PLAIN ? view_more(view, job_of(line)) : NULL;
	if (more && more->qos)
		cell_put(cell, "%s", more->qos);
}

FIELD(put_owner)
{
	if (PLAIN)
		put_user(cell, view, job_of(line), "unknown");
}

FIELD(put_partition_of)
{
	(void)view;
	if (PLAIN)
		cell_put(cell, "%s",
			table_text(((const struct line *)line)->table, ((const struct line *)line)->row,
				"partition"));
}

FIELD(put_nice)
{
	(void)view;
	if (PLAIN)
		cell_put(cell, "%.0f", number_of(line, "nice"));
}

FIELD(put_priority)
{
	(void)view;
	if (PLAIN)
		cell_put(cell, "%" PRId64, (int64_t)sum_of(line));
}

FIELD(put_priority_norm)
{
	(void)view;
	if (!PLAIN)
		return;
	const bool direct = number_of(line, "direct") > 0;
	cell_put(cell, "%16.14f", direct ? sum_of(line) : sum_of(line) / UINT32_MAX);
}

FIELD(put_tres_norm)
{
	const struct line *of = line;
	(void)view;
	if (PLAIN)
		cell_put(cell, "%s", table_text(of->table, of->row, "tres_norm"));
}

FIELD(put_tres_weighted)
{
	const struct line *of = line;
	(void)view;
	cell_put(cell, "%s", table_text(of->is_weights ? of->weights : of->table, of->row, "tres"));
}

static const struct view_field fields[] = {
	{ 'a', NULL, "AGE", put_age_norm, 0 },
	{ 'A', NULL, "AGE", put_age, 0 },
	{ 'b', NULL, "ASSOC", put_assoc_norm, 0 },
	{ 'B', NULL, "ASSOC", put_assoc, 0 },
	{ 'c', NULL, "CLUSTER", put_cluster, 0 },
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

static bool is_shown(struct prio_view *prio, const struct line *line, struct cell *cell)
{
	const struct view *view = &prio->view;
	if (!(table_number(line->table, line->row, "listed") > 0) ||
		!list_has_job(&prio->jobs, view, job_of(line)) ||
		!list_has(&prio->partitions, table_text(line->table, line->row, "partition")))
		return false;
	put_user(cell, view, job_of(line), "unknown");
	return list_has_cell(&prio->users, cell);
}

static int gather(struct prio_view *prio, struct sl_err *err)
{
	const struct view_table *table = &prio->view.table[VIEW_TABLE_JOBS];
	struct cell cell = { 0 };
	prio->line = sl_alloc(prio->view.arena, table->row_count + 1, sizeof(*prio->line));
	if (!prio->line)
		return sl_fail_memory(err);
	for (size_t row = 0; row < table->row_count; row++) {
		const struct line line = { table, &prio->view.table[VIEW_TABLE_WEIGHTS], row, false };
		if (is_shown(prio, &line, &cell))
			prio->line[prio->count++] = line;
	}
	cell_free(&cell);
	return SL_OK;
}

/* By the keys of -S, then by job and as its partitions are. */
enum { KEYS_MAX = 16 };
struct key {
	char letter;
	bool down;
};
struct keys {
	struct key key[KEYS_MAX];
	size_t count;
	const struct view *view;
};

static int compare_numbers(double a, double b) { return (a > b) - (a < b); }

static int compare_texts(const struct keys *keys, char letter, const struct line *a, const struct line *b)
{
	struct cell one = { 0 };
	struct cell other = { 0 };
	const struct view_field *field = fields;
	while (field->letter != letter)
		field++;
	field->put(&one, keys->view, a);
	field->put(&other, keys->view, b);
	const int order = strcmp(one.len ? one.text : "", other.len ? other.text : "");
	cell_free(&one);
	cell_free(&other);
	return order;
}

static int compare_by(const struct keys *keys, char letter, const struct line *a, const struct line *b)
{
	static const struct {
		const char *letters, *column;
	} numbers[] = { { "aA", "age" }, { "bB", "assoc" }, { "fF", "fairshare" }, { "jJ", "jobsize" },
		{ "pP", "part" }, { "qQ", "qos" }, { "S", "site" }, { "N", "nice" }, { "i", "job" },
		{ "tT", "tres_sum" } };
	if (letter == 'y' || letter == 'Y')
		return compare_numbers(sum_of(a), sum_of(b));
	for (size_t i = 0; i < SL_LEN(numbers); i++)
		if (strchr(numbers[i].letters, letter))
			return compare_numbers(
				number_of(a, numbers[i].column), number_of(b, numbers[i].column));
	return compare_texts(keys, letter, a, b);
}

static int compare_lines(const void *a, const void *b, void *self)
{
	const struct keys *keys = self;
	const struct line *x = a;
	const struct line *y = b;
	int order = 0;
	for (size_t i = 0; i < keys->count && !order; i++) {
		order = compare_by(keys, keys->key[i].letter, x, y);
		order = keys->key[i].down ? -order : order;
	}
	if (!order)
		order = compare_numbers(number_of(x, "job"), number_of(y, "job"));
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int sort(struct prio_view *prio, struct sl_err *err)
{
	struct keys keys = { .view = &prio->view };
	for (const char *p = prio->sort ? prio->sort : ""; *p; p++) {
		const bool down = *p == '-';
		p += strspn(p, "+-#");
		if (*p == ',')
			continue;
		const struct view_field *field = fields;
		while (field->letter && field->letter != *p)
			field++;
		if (!field->letter || keys.count == KEYS_MAX)
			return view_refuse("sprio", err, "error: Invalid sort specification: %.40s", p);
		keys.key[keys.count++] = (struct key){ *p, down };
	}
	if (prio->count)
		qsort_r(prio->line, prio->count, sizeof(*prio->line), compare_lines, &keys);
	return SL_OK;
}

/* ---- Options
 * -------------------------------------------------------------------------------------------------- */

enum { LONG_HELP = 256, LONG_USAGE, LONG_NOTHING };

static const struct option long_options[] = {
	{ "federation", no_argument, NULL, LONG_NOTHING },
	{ "format", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, LONG_HELP },
	{ "jobs", optional_argument, NULL, 'j' },
	{ "local", no_argument, NULL, LONG_NOTHING },
	{ "long", no_argument, NULL, 'l' },
	{ "noheader", no_argument, NULL, 'h' },
	{ "norm", no_argument, NULL, 'n' },
	{ "partition", required_argument, NULL, 'p' },
	{ "sibling", no_argument, NULL, LONG_NOTHING },
	{ "sort", required_argument, NULL, 'S' },
	{ "usage", no_argument, NULL, LONG_USAGE },
	{ "user", required_argument, NULL, 'u' },
	{ "users", required_argument, NULL, 'u' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "weights", no_argument, NULL, 'w' },
	{ NULL, 0, NULL, 0 },
};

static void help(void)
{
	printf("Usage: sprio [OPTIONS]\n"
	       "  -j, --jobs=LIST       -p, --partition=LIST  -u, --user=LIST       -S, --sort=FIELDS\n"
	       "  -h, --noheader        -l, --long            -n, --norm            -o, --format=FORMAT\n"
	       "  -w, --weights         -V, --version         --help, --usage\n");
}

static int take_option(
	struct prio_view *prio, int option, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	switch (option) {
	case 'j':
		prio->jobs_next = !text;
		return text ? view_list(&prio->jobs, text, arena, err) : SL_OK;
	case 'p':
		return view_list(&prio->partitions, text, arena, err);
	case 'u':
		return view_list(&prio->users, text, arena, err);
	case 'o':
		prio->format = text;
		break;
	case 'S':
		prio->sort = text;
		break;
	case 'h':
		prio->heading = false;
		break;
	case 'l':
		prio->long_list = true;
		break;
	case 'n':
		prio->norm = true;
		break;
	case 'w':
		prio->weights = true;
		break;
	case '?':
		return view_bad_option("sprio", err);
	default:
		break;
	}
	return SL_OK;
}

static int show(struct prio_view *prio, const struct view_call *call, struct sl_err *err)
{
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
		status = gather(prio, err);
	if (!status)
		status = sort(prio, err);
	if (status)
		return status;
	if (prio->heading)
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

int view_sprio(const struct view_call *call, struct sl_err *err)
{
	struct prio_view prio = { .heading = true };
	int option;
	int status = SL_OK;
	while (!status && (option = view_option(call, "hj::lM:no:S:p:u:vVw", long_options)) != -1) {
		if (option == LONG_HELP || option == LONG_USAGE) {
			help();
			return SL_OK;
		}
		if (option == 'V') {
			printf("schedlab " SL_VERSION "\n");
			return SL_OK;
		}
		status = take_option(&prio, option, optarg, call->arena, err);
	}
	/* "-j 7": the list is a word of its own. */
	if (!status && prio.jobs_next && optind < call->argc)
		status = view_list(&prio.jobs, call->argv[optind++], call->arena, err);
	if (!status && optind < call->argc)
		status = view_refuse("sprio", err, "error: Unrecognized option: %s", call->argv[optind]);
	if (!status)
		status = show(&prio, call, err);
	view_close(&prio.view);
	return status;
}
