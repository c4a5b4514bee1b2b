/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue_rows.c - the implicit tree of queue_rows.h.
 *
 * A search goes up from the chunk where it begins, looking at what comes behind, and down where a child may
 * hold what is looked for: what is near costs little.
 */
#include "sim/state/queue_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sim/state/sixteen.h"

#define NONE   UINT32_MAX
#define ABSENT INT32_MAX

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

/* ---- Memory ---------------------------------------------------------------------------------- */

void rows_release(struct queue_rows *rows)
{
	for (size_t i = 0; i < rows->chunk_capacity; i++)
		free(rows->chunk[i]);
	free(rows->chunk);
	for (size_t level = 0; level < ROWS_LEVELS; level++)
		free(rows->node[level]);
	*rows = (struct queue_rows){ 0 };
}

static void node_clear(struct rows_node *node)
{
	for (size_t c = 0; c < QUEUE_CLASSES; c++)
		for (size_t i = 0; i < ROWS_WAYS; i++)
			node->length[c][i] = ABSENT;
}

static int reserve_chunk(struct queue_rows *rows, uint32_t index, struct sl_err *err)
{
	const int status = SL_GROW_ZEROED(rows->chunk, rows->chunk_capacity, (size_t)index + 1, err);
	if (status)
		return status;
	struct rows_chunk *chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return sl_fail_memory(err);
	memset(chunk->live, 0, sizeof(chunk->live));
	chunk->count = 0;
	for (size_t i = 0; i < ROWS_CHUNK; i++)
		chunk->size[i] = ABSENT;
	node_clear(&chunk->node);
	rows->chunk[index] = chunk;
	return SL_OK;
}

/* The shortest below a node, by class, as its parent has it. */
static void node_sum(const struct rows_node *node, struct rows_node *parent, uint32_t slot)
{
	for (size_t c = 0; c < QUEUE_CLASSES; c++) {
		int32_t least = ABSENT;
		for (size_t i = 0; i < ROWS_WAYS; i++)
			least = smaller(least, node->length[c][i]);
		parent->length[c][slot] = least;
	}
}

static int reserve_nodes(struct queue_rows *rows, uint32_t level, size_t count, struct sl_err *err)
{
	const size_t before = rows->node_capacity[level];
	const int status = SL_GROW(rows->node[level], rows->node_capacity[level], count, err);
	for (size_t i = before; !status && i < rows->node_capacity[level]; i++)
		node_clear(&rows->node[level][i]);
	return status;
}

/* Nodes above the chunks, up to one; what was the highest so far is the first child of the next. */
static int reserve_levels(struct queue_rows *rows, uint32_t chunk, struct sl_err *err)
{
	uint32_t index = chunk;
	for (uint32_t level = 0; level < ROWS_LEVELS && (index || level < rows->levels); level++) {
		index /= ROWS_WAYS;
		const int status = reserve_nodes(rows, level, (size_t)index + 1, err);
		if (status)
			return status;
		if (level < rows->levels)
			continue;
		rows->levels = level + 1;
		if (level)
			node_sum(&rows->node[level - 1][0], &rows->node[level][0], 0);
		else if (rows->chunk_capacity && rows->chunk[0])
			node_sum(&rows->chunk[0]->node, &rows->node[level][0], 0);
	}
	return SL_OK;
}

int rows_reserve_chunk(struct queue_rows *rows, uint32_t row, struct sl_err *err)
{
	const uint32_t index = row / ROWS_CHUNK;
	const int status = reserve_levels(rows, index, err);
	return status ? status : reserve_chunk(rows, index, err);
}

/* ---- In order -------------------------------------------------------------------------------- */

uint32_t rows_after(const struct queue_rows *rows, uint32_t from)
{
	uint32_t block = from / ROWS_BLOCK;
	uint64_t mask = ~UINT64_C(0) << from % ROWS_BLOCK;
	const uint32_t end = rows->end / ROWS_BLOCK + 1;
	while (block < end) {
		const uint32_t index = block / ROWS_WAYS;
		const struct rows_chunk *chunk = index < rows->chunk_capacity ? rows->chunk[index] : NULL;
		const uint64_t live = chunk ? chunk->live[block % ROWS_WAYS] & mask : 0;
		if (live)
			return block * ROWS_BLOCK + (uint32_t)__builtin_ctzll(live);
		mask = ~UINT64_C(0);
		block = chunk ? block + 1 : (index + 1) * ROWS_WAYS;
	}
	return NONE;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* A job of that class and length is below the child: true if that is less than what stood there. A class's
 * length is never below that of a larger one, so all that change lie together. */
static bool node_lower(struct rows_node *node, uint32_t slot, unsigned class, unsigned end, int32_t length)
{
	const unsigned first = class;
	while (class < end && node->length[class][slot] > length)
		node->length[class ++][slot] = length;
	return class > first;
}

/* No job of that class, or a smaller one, is shorter. */
static void node_raise(struct rows_node *node, uint32_t slot, unsigned class, int32_t length)
{
	for (unsigned c = class + 1; c-- > 0 && node->length[c][slot] < length;)
		node->length[c][slot] = length;
}

static void node_widen(struct rows_node *node, unsigned class, unsigned end)
{
	for (; class < end; class ++)
		memcpy(node->length[class], node->length[class - 1], sizeof(node->length[0]));
}

/* A larger class than all so far: no job of it is in any node. */
static void rows_widen(struct queue_rows *rows, unsigned end)
{
	const unsigned class = rows->class_end ? rows->class_end : 1;
	for (size_t i = 0; i < rows->chunk_capacity; i++)
		if (rows->chunk[i])
			node_widen(&rows->chunk[i]->node, class, end);
	for (size_t level = 0; level < ROWS_LEVELS; level++)
		for (size_t i = 0; i < rows->node_capacity[level]; i++)
			node_widen(&rows->node[level][i], class, end);
	rows->class_end = end;
}

void rows_add(struct queue_rows *rows, uint32_t row, int32_t size, int32_t length)
{
	uint32_t index = row / ROWS_CHUNK;
	struct rows_chunk *chunk = rows->chunk[index];
	const uint32_t place = row % ROWS_CHUNK;
	const unsigned class = queue_class(size);
	chunk->live[place / ROWS_BLOCK] |= UINT64_C(1) << place % ROWS_BLOCK;
	chunk->size[place] = size;
	chunk->length[place] = length;
	chunk->count++;
	if (row < rows->front || !rows->classes)
		rows->front = row;
	if (class >= rows->class_end)
		rows_widen(rows, class + 1);
	rows->class_count[class]++;
	rows->classes |= UINT64_C(1) << class;
	if (row >= rows->end)
		rows->end = row + 1;
	bool lower = node_lower(&chunk->node, place / ROWS_BLOCK, class, rows->class_end, length);
	for (uint32_t level = 0; lower && level < rows->levels; level++) {
		lower = node_lower(&rows->node[level][index / ROWS_WAYS], index % ROWS_WAYS, class,
			rows->class_end, length);
		index /= ROWS_WAYS;
	}
}

void rows_remove(struct queue_rows *rows, uint32_t row)
{
	const uint32_t index = row / ROWS_CHUNK;
	struct rows_chunk *chunk = rows->chunk[index];
	const uint32_t place = row % ROWS_CHUNK;
	const uint64_t bit = UINT64_C(1) << place % ROWS_BLOCK;
	SL_CHECK(chunk && chunk->live[place / ROWS_BLOCK] & bit);
	const unsigned class = queue_class(chunk->size[place]);
	chunk->live[place / ROWS_BLOCK] &= ~bit;
	chunk->size[place] = ABSENT;
	if (!--rows->class_count[class])
		rows->classes &= ~(UINT64_C(1) << class);
	if (row == rows->front && rows->classes)
		rows->front = rows_after(rows, row + 1);
	/* The last chunk stays: jobs come to it, and leave it, again and again. */
	if (--chunk->count || index == (rows->end - 1) / ROWS_CHUNK)
		return;
	free(chunk);
	rows->chunk[index] = NULL;
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* Bit i: child i may hold one. */
static unsigned may_hold(const struct rows_node *node, const struct rows_search *s)
{
	return sixteen_hold(node->length[s->class_free], node->length[s->class_spare], s->seconds);
}

static bool row_passes(const struct rows_search *s, int32_t size, uint32_t row)
{
	if (s->passes)
		return s->passes(s->self, row);
	return size <= s->spare || s->length[row] <= s->capacity;
}

/* From a place of the chunk to the end of its block. */
static uint32_t block_search(
	const struct rows_chunk *chunk, uint32_t base, uint32_t place, const struct rows_search *s)
{
	const uint32_t end = (place / ROWS_BLOCK + 1) * ROWS_BLOCK;
	unsigned cut = place % 16;
	for (uint32_t first = place - cut; first < end; first += 16) {
		unsigned mask = sixteen_fit(
			&chunk->size[first], &chunk->length[first], s->free, s->spare, s->seconds);
		for (mask = mask >> cut << cut; mask; mask &= mask - 1) {
			const uint32_t i = first + (uint32_t)__builtin_ctz(mask);
			if (row_passes(s, chunk->size[i], base + i))
				return base + i;
		}
		cut = 0;
	}
	return NONE;
}

/* The shortest of a block that is no larger than that. */
static int32_t block_least(const struct rows_chunk *chunk, uint32_t block, int32_t most)
{
	const int32_t *size = &chunk->size[block * ROWS_BLOCK];
	const int32_t *length = &chunk->length[block * ROWS_BLOCK];
	int32_t least = ABSENT;
	for (uint64_t live = chunk->live[block]; live; live &= live - 1) {
		const int i = __builtin_ctzll(live);
		if (size[i] <= most)
			least = smaller(least, length[i]);
	}
	return least;
}

static uint32_t chunk_search(
	struct rows_chunk *chunk, uint32_t index, uint32_t from, const struct rows_search *s)
{
	const uint32_t base = index * ROWS_CHUNK;
	unsigned mask = may_hold(&chunk->node, s) >> from / ROWS_BLOCK << from / ROWS_BLOCK;
	for (; mask; mask &= mask - 1) {
		const uint32_t block = (uint32_t)__builtin_ctz(mask);
		const uint32_t begin = block * ROWS_BLOCK;
		const uint32_t found = block_search(chunk, base, from > begin ? from : begin, s);
		if (found != NONE)
			return found;
		const unsigned class[] = { s->class_free, s->class_spare };
		for (size_t i = 0; i < SL_LEN(class); i++)
			if (chunk->node.length[class[i]][block] < ABSENT)
				node_raise(&chunk->node, block, class[i],
					block_least(chunk, block, queue_class_least(class[i] + 1) - 1));
	}
	return NONE;
}

static int32_t node_least(const struct rows_node *node, unsigned class)
{
	int32_t least = ABSENT;
	for (size_t i = 0; i < ROWS_WAYS; i++)
		least = smaller(least, node->length[class][i]);
	return least;
}

/* Nothing was found below the child: what stands beside it is made exact. */
static void child_settle(
	struct rows_node *node, uint32_t slot, const struct rows_node *child, const struct rows_search *s)
{
	const unsigned class[] = { s->class_free, s->class_spare };
	for (size_t i = 0; i < SL_LEN(class); i++)
		if (node->length[class[i]][slot] < ABSENT)
			node_raise(node, slot, class[i], child ? node_least(child, class[i]) : ABSENT);
}

static uint32_t children_search(
	struct queue_rows *rows, uint32_t level, uint32_t index, uint32_t slot, const struct rows_search *s);

/* Below a child of that level: a node, or under all of them a chunk. */
static uint32_t child_search(
	struct queue_rows *rows, uint32_t level, uint32_t child, const struct rows_search *s)
{
	if (level)
		return children_search(rows, level - 1, child, 0, s);
	return rows->chunk[child] ? chunk_search(rows->chunk[child], child, 0, s) : NONE;
}

/* Below a node, from that child on. */
static uint32_t children_search(
	struct queue_rows *rows, uint32_t level, uint32_t index, uint32_t slot, const struct rows_search *s)
{
	struct rows_node *node = &rows->node[level][index];
	for (unsigned mask = may_hold(node, s) >> slot << slot; mask; mask &= mask - 1) {
		const uint32_t i = (uint32_t)__builtin_ctz(mask);
		const uint32_t child = index * ROWS_WAYS + i;
		const uint32_t found = child_search(rows, level, child, s);
		if (found != NONE)
			return found;
		const struct rows_chunk *chunk = level ? NULL : rows->chunk[child];
		child_settle(node, i, level ? &rows->node[level - 1][child] : chunk ? &chunk->node : NULL, s);
	}
	return NONE;
}

uint32_t rows_next(struct queue_rows *rows, uint32_t from, const struct rows_search *s)
{
	if (from < rows->front)
		from = rows->front;
	if (from >= rows->end)
		return NONE;
	uint32_t index = from / ROWS_CHUNK;
	uint32_t found = NONE;
	if (rows->chunk[index])
		found = chunk_search(rows->chunk[index], index, from % ROWS_CHUNK, s);
	for (uint32_t level = 0; level < rows->levels && found == NONE; level++) {
		const uint32_t slot = index % ROWS_WAYS + 1;
		index /= ROWS_WAYS;
		if (slot < ROWS_WAYS)
			found = children_search(rows, level, index, slot, s);
	}
	return found;
}
