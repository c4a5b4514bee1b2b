/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order_gang.c - has a job all that it needs to run? By counts of its groups alone. (KAI:
 * api/podgroup_info: job_info, subgroup_info.)
 *
 * That it could run at all is asked of the tree: a set needs so many of its children as it says, or all. That
 * it runs is asked of every pod set.
 */
#include "policies/runai/rules/kai_order_parts.h"

bool kai_gang_satisfied(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	for (uint32_t i = 0; i < row->group_count; i++) {
		const struct kai_group *group = &row->group[i];
		const int64_t leaving = group->count[KAI_RELEASING] + group->count[KAI_STUCK];
		if (group->leaf && kai_count_active(group) + leaving < group->min)
			return false;
	}
	return true;
}

/* The group has what it needs, of tasks that are alive; of its children that is known (met, unmet). */
static bool possible(const struct kai_group *group)
{
	if (group->leaf)
		return group->count[KAI_PENDING] + kai_count_active(group) >= group->min;
	return group->min == KAI_NO ? !group->unmet : group->met >= group->min;
}

bool kai_gang_possible(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	for (uint32_t i = 0; i < row->group_count; i++)
		row->group[i].met = row->group[i].unmet = 0;
	for (uint32_t i = row->group_count; i-- > 1;) {
		struct kai_group *above = &row->group[row->group[i].parent];
		if (possible(&row->group[i]))
			above->met++;
		else
			above->unmet++;
	}
	return possible(&row->group[0]);
}

bool kai_elastic(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	for (uint32_t i = 0; i < row->group_count; i++) {
		const struct kai_group *group = &row->group[i];
		int64_t tasks = 0;
		for (uint32_t state = 0; state < KAI_STATES; state++)
			tasks += group->count[state];
		if (group->leaf && tasks > group->min)
			return true;
	}
	return false;
}

bool kai_stale(const struct kai *kai, uint32_t job)
{
	const struct kai_group *all = &kai->job[job].group[0];
	const int64_t used = kai_count_active(all) + all->count[KAI_RELEASING] + all->count[KAI_STUCK];
	return !all->count[KAI_SUCCEEDED] && used > 0 && !kai_gang_satisfied(kai, job);
}
