/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cel_device.c - a device of a ResourceSlice (resource.k8s.io, v1, v1beta2, v1beta1), as expressions see
 * it: whether it is shared, its attributes, and its capacities.
 */
#include <string.h>

#include "policies/cel/kube_cel.h"

struct device_reading {
	struct sl_arena *arena;
	const struct sl_doc *doc;
	struct sl_err *err;
	int status;
};

static int cel_device_fail(
	const struct sl_doc *doc, const struct sl_doc_node *node, struct sl_err *err, const char *what)
{
	const struct sl_place place = sl_doc_place(doc, node);
	return sl_fail_at(err, &place, "%s", what);
}

int cel_bool(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, bool *value,
	struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(doc, map, path);
	const char *text = at && at->kind == SL_DOC_TEXT ? doc->text + at->text : "";
	if (!at)
		return SL_OK;
	*value = strcmp(text, "true") == 0;
	if (*value || strcmp(text, "false") == 0)
		return SL_OK;
	return cel_device_fail(doc, at, err, "this has to be true or false");
}

int cel_quantity(const struct sl_doc *doc, const struct sl_doc_node *node, int64_t *value, struct sl_err *err)
{
	const struct sl_doc_node *of = node->kind == SL_DOC_MAP ? sl_doc_member(doc, node, "value") : node;
	const char *text = of && of->kind == SL_DOC_TEXT ? doc->text + of->text : "";
	if (sl_get_quantity(text, strlen(text), value) && *value >= 0 && *value <= CEL_QUANTITY_MAX)
		return SL_OK;
	return cel_device_fail(
		doc, node, err, "this has to be a quantity like 80Gi, not negative, and up to 1Pi");
}

bool cel_split(struct sl_arena *arena, const char *text, const char **domain, const char **name)
{
	const char *slash = strchr(text, '/');
	*domain = "";
	*name = text;
	if (!slash)
		return *text;
	*domain = sl_strdup(arena, text, (size_t)(slash - text));
	*name = slash + 1;
	return *domain && **domain && **name;
}

const struct sl_doc_node *cel_device_fields(const struct sl_doc *doc, const struct sl_doc_node *device)
{
	const struct sl_doc_node *old = sl_doc_at(doc, device, "basic");
	return old ? old : device;
}

static int attribute_value(
	const struct device_reading *r, const struct sl_doc_node *node, struct cel_value *value)
{
	const struct sl_doc *doc = r->doc;
	const char *text = sl_doc_word(doc, sl_doc_at(doc, node, "string"));
	*value = (struct cel_value){ .kind = CEL_TEXT, .text = text };
	if (text)
		return SL_OK;
	if ((text = sl_doc_word(doc, sl_doc_at(doc, node, "int")))) {
		value->kind = CEL_INT;
		if (sl_get_i64(text, strlen(text), &value->number))
			return SL_OK;
		const struct sl_place place = sl_doc_place(doc, sl_doc_at(doc, node, "int"));
		return sl_fail_at(r->err, &place, "'int' has to be a whole number, not '%s'", text);
	}
	if (sl_doc_at(doc, node, "bool")) {
		bool is = false;
		const int status = cel_bool(doc, node, "bool", &is, r->err);
		value->kind = CEL_BOOL;
		value->number = is;
		return status;
	}
	text = sl_doc_word(doc, sl_doc_at(doc, node, "version"));
	if (!text || !cel_is_version(text))
		return cel_device_fail(doc, node, r->err,
			"an attribute has one of string, int, bool, or version (like 1.2.3)");
	*value = (struct cel_value){ .kind = CEL_VERSION, .text = text };
	return SL_OK;
}

static int capacity_value(
	const struct device_reading *r, const struct sl_doc_node *node, struct cel_value *value)
{
	value->kind = CEL_QUANTITY;
	return cel_quantity(r->doc, node, &value->number, r->err);
}

/* Members of a map, in its order; each name is 'name' or 'domain/name', else it is refused with `what`. */
static const struct cel_entry *take_entries(struct device_reading *r, const struct sl_doc_node *map,
	int (*take)(const struct device_reading *r, const struct sl_doc_node *node, struct cel_value *value),
	const char *what, uint32_t *count)
{
	const bool any = map && map->kind != SL_DOC_TEXT;
	struct cel_entry *entry = sl_alloc(r->arena, (any ? map->count : 0) + (size_t)1, sizeof(*entry));
	*count = 0;
	if (!entry && !r->status)
		r->status = sl_fail_memory(r->err);
	if (!any || !entry)
		return entry;
	SL_DOC_EACH (one, r->doc, map) {
		struct cel_entry *at = &entry[*count];
		if (r->status)
			break;
		++*count;
		if (!cel_split(r->arena, sl_doc_key_of(r->doc, one), &at->domain, &at->name))
			r->status = cel_device_fail(r->doc, one, r->err, what);
		else
			r->status = take(r, one, &at->value);
	}
	return entry;
}

int cel_device_read(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *device,
	struct cel_device *seen, struct sl_err *err)
{
	struct device_reading r = { arena, doc, err, SL_OK };
	const struct sl_doc_node *of = cel_device_fields(doc, device);
	r.status = cel_bool(doc, of, "allowMultipleAllocations", &seen->shared, err);
	seen->attribute = take_entries(&r, sl_doc_at(doc, of, "attributes"), attribute_value,
		"an attribute's name is 'name' or 'domain/name'", &seen->attributes);
	seen->capacity = take_entries(&r, sl_doc_at(doc, of, "capacity"), capacity_value,
		"a capacity's name is 'name' or 'domain/name'", &seen->capacities);
	return r.status;
}
