/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select_said.c - small scenarios made from what is known of slurmctld 22.05, one sentence each.
 */
#include <criterion/criterion.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

static struct sl_job_desc *asks(int64_t tasks)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = tasks;
	return desc;
}

static void hold(void) { cr_assert(sw_take(&w, 0, 0), "the test's own world is full"); }

#define expect(place) cr_expect_str_eq(sw_place(&w, 0, 0), place)

/* "No --mem and no default: all memory of each node, so it has the node for itself, though only its own
 * cores." And what no node has is refused, not queued. */
Test(select_said, without_memory_a_job_is_alone, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	sw_ready(&w);
	asks(1)->mem_per_node = SL_NONE;
	expect("n1:0");
	hold();
	asks(1);
	expect("n2:0");
	hold();
	asks(1)->mem_per_node = 0;
	expect("busy");
	asks(1)->mem_per_node = 4001;
	expect("never");
	asks(1)->mem_per_node = 3900;
	expect("n2:1");
}

/* "A larger --mem-per-cpu raises cpus-per-task until per-CPU memory is legal; --mem over it raises CPUs." */
Test(select_said, memory_beyond_that_of_a_cpu_takes_cpus, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 8, 1, 8000);
	sw_set(&w, "MaxMemPerCPU", "1000");
	sw_ready(&w);
	struct sl_job_desc *desc = asks(2);
	desc->mem_per_node = SL_NONE;
	desc->mem_per_cpu = 2500;
	expect("n1:0-5");
	asks(1)->mem_per_node = 3500;
	expect("n1:0-3");
	desc = asks(3);
	desc->mem_per_node = SL_NONE;
	desc->mem_per_cpu = 4000;
	desc->nodes_min = desc->nodes_max = 1;
	expect("never");
}

/* "With CR_CPU, too, two jobs did not share a core." */
Test(select_said, cores_are_not_shared_among_jobs, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 2, 4000);
	sw_set(&w, "SelectTypeParameters", "CR_CPU");
	sw_ready(&w);
	asks(1);
	hold();
	asks(1);
	expect("n1:1");
	hold();
	asks(5);
	expect("n2:0-2");
	asks(4);
	expect("n1:2-3");
}

/* "untyped gpu:N may mix types, first type first: gpu:4 on a 2+2 node took both kinds; gpu:3 went to a node
 * with one kind and 4 free." */
Test(select_said, types_are_mixed_where_they_must, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", "tesla", 2, 1, 0);
	sw_gres(&w, "gpu", "kepler", 2, 1, 0);
	(void)sw_nodes(&w, 1, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", "tesla", 4, 1, 0);
	sw_ready(&w);
	asks(1)->gres = "gpu:4";
	expect("n1:0/gpu0-3");
	asks(1)->gres = "gpu:tesla:1";
	hold();
	asks(1)->gres = "gpu:kepler:2";
	expect("n1:1/gpu2-3");
	asks(1)->gres = "gpu:tesla:3";
	expect("n2:0/gpu0-2");
	asks(1)->gres = "gpu:3";
	expect("n1:1/gpu1-3");
	asks(1)->gres = "gpu:kepler:3";
	expect("never");
}

/* Devices near the cores count for the choice of nodes, as many as one node may give: what is asked of a node
 * or of the job bounds that, what is asked of a task does not. So such a job goes where most devices are
 * free, and not to the tighter node. On a node, the socket with more free cores goes first; cores too many
 * are taken off the fuller socket, so that of two like sockets the second keeps the last. */
Test(select_said, of_a_task_from_the_node_with_most_free, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 2, 20, 2, 500000);
	sw_gres(&w, "gpu", NULL, 4, 0, 19);
	sw_gres(&w, "gpu", NULL, 4, 20, 39);
	sw_ready(&w);
	asks(1)->gpus_per_node = "1";
	hold();
	struct sl_job_desc *desc = asks(1);
	desc->cpus_per_task = 2;
	desc->gpus_per_node = "1";
	expect("n1:20/gpu4");
	desc = asks(1);
	desc->cpus_per_task = 2;
	desc->gpus = "1";
	expect("n1:20/gpu4");
	desc = asks(1);
	desc->cpus_per_task = 2;
	desc->gpus_per_task = "1";
	expect("n2:20/gpu4");
}

/* "Tasks per node bounded by GPUs of the node." */
Test(select_said, tasks_go_as_far_as_their_gpus, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 3, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", NULL, 4, 1, 0);
	sw_ready(&w);
	asks(6)->gpus_per_task = "1";
	expect("n1:0-3/gpu0-3 n2:0-1/gpu0-1");
	asks(3)->gpus_per_task = "2";
	expect("n1:0-1/gpu0-3 n2:0/gpu0-1");
	asks(13)->gpus_per_task = "1";
	expect("never");
}

/* "Nearest to those already used": behind s2, the largest, s3 of the same switch goes before s1, which is as
 * good and comes first. */
Test(select_said, leaves_similar_those_already_used, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 7, 1, 4, 1, 4000);
	sw_leaf(&w, "s1", 1, 2);
	sw_leaf(&w, "s2", 3, 5);
	sw_leaf(&w, "s3", 6, 7);
	sw_top(&w, "m1", 0, 0);
	sw_top(&w, "m2", 1, 2);
	sw_top(&w, "top", 3, 4);
	w.sw[5].level = 2;
	sw_ready(&w);
	struct sl_job_desc *desc = asks(SL_NONE);
	desc->nodes_min = desc->nodes_max = 5;
	expect("n3:0 n4:0 n5:0 n6:0 n7:0");
}

/* "CPUs are rounded up to whole cores": three cpus of cores of two threads are four. */
Test(select_said, odd_cpus_count_as_whole_cores, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 1, 4, 2, 4000);
	sw_ready(&w);
	const struct select_alloc *alloc = NULL;
	const struct select_job job = { .desc = asks(3) };
	cr_assert_eq(select_place(w.select, &job, NULL, SELECT_NOW, &alloc), SELECT_FITS);
	cr_expect_eq(alloc->cpus, 4);
}

/* "A larger --mem-per-cpu raises cpus-per-task": a task's three cpus are on one node. */
Test(select_said, cpus_for_memory_are_of_a_task, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	sw_set(&w, "MaxMemPerCPU", "1000");
	sw_ready(&w);
	struct sl_job_desc *desc = asks(2);
	desc->mem_per_node = SL_NONE;
	desc->mem_per_cpu = 2500;
	expect("n1:0-2 n2:0-2");
}

/* "--gpus=N: nodes are taken in order, each giving all it has free": 4 + 2. "With --nodes=2
 * --gpus=4: 2+2 where one node had only 2 left." */
Test(select_said, gpus_of_a_job_are_all_that_each_node_has, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 3, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", NULL, 4, 1, 0);
	sw_ready(&w);
	asks(3)->gpus = "6";
	expect("n1:0-1/gpu0-3 n2:0/gpu0-1");
	asks(3)->gpus = "13";
	expect("never");
	asks(1)->gpus = "2";
	hold();
	struct sl_job_desc *desc = asks(2);
	desc->nodes_min = desc->nodes_max = 2;
	desc->gpus = "4";
	desc->nodelist = "n[1-2]";
	expect("n1:1/gpu2-3 n2:0/gpu0-1");
}
