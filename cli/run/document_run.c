/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * document_run.c - a run as documents see it: what it was made from, what is to be known of it, its metrics.
 *
 * The facts are those of run.json, as texts; the warnings are what stderr said when it ran, as sentences.
 */
#include "cli/run/document_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/outdir.h"

/* ---- Facts ------------------------------------------------------------------------------------------- */

struct facts {
	struct sl_fact *fact;
	size_t count, capacity;
	const char **warning;
	size_t warning_count, warning_capacity;
	struct sl_arena *arena;
	bool failed;
};

/* As printf; NULL: no memory, noted. */
SL_PRINTF(2, 0)
static const char *document_run_said(struct facts *facts, const char *format, va_list args)
{
	const char *text = text_vmade(facts->arena, format, args);
	facts->failed = facts->failed || !text;
	return text;
}

static void fact(struct facts *facts, const char *key, const char *format, ...) SL_PRINTF(3, 4);
static void fact(struct facts *facts, const char *key, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *value = document_run_said(facts, format, args);
	va_end(args);
	const char *name = sl_strdup(facts->arena, key, strlen(key));
	SL_CHECK(facts->count < facts->capacity);
	if (value && name)
		facts->fact[facts->count++] = (struct sl_fact){ name, value };
	facts->failed = facts->failed || !name;
}

static void warn(struct facts *facts, const char *format, ...) SL_PRINTF(2, 3);
static void warn(struct facts *facts, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = document_run_said(facts, format, args);
	va_end(args);
	SL_CHECK(facts->warning_count < facts->warning_capacity);
	if (text)
		facts->warning[facts->warning_count++] = text;
}

static void fact_values(struct facts *facts, const char *prefix, const struct sl_param *params,
	const struct sl_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char buffer[40];
		char key[120];
		const char *plain = plain_value(buffer, &params[i], &values[i]);
		if (!values[i].text)
			continue;
		(void)snprintf(key, sizeof(key), "%s.%s", prefix, params[i].key);
		fact(facts, key, "%s", plain ? plain : values[i].text);
	}
}

static void fact_input(struct facts *facts, const char *key, const struct scenario_input *input)
{
	char name[80];
	fact(facts, key, "%s", input->path);
	(void)snprintf(name, sizeof(name), "%s_format", key);
	fact(facts, name, "%s", input->format);
	(void)snprintf(name, sizeof(name), "%s_sha256", key);
	fact(facts, name, "%s", input->sha256);
}

static void fact_state(struct facts *facts, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	char machine[200];
	fact(facts, "version", "%s", SL_VERSION);
	fact_input(facts, "trace", &scenario->input);
	if (scenario->cluster_input.path)
		fact_input(facts, "cluster", &scenario->cluster_input);
	else
		fact(facts, "cluster", "%s", scenario->cpus_from);
	if (scenario->cluster.name)
		fact(facts, "cluster_name", "%s", scenario->cluster.name);
	fact(facts, "machine", "%s", machine_text(machine, sizeof(machine), scenario));
	for (size_t i = 0; i < scenario->cluster_setting_count; i++)
		fact(facts, "cluster_setting", "%s", scenario->cluster_setting[i]);
	for (size_t i = 0; i < scenario->side_count; i++)
		fact_input(facts, "input", &scenario->side[i]);
	for (size_t i = 0; i < scenario->registry->plugin_count; i++) {
		fact(facts, "plugin", "%s", scenario->registry->plugin[i].path);
		fact(facts, "plugin_sha256", "%s", scenario->registry->plugin[i].sha256);
	}
}

static void fact_run(struct facts *facts, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	const struct sl_result *result = &run->sim.result;
	const char *ties = ties_reported(run);
	fact(facts, "policy", "%s", run->choice.text);
	fact(facts, "policy_name", "%s", run->choice.policy->name);
	fact(facts, "policy_summary", "%s", run->choice.policy->summary ? run->choice.policy->summary : "");
	if (run->choice.policy->paper)
		fact(facts, "policy_paper", "%s", run->choice.policy->paper);
	for (size_t i = 0; i < run->options.history_count; i++)
		fact(facts, "policy_before", "%s, until %.6f s", run->options.history[i].choice->text,
			(double)run->options.history[i].until / 1e6);
	fact(facts, "seed", "%" PRIu64, run->options.seed);
	fact(facts, "digest", "%016" PRIx64, result->digest);
	fact(facts, "events", "%" PRIu64, result->events);
	fact(facts, "passes", "%" PRIu64, result->passes);
	fact(facts, "jobs", "%" PRIu32, scenario->jobs.count);
	fact(facts, "rows", "%" PRIu64, scenario->rows);
	const struct limits_reported limits = limits_ran(run);
	char reported[400];
	limits_text(&limits, reported, sizeof(reported));
	fact(facts, "limits", "%s", reported);
	if (ties)
		fact(facts, "node_ties", "%s", ties);
	fact(facts, "ties", "submission, then place in the file");
	if (scenario->tz)
		fact(facts, "tz", "%s", scenario->tz);
	if (scenario->jobs_max)
		fact(facts, "jobs_max", "%" PRIu64, scenario->jobs_max);
	fact_values(facts, "policy", run->choice.policy->params, run->choice.values, run->choice.value_count);
	fact_values(facts, "replay", replay_params, scenario->replay, replay_param_count);
	for (size_t i = 0; i < scenario->model_count; i++) {
		const struct model_choice *on = &scenario->model[i];
		fact(facts, "model", "%s", on->model->name);
		fact_values(facts, on->model->name, on->model->params, on->values, on->value_count);
	}
}

static size_t model_facts(const struct scenario *scenario)
{
	size_t count = scenario->model_count;
	for (size_t i = 0; i < scenario->model_count; i++)
		count += scenario->model[i].value_count;
	return count;
}

/* ---- Warnings -------------------------------------------------------------------------------------------
 */

static void warn_inputs(struct facts *facts, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	const char *note;
	uint64_t keys[SL_COVERAGE_COUNT] = { 0 };
	for (size_t i = 0; i < scenario->anomaly_count; i++) {
		const struct anomaly *anomaly = &scenario->anomaly[i];
		if (anomaly->count)
			warn(facts,
				"%" PRIu64 " row%s of the trace %s %s: %s (the first in line %" PRIu64 ").",
				anomaly->count, anomaly->count == 1 ? "" : "s",
				anomaly->count == 1 ? "was" : "were",
				anomaly->dropped ? "dropped" : "repaired", anomaly->cause, anomaly->line);
	}
	const struct limits_reported limits = limits_ran(run);
	char reported[400];
	limits_text(&limits, reported, sizeof(reported));
	if (limits.over || limits.none)
		warn(facts, "%c%s.", reported[0] == 'n' ? 'N' : reported[0], reported + 1);
	for (size_t i = 0; i < scenario->ignored_count; i++)
		warn(facts, "The trace has what nothing here models, and it is not used: %s.",
			scenario->ignored[i]);
	for (uint32_t i = 0; i < scenario->cluster.setting_count; i++)
		keys[coverage_under(&scenario->cluster.setting[i], &run->choice, &note)]++;
	if (keys[SL_APPROXIMATED] || keys[SL_IGNORED] || keys[SL_UNKNOWN_KEY])
		warn(facts,
			"Of the cluster's files this policy follows %" PRIu64 " settings, %" PRIu64
			" approximated, %" PRIu64 " ignored, %" PRIu64
			" unknown: schedlab inspect -p names them.",
			keys[SL_MODELLED], keys[SL_APPROXIMATED], keys[SL_IGNORED], keys[SL_UNKNOWN_KEY]);
}

static void warn_series(struct facts *facts, const struct run *run)
{
	const struct sl_result *result = &run->sim.result;
	uint32_t left = 0;
	char id[32];
	char why[LEFT_WORDS];
	for (uint32_t row = 0; row < result->jobs->count; row++)
		left += result->state[row] == SL_PENDING || result->state[row] == SL_SUSPENDED;
	if (result->interrupted)
		warn(facts, "The run was interrupted: what is told is of its beginning.");
	if (result->stopped)
		warn(facts, "The run was stopped on request (--until): jobs wait or run at its end.");
	if (left && !result->stopped && !result->interrupted)
		warn(facts, "%" PRIu32 " job%s never ended: %s.", left, left == 1 ? "" : "s",
			left_words(why, result, left));
	if (result->unfit)
		warn(facts, "%" PRIu32 " job%s ran at the beginning, by the log, and did not fit: %s waited.",
			result->unfit, result->unfit == 1 ? "" : "s", result->unfit == 1 ? "it" : "they");
	for (uint32_t i = 0; i < result->warning_count; i++)
		warn(facts, "%s.", result->warning[i]);
	if (!result->refused)
		return;
	const char *const *name = result->jobs->id_name;
	*sl_put_i64(id, result->jobs->id[result->refused_first]) = '\0';
	warn(facts, "%" PRIu32 " job%s refused at submission, job %s first: %s.", result->refused,
		result->refused == 1 ? " was" : "s were",
		name && name[result->refused_first] ? name[result->refused_first] : id, result->refused_why);
}

/* ---- All -------------------------------------------------------------------------------------------------
 */

static int document_run_take_metrics(struct sl_document_run *reported, const struct sl_metrics *metrics,
	struct sl_arena *arena, struct sl_err *err)
{
	struct sl_named *named = sl_alloc(arena, metrics->count + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	for (size_t i = 0; i < metrics->count; i++)
		named[i] = (struct sl_named){ metrics->row[i].name, metrics->row[i].micro };
	reported->metric = named;
	reported->metric_count = metrics->count;
	return SL_OK;
}

/* NOLINTNEXTLINE(readability-function-size): what it is made of. */
int reporting_make(struct sl_document_run *reported, const struct run *run, const struct sl_metrics *metrics,
	const char *label, const char *folder, struct sl_arena *arena, struct sl_err *err)
{
	enum { FIXED = 40, WARNINGS = 8 };
	const struct scenario *scenario = run->scenario;
	struct facts facts = { .arena = arena,
		.capacity = FIXED + scenario->cluster_setting_count + 3 * scenario->side_count +
			    2 * scenario->registry->plugin_count + run->options.history_count +
			    run->choice.value_count + replay_param_count + model_facts(scenario),
		.warning_capacity = WARNINGS + scenario->anomaly_count + scenario->ignored_count };
	facts.fact = sl_alloc(arena, facts.capacity, sizeof(*facts.fact));
	facts.warning = sl_alloc(arena, facts.warning_capacity, sizeof(*facts.warning));
	if (!facts.fact || !facts.warning)
		return sl_fail_memory(err);
	fact_state(&facts, run);
	fact_run(&facts, run);
	warn_inputs(&facts, run);
	warn_series(&facts, run);
	if (facts.failed)
		return sl_fail_memory(err);
	*reported = (struct sl_document_run){ .label = label,
		.folder = folder,
		.result = &run->sim.result,
		.fact = facts.fact,
		.fact_count = facts.count,
		.warning = facts.warning,
		.warning_count = facts.warning_count,
		.partial = run->sim.result.interrupted || run->sim.result.stopped };
	return document_run_take_metrics(reported, metrics, arena, err);
}

const char *reporting_label(const struct run *run, const char *cluster, struct sl_arena *arena)
{
	enum { CAPACITY = 32 };
	const char *ties = ties_reported(run);
	const char *given = strstr(run->choice.text, "ties=");
	if (ties && given && strncmp(given + strlen("ties="), ties, strlen(ties)) == 0)
		ties = NULL; /* The label says so already. */
	return text_made(arena, "%s%s%s%s%s", run->choice.text, ties ? ", ties by " : "", ties ? ties : "",
		cluster ? " on " : "", cluster ? cluster : "");
}

const char *reporting_title(const char *trace, const char *const *label, size_t count, struct sl_arena *arena)
{
	enum { NAMED = 4 };
	const char *slash = trace ? strrchr(trace, '/') : NULL;
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		return NULL;
	if (trace)
		(void)fprintf(file, "%s: ", slash && slash[1] ? slash + 1 : trace);
	for (size_t i = 0; i < count && i < NAMED; i++)
		(void)fprintf(file, "%s%s", i ? ", " : "", label[i]);
	if (count > NAMED)
		(void)fprintf(file, " and %zu more", count - NAMED);
	const bool whole = fclose(file) == 0;
	const char *kept = whole ? sl_strdup(arena, text, length) : NULL;
	free(text);
	return kept;
}

const struct sl_metric_info *reporting_metric_info(size_t *count)
{
	static const struct sl_metric_info metric_info[] = {
		{ "wait.mean", "mean wait", "from submission to first start, mean over jobs", "s", -1 },
		{ "wait.p50", "median wait", "half of the jobs waited no longer", "s", -1 },
		{ "wait.p95", "p95 wait", "19 of 20 jobs waited no longer", "s", -1 },
		{ "wait.p99", "p99 wait", "99 of 100 jobs waited no longer", "s", -1 },
		{ "bounded_slowdown.mean", "bounded slowdown",
			"(wait + run) / run, runs below 10 s taken as 10 s, mean over jobs", "number", -1 },
		{ "bounded_slowdown.p95", "p95 slowdown", "19 of 20 jobs were slowed down no more", "number",
			-1 },
		{ "turnaround.mean", "turnaround", "from submission to end, mean over jobs", "s", -1 },
		{ "utilization", "utilization", "of the scarcest resource, from first submission to last end",
			"share", 1 },
		{ "utilization.steady", "steady utilization", "after the warm-up, until the last submission",
			"share", 1 },
		{ "loss_of_capacity", "lost capacity",
			"of the scarcest resource, idle while some waiting job would have fitted into it",
			"share", -1 },
		{ "queue.mean", "queue", "waiting jobs, mean over time", "number", -1 },
		{ "preemptions", "preemptions", "jobs that had to make room, each time", "count", -1 },
		{ "throughput", "throughput", "jobs an hour", "per hour", 1 },
		{ "makespan", "makespan", "from first submission to last end", "s", -1 },
		{ "jobs.completed", "completed", "jobs that ran to their end", "count", 1 },
	};
	*count = SL_LEN(metric_info);
	return metric_info;
}
