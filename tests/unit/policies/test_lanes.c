/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lanes.c - queues=partition by hand, and the lanes of plugin.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/world.h"

static void expect_starts(struct world *w, const char *policy, const int64_t *start)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		cr_expect_eq(world_start(w, i), start[i], "%s: job %u at %lld, not %lld", policy, i + 1,
			(long long)world_start(w, i), (long long)start[i]);
	world_release(w);
}
#define EXPECT_STARTS(world, policy, ...) expect_starts(world, policy, (const int64_t[]){ __VA_ARGS__ })

/*
 * Jobs 1, 2 and 4 are of partition 1, job 3 of partition 2. Job 2 wants all 4 cpus, and waits for job 1. In
 * one queue all wait behind it; with a queue for each partition only job 4 does.
 */
static const struct world blocked = { .cpus = 4,
	.count = 4,
	.job = { JOB(0, 100, 100, 3, .partition = 1), JOB(1, 50, 50, 4, .partition = 1),
		JOB(2, 10, 10, 1, .partition = 2), JOB(3, 10, 10, 1, .partition = 1) } };

Test(lanes, a_head_keeps_nobody_of_another_partition_waiting)
{
	struct world w = blocked;
	EXPECT_STARTS(&w, "fcfs", 0, 100, 150, 150);
	EXPECT_STARTS(&w, "fcfs:queues=one", 0, 100, 150, 150);
	EXPECT_STARTS(&w, "fcfs:queues=partition", 0, 100, 2, 150);
	EXPECT_STARTS(&w, "easy:fill=none,queues=partition", 0, 100, 2, 150);
}

/* Lanes come in the order of their first jobs: at 100 job 2 goes before job 3 of the other partition, though
 * its partition was the first to be seen there. */
Test(lanes, lanes_go_by_their_first_jobs)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 4, .partition = 2), JOB(1, 50, 50, 4, .partition = 1),
			JOB(2, 50, 50, 4, .partition = 2), JOB(3, 5, 5, 4, .partition = 1) } };
	EXPECT_STARTS(&w, "fcfs:queues=partition", 0, 100, 150, 200);
	EXPECT_STARTS(&w, "fcfs:queues=partition,order=sjf", 0, 105, 155, 100);
}

/* Behind its head each lane fills up by itself: job 4 would be done by 50, when job 2 is to start, and job 5
 * would not; job 6 is behind no head. */
Test(lanes, easy_keeps_a_shadow_for_each_lane)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 50, 50, 2, .partition = 1), JOB(1, 50, 50, 4, .partition = 1),
			JOB(2, 48, 48, 1, .partition = 1), JOB(3, 60, 60, 1, .partition = 1),
			JOB(3, 60, 60, 1, .partition = 2) } };
	EXPECT_STARTS(&w, "easy", 0, 50, 2, 100, 100);
	EXPECT_STARTS(&w, "easy:queues=partition", 0, 63, 2, 113, 3);
	/* The shadow that was frozen at 50 is over: nobody of the lane overtakes any more. */
	EXPECT_STARTS(&w, "easy:queues=partition,shadow=frozen", 0, 63, 2, 113, 3);
}

/* Who is picked is waited for by its own lane; promises are made by each lane for its own. Job 4 has the cpu
 * of job 3 when that one has ended, if it does not delay job 2. */
Test(lanes, other_plans_go_by_lane)
{
	struct world w = blocked;
	EXPECT_STARTS(&w, "easy:plan=commit,fill=none,queues=partition", 0, 100, 2, 150);
	EXPECT_STARTS(&w, "easy:plan=commit,queues=partition", 0, 100, 2, 12);
	EXPECT_STARTS(&w, "greedy:queues=partition", 0, 100, 2, 12);
	EXPECT_STARTS(&w, "depth-k:depth=1,queues=partition", 0, 100, 2, 12);
	w.job[2].run = w.job[2].limit = w.job[3].run = w.job[3].limit = 120;
	EXPECT_STARTS(&w, "depth-k:depth=1,queues=partition", 0, 122, 2, 172);
}

Test(lanes, what_cannot_go_by_lanes_says_so)
{
	static const char *const refused[] = { "conservative:", "drf:", "quota:", "slices:", "gang:",
		"slack:", "recorded:", "fairshare:", "lottery:", "easy:arrivals=fitting," };
	static const char *const why[] = { "everyone holds a promise", "say by=partition", "say by=partition",
		"plan=slices", "plan=gang", "plan=slack", "plan=recorded", "order=fairshare goes by parties",
		"say by=partition", "arrivals=fitting asks about one queue" };
	for (size_t i = 0; i < SL_LEN(refused); i++) {
		struct world w = blocked;
		char policy[80];
		(void)snprintf(policy, sizeof(policy), "%squeues=partition", refused[i]);
		w.job[0].wait = 1;
		cr_expect_eq(world_run(&w, policy, false), SL_USAGE, "%s", policy);
		cr_expect(strstr(w.err.text, why[i]) && strstr(w.err.text, "queues=partition"), "%s: %s",
			policy, w.err.text);
		world_release(&w);
	}
}

/* Each lane has a head, whose reason is Resources: jobs 2 and 4; job 3 waits behind job 2. */
Test(lanes, each_lane_has_a_head)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 4, .partition = 1), JOB(1, 50, 50, 4, .partition = 1),
			JOB(2, 50, 50, 4, .partition = 1), JOB(3, 5, 5, 4, .partition = 2) } };
	cr_assert_eq(world_run(&w, "fcfs:queues=partition", true), SL_OK, "%s", w.err.text);
	sl_time since[4] = { 0 };
	for (size_t i = 0; i < w.sim.result.reason_count; i++)
		if (w.sim.result.reasons[i].reason == SL_REASON_RESOURCES)
			since[w.sim.result.reasons[i].job] = w.sim.result.reasons[i].at;
	cr_expect_eq(since[0], 0);
	cr_expect_eq(since[1], 1 * SL_SECOND);
	cr_expect_eq(since[2], 100 * SL_SECOND);
	cr_expect_eq(since[3], 3 * SL_SECOND);
	world_release(&w);
}

/* ---- The door -------------------------------------------------------------------------------- */

enum { LANES = 5000 };

struct seen {
	uint32_t lane[4], lane_count, count;
	bool order, after, fits, rest;
};

static int look_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct seen *seen = setup->jobs->count ? sl_alloc(setup->arena, 1, sizeof(*seen)) : NULL;
	*state = seen;
	return sl_lanes(setup, LANES, err);
}

static void look_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	static const uint32_t lane[4] = { 4999, 64, 0, 64 };
	(void)state;
	if (event->class == SL_EV_SUBMIT)
		sl_set_lane(pass, (sl_job){ event->row }, lane[event->row]);
}

/* What lanes say when all four jobs wait; then all start, in the order of the queue. */
static void look_pass(void *state, struct sl_pass *pass)
{
	struct seen *seen = state;
	if (sl_queue_count(pass) == 4) {
		seen->lane_count = 0; /* With --check a pass is made twice. */
		for (uint32_t lane = sl_lane_next(pass, UINT32_MAX); lane != UINT32_MAX;
			lane = sl_lane_next(pass, lane))
			seen->lane[seen->lane_count++ % 4] = lane;
		const sl_job first = sl_lane_first(pass, 64);
		seen->count = sl_lane_count(pass, 64);
		seen->after = first.row == 1 && sl_lane_after(pass, 64, first).row == 3 &&
			      !sl_job_is(sl_lane_after(pass, 64, (sl_job){ 3 }));
		seen->order = sl_queue_before(pass, (sl_job){ 0 }, (sl_job){ 2 }) &&
			      !sl_queue_before(pass, (sl_job){ 2 }, (sl_job){ 0 });
		(void)sl_start(pass, (sl_job){ 0 });
		seen->fits = sl_lane_next_fit(pass, 64, SL_JOB_NONE, NULL).row == 3;
		seen->rest = !sl_job_is(sl_lane_first(pass, 7)) && !sl_job_is(sl_lane_first(pass, 4999)) &&
			     sl_lane_of(pass, (sl_job){ 3 }) == 64;
	}
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job))
		(void)sl_start(pass, job);
}

static struct seen kept;
static void look_release(void *state) { kept = *(const struct seen *)state; }

/* Job 2 does not fit once job 1 has started; 64 is the first lane of the second word of lanes. */
Test(lanes, a_policy_sees_its_lanes)
{
	static const struct sl_policy look = { .abi = SL_ABI_OF(struct sl_policy),
		.name = "look",
		.init = look_init,
		.pass = look_pass,
		.on_event = look_event,
		.release = look_release };
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 10, 10, 1), JOB(0, 10, 10, 4), JOB(0, 10, 10, 1), JOB(0, 10, 10, 2) } };
	cr_assert_eq(world_run_policy(&w, &look, true), SL_OK, "%s", w.err.text);
	world_release(&w);
	cr_expect_eq(kept.count, 2);
	cr_expect_eq(kept.lane_count, 3);
	cr_expect(kept.lane[0] == 0 && kept.lane[1] == 64 && kept.lane[2] == 4999, "%u %u %u", kept.lane[0],
		kept.lane[1], kept.lane[2]);
	cr_expect(kept.order);
	cr_expect(kept.after);
	cr_expect(kept.fits);
	cr_expect(kept.rest);
}
