/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.c - what a policy sees and does: the functions of plugin.h over the state of pass.h.
 */
#include "sim/pass.h"

#include <stdlib.h>
#include <string.h>

void pass_failed(struct sl_pass *pass, int status)
{
	if (!pass->status)
		pass->status = status;
}

void act(struct sl_pass *pass, struct action action)
{
	if (pass->action_count == pass->action_capacity) {
		const int status = grow((void **)&pass->action, &pass->action_capacity, sizeof(action),
			pass->action_count + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return;
		}
	}
	pass->action[pass->action_count++] = action;
}

static void profile_change(struct sl_pass *pass, sl_time at, int64_t change)
{
	const int status = profile_add(&pass->profile, at, change, &pass->err);
	if (status)
		pass_failed(pass, status);
}

/* ---- Digest -------------------------------------------------------------------- */

/* The product of two 64-bit numbers, folded: each bit of the state reaches all others within two events. */
static uint64_t folded(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void pass_digest(struct sl_pass *pass, unsigned class, uint32_t row)
{
	const bool job = class != SL_EV_TIMER || row < pass->jobs->count;
	const uint64_t size = job && row < pass->jobs->count ? (uint64_t)pass->jobs->size[row] : 0;
	const uint64_t what = (uint64_t) class << 56 | UINT64_C(1) << 48 | (size & 0xffff) << 32 | row;
	const uint64_t h = folded(pass->digest ^ UINT64_C(0x9e3779b97f4a7c15),
		(uint64_t)pass->now ^ UINT64_C(0xd6e8feb86659fd93));
	pass->digest =
		folded(h ^ UINT64_C(0xa0761d6478bd642f), what ^ size << 8 ^ UINT64_C(0xe7037ed1a0b428db));
	pass->events_applied++;
	if (pass->events_applied % (1 << 16))
		return;
	const int status = grow((void **)&pass->digests, &pass->digest_capacity, sizeof(*pass->digests),
		pass->digest_count + 1, SIZE_MAX / 64, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->digests[pass->digest_count++] = pass->digest;
}

/* ---- Queue ------------------------------------------------------------------------ */

static void queue_put(struct sl_pass *pass, uint32_t job)
{
	int status = queue_add(&pass->queue, job, &pass->err);
	if (!status && pass->uses & SL_USE_FILL)
		status = queue_add(&pass->fill, job, &pass->err);
	if (status)
		pass_failed(pass, status);
	pass->cpus_queued += pass->jobs->size[job];
}

static void queue_take(struct sl_pass *pass, uint32_t job)
{
	queue_remove(&pass->queue, job);
	if (pass->uses & SL_USE_FILL)
		queue_remove(&pass->fill, job);
	pass->cpus_queued -= pass->jobs->size[job];
}

void unpromised_put(struct sl_pass *pass, uint32_t job)
{
	const int status = grow((void **)&pass->unpromised, &pass->unpromised_capacity,
		sizeof(*pass->unpromised), pass->unpromised_count + 1, UINT32_MAX, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->unpromised[pass->unpromised_count++] = job;
}

void queue_job(struct sl_pass *pass, uint32_t job)
{
	queue_put(pass, job);
	if (pass->uses & SL_USE_PROMISES)
		unpromised_put(pass, job);
}

static void unpromised_take(struct sl_pass *pass, uint32_t job)
{
	for (size_t i = 0; i < pass->unpromised_count; i++) {
		if (pass->unpromised[i] != job)
			continue;
		pass->unpromised[i] = pass->unpromised[--pass->unpromised_count];
		return;
	}
}

/* Its promise, or its place among those without one, goes with it. */
static sl_time promise_release(struct sl_pass *pass, uint32_t job)
{
	if (!(pass->uses & SL_USE_PROMISES))
		return SL_NONE;
	const sl_time was = pass->promise[job];
	if (was == SL_NONE)
		unpromised_take(pass, job);
	else
		promise_take(pass, job);
	return was;
}

static void promise_restore(struct sl_pass *pass, uint32_t job, sl_time was)
{
	if (!(pass->uses & SL_USE_PROMISES))
		return;
	if (was == SL_NONE)
		unpromised_put(pass, job);
	else
		promise_put(pass, job, was);
}

void unqueue_job(struct sl_pass *pass, uint32_t job)
{
	const sl_time was = promise_release(pass, job);
	if (was != SL_NONE) {
		freed_add(&pass->freed, was, time_after(was, pass->estimate[job]));
		pass->freed.early = true;
	}
	queue_take(pass, job);
	if (pass->head == job)
		pass->head = UINT32_MAX;
}

/* ---- Running jobs ------------------------------------------------------------------- */

/* Found running past its estimate: its end in the profile is at overdue_at. */
static bool is_overdue(const struct sl_pass *pass, uint32_t job)
{
	return time_after(pass->start[job], pass->estimate[job]) <= pass->settled;
}

void end_job(struct sl_pass *pass, uint32_t job, enum sl_state state)
{
	const int64_t cpus = pass->jobs->size[job];
	const bool overdue = is_overdue(pass, job);
	const sl_time expected =
		overdue ? pass->overdue_at : time_after(pass->start[job], pass->estimate[job]);
	if (overdue)
		pass->overdue_cpus -= cpus;
	profile_change(pass, expected, -cpus);
	if (pass->uses & SL_USE_PROMISES && expected > pass->now) {
		freed_add(&pass->freed, pass->now, expected);
		pass->freed.early = true;
	}
	cluster_free(&pass->cluster, cpus);
	pass->running--;
	pass->ended++;
	pass->end[job] = pass->now;
	pass->job_state[job] = (uint8_t)state;
}

/* Those whose estimate has run out are taken to end at the next whole second. */
static void settle(struct sl_pass *pass)
{
	int64_t cpus = pass->overdue_cpus;
	const struct ev *top;
	while ((top = evq_top(&pass->overruns)) && top->time <= pass->now) {
		const struct ev ev = evq_pop(&pass->overruns);
		if (pass->job_state[ev.row] != SL_RUNNING ||
			time_after(pass->start[ev.row], pass->estimate[ev.row]) != ev.time)
			continue; /* It ended, or its estimate was moved. */
		profile_change(pass, ev.time, -(int64_t)pass->jobs->size[ev.row]);
		cpus += pass->jobs->size[ev.row];
		pass->promises_broken = true;
	}
	if (cpus) {
		const sl_time next = (pass->now / SL_SECOND + 1) * SL_SECOND;
		if (pass->overdue_cpus)
			profile_change(pass, pass->overdue_at, -pass->overdue_cpus);
		profile_change(pass, next, cpus);
		pass->promises_broken = true; /* It runs on: anew in each pass. */
		pass->overdue_at = next;
	}
	pass->overdue_cpus = cpus;
	pass->settled = pass->now;
}

/* ---- Begin and commit ----------------------------------------------------------------- */

void pass_begin(struct sl_pass *pass)
{
	settle(pass);
	pass->wake = SL_NEVER;
	pass->action_count = pass->freed_kept_count = 0;
	pass->open = true;
}

static void reason_changes(struct sl_pass *pass, uint32_t job, enum sl_reason reason, uint32_t detail)
{
	if (!(pass->options.record & SIM_RECORD_REASONS))
		return;
	const int status = grow((void **)&pass->reason, &pass->reason_capacity, sizeof(*pass->reason),
		pass->reason_count + 1, SIZE_MAX / 64, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	pass->reason[pass->reason_count++] = (struct sl_reason_change){
		.at = pass->now, .job = job, .reason = (uint8_t)reason, .detail = detail & 0xffffff
	};
}

/* The job will outlive its estimate: the plan learns of it then, not before. */
static int note_overrun(struct sl_pass *pass, uint32_t job)
{
	const sl_time at = time_after(pass->start[job], pass->estimate[job]);
	int status = evq_push(&pass->overruns, at, SL_EV_TIMER, job, &pass->err);
	if (!status && pass->uses & SL_USE_EXPIRY)
		status = evq_push(&pass->events, at, SL_EV_TIMER, job, &pass->err);
	return status;
}

/* Its end, or its limit if that comes first and kills; and a note if its estimate comes before both. */
static int commit_start(struct sl_pass *pass, uint32_t job)
{
	const struct sl_jobs *jobs = pass->jobs;
	sl_time length = jobs->run[job];
	enum sl_event_class class = SL_EV_JOB_END;
	if (pass->scenario->overrun == SL_OVERRUN_KILL && jobs->limit[job] < length) {
		length = jobs->limit[job];
		class = SL_EV_TIME_LIMIT;
	}
	pass_digest(pass, SL_EV_CLASS_COUNT, job);
	int status = evq_push(&pass->events, time_after(pass->now, length), class, job, &pass->err);
	if (!status && pass->estimate[job] < length)
		status = note_overrun(pass, job);
	return status;
}

static int commit_action(struct sl_pass *pass, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		return commit_start(pass, action->job);
	case ACTION_CANCEL:
		pass_digest(pass, SL_EV_CANCEL, action->job);
		pass->ended++;
		return SL_OK;
	case ACTION_REASON:
		reason_changes(pass, action->job, (enum sl_reason)(action->now >> 24),
			(uint32_t)action->now & 0xffffff);
		return SL_OK;
	case ACTION_TIMER:
		return evq_push(&pass->events, action->now, SL_EV_TIMER, action->job, &pass->err);
	case ACTION_HEAD:
		/* Displaced and still waiting: it waits for others again. */
		if (action->was != UINT32_MAX && is_waiting(pass, (uint32_t)action->was))
			reason_changes(pass, (uint32_t)action->was, pass->reason_default, 0);
		if (action->job != UINT32_MAX && is_waiting(pass, action->job))
			reason_changes(pass, action->job, SL_REASON_RESOURCES, 0);
		return SL_OK;
	case ACTION_PROMISE:
	case ACTION_WAKE:
	case ACTION_LEDGER:
	case ACTION_FREED:
		return SL_OK;
	}
	return SL_OK;
}

int pass_commit(struct sl_pass *pass)
{
	for (size_t i = 0; i < pass->action_count && !pass->status; i++)
		pass_failed(pass, commit_action(pass, &pass->action[i]));
	pass->action_count = 0;
	pass->open = false;
	return pass->status;
}

/* ---- Marks ------------------------------------------------------------------------------ */

sl_marked sl_mark(struct sl_pass *pass)
{
	return (sl_marked){ .depth = ++pass->marks, .length = (uint32_t)pass->action_count };
}

static void undo_start(struct sl_pass *pass, const struct action *action)
{
	const uint32_t job = action->job;
	const int64_t cpus = pass->jobs->size[job];
	profile_change(pass, time_after(pass->now, pass->estimate[job]), -cpus);
	cluster_free(&pass->cluster, cpus);
	pass->running--;
	pass->start[job] = SL_NONE;
	pass->job_state[job] = SL_PENDING;
	queue_put(pass, job);
	promise_restore(pass, job, action->was);
}

static void undo_action(struct sl_pass *pass, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		undo_start(pass, action);
		break;
	case ACTION_CANCEL:
		pass->end[action->job] = SL_NONE;
		pass->job_state[action->job] = SL_PENDING;
		queue_put(pass, action->job);
		promise_restore(pass, action->job, action->was);
		break;
	case ACTION_PROMISE:
		(void)promise_release(pass, action->job);
		promise_restore(pass, action->job, action->was);
		break;
	case ACTION_HEAD:
		pass->head = (uint32_t)action->was;
		break;
	case ACTION_WAKE:
		pass->wake = action->was;
		break;
	case ACTION_LEDGER:
		pass->ledger[action->job].amount[action->now] = action->was;
		break;
	case ACTION_FREED:
		pass->freed = pass->freed_kept[action->was];
		pass->freed_kept_count = (size_t)action->was;
		pass->promises_broken = action->now;
		break;
	case ACTION_REASON:
	case ACTION_TIMER:
		break; /* Nothing but the action itself. */
	}
}

/* Marks are closed innermost first, each once: a policy that does not ends its run. */
static bool mark_is_last(struct sl_pass *pass, sl_marked mark)
{
	if (mark.depth == pass->marks && mark.depth && mark.length <= pass->action_count)
		return true;
	pass_failed(
		pass, sl_fail(&pass->err, SL_POLICY,
			      "policy '%s' closed a mark that is not the last one open", pass->policy->name));
	return false;
}

void sl_undo(struct sl_pass *pass, sl_marked mark)
{
	if (!mark_is_last(pass, mark))
		return;
	while (pass->action_count > mark.length)
		undo_action(pass, &pass->action[--pass->action_count]);
	pass->marks--;
}

void sl_keep(struct sl_pass *pass, sl_marked mark)
{
	if (mark_is_last(pass, mark))
		pass->marks--;
}

/* ---- In init ------------------------------------------------------------------------------ */

static void *column(struct sl_pass *pass, size_t element)
{
	return sl_alloc(pass->arena, pass->jobs->count, element);
}

int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err)
{
	struct sl_pass *pass = setup->pass;
	const uint32_t count = pass->jobs->count;
	bool out = false;
	if (what & SL_USE_KEYS && !pass->key)
		out |= !(pass->key = column(pass, sizeof(*pass->key)));
	if (what & SL_USE_FILL && !pass->fill_key)
		out |= !(pass->fill_key = column(pass, sizeof(*pass->fill_key)));
	if (what & SL_USE_ESTIMATES && !pass->estimate_own)
		out |= !(pass->estimate_own = column(pass, sizeof(*pass->estimate_own)));
	if (what & SL_USE_PROMISES && !pass->promise)
		out |= !(pass->promise = column(pass, sizeof(*pass->promise)));
	if (out)
		return sl_fail_memory(err);
	if (what & SL_USE_ESTIMATES) {
		memcpy(pass->estimate_own, pass->jobs->limit, count * sizeof(*pass->estimate_own));
		pass->estimate = pass->estimate_own;
	}
	for (uint32_t i = 0; what & SL_USE_PROMISES && i < count; i++)
		pass->promise[i] = SL_NONE;
	pass->uses |= what;
	return SL_OK;
}

void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason)
{
	setup->pass->reason_default = reason;
}

/* ---- Reads ---------------------------------------------------------------------------------- */

sl_time sl_now(const struct sl_pass *pass) { return pass->now; }

const struct sl_jobs *sl_jobs_of(const struct sl_pass *pass) { return pass->jobs; }

enum sl_state sl_state_of(const struct sl_pass *pass, sl_job job)
{
	return (enum sl_state)pass->job_state[job.row];
}

sl_time sl_start_of(const struct sl_pass *pass, sl_job job) { return pass->start[job.row]; }

sl_time sl_estimate_of(const struct sl_pass *pass, sl_job job) { return pass->estimate[job.row]; }

uint32_t sl_queue_count(const struct sl_pass *pass) { return pass->queue.count; }

sl_job sl_queue_first(const struct sl_pass *pass) { return (sl_job){ queue_first(&pass->queue) }; }

sl_job sl_queue_after(const struct sl_pass *pass, sl_job job)
{
	return (sl_job){ queue_after(&pass->queue, job.row) };
}

bool sl_fits(struct sl_pass *pass, sl_job job)
{
	return cluster_fits(&pass->cluster, pass->jobs->size[job.row]);
}

bool sl_any_fits(struct sl_pass *pass)
{
	return pass->cluster.cpus_free && queue_size_min(&pass->queue) <= pass->cluster.cpus_free;
}

struct sl_promise sl_shadow(struct sl_pass *pass, sl_job job)
{
	const int64_t size = pass->jobs->size[job.row];
	const int64_t cpus_free = pass->cluster.cpus_free;
	if (size <= cpus_free)
		return (struct sl_promise){ job, pass->now, cpus_free - size };
	struct profile_point point;
	if (!profile_first_least(&pass->profile, pass->now, SL_NEVER, size - cpus_free, &point))
		return (struct sl_promise){ job, SL_NEVER, 0 };
	return (struct sl_promise){ job, point.at, cpus_free + point.value - size };
}

sl_job sl_queue_next_fit(struct sl_pass *pass, sl_job after, struct sl_promise *shadow)
{
	const struct queue_fit fit = {
		.free = pass->cluster.cpus_free,
		.room = !shadow || shadow->at == SL_NEVER ? SL_NEVER : shadow->at - pass->now,
		.spare = shadow ? shadow->spare : 0,
	};
	const bool fill = pass->uses & SL_USE_FILL;
	const uint32_t behind = fill && shadow && after.row == shadow->job.row ? UINT32_MAX : after.row;
	const uint32_t found = queue_next_fit(fill ? &pass->fill : &pass->queue, behind, &fit);
	if (shadow && found != UINT32_MAX && pass->estimate[found] > fit.room)
		shadow->spare -= pass->jobs->size[found];
	return (sl_job){ found };
}

/* ---- Commands --------------------------------------------------------------------------------- */

bool sl_start(struct sl_pass *pass, sl_job job)
{
	if (!pass->open || !sl_job_is(job) || !is_waiting(pass, job.row) ||
		!cluster_fits(&pass->cluster, pass->jobs->size[job.row]))
		return false;
	const int64_t cpus = pass->jobs->size[job.row];
	if (pass->head == job.row) {
		act(pass, (struct action){ .kind = ACTION_HEAD, .job = UINT32_MAX, .was = pass->head });
		pass->head = UINT32_MAX;
	}
	const sl_time was = promise_release(pass, job.row);
	queue_take(pass, job.row);
	cluster_allocate(&pass->cluster, cpus);
	profile_change(pass, time_after(pass->now, pass->estimate[job.row]), cpus);
	pass->running++;
	pass->start[job.row] = pass->now;
	pass->job_state[job.row] = SL_RUNNING;
	act(pass, (struct action){ .kind = ACTION_START, .job = job.row, .was = was });
	return true;
}

bool sl_cancel(struct sl_pass *pass, sl_job job)
{
	if (!pass->open || !sl_job_is(job) || !is_waiting(pass, job.row))
		return false;
	if (pass->head == job.row) {
		act(pass, (struct action){ .kind = ACTION_HEAD, .job = UINT32_MAX, .was = pass->head });
		pass->head = UINT32_MAX;
	}
	const sl_time was = promise_release(pass, job.row);
	queue_take(pass, job.row);
	pass->end[job.row] = pass->now;
	pass->job_state[job.row] = SL_CANCELLED;
	act(pass, (struct action){ .kind = ACTION_CANCEL, .job = job.row, .was = was });
	return true;
}

void sl_head_waits(struct sl_pass *pass, sl_job job)
{
	if (!pass->open || pass->head == job.row)
		return;
	act(pass, (struct action){ .kind = ACTION_HEAD, .job = job.row, .was = pass->head });
	pass->head = job.row;
}

void sl_set_reason(struct sl_pass *pass, sl_job job, enum sl_reason reason, uint32_t detail)
{
	SL_CHECK(reason < SL_REASON_COUNT);
	if (pass->open && is_waiting(pass, job.row))
		act(pass, (struct action){ .kind = ACTION_REASON,
				  .job = job.row,
				  .now = (int64_t)reason << 24 | (detail & 0xffffff) });
}

void sl_set_key(struct sl_pass *pass, sl_job job, double key)
{
	SL_CHECK(pass->key && !is_waiting(pass, job.row));
	pass->key[job.row] = key;
}

void sl_set_fill_key(struct sl_pass *pass, sl_job job, double key)
{
	SL_CHECK(pass->fill_key && !is_waiting(pass, job.row));
	pass->fill_key[job.row] = key;
}

void sl_queue_rekey(
	struct sl_pass *pass, double (*key)(void *state, struct sl_pass *pass, sl_job job), void *state)
{
	const uint32_t count = pass->queue.count;
	int status = grow((void **)&pass->scratch, &pass->scratch_capacity, sizeof(*pass->scratch), count,
		UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	queue_list(&pass->queue, pass->scratch);
	bool moved = false;
	for (uint32_t i = 0; i < count; i++)
		pass->key[pass->scratch[i]] = key(state, pass, (sl_job){ pass->scratch[i] });
	for (uint32_t i = 1; i < count && !moved; i++)
		moved = row_before(pass, pass->scratch[i], pass->scratch[i - 1]);
	if (!moved)
		return;
	status = sort_rows(pass, pass->scratch, count);
	if (!status)
		status = queue_rebuild(&pass->queue, pass->scratch, &pass->err);
	if (status)
		pass_failed(pass, status);
}

void sl_set_estimate(struct sl_pass *pass, sl_job job, sl_time estimate)
{
	SL_CHECK(pass->estimate_own && estimate > 0 && !is_waiting(pass, job.row));
	const uint32_t row = job.row;
	if (pass->job_state[row] != SL_RUNNING) {
		pass->estimate_own[row] = estimate;
		return;
	}
	const int64_t cpus = pass->jobs->size[row];
	const sl_time before = time_after(pass->start[row], pass->estimate[row]);
	const sl_time after = time_after(pass->start[row], estimate);
	SL_CHECK(!is_overdue(pass, row) && after > pass->now);
	profile_change(pass, before, -cpus);
	profile_change(pass, after, cpus);
	pass->estimate_own[row] = estimate;
	pass->promises_broken |= after > before;
	if (after < before) {
		freed_add(&pass->freed, after, before);
		pass->freed.early = true;
	}
	if (estimate < pass->jobs->run[row])
		pass_failed(pass, note_overrun(pass, row));
}

void sl_wake(struct sl_pass *pass, sl_time at)
{
	if (!pass->open || at >= pass->wake)
		return;
	act(pass, (struct action){ .kind = ACTION_WAKE, .was = pass->wake });
	pass->wake = at > pass->now ? at : pass->now;
}

void sl_wake_event(struct sl_pass *pass, sl_time at, uint32_t row)
{
	const sl_time time = at > pass->now ? at : pass->now;
	if (pass->open) {
		act(pass, (struct action){ .kind = ACTION_TIMER, .job = row, .now = time });
		return;
	}
	const int status = evq_push(&pass->events, time, SL_EV_TIMER, row, &pass->err);
	if (status)
		pass_failed(pass, status);
}

/* ---- Ledgers -------------------------------------------------------------------------------------- */

sl_ledger sl_ledger_new(const struct sl_setup *setup, const char *name, uint32_t rows)
{
	struct sl_pass *pass = setup->pass;
	int status = grow((void **)&pass->ledger, &pass->ledger_capacity, sizeof(*pass->ledger),
		pass->ledger_count + 1, UINT32_MAX, &pass->err);
	int64_t *amount = status ? NULL : sl_alloc(pass->arena, rows, sizeof(*amount));
	if (!amount) {
		pass_failed(pass, SL_SYSTEM);
		return (sl_ledger){ UINT32_MAX };
	}
	pass->ledger[pass->ledger_count] = (struct ledger){ name, amount, rows };
	return (sl_ledger){ (uint32_t)pass->ledger_count++ };
}

int64_t sl_ledger_get(const struct sl_pass *pass, sl_ledger ledger, uint32_t row)
{
	SL_CHECK(ledger.index < pass->ledger_count && row < pass->ledger[ledger.index].rows);
	return pass->ledger[ledger.index].amount[row];
}

void sl_ledger_add(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount)
{
	SL_CHECK(ledger.index < pass->ledger_count && row < pass->ledger[ledger.index].rows);
	int64_t *place = &pass->ledger[ledger.index].amount[row];
	if (pass->open)
		act(pass, (struct action){
				  .kind = ACTION_LEDGER, .job = ledger.index, .was = *place, .now = row });
	*place += amount;
}
