/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sshare.c - sshare: shares and usage of the associations, as of the last calculation.
 *
 * Columns, cuts and empty cells follow sshare(1) of Slurm 22.05.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/moment/view.h"

struct share_view {
	struct view view;
	const char *format;
	struct view_list accounts, users;
	bool bare, all, long_list, partitions, users_only;
	struct view_names names;
};

/* ---- Fields, of a row of the policy's table -------------------------------------------------------------
 */

#define ROW        (*(const size_t *)line)
#define SHARES     (&view->table[VIEW_TABLE_SHARES])
#define OF(column) table_text(SHARES, ROW, column)

/* A text, where there is one; else the number, if there is any. */
static void put_value(struct cell *cell, const struct view *view, size_t row, const char *column, int digits)
{
	const char *text = table_text(SHARES, row, column);
	const double number = table_number(SHARES, row, column);
	if (*text)
		cell_put(cell, "%s", text);
	else if (!isnan(number))
		cell_put(cell, "%.*f", digits, number);
}

#define TEXT(name, column) \
	VIEW_FIELD(name) { cell_put(cell, "%s", OF(column)); }
#define WHOLE(name, column) \
	VIEW_FIELD(name) { put_value(cell, view, ROW, column, 0); }
#define REAL(name, column) \
	VIEW_FIELD(name) { put_value(cell, view, ROW, column, 6); }
REAL(put_effective, "effective_usage")
REAL(put_fairshare, "fairshare")
REAL(put_level, "level_fs")
WHOLE(put_id, "id")
REAL(put_norm_shares, "norm_shares")
REAL(put_norm_usage, "norm_usage")
TEXT(put_partition_of, "partition")
WHOLE(put_raw_shares, "raw_shares")
WHOLE(put_raw_usage, "raw_usage")
TEXT(put_user_of, "user")
TEXT(put_limits, "grp_tres_mins")
TEXT(put_running, "tres_run_mins")

VIEW_FIELD(put_account_of)
{
	const double depth = table_number(SHARES, ROW, "depth");
	cell_put(cell, "%*s%s", depth > 0 ? (int)depth : 0, "", OF("account"));
}

VIEW_FIELD(view_sshare_put_cluster) { cell_put(cell, "%s", view->cluster->name ? view->cluster->name : ""); }

/* In this order an abbreviation finds its column. */
static const struct view_named columns[] = {
	{ "Account", -20, put_account_of, false },
	{ "Cluster", 10, view_sshare_put_cluster, false },
	{ "EffectvUsage", 13, put_effective, true },
	{ "FairShare", 10, put_fairshare, true },
	{ "LevelFS", 10, put_level, true },
	{ "ID", 6, put_id, true },
	{ "NormShares", 11, put_norm_shares, true },
	{ "NormUsage", 11, put_norm_usage, true },
	{ "Partition", 12, put_partition_of, false },
	{ "RawShares", 10, put_raw_shares, true },
	{ "RawUsage", 11, put_raw_usage, true },
	{ "User", 10, put_user_of, false },
	{ "GrpTRESMins", 30, put_limits, false },
	{ "TRESRunMins", 30, put_running, false },
};

static int make_format(struct share_view *share, struct sl_err *err)
{
	const bool tree = table_number(&share->view.table[VIEW_TABLE_WEIGHTS], 0, "fair_tree") > 0;
	struct cell cell = { 0 };
	cell_put(&cell, "A,User,%sRawShares,NormShares,RawUsage,", share->partitions ? "P," : "");
	cell_put(&cell, "%sEff,Fairshare", share->long_list ? "NormUsage," : "");
	if (share->long_list)
		cell_put(&cell, "%s,GrpTRESMins,TRESRunMins", tree ? ",LevelFS" : "");
	share->names.tool = "sshare";
	share->names.lenient = true;
	share->names.field = columns;
	share->names.field_count = SL_LEN(columns);
	const int status = cell.text
				   ? names_take(&share->names, share->format ? share->format : cell.text, err)
				   : sl_fail_memory(err);
	cell_free(&cell);
	return status;
}

/* ---- Rows
 * --------------------------------------------------------------------------------------------------- */

/* Without -a and -u users are root's alone: a run has no user of its own. */
static bool view_sshare_is_displayed(const struct share_view *share, size_t row)
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

#define VIEW_SELF struct share_view
static const struct view_option options[] = {
	{ OPT_LIST("accounts", 'A', accounts, NULL, NULL) },
	{ OPT_FLAG("all", 'a', all) },
	{ OPT_TEXT("format", 'o', format) },
	{ OPT_HELP("help", 0) },
	{ OPT_FIELDS("helpformat", 'e') },
	{ OPT_FLAG("long", 'l', long_list) },
	{ OPT_FLAG("noheader", 'n', bare) },
	{ OPT_MARK("parsable", 'p', names.parsable) },
	{ OPT_MARK("parsable2", 'P', names.parsable) },
	{ OPT_FLAG("partition", 'm', partitions) },
	{ OPT_HELP("usage", 0) },
	{ OPT_LIST("user", 'u', users, NULL, NULL) },
	{ OPT_LIST("users", 'u', users, NULL, NULL) },
	{ OPT_FLAG("Users", 'U', users_only) },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_HELP(NULL, 'h') },
	{ OPT_SKIP_VALUE(NULL, 'M') },
};

static void help_format(void)
{
	enum { A_LINE = 4, WIDTH = 14 };
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const bool last = i % A_LINE == A_LINE - 1 || i + 1 == SL_LEN(columns);
		printf("%-*s%s", last ? 0 : WIDTH, columns[i].name, last ? "\n" : "");
	}
}

static int view_sshare_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct share_view *share = self;
	struct cell cell = { 0 };
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
	if (!share->bare)
		names_heading(&share->names);
	for (size_t row = 0; row < table->row_count; row++)
		if (view_sshare_is_displayed(share, row))
			names_line(&share->names, &share->view, &row, &cell);
	cell_free(&cell);
	return SL_OK;
}

int view_sshare(const struct view_call *call, struct sl_err *err)
{
	static const struct view_tool sshare = {
		.name = "sshare",
		.help = "Usage: sshare [OPTIONS]\n"
			"  -A, --accounts=LIST   -u, --users=LIST      -a, --all             -U, --Users\n"
			"  -l, --long            -m, --partition       -o, --format=NAMES    -e, --helpformat\n"
			"  -n, --noheader        -p, --parsable        -P, --parsable2       -V, --version\n"
			"      --help, --usage\n",
		.stray = "",
		.option = options,
		.option_count = SL_LEN(options),
		.help_format = help_format,
		.show = view_sshare_show,
	};
	struct share_view share = { 0 };
	return view_run(&sshare, &share, call, err);
}
