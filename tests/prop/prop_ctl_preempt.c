/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_ctl_preempt.c - preemption and gang scheduling on random clusters and jobs, after every step: nobody
 * is preempted by whom he may not be, or needlessly; who stands still stands in nobody's place, and has
 * somebody in his; no core has more jobs than its rows; and the node selection is as before a question.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_preempt_world.h"

enum { WORLDS = 150, STEPS = 60, PARTS = 3 };

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

static void random_world(struct preempt_world *w, bool gang)
{
	static const int64_t tiers[] = { 1, 5, 9 };
	pw_begin(w, 1 + draw(6));
	w->w.partition[0].tier = tiers[draw(2)];
	for (uint32_t i = 1; i < PARTS; i++)
		(void)pw_part(w, i == 1 ? "q" : "r", tiers[draw(3)]);
	for (uint32_t i = 0; i < PARTS; i++) {
		if (draw(2))
			continue;
		w->w.partition[i].share = SL_SHARE_FORCE;
		w->w.partition[i].shares = 1 + draw(3);
	}
	if (gang)
		pw_gang(w);
	pw_ready(w);
	w->c.params.preempt_reorder_count = draw(3);
	w->c.params.preempt_strict_order = draw(2);
	w->c.params.preempt_youngest_first = draw(2);
	cr_assert_eq(ctl_preempt_make(&w->c, &w->c.engine.err), SL_OK);
}

static struct ctl_job *random_job(struct preempt_world *w)
{
	uint32_t row = 0;
	while (row < PW_JOBS && (w->job[row].state == CTL_RUNNING || w->job[row].state == CTL_SUSPENDED))
		row++;
	if (row == PW_JOBS)
		return NULL;
	w->job[row].state = CTL_NOT_SUBMITTED;
	const uint32_t part = draw(PARTS);
	return draw(3) ? pw_job(w, part, 1 + draw(6)) : pw_whole(w, part, 1 + draw(2));
}

/* A running or suspended one. */
static struct ctl_job *any_that_runs(struct preempt_world *w)
{
	uint32_t left = w->c.running_count ? draw(w->c.running_count) : 0;
	for (uint32_t row = w->c.running_first; row != CTL_NO_ROW; row = w->job[row].next)
		if (!left--)
			return &w->job[row];
	return NULL;
}

/* ---- What holds ------------------------------------------------------------------------------------------
 */

static bool share_a_core(const struct ctl_job *a, const struct ctl_job *b)
{
	for (uint32_t i = 0; i < a->alloc->node_count; i++)
		for (uint32_t j = 0; j < b->alloc->node_count; j++)
			if (a->alloc->node_alloc[i].node == b->alloc->node_alloc[j].node &&
				(a->alloc->node_alloc[i].cores[0] & b->alloc->node_alloc[j].cores[0]))
				return true;
	return false;
}

/* Two that run share a core in partitions of equal tier only; who stands still does so for a reason. */
static void check_turns(struct preempt_world *w, uint64_t seed)
{
	for (uint32_t row = w->c.running_first; row != CTL_NO_ROW; row = w->job[row].next) {
		const struct ctl_job *one = &w->job[row];
		bool in_its_place = false;
		for (uint32_t k = w->c.running_first; k != CTL_NO_ROW; k = w->job[k].next) {
			const struct ctl_job *other = &w->job[k];
			if (other == one || other->state != CTL_RUNNING || !share_a_core(one, other))
				continue;
			const bool turns = one->part == other->part ||
					   w->part[one->part].tier != w->part[other->part].tier;
			cr_assert(one->state == CTL_SUSPENDED || !turns,
				"world %llu: jobs %u and %u run on one core", (unsigned long long)seed, row,
				k);
			in_its_place = in_its_place ||
				       (turns && w->part[other->part].tier >= w->part[one->part].tier);
		}
		cr_assert(one->state == CTL_RUNNING || in_its_place, "world %llu: job %u waits for nobody",
			(unsigned long long)seed, row);
	}
}

static void check_capacity(struct preempt_world *w, uint64_t seed)
{
	const uint32_t most = ctl_overcommit(&w->c);
	for (uint32_t node = 0; node < w->c.cluster->node_count; node++) {
		uint32_t jobs[4] = { 0 };
		int64_t mem = 0;
		for (uint32_t row = w->c.running_first; row != CTL_NO_ROW; row = w->job[row].next) {
			const struct select_alloc *a = w->job[row].alloc;
			for (uint32_t i = 0; i < a->node_count; i++)
				for (uint32_t core = 0; a->node_alloc[i].node == node && core < 4; core++) {
					jobs[core] += (uint32_t)(a->node_alloc[i].cores[0] >> core & 1);
					mem += core ? 0 : a->node_alloc[i].mem;
				}
		}
		for (uint32_t core = 0; core < 4; core++)
			cr_assert(jobs[core] <= most, "world %llu: %u jobs on core %u of node %u",
				(unsigned long long)seed, jobs[core], core, node);
		cr_assert(mem <= 4000, "world %llu: memory of node %u", (unsigned long long)seed, node);
	}
}

/* Rows and all, as text. */
static void picture(const struct preempt_world *w, char *text, size_t capacity)
{
	size_t at = 0;
	for (uint32_t row = w->c.running_first; row != CTL_NO_ROW && at + 20 < capacity;
		row = w->job[row].next)
		at += (size_t)snprintf(text + at, capacity - at, "%u:%u ", row, w->job[row].alloc->row);
}

/* Whether it fits with these gone. */
static bool fits_without(struct preempt_world *w, const struct ctl_job *job, struct ctl_job *const *gone,
	size_t count, size_t but)
{
	const uint32_t mark = select_mark(w->c.select);
	for (size_t i = 0; i < count; i++)
		if (i != but)
			select_give(w->c.select, gone[i]->alloc);
	const bool fits = select_place(w->c.select, &job->desc, NULL, SELECT_NOW, NULL) == SELECT_FITS;
	select_undo(w->c.select, mark);
	return fits;
}

/* ---- Steps ------------------------------------------------------------------------------------------------
 */

static void preempt(struct preempt_world *w, struct ctl_job *job, uint64_t seed)
{
	static char before[2000], after[2000];
	struct ctl_victims victims;
	struct ctl_job *gone[PW_JOBS];
	picture(w, before, sizeof(before));
	const bool fits = ctl_preempt_place(&w->c, job, job->part, NULL, &victims) == SELECT_FITS;
	picture(w, after, sizeof(after));
	cr_assert_str_eq(after, before, "world %llu: a question changed the rows", (unsigned long long)seed);
	if (!fits)
		return;
	const size_t count = victims.count;
	cr_assert(count > 0, "world %llu: it was said to be busy", (unsigned long long)seed);
	for (size_t i = 0; i < count; i++) {
		gone[i] = victims.job[i];
		cr_assert(w->part[gone[i]->part].tier < w->part[job->part].tier,
			"world %llu: job %u preempts job %u", (unsigned long long)seed, job->row,
			gone[i]->row);
	}
	cr_assert(fits_without(w, job, gone, count, SIZE_MAX), "world %llu: job %u does not fit even then",
		(unsigned long long)seed, job->row);
	/* The last one made it fit. Those before it are all needed only as far as reordering goes. */
	cr_assert_not(fits_without(w, job, gone, count, count - 1),
		"world %llu: job %u is preempted needlessly", (unsigned long long)seed, gone[count - 1]->row);
	cr_assert_not(ctl_preempt_do(&w->c, job, gone, count));
	cr_assert(pw_start(w, job), "world %llu: job %u does not start", (unsigned long long)seed, job->row);
}

static void step(struct preempt_world *w, uint64_t seed)
{
	w->c.now += draw(20);
	ctl_gang_run(&w->c);
	struct ctl_job *runs = any_that_runs(w);
	if (draw(3) == 0 && runs) {
		pw_finish(w, runs);
		return;
	}
	struct ctl_job *job = random_job(w);
	if (job && !pw_start(w, job) && !w->c.params.gang)
		preempt(w, job, seed);
	if (job && job->state == CTL_PENDING)
		job->state = CTL_NOT_SUBMITTED;
}

static void run_worlds(bool gang)
{
	static struct preempt_world w;
	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		draw_state = seed * 77 + gang;
		random_world(&w, gang);
		for (uint32_t i = 0; i < STEPS; i++) {
			step(&w, seed);
			if (gang)
				check_turns(&w, seed);
			check_capacity(&w, seed);
		}
		pw_end(&w);
	}
}

Test(prop_ctl_preempt, preemption) { run_worlds(false); }

Test(prop_ctl_preempt, gang) { run_worlds(true); }
