/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_shares.c - which share holder is next, for every sharing rule (fair_share.c).
 */
#include "policies/composed/fair_shares.h"

#include "policies/composed/composed.h"

int ratio_compare(struct ratio a, struct ratio b)
{
	if (!a.over || !b.over)
		return (a.over == 0) - (b.over == 0);
	const __int128 x = a.of * b.over;
	const __int128 y = b.of * a.over;
	return (x > y) - (x < y);
}

int fair_shares_init(struct fair_shares **place, const struct fair_shares_options *options,
	const struct sl_setup *setup, struct sl_err *err)
{
	static const struct share_holder_amounts weights = { "weights", SL_SECOND, 1, 1000000 * SL_SECOND };
	struct sl_arena *arena = setup->arena;
	struct fair_shares *fair_shares = *place = sl_alloc(arena, 1, sizeof(*fair_shares));
	if (!fair_shares)
		return sl_fail_memory(err);
	fair_shares->options = *options;
	fair_shares->cluster = setup->cluster;
	fair_shares->seed = setup->seed;
	int status = share_holders_init(&fair_shares->share_holders, options->by, setup, err);
	if (status)
		return status;
	const uint32_t count = fair_shares->share_holders.count;
	fair_shares->weight = sl_alloc(arena, count + 1, sizeof(*fair_shares->weight));
	fair_shares->value = sl_alloc(arena, count + 1, sizeof(*fair_shares->value));
	fair_shares->key = sl_alloc(arena, count + 1, sizeof(*fair_shares->key));
	fair_shares->sorted = sl_alloc(arena, count + 1, sizeof(*fair_shares->sorted));
	fair_shares->barred = sl_alloc(arena, count + 1, sizeof(*fair_shares->barred));
	if (!fair_shares->weight || !fair_shares->value || !fair_shares->key || !fair_shares->sorted ||
		!fair_shares->barred)
		return sl_fail_memory(err);
	for (uint32_t share_holder = 0; share_holder < count; share_holder++)
		fair_shares->key[share_holder] = -1;
	status = share_holders_amounts(
		&fair_shares->share_holders, &weights, options->weights, fair_shares->weight, NULL, err);
	fair_shares->runs = sl_ledger_new(setup, "runs", setup->jobs->count);
	if (!status)
		status = options->fair_share->init(fair_shares, setup, err);
	return status;
}

static void revalue(struct fair_shares *fair_shares, const struct sl_pass *pass, uint32_t share_holder)
{
	if (fair_shares->options.fair_share->value)
		fair_shares->value[share_holder] =
			fair_shares->options.fair_share->value(fair_shares, pass, share_holder);
}

/* ---- Events -------------------------------------------------------------------------------------- */

double fair_shares_submitted(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	const bool waits = sl_job_is(share_holders_first(&fair_shares->share_holders, pass, share_holder));
	share_holders_submitted(&fair_shares->share_holders, job);
	if (!waits && fair_shares->options.fair_share->joined)
		fair_shares->options.fair_share->joined(fair_shares, pass, share_holder);
	return fair_shares->key[share_holder];
}

static void note_leave(struct fair_shares *fair_shares, struct sl_pass *pass, uint32_t share_holder)
{
	if (fair_shares->options.fair_share->left &&
		!sl_job_is(share_holders_first(&fair_shares->share_holders, pass, share_holder)))
		fair_shares->options.fair_share->left(fair_shares, pass, share_holder);
}

/* It runs, stands still, or does neither. */
static void set_runs(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job, int64_t runs)
{
	const int64_t before = sl_ledger_get(pass, fair_shares->runs, job.row);
	if (before == runs)
		return;
	sl_ledger_add(pass, fair_shares->runs, job.row, runs - before);
	if (before == RUNS && fair_shares->options.fair_share->stopped)
		fair_shares->options.fair_share->stopped(fair_shares, pass, job);
}

void fair_shares_ended(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	const bool waited = sl_ledger_get(pass, fair_shares->runs, job.row) == RUNS_NOT;
	set_runs(fair_shares, pass, job, RUNS_NOT);
	if (waited)
		note_leave(fair_shares, pass, fair_shares->share_holders.of[job.row]);
}

/* ---- Within a pass ------------------------------------------------------------------------------- */

void fair_shares_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	set_runs(fair_shares, pass, job, RUNS);
	fair_shares->options.fair_share->started(fair_shares, pass, job);
	note_leave(fair_shares, pass, share_holder);
	revalue(fair_shares, pass, share_holder);
}

void fair_shares_resumed(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	set_runs(fair_shares, pass, job, RUNS);
	if (fair_shares->options.fair_share->resumed)
		fair_shares->options.fair_share->resumed(fair_shares, pass, job);
	revalue(fair_shares, pass, fair_shares->share_holders.of[job.row]);
}

void fair_shares_stopped(
	struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job, enum sl_preempt how)
{
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	set_runs(fair_shares, pass, job, how == SL_PREEMPT_SUSPEND ? RUNS_SUSPENDED : RUNS_NOT);
	if (how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT) {
		const bool waited =
			sl_job_is(share_holders_first(&fair_shares->share_holders, pass, share_holder));
		share_holders_requeued(&fair_shares->share_holders, job);
		fair_shares->requeued = true; /* Its key is from before. */
		if (!waited && fair_shares->options.fair_share->joined)
			fair_shares->options.fair_share->joined(fair_shares, pass, share_holder);
	}
	revalue(fair_shares, pass, share_holder);
}

/* Insertion: from one pass to the next little moves. */
static void sort_active(struct fair_shares *fair_shares)
{
	const struct share_holders *share_holders = &fair_shares->share_holders;
	uint32_t *sorted = fair_shares->sorted;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < fair_shares->sorted_count; i++)
		if (share_holders->listed[sorted[i]])
			sorted[kept++] = sorted[i];
		else
			fair_shares->key[sorted[i]] = -1;
	for (uint32_t i = 0; i < share_holders->active_count; i++)
		if (fair_shares->key[share_holders->active[i]] < 0) {
			sorted[kept++] = share_holders->active[i];
			fair_shares->key[share_holders->active[i]] = 0; /* Is in the list; to be set. */
			fair_shares->requeued = true;
		}
	fair_shares->sorted_count = kept;
	for (uint32_t i = 1; i < kept; i++) {
		const uint32_t share_holder = sorted[i];
		uint32_t place = i;
		for (; place; place--) {
			const int order = ratio_compare(
				fair_shares->value[sorted[place - 1]], fair_shares->value[share_holder]);
			if (order < 0 || (order == 0 && sorted[place - 1] < share_holder))
				break;
			sorted[place] = sorted[place - 1];
		}
		sorted[place] = share_holder;
	}
}

/* Equal values have equal keys: then the order of submission decides. */
static bool order_holds(const struct fair_shares *fair_shares)
{
	for (uint32_t i = 1; i < fair_shares->sorted_count; i++) {
		const uint32_t a = fair_shares->sorted[i - 1];
		const uint32_t b = fair_shares->sorted[i];
		const int order = ratio_compare(fair_shares->value[a], fair_shares->value[b]);
		if (order < 0 ? fair_shares->key[a] >= fair_shares->key[b]
			      : fair_shares->key[a] != fair_shares->key[b])
			return false;
	}
	return true;
}

static double fair_shares_key_of(void *state, struct sl_pass *pass, sl_job job)
{
	const struct fair_shares *fair_shares = state;
	(void)pass;
	return fair_shares->key[fair_shares->share_holders.of[job.row]];
}

static void fair_shares_rank(struct fair_shares *fair_shares, struct sl_pass *pass)
{
	sort_active(fair_shares);
	if (!fair_shares->requeued && order_holds(fair_shares))
		return;
	double key = 0;
	for (uint32_t i = 0; i < fair_shares->sorted_count; i++) {
		const uint32_t share_holder = fair_shares->sorted[i];
		if (i && ratio_compare(fair_shares->value[fair_shares->sorted[i - 1]],
				 fair_shares->value[share_holder]))
			key++;
		fair_shares->key[share_holder] = key;
	}
	fair_shares->requeued = false;
	sl_queue_rekey(pass, fair_shares_key_of, fair_shares);
}

void fair_shares_begin(struct fair_shares *fair_shares, struct sl_pass *pass, bool rekey)
{
	const struct share_holders *share_holders = &fair_shares->share_holders;
	share_holders_begin(&fair_shares->share_holders, pass);
	if (fair_shares->options.fair_share->begin)
		fair_shares->options.fair_share->begin(fair_shares, pass);
	fair_shares->passes++;
	for (uint32_t i = 0; i < share_holders->active_count; i++)
		revalue(fair_shares, pass, share_holders->active[i]);
	if (rekey && !fair_shares->options.fair_share->drawn)
		fair_shares_rank(fair_shares, pass);
}

static bool is_barred(const struct fair_shares *fair_shares, uint32_t share_holder)
{
	return fair_shares->barred[share_holder] == fair_shares->passes;
}

static sl_job fair_shares_least(struct fair_shares *fair_shares, const struct sl_pass *pass)
{
	const struct share_holders *share_holders = &fair_shares->share_holders;
	sl_job found = SL_JOB_NONE;
	for (uint32_t i = 0; i < share_holders->active_count; i++) {
		const uint32_t share_holder = share_holders->active[i];
		const sl_job job =
			is_barred(fair_shares, share_holder)
				? SL_JOB_NONE
				: share_holders_first(&fair_shares->share_holders, pass, share_holder);
		if (!sl_job_is(job))
			continue;
		const int order = sl_job_is(found) ? ratio_compare(fair_shares->value[share_holder],
							     fair_shares->value[share_holders->of[found.row]])
						   : -1;
		if (order < 0 || (order == 0 && job.row < found.row))
			found = job;
	}
	return found;
}

/* By weight among those not barred; the number of the draw is in a ledger, so that a rerun pass draws the
 * same. While a winner has not started there is no new draw. */
void winner_goes(struct fair_shares *fair_shares, struct sl_pass *pass, uint32_t share_holder)
{
	if (sl_ledger_get(pass, fair_shares->whole, WHOLE_WINNER) == (int64_t)share_holder + 1)
		sl_ledger_add(pass, fair_shares->whole, WHOLE_WINNER, -(int64_t)share_holder - 1);
}

static sl_job fair_shares_draw(struct fair_shares *fair_shares, struct sl_pass *pass)
{
	const struct share_holders *share_holders = &fair_shares->share_holders;
	const int64_t won = sl_ledger_get(pass, fair_shares->whole, WHOLE_WINNER) - 1;
	if (won >= 0 && !is_barred(fair_shares, (uint32_t)won)) {
		const sl_job job = share_holders_first(&fair_shares->share_holders, pass, (uint32_t)won);
		if (sl_job_is(job))
			return job;
	}
	uint64_t tickets = 0;
	for (uint32_t share_holder = 0; share_holder < share_holders->count; share_holder++)
		if (share_holders->listed[share_holder] && !is_barred(fair_shares, share_holder) &&
			sl_job_is(share_holders_first(&fair_shares->share_holders, pass, share_holder)))
			tickets += (uint64_t)fair_shares->weight[share_holder];
	if (!tickets)
		return SL_JOB_NONE;
	const int64_t before = sl_ledger_get(pass, fair_shares->whole, WHOLE_DRAWS);
	fair_shares->rng.counter = (uint64_t)before;
	uint64_t ticket = sl_rng_below(&fair_shares->rng, tickets);
	sl_ledger_add(pass, fair_shares->whole, WHOLE_DRAWS, (int64_t)fair_shares->rng.counter - before);
	uint32_t share_holder = 0;
	for (;; share_holder++) {
		if (!share_holders->listed[share_holder] || is_barred(fair_shares, share_holder) ||
			!sl_job_is(share_holders_first(&fair_shares->share_holders, pass, share_holder)))
			continue;
		if (ticket < (uint64_t)fair_shares->weight[share_holder])
			break;
		ticket -= (uint64_t)fair_shares->weight[share_holder];
	}
	sl_ledger_add(pass, fair_shares->whole, WHOLE_WINNER, share_holder - won);
	return share_holders_first(&fair_shares->share_holders, pass, share_holder);
}

sl_job fair_shares_first(struct fair_shares *fair_shares, struct sl_pass *pass)
{
	return fair_shares->options.fair_share->drawn ? fair_shares_draw(fair_shares, pass)
						      : fair_shares_least(fair_shares, pass);
}

void fair_shares_bar(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	fair_shares->barred[share_holder] = fair_shares->passes;
	if (fair_shares->options.fair_share->drawn)
		winner_goes(fair_shares, pass, share_holder);
}
