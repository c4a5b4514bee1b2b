/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allocation.c - allocations of running jobs, now and by their expected ends: of a counted pool (cluster.h
 * and a profile) or of nodes (nodes.h). Starts, fits and searches come through here; only promises, windows
 * and the clock distinguish the two elsewhere.
 */
#include "sim/run/pass.h"

#include <stdlib.h>
#include <string.h>

static void profile_change(struct sim *sim, sl_time at, int64_t change)
{
	pass_failed(sim, profile_add(&sim->profile, at, change, &sim->err));
}

static bool has_run_out(const struct sim *sim, uint32_t job)
{
	return expected_end(sim, job) <= sim->settled;
}

/* It outlived its estimate: its end is expected at overdue_at. Its progress entry says so itself: that of a
 * job of another size rounds the work done, and its estimated end with it, each time that it is settled. */
bool allocation_is_overdue(const struct sim *sim, uint32_t job)
{
	return sim->progress ? sim->progress[job].overdue : has_run_out(sim, job);
}

sl_time expected_room(const struct sim *sim, uint32_t job)
{
	return allocation_is_overdue(sim, job) ? sim->overdue_at : expected_end(sim, job);
}

/* Again, of one that is about to run here. */
static bool joins_overdue(struct sim *sim, uint32_t job)
{
	const bool overdue = has_run_out(sim, job);
	if (sim->progress)
		sim->progress[job].overdue = overdue;
	return overdue;
}

/* ---- Overdue jobs ---------------------------------------------------------------------------- */

static void overdue_put(struct sim *sim, uint32_t job)
{
	sim->overdue_cpus += cpus_of(sim, job);
	if (sim->progress)
		sim->progress[job].overdue = true;
	if (!sim->nodes)
		return;
	const int status = SL_GROW_MOST(
		sim->overdue, sim->overdue_capacity, sim->overdue_count + 1, UINT32_MAX, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		sim->overdue[sim->overdue_count++] = job;
}

static void overdue_take(struct sim *sim, uint32_t job)
{
	sim->overdue_cpus -= cpus_of(sim, job);
	if (sim->progress)
		sim->progress[job].overdue = false;
	for (size_t i = 0; i < sim->overdue_count; i++) {
		if (sim->overdue[i] != job)
			continue;
		sim->overdue[i] = sim->overdue[--sim->overdue_count];
		return;
	}
}

/* The next whose estimate has run out since the last pass; UINT32_MAX: none. An estimate that was moved to
 * and fro left several entries. */
static uint32_t next_overdue(struct sim *sim, size_t *seen)
{
	const struct ev *top;
	while ((top = evq_top(&sim->overruns)) && top->time <= sim->now) {
		const struct ev ev = evq_pop(&sim->overruns);
		if (!is_running(sim, ev.row) || expected_end(sim, ev.row) != ev.time)
			continue; /* It ended, or its estimate was moved. */
		if (sim->progress && sim->progress[ev.row].overdue)
			continue; /* Recorded again as its size changed. */
		size_t i = 0;
		while (i < *seen && sim->scratch[i] != ev.row)
			i++;
		if (i < *seen)
			continue;
		const int status =
			SL_GROW_MOST(sim->scratch, sim->scratch_capacity, *seen + 1, UINT32_MAX, &sim->err);
		if (status) {
			pass_failed(sim, status);
			return UINT32_MAX;
		}
		sim->scratch[(*seen)++] = ev.row;
		return ev.row;
	}
	return UINT32_MAX;
}

/* Jobs whose estimate has run out are expected to end at the next whole second, again in each pass. */
void allocation_settle(struct sim *sim)
{
	if (is_controlled(sim))
		return; /* No plan uses estimates. */
	const int64_t before = sim->overdue_cpus;
	const sl_time next = (sim->now / SL_SECOND + 1) * SL_SECOND;
	size_t seen = 0;
	for (uint32_t job; (job = next_overdue(sim, &seen)) != UINT32_MAX;) {
		if (!sim->nodes)
			profile_change(sim, expected_end(sim, job), -cpus_of(sim, job));
		overdue_put(sim, job);
	}
	if (before && !sim->nodes)
		profile_change(sim, sim->overdue_at, -before);
	if (sim->overdue_cpus && !sim->nodes)
		profile_change(sim, next, sim->overdue_cpus);
	for (size_t i = 0; i < sim->overdue_count; i++)
		nodes_move_end(sim->nodes, sim->overdue[i], next);
	if (sim->overdue_cpus || sim->overdue_count) /* Of nodes it may be GPUs alone. */
		sim->promises_broken = true;         /* They run on. */
	sim->overdue_at = next;
	sim->settled = sim->now;
}

/* ---- Allocate and release --------------------------------------------------------------------------- */

/* Over all the time that the job is expected to run; running jobs and promises release, windows allocate. */
static bool stays_free(const struct sim *sim, int64_t cpus, sl_time length)
{
	const sl_time until = time_after(sim->now, length);
	return profile_earliest(&sim->profile, sim->now, until, cpus - sim->cluster.cpus_free, length) ==
	       sim->now;
}

static bool take_of_pool(struct sim *sim, uint32_t job)
{
	const int64_t cpus = sim->jobs->size[job];
	if (!cluster_fits(&sim->cluster, cpus) ||
		(sim->windows_ahead && !stays_free(sim, cpus, expected_room(sim, job) - sim->now)))
		return false;
	cluster_allocate(&sim->cluster, cpus);
	profile_change(sim, expected_room(sim, job), cpus);
	return true;
}

/* The allocator found nothing for a job of that request, and nothing has changed since. */
static bool is_refused(const struct sim *sim, uint32_t request)
{
	return sim->allocator && sim->refused_at[request] == nodes_version(sim->nodes);
}

/* While there are windows the length decides too. */
static void note_refusal(struct sim *sim, uint32_t request)
{
	if (sim->allocator->alike && !nodes_windows_live(sim->nodes) &&
		sim->allocator->alike(sim->allocator_state, request))
		sim->refused_at[request] = nodes_version(sim->nodes);
}

/* As the allocator chooses; what it chooses is free. */
static bool take_placed(struct sim *sim, uint32_t job, sl_time end)
{
	const struct sl_node_alloc *node_alloc;
	if (sim->requests[sim->request[job]].group->never || is_refused(sim, sim->request[job]))
		return false;
	const uint64_t *closed = nodes_closed(sim->nodes, sim->request[job], end - sim->now);
	const size_t count =
		sim->allocator->choose(sim->allocator_state, (sl_job){ job }, closed, &node_alloc);
	if (!count)
		note_refusal(sim, sim->request[job]);
	if (!count || !nodes_start_node_alloc(sim->nodes, job, sim->request[job], end, node_alloc, count))
		return false;
	sim->allocator->take(sim->allocator_state, (sl_job){ job });
	return true;
}

bool allocation_make(struct sim *sim, uint32_t job, const struct where *where)
{
	if (!sim->nodes)
		return take_of_pool(sim, job);
	const uint32_t request = sim->request[job];
	const sl_time end = expected_room(sim, job);
	if (sim->allocator && !where->alloc && !where->node_alloc)
		return take_placed(sim, job, end);
	if (where->node_alloc)
		return nodes_start_node_alloc(sim->nodes, job, request, end, where->node_alloc, where->count);
	if (where->tasks)
		return nodes_start_sized(sim->nodes, job, request, end, where->tasks);
	return where->alloc ? nodes_start_on(sim->nodes, job, request, end, where->alloc, where->count)
			    : nodes_start(sim->nodes, job, request, end);
}

bool allocation_take_promised(struct sim *sim, uint32_t job)
{
	if (!nodes_start_promised(sim->nodes, job, sim->request[job], expected_room(sim, job)))
		return false;
	sim->promise[job] = SL_NONE;
	return true;
}

/* A window that opened while its cpus were still in use is served first. */
static void pay_owed(struct sim *sim)
{
	struct cluster *cluster = &sim->cluster;
	if (!cluster->cpus_owed)
		return;
	const int64_t paid =
		cluster->cpus_owed < cluster->cpus_free ? cluster->cpus_owed : cluster->cpus_free;
	cluster->cpus_owed -= paid;
	cluster->cpus_free -= paid;
	cluster->cpus_closed += paid;
	profile_change(sim, SL_NONE + 1, paid);
}

/* Of a pool, a suspended job has nothing allocated. */
static void give_to_pool(struct sim *sim, uint32_t job, sl_time end)
{
	profile_change(sim, end, -(int64_t)sim->jobs->size[job]);
	cluster_free(&sim->cluster, sim->jobs->size[job]);
	pay_owed(sim);
}

void allocation_release(struct sim *sim, uint32_t job)
{
	const bool running = sim->job_state[job] == SL_RUNNING;
	const sl_time end = expected_room(sim, job);
	if (running && allocation_is_overdue(sim, job))
		overdue_take(sim, job);
	if (sim->nodes)
		nodes_end(sim->nodes, job);
	else if (running)
		give_to_pool(sim, job, end);
	if (sim->allocator)
		sim->allocator->give(sim->allocator_state, (sl_job){ job });
}

/* Undoes allocation_make. */
void allocation_untake(struct sim *sim, uint32_t job)
{
	const sl_time end = expected_room(sim, job);
	if (sim->nodes)
		nodes_start_undo(sim->nodes, job);
	else
		give_to_pool(sim, job, end);
	if (sim->allocator)
		sim->allocator->untake(sim->allocator_state, (sl_job){ job });
}

void allocation_suspend(struct sim *sim, uint32_t job)
{
	const sl_time end = expected_room(sim, job);
	if (allocation_is_overdue(sim, job))
		overdue_take(sim, job);
	if (sim->nodes)
		nodes_suspend(sim->nodes, job);
	else
		give_to_pool(sim, job, end);
}

bool allocation_resume(struct sim *sim, uint32_t job)
{
	const bool overdue = joins_overdue(sim, job);
	if (sim->nodes ? !nodes_resume(sim->nodes, job, expected_room(sim, job)) : !take_of_pool(sim, job))
		return false;
	if (overdue)
		overdue_put(sim, job);
	return true;
}

/* Undo: what was paid out of what now goes back. While something is owed nothing is free, so it is what
 * lacks. */
static void unpay_owed(struct sim *sim, int64_t cpus)
{
	struct cluster *cluster = &sim->cluster;
	const int64_t lacks = cpus - cluster->cpus_free;
	if (lacks <= 0)
		return;
	cluster->cpus_owed += lacks;
	cluster->cpus_free += lacks;
	cluster->cpus_closed -= lacks;
	profile_change(sim, SL_NONE + 1, -lacks);
}

void allocation_restore(struct sim *sim, uint32_t job, bool suspended)
{
	const bool running = sim->job_state[job] == SL_RUNNING;
	const sl_time end = running ? expected_room(sim, job) : SL_NEVER;
	if (sim->nodes && suspended) {
		nodes_suspend_undo(sim->nodes, job, end);
	} else if (sim->nodes) {
		nodes_restore(sim->nodes, job, end);
	} else if (running) {
		unpay_owed(sim, sim->jobs->size[job]);
		cluster_allocate(&sim->cluster, sim->jobs->size[job]);
		profile_change(sim, end, sim->jobs->size[job]);
	}
	if (sim->allocator)
		sim->allocator->restore(sim->allocator_state, (sl_job){ job });
	if (running && allocation_is_overdue(sim, job))
		overdue_put(sim, job);
}

void allocation_resized(struct sim *sim, uint32_t job)
{
	nodes_move_end(sim->nodes, job, expected_room(sim, job));
}

void allocation_moves(struct sim *sim, uint32_t job, sl_time from, sl_time to)
{
	if (sim->nodes) {
		nodes_move_end(sim->nodes, job, to);
	} else {
		profile_change(sim, from, -(int64_t)sim->jobs->size[job]);
		profile_change(sim, to, sim->jobs->size[job]);
	}
}

sl_time allocation_unplan(struct sim *sim, uint32_t job)
{
	const sl_time from = expected_room(sim, job);
	if (allocation_is_overdue(sim, job))
		overdue_take(sim, job);
	return from;
}

void allocation_replan(struct sim *sim, uint32_t job, sl_time from)
{
	const bool overdue = joins_overdue(sim, job);
	const sl_time to = expected_room(sim, job);
	if (to != from)
		allocation_moves(sim, job, from, to);
	if (overdue)
		overdue_put(sim, job);
}

bool allocation_found(struct sim *sim, uint32_t job, const struct where *where)
{
	const bool overdue = joins_overdue(sim, job);
	if (!allocation_make(sim, job, where))
		return false;
	if (overdue)
		overdue_put(sim, job);
	return true;
}

void allocation_holds(struct sim *sim, uint32_t job)
{
	if (!sim->nodes)
		return;
	const struct nodes_sum sum = nodes_held(sim->nodes, job);
	if ((int64_t)sum.nodes > sim->nodes_held[job])
		sim->nodes_held[job] = (int32_t)sum.nodes;
	if (sum.cpus > sim->cpus_held[job])
		sim->cpus_held[job] = sum.cpus;
	if (sum.gpus > sim->gpus_held[job])
		sim->gpus_held[job] = sum.gpus;
	if (!sim->place_first)
		return;
	if (sum.cpus > sim->place_cpus[job])
		sim->place_cpus[job] = sum.cpus;
	if (sum.gpus > sim->place_gpus[job])
		sim->place_gpus[job] = sum.gpus;
}

void allocation_places(struct sim *sim, uint32_t job)
{
	if (!sim->place_first)
		return;
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(sim->nodes, job, &alloc);
	const int status = SL_GROW(sim->place, sim->place_capacity, sim->place_total + count, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	if (count)
		memcpy(sim->place + sim->place_total, alloc, count * sizeof(*alloc));
	sim->place_first[job] = sim->place_total;
	sim->place_count[job] = (uint32_t)count;
	sim->place_total += count;
	const struct nodes_sum sum = nodes_held(sim->nodes, job);
	sim->place_cpus[job] = sum.cpus;
	sim->place_gpus[job] = sum.gpus;
}

int64_t allocation_idle(const struct sim *sim, uint32_t kind)
{
	return sim->nodes ? nodes_idle(sim->nodes, kind) : kind == SL_KIND_CPUS ? sim->cluster.cpus_free : 0;
}

/* ---- Fits ------------------------------------------------------------------------------------ */

bool allocation_fits(struct sim *sim, uint32_t job)
{
	if (sim->nodes)
		return nodes_fits(sim->nodes, sim->request[job], sim->estimate[job]);
	const int64_t cpus = sim->jobs->size[job];
	return cluster_fits(&sim->cluster, cpus) &&
	       (!sim->windows_ahead || stays_free(sim, cpus, sim->estimate[job]));
}

/* Could any job of the request fit now, however long? Among windows the length decides which nodes there are,
 * and what several groups do on fewer nodes is not known. */
static bool may_fit(struct sim *sim, uint32_t request)
{
	return (sim->requests[request].group_count > 1 && nodes_window_next(sim->nodes) != SL_NEVER) ||
	       nodes_fits(sim->nodes, request, 0);
}

/* On nodes. */
bool allocation_any_fits(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->active_count; i++)
		if (may_fit(sim, sim->active[i]))
			return true;
	return false;
}

unsigned allocation_fitting(struct sim *sim, unsigned set)
{
	unsigned found = 0;
	for (uint32_t i = 0; i < sim->active_count && found != set; i++) {
		const struct sl_request *request = &sim->requests[sim->active[i]];
		const unsigned asks = 1U << OF_CPUS | (request->gpus ? 1U << OF_GPUS : 0) |
				      (request->mem ? 1U << OF_MEM : 0);
		if ((asks & set & ~found) && may_fit(sim, sim->active[i]))
			found |= asks & set;
	}
	return found;
}

struct asked {
	struct sim *sim;
	sl_time capacity;
	int64_t spare;
	bool guarded;
};

/* Where jobs have reasons of their own the policy is shown those too that the allocator will refuse: it says
 * of each why it waits. */
static bool is_passed_over(const struct sim *sim, uint32_t request)
{
	return is_refused(sim, request) && !sim->reason_now;
}

static bool node_job_passes(void *self, uint32_t job)
{
	const struct asked *asked = self;
	struct sim *sim = asked->sim;
	const sl_time length = sim->estimate[job];
	const uint32_t request = sim->request[job];
	if (is_passed_over(sim, request) || !nodes_fits(sim->nodes, request, length))
		return false;
	nodes_for(sim->nodes, job);
	return length <= asked->capacity ||
	       (asked->spare &&
		       (!asked->guarded || nodes_backfill_check_allows(sim->nodes, request, length)));
}

static bool pool_job_passes(void *self, uint32_t job)
{
	const struct asked *asked = self;
	const struct sim *sim = asked->sim;
	const int64_t cpus = sim->jobs->size[job];
	const sl_time length = sim->estimate[job];
	return cpus <= sim->cluster.cpus_free && (length <= asked->capacity || cpus <= asked->spare) &&
	       stays_free(sim, cpus, length);
}

/* One question for each class of like requests that wait; jobs are only tested where it says maybe: among
 * windows, as the place of a job depends on its length, and where ties go by chance, on the job. */
static uint32_t node_next_fit(struct sim *sim, struct queue *queue, uint32_t behind, struct asked *asked)
{
	struct queue_test test = { .self = asked, .passes = node_job_passes, .capacity = asked->capacity };
	const bool windows = nodes_window_next(sim->nodes) != SL_NEVER;
	const bool by_chance = sim->scorer.ties == SL_TIES_RANDOM;
	for (uint32_t i = 0; i < sim->active_count; i++) {
		const uint32_t request = sim->active[i];
		const uint64_t bit = UINT64_C(1) << sim->request_class[request];
		if (is_passed_over(sim, request) || !may_fit(sim, request))
			continue;
		test.classes_capacity |= bit;
		if (!asked->spare || test.classes_any & bit)
			continue;
		if (!asked->guarded || windows || by_chance ||
			nodes_backfill_check_allows(sim->nodes, request, asked->capacity + 1))
			test.classes_any |= bit;
	}
	return test.classes_capacity ? queue_next_that(queue, behind, &test) : UINT32_MAX;
}

uint32_t allocation_next_fit(
	struct sim *sim, struct queue *queue, uint32_t behind, const struct sl_promise *shadow)
{
	struct asked asked = {
		.sim = sim,
		.capacity = !shadow || shadow->at == SL_NEVER ? SL_NEVER - 1 : shadow->at - sim->now,
		.spare = shadow ? shadow->spare : 1,
		.guarded = shadow && shadow->at != SL_NEVER,
	};
	if (sim->nodes)
		return node_next_fit(sim, queue, behind, &asked);
	if (!sim->windows_ahead) {
		const struct queue_fit fit = { .free = sim->cluster.cpus_free,
			.capacity = asked.guarded ? asked.capacity : SL_NEVER,
			.spare = shadow ? shadow->spare : 0 };
		return queue_next_fit(queue, behind, &fit);
	}
	if (!shadow)
		asked.spare = INT64_MAX;
	const struct queue_test test = { .self = &asked,
		.passes = pool_job_passes,
		.capacity = asked.capacity,
		.classes_capacity = queue_classes_upto(sim->cluster.cpus_free),
		.classes_any = queue_classes_upto(
			asked.spare < sim->cluster.cpus_free ? asked.spare : sim->cluster.cpus_free) };
	return queue_next_that(queue, behind, &test);
}

/* Without windows it would start now: the first of those that are in its way. */
static bool pool_window_keeps(const struct sim *sim, uint32_t job, enum sl_window_kind *kind)
{
	const int64_t cpus = sim->jobs->size[job];
	const sl_time until = time_after(sim->now, sim->estimate[job]);
	if (cpus > sim->cluster.cpus_free + sim->cluster.cpus_closed ||
		(cluster_fits(&sim->cluster, cpus) && stays_free(sim, cpus, sim->estimate[job])))
		return false;
	size_t first = SIZE_MAX;
	for (size_t i = 0; i < sim->window_count; i++)
		if (sim->window[i].until > sim->now && sim->window[i].from < until &&
			(first == SIZE_MAX || sim->window[i].from < sim->window[first].from))
			first = i;
	*kind = first < sim->info->window_count ? sim->info->window[first].kind : SL_WINDOW_RESERVED;
	return first != SIZE_MAX;
}

/* In Slurm's words. */
enum sl_reason allocation_keeps(struct sim *sim, uint32_t job)
{
	static const enum sl_reason by_window[] = { [SL_WINDOW_RESERVED] = SL_REASON_NODES_RESERVED,
		[SL_WINDOW_MAINT] = SL_REASON_NODES_MAINT,
		[SL_WINDOW_OUTAGE] = SL_REASON_NODES_NOT_AVAIL,
		[SL_WINDOW_STATE] = SL_REASON_NODES_NOT_AVAIL };
	enum sl_window_kind kind;
	const bool kept =
		sim->nodes ? nodes_window_keeps(sim->nodes, sim->request[job], sim->estimate[job], &kind)
			   : pool_window_keeps(sim, job, &kind);
	return kept ? by_window[kind] : SL_REASON_RESOURCES;
}

/* ---- What waits, by request ------------------------------------------------------------------ */

void allocation_waits(struct sim *sim, uint32_t job, int change)
{
	sim->cpus_queued += change * cpus_of(sim, job);
	if (!sim->request)
		return;
	const uint32_t request = sim->request[job];
	sim->gpus_queued += change * sim->requests[request].gpus;
	sim->mem_queued += change * sim->requests[request].mem;
	uint32_t *waiting = &sim->request_waiting[request];
	if (change > 0 && !(*waiting)++) {
		sim->active_place[request] = sim->active_count;
		sim->active[sim->active_count++] = request;
	}
	if (change < 0 && !--*waiting) {
		const uint32_t last = sim->active[--sim->active_count];
		sim->active[sim->active_place[request]] = last;
		sim->active_place[last] = sim->active_place[request];
	}
}

/* ---- Windows of a counted pool --------------------------------------------------------------- */

static bool push_boundary(struct sim *sim, sl_time at, size_t window)
{
	const int status = evq_push(&sim->events, at, SL_EV_RESERVATION, (uint32_t)window, &sim->err);
	pass_failed(sim, status);
	return !status;
}

static bool window_put(struct sim *sim, sl_time from, sl_time until, int64_t cpus)
{
	const int status =
		SL_GROW_MOST(sim->window, sim->window_capacity, sim->window_count + 1, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return false;
	}
	sim->window[sim->window_count++] = (struct pool_window){ from, until, cpus };
	return true;
}

bool window_add(struct sim *sim, sl_time from, sl_time until, int64_t cpus)
{
	if (until <= sim->now || from >= until || cpus < 1 || cpus > sim->cluster.cpus)
		return false;
	from = from > sim->now ? from : sim->now;
	const sl_time free_from =
		profile_earliest(&sim->profile, from, until, cpus - sim->cluster.cpus_free, until - from);
	if (free_from != from || !window_put(sim, from, until, cpus))
		return false;
	sim->windows_ahead++;
	profile_change(sim, from, -cpus);
	profile_change(sim, until, cpus);
	return true;
}

void window_undo(struct sim *sim)
{
	const struct pool_window *window = &sim->window[--sim->window_count];
	sim->windows_ahead--;
	profile_change(sim, window->from, window->cpus);
	profile_change(sim, window->until, -window->cpus);
}

/* Two events a window: it opens, and it closes. */
void window_boundary(struct sim *sim, uint32_t row)
{
	if (sim->nodes)
		return; /* nodes_clock sees to it. */
	const struct pool_window *window = &sim->window[row];
	struct cluster *cluster = &sim->cluster;
	if (sim->now < window->until) {
		const int64_t now = window->cpus < cluster->cpus_free ? window->cpus : cluster->cpus_free;
		cluster->cpus_free -= now;
		cluster->cpus_closed += now;
		cluster->cpus_owed += window->cpus - now;
		profile_change(sim, window->from, window->cpus);
		if (window->cpus > now)
			profile_change(sim, SL_NONE + 1, now - window->cpus);
		(void)push_boundary(sim, window->until, row);
		return;
	}
	const int64_t unpaid = cluster->cpus_owed < window->cpus ? cluster->cpus_owed : window->cpus;
	cluster->cpus_owed -= unpaid;
	if (unpaid)
		profile_change(sim, SL_NONE + 1, unpaid);
	cluster->cpus_closed -= window->cpus - unpaid;
	cluster->cpus_free += window->cpus - unpaid;
	profile_change(sim, window->until, -window->cpus);
	sim->windows_ahead--;
}

/* ---- Init ------------------------------------------------------------------------------------ */

/* SL_USE_NODES: each cpu of the pool becomes a node, each size a request. */
static int pool_as_nodes(struct sim *sim, struct sl_err *err)
{
	const struct sl_jobs *jobs = sim->jobs;
	const int64_t cpus = sim->cluster.cpus;
	static const char *const kinds[] = { "cpus", "memory" };
	struct sl_cluster *info = sl_alloc(sim->arena, 1, sizeof(*info));
	struct sl_node_type *type = sl_alloc(sim->arena, 1, sizeof(*type));
	uint32_t *types = sl_alloc(sim->arena, (size_t)cpus, sizeof(*types));
	uint32_t *request = sl_alloc(sim->arena, jobs->count, sizeof(*request));
	uint32_t *of_size = sl_alloc(sim->arena, (size_t)cpus + 1, sizeof(*of_size));
	if (!info || !type || !types || !request || !of_size)
		return sl_fail_memory(err);
	uint32_t count = 0;
	for (uint32_t job = 0; job < jobs->count; job++) {
		uint32_t *of = &of_size[jobs->size[job]];
		if (!*of)
			*of = ++count;
		request[job] = *of - 1;
	}
	struct sl_request *requests = sl_alloc(sim->arena, count, sizeof(*requests));
	struct sl_group *group = sl_alloc(sim->arena, count, sizeof(*group));
	if (!requests || !group)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++) {
		const uint32_t row = request[job];
		const uint32_t size = (uint32_t)jobs->size[job];
		group[row] = (struct sl_group){
			.task = { .cpus = 1 }, .tasks = size, .tasks_min = size, .tasks_max = size
		};
		requests[row] = (struct sl_request){ .group = &group[row], .group_count = 1, .cpus = size };
	}
	*type = (struct sl_node_type){ .name = "cpu", .amount = { 1 } };
	*info = (struct sl_cluster){ .name = sim->info->name,
		.cpus = cpus,
		.node_count = (uint32_t)cpus,
		.type_count = 1,
		.kind_count = 2,
		.node_type = types,
		.type = type,
		.kind_name = kinds };
	sim->info = info;
	sim->request = request;
	sim->requests = requests;
	sim->request_count = count;
	return SL_OK;
}

/* The most frequent requests have a class of the queue's index for themselves, the others share the last. */
struct frequency {
	uint32_t request, jobs;
};

static int frequency_compare(const void *a, const void *b)
{
	const struct frequency *x = a;
	const struct frequency *y = b;
	if (x->jobs != y->jobs)
		return x->jobs > y->jobs ? -1 : 1;
	return (x->request > y->request) - (x->request < y->request);
}

static int init_classes(struct sim *sim, struct sl_err *err)
{
	const uint32_t count = sim->request_count;
	struct frequency *frequency = sl_alloc(sim->arena, count, sizeof(*frequency));
	sim->request_class = sl_alloc(sim->arena, count, 1);
	sim->request_waiting = sl_alloc(sim->arena, count, sizeof(*sim->request_waiting));
	sim->refused_at = sl_alloc(sim->arena, count, sizeof(*sim->refused_at));
	sim->active = sl_alloc(sim->arena, count, sizeof(*sim->active));
	sim->active_place = sl_alloc(sim->arena, count, sizeof(*sim->active_place));
	if (!frequency || !sim->request_class || !sim->request_waiting || !sim->refused_at || !sim->active ||
		!sim->active_place)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		frequency[i].request = i;
	for (uint32_t job = 0; job < sim->jobs->count; job++)
		frequency[sim->request[job]].jobs++;
	qsort(frequency, count, sizeof(*frequency), frequency_compare);
	for (uint32_t i = 0; i < count; i++)
		sim->request_class[frequency[i].request] =
			(uint8_t)(i + 1 < QUEUE_CLASSES ? i + 1 : QUEUE_CLASSES - 1);
	return SL_OK;
}

static int init_windows(struct sim *sim, struct sl_err *err)
{
	for (uint32_t i = 0; i < sim->info->window_count; i++) {
		const struct sl_window *window = &sim->info->window[i];
		if (window->until <= sim->now && sim->scenario->begins) { /* Over before the replay begins. */
			if (!sim->nodes && !window_put(sim, window->from, window->until, window->cpus))
				return sim->status;
			continue;
		}
		if (!sim->nodes && !window_add(sim, window->from, window->until, window->cpus))
			return sim->status
				       ? sim->status
				       : sl_fail(err, SL_INPUT,
						 "reservation '%s' asks for more than the cluster has then, or is over "
						 "before the replay begins",
						 window->name);
		(void)push_boundary(sim, window->from > sim->now ? window->from : sim->now, i);
		if (sim->nodes)
			(void)push_boundary(sim, window->until, i);
	}
	return sim->status;
}

/* Nodes of one cpu, and tasks of one cpu that do not mind where: nothing but their number decides. Windows
 * are of named nodes: where one ends as the next one opens, one is always free, and none for long. */
static bool is_countable(const struct sim *sim)
{
	const struct scorer *scorer = &sim->scorer;
	const bool devices = scorer->devices || scorer->rule->devices || scorer->rule->by_island;
	if (sim->info->window_count)
		return false;
	for (uint32_t i = 0; i < sim->info->type_count; i++)
		if (sim->info->type[i].amount[SL_KIND_CPUS] != 1 ||
			(devices && sim->info->type[i].device_count))
			return false;
	for (uint32_t i = 0; i < sim->request_count; i++) {
		const struct sl_request *request = &sim->requests[i];
		const struct sl_group *group = request->group;
		if (request->group_count != 1 || group->task.cpus != 1 || group->task.mem ||
			group->task.gpus || group->node_set || group->nodes_min > group->tasks ||
			group->tasks_min != group->tasks_max ||
			(group->nodes_max && group->nodes_max < group->tasks))
			return false;
	}
	return true;
}

/* The other way round: such nodes are counted, unless the policy requests their names. */
static int nodes_as_pool(struct sim *sim, struct sl_err *err)
{
	struct sl_cluster *info = sl_alloc(sim->arena, 1, sizeof(*info));
	if (!info)
		return sl_fail_memory(err);
	*info = (struct sl_cluster){ .name = sim->info->name,
		.cpus = sim->info->cpus,
		.kind_count = 1,
		.kind_name = sim->info->kind_name };
	sim->info = info;
	sim->request = NULL;
	sim->requests = NULL;
	sim->request_count = 0;
	return SL_OK;
}

int sl_set_allocator(const struct sl_setup *setup, const struct sl_allocator *allocator, struct sl_err *err)
{
	struct sim *sim = setup->sim;
	if (!sim->info->node_count)
		return sl_fail(
			err, SL_USAGE, "place=%s chooses nodes: give some, with -c CLUSTER", allocator->name);
	sim->allocator_asked = true;
	sim->uses |= SL_USE_NODES;
	if (sim->allocator == allocator)
		return SL_OK; /* It goes on from what it knows. */
	if (sim->running || sim->suspended)
		return sl_fail(err, SL_USAGE,
			"place=%s cannot take over what runs under another placing: let the run begin under it",
			allocator->name);
	allocation_allocator_gone(sim);
	sim->allocator = allocator;
	if (sim->refused_at)
		memset(sim->refused_at, 0, sim->request_count * sizeof(*sim->refused_at));
	return allocator->init(&sim->allocator_state, setup, err);
}

const char *allocation_refuses(struct sim *sim, uint32_t job)
{
	if (!sim->allocator || !sim->allocator->refuses)
		return NULL;
	return sim->allocator->refuses(sim->allocator_state, (sl_job){ job });
}

void allocation_allocator_gone(struct sim *sim)
{
	if (sim->allocator)
		sim->allocator->release(sim->allocator_state);
	sim->allocator = NULL;
}

/* SL_USE_CONTROL: the cluster from which nodes are allocated: without windows, without tracking devices one
 * by one, as sharing is the policy's; and multiplied by the overcommit. */
static const struct sl_cluster *controlled(struct sim *sim)
{
	const struct sl_cluster *info = sim->info;
	const int64_t times = sim->overcommit ? sim->overcommit : 1;
	struct sl_cluster *lent = sl_alloc(sim->arena, 1, sizeof(*lent));
	struct sl_node_type *type = sl_alloc(sim->arena, info->type_count, sizeof(*type));
	if (!lent || !type)
		return NULL;
	*lent = *info;
	lent->window = NULL;
	lent->window_count = 0;
	lent->type = type;
	for (uint32_t i = 0; i < info->type_count; i++) {
		type[i] = info->type[i];
		type[i].device = NULL;
		type[i].device_count = 0;
		for (uint32_t kind = 0; kind < info->kind_count; kind++)
			if (kind != SL_KIND_MEM && type[i].amount[kind] < SL_MEM_UNBOUNDED)
				type[i].amount[kind] *= times;
	}
	return lent;
}

int allocation_init(struct sim *sim, struct sl_err *err)
{
	const uint32_t jobs = sim->jobs->count;
	int status = SL_OK;
	if (sim->allocator && sim->uses & SL_USE_PROMISES)
		return sl_fail(err, SL_USAGE,
			"place=%s promises no nodes: take a plan without promises (fcfs, greedy, easy)",
			sim->allocator->name);
	sim->scorer.devices = (sim->uses & SL_USE_DEVICES) != 0;
	sim->scorer.amounts = (sim->uses & SL_USE_OWN_DEVICES) != 0;
	if (sim->info->node_count && !(sim->uses & SL_USE_NODES) && is_countable(sim))
		status = nodes_as_pool(sim, err);
	if (!status && sim->uses & SL_USE_NODES && !sim->info->node_count)
		status = pool_as_nodes(sim, err);
	if (!status && sim->info->node_count) {
		status = init_classes(sim, err);
		sim->nodes_held = sl_alloc(sim->arena, jobs, sizeof(*sim->nodes_held));
		sim->cpus_held = sl_alloc(sim->arena, jobs, sizeof(*sim->cpus_held));
		sim->gpus_held = sl_alloc(sim->arena, jobs, sizeof(*sim->gpus_held));
		const bool places = sim->options.record & SIM_RECORD_PLACES;
		if (places) {
			sim->place_first = sl_alloc(sim->arena, jobs, sizeof(*sim->place_first));
			sim->place_count = sl_alloc(sim->arena, jobs, sizeof(*sim->place_count));
			sim->place_cpus = sl_alloc(sim->arena, jobs, sizeof(*sim->place_cpus));
			sim->place_gpus = sl_alloc(sim->arena, jobs, sizeof(*sim->place_gpus));
		}
		if (!status && (!sim->nodes_held || !sim->cpus_held || !sim->gpus_held ||
				       (places && (!sim->place_first || !sim->place_count ||
							  !sim->place_cpus || !sim->place_gpus))))
			status = sl_fail_memory(err);
		const struct sl_cluster *lent = is_controlled(sim) ? controlled(sim) : sim->info;
		if (!status && !lent)
			status = sl_fail_memory(err);
		if (!status)
			status = nodes_new(&sim->nodes, lent, sim->requests, sim->request_count, jobs,
				&sim->scorer, err);
	}
	return status || is_controlled(sim) ? status : init_windows(sim, err);
}
