/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_lane.c - jobs in order of their queues. (KAI: actions/utils/job_order_by_queue.)
 *
 * Each level of the tree is a heap, sifted as Go's container/heap does. A pop or a push flags its path.
 * Before a pop, at each level from the top: as long as the first queue is flagged it is sifted and its flag
 * cleared; then one goes down. So a department is compared by the child that is on top from before, and
 * queues off the path keep their places though what they hold has changed. fresh_order looks through all
 * queues instead.
 */
#include "policies/runai/rules/kai_lane.h"

#include <stdlib.h>
#include <string.h>

/* ---- Made, and cleared ---- */

struct kai_lane *kai_lane_new(struct kai *kai, enum kai_lane_order order, uint32_t depth)
{
	struct kai_lane *lane = calloc(1, sizeof(*lane));
	if (!lane)
		return (void)sl_fail_memory(&kai->err), NULL;
	lane->order = order;
	lane->depth = depth;
	lane->last = KAI_NO;
	return lane;
}

void kai_lane_free(struct kai_lane *lane)
{
	if (!lane)
		return;
	for (uint32_t i = 0; i < lane->seat_count; i++) {
		free(lane->seat[i].pile.entry);
		free(lane->seat[i].child);
	}
	for (uint32_t i = 0; i < lane->rest_made; i++)
		free(lane->rest[i].gone);
	free(lane->seat);
	free(lane->touched);
	free(lane->rest);
	free(lane->rest_of);
	free(lane);
}

void kai_lane_clear(struct kai_lane *lane, enum kai_lane_order order, uint32_t depth)
{
	lane->order = order;
	lane->depth = depth;
	for (uint32_t i = 0; i < lane->touched_count; i++) {
		struct kai_seat *seat = &lane->seat[lane->touched[i]];
		seat->pile.count = seat->child_count = seat->back = seat->back_end = 0;
		seat->taken = seat->flagged = seat->touched = seat->known = false;
		seat->popped = (struct kai_vec){ 0 };
	}
	lane->touched_count = 0;
	for (uint32_t i = 0; i < lane->rest_count; i++)
		lane->rest_of[lane->rest[i].job] = 0;
	lane->rest_count = 0;
	lane->last = KAI_NO;
}

/* A seat for each queue, and for what is above the roots. */
static bool seats(struct kai *kai, struct kai_lane *lane)
{
	if (lane->seat_count > kai->queue_count)
		return true;
	const uint32_t count = kai->queue_count + 1;
	struct kai_seat *seat = calloc(count, sizeof(*seat));
	uint32_t *touched = malloc(count * sizeof(*touched));
	if (!seat || !touched) {
		free(seat);
		free(touched);
		return (void)sl_fail_memory(&kai->err), false;
	}
	SL_CHECK(!lane->touched_count); /* Queues do not come while jobs wait. */
	for (uint32_t i = 0; i < lane->seat_count; i++) {
		free(lane->seat[i].pile.entry);
		free(lane->seat[i].child);
	}
	free(lane->seat);
	free(lane->touched);
	lane->seat = seat;
	lane->seat_count = count;
	lane->touched = touched;
	return true;
}

struct kai_seat *kai_lane_seat(struct kai_lane *lane, uint32_t queue)
{
	struct kai_seat *seat = &lane->seat[queue];
	if (!seat->touched)
		lane->touched[lane->touched_count++] = queue;
	seat->touched = true;
	return seat;
}

static uint32_t top_seat(const struct kai_lane *lane) { return lane->seat_count - 1; }
static bool is_leaf(const struct kai *kai, uint32_t queue)
{
	return queue < kai->queue_count && !kai->queue[queue].child_count;
}

/* ---- Which of two queues is before the other ---- */

static uint32_t best_child(struct kai *kai, struct kai_lane *lane, uint32_t parent);

/* The leaf whose first job stands for the queue. */
static uint32_t stands_for(struct kai *kai, struct kai_lane *lane, uint32_t queue)
{
	while (!is_leaf(kai, queue))
		queue = lane->fresh ? best_child(kai, lane, queue) : lane->seat[queue].child[0];
	return queue;
}

/* The first job of a leaf is one that only waits. */
static bool waits_first(const struct kai *kai, const struct kai_lane *lane, const struct kai_seat *seat)
{
	return seat->back < seat->back_end &&
	       (!seat->pile.count ||
		       kai_entry_before(kai, lane, &lane->back->entry[seat->back], &seat->pile.entry[0]));
}

/* What is known of a leaf's first job: what it requests, or what is and was taken. */
static struct kai_vec kai_lane_weight_of(struct kai *kai, struct kai_lane *lane, uint32_t leaf)
{
	struct kai_seat *seat = &lane->seat[leaf];
	if (!seat->known)
		seat->waits = waits_first(kai, lane, seat);
	const struct kai_entry *first = &seat->pile.entry[0];
	if (seat->waits)
		seat->head = lane->back->needs[seat->back];
	else if (!seat->known && lane->order == KAI_VICTIMS)
		seat->head = kai_held(kai, lane, first->job);
	else if (!seat->known || first->live)
		seat->head = kai_entry_needs(kai, lane, first);
	seat->known = true;
	struct kai_vec sum = seat->head;
	for (int i = 0; i < KAI_RES; i++)
		sum.at[i] += seat->popped.at[i];
	return sum;
}

static bool kai_lane_before(struct kai *kai, struct kai_lane *lane, uint32_t left, uint32_t right)
{
	const struct kai_vec a = kai_lane_weight_of(kai, lane, stands_for(kai, lane, left));
	const struct kai_vec b = kai_lane_weight_of(kai, lane, stands_for(kai, lane, right));
	const bool victims = lane->order == KAI_VICTIMS;
	const struct kai_standing l = { &kai->queue[left], victims ? NULL : &a, victims ? &a : NULL };
	const struct kai_standing r = { &kai->queue[right], victims ? NULL : &b, victims ? &b : NULL };
	const int order = kai_compare_queues(kai, &l, &r);
	return victims ? order > 0 : order < 0;
}

static uint32_t best_child(struct kai *kai, struct kai_lane *lane, uint32_t parent)
{
	struct kai_seat *seat = &lane->seat[parent];
	if (seat->best_at == lane->choice)
		return seat->best;
	uint32_t best = seat->child[0];
	for (uint32_t i = 1; i < seat->child_count; i++)
		if (kai_lane_before(kai, lane, seat->child[i], best))
			best = seat->child[i];
	seat->best = best;
	seat->best_at = lane->choice;
	return best;
}

/* ---- The heap of a level ---- */

static void swap(uint32_t *heap, uint32_t a, uint32_t b)
{
	const uint32_t row = heap[a];
	heap[a] = heap[b];
	heap[b] = row;
}

static void sift_down(struct kai *kai, struct kai_lane *lane, uint32_t *heap, uint32_t count)
{
	uint32_t at = 0;
	for (uint32_t below = 1; below < count; below = 2 * at + 1) {
		if (below + 1 < count && kai_lane_before(kai, lane, heap[below + 1], heap[below]))
			below++;
		if (!kai_lane_before(kai, lane, heap[below], heap[at]))
			break;
		swap(heap, at, below);
		at = below;
	}
}

/* The queue takes its place below its parent. */
static bool kai_lane_join_here(struct kai *kai, struct kai_lane *lane, uint32_t parent, uint32_t queue)
{
	struct kai_seat *seat = kai_lane_seat(lane, parent);
	if (SL_GROW(seat->child, seat->child_capacity, seat->child_count + 1, &kai->err))
		return false;
	uint32_t *heap = seat->child;
	uint32_t at = seat->child_count++;
	heap[at] = queue;
	lane->seat[queue].taken = true;
	for (; !lane->fresh && at && kai_lane_before(kai, lane, heap[at], heap[(at - 1) / 2]);
		at = (at - 1) / 2)
		swap(heap, at, (at - 1) / 2);
	return true;
}

/* It goes: it is the first, or with fresh_order anywhere. */
static void kai_lane_part(struct kai *kai, struct kai_lane *lane, uint32_t parent, uint32_t queue)
{
	struct kai_seat *seat = &lane->seat[parent];
	uint32_t at = 0;
	while (at < seat->child_count && seat->child[at] != queue)
		at++;
	if (at == seat->child_count) /* No memory was left for it. */
		return;
	swap(seat->child, at, --seat->child_count);
	lane->seat[queue].taken = false;
	if (!lane->fresh)
		sift_down(kai, lane, seat->child, seat->child_count);
}

/* ---- Pushed and popped ---- */

static uint32_t above(const struct kai *kai, const struct kai_lane *lane, uint32_t queue)
{
	const uint32_t parent = kai->queue[queue].parent;
	return parent == KAI_NO ? top_seat(lane) : parent;
}

void kai_lane_join(struct kai *kai, struct kai_lane *lane, uint32_t leaf)
{
	lane->choice++;
	for (uint32_t at = leaf; at != top_seat(lane); at = above(kai, lane, at)) {
		if (!lane->seat[at].taken && !kai_lane_join_here(kai, lane, above(kai, lane, at), at))
			return;
		lane->seat[at].flagged = true;
	}
}

void kai_lane_enter(struct kai *kai, struct kai_lane *lane, const struct kai_entry *entry)
{
	const uint32_t leaf = kai->job[entry->job].queue;
	struct kai_seat *seat = kai_lane_seat(lane, leaf);
	seat->known = false;
	lane->last = KAI_NO;
	if (kai_pile_push(kai, lane, &seat->pile, entry))
		kai_lane_join(kai, lane, leaf);
}

bool kai_lane_may(struct kai *kai, struct kai_lane *lane, uint32_t job)
{
	const uint32_t queue = kai->job[job].queue;
	if (queue == KAI_NO || !is_leaf(kai, queue) || !seats(kai, lane))
		return false;
	lane->fresh = kai->config.fresh_order;
	return true;
}

void kai_lane_push(struct kai *kai, struct kai_lane *lane, uint32_t job)
{
	if (!kai_lane_may(kai, lane, job))
		return;
	const struct kai_entry entry = kai_entry_of(kai, lane, job);
	kai_lane_enter(kai, lane, &entry);
}

void kai_lane_push_part(struct kai *kai, struct kai_lane *lane, uint32_t job, const struct kai_vec *needs)
{
	if (!kai_lane_may(kai, lane, job))
		return;
	struct kai_entry entry = kai_entry_of(kai, lane, job);
	entry.growth = KAI_BELOW_MINIMUM;
	entry.live = false;
	entry.part = true;
	lane->part = *needs;
	kai_lane_enter(kai, lane, &entry);
}

/* The first queue of a level, flagged ones sifted. */
static uint32_t first_child(struct kai *kai, struct kai_lane *lane, uint32_t parent)
{
	struct kai_seat *seat = &lane->seat[parent];
	if (lane->fresh)
		return best_child(kai, lane, parent);
	while (lane->seat[seat->child[0]].flagged) {
		const uint32_t first = seat->child[0];
		sift_down(kai, lane, seat->child, seat->child_count);
		lane->seat[first].flagged = false;
	}
	return seat->child[0];
}

/* Queues left without jobs go; what stays on the path is flagged. */
static void kai_lane_leave(struct kai *kai, struct kai_lane *lane, uint32_t leaf)
{
	for (uint32_t at = leaf; at != top_seat(lane); at = above(kai, lane, at)) {
		struct kai_seat *seat = &lane->seat[at];
		if (seat->pile.count || seat->child_count || seat->back < seat->back_end)
			seat->flagged = true;
		else
			kai_lane_part(kai, lane, above(kai, lane, at), at);
	}
}

void kai_lane_prune(struct kai *kai, struct kai_lane *lane,
	enum kai_stay (*stays)(const struct kai *kai, uint32_t job, const void *of), const void *of)
{
	uint32_t leaf = lane->seat_count ? top_seat(lane) : KAI_NO;
	if (leaf == KAI_NO)
		return;
	while (!is_leaf(kai, leaf)) {
		if (lane->seat[leaf].child_count != 1)
			return;
		leaf = lane->seat[leaf].child[0];
	}
	struct kai_seat *seat = &lane->seat[leaf];
	if (seat->back < seat->back_end || !kai_pile_prune(kai, lane, &seat->pile, stays, of))
		return;
	seat->known = false;
	lane->last = KAI_NO;
	lane->choice++;
	kai_lane_leave(kai, lane, leaf);
}

bool kai_lane_empty(const struct kai_lane *lane)
{
	return !lane->seat_count || !lane->seat[top_seat(lane)].child_count;
}

static bool asks_no_more(const struct kai_vec *a, const struct kai_vec *b)
{
	for (int i = 0; i < KAI_RES; i++)
		if (a->at[i] > b->at[i])
			return false;
	return true;
}

/* A job that only waits is popped, and, with `many`, those behind it that request no more: a queue does not
 * come later for requesting less, and nothing else has changed. That holds if the queue stayed the first of
 * its level, and those above it, when they were compared with their siblings for the job that is popped: they
 * are at each choice (fresh), or if the choice before was of this leaf too (lazy). */
static struct kai_entry pop_waiting(struct kai *kai, struct kai_lane *lane, uint32_t leaf, bool many)
{
	struct kai_seat *seat = &lane->seat[leaf];
	const struct kai_entry entry = lane->back->entry[seat->back++];
	while (seat->back < seat->back_end &&
		(lane->back->hidden[seat->back] ||
			(many && asks_no_more(&lane->back->needs[seat->back], &seat->head) &&
				waits_first(kai, lane, seat))))
		seat->back++;
	return entry;
}

bool kai_lane_take(struct kai *kai, struct kai_lane *lane, struct kai_entry *entry)
{
	if (kai_lane_empty(lane))
		return false;
	lane->choice++;
	uint32_t leaf = top_seat(lane);
	while (!is_leaf(kai, leaf))
		leaf = first_child(kai, lane, leaf);
	struct kai_seat *seat = &lane->seat[leaf];
	const struct kai_vec weight = kai_lane_weight_of(kai, lane, leaf);
	if (lane->order == KAI_VICTIMS)
		seat->popped = weight;
	const bool many = !kai->config.priority_reclaim && (lane->fresh || lane->last == leaf);
	if (seat->waits)
		*entry = pop_waiting(kai, lane, leaf, many);
	else
		*entry = kai_pile_pop(kai, lane, &seat->pile);
	seat->known = false;
	lane->last = leaf;
	lane->choice++;
	kai_lane_leave(kai, lane, leaf);
	return true;
}

uint32_t kai_lane_pop(struct kai *kai, struct kai_lane *lane)
{
	struct kai_entry entry;
	return kai_lane_take(kai, lane, &entry) ? entry.job : KAI_NO;
}

/* ---- Taken in part ---- */

static struct kai_rest *rest_of(struct kai *kai, struct kai_lane *lane, uint32_t job)
{
	if (SL_GROW_ZEROED(lane->rest_of, lane->rest_of_count, job + 1, &kai->err))
		return NULL;
	if (lane->rest_of[job])
		return &lane->rest[lane->rest_of[job] - 1];
	if (SL_GROW_ZEROED(lane->rest, lane->rest_made, lane->rest_count + 1, &kai->err))
		return NULL;
	struct kai_rest *rest = &lane->rest[lane->rest_count];
	const uint32_t tasks = kai->job[job].task_count;
	if (SL_GROW(rest->gone, rest->capacity, tasks, &kai->err))
		return NULL;
	memset(rest->gone, 0, tasks);
	rest->job = job;
	lane->rest_of[job] = ++lane->rest_count;
	return rest;
}

void kai_lane_push_rest(
	struct kai *kai, struct kai_lane *lane, uint32_t job, const uint32_t *task, uint32_t count)
{
	struct kai_rest *rest = rest_of(kai, lane, job);
	for (uint32_t i = 0; rest && i < count; i++)
		rest->gone[task[i] - kai->job[job].task] = 1;
	if (rest && kai_active_left(kai, lane, job))
		kai_lane_push(kai, lane, job);
}
