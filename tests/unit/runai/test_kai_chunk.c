/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_chunk.c - chunks of jobs allocated, worked by hand: one by one, all or none, gangs that wait
 * together, what a simulation puts back, trees and topologies. (KAI: actions/common/allocate.go,
 * framework/statement.go.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { TASKS_MAX = 32 };

static struct kai_small open_instance(uint8_t nodes, int64_t gpus)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	for (uint8_t i = 0; i < nodes; i++) {
		char name[8];
		(void)snprintf(name, sizeof(name), "n%u", i);
		(void)kai_small_node(&w, name, gpus);
	}
	return w;
}

static uint32_t running(struct kai_small *w, const char *name, uint32_t tasks, int64_t gpus, const char *node)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, tasks, gpus, 10);
	kai_small_run(w, job, node, KAI_NO, 10);
	return job;
}

static uint32_t pending(struct kai_small *w, const char *name, uint32_t tasks, int64_t gpus)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, tasks, gpus, 10);
	kai_small_enter(w, job);
	return job;
}

static void evict(struct kai_small *w, uint32_t job)
{
	for (uint32_t i = 0; i < w->kai->job[job].task_count; i++)
		kai_evict_task(w->kai, w->kai->job[job].task + i);
}

/* All tasks of the job, or the first so many. */
static const char *place(struct kai_small *w, uint32_t job, uint32_t count, bool pipeline_only)
{
	uint32_t task[TASKS_MAX];
	const struct kai_job *row = &w->kai->job[job];
	for (uint32_t i = 0; i < row->task_count; i++)
		task[i] = row->task + i;
	const kai_marked mark = kai_mark(w->kai);
	const bool ok = kai_place_chunk(w->kai, job, task, count ? count : row->task_count,
		&(struct kai_place_how){ .pipeline_only = pipeline_only });
	kai_keep(w->kai, mark);
	return ok ? kai_small_reported(w, job) : "none";
}

static int64_t idle(const struct kai_small *w, const char *node)
{
	return w->kai->node[kai_find_node(w->kai, node)].idle.gpus;
}

/* Each task goes where the ones before left it best; halves come together on one device. */
Test(kai_chunk, one_by_one)
{
	struct kai_small w = open_instance(2, 2);
	kai_small_seal(&w);
	const uint32_t a = pending(&w, "a", 3, 1);
	cr_expect_str_eq(place(&w, a, 0, false), "a@n0 a@n0 a@n1");
	const uint32_t b = kai_small_job(&w, "b", "q", 50, 2, 1, 10);
	kai_small_fraction(&w, b, 50, 1);
	kai_small_enter(&w, b);
	cr_expect_str_eq(place(&w, b, 0, false), "a@n1 a@n1");
	cr_expect_eq(
		w.kai->task[w.kai->job[b].task].shared[0], w.kai->task[w.kai->job[b].task + 1].shared[0]);
	kai_small_close(&w);
}

/* One task too many: nothing is placed, and why is said; a simulation says nothing. */
Test(kai_chunk, all_or_none)
{
	struct kai_small w = open_instance(2, 2);
	kai_small_seal(&w);
	const uint32_t a = pending(&w, "a", 5, 1);
	cr_expect_str_eq(place(&w, a, 0, true), "none");
	cr_expect_eq(w.kai->job[a].why, KAI_WHY_NONE);
	cr_expect_str_eq(place(&w, a, 0, false), "none");
	cr_expect_str_eq(kai_small_reported(&w, a), "p p p p p");
	cr_expect_eq(idle(&w, "n0"), 2);
	const struct kai_job *job = &w.kai->job[a];
	cr_expect_eq(job->why, KAI_POD_ERRORS);
	cr_expect(job->why_a == 4 && job->why_b == 5 && job->why_c == 4, "four of five, the fifth has none");
	const int root = (int)kai_find_queue(w.kai, "default");
	cr_expect_eq(w.kai->queue[root].allocated.at[KAI_GPUS], 0);
	kai_small_close(&w);
}

/* A gang of which one has to wait waits as a whole; above its minimum it does not. */
Test(kai_chunk, waits_together)
{
	struct kai_small w = open_instance(1, 3);
	kai_small_seal(&w);
	evict(&w, running(&w, "r", 1, 1, "n0"));
	const kai_marked mark = kai_mark(w.kai);
	const uint32_t a = pending(&w, "a", 3, 1);
	cr_expect_str_eq(place(&w, a, 0, false), "l@n0 l@n0 l@n0");
	cr_expect_eq(idle(&w, "n0"), 2, "what it waits for is idle still");
	cr_expect_eq(w.kai->node[0].releasing.gpus, -2);
	cr_expect_eq(w.kai->queue[1].allocated.at[KAI_GPUS], 3 * KAI_GPU);
	kai_undo(w.kai, mark);
	const uint32_t b = kai_small_job(&w, "b", "q", 50, 3, 1, 10);
	kai_small_min(&w, b, 2);
	kai_small_enter(&w, b);
	cr_expect_str_eq(place(&w, b, 0, false), "a@n0 a@n0 l@n0", "two are enough");
	kai_small_close(&w);
}

/* Halves that were to start now keep their devices when they wait. */
Test(kai_chunk, shares_wait_together)
{
	struct kai_small w = open_instance(1, 2);
	kai_small_seal(&w);
	evict(&w, running(&w, "r", 1, 1, "n0"));
	const uint32_t a = kai_small_job(&w, "a", "q", 50, 2, 1, 10);
	kai_small_fraction(&w, a, 60, 1);
	kai_small_enter(&w, a);
	cr_expect_str_eq(place(&w, a, 0, false), "l@n0 l@n0");
	cr_expect_eq(idle(&w, "n0"), 1);
	cr_expect_eq(w.kai->node[0].releasing.gpus, -1);
	const struct kai_task *task = &w.kai->task[w.kai->job[a].task];
	cr_expect_neq(task[0].shared[0], task[1].shared[0]);
	kai_small_close(&w);
}

/* In a simulation all is to come later, but for a victim that comes out where it was: it runs on. */
Test(kai_chunk, simulated)
{
	struct kai_small w = open_instance(2, 2);
	kai_small_seal(&w);
	const uint32_t a = running(&w, "a", 1, 1, "n1"), b = pending(&w, "b", 1, 1);
	evict(&w, a);
	cr_expect_str_eq(place(&w, b, 0, true), "l@n0", "two are free on each, in time: by name");
	kai_small_close(&w);

	w = open_instance(2, 1);
	kai_small_seal(&w);
	const uint32_t c = running(&w, "c", 1, 1, "n0");
	(void)running(&w, "full", 1, 1, "n1");
	evict(&w, c);
	cr_expect_str_eq(place(&w, c, 0, true), "r@n0", "as if nothing had been");
	cr_expect_eq(w.kai->task[w.kai->job[c].task].evicted, 0);
	cr_expect_eq(w.kai->node[0].releasing.gpus, 0);
	evict(&w, c);
	w.kai->task[w.kai->job[c].task].evicted = 2;
	cr_expect_str_eq(place(&w, c, 0, true), "l@n0", "an eviction that is settled stands");
	cr_expect_eq(w.kai->task[w.kai->job[c].task].from, 0);
	kai_small_close(&w);
}

/* A victim goes elsewhere if that is better; then it is on its way out here, and to come there. */
Test(kai_chunk, moved)
{
	struct kai_small w = open_instance(2, 2);
	kai_small_seal(&w);
	const uint32_t a = running(&w, "a", 1, 1, "n0");
	(void)running(&w, "r", 1, 1, "n1");
	const uint32_t big = pending(&w, "big", 1, 2);
	evict(&w, a);
	cr_expect_str_eq(place(&w, big, 0, true), "l@n0");
	cr_expect_str_eq(place(&w, a, 0, true), "l@n1");
	cr_expect_eq(w.kai->task[w.kai->job[a].task].from, 0);
	cr_expect_eq(w.kai->node[1].releasing.gpus, -1);
	kai_small_close(&w);
}

/* A share alone on its device comes out on a new one, and so is moved on its node; beside another it stays.
 */
Test(kai_chunk, share_put_back)
{
	struct kai_small w = open_instance(1, 1);
	kai_small_seal(&w);
	const uint32_t a = kai_small_job(&w, "a", "q", 50, 1, 1, 10);
	kai_small_fraction(&w, a, 50, 1);
	kai_small_run(&w, a, "n0", KAI_NO, 10);
	evict(&w, a);
	cr_expect_str_eq(place(&w, a, 0, true), "l@n0");
	cr_expect_eq(w.kai->task[w.kai->job[a].task].from, 0);
	kai_small_close(&w);

	w = open_instance(1, 1);
	kai_small_seal(&w);
	const uint32_t row = kai_shared_row(w.kai, 0);
	const uint32_t b = kai_small_job(&w, "b", "q", 50, 1, 1, 10),
		       c = kai_small_job(&w, "c", "q", 50, 1, 1, 10);
	kai_small_fraction(&w, b, 50, 1);
	kai_small_fraction(&w, c, 50, 1);
	kai_small_run(&w, b, "n0", row, 10);
	kai_small_run(&w, c, "n0", row, 10);
	evict(&w, b);
	cr_expect_str_eq(place(&w, b, 0, true), "r@n0");
	kai_small_close(&w);
}

/* A moved victim that is evicted again, after its first eviction was settled, and comes out where it first
 * was: it goes where it was moved to, but if that is taken it is to start there anew. (KAI takes no look.) */
Test(kai_chunk, no_double_booking)
{
	for (int taken = 0; taken < 2; taken++) {
		struct kai_small w = open_instance(2, 2);
		kai_small_seal(&w);
		const uint32_t a = running(&w, "a", 1, 1, "n0"), task = w.kai->job[a].task;
		(void)running(&w, "r", 1, 1, "n0");
		evict(&w, a);
		kai_pipeline_task(w.kai, task, 1, NULL);
		w.kai->task[task].evicted = 2;
		evict(&w, a);
		cr_expect(w.kai->task[task].node == 1 && w.kai->task[task].from == 0);
		for (int i = 0; i <= taken; i++) {
			const uint32_t b = pending(&w, i ? "c" : "b", 1, 1);
			kai_pipeline_task(w.kai, w.kai->job[b].task, 1, NULL);
		}
		cr_expect_str_eq(place(&w, a, 0, true), taken ? "l@n0" : "l@n1");
		for (uint32_t i = 0; i < 2; i++)
			cr_expect_geq(w.kai->node[i].idle.gpus + w.kai->node[i].releasing.gpus, 0, "n%u", i);
		kai_small_close(&w);
	}
}

/* What did not fit is not tried again until something is released; what was noted while a trial held
 * resources is forgotten with it. */
Test(kai_chunk, nowhere_until_something_goes)
{
	struct kai_small w = open_instance(1, 2);
	kai_small_seal(&w);
	const uint32_t three = pending(&w, "three", 3, 1), one = pending(&w, "one", 1, 1);
	const uint32_t desc = w.kai->task[w.kai->job[one].task].request;
	cr_expect_str_eq(place(&w, three, 0, false), "none");
	cr_expect(kai_nowhere(w.kai, desc, 3) && kai_nowhere(w.kai, desc, 4) && !kai_nowhere(w.kai, desc, 2));
	w.kai->job[three].why = KAI_WHY_NONE;
	cr_expect_str_eq(place(&w, three, 0, false), "none");
	cr_expect(w.kai->job[three].why == KAI_POD_ERRORS && w.kai->job[three].why_a == 2, "said again");
	const kai_marked mark = kai_mark(w.kai);
	cr_expect_str_eq(place(&w, three, 2, false), "a@n0 a@n0 p");
	cr_expect_str_eq(place(&w, one, 0, false), "none");
	cr_expect(kai_nowhere(w.kai, desc, 1));
	kai_undo(w.kai, mark);
	cr_expect_not(kai_nowhere(w.kai, desc, 1));
	const uint32_t full = running(&w, "full", 1, 2, "n0");
	cr_expect_str_eq(place(&w, one, 0, false), "none");
	evict(&w, full);
	cr_expect_str_eq(place(&w, one, 0, false), "l@n0");
	kai_small_close(&w);
}

/* A limit that keeps a task from nodes says nothing of others of equal requests. */
Test(kai_chunk, nowhere_but_for_a_limit)
{
	struct kai_small w = open_instance(1, 2);
	(void)kai_small_queue(&w, "tight", NULL, 0, 100, 1);
	kai_small_seal(&w);
	const uint32_t job = kai_small_job(&w, "two", "tight", 50, 2, 1, 10);
	kai_small_enter(&w, job);
	cr_expect_str_eq(place(&w, job, 0, false), "none", "the limit is one GPU");
	cr_expect_str_eq(place(&w, pending(&w, "other", 2, 1), 0, false), "a@n0 a@n0");
	kai_small_close(&w);
}

/* Two racks of two nodes: a set that has to be in one rack. */
static uint32_t draw(struct kai_small *w, uint32_t tasks, uint32_t sets)
{
	const uint32_t groups = 1 + 2 * sets, row = kai_job(w->kai, "tree", tasks * sets, groups);
	struct kai_job *job = &w->kai->job[row];
	job->queue = kai_find_queue(w->kai, "q");
	for (uint32_t i = 0; i < sets; i++) {
		struct kai_group *set = &job->group[1 + 2 * i], *pods = set + 1;
		char name[16];
		(void)snprintf(name, sizeof(name), "s%u", i);
		set->name = kai_text(w->kai, name);
		set->leaf = false;
		set->min = KAI_NO;
		set->parent = 0;
		pods->name = kai_text(w->kai, name);
		pods->parent = 1 + 2 * i;
		pods->leaf = true;
		pods->min = tasks;
	}
	const struct kai_request one = { .cpu = 1, .mem = 1, .kind = KAI_WHOLE, .gpus = 1 };
	const uint32_t desc = kai_request(w->kai, &one);
	for (uint32_t i = 0; i < tasks * sets; i++) {
		char uid[16];
		(void)snprintf(uid, sizeof(uid), "t%02u", i);
		w->kai->task[job->task + i].uid = kai_text(w->kai, uid);
		w->kai->task[job->task + i].request = desc;
		w->kai->task[job->task + i].group = 2 + 2 * (i / tasks);
	}
	return row;
}

static struct kai_small racks(void)
{
	struct kai_small w = open_instance(4, 2);
	static const char *const rack[4] = { "r0", "r1", "r0", "r1" };
	const uint32_t topology = kai_topology(w.kai, "t");
	w.kai->topology[topology].level[0] = kai_text(w.kai, "rack");
	w.kai->topology[topology].level_count = 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct sl_label *label = sl_alloc(w.arena, 1, sizeof(*label));
		cr_assert(label != NULL);
		*label = (struct sl_label){ kai_text(w.kai, "rack"), kai_text(w.kai, rack[i]) };
		w.kai->node[i].labels = (struct sl_labels){ label, 1 };
	}
	kai_small_seal(&w);
	return w;
}

Test(kai_chunk, rack)
{
	struct kai_small w = racks();
	(void)running(&w, "r", 1, 1, "n0");
	const uint32_t flat = kai_small_job(&w, "flat", "q", 50, 4, 1, 10);
	w.kai->job[flat].group[0].topology = 0;
	w.kai->job[flat].group[0].required = 0;
	kai_small_enter(&w, flat);
	cr_expect_str_eq(place(&w, flat, 0, false), "a@n1 a@n1 a@n3 a@n3", "rack r0 holds three");
	const uint32_t more = kai_small_job(&w, "more", "q", 50, 4, 1, 10);
	w.kai->job[more].group[0].topology = 0;
	w.kai->job[more].group[0].required = 0;
	kai_small_enter(&w, more);
	cr_expect_str_eq(place(&w, more, 0, false), "none");
	kai_small_close(&w);
}

/* Two sets, each in a rack of its own choice; if the second finds none, the first goes too. */
Test(kai_chunk, tree_of_racks)
{
	struct kai_small w = racks();
	const uint32_t job = draw(&w, 3, 2);
	for (uint32_t i = 0; i < 2; i++) {
		w.kai->job[job].group[1 + 2 * i].topology = 0;
		w.kai->job[job].group[1 + 2 * i].required = 0;
	}
	kai_small_enter(&w, job);
	cr_expect_str_eq(place(&w, job, 0, false), "a@n0 a@n0 a@n2 a@n1 a@n1 a@n3");
	kai_small_close(&w);

	w = racks();
	(void)running(&w, "r", 2, 1, "n1");
	const uint32_t retry = draw(&w, 3, 2);
	for (uint32_t i = 0; i < 2; i++) {
		w.kai->job[retry].group[1 + 2 * i].topology = 0;
		w.kai->job[retry].group[1 + 2 * i].required = 0;
	}
	kai_small_enter(&w, retry);
	cr_expect_str_eq(place(&w, retry, 0, false), "none", "r1 holds two");
	cr_expect_str_eq(kai_small_reported(&w, retry), "p p p p p p");
	kai_small_close(&w);
}
