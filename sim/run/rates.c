/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rates.c - end events, and estimates that run out before them; and with models how fast jobs work.
 *
 * A job works at the product of what each model says of it (a factor of 1 is SL_RATE_ONE): products are
 * rounded down to 2^-32 in the order of the models. Work is counted exactly, in microseconds and 2^-32 of
 * them: in whole microseconds of time at the size that it has (as without models: course.c), times the rate.
 * An end is at the first microsecond at which the work is done. When a rate changes, work so far is counted
 * at the old one, and the job's end event is replaced, its alone; the same rate again changes nothing. What
 * limit and estimate count is time, whatever the rate.
 */
#include "sim/run/models.h"

/* ---- End events ------------------------------------------------------------------------------ */

/* Where a pass may come before the timers of its instant, it must not meet an estimate that has run out. */
static bool expiries_first(const struct sl_pass *pass)
{
	return pass->scenario->rules.submits_first || pass->scenario->rules.pass_per_event;
}

/* The job will outlive its estimate: the plan learns of it then, not before. */
int note_overrun(struct sl_pass *pass, uint32_t job)
{
	const sl_time at = expected_end(pass, job);
	if (is_controlled(pass))
		return SL_OK; /* Plans are the policy's own. */
	if (at <= pass->settled)
		return SL_OK; /* It is known already. */
	int status = evq_push(&pass->overruns, at, SL_EV_TIMER, job, &pass->err);
	if (!status && pass->uses & SL_USE_EXPIRY)
		status = evq_push(expiries_first(pass) ? &pass->expiries : &pass->events, at, SL_EV_TIMER,
			job, &pass->err);
	return status;
}

/* As note_overrun: of a job that runs on past it. */
void past_expires(struct sl_pass *pass, uint32_t job)
{
	const sl_time estimate = pass->estimate[job];
	if (!(pass->uses & SL_USE_EXPIRY) || estimate >= length_of(pass, job, NULL))
		return;
	pass_failed(pass, evq_push(pass->expiring, time_after(pass->start[job], estimate), SL_EV_TIMER, job,
				  &pass->err));
}

void past_estimate(struct sl_pass *pass, uint32_t job, sl_time estimate)
{
	SL_CHECK(time_after(pass->start[job], estimate) > pass->now);
	pass->estimate_own[job] = estimate;
	past_expires(pass, job);
}

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

static int rates_note_end(struct sl_pass *pass, uint32_t job)
{
	if (!is_running(pass, job))
		return SL_OK; /* It was preempted again, in the same pass. */
	const int status = push_end(pass, job);
	return status ? status : note_late(pass, job);
}

/* Running since pass->start (or as its course says); and a note if its estimate comes before its end. */
int note_end(struct sl_pass *pass, uint32_t job)
{
	enum sl_event_class class;
	if (pass->course && pass->models)
		return rates_note_end(pass, job);
	const sl_time length = length_of(pass, job, &class);
	if (pass->course && pass->course[job].due == SL_NEVER)
		return SL_OK; /* It was preempted again, in the same pass. */
	const sl_time due = pass->course ? pass->course[job].due : time_after(pass->start[job], length);
	int status = evq_push(&pass->events, due, class, job, &pass->err);
	if (!status && expected_end(pass, job) < due)
		status = note_overrun(pass, job);
	return status;
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
	rates_due(pass, job, &pass->course[job]);
	int status = SL_OK;
	if (was != SL_NEVER)
		status = intset_add(
			&pass->models->replaced, (int64_t)pass->models->end_seq[job], &fresh, &pass->err);
	if (!status)
		status = push_end(pass, job);
	if (!status)
		status = note_late(pass, job);
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

/* ---- Rates ----------------------------------------------------------------------------------- */

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

static void models_rated(struct sl_pass *pass, uint32_t job)
{
	struct models *models = pass->models;
	const uint32_t asker = models->current;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->knows[job] >> i & 1 && models->of[i].model->rated)
			models->of[i].model->rated(models->of[i].state, pass, (sl_job){ job });
	}
	models->current = asker;
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
	const sl_time at = course_done_at(world, job.row, &world->course[job.row], work);
	return at > world->now ? at : world->now;
}
