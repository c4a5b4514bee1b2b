/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rates.c - how fast jobs work, with models: work done, and when it will be.
 *
 * A job works at the product of what each model says of it (a factor of 1 is SL_RATE_ONE): products are
 * rounded down to 2^-32 in the order of the models. Work is counted exactly, in microseconds and 2^-32 of
 * them: in whole microseconds of time at the size that it has (as without models: course.c), times the rate.
 * An end is at the first microsecond at which the work is done. When a rate changes, work so far is counted
 * at the old one, and the job's end event is replaced, its alone; the same rate again changes nothing. What
 * limit and estimate count is time, whatever the rate.
 */
#include "sim/run/models.h"

enum { PART_BITS = 32 };

/* ---- Work --------------------------------------------------------------------------------------- */

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
static sl_time done_at(const struct sl_pass *pass, uint32_t job, const struct course *course, sl_time work)
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

void course_paced_due(struct sl_pass *pass, uint32_t job) { rates_due(pass, job, &pass->course[job]); }

void rates_due(const struct sl_pass *pass, uint32_t job, struct course *course)
{
	const sl_time done = done_at(pass, job, course, pass->jobs->run[job] - course->done_kept);
	const sl_time cut = cut_at(pass, job, course);
	course->cut = cut < done;
	course->due = course->cut ? cut : done;
}

/* ---- End events ----------------------------------------------------------------------------------- */

/* It runs on past its estimated end: noted once. */
static int note_late(struct sl_pass *pass, uint32_t job)
{
	const sl_time expected = expected_end(pass, job);
	if (expected >= pass->course[job].due || pass->models->noted[job] == expected)
		return SL_OK;
	pass->models->noted[job] = expected;
	return note_overrun(pass, job);
}

static int push_end(struct sl_pass *pass, uint32_t job)
{
	const struct course *course = &pass->course[job];
	if (course->due == SL_NEVER)
		return SL_OK;
	pass->models->end_seq[job] = pass->events.seq;
	return evq_push(
		&pass->events, course->due, course->cut ? SL_EV_TIME_LIMIT : SL_EV_JOB_END, job, &pass->err);
}

int rates_note_end(struct sl_pass *pass, uint32_t job)
{
	if (!is_running(pass, job))
		return SL_OK; /* It was preempted again, in the same pass. */
	const int status = push_end(pass, job);
	return status ? status : note_late(pass, job);
}

bool rates_replaced(const struct sl_pass *pass, const struct ev *ev)
{
	return intset_has(&pass->models->replaced, (int64_t)ev->seq);
}

static bool is_not_replaced(void *self, const struct ev *ev) { return !rates_replaced(self, ev); }

/* Once half of all events are of rates that were. */
static void compact(struct sl_pass *pass)
{
	struct intset *replaced = &pass->models->replaced;
	if (replaced->count < 64 || replaced->count < pass->events.count / 2)
		return;
	evq_keep(&pass->events, is_not_replaced, pass);
	intset_release(replaced);
}

/* Another rate, or it holds on now: its event goes, another comes. */
static void replace_end(struct sl_pass *pass, uint32_t job)
{
	const struct course *course = &pass->course[job];
	const sl_time was = course->due;
	bool fresh;
	course_paced_due(pass, job);
	int status = SL_OK;
	if (was != SL_NEVER)
		status = intset_add(
			&pass->models->replaced, (int64_t)pass->models->end_seq[job], &fresh, &pass->err);
	if (!status)
		status = push_end(pass, job);
	if (!status)
		status = note_late(pass, job);
	if (status)
		pass_failed(pass, status);
}

void rates_done(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	course_count(pass, job);
	course->done = pass->jobs->run[job] - course->done_kept;
	course->done_part = 0;
	course->finished = true;
}

void rates_hold(struct sl_pass *pass, uint32_t job)
{
	pass->course[job].due = SL_NEVER; /* Its event was this one. */
	replace_end(pass, job);
}

/* ---- Rates ------------------------------------------------------------------------------------------ */

uint64_t rates_product(const struct sl_pass *pass, uint32_t job)
{
	const struct models *models = pass->models;
	const uint64_t *factor = &models->factor[(size_t)job * models->count];
	uint64_t product = SL_RATE_ONE;
	for (uint32_t i = 0; i < models->count; i++) {
		const unsigned __int128 wide = (unsigned __int128)product * factor[i] >> PART_BITS;
		product = wide < SL_RATE_MAX ? (uint64_t)wide : SL_RATE_MAX;
	}
	return product;
}

void rates_reset(struct sl_pass *pass, uint32_t job)
{
	struct models *models = pass->models;
	for (uint32_t i = 0; i < models->count; i++)
		models->factor[(size_t)job * models->count + i] = SL_RATE_ONE;
}

static bool works(const struct sl_pass *pass, uint32_t job)
{
	return is_running(pass, job) && !pass->course[job].finished;
}

void rates_apply(struct sl_pass *pass)
{
	struct models *models = pass->models;
	for (size_t i = 0; i < models->changed_count; i++) {
		const uint32_t job = models->changed[i];
		const uint64_t rate = rates_product(pass, job);
		models->is_changed[job] = false;
		if (!works(pass, job) || rate == pass->course[job].rate)
			continue;
		course_count(pass, job);
		pass->course[job].rate = rate;
		replace_end(pass, job);
		models_rated(pass, job);
	}
	models->changed_count = 0;
	compact(pass);
}

void sl_model_rate(struct sl_pass *world, sl_job job, uint64_t rate)
{
	struct models *models = world->models;
	if (!works(world, job.row))
		return;
	uint64_t *factor = &models->factor[(size_t)job.row * models->count + models->current];
	const uint64_t wanted = rate < SL_RATE_MAX ? rate : SL_RATE_MAX;
	if (*factor == wanted)
		return;
	*factor = wanted;
	if (models->is_changed[job.row])
		return;
	const int status = SL_GROW_MOST(models->changed, models->changed_capacity, models->changed_count + 1,
		UINT32_MAX, &world->err);
	if (status) {
		pass_failed(world, status);
		return;
	}
	models->is_changed[job.row] = true;
	models->changed[models->changed_count++] = job.row;
}

uint64_t sl_rate_of(const struct sl_pass *world, sl_job job)
{
	return world->models ? rates_product(world, job.row) : SL_RATE_ONE;
}

uint64_t sl_model_works(const struct sl_pass *world, sl_job job)
{
	const struct models *models = world->models;
	const uint64_t *factor = &models->factor[(size_t)job.row * models->count];
	uint64_t works = SL_RATE_ONE;
	for (uint32_t i = 0; i < models->count; i++) {
		uint64_t part = factor[i] < SL_RATE_ONE ? factor[i] : SL_RATE_ONE;
		if (i == models->current || (models->of[i].model->sizes && part))
			part = SL_RATE_ONE;
		works = (uint64_t)((unsigned __int128)works * part >> PART_BITS);
	}
	return works;
}

sl_time sl_done_of(const struct sl_pass *world, sl_job job)
{
	if (!world->models)
		return 0;
	return course_done(world, job.row, &world->course[job.row], is_running(world, job.row), NULL);
}

sl_time sl_kept_of(const struct sl_pass *world, sl_job job)
{
	return world->models ? world->course[job.row].done_kept : 0;
}

sl_time sl_reaches(const struct sl_pass *world, sl_job job, sl_time work)
{
	if (!world->models || !works(world, job.row))
		return SL_NEVER;
	const sl_time at = done_at(world, job.row, &world->course[job.row], work);
	return at > world->now ? at : world->now;
}
