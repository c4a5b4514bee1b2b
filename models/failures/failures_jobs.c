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

enum { HELD_AGAIN = 60 }; /* Seconds until a job that a model holds is looked at again. */

int64_t failures_times(int64_t count, sl_time span, int64_t parts)
{
	return sl_mul_div(count, span, 1000 * sl_parts(parts));
}

static sl_job job_of(uint32_t row) { return (sl_job){ row }; }

static int64_t gpu_time(const struct failures *f, struct sl_pass *world, uint32_t job, sl_time span)
{
	return failures_times(sl_asks(world, job_of(job), SL_KIND_GPUS), span, f->setup.cluster->gpu_parts);
}

static sl_time work_of(struct sl_pass *world, uint32_t job)
{
	return sl_done_of(world, job_of(job)) + sl_kept_of(world, job_of(job));
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

static bool is_among(const uint32_t *node, uint32_t count, uint32_t which)
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

static bool is_on(struct sl_pass *world, uint32_t job, const uint32_t *node, uint32_t count)
{
	const struct sl_piece *piece;
	const size_t pieces = sl_pieces_of(world, job_of(job), &piece);
	for (size_t i = 0; i < pieces; i++)
		if (is_among(node, count, piece[i].node))
			return true;
	for (uint32_t i = 0; !pieces && i < count; i++) /* Suspended: it is not said where. */
		if (sl_holds_on(world, job_of(job), node[i]))
			return true;
	return false;
}

bool failures_node_in_use(struct failures *f, struct sl_pass *world, uint32_t node)
{
	for (uint32_t i = 0; i < f->running_count; i++)
		if (is_on(world, f->running[i], &node, 1))
			return true;
	return false;
}

/* Each node once: pieces of one job on a node, of several groups, follow each other or not. */
static uint32_t nodes_held(struct sl_pass *world, uint32_t job)
{
	const struct sl_piece *piece;
	const size_t pieces = sl_pieces_of(world, job_of(job), &piece);
	uint32_t count = 0;
	for (size_t i = 0; i < pieces; i++) {
		bool seen = false;
		for (size_t k = i; k-- > 0 && piece[i].group != piece[0].group;)
			seen |= piece[k].node == piece[i].node;
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
static void fail_job(struct failures *f, struct sl_pass *world, uint32_t row, uint32_t record,
	enum sl_state state, bool again)
{
	struct fail_job *job = &f->job[row];
	const enum sl_state now = sl_state_of(world, job_of(row));
	if (!job->at || job->hit || record == UINT32_MAX || (now != SL_RUNNING && now != SL_SUSPENDED))
		return;
	job->hit = record + 1;
	job->work = work_of(world, row);
	job->failed = again ? sl_now(world) : SL_NONE;
	job->failures++;
	f->record[record].jobs++;
	f->cause[f->record[record].cause].jobs++;
	sl_model_fail(world, job_of(row), state, again);
	if (again && f->options.backoff > 0)
		sl_model_hold_until(world, job_of(row), failures_later(sl_now(world), f->options.backoff));
}

static bool may_again(const struct failures *f, const struct fail_job *job)
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
	struct failures *f, struct sl_pass *world, const uint32_t *node, uint32_t count, uint32_t record)
{
	uint32_t victims = 0;
	for (uint32_t i = 0; i < f->running_count; i++)
		if (is_on(world, f->running[i], node, count))
			take_victim(f, f->running[i], &victims);
	victims = with_gangs(f, victims);
	for (uint32_t i = 0; i < victims; i++)
		fail_job(f, world, f->victim[i], record, SL_NODE_FAIL, may_again(f, &f->job[f->victim[i]]));
}

/* Of its own, or by a hidden fault; its gang with it. */
static void fail_own(
	struct failures *f, struct sl_pass *world, uint32_t row, uint32_t record, enum sl_state state)
{
	uint32_t victims = 0;
	take_victim(f, row, &victims);
	victims = with_gangs(f, victims);
	for (uint32_t i = 0; i < victims; i++) {
		struct fail_job *job = &f->job[f->victim[i]];
		const bool again = job->own < f->options.retries && may_again(f, job);
		job->own++;
		fail_job(f, world, f->victim[i], record, state, again);
	}
}

static void account_loss(struct failures *f, struct sl_pass *world, uint32_t row, enum sl_left how)
{
	struct fail_job *job = &f->job[row];
	struct fail_record *record = &f->record[job->hit - 1];
	struct fail_cause *cause = &f->cause[record->cause];
	const sl_time kept = how == SL_LEFT_END ? 0 : sl_kept_of(world, job_of(row));
	const sl_time lost = job->work > kept ? job->work - kept : 0;
	const int64_t gpu = gpu_time(f, world, row, lost);
	cause->lost += failures_times(job->nodes, lost, 1);
	cause->lost_gpu += gpu;
	record->lost_gpu += gpu;
	if (how == SL_LEFT_END)
		job->failed = SL_NONE;
}

void failures_job_left(struct failures *f, struct sl_pass *world, uint32_t row, enum sl_left how)
{
	struct fail_job *job = &f->job[row];
	if (!job->at)
		return;
	const sl_time now = sl_now(world);
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
		account_loss(f, world, row, how);
	if (how == SL_LEFT_END) {
		job->ended = now;
		job->productive = job->hit ? 0 : work_of(world, row);
		f->useful += failures_times(job->nodes, job->productive, 1);
		f->useful_gpu += gpu_time(f, world, row, job->productive);
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

static sl_time part_of(double part, sl_time run)
{
	const sl_time at = (sl_time)floor(part * (double)run);
	return at < run ? at : run - 1;
}

/* Always the same six uniforms, in this order. */
static void draw_attempt(struct failures *f, struct sl_pass *world, uint32_t row)
{
	const struct fail_options *o = &f->options;
	struct fail_job *job = &f->job[row];
	struct sl_rng rng = attempt_stream(f, row);
	const double hazard = sl_rng_unit(&rng), fails = sl_rng_unit(&rng), at = sl_rng_unit(&rng),
		     cancels = sl_rng_unit(&rng), cancel_at = sl_rng_unit(&rng), oom = sl_rng_unit(&rng);
	const sl_time run = f->setup.jobs->run[row];
	const int64_t parts = sl_parts(f->setup.cluster->gpu_parts);
	const double gpus = (double)sl_asks(world, job_of(row), SL_KIND_GPUS) / (double)parts;
	const double rate = o->job_rate + o->gpu_rate * gpus;
	if (rate > 0)
		job->due = failures_later(sl_now(world), failures_exponential(1 / rate, hazard));
	job->due_state = oom < o->oom_share ? SL_OUT_OF_MEMORY : SL_FAILED;
	if (fails < o->job_share)
		job->due_work = part_of(o->job_at < 0 ? at : o->job_at, run);
	/* Of the job, not of its attempts: a user who was going to cancel does so once. */
	if (job->attempt == 1 && cancels < o->cancel_share && part_of(cancel_at, run) < job->due_work) {
		job->due_work = part_of(cancel_at, run);
		job->due_state = SL_CANCELLED;
	}
}

static void look_at_work(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	const sl_time left = job->due_work - work_of(world, row);
	const uint64_t rate = sl_rate_of(world, job_of(row));
	sl_time wait = HELD_AGAIN * SL_SECOND;
	if (rate > 0)
		wait = sl_mul_div(left > 1 ? left : 1, (int64_t)SL_RATE_ONE, (int64_t)rate);
	job->wake = failures_later(sl_now(world), wait);
	failures_wake(world, job->wake, FAIL_T_WORK, row);
}

static void begin_attempt(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	job->attempt++;
	job->due = job->hurt = job->due_work = job->wake = SL_NEVER;
	if (job->first == SL_NONE)
		job->first = sl_now(world);
	if (job->failed != SL_NONE) {
		f->restart += failures_times(job->nodes, sl_now(world) - job->failed, 1);
		f->restart_gpu += gpu_time(f, world, row, sl_now(world) - job->failed);
		job->failed = SL_NONE;
	}
	if (!f->fails_jobs || (log_says_failed(f, row) && !f->options.recorded_too))
		return;
	draw_attempt(f, world, row);
	failures_wake(world, job->due, FAIL_T_JOB, row);
	if (job->due_work != SL_NEVER)
		look_at_work(f, world, row);
}

/* A job that was suspended goes on: what is to come is later by the time that it stood still. */
static void resume(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	const sl_time still = sl_now(world) - job->paused;
	job->paused = SL_NONE;
	job->due = failures_later(job->due, still);
	job->hurt = failures_later(job->hurt, still);
	failures_wake(world, job->due, FAIL_T_JOB, row);
	failures_wake(world, job->hurt, FAIL_T_HURT, row);
	if (job->due_work != SL_NEVER)
		look_at_work(f, world, row);
}

static void hurt_by(struct failures *f, struct sl_pass *world, uint32_t row, uint32_t node)
{
	struct fail_job *job = &f->job[row];
	const double u = sl_rng_unit(&f->node[node].hurt_rng);
	const sl_time at = failures_later(sl_now(world), failures_exponential(f->options.hidden_mean, u));
	if (at >= job->hurt)
		return;
	job->hurt = at;
	failures_wake(world, at, FAIL_T_HURT, row);
}

void failures_job_started(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (job->paused != SL_NONE)
		resume(f, world, row);
	else if (job->at) /* Of another size now. */
		failures_bin_held(f, job, sl_now(world), false);
	else {
		job->nodes = nodes_held(world, row);
		begin_attempt(f, world, row);
		running_add(f, row);
	}
	job->nodes = nodes_held(world, row);
	job->started = sl_now(world);
	if (!(f->options.hidden > 0))
		return;
	const struct sl_piece *piece;
	const size_t pieces = sl_pieces_of(world, job_of(row), &piece);
	for (size_t i = 0; i < pieces; i++)
		if (f->node[piece[i].node].state == FAIL_FAULTY)
			hurt_by(f, world, row, piece[i].node);
}

void failures_hurt_node(struct failures *f, struct sl_pass *world, uint32_t node)
{
	for (uint32_t i = 0; i < f->running_count; i++)
		if (f->job[f->running[i]].paused == SL_NONE && is_on(world, f->running[i], &node, 1))
			hurt_by(f, world, f->running[i], node);
}

/* ---- Timers ----------------------------------------------------------------------------- */

static const char *id_of(const struct failures *f, uint32_t row)
{
	const struct sl_jobs *jobs = f->setup.jobs;
	if (jobs->id_name && jobs->id_name[row])
		return jobs->id_name[row];
	char text[32];
	char *end = sl_put_i64(text, jobs->id[row]);
	return sl_strdup(f->setup.arena, text, (size_t)(end - text));
}

static uint32_t own_record(struct failures *f, struct sl_pass *world, uint32_t row, uint32_t cause)
{
	const uint32_t record = failures_record(f, sl_now(world), id_of(f, row), cause);
	f->cause[cause].count++;
	if (record != UINT32_MAX)
		f->record[record].until = sl_now(world);
	return record;
}

static void fail_by_itself(struct failures *f, struct sl_pass *world, uint32_t row)
{
	const enum sl_state state = (enum sl_state)f->job[row].due_state;
	const uint32_t cause = state == SL_OUT_OF_MEMORY ? f->cause_oom : f->cause_job;
	fail_own(f, world, row, own_record(f, world, row, cause), state);
}

void failures_job_due(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->due != sl_now(world))
		return;
	if (job->due_state == SL_CANCELLED)
		job->due_state = SL_FAILED;
	fail_by_itself(f, world, row);
}

void failures_job_work(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->wake != sl_now(world))
		return;
	if (work_of(world, row) < job->due_work) {
		look_at_work(f, world, row);
		return;
	}
	if (job->due_state != SL_CANCELLED) {
		fail_by_itself(f, world, row);
		return;
	}
	(void)own_record(f, world, row, f->cause_cancel);
	sl_model_cancel(world, job_of(row));
}

void failures_job_hurt(struct failures *f, struct sl_pass *world, uint32_t row)
{
	struct fail_job *job = &f->job[row];
	if (!job->at || job->paused != SL_NONE || job->hurt != sl_now(world))
		return;
	const struct sl_piece *piece;
	const size_t pieces = sl_pieces_of(world, job_of(row), &piece);
	for (size_t i = 0; i < pieces; i++) {
		const struct fail_node *node = &f->node[piece[i].node];
		const bool faulty = node->state == FAIL_FAULTY || node->state == FAIL_DRAINING;
		if (!faulty || !node->now.hidden)
			continue;
		fail_own(f, world, row, node->record, SL_FAILED);
		return;
	}
}
