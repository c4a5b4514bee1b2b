/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order.c - which of two queues, jobs or tasks goes first. (KAI: plugins proportion/queue_order,
 * priority, elastic, taskorder.)
 *
 * Of queues the first difference decides, each seen with the job that it would place next:
 *   1. one that has more than its fair share, of all three resources, is last;
 *   2. one that keeps within its quota, that job included, is first;
 *   3. the higher priority is first;
 *   4. one that would hold what it has no share of is last;
 *   5. the smaller dominant share is first, that job included (victims: taken off);
 *   6. without it;
 *   7. what may have less is first;
 *   8. the older is first. KAI leaves queues of one age to the order of its maps; here names decide.
 */
#include <string.h>

#include "policies/runai/rules/kai_order_parts.h"
#include "policies/runai/rules/kai_share.h"

/* ---- Queues ---- */

static int64_t with_job(const struct kai_standing *side, int res)
{
	return side->queue->allocated.at[res] + (side->needs ? side->needs->at[res] : 0);
}

static bool over_utilised(const struct kai_queue *queue)
{
	for (int i = 0; i < KAI_RES; i++)
		if (queue->fair.at[i] >= queue->allocated.at[i])
			return false;
	return true;
}

static bool within_quota(const struct kai_standing *side)
{
	for (int i = 0; i < KAI_RES; i++)
		if (with_job(side, i) > side->queue->quota.at[i])
			return false;
	return true;
}

/* It would hold what it may have nothing of. */
static bool without_share(const struct kai_standing *side)
{
	for (int i = 0; i < KAI_RES; i++)
		if (kai_allocatable(side->queue, (enum kai_res)i) == 0 && with_job(side, i) > 0)
			return true;
	return false;
}

/* The greatest of its shares. Of what it may have nothing of, each thousandth of a cpu, byte or GPU counts a
 * thousandfold. */
static double dominant_share(const struct kai *kai, const struct kai_standing *side, bool job)
{
	static const double unit[KAI_RES] = { 1, 1, KAI_GPU };
	const double nothing = 1000;
	double most = 0;
	for (int i = 0; i < KAI_RES; i++) {
		int64_t held = side->queue->allocated.at[i];
		if (job)
			held = with_job(side, i) - (side->victims ? side->victims->at[i] : 0);
		int64_t may = kai_allocatable(side->queue, (enum kai_res)i);
		if (may == KAI_UNLIMITED)
			may = kai->total.at[i];
		const double share = may ? (double)held / (double)may : (double)held / unit[i] * nothing;
		if (share > most)
			most = share;
	}
	return most;
}

/* It may have less of something, and of nothing more. */
static bool weaker(const struct kai_queue *left, const struct kai_queue *right)
{
	bool less = false;
	for (int i = 0; i < KAI_RES; i++) {
		const int64_t a = kai_allocatable(left, (enum kai_res)i);
		const int64_t b = kai_allocatable(right, (enum kai_res)i);
		if (a > b)
			return false;
		less |= a < b;
	}
	return less;
}

static int older(const struct kai_queue *left, const struct kai_queue *right)
{
	if (left->created != right->created)
		return left->created < right->created ? -1 : 1;
	return strcmp(left->name, right->name); /* No two have the same. */
}

/* The one for which left is true goes first. */
static int first_if(bool left, bool right) { return right - left; }

static int by_share(
	const struct kai *kai, const struct kai_standing *left, const struct kai_standing *right, bool job)
{
	const double a = dominant_share(kai, left, job), b = dominant_share(kai, right, job);
	return first_if(a < b, b < a);
}

int kai_compare_queues(
	const struct kai *kai, const struct kai_standing *left, const struct kai_standing *right)
{
	const struct kai_queue *l = left->queue, *r = right->queue;
	if (!(kai->config.plugins & KAI_PLUGIN_PROPORTION))
		return older(l, r);
	const int priority = first_if(l->priority > r->priority, r->priority > l->priority);
	const bool left_within = within_quota(left), right_within = within_quota(right);
	int order = kai->config.priority_reclaim && left_within && right_within ? priority : 0;
	if (!order)
		order = first_if(!over_utilised(l), !over_utilised(r));
	if (!order)
		order = first_if(left_within, right_within);
	if (!order)
		order = priority;
	if (!order)
		order = first_if(!without_share(left), !without_share(right));
	if (!order)
		order = by_share(kai, left, right, true);
	if (!order)
		order = by_share(kai, left, right, false);
	if (!order)
		order = first_if(weaker(l, r), weaker(r, l));
	return order ? order : older(l, r);
}

/* ---- Jobs ---- */

enum kai_growth kai_growth(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	enum kai_growth growth = KAI_AT_MINIMUM;
	for (uint32_t i = 0; i < row->group_count; i++) {
		const struct kai_group *group = &row->group[i];
		if (!group->leaf)
			continue;
		const int64_t active = kai_count_active(group);
		if (active < group->min)
			return KAI_BELOW_MINIMUM;
		if (active > group->min)
			growth = KAI_ABOVE_MINIMUM;
	}
	return growth;
}

int kai_compare_ages(const struct kai *kai, uint32_t a, uint32_t b)
{
	const struct kai_job *left = &kai->job[a], *right = &kai->job[b];
	if (left->created != right->created)
		return left->created < right->created ? -1 : 1;
	const int name = left->name == right->name ? 0 : strcmp(left->name, right->name);
	return name ? name : first_if(a < b, b < a);
}

/* ---- Tasks ---- */

int kai_compare_tasks(const struct kai *kai, uint32_t a, uint32_t b)
{
	const struct kai_task *left = &kai->task[a], *right = &kai->task[b];
	if (kai->config.plugins & KAI_PLUGIN_TASKORDER) {
		if (left->has_order != right->has_order)
			return left->has_order ? -1 : 1;
		if (left->has_order && left->order != right->order)
			return left->order > right->order ? -1 : 1;
	}
	if (left->created != right->created)
		return left->created < right->created ? -1 : 1;
	const int uid = left->uid == right->uid ? 0 : strcmp(left->uid, right->uid);
	return uid ? uid : first_if(a < b, b < a);
}
