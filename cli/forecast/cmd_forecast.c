/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_forecast.c - schedlab forecast: when jobs that wait will start and end.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast_backtest.h"

enum { CALIBRATE = 24 };

static const struct option_def options[] = {
	{ "at", 0, "TIME", false,
		"the moment: seconds since the trace's zero, a duration, or a date; default: now, of a log whose jobs still run" },
	{ "history", 0, "FILE", true,
		"a further log to learn from, beside what TRACE says of now: sacct -a -P" },
	{ "job", 0, "ID", true, "only of this job; default: of all that wait" },
	{ "ask", 0, "REQUEST", true,
		"in place of jobs that wait: of one not yet submitted, 'nodes=2 limit=4h user=alice'; several: which ends first" },
	{ "futures", 0, "1..10000", false, "so many are simulated; default 100" },
	{ "horizon", 0, "TIME", false,
		"jobs are drawn that come within so long; default: twice the longest wait, an hour to a week" },
	{ "calibrate", 0, "0..10000", false,
		"so many earlier moments are asked about, and say how far the futures are off; 0: none; default 24" },
	{ "backtest", 0, NULL, false,
		"ask at moments of TRACE of which it is known what came after, and score the answers" },
	{ "moments", 0, "N", false, "of --backtest: so many; default 240" },
	{ "cases", 0, "FILE", false, "of --backtest: every job that was asked about, as CSV" },
	{ "simulated", 0, NULL, false,
		"of a trace: who runs and who waits is what the policy makes of it, not what it records" },
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY_ONE },
	{ OPTION_SET },
	{ OPTION_MODEL },
	{ OPTION_SEED },
	{ OPTION_THREADS },
	{ OPTION_TZ },
	{ OPTION_STRICT },
	{ OPTION_JSON },
	{ OPTION_FORCE_FILE },
	{ OPTION_NO_SYNC },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
};

/* ---- What the options say --------------------------------------------------------------------------------
 */

int forecast_ways(struct forecast_ways *ways, const struct args *args, struct sl_err *err)
{
	uint64_t futures = 0;
	uint64_t threads = 0;
	uint64_t calibrate = 0;
	const char *horizon = arg(args, "horizon");
	*ways = (struct forecast_ways){ 0 };
	int status = arg_u64(args, "futures", 100, 1, 10000, &futures, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, INT64_MAX, &ways->seed, err);
	if (!status)
		status = arg_u64(args, "threads", 0, 1, 10000, &threads, err);
	if (!status)
		status = arg_u64(args, "calibrate", CALIBRATE, 0, 10000, &calibrate, err);
	if (!status && horizon &&
		(!sl_get_duration(horizon, strlen(horizon), &ways->horizon) || ways->horizon <= 0 ||
			ways->horizon > INT64_C(366) * 86400 * SL_SECOND))
		status = sl_fail(err, SL_USAGE,
			"option '--horizon' must be a duration up to a year such as 2d, not '%.60s'",
			horizon);
	ways->futures = (uint32_t)futures;
	ways->calibrate = (uint32_t)calibrate;
	ways->threads = (unsigned)threads;
	return status;
}

sl_time forecast_horizon(const struct forecast_ways *ways, const struct forecast_learned *learned)
{
	const sl_time least = 3600 * SL_SECOND;
	const sl_time most = 7 * 86400 * SL_SECOND;
	if (ways->horizon)
		return ways->horizon;
	const sl_time twice = learned->wait_most < most ? 2 * learned->wait_most : most;
	return twice < least ? least : twice > most ? most : twice;
}

/* What is of a backtest alone, or of one moment alone. */
static int check_ways(const struct args *args, struct sl_err *err)
{
	static const char *const of_test[] = { "moments", "cases" }, *const of_moment[] = { "at", "job",
		"ask", "calibrate" };
	const bool test = arg_flag(args, "backtest");
	for (size_t i = 0; i < SL_LEN(of_test) && !test; i++)
		if (arg(args, of_test[i]))
			return sl_fail(err, SL_USAGE, "--%s is of --backtest: give both", of_test[i]);
	for (size_t i = 0; i < SL_LEN(of_moment) && test; i++)
		if (arg(args, of_moment[i]))
			return sl_fail(err, SL_USAGE,
				"--backtest asks at moments of its own about jobs of the log: leave out --%s",
				of_moment[i]);
	return SL_OK;
}

/* ---- One moment
 * --------------------------------------------------------------------------------------------- */

static bool is_named(const struct args *args, const struct forecast_log *log, uint32_t job)
{
	const char *id;
	char text[32];
	if (!arg(args, "job"))
		return true;
	for (size_t i = 0; (id = arg_at(args, "job", i)); i++)
		if (strcmp(id, forecast_job_name(text, log, job)) == 0)
			return true;
	return false;
}

/* Which of those that wait are asked about. */
static int targets_of(struct forecast_question *question, const struct args *args, struct sl_err *err)
{
	const struct forecast_state *state = question->state;
	uint32_t *target = sl_alloc(args->arena, state->waiting_count + 1, sizeof(*target));
	if (!target)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < state->waiting_count; i++)
		if (is_named(args, question->log, state->waiting[i]))
			target[question->targets++] = state->waiting[i];
	question->target = target;
	if (arg(args, "job") && !question->targets)
		return sl_fail(err, SL_USAGE, "--job %s: no such job waits then", arg(args, "job"));
	return SL_OK;
}

static int ask_now(struct forecast_question *question, const struct args *args, struct sl_err *err)
{
	struct forecast_answer answer = { 0 };
	if (arg(args, "ask"))
		return forecast_requests(question, args, err);
	int status = targets_of(question, args, err);
	if (!status)
		status = forecast_ask(&answer, question, err);
	if (!status)
		status = forecast_calibrate_answer(question->calibrated, question, &answer, err);
	if (!status)
		status = forecast_print(question, &answer, args, err);
	forecast_answer_release(&answer);
	return status;
}

static int forecast_at(struct forecast_base *base, const struct forecast_log *log,
	const struct forecast_ways *ways, struct sl_err *err)
{
	const char *at = arg(base->args, "at");
	struct forecast_state state = { 0 };
	struct forecast_learned learned = { 0 };
	struct forecast_calibrated calibrated = { 0 };
	sl_time now = 0;
	if (!at && !log->live)
		return sl_fail(err, SL_USAGE,
			"forecast: say which moment of %s is meant: --at TIME (none of its jobs still runs or waits)",
			log->name);
	int status = at ? forecast_log_time(log, "--at", at, &now, err) : SL_OK;
	now = at ? now : log->last;
	if (!status)
		status = forecast_state_at(&state, log, now, err);
	const struct forecast_span span = { .from = log->count ? log->job[0].submit : 0, .until = now };
	if (!status)
		status = forecast_learn(&learned, log, &span, err);
	if (!status) {
		struct forecast_question question = { .base = base,
			.log = log,
			.learned = &learned,
			.state = &state,
			.horizon = forecast_horizon(ways, &learned),
			.futures = ways->futures,
			.seed = ways->seed,
			.threads = ways->threads,
			.reasons = true };
		status = forecast_calibrated_begin(&calibrated, &question, ways, err);
		question.calibrated = &calibrated;
		if (!status)
			status = ask_now(&question, base->args, err);
	}
	forecast_calibrated_end(&calibrated);
	forecast_forget(&learned);
	forecast_state_release(&state);
	return status;
}

static int forecast_command(const struct args *args, struct sl_err *err)
{
	struct forecast_ways ways;
	struct forecast_base base;
	struct forecast_log log = { 0 };
	int status = forecast_ways(&ways, args, err);
	if (!status)
		status = check_ways(args, err);
	if (status)
		return status;
	status = forecast_base_open(&base, args->word[0], args, err);
	if (!status)
		status = forecast_log_open(&log, &base, arg_flag(args, "simulated"), err);
	if (!status)
		status = arg_flag(args, "backtest") ? forecast_backtest(&base, &log, &ways, err)
						    : forecast_at(&base, &log, &ways, err);
	if (log.arena)
		forecast_log_close(&log);
	forecast_base_close(&base);
	return status;
}

const struct command cmd_forecast = {
	.name = "forecast",
	.usage = "forecast DIR|TRACE --at TIME [options] | forecast --backtest TRACE [options]",
	.summary = "when jobs that wait will start and end, with how far that is certain",
	.detail =
		"Who runs and who waits at TIME is known, and how long jobs ran before. From there many futures are simulated\n"
		"under the policy: run times and arrivals are drawn from what was before TIME. Of each job that waits it prints when\n"
		"it starts and ends: p10, p50, p90 of the futures, and what it waits for longest.\n"
		"\n"
		"examples:\n"
		"  schedlab forecast log.swf -p easy --at 30d\n"
		"  schedlab forecast out --at 2h --json\n"
		"  schedlab forecast log.swf --at 30d --ask 'nodes=32 limit=4h user=7' --ask 'nodes=16 limit=8h user=7'\n"
		"  schedlab forecast log.swf --backtest --json\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = forecast_command,
};
