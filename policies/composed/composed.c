/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * composed.c - the policy whose parts are chosen by name.
 */
#include "policies/composed/composed.h"

#include <math.h>
#include <string.h>

static const struct plan *const plans[] = { &plan_fcfs, &plan_greedy, &plan_easy, &plan_conservative,
	&plan_recorded, &plan_commit, &plan_easy_named, &plan_conservative_named };

enum {
	PARAM_ORDER,
	PARAM_PLAN,
	PARAM_FILL,
	PARAM_ESTIMATE,
	PARAM_SHADOW,
	PARAM_SPARE,
	PARAM_ARRIVALS,
	PARAM_WAIT,
	PARAM_COMPAT,
	PARAM_COUNT
};

static const struct sl_param params[PARAM_COUNT] = {
	[PARAM_ORDER] = { .key = "order",
		.kind = SL_PARAM_TEXT,
		.fallback = "fcfs",
		.choices = "fcfs|sjf|ljf|smallest|largest|saf|laf|srf|wfp3|unicep|f1|f2|f3|f4|expr:\"...\"",
		.help = "who is first in the queue, head included; an expression is over submit, wait, size, limit, user" },
	[PARAM_PLAN] = { .key = "plan",
		.kind = SL_PARAM_CHOICE,
		.fallback = "easy",
		.choices = "fcfs|greedy|easy|conservative|recorded|commit|easy_named|conservative_named",
		.help = "who starts now, and who is promised a start" },
	[PARAM_FILL] = { .key = "fill",
		.kind = SL_PARAM_TEXT,
		.fallback = "queue",
		.choices = "queue|shortest|none|an order",
		.help = "order of the candidates behind the head (plans easy, commit); shortest: by estimate; none: nobody overtakes" },
	[PARAM_ESTIMATE] = { .key = "estimate",
		.kind = SL_PARAM_CHOICE,
		.fallback = "limit",
		.choices = "limit|exact|tsafrir|file",
		.help = "how long the plan takes a job to run" },
	[PARAM_SHADOW] = { .key = "shadow",
		.kind = SL_PARAM_CHOICE,
		.fallback = "fresh",
		.choices = "fresh|frozen",
		.help = "the head's promise (plan easy): anew in each pass, or as it was when it became the head" },
	[PARAM_SPARE] = { .key = "spare",
		.kind = SL_PARAM_CHOICE,
		.fallback = "count",
		.choices = "count|named|none",
		.help = "what is left over at the shadow (plan easy): as long as the head still fits, all but its chosen nodes, nothing" },
	[PARAM_ARRIVALS] = { .key = "arrivals",
		.kind = SL_PARAM_CHOICE,
		.fallback = "all",
		.choices = "all|fitting",
		.help = "the pass after submissions alone (plan easy): made, or left out if none of the new jobs fits" },
	[PARAM_WAIT] = { .key = "wait",
		.kind = SL_PARAM_CHOICE,
		.fallback = "right",
		.choices = "right|published",
		.help = "of orders that depend on the wait; published: RLScheduler's, which takes -1 - submit for it" },
	[PARAM_COMPAT] = { .key = "compat",
		.kind = SL_PARAM_CHOICE,
		.fallback = "none",
		.choices = "none|pyss|frozen|batsched|rlscheduler",
		.help = "the rules of another simulator: implies settings of the policy and of the replay, which are said" },
};

/* Plans and estimates that lean on each other's fine print. */
static int init_fill(struct composed *composed, const char *text, struct sl_arena *arena, struct sl_err *err)
{
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
	const int status =
		ordering_init(&composed->fill, strcmp(text, "shortest") == 0 ? "sjf" : text, arena, err);
	if (!status && composed->fill.waits)
		return sl_fail(err, SL_USAGE,
			"fill=%s depends on the wait: candidates are ordered once, at submission", text);
	composed->fill.by_row = false; /* Even by submission: the queue's own order may be another. */
	return status;
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
				params[which].key, setup->values[which].text, composed->plan->name);
	return SL_OK;
}

static int init_order(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const char *text = setup->values[PARAM_ORDER].text;
	const int status = ordering_init(&composed->order, text, setup->arena, err);
	if (!status && (composed->plan->key || composed->plan->submission_order) && !composed->order.by_row)
		return sl_fail(err, SL_USAGE,
			"order=%s means nothing under plan=%s, which has an order of its own", text,
			composed->plan->name);
	composed->wait_published = setup->values[PARAM_WAIT].number && composed->order.waits;
	if (composed->wait_published)
		composed->order.waits = false; /* It depends on the submission alone. */
	return status;
}

static int composed_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct composed *composed = sl_alloc(setup->arena, 1, sizeof(*composed));
	if (!composed)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	*state = composed;
	composed->plan = plans[setup->values[PARAM_PLAN].number];
	composed->estimate = &estimates[setup->values[PARAM_ESTIMATE].number];
	int status = init_order(composed, setup, err);
	if (!status)
		status = init_shadow(composed, setup, err);
	if (!status)
		status = init_fill(composed, setup->values[PARAM_FILL].text, setup->arena, err);
	unsigned uses = composed->plan->uses | composed->estimate->uses;
	uses |= composed->order.by_row ? 0 : SL_USE_KEYS;
	uses |= composed->fill.by_row ? 0 : SL_USE_FILL;
	if (!status)
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
	if (composed->estimate->submitted)
		composed->estimate->submitted(composed, pass, job);
	if (composed->plan->key)
		sl_set_key(pass, job, composed->plan->key(pass, job));
	else if (!composed->order.by_row)
		sl_set_key(pass, job, queue_key(composed, pass, job));
	if (!composed->fill.by_row) {
		const struct facts facts = facts_of(pass, job);
		sl_set_fill_key(pass, job, ordering_score(&composed->fill, &facts));
	}
}

static void composed_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct composed *composed = state;
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
	case SL_EV_CANCEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
}

static void composed_pass(void *state, struct sl_pass *pass)
{
	struct composed *composed = state;
	if (composed->order.waits)
		sl_queue_rekey(pass, queue_key, composed);
	composed->plan->pass(composed, pass);
}

const struct sl_policy policy_composed = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "composed",
	.summary = "built from parts: order, plan, fill, estimate",
	.paper = "each part's own",
	.params = params,
	.param_count = PARAM_COUNT,
	.init = composed_init,
	.pass = composed_pass,
	.on_event = composed_event,
	.compat = composed_compats,
};
