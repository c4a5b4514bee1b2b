/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.c - see world.h. */
#include "tests/world/world.h"
#include "tests/world/builtin_registry.h"

#include <string.h>

static void fill_columns(struct world *w)
{
	const int64_t unit = w->unit ? w->unit : SL_SECOND;
	bool cancels = false;
	bool estimates = false;
	bool gangs = false;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct world_job *job = &w->job[i];
		w->id[i] = i + 1;
		w->submit[i] = job->submit * unit;
		w->run[i] = job->run * unit;
		w->limit[i] = (job->limit ? job->limit : job->run) * unit;
		if (w->overrun == SL_OVERRUN_RAISE && w->limit[i] < w->run[i])
			w->limit[i] = w->run[i];
		w->size[i] = job->size;
		w->user[i] = job->user;
		w->account[i] = job->account ? job->account : -1;
		w->partition[i] = job->partition ? job->partition : -1;
		w->gang[i] = job->gang ? job->gang - 1 : -1;
		gangs |= job->gang != 0;
		w->cancel[i] = job->cancel ? job->cancel * unit : SL_NONE;
		w->wait[i] = job->wait * unit;
		w->estimate[i] = job->estimate ? job->estimate * unit : SL_NONE;
		cancels |= job->cancel != 0;
		estimates |= job->estimate != 0;
	}
	w->scenario = (struct scenario){
		.cpus = w->cpus,
		.cluster = w->cluster,
		.rules = w->rules,
		.overrun = w->overrun,
		.restart = w->restart,
		.restart_count = w->restart_count,
		.model = w->model,
		.model_count = w->model_count,
		.warmup = SL_NONE,
		.jobs = { .count = w->count,
			.id = w->id,
			.submit = w->submit,
			.run = w->run,
			.limit = w->limit,
			.size = w->size,
			.user = w->user,
			.account = w->account,
			.partition = w->partition,
			.gang = gangs ? w->gang : NULL,
			.wait_recorded = w->wait,
			.cancel = cancels ? w->cancel : NULL,
			.estimate = estimates ? w->estimate : NULL },
	};
}

static int64_t or_none(int64_t value) { return value ? value : SL_NONE; }
static sl_time time_or_none(int64_t value, int64_t unit) { return value ? value * unit : SL_NONE; }

static bool says_more(const struct world_job *job)
{
	return job->begin || job->deadline || job->time_min || job->array || job->array_limit || job->name ||
	       job->held || job->no_requeue || job->recorded || job->depends;
}

static void fill_more(struct world *w)
{
	const int64_t unit = w->unit ? w->unit : SL_SECOND;
	static const struct world_job nothing;
	bool any = false;
	for (uint32_t i = 0; i <= w->count; i++) {
		const struct world_job *job = i ? &w->job[i - 1] : &nothing;
		any |= says_more(job);
		w->more[i] = (struct sl_job_attributes){ .name = job->name,
			.begin = time_or_none(job->begin, unit),
			.deadline = time_or_none(job->deadline, unit),
			.time_min = time_or_none(job->time_min, unit),
			.nice = SL_NONE,
			.array = or_none(job->array),
			.array_task = job->array ? job->array_task : SL_NONE,
			.array_limit = or_none(job->array_limit),
			.start_recorded = SL_NONE,
			.end_recorded = SL_NONE,
			.attempts_recorded = SL_NONE,
			.priority = SL_NONE,
			.state_recorded = job->recorded,
			.requeue = job->no_requeue ? 0 : -1,
			.held = job->held };
		if (!i)
			continue;
		w->more_of[i - 1] = says_more(job) ? i : 0;
		for (uint32_t k = 0; k < job->depends; k++) {
			w->depend[i - 1][k] = job->depend[k];
			w->depend[i - 1][k].delay *= unit;
		}
		w->more[i].depend = w->depend[i - 1];
		w->more[i].depend_count = job->depends;
	}
	if (!any)
		return;
	w->scenario.jobs.more_of = w->more_of;
	w->scenario.jobs.more = w->more;
	w->scenario.jobs.more_count = w->count + 1;
}

static struct sim_options options_of(const struct world *w, bool check)
{
	return (struct sim_options){
		.scenario = &w->scenario,
		.choice = &w->choice,
		.seed = w->seed ? w->seed : 1,
		.record = SIM_RECORD_USAGE | SIM_RECORD_REASONS | SIM_RECORD_PLACES,
		.check = check,
	};
}

/* Each job asks for `size` tasks, by default of one cpu and 1 MiB, so that nodes are not just counted; equal
 * requests share one. */
static uint32_t find_request(struct world *w, const struct sl_group *group, uint32_t count)
{
	uint32_t like = 0;
	while (like < count && memcmp(&w->group[like], group, sizeof(*group)) != 0)
		like++;
	w->group[like] = *group;
	w->asked[like] = (struct sl_request){ .group = &w->group[like],
		.group_count = 1,
		.cpus = group->tasks * group->task.cpus,
		.mem = group->tasks * group->task.mem,
		.gpus = group->tasks * group->task.gpus };
	return like;
}

static void fill_nodes(struct world *w)
{
	static const char *const kinds[] = { "cpus", "memory", "gpu" };
	const int64_t node_cpus = w->node_cpus ? w->node_cpus : 1;
	const int64_t nodes = w->cpus / node_cpus;
	SL_CHECK(nodes <= WORLD_NODES);
	w->type = (struct sl_node_type){ .name = "cpu",
		.amount = { node_cpus, w->node_mem ? w->node_mem : 1, w->node_gpus } };
	memset(w->node_type, 0, sizeof(w->node_type));
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct world_job *job = &w->job[i];
		struct sl_group group;
		memset(&group, 0, sizeof(group));
		group.task.cpus = job->cpus ? job->cpus : 1;
		group.task.mem = job->mem ? job->mem : 1;
		group.task.gpus = job->gpus;
		group.tasks = group.tasks_min = group.tasks_max = (uint32_t)job->size;
		w->size[i] = (int32_t)(job->gpus ? job->size * job->gpus : job->size * group.task.cpus);
		w->request[i] = find_request(w, &group, count);
		count += w->request[i] == count;
	}
	w->scenario.cluster = (struct sl_cluster){ .cpus = w->cpus,
		.mem = nodes * w->type.amount[SL_KIND_MEM],
		.gpus = nodes * w->node_gpus,
		.node_count = (uint32_t)nodes,
		.type_count = 1,
		.kind_count = w->node_gpus ? 3 : 2,
		.node_type = w->node_type,
		.type = &w->type,
		.kind_name = kinds };
	w->scenario.jobs.request = w->request;
	w->scenario.jobs.requests = w->asked;
	w->scenario.jobs.request_count = count;
}

static void begin(struct world *w)
{
	fill_columns(w);
	fill_more(w);
	if (w->as_nodes)
		fill_nodes(w);
	if (!w->scenario.cluster.cpus) {
		w->scenario.cluster.cpus = w->cpus;
		w->scenario.cluster.kind_count = 1;
	}
	w->arena = sl_arena_new();
	SL_CHECK(w->arena);
	memset(&w->err, 0, sizeof(w->err));
	memset(&w->sim, 0, sizeof(w->sim));
}

int world_run_policy(struct world *w, const struct sl_policy *policy, bool check)
{
	begin(w);
	w->choice = (struct policy_choice){ .policy = policy, .text = policy->name, .slug = policy->name };
	const struct sim_options options = options_of(w, check);
	return sim_run(&w->sim, &options, &w->err);
}

int world_run(struct world *w, const char *policy, bool check)
{
	struct sim_options options;
	const int status = world_open(w, policy, check, &options);
	if (!status && w->instead)
		w->choice.policy = w->instead;
	return status ? status : sim_run(&w->sim, &options, &w->err);
}

int world_open(struct world *w, const char *policy, bool check, struct sim_options *options)
{
	begin(w);
	*options = options_of(w, check);
	const int status = world_choose(w, policy, &w->choice);
	if (!status && w->instead)
		w->choice.policy = w->instead;
	return status;
}

int world_choose(struct world *w, const char *policy, struct policy_choice *choice)
{
	struct settings settings = { .arena = w->arena };
	return policy_choose(
		w->registry ? w->registry : builtin_registry(), choice, policy, &settings, w->arena, &w->err);
}

/* As its group requests: whole nodes, or by task. */
static int64_t asked_of(
	const struct sl_result *result, uint32_t job, const struct sl_node_tasks *alloc, uint32_t kind)
{
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_cluster *cluster = result->cluster;
	const struct sl_group *group = &jobs->requests[jobs->request[job]].group[alloc->group];
	if (group->exclusive)
		return cluster->type[cluster->node_type[alloc->node]].amount[kind];
	return alloc->tasks * (kind == SL_KIND_CPUS ? group->task.cpus : group->task.gpus);
}

bool world_places_add_up(const struct sl_result *result, bool as_asked)
{
	__int128 held = 0;
	__int128 asked = 0;
	__int128 gpus = 0;
	__int128 gpus_busy = 0;
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const struct sl_attempt *attempt;
		const size_t several = sl_attempts_of(result, job, &attempt);
		for (size_t i = 0; i < (several ? several : result->start[job] != SL_NONE); i++) {
			const struct sl_allocation placed =
				sl_allocation_of(result, job, several ? &attempt[i] : NULL);
			const sl_time length =
				several ? attempt[i].end - attempt[i].start - attempt[i].suspended
					: sl_run_time_of(result, job);
			held += (__int128)placed.cpus * length;
			gpus += (__int128)placed.gpus * length;
			for (uint32_t k = 0; as_asked && k < placed.count; k++)
				asked += (__int128)asked_of(result, job, &placed.alloc[k], SL_KIND_CPUS) *
					 length;
		}
	}
	for (uint32_t kind = SL_KIND_GPUS; kind < result->cluster->kind_count; kind++)
		gpus_busy += (__int128)result->busy[kind];
	return held == (__int128)result->busy[SL_KIND_CPUS] && (!as_asked || asked == held) &&
	       gpus == gpus_busy;
}

void world_release(struct world *w)
{
	sim_release(&w->sim);
	sl_arena_free(w->arena);
	w->arena = NULL;
}

static int64_t in_units(const struct world *w, sl_time time)
{
	return time == SL_NONE ? -1 : time / (w->unit ? w->unit : SL_SECOND);
}

int64_t world_start(const struct world *w, uint32_t job) { return in_units(w, w->sim.result.start[job]); }

int64_t world_end(const struct world *w, uint32_t job) { return in_units(w, w->sim.result.end[job]); }
