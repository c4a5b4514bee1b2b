/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_base.c - the question: the log and its spans, today's settings, what is wanted.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "sim/registry/replay_params.h"

/* ---- Today ------------------------------------------------------------------------------------------- */

/* Which jobs are replayed: spans say that. With or without "replay.". */
static bool is_bound(const char *setting)
{
	const size_t skip = strncmp(setting, "replay.", 7) == 0 ? 7 : 0;
	return strncmp(setting + skip, "from=", 5) == 0 || strncmp(setting + skip, "to=", 3) == 0;
}

static int settings_keep(struct tune *tune, struct sl_err *err)
{
	const char *text;
	tune->setting = sl_alloc(tune->arena, tune->args->given_count + 1, sizeof(*tune->setting));
	if (!tune->setting)
		return sl_fail_memory(err);
	for (size_t i = 0; (text = arg_at(tune->args, "set", i)); i++) {
		if (!strchr(text, '='))
			(void)sl_fail(err, SL_USAGE, "--set must be KEY=VALUE, not '%.200s'", text);
		else if (strchr(text, '\n'))
			(void)sl_fail(err, SL_USAGE, "--set %.200s: a setting is one line here", text);
		if (err->status)
			return tune_option_said(tune->args, "set", i, err);
		if (!is_bound(text))
			tune->setting[tune->setting_count++] = text;
	}
	for (size_t i = 0; (text = arg_at(tune->args, "model", i)); i++) {
		tune->setting[tune->setting_count] = text_made(tune->arena, "model=%s", text);
		if (!tune->setting[tune->setting_count++])
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* Is that the key of a knob? With or without "policy.". */
static bool is_varied(const struct tune *tune, const char *key, size_t len)
{
	const char *text;
	for (size_t i = 0; (text = arg_at(tune->args, "vary", i)); i++) {
		text += strncmp(text, "policy.", 7) == 0 ? 7 : 0;
		if (strncmp(text, key, len) == 0 && text[len] == '=')
			return true;
	}
	return false;
}

/* The next "key=value" of a policy's text: where it ends; commas in quotes are its own. */
static const char *item_end(const char *text)
{
	for (bool quoted = false; *text && (quoted || *text != ','); text++)
		quoted ^= *text == '"';
	return text;
}

/* What the policy's text says of a knob would be said over --set: it becomes a setting, which knobs replace.
 */
static int policy_split(struct tune *tune, struct sl_err *err)
{
	const char *items = strchr(tune->policy, ':');
	char *policy = items ? sl_strdup(tune->arena, tune->policy, (size_t)(items - tune->policy)) : NULL;
	const char **more = sl_alloc(tune->arena, tune->setting_count + TUNE_AXES_MAX + 1, sizeof(*more));
	char sign = ':';
	if (!items)
		return SL_OK;
	for (size_t i = 0; more && i < tune->setting_count; i++)
		more[i] = tune->setting[i];
	for (const char *at = items + 1; *at && more && policy;) {
		const char *end = item_end(at);
		const size_t key = strcspn(at, "=,");
		char *item = sl_strdup(tune->arena, at, (size_t)(end - at));
		if (at[key] == '=' && is_varied(tune, at, key) && item) {
			const char *plain = policy_plain(item, tune->arena);
			more[tune->setting_count++] =
				text_made(tune->arena, "policy.%s", plain ? plain : item);
		} else {
			policy = text_made(tune->arena, "%s%c%s", policy, sign, item ? item : "");
			sign = ',';
		}
		at = end + (*end == ',');
	}
	if (!more || !policy)
		return sl_fail_memory(err);
	tune->setting = more;
	tune->policy = policy;
	return SL_OK;
}

/* Which option today's settings are wrong in: the one whose key or value is named. */
static int today_said(const struct tune *tune, struct sl_err *err)
{
	static const char *const option[] = { "set", "model", "cluster", "policy", "tz", "from", "to",
		"jobs" };
	const char *text;
	for (size_t k = 0; k < SL_LEN(option); k++)
		for (size_t i = 0; (text = arg_at(tune->args, option[k], i)); i++) {
			const int key = (int)(k ? strlen(text) : strcspn(text, "="));
			const char *quoted = text_made(tune->arena, "'%.*s'", key, text);
			if (quoted && strstr(err->text, quoted))
				return tune_option_said(tune->args, option[k], i, err);
		}
	return err->status;
}

/* The log, all of it that is asked for, on today's cluster. */
static int load(struct tune *tune, struct sl_err *err)
{
	struct settings settings;
	struct scenario_options options;
	const size_t given = tune->setting_count;
	int status = policy_split(tune, err);
	if (!status)
		status = registry_add_policy(tune->args->registry, tune->policy, err);
	if (!status)
		status = settings_from_args(&settings, tune->args, err);
	/* Those that the policy's text had. */
	for (size_t i = given; i < tune->setting_count && !status; i++)
		status = settings_add(&settings, tune->setting[i], err);
	if (!status)
		status = policy_choose(
			tune->args->registry, &tune->choice, tune->policy, &settings, tune->arena, err);
	if (!status)
		status = scenario_options_from_args(
			&options, tune->args, tune->cluster, &settings, tune->choice.implied, err);
	if (status)
		return status;
	options.trace = tune->trace;
	status = scenario_load(&tune->scenario, &options, err);
	tune->loaded = !status;
	if (!status)
		status = settings_check_used(&settings, &tune->choice, 1, err);
	if (!status)
		talk_log(&tune->scenario);
	return status;
}

/* ---- What is wanted -------------------------------------------------------------------------------------
 */

static int wanted_add(
	struct tune *tune, struct wanted wanted, enum tune_kind kind, double bound, struct sl_err *err)
{
	const size_t column = tune->problem.columns;
	if (column == TUNE_COLUMNS_MAX)
		return sl_fail(err, SL_USAGE, "tune: at most %d goals and bounds", (int)TUNE_COLUMNS_MAX - 1);
	if (!wanted.text || !wanted.metric)
		return sl_fail_memory(err);
	tune->wanted[column] = wanted;
	tune->problem.column[column] = (struct tune_column){ kind, bound };
	tune->problem.columns++;
	return selector_check(wanted.selector, &tune->scenario, err);
}

static int goals_take(struct tune *tune, const char *option, enum tune_kind kind, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	for (size_t i = 0; (text = arg_at(tune->args, option, i)) && !status; i++) {
		struct wanted wanted = {
			.text = text_made(tune->arena, "%s %s", option, text), .option = option, .number = i
		};
		status = selector_parse(&wanted.selector, text, tune->arena, err);
		if (status)
			return tune_option_said(tune->args, option, i, err);
		wanted.metric = selector_text(wanted.selector);
		const int better = selector_better(wanted.selector);
		if (better && (better < 0) != (kind == TUNE_LESS))
			talk("--%s %s: less of it is %s", option, text,
				better < 0 ? "better, mostly" : "worse, mostly");
		if (wanted_add(tune, wanted, kind, 0, err))
			return tune_option_said(tune->args, option, i, err);
	}
	return status;
}

/* "utilization no less than today": the metric's text ends there; NULL: it is no such relation. */
static const char *relation_at(const char *text, enum tune_kind *kind)
{
	static const struct {
		const char *words;
		enum tune_kind kind;
	} known[] = { { " no less than today", TUNE_NO_LESS }, { " no more than today", TUNE_NO_MORE } };
	for (size_t i = 0; i < SL_LEN(known); i++) {
		const char *at = strstr(text, known[i].words);
		*kind = known[i].kind;
		if (at && !at[strlen(known[i].words)])
			return at;
	}
	return NULL;
}

static int bound_kind(
	const struct threshold *threshold, enum tune_kind *kind, double *bound, struct sl_err *err)
{
	const struct tol_node *node = &threshold->bound.node[threshold->bound.root];
	*bound = (double)node->amount / 1e6;
	*kind = node->kind == TOL_LE   ? TUNE_AT_MOST
		: node->kind == TOL_LT ? TUNE_BELOW
		: node->kind == TOL_GE ? TUNE_AT_LEAST
				       : TUNE_ABOVE;
	return node->kind == TOL_LE || node->kind == TOL_LT || node->kind == TOL_GE || node->kind == TOL_GT
		       ? SL_OK
		       : sl_fail(err, SL_USAGE,
				 "--require '%.200s': give one bound: <, <=, > or >= and a number, or 'no less than today'",
				 threshold->text);
}

static int bounds_take(struct tune *tune, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	for (size_t i = 0; (text = arg_at(tune->args, "require", i)) && !status; i++) {
		struct wanted wanted = { .text = text, .option = "require", .number = i };
		enum tune_kind kind;
		double bound = 0;
		const char *relation = relation_at(text, &kind);
		if (relation) {
			const char *metric = sl_strdup(tune->arena, text, (size_t)(relation - text));
			status = metric ? selector_parse(&wanted.selector, metric, tune->arena, err)
					: sl_fail_memory(err);
		} else {
			struct threshold threshold;
			status = threshold_parse(&threshold, text, tune->arena, err);
			if (!status)
				status = bound_kind(&threshold, &kind, &bound, err);
			if (!status)
				wanted.selector = threshold.selector;
		}
		if (status)
			return tune_option_said(tune->args, "require", i, err);
		wanted.metric = selector_text(wanted.selector);
		if (wanted_add(tune, wanted, kind, bound, err))
			return tune_option_said(tune->args, "require", i, err);
	}
	return status;
}

/* That no fewer jobs complete, unless something is said of that: who turns jobs away has short queues. */
static int implied_take(struct tune *tune, struct sl_err *err)
{
	static const char metric[] = "jobs.completed";
	struct wanted wanted = { .text = "jobs.completed no less than today", .implied = true };
	for (size_t c = 0; c < tune->problem.columns; c++)
		if (strcmp(tune->wanted[c].metric, metric) == 0)
			return SL_OK;
	const int status = selector_parse(&wanted.selector, metric, tune->arena, err);
	wanted.metric = metric;
	return status ? status : wanted_add(tune, wanted, TUNE_NO_LESS, 0, err);
}

static int wanted_read(struct tune *tune, struct sl_err *err)
{
	int status = goals_take(tune, "minimize", TUNE_LESS, err);
	if (!status)
		status = goals_take(tune, "maximize", TUNE_MORE, err);
	if (!status && !tune->problem.columns)
		return sl_fail(err, SL_USAGE,
			"tune: what is wanted? --minimize 'wait.p95{gpus>=8}' or --maximize utilization");
	if (!status)
		status = bounds_take(tune, err);
	for (size_t c = 0; c < tune->problem.columns && !status; c++)
		for (size_t k = 0; k < c; k++)
			if (strcmp(tune->wanted[c].text, tune->wanted[k].text) == 0) {
				(void)sl_fail(err, SL_USAGE, "tune: '%s' stands twice", tune->wanted[c].text);
				return tune_option_said(
					tune->args, tune->wanted[c].option, tune->wanted[c].number, err);
			}
	return status ? status : implied_take(tune, err);
}

/* ---- Spans ------------------------------------------------------------------------------------------------
 */

enum { SEEDS_MAX = 1000, LEAST_SPANS = 4, USUAL_SPANS = 32, WEEKS_ENOUGH = 24 };

/* Times between submissions are not those of the trace. */
static bool is_stretched(const struct tune *tune)
{
	const struct sl_value *replay = tune->scenario.replay;
	return strcmp(replay[REPLAY_LOAD].text, "1") != 0 || replay[REPLAY_LOAD_AFTER].text ||
	       replay[REPLAY_FEEDBACK].text || replay[REPLAY_FILL].text;
}

/* The log with submissions as the trace has them, where settings stretch them: another scenario. */
static int raw_load(const struct tune *tune, struct scenario *raw, struct sl_err *err)
{
	static const char *const moves[] = { "load=", "load_after=", "feedback=", "replay.fill=" };
	struct settings settings = { .arena = tune->arena };
	struct scenario_options options;
	int status = SL_OK;
	for (size_t i = 0; i < tune->setting_count && !status; i++) {
		const char *text = tune->setting[i];
		bool moved = strncmp(text, "policy.", 7) == 0 || strncmp(text, "model=", 6) == 0;
		for (size_t k = 0; k < SL_LEN(moves); k++)
			moved |= strncmp(text, moves[k], strlen(moves[k])) == 0 ||
				 (strncmp(text, "replay.", 7) == 0 &&
					 strncmp(text + 7, moves[k], strlen(moves[k])) == 0);
		status = moved ? SL_OK : settings_add(&settings, text, err);
	}
	if (!status)
		status = scenario_options_from_args(
			&options, tune->args, tune->cluster, &settings, tune->choice.implied, err);
	if (status)
		return status;
	options.trace = tune->trace;
	return scenario_load(raw, &options, err);
}

/* Of the spans those in which somebody submits something: their number is in spans. */
static int spans_of(
	struct tune *tune, const struct sl_jobs *jobs, sl_time each, uint64_t count, struct sl_err *err)
{
	const sl_time week = 7 * 86400 * SL_SECOND;
	const sl_time first = jobs->submit[0] / SL_SECOND * SL_SECOND;
	const sl_time length = jobs->submit[jobs->count - 1] + 1 - first;
	const bool exact = each > 0;
	uint32_t row = 0;
	if (!each && !count)
		each = length / week >= WEEKS_ENOUGH ? week : 0;
	if (each)
		count = (uint64_t)((length + (exact ? each - 1 : 0)) / each);
	else if (!count)
		count = USUAL_SPANS;
	if (!each)
		each = (length / (sl_time)count / SL_SECOND + 1) * SL_SECOND; /* Whole seconds. */
	tune->span = count <= (uint64_t)2 * TUNE_SPANS_MAX && each >= SL_SECOND
			     ? sl_alloc(tune->arena, count + 1, sizeof(*tune->span))
			     : NULL;
	for (uint64_t i = 0; i < count && tune->span; i++) {
		const struct tune_span span = { first + (sl_time)i * each, first + (sl_time)(i + 1) * each };
		const uint32_t before = row;
		while (row < jobs->count && jobs->submit[row] < span.until)
			row++;
		if (row > before)
			tune->span[tune->spans++] = span;
	}
	if (tune->span)
		tune->span[tune->spans] = (struct tune_span){ first, first + SL_SECOND };
	if (tune->spans >= LEAST_SPANS)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"tune: the log has %zu such spans with jobs: 4 to 2000 are needed, half to tune on and half to judge by: "
		"--span 1d, or --spans 32",
		tune->span ? tune->spans : (size_t)count);
}

static int spans_cut(struct tune *tune, sl_time each, uint64_t count, struct sl_err *err)
{
	struct scenario raw;
	const bool stretched = is_stretched(tune);
	int status = stretched ? raw_load(tune, &raw, err) : SL_OK;
	if (status)
		return status;
	status = spans_of(tune, stretched ? &raw.jobs : &tune->scenario.jobs, each, count, err);
	if (stretched)
		scenario_release(&raw);
	tune->problem.spans = (uint32_t)(tune->spans - tune->spans / 2);
	return status;
}

static int time_option(const struct tune *tune, const char *name, sl_time *time, struct sl_err *err)
{
	const char *text = arg(tune->args, name);
	*time = 0;
	if (!text || (sl_get_duration(text, strlen(text), time) && *time >= 0 && *time < INT64_MAX / 4))
		return SL_OK;
	return sl_fail(err, SL_USAGE, "option '--%s' must be a duration such as 1d, not '%.60s'", name, text);
}

/* Those tuned on are the earlier; they are met in an order of their own, so that the first few are no
 * particular ones. */
static int spans_order(struct tune *tune, struct sl_err *err)
{
	struct sl_rng rng = sl_rng_stream(1, "tune/spans");
	tune->order = sl_alloc(tune->arena, tune->spans, sizeof(*tune->order));
	if (!tune->order)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < tune->problem.spans; i++) {
		const uint32_t k = (uint32_t)sl_rng_below(&rng, i + 1);
		tune->order[i] = tune->order[k];
		tune->order[k] = i;
	}
	return SL_OK;
}

static int spans_read(struct tune *tune, struct sl_err *err)
{
	uint64_t count;
	uint64_t runs;
	sl_time each;
	if (tune->scenario.jobs.count < 2)
		return sl_fail(err, SL_INPUT, "%s: it has no two jobs to tune by", tune->trace);
	if (arg_u64(tune->args, "spans", 0, LEAST_SPANS, 2 * TUNE_SPANS_MAX, &count, err))
		return tune_option_said(tune->args, "spans", SIZE_MAX, err);
	if (arg_u64(tune->args, "runs", 64, 4, 1000000, &runs, err))
		return tune_option_said(tune->args, "runs", SIZE_MAX, err);
	if (arg_u64(tune->args, "search-seed", 1, 0, INT64_MAX, &tune->problem.seed, err))
		return tune_option_said(tune->args, "search-seed", SIZE_MAX, err);
	if (arg_u64(tune->args, "seed", 1, 0, INT64_MAX - SEEDS_MAX, &tune->seed, err))
		return tune_option_said(tune->args, "seed", SIZE_MAX, err);
	if (arg_u64(tune->args, "seeds", 1, 1, SEEDS_MAX, &tune->seeds, err))
		return tune_option_said(tune->args, "seeds", SIZE_MAX, err);
	if (time_option(tune, "span", &each, err))
		return tune_option_said(tune->args, "span", SIZE_MAX, err);
	if (time_option(tune, "warm-up", &tune->warm, err))
		return tune_option_said(tune->args, "warm-up", SIZE_MAX, err);
	if (tune->warm && is_stretched(tune)) {
		(void)sl_fail(err, SL_USAGE,
			"--warm-up: not with replay.load, load_after, feedback or fill, which move submissions");
		return tune_option_said(tune->args, "warm-up", SIZE_MAX, err);
	}
	if (spans_cut(tune, each, count, err))
		return tune_option_said(
			tune->args, arg(tune->args, "span") ? "span" : "spans", SIZE_MAX, err);
	tune->problem.budget = runs * tune->problem.spans;
	tune->problem.every = arg_flag(tune->args, "every");
	return spans_order(tune, err);
}

/* ---- The whole
 * ---------------------------------------------------------------------------------------------- */

int tune_open(struct tune *tune, struct sl_err *err)
{
	const struct args *args = tune->args;
	tune->cluster = arg(args, "cluster");
	tune->policy = arg(args, "policy") ? arg(args, "policy") : "easy";
	tune->trace = args->word[0];
	int status = settings_keep(tune, err);
	if (!status)
		status = load(tune, err) ? today_said(tune, err) : SL_OK;
	if (!status)
		status = wanted_read(tune, err);
	if (!status)
		status = spans_read(tune, err);
	if (!status)
		status = knobs_read(tune, err);
	if (!status)
		status = sums_read(tune, err);
	if (!status && tune->problem.every && tune_points(&tune->problem) > TUNE_EVERY_MAX)
		return sl_fail(err, SL_USAGE,
			"--every: more than %d points: leave it out, or take wider steps",
			(int)TUNE_EVERY_MAX);
	return status;
}

void tune_close(struct tune *tune)
{
	if (tune->loaded)
		scenario_release(&tune->scenario);
}
