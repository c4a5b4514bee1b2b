/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanes.c - several queues in one run: the head of one blocks no job of another.
 *
 * Each lane is an index of its own beside the queue of all that wait, which stays as it is: so what reads the
 * waiting jobs in order (promises, views, counts) needs no lanes. Nodes of all lanes lie in one pool, and a
 * lane without waiting jobs has none.
 */
#include "sim/run/pass.h"

enum { LANES_MAX = 1 << 20 };

int sl_lanes(const struct sl_setup *setup, uint32_t count, struct sl_err *err)
{
	struct sim *sim = setup->sim;
	if (!count || count > LANES_MAX)
		return sl_fail(
			err, SL_USAGE, "%u lanes: a policy may have 1 to %u", count, (unsigned)LANES_MAX);
	struct lanes *lanes = sl_alloc(sim->arena, 1, sizeof(*lanes));
	struct lane *lane = sl_alloc(sim->arena, count, sizeof(*lane));
	uint64_t *busy = sl_alloc(sim->arena, count / 64 + 1, sizeof(*busy));
	uint32_t *of = sl_alloc(sim->arena, sim->jobs->count, sizeof(*of));
	if (!lanes || !lane || !busy || !of)
		return sl_fail_memory(err);
	*lanes = (struct lanes){ .lane = lane,
		.count = count,
		.busy = busy,
		.of = of,
		.queue_pool = QUEUE_POOL_EMPTY,
		.fill_pool = QUEUE_POOL_EMPTY };
	sim->lanes = lanes;
	return SL_OK;
}

static void queue_make(const struct sim *sim, struct queue *queue, const double *key, struct queue_pool *pool)
{
	queue_init(queue, sim->jobs->size, sim->estimate, key);
	queue_by_request(queue, sim->request, sim->request_class);
	queue_share(queue, pool);
}

void lanes_ready(struct sim *sim)
{
	struct lanes *lanes = sim->lanes;
	for (uint32_t i = 0; lanes && i < lanes->count; i++) {
		lanes->lane[i].head.job = UINT32_MAX;
		queue_make(sim, &lanes->lane[i].queue, sim->key, &lanes->queue_pool);
		queue_make(sim, &lanes->lane[i].fill, sim->fill_key, &lanes->fill_pool);
	}
}

void lanes_release(struct sim *sim)
{
	if (!sim->lanes)
		return;
	queue_pool_release(&sim->lanes->queue_pool);
	queue_pool_release(&sim->lanes->fill_pool);
	sim->lanes = NULL;
}

int lanes_put(struct sim *sim, uint32_t job)
{
	struct lanes *lanes = sim->lanes;
	const uint32_t row = lanes->of[job];
	struct lane *lane = &lanes->lane[row];
	int status = queue_add(&lane->queue, job, &sim->err);
	if (!status && sim->uses & SL_USE_FILL)
		status = queue_add(&lane->fill, job, &sim->err);
	lanes->busy[row / 64] |= UINT64_C(1) << row % 64;
	return status;
}

void lanes_take(struct sim *sim, uint32_t job)
{
	struct lanes *lanes = sim->lanes;
	const uint32_t row = lanes->of[job];
	struct lane *lane = &lanes->lane[row];
	queue_remove(&lane->queue, job);
	if (sim->uses & SL_USE_FILL)
		queue_remove(&lane->fill, job);
	if (!lane->queue.count)
		lanes->busy[row / 64] &= ~(UINT64_C(1) << row % 64);
}

int lanes_rebuild(struct sim *sim, const uint32_t *row, uint32_t count)
{
	struct lanes *lanes = sim->lanes;
	for (uint32_t i = 0; i < lanes->count; i++)
		queue_empty(&lanes->lane[i].queue);
	queue_pool_empty(&lanes->queue_pool);
	for (uint32_t i = 0; i < count; i++) {
		const int status = queue_add(&lanes->lane[lanes->of[row[i]]].queue, row[i], &sim->err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

struct queue *lane_queue(struct sim *sim, uint32_t lane, bool fill)
{
	if (!sim->lanes)
		return fill ? &sim->fill : &sim->queue;
	SL_CHECK(lane < sim->lanes->count);
	return fill ? &sim->lanes->lane[lane].fill : &sim->lanes->lane[lane].queue;
}

static const struct queue *queue_of(const struct sim *sim, uint32_t lane)
{
	if (!sim->lanes)
		return &sim->queue;
	SL_CHECK(lane < sim->lanes->count);
	return &sim->lanes->lane[lane].queue;
}

void sl_set_lane(struct sim *sim, sl_job job, uint32_t lane)
{
	SL_CHECK(sim->lanes && lane < sim->lanes->count && !is_waiting(sim, job.row));
	sim->lanes->of[job.row] = lane;
}

uint32_t sl_lane_of(const struct sim *sim, sl_job job) { return sim->lanes ? sim->lanes->of[job.row] : 0; }

uint32_t sl_lane_next(const struct sim *sim, uint32_t after)
{
	if (!sim->lanes)
		return after == UINT32_MAX && sim->queue.count ? 0 : UINT32_MAX;
	const struct lanes *lanes = sim->lanes;
	const uint32_t from = after + 1; /* UINT32_MAX: 0. */
	for (uint32_t word = from / 64; word <= lanes->count / 64; word++) {
		const uint64_t busy =
			word == from / 64 ? lanes->busy[word] >> from % 64 << from % 64 : lanes->busy[word];
		if (busy)
			return word * 64 + (uint32_t)__builtin_ctzll(busy);
	}
	return UINT32_MAX;
}

uint32_t sl_lane_count(const struct sim *sim, uint32_t lane) { return queue_of(sim, lane)->count; }

sl_job sl_lane_first(const struct sim *sim, uint32_t lane)
{
	return sim->status && sim->open ? SL_JOB_NONE : (sl_job){ queue_first(queue_of(sim, lane)) };
}

sl_job sl_lane_after(const struct sim *sim, uint32_t lane, sl_job job)
{
	return (sl_job){ queue_after(queue_of(sim, lane), job.row) };
}
