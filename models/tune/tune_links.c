/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_links.c - axes of which the amounts add up: the last of a link is what the others leave over.
 */
#include <string.h>

#include "models/tune/tune_search.h"

/* Of all but the last of the link; false: one has no amount, or they are too much to be added. */
static bool sum_of(
	const struct tune_problem *problem, const struct tune_link *link, const uint32_t *level, int64_t *sum)
{
	*sum = 0;
	for (size_t i = 0; i + 1 < link->count; i++) {
		const int64_t amount = problem->amount[link->axis[i]][level[link->axis[i]]];
		if (amount == TUNE_NO_AMOUNT || __builtin_add_overflow(*sum, amount, sum))
			return false;
	}
	return true;
}

/* Takes the last of the link to the level that the others leave over; false: it has no such. */
static bool link_close(const struct tune_problem *problem, const struct tune_link *link, uint32_t *level)
{
	const uint32_t last = link->axis[link->count - 1];
	const int64_t *amount = problem->amount[last];
	int64_t sum;
	int64_t rest;
	if (!sum_of(problem, link, level, &sum) || __builtin_sub_overflow(link->total, sum, &rest))
		return false;
	for (uint32_t i = 0; i < problem->axis[last].count; i++)
		if (amount[i] != TUNE_NO_AMOUNT && amount[i] == rest) {
			level[last] = i;
			return true;
		}
	return false;
}

bool tune_linked(const struct tune_problem *problem, uint32_t *level)
{
	for (size_t i = 0; i < problem->links; i++)
		if (!link_close(problem, &problem->link[i], level))
			return false;
	/* Of links that share an axis a later one may have moved what an earlier one has. */
	for (size_t i = 0; i < problem->links; i++) {
		const struct tune_link *link = &problem->link[i];
		const uint32_t last = link->axis[link->count - 1];
		int64_t sum;
		if (!sum_of(problem, link, level, &sum) ||
			__builtin_add_overflow(sum, problem->amount[last][level[last]], &sum) ||
			sum != link->total)
			return false;
	}
	return true;
}

bool tune_together(const struct tune_problem *problem, size_t a, size_t b)
{
	for (size_t i = 0; i < problem->links; i++) {
		bool has_a = false;
		bool has_b = false;
		for (size_t k = 0; k < problem->link[i].count; k++) {
			has_a |= problem->link[i].axis[k] == a;
			has_b |= problem->link[i].axis[k] == b;
		}
		if (has_a && has_b)
			return true;
	}
	return a == b;
}

/* The axis is what others leave over. */
static bool is_last(const struct tune_problem *problem, size_t axis)
{
	for (size_t i = 0; i < problem->links; i++)
		if (problem->link[i].axis[problem->link[i].count - 1] == axis)
			return true;
	return false;
}

uint64_t tune_points(const struct tune_problem *problem)
{
	uint64_t points = 1;
	for (size_t a = 0; a < problem->axes; a++) {
		if (is_last(problem, a))
			continue;
		if (points > UINT64_MAX / problem->axis[a].count)
			return UINT64_MAX;
		points *= problem->axis[a].count;
	}
	return points;
}

bool tune_point(const struct tune_problem *problem, uint64_t point, uint32_t *level)
{
	for (size_t a = 0; a < problem->axes; a++) {
		level[a] = 0;
		if (is_last(problem, a))
			continue;
		level[a] = (uint32_t)(point % problem->axis[a].count);
		point /= problem->axis[a].count;
	}
	return tune_linked(problem, level);
}

uint64_t tune_settings(const struct tune_problem *problem)
{
	const uint64_t points = tune_points(problem);
	uint64_t count = 0;
	bool is_today = false;
	if (!problem->links || points > TUNE_EVERY_MAX)
		return points;
	for (uint64_t i = 0; i < points; i++) {
		uint32_t level[TUNE_AXES_MAX] = { 0 };
		bool same = true;
		if (!tune_point(problem, i, level))
			continue;
		for (size_t a = 0; a < problem->axes; a++)
			same &= level[a] == problem->axis[a].today;
		is_today |= same;
		count++;
	}
	return count ? count + !is_today : 0;
}
