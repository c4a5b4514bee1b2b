/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_settings.c - the settings of a replay: from the command line, checked against each other, and
 * parsed where one is more than a number.
 *
 * replay.windows, intervals of a trace, each run on its own:
 * "1024@1981,2756": 1024 jobs from row 1981 on, and from row 2756 on, counted
 * from 0 in the order of submission, after cleaning. They may overlap. A window
 * is a scenario that lends its columns from the whole one's.
 *
 * replay.restart, the time to resume from a checkpoint, by size:
 * "7s,2:30s,9:60s": 7 s for a job of one GPU, 30 s from 2 GPUs on, 60 s from 9
 * on; cpus of a job that requests no GPU. Smaller jobs than the first named
 * cost nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

/* ---- replay.restart -------------------------------------------------------------------------- */

enum { STEPS_MAX = 64 };

static int fail_restart(const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"replay.restart='%.60s' is no table of costs: write it like 7s,2:30s,9:60s (from so many GPUs or "
		"cpus on: so long), sizes ascending",
		text);
}

/* "2:30s", or "7s" of the first. */
static bool step_read(const char *text, size_t len, struct restart_step *step)
{
	const char *colon = memchr(text, ':', len);
	const char *cost = colon ? colon + 1 : text;
	step->from = 1;
	return (!colon || (colon - text <= 10 && sl_get_i64(text, (size_t)(colon - text), &step->from))) &&
	       step->from >= 1 && step->from <= INT32_MAX &&
	       sl_get_duration(cost, len - (size_t)(cost - text), &step->cost) && step->cost >= 0 &&
	       step->cost <= INT64_C(1000000) * 86400 * SL_SECOND;
}

static int restart_parse(struct scenario *scenario, const char *text, struct sl_err *err)
{
	size_t most = 1;
	for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
		most++;
	if (most > STEPS_MAX)
		return sl_fail(
			err, SL_USAGE, "replay.restart has %zu steps: give at most %d", most, STEPS_MAX);
	struct restart_step *steps = sl_alloc(scenario->arena, most, sizeof(*steps));
	if (!steps)
		return sl_fail_memory(err);
	const char *p = text;
	for (size_t i = 0; i < most; i++) {
		const size_t len = (size_t)(strchrnul(p, ',') - p);
		if (!step_read(p, len, &steps[i]) || (i && steps[i].from <= steps[i - 1].from))
			return fail_restart(text, err);
		p += len + 1;
	}
	scenario->restart = steps;
	scenario->restart_count = most;
	return SL_OK;
}

sl_time restart_cost(const struct scenario *scenario, int64_t size)
{
	sl_time cost = 0;
	for (size_t i = 0; i < scenario->restart_count && scenario->restart[i].from <= size; i++)
		cost = scenario->restart[i].cost;
	return cost;
}

/* ---- replay.windows -------------------------------------------------------------------------- */

enum { WINDOWS_MAX = 10000 };

static int fail_windows(const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"replay.windows='%.60s' is not N@i,j,...: write it like 1024@0,5000 (jobs, and where each begins)",
		text);
}

/* A whole number from 0 to max at *p, cut at `stop` or the end. */
static bool number_at(const char **p, char stop, int64_t *number)
{
	const char *end = strchrnul(*p, stop);
	const char *from = *p;
	*p = *end ? end + 1 : end;
	return end - from <= 10 && sl_get_i64(from, (size_t)(end - from), number) && *number >= 0 &&
	       *number < UINT32_MAX;
}

int windows_parse(struct scenario *scenario, const char *text, struct sl_err *err)
{
	const uint32_t count = scenario->columns->count;
	const char *p = text;
	int64_t size;
	int64_t from;
	size_t most = 1;
	for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
		most++;
	if (!strchr(text, '@') || !number_at(&p, '@', &size) || !size || !*p)
		return fail_windows(text, err);
	if (most > WINDOWS_MAX)
		return sl_fail(
			err, SL_USAGE, "replay.windows has %zu windows: give at most %d", most, WINDOWS_MAX);
	uint32_t *window = sl_alloc(scenario->arena, most, sizeof(*window));
	if (!window)
		return sl_fail_memory(err);
	for (size_t i = 0; i < most; i++) {
		if (!number_at(&p, ',', &from))
			return fail_windows(text, err);
		if (from + size > count)
			return sl_fail(err, SL_USAGE,
				"replay.windows: %lld jobs from number %lld on are more than there are: %u, counted from 0",
				(long long)size, (long long)from, count);
		window[i] = (uint32_t)from;
	}
	scenario->window = window;
	scenario->window_count = most;
	scenario->window_size = (uint32_t)size;
	return SL_OK;
}

/* From a row on, where there is a column. */
#define LENT(column, row)                  \
	do {                               \
		if (column)                \
			(column) += (row); \
	} while (0)

struct scenario scenario_window(const struct scenario *whole, size_t index)
{
	struct scenario window = *whole;
	struct sl_jobs *jobs = &window.jobs;
	const uint32_t row = whole->window[index];
	jobs->count = whole->window_size;
	jobs->place = NULL; /* Rows are written in the order of submission. */
	LENT(jobs->id, row);
	LENT(jobs->submit, row);
	LENT(jobs->run, row);
	LENT(jobs->limit, row);
	LENT(jobs->size, row);
	LENT(jobs->user, row);
	LENT(jobs->account, row);
	LENT(jobs->partition, row);
	LENT(jobs->wait_recorded, row);
	LENT(jobs->estimate, row);
	LENT(jobs->cancel, row);
	LENT(jobs->request, row);
	LENT(jobs->id_name, row);
	LENT(jobs->gang, row);
	LENT(jobs->ran, row);
	LENT(jobs->more_of, row);
	LENT(jobs->profile_of, row);
	LENT(jobs->gpu_active, row);
	window.row_first = jobs->row_first = row;
	window.window = &whole->window[index];
	window.window_count = 0;
	window.rows = jobs->count;
	return window;
}

/* ---- As given ----------------------------------------------------------------------------------- */

static int replay_set(
	struct loading *loading, int which, const char *text, const char *what, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct param_list params = { replay_params, REPLAY_COUNT, what, NULL, scenario->arena };
	return value_set(&scenario->replay[which], &params, (size_t)which, text, err);
}

static int cpus_set(struct loading *loading, const char *text, struct sl_err *err)
{
	if (sl_get_i64(text, strlen(text), &loading->cpus_set) && loading->cpus_set > 0 &&
		loading->cpus_set <= INT32_MAX)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"--set: 'cluster.cpus' must be a whole number within 1..2147483647, not '%s'", text);
}

/* With a cluster file it is the reader's to apply; kept too, for reports. */
static int cluster_setting(struct loading *loading, struct setting *setting, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const char *key = setting->key + strlen("cluster.");
	if (!loading->options->cluster) {
		setting->used = true;
		if (strcmp(key, "cpus") == 0)
			return cpus_set(loading, setting->value, err);
		return sl_fail(err, SL_USAGE,
			"--set: '%s' is of a cluster file: give one with -c CLUSTER, or cluster.cpus=N",
			setting->key);
	}
	const size_t len = strlen(key) + strlen(setting->value) + 2;
	char *text = sl_alloc(scenario->arena, len, 1);
	if (!text)
		return sl_fail_memory(err);
	(void)snprintf(text, len, "%s=%s", key, setting->value);
	scenario->cluster_setting[scenario->cluster_setting_count++] = text;
	if (strcmp(key, "objects") == 0) {
		setting->used = true;
		loading->objects = setting->value;
		return SL_OK;
	}
	loading->cluster_setting[loading->cluster_setting_count++] =
		(struct sl_cluster_setting){ key, setting->value, &setting->used };
	return SL_OK;
}

static int setting_take(struct loading *loading, struct setting *setting, struct sl_err *err)
{
	if (strncmp(setting->key, "cluster.", strlen("cluster.")) == 0)
		return cluster_setting(loading, setting, err);
	const bool full = strncmp(setting->key, "replay.", strlen("replay.")) == 0;
	const char *key = setting->key + (full ? strlen("replay.") : 0);
	for (int i = 0; i < REPLAY_COUNT; i++) {
		if (strcmp(replay_params[i].key, key) != 0)
			continue;
		if (!full && !replay_is_bare(key))
			continue;
		setting->used = true;
		return replay_set(loading, i, setting->value, "--set", err);
	}
	return SL_OK; /* The policy's, or unused: that is found out later. */
}

/* One of replay.gauges. */
static int gauge_find(struct scenario *scenario, const char *name, size_t len, struct sl_err *err)
{
	const struct sl_gauge *const *known = scenario->registry->known.gauges;
	const struct sl_gauge *gauge = sl_by_name_n(known, name, len);
	char text[64];
	char similar[128];
	(void)snprintf(text, sizeof(text), "%.*s", (int)(len < 60 ? len : 60), name);
	if (!gauge)
		return sl_fail(err, SL_USAGE,
			"replay.gauges: there is no gauge '%s': %s'schedlab list gauges' shows all", text,
			did_you_mean(similar, sl_nearest_name(text, known)));
	if (scenario->gauge_count == SL_GAUGES_MAX)
		return sl_fail(
			err, SL_USAGE, "replay.gauges names more than %d: leave some out", SL_GAUGES_MAX);
	scenario->gauge[scenario->gauge_count++] = gauge;
	return SL_OK;
}

/* A name given twice is one gauge: the engine records none twice. */
static int gauges_find(struct scenario *scenario, struct sl_err *err)
{
	const char *text = scenario->replay[REPLAY_GAUGES].text;
	int status = SL_OK;
	for (const struct sl_gauge *const *at = scenario->registry->known.gauges; !text && *at; at++)
		if (scenario->replay[REPLAY_FILL].text && (*at)->of_fills &&
			scenario->gauge_count < SL_GAUGES_MAX)
			scenario->gauge[scenario->gauge_count++] = *at;
	while (text && !status) {
		const size_t len = strcspn(text, "|");
		status = gauge_find(scenario, text, len, err);
		text = text[len] ? text + len + 1 : NULL;
	}
	return status;
}

int settings_take(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct scenario_options *options = loading->options;
	const size_t settings = options->settings ? options->settings->count : 0;
	scenario->replay = sl_alloc(scenario->arena, REPLAY_COUNT, sizeof(*scenario->replay));
	scenario->cluster_setting = sl_alloc(scenario->arena, settings + 1, sizeof(char *));
	loading->cluster_setting = sl_alloc(scenario->arena, settings + 1, sizeof(*loading->cluster_setting));
	if (!scenario->replay || !scenario->cluster_setting || !loading->cluster_setting)
		return sl_fail_memory(err);
	const struct param_list params = { replay_params, REPLAY_COUNT, "compat", NULL, scenario->arena };
	int status = values_parse(scenario->replay, &params, options->implied, err);
	for (size_t i = 0; i < settings && !status; i++)
		status = setting_take(loading, &options->settings->item[i], err);
	if (!status && options->from)
		status = replay_set(loading, REPLAY_FROM, options->from, "--from", err);
	if (!status && options->to)
		status = replay_set(loading, REPLAY_TO, options->to, "--to", err);
	if (!status && options->until)
		status = replay_set(loading, REPLAY_UNTIL, options->until, "--until", err);
	if (status)
		return status;
	status = gauges_find(scenario, err);
	if (status)
		return status;
	scenario->overrun = (enum sl_overrun)scenario->replay[REPLAY_OVERRUN].number;
	const struct sl_value *warmup = &scenario->replay[REPLAY_WARMUP];
	scenario->warmup = warmup->text ? warmup->number : SL_NONE;
	const struct sl_value *cooldown = &scenario->replay[REPLAY_COOLDOWN];
	scenario->cooldown = cooldown->text ? cooldown->number : 0;
	scenario->field_metrics = scenario->replay[REPLAY_METRICS].number;
	scenario->fair_by_policy = scenario->replay[REPLAY_FAIR_START].number;
	scenario->rules = (struct sim_rules){
		.pass_per_event = scenario->replay[REPLAY_PASSES].number,
		.submits_first = scenario->replay[REPLAY_EVENTS].number,
		.early = scenario->replay[REPLAY_EARLY].number,
	};
	const char *restart = scenario->replay[REPLAY_RESTART].text;
	return restart ? restart_parse(scenario, restart, err) : SL_OK;
}

/* ---- Agreed ---------------------------------------------------------------------------------- */

/* Settings that make no sense together, or alone. */
int settings_agree(const struct loading *loading, struct sl_err *err)
{
	const struct sl_value *replay = loading->scenario->replay;
	const bool recorded = replay[REPLAY_START].number;
	if (recorded && !replay[REPLAY_FROM].text)
		return sl_fail(err, SL_USAGE,
			"replay.start=recorded says what ran and waited at replay.from: give --from TIME too");
	if (replay[REPLAY_BEFORE].text && !recorded)
		return sl_fail(err, SL_USAGE,
			"replay.before says what is told of jobs that ended before a run that begins in mid-log: give "
			"replay.start=recorded too");
	if (replay[REPLAY_FILL].text && (recorded || replay[REPLAY_WINDOWS].text))
		return sl_fail(err, SL_USAGE,
			"replay.fill makes times of its own, on an empty machine: leave out %s",
			recorded ? "replay.start=recorded" : "replay.windows");
	if (replay[REPLAY_WINDOWS].text && (recorded || replay[REPLAY_UNTIL].text))
		return sl_fail(err, SL_USAGE,
			"replay.windows begin empty and run to their ends: leave out %s",
			recorded ? "replay.start=recorded" : "--until and replay.until");
	if (replay[REPLAY_FEEDBACK].number && replay[REPLAY_WITH].text)
		return sl_fail(err, SL_USAGE,
			"replay.feedback goes by the job numbers of one trace: leave out replay.with, or join the files first");
	const char *own = recorded                      ? "replay.start=recorded"
			  : replay[REPLAY_WINDOWS].text ? "replay.windows"
			  : replay[REPLAY_FILL].text    ? "replay.fill"
							: NULL;
	if (replay[REPLAY_FEEDBACK].number && own)
		return sl_fail(err, SL_USAGE,
			"replay.feedback follows a trace from its beginning, by what the run itself does: leave out %s",
			own);
	return SL_OK;
}
