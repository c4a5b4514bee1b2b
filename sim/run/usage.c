/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage.c - what is busy and what idles over time: a point for each instant, and the integrals between
 * instants.
 */
#include "sim/run/engine.h"

/* ---- Points ---------------------------------------------------------------------------------- */

static int64_t total_of(const struct sl_pass *pass, uint32_t kind)
{
	return pass->nodes ? nodes_total(pass->nodes, kind) : pass->cluster.cpus;
}

static int64_t busy_of(const struct sl_pass *pass, uint32_t kind)
{
	int64_t closed = pass->nodes ? 0 : pass->cluster.cpus_closed;
	if (pass->models && pass->nodes)
		closed = nodes_shut_free(pass->nodes, kind);
	return total_of(pass, kind) - room_idle(pass, kind) - closed;
}

static int64_t gpus_busy(const struct sl_pass *pass)
{
	int64_t busy = 0;
	for (uint32_t kind = SL_KIND_GPUS; pass->nodes && kind < pass->info->kind_count; kind++)
		busy += busy_of(pass, kind);
	return busy;
}

/* A controller that looks each second finds mostly what was there before. */
static bool is_as_before(const struct sl_pass *pass, const struct sl_usage_point *point)
{
	const struct sl_usage_point *last = pass->usage_count ? &pass->usage[pass->usage_count - 1] : NULL;
	return last && is_controlled(pass) && last->cpus_busy == point->cpus_busy &&
	       last->cpus_queued == point->cpus_queued && last->running == point->running &&
	       last->queued == point->queued && last->gpus_busy == point->gpus_busy &&
	       last->gpus_queued == point->gpus_queued && last->mem_busy == point->mem_busy &&
	       last->nodes_busy == point->nodes_busy && last->suspended == point->suspended;
}

void usage_record(struct sl_pass *pass)
{
	const struct sl_usage_point point = {
		.at = pass->now,
		.cpus_busy = busy_of(pass, SL_KIND_CPUS),
		.cpus_queued = pass->cpus_queued,
		.running = pass->running,
		.queued = pass->queue.count,
		.gpus_busy = gpus_busy(pass),
		.gpus_queued = pass->gpus_queued,
		.mem_busy = pass->nodes ? busy_of(pass, SL_KIND_MEM) : 0,
		.nodes_busy = pass->nodes ? nodes_busy(pass->nodes) : 0,
		.suspended = pass->suspended,
	};
	if (is_as_before(pass, &point))
		return;
	const int status = SL_GROW_MOST(
		pass->usage, pass->usage_capacity, pass->usage_count + 1, SIZE_MAX / 64, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->usage[pass->usage_count++] = point;
}

/* ---- Integrals ------------------------------------------------------------------------------- */

/* What is given out more than once is not idle for that. */
static int64_t idle_cpus(const struct sl_pass *pass)
{
	if (pass->overcommit <= 1 || !pass->nodes)
		return room_idle(pass, SL_KIND_CPUS);
	const int64_t idle = pass->cluster.cpus - busy_of(pass, SL_KIND_CPUS);
	return idle > 0 ? idle : 0;
}

void idle_counts(struct sl_pass *pass)
{
	for (size_t i = 0; i < RESOURCES; i++) {
		pass->idle[i].fitting += pass->tail[i].fitting;
		pass->idle[i].wanted += pass->tail[i].wanted;
		pass->tail[i] = (struct idle_sum){ 0 };
	}
}

/* Of GPUs of all types; of memory, where all nodes name theirs. */
static int64_t idle_more(const struct sl_pass *pass, enum resource resource)
{
	int64_t idle = 0;
	if (resource == OF_MEM)
		return pass->info->mem ? room_idle(pass, SL_KIND_MEM) : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < pass->info->kind_count; kind++)
		idle += room_idle(pass, kind);
	return idle;
}

/* What idles until the next instant: some waiting job would have fitted, or at least some would have been
 * used. */
static void integrate_idle(struct sl_pass *pass, uint64_t length)
{
	const int64_t queued[RESOURCES] = { pass->cpus_queued, pass->gpus_queued, pass->mem_queued };
	struct idle_sum *sum = pass->running ? pass->idle : pass->tail;
	int64_t idle[RESOURCES] = { idle_cpus(pass) };
	unsigned set = 0;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		if (i != OF_CPUS && pass->nodes && queued[i])
			idle[i] = idle_more(pass, i);
		set |= idle[i] > 0 ? 1U << i : 0;
	}
	const unsigned found = !set          ? 0
			       : pass->nodes ? room_fitting(pass, set)
					     : (unsigned)room_any_fits(pass) << OF_CPUS;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		const int64_t wanted = idle[i] < queued[i] ? idle[i] : queued[i];
		if (!(set >> i & 1))
			continue;
		sum[i].wanted += (unsigned __int128)length * (uint64_t)wanted;
		if (found >> i & 1)
			sum[i].fitting += (unsigned __int128)length * (uint64_t)idle[i];
	}
}

void integrate(struct sl_pass *pass, sl_time until)
{
	if (!pass->passes) {
		pass->accounted = until; /* It begins. */
		return;
	}
	const uint64_t length = (uint64_t)(until - pass->accounted);
	pass->accounted = until;
	if (pass->nodes || pass->course ||
		pass->options.record & SIM_RECORD_PAST) /* Who takes over may preempt. */
		for (uint32_t kind = 0; kind < pass->info->kind_count; kind++)
			pass->busy[kind] += (unsigned __int128)length * (uint64_t)busy_of(pass, kind);
	if (pass->running)
		idle_counts(pass);
	if (pass->queue.count)
		integrate_idle(pass, length);
}
