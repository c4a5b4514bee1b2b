/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ahead.c - parts made by a thread of their own come in order, whole and once each, and each is looked
 * at behind; a failure comes where it happened; and it can be ended anywhere.
 */
#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/ahead.h"
#include "tests/world/cores.h"

enum { PART = 1000 };

/* Parts of 1 to 1000 bytes that count up; then the end, or a failure. */
struct counting {
	uint32_t made, behind;
	uint32_t parts; /* Until it ends. */
	bool fails;
	struct sl_rng rng;
	uint64_t sum, sum_behind; /* Of bytes. */
};

static ssize_t count_more(void *self, char *out, size_t capacity, struct sl_err *err)
{
	struct counting *c = self;
	cr_assert_eq(capacity, PART);
	cr_assert_eq(c->behind, c->made, "the part before was looked at first");
	if (c->made == c->parts)
		return c->fails ? sl_fail(err, SL_INPUT, "part %u is missing", c->made) : 0;
	const size_t len = 1 + sl_rng_below(&c->rng, PART);
	for (size_t i = 0; i < len; i++) {
		out[i] = (char)(c->made + i);
		c->sum += (unsigned char)out[i];
	}
	if (sl_rng_below(&c->rng, 8) == 0)
		(void)usleep(200);
	c->made++;
	return (ssize_t)len;
}

static void count_behind(void *self, const char *part, size_t len)
{
	struct counting *c = self;
	for (size_t i = 0; i < len; i++)
		c->sum_behind += (unsigned char)part[i];
	c->behind++;
}

static struct ahead *start(struct counting *c)
{
	const struct ahead_source source = { c, count_more, count_behind };
	c->rng = sl_rng_stream(c->parts, "tests/ahead");
	return ahead_start(&source, PART);
}

static bool one_core(void)
{
	cpu_set_t cores;
	return sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) < 2;
}

Test(ahead, parts)
{
	for (uint32_t round = 0; round < 40 && !one_core(); round++) {
		struct counting c = { .parts = round * 3, .fails = round % 2 };
		struct ahead *ahead = start(&c);
		cr_assert(ahead);
		char part[PART];
		struct sl_err err = { 0 };
		uint32_t taken = 0;
		uint64_t sum = 0;
		ssize_t got;
		while ((got = ahead_take(ahead, part, &err)) > 0) {
			for (ssize_t i = 0; i < got; i++) {
				cr_assert_eq(part[i], (char)(taken + (uint32_t)i), "byte %zd of part %u", i,
					taken);
				sum += (unsigned char)part[i];
			}
			if (taken++ % 7 == 0)
				(void)usleep(300);
		}
		cr_assert_eq(taken, c.parts);
		cr_assert_eq(got, c.fails ? SL_INPUT : 0);
		cr_assert_eq(ahead_take(ahead, part, &err), got, "the end stays the end");
		cr_assert(!c.fails || strstr(err.text, "is missing"), "%s", err.text);
		ahead_end(ahead);
		cr_assert(c.made == taken && c.behind == taken && c.sum == sum && c.sum_behind == sum);
	}
}

/* Full, empty, or in the middle: the thread is gone, and nothing runs too far ahead. */
Test(ahead, ended_early)
{
	for (uint32_t takes = 0; takes < 12 && !one_core(); takes++) {
		struct counting c = { .parts = 1000000 };
		struct ahead *ahead = start(&c);
		cr_assert(ahead);
		char part[PART];
		struct sl_err err = { 0 };
		for (uint32_t i = 0; i < takes; i++)
			cr_assert_gt(ahead_take(ahead, part, &err), 0);
		ahead_end(ahead);
		cr_assert(c.made >= takes && c.made <= takes + 4 && c.behind == c.made, "%u made, %u taken",
			c.made, takes);
	}
	ahead_end(NULL);
}

Test(ahead, one_core_has_none)
{
	cr_assert(cores_keep_one());
	struct counting c = { .parts = 10 };
	cr_expect_null(start(&c));
	cr_expect_eq(c.made, 0);
}
