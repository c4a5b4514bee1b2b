/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_queue.c - the job queue of a pass, and its order: slurmctld's build_job_queue() and sort_job_queue()
 * (CLAUSES.md 2).
 *
 * A job in several partitions is a record with each, with each QOS of its list. The waiting tasks of an array
 * are one record, its head, until one of them gets a life of its own (by being requeued).
 */
#include <string.h>

#include "policies/slurm/control/ctl_place.h"

enum {
	INSERTION = 8, /* As few are sorted by insertion. */
	RESVS = 64     /* Of one job: more are not tried. */
};

struct ctl_queue {
	struct ctl_entry *entry, *other; /* other: to merge with. */
	size_t capacity;
	uint32_t *first; /* By array: no task before this index of ctl_array.job waits in the head. */
	uint64_t *seen;  /* By array: in this build. */
	uint64_t builds;
};

int ctl_queue_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_queue *q = sl_alloc(c->arena, 1, sizeof(*q));
	c->queue = q;
	if (!q)
		return sl_fail_memory(err);
	/* Tasks that wait for different tasks are records of their own from the start. */
	for (uint32_t row = 0; row < c->job_count; row++)
		for (uint32_t i = 0; i < c->job[row].more->depend_count; i++)
			if (c->job[row].more->depend[i].kind == SL_AFTER_CORR)
				c->job[row].alone = true;
	q->first = sl_alloc(c->arena, c->array_count + 1, sizeof(*q->first));
	q->seen = sl_alloc(c->arena, c->array_count + 1, sizeof(*q->seen));
	return q->first && q->seen ? SL_OK : sl_fail_memory(err);
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

bool ctl_is_alone(const struct ctl_job *job)
{
	return job->array == CTL_NO_ROW || job->restarts || job->alone;
}

static bool waits_in_head(const struct ctl_job *job)
{
	return job->state == CTL_PENDING && !ctl_is_alone(job);
}

/* The job that stands for its array's waiting tasks: the first of them; NULL: none waits. */
static struct ctl_job *ctl_array_head(struct ctl *c, uint32_t array)
{
	const struct ctl_array *a = &c->array[array];
	uint32_t *first = &c->queue->first[array];
	for (uint32_t i = *first; i < a->count; i++) {
		struct ctl_job *job = &c->job[a->job[i]];
		if (waits_in_head(job)) {
			*first = i;
			return job;
		}
		if (job->state == CTL_NOT_SUBMITTED)
			return NULL; /* All come at once: it is about to. */
	}
	return NULL;
}

struct ctl_job *ctl_entry_job(struct ctl *c, const struct ctl_entry *entry)
{
	struct ctl_job *job = entry->job;
	if (entry->array && job->state != CTL_PENDING)
		job = ctl_array_head(c, job->array);
	if (!job || job->state != CTL_PENDING || !job->priority)
		return NULL; /* Started, or held, by another of its records. */
	if (job->preferred)
		job->desc.desc = entry->prefer ? job->preferred : job->constrained;
	return job;
}

void ctl_entry_enter(const struct ctl_entry *entry, struct ctl_job *job)
{
	if (entry->resv == CTL_NO_ROW)
		return;
	job->magnetic = !job->resv_names;
	job->resv = entry->resv;
}

void ctl_entry_left(struct ctl_job *job)
{
	if (!job->magnetic || job->state != CTL_PENDING)
		return;
	job->magnetic = false;
	job->resv = CTL_NO_ROW;
}

void ctl_queue_reason(struct ctl *c, struct ctl_job *job, enum sl_reason reason)
{
	const struct ctl_array *a = ctl_is_alone(job) ? NULL : &c->array[job->array];
	if (job->reason == reason)
		return;
	c->reason_changes++;
	ctl_set_reason(c, job, reason);
	for (uint32_t i = c->queue->first[a ? job->array : 0]; a && i < a->count; i++) {
		struct ctl_job *task = &c->job[a->job[i]];
		if (waits_in_head(task) && task->reason != reason)
			ctl_set_reason(c, task, reason);
	}
}

/* ---- Whether it is tried --------------------------------------------------------------------------- */

/* It is one of QOS' and associations'. */
static bool ctl_is_limit(enum sl_reason reason)
{
	return reason >= SL_REASON_QOS_USAGE && reason < SL_REASON_CONFIGURING;
}

bool ctl_is_limit_known(enum sl_reason reason)
{
	static const bool known[] = { [SL_REASON_ASSOC_GRP_CPU] = true,
		[SL_REASON_ASSOC_GRP_CPU_MINS] = true,
		[SL_REASON_ASSOC_GRP_CPU_RUN_MINS] = true,
		[SL_REASON_ASSOC_GRP_JOBS] = true,
		[SL_REASON_ASSOC_GRP_MEM] = true,
		[SL_REASON_ASSOC_GRP_NODE] = true,
		[SL_REASON_ASSOC_GRP_SUBMIT] = true,
		[SL_REASON_ASSOC_GRP_WALL] = true,
		[SL_REASON_ASSOC_MAX_JOBS] = true,
		[SL_REASON_ASSOC_MAX_CPU_JOB] = true,
		[SL_REASON_ASSOC_MAX_CPU_MINS_JOB] = true,
		[SL_REASON_ASSOC_MAX_NODE_JOB] = true,
		[SL_REASON_ASSOC_MAX_WALL] = true,
		[SL_REASON_ASSOC_MAX_SUBMIT] = true,
		[SL_REASON_QOS_GRP_CPU] = true,
		[SL_REASON_QOS_GRP_CPU_MINS] = true,
		[SL_REASON_QOS_GRP_CPU_RUN_MINS] = true,
		[SL_REASON_QOS_GRP_JOBS] = true,
		[SL_REASON_QOS_GRP_MEM] = true,
		[SL_REASON_QOS_GRP_NODE] = true,
		[SL_REASON_QOS_GRP_SUBMIT] = true,
		[SL_REASON_QOS_GRP_WALL] = true,
		[SL_REASON_QOS_MAX_CPU_JOB] = true,
		[SL_REASON_QOS_MAX_CPU_MINS_JOB] = true,
		[SL_REASON_QOS_MAX_NODE_JOB] = true,
		[SL_REASON_QOS_MAX_WALL] = true,
		[SL_REASON_QOS_MAX_CPU_USER] = true,
		[SL_REASON_QOS_MAX_JOBS_USER] = true,
		[SL_REASON_QOS_MAX_NODE_USER] = true,
		[SL_REASON_QOS_MAX_SUBMIT_USER] = true,
		[SL_REASON_QOS_MIN_CPU] = true };
	return ctl_is_limit(reason) && reason < SL_LEN(known) && known[reason];
}

bool ctl_limits_retry(struct ctl *c, struct ctl_job *job)
{
	if (!ctl_is_limit_known(job->reason))
		return true;
	const enum sl_reason reason = ctl_limits_pre(c, job);
	if (reason != SL_REASON_NONE) /* Else what it said stays until something else keeps it. */
		ctl_queue_reason(c, job, reason);
	return reason == SL_REASON_NONE;
}

/* Reasons that a partition sets, and clears once it has no objection
 * (part_policy_job_runnable_state). */
bool ctl_is_partitions(enum sl_reason reason)
{
	return reason == SL_REASON_PARTITION_NODES || reason == SL_REASON_PARTITION_TIME ||
	       reason == SL_REASON_PARTITION_DOWN || reason == SL_REASON_PARTITION_INACTIVE ||
	       reason == SL_REASON_QOS_USAGE;
}

static bool partition_allows(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	enum sl_reason reason = ctl_part_allows(c, job, part);
	if (reason == SL_REASON_NONE && job->nodes_min > c->part[part].node_count)
		reason = SL_REASON_PARTITION_NODES;
	if (reason != SL_REASON_NONE || ctl_is_partitions(job->reason))
		ctl_queue_reason(c, job, reason);
	return reason == SL_REASON_NONE;
}

static bool ctl_queue_make_room(struct ctl *c, size_t count)
{
	struct ctl_queue *q = c->queue;
	if (count <= q->capacity)
		return true;
	const size_t capacity = 2 * count + 64;
	struct ctl_entry *entry = sl_alloc(c->arena, capacity, sizeof(*entry));
	struct ctl_entry *other = sl_alloc(c->arena, capacity, sizeof(*other));
	if (!entry || !other) {
		controller_no_memory(&c->engine);
		return false;
	}
	if (q->capacity)
		memcpy(entry, q->entry, q->capacity * sizeof(*entry));
	q->entry = entry;
	q->other = other;
	q->capacity = capacity;
	return true;
}

/* The head of an array stands for all, and is met at the first of its tasks. */
static struct ctl_job *met(struct ctl *c, struct ctl_job *job)
{
	struct ctl_queue *q = c->queue;
	if (ctl_is_alone(job))
		return job;
	if (q->seen[job->array] == q->builds)
		return NULL;
	q->seen[job->array] = q->builds;
	return ctl_array_head(c, job->array);
}

/* What the head of an array becomes, its other waiting tasks become. */
static void ctl_queue_follow(struct ctl *c, struct ctl_job *job)
{
	const struct ctl_array *a = &c->array[job->array];
	for (uint32_t i = c->queue->first[job->array]; i < a->count; i++)
		if (waits_in_head(&c->job[a->job[i]]))
			(void)ctl_independent(c, &c->job[a->job[i]]);
}

bool ctl_queue_independent(struct ctl *c, struct ctl_job *job)
{
	const enum sl_reason before = job->reason;
	const ctl_time begin = job->begin;
	const bool independent = ctl_independent(c, job);
	c->reason_changes += job->reason != before;
	if (!ctl_is_alone(job) && job->state == CTL_PENDING && (job->reason != before || job->begin != begin))
		ctl_queue_follow(c, job);
	return independent && job->state == CTL_PENDING && job->priority;
}

/* What sort_job_queue2() looks at first, where no job preempts. */
struct standing {
	bool reserved;
	int64_t tier;
	uint32_t priority;
};

/* Records of one partition stand where the job does, which is where its last try left it: with a list of QOS,
 * by the last of them, most often the lowest.
 *
 * Of a component among other jobs, with bf_hetjob_prio, what the last backfill pass made of all components
 * (het_details); among its own kind: `whole` is false. */
static struct standing standing_of(const struct ctl *c, const struct ctl_entry *e, bool whole)
{
	const struct ctl_het *het = e->job->het;
	if (het && whole && het->known && c->params.bf_hetjob_prio)
		return (struct standing){ het->reserved, het->tier, het->priority };
	return (struct standing){ e->resv != CTL_NO_ROW || e->job->resv != CTL_NO_ROW, c->part[e->part].tier,
		e->job->part_count > 1 ? e->priority : e->job->priority };
}

/* Reservation, tier, priority as one number. */
static uint64_t key_of(const struct ctl *c, const struct ctl_entry *e)
{
	const struct standing s = standing_of(c, e, true);
	return (uint64_t)s.reserved << 48 | ((uint64_t)s.tier & UINT16_MAX) << 32 | s.priority;
}

/* One record; in one more for each of those reservations. */
static size_t append(
	struct ctl *c, struct ctl_entry entry, const uint32_t *resv, uint32_t resvs, size_t count)
{
	struct ctl_queue *q = c->queue;
	for (uint32_t i = 0; i <= resvs; i++) {
		if (!i && entry.job->resv_names && resvs)
			continue; /* It is tried in those that it named, and nowhere else. */
		entry.resv = i ? resv[i - 1] : CTL_NO_ROW;
		entry.key = key_of(c, &entry);
		q->entry[count++] = entry;
		if (!entry.prefer)
			continue;
		q->entry[count] = entry; /* job_queue_append_internal(): again, with its constraint. */
		q->entry[count++].prefer = false;
	}
	return count;
}

/* What it is tried with, and has until another pass tries it; its array's other waiting tasks are one record
 * with it. */
void ctl_queue_tried(struct ctl *c, struct ctl_job *job, uint32_t qos, uint32_t priority)
{
	const struct ctl_array *a = ctl_is_alone(job) ? NULL : &c->array[job->array];
	if (!job->qos_count || (job->qos == qos && job->priority == priority))
		return;
	job->qos = qos;
	job->priority = priority;
	for (uint32_t i = c->queue->first[a ? job->array : 0]; a && i < a->count; i++) {
		struct ctl_job *task = &c->job[a->job[i]];
		if (waits_in_head(task)) {
			task->qos = qos;
			task->priority = priority;
		}
	}
}

static size_t ctl_queue_add(struct ctl *c, struct ctl_job *job, size_t count)
{
	const uint32_t qoses = ctl_job_qoses(job);
	uint32_t resv[RESVS];
	if (!ctl_queue_independent(c, job))
		return count;
	const uint32_t resvs = ctl_resv_tried_in(c, job, resv, RESVS);
	if (!ctl_queue_make_room(c, count + 2 * (size_t)ctl_job_pairs(job) * (resvs + 1)))
		return count;
	for (uint32_t i = 0; i < ctl_job_pairs(job); i++) {
		job->part = job->parts[i / qoses];
		if (job->qos_count)
			ctl_queue_tried(c, job, job->qoses[i % qoses], job->priority);
		if (!partition_allows(c, job, job->part))
			continue;
		const uint32_t priority = job->priority_part ? job->priority_part[i] : job->priority;
		const struct ctl_entry entry = { .job = job,
			.part = job->part,
			.qos = job->qos,
			.priority = priority,
			.array = !ctl_is_alone(job),
			.prefer = job->preferred };
		count = append(c, entry, resv, resvs, count);
	}
	return count;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

static int more(int64_t a, int64_t b) { return a < b ? 1 : a > b ? -1 : 0; } /* The greater one first. */

/* sort_job_queue2(). Below 0: a goes first. */
static int ctl_queue_compare(const struct ctl *c, const struct ctl_entry *a, const struct ctl_entry *b)
{
	if (c->params.preempt_by_part || c->params.preempt_by_qos) {
		if (ctl_preempts_first(c, a, b))
			return -1;
		if (ctl_preempts_first(c, b, a))
			return 1;
	}
	const bool apart = a->job->het != b->job->het;
	const struct standing x = standing_of(c, a, apart);
	const struct standing y = standing_of(c, b, apart);
	int order = more(x.reserved, y.reserved);
	if (!order)
		order = more(x.tier, y.tier);
	if (!order)
		order = more(x.priority, y.priority);
	if (!order) /* A requeued job was submitted when it was requeued (own-81). */
		order = a->job->submit < b->job->submit ? -1 : a->job->submit > b->job->submit;
	if (!order)
		order = -more(a->job->order, b->job->order);
	if (!order) /* Tasks of one array; those that still are one record go last. */
		order = a->array != b->array ? (a->array ? 1 : -1)
					     : -more(a->job->array_task, b->job->array_task);
	if (!order && a->resv != CTL_NO_ROW && b->resv != CTL_NO_ROW)
		order = -more(ctl_resv_begins(c, a->resv), ctl_resv_begins(c, b->resv));
	return order ? order : more(a->prefer, b->prefer);
}

/* "May preempt" is no order: a job that two others each may not preempt ties with both. So what comes out
 * depends on how it is sorted, and this is how glibc's qsort() merges. */
static void ctl_queue_sort(
	const struct ctl *c, struct ctl_entry *entry, size_t count, struct ctl_entry *other)
{
	if (count < 2)
		return;
	const size_t half = count / 2;
	ctl_queue_sort(c, entry, half, other);
	ctl_queue_sort(c, entry + half, count - half, other);
	size_t a = 0;
	size_t b = half;
	size_t to = 0;
	while (a < half && b < count)
		other[to++] = ctl_queue_compare(c, &entry[a], &entry[b]) <= 0 ? entry[a++] : entry[b++];
	while (a < half)
		other[to++] = entry[a++];
	memcpy(entry, other, to * sizeof(*entry)); /* What is left of the second half is in its place. */
}

/* Where none preempts, the order is one, so that any stable way to sort gives the same. */
static bool goes_after(const struct ctl *c, const struct ctl_entry *a, const struct ctl_entry *b)
{
	return a->key != b->key ? a->key < b->key : ctl_queue_compare(c, a, b) > 0;
}

static void sort_by_key(const struct ctl *c, struct ctl_entry *entry, size_t count, struct ctl_entry *other)
{
	if (count <= INSERTION) {
		for (size_t i = 1; i < count; i++) {
			const struct ctl_entry e = entry[i];
			size_t at = i;
			for (; at > 0 && goes_after(c, &entry[at - 1], &e); at--)
				entry[at] = entry[at - 1];
			entry[at] = e;
		}
		return;
	}
	const size_t half = count / 2;
	sort_by_key(c, entry, half, other);
	sort_by_key(c, entry + half, count - half, other);
	if (!goes_after(c, &entry[half - 1], &entry[half]))
		return;
	memcpy(other, entry, half * sizeof(*entry));
	size_t to = 0;
	for (size_t a = 0, b = half; a < half;)
		entry[to++] = b < count && goes_after(c, &other[a], &entry[b]) ? entry[b++] : other[a++];
}

/* The keys are in order as the entries are. */
static bool is_keyed(const struct ctl *c)
{
	for (uint32_t i = 0; i < c->part_count; i++)
		if (c->part[i].tier < 0 || c->part[i].tier > UINT16_MAX)
			return false;
	return !c->params.preempt_by_part && !c->params.preempt_by_qos;
}

/* sched/builtin of 22.05 tries jobs in order of submission, if nothing else could order them; that of 24.11
 * has them in a queue like any other (_schedule has no fifo_sched any more). */
static bool is_fifo(const struct ctl *c)
{
	for (uint32_t i = 1; i < c->part_count; i++)
		if (c->part[i].tier != c->part[0].tier)
			return false;
	return c->params.builtin && !c->params.multifactor && c->params.version < CTL_24_11;
}

size_t ctl_queue_build(struct ctl *c, bool backfill, struct ctl_entry **entry)
{
	struct ctl_queue *q = c->queue;
	size_t count = 0;
	(void)backfill;
	q->builds++;
	for (uint32_t row = c->pending_first, next; row != CTL_NO_ROW; row = next) {
		const uint32_t other = ctl_next_other(c, &c->job[row]);
		next = c->job[row].next; /* It may be dropped: what it depends on can no longer be. */
		struct ctl_job *job = met(c, &c->job[row]);
		if (job)
			count = ctl_queue_add(c, job, count);
		if (next != CTL_NO_ROW &&
			c->job[next].state != CTL_PENDING) /* A component, with its leader. */
			next = other;
	}
	if (!is_fifo(c)) {
		if (is_keyed(c))
			sort_by_key(c, q->entry, count, q->other);
		else
			ctl_queue_sort(c, q->entry, count, q->other);
	}
	*entry = q->entry;
	return count;
}
