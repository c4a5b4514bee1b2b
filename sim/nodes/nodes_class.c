/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_class.c - the store: classes of equal nodes, found by their free resources; and for each recently
 * queried request, how much of it fits on them.
 *
 * A class is found by a hash, and never visited in an order that matters: a search through them chooses the
 * least score, then the first node by ties. Empty ones stay for a while, since what was free once is free
 * again soon.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

enum { CLASS_GONE = NODE_WHOLE + 1 }; /* Status of a class that is free to be another. */

/* ---- Windows of a set ------------------------------------------------------------------------ */

sl_time horizon_of(const struct nodes *nodes, uint32_t set, sl_time at, uint32_t exempt)
{
	sl_time horizon = SL_NEVER;
	for (; set; set = nodes->set[set].parent) {
		const struct window *window = &nodes->window[nodes->set[set].window];
		if (exempt && window->family == exempt)
			continue;
		if (window->from <= at && at < window->until)
			return ALWAYS;
		if (window->from > at && window->from < horizon)
			horizon = window->from;
	}
	return horizon;
}

sl_time window_ends(const struct nodes *nodes, uint32_t set, sl_time at)
{
	sl_time next = SL_NEVER;
	for (; set; set = nodes->set[set].parent) {
		const sl_time until = nodes->window[nodes->set[set].window].until;
		if (until > at && until < next)
			next = until;
	}
	return next;
}

/* ---- A class's nodes: a heap by number, or by name ------------------------------------------- */

static inline void heap_set(struct nodes *nodes, struct class *class, uint32_t place, uint32_t node)
{
	class->heap[place] = node;
	nodes->place[node] = place;
}

static inline bool goes_before(const uint32_t *rank, uint32_t a, uint32_t b)
{
	return rank ? rank[a] < rank[b] : a < b;
}

/* Compiled for either order: rank is known where it is called. */
static inline uint32_t up_by(
	struct nodes *nodes, const uint32_t *rank, struct class *class, uint32_t place, uint32_t node)
{
	while (place && goes_before(rank, node, class->heap[(place - 1) / HEAP_WAYS])) {
		heap_set(nodes, class, place, class->heap[(place - 1) / HEAP_WAYS]);
		place = (place - 1) / HEAP_WAYS;
	}
	heap_set(nodes, class, place, node);
	return place;
}

static uint32_t heap_up(struct nodes *nodes, struct class *class, uint32_t place, uint32_t node)
{
	if (nodes->rank)
		return up_by(nodes, nodes->rank, class, place, node);
	return up_by(nodes, NULL, class, place, node);
}

static inline void down_by(
	struct nodes *nodes, const uint32_t *rank, struct class *class, uint32_t place, uint32_t node)
{
	for (;;) {
		const uint32_t first = HEAP_WAYS * place + 1;
		if (first >= class->count)
			break;
		const uint32_t end = first + HEAP_WAYS < class->count ? first + HEAP_WAYS : class->count;
		uint32_t least = first;
		for (uint32_t i = first + 1; i < end; i++)
			if (goes_before(rank, class->heap[i], class->heap[least]))
				least = i;
		if (!goes_before(rank, class->heap[least], node))
			break;
		heap_set(nodes, class, place, class->heap[least]);
		place = least;
	}
	heap_set(nodes, class, place, node);
}

static void heap_down(struct nodes *nodes, struct class *class, uint32_t place, uint32_t node)
{
	if (nodes->rank)
		down_by(nodes, nodes->rank, class, place, node);
	else
		down_by(nodes, NULL, class, place, node);
}

/* ---- What the cache entries hold -------------------------------------------------------------------- */

int64_t score_of(const struct nodes *nodes, uint32_t type, const int64_t *free, const struct sl_group *group,
	uint32_t tasks)
{
	const struct sl_node_class class = node_class(nodes, type, free);
	return nodes->scorer.rule->score(nodes->scorer.state, &class, group, tasks);
}

static void class_asks(struct nodes *nodes, uint32_t index, uint32_t cache_entry)
{
	const uint32_t request = nodes->cache_entry[cache_entry].request;
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	const size_t place = (size_t)index * CACHE_ENTRIES + cache_entry;
	nodes->class_units[place] = units_on(nodes, shape, group, nodes->class[index].type,
		free_of(nodes, index), (enum node_status)nodes->class[index].status);
}

static void units_change(struct nodes *nodes, const struct class *class, uint32_t index, int64_t sign)
{
	const uint32_t *units = &nodes->class_units[(size_t)index * CACHE_ENTRIES];
	int64_t *sum = &nodes->set_units[(size_t) class->windows * CACHE_ENTRIES];
	for (uint32_t i = 0; i < nodes->cache_entries; i++)
		sum[i] += sign * units[i];
}

/* ---- Nodes in and out ------------------------------------------------------------------------ */

void class_pull(struct nodes *nodes, uint32_t node)
{
	const uint32_t index = nodes->node[node].class;
	const uint32_t place = nodes->place[node];
	struct class *class = &nodes->class[index];
	const uint32_t last = class->heap[--class->count];
	if (place < class->count) {
		if (heap_up(nodes, class, place, last) == place)
			heap_down(nodes, class, place, last);
	}
	nodes->place[node] = NONE;
	nodes->away++;
	nodes->class_empty += !class->count;
	units_change(nodes, class, index, -1);
}

void class_put(struct nodes *nodes, uint32_t index, uint32_t node)
{
	struct class *class = &nodes->class[index];
	if (SL_GROW(class->heap, class->capacity, class->count + 1, &nodes->err))
		return;
	nodes->class_empty -= !class->count;
	nodes->node[node].class = index;
	(void)heap_up(nodes, class, class->count++, node);
	nodes->away--;
	units_change(nodes, class, index, 1);
}

/* ---- Finding a class ------------------------------------------------------------------------- */

struct like {
	uint32_t type, windows, status, late;
	const int64_t *free;
};

static uint32_t bucket_of(const struct nodes *nodes, const struct like *like)
{
	uint64_t h =
		(uint64_t)like->type << 40 ^ (uint64_t)like->windows << 8 ^ like->late << 4 ^ like->status;
	for (uint32_t i = 0; i < nodes->width; i++) {
		h = (h ^ (uint64_t)like->free[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return (uint32_t)(h >> 7) & (nodes->bucket_count - 1);
}

static bool is_like(const struct nodes *nodes, uint32_t index, const struct like *like)
{
	const struct class *class = &nodes->class[index];
	const int64_t *free = free_of(nodes, index);
	bool same = class->type == like->type && class->windows == like->windows &&
		    class->status == like->status && class->late == like->late;
	for (uint32_t i = 0; same && i < nodes->width; i++)
		same = free[i] == like->free[i];
	return same;
}

static void bucket_put(struct nodes *nodes, uint32_t index)
{
	struct class *class = &nodes->class[index];
	const struct like like = { class->type, class->windows, class->status, class->late,
		free_of(nodes, index) };
	const uint32_t bucket = bucket_of(nodes, &like);
	class->chain = nodes->bucket[bucket];
	nodes->bucket[bucket] = index;
}

static bool grow_rows(struct nodes *nodes)
{
	const size_t capacity = nodes->class_capacity ? 2 * nodes->class_capacity : SL_OR_TINY(64, 2);
	const size_t width = nodes->width;
	uint32_t *bucket = malloc(2 * capacity * sizeof(*bucket));
	if (!bucket || SL_RESIZE(nodes->class, capacity, NULL) ||
		SL_RESIZE(nodes->class_free, capacity * width, NULL) ||
		SL_RESIZE(nodes->class_units, capacity * CACHE_ENTRIES, NULL)) {
		free(bucket);
		(void)sl_fail_memory(&nodes->err);
		return false;
	}
	struct class *class = nodes->class;
	memset(class + nodes->class_capacity, 0, (capacity - nodes->class_capacity) * sizeof(*class));
	free(nodes->bucket);
	nodes->bucket = bucket;
	nodes->bucket_count = (uint32_t)(2 * capacity);
	nodes->class_capacity = capacity;
	memset(bucket, 0xff, 2 * capacity * sizeof(*bucket));
	for (uint32_t i = 0; i < nodes->class_used; i++)
		if (class[i].status != CLASS_GONE)
			bucket_put(nodes, i);
	return true;
}

/* All empty ones at once. */
static void recycle(struct nodes *nodes)
{
	memset(nodes->bucket, 0xff, nodes->bucket_count * sizeof(*nodes->bucket));
	nodes->class_spare = NONE;
	for (uint32_t i = nodes->class_used; i-- > 0;) {
		struct class *class = &nodes->class[i];
		if (class->count) {
			bucket_put(nodes, i);
			continue;
		}
		class->status = CLASS_GONE;
		class->chain = nodes->class_spare;
		nodes->class_spare = i;
	}
	nodes->class_empty = 0;
}

static uint32_t class_new(struct nodes *nodes, const struct like *like)
{
	const uint32_t lived = nodes->class_used - nodes->class_empty;
	if (!nodes->away && nodes->class_spare == NONE && nodes->class_empty > EMPTY_CLASSES + lived / 4)
		recycle(nodes);
	uint32_t index = nodes->class_spare;
	if (index == NONE && nodes->class_used == nodes->class_capacity && !grow_rows(nodes))
		return NONE;
	if (index == NONE)
		index = nodes->class_used++;
	else
		nodes->class_spare = nodes->class[index].chain;
	struct class *class = &nodes->class[index];
	class->type = like->type;
	class->windows = like->windows;
	class->status = like->status;
	class->late = like->late;
	memcpy(free_of(nodes, index), like->free, nodes->width * sizeof(int64_t));
	bucket_put(nodes, index);
	memset(&nodes->class_units[(size_t)index * CACHE_ENTRIES], 0, CACHE_ENTRIES * sizeof(uint32_t));
	for (uint32_t i = 0; i < nodes->cache_entries; i++)
		if (nodes->cache_entry[i].request != NONE)
			class_asks(nodes, index, i);
	nodes->born[nodes->births++ % BIRTHS] = index;
	nodes->class_empty++;
	return index;
}

void node_moves(struct nodes *nodes, uint32_t row, const int64_t *free)
{
	struct node *node = &nodes->node[row];
	const struct like like = { type_of(nodes, row), node->windows,
		status_of(node->allocations, node->whole), node->late, free };
	uint32_t index = nodes->bucket[bucket_of(nodes, &like)];
	while (index != NONE && !is_like(nodes, index, &like))
		index = nodes->class[index].chain;
	if (index == NONE)
		index = class_new(nodes, &like);
	if (index == NONE)
		return; /* Out of memory. */
	if (nodes->place[row] != NONE)
		class_pull(nodes, row);
	class_put(nodes, index, row);
	if (nodes->gauge_count)
		gauges_note(nodes, row);
}

/* ---- Cache entries ---------------------------------------------------------------------------------- */

static void cache_entry_release(struct cache_entry *cache_entry)
{
	free(cache_entry->first);
	free(cache_entry->step);
	profile_release(&cache_entry->profile);
	*cache_entry = (struct cache_entry){ .request = NONE };
	profile_init(&cache_entry->profile);
}

/* The least recently queried, or one that is not in use yet. */
static uint32_t cache_entry_oldest(const struct nodes *nodes)
{
	uint32_t index = 0;
	for (uint32_t i = 1; i < CACHE_ENTRIES; i++)
		if (nodes->cache_entry[i].used < nodes->cache_entry[index].used)
			index = i;
	return index;
}

static void cache_entry_put(struct nodes *nodes, uint32_t index, uint32_t request)
{
	struct cache_entry *cache_entry = &nodes->cache_entry[index];
	if (cache_entry->request != NONE)
		nodes->shape[cache_entry->request].cache_entry = NONE;
	cache_entry_release(cache_entry);
	cache_entry->request = request;
	nodes->shape[request].cache_entry = index;
	nodes->cache_entries = index < nodes->cache_entries ? nodes->cache_entries : index + 1;
	for (size_t set = 0; set < nodes->set_count; set++)
		nodes->set_units[set * CACHE_ENTRIES + index] = 0;
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		if (class->status == CLASS_GONE)
			continue;
		class_asks(nodes, i, index);
		if (class->count) /* Else its set may be gone. */
			nodes->set_units[(size_t) class->windows * CACHE_ENTRIES + index] +=
				(int64_t) class->count *
				nodes->class_units[(size_t)i * CACHE_ENTRIES + index];
	}
}

uint32_t cache_entry_of(struct nodes *nodes, uint32_t request)
{
	if (nodes->shape[request].cache_entry == NONE)
		cache_entry_put(nodes, cache_entry_oldest(nodes), request);
	const uint32_t index = nodes->shape[request].cache_entry;
	nodes->cache_entry[index].used = ++nodes->asked;
	return index;
}

/* Where more requests alternate than there are cache entries, none evicts another that will be queried before
 * it is. */
uint32_t cache_entry_offer(struct nodes *nodes, uint32_t request)
{
	const struct cache_entry *oldest = &nodes->cache_entry[cache_entry_oldest(nodes)];
	if (oldest->request != NONE && nodes->asked - oldest->used < UINT64_C(64) * CACHE_ENTRIES)
		return NONE;
	return cache_entry_of(nodes, request);
}

void cache_entries_drop(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->cache_entries; i++) {
		if (nodes->cache_entry[i].request != NONE)
			nodes->shape[nodes->cache_entry[i].request].cache_entry = NONE;
		cache_entry_release(&nodes->cache_entry[i]);
	}
	nodes->cache_entries = 0;
}

int64_t units_now(const struct nodes *nodes, uint32_t cache_entry, sl_time length)
{
	int64_t units = nodes->set_units[cache_entry];
	const uint32_t exempt = exempt_of(nodes, nodes->cache_entry[cache_entry].request);
	for (uint32_t set = 1; set < nodes->set_count; set++)
		if (open_for(nodes, set, length, exempt))
			units += nodes->set_units[(size_t)set * CACHE_ENTRIES + cache_entry];
	return units;
}

/* ---- Without a cache entry ------------------------------------------------------------------------- */

static uint32_t node_units(const struct nodes *nodes, uint32_t request, uint32_t row)
{
	const struct node *node = &nodes->node[row];
	return units_on(nodes, &nodes->shape[request], nodes->requests[request].group, type_of(nodes, row),
		free_of(nodes, node->class), status_of(node->allocations, node->whole));
}

/* All of them, but no further than enough. */
static bool units_count(struct nodes *nodes, uint32_t request, sl_time length)
{
	struct shape *shape = &nodes->shape[request];
	int64_t units = 0;
	for (uint32_t i = 0; i < nodes->class_used && units < shape->need; i++) {
		const struct class *class = &nodes->class[i];
		if (!class->count || !open_for(nodes, class->windows, length, shape->exempt))
			continue;
		const uint32_t here = units_on(nodes, shape, nodes->requests[request].group, class->type,
			free_of(nodes, i), (enum node_status) class->status);
		units += (int64_t) class->count * here;
		shape->witness = here ? class->heap[0] : shape->witness;
	}
	shape->counted = !nodes->windows_live; /* With windows it is another at another time. */
	shape->most = units;
	shape->seen = nodes->log_count;
	return units >= shape->need;
}

/* What did not fit still does not, if not enough of it fits on the nodes that changed since. */
static bool still_not(struct nodes *nodes, uint32_t request)
{
	struct shape *shape = &nodes->shape[request];
	const uint64_t changes = nodes->log_count - shape->seen;
	if (shape->most >= shape->need || changes > LOG || changes > nodes->class_used)
		return false;
	for (; shape->seen < nodes->log_count; shape->seen++) {
		const uint32_t row = nodes->log[shape->seen % LOG];
		const uint32_t units = node_units(nodes, request, row);
		shape->witness = units ? row : shape->witness;
		shape->most += units;
	}
	return shape->most < shape->need;
}

bool units_without(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct shape *shape = &nodes->shape[request];
	if (nodes->windows_live || !shape->counted)
		return units_count(nodes, request, length);
	if (still_not(nodes, request))
		return false;
	if (shape->need == 1 && shape->witness != NONE && node_units(nodes, request, shape->witness))
		return true;
	return units_count(nodes, request, length);
}

/* ---- Whole ----------------------------------------------------------------------------------- */

int classes_init(struct nodes *nodes)
{
	nodes->class_spare = NONE;
	for (uint32_t i = 0; i < CACHE_ENTRIES; i++)
		cache_entry_release(&nodes->cache_entry[i]);
	if (!grow_rows(nodes))
		return SL_SYSTEM;
	for (uint32_t row = 0; row < nodes->count && !failed(nodes); row++) {
		nodes->place[row] = NONE;
		nodes->away++;
		node_moves(nodes, row, empty_of(nodes, type_of(nodes, row)));
	}
	return nodes->err.status;
}

void classes_release(struct nodes *nodes)
{
	for (uint32_t i = 0; i < CACHE_ENTRIES; i++)
		cache_entry_release(&nodes->cache_entry[i]);
	for (uint32_t i = 0; i < nodes->class_used; i++)
		free(nodes->class[i].heap);
	free(nodes->class);
	free(nodes->class_free);
	free(nodes->class_units);
	scores_forget(nodes);
	free(nodes->bucket);
}

static void class_check(struct nodes *nodes, uint32_t index)
{
	const struct class *class = &nodes->class[index];
	for (uint32_t place = 0; place < class->count; place++) {
		const struct node *node = &nodes->node[class->heap[place]];
		SL_CHECK(node->class == index && nodes->place[class->heap[place]] == place);
		SL_CHECK(
			node->windows == class->windows && type_of(nodes, class->heap[place]) == class->type);
		SL_CHECK(status_of(node->allocations, node->whole) == class->status &&
			 node->late == class->late);
		SL_CHECK(!place ||
			 goes_before(nodes->rank, class->heap[(place - 1) / HEAP_WAYS], class->heap[place]));
	}
	for (uint32_t i = 0; i < CACHE_ENTRIES; i++) {
		const uint32_t request = nodes->cache_entry[i].request;
		if (request == NONE)
			continue;
		SL_CHECK(nodes->class_units[(size_t)index * CACHE_ENTRIES + i] ==
			 units_on(nodes, &nodes->shape[request], nodes->requests[request].group, class->type,
				 free_of(nodes, index), (enum node_status) class->status));
	}
}

void classes_check(struct nodes *nodes)
{
	uint32_t count = 0;
	uint32_t empty = 0;
	SL_CHECK(!nodes->away);
	int64_t *sum = calloc((size_t)nodes->set_count * CACHE_ENTRIES, sizeof(*sum));
	SL_CHECK(sum); /* Memory, for a check. */
	for (uint32_t i = 0; i < nodes->class_used; i++) {
		const struct class *class = &nodes->class[i];
		if (class->status == CLASS_GONE)
			continue;
		class_check(nodes, i);
		count += class->count;
		empty += !class->count;
		for (uint32_t t = 0; t < CACHE_ENTRIES && class->count; t++)
			sum[(size_t) class->windows * CACHE_ENTRIES + t] +=
				(int64_t) class->count * nodes->class_units[(size_t)i * CACHE_ENTRIES + t];
	}
	for (size_t i = 0; i < (size_t)nodes->set_count * CACHE_ENTRIES; i++)
		SL_CHECK(nodes->cache_entry[i % CACHE_ENTRIES].request == NONE ||
			 sum[i] == nodes->set_units[i]);
	free(sum);
	SL_CHECK(count == nodes->count && empty == nodes->class_empty);
}
