/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_place.c - on which nodes a request goes: of those that hold a task the least score, then the lowest
 * node, until all tasks have a place.
 *
 * Candidates are classes of nodes, when it is now, or the nodes of a view. A
 * node that was picked is out of its class until its group is placed.
 */
#include "sim/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

struct picker {
	struct nodes *nodes;
	const struct sl_group *group;
	uint16_t group_index;
	struct view *view; /* NULL: the classes. */
	uint32_t exempt;   /* Windows of this reservation do not stop it. */
	sl_time length;
	size_t count;  /* Candidates. */
	size_t picked; /* Nodes. */
	uint32_t used; /* Nodes, with those that it had before. */
	uint32_t left; /* Tasks. */
	uint32_t most; /* No candidate would get more. */
	bool most_first;
};

/* ---- A heap of candidates --------------------------------------------------------------------- */

static bool cand_before(const struct cand *a, const struct cand *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->score != b->score ? a->score < b->score : a->node < b->node;
}

static void cand_down(struct cand *heap, size_t count, size_t place)
{
	const struct cand moved = heap[place];
	for (size_t child; (child = 2 * place + 1) < count; place = child) {
		child += child + 1 < count && cand_before(&heap[child + 1], &heap[child]);
		if (!cand_before(&heap[child], &moved))
			break;
		heap[place] = heap[child];
	}
	heap[place] = moved;
}

static void cand_up(struct cand *heap, size_t place)
{
	const struct cand moved = heap[place];
	for (; place && cand_before(&moved, &heap[(place - 1) / 2]); place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = moved;
}

static void cand_heap(struct cand *heap, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		cand_down(heap, count, i);
}

/* ---- Candidates ----------------------------------------------------------------------------------- */

static bool picker_room(struct nodes *nodes, size_t count)
{
	return !grow((void **)&nodes->cand, &nodes->cand_capacity, sizeof(*nodes->cand), count, SIZE_MAX / 64,
		&nodes->err);
}

static void gather_view(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	const uint32_t bound = group_bound(p->group);
	for (uint32_t row = 0; row < nodes->count; row++) {
		const uint32_t cap = tasks_on(nodes, p->group, bound, type_of(nodes, row),
			&p->view->free[(size_t)row * nodes->width], (enum node_status)p->view->status[row]);
		if (cap)
			nodes->cand[p->count++] =
				(struct cand){ .node = row, .class = NONE, .cap = cap, .pick = NONE };
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
		if (cap)
			nodes->cand[p->count++] =
				(struct cand){ .node = class->heap[0], .class = i, .cap = cap, .pick = NONE };
	}
}

/* False: there are too few for that many tasks. */
static bool gather(struct picker *p)
{
	struct nodes *nodes = p->nodes;
	p->count = 0;
	if (!picker_room(nodes, (p->view ? nodes->count : nodes->class_used) + (size_t)1))
		return false;
	if (p->view)
		gather_view(p);
	else
		gather_classes(p);
	uint64_t sum = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct cand *cand = &nodes->cand[i];
		sum += (uint64_t)cand->cap * (cand->class == NONE ? 1 : nodes->class[cand->class].count);
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
static uint32_t limit_of(const struct picker *p)
{
	const uint32_t others = p->group->nodes_min > p->used + 1 ? p->group->nodes_min - p->used - 1 : 0;
	return p->left > others ? p->left - others : 0;
}

static void score_all(struct picker *p, uint32_t limit)
{
	p->most = 0;
	for (size_t i = 0; i < p->count; i++) {
		struct cand *cand = &p->nodes->cand[i];
		cand->tasks = cand->cap < limit ? cand->cap : limit;
		cand->score = cand_score(p, cand);
		cand->rank = p->most_first ? -(int64_t)cand->tasks : 0;
		p->most = cand->tasks > p->most ? cand->tasks : p->most;
	}
	cand_heap(p->nodes->cand, p->count);
}

/* ---- Picks ------------------------------------------------------------------------------------------ */

static bool pick_new(struct picker *p, uint32_t node, uint32_t tasks)
{
	struct nodes *nodes = p->nodes;
	if (grow((void **)&nodes->pick, &nodes->pick_capacity, sizeof(*nodes->pick), p->picked + 1,
		    SIZE_MAX / 64, &nodes->err))
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
	struct nodes *nodes = p->nodes;
	struct cand *best = &nodes->cand[0];
	if (best->class != NONE && nodes->class[best->class].count)
		best->node = nodes->class[best->class].heap[0];
	else if (--p->count)
		*best = nodes->cand[p->count];
	if (p->count)
		cand_down(nodes->cand, p->count, 0);
}

static bool pick_nodes(struct picker *p)
{
	const struct sl_group *group = p->group;
	p->most = UINT32_MAX;
	while (p->left) {
		const uint32_t limit = limit_of(p);
		if (!p->count || !limit || (group->nodes_max && p->used >= group->nodes_max))
			return false;
		if (limit < p->most)
			score_all(p, limit);
		const struct cand best = p->nodes->cand[0];
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

/* ---- One task at a time ---------------------------------------------------------------------------- */

/* One task of the group, whatever type of GPU it gets. */
static void spend_one(const struct nodes *nodes, const struct sl_group *group, uint32_t node, int64_t *free)
{
	const struct sl_demand *task = &group->task;
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

/* It got one more; among those that were picked if it holds another. */
static void again_put(struct picker *p, struct cand cand, size_t *again)
{
	struct nodes *nodes = p->nodes;
	spend_one(nodes, p->group, cand.node, &nodes->pick_free[(size_t)cand.pick * nodes->width]);
	if (!--cand.cap)
		return;
	cand.score = cand_score(p, &cand);
	nodes->again[*again] = cand;
	cand_up(nodes->again, (*again)++);
}

static bool pick_first_task(struct picker *p, size_t *again)
{
	struct nodes *nodes = p->nodes;
	struct cand best = nodes->cand[0];
	if (grow((void **)&nodes->again, &nodes->again_capacity, sizeof(*nodes->again), *again + 1,
		    SIZE_MAX / 64, &nodes->err) ||
		grow((void **)&nodes->pick_free, &nodes->pick_free_capacity, sizeof(*nodes->pick_free),
			(p->picked + 1) * nodes->width, SIZE_MAX / 64, &nodes->err))
		return false;
	const int64_t *free = best.class == NONE ? &p->view->free[(size_t)best.node * nodes->width]
						 : free_of(nodes, best.class);
	memcpy(&nodes->pick_free[p->picked * nodes->width], free, nodes->width * sizeof(*free));
	best.pick = (uint32_t)p->picked;
	if (!pick_new(p, best.node, 1))
		return false;
	next_of_best(p);
	best.class = NONE;
	again_put(p, best, again);
	return true;
}

static void pick_further_task(struct picker *p, size_t *again)
{
	struct nodes *nodes = p->nodes;
	const struct cand best = nodes->again[0];
	nodes->again[0] = nodes->again[--*again];
	if (*again)
		cand_down(nodes->again, *again, 0);
	nodes->pick[best.pick].tasks++;
	p->left--;
	again_put(p, best, again);
}

static bool pick_singly(struct picker *p)
{
	const struct nodes *nodes = p->nodes;
	const struct sl_group *group = p->group;
	size_t again = 0;
	score_all(p, 1);
	while (p->left) {
		if (!limit_of(p))
			return false;
		const bool may_new = p->count && (!group->nodes_max || p->used < group->nodes_max);
		const bool must_new = p->used < group->nodes_min && p->left == group->nodes_min - p->used;
		const bool may_again = again && !must_new;
		if (!may_new && !may_again)
			return false;
		if (may_again && (!may_new || cand_before(&nodes->again[0], &nodes->cand[0])))
			pick_further_task(p, &again);
		else if (!pick_first_task(p, &again))
			return false;
	}
	return true;
}

/* ---- A group ----------------------------------------------------------------------------------------- */

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
		edges_spend(nodes, &load, &p->view->free[(size_t)pick.node * nodes->width], chain);
		p->view->status[pick.node] = p->group->exclusive ? NODE_WHOLE : NODE_SHARED;
	}
}

static bool picks_reserve(const struct picker *p)
{
	struct nodes *nodes = p->nodes;
	size_t edges = 0;
	for (size_t i = 0; i < p->picked; i++)
		edges += load_edges(nodes, p->group, nodes->pick[i].tasks);
	return edges_reserve(nodes, edges);
}

static bool place_group(struct picker *p, struct chain *chain)
{
	struct nodes *nodes = p->nodes;
	bool placed = gather(p);
	if (placed) {
		placed = nodes->placing.rule->one_at_a_time ? pick_singly(p) : pick_nodes(p);
		if (!placed)
			picks_undo(p);
	}
	/* Fewer nodes may do if each takes as much as it can. */
	if (!placed && p->group->nodes_max && !failed(nodes) && gather(p)) {
		p->most_first = true;
		placed = pick_nodes(p);
		if (!placed)
			picks_undo(p);
	}
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
		.used = used };
	return place_group(&picker, chain);
}

static bool place(
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

void place_undo(struct nodes *nodes, struct chain chain)
{
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_give(nodes, &nodes->edge[i]);
	chain_free(nodes, chain);
}

bool place_on(struct nodes *nodes, uint32_t request, struct view *view, struct chain *chain)
{
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	if (place(nodes, request, view, 0, chain))
		return true;
	chain_free(nodes, *chain);
	*chain = CHAIN_NONE;
	return false;
}

/* ---- Views --------------------------------------------------------------------------------------------- */

static bool view_room(struct nodes *nodes)
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

bool view_span(struct nodes *nodes, const struct span *span)
{
	if (!view_room(nodes))
		return false;
	for (uint32_t row = 0; row < nodes->count; row++)
		nodes->view.status[row] =
			(uint8_t)span_of(nodes, row, span, &nodes->view.free[(size_t)row * nodes->width]);
	return true;
}

bool view_empty(struct nodes *nodes)
{
	if (!view_room(nodes))
		return false;
	for (uint32_t row = 0; row < nodes->count; row++) {
		memcpy(&nodes->view.free[(size_t)row * nodes->width], empty_of(nodes, type_of(nodes, row)),
			nodes->width * sizeof(int64_t));
		nodes->view.status[row] = NODE_IDLE;
	}
	return true;
}

/* ---- One unit: the best class, by what its track remembers ----------------------------------------------
 */

struct best {
	uint32_t class;
	int64_t score;
};

static void best_meets(const struct nodes *nodes, struct best *best, uint32_t class, int64_t score)
{
	if (best->class == NONE || score < best->score ||
		(score == best->score && nodes->class[class].heap[0] < nodes->class[best->class].heap[0]))
		*best = (struct best){ class, score };
}

static struct best best_of_track(struct nodes *nodes, uint32_t track, sl_time length)
{
	const uint32_t request = nodes->track[track].request;
	struct best best = { NONE, 0 };
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		if (!nodes->class_units[(size_t)i * TRACKS + track] || !class->count ||
			!open_for(nodes, class->windows, length, exempt_of(nodes, request)))
			continue;
		int64_t *score = &nodes->class_score[(size_t)i * TRACKS + track];
		if (*score == SCORE_UNKNOWN)
			*score = score_of(nodes, class->type, free_of(nodes, i),
				nodes->requests[request].group, nodes->shape[request].unit);
		best_meets(nodes, &best, i, *score);
	}
	return best;
}

static struct best best_of_all(const struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	struct best best = { NONE, 0 };
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		const int64_t *free = free_of(nodes, i);
		if (class->count && open_for(nodes, class->windows, length, shape->exempt) &&
			units_on(nodes, shape, group, class->type, free, (enum node_status) class->status))
			best_meets(nodes, &best, i, score_of(nodes, class->type, free, group, shape->unit));
	}
	return best;
}

/* If the node that was chosen is as it was, only those that changed can be better. */
static bool choice_stands(struct nodes *nodes, uint32_t request)
{
	struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	const uint64_t changes = nodes->log_count - shape->choice_seen;
	if (!shape->choice_at || nodes->windows_live || changes > LOG || changes > nodes->class_used / 8)
		return false; /* Or it is sooner found anew. */
	uint32_t best = shape->choice;
	for (uint64_t i = shape->choice_seen; i < nodes->log_count; i++) {
		const uint32_t row = nodes->log[i % LOG];
		const struct node *node = &nodes->node[row];
		const int64_t *free = free_of(nodes, node->class);
		if (row == shape->choice)
			return false;
		if (row == best || !units_on(nodes, shape, group, type_of(nodes, row), free,
					   status_of(node->holds, node->whole)))
			continue;
		const int64_t score = score_of(nodes, type_of(nodes, row), free, group, shape->unit);
		if (best == NONE || score < shape->choice_score ||
			(score == shape->choice_score && row < best)) {
			best = row;
			shape->choice_score = score;
		}
	}
	shape->choice = best;
	return true;
}

uint32_t choose(struct nodes *nodes, uint32_t request, sl_time length)
{
	struct shape *shape = &nodes->shape[request];
	if (shape->choice_at == nodes->version && (!nodes->windows_live || shape->choice_length == length))
		return shape->choice;
	if (!choice_stands(nodes, request)) {
		const uint32_t track = track_find(nodes, request);
		const struct best best = track == NONE ? best_of_all(nodes, request, length)
						       : best_of_track(nodes, track, length);
		shape->choice = best.class == NONE ? NONE : nodes->class[best.class].heap[0];
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
		if (!edges_reserve(nodes, load_edges(nodes, load.group, load.tasks)))
			return false;
		node_spends(nodes, &load, chain);
		return true;
	}
	if (place(nodes, request, NULL, length, chain))
		return true;
	if (!failed(nodes))
		place_undo(nodes, *chain);
	*chain = CHAIN_NONE;
	return false;
}

/* ---- At a time to come --------------------------------------------------------------------------- */

bool place_span(
	struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises, struct chain *chain)
{
	*chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	const struct span span = { at, after(at, length), promises, exempt_of(nodes, request) };
	if (!is_single(nodes, request))
		return view_span(nodes, &span) && place_on(nodes, request, &nodes->view, chain);
	int64_t free[COLUMNS_MAX];
	const uint32_t node = ahead_choose(nodes, request, at, length, promises);
	if (node == NONE)
		return false;
	const struct load load = { nodes->requests[request].group, node, nodes->shape[request].unit, 0 };
	if (!edges_reserve(nodes, load_edges(nodes, load.group, load.tasks)))
		return false;
	(void)span_of(nodes, node, &span, free);
	edges_spend(nodes, &load, free, chain);
	return true;
}
