/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_place.c - the choice: on which nodes a request is placed: of those on which a task fits the least
 * late, of these the least score, then the first by ties, until all tasks are placed. A node scorer by
 * islands uses the nodes of one island after those of another.
 *
 * Candidates are classes of nodes, when it is now, or the nodes of a view. A
 * node that was picked is out of its class until its group is placed.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

struct picker {
	struct nodes *nodes;
	const struct sl_group *group;
	uint16_t group_index;
	struct view *view; /* NULL: the classes. */
	uint32_t exempt;   /* Windows of this reservation do not stop it. */
	sl_time length;
	bool by_node;      /* Each node of a class is a candidate. */
	struct cand *cand; /* A heap, once they have scores. */
	size_t count;
	size_t picked;              /* Nodes. */
	uint32_t used_before, used; /* Nodes: those that it had before, and with them. */
	uint32_t left;              /* Tasks. */
	uint32_t most;              /* No candidate would get more. */
	bool most_first;
};

/* ---- A heap of candidates -------------------------------------------------------------------- */

static inline bool cand_before(const struct nodes *nodes, const struct cand *a, const struct cand *b)
{
	(void)nodes;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->score != b->score)
		return a->score < b->score;
	return a->tie != b->tie ? a->tie < b->tie : a->node < b->node;
}
SL_HEAP(cands, struct cand, const struct nodes *, cand_before, SL_HEAP_UNPLACED)

/* ---- Candidates ------------------------------------------------------------------------------ */

static bool picker_capacity(struct nodes *nodes, size_t count)
{
	return !SL_GROW(nodes->cand, nodes->cand_capacity, count, &nodes->err);
}

static inline void cand_add(struct picker *p, uint32_t node, uint32_t class, uint32_t cap)
{
	p->nodes->cand[p->count++] = (struct cand){
		.node = node, .tie = tie_of(p->nodes, node), .class = class, .cap = cap, .pick = NONE
	};
}

static void gather_view(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	const uint32_t bound = group_bound(p->group);
	for (uint32_t row = 0; row < nodes->count; row++) {
		const uint32_t cap = tasks_on(nodes, p->group, bound, type_of(nodes, row),
			&p->view->free[(size_t)row * nodes->width], (enum node_status)p->view->status[row]);
		if (cap)
			cand_add(p, row, NONE, cap);
	}
}

static void gather_classes(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	const uint32_t bound = group_bound(p->group);
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		if (!class->count || !open_for(nodes, class->windows, p->length, p->exempt))
			continue;
		const uint32_t cap = tasks_on(nodes, p->group, bound, class->type, free_of(nodes, i),
			(enum node_status) class->status);
		const uint32_t nodes_wanted = !cap ? 0 : p->by_node ? class->count : 1;
		for (uint32_t k = 0; k < nodes_wanted; k++)
			cand_add(p, class->heap[k], i, cap);
	}
}

/* False: there are too few for that many tasks. */
static bool nodes_place_gather(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	p->count = 0;
	p->by_node = by_chance(nodes) || nodes->scorer.rule->by_island;
	if (!picker_capacity(nodes, (p->view || p->by_node ? nodes->count : nodes->class_used) + (size_t)1))
		return false;
	p->cand = nodes->cand;
	if (p->view)
		gather_view(p);
	else
		gather_classes(p);
	uint64_t sum = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct cand *cand = &nodes->cand[i];
		const bool alone = cand->class == NONE || p->by_node;
		sum += (uint64_t)cand->cap * (alone ? 1 : nodes->class[cand->class].count);
	}
	return sum >= p->left;
}

static int64_t cand_score(const struct picker *p, const struct cand *cand)
{
	const struct nodes *nodes = p->nodes;
	const int64_t *free = cand->pick != NONE    ? &nodes->pick_free[(size_t)cand->pick * nodes->width]
			      : cand->class == NONE ? &p->view->free[(size_t)cand->node * nodes->width]
						    : free_of(nodes, cand->class);
	return score_of(nodes, type_of(nodes, cand->node), free, p->group, cand->tasks);
}

/* So many tasks may go onto the next node: what is left, but for one for each other node that it must have.
 */
static uint32_t nodes_place_limit_of(const struct picker *p)
{
	const uint32_t others = p->group->nodes_min > p->used + 1 ? p->group->nodes_min - p->used - 1 : 0;
	return p->left > others ? p->left - others : 0;
}

/* Nodes of one class stand next to each other, as long as they were not scored before. */
static void score_next(const struct picker *p, struct cand *cand, const struct cand *before)
{
	if (before && cand->class != NONE && before->class == cand->class && before->tasks == cand->tasks)
		cand->score = before->score;
	else
		cand->score = cand_score(p, cand);
}

static uint8_t late_of(const struct picker *p, uint32_t node)
{
	return p->view && p->view->ready ? 0 : p->nodes->node[node].late;
}

static int64_t nodes_place_rank_of(const struct picker *p, const struct cand *cand)
{
	const int64_t late = late_of(p, cand->node);
	return p->most_first ? late - (int64_t)cand->tasks * NODES_LATE : late;
}

static void score_all(struct picker *p, uint32_t limit)
{
	const bool plain = !p->most_first && !p->nodes->late_count;
	p->most = 0;
	for (size_t i = 0; i < p->count; i++) {
		struct cand *cand = &p->cand[i];
		const uint32_t tasks = cand->cap < limit ? cand->cap : limit;
		if (tasks != cand->tasks) {
			cand->tasks = tasks;
			score_next(p, cand, i ? cand - 1 : NULL);
		}
		cand->rank = plain ? 0 : nodes_place_rank_of(p, cand);
		p->most = cand->tasks > p->most ? cand->tasks : p->most;
	}
	cands_make(p->nodes, p->cand, p->count);
}

/* ---- Picks ----------------------------------------------------------------------------------- */

static bool pick_new(struct picker *p, uint32_t node, uint32_t tasks)
{
	struct nodes *nodes = p->nodes;
	if (SL_GROW(nodes->pick, nodes->pick_capacity, p->picked + 1, &nodes->err))
		return false;
	nodes->pick[p->picked++] = (struct pick){ node, tasks };
	p->used++;
	p->left -= tasks;
	if (!p->view)
		class_pull(nodes, node);
	return true;
}

/* The best candidate's node was picked: its class has another, or it goes. */
static void next_of_best(struct picker *p)
{
	const struct nodes *nodes = p->nodes;
	struct cand *best = &p->cand[0];
	if (best->class != NONE && !p->by_node && nodes->class[best->class].count) {
		best->node = nodes->class[best->class].heap[0];
		best->tie = tie_of(nodes, best->node);
	} else if (--p->count) {
		*best = p->cand[p->count];
	}
	if (p->count)
		cands_down(nodes, p->cand, p->count, 0);
}

static bool pick_nodes(struct picker *p)
{
	const struct sl_group *group = p->group;
	p->most = UINT32_MAX;
	while (p->left) {
		const uint32_t limit = nodes_place_limit_of(p);
		if (!p->count || !limit || (group->nodes_max && p->used >= group->nodes_max))
			return false;
		if (limit < p->most)
			score_all(p, limit);
		const struct cand best = p->cand[0];
		if (!pick_new(p, best.node, best.tasks))
			return false;
		next_of_best(p);
	}
	return true;
}

static void picks_undo(struct picker *p)
{
	for (size_t i = p->picked; i-- > 0;) {
		const struct pick *pick = &p->nodes->pick[i];
		if (!p->view)
			class_put(p->nodes, p->nodes->node[pick->node].class, pick->node);
		p->left += pick->tasks;
	}
	p->used -= (uint32_t)p->picked;
	p->picked = 0;
}

/* ---- One task at a time ---------------------------------------------------------------------- */

/* One task of the group, whatever type of GPU it gets. */
static void spend_one(const struct nodes *nodes, const struct sl_group *group, uint32_t node, int64_t *free)
{
	const struct sl_task_resources *task = &group->task;
	if (nodes->devices && task->gpus > 0) {
		devices_spend_one(nodes, group, type_of(nodes, node), free);
		return;
	}
	const int64_t *amount = nodes->cluster->type[type_of(nodes, node)].amount;
	if (task->cpus > 0 && amount[SL_KIND_CPUS] < UNBOUNDED)
		free[SL_KIND_CPUS] -= task->cpus;
	if (task->mem > 0 && amount[SL_KIND_MEM] < UNBOUNDED)
		free[SL_KIND_MEM] -= task->mem;
	for (uint32_t kind = SL_KIND_GPUS; task->gpus > 0 && kind < nodes->kinds; kind++) {
		if (!kind_will_do(task, kind) || free[kind] < task->gpus)
			continue;
		free[kind] -= task->gpus;
		return;
	}
}

/* It got one more task; it stays among the picked if another fits. */
static void retry_put(struct picker *p, struct cand cand, size_t *retry)
{
	struct nodes *nodes = p->nodes;
	spend_one(nodes, p->group, cand.node, &nodes->pick_free[(size_t)cand.pick * nodes->width]);
	if (!--cand.cap)
		return;
	cand.score = cand_score(p, &cand);
	nodes->retry[*retry] = cand;
	(void)cands_up(nodes, nodes->retry, (*retry)++);
}

static bool pick_first_task(struct picker *p, size_t *retry)
{
	struct nodes *nodes = p->nodes;
	struct cand best = p->cand[0];
	if (SL_GROW(nodes->retry, nodes->retry_capacity, *retry + 1, &nodes->err) ||
		SL_GROW(nodes->pick_free, nodes->pick_free_capacity, (p->picked + 1) * nodes->width,
			&nodes->err))
		return false;
	const int64_t *free =
		p->view ? &p->view->free[(size_t)best.node * nodes->width] : free_of(nodes, best.class);
	memcpy(&nodes->pick_free[p->picked * nodes->width], free, nodes->width * sizeof(*free));
	best.pick = (uint32_t)p->picked;
	if (!pick_new(p, best.node, 1))
		return false;
	next_of_best(p);
	best.class = NONE;
	best.rank = 0; /* It is waited for, however late it is. */
	retry_put(p, best, retry);
	return true;
}

static void pick_further_task(struct picker *p, size_t *retry)
{
	struct nodes *nodes = p->nodes;
	const struct cand best = nodes->retry[0];
	nodes->retry[0] = nodes->retry[--*retry];
	if (*retry)
		cands_down(nodes, nodes->retry, *retry, 0);
	nodes->pick[best.pick].tasks++;
	p->left--;
	retry_put(p, best, retry);
}

static bool pick_singly(struct picker *p)
{
	const struct nodes *nodes = p->nodes;
	const struct sl_group *group = p->group;
	size_t retry = 0;
	score_all(p, 1);
	while (p->left) {
		if (!nodes_place_limit_of(p))
			return false;
		const bool may_new = p->count && (!group->nodes_max || p->used < group->nodes_max);
		const bool must_new = p->used < group->nodes_min && p->left == group->nodes_min - p->used;
		const bool may_retry = retry && !must_new;
		if (!may_new && !may_retry)
			return false;
		if (may_retry && (!may_new || cand_before(nodes, &nodes->retry[0], &p->cand[0])))
			pick_further_task(p, &retry);
		else if (!pick_first_task(p, &retry))
			return false;
	}
	return true;
}

/* ---- A group --------------------------------------------------------------------------------- */

static void take_picks(struct picker *p, struct chain *chain)
{
	struct nodes *nodes = p->nodes;
	for (size_t i = 0; i < p->picked; i++) {
		const struct pick pick = nodes->pick[i];
		const struct load load = { p->group, pick.node, pick.tasks, p->group_index };
		if (!p->view) {
			node_spends(nodes, &load, chain);
			continue;
		}
		intervals_spend(nodes, &load, &p->view->free[(size_t)pick.node * nodes->width], chain);
		p->view->status[pick.node] = p->group->exclusive ? NODE_WHOLE : NODE_SHARED;
	}
}

static bool picks_reserve(const struct picker *p)
{
	struct nodes *nodes = p->nodes;
	size_t intervals = 0;
	for (size_t i = 0; i < p->picked; i++)
		intervals += load_intervals(nodes, p->group, nodes->pick[i].tasks);
	return intervals_reserve(nodes, intervals);
}

/* ---- Islands over several nodes -------------------------------------------------------------- */

/* Of a candidate: its island's, or its own where it is of none. */
static struct island island_seen(const struct picker *p, const struct cand *cand)
{
	const uint32_t island = p->nodes->cluster->type[type_of(p->nodes, cand->node)].island;
	const bool late = late_of(p, cand->node) != 0;
	return island ? p->nodes->island[island]
		      : (struct island){ cand->allocations, late ? 0 : cand->allocations, 1, cand->node };
}

static bool allocations_all(const struct picker *p, const struct island *island)
{
	const uint32_t nodes =
		p->group->nodes_min > p->used_before ? p->group->nodes_min - p->used_before : 0;
	return island->allocations >= p->group->tasks && island->nodes >= nodes;
}

/* The one on which all fit, on nodes that are ready if possible, with the least left over; else the one on
 * which most fit; then the first. */
static bool island_before(const struct picker *p, const struct island *a, const struct island *b)
{
	const bool all = allocations_all(p, a);
	if (all != allocations_all(p, b))
		return all;
	const bool ready = a->ready >= p->group->tasks;
	if (all && ready != (b->ready >= p->group->tasks))
		return ready;
	if (a->allocations != b->allocations)
		return all ? a->allocations < b->allocations : a->allocations > b->allocations;
	return a->first != b->first && tie_before(p->nodes, a->first, b->first);
}

/* How many tasks fit on each candidate, however many the group has. */
static void allocations_count(struct picker *p)
{
	const struct nodes *nodes = p->nodes;
	const uint32_t most = p->group->tasks_per_node ? p->group->tasks_per_node : UINT32_MAX;
	for (size_t i = 0; i < p->count; i++) {
		struct cand *cand = &p->cand[i];
		const struct cand *before = i ? cand - 1 : NULL;
		if (before && cand->class != NONE && before->class == cand->class) {
			cand->allocations = before->allocations;
			continue;
		}
		const enum node_status status = (enum node_status)(
			p->view ? p->view->status[cand->node] : nodes->class[cand->class].status);
		const int64_t *free = p->view ? &p->view->free[(size_t)cand->node * nodes->width]
					      : free_of(nodes, cand->class);
		cand->allocations = tasks_on(nodes, p->group, most, type_of(nodes, cand->node), free, status);
	}
}

static int by_allocations(const void *a, const void *b)
{
	const struct cand *x = a;
	const struct cand *y = b;
	if (x->allocations != y->allocations)
		return x->allocations > y->allocations ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* How many fit on each island, on no more nodes than the group may have. */
static void islands_count(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	const uint32_t nodes_max = p->group->nodes_max;
	allocations_count(p);
	if (nodes_max)
		qsort(p->cand, p->count, sizeof(*p->cand), by_allocations);
	for (uint32_t i = 1; i <= nodes->cluster->island_count; i++)
		nodes->island[i].allocations = nodes->island[i].ready = nodes->island[i].nodes = 0;
	for (size_t i = 0; i < p->count; i++) {
		const uint32_t number = nodes->cluster->type[type_of(nodes, p->cand[i].node)].island;
		struct island *island = &nodes->island[number];
		if (!number || (nodes_max && p->used_before + island->nodes >= nodes_max))
			continue;
		island->allocations += p->cand[i].allocations;
		island->ready += late_of(p, p->cand[i].node) ? 0 : p->cand[i].allocations;
		island->nodes++;
	}
}

/* The candidates of the best island go to the front. */
static size_t island_first(const struct picker *p, struct cand *cand, size_t count)
{
	struct island best = island_seen(p, &cand[0]);
	for (size_t i = 1; i < count; i++) {
		const struct island island = island_seen(p, &cand[i]);
		if (island_before(p, &island, &best))
			best = island;
	}
	size_t front = 0;
	for (size_t i = 0; i < count; i++) {
		if (island_seen(p, &cand[i]).first != best.first)
			continue;
		const struct cand moved = cand[i];
		cand[i] = cand[front];
		cand[front++] = moved;
	}
	return front;
}

static inline bool pick_plainly(struct picker *p)
{
	return p->nodes->scorer.rule->one_at_a_time && !p->most_first ? pick_singly(p) : pick_nodes(p);
}

/* One island after the other, each as if there were no other nodes. */
static bool pick_by_island(struct picker *p)
{
	size_t left = p->count;
	islands_count(p);
	while (left) {
		struct cand *next = p->cand;
		p->count = island_first(p, next, left);
		const size_t here = p->count;
		if (pick_plainly(p))
			return true;
		if (failed(p->nodes))
			return false;
		p->cand = next + here;
		left -= here;
	}
	return false;
}

/* All tasks on what was gathered, or none. */
static bool pick_all(struct picker *p, bool by_island)
{
	const bool picked = nodes_place_gather(p) && (by_island ? pick_by_island(p) : pick_plainly(p));
	if (!picked)
		picks_undo(p);
	return picked;
}

static bool place_group(struct picker *p, struct chain *chain)
{
	struct nodes *nodes = p->nodes;
	const bool by_island = nodes->scorer.rule->by_island;
	bool placed = pick_all(p, by_island);
	/* Fewer nodes may do if each gets as many tasks as fit. */
	p->most_first = true;
	if (!placed && by_island && p->group->nodes_max && !failed(nodes))
		placed = pick_all(p, true);
	if (!placed && p->group->nodes_max && !failed(nodes))
		placed = pick_all(p, false);
	if (placed && !picks_reserve(p)) {
		picks_undo(p);
		placed = false;
	}
	if (placed)
		take_picks(p, chain);
	return placed;
}

bool place_more(struct nodes *nodes, const struct sl_group *group, uint32_t used, sl_time length,
	uint32_t exempt, struct chain *chain)
{
	struct picker picker = { .nodes = nodes,
		.group = group,
		.exempt = exempt,
		.length = length,
		.left = group->tasks,
		.used_before = used,
		.used = used };
	return place_group(&picker, chain);
}

static bool nodes_place_place(
	struct nodes *nodes, uint32_t request, struct view *view, sl_time length, struct chain *chain)
{
	const struct sl_request *asked = &nodes->requests[request];
	*chain = CHAIN_NONE;
	for (uint32_t i = 0; i < asked->group_count; i++) {
		struct picker picker = { .nodes = nodes,
			.group = &asked->group[i],
			.group_index = (uint16_t)i,
			.view = view,
			.exempt = exempt_of(nodes, request),
			.length = length,
			.left = asked->group[i].tasks };
		if (!place_group(&picker, chain))
			return false;
	}
	return true;
}

bool place_on(struct nodes *nodes, uint32_t request, struct view *view, struct chain *chain)
{
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	if (nodes_place_place(nodes, request, view, 0, chain))
		return true;
	chain_free(nodes, *chain);
	*chain = CHAIN_NONE;
	return false;
}

/* ---- Views ----------------------------------------------------------------------------------- */

static bool view_capacity(struct nodes *nodes)
{
	if (nodes->view.free)
		return true;
	nodes->view.free = malloc((size_t)nodes->count * nodes->width * sizeof(*nodes->view.free));
	nodes->view.status = malloc(nodes->count);
	if (nodes->view.free && nodes->view.status)
		return true;
	(void)sl_fail_memory(&nodes->err);
	return false;
}

bool view_free_window(struct nodes *nodes, const struct free_window *free_window)
{
	if (!view_capacity(nodes))
		return false;
	nodes->view.ready = false;
	for (uint32_t row = 0; row < nodes->count; row++)
		nodes->view.status[row] = (uint8_t)free_window_of(
			nodes, row, free_window, &nodes->view.free[(size_t)row * nodes->width]);
	return true;
}

bool view_empty(struct nodes *nodes)
{
	if (!view_capacity(nodes))
		return false;
	nodes->view.ready = true;
	for (uint32_t row = 0; row < nodes->count; row++) {
		memcpy(&nodes->view.free[(size_t)row * nodes->width], empty_of(nodes, type_of(nodes, row)),
			nodes->width * sizeof(int64_t));
		nodes->view.status[row] = NODE_IDLE;
	}
	return true;
}

/* ---- One unit: the best class, by cached scores ----------------------------------- */

struct best {
	uint32_t node; /* NONE: none yet. */
	int64_t score;
};

static bool is_better(const struct nodes *nodes, const struct best *best, uint32_t node, int64_t score)
{
	if (best->node == NONE || score != best->score)
		return best->node == NONE || score < best->score;
	return tie_before(nodes, node, best->node);
}

static uint32_t nodes_place_first_of(const struct nodes *nodes, const struct class *class)
{
	uint32_t first = class->heap[0];
	if (!by_chance(nodes))
		return first;
	uint64_t least = tie_of(nodes, first);
	for (uint32_t i = 1; i < class->count; i++) {
		const uint64_t tie = tie_of(nodes, class->heap[i]);
		if (tie > least || (tie == least && class->heap[i] > first))
			continue;
		first = class->heap[i];
		least = tie;
	}
	return first;
}

static void best_meets(const struct nodes *nodes, struct best *best, uint32_t class, int64_t score)
{
	if (best->node != NONE && score > best->score)
		return;
	const uint32_t node = nodes_place_first_of(nodes, &nodes->class[class]);
	if (is_better(nodes, best, node, score))
		*best = (struct best){ node, score };
}

/* SCORE_NONE: the unit does not fit on the class. */
static int64_t class_scores(const struct nodes *nodes, uint32_t request, uint32_t index)
{
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	const struct class *class = &nodes->class[index];
	const int64_t *free = free_of(nodes, index);
	if (!units_on(nodes, shape, group, class->type, free, (enum node_status) class->status))
		return SCORE_NONE;
	const int64_t score = score_of(nodes, class->type, free, group, shape->unit);
	return score < SCORE_NONE ? score : SCORE_NONE - 1;
}

static int64_t known_score(
	const struct nodes *nodes, const struct scores *scores, uint32_t request, uint32_t index)
{
	if (!scores)
		return class_scores(nodes, request, index);
	int64_t *score = &scores->score[index];
	if (*score == SCORE_UNKNOWN)
		*score = class_scores(nodes, request, index);
	return *score;
}

static struct best best_of_scores(const struct nodes *nodes, const struct scores *scores, uint32_t request,
	sl_time length, uint32_t late)
{
	struct best best = { NONE, SCORE_NONE - 1 };
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		if (scores->score[i] > best.score)
			continue;
		const struct class *class = &nodes->class[i];
		if (!class->count || class->late != late ||
			!open_for(nodes, class->windows, length, exempt_of(nodes, request)))
			continue;
		const int64_t score = known_score(nodes, scores, request, i);
		if (score <= best.score)
			best_meets(nodes, &best, i, score);
	}
	return best;
}

static struct best best_of_all(const struct nodes *nodes, uint32_t request, sl_time length, uint32_t late)
{
	struct best best = { NONE, SCORE_NONE - 1 };
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		if (!class->count || class->late != late ||
			!open_for(nodes, class->windows, length, exempt_of(nodes, request)))
			continue;
		const int64_t score = class_scores(nodes, request, i);
		if (score <= best.score)
			best_meets(nodes, &best, i, score);
	}
	return best;
}

/* Of those that are ready; if it does not fit on these, of the least late on which it does. */
static struct best best_of(
	const struct nodes *nodes, const struct scores *scores, uint32_t request, sl_time length)
{
	struct best best = { NONE, 0 };
	for (uint32_t late = 0; late < (nodes->late_count ? NODES_LATE : 1) && best.node == NONE; late++)
		best = scores ? best_of_scores(nodes, scores, request, length, late)
			      : best_of_all(nodes, request, length, late);
	return best;
}

/* If the node that was chosen is as it was, only those that changed can be better. */
static bool choice_stands(struct nodes *nodes, uint32_t request, const struct scores *scores)
{
	struct shape *shape = &nodes->shape[request];
	const uint64_t changes = nodes->log_count - shape->choice_seen;
	if (!shape->choice_at || nodes->windows_live || nodes->late_count || changes > LOG ||
		changes > nodes->class_used / 8)
		return false; /* Or a new search is faster. */
	struct best best = { shape->choice, shape->choice_score };
	for (uint64_t i = shape->choice_seen; i < nodes->log_count; i++) {
		const uint32_t row = nodes->log[i % LOG];
		if (row == shape->choice)
			return false;
		if (row == best.node)
			continue;
		const int64_t score = known_score(nodes, scores, request, nodes->node[row].class);
		if (score != SCORE_NONE && is_better(nodes, &best, row, score))
			best = (struct best){ row, score };
	}
	shape->choice = best.node;
	shape->choice_score = best.score;
	return true;
}

/* By chance it depends on the job, and is not cached. */
uint32_t choose(struct nodes *nodes, uint32_t request, sl_time length)
{
	struct shape *shape = &nodes->shape[request];
	const bool chance = by_chance(nodes);
	if (!chance && shape->choice_at == nodes->version &&
		(!nodes->windows_live || shape->choice_length == length))
		return shape->choice;
	const struct scores *scores = scores_of(nodes, request);
	if (chance || !choice_stands(nodes, request, scores)) {
		const struct best best = best_of(nodes, scores, request, length);
		shape->choice = best.node;
		shape->choice_score = best.score;
	}
	/* With windows it is another at another time, and when they are over. */
	shape->choice_seen = nodes->windows_live ? nodes->log_count - LOG - 1 : nodes->log_count;
	shape->choice_at = nodes->version;
	shape->choice_length = length;
	return shape->choice;
}

bool place_now(struct nodes *nodes, uint32_t request, sl_time length, struct chain *chain)
{
	*chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	if (is_single(nodes, request)) {
		const uint32_t node = choose(nodes, request, length);
		if (node == NONE)
			return false;
		const struct load load = { nodes->requests[request].group, node, nodes->shape[request].unit,
			0 };
		if (!intervals_reserve(nodes, load_intervals(nodes, load.group, load.tasks)))
			return false;
		node_spends(nodes, &load, chain);
		return true;
	}
	if (nodes_place_place(nodes, request, NULL, length, chain))
		return true;
	if (!failed(nodes))
		place_undo(nodes, *chain);
	*chain = CHAIN_NONE;
	return false;
}

/* What several groups need may be found by one order of the nodes and not by another: what fits without a
 * job's ties fits for every job. */
static bool may_retry(const struct nodes *nodes, uint32_t request)
{
	return by_chance(nodes) && !failed(nodes) && nodes->requests[request].group_count > 1;
}

bool place_now_for(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, struct chain *chain)
{
	if (!by_chance(nodes))
		return place_now(nodes, request, length, chain);
	ties_for(nodes, job);
	bool placed = place_now(nodes, request, length, chain);
	ties_for(nodes, NONE);
	if (!placed && may_retry(nodes, request))
		placed = place_now(nodes, request, length, chain);
	return placed;
}

/* ---- At a time to come ----------------------------------------------------------------------- */

bool place_free_window(
	struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises, struct chain *chain)
{
	*chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	const struct free_window free_window = { at, after(at, length), promises, exempt_of(nodes, request) };
	if (!is_single(nodes, request))
		return view_free_window(nodes, &free_window) && place_on(nodes, request, &nodes->view, chain);
	int64_t free[COLUMNS_MAX];
	const uint32_t node = ahead_choose(nodes, request, at, length, promises);
	if (node == NONE)
		return false;
	const struct load load = { nodes->requests[request].group, node, nodes->shape[request].unit, 0 };
	if (!intervals_reserve(nodes, load_intervals(nodes, load.group, load.tasks)))
		return false;
	(void)free_window_of(nodes, node, &free_window, free);
	intervals_spend(nodes, &load, free, chain);
	return true;
}

bool place_free_window_for(struct nodes *nodes, uint32_t job, uint32_t request,
	const struct free_window *free_window, struct chain *chain)
{
	const sl_time length =
		free_window->until == SL_NEVER ? SL_NEVER : free_window->until - free_window->from;
	ties_for(nodes, job);
	bool placed =
		place_free_window(nodes, request, free_window->from, length, free_window->promises, chain);
	ties_for(nodes, NONE);
	if (!placed && may_retry(nodes, request))
		placed = place_free_window(
			nodes, request, free_window->from, length, free_window->promises, chain);
	return placed;
}
