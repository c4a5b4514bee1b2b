/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits.c - which jobs run beyond their time limit, and which have none: by the log, before a run; and as it
 * came.
 *
 * A log knows of jobs that are longer than their limits. Others become so in a run, where models slow them
 * down.
 */
#include "cli/base/cli.h"

#include <inttypes.h>
#include <stdio.h>

const char *const overrun_names[SL_OVERRUN_COUNT] = { "raise", "extend", "kill" };

struct limits_reported limits_of(const struct scenario *scenario)
{
	return (struct limits_reported){ .jobs = scenario->jobs.count,
		.over = scenario->limits_over,
		.none = scenario->limits_none,
		.overrun = scenario->overrun };
}

/* Of its attempts the longest: each has the whole limit, and loading a checkpoint counts to none. */
static sl_time longest(const struct sl_result *result, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = result->attempt_count ? sl_attempts_of(result, job, &attempt) : 0;
	sl_time most = count ? 0 : sl_run_time_of(result, job);
	for (size_t i = 0; i < count; i++) {
		const sl_time held =
			attempt[i].end - attempt[i].start - attempt[i].suspended - attempt[i].overhead;
		most = held > most ? held : most;
	}
	return most;
}

/* Or was cut there. A limit that was raised is no longer known: a job that ended had it raised. */
static bool ran_over(const struct run *run, uint32_t job, bool by_log)
{
	const struct sl_result *result = &run->sim.result;
	const enum sl_overrun rule = run->scenario->overrun;
	if (rule == SL_OVERRUN_KILL)
		return result->state[job] == SL_TIMEOUT;
	if (rule == SL_OVERRUN_RAISE && by_log)
		return result->state[job] == SL_COMPLETED;
	return longest(result, job) > result->jobs->limit[job];
}

/* Of a job in one piece, which the log does not say more of. */
static bool kept_limit(const struct sl_result *result, uint32_t job)
{
	const sl_time end = result->end[job] != SL_NONE ? result->end[job] : result->last;
	const sl_time held = result->start[job] != SL_NONE ? end - result->start[job] : 0;
	return held <= result->jobs->limit[job];
}

/* Several windows on one log are no run: of them the log's is reported. */
struct limits_reported limits_ran(const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	const struct sl_result *result = &run->sim.result;
	struct limits_reported reported = limits_of(scenario);
	if (!result->jobs)
		return reported;
	reported = (struct limits_reported){ .jobs = result->jobs->count,
		.overrun = scenario->overrun,
		.ran = true,
		.models = scenario->model_count };
	const bool plain = !result->attempt_count && !result->suspended && !scenario->limits_over &&
			   !scenario->limits_none && scenario->overrun != SL_OVERRUN_KILL;
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const uint32_t row = scenario->row_first + job;
		if (plain && kept_limit(result, job)) /* Nothing to tell, as of most. */
			continue;
		const bool none = scenario_had_no_limit(scenario, row);
		const bool by_log = scenario_exceeds_limit(scenario, row);
		const bool over = !none && ran_over(run, job, by_log);
		reported.none += none;
		reported.over += over;
		reported.longer += over && !by_log;
	}
	return reported;
}

/* ---- In words ----------------------------------------------------------------------------------- */

static size_t put_before(const struct limits_reported *reported, char *text, size_t size)
{
	static const char *const then[SL_OVERRUN_COUNT] = {
		"raised to the run time, so plans know what no scheduler knows (replay.overrun=raise)",
		"running on (replay.overrun=extend)",
		"cut there (replay.overrun=kill)",
	};
	char number[48];
	if (!reported->over)
		return (size_t)snprintf(text, size, "no job exceeds its time limit");
	return (size_t)snprintf(text, size, "%s of %" PRIu64 " jobs (%.3g %%) exceed%s, %s",
		count_text(number, reported->over), reported->jobs,
		100 * (double)reported->over / (double)reported->jobs,
		reported->over == 1 ? "s its time limit" : " their time limits", then[reported->overrun]);
}

static size_t put_after(const struct limits_reported *reported, char *text, size_t size)
{
	static const char *const rule[SL_OVERRUN_COUNT] = {
		", raised to the run time, so plans know what no scheduler knows (replay.overrun=raise)",
		" (replay.overrun=extend)",
		" (replay.overrun=kill)",
	};
	char number[48];
	char longer[64] = "";
	if (!reported->over)
		return (size_t)snprintf(text, size, "no job ran beyond its time limit");
	if (reported->longer)
		(void)snprintf(longer, sizeof(longer), ", %s made longer by %s",
			reported->longer == reported->over ? reported->over == 1 ? "as it was" : "all of them"
							   : count_text(number, reported->longer),
			reported->models ? "models" : "the run");
	const bool cut = reported->overrun == SL_OVERRUN_KILL;
	const bool one = reported->over == 1;
	char count[48];
	return (size_t)snprintf(text, size, "%s of %" PRIu64 " jobs (%.3g %%) %s time limit%s%s%s",
		count_text(count, reported->over), reported->jobs,
		100 * (double)reported->over / (double)reported->jobs,
		cut   ? one ? "was cut at its" : "were cut at their"
		: one ? "ran beyond its"
		      : "ran beyond their",
		one ? "" : "s", longer,
		reported->longer == reported->over && !cut ? "" : rule[reported->overrun]);
}

void limits_text(const struct limits_reported *reported, char *text, size_t size)
{
	char number[48];
	if (reported->none && reported->none == reported->jobs) {
		(void)snprintf(text, size, "no job has a time limit, so plans know all run times exactly");
		return;
	}
	const size_t used =
		reported->ran ? put_after(reported, text, size) : put_before(reported, text, size);
	if (reported->none && used < size)
		(void)snprintf(text + used, size - used, "; %s %s none, so plans know %s exactly",
			count_text(number, reported->none), reported->none == 1 ? "has" : "have",
			reported->none == 1 ? "its run time" : "their run times");
}

/* After a run: what was said before it was of the log. */
void talk_limits_ran(const struct run *run)
{
	struct limits_reported reported = limits_ran(run);
	char text[400];
	reported.none = 0; /* Said before. */
	limits_text(&reported, text, sizeof(text));
	if (reported.over)
		log_line(LOG_INFO, "%s: %s", run->sim.result.policy, text);
}
