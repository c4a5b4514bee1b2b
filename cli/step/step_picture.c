/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_picture.c - who waits, who runs, what is free, as far as is shown.
 *
 * Between instants that is the engine's state. Within one it is the state before it, with the shown events of
 * the instant on top: a job that ended has released its allocation, one that starts has allocated its
 * request.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

struct taking {
	const struct stepper *stepper;
	struct sl_pass *pass;
	struct picture *picture;
	bool *gone; /* By job: it runs no more. */
};

int64_t job_cpus(const struct stepper *stepper, uint32_t job)
{
	const struct sl_request *request = view_request(&stepper->explain.view, job);
	return request ? request->cpus : stepper->explain.view.jobs->size[job];
}

int64_t job_gpus(const struct stepper *stepper, uint32_t job)
{
	const struct sl_request *request = view_request(&stepper->explain.view, job);
	return request ? request->gpus : 0;
}

static struct waiting *find_waiting(const struct picture *picture, uint32_t job)
{
	for (size_t i = 0; i < picture->waiting_count; i++)
		if (picture->waiting[i].job == job)
			return &picture->waiting[i];
	return NULL;
}

static void add_waiting(struct picture *picture, uint32_t job, unsigned flags)
{
	struct waiting *there = find_waiting(picture, job);
	if (there)
		there->flags = flags;
	else
		picture->waiting[picture->waiting_count++] = (struct waiting){ job, flags };
}

static void drop_waiting(struct picture *picture, uint32_t job)
{
	struct waiting *there = find_waiting(picture, job);
	if (!there)
		return;
	const size_t behind = picture->waiting_count - (size_t)(there - picture->waiting) - 1;
	memmove(there, there + 1, behind * sizeof(*there));
	picture->waiting_count--;
}

/* ---- The engine's ------------------------------------------------------------------------------ */

static int compare_starts(const void *a, const void *b, void *start)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	const sl_time *of = start;
	if (of[x] != of[y])
		return of[x] < of[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static void take_jobs(struct taking *taking)
{
	struct picture *picture = taking->picture;
	struct sl_pass *pass = taking->pass;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job))
		picture->waiting[picture->waiting_count++] = (struct waiting){ job.row, 0 };
	for (uint32_t job = 0; job < pass->submitted; job++) {
		if (is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED)
			picture->running[picture->running_count++] = job;
		else if (pass->job_state[job] == SL_PENDING && !is_waiting(pass, job))
			picture->waiting[picture->waiting_count++] = (struct waiting){ job, FLAG_HELD };
	}
	qsort_r(picture->running, picture->running_count, sizeof(*picture->running), compare_starts,
		pass->start);
}

/* Priorities that the policy reports, by job; others stand in the order of the queue. */
struct ranked {
	struct waiting waiting;
	double priority;
	size_t place;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	if (x->priority < y->priority || x->priority > y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Of the highest, where a job has one in each of several partitions. */
static void rank_by(
	struct ranked *ranked, const uint32_t *place, const struct view_table *table, uint32_t jobs)
{
	for (size_t row = 0; row < table->row_count; row++) {
		const double job = table_number(table, row, "job");
		const double priority = table_number(table, row, "priority");
		if (!(job >= 0 && job < jobs) || !place[(uint32_t)job])
			continue;
		struct ranked *one = &ranked[place[(uint32_t)job] - 1];
		if (priority > one->priority)
			one->priority = priority;
	}
}

static int rank_waiting(struct taking *taking, struct sl_err *err)
{
	const struct view *view = &taking->stepper->explain.view;
	struct picture *picture = taking->picture;
	const size_t count = sl_queue_count(taking->pass);
	struct view_table table = { 0 };
	if (!taking->pass->policy->table || !count)
		return SL_OK;
	const int status =
		view_take_table(view->arena, taking->pass, taking->stepper->now, "jobs", &table, err);
	if (status || !table.known || !table_has(&table, "priority"))
		return status;
	struct ranked *ranked = sl_alloc(view->arena, count, sizeof(*ranked));
	uint32_t *place = sl_alloc(view->arena, (size_t)view->jobs->count + 1, sizeof(*place));
	if (!ranked || !place)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		ranked[i] = (struct ranked){ picture->waiting[i], -1, i };
		place[picture->waiting[i].job] = (uint32_t)i + 1;
	}
	rank_by(ranked, place, &table, view->jobs->count);
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < count; i++)
		picture->waiting[i] = ranked[i].waiting;
	return SL_OK;
}

static void take_capacity(struct taking *taking)
{
	const struct sl_cluster *cluster = taking->stepper->explain.view.cluster;
	struct picture *picture = taking->picture;
	picture->cpus_free = sl_free(taking->pass, SL_KIND_CPUS);
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		picture->gpus_free += sl_free(taking->pass, kind);
	for (uint32_t node = 0; picture->node_cpus && node < cluster->node_count; node++) {
		const struct nodes_sum used = nodes_used(taking->pass->nodes, node);
		picture->node_cpus[node] = used.cpus;
		picture->node_gpus[node] = used.gpus;
	}
}

/* ---- When it would fit ---------------------------------------------------------------------- */

struct leaving {
	sl_time at;
	int64_t cpus;
};

static int compare_leavings(const void *a, const void *b)
{
	const struct leaving *x = a;
	const struct leaving *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->cpus > y->cpus) - (x->cpus < y->cpus);
}

static sl_time capacity_in_pool(const struct stepper *stepper, const struct picture *picture, uint32_t job)
{
	const struct sl_pass *pass = sim_state(&stepper->sim);
	struct leaving *leaving =
		sl_alloc(stepper->explain.view.arena, picture->running_count + 1, sizeof(*leaving));
	int64_t idle = picture->cpus_free;
	sl_time at = SL_NONE;
	for (size_t i = 0; leaving && i < picture->running_count; i++)
		leaving[i] = (struct leaving){ expected_room(pass, picture->running[i]),
			job_cpus(stepper, picture->running[i]) };
	if (leaving)
		qsort(leaving, picture->running_count, sizeof(*leaving), compare_leavings);
	for (size_t i = 0; leaving && i < picture->running_count && idle < job_cpus(stepper, job); i++) {
		idle += leaving[i].cpus;
		at = leaving[i].at;
	}
	return idle < job_cpus(stepper, job) ? SL_NONE : at;
}

sl_time capacity_by_limits(const struct stepper *stepper, const struct picture *picture, uint32_t job)
{
	struct sl_pass *pass = &stepper->sim.engine->sim;
	if (stepper->displayed) /* The engine stands before that. */
		return SL_NONE;
	const sl_time at = pass->nodes && pass->request
				   ? nodes_soonest(pass->nodes, pass->request[job], pass->estimate[job])
				   : capacity_in_pool(stepper, picture, job);
	return at == SL_NEVER || at <= stepper->now ? SL_NONE : at;
}

/* ---- What is shown of the next instant ------------------------------------------------------------ */

/* Its allocation is released. */
static void give_back(struct taking *taking, uint32_t job)
{
	struct picture *picture = taking->picture;
	const struct sl_node_tasks *alloc;
	if (taking->gone[job] || !is_running(taking->pass, job))
		return;
	taking->gone[job] = true;
	if (!picture->node_cpus) {
		picture->cpus_free += cpus_of(taking->pass, job);
		return;
	}
	const struct nodes_sum held = nodes_held(taking->pass->nodes, job);
	picture->cpus_free += held.cpus;
	picture->gpus_free += held.gpus;
	const size_t count = nodes_allocs(taking->pass->nodes, job, &alloc);
	for (size_t i = 0; i < count; i++) {
		const struct nodes_sum on = nodes_held_on(taking->pass->nodes, job, alloc[i].node);
		if (i && alloc[i].node == alloc[i - 1].node)
			continue; /* Several groups on one node: their allocations there are summed. */
		picture->node_cpus[alloc[i].node] -= on.cpus;
		picture->node_gpus[alloc[i].node] -= on.gpus;
	}
}

/* Where its attempt of that start was. */
static struct sl_allocation allocation_then(const struct sl_result *result, uint32_t job, sl_time start)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	for (size_t i = 0; i < count; i++)
		if (attempt[i].start == start)
			return sl_allocation_of(result, job, &attempt[i]);
	return sl_allocation_of(result, job, NULL);
}

static void take_start(struct taking *taking, uint32_t job)
{
	struct picture *picture = taking->picture;
	const struct sl_request *request = view_request(&taking->stepper->explain.view, job);
	picture->cpus_free -= job_cpus(taking->stepper, job);
	picture->gpus_free -= job_gpus(taking->stepper, job);
	picture->starting++;
	add_waiting(picture, job, FLAG_STARTS);
	if (!picture->node_cpus || !request)
		return;
	const struct sl_allocation allocation =
		allocation_then(taking->stepper->explain.view.result, job, taking->stepper->now);
	for (uint32_t i = 0; i < allocation.count; i++) {
		const struct sl_node_tasks *alloc = &allocation.alloc[i];
		const struct sl_task_resources *task = &request->group[alloc->group].task;
		picture->node_cpus[alloc->node] += task->cpus * alloc->tasks;
		picture->node_gpus[alloc->node] += task->gpus * alloc->tasks;
	}
}

static void lay_over(struct taking *taking, const struct happening *happening)
{
	struct picture *picture = taking->picture;
	switch ((enum happened)happening->what) {
	case HAPPENED_SUBMIT: /* It cannot be there yet. */
		picture->waiting[picture->waiting_count++] = (struct waiting){ happening->row, FLAG_NEW };
		break;
	case HAPPENED_RELEASED:
		add_waiting(picture, happening->row, FLAG_NEW);
		break;
	case HAPPENED_GATED:
	case HAPPENED_DEFERRED:
		add_waiting(picture, happening->row, FLAG_HELD);
		break;
	case HAPPENED_END:
	case HAPPENED_LIMIT:
	case HAPPENED_CANCEL:
	case HAPPENED_DEADLINE:
	case HAPPENED_FAILED:
	case HAPPENED_STOP:
		drop_waiting(picture, happening->row);
		give_back(taking, happening->row);
		break;
	case HAPPENED_REQUEUED:
	case HAPPENED_PREEMPT:
		give_back(taking, happening->row);
		if (happening->what == HAPPENED_REQUEUED || happening->how == SL_PREEMPT_REQUEUE ||
			happening->how == SL_PREEMPT_CHECKPOINT)
			add_waiting(picture, happening->row, FLAG_BACK);
		break;
	case HAPPENED_START:
		take_start(taking, happening->row);
		break;
	case HAPPENED_NODE_DOWN:
	case HAPPENED_NODE_UP:
	case HAPPENED_DRAIN:
	case HAPPENED_UNDRAIN:
	case HAPPENED_WINDOW:
	case HAPPENED_RESUME:
	case HAPPENED_RESIZE:
	case HAPPENED_PLAN:
		break;
	}
}

static void drop_gone(struct taking *taking)
{
	struct picture *picture = taking->picture;
	size_t kept = 0;
	for (size_t i = 0; i < picture->running_count; i++)
		if (!taking->gone[picture->running[i]])
			picture->running[kept++] = picture->running[i];
	picture->running_count = kept;
}

int picture_take(const struct stepper *stepper, struct picture *picture, struct sl_err *err)
{
	const struct view *view = &stepper->explain.view;
	struct sl_pass *pass = &stepper->sim.engine->sim;
	const size_t most = (size_t)view->jobs->count + 1;
	*picture = (struct picture){ 0 };
	struct taking taking = { stepper, pass, picture, sl_alloc(view->arena, most, sizeof(bool)) };
	picture->waiting = sl_alloc(view->arena, most, sizeof(*picture->waiting));
	picture->running = sl_alloc(view->arena, most, sizeof(*picture->running));
	bool there = taking.gone && picture->waiting && picture->running;
	if (pass->nodes && view->cluster->node_count) {
		picture->node_cpus = sl_alloc(view->arena, view->cluster->node_count, sizeof(int64_t));
		picture->node_gpus = sl_alloc(view->arena, view->cluster->node_count, sizeof(int64_t));
		there = there && picture->node_cpus && picture->node_gpus;
	}
	if (!there)
		return sl_fail_memory(err);
	take_jobs(&taking);
	const int status = rank_waiting(&taking, err);
	if (status)
		return status;
	take_capacity(&taking);
	for (uint32_t i = 0; i < stepper->displayed; i++)
		lay_over(&taking, step_happening(stepper, stepper->at, i));
	drop_gone(&taking);
	return SL_OK;
}
