/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_wants.c - a job's total request and total allocation in TRES: for limits, priorities and billing.
 *
 * slurmctld counts a request before nodes are known (job_set_req_tres): the least nodes, the least cpus,
 * memory of a cpu times these or of a node times those, gres of a node times the nodes, of a task times the
 * tasks.
 */
#include "policies/slurm/select/select_parts.h"

#include <strings.h>

static int64_t gres_in_all(const struct sel_request *q, const struct sel_gres_request *r)
{
	if (r->per_job)
		return r->per_job;
	if (r->per_node)
		return r->per_node * q->nodes_min;
	if (r->per_socket)
		return r->per_socket * (q->sockets_per_node ? q->sockets_per_node : 1) * q->nodes_min;
	return r->per_task * (q->tasks ? q->tasks : 1);
}

/* Memory by the GPU replaces any other. */
static int64_t mem_of_gpus(const struct sel_request *q)
{
	int64_t mem = 0;
	for (uint32_t g = 0; g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		const int64_t each = r->mem_per ? r->mem_per : q->mem_said ? 0 : r->mem_default;
		mem += each * gres_in_all(q, r);
	}
	return mem;
}

void select_wants(struct select *select, const struct select_job *job, struct select_wants *out)
{
	const struct sel_request *q = sel_request_of(select, job);
	*out = (struct select_wants){ .nodes_min = 1, .cpus = 1, .never = "no memory" };
	if (!q)
		return;
	const int64_t cpus = q->cpus_min > q->gres_job_cpus ? q->cpus_min : q->gres_job_cpus;
	const int64_t by_gpu = mem_of_gpus(q);
	*out = (struct select_wants){ .nodes_min = q->nodes_min > 0 ? q->nodes_min : 1,
		.nodes_max = q->nodes_max,
		.tasks = q->tasks,
		.cpus = cpus > 0 ? cpus : 1,
		.mem_over = q->mem_over,
		.never = q->never };
	out->mem = by_gpu ? by_gpu : q->mem * (q->mem_per_cpu ? out->cpus : out->nodes_min);
}

int64_t select_wants_gres(
	struct select *select, const struct select_job *job, uint32_t gres, const char *type)
{
	const struct sel_request *q = sel_request_of(select, job);
	int64_t count = 0;
	for (uint32_t g = 0; q && g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		if (r->name != gres)
			continue;
		if (type && (r->type == UINT32_MAX || strcasecmp(select->type_name[r->type], type) != 0))
			continue;
		count += gres_in_all(q, r);
	}
	return count;
}

/* The allocation has so many nodes, no more and no fewer; -1: it may have more. */
static int64_t sure_nodes(const struct sel_request *q)
{
	bool counted = q->required != NULL;
	for (uint32_t i = 0; i < q->feature_count; i++)
		counted |= q->feature[i].count != 0;
	const int64_t by_tasks = q->tasks_per_node ? div_up(q->tasks, q->tasks_per_node) : 0;
	return counted || q->nodes_min < 1 || q->nodes_max != q->nodes_min || by_tasks > q->nodes_min
		       ? -1
		       : q->nodes_min;
}

/* Devices that are local to some cores, and shares of devices, are chosen by where the cores are. */
int64_t select_sure_gres(struct select *select, const struct select_job *job, uint32_t gres)
{
	const struct sel_request *q = sel_request_of(select, job);
	const struct sel_gres_request *of = NULL;
	if (!q || q->never || select->linear || select->gres_adjacent || q->whole == SL_EXCLUSIVE_NODE)
		return -1;
	for (uint32_t i = 0; i < select->shape_count; i++)
		if (select->shape[i].shared[gres])
			return -1;
	for (uint32_t g = 0; g < q->gres_count; g++) {
		if (q->gres[g].name != gres)
			continue;
		if (of)
			return -1;
		of = &q->gres[g];
	}
	if (!of)
		return 0;
	const int64_t nodes = sure_nodes(q);
	return nodes < 0 || of->per_job || of->per_socket || of->per_task ? -1 : nodes * of->per_node;
}

/* UINT32_MAX: no node has such. */
static uint32_t type_of(const struct select *s, const char *type)
{
	for (uint32_t i = 0; i < s->type_count; i++)
		if (strcasecmp(s->type_name[i], type) == 0)
			return i;
	return UINT32_MAX;
}

int64_t select_holds_gres(
	const struct select *select, const struct select_alloc *alloc, uint32_t gres, const char *type)
{
	const uint32_t of_type = type ? type_of(select, type) : UINT32_MAX;
	int64_t count = 0;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const struct select_node_alloc *node_alloc = &alloc->node_alloc[i];
		const uint64_t *typed = shape_of(select, node_alloc->node)->typed;
		if (!node_alloc->gres)
			continue;
		if (!type)
			count += node_alloc->gres[gres].count;
		else if (typed && of_type != UINT32_MAX)
			count += bits_of(node_alloc->gres[gres].devices & typed[gres * SEL_TYPES + of_type]);
	}
	return count;
}
