/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fabric_share.c - links shared by jobs, and the speed that follows, each case worked by hand.
 *
 * Nets are links by their capacity, jobs their (link, flows); rates in the unit of the capacities.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/fabric/share.h"

enum { LINKS = 8, JOBS = 8 };

struct heard {
	uint32_t job[64];
	double rate[JOBS];
	uint32_t count;
	int full[LINKS]; /* How often it was called, +1 as it began, -1 as it ended. */
};

static void hear(void *self, uint32_t job, const struct fabric_got *got)
{
	struct heard *heard = self;
	heard->job[heard->count++] = job;
	heard->rate[job] = got->rate;
}

static void hear_full(void *self, uint32_t link, bool full)
{
	struct heard *heard = self;
	heard->full[link] += full ? 1 : -1;
}

static void solve(struct fabric_share *share, struct heard *heard)
{
	heard->count = 0;
	fabric_share_solve(
		share, &(struct fabric_listener){ .rate = hear, .full = hear_full, .self = heard });
}

static struct fabric_share *net(enum fabric_contention contention, uint32_t links, const int64_t *capacity)
{
	struct fabric_link link[LINKS] = { 0 };
	for (uint32_t i = 0; i < links; i++)
		link[i].capacity = capacity[i];
	return fabric_share_new(link, links, contention);
}

/* A job with one flow, or flows[i], on each link; nothing else limits it than `most`. */
static void add(struct fabric_share *share, uint32_t job, int64_t most, uint32_t uses,
	const struct fabric_use *use, const struct fabric_speed *speed)
{
	static const struct fabric_speed idle = { .comp = 0, .volume = 1 };
	const struct fabric_path path = { .use = use, .uses = uses, .flow_rate = most };
	cr_assert(fabric_share_add(share, job, &path, speed ? speed : &idle));
}

#define USES(...) \
	SL_LEN(((const struct fabric_use[]){ __VA_ARGS__ })), (const struct fabric_use[]) { __VA_ARGS__ }
#define CAPACITIES(...) \
	SL_LEN(((const int64_t[]){ __VA_ARGS__ })), (const int64_t[]) { __VA_ARGS__ }

/* A parking lot: A over both links, B on the first, C on the second. */
Test(fabric_share, the_long_flow_gets_what_its_narrowest_link_gives)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(10, 20));
	struct heard heard = { 0 };
	add(share, 0, INT64_MAX, USES({ 0, 1 }, { 1, 1 }), NULL);
	add(share, 1, INT64_MAX, USES({ 0, 1 }), NULL);
	add(share, 2, INT64_MAX, USES({ 1, 1 }), NULL);
	solve(share, &heard);
	cr_expect_eq(heard.rate[0], 5);
	cr_expect_eq(heard.rate[1], 5);
	cr_expect_eq(heard.rate[2], 15);
	cr_expect(heard.full[0] == 1 && heard.full[1] == 1);
	fabric_share_free(share);
}

/* Two flows of A and one of B on 25: 25/3 each. A cap of 5 on B leaves 20 for two flows. */
Test(fabric_share, flows_count_and_caps_leave_the_rest_to_others)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(25000));
	struct heard heard = { 0 };
	add(share, 0, 12500, USES({ 0, 2 }), NULL);
	add(share, 1, 12500, USES({ 0, 1 }), NULL);
	solve(share, &heard);
	cr_expect_eq(heard.rate[0], 25000. / 3);
	cr_expect_eq(heard.rate[1], 25000. / 3);
	fabric_share_remove(share, 1);
	add(share, 1, 5000, USES({ 0, 1 }), NULL);
	solve(share, &heard);
	cr_expect_eq(heard.rate[0], 10000);
	cr_expect_eq(heard.rate[1], 5000);
	fabric_share_free(share);
}

/* All-to-all of 8 nodes over two leaves: 7 flows on each NIC of 12.5, 16 on the pool of 25. */
Test(fabric_share, a_job_alone_is_as_fast_as_its_tightest_link)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(12500, 25000));
	struct heard heard = { 0 };
	const struct fabric_use use[] = { { 0, 7 }, { 1, 16 } };
	const struct fabric_path path = { .use = use, .uses = 2, .flow_rate = 12500 };
	cr_expect_eq(fabric_share_alone(share, &path), 1562.5);
	add(share, 0, 12500, 2, use, NULL);
	solve(share, &heard);
	cr_expect_eq(heard.rate[0], 1562.5);
	fabric_share_free(share);
}

/* B leaves link 0: its neighbour there hears of it, the job on link 1 does not. */
Test(fabric_share, what_has_no_part_in_it_is_not_reported)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(10, 10));
	struct heard heard = { 0 };
	add(share, 0, INT64_MAX, USES({ 0, 1 }), NULL);
	add(share, 1, INT64_MAX, USES({ 0, 1 }), NULL);
	add(share, 2, INT64_MAX, USES({ 1, 1 }), NULL);
	add(share, 3, INT64_MAX, USES({ 1, 1 }), NULL);
	solve(share, &heard);
	cr_expect_eq(heard.count, 4);
	fabric_share_remove(share, 1);
	solve(share, &heard);
	cr_expect_eq(heard.count, 1);
	cr_expect_eq(heard.job[0], 0);
	cr_expect_eq(heard.rate[0], 10);
	cr_expect_eq(
		fabric_share_effort(share).jobs, 4 + 0, "once four jobs; then none is on an active link");
	solve(share, &heard);
	cr_expect_eq(heard.count, 0);
	fabric_share_free(share);
}

/* Link 0 is met by both jobs, and wide enough for both. */
Test(fabric_share, links_that_cannot_fill_are_left_out)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(20));
	struct heard heard = { 0 };
	add(share, 0, 10, USES({ 0, 1 }), NULL);
	add(share, 1, 10, USES({ 0, 1 }), NULL);
	solve(share, &heard);
	cr_expect(heard.rate[0] == 10 && heard.rate[1] == 10);
	cr_expect_eq(fabric_share_effort(share).solves, 0);
	add(share, 2, 10, USES({ 0, 2 }), NULL);
	solve(share, &heard);
	cr_expect(heard.rate[0] == 5 && heard.rate[1] == 5 && heard.rate[2] == 5);
	cr_expect_eq(fabric_share_effort(share).solves, 1);
	cr_expect_eq(heard.full[0], 1);
	fabric_share_remove(share, 2);
	solve(share, &heard);
	cr_expect(heard.rate[0] == 10 && heard.rate[1] == 10);
	cr_expect_eq(heard.full[0], 0, "it is full no more");
	fabric_share_free(share);
}

Test(fabric_share, a_question_changes_nothing)
{
	struct fabric_share *share = net(FABRIC_BACKLOGGED, CAPACITIES(12, 12));
	struct heard heard = { 0 };
	add(share, 0, INT64_MAX, USES({ 0, 1 }), NULL);
	add(share, 1, INT64_MAX, USES({ 0, 1 }, { 1, 1 }), NULL);
	solve(share, &heard);
	const struct fabric_use use[] = { { 0, 1 } }, other[] = { { 1, 3 } };
	const struct fabric_speed speed = { .volume = 1 };
	struct fabric_got got;
	const struct fabric_path path = { .use = use, .uses = 1, .flow_rate = INT64_MAX };
	cr_assert(fabric_share_predict(share, 5, &path, &speed, &got));
	cr_expect_eq(got.rate, 4, "a third beside two");
	const struct fabric_path moved = { .use = other, .uses = 1, .flow_rate = INT64_MAX };
	cr_assert(fabric_share_predict(share, 0, &moved, &speed, &got));
	cr_expect_eq(got.rate, 3, "job 0 has left link 0, and is three of the four flows of link 1");
	cr_expect_eq(fabric_share_got(share, 0).rate, 6);
	cr_expect_eq(fabric_share_slot(share, 5), UINT32_MAX);
	solve(share, &heard);
	cr_expect_eq(heard.count, 0);
	fabric_share_free(share);
}

/* Compute 1 s, communication 0.5 s alone, two alike on one link: 2; 1 + sqrt(1/2); 1.5 seconds. */
Test(fabric_share, three_ways_to_meet)
{
	static const struct fabric_speed speed = { .comp = 1, .volume = 500 };
	static const double time[] = { 2, 1.7071067811865476, 1.5 };
	for (int mode = FABRIC_BACKLOGGED; mode <= FABRIC_INTERLEAVED; mode++) {
		struct fabric_share *share = net((enum fabric_contention)mode, CAPACITIES(1000));
		struct heard heard = { 0 };
		add(share, 0, INT64_MAX, USES({ 0, 1 }), &speed);
		add(share, 1, INT64_MAX, USES({ 0, 1 }), &speed);
		solve(share, &heard);
		for (uint32_t job = 0; job < 2; job++) {
			const struct fabric_got got = fabric_share_got(share, job);
			cr_expect_float_eq(fabric_speed_time(&speed, got.rate) * got.slowdown, time[mode],
				1e-6, "mode %d: %.9f", mode,
				fabric_speed_time(&speed, got.rate) * got.slowdown);
		}
		fabric_share_remove(share, 1);
		solve(share, &heard);
		cr_expect_eq(heard.rate[0], 1000, "mode %d: alone", mode);
		fabric_share_free(share);
	}
}

/* Three jobs that compute 1 s and send for 0.5 s alone: 1.5 s of sending in 1.5 s fits; four need 2 s. */
Test(fabric_share, turns_stretch_only_what_does_not_fit)
{
	static const struct fabric_speed speed = { .comp = 1, .volume = 750 };
	struct fabric_share *share = net(FABRIC_INTERLEAVED, CAPACITIES(1500));
	struct heard heard = { 0 };
	for (uint32_t job = 0; job < 3; job++)
		add(share, job, INT64_MAX, USES({ 0, 1 }), &speed);
	solve(share, &heard);
	cr_expect_eq(fabric_share_got(share, 0).slowdown, 1);
	cr_expect_eq(heard.full[0], 0);
	add(share, 3, INT64_MAX, USES({ 0, 1 }), &speed);
	solve(share, &heard);
	cr_expect_eq(fabric_share_got(share, 0).slowdown, 4. / 3);
	cr_expect_eq(heard.full[0], 1);
	fabric_share_free(share);
}

/* Compute .1 s, communication .16 s: half of the compute hides .05 s; gamma 3; all apart. */
Test(fabric_speed, what_hides_and_what_does_not)
{
	const struct fabric_speed half = { .comp = .1, .volume = 1.6, .overlap = .5 };
	cr_expect_float_eq(fabric_speed_time(&half, 10), .21, 1e-15);
	const struct fabric_speed apart = { .comp = .1, .volume = 1, .fixed = .06 };
	cr_expect_float_eq(fabric_speed_time(&apart, 10), .26, 1e-15);
	const struct fabric_speed hidden = { .comp = .2, .volume = 1.6, .overlap = 1 };
	cr_expect_eq(fabric_speed_time(&hidden, 10), .2);
	const struct fabric_speed pollux = { .comp = .1, .volume = 1.6, .gamma = 3 };
	cr_expect_float_eq(fabric_speed_time(&pollux, 10), .172085, 5e-7);
	const struct fabric_speed sum = { .comp = .1, .volume = 1.6, .gamma = 1 };
	cr_expect_float_eq(fabric_speed_time(&sum, 10), .26, 1e-12);
}

Test(fabric_speed, rates_are_counted_in_parts_of_one)
{
	cr_expect_eq(fabric_speed_rate(.26, .26, SL_SPEED_ONE), SL_SPEED_ONE);
	cr_expect_eq(fabric_speed_rate(1, 2, SL_SPEED_ONE), SL_SPEED_ONE / 2);
	cr_expect_eq(fabric_speed_rate(2, 1, SL_SPEED_ONE), SL_SPEED_ONE, "no faster than alone");
	cr_expect_eq(fabric_speed_rate(2, 1, 4 * SL_SPEED_ONE), 2 * SL_SPEED_ONE);
	cr_expect_eq(fabric_speed_rate(1e-30, 1, SL_SPEED_ONE), 1, "it never stands still");
	cr_expect_eq(fabric_speed_rate(1, 3, SL_SPEED_ONE), SL_SPEED_ONE / 3 + 1, "rounded up");
	cr_expect_eq(fabric_speed_rate(0, 0, SL_SPEED_ONE), SL_SPEED_ONE);
}

/* A ring of four over 12.5 GB/s with 5 us a step: 6 * 5 us + 1.5 GB / 12.5 GB/s. */
Test(fabric_speed, a_ring_alone)
{
	const struct fabric_speed ring = { .volume = 2. * 3 / 4 * 1e9, .fixed = 6 * 5e-6 };
	cr_expect_float_eq(fabric_speed_time(&ring, 12.5e9), .12003, 1e-12);
}
