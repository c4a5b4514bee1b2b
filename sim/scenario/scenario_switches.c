/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_switches.c - the switches of a cluster become a forest, from the leaves, which name nodes,
 * upwards.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_machine.h"

static uint32_t switch_find(const struct machine *machine, const char *name, size_t len)
{
	for (size_t i = 0; i < machine->sw_count; i++)
		if (strncmp(machine->sw[i].name, name, len) == 0 && !machine->sw[i].name[len])
			return (uint32_t)i;
	return UINT32_MAX;
}

/* Which switch hangs on which, in the order of the file. */
struct hanging {
	struct machine *machine;
	struct edge {
		uint32_t parent, child;
	} * edge;
	size_t count, capacity;
	uint32_t parent; /* Whose list is read. */
	struct sl_err *err;
};

/* One may hang on several: the last that names it is its parent, as slurmctld has it (_find_child_switches).
 */
static int on_switch(void *self, const char *name, size_t len)
{
	struct hanging *hanging = self;
	struct machine *machine = hanging->machine;
	const struct sl_place *at = &machine->sw_at[hanging->parent];
	const uint32_t child = switch_find(machine, name, len);
	if (child == UINT32_MAX)
		return sl_fail_at(hanging->err, at, "switch '%s': no switch is called '%.*s'",
			machine->sw[hanging->parent].name, (int)len, name);
	if (SL_GROW(hanging->edge, hanging->capacity, hanging->count + 1, hanging->err))
		return SL_SYSTEM;
	hanging->edge[hanging->count++] = (struct edge){ hanging->parent, child };
	machine->sw[child].parent = hanging->parent;
	return SL_OK;
}

static int hang_all(struct hanging *hanging)
{
	struct machine *machine = hanging->machine;
	for (size_t i = 0; i < machine->sw_count; i++)
		machine->sw[i].parent = UINT32_MAX;
	int status = SL_OK;
	for (uint32_t i = 0; i < machine->sw_count && !status; i++) {
		const char *list = machine->sw[i].switches;
		hanging->parent = i;
		if (list && *list)
			status = sl_hosts_each(
				list, strlen(list), &machine->sw_at[i], hanging->err, on_switch, hanging);
	}
	return status;
}

/* A switch is above all its children. */
static int set_levels(const struct hanging *hanging)
{
	struct machine *machine = hanging->machine;
	for (bool raised = true; raised;) {
		raised = false;
		for (size_t i = 0; i < hanging->count; i++) {
			struct sl_switch *parent = &machine->sw[hanging->edge[i].parent];
			const struct sl_switch *child = &machine->sw[hanging->edge[i].child];
			if (parent->level > child->level)
				continue;
			parent->level = child->level + 1;
			raised = true;
			if (parent->level >= machine->sw_count)
				return sl_fail_at(hanging->err, &machine->sw_at[hanging->edge[i].parent],
					"switch '%s' hangs on itself, by way of others", parent->name);
		}
	}
	return SL_OK;
}

static int own_nodes(struct machine *machine, uint32_t index, struct node_list *list, struct sl_err *err)
{
	const struct sl_switch *sw = &machine->sw[index];
	struct unknown unknown;
	if (!sw->nodes || !*sw->nodes)
		return SL_OK;
	const int status = node_list_add(list, sw->nodes, &unknown, err);
	if (status <= 0)
		return status;
	return sl_fail_at(err, &machine->sw_at[index], "switch '%s': no node is called '%.*s'", sw->name,
		(int)(unknown.len < NODE_NAME_MAX ? unknown.len : NODE_NAME_MAX), unknown.text);
}

/* The leaf's nodes are below each switch on the way up. */
static int nodes_below(const struct hanging *hanging, uint32_t *below, size_t words)
{
	struct machine *machine = hanging->machine;
	int status = SL_OK;
	for (uint32_t i = 0; i < machine->sw_count && !status; i++) {
		struct node_list list = { .machine = machine };
		status = own_nodes(machine, i, &list, hanging->err);
		for (size_t k = 0; k < list.count && !status; k++)
			below[i * words + list.node[k] / 32] |= UINT32_C(1) << list.node[k] % 32;
		node_list_release(&list);
	}
	uint32_t top = 0;
	for (size_t i = 0; i < machine->sw_count; i++)
		top = machine->sw[i].level > top ? machine->sw[i].level : top;
	/* Those of one level are whole before the next. */
	for (uint32_t level = 1; level <= top && !status; level++)
		for (size_t i = 0; i < hanging->count; i++) {
			const struct edge *edge = &hanging->edge[i];
			for (size_t w = 0; machine->sw[edge->parent].level == level && w < words; w++)
				below[edge->parent * words + w] |= below[edge->child * words + w];
		}
	return status;
}

static int lend_nodes(struct machine *machine, uint32_t index, const uint32_t *below, struct sl_err *err)
{
	struct sl_switch *sw = &machine->sw[index];
	sw->node_count = 0;
	for (uint32_t node = 0; node < machine->nodes; node++)
		sw->node_count += below[node / 32] >> node % 32 & 1;
	uint32_t *kept = sl_alloc(machine->scenario->arena, (size_t)sw->node_count + 1, sizeof(*kept));
	if (!kept)
		return sl_fail_memory(err);
	size_t count = 0;
	for (uint32_t node = 0; node < machine->nodes; node++)
		if (below[node / 32] >> node % 32 & 1)
			kept[count++] = node;
	sw->node = kept;
	return SL_OK;
}

static int gather_nodes(const struct hanging *hanging, struct sl_err *err)
{
	struct machine *machine = hanging->machine;
	const size_t words = machine->nodes / 32 + 1;
	uint32_t *below = calloc(machine->sw_count * words, sizeof(*below)); /* By switch, a bit a node. */
	if (!below)
		return sl_fail_memory(err);
	int status = nodes_below(hanging, below, words);
	for (uint32_t i = 0; i < machine->sw_count && !status; i++)
		status = lend_nodes(machine, i, &below[i * words], err);
	free(below);
	return status;
}

int switches_finish(struct machine *machine, struct sl_err *err)
{
	enum { SWITCHES_MAX = 10000, WORDS_MAX = 1 << 28 };
	struct sl_cluster *cluster = &machine->scenario->cluster;
	if (!machine->sw_count || !cluster->node_count)
		return SL_OK;
	if (machine->sw_count > SWITCHES_MAX || machine->sw_count * (machine->nodes / 32 + 1) > WORDS_MAX)
		return sl_fail_at(err, machine->sw_at, "more than %d switches, or too many for so many nodes",
			SWITCHES_MAX);
	struct hanging hanging = { .machine = machine, .err = err };
	int status = hang_all(&hanging);
	if (!status)
		status = set_levels(&hanging);
	if (!status)
		status = gather_nodes(&hanging, err);
	free(hanging.edge);
	struct sl_switch *sw = sl_alloc(machine->scenario->arena, machine->sw_count, sizeof(*sw));
	if (!status && !sw)
		status = sl_fail_memory(err);
	if (status)
		return status;
	memcpy(sw, machine->sw, machine->sw_count * sizeof(*sw));
	cluster->sw = sw;
	cluster->switch_count = (uint32_t)machine->sw_count;
	return SL_OK;
}
