/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checkpoint.c - jobs keep their work, at a cost.
 *
 * A job writes a checkpoint after each interval of work. It stands still meanwhile (blocking), or works on;
 * what it keeps is the work at the beginning of the last one completed. A job that comes back with work kept
 * reads its checkpoint first. Bytes go through whichever model carries transfers, so that contention makes
 * a checkpoint longer; without one, at a rate of its nodes.
 */
#include "models/checkpoint/checkpoint.h"

#include <math.h>

static const struct sl_profile *checkpoint_profile(const struct checkpoint *checkpoint, uint32_t job)
{
	const uint32_t row = checkpoint->jobs->profile_of ? checkpoint->jobs->profile_of[job] : 0;
	return row ? &checkpoint->jobs->profile[row] : NULL;
}

static uint32_t checkpoint_nodes_of(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(sim, job, &alloc);
	if (!count || !checkpoint->cluster->node_count) /* Cpus that are counted. */
		return sl_tasks_of(sim, job) ? sl_tasks_of(sim, job) : 1;
	const uint64_t mark = ++checkpoint->marks;
	uint32_t nodes = 0;
	for (size_t i = 0; i < count; i++) {
		nodes += checkpoint->mark[alloc[i].node] != mark;
		checkpoint->mark[alloc[i].node] = mark;
	}
	return nodes ? nodes : 1;
}

/* ---- What one is ------------------------------------------------------------------------ */

static int64_t bytes_of(const struct checkpoint *checkpoint, uint32_t job)
{
	const struct sl_profile *profile = checkpoint_profile(checkpoint, job);
	return profile && profile->checkpoint_cost < 0 && profile->checkpoint > 0 ? profile->checkpoint : 0;
}

/* As its nodes move it with nobody else there: microseconds, rounded up. */
static sl_time alone(const struct checkpoint *checkpoint, const struct checkpoint_job *of, int64_t bytes)
{
	const __int128 rate = (__int128)checkpoint->rate * of->nodes;
	return (sl_time)(((__int128)bytes * SL_SECOND + rate - 1) / rate);
}

/* What one takes where no bytes are said; SL_NONE: it takes none. */
static sl_time cost_of(const struct checkpoint *checkpoint, uint32_t job)
{
	const struct sl_profile *profile = checkpoint_profile(checkpoint, job);
	if (profile && profile->checkpoint_cost >= 0)
		return profile->checkpoint_cost;
	return checkpoint->cost;
}

static bool takes_any(const struct checkpoint *checkpoint, uint32_t job)
{
	const struct sl_profile *profile = checkpoint_profile(checkpoint, job);
	if (profile && profile->checkpoint_every == 0)
		return false;
	return bytes_of(checkpoint, job) > 0 || cost_of(checkpoint, job) >= 0;
}

static bool async_of(const struct checkpoint *checkpoint, uint32_t job)
{
	const struct sl_profile *profile = checkpoint_profile(checkpoint, job);
	return profile && profile->checkpoint_async >= 0 ? profile->checkpoint_async > 0 : checkpoint->async;
}

/* Work until the next one; by what the last one took, or a guess before the first. */
static sl_time interval_of(const struct checkpoint *checkpoint, uint32_t job)
{
	const struct checkpoint_job *of = &checkpoint->job[job];
	const struct sl_profile *profile = checkpoint_profile(checkpoint, job);
	if (profile && profile->checkpoint_every > 0)
		return profile->checkpoint_every;
	if (checkpoint->rule == CHECKPOINT_EVERY)
		return checkpoint->every;
	if (checkpoint->mtbf == SL_NEVER)
		return SL_NEVER;
	const int64_t bytes = bytes_of(checkpoint, job);
	const sl_time cost = of->cost >= 0 ? of->cost
			     : bytes       ? alone(checkpoint, of, bytes)
					   : cost_of(checkpoint, job);
	const sl_time work = checkpoint_interval(
		checkpoint->rule, cost, checkpoint->mtbf / of->nodes, checkpoint->restart);
	return work > SL_SECOND ? work
				: SL_SECOND; /* One that costs nothing is still not written all the time. */
}

/* ---- Waiting for ---------------------------------------------------------------------------- */

static void wake_at(struct sim *sim, struct checkpoint_job *of, uint32_t job, sl_time at)
{
	of->due = at;
	if (at != SL_NEVER)
		sl_model_wake(sim, at, job);
}

static sl_time plus(sl_time at, __int128 range)
{
	return range < SL_NEVER - at ? at + (sl_time)range : SL_NEVER;
}

/* For its work to reach the next checkpoint, at its rate of now. One wake is enough, the earliest: what comes
 * too early finds that, and looks again. */
static void watch(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	const sl_time at = of->next == SL_NEVER ? SL_NEVER : sl_reaches(sim, job, of->next);
	const sl_time soonest = sl_now(sim) + 1;
	if (at < of->due)
		wake_at(sim, of, job.row, at > soonest ? at : soonest);
}

static void work(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	of->phase = CHECKPOINT_WORKS;
	of->since = sl_now(sim);
	const sl_time interval = of->takes ? interval_of(checkpoint, job.row) : SL_NEVER;
	of->next = interval < SL_NEVER - of->mark ? of->mark + interval : SL_NEVER;
	of->due = SL_NEVER;
	watch(checkpoint, sim, job);
}

static void finished(struct checkpoint *checkpoint, struct sim *sim, sl_job job);

/* Moves so many bytes, or takes so long: then `finished`, perhaps at once. */
static void wait_for(struct checkpoint *checkpoint, struct sim *sim, sl_job job, enum sl_transfer_kind kind,
	int64_t bytes, sl_time range)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	if (bytes > 0) {
		const struct sl_transfer transfer = {
			.job = job, .kind = kind, .bytes = bytes, .token = ++of->token
		};
		of->transfer = true;
		of->due = SL_NEVER;
		if (sl_model_transfer(sim, &transfer))
			return;
		range = alone(checkpoint, of, bytes);
	}
	of->transfer = false;
	if (range > 0)
		wake_at(sim, of, job.row, plus(sl_now(sim), range));
	else
		finished(checkpoint, sim, job);
}

/* ---- Phases ------------------------------------------------------------------------------------- */

void checkpoint_book(struct checkpoint *checkpoint, struct sim *sim, struct checkpoint_job *of)
{
	const sl_time range = of->suspended ? 0 : sl_now(sim) - of->since;
	of->since = sl_now(sim);
	if (of->phase == CHECKPOINT_OUT)
		return;
	checkpoint->held += (__int128)range * of->nodes;
	if (of->phase == CHECKPOINT_LOADS) {
		of->loading += range;
		checkpoint->loading += (__int128)range * of->nodes;
	} else if (of->phase == CHECKPOINT_WRITES) {
		of->writing += range;
		checkpoint->writing += (__int128)range * of->nodes;
	}
	if (of->phase == CHECKPOINT_WRITES || of->phase == CHECKPOINT_MEANWHILE)
		of->taken += range;
}

static void write_one(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	checkpoint_book(checkpoint, sim, of);
	of->phase = async_of(checkpoint, job.row) ? CHECKPOINT_MEANWHILE : CHECKPOINT_WRITES;
	of->mark = sl_done_of(sim, job);
	of->taken = 0;
	if (of->phase == CHECKPOINT_WRITES)
		sl_model_speed(sim, job, 0);
	wait_for(checkpoint, sim, job, SL_TRANSFER_WRITE, bytes_of(checkpoint, job.row),
		cost_of(checkpoint, job.row));
}

/* What it still has to do before it works: write what a preemption owes, read its last one, restart. */
static void load_step(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	const int64_t bytes = bytes_of(checkpoint, job.row);
	of->step++;
	if (of->step == 1 && of->owes) {
		wait_for(checkpoint, sim, job, SL_TRANSFER_WRITE, bytes, cost_of(checkpoint, job.row));
	} else if (of->step == 1 || of->step == 2) {
		of->step = 2;
		wait_for(checkpoint, sim, job, SL_TRANSFER_READ, sl_kept_of(sim, job) > 0 ? bytes : 0, 0);
	} else {
		wait_for(checkpoint, sim, job, SL_TRANSFER_READ, 0, checkpoint->restart);
	}
}

static void count_one(struct checkpoint *checkpoint, uint32_t job)
{
	checkpoint->job[job].count++;
	checkpoint->bytes += bytes_of(checkpoint, job);
}

static void written(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	const bool blocked = of->phase == CHECKPOINT_WRITES;
	checkpoint_book(checkpoint, sim, of);
	of->cost = of->taken;
	of->last = of->mark;
	count_one(checkpoint, job.row);
	if (blocked)
		sl_model_speed(sim, job, SL_SPEED_ONE);
	work(checkpoint, sim, job);
}

static void finished(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	of->transfer = false;
	if (of->phase == CHECKPOINT_WRITES || of->phase == CHECKPOINT_MEANWHILE) {
		written(checkpoint, sim, job);
		return;
	}
	SL_CHECK(of->phase == CHECKPOINT_LOADS);
	if (of->step == 1 && takes_any(checkpoint, job.row))
		count_one(checkpoint, job.row);
	of->owes &= of->step != 1;
	if (of->step < 3) {
		load_step(checkpoint, sim, job);
		return;
	}
	checkpoint_book(checkpoint, sim, of);
	sl_model_speed(sim, job, SL_SPEED_ONE);
	work(checkpoint, sim, job);
}

/* ---- Callbacks of the engine -------------------------------------------------------------------------- */

static void resumed(struct checkpoint *checkpoint, struct sim *sim, sl_job job)
{
	struct checkpoint_job *of = &checkpoint->job[job.row];
	checkpoint_book(checkpoint, sim, of);
	of->nodes = checkpoint_nodes_of(checkpoint, sim, job);
	const bool was = of->suspended;
	of->suspended = false;
	if (of->phase == CHECKPOINT_LOADS || of->phase == CHECKPOINT_WRITES)
		sl_model_speed(sim, job, 0);
	if (of->phase == CHECKPOINT_WORKS) {
		of->due = was ? SL_NEVER : of->due;
		watch(checkpoint, sim, job);
	} else if (of->phase != CHECKPOINT_DONE && was && !of->transfer) {
		wake_at(sim, of, job.row, plus(sl_now(sim), of->due));
	}
}

static void checkpoint_started(void *state, struct sim *sim, sl_job job)
{
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[job.row];
	if (of->phase != CHECKPOINT_OUT) {
		resumed(checkpoint, sim, job);
		return;
	}
	of->nodes = checkpoint_nodes_of(checkpoint, sim, job);
	of->takes = takes_any(checkpoint, job.row);
	of->last = of->mark = 0;
	of->step = 0;
	of->since = sl_now(sim);
	const bool retry = of->retry;
	of->retry = true;
	of->owes &= sl_kept_of(sim, job) > 0;
	if (!retry || (sl_kept_of(sim, job) <= 0 && !checkpoint->restart)) {
		work(checkpoint, sim, job);
		return;
	}
	of->phase = CHECKPOINT_LOADS;
	sl_model_speed(sim, job, 0);
	load_step(checkpoint, sim, job);
}

static void checkpoint_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[job.row];
	checkpoint_book(checkpoint, sim, of);
	if (how == SL_LEFT_SUSPEND) {
		of->suspended = true;
		if (of->phase != CHECKPOINT_WORKS && !of->transfer) /* How long it still takes. */
			of->due -= sl_now(sim);
		return;
	}
	of->token++; /* What it waited for is nothing to it. */
	of->transfer = false;
	of->suspended = false;
	of->phase = CHECKPOINT_OUT;
	of->owes |= checkpoint->pays && how == SL_LEFT_CHECKPOINT && !of->failed;
	of->failed = false;
}

/* Where it is held for something else, nothing is written any more; what is under way is of no use. */
static bool checkpoint_ends(void *state, struct sim *sim, sl_job job)
{
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[job.row];
	checkpoint_book(checkpoint, sim, of);
	of->phase = CHECKPOINT_DONE;
	of->transfer = false;
	of->token++;
	return false;
}

static void checkpoint_timer(void *state, struct sim *sim, uint32_t row)
{
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[row];
	const sl_job job = { row };
	if (of->phase == CHECKPOINT_OUT || of->phase == CHECKPOINT_DONE || of->suspended || of->transfer ||
		sl_now(sim) < of->due)
		return;
	if (of->phase != CHECKPOINT_WORKS)
		finished(checkpoint, sim, job);
	else if (sl_done_of(sim, job) >= of->next)
		write_one(checkpoint, sim, job);
	else {
		of->due = SL_NEVER;
		watch(checkpoint, sim, job);
	}
}

static void checkpoint_speed_changed(void *state, struct sim *sim, sl_job job)
{
	struct checkpoint *checkpoint = state;
	if (checkpoint->job[job.row].phase == CHECKPOINT_WORKS)
		watch(checkpoint, sim, job);
}

static void checkpoint_transferred(void *state, struct sim *sim, const struct sl_transfer *transfer)
{
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[transfer->job.row];
	if (of->transfer && of->token == transfer->token)
		finished(checkpoint, sim, transfer->job);
}

static sl_time checkpoint_kept(void *state, struct sim *sim, sl_job job, sl_time done)
{
	(void)sim;
	struct checkpoint *checkpoint = state;
	struct checkpoint_job *of = &checkpoint->job[job.row];
	const sl_time kept = of->phase == CHECKPOINT_OUT ? 0 : of->last < done ? of->last : done;
	of->failed = of->phase != CHECKPOINT_OUT;
	of->lost += done - kept;
	checkpoint->lost += (__int128)(done - kept) * of->nodes;
	return kept;
}

const struct sl_model model_checkpoint = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "checkpoint",
	.summary = "jobs keep their work, at a cost",
	.paper = "Young 1974; Daly 2006; Saxena et al. 2024 (arXiv 2410.18124)",
	.params = checkpoint_params,
	.param_count = SL_LEN(checkpoint_params),
	.init = checkpoint_init,
	.started = checkpoint_started,
	.left = checkpoint_left,
	.timer = checkpoint_timer,
	.ends = checkpoint_ends,
	.transferred = checkpoint_transferred,
	.kept = checkpoint_kept,
	.speed_changed = checkpoint_speed_changed,
	.report = checkpoint_report,
};

/* ---- How much work lies between two checkpoints.
 *
 * young: sqrt(2 C M); J. W. Young, "A first order approximation to the optimum checkpoint interval",
 * Communications of the ACM 17(9), 1974.
 * daly: sqrt(2 C M) [1 + (1/3) sqrt(C / 2M) + (1/9) (C / 2M)] - C for C < 2M, else M; J. T. Daly, "A higher
 * order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems
 * 22(3), 2006.
 * available: N. R. Saxena et al., "Optimal Checkpoint Interval with Availability as an Objective Function",
 * arXiv 2410.18124, 2024: a period of C + sqrt(2 (M + R) C + C^2), which maximizes (T - C) / T * M / (M + R +
 * T/2). The period includes the checkpoint; the work in it is the root.
 *
 * Multiplication, division and square roots of doubles alone, which are the same everywhere; the result is
 * rounded to the microsecond.
 */

static double daly(double cost, double mtbf)
{
	if (cost >= 2 * mtbf)
		return mtbf;
	const double part = cost / (2 * mtbf);
	return sqrt(2 * cost * mtbf) * (1 + sqrt(part) / 3 + part / 9) - cost;
}

sl_time checkpoint_interval(enum checkpoint_rule rule, sl_time cost, sl_time mtbf, sl_time restart)
{
	if (mtbf == SL_NEVER)
		return SL_NEVER;
	const double c = (double)cost, m = (double)mtbf, r = (double)restart;
	double work = m;
	if (rule == CHECKPOINT_YOUNG)
		work = sqrt(2 * c * m);
	else if (rule == CHECKPOINT_DALY)
		work = daly(c, m);
	else if (rule == CHECKPOINT_AVAILABLE)
		work = sqrt(2 * (m + r) * c + c * c);
	const double most = 9e18;
	return work < 1 ? 1 : work > most ? SL_NEVER : (sl_time)(work + 0.5);
}
