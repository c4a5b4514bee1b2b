/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_depth.c - backfilling with k reservations, made anew in each pass for the first k jobs that cannot
 * start; a job that delays none may start.
 */
#include "policies/composed/by_lane.h"
#include "policies/composed/composed.h"

struct depth {
	sl_job *held; /* Jobs with a reservation, in the order in which these were made. */
	uint32_t most;
};

static int depth_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const int64_t depth = setup->values[PARAM_DEPTH].number;
	struct depth *state = composed->own = sl_alloc(setup->arena, 1, sizeof(*state));
	if (state) {
		state->most = depth < setup->jobs->count ? (uint32_t)depth : setup->jobs->count;
		state->held = sl_alloc(setup->arena, (size_t)state->most + 1, sizeof(*state->held));
	}
	return state && state->held ? SL_OK : sl_fail_memory(err);
}

/* In queue order: jobs that can start beside the reservations made so far do, the others get reservations, up
 * to depth. Returns the last job tried. */
static sl_job promise_first(struct composed *composed, struct sl_pass *pass, uint32_t lane, uint32_t *held)
{
	const struct depth *state = composed->own;
	sl_job last = SL_JOB_NONE;
	sl_job job = sl_lane_first(pass, lane);
	while (sl_job_is(job) && *held < state->most) {
		const sl_job next = sl_lane_after(pass, lane, job);
		const sl_time at = sl_promise_at(pass, job);
		sl_set_cause(
			pass, *held ? SL_RULE_BACKFILL : SL_RULE_ORDER, *held ? state->held[0] : SL_JOB_NONE);
		if (at > sl_now(pass) || !composed_start(composed, pass, job)) {
			(void)sl_promise_set(pass, job, at);
			sl_report_plan(pass, job, at);
			state->held[(*held)++] = job;
		}
		last = job;
		job = next;
	}
	return last;
}

/* The first one's reservation, as if there were no others. */
static struct sl_promise first_shadow(const struct depth *state, struct sl_pass *pass, uint32_t held)
{
	const sl_marked mark = sl_mark(pass);
	for (uint32_t i = 0; i < held; i++)
		sl_promise_drop(pass, state->held[i]);
	const struct sl_promise shadow = sl_shadow(pass, state->held[0]);
	sl_undo(pass, mark);
	return shadow;
}

/* Jobs that delay no reservation. What would move the first one is skipped by the queue's index, untried. */
static void fill_beside(struct composed *composed, struct sl_pass *pass, sl_job after, uint32_t held)
{
	const struct depth *state = composed->own;
	const uint32_t lane = sl_lane_of(pass, state->held[0]);
	sl_set_cause(pass, SL_RULE_BACKFILL, state->held[0]);
	struct sl_promise shadow = first_shadow(state, pass, held);
	sl_job job =
		composed->fill.by_row ? after : SL_JOB_NONE; /* Candidates may have an order of their own. */
	for (;;) {
		struct sl_promise left = shadow;
		job = sl_lane_next_fit(pass, lane, job, &left);
		if (!sl_job_is(job))
			return;
		if (sl_promise_at(pass, job) <= sl_now(pass) && composed_start(composed, pass, job))
			shadow = left;
	}
}

static void depth_lane(struct composed *composed, struct sl_pass *pass, uint32_t lane)
{
	const struct depth *state = composed->own;
	const sl_job first = sl_lane_first(pass, lane);
	if (!sl_job_is(first))
		return;
	if (!sl_any_fits(pass)) {
		sl_head_waits(pass, first);
		return;
	}
	uint32_t held = 0;
	const sl_job last = promise_first(composed, pass, lane, &held);
	if (!held)
		return;
	if (sl_any_fits(pass))
		fill_beside(composed, pass, last, held);
	for (uint32_t i = 0; i < held; i++)
		sl_promise_drop(pass, state->held[i]);
	sl_head_waits(pass, state->held[0]);
}

/* Where lanes share nodes, one keeps no reservation of another's: each makes its own in turn. */
static void depth_pass(struct composed *composed, struct sl_pass *pass)
{
	if (sl_any_fits(pass))
		sl_report_plan(pass, SL_JOB_NONE, SL_NONE); /* They are made anew. */
	lanes_each(composed, pass, depth_lane);
}

const struct plan plan_depth = {
	.name = "depth",
	.summary = "the first k are promised the earliest start; others may overtake if they move no promise",
	.paper =
		"Chiang, Arpaci-Dusseau & Vernon, The impact of more accurate requested runtimes on production job "
		"scheduling performance, JSSPP 2002",
	.uses = SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_DEPTH) | TAKES_POWER,
	.fills = true,
	.lanes = true,
	.init = depth_init,
	.pass = depth_pass,
};
