/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_checks.c - what must hold of any policy, recounted from the columns that a run leaves.
 */
#include "cli/policy_test/policy_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

/* "12.5 s", or "never". */
static const char *seconds(char buffer[48], sl_time time)
{
	if (time == SL_NONE)
		return "never";
	char *end = sl_put_micro(buffer, time);
	memcpy(end, " s", sizeof(" s"));
	return buffer;
}

/* ---- Runs ------------------------------------------------------------------------------- */

static bool run_go(struct sim_run *sim, const struct testing *testing, const struct scenario *scenario,
	bool check, char *complaint)
{
	struct sl_err err = { 0 };
	const struct sim_options options = {
		.scenario = scenario,
		.choice = testing->choice,
		.seed = testing->seed,
		.check = check,
		.stop = &cli_stop,
	};
	if (!sim_run(sim, &options, &err))
		return true;
	(void)snprintf(complaint, COMPLAINT_SIZE, "%s", err.text);
	sim_release(sim);
	return false;
}

static bool runs(const struct testing *testing, const struct trial *trial, char *complaint)
{
	struct sim_run sim;
	if (!run_go(&sim, testing, &trial->plain, false, complaint))
		return false;
	sim_release(&sim);
	return true;
}

/* The engine's own invariants stop the program where they break. */
static bool invariants(const struct testing *testing, const struct trial *trial, char *complaint)
{
	struct sim_run sim;
	if (!run_go(&sim, testing, &trial->plain, true, complaint))
		return false;
	sim_release(&sim);
	return true;
}

/* A look at one run's result. */
static bool policy_checks_look(bool (*good)(const struct sl_result *result, char *complaint),
	const struct testing *testing, const struct trial *trial, char *complaint)
{
	struct sim_run sim;
	if (!run_go(&sim, testing, &trial->plain, false, complaint))
		return false;
	const bool found = good(&sim.result, complaint);
	sim_release(&sim);
	return found;
}

/* ---- Capacity ---------------------------------------------------------------------------- */

/* Processors allocated (released, if negative) by an interval of a job. */
struct change {
	sl_time at;
	int64_t cpus;
	uint32_t row;
};

/* What is released at an instant is free at it. */
static int change_order(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if ((x->cpus < 0) != (y->cpus < 0))
		return x->cpus < 0 ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int64_t policy_checks_cpus_of(const struct sl_result *result, uint32_t job)
{
	return result->cpus_held ? result->cpus_held[job] : result->jobs->size[job];
}

static size_t interval(
	struct change *change, const struct sl_result *result, uint32_t job, sl_time start, sl_time end)
{
	if (start == SL_NONE || end == SL_NONE || end == start)
		return 0;
	change[0] = (struct change){ start, policy_checks_cpus_of(result, job), job };
	change[1] = (struct change){ end, -policy_checks_cpus_of(result, job), job };
	return 2;
}

/* Jobs of several attempts by these; one that was suspended released its processors meanwhile, and is left
 * out. */
static size_t intervals(struct change *change, const struct sl_result *result)
{
	size_t count = 0;
	size_t attempt = 0;
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const bool suspended = result->suspended && result->suspended[job] > 0;
		const bool several = attempt < result->attempt_count && result->attempts[attempt].job == job;
		for (; attempt < result->attempt_count && result->attempts[attempt].job == job; attempt++)
			if (!suspended)
				count += interval(change + count, result, job,
					result->attempts[attempt].start, result->attempts[attempt].end);
		if (!several && !suspended)
			count += interval(change + count, result, job, result->start[job], result->end[job]);
	}
	return count;
}

static bool policy_checks_within(
	const struct sl_result *result, struct change *change, size_t count, char *complaint)
{
	const int64_t parts = result->cluster ? result->cluster->cpu_parts : 1;
	int64_t busy = 0;
	char at[48];
	qsort(change, count, sizeof(*change), change_order);
	for (size_t i = 0; i < count; i++) {
		busy += change[i].cpus;
		if (busy <= result->cpus)
			continue;
		(void)snprintf(complaint, COMPLAINT_SIZE,
			"%s cpus are busy at %s, and the machine has %s: job %" PRId64 " is one too many",
			amount_of(busy, parts).text, seconds(at, change[i].at),
			amount_of(result->cpus, parts).text, result->jobs->id[change[i].row]);
		return false;
	}
	for (uint32_t job = 0; job < result->jobs->count; job++)
		if (result->start[job] != SL_NONE && result->start[job] < result->jobs->submit[job]) {
			(void)snprintf(complaint, COMPLAINT_SIZE,
				"job %" PRId64 " starts before its submission", result->jobs->id[job]);
			return false;
		}
	return true;
}

static bool capacity_of(const struct sl_result *result, char *complaint)
{
	const size_t intervals_max = (size_t)result->jobs->count + result->attempt_count;
	struct change *change = calloc(2 * intervals_max + 1, sizeof(*change));
	if (!change) {
		(void)snprintf(complaint, COMPLAINT_SIZE, "out of memory");
		return false;
	}
	const bool good = policy_checks_within(result, change, intervals(change, result), complaint);
	free(change);
	return good;
}

static bool policy_checks_capacity(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return policy_checks_look(capacity_of, testing, trial, complaint);
}

/* ---- Work ---------------------------------------------------------------------------------- */

/* How long it ran, of what was kept. */
static sl_time policy_checks_work_of(const struct sl_result *result, uint32_t job, size_t *attempt)
{
	sl_time work = 0;
	const bool several = *attempt < result->attempt_count && result->attempts[*attempt].job == job;
	for (; *attempt < result->attempt_count && result->attempts[*attempt].job == job; ++*attempt) {
		const struct sl_attempt *a = &result->attempts[*attempt];
		work += a->end - a->start - a->suspended - a->lost;
	}
	if (several)
		return work;
	return result->end[job] - result->start[job] - (result->suspended ? result->suspended[job] : 0);
}

static bool work_is_done(const struct sl_result *result, char *complaint)
{
	const struct sl_jobs *jobs = result->jobs;
	size_t attempt = 0;
	char one[48];
	char two[48];
	for (uint32_t job = 0; job < jobs->count; job++) {
		const enum sl_state state = (enum sl_state)result->state[job];
		const bool timeout = state == SL_TIMEOUT;
		if (result->start[job] == SL_NONE || result->end[job] == SL_NONE)
			continue;
		const sl_time work = policy_checks_work_of(result, job, &attempt);
		const sl_time wanted = timeout ? jobs->limit[job] : jobs->run[job];
		if (work == wanted || (!timeout && state != SL_COMPLETED))
			continue;
		(void)snprintf(complaint, COMPLAINT_SIZE,
			"job %" PRId64 " ran for %s, and should have for %s", jobs->id[job],
			seconds(one, work), seconds(two, wanted));
		return false;
	}
	return true;
}

static bool work(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return policy_checks_look(work_is_done, testing, trial, complaint);
}

/* A job that waits for ever was starved: each fits the idle machine, or was dropped when the trace was read.
 */
static bool all_served(const struct sl_result *result, char *complaint)
{
	const struct sl_jobs *jobs = result->jobs;
	uint32_t starved = 0;
	uint32_t first = 0;
	char at[48];
	for (uint32_t job = 0; job < jobs->count; job++) {
		const enum sl_state state = (enum sl_state)result->state[job];
		const bool ended = state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
		if (!ended && !starved++)
			first = job;
	}
	if (starved)
		(void)snprintf(complaint, COMPLAINT_SIZE,
			"%" PRIu32 " of %" PRIu32 " jobs never end, the first is job %" PRId64
			": %s at the end, %" PRId32 " cpus, submitted at %s",
			starved, jobs->count, jobs->id[first],
			sl_state_name((enum sl_state)result->state[first]), jobs->size[first],
			seconds(at, jobs->submit[first]));
	return !starved;
}

static bool served(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return policy_checks_look(all_served, testing, trial, complaint);
}

/* ---- The same in, the same out ---------------------------------------------------------------- */

/* The first job that starts at another time after its submission, for people. */
static void report_difference(
	const struct sl_result *one, const struct sl_result *other, const char *what, char *complaint)
{
	const struct sl_jobs *jobs = one->jobs;
	char first[48];
	char second[48];
	for (uint32_t job = 0; job < jobs->count; job++) {
		const sl_time a = one->start[job];
		const sl_time b = other->start[job];
		if (a == b)
			continue;
		(void)snprintf(complaint, COMPLAINT_SIZE,
			"%s decides otherwise: job %" PRId64 " starts at %s, then at %s", what, jobs->id[job],
			seconds(first, a), seconds(second, b));
		return;
	}
	(void)snprintf(complaint, COMPLAINT_SIZE,
		"%s has other events: digest %016" PRIx64 ", then %016" PRIx64, what, one->digest,
		other->digest);
}

static bool same_digest(
	const struct sim_run *one, const struct sim_run *other, const char *what, char *complaint)
{
	if (one->result.digest == other->result.digest)
		return true;
	report_difference(&one->result, &other->result, what, complaint);
	return false;
}

/* Plainly, and then on another scenario or under --check. */
static bool same_as(const struct testing *testing, const struct trial *trial, const struct scenario *other,
	bool check, const char *what, char *complaint)
{
	struct sim_run one;
	struct sim_run two;
	if (!run_go(&one, testing, &trial->plain, false, complaint))
		return false;
	bool same = run_go(&two, testing, other, check, complaint);
	if (same) {
		same = same_digest(&one, &two, what, complaint);
		sim_release(&two);
	}
	sim_release(&one);
	return same;
}

static bool rerun(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return same_as(testing, trial, &trial->plain, false, "the same run again", complaint);
}

static bool undone(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return same_as(
		testing, trial, &trial->plain, true, "a pass that was taken back and done again", complaint);
}

static bool renamed(const struct testing *testing, const struct trial *trial, char *complaint)
{
	return same_as(testing, trial, &trial->renamed, false,
		"with other numbers of jobs, users and accounts it", complaint);
}

static bool threads(const struct testing *testing, const struct trial *trial, char *complaint)
{
	struct run runs_at_once[2];
	struct sl_err err = { 0 };
	for (size_t i = 0; i < SL_LEN(runs_at_once); i++)
		runs_at_once[i] = (struct run){ .scenario = &trial->plain,
			.choice = *testing->choice,
			.options = { .seed = testing->seed, .stop = &cli_stop } };
	struct sim_run alone;
	if (!run_go(&alone, testing, &trial->plain, false, complaint))
		return false;
	bool same = !runset_run(runs_at_once, SL_LEN(runs_at_once), 2, NULL, NULL, &err);
	if (!same)
		(void)snprintf(complaint, COMPLAINT_SIZE, "%s", err.text);
	for (size_t i = 0; same && i < SL_LEN(runs_at_once); i++)
		same = same_digest(&alone, &runs_at_once[i].sim, "one of two runs at once", complaint);
	runset_release(runs_at_once, SL_LEN(runs_at_once));
	sim_release(&alone);
	return same;
}

/* Times differ, so the digests do. */
static bool later_same(const struct sl_result *one, const struct sl_result *other, char *complaint)
{
	char first[48];
	char second[48];
	for (uint32_t job = 0; job < one->jobs->count; job++) {
		const sl_time a =
			one->start[job] == SL_NONE ? SL_NONE : one->start[job] - one->jobs->submit[job];
		const sl_time b =
			other->start[job] == SL_NONE ? SL_NONE : other->start[job] - other->jobs->submit[job];
		if (a == b)
			continue;
		(void)snprintf(complaint, COMPLAINT_SIZE,
			"ten days later it decides otherwise: job %" PRId64 " waits %s, then %s",
			one->jobs->id[job], seconds(first, a), seconds(second, b));
		return false;
	}
	return true;
}

static bool policy_checks_later(const struct testing *testing, const struct trial *trial, char *complaint)
{
	struct sim_run one;
	struct sim_run two;
	if (!run_go(&one, testing, &trial->plain, false, complaint))
		return false;
	bool same = run_go(&two, testing, &trial->later, false, complaint);
	if (same) {
		same = later_same(&one.result, &two.result, complaint);
		sim_release(&two);
	}
	sim_release(&one);
	return same;
}

const struct policy_check policy_checks[] = {
	{ "runs", "each run ends, and keeps the contract", false, false, runs },
	{ "invariants", "whole after every event, with each pass taken back and done again", false, true,
		invariants },
	{ "capacity", "never more than the machine has, nobody before the submission", false, false,
		policy_checks_capacity },
	{ "work", "each job runs for as long as it should", false, false, work },
	{ "served", "each job that fits the idle machine is run in the end", false, false, served },
	{ "again", "the same run again decides the same", false, false, rerun },
	{ "undone", "a pass that was taken back and done again decides the same", false, true, undone },
	{ "threads", "two runs at once, on two threads, decide the same as one", false, false, threads },
	{ "later", "all of it ten days later decides the same", true, true, policy_checks_later },
	{ "renamed", "other numbers of jobs, users and accounts decide the same", true, true, renamed },
	{ 0 },
};
