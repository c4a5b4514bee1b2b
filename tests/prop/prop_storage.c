/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_storage.c - pools of flows against a slow, obvious reference, on generated worlds.
 *
 * The reference fills by bisection over the share, in long doubles, and moves all flows at each event.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/storage/storage.h"
#include "sim/base/base.h"

enum { FLOWS = 24, WORLDS = 300 };

struct slow_flow {
	sl_time begins;
	int64_t clients, most, bytes;
	long double left, rate;
	bool there, over;
	sl_time ended;
};

static long double wanted(const struct slow_flow *flow, long double share)
{
	const long double at_share = share * (long double)flow->clients;
	return flow->most != STORAGE_UNBOUNDED && (long double)flow->most < at_share ? (long double)flow->most
										     : at_share;
}

/* The largest share that the capacity is enough for. */
static void slow_fill(struct slow_flow *flow, long double capacity)
{
	long double low = 0, high = 2 * capacity;
	for (int i = 0; i < 200; i++) {
		const long double middle = (low + high) / 2;
		long double sum = 0;
		for (int k = 0; k < FLOWS; k++)
			sum += flow[k].there ? wanted(&flow[k], middle) : 0;
		if (sum <= capacity)
			low = middle;
		else
			high = middle;
	}
	for (int k = 0; k < FLOWS; k++)
		flow[k].rate = flow[k].there ? wanted(&flow[k], low) : 0;
}

struct fast {
	struct storage_flows flows;
	struct storage_pool pool;
	sl_time now;
	int64_t moved;
	uint32_t row[FLOWS];
};

static void take_moved(void *self, uint32_t row, sl_time from, int64_t bytes)
{
	struct fast *fast = self;
	(void)row;
	(void)from;
	cr_expect_geq(bytes, 0);
	fast->moved += bytes;
}

static void take_reported(void *self, uint32_t row)
{
	(void)self;
	(void)row;
}

/* Sum of rates at most the capacity; who is not at its most has the share, which nobody exceeds; if somebody
 * has less than its most, all of the capacity is given out. */
static void certify(const struct fast *fast)
{
	const struct storage_pool *pool = &fast->pool;
	__int128 capped = 0;
	int64_t clients = 0;
	for (uint32_t i = 0; i < pool->count; i++) {
		const struct storage_flow *flow = &fast->flows.flow[pool->order[i]];
		if (flow->capped) {
			capped += flow->most;
			if (pool->full && clients == 0 && pool->shares)
				cr_expect((__int128)flow->most * pool->shares <=
					  (__int128)pool->share * flow->clients);
		} else {
			clients += flow->clients;
			cr_expect(
				(__int128)flow->most * pool->shares > (__int128)pool->share * flow->clients);
		}
	}
	if (clients) {
		cr_expect_eq(clients, pool->shares);
		cr_expect(capped + pool->share == pool->capacity);
	} else {
		cr_expect(capped <= pool->capacity);
	}
}

static void draw(struct slow_flow *flow, struct sl_rng *rng, int64_t capacity)
{
	for (int k = 0; k < FLOWS; k++) {
		const uint64_t bound = sl_rng_below(rng, 4);
		flow[k] = (struct slow_flow){ .begins = (sl_time)sl_rng_below(rng, 30 * SL_SECOND),
			.clients = 1 + (int64_t)sl_rng_below(rng, 16),
			.bytes = 1 + (int64_t)sl_rng_below(rng, (uint64_t)capacity * 8) };
		flow[k].most =
			bound == 0 ? STORAGE_UNBOUNDED
				   : flow[k].clients * (1 + (int64_t)sl_rng_below(rng, (uint64_t)capacity));
		flow[k].left = (long double)flow[k].bytes;
		if (sl_rng_below(rng, 3) == 0)
			flow[k].begins = 0;
	}
}

static void begin_one(struct fast *fast, struct slow_flow *flow, int k)
{
	const uint32_t row = storage_flow_new(&fast->flows, STORAGE_STAGE);
	fast->flows.flow[row] = (struct storage_flow){ .what = STORAGE_STAGE,
		.job = (uint32_t)k,
		.clients = flow->clients,
		.most = flow->most,
		.bytes = flow->bytes,
		.left = flow->bytes * STORAGE_UNIT };
	cr_assert(storage_pool_add(&fast->flows, &fast->pool, row, fast->now));
	fast->row[k] = row;
	flow->there = true;
}

static void end_one(struct fast *fast, struct slow_flow *flow, int k)
{
	struct storage_flow *of = &fast->flows.flow[fast->row[k]];
	fast->moved += storage_flow_settle(of, &fast->pool, fast->now);
	of->since = fast->now;
	cr_expect_eq(of->left, 0);
	/* The reference's rest is what a few microseconds move. */
	cr_expect(fabsl(flow->left) <= 4 * flow->rate / SL_SECOND + 1, "%Lg left", flow->left);
	storage_pool_remove(&fast->flows, &fast->pool, fast->row[k], fast->now);
	storage_flow_free(&fast->flows, fast->row[k]);
	flow->there = false;
	flow->over = true;
}

/* The next thing that happens: an arrival, or an end as the pool has it. */
static sl_time next_of(const struct fast *fast, const struct slow_flow *flow)
{
	sl_time next = SL_NEVER;
	for (int k = 0; k < FLOWS; k++) {
		sl_time at = SL_NEVER;
		if (flow[k].there)
			at = storage_flow_end(&fast->flows.flow[fast->row[k]], &fast->pool);
		else if (!flow[k].over)
			at = flow[k].begins;
		next = at < next ? at : next;
	}
	return next;
}

static void step(struct fast *fast, struct slow_flow *flow, sl_time to)
{
	for (int k = 0; k < FLOWS; k++)
		flow[k].left -= flow[k].rate * (long double)(to - fast->now) / SL_SECOND;
	fast->now = to;
	for (int k = 0; k < FLOWS; k++)
		if (flow[k].there && storage_flow_end(&fast->flows.flow[fast->row[k]], &fast->pool) <= to)
			end_one(fast, &flow[k], k);
	for (int k = 0; k < FLOWS; k++)
		if (!flow[k].there && !flow[k].over && flow[k].begins <= to)
			begin_one(fast, &flow[k], k);
	const struct storage_sink sink = { fast, take_moved, take_reported };
	storage_pool_solve(&fast->flows, &fast->pool, to, &sink);
	slow_fill(flow, (long double)fast->pool.capacity);
	certify(fast);
	for (int k = 0; k < FLOWS; k++) {
		if (!flow[k].there)
			continue;
		const int64_t rate = storage_flow_rate(&fast->flows.flow[fast->row[k]], &fast->pool);
		cr_expect(fabsl((long double)rate - flow[k].rate) <= 1 + flow[k].rate * 1e-12L);
	}
}

Test(storage, pools_are_as_a_slow_reference)
{
	struct sl_rng rng = sl_rng_stream(1, "tests/prop_storage");
	for (int world = 0; world < WORLDS; world++) {
		const int64_t capacity = 1 + (int64_t)sl_rng_below(&rng, world % 2 ? 100 : 2000000000);
		struct fast fast = { .flows = { .arena = sl_arena_new(), .free = STORAGE_NO_FLOW },
			.pool = { .capacity = capacity } };
		struct slow_flow flow[FLOWS];
		draw(flow, &rng, capacity);
		int64_t bytes = 0;
		for (int k = 0; k < FLOWS; k++)
			bytes += flow[k].bytes;
		for (sl_time next; (next = next_of(&fast, flow)) != SL_NEVER;)
			step(&fast, flow, next);
		cr_expect_eq(fast.moved, bytes, "world %d: every byte is moved once", world);
		cr_expect_eq(fast.pool.count, 0);
		cr_expect_eq(fast.pool.clients, 0);
		sl_arena_free(fast.flows.arena);
	}
}
