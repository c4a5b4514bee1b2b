/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_backtest.c - what forecasts would have been worth: the same question at moments of a log, of which
 * it is known what came after.
 *
 * The log is cut into weeks. The first third is history alone. Of those after it every second one is tested,
 * and those between are for calibration. What a moment may know is what was submitted, started and ended in
 * weeks that are not tested and over before its own week began, beside who runs and who waits at the moment:
 * no tested week is in any history. A moment is drawn by chance until somebody waits at it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast_backtest.h"

enum { WEEKS_LEAST = 6, PERIODS = 12, CASES_A_MOMENT = 20, TRIES = 50, HISTORY_WEEKS = 26, MOMENTS = 240 };

struct backtest {
	struct forecast_base *base;
	const struct forecast_log *log;
	const struct forecast_ways *ways;
	sl_time zero, week;    /* A week; of a log of less than six a twelfth of it. */
	uint32_t weeks, first; /* Those from `first` on are calibrated on and tested, in turn. */
	uint32_t moments;      /* In all. */
	struct forecast_case *cases;
	size_t count, capacity;
};

static bool is_tested(const struct backtest *test, uint32_t week)
{
	return week >= test->first && (week - test->first) % 2 == 1;
}

static uint32_t week_of(const struct backtest *test, sl_time time)
{
	const sl_time week = (time - test->zero) / test->week;
	return week < 0 ? 0 : week < UINT32_MAX ? (uint32_t)week : UINT32_MAX;
}

static bool hidden(const void *self, sl_time from, sl_time until)
{
	const struct backtest *test = self;
	return is_tested(test, week_of(test, from)) || is_tested(test, week_of(test, until - 1));
}

/* The last time before the first tested week that is not over by then. */
static sl_time hidden_from(const void *self, sl_time time)
{
	const struct backtest *test = self;
	uint32_t week = week_of(test, time);
	while (week < test->weeks && !is_tested(test, week))
		week++;
	const sl_time begin = test->zero + week * test->week;
	return begin > time ? begin - 1 : time;
}

/* ---- One moment
 * ---------------------------------------------------------------------------------------------- */

struct asked_moment {
	struct backtest *test;
	const struct forecast_learned *learned;
	struct forecast_state state;
	uint32_t week, number;
	uint32_t target[CASES_A_MOMENT];
	uint32_t targets;
};

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Some of those that wait and will start, by chance. */
static void choose_targets(struct asked_moment *asked, struct sl_rng *rng)
{
	const struct forecast_state *state = &asked->state;
	uint32_t seen = 0;
	asked->targets = 0;
	for (uint32_t i = 0; i < state->waiting_count; i++) {
		if (asked->test->log->job[state->waiting[i]].start == SL_NONE)
			continue;
		const uint64_t place = seen++ < CASES_A_MOMENT ? asked->targets++ : sl_rng_below(rng, seen);
		if (place < CASES_A_MOMENT)
			asked->target[place] = state->waiting[i];
	}
	qsort(asked->target, asked->targets, sizeof(*asked->target), by_number);
}

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

/* Of the target's starts, from now on. What was given up before it started counts as started then. */
static void say_futures(
	const struct forecast_answer *answer, uint32_t target, sl_time now, sl_time most, sl_time *said)
{
	sl_time *start = &answer->start[(size_t)target * answer->futures];
	size_t n = 0;
	for (uint32_t i = 0; i < answer->futures; i++)
		if (start[i] != SL_NONE)
			start[n++] = start[i];
	qsort(start, n, sizeof(*start), by_time);
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		said[i] = n ? forecast_quantile(start, n, forecast_probability[i]) - now : 0;
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		said[i] = said[i] < most ? said[i] : most;
}

/* A plan says that it starts by then: at any time up to it. */
static void say_limits(
	const struct forecast_answer *answer, uint32_t target, sl_time now, sl_time most, sl_time *said)
{
	const sl_time wait = answer->start[target] - now;
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		said[i] = i < FORECAST_P50 ? 0 : wait < most ? wait : most;
}

/* Waits in all as waits from now on; who waited longer than all before him starts now, for all they know. */
static void say_waits(bool known, sl_time waited, sl_time *said)
{
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		said[i] = !known ? 0 : said[i] > waited ? said[i] - waited : 0;
}

static void case_of(struct asked_moment *asked, uint32_t target, const struct forecast_answer *futures,
	const struct forecast_answer *limits, struct forecast_case *is)
{
	const struct forecast_job *job = &asked->test->log->job[asked->target[target]];
	const sl_time now = asked->state.now;
	*is = (struct forecast_case){ .week = asked->week,
		.moment = asked->number,
		.job = asked->target[target],
		.now = now,
		.waited = now - job->submit,
		.actual = job->start - now };
	const sl_time most = 4 * forecast_horizon(asked->test->ways, asked->learned);
	say_futures(futures, target, now, most, is->said[FORECAST_FUTURES]);
	say_limits(limits, target, now, most, is->said[FORECAST_LIMITS]);
	sl_time *user = is->said[FORECAST_USER_WAITS];
	sl_time *similar = is->said[FORECAST_SIMILAR];
	say_waits(forecast_waits_user(asked->learned->waits, job, is->waited, user), is->waited, user);
	say_waits(
		forecast_waits_similar(asked->learned->waits, job, is->waited, similar), is->waited, similar);
	memcpy(is->calibrated, is->said[FORECAST_FUTURES], sizeof(is->calibrated));
}

static int ask_moment(struct asked_moment *asked, struct sl_err *err)
{
	struct backtest *test = asked->test;
	struct forecast_answer futures = { 0 };
	struct forecast_answer limits = { 0 };
	struct forecast_question question = { .base = test->base,
		.log = test->log,
		.learned = asked->learned,
		.state = &asked->state,
		.target = asked->target,
		.targets = asked->targets,
		.horizon = forecast_horizon(test->ways, asked->learned),
		.futures = test->ways->futures,
		.seed = test->ways->seed,
		.threads = test->ways->threads };
	int status = forecast_ask(&futures, &question, err);
	question.futures = 1;
	question.by_limit = true;
	if (!status)
		status = forecast_ask(&limits, &question, err);
	if (!status)
		status = SL_GROW(test->cases, test->capacity, test->count + asked->targets, err);
	for (uint32_t i = 0; i < asked->targets && !status; i++)
		case_of(asked, i, &futures, &limits, &test->cases[test->count++]);
	forecast_answer_release(&futures);
	forecast_answer_release(&limits);
	return status;
}

/* ---- One week
 * --------------------------------------------------------------------------------------------------- */

static int ask_in_week(struct asked_moment *asked, struct sl_rng *rng, struct sl_err *err)
{
	struct backtest *test = asked->test;
	const sl_time begin = test->zero + asked->week * test->week;
	int status = SL_OK;
	asked->targets = 0;
	for (int i = 0; i < TRIES && !asked->targets && !status; i++) {
		const sl_time now =
			begin + (sl_time)sl_rng_below(rng, (uint64_t)(test->week / SL_SECOND)) * SL_SECOND;
		status = forecast_state_at(&asked->state, test->log, now, err);
		if (!status)
			choose_targets(asked, rng);
		if (!asked->targets)
			forecast_state_release(&asked->state);
	}
	if (!status && asked->targets)
		status = ask_moment(asked, err);
	forecast_state_release(&asked->state);
	return status;
}

static int week_go(struct backtest *test, uint32_t week, uint32_t moments, struct sl_err *err)
{
	char name[64];
	const sl_time begin = test->zero + week * test->week;
	const sl_time from = begin - HISTORY_WEEKS * test->week;
	const struct forecast_span span = { from > test->zero ? from : test->zero, begin, hidden, hidden_from,
		test };
	struct forecast_learned learned;
	(void)snprintf(name, sizeof(name), "cli/forecast/backtest/%u", week);
	struct sl_rng rng = sl_rng_stream(test->ways->seed, name);
	int status = forecast_learn(&learned, test->log, &span, err);
	for (uint32_t i = 0; i < moments && !status; i++) {
		struct asked_moment asked = {
			.test = test, .learned = &learned, .week = week, .number = week * moments + i
		};
		status = cli_stop ? sl_fail(err, SL_INTERRUPTED, "interrupted")
				  : ask_in_week(&asked, &rng, err);
	}
	forecast_forget(&learned);
	return status;
}

/* ---- Calibration: of a week by what was known as it began
 * -------------------------------------------------- */

/* Those of untested weeks before it whose outcome was known by then, and nothing of a tested week. */
static size_t past_cases(const struct backtest *test, uint32_t week, struct forecast_case *past)
{
	const sl_time begin = test->zero + week * test->week;
	size_t count = 0;
	for (size_t i = 0; i < test->count; i++) {
		const struct forecast_case *is = &test->cases[i];
		if (is->week < week && !is_tested(test, is->week) && is->now + is->actual < begin)
			past[count++] = *is;
	}
	return count;
}

static int calibrate_week(
	struct backtest *test, uint32_t week, struct forecast_case *past, struct sl_err *err)
{
	const size_t count = past_cases(test, week, past);
	struct forecast_calibration *calibration =
		forecast_calibration_new(past, count, test->log->simulated, err);
	int status = calibration ? SL_OK : err->status;
	for (size_t i = 0; i < test->count && !status; i++)
		if (test->cases[i].week == week)
			status = forecast_calibrate(calibration, &test->cases[i], err);
	if (calibration)
		log_line(LOG_DEBUG, "week %u: calibrated by %s, of %zu cases", week,
			forecast_calibration_way(calibration), count);
	forecast_calibration_free(calibration);
	return status;
}

static int calibrate_all(struct backtest *test, struct sl_err *err)
{
	struct forecast_case *past = malloc((test->count + 1) * sizeof(*past));
	int status = past ? SL_OK : sl_fail_memory(err);
	for (uint32_t week = test->first; week < test->weeks && !status; week++)
		if (is_tested(test, week))
			status = calibrate_week(test, week, past, err);
	free(past);
	return status;
}

/* ---- The log
 * ------------------------------------------------------------------------------------------------------ */

static int backtest_begin(struct backtest *test, struct sl_err *err)
{
	const struct forecast_log *log = test->log;
	uint64_t moments;
	const sl_time week = 7 * 86400 * SL_SECOND;
	int status = arg_u64(test->base->args, "moments", MOMENTS, 1, 100000, &moments, err);
	if (status || !log->count)
		return status ? status
			      : sl_fail(err, SL_INPUT, "%s: no job of it can be replayed", log->name);
	const sl_time length = log->job[log->count - 1].submit - log->job[0].submit + 1;
	test->zero = log->job[0].submit;
	test->week = length >= WEEKS_LEAST * week ? week : length / PERIODS;
	if (test->week < 60 * SL_SECOND)
		return sl_fail(err, SL_INPUT,
			"%s: it covers less than twelve minutes: too little to be tested on", log->name);
	test->weeks = (uint32_t)(length / test->week);
	test->first = test->weeks / 3;
	test->moments = (uint32_t)moments;
	return SL_OK;
}

static int all_weeks(struct backtest *test, struct sl_err *err)
{
	const uint32_t weeks = test->weeks - test->first;
	int status = SL_OK;
	for (uint32_t i = 0; i < weeks && !status; i++) {
		/* Moments are spread evenly, whatever the number of weeks. */
		const uint32_t moments = test->moments * (i + 1) / weeks - test->moments * i / weeks;
		status = week_go(test, test->first + i, moments, err);
	}
	return status;
}

/* In the order of enum forecast_voice; then what is calibrated. */
static const char *const voice[FORECAST_VOICES + 1] = { "futures", "limits", "user", "quantile", "forecast" };

/* For those who look closer: a line each, in seconds. */
static int cases_write(const struct backtest *test, struct sl_err *err)
{
	const char *path = arg(test->base->args, "cases");
	struct sl_out *out;
	if (!path)
		return SL_OK;
	const int status = file_out_open(&out, path, test->base->args, err);
	if (status)
		return status;
	sl_out_text(out, "week,tested,moment,job,now,waited,size,limit,actual");
	static const char *const quantile[] = { "p5", "p10", "p50", "p90", "p95" };
	for (size_t k = 0; k < SL_LEN(voice); k++)
		for (size_t i = 0; i < SL_LEN(quantile); i++)
			sl_out_printf(out, ",%s_%s", voice[k], quantile[i]);
	for (size_t c = 0; c < test->count; c++) {
		const struct forecast_case *is = &test->cases[c];
		const struct forecast_job *job = &test->log->job[is->job];
		sl_out_printf(out, "\n%u,%d,%u,%lld,%.0f,%.0f,%d,%.0f,%.0f", is->week,
			is_tested(test, is->week), is->moment, (long long)job->id, (double)is->now / 1e6,
			(double)is->waited / 1e6, job->size, (double)job->limit / 1e6,
			(double)is->actual / 1e6);
		for (size_t k = 0; k <= FORECAST_VOICES; k++)
			for (size_t i = 0; i < FORECAST_QUANTILES; i++)
				sl_out_printf(out, ",%.0f",
					(double)(k < FORECAST_VOICES ? is->said[k] : is->calibrated)[i] /
						1e6);
	}
	sl_out_text(out, "\n");
	return sl_out_commit(out, err);
}

/* ---- What came of it
 * ------------------------------------------------------------------------------------------ */

static int64_t micro_of(double value) { return (int64_t)(value * 1e6 + (value < 0 ? -0.5 : 0.5)); }

static void score_row(struct screen_table *table, const char *name, const struct forecast_score *score)
{
	char text[48];
	const double shares[] = { score->coverage_80, score->coverage_90, score->within_60s,
		score->within_600s };
	screen_cell(table, false, "%s", name);
	screen_cell(table, true, "%zu", score->n);
	for (size_t i = 0; i < SL_LEN(shares); i++)
		screen_cell(table, true, "%s %%", screen_number(text, micro_of(100 * shares[i]), 1));
	screen_cell(table, true, "%s", screen_number(text, micro_of(score->median_abs_error), 0));
	screen_cell(table, true, "%s", screen_number(text, micro_of(score->pinball), 0));
}

static void score_table(const struct backtest *test, const struct forecast_score score[])
{
	static const char *const heading[] = { "", "jobs", "in 80 %", "in 90 %", "within 1 min",
		"within 10 min", "median error (s)", "pinball (s)" };
	struct screen_table *table = screen_table_new(test->base->args->arena, SL_LEN(heading));
	if (!table)
		return;
	for (size_t i = 0; i < SL_LEN(heading); i++)
		screen_cell(table, i > 0, "%s", heading[i]);
	for (int k = FORECAST_VOICES; k >= 0; k--)
		score_row(table, voice[k], &score[k]);
	(void)printf("%s: %u futures under %s; %s; %u spans of %.0f s, every second of the last %u tested\n",
		test->log->name, test->ways->futures, test->base->choice.text,
		test->log->simulated ? "what came is that policy's" : "what came is the log's", test->weeks,
		(double)test->week / SL_SECOND, test->weeks - test->first);
	screen_print(table, stdout);
}

static void score_json(struct json *json, const struct forecast_score *score)
{
	json_put(json, datum_count("n", score->n), datum_micro("coverage_80", micro_of(score->coverage_80)),
		datum_micro("coverage_90", micro_of(score->coverage_90)),
		datum_micro("median_abs_error", micro_of(score->median_abs_error)),
		datum_micro("within_60s", micro_of(score->within_60s)),
		datum_micro("within_600s", micro_of(score->within_600s)),
		datum_micro("pinball", micro_of(score->pinball)));
}

static int scores_json(const struct backtest *test, const struct forecast_score score[], struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_put(&json, datum_text("of", test->log->name), datum_text("policy", test->base->choice.text),
		datum_flag("simulated", test->log->simulated), datum_count("futures", test->ways->futures),
		datum_count("seed", test->ways->seed), datum_count("spans", test->weeks),
		datum_micro("span", test->week));
	score_json(&json, &score[FORECAST_VOICES]);
	json_nest(&json, "uncalibrated", '{', NULL);
	score_json(&json, &score[FORECAST_FUTURES]);
	json_close(&json);
	json_nest(&json, "baselines", '{', NULL);
	for (int k = FORECAST_LIMITS; k < FORECAST_VOICES; k++) {
		json_nest(&json, voice[k], '{', NULL);
		score_json(&json, &score[k]);
		json_close(&json);
	}
	json_close(&json);
	return json_finish(&json, SL_OK, err);
}

static int report(const struct backtest *test, struct sl_err *err)
{
	struct forecast_case *tested = malloc((test->count + 1) * sizeof(*tested));
	struct forecast_score score[FORECAST_VOICES + 1];
	size_t count = 0;
	int status = tested ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < test->count && !status; i++)
		if (is_tested(test, test->cases[i].week))
			tested[count++] = test->cases[i];
	for (int k = 0; k <= FORECAST_VOICES && !status; k++)
		status = forecast_score(&score[k], tested, count, k, err);
	free(tested);
	if (!status && !count)
		return sl_fail(
			err, SL_INPUT, "%s: nobody waits at any moment that is tested", test->log->name);
	if (!status && arg_flag(test->base->args, "json"))
		return scores_json(test, score, err);
	if (!status)
		score_table(test, score);
	return status;
}

int forecast_backtest(struct forecast_base *base, const struct forecast_log *log,
	const struct forecast_ways *ways, struct sl_err *err)
{
	struct backtest test = { .base = base, .log = log, .ways = ways };
	int status = backtest_begin(&test, err);
	if (!status)
		status = all_weeks(&test, err);
	if (!status)
		status = calibrate_all(&test, err);
	if (!status)
		status = cases_write(&test, err);
	if (!status)
		status = report(&test, err);
	free(test.cases);
	return status;
}

/* ---- Of one moment: what was said before it
 * ------------------------------------------------------------------------------------------ */

int forecast_cases_before(struct forecast_cases *cases, const struct forecast_question *question,
	const struct forecast_ways *ways, uint32_t moments, struct sl_err *err)
{
	const sl_time week = 7 * 86400 * SL_SECOND;
	const struct forecast_log *log = question->log;
	const sl_time now = question->state->now;
	const sl_time length = log->count && log->job[0].submit < now ? now - log->job[0].submit : 0;
	struct forecast_base base = *question->base;
	struct backtest test = { .base = &base, .log = log, .ways = ways, .first = UINT32_MAX };
	test.week = length >= WEEKS_LEAST * week ? week : length / PERIODS;
	*cases = (struct forecast_cases){ 0 };
	if (test.week < 60 * SL_SECOND)
		return SL_OK;
	test.weeks = (uint32_t)(length / test.week);
	test.zero = now - test.weeks * test.week;
	uint32_t first = test.weeks / 3;
	if (test.weeks - first > HISTORY_WEEKS)
		first = test.weeks - HISTORY_WEEKS;
	const uint32_t weeks = test.weeks - first;
	int status = SL_OK;
	for (uint32_t i = 0; i < weeks && !status; i++)
		status = week_go(&test, first + i, moments * (i + 1) / weeks - moments * i / weeks, err);
	for (size_t i = 0; i < test.count; i++)
		if (test.cases[i].now + test.cases[i].actual <= now)
			test.cases[cases->count++] = test.cases[i];
	cases->is = test.cases;
	return status;
}

int forecast_case_of(struct forecast_case *is, const struct forecast_question *question,
	const struct forecast_job *job, const struct forecast_answer *futures,
	const struct forecast_answer *limits, const struct forecast_ways *ways, struct sl_err *err)
{
	struct forecast_base base = *question->base;
	struct forecast_job waits = *job;
	struct forecast_log log = *question->log;
	struct backtest test = { .base = &base, .log = &log, .ways = ways };
	struct asked_moment asked = { .test = &test,
		.learned = question->learned,
		.state = *question->state,
		.week = UINT32_MAX,
		.targets = 1 };
	struct forecast_answer copy = *futures;
	copy.start = malloc((futures->futures + 1) * sizeof(*copy.start));
	if (!copy.start)
		return sl_fail_memory(err);
	memcpy(copy.start, futures->start, futures->futures * sizeof(*copy.start));
	waits.start = question->state->now;
	log.job = &waits;
	case_of(&asked, 0, &copy, limits, is);
	is->actual = SL_NONE;
	free(copy.start);
	return SL_OK;
}
