/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_accounts.c - what sacctmgr and sshare print: associations, QOS, usage, events; and sacctmgr's dump.
 *
 * A table is lines of columns between '|', below a line with their names (-P or -p); its columns say which it
 * is. What is in it becomes settings as it is written, so that a policy can build its tree: an association is
 * called "account", "account/user" or "account/user/partition".
 */
#include <stdio.h>
#include <string.h>

#include "traces/slurm/conf.h"

enum { COLUMNS_MAX = 128, TREE_MAX = 64 };

static const char not_known[] = "no key of sacctmgr's that is followed";
static const char worked_out[] = "policy slurm works it out anew";
static const char no_start[] = "moves no start";

struct cell {
	const char *text; /* Trimmed. */
	uint32_t column;
	uint32_t blanks; /* Before it: how deep in a tree. */
};

struct rows {
	struct conf *conf;
	const char *file;
	const char *p, *end;
	uint64_t line;
	enum conf_table what;
	struct cell head[COLUMNS_MAX], cell[COLUMNS_MAX];
	size_t head_count, cell_count;
	size_t reported;              /* Settings so far. */
	const char *parent[TREE_MAX]; /* Accounts by depth. */
	const char *under;            /* Of a dump. */
};

static const char *const setting_of[] = { "accounts", "qos", "usage", "events" };

static struct sl_place conf_accounts_place_of(const struct rows *rows, uint32_t column)
{
	return (struct sl_place){ rows->file, rows->line, column };
}

static bool is_one_of(const char *text, const char *const *word)
{
	while (*word && !conf_same(text, *word))
		word++;
	return *word != NULL;
}

/* Limits that associations and QOS have, by the names of show, dump and modify. */
static const char *const limits[] = { "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRES", "MaxTRESPJ",
	"MaxTRESPerJob", "MaxTRESPN", "MaxTRESPerNode", "MaxTRESMins", "MaxTRESMinsPJ", "MaxTRESMinsPerJob",
	"GrpJobs", "GrpJobsAccrue", "GrpSubmit", "GrpSubmitJobs", "GrpWall", "MaxWall", "MaxWallPJ",
	"MaxWallDurationPerJob", "MaxJobs", "MaxJobsAccrue", "MaxSubmit", "MaxSubmitJobs", "MinPrioThresh",
	"MinPrioThres", "MinPrioThreshold", "GrpCPUs", "GrpMem", "GrpNodes", "GrpCPUMins", "GrpCPURunMins",
	"MaxCPUs", "MaxCPUsPerJob", "MaxNodes", "MaxNodesPerJob", "MaxCPUMins", "MaxCPUMinsPerJob",
	"Priority", NULL };
static const char *const of_qos[] = { "Name", "GraceTime", "Preempt", "PreemptMode", "PreemptExemptTime",
	"Flags", "UsageThres", "UsageThreshold", "UsageFactor", "LimitFactor", "MaxTRESPU", "MaxTRESPerUser",
	"MaxTRESPA", "MaxTRESPerAccount", "MaxTRESRunMinsPU", "MaxTRESRunMinsPerUser", "MaxTRESRunMinsPA",
	"MaxTRESRunMinsPerAccount", "MinTRES", "MinTRESPJ", "MinTRESPerJob", "MaxCPUsPU", "MaxCPUsPerUser",
	"MaxNodesPU", "MaxNodesPerUser", "MinCPUs", "MaxJobsPU", "MaxJobsPerUser", "MaxJobsPA",
	"MaxJobsPerAccount", "MaxSubmitPU", "MaxSubmitJobsPU", "MaxSubmitJobsPerUser", "MaxSubmitPA",
	"MaxSubmitJobsPA", "MaxSubmitJobsPerAccount", "MaxJobsAccruePU", "MaxJobsAccruePerUser",
	"MaxJobsAccruePA", "MaxJobsAccruePerAccount", NULL };
static const char *const of_association[] = { "Account", "User", "ParentName", "Share", "Shares", "Fairshare",
	"RawShares", "QOS", "QosLevel", "Def QOS", "DefaultQOS", "DefQOS", NULL };
static const char *const of_user[] = { "DefaultAccount", "Def Acct", NULL };
static const char *const of_usage[] = { "RawUsage", NULL };
static const char *const of_usage_now[] = { "RawShares", "NormShares", "NormUsage", "EffectvUsage",
	"FairShare", "LevelFS", "GrpTRESMins", "TRESRunMins", "GrpTRESRaw", NULL };
static const char *const reported_only[] = { "ID", "Description", "Descr", "Organization", "Org",
	"Coordinators", "Coordinator", "AdminLevel", "Admin", "DefaultWCKey", "WCKeys", "Lft", "Rgt",
	"ParentID", "Comment", "Classification", "Lineage", NULL };

/* How far a key is followed, of the first line that has its kind and name. */
static const struct {
	const char *kind;
	const char *const *key;
	enum sl_coverage coverage;
	const char *note;
} known[] = {
	{ "qos", limits, SL_MODELLED, NULL },
	{ "qos", of_qos, SL_MODELLED, NULL },
	{ "association", limits, SL_MODELLED, NULL },
	{ "association", of_association, SL_MODELLED, NULL },
	{ "user", of_user, SL_MODELLED, NULL },
	{ "usage", of_usage, SL_MODELLED, NULL },
	{ "usage", of_usage_now, SL_IGNORED, worked_out },
	{ "qos", reported_only, SL_IGNORED, no_start },
	{ "association", reported_only, SL_IGNORED, no_start },
	{ "user", reported_only, SL_IGNORED, no_start },
	{ "account", reported_only, SL_IGNORED, no_start },
};

/* Names one after another are one. */
static int keep_known(struct conf *conf, const char *kind, const char *name)
{
	const bool qos = strcmp(kind, "qos") == 0;
	const struct conf_known *last = conf->known_count ? &conf->known[conf->known_count - 1] : NULL;
	if ((!qos && strcmp(kind, "association") != 0) || !*name ||
		(last && last->qos == qos && strcmp(last->name, name) == 0))
		return SL_OK;
	if (SL_GROW(conf->known, conf->known_capacity, conf->known_count + 1, conf->err))
		return SL_SYSTEM;
	conf->known[conf->known_count++] = (struct conf_known){ name, qos };
	return SL_OK;
}

static int conf_accounts_report(struct rows *rows, const char *kind, const char *name, const char *key,
	const char *value, uint32_t column)
{
	const struct sl_place at = conf_accounts_place_of(rows, column);
	if (!*value)
		return SL_OK;
	if (++rows->reported > CONF_PAIRS_MAX)
		return sl_fail_at(rows->conf->err, &at, "more than %d entries", CONF_PAIRS_MAX);
	size_t i = 0;
	while (i < SL_LEN(known) && !(strcmp(known[i].kind, kind) == 0 && is_one_of(key, known[i].key)))
		i++;
	const enum sl_coverage coverage = i < SL_LEN(known) ? known[i].coverage : SL_IGNORED;
	const char *note = i < SL_LEN(known) ? known[i].note : not_known;
	int status = keep_known(rows->conf, kind, name);
	if (!status)
		status = conf_report_other(
			rows->conf, &(struct sl_setting){ kind, name, key, value, at, coverage, note,
					    coverage == SL_MODELLED ? CONF_BY_SLURM : NULL });
	struct conf_bad bad;
	char full[40];
	(void)snprintf(full, sizeof(full), "%.12s.%.20s", kind, key);
	if (!status && conf_value_bad(CONF_OTHER, full, value, &bad))
		status = conf_value_report(rows->conf, kind, name, key, &bad, at);
	return status;
}

static int fail_set(
	struct conf *conf, const struct sl_cluster_setting *setting, const char *why, const char *said)
{
	return sl_fail(conf->err, SL_USAGE, "--set: 'cluster.%s': %s%s", setting->key, why, said);
}

int conf_table_set(struct conf *conf, bool qos, const char *name, const char *key,
	const struct sl_cluster_setting *setting)
{
	enum { DISPLAYED = 12 };
	static const struct sl_place at = { "--set", 0, 0 };
	const char *text = "";
	size_t displayed = 0;
	size_t i = 0;
	while (i < conf->known_count && !(conf->known[i].qos == qos && conf_same(conf->known[i].name, name)))
		i++;
	for (size_t k = 0; i == conf->known_count && k < conf->known_count && displayed < DISPLAYED; k++)
		if (conf->known[k].qos == qos)
			text = conf_printf(&conf->mem, "%s%s %.60s", text ? text : "", displayed++ ? "," : "",
				conf->known[k].name);
	if (i == conf->known_count && !displayed)
		return fail_set(conf, setting,
			qos ? "no QOS is known: give cluster.qos=FILE, 'sacctmgr show qos -P'"
			    : "no account is known: give cluster.accounts=FILE, 'sacctmgr dump'",
			"");
	if (i == conf->known_count)
		return fail_set(conf, setting,
			qos ? "there is no such QOS; there are" : "there is no such account; there are",
			text ? text : "");
	if (!is_one_of(key, limits) && !is_one_of(key, qos ? of_qos : of_association))
		return fail_set(conf, setting, "no key of sacctmgr's that is followed",
			qos ? ": MaxWall, MaxTRESPU, GrpTRES, MaxJobsPU, Priority and so on"
			    : ": GrpTRES, MaxJobs, MaxWall, Fairshare, QOS and so on");
	return conf_report_other(conf, &(struct sl_setting){ qos ? "qos" : "association", conf->known[i].name,
					       key, setting->value, at, SL_MODELLED, NULL, CONF_BY_SLURM });
}

/* ---- Lines ------------------------------------------------------------------------------------------ */

/* The next line that is not empty. 1; 0: there is none. */
static int next_line(struct rows *rows, const char **line, const char **end)
{
	while (rows->p < rows->end) {
		const char *newline = memchr(rows->p, '\n', (size_t)(rows->end - rows->p));
		*line = rows->p;
		*end = newline ? newline : rows->end;
		rows->p = newline ? newline + 1 : rows->end;
		rows->line++;
		while (*end > *line && ((*end)[-1] == '\r' || (*end)[-1] == ' '))
			--*end;
		const struct sl_place at = conf_accounts_place_of(rows, 1);
		if (*end - *line > CONF_LINE_MAX)
			return sl_fail_at(rows->conf->err, &at, "a line is longer than 64 KiB");
		if (*end > *line)
			return 1;
	}
	return 0;
}

static int cells_of(struct rows *rows, const char *line, const char *end, struct cell *cell, size_t *count)
{
	*count = 0;
	for (const char *p = line; p <= end;) {
		const char *bar = p < end ? memchr(p, '|', (size_t)(end - p)) : NULL;
		const char *stop = bar ? bar : end;
		const char *first = p;
		const char *last = stop;
		while (first < last && *first == ' ')
			first++;
		while (last > first && last[-1] == ' ')
			last--;
		const struct sl_place at = conf_accounts_place_of(rows, (uint32_t)(first - line) + 1);
		if (*count == COLUMNS_MAX)
			return sl_fail_at(rows->conf->err, &at, "more than %d columns", COLUMNS_MAX);
		const char *text = conf_strdup(&rows->conf->mem, first, (size_t)(last - first));
		if (!text)
			return sl_fail_memory(rows->conf->err);
		cell[(*count)++] = (struct cell){ text, at.column, (uint32_t)(first - p) };
		p = stop + 1;
	}
	/* Of -p, which ends all lines in one. */
	if (*count > 1 && end[-1] == '|' && (cell == rows->head || *count == rows->head_count + 1))
		--*count;
	return SL_OK;
}

static const struct cell *column(const struct rows *rows, const char *name)
{
	static const struct cell none = { "", 0, 0 };
	for (size_t i = 0; i < rows->head_count; i++)
		if (conf_same(rows->head[i].text, name))
			return &rows->cell[i];
	return &none;
}

static bool has(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->head_count; i++)
		if (conf_same(rows->head[i].text, name))
			return true;
	return false;
}

/* ---- Rows of each table ------------------------------------------------------------------------------- */

/* All columns but those that make the name. */
static int report_row(struct rows *rows, const char *kind, const char *name, const char *const *but)
{
	int status = SL_OK;
	for (size_t i = 0; i < rows->cell_count && !status; i++)
		if (!is_one_of(rows->head[i].text, but))
			status = conf_accounts_report(rows, kind, name, rows->head[i].text,
				rows->cell[i].text, rows->cell[i].column);
	return status;
}

static const char *association(
	struct conf *conf, const char *account, const char *user, const char *partition)
{
	return conf_printf(
		&conf->mem, "%s%s%s%s%s", account, *user ? "/" : "", user, *partition ? "/" : "", partition);
}

/* A tree is drawn with blanks before the account: who stands less deep above it is its parent. */
static const char *parent_of(struct rows *rows, const struct cell *account, bool user)
{
	const uint32_t depth = account->blanks;
	const char *parent = "";
	if (depth >= TREE_MAX)
		return parent;
	for (uint32_t i = depth; i-- > 0 && !*parent;)
		parent = rows->parent[i] ? rows->parent[i] : "";
	if (!user) {
		rows->parent[depth] = account->text;
		for (uint32_t i = depth + 1; i < TREE_MAX; i++)
			rows->parent[i] = NULL;
	}
	return parent;
}

static int account_row(struct rows *rows)
{
	static const char *const but[] = { "Cluster", "Account", "User", "Partition", NULL };
	const struct cell *account = column(rows, "Account");
	const char *user = column(rows, "User")->text;
	const char *name = association(rows->conf, account->text, user, column(rows, "Partition")->text);
	if (!name)
		return sl_fail_memory(rows->conf->err);
	const char *parent = parent_of(rows, account, *user);
	/* That it is there is worth saying, whatever else is not. */
	int status =
		conf_accounts_report(rows, "association", name, "Account", account->text, account->column);
	if (!status && *user)
		status = conf_accounts_report(
			rows, "association", name, "User", user, column(rows, "User")->column);
	if (!status && *parent && !*user && !has(rows, "ParentName"))
		status = conf_accounts_report(
			rows, "association", name, "ParentName", parent, account->column);
	return status ? status : report_row(rows, "association", name, but);
}

static int usage_row(struct rows *rows)
{
	static const char *const but[] = { "Account", "User", NULL };
	const char *name =
		association(rows->conf, column(rows, "Account")->text, column(rows, "User")->text, "");
	return name ? report_row(rows, "usage", name, but) : sl_fail_memory(rows->conf->err);
}

static int qos_row(struct rows *rows)
{
	static const char *const but[] = { NULL };
	return report_row(rows, "qos", column(rows, "Name")->text, but);
}

static int event_row(struct rows *rows)
{
	const struct conf_event event = {
		.node = column(rows, "NodeName")->text,
		.from = column(rows, "TimeStart")->text,
		.until = column(rows, "TimeEnd")->text,
		.state = column(rows, "State")->text,
		.reason = column(rows, "Reason")->text,
		.at = conf_accounts_place_of(rows, 1),
	};
	return conf_event_report(rows->conf, &event);
}

/* Which table it is, by its columns: the first that has them all. */
static const struct {
	const char *column[3];
	enum conf_table is;
	int (*row)(struct rows *rows);
} tables[] = {
	{ { "NodeName", "TimeStart", "State" }, CONF_TABLE_EVENTS, event_row },
	{ { "Account", "User", "RawUsage" }, CONF_TABLE_USAGE, usage_row },
	{ { "Account", "User", "User" }, CONF_TABLE_ACCOUNTS, account_row },
	{ { "Name", "Priority", "Priority" }, CONF_TABLE_QOS, qos_row },
};

static int conf_accounts_table(struct rows *rows)
{
	struct conf *conf = rows->conf;
	const struct sl_place at = conf_accounts_place_of(rows, 1);
	const char *line;
	const char *end;
	size_t which = 0;
	while (which < SL_LEN(tables) &&
		!(has(rows, tables[which].column[0]) && has(rows, tables[which].column[1]) &&
			has(rows, tables[which].column[2])))
		which++;
	if (which == SL_LEN(tables))
		return sl_fail_at(conf->err, &at,
			"not a table of sacctmgr or sshare: its first line names columns between '|', as -P prints them");
	if (tables[which].is != rows->what)
		return sl_fail_at(conf->err, &at, "these are %s, not %s: give the file as cluster.%s",
			setting_of[tables[which].is], setting_of[rows->what], setting_of[tables[which].is]);
	int status;
	bool tree = has(rows, "ParentName");
	while ((status = next_line(rows, &line, &end)) > 0) {
		status = cells_of(rows, line, end, rows->cell, &rows->cell_count);
		const struct sl_place place = conf_accounts_place_of(rows, 1);
		if (!status && rows->cell_count != rows->head_count)
			status = sl_fail_at(conf->err, &place, "%zu columns, where the first line names %zu",
				rows->cell_count, rows->head_count);
		if (status)
			return status;
		tree |= column(rows, "Account")->blanks > 0;
		status = tables[which].row(rows);
		if (status)
			return status;
	}
	if (!status && rows->what == CONF_TABLE_ACCOUNTS && !tree)
		status = conf_report_other(conf,
			&(struct sl_setting){ "association", "", "ParentName", "root", at, SL_APPROXIMATED,
				"no column ParentName, and no tree: every account is taken to be root's own; "
				"ask sacctmgr for format=...,ParentName, or give its dump",
				NULL });
	return status;
}

/* ---- sacctmgr dump ------------------------------------------------------------------------------ */

/* The next of "Account - 'a':Fairshare=1:QOS='x,y'", up to a ':' outside of quotes. */
static const char *dump_part(const char **p, const char *end, size_t *len)
{
	const char *first = *p;
	bool quoted = false;
	const char *q = first;
	for (; q < end && (quoted || *q != ':'); q++)
		quoted ^= *q == '\'';
	*len = (size_t)(q - first);
	*p = q < end ? q + 1 : end;
	return first;
}

static const char *unquoted(struct conf *conf, const char *text, size_t len)
{
	if (len >= 2 && text[0] == '\'' && text[len - 1] == '\'') {
		text++;
		len -= 2;
	}
	return conf_strdup(&conf->mem, text, len);
}

/* "Partition" is part of a name, so it is looked for first. */
static const char *dump_value(struct conf *conf, const char *p, const char *end, const char *key)
{
	while (p < end) {
		size_t len;
		const char *part = dump_part(&p, end, &len);
		const size_t key_len = strlen(key);
		if (len > key_len && part[key_len] == '=' && conf_begins(part, key))
			return unquoted(conf, part + key_len + 1, len - key_len - 1);
	}
	return "";
}

/* Whose key it is: of the user or account itself, or of its association. */
static const char *conf_accounts_kind_of(const char *key, bool user)
{
	static const char *const users[] = { "DefaultAccount", "DefaultWCKey", "AdminLevel", "Coordinator",
		"WCKeys", NULL };
	static const char *const accounts[] = { "Description", "Organization", NULL };
	if (user)
		return is_one_of(key, users) ? "user" : "association";
	return is_one_of(key, accounts) ? "account" : "association";
}

/* Of whom a line of a dump is. */
struct owner {
	const char *name; /* Of its association. */
	const char *own;
	bool user;
};

static int dump_keys(
	struct rows *rows, const char *line, const char *p, const char *end, const struct owner *owner)
{
	struct conf *conf = rows->conf;
	int status = SL_OK;
	while (p < end && !status) {
		size_t len;
		const char *part = dump_part(&p, end, &len);
		const char *equals = len ? memchr(part, '=', len) : NULL;
		const struct sl_place at = conf_accounts_place_of(rows, (uint32_t)(part - line) + 1);
		if (!len)
			continue;
		if (!equals || equals == part)
			return sl_fail_at(conf->err, &at, "KEY=VALUE is due here, not '%.*s'",
				(int)(len < 40 ? len : 40), part);
		const char *key = conf_strdup(&conf->mem, part, (size_t)(equals - part));
		const char *value = unquoted(conf, equals + 1, len - (size_t)(equals + 1 - part));
		if (!key || !value)
			return sl_fail_memory(conf->err);
		const char *kind = conf_accounts_kind_of(key, owner->user);
		const bool association = strcmp(kind, "association") == 0;
		status = conf_accounts_report(
			rows, kind, association ? owner->name : owner->own, key, value, at.column);
	}
	return status;
}

static int dump_line(struct rows *rows, const char *line, const char *end)
{
	static const char *const word[] = { "Cluster", "Parent", "Account", "User" };
	enum { CLUSTER, PARENT, ACCOUNT, USER };
	struct conf *conf = rows->conf;
	const struct sl_place at = conf_accounts_place_of(rows, 1);
	size_t which = 0;
	size_t len;
	while (which < SL_LEN(word) &&
		!((size_t)(end - line) > strlen(word[which]) + 3 && conf_begins(line, word[which]) &&
			memcmp(line + strlen(word[which]), " - ", 3) == 0))
		which++;
	if (which == SL_LEN(word))
		return sl_fail_at(conf->err, &at,
			"a line of a dump begins with Cluster, Parent, Account or User, and ' - '");
	const char *p = line + strlen(word[which]) + 3;
	const char *first = dump_part(&p, end, &len);
	const char *own = unquoted(conf, first, len);
	const char *partition = dump_value(conf, p, end, "Partition");
	if (!own || !partition)
		return sl_fail_memory(conf->err);
	if (which == PARENT) {
		rows->under = own;
		return SL_OK;
	}
	const char *name = which == CLUSTER   ? "root"
			   : which == ACCOUNT ? own
					      : association(conf, rows->under, own, partition);
	if (!name)
		return sl_fail_memory(conf->err);
	int status = SL_OK;
	if (which == USER)
		status = conf_accounts_report(rows, "association", name, "User", own, 1);
	if (!status && which != CLUSTER)
		status = conf_accounts_report(
			rows, "association", name, which == USER ? "Account" : "ParentName", rows->under, 1);
	const struct owner owner = { name, own, which == USER };
	return status ? status : dump_keys(rows, line, p, end, &owner);
}

static int dump(struct rows *rows, const char *line, const char *end)
{
	struct conf *conf = rows->conf;
	const struct sl_place at = conf_accounts_place_of(rows, 1);
	int status = SL_OK;
	if (rows->what != CONF_TABLE_ACCOUNTS)
		return sl_fail_at(conf->err, &at,
			"this is a dump of accounts, not %s: give the file as cluster.accounts",
			setting_of[rows->what]);
	rows->under = "root";
	do {
		if (*line != '#')
			status = dump_line(rows, line, end);
	} while (!status && (status = next_line(rows, &line, &end)) > 0 && !(status = 0));
	return status;
}

int conf_read_table(struct conf *conf, struct sl_input *in, enum conf_table what)
{
	struct rows rows = { .conf = conf, .what = what };
	const char *line;
	const char *end;
	int status = conf_text_of(conf, in, &rows.p, &rows.end);
	rows.file = conf_strdup(&conf->mem, sl_input_name(in), strlen(sl_input_name(in)));
	if (!status && !rows.file)
		status = sl_fail_memory(conf->err);
	if (status)
		return status;
	status = next_line(&rows, &line, &end);
	if (status < 0)
		return status;
	if (!status)
		return sl_fail(conf->err, SL_INPUT, "%s: is empty", rows.file);
	if (*line == '#' ||
		(!memchr(line, '|', (size_t)(end - line)) && memmem(line, (size_t)(end - line), " - ", 3))) {
		status = dump(&rows, line, end);
	} else {
		status = cells_of(&rows, line, end, rows.head, &rows.head_count);
		if (!status)
			status = conf_accounts_table(&rows);
	}
	return status ? status : conf_close(conf, in);
}
