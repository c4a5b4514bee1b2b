/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage.c - usage and idle resources over time: a point for each instant, and the integrals between instants.
 */
#include "sim/run/plain.h"

/* ---- Points ---------------------------------------------------------------------------------- */

static int64_t total_of(const struct sim *sim, uint32_t kind)
{
	return sim->nodes ? nodes_total(sim->nodes, kind) : sim->cluster.cpus;
}

static int64_t busy_of(const struct sim *sim, uint32_t kind)
{
	int64_t closed = sim->nodes ? 0 : sim->cluster.cpus_closed;
	if (sim->models && sim->nodes)
		closed = nodes_unavailable_free(sim->nodes, kind);
	return total_of(sim, kind) - allocation_idle(sim, kind) - closed;
}

static int64_t gpus_busy(const struct sim *sim)
{
	int64_t busy = 0;
	for (uint32_t kind = SL_KIND_GPUS; sim->nodes && kind < sim->info->kind_count; kind++)
		busy += busy_of(sim, kind);
	return busy;
}

/* A controller that looks each second finds mostly what was there before. */
static bool is_as_before(const struct sim *sim, const struct sl_usage_point *point)
{
	const struct sl_usage_point *last = &sim->usage_before;
	return last->cpus_busy == point->cpus_busy && last->cpus_queued == point->cpus_queued &&
	       last->running == point->running && last->queued == point->queued &&
	       last->gpus_busy == point->gpus_busy && last->gpus_queued == point->gpus_queued &&
	       last->mem_busy == point->mem_busy && last->nodes_busy == point->nodes_busy &&
	       last->suspended == point->suspended;
}

static void keep(struct sim *sim, const struct sl_usage_point *point)
{
	int status = sim->usage_log.open ? SL_OK : usage_log_init(&sim->usage_log, sim->nodes, &sim->err);
	if (!status)
		status = usage_log_add(&sim->usage_log, point, &sim->err);
	pass_failed(sim, status);
}

void usage_record(struct sim *sim)
{
	struct sl_usage_point point = {
		.at = sim->now,
		.cpus_busy = busy_of(sim, SL_KIND_CPUS),
		.cpus_queued = sim->cpus_queued,
		.running = sim->running,
		.queued = sim->queue.count,
		.gpus_queued = sim->gpus_queued,
		.suspended = sim->suspended,
	};
	if (sim->nodes) {
		point.gpus_busy = gpus_busy(sim);
		point.mem_busy = busy_of(sim, SL_KIND_MEM);
		point.nodes_busy = nodes_busy(sim->nodes);
	}
	if (is_controlled(sim)) {
		if (sim->usage_begun && is_as_before(sim, &point))
			return;
		sim->usage_before = point;
		sim->usage_begun = true;
	}
	const struct sim_usage_sink *sink = sim->options.usage_sink;
	if (sink)
		sink->take(sink->self, sim->info, sim->cluster.cpus, &point);
	else
		keep(sim, &point);
}

int usage_result(struct sim *sim, struct sl_result *result)
{
	result->usage_count = sim->usage_log.count;
	if (sim->options.record & SIM_RECORD_PACKED || !result->usage_count) {
		result->usage_log = &sim->usage_log;
		return SL_OK;
	}
	result->usage = sim->usage = usage_log_points(&sim->usage_log);
	if (!sim->usage)
		return sl_fail_memory(&sim->err);
	usage_log_release(&sim->usage_log);
	return SL_OK;
}

/* ---- Integrals ------------------------------------------------------------------------------- */

/* Overcommitted cpus count as allocated twice, but what is idle is never negative. */
static int64_t idle_cpus(const struct sim *sim)
{
	if (sim->overcommit <= 1 || !sim->nodes)
		return allocation_idle(sim, SL_KIND_CPUS);
	const int64_t idle = sim->cluster.cpus - busy_of(sim, SL_KIND_CPUS);
	return idle > 0 ? idle : 0;
}

void idle_counts(struct sim *sim)
{
	if (!sim->tailed)
		return;
	sim->tailed = false;
	for (size_t i = 0; i < RESOURCES; i++) {
		sim->idle[i].fitting += sim->tail[i].fitting;
		sim->idle[i].wanted += sim->tail[i].wanted;
		sim->tail[i] = (struct idle_sum){ 0 };
	}
}

/* Of GPUs of all types; of memory, where all nodes name theirs. */
static int64_t idle_more(const struct sim *sim, enum resource resource)
{
	int64_t idle = 0;
	if (resource == OF_MEM)
		return sim->info->mem ? allocation_idle(sim, SL_KIND_MEM) : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < sim->info->kind_count; kind++)
		idle += allocation_idle(sim, kind);
	return idle;
}

/* What idles until the next instant: some waiting job would have fitted, or at least some would have been
 * used. */
static void integrate_nodes_idle(struct sim *sim, uint64_t length)
{
	const int64_t queued[RESOURCES] = { sim->cpus_queued, sim->gpus_queued, sim->mem_queued };
	struct idle_sum *sum = sim->running ? sim->idle : sim->tail;
	sim->tailed |= !sim->running;
	int64_t idle[RESOURCES] = { idle_cpus(sim) };
	unsigned set = 0;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		if (i != OF_CPUS && queued[i])
			idle[i] = idle_more(sim, i);
		set |= idle[i] > 0 ? 1U << i : 0;
	}
	const unsigned found = set ? allocation_fitting(sim, set) : 0;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		const int64_t wanted = idle[i] < queued[i] ? idle[i] : queued[i];
		if (!(set >> i & 1))
			continue;
		sum[i].wanted += (unsigned __int128)length * (uint64_t)wanted;
		if (found >> i & 1)
			sum[i].fitting += (unsigned __int128)length * (uint64_t)idle[i];
	}
}

void integrate(struct sim *sim, sl_time until)
{
	if (!sim->passes) {
		sim->accounted = until; /* It begins. */
		return;
	}
	const uint64_t length = (uint64_t)(until - sim->accounted);
	sim->accounted = until;
	if (sim->nodes || sim->progress ||
		sim->options.record & SIM_RECORD_HISTORY) /* A policy after a handover may preempt. */
		for (uint32_t kind = 0; kind < sim->info->kind_count; kind++)
			sim->busy[kind] += (unsigned __int128)length * (uint64_t)busy_of(sim, kind);
	if (sim->running && sim->tail[OF_CPUS].wanted + sim->tail[OF_GPUS].wanted + sim->tail[OF_MEM].wanted)
		idle_counts(sim);
	if (!sim->queue.count)
		return;
	if (sim->nodes)
		integrate_nodes_idle(sim, length);
	else
		integrate_pool(sim, length);
}
