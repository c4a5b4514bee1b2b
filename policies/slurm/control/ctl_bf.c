/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_bf.c - the backfill pass: sched/backfill's _attempt_backfill() (CLAUSES.md 3; letters are its steps).
 *
 * For each job of the queue: when could it start beside what runs and what the pass has planned so far? It
 * starts if that is now; else its nodes are reserved for it from then on, in this pass's node space map.
 * Nothing of a plan is left for the next one. Left out: the time that a pass lasts, and with it bf_max_time
 * and yields.
 */
#include <string.h>

#include "policies/slurm/control/ctl_bf.h"

enum { YEAR_MINUTES = 365 * 24 * 60 };

enum verdict {
	NEXT,  /* It is done with; */
	RETRY, /* so is a task of this array: the next one. */
	LATER, /* TRY_LATER: once more, at attempt.later. */
	STOP
};

/* One job, in one partition, with one QOS. */
struct attempt {
	struct ctl *c;
	struct ctl_bf *bf;
	const struct ctl_entry *entry;
	struct ctl_job *job;
	const struct ctl_part *part;
	size_t words;
	uint64_t *nodes, *before; /* In question; and before it was asked which of them. */
	int64_t minutes;          /* Tested with; */
	int64_t minutes_full;     /* and what it may have at most. */
	int64_t limit;            /* Its own. */
	bool now_only;            /* It may not reserve. */
	bool counted;             /* For bf_max_job_test, which counts jobs however often they are tried. */
	bool no_reserve;          /* Its QOS says so. */
	ctl_time het_from;        /* Not before the other components of its job; CTL_NONE. */
	ctl_time start;           /* Not before then, */
	ctl_time later;           /* and if that does not do, then; CTL_NEVER: no more. */
	ctl_time at;              /* It would start. */
};

static bool has_owners(const struct ctl *c)
{
	for (uint32_t i = 0; i < c->part_count; i++)
		if (c->part[i].spec->exclusive_user)
			return true;
	for (uint32_t i = 0; i < c->job_count; i++)
		if (c->job[i].desc.desc && c->job[i].desc.desc->exclusive == SL_EXCLUSIVE_USER)
			return true;
	return false;
}

int ctl_bf_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_bf *bf = sl_alloc(c->arena, 1, sizeof(*bf));
	c->bf = bf;
	if (!bf)
		return sl_fail_memory(err);
	const size_t users = (size_t)c->user_count + 1;
	bf->slots.c = c;
	bf->slots.words = select_node_words(c->select);
	bf->slots.asked = sl_alloc(c->arena, bf->slots.words, sizeof(*bf->slots.asked));
	bf->planned = sl_alloc(c->arena, c->job_count + 1, sizeof(*bf->planned));
	bf->by_user = sl_alloc(c->arena, users, sizeof(*bf->by_user));
	bf->by_part = sl_alloc(c->arena, c->part_count, sizeof(*bf->by_part));
	bf->by_user_part = c->params.bf_max_job_user_part
				   ? sl_alloc(c->arena, users * c->part_count, sizeof(*bf->by_user_part))
				   : bf->by_user;
	bf->by_assoc = sl_alloc(c->arena, c->assoc_count + 1, sizeof(*bf->by_assoc));
	bf->reserved = sl_alloc(c->arena, c->part_count, sizeof(*bf->reserved));
	bf->owners = has_owners(c);
	if (!bf->slots.asked || !bf->planned || !bf->by_user || !bf->by_part || !bf->by_user_part ||
		!bf->by_assoc || !bf->reserved)
		return sl_fail_memory(err);
	return ctl_het_bf_make(c, err);
}

/* Plans are made of whole bf_resolution. */
static ctl_time down(const struct ctl *c, ctl_time at)
{
	const int64_t grain = c->params.bf_resolution;
	const int64_t beyond = at % grain;
	return at - (beyond < 0 ? beyond + grain : beyond);
}

/* Where a plan ends that needs its nodes until then (_set_slot_time): from 24.05 on it has the whole of the
 * slot that it ends in, before only as much as is full of it. */
static ctl_time whole_slots(const struct ctl *c, ctl_time at)
{
	return down(c, c->params.version >= CTL_24_05 ? at + c->params.bf_resolution - 1 : at);
}

/* In the plan everything takes one slot at least (_add_reservation). */
static ctl_time one_slot(const struct ctl *c, ctl_time begin, ctl_time end)
{
	return end < begin + c->params.bf_resolution ? begin + c->params.bf_resolution : end;
}

static void still_until(struct ctl_bf *bf, ctl_time at)
{
	if (at < bf->still_until)
		bf->still_until = at;
}

/* ---- Jobs that are skipped (1) --------------------------------------------------------------- */

/* It is tried in a reservation that draws it: it neither counts nor reserves, unless bf_allow_magnetic_slot
 * is set. */
static bool is_drawn(const struct attempt *a)
{
	return a->job->magnetic && !a->c->params.bf_allow_magnetic_slot;
}

/* bf_max_job_user and its like: the first so many are tried. */
static bool too_many(const struct attempt *a)
{
	const struct ctl_params *p = &a->c->params;
	const struct ctl_job *job = a->job;
	struct ctl_bf *bf = a->bf;
	const uint32_t user = job->user < a->c->user_count ? job->user : a->c->user_count;
	const uint32_t assoc = job->assoc == CTL_NO_ROW ? a->c->assoc_count : job->assoc;
	uint32_t *count[] = {
		p->bf_max_job_user_part ? &bf->by_user_part[user * a->c->part_count + a->entry->part] : NULL,
		p->bf_max_job_part ? &bf->by_part[a->entry->part] : NULL,
		p->bf_max_job_assoc ? &bf->by_assoc[assoc] : NULL,
		p->bf_max_job_user ? &bf->by_user[user] : NULL
	};
	const int64_t most[] = { p->bf_max_job_user_part, p->bf_max_job_part, p->bf_max_job_assoc,
		p->bf_max_job_user };
	for (size_t i = 0; i < SL_LEN(count); i++)
		if (count[i] && *count[i] >= most[i])
			return true;
	for (size_t i = 0; i < SL_LEN(count) && !is_drawn(a); i++)
		if (count[i])
			++*count[i];
	return false;
}

static bool is_passed_over(const struct attempt *a)
{
	struct ctl *c = a->c;
	struct ctl_job *job = a->job;
	if (too_many(a))
		return true;
	if (a->part->state != SL_PARTITION_UP && a->part->state != SL_PARTITION_DRAIN)
		return true;
	if (job->array != CTL_NO_ROW && !ctl_queue_independent(c, job))
		return true; /* So many tasks of its array run as may (job_array_start_test). */
	if (!c->params.bf_licenses && !ctl_license_free(c, job, c->now))
		return true;
	if (!c->params.assoc_limit_stop && !ctl_limits_retry(c, job))
		return true;
	return !ctl_deadline_ok(c, job);
}

/* A job too young, or of too low a priority, starts now or not at all (bf_min_age_reserve,
 * bf_min_prio_reserve). */
static bool may_reserve(struct attempt *a)
{
	const struct ctl_params *p = &a->c->params;
	const struct ctl_job *job = a->job;
	if (a->entry->prefer) /* What it prefers it has now, or does without. */
		return false;
	int64_t least = ctl_limits_prio_least(a->c, job);
	least = least ? least : p->bf_min_prio_reserve;
	if (least && a->entry->priority < least)
		return false;
	if (p->bf_min_age_reserve && job->begin != CTL_NONE &&
		a->c->now - job->begin < p->bf_min_age_reserve) {
		still_until(a->bf, job->begin + p->bf_min_age_reserve);
		return false;
	}
	if (p->bf_one_resv_per_job && ctl_job_pairs(job) > 1 && a->bf->planned[job->row] != CTL_NONE)
		return false;
	return !p->bf_job_part_count_reserve ||
	       a->bf->reserved[a->entry->part] < p->bf_job_part_count_reserve;
}

/* ---- How long (2) -------------------------------------------------------------------------------------- */

static void take_limit(struct attempt *a)
{
	const struct ctl_params *p = &a->c->params;
	const struct ctl_job *job = a->job;
	const int64_t most = a->part->max_time == CTL_NEVER ? YEAR_MINUTES : a->part->max_time;
	a->limit = job->time_limit;
	a->minutes_full = job->time_limit < most || a->part->max_time == CTL_NEVER ? job->time_limit : most;
	if (a->minutes_full == CTL_NEVER)
		a->minutes_full = most;
	a->minutes = a->minutes_full;
	const int64_t left = job->deadline == CTL_NONE ? 0 : (job->deadline - a->c->now) / 60;
	a->no_reserve = job->qos != CTL_NO_ROW && (a->c->qos[job->qos].flags & CTL_QOS_NO_RESERVE);
	if (a->no_reserve && (p->preempt_by_part || p->preempt_by_qos))
		a->minutes = 1; /* It can be preempted again. */
	else if (job->time_min != CTL_NONE && job->time_min > 0 && job->time_min < a->minutes && left <= 0)
		a->minutes = job->time_min;
	if (left > 0 && left < a->minutes_full) /* It is tested with all of it, and gets what is left. */
		a->minutes_full = left;
}

/* As long as no slot that begins later lacks its nodes, and no reservation begins there
 * (_reset_job_time_limit). */
int64_t ctl_bf_stretched(struct ctl *c, const struct ctl_job *job, int64_t minutes)
{
	const struct ctl_slots *s = &c->bf->slots;
	uint64_t *mine = ctl_place_set(c, CTL_SET_PLACE);
	memset(mine, 0, s->words * sizeof(*mine));
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		nset_add(mine, job->alloc->node_alloc[i].node);
	const ctl_time end = c->now + minutes * 60;
	for (uint32_t i = 0;;) {
		const struct ctl_slot *slot = &s->slot[i];
		const int64_t gap = (slot->begin - c->now) / 60;
		if (slot->begin != c->now && slot->begin < end && gap < minutes &&
			!nset_within(mine, slot->nodes, s->words))
			minutes = gap;
		i = slot->next;
		if (!i)
			break;
	}
	minutes = ctl_resv_minutes(c, job, mine, minutes);
	return minutes > job->time_min ? minutes : job->time_min;
}

/* time_min_as_soft_limit of 23.11: --time-min is what plans go by, and the limit stays as requested. */
static bool is_soft(const struct attempt *a)
{
	return a->c->params.time_min_as_soft_limit && a->job->time_min != CTL_NONE && a->job->time_min > 0;
}

/* It runs: its limit is what it requested, or as much as the plan leaves free (--time-min). */
static void set_limit(struct attempt *a)
{
	struct ctl_job *job = a->job;
	const int64_t tested = job->time_limit;
	if (a->minutes == a->minutes_full && tested == a->limit)
		return;
	job->time_limit = a->limit;
	if (!a->no_reserve && !is_soft(a) &&
		((job->time_min != CTL_NONE && job->time_min > 0) || job->deadline != CTL_NONE))
		job->time_limit = ctl_bf_stretched(a->c, job, a->minutes_full);
	if (job->time_limit == tested)
		return;
	const int64_t minutes = job->time_limit == CTL_NEVER ? YEAR_MINUTES : job->time_limit;
	job->end_limit = job->start + minutes * 60;
	ctl_limits_alter(a->c, job, tested);
	ctl_limit_moved(a->c, job);
}

/* ---- Where and when (3a to 3d) ------------------------------------------------------------------------- */

enum { LICENSES_MAX = CTL_TRES_MAX };

/* NULL: the plan does not follow them (bf_licenses). */
static const int64_t *licenses_of(
	const struct ctl *c, const struct ctl_job *job, int64_t licenses[LICENSES_MAX])
{
	int64_t tres[CTL_TRES_MAX] = { 0 };
	if (!c->params.bf_licenses || c->cluster->license_count > LICENSES_MAX)
		return NULL;
	memset(licenses, 0, LICENSES_MAX * sizeof(*licenses));
	ctl_license_tres(c, job, tres);
	for (uint32_t i = 0; i < c->tres_count; i++)
		if (c->tres[i].license != CTL_NO_ROW)
			licenses[c->tres[i].license] = tres[i];
	return licenses;
}

/* Until 24.11 a node that another user has to himself now is in no plan, whenever it will be free
 * (filter_by_node_owner); neither is one with any job of another user for a job that wants its user alone
 * there. */
static void without_owned(const struct attempt *a)
{
	const struct ctl *c = a->c;
	const struct ctl_job *job = a->job;
	const bool alone = a->part->spec->exclusive_user ||
			   (job->desc.desc && job->desc.desc->exclusive == SL_EXCLUSIVE_USER);
	if (!a->bf->owners || c->params.version >= CTL_24_11)
		return;
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next) {
		const struct ctl_job *other = &c->job[row];
		if (other->user == job->user || !other->alloc ||
			(!alone && other->alloc->whole != SL_EXCLUSIVE_USER))
			continue;
		for (uint32_t i = 0; i < other->alloc->node_count; i++) {
			const uint32_t node = other->alloc->node_alloc[i].node;
			a->nodes[node / 64] &= ~(UINT64_C(1) << (node % 64));
		}
	}
}

/* Nodes over all of its time; a->later is set. False: too few, or too few licences. */
static bool find_nodes(struct attempt *a)
{
	struct ctl *c = a->c;
	struct ctl_slots *s = &a->bf->slots;
	const uint64_t *required = ctl_place_required(c, a->job);
	const ctl_time from = a->start > c->now ? a->start : c->now;
	const ctl_time end = from + a->minutes * 60;
	const ctl_time resv = ctl_resv_end(c, a->start, c->params.bf_resolution);
	a->later = ctl_slots_and(s, a->start, end, c->now, a->nodes);
	int64_t capacity[LICENSES_MAX];
	const int64_t *licenses = licenses_of(c, a->job, capacity);
	const ctl_time licensed = licenses ? ctl_slots_licensed(s, a->start, end, licenses) : CTL_NONE;
	if (licensed != CTL_NONE) /* Deferred until its licences are free, as far as the plan goes. */
		a->later = licensed;
	if (resv != CTL_NEVER && resv + 1 < s->window_end && (a->later == CTL_NEVER || resv + 1 < a->later))
		a->later = resv + 1;
	return nset_at_least(a->nodes, a->words, a->job->nodes_min) &&
	       (!required || nset_within(required, a->nodes, a->words)) && licensed == CTL_NONE;
}

/* When a running job is taken to be over: by its limit; with time_min_as_soft_limit by its --time-min, or
 * past that when half of what is left has gone. */
static ctl_time free_at(const struct ctl *c, const struct ctl_job *job)
{
	if (!c->params.time_min_as_soft_limit || job->time_min == CTL_NONE || job->time_min <= 0)
		return job->end_limit;
	const ctl_time soft = job->start + job->time_min * 60;
	return soft < c->now ? c->now + (job->end_limit - c->now) / 2 : soft;
}

/* A whole-node allocation that cannot be preempted is in the plan until its end, and so are licences
 * (_bf_reserve_running): of a job that this pass has started, always. False: no memory. */
static bool reserve_run(struct ctl *c, const struct ctl_job *job)
{
	struct ctl_bf *bf = c->bf;
	uint64_t *mine = ctl_place_set(c, CTL_SET_PLACE);
	int64_t capacity[LICENSES_MAX];
	const int64_t *licenses = licenses_of(c, job, capacity);
	const bool whole = job->alloc && job->alloc->whole == SL_EXCLUSIVE_NODE;
	if (job->state != CTL_RUNNING || (!whole && !licenses) ||
		bf->slots.count >= c->params.bf_node_space_size)
		return true;
	memset(mine, 0, bf->slots.words * sizeof(*mine));
	if (whole && ctl_preempt_mode(c, job) == CTL_PREEMPT_OFF)
		for (uint32_t i = 0; i < job->alloc->node_count; i++)
			nset_add(mine, job->alloc->node_alloc[i].node);
	const ctl_time end = one_slot(c, down(c, c->now), whole_slots(c, free_at(c, job)));
	return ctl_slots_take(&bf->slots, c->now, end, mine, licenses);
}

/* ---- Now (3e) ------------------------------------------------------------------------------------------ */

static enum ctl_status start_now(struct attempt *a)
{
	struct ctl_job *job = a->job;
	const int64_t limit = job->time_limit;
	const uint32_t first = a->bf->first_planned; /* Perhaps itself, in another partition. */
	const struct order_by was =
		ctl_cause(a->c, SL_RULE_BACKFILL, first == job->row ? (uint32_t)CTL_NO_ROW : first);
	if (a->minutes != a->minutes_full) /* It is its limits' while it is asked. */
		job->time_limit = a->minutes;
	const enum ctl_status status = ctl_place_try(a->c, job, a->entry->part, a->before);
	a->c->engine.cause = was;
	if (status == CTL_OK)
		set_limit(a);
	else
		job->time_limit = limit;
	return status;
}

/* ---- Later (3f to 3k) ---------------------------------------------------------------------------------- */

static void plan(struct attempt *a)
{
	struct ctl_job *job = a->job;
	ctl_time *planned = &a->bf->planned[job->row];
	if (*planned != CTL_NONE && *planned <= a->at)
		return; /* Sooner in another partition. */
	*planned = job->planned = a->at;
	if (a->bf->first_planned == CTL_NO_ROW)
		a->bf->first_planned = job->row;
	if (!job->planned_nodes)
		job->planned_nodes = sl_alloc(a->c->arena, a->words, sizeof(*job->planned_nodes));
	if (!job->planned_nodes) {
		controller_no_memory(&a->c->engine);
		return;
	}
	memcpy(job->planned_nodes, a->nodes, a->words * sizeof(*a->nodes));
}

/* Tasks of an array reserve one after another. */
static enum verdict after_reserving(const struct attempt *a)
{
	struct ctl *c = a->c;
	const struct ctl_job *job = a->job;
	if (!a->entry->array)
		return NEXT;
	struct ctl_array *array = &c->array[job->array];
	array->reserving++;
	if (array->reserving >= c->params.bf_max_job_array_resv)
		return NEXT;
	if (c->params.version >= CTL_23_02 && array->limit > 0 &&
		array->running + array->reserving >= array->limit)
		return NEXT; /* Before, those that run were not counted against %N, nor those planned. */
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < array->count && waiting <= array->reserving; i++)
		waiting +=
			c->job[array->job[i]].state == CTL_PENDING && !ctl_is_alone(&c->job[array->job[i]]);
	return waiting > array->reserving ? RETRY : NEXT;
}

static enum verdict ctl_bf_reserve(struct attempt *a, ctl_time begin, ctl_time end)
{
	const struct ctl *c = a->c;
	struct ctl_bf *bf = a->bf;
	int64_t licenses[LICENSES_MAX];
	if (is_drawn(a)) {
		plan(a);
		return after_reserving(a);
	}
	if (bf->slots.count >= c->params.bf_node_space_size ||
		!ctl_slots_take(&bf->slots, begin, one_slot(c, begin, end), a->nodes,
			licenses_of(c, a->job, licenses)))
		return STOP;
	still_until(bf, end > bf->slots.window_end ? end - c->params.bf_window_min * 60 : CTL_NEVER);
	bf->reserved[a->entry->part]++;
	if (a->job->state == CTL_PENDING) /* A component may have started already (bf_hetjob_immediate). */
		plan(a);
	return after_reserving(a);
}

/* Limits keep it pending, with what it requests and the nodes that it would have: nothing is reserved for it,
 * and its reason says so (acct_policy_job_runnable_pre_select, _post_select). */
static bool is_limited(const struct attempt *a)
{
	struct ctl *c = a->c;
	int64_t tres[CTL_TRES_MAX];
	if (c->params.assoc_limit_stop || a->job->state != CTL_PENDING)
		return false;
	memcpy(tres, a->job->tres_asked, sizeof(tres));
	tres[CTL_TRES_NODE] = nset_count(a->nodes, a->words);
	enum sl_reason reason = ctl_limits_pre(c, a->job);
	if (reason == SL_REASON_NONE)
		reason = ctl_limits_post(c, a->job, tres);
	/* Each of its tests clears what a limit said before: of a component, that all together are too many.
	 */
	if (reason != SL_REASON_NONE || (a->job->het && ctl_is_limit_known(a->job->reason)))
		ctl_queue_reason(c, a->job, reason);
	return reason != SL_REASON_NONE;
}

/* It would start at a->at, not now. */
static enum verdict ctl_bf_settle(struct attempt *a)
{
	struct ctl *c = a->c;
	struct ctl_slots *s = &a->bf->slots;
	if (a->now_only && a->at > c->now)
		return NEXT;
	if (a->later != CTL_NEVER && a->at > a->later)
		return LATER;        /* Perhaps it fits in sooner, where the plan leaves a hole. */
	if (a->at > s->window_end) { /* bf_window */
		still_until(a->bf, a->at - c->params.bf_window_min * 60);
		return NEXT;
	}
	const ctl_time begin = down(c, a->at);
	const ctl_time end = whole_slots(c, a->at + a->minutes * 60);
	if ((a->at > c->now || a->job->het) &&
		ctl_slots_overlap(s, begin, end, a->nodes)) { /* _test_resv_overlap */
		/* At the window's very end what is rounded down lies in a slot that was not tested: slurmctld
		 * would try the same again until bf_max_time ends the pass. */
		if (a->at <= a->start) {
			still_until(a->bf, c->now);
			return STOP;
		}
		a->later = a->at;
		return LATER;
	}
	if (a->job->het && ctl_het_deadlocks(c, a->job, a->at))
		return NEXT;
	if (is_limited(a) || a->no_reserve) /* no_reserve: its QOS's flag NoReserve. */
		return NEXT;
	return ctl_bf_reserve(a, begin, end);
}

/* ---- One job (3) --------------------------------------------------------------------------------------- */

/* TRY_LATER, unless it may not reserve. */
static enum verdict ctl_bf_later(const struct attempt *a)
{
	return a->later != CTL_NEVER && !a->now_only ? LATER : NEXT;
}

/* Some of its nodes is COMPLETING: it starts a second later at the earliest, whenever that is asked. */
static bool is_completing(const struct attempt *a)
{
	const uint64_t *completing = ctl_completing(a->c);
	if (!completing || !nset_meets(a->nodes, completing, a->words))
		return false;
	still_until(a->bf, a->c->now);
	return true;
}

/* What a component is planned for (comp_time_limit). */
static int64_t component_minutes(const struct attempt *a)
{
	const struct ctl_job *job = a->job;
	const bool shortened = job->deadline == CTL_NONE && job->time_min != CTL_NONE && job->time_min > 0 &&
			       job->time_min < a->minutes_full;
	return shortened ? job->time_min : a->minutes_full;
}

/* A component starts with the others only, and its nodes are kept for it even if it could start now. */
static enum verdict settle_component(struct attempt *a)
{
	struct ctl *c = a->c;
	const ctl_time end = whole_slots(c, a->at + a->minutes * 60);
	const bool planned =
		a->at <= c->now || !ctl_slots_overlap(&a->bf->slots, down(c, a->at), end, a->nodes);
	if (planned) {
		ctl_het_planned(c, a->job, a->at, component_minutes(a), nset_count(a->nodes, a->words));
		ctl_het_try(c, a->job);
	}
	return ctl_bf_settle(a);
}

enum { A_WHILE = 500 }; /* Seconds (own-87). */

/* Once, not before a->later. */
static enum verdict try_at(struct attempt *a)
{
	struct ctl *c = a->c;
	struct ctl_bf *bf = a->bf;
	bool overlap = false;
	a->start = a->later > a->het_from ? a->later : a->het_from;
	a->later = CTL_NEVER;

	/* Nodes of the partition that are up, as reservations leave them (job_test_resv), */
	memcpy(a->nodes, a->part->nodes, a->words * sizeof(*a->nodes));
	nset_and(a->nodes, ctl_nodes_avail(c), a->words);
	ctl_expedite_leave(c, a->job, a->nodes);
	if (ctl_resv_later(c, a->job, &a->start, a->minutes, a->nodes, &overlap) != CTL_OK)
		return NEXT;
	if (c->params.version >= CTL_23_11 && a->start > bf->slots.window_end) {
		still_until(bf, a->start - c->params.bf_window_min * 60);
		return NEXT;
	}
	without_owned(a);
	/* and as the plan does (node_space). */
	if (!find_nodes(a))
		return ctl_bf_later(a);

	/* bf_max_job_test counts jobs, however often they are tried. */
	bf->tries += !a->counted && !is_drawn(a);
	a->counted = true;
	bf->tests++;

	/* _try_sched: which of them, and when. */
	memcpy(a->before, a->nodes, a->words * sizeof(*a->nodes));
	struct ctl_when when = { .now_only = a->now_only, .from = a->start, .until = a->later };
	if (ctl_place_plan(c, a->job, a->entry->part, a->nodes, &when) != CTL_OK)
		return ctl_bf_later(a);
	a->at = a->start > when.at ? a->start : when.at;
	if (a->at <= c->now && is_completing(a)) {
		a->at = c->now + 1;
		a->later = CTL_NEVER;
	}
	if (a->job->het)
		return settle_component(a);
	if (a->at > c->now)
		return ctl_bf_settle(a);

	/* _start_job */
	const enum ctl_status status = start_now(a);
	if (status == CTL_OK && !reserve_run(c, a->job))
		return STOP;
	if (status == CTL_OK) {
		const int64_t most = c->params.bf_max_job_start;
		bf->started++;
		const bool enough = c->params.version >= CTL_23_02 && bf->tries >= c->params.bf_max_job_test;
		return (most && bf->started >= most) || enough ? STOP : a->entry->array ? RETRY : NEXT;
	}
	if (status == CTL_RESERVATION_BUSY || (status == CTL_NODE_CONFIG && ctl_extra_nodes(c, a->job)))
		return NEXT;
	if (status != CTL_ACCOUNTING_POLICY) {
		a->later = CTL_NEVER; /* It may have these nodes yet: they are kept for it. */
	} else if (c->params.assoc_limit_stop) {
		/* When the limit will allow it is unknown; assumed is when the plan next has
		 * other nodes for it, or in a while. */
		a->at = a->later != CTL_NEVER ? a->later : c->now + A_WHILE;
		still_until(bf, c->now);
	} else {
		return NEXT;
	}
	return ctl_bf_settle(a);
}

static enum verdict ctl_bf_look(struct ctl *c, const struct ctl_entry *entry, struct ctl_job *job)
{
	struct attempt a = { .c = c,
		.bf = c->bf,
		.entry = entry,
		.job = job,
		.part = &c->part[entry->part],
		.words = select_node_words(c->select),
		.nodes = ctl_place_set(c, CTL_SET_TRY),
		.before = ctl_place_set(c, CTL_SET_BEFORE),
		.het_from = CTL_NONE,
		.later = c->now };
	a.job->part = entry->part;
	a.bf->jobs_looked++;
	if (job->het && !ctl_het_enter(c, job, &a.het_from))
		return NEXT;
	if (is_passed_over(&a))
		return NEXT;
	/* The start reported before is void, unless another of its partitions planned it in this pass. Jobs
	 * that are skipped keep theirs, as recorded. */
	if (a.bf->planned[a.job->row] == CTL_NONE)
		a.job->planned = CTL_NONE;
	a.now_only = !may_reserve(&a);
	take_limit(&a);
	enum verdict verdict = try_at(&a);
	while (verdict == LATER && controller_goes_on(&c->engine))
		verdict = try_at(&a);
	if (verdict == LATER)
		return STOP;
	if (a.job->state == CTL_PENDING)
		ctl_report_plan(c, a.job);
	return verdict;
}

static enum verdict look_at(struct ctl *c, const struct ctl_entry *entry)
{
	struct ctl_job *job = ctl_entry_job(c, entry);
	if (!job)
		return NEXT;
	ctl_queue_tried(c, job, entry->qos, entry->priority);
	if (job->status == CTL_PREEMPTION_IN_PROGRESS)
		return NEXT;
	ctl_entry_enter(entry, job);
	const enum verdict verdict = ctl_bf_look(c, entry, job);
	ctl_entry_left(job);
	return verdict;
}

/* ---- The pass ------------------------------------------------------------------------------------------ */

/* bf_running_job_reserve: what runs is in the plan. */
static bool reserve_running(struct ctl *c)
{
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (!reserve_run(c, &c->job[row]))
			return false;
	return true;
}

static void clear_counts(struct ctl *c)
{
	struct ctl_bf *bf = c->bf;
	const size_t users = (size_t)c->user_count + 1;
	memset(bf->by_user, 0, users * sizeof(*bf->by_user));
	memset(bf->by_part, 0, c->part_count * sizeof(*bf->by_part));
	memset(bf->reserved, 0, c->part_count * sizeof(*bf->reserved));
	memset(bf->by_assoc, 0, ((size_t)c->assoc_count + 1) * sizeof(*bf->by_assoc));
	if (c->params.bf_max_job_user_part)
		memset(bf->by_user_part, 0, users * c->part_count * sizeof(*bf->by_user_part));
	bf->tries = bf->started = 0;
	bf->first_planned = CTL_NO_ROW;
	bf->still_until = CTL_NEVER;
	bf->passes++;
}

/* A job that should have ended by now is assumed to end in a moment, anew each time; else plans go by limits.
 */
static void look_at_ends(struct ctl *c)
{
	size_t count;
	uint64_t number;
	const struct select_running *first = ctl_running_list(c, &count, &number);
	if (!count)
		return;
	const ctl_time end = c->job[first->row].end_limit;
	still_until(c->bf, end > c->now ? end : c->now);
}

void ctl_bf_pass(struct ctl *c)
{
	struct ctl_bf *bf = c->bf;
	struct ctl_entry *entry;
	clear_counts(c);
	ctl_het_pass_begin(c);
	const size_t count = ctl_queue_build(c, true, &entry);
	if (!count || !ctl_slots_begin(
			      &bf->slots, c->now, c->now + c->params.bf_window_min * 60, ctl_nodes_avail(c)))
		return;
	for (size_t i = 0; i < count; i++) {
		entry[i].job->status = CTL_OK;
		bf->planned[entry[i].job->row] = CTL_NONE;
		if (entry[i].array)
			c->array[entry[i].job->array].reserving = 0;
	}
	if (c->params.bf_running_job_reserve && !reserve_running(c))
		return;
	enum verdict verdict = NEXT;
	for (size_t i = 0; i < count && verdict != STOP && controller_goes_on(&c->engine);) {
		if (verdict == NEXT && bf->tries >= c->params.bf_max_job_test)
			break; /* Tasks of an array that was begun go on. */
		verdict = look_at(c, &entry[i]);
		i += verdict != RETRY;
	}
	if (controller_goes_on(&c->engine))
		ctl_het_pass_end(c);
	bf->slots_made += bf->slots.count;
	look_at_ends(c);
	still_until(bf, bf->slots.still_until);
}

/* ---- For benchmarks ------------------------------------------------------------------------------------ */

int ctl_bf_table(const struct ctl *c, const struct sl_table_sink *table)
{
	static const char *const column[] = { "passes", "looked", "tests", "slots" };
	const struct ctl_bf *bf = c->bf;
	const uint64_t count[] = { bf->passes, bf->jobs_looked, bf->tests, bf->slots_made };
	struct sl_figure figure[SL_LEN(count)];
	for (size_t i = 0; i < SL_LEN(count); i++)
		figure[i] = (struct sl_figure){ .text = NULL, .number = (double)count[i] };
	return table->row(table->self, column, figure, SL_LEN(figure));
}
