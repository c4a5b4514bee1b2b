/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * water.c - how flows share a pool: max-min fair among clients, each flow bounded by its most.
 *
 * Water-filling: the share s solves sum over flows of min(most, clients * s) = capacity. Flows are kept in
 * order of most per client, so those that get their most come first, and one walk over the order finds s.
 * As long as all together want less than the capacity nobody is limited: then a flow comes and goes without
 * a look at the others. Where the pool is full, s changes with each flow, and with it the rate of every flow
 * that is at its share: the walk costs no more than what changes and those before it.
 */
#include <string.h>

#include "models/storage/storage.h"

uint32_t storage_flow_new(struct storage_flows *flows, enum storage_what what)
{
	uint32_t row = flows->free;
	if (row != STORAGE_NO_FLOW) {
		flows->free = flows->flow[row].next;
	} else {
		if (SL_GROW_IN(flows->arena, flows->flow, flows->reserved, flows->count + 1, NULL))
			return STORAGE_NO_FLOW;
		row = flows->count++;
	}
	flows->flow[row] = (struct storage_flow){ .what = (uint8_t)what, .next = STORAGE_NO_FLOW };
	return row;
}

void storage_flow_free(struct storage_flows *flows, uint32_t row)
{
	flows->flow[row] = (struct storage_flow){ .what = STORAGE_FREE, .next = flows->free };
	flows->free = row;
}

/* ---- One flow ------------------------------------------------------------------- */

int64_t storage_flow_rate(const struct storage_flow *flow, const struct storage_pool *pool)
{
	if (flow->capped)
		return flow->most;
	return (int64_t)((__int128)flow->clients * pool->share / pool->shares);
}

/* Units moved in that time; not more than there are left. */
static int64_t moved_of(const struct storage_flow *flow, const struct storage_pool *pool, sl_time range)
{
	if (flow->what == STORAGE_STREAM) { /* Whole bytes a second are exact enough for what has no end. */
		const __int128 moved = (__int128)storage_flow_rate(flow, pool) * range / SL_SECOND;
		return moved < INT64_MAX ? (int64_t)moved : INT64_MAX;
	}
	const sl_time end = storage_flow_end(flow, pool);
	if (end <= flow->since + range)
		return flow->left;
	/* Before its end: the quotient is below `left`, so that the product stays below 2^63 * 2^20 * 2^31.
	 */
	const __int128 each = (__int128)STORAGE_UNIT * range;
	return flow->capped
		       ? (int64_t)(each * flow->most / SL_SECOND)
		       : (int64_t)(each * pool->share * flow->clients / ((__int128)SL_SECOND * pool->shares));
}

int64_t storage_flow_settle(struct storage_flow *flow, const struct storage_pool *pool, sl_time now)
{
	const sl_time range = now - flow->since;
	if (range <= 0)
		return 0;
	const int64_t moved = moved_of(flow, pool, range);
	flow->since = now;
	if (flow->what == STORAGE_STREAM)
		return moved;
	const int64_t before = (flow->left + STORAGE_UNIT - 1) / STORAGE_UNIT;
	flow->left -= moved;
	return before - (flow->left + STORAGE_UNIT - 1) / STORAGE_UNIT;
}

sl_time storage_flow_end(const struct storage_flow *flow, const struct storage_pool *pool)
{
	if (flow->what == STORAGE_STREAM)
		return SL_NEVER;
	if (flow->left <= 0)
		return flow->since;
	__int128 work = (__int128)flow->left * SL_SECOND;
	__int128 rate = STORAGE_UNIT;
	if (flow->capped) {
		rate *= flow->most;
	} else {
		work *= pool->shares;
		rate *= (__int128)flow->clients * pool->share;
	}
	SL_CHECK(rate > 0);
	const __int128 range = (work + rate - 1) / rate;
	return range < SL_NEVER / 2 ? flow->since + (sl_time)range : SL_NEVER;
}

/* ---- The pool -------------------------------------------------------------------- */

static bool water_before(const struct storage_flows *flows, uint32_t a, uint32_t b)
{
	const struct storage_flow *x = &flows->flow[a], *y = &flows->flow[b];
	const __int128 left = (__int128)x->most * y->clients, right = (__int128)y->most * x->clients;
	if (left != right)
		return left < right;
	return x->job != y->job ? x->job < y->job : a < b;
}

/* Where it stands, or would. */
static uint32_t water_place_of(
	const struct storage_flows *flows, const struct storage_pool *pool, uint32_t row)
{
	uint32_t low = 0, high = pool->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (water_before(flows, pool->order[middle], row))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What all together would take. */
static void count_in(struct storage_pool *pool, const struct storage_flow *flow, int sign)
{
	pool->clients += sign * flow->clients;
	if (flow->most == STORAGE_UNBOUNDED)
		pool->unbounded += (uint32_t)sign;
	else
		pool->most += sign * (__int128)flow->most;
	pool->changed = true;
}

bool storage_pool_add(struct storage_flows *flows, struct storage_pool *pool, uint32_t row, sl_time now)
{
	struct storage_flow *flow = &flows->flow[row];
	SL_CHECK(flow->clients > 0 && flow->most > 0 && !flow->in);
	if (SL_GROW_IN(flows->arena, pool->order, pool->reserved, pool->count + 1, NULL))
		return false;
	const uint32_t at = water_place_of(flows, pool, row);
	memmove(&pool->order[at + 1], &pool->order[at], (pool->count - at) * sizeof(*pool->order));
	pool->order[at] = row;
	pool->count++;
	flow->in = true;
	flow->since = now;
	flow->capped = true; /* For no time: it is solved at this instant. */
	count_in(pool, flow, 1);
	return true;
}

void storage_pool_remove(struct storage_flows *flows, struct storage_pool *pool, uint32_t row, sl_time now)
{
	struct storage_flow *flow = &flows->flow[row];
	const uint32_t at = water_place_of(flows, pool, row);
	SL_CHECK(flow->in && at < pool->count && pool->order[at] == row);
	SL_CHECK(flow->since == now); /* Settled: what it moved is counted. */
	pool->count--;
	memmove(&pool->order[at], &pool->order[at + 1], (pool->count - at) * sizeof(*pool->order));
	flow->in = false;
	count_in(pool, flow, -1);
}

static bool wants_more(const struct storage_pool *pool)
{
	return pool->capacity != STORAGE_UNBOUNDED && (pool->unbounded || pool->most > pool->capacity);
}

static void water_settle(struct storage_flows *flows, const struct storage_pool *pool, uint32_t row,
	sl_time now, const struct storage_sink *sink)
{
	struct storage_flow *flow = &flows->flow[row];
	const sl_time from = flow->since;
	const int64_t bytes = storage_flow_settle(flow, pool, now);
	if (bytes)
		sink->moved(sink->self, row, from, bytes);
}

/* How many of the order go at their most; what is left for the others, and for how many clients. */
static uint32_t water_fill(
	const struct storage_flows *flows, const struct storage_pool *pool, int64_t *rest, int64_t *clients)
{
	uint32_t capped = 0;
	*rest = pool->capacity;
	*clients = pool->clients;
	if (!pool->full)
		return pool->count;
	for (; capped < pool->count; capped++) {
		const struct storage_flow *flow = &flows->flow[pool->order[capped]];
		if ((__int128)flow->most * *clients > (__int128)*rest * flow->clients)
			break;
		*rest -= flow->most;
		*clients -= flow->clients;
	}
	return capped;
}

void storage_pool_solve(
	struct storage_flows *flows, struct storage_pool *pool, sl_time now, const struct storage_sink *sink)
{
	if (!pool->changed)
		return;
	pool->changed = false;
	const bool was_full = pool->full;
	pool->full = wants_more(pool);
	if (!was_full && !pool->full) /* Nobody was limited, nobody is. */
		return;
	for (uint32_t i = 0; i < pool->count; i++) /* At the old share. */
		if (!flows->flow[pool->order[i]].capped)
			water_settle(flows, pool, pool->order[i], now, sink);
	int64_t rest, clients;
	const uint32_t capped = water_fill(flows, pool, &rest, &clients);
	for (uint32_t i = capped; i < pool->count; i++) /* At their most until now. */
		if (flows->flow[pool->order[i]].capped)
			water_settle(flows, pool, pool->order[i], now, sink);
	pool->share = rest;
	pool->shares = clients;
	for (uint32_t i = 0; i < pool->count; i++) {
		struct storage_flow *flow = &flows->flow[pool->order[i]];
		const bool at_most = i < capped;
		if (at_most && flow->capped)
			continue;
		flow->capped = at_most;
		sink->reported(sink->self, pool->order[i]);
	}
}
