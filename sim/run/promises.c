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
enum { STEPS = SL_OR_TINY(16, 2), SEARCHES = SL_OR_TINY(8, 2) };

struct stair {
	uint32_t count;
	struct step {
		sl_time from, length;
	} step[STEPS]; /* Both grow. */
};

struct compression {
	struct sim *sim;
	struct stair stair[QUEUE_CLASSES];
	uint64_t known; /* Which of them hold what was freed so far. */
	/* Of the jobs of each class behind the first that moved: */
	sl_time shortest[QUEUE_CLASSES], latest[QUEUE_CLASSES];
	sl_time until;     /* All that was freed lies before. */
	int64_t free;      /* The most that is free anywhere freed. */
	unsigned into;     /* For stair_visit. */
	uint32_t searches; /* Of the queue's index; after so many its jobs are listed. */
	bool listed, measured;
	uint32_t place, count;
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

/* What is too short for all of the class is no step. */
static void stair_visit(void *self, sl_time start, sl_time end)
{
	struct compression *c = self;
	const sl_time length = end == SL_NEVER ? SL_NEVER : end - start;
	if (length >= c->shortest[c->into])
		stair_add(&c->stair[c->into], start, length);
}

static int64_t class_level(const struct compression *c, unsigned class)
{
	return queue_class_least(class) - c->sim->cluster.cpus_free;
}

/* Of the first step that may hold the job before its promise, where it begins; SL_NEVER: none does. No place
 * can begin earlier: before a step there is not enough for any of the class. */
static sl_time stair_may_hold(struct compression *c, uint32_t job)
{
	const struct sim *sim = c->sim;
	const unsigned class = queue_class(sim->jobs->size[job]);
	struct stair *stair = &c->stair[class];
	if (!(c->known & UINT64_C(1) << class)) {
		c->known |= UINT64_C(1) << class;
		c->into = class;
		profile_runs(
			&sim->profile, sim->now, c->until, sim->now, class_level(c, class), stair_visit, c);
	}
	const sl_time length = sim->estimate[job];
	if (!stair->count || stair->step[stair->count - 1].length < length)
		return SL_NEVER;
	uint32_t i = 0;
	while (stair->step[i].length < length)
		i++;
	const sl_time from = stair->step[i].from;
	return time_after(from, length) <= sim->promise[job] ? from : SL_NEVER;
}

/* Of the classes that know what was freed before, those of which some size was not free there all the time,
 * and some is now. */
static uint64_t classes_between(const struct compression *c, int64_t least, int64_t most)
{
	if (most < 1 || least >= most)
		return 0;
	const unsigned low = least < 0 ? 1 : queue_class((int32_t)least + 1);
	const unsigned high = most < INT32_MAX ? queue_class((int32_t)most) : QUEUE_CLASSES - 1;
	return c->known & (UINT64_MAX << low) & (UINT64_MAX >> (QUEUE_CLASSES - 1 - high));
}

/* From behind that job on. */
static bool list_queue(struct compression *c, uint32_t job)
{
	struct sim *sim = c->sim;
	c->count = sim->queue.count;
	const int status = SL_GROW_MOST(sim->scratch, sim->scratch_capacity, c->count, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return false;
	}
	queue_list(&sim->queue, sim->scratch);
	for (c->place = 0; c->place < c->count && sim->scratch[c->place] != job;)
		c->place++;
	return true;
}

/* At the first move. */
static void measure_rest(struct compression *c, uint32_t job)
{
	const struct sim *sim = c->sim;
	c->measured = true;
	if (!c->listed && !(c->listed = list_queue(c, job)))
		return;
	for (unsigned class = 0; class < QUEUE_CLASSES; class ++) {
		c->shortest[class] = SL_NEVER;
		c->latest[class] = 0;
	}
	for (uint32_t i = c->place + 1; i < c->count; i++) {
		const uint32_t row = sim->scratch[i];
		const unsigned class = queue_class(sim->jobs->size[row]);
		const sl_time length = sim->estimate[row], at = sim->promise[row];
		c->shortest[class] = length < c->shortest[class] ? length : c->shortest[class];
		c->latest[class] = at > c->latest[class] ? at : c->latest[class];
	}
}

/* The job's move freed that. */
static void note_move(struct compression *c, uint32_t job, const struct freed_interval *freed)
{
	const struct sim *sim = c->sim;
	const struct profile_span span = profile_span(&sim->profile, freed->from, freed->until);
	const int64_t most = span.most + sim->cluster.cpus_free;
	c->until = freed->until > c->until ? freed->until : c->until;
	c->free = most > c->free ? most : c->free;
	if (!c->measured)
		measure_rest(c, job);
	uint64_t classes =
		classes_between(c, span.least + sim->cluster.cpus_free - sim->jobs->size[job], most);
	int64_t level[QUEUE_CLASSES];
	unsigned of[QUEUE_CLASSES];
	uint32_t count = 0;
	while (classes) {
		const unsigned class = 63U - (unsigned)__builtin_clzll(classes);
		classes ^= UINT64_C(1) << class;
		const int64_t at = class_level(c, class);
		if (freed->from >= c->latest[class])
			continue; /* Behind all promises of the class. */
		if (at <= span.least) {
			of[count] = class;
			level[count++] = at;
			continue;
		}
		c->into = class;
		profile_runs(&sim->profile, freed->from, freed->until, sim->now, at, stair_visit, c);
	}
	if (!count)
		return;
	struct profile_run run[QUEUE_CLASSES];
	profile_runs_around(&sim->profile, freed->from, freed->until, sim->now, level, count, run);
	for (uint32_t i = 0; i < count; i++) {
		c->into = of[i];
		stair_visit(c, run[i].start, run[i].end);
	}
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
	if (profile_value(&sim->profile, was - 1) < level)
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
	nodes_sooner_begin(sim->nodes);
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

static void compression_begin(struct compression *c, struct sim *sim)
{
	c->sim = sim;
	c->searches = 0;
	c->listed = c->measured = false;
	c->known = 0;
	for (unsigned class = 0; class < QUEUE_CLASSES; class ++)
		c->stair[class].count = 0;
	memset(c->shortest, 0, sizeof(c->shortest));
	freed_trim(&sim->freed, sim->now);
	c->until = sim->freed.count ? sim->freed.at[sim->freed.count - 1].until : 0;
	c->free = sim->freed.count ? freed_allocation(sim) : 0;
}

/* The next that is no larger than what is free anywhere freed. The queue's index passes over all others
 * unseen; where many pass, a list of them is faster. */
static uint32_t next_to_compress(struct compression *c, uint32_t job)
{
	struct sim *sim = c->sim;
	if (!c->listed && c->searches < SEARCHES) {
		const struct queue_fit fit = { c->free, SL_NEVER, 0 };
		c->searches++;
		return queue_next_fit(&sim->queue, job, &fit);
	}
	if (!c->listed && !(c->listed = list_queue(c, job)))
		return UINT32_MAX;
	while (++c->place < c->count)
		if (sim->jobs->size[sim->scratch[c->place]] <= c->free)
			return sim->scratch[c->place];
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
	compression_begin(&c, sim);
	struct freed next = { .count = 0 };
	uint32_t job = UINT32_MAX;
	while (!pass_over(sim) && (job = next_to_compress(&c, job)) != UINT32_MAX) {
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
