/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * composed.c - the policy whose parts are chosen by name.
 */
#include "policies/composed/composed.h"

#include <math.h>
#include <string.h>

#include "policies/composed/shares.h"

static const struct plan *const plans[] = { &plan_fcfs, &plan_greedy, &plan_easy, &plan_conservative,
	&plan_recorded, &plan_share, &plan_depth, &plan_slack, &plan_gang, &plan_slices, &plan_quota };

static const struct sl_param params[PARAM_COUNT] = {
	[PARAM_ORDER] = { .key = "order",
		.kind = SL_PARAM_TEXT,
		.fallback = "fcfs",
		.choices =
			"fcfs|sjf|ljf|smallest|largest|saf|laf|srf|wfp3|unicep|f1|f2|f3|f4|fairshare|drf|lottery|"
			"stride|expr:\"...\"",
		.help = "who is first in the queue, head included; an expression is over submit, wait, size, limit, user" },
	[PARAM_PLAN] = { .key = "plan",
		.kind = SL_PARAM_CHOICE,
		.fallback = "easy",
		.choices = "fcfs|greedy|easy|conservative|recorded|share|depth|slack|gang|slices|quota",
		.help = "who starts now, and who is promised a start" },
	[PARAM_FILL] = { .key = "fill",
		.kind = SL_PARAM_TEXT,
		.fallback = "queue",
		.choices = "queue|shortest|an order",
		.help = "order of the candidates behind the head (plan easy); shortest: by estimate" },
	[PARAM_ESTIMATE] = { .key = "estimate",
		.kind = SL_PARAM_CHOICE,
		.fallback = "limit",
		.choices = "limit|exact|tsafrir|file",
		.help = "how long the plan takes a job to run" },
	[PARAM_BY] = { .key = "by",
		.kind = SL_PARAM_CHOICE,
		.fallback = "user",
		.choices = "user|account|partition",
		.help = "who shares the cluster" },
	[PARAM_WEIGHTS] = { .key = "weights",
		.kind = SL_PARAM_TEXT,
		.fallback = "*=1",
		.choices = "\"NAME=NUMBER,...\"",
		.help = "of users (by=...); lottery and stride: tickets; * is everyone not named" },
	[PARAM_HALF_LIFE] = { .key = "half_life",
		.kind = SL_PARAM_TIME,
		.fallback = "7d",
		.choices = "0..1000000d",
		.max = INT64_C(1000000) * 86400 * SL_SECOND,
		.help = "order fairshare: after which usage counts half; 0: it never fades" },
	[PARAM_INITIAL] = { .key = "initial",
		.kind = SL_PARAM_TEXT,
		.fallback = "*=0",
		.choices = "\"NAME=NUMBER,...\"",
		.help = "order fairshare: usage at the trace's zero, in cpu-seconds" },
	[PARAM_CHARGE] = { .key = "charge",
		.kind = SL_PARAM_CHOICE,
		.fallback = "cpus",
		.choices = "cpus|dominant",
		.help = "order fairshare: usage is of cpus, or of the resource of which a job takes the largest part" },
	[PARAM_COST] = { .key = "cost",
		.kind = SL_PARAM_CHOICE,
		.fallback = "work",
		.choices = "work|size",
		.help = "order stride: a job costs its size times its estimate in seconds, or its size" },
	[PARAM_BLOCKED] = { .key = "blocked",
		.kind = SL_PARAM_CHOICE,
		.fallback = "party",
		.choices = "party|all",
		.help = "plan share: a job that does not fit is waited for by its party, or by all" },
	[PARAM_DEPTH] = { .key = "depth",
		.kind = SL_PARAM_INT,
		.fallback = "4",
		.choices = "1..1000000000",
		.min = 1,
		.max = 1000000000,
		.help = "plan depth: so many waiting jobs hold promises" },
	[PARAM_SLACK] = { .key = "slack",
		.kind = SL_PARAM_REAL,
		.fallback = "1",
		.choices = "0..1000000",
		.max = INT64_C(1000000) * SL_SECOND,
		.help = "plan slack: how much later than first promised a job may start, in its estimates" },
	[PARAM_SLACK_TIME] = { .key = "slack_time",
		.kind = SL_PARAM_TIME,
		.fallback = "0",
		.choices = "0..1000000d",
		.max = INT64_C(1000000) * 86400 * SL_SECOND,
		.help = "plan slack: the same as a time, on top" },
	[PARAM_TRIES] = { .key = "tries",
		.kind = SL_PARAM_INT,
		.fallback = "16",
		.choices = "1..1000000000",
		.min = 1,
		.max = 1000000000,
		.help = "plan slack: for so many candidates a pass tries to move others" },
	[PARAM_QUANTUM] = { .key = "quantum",
		.kind = SL_PARAM_TIME,
		.fallback = "200",
		.choices = "1ms..1000000d",
		.min = 1000,
		.max = INT64_C(1000000) * 86400 * SL_SECOND,
		.help = "plan slices: how long a row has its turn" },
	[PARAM_ROWS] = { .key = "rows",
		.kind = SL_PARAM_INT,
		.fallback = "5",
		.choices = "1..1000",
		.min = 1,
		.max = 1000,
		.help = "plan slices: at most so many, the multiprogramming level" },
	[PARAM_ALTERNATE] = { .key = "alternate",
		.kind = SL_PARAM_BOOL,
		.fallback = "true",
		.help = "plan slices: jobs of other rows run where the row whose turn it is leaves room" },
	[PARAM_QUOTAS] = { .key = "quotas",
		.kind = SL_PARAM_TEXT,
		.fallback = "equal",
		.choices = "equal|\"NAME=NUMBER,...\"",
		.help = "plan quota: what is guaranteed, in GPUs where the cluster has any, else cpus; * is everyone not named" },
	[PARAM_PREEMPT] = { .key = "preempt",
		.kind = SL_PARAM_CHOICE,
		.fallback = "requeue",
		.choices = "requeue|checkpoint|none",
		.help = "plan quota: what becomes of borrowers when a guaranteed share is claimed" },
};

/* Plans and estimates that lean on each other's fine print. */
static int init_fill(struct composed *composed, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	composed->fill.by_row = true;
	if (strcmp(text, "queue") == 0)
		return SL_OK;
	if (!composed->plan->fills)
		return sl_fail(err, SL_USAGE,
			"fill=%s means nothing under plan=%s: it orders the candidates of plan=easy", text,
			composed->plan->name);
	const int status =
		ordering_init(&composed->fill, strcmp(text, "shortest") == 0 ? "sjf" : text, arena, err);
	if (!status && composed->fill.waits)
		return sl_fail(err, SL_USAGE,
			"fill=%s depends on the wait: candidates are ordered once, at submission", text);
	composed->fill.by_row = false; /* Even by submission: the queue's own order may be another. */
	return status;
}

/* What neither the order nor the plan reads would be given in vain. */
static int refuse_idle(const struct composed *composed, struct sl_err *err)
{
	const struct order *order = composed->order.order;
	const unsigned takes = composed->plan->takes | (order ? order->takes : 0);
	for (unsigned i = PARAM_BY; i < PARAM_COUNT; i++)
		if (!(takes & TAKES(i)) && strcmp(composed->values[i].text, params[i].fallback) != 0)
			return sl_fail(err, SL_USAGE, "%s=%s means nothing under order=%s, plan=%s",
				params[i].key, composed->values[i].text, composed->values[PARAM_ORDER].text,
				composed->plan->name);
	return SL_OK;
}

/* An order of parties stands on what the plan asks of an order. */
static int init_shares(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const struct plan *plan = composed->plan;
	const struct sl_value *values = setup->values;
	const struct order *order = composed->order.order;
	if (!order || !order->sharing) {
		if (plan == &plan_share)
			return sl_fail(err, SL_USAGE,
				"plan=share goes by parties: use order=fairshare, drf, lottery or stride, not %s",
				values[PARAM_ORDER].text);
		return SL_OK;
	}
	if (order->sharing->drawn && !plan->turns)
		return sl_fail(err, SL_USAGE,
			"order=%s draws who is next, and has no order beyond: use plan=share, fcfs or easy, not %s",
			order->name, plan->name);
	const struct shares_options options = {
		.sharing = order->sharing,
		.by = values[PARAM_BY].number,
		.weights = values[PARAM_WEIGHTS].text,
		.initial = values[PARAM_INITIAL].text,
		.half_life = values[PARAM_HALF_LIFE].number,
		.dominant = values[PARAM_CHARGE].number,
		.by_size = values[PARAM_COST].number,
	};
	return shares_init(&composed->shares, &options, setup, err);
}

/* A candidates' order of its own, or no candidates, and the queue need not stand in the parties' order. */
static bool has_keys(const struct composed *composed)
{
	if (!composed->shares)
		return !composed->order.by_row;
	return !composed->order.order->sharing->drawn && !composed->plan->parts;
}

static int init_parts(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const char *order = setup->values[PARAM_ORDER].text;
	int status = ordering_init(&composed->order, order, setup->arena, err);
	if (!status && (composed->plan->key || composed->plan->own_order) && !composed->order.by_row)
		status = sl_fail(err, SL_USAGE,
			"order=%s means nothing under plan=%s, which has an order of its own", order,
			composed->plan->name);
	if (!status)
		status = refuse_idle(composed, err);
	if (!status)
		status = init_shares(composed, setup, err);
	if (!status)
		status = init_fill(composed, setup->values[PARAM_FILL].text, setup->arena, err);
	return status;
}

static int composed_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct composed *composed = sl_alloc(setup->arena, 1, sizeof(*composed));
	if (!composed)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	*state = composed;
	composed->values = setup->values;
	composed->plan = plans[setup->values[PARAM_PLAN].number];
	composed->estimate = &estimates[setup->values[PARAM_ESTIMATE].number];
	int status = init_parts(composed, setup, err);
	if (status)
		return status;
	unsigned uses = composed->plan->uses | composed->estimate->uses;
	uses |= has_keys(composed) ? SL_USE_KEYS : 0;
	uses |= composed->fill.by_row ? 0 : SL_USE_FILL;
	status = sl_use(setup, uses, err);
	if (!status && composed->plan->init)
		status = composed->plan->init(composed, setup, err);
	if (!status && composed->estimate->init)
		status = composed->estimate->init(composed, setup, err);
	sl_default_reason(setup, composed->plan->reason);
	return status;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static double queue_key(void *state, struct sl_pass *pass, sl_job job)
{
	const struct composed *composed = state;
	const struct facts facts = facts_of(pass, job);
	return ordering_score(&composed->order, &facts);
}

static void submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (composed->estimate->submitted)
		composed->estimate->submitted(composed, pass, job);
	double key = composed->shares ? shares_submitted(composed->shares, pass, job) : 0;
	if (composed->plan->key)
		key = composed->plan->key(pass, job);
	else if (!composed->shares && has_keys(composed))
		key = queue_key(composed, pass, job);
	if (composed->plan->key || has_keys(composed))
		sl_set_key(pass, job, key);
	if (!composed->fill.by_row) {
		const struct facts facts = facts_of(pass, job);
		sl_set_fill_key(pass, job, ordering_score(&composed->fill, &facts));
	}
	if (composed->plan->submitted)
		composed->plan->submitted(composed, pass, job);
}

static void ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (composed->shares)
		shares_ended(composed->shares, pass, job);
	if (composed->plan->ended)
		composed->plan->ended(composed, pass, job);
}

static void composed_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct composed *composed = state;
	const sl_job job = { event->row };
	switch (event->class) {
	case SL_EV_SUBMIT:
		submitted(composed, pass, job);
		break;
	case SL_EV_JOB_END:
	case SL_EV_TIME_LIMIT:
		if (composed->estimate->ended)
			composed->estimate->ended(composed, pass, job);
		ended(composed, pass, job);
		break;
	case SL_EV_CANCEL:
		ended(composed, pass, job);
		break;
	case SL_EV_TIMER:
		/* It may have ended, or its estimate may have been moved since. */
		if (composed->estimate->expired && sl_state_of(pass, job) == SL_RUNNING &&
			sl_start_of(pass, job) + sl_estimate_of(pass, job) == sl_now(pass) &&
			sl_estimate_of(pass, job) < sl_jobs_of(pass)->limit[job.row])
			composed->estimate->expired(composed, pass, job);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_RESERVATION:
	case SL_EV_MODEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
}

/* ---- Passes ------------------------------------------------------------------------------------ */

bool composed_start(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!sl_start(pass, job))
		return false;
	if (composed->shares)
		shares_started(composed->shares, pass, job);
	return true;
}

bool composed_preempt(struct composed *composed, struct sl_pass *pass, sl_job job, enum sl_preempt how)
{
	if (!sl_preempt(pass, job, how))
		return false;
	if (composed->shares)
		shares_stopped(composed->shares, pass, job,
			how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT);
	return true;
}

bool composed_resume(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!sl_resume(pass, job))
		return false;
	if (composed->shares)
		shares_started(composed->shares, pass, job);
	return true;
}

void composed_undo(struct composed *composed, struct sl_pass *pass, sl_marked mark)
{
	sl_undo(pass, mark);
	if (composed->shares)
		parties_rewind(&composed->shares->parties);
}

sl_job composed_first(struct composed *composed, struct sl_pass *pass)
{
	return composed->shares ? shares_first(composed->shares, pass) : sl_queue_first(pass);
}

void composed_start_due(struct composed *composed, struct sl_pass *pass)
{
	if (!composed->shares) {
		sl_promises_start(pass);
		return;
	}
	sl_job job = SL_JOB_NONE;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, NULL)))
		if (sl_promise_of(pass, job) != SL_NONE && sl_promise_of(pass, job) <= sl_now(pass))
			(void)composed_start(composed, pass, job);
}

static void composed_pass(void *state, struct sl_pass *pass)
{
	struct composed *composed = state;
	const struct plan *plan = composed->plan;
	if (composed->order.waits)
		sl_queue_rekey(pass, queue_key, composed);
	if (composed->shares)
		shares_begin(composed->shares, pass,
			!plan->parts && (!plan->turns || (composed->fill.by_row && sl_any_fits(pass))));
	plan->pass(composed, pass);
}

const struct sl_policy policy_composed = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "composed",
	.summary = "built from parts: order, plan, fill, estimate, and what they take",
	.paper = "each part's own",
	.params = params,
	.param_count = PARAM_COUNT,
	.init = composed_init,
	.pass = composed_pass,
	.on_event = composed_event,
};
