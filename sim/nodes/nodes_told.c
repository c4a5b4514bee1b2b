/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_told.c - what is held on one node, for whoever looks on: the sums of what the engine gave out,
 * whatever a request says that it comes to.
 */
#include "sim/nodes/nodes_parts.h"

/* All that a node of the type has; memory without bound is none. */
static struct nodes_sum whole_of(const struct nodes *nodes, const struct sl_node_type *type)
{
	const int64_t mem = type->amount[SL_KIND_MEM];
	struct nodes_sum sum = { 1, type->amount[SL_KIND_CPUS], mem < UNBOUNDED ? mem : 0, 0 };
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		sum.gpus += type->amount[kind];
	return sum;
}

struct nodes_sum nodes_used(const struct nodes *nodes, uint32_t node)
{
	const struct node *of = &nodes->node[node];
	const struct sl_node_type *type = &nodes->cluster->type[type_of(nodes, node)];
	const int64_t *free = free_of(nodes, of->class);
	struct nodes_sum sum = whole_of(nodes, type);
	sum.nodes = of->holds != 0;
	if (of->whole > nodes_is_shut(nodes, node))
		return sum;
	sum.cpus -= free[SL_KIND_CPUS];
	sum.mem -= type->amount[SL_KIND_MEM] < UNBOUNDED ? free[SL_KIND_MEM] : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		sum.gpus -= free[kind];
	return sum;
}

struct nodes_sum nodes_held_on(const struct nodes *nodes, uint32_t job, uint32_t node)
{
	struct nodes_sum sum = { 0, 0, 0, 0 };
	if (!nodes->job_hold[job])
		return sum;
	const uint32_t hold = nodes->job_hold[job] - 1;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		const struct edge *edge = &nodes->edge[i];
		if (edge->node != node)
			continue;
		sum.nodes = 1;
		if (edge->flags & EDGE_WHOLE)
			sum = whole_of(nodes, &nodes->cluster->type[type_of(nodes, node)]);
		else {
			sum.cpus += edge->cpus;
			sum.mem += edge->mem;
			sum.gpus += edge->gpus;
		}
	}
	if (nodes->edge[hold].flags & EDGE_SUSPENDED)
		sum.cpus = sum.gpus = 0;
	return sum;
}

uint32_t nodes_tasks(const struct nodes *nodes, uint32_t node, const struct sl_group *group, bool empty)
{
	const struct node *of = &nodes->node[node];
	const uint32_t type = type_of(nodes, node);
	return empty ? tasks_on(nodes, group, group_bound(group), type, empty_of(nodes, type), NODE_IDLE)
		     : tasks_on(nodes, group, group_bound(group), type, free_of(nodes, of->class),
			       status_of(of->holds, of->whole));
}
