/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_select.c - the node selection with its indices against the pass over all nodes, on random clusters and
 * jobs; and what no allocation may do, whichever way it was found. Everything is taken back at the end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/select_world.h"

enum { WORLDS = 60, STEPS = 120, HELD = 200 };

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

static void random_release(struct select_world *w)
{
	static const int release[] = { 2205, 2311, 2411, 2605 };
	select_set_version(w->select, release[draw(4)]);
}

static void random_world(struct select_world *w)
{
	static const char *const params[] = { "CR_Core_Memory", "CR_CPU", "CR_Socket_Memory", "CR_Core" };
	sw_begin(w);
	const uint32_t types = 1 + draw(3);
	for (uint32_t i = 0; i < types; i++) {
		const uint32_t sockets = 1 + draw(2), cores = 2 + draw(4);
		struct sl_hardware *h =
			sw_nodes(w, 1 + draw(40), sockets, cores, 1 + draw(2), 1000 + 500 * draw(4));
		h->weight = 1 + draw(2);
		if (draw(2))
			continue;
		if (draw(2)) {
			sw_gres(w, "gpu", draw(2) ? "a" : NULL, 4, 1, 0);
		} else {
			sw_gres(w, "gpu", NULL, 2, 0, (int)cores - 1);
			sw_gres(w, "gpu", NULL, 2, sockets > 1 ? (int)cores : 0, (int)(sockets * cores) - 1);
		}
	}
	sw_set(w, "SelectTypeParameters", params[draw(8) < 5 ? 0 : draw(4)]);
	if (draw(8) == 0)
		sw_set(w, "SchedulerParameters", "pack_serial_at_end");
	struct sl_partition *q = sw_partition(w, "q", "n[1-5,8,12-20]");
	if (draw(4) == 0) {
		q->share = SL_SHARE_FORCE;
		q->shares = 2;
	}
	sw_ready(w);
	random_release(w);
}

/* Nodes of one cpu, all alike, as a plain pool of processors has. */
static void world_of_ones(struct select_world *w)
{
	sw_begin(w);
	(void)sw_nodes(w, 20 + draw(109), 1, 1, 1, 1000);
	sw_set(w, "SelectTypeParameters", draw(2) ? "CR_Core_Memory" : "CR_Core");
	if (draw(8) == 0)
		sw_set(w, "SchedulerParameters", draw(2) ? "pack_serial_at_end" : "bf_busy_nodes");
	struct sl_partition *q = sw_partition(w, "q", "n[1-5,8,12-20]");
	if (draw(6) == 0) {
		q->share = SL_SHARE_FORCE;
		q->shares = 2;
	}
	sw_ready(w);
	random_release(w);
}

static void random_desc(struct select_world *w)
{
	static const char *const gpus[] = { "gpu:1", "gpu:2", "gpu:4", "gpu:a:2" };
	struct sl_job_desc *desc = sw_desc(w);
	if (draw(3))
		desc->tasks = 1 + draw(draw(4) ? 6 : 30);
	if (draw(4) == 0)
		desc->nodes_min = desc->nodes_max = 1 + draw(4);
	if (draw(12) == 0)
		desc->nodes_max = desc->nodes_min == SL_NONE ? SL_NONE : desc->nodes_min + draw(3);
	if (draw(6) == 0)
		desc->cpus_per_task = 1 + draw(3);
	if (draw(8) == 0)
		desc->exclusive = SL_EXCLUSIVE_NODE;
	if (draw(20) == 0)
		desc->exclusive = SL_EXCLUSIVE_USER;
	if (draw(6) == 0)
		desc->tasks_per_node = 1 + draw(3);
	if (draw(3) == 0)
		desc->gres = gpus[draw(4)];
	if (draw(10) == 0)
		desc->gpus = draw(2) ? "3" : "6";
	if (draw(10) == 0)
		desc->mem_per_node = SL_NONE;
	if (draw(10) == 0) {
		desc->mem_per_node = SL_NONE;
		desc->mem_per_cpu = 100 + draw(300);
	}
	if (draw(12) == 0)
		desc->gres_flags = "enforce-binding";
	desc->no_multithread = draw(15) == 0;
	desc->spread = draw(30) == 0;
}

/* Of cpus, and now and then of something else. */
static void desc_of_ones(struct select_world *w)
{
	if (draw(5) == 0) {
		random_desc(w);
		return;
	}
	struct sl_job_desc *desc = sw_desc(w);
	desc->tasks = 1 + draw(draw(3) ? 8 : 60);
	if (draw(10) == 0)
		desc->nodes_max = desc->nodes_min = 1 + draw(8);
	if (draw(20) == 0)
		desc->nodes_max = (desc->nodes_min = 1 + draw(4)) + draw(8);
	if (draw(20) == 0)
		desc->tasks_per_node = 1;
	if (draw(10) == 0)
		desc->mem_per_node = draw(2) ? SL_NONE : 400 + draw(900);
	if (draw(12) == 0)
		desc->exclusive = SL_EXCLUSIVE_NODE;
	desc->overcommit = draw(40) == 0;
}

static bool ones; /* The world is of such nodes. */

static void draw_desc(struct select_world *w)
{
	if (ones)
		desc_of_ones(w);
	else
		random_desc(w);
}

static void draw_world(struct select_world *w)
{
	if (ones)
		world_of_ones(w);
	else
		random_world(w);
}

static struct select_alloc *held[HELD];
static size_t held_count;

/* Cores and devices are one job's, unless the partition shares them; memory is not beyond the node's. */
static void check_alloc(
	const struct select_world *w, const struct select_alloc *out, uint32_t world, uint32_t step)
{
	for (uint32_t i = 0; i < out->node_count; i++) {
		const struct select_node_alloc *p = &out->node_alloc[i];
		const struct sl_node_type *type = &w->type[w->cluster.node_type[p->node]];
		int64_t mem = p->mem;
		for (size_t h = 0; h < held_count; h++)
			for (uint32_t k = 0; k < held[h]->node_count; k++) {
				const struct select_node_alloc *other = &held[h]->node_alloc[k];
				if (other->node != p->node)
					continue;
				mem += other->mem;
				if (w->partition[out->partition].share != SL_SHARE_FORCE)
					cr_assert_eq(p->cores[0] & other->cores[0], 0,
						"world %u step %u: a core of n%u is given twice", world, step,
						p->node + 1);
				if (p->gres && other->gres)
					cr_assert_eq(p->gres[0].devices & other->gres[0].devices, 0,
						"world %u step %u: a device of n%u is given twice", world,
						step, p->node + 1);
			}
		cr_assert_leq(
			mem, type->amount[1], "world %u step %u: memory of n%u", world, step, p->node + 1);
	}
}

static void step(struct select_world *w, uint32_t world, uint32_t number)
{
	char plain[SW_TEXT];
	uint64_t available[2] = { ~UINT64_C(0), ~UINT64_C(0) };
	const uint32_t partition = draw(4) == 0;
	const struct select_job job = { .desc = &w->desc, .partition = partition, .user = (int32_t)draw(2) };
	const struct select_alloc *out;
	draw_desc(w);
	if (draw(4) == 0)
		available[draw(2)] &= ~(UINT64_C(15) << draw(60));
	select_plain(w->select, true);
	const enum select_answer want = select_place(w->select, &job, available, SELECT_NOW, &out);
	(void)snprintf(plain, sizeof(plain), "%s", want == SELECT_FITS ? sw_show(w, out, true) : "nowhere");
	select_plain(w->select, false);
	const enum select_answer got = select_place(w->select, &job, available, SELECT_NOW, &out);
	cr_assert_eq(got, want, "world %u step %u: answer %d, but %d by the plain pass (%s)", world, number,
		got, want, plain);
	if (got != SELECT_FITS)
		return;
	cr_assert_str_eq(sw_show(w, out, true), plain, "world %u step %u", world, number);
	if (!ones) /* There a job may go on beside one that began meanwhile. */
		check_alloc(w, out, world, number);
	if (held_count < HELD)
		held[held_count++] = select_take(w->select, out);
}

static void give_some(struct select_world *w, uint32_t out_of)
{
	for (size_t i = 0; i < held_count;) {
		if (draw(out_of)) {
			i++;
			continue;
		}
		select_give(w->select, held[i]);
		held[i] = held[--held_count];
	}
}

/* What is done after a mark and undone leaves no trace. */
static void try_and_undo(struct select_world *w, uint32_t world)
{
	char before[SW_TEXT];
	const struct select_alloc *out;
	const struct select_job job = { .desc = &w->desc, .user = 0 };
	draw_desc(w);
	const enum select_answer want = select_place(w->select, &job, NULL, SELECT_NOW, &out);
	(void)snprintf(before, sizeof(before), "%s", want == SELECT_FITS ? sw_show(w, out, true) : "nowhere");
	const uint32_t mark = select_mark(w->select);
	for (size_t i = 0; i < held_count; i += 2)
		select_give(w->select, held[i]);
	for (int i = 0; i < 5; i++)
		if (select_place(w->select, &job, NULL, SELECT_NOW, &out) == SELECT_FITS)
			(void)select_take(w->select, out);
	select_undo(w->select, mark);
	const enum select_answer got = select_place(w->select, &job, NULL, SELECT_NOW, &out);
	cr_assert_eq(got, want, "world %u: undone, the answer is another", world);
	if (got == SELECT_FITS)
		cr_assert_str_eq(
			sw_show(w, out, true), before, "world %u: undone, the place is another", world);
}

/* Now and then a job is suspended, or goes on; a node gets another rank. */
static void disturb(const struct select_world *w)
{
	if (held_count && draw(3) == 0)
		select_stop(w->select, held[draw((uint32_t)held_count)], draw(3) == 0);
	for (size_t i = 0; i < held_count && draw(2); i++)
		select_stop(w->select, held[i], false);
	if (draw(12) == 0)
		select_set_rank(w->select, draw(w->cluster.node_count), draw(2));
	for (uint32_t n = 0; n < w->cluster.node_count && draw(9) == 0; n++)
		select_set_rank(w->select, n, 0);
}

static void find_both(void)
{
	for (uint32_t world = 0; world < WORLDS; world++) {
		struct select_world w;
		draw_state = world + 1;
		held_count = 0;
		draw_world(&w);
		for (uint32_t i = 0; i < STEPS; i++) {
			step(&w, world, i);
			if (i % 10 == 9)
				give_some(&w, 3);
			if (i % 20 == 15)
				try_and_undo(&w, world);
			if (ones && i % 4 == 3)
				disturb(&w);
		}
		sw_end(&w);
	}
}

Test(prop_select, indices_find_what_the_plain_pass_finds) { find_both(); }

Test(prop_select, nodes_of_one_cpu_are_those_of_the_plain_pass)
{
	ones = true;
	find_both();
}

/* ---- Plans ----------------------------------------------------------------------------------------------
 */

static sl_time held_end[HELD];

static int by_end(const void *a, const void *b)
{
	const struct select_running *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->alloc->node_alloc[0].node < y->alloc->node_alloc[0].node ? -1 : 1;
}

/* Ends lie close together and far apart, and some are the same; some jobs are in no list. */
static size_t running_now(struct select_running *running, uint64_t listing)
{
	size_t count = 0;
	for (size_t i = 0; i < held_count; i++) {
		if (held_end[i] == SL_NEVER || (listing % 2 && listing % 7 == i % 7))
			continue;
		size_t at = count++;
		const struct select_running r = { .alloc = held[i], .end = held_end[i] };
		for (; at > 0 && by_end(&running[at - 1], &r) > 0; at--)
			running[at] = running[at - 1];
		running[at] = r;
	}
	return count;
}

static sl_time random_end(void)
{
	if (draw(30) == 0)
		return SL_NEVER;
	const int64_t coarse = draw(2) ? 150 : 1;
	return (100 + (int64_t)draw(draw(3) ? 300 : 5000) / coarse * coarse) * SL_SECOND;
}

static void fill_up(struct select_world *w)
{
	const struct select_alloc *out;
	for (int tries = 0; tries < 60 && held_count < HELD; tries++) {
		draw_desc(w);
		const struct select_job job = { .desc = &w->desc, .partition = draw(4) == 0, .user = 0 };
		if (select_place(w->select, &job, NULL, SELECT_NOW, &out) != SELECT_FITS)
			continue;
		held_end[held_count] = random_end();
		held[held_count++] = select_take(w->select, out);
	}
}

static void end_some(struct select_world *w)
{
	for (size_t i = held_count; i-- > 0;)
		if (draw(8) == 0) {
			select_give(w->select, held[i]);
			held[i] = held[--held_count];
			held_end[i] = held_end[held_count];
		} else if (draw(20) == 0 && held_end[i] != SL_NEVER) {
			held_end[i] += (int64_t)draw(500) * SL_SECOND; /* Its limit was changed. */
		}
}

/* From 24.11 on: not before then, and waiting for nothing that ends later than that; often at an end. */
static void draw_window(struct select_outlook *o)
{
	const sl_time ends[] = { random_end(),
		o->running_count ? o->running[draw((uint32_t)o->running_count)].end : SL_NEVER };
	o->windowed = draw(3) != 0;
	o->nearby = o->windowed && draw(2);
	const sl_time from = draw(2) ? ends[draw(2)] : o->now;
	o->from = from == SL_NEVER ? o->now : from;
	const sl_time until = draw(2) ? ends[draw(2)] : SL_NEVER;
	o->until = until < o->from ? SL_NEVER : until;
}

/* The number of worlds and steps at which it was planned for later. */
static uint32_t plan_both(
	struct select_world *w, uint32_t world, uint32_t number, uint64_t listing, bool reported)
{
	static struct select_running running[HELD];
	uint64_t available[2] = { ~UINT64_C(0), ~UINT64_C(0) }, want_nodes[2], got_nodes[2];
	struct select_outlook outlook = { .running = running,
		.running_count = running_now(running, listing),
		.now = 90 * SL_SECOND,
		.epoch = 1000,
		.listing = reported ? listing : 0 };
	draw_window(&outlook);
	draw_desc(w);
	const struct select_job job = { .desc = &w->desc, .partition = draw(4) == 0, .user = 0 };
	for (uint32_t i = draw(3); i > 0; i--)
		available[draw(2)] &= ~(UINT64_C(4095) << draw(60));
	if (draw(3) == 0) { /* Few nodes, which few jobs touch. */
		available[0] = UINT64_C(7) << draw(30);
		available[1] = 0;
	}
	select_plain(w->select, true);
	const sl_time want = select_will_run(w->select, &job, available, &outlook, want_nodes);
	const bool could = select_could(w->select, &job, available);
	select_plain(w->select, false);
	for (int retry = 0; retry < 2; retry++) {
		const sl_time got = select_will_run(w->select, &job, available, &outlook, got_nodes);
		cr_assert_eq(got, want, "world %u step %u: planned at %lld, not at %lld", world, number,
			(long long)got, (long long)want);
		for (size_t i = 0; i < select_node_words(w->select); i++)
			cr_assert_eq(got_nodes[i], want_nodes[i], "world %u step %u: planned on other nodes",
				world, number);
		cr_assert_eq(select_could(w->select, &job, available), could, "world %u step %u: could",
			world, number);
	}
	return (want > outlook.now || outlook.from > outlook.now) && want != SL_NEVER;
}

/* Each plan twice by the pass over all nodes and all batches, and as it is worked out without them. */
static void find_later(void)
{
	uint32_t later = 0;
	uint64_t listing = 0;
	const uint32_t worlds = (uint32_t)effort_of(60, 180, 600);
	for (uint32_t world = 0; world < worlds; world++) {
		struct select_world w;
		draw_state = 1000 + world;
		held_count = 0;
		draw_world(&w);
		for (uint32_t i = 0; i < 12; i++) {
			fill_up(&w);
			listing++;
			if (ones && i % 3 == 2)
				disturb(&w);
			for (uint32_t k = 0; k < 12; k++)
				later += plan_both(&w, world, 100 * i + k, listing, draw(2));
			end_some(&w);
		}
		sw_end(&w);
	}
	cr_expect_gt(later, 15 * worlds, "only %u plans were for later", later);
}

Test(prop_select, plans_are_those_of_the_batches) { find_later(); }

Test(prop_select, plans_on_nodes_of_one_cpu_are_those_of_the_batches)
{
	ones = true;
	find_later();
}

/* So many that what is free is not kept at each end. */
Test(prop_select, plans_on_many_nodes_of_one_cpu_are_those_of_the_batches)
{
	enum { NODES = 3000, WORDS = (NODES + 63) / 64 };
	static struct select_running running[NODES];
	uint64_t available[WORDS], want_nodes[WORDS], got_nodes[WORDS];
	const struct select_alloc *out;
	struct select_world w;
	size_t count = 0;
	sw_begin(&w);
	(void)sw_nodes(&w, NODES, 1, 1, 1, 1000);
	sw_ready(&w);
	draw_state = 5;
	for (struct select_job job = { .desc = sw_desc(&w) };; count++) {
		w.desc.tasks = count % 50 ? 1 : 1 + draw(9);
		if (select_place(w.select, &job, NULL, SELECT_NOW, &out) != SELECT_FITS)
			break;
		running[count] = (struct select_running){ .alloc = select_take(w.select, out),
			.end = random_end() % 5000000000 };
	}
	qsort(running, count, sizeof(*running), by_end);
	struct select_outlook outlook = {
		.running = running, .running_count = count, .now = 90 * SL_SECOND, .epoch = 1000, .listing = 1
	};
	cr_assert_gt(count * WORDS, 1 << 16);
	for (int i = 0; i < 60; i++) {
		draw_window(&outlook);
		const struct select_job job = { .desc = sw_desc(&w) };
		w.desc.tasks = 1 + draw(draw(2) ? 20 : 2500);
		memset(available, 0xff, sizeof(available));
		available[draw(WORDS)] = available[draw(WORDS)] = draw(3) ? 0 : 5;
		select_plain(w.select, true);
		const sl_time want = select_will_run(w.select, &job, available, &outlook, want_nodes);
		select_plain(w.select, false);
		cr_assert_eq(
			select_will_run(w.select, &job, available, &outlook, got_nodes), want, "plan %d", i);
		cr_assert_arr_eq(got_nodes, want_nodes, sizeof(got_nodes), "plan %d: on other nodes", i);
	}
	sw_end(&w);
}
