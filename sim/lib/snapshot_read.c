/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot_read.c - a snapshot's file, by tables of its keys (sim/plugin/schema.h).
 *
 * Bounded: the file, its lists and their lengths. The schema comes first, so
 * that another version is refused before its keys are.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/doc.h"
#include "sim/lib/snapshot.h"

enum {
	FILE_MAX = 64 << 20,
	INPUTS_MAX = 64,
	SETTINGS_MAX = 1000,
	INTERVALS_MAX = 1000,
	DIGESTS_MAX = 1 << 21,
	VALUES_MAX = 1000
};

#define KEY(type, name, of_kind, member)                                                       \
	.key = (name), .kind = (of_kind), .at = offsetof(struct type, member), .needed = true, \
	.max = INT64_MAX

/* ---- Inputs --------------------------------------------------------------------------------- */

static int note_input(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct snapshot_input *input = base;
	(void)r;
	input->line = map->line;
	return SL_OK;
}

static const struct sl_field input_fields[] = {
	{ KEY(snapshot_input, "path", SL_FIELD_ANY, path) },
	{ KEY(snapshot_input, "sha256", SL_FIELD_ANY, sha256) },
	{ .key = "named", .kind = SL_FIELD_BOOL, .at = offsetof(struct snapshot_input, named) },
};
static const struct sl_schema input_schema = { "an input", input_fields, SL_LEN(input_fields), note_input };

/* ---- Intervals ------------------------------------------------------------------------------ */

/* The policy's parameters, whatever they are called. */
static int snapshot_read_take_values(
	const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	struct snapshot_interval *to = base;
	to->values_line = node->line;
	if (node->kind != SL_DOC_MAP || node->count > VALUES_MAX)
		return sl_schema_fail_at(r, node, "'values' is not an object of a policy's parameters");
	to->value = sl_alloc(r->arena, (size_t)node->count + 1, sizeof(*to->value));
	if (!to->value)
		return sl_fail_memory(r->err);
	SL_DOC_EACH (item, r->doc, node) {
		const char *key = sl_doc_key_of(r->doc, item);
		const char *value = sl_doc_string(r->doc, item);
		if (!value)
			return sl_schema_fail_at(r, item, "'%.40s' is not a text", key);
		const size_t capacity = strlen(key) + strlen(value) + sizeof("policy.=");
		char *text = sl_alloc(r->arena, capacity, 1);
		if (!text)
			return sl_fail_memory(r->err);
		(void)snprintf(text, capacity, "policy.%s=%s", key, value);
		to->value[to->value_count++] = text;
	}
	return SL_OK;
}

static int note_interval(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct snapshot_interval *interval = base;
	interval->line = sl_doc_member(r->doc, map, "policy")->line;
	return SL_OK;
}

static const struct sl_field interval_fields[] = {
	{ KEY(snapshot_interval, "policy", SL_FIELD_ANY, policy) },
	{ .key = "values", .kind = SL_FIELD_TAKE, .take = snapshot_read_take_values, .needed = true },
	{ KEY(snapshot_interval, "until", SL_FIELD_MICRO, until) },
	{ KEY(snapshot_interval, "events", SL_FIELD_COUNT, events) },
	{ KEY(snapshot_interval, "digest", SL_FIELD_HEX, digest) },
};
static const struct sl_schema interval_schema = { "a stretch", interval_fields, SL_LEN(interval_fields),
	note_interval };

/* ---- The file ----------------------------------------------------------------------------------- */

/* Other versions go no further. */
static int take_schema(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	const char *text = sl_doc_string(r->doc, node);
	(void)base;
	if (text && strcmp(text, SNAPSHOT_SCHEMA) == 0)
		return SL_OK;
	return sl_schema_fail_at(r, node,
		"'%.60s' is not what this schedlab reads, which is '%s': make it again", text ? text : "this",
		SNAPSHOT_SCHEMA);
}

/* Version and ABI of the program: for information. */
static int take_abi(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	(void)base;
	return sl_doc_string(r->doc, node) ? SL_OK : sl_schema_fail_at(r, node, "'abi' is not a text");
}

static const struct sl_field an_input = { .kind = SL_FIELD_MAP, .of = &input_schema };
static const struct sl_field a_interval = { .kind = SL_FIELD_MAP, .of = &interval_schema };
static const struct sl_field a_text = { .kind = SL_FIELD_ANY };
static const struct sl_field a_digest = { .kind = SL_FIELD_HEX };

#define LIST(name, member, item, most)                                                 \
	.key = (name), .kind = SL_FIELD_LIST, .at = offsetof(struct snapshot, member), \
	.size = sizeof(*((struct snapshot *)0)->member), .each = &(item), .max = (most)

static const struct sl_field inputs = { LIST("inputs", input, an_input, INPUTS_MAX),
	.count = offsetof(struct snapshot, input_count) };
static const struct sl_field intervals = { LIST("stretches", interval, a_interval, INTERVALS_MAX),
	.count = offsetof(struct snapshot, interval_count) };

static int take_inputs(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	const int status = sl_field_list(r, NULL, &inputs, node, base);
	return status || node->count
		       ? status
		       : sl_schema_fail_at(r, node, "'inputs' is empty: it begins with the trace");
}

static int take_intervals(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	const int status = sl_field_list(r, NULL, &intervals, node, base);
	const struct snapshot_interval *is = ((const struct snapshot *)base)->interval;
	if (status)
		return status;
	if (!node->count)
		return sl_schema_fail_at(r, node, "'stretches' is empty: nothing was run");
	for (const struct sl_doc_node *of = sl_doc_next(r->doc, sl_doc_child(r->doc, node)); of;
		of = sl_doc_next(r->doc, of), is++)
		if (is[1].until < is[0].until)
			return sl_schema_fail_at(r, of,
				"a stretch ends before the one above it: give a file as it was written");
	return SL_OK;
}

static const struct sl_field snapshot_fields[] = {
	{ .key = "schema", .kind = SL_FIELD_TAKE, .take = take_schema, .needed = true },
	{ KEY(snapshot, "schedlab", SL_FIELD_ANY, version) },
	{ .key = "abi", .kind = SL_FIELD_TAKE, .take = take_abi, .needed = true },
	{ .key = "inputs", .kind = SL_FIELD_TAKE, .take = take_inputs, .needed = true },
	{ .key = "cluster",
		.kind = SL_FIELD_MAP,
		.at = offsetof(struct snapshot, cluster),
		.of = &input_schema,
		.null = true,
		.needed = true },
	{ LIST("plugins", plugin, an_input, INPUTS_MAX), .count = offsetof(struct snapshot, plugin_count),
		.needed = true },
	{ LIST("policy_files", policy_file, an_input, INPUTS_MAX),
		.count = offsetof(struct snapshot, policy_file_count) },
	{ KEY(snapshot, "tz", SL_FIELD_ANY, tz), .null = true },
	{ KEY(snapshot, "jobs", SL_FIELD_COUNT, jobs_max) },
	{ KEY(snapshot, "seed", SL_FIELD_COUNT, seed) },
	{ LIST("settings", setting, a_text, SETTINGS_MAX), .count = offsetof(struct snapshot, setting_count),
		.needed = true },
	{ .key = "stretches", .kind = SL_FIELD_TAKE, .take = take_intervals, .needed = true },
	{ LIST("digests", digests, a_digest, DIGESTS_MAX), .count = offsetof(struct snapshot, digest_count),
		.needed = true },
};
static const struct sl_schema snapshot_schema = { "a snapshot", snapshot_fields, SL_LEN(snapshot_fields),
	NULL };

int snapshot_read(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc doc;
	*snapshot = (struct snapshot){ .file = path };
	int status = doc_read_record(
		&doc, path, FILE_MAX, "is larger than any snapshot: give the snapshot.json of a run", err);
	const struct sl_doc_node *first =
		!status && doc.node->kind == SL_DOC_MAP ? sl_doc_child(&doc, doc.node) : NULL;
	const struct sl_schema_reading r = {
		.doc = &doc, .arena = arena, .strict = true, .fail = sl_schema_fail_record, .err = err
	};
	if (!status && first && strcmp(sl_doc_key_of(&doc, first), "schema") == 0)
		status = sl_schema_read(&r, doc.node, &snapshot_schema, NULL, snapshot);
	else if (!status)
		status = sl_schema_fail_at(&r, doc.node,
			"is not a snapshot, which begins with its \"schema\": give the snapshot.json of a run "
			"with --until");
	sl_doc_release(&doc);
	return status;
}
