/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_unfair.c - whose jobs started later than their fair start times, and when (replay.metrics=field): by
 * period of submission, of the users that missed most and of all others.
 */
#include <stdlib.h>

#include "reports/page/page.h"

enum { PERIODS = 40, USERS_MAX = 8 };

struct unfair {
	struct page_run *run;
	const struct page_groups *groups;
	uint32_t *rank, kept; /* By group; and how many have a row of their own. */
	int32_t from;
	int64_t period; /* In ticks. */
	/* By row and period: the others' row is behind those of the kept. */
	uint32_t jobs[USERS_MAX + 1][PERIODS], late[USERS_MAX + 1][PERIODS];
	double missed[USERS_MAX + 1][PERIODS]; /* Seconds. */
};

static bool is_looked_at(const struct sl_result *result, uint32_t row)
{
	return result->start[row] != SL_NONE && result->fair_start[row] != SL_NONE;
}

static sl_time miss_of(const struct sl_result *result, uint32_t row)
{
	return result->start[row] > result->fair_start[row] ? result->start[row] - result->fair_start[row]
							    : 0;
}

static uint32_t period_of(const struct unfair *all, uint32_t row)
{
	const int64_t at = page_ticks(all->run, all->run->jobs->submit[row]) - (int64_t)all->from;
	const int64_t period = at < 0 ? 0 : at / all->period;
	return period < PERIODS ? (uint32_t)period : PERIODS - 1;
}

static void page_unfair_rank(struct unfair *all)
{
	const struct sl_result *result = all->run->result;
	uint64_t *weight = page_alloc(all->run->page, all->groups->count, sizeof(*weight));
	for (uint32_t row = 0; weight && row < all->run->total; row++)
		if (all->groups->of[row] != UINT32_MAX && is_looked_at(result, row))
			weight[all->groups->of[row]] += (uint64_t)miss_of(result, row) / 1000 + 1;
	if (weight)
		all->kept = page_largest(all->run, all->groups, weight, USERS_MAX, all->rank);
	free(weight);
}

static void page_unfair_add_up(struct unfair *all)
{
	const struct sl_result *result = all->run->result;
	for (uint32_t row = 0; row < all->run->total; row++) {
		const uint32_t group = all->groups->of[row];
		if (!is_looked_at(result, row))
			continue;
		const uint32_t line = group == UINT32_MAX ? all->kept : all->rank[group];
		const uint32_t period = period_of(all, row);
		const sl_time miss = miss_of(result, row);
		all->jobs[line][period]++;
		all->late[line][period] += miss > 0;
		all->missed[line][period] += (double)miss / 1e6;
	}
}

static void page_unfair_user(struct unfair *all, uint32_t line, bool first)
{
	struct page_text *json = all->run->json;
	const char *name = "other";
	for (uint32_t g = 0; g < all->groups->count && line < all->kept; g++)
		if (all->rank[g] == line)
			name = all->groups->name[g];
	page_put(json, first ? "{" : ",\n{");
	page_name(json, "name");
	page_json(json, name);
	page_put(json, line == all->kept ? ",\"other\":true" : "");
	page_member(all->run->page, json, "jobs", PAGE_U32 | PAGE_SPLIT, all->jobs[line], PERIODS);
	page_member(all->run->page, json, "late", PAGE_U32 | PAGE_SPLIT, all->late[line], PERIODS);
	page_member(all->run->page, json, "missed", PAGE_F64 | PAGE_SPLIT, all->missed[line], PERIODS);
	page_put(json, "}");
}

void page_unfair_put(struct page_run *run)
{
	const struct page_groups *groups = &run->by[PAGE_USER];
	if (!run->result->fair_start || !groups->of || !groups->name || !groups->count)
		return;
	struct unfair *all = page_alloc(run->page, 1, sizeof(*all));
	uint32_t *rank = page_alloc(run->page, groups->count, sizeof(*rank));
	int32_t last = run->first;
	if (all && rank) {
		all->run = run;
		all->groups = groups;
		all->rank = rank;
		all->from = run->first;
		for (uint32_t row = 0; row < run->total; row++) {
			const int32_t at = page_ticks(run, run->jobs->submit[row]);
			last = at > last ? at : last;
		}
		all->period = ((int64_t)last - run->first) / PERIODS + 1;
		page_unfair_rank(all);
		page_unfair_add_up(all);
		page_name(run->json, "unfair");
		page_format(run->json, "{\"from\":%d,\"period\":%lld,\"user\":[", (int)all->from,
			(long long)all->period);
		bool first = true;
		for (uint32_t line = 0; line <= all->kept; line++) {
			uint64_t jobs = 0;
			for (uint32_t i = 0; i < PERIODS; i++)
				jobs += all->jobs[line][i];
			if (!jobs)
				continue;
			page_unfair_user(all, line, first);
			first = false;
		}
		page_put(run->json, "]}");
	}
	free(rank);
	free(all);
}
