/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_window.c - commands: windows (reservations, outages) open and close as the clock advances, are added
 * and undone. The windows of a node are a set, known by its number; nodes with different sets never share a
 * class, so that whether a window blocks a request is decided by class.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

static void windows_settle(struct nodes *nodes)
{
	nodes->interval_next = SL_NEVER;
	nodes->windows_live = false;
	for (uint32_t i = 0; i < nodes->window_count; i++) {
		const struct window *window = &nodes->window[i];
		nodes->windows_live |= window->until > nodes->now;
		const sl_time interval = window->from > nodes->now ? window->from : window->until;
		if (interval > nodes->now && interval < nodes->interval_next)
			nodes->interval_next = interval;
	}
	for (uint32_t i = 1; i < nodes->set_count; i++) { /* Parents come first. */
		struct window_set *set = &nodes->set[i];
		const struct window *window = &nodes->window[set->window];
		set->horizon = nodes->set[set->parent].horizon;
		if (window->from <= nodes->now && nodes->now < window->until)
			set->horizon = ALWAYS;
		else if (window->from > nodes->now && window->from < set->horizon)
			set->horizon = window->from;
	}
	nodes->version++;
}

void nodes_clock(struct nodes *nodes, sl_time now)
{
	if (now == nodes->now || failed(nodes))
		return;
	nodes->now = now;
	if (now >= nodes->interval_next)
		windows_settle(nodes);
	else if (nodes->windows_live)
		nodes->version++; /* Nearer than before. */
}

sl_time nodes_window_next(const struct nodes *nodes) { return nodes->interval_next; }

bool nodes_windows_live(const struct nodes *nodes) { return nodes->windows_live; }

/* The set with one window more: made once for each set among the window's nodes. */
static uint32_t set_with(struct nodes *nodes, uint32_t parent)
{
	const struct window *last = &nodes->window[nodes->window_count - 1];
	for (uint32_t i = last->sets; i < nodes->set_count; i++)
		if (nodes->set[i].parent == parent)
			return i;
	if (SL_GROW_MOST(
		    nodes->set, nodes->set_capacity, (size_t)nodes->set_count + 1, NONE - 1, &nodes->err) ||
		SL_GROW(nodes->set_units, nodes->set_units_capacity,
			((size_t)nodes->set_count + 1) * CACHE_ENTRIES, &nodes->err))
		return NONE;
	nodes->set[nodes->set_count] = (struct window_set){ parent, nodes->window_count - 1, SL_NEVER };
	memset(&nodes->set_units[(size_t)nodes->set_count * CACHE_ENTRIES], 0,
		CACHE_ENTRIES * sizeof(int64_t));
	return nodes->set_count++;
}

static void node_windows(struct nodes *nodes, uint32_t row, uint32_t set)
{
	nodes->node[row].windows = set;
	node_renewed(nodes, row);
}

static bool window_put(struct nodes *nodes, const uint32_t *node, uint32_t count, sl_time from, sl_time until)
{
	uint32_t *copy = malloc((count ? count : 1) * sizeof(*copy));
	if (!copy || SL_GROW_MOST(nodes->window, nodes->window_capacity, (size_t)nodes->window_count + 1,
			     NONE - 1, &nodes->err)) {
		free(copy);
		(void)sl_fail_memory(&nodes->err);
		return false;
	}
	memcpy(copy, node, count * sizeof(*copy));
	nodes->window[nodes->window_count++] =
		(struct window){ from, until, copy, count, nodes->set_count, 0, SL_WINDOW_RESERVED };
	for (uint32_t i = 0; i < count && !failed(nodes); i++) {
		const uint32_t set = set_with(nodes, nodes->node[node[i]].windows);
		if (set != NONE)
			node_windows(nodes, node[i], set);
	}
	windows_settle(nodes);
	return !failed(nodes);
}

/* Allocations there are released before the window opens. */
static bool window_clear(const struct nodes *nodes, uint32_t row, sl_time from)
{
	for (uint32_t i = nodes->node[row].last; i != NONE; i = nodes->interval[i].before)
		if (!(nodes->interval[i].flags & (INTERVAL_PROMISE | INTERVAL_UNAVAILABLE)) &&
			nodes->interval[i].at > from)
			return false;
	return true;
}

bool nodes_window_add(struct nodes *nodes, const uint32_t *node, uint32_t count, sl_time from, sl_time until)
{
	if (failed(nodes) || until <= nodes->now || until <= from)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (node[i] >= nodes->count || (i && node[i] <= node[i - 1]) ||
			!window_clear(nodes, node[i], from))
			return false;
	return window_put(nodes, node, count, from, until);
}

void nodes_window_undo(struct nodes *nodes)
{
	if (failed(nodes))
		return;
	SL_CHECK(nodes->window_count > nodes->window_own);
	const struct window last = nodes->window[nodes->window_count - 1];
	for (uint32_t i = 0; i < last.count; i++)
		node_windows(nodes, last.node[i], nodes->set[nodes->node[last.node[i]].windows].parent);
	free(last.node);
	nodes->window_count--;
	nodes->set_count = last.sets;
	windows_settle(nodes);
}

int windows_init(struct nodes *nodes)
{
	if (SL_GROW_MOST(nodes->set, nodes->set_capacity, 1, NONE - 1, &nodes->err) ||
		SL_GROW(nodes->set_units, nodes->set_units_capacity, CACHE_ENTRIES, &nodes->err))
		return SL_SYSTEM;
	nodes->set[0] = (struct window_set){ 0, 0, SL_NEVER };
	memset(nodes->set_units, 0, CACHE_ENTRIES * sizeof(int64_t));
	nodes->set_count = 1;
	nodes->interval_next = SL_NEVER;
	return SL_OK;
}

/* Without beginning or end: requests that may not go there are bound to other nodes. */
static bool is_for_ever(const struct nodes *nodes, const struct sl_window *window)
{
	return window->from <= nodes->now && window->until == SL_NEVER;
}

/* Windows of one name are one reservation's, which is known by its first. */
static void windows_name(struct nodes *nodes)
{
	bool wanted = false;
	for (uint32_t i = 0; i < nodes->request_count; i++)
		wanted |= nodes->shape[i].exempt != 0;
	uint32_t own = 0;
	for (uint32_t i = 0; wanted && i < nodes->cluster->window_count; i++) {
		const struct sl_window *window = &nodes->cluster->window[i];
		uint32_t first = 0;
		if (is_for_ever(nodes, window))
			continue;
		while (strcmp(nodes->cluster->window[first].name, window->name) != 0)
			first++;
		nodes->window[own++].family = first + 1;
	}
}

/* After the nodes have their classes. */
int windows_of_cluster(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->cluster->window_count && !failed(nodes); i++) {
		const struct sl_window *window = &nodes->cluster->window[i];
		if (is_for_ever(nodes, window))
			continue;
		if (window_put(nodes, window->node, window->node_count, window->from, window->until))
			nodes->window[nodes->window_count - 1].kind = window->kind;
		nodes->window_own = nodes->window_count;
	}
	if (!failed(nodes))
		windows_name(nodes);
	return nodes->err.status;
}

void nodes_windows_release(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->window_count; i++)
		free(nodes->window[i].node);
	free(nodes->window);
	free(nodes->set);
	free(nodes->set_units);
}
