/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_score.c - the store: scores of each class for a request, cached until there is another class in its
 * place.
 *
 * A start changes one node, and so makes one class; the scores of all others stay. A request that was not
 * queried for a while looks up which classes were made since, in a log; where that is too short, all its
 * scores are dropped.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* So many may be cached in the memory allowed for it. */
static uint32_t scores_limit(const struct nodes *nodes)
{
	const size_t fit = SCORES_BYTES / (nodes->class_capacity * sizeof(int64_t));
	if (fit >= SCORES)
		return SCORES;
	return fit > CACHE_ENTRIES ? (uint32_t)fit : SL_OR_TINY(CACHE_ENTRIES, SCORES);
}

static void scores_leave(struct nodes *nodes, struct scores *scores)
{
	if (scores->request != NONE)
		nodes->shape[scores->request].scores = NONE;
	scores->request = NONE;
}

/* Classes have become so many that fewer requests can be cached. */
static void scores_shrink(struct nodes *nodes, uint32_t limit)
{
	while (nodes->scores_used > limit) {
		struct scores *last = &nodes->scores[--nodes->scores_used];
		scores_leave(nodes, last);
		free(last->score);
		*last = (struct scores){ .request = NONE };
	}
}

/* A request's own, or the least recently queried: where more requests alternate than are cached, none evicts
 * another that will be queried before it is. */
static struct scores *scores_offer(struct nodes *nodes, uint32_t request)
{
	const uint32_t limit = scores_limit(nodes);
	scores_shrink(nodes, limit);
	uint32_t index = nodes->scores_used;
	if (index == limit) {
		index = 0;
		for (uint32_t i = 1; i < limit; i++)
			if (nodes->scores[i].used < nodes->scores[index].used)
				index = i;
		if (nodes->choices - nodes->scores[index].used < UINT64_C(64) * limit)
			return NULL;
		scores_leave(nodes, &nodes->scores[index]);
	} else {
		nodes->scores_used++;
	}
	struct scores *scores = &nodes->scores[index];
	scores->request = request;
	scores->seen = nodes->births;
	scores->capacity = 0; /* Of none of them anything is known. */
	nodes->shape[request].scores = index;
	return scores;
}

bool scores_update(struct nodes *nodes, struct scores *scores)
{
	if (scores->capacity < nodes->class_capacity) {
		if (SL_RESIZE(scores->score, nodes->class_capacity, &nodes->err))
			return false;
		for (size_t i = scores->capacity; i < nodes->class_capacity; i++)
			scores->score[i] = SCORE_UNKNOWN;
		scores->capacity = nodes->class_capacity;
	}
	if (nodes->births - scores->seen > BIRTHS) {
		for (uint32_t i = 0; i < nodes->class_used; i++)
			scores->score[i] = SCORE_UNKNOWN;
		scores->seen = nodes->births;
	}
	for (; scores->seen < nodes->births; scores->seen++)
		scores->score[nodes->born[scores->seen % BIRTHS]] = SCORE_UNKNOWN;
	return true;
}

struct scores *scores_of(struct nodes *nodes, uint32_t request)
{
	const uint32_t index = nodes->shape[request].scores;
	nodes->choices++;
	struct scores *scores = index == NONE ? scores_offer(nodes, request) : &nodes->scores[index];
	if (!scores || !scores_update(nodes, scores))
		return NULL;
	scores->used = nodes->choices;
	return scores;
}

void scores_forget(struct nodes *nodes) { scores_shrink(nodes, 0); }
