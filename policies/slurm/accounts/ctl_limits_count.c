/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits_count.c - what is used of limits: jobs that are submitted, that gather age and that run, by QOS,
 * by user and account within a QOS, by association and all above it.
 *
 * A job is subtracted from the counts that it was added to, whatever has been changed meanwhile; so all
 * counts are 0 when nothing is left. Nodes that several jobs of one count share count once (slurmctld since
 * 18.08), where nodes are limited.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

static struct ctl_used *used_new(struct ctl *c)
{
	struct ctl_used *used = sl_alloc(c->arena, 1, sizeof(*used));
	if (!used)
		return NULL;
	const size_t count = c->tres_count > CTL_TRES_FIRST ? c->tres_count : CTL_TRES_FIRST;
	used->tres = sl_alloc(c->arena, count, sizeof(*used->tres));
	used->run_secs = sl_alloc(c->arena, count, sizeof(*used->run_secs));
	return used->tres && used->run_secs ? used : NULL;
}

const struct ctl_used *ctl_used_user(const struct ctl *c, uint32_t qos, uint32_t user)
{
	struct ctl_used *const *of = c->qos[qos].used->user;
	return of && user < c->user_count ? of[user] : NULL;
}

const struct ctl_used *ctl_used_account(const struct ctl *c, uint32_t qos, uint32_t assoc)
{
	struct ctl_used *const *of = c->qos[qos].used->account;
	return of ? of[ctl_account_of(c, assoc)] : NULL;
}

/* One of a QOS's users or accounts, made when it is first needed. */
static struct ctl_used *ctl_limits_count_part(
	struct ctl *c, struct ctl_used ***of, uint32_t count, uint32_t row)
{
	if (row >= count)
		return NULL;
	if (!*of)
		*of = sl_alloc(c->arena, count, sizeof(struct ctl_used *));
	if (*of && !(*of)[row])
		(*of)[row] = used_new(c);
	if (!*of || !(*of)[row]) {
		controller_no_memory(&c->engine);
		return NULL;
	}
	return (*of)[row];
}

/* All counts of one QOS that a job is in: the QOS, its user's and its account's; NULL where there is none. */
struct counts {
	struct ctl_used *used[3];
	bool nodes[3]; /* Limited by nodes. */
};

static struct counts of_qos(struct ctl *c, uint32_t qos, uint32_t user, uint32_t assoc)
{
	struct ctl_used *used = c->qos[qos].used;
	const struct ctl_limits *limits = c->qos[qos].limits;
	return (struct counts){
		{ used, ctl_limits_count_part(c, &used->user, c->user_count, user),
			ctl_limits_count_part(c, &used->account, c->assoc_count, ctl_account_of(c, assoc)) },
		{ ctl_limit_of(limits, CTL_GRP_TRES, CTL_TRES_NODE) != CTL_NEVER,
			ctl_limit_of(limits, CTL_MAX_USER, CTL_TRES_NODE) != CTL_NEVER,
			ctl_limit_of(limits, CTL_MAX_ACCOUNT, CTL_TRES_NODE) != CTL_NEVER },
	};
}

/* ---- Nodes ------------------------------------------------------------------------------------------ */

int64_t ctl_nodes_new(const struct ctl_used *used, const struct select_alloc *alloc, int64_t count)
{
	if (!used || !used->on_node || !alloc)
		return count;
	int64_t fresh = 0;
	for (uint32_t i = 0; i < alloc->node_count; i++)
		fresh += !used->on_node[alloc->node_alloc[i].node];
	return fresh;
}

/* So many of the job's nodes were new, or are left now. */
static int64_t nodes_moved(
	struct ctl *c, struct ctl_used *used, const struct ctl_job *job, bool limited, bool begins)
{
	if (!job->alloc || !c->cluster)
		return job->tres_held[CTL_TRES_NODE];
	if (limited && begins && !used->on_node) {
		used->on_node = sl_alloc(c->arena, c->cluster->node_count, sizeof(*used->on_node));
		if (!used->on_node)
			controller_no_memory(&c->engine);
	}
	if (!used->on_node)
		return job->tres_held[CTL_TRES_NODE];
	int64_t moved = 0;
	for (uint32_t i = 0; i < job->alloc->node_count; i++) {
		uint32_t *jobs = &used->on_node[job->alloc->node_alloc[i].node];
		if (begins)
			moved += (*jobs)++ == 0;
		else
			moved += --*jobs == 0;
	}
	return moved;
}

/* ---- Running ---------------------------------------------------------------------------------------- */

static void run_secs(struct ctl *c, struct ctl_used *used, const struct ctl_job *job, uint64_t secs)
{
	for (uint32_t i = 0; i < c->tres_count; i++)
		used->run_secs[i] += (uint64_t)job->tres_held[i] * secs;
}

static void ctl_limits_count_move(
	struct ctl *c, struct ctl_used *used, const struct ctl_job *job, bool limited, bool begins)
{
	if (!used)
		return;
	const int64_t sign = begins ? 1 : -1;
	used->jobs += sign;
	for (uint32_t i = 0; i < c->tres_count; i++)
		if (i != CTL_TRES_NODE)
			used->tres[i] += sign * job->tres_held[i];
	used->tres[CTL_TRES_NODE] += sign * nodes_moved(c, used, job, limited, begins);
	run_secs(c, used, job, begins ? job->run_secs : UINT64_C(0) - job->run_secs);
}

static void move_all(struct ctl *c, struct ctl_job *job, bool begins)
{
	for (unsigned k = 0; k < 2; k++) {
		if (job->counted_qos[k] == CTL_NO_ROW)
			continue;
		const struct counts counts = of_qos(c, job->counted_qos[k], job->user, job->counted_assoc);
		for (unsigned i = 0; i < 3; i++)
			ctl_limits_count_move(c, counts.used[i], job, counts.nodes[i], begins);
	}
	for (uint32_t i = job->counted_assoc; i != CTL_NO_ROW; i = c->assoc[i].parent)
		ctl_limits_count_move(c, c->assoc[i].used, job,
			ctl_limit_of(c->assoc[i].limits, CTL_GRP_TRES, CTL_TRES_NODE) != CTL_NEVER, begins);
}

static uint64_t factored(uint64_t seconds, double factor)
{
	return factor == 1 ? seconds : (uint64_t)((double)seconds * factor);
}

/* Seconds against ...RunMins count with the UsageFactor of the job's QOS, whatever its flags; what is
 * released is cut to whole seconds each time, so that of a fractional factor a second may stay for good.
 * (Recorded: a limit of 180 s under a factor of 0.5 is 90 s, of which a second was left when no job ran any
 * more.) */
static double run_factor(const struct ctl *c, const struct ctl_job *job)
{
	return job->qos < c->qos_count && c->qos[job->qos].usage_factor >= 0 ? c->qos[job->qos].usage_factor
									     : 1;
}

/* Of its limit, without the factor. */
static uint64_t limit_secs(struct ctl *c, const struct ctl_job *job, int64_t minutes)
{
	if (minutes < 0)
		minutes = ctl_limit_in(c, job, job->part);
	if (minutes < 0 || minutes > CTL_MINUTES_INFINITE)
		minutes = CTL_MINUTES_INFINITE;
	return (uint64_t)minutes * 60;
}

static void begin_counting(struct ctl *c, struct ctl_job *job)
{
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	job->counted = true;
	job->counted_assoc = job->assoc;
	job->counted_qos[0] = order.qos[0];
	job->counted_qos[1] = order.qos[1];
	job->run_plain = limit_secs(c, job, job->time_limit);
	job->run_secs = factored(job->run_plain, run_factor(c, job));
	move_all(c, job, true);
}

/* It was submitted to several partitions: their QOS, but that in which it starts, count it no more. */
static void leave_partitions(struct ctl *c, struct ctl_job *job);

void ctl_limits_begin(struct ctl *c, struct ctl_job *job)
{
	if (job->counted || !ctl_limits_on(c, job))
		return;
	leave_partitions(c, job);
	begin_counting(c, job);
}

/* Without an allocation its nodes count in no limit. */
void ctl_limits_suppose(struct ctl *c, struct ctl_job *job, const int64_t *tres)
{
	if (job->counted || !ctl_limits_on(c, job))
		return;
	memcpy(job->tres_held, tres, sizeof(job->tres_held));
	job->tres_held[CTL_TRES_NODE] = 0;
	begin_counting(c, job);
}

void ctl_limits_end(struct ctl *c, struct ctl_job *job)
{
	if (!job->counted)
		return;
	job->run_secs = factored(job->run_plain, run_factor(c, job));
	move_all(c, job, false);
	job->counted = false;
	job->run_secs = job->run_plain = 0;
}

static void run_all(struct ctl *c, struct ctl_job *job, uint64_t secs)
{
	for (unsigned k = 0; k < 2; k++) {
		if (job->counted_qos[k] == CTL_NO_ROW)
			continue;
		const struct counts counts = of_qos(c, job->counted_qos[k], job->user, job->counted_assoc);
		for (unsigned i = 0; i < 3; i++)
			if (counts.used[i])
				run_secs(c, counts.used[i], job, secs);
	}
	for (uint32_t i = job->counted_assoc; i != CTL_NO_ROW; i = c->assoc[i].parent)
		run_secs(c, c->assoc[i].used, job, secs);
	job->run_secs += secs;
}

void ctl_limits_ran(struct ctl *c, struct ctl_job *job, ctl_time from, ctl_time until)
{
	if (!job->counted || until <= from)
		return;
	const uint64_t seconds = (uint64_t)(until - from);
	const uint64_t plain = seconds < job->run_plain ? seconds : job->run_plain;
	const uint64_t ran = factored(plain, run_factor(c, job));
	job->run_plain -= plain;
	run_all(c, job, UINT64_C(0) - (ran < job->run_secs ? ran : job->run_secs));
}

void ctl_limits_alter(struct ctl *c, struct ctl_job *job, int64_t old_limit_min)
{
	if (!job->counted)
		return;
	const uint64_t before = limit_secs(c, job, old_limit_min);
	const uint64_t after = limit_secs(c, job, job->time_limit);
	/* What was run of it stays run. */
	const uint64_t ran = before > job->run_plain ? before - job->run_plain : 0;
	job->run_plain = after > ran ? after - ran : 0;
	run_all(c, job, factored(job->run_plain, run_factor(c, job)) - job->run_secs);
}

/* ---- Submitted -------------------------------------------------------------------------------------- */

static void submit_one(struct ctl *c, struct ctl_job *job, uint32_t qos, int64_t sign)
{
	const struct counts counts = of_qos(c, qos, job->user, job->submit_assoc);
	for (unsigned i = 0; i < 3; i++)
		if (counts.used[i])
			counts.used[i]->submitted += sign;
}

/* Of a list of QOS the highest counts what is submitted, whichever it starts with
 * (_set_highest_prio_qos_ptr()). */
static uint32_t submit_qos(const struct ctl_job *job) { return job->qos_count ? job->qoses[0] : job->qos; }

/* Whether an earlier partition of its list has that QOS too, or the job itself. */
static bool has_before(const struct ctl *c, const struct ctl_job *job, uint32_t qos, uint32_t k)
{
	bool has = qos == submit_qos(job);
	for (uint32_t i = 0; i < k; i++)
		has |= c->part[job->parts[i]].qos == qos;
	return has;
}

static uint32_t qos_of(const struct ctl *c, uint32_t part)
{
	return part < c->part_count ? c->part[part].qos : CTL_NO_ROW;
}

static void submit_all(struct ctl *c, struct ctl_job *job, int64_t sign)
{
	if (submit_qos(job) != CTL_NO_ROW)
		submit_one(c, job, submit_qos(job), sign);
	const uint32_t only = job->submit_part != CTL_NO_ROW ? job->submit_part : job->part;
	if (job->submit_part != CTL_NO_ROW || job->part_count < 2) {
		const uint32_t qos = qos_of(c, only);
		if (qos != CTL_NO_ROW && qos != submit_qos(job))
			submit_one(c, job, qos, sign);
	} else {
		for (uint32_t k = 0; k < job->part_count; k++) {
			const uint32_t qos = qos_of(c, job->parts[k]);
			if (qos != CTL_NO_ROW && !has_before(c, job, qos, k))
				submit_one(c, job, qos, sign);
		}
	}
	for (uint32_t i = job->submit_assoc; i != CTL_NO_ROW; i = c->assoc[i].parent)
		c->assoc[i].used->submitted += sign;
}

static void leave_partitions(struct ctl *c, struct ctl_job *job)
{
	if (!job->counted_submit || job->submit_part != CTL_NO_ROW)
		return;
	for (uint32_t k = 0; job->part_count > 1 && k < job->part_count; k++) {
		const uint32_t qos = qos_of(c, job->parts[k]);
		if (qos != CTL_NO_ROW && qos != qos_of(c, job->part) && !has_before(c, job, qos, k))
			submit_one(c, job, qos, -1);
	}
	job->submit_part = job->part;
}

void ctl_limits_submitted(struct ctl *c, struct ctl_job *job, bool added)
{
	if (added == job->counted_submit || (added && !ctl_limits_on(c, job)))
		return;
	if (added) {
		job->submit_assoc = job->assoc;
		job->submit_part = CTL_NO_ROW;
	}
	submit_all(c, job, added ? 1 : -1);
	job->counted_submit = added;
}

/* ---- Age -------------------------------------------------------------------------------------------- */

static bool below(const struct ctl_limits *limits, enum ctl_limit_number kind, const struct ctl_used *used)
{
	return (used ? used->accrue : 0) < limits->number[kind];
}

static bool qos_lets_accrue(struct ctl_look *look, uint32_t row)
{
	const struct ctl_qos *qos = &look->c->qos[row];
	const struct {
		enum ctl_limit_number kind;
		const struct ctl_used *used;
	} test[] = { { CTL_GRP_ACCRUE, qos->used },
		{ CTL_MAX_ACCRUE_ACCOUNT, ctl_used_account(look->c, row, look->job->assoc) },
		{ CTL_MAX_ACCRUE_USER, ctl_used_user(look->c, row, look->job->user) } };
	for (size_t i = 0; i < SL_LEN(test); i++)
		if (ctl_look_number(look, qos->limits, test[i].kind) &&
			!below(qos->limits, test[i].kind, test[i].used))
			return false;
	return true;
}

static bool assoc_lets_accrue(struct ctl_look *look, uint32_t row)
{
	const struct ctl_assoc *assoc = &look->c->assoc[row];
	const uint32_t by_qos = UINT32_C(1) << CTL_MAX_ACCRUE_USER | UINT32_C(1) << CTL_MAX_ACCRUE_ACCOUNT;
	if (row == look->job->assoc && !(look->imposed.number & by_qos) &&
		!below(assoc->limits, CTL_MAX_ACCRUE, assoc->used))
		return false;
	return !ctl_look_number(look, assoc->limits, CTL_GRP_ACCRUE) ||
	       below(assoc->limits, CTL_GRP_ACCRUE, assoc->used);
}

static void accrue_all(struct ctl *c, struct ctl_job *job, int64_t sign)
{
	for (unsigned k = 0; k < 2; k++) {
		if (job->accrue_qos[k] == CTL_NO_ROW)
			continue;
		const struct counts counts = of_qos(c, job->accrue_qos[k], job->user, job->accrue_assoc);
		for (unsigned i = 0; i < 3; i++)
			if (counts.used[i])
				counts.used[i]->accrue += sign;
	}
	for (uint32_t i = job->accrue_assoc; i != CTL_NO_ROW; i = c->assoc[i].parent)
		c->assoc[i].used->accrue += sign;
}

bool ctl_limits_accrue(struct ctl *c, struct ctl_job *job)
{
	if (job->counted_accrue || !ctl_limits_on(c, job))
		return true;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	if (!ctl_look_all(
		    &(struct ctl_look){ .c = c, .job = job }, &order, qos_lets_accrue, assoc_lets_accrue))
		return false;
	job->counted_accrue = true;
	job->accrue_assoc = job->assoc;
	job->accrue_qos[0] = order.qos[0];
	job->accrue_qos[1] = order.qos[1];
	accrue_all(c, job, 1);
	return true;
}

void ctl_limits_accrued(struct ctl *c, struct ctl_job *job)
{
	if (!job->counted_accrue)
		return;
	accrue_all(c, job, -1);
	job->counted_accrue = false;
}

/* ---- Making them ------------------------------------------------------------------------------------ */

void ctl_limits_recount(struct ctl *c)
{
	/* Nodes are counted from a job's start on: where a limit is new, as if all that run started anew. */
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (c->job[row].counted)
			move_all(c, &c->job[row], false);
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (c->job[row].counted)
			move_all(c, &c->job[row], true);
}

int ctl_limits_make(struct ctl *c, struct sl_err *err)
{
	bool ok = true;
	for (uint32_t i = 0; i < c->qos_count && ok; i++) {
		c->qos[i].used = used_new(c);
		ok = c->qos[i].used != NULL;
	}
	for (uint32_t i = 0; i < c->assoc_count && ok; i++) {
		c->assoc[i].used = used_new(c);
		ok = c->assoc[i].used != NULL;
	}
	return ok ? SL_OK : sl_fail_memory(err);
}
