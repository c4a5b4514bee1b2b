/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits_run.c - whether limits allow a job to start now, and the reason of the first that does not:
 * slurmctld's acct_policy_job_runnable_pre_select() and _post_select().
 *
 * Before nodes are chosen: counts of running jobs, and wall times. After: its allocation, with what is used.
 * In each, all of one QOS comes before all of the next; the order within is slurmctld's, as it decides which
 * reason is seen.
 */
#include "policies/slurm/accounts/ctl_limits.h"

struct attempt {
	struct ctl_look look;
	const int64_t *tres;              /* Of its prospective allocation. */
	const struct select_alloc *alloc; /* On these nodes; NULL: not known. */
	int64_t minutes;                  /* Of its time limit, with UsageFactorSafe; */
	int64_t wall;                     /* as it is. CTL_NONE: not tested yet. */
	uint64_t known;                   /* Bit i: how much that has of TRES i is known. */
	bool doubted;                     /* Something else would have to be known. */
};

/* ---- Before nodes are chosen ------------------------------------------------------------------------ */

static bool jobs(struct ctl_look *look, const struct ctl_limits *limits, enum ctl_limit_number kind,
	const struct ctl_used *used, enum sl_reason why)
{
	return !ctl_look_number(look, limits, kind) || (used ? used->jobs : 0) < limits->number[kind] ||
	       ctl_look_no(look, why);
}

/* The time limit that is compared with walls: one that it has from a limit never exceeds what that is now. */
static void look_at_wall(struct attempt *t, int64_t most)
{
	if (t->wall != CTL_NONE)
		return;
	const int64_t asked = t->look.job->time_limit;
	t->wall = asked == CTL_NEVER ? CTL_MINUTES_INFINITE : asked < 0 ? most : asked;
	if (t->look.job->limit_of_limits && t->wall > most)
		t->wall = most;
}

static bool group_wall(struct attempt *t, const struct ctl_limits *limits, double used, enum sl_reason why)
{
	if (!ctl_look_number(&t->look, limits, CTL_GRP_WALL))
		return true;
	const int64_t limit = limits->number[CTL_GRP_WALL];
	const int64_t longest = limits->number[CTL_MAX_WALL];
	look_at_wall(t, limit < longest ? limit : longest);
	/* Whole minutes: 59 seconds used are none. */
	const int64_t minutes = ctl_used_mins(used);
	return (minutes < limit && (!t->look.c->params.enforce_safe || t->wall <= limit - minutes)) ||
	       ctl_look_no(&t->look, why);
}

static bool wall(struct attempt *t, const struct ctl_limits *limits, enum sl_reason why)
{
	if (!ctl_look_number(&t->look, limits, CTL_MAX_WALL))
		return true;
	look_at_wall(t, limits->number[CTL_MAX_WALL]);
	return t->wall <= limits->number[CTL_MAX_WALL] || ctl_look_no(&t->look, why);
}

static bool qos_before(struct ctl_look *look, uint32_t row)
{
	struct attempt *t = (struct attempt *)look;
	const struct ctl_qos *qos = &look->c->qos[row];
	const struct ctl_limits *limits = qos->limits;
	t->wall = CTL_NONE;
	return jobs(look, limits, CTL_GRP_JOBS, qos->used, SL_REASON_QOS_GRP_JOBS) &&
	       group_wall(t, limits, qos->grp_used_wall, SL_REASON_QOS_GRP_WALL) &&
	       jobs(look, limits, CTL_MAX_JOBS_ACCOUNT, ctl_used_account(look->c, row, look->job->assoc),
		       SL_REASON_QOS_MAX_JOBS_ACCOUNT) &&
	       jobs(look, limits, CTL_MAX_JOBS_USER, ctl_used_user(look->c, row, look->job->user),
		       SL_REASON_QOS_MAX_JOBS_USER) &&
	       wall(t, limits, SL_REASON_QOS_MAX_WALL);
}

static bool assoc_before(struct ctl_look *look, uint32_t row)
{
	struct attempt *t = (struct attempt *)look;
	const struct ctl_assoc *assoc = &look->c->assoc[row];
	const struct ctl_limits *limits = assoc->limits;
	const uint32_t by_qos = UINT32_C(1) << CTL_MAX_JOBS_USER | UINT32_C(1) << CTL_MAX_JOBS_ACCOUNT;
	if (row == look->job->assoc)
		t->wall = CTL_NONE;
	if (!jobs(look, limits, CTL_GRP_JOBS, assoc->used, SL_REASON_ASSOC_GRP_JOBS) ||
		!group_wall(t, limits, assoc->grp_used_wall, SL_REASON_ASSOC_GRP_WALL))
		return false;
	if (row != look->job->assoc)
		return true; /* Max... limits of accounts have been handed down. */
	return (look->imposed.number & by_qos ||
		       jobs(look, limits, CTL_MAX_JOBS, assoc->used, SL_REASON_ASSOC_MAX_JOBS)) &&
	       wall(t, limits, SL_REASON_ASSOC_MAX_WALL);
}

/* job_limits_check(): EnforceUsageThreshold, against the fair-share factor. */
static bool above_threshold(const struct ctl *c, const struct ctl_job *job)
{
	if (job->qos >= c->qos_count || job->assoc >= c->assoc_count)
		return true;
	const struct ctl_qos *qos = &c->qos[job->qos];
	return !(qos->flags & CTL_QOS_ENFORCE_USAGE_THRESHOLD) || qos->limits->usage_thres < 0 ||
	       c->assoc[job->assoc].fs_factor >= qos->limits->usage_thres;
}

enum sl_reason ctl_limits_pre(struct ctl *c, struct ctl_job *job)
{
	if (job->expedited)
		return SL_REASON_NONE;
	if (!above_threshold(c, job))
		return SL_REASON_QOS_USAGE;
	if (c->params.enforce_assoc && c->acct && c->acct->reported && job->assoc == CTL_NO_ROW)
		return SL_REASON_INVALID_ACCOUNT;
	if (!ctl_limits_on(c, job))
		return SL_REASON_NONE;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	struct attempt t = { .look = { .c = c, .job = job } };
	return ctl_look_all(&t.look, &order, qos_before, assoc_before) ? SL_REASON_NONE : t.look.reason;
}

/* ---- With its prospective allocation --------------------------------------------------------- */

/* The limit is one on an amount that is not known: no answer. */
static bool doubted(struct attempt *t, uint32_t tres)
{
	t->doubted |= !(t->known & nset_has(tres));
	return t->doubted;
}

/* Its allocation of each TRES, with what is allocated, against a Grp limit. used NULL: nothing is allocated.
 */
static bool held(struct attempt *t, const struct ctl_limits *limits, enum ctl_limit_tres kind,
	const struct ctl_used *used, enum ctl_reason_of why)
{
	for (uint32_t i = 0; limits->tres[kind] && i < t->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&t->look, limits, kind, i, &limit))
			continue;
		if (doubted(t, i))
			return false;
		limit = ctl_look_factor(&t->look, limit);
		int64_t more = t->tres[i];
		if (i == CTL_TRES_NODE)
			more = ctl_nodes_new(used, t->alloc, more);
		if (more > limit || (used && more > limit - used->tres[i]))
			return ctl_look_no(&t->look, ctl_reason_of(t->look.c, why, i));
	}
	return true;
}

static int64_t limit_mins(const struct attempt *t, uint32_t tres)
{
	return ctl_times(t->minutes, t->tres[tres]);
}

static int64_t held_mins(const struct ctl_used *used, uint32_t tres)
{
	return used ? (int64_t)(used->run_secs[tres] / 60) : 0;
}

/* MaxTRESRunMinsPU and PA came with 24.05: sacctmgr kept them before, and nobody looked. */
static bool is_of_release(const struct ctl *c, enum ctl_limit_tres kind)
{
	return (kind != CTL_MAX_RUN_USER && kind != CTL_MAX_RUN_ACCOUNT) || c->params.version >= CTL_24_05;
}

/* ...RunMins: minutes of limits that are not run yet. */
static bool run_mins(struct attempt *t, const struct ctl_limits *limits, enum ctl_limit_tres kind,
	const struct ctl_used *used, enum ctl_reason_of why)
{
	if (!is_of_release(t->look.c, kind))
		return true;
	for (uint32_t i = 0; limits->tres[kind] && i < t->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&t->look, limits, kind, i, &limit))
			continue;
		if (doubted(t, i))
			return false;
		if (limit_mins(t, i) > limit || limit_mins(t, i) > limit - held_mins(used, i))
			return ctl_look_no(&t->look, ctl_reason_of(t->look.c, why, i));
	}
	return true;
}

/* GrpTRESMins: minutes that were used; with `safe` those that running jobs and this one may still use, too.
 */
static bool used_mins(struct attempt *t, const struct ctl_limits *limits, const struct ctl_used *used,
	const double *seconds, enum ctl_reason_of why)
{
	for (uint32_t i = 0; limits->tres[CTL_GRP_MINS] && i < t->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&t->look, limits, CTL_GRP_MINS, i, &limit))
			continue;
		if (doubted(t, i))
			return false;
		const int64_t spent = ctl_used_mins(seconds[i]);
		if (spent >= limit)
			return ctl_look_no(&t->look, ctl_reason_of(t->look.c, why, i));
		if (t->look.c->params.enforce_safe &&
			(limit_mins(t, i) > limit || limit_mins(t, i) > limit - spent - held_mins(used, i)))
			return ctl_look_no(&t->look, ctl_reason_of(t->look.c, why, i));
	}
	return true;
}

/* A limit of this job alone. Associations do not look at TRES that it has none of. */
static bool own(
	struct attempt *t, const struct ctl_limits *limits, enum ctl_limit_tres kind, enum ctl_reason_of why)
{
	for (uint32_t i = 0; limits->tres[kind] && i < t->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&t->look, limits, kind, i, &limit))
			continue;
		if (doubted(t, i))
			return false;
		int64_t amount = kind == CTL_MAX_MINS ? limit_mins(t, i) : t->tres[i];
		if (!t->look.is_qos && !amount)
			continue;
		if (kind == CTL_MAX_NODE && t->tres[CTL_TRES_NODE] > 0)
			amount /= t->tres[CTL_TRES_NODE];
		if (kind != CTL_MAX_MINS)
			limit = ctl_look_factor(&t->look, limit);
		if (kind == CTL_MIN_JOB ? amount < limit : amount > limit)
			return ctl_look_no(&t->look, ctl_reason_of(t->look.c, why, i));
	}
	return true;
}

static bool qos_after(struct ctl_look *look, uint32_t row)
{
	struct attempt *t = (struct attempt *)look;
	const struct ctl_qos *qos = &look->c->qos[row];
	const struct ctl_limits *limits = qos->limits;
	const struct ctl_used *account = ctl_used_account(look->c, row, look->job->assoc);
	const struct ctl_used *user = ctl_used_user(look->c, row, look->job->user);
	if (look->imposed.factor == 0)
		look->imposed.factor = limits->factor;
	return used_mins(t, limits, qos->used, qos->usage_tres, CTL_WHY_QOS_GRP_MINS) &&
	       held(t, limits, CTL_GRP_TRES, qos->used, CTL_WHY_QOS_GRP) &&
	       run_mins(t, limits, CTL_GRP_RUN_MINS, qos->used, CTL_WHY_QOS_GRP_RUN_MINS) &&
	       own(t, limits, CTL_MAX_MINS, CTL_WHY_QOS_MINS) &&
	       own(t, limits, CTL_MAX_JOB, CTL_WHY_QOS_JOB) &&
	       own(t, limits, CTL_MAX_NODE, CTL_WHY_QOS_NODE) &&
	       own(t, limits, CTL_MIN_JOB, CTL_WHY_QOS_MIN) &&
	       held(t, limits, CTL_MAX_ACCOUNT, account, CTL_WHY_QOS_ACCOUNT) &&
	       run_mins(t, limits, CTL_MAX_RUN_ACCOUNT, account, CTL_WHY_QOS_ACCOUNT) &&
	       held(t, limits, CTL_MAX_USER, user, CTL_WHY_QOS_USER) &&
	       run_mins(t, limits, CTL_MAX_RUN_USER, user, CTL_WHY_QOS_USER);
}

static bool assoc_after(struct ctl_look *look, uint32_t row)
{
	struct attempt *t = (struct attempt *)look;
	const struct ctl_assoc *assoc = &look->c->assoc[row];
	const struct ctl_limits *limits = assoc->limits;
	if (!used_mins(t, limits, assoc->used, assoc->usage_tres, CTL_WHY_ASSOC_GRP_MINS) ||
		!held(t, limits, CTL_GRP_TRES, assoc->used, CTL_WHY_ASSOC_GRP) ||
		!run_mins(t, limits, CTL_GRP_RUN_MINS, assoc->used, CTL_WHY_ASSOC_GRP_RUN_MINS))
		return false;
	if (row != look->job->assoc)
		return true;
	return own(t, limits, CTL_MAX_MINS, CTL_WHY_ASSOC_MINS) &&
	       own(t, limits, CTL_MAX_JOB, CTL_WHY_ASSOC_JOB) &&
	       own(t, limits, CTL_MAX_NODE, CTL_WHY_ASSOC_NODE);
}

static int64_t safe_minutes(const struct ctl *c, const struct ctl_job *job, const struct ctl_order_of *order)
{
	int64_t minutes = job->time_limit == CTL_NONE ? ctl_limit_in(c, job, job->part) : job->time_limit;
	if (minutes < 0 || minutes > CTL_MINUTES_INFINITE)
		minutes = CTL_MINUTES_INFINITE;
	const double factor = ctl_factor_safe(c, order);
	return factor == 1 ? minutes : (int64_t)((double)minutes * factor);
}

enum sl_reason ctl_limits_post_on(
	struct ctl *c, struct ctl_job *job, const int64_t *tres, const struct select_alloc *alloc)
{
	if (job->expedited || !ctl_limits_on(c, job))
		return SL_REASON_NONE;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	struct attempt t = {
		.look = { .c = c, .job = job },
		.tres = tres,
		.alloc = alloc,
		.minutes = safe_minutes(c, job, &order),
		.known = ~UINT64_C(0),
	};
	return ctl_look_all(&t.look, &order, qos_after, assoc_after) ? SL_REASON_NONE : t.look.reason;
}

/* TRES of which any allocation of the job in its partition has what it asked for, found out once. */
static uint64_t known_of(const struct ctl *c, struct ctl_job *job)
{
	if (job->known_part == job->part)
		return job->known;
	job->known_part = job->part;
	job->known = 0;
	for (uint32_t i = CTL_TRES_FIRST; i < c->tres_count; i++) {
		const struct ctl_tres *of = &c->tres[i];
		if (of->gres != CTL_NO_ROW && !of->type &&
			select_sure_gres(c->select, &job->desc, of->gres) == job->tres_asked[i])
			job->known |= nset_has(i);
	}
	return job->known;
}

enum sl_reason ctl_limits_post_sure(struct ctl *c, struct ctl_job *job)
{
	if (job->expedited || !ctl_limits_on(c, job))
		return SL_REASON_NONE;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	struct attempt t = {
		.look = { .c = c, .job = job },
		.tres = job->tres_asked,
		.minutes = safe_minutes(c, job, &order),
		.known = known_of(c, job),
	};
	const bool allowed = ctl_look_all(&t.look, &order, qos_after, assoc_after);
	return allowed || t.doubted ? SL_REASON_NONE : t.look.reason;
}

enum sl_reason ctl_limits_post(struct ctl *c, struct ctl_job *job, const int64_t *tres)
{
	return ctl_limits_post_on(c, job, tres, NULL);
}
