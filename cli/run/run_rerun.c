/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_rerun.c - a run made again (a rerun) from what its directory says.
 */
#include "cli/run/run_rerun.h"

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

static int read_recipe(struct rerun *rerun, const char *path, struct sl_err *err)
{
	static const char name[] = "/run.json";
	struct stat is;
	/* From "." nothing leads upwards, where the inputs may be. */
	char *real = path[0] == '.' ? realpath(path, NULL) : NULL;
	if (real) {
		path = sl_strdup(rerun->arena, real, strlen(real));
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
			       ? run_recipe(&rerun->snapshot, path, rerun->arena, err)
			       : snapshot_read(&rerun->snapshot, path, rerun->arena, err);
	}
	char *file = text_made(rerun->arena, "%s%s", path, name);
	if (!file)
		return sl_fail_memory(err);
	return run_recipe(&rerun->snapshot, file, rerun->arena, err);
}

/* A run.json has numbers where a line had "7d": a parameter's default is not passed to the policy, so that it
 * does not look as if a user had set it. */
static int drop_defaults(struct rerun *rerun, struct sl_err *err)
{
	static const char prefix[] = "policy.";
	struct snapshot *snapshot = &rerun->snapshot;
	for (size_t i = 0; i < snapshot->interval_count; i++) {
		struct snapshot_interval *interval = &snapshot->interval[i];
		struct policy_choice choice;
		size_t kept = 0;
		const int status =
			policy_choose(rerun->registry, &choice, interval->policy, NULL, rerun->arena, err);
		if (status)
			return status;
		for (size_t k = 0; k < interval->value_count; k++) {
			const char *key = interval->value[k] + sizeof(prefix) - 1;
			const size_t len = strcspn(key, "=");
			bool same = false;
			for (size_t p = 0; p < choice.value_count && !same; p++) {
				const struct sl_param *param = &choice.policy->params[p];
				struct sl_value value = { 0 };
				struct sl_err none = { 0 };
				const struct param_list params = { param, 1, param->key, rerun->registry,
					rerun->arena };
				same = strlen(param->key) == len && memcmp(param->key, key, len) == 0 &&
				       choice.values[p].text && param->kind != SL_PARAM_TEXT &&
				       param->kind != SL_PARAM_DOC &&
				       value_set(&value, &params, 0, key + len + 1, &none) == SL_OK &&
				       value.number == choice.values[p].number;
			}
			if (!same)
				interval->value[kept++] = interval->value[k];
		}
		interval->value_count = kept;
	}
	return SL_OK;
}

int rerun_open(struct rerun *rerun, const char *path, struct registry *registry, struct sl_err *err)
{
	*rerun = (struct rerun){ .arena = sl_arena_new(), .registry = registry };
	if (!rerun->arena)
		return sl_fail_memory(err);
	rerun->settings.arena = rerun->arena;
	char *found = sl_strdup(rerun->arena, path, strlen(path));
	if (!found)
		return sl_fail_memory(err);
	int status = run_find(&found, false, rerun->arena, err);
	if (!status)
		status = read_recipe(rerun, found, err);
	registry->trust.file =
		status ? NULL
		       : sl_strdup(registry->arena, rerun->snapshot.file, strlen(rerun->snapshot.file));
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

int rerun_change(struct rerun *rerun, const char *setting, struct sl_err *err)
{
	static const char models[] = "replay.models=";
	struct snapshot *snapshot = &rerun->snapshot;
	rerun->changed = true;
	if (strncmp(setting, models, sizeof(models) - 1) == 0)
		drop_models(snapshot, setting + sizeof(models) - 1);
	if (strncmp(setting, "policy.", strlen("policy.")) != 0)
		return list_put(rerun->arena, &snapshot->setting, &snapshot->setting_count, setting, err);
	struct snapshot_interval *last = &snapshot->interval[snapshot->interval_count - 1];
	return list_put(rerun->arena, &last->value, &last->value_count, setting, err);
}

/* What the run was made from has to be there, as it was: whatever else is wrong with it now. */
int rerun_load(struct rerun *rerun, struct sl_err *err)
{
	struct scenario_options options;
	struct sl_err why = { 0 };
	const struct snapshot *snapshot = &rerun->snapshot;
	int status = snapshot_trusted(snapshot, rerun->registry, err);
	if (status)
		return status;
	status = snapshot_plugins(snapshot, rerun->registry, &why);
	if (!status)
		status = drop_defaults(rerun, &why);
	if (!status)
		status = snapshot_scenario(snapshot, &options, &rerun->settings, &why);
	if (!status && strcmp(options.trace, "-") == 0)
		status = sl_fail(&why, SL_BASELINE, "its trace came from standard input");
	if (!status) {
		options.registry = rerun->registry;
		options.stop = &cli_stop;
		status = scenario_load(&rerun->scenario, &options, &why);
	}
	if (!status)
		status = snapshot_check(snapshot, &rerun->scenario, &why);
	const bool state = status == SL_INPUT || status == SL_USAGE || status == SL_BASELINE;
	if (status)
		return sl_fail(err, state ? SL_BASELINE : status, "%s%s%s", state ? snapshot->file : "",
			state ? ": what it was made from is not there as it was: " : "", why.text);
	return snapshot_history(snapshot, &rerun->recipe, rerun->registry, rerun->arena, err);
}

/* ---- The replay ----------------------------------------------------------------------------- */

int rerun_start(struct rerun *rerun, struct sim_run *sim, unsigned record, struct sl_err *err)
{
	const struct sim_options *recipe = &rerun->recipe;
	struct sim_options *options = sl_alloc(rerun->arena, 1, sizeof(*options));
	if (!options)
		return sl_fail_memory(err);
	*options = (struct sim_options){
		.scenario = &rerun->scenario,
		.choice = recipe->history[0].choice,
		.seed = recipe->seed,
		.record = record | (recipe->history_count > 1 ? SIM_RECORD_HISTORY : 0U),
		.stop = &cli_stop,
		.progress = rerun->progress,
	};
	rerun->interval = 0;
	return sim_begin(sim, options, err);
}

/* A run's own end is reached by way of all its intervals. */
int rerun_advance(struct rerun *rerun, struct sim_run *sim, sl_time until, struct sl_err *err)
{
	const struct sim_options *recipe = &rerun->recipe;
	const bool at_end = until == SL_NEVER;
	int status = SL_OK;
	if (rerun->scenario.bounded && until > rerun->scenario.until)
		until = rerun->scenario.until;
	while (rerun->interval < recipe->history_count && !status) {
		const struct sim_interval *was = &recipe->history[rerun->interval];
		if (was->until > until && !(at_end && was->until == SL_NEVER))
			break;
		status = sim_advance(sim, was->until < until ? was->until : until, err);
		if (!status && was->events && !rerun->changed)
			status = sim_verify(sim, was, recipe->digests, recipe->digest_count, err);
		if (!status && ++rerun->interval < recipe->history_count)
			status = sim_handover(sim, recipe->history[rerun->interval].choice, err);
	}
	return status ? status : sim_advance(sim, until, err);
}

int rerun_recipe(struct rerun *rerun, const char *path, struct registry *registry, const char *command,
	struct scenario_options *options, struct rerun_texts *texts, struct sl_err *err)
{
	int status = rerun_open(rerun, path, registry, err);
	if (!status)
		status = rerun_load(rerun, err);
	if (status)
		return status;
	if (rerun->snapshot.interval_count != 1)
		return sl_fail(err, SL_USAGE,
			"%s: its run went over from one policy to another: %s asks about runs under one",
			path, command);
	struct settings found = { .arena = texts->arena };
	status = snapshot_scenario(&rerun->snapshot, options, &found, err);
	options->settings = NULL;
	texts->item = sl_alloc(texts->arena, found.count + 1, sizeof(*texts->item));
	if (!status && !texts->item)
		status = sl_fail_memory(err);
	for (texts->count = 0; texts->count < found.count && !status; texts->count++) {
		const struct setting *is = &found.item[texts->count];
		texts->item[texts->count] = text_made(texts->arena, "%s=%s", is->key, is->value);
		if (!texts->item[texts->count])
			status = sl_fail_memory(err);
	}
	return status;
}

int rerun_begin(struct rerun *rerun, struct sim_run *sim, unsigned record, sl_time until, struct sl_err *err)
{
	const int status = rerun_start(rerun, sim, record, err);
	return status ? status : rerun_advance(rerun, sim, until, err);
}

int rerun_compare(const struct rerun *rerun, const struct sl_result *result, struct sl_err *err)
{
	const struct snapshot *was = &rerun->snapshot;
	for (size_t i = 0; !rerun->changed && i < was->digest_count && i < result->digest_count; i++)
		if (was->digests[i] != result->digests[i])
			return sl_fail(err, SL_DIFFERS,
				"%s: not reproduced: after %zu events the digest is not what it was",
				was->file, (i + 1) << 16);
	return SL_OK;
}

int rerun_run(struct rerun *rerun, struct sim_run *sim, unsigned record, struct sl_err *err)
{
	int status = rerun_begin(rerun, sim, record, SL_NEVER, err);
	if (!status)
		status = sim_end(sim, err);
	return status ? status : rerun_compare(rerun, &sim->result, err);
}

void rerun_close(struct rerun *rerun)
{
	if (!rerun->arena)
		return;
	scenario_release(&rerun->scenario);
	sl_arena_free(rerun->arena);
	*rerun = (struct rerun){ 0 };
}
