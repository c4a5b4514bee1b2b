/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue.h - the waiting jobs in order, indexed by size and length.
 *
 * Of a counted pool in submit order an implicit tree over row numbers (queue_rows.h). Else a B+ tree over
 * (key, row). Beside each child stands a summary: for every
 * class of sizes the shortest length below it, so that the first job behind a
 * place that fits now, and ends in time or uses only what is spare, is found
 * without a look at those that do not: time grows with the depth of the tree,
 * not with what waits. A summary may be too hopeful (a class holds several
 * sizes, lengths are kept in whole seconds); a leaf is tested exactly.
 */
#ifndef SL_QUEUE_H
#define SL_QUEUE_H

#include "sim/state/queue_rows.h"

enum { QUEUE_LEAF = SL_OR_TINY(64, 8), QUEUE_WAYS = SL_OR_TINY(16, 4) };

/* What may start: */
struct queue_fit {
	int64_t free;     /* size <= free, and */
	sl_time capacity; /* length <= capacity or */
	int64_t spare;    /* size <= spare */
};

/* The same where a comparison of sizes does not decide (nodes, windows): classes of which some job may pass
 * if it is no longer than `capacity`, or whatever its length; each job that they do not exclude is tested. */
struct queue_test {
	uint64_t classes_capacity, classes_any; /* The second is part of the first. */
	sl_time capacity;
	bool (*passes)(void *self, uint32_t job);
	void *self;
};

struct queue_leaf;
struct queue_inner;

/* Where the nodes of one tree, or of several, lie. */
struct queue_pool {
	struct queue_leaf *leaf;
	struct queue_inner *inner;
	size_t leaf_capacity, inner_capacity;
	uint32_t leaf_used, inner_used;   /* High-water marks. */
	uint32_t leaf_spare, inner_spare; /* Heads of the lists of freed ones. */
};
#define QUEUE_POOL_EMPTY ((struct queue_pool){ .leaf_spare = UINT32_MAX, .inner_spare = UINT32_MAX })

struct queue {
	const int32_t *size;     /* Columns of the job table, lent. */
	const uint32_t *request; /* On nodes: by job, and */
	const uint8_t
		*request_class; /* by request its class, 1 .. QUEUE_CLASSES - 1; NULL: classes of sizes. */
	const sl_time *length;  /* Estimates. */
	const double *key;      /* NULL: order is by row alone. */
	bool by_row;            /* It is `rows`, and there is no tree. */
	struct queue_rows rows;
	struct queue_pool own, *pool; /* pool: its own, or one that it shares. */
	uint32_t root;                /* A leaf's number if depth is 0, else an inner one's. */
	uint32_t depth;
	uint32_t count;   /* Jobs. */
	int32_t size_min; /* Of all in the tree; 0: to be recomputed. */

	/* In submit order only: no job behind `failed_after` and before `failed_end` passes `failed`, so that
	 * a search for no less looks only at those that came since. */
	struct queue_fit failed;
	int64_t failed_after;
	uint32_t failed_end; /* 0: nothing is known. */
	/* The last find, and which jobs are known to have failed before it: if it leaves, all up to it have.
	 */
	struct queue_fit found_fit;
	int64_t found_after;
	uint32_t found;
	uint32_t row_end; /* Behind the highest row that was ever in. */
};

/* The columns are lent for the queue's life; a job's size, length and key stay as they are while it is in. */
void queue_init(struct queue *q, const int32_t *size, const sl_time *length, const double *key);
void queue_by_request(struct queue *q, const uint32_t *request, const uint8_t *request_class);
/* An empty queue puts its nodes there, too: many queues, most of them empty, cost what their jobs cost. */
void queue_share(struct queue *q, struct queue_pool *pool);
void queue_release(struct queue *q);
void queue_pool_release(struct queue_pool *pool);

int queue_add(struct queue *q, uint32_t job, struct sl_err *err);
void queue_remove(struct queue *q, uint32_t job); /* It must be in. */

/* UINT32_MAX: none. `after` need not be in the queue. */
uint32_t tree_first(const struct queue *q);
static inline uint32_t queue_first(const struct queue *q)
{
	return !q->count ? UINT32_MAX : q->by_row ? q->rows.front : tree_first(q);
}
uint32_t queue_after(const struct queue *q, uint32_t after);
/* Does any of that size, or a smaller one, wait? */
bool queue_holds_any(struct queue *q, int64_t size);
static inline bool queue_holds(struct queue *q, int64_t size)
{
	const uint64_t smallest = q->by_row ? q->rows.classes & 0xff : 0; /* Classes of one size each. */
	if (!q->count)
		return false;
	return smallest ? __builtin_ctzll(smallest) <= size : queue_holds_any(q, size);
}

/* The first behind `after` (UINT32_MAX: from the front) that passes, or UINT32_MAX. */
uint32_t queue_next_fit(struct queue *q, uint32_t after, const struct queue_fit *fit);

uint32_t queue_next_that(struct queue *q, uint32_t after, const struct queue_test *test);
/* Bits of the classes that hold sizes up to that. */
uint64_t queue_classes_upto(int64_t size);

/* All rows in order into out (q->count of them). */
void queue_list(const struct queue *q, uint32_t *out);
/* The same jobs in this order, after their keys have changed. */
int queue_rebuild(struct queue *q, const uint32_t *row, struct sl_err *err);
/* No job is in it, and its nodes are unused: for all queues of a pool at once, and the pool. */
void queue_empty(struct queue *q);
void queue_pool_empty(struct queue_pool *pool);

#endif
