/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_progress.c - progress of jobs that may be preempted: work done, time left, and the list of running jobs
 * by start.
 *
 * Work is counted in microseconds of running at full size. A job on fewer or more tasks than it requested
 * works in proportion, rounded down; the time that work needs is rounded up, so that no job ends before its
 * work is done. A job that goes on from a checkpoint loads it first, which is no work: its limit does not
 * count that, its estimate (how long its allocation lasts) does.
 */
#include <stdlib.h>

#include "sim/run/models.h"
#include "sim/run/plain.h"

/* Tasks requested and allocated, as a ratio. Where a model counts work by size itself, what time a limit and
 * an estimate count does not know how fast that is: fewer tasks count in proportion, more as those requested,
 * so that no job is late or cut for its size alone as long as no task more is worth more than the first. */
static void progress_speed(
	const struct sim *sim, uint32_t job, const struct progress *progress, int64_t *asked, int64_t *held)
{
	*asked = *held = 1;
	if (!progress->tasks)
		return;
	*asked = sim->requests[sim->request[job]].group[0].tasks;
	*held = progress->tasks;
	if (sim->models && sim->models->sizes && *held > *asked)
		*held = *asked;
}

/* Rounded up. */
static sl_time progress_time_for(const struct sim *sim, uint32_t job, sl_time work)
{
	int64_t asked, held;
	progress_speed(sim, job, &sim->progress[job], &asked, &held);
	if (work <= 0 || asked == held)
		return work;
	const __int128 time = ((__int128)work * asked + held - 1) / held;
	return time < SL_NEVER ? (sl_time)time : SL_NEVER;
}

sl_time progress_work(const struct sim *sim, uint32_t job)
{
	const struct progress *progress = &sim->progress[job];
	if (sim->job_state[job] != SL_RUNNING)
		return progress->work;
	const sl_time length = sim->now - progress->since - progress->loading;
	if (length <= 0)
		return progress->work;
	int64_t asked, held;
	progress_speed(sim, job, &sim->progress[job], &asked, &held);
	return progress->work + (sl_time)((__int128)length * held / asked);
}

sl_time progress_end(const struct sim *sim, uint32_t job)
{
	const struct progress *progress = &sim->progress[job];
	return time_after(progress_works_from(progress),
		progress_time_for(sim, job, sim->estimate[job] - progress->load - progress->work));
}

/* ---- Work, where models say how fast it is done: speeds.c ------------------------------------- */

/* As progress_speed, unless a model counts work by size itself. */
static void work_speed(
	const struct sim *sim, uint32_t job, const struct progress *progress, int64_t *asked, int64_t *held)
{
	*asked = *held = 1;
	if (!sim->models->sizes)
		progress_speed(sim, job, progress, asked, held);
}

/* From when on its work is not counted yet. */
static sl_time counts_from(const struct progress *progress)
{
	const sl_time works = progress_works_from(progress);
	return works > progress->counted ? works : progress->counted;
}

sl_time progress_done(
	const struct sim *sim, uint32_t job, const struct progress *progress, bool running, uint32_t *part)
{
	const sl_time from = counts_from(progress);
	if (part)
		*part = progress->done_part;
	if (!running || progress->finished || sim->now <= from)
		return progress->done;
	int64_t asked, held;
	work_speed(sim, job, progress, &asked, &held);
	const sl_time length = (sl_time)((__int128)(sim->now - from) * held / asked);
	const unsigned __int128 gain =
		(unsigned __int128)(uint64_t)length * progress->speed + progress->done_part;
	if (part)
		*part = (uint32_t)gain;
	return progress->done + (sl_time)(gain >> PART_BITS);
}

void progress_count(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	progress->done = progress_done(sim, job, progress, is_running(sim, job), &progress->done_part);
	progress->counted = sim->now;
}

/* The first time at which so much of this attempt's work is done; SL_NEVER: not at this rate. */
sl_time progress_done_at(const struct sim *sim, uint32_t job, const struct progress *progress, sl_time work)
{
	if (!progress->speed || progress->finished)
		return SL_NEVER;
	const sl_time from = counts_from(progress);
	const sl_time left = work - progress->done;
	if (left <= 0)
		return from;
	/* Below 2^95, at a rate of at least 1; below 2^126 with the tasks requested. */
	const unsigned __int128 units =
		((unsigned __int128)(uint64_t)left << PART_BITS) - progress->done_part;
	unsigned __int128 length = (units + progress->speed - 1) / progress->speed;
	int64_t asked, held;
	work_speed(sim, job, progress, &asked, &held);
	if (asked != held)
		length = (length * (uint64_t)asked + (uint64_t)held - 1) / (uint64_t)held;
	return length < (uint64_t)SL_NEVER ? time_after(from, (sl_time)length) : SL_NEVER;
}

/* When its limit cuts it; SL_NEVER: nothing does. */
static sl_time cut_at(const struct sim *sim, uint32_t job, const struct progress *progress)
{
	if (sim->scenario->overrun != SL_OVERRUN_KILL || is_controlled(sim))
		return SL_NEVER;
	return time_after(progress_works_from(progress),
		progress_time_for(sim, job, sim->jobs->limit[job] - progress->kept - progress->work));
}

void speeds_due(const struct sim *sim, uint32_t job, struct progress *progress)
{
	const sl_time done = progress_done_at(sim, job, progress, sim->jobs->run[job] - progress->done_kept);
	const sl_time cut = cut_at(sim, job, progress);
	progress->cut = cut < done;
	progress->due = progress->cut ? cut : done;
}

/* ---- From now on ----------------------------------------------------------------------------- */

/* What it has to load yet. While it stands still it does not. */
static sl_time load_left(const struct progress *progress, sl_time now)
{
	const sl_time length = progress->stopped == SL_NONE ? now - progress->since : 0;
	return progress->loading > length ? progress->loading - length : 0;
}

void progress_settle(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	progress->work = progress_work(sim, job);
	if (sim->models)
		progress_count(sim, job);
	progress->loading = load_left(progress, sim->now);
	progress->since = sim->now;
}

/* Who has done nothing yet has nothing to load. */
sl_time progress_kept_estimate(const struct sim *sim, uint32_t job, sl_time *load)
{
	const struct progress *progress = &sim->progress[job];
	const sl_time work = progress_work(sim, job);
	const sl_time left = sim->estimate[job] - progress->load - work;
	*load = progress->kept + work ? restart_cost(sim->scenario, sim->jobs->size[job]) : 0;
	return (left > SL_SECOND ? left : SL_SECOND) + *load;
}

void progress_checkpoint(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	sl_time load;
	sim->estimate_own[job] = progress_kept_estimate(sim, job, &load);
	progress->kept += progress->work;
	progress->load = load;
	progress->done_kept += progress->done; /* Whole microseconds. */
	progress->done = 0;
	progress->done_part = 0;
}

sl_time length_of(const struct sim *sim, uint32_t job, enum sl_event_class *class)
{
	enum sl_event_class unwanted;
	return length_in(sim, job, class ? class : &unwanted, false);
}

/* Its run time, or its limit if that comes first and kills. */
void progress_due(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	if (sim->models)
		speeds_due(sim, job, progress);
	else
		progress->due = time_after(progress_works_from(progress),
			progress_time_for(
				sim, job, length_of(sim, job, NULL) - progress->kept - progress->work));
}

/* ---- The list of what runs, by start --------------------------------------------------------- */

void progress_unlink(struct sim *sim, uint32_t job)
{
	const struct progress *progress = &sim->progress[job];
	if (progress->before == UINT32_MAX)
		sim->run_first = progress->next;
	else
		sim->progress[progress->before].next = progress->next;
	if (progress->next == UINT32_MAX)
		sim->run_last = progress->before;
	else
		sim->progress[progress->next].before = progress->before;
}

void progress_link(struct sim *sim, uint32_t job, uint32_t before)
{
	struct progress *progress = &sim->progress[job];
	progress->before = before;
	progress->next = before == UINT32_MAX ? sim->run_first : sim->progress[before].next;
	if (before == UINT32_MAX)
		sim->run_first = job;
	else
		sim->progress[before].next = job;
	if (progress->next == UINT32_MAX)
		sim->run_last = job;
	else
		sim->progress[progress->next].before = job;
}

void progress_begins(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	progress->began = progress->since = sim->now;
	progress->work = 0;
	progress->loading = progress->load;
	progress->tasks = 0;
	progress->stopped = SL_NONE;
	progress->suspended = 0;
	progress->speed = SL_SPEED_ONE;
	progress->finished = false;
	progress->counted = sim->now;
	progress->attempts++;
	progress_due(sim, job);
	progress_link(sim, job, sim->run_last);
}

/* ---- What it leaves -------------------------------------------------------------------------- */

int attempt_add(
	struct sim *sim, uint32_t job, const struct progress *progress, enum sl_state state, sl_time lost)
{
	const int status = SL_GROW(sim->attempt, sim->attempt_capacity, sim->attempt_count + 1, &sim->err);
	if (status)
		return status;
	sl_time suspended = progress->suspended;
	if (progress->stopped != SL_NONE)
		suspended += sim->now - progress->stopped;
	struct sl_attempt *attempt = &sim->attempt[sim->attempt_count++];
	*attempt = (struct sl_attempt){ .job = job,
		.state = state,
		.start = progress->began,
		.end = sim->now,
		.suspended = suspended,
		.lost = lost,
		.overhead = progress->load - load_left(progress, sim->now) };
	/* An attempt of no time may have started and ended in one pass, which records the allocation of its
	 * last start alone. */
	if (sim->place_first && progress->began < sim->now) {
		attempt->place = sim->place_first[job];
		attempt->places = sim->place_count[job];
		attempt->cpus = sim->place_cpus[job];
		attempt->gpus = sim->place_gpus[job];
	}
	return SL_OK;
}

static int attempt_compare(const void *a, const void *b)
{
	const struct sl_attempt *x = a;
	const struct sl_attempt *y = b;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

/* Attempts by job, those that go on to the end of the run included; suspended time by job. */
int progress_results(struct sim *sim, struct sl_err *err)
{
	if (!sim->progress)
		return SL_OK;
	bool any = false;
	for (uint32_t job = sim->run_first; job != UINT32_MAX; job = sim->progress[job].next) {
		const int status = sim->progress[job].attempts < 2
					   ? SL_OK
					   : attempt_add(sim, job, &sim->progress[job],
						     (enum sl_state)sim->job_state[job], 0);
		if (status)
			return status;
	}
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		const struct progress *progress = &sim->progress[job];
		any |= progress->suspended || progress->suspended_before || progress->stopped != SL_NONE;
	}
	if (sim->attempt_count)
		qsort(sim->attempt, sim->attempt_count, sizeof(*sim->attempt), attempt_compare);
	if (!any)
		return SL_OK;
	sim->suspended_total = sl_alloc(sim->arena, sim->jobs->count, sizeof(*sim->suspended_total));
	if (!sim->suspended_total)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		const struct progress *progress = &sim->progress[job];
		sim->suspended_total[job] = progress->suspended_before + progress->suspended;
		if (progress->stopped != SL_NONE)
			sim->suspended_total[job] += sim->now - progress->stopped;
	}
	return SL_OK;
}
