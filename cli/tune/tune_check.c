/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_check.c - is what may move known, and can its values be, before anything is searched: a name that
 * nobody follows would be searched for nothing, and its values be called no better.
 *
 * A changed file of the cluster is read for each value, and says what it does not know. Words, and the ends
 * of what has an order, are run alone on one span.
 */
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/tune/tune.h"

/* ---- Files of the cluster --------------------------------------------------------------------------------
 */

struct reading {
	const struct tune *tune;
	const struct knob *knob;
	bool followed, ignored; /* What changed is; nobody follows it: */
	char why[600];
	char unknown[600];
};

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool is_as_today(const struct tune *tune, const struct sl_setting *setting)
{
	for (uint32_t i = 0; i < tune->scenario.cluster.setting_count; i++) {
		const struct sl_setting *was = &tune->scenario.cluster.setting[i];
		if (was->coverage == setting->coverage && same_text(was->kind, setting->kind) &&
			same_text(was->name, setting->name) && same_text(was->key, setting->key) &&
			same_text(was->value, setting->value))
			return true;
	}
	return false;
}

static int on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	struct reading *reading = self;
	const char *note;
	char text[500];
	(void)err;
	if (is_as_today(reading->tune, setting))
		return SL_OK;
	const enum sl_coverage coverage = coverage_under(setting, &reading->tune->choice, &note);
	if (coverage == SL_UNKNOWN_KEY && !*reading->unknown)
		(void)snprintf(reading->unknown, sizeof(reading->unknown), "%s", unknown_text(setting, text));
	reading->followed |= coverage == SL_MODELLED || coverage == SL_APPROXIMATED;
	if (coverage == SL_IGNORED && !reading->ignored) {
		reading->ignored = true;
		(void)snprintf(
			reading->why, sizeof(reading->why), "%s", note ? note : "nothing here follows it");
	}
	return SL_OK;
}

static int no_pool(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)cpus, (void)at, (void)err;
	return SL_OK;
}

static int no_name(void *self, const char *name, struct sl_err *err)
{
	(void)self, (void)name, (void)err;
	return SL_OK;
}

static int no_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)spec, (void)at, (void)err;
	return SL_OK;
}

static int no_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)spec, (void)at, (void)err;
	return SL_OK;
}

static int cluster_read(struct reading *reading, const char *path, struct sl_err *err)
{
	const struct registry *registry = reading->tune->args->registry;
	const struct sl_cluster_sink sink = { .self = reading,
		.name = no_name,
		.pool = no_pool,
		.nodes = no_nodes,
		.window = no_window,
		.setting = on_setting,
		.registry = &registry->known };
	const struct sl_cluster_reader *reader = NULL;
	struct sl_input *in = NULL;
	struct stat about;
	int status = SL_OK;
	if (!(stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
		status = sl_input_open(&in, path, err);
	if (!status)
		status = cluster_reader_choose(registry, &reader, path, in, err);
	if (!status)
		status = reader->read(path, in, NULL, 0, &sink, err);
	sl_input_close(in);
	return status;
}

/* Today's, but for one. */
static void level_alone(const struct tune *tune, size_t knob, uint32_t is, uint32_t level[TUNE_AXES_MAX])
{
	for (size_t a = 0; a < TUNE_AXES_MAX; a++)
		level[a] = a < tune->problem.axes ? tune->problem.axis[a].today : 0;
	level[knob] = is;
}

static int wrong_value(const struct knob *knob, uint32_t level, const char *why, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "--vary %.300s: with %.100s: %.1500s", knob->name,
		knob_value(knob, level), why);
}

/* Each value, where there are not very many; else the ends. */
static bool is_checked(const struct knob *knob, uint32_t level)
{
	enum { MANY = 32 };
	return level != knob->today && (knob->count <= MANY || level == 0 || level == knob->count - 1);
}

static int check_file(struct tune *tune, size_t k, struct sl_err *err)
{
	const struct knob *knob = &tune->knob[k];
	struct reading reading = { .tune = tune, .knob = knob };
	int status = SL_OK;
	for (uint32_t i = 0; i < knob->count && !status; i++) {
		uint32_t level[TUNE_AXES_MAX];
		struct candidate_text text;
		struct sl_err why = { 0 };
		if (!is_checked(knob, i))
			continue;
		level_alone(tune, k, i, level);
		status = candidate_text(tune, level, &text, tune->arena, err);
		if (!status && cluster_read(&reading, text.cluster, &why))
			status = wrong_value(knob, i, why.text, err);
		if (!status && *reading.unknown)
			status = wrong_value(knob, i, reading.unknown, err);
	}
	if (!status && reading.ignored && !reading.followed)
		talk("--vary %s: under this policy it moves nothing: %s", knob->name, reading.why);
	return status;
}

/* ---- Alone, on one span
 * ------------------------------------------------------------------------------------- */

/* Words; of what has an order its ends. */
static bool is_tried(const struct knob *knob, uint32_t level)
{
	return level != knob->today && (knob->unordered || level == 0 || level == knob->count - 1);
}

/* The policy, where that moves too: a setting may be another's. */
static size_t policy_knob(const struct tune *tune)
{
	for (size_t k = 0; k < tune->problem.axes; k++)
		if (tune->knob[k].kind == KNOB_POLICY)
			return k;
	return SIZE_MAX;
}

struct trials {
	struct simulated *simulated;
	uint32_t (*level)[TUNE_AXES_MAX];
	size_t count;
};

static int trials_take(struct tune *tune, size_t k, struct trials *trials, struct sl_err *err)
{
	const struct knob *knob = &tune->knob[k];
	const size_t policy = policy_knob(tune);
	const uint32_t policies = policy == SIZE_MAX || policy == k ? 1 : tune->knob[policy].count;
	const size_t most = (size_t)knob->count * policies + 1;
	double *value = sl_alloc(tune->arena, most * TUNE_COLUMNS_MAX, sizeof(*value));
	trials->simulated = sl_alloc(tune->arena, most, sizeof(*trials->simulated));
	trials->level = sl_alloc(tune->arena, most, sizeof(*trials->level));
	trials->count = 0;
	if (!value || !trials->simulated || !trials->level)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < knob->count; i++)
		for (uint32_t p = 0; p < policies && is_tried(knob, i); p++) {
			uint32_t *level = trials->level[trials->count];
			level_alone(tune, k, i, level);
			if (policies > 1)
				level[policy] = p;
			trials->simulated[trials->count] = (struct simulated){ .level = level,
				.span = tune->spans,
				.value = value + trials->count * TUNE_COLUMNS_MAX };
			trials->count++;
		}
	return SL_OK;
}

/* A word that no policy takes is a mistake; of what has an order, if neither end can be: what can is not
 * chosen. */
static int trials_judge(const struct tune *tune, size_t k, const struct trials *trials, struct sl_err *err)
{
	const struct knob *knob = &tune->knob[k];
	uint32_t tried = 0;
	uint32_t failed = 0;
	uint32_t last = 0;
	const char *why_last = "";
	for (uint32_t i = 0; i < knob->count; i++) {
		const char *why = NULL;
		bool can = !is_tried(knob, i);
		for (size_t t = 0; t < trials->count; t++)
			if (trials->level[t][k] == i) {
				can |= !trials->simulated[t].failed;
				why = trials->simulated[t].why;
			}
		tried += is_tried(knob, i);
		failed += !can;
		last = can ? last : i;
		why_last = can ? why_last : why ? why : "it cannot be simulated";
		if (!can && knob->unordered)
			break;
	}
	return failed && (knob->unordered || failed == tried) ? wrong_value(knob, last, why_last, err)
							      : SL_OK;
}

static int check_alone(struct tune *tune, const char *const *metric, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t k = 0; k < tune->problem.axes && !status; k++) {
		struct trials trials;
		status = trials_take(tune, k, &trials, err);
		if (!status && trials.count)
			status = simulate_points(
				tune, trials.simulated, trials.count, metric, tune->problem.columns, err);
		if (!status)
			status = trials_judge(tune, k, &trials, err);
		if (status)
			return tune_option_said(tune->args, "vary", k, err);
	}
	return status;
}

/* ---- Today
 * ------------------------------------------------------------------------------------------------------ */

/* What is wrong with a metric's name is said once, before all others; and whether there is anything to make
 * less or more. */
static int check_today(struct tune *tune, const char *const *metric, struct sl_err *err)
{
	uint32_t level[TUNE_AXES_MAX] = { 0 };
	const size_t spans = tune->problem.spans;
	const size_t columns = tune->problem.columns;
	struct simulated *today = sl_alloc(tune->arena, spans, sizeof(*today));
	double *value = sl_alloc(tune->arena, spans * columns, sizeof(*value));
	if (!today || !value)
		return sl_fail_memory(err);
	level_alone(tune, 0, tune->problem.axis[0].today, level);
	for (size_t i = 0; i < spans; i++)
		today[i] = (struct simulated){
			.level = level, .span = tune->order[i], .value = value + i * columns
		};
	int status = simulate_points(tune, today, 1, metric, columns, err);
	for (size_t c = 0; c < columns && status; c++)
		if (tune->wanted[c].option && strstr(err->text, metric[c]))
			return tune_option_said(
				tune->args, tune->wanted[c].option, tune->wanted[c].number, err);
	if (!status)
		status = simulate_points(tune, today, spans, metric, columns, err);
	for (size_t i = 0; i < spans && !status; i++)
		if (today[i].failed)
			return sl_fail(err, SL_INPUT,
				"tune: today's settings cannot be simulated on each span: %s",
				today[i].why ? today[i].why : "schedlab run says why");
	for (size_t c = 0; c < columns && !status; c++) {
		size_t there = 0;
		for (size_t i = 0; i < spans; i++)
			there += isnan(value[i * columns + c]) ? 0 : 1;
		if (!there && tune->wanted[c].option) {
			(void)sl_fail(err, SL_USAGE,
				"tune: '%s': on no span that is tuned on there is such a value: does it choose any job?",
				tune->wanted[c].text);
			return tune_option_said(
				tune->args, tune->wanted[c].option, tune->wanted[c].number, err);
		}
	}
	return status;
}

int knobs_check(struct tune *tune, struct sl_err *err)
{
	const char *metric[TUNE_COLUMNS_MAX];
	for (size_t c = 0; c < tune->problem.columns; c++)
		metric[c] = tune->wanted[c].metric;
	int status = check_today(tune, metric, err);
	for (size_t k = 0; k < tune->problem.axes && !status; k++) {
		const struct knob *knob = &tune->knob[k];
		if (knob->kind == KNOB_FILE && (tune->file[knob->file].where == FILE_IS_CLUSTER ||
						       tune->file[knob->file].where == FILE_IN_CLUSTER))
			status = check_file(tune, k, err);
		if (status)
			return tune_option_said(tune->args, "vary", k, err);
	}
	tune->silent = true;
	if (!status)
		status = check_alone(tune, metric, err);
	tune->silent = false;
	return status;
}
