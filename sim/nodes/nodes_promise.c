/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_promise.c - commands: promises of named nodes over a time to come. A promise is a hold whose
 * edges take at its start and give back at its end.
 */
#include "sim/nodes/nodes_parts.h"

/* The other end of each edge: where it takes. */
static void chain_begins(struct nodes *nodes, struct chain *chain)
{
	struct chain begins = CHAIN_NONE;
	for (uint32_t i = chain->first; i != NONE; i = nodes->edge[i].more) {
		const uint32_t begin = edge_new(nodes, &begins);
		struct edge *edge = &nodes->edge[i];
		edge->flags |= EDGE_PROMISE;
		nodes->edge[begin] = *edge;
		nodes->edge[begin].flags |= EDGE_BEGIN;
		nodes->edge[begin].more = NONE;
	}
	nodes->edge[chain->last].more = begins.first;
	chain->last = begins.last;
}

static void promise_links(struct nodes *nodes, uint32_t job, uint32_t hold)
{
	nodes->job_promise[job] = hold + 1;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		edge_link(nodes, i, nodes->edge[i].at);
}

bool nodes_promise(struct nodes *nodes, uint32_t job, uint32_t request, sl_time at, sl_time length)
{
	struct chain chain;
	SL_CHECK(!nodes->job_promise[job]);
	const struct span span = { at, after(at, length), true, 0 };
	if (!place_span_for(nodes, job, request, &span, &chain))
		return false;
	if (!edges_reserve(nodes, chain_length(nodes, chain.first)))
		return false;
	chain_begins(nodes, &chain);
	hold_new(nodes, request, chain);
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		nodes->edge[i].at = nodes->edge[i].flags & EDGE_BEGIN ? at : after(at, length);
	promise_links(nodes, job, chain.first);
	return true;
}

/* Out of its nodes' lists; the hold is left. */
static uint32_t promise_leaves(struct nodes *nodes, uint32_t job)
{
	SL_CHECK(nodes->job_promise[job]);
	const uint32_t hold = nodes->job_promise[job] - 1;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		edge_unlink(nodes, i);
	nodes->job_promise[job] = 0;
	return hold;
}

void nodes_unpromise(struct nodes *nodes, uint32_t job)
{
	if (!failed(nodes))
		(void)keep(nodes, KEPT_PROMISE, job, promise_leaves(nodes, job));
}

void nodes_promise_undo(struct nodes *nodes, uint32_t job)
{
	if (!failed(nodes))
		hold_free(nodes, promise_leaves(nodes, job));
}

void nodes_promise_restore(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	SL_CHECK(!nodes->job_promise[job]);
	promise_links(nodes, job, kept_take(nodes, KEPT_PROMISE, job));
}

size_t nodes_promised(struct nodes *nodes, uint32_t job, const struct sl_piece **piece)
{
	*piece = NULL;
	if (!nodes->job_promise[job])
		return 0;
	return pieces_of(nodes, chain_of(nodes, nodes->job_promise[job] - 1), piece);
}

/* The very devices that were promised. */
static bool take_promised(struct nodes *nodes, uint32_t hold, sl_time length, struct chain *chain)
{
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		const struct edge was = nodes->edge[i];
		if (was.flags & EDGE_BEGIN)
			continue;
		const struct node *node = &nodes->node[was.node];
		if ((was.flags & EDGE_WHOLE && node->holds) || nodes_is_shut(nodes, was.node) ||
			!edge_fits(nodes, &was) ||
			!open_for(nodes, node->windows, length, exempt_of(nodes, nodes->edge[hold].request)))
			return false;
		const uint32_t fresh = edge_new(nodes, chain);
		struct edge *edge = &nodes->edge[fresh];
		*edge = was;
		edge->flags = was.flags & (EDGE_WHOLE | EDGE_SLICES);
		edge->more = NONE;
		edge_take(nodes, edge);
	}
	return true;
}

bool nodes_start_promised(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end)
{
	if (failed(nodes) || !nodes->job_promise[job])
		return false;
	const uint32_t hold = nodes->job_promise[job] - 1;
	SL_CHECK(nodes->edge[hold].request == request);
	struct chain chain = CHAIN_NONE;
	if (!edges_reserve(nodes, chain_length(nodes, hold)))
		return false;
	if (!take_promised(nodes, hold, length_until(nodes, end), &chain)) {
		place_undo(nodes, chain);
		return false;
	}
	nodes_unpromise(nodes, job);
	return hold_begins(nodes, job, request, chain, end);
}
