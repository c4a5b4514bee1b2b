/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot_read.c - a snapshot's file, checked as it is read: tables of keys, each with what takes its value.
 *
 * Bounded: the file, its lists and their lengths. The schema comes first, so
 * that another version is refused before its keys are.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/tree.h"
#include "sim/lib/snapshot.h"

enum {
	FILE_MAX = 64 << 20,
	INPUTS_MAX = 64,
	SETTINGS_MAX = 1000,
	STRETCHES_MAX = 1000,
	DIGESTS_MAX = 1 << 21,
	VALUES_MAX = 1000
};

struct reading {
	struct snapshot *snapshot;
	struct tree tree;
	struct sl_arena *arena;
	struct snapshot_input *input;     /* Whose keys come. */
	struct snapshot_stretch *stretch; /* Likewise. */
};

/* ---- One value each -------------------------------------------------------------------- */

#define TEXT_KEY(name, target)                                                   \
	static int name(void *self, const cJSON *value, struct sl_err *err)      \
	{                                                                        \
		struct reading *in = self;                                       \
		return tree_text(&in->tree, value, in->arena, &in->target, err); \
	}
TEXT_KEY(take_path, input->path)
TEXT_KEY(take_sha256, input->sha256)
TEXT_KEY(take_version, snapshot->version)

static int take_policy(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	in->stretch->line = tree_place(&in->tree, value).line;
	return tree_text(&in->tree, value, in->arena, &in->stretch->policy, err);
}

static int take_tz(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return cJSON_IsNull(value) ? SL_OK : tree_text(&in->tree, value, in->arena, &in->snapshot->tz, err);
}

static int take_u64(const struct reading *in, const cJSON *value, uint64_t *number, struct sl_err *err)
{
	int64_t found = 0;
	const int status = tree_i64(&in->tree, value, 0, &found, err);
	*number = (uint64_t)found;
	return status;
}

static int take_jobs(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return take_u64(in, value, &in->snapshot->jobs_max, err);
}

static int take_seed(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return take_u64(in, value, &in->snapshot->seed, err);
}

static int take_events(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return take_u64(in, value, &in->stretch->events, err);
}

static int take_digest(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return tree_hex(&in->tree, value, &in->stretch->digest, err);
}

static int take_until(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return tree_micro(&in->tree, value, &in->stretch->until, err);
}

static int take_named(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	(void)err;
	in->input->named = cJSON_IsTrue(value);
	return SL_OK;
}

/* Other versions go no further. */
static int take_schema(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	if (cJSON_IsString(value) && strcmp(value->valuestring, SNAPSHOT_SCHEMA) == 0)
		return SL_OK;
	const struct sl_place at = tree_place(&in->tree, value);
	return sl_fail_at(err, &at, "'%.60s' is not what this schedlab reads, which is '%s': make it again",
		cJSON_IsString(value) ? value->valuestring : "this", SNAPSHOT_SCHEMA);
}

/* What the program and the door were: of interest to people. */
static int take_abi(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	const char *unused;
	return tree_text(&in->tree, value, in->arena, &unused, err);
}

/* ---- Lists and objects --------------------------------------------------------------------- */

static int take_input(
	struct reading *in, const cJSON *value, struct snapshot_input *input, struct sl_err *err)
{
	static const struct tree_key keys[] = {
		{ "path", false, take_path },
		{ "sha256", false, take_sha256 },
		{ "named", true, take_named },
	};
	in->input = input;
	return tree_object(&in->tree, value, "an input", keys, SL_LEN(keys), in, err);
}

static int take_list(struct reading *in, const cJSON *value, struct snapshot_input **list, size_t *length,
	struct sl_err *err)
{
	const cJSON *item;
	size_t count;
	int status = tree_count(&in->tree, value, INPUTS_MAX, &count, err);
	if (status)
		return status;
	*list = sl_alloc(in->arena, count + 1, sizeof(**list));
	if (!*list)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value)
	{
		(*list)[*length].line = tree_place(&in->tree, item).line;
		status = take_input(in, item, &(*list)[(*length)++], err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int take_inputs(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot *to = in->snapshot;
	const int status = take_list(in, value, &to->input, &to->input_count, err);
	if (status || to->input_count)
		return status;
	const struct sl_place at = tree_place(&in->tree, value);
	return sl_fail_at(err, &at, "'inputs' is empty: it begins with the trace");
}

static int take_plugins(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return take_list(in, value, &in->snapshot->plugin, &in->snapshot->plugin_count, err);
}

static int take_policy_files(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot *to = in->snapshot;
	return take_list(in, value, &to->policy_file, &to->policy_file_count, err);
}

static int take_cluster(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	return cJSON_IsNull(value) ? SL_OK : take_input(in, value, &in->snapshot->cluster, err);
}

static int take_settings(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot *to = in->snapshot;
	const cJSON *item;
	size_t count;
	int status = tree_count(&in->tree, value, SETTINGS_MAX, &count, err);
	if (status)
		return status;
	to->setting = sl_alloc(in->arena, count + 1, sizeof(*to->setting));
	if (!to->setting)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value)
	{
		status = tree_text(&in->tree, item, in->arena, &to->setting[to->setting_count++], err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int take_values(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot_stretch *to = in->stretch;
	const cJSON *item;
	to->values_line = tree_place(&in->tree, value).line;
	const int count = cJSON_IsObject(value) ? cJSON_GetArraySize(value) : -1;
	if (count < 0 || count > VALUES_MAX) {
		const struct sl_place at = tree_place(&in->tree, value);
		return sl_fail_at(err, &at, "'values' is not an object of a policy's parameters");
	}
	to->value = sl_alloc(in->arena, (size_t)count + 1, sizeof(*to->value));
	if (!to->value)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value)
	{
		if (!cJSON_IsString(item)) {
			const struct sl_place at = tree_place(&in->tree, item);
			return sl_fail_at(err, &at, "'%.40s' is not a text", item->string);
		}
		const size_t room = strlen(item->string) + strlen(item->valuestring) + sizeof("policy.=");
		char *text = sl_alloc(in->arena, room, 1);
		if (!text)
			return sl_fail_memory(err);
		(void)snprintf(text, room, "policy.%s=%s", item->string, item->valuestring);
		to->value[to->value_count++] = text;
	}
	return SL_OK;
}

static int take_stretch(struct reading *in, const cJSON *value, struct sl_err *err)
{
	static const struct tree_key keys[] = {
		{ "policy", false, take_policy },
		{ "values", false, take_values },
		{ "until", false, take_until },
		{ "events", false, take_events },
		{ "digest", false, take_digest },
	};
	struct snapshot *to = in->snapshot;
	in->stretch = &to->stretch[to->stretch_count++];
	const int status = tree_object(&in->tree, value, "a stretch", keys, SL_LEN(keys), in, err);
	if (status || to->stretch_count < 2 || in->stretch->until >= in->stretch[-1].until)
		return status;
	const struct sl_place at = tree_place(&in->tree, value);
	return sl_fail_at(err, &at, "a stretch ends before the one above it: give a file as it was written");
}

static int take_stretches(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot *to = in->snapshot;
	const cJSON *item;
	size_t count;
	int status = tree_count(&in->tree, value, STRETCHES_MAX, &count, err);
	if (status)
		return status;
	to->stretch = sl_alloc(in->arena, count + 1, sizeof(*to->stretch));
	if (!to->stretch)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value)
	{
		status = take_stretch(in, item, err);
		if (status)
			return status;
	}
	const struct sl_place at = tree_place(&in->tree, value);
	return count ? SL_OK : sl_fail_at(err, &at, "'stretches' is empty: nothing was run");
}

static int take_digests(void *self, const cJSON *value, struct sl_err *err)
{
	struct reading *in = self;
	struct snapshot *to = in->snapshot;
	const cJSON *item;
	size_t count;
	int status = tree_count(&in->tree, value, DIGESTS_MAX, &count, err);
	if (status)
		return status;
	to->digests = sl_alloc(in->arena, count + 1, sizeof(*to->digests));
	if (!to->digests)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value)
	{
		status = tree_hex(&in->tree, item, &to->digests[to->digest_count++], err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- The file ----------------------------------------------------------------------------------- */

static int take_all(struct reading *in, struct sl_err *err)
{
	static const struct tree_key keys[] = {
		{ "schema", false, take_schema },
		{ "schedlab", false, take_version },
		{ "abi", false, take_abi },
		{ "inputs", false, take_inputs },
		{ "cluster", false, take_cluster },
		{ "plugins", false, take_plugins },
		{ "policy_files", true, take_policy_files },
		{ "tz", false, take_tz },
		{ "jobs", false, take_jobs },
		{ "seed", false, take_seed },
		{ "settings", false, take_settings },
		{ "stretches", false, take_stretches },
		{ "digests", false, take_digests },
	};
	const cJSON *first = cJSON_IsObject(in->tree.root) ? in->tree.root->child : NULL;
	if (first && first->string && strcmp(first->string, "schema") == 0)
		return tree_object(&in->tree, in->tree.root, "a snapshot", keys, SL_LEN(keys), in, err);
	const struct sl_place at = tree_place(&in->tree, in->tree.root);
	return sl_fail_at(err, &at,
		"is not a snapshot, which begins with its \"schema\": give the snapshot.json of a run with --until");
}

static int read_text(struct snapshot *snapshot, const char *text, const char *end, struct sl_arena *arena,
	struct sl_err *err)
{
	struct reading in = { .snapshot = snapshot, .arena = arena };
	if (end - text > FILE_MAX)
		return sl_fail(err, SL_INPUT,
			"%s: is larger than any snapshot: give the snapshot.json of a run", snapshot->file);
	int status = tree_parse(&in.tree, snapshot->file, text, (size_t)(end - text), err);
	if (!status)
		status = take_all(&in, err);
	tree_release(&in.tree);
	return status;
}

int snapshot_read(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	*snapshot = (struct snapshot){ .file = path };
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = read_text(snapshot, text, end, arena, err);
	sl_input_close(in);
	return status;
}
