/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_slack.c - slack-based backfilling: each waiting job has a reservation, which may slip, but no further
 * than a slack beyond the first.
 *
 * Invariant, while estimates hold: each waiting job has a reservation no later than its bound, the first one
 * plus slack; so it starts by its bound. Talby & Feitelson search for the cheapest of all schedules within
 * the slacks; here the first candidate in queue order starts that leaves every job within its slack.
 */
#include <stdlib.h>

#include "policies/composed/composed.h"

struct promised {
	sl_time at;
	uint32_t place; /* In the queue. */
	sl_job job;
};

struct slack {
	sl_ledger bound; /* By job: latest start less submission, plus 1; 0: none yet. */
	sl_ledger seen;  /* Submitted jobs below have theirs. */
	uint32_t submitted;
	struct promised *promised; /* By (at, place). */
	uint32_t count;
};

static int slack_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct slack *slack = composed->own = sl_alloc(setup->arena, 1, sizeof(*slack));
	const uint32_t jobs = setup->jobs->count;
	if (slack)
		slack->promised = sl_alloc(setup->arena, (size_t)jobs + 1, sizeof(*slack->promised));
	if (!slack || !slack->promised)
		return sl_fail_memory(err);
	slack->bound = sl_ledger_new(setup, "bounds", jobs + 1);
	slack->seen = sl_ledger_new(setup, "bounded", 1);
	return SL_OK;
}

static void slack_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct slack *slack = composed->own;
	const int64_t seen = sl_ledger_get(pass, slack->seen, 0);
	if (job.row < seen) /* It was kept from the queue until now. */
		sl_ledger_add(pass, slack->seen, 0, job.row - seen);
	if (job.row >= slack->submitted)
		slack->submitted = job.row + 1;
}

/* The first reservation, plus what the parameters allow. */
static void bound_new(struct composed *composed, struct sl_pass *pass)
{
	const struct slack *slack = composed->own;
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const int64_t seen = sl_ledger_get(pass, slack->seen, 0);
	for (uint32_t row = (uint32_t)seen; row < slack->submitted; row++) {
		const sl_job job = { row };
		const sl_time at = sl_promise_of(pass, job);
		if (at == SL_NONE || sl_ledger_get(pass, slack->bound, row))
			continue;
		const double most = (double)SL_NEVER / 4;
		const double allowed = (double)sl_estimate_of(pass, job) *
				       ((double)composed->values[PARAM_SLACK].number / (double)SL_SECOND);
		const sl_time slip = allowed > most
					     ? (sl_time)most
					     : sl_mul_div(sl_estimate_of(pass, job),
						       composed->values[PARAM_SLACK].number, SL_SECOND);
		const sl_time first =
			at - jobs->submit[row] < (sl_time)most ? at - jobs->submit[row] : (sl_time)most;
		sl_ledger_add(pass, slack->bound, row,
			first + slip + composed->values[PARAM_SLACK_TIME].number + 1);
	}
	if (slack->submitted != seen)
		sl_ledger_add(pass, slack->seen, 0, slack->submitted - seen);
}

static int compare_promised(const void *a, const void *b)
{
	const struct promised *x = a;
	const struct promised *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void list_promised(struct slack *slack, const struct sl_pass *pass)
{
	slack->count = 0;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		slack->promised[slack->count] =
			(struct promised){ sl_promise_of(pass, job), slack->count, job };
		slack->count++;
	}
	if (slack->count)
		qsort(slack->promised, slack->count, sizeof(*slack->promised), compare_promised);
}

/* Its reservation was at `before`. A bound that has passed, as estimates did not hold, binds no more. */
static bool place_retry(const struct slack *slack, struct sl_pass *pass, const struct promised *before)
{
	const sl_job job = before->job;
	const sl_time at = sl_promise_at(pass, job);
	const int64_t bound = sl_ledger_get(pass, slack->bound, job.row) - 1;
	if (at == SL_NEVER || (at > before->at && at - sl_jobs_of(pass)->submit[job.row] > bound))
		return false;
	return sl_promise_set(pass, job, at);
}

/* Starts the job now, and makes all reservations anew, in their order. Nothing happens if a job would have to
 * wait beyond its bound. */
static bool start_early(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct slack *slack = composed->own;
	const sl_marked mark = sl_mark(pass);
	for (uint32_t i = 0; i < slack->count; i++)
		sl_promise_drop(pass, slack->promised[i].job);
	bool good = composed_start(composed, pass, job);
	for (uint32_t i = 0; i < slack->count && good; i++)
		good = slack->promised[i].job.row == job.row || place_retry(slack, pass, &slack->promised[i]);
	if (good)
		sl_keep(pass, mark);
	else
		composed_undo(composed, pass, mark);
	return good;
}

static void fill_within_slack(struct composed *composed, struct sl_pass *pass)
{
	struct slack *slack = composed->own;
	bool listed = false;
	sl_set_cause(pass, SL_RULE_SLACK, sl_queue_first(pass));
	int64_t tries = composed->values[PARAM_TRIES].number;
	sl_job job = SL_JOB_NONE;
	while (tries-- && sl_job_is(job = sl_queue_next_fit(pass, job, NULL))) {
		if (!listed)
			list_promised(slack, pass);
		listed = !start_early(composed, pass, job);
	}
}

static void slack_pass(struct composed *composed, struct sl_pass *pass)
{
	if (sl_promises_broken(pass))
		sl_promises_drop(pass);
	else
		sl_promises_compress(pass);
	sl_promises_make(pass);
	bound_new(composed, pass);
	composed_start_due(composed, pass);
	if (sl_any_fits(pass)) {
		fill_within_slack(composed, pass);
		composed_start_due(composed, pass);
	}
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_waits(pass, head);
}

const struct plan plan_slack = {
	.name = "slack",
	.summary = "everyone is promised a start; others may overtake if no promise slips beyond its slack",
	.paper =
		"Talby & Feitelson, Supporting priorities and improving utilization of the IBM SP scheduler using "
		"slack-based backfilling, IPPS 1999",
	.uses = SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_SLACK) | TAKES(PARAM_SLACK_TIME) | TAKES(PARAM_TRIES),
	.fills = true,
	.init = slack_init,
	.pass = slack_pass,
	.submitted = slack_submitted,
};
