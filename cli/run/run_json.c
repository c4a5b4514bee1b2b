/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_json.c - run.json: what a run was made of, and what it takes to repeat it.
 *
 * Same inputs and settings, same bytes: no clock, no host, no folder of this machine but the path of the
 * trace as it was given. The identity is a hash of what decides the results, so the version, the paths and
 * the files that were asked for are not in it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "cli/run/outdir.h"
#include "cli/run/telling.h"

int identity_hash(const char *text, char hex[65], struct sl_err *err)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char hash[32];
	if (EVP_Digest(text, strlen(text), hash, NULL, EVP_sha256(), NULL) != 1)
		return sl_fail(err, SL_SYSTEM, "cannot compute a SHA-256: libcrypto refuses to");
	for (size_t i = 0; i < sizeof(hash); i++) {
		hex[2 * i] = digit[hash[i] >> 4];
		hex[2 * i + 1] = digit[hash[i] & 15];
	}
	hex[64] = '\0';
	return SL_OK;
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
	case SL_PARAM_TEXT:
	case SL_PARAM_SHEET:
	case SL_PARAM_DOC:
		break;
	}
	return NULL;
}

/* ---- Identity ------------------------------------------------------------------------- */

/* Settings of the replay that a run without them does not tell of. */
static bool is_untold(const struct sl_param *param, const struct sl_value *value)
{
	static const char *const untold[] = { "models", "profile", "feedback", "with", "load_after" };
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
		if ((params[i].kind == SL_PARAM_SHEET || params[i].kind == SL_PARAM_DOC) && values[i].text)
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
	for (size_t i = 0; i < run->options.past_count; i++) {
		const struct sim_stretch *past = &run->options.past[i];
		(void)fprintf(file, "until=%" PRId64 "\n", past->until);
		identity_policy(file, past->choice);
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

/* `  "key": `, for a text or number that follows; after the first, behind a comma. */
static void put_key(struct sl_out *out, const char *key) { sl_out_printf(out, ",\n  \"%s\": ", key); }

static void put_micro(struct sl_out *out, int64_t micro)
{
	sl_out_advance(out, sl_put_micro(sl_out_room(out, 32), micro));
}

static void put_input(struct sl_out *out, const struct scenario_input *input, bool first)
{
	sl_out_text(out, first ? "\n    { \"path\": " : ",\n    { \"path\": ");
	sl_out_json(out, input->path);
	sl_out_text(out, ", \"format\": ");
	sl_out_json(out, input->format);
	sl_out_printf(out, ", \"sha256\": \"%s\", \"bytes\": %" PRIu64 " }", input->sha256, input->bytes);
}

/* Those that a policy's parameters name, and those of a policy that is a script: "of": "policy". */
static void put_policy_files(struct sl_out *out, const struct sim_stretch *stretch, size_t i)
{
	for (size_t j = 0; j < stretch[i].choice->file_count; j++) {
		const struct policy_file *file = &stretch[i].choice->file[j];
		if (policy_file_told(stretch, i, j))
			continue;
		sl_out_text(out, ",\n    { \"of\": \"policy\", \"path\": ");
		sl_out_json(out, file->path);
		sl_out_printf(out, ", \"format\": \"%s\", \"sha256\": \"%s\", \"bytes\": %" PRIu64 " }",
			file->format, file->sha256, file->bytes);
	}
}

/* Of the policies before, then the run's own, in one list. */
static struct sim_stretch *stretches_of(const struct run *run, struct sl_arena *arena)
{
	const size_t count = run->options.past_count;
	struct sim_stretch *stretch = sl_alloc(arena, count + 1, sizeof(*stretch));
	if (stretch && count)
		memcpy(stretch, run->options.past, count * sizeof(*stretch));
	if (stretch)
		stretch[count].choice = &run->choice;
	return stretch;
}

static void put_values(
	struct sl_out *out, const struct sl_param *params, const struct sl_value *values, size_t count)
{
	sl_out_text(out, "{");
	for (size_t i = 0; i < count; i++) {
		char buffer[40];
		if (is_untold(&params[i], &values[i]))
			continue;
		const char *plain = plain_value(buffer, &params[i], &values[i]);
		sl_out_text(out, i ? ", " : " ");
		sl_out_json(out, params[i].key);
		sl_out_text(out, ": ");
		if (plain)
			sl_out_text(out, plain);
		else
			sl_out_json(out, values[i].text);
	}
	sl_out_text(out, count ? " }" : "}");
}

static void put_oddities(struct sl_out *out, const struct scenario *scenario, bool dropped)
{
	const char *before = "";
	sl_out_text(out, "[");
	for (size_t i = 0; i < scenario->oddity_count; i++) {
		const struct oddity *oddity = &scenario->oddity[i];
		if (oddity->dropped != dropped)
			continue;
		sl_out_printf(out, "%s\n    { \"cause\": ", before);
		sl_out_json(out, oddity->cause);
		sl_out_printf(out, ", \"count\": %" PRIu64 ", \"line\": %" PRIu64 " }", oddity->count,
			oddity->line);
		before = ",";
	}
	sl_out_text(out, *before ? "\n  ]" : "]");
}

/* The rules that the numbers depend on and that a name of a policy does not say. */
static void put_rules(struct sl_out *out, const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	const char *ties = ties_told(run);
	static const char *const order[] = {
		"job ends, time limits, submissions, cancellations, timers",
		"submissions, job ends, time limits, cancellations, timers",
	};
	const struct sim_rules *rules = &scenario->rules;
	sl_out_printf(out,
		"{\n"
		"    \"passes\": \"%s\",\n"
		"    \"overrun\": \"%s\",\n"
		"    \"instant\": \"%s%s; %s%s\",\n"
		"    \"ties\": \"submission, then place in the file\",\n"
		"%s%s%s"
		"    \"bounded_slowdown\": \"max(1, (wait + run) / max(run, 10 s))\",\n"
		"    \"quantiles\": \"nearest rank\"\n"
		"  }",
		rules->pass_per_event ? "event" : "instant", overrun_names[scenario->overrun],
		rules->submits_first || rules->pass_per_event ? "expired estimates, " : "",
		order[rules->submits_first],
		rules->pass_per_event ? "a pass after each but expired estimates" : "then one pass",
		rules->early ? "; ends in the order of the starts, what ends as estimated is free at once"
			     : "",
		ties ? "    \"node_ties\": \"" : "", ties ? ties : "", ties ? "\",\n" : "");
}

/* A run without any says nothing of them. */
static void put_plugins(struct sl_out *out, const struct registry *registry)
{
	if (!registry->plugin_count)
		return;
	put_key(out, "plugins");
	for (size_t i = 0; i < registry->plugin_count; i++) {
		const struct plugin *plugin = &registry->plugin[i];
		sl_out_text(out, i ? ",\n    { \"path\": " : "[\n    { \"path\": ");
		sl_out_json(out, plugin->path);
		sl_out_text(out, ", \"name\": ");
		sl_out_json(out, plugin->is.name);
		sl_out_printf(out, ", \"sha256\": \"%s\" }", plugin->sha256);
	}
	sl_out_text(out, "\n  ]");
}

static void put_policy(struct sl_out *out, const struct policy_choice *choice)
{
	sl_out_text(out, "\"text\": ");
	sl_out_json(out, choice->text);
	sl_out_text(out, ", \"name\": ");
	sl_out_json(out, choice->policy->name);
	sl_out_text(out, ", \"values\": ");
	put_values(out, choice->policy->params, choice->values, choice->value_count);
}

/* The snapshot that it goes on from: the policies before, each until when, and the digest then. */
static void put_past(struct sl_out *out, const struct sim_options *options)
{
	if (!options->past_count)
		return;
	put_key(out, "past");
	sl_out_text(out, "[");
	for (size_t i = 0; i < options->past_count; i++) {
		const struct sim_stretch *past = &options->past[i];
		sl_out_text(out, i ? ",\n    { \"until\": " : "\n    { \"until\": ");
		put_micro(out, past->until);
		sl_out_printf(out, ", \"events\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\", ",
			past->events, past->digest);
		put_policy(out, past->choice);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "\n  ]");
}

/* On a counted pool its cpus are all there is. */
static void put_cluster(struct sl_out *out, const struct scenario *scenario)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	sl_out_printf(out, "{ \"cpus\": %s, \"from\": ", amount_of(scenario->cpus, cluster->cpu_parts).text);
	sl_out_json(out, scenario->cpus_from);
	if (cluster->name) {
		sl_out_text(out, ", \"name\": ");
		sl_out_json(out, cluster->name);
	}
	if (cluster->node_count) {
		sl_out_printf(out,
			", \"nodes\": %" PRIu32 ", \"gpus\": %s, \"memory_mib\": ", cluster->node_count,
			amount_of(cluster->gpus, cluster->gpu_parts).text);
		sl_out_printf(out, cluster->mem ? "%" PRId64 : "null", cluster->mem);
	}
	for (size_t i = 0; i < scenario->cluster_setting_count; i++) {
		sl_out_text(out, i ? ", " : ", \"settings\": [");
		sl_out_json(out, scenario->cluster_setting[i]);
	}
	sl_out_text(out, scenario->cluster_setting_count ? "] }" : " }");
}

static void put_ignored(struct sl_out *out, const struct scenario *scenario)
{
	if (!scenario->ignored_count)
		return;
	put_key(out, "ignored");
	for (size_t i = 0; i < scenario->ignored_count; i++) {
		sl_out_text(out, i ? ", " : "[");
		sl_out_json(out, scenario->ignored[i]);
	}
	sl_out_text(out, "]");
}

/* replay.fill: whom it left out, and drew once more; what they ask of GPUs in all. */
static void put_fill(struct sl_out *out, const struct scenario *scenario)
{
	if (!scenario->filled)
		return;
	put_key(out, "fill");
	sl_out_printf(out, "{ \"drawn_again\": %" PRIu32 ", \"left_out\": %" PRIu32 ", \"gpus_asked\": ",
		scenario->fill_drawn, scenario->fill_removed);
	put_micro(out, scenario->fill_asked * (INT64_C(1000000) / sl_parts(scenario->cluster.gpu_parts)));
	sl_out_text(out, " }");
}

/* Those that are on, with what they were given or are by default. */
static void put_models(struct sl_out *out, const struct scenario *scenario)
{
	if (!scenario->model_count)
		return;
	put_key(out, "models");
	sl_out_text(out, "{");
	for (size_t i = 0; i < scenario->model_count; i++) {
		const struct model_choice *on = &scenario->model[i];
		sl_out_text(out, i ? ",\n    " : "\n    ");
		sl_out_json(out, on->model->name);
		sl_out_text(out, ": ");
		put_values(out, on->model->params, on->values, on->value_count);
	}
	sl_out_text(out, "\n  }");
}

static void put_world(struct sl_out *out, const struct run *run, const struct sim_stretch *stretch)
{
	const struct scenario *scenario = run->scenario;
	const struct policy_choice *choice = &run->choice;
	put_key(out, "inputs");
	sl_out_text(out, "[");
	put_input(out, &scenario->input, true);
	if (scenario->cluster_input.path)
		put_input(out, &scenario->cluster_input, false);
	for (size_t i = 0; i < scenario->side_count; i++)
		put_input(out, &scenario->side[i], false);
	for (size_t i = 0; i <= run->options.past_count; i++)
		put_policy_files(out, stretch, i);
	sl_out_text(out, "\n  ]");
	put_key(out, "cluster");
	put_cluster(out, scenario);
	put_key(out, "policy");
	sl_out_text(out, "{ ");
	put_policy(out, choice);
	sl_out_text(out, " }");
	put_past(out, &run->options);
	put_plugins(out, scenario->registry);
	put_key(out, "replay");
	put_values(out, replay_params, scenario->replay, replay_param_count);
	put_models(out, scenario);
	put_key(out, "seed");
	sl_out_printf(out, "%" PRIu64, run->options.seed);
	if (scenario->tz) { /* What repeats a run beside the above: a view of it reads them. */
		put_key(out, "tz");
		sl_out_json(out, scenario->tz);
	}
	if (scenario->jobs_max) {
		put_key(out, "jobs_max");
		sl_out_printf(out, "%" PRIu64, scenario->jobs_max);
	}
	put_key(out, "epoch");
	sl_out_printf(out, "%" PRId64, scenario->epoch);
	put_key(out, "utc_offset");
	sl_out_printf(out, "%" PRId64, scenario->utc_offset);
	put_key(out, "rules");
	put_rules(out, run);
	put_key(out, "jobs");
	sl_out_printf(out, "{ \"rows\": %" PRIu64 ", \"replayed\": %" PRIu32 " }", scenario->rows,
		scenario->jobs.count);
	put_key(out, "limits");
	const struct limits_told limits = limits_ran(run);
	sl_out_printf(out,
		"{ \"exceeded\": %" PRIu64 ", \"made_longer\": %" PRIu64 ", \"in_trace\": %" PRIu32
		", \"none\": %" PRIu32 " }",
		limits.over, limits.longer, scenario->limits_over, scenario->limits_none);
	put_fill(out, scenario);
	put_key(out, "repairs");
	put_oddities(out, scenario, false);
	put_key(out, "drops");
	put_oddities(out, scenario, true);
	put_ignored(out, scenario);
}

static void put_course(struct sl_out *out, const struct sl_result *result)
{
	put_key(out, "events");
	sl_out_printf(out, "%" PRIu64, result->events);
	put_key(out, "passes");
	sl_out_printf(out, "%" PRIu64, result->passes);
	put_key(out, "digest");
	sl_out_printf(out, "\"%016" PRIx64 "\"", result->digest);
	put_key(out, "digests");
	sl_out_text(out, "[");
	for (size_t i = 0; i < result->digest_count; i++)
		sl_out_printf(out, "%s\"%016" PRIx64 "\"", i ? ", " : "", result->digests[i]);
	sl_out_text(out, "]");
	if (result->interrupted) {
		put_key(out, "partial");
		sl_out_text(out, "true");
	}
	if (result->unfit) {
		put_key(out, "unfit"); /* At the beginning. */
		sl_out_printf(out, "%" PRIu32, result->unfit);
	}
	if (result->stopped) {
		put_key(out, "stopped");
		put_micro(out, result->last);
	}
}

static void put_files(
	struct sl_out *out, const char *only, const struct sl_result *result, bool windows, bool stops)
{
	const char *before = "";
	sl_out_text(out, "[");
	for (size_t i = 0; sl_reports[i] && !windows; i++) {
		if (!outdir_wants_report(only, sl_reports[i], result))
			continue;
		sl_out_text(out, before);
		sl_out_json(out, sl_reports[i]->name);
		before = ", ";
	}
	for (size_t i = 0; i < result->told_table_count && !windows; i++) {
		char name[256];
		if (!outdir_wants_table(only, &result->told_table[i]))
			continue;
		(void)snprintf(name, sizeof(name), "%.200s.csv", result->told_table[i].name);
		sl_out_text(out, before);
		sl_out_json(out, name);
		before = ", ";
	}
	if (outdir_wants(only, METRICS_FILE)) {
		sl_out_text(out, before);
		sl_out_json(out, METRICS_FILE);
		sl_out_text(out, windows ? ", \"" WINDOWS_FILE "\"" : "");
		before = ", ";
	}
	if (stops && outdir_wants(only, SNAPSHOT_FILE)) {
		sl_out_text(out, before);
		sl_out_json(out, SNAPSHOT_FILE);
	}
	sl_out_text(out, "]");
}

/* What run.json says of the metrics: the warm-up that utilization.steady used, and which resource is the
 * scarcest. */
struct about_metrics {
	int64_t warmup;
	const char *scarcest;
};

/* metrics: what is known of them; NULL: they are computed. */
static int about_metrics(const struct sl_metrics *metrics, const struct sl_result *result,
	struct sl_arena *arena, struct about_metrics *about, struct sl_err *err)
{
	struct sl_metrics own;
	int status = SL_OK;
	const int64_t *found = metrics ? metrics_get(metrics, "warmup") : NULL;
	if (found) {
		*about = (struct about_metrics){ *found, resource_scarcest(metrics) };
		return SL_OK;
	}
	metrics_init(&own, arena);
	for (size_t i = 0; !status && sl_metric_list[i]; i++)
		if (strcmp(sl_metric_list[i]->name, "utilization") == 0)
			status = sl_metric_list[i]->compute(result, &own, err);
	found = metrics_get(&own, "warmup");
	if (!status && !found)
		status = sl_fail_memory(err);
	else if (!status)
		*about = (struct about_metrics){ *found, resource_scarcest(&own) };
	metrics_release(&own);
	return status;
}

/* The folders of the windows' runs. */
static void put_runs(struct sl_out *out, const struct windows *windows)
{
	sl_out_text(out, "[");
	for (size_t i = 0; i < windows->count; i++) {
		sl_out_text(out, i ? ", " : "");
		sl_out_json(out, windows->done[i].name);
	}
	sl_out_text(out, "]");
}

/* NOLINTNEXTLINE(readability-function-size): a run, and all that is said of it. */
int run_json(struct sl_out *out, const struct run *run, const struct windows *windows,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err)
{
	struct about_metrics about = { 0 };
	char identity[65];
	struct sl_arena *arena = sl_arena_new();
	const char *text = arena ? run_identity(run, arena) : NULL;
	int status = text ? identity_hash(text, identity, err) : sl_fail_memory(err);
	if (!status)
		status = about_metrics(metrics, &run->sim.result, arena, &about, err);
	const struct sim_stretch *stretch = status ? NULL : stretches_of(run, arena);
	if (!status && !stretch)
		status = sl_fail_memory(err);
	if (status) {
		sl_arena_free(arena);
		return status;
	}
	sl_out_text(out, "{\n  \"schedlab\": \"" SL_VERSION "\",\n  \"schema\": \"schedlab.run/1\"");
	put_key(out, "identity");
	sl_out_json(out, identity);
	put_key(out, "files");
	put_files(out, only, &run->sim.result, windows, run->scenario->bounded);
	if (windows) {
		put_key(out, "runs");
		put_runs(out, windows);
		put_key(out, "windows");
		windows_json(windows, out);
	}
	put_world(out, run, stretch);
	sl_arena_free(arena);
	put_key(out, "warmup");
	put_micro(out, about.warmup);
	put_key(out, "utilization_resource");
	sl_out_json(out, about.scarcest);
	put_course(out, &run->sim.result);
	sl_out_text(out, "\n}\n");
	return SL_OK;
}
