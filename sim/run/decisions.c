/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decisions.c - what a policy did, by which rule and for whom, and what it planned: SIM_RECORD_DECISIONS.
 *
 * What a policy tells is an action among those of its pass, so that sl_undo takes it back with what it is
 * about. When the pass commits, its actions are gone through once more: commands are noted as they come,
 * plans as they are in the end, where they are other than those noted last. Nobody asked: nothing of this is
 * there.
 */
#include "sim/run/pass.h"

#include <stdlib.h>

/* A waiting job's planned start. */
struct planned {
	sl_time noted; /* As decisions have it. */
	sl_time told;  /* By the policy; SL_NONE: it told none. */
	bool listed;   /* In decisions.told. */
	bool touched;  /* In decisions.touched. */
};

struct decisions {
	struct sl_decision *list;
	size_t count, capacity;
	struct planned *planned; /* By job. */
	uint32_t *told;          /* Jobs of which the policy told a plan, each once; some may be stale. */
	uint32_t *touched;       /* Of the pass: plans that may be other than before. */
	uint32_t told_count, touched_count;
	uint8_t rule;   /* enum sl_rule: while actions are gone through. */
	uint32_t whose; /* As of sl_decision. */
};

int decisions_init(struct sl_pass *pass, struct sl_err *err)
{
	const size_t count = (size_t)pass->jobs->count + 1;
	if (!(pass->options.record & SIM_RECORD_DECISIONS))
		return SL_OK;
	struct decisions *d = sl_alloc(pass->arena, 1, sizeof(*d));
	if (!d)
		return sl_fail_memory(err);
	d->planned = sl_alloc(pass->arena, count, sizeof(*d->planned));
	d->told = sl_alloc(pass->arena, count, sizeof(*d->told));
	d->touched = sl_alloc(pass->arena, count, sizeof(*d->touched));
	if (!d->planned || !d->told || !d->touched)
		return sl_fail_memory(err);
	for (size_t job = 0; job < count; job++)
		d->planned[job] = (struct planned){ .noted = SL_NONE, .told = SL_NONE };
	pass->decisions = d;
	return SL_OK;
}

void decisions_release(struct sl_pass *pass)
{
	if (pass->decisions)
		free(pass->decisions->list);
}

void decisions_result(const struct sl_pass *pass, struct sl_result *result)
{
	if (!pass->decisions)
		return;
	result->decision = pass->decisions->list;
	result->decision_count = pass->decisions->count;
}

/* ---- Told ------------------------------------------------------------------------------------ */

void sl_by(struct sl_pass *pass, enum sl_rule rule, sl_job whose)
{
	if (!pass->decisions || !pass->open || (pass->rule == rule && pass->whose == whose.row))
		return;
	SL_CHECK(rule < SL_RULE_COUNT);
	act(pass, (struct action){ .kind = ACTION_BY,
			  .job = whose.row,
			  .was = (int64_t)pass->whose << 8 | pass->rule,
			  .now = rule });
	pass->rule = (uint8_t)rule;
	pass->whose = whose.row;
}

void by_undo(struct sl_pass *pass, const struct action *action)
{
	pass->rule = (uint8_t)(action->was & 0xff);
	pass->whose = (uint32_t)(action->was >> 8);
}

void sl_tell_plan(struct sl_pass *pass, sl_job job, sl_time start)
{
	if (pass->decisions && pass->open && (!sl_job_is(job) || is_waiting(pass, job.row)))
		act(pass, (struct action){
				  .kind = ACTION_PLAN,
				  .job = job.row,
				  .now = start == SL_NEVER ? SL_NONE : start,
			  });
}

/* ---- Noted ----------------------------------------------------------------------------------- */

static void note(struct sl_pass *pass, const struct sl_decision *decision)
{
	struct decisions *d = pass->decisions;
	const int status = SL_GROW(d->list, d->capacity, d->count + 1, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		d->list[d->count++] = *decision;
}

static void note_did(struct sl_pass *pass, uint32_t job, enum sl_did did, uint8_t how)
{
	const struct decisions *d = pass->decisions;
	note(pass, &(struct sl_decision){ .at = pass->now,
			   .job = job,
			   .whose = d->whose,
			   .did = (uint8_t)did,
			   .rule = d->rule,
			   .how = how,
			   .start = SL_NONE });
}

static void touch(struct decisions *d, uint32_t job)
{
	if (d->planned[job].touched)
		return;
	d->planned[job].touched = true;
	d->touched[d->touched_count++] = job;
}

static void tell(struct decisions *d, uint32_t job, sl_time start)
{
	struct planned *planned = &d->planned[job];
	planned->told = start;
	touch(d, job);
	if (planned->listed)
		return;
	planned->listed = true;
	d->told[d->told_count++] = job;
}

/* All that was told is void; what is told from now on holds. */
static void tell_anew(struct decisions *d)
{
	for (uint32_t i = 0; i < d->told_count; i++) {
		struct planned *planned = &d->planned[d->told[i]];
		planned->listed = false;
		if (planned->told != SL_NONE)
			touch(d, d->told[i]);
		planned->told = SL_NONE;
	}
	d->told_count = 0;
}

/* It starts, or is over: nothing is planned for it any more. */
static void plan_ends(struct decisions *d, uint32_t job)
{
	d->planned[job].noted = d->planned[job].told = SL_NONE;
}

static void note_action(struct sl_pass *pass, const struct action *action)
{
	struct decisions *d = pass->decisions;
	const uint32_t job = action->job;
	switch (action->kind) {
	case ACTION_BY:
		d->rule = (uint8_t)action->now;
		d->whose = job;
		break;
	case ACTION_START:
		note_did(pass, job, SL_DID_START, 0);
		plan_ends(d, job);
		break;
	case ACTION_CANCEL:
	case ACTION_END:
		note_did(pass, job, SL_DID_END, pass->job_state[job]);
		plan_ends(d, job);
		break;
	case ACTION_PREEMPT:
		note_did(pass, job, SL_DID_PREEMPT, (uint8_t)preempted_how(action));
		break;
	case ACTION_RESUME:
		note_did(pass, job, SL_DID_RESUME, 0);
		break;
	case ACTION_RESIZE:
		note_did(pass, job, SL_DID_RESIZE, 0);
		break;
	case ACTION_PROMISE:
		touch(d, job);
		break;
	case ACTION_PLAN:
		if (job == UINT32_MAX)
			tell_anew(d);
		else
			tell(d, job, action->now);
		break;
	case ACTION_HEAD: /* Who is displaced has no shadow any more. */
		if (action->was != UINT32_MAX && d->planned[action->was].told != SL_NONE)
			tell(d, (uint32_t)action->was, SL_NONE);
		break;
	case ACTION_RESERVE:
	case ACTION_REASON:
	case ACTION_ELIGIBLE:
	case ACTION_WAKE:
	case ACTION_TIMER:
	case ACTION_LEDGER:
	case ACTION_FREED:
		break;
	}
}

/* The plan of a waiting job, if it is another than before. A promise in the engine's books goes before what a
 * policy told. */
static void note_plan(struct sl_pass *pass, uint32_t job)
{
	struct planned *planned = &pass->decisions->planned[job];
	planned->touched = false;
	if (!is_waiting(pass, job))
		return;
	sl_time start = pass->promise ? pass->promise[job] : SL_NONE;
	start = start == SL_NONE || start == SL_NEVER ? planned->told : start;
	if (start == planned->noted)
		return;
	planned->noted = start;
	note(pass, &(struct sl_decision){ .at = pass->now,
			   .job = job,
			   .whose = UINT32_MAX,
			   .did = SL_DID_PLAN,
			   .start = start });
}

void decisions_commit(struct sl_pass *pass)
{
	struct decisions *d = pass->decisions;
	d->rule = pass->rule_default;
	d->whose = UINT32_MAX;
	for (size_t i = 0; i < pass->action_count; i++)
		note_action(pass, &pass->action[i]);
	for (uint32_t i = 0; i < d->touched_count; i++)
		note_plan(pass, d->touched[i]);
	d->touched_count = 0;
}

void decisions_drop_plans(struct sl_pass *pass)
{
	struct decisions *d = pass->decisions;
	if (!d)
		return;
	tell_anew(d);
	for (uint32_t job = 0; job < pass->submitted; job++) {
		struct planned *planned = &d->planned[job];
		planned->touched = false;
		if (planned->noted != SL_NONE && is_waiting(pass, job))
			note(pass, &(struct sl_decision){ .at = pass->now,
					   .job = job,
					   .whose = UINT32_MAX,
					   .did = SL_DID_PLAN,
					   .start = SL_NONE });
		planned->noted = SL_NONE;
	}
	d->touched_count = 0;
}
