/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * promises.c - waiting jobs' planned starts (conservative backfill), kept in the profile.
 *
 * A promise is a change of -size at its time and +size at its estimated end,
 * so that the profile is what would be free if all went as planned. `due` finds the next one; entries there
 * are never removed, they go stale.
 */
#include "sim/run/pass.h"

#include <stdlib.h>
#include <string.h>

static void change(struct sim *sim, sl_time at, uint32_t job, int64_t cpus)
{
	if (sim->nodes && at == SL_NEVER)
		return; /* Holds nothing. */
	if (sim->nodes && cpus < 0) {
		nodes_unpromise(sim->nodes, job);
		return;
	}
	if (sim->nodes) {
		SL_CHECK(nodes_promise(sim->nodes, job, sim->request[job], at, sim->estimate[job]));
		return;
	}
	pass_failed(sim,
		profile_add_between(&sim->profile, at, time_after(at, sim->estimate[job]), -cpus, &sim->err));
}

static bool is_stale(const struct sim *sim, const struct ev *ev) { return sim->promise[ev->row] != ev->time; }

/* Moves leave stale entries behind; when they are most of the heap, it is rebuilt. */
static void sweep_stale(struct sim *sim)
{
	if (sim->due.count < 1024 || sim->due.count < 4 * (size_t)sim->queue.count)
		return;
	struct evq fresh;
	int status = evq_init(&fresh, 1024, &sim->err);
	for (size_t i = 0; i < sim->due.count && !status; i++)
		if (!is_stale(sim, &sim->due.heap[i]))
			status = evq_push(
				&fresh, sim->due.heap[i].time, SL_EV_TIMER, sim->due.heap[i].row, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	evq_release(&sim->due);
	sim->due = fresh;
}

static void promise_note(struct sim *sim, uint32_t job, sl_time at)
{
	sim->promise[job] = at;
	if (sim->nodes)
		nodes_promise_settled(sim->nodes, job, false);
	pass_failed(sim, evq_push(&sim->due, at, SL_EV_TIMER, job, &sim->err));
}

static void promise_put(struct sim *sim, uint32_t job, sl_time at)
{
	change(sim, at, job, sim->jobs->size[job]);
	promise_note(sim, job, at);
}

static void promise_take(struct sim *sim, uint32_t job)
{
	change(sim, sim->promise[job], job, -(int64_t)sim->jobs->size[job]);
	sim->promise[job] = SL_NONE;
}

static int row_number_compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Each once, and only those that wait without a promise. */
void unpromised_sift(struct sim *sim)
{
	size_t kept = 0;
	if (sim->unpromised_count)
		qsort(sim->unpromised, sim->unpromised_count, sizeof(*sim->unpromised), row_number_compare);
	for (size_t i = 0; i < sim->unpromised_count; i++) {
		const uint32_t job = sim->unpromised[i];
		const bool retry = kept && sim->unpromised[kept - 1] == job;
		if (!retry && is_waiting(sim, job) && sim->promise[job] == SL_NONE)
			sim->unpromised[kept++] = job;
	}
	sim->unpromised_count = kept;
}

/* Those without a promise are searched again when they get one: entries may be stale, or stand there twice.
 */
void unpromised_put(struct sim *sim, uint32_t job)
{
	if (sim->unpromised_count > 64 && sim->unpromised_count > 4 * (size_t)sim->queue.count)
		unpromised_sift(sim);
	const int status = SL_GROW_MOST(
		sim->unpromised, sim->unpromised_capacity, sim->unpromised_count + 1, UINT32_MAX, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		sim->unpromised[sim->unpromised_count++] = job;
}

/* SL_NONE: it held none, and goes among those without one no more. */
sl_time promise_release(struct sim *sim, uint32_t job)
{
	if (!(sim->uses & SL_USE_PROMISES))
		return SL_NONE;
	const sl_time was = sim->promise[job];
	if (was != SL_NONE)
		promise_take(sim, job);
	return was;
}

void promise_undo(struct sim *sim, uint32_t job)
{
	const sl_time at = sim->promise[job];
	if (!sim->nodes || at == SL_NONE || at == SL_NEVER) {
		(void)promise_release(sim, job);
		sim->promise[job] = SL_NONE;
		return;
	}
	nodes_promise_undo(sim->nodes, job);
	sim->promise[job] = SL_NONE;
}

void promise_restore(struct sim *sim, uint32_t job, sl_time was)
{
	if (!(sim->uses & SL_USE_PROMISES))
		return;
	if (was == SL_NONE) {
		unpromised_put(sim, job);
	} else if (sim->nodes) {
		if (was != SL_NEVER)
			nodes_promise_restore(sim->nodes, job);
		promise_note(sim, job, was);
	} else {
		promise_put(sim, job, was);
	}
}

sl_time promise_next(struct sim *sim)
{
	const struct ev *top;
	while ((top = evq_top(&sim->due)) && is_stale(sim, top))
		(void)evq_pop(&sim->due);
	return top ? top->time : SL_NEVER;
}

/* ---- Rows in queue order --------------------------------------------------------------------- */

bool row_before(const struct sim *sim, uint32_t a, uint32_t b)
{
	if (sim->key && sim->key[a] != sim->key[b])
		return sim->key[a] < sim->key[b];
	return a < b;
}

static int row_compare(const void *a, const void *b, void *sim)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return x == y ? 0 : row_before(sim, x, y) ? -1 : 1;
}

int sort_rows(struct sim *sim, uint32_t *row, size_t count)
{
	bool sorted = true;
	for (size_t i = 1; i < count && sorted; i++)
		sorted = row_before(sim, row[i - 1], row[i]);
	if (!sorted)
		qsort_r(row, count, sizeof(*row), row_compare, sim);
	return SL_OK;
}

/* ---- For plans ------------------------------------------------------------------------------- */

void act_freed(struct sim *sim)
{
	const int status = SL_GROW_MOST(
		sim->freed_kept, sim->freed_kept_capacity, sim->freed_kept_count + 1, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	act(sim, (struct action){ .kind = ACTION_FREED,
			 .was = (int64_t)sim->freed_kept_count,
			 .now = sim->promises_broken });
	sim->freed_kept[sim->freed_kept_count++] = sim->freed;
}

static void act_promise(struct sim *sim, uint32_t job, sl_time was)
{
	act(sim, (struct action){ .kind = ACTION_PROMISE, .job = job, .was = was });
}

sl_time sl_promise_of(const struct sim *sim, sl_job job)
{
	return sim->promise ? sim->promise[job.row] : SL_NONE;
}

/* No later than its own promise, whose place counts as free for it: without nodes. */
static sl_time earliest(const struct sim *sim, uint32_t job, sl_time latest)
{
	if (sim->nodes)
		return nodes_promise_at(sim->nodes, sim->request[job], sim->estimate[job]);
	const int64_t short_by = sim->jobs->size[job] - sim->cluster.cpus_free;
	return profile_earliest(&sim->profile, sim->now, latest, short_by, sim->estimate[job]);
}

void sl_promises_make(struct sim *sim)
{
	if (!sim->unpromised_count)
		return;
	unpromised_sift(sim);
	(void)sort_rows(sim, sim->unpromised, sim->unpromised_count);
	for (size_t i = 0; i < sim->unpromised_count; i++) {
		const uint32_t job = sim->unpromised[i];
		if (pass_over(sim)) {
			sim->unpromised_count -= i; /* Those that have theirs come back as it is undone. */
			memmove(sim->unpromised, sim->unpromised + i,
				sim->unpromised_count * sizeof(*sim->unpromised));
			return;
		}
		promise_put(sim, job, earliest(sim, job, SL_NEVER));
		if (sim->nodes)
			nodes_promise_settled(sim->nodes, job, true);
		act_promise(sim, job, SL_NONE);
	}
	sim->unpromised_count = 0;
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

/* Joins the two that are closest to each other. */
static void freed_make_allocation(struct freed *freed)
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
		freed_make_allocation(freed);
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

void freed_until(struct sim *sim, sl_time until)
{
	if (until <= sim->now)
		return;
	freed_add(&sim->freed, sim->now, until);
	sim->freed.early = true;
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
 * it, and so needs capacity just before it. The second is read from the profile at that one time. For the
 * first a staircase is kept for each class of sizes: of the intervals of capacity that meet anything freed,
 * those that are longer than all before them. Most jobs are refused by it without a look at the profile.
 */
enum { STEPS = SL_OR_TINY(16, 2), SPANS = SL_OR_TINY(256, 4) };

struct stair {
	uint32_t count;
	struct step {
		sl_time from, length;
	} step[STEPS]; /* Both grow. */
};

struct compression {
	struct sim *sim;
	/* Classes of which jobs wait; of each: */
	uint32_t classes;
	int64_t level[QUEUE_CLASSES]; /* its least size, as a value of the profile, */
	int64_t width[QUEUE_CLASSES]; /* to the next class's, */
	sl_time shortest[QUEUE_CLASSES], latest[QUEUE_CLASSES]; /* estimate and promise, */
	struct stair stair[QUEUE_CLASSES];
	uint8_t of_class[QUEUE_CLASSES]; /* and where it stands here. */
	uint32_t first;                  /* Whose stairs are to be renewed, for stair_visit. */
	int64_t free;                    /* The most that is free anywhere freed. */
	/* No less than any value of the profile within each of the next intervals of 2^shift: all before the
	 * latest promise. Most jobs are refused by them. */
	unsigned shift;
	int64_t most[SPANS];
	uint32_t place, count; /* Of the list of the queue. */
};

/* When all steps are in use, one serves for the last two: too hopeful, which is allowed. */
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

static void stair_visit(void *self, uint32_t level, sl_time start, sl_time length)
{
	struct compression *c = self;
	stair_add(&c->stair[c->first + level], start, length);
}

/* By what was freed there, for classes from one to before the other. */
static void stairs_renew(struct compression *c, sl_time from, sl_time until, uint32_t first, uint32_t end)
{
	const struct profile_levels levels = { c->level + first, c->shortest + first, end - first,
		stair_visit, c };
	c->first = first;
	profile_runs(&c->sim->profile, from, until, c->sim->now, &levels);
}

/* Of the first step that may hold the job before its promise, where it begins; SL_NEVER: none does. No place
 * can begin earlier: before a step there is not enough for any of the class. */
static sl_time stair_may_hold(const struct compression *c, uint32_t job)
{
	const struct sim *sim = c->sim;
	const struct stair *stair = &c->stair[c->of_class[queue_class(sim->jobs->size[job])]];
	const sl_time length = sim->estimate[job];
	if (!stair->count || stair->step[stair->count - 1].length < length)
		return SL_NEVER;
	uint32_t i = 0;
	while (stair->step[i].length < length)
		i++;
	const sl_time from = stair->step[i].from;
	return time_after(from, length) <= sim->promise[job] ? from : SL_NEVER;
}

/* The job's move freed that. Classes of which all sizes were free there before, or none is now, gain nothing,
 * nor do those whose promises all lie before. */
static void note_move(struct compression *c, uint32_t job, const struct freed_interval *freed)
{
	const struct sim *sim = c->sim;
	const struct profile_span span = profile_span(&sim->profile, freed->from, freed->until);
	const int64_t most = span.most + sim->cluster.cpus_free;
	const int64_t before = span.least - sim->jobs->size[job];
	c->free = most > c->free ? most : c->free;
	for (sl_time i = (freed->from - sim->now) >> c->shift;
		i < SPANS && i <= (freed->until - 1 - sim->now) >> c->shift; i++)
		c->most[i] += sim->jobs->size[job];
	uint32_t first = 0, end = c->classes;
	while (end && (c->level[end - 1] > span.most || c->latest[end - 1] <= freed->from))
		end--;
	while (first < end &&
		(c->latest[first] <= freed->from || c->level[first] + c->width[first] - 1 <= before))
		first++;
	if (first < end)
		stairs_renew(c, freed->from, freed->until, first, end);
}

/* The most that is free anywhere in the freed intervals. */
static int64_t freed_allocation(const struct sim *sim)
{
	int64_t most = INT64_MIN;
	for (uint32_t i = 0; i < sim->freed.count; i++) {
		const struct freed_interval *in = &sim->freed.at[i];
		const struct profile_span span = profile_span(&sim->profile, in->from, in->until);
		most = span.most > most ? span.most : most;
	}
	return most + sim->cluster.cpus_free;
}

static sl_time earlier_start(struct compression *c, uint32_t job)
{
	const struct sim *sim = c->sim;
	const sl_time was = sim->promise[job];
	const int64_t level = sim->jobs->size[job] - sim->cluster.cpus_free;
	if (was <= sim->now)
		return was;
	const sl_time from = stair_may_hold(c, job);
	if (from != SL_NEVER)
		return profile_earliest(&sim->profile, from, was, level, sim->estimate[job]);
	const sl_time span = (was - 1 - sim->now) >> c->shift;
	if ((span < SPANS && c->most[span] < level) || profile_value(&sim->profile, was - 1) < level)
		return was;
	return profile_run_start(&sim->profile, was - 1, sim->now, level);
}

/* To an earlier place; returns what that freed: where its old and its new place overlap, nothing changes. */
static struct freed_interval move_on_pool(struct sim *sim, uint32_t job, sl_time at)
{
	const int64_t size = sim->jobs->size[job];
	const sl_time was = sim->promise[job];
	const sl_time end = time_after(was, sim->estimate[job]);
	const sl_time moved = time_after(at, sim->estimate[job]);
	const struct freed_interval freed = { was > moved ? was : moved, end };
	int status = profile_add_between(&sim->profile, freed.from, freed.until, size, &sim->err);
	if (!status)
		status = profile_add_between(&sim->profile, at, was < moved ? was : moved, -size, &sim->err);
	pass_failed(sim, status);
	promise_note(sim, job, at);
	return freed;
}

/* One by one: nodes are not interchangeable, so amounts do not say what is freed. */
static void compress_on_nodes(struct sim *sim)
{
	sim->freed = (struct freed){ .count = 0 };
	for (uint32_t job = queue_first(&sim->queue); job != UINT32_MAX;
		job = queue_after(&sim->queue, job)) {
		const sl_time was = sim->promise[job];
		if (was == SL_NONE || was <= sim->now)
			continue;
		const sl_time at =
			nodes_promise_sooner(sim->nodes, job, sim->request[job], sim->estimate[job], was);
		if (at >= was)
			continue;
		promise_take(sim, job);
		promise_put(sim, job, at);
		nodes_promise_settled(sim->nodes, job, true);
		act_promise(sim, job, was);
	}
	sweep_stale(sim);
}

static bool list_queue(struct compression *c)
{
	struct sim *sim = c->sim;
	c->count = sim->queue.count;
	c->place = 0;
	const int status = SL_GROW_MOST(sim->scratch, sim->scratch_capacity, c->count, UINT32_MAX, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		queue_list(&sim->queue, sim->scratch);
	return !status;
}

/* The classes of the jobs in the list. */
static void classes_find(struct compression *c)
{
	const struct sim *sim = c->sim;
	sl_time shortest[QUEUE_CLASSES], latest[QUEUE_CLASSES];
	uint64_t found = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		const uint32_t job = sim->scratch[i];
		const unsigned class = queue_class(sim->jobs->size[job]);
		const sl_time length = sim->estimate[job], at = sim->promise[job];
		const bool seen = found >> class & 1;
		shortest[class] = seen && shortest[class] < length ? shortest[class] : length;
		latest[class] = seen && latest[class] > at ? latest[class] : at;
		found |= UINT64_C(1) << class;
	}
	for (c->classes = 0; found; found &= found - 1) {
		const unsigned class = (unsigned)__builtin_ctzll(found);
		const int64_t least = queue_class_least(class);
		c->of_class[class] = (uint8_t)c->classes;
		c->level[c->classes] = least - sim->cluster.cpus_free;
		c->width[c->classes] =
			class + 1 < QUEUE_CLASSES ? queue_class_least(class + 1) - least : INT32_MAX;
		c->shortest[c->classes] = shortest[class];
		c->latest[c->classes] = latest[class];
		c->stair[c->classes++].count = 0;
	}
}

static void mosts_find(struct compression *c)
{
	sl_time latest = 0;
	for (uint32_t i = 0; i < c->classes; i++)
		latest = c->latest[i] > latest ? c->latest[i] : latest;
	c->shift = 0;
	while ((latest - c->sim->now) >> c->shift >= SPANS)
		c->shift++;
	profile_mosts(&c->sim->profile, c->sim->now, c->shift, SPANS, c->most);
}

static void compression_begin(struct compression *c, struct sim *sim)
{
	c->sim = sim;
	freed_trim(&sim->freed, sim->now);
	if (!sim->freed.count)
		return;
	const sl_time until = sim->freed.at[sim->freed.count - 1].until;
	c->free = freed_allocation(sim);
	if (c->free < 1 || !list_queue(c))
		return;
	classes_find(c);
	mosts_find(c);
	uint32_t end = c->classes;
	while (end && c->level[end - 1] + sim->cluster.cpus_free > c->free)
		end--;
	if (end)
		stairs_renew(c, sim->now, until, 0, end);
}

/* The next that is no larger than what is free anywhere freed. */
static uint32_t next_to_compress(struct compression *c)
{
	const struct sim *sim = c->sim;
	while (c->place < c->count) {
		const uint32_t job = sim->scratch[c->place++];
		if (sim->jobs->size[job] <= c->free)
			return job;
	}
	return UINT32_MAX;
}

/* What a move frees may help others: those behind it in this round, those before it in the next, for which it
 * is kept. */
void sl_promises_compress(struct sim *sim)
{
	if (!sim->freed.early)
		return;
	act_freed(sim);
	if (sim->nodes) {
		compress_on_nodes(sim);
		return;
	}
	struct compression c;
	struct freed next = { .count = 0 };
	c.count = c.place = 0;
	compression_begin(&c, sim);
	uint32_t job;
	while (!pass_over(sim) && (job = next_to_compress(&c)) != UINT32_MAX) {
		const sl_time was = sim->promise[job];
		const sl_time at = was == SL_NONE ? SL_NONE : earlier_start(&c, job);
		if (at == was)
			continue;
		const struct freed_interval freed = move_on_pool(sim, job, at);
		act_promise(sim, job, was);
		freed_add(&next, freed.from, freed.until);
		note_move(&c, job, &freed);
	}
	sim->freed = next;
	sweep_stale(sim);
}

bool sl_promises_broken(const struct sim *sim) { return sim->promises_broken; }

void sl_promises_drop(struct sim *sim)
{
	act_freed(sim);
	sim->promises_broken = false;
	sim->freed = (struct freed){ .count = 0 };
	for (uint32_t job = queue_first(&sim->queue); job != UINT32_MAX;
		job = queue_after(&sim->queue, job)) {
		const sl_time was = sim->promise[job];
		if (was == SL_NONE)
			continue;
		promise_take(sim, job);
		act_promise(sim, job, was);
		unpromised_put(sim, job);
	}
}

/* ---- One at a time --------------------------------------------------------------------------- */

sl_time sl_promise_at(struct sim *sim, sl_job job)
{
	SL_CHECK(sim->promise && is_waiting(sim, job.row));
	if (pass_over(sim))
		return SL_NEVER;
	const sl_time was = promise_release(sim, job.row);
	const sl_time at = earliest(sim, job.row, SL_NEVER);
	if (was != SL_NONE)
		promise_restore(sim, job.row, was);
	return at;
}

static bool fits_at(struct sim *sim, uint32_t job, sl_time at)
{
	if (at == SL_NEVER)
		return true;
	if (sim->nodes)
		return nodes_promise(sim->nodes, job, sim->request[job], at, sim->estimate[job]);
	const sl_time length = sim->estimate[job];
	const int64_t level = sim->jobs->size[job] - sim->cluster.cpus_free;
	return profile_earliest(&sim->profile, at, time_after(at, length), level, length) == at;
}

bool sl_promise_set(struct sim *sim, sl_job job, sl_time at)
{
	SL_CHECK(sim->promise);
	if (!sim->open || !is_waiting(sim, job.row) || at < sim->now || pass_over(sim))
		return false;
	const sl_time was = promise_release(sim, job.row);
	if (!fits_at(sim, job.row, at)) {
		if (was != SL_NONE)
			promise_restore(sim, job.row, was);
		return false;
	}
	if (sim->nodes)
		promise_note(sim, job.row, at);
	else
		promise_put(sim, job.row, at);
	act_promise(sim, job.row, was);
	return true;
}

void sl_promise_drop(struct sim *sim, sl_job job)
{
	SL_CHECK(sim->promise);
	if (!sim->open || !is_waiting(sim, job.row) || sim->promise[job.row] == SL_NONE)
		return;
	const sl_time was = promise_release(sim, job.row);
	unpromised_put(sim, job.row);
	act_promise(sim, job.row, was);
}
