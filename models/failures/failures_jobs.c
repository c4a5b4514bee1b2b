/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_jobs.c - jobs fail with their nodes, by themselves, or are cancelled; what that costs.
 *
 * A job's own failures are drawn for each attempt from a stream of its own
 * ("models/failures/job/ID/ATTEMPT"), so that they are the same under all policies. Rates count the time
 * that it holds nodes; shares are of its work.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "models/failures/failures.h"

enum { HELD_RETRY = 60 }; /* Seconds until a job that a model holds is looked at again. */

int64_t failures_times(int64_t count, sl_time range, int64_t parts)
{
	return sl_mul_div(count, range, 1000 * sl_parts(parts));
}

static sl_job failures_jobs_job_of(uint32_t row) { return (sl_job){ row }; }

static int64_t gpu_time(const struct failures *f, struct sim *sim, uint32_t job, sl_time range)
{
	return failures_times(
		sl_asks(sim, failures_jobs_job_of(job), SL_KIND_GPUS), range, f->setup.cluster->gpu_parts);
}

static sl_time failures_jobs_work_of(struct sim *sim, uint32_t job)
{
	return sl_done_of(sim, failures_jobs_job_of(job)) + sl_kept_of(sim, failures_jobs_job_of(job));
}

/* ---- Who runs where --------------------------------------------------------------- */

static void running_add(struct failures *f, uint32_t job)
{
	f->running[f->running_count++] = job;
	f->job[job].at = f->running_count;
}

static void running_drop(struct failures *f, uint32_t job)
{
	const uint32_t place = f->job[job].at - 1, last = f->running[--f->running_count];
	f->running[place] = last;
	f->job[last].at = place + 1;
	f->job[job].at = 0;
}

static bool failures_jobs_is_among(const uint32_t *node, uint32_t count, uint32_t which)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (node[middle] < which)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && node[low] == which;
}

static bool is_on(struct sim *sim, uint32_t job, const uint32_t *node, uint32_t count)
{
	const struct sl_node_tasks *alloc;
	const size_t allocs = sl_node_tasks_of(sim, failures_jobs_job_of(job), &alloc);
	for (size_t i = 0; i < allocs; i++)
		if (failures_jobs_is_among(node, count, alloc[i].node))
			return true;
	for (uint32_t i = 0; !allocs && i < count; i++) /* Suspended: it is not said where. */
		if (sl_holds_on(sim, failures_jobs_job_of(job), node[i]))
			return true;
	return false;
}

bool failures_node_in_use(struct failures *f, struct sim *sim, uint32_t node)
{
	for (uint32_t i = 0; i < f->running_count; i++)
		if (is_on(sim, f->running[i], &node, 1))
			return true;
	return false;
}

/* Each node once: allocations of one job on a node, of several groups, follow each other or not. */
static uint32_t nodes_held(struct sim *sim, uint32_t job)
{
	const struct sl_node_tasks *alloc;
	const size_t allocs = sl_node_tasks_of(sim, failures_jobs_job_of(job), &alloc);
	uint32_t count = 0;
	for (size_t i = 0; i < allocs; i++) {
		bool seen = false;
		for (size_t k = i; k-- > 0 && alloc[i].group != alloc[0].group;)
			seen |= alloc[k].node == alloc[i].node;
		count += !seen;
	}
	return count > 0 ? count : 1;
}

void failures_bin_held(struct failures *f, struct fail_job *job, sl_time now, bool over)
{
	uint32_t bin = 0;
	while (bin + 1 < FAIL_BINS && job->nodes >> (bin + 1))
		bin++;
	const sl_time held = job->paused == SL_NONE ? now - job->started : 0;
	f->bin[bin].held += failures_times(1, held, 1);
	f->bin[bin].node_held += failures_times(job->nodes, held, 1);
	f->bin[bin].attempts += over;
	f->bin[bin].failures += job->hit > 0;
}

/* ---- A job fails ------------------------------------------------------------------- */

/* What of its work is lost is known once it has left. */
static void fail_job(
	struct failures *f, struct sim *sim, uint32_t row, uint32_t record, enum sl_state state, bool retry)
{
	struct fail_job *job = &f->job[row];
	const enum sl_state now = sl_state_of(sim, failures_jobs_job_of(row));
	if (!job->at || job->hit || record == UINT32_MAX || (now != SL_RUNNING && now != SL_SUSPENDED))
		return;
	job->hit = record + 1;
	job->work = failures_jobs_work_of(sim, row);
	job->failed = retry ? sl_now(sim) : SL_NONE;
	job->failures++;
	f->record[record].jobs++;
	f->cause[f->record[record].cause].jobs++;
	sl_model_fail(sim, failures_jobs_job_of(row), state, retry);
	if (retry && f->options.backoff > 0)
		sl_model_defer_until(
			sim, failures_jobs_job_of(row), failures_later(sl_now(sim), f->options.backoff));
}

static bool may_retry(const struct failures *f, const struct fail_job *job)
{
	return !f->options.attempts || job->attempt < f->options.attempts;
}

static void take_victim(struct failures *f, uint32_t row, uint32_t *victims)
{
	if (f->job[row].victim)
		return;
	f->job[row].victim = true;
	f->victim[(*victims)++] = row;
}

/* The first `count` victims, and their gangs, if these fail together. */
static uint32_t with_gangs(struct failures *f, uint32_t count)
{
	const int32_t *gang = f->setup.jobs->gang;
	uint32_t victims = count;
	for (uint32_t i = 0; i < count && gang && f->options.gangs; i++)
		for (uint32_t k = 0; k < f->running_count && gang[f->victim[i]] >= 0; k++)
			if (gang[f->running[k]] == gang[f->victim[i]])
				take_victim(f, f->running[k], &victims);
	for (uint32_t i = 0; i < victims; i++)
		f->job[f->victim[i]].victim = false;
	return victims;
}

void failures_hit_nodes(
	struct failures *f, struct sim *sim, const uint32_t *node, uint32_t count, uint32_t record)
{
	uint32_t victims = 0;
	for (uint32_t i = 0; i < f->running_count; i++)
		if (is_on(sim, f->running[i], node, count))
			take_victim(f, f->running[i], &victims);
	victims = with_gangs(f, victims);
	for (uint32_t i = 0; i < victims; i++)
		fail_job(f, sim, f->victim[i], record, SL_NODE_FAIL, may_retry(f, &f->job[f->victim[i]]));
}

/* Of its own, or by a hidden fault; its gang with it. */
static void fail_own(struct failures *f, struct sim *sim, uint32_t row, uint32_t record, enum sl_state state)
{
	uint32_t victims = 0;
	take_victim(f, row, &victims);
	victims = with_gangs(f, victims);
	for (uint32_t i = 0; i < victims; i++) {
		struct fail_job *job = &f->job[f->victim[i]];
		const bool retry = job->own < f->options.retries && may_retry(f, job);
		job->own++;
		fail_job(f, sim, f->victim[i], record, state, retry);
	}
}

static void account_loss(struct failures *f, struct sim *sim, uint32_t row, enum sl_left how)
{
	struct fail_job *job = &f->job[row];
	struct fail_record *record = &f->record[job->hit - 1];
	struct fail_cause *cause = &f->cause[record->cause];
	const sl_time kept = how == SL_LEFT_END ? 0 : sl_kept_of(sim, failures_jobs_job_of(row));
	const sl_time lost = job->work > kept ? job->work - kept : 0;
	const int64_t gpu = gpu_time(f, sim, row, lost);
	cause->lost += failures_times(job->nodes, lost, 1);
	cause->lost_gpu += gpu;
	record->lost_gpu += gpu;
	if (how == SL_LEFT_END)
		job->failed = SL_NONE;
}

void failures_job_left(struct failures *f, struct sim *sim, uint32_t row, enum sl_left how)
{
	struct fail_job *job = &f->job[row];
	if (!job->at)
		return;
	const sl_time now = sl_now(sim);
	f->left_now = true;
	failures_bin_held(f, job, now, how != SL_LEFT_SUSPEND);
	if (how == SL_LEFT_SUSPEND) { /* It fails with its nodes all the same. */
		job->paused = now;
		return;
	}
	running_drop(f, row);
	job->paused = SL_NONE;
	job->due = job->hurt = job->due_work = job->wake = SL_NEVER;
	if (job->hit)
		account_loss(f, sim, row, how);
	if (how == SL_LEFT_END) {
		job->ended = now;
		job->productive = job->hit ? 0 : failures_jobs_work_of(sim, row);
		f->useful += failures_times(job->nodes, job->productive, 1);
		f->useful_gpu += gpu_time(f, sim, row, job->productive);
	}
	job->hit = 0;
}

/* ---- What is to come of an attempt ----------------------------------------------------- */

static bool log_says_failed(const struct failures *f, uint32_t job)
{
	const struct sl_jobs *jobs = f->setup.jobs;
	if (!jobs->more_of || !jobs->more_of[job])
		return false;
	const enum sl_state state = jobs->more[jobs->more_of[job]].state_recorded;
	return state != SL_PENDING && state != SL_COMPLETED;
}

static struct sl_rng attempt_stream(const struct failures *f, uint32_t row)
{
	const struct sl_jobs *jobs = f->setup.jobs;
	char path[200];
	if (jobs->id_name && jobs->id_name[row])
		snprintf(path, sizeof(path), "models/failures/job/%.100s/%" PRIu32, jobs->id_name[row],
			f->job[row].attempt);
	else
		snprintf(path, sizeof(path), "models/failures/job/%" PRId64 "/%" PRIu32, jobs->id[row],
			f->job[row].attempt);
	return sl_rng_stream(f->setup.seed, path);
}

static sl_time failures_jobs_part_of(double part, sl_time run)
{
	const sl_time at = (sl_time)floor(part * (double)run);
	return at < run ? at : run - 1;
}

/* Always the same six uniforms, in this order. */
static void draw_attempt(struct failures *f, struct sim *sim, uint32_t row)
{
	const struct fail_options *o = &f->options;
	struct fail_job *job = &f->job[row];
	struct sl_rng rng = attempt_stream(f, row);
	const double hazard = sl_rng_unit(&rng), which = sl_rng_unit(&rng), at = sl_rng_unit(&rng),
		     cancels = sl_rng_unit(&rng), cancel_at = sl_rng_unit(&rng), oom = sl_rng_unit(&rng);
	const sl_time run = f->setup.jobs->run[row];
	const int64_t parts = sl_parts(f->setup.cluster->gpu_parts);
	const double gpus = (double)sl_asks(sim, failures_jobs_job_of(row), SL_KIND_GPUS) / (double)parts;
	const double rate = o->job_rate + o->gpu_rate * gpus;
	if (rate > 0)
		job->due = failures_later(sl_now(sim), failures_exponential(1 / rate, hazard));
	job->due_state = oom < o->oom_share ? SL_OUT_OF_MEMORY : SL_FAILED;
	if (which < o->job_share)
		job->due_work = failures_jobs_part_of(o->job_at < 0 ? at : o->job_at, run);
	/* Of the job, not of its attempts: a user who was going to cancel does so once. */
	if (job->attempt == 1 && cancels < o->cancel_share &&
		failures_jobs_part_of(cancel_at, run) < job->due_work) {
		job->due_work = failures_jobs_part_of(cancel_at, run);
		job->due_state = SL_CANCELLED;
	}
}

static void look_at_work(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	const sl_time left = job->due_work - failures_jobs_work_of(sim, row);
	const uint64_t rate = sl_speed_of(sim, failures_jobs_job_of(row));
	sl_time wait = HELD_RETRY * SL_SECOND;
	if (rate > 0)
		wait = sl_mul_div(left > 1 ? left : 1, (int64_t)SL_SPEED_ONE, (int64_t)rate);
	job->wake = failures_later(sl_now(sim), wait);
	failures_wake(sim, job->wake, FAIL_T_WORK, row);
}

static void begin_attempt(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	job->attempt++;
	job->due = job->hurt = job->due_work = job->wake = SL_NEVER;
	if (job->first == SL_NONE)
		job->first = sl_now(sim);
	if (job->failed != SL_NONE) {
		f->restart += failures_times(job->nodes, sl_now(sim) - job->failed, 1);
		f->restart_gpu += gpu_time(f, sim, row, sl_now(sim) - job->failed);
		job->failed = SL_NONE;
	}
	if (!f->failures_cause || (log_says_failed(f, row) && !f->options.recorded_too))
		return;
	draw_attempt(f, sim, row);
	failures_wake(sim, job->due, FAIL_T_JOB, row);
	if (job->due_work != SL_NEVER)
		look_at_work(f, sim, row);
}

/* A job that was suspended goes on: what is to come is later by the time that it stood still. */
static void resume(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	const sl_time still = sl_now(sim) - job->paused;
	job->paused = SL_NONE;
	job->due = failures_later(job->due, still);
	job->hurt = failures_later(job->hurt, still);
	failures_wake(sim, job->due, FAIL_T_JOB, row);
	failures_wake(sim, job->hurt, FAIL_T_HURT, row);
	if (job->due_work != SL_NEVER)
		look_at_work(f, sim, row);
}

static void hurt_by(struct failures *f, struct sim *sim, uint32_t row, uint32_t node)
{
	struct fail_job *job = &f->job[row];
	const double u = sl_rng_unit(&f->node[node].hurt_rng);
	const sl_time at = failures_later(sl_now(sim), failures_exponential(f->options.hidden_mean, u));
	if (at >= job->hurt)
		return;
	job->hurt = at;
	failures_wake(sim, at, FAIL_T_HURT, row);
}

void failures_job_started(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (job->paused != SL_NONE)
		resume(f, sim, row);
	else if (job->at) /* Of another size now. */
		failures_bin_held(f, job, sl_now(sim), false);
	else {
		job->nodes = nodes_held(sim, row);
		begin_attempt(f, sim, row);
		running_add(f, row);
	}
	job->nodes = nodes_held(sim, row);
	job->started = sl_now(sim);
	if (!(f->options.hidden > 0))
		return;
	const struct sl_node_tasks *alloc;
	const size_t allocs = sl_node_tasks_of(sim, failures_jobs_job_of(row), &alloc);
	for (size_t i = 0; i < allocs; i++)
		if (f->node[alloc[i].node].state == FAIL_FAULTY)
			hurt_by(f, sim, row, alloc[i].node);
}

void failures_hurt_node(struct failures *f, struct sim *sim, uint32_t node)
{
	for (uint32_t i = 0; i < f->running_count; i++)
		if (f->job[f->running[i]].paused == SL_NONE && is_on(sim, f->running[i], &node, 1))
			hurt_by(f, sim, f->running[i], node);
}

/* ---- Timers ----------------------------------------------------------------------------- */

static const char *failures_jobs_id_of(const struct failures *f, uint32_t row)
{
	const struct sl_jobs *jobs = f->setup.jobs;
	if (jobs->id_name && jobs->id_name[row])
		return jobs->id_name[row];
	char text[32];
	char *end = sl_put_i64(text, jobs->id[row]);
	return sl_strdup(f->setup.arena, text, (size_t)(end - text));
}

static uint32_t own_record(struct failures *f, struct sim *sim, uint32_t row, uint32_t cause)
{
	const uint32_t record = failures_record(f, sl_now(sim), failures_jobs_id_of(f, row), cause);
	f->cause[cause].count++;
	if (record != UINT32_MAX)
		f->record[record].until = sl_now(sim);
	return record;
}

static void fail_by_itself(struct failures *f, struct sim *sim, uint32_t row)
{
	const enum sl_state state = (enum sl_state)f->job[row].due_state;
	const uint32_t cause = state == SL_OUT_OF_MEMORY ? f->cause_oom : f->cause_job;
	fail_own(f, sim, row, own_record(f, sim, row, cause), state);
}

void failures_job_due(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->due != sl_now(sim))
		return;
	if (job->due_state == SL_CANCELLED)
		job->due_state = SL_FAILED;
	fail_by_itself(f, sim, row);
}

void failures_job_work(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->wake != sl_now(sim))
		return;
	if (failures_jobs_work_of(sim, row) < job->due_work) {
		look_at_work(f, sim, row);
		return;
	}
	if (job->due_state != SL_CANCELLED) {
		fail_by_itself(f, sim, row);
		return;
	}
	(void)own_record(f, sim, row, f->cause_cancel);
	sl_model_cancel(sim, failures_jobs_job_of(row));
}

void failures_job_hurt(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->hurt != sl_now(sim))
		return;
	const struct sl_node_tasks *alloc;
	const size_t allocs = sl_node_tasks_of(sim, failures_jobs_job_of(row), &alloc);
	for (size_t i = 0; i < allocs; i++) {
		const struct fail_node *node = &f->node[alloc[i].node];
		const bool faulty = node->state == FAIL_FAULTY || node->state == FAIL_DRAINING;
		if (!faulty || !node->now.hidden)
			continue;
		fail_own(f, sim, row, node->record, SL_FAILED);
		return;
	}
}
