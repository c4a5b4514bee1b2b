/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanes.c - several queues in one run: whoever is first in one keeps nobody of another waiting.
 *
 * Each lane is an index of its own beside the queue of all that wait, which stays as it is: so all that asks
 * for what waits in order (promises, views, counts) knows nothing of lanes. Nodes of all lanes lie in one
 * pool, and a lane in which nobody waits has none.
 */
#include "sim/run/pass.h"

enum { LANES_MAX = 1 << 20 };

int sl_lanes(const struct sl_setup *setup, uint32_t count, struct sl_err *err)
{
	struct sl_pass *pass = setup->pass;
	if (!count || count > LANES_MAX)
		return sl_fail(
			err, SL_USAGE, "%u lanes: a policy may have 1 to %u", count, (unsigned)LANES_MAX);
	struct lanes *lanes = sl_alloc(pass->arena, 1, sizeof(*lanes));
	struct lane *lane = sl_alloc(pass->arena, count, sizeof(*lane));
	uint64_t *busy = sl_alloc(pass->arena, count / 64 + 1, sizeof(*busy));
	uint32_t *of = sl_alloc(pass->arena, pass->jobs->count, sizeof(*of));
	if (!lanes || !lane || !busy || !of)
		return sl_fail_memory(err);
	*lanes = (struct lanes){ .lane = lane,
		.count = count,
		.busy = busy,
		.of = of,
		.queue_pool = QUEUE_POOL_EMPTY,
		.fill_pool = QUEUE_POOL_EMPTY };
	pass->lanes = lanes;
	return SL_OK;
}

static void queue_make(
	const struct sl_pass *pass, struct queue *queue, const double *key, struct queue_pool *pool)
{
	queue_init(queue, pass->jobs->size, pass->estimate, key);
	queue_by_request(queue, pass->request, pass->request_class);
	queue_share(queue, pool);
}

void lanes_ready(struct sl_pass *pass)
{
	struct lanes *lanes = pass->lanes;
	for (uint32_t i = 0; lanes && i < lanes->count; i++) {
		lanes->lane[i].head.job = UINT32_MAX;
		queue_make(pass, &lanes->lane[i].queue, pass->key, &lanes->queue_pool);
		queue_make(pass, &lanes->lane[i].fill, pass->fill_key, &lanes->fill_pool);
	}
}

void lanes_release(struct sl_pass *pass)
{
	if (!pass->lanes)
		return;
	queue_pool_release(&pass->lanes->queue_pool);
	queue_pool_release(&pass->lanes->fill_pool);
	pass->lanes = NULL;
}

int lanes_put(struct sl_pass *pass, uint32_t job)
{
	struct lanes *lanes = pass->lanes;
	const uint32_t row = lanes->of[job];
	struct lane *lane = &lanes->lane[row];
	int status = queue_add(&lane->queue, job, &pass->err);
	if (!status && pass->uses & SL_USE_FILL)
		status = queue_add(&lane->fill, job, &pass->err);
	lanes->busy[row / 64] |= UINT64_C(1) << row % 64;
	return status;
}

void lanes_take(struct sl_pass *pass, uint32_t job)
{
	struct lanes *lanes = pass->lanes;
	const uint32_t row = lanes->of[job];
	struct lane *lane = &lanes->lane[row];
	queue_remove(&lane->queue, job);
	if (pass->uses & SL_USE_FILL)
		queue_remove(&lane->fill, job);
	if (!lane->queue.count)
		lanes->busy[row / 64] &= ~(UINT64_C(1) << row % 64);
}

int lanes_rebuild(struct sl_pass *pass, const uint32_t *row, uint32_t count)
{
	struct lanes *lanes = pass->lanes;
	for (uint32_t i = 0; i < lanes->count; i++)
		queue_empty(&lanes->lane[i].queue);
	queue_pool_empty(&lanes->queue_pool);
	for (uint32_t i = 0; i < count; i++) {
		const int status = queue_add(&lanes->lane[lanes->of[row[i]]].queue, row[i], &pass->err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

struct queue *lane_queue(struct sl_pass *pass, uint32_t lane, bool fill)
{
	if (!pass->lanes)
		return fill ? &pass->fill : &pass->queue;
	SL_CHECK(lane < pass->lanes->count);
	return fill ? &pass->lanes->lane[lane].fill : &pass->lanes->lane[lane].queue;
}

static const struct queue *queue_of(const struct sl_pass *pass, uint32_t lane)
{
	if (!pass->lanes)
		return &pass->queue;
	SL_CHECK(lane < pass->lanes->count);
	return &pass->lanes->lane[lane].queue;
}

void sl_set_lane(struct sl_pass *pass, sl_job job, uint32_t lane)
{
	SL_CHECK(pass->lanes && lane < pass->lanes->count && !is_waiting(pass, job.row));
	pass->lanes->of[job.row] = lane;
}

uint32_t sl_lane_of(const struct sl_pass *pass, sl_job job)
{
	return pass->lanes ? pass->lanes->of[job.row] : 0;
}

uint32_t sl_lane_next(const struct sl_pass *pass, uint32_t after)
{
	if (!pass->lanes)
		return after == UINT32_MAX && pass->queue.count ? 0 : UINT32_MAX;
	const struct lanes *lanes = pass->lanes;
	const uint32_t from = after + 1; /* UINT32_MAX: 0. */
	for (uint32_t word = from / 64; word <= lanes->count / 64; word++) {
		const uint64_t busy =
			word == from / 64 ? lanes->busy[word] >> from % 64 << from % 64 : lanes->busy[word];
		if (busy)
			return word * 64 + (uint32_t)__builtin_ctzll(busy);
	}
	return UINT32_MAX;
}

uint32_t sl_lane_count(const struct sl_pass *pass, uint32_t lane) { return queue_of(pass, lane)->count; }

sl_job sl_lane_first(const struct sl_pass *pass, uint32_t lane)
{
	return pass->status && pass->open ? SL_JOB_NONE : (sl_job){ queue_first(queue_of(pass, lane)) };
}

sl_job sl_lane_after(const struct sl_pass *pass, uint32_t lane, sl_job job)
{
	return (sl_job){ queue_after(queue_of(pass, lane), job.row) };
}
