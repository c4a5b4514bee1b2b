/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * by_lane.c - queues=partition: each partition has a queue of its own, and plans go by it.
 *
 * Lanes come in the order of their first jobs: that of one queue without the lanes that wait for their first
 * job. Where partitions share no nodes, each is scheduled as if it were alone. Where they do, an earlier job
 * of another lane goes first, but a shadow is kept only from candidates of its own lane.
 */
#include "policies/composed/by_lane.h"

#include "policies/composed/composed.h"
#include "policies/composed/share_holders.h"

struct entry {
	uint32_t lane;
	sl_job first;
};

struct lanes {
	struct share_holders partitions;
	struct entry *heap; /* The next job on top. */
	uint32_t heap_count;
	struct entry *waiting; /* Lanes whose first job does not fit, in the order found. */
};

static int by_lane_refuse(const struct composed *composed, struct sl_err *err)
{
	if (!composed->plan->lanes)
		return sl_fail(err, SL_USAGE,
			"queues=partition means nothing under plan=%s: %s; use queues=one",
			composed->plan->name,
			composed->plan->lanes_not ? composed->plan->lanes_not
						  : "it has no queue whose first job others wait behind");
	if (composed->fair_shares)
		return sl_fail(err, SL_USAGE,
			"queues=partition: order=%s goes by parties of the whole queue; use an order of jobs",
			composed->values[PARAM_ORDER].text);
	if (composed->fitting)
		return sl_fail(err, SL_USAGE,
			"queues=partition: arrivals=fitting asks about one queue; use arrivals=all");
	return SL_OK;
}

int lanes_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	composed->lane_count = 1;
	if (!setup->values[PARAM_QUEUES].number)
		return SL_OK;
	int status = by_lane_refuse(composed, err);
	struct lanes *lanes = status ? NULL : sl_alloc(setup->arena, 1, sizeof(*lanes));
	if (!status && !lanes)
		return sl_fail_memory(err);
	if (!status)
		status = share_holders_init(&lanes->partitions, 2, setup, err);
	if (status)
		return status;
	const uint32_t count = lanes->partitions.count ? lanes->partitions.count : 1;
	lanes->heap = sl_alloc(setup->arena, count, sizeof(*lanes->heap));
	lanes->waiting = sl_alloc(setup->arena, count, sizeof(*lanes->waiting));
	if (!lanes->heap || !lanes->waiting)
		return sl_fail_memory(err);
	composed->lanes = lanes;
	composed->lane_count = count;
	return sl_lanes(setup, count, err);
}

uint32_t lanes_lane_of(const struct composed *composed, sl_job job)
{
	return composed->lanes ? composed->lanes->partitions.of[job.row] : 0;
}

void lanes_submitted(const struct composed *composed, struct sl_pass *pass, sl_job job)
{
	if (composed->lanes)
		sl_set_lane(pass, job, composed->lanes->partitions.of[job.row]);
}

/* ---- Lanes by their first jobs ------------------------------------------------------------ */

static bool goes_before(const struct sl_pass *pass, const struct entry *a, const struct entry *b)
{
	return sl_queue_before(pass, a->first, b->first);
}
SL_HEAP(lanes, struct entry, const struct sl_pass *, goes_before, SL_HEAP_UNPLACED)

static void heap_make(struct lanes *lanes, const struct sl_pass *pass)
{
	lanes->heap_count = 0;
	for (uint32_t lane = sl_lane_next(pass, UINT32_MAX); lane != UINT32_MAX;
		lane = sl_lane_next(pass, lane))
		lanes->heap[lanes->heap_count++] = (struct entry){ lane, sl_lane_first(pass, lane) };
	lanes_make(pass, lanes->heap, lanes->heap_count);
}

/* The lane on top has another first job, or (SL_JOB_NONE) is done with. */
static void top_becomes(struct lanes *lanes, const struct sl_pass *pass, sl_job first)
{
	lanes->heap[0].first = first;
	if (!sl_job_is(first))
		lanes->heap[0] = lanes->heap[--lanes->heap_count];
	if (lanes->heap_count)
		lanes_down(pass, lanes->heap, lanes->heap_count, 0);
}

uint32_t lanes_start_in_order(struct composed *composed, struct sl_pass *pass)
{
	struct lanes *lanes = composed->lanes;
	uint32_t waiting = 0;
	heap_make(lanes, pass);
	while (lanes->heap_count) {
		const struct entry top = lanes->heap[0];
		if (composed_start(composed, pass, top.first)) {
			top_becomes(lanes, pass, sl_lane_first(pass, top.lane));
			continue;
		}
		sl_head_waits(pass, top.first);
		lanes->waiting[waiting++] = top;
		top_becomes(lanes, pass, SL_JOB_NONE);
	}
	return waiting;
}

sl_job lanes_waiting(const struct composed *composed, uint32_t index)
{
	return composed->lanes->waiting[index].first;
}

void lanes_each(struct composed *composed, struct sl_pass *pass,
	void (*serve)(struct composed *composed, struct sl_pass *pass, uint32_t lane))
{
	struct lanes *lanes = composed->lanes;
	if (!lanes) {
		serve(composed, pass, 0);
		return;
	}
	heap_make(lanes, pass);
	while (lanes->heap_count) {
		serve(composed, pass, lanes->heap[0].lane);
		top_becomes(lanes, pass, SL_JOB_NONE);
	}
}
