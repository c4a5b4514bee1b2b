/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_het.c - heterogeneous jobs: what slurmctld does to one component, and what to all of them (job_mgr.c,
 * het_job_list).
 *
 * Each component is a job with an id, a request, a partition, a QOS and a limit of its own. The first, the
 * leader, has the script: with its end all end, and it alone is requeued, suspended or depended on, for all
 * of them. A further component that runs may end alone (scancel 7+1, its limit); one that waits may not.
 *
 * To the engine they are one job, of the leader's row: it starts when the last of them does, on the nodes of
 * all, and is made smaller when one of them ends alone.
 */
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl.h"

/* ---- Made ---------------------------------------------------------------------------------------------- */

/* Nodes that the other components list are not for this one (_exclude_het_job_nodes()). NULL: no memory. */
static const char *excluded(const struct ctl *c, const struct ctl_het *het, uint32_t offset)
{
	const char *own = c->job[het->job[offset]].desc.desc->exclude;
	size_t len = own ? strlen(own) : 0;
	for (uint32_t k = 0; k < het->count; k++)
		if (k != offset && c->job[het->job[k]].desc.desc->nodelist)
			len += strlen(c->job[het->job[k]].desc.desc->nodelist) + 1;
	char *text = sl_alloc(c->arena, len + 1, 1);
	char *at = text;
	if (!text)
		return NULL;
	if (own)
		at = stpcpy(at, own);
	for (uint32_t k = 0; k < het->count; k++) {
		const char *listed = c->job[het->job[k]].desc.desc->nodelist;
		if (k == offset || !listed || !*listed)
			continue;
		if (at > text)
			*at++ = ',';
		at = stpcpy(at, listed);
	}
	return text;
}

static bool lists_nodes(const struct ctl *c, const struct ctl_het *het)
{
	for (uint32_t k = 0; k < het->count; k++)
		if (c->job[het->job[k]].desc.desc->nodelist)
			return true;
	return false;
}

static bool keep_apart(const struct ctl *c, const struct ctl_het *het)
{
	struct sl_job_desc *desc = sl_alloc(c->arena, het->count, sizeof(*desc));
	for (uint32_t k = 0; k < het->count && desc; k++) {
		desc[k] = *c->job[het->job[k]].desc.desc;
		desc[k].exclude = excluded(c, het, k);
		if (!desc[k].exclude)
			return false;
	}
	for (uint32_t k = 0; k < het->count && desc; k++)
		c->job[het->job[k]].desc.desc = &desc[k];
	return desc != NULL;
}

/* What a further component says of its own; all else is its leader's. */
static bool own_attributes(const struct ctl *c, struct ctl_job *job)
{
	const struct sl_job_desc *desc = job->desc.desc;
	if (!job->het_offset || (!desc->qos && desc->time_min == SL_NONE))
		return true;
	struct sl_job_attributes *more = sl_alloc(c->arena, 1, sizeof(*more));
	if (!more)
		return false;
	*more = *job->more;
	more->qos = desc->qos ? desc->qos : more->qos;
	more->time_min = desc->time_min != SL_NONE ? desc->time_min : more->time_min;
	job->more = more;
	return true;
}

/* Of the leader's row; its further components are consecutive rows from `further` on. */
static bool make_one(struct ctl *c, struct ctl_het *het, uint32_t leader, uint32_t further, uint32_t count)
{
	het->count = count;
	het->job = sl_alloc(c->arena, count, sizeof(*het->job));
	if (!het->job)
		return false;
	for (uint32_t k = 0; k < count; k++) {
		het->job[k] = k ? further + k - 1 : leader;
		c->job[het->job[k]].het = het;
		if (!own_attributes(c, &c->job[het->job[k]]))
			return false;
	}
	return !lists_nodes(c, het) || keep_apart(c, het);
}

int ctl_het_make(struct ctl *c, struct sl_err *err)
{
	const uint32_t rows = c->jobs->count;
	uint32_t count = 0;
	for (uint32_t row = rows; row < c->job_count; row++)
		count += c->job[row].het_offset == 1;
	c->het = sl_alloc(c->arena, (size_t)count + 1, sizeof(*c->het));
	if (!c->het)
		return sl_fail_memory(err);
	for (uint32_t row = rows, next; row < c->job_count; row = next) {
		next = row + 1;
		while (next < c->job_count && c->job[next].het_offset > 1)
			next++;
		if (!make_one(c, &c->het[c->het_count++], c->job[row].of, row, next - row + 1))
			return sl_fail_memory(err);
	}
	return SL_OK;
}

uint32_t ctl_next_other(const struct ctl *c, const struct ctl_job *job)
{
	uint32_t next = job->next;
	while (job->het && next != CTL_NO_ROW && c->job[next].het == job->het)
		next = c->job[next].next;
	return next;
}

/* ---- What the engine has of it ------------------------------------------------------------------------- */

static bool is_general(enum sl_reason reason)
{
	return reason == SL_REASON_NONE || reason == SL_REASON_RESOURCES || reason == SL_REASON_PRIORITY;
}

/* squeue has a line, and a reason, for each; here the leader's, unless a component knows better what keeps
 * them. */
enum sl_reason ctl_het_reason(const struct ctl *c, const struct ctl_het *het)
{
	enum sl_reason reason = c->job[het->job[0]].reason;
	for (uint32_t k = 1; k < het->count && is_general(reason); k++)
		if (!is_general(c->job[het->job[k]].reason))
			reason = c->job[het->job[k]].reason;
	return reason;
}

/* When the last of them is planned to start; CTL_NONE: one of them is not. */
ctl_time ctl_het_planned_at(const struct ctl *c, const struct ctl_het *het)
{
	ctl_time last = CTL_NONE;
	for (uint32_t k = 0; k < het->count; k++) {
		const struct ctl_job *one = &c->job[het->job[k]];
		if (one->state == CTL_PENDING && one->planned == CTL_NONE)
			return CTL_NONE;
		last = one->planned > last ? one->planned : last;
	}
	return last;
}

static bool all_run(const struct ctl *c, const struct ctl_het *het)
{
	for (uint32_t k = 0; k < het->count; k++) {
		const struct ctl_job *one = &c->job[het->job[k]];
		if (one->state != CTL_RUNNING && one->state != CTL_ENDED)
			return false;
	}
	return c->job[het->job[0]].state == CTL_RUNNING;
}

/* Of a further component the engine hears that the whole has become smaller, and nothing else. */
static bool order_of_component(const struct ctl_het *het, enum order_what *what)
{
	if (*what != ORDER_END || !het->started)
		return false;
	*what = ORDER_RESIZE;
	return true;
}

static bool order_of_leader(struct ctl_het *het, enum order_what *what)
{
	if (*what == ORDER_END && !het->started)
		*what = ORDER_DROP;
	if (*what == ORDER_REQUEUE && !het->started)
		return false;
	if (*what == ORDER_END || *what == ORDER_REQUEUE)
		het->started = false;
	return true;
}

bool ctl_het_order(const struct ctl *c, const struct ctl_job *job, enum order_what *what)
{
	struct ctl_het *het = job->het;
	if (*what == ORDER_REASON || *what == ORDER_PLAN)
		return true;
	if (*what != ORDER_START)
		return job->het_offset ? order_of_component(het, what) : order_of_leader(het, what);
	if (!all_run(c, het))
		return false;
	het->started = true;
	return true;
}

/* ---- Nodes that boot ----------------------------------------------------------------------------------- */

bool ctl_het_configuring(const struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t k = 0; job->het && k < job->het->count; k++)
		if (c->job[job->het->job[k]].state == CTL_CONFIGURING)
			return true;
	return false;
}

void ctl_het_booted(struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t k = 0; job->het && k < job->het->count; k++) {
		struct ctl_job *one = ctl_het_component(c, job->het, k);
		if (one == job || !ctl_is_active(one) || one->time_limit == CTL_NEVER)
			continue;
		one->end_limit = c->now + one->time_limit * 60;
		ctl_limit_moved(c, one);
	}
}

/* ---- All together ------------------------------------------------------------------------------------ */

void ctl_het_end(struct ctl *c, const struct ctl_job *leader, enum sl_state state)
{
	for (uint32_t k = 1; leader->het && !leader->het_offset && k < leader->het->count; k++)
		ctl_end(c, ctl_het_component(c, leader->het, k), state, true);
}
