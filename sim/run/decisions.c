/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decisions.c - a policy's decisions, by which rule and for which beneficiary, and its plans:
 * SIM_RECORD_DECISIONS.
 *
 * What a policy reports is an action among those of its pass, so that sl_undo undoes it with the command that
 * it is about. When the pass commits, its actions are gone through once more: commands are recorded as they
 * come, plans as they are in the end, where they differ from those recorded last. Without that flag nothing
 * of this is allocated.
 */
#include "sim/run/pass.h"

#include <stdlib.h>

/* A waiting job's planned start. */
struct planned {
	sl_time noted;    /* As decisions have it. */
	sl_time reported; /* By the policy; SL_NONE: it reported none. */
	bool listed;      /* It is in the list of reported plans. */
	bool touched;     /* In decisions.touched. */
};

struct decisions {
	struct sl_decision *list;
	size_t count, capacity;
	struct planned *planned; /* By job. */
	uint32_t *reported; /* Jobs for which the policy reported a plan, each once; some may be stale. */
	uint32_t *touched;  /* Of the pass: plans that may be other than before. */
	uint32_t reported_count, touched_count;
	uint8_t rule;         /* enum sl_rule: while actions are gone through. */
	uint32_t beneficiary; /* As of sl_decision. */
};

int decisions_init(struct sim *sim, struct sl_err *err)
{
	const size_t count = (size_t)sim->jobs->count + 1;
	if (!(sim->options.record & SIM_RECORD_DECISIONS))
		return SL_OK;
	struct decisions *d = sl_alloc(sim->arena, 1, sizeof(*d));
	if (!d)
		return sl_fail_memory(err);
	d->planned = sl_alloc(sim->arena, count, sizeof(*d->planned));
	d->reported = sl_alloc(sim->arena, count, sizeof(*d->reported));
	d->touched = sl_alloc(sim->arena, count, sizeof(*d->touched));
	if (!d->planned || !d->reported || !d->touched)
		return sl_fail_memory(err);
	for (size_t job = 0; job < count; job++)
		d->planned[job] = (struct planned){ .noted = SL_NONE, .reported = SL_NONE };
	sim->decisions = d;
	return SL_OK;
}

void decisions_release(struct sim *sim)
{
	if (sim->decisions)
		free(sim->decisions->list);
}

void decisions_result(const struct sim *sim, struct sl_result *result)
{
	if (!sim->decisions)
		return;
	result->decision = sim->decisions->list;
	result->decision_count = sim->decisions->count;
}

/* ---- Reported ------------------------------------------------------------------------------------ */

void sl_set_cause(struct sim *sim, enum sl_rule rule, sl_job beneficiary)
{
	if (!sim->decisions || !sim->open || (sim->rule == rule && sim->beneficiary == beneficiary.row))
		return;
	SL_CHECK(rule < SL_RULE_COUNT);
	act(sim, (struct action){ .kind = ACTION_CAUSE,
			 .job = beneficiary.row,
			 .was = (int64_t)sim->beneficiary << 8 | sim->rule,
			 .now = rule });
	sim->rule = (uint8_t)rule;
	sim->beneficiary = beneficiary.row;
}

void by_undo(struct sim *sim, const struct action *action)
{
	sim->rule = (uint8_t)(action->was & 0xff);
	sim->beneficiary = (uint32_t)(action->was >> 8);
}

void sl_report_plan(struct sim *sim, sl_job job, sl_time start)
{
	if (sim->decisions && sim->open && (!sl_job_is(job) || is_waiting(sim, job.row)))
		act(sim, (struct action){
				 .kind = ACTION_PLAN,
				 .job = job.row,
				 .now = start == SL_NEVER ? SL_NONE : start,
			 });
}

/* ---- Recorded ----------------------------------------------------------------------------------- */

static void decisions_note(struct sim *sim, const struct sl_decision *decision)
{
	struct decisions *d = sim->decisions;
	const int status = SL_GROW(d->list, d->capacity, d->count + 1, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		d->list[d->count++] = *decision;
}

static void note_decision(struct sim *sim, uint32_t job, enum sl_decision_kind decision, uint8_t how)
{
	const struct decisions *d = sim->decisions;
	decisions_note(sim, &(struct sl_decision){ .at = sim->now,
				    .job = job,
				    .beneficiary = d->beneficiary,
				    .decision = (uint8_t)decision,
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

static void decisions_report(struct decisions *d, uint32_t job, sl_time start)
{
	struct planned *planned = &d->planned[job];
	planned->reported = start;
	touch(d, job);
	if (planned->listed)
		return;
	planned->listed = true;
	d->reported[d->reported_count++] = job;
}

/* All that was reported is void; what is reported from now on holds. */
static void report_anew(struct decisions *d)
{
	for (uint32_t i = 0; i < d->reported_count; i++) {
		struct planned *planned = &d->planned[d->reported[i]];
		planned->listed = false;
		if (planned->reported != SL_NONE)
			touch(d, d->reported[i]);
		planned->reported = SL_NONE;
	}
	d->reported_count = 0;
}

/* It starts, or is over: nothing is planned for it any more. */
static void plan_ends(struct decisions *d, uint32_t job)
{
	d->planned[job].noted = d->planned[job].reported = SL_NONE;
}

static void note_action(struct sim *sim, const struct action *action)
{
	struct decisions *d = sim->decisions;
	const uint32_t job = action->job;
	switch (action->kind) {
	case ACTION_CAUSE:
		d->rule = (uint8_t)action->now;
		d->beneficiary = job;
		break;
	case ACTION_START:
		note_decision(sim, job, SL_DECISION_START, 0);
		plan_ends(d, job);
		break;
	case ACTION_CANCEL:
	case ACTION_END:
		note_decision(sim, job, SL_DECISION_END, sim->job_state[job]);
		plan_ends(d, job);
		break;
	case ACTION_PREEMPT:
		note_decision(sim, job, SL_DECISION_PREEMPT, (uint8_t)preempted_how(action));
		break;
	case ACTION_RESUME:
		note_decision(sim, job, SL_DECISION_RESUME, 0);
		break;
	case ACTION_RESIZE:
		note_decision(sim, job, SL_DECISION_RESIZE, 0);
		break;
	case ACTION_PROMISE:
		touch(d, job);
		break;
	case ACTION_PLAN:
		if (job == UINT32_MAX)
			report_anew(d);
		else
			decisions_report(d, job, action->now);
		break;
	case ACTION_HEAD: /* Who is displaced has no shadow any more. */
		if (action->was != UINT32_MAX && d->planned[action->was].reported != SL_NONE)
			decisions_report(d, (uint32_t)action->was, SL_NONE);
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

/* The plan of a waiting job, if it is another than before. A promise of the engine overrides what a policy
 * reported. */
static void note_plan(struct sim *sim, uint32_t job)
{
	struct planned *planned = &sim->decisions->planned[job];
	planned->touched = false;
	if (!is_waiting(sim, job))
		return;
	sl_time start = sim->promise ? sim->promise[job] : SL_NONE;
	start = start == SL_NONE || start == SL_NEVER ? planned->reported : start;
	if (start == planned->noted)
		return;
	planned->noted = start;
	decisions_note(sim, &(struct sl_decision){ .at = sim->now,
				    .job = job,
				    .beneficiary = UINT32_MAX,
				    .decision = SL_DECISION_PLAN,
				    .start = start });
}

void decisions_commit(struct sim *sim)
{
	struct decisions *d = sim->decisions;
	d->rule = sim->rule_default;
	d->beneficiary = UINT32_MAX;
	for (size_t i = 0; i < sim->action_count; i++)
		note_action(sim, &sim->action[i]);
	for (uint32_t i = 0; i < d->touched_count; i++)
		note_plan(sim, d->touched[i]);
	d->touched_count = 0;
}

void decisions_drop_plans(struct sim *sim)
{
	struct decisions *d = sim->decisions;
	if (!d)
		return;
	report_anew(d);
	for (uint32_t job = 0; job < sim->submitted; job++) {
		struct planned *planned = &d->planned[job];
		planned->touched = false;
		if (planned->noted != SL_NONE && is_waiting(sim, job))
			decisions_note(sim, &(struct sl_decision){ .at = sim->now,
						    .job = job,
						    .beneficiary = UINT32_MAX,
						    .decision = SL_DECISION_PLAN,
						    .start = SL_NONE });
		planned->noted = SL_NONE;
	}
	d->touched_count = 0;
}
