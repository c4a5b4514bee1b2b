/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_files.c - see slurm_files.h: the cluster and its accounts. */
#include "tests/conformance/slurm_timing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct json *get(const struct json *o, const char *key) { return json_member(o, key); }

static const char *text_in(const struct json *o, const char *key)
{
	const struct json *value = get(o, key);
	return json_is_text(value) ? value->text : NULL;
}

static int64_t number_in(const struct json *o, const char *key, int64_t otherwise)
{
	const struct json *value = get(o, key);
	return json_is_number(value) ? (int64_t)value->number : otherwise;
}

bool slurm_value(const struct json *value, char *text, size_t size)
{
	text[0] = '\0';
	if (json_is_number(value))
		(void)snprintf(text, size, "%.15g", value->number);
	else if (json_is_text(value))
		(void)snprintf(text, size, "%s", value->text);
	else
		return json_is_true(value);
	return true;
}

FILE *slurm_file_new(const struct slurm_files *files, const char *name)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s/%s", files->folder, name);
	return fopen(path, "w");
}

/* ---- slurm.conf ------------------------------------------------------------------------------------ */

struct pair {
	const char *key, *value;
};

static const struct pair rig_conf[] = {
	{ "ClusterName", "rig" },
	{ "SlurmctldHost", "localhost" },
	{ "ReturnToService", "2" },
	{ "SlurmdParameters", "config_overrides" },
	{ "SelectType", "select/cons_tres" },
	{ "SelectTypeParameters", "CR_Core_Memory" },
	{ "SchedulerType", "sched/backfill" },
	{ "PriorityType", "priority/basic" },
	{ "MinJobAge", "100000" },
	{ "MessageTimeout", "100" },
	{ "SlurmdTimeout", "60000" },
	{ "InactiveLimit", "0" },
	{ "KillWait", "5" },
};
static const struct pair rig_power[] = { { "SuspendProgram", "/bin/true" }, { "ResumeProgram", "/bin/true" },
	{ "ResumeRate", "0" }, { "SuspendRate", "0" } };
static const struct pair rig_accounting[] = { { "AccountingStorageType", "accounting_storage/slurmdbd" },
	{ "AccountingStorageEnforce", "associations,limits,qos" } };
static const struct pair rig_sched[] = { { "bf_interval", "1" }, { "bf_resolution", "1" },
	{ "bf_continue", "" }, { "bf_max_time", "60" }, { "sched_interval", "1" },
	{ "batch_sched_delay", "0" }, { "sched_min_interval", "1" } };

/* Keys of slurm.conf have no case. */
static bool is_given(const struct json *given, const char *key)
{
	const struct json *item;
	bool found = false;
	JSON_EACH (item, given)
		found |= strcasecmp(item->key, key) == 0;
	return found;
}

/* Those that the scenario does not replace. */
static void put_defaults(FILE *out, const struct pair *list, size_t count, const struct json *given)
{
	for (size_t i = 0; i < count; i++)
		if (!is_given(given, list[i].key))
			(void)fprintf(out, "%s=%s\n", list[i].key, list[i].value);
}

static void put_sched(FILE *out, const struct json *given)
{
	const char *between = "SchedulerParameters=";
	char text[1000];
	const struct json *item;
	for (size_t i = 0; i < SL_LEN(rig_sched); i++) {
		if (get(given, rig_sched[i].key))
			continue;
		(void)fprintf(out, "%s%s%s%s", between, rig_sched[i].key, *rig_sched[i].value ? "=" : "",
			rig_sched[i].value);
		between = ",";
	}
	JSON_EACH (item, given) {
		if (!slurm_value(item, text, sizeof(text)))
			continue;
		(void)fprintf(out, "%s%s%s%s", between, item->key, *text ? "=" : "", text);
		between = ",";
	}
	if (*between == ',')
		(void)fputc('\n', out);
}

static void put_list(FILE *out, const char *key, const struct json *list)
{
	const struct json *item;
	const char *between = "";
	if (!json_count(list))
		return;
	(void)fprintf(out, "%s=", key);
	JSON_EACH (item, list) {
		(void)fprintf(out, "%s%s", between, item->text);
		between = ",";
	}
	(void)fputc('\n', out);
}

static void put_nodes(FILE *out, const struct json *nodes)
{
	static const struct pair keys[] = { { "gres", "Gres" }, { "weight", "Weight" },
		{ "features", "Feature" } };
	char text[1000];
	const struct json *node;
	JSON_EACH (node, nodes) {
		const int64_t cpus = number_in(node, "cpus", 1);
		const int64_t sockets = number_in(node, "sockets", 1);
		const int64_t threads = number_in(node, "threads", 1);
		(void)fprintf(out,
			"NodeName=%s CPUs=%lld Sockets=%lld CoresPerSocket=%lld ThreadsPerCore=%lld RealMemory=%lld",
			text_in(node, "name"), (long long)cpus, (long long)sockets,
			(long long)number_in(node, "cores", cpus / sockets / threads), (long long)threads,
			(long long)number_in(node, "mem", 1000));
		for (size_t i = 0; i < SL_LEN(keys); i++)
			if (slurm_value(get(node, keys[i].key), text, sizeof(text)) && *text)
				(void)fprintf(out, " %s=%s", keys[i].value, text);
		if (text_in(node, "extra"))
			(void)fprintf(out, " %s", text_in(node, "extra"));
		(void)fputc('\n', out);
	}
}

static void put_partitions(FILE *out, const struct json *partitions)
{
	char text[1000];
	const struct json *one;
	const struct json *item;
	JSON_EACH (one, partitions) {
		(void)fprintf(out, "PartitionName=%s", text_in(one, "name"));
		JSON_EACH (item, one)
			if (strcmp(item->key, "name") != 0 && slurm_value(item, text, sizeof(text)))
				(void)fprintf(out, " %s=%s", item->key, text);
		(void)fputc('\n', out);
	}
}

static int put_slurm_conf(const struct slurm_files *files, const struct json *json)
{
	const struct json *cluster = get(json, "cluster");
	const struct json *conf = get(cluster, "conf");
	const struct json *gres = get(cluster, "gres_types");
	const struct json *item;
	char text[1000];
	FILE *out = slurm_file_new(files, "slurm.conf");
	if (!out)
		return SL_SYSTEM;
	put_defaults(out, rig_conf, SL_LEN(rig_conf), conf);
	if (get(json, "power"))
		put_defaults(out, rig_power, SL_LEN(rig_power), conf);
	if (files->accounts) {
		put_defaults(out, rig_accounting, SL_LEN(rig_accounting), conf);
		if (gres && !is_given(conf, "AccountingStorageTRES"))
			(void)fputs("AccountingStorageTRES=gres/gpu\n", out);
	}
	JSON_EACH (item, conf)
		if (slurm_value(item, text, sizeof(text)))
			(void)fprintf(out, "%s=%s\n", item->key, text);
	put_sched(out, get(cluster, "sched"));
	put_list(out, "GresTypes", gres);
	put_nodes(out, get(cluster, "nodes"));
	put_partitions(out, get(cluster, "partitions"));
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

/* ---- gres.conf, topology.conf ------------------------------------------------------------------------ */

/* "gpu:tesla:2", the devices of a node from *first on. */
static void put_device_lines(FILE *out, const struct json *node, const char *text, size_t len, int *first)
{
	char part[3][64] = { "", "", "" };
	size_t parts = 0;
	for (size_t i = 0, from = 0; i <= len && parts < 3; i++)
		if (i == len || text[i] == ':') {
			(void)snprintf(part[parts++], sizeof(part[0]), "%.*s", (int)(i - from), text + from);
			from = i + 1;
		}
	int64_t count = 1;
	if (parts > 1)
		(void)sl_get_i64(part[parts - 1], strlen(part[parts - 1]), &count);
	const struct json *cores = get(node, "gres_cores");
	for (int64_t i = 0; i < (cores ? count : 1); i++) {
		(void)fprintf(out, "NodeName=%s Name=%s%s%s", text_in(node, "name"), part[0],
			parts == 3 ? " Type=" : "", parts == 3 ? part[1] : "");
		if (!cores) {
			(void)fprintf(
				out, " File=/dev/%s[%d-%d]\n", part[0], *first, *first + (int)count - 1);
			continue;
		}
		const struct json *own = json_item(cores, *first + (int)i);
		(void)fprintf(out, " File=/dev/%s%d Cores=%s\n", part[0], *first + (int)i,
			json_is_text(own) ? own->text : "0");
	}
	*first += (int)count;
}

static int put_gres_conf(const struct slurm_files *files, const struct json *cluster)
{
	const struct json *node;
	bool any = false;
	JSON_EACH (node, get(cluster, "nodes"))
		any |= get(node, "gres") != NULL;
	FILE *out = any ? slurm_file_new(files, "gres.conf") : NULL;
	if (!any)
		return SL_OK;
	if (!out)
		return SL_SYSTEM;
	JSON_EACH (node, get(cluster, "nodes")) {
		int first = 0;
		for (const char *at = text_in(node, "gres"); at && *at;) {
			const size_t len = strcspn(at, ",");
			put_device_lines(out, node, at, len, &first);
			at += len + (at[len] == ',');
		}
	}
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

static int put_topology_conf(const struct slurm_files *files, const struct json *cluster)
{
	const struct json *lines = get(cluster, "topology");
	const struct json *line;
	if (!lines)
		return SL_OK;
	FILE *out = slurm_file_new(files, "topology.conf");
	if (!out)
		return SL_SYSTEM;
	JSON_EACH (line, lines)
		(void)fprintf(out, "%s\n", line->text);
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

/* ---- Associations and QOS ------------------------------------------------------------------------------ */

/* What sacctmgr takes, and the column in which it shows it. */
struct column {
	const char *name;
	const char *word[4];
};

static const struct column assoc_columns[] = { { "Cluster", { NULL } }, { "Account", { NULL } },
	{ "User", { NULL } }, { "Partition", { "Partition" } }, { "ParentName", { "Parent" } },
	{ "Share", { "Fairshare", "Share", "Shares" } }, { "Priority", { "Priority" } },
	{ "GrpJobs", { "GrpJobs" } }, { "GrpTRES", { "GrpTRES" } },
	{ "GrpSubmit", { "GrpSubmit", "GrpSubmitJobs" } }, { "GrpWall", { "GrpWall" } },
	{ "GrpTRESMins", { "GrpTRESMins" } }, { "MaxJobs", { "MaxJobs" } },
	{ "MaxTRES", { "MaxTRES", "MaxTRESPerJob" } }, { "MaxTRESPerNode", { "MaxTRESPerNode" } },
	{ "MaxSubmit", { "MaxSubmit", "MaxSubmitJobs" } },
	{ "MaxWall", { "MaxWall", "MaxWallDurationPerJob" } },
	{ "MaxTRESMins", { "MaxTRESMins", "MaxTRESMinsPerJob" } }, { "QOS", { "QOS", "QosLevel" } },
	{ "Def QOS", { "DefaultQOS", "DefQOS" } }, { "GrpTRESRunMins", { "GrpTRESRunMins" } } };

static const struct column qos_columns[] = { { "Name", { "name" } }, { "Priority", { "Priority" } },
	{ "GraceTime", { "GraceTime" } }, { "Preempt", { "Preempt" } },
	{ "PreemptExemptTime", { "PreemptExemptTime" } }, { "PreemptMode", { "PreemptMode" } },
	{ "Flags", { "Flags" } }, { "UsageThres", { "UsageThreshold" } },
	{ "UsageFactor", { "UsageFactor" } }, { "GrpTRES", { "GrpTRES" } },
	{ "GrpTRESMins", { "GrpTRESMins" } }, { "GrpTRESRunMins", { "GrpTRESRunMins" } },
	{ "GrpJobs", { "GrpJobs" } }, { "GrpSubmit", { "GrpSubmit", "GrpSubmitJobs" } },
	{ "GrpWall", { "GrpWall" } }, { "MaxTRES", { "MaxTRES", "MaxTRESPerJob" } },
	{ "MaxTRESPerNode", { "MaxTRESPerNode" } }, { "MaxTRESMins", { "MaxTRESMins", "MaxTRESMinsPerJob" } },
	{ "MaxWall", { "MaxWall", "MaxWallDurationPerJob" } },
	{ "MaxTRESPU", { "MaxTRESPU", "MaxTRESPerUser" } },
	{ "MaxJobsPU", { "MaxJobsPU", "MaxJobsPerUser" } },
	{ "MaxSubmitPU", { "MaxSubmitPU", "MaxSubmitJobsPerUser", "MaxSubmitJobsPU" } },
	{ "MaxTRESPA", { "MaxTRESPA", "MaxTRESPerAccount" } },
	{ "MaxJobsPA", { "MaxJobsPA", "MaxJobsPerAccount" } },
	{ "MaxSubmitPA", { "MaxSubmitPA", "MaxSubmitJobsPerAccount", "MaxSubmitJobsPA" } },
	{ "MinTRES", { "MinTRES", "MinTRESPerJob" } } };

static void put_head(FILE *out, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s%s", i ? "|" : "", columns[i].name);
	(void)fputc('\n', out);
}

static bool is_word(const struct column *column, const char *key)
{
	for (size_t i = 0; i < SL_LEN(column->word) && column->word[i]; i++)
		if (strcasecmp(key, column->word[i]) == 0)
			return true;
	return false;
}

static bool is_known(const struct column *columns, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (is_word(&columns[i], key))
			return true;
	return strcasecmp(key, "name") == 0 || strcasecmp(key, "account") == 0;
}

/* sacctmgr takes bare minutes (of a grace time, seconds), and shows hours, minutes and seconds. */
static void as_displayed(const char *column, char *text, size_t size)
{
	int64_t value;
	const bool grace = strcmp(column, "GraceTime") == 0;
	if (!grace && strcmp(column, "MaxWall") != 0 && strcmp(column, "GrpWall") != 0)
		return;
	if (!sl_get_i64(text, strlen(text), &value) || value < 0 || value > 100000)
		return;
	value *= grace ? 1 : 60;
	(void)snprintf(
		text, size, "%02d:%02d:%02d", (int)(value / 3600), (int)(value / 60 % 60), (int)(value % 60));
}

static void value_of(const struct json *entry, const struct column *column, char *text, size_t size)
{
	const struct json *item;
	text[0] = '\0';
	JSON_EACH (item, entry)
		if (item->key && is_word(column, item->key))
			(void)slurm_value(item, text, size);
	as_displayed(column->name, text, size);
}

static const struct json *account_named(const struct json *accounts, const char *name)
{
	const struct json *one;
	JSON_EACH (one, accounts)
		if (name && strcmp(text_in(one, "name"), name) == 0)
			return one;
	return NULL;
}

/* Its own QOS, or that of the next account above that has some. */
static void qos_of(
	const struct json *accounts, const struct json *entry, const char *under, char *text, size_t size)
{
	static const struct column qos = { "QOS", { "QOS", "QosLevel" } };
	char above[500] = "normal";
	const struct json *account = account_named(accounts, under);
	if (account) {
		const char *parent = text_in(account, "parent");
		qos_of(accounts, account, parent ? parent : "root", above, sizeof(above));
	}
	value_of(entry, &qos, text, size);
	if (!*text) {
		(void)snprintf(text, size, "%s", above);
	} else if (*text == '+') {
		char more[500];
		(void)snprintf(more, sizeof(more), "%s", text + 1);
		(void)snprintf(text, size, "%.240s,%.240s", above, more);
	}
}

static void put_assoc(FILE *out, const struct json *accounts, const struct json *entry, const char *account,
	const char *user, const char *parent)
{
	char text[1000];
	for (size_t i = 0; i < SL_LEN(assoc_columns); i++) {
		const struct column *column = &assoc_columns[i];
		const char *fixed = i == 0 ? "rig" : i == 1 ? account : i == 2 ? user : NULL;
		value_of(entry, column, text, sizeof(text));
		if (strcmp(column->name, "ParentName") == 0)
			fixed = *user ? "" : parent;
		else if (strcmp(column->name, "QOS") == 0)
			qos_of(accounts, entry, *user ? account : parent, text, sizeof(text));
		else if (strcmp(column->name, "Share") == 0 && !*text)
			fixed = "1";
		(void)fprintf(out, "%s%s", i ? "|" : "", fixed ? fixed : text);
	}
	(void)fputc('\n', out);
}

/* An account, its users, and the accounts under it. */
static void put_tree(FILE *out, const struct json *accounting, const struct json *account, const char *parent)
{
	const struct json *accounts = get(accounting, "accounts");
	const char *name = text_in(account, "name");
	const struct json *one;
	put_assoc(out, accounts, account, name, "", parent);
	JSON_EACH (one, get(accounting, "users")) {
		const char *of = text_in(one, "account");
		if (of && strcmp(of, name) == 0)
			put_assoc(out, accounts, one, name, text_in(one, "name"), name);
	}
	JSON_EACH (one, accounts) {
		const char *of = text_in(one, "parent");
		if (of && strcmp(of, name) == 0)
			put_tree(out, accounting, one, name);
	}
}

static int put_accounts(const struct slurm_files *files, const struct json *accounting)
{
	const struct json *one;
	FILE *out = slurm_file_new(files, "accounts.txt");
	if (!out)
		return SL_SYSTEM;
	put_head(out, assoc_columns, SL_LEN(assoc_columns));
	put_assoc(out, NULL, NULL, "root", "", "");
	put_assoc(out, NULL, NULL, "root", "root", "");
	JSON_EACH (one, get(accounting, "accounts"))
		if (!get(one, "parent") || strcmp(text_in(one, "parent"), "root") == 0)
			put_tree(out, accounting, one, "root");
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

static void put_qos_row(FILE *out, const struct json *entry, const char *name)
{
	char text[1000];
	for (size_t i = 0; i < SL_LEN(qos_columns); i++) {
		value_of(entry, &qos_columns[i], text, sizeof(text));
		if (!*text && strcmp(qos_columns[i].name, "UsageFactor") == 0)
			(void)snprintf(text, sizeof(text), "1.000000");
		else if (!*text && strcmp(qos_columns[i].name, "Priority") == 0)
			(void)snprintf(text, sizeof(text), "0");
		else if (!*text && strcmp(qos_columns[i].name, "PreemptMode") == 0)
			(void)snprintf(text, sizeof(text), "cluster");
		(void)fprintf(out, "%s%s", i ? "|" : "", i ? text : name);
	}
	(void)fputc('\n', out);
}

static int put_qos(const struct slurm_files *files, const struct json *list)
{
	FILE *out = slurm_file_new(files, "qos.txt");
	if (!out)
		return SL_SYSTEM;
	put_head(out, qos_columns, SL_LEN(qos_columns));
	put_qos_row(out, account_named(list, "normal"), "normal");
	const struct json *one;
	JSON_EACH (one, list)
		if (strcmp(text_in(one, "name"), "normal") != 0)
			put_qos_row(out, one, text_in(one, "name"));
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

static int check_keys(const struct json *list, const struct column *columns, size_t count, struct sl_err *err)
{
	const struct json *entry;
	const struct json *item;
	JSON_EACH (entry, list)
		JSON_EACH (item, entry)
			if (!is_known(columns, count, item->key))
				return sl_fail(
					err, SL_INPUT, "accounting: key '%s' is not known here", item->key);
	return SL_OK;
}

static int accounting_write(
	const struct slurm_files *files, const struct json *accounting, struct sl_err *err)
{
	int status = check_keys(get(accounting, "qos"), qos_columns, SL_LEN(qos_columns), err);
	if (!status)
		status = check_keys(get(accounting, "accounts"), assoc_columns, SL_LEN(assoc_columns), err);
	if (!status)
		status = check_keys(get(accounting, "users"), assoc_columns, SL_LEN(assoc_columns), err);
	if (!status)
		status = put_accounts(files, accounting);
	return status ? status : put_qos(files, get(accounting, "qos"));
}

/* ---- All of it -------------------------------------------------------------------------------------------
 */

static int write_all(struct slurm_files *files, const struct slurm_case *c, const struct json *json,
	const struct slurm_timing *timing, struct sl_err *err)
{
	const struct json *cluster = get(json, "cluster");
	const struct json *accounting = get(json, "accounting");
	const int64_t boot = number_in(get(json, "power"), "boot", 20);
	files->accounts = accounting != NULL;
	const char *version = files->version ? files->version : c->version;
	files->until = number_in(json, "max", 1500);
	const int64_t calc =
		timing->period ? (timing->calc - timing->tick + timing->period) % timing->period : 0;
	const int len = snprintf(files->policy, sizeof(files->policy),
		"slurm:version=%s,%sstart=%lld,calc=%lld,complete=%d%s%s", version,
		files->every_pass ? "skip=0," : "", (long long)timing->tick, (long long)calc,
		timing->prompt ? 0 : 1, timing->behind ? ".01" : "",
		timing->backfill ? ",first=backfill" : "");
	if (get(json, "power"))
		(void)snprintf(files->policy + len, sizeof(files->policy) - (size_t)len, ",boot=%lld",
			(long long)boot);
	int status = put_slurm_conf(files, json);
	if (!status)
		status = put_gres_conf(files, cluster);
	if (!status)
		status = put_topology_conf(files, cluster);
	if (!status && accounting)
		status = accounting_write(files, accounting, err);
	if (!status)
		status = slurm_jobs_write(files, c, json, timing);
	return status ? sl_fail(err, status, "the scenario's files cannot be written") : SL_OK;
}

struct json *slurm_parsed(const char *path, struct sl_err *err)
{
	const char *text;
	const char *end;
	struct sl_input *in;
	struct json *json = NULL;
	if (sl_input_open(&in, path, err))
		return NULL;
	if (!sl_input_all(in, &text, &end, err))
		json = json_parse(text); /* Closed by a zero. */
	sl_input_close(in);
	return json;
}

int slurm_files_write(struct slurm_files *files, const struct slurm_case *c, const char *scenario,
	const struct slurm_timing *timing, struct sl_err *err)
{
	const char *tmp = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	*files = (struct slurm_files){ .version = files->version, .every_pass = files->every_pass };
	struct json *json = slurm_parsed(scenario, err);
	if (!json)
		return sl_fail(err, SL_INPUT, "%s: not JSON", scenario);
	(void)snprintf(files->folder, sizeof(files->folder), "%.150s/schedlab-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(files->folder)) {
		json_free(json);
		files->folder[0] = '\0';
		return sl_fail(err, SL_SYSTEM, "no folder for the scenario's files");
	}
	(void)snprintf(files->trace, sizeof(files->trace), "%s/sacct.txt", files->folder);
	const int status = write_all(files, c, json, timing, err);
	json_free(json);
	return status;
}

void slurm_files_remove(const struct slurm_files *files)
{
	char path[600];
	DIR *dir = files->folder[0] ? opendir(files->folder) : NULL;
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe): one thread. */
		(void)snprintf(path, sizeof(path), "%s/%s", files->folder, entry->d_name);
		if (entry->d_name[0] != '.')
			(void)unlink(path);
	}
	(void)closedir(dir);
	(void)rmdir(files->folder);
}
