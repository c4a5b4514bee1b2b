/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_run.c - sessions, and what they decided, carried out.
 *
 * Sessions follow one another at an instant until one changes nothing: evicted pods that stop at once release
 * resources for those that were pipelined, which start in the next. With a grace time they start when it is
 * over. Whoever is evicted TURNS_MAX times at one instant without news from outside has met others who take
 * turns with it; the scheduler then rests until something comes, or its time does (the real one goes on, each
 * turn taking its time).
 */
#include "policies/runai/runai.h"

#include <string.h>

enum { TURNS_MAX = 8, SESSIONS_MAX = 10000 };

static void news(struct runai *r)
{
	r->news++;
	r->rests = false;
	r->dirty = true;
}

/* Jobs of other pools may fit there. */
static void changed(struct runai *r, uint32_t instance) { r->instance[instance].changed = r->news; }

static struct kai_job *runai_run_job_of(const struct runai *r, uint32_t row)
{
	return &r->instance[r->run[row].instance].kai->job[r->run[row].job];
}

static void stage(struct runai *r, struct runai_run *run, enum runai_stage to)
{
	runai_series_stage(r, (uint32_t)(run - r->run), to);
	r->stages[run->stage]--;
	r->stages[to]++;
	run->stage = to;
}

/* ---- What changes with time alone ---- */

/* A minimum run time of its queues is over then: others may take from it. */
static void due_after(struct runai *r, sl_time least)
{
	if (least > 0)
		runai_due(r, r->now + least, RUNAI_DUE_WAKE, UINT32_MAX);
}

static void due_minima(struct runai *r, const struct runai_run *run)
{
	const struct kai *kai = r->instance[run->instance].kai;
	sl_time before = 0;
	if (!run->said.preemptible)
		return;
	due_after(r, kai->config.preempt_min);
	if (kai->config.reclaim_min != kai->config.preempt_min)
		due_after(r, kai->config.reclaim_min);
	for (uint32_t at = run->said.queue; at != KAI_NO; at = kai->queue[at].parent) {
		const sl_time of[] = { kai->queue[at].preempt_min, kai->queue[at].reclaim_min };
		for (size_t i = 0; i < SL_LEN(of); i++)
			if (of[i] != SL_NONE && of[i] != before)
				due_after(r, before = of[i]);
	}
}

/* ---- Words ---- */

static enum sl_reason runai_run_reason_of(const struct runai *r, const struct kai_job *job)
{
	static const enum sl_reason reason[] = { [KAI_WHY_NONE] = SL_REASON_PENDING_EVALUATION,
		[KAI_OVER_LIMIT] = SL_REASON_OVER_LIMIT,
		[KAI_NP_OVER_QUOTA] = SL_REASON_NP_OVER_QUOTA,
		[KAI_DELAY_NOT_ELAPSED] = SL_REASON_PREEMPTION_DELAY,
		[KAI_QUEUE_DOES_NOT_EXIST] = SL_REASON_QUEUE_DOES_NOT_EXIST,
		[KAI_POD_ERRORS] = SL_REASON_POD_ERRORS,
		[KAI_TOPOLOGY] = SL_REASON_TOPOLOGY,
		[KAI_NOT_READY] = SL_REASON_POD_ERRORS };
	const struct runai_run *run = &r->run[job->row_outside];
	if (run->said.queue == KAI_NO || r->config.queue[run->said.queue].orphan)
		return SL_REASON_QUEUE_DOES_NOT_EXIST;
	if (!run->said.allowed)
		return SL_REASON_MISCONFIGURED;
	if (run->promised == r->sessions)
		return SL_REASON_WAITING_FOR_PREEMPTED;
	return reason[job->why];
}

static enum sl_rule runai_run_rule_of(enum kai_action action)
{
	switch (action) {
	case KAI_RECLAIM:
		return SL_RULE_RECLAIM;
	case KAI_PREEMPT:
		return SL_RULE_RANK;
	case KAI_CONSOLIDATION:
		return SL_RULE_MIGRATE;
	case KAI_STALE:
		return SL_RULE_NODE;
	case KAI_ALLOCATE:
	case KAI_ACTIONS:
		break;
	}
	return SL_RULE_NONE;
}

/* ---- A job starts ---- */

static sl_time runai_run_limit_of(const struct runai *r, uint32_t row)
{
	const struct runai_job *said = &r->run[row].said;
	sl_time limit = said->queue == KAI_NO ? SL_NONE : r->config.queue[said->queue].time_limit[said->type];
	/* An average of the whole run alone is known: none at all is idle from the start. */
	const sl_time idle = said->queue == KAI_NO || !r->jobs->gpu_active || r->jobs->gpu_active[row] != 0
				     ? SL_NONE
				     : r->config.queue[said->queue].idle_limit[said->type];
	if (idle != SL_NONE && (limit == SL_NONE || idle < limit))
		limit = idle;
	if (r->kill && r->jobs->limit[row] >= 0 && (limit == SL_NONE || r->jobs->limit[row] < limit))
		limit = r->jobs->limit[row];
	return limit;
}

/* All that was bound runs. */
static void runai_run_bound(struct kai *kai, const struct kai_job *job)
{
	uint32_t shared[KAI_DEVICES_MAX];
	for (uint32_t task = job->task; task < job->task + job->task_count; task++) {
		struct kai_task *at = &kai->task[task];
		if (at->state != KAI_BINDING)
			continue;
		for (int64_t k = 0; at->shared && k < kai->request[at->request].gpus; k++)
			shared[k] = (uint32_t)at->shared[k];
		at->nominated = KAI_NO;
		kai_set_task(kai, task, KAI_RUNNING, (uint32_t)at->node, at->shared ? shared : NULL);
	}
}

static void runai_run_start(struct runai *r, uint32_t instance, uint32_t job)
{
	struct kai *kai = r->instance[instance].kai;
	const uint32_t row = kai->job[job].row_outside;
	struct runai_run *run = &r->run[row];
	runai_run_bound(kai, &kai->job[job]);
	if (run->stage == RUNAI_RUNS) { /* It grows. */
		runai_resize(r, row);
		return;
	}
	struct order *order = controller_order(&r->engine, ORDER_START, row);
	if (!order)
		return;
	runai_keep(r, order);
	if (run->least == run->most)
		order->tasks = 0;
	stage(r, run, RUNAI_RUNS);
	run->started = r->now;
	if (run->first == SL_NONE)
		run->first = r->now;
	run->starts++;
	run->stamp++;
	due_minima(r, run);
	const sl_time limit = runai_run_limit_of(r, row);
	if (limit != SL_NONE)
		runai_due(r, r->now + limit, RUNAI_DUE_LIMIT, row);
}

/* ---- A job is stopped ---- */

/* Its pods are gone: it waits anew. */
static void stopped(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	struct kai *kai = r->instance[run->instance].kai;
	struct kai_job *job = runai_run_job_of(r, row);
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai->task[job->task + i].state == KAI_RELEASING)
			kai_set_task(kai, job->task + i, KAI_PENDING, KAI_NO, NULL);
	job->started = SL_NONE;
	job->ready = run->said.allowed;
	job->evicted_at = run->evicted_at;
	due_after(r, job->delay > 0 ? run->evicted_at + job->delay - r->now : 0);
	stage(r, run, RUNAI_WAITS);
	changed(r, run->instance);
	run->stamp++;
	if (r->engine.runs[row]) {
		struct order *order =
			controller_order(&r->engine, r->checkpoint ? ORDER_CHECKPOINT : ORDER_REQUEUE, row);
		if (!order)
			return;
		order->cause.rule = run->drained ? SL_RULE_WINDOW : runai_run_rule_of(run->action);
		order->cause.beneficiary = run->cause;
	}
	r->dirty = true;
}

static void take_turn(struct runai *r, struct runai_run *run)
{
	if (run->turns_news != r->news) {
		run->turns_news = r->news;
		run->turns = 0;
	}
	r->rests |= ++run->turns >= TURNS_MAX;
}

/* Others of its pods run on. */
static bool runs_on(const struct kai_job *job)
{
	return job->group[0].count[KAI_RUNNING] + job->group[0].count[KAI_BINDING] > 0;
}

/* It loses a pod that it can do without. */
static void shrink(struct runai *r, uint32_t instance, const struct kai_effect *effect)
{
	struct kai_job *job =
		&r->instance[instance].kai->job[r->instance[instance].kai->task[effect->task].job];
	struct runai_run *run = &r->run[job->row_outside];
	const bool more = run->shrunk && run->evicted_at == r->now && run->action == effect->action;
	take_turn(r, run);
	run->shrunk = true;
	run->evicted_at = job->evicted_at = r->now;
	run->action = effect->action;
	run->cause = effect->cause == KAI_NO ? UINT32_MAX : runai_row_of(r, instance, effect->cause);
	if (more)
		runai_evicted_more(r, instance, effect);
	else
		runai_evicted(r, instance, effect);
	runai_due_task(r, r->now + r->grace, RUNAI_DUE_SHRUNK, job->row_outside, effect->task - job->task);
}

/* The pod is gone; with others of the job that go now this is reported to the engine once. */
static void shrunk(struct runai *r, const struct due *entry)
{
	struct runai_run *run = &r->run[entry->row];
	const struct kai_job *job = runai_run_job_of(r, entry->row);
	const uint32_t task = job->task + entry->task;
	if (r->instance[run->instance].kai->task[task].state != KAI_RELEASING)
		return;
	kai_set_task(r->instance[run->instance].kai, task, KAI_PENDING, KAI_NO, NULL);
	changed(r, run->instance);
	r->dirty = true;
	const struct due *next = r->engine.due_count ? r->engine.due : NULL;
	if (!next || next->at > r->now || next->what != RUNAI_DUE_SHRUNK || next->row != entry->row)
		runai_resize(r, entry->row);
}

static void runai_run_evict(struct runai *r, uint32_t instance, const struct kai_effect *effect)
{
	const struct kai *kai = r->instance[instance].kai;
	const uint32_t row = kai->job[kai->task[effect->task].job].row_outside;
	struct runai_run *run = &r->run[row];
	if (effect->early)
		return;
	if (run->stage == RUNAI_WAITS) { /* It was allocated and evicted in one session: it never ran. */
		if (effect->task == kai->job[run->job].task)
			take_turn(r, run);
		kai_set_task(r->instance[instance].kai, effect->task, KAI_PENDING, KAI_NO, NULL);
		r->dirty = true;
		return;
	}
	if (run->stage != RUNAI_RUNS) {
		if (run->stage == RUNAI_STOPS)
			runai_evicted_more(r, instance, effect);
		return;
	}
	if (runs_on(&kai->job[kai->task[effect->task].job])) {
		shrink(r, instance, effect);
		return;
	}
	take_turn(r, run);
	stage(r, run, RUNAI_STOPS);
	run->shrunk = false;
	kai->job[run->job].ready = false; /* Its pods are made anew once all are gone. */
	run->stamp++;
	run->evictions++;
	run->drained = false;
	run->evicted_at = r->now;
	run->action = effect->action;
	run->cause = effect->cause == KAI_NO ? UINT32_MAX : runai_row_of(r, instance, effect->cause);
	runai_evicted(r, instance, effect);
	runai_due(r, r->now + r->grace, RUNAI_DUE_STOPPED, row);
}

void runai_drained(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	stage(r, run, RUNAI_STOPS);
	run->stamp++;
	run->evicted_at = r->now;
	run->drained = true;
	run->shrunk = false;
	runai_run_job_of(r, row)->ready = false;
	run->cause = UINT32_MAX;
	runai_due(r, r->now + r->grace, RUNAI_DUE_STOPPED, row);
}

/* ---- Sessions ---- */

/* What waits for others to leave is pending until then, or on its way out where it was. */
static void unpipe(struct kai *kai, uint32_t task)
{
	const struct kai_task *row = &kai->task[task];
	uint32_t shared[KAI_DEVICES_MAX];
	if (row->state != KAI_PIPELINED && !(row->state == KAI_RELEASING && row->retry))
		return;
	for (int64_t i = 0; row->shared && i < kai->request[row->request].gpus; i++)
		shared[i] = (uint32_t)row->from_shared[i];
	/* KAI keeps the place in the pod's status, and prefers it in the next session. */
	kai->task[task].nominated = row->state == KAI_PIPELINED ? (uint32_t)row->node : KAI_NO;
	if (row->from >= 0)
		kai_set_task(kai, task, KAI_RELEASING, (uint32_t)row->from, row->shared ? shared : NULL);
	else
		kai_set_task(kai, task, KAI_PENDING, KAI_NO, NULL);
}

static void take_effects(struct runai *r, uint32_t instance)
{
	struct kai *kai = r->instance[instance].kai;
	for (uint32_t i = 0; i < kai->effect_count; i++)
		unpipe(kai, kai->effect[i].task);
	for (uint32_t i = 0; i < kai->effect_count; i++) {
		const struct kai_effect effect = kai->effect[i];
		const uint32_t job = kai->task[effect.task].job;
		if (effect.kind == KAI_EVICT)
			runai_run_evict(r, instance, &effect);
		else if (effect.kind == KAI_BIND && kai->task[effect.task].state == KAI_BINDING)
			runai_run_start(r, instance, job);
		else if (effect.kind == KAI_PIPELINE)
			r->run[kai->job[job].row_outside].promised = r->sessions;
		runai_series_effect(r, instance, &effect);
	}
}

/* This session did not say again that it is to start where somebody leaves. */
static void forget_promise(struct runai *r, struct kai *kai, const struct kai_job *job)
{
	struct runai_run *run = &r->run[job->row_outside];
	if (!run->promised || run->promised == r->sessions)
		return;
	kai->unchanged = false; /* Another node may be the best for it. */
	run->promised = 0;
	for (uint32_t i = 0; i < job->task_count; i++)
		kai->task[job->task + i].nominated = KAI_NO;
}

static void report_reasons(struct runai *r, uint32_t instance)
{
	struct kai *kai = r->instance[instance].kai;
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_WAITING, i)) != KAI_NO; i++) {
		const struct kai_job *job = &kai->job[i];
		if (r->run[job->row_outside].stage != RUNAI_WAITS)
			continue;
		forget_promise(r, kai, job);
		controller_reason(&r->engine, job->row_outside, runai_run_reason_of(r, job));
	}
}

/* It started or stopped something: the next session may find more. Who is to start when others have left
 * would be so again. */
static bool changes(const struct kai *kai)
{
	for (uint32_t i = 0; i < kai->effect_count; i++)
		if (kai->effect[i].kind != KAI_PIPELINE && !kai->effect[i].early)
			return true;
	return false;
}

/* A search is taken up again then. */
static void due_backoff(struct runai *r, uint32_t instance)
{
	struct kai *kai = r->instance[instance].kai;
	sl_time next = SL_NEVER, any = 0;
	for (int k = 0; k < KAI_SEARCHES; k++)
		any |= kai->config.backoff_min[k];
	if (!any)
		return;
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_WAITING, i)) != KAI_NO; i++)
		for (int k = 0; k < KAI_SEARCHES; k++) {
			const sl_time until = kai->job[i].backoff[k].until;
			next = until > r->now && until < next ? until : next;
		}
	if (next == SL_NEVER || next == r->instance[instance].search_at)
		return;
	r->instance[instance].search_at = next;
	runai_due(r, next, RUNAI_DUE_WAKE, UINT32_MAX);
}

/* Its only decision is to start something on what was free. */
static bool binds_alone(const struct kai *kai)
{
	for (uint32_t i = 0; i < kai->effect_count; i++)
		if (kai->effect[i].kind != KAI_BIND)
			return false;
	return true;
}

static bool session(struct runai *r, uint32_t instance)
{
	struct kai *kai = r->instance[instance].kai;
	kai->now = r->now;
	if (r->instance[instance].usage)
		kai_usage_set(kai, r->instance[instance].usage);
	runai_series_open(r, instance);
	if (kai_session(kai) != 0) {
		controller_take_err(&r->engine, &kai->err);
		controller_failed(&r->engine, kai->err.status);
		return false;
	}
	r->sessions++;
	const bool any = changes(kai);
	kai->unchanged = binds_alone(kai) && !r->instance[instance].usage;
	take_effects(r, instance);
	report_reasons(r, instance);
	due_backoff(r, instance);
	return any;
}

/* Before anything changes: what was allocated since. */
static void note_usage(struct runai *r)
{
	for (uint32_t i = 0; i < r->instance_count; i++) {
		r->instance[i].kai->now = r->now;
		if (r->instance[i].usage)
			kai_usage_note(r->instance[i].kai, r->instance[i].usage);
	}
}

/* ---- Events ---- */

void runai_submit(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	const struct runai_job *said = &run->said;
	note_usage(r);
	run->came = r->now;
	run->instance = runai_pool_first(r, row);
	stage(r, run, RUNAI_WAITS);
	if (runai_job_enter(r, row) != 0)
		return;
	due_after(r, said->delay);
	controller_reason(&r->engine, row, runai_run_reason_of(r, runai_run_job_of(r, row)));
	news(r);
}

void runai_over(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	if (run->stage == RUNAI_AWAY)
		return;
	note_usage(r);
	stage(r, run, RUNAI_AWAY);
	run->stamp++;
	runai_job_leave(r, row);
	news(r);
	changed(r, run->instance);
}

/* A model had it fail: its pods are made anew. */
void runai_lost(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	if (run->stage != RUNAI_RUNS && run->stage != RUNAI_STOPS)
		return;
	note_usage(r);
	struct kai *kai = r->instance[run->instance].kai;
	struct kai_job *job = runai_run_job_of(r, row);
	for (uint32_t i = 0; i < job->task_count; i++)
		kai_set_task(kai, job->task + i, KAI_PENDING, KAI_NO, NULL);
	job->started = SL_NONE;
	job->ready = run->said.allowed;
	stage(r, run, RUNAI_WAITS);
	run->stamp++;
	r->engine.reason[row] = SL_REASON_COUNT;
	news(r);
	changed(r, run->instance);
}

void runai_node(struct runai *r, uint32_t node, bool up)
{
	note_usage(r);
	if (!runai_node_set(r, node, up))
		return;
	news(r);
	changed(r, r->node_instance[node]);
}

static void run_window(struct runai *r, uint32_t number, bool begins)
{
	note_usage(r);
	runai_window(r, number, begins);
	news(r);
	for (uint32_t i = 0; i < r->instance_count; i++)
		changed(r, i);
}

static void end_at_limit(struct runai *r, uint32_t row)
{
	struct order *order = controller_order(&r->engine, ORDER_END, row);
	if (!order)
		return;
	order->state = SL_TIMEOUT;
	order->cause.rule = SL_RULE_LIMIT;
	runai_over(r, row);
}

static void do_due(struct runai *r, const struct due *entry)
{
	switch ((enum runai_due)entry->what) {
	case RUNAI_DUE_BEGIN:
		runai_submit(r, entry->row);
		break;
	case RUNAI_DUE_STOPPED:
		if (entry->stamp != r->run[entry->row].stamp)
			return;
		note_usage(r);
		stopped(r, entry->row);
		break;
	case RUNAI_DUE_SHRUNK:
		if (entry->stamp != r->run[entry->row].stamp)
			return;
		note_usage(r);
		shrunk(r, entry);
		break;
	case RUNAI_DUE_LIMIT:
		if (entry->stamp == r->run[entry->row].stamp)
			end_at_limit(r, entry->row);
		break;
	case RUNAI_DUE_WAKE:
		r->dirty |= r->stages[RUNAI_WAITS] > 0 || r->elastic;
		r->news++; /* Pools that were tried may have another answer. */
		r->rests = false;
		for (uint32_t i = 0; i < r->instance_count; i++)
			changed(r, i);
		break;
	case RUNAI_DUE_UNAVAILABLE:
	case RUNAI_DUE_OPEN:
		run_window(r, entry->row, entry->what == RUNAI_DUE_UNAVAILABLE);
		break;
	case RUNAI_DUE_SESSION:
		break; /* Its time has come: no more. */
	}
}

/* The next session finds another cluster state. */
static void changed_all(struct runai *r)
{
	for (uint32_t i = 0; i < r->instance_count; i++)
		r->instance[i].kai->unchanged = false;
}

static bool run_due(struct runai *r)
{
	struct due entry;
	bool any = false;
	while (!r->engine.status && controller_due_pop(&r->engine, &entry)) {
		do_due(r, &entry);
		any = true;
	}
	if (any)
		changed_all(r);
	return any;
}

/* Past usage is another with time: looked at as often as KAI does, as long as somebody waits and somebody
 * runs. */
static void due_usage(struct runai *r)
{
	sl_time step = SL_NEVER;
	for (uint32_t i = 0; i < r->instance_count; i++)
		if (r->instance[i].usage && r->instance[i].usage_config->step < step)
			step = r->instance[i].usage_config->step;
	if (step == SL_NEVER || step <= 0 || (r->usage_at > r->now && r->usage_at != SL_NEVER) ||
		(!r->stages[RUNAI_WAITS] && !r->elastic) || !r->stages[RUNAI_RUNS])
		return;
	r->usage_at = r->now + step;
	runai_due(r, r->usage_at, RUNAI_DUE_WAKE, UINT32_MAX);
}

/* Sessions at this instant; false: not now. */
static bool run_sessions(struct runai *r)
{
	bool any = false;
	if (r->cycle && r->now < r->session_at) {
		if (r->dirty)
			runai_due(r, r->session_at, RUNAI_DUE_SESSION, UINT32_MAX);
		return false;
	}
	if (!r->dirty || r->rests)
		return false;
	note_usage(r);
	r->dirty = false;
	for (uint32_t i = 0; i < r->instance_count && !r->engine.status; i++)
		any = session(r, i) || any;
	if (r->cycle)
		r->session_at = r->now + r->cycle;
	if (!any || r->cycle) /* Else the next one, at this instant, may still place them. */
		any = runai_pools_move(r) || any;
	if (!any || r->cycle)
		changed_all(r);
	r->dirty = r->dirty || any;
	return any;
}

void runai_run_now(struct runai *r)
{
	bool retry = true;
	changed_all(r);
	for (uint32_t i = 0; retry && !r->engine.status && i < SESSIONS_MAX; i++) {
		retry = run_due(r);
		retry = run_sessions(r) || retry;
		retry = retry || controller_due_next(&r->engine) <= r->now;
	}
	due_usage(r);
	runai_series_note(r);
}
