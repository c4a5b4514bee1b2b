/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_usage.c - usage and its decay: _apply_new_usage(), _apply_decay(), _reset_usage() and _next_reset() of
 * priority/multifactor.
 *
 * Of what ran since the last calculation an association gets seconds x (billing per second) x UsageFactor of
 * the QOS, the interval itself decayed by its own length; and so does each account above it, and the QOS.
 * Everything older is multiplied by d^seconds then, where d = 1 - 0.693 / half life.
 *
 * Powers of d are made by multiplication: no library's pow() decides who is first.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_prio.h"

enum { DAY = 86400, WEEK = 7 * DAY };

double usage_power(double base, int64_t exponent)
{
	double power = 1;
	double square = base;
	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			power *= square;
		square *= square;
	}
	return power;
}

/* ---- What a second costs --------------------------------------------------------------------- */

/* assoc_mgr_tres_weighted(): the sum; with MAX_TRES the greatest of what nodes have, and the sum of the rest;
 * with MAX_TRES_GRES GRES are summed too. */
double ctl_billing_exact(const struct ctl *c, uint32_t part, const int64_t *tres)
{
	if (part >= c->part_count || !c->part[part].has_billing)
		return (double)tres[CTL_TRES_CPU];
	const double *weight = c->part[part].billing;
	const unsigned flags = c->params.priority_flags;
	double greatest = 0;
	double sum = 0;
	for (uint32_t i = 0; i < c->tres_count; i++) {
		if (i == CTL_TRES_BILLING)
			continue;
		const double cost = (double)tres[i] * weight[i];
		const bool of_node = i <= CTL_TRES_NODE || (strncmp(c->tres[i].name, "gres/", 5) == 0 &&
								   !(flags & CTL_PRIO_MAX_TRES_GRES));
		if (!of_node || !(flags & (CTL_PRIO_MAX_TRES | CTL_PRIO_MAX_TRES_GRES)))
			sum += cost;
		else if (cost > greatest)
			greatest = cost;
	}
	return greatest + sum;
}

int64_t ctl_billing(const struct ctl *c, uint32_t part, const int64_t *tres)
{
	const double cost = ctl_billing_exact(c, part, tres);
	return cost < 9e18 ? (int64_t)cost : INT64_MAX;
}

/* ---- What was used --------------------------------------------------------------------------- */

struct used {
	double wall, cost; /* Seconds; billing seconds. */
};

static void add_tres(const struct ctl *c, const struct ctl_job *job, double seconds, double *usage)
{
	for (uint32_t i = 0; i < c->tres_count; i++)
		if (job->tres_held[i])
			usage[i] += seconds * (double)job->tres_held[i];
}

static void add_qos(
	struct ctl *c, const struct ctl_job *job, uint32_t row, struct used plain, struct used decayed)
{
	if (row >= c->qos_count)
		return;
	struct ctl_qos *qos = &c->qos[row];
	const struct used used = qos->flags & CTL_QOS_NO_DECAY ? plain : decayed;
	qos->grp_used_wall += used.wall;
	qos->usage_raw += used.cost;
	add_tres(c, job, used.wall, qos->usage_tres);
}

void ctl_usage_apply(struct ctl *c, struct ctl_job *job, ctl_time from, ctl_time until)
{
	const ctl_time since = job->start != CTL_NONE && job->start > from ? job->start : from;
	if (until <= since || job->assoc >= c->assoc_count)
		return;
	ctl_limits_ran(c, job, since, until);
	const int64_t seconds = until - since;
	double factor = 1;
	if (job->qos < c->qos_count && c->qos[job->qos].usage_factor >= 0)
		factor = c->qos[job->qos].usage_factor;
	const double price = ctl_billing_exact(c, job->part, job->tres_held);
	const double decayed_seconds = (double)seconds * usage_power(c->prio->decay, seconds);
	const struct used plain = { (double)seconds * factor, (double)seconds * price * factor };
	const struct used decayed = { decayed_seconds * factor, decayed_seconds * price * factor };
	const uint32_t part_qos = job->part < c->part_count ? c->part[job->part].qos : CTL_NO_ROW;
	add_qos(c, job, job->qos, plain, decayed);
	/* The factor is the job's QOS's; the partition's QOS counts the same. */
	if (part_qos != job->qos)
		add_qos(c, job, part_qos, plain, decayed);
	for (uint32_t row = job->assoc; row < c->assoc_count; row = c->assoc[row].parent) {
		struct ctl_assoc *assoc = &c->assoc[row];
		assoc->grp_used_wall += decayed.wall;
		assoc->usage_raw += decayed.cost;
		add_tres(c, job, decayed.wall, assoc->usage_tres);
	}
}

void ctl_usage_end(struct ctl *c, struct ctl_job *job)
{
	const struct ctl_prio *p = c->prio;
	if (!p || !p->runs)
		return;
	ctl_prio_until(c, c->now - 1);
	ctl_usage_apply(c, job, p->last == CTL_NONE ? job->start : p->last, c->now);
}

/* ---- Decay and resets ------------------------------------------------------------------------ */

static void scale(double factor, double *raw, double *wall, double *tres, uint32_t count)
{
	*raw *= factor;
	*wall *= factor;
	for (uint32_t i = 0; i < count; i++)
		tres[i] *= factor;
}

void usage_decay(struct ctl *c, double factor)
{
	for (uint32_t i = 0; i < c->assoc_count; i++)
		scale(factor, &c->assoc[i].usage_raw, &c->assoc[i].grp_used_wall, c->assoc[i].usage_tres,
			c->tres_count);
	for (uint32_t i = 0; i < c->qos_count; i++)
		if (!(c->qos[i].flags & CTL_QOS_NO_DECAY))
			scale(factor, &c->qos[i].usage_raw, &c->qos[i].grp_used_wall, c->qos[i].usage_tres,
				c->tres_count);
}

void usage_reset(struct ctl *c)
{
	for (uint32_t i = 0; i < c->assoc_count; i++)
		scale(0, &c->assoc[i].usage_raw, &c->assoc[i].grp_used_wall, c->assoc[i].usage_tres,
			c->tres_count);
	for (uint32_t i = 0; i < c->qos_count; i++)
		scale(0, &c->qos[i].usage_raw, &c->qos[i].grp_used_wall, c->qos[i].usage_tres, c->tres_count);
}

/* Days since 1970 of a date of the Gregorian calendar; months from 1, those beyond 12 are of the next year.
 */
static int64_t days_of(int64_t year, int64_t month)
{
	/* The year from March on, so that leap days are the last of a year. */
	const int64_t y = year + (month - 1) / 12 - ((month - 1) % 12 < 2);
	const int64_t m = ((month - 1) % 12 + 10) % 12;
	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719468;
}

/* The year and month (from 1) of a day since 1970. */
static void month_of(int64_t day, int64_t *year, int64_t *month)
{
	*year = 1970 + day / 366;
	while (days_of(*year + 1, 1) <= day)
		++*year;
	*month = 1;
	while (days_of(*year, *month + 1) <= day)
		++*month;
}

ctl_time usage_next_reset(enum ctl_reset period, ctl_time last, ctl_time now)
{
	const int64_t day = last / DAY;
	int64_t step = DAY;
	int64_t year;
	int64_t month;
	ctl_time next = (day + 1) * DAY;
	month_of(day, &year, &month);
	switch (period) {
	case CTL_RESET_NONE:
	case CTL_RESET_NOW:
		return CTL_NEVER;
	case CTL_RESET_MONTHLY:
		return days_of(year, month + 1) * DAY;
	case CTL_RESET_QUARTERLY:
		return days_of(year, month + 3 - (month - 1) % 3) * DAY;
	case CTL_RESET_YEARLY:
		return days_of(year + 1, 1) * DAY;
	case CTL_RESET_WEEKLY: /* At Sunday's midnight; 1970 began on a Thursday. */
		next = (day + 7 - (day + 4) % 7) * DAY;
		step = WEEK;
		break;
	case CTL_RESET_DAILY:
		break;
	}
	while (next + step < now)
		next += step;
	return next;
}
