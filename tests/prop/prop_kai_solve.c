/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_solve.c - sessions of KAI on generated worlds. What is passed over because it cannot do makes no
 * difference; and of what was decided: gangs start whole, no queue is beyond its limit, jobs that may not be
 * preempted stay within quotas and are not evicted, and nodes do not hold more than they have.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { NODES = 4, QUEUES = 4, JOBS = 14 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint64_t seed;
	uint32_t job[JOBS];
	struct sl_label label[NODES];
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static uint32_t below(struct instance *x, uint32_t bound) { return (uint32_t)sl_rng_below(&x->rng, bound); }

static const char *named(char text[16], char kind, uint32_t number)
{
	(void)snprintf(text, 16, "%c%u", kind, number % 1000);
	return text;
}

/* Two departments; two projects each. */
static void draw_queues(struct instance *x)
{
	char name[16], parent[16];
	for (uint32_t i = 0; i < 2; i++)
		(void)kai_small_queue(
			&x->w, named(name, 'd', i), NULL, 200 + (int64_t)below(x, 5) * 100, -1, 1);
	for (uint32_t i = 0; i < QUEUES; i++) {
		const int64_t quota = (int64_t)below(x, 5) * 100;
		const int64_t limit = below(x, 3) ? -1 : quota + (int64_t)below(x, 4) * 100;
		const uint32_t row = kai_small_queue(
			&x->w, named(name, 'q', i), named(parent, 'd', i / 2), quota, limit, below(x, 4));
		x->kai->queue[row].priority = 100 + !below(x, 4);
		x->kai->queue[row].created = i;
		x->kai->queue[row].reclaim_min = below(x, 4) ? SL_NONE : 60 * SL_SECOND;
	}
}

/* As far as its limit allows. */
static bool may_run(const struct instance *x, uint32_t task, uint32_t node)
{
	bool now;
	struct kai_blocked how;
	const struct kai_job *job = &x->kai->job[x->kai->task[task].job];
	const struct kai_vec needs = kai_chunk_needs(x->kai, &task, 1, true);
	return kai_fits(x->kai, task, node, &now) && !kai_over_limit(x->kai, job->queue, &needs, &how) &&
	       (job->preemptible || !kai_np_over_quota(x->kai, job->queue, &needs, &how));
}

/* Of half the jobs, in the world that has one: all tasks in one rack, or rather so. */
static void draw_topology(struct instance *x, uint32_t row)
{
	struct kai_job *job = &x->kai->job[row];
	if (!x->kai->topology_count || below(x, 2))
		return;
	struct kai_group *group = &job->group[below(x, 2)];
	group->topology = 0;
	if (below(x, 4))
		group->required = 0;
	else
		group->preferred = 0;
}

/* Two racks; now and then a node is in none. */
static void draw_racks(struct instance *x)
{
	static const char *const rack[] = { "a", "a", "b", "b" };
	const uint32_t net = kai_topology(x->kai, "net");
	x->kai->topology[net].level[0] = "rack";
	x->kai->topology[net].level_count = 1;
	for (uint32_t i = 0; i < NODES; i++) {
		x->label[i] = (struct sl_label){ "rack", rack[i] };
		if (below(x, 6))
			x->kai->node[i].labels = (struct sl_labels){ &x->label[i], 1 };
	}
}

static void draw_job(struct instance *x, uint32_t number)
{
	static const int64_t priority[] = { 50, 50, 50, 60, 75, 100 };
	char name[16], queue[16];
	const uint32_t tasks = 1 + below(x, 3);
	const uint32_t row =
		kai_small_job(&x->w, named(name, 'j', number), named(queue, 'q', below(x, QUEUES)),
			priority[below(x, 6)], tasks, 1 + below(x, 3), 100 + below(x, 400));
	kai_small_min(&x->w, row, 1 + below(x, tasks));
	if (number >= JOBS / 2 && !below(x, 6)) /* Of those that wait. */
		kai_small_fraction(&x->w, row, 10 + below(x, 80), 1);
	draw_topology(x, row);
	kai_small_enter(&x->w, row);
	x->job[number] = row;
	struct kai_job *job = &x->kai->job[row];
	for (uint32_t i = 0; number < JOBS / 2 && i < tasks; i++) {
		const uint32_t node = below(x, NODES);
		if (!may_run(x, job->task + i, node))
			continue;
		kai_set_task(x->kai, job->task + i, KAI_RUNNING, node, NULL);
		job->started = x->kai->now - below(x, 200) * SL_SECOND;
	}
}

static struct instance *open_instance(uint64_t seed)
{
	char name[16];
	struct instance *made = calloc(1, sizeof(*made));
	if (!made)
		abort();
	made->w = kai_small_open();
	made->seed = seed;
	made->kai = made->w.kai;
	made->rng = sl_rng_stream(seed, "test/kai_solve");
	for (uint32_t i = 0; i < NODES; i++)
		(void)kai_small_node(&made->w, named(name, 'n', i), 1 + below(made, 4));
	draw_queues(made);
	if (below(made, 2))
		draw_racks(made);
	kai_small_seal(&made->w);
	for (uint32_t i = 0; i < JOBS; i++)
		draw_job(made, i);
	made->kai->config.consolidating_reclaim = below(made, 4) > 0;
	made->kai->config.signatures = below(made, 2);
	return made;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_gangs(const struct instance *x)
{
	for (uint32_t i = 0; i < x->kai->effect_count; i++) {
		const struct kai_effect *effect = &x->kai->effect[i];
		const uint32_t job = x->kai->task[effect->task].job;
		if (effect->kind == KAI_EVICT)
			cr_assert(x->kai->job[job].preemptible, "seed %llu: %s was evicted",
				(unsigned long long)x->seed, x->kai->job[job].name);
		else if (effect->kind == KAI_BIND)
			cr_assert(kai_gang_satisfied(x->kai, job), "seed %llu: %s starts in part",
				(unsigned long long)x->seed, x->kai->job[job].name);
	}
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_accounting(const struct instance *x)
{
	for (uint32_t i = 0; i < x->kai->queue_count; i++) {
		const struct kai_queue *queue = &x->kai->queue[i];
		cr_assert(queue->allocated.at[KAI_GPUS] <= queue->limit.at[KAI_GPUS],
			"seed %llu: %s is beyond its limit", (unsigned long long)x->seed, queue->name);
		cr_assert(queue->allocated_np.at[KAI_GPUS] <= queue->quota.at[KAI_GPUS],
			"seed %llu: %s is beyond its quota", (unsigned long long)x->seed, queue->name);
	}
	for (uint32_t i = 0; i < x->kai->node_count; i++) {
		const struct kai_node *node = &x->kai->node[i];
		cr_assert(node->idle.gpus >= 0 && node->idle.gpus + node->releasing.gpus >= 0,
			"seed %llu: %s holds too much", (unsigned long long)x->seed, node->name);
	}
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

Test(prop_kai_solve, what_is_passed_over_makes_no_difference)
{
	uint64_t simulated = 0, all = 0, evicted = 0;
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		struct instance *x = open_instance(seed), *y = open_instance(seed);
		y->kai->config.exhaustive = y->kai->config.stepwise = true;
		cr_assert(kai_session(x->kai) == 0 && kai_session(y->kai) == 0);
		cr_assert(same_effects(x->kai, y->kai), "seed %llu", (unsigned long long)seed);
		check_gangs(x);
		check_accounting(x);
		simulated += x->kai->scenarios;
		all += y->kai->scenarios;
		for (uint32_t i = 0; i < x->kai->effect_count; i++)
			evicted += x->kai->effect[i].kind == KAI_EVICT;
		kai_small_close(&x->w);
		kai_small_close(&y->w);
		free(x);
		free(y);
	}
	cr_log_info("%llu of %llu sets simulated, %llu evictions", (unsigned long long)simulated,
		(unsigned long long)all, (unsigned long long)evicted);
	cr_expect(simulated < all && evicted > runs() / 4, "the worlds are dull");
}
