/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits_submit.c - what limits refuse at submission: slurmctld's acct_policy_validate().
 *
 * Counts of submitted jobs always refuse. Limits of sizes and times refuse only if one of the job's QOS has
 * DenyOnLimit (strict); else the job waits with their reason. A job without a time limit gets that of
 * MaxWall or GrpWall here. An array is accepted or refused as a whole.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

struct submit {
	struct ctl_look look;
	int64_t jobs;      /* That come with it. */
	int64_t part_time; /* Minutes. */
	int64_t time;      /* Minutes; CTL_NONE: not asked. */
	bool time_given;   /* It is a limit's. */
	bool strict;
};

/* ---- Sizes ------------------------------------------------------------------------------------------ */

static int64_t ctl_limits_submit_asked(const struct submit *s, enum ctl_limit_tres kind, uint32_t tres)
{
	const int64_t nodes = s->look.job->tres_asked[CTL_TRES_NODE];
	const int64_t amount = s->look.job->tres_asked[tres];
	return kind == CTL_MAX_NODE && nodes > 0 ? amount / nodes : amount;
}

/* A limit of each TRES against what is asked. Associations do not look at TRES that are not asked. */
static bool size(
	struct submit *s, const struct ctl_limits *limits, enum ctl_limit_tres kind, enum ctl_reason_of why)
{
	for (uint32_t i = 0; s->strict && i < s->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&s->look, limits, kind, i, &limit) ||
			(!s->look.is_qos && !s->look.job->tres_asked[i]))
			continue;
		limit = ctl_look_factor(&s->look, limit);
		const int64_t amount = ctl_limits_submit_asked(s, kind, i);
		if (kind == CTL_MIN_JOB ? amount < limit : amount > limit)
			return ctl_look_no(&s->look, ctl_reason_of(s->look.c, why, i));
	}
	return true;
}

/* A QOS's GrpTRES and MaxTRESPerUser are tested together, TRES by TRES: a QOS that has set either has set
 * both. From 25.11 on each of the two is set by itself.
 */
static bool group_and_user(struct submit *s, const struct ctl_limits *limits)
{
	if (s->look.c->params.version >= CTL_25_11)
		return size(s, limits, CTL_MAX_USER, CTL_WHY_QOS_USER) &&
		       size(s, limits, CTL_GRP_TRES, CTL_WHY_QOS_GRP);
	for (uint32_t i = 0; s->strict && i < s->look.c->tres_count; i++) {
		const int64_t group = ctl_limit_of(limits, CTL_GRP_TRES, i);
		const int64_t user = ctl_limit_of(limits, CTL_MAX_USER, i);
		const uint64_t taken =
			s->look.imposed.tres[CTL_GRP_TRES] | s->look.imposed.tres[CTL_MAX_USER];
		if ((group == CTL_NEVER && user == CTL_NEVER) || taken & nset_has(i))
			continue;
		s->look.imposed.tres[CTL_GRP_TRES] |= group == CTL_NEVER ? 0 : nset_has(i);
		s->look.imposed.tres[CTL_MAX_USER] |= user == CTL_NEVER ? 0 : nset_has(i);
		if (s->look.job->tres_asked[i] > user)
			return ctl_look_no(&s->look, ctl_reason_of(s->look.c, CTL_WHY_QOS_USER, i));
		if (s->look.job->tres_asked[i] > group)
			return ctl_look_no(&s->look, ctl_reason_of(s->look.c, CTL_WHY_QOS_GRP, i));
	}
	return true;
}

/* ---- Times ------------------------------------------------------------------------------------------ */

/* _set_time_limit() */
static void set_time(struct submit *s, int64_t most)
{
	if (s->time == CTL_NONE) {
		s->time = most ? most : s->part_time;
		s->time_given = true;
	} else if (s->time_given && s->time > most) {
		s->time = most;
	}
}

/* TRES minutes, each against what is asked for the time asked for. */
static bool minutes(
	struct submit *s, const struct ctl_limits *limits, enum ctl_limit_tres kind, enum ctl_reason_of why)
{
	for (uint32_t i = 0; s->strict && i < s->look.c->tres_count; i++) {
		int64_t limit;
		const int64_t amount = s->look.job->tres_asked[i];
		if (amount <= 0 || !ctl_look_tres(&s->look, limits, kind, i, &limit))
			continue;
		set_time(s, limit / amount);
		if (s->time > limit / amount)
			return ctl_look_no(&s->look, ctl_reason_of(s->look.c, why, i));
	}
	return true;
}

static bool wall(
	struct submit *s, const struct ctl_limits *limits, enum ctl_limit_number kind, enum sl_reason why)
{
	if (!ctl_look_number(&s->look, limits, kind))
		return true;
	set_time(s, limits->number[kind]);
	return !s->strict || s->time <= limits->number[kind] || ctl_look_no(&s->look, why);
}

/* ---- Counts ----------------------------------------------------------------------------------------- */

static bool ctl_limits_submit_count(struct submit *s, const struct ctl_limits *limits,
	enum ctl_limit_number kind, const struct ctl_used *used, enum sl_reason why)
{
	if (!ctl_look_number(&s->look, limits, kind))
		return true;
	return (used ? used->submitted : 0) + s->jobs <= limits->number[kind] || ctl_look_no(&s->look, why);
}

static bool qos_accepts(struct ctl_look *look, uint32_t row)
{
	struct submit *s = (struct submit *)look;
	const struct ctl *c = look->c;
	const struct ctl_qos *qos = &c->qos[row];
	const struct ctl_limits *limits = qos->limits;
	if (look->imposed.factor == 0)
		look->imposed.factor = limits->factor;
	return size(s, limits, CTL_MAX_ACCOUNT, CTL_WHY_QOS_ACCOUNT) && group_and_user(s, limits) &&
	       ctl_limits_submit_count(s, limits, CTL_GRP_SUBMIT, qos->used, SL_REASON_QOS_GRP_SUBMIT) &&
	       minutes(s, limits, CTL_MAX_MINS, CTL_WHY_QOS_MINS) &&
	       minutes(s, limits, CTL_GRP_MINS, CTL_WHY_QOS_GRP_MINS) &&
	       minutes(s, limits, CTL_GRP_RUN_MINS, CTL_WHY_QOS_GRP_RUN_MINS) &&
	       wall(s, limits, CTL_MAX_WALL, SL_REASON_QOS_MAX_WALL) &&
	       wall(s, limits, CTL_GRP_WALL, SL_REASON_QOS_GRP_WALL) &&
	       size(s, limits, CTL_MAX_JOB, CTL_WHY_QOS_JOB) &&
	       size(s, limits, CTL_MAX_NODE, CTL_WHY_QOS_NODE) &&
	       ctl_limits_submit_count(s, limits, CTL_MAX_SUBMIT_ACCOUNT,
		       ctl_used_account(c, row, look->job->assoc), SL_REASON_QOS_MAX_SUBMIT_ACCOUNT) &&
	       ctl_limits_submit_count(s, limits, CTL_MAX_SUBMIT_USER, ctl_used_user(c, row, look->job->user),
		       SL_REASON_QOS_MAX_SUBMIT_USER) &&
	       size(s, limits, CTL_MIN_JOB, CTL_WHY_QOS_MIN);
}

static bool assoc_accepts(struct ctl_look *look, uint32_t row)
{
	struct submit *s = (struct submit *)look;
	const struct ctl_assoc *assoc = &look->c->assoc[row];
	const struct ctl_limits *limits = assoc->limits;
	const uint32_t by_qos = UINT32_C(1) << CTL_MAX_SUBMIT_USER | UINT32_C(1) << CTL_MAX_SUBMIT_ACCOUNT;
	if (!size(s, limits, CTL_GRP_TRES, CTL_WHY_ASSOC_GRP) ||
		!ctl_limits_submit_count(
			s, limits, CTL_GRP_SUBMIT, assoc->used, SL_REASON_ASSOC_GRP_SUBMIT) ||
		!minutes(s, limits, CTL_GRP_MINS, CTL_WHY_ASSOC_GRP_MINS) ||
		!minutes(s, limits, CTL_GRP_RUN_MINS, CTL_WHY_ASSOC_GRP_RUN_MINS) ||
		!wall(s, limits, CTL_GRP_WALL, SL_REASON_ASSOC_GRP_WALL))
		return false;
	if (row != look->job->assoc)
		return true; /* Max... limits of accounts have been handed down. */
	return size(s, limits, CTL_MAX_JOB, CTL_WHY_ASSOC_JOB) &&
	       size(s, limits, CTL_MAX_NODE, CTL_WHY_ASSOC_NODE) &&
	       (look->imposed.number & by_qos || ctl_limits_submit_count(s, limits, CTL_MAX_SUBMIT,
							 assoc->used, SL_REASON_ASSOC_MAX_SUBMIT)) &&
	       minutes(s, limits, CTL_MAX_MINS, CTL_WHY_ASSOC_MINS) &&
	       wall(s, limits, CTL_MAX_WALL, SL_REASON_ASSOC_MAX_WALL);
}

/* In one of its partitions. */
static bool accepts(struct submit *s, uint32_t part)
{
	const struct ctl *c = s->look.c;
	const struct ctl_order_of order = ctl_qos_order(c, s->look.job, part);
	s->look.imposed = (struct ctl_imposed){ .number = 0 };
	s->part_time = CTL_MINUTES_INFINITE;
	if (part < c->part_count && c->part[part].max_time != CTL_NEVER)
		s->part_time = c->part[part].max_time;
	s->strict = false;
	for (unsigned k = 0; k < 2; k++)
		s->strict |= order.qos[k] != CTL_NO_ROW && c->qos[order.qos[k]].flags & CTL_QOS_DENY_ON_LIMIT;
	return ctl_look_all(&s->look, &order, qos_accepts, assoc_accepts);
}

/* An array comes at once: its first task is asked for all of them, and the others follow it. */
static const struct ctl_job *ctl_limits_submit_first_of(const struct ctl *c, const struct ctl_job *job)
{
	const uint32_t array = job->array;
	if (array == CTL_NO_ROW || array >= c->array_count || !c->array[array].count)
		return job;
	uint32_t first = job->row;
	for (uint32_t i = 0; i < c->array[array].count && first == job->row; i++)
		first = c->array[array].job[i] < first ? c->array[array].job[i] : first;
	return &c->job[first];
}

static int64_t asked_time(const struct ctl *c, const struct ctl_job *job)
{
	if (job->limit_set == CTL_NONE)
		return job->part < c->part_count && c->part[job->part].default_time != CTL_NONE
			       ? job->time_limit
			       : CTL_NONE;
	return job->time_limit == CTL_NEVER ? CTL_MINUTES_INFINITE : job->time_limit;
}

/* In each of its partitions. */
static bool accepts_all(struct submit *s, const struct ctl_job *job)
{
	bool accepted = true;
	for (uint32_t k = 0; k < job->part_count && accepted; k++)
		accepted = accepts(s, job->parts[k]);
	return job->part_count ? accepted : accepts(s, job->part);
}

/* No job more, and nothing is taken over: components were counted one by one. */
enum sl_reason ctl_limits_submit_whole(struct ctl *c, struct ctl_job *job, const int64_t *tres)
{
	int64_t own[CTL_TRES_MAX];
	if (!ctl_limits_on(c, job))
		return SL_REASON_NONE;
	struct submit s = { .look = { .c = c, .job = job }, .time = asked_time(c, job) };
	memcpy(own, job->tres_asked, sizeof(own));
	memcpy(job->tres_asked, tres, sizeof(own));
	const bool accepted = accepts_all(&s, job);
	memcpy(job->tres_asked, own, sizeof(own));
	return accepted ? SL_REASON_NONE : s.look.reason;
}

enum sl_reason ctl_limits_submit(struct ctl *c, struct ctl_job *job)
{
	const enum sl_reason unknown = ctl_acct_find(c, job);
	if (unknown != SL_REASON_NONE)
		return job->refusal = unknown;
	if (!ctl_limits_on(c, job))
		return SL_REASON_NONE;
	const struct ctl_job *first = ctl_limits_submit_first_of(c, job);
	if (first != job && first->refusal != SL_REASON_NONE)
		return job->refusal = first->refusal;
	struct submit s = { .look = { .c = c, .job = job }, .time = asked_time(c, job) };
	s.jobs = first != job ? 0 : job->array != CTL_NO_ROW ? c->array[job->array].count : 1;
	if (!accepts_all(&s, job))
		return job->refusal = s.look.reason;
	if (s.time_given) {
		job->time_limit = s.time;
		job->limit_of_limits = true;
	}
	return SL_REASON_NONE;
}
