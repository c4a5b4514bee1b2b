/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unstarted.c - jobs that still wait as a run is over, and why: also where their policy has no reason for it.
 *
 * A policy says Priority of a job behind others and Resources of the first; neither holds for a job that can
 * never fit on this cluster, nor for one after the last pass. The engine knows, and says so here, once for
 * all policies. A reason of a policy's own stays, but for a quota's: no quota would start a job that does not
 * fit on the cluster.
 */
#include <stdlib.h>

#include "sim/run/feedback.h"
#include "sim/run/pass.h"

/* Reasons of any job, whatever it requests. */
static bool is_general(enum sl_reason reason)
{
	return reason == SL_REASON_NONE || reason == SL_REASON_PRIORITY || reason == SL_REASON_RESOURCES;
}

/* Likewise of one that could never start. */
static bool is_beside(enum sl_reason reason) { return is_general(reason) || reason == SL_REASON_QUOTA; }

/* On the whole of the cluster, were it empty. */
static bool could_hold(struct sim *sim, uint32_t job)
{
	return sim->nodes ? nodes_could_hold(sim->nodes, sim->request[job])
			  : sim->jobs->size[job] <= sim->cluster.cpus;
}

/* Why it could not start on the cluster as it is; SL_REASON_NONE: it could, or an operator opened meanwhile
 * what was closed to it. */
static enum sl_reason why_never(struct sim *sim, uint32_t job)
{
	if (is_gated(sim, job) || could_hold(sim, job))
		return SL_REASON_NONE;
	const uint32_t known = sim->nodes ? sim->requests[sim->request[job]].group->never : 0;
	const enum sl_reason why = known ? (enum sl_reason)known : SL_REASON_BAD_CONSTRAINTS;
	const bool opened = sim->scenario->command_count && is_controlled(sim);
	return opened && why != SL_REASON_BAD_CONSTRAINTS ? SL_REASON_NONE : why;
}

static bool is_left(const struct sim *sim, uint32_t job)
{
	return sim->job_state[job] == SL_PENDING &&
	       (sim->feedback ? sim->feedback->came[job] : job < sim->submitted);
}

/* No job runs, and nothing is to come: what keeps one of whom the policy says nothing of his own. */
static enum sl_reason kept_by(struct sim *sim, uint32_t job, enum sl_reason reported)
{
	if (sim->running || sim->suspended)
		return reported;
	if (!allocation_fits(sim, job))
		return SL_REASON_NODES_NOT_AVAIL;
	const bool others_first = reported == SL_REASON_PRIORITY && queue_first(&sim->queue) != job;
	return reported == SL_REASON_NONE || others_first ? reported : SL_REASON_LEFT;
}

/* Of so many changes of one job: what the policy said last, and what is so. */
static enum sl_reason unstarted_judge(
	struct sim *sim, uint32_t job, const struct sl_reason_change *change, size_t count, uint8_t never)
{
	const enum sl_reason reported = count ? (enum sl_reason)change[count - 1].reason : sim->reason_first;
	if (is_gated(sim, job) || !(never ? is_beside(reported) : is_general(reported)))
		return reported;
	return never ? (enum sl_reason)never : kept_by(sim, job, reported);
}

/* It could never start: whatever was said of any job is of that. */
static void charge_never(struct sl_reason_change *change, size_t count, uint8_t never)
{
	for (size_t i = 0; i < count; i++)
		if (is_beside((enum sl_reason)change[i].reason)) {
			change[i].reason = never;
			change[i].detail = 0;
		}
}

/* Changes once more, with one in front of those of each job that never could start. */
static int insert(struct sim *sim, const uint8_t *never, size_t more)
{
	struct sl_reason_change *all = malloc((sim->reason_count + more) * sizeof(*all));
	size_t count = 0;
	size_t at = 0;
	if (!all)
		return sl_fail_memory(&sim->err);
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		if (never[job])
			all[count++] = (struct sl_reason_change){
				.at = sim->jobs->submit[job], .job = job, .reason = never[job]
			};
		for (; at < sim->reason_count && sim->reason[at].job == job; at++)
			all[count++] = sim->reason[at];
	}
	free(sim->reason);
	sim->reason = all;
	sim->reason_count = sim->reason_capacity = count;
	return SL_OK;
}

static void note_never(struct sl_result *result, uint32_t job, enum sl_reason why)
{
	if (!result->never++) {
		result->never_first = job;
		result->never_why = why;
	} else if (result->never_why != why) {
		result->never_why = SL_REASON_NONE;
	}
}

/* Those that are left, and among them those that can never fit on the cluster. */
static uint32_t count_left(struct sim *sim, uint8_t *never, struct sl_result *result)
{
	uint32_t count = 0;
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		if (!is_left(sim, job))
			continue;
		count++;
		never[job] = (uint8_t)why_never(sim, job);
		if (never[job])
			note_never(result, job, (enum sl_reason)never[job]);
		if (is_controlled(sim) && never[job] != SL_REASON_BAD_CONSTRAINTS)
			never[job] = 0; /* The policy has its own words for it. */
	}
	return count;
}

/* Where reasons are recorded. */
static int judge_all(struct sim *sim, uint8_t *left, uint8_t *never)
{
	size_t at = 0;
	size_t more = 0;
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		struct sl_reason_change *change = &sim->reason[at];
		size_t count = 0;
		while (at < sim->reason_count && sim->reason[at].job == job) {
			at++;
			count++;
		}
		if (left && is_left(sim, job))
			left[job] = (uint8_t)(unstarted_judge(sim, job, change, count, never[job]) + 1);
		if (never[job])
			charge_never(change, count, never[job]);
		if (!is_general(sim->reason_first))
			never[job] = 0;
		more += never[job] != 0;
	}
	return more ? insert(sim, never, more) : SL_OK;
}

int reasons_left(struct sim *sim, bool over, struct sl_result *result)
{
	uint8_t *never = calloc((size_t)sim->jobs->count + 1, 1);
	uint8_t *left = NULL;
	int status = never ? SL_OK : sl_fail_memory(&sim->err);
	const uint32_t count = status ? 0 : count_left(sim, never, result);
	const bool judged = count && sim->options.record & SIM_RECORD_REASONS;
	if (judged && over && !(left = sl_alloc(sim->arena, (size_t)sim->jobs->count + 1, 1)))
		status = sl_fail_memory(&sim->err);
	if (judged && !status)
		status = judge_all(sim, left, never);
	free(never);
	result->left = left;
	result->reasons = sim->reason;
	result->reason_count = sim->reason_count;
	return status;
}
