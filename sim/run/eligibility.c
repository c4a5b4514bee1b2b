/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eligibility.c - which jobs are not eligible, and when they are released; see eligibility.h.
 */
#include "sim/run/eligibility_parts.h"

static bool has_ended(const struct sim *sim, uint32_t job)
{
	const enum sl_state state = (enum sl_state)sim->job_state[job];
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* ---- Dependencies ---------------------------------------------------------------------------- */

/* How it ended. One that came to its end would come to the same that the log has of it. */
static bool went_well(const struct sim *sim, uint32_t job)
{
	const enum sl_state recorded = more_of(sim, job)->state_recorded;
	if (sim->job_state[job] != SL_COMPLETED)
		return false;
	return recorded == SL_COMPLETED || recorded == SL_PENDING || recorded == SL_RUNNING ||
	       recorded == SL_SUSPENDED;
}

/* The row in this run, UINT32_MAX: it is not part of it. */
uint32_t eligibility_row_of(const struct sim *sim, const struct sl_depend *depend)
{
	const uint32_t first = sim->scenario->row_first;
	const bool within = depend->job >= first && depend->job - first < sim->jobs->count;
	return within ? depend->job - first : UINT32_MAX;
}

/* Since when it is met; SL_NEVER: not yet, SL_NONE: it cannot be any more. */
static sl_time item_met(const struct sim *sim, const struct list *list, const struct sl_depend *depend)
{
	if (depend->kind == SL_SINGLETON)
		return sim->eligibility->job_eligibility[list->job_eligibility].single;
	const uint32_t job = eligibility_row_of(sim, depend);
	if (job == UINT32_MAX)
		return LONG_AGO;
	if (depend->kind == SL_AFTER && sim->start[job] != SL_NONE)
		return time_after(sim->start[job], depend->delay);
	if (!has_ended(sim, job))
		return SL_NEVER;
	const bool well = went_well(sim, job);
	if ((depend->kind == SL_AFTER_OK || depend->kind == SL_AFTER_CORR) && !well)
		return SL_NONE;
	if (depend->kind == SL_AFTER_NOTOK && well)
		return SL_NONE;
	return time_after(sim->end[job], depend->delay);
}

/* All of a chain; *item: its first, then that of the next. */
static sl_time chain_met(const struct sim *sim, const struct list *list, uint32_t *item)
{
	sl_time met = LONG_AGO;
	bool more = true;
	bool never = false;
	for (; more && *item < list->count; ++*item) {
		const struct sl_depend *depend = &list->depend[*item];
		const sl_time at = item_met(sim, list, depend);
		never |= at == SL_NONE;
		met = at > met ? at : met;
		more = depend->with_next;
	}
	return never ? SL_NONE : met;
}

/* One of its chains. */
sl_time eligibility_clause_met(const struct sim *sim, const struct list *list, uint32_t item)
{
	sl_time met = SL_NONE;
	do {
		const sl_time at = chain_met(sim, list, &item);
		if (at != SL_NONE && (met == SL_NONE || at < met))
			met = at;
	} while (item < list->count && list->depend[item - 1].or_next);
	return met;
}

void eligibility_list_sum(const struct eligibility *eligibility, struct list *list)
{
	list->met = LONG_AGO;
	for (uint32_t i = 0; i < list->count; i++)
		if ((!i || !is_joined(&list->depend[i - 1])) &&
			eligibility->clause[list->first + i] > list->met)
			list->met = eligibility->clause[list->first + i];
}

/* One of the clause's jobs started or ended. True if that changes anything. */
static bool clause_look(struct sim *sim, struct list *list, uint32_t item)
{
	while (item && is_joined(&list->depend[item - 1]))
		item--;
	sl_time *clause = &sim->eligibility->clause[list->first + item];
	const sl_time was = *clause;
	const sl_time now = eligibility_clause_met(sim, list, item);
	if (was == SL_NONE || now == was || (was != SL_NEVER && (now == SL_NONE || now > was)))
		return false;
	*clause = now;
	list->never |= now == SL_NONE;
	list->unmet -= was == SL_NEVER && now != SL_NONE;
	if (!list->unmet)
		eligibility_list_sum(sim->eligibility, list);
	return true;
}

/* ---- Eligibility ----------------------------------------------------------------------------------- */

static void push(struct sim *sim, struct evq *q, sl_time at, uint32_t row)
{
	q->seq = row; /* Ties by row. */
	pass_failed(sim, evq_push(q, at, SL_EV_SUBMIT, row, &sim->err));
}

static bool is_held(const struct sim *sim, const struct sl_job_attributes *more)
{
	return !sim->eligibility->dependencies_alone && more->held &&
	       (more->begin == SL_NONE || more->begin > sim->now);
}

/* From when on nothing but its array keeps it, as far as is known. */
static sl_time opens_at(const struct sim *sim, const struct job_eligibility *job_eligibility)
{
	SL_CHECK(job_eligibility);
	const struct sl_job_attributes *more = more_of(sim, job_eligibility->job);
	sl_time at = sim->jobs->submit[job_eligibility->job];
	const bool alone = sim->eligibility->dependencies_alone;
	if (!alone && more->held && more->begin == SL_NONE)
		return SL_NEVER;
	at = !alone && more->begin > at ? more->begin : at; /* SL_NONE is not. */
	if (job_eligibility->list == UINT32_MAX)
		return at;
	const sl_time met = sim->eligibility->list[job_eligibility->list].met;
	return met > at ? met : at;
}

static enum sl_reason eligibility_reason_of(
	const struct sim *sim, const struct job_eligibility *job_eligibility)
{
	const struct sl_job_attributes *more = more_of(sim, job_eligibility->job);
	const struct list *list =
		job_eligibility->list == UINT32_MAX ? NULL : &sim->eligibility->list[job_eligibility->list];
	if (is_held(sim, more))
		return SL_REASON_HELD;
	if (list && list->never)
		return SL_REASON_NEVER;
	if (list && list->met > sim->now)
		return SL_REASON_DEPENDENCY;
	return more->begin > sim->now ? SL_REASON_BEGIN_TIME : SL_REASON_ARRAY_LIMIT;
}

static bool is_closed(const struct sim *sim, uint32_t job)
{
	if (sim->feedback && !sim->feedback->came[job])
		return false; /* It was not even submitted. */
	return sim->gated[job] && sim->job_state[job] == SL_PENDING;
}

static void say_reason(struct sim *sim, struct job_eligibility *job_eligibility, sl_time at)
{
	const enum sl_reason reason = eligibility_reason_of(sim, job_eligibility);
	if (reason != job_eligibility->reason)
		reason_changes(sim, at, job_eligibility->job, reason, 0);
	job_eligibility->reason = reason;
}

static void array_changed(struct eligibility *eligibility, uint32_t index)
{
	struct array *array = &eligibility->array[index];
	if (!array->listed && array->waiting.count)
		eligibility->changed[eligibility->changed_count++] = index;
	array->listed |= array->waiting.count > 0;
}

/* Nothing but its array keeps it. */
static void arrive(struct sim *sim, struct job_eligibility *job_eligibility)
{
	struct array *array = &sim->eligibility->array[job_eligibility->array];
	job_eligibility->arrived = true;
	push(sim, &array->waiting, more_of(sim, job_eligibility->job)->array_task, job_eligibility->job);
	array_changed(sim->eligibility, job_eligibility->array);
}

/* When it is to be looked at next, if time alone says so. */
static void look_later(struct sim *sim, const struct job_eligibility *job_eligibility)
{
	const sl_time at = opens_at(sim, job_eligibility);
	const struct sl_job_attributes *more = more_of(sim, job_eligibility->job);
	if (at != SL_NEVER)
		push(sim, &sim->eligibility->opening, at > sim->now ? at : sim->now, job_eligibility->job);
	else if (is_held(sim, more) && more->begin != SL_NONE) /* It waits for others from then on. */
		push(sim, &sim->eligibility->opening, more->begin, job_eligibility->job);
}

/* It is kept: until when, and why. */
static void await(struct sim *sim, struct job_eligibility *job_eligibility)
{
	look_later(sim, job_eligibility);
	if (opens_at(sim, job_eligibility) > sim->now)
		say_reason(sim, job_eligibility, sim->now);
}

bool eligibility_submit(struct sim *sim, uint32_t job)
{
	struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	if (!job_eligibility)
		return true;
	const bool opens = opens_at(sim, job_eligibility) <= sim->now;
	if (opens && job_eligibility->array == UINT32_MAX)
		return true;
	sim->gated[job] = 1;
	if (!opens) {
		await(sim, job_eligibility);
		return false;
	}
	arrive(sim, job_eligibility);
	say_reason(sim, job_eligibility, sim->now);
	return false;
}

bool eligibility_dependencies_alone(struct sim *sim)
{
	struct eligibility *eligibility = sim->eligibility;
	if (!eligibility || !(eligibility->list_count || eligibility->array_count))
		return false;
	eligibility->dependencies_alone = true;
	return true;
}

void eligibility_enter(struct sim *sim, uint32_t job)
{
	struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	sim->gated[job] = 0;
	sim->eligible[job] = sim->now;
	if (!job_eligibility || job_eligibility->array == UINT32_MAX)
		return;
	job_eligibility->inside = true;
	sim->eligibility->array[job_eligibility->array].inside++;
}

/* ---- What others do -------------------------------------------------------------------------- */

static void list_look(struct sim *sim, struct list *list, uint32_t item)
{
	const bool never = list->never;
	if (!clause_look(sim, list, item) || (list->unmet && list->never == never))
		return; /* Nothing of it that matters to a job has changed. */
	for (uint32_t next = list->job_eligibility; next != UINT32_MAX;
		next = sim->eligibility->job_eligibility[next].next) {
		struct job_eligibility *job_eligibility = &sim->eligibility->job_eligibility[next];
		if (is_closed(sim, job_eligibility->job) && !job_eligibility->arrived)
			await(sim, job_eligibility);
	}
}

static void report_dependents(struct sim *sim, uint32_t job)
{
	const struct eligibility *eligibility = sim->eligibility;
	if (!eligibility->dependent_first)
		return;
	for (size_t i = eligibility->dependent_first[job]; i < eligibility->dependent_first[job + 1]; i++)
		list_look(sim, &eligibility->list[eligibility->dependent[i].list],
			eligibility->dependent[i].item);
}

/* The first of a name and user that is left, if it was not that before and may wait for it. */
struct job_eligibility *eligibility_singleton_first(const struct sim *sim, uint32_t singleton)
{
	const struct eligibility *eligibility = sim->eligibility;
	uint32_t *cursor = &eligibility->cursor[singleton];
	while (*cursor < eligibility->member_end[singleton] && has_ended(sim, eligibility->member[*cursor]))
		++*cursor;
	struct job_eligibility *job_eligibility =
		*cursor < eligibility->member_end[singleton]
			? job_eligibility_of(sim, eligibility->member[*cursor])
			: NULL;
	return job_eligibility && job_eligibility->list != UINT32_MAX && job_eligibility->single == SL_NEVER
		       ? job_eligibility
		       : NULL;
}

static void singleton_look(struct sim *sim, uint32_t singleton)
{
	struct job_eligibility *job_eligibility = eligibility_singleton_first(sim, singleton);
	if (!job_eligibility)
		return;
	struct list *list = &sim->eligibility->list[job_eligibility->list];
	job_eligibility->single = sim->now;
	for (uint32_t item = 0; item < list->count; item++)
		if (list->depend[item].kind == SL_SINGLETON)
			list_look(sim, list, item);
}

void eligibility_started(struct sim *sim, uint32_t job) { report_dependents(sim, job); }

void eligibility_ended(struct sim *sim, uint32_t job)
{
	struct eligibility *eligibility = sim->eligibility;
	struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	if (job_eligibility && job_eligibility->inside) {
		job_eligibility->inside = false;
		eligibility->array[job_eligibility->array].inside--;
		array_changed(eligibility, job_eligibility->array);
	}
	report_dependents(sim, job);
	if (eligibility->member && eligibility->singleton_of[job] != UINT32_MAX)
		singleton_look(sim, eligibility->singleton_of[job]);
}

/* ---- Released jobs --------------------------------------------------------------------------- */

/* No job waits for this time: it is released, or only its array limit keeps it. */
static bool is_stale(const struct sim *sim, uint32_t job)
{
	const struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	return !job_eligibility || job_eligibility->arrived || !is_closed(sim, job);
}

sl_time eligibility_next(const struct sim *sim)
{
	struct eligibility *eligibility = sim->eligibility;
	const struct ev *top;
	while ((top = evq_top(&eligibility->opening)) && is_stale(sim, top->row))
		(void)evq_pop(&eligibility->opening);
	if (eligibility->changed_count)
		return sim->now;
	return top ? top->time : SL_NEVER;
}

uint32_t eligibility_pop(struct sim *sim)
{
	struct eligibility *eligibility = sim->eligibility;
	const struct ev *top;
	while ((top = evq_top(&eligibility->opening)) && top->time <= sim->now) {
		const uint32_t job = evq_pop(&eligibility->opening).row;
		if (is_stale(sim, job))
			continue;
		struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
		const bool opens = opens_at(sim, job_eligibility) <= sim->now;
		if (opens && job_eligibility->array == UINT32_MAX)
			return job;
		if (opens)
			arrive(sim, job_eligibility);
		say_reason(sim, job_eligibility, sim->now);
	}
	return UINT32_MAX;
}

/* The next task of an array below its limit; those that ended meanwhile are skipped. */
static uint32_t array_pop(const struct sim *sim, struct array *array)
{
	const struct ev *top;
	while ((top = evq_top(&array->waiting))) {
		const uint32_t job = top->row;
		if (is_closed(sim, job) && array->inside >= more_of(sim, job)->array_limit)
			return UINT32_MAX;
		(void)evq_pop(&array->waiting);
		if (is_closed(sim, job))
			return job;
	}
	return UINT32_MAX;
}

uint32_t eligibility_pop_array(struct sim *sim)
{
	struct eligibility *eligibility = sim->eligibility;
	while (eligibility->changed_count) {
		size_t least = 0; /* The array of the first job. */
		for (size_t i = 1; i < eligibility->changed_count; i++)
			if (eligibility->changed[i] < eligibility->changed[least])
				least = i;
		struct array *array = &eligibility->array[eligibility->changed[least]];
		const uint32_t job = array_pop(sim, array);
		if (job != UINT32_MAX)
			return job;
		array->listed = false;
		eligibility->changed[least] = eligibility->changed[--eligibility->changed_count];
	}
	return UINT32_MAX;
}

/* ---- Deadlines, and what must not be --------------------------------------------------------- */

/* The first microsecond at which it is too late to start. */
sl_time eligibility_deadline(const struct sim *sim, uint32_t job)
{
	const struct sl_job_attributes *more = more_of(sim, job);
	const sl_time submit = sim->jobs->submit[job];
	const sl_time length = more->time_min > 0 ? more->time_min : sim->jobs->limit[job];
	if (more->deadline == SL_NONE || sim->eligibility->dependencies_alone)
		return SL_NONE;
	if (length > more->deadline - submit)
		return submit;
	return more->deadline - length + 1;
}

bool eligibility_no_requeue(const struct sim *sim, uint32_t job) { return more_of(sim, job)->requeue == 0; }

bool eligibility_defer(const struct sim *sim, uint32_t job)
{
	const struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	const struct sl_job_attributes *more = more_of(sim, job);
	const sl_time start = sim->start[job];
	if (sim->jobs->ran && sim->jobs->ran[job] != SL_NONE)
		return true; /* As the log had it. */
	if (!job_eligibility)
		return true;
	if (!sim->eligibility->dependencies_alone &&
		(start < more->begin || (more->held && more->begin == SL_NONE)))
		return false;
	if (job_eligibility->list == UINT32_MAX)
		return true;
	const struct list *list = &sim->eligibility->list[job_eligibility->list];
	for (uint32_t item = 0; item < list->count; item++) {
		if (item && is_joined(&list->depend[item - 1]))
			continue;
		const sl_time met = eligibility_clause_met(sim, list, item);
		if (met == SL_NONE || met > start)
			return false;
	}
	return true;
}

/* ---- A run that begins in mid-log ------------------------------------------------------------ */

/* What it waited for since its submission, as far as is known. */
static void charge_history(struct sim *sim, struct job_eligibility *job_eligibility, sl_time entered)
{
	const sl_time submit = sim->jobs->submit[job_eligibility->job];
	if (entered == submit)
		return;
	if (entered == SL_NEVER) {
		say_reason(sim, job_eligibility, submit);
		return;
	}
	const bool depends = job_eligibility->list != UINT32_MAX &&
			     sim->eligibility->list[job_eligibility->list].met == entered;
	reason_changes(
		sim, submit, job_eligibility->job, depends ? SL_REASON_DEPENDENCY : SL_REASON_BEGIN_TIME, 0);
	reason_changes(sim, entered, job_eligibility->job, sim->reason_default, 0);
}

/* Those that ran were released, and what waits for their starts is met. */
static void take_up_running(struct sim *sim, sl_time *entered, uint32_t submitted)
{
	const sl_time *ran = sim->jobs->ran;
	for (uint32_t job = 0; job < submitted; job++)
		if (ran[job] != SL_NONE)
			sim->start[job] = sim->now - ran[job];
	for (uint32_t job = 0; job < submitted; job++) {
		if (ran[job] == SL_NONE)
			continue;
		eligibility_started(sim, job);
		eligibility_enter(sim, job);
		entered[job] = sim->eligible[job] = sim->jobs->submit[job];
	}
	for (uint32_t job = 0; job < submitted; job++) {
		sim->end[job] = begin_ended(sim, job);
		if (sim->end[job] == SL_NONE)
			continue;
		sim->job_state[job] = SL_COMPLETED;
		eligibility_ended(sim, job);
	}
	for (uint32_t job = 0; job < submitted; job++) { /* They are put on the machine later. */
		sim->start[job] = sim->end[job] = SL_NONE;
		sim->job_state[job] = SL_PENDING;
	}
}

static void take_up_waiting(struct sim *sim, uint32_t job, sl_time *entered)
{
	struct job_eligibility *job_eligibility = job_eligibility_of(sim, job);
	const sl_time at = job_eligibility ? opens_at(sim, job_eligibility) : sim->jobs->submit[job];
	if (!job_eligibility || (at <= sim->now && job_eligibility->array == UINT32_MAX)) {
		*entered = sim->eligible[job] = at;
		return;
	}
	*entered = SL_NEVER;
	sim->gated[job] = 1;
	if (at <= sim->now)
		arrive(sim, job_eligibility);
	else
		look_later(sim, job_eligibility);
}

int eligibility_take_up(struct sim *sim, sl_time *entered, uint32_t submitted)
{
	const struct eligibility *eligibility = sim->eligibility;
	const sl_time *ran = sim->jobs->ran;
	if (ran)
		take_up_running(sim, entered, submitted);
	for (uint32_t job = 0; job < submitted; job++)
		if (!ran || ran[job] == SL_NONE)
			take_up_waiting(sim, job, &entered[job]);
	for (uint32_t job; (job = eligibility_pop_array(sim)) != UINT32_MAX;) {
		entered[job] = opens_at(sim, job_eligibility_of(sim, job));
		eligibility_enter(sim, job);
		sim->eligible[job] = entered[job];
	}
	for (uint32_t i = 0;
		i < eligibility->job_eligibility_count && eligibility->job_eligibility[i].job < submitted;
		i++)
		charge_history(
			sim, &eligibility->job_eligibility[i], entered[eligibility->job_eligibility[i].job]);
	return sim->status;
}
