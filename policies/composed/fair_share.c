/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_share.c - sharing rules: decayed usage, dominant resource fairness (DRF), lottery and stride
 * scheduling.
 */
#include <math.h>

#include "policies/composed/composed.h"
#include "policies/composed/fair_shares.h"

enum { SHARE_MAX_LOG = 61 };
static const int64_t share_max = INT64_C(1) << SHARE_MAX_LOG; /* Sums of two do not overflow. */

static int64_t clamped(__int128 value)
{
	return value > share_max ? share_max : value < -share_max ? -share_max : (int64_t)value;
}

static void set(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount)
{
	sl_ledger_add(pass, ledger, row, amount - sl_ledger_get(pass, ledger, row));
}

/* ---- Decayed usage -----------------------------------------------------------------------------
 *
 * What was used at s counts 2^-((now - s) / H) at now. All share holders decay alike, so that they are
 * compared by that times 2^((now - base) / H): for one with h allocated this is c + h E(now), with E(t) = H
 * / ln 2 * 2^((t - base) / H), where c changes at its starts and ends only. Each time that H has gone by,
 * base follows and every c is halved. Without decay E(t) is t.
 */
enum { USAGE_SCALE = 100 }; /* Dominant usage is of hundredths of a cpu. */

static uint32_t held_row(const struct fair_shares *fair_shares, uint32_t share_holder)
{
	return fair_shares->share_holders.count + share_holder;
}

static int64_t usage_clock(const struct fair_shares *fair_shares, const struct sl_pass *pass)
{
	const sl_time now = sl_now(pass);
	const sl_time half_life = fair_shares->options.half_life;
	if (!half_life)
		return now / fair_shares->unit;
	const double beyond = (double)(now - sl_ledger_get(pass, fair_shares->whole, 0)) / (double)half_life;
	const double area = (double)half_life / M_LN2 * steady(exp2(beyond));
	return (int64_t)floor(area / (double)fair_shares->unit + 0.5);
}

static void fair_share_follow(struct fair_shares *fair_shares, struct sl_pass *pass)
{
	const sl_time half_life = fair_shares->options.half_life;
	const sl_time beyond = sl_now(pass) - sl_ledger_get(pass, fair_shares->whole, 0);
	if (!half_life || beyond < half_life)
		return;
	sl_ledger_add(pass, fair_shares->whole, 0, beyond - beyond % half_life);
	const unsigned halvings =
		beyond / half_life > SHARE_MAX_LOG ? SHARE_MAX_LOG : (unsigned)(beyond / half_life);
	for (uint32_t share_holder = 0; share_holder < fair_shares->share_holders.count; share_holder++) {
		const int64_t usage = sl_ledger_get(pass, fair_shares->amount, share_holder);
		const __int128 half = (__int128)1 << (halvings - 1);
		const __int128 whole = (__int128)1 << halvings;
		const __int128 sum = usage + half;
		const __int128 down = sum >= 0 ? sum / whole : -((whole - 1 - sum) / whole);
		if (usage)
			set(pass, fair_shares->amount, share_holder, (int64_t)down);
	}
}

static int64_t charge_of(const struct fair_shares *fair_shares, sl_job job)
{
	const int64_t cpus = asks_of(fair_shares->share_holders.jobs, job, 0);
	if (!fair_shares->options.dominant)
		return cpus;
	int64_t most = cpus * USAGE_SCALE;
	for (unsigned kind = 1; kind < ASKS_KINDS; kind++) {
		const int64_t capacity = capacity_of(fair_shares->cluster, kind);
		if (capacity <= 0)
			continue;
		const int64_t share = sl_mul_div(asks_of(fair_shares->share_holders.jobs, job, kind),
			capacity_of(fair_shares->cluster, 0) * USAGE_SCALE, capacity);
		most = share > most ? share : most;
	}
	return most;
}

/* The unit is the least power of ten of a microsecond with which a cluster used by one share holder alone
 * does not overflow. */
static sl_time usage_unit(const struct fair_shares *fair_shares, const struct sl_setup *setup)
{
	const struct sl_jobs *jobs = setup->jobs;
	double longest = 2 * (double)fair_shares->options.half_life / M_LN2;
	if (!fair_shares->options.half_life && jobs->count) {
		longest = (double)jobs->submit[jobs->count - 1];
		for (uint32_t i = 0; i < jobs->count; i++)
			longest += (double)jobs->run[i];
	}
	const double most = longest * (double)setup->cpus * (fair_shares->options.dominant ? USAGE_SCALE : 1);
	sl_time unit = 1;
	while (unit < 1000 * SL_SECOND && most / (double)unit > (double)share_max / 4)
		unit *= 10;
	return unit;
}

static int fair_init(struct fair_shares *fair_shares, const struct sl_setup *setup, struct sl_err *err)
{
	static const struct share_holder_amounts initial = { "initial", 0, 0,
		INT64_C(1000000000000) * SL_SECOND };
	const uint32_t count = fair_shares->share_holders.count;
	fair_shares->unit = usage_unit(fair_shares, setup);
	fair_shares->amount = sl_ledger_new(setup, "usage", 2 * count + 1);
	fair_shares->whole = sl_ledger_new(setup, "usage base", 1);
	int64_t *usage = sl_alloc(setup->arena, count + 1, sizeof(*usage));
	if (!usage)
		return sl_fail_memory(err);
	const int status = share_holders_amounts(
		&fair_shares->share_holders, &initial, fair_shares->options.initial, usage, NULL, err);
	for (uint32_t share_holder = 0; !status && share_holder < count; share_holder++) {
		const __int128 scaled = (__int128)usage[share_holder] * parts_of(setup->cluster, 0) *
					(fair_shares->options.dominant ? USAGE_SCALE : 1);
		sl_ledger_add(
			setup->sim, fair_shares->amount, share_holder, clamped(scaled / fair_shares->unit));
	}
	return status;
}

static void fair_change(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job, int sign)
{
	fair_share_follow(fair_shares, pass);
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	const int64_t charge = sign * charge_of(fair_shares, job);
	const int64_t usage = sl_ledger_get(pass, fair_shares->amount, share_holder);
	set(pass, fair_shares->amount, share_holder,
		clamped(usage - (__int128)charge * usage_clock(fair_shares, pass)));
	sl_ledger_add(pass, fair_shares->amount, held_row(fair_shares, share_holder), charge);
}

static void fair_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	fair_change(fair_shares, pass, job, 1);
}

static void fair_stopped(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	fair_change(fair_shares, pass, job, -1);
}

static void fair_begin(struct fair_shares *fair_shares, struct sl_pass *pass)
{
	fair_share_follow(fair_shares, pass);
	fair_shares->clock = usage_clock(fair_shares, pass);
}

static struct ratio fair_value(
	const struct fair_shares *fair_shares, const struct sl_pass *pass, uint32_t share_holder)
{
	const int64_t held = sl_ledger_get(pass, fair_shares->amount, held_row(fair_shares, share_holder));
	const int64_t usage = clamped(
		sl_ledger_get(pass, fair_shares->amount, share_holder) + (__int128)held * fair_shares->clock);
	return (struct ratio){ usage > 0 ? usage : 0, fair_shares->weight[share_holder] };
}

const struct fair_share fair_share_fair = {
	.name = "fairshare",
	.init = fair_init,
	.value = fair_value,
	.begin = fair_begin,
	.started = fair_started,
	.stopped = fair_stopped,
	.resumed = fair_started,
};

/* ---- Dominant resource fairness ------------------------------------------------------------------ */

static int drf_init(struct fair_shares *fair_shares, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	fair_shares->amount = sl_ledger_new(setup, "held", fair_shares->share_holders.count * ASKS_KINDS + 1);
	return SL_OK;
}

static void drf_change(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job, int sign)
{
	const uint32_t row = fair_shares->share_holders.of[job.row] * ASKS_KINDS;
	for (unsigned kind = 0; kind < ASKS_KINDS; kind++) {
		const int64_t asks = asks_of(fair_shares->share_holders.jobs, job, kind);
		if (asks)
			sl_ledger_add(pass, fair_shares->amount, row + kind, sign * asks);
	}
}

static void drf_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	drf_change(fair_shares, pass, job, 1);
}

static void drf_stopped(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	drf_change(fair_shares, pass, job, -1);
}

static struct ratio drf_value(
	const struct fair_shares *fair_shares, const struct sl_pass *pass, uint32_t share_holder)
{
	struct ratio most = { 0, fair_shares->weight[share_holder] };
	for (unsigned kind = 0; kind < ASKS_KINDS; kind++) {
		const int64_t capacity = capacity_of(fair_shares->cluster, kind);
		const int64_t held =
			sl_ledger_get(pass, fair_shares->amount, share_holder * ASKS_KINDS + kind);
		const struct ratio share = { held, (__int128)capacity * fair_shares->weight[share_holder] };
		if (capacity > 0 && held > 0 && ratio_compare(share, most) > 0)
			most = share;
	}
	return most;
}

const struct fair_share fair_share_drf = {
	.name = "drf",
	.init = drf_init,
	.value = drf_value,
	.started = drf_started,
	.stopped = drf_stopped,
	.resumed = drf_started,
};

/* ---- Lottery --------------------------------------------------------------------------------------- */

static int lottery_init(struct fair_shares *fair_shares, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	fair_shares->whole = sl_ledger_new(setup, "draws", 2);
	fair_shares->rng = sl_rng_stream(setup->seed, "policies/lottery");
	return SL_OK;
}

static void lottery_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	winner_goes(fair_shares, pass, fair_shares->share_holders.of[job.row]);
}

const struct fair_share fair_share_lottery = {
	.name = "lottery",
	.drawn = true,
	.init = lottery_init,
	.started = lottery_started,
	.left = winner_goes,
};

/* ---- Stride ---------------------------------------------------------------------------------------- */

enum { STRIDE_PASS, STRIDE_REMAIN, STRIDE_ROWS, STRIDE_GLOBAL = 0, STRIDE_TICKETS, STRIDE_ONE = 1024 };

static int stride_init(struct fair_shares *fair_shares, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	fair_shares->amount =
		sl_ledger_new(setup, "passes", fair_shares->share_holders.count * STRIDE_ROWS + 1);
	fair_shares->whole = sl_ledger_new(setup, "global pass", 2);
	return SL_OK;
}

/* What a job costs: its size, or its size for as long as it is expected to run. Where sizes may be less than
 * a whole all costs are in thousandths. */
static int64_t cost_of(const struct fair_shares *fair_shares, const struct sl_pass *pass, sl_job job)
{
	const int64_t size = fine_size_of(fair_shares->share_holders.jobs, fair_shares->cluster, job);
	const sl_time estimate = sl_estimate_of(pass, job);
	const int64_t seconds = estimate / SL_SECOND + (estimate % SL_SECOND != 0);
	return fair_shares->options.by_size ? size : clamped((__int128)size * seconds);
}

static void advance(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t cost, int64_t tickets)
{
	const __int128 stride = ((__int128)cost * STRIDE_ONE * SL_SECOND + tickets / 2) / tickets;
	set(pass, ledger, row, clamped(sl_ledger_get(pass, ledger, row) + stride));
}

static void stride_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job)
{
	const uint32_t share_holder = fair_shares->share_holders.of[job.row];
	const int64_t cost = cost_of(fair_shares, pass, job);
	advance(pass, fair_shares->amount, share_holder * STRIDE_ROWS + STRIDE_PASS, cost,
		fair_shares->weight[share_holder]);
	advance(pass, fair_shares->whole, STRIDE_GLOBAL, cost,
		sl_ledger_get(pass, fair_shares->whole, STRIDE_TICKETS));
}

/* A share holder that rejoins starts at the global pass plus what it was ahead or behind when it left. */
static void stride_joined(struct fair_shares *fair_shares, struct sl_pass *pass, uint32_t share_holder)
{
	const uint32_t row = share_holder * STRIDE_ROWS;
	set(pass, fair_shares->amount, row + STRIDE_PASS,
		clamped((__int128)sl_ledger_get(pass, fair_shares->whole, STRIDE_GLOBAL) +
			sl_ledger_get(pass, fair_shares->amount, row + STRIDE_REMAIN)));
	sl_ledger_add(pass, fair_shares->whole, STRIDE_TICKETS, fair_shares->weight[share_holder]);
}

static void stride_left(struct fair_shares *fair_shares, struct sl_pass *pass, uint32_t share_holder)
{
	const uint32_t row = share_holder * STRIDE_ROWS;
	set(pass, fair_shares->amount, row + STRIDE_REMAIN,
		clamped((__int128)sl_ledger_get(pass, fair_shares->amount, row + STRIDE_PASS) -
			sl_ledger_get(pass, fair_shares->whole, STRIDE_GLOBAL)));
	sl_ledger_add(pass, fair_shares->whole, STRIDE_TICKETS, -fair_shares->weight[share_holder]);
}

static struct ratio stride_value(
	const struct fair_shares *fair_shares, const struct sl_pass *pass, uint32_t share_holder)
{
	return (struct ratio){
		sl_ledger_get(pass, fair_shares->amount, share_holder * STRIDE_ROWS + STRIDE_PASS), 1
	};
}

const struct fair_share fair_share_stride = {
	.name = "stride",
	.init = stride_init,
	.value = stride_value,
	.started = stride_started,
	.joined = stride_joined,
	.left = stride_left,
};
