/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_file.c - our cluster file, the same in YAML and JSON; see schedlab-cluster(5).
 *
 * A map's keys stand in a table (cluster_fields.c); a key that is not there is an error with the nearest that
 * is. Settings are applied entry by entry, before the sink gets anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

enum { ENTRIES_MAX = 10000, SETTINGS_MAX = 1000000 };

const char *text_of(const struct reading *r, const struct sl_doc_node *node)
{
	return r->doc->text + node->text;
}

/* ---- Maps by table -------------------------------------------------------------------------- */

static int fail_key(
	const struct sl_schema_reading *r, const struct sl_schema *schema, const struct sl_doc_node *node)
{
	const struct reading *in = r->self;
	const char *name = sl_doc_key_of(r->doc, node);
	if ((schema == &schema_cluster && is_section(in, name)) ||
		(schema == &schema_nodes && is_model_node_key(name)))
		return SL_OK;
	const char *similar = sl_schema_similar(schema, name);
	if (!similar && schema == &schema_cluster)
		similar = sl_nearest_name(name, in->sink->registry->models);
	char known[400];
	return sl_schema_fail_key(r, node, "unknown key '%.60s': %s%s%s%s %s", name,
		similar ? "did you mean '" : "", similar ? similar : "", similar ? "'? " : "", schema->have,
		sl_schema_keys(schema, known, sizeof(known)));
}

static int fail_schema(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what)
{
	if (wrong == SL_SCHEMA_UNKNOWN)
		return fail_key(r, schema, node);
	if (wrong == SL_SCHEMA_NO_MAP)
		return sl_schema_fail_at(r, node, "%s keys with values, such as '%s': a map is due here",
			schema->have, schema->field[0].key);
	if (wrong == SL_SCHEMA_LACKS)
		return sl_schema_fail_at(r, node, "%s '%s', which is not here: add it", schema->have, what);
	return fail_value(r->self, node, sl_doc_key_of(r->doc, node), what);
}

int map_read(const struct reading *r, const struct sl_doc_node *map, const struct sl_schema *schema,
	const struct sl_doc_node *into[SL_FIELDS_MAX], void *base)
{
	struct reading in = *r;
	const struct sl_schema_reading by = {
		.doc = r->doc, .self = &in, .fail = fail_schema, .err = r->err
	};
	return sl_schema_read(&by, map, schema, into, base);
}

int fail_value(const struct reading *r, const struct sl_doc_node *node, const char *key, const char *wanted)
{
	const struct sl_place at = sl_doc_place(r->doc, node);
	if (node->kind != SL_DOC_TEXT)
		return sl_fail_at(r->err, &at, "'%s' must be %s, not a %s", key, wanted,
			node->kind == SL_DOC_MAP ? "map" : "list");
	return sl_fail_at(r->err, &at, "'%s' must be %s, not '%.60s'", key, wanted, text_of(r, node));
}

int fail_node(const struct reading *r, const struct sl_doc_node *node, const char *what)
{
	const struct sl_place at = sl_doc_place(r->doc, node);
	return sl_fail_at(r->err, &at, "%s", what);
}

static const struct sl_doc_node *top(const struct reading *r, const char *key)
{
	return r->value[sl_schema_find(&schema_cluster, key, strlen(key))];
}

/* Each member of a list of the top, if it is there. entries: "entries with name, count and so on". */
static int each_of(struct reading *r, const char *key, uint32_t most, const char *entries,
	int (*read)(struct reading *r, const struct sl_doc_node *node))
{
	const struct sl_doc_node *list = top(r, key);
	if (!list)
		return SL_OK;
	const struct sl_place at = sl_doc_place(r->doc, list);
	if (list->kind != SL_DOC_LIST)
		return sl_fail_at(r->err, &at, "'%s' must be a list of %s", key, entries);
	if (list->count > most)
		return sl_fail_at(r->err, &at, "more than %u entries in '%s'", most, key);
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, list); node && !status;
		node = sl_doc_next(r->doc, node))
		status = read(r, node);
	return status;
}

/* ---- What stands in the lists ------------------------------------------------------------------ */

static int read_entry(struct reading *r, const struct sl_doc_node *node)
{
	const int status = entry_read(r, node, r->node);
	if (status)
		return status;
	const struct sl_place at = sl_doc_place(r->doc, node);
	const struct sl_nodes_spec *spec = &r->node->spec;
	r->counted[r->entry_count] =
		spec->hosts ? (struct counted){ 0 } : (struct counted){ r->node->written, spec->count };
	r->entry[r->entry_count++] = spec->name;
	const int reported = r->sink->nodes(r->sink->self, &r->node->spec, &at, r->err);
	return reported ? reported : node_settings_read(r, node, r->node->spec.name);
}

static int read_partition(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_partition partition = { 0 };
	sl_schema_clear(&schema_partition, &partition);
	int status = map_read(r, node, &schema_partition, value, &partition);
	if (!status)
		status = settings_for_partition(&r->settings, &partition, r->err);
	if (status)
		return status;
	const struct sl_place at = sl_doc_place(r->doc, node);
	char *made;
	r->partition[r->partition_count++] = partition.name;
	status = taken_trim(r, &partition.nodes, &made);
	if (!status && r->sink->partition)
		status = r->sink->partition(r->sink->self, &partition, &at, r->err);
	free(made);
	return status;
}

static int read_switch(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_switch spec = { 0 };
	char *made;
	int status = map_read(r, node, &schema_switch, value, &spec);
	if (status)
		return status;
	if (!spec.nodes == !spec.switches)
		return fail_node(r, node, "a switch has either 'nodes' or 'switches' below it");
	const struct sl_place at = sl_doc_place(r->doc, node);
	status = taken_trim(r, &spec.nodes, &made);
	if (!status && r->sink->sw)
		status = r->sink->sw(r->sink->self, &spec, &at, r->err);
	free(made);
	return status;
}

static int read_license(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_license spec = { .total = 1 };
	const int status = map_read(r, node, &schema_license, value, &spec);
	if (status)
		return status;
	const struct sl_place at = sl_doc_place(r->doc, node);
	return r->sink->license ? r->sink->license(r->sink->self, &spec, &at, r->err) : SL_OK;
}

static int read_setting(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_setting setting = { .kind = "cluster", .name = "" };
	const int status = map_read(r, node, &schema_setting, value, &setting);
	if (status)
		return status;
	setting.at = sl_doc_place(r->doc, node);
	return r->sink->setting ? r->sink->setting(r->sink->self, &setting, r->err) : SL_OK;
}

static int read_window(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *value[SL_FIELDS_MAX];
	struct sl_window_spec spec = { 0 };
	char *made;
	int status = map_read(r, node, &schema_window, value, &spec);
	if (status)
		return status;
	const bool always = !spec.from && !spec.until && !spec.length && spec.kind != SL_WINDOW_RESERVED;
	if (!always && !spec.from)
		return fail_node(r, node, "reservations have 'start', which is not here: add it");
	if (!always && !spec.until == !spec.length)
		return fail_node(r, node, "reservations have one of 'end' and 'duration': give just one");
	if (top(r, "nodes") && (!spec.nodes || spec.cpus))
		return fail_node(r, node, "reservations of a cluster with nodes have 'nodes', and no 'cpus'");
	if (!top(r, "nodes") && (spec.nodes || !spec.cpus))
		return fail_node(r, node, "reservations of a counted pool have 'cpus', and no 'nodes'");
	const struct sl_place at = sl_doc_place(r->doc, node);
	status = taken_trim(r, &spec.nodes, &made);
	if (!status && !(made && spec.nodes == made && !*made)) /* Of none of the nodes that are left. */
		status = r->sink->window(r->sink->self, &spec, &at, r->err);
	free(made);
	return status;
}

/* ---- No name twice ------------------------------------------------------------------------------ */

struct named {
	const char *name;
	const struct sl_doc_node *node;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	const int by_name = strcmp(x->name, y->name);
	return by_name ? by_name : (x->node > y->node) - (x->node < y->node);
}

/* The list's maps are whole: each has a name. (Nodes are the engine's matter: it knows their names.) */
static int check_once(const struct reading *r, const char *key)
{
	const struct sl_doc_node *list = top(r, key);
	if (!list || !list->count)
		return SL_OK;
	struct named *named = calloc(list->count, sizeof(*named));
	if (!named)
		return sl_fail_memory(r->err);
	size_t count = 0;
	SL_DOC_EACH (map, r->doc, list)
		SL_DOC_EACH (node, r->doc, map)
			if (strcmp(r->doc->text + node->key, "name") == 0)
				named[count++] = (struct named){ text_of(r, node), node };
	qsort(named, count, sizeof(*named), compare_named);
	int status = SL_OK;
	for (size_t i = 1; i < count && !status; i++) {
		const struct sl_place at = sl_doc_place(r->doc, named[i].node);
		if (strcmp(named[i - 1].name, named[i].name) == 0)
			status = sl_fail_at(r->err, &at,
				"'%.60s' stands twice in '%s', first on line %u: remove one", named[i].name,
				key, named[i - 1].node->line);
	}
	free(named);
	return status;
}

/* ---- The whole file ------------------------------------------------------------------------------ */

static int read_pool(const struct reading *r)
{
	const struct sl_doc_node *node = top(r, "cpus");
	int64_t cpus;
	if (node->kind != SL_DOC_TEXT || !sl_get_i64(text_of(r, node), strlen(text_of(r, node)), &cpus) ||
		cpus < 1 || cpus > INT32_MAX)
		return fail_value(r, node, "cpus", "a whole number from 1 to 2147483647");
	const struct sl_place at = sl_doc_place(r->doc, node);
	const int status = settings_for_pool(&r->settings, &cpus, r->err);
	return status ? status : r->sink->pool(r->sink->self, cpus, &at, r->err);
}

/* Nodes of a type from the list of node types, of which a setting gives the file some. */
static int add_types(struct reading *r, const struct sl_place *at)
{
	for (size_t i = 0; i < r->settings.count; i++) {
		const struct sl_node_model *type = settings_type(r, i);
		bool there = !type;
		for (size_t k = 0; k < r->entry_count && !there; k++)
			there = strcmp(r->entry[k], type->name) == 0;
		if (there)
			continue;
		int status = entry_of_type(r, type, r->node);
		r->counted[r->entry_count] = (struct counted){ 0, r->node->spec.count };
		r->entry[r->entry_count++] = type->name;
		if (!status)
			status = r->sink->nodes(r->sink->self, &r->node->spec, at, r->err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int read_nodes(struct reading *r)
{
	static const char entries[] = "entries with name, count, cpus and so on";
	const struct sl_doc_node *list = top(r, "nodes");
	const struct sl_place at = sl_doc_place(r->doc, list);
	if (list->kind == SL_DOC_LIST && !list->count)
		return sl_fail_at(r->err, &at, "'nodes' must be a list of %s", entries);
	const int status = each_of(r, "nodes", ENTRIES_MAX, entries, read_entry);
	return status ? status : add_types(r, &at);
}

/* All but the nodes or the pool. */
static int read_lists(struct reading *r)
{
	static const struct {
		const char *key, *entries;
		int (*read)(struct reading *r, const struct sl_doc_node *node);
		uint32_t most;
		bool once; /* No two of a name. */
	} lists[] = {
		{ "partitions", "entries with name, nodes and so on", read_partition, ENTRIES_MAX, true },
		{ "switches", "entries with name, and nodes or switches", read_switch, ENTRIES_MAX, true },
		{ "licenses", "entries with name and total", read_license, ENTRIES_MAX, true },
		{ "reservations", "entries with name, start and so on", read_window, ENTRIES_MAX, false },
		{ "settings", "entries with key and value", read_setting, SETTINGS_MAX, false },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(lists) && !status; i++) {
		status = each_of(r, lists[i].key, lists[i].most, lists[i].entries, lists[i].read);
		if (!status && lists[i].once)
			status = check_once(r, lists[i].key);
	}
	return status;
}

static int read_head(struct reading *r)
{
	const struct sl_doc_node *root = &r->doc->node[0];
	struct cluster_head head = { 0 };
	sl_schema_clear(&schema_cluster, &head);
	int status = map_read(r, root, &schema_cluster, r->value, &head);
	if (!status && !top(r, "cpus") == !top(r, "nodes"))
		return fail_node(r, root, "a cluster has either 'nodes' or, for a counted pool, 'cpus'");
	if (!status && head.name)
		status = r->sink->name(r->sink->self, head.name, r->err);
	if (!status && r->sink->whole)
		status = r->sink->whole(r->sink->self, &head.whole, r->err);
	return status;
}

static size_t members(const struct sl_doc_node *list) { return list ? list->count : 0; }

static int read_top(struct reading *r)
{
	int status = read_head(r);
	if (status)
		return status;
	const bool pool = !top(r, "nodes");
	r->entry = calloc(members(top(r, "nodes")) + r->settings.count + 1, sizeof(*r->entry));
	r->counted = calloc(members(top(r, "nodes")) + r->settings.count + 1, sizeof(*r->counted));
	r->partition = calloc(members(top(r, "partitions")) + 1, sizeof(*r->partition));
	r->node = malloc(sizeof(*r->node));
	if (!r->entry || !r->counted || !r->partition || !r->node)
		status = sl_fail_memory(r->err);
	else
		status = pool ? read_pool(r) : read_nodes(r);
	if (!status)
		status = read_lists(r);
	if (!status)
		status = sections_read(r);
	if (!status)
		status = settings_all_used(&r->settings, pool, r->entry, r->partition, r->err);
	free(r->entry);
	free(r->counted);
	free(r->partition);
	free(r->node);
	return status;
}

static int cluster_file_read_file(
	int (*parse)(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err),
	struct sl_input *in, const struct cluster_settings *settings, const struct sl_cluster_sink *sink,
	struct sl_err *err)
{
	struct sl_doc doc = { .file = sl_input_name(in) };
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	if (!status && end - text > SL_DOC_BYTES_MAX)
		status = sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: no cluster file is", doc.file);
	if (!status)
		status = parse(&doc, text, (size_t)(end - text), err);
	if (!status && !doc.count)
		status = sl_fail(err, SL_INPUT, "%s: has nothing but comments: give nodes or cpus", doc.file);
	struct reading reading = { .doc = &doc, .sink = sink, .settings = *settings, .err = err };
	if (!status)
		status = read_top(&reading);
	sl_doc_release(&doc);
	return status;
}

/* ---- YAML and JSON ----------------------------------------------------------------------------------- */

static int json_sniff(const char *path, const char *text, size_t len)
{
	(void)path;
	size_t i = 0;
	while (i < len && strchr(" \t\r\n", text[i]))
		i++;
	return i < len && text[i] == '{' ? 90 : 0;
}

/* A line that begins with one of the top's keys, or a dash line. */
static int yaml_sniff(const char *path, const char *text, size_t len)
{
	(void)path;
	const char *end = text + len;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		size_t word = 0;
		while (p + word < stop && ((p[word] >= 'a' && p[word] <= 'z') || p[word] == '_'))
			word++;
		if (word && p + word < stop && p[word] == ':')
			return 80;
		if (stop - p >= 3 && memcmp(p, "---", 3) == 0)
			return 80;
		if (p < stop && *p != '#' && *p != '%' && *p != '\r')
			return 0;
		p = stop + 1;
	}
	return 0;
}

static int yaml_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	(void)path;
	return cluster_file_read_file(
		sl_doc_read_yaml, in, &(struct cluster_settings){ setting, setting_count }, sink, err);
}

static int json_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	(void)path;
	return cluster_file_read_file(
		sl_doc_read_json, in, &(struct cluster_settings){ setting, setting_count }, sink, err);
}

const struct sl_cluster_reader cluster_yaml = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "yaml",
	.summary = "our cluster file as YAML, see schedlab-cluster(5)",
	.sniff = yaml_sniff,
	.read = yaml_read,
};

const struct sl_cluster_reader cluster_json = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "json",
	.summary = "our cluster file as JSON, the same keys",
	.sniff = json_sniff,
	.read = json_read,
};
