/* SPDX-License-Identifier: GPL-3.0-or-later */
/* node_world.c - see node_world.h. */
#include "tests/world/node_world.h"

#include <stdio.h>
#include <string.h>

#include "sim/run/pass.h"
#include "tests/world/builtin_registry.h"

/* ---- The world as a scenario --------------------------------------------------------------- */

static sl_time time_of(const struct node_world *w, int64_t seconds)
{
	return seconds * (w->unit ? w->unit : SL_SECOND);
}

static int64_t total(const struct sl_group *group, uint32_t count, int64_t cpus, int64_t mem, int64_t gpus)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += group[i].tasks *
		       (cpus * group[i].task.cpus + mem * group[i].task.mem + gpus * group[i].task.gpus);
	return sum;
}

/* Equal requests share one. */
static uint32_t request_of(struct node_world *w, const struct nw_job *job)
{
	struct sl_request *asked = w->asked;
	uint32_t i = 0;
	for (; i < w->scenario.jobs.request_count; i++)
		if (asked[i].group_count == job->group_count &&
			memcmp(asked[i].group, job->group, job->group_count * sizeof(*job->group)) == 0)
			return i;
	asked[i] = (struct sl_request){ .group = job->group,
		.group_count = job->group_count,
		.cpus = total(job->group, job->group_count, 1, 0, 0),
		.mem = total(job->group, job->group_count, 0, 1, 0),
		.gpus = total(job->group, job->group_count, 0, 0, 1) };
	w->scenario.jobs.request_count++;
	return i;
}

static void fill_jobs(struct node_world *w)
{
	bool gangs = false;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct nw_job *job = &w->job[i];
		w->id[i] = w->id_first ? w->id_first - i : i + 1;
		w->submit[i] = time_of(w, job->submit + w->offset);
		w->run[i] = time_of(w, job->run);
		w->limit[i] = time_of(w, job->limit);
		if (w->overrun == SL_OVERRUN_RAISE && w->limit[i] < w->run[i])
			w->limit[i] = w->run[i];
		w->none[i] = -1;
		w->partition[i] = job->partition - 1;
		w->user[i] = job->user;
		w->gang[i] = (int32_t)job->gang - 1;
		gangs |= job->gang != 0;
		w->wait[i] = SL_NONE;
		w->request[i] = request_of(w, job);
		const struct sl_request *asked = &w->asked[w->request[i]];
		w->size[i] = (int32_t)(asked->gpus ? asked->gpus : asked->cpus);
		SL_CHECK(w->size[i] > 0);
	}
	w->scenario.jobs.gang = gangs ? w->gang : NULL;
}

static uint32_t windows_of(const struct node_world *w, uint32_t node)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < w->windows; i++)
		set |= (w->window[i].nodes >> node & 1) << i;
	return set;
}

static uint32_t sets_of(const struct node_world *w, uint32_t node)
{
	uint32_t sets = 0;
	for (uint32_t i = 1; i < NW_SETS; i++)
		sets |= (w->set_nodes[i] >> node & 1) << i;
	return sets;
}

static void list_devices(struct node_world *w, struct sl_node_type *type, struct sl_device *device)
{
	for (uint32_t kind = SL_KIND_GPUS; kind < w->kinds; kind++) {
		const int64_t count = type->amount[kind] / w->gpu_parts;
		for (int64_t i = 0; i < count; i++) {
			SL_CHECK(type->device_count < NW_DEVICES);
			device[type->device_count++] = (struct sl_device){ .kind = (uint8_t)kind,
				.island = i % 3 == 2,
				.mig = w->divided && i == count - 1 };
		}
	}
	type->device = type->device_count ? device : NULL;
}

/* Nodes of one type are alike, windows and sets included. */
static uint32_t type_of(struct node_world *w, uint32_t node)
{
	struct sl_cluster *cluster = &w->scenario.cluster;
	for (uint32_t i = 0; i < node && !w->types_apart; i++)
		if (memcmp(w->amount[i], w->amount[node], sizeof(w->amount[i])) == 0 &&
			windows_of(w, i) == windows_of(w, node) && sets_of(w, i) == sets_of(w, node))
			return w->node_type[i];
	struct sl_node_type *type = &w->type[cluster->type_count];
	*type = (struct sl_node_type){ .name = "n" };
	memcpy(type->amount, w->amount[node], sizeof(w->amount[node]));
	if (w->gpu_parts)
		list_devices(w, type, w->device[cluster->type_count]);
	return cluster->type_count++;
}

static void fill_sets(struct node_world *w)
{
	for (uint32_t i = 0; i < NW_SETS; i++) {
		w->set_types[i] = i ? 0 : UINT64_MAX;
		for (uint32_t node = 0; node < w->nodes; node++)
			w->set_types[i] |= (uint64_t)(w->set_nodes[i] >> node & 1) << w->node_type[node];
		w->node_set[i] = (struct sl_node_set){ &w->set_types[i],
			(uint32_t)__builtin_popcount(i ? w->set_nodes[i] : (1U << w->nodes) - 1) };
	}
	w->scenario.cluster.node_set = w->node_set;
	w->scenario.cluster.node_set_count = NW_SETS;
}

static void fill_windows(struct node_world *w)
{
	for (uint32_t i = 0; i < w->windows; i++) {
		uint32_t count = 0;
		for (uint32_t node = 0; node < w->nodes; node++)
			if (w->window[i].nodes >> node & 1)
				w->window_node[i][count++] = node;
		w->sl_window[i] = (struct sl_window){ .name = "w",
			.from = time_of(w, w->window[i].from + w->offset),
			.until = time_of(w, w->window[i].until + w->offset),
			.node = w->window_node[i],
			.node_count = count };
	}
}

static void fill_cluster(struct node_world *w)
{
	static const struct sl_mig_profile fit[NW_PROFILES] = { { "1g", 1, 0x7f }, { "2g", 2, 0x15 },
		{ "3g", 4, 0x11 } };
	static const char *const kinds[NW_KINDS] = { "cpus", "memory", "a", "b", "c" };
	struct sl_cluster *cluster = &w->scenario.cluster;
	*cluster = (struct sl_cluster){ .cpu_parts = w->parts,
		.node_count = w->nodes,
		.kind_count = w->kinds,
		.kind_name = kinds,
		.node_type = w->node_type,
		.type = w->type,
		.window = w->sl_window,
		.window_count = w->windows,
		.gpu_parts = w->gpu_parts,
		.mig_model_count = 1,
		.mig_profile_count = NW_PROFILES,
		.mig_fit = fit };
	bool unbounded = false;
	for (uint32_t node = 0; node < w->nodes; node++) {
		w->node_type[node] = type_of(w, node);
		cluster->cpus += w->amount[node][SL_KIND_CPUS];
		cluster->mem += w->amount[node][SL_KIND_MEM];
		unbounded |= w->amount[node][SL_KIND_MEM] >= SL_MEM_UNBOUNDED;
		for (uint32_t kind = SL_KIND_GPUS; kind < w->kinds; kind++)
			cluster->gpus += w->amount[node][kind];
	}
	cluster->mem = unbounded ? 0 : cluster->mem;
	if (w->spare_type) {
		w->node_type[cluster->node_count++] = cluster->type_count;
		w->type[cluster->type_count++] = (struct sl_node_type){ .name = "spare" };
	}
	fill_sets(w);
	fill_windows(w);
}

static void fill(struct node_world *w)
{
	w->scenario = (struct scenario){
		.overrun = w->overrun, .warmup = SL_NONE, .model = w->model, .model_count = w->model_count
	};
	fill_cluster(w);
	fill_jobs(w);
	const uint32_t requests = w->scenario.jobs.request_count;
	const int32_t *gang = w->scenario.jobs.gang;
	w->scenario.cpus = w->scenario.cluster.cpus;
	w->scenario.jobs = (struct sl_jobs){ .count = w->count,
		.id = w->id,
		.submit = w->submit,
		.run = w->run,
		.limit = w->limit,
		.size = w->size,
		.user = w->user,
		.account = w->none,
		.partition = w->partition,
		.wait_recorded = w->wait,
		.request = w->request,
		.requests = w->asked,
		.request_count = requests,
		.gang = gang };
	if (!w->profile)
		return;
	for (uint32_t i = 0; i < w->count; i++)
		w->profile_of[i] = i + 1;
	w->scenario.jobs.profile_of = w->profile_of;
	w->scenario.jobs.profile = w->profile;
	w->scenario.jobs.profile_count = w->count + 1;
}

/* ---- A policy around the policy: what is each job's allocation when it starts? --------------------- */

static const struct nw_watch *watch_of(const struct sl_pass *pass)
{
	return (const struct nw_watch *)pass->policy; /* Its first member. */
}

static int watched_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	const struct nw_watch *watch = watch_of(setup->sim);
	const int status = watch->world->gpu_parts ? sl_use(setup, SL_USE_DEVICES, err) : SL_OK;
	return status ? status : watch->inner->init(state, setup, err);
}

static void watched_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	watch_of(pass)->inner->on_event(state, pass, event);
}

static void note_parts(struct node_world *w, const struct sl_pass *pass, uint32_t job)
{
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(pass->nodes, job, &alloc);
	uint32_t noted = 0;
	SL_CHECK(count <= NW_PARTS);
	for (size_t i = 0; i < count; i++) {
		const struct nw_alloc p = { alloc[i].node, alloc[i].group, alloc[i].tasks };
		uint32_t place = noted++;
		for (; place && (w->alloc[job][place - 1].node > p.node ||
					(w->alloc[job][place - 1].node == p.node &&
						w->alloc[job][place - 1].group > p.group));
			place--)
			w->alloc[job][place] = w->alloc[job][place - 1];
		w->alloc[job][place] = p;
	}
	w->alloc_count[job] = noted;
}

/* ---- The audit: allocations match the nodes' state and the requests ------------------------------------ */

static void is_wrong(struct node_world *w, const struct sl_pass *pass, const char *what, uint32_t row)
{
	if (!w->wrong[0])
		(void)snprintf(
			w->wrong, sizeof(w->wrong), "at %lld us: %s %u", (long long)pass->now, what, row);
}

/* The resources of so many tasks on one node, GPUs of all types together. A suspended job keeps its memory
 * only. */
static void audit_alloc(struct node_world *w, const struct sl_pass *pass, uint32_t job,
	const struct sl_node_tasks *alloc, int64_t used[][3], uint32_t *owner)
{
	const struct sl_group *group = &w->job[job].group[alloc->group];
	const bool runs = pass->job_state[job] == SL_RUNNING;
	const uint32_t node = alloc->node;
	used[node][0] += runs ? alloc->tasks * group->task.cpus : 0;
	used[node][1] += alloc->tasks * group->task.mem;
	used[node][2] += runs ? alloc->tasks * group->task.gpus : 0;
	if (runs && (owner[node] == UINT32_MAX || (group->exclusive && owner[node] != 0)))
		is_wrong(w, pass, "somebody else is on an exclusive job's node", node);
	if (runs)
		owner[node] = group->exclusive ? UINT32_MAX : 1;
	if (group->node_set && !(w->set_nodes[group->node_set] >> node & 1))
		is_wrong(w, pass, "out of its set of nodes is job", job + 1);
	if (group->tasks_per_node && alloc->tasks > group->tasks_per_node)
		is_wrong(w, pass, "too many tasks on a node by job", job + 1);
	for (uint32_t i = 0; i < w->windows; i++) /* By its estimate. */
		if (w->window[i].nodes >> node & 1 && pass->start[job] == pass->now && runs &&
			w->sl_window[i].from < pass->now + pass->estimate[job] &&
			pass->now < w->sl_window[i].until)
			is_wrong(w, pass, "it started into a window: job", job + 1);
}

static void audit_tasks(struct node_world *w, const struct sl_pass *pass, uint32_t job,
	const struct sl_node_tasks *alloc, size_t count)
{
	for (uint32_t g = 0; g < w->job[job].group_count; g++) {
		const struct sl_group *group = &w->job[job].group[g];
		uint32_t tasks = 0;
		uint32_t nodes = 0;
		for (size_t i = 0; i < count; i++) {
			tasks += alloc[i].group == g ? alloc[i].tasks : 0;
			nodes += alloc[i].group == g;
		}
		if (tasks != group->tasks)
			is_wrong(w, pass, "not all tasks are placed of job", job + 1);
		if (nodes < group->nodes_min || (group->nodes_max && nodes > group->nodes_max))
			is_wrong(w, pass, "out of its bounds on nodes is job", job + 1);
	}
}

static void audit(struct node_world *w, const struct sl_pass *pass)
{
	int64_t used[NW_NODES + 1][3] = { 0 };
	uint32_t owner[NW_NODES + 1] = { 0 };
	for (uint32_t job = 0; job < w->count; job++) {
		const struct sl_node_tasks *alloc;
		const size_t count = nodes_allocs(pass->nodes, job, &alloc);
		const bool holds = pass->job_state[job] == SL_RUNNING || pass->job_state[job] == SL_SUSPENDED;
		if (holds)
			audit_tasks(w, pass, job, alloc, count);
		else if (count)
			is_wrong(w, pass, "it holds nodes, and does not run: job", job + 1);
		for (size_t i = 0; i < count; i++)
			audit_alloc(w, pass, job, &alloc[i], used, owner);
	}
	for (uint32_t node = 0; node < w->nodes; node++) {
		int64_t gpus = 0;
		for (uint32_t kind = SL_KIND_GPUS; kind < w->kinds; kind++)
			gpus += w->amount[node][kind];
		if (used[node][0] > w->amount[node][SL_KIND_CPUS] ||
			used[node][1] > w->amount[node][SL_KIND_MEM] || used[node][2] > gpus)
			is_wrong(w, pass, "more is held than there is on node", node);
	}
}

static void watched_pass(void *state, struct sl_pass *pass)
{
	struct node_world *w = watch_of(pass)->world;
	watch_of(pass)->inner->pass(state, pass);
	if (w->profile)
		return; /* Not of interest where models change what jobs do. */
	if (pass->nodes)
		audit(w, pass);
	for (uint32_t job = 0; pass->nodes && job < w->count; job++)
		if (pass->job_state[job] == SL_RUNNING && pass->start[job] == pass->now)
			note_parts(w, pass, job);
}

static int64_t all_alike(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

bool node_world_could_keep(struct node_world *w, uint32_t job)
{
	static const struct sl_node_scorer any = { .name = "any", .score = all_alike };
	struct nodes *nodes;
	struct sl_err err = { 0 };
	fill(w);
	SL_CHECK(!nodes_new(&nodes, &w->scenario.cluster, w->asked, w->scenario.jobs.request_count, w->count,
		&(struct scorer){ .rule = &any }, &err));
	const bool could = nodes_could_hold(nodes, w->request[job]);
	nodes_free(nodes);
	return could;
}

/* ---- Running ----------------------------------------------------------------------------------- */

int node_world_run(struct node_world *w, const char *policy, bool check)
{
	fill(w);
	w->arena = sl_arena_new();
	SL_CHECK(w->arena);
	memset(&w->err, 0, sizeof(w->err));
	memset(&w->sim, 0, sizeof(w->sim));
	memset(w->alloc_count, 0, sizeof(w->alloc_count));
	w->wrong[0] = '\0';
	struct settings settings = { .arena = w->arena };
	const int status =
		policy_choose(builtin_registry(), &w->choice, policy, &settings, w->arena, &w->err);
	if (status)
		return status;
	const struct sl_policy *inner = w->choice.policy;
	w->watch = (struct nw_watch){ .policy = *inner, .inner = inner, .world = w };
	w->watch.policy.init = watched_init;
	w->watch.policy.pass = watched_pass;
	w->watch.policy.on_event = inner->on_event ? watched_event : NULL;
	w->choice.policy = &w->watch.policy;
	const struct sim_options options = {
		.scenario = &w->scenario,
		.choice = &w->choice,
		.seed = 1,
		.record = SIM_RECORD_USAGE | SIM_RECORD_REASONS | SIM_RECORD_PLACES,
		.check = check,
	};
	return sim_run(&w->sim, &options, &w->err);
}

void node_world_release(struct node_world *w)
{
	sim_release(&w->sim);
	sl_arena_free(w->arena);
	w->arena = NULL;
}

static int64_t in_seconds(const struct node_world *w, sl_time time)
{
	const int64_t unit = w->unit ? w->unit : SL_SECOND;
	if (time == SL_NONE)
		return -1;
	return time % unit ? -2 : time / unit - w->offset;
}

int64_t node_world_start(const struct node_world *w, uint32_t job)
{
	return in_seconds(w, w->sim.result.start[job]);
}

int64_t node_world_end(const struct node_world *w, uint32_t job)
{
	return in_seconds(w, w->sim.result.end[job]);
}

/* ---- For people ----------------------------------------------------------------------------------- */

static void describe_group(FILE *out, const struct sl_group *g)
{
	(void)fprintf(out, " %ux(%lld cpus", g->tasks, (long long)g->task.cpus);
	if (g->task.mem)
		(void)fprintf(out, " %lld mem", (long long)g->task.mem);
	if (g->task.gpus)
		(void)fprintf(out, " %lld gpus types %x", (long long)g->task.gpus, g->task.gpu_types);
	if (g->tasks_per_node)
		(void)fprintf(out, " per_node %u", g->tasks_per_node);
	if (g->nodes_min || g->nodes_max)
		(void)fprintf(out, " nodes %u-%u", g->nodes_min, g->nodes_max);
	if (g->node_set)
		(void)fprintf(out, " set %u", g->node_set);
	(void)fprintf(out, "%s)", g->exclusive ? " exclusive" : "");
}

void node_world_describe(const struct node_world *w, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	if (!out)
		return;
	(void)fprintf(out, "overrun %d; nodes (cpus mem gpus..):", (int)w->overrun);
	for (uint32_t node = 0; node < w->nodes; node++) {
		(void)fprintf(out, " (");
		for (uint32_t kind = 0; kind < w->kinds; kind++)
			(void)fprintf(out, "%s%lld", kind ? " " : "",
				w->amount[node][kind] >= SL_MEM_UNBOUNDED ? -1LL
									  : (long long)w->amount[node][kind]);
		(void)fprintf(out, ")");
	}
	for (uint32_t i = 1; i < NW_SETS; i++)
		(void)fprintf(out, " set %u nodes %x", i, w->set_nodes[i]);
	for (uint32_t i = 0; i < w->windows; i++)
		(void)fprintf(out, " window [%lld,%lld) nodes %x", (long long)w->window[i].from,
			(long long)w->window[i].until, w->window[i].nodes);
	for (uint32_t i = 0; i < w->count; i++) {
		const struct nw_job *job = &w->job[i];
		(void)fprintf(out, "\n\tjob %u: submit %lld run %lld limit %lld:", i + 1,
			(long long)job->submit, (long long)job->run, (long long)job->limit);
		for (uint32_t g = 0; g < job->group_count; g++)
			describe_group(out, &job->group[g]);
	}
	(void)fclose(out);
}
