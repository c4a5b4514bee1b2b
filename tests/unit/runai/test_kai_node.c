/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_node.c - the accounting of one node, worked by hand: whole GPUs, shared ones, MIG, pods. (KAI:
 * api/node_info, node_info.go and gpu_sharing_node_info.go.)
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/kai_small.h"

static struct kai_small open_instance(int64_t gpus)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", gpus);
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	return w;
}

/* A job of one task that requests hundredths of a GPU (0: one whole) and runs on that row (KAI_NO: none
 * said). */
static uint32_t run(struct kai_small *w, const char *name, int64_t hundredths, uint32_t shared)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, 1, 10);
	if (hundredths)
		kai_small_fraction(w, job, hundredths, 1);
	kai_small_run(w, job, "n0", shared, 10);
	return w->kai->job[job].task;
}

static uint32_t wait_for(struct kai_small *w, const char *name, int64_t hundredths)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, 1, 10);
	if (hundredths)
		kai_small_fraction(w, job, hundredths, 1);
	kai_small_enter(w, job);
	return w->kai->job[job].task;
}

static void expect(const struct kai_small *w, int64_t idle, int64_t releasing, const char *when)
{
	const struct kai_node *node = &w->kai->node[0];
	cr_expect_eq(node->idle.gpus, idle, "%s: %lld idle, not %lld", when, (long long)node->idle.gpus,
		(long long)idle);
	cr_expect_eq(node->releasing.gpus, releasing, "%s: %lld releasing, not %lld", when,
		(long long)node->releasing.gpus, (long long)releasing);
}

/* A running task takes from idle; on its way out it is releasing too; one that waits for it takes that. */
Test(kai_node, whole)
{
	struct kai_small w = open_instance(2);
	const struct kai_node *node = &w.kai->node[0];
	const int64_t cpu = node->cpu, pods = node->pods;
	const uint32_t a = run(&w, "a", 0, KAI_NO), b = wait_for(&w, "b", 0);
	expect(&w, 1, 0, "a runs");
	cr_expect_eq(node->idle.cpu, cpu - 1000);
	cr_expect_eq(node->idle.pods, pods - 1);
	kai_evict_task(w.kai, a);
	expect(&w, 1, 1, "a leaves");
	cr_expect_eq(node->releasing.pods, 1);
	kai_pipeline_task(w.kai, b, 0, NULL);
	expect(&w, 1, 0, "b is to come");
	cr_expect_eq(node->idle.pods, pods - 1);
	kai_unevict_task(w.kai, a);
	expect(&w, 1, -1, "a stays: b was promised what is idle");
	kai_evict_task(w.kai, b);
	expect(&w, 0, 1, "b gives up what was kept for it: taken, and on its way out");
	cr_expect_eq(w.kai->task[b].state, KAI_RELEASING);
	kai_set_task(w.kai, b, KAI_PENDING, KAI_NO, NULL);
	expect(&w, 1, 0, "b waits again");
	kai_small_close(&w);
}

/* What is stuck on its way out gives nothing to others. */
Test(kai_node, stuck)
{
	struct kai_small w = open_instance(1);
	const uint32_t a = run(&w, "a", 0, KAI_NO);
	kai_set_task(w.kai, a, KAI_STUCK, 0, NULL);
	expect(&w, 0, 0, "a is stuck");
	kai_set_task(w.kai, a, KAI_RELEASING, 0, NULL);
	expect(&w, 0, 1, "a leaves");
	kai_set_task(w.kai, a, KAI_SUCCEEDED, 0, NULL);
	expect(&w, 1, 0, "a is gone");
	kai_small_close(&w);
}

/* Two halves take one device; it is releasing when both are. */
Test(kai_node, halves)
{
	struct kai_small w = open_instance(2);
	const uint32_t row = kai_shared_row(w.kai, 0);
	const uint32_t a = run(&w, "a", 50, row), b = run(&w, "b", 50, row);
	expect(&w, 1, 0, "both run");
	cr_expect_eq(w.kai->node[0].shared[row].allocated, 100);
	kai_evict_task(w.kai, a);
	expect(&w, 1, 0, "a leaves");
	cr_expect_eq(w.kai->node[0].shared[row].releasing, 50);
	kai_evict_task(w.kai, b);
	expect(&w, 1, 1, "b leaves too");
	kai_set_task(w.kai, a, KAI_SUCCEEDED, KAI_NO, NULL);
	expect(&w, 1, 1, "a is gone");
	kai_set_task(w.kai, b, KAI_SUCCEEDED, KAI_NO, NULL);
	expect(&w, 2, 0, "b is gone");
	kai_small_close(&w);
}

/* Shares that are not said where: a device each. */
Test(kai_node, own_devices)
{
	struct kai_small w = open_instance(2);
	const uint32_t a = run(&w, "a", 50, KAI_NO), b = run(&w, "b", 50, KAI_NO);
	expect(&w, 0, 0, "two devices are shared");
	cr_expect_neq(w.kai->task[a].shared[0], w.kai->task[b].shared[0]);
	kai_small_close(&w);
}

/* A share that waits for a device on its way out takes it whole; taken back, it is there again. (KAI loses it
 * here: isPipelinedToReleasingGpu.) */
Test(kai_node, waits_for_a_shared_device)
{
	struct kai_small w = open_instance(1);
	const uint32_t row = kai_shared_row(w.kai, 0);
	const uint32_t a = run(&w, "a", 50, row), b = wait_for(&w, "b", 25), c = wait_for(&w, "c", 25);
	kai_evict_task(w.kai, a);
	expect(&w, 0, 1, "a leaves");
	kai_pipeline_task(w.kai, b, 0, &row);
	expect(&w, 0, 0, "b is to come");
	kai_pipeline_task(w.kai, c, 0, &row);
	expect(&w, 0, 0, "c beside it");
	kai_evict_task(w.kai, b);
	expect(&w, 0, 0, "c holds it alone");
	kai_evict_task(w.kai, c);
	expect(&w, 0, 1, "it is free to take again");
	kai_pipeline_task(w.kai, b, 0, &row);
	kai_unevict_task(w.kai, a);
	expect(&w, 0, 0, "a stays, b is to share it");
	kai_evict_task(w.kai, a);
	expect(&w, 0, 0, "a leaves from under b");
	kai_small_close(&w);
}

/* A new shared device for one that waits comes out of what is releasing, and out of nothing else. */
Test(kai_node, waits_for_a_whole_device)
{
	struct kai_small w = open_instance(1);
	const uint32_t a = run(&w, "a", 0, KAI_NO), b = wait_for(&w, "b", 50);
	kai_evict_task(w.kai, a);
	const uint32_t row = kai_shared_row(w.kai, 0);
	kai_pipeline_task(w.kai, b, 0, &row);
	expect(&w, 0, 0, "b is to come");
	cr_expect_eq(w.kai->node[0].shared[row].pipelined, 50);
	cr_expect_eq(w.kai->node[0].shared[row].allocated, 0);
	kai_small_close(&w);
}

/* All that is journalled comes back. */
Test(kai_node, undone)
{
	struct kai_small w = open_instance(2);
	const uint32_t row = kai_shared_row(w.kai, 0);
	const uint32_t a = run(&w, "a", 50, row), b = wait_for(&w, "b", 0), c = wait_for(&w, "c", 30);
	const kai_marked mark = kai_mark(w.kai);
	kai_evict_task(w.kai, a);
	kai_allocate_task(w.kai, b, 0, NULL);
	const uint32_t next = kai_shared_row(w.kai, 0);
	cr_expect_neq(next, row);
	kai_pipeline_task(w.kai, c, 0, &next);
	expect(&w, 0, 0, "a leaves, b starts, c is to come");
	kai_undo(w.kai, mark);
	expect(&w, 1, 0, "undone");
	cr_expect_eq(w.kai->node[0].shared[next].pipelined_members, 0);
	cr_expect_eq(kai_shared_row(w.kai, 0), next);
	kai_small_close(&w);
}

/* Instances of MIG are counted by profile; a profile that is named later is 0. */
Test(kai_node, mig)
{
	struct kai_small w = kai_small_open();
	const uint32_t row = kai_small_node(&w, "n0", 0);
	const uint32_t small = kai_mig_profile(w.kai, "1g.5gb");
	w.kai->node[row].mig = KAI_MIG_MIXED;
	cr_assert(kai_node_profile(w.kai, row, small, 3));
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	const struct kai_node *node = &w.kai->node[row];
	const uint32_t large = kai_mig_profile(w.kai, "3g.20gb");
	const struct kai_profiles two = { small, 2 };
	const struct kai_request desc = { .kind = KAI_MIG_PROFILES, .profile = &two, .profile_count = 1 };
	const uint32_t job = kai_small_job(&w, "a", "q", 50, 1, 1, 10), task = w.kai->job[job].task;
	w.kai->task[task].request = kai_request(w.kai, &desc);
	kai_small_run(&w, job, "n0", KAI_NO, 10);
	cr_expect_eq(node->mig_idle[small], 1);
	cr_expect_eq(node->mig_idle[large], 0);
	kai_evict_task(w.kai, task);
	cr_expect_eq(node->mig_idle[small], 1);
	cr_expect_eq(node->mig_releasing[small], 2);
	cr_expect_eq(kai_charge(w.kai, task).at[KAI_GPUS], 2 * KAI_GPU, "one slice each");
	kai_small_close(&w);
}

/* A share's memory is rounded down, what a part of the memory is charged up, both in doubles as KAI does. */
Test(kai_node, memory_of_shares)
{
	const struct kai_node node = { .gpu_mem = 100 }, unknown = { 0 }, big = { .gpu_mem = 16000 };
	const struct kai_request half = { .kind = KAI_FRACTION, .gpus = 1, .fraction = KAI_GPU / 2 };
	const struct kai_request odd = { .kind = KAI_FRACTION, .gpus = 1, .fraction = KAI_GPU / 100 * 29 };
	const struct kai_request mem = { .kind = KAI_MEMORY, .gpus = 1, .gpu_mem = 55 };
	const struct kai_request third = { .kind = KAI_MEMORY, .gpus = 1, .gpu_mem = 5000 };
	cr_expect_eq(kai_share_mem(&node, &half), 50);
	cr_expect_eq(kai_share_mem(&unknown, &half), 50, "unknown is 100");
	cr_expect_eq(kai_share_mem(&node, &odd), 28, "0.29 * 100 is below 29");
	cr_expect_eq(kai_share_mem(&node, &mem), 55);
	cr_expect_eq(kai_share_hundredths(&node, &mem), 56, "0.55 * 100 is above 55");
	cr_expect_eq(kai_share_hundredths(&big, &third), 32, "5/16 is 31.25 hundredths");
}
