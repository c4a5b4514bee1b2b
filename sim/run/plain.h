/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.h - what a run does for each job, twice: for any run, and for a plain one, which has none of what
 * makes the others ask (sim.plain). Each function takes `plain` as a constant, so that in one of the two
 * loops of sim.c all such questions are gone, and what is asked rarely is left to the files beside.
 */
#ifndef SL_PLAIN_H
#define SL_PLAIN_H

#include "sim/run/engine.h"

#define SL_INLINED static inline __attribute__((always_inline))

/* ---- Digest ---------------------------------------------------------------------------------- */

/* The product of two 64-bit numbers, folded: each bit of the state reaches all others within two events. */
SL_INLINED uint64_t folded(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

SL_INLINED void digest_fold_of(struct sim *sim, unsigned class, uint32_t row, const bool plain)
{
	const bool job = row < sim->jobs->count && is_of_job(class);
	const uint64_t size = job ? (uint64_t)sim->jobs->size[row] : 0;
	const uint64_t attempt = !plain && job && sim->progress && sim->progress[row].attempts
					 ? sim->progress[row].attempts & 0xff
					 : 1;
	const uint64_t top = class * (UINT64_C(1) << 56);
	const uint64_t what = top | attempt << 48 | (size & 0xffff) << 32 | row;
	uint64_t h = folded(sim->digest ^ UINT64_C(0x9e3779b97f4a7c15),
		(uint64_t)sim->now ^ UINT64_C(0xd6e8feb86659fd93));
	if (!plain && sim->nodes && class == SL_EV_CLASS_COUNT)
		h = digest_nodes(sim, row, h);
	sim->digest =
		folded(h ^ UINT64_C(0xa0761d6478bd642f), what ^ size << 8 ^ UINT64_C(0xe7037ed1a0b428db));
	sim->events_applied++;
	if (sim->options.record & (SIM_RECORD_HISTORY | SIM_RECORD_WATCHED))
		history_happens(sim, class, row);
	if (!(sim->events_applied % (1 << 16)))
		digest_keep(sim);
}

/* ---- Queue ----------------------------------------------------------------------------------- */

SL_INLINED void queue_put_of(struct sim *sim, uint32_t job, const bool plain)
{
	int status = queue_add(&sim->queue, job, &sim->err);
	if (!plain && !status && sim->uses & SL_USE_FILL)
		status = queue_add(&sim->fill, job, &sim->err);
	if (!plain && !status && sim->lanes)
		status = lanes_put(sim, job);
	pass_failed(sim, status);
	if (plain)
		sim->cpus_queued += sim->jobs->size[job];
	else
		allocation_waits(sim, job, 1);
}

SL_INLINED void queue_take_of(struct sim *sim, uint32_t job, const bool plain)
{
	queue_remove(&sim->queue, job);
	if (!plain && sim->uses & SL_USE_FILL)
		queue_remove(&sim->fill, job);
	if (!plain && sim->lanes)
		lanes_take(sim, job);
	if (plain)
		sim->cpus_queued -= sim->jobs->size[job];
	else
		allocation_waits(sim, job, -1);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

SL_INLINED sl_time expected_end_of(const struct sim *sim, uint32_t job, const bool plain)
{
	return plain ? time_after(sim->start[job], sim->estimate[job]) : expected_end(sim, job);
}

SL_INLINED bool make_of(struct sim *sim, uint32_t job, const struct where *where, const bool plain)
{
	const sl_time end = expected_end_of(sim, job, plain);
	if (!plain || sim->windows_ahead || end <= sim->settled)
		return allocation_make(sim, job, where);
	const int64_t cpus = sim->jobs->size[job];
	if (!cluster_fits(&sim->cluster, cpus))
		return false;
	cluster_allocate(&sim->cluster, cpus);
	pass_failed(sim, profile_add(&sim->profile, end, cpus, &sim->err));
	return true;
}

SL_INLINED void release_of(struct sim *sim, uint32_t job, const bool plain)
{
	const sl_time end = expected_end_of(sim, job, plain);
	if (!plain || sim->cluster.cpus_owed || end <= sim->settled) {
		allocation_release(sim, job);
		return;
	}
	pass_failed(sim, profile_add(&sim->profile, end, -(int64_t)sim->jobs->size[job], &sim->err));
	cluster_free(&sim->cluster, sim->jobs->size[job]);
}

SL_INLINED void settle_of(struct sim *sim, const bool plain)
{
	const struct ev *top = evq_top(&sim->overruns);
	if (!plain || sim->overdue_cpus || (top && top->time <= sim->now)) {
		allocation_settle(sim);
		return;
	}
	sim->overdue_at = (sim->now / SL_SECOND + 1) * SL_SECOND;
	sim->settled = sim->now;
}

/* ---- What idles ------------------------------------------------------------------------------ */

/* Of a counted pool, until the next instant: some waiting job would have fitted, or at least some would have
 * been used. */
SL_INLINED void integrate_pool(struct sim *sim, uint64_t length)
{
	const int64_t idle = sim->cluster.cpus_free;
	const int64_t wanted = idle < sim->cpus_queued ? idle : sim->cpus_queued;
	struct idle_sum *sum = sim->running ? &sim->idle[OF_CPUS] : &sim->tail[OF_CPUS];
	if (idle <= 0)
		return;
	sim->tailed |= !sim->running;
	sum->wanted += (unsigned __int128)length * (uint64_t)wanted;
	if (queue_holds(&sim->queue, idle))
		sum->fitting += (unsigned __int128)length * (uint64_t)idle;
}

SL_INLINED void integrate_of(struct sim *sim, sl_time until, const bool plain)
{
	if (!plain || !sim->passes || sim->tail[OF_CPUS].wanted || sim->options.record & SIM_RECORD_HISTORY) {
		integrate(sim, until);
		return;
	}
	const uint64_t length = (uint64_t)(until - sim->accounted);
	sim->accounted = until;
	if (sim->queue.count)
		integrate_pool(sim, length);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Its allocation is released: it is over. */
SL_INLINED void job_over(struct sim *sim, uint32_t job, enum sl_state state)
{
	if (sim->job_state[job] == SL_RUNNING)
		sim->running--;
	sim->ended++;
	sim->end[job] = sim->now;
	sim->job_state[job] = (uint8_t)state;
}

SL_INLINED void end_job_of(struct sim *sim, uint32_t job, enum sl_state state, const bool plain)
{
	if (!plain) {
		end_job(sim, job, state);
		return;
	}
	release_of(sim, job, plain);
	job_over(sim, job, state);
}

/* Its end, or its limit if that comes first and kills. */
SL_INLINED sl_time length_in(
	const struct sim *sim, uint32_t job, enum sl_event_class *class, const bool plain)
{
	const struct sl_jobs *jobs = sim->jobs;
	const bool cut = sim->scenario->overrun == SL_OVERRUN_KILL && (plain || !is_controlled(sim)) &&
			 jobs->limit[job] < jobs->run[job];
	*class = cut ? SL_EV_TIME_LIMIT : SL_EV_JOB_END;
	return cut ? jobs->limit[job] : jobs->run[job];
}

SL_INLINED int note_end_of(struct sim *sim, uint32_t job, const bool plain)
{
	if (!plain)
		return note_end(sim, job);
	enum sl_event_class class;
	const sl_time due = time_after(sim->start[job], length_in(sim, job, &class, plain));
	const int status = evq_push(&sim->events, due, class, job, &sim->err);
	return !status && expected_end_of(sim, job, plain) < due ? note_overrun(sim, job) : status;
}

/* ---- Stops ----------------------------------------------------------------------------------- */

SL_INLINED void poll_of(struct sim *sim)
{
	const struct sim_options *options = &sim->options;
	if ((options->stop && atomic_load_explicit(options->stop, memory_order_relaxed)) ||
		(options->progress && atomic_load_explicit(&options->progress->stop, memory_order_relaxed)))
		pass_poll(sim);
}

/* ---- Passes ---------------------------------------------------------------------------------- */

SL_INLINED void pass_begin_of(struct sim *sim, const bool plain)
{
	settle_of(sim, plain);
	if (!plain && sim->models)
		models_pass_begins(sim);
	sim->wake = SL_NEVER;
	sim->action_count = sim->freed_kept_count = sim->progress_kept_count = 0;
	sim->rule = sim->rule_default;
	sim->beneficiary = UINT32_MAX;
	sim->open = true;
}

SL_INLINED int commit_of(struct sim *sim, const struct action *action, const bool plain)
{
	if (!plain || action->kind != ACTION_START)
		return commit_action(sim, action);
	digest_fold_of(sim, SL_EV_CLASS_COUNT, action->job, plain);
	return note_end_of(sim, action->job, plain);
}

SL_INLINED int pass_commit_of(struct sim *sim, const bool plain)
{
	sim->rule = sim->rule_default;
	sim->beneficiary = UINT32_MAX;
	for (size_t i = 0; i < sim->action_count && !sim->status; i++)
		pass_failed(sim, commit_of(sim, &sim->action[i], plain));
	if (sim->decisions)
		decisions_commit(sim);
	const struct sim_watch *watch = sim->options.watch;
	if (watch && watch->passed)
		watch->passed(watch->self, sim);
	sim->action_count = 0;
	sim->open = false;
	if (!plain)
		pass_forgets(sim);
	return sim->status;
}

#endif
