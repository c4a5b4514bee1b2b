/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_evicted.c - a job is evicted: for whom, by which rule, and what queues had then, as KAI words
 * its events (pkg/scheduler/api/common_info, actions/utils): uses, quota, fair share, priority of both sides.
 */
#include "policies/runai/runai.h"

#include <stdio.h>
#include <string.h>

/* The job's request, as it counts in the queue's. */
static struct kai_vec needs_of(const struct kai *kai, const struct kai_job *job)
{
	struct kai_vec needs = { { 0 } };
	for (uint32_t i = 0; i < job->task_count; i++) {
		const struct kai_vec one = kai_charge_request(kai, kai->task[job->task + i].request);
		for (int res = 0; res < KAI_RES; res++)
			needs.at[res] = kai_add(needs.at[res], one.at[res]);
	}
	return needs;
}

/* Of which resource the victim's side has too much: GPUs first. */
static enum kai_res res_of(
	const struct kai_queue *victim, const struct kai_vec *has, const struct kai_vec *needs)
{
	static const enum kai_res order[] = { KAI_GPUS, KAI_CPU, KAI_MEM };
	for (size_t i = 0; i < SL_LEN(order); i++)
		if (needs->at[order[i]] > 0 && has->at[order[i]] > kai_allocatable(victim, order[i]))
			return order[i];
	return needs->at[KAI_GPUS] > 0 ? KAI_GPUS : KAI_CPU;
}

static void note_reclaim(struct runai *r, struct runai_eviction *one)
{
	const struct kai *kai = r->instance[one->instance].kai;
	const struct kai_vec *live = runai_series_live(r, one->instance);
	const uint32_t own = r->run[one->row].said.queue, theirs = r->run[one->cause].said.queue;
	const uint32_t victim = kai_loser(kai, theirs, own), taker = kai_loser(kai, own, theirs);
	const struct kai_queue *lost = &kai->queue[victim], *won = &kai->queue[taker];
	const struct kai_vec needs = needs_of(kai, &kai->job[r->run[one->cause].job]);
	one->res = res_of(lost, &live[victim], &needs);
	one->victim = (struct runai_side){ victim, live[victim].at[one->res], lost->fair.at[one->res] };
	one->taker = (struct runai_side){ taker, live[taker].at[one->res], won->fair.at[one->res] };
	one->needs = needs.at[one->res];
	if (kai_maintains_fair_share(lost, &live[victim]))
		one->let = RUNAI_LET_FAIR_SHARE;
	else if (kai_guarantees_quota(won, &live[taker], &needs, lost, &live[victim]))
		one->let = RUNAI_LET_QUOTA;
	else if (kai_takes_by_priority(kai, won, &live[taker], &needs, lost))
		one->let = RUNAI_LET_PRIORITY;
	else
		one->let = one->moved ? RUNAI_LET_MOVED : RUNAI_LET_REST;
}

void runai_evicted(struct runai *r, uint32_t instance, const struct kai_effect *effect)
{
	const struct kai *kai = r->instance[instance].kai;
	const uint32_t row = kai->job[kai->task[effect->task].job].row_outside;
	struct runai_run *run = &r->run[row];
	size_t capacity = r->eviction_capacity;
	if (!runai_reserve(
		    r, (void **)&r->eviction, &capacity, sizeof(*r->eviction), (size_t)r->eviction_count + 1))
		return;
	r->eviction_capacity = (uint32_t)capacity;
	run->eviction = r->eviction_count++;
	struct runai_eviction *one = &r->eviction[run->eviction];
	*one = (struct runai_eviction){ .at = r->now,
		.ran = r->now - run->started,
		.row = row,
		.cause = run->cause,
		.instance = instance,
		.action = effect->action,
		.moved = effect->moved,
		.shrunk = run->shrunk };
	if (one->action == KAI_RECLAIM && one->cause != UINT32_MAX && r->run[one->cause].job != KAI_NO)
		note_reclaim(r, one);
	runai_evicted_more(r, instance, effect);
}

/* One task more. */
void runai_evicted_more(struct runai *r, uint32_t instance, const struct kai_effect *effect)
{
	const struct kai *kai = r->instance[instance].kai;
	const uint32_t row = kai->job[kai->task[effect->task].job].row_outside;
	struct runai_eviction *one = &r->eviction[r->run[row].eviction];
	if (one->at != r->now)
		return;
	one->tasks++;
	one->gpus += kai_charge_on(kai, effect->task, effect->node).at[KAI_GPUS];
}

/* ---- In words ---- */

static void side_text(const struct runai *r, const struct runai_eviction *one, const struct runai_side *side,
	char *to, size_t size)
{
	const struct kai_queue *queue = &r->instance[one->instance].kai->queue[side->queue];
	char has[48], quota[48], fair[48];
	runai_figure(one->res, side->has, has);
	runai_figure(one->res, queue->quota.at[one->res], quota);
	runai_figure(one->res, side->fair, fair);
	(void)snprintf(to, size,
		"%s '%.100s' uses %s with a quota of %s, a fair share of %s and priority %lld",
		runai_kind_of(r, side->queue), queue->name, has, quota, fair, (long long)queue->priority);
}

static void reclaim_text(const struct runai *r, const struct runai_eviction *one, char *to, size_t size)
{
	static const char *const let[] = {
		[RUNAI_LET_NOT] = "",
		[RUNAI_LET_FAIR_SHARE] = "the first has more than it may have",
		[RUNAI_LET_QUOTA] = "the second stays within its quota, and the first is over its own",
		[RUNAI_LET_PRIORITY] = "the second stays within its quota, and is of higher priority",
		[RUNAI_LET_MOVED] = "it is only moved, which costs nobody",
		[RUNAI_LET_REST] = "it is of a set of which others were within the rule",
	};
	char victim[400], taker[400], needs[48];
	side_text(r, one, &one->victim, victim, sizeof(victim));
	side_text(r, one, &one->taker, taker, sizeof(taker));
	runai_figure(one->res, one->needs, needs);
	(void)snprintf(to, size, "%s; %s, and asks %s: %s", victim, taker, needs, let[one->let]);
}

const char *runai_evicted_text(struct runai *r, const struct runai_eviction *one)
{
	const struct runai_job *said = &r->run[one->row].said;
	char text[1200] = "";
	switch (one->action) {
	case KAI_RECLAIM:
		if (one->let)
			reclaim_text(r, one, text, sizeof(text));
		break;
	case KAI_PREEMPT:
		(void)snprintf(text, sizeof(text),
			"a job of its project has a higher priority: %lld, it has %lld",
			one->cause == UINT32_MAX ? 0 : (long long)r->run[one->cause].said.priority,
			(long long)said->priority);
		break;
	case KAI_CONSOLIDATION:
		(void)snprintf(
			text, sizeof(text), "moved, so that a job finds room: resources are consolidated");
		break;
	case KAI_STALE:
		(void)snprintf(text, sizeof(text),
			"fewer of its pods are left than it needs, and its grace is over");
		break;
	case KAI_ALLOCATE:
	case KAI_ACTIONS:
		break;
	}
	return sl_strdup(r->arena, text, strlen(text));
}
