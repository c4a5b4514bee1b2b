/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * composed_power.c - admission by power: below a cap, and not while a kWh is dear; and by a script
 * (admit=lua:FILE).
 *
 * Model power reports how much its cap leaves (power.room: nodes taken as on, running jobs at full speed),
 * and what a GPU and a core draw at most. A job is admitted if its maximum draw is left, beside those
 * admitted since. A dear kWh keeps jobs from starting until it is cheaper, but not for ever: deferred jobs
 * are those that can wait (as in Wiesner et al., Let's wait awhile, Middleware 2021).
 */
#include "policies/composed/composed.h"

enum { ADMITTED_SETTLED, ADMITTED_DRAW, ADMITTED_ROWS };

void gate_init(struct composed *composed, const struct sl_setup *setup)
{
	composed->gated = setup->values[PARAM_POWER].number || setup->values[PARAM_HOLD].number ||
			  setup->values[PARAM_ADMIT].number;
	if (setup->values[PARAM_POWER].number)
		composed->admitted = sl_ledger_new(setup, "admitted", ADMITTED_ROWS);
}

/* ---- Below a cap -------------------------------------------------------------------------------------- */

/* What it might draw at most, in microwatts. */
static int64_t draw_most(const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const struct sl_cluster *cluster = sl_cluster_of(pass);
	const struct sl_profile *profile = jobs->profile_of && jobs->profile_of[job.row]
						   ? &jobs->profile[jobs->profile_of[job.row]]
						   : NULL;
	const int64_t intensity = profile && profile->intensity != SL_NONE
					  ? profile->intensity
					  : sl_figure_of(pass, "power.intensity");
	const int64_t gpus = sl_asks(pass, job, SL_KIND_GPUS);
	const int64_t cpus = sl_asks(pass, job, SL_KIND_CPUS);
	const int64_t gpu = sl_mul_div(
		sl_figure_of(pass, "power.gpu"), gpus * intensity, sl_parts(cluster->gpu_parts) * 1000000);
	/* One more for each share that is rounded half up. */
	return gpu + sl_mul_div(sl_figure_of(pass, "power.core"), cpus, sl_parts(cluster->cpu_parts)) + gpus +
	       cpus;
}

/* Since the model looked last; then it knows them itself. */
static int64_t admitted_draw(const struct composed *composed, const struct sl_pass *pass)
{
	if (sl_ledger_get(pass, composed->admitted, ADMITTED_SETTLED) != sl_figure_of(pass, "power.settled"))
		return 0;
	return sl_ledger_get(pass, composed->admitted, ADMITTED_DRAW);
}

static bool has_room(const struct composed *composed, const struct sl_pass *pass, sl_job job)
{
	const int64_t capacity = sl_figure_of(pass, "power.room");
	return capacity == SL_NONE || draw_most(pass, job) <= capacity - admitted_draw(composed, pass);
}

void gate_passed(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!composed->values[PARAM_POWER].number || sl_figure_of(pass, "power.room") == SL_NONE)
		return;
	const int64_t draw = admitted_draw(composed, pass) + draw_most(pass, job);
	sl_ledger_add(pass, composed->admitted, ADMITTED_DRAW,
		draw - sl_ledger_get(pass, composed->admitted, ADMITTED_DRAW));
	sl_ledger_add(pass, composed->admitted, ADMITTED_SETTLED,
		sl_figure_of(pass, "power.settled") -
			sl_ledger_get(pass, composed->admitted, ADMITTED_SETTLED));
}

/* ---- Not while it is dear -------------------------------------------------------------------- */

/* Until when it is kept at most. */
static sl_time held_until(const struct composed *composed, const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	sl_time until = jobs->submit[job.row] + composed->values[PARAM_HOLD_WAIT].number;
	const struct sl_job_attributes *more =
		jobs->more_of && jobs->more_of[job.row] ? &jobs->more[jobs->more_of[job.row]] : NULL;
	if (more && more->deadline != SL_NONE && more->deadline - sl_estimate_of(pass, job) < until)
		until = more->deadline - sl_estimate_of(pass, job);
	return until;
}

static bool is_dear(const struct composed *composed, const struct sl_pass *pass)
{
	static const char *const displayed[] = { NULL, "price", "carbon" };
	const int64_t hold = composed->values[PARAM_HOLD].number;
	const int64_t value = hold ? sl_figure_of(pass, displayed[hold]) : SL_NONE;
	return value != SL_NONE && value > composed->values[PARAM_HOLD_ABOVE].number;
}

/* A pass comes when it may be cheaper, or when the job will wait no longer. */
static bool is_held(const struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!is_dear(composed, pass))
		return false;
	const sl_time until = held_until(composed, pass, job);
	if (until <= sl_now(pass))
		return false;
	const sl_time next = sl_figure_of(pass, "price.until");
	sl_wake(pass, next != SL_NONE && next > sl_now(pass) && next < until ? next : until);
	return true;
}

bool gate_opens(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const bool admits = composed->values[PARAM_POWER].number;
	if (composed->admits && !admit_opens(composed, pass, job))
		return false;
	if (!is_held(composed, pass, job) && (!admits || has_room(composed, pass, job)))
		return true;
	sl_set_reason(pass, job, SL_REASON_POWER, 0);
	return false;
}
