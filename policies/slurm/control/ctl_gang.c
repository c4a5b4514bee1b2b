/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_gang.c - gang scheduling (slurmctld's gang.c): jobs allocated the same cores run in time slices, and
 * jobs of partitions of a higher PriorityTier suspend those of lower ones.
 *
 * Rules (CLAUSES.md 8, 15; slurmctld's gang.c, in outline):
 * - Each partition has a list of its jobs, in order of their start, and an active row: the cores of
 *   those that run. A running job casts a shadow on all partitions of a lower PriorityTier: its cores
 *   count as busy there.
 * - A job that starts runs on if its cores are free in the row, as a filler; else it is suspended. If
 *   it runs, all rows are made anew, from the highest tier down: shadows, then active jobs, then
 *   fillers, as far as they fit; others are suspended; then each other one that fits is resumed, as a
 *   filler. The same when a job ends.
 * - Every SchedulerTimeSlice, in each partition with suspended jobs: active jobs go to the end of the
 *   list, and the row is made anew from its front.
 * - A job in the way of a shadow whose PreemptMode is REQUEUE or CANCEL is not suspended but preempted.
 * - Under select/linear and CR_Memory alone nodes are shared as a whole, under CR_Socket sockets are.
 * - Jobs suspended by gang scheduling keep their cores in the node selection: no third job is allocated
 *   them.
 */
#include "policies/slurm/control/ctl_preempt.h"

#include <string.h>
#include <strings.h>

enum row_state { NOT_ACTIVE, ACTIVE, FILLER };

struct gang_job {
	struct ctl_job *job;
	enum row_state row;
	bool stopped;
	struct gang_job *next_free;
};

struct gang_list {
	struct gang_job **job;
	uint32_t count, capacity;
};

enum share_of { OF_CORES, OF_SOCKETS, OF_NODES };

struct gang_part {
	struct gang_list jobs, shadows;
	uint32_t in_row; /* So many of both are in the row. */
	uint64_t *row;   /* Cores, by node. */
	enum share_of share;
};

struct ctl_gang {
	struct gang_part *part;
	uint32_t *order;   /* Partitions, the highest tier first. */
	uint32_t *core_at; /* By node: where its words are in a row. */
	size_t words;
	struct gang_list to_go; /* Their mode is not SUSPEND. */
	struct gang_job *free;
	ctl_time sliced;
	bool going;
};

static bool gangs(const struct ctl *c) { return c->params.gang && c->gang; }

/* ---- Lists ------------------------------------------------------------------------------------------- */

static bool ctl_gang_append(struct ctl *c, struct gang_list *list, struct gang_job *one)
{
	if (list->count == list->capacity) {
		const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
		struct gang_job **job = sl_alloc(c->arena, capacity, sizeof(struct gang_job *));
		if (!job) {
			controller_failed(&c->engine, SL_SYSTEM);
			return false;
		}
		if (list->count)
			memcpy(job, list->job, list->count * sizeof(struct gang_job *));
		list->job = job;
		list->capacity = capacity;
	}
	list->job[list->count++] = one;
	return true;
}

static uint32_t index_in(const struct gang_list *list, const struct gang_job *one)
{
	uint32_t i = 0;
	while (i < list->count && list->job[i] != one)
		i++;
	return i;
}

static void take_out(struct gang_list *list, const struct gang_job *one)
{
	const uint32_t at = index_in(list, one);
	if (at == list->count)
		return;
	list->count--;
	memmove(&list->job[at], &list->job[at + 1], (list->count - at) * sizeof(struct gang_job *));
}

/* ---- A row -------------------------------------------------------------------------------------------- */

static uint32_t words_of(const struct ctl *c, uint32_t node)
{
	return (select_core_count(c->select, node) + 63) / 64;
}

/* The cores that it has to itself while it runs. */
static uint64_t ctl_gang_word_of(const struct ctl *c, const struct gang_part *p,
	const struct select_node_alloc *node_alloc, uint32_t w)
{
	const uint32_t cores = select_core_count(c->select, node_alloc->node);
	const uint64_t there = (w + 1) * 64 <= cores ? ~UINT64_C(0) : (UINT64_C(1) << (cores % 64)) - 1;
	return p->share == OF_NODES ? there : node_alloc->cores[w];
}

/* job_fits_into_cores() */
static bool ctl_gang_fits(const struct ctl *c, const struct gang_part *p, const struct ctl_job *job)
{
	for (uint32_t i = 0; p->in_row && i < job->alloc->node_count; i++) {
		const struct select_node_alloc *node_alloc = &job->alloc->node_alloc[i];
		const uint64_t *row = p->row + c->gang->core_at[node_alloc->node];
		for (uint32_t w = 0; w < words_of(c, node_alloc->node); w++)
			if (row[w] & ctl_gang_word_of(c, p, node_alloc, w))
				return false;
	}
	return true;
}

/* _fill_sockets(): a socket with one busy core is busy. */
static void fill_sockets(const struct ctl *c, uint32_t node, uint64_t *row)
{
	const uint32_t cores = select_core_count(c->select, node);
	const uint32_t each = select_cores_per_socket(c->select, node);
	for (uint32_t from = 0; from < cores; from += each) {
		bool used = false;
		for (uint32_t core = from; core < from + each && core < cores; core++)
			used = used || (row[core / 64] >> (core % 64) & 1);
		for (uint32_t core = from; used && core < from + each && core < cores; core++)
			row[core / 64] |= UINT64_C(1) << (core % 64);
	}
}

static void add_to_row(const struct ctl *c, struct gang_part *p, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < job->alloc->node_count; i++) {
		const struct select_node_alloc *node_alloc = &job->alloc->node_alloc[i];
		uint64_t *row = p->row + c->gang->core_at[node_alloc->node];
		for (uint32_t w = 0; w < words_of(c, node_alloc->node); w++)
			row[w] |= ctl_gang_word_of(c, p, node_alloc, w);
		if (p->share == OF_SOCKETS)
			fill_sockets(c, node_alloc->node, row);
	}
	p->in_row++;
}

/* An empty row, but for the shadows. */
static void begin_row(const struct ctl *c, struct gang_part *p)
{
	memset(p->row, 0, c->gang->words * sizeof(*p->row));
	p->in_row = 0;
	for (uint32_t i = 0; i < p->shadows.count; i++)
		add_to_row(c, p, p->shadows.job[i]->job);
}

/* ---- Shadows ------------------------------------------------------------------------------------------- */

static void cast_shadow(struct ctl *c, struct gang_job *one)
{
	for (uint32_t i = 0; i < c->part_count; i++) {
		struct gang_list *shadows = &c->gang->part[i].shadows;
		if (c->part[i].tier < c->part[one->job->part].tier &&
			index_in(shadows, one) == shadows->count)
			(void)ctl_gang_append(c, shadows, one);
	}
}

static void clear_shadow(struct ctl *c, const struct gang_job *one)
{
	for (uint32_t i = 0; i < c->part_count; i++)
		take_out(&c->gang->part[i].shadows, one);
}

/* ---- Stopping and going on ---------------------------------------------------------------------------- */

/* The job whose start preempted others, but not itself; CTL_NO_ROW: none. */
static uint32_t for_whom(const struct ctl *c, const struct ctl_job *job)
{
	return c->engine.cause.beneficiary == job->row ? CTL_NO_ROW : c->engine.cause.beneficiary;
}

/* Jobs in the way of a shadow are preempted where their PreemptMode says so. */
static void stop(struct ctl *c, const struct gang_part *p, struct gang_job *one)
{
	const enum ctl_preempt_mode mode = ctl_preempt_mode(c, one->job);
	const struct order_by was =
		ctl_cause(c, p->shadows.count ? SL_RULE_RANK : SL_RULE_SLICE, for_whom(c, one->job));
	if (p->shadows.count && mode != CTL_PREEMPT_OFF && mode != CTL_PREEMPT_SUSPEND)
		(void)ctl_gang_append(c, &c->gang->to_go, one);
	else if (one->job->state == CTL_RUNNING)
		ctl_acts_of(c)->suspend(c, one->job);
	c->engine.cause = was;
	one->stopped = true;
	clear_shadow(c, one);
}

static void go_on(struct ctl *c, struct gang_job *one)
{
	const struct order_by was = ctl_cause(c, SL_RULE_SLICE, CTL_NO_ROW);
	if (one->job->state == CTL_SUSPENDED)
		ctl_acts_of(c)->resume(c, one->job);
	c->engine.cause = was;
	one->stopped = false;
}

/* _update_active_row(): those in the row in this state stay there as far as they fit. */
static void keep_in_row(struct ctl *c, struct gang_part *p, enum row_state state)
{
	for (uint32_t i = 0; i < p->jobs.count; i++) {
		struct gang_job *one = p->jobs.job[i];
		if (one->row != state)
			continue;
		if (ctl_gang_fits(c, p, one->job)) {
			add_to_row(c, p, one->job);
			cast_shadow(c, one);
			continue;
		}
		if (!one->stopped)
			stop(c, p, one);
		one->row = NOT_ACTIVE;
	}
}

static void fill_row(struct ctl *c, struct gang_part *p)
{
	for (uint32_t i = 0; i < p->jobs.count; i++) {
		struct gang_job *one = p->jobs.job[i];
		if (one->row != NOT_ACTIVE || !one->job->priority || !ctl_gang_fits(c, p, one->job))
			continue;
		add_to_row(c, p, one->job);
		cast_shadow(c, one);
		one->row = FILLER;
		if (one->stopped)
			go_on(c, one);
	}
}

/* A partition's tier may have been changed since. */
static void order_parts(struct ctl *c)
{
	uint32_t *order = c->gang->order;
	for (uint32_t i = 1; i < c->part_count; i++)
		for (uint32_t at = i; at > 0 && c->part[order[at - 1]].tier < c->part[order[at]].tier; at--) {
			const uint32_t one = order[at];
			order[at] = order[at - 1];
			order[at - 1] = one;
		}
}

static void update_rows(struct ctl *c)
{
	order_parts(c);
	for (uint32_t i = 0; i < c->part_count; i++) {
		struct gang_part *p = &c->gang->part[c->gang->order[i]];
		begin_row(c, p);
		keep_in_row(c, p, ACTIVE);
		keep_in_row(c, p, FILLER);
		fill_row(c, p);
	}
}

/* _preempt_job_dequeue(). The end of one may send others. */
static void send_away(struct ctl *c)
{
	struct gang_list *to_go = &c->gang->to_go;
	if (c->gang->going)
		return;
	c->gang->going = true;
	const struct order_by was = c->engine.cause;
	while (to_go->count) {
		struct gang_job *one = to_go->job[0];
		take_out(to_go, one);
		c->engine.cause = (struct order_by){ SL_RULE_RANK, was.beneficiary };
		c->engine.cause.beneficiary = for_whom(c, one->job);
		ctl_preempt_kill(c, one->job);
	}
	c->engine.cause = was;
	c->gang->going = false;
}

/* ---- Jobs come and go ------------------------------------------------------------------------------- */

static struct gang_job *new_job(struct ctl *c, struct ctl_job *job)
{
	struct gang_job *one = c->gang->free;
	if (one)
		c->gang->free = one->next_free;
	else
		one = sl_alloc(c->arena, 1, sizeof(*one));
	if (!one)
		controller_failed(&c->engine, SL_SYSTEM);
	else
		*one = (struct gang_job){ .job = job };
	return one;
}

/* gs_job_start() */
void ctl_gang_started(struct ctl *c, struct ctl_job *job)
{
	if (!gangs(c) || job->gang || !job->alloc || job->het) /* gang.c leaves components alone. */
		return;
	struct gang_part *p = &c->gang->part[job->part];
	struct gang_job *one = new_job(c, job);
	if (!one || !ctl_gang_append(c, &p->jobs, one))
		return;
	const struct order_by was = ctl_cause(c, SL_RULE_SLICE, job->row);
	job->gang = one;
	if (job->state != CTL_SUSPENDED && ctl_gang_fits(c, p, job)) {
		if (!p->in_row)
			begin_row(c, p);
		add_to_row(c, p, job);
		one->row = FILLER;
		cast_shadow(c, one);
		update_rows(c);
	} else {
		stop(c, p, one);
	}
	send_away(c);
	c->engine.cause = was;
}

void ctl_gang_left(struct ctl *c, struct ctl_job *job)
{
	struct gang_job *one = job->gang;
	if (!gangs(c) || !one)
		return;
	clear_shadow(c, one);
	take_out(&c->gang->part[job->part].jobs, one);
	take_out(&c->gang->to_go, one);
	job->gang = NULL;
	one->next_free = c->gang->free;
	c->gang->free = one;
}

/* gs_job_fini() */
void ctl_gang_go_on(struct ctl *c)
{
	if (!gangs(c))
		return;
	const struct order_by was = ctl_cause(c, SL_RULE_SLICE, CTL_NO_ROW);
	update_rows(c);
	c->engine.cause = was;
}

static void gang_ended(struct ctl *c, struct ctl_job *job)
{
	if (!job->gang)
		return;
	ctl_gang_left(c, job);
	ctl_gang_go_on(c);
}

void ctl_suspend_by_hand(struct ctl *c, struct ctl_job *job)
{
	if (job->state == CTL_RUNNING)
		ctl_acts_of(c)->suspend(c, job);
	if (job->alloc)
		select_stop(c->select, job->alloc, true);
	gang_ended(c, job);
}

void ctl_resume_by_hand(struct ctl *c, struct ctl_job *job)
{
	if (job->alloc)
		select_stop(c->select, job->alloc, false);
	if (job->state == CTL_SUSPENDED)
		ctl_acts_of(c)->resume(c, job);
	gang_ended(c, job); /* Resumed out of its turn: it comes anew. */
	ctl_gang_started(c, job);
}

/* ---- Time slices -------------------------------------------------------------------------------------- */

/* _cycle_job_list(): jobs of the active row go to the end, in the same order. */
static void next_turn(struct gang_part *p)
{
	const uint32_t count = p->jobs.count;
	for (uint32_t i = 0; i < count; i++) {
		while (p->jobs.job[i]->row == ACTIVE) {
			struct gang_job *one = p->jobs.job[i];
			one->row = NOT_ACTIVE;
			memmove(&p->jobs.job[i], &p->jobs.job[i + 1],
				(count - i - 1) * sizeof(struct gang_job *));
			p->jobs.job[count - 1] = one;
		}
		if (p->jobs.job[i]->row == FILLER)
			p->jobs.job[i]->row = NOT_ACTIVE;
	}
}

static void slice(struct ctl *c, struct gang_part *p)
{
	next_turn(p);
	begin_row(c, p);
	for (uint32_t i = 0; i < p->jobs.count; i++) {
		struct gang_job *one = p->jobs.job[i];
		if (!one->job->priority || !ctl_gang_fits(c, p, one->job))
			continue;
		add_to_row(c, p, one->job);
		one->row = ACTIVE;
	}
	for (uint32_t i = 0; i < p->jobs.count; i++)
		if (p->jobs.job[i]->row == NOT_ACTIVE && !p->jobs.job[i]->stopped)
			stop(c, p, p->jobs.job[i]);
	for (uint32_t i = 0; i < p->jobs.count; i++) {
		struct gang_job *one = p->jobs.job[i];
		if (one->row != ACTIVE || !one->stopped)
			continue;
		go_on(c, one);
		cast_shadow(c, one);
	}
}

/* A job there is suspended. */
static bool takes_turns(const struct gang_part *p)
{
	return p->jobs.count && p->in_row < p->jobs.count + p->shadows.count;
}

static int64_t since_slice(const struct ctl *c)
{
	const int64_t each = c->params.time_slice;
	return ((c->now - c->params.tick_phase) % each + each) % each;
}

void ctl_gang_run(struct ctl *c)
{
	if (!gangs(c) || c->params.time_slice <= 0 || since_slice(c) || c->gang->sliced == c->now)
		return;
	c->gang->sliced = c->now;
	const struct order_by was = ctl_cause(c, SL_RULE_SLICE, CTL_NO_ROW);
	order_parts(c);
	for (uint32_t i = 0; i < c->part_count; i++) {
		struct gang_part *p = &c->gang->part[c->gang->order[i]];
		if (takes_turns(p))
			slice(c, p);
	}
	send_away(c);
	c->engine.cause = was;
}

ctl_time ctl_gang_next(const struct ctl *c)
{
	if (!gangs(c) || c->params.time_slice <= 0)
		return CTL_NEVER;
	for (uint32_t i = 0; i < c->part_count; i++)
		if (takes_turns(&c->gang->part[i]))
			return c->now + c->params.time_slice - since_slice(c);
	return CTL_NEVER;
}

/* ---- Making it ------------------------------------------------------------------------------- */

/* _get_gr_type() */
static enum share_of ctl_gang_share_of(const struct ctl *c, const char *params)
{
	if (c->cluster->select == SL_SELECT_LINEAR)
		return OF_NODES;
	if (!params || strcasestr(params, "CR_Core") || strcasestr(params, "CR_CPU"))
		return OF_CORES;
	return strcasestr(params, "CR_Socket") ? OF_SOCKETS : OF_NODES;
}

int ctl_gang_make(struct ctl *c, struct sl_err *err)
{
	const struct sl_cluster *cluster = c->cluster;
	struct ctl_gang *g = c->gang = sl_alloc(c->arena, 1, sizeof(*g));
	if (!g)
		return sl_fail_memory(err);
	g->sliced = CTL_NONE;
	g->part = sl_alloc(c->arena, c->part_count + 1, sizeof(*g->part));
	g->order = sl_alloc(c->arena, c->part_count + 1, sizeof(*g->order));
	g->core_at = sl_alloc(c->arena, cluster->node_count + 1, sizeof(*g->core_at));
	if (!g->part || !g->order || !g->core_at)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		g->core_at[node] = (uint32_t)g->words;
		g->words += words_of(c, node);
	}
	const char *params = sl_setting_of(cluster, "cluster", "", "SelectTypeParameters");
	for (uint32_t i = 0; i < c->part_count && c->params.gang; i++) {
		const char *own =
			sl_setting_of(cluster, "partition", c->part[i].name, "SelectTypeParameters");
		g->order[i] = i;
		g->part[i].share = ctl_gang_share_of(c, own ? own : params);
		g->part[i].row = sl_alloc(c->arena, g->words, sizeof(uint64_t));
		if (!g->part[i].row)
			return sl_fail_memory(err);
	}
	return SL_OK;
}
