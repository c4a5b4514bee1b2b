/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order_parts.h - what the files of kai_order.h share: how far a job has grown, the tree of a job's
 * groups in order, and what a chunk takes of each.
 */
#ifndef SL_RUNAI_KAI_ORDER_PARTS_H
#define SL_RUNAI_KAI_ORDER_PARTS_H

#include "policies/runai/rules/kai_order.h"

/* Tasks of a group that hold, or are to hold, resources and are not on their way out. */
static inline int64_t kai_count_active(const struct kai_group *group)
{
	int64_t count = 0;
	for (uint32_t state = KAI_ALLOCATED; state <= KAI_RUNNING; state++)
		count += group->count[state];
	return count;
}

/* A job by its pod sets: some has fewer active tasks than its minimum; all have just as many; some has more.
 */
enum kai_growth { KAI_BELOW_MINIMUM, KAI_AT_MINIMUM, KAI_ABOVE_MINIMUM };
enum kai_growth kai_growth(const struct kai *kai, uint32_t job);
/* Of equal priority and growth: age, name, row. */
int kai_compare_ages(const struct kai *kai, uint32_t a, uint32_t b);

/* A group of the job that is looked at. */
struct kai_branch {
	uint32_t first, children; /* Of kai_order_state.child. */
	int64_t count, min;       /* Active tasks of pods, children that have their minimum of a set; of how
				     many. */
	int64_t size;             /* Tasks that it would place, or that it holds. */
	bool surplus;             /* Something below has more than its minimum. */
	uint32_t pick;            /* What is evicted below: a leaf (one task), or with `whole` a group. */
	bool whole;
};
static inline bool kai_branch_met(const struct kai_branch *branch) { return branch->count >= branch->min; }

/* So many tasks of a pod set. */
struct kai_part {
	uint32_t group, take;
};

struct kai_order_state {
	struct kai_branch *branch; /* By group. */
	uint32_t *child;           /* Rows of groups: those of one parent together. */
	struct kai_kin {
		int64_t count, min;
		const char *name;
		uint32_t row;
	} * kin; /* Those that are sorted. */
	uint32_t *stack;
	struct kai_part *part;
	uint32_t *filled; /* By group. */
	uint32_t capacity;
};
/* Memory for the groups of that job. False: no memory. */
bool kai_order_capacity(struct kai *kai, uint32_t job);
/* Children of all groups, by parent; sizes and counts zero. */
void kai_tree_link(struct kai *kai, const struct kai_job *job);
/* The children of a set in the order of sub-groups. */
void kai_tree_sort(struct kai *kai, const struct kai_job *job, uint32_t set);
/* What a set needs of its children. */
static inline int64_t kai_set_min(const struct kai_group *set, uint32_t children)
{
	return set->min == KAI_NO ? children : set->min;
}

/* What the next chunk is charged, without its list. */
struct kai_vec kai_next_needs(struct kai *kai, uint32_t job);
/* A job of one pod set all of whose tasks have the same request: so many tasks of that. False: it is none. */
bool kai_plain_chunk(const struct kai *kai, uint32_t job, uint32_t *request, uint32_t *take);
struct kai_vec kai_plain_needs(const struct kai *kai, uint32_t request, uint32_t take);
/* It is to be allocated: pending, or evicted by the simulation that goes on. */
static inline bool kai_is_placeable(const struct kai_task *task)
{
	return task->state == KAI_PENDING || (task->state == KAI_RELEASING && task->evicted == 1);
}

#endif
