/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_order.c - KAI's orders on generated worlds, against the definitions written down as they stand:
 * lanes against a search through all queues (fresh) and against heaps that remember nothing (lazy); chunks of
 * trees of sub-groups against recursion.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { QUEUES = 9, JOBS = 24, GROUPS = 8, TASKS = 40, STEPS = 60 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint64_t seed;
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static uint32_t below(struct instance *x, uint32_t bound) { return (uint32_t)sl_rng_below(&x->rng, bound); }

static void draw_queues(struct instance *x)
{
	const uint32_t count = 2 + below(x, QUEUES - 2);
	for (uint32_t i = 0; i < count; i++) {
		char name[16], parent[16];
		(void)snprintf(name, sizeof(name), "q%u", i);
		const uint32_t up = below(x, i + 1);
		(void)snprintf(parent, sizeof(parent), "q%u", up);
		const int64_t quota = below(x, 4) ? (int64_t)below(x, 5) * 100 : -1;
		(void)kai_small_queue(&x->w, name, up < i ? parent : NULL, quota, -1, 1);
	}
	kai_small_seal(&x->w);
	for (uint32_t i = 0; i < x->kai->queue_count; i++) {
		struct kai_queue *queue = &x->kai->queue[i];
		queue->priority = 100 + below(x, 2);
		queue->created = below(x, 4);
		queue->fair.at[KAI_GPUS] = below(x, 9) * KAI_GPU;
	}
	for (int i = 0; i < KAI_RES; i++)
		x->kai->total.at[i] = INT64_C(1) << 50;
}

static uint32_t draw_job(struct instance *x, uint32_t number)
{
	char name[16], queue[16];
	(void)snprintf(name, sizeof(name), "j%u", number);
	(void)snprintf(queue, sizeof(queue), "q%u", below(x, x->kai->queue_count - 1));
	const uint32_t tasks = 1 + below(x, 4);
	const uint32_t row =
		kai_small_job(&x->w, name, queue, 50 + below(x, 2), tasks, 1 + below(x, 3), below(x, 5));
	kai_small_min(&x->w, row, below(x, tasks + 1));
	kai_small_enter(&x->w, row);
	for (uint32_t i = 0; i < tasks; i++)
		if (!below(x, 3))
			kai_set_task(x->kai, x->kai->job[row].task + i, KAI_RUNNING, 0, NULL);
	return row;
}

static struct instance open_instance(uint64_t seed)
{
	struct instance x = { .w = kai_small_open(), .seed = seed };
	x.kai = x.w.kai;
	x.rng = sl_rng_stream(seed, "tests/kai_order");
	(void)kai_small_node(&x.w, "n0", 1000);
	draw_queues(&x);
	return x;
}

/* ---- Lanes, slowly: every job in one list; nothing is remembered but who waits and who is flagged ---- */

struct slow {
	struct kai *kai;
	bool victims, fresh;
	uint32_t waiting[JOBS * STEPS], count;
	uint32_t heap[QUEUES + 2][QUEUES + 2], heaped[QUEUES + 2]; /* By queue; the last: the roots. */
	bool flagged[QUEUES + 2], taken[QUEUES + 2];
	struct kai_vec popped[QUEUES + 2];
	uint8_t gone[JOBS + 1][4]; /* By job and task. */
};

static uint32_t parent_of(const struct slow *s, uint32_t queue)
{
	return s->kai->queue[queue].parent == KAI_NO ? s->kai->queue_count : s->kai->queue[queue].parent;
}

/* How far a job has grown without what is gone, as -1, 0, 1. (All jobs are flat.) */
static int growth_of(const struct slow *s, uint32_t job)
{
	const struct kai_job *row = &s->kai->job[job];
	int active = 0;
	for (uint32_t i = 0; i < row->task_count; i++)
		active +=
			!s->gone[job][i] && kai_active_allocated((uint32_t)s->kai->task[row->task + i].state);
	const int min = (int)row->group[1].min;
	return (active > min) - (active < min);
}

static bool job_before(const struct slow *s, uint32_t a, uint32_t b)
{
	const struct kai_job *l = &s->kai->job[s->victims ? b : a], *r = &s->kai->job[s->victims ? a : b];
	const int grown = growth_of(s, s->victims ? b : a) - growth_of(s, s->victims ? a : b);
	if (l->priority != r->priority)
		return l->priority > r->priority;
	if (grown)
		return grown < 0;
	return l->created != r->created ? l->created < r->created : strcmp(l->name, r->name) < 0;
}

static uint32_t first_job(const struct slow *s, uint32_t leaf)
{
	uint32_t best = KAI_NO;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->kai->job[s->waiting[i]].queue == leaf &&
			(best == KAI_NO || job_before(s, s->waiting[i], best)))
			best = s->waiting[i];
	return best;
}

static bool any_below(const struct slow *s, uint32_t queue)
{
	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t at = s->kai->job[s->waiting[i]].queue; at != KAI_NO;
			at = s->kai->queue[at].parent)
			if (at == queue)
				return true;
	return false;
}

static uint32_t first_queue(const struct slow *s, uint32_t parent);

static uint32_t leaf_of(const struct slow *s, uint32_t queue)
{
	while (queue == s->kai->queue_count || s->kai->queue[queue].child_count)
		queue = s->fresh ? first_queue(s, queue) : s->heap[queue][0];
	return queue;
}

static struct kai_vec weight(const struct slow *s, uint32_t queue)
{
	const uint32_t leaf = leaf_of(s, queue), job = first_job(s, leaf);
	const struct kai_job *row = &s->kai->job[job];
	struct kai_vec sum = s->popped[leaf];
	uint32_t task[TASKS], count = 0;
	if (!s->victims)
		count = kai_next_chunk(s->kai, job, task);
	for (uint32_t i = 0; s->victims && i < row->task_count; i++)
		if (!s->gone[job][i] && s->kai->task[row->task + i].state == KAI_RUNNING)
			task[count++] = row->task + i;
	const struct kai_vec one = kai_chunk_needs(s->kai, task, count, false);
	for (int i = 0; i < KAI_RES; i++)
		sum.at[i] += one.at[i];
	return sum;
}

static bool queue_before(const struct slow *s, uint32_t a, uint32_t b)
{
	const struct kai_vec left = weight(s, a), right = weight(s, b);
	const struct kai_rival l = { a, s->victims ? NULL : &left, s->victims ? &left : NULL };
	const struct kai_rival r = { b, s->victims ? NULL : &right, s->victims ? &right : NULL };
	return kai_queue_first(s->kai, s->victims ? &r : &l, s->victims ? &l : &r);
}

static uint32_t first_queue(const struct slow *s, uint32_t parent)
{
	uint32_t best = KAI_NO;
	for (uint32_t i = 0; i < s->kai->queue_count; i++)
		if (parent_of(s, i) == parent && any_below(s, i) &&
			(best == KAI_NO || queue_before(s, i, best)))
			best = i;
	return best;
}

/* Go's container/heap: up from the end, down from the top. */
static void up(struct slow *s, uint32_t queue)
{
	uint32_t *heap = s->heap[queue];
	for (uint32_t j = s->heaped[queue] - 1; j > 0;) {
		const uint32_t i = (j - 1) / 2;
		if (!queue_before(s, heap[j], heap[i]))
			break;
		const uint32_t swap = heap[i];
		heap[i] = heap[j];
		heap[j] = swap;
		j = i;
	}
}

static void down(struct slow *s, uint32_t queue)
{
	uint32_t *heap = s->heap[queue];
	for (uint32_t i = 0;;) {
		uint32_t j = 2 * i + 1;
		if (j >= s->heaped[queue])
			break;
		if (j + 1 < s->heaped[queue] && queue_before(s, heap[j + 1], heap[j]))
			j++;
		if (!queue_before(s, heap[j], heap[i]))
			break;
		const uint32_t swap = heap[i];
		heap[i] = heap[j];
		heap[j] = swap;
		i = j;
	}
}

static void slow_push(struct slow *s, uint32_t job)
{
	s->waiting[s->count++] = job;
	for (uint32_t at = s->kai->job[job].queue; at != s->kai->queue_count; at = parent_of(s, at)) {
		const uint32_t above = parent_of(s, at);
		if (!s->taken[at]) {
			s->taken[at] = true;
			s->heap[above][s->heaped[above]++] = at;
			if (!s->fresh)
				up(s, above);
		}
		s->flagged[at] = true;
	}
}

static uint32_t slow_pop(struct slow *s)
{
	if (!s->count)
		return KAI_NO;
	uint32_t leaf = s->kai->queue_count;
	while (leaf == s->kai->queue_count || s->kai->queue[leaf].child_count) {
		const uint32_t parent = leaf;
		while (!s->fresh && s->flagged[s->heap[parent][0]]) {
			s->flagged[s->heap[parent][0]] = false;
			/* The flag is of no matter to the order. */
			down(s, parent);
		}
		leaf = s->fresh ? first_queue(s, parent) : s->heap[parent][0];
	}
	const uint32_t job = first_job(s, leaf);
	if (s->victims)
		s->popped[leaf] = weight(s, leaf);
	uint32_t at = 0;
	while (s->waiting[at] != job)
		at++;
	s->waiting[at] = s->waiting[--s->count];
	for (at = leaf; at != s->kai->queue_count; at = parent_of(s, at)) {
		const uint32_t above = parent_of(s, at);
		s->flagged[at] = true;
		if (any_below(s, at))
			continue;
		s->taken[at] = false;
		uint32_t place = 0;
		while (s->heap[above][place] != at)
			place++;
		s->heap[above][place] = s->heap[above][--s->heaped[above]];
		if (!s->fresh)
			down(s, above);
	}
	return job;
}

/* What is popped is placed, comes back or not; what other queues hold changes meanwhile. */
static void serve(struct instance *x, struct kai_lane *lane, struct slow *slow, uint32_t job)
{
	uint32_t task[TASKS];
	const uint32_t count = kai_next_chunk(x->kai, job, task);
	const bool placed = below(x, 2);
	for (uint32_t i = 0; placed && i < count; i++)
		kai_allocate_task(x->kai, task[i], 0, NULL);
	if (placed && kai_next_chunk(x->kai, job, task)) {
		kai_lane_push(x->kai, lane, job);
		slow_push(slow, job);
	}
	if (!below(x, 3)) {
		struct kai_queue *other = &x->kai->queue[below(x, x->kai->queue_count)];
		other->allocated.at[KAI_GPUS] = below(x, 9) * KAI_GPU;
	}
}

static void take(struct instance *x, struct kai_lane *lane, struct slow *slow, uint32_t job)
{
	uint32_t task[TASKS];
	bool more = false;
	const uint8_t *gone = kai_lane_gone(lane, job);
	const uint32_t count = kai_eviction_chunk(x->kai, job, gone, task, &more),
		       first = x->kai->job[job].task;
	for (uint32_t i = 0; i < count; i++)
		slow->gone[job][task[i] - first] = 1;
	kai_lane_push_rest(x->kai, lane, job, task, count);
	if (more)
		slow_push(slow, job);
}

static void compare_lanes(uint64_t seed, bool victims, bool fresh)
{
	struct instance x = open_instance(seed);
	x.kai->config.fresh_order = fresh;
	struct slow *slow = calloc(1, sizeof(*slow));
	cr_assert(slow != NULL);
	*slow = (struct slow){ .kai = x.kai, .victims = victims, .fresh = fresh };
	struct kai_lane *lane = kai_lane_new(x.kai, victims ? KAI_VICTIMS : KAI_NEXT, 0);
	const uint32_t jobs = 1 + below(&x, JOBS);
	for (uint32_t i = 0; i < jobs; i++) {
		const uint32_t row = draw_job(&x, i);
		if (x.kai->queue[x.kai->job[row].queue].child_count)
			continue;
		kai_lane_push(x.kai, lane, row);
		slow_push(slow, row);
	}
	for (uint32_t i = 0; i < JOBS * STEPS / 2; i++) {
		const uint32_t want = slow_pop(slow), got = kai_lane_pop(x.kai, lane);
		cr_assert_eq(got, want, "seed %llu, %s, %s: pop %u: job %u, not %u", (unsigned long long)seed,
			victims ? "victims" : "next", fresh ? "fresh" : "lazy", i, got, want);
		if (got == KAI_NO)
			break;
		if (victims)
			take(&x, lane, slow, got);
		else
			serve(&x, lane, slow, got);
	}
	cr_expect(kai_lane_empty(lane));
	kai_lane_free(lane);
	free(slow);
	kai_small_close(&x.w);
}

Test(prop_kai_order, lanes_are_what_the_definitions_say)
{
	for (uint64_t seed = 0; seed < runs(); seed++)
		for (int way = 0; way < 4; way++)
			compare_lanes(seed, way & 1, way & 2);
}

/* ---- Chunks, by recursion ---- */

struct list {
	uint32_t task[TASKS], count;
};

static uint32_t draw_tree(struct instance *x)
{
	const uint32_t groups = 2 + below(x, GROUPS - 2), tasks = below(x, TASKS);
	const uint32_t row = kai_job(x->kai, "tree", tasks, groups);
	struct kai_job *job = &x->kai->job[row];
	const struct kai_request one = { .cpu = 1, .mem = 1, .kind = KAI_WHOLE, .gpus = 1 };
	const struct kai_request two = { .cpu = 1, .mem = 1, .kind = KAI_WHOLE, .gpus = 2 };
	bool parent[GROUPS] = { true };
	job->queue = 1;
	for (uint32_t i = 1; i < groups; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "g%u", below(x, 100) * GROUPS + i);
		job->group[i].name = kai_text(x->kai, name);
		job->group[i].parent = below(x, i);
		parent[job->group[i].parent] = true;
	}
	uint32_t leaf[GROUPS], leaves = 0;
	for (uint32_t i = 0; i < groups; i++) {
		job->group[i].leaf = !parent[i];
		job->group[i].min = parent[i] && below(x, 2) ? KAI_NO : below(x, 4);
		if (!parent[i])
			leaf[leaves++] = i;
	}
	for (uint32_t i = 0; i < tasks; i++) {
		struct kai_task *task = &x->kai->task[job->task + i];
		task->group = leaf[below(x, leaves)];
		task->request = kai_request(x->kai, below(x, 5) ? &one : &two);
		task->created = below(x, 3);
	}
	cr_assert(kai_seal_job(x->kai, row) == 0);
	for (uint32_t i = 0; i < tasks; i++)
		if (below(x, 2))
			kai_set_task(x->kai, job->task + i, KAI_RUNNING, 0, NULL);
	return row;
}

struct look {
	const struct kai *kai;
	const struct kai_job *job;
	const uint8_t *gone;
};

static uint32_t children_of(const struct look *l, uint32_t set, uint32_t *child)
{
	uint32_t count = 0;
	for (uint32_t i = 1; i < l->job->group_count; i++)
		if (l->job->group[i].parent == set)
			child[count++] = i;
	return count;
}

static bool is_active(const struct look *l, uint32_t i)
{
	return kai_active_allocated((uint32_t)l->kai->task[l->job->task + i].state) &&
	       !(l->gone && l->gone[i]);
}

static int64_t need(const struct look *l, uint32_t group)
{
	uint32_t child[GROUPS];
	const struct kai_group *row = &l->job->group[group];
	return !row->leaf && row->min == KAI_NO ? children_of(l, group, child) : row->min;
}

/* Active tasks, or children that have what they need. */
static int64_t have(const struct look *l, uint32_t group)
{
	int64_t count = 0;
	uint32_t child[GROUPS];
	if (l->job->group[group].leaf) {
		for (uint32_t i = 0; i < l->job->task_count; i++)
			count += l->kai->task[l->job->task + i].group == group && is_active(l, i);
		return count;
	}
	const uint32_t children = children_of(l, group, child);
	for (uint32_t i = 0; i < children; i++)
		count += have(l, child[i]) >= need(l, child[i]);
	return count;
}

static bool group_before(const struct look *l, uint32_t a, uint32_t b)
{
	const int64_t ha = have(l, a), na = need(l, a), hb = have(l, b), nb = need(l, b);
	if ((ha >= na) != (hb >= nb))
		return ha < na;
	if (ha >= na && (na == 0) != (nb == 0))
		return nb == 0;
	if (ha >= na && na && ha * nb != hb * na)
		return ha * nb < hb * na;
	if (ha >= na && !na && ha != hb)
		return ha < hb;
	return strcmp(l->job->group[a].name, l->job->group[b].name) < 0;
}

static uint32_t sorted_children(const struct look *l, uint32_t set, uint32_t *child)
{
	const uint32_t count = children_of(l, set, child);
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = i; k > 0 && group_before(l, child[k], child[k - 1]); k--) {
			const uint32_t swap = child[k];
			child[k] = child[k - 1];
			child[k - 1] = swap;
		}
	return count;
}

static void next_of(const struct look *l, uint32_t group, struct list *list)
{
	uint32_t child[GROUPS];
	const int64_t missing = need(l, group) - have(l, group);
	if (l->job->group[group].leaf) {
		int64_t take = missing > 0 ? missing : 1;
		for (uint32_t i = 0; i < l->job->task_count && take; i++) {
			const struct kai_task *task = &l->kai->task[l->job->task + i];
			if (task->group != group || task->state != KAI_PENDING)
				continue;
			list->task[list->count++] = l->job->task + i;
			take--;
		}
		return;
	}
	const uint32_t children = sorted_children(l, group, child);
	for (uint32_t i = 0; i < children; i++) {
		if (missing <= 0 && list->count)
			return;
		if (missing > 0 && (i >= need(l, group) || have(l, child[i]) >= need(l, child[i])))
			continue;
		struct list below_it = { .count = 0 };
		next_of(l, child[i], &below_it);
		memcpy(list->task + list->count, below_it.task, below_it.count * sizeof(uint32_t));
		list->count += below_it.count;
	}
}

static bool inside(const struct look *l, uint32_t group, uint32_t of)
{
	while (group != of && group)
		group = l->job->group[group].parent;
	return group == of;
}

static void all_of(const struct look *l, uint32_t group, struct list *list)
{
	for (uint32_t i = l->job->task_count; i-- > 0;)
		if (is_active(l, i) && inside(l, l->kai->task[l->job->task + i].group, group))
			list->task[list->count++] = l->job->task + i;
}

/* What can be spared below. */
static void spared(const struct look *l, uint32_t group, struct list *list)
{
	uint32_t child[GROUPS];
	const int64_t more = have(l, group) - need(l, group);
	if (l->job->group[group].leaf) {
		if (more > 0)
			all_of(l, group, list);
		list->count = list->count ? 1 : 0;
		return;
	}
	if (!have(l, group))
		return;
	const uint32_t children = sorted_children(l, group, child);
	for (uint32_t i = children; i-- > 0 && !list->count;)
		spared(l, child[i], list);
	for (uint32_t i = children; more > 0 && i-- > 0 && !list->count;)
		all_of(l, child[i], list);
}

static void same_list(const struct instance *x, const struct list *want, const uint32_t *got, uint32_t count)
{
	cr_assert_eq(count, want->count, "seed %llu: %u tasks, not %u", (unsigned long long)x->seed, count,
		want->count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(got[i], want->task[i], "seed %llu: task %u", (unsigned long long)x->seed, i);
}

Test(prop_kai_order, chunks_are_what_recursion_says)
{
	for (uint64_t seed = 0; seed < runs() * 4; seed++) {
		struct instance x = open_instance(seed);
		const uint32_t row = draw_tree(&x);
		uint32_t task[TASKS];
		uint8_t gone[TASKS] = { 0 };
		struct look look = { x.kai, &x.kai->job[row], NULL };
		for (int step = 0; step < 4; step++) {
			struct list next = { .count = 0 };
			next_of(&look, 0, &next);
			const uint32_t count = kai_next_chunk(x.kai, row, task);
			same_list(&x, &next, task, count);
			for (uint32_t i = 0; i < count; i++)
				kai_allocate_task(x.kai, task[i], 0, NULL);
		}
		look.gone = gone;
		for (bool more = true; more;) {
			struct list evicted = { .count = 0 };
			spared(&look, 0, &evicted);
			if (!evicted.count)
				all_of(&look, 0, &evicted);
			const uint32_t count = kai_eviction_chunk(x.kai, row, gone, task, &more);
			same_list(&x, &evicted, task, count);
			for (uint32_t i = 0; i < count; i++)
				gone[task[i] - look.job->task] = 1;
		}
		kai_small_close(&x.w);
	}
}
