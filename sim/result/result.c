/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.c - a job's waiting, attempts and charges, from a result's columns and attempts.
 *
 * Nearly all jobs have one attempt, which only the columns know.
 */
#include "sim/base/base.h"

/* The first attempt, from `low` on, of a job of that row or behind it. */
static size_t attempts_from(const struct sl_result *result, size_t low, uint32_t job)
{
	size_t high = result->attempt_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (result->attempts[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Asked for each waiting interval of a job: none of its attempts is counted one by one. */
size_t sl_attempts_of(const struct sl_result *result, uint32_t job, const struct sl_attempt **attempt)
{
	*attempt = NULL;
	if (!result->attempt_count) /* As in most runs. */
		return 0;
	const size_t first = attempts_from(result, 0, job);
	const size_t count = attempts_from(result, first, job + 1) - first;
	if (count)
		*attempt = &result->attempts[first];
	return count;
}

struct sl_allocation sl_allocation_of(
	const struct sl_result *result, uint32_t job, const struct sl_attempt *attempt)
{
	if (!result->place)
		return (struct sl_allocation){ 0 };
	if (attempt)
		return (struct sl_allocation){ result->place + attempt->place, attempt->places, attempt->cpus,
			attempt->gpus };
	return (struct sl_allocation){ result->place + result->place_first[job], result->place_count[job],
		sl_cpus_of(result, job), sl_gpus_of(result, job) };
}

/* Until when it waited for its first start. Before its submission: it has not (SL_NONE). */
static sl_time waited_until(const struct sl_result *result, uint32_t job)
{
	if (result->start[job] != SL_NONE)
		return result->start[job];
	if (result->jobs->submit[job] > result->last)
		return SL_NONE;
	return result->end[job] != SL_NONE ? result->end[job] : result->last;
}

/* Behind its last attempt: it was put back, and has not started since. */
static bool may_requeue(
	const struct sl_result *result, uint32_t job, const struct sl_attempt *last, sl_time *until)
{
	*until = result->end[job] != SL_NONE ? result->end[job] : result->last;
	return result->end[job] != SL_NONE ? *until > last->end : result->state[job] == SL_PENDING;
}

bool sl_wait_interval(
	const struct sl_result *result, uint32_t job, size_t index, sl_time *from, sl_time *until)
{
	if (index == 0) {
		*from = result->jobs->submit[job];
		*until = waited_until(result, job);
		return *until != SL_NONE;
	}
	if (index > result->attempt_count) /* Most jobs have no attempts: this is enough. */
		return false;
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	if (index > count)
		return false;
	*from = attempt[index - 1].end;
	if (index == count)
		return may_requeue(result, job, &attempt[count - 1], until);
	*until = attempt[index].start;
	return true;
}

sl_time sl_wait_total_of(const struct sl_result *result, uint32_t job)
{
	sl_time total = 0;
	sl_time from;
	sl_time until;
	for (size_t i = 0; sl_wait_interval(result, job, i, &from, &until); i++)
		total += until - from;
	return total;
}

/* ---- Charges ---------------------------------------------------------------------------------------- */

struct sl_charging sl_charges_of(const struct sl_result *result, uint32_t job)
{
	struct sl_charging charging = { .result = result, .job = job };
	size_t high = result->reason_count;
	while (charging.change < high) {
		const size_t middle = charging.change + (high - charging.change) / 2;
		if (result->reasons[middle].job < job)
			charging.change = middle + 1;
		else
			high = middle;
	}
	return charging;
}

enum sl_reason sl_reason_last(const struct sl_result *result, uint32_t job)
{
	if (result->left && result->left[job])
		return (enum sl_reason)(result->left[job] - 1);
	const struct sl_charging all = sl_charges_of(result, job);
	enum sl_reason reason = result->reason_default;
	for (size_t i = all.change; i < result->reason_count && result->reasons[i].job == job; i++)
		reason = (enum sl_reason)result->reasons[i].reason;
	return reason;
}

/* The next change of its reason; NULL: none before then. */
static const struct sl_reason_change *change_before(const struct sl_charging *charging, sl_time until)
{
	const struct sl_result *result = charging->result;
	if (charging->change == result->reason_count)
		return NULL;
	const struct sl_reason_change *change = &result->reasons[charging->change];
	return change->job == charging->job && change->at < until ? change : NULL;
}

/* The next waiting interval that is not empty. */
static bool enter_range(struct sl_charging *charging)
{
	struct sl_charge *now = &charging->now;
	do
		if (!sl_wait_interval(
			    charging->result, charging->job, charging->range++, &now->from, &now->until))
			return false;
	while (now->until <= now->from);
	now->reason = charging->result->reason_default;
	now->detail = 0;
	return charging->inside = true;
}

static bool next_charge(struct sl_charging *charging, struct sl_charge *charge)
{
	struct sl_charge *now = &charging->now;
	if (!charging->inside &&
		(charging->range > charging->result->attempt_count || !enter_range(charging)))
		return false;
	for (const struct sl_reason_change *change; (change = change_before(charging, now->until));) {
		charging->change++;
		const struct sl_reason_change *next = change_before(charging, now->until);
		/* Of another attempt, or not the last word of its instant. */
		if (change->at < now->from || (next && next->at == change->at))
			continue;
		if (change->reason == now->reason && change->detail == now->detail)
			continue;
		*charge = *now;
		charge->until = change->at;
		now->from = change->at;
		now->reason = (enum sl_reason)change->reason;
		now->detail = change->detail;
		if (charge->until > charge->from)
			return true;
	}
	charging->inside = false;
	*charge = *now;
	return true;
}

/* Of a job that waits for good: what keeps it, unless that was said. */
static bool last_word(struct sl_charging *charging, struct sl_charge *charge)
{
	const struct sl_result *result = charging->result;
	const uint8_t left = result->left ? result->left[charging->job] : 0;
	const sl_time submit = result->jobs->submit[charging->job];
	const bool said = charging->said && charging->now.reason + 1U == left;
	charging->over = true;
	if (!left || said)
		return false;
	const sl_time at = submit > result->last ? submit : result->last;
	*charge = (struct sl_charge){ .from = at, .until = at, .reason = (enum sl_reason)(left - 1) };
	return true;
}

bool sl_charge_next(struct sl_charging *charging, struct sl_charge *charge)
{
	if (charging->over)
		return false;
	if (!next_charge(charging, charge))
		return last_word(charging, charge);
	charging->said = true;
	return true;
}

sl_time sl_suspended_of(const struct sl_result *result, uint32_t job)
{
	if (!result->suspended && !result->attempt_count)
		return 0;
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	sl_time total = count || !result->suspended ? 0 : result->suspended[job];
	for (size_t i = 0; i < count; i++)
		total += attempt[i].suspended;
	return total;
}

sl_time sl_run_time_of(const struct sl_result *result, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	sl_time held = 0;
	for (size_t i = 0; i < count; i++)
		held += attempt[i].end - attempt[i].start;
	if (!count && result->start[job] != SL_NONE)
		held = (result->end[job] != SL_NONE ? result->end[job] : result->last) - result->start[job];
	return held - sl_suspended_of(result, job);
}

enum sl_state sl_state_reported(const struct sl_result *result, uint32_t job)
{
	const struct sl_jobs *jobs = result->jobs;
	const enum sl_state state = (enum sl_state)result->state[job];
	if (state != SL_COMPLETED || !jobs->more_of || !jobs->more_of[job])
		return state;
	const enum sl_state recorded = jobs->more[jobs->more_of[job]].state_recorded;
	const bool ended = recorded != SL_PENDING && recorded != SL_RUNNING && recorded != SL_SUSPENDED;
	return ended ? recorded : state;
}

/* Its request; NULL where a job is so many cpus, also if a policy made a counted pool into nodes. */
static const struct sl_request *result_request_of(const struct sl_result *result, uint32_t job)
{
	const struct sl_jobs *jobs = result->jobs;
	return jobs->request ? &jobs->requests[jobs->request[job]] : NULL;
}

int64_t sl_cpus_of(const struct sl_result *result, uint32_t job)
{
	if (result->cpus_held && result->start[job] != SL_NONE)
		return result->cpus_held[job];
	const struct sl_request *request = result_request_of(result, job);
	return request ? request->cpus : result->jobs->size[job];
}

int64_t sl_gpus_of(const struct sl_result *result, uint32_t job)
{
	if (result->gpus_held && result->start[job] != SL_NONE)
		return result->gpus_held[job];
	const struct sl_request *request = result_request_of(result, job);
	return request ? request->gpus : 0;
}
