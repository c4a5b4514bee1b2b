/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order.h - who is next: queues, the jobs of a queue, the tasks of a job; and, the other way round, who
 * is taken first. (KAI: plugins proportion/queue_order, priority, elastic, taskorder, subgrouporder;
 * JobsOrderByQueues.)
 */
#ifndef SL_RUNAI_KAI_ORDER_H
#define SL_RUNAI_KAI_ORDER_H

#include "policies/runai/rules/kai.h"

/* Which of two siblings goes first, each represented by a job that requests `needs` (NULL: no job), of which
 * victims were popped already (NULL, or amounts to take off in the dominant share). Negative: left. */
struct kai_standing {
	const struct kai_queue *queue;
	const struct kai_vec *needs, *victims;
};
int kai_compare_queues(
	const struct kai *kai, const struct kai_standing *left, const struct kai_standing *right);

/* Tasks of a job: order, age, uid. */
int kai_compare_tasks(const struct kai *kai, uint32_t a, uint32_t b);

/* The next chunk of a job to allocate: task rows, in the order of allocation (of pod sets in the order of
 * sub-groups). The array holds job.task_count. Returns how many; 0: nothing. Pending tasks, and those that a
 * simulation has evicted (kai_task.evicted 1). */
uint32_t kai_next_chunk(struct kai *kai, uint32_t job, uint32_t *task);
/* What would be evicted of it next: one task above the minimum, one whole sub-group, or all; the last in
 * order first. Tasks of which `gone` (by task row of the job, 1: taken already; NULL) is said are not there.
 * more: the job has other active tasks. The array holds job.task_count. */
uint32_t kai_eviction_chunk(struct kai *kai, uint32_t job, const uint8_t *gone, uint32_t *task, bool *more);
/* What the chunk is charged, wherever its tasks are now. least: for checks of limit and quota. */
struct kai_vec kai_chunk_needs(const struct kai *kai, const uint32_t *task, uint32_t count, bool least);
/* Every pod set has at least its minimum, of so many active-used tasks. */
bool kai_gang_satisfied(const struct kai *kai, uint32_t job);
/* Enough sets have, of tasks that are pending or active. */
bool kai_gang_possible(const struct kai *kai, uint32_t job);
bool kai_elastic(const struct kai *kai, uint32_t job); /* Some pod set has more tasks than its minimum. */
/* Some pod set has fewer active-used tasks than its minimum, but there is one at least: stale. */
bool kai_stale(const struct kai *kai, uint32_t job);

/* Jobs in order of their queues. KAI's heaps are lazy: pops and pushes flag the path, and only what is
 * flagged is sifted at the next pop (a department is seen by the child that was served last); config
 * fresh_order: all is compared anew before each pop.
 *
 * A lane of KAI_VICTIMS goes the other way round, and counts what was popped of a queue as taken from it,
 * each time as much as the job still had. */
struct kai_lane;
enum kai_lane_order { KAI_NEXT, KAI_VICTIMS };
struct kai_lane *kai_lane_new(
	struct kai *kai, enum kai_lane_order order, uint32_t depth); /* depth 0: no cap. NULL: no memory. */
void kai_lane_free(struct kai_lane *lane);
void kai_lane_clear(struct kai_lane *lane, enum kai_lane_order order, uint32_t depth);
/* Jobs without a queue, or of one that has others below it, are passed over. */
void kai_lane_push(struct kai *kai, struct kai_lane *lane, uint32_t job);
/* As if it had no active tasks, and requested so much: the part of it that a simulation is about. */
void kai_lane_push_part(struct kai *kai, struct kai_lane *lane, uint32_t job, const struct kai_vec *needs);
uint32_t kai_lane_pop(struct kai *kai, struct kai_lane *lane); /* KAI_NO: none is left. */
enum kai_stay { KAI_GOES, KAI_STAYS, KAI_NONE_GOES };
/* If all that are left are of one leaf, and nothing but what they are decides which is first: those that may
 * not stay go (unless one says that none does). */
void kai_lane_prune(struct kai *kai, struct kai_lane *lane,
	enum kai_stay (*stays)(const struct kai *kai, uint32_t job, const void *of), const void *of);
bool kai_lane_empty(const struct kai_lane *lane);
/* KAI_VICTIMS: these tasks of the job popped last are taken; if it has other active ones, it comes back with
 * those. */
void kai_lane_push_rest(
	struct kai *kai, struct kai_lane *lane, uint32_t job, const uint32_t *task, uint32_t count);
/* What was taken of it so, by task row of the job; NULL: nothing. For kai_eviction_chunk. */
const uint8_t *kai_lane_gone(const struct kai_lane *lane, uint32_t job);

/* In which order a simulation places again: KAI walks all jobs with pending tasks, and those that were
 * evicted, in the order of their queues, but places only the latter and the job that it is about. Here those
 * that only wait are sorted once, and passed over where they make no difference. */
struct kai_replay;
struct kai_replay *kai_replay_new(struct kai *kai); /* NULL: no memory. */
void kai_replay_free(struct kai_replay *replay);
/* Before simulations, no task being evicted for one: which jobs wait. */
void kai_replay_open(struct kai *kai, struct kai_replay *replay);
/* Something was settled for this job since. */
void kai_replay_changed(struct kai *kai, struct kai_replay *replay, uint32_t job);
/* Each simulation, its victims being evicted: cleared; those that are to be allocated; they come one by one
 * (KAI_NO: no more), and are allocated, or not, before the next one comes. */
void kai_replay_clear(struct kai_replay *replay);
void kai_replay_push(struct kai *kai, struct kai_replay *replay, uint32_t job);
/* As if all its tasks, which run and are all the same, were evicted. */
void kai_replay_push_whole(struct kai *kai, struct kai_replay *replay, uint32_t job);
void kai_replay_push_part(
	struct kai *kai, struct kai_replay *replay, uint32_t job, const struct kai_vec *needs);
uint32_t kai_replay_pop(struct kai *kai, struct kai_replay *replay);

#endif
