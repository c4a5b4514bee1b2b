/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speeds.c - end events, estimates that run out before them, and with models jobs' speeds.
 *
 * A job's speed is the product of the models' factors (1 is SL_SPEED_ONE): products are
 * rounded down to 2^-32 in the order of the models. Work is counted exactly, in microseconds and 2^-32 of
 * them: in whole microseconds of time at the size that it has (as without models: job_progress.c), times the
 * speed. An end is at the first microsecond at which the work is done. When a speed changes, work so far is
 * counted at the old one, and the end event of this job alone is replaced; an equal speed changes nothing.
 * Limit and estimate count time, whatever the speed.
 */
#include "sim/run/models.h"

/* ---- End events ------------------------------------------------------------------------------ */

/* Where a pass may come before the timers of its instant, it must not meet an estimate that has run out. */
static bool expiries_first(const struct sim *sim)
{
	return sim->scenario->rules.submits_first || sim->scenario->rules.pass_per_event;
}

/* The job will outlive its estimate: the plan learns of it then, not before. */
int note_overrun(struct sim *sim, uint32_t job)
{
	const sl_time at = expected_end(sim, job);
	if (is_controlled(sim))
		return SL_OK; /* Plans are the policy's own. */
	if (at <= sim->settled)
		return SL_OK; /* It is known already. */
	int status = evq_push(&sim->overruns, at, SL_EV_TIMER, job, &sim->err);
	if (!status && sim->uses & SL_USE_EXPIRY)
		status = evq_push(
			expiries_first(sim) ? &sim->expiries : &sim->events, at, SL_EV_TIMER, job, &sim->err);
	return status;
}

/* As note_overrun: of a job that outlives it. */
void history_expires(struct sim *sim, uint32_t job)
{
	const sl_time estimate = sim->estimate[job];
	if (!(sim->uses & SL_USE_EXPIRY) || estimate >= length_of(sim, job, NULL))
		return;
	pass_failed(sim,
		evq_push(sim->expiring, time_after(sim->start[job], estimate), SL_EV_TIMER, job, &sim->err));
}

void past_estimate(struct sim *sim, uint32_t job, sl_time estimate)
{
	SL_CHECK(time_after(sim->start[job], estimate) > sim->now);
	sim->estimate_own[job] = estimate;
	history_expires(sim, job);
}

/* It outlives its estimate: recorded once. */
static int note_late(struct sim *sim, uint32_t job)
{
	const sl_time expected = expected_end(sim, job);
	if (expected >= sim->progress[job].due || sim->models->noted[job] == expected)
		return SL_OK;
	sim->models->noted[job] = expected;
	return note_overrun(sim, job);
}

static int push_end(struct sim *sim, uint32_t job)
{
	const struct progress *progress = &sim->progress[job];
	if (progress->due == SL_NEVER)
		return SL_OK;
	sim->models->end_seq[job] = sim->events.seq;
	return evq_push(&sim->events, progress->due, progress->cut ? SL_EV_TIME_LIMIT : SL_EV_JOB_END, job,
		&sim->err);
}

static int speeds_note_end(struct sim *sim, uint32_t job)
{
	if (!is_running(sim, job))
		return SL_OK; /* It was preempted again, in the same pass. */
	const int status = push_end(sim, job);
	return status ? status : note_late(sim, job);
}

/* Running since sim->start (or as its progress says); and a note if its estimate comes before its end. */
int note_end(struct sim *sim, uint32_t job)
{
	enum sl_event_class class;
	if (sim->progress && sim->models)
		return speeds_note_end(sim, job);
	const sl_time length = length_of(sim, job, &class);
	if (sim->progress && sim->progress[job].due == SL_NEVER)
		return SL_OK; /* It was preempted again, in the same pass. */
	const sl_time due = sim->progress ? sim->progress[job].due : time_after(sim->start[job], length);
	int status = evq_push(&sim->events, due, class, job, &sim->err);
	if (!status && expected_end(sim, job) < due)
		status = note_overrun(sim, job);
	return status;
}

bool speeds_replaced(const struct sim *sim, const struct ev *ev)
{
	return intset_has(&sim->models->replaced, (int64_t)ev->seq);
}

static bool is_not_replaced(void *self, const struct ev *ev) { return !speeds_replaced(self, ev); }

/* Once half of all events are of rates that were. */
static void compact(struct sim *sim)
{
	struct intset *replaced = &sim->models->replaced;
	if (replaced->count < 64 || replaced->count < sim->events.count / 2)
		return;
	evq_keep(&sim->events, is_not_replaced, sim);
	intset_release(replaced);
}

/* Another speed, or it keeps its allocation now: its end event is replaced. */
static void replace_end(struct sim *sim, uint32_t job)
{
	const struct progress *progress = &sim->progress[job];
	const sl_time was = progress->due;
	bool fresh;
	speeds_due(sim, job, &sim->progress[job]);
	int status = SL_OK;
	if (was != SL_NEVER)
		status = intset_add(
			&sim->models->replaced, (int64_t)sim->models->end_seq[job], &fresh, &sim->err);
	if (!status)
		status = push_end(sim, job);
	if (!status)
		status = note_late(sim, job);
	pass_failed(sim, status);
}

void speeds_done(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	progress_count(sim, job);
	progress->done = sim->jobs->run[job] - progress->done_kept;
	progress->done_part = 0;
	progress->finished = true;
}

void speeds_pause(struct sim *sim, uint32_t job)
{
	sim->progress[job].due = SL_NEVER; /* Its event was this one. */
	replace_end(sim, job);
}

/* ---- Rates ----------------------------------------------------------------------------------- */

uint64_t speeds_product(const struct sim *sim, uint32_t job)
{
	const struct models *models = sim->models;
	const uint64_t *factor = &models->factor[(size_t)job * models->count];
	uint64_t product = SL_SPEED_ONE;
	for (uint32_t i = 0; i < models->count; i++) {
		const unsigned __int128 wide = (unsigned __int128)product * factor[i] >> PART_BITS;
		product = wide < SL_SPEED_MAX ? (uint64_t)wide : SL_SPEED_MAX;
	}
	return product;
}

void speeds_reset(struct sim *sim, uint32_t job)
{
	struct models *models = sim->models;
	for (uint32_t i = 0; i < models->count; i++)
		models->factor[(size_t)job * models->count + i] = SL_SPEED_ONE;
}

static bool works(const struct sim *sim, uint32_t job)
{
	return is_running(sim, job) && !sim->progress[job].finished;
}

static void models_speed_changed(struct sim *sim, uint32_t job)
{
	struct models *models = sim->models;
	const uint32_t asker = models->current;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->knows[job] >> i & 1 && models->of[i].model->speed_changed)
			models->of[i].model->speed_changed(models->of[i].state, sim, (sl_job){ job });
	}
	models->current = asker;
}

void speeds_apply(struct sim *sim)
{
	struct models *models = sim->models;
	for (size_t i = 0; i < models->changed_count; i++) {
		const uint32_t job = models->changed[i];
		const uint64_t speed = speeds_product(sim, job);
		models->is_changed[job] = false;
		if (!works(sim, job) || speed == sim->progress[job].speed)
			continue;
		progress_count(sim, job);
		sim->progress[job].speed = speed;
		replace_end(sim, job);
		models_speed_changed(sim, job);
	}
	models->changed_count = 0;
	compact(sim);
}

void sl_model_speed(struct sim *sim, sl_job job, uint64_t speed)
{
	struct models *models = sim->models;
	if (!works(sim, job.row))
		return;
	uint64_t *factor = &models->factor[(size_t)job.row * models->count + models->current];
	const uint64_t wanted = speed < SL_SPEED_MAX ? speed : SL_SPEED_MAX;
	if (*factor == wanted)
		return;
	*factor = wanted;
	if (models->is_changed[job.row])
		return;
	const int status = SL_GROW_MOST(
		models->changed, models->changed_capacity, models->changed_count + 1, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	models->is_changed[job.row] = true;
	models->changed[models->changed_count++] = job.row;
}

uint64_t sl_speed_of(const struct sim *sim, sl_job job)
{
	return sim->models ? speeds_product(sim, job.row) : SL_SPEED_ONE;
}

uint64_t sl_model_works(const struct sim *sim, sl_job job)
{
	const struct models *models = sim->models;
	const uint64_t *factor = &models->factor[(size_t)job.row * models->count];
	uint64_t works = SL_SPEED_ONE;
	for (uint32_t i = 0; i < models->count; i++) {
		uint64_t part = factor[i] < SL_SPEED_ONE ? factor[i] : SL_SPEED_ONE;
		if (i == models->current || (models->of[i].model->sizes && part))
			part = SL_SPEED_ONE;
		works = (uint64_t)((unsigned __int128)works * part >> PART_BITS);
	}
	return works;
}

sl_time sl_done_of(const struct sim *sim, sl_job job)
{
	if (!sim->models)
		return 0;
	return progress_done(sim, job.row, &sim->progress[job.row], is_running(sim, job.row), NULL);
}

sl_time sl_kept_of(const struct sim *sim, sl_job job)
{
	return sim->models ? sim->progress[job.row].done_kept : 0;
}

sl_time sl_reaches(const struct sim *sim, sl_job job, sl_time work)
{
	if (!sim->models || !works(sim, job.row))
		return SL_NEVER;
	const sl_time at = progress_done_at(sim, job.row, &sim->progress[job.row], work);
	return at > sim->now ? at : sim->now;
}
