/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select_releases.c - where the node selection of later releases of slurmctld goes otherwise than that
 * of 22.05, clause by clause. Places read "n1:0-3 n2:0": cores 0 to 3 of n1 and core 0 of n2.
 */
#include <criterion/criterion.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

static void hold(int64_t tasks, const char *nodelist)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = tasks;
	desc->nodelist = nodelist;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

static struct sl_job_desc *tasks(int64_t count)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = count;
	return desc;
}

static void nodes(int64_t least, int64_t most)
{
	struct sl_job_desc *desc = tasks(SL_NONE);
	desc->nodes_min = least;
	desc->nodes_max = most;
}

#define expect(place) cr_expect_str_eq(sw_place(&w, 0, 0), place)

/* ---- topology/tree ------------------------------------------------------------------------------- */

/* Leaves of two, three, three and three nodes of four cores; the first two and the last two under a switch,
 * and these under the top. */
static void two_levels(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 11, 1, 4, 1, 4000);
	sw_leaf(&w, "s1", 1, 2);
	sw_leaf(&w, "s2", 3, 5);
	sw_leaf(&w, "s3", 6, 8);
	sw_leaf(&w, "s4", 9, 11);
	sw_top(&w, "m1", 0, 1);
	sw_top(&w, "m2", 2, 3);
	sw_top(&w, "top", 4, 5);
	w.sw[6].level = 2;
	sw_ready(&w);
	select_set_version(w.select, version);
}

Test(select_releases, before_24_05_a_leaf_suffices_by_its_nodes, .fini = fini)
{
	two_levels(2311);
	hold(4, "n1");
	tasks(6);
	expect("n2:0-3 n3:0-1");
}

Test(select_releases, since_24_05_a_leaf_suffices_by_its_cpus_too, .fini = fini)
{
	two_levels(2405);
	hold(4, "n1");
	tasks(6);
	expect("n3:0-3 n4:0-1");
}

Test(select_releases, before_24_05_the_tighter_leaf_goes_before_the_nearer, .fini = fini)
{
	two_levels(2311);
	hold(12, "n[3-5]");
	nodes(5, 5);
	expect("n1:0 n2:0 n6:0 n7:0 n8:0");
}

Test(select_releases, since_24_05_the_nearer_leaf_that_suffices_goes_first, .fini = fini)
{
	two_levels(2405);
	hold(12, "n[3-5]");
	nodes(5, 5);
	expect("n6:0 n7:0 n8:0 n9:0 n10:0");
}

/* Of seven nodes three are of s3. Four are left, for which m2 has too few nodes then, as those of s3 no
 * longer count: s4 is nearer, but not before s1. After s1 two are wanted, and s2 fits more tightly than s4.
 */
Test(select_releases, since_24_05_nodes_that_were_taken_no_longer_count, .fini = fini)
{
	two_levels(2405);
	hold(4, "n3");
	nodes(7, 7);
	expect("n1:0 n2:0 n4:0 n5:0 n6:0 n7:0 n8:0");
}

/* n1 is the job's by name, and its leaf is used up. Two more are wanted then, of the four of m1 two: s2,
 * near, does. Three of s1 and s2 would no longer count after it, if n2 were counted with s2. */
Test(select_releases, since_24_05_a_required_leaf_counts_off_too, .fini = fini)
{
	two_levels(2405);
	nodes(4, 4);
	w.desc.nodelist = "n1";
	expect("n1:0 n2:0 n3:0 n4:0");
}

static void weights(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	sw_nodes(&w, 6, 1, 4, 1, 4000)->weight = 10;
	sw_leaf(&w, "s1", 1, 4);
	sw_leaf(&w, "s2", 5, 8);
	sw_top(&w, "top", 0, 1);
	sw_ready(&w);
	select_set_version(w.select, version);
}

Test(select_releases, before_24_05_weights_until_the_least_is_there, .fini = fini)
{
	weights(2311);
	nodes(2, 4);
	expect("n1:0 n2:0");
}

Test(select_releases, since_24_05_weights_until_all_that_is_wanted_is_there, .fini = fini)
{
	weights(2405);
	nodes(2, 4);
	expect("n1:0 n2:0 n3:0 n4:0");
	nodes(2, 9); /* There are not so many: all. */
	expect("n1:0 n2:0 n3:0 n4:0 n5:0 n6:0 n7:0 n8:0");
}

static void one_switch(void)
{
	nodes(2, 4);
	w.desc.switches = 1;
	w.desc.switches_wait = 100 * SL_SECOND;
}

Test(select_releases, before_24_05_a_range_of_nodes_waits_for_its_switches, .fini = fini)
{
	two_levels(2311);
	one_switch();
	expect("busy");
}

Test(select_releases, since_24_05_a_range_of_nodes_has_fewer_for_its_switches, .fini = fini)
{
	two_levels(2405);
	one_switch();
	expect("n3:0 n4:0 n5:0");
	hold(4, "n3");
	hold(4, "n6");
	hold(4, "n9");
	one_switch();
	expect("n1:0 n2:0");
	hold(4, "n1");
	hold(4, "n4");
	hold(4, "n7");
	hold(4, "n10");
	one_switch(); /* Down to two nodes: each on a leaf of its own. */
	expect("busy");
}

/* ---- Every core free, at first -------------------------------------------------------------------- */

/* n1 is light: with every core free it is the job's, with one of another leaf. */
static void light_one(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 1, 4, 1, 4000);
	sw_nodes(&w, 4, 1, 4, 1, 4000)->weight = 10;
	sw_leaf(&w, "s1", 1, 1);
	sw_leaf(&w, "s2", 2, 5);
	sw_top(&w, "top", 0, 1);
	sw_ready(&w);
	select_set_version(w.select, version);
	hold(4, "n1");
	nodes(2, 2);
	w.desc.switches = 1;
	w.desc.switches_wait = 100 * SL_SECOND;
}

Test(select_releases, before_24_11_it_must_fit_with_every_core_free, .fini = fini)
{
	light_one(2405);
	expect("busy");
}

Test(select_releases, since_24_11_the_free_cores_alone_decide, .fini = fini)
{
	light_one(2411);
	expect("n2:0 n3:0");
}

/* ---- Jobs of one node ------------------------------------------------------------------------------ */

static void half_used(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	sw_nodes(&w, 2, 1, 4, 1, 4000)->weight = 10;
	sw_ready(&w);
	select_set_version(w.select, version);
	hold(2, "n2");
}

static void one_node(int64_t count)
{
	nodes(1, 1);
	w.desc.tasks = count;
}

Test(select_releases, before_26_05_a_job_of_one_node_fits_best, .fini = fini)
{
	half_used(2511);
	one_node(2);
	expect("n2:2-3");
}

Test(select_releases, since_26_05_a_job_of_one_node_takes_the_first, .fini = fini)
{
	half_used(2605);
	one_node(2);
	expect("n1:0-1");
	one_node(1);
	expect("n1:0");
	tasks(1); /* One task needs no second node. */
	expect("n1:0");
	tasks(2); /* Two may have two. */
	expect("n2:2-3");
	hold(3, "n1");
	one_node(2);
	expect("n2:2-3"); /* n1 has too little. */
	hold(2, "n2");
	hold(1, "n1");
	one_node(2);
	expect("n3:0-1"); /* The lightest first. */
}

Test(select_releases, since_26_05_a_named_node_is_no_first_one, .fini = fini)
{
	half_used(2605);
	one_node(2);
	w.desc.nodelist = "n3";
	expect("n3:0-1");
}

/* ---- cpus of tasks, of several nodes --------------------------------------------------------------- */

/* n3 still has to give one cpu of nine: it gives those of a task (pn_min_cpus). */
Test(select_releases, each_node_gives_the_cpus_of_a_task, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 3, 1, 4, 1, 4000);
	sw_ready(&w);
	tasks(3)->cpus_per_task = 3;
	expect("n1:0-2 n2:0-2 n3:0-2");
}

/* ---- GPUs over nodes ---------------------------------------------------------------------------------- */

static void gpu_nodes(int version, uint32_t sockets)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, sockets, 8 / sockets, 1, 8000);
	sw_gres(&w, "gpu", NULL, 4, 1, 0);
	sw_ready(&w);
	select_set_version(w.select, version);
}

static void hold_gpus(const char *gres)
{
	tasks(1)->gres = gres;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

/* Of three devices and one task no device has so many cpus. Cores are left off, the fullest socket first, the
 * lower of two: of the last two sockets with one core, the first. */
Test(select_releases, one_task_of_three_devices_goes_to_the_last_socket, .fini = fini)
{
	static const int version[] = { 2205, 2302, 2605 };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		gpu_nodes(version[i], 2);
		tasks(1)->gpus = "3";
		expect("n1:4/gpu0-2");
		if (i + 1 < SL_LEN(version))
			sw_end(&w);
	}
}

/* Two sockets with two devices each; cores 2 and 3, and 5 to 7, are free. */
static void three_and_two(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 2, 4, 1, 8000);
	sw_gres(&w, "gpu", NULL, 2, 0, 3);
	sw_gres(&w, "gpu", NULL, 2, 4, 7);
	sw_ready(&w);
	select_set_version(w.select, version);
	hold(3, "n1");
	tasks(2)->gpus = "2";
	w.desc.cpus_per_task = 2;
}

/* The second socket has devices enough, but three cores of four. */
Test(select_releases, before_23_02_devices_come_with_no_cpus, .fini = fini)
{
	three_and_two(2205);
	expect("n1:2,5-7/gpu0-1");
}

/* Two cpus to each device: of three cores one. */
Test(select_releases, since_23_02_devices_share_the_cpus_of_the_tasks, .fini = fini)
{
	three_and_two(2302);
	expect("n1:2-3,5-6/gpu0-1");
}

/* Four tasks, two of each device: on one node, before. */
Test(select_releases, since_23_02_tasks_of_gpus_go_over_nodes, .fini = fini)
{
	gpu_nodes(2205, 1);
	hold_gpus("gpu:3");
	hold_gpus("gpu:3");
	tasks(SL_NONE)->gpus = "2";
	w.desc.tasks_per_gpu = 2;
	expect("busy");
	sw_end(&w);
	gpu_nodes(2405, 1);
	hold_gpus("gpu:3");
	hold_gpus("gpu:3");
	tasks(SL_NONE)->gpus = "2";
	w.desc.tasks_per_gpu = 2;
	expect("n1:1-2/gpu3 n2:1-2/gpu3");
}

/* One device is free on each node: no more nodes than tasks, in all tries from 26.05 on. */
Test(select_releases, since_26_05_a_task_has_its_gpus_on_one_node, .fini = fini)
{
	static const struct {
		int version;
		const char *place;
	} releases[] = { { 2411, "n1:1/gpu3 n2:1/gpu3" }, { 2605, "busy" } };
	for (size_t i = 0; i < SL_LEN(releases); i++) {
		gpu_nodes(releases[i].version, 1);
		hold_gpus("gpu:3");
		hold_gpus("gpu:3");
		tasks(1)->gpus = "2";
		w.desc.cpus_per_gpu = 1;
		expect(releases[i].place);
		if (i + 1 < SL_LEN(releases))
			sw_end(&w);
	}
}

/* Two devices of n1 and one of n2, which has two, with two cpus each. */
static void three_gpus_with_two_cpus(int version)
{
	gpu_nodes(version, 1);
	tasks(1)->gres = "gpu:2";
	w.desc.nodelist = "n1";
	cr_assert(sw_take(&w, 0, 0));
	w.desc.nodelist = "n2";
	cr_assert(sw_take(&w, 0, 0));
	tasks(SL_NONE)->gpus = "3";
	w.desc.cpus_per_gpu = 2;
}

Test(select_releases, before_23_11_the_last_node_has_the_cpus_that_are_left, .fini = fini)
{
	three_gpus_with_two_cpus(2302);
	expect("n1:1-4/gpu2-3 n2:1-2/gpu2");
}

Test(select_releases, since_23_11_each_node_has_the_cpus_of_all_its_devices, .fini = fini)
{
	three_gpus_with_two_cpus(2311);
	expect("n1:1-4/gpu2-3 n2:1-4/gpu2");
}

static void gpu_devices(const char *type)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 8, 1, 8000);
	sw_gres(&w, "gpu", type, 4, 1, 0);
	sw_ready(&w);
	select_set_version(w.select, 2405);
	tasks(1)->gres = "gpu:2";
	w.desc.nodelist = "n1";
	cr_assert(sw_take(&w, 0, 0));
	nodes(2, 2);
	w.desc.gpus = "4";
}

/* n2 is lighter, with more devices near: of four, three are its, as n1 keeps one. Of devices without a type
 * and without cores only their number counts: all that n1 has, and the others. */
Test(select_releases, since_24_05_a_node_has_the_devices_it_was_chosen_for, .fini = fini)
{
	gpu_devices("a");
	expect("n1:1/gpu2 n2:0/gpu0-2");
	sw_end(&w);
	gpu_devices(NULL);
	expect("n1:1/gpu2-3 n2:0/gpu0-1");
}

/* Three cores for three devices: one of the first socket, two of the second. */
Test(select_releases, since_24_05_devices_are_by_the_cores_of_sockets, .fini = fini)
{
	static const int version[] = { 2311, 2405 };
	static const char *const place[] = { "n1:0,4-5/gpu0-2", "n1:0,4-5/gpu0,2-3" };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		sw_begin(&w);
		(void)sw_nodes(&w, 1, 2, 4, 1, 8000);
		sw_gres(&w, "gpu", NULL, 2, 0, 3);
		sw_gres(&w, "gpu", NULL, 2, 4, 7);
		sw_ready(&w);
		select_set_version(w.select, version[i]);
		tasks(1)->gpus = "3";
		w.desc.cpus_per_gpu = 1;
		expect(place[i]);
		if (i + 1 < SL_LEN(version))
			sw_end(&w);
	}
}

/* Two tasks by the GPU with three cpus each: the first task's three are more than two tasks, before. */
Test(select_releases, since_23_02_tasks_of_gpus_have_their_cpus, .fini = fini)
{
	static const int version[] = { 2205, 2302 };
	static const char *const place[] = { "n1:0-2/gpu0-1", "n1:0-5/gpu0-1" };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		gpu_nodes(version[i], 1);
		tasks(SL_NONE)->gpus = "2";
		w.desc.tasks_per_gpu = 1;
		w.desc.cpus_per_task = 3;
		expect(place[i]);
		if (i + 1 < SL_LEN(version))
			sw_end(&w);
	}
}

Test(select_releases, each_node_has_one_of_a_jobs_gpus, .fini = fini)
{
	gpu_nodes(2205, 1);
	nodes(2, 2);
	w.desc.gpus = "1";
	expect("never");
	nodes(1, 2);
	w.desc.gpus = "1"; /* A range ends there. */
	expect("n1:0/gpu0");
}

/* ---- Tasks over nodes ------------------------------------------------------------------------------- */

static void ten_cores(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 10, 1, 4000);
	sw_ready(&w);
	select_set_version(w.select, version);
	tasks(5)->cpus_per_task = 3;
}

/* n1 counts for ten cpus of fifteen and has three tasks; n2 has room for one with five, and the last goes to
 * n1 over its cpus. */
Test(select_releases, before_24_05_cpus_between_tasks_count, .fini = fini)
{
	ten_cores(2311);
	expect("n1:0-9 n2:0-2");
}

Test(select_releases, since_24_05_cpus_of_whole_tasks_count, .fini = fini)
{
	ten_cores(2405);
	expect("n1:0-8 n2:0-5");
}

static void two_nodes(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	sw_ready(&w);
	select_set_version(w.select, version);
}

/* --mincpus: three of each node are six tasks, before. */
Test(select_releases, since_24_05_a_job_has_the_tasks_it_asked, .fini = fini)
{
	static const int version[] = { 2311, 2405 };
	static const char *const place[] = { "n1:0-2 n2:0-2", "n1:0-1 n2:0-1" };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		two_nodes(version[i]);
		nodes(2, 2);
		w.desc.tasks = 4;
		w.desc.cpus_min = 3;
		expect(place[i]);
		if (i + 1 < SL_LEN(version))
			sw_end(&w);
	}
}

Test(select_releases, since_26_05_tasks_by_the_node_are_on_each_node, .fini = fini)
{
	static const int version[] = { 2411, 2605 };
	static const char *const place[] = { "n1:0-1 n2:0-1", "n1:0-2 n2:0-2" };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		two_nodes(version[i]);
		tasks(4)->tasks_per_node = 3;
		expect(place[i]);
		if (i + 1 < SL_LEN(version))
			sw_end(&w);
	}
}

/* One to two nodes with three tasks each: three tasks at least. */
Test(select_releases, a_range_of_nodes_has_the_tasks_of_the_least, .fini = fini)
{
	two_nodes(2205);
	hold(2, "n1");
	nodes(1, 2);
	w.desc.tasks_per_node = 3;
	expect("n2:0-2");
}

/* ---- Runs by weight ----------------------------------------------------------------------------------- */

/* Of the heavy run that n2 begins it does not count as required: the other node is the light one. */
Test(select_releases, a_required_node_first_of_its_weight_draws_no_neighbour, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 1, 1, 4, 1, 4000);
	sw_nodes(&w, 3, 1, 4, 1, 4000)->weight = 10;
	sw_ready(&w);
	nodes(2, 2);
	w.desc.nodelist = "n2";
	expect("n1:0 n2:0");
	nodes(2, 2);
	w.desc.nodelist = "n3"; /* n2 goes before it. */
	expect("n3:0 n4:0");
}
