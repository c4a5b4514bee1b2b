/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_file.c - the schema of our cluster file, the same in YAML and JSON; see schedlab-cluster(5).
 *
 * A map's keys stand in a table, each with what reads its value; a key that is not there is an error with the
 * nearest that is. Settings are applied entry by entry, before anyone is told of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

enum { NAME_LONGEST = 63, ENTRIES_MAX = 10000 };

struct reading {
	const struct doc *doc;
	const struct sl_cluster_sink *sink;
	struct cluster_settings settings;
	const struct doc_node *name, *cpus, *nodes, *reservations; /* Of the top; NULL: absent. */
	const char **entry;                                        /* Names of the nodes' entries. */
	size_t entry_count;
	struct sl_err *err;
};

static const char *text_of(const struct reading *r, const struct doc_node *node)
{
	return r->doc->text + node->text;
}

/* ---- Maps by table -------------------------------------------------------------------------- */

enum { KEYS_MAX = 8 };

/* into[i]: the value of key[i], NULL where it is absent. what: "nodes have", for messages. */
static int map_take(const struct reading *r, const struct doc_node *map, const char *const *key,
	const struct doc_node **into, const char *what)
{
	const struct sl_place at = doc_place(r->doc, map);
	for (size_t i = 0; key[i]; i++)
		into[i] = NULL;
	if (map->kind != DOC_MAP)
		return sl_fail_at(
			r->err, &at, "%s keys with values, such as '%s': a map is due here", what, key[0]);
	for (const struct doc_node *node = doc_child(r->doc, map); node; node = doc_next(r->doc, node)) {
		const char *name = r->doc->text + node->key;
		size_t i = 0;
		while (key[i] && strcmp(key[i], name) != 0)
			i++;
		if (key[i]) {
			into[i] = node;
			continue;
		}
		const struct sl_place place = doc_key_place(r->doc, node);
		const char *near = sl_nearest(name, key);
		char known[200] = "";
		for (size_t k = 0, len = 0; key[k]; k++)
			len += (size_t)snprintf(
				known + len, sizeof(known) - len, "%s%s", k ? ", " : "", key[k]);
		return sl_fail_at(r->err, &place, "unknown key '%.60s': %s%s%s%s %s", name,
			near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", what, known);
	}
	return SL_OK;
}

static int fail_value(
	const struct reading *r, const struct doc_node *node, const char *key, const char *wanted)
{
	const struct sl_place at = doc_place(r->doc, node);
	if (node->kind != DOC_TEXT)
		return sl_fail_at(r->err, &at, "'%s' must be %s, not a %s", key, wanted,
			node->kind == DOC_MAP ? "map" : "list");
	return sl_fail_at(r->err, &at, "'%s' must be %s, not '%.60s'", key, wanted, text_of(r, node));
}

static int take_amount(const struct reading *r, const struct doc_node *node, const char *key,
	enum amount which, int64_t *value)
{
	if (!node || (node->kind == DOC_TEXT && amount_read(which, text_of(r, node), value)))
		return SL_OK;
	return fail_value(r, node, key, amount_text(which));
}

/* A word that is safe in lists, labels and file names. */
static bool is_word(const char *text)
{
	const size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
	return len && len <= NAME_LONGEST && !text[len];
}

static const char word_text[] = "a word of letters, digits, '.', '_' and '-', at most 63";

static int take_word(
	const struct reading *r, const struct doc_node *node, const char *key, const char **value)
{
	if (!node)
		return SL_OK;
	if (node->kind != DOC_TEXT || !is_word(text_of(r, node)))
		return fail_value(r, node, key, word_text);
	*value = text_of(r, node);
	return SL_OK;
}

static int take_text(
	const struct reading *r, const struct doc_node *node, const char *key, const char **value)
{
	if (!node)
		return SL_OK;
	const char *text = node->kind == DOC_TEXT ? text_of(r, node) : "";
	size_t len = 0;
	while ((unsigned char)text[len] >= ' ' && text[len] != 0x7F)
		len++;
	if (!len || text[len])
		return fail_value(r, node, key, "a text");
	*value = text;
	return SL_OK;
}

static int fail_missing(
	const struct reading *r, const struct doc_node *map, const char *what, const char *key)
{
	const struct sl_place at = doc_place(r->doc, map);
	return sl_fail_at(r->err, &at, "%s '%s', which is not here: add it", what, key);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

enum { NODE_NAME, NODE_COUNT, NODE_CPUS, NODE_MEMORY, NODE_GPUS, NODE_GPU_TYPE };
static const char *const node_keys[] = { "name", "count", "cpus", "memory", "gpus", "gpu_type", NULL };
static const char nodes_have[] = "nodes have";

/* gpus: { a100: 4, v100: 4 } */
static int take_gpu_map(const struct reading *r, const struct doc_node *map, struct sl_nodes_spec *spec)
{
	for (const struct doc_node *node = doc_child(r->doc, map); node; node = doc_next(r->doc, node)) {
		const char *type = r->doc->text + node->key;
		const struct sl_place at = doc_key_place(r->doc, node);
		int64_t count = 0;
		if (!is_word(type))
			return sl_fail_at(
				r->err, &at, "a type of GPU must be %s, not '%.60s'", word_text, type);
		const int status = take_amount(r, node, type, AMOUNT_GPUS, &count);
		if (status)
			return status;
		if (!count)
			continue;
		if (spec->gpu_count == SL_LEN(spec->gpu))
			return sl_fail_at(
				r->err, &at, "more than %zu types of GPU on one node", SL_LEN(spec->gpu));
		spec->gpu[spec->gpu_count].type = type;
		spec->gpu[spec->gpu_count++].count = count;
	}
	return SL_OK;
}

static int take_gpus(const struct reading *r, const struct doc_node *const *value, struct sl_nodes_spec *spec)
{
	const struct doc_node *gpus = value[NODE_GPUS];
	const struct doc_node *type = value[NODE_GPU_TYPE];
	if (gpus && gpus->kind == DOC_MAP) {
		if (!type)
			return take_gpu_map(r, gpus, spec);
		const struct sl_place at = doc_key_place(r->doc, type);
		return sl_fail_at(
			r->err, &at, "'gpu_type' beside a map of GPUs: the map names the types, remove it");
	}
	int64_t count = 0;
	const char *name = "gpu";
	int status = take_amount(r, gpus, "gpus", AMOUNT_GPUS, &count);
	if (!status)
		status = take_word(r, type, "gpu_type", &name);
	if (status || (!count && !type))
		return status;
	spec->gpu[0].type = name; /* A type without GPUs waits for a setting that gives some. */
	spec->gpu[0].count = count;
	spec->gpu_count = 1;
	return SL_OK;
}

static int read_entry(struct reading *r, const struct doc_node *node)
{
	const struct doc_node *value[KEYS_MAX];
	struct sl_nodes_spec spec = { .count = 1, .cpus = SL_NONE, .mem = SL_NONE };
	int status = map_take(r, node, node_keys, value, nodes_have);
	for (size_t i = NODE_NAME; !status && i <= NODE_CPUS; i += NODE_CPUS - NODE_NAME)
		if (!value[i])
			status = fail_missing(r, node, nodes_have, node_keys[i]);
	if (!status)
		status = take_word(r, value[NODE_NAME], "name", &spec.name);
	if (!status)
		status = take_amount(r, value[NODE_COUNT], "count", AMOUNT_COUNT, &spec.count);
	if (!status)
		status = take_amount(r, value[NODE_CPUS], "cpus", AMOUNT_CPUS, &spec.cpus);
	if (!status)
		status = take_amount(r, value[NODE_MEMORY], "memory", AMOUNT_MEMORY, &spec.mem);
	if (!status)
		status = take_gpus(r, value, &spec);
	if (!status)
		status = settings_for_entry(&r->settings, &spec, r->err);
	if (status)
		return status;
	const struct sl_place at = doc_place(r->doc, node);
	r->entry[r->entry_count++] = spec.name;
	return r->sink->nodes(r->sink->self, &spec, &at, r->err);
}

static int read_entries(struct reading *r)
{
	const struct sl_place at = doc_place(r->doc, r->nodes);
	if (r->nodes->kind != DOC_LIST || !r->nodes->count)
		return sl_fail_at(
			r->err, &at, "'nodes' must be a list of entries with name, count, cpus and so on");
	if (r->nodes->count > ENTRIES_MAX)
		return sl_fail_at(r->err, &at,
			"more than %d entries of nodes: put like ones together with 'count'", ENTRIES_MAX);
	int status = SL_OK;
	for (const struct doc_node *node = doc_child(r->doc, r->nodes); node && !status;
		node = doc_next(r->doc, node))
		status = read_entry(r, node);
	return status;
}

/* ---- Reservations ----------------------------------------------------------------------------- */

enum { WINDOW_NAME, WINDOW_NODES, WINDOW_CPUS, WINDOW_START, WINDOW_END, WINDOW_DURATION };
static const char *const window_keys[] = { "name", "nodes", "cpus", "start", "end", "duration", NULL };
static const char reservations_have[] = "reservations have";

static int fail_window(const struct reading *r, const struct doc_node *node, const char *what)
{
	const struct sl_place at = doc_place(r->doc, node);
	return sl_fail_at(r->err, &at, "%s", what);
}

static int read_window(const struct reading *r, const struct doc_node *node)
{
	const struct doc_node *value[KEYS_MAX];
	struct sl_window_spec spec = { 0 };
	int status = map_take(r, node, window_keys, value, reservations_have);
	if (status)
		return status;
	if (!value[WINDOW_NAME] || !value[WINDOW_START])
		return fail_missing(r, node, reservations_have, value[WINDOW_NAME] ? "start" : "name");
	if (!value[WINDOW_END] == !value[WINDOW_DURATION])
		return fail_window(r, node, "reservations have one of 'end' and 'duration': give just one");
	if (r->nodes && (!value[WINDOW_NODES] || value[WINDOW_CPUS]))
		return fail_window(
			r, node, "reservations of a cluster with nodes have 'nodes', and no 'cpus'");
	if (!r->nodes && (value[WINDOW_NODES] || !value[WINDOW_CPUS]))
		return fail_window(r, node, "reservations of a counted pool have 'cpus', and no 'nodes'");
	status = take_text(r, value[WINDOW_NAME], "name", &spec.name);
	if (!status)
		status = take_text(r, value[WINDOW_NODES], "nodes", &spec.nodes);
	if (!status)
		status = take_text(r, value[WINDOW_START], "start", &spec.from);
	if (!status)
		status = take_text(r, value[WINDOW_END], "end", &spec.until);
	if (!status)
		status = take_text(r, value[WINDOW_DURATION], "duration", &spec.length);
	const struct doc_node *cpus = value[WINDOW_CPUS];
	if (!status && cpus &&
		(cpus->kind != DOC_TEXT ||
			!sl_get_i64(text_of(r, cpus), strlen(text_of(r, cpus)), &spec.cpus) || spec.cpus < 1))
		status = fail_value(r, cpus, "cpus", "a whole number from 1");
	if (status)
		return status;
	const struct sl_place at = doc_place(r->doc, node);
	return r->sink->window(r->sink->self, &spec, &at, r->err);
}

static int read_windows(const struct reading *r)
{
	const struct sl_place at = doc_place(r->doc, r->reservations);
	if (r->reservations->kind != DOC_LIST)
		return sl_fail_at(
			r->err, &at, "'reservations' must be a list of entries with name, start and so on");
	if (r->reservations->count > ENTRIES_MAX)
		return sl_fail_at(r->err, &at, "more than %d reservations", ENTRIES_MAX);
	int status = SL_OK;
	for (const struct doc_node *node = doc_child(r->doc, r->reservations); node && !status;
		node = doc_next(r->doc, node))
		status = read_window(r, node);
	return status;
}

/* ---- The whole file ------------------------------------------------------------------------------ */

static const char *const top_keys[] = { "name", "cpus", "nodes", "reservations", NULL };

static int read_pool(const struct reading *r)
{
	int64_t cpus;
	if (r->cpus->kind != DOC_TEXT ||
		!sl_get_i64(text_of(r, r->cpus), strlen(text_of(r, r->cpus)), &cpus) || cpus < 1 ||
		cpus > INT32_MAX)
		return fail_value(r, r->cpus, "cpus", "a whole number from 1 to 2147483647");
	const struct sl_place at = doc_place(r->doc, r->cpus);
	const int status = settings_for_pool(&r->settings, &cpus, r->err);
	return status ? status : r->sink->pool(r->sink->self, cpus, &at, r->err);
}

static int read_top(struct reading *r)
{
	static const char clusters_have[] = "clusters have";
	const struct doc_node *root = &r->doc->node[0];
	const struct doc_node *value[KEYS_MAX];
	int status = map_take(r, root, top_keys, value, clusters_have);
	if (status)
		return status;
	r->name = value[0];
	r->cpus = value[1];
	r->nodes = value[2];
	r->reservations = value[3];
	if (!r->cpus == !r->nodes)
		return fail_window(r, root, "a cluster has either 'nodes' or, for a counted pool, 'cpus'");
	const char *name = NULL;
	status = take_text(r, r->name, "name", &name);
	if (!status && name)
		status = r->sink->name(r->sink->self, name, r->err);
	if (status)
		return status;
	r->entry = calloc((r->nodes ? r->nodes->count : 0) + 1, sizeof(*r->entry));
	if (!r->entry)
		return sl_fail(r->err, SL_SYSTEM, "%s: out of memory", r->doc->file);
	status = r->nodes ? read_entries(r) : read_pool(r);
	if (!status)
		status = settings_all_used(&r->settings, !r->nodes, r->entry, r->err);
	if (!status && r->reservations)
		status = read_windows(r);
	free(r->entry);
	return status;
}

static int read_file(int (*parse)(struct doc *doc, const char *text, size_t len, struct sl_err *err),
	struct sl_input *in, const struct cluster_settings *settings, const struct sl_cluster_sink *sink,
	struct sl_err *err)
{
	struct doc doc = { .file = sl_input_name(in) };
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	if (!status && end - text > DOC_BYTES_MAX)
		status = sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: no cluster file is", doc.file);
	if (!status)
		status = parse(&doc, text, (size_t)(end - text), err);
	if (!status && !doc.count)
		status = sl_fail(err, SL_INPUT, "%s: has nothing but comments: give nodes or cpus", doc.file);
	struct reading reading = { .doc = &doc, .sink = sink, .settings = *settings, .err = err };
	if (!status)
		status = read_top(&reading);
	doc_release(&doc);
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
	return read_file(doc_read_yaml, in, &(struct cluster_settings){ setting, setting_count }, sink, err);
}

static int json_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	(void)path;
	return read_file(doc_read_json, in, &(struct cluster_settings){ setting, setting_count }, sink, err);
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
