/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * room.c - what running jobs hold, now and by their expected ends: of a counted pool (cluster.h and a
 * profile) or of nodes (nodes.h). Starts, fits and
 * searches come through here; only promises, windows and the clock ask elsewhere which of the two it is.
 */
#include "sim/run/pass.h"

#include <stdlib.h>
#include <string.h>

static void profile_change(struct sl_pass *pass, sl_time at, int64_t change)
{
	pass_failed(pass, profile_add(&pass->profile, at, change, &pass->err));
}

static bool has_run_out(const struct sl_pass *pass, uint32_t job)
{
	return expected_end(pass, job) <= pass->settled;
}

/* Found running past its estimate: its end is expected at overdue_at. A course says so itself: that of a job
 * of another size rounds the work done, and its estimated end with it, each time that it is settled. */
bool room_is_overdue(const struct sl_pass *pass, uint32_t job)
{
	return pass->course ? pass->course[job].overdue : has_run_out(pass, job);
}

sl_time room_expected(const struct sl_pass *pass, uint32_t job)
{
	return room_is_overdue(pass, job) ? pass->overdue_at : expected_end(pass, job);
}

/* Anew, of one that is about to run here. */
static bool joins_overdue(struct sl_pass *pass, uint32_t job)
{
	const bool overdue = has_run_out(pass, job);
	if (pass->course)
		pass->course[job].overdue = overdue;
	return overdue;
}

/* ---- Overdue jobs ---------------------------------------------------------------------------- */

static void overdue_put(struct sl_pass *pass, uint32_t job)
{
	pass->overdue_cpus += cpus_of(pass, job);
	if (pass->course)
		pass->course[job].overdue = true;
	if (!pass->nodes)
		return;
	const int status = SL_GROW_MOST(
		pass->overdue, pass->overdue_capacity, pass->overdue_count + 1, UINT32_MAX, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->overdue[pass->overdue_count++] = job;
}

static void overdue_take(struct sl_pass *pass, uint32_t job)
{
	pass->overdue_cpus -= cpus_of(pass, job);
	if (pass->course)
		pass->course[job].overdue = false;
	for (size_t i = 0; i < pass->overdue_count; i++) {
		if (pass->overdue[i] != job)
			continue;
		pass->overdue[i] = pass->overdue[--pass->overdue_count];
		return;
	}
}

/* The next whose estimate has run out since the last pass; UINT32_MAX: none. An estimate that was moved to
 * and fro left several notes. */
static uint32_t next_overdue(struct sl_pass *pass, size_t *seen)
{
	const struct ev *top;
	while ((top = evq_top(&pass->overruns)) && top->time <= pass->now) {
		const struct ev ev = evq_pop(&pass->overruns);
		if (!is_running(pass, ev.row) || expected_end(pass, ev.row) != ev.time)
			continue; /* It ended, or its estimate was moved. */
		if (pass->course && pass->course[ev.row].overdue)
			continue; /* Noted anew as its size changed. */
		size_t i = 0;
		while (i < *seen && pass->scratch[i] != ev.row)
			i++;
		if (i < *seen)
			continue;
		const int status = SL_GROW_MOST(
			pass->scratch, pass->scratch_capacity, *seen + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return UINT32_MAX;
		}
		pass->scratch[(*seen)++] = ev.row;
		return ev.row;
	}
	return UINT32_MAX;
}

/* Those whose estimate has run out are taken to end at the next whole second, anew in each pass. */
void room_settle(struct sl_pass *pass)
{
	if (is_controlled(pass))
		return; /* Nobody plans by estimates. */
	const int64_t before = pass->overdue_cpus;
	const sl_time next = (pass->now / SL_SECOND + 1) * SL_SECOND;
	size_t seen = 0;
	for (uint32_t job; (job = next_overdue(pass, &seen)) != UINT32_MAX;) {
		if (!pass->nodes)
			profile_change(pass, expected_end(pass, job), -cpus_of(pass, job));
		overdue_put(pass, job);
	}
	if (before && !pass->nodes)
		profile_change(pass, pass->overdue_at, -before);
	if (pass->overdue_cpus && !pass->nodes)
		profile_change(pass, next, pass->overdue_cpus);
	for (size_t i = 0; i < pass->overdue_count; i++)
		nodes_move_end(pass->nodes, pass->overdue[i], next);
	if (pass->overdue_cpus || pass->overdue_count) /* Of nodes it may be GPUs alone. */
		pass->promises_broken = true;          /* They run on. */
	pass->overdue_at = next;
	pass->settled = pass->now;
}

/* ---- Take and give --------------------------------------------------------------------------- */

/* Over all the time that the job is taken to run; what runs and what is promised gives back, windows take. */
static bool stays_free(const struct sl_pass *pass, int64_t cpus, sl_time length)
{
	const sl_time until = time_after(pass->now, length);
	return profile_earliest(&pass->profile, pass->now, until, cpus - pass->cluster.cpus_free, length) ==
	       pass->now;
}

static bool take_of_pool(struct sl_pass *pass, uint32_t job)
{
	const int64_t cpus = pass->jobs->size[job];
	if (!cluster_fits(&pass->cluster, cpus) ||
		(pass->windows_ahead && !stays_free(pass, cpus, room_expected(pass, job) - pass->now)))
		return false;
	cluster_allocate(&pass->cluster, cpus);
	profile_change(pass, room_expected(pass, job), cpus);
	return true;
}

/* What the placer says; what it says is free, is. */
static bool take_placed(struct sl_pass *pass, uint32_t job, sl_time end)
{
	const struct sl_holding *holding;
	if (pass->requests[pass->request[job]].group->never)
		return false;
	const uint64_t *closed = nodes_closed(pass->nodes, pass->request[job], end - pass->now);
	const size_t count = pass->placer->choose(pass->placer_state, (sl_job){ job }, closed, &holding);
	if (!count || !nodes_start_holding(pass->nodes, job, pass->request[job], end, holding, count))
		return false;
	pass->placer->take(pass->placer_state, (sl_job){ job });
	return true;
}

bool room_take(struct sl_pass *pass, uint32_t job, const struct where *where)
{
	if (!pass->nodes)
		return take_of_pool(pass, job);
	const uint32_t request = pass->request[job];
	const sl_time end = room_expected(pass, job);
	if (pass->placer && !where->piece && !where->holding)
		return take_placed(pass, job, end);
	if (where->holding)
		return nodes_start_holding(pass->nodes, job, request, end, where->holding, where->count);
	if (where->tasks)
		return nodes_start_sized(pass->nodes, job, request, end, where->tasks);
	return where->piece ? nodes_start_on(pass->nodes, job, request, end, where->piece, where->count)
			    : nodes_start(pass->nodes, job, request, end);
}

bool room_take_promised(struct sl_pass *pass, uint32_t job)
{
	if (!nodes_start_promised(pass->nodes, job, pass->request[job], room_expected(pass, job)))
		return false;
	pass->promise[job] = SL_NONE;
	return true;
}

/* A window that opened while its cpus were still in use is served first. */
static void pay_owed(struct sl_pass *pass)
{
	struct cluster *cluster = &pass->cluster;
	if (!cluster->cpus_owed)
		return;
	const int64_t paid =
		cluster->cpus_owed < cluster->cpus_free ? cluster->cpus_owed : cluster->cpus_free;
	cluster->cpus_owed -= paid;
	cluster->cpus_free -= paid;
	cluster->cpus_closed += paid;
	profile_change(pass, SL_NONE + 1, paid);
}

/* Of a pool, what stands still holds nothing. */
static void give_to_pool(struct sl_pass *pass, uint32_t job, sl_time end)
{
	profile_change(pass, end, -(int64_t)pass->jobs->size[job]);
	cluster_free(&pass->cluster, pass->jobs->size[job]);
	pay_owed(pass);
}

void room_give(struct sl_pass *pass, uint32_t job)
{
	const bool running = pass->job_state[job] == SL_RUNNING;
	const sl_time end = room_expected(pass, job);
	if (running && room_is_overdue(pass, job))
		overdue_take(pass, job);
	if (pass->nodes)
		nodes_end(pass->nodes, job);
	else if (running)
		give_to_pool(pass, job, end);
	if (pass->placer)
		pass->placer->give(pass->placer_state, (sl_job){ job });
}

/* Undoes room_take. */
void room_untake(struct sl_pass *pass, uint32_t job)
{
	const sl_time end = room_expected(pass, job);
	if (pass->nodes)
		nodes_start_undo(pass->nodes, job);
	else
		give_to_pool(pass, job, end);
	if (pass->placer)
		pass->placer->untake(pass->placer_state, (sl_job){ job });
}

void room_suspend(struct sl_pass *pass, uint32_t job)
{
	const sl_time end = room_expected(pass, job);
	if (room_is_overdue(pass, job))
		overdue_take(pass, job);
	if (pass->nodes)
		nodes_suspend(pass->nodes, job);
	else
		give_to_pool(pass, job, end);
}

bool room_resume(struct sl_pass *pass, uint32_t job)
{
	const bool overdue = joins_overdue(pass, job);
	if (pass->nodes ? !nodes_resume(pass->nodes, job, room_expected(pass, job))
			: !take_of_pool(pass, job))
		return false;
	if (overdue)
		overdue_put(pass, job);
	return true;
}

/* Undo: what was paid out of what now goes back. While something is owed nothing is free, so it is what
 * lacks. */
static void unpay_owed(struct sl_pass *pass, int64_t cpus)
{
	struct cluster *cluster = &pass->cluster;
	const int64_t lacks = cpus - cluster->cpus_free;
	if (lacks <= 0)
		return;
	cluster->cpus_owed += lacks;
	cluster->cpus_free += lacks;
	cluster->cpus_closed -= lacks;
	profile_change(pass, SL_NONE + 1, -lacks);
}

void room_restore(struct sl_pass *pass, uint32_t job, bool suspended)
{
	const bool running = pass->job_state[job] == SL_RUNNING;
	const sl_time end = running ? room_expected(pass, job) : SL_NEVER;
	if (pass->nodes && suspended) {
		nodes_suspend_undo(pass->nodes, job, end);
	} else if (pass->nodes) {
		nodes_restore(pass->nodes, job, end);
	} else if (running) {
		unpay_owed(pass, pass->jobs->size[job]);
		cluster_allocate(&pass->cluster, pass->jobs->size[job]);
		profile_change(pass, end, pass->jobs->size[job]);
	}
	if (pass->placer)
		pass->placer->restore(pass->placer_state, (sl_job){ job });
	if (running && room_is_overdue(pass, job))
		overdue_put(pass, job);
}

void room_resized(struct sl_pass *pass, uint32_t job)
{
	nodes_move_end(pass->nodes, job, room_expected(pass, job));
}

void room_moves(struct sl_pass *pass, uint32_t job, sl_time from, sl_time to)
{
	if (pass->nodes) {
		nodes_move_end(pass->nodes, job, to);
	} else {
		profile_change(pass, from, -(int64_t)pass->jobs->size[job]);
		profile_change(pass, to, pass->jobs->size[job]);
	}
}

sl_time room_unplan(struct sl_pass *pass, uint32_t job)
{
	const sl_time from = room_expected(pass, job);
	if (room_is_overdue(pass, job))
		overdue_take(pass, job);
	return from;
}

void room_replan(struct sl_pass *pass, uint32_t job, sl_time from)
{
	const bool overdue = joins_overdue(pass, job);
	const sl_time to = room_expected(pass, job);
	if (to != from)
		room_moves(pass, job, from, to);
	if (overdue)
		overdue_put(pass, job);
}

bool room_found(struct sl_pass *pass, uint32_t job)
{
	const bool overdue = joins_overdue(pass, job);
	if (!room_take(pass, job, &(struct where){ 0 }))
		return false;
	if (overdue)
		overdue_put(pass, job);
	return true;
}

void room_holds(struct sl_pass *pass, uint32_t job)
{
	if (!pass->nodes)
		return;
	const struct nodes_sum sum = nodes_held(pass->nodes, job);
	if ((int64_t)sum.nodes > pass->nodes_held[job])
		pass->nodes_held[job] = (int32_t)sum.nodes;
	if (sum.cpus > pass->cpus_held[job])
		pass->cpus_held[job] = sum.cpus;
	if (sum.gpus > pass->gpus_held[job])
		pass->gpus_held[job] = sum.gpus;
	if (!pass->place_first)
		return;
	if (sum.cpus > pass->place_cpus[job])
		pass->place_cpus[job] = sum.cpus;
	if (sum.gpus > pass->place_gpus[job])
		pass->place_gpus[job] = sum.gpus;
}

void room_places(struct sl_pass *pass, uint32_t job)
{
	if (!pass->place_first)
		return;
	const struct sl_piece *piece;
	const size_t count = nodes_pieces(pass->nodes, job, &piece);
	const int status = SL_GROW(pass->place, pass->place_capacity, pass->place_total + count, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	if (count)
		memcpy(pass->place + pass->place_total, piece, count * sizeof(*piece));
	pass->place_first[job] = pass->place_total;
	pass->place_count[job] = (uint32_t)count;
	pass->place_total += count;
	const struct nodes_sum sum = nodes_held(pass->nodes, job);
	pass->place_cpus[job] = sum.cpus;
	pass->place_gpus[job] = sum.gpus;
}

int64_t room_idle(const struct sl_pass *pass, uint32_t kind)
{
	return pass->nodes            ? nodes_idle(pass->nodes, kind)
	       : kind == SL_KIND_CPUS ? pass->cluster.cpus_free
				      : 0;
}

/* ---- Fits ------------------------------------------------------------------------------------ */

bool room_fits(struct sl_pass *pass, uint32_t job)
{
	if (pass->nodes)
		return nodes_fits(pass->nodes, pass->request[job], pass->estimate[job]);
	const int64_t cpus = pass->jobs->size[job];
	return cluster_fits(&pass->cluster, cpus) &&
	       (!pass->windows_ahead || stays_free(pass, cpus, pass->estimate[job]));
}

/* Could any job of the request fit now, however long? Among windows the length decides which nodes there are,
 * and what several groups do on fewer nodes is anybody's guess. */
static bool may_fit(struct sl_pass *pass, uint32_t request)
{
	return (pass->requests[request].group_count > 1 && nodes_window_next(pass->nodes) != SL_NEVER) ||
	       nodes_fits(pass->nodes, request, 0);
}

bool room_any_fits(struct sl_pass *pass)
{
	if (!pass->nodes)
		return pass->cluster.cpus_free && queue_size_min(&pass->queue) <= pass->cluster.cpus_free;
	for (uint32_t i = 0; i < pass->active_count; i++)
		if (may_fit(pass, pass->active[i]))
			return true;
	return false;
}

unsigned room_fitting(struct sl_pass *pass, unsigned set)
{
	unsigned found = 0;
	for (uint32_t i = 0; i < pass->active_count && found != set; i++) {
		const struct sl_request *request = &pass->requests[pass->active[i]];
		const unsigned asks = 1U << OF_CPUS | (request->gpus ? 1U << OF_GPUS : 0) |
				      (request->mem ? 1U << OF_MEM : 0);
		if ((asks & set & ~found) && may_fit(pass, pass->active[i]))
			found |= asks & set;
	}
	return found;
}

struct asked {
	struct sl_pass *pass;
	sl_time room;
	int64_t spare;
	bool guarded;
};

static bool node_job_passes(void *self, uint32_t job)
{
	const struct asked *asked = self;
	struct sl_pass *pass = asked->pass;
	const sl_time length = pass->estimate[job];
	const uint32_t request = pass->request[job];
	if (!nodes_fits(pass->nodes, request, length))
		return false;
	nodes_for(pass->nodes, job);
	return length <= asked->room ||
	       (asked->spare && (!asked->guarded || nodes_guard_allows(pass->nodes, request, length)));
}

static bool pool_job_passes(void *self, uint32_t job)
{
	const struct asked *asked = self;
	const struct sl_pass *pass = asked->pass;
	const int64_t cpus = pass->jobs->size[job];
	const sl_time length = pass->estimate[job];
	return cpus <= pass->cluster.cpus_free && (length <= asked->room || cpus <= asked->spare) &&
	       stays_free(pass, cpus, length);
}

/* One question for each class of like requests that wait; jobs are only tested where it says maybe: among
 * windows, as the place of a job depends on its length, and where ties go by chance, whoever may fit. */
static uint32_t node_next_fit(struct sl_pass *pass, struct queue *queue, uint32_t behind, struct asked *asked)
{
	struct queue_test test = { .self = asked, .passes = node_job_passes, .room = asked->room };
	const bool windows = nodes_window_next(pass->nodes) != SL_NEVER;
	const bool by_chance = pass->placing.ties == SL_TIES_RANDOM;
	for (uint32_t i = 0; i < pass->active_count; i++) {
		const uint32_t request = pass->active[i];
		const uint64_t bit = UINT64_C(1) << pass->request_class[request];
		if (!may_fit(pass, request))
			continue;
		test.classes_room |= bit;
		if (!asked->spare || test.classes_any & bit)
			continue;
		if (!asked->guarded || windows || by_chance ||
			nodes_guard_allows(pass->nodes, request, asked->room + 1))
			test.classes_any |= bit;
	}
	return test.classes_room ? queue_next_that(queue, behind, &test) : UINT32_MAX;
}

uint32_t room_next_fit(
	struct sl_pass *pass, struct queue *queue, uint32_t behind, const struct sl_promise *shadow)
{
	struct asked asked = {
		.pass = pass,
		.room = !shadow || shadow->at == SL_NEVER ? SL_NEVER - 1 : shadow->at - pass->now,
		.spare = shadow ? shadow->spare : 1,
		.guarded = shadow && shadow->at != SL_NEVER,
	};
	if (pass->nodes)
		return node_next_fit(pass, queue, behind, &asked);
	if (!pass->windows_ahead) {
		const struct queue_fit fit = { .free = pass->cluster.cpus_free,
			.room = asked.guarded ? asked.room : SL_NEVER,
			.spare = shadow ? shadow->spare : 0 };
		return queue_next_fit(queue, behind, &fit);
	}
	if (!shadow)
		asked.spare = INT64_MAX;
	const struct queue_test test = { .self = &asked,
		.passes = pool_job_passes,
		.room = asked.room,
		.classes_room = queue_classes_upto(pass->cluster.cpus_free),
		.classes_any = queue_classes_upto(
			asked.spare < pass->cluster.cpus_free ? asked.spare : pass->cluster.cpus_free) };
	return queue_next_that(queue, behind, &test);
}

/* Without windows it would start now: the first of those that are in its way. */
static bool pool_window_keeps(const struct sl_pass *pass, uint32_t job, enum sl_window_kind *kind)
{
	const int64_t cpus = pass->jobs->size[job];
	const sl_time until = time_after(pass->now, pass->estimate[job]);
	if (cpus > pass->cluster.cpus_free + pass->cluster.cpus_closed ||
		(cluster_fits(&pass->cluster, cpus) && stays_free(pass, cpus, pass->estimate[job])))
		return false;
	size_t first = SIZE_MAX;
	for (size_t i = 0; i < pass->window_count; i++)
		if (pass->window[i].until > pass->now && pass->window[i].from < until &&
			(first == SIZE_MAX || pass->window[i].from < pass->window[first].from))
			first = i;
	*kind = first < pass->info->window_count ? pass->info->window[first].kind : SL_WINDOW_RESERVED;
	return first != SIZE_MAX;
}

/* In Slurm's words. */
enum sl_reason room_keeps(struct sl_pass *pass, uint32_t job)
{
	static const enum sl_reason by_window[] = { [SL_WINDOW_RESERVED] = SL_REASON_NODES_RESERVED,
		[SL_WINDOW_MAINT] = SL_REASON_NODES_MAINT,
		[SL_WINDOW_OUTAGE] = SL_REASON_NODES_NOT_AVAIL,
		[SL_WINDOW_STATE] = SL_REASON_NODES_NOT_AVAIL };
	enum sl_window_kind kind;
	const bool kept =
		pass->nodes ? nodes_window_keeps(pass->nodes, pass->request[job], pass->estimate[job], &kind)
			    : pool_window_keeps(pass, job, &kind);
	return kept ? by_window[kind] : SL_REASON_RESOURCES;
}

/* ---- What waits, by request ------------------------------------------------------------------ */

void room_waits(struct sl_pass *pass, uint32_t job, int change)
{
	pass->cpus_queued += change * cpus_of(pass, job);
	if (!pass->request)
		return;
	const uint32_t request = pass->request[job];
	pass->gpus_queued += change * pass->requests[request].gpus;
	pass->mem_queued += change * pass->requests[request].mem;
	uint32_t *waiting = &pass->request_waiting[request];
	if (change > 0 && !(*waiting)++) {
		pass->active_place[request] = pass->active_count;
		pass->active[pass->active_count++] = request;
	}
	if (change < 0 && !--*waiting) {
		const uint32_t last = pass->active[--pass->active_count];
		pass->active[pass->active_place[request]] = last;
		pass->active_place[last] = pass->active_place[request];
	}
}

/* ---- Windows of a counted pool --------------------------------------------------------------- */

static bool push_edge(struct sl_pass *pass, sl_time at, size_t window)
{
	const int status = evq_push(&pass->events, at, SL_EV_RESERVATION, (uint32_t)window, &pass->err);
	pass_failed(pass, status);
	return !status;
}

static bool window_put(struct sl_pass *pass, sl_time from, sl_time until, int64_t cpus)
{
	const int status = SL_GROW_MOST(
		pass->window, pass->window_capacity, pass->window_count + 1, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return false;
	}
	pass->window[pass->window_count++] = (struct pool_window){ from, until, cpus };
	return true;
}

bool window_add(struct sl_pass *pass, sl_time from, sl_time until, int64_t cpus)
{
	if (until <= pass->now || from >= until || cpus < 1 || cpus > pass->cluster.cpus)
		return false;
	from = from > pass->now ? from : pass->now;
	const sl_time free_from =
		profile_earliest(&pass->profile, from, until, cpus - pass->cluster.cpus_free, until - from);
	if (free_from != from || !window_put(pass, from, until, cpus))
		return false;
	pass->windows_ahead++;
	profile_change(pass, from, -cpus);
	profile_change(pass, until, cpus);
	return true;
}

void window_undo(struct sl_pass *pass)
{
	const struct pool_window *window = &pass->window[--pass->window_count];
	pass->windows_ahead--;
	profile_change(pass, window->from, window->cpus);
	profile_change(pass, window->until, -window->cpus);
}

/* Two events a window: it opens, and it closes. */
void window_edge(struct sl_pass *pass, uint32_t row)
{
	if (pass->nodes)
		return; /* nodes_clock sees to it. */
	const struct pool_window *window = &pass->window[row];
	struct cluster *cluster = &pass->cluster;
	if (pass->now < window->until) {
		const int64_t now = window->cpus < cluster->cpus_free ? window->cpus : cluster->cpus_free;
		cluster->cpus_free -= now;
		cluster->cpus_closed += now;
		cluster->cpus_owed += window->cpus - now;
		profile_change(pass, window->from, window->cpus);
		if (window->cpus > now)
			profile_change(pass, SL_NONE + 1, now - window->cpus);
		(void)push_edge(pass, window->until, row);
		return;
	}
	const int64_t unpaid = cluster->cpus_owed < window->cpus ? cluster->cpus_owed : window->cpus;
	cluster->cpus_owed -= unpaid;
	if (unpaid)
		profile_change(pass, SL_NONE + 1, unpaid);
	cluster->cpus_closed -= window->cpus - unpaid;
	cluster->cpus_free += window->cpus - unpaid;
	profile_change(pass, window->until, -window->cpus);
	pass->windows_ahead--;
}

/* ---- Init ------------------------------------------------------------------------------------ */

/* SL_USE_NODES: each cpu of the pool becomes a node, each size a request. */
static int pool_as_nodes(struct sl_pass *pass, struct sl_err *err)
{
	const struct sl_jobs *jobs = pass->jobs;
	const int64_t cpus = pass->cluster.cpus;
	static const char *const kinds[] = { "cpus", "memory" };
	struct sl_cluster *info = sl_alloc(pass->arena, 1, sizeof(*info));
	struct sl_node_type *type = sl_alloc(pass->arena, 1, sizeof(*type));
	uint32_t *types = sl_alloc(pass->arena, (size_t)cpus, sizeof(*types));
	uint32_t *request = sl_alloc(pass->arena, jobs->count, sizeof(*request));
	uint32_t *of_size = sl_alloc(pass->arena, (size_t)cpus + 1, sizeof(*of_size));
	if (!info || !type || !types || !request || !of_size)
		return sl_fail_memory(err);
	uint32_t count = 0;
	for (uint32_t job = 0; job < jobs->count; job++) {
		uint32_t *of = &of_size[jobs->size[job]];
		if (!*of)
			*of = ++count;
		request[job] = *of - 1;
	}
	struct sl_request *requests = sl_alloc(pass->arena, count, sizeof(*requests));
	struct sl_group *group = sl_alloc(pass->arena, count, sizeof(*group));
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
	*info = (struct sl_cluster){ .name = pass->info->name,
		.cpus = cpus,
		.node_count = (uint32_t)cpus,
		.type_count = 1,
		.kind_count = 2,
		.node_type = types,
		.type = type,
		.kind_name = kinds };
	pass->info = info;
	pass->request = request;
	pass->requests = requests;
	pass->request_count = count;
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

static int init_classes(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t count = pass->request_count;
	struct frequency *frequency = sl_alloc(pass->arena, count, sizeof(*frequency));
	pass->request_class = sl_alloc(pass->arena, count, 1);
	pass->request_waiting = sl_alloc(pass->arena, count, sizeof(*pass->request_waiting));
	pass->active = sl_alloc(pass->arena, count, sizeof(*pass->active));
	pass->active_place = sl_alloc(pass->arena, count, sizeof(*pass->active_place));
	if (!frequency || !pass->request_class || !pass->request_waiting || !pass->active ||
		!pass->active_place)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		frequency[i].request = i;
	for (uint32_t job = 0; job < pass->jobs->count; job++)
		frequency[pass->request[job]].jobs++;
	qsort(frequency, count, sizeof(*frequency), frequency_compare);
	for (uint32_t i = 0; i < count; i++)
		pass->request_class[frequency[i].request] =
			(uint8_t)(i + 1 < QUEUE_CLASSES ? i + 1 : QUEUE_CLASSES - 1);
	return SL_OK;
}

static int init_windows(struct sl_pass *pass, struct sl_err *err)
{
	for (uint32_t i = 0; i < pass->info->window_count; i++) {
		const struct sl_window *window = &pass->info->window[i];
		if (window->until <= pass->now &&
			pass->scenario->begins) { /* Over before the replay begins. */
			if (!pass->nodes && !window_put(pass, window->from, window->until, window->cpus))
				return pass->status;
			continue;
		}
		if (!pass->nodes && !window_add(pass, window->from, window->until, window->cpus))
			return pass->status
				       ? pass->status
				       : sl_fail(err, SL_INPUT,
						 "reservation '%s' asks for more than the cluster has then, or is over "
						 "before the replay begins",
						 window->name);
		(void)push_edge(pass, window->from > pass->now ? window->from : pass->now, i);
		if (pass->nodes)
			(void)push_edge(pass, window->until, i);
	}
	return pass->status;
}

/* Nodes of one cpu, and tasks of one cpu that do not mind where: nothing but their number decides. Windows
 * are of named nodes: where one ends as the next one opens, one is always free, and none for long. */
static bool is_countable(const struct sl_pass *pass)
{
	const struct placing *placing = &pass->placing;
	const bool devices = placing->devices || placing->rule->devices || placing->rule->by_island;
	if (pass->info->window_count)
		return false;
	for (uint32_t i = 0; i < pass->info->type_count; i++)
		if (pass->info->type[i].amount[SL_KIND_CPUS] != 1 ||
			(devices && pass->info->type[i].device_count))
			return false;
	for (uint32_t i = 0; i < pass->request_count; i++) {
		const struct sl_request *request = &pass->requests[i];
		const struct sl_group *group = request->group;
		if (request->group_count != 1 || group->task.cpus != 1 || group->task.mem ||
			group->task.gpus || group->node_set || group->nodes_min > group->tasks ||
			group->tasks_min != group->tasks_max ||
			(group->nodes_max && group->nodes_max < group->tasks))
			return false;
	}
	return true;
}

/* The other way round: such nodes are counted, unless the policy asks for their names. */
static int nodes_as_pool(struct sl_pass *pass, struct sl_err *err)
{
	struct sl_cluster *info = sl_alloc(pass->arena, 1, sizeof(*info));
	if (!info)
		return sl_fail_memory(err);
	*info = (struct sl_cluster){ .name = pass->info->name,
		.cpus = pass->info->cpus,
		.kind_count = 1,
		.kind_name = pass->info->kind_name };
	pass->info = info;
	pass->request = NULL;
	pass->requests = NULL;
	pass->request_count = 0;
	return SL_OK;
}

int sl_set_placer(const struct sl_setup *setup, const struct sl_placer *placer, struct sl_err *err)
{
	struct sl_pass *pass = setup->pass;
	if (!pass->info->node_count)
		return sl_fail(
			err, SL_USAGE, "place=%s chooses nodes: give some, with -c CLUSTER", placer->name);
	pass->placer_asked = true;
	pass->uses |= SL_USE_NODES;
	if (pass->placer == placer)
		return SL_OK; /* It goes on from what it knows. */
	if (pass->running || pass->suspended)
		return sl_fail(err, SL_USAGE,
			"place=%s cannot take over what runs under another placing: let the run begin under it",
			placer->name);
	room_placer_release(pass);
	pass->placer = placer;
	return placer->init(&pass->placer_state, setup, err);
}

const char *room_refuses(struct sl_pass *pass, uint32_t job)
{
	if (!pass->placer || !pass->placer->refuses)
		return NULL;
	return pass->placer->refuses(pass->placer_state, (sl_job){ job });
}

void room_placer_release(struct sl_pass *pass)
{
	if (pass->placer)
		pass->placer->release(pass->placer_state);
	pass->placer = NULL;
}

/* SL_USE_CONTROL: the cluster as nodes are given out of: without windows, and without following devices one
 * by one, as who shares which is the policy's; and with as much again as may be given out at a time. */
static const struct sl_cluster *controlled(struct sl_pass *pass)
{
	const struct sl_cluster *info = pass->info;
	const int64_t times = pass->overcommit ? pass->overcommit : 1;
	struct sl_cluster *lent = sl_alloc(pass->arena, 1, sizeof(*lent));
	struct sl_node_type *type = sl_alloc(pass->arena, info->type_count, sizeof(*type));
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

int room_init(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t jobs = pass->jobs->count;
	int status = SL_OK;
	if (pass->placer && pass->uses & SL_USE_PROMISES)
		return sl_fail(err, SL_USAGE,
			"place=%s promises no nodes: take a plan without promises (fcfs, greedy, easy)",
			pass->placer->name);
	pass->placing.devices = (pass->uses & SL_USE_DEVICES) != 0;
	pass->placing.amounts = (pass->uses & SL_USE_OWN_DEVICES) != 0;
	if (pass->info->node_count && !(pass->uses & SL_USE_NODES) && is_countable(pass))
		status = nodes_as_pool(pass, err);
	if (!status && pass->uses & SL_USE_NODES && !pass->info->node_count)
		status = pool_as_nodes(pass, err);
	if (!status && pass->info->node_count) {
		status = init_classes(pass, err);
		pass->nodes_held = sl_alloc(pass->arena, jobs, sizeof(*pass->nodes_held));
		pass->cpus_held = sl_alloc(pass->arena, jobs, sizeof(*pass->cpus_held));
		pass->gpus_held = sl_alloc(pass->arena, jobs, sizeof(*pass->gpus_held));
		const bool places = pass->options.record & SIM_RECORD_PLACES;
		if (places) {
			pass->place_first = sl_alloc(pass->arena, jobs, sizeof(*pass->place_first));
			pass->place_count = sl_alloc(pass->arena, jobs, sizeof(*pass->place_count));
			pass->place_cpus = sl_alloc(pass->arena, jobs, sizeof(*pass->place_cpus));
			pass->place_gpus = sl_alloc(pass->arena, jobs, sizeof(*pass->place_gpus));
		}
		if (!status && (!pass->nodes_held || !pass->cpus_held || !pass->gpus_held ||
				       (places && (!pass->place_first || !pass->place_count ||
							  !pass->place_cpus || !pass->place_gpus))))
			status = sl_fail_memory(err);
		const struct sl_cluster *lent = is_controlled(pass) ? controlled(pass) : pass->info;
		if (!status && !lent)
			status = sl_fail_memory(err);
		if (!status)
			status = nodes_new(&pass->nodes, lent, pass->requests, pass->request_count, jobs,
				&pass->placing, err);
	}
	return status || is_controlled(pass) ? status : init_windows(pass, err);
}
