/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_job.c - what a view says of a job: user, request, allocation, reason of its wait.
 *
 * Where a trace has numbers in place of names, the numbers are printed.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

/* ---- Who --------------------------------------------------------------------------------- */

const struct sl_job_attributes *view_more(const struct view *view, uint32_t job)
{
	static const struct sl_job_attributes nothing = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
	const struct sl_jobs *jobs = view->jobs;
	return jobs->more_of && jobs->more_of[job] ? &jobs->more[jobs->more_of[job]] : &nothing;
}

const struct sl_request *view_request(const struct view *view, uint32_t job)
{
	return view->jobs->request ? &view->jobs->requests[view->jobs->request[job]] : NULL;
}

const struct sl_job_desc *view_desc(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	return request ? request->desc : NULL;
}

static void put_named(
	struct cell *cell, int32_t number, const char *const *name, uint32_t count, const char *none)
{
	if (number < 0)
		cell_put(cell, "%s", none);
	else if (name && (uint32_t)number < count)
		cell_put(cell, "%s", name[number]);
	else
		cell_put(cell, "%" PRId32, number);
}

void put_user(struct cell *cell, const struct view *view, uint32_t job, const char *none)
{
	const struct sl_jobs *jobs = view->jobs;
	put_named(cell, jobs->user[job], jobs->user_name, jobs->user_count, none);
}

void put_account(struct cell *cell, const struct view *view, uint32_t job, const char *none)
{
	const struct sl_jobs *jobs = view->jobs;
	put_named(cell, jobs->account[job], jobs->account_name, jobs->account_count, none);
}

/* What it asked for, or the default one. */
void put_partition(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_jobs *jobs = view->jobs;
	if (view->reported && view->reported[job].partition) {
		cell_put(cell, "%s", view->reported[job].partition);
		return;
	}
	const char *fallback = view->partition_count ? view->partition[0].name : "";
	for (uint32_t i = 0; i < view->partition_count; i++)
		if (view->partition[i].is_default)
			fallback = view->partition[i].name;
	put_named(cell, jobs->partition[job], jobs->partition_name, jobs->partition_count, fallback);
}

const char *view_qos(const struct view *view, uint32_t job)
{
	const char *reported = view->reported ? view->reported[job].qos : NULL;
	return reported ? reported : view_more(view, job)->qos;
}

int64_t view_array(const struct view *view, uint32_t job)
{
	const struct sl_job_attributes *more = view_more(view, job);
	/* Steps of a Workflow of which so many run at a time have names, and differ: they are no tasks. */
	const bool task = more->array_task != SL_NONE && !more->manifest;
	return task && more->array != SL_NONE ? more->array : SL_NONE;
}

void put_job_raw(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_jobs *jobs = view->jobs;
	const int64_t array = view_array(view, job);
	/* Below 0: the trace has a text in place of a number, of a task that was never split off its array.
	 */
	if (jobs->id[job] >= 0)
		cell_put(cell, "%" PRId64, jobs->id[job]);
	else if (array != SL_NONE)
		cell_put(cell, "%" PRId64, array);
	else
		cell_put(cell, "%s", jobs->id_name && jobs->id_name[job] ? jobs->id_name[job] : "0");
}

void put_job_id(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_jobs *jobs = view->jobs;
	if (view_array(view, job) != SL_NONE)
		cell_put(cell, "%" PRId64 "_%" PRId64, view_array(view, job),
			view_more(view, job)->array_task);
	else if (jobs->id_name && jobs->id_name[job])
		cell_put(cell, "%s", jobs->id_name[job]);
	else
		put_job_raw(cell, view, job);
}

/* ---- States and reasons -------------------------------------------------------------------- */

static const struct {
	const char *brief;
	int rank;
} states[SL_STATE_COUNT] = {
	[SL_PENDING] = { "PD", 0 },
	[SL_RUNNING] = { "R", 1 },
	[SL_SUSPENDED] = { "S", 2 },
	[SL_COMPLETED] = { "CD", 3 },
	[SL_CANCELLED] = { "CA", 4 },
	[SL_FAILED] = { "F", 5 },
	[SL_TIMEOUT] = { "TO", 6 },
	[SL_NODE_FAIL] = { "NF", 7 },
	[SL_PREEMPTED] = { "PR", 8 },
	[SL_BOOT_FAIL] = { "BF", 9 },
	[SL_DEADLINE] = { "DL", 10 },
	[SL_OUT_OF_MEMORY] = { "OOM", 11 },
};

static const char *view_state_short(enum sl_state state) { return states[state].brief; }

int view_state_rank(enum sl_state state) { return states[state].rank; }

bool view_state_is(enum sl_state state, const char *word)
{
	return strcasecmp(word, sl_state_name(state)) == 0 || strcasecmp(word, states[state].brief) == 0;
}

/* Also those that no run of ours is ever in: a tool may ask for them. */
bool view_state_known(const char *word)
{
	static const char *const other[] = { "CG", "COMPLETING", "CF", "CONFIGURING", "SE", "SPECIAL_EXIT",
		"ST", "STOPPED", "RV", "REVOKED", "RS", "RESIZING", "RQ", "REQUEUED", "RH", "REQUEUE_HOLD",
		"RF", "REQUEUE_FED", "SI", "SIGNALING", "SO", "STAGE_OUT", "RD", "RESV_DEL_HOLD" };
	for (int state = 0; state < SL_STATE_COUNT; state++)
		if (view_state_is((enum sl_state)state, word))
			return true;
	for (size_t i = 0; i < SL_LEN(other); i++)
		if (strcasecmp(word, other[i]) == 0)
			return true;
	return false;
}

static bool view_boots(const struct view *view, uint32_t job)
{
	return view->reported && view->reported[job].boots != SL_NONE;
}

enum sl_state view_state(const struct view *view, uint32_t job)
{
	return view_boots(view, job) ? SL_RUNNING : sl_state_reported(view->result, job);
}

const char *view_state_word(const struct view *view, uint32_t job, bool brief)
{
	const enum sl_state state = view_state(view, job);
	if (view_boots(view, job))
		return brief ? "CF" : "CONFIGURING";
	return brief ? view_state_short(state) : sl_state_name(state);
}

bool view_ended(const struct view *view, uint32_t job)
{
	const uint8_t state = view->result->state[job];
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* By the last change that is not later than now. */
enum sl_reason view_reason(const struct view *view, uint32_t job)
{
	const enum sl_reason reason = sl_reason_last(view->result, job);
	return reason == SL_REASON_CONFIGURING ? SL_REASON_NONE : reason; /* As Slurm prints it. */
}

/* ---- Times ------------------------------------------------------------------------------------ */

sl_time view_start(const struct view *view, uint32_t job)
{
	const struct sl_result *result = view->result;
	const struct sl_attempt *attempt;
	if (view_boots(view, job))
		return view->reported[job].boots;
	if (result->state[job] == SL_PENDING)
		return SL_NONE;
	const size_t count = sl_attempts_of(result, job, &attempt);
	return count ? attempt[count - 1].start : result->start[job];
}

/* Of its last attempt, as Slurm reports it. */
sl_time view_ran(const struct view *view, uint32_t job)
{
	const struct sl_result *result = view->result;
	const struct sl_attempt *attempt;
	const sl_time start = view_start(view, job);
	if (start == SL_NONE)
		return 0;
	const sl_time end = view_ended(view, job) ? result->end[job] : view->now;
	const size_t count = view_boots(view, job) ? 0 : sl_attempts_of(result, job, &attempt);
	const sl_time suspended = view_boots(view, job) ? 0
				  : count               ? attempt[count - 1].suspended
				  : result->suspended   ? result->suspended[job]
							: 0;
	return (seconds_of(end) - seconds_of(start)) * SL_SECOND - suspended;
}

/* Longer than this is no limit at all. */
static bool is_unlimited(sl_time limit) { return limit >= SL_TIME_MOST; }

sl_time view_limit(const struct view *view, uint32_t job)
{
	return view->reported && view->reported[job].known ? view->reported[job].limit
							   : view->jobs->limit[job];
}

sl_time view_submit(const struct view *view, uint32_t job)
{
	return view->reported && view->reported[job].known && view->reported[job].submit != SL_NONE
		       ? view->reported[job].submit
		       : view->jobs->submit[job];
}

sl_time view_eligible(const struct view *view, uint32_t job)
{
	const struct sl_job_attributes *more = view_more(view, job);
	const sl_time submit = view->jobs->submit[job];
	if (view->reported && view->reported[job].known)
		return view->reported[job].eligible;
	return more->begin != SL_NONE && more->begin > submit ? more->begin : submit;
}

sl_time view_accrues(const struct view *view, uint32_t job)
{
	return view->reported && view->reported[job].known ? view->reported[job].accrues
							   : view_eligible(view, job);
}

void put_limit(struct cell *cell, const struct view *view, uint32_t job, bool full)
{
	const sl_time limit = view_limit(view, job);
	if (is_unlimited(limit))
		cell_put(cell, "UNLIMITED");
	else
		put_range(cell, seconds_of(limit), full);
}

sl_time view_limit_end(const struct view *view, uint32_t job)
{
	const sl_time limit = view_limit(view, job);
	const sl_time start = view_start(view, job);
	const sl_time stood = view_start(view, job) != SL_NONE ? view->now - start - view_ran(view, job) : 0;
	return start == SL_NONE || is_unlimited(limit) ? SL_NONE : start + limit + (stood > 0 ? stood : 0);
}

/* ---- Amounts ---------------------------------------------------------------------------------- */

int64_t view_tasks_asked(const struct sl_job_desc *desc)
{
	const int64_t nodes = desc->nodes_min > 0 ? desc->nodes_min : 1;
	if (desc->tasks > 0)
		return desc->tasks;
	return desc->tasks_per_node > 0 ? desc->tasks_per_node * nodes : nodes;
}

/* As it was written: the engine's request is in whole cores. */
int64_t view_cpus_asked(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	const struct sl_job_desc *desc = view_desc(view, job);
	int64_t cpus = 0;
	if (!request)
		return view->jobs->size[job];
	if (!desc)
		return request->cpus;
	for (uint32_t i = 0; i < request->group_count; i++)
		cpus += view_tasks_asked(&desc[i]) * (desc[i].cpus_per_task > 0 ? desc[i].cpus_per_task : 1);
	return cpus * sl_parts(view->cluster->cpu_parts);
}

/* It has been on nodes: its allocation counts, not its request. */
static bool has_held(const struct view *view, uint32_t job) { return view->result->start[job] != SL_NONE; }

int64_t view_job_cpus(const struct view *view, uint32_t job)
{
	return has_held(view, job) ? sl_cpus_of(view->result, job) : view_cpus_asked(view, job);
}

/* At least so many, for its request; on a counted pool one for each cpu, as in jobs.csv. */
static int64_t nodes_asked(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	const struct sl_job_desc *desc = view_desc(view, job);
	int64_t nodes = 0;
	if (!request)
		return view->jobs->size[job];
	if (desc && desc->nodes_min != SL_NONE)
		return desc->nodes_min;
	for (uint32_t i = 0; i < request->group_count; i++) {
		const struct sl_group *group = &request->group[i];
		const uint32_t each = group->tasks_per_node;
		const uint32_t least = each ? (group->tasks + each - 1) / each : 1;
		nodes += group->nodes_min > least ? group->nodes_min : least;
	}
	return nodes;
}

int64_t view_job_nodes(const struct view *view, uint32_t job)
{
	const struct view_place *place = &view->place[job];
	int64_t count = 0;
	for (size_t i = 0; i < place->count; i++)
		count += !i || place->alloc[i].node != place->alloc[i - 1].node;
	if (count)
		return count;
	if (view->result->nodes_held && view->cluster->node_count && view->result->nodes_held[job] > 0)
		return view->result->nodes_held[job];
	return nodes_asked(view, job);
}

static const struct sl_partition *spec_of(const struct view *view, uint32_t job)
{
	const struct sl_partition *found = NULL;
	struct cell cell = { 0 };
	put_partition(&cell, view, job);
	for (uint32_t i = 0; i < view->partition_count && cell.text && !found; i++)
		if (strcmp(view->partition[i].name, cell.text) == 0)
			found = view->partition[i].spec;
	cell_free(&cell);
	return found;
}

/* MiB of each cpu, where the job requests so, or its partition's default says so; else SL_NONE.
 */
static int64_t mem_a_cpu(const struct view *view, uint32_t job)
{
	const struct sl_job_desc *desc = view_desc(view, job);
	const struct sl_request *request = view_request(view, job);
	if (!desc || desc->mem_per_cpu != SL_NONE || desc->mem_per_node != SL_NONE ||
		desc->mem_per_gpu != SL_NONE)
		return desc ? desc->mem_per_cpu : SL_NONE;
	const struct sl_partition *spec = spec_of(view, job);
	const bool by_gpu = spec && spec->mem_per_gpu != SL_NONE && request && request->gpus;
	return !view->cluster->mem_counts || !spec || by_gpu ? SL_NONE : spec->mem_per_cpu;
}

bool view_is_mem_a_cpu(const struct view *view, uint32_t job) { return mem_a_cpu(view, job) > 0; }

/* So many cpus have each what was asked of one. */
static int64_t mem_of(const struct view *view, uint32_t job, int64_t cpus)
{
	const struct sl_request *request = view_request(view, job);
	const int64_t each = mem_a_cpu(view, job);
	const int64_t whole = cpus / sl_parts(view->cluster->cpu_parts);
	if (each > 0 && whole > 0 && each < SL_MEM_UNBOUNDED / whole)
		return each * whole;
	return request && request->mem < SL_MEM_UNBOUNDED ? request->mem : 0;
}

int64_t view_mem_asked(const struct view *view, uint32_t job)
{
	return mem_of(view, job, view_cpus_asked(view, job));
}

/* MiB in all; 0: not said. */
static int64_t view_job_mem(const struct view *view, uint32_t job)
{
	return mem_of(view, job, view_job_cpus(view, job));
}

struct held {
	int64_t cpus, gpus, mem, nodes, billing; /* billing: SL_NONE: as the cpus. */
};

static void put_amounts(struct cell *cell, const struct view *view, const struct held *held, bool sorted)
{
	const struct amount cpus = view_cpus(view, held->cpus);
	const struct amount billing = held->billing == SL_NONE ? cpus : amount_of(held->billing, 1);
	struct cell memory = { 0 };
	if (held->mem) {
		cell_put(&memory, "mem=");
		put_mem(&memory, held->mem);
		cell_put(&memory, ",");
	}
	const char *mem = memory.text ? memory.text : "";
	if (sorted)
		cell_put(cell, "billing=%s,cpu=%s", billing.text, cpus.text);
	else
		cell_put(cell, "cpu=%s,%snode=%" PRId64 ",billing=%s", cpus.text, mem, held->nodes,
			billing.text);
	if (held->gpus)
		cell_put(cell, ",gres/gpu=%s", view_gpus(view, held->gpus).text);
	if (sorted)
		cell_put(cell, ",%snode=%" PRId64, mem, held->nodes);
	cell_free(&memory);
}

void put_tres(struct cell *cell, const struct view *view, uint32_t job, bool sorted)
{
	const bool billed = view->reported && view->reported[job].billing >= 0;
	const struct held held = {
		.cpus = view_job_cpus(view, job),
		.gpus = sl_gpus_of(view->result, job),
		.mem = view_job_mem(view, job),
		.nodes = view_job_nodes(view, job),
		.billing = billed ? view->reported[job].billing : SL_NONE,
	};
	put_amounts(cell, view, &held, sorted);
}

void put_tres_wanted(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	const struct held held = {
		.cpus = view_cpus_asked(view, job),
		.gpus = request ? request->gpus : 0,
		.mem = view_mem_asked(view, job),
		.nodes = nodes_asked(view, job),
		.billing = SL_NONE,
	};
	put_amounts(cell, view, &held, true);
}

void put_tres_per_node(struct cell *cell, const struct view *view, uint32_t job, const char *none)
{
	const struct sl_job_desc *desc = view_desc(view, job);
	const int64_t nodes = nodes_asked(view, job);
	const struct sl_request *request = view_request(view, job);
	const int64_t gpus = request ? request->gpus : 0;
	if (desc && desc->gres)
		cell_put(cell, "gres:%s", desc->gres);
	else if (desc && desc->gpus_per_node)
		cell_put(cell, "gres:gpu:%s", desc->gpus_per_node);
	else if (!desc && gpus && nodes > 0 && gpus % nodes == 0)
		cell_put(cell, "gres:gpu:%s", view_gpus(view, gpus / nodes).text);
	else
		cell_put(cell, "%s", none);
}

void put_min_mem(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_job_desc *desc = view_desc(view, job);
	const struct sl_request *request = view_request(view, job);
	int64_t mem = request && request->group_count ? request->group[0].task.mem : 0;
	if (desc && desc->mem_per_node != SL_NONE)
		mem = desc->mem_per_node;
	else if (mem_a_cpu(view, job) > 0)
		mem = mem_a_cpu(view, job);
	put_mem(cell, mem < SL_MEM_UNBOUNDED ? mem : 0);
}
