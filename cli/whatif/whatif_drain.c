/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_drain.c - schedlab whatif --drain NODES --within TIME: when to drain nodes, with the least loss.
 *
 * Moments are the ends of jobs on these nodes, the first moment, and an even grid; at each there are two
 * ways: wait (nothing new starts there; work begins when the last job has left) and kill (jobs there end at
 * once, and are queued again as the failure of a node does it). Every one is simulated; nobody knows of it
 * before. What it costs: work to be redone, and what stands idle while the last jobs are awaited, both in
 * GPU-hours (cpu-hours of nodes without GPUs); the waits of all jobs beside it. Sums are of whole
 * microseconds; of equal costs the earlier moment is better, then wait.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/whatif_drain.h"

enum { GRID = 12, ROUNDS_MAX = 4, MOMENTS_MOST = 100000 };

/* ---- Who is on these nodes in the reference ---------------------------------------------------------- */

/* The job's share of an amount that falls to the drained nodes; tasks of a job are alike. */
static int64_t whatif_drain_share_of(
	const struct drain *drain, const struct sl_allocation *allocation, int64_t amount)
{
	uint64_t here = 0;
	uint64_t all = 0;
	for (uint32_t i = 0; i < allocation->count; i++) {
		all += allocation->alloc[i].tasks;
		here += drain->rows.in[allocation->alloc[i].node] ? allocation->alloc[i].tasks : 0;
	}
	return all ? (int64_t)((__int128)amount * (int64_t)here / (int64_t)all) : 0;
}

static bool touches(const struct drain *drain, const struct sl_allocation *allocation)
{
	for (uint32_t i = 0; i < allocation->count; i++)
		if (drain->rows.in[allocation->alloc[i].node])
			return true;
	return false;
}

static void add_stay(
	struct drain *drain, const struct sl_result *result, uint32_t job, const struct sl_attempt *attempt)
{
	const struct sl_allocation allocation = sl_allocation_of(result, job, attempt);
	const sl_time start = attempt ? attempt->start : result->start[job];
	const sl_time end = attempt ? attempt->end : result->end[job];
	if (start == SL_NONE || !touches(drain, &allocation))
		return;
	const int64_t cpus = attempt ? allocation.cpus : sl_cpus_of(result, job);
	const int64_t gpus = attempt ? allocation.gpus : sl_gpus_of(result, job);
	drain->stay[drain->stay_count++] = (struct stay){ .job = job,
		.start = start,
		.end = end == SL_NONE ? SL_NEVER : end,
		.here = drain->gpus ? whatif_drain_share_of(drain, &allocation, gpus)
				    : whatif_drain_share_of(drain, &allocation, cpus),
		.whole = drain->gpus ? gpus : cpus };
}

static int find_stays(struct drain *drain, const struct sl_result *result, struct sl_err *err)
{
	drain->stay = calloc((size_t)result->jobs->count + result->attempt_count + 1, sizeof(*drain->stay));
	if (!drain->stay)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const struct sl_attempt *attempt;
		const size_t count = sl_attempts_of(result, job, &attempt);
		for (size_t i = 0; i < count; i++)
			add_stay(drain, result, job, &attempt[i]);
		if (!count)
			add_stay(drain, result, job, NULL);
	}
	return SL_OK;
}

static bool stays_at(const struct stay *stay, sl_time at) { return stay->start < at && stay->end > at; }

/* ---- Moments --------------------------------------------------------------------------------------- */

static int whatif_drain_by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

/* What can be said of a moment without a run: the lesser of what the two ways lose at once. */
static __int128 at_once(const struct drain *drain, sl_time at)
{
	__int128 lost = 0;
	__int128 busy = 0;
	sl_time last = at;
	for (size_t i = 0; i < drain->stay_count; i++) {
		const struct stay *stay = &drain->stay[i];
		if (!stays_at(stay, at) || stay->end == SL_NEVER)
			continue;
		lost += (__int128)stay->whole * (at - stay->start);
		busy += (__int128)stay->here * (stay->end - at);
		last = stay->end > last ? stay->end : last;
	}
	const __int128 idle = (__int128)drain->capacity * (last - at) - busy;
	return lost < idle ? lost : idle;
}

struct ranked {
	sl_time at;
	__int128 cost;
};

static int by_cost(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The most promising of them; the first one stays. */
static int thin(struct drain *drain, sl_time *moment, size_t *count, struct sl_err *err)
{
	struct ranked *ranked = calloc(*count, sizeof(*ranked));
	if (!ranked)
		return sl_fail_memory(err);
	for (size_t i = 0; i < *count; i++)
		ranked[i] = (struct ranked){ moment[i], i ? at_once(drain, moment[i]) : -1 };
	qsort(ranked, *count, sizeof(*ranked), by_cost);
	*count = drain->most;
	for (size_t i = 0; i < *count; i++)
		moment[i] = ranked[i].at;
	qsort(moment, *count, sizeof(*moment), whatif_drain_by_time);
	free(ranked);
	return SL_OK;
}

static int find_moments(struct drain *drain, struct sl_err *err)
{
	sl_time *moment = calloc(drain->stay_count + GRID + 2, sizeof(*moment));
	size_t all = 0;
	size_t count = 0;
	if (!moment)
		return sl_fail_memory(err);
	for (int i = 0; i <= GRID; i++)
		moment[all++] = drain->at + drain->within / GRID * i;
	for (size_t i = 0; i < drain->stay_count; i++)
		if (drain->stay[i].end > drain->at && drain->stay[i].end <= drain->at + drain->within)
			moment[all++] = drain->stay[i].end;
	qsort(moment, all, sizeof(*moment), whatif_drain_by_time);
	for (size_t i = 0; i < all; i++)
		if (!i || moment[i] != moment[count - 1])
			moment[count++] = moment[i];
	drain->moments = count;
	int status = count > drain->most ? thin(drain, moment, &count, err) : SL_OK;
	drain->plan = calloc(count * DRAIN_WAYS, sizeof(*drain->plan));
	if (!status && !drain->plan)
		status = sl_fail_memory(err);
	for (size_t i = 0; i < count * DRAIN_WAYS && !status; i++)
		drain->plan[drain->plan_count++] = (struct drain_plan){ .at = moment[i / DRAIN_WAYS],
			.way = i % DRAIN_WAYS ? DRAIN_KILL : DRAIN_WAIT };
	free(moment);
	return status;
}

/* ---- What a run of it lost -------------------------------------------------------------------------- */

/* In units of the resource times microseconds, over all jobs. A job that failed for good in its only attempt
 * lost all of it. */
static __int128 lost_of(const struct drain *drain, const struct sl_result *result)
{
	__int128 lost = 0;
	for (size_t i = 0; i < result->attempt_count; i++) {
		const struct sl_attempt *attempt = &result->attempts[i];
		const struct sl_allocation allocation = sl_allocation_of(result, attempt->job, attempt);
		lost += (__int128)attempt->lost * (drain->gpus ? allocation.gpus : allocation.cpus);
	}
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const struct sl_attempt *attempt;
		if (result->state[job] == SL_NODE_FAIL && !sl_attempts_of(result, job, &attempt))
			lost += (__int128)sl_run_time_of(result, job) *
				(drain->gpus ? sl_gpus_of(result, job) : sl_cpus_of(result, job));
	}
	return lost;
}

static __int128 waited_of(const struct sl_result *result)
{
	__int128 sum = 0;
	for (uint32_t job = 0; job < result->jobs->count; job++)
		sum += sl_wait_total_of(result, job);
	return sum;
}

/* When the stay that began so ended in this run. */
static sl_time end_in(const struct sl_result *result, const struct stay *stay)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, stay->job, &attempt);
	for (size_t i = 0; i < count; i++)
		if (attempt[i].start == stay->start)
			return attempt[i].end;
	return result->end[stay->job] == SL_NONE ? SL_NEVER : result->end[stay->job];
}

static void figure(const struct drain *drain, struct drain_plan *plan, const struct replica_run *run)
{
	const struct sl_result *result = &run->run.sim.result;
	__int128 busy = 0;
	plan->killed = 0;
	plan->free = plan->at;
	for (size_t i = 0; i < drain->stay_count; i++) {
		const struct stay *stay = &drain->stay[i];
		if (!stays_at(stay, plan->at))
			continue;
		const sl_time end = end_in(result, stay);
		plan->killed += plan->way == DRAIN_KILL && end == plan->at;
		if (plan->way == DRAIN_KILL || end == SL_NEVER)
			continue;
		busy += (__int128)stay->here * (end - plan->at);
		plan->free = end > plan->free ? end : plan->free;
	}
	plan->idle = (__int128)drain->capacity * (plan->free - plan->at) - busy;
	plan->lost = lost_of(drain, result) - drain->lost;
	plan->waited = waited_of(result) - drain->waited;
	plan->cost = plan->idle + plan->lost + plan->waited * drain->weight / 1000000 * drain->parts;
	for (size_t i = 0; i < DRAIN_METRICS; i++) {
		const int64_t *value = metrics_get(&run->metrics, drain_metrics[i]);
		plan->metric[i] = value ? *value : 0;
	}
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

/* "n[1-4] 86400 104400 drain", over the reference. */
static int plan_replica(
	const struct drain *drain, const struct drain_plan *plan, struct replica *replica, struct sl_err *err)
{
	char from[40];
	char until[40];
	*sl_put_micro(from, plan->at) = '\0';
	*sl_put_micro(until, plan->until) = '\0';
	const char *text = text_made(drain->arena, "%s %s %s %s", drain->rows.hosts, from, until,
		plan->way == DRAIN_KILL ? "down" : "drain");
	const char **setting = sl_alloc(drain->arena, drain->replica.setting_count + 3, sizeof(*setting));
	if (!text || !setting)
		return sl_fail_memory(err);
	if (drain->replica.setting_count)
		memcpy(setting, drain->replica.setting, drain->replica.setting_count * sizeof(*setting));
	*replica = drain->replica;
	replica->name = "drain";
	replica->setting = setting;
	return outage_put(replica, drain->scenario, text, drain->arena, err);
}

static sl_time until_of(const struct drain *drain, const struct drain_plan *plan)
{
	return (plan->way == DRAIN_KILL ? plan->at : plan->free) + drain->length;
}

/* A few at a time: each has its jobs in memory. What a model slows down leaves later than planned: then it is
 * planned anew. */
static int run_batch(struct drain *drain, struct drain_plan **plan, size_t count, struct sl_err *err)
{
	struct replica replica[DRAIN_BATCH_MAX] = { 0 };
	struct replica_run run[DRAIN_BATCH_MAX] = { 0 };
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++)
		status = plan_replica(drain, plan[i], &replica[i], err);
	if (status)
		return status;
	status = replicas_run(drain->base, replica, run, count, drain->threads, SIM_RECORD_PLACES, err);
	for (size_t i = 0; i < count; i++) {
		if (!status && run[i].status) {
			*err = run[i].err;
			status = run[i].status;
		}
		if (!status) {
			const sl_time planned = plan[i]->until;
			figure(drain, plan[i], &run[i]);
			drain->runs++;
			plan[i]->until = until_of(drain, plan[i]);
			plan[i]->settled = plan[i]->until == planned || ++plan[i]->rounds == ROUNDS_MAX;
		}
		replica_run_release(drain->base, &run[i]);
	}
	return status;
}

static int run_plans(struct drain *drain, struct sl_err *err)
{
	struct drain_plan *batch[DRAIN_BATCH_MAX];
	for (;;) {
		size_t count = 0;
		for (size_t i = 0; i < drain->plan_count && count < DRAIN_BATCH_MAX; i++)
			if (!drain->plan[i].settled)
				batch[count++] = &drain->plan[i];
		if (!count)
			return SL_OK;
		const int status = run_batch(drain, batch, count, err);
		if (status)
			return status;
	}
}

/* By the reference, when the last job leaves. */
static void plan_ends(struct drain *drain)
{
	for (size_t i = 0; i < drain->plan_count; i++) {
		struct drain_plan *plan = &drain->plan[i];
		plan->free = plan->at;
		for (size_t k = 0; k < drain->stay_count; k++)
			if (stays_at(&drain->stay[k], plan->at) && drain->stay[k].end > plan->free &&
				drain->stay[k].end != SL_NEVER)
				plan->free = drain->stay[k].end;
		plan->until = until_of(drain, plan);
	}
}

static int reference(struct drain *drain, struct sl_err *err)
{
	struct replica_run run = { 0 };
	int status =
		replicas_run(drain->base, &drain->replica, &run, 1, drain->threads, SIM_RECORD_PLACES, err);
	if (!status && run.status) {
		*err = run.err;
		status = run.status;
	}
	if (!status) {
		drain->lost = lost_of(drain, &run.run.sim.result);
		drain->waited = waited_of(&run.run.sim.result);
		drain->last = run.run.sim.result.last;
		for (size_t i = 0; i < DRAIN_METRICS; i++) {
			const int64_t *value = metrics_get(&run.metrics, drain_metrics[i]);
			drain->metric[i] = value ? *value : 0;
		}
		status = find_stays(drain, &run.run.sim.result, err);
	}
	replica_run_release(drain->base, &run);
	return status;
}

/* ---- The line --------------------------------------------------------------------------------------------
 */

static int duration_of(
	const struct args *args, const char *name, const char *fallback, sl_time *time, struct sl_err *err)
{
	const char *text = arg(args, name) ? arg(args, name) : fallback;
	if (!text)
		return sl_fail(err, SL_USAGE, "--drain NODES needs --%s: a duration such as 48h", name);
	if (sl_get_duration(text, strlen(text), time) && *time > 0 && *time < INT64_MAX / 8)
		return SL_OK;
	return sl_fail(
		err, SL_USAGE, "option '--%s' must be a duration such as 48h, not '%.60s'", name, text);
}

static void whatif_drain_capacity(struct drain *drain)
{
	const struct sl_cluster *cluster = &drain->scenario->cluster;
	int64_t cpus = 0;
	int64_t gpus = 0;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		if (!drain->rows.in[node])
			continue;
		const struct sl_node_type *type = &cluster->type[cluster->node_type[node]];
		cpus += type->amount[SL_KIND_CPUS];
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
			gpus += type->amount[kind];
	}
	drain->gpus = gpus > 0;
	drain->capacity = gpus ? gpus : cpus;
	drain->parts = sl_parts(gpus ? cluster->gpu_parts : cluster->cpu_parts);
}

static int line(struct drain *drain, struct sl_err *err)
{
	const struct args *args = drain->args;
	const char *at = arg(args, "at");
	const char *weight = arg(args, "wait-weight");
	uint64_t threads;
	uint64_t most;
	int status = duration_of(args, "within", NULL, &drain->within, err);
	if (!status)
		status = duration_of(args, "for", "4h", &drain->length, err);
	if (!status)
		status = arg_u64(args, "threads", 0, 1, 4096, &threads, err);
	if (!status)
		status = arg_u64(args, "moments", 100, 1, MOMENTS_MOST, &most, err);
	if (status)
		return status;
	if (weight && (!sl_get_micro(weight, strlen(weight), &drain->weight) || drain->weight < 0 ||
			      drain->weight > INT64_C(1000000000)))
		return sl_fail(err, SL_USAGE,
			"option '--wait-weight' must be a number from 0 to 1000, not '%.60s'", weight);
	drain->threads = (unsigned)threads;
	drain->most = most;
	drain->at = drain->scenario->jobs.count ? drain->scenario->jobs.submit[0] : 0;
	status = at ? whatif_time(drain->scenario, "--at", at, &drain->at, err) : SL_OK;
	if (!status)
		status = node_rows_of(
			&drain->rows, drain->scenario, "--drain", arg(args, "drain"), drain->arena, err);
	return status;
}

int whatif_drain(struct base *base, const struct args *args, struct sl_err *err)
{
	struct drain drain = { .base = base, .args = args, .arena = base_arena(base) };
	int status = arg(args, "as") ? sl_fail(err, SL_USAGE, "--drain looks at one scenario: leave out --as")
				     : replica_of_line(&drain.replica, base, args, err);
	drain.replica.name = "base";
	drain.scenario = status ? NULL : base_scenario(base, err);
	if (!status && !drain.scenario)
		status = err->status ? err->status : SL_SYSTEM;
	if (!status && drain.scenario) {
		base_talk(base);
		status = line(&drain, err);
	}
	if (!status) {
		whatif_drain_capacity(&drain);
		status = reference(&drain, err);
	}
	if (!status && drain.at > drain.last)
		status = fail_after_end("--at", arg(args, "at"), drain.last, err);
	if (!status && drain.at + drain.within > drain.last)
		status = fail_after_end("--within", arg(args, "within"), drain.last, err);
	if (!status)
		status = find_moments(&drain, err);
	if (!status) {
		plan_ends(&drain);
		status = run_plans(&drain, err);
	}
	if (!status)
		status = drain_report(&drain, err);
	free(drain.stay);
	free(drain.plan);
	return status;
}
