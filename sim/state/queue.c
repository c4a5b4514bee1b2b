/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue.c - the B+ tree of queue.h, or the rows in its place.
 *
 * Walks go down from the root by (key, row), so nodes know no parents and jobs
 * no nodes. Nodes come from two pools, reserved before a change begins: no walk
 * fails half-way.
 */
#include "sim/state/queue.h"

#include <stdlib.h>
#include <string.h>

#define NONE   UINT32_MAX
#define ABSENT INT32_MAX

/* Slots in order. Who leaves only clears his bit: his job stays as a mark of order, his size is ABSENT, so
 * that it fits nowhere. Behind used: job UINT32_MAX and size ABSENT, so that whole-leaf loops need no bound.
 */
struct queue_leaf {
	uint64_t live;
	uint32_t used;
	uint32_t next; /* In the list of freed ones. */
	uint32_t job[QUEUE_LEAF];
	int32_t size[QUEUE_LEAF];
	int32_t length[QUEUE_LEAF]; /* Whole seconds, rounded down. */
	uint8_t class[QUEUE_LEAF];  /* Of the size; 0 where no job is. */
};

/* What one child holds: lengths in whole seconds, ABSENT where a class has no job. */
struct queue_sum {
	int32_t length[QUEUE_CLASSES];
	int32_t size_min;
};

/* The summaries of all children lie side by side, class by class: a search looks at the sixteen of them at
 * once, and a class's least is within one cache line. Behind count: ABSENT. */
struct queue_inner {
	uint32_t count;
	uint32_t next;
	uint32_t child[QUEUE_WAYS];
	uint32_t first[QUEUE_WAYS]; /* The first job below each child. */
	uint64_t present;           /* Bit c: class c may have a job below; else its row is all ABSENT. */
	int32_t size_min[QUEUE_WAYS];
	int32_t length[QUEUE_CLASSES][QUEUE_WAYS];
};

/* Bits 1 .. class of the size; none below 1. */
static uint64_t up_to_class(int32_t size) { return (UINT64_C(2) << queue_class(size)) - 2; }

/* Bit i: bytes[i], each 0 or 1. */
static uint64_t bits_of(const uint8_t *bytes, size_t count)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < count; i += 8) {
		uint64_t eight;
		memcpy(&eight, &bytes[i], sizeof(eight));
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			eight = __builtin_bswap64(eight);
		/* Gathers the lowest bits of the eight bytes into the highest byte, in order. */
		bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << i;
	}
	return bits;
}

static int32_t seconds_of(sl_time length)
{
	const sl_time seconds = length / SL_SECOND;
	return seconds < ABSENT - 1 ? (int32_t)seconds : ABSENT - 1;
}

static bool queue_before(const struct queue *q, uint32_t a, uint32_t b)
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
		.found = NONE,
		.by_row = !key,
		.own = QUEUE_POOL_EMPTY,
		.pool = &q->own,
	};
}

void queue_share(struct queue *q, struct queue_pool *pool)
{
	SL_CHECK(!q->count);
	q->pool = pool;
	q->by_row = false;
}

void queue_by_request(struct queue *q, const uint32_t *request, const uint8_t *request_class)
{
	q->request = request;
	q->request_class = request_class;
	q->by_row = q->by_row && !request_class;
}

void queue_release(struct queue *q)
{
	queue_pool_release(&q->own);
	rows_release(&q->rows);
	queue_init(q, NULL, NULL, NULL);
}

void queue_pool_release(struct queue_pool *pool)
{
	free(pool->leaf);
	free(pool->inner);
	*pool = QUEUE_POOL_EMPTY;
}

/* ---- Pools --------------------------------------------------------------------- */

/* Enough for one insertion: a split on every level, and a new root. */
static int queue_reserve(struct queue *q, struct sl_err *err)
{
	struct queue_pool *pool = q->pool;
	int status =
		SL_GROW_MOST(pool->leaf, pool->leaf_capacity, (size_t)pool->leaf_used + 2, NONE - 1, err);
	if (!status)
		status = SL_GROW_MOST(pool->inner, pool->inner_capacity,
			(size_t)pool->inner_used + q->depth + 2, NONE - 1, err);
	return status;
}

static uint32_t leaf_new(struct queue *q)
{
	uint32_t node = q->pool->leaf_spare;
	if (node != NONE)
		q->pool->leaf_spare = q->pool->leaf[node].next;
	else
		node = q->pool->leaf_used++;
	struct queue_leaf *leaf = &q->pool->leaf[node];
	leaf->live = 0;
	leaf->used = 0;
	for (size_t i = 0; i < QUEUE_LEAF; i++) {
		leaf->job[i] = NONE;
		leaf->size[i] = ABSENT;
		leaf->class[i] = 0;
	}
	return node;
}

static uint32_t inner_new(struct queue *q)
{
	uint32_t node = q->pool->inner_spare;
	if (node != NONE)
		q->pool->inner_spare = q->pool->inner[node].next;
	else
		node = q->pool->inner_used++;
	struct queue_inner *inner = &q->pool->inner[node];
	inner->count = 0;
	inner->present = 0;
	for (size_t i = 0; i < QUEUE_WAYS; i++)
		inner->size_min[i] = ABSENT;
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		for (size_t i = 0; i < QUEUE_WAYS; i++)
			inner->length[c][i] = ABSENT;
	return node;
}

static void node_free(struct queue *q, uint32_t node, uint32_t level)
{
	if (level) {
		q->pool->inner[node].next = q->pool->inner_spare;
		q->pool->inner_spare = node;
	} else {
		q->pool->leaf[node].next = q->pool->leaf_spare;
		q->pool->leaf_spare = node;
	}
}

/* ---- Summaries ------------------------------------------------------------------- */

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t row_min(const int32_t row[QUEUE_WAYS])
{
	int32_t least = ABSENT;
	for (size_t i = 0; i < QUEUE_WAYS; i++)
		least = smaller(least, row[i]);
	return least;
}

static int32_t leaf_size_min(const struct queue_leaf *leaf)
{
	int32_t least = ABSENT;
	for (size_t i = 0; i < QUEUE_LEAF; i++)
		least = smaller(least, leaf->size[i]);
	return least;
}

static void queue_sum_of(const struct queue *q, uint32_t node, uint32_t level, struct queue_sum *sum)
{
	if (level) {
		const struct queue_inner *inner = &q->pool->inner[node];
		for (size_t c = 0; c < QUEUE_CLASSES; c++)
			sum->length[c] = row_min(inner->length[c]);
		sum->size_min = row_min(inner->size_min);
		return;
	}
	const struct queue_leaf *leaf = &q->pool->leaf[node];
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		sum->length[c] = ABSENT;
	for (uint64_t live = leaf->live; live; live &= live - 1) {
		const int i = __builtin_ctzll(live);
		const unsigned c = leaf->class[i];
		sum->length[c] = smaller(sum->length[c], leaf->length[i]);
	}
	sum->size_min = leaf_size_min(leaf);
}

static void sum_put(struct queue_inner *inner, uint32_t slot, const struct queue_sum *sum)
{
	for (size_t c = 0; c < QUEUE_CLASSES; c++) {
		inner->length[c][slot] = sum->length[c];
		inner->present |= (uint64_t)(sum->length[c] != ABSENT) << c;
	}
	inner->size_min[slot] = sum->size_min;
}

static unsigned queue_class_of(const struct queue *q, uint32_t job)
{
	return q->request_class ? q->request_class[q->request[job]] : queue_class(q->size[job]);
}

static void sum_widen(const struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t job)
{
	const unsigned c = queue_class_of(q, job);
	const int32_t size = q->size[job];
	const int32_t length = seconds_of(q->length[job]);
	inner->length[c][slot] = smaller(inner->length[c][slot], length);
	inner->size_min[slot] = smaller(inner->size_min[slot], size);
	inner->present |= UINT64_C(1) << c;
}

static int32_t leaf_length_min(const struct queue_leaf *leaf, unsigned c)
{
	uint8_t same[QUEUE_LEAF];
	for (size_t i = 0; i < QUEUE_LEAF; i++)
		same[i] = leaf->class[i] == c;
	int32_t least = ABSENT;
	for (uint64_t bits = bits_of(same, QUEUE_LEAF); bits; bits &= bits - 1)
		least = smaller(least, leaf->length[__builtin_ctzll(bits)]);
	return least;
}

/* After a job of this size and length left the child: only its class, and the least size, can have changed.
 */
static void sum_narrow(
	const struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t level, uint32_t job)
{
	const uint32_t child = inner->child[slot];
	const unsigned c = queue_class_of(q, job);
	if (inner->length[c][slot] == seconds_of(q->length[job])) {
		inner->length[c][slot] = level ? row_min(q->pool->inner[child].length[c])
					       : leaf_length_min(&q->pool->leaf[child], c);
		if (row_min(inner->length[c]) == ABSENT)
			inner->present &= ~(UINT64_C(1) << c);
	}
	if (inner->size_min[slot] == q->size[job])
		inner->size_min[slot] = level ? row_min(q->pool->inner[child].size_min)
					      : leaf_size_min(&q->pool->leaf[child]);
}

/* ---- Places ------------------------------------------------------------------------ */

static uint32_t first_below(const struct queue *q, uint32_t node, uint32_t level)
{
	return level ? q->pool->inner[node].first[0]
		     : q->pool->leaf[node].job[__builtin_ctzll(q->pool->leaf[node].live)];
}

/* The child whose range holds the job. From the right: most jobs go there. */
static uint32_t child_for(const struct queue *q, const struct queue_inner *inner, uint32_t job)
{
	uint32_t i = inner->count - 1;
	while (i && queue_before(q, job, inner->first[i]))
		i--;
	return i;
}

/* How many of the leaf's slots come no later than `job`. */
static uint32_t leaf_place(const struct queue *q, const struct queue_leaf *leaf, uint32_t job)
{
	if (!q->key) {
		uint32_t place = 0;
		for (size_t i = 0; i < QUEUE_LEAF; i++)
			place += leaf->job[i] <= job;
		return place;
	}
	uint32_t low = 0;
	uint32_t high = leaf->used;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (queue_before(q, job, leaf->job[middle]))
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
	const size_t tail = leaf->used - place;
	if (tail) {
		memmove(&leaf->job[place + 1], &leaf->job[place], tail * sizeof(leaf->job[0]));
		memmove(&leaf->size[place + 1], &leaf->size[place], tail * sizeof(leaf->size[0]));
		memmove(&leaf->length[place + 1], &leaf->length[place], tail * sizeof(leaf->length[0]));
		memmove(&leaf->class[place + 1], &leaf -> class[place], tail * sizeof(leaf->class[0]));
		const uint64_t below = (UINT64_C(1) << place) - 1;
		leaf->live = (leaf->live & below) | (leaf->live & ~below) << 1;
	}
	leaf->job[place] = job;
	leaf->size[place] = q->size[job];
	leaf->length[place] = seconds_of(q->length[job]);
	leaf->class[place] = (uint8_t)queue_class_of(q, job);
	leaf->live |= UINT64_C(1) << place;
	leaf->used++;
}

/* Moves the live jobs of slots [place, used) behind those of another leaf, or of the same: then the gaps go.
 */
static void leaf_move(struct queue_leaf *to, struct queue_leaf *from, uint32_t place)
{
	const uint64_t moved = place < QUEUE_LEAF ? from->live >> place << place : 0;
	const uint32_t used = from->used;
	from->live &= ~moved;
	from->used = place;
	for (uint64_t live = moved; live; live &= live - 1) {
		const int i = __builtin_ctzll(live);
		to->job[to->used] = from->job[i];
		to->size[to->used] = from->size[i];
		to->length[to->used] = from->length[i];
		to->class[to->used] = from->class[i];
		to->live |= UINT64_C(1) << to->used;
		to->used++;
	}
	for (uint32_t i = from->used; i < used; i++) {
		from->job[i] = NONE;
		from->size[i] = ABSENT;
		from->class[i] = 0;
	}
}

/* Returns the new right neighbour if the leaf was full, else NONE. A leaf that overflows at its end is left
 * full: a queue that only grows at its end fills its leaves. */
static uint32_t leaf_add(struct queue *q, uint32_t node, uint32_t job)
{
	struct queue_leaf *leaf = &q->pool->leaf[node];
	const bool full = leaf->used == QUEUE_LEAF;
	if (full && (unsigned)__builtin_popcountll(leaf->live) <= QUEUE_LEAF * 3 / 4)
		leaf_move(leaf, leaf, 0);
	if (leaf->used < QUEUE_LEAF) {
		leaf_put(q, leaf, job);
		return NONE;
	}
	const uint32_t right = leaf_new(q);
	if (leaf_place(q, leaf, job) == QUEUE_LEAF) {
		leaf_put(q, &q->pool->leaf[right], job);
		return right;
	}
	leaf_move(&q->pool->leaf[right], leaf, QUEUE_LEAF / 2);
	if (!q->pool->leaf[right].live || queue_before(q, job, q->pool->leaf[right].job[0]))
		leaf_put(q, leaf, job);
	else
		leaf_put(q, &q->pool->leaf[right], job);
	return right;
}

/* Moves slots [from, count) of one row to another, or within one; vacated slots are made absent by the
 * callers. */
static void rows_move(
	struct queue_inner *to, uint32_t at, const struct queue_inner *from, uint32_t slot, uint32_t moved)
{
	memmove(&to->child[at], &from->child[slot], moved * sizeof(to->child[0]));
	memmove(&to->first[at], &from->first[slot], moved * sizeof(to->first[0]));
	memmove(&to->size_min[at], &from->size_min[slot], moved * sizeof(to->size_min[0]));
	const uint64_t present = from->present;
	for (uint64_t bits = present; bits; bits &= bits - 1) {
		const int c = __builtin_ctzll(bits);
		memmove(&to->length[c][at], &from->length[c][slot], moved * sizeof(to->length[0][0]));
	}
	to->present |= present;
}

static void slot_clear(struct queue_inner *inner, uint32_t slot)
{
	inner->size_min[slot] = ABSENT;
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		inner->length[c][slot] = ABSENT;
}

static void inner_open(struct queue_inner *inner, uint32_t slot)
{
	rows_move(inner, slot + 1, inner, slot, inner->count - slot);
	inner->count++;
}

static void inner_close(struct queue_inner *inner, uint32_t slot)
{
	inner->count--;
	rows_move(inner, slot, inner, slot + 1, inner->count - slot);
	slot_clear(inner, inner->count);
}

static void inner_move(struct queue_inner *to, struct queue_inner *from, uint32_t slot)
{
	rows_move(to, to->count, from, slot, from->count - slot);
	to->count += from->count - slot;
	while (from->count > slot)
		slot_clear(from, --from->count);
}

static void inner_set(
	const struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t child, uint32_t level)
{
	struct queue_sum sum;
	queue_sum_of(q, child, level, &sum);
	inner->child[slot] = child;
	inner->first[slot] = first_below(q, child, level);
	sum_put(inner, slot, &sum);
}

/* Puts a child (of that level) at the slot; returns the new right neighbour if the node was full, else NONE.
 */
static uint32_t inner_add(struct queue *q, uint32_t node, uint32_t slot, uint32_t child, uint32_t level)
{
	struct queue_inner *inner = &q->pool->inner[node];
	uint32_t right = NONE;
	if (inner->count == QUEUE_WAYS) {
		right = inner_new(q);
		const uint32_t keep = slot == QUEUE_WAYS ? QUEUE_WAYS : QUEUE_WAYS / 2;
		inner_move(&q->pool->inner[right], inner, keep);
		if (slot >= keep && (slot > keep || keep == QUEUE_WAYS)) {
			inner = &q->pool->inner[right];
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
	struct queue_inner *inner = &q->pool->inner[node];
	const uint32_t slot = child_for(q, inner, job);
	const uint32_t extra = add_below(q, inner->child[slot], level - 1, job);
	if (extra == NONE) {
		sum_widen(q, inner, slot, job);
		inner->first[slot] = first_below(q, inner->child[slot], level - 1);
		return NONE;
	}
	inner_set(q, inner, slot, inner->child[slot], level - 1);
	return inner_add(q, node, slot + 1, extra, level - 1);
}

/* What is known of searches in submit order, after one more job. */
static void add_known(struct queue *q, uint32_t job)
{
	if (job < q->failed_end)
		q->failed_end = 0;
	if (job < q->row_end)
		q->found = NONE;
	if (job >= q->row_end)
		q->row_end = job + 1;
}

static int tree_add(struct queue *q, uint32_t job, struct sl_err *err)
{
	const int status = queue_reserve(q, err);
	if (status)
		return status;
	if (q->root == NONE) {
		q->root = leaf_new(q);
		q->depth = 0;
	}
	const uint32_t extra = add_below(q, q->root, q->depth, job);
	if (!q->count || (q->size_min && q->size[job] < q->size_min))
		q->size_min = q->size[job];
	if (extra == NONE)
		return SL_OK;
	const uint32_t root = inner_new(q);
	struct queue_inner *inner = &q->pool->inner[root];
	inner->count = 2;
	inner_set(q, inner, 0, q->root, q->depth);
	inner_set(q, inner, 1, extra, q->depth);
	q->root = root;
	q->depth++;
	return SL_OK;
}

int queue_add(struct queue *q, uint32_t job, struct sl_err *err)
{
	SL_CHECK(q->size[job] >= 1);
	const int status = q->by_row ? rows_reserve(&q->rows, job, err) : tree_add(q, job, err);
	if (status)
		return status;
	if (q->by_row)
		rows_add(&q->rows, job, q->size[job], seconds_of(q->length[job]));
	q->count++;
	add_known(q, job);
	return SL_OK;
}

/* ---- Removal -------------------------------------------------------------------------- */

static uint32_t queue_count_of(const struct queue *q, uint32_t node, uint32_t level)
{
	return level ? q->pool->inner[node].count : (uint32_t)__builtin_popcountll(q->pool->leaf[node].live);
}

/* Joins a thin child with its right or left neighbour, so that a queue from which jobs left here and there
 * stays dense. */
static void join_thin(struct queue *q, struct queue_inner *inner, uint32_t slot, uint32_t level)
{
	const uint32_t ways = level ? QUEUE_WAYS : QUEUE_LEAF;
	if (inner->count < 2 || queue_count_of(q, inner->child[slot], level) > ways / 4)
		return;
	if (slot + 1 == inner->count)
		slot--;
	const uint32_t left = inner->child[slot];
	const uint32_t right = inner->child[slot + 1];
	if (queue_count_of(q, left, level) + queue_count_of(q, right, level) > ways * 3 / 4)
		return;
	if (level) {
		inner_move(&q->pool->inner[left], &q->pool->inner[right], 0);
	} else {
		leaf_move(&q->pool->leaf[left], &q->pool->leaf[left], 0);
		leaf_move(&q->pool->leaf[left], &q->pool->leaf[right], 0);
	}
	inner_close(inner, slot + 1);
	inner_set(q, inner, slot, left, level);
	node_free(q, right, level);
}

static void leaf_take(const struct queue *q, struct queue_leaf *leaf, uint32_t job)
{
	const uint32_t place = leaf_place(q, leaf, job) - 1;
	/* The job is in the queue, under its key. */
	SL_CHECK(place < leaf->used && leaf->job[place] == job && leaf->live >> place & 1);
	leaf->live &= ~(UINT64_C(1) << place);
	leaf->size[place] = ABSENT;
	leaf->class[place] = 0;
	/* Keys may change while others wait on: a mark of order must not outlive its job. Nor an empty leaf
	 * look used. */
	if (q->key || !leaf->live)
		leaf_move(leaf, leaf, 0);
}

static void remove_below(struct queue *q, uint32_t node, uint32_t level, uint32_t job)
{
	if (!level) {
		leaf_take(q, &q->pool->leaf[node], job);
		return;
	}
	struct queue_inner *inner = &q->pool->inner[node];
	const uint32_t slot = child_for(q, inner, job);
	const uint32_t child = inner->child[slot];
	remove_below(q, child, level - 1, job);
	if (!queue_count_of(q, child, level - 1)) {
		node_free(q, child, level - 1);
		inner_close(inner, slot);
		return;
	}
	inner->first[slot] = first_below(q, child, level - 1);
	sum_narrow(q, inner, slot, level - 1, job);
	join_thin(q, inner, slot, level - 1);
}

static void tree_remove(struct queue *q, uint32_t job)
{
	SL_CHECK(q->root != NONE);
	remove_below(q, q->root, q->depth, job);
	if (q->size[job] == q->size_min)
		q->size_min = 0;
	while (q->depth && q->pool->inner[q->root].count == 1) {
		const uint32_t only = q->pool->inner[q->root].child[0];
		node_free(q, q->root, q->depth);
		q->root = only;
		q->depth--;
	}
	if (q->count == 1 && !q->depth && q->pool != &q->own) {
		node_free(q, q->root, 0); /* A queue that shares holds nothing while it is empty. */
		q->root = NONE;
	}
	if (q->depth && !q->pool->inner[q->root].count) {
		node_free(q, q->root, q->depth);
		q->root = NONE;
		q->depth = 0;
	}
}

void queue_remove(struct queue *q, uint32_t job)
{
	if (q->by_row)
		rows_remove(&q->rows, job);
	else
		tree_remove(q, job);
	q->count--;
	if (q->found == job && !q->key) {
		q->failed = q->found_fit;
		q->failed_after = q->found_after;
		q->failed_end = job + 1;
		q->found = NONE;
	}
}

/* ---- Search ------------------------------------------------------------------------------ */

struct search {
	int32_t free, spare, capacity;        /* Clamped; free time in whole seconds. */
	uint64_t classes_free, classes_spare; /* Bits of the classes that may fit. */
	sl_time capacity_exact;
	const struct queue_test *test; /* NULL: sizes decide. */
};

/* Bit i: child i may hold what is looked for. */
static unsigned may_hold(const struct queue_inner *inner, const struct search *s)
{
	int32_t hit[QUEUE_WAYS] = { 0 };
	for (uint64_t bits = inner->present & s->classes_free; bits; bits &= bits - 1) {
		const int c = __builtin_ctzll(bits);
		const int32_t *row = inner->length[c];
		const bool any = s->classes_spare >> c & 1;
		const int32_t capacity = any ? ABSENT - 1 : s->capacity;
		for (size_t i = 0; i < QUEUE_WAYS; i++)
			hit[i] |= row[i] <= capacity;
	}
	uint8_t bytes[QUEUE_WAYS < 8 ? 8 : QUEUE_WAYS] = { 0 };
	for (size_t i = 0; i < QUEUE_WAYS; i++)
		bytes[i] = (uint8_t)hit[i];
	return (unsigned)bits_of(bytes, sizeof(bytes));
}

/* Bit i: slot i passes, but for the fraction of a second. */
static uint64_t leaf_mask(const struct queue_leaf *leaf, const struct search *s)
{
	uint8_t pass[QUEUE_LEAF];
	for (size_t i = 0; i < QUEUE_LEAF; i++)
		pass[i] = (uint8_t)((leaf->size[i] <= s->free) &
				    ((leaf->length[i] <= s->capacity) | (leaf->size[i] <= s->spare)));
	return bits_of(pass, QUEUE_LEAF);
}

static uint32_t leaf_desc(const struct queue_leaf *leaf, uint32_t place, const struct search *s)
{
	for (uint64_t live = leaf->live >> place << place; live; live &= live - 1) {
		const int i = __builtin_ctzll(live);
		const unsigned c = leaf->class[i];
		if (s->classes_free >> c & 1 &&
			(leaf->length[i] <= s->capacity || s->classes_spare >> c & 1) &&
			s->test->passes(s->test->self, leaf->job[i]))
			return leaf->job[i];
	}
	return NONE;
}

static uint32_t leaf_search(
	const struct queue *q, const struct queue_leaf *leaf, uint32_t place, const struct search *s)
{
	if (place >= leaf->used)
		return NONE;
	if (s->test)
		return leaf_desc(leaf, place, s);
	for (uint64_t mask = leaf_mask(leaf, s) >> place << place; mask; mask &= mask - 1) {
		const int i = __builtin_ctzll(mask);
		if (leaf->size[i] <= s->spare || q->length[leaf->job[i]] <= s->capacity_exact)
			return leaf->job[i];
	}
	return NONE;
}

static uint32_t search_below(const struct queue *q, uint32_t node, uint32_t level, const struct search *s)
{
	if (!level)
		return leaf_search(q, &q->pool->leaf[node], 0, s);
	const struct queue_inner *inner = &q->pool->inner[node];
	for (unsigned mask = may_hold(inner, s); mask; mask &= mask - 1) {
		const uint32_t found = search_below(q, inner->child[__builtin_ctz(mask)], level - 1, s);
		if (found != NONE)
			return found;
	}
	return NONE;
}

static uint32_t search_behind(
	const struct queue *q, uint32_t node, uint32_t level, uint32_t after, const struct search *s)
{
	if (!level)
		return leaf_search(q, &q->pool->leaf[node], leaf_place(q, &q->pool->leaf[node], after), s);
	const struct queue_inner *inner = &q->pool->inner[node];
	const uint32_t slot = child_for(q, inner, after);
	unsigned mask = may_hold(inner, s) >> slot << slot;
	for (; mask; mask &= mask - 1) {
		const uint32_t i = (uint32_t)__builtin_ctz(mask);
		const uint32_t child = inner->child[i];
		const uint32_t found = i == slot ? search_behind(q, child, level - 1, after, s)
						 : search_below(q, child, level - 1, s);
		if (found != NONE)
			return found;
	}
	return NONE;
}

static int32_t clamped(int64_t value)
{
	return value < 0 ? 0 : value < ABSENT - 1 ? (int32_t)value : ABSENT - 1;
}

static uint32_t rows_search(struct queue *q, int64_t after, const struct queue_fit *fit)
{
	const int32_t free = clamped(fit->free);
	const int32_t spare = smaller(clamped(fit->spare), free);
	const struct rows_search search = {
		.free = free,
		.spare = spare,
		.class_free = rows_class(&q->rows, free),
		.class_spare = rows_class(&q->rows, spare),
		.seconds = fit->capacity < 0 ? -1 : seconds_of(fit->capacity),
		.capacity = fit->capacity,
		.length = q->length,
	};
	return rows_next(&q->rows, (uint32_t)(after + 1), &search);
}

static uint32_t tree_search(const struct queue *q, int64_t after, const struct queue_fit *fit)
{
	struct search s = {
		.free = clamped(fit->free),
		.spare = clamped(fit->spare),
		.capacity = fit->capacity < 0 ? -1 : seconds_of(fit->capacity),
		.capacity_exact = fit->capacity,
	};
	s.classes_free = q->request_class ? UINT64_MAX : up_to_class(s.free);
	s.classes_spare = q->request_class ? UINT64_MAX : up_to_class(s.spare < s.free ? s.spare : s.free);
	return after < 0 ? search_below(q, q->root, q->depth, &s)
			 : search_behind(q, q->root, q->depth, (uint32_t)after, &s);
}

static uint32_t search(struct queue *q, int64_t after, const struct queue_fit *fit)
{
	return q->by_row ? rows_search(q, after, fit) : tree_search(q, after, fit);
}

uint32_t queue_next_fit(struct queue *q, uint32_t after, const struct queue_fit *fit)
{
	if (!q->count || fit->free < 1)
		return NONE;
	int64_t from = after == NONE ? -1 : (int64_t)after;
	if (q->key)
		return search(q, from, fit);
	const bool known = q->failed_end && from >= q->failed_after && from < q->failed_end &&
			   fit->free <= q->failed.free && fit->capacity <= q->failed.capacity &&
			   fit->spare <= q->failed.spare;
	const int64_t since = known ? q->failed_after : from;
	if (known)
		from = (int64_t)q->failed_end - 1;
	const uint32_t found = from + 1 < (int64_t)q->row_end ? search(q, from, fit) : NONE;
	if (found == NONE) {
		q->failed = *fit;
		q->failed_after = since;
		q->failed_end = q->row_end;
	} else {
		q->found_fit = *fit;
		q->found_after = since;
	}
	q->found = found;
	return found;
}

uint64_t queue_classes_upto(int64_t size) { return up_to_class(clamped(size)); }

/* Here classes are of sizes, up to some. */
static unsigned class_last(uint64_t classes)
{
	return classes ? 63U - (unsigned)__builtin_clzll(classes) : 0;
}

static uint32_t rows_that(struct queue *q, uint32_t after, const struct queue_test *test)
{
	const int32_t free = queue_class_least(class_last(test->classes_capacity) + 1) - 1;
	const int32_t spare = queue_class_least(class_last(test->classes_any) + 1) - 1;
	const struct rows_search search = {
		.free = free,
		.spare = spare,
		.class_free = rows_class(&q->rows, free),
		.class_spare = rows_class(&q->rows, spare),
		.seconds = test->capacity < 0 ? -1 : seconds_of(test->capacity),
		.passes = test->passes,
		.self = test->self,
	};
	q->found = NONE;
	return rows_next(&q->rows, after + 1, &search); /* Behind UINT32_MAX is 0: from the front. */
}

uint32_t queue_next_that(struct queue *q, uint32_t after, const struct queue_test *test)
{
	if (!q->count)
		return NONE;
	if (q->by_row)
		return rows_that(q, after, test);
	const struct search s = {
		.capacity = test->capacity < 0 ? -1 : seconds_of(test->capacity),
		.classes_free = test->classes_capacity,
		.classes_spare = test->classes_any,
		.test = test,
	};
	q->found = NONE;
	return after == NONE ? search_below(q, q->root, q->depth, &s)
			     : search_behind(q, q->root, q->depth, after, &s);
}

uint32_t tree_first(const struct queue *q) { return first_below(q, q->root, q->depth); }

uint32_t queue_after(const struct queue *q, uint32_t after)
{
	const struct queue_fit all = { INT64_MAX, INT64_MAX, INT64_MAX };
	if (!q->count)
		return NONE;
	return q->by_row ? rows_after(&q->rows, after + 1)
			 : tree_search(q, after == NONE ? -1 : (int64_t)after, &all);
}

static bool rows_hold(struct queue *q, int64_t size)
{
	const unsigned least = (unsigned)__builtin_ctzll(q->rows.classes);
	if (queue_class_least(least) > size)
		return false;
	if (queue_class_least(least + 1) - 1 <= size)
		return true;
	return rows_search(q, -1, &(struct queue_fit){ size, INT64_MAX, 0 }) != NONE;
}

bool queue_holds_any(struct queue *q, int64_t size)
{
	if (q->by_row)
		return rows_hold(q, size);
	if (!q->size_min)
		q->size_min = q->depth ? row_min(q->pool->inner[q->root].size_min)
				       : leaf_size_min(&q->pool->leaf[q->root]);
	return q->size_min <= size;
}

static uint32_t *list_below(const struct queue *q, uint32_t node, uint32_t level, uint32_t *out)
{
	if (!level) {
		const struct queue_leaf *leaf = &q->pool->leaf[node];
		for (uint64_t live = leaf->live; live; live &= live - 1)
			*out++ = leaf->job[__builtin_ctzll(live)];
		return out;
	}
	for (uint32_t i = 0; i < q->pool->inner[node].count; i++)
		out = list_below(q, q->pool->inner[node].child[i], level - 1, out);
	return out;
}

static void rows_list(const struct queue *q, uint32_t *out)
{
	const struct queue_rows *rows = &q->rows;
	uint32_t *const end = out + q->count;
	for (uint32_t block = rows->front / ROWS_BLOCK; out < end; block++) {
		const struct rows_chunk *chunk = rows->chunk[block / ROWS_WAYS];
		uint64_t live = chunk ? chunk->live[block % ROWS_WAYS] : 0;
		for (; live; live &= live - 1)
			*out++ = block * ROWS_BLOCK + (uint32_t)__builtin_ctzll(live);
	}
}

void queue_list(const struct queue *q, uint32_t *out)
{
	if (q->by_row)
		rows_list(q, out);
	else if (q->count)
		(void)list_below(q, q->root, q->depth, out);
}

void queue_empty(struct queue *q)
{
	rows_release(&q->rows);
	q->root = NONE;
	q->depth = q->count = q->failed_end = 0;
	q->size_min = 0;
	q->found = NONE;
}

void queue_pool_empty(struct queue_pool *pool)
{
	pool->leaf_used = pool->inner_used = 0;
	pool->leaf_spare = pool->inner_spare = NONE;
}

int queue_rebuild(struct queue *q, const uint32_t *row, struct sl_err *err)
{
	const uint32_t count = q->count;
	if (q->by_row)
		return SL_OK; /* It has no keys. */
	queue_empty(q);
	queue_pool_empty(q->pool);
	for (uint32_t i = 0; i < count; i++) {
		const int status = queue_add(q, row[i], err);
		if (status)
			return status;
	}
	return SL_OK;
}
