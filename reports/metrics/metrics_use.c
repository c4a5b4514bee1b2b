/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_use.c - how much of the machine was used, and how much of it idled while jobs waited.
 *
 * Cpu time is exact: size times microseconds held, in 128 bits.
 */
#include "reports/metrics/metrics.h"

#include <stdio.h>

enum resource { CPUS, GPUS, MEMORY, RESOURCES };

struct window {
	sl_time from, to;
	metrics_wide busy[RESOURCES]; /* Unit-microseconds held in it. */
};

struct capacity {
	int64_t of[RESOURCES]; /* 0: there is none of it. */
};

static struct capacity capacity_of(const struct sl_result *result)
{
	struct capacity capacity = { .of[CPUS] = result->cpus };
	if (!result->cluster || !result->cluster->node_count)
		return capacity;
	capacity.of[GPUS] = result->cluster->gpus;
	capacity.of[MEMORY] = result->cluster->mem;
	return capacity;
}

/* An empty window has no capacity: metrics_put gives 0. */
static metrics_wide full(int64_t units, const struct window *window)
{
	return window->to > window->from ? (metrics_wide)units * (metrics_wide)(window->to - window->from)
					 : 0;
}

struct windows {
	struct window whole, steady;
};

static void add_job(struct windows *windows, const struct sl_result *result, uint32_t row)
{
	struct window *const window[] = { &windows->whole, &windows->steady };
	const int64_t cpus = metrics_cpus(result, row);
	const int64_t gpus = result->gpus_held ? result->gpus_held[row] : 0;
	const int64_t mem =
		result->jobs->request ? result->jobs->requests[result->jobs->request[row]].mem : 0;
	for (size_t i = 0; i < SL_LEN(window); i++) {
		const sl_time held = metrics_held_within(result, row, window[i]->from, window[i]->to);
		window[i]->busy[CPUS] += (metrics_wide)held * (metrics_wide)cpus;
		window[i]->busy[GPUS] += (metrics_wide)held * (metrics_wide)gpus;
		window[i]->busy[MEMORY] += (metrics_wide)held * (metrics_wide)mem;
	}
}

static metrics_wide held_within(sl_time from, sl_time to, const struct window *window)
{
	from = from > window->from ? from : window->from;
	to = to < window->to ? to : window->to;
	return to > from ? (metrics_wide)(uint64_t)(to - from) : 0;
}

/* The same of all jobs of a counted pool, of which none was preempted. */
static void add_pool(struct windows *windows, const struct sl_result *result)
{
	const sl_time *start = result->start;
	const sl_time *end = result->end;
	const int32_t *size = result->jobs->size;
	const uint32_t count = result->jobs->count;
	const struct windows are = *windows; /* A copy, that no sum can change. */
	metrics_wide whole = 0;
	metrics_wide steady = 0;
	for (uint32_t row = 0; row < count; row++) {
		const sl_time to = end[row] != SL_NONE ? end[row] : result->last;
		if (start[row] == SL_NONE)
			continue;
		whole += held_within(start[row], to, &are.whole) * (uint32_t)size[row];
		steady += held_within(start[row], to, &are.steady) * (uint32_t)size[row];
	}
	windows->whole.busy[CPUS] += whole;
	windows->steady.busy[CPUS] += steady;
}

static void add_jobs(struct windows *windows, const struct sl_result *result)
{
	if (!metrics_preempted(result) && !result->cpus_held && !result->gpus_held &&
		!result->jobs->request) {
		add_pool(windows, result);
		return;
	}
	for (uint32_t row = 0; row < result->jobs->count; row++)
		if (metrics_started(result, row))
			add_job(windows, result, row);
}

/* As the engine integrated them, which is exact where jobs grew or held nodes wholly. */
static void take_integrals(struct window *whole, const struct sl_result *result)
{
	if (!result->busy)
		return;
	const uint32_t kinds = result->cluster ? result->cluster->kind_count : 1;
	whole->busy[CPUS] = result->busy[SL_KIND_CPUS];
	whole->busy[MEMORY] = kinds > SL_KIND_MEM ? result->busy[SL_KIND_MEM] : 0;
	whole->busy[GPUS] = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < kinds; kind++)
		whole->busy[GPUS] += result->busy[kind];
}

/* a/b > c/d, of shares up to 1 and a little; the low bits of the larger go where products would overflow. */
static bool is_more(metrics_wide a, metrics_wide b, metrics_wide c, metrics_wide d)
{
	while ((a | b | c | d) >> 63) {
		a >>= 1;
		b >>= 1;
		c >>= 1;
		d >>= 1;
	}
	return a * d > c * b;
}

/* The resource of which the largest share was busy, ties by their order. */
static enum resource scarcest(const struct window *whole, const struct capacity *capacity)
{
	enum resource most = CPUS;
	for (enum resource i = GPUS; i < RESOURCES; i++)
		if (capacity->of[i] && is_more(whole->busy[i], full(capacity->of[i], whole),
					       whole->busy[most], full(capacity->of[most], whole)))
			most = i;
	return most;
}

static void put_types(const struct sl_result *result, struct sl_metrics *metrics, const struct window *whole)
{
	const struct sl_cluster *cluster = result->cluster;
	if (!result->busy || !cluster || cluster->kind_count < SL_KIND_GPUS + 2)
		return;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++) {
		char name[128];
		int64_t units = 0;
		for (uint32_t node = 0; node < cluster->node_count; node++)
			units += cluster->type[cluster->node_type[node]].amount[kind];
		(void)snprintf(name, sizeof(name), "utilization.gpus{type=%s}", cluster->kind_name[kind]);
		metrics_put(metrics, name, result->busy[kind], full(units, whole), METRICS_MICRO);
	}
}

/* utilization.available.X: busy over what was to be had: nodes less what was free on those that were down or
 * drained. Only where a node was. */
static void put_available(
	const struct sl_result *result, struct sl_metrics *metrics, const struct window *whole)
{
	static const char *const name[RESOURCES] = { "utilization.available.cpus",
		"utilization.available.gpus", "utilization.available.memory" };
	const struct capacity capacity = capacity_of(result);
	metrics_wide missing[RESOURCES] = { 0 };
	if (!result->node_change_count || !result->missing || !result->cluster)
		return;
	missing[CPUS] = result->missing[SL_KIND_CPUS];
	missing[MEMORY] = result->missing[SL_KIND_MEM];
	for (uint32_t kind = SL_KIND_GPUS; kind < result->cluster->kind_count; kind++)
		missing[GPUS] += result->missing[kind];
	for (enum resource i = CPUS; i < RESOURCES; i++)
		if (capacity.of[i])
			metrics_put(metrics, name[i], whole->busy[i],
				full(capacity.of[i], whole) - missing[i], METRICS_MICRO);
}

static void put_shares(
	const struct sl_result *result, struct sl_metrics *metrics, const struct windows *windows)
{
	const struct window *whole = &windows->whole;
	const struct window *steady = &windows->steady;
	const struct capacity capacity = capacity_of(result);
	const enum resource most = scarcest(whole, &capacity);
	metrics_put(metrics, "utilization", whole->busy[most], full(capacity.of[most], whole), METRICS_MICRO);
	metrics_put(metrics, "utilization.cpus", whole->busy[CPUS], full(capacity.of[CPUS], whole),
		METRICS_MICRO);
	metrics_put(metrics, "utilization.gpus", whole->busy[GPUS], full(capacity.of[GPUS], whole),
		METRICS_MICRO);
	if (capacity.of[MEMORY])
		metrics_put(metrics, "utilization.memory", whole->busy[MEMORY],
			full(capacity.of[MEMORY], whole), METRICS_MICRO);
	metrics_put(metrics, "utilization.steady", steady->busy[most], full(capacity.of[most], steady),
		METRICS_MICRO);
	put_types(result, metrics, whole);
}

/* Of the resource that utilization is of; of each, where there are several. */
static void put_losses(const struct sl_result *result, struct sl_metrics *metrics, const struct window *whole)
{
	static const char *const name[RESOURCES] = { "loss_of_capacity.cpus", "loss_of_capacity.gpus",
		"loss_of_capacity.memory" };
	const metrics_wide fitting[RESOURCES] = { result->idle_fitting, result->gpus_fitting,
		result->mem_fitting };
	const metrics_wide wanted[RESOURCES] = { result->idle_wanted, result->gpus_wanted,
		result->mem_wanted };
	const struct capacity capacity = capacity_of(result);
	const enum resource most = scarcest(whole, &capacity);
	const metrics_wide all = full(capacity.of[most], whole);
	metrics_put(metrics, "loss_of_capacity", fitting[most], all, METRICS_MICRO);
	metrics_put(metrics, "loss_of_capacity.wanted", wanted[most], all, METRICS_MICRO);
	for (enum resource i = CPUS; i < RESOURCES; i++)
		if (capacity.of[i] && (capacity.of[GPUS] || capacity.of[MEMORY]))
			metrics_put(metrics, name[i], fitting[i], full(capacity.of[i], whole), METRICS_MICRO);
}

static int metrics_use_compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	struct windows windows = {
		{ result->first, result->last, { 0 } },
		{ 0, metrics_last_submit(result) - result->cooldown, { 0 } },
	};
	sl_time warmup;
	uint64_t completed = 0;
	const int status = metrics_warmup(result, &warmup, err);
	if (status)
		return status;
	windows.steady.from = result->first + warmup;
	for (uint32_t row = metrics_first(result); row < jobs->count; row++)
		completed += result->state[row] == SL_COMPLETED;
	add_jobs(&windows, result);
	take_integrals(&windows.whole, result);
	const metrics_wide cpus = full(result->cpus, &windows.whole);
	const sl_time makespan = cpus ? windows.whole.to - windows.whole.from : 0;

	put_shares(result, metrics, &windows);
	put_available(result, metrics, &windows.whole);
	metrics_put(metrics, "warmup", (metrics_wide)warmup, 1, 1);
	metrics_put(metrics, "makespan", (metrics_wide)makespan, 1, 1);
	metrics_put(metrics, "throughput", (metrics_wide)completed * 3600 * SL_SECOND, (metrics_wide)makespan,
		METRICS_MICRO);
	put_losses(result, metrics, &windows.whole);
	return SL_OK;
}

const struct sl_metric metrics_of_use = { SL_ABI_OF(struct sl_metric), "utilization",
	"utilization.cpus, .gpus, .memory (where each node names its own): busy cpu-seconds (and so on) over "
	"capacity from first submit to last end; utilization.gpus{type=T}: the same of one type of several; "
	"utilization.available.X: the same over what was neither down nor drained, where nodes were; "
	"utilization: the largest of .cpus, .gpus and .memory, which run.json names; "
	"utilization.steady: the same resource over [first submit + warmup, last submit - replay.cooldown]; warmup: seconds; makespan: last "
	"end - first submit, seconds; throughput: completed jobs an hour of makespan; loss_of_capacity: share of "
	"the same resource that idled while a waiting job that asks for some would have fit in what idled; "
	"loss_of_capacity.wanted: share that idled and was asked for, min(idle, asked for by waiting jobs); "
	"loss_of_capacity.X: of each resource, where there are several",
	"Zhang, Franke, Moreira, Sivasubramaniam 2000: Improving parallel job scheduling by combining gang "
	"scheduling and backfilling techniques (loss of capacity); "
	"White 1997: An effective truncation heuristic for bias reduction in simulation output (MSER)",
	metrics_use_compute };
