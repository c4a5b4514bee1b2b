/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_quota.c - guaranteed quotas; idle quota is lent, and reclaimed by preemption.
 *
 * A running job is within its share holder's quota, from its start or from when one that ended left quota,
 * or it borrows. Those within all quotas together never exceed the cluster: so a job within quota can always
 * start, by stopping borrowers.
 */
#include <string.h>

#include "policies/composed/composed.h"
#include "policies/composed/fair_shares.h"

enum { KIND_NONE, KIND_WITHIN, KIND_BORROWS };

struct quota {
	struct share_holders share_holders;
	unsigned kind;    /* Of resource: quotas are of GPUs if there are any, else cpus. */
	int64_t *quota;   /* By share holder. */
	sl_ledger held;   /* By share holder, of all that runs; */
	sl_ledger within; /* of that, guaranteed. */
	sl_ledger runs;   /* By job: KIND_. */
	sl_ledger freed;  /* One row: 1 if a guaranteed one ended since the last pass. */
	sl_ledger reported;
	uint64_t *barred; /* By share holder: the last pass in which its first job could not start. */
	uint64_t passes;
	sl_job *borrower; /* Those that may be stopped, youngest first... */
	uint32_t *next;   /* ...chained by share holder, from first[]. */
	uint32_t *first;
	sl_job *victim;
};

/* ---- Quotas ------------------------------------------------------------------------------------ */

static int read_quotas(struct quota *q, const char *text, const struct sl_setup *setup, struct sl_err *err)
{
	static const struct share_holder_amounts what = { "quotas", 0, 0, INT64_C(1000000000) * SL_SECOND };
	static const char *const kind_name[ASKS_KINDS] = { "cpus", "", "GPUs" };
	const int64_t capacity = capacity_of(setup->cluster, q->kind);
	const int64_t parts = parts_of(setup->cluster, q->kind);
	const int64_t unit = SL_SECOND / parts; /* Of quotas as they are written: a part. */
	const uint32_t count = q->share_holders.count;
	const bool equal = strcmp(text, "equal") == 0;
	int64_t sum = 0;
	const int status =
		share_holders_amounts(&q->share_holders, &what, equal ? "" : text, q->quota, &sum, err);
	if (status)
		return status;
	for (uint32_t share_holder = 0; share_holder < count; share_holder++) {
		if (q->quota[share_holder] % unit)
			return sl_fail(err, SL_USAGE,
				"quotas: '%s' has a fraction: quotas are whole %s of %s", text,
				parts > 1 ? "thousandths" : "numbers", kind_name[q->kind]);
		q->quota[share_holder] = equal ? capacity / count : q->quota[share_holder] / unit;
		sum = sum > INT64_MAX - q->quota[share_holder] * unit ? INT64_MAX
								      : sum + q->quota[share_holder] * unit;
	}
	if (sum / unit <= capacity)
		return SL_OK;
	char number[2][32];
	*sl_put_parts(number[0], sum / unit, parts) = '\0';
	*sl_put_parts(number[1], capacity, parts) = '\0';
	return sl_fail(err, SL_USAGE,
		"quotas: they are %s %s in sum, the cluster has %s: nobody could guarantee them", number[0],
		kind_name[q->kind], number[1]);
}

static int quota_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct sl_arena *arena = setup->arena;
	const size_t jobs = (size_t)setup->jobs->count + 1;
	struct quota *q = composed->own = sl_alloc(arena, 1, sizeof(*q));
	if (!q)
		return sl_fail_memory(err);
	q->kind = setup->cluster->node_count && setup->cluster->gpus ? 2 : 0;
	const int status = share_holders_init(&q->share_holders, setup->values[PARAM_BY].number, setup, err);
	if (status)
		return status;
	const uint32_t count = q->share_holders.count + 1;
	q->quota = sl_alloc(arena, count, sizeof(*q->quota));
	q->barred = sl_alloc(arena, count, sizeof(*q->barred));
	q->first = sl_alloc(arena, count, sizeof(*q->first));
	q->next = sl_alloc(arena, jobs, sizeof(*q->next));
	q->borrower = sl_alloc(arena, jobs, sizeof(*q->borrower));
	q->victim = sl_alloc(arena, jobs, sizeof(*q->victim));
	if (!q->quota || !q->barred || !q->first || !q->next || !q->borrower || !q->victim)
		return sl_fail_memory(err);
	q->held = sl_ledger_new(setup, "held", count);
	q->within = sl_ledger_new(setup, "within quota", count);
	q->runs = sl_ledger_new(setup, "runs as", (uint32_t)jobs);
	q->freed = sl_ledger_new(setup, "quota freed", 1);
	q->reported = sl_ledger_new(setup, "told", count);
	return read_quotas(q, setup->values[PARAM_QUOTAS].text, setup, err);
}

/* ---- Guaranteed or borrowing ----------------------------------------------------------------- */

static int64_t asks(const struct quota *q, sl_job job)
{
	return asks_of(q->share_holders.jobs, job, q->kind);
}

static bool fits_quota(const struct quota *q, const struct sl_pass *pass, sl_job job)
{
	const uint32_t share_holder = q->share_holders.of[job.row];
	return sl_ledger_get(pass, q->within, share_holder) + asks(q, job) <= q->quota[share_holder];
}

static void set_kind(struct quota *q, struct sl_pass *pass, sl_job job, int64_t kind)
{
	const uint32_t share_holder = q->share_holders.of[job.row];
	const int64_t before = sl_ledger_get(pass, q->runs, job.row);
	const int64_t held = (kind != KIND_NONE) - (before != KIND_NONE);
	const int64_t within = (kind == KIND_WITHIN) - (before == KIND_WITHIN);
	sl_ledger_add(pass, q->runs, job.row, kind - before);
	if (held)
		sl_ledger_add(pass, q->held, share_holder, held * asks(q, job));
	if (within)
		sl_ledger_add(pass, q->within, share_holder, within * asks(q, job));
}

static void quota_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	(void)pass;
	share_holders_submitted(&q->share_holders, job);
}

static void quota_ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	const int64_t kind = sl_ledger_get(pass, q->runs, job.row);
	if (kind == KIND_NONE)
		return;
	set_kind(q, pass, job, KIND_NONE);
	if (kind == KIND_WITHIN && !sl_ledger_get(pass, q->freed, 0))
		sl_ledger_add(pass, q->freed, 0, 1);
}

/* Quota that guaranteed jobs release goes to borrowers of the same share holder, the oldest first. */
static void promote(struct quota *q, struct sl_pass *pass)
{
	if (!sl_ledger_get(pass, q->freed, 0))
		return;
	sl_ledger_add(pass, q->freed, 0, -1);
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job))
		if (sl_ledger_get(pass, q->runs, job.row) == KIND_BORROWS && fits_quota(q, pass, job))
			set_kind(q, pass, job, KIND_WITHIN);
}

static bool start_job(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	const bool within = fits_quota(q, pass, job);
	sl_set_cause(pass, within ? SL_RULE_QUOTA : SL_RULE_BORROW, SL_JOB_NONE);
	if (!composed_start(composed, pass, job))
		return false;
	set_kind(q, pass, job, within ? KIND_WITHIN : KIND_BORROWS);
	return true;
}

/* What was started under another plan is within the quota as far as that goes. */
static void quota_history(struct composed *composed, struct sl_pass *pass, sl_job job,
	enum sl_history_command what, enum sl_preempt how)
{
	struct quota *q = composed->own;
	if (what == SL_HISTORY_START || what == SL_HISTORY_RESUME) {
		set_kind(q, pass, job, fits_quota(q, pass, job) ? KIND_WITHIN : KIND_BORROWS);
	} else if (what == SL_HISTORY_PREEMPT) {
		quota_ended(composed, pass, job);
		if (how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT)
			share_holders_requeued(&q->share_holders, job);
	}
}

/* ---- Reclaiming ----------------------------------------------------------------------------------- */

static bool stop(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	const bool keep = composed->values[PARAM_PREEMPT].number == 1;
	if (!composed_preempt(composed, pass, job, keep ? SL_PREEMPT_CHECKPOINT : SL_PREEMPT_REQUEUE))
		return false;
	set_kind(q, pass, job, KIND_NONE);
	share_holders_requeued(&q->share_holders, job);
	return true;
}

static uint32_t list_borrowers(struct quota *q, const struct sl_pass *pass)
{
	uint32_t count = 0;
	for (uint32_t share_holder = 0; share_holder < q->share_holders.count; share_holder++)
		q->first[share_holder] = UINT32_MAX;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job)) {
		if (sl_ledger_get(pass, q->runs, job.row) != KIND_BORROWS || !asks(q, job))
			continue;
		const uint32_t share_holder = q->share_holders.of[job.row];
		q->borrower[count] = job;
		q->next[count] = q->first[share_holder];
		q->first[share_holder] = count++;
	}
	return count;
}

/* The share holder that is most beyond its quota has its youngest borrower stopped. */
static sl_job next_victim(struct quota *q, const struct sl_pass *pass)
{
	uint32_t found = UINT32_MAX;
	int64_t most = 0;
	for (uint32_t share_holder = 0; share_holder < q->share_holders.count; share_holder++) {
		const int64_t over = sl_ledger_get(pass, q->held, share_holder) - q->quota[share_holder];
		if (q->first[share_holder] == UINT32_MAX || (found != UINT32_MAX && over <= most))
			continue;
		found = share_holder;
		most = over;
	}
	if (found == UINT32_MAX)
		return SL_JOB_NONE;
	const uint32_t place = q->first[found];
	q->first[found] = q->next[place];
	return q->borrower[place];
}

/* Stops victims until the job fits. */
static uint32_t gather_victims(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	uint32_t count = 0;
	if (!list_borrowers(q, pass))
		return 0;
	while (!sl_fits(pass, job)) {
		const sl_job victim = next_victim(q, pass);
		if (!sl_job_is(victim))
			return 0;
		if (stop(composed, pass, victim))
			q->victim[count++] = victim;
	}
	return count;
}

static bool fits_without(struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t count)
{
	struct quota *q = composed->own;
	const sl_marked mark = sl_mark(pass);
	for (uint32_t i = 0; i < count; i++)
		(void)stop(composed, pass, q->victim[i]);
	const bool fits = sl_fits(pass, job);
	composed_undo(composed, pass, mark);
	share_holders_rewind(&q->share_holders);
	return fits;
}

/* Those that, one after the other, need not have been stopped are spared, the first ones first. Only one no
 * larger than what is left over can be. */
static uint32_t spare_victims(
	struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t count, int64_t left)
{
	struct quota *q = composed->own;
	uint32_t i = 0;
	while (i < count) {
		const sl_job victim = q->victim[i];
		if (asks(q, victim) > left) {
			i++;
			continue;
		}
		for (uint32_t j = i; j + 1 < count; j++)
			q->victim[j] = q->victim[j + 1];
		if (fits_without(composed, pass, job, count - 1)) {
			count--;
			left -= asks(q, victim);
			continue;
		}
		for (uint32_t j = count - 1; j > i; j--)
			q->victim[j] = q->victim[j - 1];
		q->victim[i++] = victim;
	}
	return count;
}

/* Starts a job within its quota in place of borrowers, as few of those found as will do. */
static bool claim(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct quota *q = composed->own;
	if (composed->values[PARAM_PREEMPT].number == 2)
		return false;
	const sl_marked mark = sl_mark(pass);
	uint32_t count = gather_victims(composed, pass, job);
	int64_t left = 0;
	for (unsigned kind = SL_KIND_GPUS; q->kind && kind < sl_cluster_of(pass)->kind_count; kind++)
		left += sl_free(pass, kind);
	left = (q->kind ? left : sl_free(pass, SL_KIND_CPUS)) - asks(q, job);
	composed_undo(composed, pass, mark);
	share_holders_rewind(&q->share_holders);
	if (!count)
		return false;
	count = spare_victims(composed, pass, job, count, left);
	sl_set_cause(pass, SL_RULE_RECLAIM, job);
	for (uint32_t i = 0; i < count; i++)
		SL_CHECK(stop(composed, pass, q->victim[i]));
	return start_job(composed, pass, job);
}

/* ---- Passes -------------------------------------------------------------------------------------------- */

/* The first job of the share holder with the least allocated for its quota, of those within it or of all;
 * ties by the order of submission. */
static sl_job least_held(struct quota *q, const struct sl_pass *pass, bool within)
{
	sl_job found = SL_JOB_NONE;
	struct ratio least = { 0 };
	for (uint32_t i = 0; i < q->share_holders.active_count; i++) {
		const uint32_t share_holder = q->share_holders.active[i];
		const sl_job job = q->barred[share_holder] == q->passes
					   ? SL_JOB_NONE
					   : share_holders_first(&q->share_holders, pass, share_holder);
		if (!sl_job_is(job) || (within && !fits_quota(q, pass, job)))
			continue;
		const struct ratio ratio = { sl_ledger_get(pass, q->held, share_holder),
			q->quota[share_holder] };
		const int order = sl_job_is(found) ? ratio_compare(ratio, least) : -1;
		if (order > 0 || (order == 0 && job.row > found.row))
			continue;
		found = job;
		least = ratio;
	}
	return found;
}

static void bar(struct quota *q, struct sl_pass *pass, sl_job job, enum sl_reason reason)
{
	q->barred[q->share_holders.of[job.row]] = q->passes;
	share_holders_report(&q->share_holders, pass, q->reported, job, reason);
}

/* Guaranteed jobs first; while one of them does not fit, none borrows. */
static void quota_pass(struct composed *composed, struct sl_pass *pass)
{
	struct quota *q = composed->own;
	share_holders_begin(&q->share_holders, pass);
	q->passes++;
	promote(q, pass);
	bool stuck = false;
	for (;;) {
		sl_job job = least_held(q, pass, true);
		if (sl_job_is(job)) {
			if (start_job(composed, pass, job) || claim(composed, pass, job))
				continue;
			bar(q, pass, job, SL_REASON_RESOURCES);
			stuck = true;
			continue;
		}
		job = least_held(q, pass, false);
		if (!sl_job_is(job))
			return;
		if (stuck || !start_job(composed, pass, job))
			bar(q, pass, job, SL_REASON_QUOTA);
	}
}

const struct plan plan_quota = {
	.name = "quota",
	.summary =
		"guaranteed shares; what is idle is lent in proportion to them, and taken back when claimed",
	.paper =
		"the capacity scheduler of Hadoop, and fair sharing with preemption: Zaharia et al., Job scheduling for "
		"multi-user MapReduce clusters, UCB/EECS-2009-55",
	.uses = SL_USE_PREEMPT,
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_BY) | TAKES(PARAM_QUOTAS) | TAKES(PARAM_PREEMPT),
	.parts = true,
	.own_order = true,
	.lanes_not = "each party has a queue of its own, so say by=partition",
	.init = quota_init,
	.pass = quota_pass,
	.submitted = quota_submitted,
	.ended = quota_ended,
	.beyond = quota_history,
};
