/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * promises.c - waiting jobs' planned starts, held in the profile.
 *
 * A promise is a change of -size at its time and +size at its estimated end,
 * so that the profile is what would be free if all went as planned. `due` finds
 * the next one; entries there are never taken out, they go stale.
 */
#include "sim/pass.h"

#include <stdlib.h>

static void change(struct sl_pass *pass, sl_time at, uint32_t job, int64_t cpus)
{
	int status = profile_add(&pass->profile, at, -cpus, &pass->err);
	if (!status)
		status = profile_add(&pass->profile, time_after(at, pass->estimate[job]), cpus, &pass->err);
	if (status)
		pass_failed(pass, status);
}

static bool is_stale(const struct sl_pass *pass, const struct ev *ev)
{
	return pass->promise[ev->row] != ev->time;
}

/* Moves leave stale entries behind; when they are most of the heap, it is made anew. */
static void sweep_stale(struct sl_pass *pass)
{
	if (pass->due.count < 1024 || pass->due.count < 4 * (size_t)pass->queue.count)
		return;
	struct evq fresh;
	int status = evq_init(&fresh, 1024, &pass->err);
	for (size_t i = 0; i < pass->due.count && !status; i++)
		if (!is_stale(pass, &pass->due.heap[i]))
			status = evq_push(&fresh, pass->due.heap[i].time, SL_EV_TIMER, pass->due.heap[i].row,
				&pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	evq_release(&pass->due);
	pass->due = fresh;
}

void promise_put(struct sl_pass *pass, uint32_t job, sl_time at)
{
	change(pass, at, job, pass->jobs->size[job]);
	pass->promise[job] = at;
	const int status = evq_push(&pass->due, at, SL_EV_TIMER, job, &pass->err);
	if (status)
		pass_failed(pass, status);
}

void promise_take(struct sl_pass *pass, uint32_t job)
{
	change(pass, pass->promise[job], job, -(int64_t)pass->jobs->size[job]);
	pass->promise[job] = SL_NONE;
}

sl_time promise_next(struct sl_pass *pass)
{
	const struct ev *top;
	while ((top = evq_top(&pass->due)) && is_stale(pass, top))
		(void)evq_pop(&pass->due);
	return top ? top->time : SL_NEVER;
}

/* ---- Rows in queue order --------------------------------------------------------------- */

bool row_before(const struct sl_pass *pass, uint32_t a, uint32_t b)
{
	if (pass->key && pass->key[a] != pass->key[b])
		return pass->key[a] < pass->key[b];
	return a < b;
}

static int row_compare(const void *a, const void *b, void *pass)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return x == y ? 0 : row_before(pass, x, y) ? -1 : 1;
}

int sort_rows(struct sl_pass *pass, uint32_t *row, size_t count)
{
	bool sorted = true;
	for (size_t i = 1; i < count && sorted; i++)
		sorted = row_before(pass, row[i - 1], row[i]);
	if (!sorted)
		qsort_r(row, count, sizeof(*row), row_compare, pass);
	return SL_OK;
}

/* ---- For plans ---------------------------------------------------------------------------- */

static void act_changed(struct sl_pass *pass)
{
	act(pass, (struct action){ .kind = ACTION_CHANGED,
			  .was = pass->changed_until,
			  .now = pass->promises_broken,
			  .job = pass->freed_early });
}

static void act_promise(struct sl_pass *pass, uint32_t job, sl_time was)
{
	act(pass, (struct action){ .kind = ACTION_PROMISE, .job = job, .was = was });
}

sl_time sl_promise_of(const struct sl_pass *pass, sl_job job)
{
	return pass->promise ? pass->promise[job.row] : SL_NONE;
}

/* No later than its own promise, whose place counts as free for it. */
static sl_time earliest(const struct sl_pass *pass, uint32_t job, sl_time latest)
{
	const int64_t short_by = pass->jobs->size[job] - pass->cluster.cpus_free;
	return profile_earliest(&pass->profile, pass->now, latest, short_by, pass->estimate[job]);
}

void sl_promises_make(struct sl_pass *pass)
{
	if (!pass->unpromised_count)
		return;
	(void)sort_rows(pass, pass->unpromised, pass->unpromised_count);
	for (size_t i = 0; i < pass->unpromised_count; i++) {
		const uint32_t job = pass->unpromised[i];
		promise_put(pass, job, earliest(pass, job, SL_NEVER));
		act_promise(pass, job, SL_NONE);
	}
	pass->unpromised_count = 0;
}

/*
 * A job can only move if, somewhere in what was freed since the last time, there
 * is now room for its size: where nothing was freed it was refused before. All
 * of it lies in [now, changed_until), so jobs larger than the most that is free
 * there are passed over by the queue's index, unseen. What a move frees may help
 * others: those behind it in this round, those before it in the next.
 */
void sl_promises_compress(struct sl_pass *pass)
{
	if (!pass->freed_early)
		return;
	act_changed(pass);
	pass->freed_early = false;
	sl_time until = pass->changed_until;
	pass->changed_until = SL_NONE;
	uint32_t job = UINT32_MAX;
	int64_t room = 0;
	bool stale = true;
	for (;;) {
		if (stale) {
			const int64_t now = profile_value(&pass->profile, pass->now);
			const int64_t later = profile_max(&pass->profile, pass->now, until);
			room = (now > later ? now : later) + pass->cluster.cpus_free;
			stale = false;
		}
		const struct queue_fit fit = { room, SL_NEVER, 0 };
		job = queue_next_fit(&pass->queue, job, &fit);
		if (job == UINT32_MAX)
			break;
		const sl_time was = pass->promise[job];
		if (was == SL_NONE)
			continue;
		const sl_time at = earliest(pass, job, was);
		if (at == was)
			continue;
		const sl_time freed = time_after(was, pass->estimate[job]);
		promise_take(pass, job);
		promise_put(pass, job, at);
		act_promise(pass, job, was);
		until = freed > until ? freed : until;
		pass->changed_until = freed > pass->changed_until ? freed : pass->changed_until;
		stale = true;
	}
	sweep_stale(pass);
}

bool sl_promises_broken(const struct sl_pass *pass) { return pass->promises_broken; }

void sl_promises_drop(struct sl_pass *pass)
{
	act_changed(pass);
	pass->promises_broken = pass->freed_early = false;
	pass->changed_until = SL_NONE;
	for (uint32_t job = queue_first(&pass->queue); job != UINT32_MAX;
		job = queue_after(&pass->queue, job)) {
		const sl_time was = pass->promise[job];
		if (was == SL_NONE)
			continue;
		promise_take(pass, job);
		act_promise(pass, job, was);
		unpromised_put(pass, job);
	}
}

void sl_promises_start(struct sl_pass *pass)
{
	size_t count = 0;
	while (promise_next(pass) <= pass->now) {
		const struct ev ev = evq_pop(&pass->due);
		const int status = grow((void **)&pass->scratch, &pass->scratch_capacity,
			sizeof(*pass->scratch), count + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return;
		}
		pass->scratch[count++] = ev.row;
	}
	(void)sort_rows(pass, pass->scratch, count);
	for (size_t i = 0; i < count; i++)
		if ((!i || pass->scratch[i] != pass->scratch[i - 1]) &&
			!sl_start(pass, (sl_job){ pass->scratch[i] }))
			pass_failed(pass, sl_fail(&pass->err, SL_POLICY,
						  "job %lld does not fit at its promise: the plan was not "
						  "renewed when sl_promises_broken said so",
						  (long long)pass->jobs->id[pass->scratch[i]]));
}
