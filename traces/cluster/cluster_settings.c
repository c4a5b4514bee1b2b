/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_settings.c - settings of the kind cluster.nodes[gpu].count+=8, over what the file says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

static const struct {
	const char *key;
	enum amount amount;
} fields[] = {
	{ "count", AMOUNT_COUNT },
	{ "cpus", AMOUNT_CPUS },
	{ "memory", AMOUNT_MEMORY },
	{ "gpus", AMOUNT_GPUS },
};

/* "nodes[gpu].count+" in its parts. */
struct parts {
	const char *name;
	size_t name_len;
	size_t field; /* SL_LEN(fields): none. */
	char op;      /* '+', '-' or '='. */
};

/* False: not of that form at all. */
static bool parts_of(const char *key, struct parts *parts)
{
	static const char begin[] = "nodes[";
	if (strncmp(key, begin, sizeof(begin) - 1) != 0)
		return false;
	parts->name = key + sizeof(begin) - 1;
	parts->name_len = strcspn(parts->name, "]");
	const char *field = parts->name + parts->name_len;
	if (strncmp(field, "].", 2) != 0)
		return false;
	field += 2;
	size_t len = strlen(field);
	parts->op = '=';
	if (len && (field[len - 1] == '+' || field[len - 1] == '-'))
		parts->op = field[--len];
	size_t i = 0;
	while (i < SL_LEN(fields) && (strlen(fields[i].key) != len || memcmp(fields[i].key, field, len) != 0))
		i++;
	parts->field = i;
	return true;
}

static bool is_for(const struct parts *parts, const char *name)
{
	return strlen(name) == parts->name_len && memcmp(name, parts->name, parts->name_len) == 0;
}

/* Where the number stands; NULL: the entry has several. */
static int64_t *field_of(struct sl_nodes_spec *spec, size_t field)
{
	switch (fields[field].amount) {
	case AMOUNT_COUNT:
		return &spec->count;
	case AMOUNT_CPUS:
		return &spec->cpus;
	case AMOUNT_MEMORY:
		return &spec->mem;
	case AMOUNT_GPUS:
		if (!spec->gpu_count)
			spec->gpu[spec->gpu_count++].type = "gpu";
		return spec->gpu_count == 1 ? &spec->gpu[0].count : NULL;
	case AMOUNTS:
		break;
	}
	return NULL;
}

static int apply(const struct sl_cluster_setting *setting, const struct parts *parts,
	struct sl_nodes_spec *spec, struct sl_err *err)
{
	const enum amount which = fields[parts->field].amount;
	int64_t *place = field_of(spec, parts->field);
	int64_t value;
	if (!place)
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s': '%s' has GPUs of several types: change them in the file",
			setting->key, spec->name);
	if (parts->op != '=' && *place == SL_NONE)
		return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': '%s' has none to add to: use = instead",
			setting->key, spec->name);
	/* What is added or taken may be 0; what comes of it is what counts. */
	const bool zero = strcmp(setting->value, "0") == 0;
	if (!zero && !amount_read(which, setting->value, &value))
		return sl_fail(err, SL_USAGE, "--set: 'cluster.%s' must be %s, not '%s'", setting->key,
			amount_text(which), setting->value);
	if (zero)
		value = 0;
	const int64_t old = parts->op == '=' ? 0 : *place;
	value = parts->op == '-' ? old - value : old + value;
	if (!amount_within(which, value))
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s' %s leaves '%s' with %lld, and must leave %s", setting->key,
			setting->value, spec->name, (long long)value, amount_text(which));
	*place = value;
	*setting->used = true;
	return SL_OK;
}

int settings_for_entry(
	const struct cluster_settings *settings, struct sl_nodes_spec *spec, struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		struct parts parts;
		if (!parts_of(settings->item[i].key, &parts) || parts.field == SL_LEN(fields) ||
			!is_for(&parts, spec->name))
			continue;
		const int status = apply(&settings->item[i], &parts, spec, err);
		if (status)
			return status;
	}
	return SL_OK;
}

int settings_for_pool(const struct cluster_settings *settings, int64_t *cpus, struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct sl_cluster_setting *setting = &settings->item[i];
		if (strcmp(setting->key, "cpus") != 0)
			continue;
		if (!sl_get_i64(setting->value, strlen(setting->value), cpus) || *cpus < 1 ||
			*cpus > INT32_MAX)
			return sl_fail(err, SL_USAGE,
				"--set: 'cluster.cpus' must be a whole number within 1..2147483647, not '%s'",
				setting->value);
		*setting->used = true;
	}
	return SL_OK;
}

static int fail_unused(
	const struct sl_cluster_setting *setting, bool pool, const char *const *names, struct sl_err *err)
{
	struct parts parts;
	if (strcmp(setting->key, "cpus") == 0)
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.cpus' is for a counted pool, and this cluster has nodes: use "
			"cluster.nodes[NAME].count");
	if (!parts_of(setting->key, &parts))
		return sl_fail(err, SL_USAGE,
			"--set: unknown setting 'cluster.%s': there are cluster.cpus and cluster.nodes[NAME].count, "
			".cpus, .memory and .gpus",
			setting->key);
	if (pool)
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s': this cluster is a counted pool, without nodes: use cluster.cpus",
			setting->key);
	if (parts.field == SL_LEN(fields))
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s': nodes have count, cpus, memory and gpus to set", setting->key);
	char name[64];
	(void)snprintf(
		name, sizeof(name), "%.*s", (int)(parts.name_len < 63 ? parts.name_len : 63), parts.name);
	const char *near = sl_nearest(name, names);
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': no nodes are called '%s'%s%s%s", setting->key,
		name, near ? ": did you mean '" : ": name an entry of the file", near ? near : "",
		near ? "'?" : "");
}

int settings_all_used(
	const struct cluster_settings *settings, bool pool, const char *const *names, struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++)
		if (!*settings->item[i].used)
			return fail_unused(&settings->item[i], pool, names, err);
	return SL_OK;
}
