/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_promise.c - commands: promises of named nodes over a future interval. A promise is an allocation
 * whose intervals allocate at its start and release at its end.
 */
#include "sim/nodes/nodes_parts.h"

/* The other end of each interval: where it allocates. */
static void chain_begins(struct nodes *nodes, struct chain *chain)
{
	struct chain begins = CHAIN_NONE;
	for (uint32_t i = chain->first; i != NONE; i = nodes->interval[i].more) {
		const uint32_t begin = interval_new(nodes, &begins);
		struct interval *interval = &nodes->interval[i];
		interval->flags |= INTERVAL_PROMISE;
		nodes->interval[begin] = *interval;
		nodes->interval[begin].flags |= INTERVAL_BEGIN;
		nodes->interval[begin].more = NONE;
	}
	nodes->interval[chain->last].more = begins.first;
	chain->last = begins.last;
}

void promise_links(struct nodes *nodes, uint32_t job, uint32_t allocation)
{
	nodes->job_promise[job] = allocation + 1;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more)
		interval_link(nodes, i, nodes->interval[i].at);
}

bool nodes_promise(struct nodes *nodes, uint32_t job, uint32_t request, sl_time at, sl_time length)
{
	struct chain chain;
	SL_CHECK(!nodes->job_promise[job]);
	const struct free_window free_window = { at, after(at, length), true, 0 };
	struct sooner *sooner = nodes->sooner;
	if (sooner)
		sooner->among = sooner->mover == job && sooner->to == at && sooner->request == request &&
				sooner->length == length;
	const bool good = place_free_window_for(nodes, job, request, &free_window, &chain);
	if (sooner) {
		sooner->among = false;
		sooner->mover = NONE;
	}
	if (!good)
		return false;
	if (!intervals_reserve(nodes, chain_length(nodes, chain.first)))
		return false;
	chain_begins(nodes, &chain);
	allocation_new(nodes, request, chain);
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		nodes->interval[i].at = nodes->interval[i].flags & INTERVAL_BEGIN ? at : after(at, length);
	promise_links(nodes, job, chain.first);
	return true;
}

uint32_t promise_leaves(struct nodes *nodes, uint32_t job)
{
	SL_CHECK(nodes->job_promise[job]);
	const uint32_t allocation = nodes->job_promise[job] - 1;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more)
		interval_unlink(nodes, i);
	nodes->job_promise[job] = 0;
	return allocation;
}

void nodes_unpromise(struct nodes *nodes, uint32_t job)
{
	if (!failed(nodes))
		(void)keep(nodes, KEPT_PROMISE, job, promise_leaves(nodes, job));
}

void nodes_promise_undo(struct nodes *nodes, uint32_t job)
{
	if (!failed(nodes))
		allocation_free(nodes, promise_leaves(nodes, job));
}

void nodes_promise_restore(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	SL_CHECK(!nodes->job_promise[job]);
	promise_links(nodes, job, kept_take(nodes, KEPT_PROMISE, job));
}

size_t nodes_promised(struct nodes *nodes, uint32_t job, const struct sl_node_tasks **alloc)
{
	*alloc = NULL;
	if (!nodes->job_promise[job])
		return 0;
	return allocs_of(nodes, chain_of(nodes, nodes->job_promise[job] - 1), alloc);
}

/* The very devices that were promised. */
static bool take_promised(struct nodes *nodes, uint32_t allocation, sl_time length, struct chain *chain)
{
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		const struct interval was = nodes->interval[i];
		if (was.flags & INTERVAL_BEGIN)
			continue;
		const struct node *node = &nodes->node[was.node];
		if ((was.flags & INTERVAL_WHOLE && node->allocations) ||
			nodes_is_unavailable(nodes, was.node) || !interval_fits(nodes, &was) ||
			!open_for(nodes, node->windows, length,
				exempt_of(nodes, nodes->interval[allocation].request)))
			return false;
		const uint32_t fresh = interval_new(nodes, chain);
		struct interval *interval = &nodes->interval[fresh];
		*interval = was;
		interval->flags = was.flags & (INTERVAL_WHOLE | INTERVAL_SLICES);
		interval->more = NONE;
		interval_take(nodes, interval);
	}
	return true;
}

bool nodes_start_promised(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end)
{
	if (failed(nodes) || !nodes->job_promise[job])
		return false;
	const uint32_t allocation = nodes->job_promise[job] - 1;
	SL_CHECK(nodes->interval[allocation].request == request);
	struct chain chain = CHAIN_NONE;
	if (!intervals_reserve(nodes, chain_length(nodes, allocation)))
		return false;
	if (!take_promised(nodes, allocation, length_until(nodes, end), &chain)) {
		place_undo(nodes, chain);
		return false;
	}
	/* Nothing is freed where the job holds it no shorter. */
	if (nodes->sooner)
		nodes->sooner->quiet = end >= nodes->interval[allocation].at;
	nodes_unpromise(nodes, job);
	if (nodes->sooner)
		nodes->sooner->quiet = false;
	return allocation_begins(nodes, job, request, chain, end);
}
