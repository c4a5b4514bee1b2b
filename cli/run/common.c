/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * common.c - what several commands do: talk, a scenario and a run from the line, the summary's metrics.
 *
 * Everything here that prints goes to stderr: stdout is the commands' own.
 */
#include "cli/base/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *count_text(char buffer[48], uint64_t count)
{
	return screen_number(
		buffer, (int64_t)(count < INT64_MAX / 1000000 ? count : INT64_MAX / 1000000) * 1000000, 0);
}

int64_t mean_rounded(__int128 sum, int64_t count)
{
	if (!count)
		return 0;
	const __int128 most = (__int128)2 * count;
	const __int128 twice = 2 * sum + count;
	return (int64_t)(twice >= 0 ? twice / most : -((-twice + most - 1) / most));
}

uint64_t folded(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

int ids_order(const char *x_name, int64_t x, const char *y_name, int64_t y)
{
	if (!x_name != !y_name)
		return x_name ? 1 : -1;
	const int name = x_name ? strcmp(x_name, y_name) : 0;
	return name ? name : (x > y) - (x < y);
}

char *scenario_key(const struct settings *settings, const struct scenario_options *options)
{
	char *key = NULL;
	size_t len;
	FILE *text = open_memstream(&key, &len);
	if (!text)
		return NULL;
	(void)fprintf(text, "%s\n%s\n%s\n%" PRIu64 "\n", options->trace ? options->trace : "",
		options->cluster ? options->cluster : "", options->implied ? options->implied : "",
		options->seed);
	for (size_t i = 0; i < settings->count; i++)
		if (!settings->item[i].used)
			(void)fprintf(text, "%s=%s\n", settings->item[i].key, settings->item[i].value);
	if (fclose(text) == 0)
		return key;
	free(key);
	return NULL;
}

struct amount amount_of(int64_t amount, int64_t parts)
{
	struct amount text;
	*sl_put_parts(text.text, amount, parts) = '\0';
	return text;
}

void talk_read(const struct scenario *scenario)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	const sl_time range = jobs->count ? jobs->submit[jobs->count - 1] - jobs->submit[0] : 0;
	char count[48];
	char machine[200];
	char days[32];
	log_line(LOG_INFO, "%s: %s jobs submitted over %s, %s (%s)", scenario->input.path,
		count_text(count, jobs->count), screen_duration(days, range),
		machine_text(machine, sizeof(machine), scenario), scenario->cpus_from);
	const struct limits_reported limits = limits_of(scenario);
	char reported[400];
	limits_text(&limits, reported, sizeof(reported));
	log_line(LOG_INFO, "%s: by the log %s", scenario->input.path, reported);
	if (!scenario->ignored_count)
		return;
	char ignored[600] = "";
	for (size_t i = 0; i < scenario->ignored_count; i++)
		list_add(ignored, sizeof(ignored), "%s", scenario->ignored[i]);
	log_line(LOG_INFO, "%s: not used: %s", scenario->input.path, ignored);
}

const char *machine_text(char *text, size_t size, const struct scenario *scenario)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	char number[48];
	size_t used = 0;
	text[0] = '\0';
	if (cluster->node_count)
		used += (size_t)snprintf(text, size, "%s nodes, ", count_text(number, cluster->node_count));
	used += (size_t)snprintf(
		text + used, size - used, "%s cpus", parts_text(number, scenario->cpus, cluster->cpu_parts));
	if (cluster->gpus)
		(void)snprintf(text + used, size - used, ", %s GPUs",
			parts_text(number, cluster->gpus, cluster->gpu_parts));
	return text;
}

uint64_t anomalies_text(const struct scenario *scenario, bool dropped, char *text, size_t size)
{
	uint64_t total = 0;
	for (size_t i = 0; i < scenario->anomaly_count; i++)
		total += scenario->anomaly[i].dropped == dropped && !scenario->anomaly[i].asked
				 ? scenario->anomaly[i].count
				 : 0;
	if (!total)
		return 0;
	size_t used = (size_t)snprintf(text, size, "%" PRIu64 " row%s %s", total, total == 1 ? "" : "s",
		dropped ? "dropped" : "repaired");
	const char *separator = " (";
	for (size_t i = 0; i < scenario->anomaly_count && used < size; i++) {
		const struct anomaly *anomaly = &scenario->anomaly[i];
		if (anomaly->dropped != dropped || !anomaly->count || anomaly->asked)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", separator,
			anomaly->count, anomaly->cause);
		separator = ", ";
	}
	if (used < size)
		(void)snprintf(text + used, size - used, ")");
	return total;
}

/* Wholly: what is noted is of the others. */
static enum sl_coverage followed_by(const struct sl_setting *setting, const char **note)
{
	if (strchr(setting->by, '*'))
		*note = NULL;
	return setting->coverage;
}

enum sl_coverage coverage_under(
	const struct sl_setting *setting, const struct policy_choice *choice, const char **note)
{
	const char *const own = choice->policy->name;
	const bool followed = setting->coverage == SL_MODELLED || setting->coverage == SL_APPROXIMATED;
	bool built_in = strcmp(own, "external") != 0;
	*note = setting->note;
	if (!setting->by || !followed)
		return setting->coverage;
	built_in = built_in && !choice->script && !registry_owner(choice->registry, choice->policy);
	for (const char *word = setting->by; *word; word += strspn(word, ", ")) {
		const size_t len = strcspn(word, ",");
		const size_t key = strcspn(word, "=,");
		if (*word == '*') /* All others, as far as the note says. */
			return SL_APPROXIMATED;
		if (len == strlen(own) && strncmp(word, own, len) == 0)
			return followed_by(setting, note);
		for (size_t i = 0; key < len && i < choice->value_count; i++) {
			const struct sl_value *value = &choice->values[i];
			if (value->text && strlen(value->key) == key && strncmp(value->key, word, key) == 0 &&
				strlen(value->text) == len - key - 1 &&
				strncmp(value->text, word + key + 1, len - key - 1) == 0)
				return followed_by(setting, note);
		}
		word += len;
	}
	*note = built_in ? "this policy does not follow it" : "it depends on the policy";
	return built_in ? SL_IGNORED : SL_APPROXIMATED;
}

static bool is_unknown(const struct sl_setting *setting) { return setting->coverage == SL_UNKNOWN_KEY; }

/* Whole objects that nobody here reads are others' business; each kind stands once. */
static void talk_objects(const struct scenario *scenario)
{
	char kinds[200] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < scenario->cluster.setting_count; i++) {
		const struct sl_setting *s = &scenario->cluster.setting[i];
		if (s->coverage == SL_IGNORED && strcmp(s->kind, "object") == 0 && used < sizeof(kinds))
			used += (size_t)snprintf(
				kinds + used, sizeof(kinds) - used, "%s%s", used ? ", " : "", s->key);
	}
	if (used)
		log_line(LOG_INFO, "%s: objects that are not read: %s%s", scenario->cluster_input.path, kinds,
			used < sizeof(kinds) ? "" : "...");
}

/* "'bf_windw' is not known: did you mean 'bf_window'?"; "'x' of 'bf_window' is no value of it: ...";
 * "'n9' of 'NodeName' is only warned of by Slurm: ..." */
const char *unknown_text(const struct sl_setting *s, char text[500])
{
	if (s->note && (strncmp(s->note, "no value", strlen("no value")) == 0 ||
			       strncmp(s->note, "only warned", strlen("only warned")) == 0))
		(void)snprintf(text, 500, "'%.100s' of '%.100s' is %.200s", s->value, s->key, s->note);
	else
		(void)snprintf(text, 500, "'%.100s' is not known%s%.200s", s->key, s->note ? ": " : "",
			s->note ? s->note : "");
	return text;
}

static int check_unknown(const struct scenario *scenario, struct sl_err *err)
{
	char text[500];
	for (uint32_t i = 0; i < scenario->cluster.setting_count; i++) {
		const struct sl_setting *s = &scenario->cluster.setting[i];
		if (is_unknown(s))
			return sl_fail_at(
				err, &s->at, "%s: mend it, or run without --strict", unknown_text(s, text));
	}
	return SL_OK;
}

/* Settings that nothing here follows, and perhaps should: the first of them, with its place. */
static void talk_unknown(const struct scenario *scenario)
{
	enum { REPORTED = 3 };
	char text[500];
	uint32_t count = 0;
	for (uint32_t i = 0; i < scenario->cluster.setting_count; i++) {
		const struct sl_setting *s = &scenario->cluster.setting[i];
		if (is_unknown(s) && count++ < REPORTED)
			talk("%s:%" PRIu64 ":%" PRIu64 ": %s%s", s->at.file, (uint64_t)s->at.line,
				(uint64_t)s->at.column, unknown_text(s, text),
				s->note ? "" : ", and ignored");
	}
	if (count > REPORTED)
		talk("%" PRIu32 " more keys are not known: schedlab inspect %s names them", count - REPORTED,
			scenario->cluster_input.path);
}

void talk_anomalies(const struct scenario *scenario)
{
	talk_unknown(scenario);
	talk_objects(scenario);
	char dropped[600] = "";
	char repaired[600] = "";
	const uint64_t drops = anomalies_text(scenario, true, dropped, sizeof(dropped));
	const uint64_t repairs = anomalies_text(scenario, false, repaired, sizeof(repaired));
	if (drops || repairs)
		talk("%s: %s%s%s; --strict stops at the first", scenario->input.path, dropped,
			drops && repairs ? ", " : "", repaired);
	for (size_t i = 0; i < scenario->anomaly_count; i++)
		if (scenario->anomaly[i].asked && scenario->anomaly[i].count)
			talk("%s: %" PRIu64 " job%s %s", scenario->input.path, scenario->anomaly[i].count,
				scenario->anomaly[i].count == 1 ? "" : "s", scenario->anomaly[i].cause);
}

void talk_log(const struct scenario *scenario)
{
	if (log_shows(LOG_INFO))
		talk_read(scenario);
	talk_anomalies(scenario);
}

static const struct sl_value *effective(const struct run *run, const char *key)
{
	static const char replay[] = "replay.";
	const size_t skip = sizeof(replay) - 1;
	if (strncmp(key, replay, skip) == 0)
		return sl_value_of(run->scenario->replay, replay_param_count, key + skip);
	return sl_value_of(run->choice.values, run->choice.value_count, key);
}

static bool common_is_plain(const struct run *run, const char *key)
{
	const struct sl_policy *policy = run->choice.policy;
	for (size_t i = 0; i < policy->param_count; i++)
		if (strcmp(policy->params[i].key, key) == 0)
			return strcmp(run->choice.values[i].text, policy->params[i].fallback) == 0;
	return true;
}

const char *ties_reported(const struct run *run)
{
	const struct sl_value *place = effective(run, "place");
	const struct sl_value *ties = effective(run, "ties");
	if (!run->scenario->cluster.node_count || !place || !ties || !place->text || !ties->text ||
		(common_is_plain(run, "place") && common_is_plain(run, "ties")))
		return NULL;
	const struct sl_node_scorer *scorer = sl_by_name(run->scenario->registry->known.scorers, place->text);
	if (scorer)
		return scorer->at_random ? "random" : ties->text;
	return NULL; /* An allocator, which has rules of its own. */
}

void talk_compat(const struct run *run)
{
	const struct sl_compat *compat = run->choice.compat;
	if (!compat)
		return;
	char implied[600] = "";
	char given[600] = "";
	struct item item;
	for (const char *text = compat->settings; item_next(&text, &item);) {
		const struct sl_value *value = effective(run, item.key);
		SL_CHECK(value && value->text); /* The table of the policy names keys that there are. */
		const bool same = strcmp(value->text, item.value) == 0;
		char *to = same ? implied : given;
		const size_t len = strlen(to);
		(void)snprintf(to + len, sizeof(implied) - len, "%s%s=%s",
			len    ? ", "
			: same ? ""
			       : "; given instead: ",
			item.key, value->text);
	}
	log_line(LOG_INFO, "%s: compat=%s implies %s%s", run->choice.text, compat->value,
		*implied ? implied : "nothing", given);
}

int settings_from_args(struct settings *settings, const struct args *args, struct sl_err *err)
{
	*settings = (struct settings){ .arena = args->arena };
	const char *set;
	int status = SL_OK;
	for (size_t i = 0; !status && (set = arg_at(args, "set", i)); i++)
		status = settings_add(settings, set, err);
	for (size_t i = 0; !status && (set = arg_at(args, "model", i)); i++)
		status = settings_add_model(settings, set, err);
	static const char *const named[][2] = { { "root", "cluster.root" },
		{ "run-times", "replay.run_times" } };
	for (size_t i = 0; i < SL_LEN(named) && !status; i++) {
		const char *value = arg(args, named[i][0]);
		const char *text = value ? text_made(args->arena, "%s=%s", named[i][1], value) : NULL;
		if (value && !text)
			return sl_fail_memory(err);
		if (text)
			status = settings_add(settings, text, err);
	}
	return status;
}

int scenario_options_from_args(struct scenario_options *options, const struct args *args, const char *cluster,
	struct settings *settings, const char *implied, struct sl_err *err)
{
	*options = (struct scenario_options){
		.trace = args->word[0],
		.cluster = cluster,
		.settings = settings,
		.registry = args->registry,
		.implied = implied,
		.from = arg(args, "from"),
		.to = arg(args, "to"),
		.until = arg(args, "until"),
		.tz = arg(args, "tz"),
		.strict = arg_flag(args, "strict"),
		.stop = &cli_stop,
	};
	const int status = arg_u64(args, "jobs", 0, 1, UINT32_MAX - 1, &options->jobs_max, err);
	return status ? status : arg_u64(args, "seed", 1, 0, INT64_MAX, &options->seed, err);
}

int scenario_from_args(struct scenario *scenario, const struct args *args, const char *cluster,
	struct settings *settings, const char *implied, struct sl_err *err)
{
	struct scenario_options options;
	const int status = scenario_options_from_args(&options, args, cluster, settings, implied, err);
	const int loaded = status ? status : scenario_load(scenario, &options, err);
	return !loaded && options.strict ? check_unknown(scenario, err) : loaded;
}

/* Some model is on. */
static bool settings_name_models(const struct settings *settings)
{
	bool found = false;
	for (size_t i = 0; settings && i < settings->count; i++) {
		const char *key = settings->item[i].key;
		found |= strcmp(key, SETTING_MODEL) == 0 || strcmp(key, "models") == 0 ||
			 strcmp(key, "replay.models") == 0;
	}
	return found;
}

int run_from_args(struct run *run, const char *policy, struct settings *settings, const struct args *args,
	struct sl_err *err)
{
	*run = (struct run){ .scenario = NULL };
	int status = policy_choose(args->registry, &run->choice, policy, settings, args->arena, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, INT64_MAX, &run->options.seed, err);
	if (!status && arg(args, "output"))
		status = only_check(args->registry, arg(args, "only"), settings_name_models(settings),
			&run->options.record, err);
	run->options.check = arg_flag(args, "check");
	run->options.stop = &cli_stop;
	return status;
}

bool only_has(const char *only, const char *name)
{
	if (!only)
		return true;
	const size_t len = strlen(name);
	while (*only) {
		const size_t width = strcspn(only, ",");
		if (width == len && memcmp(only, name, len) == 0)
			return true;
		only += width + (only[width] == ',');
	}
	return false;
}

/* "number 17", or a job's name. */
static const char *job_text(char text[64], const struct sl_jobs *jobs, uint32_t row)
{
	char number[32];
	if (jobs->id_name && jobs->id_name[row])
		return jobs->id_name[row];
	*sl_put_i64(number, jobs->id[row]) = '\0';
	(void)snprintf(text, 64, "number %s", number);
	return text;
}

/* Of a job that can never start. */
static const char *never_words(enum sl_reason why)
{
	if (why == SL_REASON_NODES_NOT_AVAIL)
		return "it needs nodes that are down, drained or reserved";
	return why == SL_REASON_BAD_CONSTRAINTS ? "it asks for what the cluster does not have"
						: sl_reason_words(why);
}

const char *left_words(char text[LEFT_WORDS], const struct sl_result *result, uint32_t left)
{
	char id[64];
	if (!result->never)
		(void)snprintf(text, LEFT_WORDS, "the policy had no more to do");
	else if (left == 1)
		(void)snprintf(text, LEFT_WORDS, "%s", never_words(result->never_why));
	else if (result->never_why == SL_REASON_BAD_CONSTRAINTS)
		(void)snprintf(text, LEFT_WORDS,
			"%" PRIu32 " of them ask%s for what the cluster does not have, job %.60s first",
			result->never, result->never == 1 ? "s" : "",
			job_text(id, result->jobs, result->never_first));
	else
		(void)snprintf(text, LEFT_WORDS,
			"%" PRIu32 " of them can never start on the cluster as it is, job %.40s first%s%s",
			result->never, job_text(id, result->jobs, result->never_first),
			result->never_why ? ": " : "",
			result->never_why ? never_words(result->never_why) : "");
	return text;
}

/* A run that came to its end with jobs left: the policy never started them, or let them stand. */
void talk_left(const struct run *run)
{
	const struct sl_result *result = &run->sim.result;
	uint32_t left = 0;
	uint32_t first = 0;
	char text[64];
	char why[LEFT_WORDS];
	talk_limits_ran(run);
	if (run->scenario->field_metrics && run->scenario->fair_by_policy && !result->fair_start)
		talk("replay.fair_start=policy has no meaning in this run, and is left out: jobs depend on more than those "
		     "before them, or a program decides; see schedlab-metrics(7)");
	for (uint32_t row = 0; row < result->jobs->count; row++)
		if ((result->state[row] == SL_PENDING || result->state[row] == SL_SUSPENDED) && !left++)
			first = row;
	for (uint32_t i = 0; i < result->warning_count; i++)
		talk("%s: %s", result->policy, result->warning[i]);
	if (left && !result->stopped && !result->interrupted)
		talk("%s: %u job%s never ended, job %s first: %s", result->policy, left, left == 1 ? "" : "s",
			job_text(text, result->jobs, first), left_words(why, result, left));
	if (result->refused)
		talk("%s: %u job%s refused at submission, job %s first: %s", result->policy, result->refused,
			result->refused == 1 ? " was" : "s were",
			job_text(text, result->jobs, result->refused_first), result->refused_why);
}
