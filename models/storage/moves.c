/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moves.c - flows of jobs: into their pools and out, and what an instant changes.
 *
 * A flow at its most keeps its rate until its pool fills, so it is woken for its end once. Those at their
 * clients' share have one clock: only the first of them is woken for, as its end changes the share. A wake
 * that is out of date finds a flow that is not over, and is nothing.
 */
#include <string.h>

#include "models/storage/storage.h"

void storage_no_memory(struct storage *storage, struct sim *sim)
{
	struct sl_err err = { 0 };
	if (!storage->no_memory) {
		(void)sl_fail_memory(&err);
		sl_fail_run(sim, &err);
	}
	storage->no_memory = true;
}

/* ---- Rates ---------------------------------------------------------------------------- */

/* What an unhindered job streams, bytes a second, rounded up. */
int64_t storage_stream_wanted(const struct sl_profile *profile)
{
	const __int128 exact =
		((__int128)profile->read_each * 1000 * SL_SECOND + profile->comp - 1) / profile->comp;
	return exact < STORAGE_RATE_MAX ? (int64_t)exact : STORAGE_RATE_MAX;
}

/* Iterations wait for their input: at most rate / read_each of them a second, of 1 / comp. */
static void stream_rate(struct storage *storage, struct sim *sim, const struct storage_flow *flow)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, flow->job, &row);
	const int64_t floor = storage_flow_rate(flow, &storage->pool[flow->pool]);
	const int64_t rate = floor > 0 ? floor : 1; /* It gets on, however slowly. */
	uint64_t of = SL_SPEED_ONE;
	if (rate < storage_stream_wanted(profile))
		of = (uint64_t)(((unsigned __int128)rate << 32) * (uint64_t)profile->comp / 1000 / SL_SECOND /
				(uint64_t)profile->read_each);
	sl_model_speed(sim, (sl_job){ flow->job }, of < 1 ? 1 : of < SL_SPEED_ONE ? of : SL_SPEED_ONE);
}

/* ---- Flows ----------------------------------------------------------------------------- */

/* The storage and the simulation that callbacks of the pools belong to. */
struct within {
	struct storage *storage;
	struct sim *sim;
};

static void credit(
	struct storage *storage, uint32_t pool, sl_time from, sl_time until, int64_t bytes, bool write)
{
	storage->moved[write][pool / 2] += bytes;
	if (until > from)
		storage_load_add(&storage->load[pool / 2 * 2 + write], from, until, bytes);
}

static void moved(void *self, uint32_t row, sl_time from, int64_t bytes)
{
	const struct within *within = self;
	const struct storage_flow *flow = &within->storage->flows.flow[row];
	credit(within->storage, flow->pool, from, sl_now(within->sim), bytes, flow->write);
}

static void settle_flow(struct storage *storage, struct sim *sim, uint32_t row)
{
	struct storage_flow *flow = &storage->flows.flow[row];
	const sl_time from = flow->since;
	const int64_t bytes = storage_flow_settle(flow, &storage->pool[flow->pool], sl_now(sim));
	if (bytes)
		credit(storage, flow->pool, from, sl_now(sim), bytes, flow->write);
	flow->since = sl_now(sim);
}

static void moves_reported(void *self, uint32_t row)
{
	const struct within *within = self;
	const struct storage_flow *flow = &within->storage->flows.flow[row];
	if (flow->what == STORAGE_STREAM)
		stream_rate(within->storage, within->sim, flow);
	else if (flow->capped)
		sl_model_wake(within->sim, storage_flow_end(flow, &within->storage->pool[flow->pool]), row);
}

bool storage_note_due(struct storage *storage, uint32_t row)
{
	if (SL_GROW_IN(storage->arena, storage->due, storage->due_reserved, storage->due_count + 1, NULL))
		return false;
	storage->due[storage->due_count++] = row;
	return true;
}

static uint32_t pool_of(const struct storage *storage, uint32_t system, bool write)
{
	return 2 * system + (write && !storage->system[system].half);
}

/* What a node of that system moves at most, times so many. */
int64_t storage_most_of(const struct storage *storage, uint32_t system, bool write, int64_t clients)
{
	const int64_t each = storage->system[system].client[write];
	if (each == STORAGE_UNBOUNDED)
		return STORAGE_UNBOUNDED;
	const __int128 all = (__int128)each * clients;
	return all < STORAGE_UNBOUNDED ? (int64_t)all : STORAGE_UNBOUNDED;
}

void storage_enter_pool(struct storage *storage, struct sim *sim, uint32_t row)
{
	struct storage_flow *flow = &storage->flows.flow[row];
	const bool streams = flow->what == STORAGE_STREAM;
	/* The wake of one that ends is set once the pools are solved. */
	if (!storage_pool_add(&storage->flows, &storage->pool[flow->pool], row, sl_now(sim)) ||
		(!streams && !storage_note_due(storage, row)))
		storage_no_memory(storage, sim);
	else if (streams)
		stream_rate(storage, sim, flow);
}

/* Moves so much, or (bytes 0) streams. False: that takes no time, and is done. */
bool storage_move(struct storage *storage, struct sim *sim, struct storage_flow want, uint32_t system)
{
	struct storage_job *job = &storage->job[want.job];
	want.pool = pool_of(storage, system, want.write);
	const int64_t most = storage_most_of(storage, system, want.write, want.clients);
	if (want.most == 0 || want.most > most)
		want.most = most;
	if (want.what != STORAGE_STREAM &&
		(want.bytes <= 0 || (want.most == STORAGE_UNBOUNDED &&
					    storage->pool[want.pool].capacity == STORAGE_UNBOUNDED))) {
		credit(storage, want.pool, 0, 0, want.bytes > 0 ? want.bytes : 0, want.write);
		return false;
	}
	const uint32_t row = storage_flow_new(&storage->flows, (enum storage_what)want.what);
	if (row == STORAGE_NO_FLOW) {
		storage_no_memory(storage, sim);
		return false;
	}
	want.left = want.bytes * STORAGE_UNIT;
	want.next = job->flow;
	storage->flows.flow[row] = want;
	job->flow = row;
	storage_enter_pool(storage, sim, row);
	return true;
}

/* Out of its pool, if it is in it. */
void storage_leave_pool(struct storage *storage, struct sim *sim, uint32_t row)
{
	const struct storage_flow *flow = &storage->flows.flow[row];
	if (!flow->in)
		return;
	settle_flow(storage, sim, row);
	storage_pool_remove(&storage->flows, &storage->pool[flow->pool], row, sl_now(sim));
}

void storage_drop(struct storage *storage, struct sim *sim, uint32_t row)
{
	storage_leave_pool(storage, sim, row);
	uint32_t *link = &storage->job[storage->flows.flow[row].job].flow;
	while (*link != row)
		link = &storage->flows.flow[*link].next;
	*link = storage->flows.flow[row].next;
	storage_flow_free(&storage->flows, row);
}

/* ---- An instant ----------------------------------------------------------------------------------- */

static void moves_over(struct storage *storage, struct sim *sim, uint32_t row)
{
	const struct storage_flow flow = storage->flows.flow[row];
	storage_drop(storage, sim, row);
	if (flow.what == STORAGE_STAGE) {
		storage_staged(storage, sim, (sl_job){ flow.job });
		return;
	}
	const struct sl_transfer transfer = { .job = { flow.job },
		.kind = flow.write ? SL_TRANSFER_WRITE : SL_TRANSFER_READ,
		.fs = flow.fs,
		.bytes = flow.bytes,
		.token = flow.token,
		.asker = flow.asker };
	sl_model_transferred(sim, &transfer);
}

static bool moves_is_over(const struct storage *storage, uint32_t row, sl_time now)
{
	const struct storage_flow *flow = &storage->flows.flow[row];
	return flow->what != STORAGE_FREE && flow->in &&
	       storage_flow_end(flow, &storage->pool[flow->pool]) <= now;
}

/* Those that end now, of a pool where one may have: all at their share have one clock. */
static uint32_t next_over(const struct storage *storage, const struct storage_pool *pool, sl_time now)
{
	for (uint32_t i = pool->count; i-- > 0 && !storage->flows.flow[pool->order[i]].capped;)
		if (moves_is_over(storage, pool->order[i], now))
			return pool->order[i];
	return STORAGE_NO_FLOW;
}

/* The earliest end of those at their share; the others each have a wake of their own. */
static void wake_first(struct storage *storage, struct sim *sim, const struct storage_pool *pool)
{
	sl_time first = SL_NEVER;
	uint32_t beneficiary = 0;
	for (uint32_t i = pool->count; i-- > 0 && !storage->flows.flow[pool->order[i]].capped;) {
		const sl_time end = storage_flow_end(&storage->flows.flow[pool->order[i]], pool);
		if (end < first) {
			first = end;
			beneficiary = pool->order[i];
		}
	}
	if (first != SL_NEVER)
		sl_model_wake(sim, first, beneficiary);
}

static bool solve(struct storage *storage, struct sim *sim)
{
	struct within within = { storage, sim };
	const struct storage_sink sink = { &within, moved, moves_reported };
	bool any = false;
	for (uint32_t i = 0; i < 2 * storage->system_count; i++) {
		struct storage_pool *pool = &storage->pool[i];
		if (!pool->changed)
			continue;
		any = true;
		storage_pool_solve(&storage->flows, pool, sl_now(sim), &sink);
		if (pool->full)
			wake_first(storage, sim, pool);
	}
	return any;
}

void storage_settle(void *state, struct sim *sim)
{
	struct storage *storage = state;
	const sl_time now = sl_now(sim);
	if (storage->settling)
		return;
	storage->settling = true;
	do {
		/* Ends first, at the rates until now. */
		const uint32_t due = storage->due_count;
		for (uint32_t i = 0; i < due; i++)
			if (moves_is_over(storage, storage->due[i], now)) {
				const struct storage_pool *pool =
					&storage->pool[storage->flows.flow[storage->due[i]].pool];
				moves_over(storage, sim, storage->due[i]);
				for (uint32_t row; (row = next_over(storage, pool, now)) != STORAGE_NO_FLOW;)
					moves_over(storage, sim, row);
			}
		(void)solve(storage, sim);
		/* New ones that nobody limits. */
		uint32_t kept = 0;
		for (uint32_t i = 0; i < storage->due_count; i++) {
			const uint32_t row = storage->due[i];
			const struct storage_flow *flow = &storage->flows.flow[row];
			if (i >= due)
				storage->due[kept++] = row;
			if (flow->what == STORAGE_FREE || !flow->in || flow->what == STORAGE_STREAM)
				continue;
			if (flow->capped && flow->since == now)
				sl_model_wake(sim, storage_flow_end(flow, &storage->pool[flow->pool]), row);
		}
		storage->due_count = kept;
	} while (storage->due_count);
	storage->settling = false;
}
