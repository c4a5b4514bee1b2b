/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_base.c - the base of a what-if as a list of settings, and replicas made of it.
 *
 * A run's directory and a line with a trace come to the same: files, settings of the replay and the cluster,
 * a policy with its values. A replica is that list with some of it replaced. Replicas whose list differs in
 * the policy alone share one scenario, which is read once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run/run_find.h"
#include "cli/whatif/whatif_parts.h"

/* A scenario that was read, and the list that it was read by. */
struct read_replica {
	struct read_replica *next;
	char *key;
	struct scenario scenario;
	size_t users;
	struct sl_arena *arena; /* Of its settings. */
};

struct base {
	const struct args *args;
	struct sl_arena *arena;
	struct rerun rerun; /* Of a directory. */
	bool from_run;
	struct scenario_options options; /* Without settings. */
	const char **setting;            /* replay.*, cluster.*, models, and bare keys, in order. */
	size_t setting_count;
	const char *policy;
	const char **value; /* policy.*, of a directory. */
	size_t value_count;
	struct read_replica *read;
	const struct scenario *scenario; /* Of base_scenario, once it was asked for. */
};

/* ---- The base ----------------------------------------------------------------------------------- */

static int from_run(struct base *base, const char *path, struct sl_err *err)
{
	struct rerun_texts texts = { .arena = base->arena };
	const int status =
		rerun_recipe(&base->rerun, path, base->args->registry, "whatif", &base->options, &texts, err);
	if (status)
		return status;
	base->setting = texts.item;
	base->setting_count = texts.count;
	base->policy = base->rerun.snapshot.interval[0].policy;
	base->value = base->rerun.snapshot.interval[0].value;
	base->value_count = base->rerun.snapshot.interval[0].value_count;
	return SL_OK;
}

static int from_line(struct base *base, struct sl_err *err)
{
	const struct args *args = base->args;
	const char *policy = base_word(args, "policy");
	const int status =
		scenario_options_from_args(&base->options, args, base_word(args, "cluster"), NULL, NULL, err);
	base->options.until = NULL; /* Here a bound to search for. */
	base->policy = policy ? policy : "easy";
	base->setting = sl_alloc(base->arena, args->given_count, sizeof(*base->setting));
	if (!base->setting)
		return sl_fail_memory(err);
	return status;
}

/* --base KEY=VALUE, and --model. */
static int base_settings(struct base *base, struct sl_err *err)
{
	const struct args *args = base->args;
	const char *text;
	const char **all =
		sl_alloc(base->arena, base->setting_count + args->given_count, sizeof(*base->setting));
	if (!all)
		return sl_fail_memory(err);
	if (base->setting_count)
		memcpy(all, base->setting, base->setting_count * sizeof(*all));
	base->setting = all;
	for (size_t i = 0; (text = arg_at(args, "base", i)); i++) {
		if (!strchr(text, '='))
			return sl_fail(err, SL_USAGE, "--base must be KEY=VALUE, not '%s'", text);
		base->setting[base->setting_count++] = text;
	}
	return SL_OK;
}

int base_open(struct base **made, const struct args *args, struct sl_err *err)
{
	struct stat is;
	struct base *base = calloc(1, sizeof(*base));
	if (!base)
		return sl_fail_memory(err);
	*made = base;
	*base = (struct base){ .args = args, .arena = args->arena };
	int status = run_find_words(args, false, err);
	const char *path = args->word[0];
	base->from_run = stat(path, &is) == 0 && S_ISDIR(is.st_mode) ? true : false;
	if (!status)
		status = base->from_run ? from_run(base, path, err) : from_line(base, err);
	if (!status)
		status = base_settings(base, err);
	if (status) {
		base_close(base);
		*made = NULL;
	}
	return status;
}

struct sl_arena *base_arena(const struct base *base) { return base->arena; }

bool base_is_run(const struct base *base) { return base->from_run; }

const char *base_cluster(const struct base *base) { return base->options.cluster; }

const struct scenario *base_scenario(struct base *base, struct sl_err *err)
{
	if (!base->scenario) {
		const struct replica replica = { .name = "base" };
		struct replica_run run;
		if (replica_prepare(base, &replica, &run, err) == SL_OK)
			base->scenario = run.scenario;
	}
	return base->scenario;
}

/* ---- Worlds --------------------------------------------------------------------------------------- */

/* "policy.order=sjf" and "order=sjf" have one key, "replay.load" and "load" too. */
static const char *bare(const char *setting)
{
	if (strncmp(setting, "policy.", 7) == 0 || strncmp(setting, "replay.", 7) == 0)
		return setting + 7;
	return setting;
}

static bool same_key(const char *a, const char *b)
{
	a = bare(a);
	b = bare(b);
	const size_t len = strcspn(a, "=");
	return strcspn(b, "=") == len && memcmp(a, b, len) == 0;
}

const char *base_setting(const struct base *base, const char *key)
{
	const char *found = NULL;
	const size_t len = strlen(bare(key));
	for (size_t i = 0; i < base->setting_count; i++) {
		const char *setting = bare(base->setting[i]);
		if (strncmp(setting, bare(key), len) == 0 && setting[len] == '=')
			found = setting + len + 1;
	}
	return found;
}

static bool adds_up(const char *setting)
{
	return strncmp(bare(setting), "drop=", 5) == 0 || strncmp(bare(setting), "change=", 7) == 0;
}

static int whatif_base_put(struct settings *settings, const char *text, struct sl_err *err)
{
	static const size_t prefix = sizeof(SETTING_MODEL);
	if (strncmp(text, SETTING_MODEL "=", prefix) == 0)
		return settings_add_model(settings, text + prefix, err);
	return settings_add(settings, text, err);
}

/* Clauses of the base's that the replica adds to: "A;B". */
static int put_joined(struct settings *settings, const char *text, const struct base *base,
	const struct replica *replica, struct sl_err *err)
{
	const char *was = NULL;
	for (size_t i = 0; i < base->setting_count; i++)
		if (same_key(base->setting[i], text))
			was = base->setting[i];
	char *joined = NULL;
	size_t capacity = was ? strlen(was) + 1 : 0;
	for (size_t i = 0; i < replica->setting_count; i++)
		if (same_key(replica->setting[i], text))
			capacity += strlen(replica->setting[i]) + 1;
	joined = sl_alloc(settings->arena, capacity + 1, 1);
	if (!joined)
		return sl_fail_memory(err);
	char *end = was ? stpcpy(joined, was) : joined;
	for (size_t i = 0; i < replica->setting_count; i++) {
		if (!same_key(replica->setting[i], text))
			continue;
		const char *clause = strchr(replica->setting[i], '=') + 1;
		end = end == joined ? stpcpy(end, replica->setting[i]) : stpcpy(stpcpy(end, ";"), clause);
	}
	return whatif_base_put(settings, joined, err);
}

/* Those of the base that the replica leaves, then the replica's. */
static int replica_settings(
	const struct base *base, const struct replica *replica, struct settings *settings, struct sl_err *err)
{
	int status = SL_OK;
	const bool other = replica->policy != NULL;
	for (size_t i = 0; i < base->setting_count + base->value_count && !status; i++) {
		const bool of_policy = i >= base->setting_count;
		const char *text = of_policy ? base->value[i - base->setting_count] : base->setting[i];
		bool replaced = other && of_policy;
		for (size_t k = 0; k < replica->setting_count && !replaced; k++)
			replaced = strncmp(text, "cluster.", 8) != 0 && same_key(text, replica->setting[k]);
		if (!replaced)
			status = whatif_base_put(settings, text, err);
	}
	for (size_t i = 0; i < replica->setting_count && !status; i++) {
		const char *text = replica->setting[i];
		bool later = false;
		for (size_t k = i + 1; k < replica->setting_count && !later; k++)
			later = strncmp(text, "cluster.", 8) != 0 && same_key(text, replica->setting[k]);
		if (!later)
			status = adds_up(text) ? put_joined(settings, text, base, replica, err)
					       : whatif_base_put(settings, text, err);
	}
	return status;
}

static const struct scenario *replica_read(struct base *base, char *key, struct scenario_options *options,
	const struct settings *settings, struct sl_err *err)
{
	for (struct read_replica *read = base->read; read; read = read->next) {
		if (strcmp(read->key, key) == 0) {
			for (size_t i = 0; i < settings->count; i++)
				settings->item[i].used = true;
			read->users++;
			free(key);
			return &read->scenario;
		}
	}
	struct read_replica *read = calloc(1, sizeof(*read));
	if (!read) {
		free(key);
		(void)sl_fail_memory(err);
		return NULL;
	}
	read->key = key;
	read->users = 1;
	read->arena = settings->arena;
	read->next = base->read;
	base->read = read;
	return scenario_load(&read->scenario, options, err) ? NULL : &read->scenario;
}

static void replica_forget(struct base *base, const struct scenario *scenario)
{
	for (struct read_replica **at = &base->read; *at; at = &(*at)->next) {
		struct read_replica *read = *at;
		if (&read->scenario != scenario || --read->users)
			continue;
		*at = read->next;
		scenario_release(&read->scenario);
		free(read->key);
		free(read);
		return;
	}
}

int replica_prepare(
	struct base *base, const struct replica *replica, struct replica_run *run, struct sl_err *err)
{
	*run = (struct replica_run){ .scenario = NULL };
	metrics_init(&run->metrics, base->arena, base->args->registry);
	struct settings settings = { .arena = base->arena };
	struct scenario_options options = base->options;
	const struct registry *registry = base->args->registry;
	int status = replica_settings(base, replica, &settings, err);
	if (!status && replica->policy)
		status = registry_add_policy(base->args->registry, replica->policy, err);
	if (!status)
		status = policy_choose(registry, &run->run.choice,
			replica->policy ? replica->policy : base->policy, &settings, base->arena, err);
	if (status)
		return status;
	if (replica->cluster)
		options.cluster = replica->cluster;
	options.settings = &settings;
	options.registry = registry;
	options.implied = run->run.choice.implied;
	options.seed += replica->seed_more;
	options.stop = &cli_stop;
	char *key = scenario_key(&settings, &options);
	if (!key)
		return sl_fail_memory(err);
	run->scenario = replica_read(base, key, &options, &settings, err);
	if (!run->scenario)
		return err->status;
	run->run.scenario = run->scenario;
	run->run.options.seed = options.seed;
	run->run.options.stop = &cli_stop;
	return settings_check_used(&settings, &run->run.choice, 1, err);
}

void base_talk(const struct base *base)
{
	for (const struct read_replica *read = base->read; read; read = read->next) {
		if (read->next)
			continue; /* The first that was read is the base's. */
		if (log_shows(LOG_INFO))
			talk_read(&read->scenario);
		talk_anomalies(&read->scenario);
	}
}

/* ---- Runs ------------------------------------------------------------------------------------------- */

/* What came of a run, and its metrics; err NULL: none are wanted any more. */
static int take_run(struct replica_run *taken, const struct run *run, struct sl_err *err)
{
	taken->status = run->status;
	taken->err = run->err;
	taken->run.sim = run->sim;
	if (!err || (taken->status && taken->status != SL_INTERRUPTED))
		return SL_OK;
	return metrics_compute(&taken->metrics, &taken->run.sim.result, err);
}

/* Its status, and why in its own err. */
static int prepare_run(
	struct base *base, const struct replica *replica, struct replica_run *run, unsigned record)
{
	struct sl_err why = { 0 };
	const int status = replica_prepare(base, replica, run, &why);
	run->err = why;
	run->run.options.record |= record;
	return status;
}

int replicas_run(struct base *base, const struct replica *replica, struct replica_run *run, size_t count,
	unsigned threads, unsigned record, struct sl_err *err)
{
	/* What they point to each other by stays where it is until the base goes. */
	struct run *runs = sl_alloc(base->arena, count, sizeof(*runs));
	size_t *slot = sl_alloc(base->arena, count, sizeof(*slot));
	size_t going = 0;
	int status = runs && slot ? SL_OK : sl_fail_memory(err);
	if (status)
		return status;
	for (size_t i = 0; i < count; i++) {
		run[i].status = prepare_run(base, &replica[i], &run[i], record);
		if (run[i].status)
			continue;
		slot[going] = i;
		runs[going++] = run[i].run;
	}
	if (!going)
		return SL_OK;
	struct sl_err first = { 0 };
	struct progress_bar *bar = progress_start(runs, going, base->args);
	(void)runset_run(runs, going, threads, NULL, NULL, &first);
	progress_stop(bar);
	for (size_t i = 0; i < going; i++) {
		const int taken = take_run(&run[slot[i]], &runs[i], status ? NULL : err);
		status = status ? status : taken;
	}
	if (!status && atomic_load(&cli_stop))
		status = sl_fail(err, SL_INTERRUPTED, "interrupted: results are partial");
	return status;
}

void replica_run_release(struct base *base, struct replica_run *run)
{
	sim_release(&run->run.sim);
	metrics_release(&run->metrics);
	if (run->scenario)
		replica_forget(base, run->scenario);
	*run = (struct replica_run){ .scenario = NULL };
}

void base_close(struct base *base)
{
	if (!base)
		return;
	while (base->read) {
		struct read_replica *read = base->read;
		base->read = read->next;
		scenario_release(&read->scenario);
		free(read->key);
		free(read);
	}
	rerun_close(&base->rerun);
	free(base);
}
