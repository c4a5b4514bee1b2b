/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.c - snapshots, written and used; snapshot_read.c reads them.
 */
#include "sim/lib/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/run/engine.h"

enum { PATH_LONGEST = 4096 };

/* ---- Written ---------------------------------------------------------------------------- */

static void snapshot_put_micro(struct sl_out *out, int64_t micro)
{
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), micro));
}

static void put_file(struct sl_out *out, const char *path, const char *sha256, bool named)
{
	sl_out_text(out, "{ \"path\": ");
	sl_out_json(out, path);
	sl_out_printf(out, ", \"sha256\": \"%s\"%s }", sha256, named ? ", \"named\": true" : "");
}

static void put_input(struct sl_out *out, const char *path, const char *sha256)
{
	put_file(out, path, sha256, false);
}

static void put_inputs(struct sl_out *out, const struct scenario *scenario)
{
	sl_out_text(out, ",\n  \"inputs\": [\n    ");
	put_input(out, scenario->input.path, scenario->input.sha256);
	for (size_t i = 0; i < scenario->side_count; i++) {
		sl_out_text(out, ",\n    ");
		put_input(out, scenario->side[i].path, scenario->side[i].sha256);
	}
	sl_out_text(out, "\n  ],\n  \"cluster\": ");
	if (scenario->cluster_input.path)
		put_input(out, scenario->cluster_input.path, scenario->cluster_input.sha256);
	else
		sl_out_text(out, "null");
	sl_out_text(out, ",\n  \"plugins\": [");
	for (size_t i = 0; i < scenario->registry->plugin_count; i++) {
		sl_out_text(out, i ? ",\n    " : "\n    ");
		const struct plugin *plugin = &scenario->registry->plugin[i];
		put_file(out, plugin->path, plugin->sha256, plugin->named);
	}
	sl_out_text(out, scenario->registry->plugin_count ? "\n  ]" : "]");
}

/* Each file once; a run whose policies have none says nothing of them. */
static void put_policy_files(struct sl_out *out, const struct sim_interval *interval, size_t count)
{
	bool any = false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < interval[i].choice->file_count; j++) {
			const struct policy_file *file = &interval[i].choice->file[j];
			if (policy_file_reported(interval, i, j))
				continue;
			sl_out_text(out, any ? ",\n    " : ",\n  \"policy_files\": [\n    ");
			put_input(out, file->path, file->sha256);
			any = true;
		}
	sl_out_text(out, any ? "\n  ]" : "");
}

/* "replay.KEY=VALUE": one more of the list. */
static int put_setting(
	struct sl_out *out, bool *first, const char *key, const char *value, struct sl_err *err)
{
	char *line = NULL;
	if (asprintf(&line, "%s=%s", key, value) < 0)
		return sl_fail_memory(err);
	sl_out_text(out, *first ? "\n    " : ",\n    ");
	sl_out_json(out, line);
	free(line);
	*first = false;
	return SL_OK;
}

/* A model's parameters, given or default. */
static int put_model(struct sl_out *out, bool *first, const struct model_choice *on, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < on->value_count && !status; i++) {
		char key[160];
		if (!on->values[i].text)
			continue;
		(void)snprintf(key, sizeof(key), "%.70s.%.80s", on->model->name, on->values[i].key);
		status = put_setting(out, first, key, on->values[i].text, err);
	}
	return status;
}

static int put_settings(struct sl_out *out, const struct scenario *scenario, struct sl_err *err)
{
	bool first = true;
	char key[64];
	int status = SL_OK;
	sl_out_text(out, ",\n  \"settings\": [");
	for (size_t i = 0; i < replay_param_count && !status; i++) {
		const struct sl_value *value = &scenario->replay[i];
		(void)snprintf(key, sizeof(key), "replay.%s", value->key);
		if (value->text && strcmp(value->key, "until") != 0)
			status = put_setting(out, &first, key, value->text, err);
	}
	for (size_t i = 0; i < scenario->model_count && !status; i++)
		status = put_model(out, &first, &scenario->model[i], err);
	for (size_t i = 0; i < scenario->cluster_setting_count && !status; i++) {
		const char *text = scenario->cluster_setting[i];
		const size_t len = strcspn(text, "=");
		char *cluster = NULL;
		if (asprintf(&cluster, "cluster.%.*s", (int)len, text) < 0)
			return sl_fail_memory(err);
		status = put_setting(out, &first, cluster, text + len + (text[len] == '='), err);
		free(cluster);
	}
	if (!status && scenario->cpus_from && strcmp(scenario->cpus_from, "cluster.cpus") == 0) {
		char cpus[32];
		*sl_put_i64(cpus, scenario->cpus) = '\0';
		status = put_setting(out, &first, "cluster.cpus", cpus, err);
	}
	sl_out_text(out, "\n  ]");
	return status;
}

static void put_interval(struct sl_out *out, const struct sim_interval *interval)
{
	const struct policy_choice *choice = interval->choice;
	sl_out_text(out, "{\n      \"policy\": ");
	sl_out_json(out, choice->text);
	sl_out_text(out, ",\n      \"values\": {");
	const char *before = " ";
	for (size_t i = 0; i < choice->value_count; i++) {
		if (!choice->values[i].text)
			continue;
		sl_out_text(out, before);
		sl_out_json(out, choice->values[i].key);
		sl_out_text(out, ": ");
		sl_out_json(out, choice->values[i].text);
		before = ", ";
	}
	sl_out_text(out, " },\n      \"until\": ");
	snapshot_put_micro(out, interval->until);
	sl_out_printf(out, ",\n      \"events\": %" PRIu64 ",\n      \"digest\": \"%016" PRIx64 "\"\n    }",
		interval->events, interval->digest);
}

int snapshot_write(struct sl_out *out, const struct sim_run *run, struct sl_err *err)
{
	const struct sim_options *options = &run->engine->options;
	const struct sim *sim = &run->engine->sim;
	const struct scenario *scenario = options->scenario;
	size_t count;
	const struct sim_interval *interval = sim_intervals(run, &count, err);
	if (!interval)
		return err->status;
	sl_out_printf(out, "{\n  \"schema\": \"%s\",\n  \"schedlab\": \"%s\",\n  \"abi\": \"%d.%d\"",
		SNAPSHOT_SCHEMA, SL_VERSION, SL_ABI_MAJOR, SL_ABI_MINOR);
	put_inputs(out, scenario);
	put_policy_files(out, interval, count);
	sl_out_text(out, ",\n  \"tz\": ");
	if (scenario->tz)
		sl_out_json(out, scenario->tz);
	else
		sl_out_text(out, "null");
	sl_out_printf(
		out, ",\n  \"jobs\": %" PRIu64 ",\n  \"seed\": %" PRIu64, scenario->jobs_max, options->seed);
	const int status = put_settings(out, scenario, err);
	if (status)
		return status;
	sl_out_text(out, ",\n  \"stretches\": [");
	for (size_t i = 0; i < count; i++) {
		sl_out_text(out, i ? ",\n    " : "\n    ");
		put_interval(out, &interval[i]);
	}
	sl_out_text(out, "\n  ],\n  \"digests\": [");
	for (size_t i = 0; i < sim->digest_count; i++)
		sl_out_printf(out, "%s\"%016" PRIx64 "\"", i ? ", " : "", sim->digests[i]);
	sl_out_text(out, "]\n}\n");
	return SL_OK;
}

/* ---- Used ---------------------------------------------------------------------------------- */

static bool is_as_it_was(const char *path, const char *sha256)
{
	struct sl_err none = { 0 };
	char hex[65];
	return registry_hash(path, hex, &none) == SL_OK && strcmp(hex, sha256) == 0;
}

static int fail_outside(const struct snapshot *snapshot, const char *text, struct sl_err *err)
{
	(void)sl_fail(err, SL_INPUT, "%s: '%.200s' leads out of the bundle: nothing there is read",
		snapshot->file, text);
	return SL_INPUT;
}

/* Below the working folder, and nowhere else. */
static const char *closed_at(
	const struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	const size_t capacity = strlen(PATH_CLOSED) + strlen(path) + 1;
	if (path_leads_out(path)) {
		(void)fail_outside(snapshot, path, err);
		return NULL;
	}
	char *closed = sl_alloc(arena, capacity, 1);
	if (closed)
		(void)snprintf(closed, capacity, "%s%s", PATH_CLOSED, path);
	else
		(void)sl_fail_memory(err);
	return closed;
}

/* Has a value a word that names a file elsewhere, whatever reads it? */
static int values_check(const struct snapshot *snapshot, const char *text, struct sl_err *err)
{
	char word[PATH_LONGEST];
	if (!snapshot->closed)
		return SL_OK;
	for (const char *at = text; *at; at += *at != '\0') {
		const size_t len = strcspn(at, "=,:\"");
		if (len >= sizeof(word))
			return fail_outside(snapshot, text, err);
		(void)snprintf(word, sizeof(word), "%.*s", (int)len, at);
		if (path_leads_out(word))
			return fail_outside(snapshot, word, err);
		at += len;
	}
	return SL_OK;
}

/* As written, or if it is not here from the snapshot's folder, or the nearest above it that has it. One of
 * that name that is another file, such as the run's own jobs.csv, is passed over if there is one that is as
 * it was. */
static const char *found_at(const struct snapshot *snapshot, const struct snapshot_input *was,
	struct sl_arena *arena, struct sl_err *err)
{
	const char *path = was->path;
	if (path && snapshot->closed)
		return closed_at(snapshot, path, arena, err);
	const size_t capacity = strlen(snapshot->file) + (path ? strlen(path) : 0) + 1;
	if (!path || path[0] == '/' || strcmp(path, "-") == 0)
		return path;
	const bool here = access(path, F_OK) == 0;
	const char *first = here ? path : NULL;
	if (here && (!was->sha256 || is_as_it_was(path, was->sha256)))
		return path;
	char *there = sl_alloc(arena, capacity, 1);
	if (!there)
		return (void)sl_fail_memory(err), NULL;
	for (size_t len = strlen(snapshot->file); len; len--) {
		if (snapshot->file[len - 1] != '/')
			continue;
		(void)snprintf(there, capacity, "%.*s%s", (int)len, snapshot->file, path);
		if (access(there, F_OK) != 0)
			continue;
		if (!was->sha256 || is_as_it_was(there, was->sha256))
			return there;
		if (!first)
			first = sl_strdup(arena, there, strlen(there));
	}
	return first ? first : path;
}

const char *snapshot_input_path(const struct snapshot *snapshot, const struct snapshot_input *input,
	struct sl_arena *arena, struct sl_err *err)
{
	return found_at(snapshot, input, arena, err);
}

/* "cluster.*=", or "replay.KEY=" of a known key. */
static bool is_of_state(const char *text)
{
	static const char replay[] = "replay.";
	const size_t skip = sizeof(replay) - 1;
	const char *equals = strchr(text, '=');
	if (!equals || strncmp(text, "cluster.", strlen("cluster.")) == 0)
		return equals;
	for (size_t i = 0; strncmp(text, replay, skip) == 0 && i < replay_param_count; i++) {
		const size_t len = strlen(replay_params[i].key);
		if (text + skip + len == equals && memcmp(text + skip, replay_params[i].key, len) == 0)
			return true;
	}
	return false;
}

/* "NAME.KEY=" of one of its replay.models. */
static bool is_of_model(const struct snapshot *snapshot, const char *text)
{
	static const char models[] = "replay.models=";
	const size_t len = strcspn(text, ".=");
	for (size_t i = 0; text[len] == '.' && i < snapshot->setting_count; i++) {
		const char *name = snapshot->setting[i];
		if (strncmp(name, models, sizeof(models) - 1) != 0)
			continue;
		for (name += sizeof(models) - 1; *name; name += strspn(name, ",")) {
			const size_t width = strcspn(name, ",");
			if (width == len && memcmp(name, text, len) == 0)
				return true;
			name += width;
		}
	}
	return false;
}

/* Where the side file of that path is; as it stands if it is none. */
static const char *side_at(const struct snapshot *snapshot, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err)
{
	for (size_t i = 1; i < snapshot->input_count; i++)
		if (strlen(snapshot->input[i].path) == len &&
			strncmp(snapshot->input[i].path, text, len) == 0)
			return found_at(snapshot, &snapshot->input[i], arena, err);
	return sl_strdup(arena, text, len);
}

/* Of several, apart by commas, each. */
static char *sides_at(
	const struct snapshot *snapshot, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	char *list = sl_strdup(arena, "", 0);
	for (bool more = true; more && list && !err->status;) {
		const size_t len = strcspn(text, ",");
		const char *at = side_at(snapshot, text, len, arena, err);
		const size_t capacity = strlen(list) + (at ? strlen(at) : 0) + 2;
		char *longer = at ? sl_alloc(arena, capacity, 1) : NULL;
		more = text[len] == ',';
		if (longer)
			(void)snprintf(longer, capacity, "%s%s%s", list, at, more ? "," : "");
		list = longer;
		text += len + more;
	}
	return list;
}

/* A setting whose value is a side file's path goes where the file is. */
static int setting_state(
	const struct snapshot *snapshot, const char *text, struct settings *settings, struct sl_err *err)
{
	static const char with[] = "replay.with=";
	if (!is_of_state(text) && !is_of_model(snapshot, text))
		return sl_fail(err, SL_INPUT,
			"%s: '%.80s' is no setting that this schedlab has: make it again", snapshot->file,
			text);
	const char *equals = strchr(text, '=');
	if (!equals)
		return settings_add(settings, text, err);
	const char *value = equals + 1;
	if (values_check(snapshot, value, err))
		return err->status;
	const char *path = strncmp(text, with, sizeof(with) - 1) == 0
				   ? sides_at(snapshot, value, settings->arena, err)
				   : side_at(snapshot, value, strlen(value), settings->arena, err);
	if (!path)
		return err->status ? err->status : sl_fail_memory(err);
	const size_t len = (size_t)(value - text);
	const size_t capacity = len + strlen(path) + 1;
	char *moved = sl_alloc(settings->arena, capacity, 1);
	if (!moved)
		return sl_fail_memory(err);
	(void)snprintf(moved, capacity, "%.*s%s", (int)len, text, path);
	return settings_add(settings, moved, err);
}

int snapshot_scenario(const struct snapshot *snapshot, struct scenario_options *options,
	struct settings *settings, struct sl_err *err)
{
	int status = SL_OK;
	*options = (struct scenario_options){
		.trace = found_at(snapshot, &snapshot->input[0], settings->arena, err),
		.cluster = found_at(snapshot, &snapshot->cluster, settings->arena, err),
		.settings = settings,
		.tz = snapshot->tz,
		.jobs_max = snapshot->jobs_max,
		.seed = snapshot->seed,
	};
	for (size_t i = 0; i < snapshot->setting_count && !status; i++)
		status = setting_state(snapshot, snapshot->setting[i], settings, err);
	return status ? status : err->status;
}

static int file_check(const struct snapshot *snapshot, const struct snapshot_input *was, const char *path,
	const char *sha256, struct sl_err *err)
{
	if (was->sha256 && strcmp(was->sha256, sha256) == 0)
		return SL_OK;
	return sl_fail(err, SL_BASELINE,
		"%s: is not what '%s' was made from: its SHA-256 is %s, it was %s: give the file as it was",
		path, snapshot->file, sha256, was->sha256);
}

static int input_check(const struct snapshot *snapshot, const struct snapshot_input *was,
	const struct scenario_input *is, struct sl_err *err)
{
	return file_check(snapshot, was, is->path, is->sha256, err);
}

int snapshot_trusted(const struct snapshot *snapshot, const struct registry *registry, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	int status = arena ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < snapshot->plugin_count && !status; i++) {
		const struct snapshot_input *plugin = &snapshot->plugin[i];
		const struct sl_place at = { snapshot->file, plugin->line, 0 };
		struct sl_err none = { 0 };
		const char *found = plugin->named ? found_at(snapshot, plugin, arena, &none) : NULL;
		status = trust_query(&registry->trust, plugin_is(registry, plugin->path), NULL,
			found ? found : plugin->path, &at, err);
	}
	for (size_t i = 0; i < snapshot->interval_count && !status; i++) {
		const struct snapshot_interval *of = &snapshot->interval[i];
		const struct sl_place at = { snapshot->file, of->line, 0 };
		const struct sl_place values_at = { snapshot->file, of->values_line, 0 };
		struct settings settings = { .arena = arena };
		status = policy_trusted(registry, of->policy, &settings, &at, err);
		for (size_t k = 0; k < of->value_count && !status; k++)
			status = settings_add(&settings, of->value[k], err);
		if (!status)
			status = policy_trusted(registry, of->policy, &settings, &values_at, err);
	}
	sl_arena_free(arena);
	return status;
}

/* As --plugin does, or as -p "PATH" does. */
static int plugin_load(const struct snapshot *snapshot, struct registry *registry,
	const struct snapshot_input *was, const char *path, struct sl_err *err)
{
	struct sl_err why = { 0 };
	const int status = was->named ? registry_add_known(registry, path, was->sha256, &why)
				      : registry_add_path(registry, path, was->sha256, &why);
	const struct plugin *is = status ? NULL : registry_plugin(registry, path);
	if (!status && !is)
		return sl_fail(err, SL_INPUT, "%s: '%s' is not the path of a plug-in", snapshot->file, path);
	const char *hash = status == SL_BASELINE ? strstr(why.text, "its SHA-256") : NULL;
	if (hash)
		return sl_fail(
			err, status, "%s: is not what '%s' was made from: %s", path, snapshot->file, hash);
	return status ? sl_fail(err, status, "%s", why.text) : SL_OK;
}

int snapshot_plugins(const struct snapshot *snapshot, struct registry *registry, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < snapshot->plugin_count && !status; i++) {
		const struct snapshot_input *was = &snapshot->plugin[i];
		/* A policy is named by the path as it was. */
		const char *path = was->named ? found_at(snapshot, was, registry->arena, err) : was->path;
		status = path ? plugin_load(snapshot, registry, was, path, err) : err->status;
	}
	return status;
}

int snapshot_check(const struct snapshot *snapshot, const struct scenario *scenario, struct sl_err *err)
{
	int status = input_check(snapshot, &snapshot->input[0], &scenario->input, err);
	if (!status && snapshot->cluster.path)
		status = input_check(snapshot, &snapshot->cluster, &scenario->cluster_input, err);
	if (!status && snapshot->input_count != scenario->side_count + 1)
		status = sl_fail(err, SL_BASELINE, "'%s' was made from %zu files, its settings name %zu",
			snapshot->file, snapshot->input_count, scenario->side_count + 1);
	for (size_t i = 0; i < scenario->side_count && !status; i++)
		status = input_check(snapshot, &snapshot->input[i + 1], &scenario->side[i], err);
	return status;
}

/* SL_BASELINE if one of the policy's files is not what it was. */
static int snapshot_files_check(
	const struct snapshot *snapshot, const struct policy_choice *choice, struct sl_err *err)
{
	int status = SL_OK;
	/* Earlier versions of schedlab did not record them. */
	for (size_t i = 0; snapshot->policy_file_count && i < choice->file_count && !status; i++) {
		const struct policy_file *is = &choice->file[i];
		const struct snapshot_input *was = NULL;
		for (size_t j = 0; j < snapshot->policy_file_count && !was; j++)
			if (strcmp(snapshot->policy_file[j].path, is->path) == 0)
				was = &snapshot->policy_file[j];
		status =
			was ? file_check(snapshot, was, is->path, is->sha256, err)
			    : sl_fail(err, SL_BASELINE,
				      "%s: was not used in what '%s' was made from: give the files as they were",
				      is->path, snapshot->file);
	}
	return status;
}

/* The policy of an interval; its files are checked. */
static int snapshot_policy(const struct snapshot *snapshot, size_t interval, struct policy_choice *choice,
	const struct registry *registry, struct sl_arena *arena, struct sl_err *err)
{
	const struct snapshot_interval *of = &snapshot->interval[interval];
	struct settings settings = { .arena = arena };
	struct sl_err why = { 0 };
	/* A program is no file that we read: whoever trusts it, runs it. */
	static const char command[] = "policy.command=";
	const bool asks = strncmp(of->policy, "external", strlen("external")) == 0;
	int status = asks ? SL_OK : values_check(snapshot, of->policy, err);
	for (size_t i = 0; i < of->value_count && !status; i++)
		if (strncmp(of->value[i], command, sizeof(command) - 1) != 0)
			status = values_check(snapshot, of->value[i], err);
	if (status)
		return status;
	for (size_t i = 0; i < of->value_count && !status; i++)
		status = settings_add(&settings, of->value[i], &why);
	/* Its name; then the values as they were in effect, whatever implied them. */
	if (!status)
		status = policy_choose(registry, choice, of->policy, NULL, arena, &why);
	if (!status)
		status = policy_settings(choice, &settings, arena, &why);
	if (!status)
		status = settings_check_used(&settings, choice, 1, &why);
	if (status)
		return sl_fail(err, SL_INPUT, "%s: %s", snapshot->file, why.text);
	return snapshot_files_check(snapshot, choice, err);
}

int snapshot_history(const struct snapshot *snapshot, struct sim_options *options,
	const struct registry *registry, struct sl_arena *arena, struct sl_err *err)
{
	const size_t count = snapshot->interval_count;
	struct sim_interval *history = sl_alloc(arena, count, sizeof(*history));
	struct policy_choice *choice = sl_alloc(arena, count, sizeof(*choice));
	if (!history || !choice)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		const struct snapshot_interval *of = &snapshot->interval[i];
		const int status = snapshot_policy(snapshot, i, &choice[i], registry, arena, err);
		if (status)
			return status;
		history[i] = (struct sim_interval){ &choice[i], of->until, of->digest, of->events };
	}
	options->history = history;
	options->history_count = count;
	options->digests = snapshot->digests;
	options->digest_count = snapshot->digest_count;
	options->seed = snapshot->seed;
	return SL_OK;
}

bool snapshot_fixes(const char *key, const struct sl_policy *policy)
{
	static const char *const free[] = { "warmup", "cooldown", "metrics", "fair_start", "until" };
	const bool full = strncmp(key, "replay.", strlen("replay.")) == 0;
	const char *bare = key + (full ? strlen("replay.") : 0);
	const bool policys = strncmp(key, "policy.", strlen("policy.")) == 0;
	/* What has another dot in it is a model's. */
	bool replay = full || (!policys && strchr(key, '.'));
	for (size_t i = 0; i < SL_LEN(free); i++)
		if (strcmp(bare, free[i]) == 0)
			return false;
	for (size_t i = 0; i < replay_param_count; i++)
		replay |= strcmp(replay_params[i].key, bare) == 0;
	for (size_t i = 0; !full && i < policy->param_count; i++)
		if (strcmp(policy->params[i].key, bare) == 0)
			return false; /* The policy's. */
	return replay;
}
