/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_ctl_running.c - the list of what runs, by the ends of limits, against one that is made anew each time;
 * and the rows of shared cores against jobs put into them, and rows sorted, as slurmctld does it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl_place.h"
#include "tests/world/select_world.h"

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

/* ---- What runs ----------------------------------------------------------------------------------------- */

enum { JOBS = 300 };

static int by_end(const void *a, const void *b)
{
	const struct select_running *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static size_t made_anew(const struct ctl *c, struct select_running *list)
{
	size_t count = 0;
	for (uint32_t row = 0; row < JOBS; row++)
		if (c->job[row].alloc)
			list[count++] = (struct select_running){ c->job[row].alloc,
				ctl_engine_time(c, c->job[row].end_limit), row };
	qsort(list, count, sizeof(*list), by_end);
	return count;
}

static bool change(struct ctl *c, struct select_alloc *alloc)
{
	struct ctl_job *job = &c->job[draw(JOBS)];
	if (job->alloc && draw(2))
		job->alloc = NULL;
	else if (job->alloc && job->end_limit != CTL_NEVER)
		job->end_limit += draw(200);
	else if (job->alloc)
		job->end_limit = draw(200);
	else
		job->alloc = &alloc[2 * job->row + draw(2)];
	if (job->alloc && draw(3) == 0)
		job->end_limit = draw(20) ? draw(50) : CTL_NEVER;
	ctl_running_changed(c, job);
	return true;
}

Test(prop_ctl_running, list_is_the_one_made_anew)
{
	static struct ctl_job job[JOBS];
	static struct select_alloc alloc[2 * JOBS];
	static struct select_running want[JOBS];
	struct select_world w;
	struct sl_err err = { 0 };
	const struct sl_jobs jobs = { .count = JOBS };
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 1, 1, 100);
	sw_ready(&w);
	struct ctl c = { .arena = w.arena, .jobs = &jobs, .job = job, .job_count = JOBS, .select = w.select };
	cr_assert_eq(ctl_running_make(&c, &err), SL_OK);
	for (uint32_t i = 0; i < 2 * JOBS; i++)
		alloc[i].end = SL_NEVER;
	for (uint32_t row = 0; row < JOBS; row++)
		job[row].row = job[row].of = row;
	uint64_t before = 0;
	for (uint32_t step = 0; step < 3000; step++) {
		size_t count;
		uint64_t number;
		bool changed = false;
		draw_state = step + 7;
		for (uint32_t i = draw(draw(3) ? 4 : 60); i > 0; i--)
			changed = change(&c, alloc);
		const struct select_running *list = ctl_running_list(&c, &count, &number);
		cr_assert_eq(count, made_anew(&c, want), "step %u", step);
		cr_assert(!step || (number != before) == changed, "step %u: number", step);
		before = number;
		for (size_t i = 0; i < count; i++) {
			cr_assert_eq(by_end(&list[i], &want[i]), 0, "step %u place %zu", step, i);
			cr_assert_eq(list[i].alloc, want[i].alloc, "step %u place %zu", step, i);
			cr_assert_eq(list[i].alloc->end, want[i].end, "step %u: told", step);
		}
	}
	sw_end(&w);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

enum { ROWS = 6, HELD = 60, NONE = ROWS };

static struct placed {
	struct select_alloc *alloc;
	uint32_t row, was, order;
} placed[HELD];
static uint32_t placed_count; /* The last to come is the last. */

static bool meets(const struct select_alloc *a, const struct select_alloc *b)
{
	for (uint32_t i = 0; i < a->node_count; i++)
		for (uint32_t k = 0; k < b->node_count; k++)
			if (a->node_alloc[i].node == b->node_alloc[k].node &&
				(a->node_alloc[i].cores[0] & b->node_alloc[k].cores[0]))
				return true;
	return false;
}

static void sort(uint32_t *at)
{
	int cores[ROWS + 1] = { 0 };
	for (uint32_t i = 0; i < placed_count; i++)
		for (uint32_t k = 0; k < placed[i].alloc->node_count; k++)
			cores[placed[i].row] += __builtin_popcountll(placed[i].alloc->node_alloc[k].cores[0]);
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = i + 1; j < ROWS; j++)
			if (cores[at[j]] > cores[at[i]]) {
				const uint32_t one = at[i];
				at[i] = at[j];
				at[j] = one;
			}
}

static void name_by_place(const uint32_t *at)
{
	for (uint32_t i = 0; i < placed_count; i++) {
		uint32_t place = 0;
		while (placed[i].row != NONE && at[place] != placed[i].row)
			place++;
		placed[i].row = placed[i].row == NONE ? NONE : place;
	}
}

static uint32_t first_free(const struct select_alloc *a, const uint32_t *at)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		bool is_free = true;
		for (uint32_t k = 0; k < placed_count; k++)
			is_free = is_free && (placed[k].alloc == a || placed[k].row != at[i] ||
						     !meets(placed[k].alloc, a));
		if (is_free)
			return at[i];
	}
	return NONE;
}

static uint32_t first_core(const struct select_alloc *a)
{
	return a->node_alloc[0].node * 64 + (uint32_t)__builtin_ctzll(a->node_alloc[0].cores[0]);
}

static int by_start(const void *left, const void *right)
{
	const struct placed *a = *(struct placed *const *)left, *b = *(struct placed *const *)right;
	if (first_core(a->alloc) != first_core(b->alloc))
		return first_core(a->alloc) < first_core(b->alloc) ? -1 : 1;
	if (a->alloc->cpus != b->alloc->cpus)
		return a->alloc->cpus < b->alloc->cpus ? -1 : 1;
	if (a->was != b->was)
		return a->was < b->was ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void comes(struct select_alloc *a)
{
	uint32_t at[ROWS] = { 0, 1, 2, 3, 4, 5 }, same[ROWS] = { 0, 1, 2, 3, 4, 5 };
	sort(at);
	name_by_place(at);
	placed[placed_count] = (struct placed){ .alloc = a, .row = NONE };
	placed_count++;
	placed[placed_count - 1].row = first_free(a, same);
}

static void goes(uint32_t which)
{
	uint32_t at[ROWS] = { 0, 1, 2, 3, 4, 5 };
	struct placed *order[HELD];
	bool all = true;
	memmove(&placed[which], &placed[which + 1], (placed_count - which - 1) * sizeof(*placed));
	placed_count--;
	for (uint32_t i = 0; i < placed_count; i++) {
		order[i] = &placed[i];
		placed[i].was = placed[i].row;
		placed[i].row = NONE;
		placed[i].order = placed_count - i;
	}
	if (placed_count)
		qsort(order, placed_count, sizeof(struct placed *), by_start);
	for (uint32_t i = 0; i < placed_count; i++) {
		order[i]->row = first_free(order[i]->alloc, at);
		all = all && order[i]->row != NONE;
		sort(at);
	}
	if (all)
		name_by_place(at);
	for (uint32_t i = 0; i < placed_count && !all; i++)
		placed[i].row = placed[i].was;
}

Test(prop_ctl_running, rows_are_those_of_rows_sorted_each_time)
{
	for (uint32_t world = 0; world < 60; world++) {
		struct select_world w;
		const struct select_alloc *out;
		draw_state = world + 11;
		placed_count = 0;
		sw_begin(&w);
		(void)sw_nodes(&w, 1 + draw(5), 1 + draw(2), 1 + draw(4), 1, 100000);
		struct sl_partition *q = sw_partition(&w, "q", "ALL");
		q->share = SL_SHARE_FORCE;
		q->shares = ROWS;
		sw_set(&w, "SelectTypeParameters", "CR_Core");
		sw_ready(&w);
		for (uint32_t step = 0; step < 200; step++) {
			const struct select_job job = { .desc = sw_desc(&w), .partition = 1 };
			w.desc.tasks = 1 + draw(draw(3) ? 4 : 12);
			if (placed_count && draw(5) < 2) {
				const uint32_t which = draw(placed_count);
				select_give(w.select, placed[which].alloc);
				goes(which);
			} else if (placed_count < HELD &&
				   select_place(w.select, &job, NULL, SELECT_NOW, &out) == SELECT_FITS) {
				comes(select_take(w.select, out));
			}
			for (uint32_t i = 0; i < placed_count; i++)
				cr_assert_eq(placed[i].alloc->row, placed[i].row,
					"world %u step %u: row %u, not %u", world, step, placed[i].alloc->row,
					placed[i].row);
		}
		sw_end(&w);
	}
}
