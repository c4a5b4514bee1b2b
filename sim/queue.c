/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue.c - the B+ tree of queue.h.
 *
 * Walks go down from the root by (key, row), so nodes know no parents and jobs
 * no nodes. Nodes come from two pools, reserved before a change begins: no walk
 * fails half-way.
 */
#include "sim/queue.h"

#include <stdlib.h>
#include <string.h>

#define NONE   UINT32_MAX
#define ABSENT INT32_MAX

/* Behind count: job UINT32_MAX and size ABSENT, so that whole-leaf loops need no bound. */
struct queue_leaf {
	uint32_t count;
	uint32_t next; /* In the list of freed ones. */
	uint32_t job[QUEUE_LEAF];
	int32_t size[QUEUE_LEAF];
	int32_t length[QUEUE_LEAF]; /* Whole seconds, rounded down. */
};

struct queue_inner {
	uint32_t count;
	uint32_t next;
	uint32_t child[QUEUE_WAYS];
	uint32_t first[QUEUE_WAYS]; /* The first job below each child. */
	struct queue_sum sum[QUEUE_WAYS];
};

/* 1..7 are classes of their own; above, two classes an octave: [2^k, 1.5 * 2^k), [1.5 * 2^k, 2^(k+1)). Powers
 * of two, the most common sizes, are the least of their class. */
static unsigned class_of(int32_t size)
{
	if (size < 8)
		return (unsigned)size;
	const unsigned octave = 31U - (unsigned)__builtin_clz((unsigned)size);
	return 8 + (octave - 3) * 2 + (((unsigned)size >> (octave - 1)) & 1);
}

static int32_t seconds_of(sl_time length)
{
	const sl_time seconds = length / SL_SECOND;
	return seconds < ABSENT - 1 ? (int32_t)seconds : ABSENT - 1;
}

static bool before(const struct queue *q, uint32_t a, uint32_t b)
{
	if (q->key && q->key[a] != q->key[b])
		return q->key[a] < q->key[b];
	return a < b;
}

void queue_init(struct queue *q, const int32_t *size, const sl_time *length, const double *key)
{
	*q = (struct queue){
		.size = size,
		.length = length,
		.key = key,
		.root = NONE,
		.leaf_spare = NONE,
		.inner_spare = NONE,
	};
}

void queue_release(struct queue *q)
{
	free(q->leaf);
	free(q->inner);
	queue_init(q, NULL, NULL, NULL);
	q->leaf = NULL;
	q->inner = NULL;
}

/* ---- Pools --------------------------------------------------------------------- */

/* Enough for one insertion: a split on every level, and a new root. */
static int reserve(struct queue *q, struct sl_err *err)
{
	int status = grow((void **)&q->leaf, &q->leaf_capacity, sizeof(*q->leaf), (size_t)q->leaf_used + 2,
		NONE - 1, err);
	if (!status)
		status = grow((void **)&q->inner, &q->inner_capacity, sizeof(*q->inner),
			(size_t)q->inner_used + q->depth + 2, NONE - 1, err);
	return status;
}

static uint32_t leaf_new(struct queue *q)
{
	uint32_t node = q->leaf_spare;
	if (node != NONE)
		q->leaf_spare = q->leaf[node].next;
	else
		node = q->leaf_used++;
	struct queue_leaf *leaf = &q->leaf[node];
	leaf->count = 0;
	for (size_t i = 0; i < QUEUE_LEAF; i++) {
		leaf->job[i] = NONE;
		leaf->size[i] = ABSENT;
	}
	return node;
}

static uint32_t inner_new(struct queue *q)
{
	uint32_t node = q->inner_spare;
	if (node != NONE)
		q->inner_spare = q->inner[node].next;
	else
		node = q->inner_used++;
	q->inner[node].count = 0;
	return node;
}

static void node_free(struct queue *q, uint32_t node, uint32_t level)
{
	if (level) {
		q->inner[node].next = q->inner_spare;
		q->inner_spare = node;
	} else {
		q->leaf[node].next = q->leaf_spare;
		q->leaf_spare = node;
	}
}

/* ---- Summaries ------------------------------------------------------------------- */

static void sum_clear(struct queue_sum *sum)
{
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		sum->length[c] = ABSENT;
	sum->size_min = ABSENT;
}

static void sum_widen(struct queue_sum *sum, int32_t size, int32_t length)
{
	const unsigned c = class_of(size);
	if (length < sum->length[c])
		sum->length[c] = length;
	if (size < sum->size_min)
		sum->size_min = size;
}

static void sum_join(struct queue_sum *sum, const struct queue_sum *other)
{
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		sum->length[c] = sum->length[c] < other->length[c] ? sum->length[c] : other->length[c];
	if (other->size_min < sum->size_min)
		sum->size_min = other->size_min;
}

static int32_t leaf_size_min(const struct queue_leaf *leaf)
{
	int32_t least = ABSENT;
	for (size_t i = 0; i < QUEUE_LEAF; i++)
		least = leaf->size[i] < least ? leaf->size[i] : least;
	return least;
}

static void sum_of(const struct queue *q, uint32_t node, uint32_t level, struct queue_sum *sum)
{
	sum_clear(sum);
	if (level) {
		const struct queue_inner *inner = &q->inner[node];
		for (uint32_t i = 0; i < inner->count; i++)
			sum_join(sum, &inner->sum[i]);
		return;
	}
	const struct queue_leaf *leaf = &q->leaf[node];
	for (uint32_t i = 0; i < leaf->count; i++)
		sum_widen(sum, leaf->size[i], leaf->length[i]);
}

/* After a job of this size and length left the child: only its class, and the least size, can have changed.
 */
static void sum_narrow(const struct queue *q, uint32_t node, uint32_t level, struct queue_sum *sum,
	int32_t size, int32_t length)
{
	const unsigned c = class_of(size);
	const bool shortest = sum->length[c] == length;
	const bool smallest = sum->size_min == size;
	if (!shortest && !smallest)
		return;
	int32_t length_min = ABSENT;
	int32_t size_min = ABSENT;
	if (level) {
		const struct queue_inner *inner = &q->inner[node];
		for (uint32_t i = 0; i < inner->count; i++) {
			const struct queue_sum *below = &inner->sum[i];
			length_min = below->length[c] < length_min ? below->length[c] : length_min;
			size_min = below->size_min < size_min ? below->size_min : size_min;
		}
	} else {
		const struct queue_leaf *leaf = &q->leaf[node];
		for (uint32_t i = 0; i < leaf->count; i++)
			if (leaf->length[i] < length_min && class_of(leaf->size[i]) == c)
				length_min = leaf->length[i];
		size_min = leaf_size_min(leaf);
	}
	sum->length[c] = length_min;
	sum->size_min = size_min;
}

/* ---- Places ------------------------------------------------------------------------ */

static uint32_t first_below(const struct queue *q, uint32_t node, uint32_t level)
{
	return level ? q->inner[node].first[0] : q->leaf[node].job[0];
}

/* The child whose range holds the job. From the right: most jobs go there. */
static uint32_t child_for(const struct queue *q, const struct queue_inner *inner, uint32_t job)
{
	uint32_t i = inner->count - 1;
	while (i && before(q, job, inner->first[i]))
		i--;
	return i;
}

/* How many of the leaf's jobs come no later than `job`. */
static uint32_t leaf_place(const struct queue *q, const struct queue_leaf *leaf, uint32_t job)
{
	if (!q->key) {
		uint32_t place = 0;
		for (size_t i = 0; i < QUEUE_LEAF; i++)
			place += leaf->job[i] <= job;
		return place;
	}
	uint32_t low = 0;
	uint32_t high = leaf->count;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (before(q, job, leaf->job[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- Insertion ---------------------------------------------------------------------- */

static void leaf_put(const struct queue *q, struct queue_leaf *leaf, uint32_t job)
{
	const uint32_t place = leaf_place(q, leaf, job);
	const size_t tail = leaf->count - place;
	memmove(&leaf->job[place + 1], &leaf->job[place], tail * sizeof(leaf->job[0]));
	memmove(&leaf->size[place + 1], &leaf->size[place], tail * sizeof(leaf->size[0]));
	memmove(&leaf->length[place + 1], &leaf->length[place], tail * sizeof(leaf->length[0]));
	leaf->job[place] = job;
	leaf->size[place] = q->size[job];
	leaf->length[place] = seconds_of(q->length[job]);
	leaf->count++;
}

/* Moves jobs [from, count) of one leaf behind those of another. */
static void leaf_move(struct queue_leaf *to, struct queue_leaf *from, uint32_t place)
{
	const uint32_t moved = from->count - place;
	memcpy(&to->job[to->count], &from->job[place], moved * sizeof(to->job[0]));
	memcpy(&to->size[to->count], &from->size[place], moved * sizeof(to->size[0]));
	memcpy(&to->length[to->count], &from->length[place], moved * sizeof(to->length[0]));
	to->count += moved;
	for (uint32_t i = place; i < from->count; i++) {
		from->job[i] = NONE;
		from->size[i] = ABSENT;
	}
	from->count = place;
}

/* Returns the new right neighbour if the leaf was full, else NONE. A leaf that overflows at its end is left
 * full: a queue that only grows at its end fills its leaves. */
static uint32_t leaf_add(struct queue *q, uint32_t node, uint32_t job)
{
	if (q->leaf[node].count < QUEUE_LEAF) {
		leaf_put(q, &q->leaf[node], job);
		return NONE;
	}
	const uint32_t right = leaf_new(q);
	if (leaf_place(q, &q->leaf[node], job) == QUEUE_LEAF) {
		leaf_put(q, &q->leaf[right], job);
		return right;
	}
	leaf_move(&q->leaf[right], &q->leaf[node], QUEUE_LEAF / 2);
	leaf_put(q, &q->leaf[before(q, job, q->leaf[right].job[0]) ? node : right], job);
	return right;
}

static void inner_open(struct queue_inner *inner, uint32_t slot)
{
	const size_t tail = inner->count - slot;
	memmove(&inner->child[slot + 1], &inner->child[slot], tail * sizeof(inner->child[0]));
	memmove(&inner->first[slot + 1], &inner->first[slot], tail * sizeof(inner->first[0]));
	memmove(&inner->sum[slot + 1], &inner->sum[slot], tail * sizeof(inner->sum[0]));
	inner->count++;
}

static void inner_close(struct queue_inner *inner, uint32_t slot)
{
	inner->count--;
	const size_t tail = inner->count - slot;
	memmove(&inner->child[slot], &inner->child[slot + 1], tail * sizeof(inner->child[0]));
	memmove(&inner->first[slot], &inner->first[slot + 1], tail * sizeof(inner->first[0]));
	memmove(&inner->sum[slot], &inner->sum[slot + 1], tail * sizeof(inner->sum[0]));
}

static void inner_move(struct queue_inner *to, struct queue_inner *from, uint32_t slot)
{
	const uint32_t moved = from->count - slot;
	memcpy(&to->child[to->count], &from->child[slot], moved * sizeof(to->child[0]));
	memcpy(&to->first[to->count], &from->first[slot], moved * sizeof(to->first[0]));
	memcpy(&to->sum[to->count], &from->sum[slot], moved * sizeof(to->sum[0]));
	to->count += moved;
	from->count = slot;
}

static void inner_set(
	const struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t child, uint32_t level)
{
	inner->child[slot] = child;
	inner->first[slot] = first_below(q, child, level);
	sum_of(q, child, level, &inner->sum[slot]);
}

/* Puts a child (of that level) at the slot; returns the new right neighbour if the node was full, else NONE.
 */
static uint32_t inner_add(struct queue *q, uint32_t node, uint32_t slot, uint32_t child, uint32_t level)
{
	struct queue_inner *inner = &q->inner[node];
	uint32_t right = NONE;
	if (inner->count == QUEUE_WAYS) {
		right = inner_new(q);
		const uint32_t keep = slot == QUEUE_WAYS ? QUEUE_WAYS : QUEUE_WAYS / 2;
		inner_move(&q->inner[right], inner, keep);
		if (slot >= keep && (slot > keep || keep == QUEUE_WAYS)) {
			inner = &q->inner[right];
			slot -= keep;
		}
	}
	inner_open(inner, slot);
	inner_set(q, inner, slot, child, level);
	return right;
}

static uint32_t add_below(struct queue *q, uint32_t node, uint32_t level, uint32_t job)
{
	if (!level)
		return leaf_add(q, node, job);
	struct queue_inner *inner = &q->inner[node];
	const uint32_t slot = child_for(q, inner, job);
	const uint32_t extra = add_below(q, inner->child[slot], level - 1, job);
	if (extra == NONE) {
		sum_widen(&inner->sum[slot], q->size[job], seconds_of(q->length[job]));
		inner->first[slot] = first_below(q, inner->child[slot], level - 1);
		return NONE;
	}
	inner_set(q, inner, slot, inner->child[slot], level - 1);
	return inner_add(q, node, slot + 1, extra, level - 1);
}

int queue_add(struct queue *q, uint32_t job, struct sl_err *err)
{
	SL_CHECK(q->size[job] >= 1);
	const int status = reserve(q, err);
	if (status)
		return status;
	if (q->root == NONE) {
		q->root = leaf_new(q);
		q->depth = 0;
	}
	const uint32_t extra = add_below(q, q->root, q->depth, job);
	q->count++;
	if (extra == NONE)
		return SL_OK;
	const uint32_t root = inner_new(q);
	struct queue_inner *inner = &q->inner[root];
	inner->count = 2;
	inner_set(q, inner, 0, q->root, q->depth);
	inner_set(q, inner, 1, extra, q->depth);
	q->root = root;
	q->depth++;
	return SL_OK;
}

/* ---- Removal -------------------------------------------------------------------------- */

static uint32_t count_of(const struct queue *q, uint32_t node, uint32_t level)
{
	return level ? q->inner[node].count : q->leaf[node].count;
}

/* Joins a thin child with its right or left neighbour, so that a queue whose jobs left here and there stays
 * dense. */
static void join_thin(struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t level)
{
	const uint32_t ways = level ? QUEUE_WAYS : QUEUE_LEAF;
	if (inner->count < 2 || count_of(q, inner->child[slot], level) > ways / 4)
		return;
	if (slot + 1 == inner->count)
		slot--;
	const uint32_t left = inner->child[slot];
	const uint32_t right = inner->child[slot + 1];
	if (count_of(q, left, level) + count_of(q, right, level) > ways * 3 / 4)
		return;
	if (level)
		inner_move(&q->inner[left], &q->inner[right], 0);
	else
		leaf_move(&q->leaf[left], &q->leaf[right], 0);
	sum_join(&inner->sum[slot], &inner->sum[slot + 1]);
	inner_close(inner, slot + 1);
	node_free(q, right, level);
}

static void leaf_take(const struct queue *q, struct queue_leaf *leaf, uint32_t job)
{
	const uint32_t place = leaf_place(q, leaf, job) - 1;
	SL_CHECK(
		place < leaf->count && leaf->job[place] == job); /* The job is in the queue, under its key. */
	leaf->count--;
	const size_t tail = leaf->count - place;
	memmove(&leaf->job[place], &leaf->job[place + 1], tail * sizeof(leaf->job[0]));
	memmove(&leaf->size[place], &leaf->size[place + 1], tail * sizeof(leaf->size[0]));
	memmove(&leaf->length[place], &leaf->length[place + 1], tail * sizeof(leaf->length[0]));
	leaf->job[leaf->count] = NONE;
	leaf->size[leaf->count] = ABSENT;
}

static void remove_below(struct queue *q, uint32_t node, uint32_t level, uint32_t job)
{
	if (!level) {
		leaf_take(q, &q->leaf[node], job);
		return;
	}
	struct queue_inner *inner = &q->inner[node];
	const uint32_t slot = child_for(q, inner, job);
	const uint32_t child = inner->child[slot];
	remove_below(q, child, level - 1, job);
	if (!count_of(q, child, level - 1)) {
		node_free(q, child, level - 1);
		inner_close(inner, slot);
		return;
	}
	inner->first[slot] = first_below(q, child, level - 1);
	sum_narrow(q, child, level - 1, &inner->sum[slot], q->size[job], seconds_of(q->length[job]));
	join_thin(q, inner, slot, level - 1);
}

void queue_remove(struct queue *q, uint32_t job)
{
	SL_CHECK(q->root != NONE);
	remove_below(q, q->root, q->depth, job);
	q->count--;
	while (q->depth && q->inner[q->root].count == 1) {
		const uint32_t only = q->inner[q->root].child[0];
		node_free(q, q->root, q->depth);
		q->root = only;
		q->depth--;
	}
	if (q->depth && !q->inner[q->root].count) {
		node_free(q, q->root, q->depth);
		q->root = NONE;
		q->depth = 0;
	}
}

/* ---- Search ------------------------------------------------------------------------------ */

struct search {
	int32_t free, spare, room; /* Clamped; room in whole seconds. */
	unsigned class_free, class_spare;
	sl_time room_exact;
};

static bool may_hold(const struct queue_sum *sum, const struct search *s)
{
	int hit = 0;
	for (unsigned c = 1; c <= s->class_free; c++)
		hit |= sum->length[c] <= s->room;
	if (hit)
		return true;
	for (unsigned c = 1; c <= s->class_spare; c++)
		hit |= sum->length[c] != ABSENT;
	return hit;
}

static uint32_t leaf_search(
	const struct queue *q, const struct queue_leaf *leaf, uint32_t place, const struct search *s)
{
	for (uint32_t i = place; i < leaf->count; i++) {
		const int32_t size = leaf->size[i];
		if (size > s->free)
			continue;
		if (size <= s->spare ||
			(leaf->length[i] <= s->room && q->length[leaf->job[i]] <= s->room_exact))
			return leaf->job[i];
	}
	return NONE;
}

static uint32_t search_below(const struct queue *q, uint32_t node, uint32_t level, const struct search *s)
{
	if (!level)
		return leaf_search(q, &q->leaf[node], 0, s);
	const struct queue_inner *inner = &q->inner[node];
	for (uint32_t i = 0; i < inner->count; i++) {
		if (!may_hold(&inner->sum[i], s))
			continue;
		const uint32_t found = search_below(q, inner->child[i], level - 1, s);
		if (found != NONE)
			return found;
	}
	return NONE;
}

static uint32_t search_behind(
	const struct queue *q, uint32_t node, uint32_t level, uint32_t after, const struct search *s)
{
	if (!level)
		return leaf_search(q, &q->leaf[node], leaf_place(q, &q->leaf[node], after), s);
	const struct queue_inner *inner = &q->inner[node];
	uint32_t i = child_for(q, inner, after);
	uint32_t found = search_behind(q, inner->child[i], level - 1, after, s);
	while (found == NONE && ++i < inner->count)
		if (may_hold(&inner->sum[i], s))
			found = search_below(q, inner->child[i], level - 1, s);
	return found;
}

static int32_t clamped(int64_t value)
{
	return value < 0 ? 0 : value < ABSENT - 1 ? (int32_t)value : ABSENT - 1;
}

uint32_t queue_next_fit(const struct queue *q, uint32_t after, const struct queue_fit *fit)
{
	if (q->root == NONE || fit->free < 1)
		return NONE;
	struct search s = {
		.free = clamped(fit->free),
		.spare = clamped(fit->spare),
		.room = fit->room < 0 ? -1 : seconds_of(fit->room),
		.room_exact = fit->room,
	};
	s.class_free = class_of(s.free);
	s.class_spare = class_of(s.spare < s.free ? s.spare : s.free);
	return after == NONE ? search_below(q, q->root, q->depth, &s)
			     : search_behind(q, q->root, q->depth, after, &s);
}

uint32_t queue_first(const struct queue *q) { return q->count ? first_below(q, q->root, q->depth) : NONE; }

uint32_t queue_after(const struct queue *q, uint32_t after)
{
	const struct queue_fit all = { INT64_MAX, INT64_MAX, INT64_MAX };
	return queue_next_fit(q, after, &all);
}

int32_t queue_size_min(const struct queue *q)
{
	if (!q->count)
		return INT32_MAX;
	if (!q->depth)
		return leaf_size_min(&q->leaf[q->root]);
	const struct queue_inner *inner = &q->inner[q->root];
	int32_t least = INT32_MAX;
	for (uint32_t i = 0; i < inner->count; i++)
		least = inner->sum[i].size_min < least ? inner->sum[i].size_min : least;
	return least;
}

static uint32_t *list_below(const struct queue *q, uint32_t node, uint32_t level, uint32_t *out)
{
	if (!level) {
		memcpy(out, q->leaf[node].job, q->leaf[node].count * sizeof(*out));
		return out + q->leaf[node].count;
	}
	for (uint32_t i = 0; i < q->inner[node].count; i++)
		out = list_below(q, q->inner[node].child[i], level - 1, out);
	return out;
}

void queue_list(const struct queue *q, uint32_t *out)
{
	if (q->count)
		(void)list_below(q, q->root, q->depth, out);
}

int queue_rebuild(struct queue *q, const uint32_t *row, struct sl_err *err)
{
	const uint32_t count = q->count;
	q->leaf_used = q->inner_used = 0;
	q->leaf_spare = q->inner_spare = NONE;
	q->root = NONE;
	q->depth = q->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const int status = queue_add(q, row[i], err);
		if (status)
			return status;
	}
	return SL_OK;
}
