/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order.h - who is next: queues, the jobs of a queue, the tasks of a job; and, the other way round, who
 * is taken first. (KAI: plugins proportion/queue_order, priority, elastic, taskorder, subgrouporder;
 * JobsOrderByQueues.)
 */
#ifndef SL_RUNAI_KAI_ORDER_H
#define SL_RUNAI_KAI_ORDER_H

#include "policies/runai/kai.h"

/* Which of two siblings goes first, each represented by a job that asks `ask` (NULL: no job), of which
 * victims were popped already (NULL, or amounts to take off in the dominant share). True: left. */
struct kai_rival {
	uint32_t queue;
	const struct kai_vec *ask;
	const struct kai_vec *victims;
};
bool kai_queue_first(const struct kai *kai, const struct kai_rival *left, const struct kai_rival *right);
/* The comparison itself, over what it looks at. */
struct kai_standing {
	const struct kai_queue *queue;
	const struct kai_vec *ask, *victims;
};
int kai_compare_queues(
	const struct kai *kai, const struct kai_standing *left, const struct kai_standing *right);

/* Jobs of a leaf: priority, elastic state, age, name. Negative: a first. */
int kai_compare_jobs(const struct kai *kai, uint32_t a, uint32_t b);
/* Tasks of a job: order, age, uid. */
int kai_compare_tasks(const struct kai *kai, uint32_t a, uint32_t b);

/* The next chunk of a job to place: task rows, in the order in which they are placed (of pod sets in the
 * order of sub-groups). Room for job.task_count. Returns how many; 0: nothing. */
uint32_t kai_next_chunk(struct kai *kai, uint32_t job, uint32_t *task);
/* What would be evicted of it next: one task above the minimum, one whole sub-group, or all. rest_only: tasks
 * of which `gone` (by task row of the job, 1: popped already; NULL) is said are not there. */
uint32_t kai_eviction_chunk(struct kai *kai, uint32_t job, const uint8_t *gone, uint32_t *task, bool *more);
/* What the chunk is charged. least: for gates. */
struct kai_vec kai_chunk_ask(const struct kai *kai, const uint32_t *task, uint32_t count, bool least);
/* Every pod set has at least its minimum, of so many active tasks (or of tasks that are alive at all). */
bool kai_gang_satisfied(const struct kai *kai, uint32_t job);
bool kai_gang_possible(const struct kai *kai, uint32_t job);
bool kai_elastic(const struct kai *kai, uint32_t job); /* Some pod set has more tasks than its minimum. */
/* Some pod set has fewer active-used tasks than its minimum, but there is one at least: stale. */
bool kai_stale(const struct kai *kai, uint32_t job);

/* Jobs in order of their queues. KAI's heaps are lazy: pops and pushes flag the path, and only what is
 * flagged is sifted at the next pop (specs: a department's representative is the child that was served last);
 * config fresh_order: all is sorted anew. */
struct kai_lane;
enum kai_lane_order { KAI_NEXT, KAI_VICTIMS };
struct kai_lane *kai_lane_new(
	struct kai *kai, enum kai_lane_order order, uint32_t depth); /* depth 0: no cap. */
void kai_lane_free(struct kai_lane *lane);
void kai_lane_clear(struct kai_lane *lane, enum kai_lane_order order, uint32_t depth);
void kai_lane_push(struct kai *kai, struct kai_lane *lane, uint32_t job);
uint32_t kai_lane_pop(struct kai *kai, struct kai_lane *lane); /* KAI_NO: none is left. */
bool kai_lane_empty(const struct kai_lane *lane);
/* KAI_VICTIMS: the job popped last comes back with what is left after this chunk was taken; else: what was
 * popped of it counts against its queue and it does not come back (left 0). */
void kai_lane_push_rest(
	struct kai *kai, struct kai_lane *lane, uint32_t job, const uint32_t *task, uint32_t count);

#endif
