/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_queue.c - the index against a plain list, in submit order and by keys that change. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim/state/queue.h"

enum { JOBS = 4000 };

struct list {
	struct queue queue;
	int32_t size[JOBS];
	sl_time length[JOBS];
	double key[JOBS];
	bool in[JOBS];
	bool keyed;
	uint32_t count;
	struct sl_rng rng;
};

static bool before(const struct list *l, uint32_t a, uint32_t b)
{
	if (l->keyed && l->key[a] != l->key[b])
		return l->key[a] < l->key[b];
	return a < b;
}

/* The first in order behind `after` that passes. */
static uint32_t obvious(const struct list *l, uint32_t after, const struct queue_fit *fit)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < JOBS; i++) {
		if (!l->in[i] || l->size[i] > fit->free ||
			(l->length[i] > fit->capacity && l->size[i] > fit->spare))
			continue;
		if ((after == UINT32_MAX || before(l, after, i)) &&
			(best == UINT32_MAX || before(l, i, best)))
			best = i;
	}
	return best;
}

static struct list *make(uint64_t seed, bool keyed)
{
	struct list *l = calloc(1, sizeof(*l));
	cr_assert_not_null(l);
	l->rng = sl_rng_stream(seed, "tests/queue");
	l->keyed = keyed;
	for (uint32_t i = 0; i < JOBS; i++) {
		l->size[i] = sl_rng_below(&l->rng, 2) ? 1 << sl_rng_below(&l->rng, 10)
						      : 1 + (int32_t)sl_rng_below(&l->rng, 1000);
		/* Fractions of a second, which summaries round down. */
		l->length[i] = 1 + (sl_time)sl_rng_below(&l->rng, 100 * SL_SECOND);
		l->key[i] = (double)sl_rng_below(&l->rng, 50);
	}
	queue_init(&l->queue, l->size, l->length, keyed ? l->key : NULL);
	return l;
}

static void drop(struct list *l)
{
	queue_release(&l->queue);
	free(l);
}

static void add(struct list *l, uint32_t job)
{
	struct sl_err err = { 0 };
	cr_assert_eq(queue_add(&l->queue, job, &err), SL_OK);
	l->in[job] = true;
	l->count++;
}

static void take(struct list *l, uint32_t job)
{
	queue_remove(&l->queue, job);
	l->in[job] = false;
	l->count--;
}

static struct queue_fit any_fit(struct list *l)
{
	const int64_t free = (int64_t)sl_rng_below(&l->rng, 1100);
	return (struct queue_fit){ free, (sl_time)sl_rng_below(&l->rng, 60 * SL_SECOND),
		(int64_t)sl_rng_below(&l->rng, (uint64_t)free / 4 + 1) };
}

/* As EASY asks: behind a place, again and again with what is left, taking some of what is found. */
static void needs(struct list *l)
{
	struct queue_fit fit = any_fit(l);
	uint32_t after = sl_rng_below(&l->rng, 3) ? queue_first(&l->queue) : UINT32_MAX;
	for (int i = 0; i < 6; i++) {
		const uint32_t want = obvious(l, after, &fit);
		const uint32_t got = queue_next_fit(&l->queue, after, &fit);
		cr_assert_eq(got, want, "behind %u: %u, not %u", after, got, want);
		if (got == UINT32_MAX)
			return;
		if (sl_rng_below(&l->rng, 4)) {
			take(l, got);
			fit.free -= l->size[got];
			fit.spare -= fit.spare < l->size[got] ? 0 : l->size[got];
		}
		after = got;
	}
}

static void check_whole(struct list *l)
{
	const struct queue_fit all = { INT64_MAX, INT64_MAX, INT64_MAX };
	int32_t least = INT32_MAX;
	for (uint32_t i = 0; i < JOBS; i++)
		if (l->in[i] && l->size[i] < least)
			least = l->size[i];
	cr_assert_eq(l->queue.count, l->count);
	cr_assert(!queue_holds(&l->queue, (int64_t)least - 1));
	cr_assert_eq(queue_holds(&l->queue, least), l->count > 0);
	cr_assert_eq(queue_first(&l->queue), obvious(l, UINT32_MAX, &all));
}

static void churn(uint64_t seed, bool keyed)
{
	struct list *l = make(seed, keyed);
	uint32_t next = 0;
	for (int round = 0; round < 3000; round++) {
		if (next < JOBS && sl_rng_below(&l->rng, 3))
			add(l, next++);
		const uint32_t job = (uint32_t)sl_rng_below(&l->rng, JOBS);
		if (sl_rng_below(&l->rng, 8) == 0 && l->in[job])
			take(l, job);
		else if (sl_rng_below(&l->rng, 30) == 0 && !l->in[job] && job < next)
			add(l, job); /* As an undone start does. */
		if (sl_rng_below(&l->rng, 2))
			needs(l);
		if (round % 100 == 0)
			check_whole(l);
	}
	drop(l);
}

Test(queue, finds_what_a_plain_list_finds_in_submit_order, .timeout = 120)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		churn(seed, false);
}

Test(queue, finds_what_a_plain_list_finds_by_key, .timeout = 120)
{
	for (uint64_t seed = 11; seed <= 14; seed++)
		churn(seed, true);
}

static const double *keys;

static int by_key(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	if (keys[x] != keys[y])
		return keys[x] < keys[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* Keys change while jobs wait, and some leave between two changes: no trace of a gone job may mislead. */
Test(queue, follows_keys_that_change, .timeout = 60)
{
	struct list *l = make(21, true);
	uint32_t row[JOBS];
	for (uint32_t i = 0; i < 1000; i++)
		add(l, i);
	for (int round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			l->key[i] = (double)sl_rng_below(&l->rng, 500);
		queue_list(&l->queue, row);
		keys = l->key;
		qsort(row, l->queue.count, sizeof(row[0]), by_key);
		struct sl_err err = { 0 };
		cr_assert_eq(queue_rebuild(&l->queue, row, &err), SL_OK);
		for (int i = 0; i < 10; i++)
			needs(l);
		check_whole(l);
	}
	drop(l);
}

Test(queue, a_class_holds_its_own_sizes_only)
{
	for (int32_t size = 1; size < 100000; size++) {
		const unsigned c = queue_class(size);
		cr_assert(queue_class_least(c) <= size && size < queue_class_least(c + 1), "size %d",
			(int)size);
	}
	cr_expect_eq(queue_class(INT32_MAX - 1), QUEUE_CLASSES - 1);
}
