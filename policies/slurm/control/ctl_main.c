/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_main.c - the main pass: slurmctld's _schedule() (CLAUSES.md 2).
 *
 * In the order of the queue each job is started or not. One that does not fit blocks its partition, with all
 * nodes of it, for the rest of the pass; one that is kept by anything else blocks none.
 */
#include <string.h>

#include "policies/slurm/control/ctl_place.h"

enum { RESERVATIONS_FAILED_MAX = 10 };

struct pass {
	struct ctl *c;
	size_t words;
	uint64_t *available;      /* Of the pass: without the nodes of what is blocked. */
	int64_t depth, depth_max; /* Tested, and how many may be; CTL_NEVER. */
	int64_t started;
	uint32_t failed_resv[RESERVATIONS_FAILED_MAX];
	size_t failed_resv_count;
	/* Tasks of that array with a record of their own are not tried again in that partition. */
	uint32_t reject_array, reject_part, reject_resv;
	bool reject_prefer;
};

enum verdict { NEXT, RETRY, STOP };

/* ---- What keeps a job without blocking anyone ---------------------------------------------------------- */

static bool resv_failed(const struct pass *p, uint32_t resv)
{
	for (size_t i = 0; i < p->failed_resv_count; i++)
		if (p->failed_resv[i] == resv)
			return true;
	return false;
}

/* What is before it in its partition (or reservation) does not fit: its turn has not come. */
static bool is_behind(struct pass *p, struct ctl_job *job, uint32_t part)
{
	if (job->resv != CTL_NO_ROW) {
		if (!resv_failed(p, job->resv))
			return false;
		ctl_queue_reason(p->c, job, SL_REASON_PRIORITY);
		return true;
	}
	if (!p->c->part[part].blocked)
		return false;
	if (job->reason == SL_REASON_NONE || job->reason == SL_REASON_RESOURCES ||
		job->reason == SL_REASON_NODES_DOWN)
		ctl_queue_reason(p->c, job, SL_REASON_PRIORITY);
	return true;
}

static void block(struct pass *p, uint32_t part)
{
	p->c->part[part].blocked = true;
	nset_and_not(p->available, p->c->part[part].nodes, p->words);
}

/* Its nodes were not there, and still are not. */
static bool lacks_listed(const struct pass *p, const struct ctl_job *job)
{
	const uint64_t *listed = ctl_place_required(p->c, job);
	const bool was = job->reason == SL_REASON_NODES_NOT_AVAIL ||
			 job->reason == SL_REASON_NODES_RESERVED || job->reason == SL_REASON_NODES_MAINT;
	return was && listed && !nset_within(listed, p->available, p->words);
}

/* assoc_limit_stop has no effect here: it has where a limit keeps a job at node selection. */
static bool is_kept(struct pass *p, struct ctl_job *job, uint32_t part)
{
	return is_behind(p, job, part) || !ctl_deadline_ok(p->c, job) || !ctl_limits_retry(p->c, job) ||
	       lacks_listed(p, job);
}

/* Until 23.02 left it to the node selection. */
static bool lacks_licenses(struct pass *p, struct ctl_job *job)
{
	if (p->c->params.version >= CTL_23_02 || ctl_license_free(p->c, job, p->c->now))
		return false;
	ctl_queue_reason(p->c, job, SL_REASON_LICENSES);
	return true;
}

/* ---- What becomes of a test ---------------------------------------------------------------------------- */

/* bf_min_age_reserve and bf_min_prio_reserve (before which MinPrioThresh goes): a job that would reserve
 * nothing blocks none. */
static bool may_block(const struct ctl *c, const struct ctl_job *job, uint32_t priority)
{
	const struct ctl_params *params = &c->params;
	if (params->bf_min_age_reserve && (job->eligible == CTL_NONE || job->eligible == 0 ||
						  c->now - job->eligible < params->bf_min_age_reserve))
		return false;
	const int64_t least = ctl_limits_prio_least(c, job);
	return priority >= (least ? least : params->bf_min_prio_reserve);
}

/* It does not start. Whatever kept it, the nodes that it lists are kept from those behind it; if it lists too
 * few, and is one of those that block, it blocks its reservation or its partition. */
static void ctl_main_fail(struct pass *p, struct ctl_job *job, const struct ctl_entry *entry, bool blocks)
{
	const uint64_t *listed = ctl_place_required(p->c, job);
	if (listed && nset_at_least(listed, p->words, job->nodes_min)) {
		nset_and_not(p->available, listed, p->words);
	} else if (blocks && job->resv != CTL_NO_ROW) {
		if (p->failed_resv_count < RESERVATIONS_FAILED_MAX)
			p->failed_resv[p->failed_resv_count++] = job->resv;
	} else if (blocks && may_block(p->c, job, entry->priority)) {
		block(p, entry->part);
	}
}

/* Too few nodes are left of its partition, whatever has them: it blocks the partition (run 03: H waits for
 * Priority behind G), whatever it lists, however young it is. */
static bool lacks_nodes(struct pass *p, struct ctl_job *job, const struct ctl_entry *entry)
{
	const uint64_t *nodes = p->c->part[entry->part].nodes;
	int64_t more = job->nodes_min;
	for (size_t i = 0; i < p->words && more > 0; i++)
		if (p->available[i] & nodes[i])
			more -= select_popcount(p->available[i] & nodes[i]);
	if (more <= 0)
		return false;
	ctl_queue_reason(p->c, job, SL_REASON_NODES_DOWN);
	block(p, entry->part);
	return true;
}

static enum verdict ctl_main_judge(
	struct pass *p, struct ctl_job *job, const struct ctl_entry *entry, enum ctl_status status)
{
	if (status == CTL_OK) {
		p->reject_array = CTL_NO_ROW;
		p->started++;
		return entry->array ? RETRY : NEXT;
	}
	if (status == CTL_LICENSES_UNAVAILABLE && p->c->params.bf_licenses)
		return STOP;
	if (status == CTL_NODE_CONFIG && job->part_count == 1 && !ctl_extra_nodes(p->c, job)) {
		/* No set of nodes has it (any more): held until a command changes it. */
		ctl_hold(p->c, job, false);
		ctl_queue_reason(p->c, job, SL_REASON_BAD_CONSTRAINTS);
	}
	ctl_main_fail(p, job, entry,
		status == CTL_NODES_BUSY || status == CTL_PREEMPTION_IN_PROGRESS ||
			(status == CTL_ACCOUNTING_POLICY && p->c->params.assoc_limit_stop));
	return NEXT;
}

/* ---- The pass ------------------------------------------------------------------------------------------ */

/* Minutes that it asked for; of none, those of the partition. */
static int64_t minutes_of(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	if (job->time_limit != CTL_NEVER && job->time_limit != CTL_NONE)
		return job->time_limit;
	const int64_t usual = c->part[part].default_time;
	return usual != CTL_NONE && usual != CTL_NEVER ? usual : c->part[part].max_time;
}

/* What is left until its deadline is the most that it may run. */
static enum ctl_status ctl_main_start(struct pass *p, struct ctl_job *job, uint32_t part)
{
	const int64_t limit = job->time_limit;
	const int64_t left = job->deadline == CTL_NONE ? 0 : (job->deadline - p->c->now) / 60;
	const int64_t minutes = minutes_of(p->c, job, part);
	if (left > 0)
		job->time_limit = minutes < left ? minutes : left;
	const enum ctl_status status = ctl_place_try(p->c, job, part, p->available);
	if (status != CTL_OK)
		job->time_limit = limit;
	return status;
}

/* Tasks that are jobs of their own; and one record of tasks with another QOS of its list, as the pass does
 * not tell these apart (reject_array_job has no QOS). */
static bool is_rejected(struct pass *p, const struct ctl_job *job, const struct ctl_entry *entry)
{
	if (job->array == CTL_NO_ROW || (entry->array && !job->qos_count))
		return false;
	if (p->reject_array == job->array && p->reject_part == entry->part && p->reject_resv == job->resv &&
		p->reject_prefer == entry->prefer)
		return true;
	p->reject_array = job->array;
	p->reject_part = entry->part;
	p->reject_resv = job->resv;
	p->reject_prefer = entry->prefer;
	return false;
}

/* Backfill alone starts heterogeneous jobs. Each component blocks its partition, whatever keeps it; from
 * 24.11 on the pass ends where that is blocked already (the search for duplicates leaves the loop of the
 * pass, no longer one of its own). */
static enum verdict pass_over_component(struct pass *p, uint32_t part)
{
	if (p->c->part[part].blocked)
		return p->c->params.version >= CTL_24_11 ? STOP : NEXT;
	block(p, part);
	return NEXT;
}

static enum verdict ctl_main_look(struct pass *p, const struct ctl_entry *entry, struct ctl_job *job)
{
	struct ctl *c = p->c;
	const struct ctl_params *params = &c->params;
	struct ctl_part *part = &c->part[entry->part];
	if (!ctl_resv_in_part(c, job, entry->part))
		return NEXT;
	ctl_queue_tried(c, job, entry->qos, entry->priority);
	if (job->status == CTL_PREEMPTION_IN_PROGRESS)
		return NEXT;
	if (job->het)
		return pass_over_component(p, entry->part);
	if (job->array != CTL_NO_ROW && !ctl_queue_independent(c, job))
		return NEXT; /* So many of its tasks run as may (job_array_start_test). */
	job->part = entry->part;
	if (params->sched_max_job_start && p->started >= params->sched_max_job_start)
		return STOP;
	if (is_rejected(p, job, entry))
		return NEXT;
	if (params->partition_job_depth && part->tried++ >= params->partition_job_depth) {
		if (job->reason == SL_REASON_NONE)
			ctl_queue_reason(c, job, SL_REASON_PRIORITY);
		return NEXT;
	}
	if (p->depth++ > p->depth_max)
		return STOP;
	if (is_kept(p, job, entry->part) || lacks_nodes(p, job, entry))
		return NEXT;
	if (lacks_licenses(
		    p, job)) /* bf_licenses: the backfill plans for it, and no other job starts before. */
		return params->bf_licenses ? STOP : NEXT;
	return ctl_main_judge(p, job, entry, ctl_main_start(p, job, entry->part));
}

static enum verdict look_at(struct pass *p, const struct ctl_entry *entry)
{
	struct ctl_job *job = ctl_entry_job(p->c, entry);
	if (!job)
		return NEXT;
	ctl_entry_enter(entry, job);
	const enum verdict verdict = ctl_main_look(p, entry, job);
	ctl_entry_left(job);
	return verdict;
}

/* reduce_completing_frag: partitions that have nodes in common with the partition of a job that is COMPLETING
 * wait, for CompleteWait seconds. */
static void wait_for_completing(struct pass *p)
{
	struct ctl *c = p->c;
	uint64_t *nodes = ctl_place_set(c, CTL_SET_TRY);
	memset(nodes, 0, p->words * sizeof(*nodes));
	if (!ctl_complete_waits(c, nodes))
		return;
	for (uint32_t i = 0; i < c->part_count; i++) {
		const enum sl_partition_state state = c->part[i].state;
		if ((state == SL_PARTITION_UP || state == SL_PARTITION_DRAIN) &&
			nset_meets(c->part[i].nodes, nodes, p->words))
			block(p, i);
	}
}

void ctl_main_pass(struct ctl *c, bool full)
{
	struct ctl_entry *entry;
	struct pass p = { .c = c,
		.words = select_node_words(c->select),
		.available = ctl_place_set(c, CTL_SET_PASS),
		.depth_max = full ? CTL_NEVER - 1 : c->params.default_queue_depth,
		.reject_array = CTL_NO_ROW };
	const size_t count = ctl_queue_build(c, false, &entry);
	memcpy(p.available, ctl_nodes_avail(c), p.words * sizeof(*p.available));
	for (uint32_t i = 0; i < c->part_count; i++) {
		c->part[i].tried = 0;
		c->part[i].blocked = false;
	}
	for (size_t i = 0; i < count; i++)
		entry[i].job->status = CTL_OK;
	if (c->params.reduce_completing_frag)
		wait_for_completing(&p);
	const struct order_by was = ctl_cause(c, SL_RULE_ORDER, CTL_NO_ROW);
	enum verdict verdict = NEXT;
	for (size_t i = 0; i < count && verdict != STOP && controller_goes_on(&c->engine);) {
		verdict = look_at(&p, &entry[i]);
		i += verdict != RETRY;
	}
	c->engine.cause = was;
}
