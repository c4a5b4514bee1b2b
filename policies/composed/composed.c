/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * composed.c - the policy `composed`: its parts (order, plan, estimate, placement) are chosen by name.
 */
#include "policies/composed/composed.h"

#include <math.h>
#include <string.h>

#include "policies/composed/by_lane.h"
#include "policies/composed/fair_shares.h"

static const struct plan *const plans[] = { &plan_fcfs, &plan_greedy, &plan_easy, &plan_conservative,
	&plan_recorded, &plan_commit, &plan_share, &plan_depth, &plan_slack, &plan_gang, &plan_slices,
	&plan_quota, &plan_easy_named, &plan_conservative_named, &plan_loss, &plan_srtf, &plan_elastic };

/* Plans and estimates that lean on each other's fine print. */
static int init_fill(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const char *text = setup->values[PARAM_FILL].text;
	struct sl_arena *arena = setup->arena;
	composed->fill.by_row = true;
	composed->fill_none = strcmp(text, "none") == 0;
	if (strcmp(text, "queue") == 0) {
		if (!composed->plan->fills_by_submission || composed->order.by_row)
			return SL_OK;
		text = "fcfs";
	} else if (composed->fill_none) {
		return SL_OK;
	} else if (!composed->plan->fills) {
		return sl_fail(err, SL_USAGE,
			"fill=%s means nothing under plan=%s: it orders the candidates of plan=easy", text,
			composed->plan->name);
	}
	int status = ordering_init(&composed->fill, strcmp(text, "shortest") == 0 ? "sjf" : text, arena, err);
	if (!status)
		status = part_init(composed, &composed->fill.part, setup, PARAM_FILL, "fill", err);
	if (!status && composed->fill.waits)
		return sl_fail(err, SL_USAGE,
			"fill=%s depends on the wait: candidates are ordered once, at submission", text);
	composed->fill.by_row = false; /* Even by submission: the queue's own order may be another. */
	return status;
}

/* A parameter that neither the order nor the plan reads is an error. */
static int refuse_idle(const struct composed *composed, struct sl_err *err)
{
	const struct order *order = composed->order.order;
	const uint64_t takes = composed->plan->takes | (order ? order->takes : 0);
	for (unsigned i = PARAM_BY; i < PARAM_COUNT; i++)
		if (!(takes & TAKES(i)) && strcmp(composed->values[i].text, composed_params[i].fallback) != 0)
			return sl_fail(err, SL_USAGE, "%s=%s means nothing under order=%s, plan=%s",
				composed_params[i].key, composed->values[i].text,
				composed->values[PARAM_ORDER].text, composed->plan->name);
	return SL_OK;
}

/* An order of share holders must support what the plan needs of an order. */
static int init_fair_shares(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const struct plan *plan = composed->plan;
	const struct sl_value *values = setup->values;
	const struct order *order = composed->order.order;
	if (!order || !order->fair_share) {
		if (plan == &plan_share)
			return sl_fail(err, SL_USAGE,
				"plan=share goes by parties: use order=fairshare, drf, lottery or stride, not %s",
				values[PARAM_ORDER].text);
		return SL_OK;
	}
	if (order->fair_share->drawn && !plan->turns)
		return sl_fail(err, SL_USAGE,
			"order=%s draws who is next, and has no order beyond: use plan=share, fcfs or easy, not %s",
			order->name, plan->name);
	const struct fair_shares_options options = {
		.fair_share = order->fair_share,
		.by = values[PARAM_BY].number,
		.weights = values[PARAM_WEIGHTS].text,
		.initial = values[PARAM_INITIAL].text,
		.half_life = values[PARAM_HALF_LIFE].number,
		.dominant = values[PARAM_CHARGE].number,
		.by_size = values[PARAM_COST].number,
	};
	return fair_shares_init(&composed->fair_shares, &options, setup, err);
}

/* With its own order of candidates, or none, the queue need not be in the share holders' order. */
static bool has_keys(const struct composed *composed)
{
	if (!composed->fair_shares)
		return !composed->order.by_row;
	return !composed->order.order->fair_share->drawn && !composed->plan->parts;
}

/* The shadow is EASY's: elsewhere there is none to freeze, and nothing to spare. The three stand together. */
static int init_shadow(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	composed->spare = (enum sl_spare)setup->values[PARAM_SPARE].number;
	composed->frozen = setup->values[PARAM_SHADOW].number;
	composed->fitting = setup->values[PARAM_ARRIVALS].number;
	if (composed->plan->shadows)
		return SL_OK;
	for (size_t which = PARAM_SHADOW; which <= PARAM_ARRIVALS; which++)
		if (setup->values[which].number)
			return sl_fail(err, SL_USAGE,
				"%s=%s means nothing under plan=%s, which has no shadow: use plan=easy",
				composed_params[which].key, setup->values[which].text, composed->plan->name);
	return SL_OK;
}

/* Is there any part that reads events? Under the plainest policies there is none. */
static bool hears(const struct composed *composed)
{
	const struct plan *plan = composed->plan;
	const struct estimate *estimate = composed->estimate;
	return plan->notes || plan->key || plan->submitted || plan->ended || plan->beyond || plan->opened ||
	       estimate->submitted || estimate->ended || estimate->expired || composed->fitting ||
	       composed->parts || composed->lanes || composed->fair_shares || has_keys(composed) ||
	       !composed->fill.by_row;
}

static int init_order(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const char *text = setup->values[PARAM_ORDER].text;
	int status = ordering_init(&composed->order, text, setup->arena, err);
	if (!status)
		status = part_init(composed, &composed->order.part, setup, PARAM_ORDER, "order", err);
	if (!status && composed->order.part)
		composed->order.waits = part_waits(composed->order.part, "order");
	if (!status && (composed->plan->key || composed->plan->own_order) && !composed->order.by_row)
		return sl_fail(err, SL_USAGE,
			"order=%s means nothing under plan=%s, which has an order of its own", text,
			composed->plan->name);
	if (!status)
		status = refuse_idle(composed, err);
	if (!status)
		status = init_fair_shares(composed, setup, err);
	composed->wait_published = setup->values[PARAM_WAIT].number && composed->order.waits;
	if (composed->wait_published)
		composed->order.waits = false; /* It depends on the submission alone. */
	return status;
}

/* Random placement is no more than that: all nodes are alike to it. */
static enum sl_ties ties_of(const struct sl_setup *setup, const struct sl_node_scorer *scorer)
{
	return scorer->at_random ? SL_TIES_RANDOM : (enum sl_ties)setup->values[PARAM_TIES].number;
}

static int init_place(const struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_value *place = &setup->values[PARAM_PLACE];
	const size_t len = strcspn(place->text, ":"); /* Of "lua:FILE" the language. */
	const struct sl_node_scorer *scorer = sl_by_name_n(setup->registry->scorers, place->text, len);
	if (scorer)
		return sl_set_node_scorer(setup, scorer, ties_of(setup, scorer), err);
	if (composed->plan->stops)
		return sl_fail(err, SL_USAGE, "place=%s: plan %s suspends jobs: take another placing",
			place->text, composed->plan->name);
	/* A gate says of each job that it keeps why. */
	const int status = composed->gated ? sl_use(setup, SL_USE_REASONS, err) : SL_OK;
	if (status)
		return status;
	const struct sl_allocator *allocator = sl_by_name(setup->registry->allocators, place->text);
	return allocator ? sl_set_allocator(setup, allocator, err)
			 : sl_fail(err, SL_USAGE, "place=%s is not in this build", place->text);
}

static int composed_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct composed *composed = sl_alloc(setup->arena, 1, sizeof(*composed));
	if (!composed)
		return sl_fail_memory(err);
	*state = composed;
	composed->values = setup->values;
	composed->plan = plans[setup->values[PARAM_PLAN].number];
	composed->estimate = &estimates[setup->values[PARAM_ESTIMATE].number];
	int status = init_order(composed, setup, err);
	if (!status)
		status = init_shadow(composed, setup, err);
	if (!status)
		status = init_fill(composed, setup, err);
	if (!status)
		status = lanes_init(composed, setup, err);
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
	if (!status)
		status = part_init(composed, &composed->admits, setup, PARAM_ADMIT, "admit", err);
	gate_init(composed, setup);
	composed->hears = hears(composed);
	sl_default_reason(setup, composed->plan->reason);
	sl_default_rule(setup, composed->fair_shares ? SL_RULE_SHARE : SL_RULE_ORDER);
	return status ? status : init_place(composed, setup, err);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static double queue_key(void *state, struct sl_pass *pass, sl_job job)
{
	const struct composed *composed = state;
	if (composed->order.part)
		return part_key(composed->order.part, "order", pass, job);
	struct facts facts = facts_of(pass, job);
	if (composed->wait_published) {
		facts.wait = -1 - facts.submit;
		if (facts.limit < 1e-3) /* Asked for nothing: the published program has its -1. */
			facts.limit = -1;
	}
	return ordering_score(&composed->order, &facts);
}

static void submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (composed->parts)
		parts_reported(composed, "submitted", pass, job);
	if (composed->estimate->submitted)
		composed->estimate->submitted(composed, pass, job);
	lanes_submitted(composed, pass, job);
	double key = composed->fair_shares ? fair_shares_submitted(composed->fair_shares, pass, job) : 0;
	if (composed->plan->key)
		key = composed->plan->key(pass, job);
	else if (!composed->fair_shares && has_keys(composed))
		key = queue_key(composed, pass, job);
	if (composed->plan->key || has_keys(composed))
		sl_set_key(pass, job, key);
	if (!composed->fill.by_row) {
		const struct facts facts = facts_of(pass, job);
		const struct part *part = composed->fill.part;
		sl_set_fill_key(pass, job,
			part ? part_key(part, "fill", pass, job) : ordering_score(&composed->fill, &facts));
	}
	if (composed->plan->submitted)
		composed->plan->submitted(composed, pass, job);
}

static void ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (composed->parts)
		parts_reported(composed, "ended", pass, job);
	if (composed->fair_shares)
		fair_shares_ended(composed->fair_shares, pass, job);
	if (composed->plan->ended)
		composed->plan->ended(composed, pass, job);
}

static void fair_shares_history(struct composed *composed, struct sl_pass *pass, sl_job job,
	enum sl_history_command what, enum sl_preempt how)
{
	switch (what) {
	case SL_HISTORY_START:
		fair_shares_started(composed->fair_shares, pass, job);
		break;
	case SL_HISTORY_PREEMPT:
		fair_shares_stopped(composed->fair_shares, pass, job, how);
		break;
	case SL_HISTORY_RESUME:
		fair_shares_resumed(composed->fair_shares, pass, job);
		break;
	case SL_HISTORY_RESIZE:
	case SL_HISTORY_RUNS: /* Of policies that control the run. */
		break;
	}
}

/* Handover from another policy: its starts count as this one's. */
static void composed_history(
	void *state, struct sl_pass *pass, sl_job job, enum sl_history_command what, enum sl_preempt how)
{
	struct composed *composed = state;
	if (composed->fair_shares)
		fair_shares_history(composed, pass, job, what, how);
	if (composed->plan->beyond)
		composed->plan->beyond(composed, pass, job, what, how);
}

static void heard(struct composed *composed, struct sl_pass *pass, const struct sl_event *event)
{
	const sl_job job = { event->row };
	if (composed->plan->notes || composed->fitting)
		since_note(composed, pass, event);
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
	case SL_EV_MODEL: /* It failed, and waits again: in the accounting as if it had been preempted. */
		composed_history(composed, pass, job, SL_HISTORY_PREEMPT, SL_PREEMPT_REQUEUE);
		break;
	case SL_EV_NODE_UP:
		if (composed->plan->opened)
			composed->plan->opened(composed, pass);
		break;
	case SL_EV_RESERVATION:
		if (event->row == UINT32_MAX && composed->plan->opened)
			composed->plan->opened(composed, pass);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_CLASS_COUNT:
		break;
	}
}

static void composed_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct composed *composed = state;
	if (composed->hears)
		heard(composed, pass, event);
}

/* ---- Passes ------------------------------------------------------------------------------------ */

bool composed_start_sized(struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t tasks)
{
	if (composed->gated && !gate_opens(composed, pass, job))
		return false;
	if (!(tasks ? sl_start_sized(pass, job, tasks) : sl_start(pass, job)))
		return false;
	if (composed->gated)
		gate_passed(composed, pass, job);
	if (composed->fair_shares)
		fair_shares_started(composed->fair_shares, pass, job);
	return true;
}

bool composed_preempt(struct composed *composed, struct sl_pass *pass, sl_job job, enum sl_preempt how)
{
	if (!sl_preempt(pass, job, how))
		return false;
	if (composed->fair_shares)
		fair_shares_stopped(composed->fair_shares, pass, job, how);
	return true;
}

bool composed_resume(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!sl_resume(pass, job))
		return false;
	if (composed->fair_shares)
		fair_shares_resumed(composed->fair_shares, pass, job);
	return true;
}

void composed_undo(struct composed *composed, struct sl_pass *pass, sl_marked mark)
{
	sl_undo(pass, mark);
	if (composed->fair_shares)
		share_holders_rewind(&composed->fair_shares->share_holders);
}

sl_job composed_drawn(struct composed *composed, struct sl_pass *pass)
{
	return fair_shares_first(composed->fair_shares, pass);
}

void composed_start_due(struct composed *composed, struct sl_pass *pass)
{
	sl_set_cause(pass, SL_RULE_PROMISE, SL_JOB_NONE);
	if (!composed->fair_shares) {
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
	if (composed->fair_shares)
		fair_shares_begin(composed->fair_shares, pass,
			!plan->parts && (!plan->turns || (composed->fill.by_row && sl_any_fits(pass))));
	plan->pass(composed, pass);
}

static void composed_release(void *state) { parts_release(state); }

static const enum sl_reason composed_reasons[] = { SL_REASON_PRIORITY, SL_REASON_RESOURCES,
	SL_REASON_BEGIN_TIME, SL_REASON_DEPENDENCY, SL_REASON_QUOTA, SL_REASON_NODES_NOT_AVAIL,
	SL_REASON_NODES_RESERVED, SL_REASON_NODES_MAINT, SL_REASON_POWER, SL_REASON_COUNT };

const struct sl_policy policy_composed = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "composed",
	.summary = "built from parts: order, plan, fill, estimate, place, and what they take",
	.paper = "each part's own",
	.params = composed_params,
	.param_count = PARAM_COUNT,
	.init = composed_init,
	.pass = composed_pass,
	.on_event = composed_event,
	.release = composed_release,
	.compat = composed_compats,
	.on_history = composed_history,
	.reasons = composed_reasons,
};
