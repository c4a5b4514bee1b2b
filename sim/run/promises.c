/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * promises.c - waiting jobs' planned starts, held in the profile.
 *
 * A promise is a change of -size at its time and +size at its estimated end,
 * so that the profile is what would be free if all went as planned. `due` finds
 * the next one; entries there are never taken out, they go stale.
 */
#include "sim/run/pass.h"

#include <stdlib.h>
#include <string.h>

static void change(struct sl_pass *pass, sl_time at, uint32_t job, int64_t cpus)
{
	if (pass->nodes && at == SL_NEVER)
		return; /* Holds nothing. */
	if (pass->nodes && cpus < 0) {
		nodes_unpromise(pass->nodes, job);
		return;
	}
	if (pass->nodes) {
		SL_CHECK(nodes_promise(pass->nodes, job, pass->request[job], at, pass->estimate[job]));
		return;
	}
	int status = profile_add(&pass->profile, at, -cpus, &pass->err);
	if (!status)
		status = profile_add(&pass->profile, time_after(at, pass->estimate[job]), cpus, &pass->err);
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

static void promise_note(struct sl_pass *pass, uint32_t job, sl_time at)
{
	pass->promise[job] = at;
	pass_failed(pass, evq_push(&pass->due, at, SL_EV_TIMER, job, &pass->err));
}

static void promise_put(struct sl_pass *pass, uint32_t job, sl_time at)
{
	change(pass, at, job, pass->jobs->size[job]);
	promise_note(pass, job, at);
}

static void promise_take(struct sl_pass *pass, uint32_t job)
{
	change(pass, pass->promise[job], job, -(int64_t)pass->jobs->size[job]);
	pass->promise[job] = SL_NONE;
}

static int row_number_compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Each once, and only those that wait without a promise. */
void unpromised_sift(struct sl_pass *pass)
{
	size_t kept = 0;
	if (pass->unpromised_count)
		qsort(pass->unpromised, pass->unpromised_count, sizeof(*pass->unpromised),
			row_number_compare);
	for (size_t i = 0; i < pass->unpromised_count; i++) {
		const uint32_t job = pass->unpromised[i];
		const bool again = kept && pass->unpromised[kept - 1] == job;
		if (!again && is_waiting(pass, job) && pass->promise[job] == SL_NONE)
			pass->unpromised[kept++] = job;
	}
	pass->unpromised_count = kept;
}

/* Those without a promise are found anew when they get one: entries may be stale, or stand there twice. */
void unpromised_put(struct sl_pass *pass, uint32_t job)
{
	if (pass->unpromised_count > 64 && pass->unpromised_count > 4 * (size_t)pass->queue.count)
		unpromised_sift(pass);
	const int status = SL_GROW_MOST(pass->unpromised, pass->unpromised_capacity,
		pass->unpromised_count + 1, UINT32_MAX, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->unpromised[pass->unpromised_count++] = job;
}

/* SL_NONE: it held none, and goes among those without one no more. */
sl_time promise_release(struct sl_pass *pass, uint32_t job)
{
	if (!(pass->uses & SL_USE_PROMISES))
		return SL_NONE;
	const sl_time was = pass->promise[job];
	if (was != SL_NONE)
		promise_take(pass, job);
	return was;
}

void promise_undo(struct sl_pass *pass, uint32_t job)
{
	const sl_time at = pass->promise[job];
	if (!pass->nodes || at == SL_NONE || at == SL_NEVER) {
		(void)promise_release(pass, job);
		pass->promise[job] = SL_NONE;
		return;
	}
	nodes_promise_undo(pass->nodes, job);
	pass->promise[job] = SL_NONE;
}

void promise_restore(struct sl_pass *pass, uint32_t job, sl_time was)
{
	if (!(pass->uses & SL_USE_PROMISES))
		return;
	if (was == SL_NONE) {
		unpromised_put(pass, job);
	} else if (pass->nodes) {
		if (was != SL_NEVER)
			nodes_promise_restore(pass->nodes, job);
		promise_note(pass, job, was);
	} else {
		promise_put(pass, job, was);
	}
}

sl_time promise_next(struct sl_pass *pass)
{
	const struct ev *top;
	while ((top = evq_top(&pass->due)) && is_stale(pass, top))
		(void)evq_pop(&pass->due);
	return top ? top->time : SL_NEVER;
}

/* ---- Rows in queue order --------------------------------------------------------------------- */

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

/* ---- For plans ------------------------------------------------------------------------------- */

void act_freed(struct sl_pass *pass)
{
	const int status = SL_GROW_MOST(pass->freed_kept, pass->freed_kept_capacity,
		pass->freed_kept_count + 1, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	act(pass, (struct action){ .kind = ACTION_FREED,
			  .was = (int64_t)pass->freed_kept_count,
			  .now = pass->promises_broken });
	pass->freed_kept[pass->freed_kept_count++] = pass->freed;
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
	if (pass->nodes)
		return nodes_promise_at(pass->nodes, pass->request[job], pass->estimate[job]);
	const int64_t short_by = pass->jobs->size[job] - pass->cluster.cpus_free;
	return profile_earliest(&pass->profile, pass->now, latest, short_by, pass->estimate[job]);
}

void sl_promises_make(struct sl_pass *pass)
{
	if (!pass->unpromised_count)
		return;
	unpromised_sift(pass);
	(void)sort_rows(pass, pass->unpromised, pass->unpromised_count);
	for (size_t i = 0; i < pass->unpromised_count; i++) {
		const uint32_t job = pass->unpromised[i];
		if (pass_over(pass)) {
			pass->unpromised_count -= i; /* Those that have theirs come back as it is undone. */
			memmove(pass->unpromised, pass->unpromised + i,
				pass->unpromised_count * sizeof(*pass->unpromised));
			return;
		}
		promise_put(pass, job, earliest(pass, job, SL_NEVER));
		act_promise(pass, job, SL_NONE);
	}
	pass->unpromised_count = 0;
}

/* ---- Freed intervals ------------------------------------------------------------------------- */

static void freed_join(struct freed *freed, uint32_t left)
{
	struct freed_interval *at = freed->at;
	if (at[left + 1].until > at[left].until)
		at[left].until = at[left + 1].until;
	freed->count--;
	for (uint32_t i = left + 1; i < freed->count; i++)
		at[i] = at[i + 1];
}

/* Joins the two that are nearest to each other. */
static void freed_make_room(struct freed *freed)
{
	uint32_t nearest = 0;
	sl_time gap = SL_NEVER;
	for (uint32_t i = 0; i + 1 < freed->count; i++) {
		const sl_time between = freed->at[i + 1].from - freed->at[i].until;
		if (between < gap) {
			gap = between;
			nearest = i;
		}
	}
	freed_join(freed, nearest);
}

void freed_add(struct freed *freed, sl_time from, sl_time until)
{
	if (freed->count == FREED_MAX)
		freed_make_room(freed);
	uint32_t place = freed->count;
	while (place && freed->at[place - 1].from > from) {
		freed->at[place] = freed->at[place - 1];
		place--;
	}
	freed->at[place] = (struct freed_interval){ from, until };
	freed->count++;
	while (place + 1 < freed->count && freed->at[place + 1].from <= freed->at[place].until)
		freed_join(freed, place);
	while (place && freed->at[place - 1].until >= freed->at[place].from)
		freed_join(freed, --place);
}

void freed_until(struct sl_pass *pass, sl_time until)
{
	if (until <= pass->now)
		return;
	freed_add(&pass->freed, pass->now, until);
	pass->freed.early = true;
}

/* What is over is over. */
static void freed_trim(struct freed *freed, sl_time now)
{
	while (freed->count && freed->at[0].until <= now) {
		freed->at[0].until = freed->at[0].from;
		if (freed->count == 1)
			freed->count = 0;
		else {
			freed->at[0] = freed->at[1];
			freed_join(freed, 0);
		}
	}
	if (freed->count && freed->at[0].from < now)
		freed->at[0].from = now;
}

/* ---- Compression ----------------------------------------------------------------------------- */

/*
 * A job can only move if an earlier place for it meets what was freed since it
 * was last looked at: any other place was refused then, and capacity only went
 * since. That place either ends before the job's own promise begins, or reaches
 * it, and so needs room just before it. The second is asked of the profile at
 * that one time. For the first a staircase is kept for each class of sizes: of
 * the runs of room that meet anything freed, those that are longer than all
 * before them. Most jobs are refused by it without a look at the profile.
 */
enum { STEPS = SL_OR_TINY(16, 2) };

struct stair {
	bool known;
	uint32_t count;
	struct step {
		sl_time from, length;
	} step[STEPS];
};

struct compression {
	struct sl_pass *pass;
	struct stair stair[QUEUE_CLASSES];
	sl_time until;      /* All that was freed lies before. */
	struct stair *into; /* For stair_visit. */
};

/* When there is no room, one step serves for the last two: too hopeful, which is allowed. */
static void stair_add(struct stair *stair, sl_time from, sl_time length)
{
	if (stair->count == STEPS)
		stair->step[STEPS - 2].length = stair->step[--stair->count].length;
	for (uint32_t i = 0; i < stair->count && stair->step[i].from <= from; i++)
		if (stair->step[i].length >= length)
			return;
	/* What begins no earlier and is no longer goes. */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < stair->count; i++)
		if (stair->step[i].from < from || stair->step[i].length > length)
			stair->step[kept++] = stair->step[i];
	uint32_t place = kept;
	for (; place && stair->step[place - 1].from > from; place--)
		stair->step[place] = stair->step[place - 1];
	stair->step[place] = (struct step){ from, length };
	stair->count = kept + 1;
}

static void stair_visit(void *self, sl_time start, sl_time end)
{
	struct compression *c = self;
	stair_add(c->into, start, end == SL_NEVER ? SL_NEVER : end - start);
}

static bool stair_may_hold(struct compression *c, uint32_t job)
{
	const struct sl_pass *pass = c->pass;
	const unsigned class = queue_class(pass->jobs->size[job]);
	struct stair *stair = &c->stair[class];
	if (!stair->known) {
		c->into = stair;
		profile_runs(&pass->profile, pass->now, c->until,
			queue_class_least(class) - pass->cluster.cpus_free, stair_visit, c);
		stair->known = true;
	}
	const sl_time length = pass->estimate[job];
	for (uint32_t i = 0; i < stair->count; i++)
		if (stair->step[i].length >= length &&
			time_after(stair->step[i].from, length) <= pass->promise[job])
			return true;
	return false;
}

/* The runs that meet [from, until), in each class whose staircase is in use. */
static void stairs_freed(struct compression *c, sl_time from, sl_time until)
{
	const struct sl_pass *pass = c->pass;
	for (unsigned class = 1; class < QUEUE_CLASSES; class ++) {
		if (!c->stair[class].known)
			continue;
		const int64_t level = queue_class_least(class) - pass->cluster.cpus_free;
		struct profile_point here = { from, profile_value(&pass->profile, from) };
		if (here.value < level && !profile_first_least(&pass->profile, from, until, level, &here))
			return; /* Nor will it do for larger ones. */
		c->into = &c->stair[class];
		const sl_time start = profile_run_start(&pass->profile, here.at, pass->now, level);
		profile_runs(&pass->profile, start, until, level, stair_visit, c);
	}
}

/* The most that is free anywhere in the freed intervals. */
static int64_t freed_room(const struct sl_pass *pass)
{
	int64_t room = INT64_MIN;
	for (uint32_t i = 0; i < pass->freed.count; i++) {
		const struct freed_interval *in = &pass->freed.at[i];
		const int64_t first = profile_value(&pass->profile, in->from);
		const int64_t later = profile_max(&pass->profile, in->from, in->until);
		const int64_t most = first > later ? first : later;
		room = most > room ? most : room;
	}
	return room + pass->cluster.cpus_free;
}

static sl_time earlier_start(struct compression *c, uint32_t job)
{
	const struct sl_pass *pass = c->pass;
	const sl_time was = pass->promise[job];
	const int64_t level = pass->jobs->size[job] - pass->cluster.cpus_free;
	if (was <= pass->now)
		return was;
	if (stair_may_hold(c, job))
		return earliest(pass, job, was);
	if (profile_value(&pass->profile, was - 1) < level)
		return was;
	return profile_run_start(&pass->profile, was - 1, pass->now, level);
}

/* One by one: nodes have names, so what is freed is not told by amounts. */
static void compress_on_nodes(struct sl_pass *pass)
{
	pass->freed = (struct freed){ .count = 0 };
	for (uint32_t job = queue_first(&pass->queue); job != UINT32_MAX;
		job = queue_after(&pass->queue, job)) {
		const sl_time was = pass->promise[job];
		if (was == SL_NONE || was <= pass->now)
			continue;
		promise_take(pass, job);
		const sl_time at = earliest(pass, job, was);
		if (at >= was) {
			promise_restore(pass, job, was);
			continue;
		}
		promise_put(pass, job, at);
		act_promise(pass, job, was);
	}
	sweep_stale(pass);
}

/* What a move frees may help others: those behind it in this round, those before it in the next, for which it
 * is kept. Jobs larger than the most that is free anywhere freed are passed over by the queue's index,
 * unseen. */
void sl_promises_compress(struct sl_pass *pass)
{
	if (!pass->freed.early)
		return;
	act_freed(pass);
	if (pass->nodes) {
		compress_on_nodes(pass);
		return;
	}
	struct compression c = { .pass = pass };
	struct freed next = { .count = 0 };
	freed_trim(&pass->freed, pass->now);
	for (uint32_t i = 0; i < pass->freed.count; i++)
		c.until = pass->freed.at[i].until;
	struct queue_fit fit = { pass->freed.count ? freed_room(pass) : 0, SL_NEVER, 0 };
	uint32_t job = UINT32_MAX;
	while (!pass_over(pass) && (job = queue_next_fit(&pass->queue, job, &fit)) != UINT32_MAX) {
		const sl_time was = pass->promise[job];
		const sl_time at = was == SL_NONE ? SL_NONE : earlier_start(&c, job);
		if (at == was)
			continue;
		promise_take(pass, job);
		promise_put(pass, job, at);
		act_promise(pass, job, was);
		/* Where its old and its new place overlap, nothing was freed. */
		const sl_time moved = time_after(at, pass->estimate[job]);
		const struct freed_interval freed = { was > moved ? was : moved,
			time_after(was, pass->estimate[job]) };
		freed_add(&next, freed.from, freed.until);
		stairs_freed(&c, freed.from, freed.until);
		c.until = freed.until > c.until ? freed.until : c.until;
		const int64_t room = pass->cluster.cpus_free + profile_value(&pass->profile, freed.from);
		const int64_t later =
			pass->cluster.cpus_free + profile_max(&pass->profile, freed.from, freed.until);
		fit.free = room > fit.free ? room : fit.free;
		fit.free = later > fit.free ? later : fit.free;
	}
	pass->freed = next;
	sweep_stale(pass);
}

bool sl_promises_broken(const struct sl_pass *pass) { return pass->promises_broken; }

void sl_promises_drop(struct sl_pass *pass)
{
	act_freed(pass);
	pass->promises_broken = false;
	pass->freed = (struct freed){ .count = 0 };
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

/* ---- One at a time --------------------------------------------------------------------------- */

sl_time sl_promise_at(struct sl_pass *pass, sl_job job)
{
	SL_CHECK(pass->promise && is_waiting(pass, job.row));
	if (pass_over(pass))
		return SL_NEVER;
	const sl_time was = promise_release(pass, job.row);
	const sl_time at = earliest(pass, job.row, SL_NEVER);
	if (was != SL_NONE)
		promise_restore(pass, job.row, was);
	return at;
}

static bool fits_at(struct sl_pass *pass, uint32_t job, sl_time at)
{
	if (at == SL_NEVER)
		return true;
	if (pass->nodes)
		return nodes_promise(pass->nodes, job, pass->request[job], at, pass->estimate[job]);
	const sl_time length = pass->estimate[job];
	const int64_t level = pass->jobs->size[job] - pass->cluster.cpus_free;
	return profile_earliest(&pass->profile, at, time_after(at, length), level, length) == at;
}

bool sl_promise_hold(struct sl_pass *pass, sl_job job, sl_time at)
{
	SL_CHECK(pass->promise);
	if (!pass->open || !is_waiting(pass, job.row) || at < pass->now || pass_over(pass))
		return false;
	const sl_time was = promise_release(pass, job.row);
	if (!fits_at(pass, job.row, at)) {
		if (was != SL_NONE)
			promise_restore(pass, job.row, was);
		return false;
	}
	if (pass->nodes)
		promise_note(pass, job.row, at);
	else
		promise_put(pass, job.row, at);
	act_promise(pass, job.row, was);
	return true;
}

void sl_promise_drop(struct sl_pass *pass, sl_job job)
{
	SL_CHECK(pass->promise);
	if (!pass->open || !is_waiting(pass, job.row) || pass->promise[job.row] == SL_NONE)
		return;
	const sl_time was = promise_release(pass, job.row);
	unpromised_put(pass, job.row);
	act_promise(pass, job.row, was);
}
