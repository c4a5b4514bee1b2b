/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits.c - who runs beyond his time limit, and who has none: by the log, before a run; and as it came.
 *
 * A log knows of jobs that are longer than their limits. Others become so in a run, where models slow them
 * down.
 */
#include "cli/base/cli.h"

#include <inttypes.h>
#include <stdio.h>

const char *const overrun_names[SL_OVERRUN_COUNT] = { "raise", "extend", "kill" };

struct limits_told limits_of(const struct scenario *scenario)
{
	return (struct limits_told){ .jobs = scenario->jobs.count,
		.over = scenario->limits_over,
		.none = scenario->limits_none,
		.overrun = scenario->overrun };
}

/* Of its attempts the longest: each has the whole limit, and loading a checkpoint counts to none. */
static sl_time longest(const struct sl_result *result, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	sl_time most = count ? 0 : sl_run_time_of(result, job);
	for (size_t i = 0; i < count; i++) {
		const sl_time held =
			attempt[i].end - attempt[i].start - attempt[i].suspended - attempt[i].overhead;
		most = held > most ? held : most;
	}
	return most;
}

/* Or was cut there. A limit that was raised is no longer known: who ended had it raised. */
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

/* Several windows on one log are no run: of them the log's is told. */
struct limits_told limits_ran(const struct run *run)
{
	const struct scenario *scenario = run->scenario;
	const struct sl_result *result = &run->sim.result;
	struct limits_told told = limits_of(scenario);
	if (!result->jobs)
		return told;
	told = (struct limits_told){ .jobs = result->jobs->count,
		.overrun = scenario->overrun,
		.ran = true,
		.models = scenario->model_count };
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const uint32_t row = scenario->row_first + job;
		const bool none = scenario_had_no_limit(scenario, row);
		const bool by_log = scenario_exceeds_limit(scenario, row);
		const bool over = !none && ran_over(run, job, by_log);
		told.none += none;
		told.over += over;
		told.longer += over && !by_log;
	}
	return told;
}

/* ---- In words ----------------------------------------------------------------------------------- */

static size_t put_before(const struct limits_told *told, char *text, size_t size)
{
	static const char *const then[SL_OVERRUN_COUNT] = {
		"raised to the run time, so plans know what no scheduler knows (replay.overrun=raise)",
		"running on (replay.overrun=extend)",
		"cut there (replay.overrun=kill)",
	};
	char number[48];
	if (!told->over)
		return (size_t)snprintf(text, size, "no job exceeds its time limit");
	return (size_t)snprintf(text, size, "%s of %" PRIu64 " jobs (%.3g %%) exceed%s, %s",
		count_text(number, told->over), told->jobs, 100 * (double)told->over / (double)told->jobs,
		told->over == 1 ? "s its time limit" : " their time limits", then[told->overrun]);
}

static size_t put_after(const struct limits_told *told, char *text, size_t size)
{
	static const char *const rule[SL_OVERRUN_COUNT] = {
		", raised to the run time, so plans know what no scheduler knows (replay.overrun=raise)",
		" (replay.overrun=extend)",
		" (replay.overrun=kill)",
	};
	char number[48];
	char longer[64] = "";
	if (!told->over)
		return (size_t)snprintf(text, size, "no job ran beyond its time limit");
	if (told->longer)
		(void)snprintf(longer, sizeof(longer), ", %s made longer by %s",
			told->longer == told->over ? told->over == 1 ? "as it was" : "all of them"
						   : count_text(number, told->longer),
			told->models ? "models" : "the run");
	const bool cut = told->overrun == SL_OVERRUN_KILL;
	const bool one = told->over == 1;
	char count[48];
	return (size_t)snprintf(text, size, "%s of %" PRIu64 " jobs (%.3g %%) %s time limit%s%s%s",
		count_text(count, told->over), told->jobs, 100 * (double)told->over / (double)told->jobs,
		cut   ? one ? "was cut at its" : "were cut at their"
		: one ? "ran beyond its"
		      : "ran beyond their",
		one ? "" : "s", longer, told->longer == told->over && !cut ? "" : rule[told->overrun]);
}

void limits_text(const struct limits_told *told, char *text, size_t size)
{
	char number[48];
	if (told->none && told->none == told->jobs) {
		(void)snprintf(text, size, "no job has a time limit, so plans know all run times exactly");
		return;
	}
	const size_t used = told->ran ? put_after(told, text, size) : put_before(told, text, size);
	if (told->none && used < size)
		(void)snprintf(text + used, size - used, "; %s %s none, so plans know %s exactly",
			count_text(number, told->none), told->none == 1 ? "has" : "have",
			told->none == 1 ? "its run time" : "their run times");
}

/* After a run: what was said before it was of the log. */
void talk_limits_ran(const struct run *run)
{
	struct limits_told told = limits_ran(run);
	char text[400];
	told.none = 0; /* Said before. */
	limits_text(&told, text, sizeof(text));
	if (told.over)
		log_line(LOG_INFO, "%s: %s", run->sim.result.policy, text);
}
