/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue_rows.h - the waiting jobs of a counted pool in submit order: an implicit tree over row numbers.
 *
 * The order is that of the rows, so a job's place follows from its row: joining sets a bit, leaving clears
 * it, and nothing is moved. Blocks of 64 rows lie side by side, 16 of them are a chunk; above it each node
 * has 16 children. Beside each child stands, for every class of sizes, the shortest length of a job of this
 * class or a smaller one below it: two rows of 16 numbers say which children may hold a job that fits.
 *
 * They are lower bounds. Who leaves does not change them; where a search went down and found nothing, they
 * are made exact, so that the next one like it stays away.
 */
#ifndef SL_QUEUE_ROWS_H
#define SL_QUEUE_ROWS_H

#include "sim/base/base.h"

/* Sizes in classes, each with its least: a larger class holds larger sizes only.
 * 1..7 are classes of their own; above, two classes an octave: [2^k, 1.5 * 2^k), [1.5 * 2^k, 2^(k+1)). Powers
 * of two, the most common sizes, are the least of their class. */
static inline unsigned queue_class(int32_t size)
{
	if (size < 8)
		return (unsigned)size;
	const unsigned octave = 31U - (unsigned)__builtin_clz((unsigned)size);
	return 8 + (octave - 3) * 2 + (((unsigned)size >> (octave - 1)) & 1);
}

/* The least size of a class; of one more than the last: beyond all. */
static inline int32_t queue_class_least(unsigned c)
{
	if (c < 8)
		return (int32_t)c;
	const unsigned octave = 3 + (c - 8) / 2;
	return octave > 30 ? INT32_MAX : (int32_t)((2U | (c & 1)) << (octave - 1));
}

enum {
	QUEUE_CLASSES = 64,
	ROWS_BLOCK = SL_OR_TINY(64, 16),
	ROWS_WAYS = 16, /* As many as are looked at together (sixteen.h). */
	ROWS_CHUNK = ROWS_BLOCK * ROWS_WAYS,
	ROWS_LEVELS = 6 /* Above the chunks: enough for 2^32 rows. */
};

/* By class, then by child. INT32_MAX: no job. Lengths are in whole seconds, rounded down. */
struct rows_node {
	int32_t length[QUEUE_CLASSES][ROWS_WAYS];
};

/* Sizes of rows that do not wait are INT32_MAX: they fit nowhere. */
struct rows_chunk {
	uint64_t live[ROWS_WAYS]; /* Bit i: row i of that block waits. */
	uint32_t count;
	int32_t size[ROWS_CHUNK], length[ROWS_CHUNK];
	struct rows_node node;
};

struct queue_rows {
	struct rows_chunk **chunk; /* By row / ROWS_CHUNK; NULL: none of its rows waits. */
	size_t chunk_capacity;
	struct rows_node *node[ROWS_LEVELS]; /* [0]: of 16 chunks each. */
	size_t node_capacity[ROWS_LEVELS];
	uint32_t levels;    /* Of nodes, so that the highest has one. */
	uint32_t front;     /* The first that waits; if none does, anything. */
	uint32_t end;       /* Behind the highest row that ever waited. */
	uint64_t classes;   /* Bit c: a job of this class waits. */
	unsigned class_end; /* Behind the largest class that ever was: nodes are kept up to there. */
	uint32_t class_count[QUEUE_CLASSES];
};

/* What is looked for: jobs of at most `free`, and no longer than `seconds` or of at most `spare`; those few
 * are then tested, for lengths are rounded down here. */
struct rows_search {
	int32_t free, spare; /* spare <= free; and their classes (rows_class). */
	unsigned class_free, class_spare;
	int32_t seconds;
	sl_time capacity;      /* The same length exactly, and */
	const sl_time *length; /* by row; or else: */
	bool (*passes)(void *self, uint32_t row);
	void *self;
};

void rows_release(struct queue_rows *rows);
/* Room for one more job of that row, so that rows_add cannot fail. */
int rows_reserve_chunk(struct queue_rows *rows, uint32_t row, struct sl_err *err);
static inline int rows_reserve(struct queue_rows *rows, uint32_t row, struct sl_err *err)
{
	const uint32_t index = row / ROWS_CHUNK;
	return index < rows->chunk_capacity && rows->chunk[index] ? SL_OK
								  : rows_reserve_chunk(rows, row, err);
}
/* The largest class that may hold a job of at most that size. */
static inline unsigned rows_class(const struct queue_rows *rows, int32_t size)
{
	const unsigned class = queue_class(size);
	return class < rows->class_end || !class ? class : rows->class_end - 1;
}
void rows_add(struct queue_rows *rows, uint32_t row, int32_t size, int32_t length);
void rows_remove(struct queue_rows *rows, uint32_t row);
/* The first row >= from that passes, or UINT32_MAX. */
uint32_t rows_next(struct queue_rows *rows, uint32_t from, const struct rows_search *s);
/* The first row >= from that waits, or UINT32_MAX. */
uint32_t rows_after(const struct queue_rows *rows, uint32_t from);

#endif
