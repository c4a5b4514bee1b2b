/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_place.c - slurmctld's select_nodes(): which nodes are candidates for a job now, what is requested of
 * the node selection, and what becomes of the answer (CLAUSES.md 3.1, 4.10).
 */
#include "policies/slurm/control/ctl_place.h"
#include "policies/slurm/control/ctl_node.h"

#include <stdlib.h>
#include <string.h>

struct ctl_place {
	size_t words;
	uint64_t *set[CTL_SET_COUNT];
	const uint64_t **required;      /* By row; NULL: it lists none. */
	struct select_running *staying; /* What runs, but for those that can be preempted. */
	size_t staying_capacity;
	uint64_t shared_jobs, shared_nodes; /* Counts of changes when CTL_SET_SHARED was made. */
	bool shared_known;
};

uint64_t *ctl_place_set(const struct ctl *c, enum ctl_set which) { return c->place->set[which]; }
const uint64_t *ctl_place_required(const struct ctl *c, const struct ctl_job *job)
{
	return c->place->required[job->row];
}

/* ---- Begin --------------------------------------------------------------------------------------------- */

struct named {
	const char *name;
	uint32_t node;
};

struct listing {
	const struct named *named;
	size_t count;
	uint64_t *set;
};

static int ctl_place_by_name(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int add_listed(void *self, const char *name, size_t len)
{
	struct listing *l = self;
	size_t low = 0;
	for (size_t high = l->count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (strncmp(l->named[middle].name, name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < l->count && strncmp(l->named[low].name, name, len) == 0; low++)
		if (!l->named[low].name[len])
			nset_add(l->set, l->named[low].node);
	return 0;
}

/* Jobs of equal requests share a set. */
static int list_required(struct ctl *c, struct listing *l)
{
	struct ctl_place *p = c->place;
	const struct sl_job_desc *last = NULL;
	const uint64_t *known = NULL;
	for (uint32_t row = 0; row < c->job_count; row++) {
		const struct sl_job_desc *desc = c->job[row].desc.desc;
		if (!desc || !desc->nodelist)
			continue;
		if (desc != last) {
			l->set = sl_alloc(c->arena, p->words, sizeof(*l->set));
			if (!l->set)
				return SL_SYSTEM;
			struct sl_err ignored = { 0 }; /* The node selection refuses lists that are none. */
			(void)sl_hosts_each(
				desc->nodelist, strlen(desc->nodelist), NULL, &ignored, add_listed, l);
			last = desc;
			known = l->set;
		}
		p->required[row] = known;
	}
	return SL_OK;
}

static int make_required(struct ctl *c)
{
	struct ctl_place *p = c->place;
	const uint32_t nodes = c->cluster->node_count;
	p->required = sl_alloc(c->arena, c->job_count + 1, sizeof(*p->required));
	struct named *named = sl_alloc(c->arena, nodes + 1, sizeof(*named));
	if (!p->required || !named)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < nodes; i++)
		named[i] = (struct named){ c->cluster->node_name[i], i };
	qsort(named, nodes, sizeof(*named), ctl_place_by_name);
	struct listing l = { .named = named, .count = nodes };
	return list_required(c, &l);
}

int ctl_place_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_place *p = sl_alloc(c->arena, 1, sizeof(*p));
	c->place = p;
	if (!p)
		return sl_fail_memory(err);
	p->words = select_node_words(c->select);
	for (size_t i = 0; i < CTL_SET_COUNT; i++) {
		p->set[i] = sl_alloc(c->arena, p->words, sizeof(*p->set[i]));
		if (!p->set[i])
			return sl_fail_memory(err);
	}
	if (make_required(c) || ctl_running_make(c, err) || ctl_queue_make(c, err))
		return sl_fail_memory(err);
	return SL_OK;
}

/* ---- Which nodes --------------------------------------------------------------------------------------- */

static void look_in(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	const ctl_time since = job->eligible == CTL_NONE ? job->submit : job->eligible;
	job->part = part;
	job->desc.partition = part;
	job->desc.waited = (c->now - since) * SL_SECOND;
}

/* It has its nodes to itself. */
static bool is_alone(const struct ctl *c, const struct ctl_job *job)
{
	return job->desc.desc &&
	       (ctl_is_exclusive(c, job) || c->part[job->part].spec->share == SL_SHARE_EXCLUSIVE);
}

/* Nodes without a job that has its nodes to itself (share_node_bitmap). */
static const uint64_t *shared_nodes(struct ctl *c)
{
	struct ctl_place *p = c->place;
	uint64_t *shared = p->set[CTL_SET_SHARED];
	if (p->shared_known && p->shared_jobs == c->job_changes && p->shared_nodes == c->node_changes)
		return shared;
	const bool some = select_whole_count(c->select) > 0;
	memset(shared, 0xff, p->words * sizeof(*shared));
	for (uint32_t row = c->running_first; some && row != CTL_NO_ROW; row = c->job[row].next) {
		const struct select_alloc *alloc = c->job[row].alloc;
		if (!alloc || !is_alone(c, &c->job[row]))
			continue;
		for (uint32_t i = 0; i < alloc->node_count; i++)
			shared[alloc->node_alloc[i].node / 64] &=
				~(UINT64_C(1) << (alloc->node_alloc[i].node % 64));
	}
	p->shared_known = true;
	p->shared_jobs = c->job_changes;
	p->shared_nodes = c->node_changes;
	return shared;
}

/* Those that a job has to find: nodes without any job (idle_node_bitmap), if it wants its nodes to itself. */
static const uint64_t *nodes_for(struct ctl *c, const struct ctl_job *job)
{
	return is_alone(c, job) ? select_idle(c->select) : shared_nodes(c);
}

/* _pick_best_nodes() of a job that does not fit: BUSY, if its candidate nodes would do if they were idle, or
 * one of them is not available beside its job (not tested where there is preemption); else they do not exist.
 */
static enum ctl_status why_busy(struct ctl *c, struct ctl_job *job, const uint64_t *nodes, bool completing)
{
	struct ctl_place *p = c->place;
	const struct ctl_part *part = &c->part[job->part];
	if (completing)
		return CTL_NODES_BUSY;
	const uint64_t *free = ctl_preemption(c) ? NULL : nodes_for(c, job);
	bool all = true;
	for (size_t i = 0; i < p->words; i++) {
		const uint64_t mine = nodes[i] & part->nodes[i];
		if (free && (mine & ~free[i]))
			return CTL_NODES_BUSY;
		all = all && mine == part->nodes[i];
	}
	if (all || select_could(c->select, &job->desc, nodes))
		return CTL_NODES_BUSY;
	return CTL_NODE_NOT_AVAIL;
}

/* Nodes of reservations that are not its own go, by what its limit says. */
static enum ctl_status free_of_reservations(
	struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *available, uint64_t *nodes)
{
	struct ctl_resv_left left;
	memcpy(nodes, available, c->place->words * sizeof(*nodes));
	ctl_expedite_leave(c, job, nodes);
	return ctl_resv_nodes(c, job, c->now, ctl_limit_in(c, job, part), nodes, &left);
}

/* ---- Limits of nodes ----------------------------------------------------------------------------------- */

/* get_node_cnts(): what partition, QOS and association let it have. */
static enum ctl_status node_counts(struct ctl *c, struct ctl_job *job, int64_t *most)
{
	enum sl_reason why;
	const struct ctl_part *part = &c->part[job->part];
	const uint64_t *required = ctl_place_required(c, job);
	const int64_t limit = ctl_limits_nodes_max_of(c, job, &why);
	*most = limit < part->nodes_max ? limit : CTL_NEVER;
	if (limit < job->nodes_min) {
		ctl_queue_reason(c, job, why);
		return CTL_ACCOUNTING_POLICY;
	}
	if (required && part->nodes_max != CTL_NEVER &&
		nset_count(required, c->place->words) > part->nodes_max)
		return CTL_PART_CONFIG;
	return CTL_OK;
}

/* During the test the partition allows no more than the job's limits do. */
static void ctl_place_bound(struct ctl *c, const struct ctl_job *job, int64_t most)
{
	if (most != CTL_NEVER)
		select_set_nodes_max(c->select, job->part, most);
}

static void unbound(struct ctl *c, const struct ctl_job *job, int64_t most)
{
	const int64_t own = c->part[job->part].nodes_max;
	if (most != CTL_NEVER)
		select_set_nodes_max(c->select, job->part, own == CTL_NEVER ? SL_NONE : own);
}

/* ---- Now ----------------------------------------------------------------------------------------------- */

static enum ctl_status ctl_place_start(struct ctl *c, struct ctl_job *job, const struct select_alloc *alloc)
{
	int64_t tres[CTL_TRES_MAX] = { 0 };
	ctl_tres_of(c, job, job->part, alloc, tres);
	const enum sl_reason reason = ctl_limits_post_on(c, job, tres, alloc);
	if (reason != SL_REASON_NONE) {
		ctl_queue_reason(c, job, reason);
		return CTL_ACCOUNTING_POLICY;
	}
	if (c->recorded && !job->het) /* Components are not recorded one by one. */
		alloc = c->recorded->start(c->recorded->self, c, job, alloc);
	if (!alloc)
		return CTL_NODES_BUSY;
	ctl_start(c, job, job->part, alloc);
	return CTL_OK;
}

/* Whom it would preempt: with the largest size of a list of --nodes that would fit then. */
static bool find_victims(
	struct ctl *c, struct ctl_job *job, const uint64_t *nodes, struct ctl_victims *victims)
{
	const struct sl_job_desc *desc = job->desc.desc;
	enum select_answer answer = SELECT_BUSY;
	for (uint32_t i = 0; answer != SELECT_FITS && (!i || i < job->sized_count); i++) {
		job->desc.desc = job->sized ? job->sized[i] : desc;
		answer = ctl_preempt_place(c, job, job->part, nodes, victims);
	}
	job->desc.desc = desc;
	return answer == SELECT_FITS;
}

/* Limits are tested before any job is preempted. Jobs that it ends free its nodes for the pass that follows;
 * those that gang scheduling suspends need not end. */
static enum ctl_status preempt(struct ctl *c, struct ctl_job *job, const struct ctl_victims *victims)
{
	int64_t tres[CTL_TRES_MAX] = { 0 };
	ctl_tres_of(c, job, job->part, victims->alloc, tres);
	const enum sl_reason reason = ctl_limits_post_on(c, job, tres, victims->alloc);
	if (reason != SL_REASON_NONE) {
		ctl_queue_reason(c, job, reason);
		return CTL_ACCOUNTING_POLICY;
	}
	if (c->recorded && victims->count && !c->recorded->preempt(c->recorded->self, c, job, victims))
		return CTL_NODES_BUSY;
	if (ctl_preempt_do(c, job, victims->job, victims->count))
		return ctl_place_start(c, job, victims->alloc);
	return job->preempting ? CTL_PREEMPTION_IN_PROGRESS : CTL_NODES_BUSY;
}

/* Of a list of --nodes the largest size that fits (_job_test(), job_size_bitmap). */
static enum select_answer place_sizes(struct ctl *c, const struct ctl_job *job, const uint64_t *nodes,
	enum select_mode mode, const struct select_alloc **alloc)
{
	struct select_job desc = job->desc;
	enum select_answer best = SELECT_NEVER;
	if (!job->sized)
		return select_place(c->select, &desc, nodes, mode, alloc);
	for (uint32_t i = 0; i < job->sized_count && best != SELECT_FITS; i++) {
		desc.desc = job->sized[i];
		const enum select_answer one = select_place(c->select, &desc, nodes, mode, alloc);
		best = one == SELECT_NEVER ? best : one;
	}
	return best;
}

/* On the nodes of that allocation, with all of its tasks (dist_tasks()). */
static enum select_answer with_tasks(struct ctl *c, struct ctl_job *job, const struct select_alloc **alloc)
{
	struct ctl_place *p = c->place;
	struct select_job desc = job->desc;
	uint64_t *chosen = p->set[CTL_SET_CHOSEN];
	memset(chosen, 0, p->words * sizeof(*chosen));
	for (uint32_t i = 0; i < (*alloc)->node_count; i++)
		nset_add(chosen, (*alloc)->node_alloc[i].node);
	desc.desc = job->tasked;
	return select_place(c->select, &desc, chosen, SELECT_NOW, alloc) == SELECT_FITS ? SELECT_FITS
											: SELECT_BUSY;
}

/* _pick_best_nodes() has so many nodes to ask the node selection about, beside what runs. */
static bool has_nodes(struct ctl *c, const struct ctl_job *job, const uint64_t *nodes)
{
	const uint64_t *free = ctl_preemption(c) ? NULL : nodes_for(c, job);
	int64_t more = job->nodes_min;
	for (size_t i = 0; i < c->place->words && more > 0; i++)
		more -= select_popcount(nodes[i] & c->part[job->part].nodes[i] & (free ? free[i] : ~0ULL));
	return more <= 0;
}

/* From 23.02 on the node selection tests licences (_job_test()): where there are no nodes to choose from it
 * is not asked, and the job waits for these. */
static enum ctl_status without_licenses(
	struct ctl *c, struct ctl_job *job, const uint64_t *nodes, bool completing)
{
	if (!has_nodes(c, job, nodes))
		return why_busy(c, job, nodes, completing);
	struct ctl_victims victims;
	const enum ctl_status status = ctl_preempt_licenses(c) && find_victims(c, job, nodes, &victims)
					       ? preempt(c, job, &victims)
					       : CTL_NODES_BUSY;
	return status == CTL_NODES_BUSY ? CTL_LICENSES_UNAVAILABLE : status;
}

static enum select_answer place_beside(
	struct ctl *c, struct ctl_job *job, const uint64_t *nodes, const struct select_alloc **alloc)
{
	const enum select_answer answer = place_sizes(c, job, nodes, SELECT_NOW, alloc);
	return answer == SELECT_FITS && job->tasked ? with_tasks(c, job, alloc) : answer;
}

/* What becomes of a try. */
struct tried {
	enum select_answer answer;
	const struct select_alloc *alloc; /* Beside what runs; NULL: */
	struct ctl_victims victims;       /* with these gone. */
};

/* Of alternatives ("[a|b]") up to 25.11 each has those of lower rank preempted before the next one is tried;
 * from 26.05 on all are tried beside what runs first. */
static void try_alternatives(struct ctl *c, struct ctl_job *job, const uint64_t *nodes, struct tried *tried)
{
	const uint32_t count = ctl_preemption(c) ? select_alternatives(c->select, &job->desc) : 0;
	const bool in_turn = count && c->params.version < CTL_26_05;
	if (!in_turn)
		tried->answer = place_beside(c, job, nodes, &tried->alloc);
	for (uint32_t i = count ? 1 : 0; i <= count; i++) {
		job->desc.alternative = i;
		if (in_turn)
			tried->answer = place_beside(c, job, nodes, &tried->alloc);
		if (tried->answer != SELECT_BUSY)
			break;
		tried->alloc = NULL;
		if (find_victims(c, job, nodes, &tried->victims)) {
			tried->answer = SELECT_FITS;
			break;
		}
	}
	job->desc.alternative = 0;
}

static enum ctl_status ctl_place_choose(
	struct ctl *c, struct ctl_job *job, const uint64_t *nodes, bool completing)
{
	struct tried tried = { 0 };
	if (!ctl_license_free(c, job, c->now))
		return without_licenses(c, job, nodes, completing);

	try_alternatives(c, job, nodes, &tried);
	switch (tried.answer) {
	case SELECT_FITS:
		break;
	case SELECT_NEVER:
		return CTL_NODE_CONFIG;
	case SELECT_BUSY:
		return why_busy(c, job, nodes, completing);
	}
	if (tried.alloc)
		return ctl_place_start(c, job, tried.alloc);
	const enum ctl_status status = preempt(c, job, &tried.victims);
	return status == CTL_NODES_BUSY ? why_busy(c, job, nodes, completing) : status;
}

/* A job that does not fit may be over its limits as well: then that is its reason, and it reserves no nodes
 * meanwhile (select_nodes() calls acct_policy_job_runnable_post_select() whatever it found, with the job's
 * least nodes where it found none). */
static enum ctl_status or_limited(struct ctl *c, struct ctl_job *job, enum ctl_status status)
{
	int64_t tres[CTL_TRES_MAX];
	if (status == CTL_OK || status == CTL_ACCOUNTING_POLICY || status == CTL_PREEMPTION_IN_PROGRESS)
		return status;
	memcpy(tres, job->tres_asked, sizeof(tres));
	const int64_t most = c->part[job->part].nodes_max;
	if (job->nodes_max != CTL_NEVER)
		tres[CTL_TRES_NODE] = job->nodes_max < most ? job->nodes_max : most;
	const enum sl_reason reason = ctl_limits_post(c, job, tres);
	if (reason == SL_REASON_NONE)
		return status;
	ctl_queue_reason(c, job, reason);
	return CTL_ACCOUNTING_POLICY;
}

/* True: some were of that partition. */
static bool leave_completing(const struct ctl *c, uint32_t part, uint64_t *nodes)
{
	const uint64_t *completing = ctl_completing(c);
	bool some = false;
	for (size_t i = 0; completing && i < c->place->words; i++) {
		some |= (nodes[i] & completing[i] & c->part[part].nodes[i]) != 0;
		nodes[i] &= ~completing[i];
	}
	return some;
}

static enum ctl_status place_in(struct ctl *c, struct ctl_job *job, const uint64_t *available, int64_t most)
{
	uint64_t *nodes = c->place->set[CTL_SET_PLACE];
	const uint64_t *required = ctl_place_required(c, job);
	const enum ctl_status kept = free_of_reservations(c, job, job->part, available, nodes);
	if (kept == CTL_RESERVATION_NOT_USABLE)
		return kept;
	if (kept == CTL_OK && required && !nset_within(required, nodes, c->place->words))
		return CTL_NODE_NOT_AVAIL;
	if (kept != CTL_OK)
		return kept;
	const uint64_t *extra = ctl_extra_nodes(c, job);
	if (extra && !select_could(c->select, &job->desc, extra))
		return CTL_NODE_CONFIG;
	if (extra)
		nset_and(nodes, extra, c->place->words);
	const bool completing = leave_completing(c, job->part, nodes);
	if (completing && required && !nset_within(required, nodes, c->place->words))
		return CTL_NODES_BUSY;
	ctl_place_bound(c, job, most);
	ctl_resv_keep(c);
	const enum ctl_status status = ctl_place_choose(c, job, nodes, completing);
	select_keep_cores(c->select, NULL);
	unbound(c, job, most);
	return status;
}

static enum ctl_status ctl_place_place(struct ctl *c, struct ctl_job *job, const uint64_t *available)
{
	int64_t most;
	const enum ctl_status status = node_counts(c, job, &most);
	if (status != CTL_OK)
		return status;
	/* Wherever it fits, and if it does not, it is over its limits: then no place need be sought. */
	const enum sl_reason limit = ctl_limits_post_sure(c, job);
	if (limit == SL_REASON_NONE)
		return or_limited(c, job, place_in(c, job, available, most));
	ctl_queue_reason(c, job, limit);
	return CTL_ACCOUNTING_POLICY;
}

static enum ctl_status place_now(struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *available)
{
	/* Whatever a plan counted with (bf_licenses). */
	if (c->params.version < CTL_23_02 && !ctl_license_free(c, job, c->now))
		return job->status = CTL_LICENSES_UNAVAILABLE;
	look_in(c, job, part);
	if (!job->priority)
		return CTL_JOB_HELD;
	job->status = ctl_place_place(c, job, available);
	return job->status;
}

/* Some node of its partition, or of its list, is down or drained. */
static bool lacks_up(const struct ctl *c, const struct ctl_job *job)
{
	const uint64_t *required = ctl_place_required(c, job);
	const uint64_t *nodes = required ? required : c->part[job->part].nodes;
	return !nset_within(nodes, ctl_nodes_avail(c), c->place->words);
}

static enum sl_reason ctl_place_reason_of(
	const struct ctl *c, const struct ctl_job *job, enum ctl_status status)
{
	if (status == CTL_JOB_HELD || status == CTL_ACCOUNTING_POLICY) /* They have said why. */
		return job->reason;
	if (status == CTL_PART_CONFIG)
		return SL_REASON_PARTITION_NODES;
	if (status == CTL_RESERVATION_MAINT)
		return SL_REASON_NODES_MAINT;
	if (status == CTL_RESERVATION_NOT_USABLE)
		return SL_REASON_RESERVATION;
	if (status == CTL_LICENSES_UNAVAILABLE)
		return SL_REASON_LICENSES;
	if (status == CTL_NODE_CONFIG) /* By its --extra: another update may change that. */
		return SL_REASON_BAD_CONSTRAINTS;
	if (status == CTL_NODE_NOT_AVAIL)
		return lacks_up(c, job) ? SL_REASON_NODES_NOT_AVAIL : SL_REASON_NODES_RESERVED;
	return SL_REASON_RESOURCES;
}

enum ctl_status ctl_place_try(struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *available)
{
	look_in(c, job, part);
	job->tested = c->now;
	const enum sl_reason limit = ctl_limits_pre(c, job);
	if (limit != SL_REASON_NONE) {
		ctl_queue_reason(c, job, limit);
		return CTL_ACCOUNTING_POLICY;
	}
	if (ctl_is_limit_known(job->reason))
		ctl_queue_reason(c, job, SL_REASON_NONE);
	const enum ctl_status status = place_now(c, job, part, available);
	if (status != CTL_OK)
		ctl_queue_reason(c, job, ctl_place_reason_of(c, job, status));
	return status;
}

/* ---- At submission ------------------------------------------------------------------------------------- */

/* An eligible job goes before it (_top_priority); with `defer` nobody asks. */
static bool is_behind(const struct ctl *c, const struct ctl_job *job, const struct ctl_job *other)
{
	const int64_t tier = c->part[job->part].tier;
	const int64_t its = c->part[other->part].tier;
	if (other == job || ctl_is_limit_known(other->reason) || ctl_is_partitions(other->reason) ||
		other->begin == CTL_NONE || other->begin > c->now ||
		(other->resv == CTL_NO_ROW) != (job->resv == CTL_NO_ROW) || !other->priority)
		return false;
	if (other->array != CTL_NO_ROW && other->array == job->array)
		return false;
	if (other->part == job->part)
		return other->priority > job->priority;
	return its > tier || (its == tier && other->priority > job->priority);
}

/* As slurmctld tests a job that was just submitted: on nodes that are idle, or shared. */
static enum ctl_status place_idle(struct ctl *c, struct ctl_job *job)
{
	const size_t words = c->place->words;
	const uint64_t *required = ctl_place_required(c, job);
	uint64_t *nodes = c->place->set[CTL_SET_PLACE];
	const enum ctl_status kept = free_of_reservations(c, job, job->part, ctl_nodes_avail(c), nodes);
	if (kept != CTL_OK)
		return kept;
	if (required && !nset_within(required, nodes, words))
		return CTL_NODE_NOT_AVAIL;
	if (!ctl_preemption(c))
		nset_and(nodes, nodes_for(c, job), words);
	if (ctl_completing(c))
		nset_and_not(nodes, ctl_completing(c), words);
	return select_could(c->select, &job->desc, nodes) ? CTL_OK : CTL_NODES_BUSY;
}

enum sl_reason ctl_place_first(struct ctl *c, struct ctl_job *job)
{
	enum ctl_status status = CTL_OK;
	for (uint32_t i = 0; i < job->part_count; i++) {
		look_in(c, job, job->parts[i]);
		status = place_idle(c, job);
		if (status == CTL_OK)
			break;
	}
	look_in(c, job, job->parts[0]);
	if (status != CTL_OK)
		return ctl_place_reason_of(c, job, status);
	if (job->het) /* Whether another goes before it is not asked of a component. */
		return SL_REASON_NONE;
	for (uint32_t row = c->pending_last; row != CTL_NO_ROW && !c->params.defer; row = c->job[row].before)
		if (is_behind(c, job, &c->job[row]))
			return SL_REASON_PRIORITY;
	return SL_REASON_NONE;
}

/* ---- As recorded ------------------------------------------------------------------------------ */

/* Where it would start now on these nodes, in that partition; NULL: it does not fit. */
static const struct select_alloc *place_recorded(
	struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *nodes)
{
	struct ctl_place *p = c->place;
	const struct select_alloc *alloc = NULL;
	uint64_t *left = p->set[CTL_SET_PLACE];
	look_in(c, job, part);
	memcpy(left, nodes, p->words * sizeof(*left));
	nset_and(left, nodes_for(c, job), p->words);
	return place_beside(c, job, left, &alloc) == SELECT_FITS ? alloc : NULL;
}

static bool take_up_on(struct ctl *c, struct ctl_job *job, const uint64_t *nodes)
{
	for (uint32_t i = 0; i < job->part_count; i++) {
		const struct select_alloc *alloc = place_recorded(c, job, job->parts[i], nodes);
		if (!alloc)
			continue;
		ctl_start(c, job, job->parts[i], alloc);
		return true;
	}
	return false;
}

static void take_up_one(struct ctl *c, struct ctl_job *job)
{
	struct ctl_place *p = c->place;
	const char *names = job->het_offset ? NULL : job->more->nodes_recorded;
	uint64_t *nodes = p->set[CTL_SET_TRY];
	if (job->state != CTL_PENDING)
		return;
	memset(nodes, 0, p->words * sizeof(*nodes));
	if (names && node_list(c, names, strlen(names), nodes) && take_up_on(c, job, nodes))
		return;
	memcpy(nodes, ctl_nodes_avail(c), p->words * sizeof(*nodes));
	for (uint32_t k = 0; job->het && k < job->het->count; k++) { /* Each component has its own. */
		const struct select_alloc *alloc = ctl_het_component(c, job->het, k)->alloc;
		for (uint32_t i = 0; alloc && i < alloc->node_count; i++)
			nodes[alloc->node_alloc[i].node / 64] &=
				~(UINT64_C(1) << (alloc->node_alloc[i].node % 64));
	}
	(void)take_up_on(c, job, nodes);
}

/* Of a heterogeneous job all components, or none. */
static void take_up_all(struct ctl *c, const struct ctl_het *het)
{
	bool whole = true;
	for (uint32_t k = 0; k < het->count; k++) {
		take_up_one(c, ctl_het_component(c, het, k));
		whole &= ctl_is_active(ctl_het_component(c, het, k));
	}
	for (uint32_t k = 0; k < het->count && !whole; k++)
		if (ctl_is_active(ctl_het_component(c, het, k)))
			ctl_retract(c, ctl_het_component(c, het, k));
}

void ctl_take_up(struct ctl *c, struct ctl_job *job)
{
	if (job->het)
		take_up_all(c, job->het);
	else
		take_up_one(c, job);
}

/* ---- Later --------------------------------------------------------------------------------------------- */

/* What runs, but for those that can be preempted. */
static void without_candidates(struct ctl *c, struct select_outlook *outlook)
{
	struct ctl_place *p = c->place;
	const struct select_running *running = outlook->running;
	size_t count = 0;
	if (SL_GROW_IN(c->arena, p->staying, p->staying_capacity, outlook->running_count + 1, NULL)) {
		controller_no_memory(&c->engine);
		return;
	}
	for (size_t i = 0; i < outlook->running_count; i++)
		if (!ctl_is_candidate(c, &c->job[running[i].row]))
			p->staying[count++] = running[i];
	outlook->running = p->staying;
	outlook->running_count = count;
	outlook->listing = 0;
}

/* From 25.05 on a plan begins when the last job on its own nodes ends, before with the last one of the batch
 * that was taken away for it. */
static sl_time begin_of(
	struct ctl *c, const struct select_outlook *outlook, const uint64_t *nodes, sl_time when)
{
	if (c->params.version < CTL_25_05 || when <= outlook->now)
		return when;
	for (size_t i = outlook->running_count; i-- > 0;)
		if (outlook->running[i].end <= when && ctl_job_on(&c->job[outlook->running[i].row], nodes))
			return outlook->running[i].end > outlook->now ? outlook->running[i].end : when;
	return when;
}

/* Of a list of --nodes the size that could start soonest, of several then the largest. */
static sl_time will_run_sizes(struct ctl *c, const struct ctl_job *job, const uint64_t *available,
	const struct select_outlook *outlook, uint64_t *chosen)
{
	struct ctl_place *p = c->place;
	struct select_job desc = job->desc;
	sl_time best = SL_NEVER;
	if (!job->sized)
		return select_will_run(c->select, &desc, available, outlook, chosen);
	for (uint32_t i = 0; i < job->sized_count; i++) {
		uint64_t *nodes = p->set[CTL_SET_SIZED];
		desc.desc = job->sized[i];
		const sl_time when = select_will_run(c->select, &desc, available, outlook, nodes);
		if (when >= best)
			continue;
		best = when;
		memcpy(chosen, nodes, p->words * sizeof(*chosen));
	}
	return best;
}

/* _will_run_test(): now; now with all candidates gone; or when enough of the others have ended. */
static enum ctl_status will_run(
	struct ctl *c, struct ctl_job *job, uint64_t *available, struct ctl_when *asked)
{
	struct ctl_place *p = c->place;
	uint64_t *chosen = p->set[CTL_SET_CHOSEN];
	struct select_outlook outlook = { .now = ctl_engine_time(c, c->now),
		.epoch = c->epoch,
		.windowed = c->params.version >= CTL_24_11,
		.nearby = c->params.version >= CTL_25_05,
		.from = ctl_engine_time(c, asked->from),
		.until = ctl_engine_time(c, asked->until) };
	ctl_preempt_outlook(c, job, job->part, &outlook);
	if (!asked->now_only)
		outlook.running = ctl_running_list(c, &outlook.running_count, &outlook.listing);
	if (outlook.candidate_count)
		without_candidates(c, &outlook);
	outlook.told = outlook.listing != 0;
	ctl_resv_keep(c); /* As ctl_resv_later has left them. */
	const sl_time when = will_run_sizes(c, job, available, &outlook, chosen);
	select_keep_cores(c->select, NULL);
	struct select_job tasked = job->desc;
	tasked.desc = job->tasked;
	if (when == SL_NEVER || (job->tasked && !select_could(c->select, &tasked, chosen)))
		return CTL_NODES_BUSY;
	memcpy(available, chosen, p->words * sizeof(*available));
	asked->at = ctl_time_of(c, begin_of(c, &outlook, chosen, when));
	return CTL_OK;
}

/* The node selection sets total_cpus in every test that finds nodes, and JobSize goes by it. */
static void count_whole(struct ctl *c, struct ctl_job *job, const uint64_t *nodes)
{
	const struct sl_cluster *cluster = c->cluster;
	if (!is_alone(c, job))
		return;
	job->total_cpus = 0;
	for (uint32_t n = 0; n < cluster->node_count; n++)
		if (nset_has(nodes, n))
			job->total_cpus += cluster->type[cluster->node_type[n]].amount[SL_KIND_CPUS];
}

enum ctl_status ctl_place_plan(
	struct ctl *c, struct ctl_job *job, uint32_t part, uint64_t *available, struct ctl_when *when)
{
	int64_t most;
	look_in(c, job, part);
	enum ctl_status status = node_counts(c, job, &most);
	if (status != CTL_OK)
		return status;
	ctl_place_bound(c, job, most);
	status = will_run(c, job, available, when);
	unbound(c, job, most);
	if (status == CTL_OK)
		count_whole(c, job, available);
	if (status == CTL_OK)
		select_whole_topo(c->select, &job->desc, available);
	return status;
}

enum ctl_status ctl_place_ever(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	look_in(c, job, part);
	if (ctl_extra_is_wrong(c, job))
		return CTL_NODE_CONFIG;
	return place_sizes(c, job, NULL, SELECT_EVER, NULL) == SELECT_NEVER ? CTL_NODE_CONFIG : CTL_OK;
}
