/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_gauge.c - the store: gauges: sums over all nodes of a value that each has by its class.
 *
 * Nodes that changed class are counted again when the sum is read, not as they change: trials that were
 * undone in between cost next to nothing.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

static int64_t nodes_gauge_value_of(const struct nodes *nodes, const struct gauged *gauged, uint32_t index)
{
	const struct sl_node_class class = node_class(nodes, nodes->class[index].type, free_of(nodes, index));
	return gauged->gauge->of(gauged->state, &class);
}

static int64_t value_known(const struct nodes *nodes, struct gauged *gauged, uint32_t index)
{
	int64_t *value = &gauged->values.score[index];
	if (*value == SCORE_UNKNOWN)
		*value = nodes_gauge_value_of(nodes, gauged, index);
	return *value;
}

void gauges_note(struct nodes *nodes, uint32_t row)
{
	if (nodes->has_moved[row])
		return;
	nodes->has_moved[row] = true;
	nodes->moved[nodes->moved_count++] = row;
}

/* Sums that are beyond all numbers come out as they may, but the same everywhere. */
static void count_anew(struct nodes *nodes, struct gauged *gauged, uint32_t row)
{
	const int64_t value = value_known(nodes, gauged, nodes->node[row].class);
	gauged->sum = (int64_t)((uint64_t)gauged->sum + (uint64_t)value - (uint64_t)gauged->counted[row]);
	gauged->counted[row] = value;
}

static void gauges_update(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->gauge_count; i++)
		if (!scores_update(nodes, &nodes->gauged[i].values))
			return;
	for (uint32_t i = 0; i < nodes->moved_count; i++) {
		const uint32_t row = nodes->moved[i];
		for (uint32_t k = 0; k < nodes->gauge_count; k++)
			count_anew(nodes, &nodes->gauged[k], row);
		nodes->has_moved[row] = false;
	}
	nodes->moved_count = 0;
}

bool nodes_follow(struct nodes *nodes, const struct sl_gauge *gauge, void *state)
{
	if (failed(nodes))
		return false;
	SL_CHECK(nodes->gauge_count < SL_GAUGES_MAX);
	struct gauged *gauged = &nodes->gauged[nodes->gauge_count];
	*gauged = (struct gauged){ .gauge = gauge, .state = state, .values = { .request = NONE } };
	gauged->counted = calloc(nodes->count, sizeof(*gauged->counted));
	if (!nodes->moved)
		nodes->moved = malloc(nodes->count * sizeof(*nodes->moved));
	if (!nodes->has_moved)
		nodes->has_moved = calloc(nodes->count, sizeof(*nodes->has_moved));
	if (!gauged->counted || !nodes->moved || !nodes->has_moved) {
		free(gauged->counted);
		gauged->counted = NULL;
		return sl_fail_memory(&nodes->err) == SL_OK;
	}
	nodes->gauge_count++;
	for (uint32_t row = 0; row < nodes->count; row++)
		gauges_note(nodes, row);
	return true;
}

uint32_t nodes_followed(const struct nodes *nodes) { return nodes->gauge_count; }

int64_t nodes_gauge(struct nodes *nodes, uint32_t index)
{
	SL_CHECK(index < nodes->gauge_count);
	if (!failed(nodes))
		gauges_update(nodes);
	return nodes->gauged[index].sum;
}

void gauges_free(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->gauge_count; i++) {
		free(nodes->gauged[i].counted);
		free(nodes->gauged[i].values.score);
	}
	free(nodes->moved);
	free(nodes->has_moved);
}

void gauges_check(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->gauge_count; i++) {
		uint64_t sum = 0;
		for (uint32_t row = 0; row < nodes->count; row++)
			sum += (uint64_t)nodes_gauge_value_of(
				nodes, &nodes->gauged[i], nodes->node[row].class);
		SL_CHECK((int64_t)sum == nodes_gauge(nodes, i) || failed(nodes));
	}
}
