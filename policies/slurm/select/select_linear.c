/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_linear.c - select/linear: whole nodes.
 *
 * Rules (public source of 22.05, select_linear.c, in outline; slurm.conf(5)):
 * - A job gets all cpus of its nodes; with CR_Memory the memory that it requests, or all. Nodes in use
 *   are unavailable, unless the partition lets jobs share them: then those with the fewest jobs are
 *   tried first.
 * - Lighter nodes are tried alone before heavier ones are added.
 * - Runs of neighbours: of those that suffice the one with the fewest cpus, else
 *   the one with the most; nodes in order. Required nodes are chosen first, then
 *   up and down from them.
 */
#include "policies/slurm/select/select_pick.h"

static bool usable(const struct sel_test *t, uint32_t node, uint32_t jobs)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	const struct sel_node *n = &s->node[node];
	const struct sel_shape *shape = shape_of(s, node);
	if (!t->ever && n->jobs > jobs)
		return false;
	const int64_t mem = shape->mem - (t->ever ? 0 : n->mem_used);
	if (s->cr_mem && (q->mem_per_cpu ? q->mem * shape->cpus : q->mem ? q->mem : shape->mem) > mem)
		return false;
	for (uint32_t g = 0; g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		const int64_t free = shape->gres_count[r->name] - (t->ever ? 0 : n->gres_used[r->name]);
		if (free < max64(max64(r->per_node, r->per_task * max64(q->tasks_per_node, 1)), 1))
			return false;
	}
	return q->tasks_per_node * q->cpus_per_task <= shape->cpus;
}

struct linear {
	struct sel_test *t;
	int64_t cpus, nodes, most;
};

static void select_linear_take(struct linear *l, uint32_t node)
{
	l->cpus -= shape_of(l->t->s, node)->cpus;
	l->nodes--;
	l->most--;
	bit_set(l->t->nodes, node);
}

static bool met(const struct linear *l) { return l->nodes <= 0 && l->cpus <= 0; }

static void take_run(struct linear *l, const struct sel_run *run)
{
	const uint32_t from = run->required == UINT32_MAX ? run->from : run->required;
	for (uint32_t n = from; n <= run->to && l->most > 0 && !met(l); n++)
		if (!bit_test(l->t->nodes, n) &&
			(l->most > 1 || run->required != UINT32_MAX || shape_of(l->t->s, n)->cpus >= l->cpus))
			select_linear_take(l, n);
	for (uint32_t n = from; n-- > run->from && l->most > 0 && !met(l);)
		if (!bit_test(l->t->nodes, n))
			select_linear_take(l, n);
}

static uint32_t make_runs(struct linear *l, const uint64_t *open)
{
	struct select *s = l->t->s;
	uint32_t count = 0;
	bool begun = false;
	for (uint32_t n = 0; n < s->node_count; n++) {
		if (!bit_test(open, n)) {
			count += begun;
			begun = false;
			continue;
		}
		struct sel_run *run = &s->run[count];
		if (!begun)
			*run = (struct sel_run){ .from = n, .required = UINT32_MAX };
		begun = true;
		run->to = n;
		if (bit_test(l->t->nodes, n)) {
			if (run->required == UINT32_MAX)
				run->required = n;
			continue;
		}
		run->cpus += shape_of(s, n)->cpus;
		run->nodes++;
	}
	return count + begun;
}

static const struct sel_run *best_run(const struct linear *l, uint32_t count, bool *suffices)
{
	const struct sel_run *best = NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct sel_run *run = &l->t->s->run[i];
		if (!run->nodes)
			continue;
		const bool enough = run->cpus >= l->cpus && sel_enough_nodes(l->t, run->nodes, l->nodes);
		if (!best || (best->required == UINT32_MAX && run->required != UINT32_MAX) ||
			(enough ? !*suffices || run->cpus < best->cpus : run->cpus > best->cpus)) {
			best = run;
			*suffices = enough;
		}
	}
	return best;
}

static bool select_linear_choose(struct sel_test *t, const uint64_t *open)
{
	struct select *s = t->s;
	struct linear l = {
		.t = t, .cpus = t->cpus_min, .nodes = max64(t->nodes_min, t->nodes_want), .most = t->nodes_max
	};
	memset(t->nodes, 0, s->words * sizeof(*t->nodes));
	if (t->required && !bits_within(t->required, open, s->words))
		return false;
	for (uint32_t n = t->required ? bits_next(t->required, s->words, 0) : UINT32_MAX; n != UINT32_MAX;
		n = bits_next(t->required, s->words, n + 1))
		select_linear_take(&l, n);
	if (l.most < 0)
		return false;
	const uint32_t count = make_runs(&l, open);
	while (!met(&l) && l.most > 0) {
		bool suffices = false;
		const struct sel_run *best = best_run(&l, count, &suffices);
		if (!best || (t->q->contiguous && !suffices))
			break;
		take_run(&l, best);
		s->run[best - s->run].nodes = s->run[best - s->run].cpus = 0;
	}
	return met(&l) || (l.cpus <= 0 && sel_enough_nodes(t, 0, l.nodes));
}

/* Lighter nodes alone, then with the next heavier. */
static bool by_weight(struct sel_test *t, const uint64_t *from, uint32_t jobs)
{
	struct select *s = t->s;
	uint64_t *open = s->set[0];
	memset(open, 0, s->words * sizeof(*open));
	int64_t weight = -1;
	for (;;) {
		int64_t next = INT64_MAX;
		for (uint32_t n = bits_next(from, s->words, 0); n != UINT32_MAX;
			n = bits_next(from, s->words, n + 1)) {
			const int64_t here = (int64_t)s->node[n].rank << 40 | shape_of(s, n)->weight;
			if (here > weight)
				next = min64(next, here);
		}
		if (next == INT64_MAX)
			return false;
		weight = next;
		for (uint32_t n = bits_next(from, s->words, 0); n != UINT32_MAX;
			n = bits_next(from, s->words, n + 1))
			if (((int64_t)s->node[n].rank << 40 | shape_of(s, n)->weight) == weight &&
				usable(t, n, jobs))
				bit_set(open, n);
		if (bits_count(open, s->words) >= t->nodes_min && select_linear_choose(t, open))
			return true;
	}
}

bool sel_linear(struct sel_test *t)
{
	struct select *s = t->s;
	uint64_t *from = s->set[1];
	const int64_t shares =
		sel_use_of(s, t->q) == SEL_USE_AVAILABLE ? s->partition[t->q->partition].rows : 1;
	if (t->q->tasks && t->nodes_max > t->q->tasks)
		t->nodes_max = max64(t->q->tasks, t->nodes_min);
	memcpy(from, t->nodes, s->words * sizeof(*from));
	for (uint32_t jobs = 0; jobs < shares; jobs++)
		if (by_weight(t, from, jobs))
			return true;
	return false;
}
