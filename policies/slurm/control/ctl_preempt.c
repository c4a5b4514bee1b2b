/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_preempt.c - preemption: candidates, their order, PreemptMode, GraceTime.
 *
 * Rules (CLAUSES.md 8; preempt.c, preempt_partition_prio.c, preempt_qos.c, cons_common/job_test.c _run_now
 * and _will_run_test, node_scheduler.c _preempt_jobs, in outline):
 * - preempt/partition_prio: a job tried in a partition of a higher PriorityTier, unless the other's
 *   partition says PreemptMode=OFF. preempt/qos: the QOS lists the other's, or both are of one QOS,
 *   which (or the cluster) says WITHIN, and the priority is higher. The other runs, or is suspended, on
 *   some node of the partition, and has been running for its PreemptExemptTime (of the QOS, else of the
 *   cluster).
 * - Candidates: ascending by (tier or QOS priority) * 2^16 + nodes; equal ones as submitted.
 *   preempt_youngest_first: the latest start first.
 * - They are removed one by one until the job fits. Then the one that made it fit goes first, and those
 *   before it follow by how many of the chosen nodes they are allocated (preempt_strict_order: as they
 *   were), and it starts over; so often as preempt_reorder_count says and once more. Those removed by
 *   then that are allocated a chosen node are preempted.
 * - GraceTime: the preempted job's end moves up to now + grace, and it is ended there (at a tick of 30 s).
 * - A job that has ended others waits KillWait + MessageTimeout before it ends more.
 * - From 23.02 on removed candidates return licences, too; with reclaim_licenses a job that lacks licences
 *   preempts those that have some of them, on whichever nodes.
 * - A heterogeneous job is preempted as a whole, for what its leader has (preempt.c: the leader is the
 *   candidate), if each of its components may be.
 * - SUSPEND is gang scheduling's: no job ends. Under preempt/qos the job then gets the extra row.
 */
#include "policies/slurm/control/ctl_preempt.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIRST_OF_ALL = 99999 }; /* More nodes than the one that made it fit can be allocated. */

struct candidate {
	struct ctl_job *job;
	uint64_t key; /* Ascending. */
	uint32_t place;
	bool removable; /* REQUEUE or CANCEL, and on a node in question. */
};

struct ctl_preempt {
	bool within, by_priority, youngest, strict, licenses;
	int64_t reorder_count, priority_exempt; /* min_exempt_priority: higher ones are not preempted. */
	int64_t patience;                       /* Seconds before it ends more. */
	struct candidate *candidate;
	struct ctl_job **list; /* Lent. */
	struct select_preempted *preempted;
	size_t count, capacity;
	uint64_t search;
};

static const struct ctl_acts real_acts = {
	.end = ctl_end, .requeue = ctl_requeue, .suspend = ctl_suspend, .resume = ctl_resume
};

const struct ctl_acts *ctl_acts_of(const struct ctl *c) { return c->acts ? c->acts : &real_acts; }

/* ---- What is set ---------------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);
	for (const char *at = list; at && *at;) {
		at += strspn(at, ", ");
		const size_t here = strcspn(at, ", =");
		if (here == len && strncasecmp(at, word, len) == 0)
			return true;
		at += strcspn(at, ", ");
	}
	return false;
}

/* "name=N" in a list. */
static int64_t ctl_preempt_number_in(const char *list, const char *name, int64_t otherwise)
{
	const char *at = list ? strcasestr(list, name) : NULL;
	int64_t value;
	if (!at)
		return otherwise;
	at += strlen(name);
	return sl_get_i64(at, strspn(at, "0123456789"), &value) ? value : otherwise;
}

int ctl_preempt_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_preempt *p = c->preempt = sl_alloc(c->arena, 1, sizeof(*p));
	if (!p)
		return sl_fail_memory(err);
	const struct ctl_params *params = &c->params;
	const char *mode = sl_setting_of(c->cluster, "cluster", "", "PreemptMode");
	const char *more = sl_setting_of(c->cluster, "cluster", "", "PreemptParameters");
	const char *timeout = sl_setting_of(c->cluster, "cluster", "", "MessageTimeout");
	p->within = has_word(mode, "WITHIN");
	p->by_priority = has_word(mode, "PRIORITY");
	p->youngest = params->preempt_youngest_first || has_word(more, "youngest_first");
	p->strict = params->preempt_strict_order || has_word(more, "strict_order");
	p->licenses = params->version >= CTL_23_02 && has_word(more, "reclaim_licenses");
	p->reorder_count = ctl_preempt_number_in(more, "reorder_count=", params->preempt_reorder_count);
	p->priority_exempt = ctl_preempt_number_in(more, "min_exempt_priority=", INT64_MAX);
	p->patience = params->kill_wait;
	int64_t seconds = 10;
	if (timeout)
		(void)sl_get_i64(timeout, strlen(timeout), &seconds);
	p->patience += seconds;
	return SL_OK;
}

bool ctl_preempt_licenses(const struct ctl *c) { return c->preempt && c->preempt->licenses; }

bool ctl_preemption(const struct ctl *c)
{
	const struct ctl_params *p = &c->params;
	return c->preempt && (p->preempt_by_part || p->preempt_by_qos) &&
	       (p->preempt_mode != CTL_PREEMPT_OFF || p->gang);
}

/* PreemptMode=OFF of a QOS is slurmdbd's 0: not set. */
static enum ctl_preempt_mode mode_of(const struct ctl *c, const struct ctl_job *victim)
{
	enum ctl_preempt_mode mode = CTL_PREEMPT_NOT_SAID;
	if (c->params.preempt_by_part)
		mode = c->part[victim->part].preempt_mode;
	else if (c->params.preempt_by_qos && victim->qos != CTL_NO_ROW &&
		 c->qos[victim->qos].preempt_mode != CTL_PREEMPT_OFF)
		mode = c->qos[victim->qos].preempt_mode;
	return mode == CTL_PREEMPT_NOT_SAID ? c->params.preempt_mode : mode;
}

/* Of a heterogeneous job the mode of the component whose mode comes first: SUSPEND, REQUEUE; else the
 * leader's (slurm_job_preempt_mode()). */
enum ctl_preempt_mode ctl_preempt_mode(const struct ctl *c, const struct ctl_job *victim)
{
	static const enum ctl_preempt_mode first[] = { CTL_PREEMPT_SUSPEND, CTL_PREEMPT_REQUEUE };
	for (size_t i = 0; victim->het && i < SL_LEN(first); i++)
		for (uint32_t k = 0; k < victim->het->count; k++)
			if (mode_of(c, &c->job[victim->het->job[k]]) == first[i])
				return first[i];
	return mode_of(c, victim);
}

static int64_t grace_of(const struct ctl *c, const struct ctl_job *victim)
{
	if (c->params.preempt_by_part)
		return c->part[victim->part].grace_time;
	return victim->qos != CTL_NO_ROW ? c->qos[victim->qos].grace_time : 0;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static bool qos_may(const struct ctl *c, const struct ctl_job *preemptor, const struct ctl_job *victim)
{
	if (preemptor->qos == CTL_NO_ROW || victim->qos == CTL_NO_ROW)
		return false;
	const struct ctl_qos *its = &c->qos[preemptor->qos];
	if (preemptor->qos == victim->qos)
		return (its->preempt_within || c->preempt->within) && preemptor->priority > victim->priority;
	return its->preempts && (its->preempts[victim->qos / 64] >> (victim->qos % 64) & 1);
}

/* acct_policy_set_qos_order(): the partition's QOS before the job's, unless that overrides it. */
static int64_t exempt_time(const struct ctl *c, const struct ctl_job *victim)
{
	const uint32_t of_part = c->part[victim->part].qos;
	const struct ctl_qos *job = victim->qos == CTL_NO_ROW ? NULL : &c->qos[victim->qos];
	const struct ctl_qos *part = of_part == CTL_NO_ROW ? NULL : &c->qos[of_part];
	const bool over = job && (job->flags & CTL_QOS_OVER_PART_QOS);
	const struct ctl_qos *order[] = { over ? job : part, over ? part : job };
	for (size_t i = 0; i < SL_LEN(order); i++)
		if (order[i] && order[i]->exempt_time != CTL_NONE && order[i]->exempt_time != CTL_NEVER)
			return order[i]->exempt_time;
	return c->params.preempt_exempt_time > 0 ? c->params.preempt_exempt_time : 0;
}

static bool ctl_preempt_holds(const struct ctl_job *job)
{
	return job->alloc &&
	       (job->state == CTL_RUNNING || job->state == CTL_CONFIGURING || job->state == CTL_SUSPENDED);
}

/* PreemptMode=PRIORITY, of 25.05: of the cluster, of the preemptor's partition or of its QOS. */
static bool needs_priority(const struct ctl *c, const struct ctl_job *preemptor, uint32_t part)
{
	if (c->params.version < CTL_25_05)
		return false;
	const bool of_part = c->params.preempt_by_part && c->part[part].preempt_priority;
	const bool of_qos = c->params.preempt_by_qos && preemptor->qos != CTL_NO_ROW &&
			    c->qos[preemptor->qos].preempt_priority;
	return c->preempt->by_priority || of_part || of_qos;
}

/* On whichever nodes. */
static bool may_preempt_one(
	const struct ctl *c, const struct ctl_job *preemptor, uint32_t part, const struct ctl_job *victim)
{
	if (!ctl_preempt_holds(victim))
		return false;
	if (c->params.preempt_by_part) {
		const struct ctl_part *its = &c->part[victim->part];
		if (its->tier >= c->part[part].tier || its->preempt_mode == CTL_PREEMPT_OFF)
			return false;
	} else if (!qos_may(c, preemptor, victim)) {
		return false;
	}
	if (needs_priority(c, preemptor, part) && preemptor->priority <= victim->priority)
		return false;
	return victim->priority <= c->preempt->priority_exempt &&
	       c->now >= victim->start + exempt_time(c, victim);
}

/* All of its components may be; some of them is on a node in question. */
static bool may_preempt_all(
	const struct ctl *c, const struct ctl_job *preemptor, uint32_t part, const struct ctl_het *het)
{
	bool there = false;
	for (uint32_t k = 0; k < het->count; k++) {
		const struct ctl_job *one = &c->job[het->job[k]];
		if (!ctl_preempt_holds(one))
			continue; /* It has ended. */
		if (!may_preempt_one(c, preemptor, part, one))
			return false;
		there |= ctl_holds_node_of(one, c->part[part].nodes);
	}
	return there;
}

bool ctl_may_preempt(
	const struct ctl *c, const struct ctl_job *preemptor, uint32_t part, const struct ctl_job *victim)
{
	if (!ctl_preemption(c) || victim->het_offset) /* The leader stands for all. */
		return false;
	if (victim->het)
		return may_preempt_all(c, preemptor, part, victim->het);
	return may_preempt_one(c, preemptor, part, victim) && ctl_holds_node_of(victim, c->part[part].nodes);
}

static bool parts_overlap(const struct ctl *c, uint32_t one, uint32_t other)
{
	const size_t words = select_node_words(c->select);
	for (size_t w = 0; w < words; w++)
		if (c->part[one].nodes[w] & c->part[other].nodes[w])
			return true;
	return false;
}

/* As sort_job_queue2() tests it, whatever state the two are in. */
bool ctl_preempts_first(const struct ctl *c, const struct ctl_entry *a, const struct ctl_entry *b)
{
	if (!ctl_preemption(c) || (needs_priority(c, a->job, a->part) && a->priority <= b->priority))
		return false;
	if (c->params.preempt_by_qos)
		return qos_may(c, a->job, b->job);
	return c->part[a->part].tier > c->part[b->part].tier && parts_overlap(c, a->part, b->part);
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static int by_key(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void sort_candidates(struct ctl_preempt *p)
{
	for (size_t i = 0; i < p->count; i++)
		p->candidate[i].place = (uint32_t)i;
	if (p->count)
		qsort(p->candidate, p->count, sizeof(*p->candidate), by_key);
}

/* _gen_job_prio() */
static uint64_t ctl_preempt_key_of(const struct ctl *c, const struct ctl_job *job)
{
	int64_t high = 0;
	if (c->preempt->youngest)
		return UINT64_MAX / 2 - (uint64_t)job->start;
	if (c->params.preempt_by_part)
		high = c->part[job->part].tier & 0xffff;
	else if (job->qos != CTL_NO_ROW)
		high = c->qos[job->qos].priority < 0xffff ? c->qos[job->qos].priority : 0xffff;
	return (uint64_t)high << 16 | (job->alloc->node_count < 0xffff ? job->alloc->node_count : 0xffff);
}

static bool ctl_preempt_make_room(struct ctl *c, struct ctl_preempt *p, size_t count)
{
	if (count <= p->capacity)
		return true;
	const size_t capacity = 2 * count + 16;
	p->candidate = sl_alloc(c->arena, capacity, sizeof(*p->candidate));
	p->list = sl_alloc(c->arena, capacity, sizeof(struct ctl_job *));
	p->preempted = sl_alloc(c->arena, capacity, sizeof(*p->preempted));
	p->capacity = p->candidate && p->list && p->preempted ? capacity : 0;
	if (!p->capacity)
		controller_failed(&c->engine, SL_SYSTEM);
	return p->capacity != 0;
}

/* Its QOS names others, or those of its own may: else there is no need to look at what runs. */
static bool preempts_some(const struct ctl *c, const struct ctl_job *job)
{
	if (c->params.preempt_by_part)
		return true;
	if (job->qos == CTL_NO_ROW)
		return false;
	const struct ctl_qos *its = &c->qos[job->qos];
	bool some = its->preempt_within || c->preempt->within;
	for (uint32_t i = 0; its->preempts && i <= (c->qos_count ? c->qos_count - 1 : 0) / 64; i++)
		some = some || its->preempts[i];
	return some;
}

/* slurm_find_preemptable_jobs() */
static void ctl_preempt_find(struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	struct ctl_preempt *p = c->preempt;
	if (!p)
		return;
	p->count = 0;
	p->search++;
	if (!ctl_preemption(c) || !preempts_some(c, job) || !ctl_preempt_make_room(c, p, c->running_count))
		return;
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next) {
		struct ctl_job *other = &c->job[row];
		if (!ctl_may_preempt(c, job, part, other))
			continue;
		other->candidate = p->search;
		p->candidate[p->count++] =
			(struct candidate){ .job = other, .key = ctl_preempt_key_of(c, other) };
	}
	sort_candidates(p);
}

size_t ctl_preempt_candidates(
	struct ctl *c, struct ctl_job *job, uint32_t part, struct ctl_job *const **victim)
{
	struct ctl_preempt *p = c->preempt;
	ctl_preempt_find(c, job, part);
	for (size_t i = 0; p && i < p->count; i++)
		p->list[i] = p->candidate[i].job;
	*victim = p ? p->list : NULL;
	return p ? p->count : 0;
}

bool ctl_is_candidate(const struct ctl *c, const struct ctl_job *job)
{
	return c->preempt && job->candidate == c->preempt->search && c->preempt->search;
}

/* Of mode OFF neither removed nor counted as one that ends (_build_cr_job_list). */
void ctl_preempt_outlook(struct ctl *c, struct ctl_job *job, uint32_t part, struct select_outlook *outlook)
{
	struct ctl_preempt *p = c->preempt;
	ctl_preempt_find(c, job, part);
	outlook->preempted_count = 0;
	outlook->candidate_count = p ? p->count : 0;
	for (size_t i = 0; p && i < p->count; i++) {
		const struct ctl_job *victim = p->candidate[i].job;
		const enum ctl_preempt_mode mode = ctl_preempt_mode(c, victim);
		if (mode == CTL_PREEMPT_OFF)
			continue;
		p->preempted[outlook->preempted_count++] = (struct select_preempted){ .alloc = victim->alloc,
			.stays = mode == CTL_PREEMPT_SUSPEND };
	}
	outlook->preempted = p ? p->preempted : NULL;
}

/* ---- Jobs to preempt ----------------------------------------------------------------------------------- */

/* Candidates are removed in their order until the job fits. The last of them; SIZE_MAX: it never does. */
static size_t remove_until_it_fits(struct ctl *c, const struct ctl_job *job, const struct select_job *desc,
	const uint64_t *available, const struct select_alloc **out)
{
	const struct ctl_preempt *p = c->preempt;
	const uint32_t mark = select_mark(c->select);
	size_t last = SIZE_MAX, tried = 0;
	for (; tried < p->count && last == SIZE_MAX; tried++) {
		if (!p->candidate[tried].removable)
			continue;
		select_give(c->select, p->candidate[tried].job->alloc);
		ctl_license_lend(c, p->candidate[tried].job, -1);
		if (ctl_license_free(c, job, c->now) &&
			select_place(c->select, desc, available, SELECT_NOW, out) == SELECT_FITS)
			last = tried;
	}
	for (size_t i = 0; i < tried; i++)
		if (p->candidate[i].removable)
			ctl_license_lend(c, p->candidate[i].job, 1);
	select_undo(c->select, mark);
	return last;
}

/* On how many nodes both are. Node allocations are by node, ascending. */
static uint32_t nodes_shared(const struct select_alloc *a, const struct select_alloc *b)
{
	uint32_t count = 0;
	for (uint32_t i = 0, j = 0; i < a->node_count && j < b->node_count;) {
		if (a->node_alloc[i].node == b->node_alloc[j].node)
			count++;
		if (a->node_alloc[i].node <= b->node_alloc[j].node)
			i++;
		else
			j++;
	}
	return count;
}

/* The one that made it fit goes first; the others of those removed by how many of its nodes they free. */
static void reorder(struct ctl_preempt *p, size_t last, const struct select_alloc *chosen)
{
	for (size_t i = 0; i < p->count; i++) {
		uint32_t usable =
			i < last && !p->strict ? nodes_shared(p->candidate[i].job->alloc, chosen) : 0;
		if (i == last)
			usable = FIRST_OF_ALL;
		p->candidate[i].key = UINT32_MAX - usable;
	}
	sort_candidates(p);
}

static void mark_removable(struct ctl *c, const uint64_t *available)
{
	struct ctl_preempt *p = c->preempt;
	for (size_t i = 0; i < p->count; i++) {
		struct candidate *one = &p->candidate[i];
		const enum ctl_preempt_mode mode = ctl_preempt_mode(c, one->job);
		one->removable = (mode == CTL_PREEMPT_REQUEUE || mode == CTL_PREEMPT_CANCEL) &&
				 (ctl_holds_node_of(one->job, available) ||
					 (c->params.version >= CTL_23_02 && one->job->need));
	}
}

enum select_answer ctl_preempt_place(struct ctl *c, struct ctl_job *job, uint32_t part,
	const uint64_t *available, struct ctl_victims *victims)
{
	struct ctl_preempt *p = c->preempt;
	struct select_job desc = job->desc;
	const struct select_alloc **out = &victims->alloc;
	desc.partition = part;
	ctl_preempt_find(c, job, part);
	*victims = (struct ctl_victims){ .job = p ? p->list : NULL };
	if (!p || !p->count)
		return SELECT_BUSY;
	if (c->params.preempt_by_qos && job->priority &&
		ctl_preempt_mode(c, p->candidate[0].job) == CTL_PREEMPT_SUSPEND) {
		desc.over_qos = true;
		return select_place(c->select, &desc, available, SELECT_NOW, out);
	}
	mark_removable(c, available);
	const uint64_t lacking = ctl_license_short(c, job);
	size_t last;
	for (int64_t tries = 0;; reorder(p, last, *out)) {
		last = remove_until_it_fits(c, job, &desc, available, out);
		if (last == SIZE_MAX)
			return SELECT_BUSY;
		/* As written there: the count is compared before it grows, then after. */
		if (tries++ > p->reorder_count || (int64_t)p->count <= tries)
			break;
	}
	for (size_t i = 0; i <= last; i++)
		if (p->candidate[i].removable && (nodes_shared(p->candidate[i].job->alloc, *out) ||
							 ctl_license_has(p->candidate[i].job, job, lacking)))
			p->list[victims->count++] = p->candidate[i].job;
	return SELECT_FITS;
}

/* ---- They go ------------------------------------------------------------------------------------------ */

/* _job_check_grace(): true: its grace time still runs. */
static bool in_grace(struct ctl *c, struct ctl_job *victim)
{
	if (victim->preempted_at != CTL_NONE) {
		if (c->now < victim->end_limit)
			return true;
		victim->preempted_at = c->now;
		return false;
	}
	const int64_t grace = grace_of(c, victim);
	victim->preempted_at = c->now;
	if (victim->end_limit > c->now + grace)
		victim->end_limit = c->now + grace;
	ctl_limit_moved(c, victim); /* The look that ends its grace may be sooner than any other. */
	return grace > 0;
}

/* What cannot be put back into the queue is ended. */
void ctl_preempt_kill(struct ctl *c, struct ctl_job *victim)
{
	const struct ctl_acts *acts = ctl_acts_of(c);
	if (ctl_preempt_mode(c, victim) == CTL_PREEMPT_REQUEUE && victim->requeue_ok)
		acts->requeue(c, victim, SL_PREEMPTED, false);
	else
		acts->end(c, victim, SL_PREEMPTED, false);
}

void ctl_preempt_over(struct ctl *c, struct ctl_job *victim)
{
	const struct order_by was = ctl_cause(c, SL_RULE_RANK, victim->preempted_for);
	if (ctl_preempt_holds(victim) && !in_grace(c, victim))
		ctl_preempt_kill(c, victim);
	c->engine.cause = was;
}

ctl_time ctl_preempt_retry(const struct ctl *c, const struct ctl_job *job)
{
	const ctl_time at = job->preempting_since + (c->preempt ? c->preempt->patience : 0);
	return job->preempted_others && at > c->now ? at : CTL_NEVER;
}

bool ctl_preempt_do(struct ctl *c, struct ctl_job *job, struct ctl_job *const *victim, size_t count)
{
	/* Jobs that it has ended may still be on their way out: no more of them meanwhile. */
	const bool busy = job->preempted_others && job->preempting_since > c->now - c->preempt->patience;
	const struct order_by was = ctl_cause(c, SL_RULE_RANK, job->row);
	size_t ended = 0;
	for (size_t i = 0; i < count; i++) {
		const enum ctl_preempt_mode mode = ctl_preempt_mode(c, victim[i]);
		if (mode == CTL_PREEMPT_OFF || (mode == CTL_PREEMPT_SUSPEND && c->params.gang))
			continue;
		ended++;
		victim[i]->preempted_for = job->row;
		if (!busy && !in_grace(c, victim[i]))
			ctl_preempt_kill(c, victim[i]);
	}
	c->engine.cause = was;
	job->preempting = ended && !busy;
	if (job->preempting) {
		job->preempted_others = true;
		job->preempting_since = c->now;
	}
	return ended == 0;
}

/* ---- How many share a core -------------------------------------------------------------------------- */

/* Jobs of one partition share a core as its rows say; under gang scheduling jobs of several partitions do,
 * one of them running. */
uint32_t ctl_overcommit(const struct ctl *c)
{
	const bool qos_row = c->params.gang && c->params.preempt_by_qos;
	uint32_t most = 1;
	for (uint32_t node = 0; node < c->cluster->node_count; node++) {
		int64_t times = 0;
		for (uint32_t i = 0; i < c->part_count; i++) {
			const struct sl_partition *spec = c->part[i].spec;
			if (!(c->part[i].nodes[node / 64] >> (node % 64) & 1))
				continue;
			const bool shares =
				spec && (spec->share == SL_SHARE_FORCE || spec->share == SL_SHARE_YES);
			const int64_t rows = !shares ? c->params.gang : spec->shares < 1 ? 4 : spec->shares;
			times += rows + qos_row;
		}
		if (times > most)
			most = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
	}
	return most;
}
