/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_settings.c - --set cluster.KEY=VALUE over what the files say.
 *
 * nodes[NAME].KEY, partition[NAME].KEY and conf.KEY change lines before anything is made of them; the other
 * keys name further files. NAME of nodes is their list as the file has it, or its letters before the numbers;
 * if no line is called so, a feature; else a gres or a type of it; else a partition.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

/* "nodes[gpu[1-4]].count+" in its parts. */
struct parts {
	const char *name;
	size_t name_len;
	char field[CONF_NAME_MAX + 1];
	char op; /* '+', '-' or '='. */
};

/* False: not "WHAT[NAME].FIELD". */
static bool conf_settings_parts_of(const char *key, const char *what, struct parts *parts)
{
	const size_t len = strlen(what);
	if (strncmp(key, what, len) != 0 || key[len] != '[')
		return false;
	parts->name = key + len + 1;
	const char *close = NULL; /* The last one: lists have brackets of their own. */
	for (const char *p = parts->name; *p; p++)
		if (p[0] == ']' && p[1] == '.')
			close = p;
	if (!close)
		return false;
	parts->name_len = (size_t)(close - parts->name);
	size_t field = strlen(close + 2);
	parts->op = '=';
	if (field && (close[1 + field] == '+' || close[1 + field] == '-'))
		parts->op = close[1 + field--];
	if (!field || field > CONF_NAME_MAX)
		return false;
	memcpy(parts->field, close + 2, field);
	parts->field[field] = '\0';
	return true;
}

static int conf_settings_fail(
	const struct conf *conf, const struct sl_cluster_setting *setting, const char *why, const char *said)
{
	return sl_fail(conf->err, SL_USAGE, "--set: 'cluster.%s': %s%s%s", setting->key, why,
		*said ? ": " : "", said);
}

/* The letters of a list before its numbers: "gpu" of "gpu[001-010]" and of "gpu7"; 0: it has none of its own.
 */
static size_t stem_of(const char *hosts)
{
	const size_t bracket = strcspn(hosts, "[");
	if (strchr(hosts, ',') && strcspn(hosts, ",") < bracket)
		return 0;
	size_t len = bracket;
	if (!hosts[bracket])
		while (len && hosts[len - 1] >= '0' && hosts[len - 1] <= '9')
			len--;
	return len;
}

static bool is_exactly(const struct conf_line *line, const struct parts *parts)
{
	const char *hosts = line->pair[0].value;
	return strlen(hosts) == parts->name_len && memcmp(hosts, parts->name, parts->name_len) == 0;
}

static bool conf_settings_is_named(const struct conf_line *line, const struct parts *parts)
{
	const char *hosts = line->pair[0].value;
	return is_exactly(line, parts) || (parts->name_len && stem_of(hosts) == parts->name_len &&
						  memcmp(hosts, parts->name, parts->name_len) == 0);
}

/* One of the parts of that key's value between these signs is the name. */
static bool has_part(
	const struct conf_line *line, const char *key, const char *separators, const struct parts *parts)
{
	const char *value = conf_value_of(line, key);
	for (size_t len; value;) {
		const char *part = conf_part(&value, separators, &len);
		if (len == parts->name_len && memcmp(part, parts->name, len) == 0)
			return true;
	}
	return false;
}

struct host {
	const char *name;
	size_t len;
};

static int is_host(void *self, const char *name, size_t len)
{
	const struct host *host = self;
	return len == host->len && memcmp(name, host->name, len) == 0;
}

static int take_first(void *self, const char *name, size_t len)
{
	*(struct host *)self = (struct host){ name, len };
	return 1;
}

/* The line's first node is in the list of the partition of that name. */
static bool in_partition(const struct conf *conf, const struct conf_line *line, const struct parts *parts)
{
	char first[CONF_NAME_MAX + 1];
	struct host host = { 0 };
	struct sl_err none = { 0 };
	const char *hosts = line->pair[0].value;
	for (size_t i = 0; i < conf->lines.count; i++) {
		const struct conf_line *other = &conf->lines.line[i];
		if (other->kind != CONF_PARTITION || conf_is_default(other) || !is_exactly(other, parts))
			continue;
		const char *nodes = conf_value_of(other, "Nodes");
		if (!nodes || conf_same(nodes, "ALL"))
			return nodes != NULL;
		/* Names are lent for the call alone. */
		if (sl_hosts_each(hosts, strlen(hosts), NULL, &none, take_first, &host) != 1 ||
			host.len > CONF_NAME_MAX)
			return false;
		memcpy(first, host.name, host.len);
		host.name = first;
		return sl_hosts_each(nodes, strlen(nodes), NULL, &none, is_host, &host) == 1;
	}
	return false;
}

/* How the line is meant by the name: the less, the sooner. */
enum { BY_NAME, BY_FEATURE, BY_GRES, BY_PARTITION, BY_COUNT };

static bool is_meant(
	const struct conf *conf, const struct conf_line *line, const struct parts *parts, int how)
{
	if (line->kind != CONF_NODE || conf_is_default(line))
		return false;
	switch (how) {
	case BY_NAME:
		return conf_settings_is_named(line, parts);
	case BY_FEATURE:
		return !line->observed &&
		       (has_part(line, "Feature", ",", parts) || has_part(line, "Features", ",", parts));
	case BY_GRES:
		return !line->observed && has_part(line, "Gres", ",:", parts);
	default:
		return !line->observed && in_partition(conf, line, parts);
	}
}

static bool is_entry(const struct conf *conf, const struct conf_line *line, const struct parts *parts)
{
	for (int how = 0; how < BY_COUNT; how++)
		for (size_t i = 0; i < conf->lines.count; i++)
			if (is_meant(conf, &conf->lines.line[i], parts, how))
				return is_meant(conf, line, parts, how);
	return false;
}

/* ---- Lines ----------------------------------------------------------------------------------------- */

static const char *similar_of(struct conf *conf, enum conf_kind kind, const char *name, size_t len)
{
	enum { KNOWN_MAX = 2000 };
	const char *known[2 * KNOWN_MAX + 1];
	size_t count = 0;
	for (size_t i = 0; i < conf->lines.count && count < SL_LEN(known) - 2; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		if (line->kind != kind || conf_is_default(line))
			continue;
		const char *hosts = line->pair[0].value;
		known[count++] = hosts;
		const size_t stem = kind == CONF_NODE ? stem_of(hosts) : 0;
		const char *letters = stem ? conf_strdup(&conf->mem, hosts, stem) : NULL;
		if (letters)
			known[count++] = letters;
	}
	known[count] = NULL;
	const char *copy = conf_strdup(&conf->mem, name, len);
	return copy ? conf_suggest(conf, copy, known) : "";
}

/* += and -= of a number that the line has. */
static int added(struct conf *conf, const struct sl_cluster_setting *setting, const struct parts *parts,
	const struct conf_line *line, const char *key, const char **value)
{
	const char *old = conf_value_of(line, key);
	int64_t before;
	int64_t more;
	*value = setting->value;
	if (parts->op == '=')
		return SL_OK;
	if (!old || !sl_get_i64(old, strlen(old), &before) ||
		!sl_get_i64(setting->value, strlen(setting->value), &more) || more < 0 ||
		before > INT64_MAX / 2 || more > INT64_MAX / 2)
		return conf_settings_fail(
			conf, setting, "+= and -= are for whole numbers that the file has", "use = instead");
	const int64_t sum = parts->op == '+' ? before + more : before - more;
	if (sum < 0)
		return conf_settings_fail(conf, setting, "leaves less than 0", "");
	*value = conf_printf(&conf->mem, "%lld", (long long)sum);
	return *value ? SL_OK : sl_fail_memory(conf->err);
}

/* Cores that go with so many cpus: as many sockets and threads as before, where they come out even. */
static int cores_follow(struct conf *conf, struct conf_line *line, const char *value)
{
	static const char *const key[] = { "Sockets", "Boards", "SocketsPerBoard", "ThreadsPerCore" };
	int64_t count[SL_LEN(key)];
	int64_t cpus;
	for (size_t i = 0; i < SL_LEN(key); i++) {
		const char *text = conf_value_of(line, key[i]);
		if (!text || !sl_get_i64(text, strlen(text), &count[i]) || count[i] < 1 ||
			count[i] > UINT16_MAX)
			count[i] = 1;
	}
	const int64_t sockets = count[0] > count[1] * count[2] ? count[0] : count[1] * count[2];
	const int64_t each = sockets * count[3];
	if (!sl_get_i64(value, strlen(value), &cpus) || cpus < 1 || cpus > UINT16_MAX)
		return SL_OK; /* What it is not is said where it is read. */
	const bool even = cpus % each == 0;
	int status = conf_patch(conf, line, "CoresPerSocket",
		conf_printf(&conf->mem, "%lld", (long long)(even ? cpus / each : cpus)));
	for (size_t i = 0; i < SL_LEN(key) && !even && !status; i++)
		status = conf_patch(conf, line, key[i], "1");
	return status;
}

/* "gpu:v100:8(S:0)" with another number, in a list of gres. */
static int gpus_setting(struct conf *conf, const struct sl_cluster_setting *setting,
	const struct parts *parts, struct conf_line *line)
{
	const char *old = conf_value_of(line, "Gres");
	const char *found = NULL;
	size_t many = 0;
	for (const char *p = old; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (strncmp(p, "gpu", 3) == 0 && strchr(":,", p[3])) {
			found = p;
			many++;
		}
	int64_t count = 0;
	int64_t value;
	if (many > 1)
		return conf_settings_fail(
			conf, setting, "these nodes have GPUs of several types", "give nodes[NAME].Gres");
	if (!sl_get_i64(setting->value, strlen(setting->value), &value) || value < 0 || value > UINT16_MAX)
		return conf_settings_fail(
			conf, setting, "must be a whole number from 0 to 65535", setting->value);
	const size_t len = found ? strcspn(found, ",") : 0;
	size_t digits = found ? strcspn(found, ",(") : 0;
	const size_t end = digits;
	while (found && digits && found[digits - 1] >= '0' && found[digits - 1] <= '9')
		digits--;
	const bool counted = found && digits < end && found[digits - 1] == ':';
	if (counted)
		(void)sl_get_i64(found + digits, end - digits, &count);
	else if (found)
		count = 1;
	count = parts->op == '=' ? value : parts->op == '+' ? count + value : count - value;
	if (count < 0)
		return conf_settings_fail(conf, setting, "leaves less than 0", "");
	const char *text = !found ? conf_printf(&conf->mem, "%s%sgpu:%lld", old ? old : "",
					    old && *old ? "," : "", (long long)count)
				  : conf_printf(&conf->mem, "%.*s%.*s%s%lld%.*s%s", (int)(found - old), old,
					    (int)(counted ? digits : end), found, counted ? "" : ":",
					    (long long)count, (int)(len - end), found + end, found + len);
	return text ? conf_patch(conf, line, "Gres", text) : sl_fail_memory(conf->err);
}

static int node_setting(
	struct conf *conf, const struct sl_cluster_setting *setting, const struct parts *parts)
{
	static const struct {
		const char *ours, *key;
	} words[] = {
		{ "cpus", "CPUs" },
		{ "mem", "RealMemory" },
		{ "memory", "RealMemory" },
	};
	const char *key = parts->field;
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (conf_same(key, words[i].ours))
			key = words[i].key;
	const bool gpus = strcmp(key, "gpus") == 0;
	if (!gpus && (!conf_key_find(CONF_NODE, key) || conf_same(key, "NodeName")))
		return conf_settings_fail(conf, setting,
			"nodes have count, cpus, mem, gpus, weight, state, and slurm.conf's keys", "");
	for (size_t i = 0; i < conf->lines.count && !status; i++) {
		struct conf_line *line = &conf->lines.line[i];
		const char *value;
		if (!is_entry(conf, line, parts))
			continue;
		if (gpus) {
			status = gpus_setting(conf, setting, parts, line);
			*setting->used = true;
			continue;
		}
		status = added(conf, setting, parts, line, key, &value);
		if (!status && conf_same(key, "CPUs"))
			status = cores_follow(conf, line, value);
		if (!status)
			status = conf_patch(conf, line, key, value);
		*setting->used = true;
	}
	return status;
}

static int partition_setting(
	struct conf *conf, const struct sl_cluster_setting *setting, const struct parts *parts)
{
	int status = SL_OK;
	if (!conf_key_find(CONF_PARTITION, parts->field) || conf_same(parts->field, "PartitionName"))
		return conf_settings_fail(conf, setting, "no key of a partition", "see schedlab-slurm(5)");
	for (size_t i = 0; i < conf->lines.count && !status; i++) {
		struct conf_line *line = &conf->lines.line[i];
		const char *value;
		if (line->kind != CONF_PARTITION || !is_exactly(line, parts))
			continue;
		status = added(conf, setting, parts, line, parts->field, &value);
		if (!status)
			status = conf_patch(conf, line, parts->field, value);
		*setting->used = true;
	}
	return status;
}

static int cluster_setting(struct conf *conf, const struct sl_cluster_setting *setting)
{
	const char *key = setting->key + strlen("conf.");
	if (!conf_key_find(CONF_CLUSTER, key))
		return conf_settings_fail(conf, setting, "no key of slurm.conf", "see schedlab-slurm(5)");
	const char *similar = "";
	size_t len = 0;
	for (const char *at = conf_same(key, "SchedulerParameters") ? setting->value : ""; *at;
		at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		if (len && !conf_option_known(conf, at, strcspn(at, ",="), &similar))
			return conf_settings_fail(conf, setting,
				"has an option that SchedulerParameters does not", *similar ? similar : at);
		if (len && !conf_option_value(at, len))
			return conf_settings_fail(
				conf, setting, "has an option whose value Slurm does not take", at);
	}
	struct conf_bad bad;
	if (conf_value_bad(CONF_CLUSTER, key, setting->value, &bad))
		return conf_settings_fail(conf, setting, "no value that Slurm takes", bad.word);
	struct conf_line *line = conf_line_new(conf, &conf->lines, CONF_CLUSTER);
	if (!line)
		return sl_fail_memory(conf->err);
	*setting->used = true;
	return conf_patch(conf, line, key, setting->value);
}

const char *conf_settings_root(const struct conf *conf)
{
	const char *root = "";
	for (size_t i = 0; i < conf->setting_count && !conf->observed; i++) {
		if (strcmp(conf->setting[i].key, "root") != 0)
			continue;
		root = conf->setting[i].value;
		*conf->setting[i].used = true;
	}
	return root;
}

int conf_settings_lines(struct conf *conf)
{
	static const enum conf_kind defaults[] = { CONF_NODE, CONF_PARTITION, CONF_DOWN };
	int status = SL_OK;
	for (size_t i = 0; i < conf->setting_count && !status; i++)
		if (strncmp(conf->setting[i].key, "conf.", strlen("conf.")) == 0)
			status = cluster_setting(conf, &conf->setting[i]);
	/* From here on no line is added: DEFAULT lines are pointed at. */
	for (size_t i = 0; i < SL_LEN(defaults) && !status; i++)
		status = conf_defaults(conf, defaults[i]);
	for (size_t i = 0; i < conf->setting_count && !status; i++) {
		const struct sl_cluster_setting *setting = &conf->setting[i];
		struct parts parts;
		if (conf_settings_parts_of(setting->key, "partition", &parts))
			status = partition_setting(conf, setting, &parts);
		else if (conf_settings_parts_of(setting->key, "nodes", &parts) &&
			 !conf_same(parts.field, "count"))
			status = node_setting(conf, setting, &parts);
	}
	return status;
}

/* ---- How many nodes ----------------------------------------------------------------------------- */

/* An entry by its letters must be the only one of them. */
static int check_one(const struct conf *conf, const struct sl_cluster_setting *setting,
	const struct parts *parts, const struct conf_line *mine)
{
	for (size_t i = 0; i < conf->lines.count && !is_exactly(mine, parts); i++) {
		const struct conf_line *line = &conf->lines.line[i];
		if (line != mine && is_entry(conf, line, parts))
			return sl_fail(conf->err, SL_USAGE,
				"--set: 'cluster.%s': both '%.60s' and '%.60s' are meant: name one of them as it is written",
				setting->key, mine->pair[0].value, line->pair[0].value);
	}
	return SL_OK;
}

int conf_settings_count(struct conf *conf, const struct conf_line *line, int64_t *count)
{
	for (size_t i = 0; i < conf->setting_count; i++) {
		const struct sl_cluster_setting *setting = &conf->setting[i];
		struct parts parts;
		int64_t value;
		if (!conf_settings_parts_of(setting->key, "nodes", &parts) ||
			!conf_same(parts.field, "count") || !is_entry(conf, line, &parts))
			continue;
		if (line->observed)
			return conf_settings_fail(conf, setting, "scontrol shows nodes one by one",
				"set counts over a slurm.conf");
		const int status = check_one(conf, setting, &parts, line);
		if (status)
			return status;
		if (!sl_get_i64(setting->value, strlen(setting->value), &value) || value < 0 ||
			value > SL_HOSTS_MAX)
			return conf_settings_fail(
				conf, setting, "must be a whole number from 0 to 10000000", setting->value);
		*count = parts.op == '=' ? value : parts.op == '+' ? *count + value : *count - value;
		if (*count < 0 || *count > SL_HOSTS_MAX)
			return conf_settings_fail(
				conf, setting, "leaves less than 0 nodes, or more than 10000000", "");
		*setting->used = true;
	}
	return SL_OK;
}

/* ---- Files -------------------------------------------------------------------------------------- */

static int states_file(struct conf *conf, struct sl_input *in)
{
	struct conf_lines lines = { 0 };
	int status = conf_read_scontrol(conf, in, &lines);
	if (!status && !lines.count)
		status = sl_fail(conf->err, SL_INPUT, "%s: holds no record of 'scontrol show node'",
			sl_input_name(in));
	if (!status)
		status = conf_states_apply(conf, &lines, CONF_NODE);
	free(lines.line); /* What the states keep of it is in the arena. */
	return status;
}

static int reservations_file(struct conf *conf, struct sl_input *in)
{
	const size_t before = conf->further.count;
	const int status = conf_read_scontrol(conf, in, &conf->further);
	if (!status && conf->further.count == before)
		return sl_fail(conf->err, SL_INPUT, "%s: holds no record of 'scontrol show reservation'",
			sl_input_name(in));
	return status;
}

static int accounts_file(struct conf *conf, struct sl_input *in)
{
	return conf_read_table(conf, in, CONF_TABLE_ACCOUNTS);
}

static int qos_file(struct conf *conf, struct sl_input *in)
{
	return conf_read_table(conf, in, CONF_TABLE_QOS);
}

static int usage_file(struct conf *conf, struct sl_input *in)
{
	return conf_read_table(conf, in, CONF_TABLE_USAGE);
}

static int events_file(struct conf *conf, struct sl_input *in)
{
	return conf_read_table(conf, in, CONF_TABLE_EVENTS);
}

static const struct {
	const char *key;
	int (*read)(struct conf *conf, struct sl_input *in);
} files[] = {
	{ "accounts", accounts_file },
	{ "qos", qos_file },
	{ "usage", usage_file },
	{ "events", events_file },
	{ "reservations", reservations_file },
	{ "nodes_state", states_file },
};

/* qos[NAME].KEY, account[NAME].KEY (NAME: account, account/user or account/user/partition): over the files.
 */
static int table_settings(struct conf *conf)
{
	int status = SL_OK;
	for (size_t i = 0; i < conf->setting_count && !status; i++) {
		const struct sl_cluster_setting *setting = &conf->setting[i];
		struct parts parts;
		const bool qos = conf_settings_parts_of(setting->key, "qos", &parts);
		if (!qos && !conf_settings_parts_of(setting->key, "account", &parts))
			continue;
		const char *name = conf_strdup(&conf->mem, parts.name, parts.name_len);
		const char *key = conf_strdup(&conf->mem, parts.field, strlen(parts.field));
		if (!name || !key)
			return sl_fail_memory(conf->err);
		if (parts.op != '=')
			return conf_settings_fail(
				conf, setting, "limits of QOS and accounts are set, not added to", "use =");
		*setting->used = true;
		status = conf_table_set(conf, qos, name, key, setting);
	}
	return status;
}

int conf_settings_files(struct conf *conf)
{
	int status = SL_OK;
	for (size_t i = 0; i < conf->setting_count; i++)
		for (size_t k = 0; k < SL_LEN(files) && !status; k++) {
			const struct sl_cluster_setting *setting = &conf->setting[i];
			struct sl_input *in;
			if (strcmp(setting->key, files[k].key) != 0)
				continue;
			*setting->used = true;
			status = conf_open(conf, setting->value, &in);
			if (!status)
				status = files[k].read(conf, in);
		}
	return status ? status : table_settings(conf);
}

/* ---- What nobody took --------------------------------------------------------------------------- */

/* "did you mean ...", or those that there are, the first of them. */
static const char *conf_settings_names_of(struct conf *conf, enum conf_kind kind, const char *similar)
{
	enum { DISPLAYED = 12 };
	const char *text = "there are";
	size_t count = 0;
	for (size_t i = 0; i < conf->lines.count && !*similar && count < DISPLAYED; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		if (line->kind != kind || conf_is_default(line))
			continue;
		text = conf_printf(&conf->mem, "%s%s %.60s", text, count++ ? "," : "", line->pair[0].value);
		if (!text)
			return "";
	}
	return *similar ? similar : count ? text : "";
}

static int fail_unused(struct conf *conf, const struct sl_cluster_setting *setting)
{
	struct parts parts;
	if (strcmp(setting->key, "cpus") == 0)
		return conf_settings_fail(conf, setting, "is for a counted pool, and this cluster has nodes",
			"use cluster.nodes[NAME].count");
	if (conf_settings_parts_of(setting->key, "nodes", &parts))
		return conf_settings_fail(conf, setting,
			"no NodeName line has that list, these letters, feature or gres, and no partition is called so",
			conf_settings_names_of(
				conf, CONF_NODE, similar_of(conf, CONF_NODE, parts.name, parts.name_len)));
	if (conf_settings_parts_of(setting->key, "partition", &parts))
		return conf_settings_fail(conf, setting, "there is no such partition",
			conf_settings_names_of(conf, CONF_PARTITION,
				similar_of(conf, CONF_PARTITION, parts.name, parts.name_len)));
	return conf_settings_fail(conf, setting, "unknown",
		"there are nodes[NAME].KEY, partition[NAME].KEY, qos[NAME].KEY, account[NAME].KEY, conf.KEY, accounts, qos, usage, events, reservations, "
		"nodes_state and root");
}

int conf_settings_used(struct conf *conf)
{
	for (size_t i = 0; i < conf->setting_count; i++)
		if (!*conf->setting[i].used)
			return fail_unused(conf, &conf->setting[i]);
	return SL_OK;
}
