/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_node.c - the accounting of a node: Idle, Releasing, Used, and the GPUs that are shared.
 *
 * KAI, pkg/scheduler/api/node_info (node_info.go, gpu_sharing_node_info.go): a task that starts is subtracted
 * from Idle; one that is evicted adds to Releasing; one that is to start later (Pipelined) is subtracted from
 * Releasing, which may so become less than nothing while idle still has it. A shared GPU counts as one whole
 * device less in Idle as long as anything is on it. KAI keeps the count of whole devices by steps, and loses
 * one where a task that was pipelined onto a device on its way out is taken back; here the count follows from
 * what is on the device, so that whatever is done and undone comes to the same.
 */
#include "policies/runai/rules/kai_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory of a share ---- */

enum { UNKNOWN_MEMORY = 100 }; /* MiB: with a device that says nothing, 1 MiB is 1 %. */

int64_t kai_device_mem(const struct kai_node *node)
{
	return node->gpu_mem > 0 ? node->gpu_mem : UNKNOWN_MEMORY;
}

int64_t kai_share_mem(const struct kai_node *node, const struct kai_request *request)
{
	if (request->kind == KAI_MEMORY)
		return request->gpu_mem;
	/* In doubles, as KAI: 0.29 of 100 MiB is 28. */
	const double fraction = (double)request->fraction / (double)KAI_GPU;
	const int64_t mem = (int64_t)(fraction * (double)kai_device_mem(node));
	return mem > 0 ? mem : 1;
}

int64_t kai_hundredths(int64_t mem, int64_t device)
{
	return (int64_t)ceil((double)mem / (double)device * 100.);
}

int64_t kai_share_hundredths(const struct kai_node *node, const struct kai_request *request)
{
	return kai_hundredths(kai_share_mem(node, request), kai_device_mem(node));
}

/* ---- Shared GPUs ---- */

static bool in_use(const struct kai_shared *gpu) { return gpu->members > 0 || gpu->pipelined_members > 0; }

/* What this GPU takes from the node's idle and releasing devices. */
struct part {
	int64_t idle, releasing;
};
static struct part kai_node_part_of(const struct kai_shared *gpu)
{
	const bool held = gpu->members > 0, leaving = held && gpu->allocated == gpu->releasing;
	struct part part = { held ? -1 : 0, leaving ? 1 : 0 };
	if (gpu->pipelined_members > 0 && (!held || leaving))
		part.releasing--;
	return part;
}

static void kai_node_add_here(struct kai *kai, int64_t *cell, int64_t amount)
{
	if (amount != 0)
		kai_write(kai, cell, *cell + amount);
}

static void count_share(struct kai *kai, struct kai_node *node, struct kai_shared *gpu, int64_t mem,
	enum kai_state state, int64_t sign)
{
	const struct part before = kai_node_part_of(gpu);
	if (state == KAI_PIPELINED) {
		kai_node_add_here(kai, &gpu->pipelined, sign * mem);
		kai_node_add_here(kai, &gpu->pipelined_members, sign);
	} else {
		kai_node_add_here(kai, &gpu->allocated, sign * mem);
		kai_node_add_here(kai, &gpu->members, sign);
	}
	if (state == KAI_RELEASING)
		kai_node_add_here(kai, &gpu->releasing, sign * mem);
	const struct part after = kai_node_part_of(gpu);
	kai_node_add_here(kai, &node->idle.gpus, after.idle - before.idle);
	kai_node_add_here(kai, &node->releasing.gpus, after.releasing - before.releasing);
}

uint32_t kai_shared_free(const struct kai_node *node, uint32_t from)
{
	while (from < node->shared_capacity && in_use(&node->shared[from]))
		from++;
	return from < node->shared_capacity ? from : KAI_NO;
}

void kai_shared_take(struct kai *kai, struct kai_node *node, uint32_t row)
{
	if (row >= node->shared_count)
		node->shared_count = row + 1;
	node->shared[row].label = NULL;
	kai_write(kai, &node->shared[row].device, -1);
}

uint32_t kai_shared_row(struct kai *kai, uint32_t node)
{
	const uint32_t made = kai_shared_free(&kai->node[node], 0);
	if (made != KAI_NO)
		kai_shared_take(kai, &kai->node[node], made);
	return made;
}

bool kai_shared_in_use(const struct kai_shared *gpu) { return in_use(gpu); }

/* ---- A task comes and goes ---- */

/* Amounts that are added to a node's accounting. */
static void count_free(struct kai *kai, struct kai_free *free, const struct kai_request *needs, int64_t sign)
{
	kai_node_add_here(kai, &free->pods, sign);
	if (needs->best_effort)
		return;
	kai_node_add_here(kai, &free->cpu, sign * needs->cpu);
	kai_node_add_here(kai, &free->mem, sign * needs->mem);
	if (needs->kind == KAI_WHOLE)
		kai_node_add_here(kai, &free->gpus, sign * needs->gpus);
}

static void count_mig(struct kai *kai, int64_t *free, const struct kai_request *needs, int64_t sign)
{
	for (uint32_t i = 0; free && i < needs->profile_count; i++)
		kai_node_add_here(kai, &free[needs->profile[i].profile], sign * needs->profile[i].count);
}

static bool asks_shares(const struct kai_request *needs)
{
	return needs->kind == KAI_FRACTION || needs->kind == KAI_MEMORY;
}

/* sign 1: it comes, -1: it goes. */
static void kai_node_count(
	struct kai *kai, struct kai_node *node, uint32_t task, enum kai_state state, int64_t sign)
{
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	if (state != KAI_PIPELINED) {
		count_free(kai, &node->idle, needs, -sign);
		count_mig(kai, node->mig_idle, needs, -sign);
	}
	if (state == KAI_PIPELINED || state == KAI_RELEASING) {
		const int64_t way = state == KAI_RELEASING ? sign : -sign;
		count_free(kai, &node->releasing, needs, way);
		count_mig(kai, node->mig_releasing, needs, way);
	}
}

static void count_shares(struct kai *kai, struct kai_node *node, uint32_t task, enum kai_state state,
	int64_t gpu, int64_t sign)
{
	if (gpu < 0 || gpu >= node->shared_capacity)
		return;
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	if (gpu >= node->shared_count)
		node->shared_count = (uint32_t)gpu + 1;
	count_share(kai, node, &node->shared[gpu], kai_share_mem(node, needs), state, sign);
}

void kai_node_changed(struct kai *kai, uint32_t row)
{
	const struct kai_node *node = &kai->node[row];
	kai_write(kai, &kai->gpus_free[row], node->idle.gpus + node->releasing.gpus);
	kai_write(kai, &kai->node_version[row], ++kai->node_clock);
	kai_stock_note(kai, row);
}

void kai_node_add(struct kai *kai, uint32_t row, uint32_t task, enum kai_state state, const uint32_t *shared)
{
	struct kai_node *node = &kai->node[row];
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	kai->freed += state == KAI_RELEASING;
	kai_node_count(kai, node, task, state, 1);
	for (int64_t i = 0; shared && asks_shares(needs) && i < needs->gpus; i++)
		count_shares(kai, node, task, state, shared[i], 1);
	kai_node_changed(kai, row);
}

void kai_node_remove(
	struct kai *kai, uint32_t row, uint32_t task, enum kai_state state, const int64_t *shared)
{
	struct kai_node *node = &kai->node[row];
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	kai->freed++;
	kai_node_count(kai, node, task, state, -1);
	for (int64_t i = 0; shared && asks_shares(needs) && i < needs->gpus; i++)
		count_shares(kai, node, task, state, shared[i], -1);
	kai_node_changed(kai, row);
}

/* ---- Empty ---- */

enum { GPUS_MAX = 1024 }; /* Of a node, that are shared. */

/* Whatever is shared: all GPUs, and as many that are to be, each on one that is on its way out. */
static bool make_shared(struct kai *kai, struct kai_node *node)
{
	const int64_t gpus = node->gpus < GPUS_MAX ? node->gpus : GPUS_MAX;
	const uint32_t headroom = gpus > 0 ? 2 * (uint32_t)gpus : 0;
	if (headroom > 0 && headroom > node->shared_capacity) {
		if (SL_RESIZE(node->shared, headroom, &kai->err))
			return false;
		for (uint32_t i = node->shared_capacity; i < headroom; i++)
			node->shared[i] = (struct kai_shared){ .device = -1 };
		node->shared_capacity = headroom;
	}
	for (uint32_t i = 0; i < node->shared_capacity; i++)
		node->shared[i] = (struct kai_shared){ .device = node->shared[i].device,
			.label = node->shared[i].label };
	return true;
}

static bool make_mig(struct kai *kai, struct kai_node *node)
{
	if (!node->mig_count || kai->mig_count == 0)
		return true;
	const size_t size = (size_t)kai->mig_count * sizeof(int64_t);
	if (SL_RESIZE(node->mig_idle, kai->mig_count, &kai->err) ||
		SL_RESIZE(node->mig_releasing, kai->mig_count, &kai->err))
		return false;
	memcpy(node->mig_idle, node->mig_count, size);
	memset(node->mig_releasing, 0, size);
	return true;
}

void kai_node_clear(struct kai *kai, uint32_t row)
{
	struct kai_node *node = &kai->node[row];
	kai->freed++;
	node->idle = (struct kai_free){ node->cpu, node->mem, node->pods, node->gpus };
	node->releasing = (struct kai_free){ 0 };
	kai_node_changed(kai, row);
	if (!make_shared(kai, node) || !make_mig(kai, node))
		return; /* kai.err */
}

void kai_node_ready(struct kai *kai, uint32_t row, bool ready)
{
	kai->node[row].ready = ready;
	kai_node_changed(kai, row);
	kai->freed++; /* Tasks that did not fit are looked at again. */
	kai->total_known = false;
}

/* ---- Profiles ---- */

static bool widen(struct kai *kai, int64_t **counts, uint32_t headroom)
{
	if (SL_RESIZE(*counts, headroom, &kai->err))
		return false;
	(*counts)[headroom - 1] = 0;
	return true;
}

bool kai_node_new_profile(struct kai *kai)
{
	for (uint32_t i = 0; i < kai->node_count; i++) {
		struct kai_node *node = &kai->node[i];
		if (node->mig_count && !widen(kai, &node->mig_count, kai->mig_count))
			return false;
		if (node->mig_idle && (!widen(kai, &node->mig_idle, kai->mig_count) ||
					      !widen(kai, &node->mig_releasing, kai->mig_count)))
			return false;
	}
	return true;
}

bool kai_node_profile(struct kai *kai, uint32_t row, uint32_t profile, int64_t count_of)
{
	struct kai_node *node = &kai->node[row];
	if (!node->mig_count)
		node->mig_count = calloc(kai->mig_count, sizeof(*node->mig_count));
	if (!node->mig_count)
		return (void)sl_fail_memory(&kai->err), false;
	node->mig_count[profile] = count_of;
	return true;
}
