/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select.c - which nodes and cores a job gets, clause by clause, on clusters small enough to check by
 * hand. Places read "n1:0-3 n2:0": cores 0 to 3 of n1 and core 0 of n2.
 */
#include <criterion/criterion.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

/* So many nodes of one socket and four cores. */
static void four_cores(uint32_t count)
{
	sw_begin(&w);
	(void)sw_nodes(&w, count, 1, 4, 1, 4000);
}

static void hold(int64_t tasks, const char *nodelist)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = tasks;
	desc->nodelist = nodelist;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

/* The next job, of so many tasks. */
static struct sl_job_desc *tasks(int64_t count)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = count;
	return desc;
}

#define expect(place) cr_expect_str_eq(sw_place(&w, 0, 0), place)

/* ---- Consecutive best fit ------------------------------------------------------------------------ */

Test(select, the_fullest_node_with_capacity_of_the_run, .fini = fini)
{
	four_cores(3);
	sw_ready(&w);
	hold(2, "n2");
	tasks(2);
	expect("n2:2-3"); /* Two left: an exact fit. */
	tasks(3);
	expect("n1:0-2"); /* n1 and n3 have four: the first. */
}

Test(select, the_tightest_run_that_suffices, .fini = fini)
{
	four_cores(6);
	sw_ready(&w);
	hold(4, "n3"); /* Runs n1-n2 and n4-n6. */
	tasks(8);
	expect("n1:0-3 n2:0-3");
	tasks(10);
	expect("n4:0-3 n5:0-3 n6:0-1");
	tasks(16); /* None suffices: the largest, then the other. */
	expect("n1:0-3 n4:0-3 n5:0-3 n6:0-3");
}

Test(select, lower_weight_goes_first_and_ends_a_run, .fini = fini)
{
	sw_begin(&w);
	sw_nodes(&w, 1, 1, 4, 1, 4000)->weight = 9;
	sw_nodes(&w, 1, 1, 4, 1, 4000)->weight = 2;
	sw_ready(&w);
	tasks(3);
	expect("n2:0-2");
	tasks(6); /* All of the lighter one, the rest of the other. */
	expect("n1:0-1 n2:0-3");
}

Test(select, node_range_takes_up_to_its_upper_end, .fini = fini)
{
	four_cores(3);
	sw_ready(&w);
	struct sl_job_desc *desc = tasks(SL_NONE);
	desc->nodes_min = 2;
	desc->nodes_max = 5;
	expect("n1:0 n2:0 n3:0");
	desc->use_min_nodes = true;
	expect("n1:0 n2:0");
	desc->nodes_min = 4;
	expect("never");
}

Test(select, nodes_never_outnumber_tasks, .fini = fini)
{
	four_cores(3);
	sw_ready(&w);
	struct sl_job_desc *desc = tasks(2);
	desc->nodes_min = 1;
	desc->nodes_max = 3;
	expect("n1:0 n2:0");
}

Test(select, listed_nodes_are_required, .fini = fini)
{
	four_cores(4);
	sw_ready(&w);
	tasks(6)->nodelist = "n3";
	expect("n3:0-3 n4:0-1"); /* Up from it, */
	tasks(10)->nodelist = "n3";
	expect("n2:0-1 n3:0-3 n4:0-3"); /* then down. */
	tasks(1)->nodelist = "n[2,4]";
	expect("n2:0 n4:0"); /* All of a list, one cpu each. */
	tasks(1)->nodelist = "n9";
	expect("never");
}

Test(select, a_tighter_run_goes_before_that_of_the_required_node, .fini = fini)
{
	four_cores(4);
	sw_ready(&w);
	hold(4, "n3");
	hold(3, "n4");
	struct sl_job_desc *desc = tasks(2);
	desc->nodes_min = desc->nodes_max = 2;
	desc->nodelist = "n1";
	expect("n1:0 n4:3"); /* n2 is beside n1, but has more cpus. */
}

Test(select, excluded_nodes_end_a_run, .fini = fini)
{
	four_cores(4);
	sw_ready(&w);
	tasks(6)->exclude = "n[1,3]";
	expect("n2:0-3 n4:0-1");
}

Test(select, contiguous_wants_one_run, .fini = fini)
{
	four_cores(4);
	sw_ready(&w);
	hold(4, "n2");
	tasks(12)->contiguous = true;
	expect("busy");
	tasks(8)->contiguous = true;
	expect("n3:0-3 n4:0-3");
}

Test(select, spread_takes_as_many_nodes_as_tasks, .fini = fini)
{
	four_cores(4);
	sw_ready(&w);
	tasks(3)->spread = true;
	expect("n1:0 n2:0 n3:0");
}

/* ---- Other orders ------------------------------------------------------------------------------------ */

Test(select, least_loaded_by_partition_and_by_setting, .fini = fini)
{
	four_cores(2);
	w.partition[0].least_loaded = true;
	sw_ready(&w);
	hold(1, "n1");
	tasks(1);
	expect("n2:0");
	sw_end(&w);
	four_cores(2);
	sw_set(&w, "SelectTypeParameters", "CR_Core_Memory,CR_LLN");
	sw_ready(&w);
	hold(1, "n1");
	tasks(1);
	expect("n2:0");
}

Test(select, serial_jobs_at_the_end, .fini = fini)
{
	four_cores(3);
	sw_set(&w, "SchedulerParameters", "bf_continue,pack_serial_at_end");
	sw_ready(&w);
	tasks(1);
	expect("n3:0");
	tasks(2);
	expect("n1:0-1");
}

Test(select, tree_prefers_the_leaf_that_fits_best, .fini = fini)
{
	four_cores(8);
	sw_leaf(&w, "s1", 1, 5);
	sw_leaf(&w, "s2", 6, 8);
	sw_top(&w, "top", 0, 1);
	sw_ready(&w);
	struct sl_job_desc *desc = tasks(SL_NONE);
	desc->nodes_min = desc->nodes_max = 3;
	expect("n6:0 n7:0 n8:0");
	desc->nodes_min = desc->nodes_max = 4;
	expect("n1:0 n2:0 n3:0 n4:0");
	desc->nodes_min = desc->nodes_max = 6; /* None suffices: the larger, then the other. */
	expect("n1:0 n2:0 n3:0 n4:0 n5:0 n6:0");
	desc->switches = 1;
	desc->switches_wait = 100 * SL_SECOND;
	expect("busy");
	const struct select_job waited = { .desc = desc, .waited = 100 * SL_SECOND };
	cr_expect_eq(select_place(w.select, &waited, NULL, SELECT_NOW, NULL), SELECT_FITS);
}

Test(select, linear_gives_whole_nodes, .fini = fini)
{
	four_cores(3);
	w.cluster.select = SL_SELECT_LINEAR;
	sw_set(&w, "SelectTypeParameters", "CR_Memory");
	sw_ready(&w);
	hold(1, "n2");
	tasks(1);
	expect("n1:0-3");
	tasks(5);
	expect("n1:0-3 n3:0-3");
	tasks(9);
	expect("busy");
}

/* ---- Features ----------------------------------------------------------------------------------------- */

static void featured(void)
{
	static const char *const a[] = { "a" }, *const b[] = { "b" }, *const both[] = { "a", "b" };
	const char *const *const lists[] = { a, b, both };
	sw_begin(&w);
	for (uint32_t i = 0; i < 3; i++) {
		struct sl_hardware *h = sw_nodes(&w, 2, 1, 4, 1, 4000);
		h->feature = lists[i];
		h->feature_count = i == 2 ? 2 : 1;
	}
	sw_ready(&w); /* n1-2: a, n3-4: b, n5-6: both. */
}

Test(select, constraints, .fini = fini)
{
	static const struct {
		const char *constraint, *place;
		int64_t nodes;
	} cases[] = {
		{ "b", "n3:0 n4:0", 2 },
		{ "a&b", "n5:0 n6:0", 2 },
		{ "a|b", "n1:0 n2:0", 2 },
		{ "(a|b)&b", "n3:0 n4:0", 2 },
		{ "[a|b]", "n1:0 n2:0 n5:0 n6:0", 4 }, /* All with a. */
		{ "[a|b]", "never", 5 },
		{ "a*1&b*2", "n1:0 n3:0 n4:0", 3 },
		{ "c", "never", 1 },
		{ "a&", "n1:0", 1 },
		{ "a*0", "never", 1 },
	};
	featured();
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_job_desc *desc = tasks(SL_NONE);
		desc->nodes_min = desc->nodes_max = cases[i].nodes;
		desc->constraint = cases[i].constraint;
		cr_expect_str_eq(sw_place(&w, 0, 0), cases[i].place, "%s: %s", cases[i].constraint, w.text);
	}
}

/* ---- Cores of a node ------------------------------------------------------------------------------------
 */

static void two_sockets(uint32_t threads)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 2, 4, threads, 8000);
}

Test(select, cores_in_turn_from_the_sockets, .fini = fini)
{
	two_sockets(1);
	sw_ready(&w);
	tasks(3);
	expect("n1:0-1,4");
	tasks(3)->distribution = "block:block";
	expect("n1:0-2");
	tasks(1)->cpus_per_task = 3; /* A task stays on one socket. */
	expect("n1:0-2");
}

Test(select, block_by_setting_and_cyclic_by_wish, .fini = fini)
{
	two_sockets(1);
	sw_set(&w, "SelectTypeParameters", "CR_Core_Memory,CR_CORE_DEFAULT_DIST_BLOCK");
	sw_ready(&w);
	tasks(2);
	expect("n1:0-1");
	tasks(2)->distribution = "block:cyclic";
	expect("n1:0,4");
}

Test(select, threads_round_up_to_cores, .fini = fini)
{
	two_sockets(2);
	sw_ready(&w);
	tasks(3);
	expect("n1:0,4");
	tasks(2)->tasks_per_core = 1;
	expect("n1:0,4");
	tasks(2)->no_multithread = true;
	expect("n1:0,4");
	tasks(2)->threads_per_core = 1;
	expect("n1:0,4");
	tasks(2);
	expect("n1:0");
}

Test(select, one_task_per_core_by_setting, .fini = fini)
{
	two_sockets(2);
	sw_set(&w, "SelectTypeParameters", "CR_Core_Memory,CR_ONE_TASK_PER_CORE");
	sw_ready(&w);
	tasks(2);
	expect("n1:0,4");
}

Test(select, sockets_as_units, .fini = fini)
{
	two_sockets(1);
	sw_set(&w, "SelectTypeParameters", "CR_Socket_Memory");
	sw_ready(&w);
	tasks(1);
	cr_assert(sw_take(&w, 0, 0));
	cr_expect_str_eq(w.text, "n1:0-3");
	expect("n1:4-7");
}

Test(select, tasks_per_node_socket_and_mincpus, .fini = fini)
{
	two_sockets(1);
	sw_ready(&w);
	tasks(4)->tasks_per_node = 2;
	expect("n1:0,4 n2:0,4");
	tasks(2)->tasks_per_socket = 1;
	expect("n1:0,4");
	tasks(1)->cpus_min = 3;
	expect("n1:0-1,4");
	tasks(1)->cores_per_socket = 5;
	expect("never");
	tasks(SL_NONE)->tasks_per_node = 3;
	expect("n1:0-1,4");
}

Test(select, overcommit_takes_a_cpu_of_each_node, .fini = fini)
{
	four_cores(1);
	sw_ready(&w);
	tasks(9)->overcommit = true;
	expect("n1:0");
}

/* ---- Memory
 * ------------------------------------------------------------------------------------------------ */

static const char *with_memory(void)
{
	const struct select_job job = { .desc = &w.desc };
	const struct select_alloc *out;
	return select_place(w.select, &job, NULL, SELECT_NOW, &out) == SELECT_FITS ? sw_show(&w, out, true)
										   : "no";
}

Test(select, memory_of_a_node_of_a_cpu_or_all, .fini = fini)
{
	four_cores(2);
	sw_ready(&w);
	tasks(2)->mem_per_node = 3000;
	cr_expect_str_eq(with_memory(), "n1:0-1=3000");
	tasks(2)->mem_per_node = SL_NONE;
	w.desc.mem_per_cpu = 500;
	cr_expect_str_eq(with_memory(), "n1:0-1=1000");
	tasks(3)->mem_per_node = SL_NONE;
	w.desc.mem_per_cpu = 2000; /* Two cpus of a node at most. */
	cr_expect_str_eq(with_memory(), "n1:0-1=4000 n2:0=2000");
	tasks(1)->mem_per_node = 0;
	cr_expect_str_eq(with_memory(), "n1:0=4000");
	tasks(1)->mem_per_node = SL_NONE; /* No default: all. */
	cr_assert(sw_take(&w, 0, 0));
	tasks(1);
	expect("n2:0"); /* n1 has cores, but no memory. */
}

Test(select, defaults_and_limits_of_memory, .fini = fini)
{
	four_cores(2);
	w.partition[0].mem_per_cpu = 300;
	w.partition[0].mem_per_cpu_max = 1000;
	sw_ready(&w);
	tasks(2)->mem_per_node = SL_NONE;
	cr_expect_str_eq(with_memory(), "n1:0-1=600");
	tasks(1)->mem_per_node = SL_NONE;
	w.desc.mem_per_cpu = 1500; /* Two cpus of 750 each. */
	cr_expect_str_eq(with_memory(), "n1:0-1=1500");
	tasks(1)->mem_per_node = 2500; /* Three cpus. */
	cr_expect_str_eq(with_memory(), "n1:0-2=2500");
	tasks(1)->mem_per_node = 5000;
	expect("never");
}

/* ---- Sharing
 * --------------------------------------------------------------------------------------------------- */

Test(select, exclusive_jobs_want_idle_nodes_and_get_all_cores, .fini = fini)
{
	four_cores(2);
	sw_ready(&w);
	hold(1, "n1");
	tasks(1)->exclusive = SL_EXCLUSIVE_NODE;
	expect("n2:0-3");
}

Test(select, exclusive_partition, .fini = fini)
{
	four_cores(2);
	w.partition[0].share = SL_SHARE_EXCLUSIVE;
	sw_ready(&w);
	tasks(1);
	expect("n1:0-3");
}

Test(select, exclusive_user_shares_with_himself, .fini = fini)
{
	four_cores(2);
	sw_ready(&w);
	tasks(1)->exclusive = SL_EXCLUSIVE_USER;
	cr_assert(sw_take(&w, 0, 1));
	tasks(1);
	cr_expect_str_eq(sw_place(&w, 0, 1), "n1:1");
	cr_expect_str_eq(sw_place(&w, 0, 2), "n2:0");
}

Test(select, forced_rows, .fini = fini)
{
	four_cores(1);
	w.partition[0].share = SL_SHARE_FORCE;
	w.partition[0].shares = 2;
	sw_ready(&w);
	hold(3, NULL);
	hold(2, NULL); /* One core is idle: not enough, so a row of its own. */
	cr_expect_str_eq(w.text, "n1:0-1");
	tasks(1);
	expect("n1:3"); /* Idle of all first. */
	tasks(3);
	expect("busy");
}

/* By hand: jobs go into rows by their first core, then smaller ones first; the fullest row is the first. */
struct shared {
	struct select_alloc *a, *b, *c, *d;
};

static void expect_rows(const struct shared *job, const char *of, const char *rows)
{
	const struct select_alloc *all[] = { job->a, job->b, job->c, job->d };
	for (size_t i = 0; of[i]; i++)
		cr_expect_eq(select_row(w.select, all[of[i] - 'a']), (uint32_t)(rows[i] - '0'),
			"%c is in row %u", of[i], all[of[i] - 'a']->row);
}

static struct select_alloc *share(int64_t count)
{
	tasks(count);
	return sw_take(&w, 0, 0);
}

Test(select, rows_as_they_are_without_a_job_are_known_again, .fini = fini)
{
	four_cores(1);
	w.partition[0].share = SL_SHARE_FORCE;
	w.partition[0].shares = 3;
	sw_ready(&w);
	const struct shared job = { .a = share(4), .b = share(2), .c = share(2), .d = share(1) };
	expect_rows(&job, "abcd", "0112");
	for (int again = 0; again < 2; again++) {
		uint32_t mark = select_mark(w.select);
		select_give(w.select, job.a);
		expect_rows(&job, "bcd", "001"); /* d, then b in a row that is fuller, then c beside it. */
		select_undo(w.select, mark);
		expect_rows(&job, "abcd", "0112");
		mark = select_mark(w.select);
		select_give(w.select, job.b);
		expect_rows(&job, "acd", "011"); /* d, a, and c beside d. */
		select_give(w.select, job.a);
		expect_rows(&job, "cd", "00");
		select_undo(w.select, mark);
		expect_rows(&job, "abcd", "0112");
	}
	select_give(w.select, job.a);
	expect_rows(&job, "bcd", "001");
	const uint32_t mark = select_mark(w.select);
	select_give(w.select, job.b); /* From here on that is another state. */
	expect_rows(&job, "cd", "00");
	select_undo(w.select, mark);
	expect_rows(&job, "bcd", "001");
}

/* A job comes where others have left, and one more leaves: that is no state, and undone all is as before. */
Test(select, rows_under_a_mark_into_which_a_job_comes, .fini = fini)
{
	four_cores(1);
	w.partition[0].share = SL_SHARE_FORCE;
	w.partition[0].shares = 3;
	sw_ready(&w);
	struct shared job = { .a = share(4), .b = share(2), .c = share(2), .d = share(1) };
	for (int again = 0; again < 2; again++) {
		const struct shared before = job;
		const uint32_t mark = select_mark(w.select);
		select_give(w.select, job.a);
		select_give(w.select, job.b);
		job.a = share(4); /* Beside c and d, which are in row 0. */
		expect_rows(&job, "acd", "100");
		select_stop(w.select, job.c, true);
		expect_rows(&job, "ad", "01"); /* d, then a, whose row is the fuller one. */
		select_undo(w.select, mark);
		job = before;
		expect_rows(&job, "abcd", "0112");
	}
}

Test(select, yes_shares_only_with_those_that_desc, .fini = fini)
{
	four_cores(1);
	w.partition[0].share = SL_SHARE_YES;
	w.partition[0].shares = 2;
	sw_ready(&w);
	tasks(4)->oversubscribe = true;
	cr_assert(sw_take(&w, 0, 0));
	expect("n1:0-3");
	tasks(1);
	expect("busy");
}

Test(select, cpus_of_a_partition_on_a_node, .fini = fini)
{
	four_cores(2);
	w.partition[0].cpus_per_node_max = 2;
	sw_ready(&w);
	tasks(3);
	expect("n1:0-1 n2:0");
	hold(2, "n1");
	tasks(1);
	expect("n2:0");
}

static void bound_sockets_of(const char *partition, const char *value)
{
	w.setting[w.cluster.setting_count++] = (struct sl_setting){
		.kind = "partition", .name = partition, .key = "MaxCPUsPerSocket", .value = value
	};
}

/* MaxCPUsPerSocket, of 23.02. */
Test(select, cpus_of_a_partition_on_a_socket, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 2, 4, 1, 1000);
	(void)sw_partition(&w, "q", "ALL");
	bound_sockets_of("p", "3");
	sw_ready(&w);
	tasks(5);
	expect("n1:0-2,4-5");
	hold(2, "n1"); /* One of each. Of a socket with fewer than 3 in use up to 3 more are given out, as
			  slurmctld does. */
	tasks(7);
	expect("n1:1-3,5-7 n2:0");
	hold(4, "n1");
	tasks(1); /* Three of each are in use: no more of them. */
	expect("n2:0");
}

/* ---- When
 * -------------------------------------------------------------------------------------------------------- */

Test(select, will_run_takes_jobs_away_in_batches, .fini = fini)
{
	four_cores(2);
	sw_ready(&w);
	struct select_running running[2] = { 0 };
	tasks(4)->nodelist = "n1";
	running[0] = (struct select_running){ .alloc = sw_take(&w, 0, 0), .end = 100 * SL_SECOND };
	tasks(4)->nodelist = "n2";
	running[1].alloc = sw_take(&w, 0, 0);
	cr_assert(running[0].alloc && running[1].alloc);
	uint64_t nodes[1];
	const struct select_outlook outlook = { .running = running, .running_count = 2 };
	const struct select_job job = { .desc = tasks(4) };
	/* Ends at 100 and 140: the batch closes at 120 + 30, so both are gone, and it starts at 140. */
	running[1].end = 140 * SL_SECOND;
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 140 * SL_SECOND);
	cr_expect_eq(nodes[0], 1);
	/* At 151 it is another batch. */
	running[1].end = 151 * SL_SECOND;
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 100 * SL_SECOND);
	expect("busy"); /* All is as it was. */
	const struct select_job wide = { .desc = tasks(9) };
	cr_expect_eq(select_will_run(w.select, &wide, NULL, &outlook, NULL), SL_NEVER);
}

/* 24.11's will_run_data: what ends before `from` is gone, and nothing is waited for that ends after `until`.
 */
Test(select, will_run_within_a_window, .fini = fini)
{
	four_cores(2);
	sw_ready(&w);
	struct select_running running[2] = { 0 };
	tasks(4)->nodelist = "n1";
	running[0] = (struct select_running){ .alloc = sw_take(&w, 0, 0), .end = 100 * SL_SECOND };
	tasks(4)->nodelist = "n2";
	running[1] = (struct select_running){ .alloc = sw_take(&w, 0, 0), .end = 140 * SL_SECOND };
	uint64_t nodes[1];
	struct select_outlook outlook = { .running = running,
		.running_count = 2,
		.now = 10 * SL_SECOND,
		.windowed = true,
		.from = 10 * SL_SECOND,
		.until = SL_NEVER };
	const struct select_job job = { .desc = tasks(4) };
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 140 * SL_SECOND, "one batch");
	outlook.until = 139 * SL_SECOND;
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 100 * SL_SECOND);
	outlook.until = 140 * SL_SECOND;
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 140 * SL_SECOND);
	outlook.until = 99 * SL_SECOND;
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), SL_NEVER);
	outlook.until = SL_NEVER;
	outlook.from = 100 * SL_SECOND; /* It is not yet gone. */
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 140 * SL_SECOND);
	outlook.from = 101 * SL_SECOND; /* It is: as from now on, which is the caller's to move. */
	cr_expect_eq(select_will_run(w.select, &job, NULL, &outlook, nodes), 10 * SL_SECOND);
	cr_expect_eq(nodes[0], 1);
	const struct select_job wide = { .desc = tasks(8) };
	cr_expect_eq(select_will_run(w.select, &wide, NULL, &outlook, nodes), 140 * SL_SECOND);
	expect("busy"); /* All is as it was. */
}

/* What ends on other nodes in a batch's time opens it for the next that ends on these, however late;
 * from 25.05 on it does not. */
Test(select, will_run_and_what_ends_elsewhere, .fini = fini)
{
	static const int64_t ends[] = { 100, 130, 800 };
	four_cores(3);
	sw_ready(&w);
	struct select_running running[3] = { 0 };
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "n1", "n2", "n3" };
		tasks(4)->nodelist = names[i];
		running[i] =
			(struct select_running){ .alloc = sw_take(&w, 0, 0), .end = ends[i] * SL_SECOND };
	}
	const uint64_t available = 5;
	struct select_outlook outlook = { .running = running, .running_count = 3 };
	const struct select_job job = { .desc = tasks(4) };
	cr_expect_eq(select_will_run(w.select, &job, &available, &outlook, NULL), 800 * SL_SECOND);
	outlook.nearby = true;
	cr_expect_eq(select_will_run(w.select, &job, &available, &outlook, NULL), 100 * SL_SECOND);
}

Test(select, powered_down_nodes_go_last, .fini = fini)
{
	four_cores(3);
	sw_ready(&w);
	select_set_rank(w.select, 0, 1);
	tasks(1);
	expect("n2:0");
	tasks(10);
	expect("n1:0-1 n2:0-3 n3:0-3");
}

/* As recorded allocations may be. */
Test(select, a_core_of_two_jobs_is_free_when_both_have_left, .fini = fini)
{
	four_cores(1);
	sw_ready(&w);
	struct select_alloc *one = share(2), *other = select_take(w.select, one);
	cr_assert(one && other);
	tasks(3);
	expect("busy");
	select_give(w.select, one);
	expect("busy");
	select_give(w.select, other);
	expect("n1:0-2");
}
