/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_storage.c - shared bandwidth, node caches, load over time and amounts, worked by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "models/storage/storage.h"
#include "sim/base/base.h"

/* Decimal megabytes a second, so that shares of 13 clients are as in the cases: 1.25 GB/s is 1250. */
static const int64_t mb = 1000000;

struct pool_world {
	struct storage_flows flows;
	struct storage_pool pool;
	sl_time now;
	int64_t moved;
	uint32_t reported;
};

static void take_moved(void *self, uint32_t row, sl_time from, int64_t bytes)
{
	struct pool_world *w = self;
	(void)row;
	cr_expect_lt(from, w->now);
	w->moved += bytes;
}

static void take_reported(void *self, uint32_t row)
{
	struct pool_world *w = self;
	(void)row;
	w->reported++;
}

static void world_init(struct pool_world *w, int64_t capacity)
{
	*w = (struct pool_world){ .flows = { .arena = sl_arena_new(), .free = STORAGE_NO_FLOW },
		.pool = { .capacity = capacity } };
	cr_assert(w->flows.arena);
}

static uint32_t add(struct pool_world *w, uint32_t job, int64_t clients, int64_t each, int64_t bytes)
{
	const uint32_t row = storage_flow_new(&w->flows, STORAGE_STAGE);
	struct storage_flow *flow = &w->flows.flow[row];
	flow->job = job;
	flow->clients = clients;
	flow->most = each == STORAGE_UNBOUNDED ? each : each * clients;
	flow->bytes = bytes;
	flow->left = bytes * STORAGE_UNIT;
	cr_assert(storage_pool_add(&w->flows, &w->pool, row, w->now));
	return row;
}

static void solve(struct pool_world *w)
{
	const struct storage_sink sink = { w, take_moved, take_reported };
	storage_pool_solve(&w->flows, &w->pool, w->now, &sink);
}

static int64_t rate(const struct pool_world *w, uint32_t row)
{
	return storage_flow_rate(&w->flows.flow[row], &w->pool);
}

static sl_time end(const struct pool_world *w, uint32_t row)
{
	return storage_flow_end(&w->flows.flow[row], &w->pool);
}

static void finish(struct pool_world *w, uint32_t row)
{
	w->moved += storage_flow_settle(&w->flows.flow[row], &w->pool, w->now);
	w->flows.flow[row].since = w->now;
	cr_expect_eq(w->flows.flow[row].left, 0);
	storage_pool_remove(&w->flows, &w->pool, row, w->now);
	storage_flow_free(&w->flows, row);
}

/* An NFS server of 1.25 GB/s, clients of at most 0.25: jobs of 1, 4 and 8 clients get 1.25 / 13 a client. */
Test(storage, clients_share_alike)
{
	struct pool_world w;
	world_init(&w, 1250 * mb);
	const uint32_t a = add(&w, 1, 1, 250 * mb, 1), b = add(&w, 2, 4, 250 * mb, 1),
		       c = add(&w, 3, 8, 250 * mb, 1);
	solve(&w);
	cr_expect(w.pool.full);
	cr_expect_eq(w.pool.share, 1250 * mb);
	cr_expect_eq(w.pool.shares, 13);
	cr_expect_eq(rate(&w, a), 96153846);
	cr_expect_eq(rate(&w, b), 384615384);
	cr_expect_eq(rate(&w, c), 769230769);
	sl_arena_free(w.flows.arena);
}

/* The 8 clients of the third take 0.05 each: what they leave is 0.17 for each of the other five. */
Test(storage, the_capped_leave_more_for_the_others)
{
	struct pool_world w;
	world_init(&w, 1250 * mb);
	const uint32_t a = add(&w, 1, 1, 250 * mb, 1), b = add(&w, 2, 4, 250 * mb, 1),
		       c = add(&w, 3, 8, 50 * mb, 1);
	solve(&w);
	cr_expect_eq(rate(&w, a), 170 * mb);
	cr_expect_eq(rate(&w, b), 4 * 170 * mb);
	cr_expect_eq(rate(&w, c), 8 * 50 * mb);
	sl_arena_free(w.flows.arena);
}

/* 10, 40 and 16 GB of 1, 4 and 8 clients, from 0 on: the last is read at 20.8 s, the others, then at 0.25 a
 * client, both at 52.8 s. */
Test(storage, three_read_at_once)
{
	struct pool_world w;
	world_init(&w, 1250 * mb);
	const uint32_t a = add(&w, 1, 1, 250 * mb, 10000 * mb), b = add(&w, 2, 4, 250 * mb, 40000 * mb);
	const uint32_t c = add(&w, 3, 8, 250 * mb, 16000 * mb);
	solve(&w);
	cr_expect_eq(end(&w, c), 20800000);
	w.now = 20800000;
	finish(&w, c);
	solve(&w);
	cr_expect_not(w.pool.changed);
	cr_expect_eq(end(&w, a), 52800000);
	cr_expect_eq(end(&w, b), 52800000);
	cr_expect_not(end(&w, a) <= w.now);
	w.now = 52800000;
	finish(&w, a);
	finish(&w, b);
	cr_expect_eq(w.moved, 66000 * mb);
	sl_arena_free(w.flows.arena);
}

/* Nobody is limited: those that are there are not looked at as another comes. */
Test(storage, a_pool_that_is_not_full_tells_nobody)
{
	struct pool_world w;
	world_init(&w, 1000 * mb);
	const uint32_t a = add(&w, 1, 2, 100 * mb, 1000 * mb);
	solve(&w);
	cr_expect_eq(rate(&w, a), 200 * mb);
	w.now = SL_SECOND;
	(void)add(&w, 2, 8, 100 * mb, 1000 * mb);
	solve(&w);
	cr_expect_eq(w.reported, 0);
	cr_expect_eq(w.flows.flow[a].since, 0);
	w.now = 2 * SL_SECOND; /* One client more than the bandwidth serves at full speed: all three are
				  slower now. */
	(void)add(&w, 3, 1, 100 * mb, 1000 * mb);
	solve(&w);
	cr_expect_eq(w.reported, 3);
	cr_expect_eq(w.moved, 400 * mb + 800 * mb);
	sl_arena_free(w.flows.arena);
}

/* 1 byte at 3 bytes a second ends within the 333 334th microsecond. */
Test(storage, ends_are_rounded_up)
{
	struct pool_world w;
	world_init(&w, 3);
	const uint32_t a = add(&w, 1, 1, STORAGE_UNBOUNDED, 1);
	solve(&w);
	cr_expect_eq(end(&w, a), 333334);
	sl_arena_free(w.flows.arena);
}

/* ---- Caches ------------------------------------------------------------------------ */

Test(storage, the_longest_unused_goes)
{
	struct storage_disk disk = { .capacity = 100 };
	uint64_t stay[1] = { 0 };
	struct storage_keep keep = { .arena = sl_arena_new(), .disk = &disk, .stay = stay };
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 60), 60);
	cr_expect(storage_keep_put(&keep, 0, 7, 60));
	cr_expect(storage_keep_put(&keep, 0, 8, 40));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 60), 0); /* Now 8 is the longest unused. */
	cr_expect(storage_keep_put(&keep, 0, 9, 10));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 8, 40), 40);
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 60), 0);
	cr_expect_eq(disk.held, 70);
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 65), 5, "of one that has grown, what is missing");
	cr_expect(storage_keep_put(&keep, 0, 7, 65));
	cr_expect_eq(disk.held, 75);
	cr_expect(storage_keep_put(&keep, 0, 5, 101)); /* Larger than the disk: not kept, and nothing goes. */
	cr_expect_eq(disk.held, 75);
	cr_expect_eq(storage_keep_lacks(&keep, 0, 5, 101), 101);
	sl_arena_free(keep.arena);
}

/* A disk of 100: what job 0 uses stays, as long as it does, though it is the longest unused. */
Test(storage, what_is_in_use_stays)
{
	struct storage_disk disk = { .capacity = 100 };
	uint64_t stay[3] = { 5, 6, 0 };
	struct storage_keep keep = { .arena = sl_arena_new(), .disk = &disk, .stay = stay };
	cr_expect(storage_keep_put(&keep, 0, 7, 60));
	cr_expect(storage_keep_use(&keep, 0, 7, 0));
	cr_expect(storage_keep_use(&keep, 0, 7, 1));
	cr_expect(storage_keep_use(&keep, 0, 7, 1));
	cr_expect(storage_keep_put(&keep, 0, 8, 40));
	cr_expect(storage_keep_put(&keep, 0, 9, 41));
	cr_expect_eq(
		storage_keep_lacks(&keep, 0, 9, 41), 41, "not kept: there is no room beside what is in use");
	cr_expect_eq(storage_keep_lacks(&keep, 0, 8, 40), 0, "and nothing goes in vain");
	cr_expect(storage_keep_put(&keep, 0, 9, 40));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 8, 40), 40);
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 60), 0);
	cr_expect(storage_keep_use(&keep, 0, 9, 0));
	cr_expect(storage_keep_put(&keep, 0, 7, 61));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 7, 61), 1, "there is no room for it to grow, and it stays");
	stay[0] = 0;
	cr_expect(storage_keep_put(&keep, 0, 10, 50));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 10, 50), 50, "job 1 is still there");
	stay[1] = 9; /* Another stay. */
	cr_expect(storage_keep_put(&keep, 0, 10, 50));
	cr_expect_eq(storage_keep_lacks(&keep, 0, 10, 50), 0);
	cr_expect_eq(disk.held, 50);
	sl_arena_free(keep.arena);
}

/* ---- Load ---------------------------------------------------------------------------- */

Test(storage, ranges_are_joined_and_no_byte_is_lost)
{
	struct storage_load load;
	storage_load_init(&load, 0);
	storage_load_add(&load, SL_SECOND / 2, 2 * SL_SECOND, 300);
	cr_expect_eq(load.bytes[0], 100);
	cr_expect_eq(load.bytes[1], 200);
	cr_expect_eq(load.used, 2);
	storage_load_add(&load, 0, STORAGE_RANGES * SL_SECOND, 7);
	cr_expect_eq(load.width, SL_SECOND);
	storage_load_add(&load, STORAGE_RANGES * SL_SECOND, (STORAGE_RANGES + 1) * SL_SECOND, 11);
	cr_expect_eq(load.width, 2 * SL_SECOND);
	cr_expect_eq(load.bytes[STORAGE_RANGES / 2], 11);
	int64_t sum = 0;
	for (uint32_t i = 0; i < load.used; i++)
		sum += load.bytes[i];
	cr_expect_eq(sum, 318);
	cr_expect_geq(load.bytes[0], 300);
}

/* ---- Amounts ---------------------------------------------------------------------------- */

static const struct {
	const char *text;
	bool rate;
	int64_t bytes; /* -1: refused. */
} amounts[] = {
	{ "500", true, 500 },
	{ "1.25GB/s", true, 1250000000 },
	{ "200Gb/s", true, 25000000000 },
	{ "100Gbps", true, 12500000000 },
	{ "1.5 GiB/s", true, 1610612736 },
	{ "16KiB", false, 16384 },
	{ "16kB", false, 16000 },
	{ "unlimited", true, STORAGE_UNBOUNDED },
	{ "1000TB/s", true, STORAGE_RATE_MAX },
	{ "1001TB/s", true, -1 },
	{ "9PB", false, STORAGE_BYTES_MAX },
	{ "10PB", false, -1 },
	{ "16KiB/s", false, -1 },
	{ "-5", true, -1 },
	{ "fast", true, -1 },
	{ "", true, -1 },
	{ "5GG", true, -1 },
	{ "GB/s", true, -1 },
};

Test(storage, amounts_are_bytes)
{
	for (size_t i = 0; i < SL_LEN(amounts); i++) {
		int64_t bytes = -1;
		const bool good =
			storage_amount(amounts[i].text, strlen(amounts[i].text), amounts[i].rate, &bytes);
		cr_expect_eq(good, amounts[i].bytes >= 0, "'%s'", amounts[i].text);
		if (good)
			cr_expect_eq(
				bytes, amounts[i].bytes, "'%s' is %lld", amounts[i].text, (long long)bytes);
	}
}
