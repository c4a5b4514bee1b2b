/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gates.c - begin times, holds, dependencies and limits of arrays; see gates.h.
 *
 * A list of dependencies is parted into clauses, all of which must be; a clause is one dependency, or several
 * of which one must be ("?"), each perhaps a chain of an array's tasks. Each is met from a time on, which may
 * lie ahead (a delay), and which only a further alternative can bring nearer.
 */
#include "sim/gates.h"

#include <stdlib.h>
#include <string.h>

#include "sim/names.h"
#include "sim/pass.h"

/* Met before all time. */
#define LONG_AGO (INT64_MIN / 2)

/* The dependencies that some jobs have in common. */
struct list {
	const struct sl_depend *depend;
	uint32_t count, unmet; /* unmet: clauses. */
	uint32_t first;        /* Of `clause`, one for each dependency. */
	uint32_t gate;         /* The first job of it, UINT32_MAX; others by gate.next. */
	sl_time met;           /* SL_NEVER: not yet. */
	bool never;            /* It cannot be met any more. */
};

/* Tasks of one array, of which only so many may be in the queue or run. */
struct array {
	struct evq waiting; /* (task, row): they may but for that. */
	uint32_t inside;
	bool listed; /* In `changed`. */
};

struct gate {
	uint32_t job;
	uint32_t list, next; /* UINT32_MAX: none. */
	uint32_t array;      /* The same. */
	sl_time single;      /* Since when it is the first of its name and user; SL_NEVER: it is not. */
	enum sl_reason reason;
	bool arrived; /* Nothing but its array keeps it. */
	bool inside;  /* Of its array. */
};

/* Who is told when a job starts or ends. */
struct dependent {
	uint32_t list, item;
};

struct gates {
	struct gate *gate;
	uint32_t gate_count;
	uint32_t *gate_of; /* By job; UINT32_MAX: none. */
	struct list *list;
	uint32_t list_count;
	sl_time *clause; /* At the place of each one's first: SL_NEVER, SL_NONE (never can be), or since when.
			  */
	struct dependent *dependent;
	size_t *dependent_first; /* By job, and one more; NULL: nobody depends on anybody. */
	struct array *array;
	uint32_t array_count;
	uint32_t *changed; /* Arrays with room for waiting tasks. */
	size_t changed_count;
	struct evq opening; /* (time, row); stale where the gate is open, or not to open yet. */
	/* Singletons. Jobs by name and user, in order; NULL: there are none. */
	uint32_t *member, *member_end, *cursor;
	uint32_t *party_of; /* By job; UINT32_MAX: of none. */
	uint32_t party_count;
};

static const struct sl_job_more *more_of(const struct sl_pass *pass, uint32_t job)
{
	return &pass->jobs->more[pass->jobs->more_of[job]];
}

static struct gate *gate_of(const struct sl_pass *pass, uint32_t job)
{
	const uint32_t gate = pass->gates->gate_of[job];
	return gate == UINT32_MAX ? NULL : &pass->gates->gate[gate];
}

static bool has_ended(const struct sl_pass *pass, uint32_t job)
{
	const enum sl_state state = (enum sl_state)pass->job_state[job];
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* ---- Dependencies ------------------------------------------------------------------ */

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
static uint32_t row_of(const struct sl_pass *pass, const struct sl_depend *depend)
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
	const uint32_t job = row_of(pass, depend);
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
static sl_time clause_met(const struct sl_pass *pass, const struct list *list, uint32_t item)
{
	sl_time met = SL_NONE;
	do {
		const sl_time at = chain_met(pass, list, &item);
		if (at != SL_NONE && (met == SL_NONE || at < met))
			met = at;
	} while (item < list->count && list->depend[item - 1].or_next);
	return met;
}

static bool is_joined(const struct sl_depend *depend) { return depend->or_next || depend->with_next; }

static void list_sum(const struct gates *gates, struct list *list)
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
	const sl_time now = clause_met(pass, list, item);
	if (was == SL_NONE || now == was || (was != SL_NEVER && (now == SL_NONE || now > was)))
		return false;
	*clause = now;
	list->never |= now == SL_NONE;
	list->unmet -= was == SL_NEVER && now != SL_NONE;
	if (!list->unmet)
		list_sum(pass->gates, list);
	return true;
}

/* ---- Gates ---------------------------------------------------------------------------- */

static void push(struct sl_pass *pass, struct evq *q, sl_time at, uint32_t row)
{
	q->seq = row; /* Ties by row. */
	const int status = evq_push(q, at, SL_EV_SUBMIT, row, &pass->err);
	if (status)
		pass_failed(pass, status);
}

static bool is_held(const struct sl_pass *pass, const struct sl_job_more *more)
{
	return more->held && (more->begin == SL_NONE || more->begin > pass->now);
}

/* From when on nothing but its array keeps it, as far as is known. */
static sl_time opens_at(const struct sl_pass *pass, const struct gate *gate)
{
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

/* ---- What others do ------------------------------------------------------------------------ */

static void list_look(struct sl_pass *pass, struct list *list, uint32_t item)
{
	if (!clause_look(pass, list, item))
		return;
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
static struct gate *party_first(const struct sl_pass *pass, uint32_t party)
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
	struct gate *gate = party_first(pass, party);
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

sl_time gates_next(const struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	const struct ev *top;
	while ((top = evq_top(&gates->opening)) &&
		(!is_closed(pass, top->row) || gate_of(pass, top->row)->arrived))
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
		struct gate *gate = gate_of(pass, job);
		if (!is_closed(pass, job) || gate->arrived)
			continue;
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

/* ---- Deadlines, and what must not be ------------------------------------------------------------ */

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
		const sl_time met = clause_met(pass, list, item);
		if (met == SL_NONE || met > start)
			return false;
	}
	return true;
}

/* ---- A run that begins in mid-log ------------------------------------------------------------------ */

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

int gates_take_up(struct sl_pass *pass, sl_time *entered, uint32_t submitted)
{
	struct gates *gates = pass->gates;
	const sl_time *ran = pass->jobs->ran;
	for (uint32_t job = 0; ran && job < submitted; job++)
		if (ran[job] != SL_NONE)
			pass->start[job] = pass->now - ran[job];
	for (uint32_t job = 0; ran && job < submitted; job++) {
		if (ran[job] == SL_NONE)
			continue;
		gates_started(pass, job);
		gates_enter(pass, job);
		entered[job] = pass->eligible[job] = pass->jobs->submit[job];
	}
	for (uint32_t job = 0; job < submitted; job++) {
		struct gate *gate = gate_of(pass, job);
		if (ran && ran[job] != SL_NONE)
			continue;
		const sl_time at = gate ? opens_at(pass, gate) : pass->jobs->submit[job];
		entered[job] = at <= pass->now && (!gate || gate->array == UINT32_MAX) ? at : SL_NEVER;
		pass->eligible[job] = entered[job] == SL_NEVER ? SL_NONE : at;
		pass->gated[job] = entered[job] == SL_NEVER;
		if (pass->gated[job] && at <= pass->now)
			arrive(pass, gate);
		else if (pass->gated[job])
			look_later(pass, gate);
	}
	for (uint32_t job; (job = gates_pop_array(pass)) != UINT32_MAX;) {
		entered[job] = opens_at(pass, gate_of(pass, job));
		gates_enter(pass, job);
		pass->eligible[job] = entered[job];
	}
	for (uint32_t i = 0; i < gates->gate_count && gates->gate[i].job < submitted; i++)
		charge_past(pass, &gates->gate[i], entered[gates->gate[i].job]);
	for (uint32_t job = 0; ran && job < submitted; job++)
		pass->start[job] = SL_NONE;
	return pass->status;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static bool is_limited(const struct sl_job_more *more)
{
	return more->array != SL_NONE && more->array_limit > 0;
}

static bool needs_gate(const struct sl_job_more *more, sl_time submit)
{
	return more->begin > submit || more->held || more->depend_count || is_limited(more);
}

static int make_gates(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const struct sl_jobs *jobs = pass->jobs;
	uint32_t count = 0;
	gates->gate_of = sl_alloc(pass->arena, jobs->count, sizeof(*gates->gate_of));
	if (!gates->gate_of)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		gates->gate_of[job] =
			needs_gate(more_of(pass, job), jobs->submit[job]) ? count++ : UINT32_MAX;
	gates->gate = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*gates->gate));
	if (!gates->gate)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		if (gates->gate_of[job] != UINT32_MAX)
			gates->gate[gates->gate_count++] = (struct gate){ .job = job,
				.list = UINT32_MAX,
				.next = UINT32_MAX,
				.array = UINT32_MAX,
				.single = SL_NEVER };
	return SL_OK;
}

/* A gate by what it shares with others: the same key, the same list, or the same array. */
struct shared {
	uint64_t key;
	uint32_t gate;
};

static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a;
	const struct shared *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->gate > y->gate) - (x->gate < y->gate);
}

static void shared_sort(struct shared *shared, size_t count)
{
	if (count)
		qsort(shared, count, sizeof(*shared), compare_shared);
}

/* Jobs have a list in common where it is the same memory, which is asked of nothing but equality: lists are
 * never walked in this order. */
static int make_lists(struct sl_pass *pass, struct shared *shared, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	size_t count = 0;
	size_t items = 0;
	for (uint32_t i = 0; i < gates->gate_count; i++) {
		const struct sl_job_more *more = more_of(pass, gates->gate[i].job);
		if (more->depend_count)
			shared[count++] = (struct shared){ (uintptr_t)more->depend, i };
	}
	shared_sort(shared, count);
	gates->list = sl_alloc(pass->arena, count + 1, sizeof(*gates->list));
	if (!gates->list)
		return sl_fail_memory(err);
	for (size_t i = count; i-- > 0;) { /* Each chain of gates then begins with the first. */
		struct gate *gate = &gates->gate[shared[i].gate];
		const struct sl_job_more *more = more_of(pass, gate->job);
		if (i + 1 == count || shared[i + 1].key != shared[i].key) {
			gates->list[gates->list_count++] = (struct list){ .depend = more->depend,
				.count = more->depend_count,
				.first = (uint32_t)items,
				.gate = UINT32_MAX,
				.met = SL_NEVER };
			items += more->depend_count;
		}
		struct list *list = &gates->list[gates->list_count - 1];
		gate->list = gates->list_count - 1;
		gate->next = list->gate;
		list->gate = shared[i].gate;
	}
	SL_CHECK(items < UINT32_MAX);
	gates->clause = sl_alloc(pass->arena, items + 1, sizeof(*gates->clause));
	return gates->clause ? SL_OK : sl_fail_memory(err);
}

/* By the array's number. */
static int make_arrays(struct sl_pass *pass, struct shared *shared, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	size_t count = 0;
	for (uint32_t i = 0; i < gates->gate_count; i++) {
		const struct sl_job_more *more = more_of(pass, gates->gate[i].job);
		if (is_limited(more))
			shared[count++] = (struct shared){ (uint64_t)more->array, i };
	}
	shared_sort(shared, count);
	gates->array = sl_alloc(pass->arena, count + 1, sizeof(*gates->array));
	gates->changed = sl_alloc(pass->arena, count + 1, sizeof(*gates->changed));
	if (!gates->array || !gates->changed)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		gates->array_count += !i || shared[i - 1].key != shared[i].key;
		gates->gate[shared[i].gate].array = gates->array_count - 1;
	}
	return SL_OK;
}

/* Each list is told of those that it names. */
static int make_dependents(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const uint32_t jobs = pass->jobs->count;
	size_t *first = sl_alloc(pass->arena, (size_t)jobs + 2, sizeof(*first));
	size_t total = 0;
	if (!first)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++) {
			const uint32_t row = row_of(pass, &gates->list[i].depend[item]);
			total += row != UINT32_MAX;
			if (row != UINT32_MAX)
				first[row + 2]++;
		}
	gates->dependent = sl_alloc(pass->arena, total + 1, sizeof(*gates->dependent));
	if (!gates->dependent)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs; row++)
		first[row + 2] += first[row + 1];
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++) {
			const uint32_t row = row_of(pass, &gates->list[i].depend[item]);
			if (row != UINT32_MAX)
				gates->dependent[first[row + 1]++] = (struct dependent){ i, item };
		}
	gates->dependent_first = first;
	return SL_OK;
}

static bool has_singletons(const struct gates *gates)
{
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++)
			if (gates->list[i].depend[item].kind == SL_SINGLETON)
				return true;
	return false;
}

/* Jobs that have a name, by it and their user. */
static int list_parties(
	struct sl_pass *pass, struct names *names, struct shared *shared, size_t *count, struct sl_err *err)
{
	*count = 0;
	for (uint32_t job = 0; job < pass->jobs->count; job++) {
		const char *name = more_of(pass, job)->name;
		uint32_t number;
		if (!name)
			continue;
		const int status = names_add(names, pass->arena, name, strlen(name), &number, err);
		if (status)
			return status;
		shared[(*count)++] =
			(struct shared){ (uint64_t)number << 32 | (uint32_t)pass->jobs->user[job], job };
	}
	shared_sort(shared, *count);
	return SL_OK;
}

static int place_parties(struct sl_pass *pass, const struct shared *shared, size_t count, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const size_t jobs = pass->jobs->count;
	gates->member = sl_alloc(pass->arena, count + 1, sizeof(*gates->member));
	gates->member_end = sl_alloc(pass->arena, count + 1, sizeof(*gates->member_end));
	gates->cursor = sl_alloc(pass->arena, count + 1, sizeof(*gates->cursor));
	gates->party_of = sl_alloc(pass->arena, jobs + 1, sizeof(*gates->party_of));
	if (!gates->member || !gates->member_end || !gates->cursor || !gates->party_of)
		return sl_fail_memory(err);
	for (size_t job = 0; job < jobs; job++)
		gates->party_of[job] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (!i || shared[i - 1].key != shared[i].key)
			gates->cursor[gates->party_count++] = i;
		gates->member[i] = shared[i].gate;
		gates->member_end[gates->party_count - 1] = i + 1;
		gates->party_of[shared[i].gate] = gates->party_count - 1;
	}
	return SL_OK;
}

static int make_parties(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	struct names names = { 0 };
	size_t count = 0;
	if (!has_singletons(gates))
		return SL_OK;
	struct shared *shared = calloc((size_t)pass->jobs->count + 1, sizeof(*shared));
	int status = shared ? list_parties(pass, &names, shared, &count, err) : sl_fail_memory(err);
	if (!status)
		status = place_parties(pass, shared, count, err);
	names_release(&names);
	free(shared);
	/* Whoever has no name has no other job of it before. */
	for (uint32_t i = 0; i < gates->gate_count && !status; i++)
		if (gates->party_of[gates->gate[i].job] == UINT32_MAX)
			gates->gate[i].single = LONG_AGO;
	for (uint32_t party = 0; party < gates->party_count && !status; party++) {
		struct gate *first = party_first(pass, party);
		if (first)
			first->single = LONG_AGO;
	}
	return status;
}

/* What is known before anything has happened. */
static void look_first(struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	for (uint32_t i = 0; i < gates->list_count; i++) {
		struct list *list = &gates->list[i];
		for (uint32_t item = 0; item < list->count; item++) {
			if (item && is_joined(&list->depend[item - 1]))
				continue;
			const sl_time met = clause_met(pass, list, item);
			gates->clause[list->first + item] = met;
			list->unmet += met == SL_NEVER || met == SL_NONE;
			list->never |= met == SL_NONE;
		}
		if (!list->unmet)
			list_sum(gates, list);
	}
}

static int make_all(struct sl_pass *pass, struct sl_err *err)
{
	int status = make_gates(pass, err);
	struct shared *shared = status ? NULL : calloc((size_t)pass->gates->gate_count + 1, sizeof(*shared));
	if (!status && !shared)
		status = sl_fail_memory(err);
	if (!status)
		status = make_lists(pass, shared, err);
	if (!status)
		status = make_arrays(pass, shared, err);
	free(shared);
	if (!status && pass->gates->list_count)
		status = make_dependents(pass, err);
	if (!status)
		status = make_parties(pass, err);
	if (!status)
		look_first(pass);
	return status;
}

int gates_init(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t jobs = pass->jobs->count;
	if (!pass->jobs->more_of)
		return SL_OK;
	pass->gates = sl_alloc(pass->arena, 1, sizeof(*pass->gates));
	pass->gated = sl_alloc(pass->arena, (size_t)jobs + 1, sizeof(*pass->gated));
	pass->eligible = sl_alloc(pass->arena, (size_t)jobs + 1, sizeof(*pass->eligible));
	if (!pass->gates || !pass->gated || !pass->eligible)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs; job++)
		pass->eligible[job] = SL_NONE;
	return make_all(pass, err);
}

void gates_release(struct gates *gates)
{
	if (!gates)
		return;
	evq_release(&gates->opening);
	for (uint32_t i = 0; i < gates->array_count; i++)
		evq_release(&gates->array[i].waiting);
}
