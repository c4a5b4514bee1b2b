/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sshare.c - sshare: shares and usage of the associations, as of the last calculation.
 *
 * Columns, cuts and empty cells follow sshare(1) of Slurm 22.05.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/moment/view.h"

enum kind { TEXT, WHOLE, REAL, LIST, ACCOUNT };

/* In this order an abbreviation finds its column. */
static const struct column {
	const char *name, *of; /* Of the policy's table; NULL: of the cluster. */
	int width;             /* Negative: to the left. */
	enum kind kind;
} columns[] = {
	{ "Account", "account", -20, ACCOUNT },
	{ "Cluster", NULL, 10, TEXT },
	{ "EffectvUsage", "effective_usage", 13, REAL },
	{ "FairShare", "fairshare", 10, REAL },
	{ "LevelFS", "level_fs", 10, REAL },
	{ "ID", "id", 6, WHOLE },
	{ "NormShares", "norm_shares", 11, REAL },
	{ "NormUsage", "norm_usage", 11, REAL },
	{ "Partition", "partition", 12, TEXT },
	{ "RawShares", "raw_shares", 10, WHOLE },
	{ "RawUsage", "raw_usage", 11, WHOLE },
	{ "User", "user", 10, TEXT },
	{ "GrpTRESMins", "grp_tres_mins", 30, LIST },
	{ "TRESRunMins", "tres_run_mins", 30, LIST },
};

enum { COLUMNS_MAX = 64 };
struct shown {
	const struct column *column;
	int width;
};

enum parsable { PARSE_NOT, PARSE_BARE, PARSE_ENDED };

struct share_view {
	struct view view;
	const char *format;
	struct view_list accounts, users;
	bool heading, all, long_list, partitions, users_only;
	enum parsable parsable;
	struct shown shown[COLUMNS_MAX];
	size_t count;
};

/* ---- Cells ----------------------------------------------------------------------------------------------
 */

static void put_value(
	struct cell *cell, const struct share_view *share, const struct column *column, size_t row)
{
	const struct view_table *table = &share->view.table[VIEW_TABLE_SHARES];
	if (!column->of) {
		cell_put(cell, "%s", share->view.cluster->name ? share->view.cluster->name : "");
		return;
	}
	const char *text = table_text(table, row, column->of);
	const double number = table_number(table, row, column->of);
	if (column->kind == ACCOUNT) {
		const double depth = table_number(table, row, "depth");
		cell_put(cell, "%*s%s", depth > 0 ? (int)depth : 0, "", text);
	} else if (*text || column->kind == TEXT || column->kind == LIST) {
		cell_put(cell, "%s", text);
	} else if (!isnan(number)) {
		cell_put(cell, column->kind == WHOLE ? "%.0f" : "%f", number);
	}
}

/* What is longer than its column ends in '+'; numbers are not cut. */
static void print_cell(
	const struct share_view *share, const struct shown *shown, const struct cell *cell, bool last)
{
	const int width = abs(shown->width);
	const char *text = cell->len ? cell->text : "";
	if (share->parsable != PARSE_NOT) {
		printf("%s%s", text, last && share->parsable == PARSE_BARE ? "" : "|");
		return;
	}
	const enum kind kind = shown->column->kind;
	if (kind != WHOLE && kind != REAL && cell->len > (size_t)width)
		printf("%.*s+ ", width - 1, text);
	else
		printf(shown->width < 0 ? "%-*s " : "%*s ", width, text);
}

static void print_row(const struct share_view *share, size_t row)
{
	struct cell cell = { 0 };
	for (size_t i = 0; i < share->count; i++) {
		cell_clear(&cell);
		put_value(&cell, share, share->shown[i].column, row);
		print_cell(share, &share->shown[i], &cell, i + 1 == share->count);
	}
	putchar('\n');
	cell_free(&cell);
}

static void print_heading(const struct share_view *share)
{
	static const char dashes[] = "------------------------------------------------------------";
	struct cell cell = { 0 };
	for (size_t i = 0; i < share->count; i++) {
		cell_clear(&cell);
		cell_put(&cell, "%s", share->shown[i].column->name);
		print_cell(share, &share->shown[i], &cell, i + 1 == share->count);
	}
	putchar('\n');
	cell_free(&cell);
	if (share->parsable != PARSE_NOT)
		return;
	for (size_t i = 0; i < share->count; i++) {
		const int width = abs(share->shown[i].width);
		for (int left = width; left > 0; left -= (int)sizeof(dashes) - 1)
			printf("%.*s", left, dashes);
		putchar(' ');
	}
	putchar('\n');
}

/* ---- The format -------------------------------------------------------------------------------------------
 */

static int add_column(struct share_view *share, const char *text, size_t len, struct sl_err *err)
{
	const char *percent = memchr(text, '%', len);
	const size_t name = percent ? (size_t)(percent - text) : len;
	int64_t width = 0;
	size_t i = 0;
	while (i < SL_LEN(columns) && strncasecmp(columns[i].name, text, name) != 0)
		i++;
	if (i == SL_LEN(columns) || !name || share->count == COLUMNS_MAX)
		return view_refuse(
			"sshare", err, "error: Invalid field requested: \"%.*s\"", (int)name, text);
	if (percent && (!sl_get_i64(percent + 1, len - name - 1, &width) || width < -1000 || width > 1000))
		width = 0;
	share->shown[share->count++] = (struct shown){ &columns[i], width ? (int)width : columns[i].width };
	return SL_OK;
}

static int make_format(struct share_view *share, struct sl_err *err)
{
	const bool tree = table_number(&share->view.table[VIEW_TABLE_WEIGHTS], 0, "fair_tree") > 0;
	struct cell cell = { 0 };
	cell_put(&cell, "A,User,%sRawShares,NormShares,RawUsage,", share->partitions ? "P," : "");
	cell_put(&cell, "%sEff,Fairshare", share->long_list ? "NormUsage," : "");
	if (share->long_list)
		cell_put(&cell, "%s,GrpTRESMins,TRESRunMins", tree ? ",LevelFS" : "");
	int status = cell.text ? SL_OK : sl_fail_memory(err);
	const char *p = share->format ? share->format : cell.text;
	while (!status && *p) {
		const size_t len = strcspn(p, ", ");
		if (len)
			status = add_column(share, p, len, err);
		p += len + (p[len] != '\0');
	}
	cell_free(&cell);
	return status;
}

/* ---- Rows
 * --------------------------------------------------------------------------------------------------- */

/* Without -a and -u users are root's alone: a run has no user of its own. */
static bool is_shown(const struct share_view *share, size_t row)
{
	const struct view_table *table = &share->view.table[VIEW_TABLE_SHARES];
	const char *user = table_text(table, row, "user");
	if (!list_has(&share->accounts, table_text(table, row, "account")))
		return false;
	if (!*user)
		return !share->users_only;
	if (*table_text(table, row, "partition") && !share->partitions)
		return false;
	if (share->users.count)
		return list_has(&share->users, user);
	return share->all || strcmp(user, "root") == 0;
}

/* ---- Options
 * -------------------------------------------------------------------------------------------------- */

enum { LONG_HELP = 256, LONG_USAGE };

static const struct option long_options[] = {
	{ "accounts", required_argument, NULL, 'A' },
	{ "all", no_argument, NULL, 'a' },
	{ "format", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, LONG_HELP },
	{ "helpformat", no_argument, NULL, 'e' },
	{ "long", no_argument, NULL, 'l' },
	{ "noheader", no_argument, NULL, 'n' },
	{ "parsable", no_argument, NULL, 'p' },
	{ "parsable2", no_argument, NULL, 'P' },
	{ "partition", no_argument, NULL, 'm' },
	{ "usage", no_argument, NULL, LONG_USAGE },
	{ "user", required_argument, NULL, 'u' },
	{ "users", required_argument, NULL, 'u' },
	{ "Users", no_argument, NULL, 'U' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void help(void)
{
	printf("Usage: sshare [OPTIONS]\n"
	       "  -A, --accounts=LIST   -u, --users=LIST      -a, --all             -U, --Users\n"
	       "  -l, --long            -m, --partition       -o, --format=NAMES    -e, --helpformat\n"
	       "  -n, --noheader        -p, --parsable        -P, --parsable2       -V, --version\n"
	       "      --help, --usage\n");
}

static void help_format(void)
{
	enum { A_LINE = 4, WIDTH = 14 };
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const bool last = i % A_LINE == A_LINE - 1 || i + 1 == SL_LEN(columns);
		printf("%-*s%s", last ? 0 : WIDTH, columns[i].name, last ? "\n" : "");
	}
}

static int take_option(
	struct share_view *share, int option, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	switch (option) {
	case 'A':
		return view_list(&share->accounts, text, arena, err);
	case 'u':
		return view_list(&share->users, text, arena, err);
	case 'a':
		share->all = true;
		break;
	case 'l':
		share->long_list = true;
		break;
	case 'm':
		share->partitions = true;
		break;
	case 'n':
		share->heading = false;
		break;
	case 'o':
		share->format = text;
		break;
	case 'p':
		share->parsable = PARSE_ENDED;
		break;
	case 'P':
		share->parsable = PARSE_BARE;
		break;
	case 'U':
		share->users_only = true;
		break;
	case '?':
		return view_bad_option("sshare", err);
	default:
		break;
	}
	return SL_OK;
}

static int show(struct share_view *share, const struct view_call *call, struct sl_err *err)
{
	const struct view_table *table = &share->view.table[VIEW_TABLE_SHARES];
	int status = call_open(&share->view, call, false, err);
	if (!status && !table->known)
		return view_refuse("sshare", err, "the run's policy tells nothing of shares: slurm does");
	if (!status && !(table_number(&share->view.table[VIEW_TABLE_WEIGHTS], 0, "multifactor") > 0))
		return view_refuse("sshare", err,
			"You are not running a supported priority plugin\n(priority/basic).\n"
			"Only 'priority/multifactor' is supported.");
	if (!status)
		status = make_format(share, err);
	if (status)
		return status;
	if (share->heading)
		print_heading(share);
	for (size_t row = 0; row < table->row_count; row++)
		if (is_shown(share, row))
			print_row(share, row);
	return SL_OK;
}

int view_sshare(const struct view_call *call, struct sl_err *err)
{
	struct share_view share = { .heading = true };
	int option;
	int status = SL_OK;
	while (!status && (option = view_option(call, "A:aehlM:mno:pPUu:vV", long_options)) != -1) {
		if (option == LONG_HELP || option == LONG_USAGE || option == 'h') {
			help();
			return SL_OK;
		}
		if (option == 'e') {
			help_format();
			return SL_OK;
		}
		if (option == 'V') {
			printf("schedlab " SL_VERSION "\n");
			return SL_OK;
		}
		status = take_option(&share, option, optarg, call->arena, err);
	}
	if (!status && optind < call->argc)
		status = view_refuse("sshare", err, "error: Unrecognized option: %s", call->argv[optind]);
	if (!status)
		status = show(&share, call, err);
	view_close(&share.view);
	return status;
}
