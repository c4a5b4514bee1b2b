/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_job.c - what a view says of a job: who, what it asked, what it holds, why it waits.
 *
 * Where a trace has numbers in place of names, the numbers are shown.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "sim/cli/view.h"

/* ---- Who --------------------------------------------------------------------------------- */

const struct sl_job_more *view_more(const struct view *view, uint32_t job)
{
	const struct sl_jobs *jobs = view->jobs;
	return jobs->more_of && jobs->more_of[job] ? &jobs->more[jobs->more_of[job]] : NULL;
}

const struct sl_request *view_request(const struct view *view, uint32_t job)
{
	return view->jobs->request ? &view->jobs->requests[view->jobs->request[job]] : NULL;
}

const struct sl_ask *view_ask(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	return request ? request->ask : NULL;
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
	if (view->told && view->told[job].partition) {
		cell_put(cell, "%s", view->told[job].partition);
		return;
	}
	const char *fallback = view->partition_count ? view->partition[0].name : "";
	for (uint32_t i = 0; i < view->partition_count; i++)
		if (view->partition[i].is_default)
			fallback = view->partition[i].name;
	put_named(cell, jobs->partition[job], jobs->partition_name, jobs->partition_count, fallback);
}

int64_t view_array(const struct view *view, uint32_t job)
{
	const struct sl_job_more *more = view_more(view, job);
	return more && more->array_task != SL_NONE && more->array != SL_NONE ? more->array : SL_NONE;
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

const char *view_state_short(enum sl_state state) { return states[state].brief; }

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

bool view_boots(const struct view *view, uint32_t job)
{
	return view->told && view->told[job].boots != SL_NONE;
}

enum sl_state view_state(const struct view *view, uint32_t job)
{
	return view_boots(view, job) ? SL_RUNNING : sl_state_told(view->result, job);
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

/* The last change that is not later than now. */
enum sl_reason view_reason(const struct view *view, uint32_t job)
{
	const struct sl_result *result = view->result;
	size_t low = 0;
	size_t high = result->reason_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (result->reasons[middle].job <= job)
			low = middle + 1;
		else
			high = middle;
	}
	const enum sl_reason reason = low && result->reasons[low - 1].job == job
					      ? (enum sl_reason)result->reasons[low - 1].reason
					      : result->reason_default;
	return reason == SL_REASON_CONFIGURING ? SL_REASON_NONE : reason; /* As Slurm shows it. */
}

/* ---- Times ------------------------------------------------------------------------------------ */

sl_time view_start(const struct view *view, uint32_t job)
{
	const struct sl_result *result = view->result;
	const struct sl_attempt *attempt;
	if (view_boots(view, job))
		return view->told[job].boots;
	if (result->state[job] == SL_PENDING)
		return SL_NONE;
	const size_t count = sl_attempts_of(result, job, &attempt);
	return count ? attempt[count - 1].start : result->start[job];
}

/* Of its last attempt, as Slurm tells it. */
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
static bool is_unlimited(sl_time limit) { return limit >= SL_NEVER / 2; }

sl_time view_limit(const struct view *view, uint32_t job)
{
	return view->told && view->told[job].known ? view->told[job].limit : view->jobs->limit[job];
}

sl_time view_submit(const struct view *view, uint32_t job)
{
	return view->told && view->told[job].known && view->told[job].submit != SL_NONE
		       ? view->told[job].submit
		       : view->jobs->submit[job];
}

sl_time view_eligible(const struct view *view, uint32_t job)
{
	const struct sl_job_more *more = view_more(view, job);
	const sl_time submit = view->jobs->submit[job];
	if (view->told && view->told[job].known)
		return view->told[job].eligible;
	return more && more->begin != SL_NONE && more->begin > submit ? more->begin : submit;
}

sl_time view_accrues(const struct view *view, uint32_t job)
{
	return view->told && view->told[job].known ? view->told[job].accrues : view_eligible(view, job);
}

void put_limit(struct cell *cell, const struct view *view, uint32_t job, bool full)
{
	const sl_time limit = view_limit(view, job);
	if (is_unlimited(limit))
		cell_put(cell, "UNLIMITED");
	else
		put_span(cell, seconds_of(limit), full);
}

sl_time view_limit_end(const struct view *view, uint32_t job)
{
	const sl_time limit = view_limit(view, job);
	const sl_time start = view_start(view, job);
	const sl_time stood = view_start(view, job) != SL_NONE ? view->now - start - view_ran(view, job) : 0;
	return start == SL_NONE || is_unlimited(limit) ? SL_NONE : start + limit + (stood > 0 ? stood : 0);
}

/* ---- Amounts ---------------------------------------------------------------------------------- */

int64_t view_job_cpus(const struct view *view, uint32_t job) { return sl_cpus_of(view->result, job); }

/* At least so many, for what it asks; on a counted pool one for each cpu, as in jobs.csv. */
static int64_t nodes_asked(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	const struct sl_ask *ask = view_ask(view, job);
	int64_t nodes = 0;
	if (!request)
		return view->jobs->size[job];
	if (ask && ask->nodes_min != SL_NONE)
		return ask->nodes_min;
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
		count += !i || place->piece[i].node != place->piece[i - 1].node;
	if (count)
		return count;
	if (view->result->nodes_held && view->cluster->node_count && view->result->nodes_held[job] > 0)
		return view->result->nodes_held[job];
	return nodes_asked(view, job);
}

int64_t view_job_mem(const struct view *view, uint32_t job)
{
	const struct sl_request *request = view_request(view, job);
	return request && request->mem < SL_MEM_UNBOUNDED ? request->mem : 0;
}

void put_tres(struct cell *cell, const struct view *view, uint32_t job, bool sorted)
{
	const struct amount cpus = view_cpus(view, view_job_cpus(view, job));
	const int64_t nodes = view_job_nodes(view, job);
	const int64_t gpus = sl_gpus_of(view->result, job);
	const int64_t mem = view_job_mem(view, job);
	const bool billed = view->told && view->told[job].billing >= 0;
	const struct amount billing =
		billed ? amount_of(view->told[job].billing, 1) : view_cpus(view, view_job_cpus(view, job));
	struct cell memory = { 0 };
	if (mem) {
		cell_put(&memory, "mem=");
		put_mem(&memory, mem);
		cell_put(&memory, ",");
	}
	if (sorted) {
		cell_put(cell, "billing=%s,cpu=%s", billing.text, cpus.text);
		if (gpus)
			cell_put(cell, ",gres/gpu=%s", view_gpus(view, gpus).text);
		cell_put(cell, ",%snode=%" PRId64, mem ? memory.text : "", nodes);
	} else {
		cell_put(cell, "cpu=%s,%snode=%" PRId64 ",billing=%s", cpus.text, mem ? memory.text : "",
			nodes, billing.text);
		if (gpus)
			cell_put(cell, ",gres/gpu=%s", view_gpus(view, gpus).text);
	}
	cell_free(&memory);
}

void put_tres_per_node(struct cell *cell, const struct view *view, uint32_t job, const char *none)
{
	const struct sl_ask *ask = view_ask(view, job);
	const int64_t nodes = nodes_asked(view, job);
	const struct sl_request *request = view_request(view, job);
	const int64_t gpus = request ? request->gpus : 0;
	if (ask && ask->gres)
		cell_put(cell, "gres:%s", ask->gres);
	else if (ask && ask->gpus_per_node)
		cell_put(cell, "gres:gpu:%s", ask->gpus_per_node);
	else if (!ask && gpus && nodes > 0 && gpus % nodes == 0)
		cell_put(cell, "gres:gpu:%s", view_gpus(view, gpus / nodes).text);
	else
		cell_put(cell, "%s", none);
}

void put_min_mem(struct cell *cell, const struct view *view, uint32_t job)
{
	const struct sl_ask *ask = view_ask(view, job);
	const struct sl_request *request = view_request(view, job);
	int64_t mem = request && request->group_count ? request->group[0].task.mem : 0;
	if (ask && ask->mem_per_node != SL_NONE)
		mem = ask->mem_per_node;
	else if (ask && ask->mem_per_cpu != SL_NONE)
		mem = ask->mem_per_cpu;
	put_mem(cell, mem < SL_MEM_UNBOUNDED ? mem : 0);
}
