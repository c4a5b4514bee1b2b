/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gates.c - who is kept from the queue, and let in; see gates.h.
 */
#include "sim/run/gates_parts.h"

static bool has_ended(const struct sl_pass *pass, uint32_t job)
{
	const enum sl_state state = (enum sl_state)pass->job_state[job];
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* ---- Dependencies ---------------------------------------------------------------------------- */

/* How it ended. One that came to its end would come to the same that the log has of it. */
static bool went_well(const struct sl_pass *pass, uint32_t job)
{
	const enum sl_state recorded = more_of(pass, job)->state_recorded;
	if (pass->job_state[job] != SL_COMPLETED)
		return false;
	return recorded == SL_COMPLETED || recorded == SL_PENDING || recorded == SL_RUNNING ||
	       recorded == SL_SUSPENDED;
}

/* The row in this run, UINT32_MAX: it is not part of it. */
uint32_t gates_row_of(const struct sl_pass *pass, const struct sl_depend *depend)
{
	const uint32_t first = pass->scenario->row_first;
	const bool within = depend->job >= first && depend->job - first < pass->jobs->count;
	return within ? depend->job - first : UINT32_MAX;
}

/* Since when it is met; SL_NEVER: not yet, SL_NONE: it cannot be any more. */
static sl_time item_met(const struct sl_pass *pass, const struct list *list, const struct sl_depend *depend)
{
	if (depend->kind == SL_SINGLETON)
		return pass->gates->gate[list->gate].single;
	const uint32_t job = gates_row_of(pass, depend);
	if (job == UINT32_MAX)
		return LONG_AGO;
	if (depend->kind == SL_AFTER && pass->start[job] != SL_NONE)
		return time_after(pass->start[job], depend->delay);
	if (!has_ended(pass, job))
		return SL_NEVER;
	const bool well = went_well(pass, job);
	if ((depend->kind == SL_AFTER_OK || depend->kind == SL_AFTER_CORR) && !well)
		return SL_NONE;
	if (depend->kind == SL_AFTER_NOTOK && well)
		return SL_NONE;
	return time_after(pass->end[job], depend->delay);
}

/* All of a chain; *item: its first, then that of the next. */
static sl_time chain_met(const struct sl_pass *pass, const struct list *list, uint32_t *item)
{
	sl_time met = LONG_AGO;
	bool more = true;
	bool never = false;
	for (; more && *item < list->count; ++*item) {
		const struct sl_depend *depend = &list->depend[*item];
		const sl_time at = item_met(pass, list, depend);
		never |= at == SL_NONE;
		met = at > met ? at : met;
		more = depend->with_next;
	}
	return never ? SL_NONE : met;
}

/* One of its chains. */
sl_time gates_clause_met(const struct sl_pass *pass, const struct list *list, uint32_t item)
{
	sl_time met = SL_NONE;
	do {
		const sl_time at = chain_met(pass, list, &item);
		if (at != SL_NONE && (met == SL_NONE || at < met))
			met = at;
	} while (item < list->count && list->depend[item - 1].or_next);
	return met;
}

void gates_list_sum(const struct gates *gates, struct list *list)
{
	list->met = LONG_AGO;
	for (uint32_t i = 0; i < list->count; i++)
		if ((!i || !is_joined(&list->depend[i - 1])) && gates->clause[list->first + i] > list->met)
			list->met = gates->clause[list->first + i];
}

/* One of the clause's jobs started or ended. True if that changes anything. */
static bool clause_look(struct sl_pass *pass, struct list *list, uint32_t item)
{
	while (item && is_joined(&list->depend[item - 1]))
		item--;
	sl_time *clause = &pass->gates->clause[list->first + item];
	const sl_time was = *clause;
	const sl_time now = gates_clause_met(pass, list, item);
	if (was == SL_NONE || now == was || (was != SL_NEVER && (now == SL_NONE || now > was)))
		return false;
	*clause = now;
	list->never |= now == SL_NONE;
	list->unmet -= was == SL_NEVER && now != SL_NONE;
	if (!list->unmet)
		gates_list_sum(pass->gates, list);
	return true;
}

/* ---- Gates ----------------------------------------------------------------------------------- */

static void push(struct sl_pass *pass, struct evq *q, sl_time at, uint32_t row)
{
	q->seq = row; /* Ties by row. */
	pass_failed(pass, evq_push(q, at, SL_EV_SUBMIT, row, &pass->err));
}

static bool is_held(const struct sl_pass *pass, const struct sl_job_more *more)
{
	return more->held && (more->begin == SL_NONE || more->begin > pass->now);
}

/* From when on nothing but its array keeps it, as far as is known. */
static sl_time opens_at(const struct sl_pass *pass, const struct gate *gate)
{
	SL_CHECK(gate);
	const struct sl_job_more *more = more_of(pass, gate->job);
	sl_time at = pass->jobs->submit[gate->job];
	if (more->held && more->begin == SL_NONE)
		return SL_NEVER;
	at = more->begin > at ? more->begin : at; /* SL_NONE is not. */
	if (gate->list == UINT32_MAX)
		return at;
	const sl_time met = pass->gates->list[gate->list].met;
	return met > at ? met : at;
}

static enum sl_reason reason_of(const struct sl_pass *pass, const struct gate *gate)
{
	const struct sl_job_more *more = more_of(pass, gate->job);
	const struct list *list = gate->list == UINT32_MAX ? NULL : &pass->gates->list[gate->list];
	if (is_held(pass, more))
		return SL_REASON_HELD;
	if (list && list->never)
		return SL_REASON_NEVER;
	if (list && list->met > pass->now)
		return SL_REASON_DEPENDENCY;
	return more->begin > pass->now ? SL_REASON_BEGIN_TIME : SL_REASON_ARRAY_LIMIT;
}

static bool is_closed(const struct sl_pass *pass, uint32_t job)
{
	if (pass->feedback && !pass->feedback->came[job])
		return false; /* It was not even submitted. */
	return pass->gated[job] && pass->job_state[job] == SL_PENDING;
}

static void say_reason(struct sl_pass *pass, struct gate *gate, sl_time at)
{
	const enum sl_reason reason = reason_of(pass, gate);
	if (reason != gate->reason)
		reason_changes(pass, at, gate->job, reason, 0);
	gate->reason = reason;
}

static void array_changed(struct gates *gates, uint32_t index)
{
	struct array *array = &gates->array[index];
	if (!array->listed && array->waiting.count)
		gates->changed[gates->changed_count++] = index;
	array->listed |= array->waiting.count > 0;
}

/* Nothing but its array keeps it. */
static void arrive(struct sl_pass *pass, struct gate *gate)
{
	struct array *array = &pass->gates->array[gate->array];
	gate->arrived = true;
	push(pass, &array->waiting, more_of(pass, gate->job)->array_task, gate->job);
	array_changed(pass->gates, gate->array);
}

/* When it is to be looked at next, if time alone says so. */
static void look_later(struct sl_pass *pass, const struct gate *gate)
{
	const sl_time at = opens_at(pass, gate);
	const struct sl_job_more *more = more_of(pass, gate->job);
	if (at != SL_NEVER)
		push(pass, &pass->gates->opening, at > pass->now ? at : pass->now, gate->job);
	else if (is_held(pass, more) && more->begin != SL_NONE) /* It waits for others from then on. */
		push(pass, &pass->gates->opening, more->begin, gate->job);
}

/* It is kept: until when, and why. */
static void await(struct sl_pass *pass, struct gate *gate)
{
	look_later(pass, gate);
	if (opens_at(pass, gate) > pass->now)
		say_reason(pass, gate, pass->now);
}

bool gates_submit(struct sl_pass *pass, uint32_t job)
{
	struct gate *gate = gate_of(pass, job);
	if (!gate)
		return true;
	const bool opens = opens_at(pass, gate) <= pass->now;
	if (opens && gate->array == UINT32_MAX)
		return true;
	pass->gated[job] = 1;
	if (!opens) {
		await(pass, gate);
		return false;
	}
	arrive(pass, gate);
	say_reason(pass, gate, pass->now);
	return false;
}

void gates_enter(struct sl_pass *pass, uint32_t job)
{
	struct gate *gate = gate_of(pass, job);
	pass->gated[job] = 0;
	pass->eligible[job] = pass->now;
	if (!gate || gate->array == UINT32_MAX)
		return;
	gate->inside = true;
	pass->gates->array[gate->array].inside++;
}

/* ---- What others do -------------------------------------------------------------------------- */

static void list_look(struct sl_pass *pass, struct list *list, uint32_t item)
{
	const bool never = list->never;
	if (!clause_look(pass, list, item) || (list->unmet && list->never == never))
		return; /* Nothing of it that matters to a job has changed. */
	for (uint32_t next = list->gate; next != UINT32_MAX; next = pass->gates->gate[next].next) {
		struct gate *gate = &pass->gates->gate[next];
		if (is_closed(pass, gate->job) && !gate->arrived)
			await(pass, gate);
	}
}

static void tell_dependents(struct sl_pass *pass, uint32_t job)
{
	const struct gates *gates = pass->gates;
	if (!gates->dependent_first)
		return;
	for (size_t i = gates->dependent_first[job]; i < gates->dependent_first[job + 1]; i++)
		list_look(pass, &gates->list[gates->dependent[i].list], gates->dependent[i].item);
}

/* The first of a name and user that is left, if it was not that before and may wait for it. */
struct gate *gates_party_first(const struct sl_pass *pass, uint32_t party)
{
	const struct gates *gates = pass->gates;
	uint32_t *cursor = &gates->cursor[party];
	while (*cursor < gates->member_end[party] && has_ended(pass, gates->member[*cursor]))
		++*cursor;
	struct gate *gate = *cursor < gates->member_end[party] ? gate_of(pass, gates->member[*cursor]) : NULL;
	return gate && gate->list != UINT32_MAX && gate->single == SL_NEVER ? gate : NULL;
}

static void party_look(struct sl_pass *pass, uint32_t party)
{
	struct gate *gate = gates_party_first(pass, party);
	if (!gate)
		return;
	struct list *list = &pass->gates->list[gate->list];
	gate->single = pass->now;
	for (uint32_t item = 0; item < list->count; item++)
		if (list->depend[item].kind == SL_SINGLETON)
			list_look(pass, list, item);
}

void gates_started(struct sl_pass *pass, uint32_t job) { tell_dependents(pass, job); }

void gates_ended(struct sl_pass *pass, uint32_t job)
{
	struct gates *gates = pass->gates;
	struct gate *gate = gate_of(pass, job);
	if (gate && gate->inside) {
		gate->inside = false;
		gates->array[gate->array].inside--;
		array_changed(gates, gate->array);
	}
	tell_dependents(pass, job);
	if (gates->member && gates->party_of[job] != UINT32_MAX)
		party_look(pass, gates->party_of[job]);
}

/* ---- Who is let in --------------------------------------------------------------------------- */

/* Nobody waits for this time: the gate is open, or only its array keeps it. */
static bool is_stale(const struct sl_pass *pass, uint32_t job)
{
	const struct gate *gate = gate_of(pass, job);
	return !gate || gate->arrived || !is_closed(pass, job);
}

sl_time gates_next(const struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	const struct ev *top;
	while ((top = evq_top(&gates->opening)) && is_stale(pass, top->row))
		(void)evq_pop(&gates->opening);
	if (gates->changed_count)
		return pass->now;
	return top ? top->time : SL_NEVER;
}

uint32_t gates_pop(struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	const struct ev *top;
	while ((top = evq_top(&gates->opening)) && top->time <= pass->now) {
		const uint32_t job = evq_pop(&gates->opening).row;
		if (is_stale(pass, job))
			continue;
		struct gate *gate = gate_of(pass, job);
		const bool opens = opens_at(pass, gate) <= pass->now;
		if (opens && gate->array == UINT32_MAX)
			return job;
		if (opens)
			arrive(pass, gate);
		say_reason(pass, gate, pass->now);
	}
	return UINT32_MAX;
}

/* The next task of an array that has room for it; those that ended meanwhile are passed over. */
static uint32_t array_pop(const struct sl_pass *pass, struct array *array)
{
	const struct ev *top;
	while ((top = evq_top(&array->waiting))) {
		const uint32_t job = top->row;
		if (is_closed(pass, job) && array->inside >= more_of(pass, job)->array_limit)
			return UINT32_MAX;
		(void)evq_pop(&array->waiting);
		if (is_closed(pass, job))
			return job;
	}
	return UINT32_MAX;
}

uint32_t gates_pop_array(struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	while (gates->changed_count) {
		size_t least = 0; /* The array of the first job. */
		for (size_t i = 1; i < gates->changed_count; i++)
			if (gates->changed[i] < gates->changed[least])
				least = i;
		struct array *array = &gates->array[gates->changed[least]];
		const uint32_t job = array_pop(pass, array);
		if (job != UINT32_MAX)
			return job;
		array->listed = false;
		gates->changed[least] = gates->changed[--gates->changed_count];
	}
	return UINT32_MAX;
}

/* ---- Deadlines, and what must not be --------------------------------------------------------- */

/* The first microsecond at which it is too late to start. */
sl_time gates_deadline(const struct sl_pass *pass, uint32_t job)
{
	const struct sl_job_more *more = more_of(pass, job);
	const sl_time submit = pass->jobs->submit[job];
	const sl_time length = more->time_min > 0 ? more->time_min : pass->jobs->limit[job];
	if (more->deadline == SL_NONE)
		return SL_NONE;
	if (length > more->deadline - submit)
		return submit;
	return more->deadline - length + 1;
}

bool gates_no_requeue(const struct sl_pass *pass, uint32_t job) { return more_of(pass, job)->requeue == 0; }

bool gates_hold(const struct sl_pass *pass, uint32_t job)
{
	const struct gate *gate = gate_of(pass, job);
	const struct sl_job_more *more = more_of(pass, job);
	const sl_time start = pass->start[job];
	if (pass->jobs->ran && pass->jobs->ran[job] != SL_NONE)
		return true; /* As the log had it. */
	if (!gate)
		return true;
	if (start < more->begin || (more->held && more->begin == SL_NONE))
		return false;
	if (gate->list == UINT32_MAX)
		return true;
	const struct list *list = &pass->gates->list[gate->list];
	for (uint32_t item = 0; item < list->count; item++) {
		if (item && is_joined(&list->depend[item - 1]))
			continue;
		const sl_time met = gates_clause_met(pass, list, item);
		if (met == SL_NONE || met > start)
			return false;
	}
	return true;
}

/* ---- A run that begins in mid-log ------------------------------------------------------------ */

/* What it waited for since its submission, as far as is known. */
static void charge_past(struct sl_pass *pass, struct gate *gate, sl_time entered)
{
	const sl_time submit = pass->jobs->submit[gate->job];
	if (entered == submit)
		return;
	if (entered == SL_NEVER) {
		say_reason(pass, gate, submit);
		return;
	}
	const bool depends = gate->list != UINT32_MAX && pass->gates->list[gate->list].met == entered;
	reason_changes(pass, submit, gate->job, depends ? SL_REASON_DEPENDENCY : SL_REASON_BEGIN_TIME, 0);
	reason_changes(pass, entered, gate->job, pass->reason_default, 0);
}

/* Those that ran were let in, and what waits for their starts is met. */
static void take_up_running(struct sl_pass *pass, sl_time *entered, uint32_t submitted)
{
	const sl_time *ran = pass->jobs->ran;
	for (uint32_t job = 0; job < submitted; job++)
		if (ran[job] != SL_NONE)
			pass->start[job] = pass->now - ran[job];
	for (uint32_t job = 0; job < submitted; job++) {
		if (ran[job] == SL_NONE)
			continue;
		gates_started(pass, job);
		gates_enter(pass, job);
		entered[job] = pass->eligible[job] = pass->jobs->submit[job];
	}
	for (uint32_t job = 0; job < submitted; job++)
		pass->start[job] = SL_NONE; /* They are put on the machine later. */
}

static void take_up_waiting(struct sl_pass *pass, uint32_t job, sl_time *entered)
{
	struct gate *gate = gate_of(pass, job);
	const sl_time at = gate ? opens_at(pass, gate) : pass->jobs->submit[job];
	if (!gate || (at <= pass->now && gate->array == UINT32_MAX)) {
		*entered = pass->eligible[job] = at;
		return;
	}
	*entered = SL_NEVER;
	pass->gated[job] = 1;
	if (at <= pass->now)
		arrive(pass, gate);
	else
		look_later(pass, gate);
}

int gates_take_up(struct sl_pass *pass, sl_time *entered, uint32_t submitted)
{
	const struct gates *gates = pass->gates;
	const sl_time *ran = pass->jobs->ran;
	if (ran)
		take_up_running(pass, entered, submitted);
	for (uint32_t job = 0; job < submitted; job++)
		if (!ran || ran[job] == SL_NONE)
			take_up_waiting(pass, job, &entered[job]);
	for (uint32_t job; (job = gates_pop_array(pass)) != UINT32_MAX;) {
		entered[job] = opens_at(pass, gate_of(pass, job));
		gates_enter(pass, job);
		pass->eligible[job] = entered[job];
	}
	for (uint32_t i = 0; i < gates->gate_count && gates->gate[i].job < submitted; i++)
		charge_past(pass, &gates->gate[i], entered[gates->gate[i].job]);
	return pass->status;
}
