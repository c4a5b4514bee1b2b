/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_settings.c - settings of the kind cluster.nodes[gpu].count+=8, over what the file says.
 *
 * Whatever is a field of nodes or partitions can be set by its key; += and -= are for numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/cluster/cluster_file.h"

/* What can be named: "nodes[NAME]." or "partition[NAME].". */
enum of { OF_NODES, OF_PARTITION, OF_COUNT };

static const struct {
	const char *begin; /* With the bracket. */
	const struct sl_schema *schema;
} things[OF_COUNT] = {
	[OF_NODES] = { "nodes[", &schema_nodes },
	[OF_PARTITION] = { "partition[", &schema_partition },
};

/* "nodes[gpu].count+" in its parts. */
struct parts {
	enum of of;
	const char *name;
	size_t name_len;
	const char *key;
	size_t key_len;
	char op; /* '+', '-' or '='. */
};

/* False: not of that form at all. */
static bool cluster_settings_parts_of(const char *key, struct parts *parts)
{
	size_t of = 0;
	while (of < OF_COUNT && strncmp(key, things[of].begin, strlen(things[of].begin)) != 0)
		of++;
	if (of == OF_COUNT)
		return false;
	parts->of = (enum of)of;
	parts->name = key + strlen(things[of].begin);
	/* Names may have brackets of their own: "nodes[dgx[1-4]].weight". */
	const char *field = strstr(parts->name, "].");
	if (!field)
		return false;
	parts->name_len = (size_t)(field - parts->name);
	parts->key = field + 2;
	parts->key_len = strlen(parts->key);
	parts->op = '=';
	if (parts->key_len &&
		(parts->key[parts->key_len - 1] == '+' || parts->key[parts->key_len - 1] == '-'))
		parts->op = parts->key[--parts->key_len];
	return true;
}

static bool is_for(const struct parts *parts, const char *name)
{
	return strlen(name) == parts->name_len && memcmp(name, parts->name, parts->name_len) == 0;
}

/* GPUs are a number where all of them stand together. */
static const struct sl_field gpus_field = {
	.key = "gpus", .kind = SL_FIELD_COUNT, .at = 0, .min = 0, .max = 1 << 16
};

/* Slurm's words for keys, which who plans has in the fingers. */
static const struct {
	const char *slurm, *key;
	enum of of;
	bool minutes; /* A bare number is so many. */
} words[] = {
	{ "CPUs", "cpus", OF_NODES, false },
	{ "mem", "memory", OF_NODES, false },
	{ "RealMemory", "memory", OF_NODES, false },
	{ "Weight", "weight", OF_NODES, false },
	{ "State", "state", OF_NODES, false },
	{ "MaxTime", "max_time", OF_PARTITION, true },
	{ "DefaultTime", "default_time", OF_PARTITION, true },
	{ "MinNodes", "nodes_min", OF_PARTITION, false },
	{ "MaxNodes", "nodes_max", OF_PARTITION, false },
	{ "MaxCPUsPerNode", "cpus_per_node_max", OF_PARTITION, false },
	{ "PriorityTier", "tier", OF_PARTITION, false },
	{ "PriorityJobFactor", "job_factor", OF_PARTITION, false },
	{ "State", "state", OF_PARTITION, false },
	{ "Nodes", "nodes", OF_PARTITION, false },
	{ "Default", "default", OF_PARTITION, false },
};

/* Its number among the words; their count: it is none. */
static size_t cluster_settings_word_of(const struct parts *parts)
{
	size_t i = 0;
	while (i < SL_LEN(words) && !(words[i].of == parts->of && strlen(words[i].slurm) == parts->key_len &&
					    strncasecmp(words[i].slurm, parts->key, parts->key_len) == 0))
		i++;
	return i;
}

/* Slurm's minutes, words in capitals. */
static const char *cluster_settings_value_of(
	const struct parts *parts, const char *value, char text[SL_FIELD_WORD_MAX + 4])
{
	const size_t word = cluster_settings_word_of(parts);
	const size_t len = strlen(value);
	if (word == SL_LEN(words) || len > SL_FIELD_WORD_MAX)
		return value;
	if (words[word].minutes && len && strspn(value, "0123456789") == len) {
		(void)snprintf(text, SL_FIELD_WORD_MAX + 4, "%s:00", value);
		return text;
	}
	if (strcmp(words[word].key, "nodes") == 0 || strcmp(words[word].key, "memory") == 0)
		return value;
	for (size_t i = 0; i <= len; i++)
		text[i] = (char)(value[i] >= 'A' && value[i] <= 'Z' ? value[i] - 'A' + 'a' : value[i]);
	if (strcmp(text, "infinite") == 0)
		(void)snprintf(text, SL_FIELD_WORD_MAX + 4, "unlimited");
	return strcmp(text, "yes") == 0 ? "true" : strcmp(text, "no") == 0 ? "false" : text;
}

/* NULL: nothing that a setting could change. */
static const struct sl_field *cluster_settings_field_of(const struct parts *parts)
{
	const struct sl_schema *schema = things[parts->of].schema;
	const size_t word = cluster_settings_word_of(parts);
	const char *key = word < SL_LEN(words) ? words[word].key : parts->key;
	size_t i = sl_schema_find(schema, parts->key, parts->key_len);
	if (i == schema->count)
		i = sl_schema_find(schema, key, word < SL_LEN(words) ? strlen(key) : parts->key_len);
	if (i == schema->count || strcmp(schema->field[i].key, "name") == 0 ||
		strcmp(schema->field[i].key, "hosts") == 0)
		return NULL;
	if (parts->of == OF_NODES && strcmp(schema->field[i].key, "gpus") == 0)
		return &gpus_field;
	return schema->field[i].kind == SL_FIELD_OTHER ? NULL : &schema->field[i];
}

static bool cluster_settings_is_number(const struct sl_field *field)
{
	return field->kind == SL_FIELD_COUNT || field->kind == SL_FIELD_MILLI ||
	       field->kind == SL_FIELD_U32 || field->kind == SL_FIELD_MEMORY || field->kind == SL_FIELD_TIME;
}

/* What is added or taken may be 0; what comes of it is what counts. */
static bool amount_read(const struct sl_field *field, const char *text, int64_t *value)
{
	struct sl_field loose = *field;
	loose.at = 0;
	loose.kind = field->kind == SL_FIELD_U32 ? SL_FIELD_COUNT : field->kind;
	loose.min = 0;
	return sl_field_read(&loose, text, value);
}

/* Of cpus with their decimals; of others bare, as they are counted. */
static const char *sum_text(const struct sl_field *field, int64_t sum, char buffer[SL_FIELD_TEXT_MAX])
{
	if (field->kind == SL_FIELD_MILLI)
		return sl_field_number_text(field, sum, buffer);
	*sl_put_i64(buffer, sum) = '\0';
	return buffer;
}

static int add_number(const struct sl_cluster_setting *setting, const struct parts *parts,
	const struct sl_field *field, const char *name, void *base, struct sl_err *err)
{
	char wanted[SL_FIELD_WANTED_MAX];
	char sum[SL_FIELD_TEXT_MAX];
	char text[SL_FIELD_WORD_MAX + 4];
	const int64_t old = sl_field_number(field, base);
	int64_t value;
	if (old == SL_NONE || old == INT64_MAX)
		return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': '%s' has none to add to: use = instead",
			setting->key, name);
	if (!amount_read(field, cluster_settings_value_of(parts, setting->value, text), &value) ||
		value == INT64_MAX)
		return sl_fail(err, SL_USAGE, "--set: 'cluster.%s' must be %s, not '%s'", setting->key,
			sl_field_wanted(field, wanted), setting->value);
	/* Both are from 0 on. */
	const bool over = parts->op == '+' && old > INT64_MAX - value;
	value = parts->op == '-' ? old - value : over ? INT64_MAX : old + value;
	if (over || !sl_field_fits(field, value))
		return sl_fail(err, SL_USAGE, "--set: 'cluster.%s' %s leaves '%s' with %s, and must leave %s",
			setting->key, setting->value, name, over ? "too much" : sum_text(field, value, sum),
			sl_field_wanted(field, wanted));
	sl_field_set_number(field, base, value);
	return SL_OK;
}

static int cluster_settings_apply(const struct sl_cluster_setting *setting, const struct parts *parts,
	const struct sl_field *field, const char *name, void *base, struct sl_err *err)
{
	char wanted[SL_FIELD_WANTED_MAX];
	char text[SL_FIELD_WORD_MAX + 4];
	*setting->used = true;
	if (parts->op != '=') {
		if (cluster_settings_is_number(field))
			return add_number(setting, parts, field, name, base, err);
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s': only numbers can be added to: use =", setting->key);
	}
	/* Of what is kept as a text, nothing is made anew. */
	if (sl_field_read(field, cluster_settings_value_of(parts, setting->value, text), base))
		return SL_OK;
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s' must be %s, not '%s'", setting->key,
		sl_field_wanted(field, wanted), setting->value);
}

/* Where the number of GPUs stands; NULL: in several places. */
static int64_t *cluster_settings_gpus_of(struct node_entry *entry)
{
	int64_t *found = NULL;
	size_t count = entry->spec.gpu_count;
	if (count)
		found = &entry->spec.gpu[0].count;
	for (uint32_t i = 0; i < entry->hardware.gres_count; i++) {
		if (strcmp(entry->gres[i].name, "gpu") != 0)
			continue;
		found = &entry->gres[i].count;
		count++;
	}
	if (entry->gpu_count)
		found = &entry->gpu[0].count;
	count += entry->gpu_count;
	if (!count) {
		entry->spec.gpu[entry->spec.gpu_count++].type = "gpu";
		return &entry->spec.gpu[0].count;
	}
	return count == 1 ? found : NULL;
}

static int fail_not_here(
	const struct sl_cluster_setting *setting, const char *name, const char *why, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': '%s' %s: change them in the file", setting->key,
		name, why);
}

static int apply_to_entry(const struct sl_cluster_setting *setting, const struct parts *parts,
	const struct sl_field *field, struct node_entry *entry, struct sl_err *err)
{
	const char *name = entry->spec.name;
	const size_t offset = field->at;
	if (field == &gpus_field) {
		int64_t *count = cluster_settings_gpus_of(entry);
		return count ? cluster_settings_apply(setting, parts, field, name, count, err)
			     : fail_not_here(setting, name, "has GPUs of several types", err);
	}
	if (entry->spec.hosts && offset == offsetof(struct node_entry, spec.count))
		return fail_not_here(setting, name, "lists its hosts", err);
	entry->built |= offset >= offsetof(struct node_entry, hardware);
	return cluster_settings_apply(setting, parts, field, name, entry, err);
}

/* In thousandths. */
static int64_t cluster_settings_product(const struct sl_hardware *is)
{
	return (int64_t)is->sockets * is->cores * (is->threads ? is->threads : 1) * CPU_PARTS;
}

int settings_for_entry(const struct cluster_settings *settings, struct node_entry *entry, struct sl_err *err)
{
	const int64_t before = cluster_settings_product(&entry->hardware);
	const int64_t cpus = entry->cpus;
	entry->written = entry->spec.count;
	for (size_t i = 0; i < settings->count; i++) {
		struct parts parts;
		if (!cluster_settings_parts_of(settings->item[i].key, &parts) || parts.of != OF_NODES ||
			!cluster_settings_field_of(&parts) || !is_for(&parts, entry->spec.name))
			continue;
		const int status = apply_to_entry(
			&settings->item[i], &parts, cluster_settings_field_of(&parts), entry, err);
		if (status)
			return status;
	}
	/* Other cores are other cpus, unless the cpus were set, or were not all of them. */
	if (before == cpus && entry->cpus == cpus && cluster_settings_product(&entry->hardware) != before)
		entry->cpus = cluster_settings_product(&entry->hardware);
	return SL_OK;
}

int settings_for_partition(
	const struct cluster_settings *settings, struct sl_partition *partition, struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		struct parts parts;
		if (!cluster_settings_parts_of(settings->item[i].key, &parts) || parts.of != OF_PARTITION ||
			!cluster_settings_field_of(&parts) || !is_for(&parts, partition->name))
			continue;
		const int status = cluster_settings_apply(&settings->item[i], &parts,
			cluster_settings_field_of(&parts), partition->name, partition, err);
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

const struct sl_node_model *settings_type(const struct reading *r, size_t i)
{
	struct parts parts;
	const struct sl_cluster_setting *setting = &r->settings.item[i];
	if (*setting->used || !cluster_settings_parts_of(setting->key, &parts) || parts.of != OF_NODES)
		return NULL;
	return sl_by_name_n(r->sink->registry->node_models, parts.name, parts.name_len);
}

/* ---- What nothing took ------------------------------------------------------------------------- */

static int fail_key(const struct sl_cluster_setting *setting, const struct parts *parts, struct sl_err *err)
{
	char key[SL_FIELD_WORD_MAX + 1];
	(void)snprintf(key, sizeof(key), "%.*s",
		(int)(parts->key_len < SL_FIELD_WORD_MAX ? parts->key_len : SL_FIELD_WORD_MAX), parts->key);
	const char *similar = sl_schema_similar(things[parts->of].schema, key);
	const bool known = similar && strcmp(similar, key) == 0;
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': %s have no '%s' to set%s%s%s", setting->key,
		parts->of == OF_NODES ? "nodes" : "partitions", key,
		similar && !known ? ": did you mean '" : "",
		similar && !known ? similar : ": see schedlab-cluster(5)", similar && !known ? "'?" : "");
}

static int fail_unused(const struct sl_cluster_setting *setting, bool pool, const char *const *nodes,
	const char *const *partitions, struct sl_err *err)
{
	struct parts parts;
	if (strcmp(setting->key, "cpus") == 0)
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.cpus' is for a counted pool, and this cluster has nodes: use "
			"cluster.nodes[NAME].count");
	if (!cluster_settings_parts_of(setting->key, &parts))
		return sl_fail(err, SL_USAGE,
			"--set: unknown setting 'cluster.%s': there are cluster.cpus, cluster.nodes[NAME].KEY and "
			"cluster.partition[NAME].KEY, with the keys of schedlab-cluster(5)",
			setting->key);
	if (pool && parts.of == OF_NODES)
		return sl_fail(err, SL_USAGE,
			"--set: 'cluster.%s': this cluster is a counted pool, without nodes: use cluster.cpus",
			setting->key);
	if (!cluster_settings_field_of(&parts))
		return fail_key(setting, &parts, err);
	char name[SL_FIELD_WORD_MAX + 1];
	(void)snprintf(name, sizeof(name), "%.*s",
		(int)(parts.name_len < SL_FIELD_WORD_MAX ? parts.name_len : SL_FIELD_WORD_MAX), parts.name);
	const char *const *known = parts.of == OF_NODES ? nodes : partitions;
	const char *similar = sl_nearest(name, known);
	char list[200] = "";
	for (size_t i = 0, len = 0; !similar && known[i] && len < sizeof(list) - 80; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%.60s", i ? ", " : "", known[i]);
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s': no %s called '%s': %s%s%s%s", setting->key,
		parts.of == OF_NODES ? "nodes are" : "partition is", name,
		similar ? "did you mean '"
		: *list ? "there are "
			: "the file has none",
		similar ? similar : list, similar ? "'?" : "",
		!similar && parts.of == OF_NODES ? "; or name a node type" : "");
}

int settings_all_used(const struct cluster_settings *settings, bool pool, const char *const *nodes,
	const char *const *partitions, struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++)
		if (!*settings->item[i].used)
			return fail_unused(&settings->item[i], pool, nodes, partitions, err);
	return SL_OK;
}
