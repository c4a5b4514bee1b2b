/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_nodes.c - an entry of `nodes`: what the file says, over what its type says.
 *
 * cpus is what is given, else sockets * cores * threads; cores are those that make up the cpus. Nothing is
 * said of the hardware unless some key of it, or a type, is there.
 */
#include <stdio.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

static const struct sl_doc_node *cluster_nodes_value_of(
	const struct sl_doc_node *const *value, const char *key)
{
	return value[sl_schema_find(&schema_nodes, key, strlen(key))];
}

/* ---- Types ------------------------------------------------------------------------------------ */

static int fail_type(const struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_place at = sl_doc_place(r->doc, node);
	if (node->kind != SL_DOC_TEXT)
		return fail_value(r, node, "type", "the name of a node type");
	const char *similar = sl_nearest_name(text_of(r, node), r->sink->registry->node_models);
	return sl_fail_at(r->err, &at,
		"no node type is called '%.60s': %s%s%s'schedlab list nodes' shows all", text_of(r, node),
		similar ? "did you mean '" : "", similar ? similar : "", similar ? "'? " : "");
}

/* The entry begins as the type says; gres are copied, so that they can be changed. A plug-in's type may have
 * more of them than an entry of a file. */
static int begin_as(const struct reading *r, const struct sl_node_model *type, struct node_entry *entry)
{
	const struct sl_nodes_spec *spec = type->node;
	entry->spec = *spec;
	entry->cpus = spec->cpus == SL_NONE ? SL_NONE : spec->cpus * (CPU_PARTS / sl_parts(spec->parts));
	if (!spec->hardware)
		return SL_OK;
	if (spec->hardware->gres_count > ENTRY_GRES_MAX || spec->hardware->feature_count > ENTRY_FEATURES_MAX)
		return sl_fail(r->err, SL_INPUT,
			"node type '%s' has more than %d groups of devices, or %d features", type->name,
			ENTRY_GRES_MAX, ENTRY_FEATURES_MAX);
	entry->built = true;
	entry->hardware = *spec->hardware;
	for (uint32_t k = 0; k < spec->hardware->gres_count; k++)
		entry->gres[k] = spec->hardware->gres[k];
	for (uint32_t k = 0; k < spec->hardware->feature_count; k++)
		entry->feature[k] = spec->hardware->feature[k];
	return SL_OK;
}

static int take_type(const struct reading *r, const struct sl_doc_node *node, struct node_entry *entry)
{
	if (!node)
		return SL_OK;
	const struct sl_node_model *type =
		node->kind == SL_DOC_TEXT ? sl_by_name(r->sink->registry->node_models, text_of(r, node))
					  : NULL;
	return type ? begin_as(r, type, entry) : fail_type(r, node);
}

/* ---- GPUs -------------------------------------------------------------------------------------- */

static const struct sl_field gpu_count = {
	.key = "gpus", .kind = SL_FIELD_COUNT, .at = 0, .min = 0, .max = 1 << 16
};

static int take_gpu_count(
	const struct reading *r, const struct sl_doc_node *node, const char *key, int64_t *count)
{
	char wanted[SL_FIELD_WANTED_MAX];
	if (!node || (node->kind == SL_DOC_TEXT && sl_field_read(&gpu_count, text_of(r, node), count)))
		return SL_OK;
	return fail_value(r, node, key, sl_field_wanted(&gpu_count, wanted));
}

/* The model that divides GPUs is one that is known. */
static int check_mig(const struct reading *r, const struct sl_doc_node *node, const char *name)
{
	const struct sl_mig_model *const *model = r->sink->registry->mig_models;
	const struct sl_place at = sl_doc_place(r->doc, node);
	char all[400] = "";
	if (sl_by_name(model, name))
		return SL_OK;
	const char *similar = sl_nearest_name(name, model);
	for (size_t len = 0; *model && len < sizeof(all); model++)
		len += (size_t)snprintf(
			all + len, sizeof(all) - len, "%s%s", len ? ", " : "", (*model)->name);
	return sl_fail_at(r->err, &at, "no model of MIG is called '%.60s': %s%s%sthere are %s", name,
		similar ? "did you mean '" : "", similar ? similar : "", similar ? "'? " : "", all);
}

/* More is said of GPUs of a type than how many there are. */
static int take_gpu_more(
	const struct reading *r, const struct sl_doc_node *map, const char *type, struct node_entry *entry)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_gres *gpu = &entry->gpu[entry->gpu_count];
	*gpu = (struct sl_gres){ .name = "gpu", .type = type };
	sl_schema_clear(&schema_gpus, gpu);
	int status = map_read(r, map, &schema_gpus, value, gpu);
	if (!status && gpu->mig)
		status = check_mig(r, sl_doc_member(r->doc, map, "mig"), gpu->mig);
	entry->gpu_count += !status && gpu->count;
	entry->built |= entry->gpu_count;
	return status;
}

/* gpus: { a100: 4, v100: { count: 4, memory: 16GiB } } */
static int take_gpu_map(const struct reading *r, const struct sl_doc_node *map, struct node_entry *entry)
{
	struct sl_nodes_spec *spec = &entry->spec;
	SL_DOC_EACH (node, r->doc, map) {
		const char *type = r->doc->text + node->key;
		const struct sl_place at = sl_doc_key_place(r->doc, node);
		int64_t count = 0;
		if (!sl_is_word(type))
			return sl_fail_at(r->err, &at,
				"a type of GPU must be a word of letters, digits, '.', '_' and '-', at most "
				"63, not '%.60s'",
				type);
		if (spec->gpu_count + entry->gpu_count == ENTRY_GPUS_MAX)
			return sl_fail_at(
				r->err, &at, "more than %d types of GPU on one node", ENTRY_GPUS_MAX);
		const int status = node->kind == SL_DOC_MAP ? take_gpu_more(r, node, type, entry)
							    : take_gpu_count(r, node, type, &count);
		if (status)
			return status;
		if (!count)
			continue;
		spec->gpu[spec->gpu_count].type = type;
		spec->gpu[spec->gpu_count++].count = count;
	}
	return SL_OK;
}

/* The type's own GPUs go: the file names others. */
static void drop_gpus(struct node_entry *entry)
{
	uint32_t kept = 0;
	entry->spec.gpu_count = 0;
	entry->gpu_count = 0;
	for (uint32_t i = 0; i < entry->hardware.gres_count; i++)
		if (strcmp(entry->gres[i].name, "gpu") != 0)
			entry->gres[kept++] = entry->gres[i];
	entry->hardware.gres_count = kept;
}

static int take_gpus(
	const struct reading *r, const struct sl_doc_node *const *value, struct node_entry *entry)
{
	static const struct sl_field type_word = { .key = "gpu_type", .kind = SL_FIELD_WORD };
	const struct sl_doc_node *gpus = cluster_nodes_value_of(value, "gpus");
	const struct sl_doc_node *type = cluster_nodes_value_of(value, "gpu_type");
	char wanted[SL_FIELD_WANTED_MAX];
	if (!gpus && !type)
		return SL_OK;
	drop_gpus(entry);
	if (gpus && gpus->kind == SL_DOC_MAP) {
		if (!type)
			return take_gpu_map(r, gpus, entry);
		const struct sl_place at = sl_doc_key_place(r->doc, type);
		return sl_fail_at(
			r->err, &at, "'gpu_type' beside a map of GPUs: the map names the types, remove it");
	}
	int64_t count = 0;
	const char *name = "gpu";
	const int status = take_gpu_count(r, gpus, "gpus", &count);
	if (status)
		return status;
	if (type && (type->kind != SL_DOC_TEXT || !sl_field_read(&type_word, text_of(r, type), &name)))
		return fail_value(r, type, "gpu_type", sl_field_wanted(&type_word, wanted));
	if (!count && !type)
		return SL_OK;
	entry->spec.gpu[0].type = name; /* A type without GPUs waits for a setting that gives some. */
	entry->spec.gpu[0].count = count;
	entry->spec.gpu_count = 1;
	return SL_OK;
}

/* ---- Gres and features -------------------------------------------------------------------------- */

static int take_gres_item(const struct reading *r, const struct sl_doc_node *node, struct node_entry *entry)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	const uint32_t index = entry->hardware.gres_count;
	struct sl_gres *gres = &entry->gres[index];
	*gres = (struct sl_gres){ 0 };
	sl_schema_clear(&schema_gres, gres);
	const int status = map_read(r, node, &schema_gres, value, gres);
	if (status)
		return status;
	const struct sl_doc_node *cores = value[sl_schema_find(&schema_gres, "cores", strlen("cores"))];
	if (cores) {
		if (cores->kind != SL_DOC_TEXT || !cores_read(text_of(r, cores), entry->cores[index]))
			return fail_value(r, cores, "cores", "a list of cores below 1024, such as 0-15,32");
		gres->cores = entry->cores[index];
	}
	if (strcmp(gres->name, "gpu") == 0 && !sl_field_fits(&gpu_count, gres->count))
		return fail_node(r, node, "more than 65536 GPUs on one node");
	if (strcmp(gres->name, "gpu") == 0 && (entry->spec.gpu_count || entry->gpu_count))
		return fail_node(
			r, node, "GPUs stand in 'gpus' and in 'gres': remove them from one of the two");
	if (strcmp(gres->name, "gpu") != 0 && (gres->mig || gres->island))
		return fail_node(r, node, "'mig' and 'gpus_per_island' are of GPUs: remove them");
	if (gres->mig && check_mig(r, sl_doc_member(r->doc, node, "mig"), gres->mig))
		return SL_INPUT;
	entry->hardware.gres_count++;
	return SL_OK;
}

static int take_gres(const struct reading *r, const struct sl_doc_node *list, struct node_entry *entry)
{
	if (!list)
		return SL_OK;
	if (list->kind != SL_DOC_LIST)
		return fail_value(r, list, "gres", "a list of entries with name, type, count and so on");
	if (list->count > ENTRY_GRES_MAX)
		return fail_node(r, list, "more than 64 entries of gres on one node");
	int status = SL_OK;
	entry->hardware.gres_count = 0;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, list); node && !status;
		node = sl_doc_next(r->doc, node))
		status = take_gres_item(r, node, entry);
	return status;
}

static int take_features(const struct reading *r, const struct sl_doc_node *list, struct node_entry *entry)
{
	static const struct sl_field feature = { .key = "features", .kind = SL_FIELD_TEXT };
	if (!list)
		return SL_OK;
	if (list->kind != SL_DOC_LIST || list->count > ENTRY_FEATURES_MAX)
		return fail_value(r, list, "features", "a list of at most 256 texts");
	entry->hardware.feature_count = 0;
	SL_DOC_EACH (node, r->doc, list) {
		const char **to = &entry->feature[entry->hardware.feature_count++];
		if (node->kind != SL_DOC_TEXT || !sl_field_read(&feature, text_of(r, node), to))
			return fail_value(r, node, "features", "a list of texts");
	}
	return SL_OK;
}

/* ---- Names, and how the numbers hang together ---------------------------------------------------- */

static int cluster_nodes_take_name(const struct reading *r, const struct sl_doc_node *map,
	const struct sl_doc_node *const *value, struct sl_nodes_spec *spec)
{
	const struct sl_doc_node *hosts = cluster_nodes_value_of(value, "hosts");
	const struct sl_doc_node *name = cluster_nodes_value_of(value, "name");
	if (!hosts) {
		if (!name)
			return fail_node(r, map, "nodes have 'name', which is not here: add it");
		return sl_is_word(spec->name)
			       ? SL_OK
			       : fail_value(r, name, "name",
					 "a word of letters, digits, '.', '_' and '-', at most 63");
	}
	if (cluster_nodes_value_of(value, "count"))
		return fail_node(r, cluster_nodes_value_of(value, "count"),
			"'count' beside 'hosts': the hosts are counted, remove it");
	const struct sl_place at = sl_doc_place(r->doc, hosts);
	spec->count = sl_hosts_count(spec->hosts, strlen(spec->hosts), &at, r->err);
	if (spec->count < 0)
		return (int)spec->count;
	if (!name)
		spec->name = spec->hosts;
	if (strlen(spec->name) > SL_FIELD_WORD_MAX)
		return fail_node(r, name ? name : map,
			name ? "'name' is longer than 63 characters"
			     : "'hosts' is longer than 63 characters: give a 'name' that the entry is called by");
	return SL_OK;
}

/* Cpus of all sockets, cores and threads that are given, in thousandths; 0: not all are. */
static int64_t cluster_nodes_product(const struct node_entry *entry)
{
	const struct sl_hardware *is = &entry->hardware;
	return (int64_t)is->sockets * is->cores * (is->threads ? is->threads : 1) * CPU_PARTS;
}

static bool says_cores(const struct sl_doc_node *const *value)
{
	return cluster_nodes_value_of(value, "sockets") || cluster_nodes_value_of(value, "cores") ||
	       cluster_nodes_value_of(value, "threads");
}

static bool says_hardware(const struct sl_doc_node *const *value)
{
	static const char *const key[] = { "boards", "sockets", "cores", "threads", "features", "weight",
		"gres", "state", "reason", "tmp_disk", "cores_kept", "memory_kept" };
	for (size_t i = 0; i < SL_LEN(key); i++)
		if (cluster_nodes_value_of(value, key[i]))
			return true;
	return false;
}

/* No device is nearest to a core that is not there. */
static int check_gres_cores(
	const struct reading *r, const struct sl_doc_node *map, const struct node_entry *entry)
{
	const uint32_t count = entry->hardware.sockets * entry->hardware.cores;
	for (uint32_t i = 0; i < entry->hardware.gres_count; i++)
		for (uint32_t core = count; entry->gres[i].cores && core < SL_CORES_MAX; core++)
			if (entry->gres[i].cores[core / 64] >> (core % 64) & 1)
				return fail_node(r, map,
					"gres are nearest to cores that the node does not have ('cores')");
	return SL_OK;
}

/* Where more is said of some GPUs, all of them are gres. False: they are too many. */
static bool finish_gpus(struct node_entry *entry)
{
	struct sl_hardware *is = &entry->hardware;
	struct sl_nodes_spec *spec = &entry->spec;
	if (!entry->gpu_count)
		return true;
	if (is->gres_count + entry->gpu_count + spec->gpu_count > ENTRY_GRES_MAX)
		return false;
	for (size_t i = 0; i < spec->gpu_count; i++)
		entry->gres[is->gres_count++] = (struct sl_gres){
			.name = "gpu", .type = spec->gpu[i].type, .count = spec->gpu[i].count
		};
	for (uint32_t i = 0; i < entry->gpu_count; i++)
		entry->gres[is->gres_count++] = entry->gpu[i];
	spec->gpu_count = 0;
	return true;
}

/* Whole cpus are said as such. */
static void finish_cpus(struct node_entry *entry)
{
	const bool whole = entry->cpus % CPU_PARTS == 0;
	entry->spec.cpus = whole ? entry->cpus / CPU_PARTS : entry->cpus;
	entry->spec.parts = whole ? 0 : CPU_PARTS;
}

/* Cores that make up the cpus where they are not said. */
static int cluster_nodes_finish(
	const struct reading *r, const struct sl_doc_node *map, struct node_entry *entry)
{
	struct sl_hardware *is = &entry->hardware;
	const int64_t cpus = entry->cpus / CPU_PARTS + (entry->cpus % CPU_PARTS != 0);
	finish_cpus(entry);
	if (!entry->built)
		return SL_OK;
	if (!finish_gpus(entry))
		return fail_node(r, map, "more than 64 entries of gres on one node");
	is->boards = is->boards ? is->boards : 1;
	is->sockets = is->sockets ? is->sockets : 1;
	is->threads = is->threads ? is->threads : 1;
	if (!is->cores) {
		const int64_t share = (int64_t)is->sockets * is->threads;
		const int64_t cores = (cpus + share - 1) / share;
		is->cores = (uint32_t)cores;
	}
	if ((int64_t)is->sockets * is->cores > SL_CORES_MAX)
		return fail_node(r, map, "more than 1024 cores on one node: that many are not told apart");
	if ((int64_t)is->cores_kept > (int64_t)is->sockets * is->cores)
		return fail_node(r, map, "more cores are kept ('cores_kept') than the node has");
	if (entry->cpus > cluster_nodes_product(entry))
		return fail_node(r, map, "has more cpus than sockets * cores * threads: make them agree");
	const int status = check_gres_cores(r, map, entry);
	if (status)
		return status;
	is->gres = is->gres_count ? entry->gres : NULL;
	is->feature = is->feature_count ? entry->feature : NULL;
	entry->spec.hardware = is;
	return SL_OK;
}

/* cpus of what is said of sockets, cores and threads, before and after settings have changed it. */
static int take_cpus(const struct reading *r, const struct sl_doc_node *map,
	const struct sl_doc_node *const *value, struct node_entry *entry)
{
	if (!cluster_nodes_value_of(value, "cpus") && says_cores(value) && cluster_nodes_product(entry))
		entry->cpus = cluster_nodes_product(entry);
	if (entry->cpus == SL_NONE)
		return fail_node(r, map, "nodes have 'cpus', which is not here: add it");
	if (entry->cpus > (int64_t)ENTRY_CPUS_MAX * CPU_PARTS)
		return fail_node(r, map, "more than 1048576 cpus on one node");
	return SL_OK;
}

int entry_read(const struct reading *r, const struct sl_doc_node *map, struct node_entry *entry)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	memset(entry, 0, sizeof(*entry));
	sl_schema_clear(&schema_nodes, entry);
	int status = map_read(r, map, &schema_nodes, value, NULL);
	if (!status)
		status = take_type(r, cluster_nodes_value_of(value, "type"), entry);
	if (!status)
		status = map_read(r, map, &schema_nodes, value, entry);
	if (!status)
		status = cluster_nodes_take_name(r, map, value, &entry->spec);
	if (status)
		return status;
	entry->built |= says_hardware(value);
	if (!status)
		status = take_cpus(r, map, value, entry);
	if (!status)
		status = take_gpus(r, value, entry);
	if (!status)
		status = take_gres(r, cluster_nodes_value_of(value, "gres"), entry);
	if (!status)
		status = take_features(r, cluster_nodes_value_of(value, "features"), entry);
	if (!status)
		status = settings_for_entry(&r->settings, entry, r->err);
	if (status)
		return status;
	return cluster_nodes_finish(r, map, entry);
}

int entry_of_type(const struct reading *r, const struct sl_node_model *type, struct node_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	sl_schema_clear(&schema_nodes, entry);
	int status = begin_as(r, type, entry);
	entry->spec.name = type->name;
	entry->spec.hosts = NULL;
	entry->spec.count = 0;
	if (!status)
		status = settings_for_entry(&r->settings, entry, r->err);
	return status ? status : cluster_nodes_finish(r, &r->doc->node[0], entry);
}
