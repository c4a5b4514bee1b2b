/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_recipe.c - a run.json read back: a run is a function of what stands there, so it is a recipe like a
 * snapshot.
 *
 * Only what decides the run is looked at, by tables of its keys; what else the file says is for people.
 * Values are read from the text, so that no number goes through a double.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/run_rerun.h"
#include "sim/base/doc.h"

enum { RECIPE_FILE_MAX = 64 << 20, RECIPE_LIST_MAX = 4096, RECIPE_DIGESTS_MAX = 1 << 21 };

#define KEY(type, name, of_kind, member) \
	.key = (name), .kind = (of_kind), .at = offsetof(struct type, member), .max = INT64_MAX
#define LIST(name, member, item, most)                                                 \
	.key = (name), .kind = SL_FIELD_LIST, .at = offsetof(struct snapshot, member), \
	.size = sizeof(*((struct snapshot *)0)->member), .each = &(item), .max = (most)

static int fail_lacks(const struct sl_schema_reading *r, const char *key)
{
	(void)sl_fail(r->err, SL_INPUT, "%s: '%s' is not there, or not what a run writes: run it again",
		r->doc->file, key);
	return SL_INPUT;
}

/* Keys that are not in a table are for people. */
static int fail_recipe(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what)
{
	if (wrong == SL_SCHEMA_UNKNOWN)
		return SL_OK;
	return wrong == SL_SCHEMA_LACKS ? fail_lacks(r, what)
					: sl_schema_fail_record(r, wrong, schema, node, what);
}

static const struct sl_doc_node *run_recipe_at(const struct sl_schema_reading *r, const char *path)
{
	return sl_doc_at(r->doc, r->doc->node, path);
}

static bool is_text(const struct sl_schema_reading *r, const struct sl_doc_node *node, const char *text)
{
	const char *is = sl_doc_string(r->doc, node);
	return is && strcmp(is, text) == 0;
}

static char *joined(const struct sl_schema_reading *r, const char *before, const char *key, const char *value)
{
	return text_made(r->arena, "%s%s=%s", before, key, value);
}

/* Each of a map's values as "before.key=value", as a line of --set has it, at the end of the list; but for
 * null. */
static int take_each(const struct sl_schema_reading *r, const struct sl_doc_node *map, const char *before,
	const char **list, size_t *count)
{
	static const struct sl_field number = { .kind = SL_FIELD_MICRO };
	SL_DOC_EACH (node, r->doc, map) {
		const char *text = sl_doc_string(r->doc, node);
		char as_number[40];
		int64_t micro;
		if (sl_doc_is(r->doc, node, "null"))
			continue;
		if (!text && (sl_doc_is(r->doc, node, "true") || sl_doc_is(r->doc, node, "false")))
			text = sl_doc_word(r->doc, node);
		if (!text) {
			const int status = sl_field_value(r, NULL, &number, node, &micro);
			if (status)
				return status;
			*sl_put_micro(as_number, micro) = '\0';
			text = as_number;
		}
		list[*count] = joined(r, before, sl_doc_key_of(r->doc, node), text);
		if (!list[(*count)++])
			return sl_fail_memory(r->err);
	}
	return SL_OK;
}

/* ---- Inputs --------------------------------------------------------------------------------- */

/* Is that path a model's parameter? */
static bool is_csv(const struct sl_schema_reading *r, const char *path)
{
	SL_DOC_EACH (model, r->doc, run_recipe_at(r, "models"))
		SL_DOC_EACH (node, r->doc, model)
			if (is_text(r, node, path))
				return true;
	return false;
}

/* Is that path one that a replay.* setting names? */
static bool is_side(const struct sl_schema_reading *r, const char *path)
{
	static const char *const key[] = { "estimates", "cancels", "commands", "profile" };
	const struct sl_doc_node *replay = run_recipe_at(r, "replay");
	for (size_t i = 0; i < SL_LEN(key); i++)
		if (is_text(r, sl_doc_member(r->doc, replay, key[i]), path))
			return true;
	const char *text = sl_doc_string(r->doc, sl_doc_member(r->doc, replay, "with"));
	for (; text && *text; text += strcspn(text, ",") + (strchr(text, ',') != NULL)) /* Several. */
		if (strcspn(text, ",") == strlen(path) && strncmp(text, path, strlen(path)) == 0)
			return true;
	return false;
}

/* Where the machine's size is from is the cluster's path, if there is a cluster; files that a trace names
 * itself are none. */
static bool is_cluster(const struct sl_schema_reading *r, const char *path)
{
	const struct sl_doc_node *from = run_recipe_at(r, "cluster.from");
	return !sl_doc_string(r->doc, from) || is_text(r, from, path);
}

/* The trace comes first; what no setting names is the cluster, then files that it named itself. */
static int part_inputs(const struct sl_schema_reading *r, struct snapshot *to)
{
	const struct snapshot_input *is = to->input;
	const struct sl_doc_node *list = run_recipe_at(r, "inputs");
	if (!to->input_count)
		return fail_lacks(r, "inputs");
	to->policy_file = sl_alloc(r->arena, to->input_count, sizeof(*to->policy_file));
	if (!to->policy_file)
		return sl_fail_memory(r->err);
	to->input_count = 0;
	SL_DOC_EACH (node, r->doc, list) {
		const struct snapshot_input found = *is++;
		if (sl_doc_member(r->doc, node, "of"))
			to->policy_file[to->policy_file_count++] = found;
		else if (to->input_count && !to->cluster.path && is_cluster(r, found.path) &&
			 !is_side(r, found.path) && !is_csv(r, found.path))
			to->cluster = found;
		else
			to->input[to->input_count++] = found;
	}
	return SL_OK;
}

/* A plug-in whose path the policy is named by is not known by name. */
static void name_plugins(const struct sl_schema_reading *r, struct snapshot *to)
{
	struct snapshot_input *found = to->plugin;
	SL_DOC_EACH (node, r->doc, run_recipe_at(r, "plugins")) {
		found->named = true;
		found->line = sl_doc_member(r->doc, node, "path")->line;
		for (size_t i = 0; i < to->interval_count; i++)
			if (strstr(to->interval[i].policy, found->path))
				found->named = false;
		found++;
	}
}

/* ---- Settings and policies ---------------------------------------------------------------------- */

static int cluster_settings(const struct sl_schema_reading *r, struct snapshot *to)
{
	static const struct sl_field words = { .kind = SL_FIELD_ANY };
	static const struct sl_field number = { .kind = SL_FIELD_COUNT, .max = INT64_MAX };
	const struct sl_doc_node *cpus = run_recipe_at(r, "cluster.cpus");
	char as_number[32];
	int64_t count = 0;
	SL_DOC_EACH (node, r->doc, run_recipe_at(r, "cluster.settings")) {
		const char *text;
		const int status = sl_field_value(r, NULL, &words, node, &text);
		if (status)
			return status;
		const size_t len = strcspn(text, "=");
		char *key = sl_strdup(r->arena, text, len);
		to->setting[to->setting_count] =
			key ? joined(r, "cluster.", key, text + len + (text[len] == '=')) : NULL;
		if (!to->setting[to->setting_count++])
			return sl_fail_memory(r->err);
	}
	if (!is_text(r, run_recipe_at(r, "cluster.from"), "cluster.cpus"))
		return SL_OK;
	const int status = cpus ? sl_field_value(r, NULL, &number, cpus, &count) : SL_OK;
	*sl_put_i64(as_number, count) = '\0';
	to->setting[to->setting_count] = joined(r, "cluster.", "cpus", as_number);
	return status || to->setting[to->setting_count++] ? status : sl_fail_memory(r->err);
}

static int take_settings(const struct sl_schema_reading *r, struct snapshot *to)
{
	static const struct sl_field list = { .kind = SL_FIELD_LIST };
	const struct sl_doc_node *replay = run_recipe_at(r, "replay");
	const struct sl_doc_node *models = run_recipe_at(r, "models");
	const struct sl_doc_node *settings = run_recipe_at(r, "cluster.settings");
	if (settings && (settings->kind != SL_DOC_LIST || settings->count > RECIPE_LIST_MAX))
		return sl_field_list(r, NULL, &list, settings, NULL); /* Which says so. */
	size_t capacity = 1 + (replay ? replay->count : 0) + (settings ? settings->count : 0);
	SL_DOC_EACH (model, r->doc, models)
		capacity += model->count;
	to->setting = sl_alloc(r->arena, capacity, sizeof(*to->setting));
	if (!to->setting)
		return sl_fail_memory(r->err);
	int status = take_each(r, replay, "replay.", to->setting, &to->setting_count);
	SL_DOC_EACH (model, r->doc, models) {
		char before[80];
		(void)snprintf(before, sizeof(before), "%.70s.", sl_doc_key_of(r->doc, model));
		if (!status)
			status = take_each(r, model, before, to->setting, &to->setting_count);
	}
	return status ? status : cluster_settings(r, to);
}

/* ---- Intervals: of the history, then the run's own, which goes on to its end ----------------------- */

static int run_recipe_take_values(
	const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	struct snapshot_interval *interval = base;
	interval->values_line = node->line;
	interval->value = sl_alloc(r->arena, (size_t)node->count + 1, sizeof(*interval->value));
	return interval->value ? take_each(r, node, "policy.", interval->value, &interval->value_count)
			       : sl_fail_memory(r->err);
}

static int note_interval(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct snapshot_interval *interval = base;
	interval->line = sl_doc_member(r->doc, map, "text")->line;
	return SL_OK;
}

static const struct sl_field interval_fields[] = {
	{ KEY(snapshot_interval, "text", SL_FIELD_ANY, policy), .needed = true },
	{ .key = "values", .kind = SL_FIELD_TAKE, .take = run_recipe_take_values },
	{ KEY(snapshot_interval, "events", SL_FIELD_COUNT, events) },
	{ KEY(snapshot_interval, "digest", SL_FIELD_HEX, digest), .needed = true },
	{ KEY(snapshot_interval, "until", SL_FIELD_MICRO, until), .needed = true },
};
static const struct sl_schema history_schema = { "a stretch", interval_fields, SL_LEN(interval_fields),
	note_interval };
static const struct sl_schema policy_schema = { "a policy", interval_fields, 2, note_interval };
static const struct sl_schema mark_schema = { "a run", interval_fields + 2, 2, NULL };

static int own_interval(const struct sl_schema_reading *r, struct snapshot *to)
{
	const struct sl_doc_node *policy = run_recipe_at(r, "policy");
	if (!to->interval)
		to->interval = sl_alloc(r->arena, 1, sizeof(*to->interval));
	if (!to->interval)
		return sl_fail_memory(r->err);
	struct snapshot_interval *last = &to->interval[to->interval_count++];
	last->until = SL_NEVER;
	if (!policy || policy->kind != SL_DOC_MAP)
		return fail_lacks(r, "text");
	int status = sl_schema_read(r, policy, &policy_schema, NULL, last);
	if (!status)
		status = sl_schema_read(r, r->doc->node, &mark_schema, NULL, last);
	if (run_recipe_at(r, "partial"))
		last->events = 0; /* Interrupted: it does not say where. */
	return status;
}

/* ---- The file ----------------------------------------------------------------------------------- */

static int take_schema(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	const char *text = sl_doc_string(r->doc, node);
	(void)base;
	if (!text)
		return sl_schema_fail_record(r, SL_SCHEMA_VALUE, NULL, node, "a text");
	if (strcmp(text, "schedlab.run/1") != 0)
		return sl_fail(r->err, SL_INPUT,
			"%s: '%.60s' is not what this schedlab reads, which is 'schedlab.run/1': run it again",
			r->doc->file, text);
	/* A run of several windows is several runs: which one is meant? */
	if (sl_doc_string(r->doc, run_recipe_at(r, "replay.windows")))
		return sl_fail(r->err, SL_INPUT,
			"%s: is of replay.windows, whose runs begin in the middle of a trace: run one of them "
			"by replay.from and replay.to",
			r->doc->file);
	return SL_OK;
}

static const struct sl_field a_digest = { .kind = SL_FIELD_HEX };
static const struct sl_field digest_list = { LIST("digests", digests, a_digest, RECIPE_DIGESTS_MAX),
	.count = offsetof(struct snapshot, digest_count) };

/* A replay is compared with its last one anyway: of many, none. */
static int take_digests(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base)
{
	enum { DIGESTS_FEW = 64 };
	const bool many =
		node->kind == SL_DOC_LIST && node->count > DIGESTS_FEW && node->count <= RECIPE_DIGESTS_MAX;
	return many ? SL_OK : sl_field_list(r, NULL, &digest_list, node, base);
}

static const struct sl_field input_fields[] = {
	{ KEY(snapshot_input, "path", SL_FIELD_ANY, path), .needed = true },
	{ KEY(snapshot_input, "sha256", SL_FIELD_ANY, sha256), .needed = true },
};
static const struct sl_schema input_schema = { "an input", input_fields, SL_LEN(input_fields), NULL };
static const struct sl_field an_input = { .kind = SL_FIELD_MAP, .of = &input_schema };
static const struct sl_field a_interval = { .kind = SL_FIELD_MAP, .of = &history_schema };

static const struct sl_field run_fields[] = {
	{ .key = "schema", .kind = SL_FIELD_TAKE, .take = take_schema, .needed = true },
	{ KEY(snapshot, "schedlab", SL_FIELD_ANY, version), .needed = true },
	{ KEY(snapshot, "tz", SL_FIELD_ANY, tz), .null = true },
	{ KEY(snapshot, "jobs_max", SL_FIELD_COUNT, jobs_max) },
	{ KEY(snapshot, "seed", SL_FIELD_COUNT, seed) },
	{ LIST("inputs", input, an_input, RECIPE_LIST_MAX), .count = offsetof(struct snapshot, input_count) },
	{ LIST("past", interval, a_interval, RECIPE_LIST_MAX),
		.count = offsetof(struct snapshot, interval_count) },
	{ LIST("plugins", plugin, an_input, RECIPE_LIST_MAX),
		.count = offsetof(struct snapshot, plugin_count) },
	{ .key = "digests", .kind = SL_FIELD_TAKE, .take = take_digests },
};

static int run_recipe_finish(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct snapshot *to = base;
	(void)map;
	int status = part_inputs(r, to);
	if (!status)
		status = take_settings(r, to);
	if (!status)
		status = own_interval(r, to);
	if (!status)
		name_plugins(r, to);
	return status;
}

static const struct sl_schema run_schema = { "a run", run_fields, SL_LEN(run_fields), run_recipe_finish };

int run_recipe(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc doc;
	*snapshot = (struct snapshot){ .file = path };
	int status = doc_read_record(&doc, path, RECIPE_FILE_MAX, "is larger than a run writes", err);
	const struct sl_schema_reading r = {
		.doc = &doc, .arena = arena, .strict = true, .fail = fail_recipe, .err = err
	};
	if (!status && doc.node->kind != SL_DOC_MAP)
		status = fail_lacks(&r, "schema");
	if (!status)
		status = sl_schema_read(&r, doc.node, &run_schema, NULL, snapshot);
	sl_doc_release(&doc);
	return status;
}
