/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * course.c - jobs that may be preempted: the work they did, the time they still need, who runs since when.
 *
 * Work is counted in microseconds of running at full size. A job on fewer or more tasks than it asked for
 * works in proportion, rounded down; the time that work needs is rounded up, so that no job ends before its
 * work is done. A job that goes on from a checkpoint loads it first, which is no work: its limit does not
 * count that, its estimate (how long it will hold what it gets) does.
 */
#include <stdlib.h>

#include "sim/run/models.h"

/* Tasks asked for and held, as a ratio. Where a model counts work by size itself, what time a limit and an
 * estimate count does not know how fast that is: fewer tasks count in proportion, more as those asked for, so
 * that nobody is late or cut for his size alone as long as no task more is worth more than the first. */
static void course_speed(
	const struct sl_pass *pass, uint32_t job, const struct course *course, int64_t *asked, int64_t *held)
{
	*asked = *held = 1;
	if (!course->tasks)
		return;
	*asked = pass->requests[pass->request[job]].group[0].tasks;
	*held = course->tasks;
	if (pass->models && pass->models->sizes && *held > *asked)
		*held = *asked;
}

/* Rounded up. */
static sl_time course_time_for(const struct sl_pass *pass, uint32_t job, sl_time work)
{
	int64_t asked, held;
	course_speed(pass, job, &pass->course[job], &asked, &held);
	if (work <= 0 || asked == held)
		return work;
	const __int128 time = ((__int128)work * asked + held - 1) / held;
	return time < SL_NEVER ? (sl_time)time : SL_NEVER;
}

sl_time course_work(const struct sl_pass *pass, uint32_t job)
{
	const struct course *course = &pass->course[job];
	if (pass->job_state[job] != SL_RUNNING)
		return course->work;
	const sl_time length = pass->now - course->since - course->loading;
	if (length <= 0)
		return course->work;
	int64_t asked, held;
	course_speed(pass, job, &pass->course[job], &asked, &held);
	return course->work + (sl_time)((__int128)length * held / asked);
}

sl_time course_end(const struct sl_pass *pass, uint32_t job)
{
	const struct course *course = &pass->course[job];
	return time_after(course_works_from(course),
		course_time_for(pass, job, pass->estimate[job] - course->load - course->work));
}

/* ---- Work, where models say how fast it is done: rates.c ------------------------------------- */

/* As course_speed, unless a model counts work by size itself. */
static void work_speed(
	const struct sl_pass *pass, uint32_t job, const struct course *course, int64_t *asked, int64_t *held)
{
	*asked = *held = 1;
	if (!pass->models->sizes)
		course_speed(pass, job, course, asked, held);
}

/* From when on its work is not counted yet. */
static sl_time counts_from(const struct course *course)
{
	const sl_time works = course_works_from(course);
	return works > course->counted ? works : course->counted;
}

sl_time course_done(
	const struct sl_pass *pass, uint32_t job, const struct course *course, bool running, uint32_t *part)
{
	const sl_time from = counts_from(course);
	if (part)
		*part = course->done_part;
	if (!running || course->finished || pass->now <= from)
		return course->done;
	int64_t asked, held;
	work_speed(pass, job, course, &asked, &held);
	const sl_time length = (sl_time)((__int128)(pass->now - from) * held / asked);
	const unsigned __int128 gain = (unsigned __int128)(uint64_t)length * course->rate + course->done_part;
	if (part)
		*part = (uint32_t)gain;
	return course->done + (sl_time)(gain >> PART_BITS);
}

void course_count(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	course->done = course_done(pass, job, course, is_running(pass, job), &course->done_part);
	course->counted = pass->now;
}

/* The first time at which so much of this attempt's work is done; SL_NEVER: not at this rate. */
sl_time course_done_at(const struct sl_pass *pass, uint32_t job, const struct course *course, sl_time work)
{
	if (!course->rate || course->finished)
		return SL_NEVER;
	const sl_time from = counts_from(course);
	const sl_time left = work - course->done;
	if (left <= 0)
		return from;
	/* Below 2^95, at a rate of at least 1; below 2^126 with the tasks asked for. */
	const unsigned __int128 units = ((unsigned __int128)(uint64_t)left << PART_BITS) - course->done_part;
	unsigned __int128 length = (units + course->rate - 1) / course->rate;
	int64_t asked, held;
	work_speed(pass, job, course, &asked, &held);
	if (asked != held)
		length = (length * (uint64_t)asked + (uint64_t)held - 1) / (uint64_t)held;
	return length < (uint64_t)SL_NEVER ? time_after(from, (sl_time)length) : SL_NEVER;
}

/* When its limit cuts it; SL_NEVER: nothing does. */
static sl_time cut_at(const struct sl_pass *pass, uint32_t job, const struct course *course)
{
	if (pass->scenario->overrun != SL_OVERRUN_KILL || is_controlled(pass))
		return SL_NEVER;
	return time_after(course_works_from(course),
		course_time_for(pass, job, pass->jobs->limit[job] - course->kept - course->work));
}

void rates_due(const struct sl_pass *pass, uint32_t job, struct course *course)
{
	const sl_time done = course_done_at(pass, job, course, pass->jobs->run[job] - course->done_kept);
	const sl_time cut = cut_at(pass, job, course);
	course->cut = cut < done;
	course->due = course->cut ? cut : done;
}

/* ---- From now on ----------------------------------------------------------------------------- */

/* What it has to load yet. While it stands still it does not. */
static sl_time load_left(const struct course *course, sl_time now)
{
	const sl_time length = course->stopped == SL_NONE ? now - course->since : 0;
	return course->loading > length ? course->loading - length : 0;
}

void course_settle(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	course->work = course_work(pass, job);
	if (pass->models)
		course_count(pass, job);
	course->loading = load_left(course, pass->now);
	course->since = pass->now;
}

/* Who has done nothing yet has nothing to load. */
sl_time course_kept_estimate(const struct sl_pass *pass, uint32_t job, sl_time *load)
{
	const struct course *course = &pass->course[job];
	const sl_time work = course_work(pass, job);
	const sl_time left = pass->estimate[job] - course->load - work;
	*load = course->kept + work ? restart_cost(pass->scenario, pass->jobs->size[job]) : 0;
	return (left > SL_SECOND ? left : SL_SECOND) + *load;
}

void course_checkpoint(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	sl_time load;
	pass->estimate_own[job] = course_kept_estimate(pass, job, &load);
	course->kept += course->work;
	course->load = load;
	course->done_kept += course->done; /* Whole microseconds. */
	course->done = 0;
	course->done_part = 0;
}

/* Its end, or its limit if that comes first and kills. */
sl_time length_of(const struct sl_pass *pass, uint32_t job, enum sl_event_class *class)
{
	const struct sl_jobs *jobs = pass->jobs;
	const bool cut = pass->scenario->overrun == SL_OVERRUN_KILL && !is_controlled(pass) &&
			 jobs->limit[job] < jobs->run[job];
	if (class)
		*class = cut ? SL_EV_TIME_LIMIT : SL_EV_JOB_END;
	return cut ? jobs->limit[job] : jobs->run[job];
}

/* Its run time, or its limit if that comes first and kills. */
void course_due(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	if (pass->models)
		rates_due(pass, job, course);
	else
		course->due = time_after(course_works_from(course),
			course_time_for(pass, job, length_of(pass, job, NULL) - course->kept - course->work));
}

/* ---- The list of what runs, by start --------------------------------------------------------- */

void course_unlink(struct sl_pass *pass, uint32_t job)
{
	const struct course *course = &pass->course[job];
	if (course->before == UINT32_MAX)
		pass->run_first = course->next;
	else
		pass->course[course->before].next = course->next;
	if (course->next == UINT32_MAX)
		pass->run_last = course->before;
	else
		pass->course[course->next].before = course->before;
}

void course_link(struct sl_pass *pass, uint32_t job, uint32_t before)
{
	struct course *course = &pass->course[job];
	course->before = before;
	course->next = before == UINT32_MAX ? pass->run_first : pass->course[before].next;
	if (before == UINT32_MAX)
		pass->run_first = job;
	else
		pass->course[before].next = job;
	if (course->next == UINT32_MAX)
		pass->run_last = job;
	else
		pass->course[course->next].before = job;
}

void course_start(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	course->began = course->since = pass->now;
	course->work = 0;
	course->loading = course->load;
	course->tasks = 0;
	course->stopped = SL_NONE;
	course->suspended = 0;
	course->rate = SL_RATE_ONE;
	course->finished = false;
	course->counted = pass->now;
	course->attempts++;
	course_due(pass, job);
	course_link(pass, job, pass->run_last);
}

/* ---- What it leaves -------------------------------------------------------------------------- */

int attempt_add(
	struct sl_pass *pass, uint32_t job, const struct course *course, enum sl_state state, sl_time lost)
{
	const int status =
		SL_GROW(pass->attempt, pass->attempt_capacity, pass->attempt_count + 1, &pass->err);
	if (status)
		return status;
	sl_time suspended = course->suspended;
	if (course->stopped != SL_NONE)
		suspended += pass->now - course->stopped;
	struct sl_attempt *attempt = &pass->attempt[pass->attempt_count++];
	*attempt = (struct sl_attempt){ .job = job,
		.state = state,
		.start = course->began,
		.end = pass->now,
		.suspended = suspended,
		.lost = lost,
		.overhead = course->load - load_left(course, pass->now) };
	/* One of no time may have come and gone in one pass, which notes where its last start is alone. */
	if (pass->place_first && course->began < pass->now) {
		attempt->place = pass->place_first[job];
		attempt->places = pass->place_count[job];
		attempt->cpus = pass->place_cpus[job];
		attempt->gpus = pass->place_gpus[job];
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
int course_results(struct sl_pass *pass, struct sl_err *err)
{
	if (!pass->course)
		return SL_OK;
	bool any = false;
	for (uint32_t job = pass->run_first; job != UINT32_MAX; job = pass->course[job].next) {
		const int status = pass->course[job].attempts < 2
					   ? SL_OK
					   : attempt_add(pass, job, &pass->course[job],
						     (enum sl_state)pass->job_state[job], 0);
		if (status)
			return status;
	}
	for (uint32_t job = 0; job < pass->jobs->count; job++) {
		const struct course *course = &pass->course[job];
		any |= course->suspended || course->suspended_before || course->stopped != SL_NONE;
	}
	if (pass->attempt_count)
		qsort(pass->attempt, pass->attempt_count, sizeof(*pass->attempt), attempt_compare);
	if (!any)
		return SL_OK;
	pass->suspended_total = sl_alloc(pass->arena, pass->jobs->count, sizeof(*pass->suspended_total));
	if (!pass->suspended_total)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < pass->jobs->count; job++) {
		const struct course *course = &pass->course[job];
		pass->suspended_total[job] = course->suspended_before + course->suspended;
		if (course->stopped != SL_NONE)
			pass->suspended_total[job] += pass->now - course->stopped;
	}
	return SL_OK;
}
