/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_recipe.c - a run.json read back: a run is a function of what stands there, so it is a recipe like a
 * snapshot.
 *
 * Only what decides the run is looked at; what else the file says is for people.
 * Values are taken from the text, so that no number goes through a double.
 */
#include <stdio.h>
#include <string.h>

#include "cli/run/again.h"
#include "sim/base/tree.h"

enum { RECIPE_FILE_MAX = 64 << 20, RECIPE_LIST_MAX = 4096, RECIPE_DIGESTS_MAX = 1 << 21 };

struct recipe {
	struct snapshot *to;
	struct tree tree;
	struct sl_arena *arena;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* To go through, unless something failed before. */
static const cJSON *items_if(int failed, const cJSON *object, const char *key)
{
	return failed ? NULL : member(object, key);
}

static int fail_lacks(const struct recipe *in, const char *key, struct sl_err *err)
{
	(void)sl_fail(err, SL_INPUT, "%s: '%s' is not there, or not what a run writes: run it again",
		in->tree.file, key);
	return SL_INPUT;
}

/* A text that is there, or NULL where the file has null or nothing. */
static int take_text(
	const struct recipe *in, const cJSON *object, const char *key, const char **text, struct sl_err *err)
{
	const cJSON *value = member(object, key);
	*text = NULL;
	if (!value || cJSON_IsNull(value))
		return SL_OK;
	return tree_text(&in->tree, value, in->arena, text, err);
}

static int need_text(
	const struct recipe *in, const cJSON *object, const char *key, const char **text, struct sl_err *err)
{
	const int status = take_text(in, object, key, text, err);
	return status || *text ? status : fail_lacks(in, key, err);
}

static int take_number(
	const struct recipe *in, const cJSON *object, const char *key, uint64_t *number, struct sl_err *err)
{
	int64_t found = 0;
	const cJSON *value = member(object, key);
	const int status = value ? tree_i64(&in->tree, value, 0, &found, err) : SL_OK;
	*number = (uint64_t)found;
	return status;
}

/* Items of an array; it may be absent. */
static int items_of(
	const struct recipe *in, const cJSON *object, const char *key, size_t *count, struct sl_err *err)
{
	const cJSON *array = member(object, key);
	*count = 0;
	return array ? tree_count(&in->tree, array, RECIPE_LIST_MAX, count, err) : SL_OK;
}

static char *joined(const struct recipe *in, const char *before, const char *key, const char *value)
{
	return text_made(in->arena, "%s%s=%s", before, key, value);
}

/* A setting's value as a line of --set has it; NULL in *text: null. */
static int plain_text(const struct recipe *in, const cJSON *value, const char **text, struct sl_err *err)
{
	*text = NULL;
	if (cJSON_IsNull(value))
		return SL_OK;
	if (cJSON_IsString(value))
		return tree_text(&in->tree, value, in->arena, text, err);
	if (cJSON_IsBool(value)) {
		*text = cJSON_IsTrue(value) ? "true" : "false";
		return SL_OK;
	}
	int64_t micro;
	char number[40];
	const int status = tree_micro(&in->tree, value, &micro, err);
	if (status)
		return status;
	*sl_put_micro(number, micro) = '\0';
	*text = sl_strdup(in->arena, number, strlen(number));
	return *text ? SL_OK : sl_fail_memory(err);
}

/* Each of an object's values as "before.key=value" at the end of the list. */
static int take_values(const struct recipe *in, const cJSON *object, const char *before, const char **list,
	size_t *count, struct sl_err *err)
{
	const cJSON *value;
	cJSON_ArrayForEach(value, object)
	{
		const char *text;
		const int status = plain_text(in, value, &text, err);
		if (status)
			return status;
		if (!text)
			continue;
		list[*count] = joined(in, before, value->string, text);
		if (!list[(*count)++])
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* ---- Inputs --------------------------------------------------------------------------------- */

/* Is that path one that a model was given? */
static bool is_sheet(const cJSON *models, const char *path)
{
	const cJSON *model;
	const cJSON *value;
	cJSON_ArrayForEach(model, models)
	{
		cJSON_ArrayForEach(value, model)
		{
			if (cJSON_IsString(value) && strcmp(value->valuestring, path) == 0)
				return true;
		}
	}
	return false;
}

/* Is that path one that a replay.* setting names? */
static bool is_side(const cJSON *replay, const char *path)
{
	static const char *const key[] = { "estimates", "cancels", "commands", "profile" };
	for (size_t i = 0; i < SL_LEN(key); i++) {
		const cJSON *value = member(replay, key[i]);
		if (cJSON_IsString(value) && strcmp(value->valuestring, path) == 0)
			return true;
	}
	const cJSON *with = member(replay, "with"); /* Several, apart by commas. */
	const char *text = cJSON_IsString(with) ? with->valuestring : "";
	for (; *text; text += strcspn(text, ",") + (strchr(text, ',') != NULL))
		if (strcspn(text, ",") == strlen(path) && strncmp(text, path, strlen(path)) == 0)
			return true;
	return false;
}

/* Where the machine's size is from is the cluster's path, if there is a cluster; files that a trace names
 * itself are none. */
static bool is_cluster(const struct recipe *in, const char *path)
{
	const cJSON *from = member(member(in->tree.root, "cluster"), "from");
	return !cJSON_IsString(from) || strcmp(from->valuestring, path) == 0;
}

/* The trace comes first; what no setting names is the cluster, then files that it named itself. */
static int take_inputs(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const cJSON *replay = member(in->tree.root, "replay");
	const cJSON *input;
	size_t count;
	int status = items_of(in, in->tree.root, "inputs", &count, err);
	if (!status && !count)
		status = fail_lacks(in, "inputs", err);
	if (status)
		return status;
	to->input = sl_alloc(in->arena, count, sizeof(*to->input));
	to->policy_file = sl_alloc(in->arena, count, sizeof(*to->policy_file));
	if (!to->input || !to->policy_file)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(input, items_if(status, in->tree.root, "inputs"))
	{
		struct snapshot_input found = { 0 };
		status = need_text(in, input, "path", &found.path, err);
		if (!status)
			status = need_text(in, input, "sha256", &found.sha256, err);
		if (status)
			return status;
		if (member(input, "of"))
			to->policy_file[to->policy_file_count++] = found;
		else if (to->input_count && !to->cluster.path && is_cluster(in, found.path) &&
			 !is_side(replay, found.path) &&
			 !is_sheet(member(in->tree.root, "models"), found.path))
			to->cluster = found;
		else
			to->input[to->input_count++] = found;
	}
	return status;
}

/* A plug-in whose path the policy is named by is not known by name. */
static int take_plugins(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const cJSON *plugin;
	size_t count;
	int status = items_of(in, in->tree.root, "plugins", &count, err);
	if (status)
		return status;
	to->plugin = sl_alloc(in->arena, count + 1, sizeof(*to->plugin));
	if (!to->plugin)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(plugin, items_if(status, in->tree.root, "plugins"))
	{
		struct snapshot_input *found = &to->plugin[to->plugin_count];
		status = need_text(in, plugin, "path", &found->path, err);
		if (!status)
			status = need_text(in, plugin, "sha256", &found->sha256, err);
		if (status)
			return status;
		found->named = true;
		found->line = tree_place(&in->tree, member(plugin, "path")).line;
		for (size_t i = 0; i < to->stretch_count; i++)
			if (strstr(to->stretch[i].policy, found->path))
				found->named = false;
		to->plugin_count++;
	}
	return status;
}

/* ---- Settings and policies ---------------------------------------------------------------------- */

static int take_settings(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const cJSON *cluster = member(in->tree.root, "cluster");
	const cJSON *replay = member(in->tree.root, "replay");
	const cJSON *item;
	const cJSON *from = member(cluster, "from");
	const cJSON *models = member(in->tree.root, "models");
	size_t count;
	int status = items_of(in, cluster, "settings", &count, err);
	size_t room = count + 1 + (size_t)(cJSON_IsObject(replay) ? cJSON_GetArraySize(replay) : 0);
	cJSON_ArrayForEach(item, models) { room += (size_t)cJSON_GetArraySize(item); }
	to->setting = sl_alloc(in->arena, room, sizeof(*to->setting));
	if (!to->setting)
		return sl_fail_memory(err);
	if (!status)
		status = take_values(in, replay, "replay.", to->setting, &to->setting_count, err);
	cJSON_ArrayForEach(item, models)
	{
		char before[80];
		(void)snprintf(before, sizeof(before), "%.70s.", item->string ? item->string : "");
		if (!status)
			status = take_values(in, item, before, to->setting, &to->setting_count, err);
	}
	cJSON_ArrayForEach(item, items_if(status, cluster, "settings"))
	{
		const char *text;
		status = tree_text(&in->tree, item, in->arena, &text, err);
		if (status)
			return status;
		const size_t len = strcspn(text, "=");
		char *key = sl_strdup(in->arena, text, len);
		to->setting[to->setting_count] =
			key ? joined(in, "cluster.", key, text + len + (text[len] == '=')) : NULL;
		if (!to->setting[to->setting_count++])
			return sl_fail_memory(err);
	}
	if (status || !cJSON_IsString(from) || strcmp(from->valuestring, "cluster.cpus") != 0)
		return status;
	uint64_t cpus;
	char number[32];
	status = take_number(in, cluster, "cpus", &cpus, err);
	*sl_put_i64(number, (int64_t)cpus) = '\0';
	to->setting[to->setting_count] = joined(in, "cluster.", "cpus", number);
	return status || to->setting[to->setting_count++] ? status : sl_fail_memory(err);
}

static int take_stretch(
	struct recipe *in, const cJSON *policy, struct snapshot_stretch *stretch, struct sl_err *err)
{
	const cJSON *values = member(policy, "values");
	const int count = cJSON_IsObject(values) ? cJSON_GetArraySize(values) : 0;
	int status = need_text(in, policy, "text", &stretch->policy, err);
	stretch->value = sl_alloc(in->arena, (size_t)count + 1, sizeof(*stretch->value));
	if (!stretch->value)
		return sl_fail_memory(err);
	stretch->line = status ? 0 : tree_place(&in->tree, member(policy, "text")).line;
	stretch->values_line = values ? tree_place(&in->tree, values).line : 0;
	if (!status)
		status = take_values(in, values, "policy.", stretch->value, &stretch->value_count, err);
	return status;
}

/* Events and digest of a stretch, or of the whole run. */
static int take_mark(
	struct recipe *in, const cJSON *object, struct snapshot_stretch *stretch, struct sl_err *err)
{
	const cJSON *digest = member(object, "digest");
	const int status = take_number(in, object, "events", &stretch->events, err);
	if (status)
		return status;
	return digest ? tree_hex(&in->tree, digest, &stretch->digest, err) : fail_lacks(in, "digest", err);
}

/* Those of the past, then the run's own, which goes on to its end. */
static int take_stretches(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const cJSON *root = in->tree.root;
	const cJSON *past;
	size_t count;
	int status = items_of(in, root, "past", &count, err);
	if (status)
		return status;
	to->stretch = sl_alloc(in->arena, count + 1, sizeof(*to->stretch));
	if (!to->stretch)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(past, items_if(status, root, "past"))
	{
		struct snapshot_stretch *stretch = &to->stretch[to->stretch_count++];
		const cJSON *until = member(past, "until");
		status = take_stretch(in, past, stretch, err);
		if (!status)
			status = take_mark(in, past, stretch, err);
		if (!status)
			status = until ? tree_micro(&in->tree, until, &stretch->until, err)
				       : fail_lacks(in, "until", err);
		if (status)
			return status;
	}
	if (status)
		return status;
	struct snapshot_stretch *last = &to->stretch[to->stretch_count++];
	last->until = SL_NEVER;
	status = take_stretch(in, member(root, "policy"), last, err);
	if (!status)
		status = take_mark(in, root, last, err);
	if (member(root, "partial"))
		last->events = 0; /* Interrupted: it does not say where. */
	return status;
}

enum { DIGESTS_FEW = 64 }; /* A replay is compared with its last one anyway. */

static int take_digests(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const cJSON *digests = member(in->tree.root, "digests");
	const cJSON *item;
	size_t count = 0;
	int status = digests ? tree_count(&in->tree, digests, RECIPE_DIGESTS_MAX, &count, err) : SL_OK;
	if (status)
		return status;
	to->digests = sl_alloc(in->arena, count + 1, sizeof(*to->digests));
	if (!to->digests)
		return sl_fail_memory(err);
	if (count > DIGESTS_FEW) /* Places are found in time linear in the file, each. */
		return SL_OK;
	cJSON_ArrayForEach(item, digests)
	{
		status = tree_hex(&in->tree, item, &to->digests[to->digest_count++], err);
		if (status)
			return status;
	}
	return status;
}

/* A run of several windows is several runs: which one is to be shown? */
static int refuse_windows(const struct recipe *in, struct sl_err *err)
{
	const cJSON *windows = member(member(in->tree.root, "replay"), "windows");
	if (!cJSON_IsString(windows))
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"%s: is of replay.windows, whose runs begin in the middle of a trace: run one of them by "
		"replay.from and replay.to",
		in->tree.file);
}

static int take_all(struct recipe *in, struct sl_err *err)
{
	struct snapshot *to = in->to;
	const char *schema;
	int status = need_text(in, in->tree.root, "schema", &schema, err);
	if (!status && strcmp(schema, "schedlab.run/1") != 0)
		status = sl_fail(err, SL_INPUT,
			"%s: '%.60s' is not what this schedlab reads, which is 'schedlab.run/1': run it again",
			in->tree.file, schema);
	if (!status)
		status = refuse_windows(in, err);
	if (!status)
		status = need_text(in, in->tree.root, "schedlab", &to->version, err);
	if (!status)
		status = take_text(in, in->tree.root, "tz", &to->tz, err);
	if (!status)
		status = take_number(in, in->tree.root, "jobs_max", &to->jobs_max, err);
	if (!status)
		status = take_number(in, in->tree.root, "seed", &to->seed, err);
	if (!status)
		status = take_inputs(in, err);
	if (!status)
		status = take_settings(in, err);
	if (!status)
		status = take_stretches(in, err);
	if (!status)
		status = take_plugins(in, err);
	return status ? status : take_digests(in, err);
}

int run_recipe(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *file;
	const char *text;
	const char *end;
	*snapshot = (struct snapshot){ .file = path };
	struct recipe in = { .to = snapshot, .arena = arena };
	int status = sl_input_open(&file, path, err);
	if (status)
		return status;
	status = sl_input_all(file, &text, &end, err);
	if (!status && end - text > RECIPE_FILE_MAX)
		status = sl_fail(err, SL_INPUT, "%s: is larger than a run writes", path);
	if (!status)
		status = tree_parse(&in.tree, path, text, (size_t)(end - text), err);
	if (!status) {
		status = take_all(&in, err);
		tree_release(&in.tree);
	}
	sl_input_close(file);
	return status;
}
