/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_keep.c - what a job's pods hold on nodes, in the engine's amounts; an elastic job's, as it starts,
 * grows and shrinks.
 */
#include "policies/runai/runai.h"

#define MIB (INT64_C(1) << 20)

static struct sl_node_alloc *node_alloc_on(struct controller *c, struct order *order, uint32_t node)
{
	for (size_t i = order->node_alloc + order->node_alloc_count; i-- > order->node_alloc;)
		if (c->node_alloc[i].node == node)
			return &c->node_alloc[i];
	return controller_keep(c, order, node);
}

/* GPUs in the engine's parts, rounded up. */
static int64_t runai_keep_gpus_of(const struct runai *r, const struct kai *kai,
	const struct kai_request *needs, const struct kai_node *node)
{
	const int64_t parts = sl_parts(r->cluster->gpu_parts);
	int64_t slices = 0;
	switch (needs->kind) {
	case KAI_NO_GPU:
		break;
	case KAI_MIG_PROFILES:
		for (uint32_t i = 0; i < needs->profile_count; i++)
			slices += needs->profile[i].count *
				  runai_mig_parts(r, node->row_outside, kai->mig[needs->profile[i].profile]);
		return slices;
	case KAI_WHOLE:
		return needs->gpus * parts;
	case KAI_FRACTION:
		return needs->gpus * (needs->fraction / (KAI_GPU / parts));
	case KAI_MEMORY:
		return node->gpu_mem > 0 ? needs->gpus * (needs->gpu_mem * parts / node->gpu_mem)
					 : needs->gpus * parts;
	}
	return 0;
}

static void runai_keep_hold(struct runai *r, struct order *order, const struct kai *kai, uint32_t task)
{
	const struct kai_task *row = &kai->task[task];
	const struct kai_request *needs = &kai->request[row->request];
	const struct kai_node *node = &kai->node[row->node];
	struct sl_node_alloc *node_alloc = node_alloc_on(&r->engine, order, node->row_outside);
	const int64_t parts = sl_parts(r->cluster->cpu_parts);
	if (!node_alloc)
		return;
	node_alloc->tasks++;
	node_alloc->cpus += (needs->cpu * parts + 999) / 1000;
	node_alloc->mem += (needs->mem + MIB - 1) / MIB;
	if (r->node_kind[node->row_outside])
		controller_gpus(&r->engine, node_alloc)[r->node_kind[node->row_outside] - SL_KIND_GPUS] +=
			(uint32_t)runai_keep_gpus_of(r, kai, needs, node);
}

/* What its pods hold, those on their way out too. */
void runai_keep(struct runai *r, struct order *order)
{
	const struct runai_run *run = &r->run[order->row];
	const struct kai *kai = r->instance[run->instance].kai;
	const struct kai_job *job = &kai->job[run->job];
	for (uint32_t task = job->task; task < job->task + job->task_count; task++) {
		const int64_t state = kai->task[task].state;
		if (state != KAI_RUNNING && state != KAI_RELEASING)
			continue;
		runai_keep_hold(r, order, kai, task);
		order->tasks += state == KAI_RUNNING;
	}
}

void runai_resize(struct runai *r, uint32_t row)
{
	struct order *order = controller_order(&r->engine, ORDER_RESIZE, row);
	if (order)
		runai_keep(r, order);
}

void runai_sizes(
	const struct runai *r, uint32_t row, const struct sl_pods *pods, uint32_t *least, uint32_t *most)
{
	const struct runai_job *said = &r->run[row].said;
	const struct sl_request *request =
		r->jobs->request ? &r->jobs->requests[r->jobs->request[row]] : NULL;
	int64_t count = 0;
	for (uint32_t i = 0; i < pods->count; i++)
		count += pods->podset[i].count;
	*least = *most = count > KAI_ROWS_MAX / 4 ? KAI_ROWS_MAX / 4 : (uint32_t)count;
	if (!request || request->group_count != 1 || pods->count != 1 || said->group_count)
		return;
	if (!pods->doc) {
		*least = request->group->tasks_min;
		*most = request->group->tasks_max;
	} else if (said->gang && said->min < *most && request->group->tasks_max == *most) {
		*least = said->min;
	}
}
