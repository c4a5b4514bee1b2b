/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_pools.c - a job with several node pools: it is tried in one after another.
 *
 * Run:AI, "Node pools": a workload names pools in order, or its project does; where the first has no capacity
 * the next one is tried, and after the last the first again. Here a job that does not start goes through
 * those pools that changed since it was there last, at the same instant, and then waits in its first.
 */
#include "policies/runai/runai.h"

static uint32_t pools_of(const struct runai *r, const struct runai_run *run)
{
	if (run->said.pool_count)
		return run->said.pool_count;
	if (run->said.queue != KAI_NO && r->config.queue[run->said.queue].order_count)
		return r->config.queue[run->said.queue].order_count;
	return r->config.pool_count;
}

static uint32_t pool_at(const struct runai *r, const struct runai_run *run, uint32_t i)
{
	if (run->said.pool_count)
		return run->said.pool[i];
	if (run->said.queue != KAI_NO && r->config.queue[run->said.queue].order_count)
		return r->config.queue[run->said.queue].order[i];
	return i;
}

uint32_t runai_pool_first(const struct runai *r, uint32_t row) { return pool_at(r, &r->run[row], 0); }

/* It is to start where somebody leaves. */
static bool is_promised(const struct kai *kai, const struct kai_job *job)
{
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai->task[job->task + i].nominated != KAI_NO)
			return true;
	return false;
}

/* The next of its pools worth a try; its first when there is none. */
static uint32_t next_pool(const struct runai *r, struct runai_run *run, uint32_t count)
{
	while (++run->tried < count)
		if (r->instance[pool_at(r, run, run->tried)].changed > run->tried_news)
			return pool_at(r, run, run->tried);
	run->tried = 0;
	run->tried_news = r->news;
	return pool_at(r, run, 0);
}

static bool move_job(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	const uint32_t count = pools_of(r, run);
	if (run->stage != RUNAI_WAITS || count < 2 || (run->tried == 0 && run->tried_news == r->news))
		return false;
	if (is_promised(r->instance[run->instance].kai, &r->instance[run->instance].kai->job[run->job]))
		return false;
	const uint32_t to = next_pool(r, run, count);
	if (to == run->instance)
		return false;
	runai_job_leave(r, row);
	run->instance = to;
	(void)runai_job_enter(r, row);
	return true;
}

bool runai_pools_move(struct runai *r)
{
	bool any = false;
	if (r->instance_count < 2 || !r->stages[RUNAI_WAITS])
		return false;
	for (uint32_t row = 0; row < r->jobs->count && !r->engine.status; row++)
		if (r->run[row].stage == RUNAI_WAITS && r->run[row].job != KAI_NO)
			any = move_job(r, row) || any;
	return any;
}
