/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_placer.c - an allocator with a state of its own decides what jobs get, and is notified of all events.
 */
#include <criterion/criterion.h>

#include "tests/world/world.h"

/* From the last node down, whole nodes of two cpus, on an odd job's second attempt none; remembers which node
 * is whose. */
enum { NODES = 3, JOBS_MAX = 8 };

struct memory {
	uint32_t owner[NODES];                  /* Job + 1. */
	uint32_t given[JOBS_MAX][JOBS_MAX + 1]; /* Nodes + 1 that a job had, latest last. */
	uint32_t chosen, refused;
	struct sl_node_alloc node_alloc;
};

static struct memory memory; /* One run at a time; the policy under test has no place for it. */

static int allocator_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	cr_assert_eq(setup->cluster->node_count, NODES);
	memory = (struct memory){ 0 };
	*state = &memory;
	return SL_OK;
}

static void allocator_release(void *state) { (void)state; }

static size_t allocator_choose(
	void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc)
{
	struct memory *m = state;
	(void)job;
	for (uint32_t node = NODES; node-- > 0;) {
		if (m->owner[node] || (closed && *closed >> node & 1))
			continue;
		m->chosen = node;
		m->node_alloc = (struct sl_node_alloc){ .node = node, .tasks = 1, .cpus = 2 };
		*node_alloc = &m->node_alloc;
		return 1;
	}
	m->refused++;
	return 0;
}

static void allocator_take(void *state, sl_job job)
{
	struct memory *m = state;
	cr_assert_eq(m->owner[m->chosen], 0);
	m->owner[m->chosen] = job.row + 1;
}

static uint32_t node_of(const struct memory *m, sl_job job)
{
	uint32_t node = 0;
	while (node < NODES && m->owner[node] != job.row + 1)
		node++;
	cr_assert_lt(node, NODES, "job %u has no node", job.row);
	return node;
}

static void allocator_untake(void *state, sl_job job)
{
	struct memory *m = state;
	m->owner[node_of(m, job)] = 0;
}

static void allocator_give(void *state, sl_job job)
{
	struct memory *m = state;
	uint32_t *given = m->given[job.row];
	const uint32_t node = node_of(m, job);
	while (*given)
		given++;
	*given = node + 1;
	m->owner[node] = 0;
}

static void allocator_restore(void *state, sl_job job)
{
	struct memory *m = state;
	uint32_t *given = m->given[job.row];
	cr_assert(*given);
	while (given[1])
		given++;
	cr_assert_eq(m->owner[*given - 1], 0);
	m->owner[*given - 1] = job.row + 1;
	*given = 0;
}

static void allocator_forget(void *state)
{
	struct memory *m = state;
	for (size_t job = 0; job < JOBS_MAX; job++)
		m->given[job][0] = 0;
}

static const struct sl_allocator allocator = { SL_ABI_OF(struct sl_allocator), .name = "last",
	.init = allocator_init, .release = allocator_release, .choose = allocator_choose,
	.take = allocator_take, .untake = allocator_untake, .give = allocator_give,
	.restore = allocator_restore, .forget = allocator_forget };

/* ---- A policy that takes jobs in order, and tries things ------------------------------------------- */

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	const int status = sl_use(setup, SL_USE_PREEMPT, err);
	return status ? status : sl_set_allocator(setup, &allocator, err);
}

static void pass_greedy(void *state, struct sl_pass *pass)
{
	(void)state;
	for (sl_job job = sl_queue_first(pass), next; sl_job_is(job); job = next) {
		next = sl_queue_after(pass, job);
		(void)sl_start(pass, job);
	}
	/* What runs cannot stand still, but it can be sent away, and that undone. */
	const sl_job first = sl_running_first(pass);
	if (!sl_job_is(first))
		return;
	cr_expect_not(sl_preempt(pass, first, SL_PREEMPT_SUSPEND));
	const sl_marked mark = sl_mark(pass);
	if (sl_preempt(pass, first, SL_PREEMPT_REQUEUE) && sl_start(pass, first))
		cr_expect_geq(node_of(&memory, first), 0);
	sl_undo(pass, mark);
}

static const struct sl_policy greedy = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "greedy-placed",
	.init = init, .pass = pass_greedy };

static struct world w;

/* Three nodes of two cpus. One cpu is requested, two are allocated: the fourth job waits for a whole node;
 * each gets the last that is free. Under --check every pass is made twice, once undone. */
Test(allocator, decides_and_is_reported)
{
	w = (struct world){ .cpus = 6,
		.as_nodes = true,
		.node_cpus = 2,
		.node_mem = 100,
		.count = 4,
		.job = { JOB(0, 10, 10, 1), JOB(0, 30, 30, 1), JOB(5, 10, 10, 1), JOB(6, 10, 10, 1) } };
	cr_assert_eq(world_run_policy(&w, &greedy, true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_start(&w, 2), 5);
	cr_expect_eq(world_start(&w, 3), 10, "when job 0 gives its node back");
	for (uint32_t node = 0; node < NODES; node++)
		cr_expect_eq(memory.owner[node], 0, "node %u", node);
	for (uint32_t job = 0; job < w.count; job++)
		cr_expect_eq(w.sim.result.cpus_held[job], 2, "what it was given, not what it asked");
	world_release(&w);
}

/* On a counted pool there is nothing to choose. */
Test(allocator, wants_nodes)
{
	w = (struct world){ .cpus = 6, .count = 1, .job = { JOB(0, 10, 10, 1) } };
	cr_expect_eq(world_run_policy(&w, &greedy, false), SL_USAGE);
	cr_expect(strstr(w.err.text, "place=last chooses nodes"), "%s", w.err.text);
	world_release(&w);
}

/* ---- A refusal is remembered by request ------------------------------------------------------------ */

static bool all_alike(void *state, uint32_t request)
{
	(void)state, (void)request;
	return true;
}

static bool none_alike(void *state, uint32_t request)
{
	(void)state, (void)request;
	return false;
}

static int init_alike(const struct sl_setup *setup, bool (*alike)(void *, uint32_t), struct sl_err *err)
{
	struct sl_allocator *one = sl_alloc(setup->arena, 1, sizeof(*one));
	cr_assert(one);
	*one = allocator;
	one->alike = alike;
	return sl_set_allocator(setup, one, err);
}

static int init_remembers(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	return init_alike(setup, all_alike, err);
}

static int init_asks(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	return init_alike(setup, none_alike, err);
}

/* Tries every job. */
static void pass_all(void *state, struct sl_pass *pass)
{
	(void)state;
	for (sl_job job = sl_queue_first(pass), next; sl_job_is(job); job = next) {
		next = sl_queue_after(pass, job);
		(void)sl_start(pass, job);
	}
}

static const struct sl_policy remembers = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "remembers",
	.init = init_remembers, .pass = pass_all };
static const struct sl_policy asks = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "asks",
	.init = init_asks, .pass = pass_all };

/* Seven jobs for three nodes, one ends at a time: as long as any waits each pass asks once in vain, or once
 * for each job that still waits. They start alike. */
Test(allocator, refusals_are_remembered)
{
	static const struct {
		const struct sl_policy *policy;
		uint32_t refused;
	} row[] = { { &remembers, 1 + 1 + 1 + 1 }, { &asks, 4 + 3 + 2 + 1 } };
	for (size_t i = 0; i < SL_LEN(row); i++) {
		w = (struct world){ .cpus = 6,
			.as_nodes = true,
			.node_cpus = 2,
			.node_mem = 100,
			.count = 7,
			.job = { JOB(0, 10, 10, 1), JOB(0, 11, 11, 1), JOB(0, 12, 12, 1), JOB(0, 50, 50, 1),
				JOB(0, 50, 50, 1), JOB(0, 50, 50, 1), JOB(0, 5, 5, 1) } };
		cr_assert_eq(world_run_policy(&w, row[i].policy, false), SL_OK, "%s", w.err.text);
		cr_expect_eq(memory.refused, row[i].refused, "%s: %u", row[i].policy->name, memory.refused);
		cr_expect_eq(world_start(&w, 3), 10);
		cr_expect_eq(world_start(&w, 4), 11);
		cr_expect_eq(world_start(&w, 5), 12);
		cr_expect_eq(world_start(&w, 6), 60);
		world_release(&w);
	}
}
