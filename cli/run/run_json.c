/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_json.c - run.json: what a run was made of, and what is needed to repeat it.
 *
 * Same inputs and settings, same bytes: no clock, no host, no folder of this machine but the path of the
 * trace as of the line. The identity is a hash of what decides the results, so the version, the paths and the
 * requested files are not in it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/render.h"
#include "cli/run/document_run.h"
#include "cli/run/outdir.h"
#include "sim/base/hash.h"

int identity_hash(const char *text, char hex[65], struct sl_err *err)
{
	struct evp_md_ctx_st *hash = hash_new();
	hash_add(hash, text, strlen(text));
	return hash_end(hash, hex)
		       ? SL_OK
		       : sl_fail(err, SL_SYSTEM, "cannot compute a SHA-256: libcrypto refuses to");
}

const char *plain_value(char buffer[40], const struct sl_param *param, const struct sl_value *value)
{
	if (!value->text)
		return "null";
	switch (param->kind) {
	case SL_PARAM_INT:
		*sl_put_i64(buffer, value->number) = '\0';
		return buffer;
	case SL_PARAM_REAL:
	case SL_PARAM_TIME:
		*sl_put_micro(buffer, value->number) = '\0';
		return buffer;
	case SL_PARAM_BOOL:
		return value->number ? "true" : "false";
	case SL_PARAM_CHOICE:
	case SL_PARAM_PLACE:
	case SL_PARAM_POLICY:
	case SL_PARAM_TEXT:
	case SL_PARAM_CSV:
	case SL_PARAM_DOC:
		break;
	}
	return NULL;
}

/* ---- Identity ------------------------------------------------------------------------- */

/* Settings of the replay that are left out of run.json where they are not set. */
static bool is_untold(const struct sl_param *param, const struct sl_value *value)
{
	static const char *const untold[] = { "run_times", "models", "profile", "feedback", "with",
		"load_after", "cooldown", "metrics", "before", "fair_start" };
	const bool of_replay = param >= replay_params && param < replay_params + replay_param_count;
	for (size_t i = 0; of_replay && !value->text && i < SL_LEN(untold); i++)
		if (strcmp(param->key, untold[i]) == 0)
			return true;
	return false;
}

static void identity_values(FILE *file, const char *prefix, const struct sl_param *params,
	const struct sl_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char buffer[40];
		if (is_untold(&params[i], &values[i]))
			continue;
		const char *plain = plain_value(buffer, &params[i], &values[i]);
		/* The hash of the file is there. */
		if ((params[i].kind == SL_PARAM_CSV || params[i].kind == SL_PARAM_DOC) && values[i].text)
			plain = "given";
		(void)fprintf(file, "%s.%s=%s\n", prefix, params[i].key, plain ? plain : values[i].text);
	}
}

static void identity_policy(FILE *file, const struct policy_choice *choice)
{
	(void)fprintf(file, "policy=%s\n", choice->policy->name);
	identity_values(file, "policy", choice->policy->params, choice->values, choice->value_count);
	for (size_t i = 0; i < choice->file_count; i++)
		(void)fprintf(file, "file=%s\n", choice->file[i].sha256);
}

static void identity_put(FILE *file, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	(void)fprintf(file, "input=%s\n", scenario->input.sha256);
	if (scenario->cluster_input.path)
		(void)fprintf(file, "cluster=%s\n", scenario->cluster_input.sha256);
	for (size_t i = 0; i < scenario->cluster_setting_count; i++)
		(void)fprintf(file, "cluster.%s\n", scenario->cluster_setting[i]);
	for (size_t i = 0; i < scenario->side_count; i++)
		(void)fprintf(file, "input=%s\n", scenario->side[i].sha256);
	if (scenario->window && !scenario->window_count)
		(void)fprintf(file, "window=%" PRIu32 "\n", *scenario->window);
	(void)fprintf(file, "jobs=%" PRIu32 "\ncpus=%" PRId64 "\nepoch=%" PRId64 "\nutc_offset=%" PRId64 "\n",
		scenario->jobs.count, scenario->cpus, scenario->epoch, scenario->utc_offset);
	identity_values(file, "replay", replay_params, scenario->replay, replay_param_count);
	for (size_t i = 0; i < scenario->model_count; i++) {
		const struct model_choice *on = &scenario->model[i];
		(void)fprintf(file, "model=%s\n", on->model->name);
		identity_values(file, on->model->name, on->model->params, on->values, on->value_count);
	}
	for (size_t i = 0; i < scenario->registry->plugin_count; i++)
		(void)fprintf(file, "plugin=%s\n", scenario->registry->plugin[i].sha256);
	identity_policy(file, &run->choice);
	(void)fprintf(file, "seed=%" PRIu64 "\n", run->options.seed);
	for (size_t i = 0; i < run->options.history_count; i++) {
		const struct sim_interval *history = &run->options.history[i];
		(void)fprintf(file, "until=%" PRId64 "\n", history->until);
		identity_policy(file, history->choice);
	}
}

char *run_identity(const struct run *run, struct sl_arena *arena)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	if (!file)
		return NULL;
	identity_put(file, run);
	const bool whole = fclose(file) == 0;
	char *copy = whole ? sl_strdup(arena, text, len) : NULL;
	free(text);
	return copy;
}

/* ---- run.json -------------------------------------------------------------------------- */

static void put_input(struct json *json, const char *of, const char *path, const char *format,
	const char *sha256, uint64_t bytes)
{
	json_object(json, NULL, datum_given("of", of), datum_text("path", path), datum_text("format", format),
		datum_text("sha256", sha256), datum_count("bytes", bytes));
}

static void put_scenario_input(struct json *json, const struct scenario_input *input)
{
	put_input(json, NULL, input->path, input->format, input->sha256, input->bytes);
}

/* Those that a policy's parameters name, and those of a policy that is a script: "of": "policy". */
static void put_policy_files(struct json *json, const struct sim_interval *interval, size_t i)
{
	for (size_t j = 0; j < interval[i].choice->file_count; j++) {
		const struct policy_file *file = &interval[i].choice->file[j];
		if (!policy_file_reported(interval, i, j))
			put_input(json, "policy", file->path, file->format, file->sha256, file->bytes);
	}
}

/* Of the policies before, then the run's own, in one list. */
static struct sim_interval *intervals_of(const struct run *run, struct sl_arena *arena)
{
	const size_t count = run->options.history_count;
	struct sim_interval *interval = sl_alloc(arena, count + 1, sizeof(*interval));
	if (interval && count)
		memcpy(interval, run->options.history, count * sizeof(*interval));
	if (interval)
		interval[count].choice = &run->choice;
	return interval;
}

static void put_values(struct json *json, const char *name, const struct sl_param *params,
	const struct sl_value *values, size_t count)
{
	json_nest(json, name, '{', &json_one_line);
	for (size_t i = 0; i < count; i++) {
		char buffer[40];
		if (is_untold(&params[i], &values[i]))
			continue;
		const char *plain = plain_value(buffer, &params[i], &values[i]);
		json_put(json, plain ? datum_plain(params[i].key, plain)
				     : datum_text(params[i].key, values[i].text));
	}
	json_close(json);
}

static void put_anomalies(struct json *json, const char *name, const struct scenario *scenario, bool dropped)
{
	json_nest(json, name, '[', &json_lines_4);
	for (size_t i = 0; i < scenario->anomaly_count; i++) {
		const struct anomaly *anomaly = &scenario->anomaly[i];
		if (anomaly->dropped != dropped)
			continue;
		json_object(json, NULL, datum_text("cause", anomaly->cause),
			datum_count("count", anomaly->count), datum_count("line", anomaly->line));
	}
	json_close(json);
}

/* The rules that the numbers depend on and that a name of a policy does not say. */
static void put_rules(struct json *json, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	static const char *const order[] = {
		"job ends, time limits, submissions, cancellations, timers",
		"submissions, job ends, time limits, cancellations, timers",
	};
	const struct sim_rules *rules = &scenario->rules;
	char instant[300];
	(void)snprintf(instant, sizeof(instant), "%s%s; %s%s",
		rules->submits_first || rules->pass_per_event ? "expired estimates, " : "",
		order[rules->submits_first],
		rules->pass_per_event ? "a pass after each but expired estimates" : "then one pass",
		rules->early ? "; ends in the order of the starts, what ends as estimated is free at once"
			     : "");
	json_nest(json, "rules", '{', &json_lines_4);
	json_put(json, datum_text("passes", rules->pass_per_event ? "event" : "instant"),
		datum_text("overrun", overrun_names[scenario->overrun]), datum_text("instant", instant),
		datum_text("ties", "submission, then place in the file"),
		datum_given("node_ties", ties_reported(run)),
		datum_text("bounded_slowdown", "max(1, (wait + run) / max(run, 10 s))"),
		datum_text("quantiles", "nearest rank"));
	json_close(json);
}

/* A run without any says nothing of them. */
static void put_plugins(struct json *json, const struct registry *registry)
{
	if (!registry->plugin_count)
		return;
	json_nest(json, "plugins", '[', &json_lines_4);
	for (size_t i = 0; i < registry->plugin_count; i++) {
		const struct plugin *plugin = &registry->plugin[i];
		json_object(json, NULL, datum_text("path", plugin->path), datum_text("name", plugin->is.name),
			datum_text("sha256", plugin->sha256));
	}
	json_close(json);
}

static void put_policy(struct json *json, const struct policy_choice *choice)
{
	json_put(json, datum_text("text", choice->text), datum_text("name", choice->policy->name));
	put_values(json, "values", choice->policy->params, choice->values, choice->value_count);
	json_close(json);
}

/* The snapshot that it goes on from: the policies before, each until when, and the digest then. */
static void put_history(struct json *json, const struct sim_options *options)
{
	if (!options->history_count)
		return;
	json_nest(json, "past", '[', &json_lines_4);
	for (size_t i = 0; i < options->history_count; i++) {
		const struct sim_interval *history = &options->history[i];
		json_nest(json, NULL, '{', &json_one_line);
		json_put(json, datum_micro("until", history->until), datum_count("events", history->events),
			datum_digest("digest", history->digest));
		put_policy(json, history->choice);
	}
	json_close(json);
}

/* On a counted pool its cpus are all there is. */
static void run_json_put_cluster(struct json *json, const struct scenario *scenario)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	json_nest(json, "cluster", '{', &json_one_line);
	json_put(json, datum_plain("cpus", amount_of(scenario->cpus, cluster->cpu_parts).text),
		datum_text("from", scenario->cpus_from), datum_given("name", cluster->name));
	if (cluster->node_count)
		json_put(json, datum_count("nodes", cluster->node_count),
			datum_plain("gpus", amount_of(cluster->gpus, cluster->gpu_parts).text),
			datum_whole("memory_mib", cluster->mem ? cluster->mem : SL_NONE));
	if (scenario->cluster_setting_count)
		json_texts(json, "settings", (const char *const *)scenario->cluster_setting,
			scenario->cluster_setting_count);
	json_close(json);
}

/* Those that are on, with their set and default parameters. */
static void put_models(struct json *json, const struct scenario *scenario)
{
	if (!scenario->model_count)
		return;
	json_nest(json, "models", '{', &json_lines_4);
	for (size_t i = 0; i < scenario->model_count; i++) {
		const struct model_choice *on = &scenario->model[i];
		put_values(json, on->model->name, on->model->params, on->values, on->value_count);
	}
	json_close(json);
}

static void run_json_put_state(struct json *json, const struct run *run, const struct sim_interval *interval)
{
	const struct scenario *scenario = run->scenario;
	json_nest(json, "inputs", '[', &json_lines_4);
	put_scenario_input(json, &scenario->input);
	if (scenario->cluster_input.path)
		put_scenario_input(json, &scenario->cluster_input);
	for (size_t i = 0; i < scenario->side_count; i++)
		put_scenario_input(json, &scenario->side[i]);
	for (size_t i = 0; i <= run->options.history_count; i++)
		put_policy_files(json, interval, i);
	json_close(json);
	run_json_put_cluster(json, scenario);
	json_nest(json, "policy", '{', &json_one_line);
	put_policy(json, &run->choice);
	put_history(json, &run->options);
	put_plugins(json, scenario->registry);
	put_values(json, "replay", replay_params, scenario->replay, replay_param_count);
	put_models(json, scenario);
	/* What repeats a run beside the above: a view of it reads them. */
	json_put(json, datum_count("seed", run->options.seed), datum_given("tz", scenario->tz),
		datum_if(scenario->jobs_max, datum_count("jobs_max", scenario->jobs_max)),
		datum_whole("epoch", scenario->epoch), datum_whole("utc_offset", scenario->utc_offset));
	put_rules(json, run);
	json_object(json, "jobs", datum_count("rows", scenario->rows),
		datum_count("replayed", scenario->jobs.count));
	const struct limits_reported limits = limits_ran(run);
	json_object(json, "limits", datum_count("exceeded", limits.over),
		datum_count("made_longer", limits.longer), datum_count("in_trace", scenario->limits_over),
		datum_count("none", scenario->limits_none));
	if (scenario->filled) { /* replay.fill: whom it left out, drew once more; what they request of GPUs in
				   all. */
		const int64_t part = INT64_C(1000000) / sl_parts(scenario->cluster.gpu_parts);
		json_object(json, "fill", datum_count("drawn_again", scenario->fill_drawn),
			datum_count("left_out", scenario->fill_removed),
			datum_micro("gpus_asked", scenario->fill_asked * part));
	}
	put_anomalies(json, "repairs", scenario, false);
	put_anomalies(json, "drops", scenario, true);
	if (scenario->ignored_count)
		json_texts(json, "ignored", (const char *const *)scenario->ignored, scenario->ignored_count);
}

static void run_json_put_series(struct json *json, const struct sl_result *result)
{
	json_put(json, datum_count("events", result->events), datum_count("passes", result->passes),
		datum_digest("digest", result->digest));
	json_nest(json, "digests", '[', &json_tight);
	for (size_t i = 0; i < result->digest_count; i++)
		json_put(json, datum_digest(NULL, result->digests[i]));
	json_close(json);
	json_put(json, datum_if(result->interrupted, datum_flag("partial", true)),
		datum_if(result->unfit, datum_count("unfit", result->unfit)), /* At the beginning. */
		datum_if(result->stopped, datum_micro("stopped", result->last)));
}

static void put_files(struct json *json, const char *only, const struct run *run, bool windows)
{
	const struct sl_report *const *report = run->scenario->registry->known.reports;
	const struct sl_result *result = &run->sim.result;
	json_nest(json, "files", '[', &json_tight);
	for (; *report && !windows; report++)
		if (outdir_wants_report(only, *report, result))
			json_put(json, datum_text(NULL, (*report)->name));
	for (size_t i = 0; i < result->reported_table_count && !windows; i++) {
		char name[256];
		(void)snprintf(name, sizeof(name), "%.200s.csv", result->reported_table[i].name);
		if (outdir_wants_table(only, &result->reported_table[i]))
			json_put(json, datum_text(NULL, name));
	}
	if (outdir_wants(only, METRICS_FILE))
		json_put(json, datum_text(NULL, METRICS_FILE),
			datum_given(NULL, windows ? WINDOWS_FILE : NULL));
	if (run->scenario->bounded && outdir_wants(only, SNAPSHOT_FILE))
		json_put(json, datum_text(NULL, SNAPSHOT_FILE));
	json_close(json);
}

/* What run.json says of the metrics: the warm-up that utilization.steady used, and which resource is the
 * scarcest. */
struct about_metrics {
	int64_t warmup;
	const char *scarcest;
};

/* metrics: what is known of them; NULL: they are computed. */
static int about_metrics(const struct sl_metrics *metrics, const struct run *run, struct sl_arena *arena,
	struct about_metrics *about, struct sl_err *err)
{
	struct sl_metrics own;
	int status;
	const int64_t *found = metrics ? metrics_get(metrics, "warmup") : NULL;
	if (found) {
		*about = (struct about_metrics){ *found, resource_scarcest(metrics) };
		return SL_OK;
	}
	const struct sl_metric *use = sl_by_name(run->scenario->registry->known.metrics, "utilization");
	metrics_init(&own, arena, NULL);
	status = use->compute(&run->sim.result, &own, err);
	found = metrics_get(&own, "warmup");
	if (!status && !found)
		status = sl_fail_memory(err);
	else if (!status)
		*about = (struct about_metrics){ *found, resource_scarcest(&own) };
	metrics_release(&own);
	return status;
}

int run_json(struct sl_out *out, const struct run *run, const struct windows *windows,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err)
{
	struct about_metrics about = { 0 };
	char identity[65];
	struct sl_arena *arena = sl_arena_new();
	const char *text = arena ? run_identity(run, arena) : NULL;
	int status = text ? identity_hash(text, identity, err) : sl_fail_memory(err);
	if (!status)
		status = about_metrics(metrics, run, arena, &about, err);
	const struct sim_interval *interval = status ? NULL : intervals_of(run, arena);
	if (!status && !interval)
		status = sl_fail_memory(err);
	if (status) {
		sl_arena_free(arena);
		return status;
	}
	struct json json;
	json_start_in(&json, out, &json_lines_2);
	json_put(&json, datum_text("schedlab", SL_VERSION), datum_text("schema", "schedlab.run/1"),
		datum_text("identity", identity));
	put_files(&json, only, run, windows != NULL);
	if (windows)
		windows_json(windows, &json);
	run_json_put_state(&json, run, interval);
	sl_arena_free(arena);
	json_put(&json, datum_micro("warmup", about.warmup),
		datum_text("utilization_resource", about.scarcest));
	run_json_put_series(&json, &run->sim.result);
	json_close(&json);
	sl_out_text(out, "\n");
	return SL_OK;
}

/* ---- metrics.json: numbers plain ------------------------------------------------------- */

void metrics_json(struct sl_out *out, const struct sl_metrics *metrics)
{
	static const struct json_form lines = { "\n", ",\n", "\n", true };
	struct json json;
	json_start_in(&json, out, &lines);
	for (size_t i = 0; i < metrics->count; i++)
		json_put(&json, datum_micro(metrics->row[i].name, metrics->row[i].micro));
	json_close(&json);
	sl_out_text(out, "\n");
}
