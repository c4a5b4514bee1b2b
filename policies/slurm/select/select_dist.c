/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_dist.c - how many cpus of each chosen node, and which cores.
 *
 * Rules (public source of 22.05, dist_tasks.c, in outline; sbatch(1)
 * --distribution, slurm.conf(5) CR_CORE_DEFAULT_DIST_BLOCK):
 * - One task to each node; then tasks fill the cores that are begun; then more
 *   tasks in turn, so many at a time as a core has cpus for.
 * - plane=N: N tasks at a time.
 * - Before 24.05 tasks for which there are no cpus go there all the same; from then on the job does not fit.
 * - Cores in turn from one socket after another (cyclic, the default): the
 *   lowest free one of each. A task of several cpus stays on one socket if it
 *   can; --ntasks-per-socket bounds the cpus of a socket.
 * - block: from the fewest sockets that are enough, the tightest fit first.
 * - With CR_Socket all cores of a socket that is used.
 * - Whole nodes: all cores.
 */
#include "policies/slurm/select/select_parts.h"

struct laying {
	struct sel_test *t;
	struct select_alloc *alloc;
	const int64_t *limit, *gres_cpus;
	int64_t left; /* Tasks. */
};

static int64_t have(const struct laying *l, uint32_t i)
{
	return l->t->s->avail[l->alloc->node_alloc[i].node].cpus;
}

static bool may_have_more(const struct laying *l, uint32_t i)
{
	const struct sel_request *q = l->t->q;
	const struct select_node_alloc *p = &l->alloc->node_alloc[i];
	return have(l, i) - p->cpus >= q->cpus_per_task && (!l->limit || l->limit[i] > (int64_t)p->tasks) &&
	       (!q->tasks_per_node || (int64_t)p->tasks < q->tasks_per_node);
}

static void add_task(struct laying *l, uint32_t i)
{
	struct select_node_alloc *p = &l->alloc->node_alloc[i];
	p->tasks++;
	p->cpus = max64(p->cpus, min64(p->cpus + l->t->q->cpus_per_task, have(l, i)));
	l->left--;
}

/* From 24.05 on no task goes where it has no cpus. Where the devices of a node are for so many tasks only by
 * the way, more may go there if else they would go nowhere. False: there is no place for them. */
static bool beyond_limit(struct laying *l)
{
	bool by_task = false;
	for (uint32_t g = 0; g < l->t->q->gres_count; g++)
		by_task = by_task || l->t->q->gres[g].per_task;
	if (!l->limit || by_task)
		return false;
	l->limit = NULL;
	return true;
}

static bool lay_tasks(struct laying *l)
{
	const struct sel_request *q = l->t->q;
	const struct select_alloc *alloc = l->alloc;
	const bool strict = l->t->s->version >= SEL_24_05;
	bool over = true;
	for (uint32_t i = 0; i < alloc->node_count && l->left > 0; i++)
		if (have(l, i)) {
			add_task(l, i);
			if (alloc->node_alloc[i].cpus < have(l, i))
				over = false;
		}
	for (uint32_t i = 0; i < alloc->node_count && l->left > 0; i++) {
		const int64_t begun =
			alloc->node_alloc[i].cpus % shape_of(l->t->s, alloc->node_alloc[i].node)->threads;
		for (int64_t k = begun / q->cpus_per_task; k > 0 && l->left > 0 && may_have_more(l, i); k--)
			add_task(l, i);
	}
	bool by_task = false;
	for (uint32_t g = 0; g < q->gres_count; g++)
		by_task = by_task || q->gres[g].per_task;
	if (q->overcommit && !by_task)
		return true;
	over = over && !strict;
	while (l->left > 0) {
		bool namespace = false;
		for (uint32_t i = 0; i < alloc->node_count && l->left > 0; i++) {
			const int64_t threads = shape_of(l->t->s, alloc->node_alloc[i].node)->threads;
			for (int64_t k = max64(threads / q->cpus_per_task, 1); k > 0 && l->left > 0; k--) {
				if (!over && !may_have_more(l, i))
					break;
				add_task(l, i);
				if (have(l, i) - alloc->node_alloc[i].cpus >= q->cpus_per_task)
				namespace = true;
			}
		}
		over = over || (!namespace && !strict);
		if (strict && !namespace && l->left > 0 && !beyond_limit(l))
			return false;
	}
	return true;
}

static bool lay_planes(struct laying *l)
{
	const struct sel_request *q = l->t->q;
	const bool strict = l->t->s->version >= SEL_24_05;
	for (bool over = false; l->left > 0;) {
		bool namespace = false;
		for (uint32_t i = 0; i < l->alloc->node_count; i++) {
			for (int64_t k = q->plane_size; k > 0 && l->left > 0; k--)
				if (l->alloc->node_alloc[i].cpus < have(l, i) || over)
					add_task(l, i);
			namespace = namespace || l->alloc->node_alloc[i].cpus < have(l, i);
		}
		over = over || (!namespace && !strict);
		if (strict && !namespace && l->left > 0 && !beyond_limit(l))
			return false;
	}
	return true;
}

/* ---- Cores --------------------------------------------------------------------------- */

struct choosing {
	const struct select *s;
	const struct sel_request *q;
	const struct sel_shape *shape;
	uint64_t *map; /* In: available; out: chosen. */
	uint64_t chosen[SEL_WORDS];
	uint32_t next[SEL_SOCKETS]; /* The next core to look at. */
	uint64_t avoid, used;       /* Sockets. */
	int64_t per_core, cpus;     /* cpus: still wanted. */
};

static int64_t socket_free(const struct choosing *c, uint32_t socket)
{
	return bit_count_range(c->map, socket * c->shape->cores, (socket + 1) * c->shape->cores);
}

static void select_dist_choose(struct choosing *c, uint32_t socket, uint32_t core)
{
	bit_set(c->chosen, core);
	c->used |= UINT64_C(1) << socket;
}

/* Sockets that the job does not need, by how many tasks each may have. */
static void avoid_sockets(struct choosing *c)
{
	const int64_t most = c->q->tasks_per_socket * c->q->cpus_per_task;
	int64_t count[SEL_SOCKETS], total = 0;
	for (uint32_t s = 0; s < c->shape->sockets; s++)
		total += count[s] = socket_free(c, s) * c->per_core;
	for (uint32_t s = 0; s < c->shape->sockets && total > c->cpus; s++)
		if (count[s] > most) {
			total -= count[s] - most;
			count[s] = most;
		}
	for (uint32_t s = 0; s < c->shape->sockets && total > c->cpus; s++)
		if (count[s] <= most && total - count[s] >= c->cpus) {
			c->avoid |= UINT64_C(1) << s;
			total -= count[s];
		}
}

/* All cpus of a task on one socket, as far as that goes. */
static void pack_tasks(struct choosing *c)
{
	const int64_t per_task = c->q->cpus_per_task;
	int64_t of_task = per_task;
	for (uint32_t s = 0; s < c->shape->sockets && c->cpus > 0; s++) {
		int64_t capacity = socket_free(c, s) * c->per_core / per_task * per_task;
		for (; c->next[s] < (s + 1) * c->shape->cores && capacity > 0 && c->cpus > 0; c->next[s]++) {
			if (!bit_test(c->map, c->next[s]))
				continue;
			select_dist_choose(c, s, c->next[s]);
			int64_t used = c->per_core;
			if (c->q->tasks_per_core == 1 && per_task > c->per_core) {
				used = min64(of_task, c->per_core);
				of_task = of_task <= used ? per_task : of_task - used;
			}
			capacity = capacity < c->per_core ? 0 : capacity - used;
			c->cpus = c->cpus < c->per_core ? 0 : c->cpus - used;
		}
	}
}

static bool cyclic(struct choosing *c)
{
	for (uint32_t s = 0; s < c->shape->sockets; s++)
		c->next[s] = s * c->shape->cores;
	if (c->q->tasks_per_socket)
		avoid_sockets(c);
	else if (c->q->cpus_per_task > 1)
		pack_tasks(c);
	while (c->cpus > 0) {
		const int64_t before = c->cpus;
		for (uint32_t s = 0; s < c->shape->sockets && c->cpus > 0; s++) {
			if (c->avoid >> s & 1)
				continue;
			while (c->next[s] < (s + 1) * c->shape->cores && !bit_test(c->map, c->next[s]))
				c->next[s]++;
			if (c->next[s] == (s + 1) * c->shape->cores)
				continue;
			select_dist_choose(c, s, c->next[s]++);
			c->cpus = max64(c->cpus - c->per_core, 0);
		}
		if (c->cpus == before)
			return c->q->overcommit;
	}
	return true;
}

static bool block(struct choosing *c)
{
	const int64_t per_task = c->q->cpus_per_task;
	int64_t wanted = div_up(c->cpus, c->per_core), of_task = per_task;
	const bool one_task = c->q->tasks_per_core == 1 && per_task > c->per_core;
	if (one_task)
		wanted = c->cpus / per_task * div_up(per_task, c->per_core);
	while (c->cpus > 0) {
		uint32_t best = UINT32_MAX;
		for (uint32_t s = 0; s < c->shape->sockets; s++) {
			const int64_t here = (c->used >> s & 1) ? 0 : socket_free(c, s);
			const int64_t old = best == UINT32_MAX ? 0 : socket_free(c, best);
			if (here && (best == UINT32_MAX || (here >= wanted ? old < wanted || here < old
									   : old < wanted && here > old)))
				best = s;
		}
		if (best == UINT32_MAX)
			return false;
		c->used |= UINT64_C(1) << best;
		for (uint32_t j = best * c->shape->cores; j < (best + 1) * c->shape->cores && c->cpus > 0;
			j++) {
			if (!bit_test(c->map, j))
				continue;
			bit_set(c->chosen, j);
			wanted = max64(wanted - 1, 0);
			int64_t used = c->per_core;
			if (one_task) {
				used = min64(of_task, c->per_core);
				of_task = of_task <= used ? per_task : of_task - used;
			}
			c->cpus = c->cpus < c->per_core ? 0 : c->cpus - used;
		}
	}
	return true;
}

static bool choose_cores(const struct sel_test *t, struct select_node_alloc *node_alloc, uint64_t *cores)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	const struct sel_partition *p = &s->partition[q->partition];
	const bool whole_sockets = p->by_socket || (s->cr_socket && !p->by_core);
	struct choosing c = {
		.s = s, .q = q, .shape = shape_of(s, node_alloc->node), .map = cores, .cpus = node_alloc->cpus
	};
	c.per_core = sel_cpus_per_core(s, q, c.shape);
	const bool by_block = (!whole_sockets && !s->cr_core && !p->by_core) ||
			      q->layout == SEL_LAYOUT_BLOCK ||
			      (q->layout == SEL_LAYOUT_DEFAULT && s->block_cores) || q->plane;
	if (!(by_block ? block(&c) : cyclic(&c)))
		return false;
	for (uint32_t i = 0; whole_sockets && i < c.shape->core_count; i++)
		if (c.used >> (i / c.shape->cores) & 1)
			bit_set(c.chosen, i);
	memcpy(cores, c.chosen, c.shape->words * sizeof(*cores));
	if (whole_sockets || s->cr_core || p->by_core)
		node_alloc->cpus = bits_count(cores, c.shape->words) * c.shape->threads;
	return true;
}

/* _get_task_count(): those that were asked for (from 26.05 on those of the nodes, where it is said how many
 * they have); else those of the nodes, or of the cpus. */
static int64_t count_tasks(const struct sel_test *t, uint32_t nodes, int64_t cpus_asked)
{
	const struct sel_request *q = t->q;
	if (q->desc.tasks != SL_NONE && (t->s->version < SEL_26_05 || !q->tasks_per_node))
		return q->desc.tasks;
	return q->tasks_per_node ? q->tasks_per_node * nodes : cpus_asked / q->cpus_per_task;
}

bool sel_distribute(struct sel_test *t, struct select_alloc *alloc, int64_t cpus_asked, uint64_t *cores[],
	const int64_t *task_limit, const int64_t *gres_cpus)
{
	const struct sel_request *q = t->q;
	struct laying l = {
		.t = t, .alloc = alloc, .limit = task_limit, .gres_cpus = gres_cpus, .left = cpus_asked
	};
	if (t->s->version >= SEL_24_05)
		l.left = count_tasks(t, alloc->node_count, cpus_asked);
	else if (!q->overcommit && q->cpus_per_task > 1)
		l.left = q->tasks_per_node ? q->tasks_per_node * alloc->node_count
					   : cpus_asked / q->cpus_per_task;
	l.left = max64(l.left, 1);
	if (!(q->plane ? lay_planes(&l) : lay_tasks(&l)))
		return false;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		alloc->node_alloc[i].cpus =
			max64(alloc->node_alloc[i].cpus, min64(gres_cpus[i], have(&l, i)));
		if (!choose_cores(t, &alloc->node_alloc[i], cores[i]))
			return false;
	}
	return true;
}
