/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_json.c - scontrol --json, as openapi v0.0.37 and data_parser up to v0.0.44 print it.
 *
 * Each object of a known list becomes a line with slurm.conf's keys, as scontrol's texts do. A number may be
 * bare, or { set, infinite, number }. What the tables do not name says nothing of the machine.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "traces/slurm/conf.h"
#include "traces/slurm/meta.h"

struct field {
	const char *path; /* "maximums.time" */
	const char *key;
};

static const struct field node_fields[] = {
	{ "name", "NodeName" },
	{ "boards", "Boards" },
	{ "cpus", "CPUs" },
	{ "sockets", "Sockets" },
	{ "cores", "CoresPerSocket" },
	{ "threads", "ThreadsPerCore" },
	{ "real_memory", "RealMemory" },
	{ "temporary_disk", "TmpDisk" },
	{ "specialized_cores", "CoreSpecCount" },
	{ "specialized_cpus", "CPUSpecList" },
	{ "specialized_memory", "MemSpecLimit" },
	{ "gres", "Gres" },
	{ "weight", "Weight" },
	{ "features", "Features" },
	{ "extra", "Extra" },
	{ "reason", "Reason" },
	{ "state", "State" },
	{ NULL, NULL },
};

static const struct field partition_fields[] = {
	{ "name", "PartitionName" },
	{ "nodes.configured", "Nodes" },
	{ "nodes", "Nodes" }, /* v0.0.38 */
	{ "maximums.time", "MaxTime" },
	{ "maximum_job_time", "MaxTime" },
	{ "max_time_limit", "MaxTime" },
	{ "defaults.time", "DefaultTime" },
	{ "default_time_limit", "DefaultTime" },
	{ "maximums.nodes", "MaxNodes" },
	{ "maximum_nodes_per_job", "MaxNodes" },
	{ "max_nodes_per_job", "MaxNodes" },
	{ "minimums.nodes", "MinNodes" },
	{ "min_nodes_per_job", "MinNodes" },
	{ "maximums.cpus_per_node", "MaxCPUsPerNode" },
	{ "maximum_cpus_per_node", "MaxCPUsPerNode" },
	{ "maximums.partition_memory_per_cpu", "MaxMemPerCPU" },
	{ "maximums.partition_memory_per_node", "MaxMemPerNode" },
	{ "maximums.cpus_per_socket", "MaxCPUsPerSocket" },
	{ "maximum_memory_per_cpu", "MaxMemPerCPU" },
	{ "maximum_memory_per_node", "MaxMemPerNode" },
	{ "defaults.partition_memory_per_cpu", "DefMemPerCPU" },
	{ "defaults.partition_memory_per_node", "DefMemPerNode" },
	{ "default_memory_per_cpu", "DefMemPerCPU" },
	{ "default_memory_per_node", "DefMemPerNode" },
	{ "defaults.job", "JobDefaults" },
	{ "priority.tier", "PriorityTier" },
	{ "priority_tier", "PriorityTier" },
	{ "priority.job_factor", "PriorityJobFactor" },
	{ "priority_job_factor", "PriorityJobFactor" },
	{ "partition.state", "State" },
	{ "state", "State" },
	{ "qos.assigned", "QOS" },
	{ "qos", "QOS" },
	{ "qos.allowed", "AllowQos" },
	{ "allowed_qos", "AllowQos" },
	{ "qos.deny", "DenyQos" },
	{ "denied_qos", "DenyQos" },
	{ "accounts.allowed", "AllowAccounts" },
	{ "allowed_accounts", "AllowAccounts" },
	{ "accounts.deny", "DenyAccounts" },
	{ "denied_accounts", "DenyAccounts" },
	{ "groups.allowed", "AllowGroups" },
	{ "allowed_groups", "AllowGroups" },
	{ "tres.billing_weights", "TRESBillingWeights" },
	{ "billing_weights", "TRESBillingWeights" },
	{ "grace_time", "GraceTime" },
	{ "preemption_grace_time", "GraceTime" },
	{ "maximums.over_time_limit", "OverTimeLimit" },
	{ "over_time_limit", "OverTimeLimit" },
	{ "suspend_time", "SuspendTime" },
	{ "timeouts.suspend", "SuspendTimeout" },
	{ "timeouts.resume", "ResumeTimeout" },
	{ NULL, NULL },
};

static const struct field reservation_fields[] = {
	{ "name", "ReservationName" },
	{ "start_time", "StartTime" },
	{ "end_time", "EndTime" },
	{ "node_list", "Nodes" },
	{ "users", "Users" },
	{ "accounts", "Accounts" },
	{ "flags", "Flags" },
	{ NULL, NULL },
};

static const struct field license_fields[] = {
	{ "LicenseName", "LicenseName" },
	{ "name", "LicenseName" },
	{ "Total", "Total" },
	{ "total", "Total" },
	{ NULL, NULL },
};

static const struct {
	const char *list;
	enum conf_kind kind;
	const struct field *fields;
} lists[] = {
	{ "nodes", CONF_NODE, node_fields },
	{ "partitions", CONF_PARTITION, partition_fields },
	{ "reservations", CONF_RESERVATION, reservation_fields },
	{ "licenses", CONF_LICENSE, license_fields },
};

/* Flags of a partition that slurm.conf has as keys of their own. */
static const struct field flags[] = {
	{ "DEFAULT", "Default" },
	{ "HIDDEN", "Hidden" },
	{ "ROOT_ONLY", "RootOnly" },
	{ "EXCLUSIVE_USER", "ExclusiveUser" },
	{ "LLN", "LLN" },
	{ "least_loaded_nodes", "LLN" }, /* v0.0.38 */
	{ "REQ_RESV", "ReqResv" },
};

struct displayed {
	struct conf *conf;
	struct conf_lines *into;
	struct conf_line *line;
	struct sl_place at;
	struct sl_doc doc; /* The object that is read. */
};

static int pair_add(struct displayed *displayed, const char *key, const char *value)
{
	struct conf *conf = displayed->conf;
	if (!value)
		return sl_fail_memory(conf->err);
	if (!*value || (displayed->line->count && conf_pair_own(displayed->line, key)))
		return SL_OK;
	if (strlen(value) > CONF_LINE_MAX)
		return sl_fail_at(conf->err, &displayed->at, "a value of '%s' is longer than 64 KiB", key);
	const struct conf_pair pair = { .key = key, .value = value, .at = displayed->at };
	if (conf_pair_add(conf, displayed->into, displayed->line, &pair))
		return SL_OK;
	return conf->err->status ? conf->err->status : sl_fail_memory(conf->err);
}

static const struct sl_doc_node *conf_json_at(
	const struct displayed *displayed, const struct sl_doc_node *map, const char *path)
{
	return sl_doc_at(&displayed->doc, map, path);
}

static const char *conf_json_text_of(const struct displayed *displayed, const struct sl_doc_node *node)
{
	return sl_doc_string(&displayed->doc, node);
}

/* A bare number, or one of { set, infinite, number }. False: nothing is said. */
static bool conf_json_number_of(
	const struct displayed *displayed, const struct sl_doc_node *item, double *value, bool *infinite)
{
	*infinite = sl_doc_is(&displayed->doc, conf_json_at(displayed, item, "infinite"), "true");
	if (*infinite)
		return true;
	if (item && item->kind == SL_DOC_MAP)
		item = sl_doc_is(&displayed->doc, conf_json_at(displayed, item, "set"), "false")
			       ? NULL
			       : conf_json_at(displayed, item, "number");
	return sl_doc_number(&displayed->doc, item, value) && fabs(*value) <= 9e15;
}

/* Seconds since 1970 as a date, without a zone. */
static const char *conf_json_date_of(struct conf *conf, double seconds)
{
	enum { SECONDS_MAX = INT32_MAX };
	const time_t at = (time_t)(seconds >= 0 && seconds <= SECONDS_MAX ? seconds : 0);
	struct tm tm;
	char text[40];
	if (at == 0 || !gmtime_r(&at, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return "";
	return conf_strdup(&conf->mem, text, strlen(text));
}

static const char *joined(
	const struct displayed *displayed, const struct sl_doc_node *array, const char *separator)
{
	const char *text = "";
	SL_DOC_EACH (item, &displayed->doc, array) {
		const char *more = conf_json_text_of(displayed, item);
		if (more && text && strlen(text) <= CONF_LINE_MAX)
			text = conf_printf(
				&displayed->conf->mem, "%s%s%s", text, *text ? separator : "", more);
	}
	return text;
}

static int field_add(struct displayed *displayed, const struct field *field, const struct sl_doc_node *item)
{
	struct conf *conf = displayed->conf;
	const bool date = conf_same(field->key, "StartTime") || conf_same(field->key, "EndTime");
	const char *text = conf_json_text_of(displayed, item);
	double number = 0;
	bool infinite;
	if (text)
		return pair_add(displayed, field->key, conf_strdup(&conf->mem, text, strlen(text)));
	if (item && item->kind == SL_DOC_LIST)
		return pair_add(displayed, field->key,
			joined(displayed, item, conf_same(field->key, "State") ? "+" : ","));
	if (!item || !conf_json_number_of(displayed, item, &number, &infinite))
		return SL_OK;
	if (infinite || number < 0)
		return pair_add(displayed, field->key, "UNLIMITED");
	return pair_add(displayed, field->key,
		date ? conf_json_date_of(conf, number) : conf_printf(&conf->mem, "%.0f", number));
}

/* v0.0.38 has states' flags beside the state. */
static int node_state(struct displayed *displayed, const struct sl_doc_node *object)
{
	const char *state = conf_json_text_of(displayed, conf_json_at(displayed, object, "state"));
	const struct sl_doc_node *more = conf_json_at(displayed, object, "state_flags");
	if (!state || !more || more->kind != SL_DOC_LIST || !more->count)
		return SL_OK;
	const char *words = joined(displayed, more, "+");
	return pair_add(
		displayed, "State", words ? conf_printf(&displayed->conf->mem, "%s+%s", state, words) : NULL);
}

static int partition_flags(struct displayed *displayed, const struct sl_doc_node *object)
{
	const struct sl_doc_node *share = conf_json_at(displayed, object, "maximums.oversubscribe.flags");
	int status = SL_OK;
	SL_DOC_EACH (item, &displayed->doc, conf_json_at(displayed, object, "flags")) {
		const char *flag = conf_json_text_of(displayed, item);
		for (size_t i = 0; i < SL_LEN(flags) && flag && !status; i++)
			if (conf_same(flag, flags[i].path))
				status = pair_add(displayed, flags[i].key, "YES");
	}
	double jobs = 1;
	bool infinite;
	if (status ||
		!conf_json_number_of(displayed,
			conf_json_at(displayed, object, "maximums.oversubscribe.jobs"), &jobs, &infinite) ||
		infinite)
		return status;
	const char *first = share && share->kind == SL_DOC_LIST
				    ? conf_json_text_of(displayed, sl_doc_child(&displayed->doc, share))
				    : NULL;
	const bool force = first && conf_same(first, "force");
	if (jobs < 1)
		return pair_add(displayed, "OverSubscribe", "EXCLUSIVE");
	if (jobs < 2 && !force)
		return pair_add(displayed, "OverSubscribe", "NO");
	return pair_add(displayed, "OverSubscribe",
		conf_printf(&displayed->conf->mem, "%s:%.0f", force ? "FORCE" : "YES", jobs));
}

static int object_add(struct displayed *displayed, size_t list, const struct sl_doc_node *object)
{
	struct conf *conf = displayed->conf;
	displayed->line = conf_line_new(conf, displayed->into, lists[list].kind);
	if (!displayed->line)
		return sl_fail_memory(conf->err);
	displayed->line->observed = true;
	/* The name first; the key of the first field names the line. */
	int status = SL_OK;
	for (const struct field *field = lists[list].fields; field->path && !status; field++) {
		if (field != lists[list].fields && !displayed->line->count &&
			!conf_same(field->key, lists[list].fields->key))
			break;
		if (conf_same(field->key, "State") && lists[list].kind == CONF_NODE)
			status = node_state(displayed, object);
		if (!status)
			status = field_add(displayed, field, conf_json_at(displayed, object, field->path));
	}
	if (!status && !displayed->line->count)
		return sl_fail_at(
			conf->err, &displayed->at, "one of the \"%s\" has no name", lists[list].list);
	return !status && lists[list].kind == CONF_PARTITION ? partition_flags(displayed, object) : status;
}

/* Of one list: each object becomes a line before the next is read. */
static int list_add(struct displayed *displayed, size_t list, const struct sl_json *where)
{
	struct sl_json json = *where;
	bool first = true;
	if (sl_json_peek(&json) != '[')
		return json.failed ? json.err->status : SL_OK;
	sl_json_open(&json);
	while (sl_json_element(&json, &first)) {
		int status = sl_json_tree(&json, &displayed->doc);
		if (!status && displayed->doc.node->kind == SL_DOC_MAP)
			status = object_add(displayed, list, displayed->doc.node);
		if (status)
			return status;
	}
	return json.failed ? json.err->status : SL_OK;
}

/* Which slurmctld it was. */
static int meta_add(struct displayed *displayed, const struct sl_json *where)
{
	struct conf *conf = displayed->conf;
	struct sl_json json = *where;
	if (sl_json_peek(&json) != '{' || conf_global(conf, SLURM_RELEASE_KEY))
		return json.failed ? json.err->status : SL_OK;
	const int status = sl_json_tree(&json, &displayed->doc);
	if (status)
		return status;
	const char *release = slurm_release_of(&displayed->doc, displayed->doc.node);
	if (!release)
		return SL_OK;
	displayed->line = conf_line_new(conf, displayed->into, CONF_CLUSTER);
	if (!displayed->line)
		return sl_fail_memory(conf->err);
	displayed->line->observed = true;
	return pair_add(displayed, SLURM_RELEASE_KEY, conf_strdup(&conf->mem, release, strlen(release)));
}

/* The text begins with an object; *end is behind it. */
int conf_read_json(
	struct conf *conf, const char *file, const char *text, const char **end, struct conf_lines *into)
{
	struct displayed displayed = {
		.conf = conf, .into = into, .at = { file, 0, 0 }, .doc = { .file = file, .loose = true }
	};
	struct sl_json where[SL_LEN(lists)] = { { 0 } };
	struct sl_json json, meta = { 0 }, sinfo = { 0 };
	struct sl_json_word key;
	bool first = true;
	sl_json_begin(&json, file, text, text + strlen(text), conf->err);
	sl_json_open(&json);
	while (sl_json_member(&json, &key, &first)) {
		for (size_t i = 0; i < SL_LEN(lists); i++)
			if (sl_json_is(&key, lists[i].list) && !where[i].p)
				where[i] = json;
		if (sl_json_is(&key, "meta"))
			meta = json;
		if (sl_json_is(&key, "sinfo") && !sinfo.p)
			sinfo = json;
		sl_json_skip(&json);
	}
	*end = json.p;
	int status = json.failed ? conf->err->status : SL_OK;
	for (size_t i = 0; i < SL_LEN(lists) && !status; i++)
		if (where[i].p)
			status = list_add(&displayed, i, &where[i]);
	if (!status && sinfo.p)
		status = conf_sinfo_json(conf, file, &sinfo, &displayed.doc, into);
	if (!status && meta.p)
		status = meta_add(&displayed, &meta);
	sl_doc_release(&displayed.doc);
	return status;
}
