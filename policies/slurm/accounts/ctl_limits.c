/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits.c - which QOS and associations limit a job, in which order, and the pending reasons for it;
 * single limits. slurmctld's acct_policy.c, of which ctl_limits_submit.c, _run.c and _count.c are the rest.
 *
 * Order (CLAUSES.md 7, resource_limits.html): the partition's QOS, the job's QOS (the other way round if the
 * job's has OverPartQOS), the association of the user, its accounts up to root. A limit that one has set for
 * a TRES or a number, whatever the value, overrides those behind; of an association and those above it all
 * apply.
 */
#include "policies/slurm/accounts/ctl_limits.h"

/* ---- Words ------------------------------------------------------------------------------------------ */

enum sort { CPU, MEM, NODE, BILLING, GRES, LICENSE, SORTS };

static enum sort sort_of(const struct ctl *c, uint32_t tres)
{
	static const enum sort first[CTL_TRES_FIRST] = { CPU, MEM, NODE, BILLING };
	if (tres < CTL_TRES_FIRST)
		return first[tres];
	return c->tres[tres].license != CTL_NO_ROW ? LICENSE : GRES;
}

#define WHY(of, what)                                                                                   \
	{                                                                                               \
		SL_REASON_##of##_CPU_##what, SL_REASON_##of##_MEM_##what, SL_REASON_##of##_NODE_##what, \
			SL_REASON_##of##_BILLING_##what, SL_REASON_##of##_GRES_##what,                  \
			SL_REASON_##of##_LICENSE_##what                                                 \
	}
#define WHY_PLAIN(of)                                                                                        \
	{                                                                                                    \
		SL_REASON_##of##_CPU, SL_REASON_##of##_MEM, SL_REASON_##of##_NODE, SL_REASON_##of##_BILLING, \
			SL_REASON_##of##_GRES, SL_REASON_##of##_LICENSE                                      \
	}
/* Slurm has no words for nodes and licences of a node. */
#define WHY_NODE(of)                                                                                 \
	{                                                                                            \
		SL_REASON_##of##_CPU_NODE, SL_REASON_##of##_MEM_NODE, SL_REASON_##of##_UNKNOWN_NODE, \
			SL_REASON_##of##_BILLING_NODE, SL_REASON_##of##_GRES_NODE,                   \
			SL_REASON_##of##_UNKNOWN_NODE                                                \
	}

enum sl_reason ctl_reason_of(const struct ctl *c, enum ctl_reason_of why, uint32_t tres)
{
	static const enum sl_reason reason[CTL_WHYS][SORTS] = {
		[CTL_WHY_ASSOC_GRP] = WHY_PLAIN(ASSOC_GRP),
		[CTL_WHY_ASSOC_GRP_MINS] = WHY(ASSOC_GRP, MINS),
		[CTL_WHY_ASSOC_GRP_RUN_MINS] = WHY(ASSOC_GRP, RUN_MINS),
		[CTL_WHY_ASSOC_JOB] = WHY(ASSOC_MAX, JOB),
		[CTL_WHY_ASSOC_NODE] = WHY_NODE(ASSOC_MAX),
		[CTL_WHY_ASSOC_MINS] = WHY(ASSOC_MAX, MINS_JOB),
		[CTL_WHY_QOS_GRP] = WHY_PLAIN(QOS_GRP),
		[CTL_WHY_QOS_GRP_MINS] = WHY(QOS_GRP, MINS),
		[CTL_WHY_QOS_GRP_RUN_MINS] = WHY(QOS_GRP, RUN_MINS),
		[CTL_WHY_QOS_JOB] = WHY(QOS_MAX, JOB),
		[CTL_WHY_QOS_NODE] = WHY_NODE(QOS_MAX),
		[CTL_WHY_QOS_MINS] = WHY(QOS_MAX, MINS_JOB),
		[CTL_WHY_QOS_USER] = WHY(QOS_MAX, USER),
		[CTL_WHY_QOS_ACCOUNT] = WHY(QOS_MAX, ACCOUNT),
		[CTL_WHY_QOS_MIN] = WHY_PLAIN(QOS_MIN),
	};
	return reason[why][sort_of(c, tres)];
}

/* ---- In which order -------------------------------------------------------------------------- */

bool ctl_limits_on(const struct ctl *c, const struct ctl_job *job)
{
	return (c->params.enforce_limits || c->params.enforce_safe) && job->assoc != CTL_NO_ROW &&
	       job->assoc < c->assoc_count;
}

struct ctl_order_of ctl_qos_order(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	const uint32_t of_job = job->qos < c->qos_count ? job->qos : CTL_NO_ROW;
	uint32_t of_part = part < c->part_count ? c->part[part].qos : CTL_NO_ROW;
	if (of_part >= c->qos_count || of_part == of_job)
		of_part = CTL_NO_ROW;
	if (of_part == CTL_NO_ROW)
		return (struct ctl_order_of){ { of_job, CTL_NO_ROW } };
	if (of_job == CTL_NO_ROW)
		return (struct ctl_order_of){ { of_part, CTL_NO_ROW } };
	if (c->qos[of_job].flags & CTL_QOS_OVER_PART_QOS)
		return (struct ctl_order_of){ { of_job, of_part } };
	return (struct ctl_order_of){ { of_part, of_job } };
}

uint32_t ctl_account_of(const struct ctl *c, uint32_t assoc)
{
	while (c->assoc[assoc].user && c->assoc[assoc].parent != CTL_NO_ROW)
		assoc = c->assoc[assoc].parent;
	return assoc;
}

/* UsageFactorSafe: time limits count with the QOS's UsageFactor; 1: they do not. */
double ctl_factor_safe(const struct ctl *c, const struct ctl_order_of *order)
{
	for (unsigned k = 0; k < 2; k++)
		if (order->qos[k] != CTL_NO_ROW && c->qos[order->qos[k]].flags & CTL_QOS_USAGE_FACTOR_SAFE)
			return c->qos[order->qos[k]].usage_factor;
	return 1;
}

int64_t ctl_times(int64_t a, int64_t b) { return b && a > (CTL_NEVER - 1) / b ? CTL_NEVER - 1 : a * b; }

int64_t ctl_used_mins(double seconds)
{
	const double minutes = seconds / 60.0;
	return minutes < 9e18 ? (int64_t)minutes : CTL_NEVER - 1;
}

/* ---- A look at all of them --------------------------------------------------------------------------- */

bool ctl_look_all(struct ctl_look *look, const struct ctl_order_of *order,
	bool (*qos)(struct ctl_look *look, uint32_t row), bool (*assoc)(struct ctl_look *look, uint32_t row))
{
	bool good = true;
	look->is_qos = true;
	for (unsigned k = 0; k < 2 && good; k++)
		good = order->qos[k] == CTL_NO_ROW || qos(look, order->qos[k]);
	look->is_qos = false;
	const uint32_t first = look->c->assoc[look->job->assoc].limited;
	for (uint32_t i = first; i != CTL_NO_ROW && good; i = ctl_limited_above(look->c, i))
		good = assoc(look, i);
	return good;
}

int64_t ctl_look_factor(const struct ctl_look *look, int64_t limit)
{
	if (look->is_qos || look->imposed.factor == 0)
		return limit;
	const double more = (double)limit * look->imposed.factor;
	return more < 9e18 ? (int64_t)more : CTL_NEVER - 1;
}

bool ctl_look_no(struct ctl_look *look, enum sl_reason reason)
{
	look->reason = reason;
	return false;
}

/* ---- Asked by themselves ---------------------------------------------------------------------------- */

/* The first of the two QOS that limits it. */
static int64_t of_order(
	const struct ctl *c, const struct ctl_order_of *order, enum ctl_limit_tres kind, uint32_t tres)
{
	for (unsigned k = 0; k < 2; k++) {
		const int64_t limit = order->qos[k] == CTL_NO_ROW
					      ? CTL_NEVER
					      : ctl_limit_of(c->qos[order->qos[k]].limits, kind, tres);
		if (limit != CTL_NEVER)
			return limit;
	}
	return CTL_NEVER;
}

static void ctl_limits_least(int64_t limit, enum sl_reason why, int64_t *most, enum sl_reason *reason)
{
	if (limit < *most) {
		*most = limit;
		*reason = why;
	}
}

/* acct_policy_get_max_nodes(): what is used does not matter. */
int64_t ctl_limits_nodes_max_of(const struct ctl *c, const struct ctl_job *job, enum sl_reason *reason)
{
	int64_t most = CTL_NEVER;
	*reason = SL_REASON_NONE;
	if (!ctl_limits_on(c, job))
		return most;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	ctl_limits_least(of_order(c, &order, CTL_MAX_ACCOUNT, CTL_TRES_NODE), SL_REASON_QOS_MAX_NODE_ACCOUNT,
		&most, reason);
	ctl_limits_least(
		of_order(c, &order, CTL_MAX_JOB, CTL_TRES_NODE), SL_REASON_QOS_MAX_NODE_JOB, &most, reason);
	ctl_limits_least(
		of_order(c, &order, CTL_MAX_USER, CTL_TRES_NODE), SL_REASON_QOS_MAX_NODE_USER, &most, reason);
	const bool max_of_qos = most != CTL_NEVER;
	const int64_t group = of_order(c, &order, CTL_GRP_TRES, CTL_TRES_NODE);
	ctl_limits_least(group, SL_REASON_QOS_GRP_NODE, &most, reason);
	for (uint32_t i = c->assoc[job->assoc].limited; i != CTL_NO_ROW; i = ctl_limited_above(c, i)) {
		const struct ctl_limits *limits = c->assoc[i].limits;
		const int64_t before = most;
		if (group == CTL_NEVER)
			ctl_limits_least(ctl_limit_of(limits, CTL_GRP_TRES, CTL_TRES_NODE),
				SL_REASON_ASSOC_GRP_NODE, &most, reason);
		const bool found = most < before;
		if (i == job->assoc && !max_of_qos)
			ctl_limits_least(ctl_limit_of(limits, CTL_MAX_JOB, CTL_TRES_NODE),
				SL_REASON_ASSOC_MAX_NODE_JOB, &most, reason);
		if (found)
			break;
	}
	return most;
}

static int64_t number_of_order(
	const struct ctl *c, const struct ctl_order_of *order, enum ctl_limit_number kind)
{
	for (unsigned k = 0; k < 2; k++)
		if (order->qos[k] != CTL_NO_ROW && c->qos[order->qos[k]].limits->number[kind] != CTL_NEVER)
			return c->qos[order->qos[k]].limits->number[kind];
	return CTL_NEVER;
}

/* acct_policy_get_prio_thresh(): the first of QOS, association and those above that has one. */
uint32_t ctl_limits_prio_least(const struct ctl *c, const struct ctl_job *job)
{
	if (!ctl_limits_on(c, job))
		return 0;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	int64_t least_prio = number_of_order(c, &order, CTL_PRIO_LEAST);
	for (uint32_t i = job->assoc; least_prio == CTL_NEVER && i != CTL_NO_ROW; i = c->assoc[i].parent)
		least_prio = c->assoc[i].limits->number[CTL_PRIO_LEAST];
	return least_prio == CTL_NEVER || least_prio < 0 ? 0
	       : least_prio > UINT32_MAX                 ? UINT32_MAX
							 : (uint32_t)least_prio;
}

/* ---- A running job that has used up what there was -------------------------------------------------- */

struct spent {
	struct ctl_look look;
	int64_t job[CTL_TRES_MAX]; /* Minutes that it ran times its allocation, and 1; 0: of what it has not.
				    */
};

/* Within what there is; used NULL: of the job alone. */
static bool mins_left(
	struct spent *spent, const struct ctl_limits *limits, enum ctl_limit_tres kind, const double *used)
{
	for (uint32_t i = 0; limits->tres[kind] && i < spent->look.c->tres_count; i++) {
		int64_t limit;
		if (!ctl_look_tres(&spent->look, limits, kind, i, &limit))
			continue;
		if (used ? ctl_used_mins(used[i]) >= limit : spent->job[i] > limit)
			return false;
	}
	return true;
}

static bool all_left(
	struct ctl_look *look, const struct ctl_limits *limits, const double *used, double used_wall)
{
	struct spent *spent = (struct spent *)look;
	return mins_left(spent, limits, CTL_GRP_MINS, used) &&
	       (!ctl_look_number(look, limits, CTL_GRP_WALL) ||
		       ctl_used_mins(used_wall) < limits->number[CTL_GRP_WALL]) &&
	       mins_left(spent, limits, CTL_MAX_MINS, NULL);
}

static bool qos_left(struct ctl_look *look, uint32_t row)
{
	const struct ctl_qos *qos = &look->c->qos[row];
	return all_left(look, qos->limits, qos->usage_tres, qos->grp_used_wall);
}

static bool assoc_left(struct ctl_look *look, uint32_t row)
{
	const struct ctl_assoc *assoc = &look->c->assoc[row];
	return (row != look->job->assoc && assoc->parent == CTL_NO_ROW) ||
	       all_left(look, assoc->limits, assoc->usage_tres, assoc->grp_used_wall);
}

static int64_t run_mins(const struct ctl *c, const struct ctl_job *job)
{
	const int64_t run = c->now - job->start - job->suspended;
	return run > 0 ? run / 60 : 0;
}

static bool has_no_minutes(const struct ctl_limits *limits)
{
	return !limits->tres[CTL_GRP_MINS] && !limits->tres[CTL_MAX_MINS] &&
	       limits->number[CTL_GRP_WALL] == CTL_NEVER;
}

static bool qos_is_free(struct ctl_look *look, uint32_t row)
{
	return has_no_minutes(look->c->qos[row].limits);
}

static bool assoc_is_free(struct ctl_look *look, uint32_t row)
{
	return has_no_minutes(look->c->assoc[row].limits);
}

bool ctl_limits_watched(const struct ctl *c, const struct ctl_job *job)
{
	if (!ctl_limits_on(c, job) || c->params.enforce_safe)
		return false;
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	return !ctl_look_all(&(struct ctl_look){ .c = c, .job = job }, &order, qos_is_free, assoc_is_free);
}

/* acct_policy_job_time_out(): an association's own limits and those of accounts below root; with `safe`, a
 * job that was let start may end. */
bool ctl_limits_timed_out(struct ctl *c, struct ctl_job *job)
{
	if (!ctl_limits_on(c, job) || c->params.enforce_safe)
		return false;
	struct spent spent = { .look = { .c = c, .job = job } };
	const struct ctl_order_of order = ctl_qos_order(c, job, job->part);
	for (uint32_t i = 0; i < c->tres_count; i++)
		spent.job[i] = job->tres_held[i] ? ctl_times(run_mins(c, job), job->tres_held[i]) + 1 : 0;
	return !ctl_look_all(&spent.look, &order, qos_left, assoc_left);
}
