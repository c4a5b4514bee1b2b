/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares.c - whose turn it is, whatever the way of sharing (sharing.c).
 */
#include "policies/composed/shares.h"

#include "policies/composed/composed.h"

int ratio_compare(struct ratio a, struct ratio b)
{
	if (!a.over || !b.over)
		return (a.over == 0) - (b.over == 0);
	const __int128 x = a.of * b.over;
	const __int128 y = b.of * a.over;
	return (x > y) - (x < y);
}

int shares_init(struct shares **place, const struct shares_options *options, const struct sl_setup *setup,
	struct sl_err *err)
{
	static const struct party_amounts weights = { "weights", SL_SECOND, 1, 1000000 * SL_SECOND };
	struct sl_arena *arena = setup->arena;
	struct shares *shares = *place = sl_alloc(arena, 1, sizeof(*shares));
	if (!shares)
		return sl_fail_memory(err);
	shares->options = *options;
	shares->cluster = setup->cluster;
	shares->seed = setup->seed;
	int status = parties_init(&shares->parties, options->by, setup, err);
	if (status)
		return status;
	const uint32_t count = shares->parties.count;
	shares->weight = sl_alloc(arena, count + 1, sizeof(*shares->weight));
	shares->value = sl_alloc(arena, count + 1, sizeof(*shares->value));
	shares->key = sl_alloc(arena, count + 1, sizeof(*shares->key));
	shares->sorted = sl_alloc(arena, count + 1, sizeof(*shares->sorted));
	shares->barred = sl_alloc(arena, count + 1, sizeof(*shares->barred));
	if (!shares->weight || !shares->value || !shares->key || !shares->sorted || !shares->barred)
		return sl_fail_memory(err);
	for (uint32_t party = 0; party < count; party++)
		shares->key[party] = -1;
	status = parties_amounts(&shares->parties, &weights, options->weights, shares->weight, NULL, err);
	shares->runs = sl_ledger_new(setup, "runs", setup->jobs->count);
	if (!status)
		status = options->sharing->init(shares, setup, err);
	return status;
}

static void revalue(struct shares *shares, const struct sl_pass *pass, uint32_t party)
{
	if (shares->options.sharing->value)
		shares->value[party] = shares->options.sharing->value(shares, pass, party);
}

/* ---- Events -------------------------------------------------------------------------------------- */

double shares_submitted(struct shares *shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t party = shares->parties.of[job.row];
	const bool waits = sl_job_is(parties_first(&shares->parties, pass, party));
	parties_submitted(&shares->parties, job);
	if (!waits && shares->options.sharing->joined)
		shares->options.sharing->joined(shares, pass, party);
	return shares->key[party];
}

static void note_leave(struct shares *shares, struct sl_pass *pass, uint32_t party)
{
	if (shares->options.sharing->left && !sl_job_is(parties_first(&shares->parties, pass, party)))
		shares->options.sharing->left(shares, pass, party);
}

/* It runs, stands still, or does neither. */
static void set_runs(struct shares *shares, struct sl_pass *pass, sl_job job, int64_t runs)
{
	const int64_t before = sl_ledger_get(pass, shares->runs, job.row);
	if (before == runs)
		return;
	sl_ledger_add(pass, shares->runs, job.row, runs - before);
	if (before == RUNS && shares->options.sharing->stopped)
		shares->options.sharing->stopped(shares, pass, job);
}

void shares_ended(struct shares *shares, struct sl_pass *pass, sl_job job)
{
	const bool waited = sl_ledger_get(pass, shares->runs, job.row) == RUNS_NOT;
	set_runs(shares, pass, job, RUNS_NOT);
	if (waited)
		note_leave(shares, pass, shares->parties.of[job.row]);
}

/* ---- Within a pass ------------------------------------------------------------------------------- */

void shares_started(struct shares *shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t party = shares->parties.of[job.row];
	set_runs(shares, pass, job, RUNS);
	shares->options.sharing->started(shares, pass, job);
	note_leave(shares, pass, party);
	revalue(shares, pass, party);
}

void shares_resumed(struct shares *shares, struct sl_pass *pass, sl_job job)
{
	set_runs(shares, pass, job, RUNS);
	if (shares->options.sharing->resumed)
		shares->options.sharing->resumed(shares, pass, job);
	revalue(shares, pass, shares->parties.of[job.row]);
}

void shares_stopped(struct shares *shares, struct sl_pass *pass, sl_job job, enum sl_preempt how)
{
	const uint32_t party = shares->parties.of[job.row];
	set_runs(shares, pass, job, how == SL_PREEMPT_SUSPEND ? RUNS_SUSPENDED : RUNS_NOT);
	if (how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT) {
		const bool waited = sl_job_is(parties_first(&shares->parties, pass, party));
		parties_requeued(&shares->parties, job);
		shares->requeued = true; /* Its key is from before. */
		if (!waited && shares->options.sharing->joined)
			shares->options.sharing->joined(shares, pass, party);
	}
	revalue(shares, pass, party);
}

/* Insertion: from one pass to the next little moves. */
static void sort_active(struct shares *shares)
{
	const struct parties *parties = &shares->parties;
	uint32_t *sorted = shares->sorted;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < shares->sorted_count; i++)
		if (parties->listed[sorted[i]])
			sorted[kept++] = sorted[i];
		else
			shares->key[sorted[i]] = -1;
	for (uint32_t i = 0; i < parties->active_count; i++)
		if (shares->key[parties->active[i]] < 0) {
			sorted[kept++] = parties->active[i];
			shares->key[parties->active[i]] = 0; /* Is in the list; to be set. */
			shares->requeued = true;
		}
	shares->sorted_count = kept;
	for (uint32_t i = 1; i < kept; i++) {
		const uint32_t party = sorted[i];
		uint32_t place = i;
		for (; place; place--) {
			const int order =
				ratio_compare(shares->value[sorted[place - 1]], shares->value[party]);
			if (order < 0 || (order == 0 && sorted[place - 1] < party))
				break;
			sorted[place] = sorted[place - 1];
		}
		sorted[place] = party;
	}
}

/* Equal values have equal keys: then the order of submission decides. */
static bool order_holds(const struct shares *shares)
{
	for (uint32_t i = 1; i < shares->sorted_count; i++) {
		const uint32_t a = shares->sorted[i - 1];
		const uint32_t b = shares->sorted[i];
		const int order = ratio_compare(shares->value[a], shares->value[b]);
		if (order < 0 ? shares->key[a] >= shares->key[b] : shares->key[a] != shares->key[b])
			return false;
	}
	return true;
}

static double key_of(void *state, struct sl_pass *pass, sl_job job)
{
	const struct shares *shares = state;
	(void)pass;
	return shares->key[shares->parties.of[job.row]];
}

static void rank(struct shares *shares, struct sl_pass *pass)
{
	sort_active(shares);
	if (!shares->requeued && order_holds(shares))
		return;
	double key = 0;
	for (uint32_t i = 0; i < shares->sorted_count; i++) {
		const uint32_t party = shares->sorted[i];
		if (i && ratio_compare(shares->value[shares->sorted[i - 1]], shares->value[party]))
			key++;
		shares->key[party] = key;
	}
	shares->requeued = false;
	sl_queue_rekey(pass, key_of, shares);
}

void shares_begin(struct shares *shares, struct sl_pass *pass, bool rekey)
{
	const struct parties *parties = &shares->parties;
	parties_begin(&shares->parties, pass);
	if (shares->options.sharing->begin)
		shares->options.sharing->begin(shares, pass);
	shares->passes++;
	for (uint32_t i = 0; i < parties->active_count; i++)
		revalue(shares, pass, parties->active[i]);
	if (rekey && !shares->options.sharing->drawn)
		rank(shares, pass);
}

static bool is_barred(const struct shares *shares, uint32_t party)
{
	return shares->barred[party] == shares->passes;
}

static sl_job least(struct shares *shares, const struct sl_pass *pass)
{
	const struct parties *parties = &shares->parties;
	sl_job found = SL_JOB_NONE;
	for (uint32_t i = 0; i < parties->active_count; i++) {
		const uint32_t party = parties->active[i];
		const sl_job job =
			is_barred(shares, party) ? SL_JOB_NONE : parties_first(&shares->parties, pass, party);
		if (!sl_job_is(job))
			continue;
		const int order = sl_job_is(found) ? ratio_compare(shares->value[party],
							     shares->value[parties->of[found.row]])
						   : -1;
		if (order < 0 || (order == 0 && job.row < found.row))
			found = job;
	}
	return found;
}

/* By weight among those that may go; the number of the draw is in a ledger, so that a pass that is taken back
 * and made again draws the same. Who has won and not yet started is not drawn against. */
void winner_goes(struct shares *shares, struct sl_pass *pass, uint32_t party)
{
	if (sl_ledger_get(pass, shares->world, WORLD_WINNER) == (int64_t)party + 1)
		sl_ledger_add(pass, shares->world, WORLD_WINNER, -(int64_t)party - 1);
}

static sl_job draw(struct shares *shares, struct sl_pass *pass)
{
	const struct parties *parties = &shares->parties;
	const int64_t won = sl_ledger_get(pass, shares->world, WORLD_WINNER) - 1;
	if (won >= 0 && !is_barred(shares, (uint32_t)won)) {
		const sl_job job = parties_first(&shares->parties, pass, (uint32_t)won);
		if (sl_job_is(job))
			return job;
	}
	uint64_t tickets = 0;
	for (uint32_t party = 0; party < parties->count; party++)
		if (parties->listed[party] && !is_barred(shares, party) &&
			sl_job_is(parties_first(&shares->parties, pass, party)))
			tickets += (uint64_t)shares->weight[party];
	if (!tickets)
		return SL_JOB_NONE;
	const int64_t before = sl_ledger_get(pass, shares->world, WORLD_DRAWS);
	shares->rng.counter = (uint64_t)before;
	uint64_t ticket = sl_rng_below(&shares->rng, tickets);
	sl_ledger_add(pass, shares->world, WORLD_DRAWS, (int64_t)shares->rng.counter - before);
	uint32_t party = 0;
	for (;; party++) {
		if (!parties->listed[party] || is_barred(shares, party) ||
			!sl_job_is(parties_first(&shares->parties, pass, party)))
			continue;
		if (ticket < (uint64_t)shares->weight[party])
			break;
		ticket -= (uint64_t)shares->weight[party];
	}
	sl_ledger_add(pass, shares->world, WORLD_WINNER, party - won);
	return parties_first(&shares->parties, pass, party);
}

sl_job shares_first(struct shares *shares, struct sl_pass *pass)
{
	return shares->options.sharing->drawn ? draw(shares, pass) : least(shares, pass);
}

void shares_bar(struct shares *shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t party = shares->parties.of[job.row];
	shares->barred[party] = shares->passes;
	if (shares->options.sharing->drawn)
		winner_goes(shares, pass, party);
}
