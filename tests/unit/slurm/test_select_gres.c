/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select_gres.c - which devices a job gets, and on which cores it goes for them. Places read
 * "n1:0/gpu0-1": core 0 of n1 and its devices 0 and 1; "/mps0*50": 50 shares of device 0.
 */
#include <criterion/criterion.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

/* So many nodes of eight cores and four GPUs near all of them. */
static void gpu_nodes(uint32_t count)
{
	sw_begin(&w);
	(void)sw_nodes(&w, count, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", NULL, 4, 1, 0);
}

/* Two sockets of four cores, with two GPUs each. */
static void bound_nodes(uint32_t count)
{
	sw_begin(&w);
	(void)sw_nodes(&w, count, 2, 4, 1, 8000);
	sw_gres(&w, "gpu", NULL, 2, 0, 3);
	sw_gres(&w, "gpu", NULL, 2, 4, 7);
	sw_ready(&w);
}

static struct sl_job_desc *asks(int64_t tasks, const char *gres)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = tasks;
	desc->gres = gres;
	return desc;
}

static void hold(int64_t tasks, const char *gres)
{
	(void)asks(tasks, gres);
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

#define expect(place) cr_expect_str_eq(sw_place(&w, 0, 0), place)

Test(select_gres, per_node_lowest_first, .fini = fini)
{
	gpu_nodes(2);
	sw_ready(&w);
	hold(1, "gpu:3");
	asks(1, "gpu");
	expect("n1:1/gpu3");
	asks(1, "gpu:2");
	expect("n2:0/gpu0-1");
	asks(1, "gpu:5");
	expect("never");
	asks(1, "fpga:1");
	expect("never");
	asks(SL_NONE, NULL)->gpus_per_node = "2";
	w.desc.nodes_min = w.desc.nodes_max = 2;
	expect("busy");
}

Test(select_gres, of_a_job_from_nodes_with_most_first, .fini = fini)
{
	gpu_nodes(3);
	sw_ready(&w);
	hold(1, "gpu:2");
	asks(SL_NONE, NULL)->gpus = "6"; /* n1 has two left, so it is the last choice. */
	expect("n2:0/gpu0-3 n3:0/gpu0-1");
	asks(1, NULL)->gpus = "3";
	expect("n2:0/gpu0-2");
	asks(SL_NONE, NULL)->gpus = "4";
	w.desc.nodes_min = w.desc.nodes_max = 2;
	expect("n2:0/gpu0-2 n3:0/gpu0"); /* Each node gets one at least. */
}

Test(select_gres, of_tasks, .fini = fini)
{
	gpu_nodes(2);
	sw_ready(&w);
	asks(3, NULL)->gpus_per_task = "2";
	expect("n1:0-1/gpu0-3 n2:0/gpu0-1");
	asks(SL_NONE, NULL)->gpus_per_task = "2";
	expect("never"); /* Of how many tasks? */
	asks(SL_NONE, NULL)->gpus = "2";
	w.desc.tasks_per_gpu = 2;
	expect("n1:0-3/gpu0-1");
	asks(4, NULL)->tasks_per_gpu = 2;
	expect("n1:0-3/gpu0-1");
}

Test(select_gres, of_sockets, .fini = fini)
{
	bound_nodes(1);
	asks(2, NULL)->gpus_per_socket = "1";
	expect("never"); /* Of how many sockets? */
	w.desc.sockets_per_node = 2;
	expect("n1:0,4/gpu0,2");
}

Test(select_gres, types, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", "a", 2, 1, 0);
	sw_gres(&w, "gpu", "b", 2, 1, 0);
	sw_ready(&w);
	asks(1, "gpu:b:1");
	expect("n1:0/gpu2");
	asks(1, "gpu:3");
	expect("n1:0/gpu0-2");
	asks(1, "gpu:a:3");
	expect("never");
	asks(1, "gpu:c:1");
	expect("never");
}

Test(select_gres, cpus_and_memory_of_a_gpu, .fini = fini)
{
	gpu_nodes(2);
	w.partition[0].cpus_per_gpu = 3;
	w.partition[0].mem_per_gpu = 500;
	sw_ready(&w);
	asks(SL_NONE, NULL)->gpus = "2";
	w.desc.cpus_per_gpu = 2;
	expect("n1:0-3/gpu0-1");
	asks(SL_NONE, NULL)->gpus = "2";
	w.desc.mem_per_node = SL_NONE;
	const struct select_job job = { .desc = &w.desc };
	const struct select_alloc *out;
	cr_assert_eq(select_place(w.select, &job, NULL, SELECT_NOW, &out), SELECT_FITS);
	cr_expect_str_eq(sw_show(&w, out, true), "n1:0-5/gpu0-1=1000");
	w.desc.mem_per_gpu = 700;
	cr_assert_eq(select_place(w.select, &job, NULL, SELECT_NOW, &out), SELECT_FITS);
	cr_expect_str_eq(sw_show(&w, out, true), "n1:0-5/gpu0-1=1400");
}

Test(select_gres, job_defaults_of_the_cluster, .fini = fini)
{
	gpu_nodes(1);
	sw_set(&w, "JobDefaults", "DefCpuPerGPU=2,DefMemPerGPU=500");
	sw_ready(&w);
	asks(SL_NONE, "gpu:2");
	expect("n1:0-3/gpu0-1");
}

Test(select_gres, cores_similar_the_devices_first, .fini = fini)
{
	bound_nodes(1);
	asks(2, "gpu:1");
	expect("n1:0-1/gpu0");
	hold(1, "gpu:1");
	asks(2, "gpu:2"); /* Both of one socket rather than one of each. */
	expect("n1:4-5/gpu2-3");
}

Test(select_gres, far_cores_if_need_be_unless_bound, .fini = fini)
{
	bound_nodes(1);
	hold(4, "gpu:1"); /* All cores of the first socket, one of its devices. */
	cr_assert_str_eq(w.text, "n1:0-3/gpu0");
	hold(1, "gpu:2");
	cr_assert_str_eq(w.text, "n1:4/gpu2-3");
	asks(1, "gpu:1");
	expect("n1:5/gpu1");
	w.desc.gres_flags = "enforce-binding";
	expect("busy");
}

Test(select_gres, bound_jobs_stay_with_their_devices, .fini = fini)
{
	bound_nodes(2);
	hold(1, NULL);
	asks(4, "gpu:1")->gres_flags = "enforce-binding";
	expect("n1:4-7/gpu2");
	asks(5, "gpu:1")->gres_flags = "enforce-binding";
	w.desc.nodes_min = w.desc.nodes_max = 1;
	expect("never");
}

Test(select_gres, exclusive_jobs_get_all_devices, .fini = fini)
{
	gpu_nodes(2);
	sw_ready(&w);
	hold(1, "gpu:1");
	asks(1, NULL)->exclusive = SL_EXCLUSIVE_NODE;
	expect("n2:0-7/gpu0-3");
}

Test(select_gres, what_is_not_consumed_is_shared, .fini = fini)
{
	sw_begin(&w);
	struct sl_hardware *h = sw_nodes(&w, 1, 1, 8, 1, 8000);
	static const struct sl_gres gres[] = { { .name = "bandwidth", .count = 100, .no_consume = true },
		{ .name = "tape", .count = 3 } };
	h->gres = gres;
	h->gres_count = 2;
	sw_ready(&w);
	hold(1, "bandwidth:80,tape:2");
	asks(1, "bandwidth:80");
	expect("n1:1/bandwidth*80");
	asks(1, "bandwidth:101");
	expect("never");
	asks(1, "tape:2");
	expect("busy");
}

Test(select_gres, shares_are_of_one_device, .fini = fini)
{
	gpu_nodes(1);
	sw_gres(&w, "mps", NULL, 400, 1, 0);
	sw_ready(&w);
	hold(1, "mps:60");
	cr_assert_str_eq(w.text, "n1:0/mps0*60");
	asks(1, "mps:40");
	expect("n1:1/mps0*40");
	asks(1, "mps:50");
	expect("n1:1/mps1*50");
	asks(1, "mps:101");
	expect("never");
}

/* The device that has most left, not the first that has enough: of 100 each, 60 of the first are taken. */
Test(select_gres, ll_shared_gres_takes_the_least_loaded_device, .fini = fini)
{
	static const struct {
		int version;
		const char *second, *third;
	} of[] = { { 2205, "n1:1/mps0*40", "n1:2/mps1*30" }, { 2302, "n1:1/mps1*40", "n1:2/mps2*30" } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		if (i)
			sw_end(&w);
		gpu_nodes(1);
		sw_gres(&w, "mps", NULL, 400, 1, 0);
		sw_set(&w, "SelectTypeParameters", "CR_Core_Memory,LL_SHARED_GRES");
		sw_ready(&w);
		select_set_version(w.select, of[i].version);
		hold(1, "mps:60");
		cr_assert_str_eq(w.text, "n1:0/mps0*60");
		hold(1, "mps:40");
		cr_expect_str_eq(w.text, of[i].second);
		asks(1, "mps:30");
		expect(of[i].third);
	}
}

/* A device near the job's cores goes before one that has more left: cores 4 and 5 are near the second. */
Test(select_gres, shares_are_of_near_devices_first, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 2, 4, 1, 8000);
	sw_gres(&w, "gpu", NULL, 1, 0, 3);
	sw_gres(&w, "gpu", NULL, 1, 4, 7);
	sw_gres(&w, "mps", NULL, 200, 1, 0);
	sw_set(&w, "SelectTypeParameters", "CR_Core_Memory,LL_SHARED_GRES");
	sw_ready(&w);
	select_set_version(w.select, 2302);
	hold(1, "mps:60");
	cr_expect_str_eq(w.text, "n1:4/mps1*60");
	asks(1, "mps:40");
	expect("n1:5/mps1*40");
	asks(1, "mps:50");
	expect("n1:5/mps0*50");
}

/* What it has of the first gres wherever it goes, after it was looked that it has so many there. */
static int64_t sure(int64_t nodes_min, int64_t nodes_max)
{
	w.desc.nodes_min = nodes_min;
	w.desc.nodes_max = nodes_max;
	const struct select_job job = { .desc = &w.desc, .user = -1 };
	const struct select_alloc *out = NULL;
	const int64_t count = select_sure_gres(w.select, &job, 0);
	cr_expect_eq(select_place(w.select, &job, NULL, SELECT_NOW, &out), SELECT_FITS);
	if (count >= 0 && out)
		cr_expect_eq(select_holds_gres(w.select, out, 0, NULL), count);
	return count;
}

Test(select_gres, sure_wherever_it_goes, .fini = fini)
{
	gpu_nodes(3);
	sw_ready(&w);
	asks(1, "gpu:2");
	cr_expect_eq(sure(1, 1), 2);
	asks(2, "gpu:3");
	cr_expect_eq(sure(2, 2), 6);
	asks(2, "gpu:3");
	cr_expect_eq(sure(1, 2), -1); /* Of one node or of two. */
	asks(2, NULL);
	cr_expect_eq(sure(1, 2), 0);
	asks(2, NULL)->gpus = "4";
	cr_expect_eq(sure(2, 2), -1);
	asks(1, "gpu:1")->exclusive = SL_EXCLUSIVE_NODE; /* All of its node. */
	cr_expect_eq(sure(1, 1), -1);
}

Test(select_gres, devices_of_sockets_are_not_sure, .fini = fini)
{
	bound_nodes(2);
	asks(1, "gpu:2");
	cr_expect_eq(sure(1, 1), -1);
}
