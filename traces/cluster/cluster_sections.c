/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_sections.c - what our cluster file says for models: a section of the top for each, by its name.
 *
 * A scalar is a setting of the model's kind, nobody's. A list of scalars is one, with commas between. A map
 * within is joined by a point ("uplink.rate"). A list of maps with `name` has settings of each name. Models
 * of plug-ins may have theirs in `models`, which is no error where the plug-in is not there.
 */
#include <stdio.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

enum { KEY_MAX = 200, VALUE_MAX = 4000 };

static const char models_key[] = "models";

/* Keys of an entry of nodes that are for models alone, and what a node costs, for who plans. */
static const char price_key[] = "price";
static const char *const node_keys[] = { price_key, "nic", "nics", "nic_rate", "nvlink", "power_idle",
	"power_max", "power_gpu", "power_core", "power_off", "power_boot", "boot_time", "power_shutdown",
	"shutdown_time" };

/* A plug-in's model that is called as one of the file's own keys has its section in `models` alone. */
bool is_section(const struct reading *r, const char *key)
{
	return strcmp(models_key, key) == 0 ||
	       (sl_schema_find(&schema_cluster, key, strlen(key)) == schema_cluster.count &&
		       sl_by_name(r->sink->registry->models, key));
}

bool is_model_node_key(const char *key)
{
	for (size_t i = 0; i < SL_LEN(node_keys); i++)
		if (strcmp(node_keys[i], key) == 0)
			return true;
	return false;
}

/* ---- Sections --------------------------------------------------------------------------- */

/* Whose settings come. */
struct section {
	const struct reading *r;
	const char *kind, *name;
};

static int cluster_sections_put(
	const struct section *s, const struct sl_doc_node *node, const char *key, const char *value)
{
	const struct sl_cluster_sink *sink = s->r->sink;
	const struct sl_setting setting = { .kind = s->kind,
		.name = s->name,
		.key = key,
		.value = value,
		.at = sl_doc_place(s->r->doc, node),
		.coverage = SL_MODELLED };
	return sink->setting ? sink->setting(sink->self, &setting, s->r->err) : SL_OK;
}

static int put_list(const struct section *s, const struct sl_doc_node *list, const char *key)
{
	const struct reading *r = s->r;
	char value[VALUE_MAX + 1] = "";
	size_t len = 0;
	SL_DOC_EACH (node, r->doc, list) {
		const char *text = node->kind == SL_DOC_TEXT ? text_of(r, node) : NULL;
		if (!text)
			return fail_node(r, node, "a list has either texts, or maps with 'name'");
		if (len + strlen(text) + 2 > sizeof(value))
			return fail_node(r, node, "a list of texts is longer than 4000 bytes: shorten it");
		len += (size_t)snprintf(value + len, sizeof(value) - len, "%s%s", len ? "," : "", text);
	}
	return cluster_sections_put(s, list, key, value);
}

static int put_map(const struct section *s, const struct sl_doc_node *map, const char *before,
	const char *but, bool lists);

/* The maps of a list, each with a name. */
static int put_entries(const struct section *s, const struct sl_doc_node *list)
{
	const struct reading *r = s->r;
	int status = SL_OK;
	for (const struct sl_doc_node *map = sl_doc_child(r->doc, list); map && !status;
		map = sl_doc_next(r->doc, map)) {
		struct section entry = { r, s->kind, NULL };
		if (map->kind != SL_DOC_MAP)
			return fail_node(r, map, "a list has either texts, or maps with 'name'");
		SL_DOC_EACH (node, r->doc, map)
			if (strcmp(r->doc->text + node->key, "name") == 0 && node->kind == SL_DOC_TEXT)
				entry.name = text_of(r, node);
		if (!entry.name || !entry.name[0])
			return fail_node(r, map, "has no 'name': name it");
		status = put_map(&entry, map, "", "name", false);
	}
	return status;
}

static bool has_maps(const struct sl_doc *doc, const struct sl_doc_node *list)
{
	const struct sl_doc_node *first = sl_doc_child(doc, list);
	return first && first->kind != SL_DOC_TEXT;
}

/* lists: lists of maps may stand here. but: a key that is passed over; NULL: none. */
static int put_map(const struct section *s, const struct sl_doc_node *map, const char *before,
	const char *but, bool lists)
{
	const struct reading *r = s->r;
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, map); node && !status;
		node = sl_doc_next(r->doc, node)) {
		char key[KEY_MAX + 1];
		const char *own = r->doc->text + node->key;
		if (but && strcmp(own, but) == 0)
			continue;
		if ((size_t)snprintf(key, sizeof(key), "%s%s", before, own) >= sizeof(key) - 1)
			return fail_node(r, node, "its key is longer than 198 bytes: shorten it");
		if (node->kind == SL_DOC_TEXT)
			status = cluster_sections_put(s, node, key, text_of(r, node));
		else if (node->kind == SL_DOC_LIST && !has_maps(r->doc, node))
			status = put_list(s, node, key);
		else if (node->kind == SL_DOC_LIST && lists)
			status = put_entries(s, node);
		else if (node->kind == SL_DOC_LIST)
			return fail_node(r, node, "a list of maps cannot stand within another");
		else {
			const size_t len = strlen(key);
			key[len] = '.';
			key[len + 1] = '\0';
			status = put_map(s, node, key, NULL, false);
		}
	}
	return status;
}

static int read_section(const struct reading *r, const struct sl_doc_node *node, const char *kind)
{
	const struct section section = { r, kind, "" };
	if (node->kind == SL_DOC_MAP)
		return put_map(&section, node, "", NULL, true);
	if (node->kind == SL_DOC_LIST && (!node->count || has_maps(r->doc, node)))
		return put_entries(&section, node);
	return fail_node(r, node, "a model's section is a map of its keys, or a list of maps with 'name'");
}

int sections_read(const struct reading *r)
{
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, &r->doc->node[0]); node && !status;
		node = sl_doc_next(r->doc, node)) {
		const char *key = r->doc->text + node->key;
		if (!is_section(r, key))
			continue;
		if (strcmp(key, models_key) != 0) {
			status = read_section(r, node, key);
			continue;
		}
		if (node->kind != SL_DOC_MAP)
			return fail_node(r, node, "'models' is a map: a section for each model, by its name");
		for (const struct sl_doc_node *of = sl_doc_child(r->doc, node); of && !status;
			of = sl_doc_next(r->doc, of))
			status = read_section(r, of, r->doc->text + of->key);
	}
	return status;
}

/* ---- Entries of nodes --------------------------------------------------------------------- */

int node_settings_read(const struct reading *r, const struct sl_doc_node *map, const char *name)
{
	const struct section section = { r, "node", name };
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, map); node && !status;
		node = sl_doc_next(r->doc, node)) {
		const char *key = r->doc->text + node->key;
		if (!is_model_node_key(key))
			continue;
		int64_t price = 0;
		if (node->kind != SL_DOC_TEXT)
			return fail_value(r, node, key, "a number or a text");
		const char *text = text_of(r, node);
		if (strcmp(key, price_key) == 0 && (!sl_get_micro(text, strlen(text), &price) || price < 0))
			return fail_value(r, node, key, "a number from 0 on, without a currency");
		status = cluster_sections_put(&section, node, key, text);
	}
	return status;
}
