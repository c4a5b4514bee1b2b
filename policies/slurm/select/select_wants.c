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

/* Devices of a node are numbered in the order of its gres of that name. */
static int64_t devices_of_type(
	const struct sl_hardware *hardware, const char *name, const char *type, uint64_t devices)
{
	int64_t count = 0;
	uint32_t device = 0;
	for (uint32_t i = 0; i < hardware->gres_count; i++) {
		const struct sl_gres *gres = &hardware->gres[i];
		if (strcasecmp(gres->name, name) != 0)
			continue;
		for (int64_t k = 0; k < gres->count && device < 64; k++, device++)
			if (gres->type && strcasecmp(gres->type, type) == 0)
				count += (int64_t)(devices >> device & 1);
	}
	return count;
}

int64_t select_holds_gres(
	const struct select *select, const struct select_alloc *alloc, uint32_t gres, const char *type)
{
	const struct sl_cluster *cluster = select->cluster;
	int64_t count = 0;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const struct select_node_alloc *node_alloc = &alloc->node_alloc[i];
		const struct sl_hardware *hardware =
			cluster->type[cluster->node_type[node_alloc->node]].hardware;
		if (!node_alloc->gres)
			continue;
		if (!type)
			count += node_alloc->gres[gres].count;
		else if (hardware)
			count += devices_of_type(
				hardware, select->gres_name[gres], type, node_alloc->gres[gres].devices);
	}
	return count;
}
