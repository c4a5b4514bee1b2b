/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * again.c - a run made again from what its directory says.
 */
#include "cli/run/again.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/run_find.h"
#include "sim/run/engine.h"

/* The likeliest mistake: the trace, in place of what came of it. What is written of runs is an object. */
static bool is_no_record(const char *path)
{
	FILE *file = fopen(path, "rb");
	const int first = file ? getc(file) : '{'; /* Who opens it next says why it cannot. */
	if (file)
		(void)fclose(file);
	return first != '{';
}

static int read_recipe(struct again *again, const char *path, struct sl_err *err)
{
	static const char name[] = "/run.json";
	struct stat is;
	/* From "." nothing leads upwards, where the inputs may be. */
	char *real = path[0] == '.' ? realpath(path, NULL) : NULL;
	if (real) {
		path = sl_strdup(again->arena, real, strlen(real));
		free(real);
		if (!path)
			return sl_fail_memory(err);
	}
	if (stat(path, &is) == 0 && !S_ISDIR(is.st_mode)) {
		const char *slash = strrchr(path, '/');
		if (is_no_record(path))
			return sl_fail(err, SL_INPUT,
				"'%s' is neither the directory of a run nor a snapshot: if it is a trace, make a run "
				"of it with 'schedlab run %s -o DIR', and give DIR",
				path, path);
		return strcmp(slash ? slash + 1 : path, name + 1) == 0
			       ? run_recipe(&again->snapshot, path, again->arena, err)
			       : snapshot_read(&again->snapshot, path, again->arena, err);
	}
	char *file = text_made(again->arena, "%s%s", path, name);
	if (!file)
		return sl_fail_memory(err);
	return run_recipe(&again->snapshot, file, again->arena, err);
}

/* A run.json has numbers where a line had "7d": what a policy would have anyway is not given to it, so that
 * it does not take it for somebody's wish. */
static int drop_defaults(struct again *again, struct sl_err *err)
{
	static const char prefix[] = "policy.";
	struct snapshot *snapshot = &again->snapshot;
	for (size_t i = 0; i < snapshot->stretch_count; i++) {
		struct snapshot_stretch *stretch = &snapshot->stretch[i];
		struct policy_choice choice;
		size_t kept = 0;
		const int status =
			policy_choose(again->registry, &choice, stretch->policy, NULL, again->arena, err);
		if (status)
			return status;
		for (size_t k = 0; k < stretch->value_count; k++) {
			const char *key = stretch->value[k] + sizeof(prefix) - 1;
			const size_t len = strcspn(key, "=");
			bool same = false;
			for (size_t p = 0; p < choice.value_count && !same; p++) {
				const struct sl_param *param = &choice.policy->params[p];
				struct sl_value value = { 0 };
				struct sl_err none = { 0 };
				const struct param_list params = { param, 1, param->key, again->registry,
					again->arena };
				same = strlen(param->key) == len && memcmp(param->key, key, len) == 0 &&
				       choice.values[p].text && param->kind != SL_PARAM_TEXT &&
				       param->kind != SL_PARAM_DOC &&
				       value_set(&value, &params, 0, key + len + 1, &none) == SL_OK &&
				       value.number == choice.values[p].number;
			}
			if (!same)
				stretch->value[kept++] = stretch->value[k];
		}
		stretch->value_count = kept;
	}
	return SL_OK;
}

int again_open(struct again *again, const char *path, struct registry *registry, struct sl_err *err)
{
	*again = (struct again){ .arena = sl_arena_new(), .registry = registry };
	if (!again->arena)
		return sl_fail_memory(err);
	again->settings.arena = again->arena;
	char *found = sl_strdup(again->arena, path, strlen(path));
	if (!found)
		return sl_fail_memory(err);
	int status = run_find(&found, false, again->arena, err);
	if (!status)
		status = read_recipe(again, found, err);
	registry->trust.file =
		status ? NULL
		       : sl_strdup(registry->arena, again->snapshot.file, strlen(again->snapshot.file));
	return status;
}

/* The list with that item, in place of what had its key. */
static int list_put(
	struct sl_arena *arena, const char ***list, size_t *count, const char *item, struct sl_err *err)
{
	const size_t key = strcspn(item, "=") + 1;
	const char **grown = sl_alloc(arena, *count + 1, sizeof(*grown));
	const char *kept = sl_strdup(arena, item, strlen(item));
	size_t used = 0;
	if (!grown || !kept)
		return sl_fail_memory(err);
	for (size_t i = 0; i < *count; i++)
		if (strncmp((*list)[i], item, key) != 0)
			grown[used++] = (*list)[i];
	grown[used++] = kept;
	*list = grown;
	*count = used;
	return SL_OK;
}

/* Settings of models that are not on any more would be nobody's. */
static void drop_models(struct snapshot *snapshot, const char *models)
{
	size_t kept = 0;
	for (size_t i = 0; i < snapshot->setting_count; i++) {
		const char *setting = snapshot->setting[i];
		const size_t len = strcspn(setting, ".=");
		bool on = strncmp(setting, "replay.", len + 1) == 0 ||
			  strncmp(setting, "cluster.", len + 1) == 0;
		for (const char *name = models; *name && !on; name += strspn(name, ",")) {
			const size_t width = strcspn(name, ",");
			on = width == len && memcmp(name, setting, len) == 0;
			name += width;
		}
		if (on)
			snapshot->setting[kept++] = setting;
	}
	snapshot->setting_count = kept;
}

int again_change(struct again *again, const char *setting, struct sl_err *err)
{
	static const char models[] = "replay.models=";
	struct snapshot *snapshot = &again->snapshot;
	again->changed = true;
	if (strncmp(setting, models, sizeof(models) - 1) == 0)
		drop_models(snapshot, setting + sizeof(models) - 1);
	if (strncmp(setting, "policy.", strlen("policy.")) != 0)
		return list_put(again->arena, &snapshot->setting, &snapshot->setting_count, setting, err);
	struct snapshot_stretch *last = &snapshot->stretch[snapshot->stretch_count - 1];
	return list_put(again->arena, &last->value, &last->value_count, setting, err);
}

/* What the run was made from has to be there, as it was: whatever else is wrong with it now. */
int again_load(struct again *again, struct sl_err *err)
{
	struct scenario_options options;
	struct sl_err why = { 0 };
	const struct snapshot *snapshot = &again->snapshot;
	int status = snapshot_trusted(snapshot, again->registry, err);
	if (status)
		return status;
	status = snapshot_plugins(snapshot, again->registry, &why);
	if (!status)
		status = drop_defaults(again, &why);
	if (!status)
		status = snapshot_world(snapshot, &options, &again->settings, &why);
	if (!status && strcmp(options.trace, "-") == 0)
		status = sl_fail(&why, SL_BASELINE, "its trace came from standard input");
	if (!status) {
		options.registry = again->registry;
		options.stop = &cli_stop;
		status = scenario_load(&again->scenario, &options, &why);
	}
	if (!status)
		status = snapshot_check(snapshot, &again->scenario, &why);
	const bool world = status == SL_INPUT || status == SL_USAGE || status == SL_BASELINE;
	if (status)
		return sl_fail(err, world ? SL_BASELINE : status, "%s%s%s", world ? snapshot->file : "",
			world ? ": what it was made from is not there as it was: " : "", why.text);
	return snapshot_past(snapshot, &again->recipe, again->registry, again->arena, err);
}

/* ---- The replay ----------------------------------------------------------------------------- */

int again_start(struct again *again, struct sim *sim, unsigned record, struct sl_err *err)
{
	const struct sim_options *recipe = &again->recipe;
	struct sim_options *options = sl_alloc(again->arena, 1, sizeof(*options));
	if (!options)
		return sl_fail_memory(err);
	*options = (struct sim_options){
		.scenario = &again->scenario,
		.choice = recipe->past[0].choice,
		.seed = recipe->seed,
		.record = record | (recipe->past_count > 1 ? SIM_RECORD_PAST : 0U),
		.stop = &cli_stop,
		.progress = again->progress,
	};
	again->stretch = 0;
	return sim_begin(sim, options, err);
}

/* A run's own end is reached by way of all its stretches. */
int again_advance(struct again *again, struct sim *sim, sl_time until, struct sl_err *err)
{
	const struct sim_options *recipe = &again->recipe;
	const bool at_end = until == SL_NEVER;
	int status = SL_OK;
	if (again->scenario.bounded && until > again->scenario.until)
		until = again->scenario.until;
	while (again->stretch < recipe->past_count && !status) {
		const struct sim_stretch *was = &recipe->past[again->stretch];
		if (was->until > until && !(at_end && was->until == SL_NEVER))
			break;
		status = sim_advance(sim, was->until < until ? was->until : until, err);
		if (!status && was->events && !again->changed)
			status = sim_verify(sim, was, recipe->digests, recipe->digest_count, err);
		if (!status && ++again->stretch < recipe->past_count)
			status = sim_switch(sim, recipe->past[again->stretch].choice, err);
	}
	return status ? status : sim_advance(sim, until, err);
}

int again_begin(struct again *again, struct sim *sim, unsigned record, sl_time until, struct sl_err *err)
{
	const int status = again_start(again, sim, record, err);
	return status ? status : again_advance(again, sim, until, err);
}

int again_compare(const struct again *again, const struct sl_result *result, struct sl_err *err)
{
	const struct snapshot *was = &again->snapshot;
	for (size_t i = 0; !again->changed && i < was->digest_count && i < result->digest_count; i++)
		if (was->digests[i] != result->digests[i])
			return sl_fail(err, SL_DIFFERS,
				"%s: not reproduced: after %zu events the digest is not what it was",
				was->file, (i + 1) << 16);
	return SL_OK;
}

int again_run(struct again *again, struct sim *sim, unsigned record, struct sl_err *err)
{
	int status = again_begin(again, sim, record, SL_NEVER, err);
	if (!status)
		status = sim_end(sim, err);
	return status ? status : again_compare(again, &sim->result, err);
}

void again_close(struct again *again)
{
	if (!again->arena)
		return;
	scenario_release(&again->scenario);
	sl_arena_free(again->arena);
	*again = (struct again){ 0 };
}
