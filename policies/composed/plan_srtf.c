/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_srtf.c - shortest remaining time first, with preemption.
 *
 * Waiting jobs are in the order of their remaining time: the estimate, after a checkpoint what is left of it
 * and what it costs to go on (replay.restart). The first starts if it fits; if not, running jobs of the same
 * queue with strictly more left are preempted, those with most left first, if it then fits; else it waits,
 * and jobs behind it that fit now may start (not with fill=none): that does not delay it, as they have more
 * left, and can be preempted. Work is kept. As only a job with less left preempts one with more, nothing
 * alternates.
 *
 * Schrage, A proof of the optimality of the shortest remaining processing time discipline, Operations
 * Research 16(3), 1968, for one server; for jobs on many GPUs as in Hu, Sun, Yan, Wen & Zhang,
 * Characterization and prediction of deep learning workloads in large-scale GPU datacenters, SC 2021.
 */
#include <stdlib.h>

#include "policies/composed/by_lane.h"
#include "policies/composed/composed.h"

struct victim {
	sl_job job;
	sl_time end; /* Expected. */
	bool stays;
};

struct srtf {
	uint32_t *first, *next; /* By lane, by job: those that run, and maybe others; UINT32_MAX: none. */
	bool *listed;           /* By job. */
	uint64_t *surveyed;     /* By lane: the pass in which jobs that do not run were last struck off. */
	uint64_t passes;
	struct victim *victim;
	uint64_t *taken; /* By node: the search in which the waiting job had it. */
	uint64_t searches;
	sl_ledger failed; /* By lane: the job that did not fit, plus 1; and what `freed` was then. */
	sl_ledger freed;  /* By lane, if they are apart, else in row 0: how often something was freed. */
	bool apart;       /* No node is of two lanes. */
	bool remembers; /* A job that did not fit will not until something is freed: no window ends, and what
			 * runs is never found to have more left than it had. */
	bool took;      /* In this round a job preempted others. */
	bool ordered;   /* The queue stands in this plan's order. */
};

enum { FAILED_JOB, FAILED_AT, FAILED_ROWS };

/* Notes the lane as the one that has the nodes of these types; false: another has some. */
static bool claim_types(uint32_t *lane_of, uint32_t types, const struct sl_node_set *set, uint32_t lane)
{
	for (uint32_t type = 0; type < types; type++) {
		if (set && !(set->types[type / 64] >> type % 64 & 1))
			continue;
		if (lane_of[type] && lane_of[type] != lane + 1)
			return false;
		lane_of[type] = lane + 1;
	}
	return true;
}

static bool lanes_are_apart(const struct composed *composed, const struct sl_setup *setup)
{
	const struct sl_jobs *jobs = setup->jobs;
	const struct sl_cluster *cluster = setup->cluster;
	if (composed->lane_count == 1)
		return true;
	uint32_t *lane_of =
		jobs->request ? sl_alloc(setup->arena, cluster->type_count, sizeof(*lane_of)) : NULL;
	bool apart = lane_of;
	uint32_t last = UINT32_MAX; /* Most jobs are like the one before. */
	for (uint32_t job = 0; job < jobs->count && apart; job++) {
		const struct sl_request *request = &jobs->requests[jobs->request[job]];
		const uint32_t lane = lanes_lane_of(composed, (sl_job){ job });
		if (job && last == jobs->request[job] && lane == lanes_lane_of(composed, (sl_job){ job - 1 }))
			continue;
		last = jobs->request[job];
		for (uint32_t i = 0; i < request->group_count && apart; i++) {
			const uint32_t set = request->group[i].node_set;
			apart = claim_types(
				lane_of, cluster->type_count, set ? &cluster->node_set[set] : NULL, lane);
		}
	}
	return apart;
}

static int srtf_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct sl_arena *arena = setup->arena;
	const size_t jobs = (size_t)setup->jobs->count + 1;
	const uint32_t lanes = composed->lane_count;
	struct srtf *s = composed->own = sl_alloc(arena, 1, sizeof(*s));
	if (!s)
		return sl_fail_memory(err);
	s->first = sl_alloc(arena, lanes, sizeof(*s->first));
	s->next = sl_alloc(arena, jobs, sizeof(*s->next));
	s->listed = sl_alloc(arena, jobs, sizeof(*s->listed));
	s->surveyed = sl_alloc(arena, lanes, sizeof(*s->surveyed));
	s->victim = sl_alloc(arena, jobs, sizeof(*s->victim));
	s->taken = sl_alloc(arena, (size_t)setup->cluster->node_count + 1, sizeof(*s->taken));
	if (!s->first || !s->next || !s->listed || !s->surveyed || !s->victim || !s->taken)
		return sl_fail_memory(err);
	for (uint32_t lane = 0; lane < lanes; lane++)
		s->first[lane] = UINT32_MAX;
	s->failed = sl_ledger_new(setup, "found no room", lanes * FAILED_ROWS);
	s->freed = sl_ledger_new(setup, "freed", lanes);
	s->apart = lanes_are_apart(composed, setup);
	s->remembers = !setup->cluster->window_count && setup->overrun != SL_OVERRUN_EXTEND &&
		       !composed->estimate->expired;
	return SL_OK;
}

static double srtf_key(const struct sl_pass *pass, sl_job job) { return (double)sl_estimate_of(pass, job); }

static double key_anew(void *state, struct sl_pass *pass, sl_job job)
{
	(void)state;
	return srtf_key(pass, job);
}

/* ---- What runs, by lane --------------------------------------------------------------------- */

static void plan_srtf_list(struct srtf *s, const struct sl_pass *pass, sl_job job)
{
	const uint32_t lane = sl_lane_of(pass, job);
	if (s->listed[job.row])
		return;
	s->listed[job.row] = true;
	s->next[job.row] = s->first[lane];
	s->first[lane] = job.row;
}

static void srtf_history(struct composed *composed, struct sl_pass *pass, sl_job job,
	enum sl_history_command what, enum sl_preempt how)
{
	(void)how;
	if (what == SL_HISTORY_START || what == SL_HISTORY_RESUME)
		plan_srtf_list(composed->own, pass, job);
}

static uint32_t freed_row(const struct srtf *s, uint32_t lane) { return s->apart ? lane : 0; }

static void note_freed(const struct srtf *s, struct sl_pass *pass, uint32_t lane)
{
	sl_ledger_add(pass, s->freed, freed_row(s, lane), 1);
}

static void srtf_ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	note_freed(composed->own, pass, sl_lane_of(pass, job));
}

/* Before the pass stops any job of the lane, so that none is struck off that an undo brings back. */
static void survey(struct srtf *s, const struct sl_pass *pass, uint32_t lane)
{
	if (s->surveyed[lane] == s->passes)
		return;
	s->surveyed[lane] = s->passes;
	for (uint32_t *at = &s->first[lane]; *at != UINT32_MAX;) {
		const uint32_t job = *at;
		if (sl_state_of(pass, (sl_job){ job }) == SL_RUNNING) {
			at = &s->next[job];
			continue;
		}
		*at = s->next[job];
		s->listed[job] = false;
	}
}

/* Most left first; of those that are to end at one time the one that was submitted last. */
static int compare_victims(const void *a, const void *b)
{
	const struct victim *x = a;
	const struct victim *y = b;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->job.row > y->job.row ? -1 : x->job.row < y->job.row;
}

/* Those that have strictly more left than the job. */
static size_t list_victims(struct srtf *s, const struct sl_pass *pass, sl_job job)
{
	const uint32_t lane = sl_lane_of(pass, job);
	const sl_time end = sl_now(pass) + sl_estimate_of(pass, job);
	size_t count = 0;
	survey(s, pass, lane);
	for (uint32_t row = s->first[lane]; row != UINT32_MAX; row = s->next[row]) {
		const sl_job other = { row };
		if (sl_state_of(pass, other) != SL_RUNNING || sl_expected_end(pass, other) <= end)
			continue;
		s->victim[count++] = (struct victim){ .job = other, .end = sl_expected_end(pass, other) };
	}
	if (count)
		qsort(s->victim, count, sizeof(*s->victim), compare_victims);
	return count;
}

/* ---- Preemption ------------------------------------------------------------------------------- */

static bool start_job(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (!composed_start(composed, pass, job))
		return false;
	plan_srtf_list(composed->own, pass, job);
	return true;
}

/* It goes back into the queue at the place of what it has left. */
static bool stop(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	sl_set_key(pass, job, (double)sl_estimate_kept(pass, job));
	return composed_preempt(composed, pass, job, SL_PREEMPT_CHECKPOINT);
}

/* How many of the victims, from the front, have to be stopped until the job fits; 0: all are not enough. They
 * are stopped then. */
static size_t stop_until_it_fits(struct composed *composed, struct sl_pass *pass, sl_job job, size_t count)
{
	struct srtf *s = composed->own;
	for (size_t i = 0; i < count; i++) {
		struct victim *victim = &s->victim[i];
		victim->stays = !stop(composed, pass, victim->job);
		if (!victim->stays && sl_fits(pass, job))
			return i + 1;
	}
	return 0;
}

/* Marks the nodes that the job has; returns how much of a counted pool it leaves. */
static int64_t mark_taken(struct srtf *s, const struct sl_pass *pass, sl_job job)
{
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(pass, job, &alloc);
	s->searches++;
	for (size_t i = 0; i < count; i++)
		s->taken[alloc[i].node] = s->searches;
	return count ? INT64_MAX : sl_free(pass, SL_KIND_CPUS);
}

static bool touches(const struct srtf *s, const struct sl_pass *pass, sl_job job)
{
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(pass, job, &alloc);
	for (size_t i = 0; i < count; i++)
		if (s->taken[alloc[i].node] == s->searches)
			return true;
	return !count;
}

/* Those that do not stay. */
static bool stop_all(struct composed *composed, struct sl_pass *pass, size_t count)
{
	const struct srtf *s = composed->own;
	for (size_t i = 0; i < count; i++)
		if (!s->victim[i].stays && !stop(composed, pass, s->victim[i].job))
			return false;
	return true;
}

static bool fits_beside(struct composed *composed, struct sl_pass *pass, sl_job job, size_t count)
{
	const sl_marked mark = sl_mark(pass);
	const bool fits = stop_all(composed, pass, count) && sl_fits(pass, job);
	composed_undo(composed, pass, mark);
	return fits;
}

/* Jobs without allocation on the nodes that the job would get need not be stopped; nor those, least left
 * first, without which it fits as well: of a pool, only such as are no larger than what is left over. */
static void spare(struct composed *composed, struct sl_pass *pass, sl_job job, size_t count, int64_t left)
{
	struct srtf *s = composed->own;
	for (size_t i = 0; i < count; i++)
		s->victim[i].stays |= !touches(s, pass, s->victim[i].job);
	for (size_t i = count; i--;) {
		struct victim *victim = &s->victim[i];
		const int64_t asks = sl_asks(pass, victim->job, SL_KIND_CPUS);
		if (victim->stays || asks > left)
			continue;
		victim->stays = true;
		if (!fits_beside(composed, pass, job, count))
			victim->stays = false;
		else if (left != INT64_MAX)
			left -= asks;
	}
}

/* Starts the job in place of others, as few of those found as will do. First it is tried. */
static bool take_over(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct srtf *s = composed->own;
	const size_t victims = list_victims(s, pass, job);
	if (!victims)
		return false;
	const sl_marked trial = sl_mark(pass);
	const size_t count = stop_until_it_fits(composed, pass, job, victims);
	const bool starts = count && composed_start(composed, pass, job);
	const int64_t left = starts ? mark_taken(s, pass, job) : 0;
	composed_undo(composed, pass, trial);
	if (!starts)
		return false;
	spare(composed, pass, job, count, left);
	const sl_marked mark = sl_mark(pass);
	sl_set_cause(pass, SL_RULE_LESS_LEFT, job);
	const bool stopped = stop_all(composed, pass, count);
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	if (stopped && start_job(composed, pass, job)) {
		sl_keep(pass, mark);
		return true;
	}
	composed_undo(composed, pass, mark);
	return false;
}

/* ---- Passes ---------------------------------------------------------------------------------------- */

static void set_ledger(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount)
{
	sl_ledger_add(pass, ledger, row, amount - sl_ledger_get(pass, ledger, row));
}

/* It did not fit, and nothing was freed since: as time goes by only fewer have more left than it. */
static bool fails_still(const struct srtf *s, const struct sl_pass *pass, uint32_t lane, sl_job job)
{
	return sl_ledger_get(pass, s->failed, lane * FAILED_ROWS + FAILED_JOB) == (int64_t)job.row + 1 &&
	       sl_ledger_get(pass, s->failed, lane * FAILED_ROWS + FAILED_AT) ==
		       sl_ledger_get(pass, s->freed, freed_row(s, lane));
}

/* Starts from the front. Returns the first that does not fit. */
static sl_job start_in_order(struct composed *composed, struct sl_pass *pass, uint32_t lane)
{
	struct srtf *s = composed->own;
	sl_job job;
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	while (sl_job_is(job = sl_lane_first(pass, lane))) {
		if (s->remembers && fails_still(s, pass, lane, job))
			return job;
		if (start_job(composed, pass, job))
			continue;
		if (take_over(composed, pass, job)) {
			note_freed(s, pass, lane); /* Stopped jobs may leave more than was allocated. */
			s->took = true;
			continue;
		}
		set_ledger(pass, s->failed, lane * FAILED_ROWS + FAILED_JOB, (int64_t)job.row + 1);
		set_ledger(pass, s->failed, lane * FAILED_ROWS + FAILED_AT,
			sl_ledger_get(pass, s->freed, freed_row(s, lane)));
		sl_head_waits(pass, job);
		return job;
	}
	return SL_JOB_NONE;
}

static void srtf_lane(struct composed *composed, struct sl_pass *pass, uint32_t lane)
{
	const sl_job head = start_in_order(composed, pass, lane);
	if (!sl_job_is(head) || composed->fill_none)
		return;
	sl_job job = composed->fill.by_row ? head : SL_JOB_NONE;
	sl_set_cause(pass, SL_RULE_FILL, SL_JOB_NONE);
	while (sl_job_is(job = sl_lane_next_fit(pass, lane, job, NULL)))
		(void)start_job(composed, pass, job);
}

static void srtf_pass(struct composed *composed, struct sl_pass *pass)
{
	struct srtf *s = composed->own;
	s->passes++;
	if (!s->ordered)
		sl_queue_rekey(pass, key_anew,
			NULL); /* Among the jobs that were stopped before may be some that fit. */
	s->ordered = true;
	do {
		s->took = false;
		lanes_each(composed, pass, srtf_lane);
	} while (s->took && !s->apart); /* What was left over may do for a lane that was asked before. */
}

const struct plan plan_srtf = {
	.name = "srtf",
	.summary =
		"shortest remaining time first: who has less left takes from those with most, work is kept",
	.paper = "Schrage, Operations Research 16(3), 1968; Hu et al., SC 2021",
	.uses = SL_USE_PREEMPT | SL_USE_KEYS,
	.reason = SL_REASON_PRIORITY,
	.own_order = true,
	.fills = true,
	.lanes = true,
	.init = srtf_init,
	.pass = srtf_pass,
	.key = srtf_key,
	.ended = srtf_ended,
	.beyond = srtf_history,
};
