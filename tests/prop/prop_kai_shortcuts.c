/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_shortcuts.c - sessions of KAI in a row, on generated worlds: what is found out ahead (rehearsals,
 * the dismissal of jobs that cannot be easier, nodes tried by buckets) changes neither decisions nor counts,
 * and what cannot do and is passed over no decision; and what nodes have free is kept as a walk finds it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/runai/rules/kai_place.h"
#include "policies/runai/rules/kai_solve_parts.h"
#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { NODES = 9, QUEUES = 4, JOBS = 16, MORE = 5, SESSIONS = 6, BITS = 64 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint32_t leaves, jobs;
	uint32_t gangs; /* Of 8 jobs so many have several tasks. */
	bool shares;
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static uint32_t below(struct instance *x, uint32_t bound) { return (uint32_t)sl_rng_below(&x->rng, bound); }

static const char *named(char text[16], char kind, uint32_t number)
{
	(void)snprintf(text, 16, "%c%u", kind, number % 1000);
	return text;
}

/* One leaf, or four below two departments. */
static void draw_queues(struct instance *x)
{
	char name[16], parent[16];
	for (uint32_t i = 0; i < 2; i++)
		(void)kai_small_queue(&x->w, named(name, 'd', i), NULL, (int64_t)below(x, 20) * 100, -1, 1);
	for (uint32_t i = 0; i < x->leaves; i++) {
		const int64_t quota = (int64_t)below(x, 20) * 100;
		const int64_t limit = below(x, 3) ? -1 : quota + (int64_t)below(x, 20) * 100;
		const uint32_t row = kai_small_queue(
			&x->w, named(name, 'q', i), named(parent, 'd', i / 2), quota, limit, below(x, 4));
		x->kai->queue[row].created = i;
	}
}

/* Three types: few GPUs, more than there are buckets, none. */
static void draw_nodes(struct instance *x)
{
	char name[16];
	for (uint32_t i = 0; i < NODES; i++) {
		const uint32_t type = below(x, 5);
		const uint32_t gpus = type == 0 ? 0 : type == 1 ? 17 + below(x, 4) : 1 + below(x, 6);
		const uint32_t row = kai_small_node(&x->w, named(name, 'n', i), gpus);
		if (type > 2)
			x->kai->node[row].gpu_mem *= 2;
		if (!below(x, 3))
			x->kai->node[row].cpu = 1000 * (1 + (int64_t)below(x, 4));
	}
}

static void draw_job(struct instance *x)
{
	static const int64_t priority[] = { 50, 50, 50, 75, 75, 100 };
	char name[16], queue[16];
	const uint32_t number = x->jobs++, tasks = below(x, 8) < x->gangs ? 2 + below(x, 3) : 1;
	const uint32_t row = kai_small_job(&x->w, named(name, 'j', number),
		named(queue, 'q', below(x, x->leaves)), priority[below(x, 6)], tasks,
		below(x, 8) ? 1 + below(x, below(x, 5) ? 4 : 18) : 0, below(x, 400));
	if (!below(x, 3))
		kai_small_min(&x->w, row, 1 + below(x, tasks));
	if (x->shares && !below(x, 4))
		kai_small_fraction(&x->w, row, 10 + below(x, 80), 1);
	if (!below(x, 6))
		x->kai->job[row].delay = 60 * SL_SECOND;
	kai_small_enter(&x->w, row);
}

static struct instance *open_instance(uint64_t seed)
{
	struct instance *made = calloc(1, sizeof(*made));
	if (!made)
		abort();
	made->w = kai_small_open();
	made->kai = made->w.kai;
	made->rng = sl_rng_stream(seed, "test/kai_shortcuts");
	made->leaves = below(made, 2) ? 1 : 2 + below(made, QUEUES - 1);
	made->gangs = below(made, 4);
	made->shares = !below(made, 3);
	draw_nodes(made);
	draw_queues(made);
	kai_small_seal(&made->w);
	made->kai->config.signatures = below(made, 4) > 0;
	made->kai->config.consolidating_reclaim = below(made, 4) > 0;
	made->kai->config.fresh_order = !below(made, 4);
	made->kai->config.gpu_placement = below(made, 4) ? KAI_BINPACK : KAI_SPREAD;
	if (!below(made, 4))
		made->kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_NODEAVAILABILITY;
	for (uint32_t i = 0; i < JOBS; i++)
		draw_job(made);
	return made;
}

static void close_instance(struct instance *x)
{
	kai_small_close(&x->w);
	free(x);
}

/* What was bound runs; what was evicted waits again, and what waits for others too, but is drawn to its
 * place. */
static void settle_task(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	uint32_t shared[KAI_DEVICES_MAX];
	for (int64_t i = 0; row->shared && i < kai->request[row->request].gpus; i++)
		shared[i] = (uint32_t)row->shared[i];
	const int64_t node = row->node;
	if (row->state == KAI_BINDING) {
		kai_set_task(kai, task, KAI_RUNNING, (uint32_t)node, row->shared ? shared : NULL);
		kai->job[row->job].started = kai->now;
	} else if (row->state == KAI_RELEASING || row->state == KAI_PIPELINED) {
		row->nominated = row->state == KAI_PIPELINED ? (uint32_t)node : KAI_NO;
		kai_set_task(kai, task, KAI_PENDING, KAI_NO, NULL);
	}
}

/* Later: some jobs are over, others come. */
static void go_on(struct instance *x)
{
	struct kai *kai = x->kai;
	kai->now += 60 * SL_SECOND;
	for (uint32_t i = 0; i < kai->job_count; i++) {
		const struct kai_job *job = &kai->job[i];
		const bool ends = !below(x, 5);
		for (uint32_t t = job->task; t < job->task + job->task_count; t++) {
			settle_task(kai, t);
			if (ends && kai->task[t].state == KAI_RUNNING)
				kai_set_task(kai, t, KAI_SUCCEEDED, KAI_NO, NULL);
		}
	}
	for (uint32_t i = 0; i < MORE; i++)
		draw_job(x);
}

static bool same_effects(const struct kai *a, const struct kai *b)
{
	if (a->effect_count != b->effect_count)
		return false;
	for (uint32_t i = 0; i < a->effect_count; i++) {
		const struct kai_effect *x = &a->effect[i], *y = &b->effect[i];
		if (x->kind != y->kind || x->task != y->task || x->node != y->node ||
			x->action != y->action || x->cause != y->cause || x->moved != y->moved ||
			x->early != y->early)
			return false;
	}
	return true;
}

static bool same_reasons(const struct kai *a, const struct kai *b)
{
	for (uint32_t i = 0; i < a->job_count; i++) {
		const struct kai_job *x = &a->job[i], *y = &b->job[i];
		if (x->why != y->why || x->why_queue != y->why_queue || x->why_res != y->why_res ||
			x->why_a != y->why_a || x->why_b != y->why_b || x->why_c != y->why_c)
			return false;
	}
	return true;
}

static bool bit_of(const uint64_t *bits, uint32_t at) { return bits[at / BITS] >> at % BITS & 1; }

static uint32_t bucket_of(int64_t gpus)
{
	return gpus < 0 ? 0 : gpus > KAI_BUCKETS - 1 ? KAI_BUCKETS - 1 : (uint32_t)gpus;
}

static bool share_fits(const struct kai_node *node)
{
	bool fits = node->idle.gpus + node->releasing.gpus > 0;
	for (uint32_t i = 0; i < node->shared_count; i++)
		fits |= kai_share_fits(&node->shared[i], 1, kai_device_mem(node));
	return fits;
}

/* The stock, against a walk over all nodes. */
static bool stock_is_right(struct kai *kai)
{
	const struct kai_stock *stock = kai_stock(kai);
	struct kai_vec all = { 0 }, with_gpus = { 0 };
	uint32_t count[KAI_BUCKETS] = { 0 }, idle[KAI_BUCKETS] = { 0 };
	for (uint32_t i = 0; i < kai->node_count; i++) {
		const struct kai_node *node = &kai->node[i];
		const struct kai_vec free = kai_node_free(kai, node);
		const uint32_t bucket = bucket_of(node->idle.gpus + node->releasing.gpus);
		count[bucket]++;
		idle[bucket_of(node->idle.gpus)]++;
		for (uint32_t b = 0; b < KAI_BUCKETS; b++)
			if (bit_of(stock->bits + b * stock->words, kai->node_rank[i]) != (b == bucket))
				return false;
		for (int r = 0; r < KAI_RES; r++) {
			all.at[r] += free.at[r];
			with_gpus.at[r] += free.at[KAI_GPUS] > 0 ? free.at[r] : 0;
			if (stock->free[i].at[r] != free.at[r])
				return false;
		}
		if (bit_of(stock->any, i) != (free.at[KAI_GPUS] > 0) ||
			bit_of(stock->shares, i) != share_fits(node) || stock->bucket[i] != bucket)
			return false;
	}
	for (int r = 0; r < KAI_RES; r++)
		if (stock->all.at[r] != all.at[r] || stock->with_gpus.at[r] != with_gpus.at[r])
			return false;
	for (uint32_t b = 0; b < KAI_BUCKETS; b++)
		if (stock->count[b] != count[b] || stock->idle[b] != idle[b])
			return false;
	return true;
}

/* The walk gives each node with so many GPUs once: buckets from small to large, names within. */
static bool walk_is_right(struct kai *kai, int64_t gpus)
{
	struct kai_stock_walk walk = kai_stock_from(gpus);
	const struct kai_stock *stock = kai_stock(kai);
	uint32_t before = KAI_NO, left = 0;
	for (uint32_t i = 0; i < kai->node_count; i++)
		left += stock->bucket[i] >= bucket_of(gpus);
	for (uint32_t row; (row = kai_stock_next(kai, &walk)) != KAI_NO; before = row, left--)
		if (!left || stock->bucket[row] < bucket_of(gpus) ||
			(before != KAI_NO && (stock->bucket[before] > stock->bucket[row] ||
						     (stock->bucket[before] == stock->bucket[row] &&
							     kai->node_rank[before] >= kai->node_rank[row]))))
			return false;
	return left == 0;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
Test(prop_kai_shortcuts, what_is_found_out_ahead_makes_no_difference)
{
	uint64_t evicted = 0, searches = 0;
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		const unsigned long long id = seed;
		struct instance *x = open_instance(seed), *y = open_instance(seed), *z = open_instance(seed);
		y->kai->config.stepwise = z->kai->config.stepwise = z->kai->config.exhaustive = true;
		for (uint32_t i = 0; i < SESSIONS; i++) {
			cr_assert(kai_session(x->kai) == 0 && kai_session(y->kai) == 0 &&
				  kai_session(z->kai) == 0);
			cr_assert(same_effects(x->kai, y->kai), "seed %llu, session %u", id, i);
			cr_assert(same_effects(y->kai, z->kai), "seed %llu, session %u: all", id, i);
			cr_assert(same_reasons(x->kai, y->kai), "seed %llu, session %u: reasons", id, i);
			cr_assert_eq(x->kai->searches, y->kai->searches, "seed %llu, session %u", id, i);
			cr_assert_eq(x->kai->searches_cut, y->kai->searches_cut);
			cr_assert_eq(x->kai->scenarios, y->kai->scenarios, "seed %llu, session %u", id, i);
			cr_assert(stock_is_right(x->kai), "seed %llu, session %u: free", id, i);
			for (uint32_t e = 0; e < x->kai->effect_count; e++)
				evicted += x->kai->effect[e].kind == KAI_EVICT;
			go_on(x);
			go_on(y);
			go_on(z);
		}
		searches += x->kai->searches;
		close_instance(x);
		close_instance(y);
		close_instance(z);
	}
	cr_log_info(
		"%llu searches, %llu evictions", (unsigned long long)searches, (unsigned long long)evicted);
	cr_expect(searches > runs() && evicted > runs(), "the worlds are dull: %llu searches, %llu evictions",
		(unsigned long long)searches, (unsigned long long)evicted);
}

/* A task is placed where it fits, or leaves. */
static void do_something(struct instance *x)
{
	struct kai *kai = x->kai;
	struct kai_spot spot = { .node = KAI_NO };
	const struct kai_job *job = &kai->job[below(x, kai->job_count)];
	const uint32_t task = job->task + below(x, job->task_count);
	const struct kai_task *row = &kai->task[task];
	if (row->state == KAI_ALLOCATED || row->state == KAI_RUNNING)
		kai_evict_task(kai, task);
	if (row->state != KAI_PENDING || !kai_best_spot(kai, task, NULL, NULL, &spot))
		return;
	const uint32_t *shared = kai->request[row->request].kind == KAI_FRACTION ? spot.shared : NULL;
	if (spot.now)
		kai_allocate_task(kai, task, spot.node, shared);
	else
		kai_pipeline_task(kai, task, spot.node, shared);
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
Test(prop_kai_shortcuts, what_is_free_is_kept_as_things_are_done_and_undone)
{
	enum { STEPS = 40 };
	for (uint64_t seed = 1; seed <= runs() / 2; seed++) {
		const unsigned long long id = seed;
		struct instance *x = open_instance(seed);
		cr_assert(kai_session(x->kai) == 0);
		go_on(x);
		for (uint32_t i = 0; i < STEPS; i++) {
			const kai_marked mark = kai_mark(x->kai);
			for (uint32_t n = below(x, 4); n > 0; n--)
				do_something(x);
			if (below(x, 2))
				cr_assert(stock_is_right(x->kai), "seed %llu, step %u", id, i);
			if (below(x, 2))
				kai_undo(x->kai, mark);
			else
				kai_keep(x->kai, mark);
			cr_assert(stock_is_right(x->kai), "seed %llu, step %u: after", id, i);
			cr_assert(walk_is_right(x->kai, (int64_t)below(x, 22)), "seed %llu, step %u: walk",
				id, i);
		}
		close_instance(x);
	}
}

/* ---- A rehearsal, and what it stands for ---- */

static bool accept_all(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
	const uint32_t *task, uint32_t count)
{
	(void)kai, (void)aim, (void)needs, (void)task, (void)count;
	return true;
}

static bool accept_moved(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
	const uint32_t *task, uint32_t count)
{
	(void)aim, (void)needs;
	for (uint32_t i = 0; i < count; i++)
		if (!kai_active_allocated((uint32_t)kai->task[task[i]].state))
			return false;
	return true;
}

static bool runs_whole(const struct kai_job *job)
{
	return !job->gone && job->task_count && job->group[0].count[KAI_RUNNING] == job->task_count;
}

/* Some jobs that run are to go, so that one that waits comes. False: none waits, or none runs. */
static bool draw_aim(struct instance *x, struct kai_aim *aim)
{
	struct kai *kai = x->kai;
	struct kai_solve_state *state = kai->solve;
	aim->job = below(x, kai->job_count);
	aim->keeps_all = below(x, 2);
	aim->accept = aim->keeps_all ? accept_moved : accept_all;
	if (!kai_lane_of_pending(kai, KAI_RECLAIM, false) || !kai_eligible(kai, aim->job) ||
		!state->feasible || !kai_rows_chunk(kai, &state->chunk, aim->job) || !state->chunk.count)
		return false;
	kai_victims_clear(&state->recorded);
	kai_victims_clear(&state->chosen);
	for (uint32_t i = 0; i < kai->job_count; i++) {
		struct kai_rows_list *tasks = &state->scratch;
		const struct kai_job *job = &kai->job[i];
		tasks->count = 0;
		if (!runs_whole(job) || i == aim->job || below(x, 3))
			continue;
		for (uint32_t t = job->task; t < job->task + job->task_count; t++)
			cr_assert(kai_rows_add(kai, tasks, t));
		cr_assert(kai_victims_add(
			kai, below(x, 2) ? &state->recorded : &state->chosen, i, tasks->row, tasks->count));
	}
	for (size_t i = 0; i < kai->node_words; i++)
		state->feasible[i] = 0;
	for (uint32_t i = 0; i < kai->node_count; i++)
		state->feasible[i / BITS] |= (uint64_t)!below(x, 3) << i % BITS;
	return state->recorded.task.count + state->chosen.task.count > 0;
}

/* 1: it works. */
static int simulated(struct kai *kai, const struct kai_aim *aim, bool stepwise)
{
	kai_marked mark;
	kai->config.stepwise = stepwise;
	const bool works = kai_simulate(kai, aim, kai->solve->chunk.count, &mark);
	if (works)
		kai_undo(kai, mark);
	kai->config.stepwise = false;
	return works;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
Test(prop_kai_shortcuts, a_rehearsal_fails_only_what_would_fail)
{
	enum { TRIES = 60 };
	uint64_t failed = 0, worked = 0, found = 0;
	for (uint64_t seed = 1; seed <= runs() / 2; seed++) {
		const unsigned long long id = seed;
		struct instance *x = open_instance(seed);
		for (uint32_t i = 0; i < 2; i++) {
			cr_assert(kai_session(x->kai) == 0);
			go_on(x);
		}
		for (uint32_t i = 0; i < TRIES; i++) {
			struct kai_aim aim = { .action = KAI_RECLAIM };
			if (!draw_aim(x, &aim))
				continue;
			const int plainly = simulated(x->kai, &aim, true);
			cr_assert_eq(simulated(x->kai, &aim, false), plainly, "seed %llu, try %u", id, i);
			const bool fails = kai_rehearsal_fails(x->kai, &aim, x->kai->solve->chunk.count);
			cr_assert(!fails || !plainly, "seed %llu, try %u", id, i);
			cr_assert(stock_is_right(x->kai), "seed %llu, try %u: after", id, i);
			cr_assert_eq(simulated(x->kai, &aim, true), plainly, "seed %llu, try %u", id, i);
			failed += !plainly;
			worked += (uint64_t)plainly;
			found += fails;
		}
		close_instance(x);
	}
	cr_log_info("%llu failed, %llu worked, %llu were found out", (unsigned long long)failed,
		(unsigned long long)worked, (unsigned long long)found);
	cr_expect(worked > runs() && found > runs(), "the sets are dull: %llu worked, %llu of %llu found out",
		(unsigned long long)worked, (unsigned long long)found, (unsigned long long)failed);
}
