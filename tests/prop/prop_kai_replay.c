/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_replay.c - in which order a simulation of KAI places again, on generated worlds: what the replay
 * says against a lane in which every job that waits is walked.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { QUEUES = 16, JOBS = 120, ROUNDS = 3 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint64_t seed;
	uint32_t job[JOBS], jobs;
	bool placed[JOBS]; /* By job: it is evicted, or the one that the simulation is about. */
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static uint32_t below(struct instance *x, uint32_t bound) { return (uint32_t)sl_rng_below(&x->rng, bound); }

/* roots: some queues have nothing above them. */
static void draw_queues(struct instance *x, bool roots)
{
	const uint32_t count = 2 + below(x, QUEUES - 1);
	for (uint32_t i = 0; i < count; i++) {
		char name[16], parent[16];
		(void)snprintf(name, sizeof(name), "q%u", i);
		const uint32_t up = below(x, i + 1);
		(void)snprintf(parent, sizeof(parent), "q%u", up);
		const int64_t quota = below(x, 4) ? (int64_t)below(x, 5) * 100 : -1;
		const uint32_t row = kai_small_queue(&x->w, name, up < i ? parent : NULL, quota, -1, 1);
		if (roots && !below(x, 3))
			x->kai->queue[row].parent = KAI_NO;
	}
	kai_small_seal(&x->w);
	for (uint32_t i = 0; i < x->kai->queue_count; i++) {
		struct kai_queue *queue = &x->kai->queue[i];
		queue->priority = 100 + !below(x, 4);
		queue->created = below(x, 4);
		queue->fair.at[KAI_GPUS] = below(x, 9) * KAI_GPU;
	}
	for (int i = 0; i < KAI_RES; i++)
		x->kai->total.at[i] = INT64_C(1) << 50;
}

static uint32_t draw_job(struct instance *x, uint32_t number)
{
	char name[16], queue[16];
	(void)snprintf(name, sizeof(name), "j%u", number);
	(void)snprintf(queue, sizeof(queue), "q%u", below(x, x->kai->queue_count - 1));
	const uint32_t tasks = 1 + below(x, 3);
	const uint32_t row =
		kai_small_job(&x->w, name, queue, 50 + !below(x, 5), tasks, 1 + below(x, 3), below(x, 9));
	kai_small_min(&x->w, row, 1 + below(x, tasks));
	kai_small_enter(&x->w, row);
	const uint32_t running = below(x, 3) ? 0 : below(x, tasks + 1);
	for (uint32_t i = 0; i < running; i++)
		kai_set_task(x->kai, x->kai->job[row].task + i, KAI_RUNNING, 0, NULL);
	return row;
}

static void evict(struct instance *x, uint32_t job)
{
	const struct kai_job *row = &x->kai->job[job];
	for (uint32_t i = 0; i < row->task_count; i++)
		if (x->kai->task[row->task + i].state == KAI_RUNNING && below(x, 3))
			kai_evict_task(x->kai, row->task + i);
}

/* Every third finds no room. */
static void place(struct instance *x, uint32_t job)
{
	uint32_t task[4];
	const uint32_t count = kai_next_chunk(x->kai, job, task);
	for (uint32_t i = 0; i < count && job % 3; i++)
		kai_pipeline_task(x->kai, task[i], 0, NULL);
}

/* Jobs by leaf, and as they stand in it. */
static int by_leaf(const struct kai *kai, uint32_t a, uint32_t b)
{
	if (kai->job[a].queue != kai->job[b].queue)
		return kai->job[a].queue < kai->job[b].queue ? -1 : 1;
	return kai_compare_jobs(kai, a, b);
}

static void sort_jobs(struct instance *x)
{
	for (uint32_t i = 1; i < x->jobs; i++)
		for (uint32_t k = i; k > 0 && by_leaf(x->kai, x->job[k], x->job[k - 1]) < 0; k--) {
			const uint32_t swap = x->job[k];
			x->job[k] = x->job[k - 1];
			x->job[k - 1] = swap;
		}
}

struct walk {
	uint32_t job[JOBS], count;
};

static struct walk walk_all(struct instance *x, uint32_t about, const struct kai_vec *needs)
{
	struct kai_lane *lane = kai_lane_new(x->kai, KAI_NEXT, 0);
	struct walk walk = { .count = 0 };
	if (about != KAI_NO)
		kai_lane_push_part(x->kai, lane, about, needs);
	for (uint32_t i = 0; i < x->jobs; i++)
		if (x->placed[x->job[i]] && x->job[i] != about)
			kai_lane_push(x->kai, lane, x->job[i]);
	for (uint32_t i = 0; i < x->jobs; i++)
		if (!x->placed[x->job[i]] && x->kai->job[x->job[i]].group[0].count[KAI_PENDING])
			kai_lane_push(x->kai, lane, x->job[i]);
	for (uint32_t job; (job = kai_lane_pop(x->kai, lane)) != KAI_NO;) {
		if (!x->placed[job])
			continue;
		walk.job[walk.count++] = job;
		place(x, job);
	}
	kai_lane_free(lane);
	return walk;
}

static struct walk walk_replay(
	struct instance *x, struct kai_replay *replay, uint32_t about, const struct kai_vec *needs)
{
	struct walk walk = { .count = 0 };
	kai_replay_clear(replay);
	if (about != KAI_NO)
		kai_replay_push_part(x->kai, replay, about, needs);
	for (uint32_t i = 0; i < x->jobs; i++)
		if (x->placed[x->job[i]] && x->job[i] != about)
			kai_replay_push(x->kai, replay, x->job[i]);
	for (uint32_t job; (job = kai_replay_pop(x->kai, replay)) != KAI_NO;) {
		walk.job[walk.count++] = job;
		place(x, job);
	}
	return walk;
}

/* A simulation: some jobs are evicted, one more wants a place. */
static void compare_walks(struct instance *x, struct kai_replay *replay)
{
	const kai_marked mark = kai_mark(x->kai);
	uint32_t about = KAI_NO;
	struct kai_vec needs = { { 0 } };
	for (uint32_t i = 0; i < x->jobs; i++) {
		const struct kai_group *all = &x->kai->job[x->job[i]].group[0];
		x->placed[x->job[i]] = all->count[KAI_RUNNING] && below(x, 2);
		if (x->placed[x->job[i]])
			evict(x, x->job[i]);
		else if (about == KAI_NO && all->count[KAI_PENDING] && !below(x, 4))
			about = x->job[i];
	}
	if (about != KAI_NO) {
		x->placed[about] = true;
		needs.at[KAI_GPUS] = (1 + below(x, 3)) * KAI_GPU;
	}
	const kai_marked inner = kai_mark(x->kai);
	const struct walk want = walk_all(x, about, &needs);
	kai_undo(x->kai, inner);
	const struct walk got = walk_replay(x, replay, about, &needs);
	cr_assert_eq(got.count, want.count, "seed %llu: %u jobs, not %u", (unsigned long long)x->seed,
		got.count, want.count);
	for (uint32_t i = 0; i < want.count; i++)
		cr_assert_eq(got.job[i], want.job[i], "seed %llu: place %u: %s, not %s",
			(unsigned long long)x->seed, i, x->kai->job[got.job[i]].name,
			x->kai->job[want.job[i]].name);
	kai_undo(x->kai, mark);
}

/* Something is settled between simulations: some job gets its next tasks. */
static void settle(struct instance *x, struct kai_replay *replay)
{
	const uint32_t job = x->job[below(x, x->jobs)];
	uint32_t task[4];
	const uint32_t count = kai_next_chunk(x->kai, job, task);
	for (uint32_t i = 0; i < count; i++)
		kai_allocate_task(x->kai, task[i], 0, NULL);
	kai_replay_changed(x->kai, replay, job);
}

static void try_instance(uint64_t seed, bool fresh)
{
	struct instance x = { .w = kai_small_open(), .seed = seed };
	x.kai = x.w.kai;
	x.rng = sl_rng_stream(seed, "tests/kai_replay");
	x.kai->config.fresh_order = fresh;
	x.kai->config.priority_reclaim = !below(&x, 4);
	(void)kai_small_node(&x.w, "n0", 1000);
	/* The layout of a lazy heap hangs on what is in it: with fresh order alone are roots left out. */
	draw_queues(&x, fresh);
	const uint32_t jobs = 1 + below(&x, JOBS);
	for (uint32_t i = 0; i < jobs; i++) {
		const uint32_t row = draw_job(&x, i);
		if (!x.kai->queue[x.kai->job[row].queue].child_count)
			x.job[x.jobs++] = row;
	}
	sort_jobs(&x);
	struct kai_replay *replay = kai_replay_new(x.kai);
	kai_replay_open(x.kai, replay);
	for (int round = 0; round < ROUNDS && x.jobs; round++) {
		compare_walks(&x, replay);
		if (fresh)
			settle(&x, replay);
	}
	kai_replay_free(replay);
	kai_small_close(&x.w);
}

Test(prop_kai_replay, it_is_the_order_of_walking_all_that_wait)
{
	for (uint64_t seed = 0; seed < runs(); seed++) {
		try_instance(seed, false);
		try_instance(seed, true);
	}
}
