/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_factor.c - a job's priority under priority/multifactor: set_priority_factors() and
 * _get_priority_internal().
 *
 * Each factor is a double between 0 and 1 (more, with PriorityFlags=NO_NORMAL_...), times its weight; the sum
 * is cut to a whole number of 32 bits, at least 1: 0 is a held job's.
 */
#include "policies/slurm/accounts/ctl_prio.h"

/* ---- Factors --------------------------------------------------------------------------------- */

/* Since it could be considered; with ACCRUE_ALWAYS since its submission. */
static double age_of(const struct ctl *c, const struct ctl_job *job, ctl_time at)
{
	const bool always = c->params.priority_flags & CTL_PRIO_ACCRUE_ALWAYS;
	const ctl_time since = always ? job->submit : job->accrue;
	if (since == CTL_NONE || since == CTL_NEVER || since >= at)
		return 0;
	const int64_t age = at - since;
	return age < c->params.max_age ? (double)age / (double)c->params.max_age : 1;
}

/* Of a job with an allocation that, else what it would have by its last plan, else its request. */
static double ctl_factor_cpus_of(const struct ctl_job *job)
{
	const bool has = job->state != CTL_PENDING && job->tres_held[CTL_TRES_CPU] > 0;
	const int64_t asked = job->total_cpus ? job->total_cpus : job->cpus_min;
	return (double)(has ? job->tres_held[CTL_TRES_CPU] : asked);
}

/* Minutes, as slurmctld keeps them: no limit is a very large number. */
static double minutes_of(const struct ctl *c, const struct ctl_job *job)
{
	int64_t minutes = job->time_limit;
	if (minutes == CTL_NONE && job->part < c->part_count)
		minutes = c->part[job->part].max_time;
	return minutes == CTL_NEVER || minutes > UINT32_MAX ? UINT32_MAX : (double)minutes;
}

/* Its share of the cluster's nodes and cpus. */
static double ctl_factor_size_of(const struct ctl *c, const struct ctl_job *job)
{
	const struct ctl_prio *p = c->prio;
	const double cpus = ctl_factor_cpus_of(job);
	const double nodes = (double)job->nodes_min;
	const bool small = c->params.favor_small;
	double size;
	if (c->params.priority_flags & CTL_PRIO_SIZE_RELATIVE) {
		size = nodes * p->cpus / p->nodes;
		size = (cpus > size ? cpus : size) / minutes_of(c, job) / p->cpus;
		if (small)
			size = 1 - size;
	} else {
		size = small ? (p->nodes - nodes) / p->nodes : nodes / p->nodes;
		if (cpus > 0)
			size = (size + (small ? (p->cpus - cpus) / p->cpus : cpus / p->cpus)) / 2;
	}
	return size < 0 ? 0 : size > 1 ? 1 : size;
}

static double part_factor(const struct ctl *c, uint32_t part)
{
	const double factor = (double)c->part[part].job_factor;
	return c->params.priority_flags & CTL_PRIO_NO_NORMAL_PART ? factor : factor / c->prio->part_max;
}

static double qos_factor(const struct ctl *c, uint32_t qos)
{
	if (qos >= c->qos_count || c->qos[qos].priority <= 0)
		return 0;
	const double factor = (double)c->qos[qos].priority;
	return c->params.priority_flags & CTL_PRIO_NO_NORMAL_QOS ? factor : factor / c->prio->qos_max;
}

static double assoc_factor(const struct ctl *c, const struct ctl_job *job)
{
	if (job->assoc >= c->assoc_count || c->assoc[job->assoc].priority <= 0)
		return 0;
	const double factor = (double)c->assoc[job->assoc].priority;
	return c->params.priority_flags & CTL_PRIO_NO_NORMAL_ASSOC ? factor : factor / c->prio->assoc_max;
}

/* Each times its weight, in that partition. Returns the sum. */
static double tres_factors(const struct ctl *c, const struct ctl_job *job, uint32_t part, double *tres)
{
	const bool has = job->state != CTL_PENDING && job->tres_held[CTL_TRES_CPU] > 0;
	double sum = 0;
	for (uint32_t i = 0; i < c->tres_count && c->prio->weighs_tres; i++) {
		const double value = (double)(has ? job->tres_held[i] : job->tres_asked[i]);
		const int64_t total = part < c->part_count ? c->part[part].tres_total[i] : 0;
		tres[i] = 0;
		if (c->params.priority_flags & CTL_PRIO_NO_NORMAL_TRES)
			tres[i] = value;
		else if (total > 0)
			tres[i] = value / (double)total;
		tres[i] *= c->params.weight_tres[i];
		sum += tres[i];
	}
	return sum;
}

static double weighted(int64_t weight, double factor) { return weight ? factor * (double)weight : 0; }

double prio_part(const struct ctl *c, uint32_t part)
{
	return part < c->part_count ? weighted(c->params.weight_part, part_factor(c, part)) : 0;
}

static void set_factors(struct ctl *c, struct ctl_job *job, ctl_time at)
{
	const struct ctl_params *params = &c->params;
	struct ctl_factors *to = &job->factors;
	to->age = params->weight_age ? weighted(params->weight_age, age_of(c, job, at)) : 0;
	to->fs = params->weight_fs ? weighted(params->weight_fs, fair_factor(c, job->assoc)) : 0;
	to->js = params->weight_js ? weighted(params->weight_js, ctl_factor_size_of(c, job)) : 0;
	to->part = job->part < c->part_count ? weighted(params->weight_part, part_factor(c, job->part)) : 0;
	to->assoc = weighted(params->weight_assoc, assoc_factor(c, job));
	to->qos = weighted(params->weight_qos, qos_factor(c, job->qos));
	to->site = 0;
	to->nice = job->nice;
}

/* ---- The sum --------------------------------------------------------------------------------- */

static uint32_t cut(double priority)
{
	if (!(priority >= 1))
		return 1;
	return priority >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)priority;
}

static bool ctl_factor_put(const struct ctl *c, uint32_t *to, double priority)
{
	const uint32_t value = cut(priority);
	const uint32_t was = *to;
	if (!(c->params.priority_flags & CTL_PRIO_INCR_ONLY) || was < value)
		*to = value;
	return *to != was;
}

double prio_qos(const struct ctl *c, const struct ctl_job *job, uint32_t k)
{
	if (!job->qos_count || c->qos[job->qoses[k]].priority <= 0)
		return job->factors.qos;
	return weighted(c->params.weight_qos, qos_factor(c, job->qoses[k]));
}

/* In each partition that it asked for, with each QOS of its list (_priority_each_partition(),
 * _priority_each_qos()). */
static bool set_pairs(struct ctl *c, struct ctl_job *job)
{
	const struct ctl_factors *of = &job->factors;
	const uint32_t qoses = ctl_job_qoses(job);
	const uint32_t pairs = ctl_job_pairs(job);
	bool changed = false;
	if (pairs < 2)
		return false;
	if (!job->priority_part)
		job->priority_part = sl_alloc(c->arena, pairs, sizeof(*job->priority_part));
	if (!job->priority_part) {
		controller_no_memory(&c->engine);
		return false;
	}
	for (uint32_t i = 0; i < pairs; i++) {
		double tres[CTL_TRES_MAX];
		const uint32_t part = job->parts[i / qoses];
		const double asked = tres_factors(c, job, part, tres);
		double priority = prio_part(c, part);
		priority += of->age + of->assoc + of->fs + of->js + prio_qos(c, job, i % qoses) + asked +
			    of->site - (double)of->nice;
		changed |= ctl_factor_put(c, &job->priority_part[i], priority);
	}
	return changed;
}

bool prio_job(struct ctl *c, struct ctl_job *job, ctl_time at)
{
	if (job->direct_priority && job->priority) {
		job->factors = (struct ctl_factors){ 0 };
		return false;
	}
	set_factors(c, job, at);
	const struct ctl_factors *of = &job->factors;
	const double tres = tres_factors(c, job, job->part, job->factors.tres);
	const double priority = of->age + of->assoc + of->fs + of->js + of->part + of->qos + tres + of->site -
				(double)of->nice;
	const bool changed = ctl_factor_put(c, &job->priority, priority);
	return set_pairs(c, job) || changed;
}
