/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resume.c - a run that goes on from a snapshot: what it reads from the file, and what the line may change.
 *
 * The scenario and the history are the snapshot's; the line says what comes after: another policy, other
 * parameters of the same one, when to stop. What would change the history is refused.
 */
#include <string.h>

#include "cli/base/cli.h"
#include "sim/lib/snapshot.h"

static int refuse_options(const struct args *args, struct sl_err *err)
{
	static const char *const history[] = { "cluster", "seed", "from", "to", "tz", "jobs", "model" };
	for (size_t i = 0; i < SL_LEN(history); i++)
		if (arg(args, history[i]))
			return sl_fail(err, SL_USAGE,
				"option '--%s' would change what happened before the snapshot: leave it out",
				history[i]);
	return SL_OK;
}

static int refuse_settings(const struct args *args, const struct sl_policy *policy, struct sl_err *err)
{
	const char *set;
	for (size_t i = 0; (set = arg_at(args, "set", i)); i++) {
		char key[80];
		(void)snprintf(key, sizeof(key), "%.*s", (int)strcspn(set, "="), set);
		if (snapshot_fixes(key, policy))
			return sl_fail(err, SL_USAGE,
				"setting '%s' would change what happened before the snapshot: a run that goes on takes "
				"policy.*, replay.until, replay.warmup, replay.cooldown, replay.metrics and replay.fair_start",
				key);
	}
	return SL_OK;
}

/* What another policy's compat implies of the replay must be as it was. */
static int refuse_implied(const struct run *run, struct sl_err *err)
{
	struct item item;
	for (const char *text = run->choice.implied; text && item_next(&text, &item);) {
		const struct sl_value *value =
			sl_value_of(run->scenario->replay, replay_param_count, item.key);
		if (!value || !value->text || strcmp(value->text, item.value) != 0)
			return sl_fail(err, SL_USAGE,
				"policy '%s' implies replay.%s=%s, and the snapshot was made with %s: that would change "
				"what happened before it",
				run->choice.text, item.key, item.value,
				value && value->text ? value->text : "none");
	}
	return SL_OK;
}

/* The last policy, with what --set says over its values. */
static int choose_same(struct run *run, const struct policy_choice *was, struct settings *settings,
	const struct args *args, struct sl_err *err)
{
	const char *set;
	for (size_t i = 0; (set = arg_at(args, "set", i)); i++)
		if (strncmp(set, "policy.compat=", strlen("policy.compat=")) == 0 ||
			strncmp(set, "compat=", strlen("compat=")) == 0)
			return sl_fail(err, SL_USAGE,
				"--set: 'compat' implies other parameters: name the policy anew, -p NAME:compat=...");
	run->choice = *was;
	run->choice.compat = NULL; /* Said when it began. */
	run->choice.implied = NULL;
	run->choice.values = sl_alloc(args->arena, was->value_count + 1, sizeof(*was->values));
	if (!run->choice.values)
		return sl_fail_memory(err);
	for (size_t i = 0; i < was->value_count; i++)
		run->choice.values[i] = was->values[i];
	const int status = policy_settings(&run->choice, settings, args->arena, err);
	if (status || policy_same(was, &run->choice))
		return status;
	run->choice.text = policy_name(
		args->registry, was->text, args->arena, err); /* Its own text is not true any more. */
	return run->choice.text ? SL_OK : err->status;
}

/* The policy after the snapshot: -p, or the last one. */
static int resume_choose(struct run *run, const struct snapshot *snapshot, struct settings *settings,
	const struct args *args, struct sl_err *err)
{
	const char *policy = arg(args, "policy");
	const char *last = snapshot->interval[snapshot->interval_count - 1].policy;
	struct settings none = { .arena = args->arena };
	struct sim_options history = { 0 };
	const char *set;
	int status = SL_OK;
	for (size_t i = 0; !status && (set = arg_at(args, "set", i)); i++)
		status = settings_add(settings, set, err);
	if (!status)
		status = snapshot_history(snapshot, &history, args->registry, args->arena, err);
	if (!status)
		status = run_from_args(run, policy ? policy : last, policy ? settings : &none, args, err);
	if (!status && !policy)
		status = choose_same(
			run, history.history[history.history_count - 1].choice, settings, args, err);
	if (status)
		return status;
	run->options.history = history.history;
	run->options.history_count = history.history_count;
	run->options.digests = history.digests;
	run->options.digest_count = history.digest_count;
	run->options.seed = history.seed;
	return refuse_settings(args, run->choice.policy, err);
}

static int check_until(const struct scenario *scenario, const struct snapshot *snapshot, struct sl_err *err)
{
	const sl_time reached = snapshot->interval[snapshot->interval_count - 1].until;
	char at[40];
	if (!scenario->bounded || scenario->until >= reached)
		return SL_OK;
	*sl_put_micro(at, reached) = '\0';
	return sl_fail(err, SL_USAGE,
		"--until lies before the snapshot, which was made at %s s: give a later time, or run from the "
		"beginning",
		at);
}

int resume_from_args(struct run *run, struct scenario *scenario, struct settings *settings,
	const struct args *args, struct sl_err *err)
{
	struct snapshot snapshot;
	struct scenario_options options;
	*settings = (struct settings){ .arena = args->arena };
	int status = refuse_options(args, err);
	if (!status)
		status = snapshot_read(&snapshot, arg(args, "from-snapshot"), args->arena, err);
	if (!status)
		status = snapshot_trusted(&snapshot, args->registry, err);
	if (!status)
		status = snapshot_plugins(&snapshot, args->registry, err);
	if (!status)
		status = snapshot_scenario(&snapshot, &options, settings, err);
	if (!status)
		status = resume_choose(run, &snapshot, settings, args, err);
	if (status)
		return status;
	if (args->word_count)
		options.trace = args->word[0];
	if (strcmp(snapshot.version, SL_VERSION) != 0 && log_shows(LOG_INFO))
		log_line(LOG_INFO, "%s was made by schedlab %s, and this is " SL_VERSION, snapshot.file,
			snapshot.version);
	options.until = arg(args, "until");
	options.registry = args->registry;
	options.strict = arg_flag(args, "strict");
	options.stop = &cli_stop;
	status = scenario_load(scenario, &options, err);
	if (status)
		return status;
	run->scenario = scenario;
	status = snapshot_check(&snapshot, scenario, err);
	if (!status)
		status = check_until(scenario, &snapshot, err);
	return status ? status : refuse_implied(run, err);
}

int snapshot_file(const struct run *run, const char *path, struct sl_err *err)
{
	struct sl_out *out;
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	status = snapshot_write(out, &run->sim, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

/* What came of --until, for people: how it goes on. */
void talk_stopped(const struct run *run, const char *snapshot)
{
	const struct sl_result *result = &run->sim.result;
	char at[32];
	uint32_t running = 0;
	uint32_t waiting = 0;
	if (!result->stopped)
		return;
	for (uint32_t row = 0; row < result->jobs->count && result->jobs->submit[row] <= result->last;
		row++) {
		running += result->state[row] == SL_RUNNING || result->state[row] == SL_SUSPENDED;
		waiting += result->state[row] == SL_PENDING;
	}
	talk("stopped at %s: %u running, %u waiting%s%s", screen_duration(at, run->scenario->until), running,
		waiting, snapshot ? "; go on with: schedlab run --from-snapshot " : "",
		snapshot ? snapshot : "");
}
