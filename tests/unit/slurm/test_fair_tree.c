/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fair_tree.c - Fair Tree on drawn trees against a slow definition: who is before whom is said of two
 * users by the paths that lead to them, and ranks are counted from that.
 *
 * A path has a step for each account and the user, from the root on. The first step in which two paths differ
 * decides: the greater level fair share, else the user before the account, else the name. A step is tied if
 * what is taken just before it among its siblings has the same share, or if it is the first of them and its
 * account is tied. Who is tied has the rank of the user before; another one as many as are not before it.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/accounts/ctl_prio.h"
#include "sim/base/base.h"

enum { MOST = 40, DEEP = 8, ROUNDS = 400 };

struct path {
	uint32_t step[DEEP], depth;
};

static struct {
	struct ctl c;
	struct ctl_prio prio;
	struct ctl_assoc assoc[MOST];
	char name[MOST][8];
	struct path path[MOST];
	uint32_t user[MOST], user_count;
} w;

static uint32_t add(uint32_t parent, bool user, int64_t shares)
{
	const uint32_t row = w.c.assoc_count++;
	(void)snprintf(w.name[row], sizeof(w.name[row]), "%c%02u", user ? 'u' : 'a', row);
	w.assoc[row] = (struct ctl_assoc){ .account = user ? w.assoc[parent].account : w.name[row],
		.user = user ? w.name[row] : NULL,
		.parent = parent,
		.shares = shares };
	return row;
}

/* Few shares and amounts, so that there are many ties. */
static void draw(struct sl_rng *rng)
{
	memset(&w, 0, sizeof(w));
	w.c.assoc = w.assoc;
	w.c.prio = &w.prio;
	w.c.arena = sl_arena_new();
	w.c.params.priority_flags = CTL_PRIO_FAIR_TREE;
	(void)add(CTL_NO_ROW, false, CTL_NONE);
	const uint32_t count = 2 + (uint32_t)sl_rng_below(rng, MOST - 2);
	while (w.c.assoc_count < count) {
		uint32_t parent = (uint32_t)sl_rng_below(rng, w.c.assoc_count);
		uint32_t depth = 0;
		for (uint32_t up = parent; up != CTL_NO_ROW; up = w.assoc[up].parent)
			depth++;
		if (w.assoc[parent].user || depth >= DEEP - 1)
			continue;
		const bool user = sl_rng_below(rng, 5) < 3;
		const uint64_t shares = sl_rng_below(rng, 5);
		const uint32_t row =
			add(parent, user, shares == 4 && sl_rng_below(rng, 2) ? CTL_NONE : (int64_t)shares);
		const double used = (double)sl_rng_below(rng, 4);
		for (uint32_t up = row; user && up != CTL_NO_ROW; up = w.assoc[up].parent)
			w.assoc[up].usage_raw += used;
	}
}

/* The account above that has shares: those that hand on are no step. */
static uint32_t above(uint32_t row)
{
	uint32_t up = w.assoc[row].parent;
	while (up && w.assoc[up].shares == CTL_NONE)
		up = w.assoc[up].parent;
	return up;
}

static double level(uint32_t row)
{
	const struct ctl_assoc *assoc = &w.assoc[row];
	double shares = 0;
	const double usage = w.assoc[above(row)].usage_raw;
	for (uint32_t i = 1; i < w.c.assoc_count; i++)
		if (above(i) == above(row) && w.assoc[i].shares != CTL_NONE)
			shares += (double)w.assoc[i].shares;
	if (assoc->shares == CTL_NONE)
		return assoc->user ? (double)INFINITY : (double)UINT32_MAX - 1;
	if (!assoc->shares)
		return 0;
	if (!(assoc->usage_raw > 0))
		return (double)INFINITY;
	return (double)assoc->shares / shares / (assoc->usage_raw / usage);
}

static void make_path(uint32_t user)
{
	struct path path = { .depth = 0 };
	struct path *to = &w.path[w.user_count];
	for (uint32_t row = user; row; row = above(row))
		path.step[path.depth++] = row;
	to->depth = path.depth;
	for (uint32_t i = 0; i < path.depth; i++)
		to->step[i] = path.step[path.depth - 1 - i];
	w.user[w.user_count++] = user;
}

static int compare_steps(uint32_t a, uint32_t b)
{
	if (level(a) > level(b) || level(a) < level(b))
		return level(a) > level(b) ? -1 : 1;
	if (!w.assoc[a].user != !w.assoc[b].user)
		return w.assoc[a].user ? -1 : 1;
	return strcmp(w.name[a], w.name[b]);
}

static uint32_t common(const struct path *a, const struct path *b)
{
	uint32_t i = 0;
	while (i < a->depth && i < b->depth && a->step[i] == b->step[i])
		i++;
	return i;
}

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a;
	const struct path *y = b;
	const uint32_t i = common(x, y);
	return i == x->depth || i == y->depth ? 0 : compare_steps(x->step[i], y->step[i]);
}

/* The sibling that is taken just before it; 0: it is the first. */
static uint32_t taken_before(uint32_t row)
{
	uint32_t last = 0;
	for (uint32_t i = 1; i < w.c.assoc_count; i++)
		if (i != row && above(i) == above(row) && compare_steps(i, row) < 0 &&
			(!last || compare_steps(last, i) < 0))
			last = i;
	return last;
}

static bool tied(uint32_t row)
{
	const uint32_t before = taken_before(row);
	if (before)
		return !(level(before) > level(row));
	return above(row) ? tied(above(row)) : false;
}

Test(fair_tree, order_and_ranks_are_those_of_the_paths)
{
	struct sl_rng rng = sl_rng_stream(7, "fair_tree");
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct sl_err err = { 0 };
		draw(&rng);
		cr_assert_eq(fair_make(&w.c, &err), SL_OK);
		ctl_fair_tree(&w.c);
		for (uint32_t row = 1; row < w.c.assoc_count; row++)
			if (w.assoc[row].user)
				make_path(row);
		qsort(w.path, w.user_count, sizeof(*w.path), compare_paths);
		uint32_t rank = w.user_count;
		for (uint32_t i = 0; i < w.user_count; i++) {
			const uint32_t row = w.path[i].step[w.path[i].depth - 1];
			const double factor = w.assoc[row].fs_factor * w.user_count;
			if (!i || !tied(row))
				rank = w.user_count - i;
			cr_assert_lt(fabs(factor - rank), 1e-9, "round %u: %s has rank %g, not %u", round,
				w.name[row], factor, rank);
		}
		sl_arena_free(w.c.arena);
	}
}
