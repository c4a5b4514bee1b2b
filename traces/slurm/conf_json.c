/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_json.c - scontrol --json, as data_parser v0.0.38 to v0.0.40 print it.
 *
 * Each object of a known list becomes a line with slurm.conf's keys, as scontrol's texts do. A number may be
 * bare, or { set, infinite, number }. What the tables do not name says nothing of the machine.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "traces/slurm/conf.h"

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
	{ "max_nodes_per_job", "MaxNodes" },
	{ "minimums.nodes", "MinNodes" },
	{ "min_nodes_per_job", "MinNodes" },
	{ "maximums.cpus_per_node", "MaxCPUsPerNode" },
	{ "maximum_cpus_per_node", "MaxCPUsPerNode" },
	{ "maximums.partition_memory_per_cpu", "MaxMemPerCPU" },
	{ "maximums.partition_memory_per_node", "MaxMemPerNode" },
	{ "maximum_memory_per_node", "MaxMemPerNode" },
	{ "defaults.partition_memory_per_cpu", "DefMemPerCPU" },
	{ "defaults.partition_memory_per_node", "DefMemPerNode" },
	{ "default_memory_per_cpu", "DefMemPerCPU" },
	{ "defaults.job", "JobDefaults" },
	{ "priority.tier", "PriorityTier" },
	{ "priority_tier", "PriorityTier" },
	{ "priority.job_factor", "PriorityJobFactor" },
	{ "priority_job_factor", "PriorityJobFactor" },
	{ "partition.state", "State" },
	{ "state", "State" },
	{ "qos.assigned", "QOS" },
	{ "qos.allowed", "AllowQos" },
	{ "qos.deny", "DenyQos" },
	{ "accounts.allowed", "AllowAccounts" },
	{ "accounts.deny", "DenyAccounts" },
	{ "groups.allowed", "AllowGroups" },
	{ "tres.billing_weights", "TRESBillingWeights" },
	{ "grace_time", "GraceTime" },
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
	{ "REQ_RESV", "ReqResv" },
};

struct shown {
	struct conf *conf;
	struct conf_lines *into;
	struct conf_line *line;
	struct sl_place at;
};

static int pair_add(struct shown *shown, const char *key, const char *value)
{
	struct conf *conf = shown->conf;
	if (!value)
		return sl_fail_memory(conf->err);
	if (!*value || (shown->line->count && conf_pair_own(shown->line, key)))
		return SL_OK;
	if (strlen(value) > CONF_LINE_MAX)
		return sl_fail_at(conf->err, &shown->at, "a value of '%s' is longer than 64 KiB", key);
	const struct conf_pair pair = { .key = key, .value = value, .at = shown->at };
	if (conf_pair_add(conf, shown->into, shown->line, &pair))
		return SL_OK;
	return conf->err->status ? conf->err->status : sl_fail_memory(conf->err);
}

static const cJSON *member(const cJSON *object, const char *name, size_t len)
{
	const cJSON *item = NULL;
	cJSON_ArrayForEach(item, object) if (item->string && strlen(item->string) == len &&
					     memcmp(item->string, name, len) == 0) return item;
	return NULL;
}

static const cJSON *at_path(const cJSON *object, const char *path)
{
	for (size_t len; object && path;) {
		const char *name = conf_piece(&path, ".", &len);
		object = cJSON_IsObject(object) ? member(object, name, len) : NULL;
	}
	return object;
}

/* A bare number, or one of { set, infinite, number }. False: nothing is said. */
static bool number_of(const cJSON *item, double *value, bool *infinite)
{
	*infinite = false;
	if (cJSON_IsObject(item)) {
		const cJSON *set = member(item, "set", 3);
		*infinite = cJSON_IsTrue(member(item, "infinite", 8));
		item = cJSON_IsFalse(set) ? NULL : member(item, "number", 6);
		if (*infinite)
			return true;
	}
	if (!item || !cJSON_IsNumber(item) || isnan(item->valuedouble) || fabs(item->valuedouble) > 9e15)
		return false;
	*value = item->valuedouble;
	return true;
}

/* Seconds since 1970 as a date, without a zone. */
static const char *date_of(struct conf *conf, double seconds)
{
	enum { SECONDS_MAX = INT32_MAX };
	const time_t at = (time_t)(seconds >= 0 && seconds <= SECONDS_MAX ? seconds : 0);
	struct tm tm;
	char text[40];
	if (at == 0 || !gmtime_r(&at, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return "";
	return conf_strdup(&conf->mem, text, strlen(text));
}

static const char *joined(struct conf *conf, const cJSON *array, const char *separator)
{
	const char *text = "";
	const cJSON *item = NULL;
	cJSON_ArrayForEach(item, array) if (cJSON_IsString(item) && text) text =
		strlen(text) > CONF_LINE_MAX
			? text
			: conf_printf(&conf->mem, "%s%s%s", text, *text ? separator : "", item->valuestring);
	return text;
}

static int field_add(struct shown *shown, const struct field *field, const cJSON *item)
{
	struct conf *conf = shown->conf;
	const bool date = conf_same(field->key, "StartTime") || conf_same(field->key, "EndTime");
	double number = 0;
	bool infinite;
	if (cJSON_IsString(item))
		return pair_add(shown, field->key,
			conf_strdup(&conf->mem, item->valuestring, strlen(item->valuestring)));
	if (cJSON_IsArray(item))
		return pair_add(
			shown, field->key, joined(conf, item, conf_same(field->key, "State") ? "+" : ","));
	if (!item || !number_of(item, &number, &infinite))
		return SL_OK;
	if (infinite || number < 0)
		return pair_add(shown, field->key, "UNLIMITED");
	return pair_add(
		shown, field->key, date ? date_of(conf, number) : conf_printf(&conf->mem, "%.0f", number));
}

/* v0.0.38 has states' flags beside the state. */
static int node_state(struct shown *shown, const cJSON *object)
{
	const cJSON *state = member(object, "state", 5);
	const cJSON *more = member(object, "state_flags", 11);
	if (!cJSON_IsString(state) || !cJSON_IsArray(more) || !cJSON_GetArraySize(more))
		return SL_OK;
	const char *words = joined(shown->conf, more, "+");
	return pair_add(shown, "State",
		words ? conf_printf(&shown->conf->mem, "%s+%s", state->valuestring, words) : NULL);
}

static int partition_flags(struct shown *shown, const cJSON *object)
{
	const cJSON *item = NULL;
	const cJSON *share = at_path(object, "maximums.oversubscribe.flags");
	int status = SL_OK;
	cJSON_ArrayForEach(
		item, member(object, "flags", 5)) for (size_t i = 0; i < SL_LEN(flags) && !status;
						       i++) if (cJSON_IsString(item) &&
								conf_same(item->valuestring, flags[i].path))
		status = pair_add(shown, flags[i].key, "YES");
	double jobs = 1;
	bool infinite;
	if (status || !number_of(at_path(object, "maximums.oversubscribe.jobs"), &jobs, &infinite) ||
		infinite)
		return status;
	const cJSON *first = cJSON_IsArray(share) ? share->child : NULL;
	const bool force = first && cJSON_IsString(first) && conf_same(first->valuestring, "force");
	if (jobs < 1)
		return pair_add(shown, "OverSubscribe", "EXCLUSIVE");
	if (jobs < 2 && !force)
		return pair_add(shown, "OverSubscribe", "NO");
	return pair_add(shown, "OverSubscribe",
		conf_printf(&shown->conf->mem, "%s:%.0f", force ? "FORCE" : "YES", jobs));
}

static int object_add(struct shown *shown, size_t list, const cJSON *object)
{
	struct conf *conf = shown->conf;
	shown->line = conf_line_new(conf, shown->into, lists[list].kind);
	if (!shown->line)
		return sl_fail_memory(conf->err);
	shown->line->observed = true;
	/* The name first; the key of the first field names the line. */
	int status = SL_OK;
	for (const struct field *field = lists[list].fields; field->path && !status; field++) {
		if (field != lists[list].fields && !shown->line->count &&
			!conf_same(field->key, lists[list].fields->key))
			break;
		if (conf_same(field->key, "State") && lists[list].kind == CONF_NODE)
			status = node_state(shown, object);
		if (!status)
			status = field_add(shown, field, at_path(object, field->path));
	}
	if (!status && !shown->line->count)
		return sl_fail_at(conf->err, &shown->at, "one of the \"%s\" has no name", lists[list].list);
	return !status && lists[list].kind == CONF_PARTITION ? partition_flags(shown, object) : status;
}

int conf_read_json(
	struct conf *conf, const char *file, const char *text, const char **end, struct conf_lines *into)
{
	struct shown shown = { .conf = conf, .into = into, .at = { file, 0, 0 } };
	*end = NULL;
	cJSON *root = cJSON_ParseWithOpts(text, end, false);
	int status = SL_OK;
	if (!root) {
		const char *at = *end && *end >= text ? *end : text;
		struct sl_place place = { file, 1, 1 };
		for (const char *p = text; p < at; p++) {
			place.line += *p == '\n';
			place.column = *p == '\n' ? 1 : place.column + 1;
		}
		return sl_fail_at(conf->err, &place, "this is not JSON, or too deep");
	}
	for (size_t i = 0; i < SL_LEN(lists) && !status; i++) {
		const cJSON *list =
			cJSON_IsObject(root) ? member(root, lists[i].list, strlen(lists[i].list)) : NULL;
		const cJSON *item = NULL;
		cJSON_ArrayForEach(item, list)
		{
			if (!status && cJSON_IsObject(item))
				status = object_add(&shown, i, item);
		}
	}
	cJSON_Delete(root);
	return status;
}
