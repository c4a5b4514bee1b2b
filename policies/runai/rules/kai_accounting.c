/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_accounting.c - a task goes from one state and place to another, and everything that counts it follows.
 */
#include "policies/runai/rules/kai_solve.h"

#include <stdlib.h>
#include <string.h>

/* ---- What it is charged ---- */

enum { HUNDREDTHS = 100 };

int64_t kai_slices(const char *profile)
{
	const long slices = strtol(profile, NULL, 10);
	return slices > 0 && slices <= INT8_MAX ? slices : 1;
}

/* gpu_mem: of a device, MiB; 0: not known, then a share of memory counts as the whole. rounded: as allocated.
 */
static struct kai_vec charge(
	const struct kai *kai, const struct kai_request *request, int64_t gpu_mem, bool rounded)
{
	struct kai_vec vec = { { request->cpu, request->mem, 0 } };
	int64_t gpus = 0;
	switch (request->kind) {
	case KAI_NO_GPU:
		break;
	case KAI_WHOLE:
		gpus = request->gpus * KAI_GPU;
		break;
	case KAI_FRACTION:
		gpus = request->gpus * request->fraction;
		break;
	case KAI_MEMORY:
		if (gpu_mem <= 0)
			gpus = request->gpus * KAI_GPU;
		else if (rounded)
			gpus = request->gpus * ((request->gpu_mem * HUNDREDTHS + gpu_mem - 1) / gpu_mem) *
			       (KAI_GPU / HUNDREDTHS);
		else
			gpus = (int64_t)((__int128)request->gpus * request->gpu_mem * KAI_GPU / gpu_mem);
		break;
	case KAI_MIG_PROFILES:
		for (uint32_t i = 0; i < request->profile_count; i++)
			gpus += kai_slices(kai->mig[request->profile[i].profile]) *
				request->profile[i].count * KAI_GPU;
		break;
	}
	vec.at[KAI_GPUS] = gpus;
	return vec;
}

struct kai_vec kai_charge_on(const struct kai *kai, uint32_t task, uint32_t node)
{
	return charge(kai, &kai->request[kai->task[task].request], kai->node[node].gpu_mem, true);
}

struct kai_vec kai_charge(const struct kai *kai, uint32_t task)
{
	const struct kai_task *row = &kai->task[task];
	if (row->node >= 0)
		return kai_charge_on(kai, task, (uint32_t)row->node);
	return charge(kai, &kai->request[row->request], kai->gpu_mem_least, false);
}

struct kai_vec kai_charge_least(const struct kai *kai, uint32_t task)
{
	return charge(kai, &kai->request[kai->task[task].request], kai->gpu_mem_most, false);
}

struct kai_vec kai_charge_request(const struct kai *kai, uint32_t request)
{
	return charge(kai, &kai->request[request], kai->gpu_mem_least, false);
}

/* ---- Counts ---- */

/* Amounts without a bound, of many pods, add up to the most there is. */
static int64_t sum(int64_t a, int64_t b, int sign)
{
	int64_t both;
	if (sign > 0 ? !__builtin_add_overflow(a, b, &both) : !__builtin_sub_overflow(a, b, &both))
		return both;
	return (b > 0) == (sign > 0) ? INT64_MAX : INT64_MIN;
}

static void kai_accounting_add(struct kai *kai, struct kai_vec *vec, const struct kai_vec *amount, int sign)
{
	for (int i = 0; i < KAI_RES; i++)
		kai_write(kai, &vec->at[i], sum(vec->at[i], amount->at[i], sign));
}

void kai_count_request(struct kai *kai, uint32_t task, int sign)
{
	const struct kai_vec needs =
		charge(kai, &kai->request[kai->task[task].request], kai->gpu_mem_least, false);
	for (uint32_t at = kai->job[kai->task[task].job].queue; at != KAI_NO; at = kai->queue[at].parent)
		kai_accounting_add(kai, &kai->queue[at].request, &needs, sign);
}

/* A share of memory is requested as it is charged, once it is: not of the least device, and rounded up. */
static void count_rounding(struct kai *kai, uint32_t task, const struct kai_vec *held, int sign)
{
	const struct kai_task *row = &kai->task[task];
	const struct kai_vec asked = charge(kai, &kai->request[row->request], kai->gpu_mem_least, false);
	const struct kai_vec more = { { 0, 0, held->at[KAI_GPUS] - asked.at[KAI_GPUS] } };
	for (uint32_t at = kai->job[row->job].queue; at != KAI_NO; at = kai->queue[at].parent)
		kai_accounting_add(kai, &kai->queue[at].request, &more, sign);
}

static void count_allocated(struct kai *kai, uint32_t task, int sign)
{
	struct kai_task *row = &kai->task[task];
	const struct kai_job *job = &kai->job[row->job];
	const struct kai_vec held = kai_charge(kai, task);
	for (uint32_t at = job->queue; at != KAI_NO; at = kai->queue[at].parent) {
		kai_accounting_add(kai, &kai->queue[at].allocated, &held, sign);
		if (!job->preemptible)
			kai_accounting_add(kai, &kai->queue[at].allocated_np, &held, sign);
	}
	if (kai->request[row->request].kind == KAI_MEMORY && row->state != KAI_PIPELINED)
		count_rounding(kai, task, &held, sign);
	kai_write(kai, &row->counted, sign > 0);
}

/* It counts as requested by its queue. */
static bool requested(int64_t state)
{
	return state == KAI_PENDING || state == KAI_ALLOCATED || state == KAI_BINDING || state == KAI_BOUND ||
	       state == KAI_RUNNING;
}

/* The state alone, and what counts states. */
static void turn(struct kai *kai, uint32_t task, enum kai_state state)
{
	struct kai_task *row = &kai->task[task];
	struct kai_group *group = kai->job[row->job].group;
	if (requested(row->state) != requested(state))
		kai_count_request(kai, task, requested(state) ? 1 : -1);
	if (kai_active_used((uint32_t)row->state) != kai_active_used(state))
		kai_note_stale(kai, task);
	kai_list_note(kai, row->job, state);
	kai_write(kai, &group[0].count[row->state], group[0].count[row->state] - 1);
	kai_write(kai, &group[row->group].count[row->state], group[row->group].count[row->state] - 1);
	kai_write(kai, &group[0].count[state], group[0].count[state] + 1);
	kai_write(kai, &group[row->group].count[state], group[row->group].count[state] + 1);
	kai_write(kai, &row->state, state);
}

static uint32_t devices_of(const struct kai *kai, const struct kai_task *row)
{
	return row->shared ? (uint32_t)kai->request[row->request].gpus : 0;
}

/* Devices of its own, where none are said for a task that requests shares. */
static const uint32_t *own_devices(struct kai *kai, uint32_t count, struct kai_node *node, uint32_t *headroom)
{
	uint32_t next = 0;
	memset(headroom, 0, KAI_DEVICES_MAX * sizeof(*headroom));
	for (uint32_t i = 0; i < count && i < KAI_DEVICES_MAX; i++) {
		headroom[i] = kai_shared_free(node, next);
		if (headroom[i] == KAI_NO)
			return NULL;
		next = headroom[i] + 1;
		kai_shared_take(kai, node, headroom[i]);
	}
	return headroom;
}

/* It comes to a node in the state that it has now. */
static void kai_accounting_enter(struct kai *kai, uint32_t task, uint32_t node, const uint32_t *shared)
{
	struct kai_task *row = &kai->task[task];
	uint32_t own[KAI_DEVICES_MAX];
	if (row->shared && !shared)
		shared = own_devices(kai, devices_of(kai, row), &kai->node[node], own);
	for (uint32_t i = 0; shared && i < devices_of(kai, row); i++)
		kai_write(kai, &row->shared[i], shared[i]);
	kai_write(kai, &row->node, node);
	kai_node_add(kai, node, task, (enum kai_state)row->state, shared);
}

static void kai_accounting_leave(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	kai_node_remove(kai, (uint32_t)row->node, task, (enum kai_state)row->state, row->shared);
}

/* ---- From state to state ---- */

void kai_allocate_task(struct kai *kai, uint32_t task, uint32_t node, const uint32_t *shared)
{
	turn(kai, task, KAI_ALLOCATED);
	kai_accounting_enter(kai, task, node, shared);
	count_allocated(kai, task, 1);
}

void kai_bind_task(struct kai *kai, uint32_t task) { turn(kai, task, KAI_BINDING); }

/* It is no longer counted at one of its other places. */
static void forget(struct kai *kai, uint32_t task, int64_t *place, const int64_t *shared)
{
	if (*place >= 0)
		kai_node_remove(kai, (uint32_t)*place, task, KAI_RELEASING, shared);
	kai_write(kai, place, -1);
}

void kai_forget_kept(struct kai *kai, uint32_t task)
{
	forget(kai, task, &kai->task[task].kept, kai->task[task].kept_shared);
}

static void copy_devices(struct kai *kai, const struct kai_task *row, int64_t *to, const int64_t *of)
{
	for (uint32_t i = 0; i < devices_of(kai, row); i++)
		kai_write(kai, &to[i], of[i]);
}

/* It comes to the node where it was, in the state that it has now. */
static void stay(struct kai *kai, uint32_t task)
{
	const struct kai_task *row = &kai->task[task];
	uint32_t shared[KAI_DEVICES_MAX];
	for (uint32_t i = 0; i < devices_of(kai, row); i++)
		shared[i] = (uint32_t)row->shared[i];
	kai_node_add(kai, (uint32_t)row->node, task, (enum kai_state)row->state, row->shared ? shared : NULL);
}

void kai_pipeline_task(struct kai *kai, uint32_t task, uint32_t node, const uint32_t *shared)
{
	struct kai_task *row = &kai->task[task];
	if (row->state == KAI_RELEASING && row->retry) {
		forget(kai, task, &row->kept, row->kept_shared);
		kai_write(kai, &row->kept, row->node);
		copy_devices(kai, row, row->kept_shared, row->shared);
	} else if (row->state == KAI_RELEASING) {
		kai_write(kai, &row->from, row->node);
		copy_devices(kai, row, row->from_shared, row->shared);
	}
	turn(kai, task, KAI_PIPELINED);
	kai_accounting_enter(kai, task, node, shared);
	count_allocated(kai, task, 1);
}

void kai_evict_task(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	if (row->counted)
		count_allocated(kai, task, -1);
	kai_accounting_leave(kai, task);
	if (row->state == KAI_PIPELINED)
		kai_write(kai, &row->retry, 1);
	else
		kai_write(kai, &row->before, row->state);
	kai_write(kai, &row->evicted, 1);
	turn(kai, task, KAI_RELEASING);
	stay(kai, task);
}

/* What was pipelined elsewhere is releasing where it was. */
static void back(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	const bool kept = row->kept >= 0;
	if (row->counted)
		count_allocated(kai, task, -1);
	kai_accounting_leave(kai, task);
	kai_write(kai, &row->node, kept ? row->kept : row->from);
	copy_devices(kai, row, row->shared, kept ? row->kept_shared : row->from_shared);
	kai_write(kai, kept ? &row->kept : &row->from, -1);
	turn(kai, task, KAI_RELEASING);
}

void kai_unevict_task(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	if (row->state == KAI_PIPELINED)
		back(kai, task);
	kai_accounting_leave(kai, task);
	turn(kai, task, row->retry ? KAI_PIPELINED : (enum kai_state)row->before);
	stay(kai, task);
	kai_write(kai, &row->evicted, row->retry && row->from >= 0 ? 2 : 0);
	kai_write(kai, &row->retry, 0);
	count_allocated(kai, task, 1);
}

void kai_set_task(struct kai *kai, uint32_t task, enum kai_state state, uint32_t node, const uint32_t *shared)
{
	struct kai_task *row = &kai->task[task];
	if (row->counted)
		count_allocated(kai, task, -1);
	if (row->node >= 0)
		kai_accounting_leave(kai, task);
	forget(kai, task, &row->from, row->from_shared);
	forget(kai, task, &row->kept, row->kept_shared);
	kai_write(kai, &row->node, -1);
	kai_write(kai, &row->evicted, 0);
	kai_write(kai, &row->retry, 0);
	turn(kai, task, state);
	if (node == KAI_NO || !kai_active_used(state))
		return;
	kai_accounting_enter(kai, task, node, shared);
	if (state != KAI_PIPELINED && kai_active_allocated(state))
		count_allocated(kai, task, 1);
}

/* At one of its other places. */
static void recount_at(struct kai *kai, uint32_t task, int64_t node, const int64_t *rows)
{
	const struct kai_task *row = &kai->task[task];
	uint32_t shared[KAI_DEVICES_MAX];
	for (uint32_t i = 0; node >= 0 && i < devices_of(kai, row); i++)
		shared[i] = (uint32_t)rows[i];
	if (node >= 0)
		kai_node_add(kai, (uint32_t)node, task, KAI_RELEASING, row->shared ? shared : NULL);
}

void kai_recount_task(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	if (requested(row->state))
		kai_count_request(kai, task, 1);
	recount_at(kai, task, row->from, row->from_shared);
	recount_at(kai, task, row->kept, row->kept_shared);
	if (row->node >= 0)
		stay(kai, task);
	if (row->counted)
		count_allocated(kai, task, 1);
}
