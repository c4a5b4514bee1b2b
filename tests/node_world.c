/* SPDX-License-Identifier: GPL-3.0-or-later */
/* node_world.c - see node_world.h. */
#include "tests/node_world.h"

#include <stdio.h>
#include <string.h>

#include "sim/pass.h"

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

/* Like requests share one. */
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
	for (uint32_t i = 0; i < w->count; i++) {
		const struct nw_job *job = &w->job[i];
		w->id[i] = i + 1;
		w->submit[i] = time_of(w, job->submit + w->offset);
		w->run[i] = time_of(w, job->run);
		w->limit[i] = time_of(w, job->limit);
		if (w->overrun == SL_OVERRUN_RAISE && w->limit[i] < w->run[i])
			w->limit[i] = w->run[i];
		w->none[i] = -1;
		w->wait[i] = SL_NONE;
		w->request[i] = request_of(w, job);
		const struct sl_request *asked = &w->asked[w->request[i]];
		w->size[i] = (int32_t)(asked->gpus ? asked->gpus : asked->cpus);
		SL_CHECK(w->size[i] > 0);
	}
}

static uint32_t windows_of(const struct node_world *w, uint32_t node)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < w->windows; i++)
		set |= (w->window[i].nodes >> node & 1) << i;
	return set;
}

/* Nodes of one type are alike, windows included. */
static uint32_t type_of(struct node_world *w, uint32_t node)
{
	struct sl_cluster *cluster = &w->scenario.cluster;
	for (uint32_t i = 0; i < node && !w->types_apart; i++)
		if (memcmp(w->amount[i], w->amount[node], sizeof(w->amount[i])) == 0 &&
			windows_of(w, i) == windows_of(w, node))
			return w->node_type[i];
	struct sl_node_type *type = &w->type[cluster->type_count];
	*type = (struct sl_node_type){ .name = "n" };
	memcpy(type->amount, w->amount[node], sizeof(w->amount[node]));
	return cluster->type_count++;
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
	static const char *const kinds[NW_KINDS] = { "cpus", "memory", "a", "b", "c" };
	struct sl_cluster *cluster = &w->scenario.cluster;
	*cluster = (struct sl_cluster){ .node_count = w->nodes,
		.kind_count = w->kinds,
		.kind_name = kinds,
		.node_type = w->node_type,
		.type = w->type,
		.window = w->sl_window,
		.window_count = w->windows };
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
	fill_windows(w);
}

static void fill(struct node_world *w)
{
	w->scenario = (struct scenario){ .overrun = w->overrun, .warmup = SL_NONE };
	fill_cluster(w);
	fill_jobs(w);
	const uint32_t requests = w->scenario.jobs.request_count;
	w->scenario.cpus = w->scenario.cluster.cpus;
	w->scenario.jobs = (struct sl_jobs){ .count = w->count,
		.id = w->id,
		.submit = w->submit,
		.run = w->run,
		.limit = w->limit,
		.size = w->size,
		.user = w->none,
		.account = w->none,
		.partition = w->none,
		.wait_recorded = w->wait,
		.request = w->request,
		.requests = w->asked,
		.request_count = requests };
}

/* ---- A policy around the policy: what does each job hold when it starts? --------------------- */

static struct node_world *world_of(const struct sl_pass *pass)
{
	return (struct node_world *)((char *)(uintptr_t)pass->policy - offsetof(struct node_world, watched));
}

static int watched_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	return world_of(setup->pass)->watches->init(state, setup, err);
}

static void watched_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	world_of(pass)->watches->on_event(state, pass, event);
}

static void watched_release(void *state) { (void)state; }

static void note_pieces(struct node_world *w, const struct sl_pass *pass, uint32_t job)
{
	const struct sl_piece *piece;
	const size_t count = nodes_pieces(pass->nodes, job, &piece);
	uint32_t noted = 0;
	SL_CHECK(count <= NW_PIECES);
	for (size_t i = 0; i < count; i++) {
		const struct nw_piece p = { piece[i].node, piece[i].group, piece[i].tasks };
		uint32_t place = noted++;
		for (; place && (w->piece[job][place - 1].node > p.node ||
					(w->piece[job][place - 1].node == p.node &&
						w->piece[job][place - 1].group > p.group));
			place--)
			w->piece[job][place] = w->piece[job][place - 1];
		w->piece[job][place] = p;
	}
	w->piece_count[job] = noted;
}

static void watched_pass(void *state, struct sl_pass *pass)
{
	struct node_world *w = world_of(pass);
	w->watches->pass(state, pass);
	for (uint32_t job = 0; pass->nodes && job < w->count; job++)
		if (pass->job_state[job] == SL_RUNNING && pass->start[job] == pass->now)
			note_pieces(w, pass, job);
}

/* ---- Running ----------------------------------------------------------------------------------- */

int node_world_run(struct node_world *w, const char *policy, bool check)
{
	fill(w);
	w->arena = arena_new();
	SL_CHECK(w->arena);
	memset(&w->err, 0, sizeof(w->err));
	memset(&w->sim, 0, sizeof(w->sim));
	memset(w->piece_count, 0, sizeof(w->piece_count));
	struct settings settings = { .arena = w->arena };
	const int status = policy_choose(&registry_builtin, &w->choice, policy, &settings, w->arena, &w->err);
	if (status)
		return status;
	w->watches = w->choice.policy;
	w->watched = *w->watches;
	w->watched.init = watched_init;
	w->watched.pass = watched_pass;
	w->watched.on_event = w->watches->on_event ? watched_event : NULL;
	w->watched.release = w->watches->release ? w->watches->release : watched_release;
	w->choice.policy = &w->watched;
	const struct sim_options options = {
		.scenario = &w->scenario,
		.choice = &w->choice,
		.seed = 1,
		.record = SIM_RECORD_USAGE | SIM_RECORD_REASONS,
		.check = check,
	};
	return sim_run(&w->sim, &options, &w->err);
}

void node_world_release(struct node_world *w)
{
	sim_release(&w->sim);
	arena_free(w->arena);
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
