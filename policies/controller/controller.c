/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * controller.c - events to a scheduler with accounting of its own, and its orders to the engine; see
 * controller.h.
 */
#include "policies/controller/controller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Failures ---- */

void controller_failed(struct controller *c, int status)
{
	if (!c->status)
		c->status = status;
}

void controller_no_memory(struct controller *c)
{
	controller_failed(c, sl_fail(&c->err, SL_SYSTEM, "out of memory"));
}

void controller_take_err(struct controller *c, const struct sl_err *err)
{
	if (!err->status || c->err.status)
		return;
	c->err = *err;
	controller_failed(c, err->status);
}

bool controller_stops(const void *c)
{
	const struct sl_pass *pass = ((const struct controller *)c)->pass;
	return pass && sl_stopping(pass);
}

bool controller_goes_on(const struct controller *c) { return !c->status && !controller_stops(c); }

bool controller_reserve(struct controller *c, void *array, size_t *capacity, size_t size, size_t wanted)
{
	if (wanted <= *capacity)
		return true;
	const int status =
		sl_array_grow(array, size, capacity, sizeof(*capacity), wanted, UINT32_MAX / 2, &c->err);
	if (status)
		controller_failed(c, status);
	return !status;
}

/* ---- Orders ---- */

struct order *controller_order(struct controller *c, enum order_what what, uint32_t row)
{
	if (c->for_pass != c->next_pass) {
		c->for_pass = c->next_pass;
		c->order_count = c->node_alloc_count = 0;
	}
	if (!controller_reserve(c, &c->order, &c->order_capacity, sizeof(*c->order), c->order_count + 1))
		return NULL;
	struct order *order = &c->order[c->order_count++];
	*order = (struct order){ .what = what,
		.row = row,
		.cause = c->cause,
		.state = SL_PREEMPTED,
		.node_alloc = c->node_alloc_count };
	if (what != ORDER_REASON && what != ORDER_PLAN)
		c->changed = c->now;
	if (what == ORDER_START || what == ORDER_REQUEUE || what == ORDER_CHECKPOINT)
		c->reason[row] = (uint8_t)c->anew;
	if (what == ORDER_START)
		c->runs[row] = true;
	else if (what == ORDER_REQUEUE || what == ORDER_CHECKPOINT || what == ORDER_END)
		c->runs[row] = false;
	return order;
}

void controller_reason(struct controller *c, uint32_t row, enum sl_reason reason)
{
	if (c->reason[row] == (uint8_t)reason || c->runs[row])
		return;
	struct order *order = controller_order(c, ORDER_REASON, row);
	if (!order)
		return;
	order->reason = reason;
	c->reason[row] = (uint8_t)reason;
}

void controller_forget(struct controller *c, uint32_t row)
{
	size_t kept = 0;
	c->reason[row] = (uint8_t)c->anew;
	if (c->for_pass != c->next_pass)
		return;
	for (size_t i = 0; i < c->order_count; i++)
		if (c->order[i].row != row)
			c->order[kept++] = c->order[i];
	c->order_count = kept;
}

uint32_t *controller_gpus(const struct controller *c, const struct sl_node_alloc *node_alloc)
{
	return &c->gpus[(size_t)(node_alloc - c->node_alloc) * c->types];
}

struct sl_node_alloc *controller_keep(struct controller *c, struct order *order, uint32_t node)
{
	const size_t wanted = c->node_alloc_count + 1;
	if (!controller_reserve(c, &c->node_alloc, &c->node_alloc_capacity, sizeof(*c->node_alloc), wanted) ||
		!controller_reserve(c, &c->gpus, &c->gpus_capacity, sizeof(*c->gpus), wanted * c->types + 1))
		return NULL;
	struct sl_node_alloc *node_alloc = &c->node_alloc[c->node_alloc_count++];
	*node_alloc = (struct sl_node_alloc){ .node = node };
	memset(controller_gpus(c, node_alloc), 0, c->types * sizeof(*c->gpus));
	order->node_alloc_count++;
	return node_alloc;
}

void controller_keep_all(
	struct controller *c, struct order *order, const struct sl_node_alloc *node_alloc, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sl_node_alloc *made = controller_keep(c, order, node_alloc[i].node);
		if (!made)
			return;
		*made = node_alloc[i];
		if (made->gpus)
			memcpy(controller_gpus(c, made), made->gpus, c->types * sizeof(*c->gpus));
	}
}

/* ---- What is due ---- */

static bool is_sooner(const struct due *a, const struct due *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

void controller_due(struct controller *c, struct due due)
{
	if (due.at == SL_NEVER ||
		!controller_reserve(c, &c->due, &c->due_capacity, sizeof(*c->due), c->due_count + 1))
		return;
	due.at = due.at > c->now ? due.at : c->now;
	due.seq = c->due_seq++;
	size_t to = c->due_count++;
	for (; to && is_sooner(&due, &c->due[(to - 1) / 2]); to = (to - 1) / 2)
		c->due[to] = c->due[(to - 1) / 2];
	c->due[to] = due;
}

sl_time controller_due_next(const struct controller *c) { return c->due_count ? c->due[0].at : SL_NEVER; }

bool controller_due_pop(struct controller *c, struct due *due)
{
	if (!c->due_count || c->due[0].at > c->now)
		return false;
	*due = c->due[0];
	const struct due last = c->due[--c->due_count];
	size_t to = 0;
	for (size_t child; (child = to * 2 + 1) < c->due_count; to = child) {
		child += child + 1 < c->due_count && is_sooner(&c->due[child + 1], &c->due[child]);
		if (!is_sooner(&c->due[child], &last))
			break;
		c->due[to] = c->due[child];
	}
	c->due[to] = last;
	return true;
}

/* ---- A pass: what was ordered ---- */

static bool carry_out_node_alloc(const struct controller *c, struct sl_pass *pass, const struct order *order)
{
	const sl_job job = { order->row };
	const size_t count = order->node_alloc_count;
	struct sl_node_alloc *node_alloc = count ? &c->node_alloc[order->node_alloc] : NULL;
	for (size_t i = 0; i < count; i++)
		node_alloc[i].gpus = c->types ? controller_gpus(c, &node_alloc[i]) : NULL;
	if (order->what == ORDER_RESIZE)
		return sl_resize_alloc(pass, job, node_alloc, count, order->tasks);
	if (order->tasks)
		return sl_start_sized_alloc(pass, job, node_alloc, count, order->tasks);
	return sl_start_alloc(pass, job, node_alloc, count);
}

static bool carry_out(const struct controller *c, struct sl_pass *pass, const struct order *order)
{
	const sl_job job = { order->row };
	sl_set_cause(pass, order->cause.rule, (sl_job){ order->cause.beneficiary });
	switch (order->what) {
	case ORDER_START:
	case ORDER_RESIZE:
		return carry_out_node_alloc(c, pass, order);
	case ORDER_END:
	case ORDER_DROP:
		return sl_end(pass, job, order->state);
	case ORDER_REFUSE:
		return sl_refuse(pass, job, order->why);
	case ORDER_REQUEUE:
		return sl_requeue(pass, job, order->state);
	case ORDER_CHECKPOINT:
		return sl_preempt(pass, job, SL_PREEMPT_CHECKPOINT);
	case ORDER_SUSPEND:
		return sl_preempt(pass, job, SL_PREEMPT_SUSPEND);
	case ORDER_RESUME:
		return sl_resume(pass, job);
	case ORDER_REASON: /* Of one that waits; it may have started behind that. */
		sl_set_reason(pass, job, order->reason, 0);
		return true;
	case ORDER_ELIGIBLE:
		sl_set_eligible(pass, job, order->at);
		return true;
	case ORDER_PLAN:
		sl_report_plan(pass, job, order->at);
		return true;
	}
	return false;
}

/* The scheduler's accounting and the engine's are of the same nodes: it is a bug. */
static void fail_order(struct controller *c, struct sl_pass *pass, const struct order *order)
{
	static const char *const name[] = { "start", "resize", "end", "drop", "refuse", "requeue",
		"checkpoint", "suspend", "resume", "reason", "eligible", "plan" };
	char at[40];
	*sl_put_micro(at, sl_now(pass)) = '\0';
	(void)sl_fail(&c->err, SL_INTERNAL,
		"policy '%s' and the engine disagree at %s s: the order '%s' for job %" PRId64
		", which is %s, cannot be carried out",
		c->policy, at, name[order->what], c->jobs->id[order->row],
		sl_state_name(sl_state_of(pass, (sl_job){ order->row })));
	sl_fail_run(pass, &c->err);
}

void controller_runs_on(struct controller *c, struct sl_pass *pass)
{
	if (!c->order_count) /* No memory, which is said. */
		return;
	const struct order *order = &c->order[--c->order_count];
	if (!carry_out_node_alloc(c, pass, order))
		fail_order(c, pass, order);
	c->node_alloc_count = order->node_alloc;
}

void controller_pass(void *state, struct sl_pass *pass)
{
	struct controller *c = state;
	if (c->for_pass != sl_pass_number(pass))
		return;
	for (size_t i = 0; i < c->order_count; i++) {
		if (carry_out(c, pass, &c->order[i]))
			continue;
		fail_order(c, pass, &c->order[i]);
		return;
	}
}

/* ---- Events ---- */

const struct sl_job_attributes *controller_more_of(const struct sl_jobs *jobs, uint32_t row)
{
	return jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
}

/* By the engine, if it follows dependencies. */
static bool is_deferred(const struct sl_job_attributes *more)
{
	return more && (more->depend_count || (more->array != SL_NONE && more->array_limit > 0));
}

static void controller_submit(struct controller *c, uint32_t row)
{
	const struct sl_job_attributes *more = controller_more_of(c->jobs, row);
	if (!c->dependencies || !is_deferred(more))
		c->reported++;
	if (!c->calls->later || !more || more->begin == SL_NONE || more->begin <= c->now) {
		c->calls->submit(c, row);
		return;
	}
	controller_reason(c, row, SL_REASON_BEGIN_TIME);
	c->calls->later(c, row, more->begin);
}

static void controller_report(struct controller *c, const struct sl_pass *pass, const struct sl_event *event)
{
	const struct controller_calls *calls = c->calls;
	const uint32_t row = event->row;
	switch (event->class) {
	case SL_EV_SUBMIT:
		controller_submit(c, row);
		break;
	case SL_EV_JOB_END:
	case SL_EV_CANCEL:
		c->runs[row] = false;
		calls->over(c, row, event->class == SL_EV_CANCEL);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
		calls->node(c, row, sl_node_is_up(pass, row), sl_node_is_drained(pass, row));
		break;
	case SL_EV_MODEL:
		c->runs[row] = false;
		calls->lost(c, row);
		break;
	case SL_EV_TIMER:
		if (c->woken <= event->time)
			c->woken = SL_NEVER;
		calls->run(c);
		break;
	case SL_EV_TIME_LIMIT:
	case SL_EV_RESERVATION:
	case SL_EV_CLASS_COUNT:
		break; /* Not under SL_USE_CONTROL. */
	}
}

void controller_wake(struct controller *c, struct sl_pass *pass, sl_time at)
{
	if (at == SL_NEVER || at >= c->woken)
		return;
	c->woken = at;
	sl_wake_event(pass, at, c->timer);
}

void controller_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct controller *c = state;
	const bool reported = event->class != SL_EV_TIMER;
	c->pass = pass;
	c->now = event->time;
	c->next_pass = sl_pass_number(pass) + 1;
	c->calls->hear(c, event->time);
	controller_report(c, pass, event);
	if (reported)
		c->changed = event->time;
	controller_wake(c, pass, c->calls->next(c, reported));
	if (!c->status && !c->err.status)
		return;
	if (!c->err.status)
		(void)sl_fail(&c->err, c->status, "out of memory");
	sl_fail_run(pass, &c->err);
}

/* ---- What jobs say ---- */

void controller_warning(const struct sl_setup *setup, uint32_t count, uint32_t first, const char *what)
{
	const struct sl_jobs *jobs = setup->jobs;
	char text[400];
	char number[32];
	if (!count)
		return;
	*sl_put_i64(number, jobs->id[first]) = '\0';
	(void)snprintf(text, sizeof(text), "%u job%s (%.80s first): %s", count, count > 1 ? "s" : "",
		jobs->id_name && jobs->id_name[first] ? jobs->id_name[first] : number, what);
	sl_warning(setup, text);
}

unsigned controller_use_dependencies(const struct sl_setup *setup)
{
	return setup->foreign ? 0 : SL_USE_DEPENDENCIES;
}

void controller_warning_gates(const struct sl_setup *setup, bool begins, const char *what)
{
	char text[160];
	const bool followed = controller_use_dependencies(setup) != 0;
	uint32_t count = 0;
	uint32_t first = 0;
	for (uint32_t row = 0; setup->sim && row < setup->jobs->count; row++) {
		const struct sl_job_attributes *more =
			setup->foreign && setup->foreign[row] ? NULL : controller_more_of(setup->jobs, row);
		if (more &&
			((more->depend_count && !followed) || more->held ||
				(begins && more->begin != SL_NONE)) &&
			!count++)
			first = row;
	}
	(void)snprintf(text, sizeof(text), "%s%s are not known to %s", followed ? "" : "dependencies and ",
		begins ? "holds and begin times" : "holds", what);
	controller_warning(setup, count, first, text);
}

/* ---- Begin and end ---- */

int controller_make(
	struct controller *c, const struct sl_setup *setup, enum sl_reason first, struct sl_err *err)
{
	const uint32_t count = setup->jobs->count;
	const uint32_t kinds = setup->cluster->kind_count;
	c->jobs = setup->jobs;
	c->woken = SL_NEVER;
	c->types = kinds > SL_KIND_GPUS ? kinds - SL_KIND_GPUS : 0;
	c->reason = sl_alloc(setup->arena, (size_t)count + 1, sizeof(*c->reason));
	c->runs = sl_alloc(setup->arena, (size_t)count + 1, sizeof(*c->runs));
	c->lost = sl_alloc(setup->arena, (size_t)count + 1, sizeof(*c->lost));
	c->may_lose = sl_alloc(setup->arena, (size_t)count + 1, sizeof(*c->may_lose));
	c->cluster = setup->cluster;
	if (!c->reason || !c->runs || !c->lost || !c->may_lose)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	memset(c->reason, (int)first, count);
	for (uint32_t row = 0; row < count; row++) {
		const struct sl_job_attributes *more = controller_more_of(setup->jobs, row);
		if (setup->foreign ? setup->foreign[row] : c->dependencies && is_deferred(more))
			c->reported++; /* It is not waited for. */
	}
	return SL_OK;
}

void controller_release(struct controller *c)
{
	free(c->order);
	free(c->node_alloc);
	free(c->gpus);
	free(c->due);
}
