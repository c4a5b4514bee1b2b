/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_nodes.c - nodes against the slow reference: random clusters, requests and commands, each answer
 * compared, and taken back again.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/nodes/nodes.h"
#include "tests/world/effort.h"
#include "tests/world/nodes_reference.h"

enum { REQUESTS = 9, GROUPS = 2, UNDO = 12, TYPES = 5, SETS = 4, MODELS = 2, PROFILES = 3 };

/* ---- Placings ----------------------------------------------------------------------------------- */

static int64_t free_sum(const struct sl_node_class *class)
{
	int64_t sum = 0;
	for (uint32_t kind = 0; kind < class->cluster->kind_count; kind++)
		if (class->free[kind] < INT64_MAX / 4)
			sum += class->free[kind] * (kind + 1);
	return sum;
}

static int64_t lowest(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static int64_t tight(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return free_sum(class);
}

static int64_t loose(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return -free_sum(class);
}

static int64_t packed(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	return free_sum(class) - 1000 * (int64_t)tasks;
}

/* By all that is shown of devices, and by nothing that makes sense. */
static int64_t scattered(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	int64_t sum = free_sum(class) * 3 + tasks;
	const uint32_t count = class->cluster->type[class->type].device_count;
	for (uint32_t i = 0; class->device && i < count; i++)
		sum = (sum * 7 + class->device[i]) % 1013;
	for (uint32_t i = 0; class->task_mix && i < SL_TASK_MIXES; i++)
		sum = (sum * 5 - class->task_mix[i]) % 1013;
	return sum;
}

static int64_t scattered_device(void *state, const struct sl_device_pick *pick)
{
	return (scattered(state, pick->class, pick->group, 1) + pick->device * 5 + pick->slice * 3) % 7;
}

static const struct sl_node_scorer scorers_here[] = {
	{ .name = "lowest", .score = lowest },
	{ .name = "tight", .score = tight },
	{ .name = "loose", .score = loose },
	{ .name = "packed", .score = packed },
	{ .name = "singly loose", .one_at_a_time = true, .score = loose },
	{ .name = "singly tight", .one_at_a_time = true, .score = tight },
	{ .name = "scattered", .devices = true, .score = scattered, .score_device = scattered_device },
	{ .name = "singly scattered",
		.one_at_a_time = true,
		.score = scattered,
		.score_device = scattered_device },
	{ .name = "tight by island", .by_island = true, .score = tight },
	{ .name = "loose by island", .by_island = true, .score = loose },
	{ .name = "singly by island", .one_at_a_time = true, .by_island = true, .score = loose },
};

/* ---- A world --------------------------------------------------------------------------------------- */

struct trial {
	uint64_t seed;
	struct sl_rng rng;
	struct sl_cluster cluster;
	struct sl_node_type type[TYPES];
	bool devices; /* Some nodes list them. */
	struct sl_device device[TYPES][REF_DEVICES];
	struct sl_mig_profile fit[PROFILES * MODELS];
	uint64_t set_types[SETS];
	struct sl_node_set set[SETS];
	uint32_t node_type[REF_NODES];
	const char *node_name[REF_NODES];
	struct sl_window window[2];
	uint32_t window_node[2][REF_NODES];
	struct sl_request request[REQUESTS];
	struct sl_group group[REQUESTS][GROUPS];
	struct ref ref;
	struct nodes *nodes;
	unsigned step;
	const char *doing;
};

static uint32_t below(struct trial *t, uint32_t bound) { return (uint32_t)sl_rng_below(&t->rng, bound); }
static bool chance(struct trial *t, uint32_t in) { return below(t, in) == 0; }

/* How each profile lies on each model: as on an A100 with 40 GB, or anyhow. */
static void make_models(struct trial *t)
{
	static const struct sl_mig_profile known[PROFILES] = { { "1g", 1, 0x7f }, { "2g", 2, 0x15 },
		{ "3g", 4, 0x11 } };
	t->cluster.gpu_parts = 1000;
	t->cluster.mig_model_count = MODELS;
	t->cluster.mig_profile_count = PROFILES;
	t->cluster.mig_fit = t->fit;
	for (uint32_t i = 0; i < PROFILES * MODELS; i++)
		t->fit[i] = i % MODELS && chance(t, 2) ? (struct sl_mig_profile){ "any", (uint8_t)below(t, 9),
			(uint8_t)below(t, 256) }
						       : known[i / MODELS];
}

/* Of a type that has them, but for some, which are only counted. */
static void list_devices(struct trial *t, uint32_t type)
{
	struct sl_node_type *of = &t->type[type];
	const bool islands = chance(t, 2);
	const bool listed = !chance(t, 8);
	uint32_t count = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < t->cluster.kind_count; kind++) {
		for (int64_t i = 0; listed && i < of->amount[kind]; i++) {
			struct sl_device *device = &t->device[type][count++];
			device->kind = (uint8_t)kind;
			device->island = (uint8_t)(islands ? below(t, 3) : 0);
			device->mem = chance(t, 4) ? 0 : 40 + 40 * (int64_t)below(t, 2);
			if (t->cluster.mig_model_count && chance(t, 3))
				device->mig = (uint8_t)(1 + below(t, MODELS));
		}
		of->amount[kind] *= sl_parts(t->cluster.gpu_parts);
	}
	of->device = listed && count ? t->device[type] : NULL;
	of->device_count = count;
}

static void make_cluster(struct trial *t)
{
	struct sl_cluster *c = &t->cluster;
	c->node_count = 1 + below(t, REF_NODES);
	c->type_count = 1 + below(t, TYPES);
	c->kind_count = SL_KIND_GPUS + below(t, 3);
	t->devices = c->kind_count > SL_KIND_GPUS && chance(t, 2);
	if (t->devices && !chance(t, 4))
		make_models(t);
	for (uint32_t i = 0; i < c->type_count; i++) {
		if (i && chance(t, 2)) { /* Alike, but for the sets. */
			t->type[i] = t->type[i - 1];
			continue;
		}
		t->type[i].amount[SL_KIND_CPUS] = 1 + below(t, 6);
		t->type[i].amount[SL_KIND_MEM] = chance(t, 3) ? INT64_MAX / 4 : 2 + below(t, 8);
		for (uint32_t kind = SL_KIND_GPUS; kind < c->kind_count; kind++)
			t->type[i].amount[kind] = below(t, 5);
		if (t->devices)
			list_devices(t, i);
	}
	for (uint32_t i = 0; i < c->node_count; i++)
		t->node_type[i] = below(t, c->type_count);
	c->window_count = chance(t, 3) ? 1 + below(t, 2) : 0;
	for (uint32_t i = 0; i < c->window_count; i++) {
		struct sl_window *w = &t->window[i];
		w->from = below(t, 40);
		w->until = w->from + 1 + below(t, 15);
		w->node = t->window_node[i];
		for (uint32_t node = 0; node < c->node_count; node++)
			if (chance(t, 2))
				t->window_node[i][w->node_count++] = node;
	}
	/* Names in another order, and two of one name. */
	static const char *const names[REF_NODES] = { "n2", "n10", "n1", "m", "n9", "m", "a", "N3" };
	for (uint32_t i = 0; i < c->node_count; i++)
		t->node_name[i] = names[i];
	c->node_name = t->node_name;
	c->island_count = chance(t, 2) ? 1 + below(t, 3) : 0;
	for (uint32_t i = 0; i < c->type_count; i++)
		t->type[i].island = below(t, c->island_count + 1);
	c->type = t->type;
	c->node_type = t->node_type;
	c->window = t->window;
}

/* GPUs in parts; some tasks want less than one. */
static void want_devices(struct trial *t, struct sl_task_resources *task)
{
	task->gpus *= sl_parts(t->cluster.gpu_parts);
	if (!task->gpus || !t->cluster.gpu_parts || chance(t, 3))
		return;
	task->gpus = 50 * (1 + (int64_t)below(t, 19));
	if (chance(t, 4))
		task->gpu_mem = 1 + below(t, 90);
	else if (chance(t, 3))
		task->mig = 1 + below(t, PROFILES);
}

static void make_group(struct trial *t, struct sl_group *g)
{
	const uint32_t tasks = 1 + (chance(t, 2) ? 0 : below(t, 6));
	*g = (struct sl_group){ .tasks = tasks };
	g->task.cpus = below(t, 3);
	g->task.mem = chance(t, 2) ? 0 : below(t, 4);
	g->task.gpus = t->cluster.kind_count > SL_KIND_GPUS && chance(t, 2) ? 1 + below(t, 2) : 0;
	g->task.gpu_types = t->cluster.kind_count > SL_KIND_GPUS ? below(t, 4) : 0;
	if (g->task.gpu_types >> (t->cluster.kind_count - SL_KIND_GPUS))
		g->task.gpu_types = 0;
	if (t->devices)
		want_devices(t, &g->task);
	if (!g->task.cpus && !g->task.mem && !g->task.gpus)
		g->task.cpus = 1;
	g->tasks_per_node = chance(t, 3) ? 1 + below(t, 3) : 0;
	g->nodes_min = chance(t, 3) ? below(t, 4) : 0;
	g->nodes_max = chance(t, 3) ? 1 + below(t, 3) : 0;
	g->exclusive = chance(t, 6);
}

/* Sets of types, which overlap; some are empty. Set 0 is all. */
static void make_sets(struct trial *t)
{
	struct sl_cluster *c = &t->cluster;
	c->node_set = t->set;
	c->node_set_count = SETS;
	for (uint32_t i = 0; i < SETS; i++) {
		t->set_types[i] = i ? below(t, 1U << c->type_count) : UINT64_MAX;
		t->set[i].types = &t->set_types[i];
		for (uint32_t node = 0; node < c->node_count; node++)
			t->set[i].node_count += (uint32_t)(t->set_types[i] >> t->node_type[node] & 1);
	}
	for (uint32_t i = 0; i < REQUESTS; i++)
		for (uint32_t k = 0; k < GROUPS; k++)
			t->group[i][k].node_set = chance(t, 2) ? below(t, SETS) : 0;
}

/* Requests that a window, or both, do not stop. */
static void make_reservations(struct trial *t)
{
	const bool one = chance(t, 3);
	for (uint32_t i = 0; i < t->cluster.window_count; i++) {
		t->window[i].name = i && !one ? "b" : "a";
		t->ref.window[i].reservation = one ? 1 : i + 1;
	}
	for (uint32_t i = 0; t->cluster.window_count && i < REQUESTS; i++)
		t->group[i][0].reservation =
			chance(t, 3) ? 1 + below(t, one ? 1 : t->cluster.window_count) : 0;
}

static bool are_followed(const struct trial *t, bool wanted)
{
	bool any = false;
	for (uint32_t i = 0; i < t->cluster.type_count; i++) {
		any |= t->type[i].device_count != 0;
		for (uint32_t k = 0; k < t->type[i].device_count; k++)
			wanted |= t->type[i].device[k].mig != 0;
	}
	for (uint32_t i = 0; i < REQUESTS; i++)
		for (uint32_t k = 0; k < t->request[i].group_count; k++) {
			const struct sl_task_resources *task = &t->group[i][k].task;
			wanted |= task->mig || task->gpu_mem || task->gpus % sl_parts(t->cluster.gpu_parts);
		}
	return any && wanted;
}

static void make_trial(struct trial *t, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->seed = seed;
	t->rng = sl_rng_stream(seed, "nodes");
	make_cluster(t);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		t->request[i].group = t->group[i];
		t->request[i].group_count = 1 + chance(t, 5);
		for (uint32_t k = 0; k < GROUPS; k++)
			make_group(t, &t->group[i][k]);
	}
	struct scorer scorer = { .rule = &scorers_here[below(t, SL_LEN(scorers_here))],
		.ties = (enum sl_ties)below(t, 3),
		.seed = below(t, 4) };
	struct sl_err err = { 0 };
	t->ref.cluster = &t->cluster;
	t->ref.requests = t->request;
	t->ref.scorer = scorer.rule;
	t->ref.ties = scorer.ties;
	t->ref.seed = scorer.seed;
	t->ref.asker = UINT32_MAX;
	const bool wanted = chance(t, 4);
	t->ref.devices = are_followed(t, wanted || scorer.rule->devices || scorer.rule->by_island);
	scorer.devices = wanted;
	for (uint32_t i = 0; i < t->cluster.window_count; i++) {
		struct ref_window *w = &t->ref.window[t->ref.windows++];
		w->from = t->window[i].from;
		w->until = t->window[i].until;
		for (uint32_t k = 0; k < t->window[i].node_count; k++)
			w->node[t->window[i].node[k]] = true;
	}
	if (chance(t, 2))
		make_sets(t);
	make_reservations(t);
	cr_assert_eq(nodes_new(&t->nodes, &t->cluster, t->request, REQUESTS, REF_JOBS, &scorer, &err), SL_OK);
	nodes_clock(t->nodes, 0);
}

#define AGREE(t, ours, theirs)                                                                    \
	cr_assert((ours) == (theirs), "seed %llu step %u, %s, %s: %lld, the reference says %lld", \
		(unsigned long long)(t)->seed, (t)->step, (t)->ref.scorer->name, (t)->doing,      \
		(long long)(ours), (long long)(theirs))

static void agree_parts(struct trial *t, size_t count, const struct sl_node_tasks *alloc,
	const struct ref_place *place, uint32_t request, bool suspended)
{
	struct sl_node_tasks want[REF_TASKS];
	const size_t wanted = request < REQUESTS ? ref_parts(&t->ref, request, place, want) : 0;
	AGREE(t, count, wanted);
	for (size_t i = 0; i < count && i < wanted; i++) {
		AGREE(t, alloc[i].node, want[i].node);
		AGREE(t, alloc[i].group, want[i].group);
		AGREE(t, alloc[i].tasks, want[i].tasks);
		AGREE(t, alloc[i].devices, suspended ? 0 : want[i].devices);
	}
}

static void agree_all(struct trial *t)
{
	const struct sl_node_tasks *alloc;
	for (uint32_t job = 0; job < REF_JOBS; job++) {
		const struct ref_job *j = &t->ref.job[job];
		const size_t held = nodes_allocs(t->nodes, job, &alloc);
		agree_parts(t, held, alloc, &j->held, j->running ? j->request : REQUESTS, j->suspended);
		const size_t promised = nodes_promised(t->nodes, job, &alloc);
		agree_parts(
			t, promised, alloc, &j->promise, j->promised ? j->promised_request : REQUESTS, false);
	}
	for (uint32_t kind = 0; kind < t->cluster.kind_count; kind++)
		AGREE(t, nodes_idle(t->nodes, kind), ref_idle(&t->ref, kind));
	AGREE(t, nodes_busy(t->nodes), ref_busy(&t->ref));
	nodes_check(t->nodes);
}

/* ---- Commands, and how each is taken back ------------------------------------------------------------ */

struct command;

struct undo {
	const struct command *command;
	uint32_t job;
	sl_time end;
	uint64_t digest;
	struct ref ref;
};

static sl_time length_of(struct trial *t) { return 1 + below(t, 20); }

static uint32_t job_that(struct trial *t, bool (*is)(const struct ref_job *job))
{
	const uint32_t first = below(t, REF_JOBS - 1);
	for (uint32_t i = 0; i < REF_JOBS - 1; i++)
		if (is(&t->ref.job[(first + i) % (REF_JOBS - 1)]))
			return (first + i) % (REF_JOBS - 1);
	return UINT32_MAX;
}

static bool is_waiting(const struct ref_job *job) { return !job->running && !job->promised; }
static bool is_running(const struct ref_job *job) { return job->running && !job->suspended; }
static bool is_held(const struct ref_job *job) { return job->running; }
static bool is_suspended(const struct ref_job *job) { return job->running && job->suspended; }
static bool is_promised(const struct ref_job *job) { return job->promised && !job->running; }

static bool do_start(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	const uint32_t request = below(t, REQUESTS);
	const sl_time length = length_of(t);
	struct ref_place place;
	t->doing = "start";
	AGREE(t, nodes_fits(t->nodes, request, length),
		ref_fits(&t->ref, request, t->ref.now, length, false, &place));
	const bool fits = ref_fits_for(&t->ref, job, request, t->ref.now, length, false, &place);
	AGREE(t, nodes_start(t->nodes, job, request, t->ref.now + length), fits);
	if (fits)
		ref_start(&t->ref, job, request, t->ref.now + length, &place);
	return fits;
}

static bool do_start_on(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	const uint32_t request = below(t, REQUESTS);
	const sl_time end = t->ref.now + length_of(t);
	struct sl_node_tasks alloc[REF_TASKS];
	struct ref_place place;
	size_t count;
	t->doing = "start on";
	if (chance(t, 2) && ref_fits(&t->ref, request, t->ref.now, 1, false, &place)) {
		count = ref_parts(&t->ref, request, &place, alloc);
	} else {
		count = 1 + below(t, 3);
		for (size_t i = 0; i < count; i++)
			alloc[i] = (struct sl_node_tasks){ below(t, t->cluster.node_count + 1),
				(uint16_t)below(t, 2), 1 + below(t, 3), 0 };
	}
	const bool good = ref_start_on(&t->ref, job, request, end, alloc, count);
	AGREE(t, nodes_start_on(t->nodes, job, request, end, alloc, count), good);
	return good;
}

static bool do_window(struct trial *t, struct undo *u)
{
	(void)u;
	bool node[REF_NODES] = { false };
	uint32_t row[REF_NODES];
	uint32_t count = 0;
	if (t->ref.windows == REF_WINDOWS || !chance(t, 4))
		return false;
	for (uint32_t i = 0; i < t->cluster.node_count; i++)
		if (chance(t, 3)) {
			node[i] = true;
			row[count++] = i;
		}
	const sl_time from = t->ref.now + below(t, 20);
	const sl_time until = from + below(t, 10);
	t->doing = "window";
	const bool good = ref_window(&t->ref, node, from, until);
	AGREE(t, nodes_window_add(t->nodes, row, count, from, until), good);
	return good;
}

static bool do_promise(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	const uint32_t request = below(t, REQUESTS);
	const sl_time length = length_of(t);
	struct ref_job *j = &t->ref.job[job];
	t->doing = "promise at";
	const sl_time at = ref_soonest(&t->ref, request, length, true);
	AGREE(t, nodes_promise_at(t->nodes, request, length), at);
	if (at == SL_NEVER)
		return false;
	t->doing = "promise";
	AGREE(t, nodes_promise(t->nodes, job, request, at, length), true);
	(void)ref_fits_for(&t->ref, job, request, at, length, true, &j->promise);
	j->promised = true;
	j->promised_request = request;
	j->from = at;
	j->until = at + length;
	nodes_promise_settled(t->nodes, job, true);
	return true;
}

/* Beside all other promises. */
static sl_time sooner_of(struct trial *t, uint32_t job)
{
	struct ref_job *j = &t->ref.job[job];
	const sl_time length = j->until - j->from;
	t->doing = "sooner";
	j->promised = false;
	const sl_time soonest = ref_soonest(&t->ref, j->promised_request, length, true);
	j->promised = true;
	const sl_time at = soonest < j->from ? soonest : j->from;
	AGREE(t, nodes_promise_sooner(t->nodes, job, j->promised_request, length, j->from), at);
	return at;
}

/* Of all jobs with a promise. */
static void sooner_all(struct trial *t)
{
	for (uint32_t job = 0; job < REF_JOBS; job++)
		if (is_promised(&t->ref.job[job]))
			(void)sooner_of(t, job);
}

/* A promise moves if there is a sooner place. */
static bool do_sooner(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	struct ref_job *j = &t->ref.job[job];
	const uint32_t request = j->promised_request;
	const sl_time length = j->until - j->from;
	const sl_time at = sooner_of(t, job);
	if (at == j->from)
		return false;
	j->promised = false;
	nodes_unpromise(t->nodes, job);
	AGREE(t, nodes_promise(t->nodes, job, request, at, length), true);
	nodes_promise_settled(t->nodes, job, true);
	(void)ref_fits_for(&t->ref, job, request, at, length, true, &j->promise);
	j->promised = true;
	j->from = at;
	j->until = at + length;
	return true;
}

static bool do_start_promised(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	const struct ref_job *j = &t->ref.job[job];
	const sl_time end = t->ref.now + (j->until - j->from);
	const uint32_t request = j->promised_request;
	t->doing = "start promised";
	const bool good = ref_start_promised(&t->ref, job, end);
	AGREE(t, nodes_start_promised(t->nodes, job, request, end), good);
	return good;
}

static bool do_resize(struct trial *t, struct undo *u)
{
	const uint32_t job = u->job;
	const uint32_t tasks = 1 + below(t, 8);
	t->doing = "resize";
	t->ref.asker = job;
	const bool good = ref_resize(&t->ref, job, tasks);
	t->ref.asker = UINT32_MAX;
	AGREE(t, nodes_resize(t->nodes, job, tasks), good);
	return good;
}

static bool do_end(struct trial *t, struct undo *u)
{
	t->doing = "end";
	u->end = t->ref.job[u->job].end;
	nodes_end(t->nodes, u->job);
	t->ref.job[u->job].running = false;
	return true;
}

static bool do_move_end(struct trial *t, struct undo *u)
{
	struct ref_job *j = &t->ref.job[u->job];
	t->doing = "move end";
	u->end = j->end;
	j->end = t->ref.now + 1 + below(t, 30);
	nodes_move_end(t->nodes, u->job, j->end);
	return true;
}

static bool do_suspend(struct trial *t, struct undo *u)
{
	struct ref_job *j = &t->ref.job[u->job];
	t->doing = "suspend";
	u->end = j->end;
	nodes_suspend(t->nodes, u->job);
	j->suspended = true;
	j->end = SL_NEVER;
	return true;
}

static bool do_resume(struct trial *t, struct undo *u)
{
	const sl_time end = t->ref.now + length_of(t);
	t->doing = "resume";
	const bool good = ref_resume(&t->ref, u->job, end);
	AGREE(t, nodes_resume(t->nodes, u->job, end), good);
	return good;
}

static bool do_unpromise(struct trial *t, struct undo *u)
{
	t->doing = "unpromise";
	nodes_unpromise(t->nodes, u->job);
	t->ref.job[u->job].promised = false;
	return true;
}

static void undo_start(struct trial *t, const struct undo *u) { nodes_start_undo(t->nodes, u->job); }
static void undo_end(struct trial *t, const struct undo *u) { nodes_restore(t->nodes, u->job, u->end); }
static void undo_move(struct trial *t, const struct undo *u) { nodes_move_end(t->nodes, u->job, u->end); }
static void undo_resume(struct trial *t, const struct undo *u) { nodes_suspend(t->nodes, u->job); }
static void undo_resize(struct trial *t, const struct undo *u) { nodes_resize_undo(t->nodes, u->job); }
static void undo_promise(struct trial *t, const struct undo *u) { nodes_promise_undo(t->nodes, u->job); }
static void undo_unpromise(struct trial *t, const struct undo *u)
{
	nodes_promise_restore(t->nodes, u->job);
	nodes_promise_settled(t->nodes, u->job, false);
}
static void undo_sooner(struct trial *t, const struct undo *u)
{
	nodes_promise_undo(t->nodes, u->job);
	undo_unpromise(t, u);
}
static void undo_suspend(struct trial *t, const struct undo *u)
{
	nodes_suspend_undo(t->nodes, u->job, u->end);
}
static void undo_window(struct trial *t, const struct undo *u)
{
	(void)u;
	nodes_window_undo(t->nodes);
}
static void undo_start_promised(struct trial *t, const struct undo *u)
{
	nodes_start_undo(t->nodes, u->job);
	undo_unpromise(t, u);
}

static const struct command {
	bool (*beneficiary)(const struct ref_job *job);
	bool (*act)(struct trial *t, struct undo *u);
	void (*back)(struct trial *t, const struct undo *u);
} commands[] = {
	{ is_waiting, do_start, undo_start },
	{ is_waiting, do_start, undo_start },
	{ is_waiting, do_start, undo_start },
	{ is_waiting, do_start, undo_start },
	{ is_waiting, do_start_on, undo_start },
	{ is_held, do_end, undo_end },
	{ is_running, do_move_end, undo_move },
	{ is_running, do_suspend, undo_suspend },
	{ is_suspended, do_resume, undo_resume },
	{ is_held, do_resize, undo_resize },
	{ is_waiting, do_window, undo_window },
	{ is_waiting, do_promise, undo_promise },
	{ is_promised, do_unpromise, undo_unpromise },
	{ is_promised, do_start_promised, undo_start_promised },
	{ is_promised, do_sooner, undo_sooner },
	{ is_promised, do_sooner, undo_sooner },
	{ is_promised, do_sooner, undo_sooner },
};

static bool command(struct trial *t, struct undo *u)
{
	u->command = &commands[below(t, SL_LEN(commands))];
	u->digest = nodes_digest(t->nodes);
	u->ref = t->ref;
	u->job = job_that(t, u->command->beneficiary);
	return u->job != UINT32_MAX && u->command->act(t, u);
}

static void take_back(struct trial *t, const struct undo *u)
{
	t->doing = "undo";
	u->command->back(t, u);
	t->ref = u->ref;
	AGREE(t, nodes_digest(t->nodes), u->digest);
}

/* ---- Questions -------------------------------------------------------------------------------------------
 */

static void needs(struct trial *t)
{
	struct ref_place place;
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t request = below(t, REQUESTS);
		const sl_time length = length_of(t);
		t->doing = "could hold";
		AGREE(t, nodes_could_hold(t->nodes, request), ref_could_keep(&t->ref, request));
		t->doing = "fits";
		AGREE(t, nodes_fits(t->nodes, request, length),
			ref_fits(&t->ref, request, t->ref.now, length, false, &place));
		t->doing = "soonest";
		AGREE(t, nodes_soonest(t->nodes, request, length),
			ref_soonest(&t->ref, request, length, false));
	}
}

static void guard(struct trial *t)
{
	const uint32_t request = below(t, REQUESTS);
	const sl_time length = length_of(t);
	const sl_time at = ref_soonest(&t->ref, request, length, false);
	const bool named = chance(t, 3);
	t->ref.asker = below(t, REF_JOBS);
	nodes_for(t->nodes, t->ref.asker);
	nodes_backfill_check(t->nodes, request, at, length, named);
	ref_guard(&t->ref, request, at, length, named);
	t->ref.asker = UINT32_MAX;
}

static void needs_guard(struct trial *t)
{
	struct ref_place place;
	for (uint32_t request = 0; request < REQUESTS; request++) {
		const sl_time length = length_of(t);
		const uint32_t asker = below(t, REF_JOBS);
		t->doing = t->ref.named ? "allows, named" : "allows";
		if (!ref_fits(&t->ref, request, t->ref.now, length, false, &place))
			continue;
		nodes_for(t->nodes, asker);
		t->ref.asker = asker;
		AGREE(t, nodes_backfill_check_allows(t->nodes, request, length),
			ref_allows(&t->ref, request, length));
		t->ref.asker = UINT32_MAX;
	}
}

/* One instant: commands, some taken back; then what is left stays. */
static void instant(struct trial *t)
{
	struct undo undo[UNDO];
	unsigned count = 0;
	for (unsigned i = 0; i < UNDO; i++, t->step++) {
		if (command(t, &undo[count]))
			count++;
		agree_all(t);
		if (chance(t, 4))
			guard(t);
		if (chance(t, 3))
			needs(t);
		if (chance(t, 2))
			sooner_all(t);
		if (t->ref.guarded && chance(t, 2))
			needs_guard(t);
		for (unsigned back = chance(t, 5) ? below(t, count + 1) : 0; back; back--) {
			const struct ref now = t->ref;
			take_back(t, &undo[--count]);
			t->ref.guarded = now.guarded;
			t->ref.named = now.named;
			t->ref.guard_request = now.guard_request;
			t->ref.guard_at = now.guard_at;
			t->ref.guard_length = now.guard_length;
			t->ref.chosen = now.chosen;
			agree_all(t);
		}
	}
	nodes_forget(t->nodes);
}

/* As models have it between passes. */
static void be_late(struct trial *t)
{
	const uint32_t node = below(t, t->cluster.node_count);
	const uint8_t late = (uint8_t)below(t, NODES_LATE);
	nodes_late(t->nodes, node, late);
	t->ref.late[node] = late;
}

/* What was to end by then ends, or is taken to end later. */
static void pass_time(struct trial *t)
{
	const sl_time now = t->ref.now + 1 + below(t, 8);
	for (uint32_t job = 0; job < REF_JOBS; job++) {
		struct ref_job *j = &t->ref.job[job];
		if (j->promised && j->from <= now) {
			nodes_unpromise(t->nodes, job);
			j->promised = false;
		}
		if (!j->running || j->end > now)
			continue;
		if (chance(t, 3)) {
			j->end = now + 1;
			nodes_move_end(t->nodes, job, j->end);
		} else {
			nodes_end(t->nodes, job);
			j->running = false;
		}
	}
	nodes_forget(t->nodes);
	nodes_backfill_check_end(t->nodes);
	t->ref.guarded = false;
	t->ref.now = now;
	nodes_clock(t->nodes, now);
	t->doing = "window next";
	sl_time next = SL_NEVER;
	for (uint32_t i = 0; i < t->ref.windows; i++) {
		const struct ref_window *w = &t->ref.window[i];
		next = w->from > now && w->from < next ? w->from : next;
		next = w->until > now && w->until < next ? w->until : next;
	}
	AGREE(t, nodes_window_next(t->nodes), next);
}

Test(nodes_property, everything_is_as_in_the_reference, .timeout = 3600)
{
	const char *only = getenv("SL_SEED");
	int64_t first = 1;
	(void)(only && sl_get_i64(only, strlen(only), &first));
	const unsigned count = only ? 1 : (unsigned)effort_of(100, 1500, 6000);
	for (uint64_t seed = (uint64_t)first; seed < (uint64_t)first + count; seed++) {
		struct trial t;
		make_trial(&t, seed);
		for (unsigned i = 0; i < 6; i++) {
			instant(&t);
			pass_time(&t);
			for (unsigned late = seed % 2 ? below(&t, 3) : 0; late; late--)
				be_late(&t);
		}
		nodes_free(t.nodes);
	}
}
