/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_node_policies.c - whole policies on nodes against the slow reference, on generated clusters; and what
 * must not change when a world is told otherwise. SL_EFFORT=full runs more of them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/node_reference.h"
#include "tests/world/world.h"

static const struct {
	const char *policy;
	struct nr_options options;
} plans[] = {
	{ "fcfs:", { .plan = NR_FCFS } },
	{ "greedy:", { .plan = NR_GREEDY } },
	{ "easy:", { .plan = NR_EASY, .spare = SL_SPARE_COUNT } },
	{ "easy:spare=named,", { .plan = NR_EASY, .spare = SL_SPARE_NAMED } },
	{ "easy:spare=none,", { .plan = NR_EASY, .spare = SL_SPARE_NONE } },
	{ "easy:order=sjf,", { .plan = NR_EASY, .shortest_first = true } },
	{ "easy:fill=shortest,", { .plan = NR_EASY, .fill_shortest = true } },
	{ "easy:fill=shortest,spare=named,",
		{ .plan = NR_EASY, .fill_shortest = true, .spare = SL_SPARE_NAMED } },
	{ "conservative:", { .plan = NR_CONSERVATIVE } },
	{ "conservative:order=sjf,", { .plan = NR_CONSERVATIVE, .shortest_first = true } },
};

static const char *const places[NR_PLACES] = { "first", "best", "worst", "pack", "spread" };

/* ---- Worlds ------------------------------------------------------------------------------------ */

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return bound > 0 ? (int64_t)sl_rng_below(rng, (uint64_t)bound) : 0;
}

/* What a world is made of: each draws its own, so that plain and crowded ones all occur. */
struct style {
	int64_t cpus, mem, gpus, types, gap, run, over, groups, tasks, task_cpus;
	bool bounds, exclusives, exact;
};

static void random_nodes(struct sl_rng *rng, const struct style *style, struct node_world *w)
{
	w->nodes = (uint32_t)(2 + below(rng, 4));
	w->kinds = (uint32_t)(2 + below(rng, 3));
	const bool unbounded = below(rng, 4) == 0;
	for (uint32_t node = 0; node < w->nodes; node++) {
		if (node && below(rng, 5) >= style->types) {
			memcpy(w->amount[node], w->amount[node - 1], sizeof(w->amount[node]));
			continue;
		}
		w->amount[node][SL_KIND_CPUS] = 1 + below(rng, style->cpus);
		w->amount[node][SL_KIND_MEM] = unbounded ? SL_MEM_UNBOUNDED : 1 + below(rng, style->mem);
		for (uint32_t kind = SL_KIND_GPUS; kind < w->kinds; kind++)
			w->amount[node][kind] = below(rng, style->gpus);
	}
}

static void random_windows(struct sl_rng *rng, struct node_world *w)
{
	if (below(rng, 2))
		return;
	w->windows = (uint32_t)(1 + below(rng, NW_WINDOWS));
	int64_t from = 0;
	for (uint32_t i = 0; i < w->windows; i++) {
		from += below(rng, 10);
		w->window[i] = (struct nw_window){ .from = from,
			.until = from + 1 + below(rng, 8),
			.nodes = (uint32_t)(1 + below(rng, (INT64_C(1) << w->nodes) - 1)) };
	}
}

static void random_bounds(struct sl_rng *rng, struct sl_group *g)
{
	if (below(rng, 3) == 0)
		g->tasks_per_node = (uint32_t)(1 + below(rng, 2));
	if (below(rng, 3) == 0)
		g->nodes_min = (uint32_t)(1 + below(rng, g->tasks));
	if (below(rng, 3) == 0)
		g->nodes_max = (uint32_t)(1 + below(rng, g->tasks));
	if (g->nodes_max && g->nodes_min > g->nodes_max)
		g->nodes_min = g->nodes_max;
}

static bool random_group(
	struct sl_rng *rng, const struct style *style, const struct node_world *w, struct sl_group *g)
{
	memset(g, 0, sizeof(*g));
	g->tasks = g->tasks_min = g->tasks_max = (uint32_t)(1 + below(rng, style->tasks));
	g->task.cpus = below(rng, style->task_cpus + 1);
	g->task.mem = below(rng, 2) ? below(rng, 3) : 0;
	if (w->kinds > SL_KIND_GPUS && below(rng, 2)) {
		g->task.gpus = 1 + below(rng, 2);
		g->task.gpu_types = (uint32_t)below(rng, INT64_C(1) << (w->kinds - SL_KIND_GPUS));
	}
	if (!g->task.cpus && !g->task.gpus)
		g->task.cpus = 1;
	if (style->bounds && below(rng, 2))
		random_bounds(rng, g);
	g->exclusive = style->exclusives && below(rng, 4) == 0;
	return node_reference_could_keep(w, g);
}

static void random_job(struct sl_rng *rng, const struct style *style, struct node_world *w, uint32_t row)
{
	struct nw_job *job = &w->job[row];
	job->run = 1 + below(rng, style->run);
	job->limit = style->exact ? job->run : job->run + below(rng, style->over) - below(rng, 3);
	job->limit = job->limit < 1 ? 1 : job->limit;
	if (row && below(rng, 4) == 0) { /* Asks what the one before asks. */
		job->group_count = w->job[row - 1].group_count;
		memcpy(job->group, w->job[row - 1].group, sizeof(job->group));
		return;
	}
	job->group_count = (uint32_t)(1 + below(rng, style->groups));
	for (uint32_t i = 0; i < job->group_count; i++) {
		int tries = 0;
		while (!random_group(rng, style, w, &job->group[i]))
			if (++tries == 20) {
				memset(&job->group[i], 0, sizeof(job->group[i]));
				job->group[i].task.cpus = 1;
				job->group[i].tasks = job->group[i].tasks_min = job->group[i].tasks_max = 1;
				break;
			}
	}
}

/* Partitions that overlap, in every third world; who would fit in none of its own stays free. */
static void random_sets(struct node_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/sets");
	if (seed % 3)
		return;
	for (uint32_t i = 1; i < NW_SETS; i++)
		w->set_nodes[i] = (uint32_t)(1 + below(&rng, (INT64_C(1) << w->nodes) - 1));
	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t k = 0; k < w->job[i].group_count; k++) {
			struct sl_group *g = &w->job[i].group[k];
			g->node_set = (uint32_t)below(&rng, NW_SETS);
			if (!node_reference_could_keep(w, g))
				g->node_set = 0;
		}
}

static void random_world(struct node_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/nodes");
	memset(w, 0, sizeof(*w));
	const struct style style = { .cpus = 1 + below(&rng, 5),
		.mem = 1 + below(&rng, 8),
		.gpus = 2 + below(&rng, 3),
		.types = below(&rng, 6),
		.gap = 1 + below(&rng, 5),
		.run = 1 + below(&rng, 10),
		.over = 1 + below(&rng, 6),
		.groups = 1 + (below(&rng, 2) ? 0 : below(&rng, NW_GROUPS)),
		.tasks = 1 + below(&rng, 5),
		.task_cpus = 1 + below(&rng, 3),
		.bounds = below(&rng, 2),
		.exclusives = below(&rng, 2),
		.exact = below(&rng, 4) == 0 };
	random_nodes(&rng, &style, w);
	random_windows(&rng, w);
	w->count = (uint32_t)(1 + below(&rng, 20));
	w->overrun = (enum sl_overrun)below(&rng, SL_OVERRUN_COUNT);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		submit += below(&rng, style.gap);
		w->job[i].submit = submit;
		random_job(&rng, &style, w, i);
	}
	random_sets(w, seed);
}

/* ---- Against the reference ------------------------------------------------------------------------ */

static void sums(const struct node_world *w, const struct nr_placement *held, int64_t *nodes, int64_t *cpus,
	int64_t *gpus)
{
	*nodes = *cpus = *gpus = 0;
	for (uint32_t node = 0; node < w->nodes; node++) {
		bool on = false;
		for (uint32_t i = 0; i < held->count; i++) {
			const struct nr_alloc *alloc = &held->alloc[i];
			if (alloc->node != node)
				continue;
			on = true;
			for (uint32_t kind = 0; kind < w->kinds; kind++) {
				const int64_t amount =
					alloc->whole ? w->amount[node][kind] : alloc->amount[kind];
				*cpus += kind == SL_KIND_CPUS ? amount : 0;
				*gpus += kind >= SL_KIND_GPUS ? amount : 0;
			}
		}
		*nodes += on;
	}
}

static bool same_parts(const struct node_world *w, uint32_t job, const struct nr_placement *held)
{
	bool same = w->alloc_count[job] == held->count;
	for (uint32_t i = 0; i < w->alloc_count[job] && same; i++) {
		const struct nw_alloc *alloc = &w->alloc[job][i];
		same = false;
		for (uint32_t k = 0; k < held->count && !same; k++)
			same = held->alloc[k].node == alloc->node && held->alloc[k].group == alloc->group &&
			       held->alloc[k].tasks == alloc->tasks;
	}
	return same;
}

/* What is different about the job, or NULL. */
static const char *difference(const struct node_world *w, uint32_t job, const struct nr_result *want)
{
	const struct sl_result *got = &w->sim.result;
	int64_t nodes;
	int64_t cpus;
	int64_t gpus;
	if (node_world_start(w, job) != want->start[job])
		return "start";
	if (node_world_end(w, job) != want->end[job])
		return "end";
	if (!got->nodes_held) /* Counted: such nodes have no names. */
		return NULL;
	sums(w, &want->held[job], &nodes, &cpus, &gpus);
	if (!same_parts(w, job, &want->held[job]))
		return "pieces";
	return got->nodes_held[job] == nodes && got->cpus_held[job] == cpus && got->gpus_held[job] == gpus
		       ? NULL
		       : "sum held";
}

static void put_parts(FILE *out, const struct node_world *w, uint32_t job, const struct nr_result *want)
{
	(void)fprintf(out, "\nengine: start %lld on (node group tasks)", (long long)node_world_start(w, job));
	for (uint32_t i = 0; i < w->alloc_count[job]; i++)
		(void)fprintf(out, " (%u %u %u)", w->alloc[job][i].node, w->alloc[job][i].group,
			w->alloc[job][i].tasks);
	(void)fprintf(out, "\nreference: start %lld on", (long long)want->start[job]);
	for (uint32_t i = 0; i < want->held[job].count; i++)
		(void)fprintf(out, " (%u %u %u)", want->held[job].alloc[i].node,
			want->held[job].alloc[i].group, want->held[job].alloc[i].tasks);
}

static void report(
	const struct node_world *w, uint32_t job, const struct nr_result *want, char *text, size_t size)
{
	node_world_describe(w, text, size);
	FILE *out = fmemopen(text + strlen(text), size - strlen(text), "w");
	if (!out)
		return;
	put_parts(out, w, job, want);
	(void)fclose(out);
}

static bool agrees(struct node_world *w, size_t plan, enum nr_place place, bool check, uint64_t seed)
{
	static const size_t capacity = 8000;
	struct nr_options options = plans[plan].options;
	struct nr_result want;
	char policy[100];
	char text[8000];
	const char *what = NULL;
	options.place = place;
	(void)snprintf(policy, sizeof(policy), "%splace=%s", plans[plan].policy, places[place]);
	node_reference_run(w, &options, &want);
	const int status = node_world_run(w, policy, check);
	if (status || w->wrong[0]) {
		what = status ? w->err.text : w->wrong;
		node_world_describe(w, text, capacity);
		cr_expect_fail("seed %llu, %s: %s\n%s", (unsigned long long)seed, policy, what, text);
	}
	/* Nodes that are counted have no names to be kept. */
	const bool named = options.plan == NR_CONSERVATIVE || options.spare == SL_SPARE_NAMED;
	const uint32_t compared = named && !w->sim.result.nodes_held ? 0 : w->count;
	for (uint32_t job = 0; job < compared && !what; job++) {
		what = difference(w, job, &want);
		if (!what)
			continue;
		report(w, job, &want, text, capacity);
		cr_expect_fail("seed %llu, %s: %s of job %u differs\n%s", (unsigned long long)seed, policy,
			what, job + 1, text);
	}
	node_world_release(w);
	return !what;
}

Test(node_policies, generated_worlds_agree_with_the_reference, .timeout = 3600)
{
	const uint64_t worlds = effort_of(200, 2000, 12000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world w;
		random_world(&w, seed);
		for (size_t plan = 0; plan < SL_LEN(plans); plan++)
			if (!agrees(&w, plan, (enum nr_place)((seed + plan) % NR_PLACES), seed % 20 == 0,
				    seed))
				return;
	}
}

/* ---- Presets that share, preempt and suspend ------------------------------------------------------------
 */

static const char *const presets[] = { "fairshare:", "drf:", "lottery:", "stride:", "quota:preempt=requeue,",
	"quota:preempt=checkpoint,", "quota:preempt=none,", "gang:", "slices:quantum=2,",
	"slices:quantum=3,rows=2,", "composed:plan=depth,depth=2,", "composed:plan=slack,",
	"composed:plan=conservative,estimate=tsafrir,",
	"easy++:", "easy:estimate=tsafrir,order=wfp3,spare=named,", "easy:shadow=frozen,",
	"composed:plan=commit," };

/* Users, and gangs of neighbours, whose jobs fit together more often than not. */
static void people(struct node_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/people");
	const int64_t gangs = below(&rng, 2) ? 3 : 0;
	for (uint32_t i = 0; i < w->count; i++) {
		w->job[i].user = (int32_t)below(&rng, 3);
		if (i && below(&rng, 4) < gangs - 2)
			w->job[i].gang = w->job[i - 1].gang = w->job[i - 1].gang ? w->job[i - 1].gang : i;
	}
}

/* Each ran as long as it was to; requeued ones began again. */
static const char *run_differs(const struct node_world *w, uint32_t job, bool requeues)
{
	const struct sl_result *got = &w->sim.result;
	if (got->start[job] == SL_NONE || got->end[job] == SL_NONE)
		return NULL;
	const bool cut = w->overrun == SL_OVERRUN_KILL && w->limit[job] < w->run[job];
	const sl_time length = cut ? w->limit[job] : w->run[job];
	sl_time ran = 0;
	sl_time lost = 0;
	bool several = false;
	for (size_t i = 0; i < got->attempt_count; i++) {
		if (got->attempts[i].job != job)
			continue;
		several = true;
		ran += got->attempts[i].end - got->attempts[i].start - got->attempts[i].suspended;
		lost += got->attempts[i].lost;
	}
	if (!several)
		ran = got->end[job] - got->start[job] - (got->suspended ? got->suspended[job] : 0);
	if (lost && !requeues)
		return "work was lost";
	return ran - lost == length ? NULL : "it did not run as long as it was to";
}

/* Who asks for more than there is, in several groups, is asked for nothing here. */
static void leave_out(struct node_world *w, enum nr_place place)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < w->count; i++)
		if (node_reference_could_run(w, i, place))
			w->job[kept++] = w->job[i];
	w->count = kept;
}

static bool audited(struct node_world *w, const char *preset, enum nr_place place, bool check, uint64_t seed)
{
	char policy[100];
	char text[8000];
	(void)snprintf(policy, sizeof(policy), "%splace=%s", preset, places[place]);
	const int status = node_world_run(w, policy, check);
	const char *what = status ? w->err.text : w->wrong[0] ? w->wrong : NULL;
	if (status && strstr(what, "it could never start")) /* A gang, which says so. */
		what = NULL;
	for (uint32_t job = 0; job < w->count && !what && !status; job++)
		what = run_differs(w, job, strstr(preset, "requeue"));
	if (!what && !status && w->sim.result.cluster->node_count &&
		!world_places_add_up(&w->sim.result, true))
		what = "what attempts held on their nodes is not what was busy";
	if (what) {
		node_world_describe(w, text, sizeof(text));
		cr_expect_fail("seed %llu, %s: %s\n%s", (unsigned long long)seed, policy, what, text);
	}
	node_world_release(w);
	return !what;
}

Test(node_policies, presets_keep_no_more_than_there_is_and_keep_work, .timeout = 3600)
{
	const uint64_t worlds = effort_of(100, 1000, 6000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world w;
		random_world(&w, seed);
		people(&w, seed);
		for (enum nr_place place = NR_FIRST; place < NR_PLACES; place++)
			leave_out(&w, place);
		for (size_t i = 0; i < SL_LEN(presets) && w.count; i++)
			if (!audited(&w, presets[i], (enum nr_place)((seed + i) % NR_PLACES), seed % 10 == 0,
				    seed))
				return;
	}
}

/* ---- What must not matter -------------------------------------------------------------------------------
 */

/* Runs both, and compares: every time of the second is `times` that of the first, and every piece is on the
 * node that node[] says. */
static bool alike(struct node_world *a, struct node_world *b, const char *policy, const uint32_t *node,
	const char *reported, uint64_t seed)
{
	char text[8000];
	const char *what = NULL;
	uint32_t job = 0;
	if (node_world_run(a, policy, false))
		what = a->err.text;
	if (node_world_run(b, policy, false) && !what)
		what = b->err.text;
	for (; job < a->count && !what; job++) {
		if (node_world_start(a, job) != node_world_start(b, job))
			what = "start";
		else if (node_world_end(a, job) != node_world_end(b, job))
			what = "end";
		else if (node && a->alloc_count[job] != b->alloc_count[job])
			what = "pieces";
		for (uint32_t i = 0; node && !what && i < a->alloc_count[job]; i++) {
			const struct nw_alloc *x = &a->alloc[job][i];
			const struct nw_alloc *y = &b->alloc[job][i];
			if (node[x->node] != y->node || x->group != y->group || x->tasks != y->tasks)
				what = "pieces";
		}
	}
	if (what) {
		node_world_describe(a, text, sizeof(text));
		cr_expect_fail("seed %llu, %s, %s: %s of job %u differs\n%s", (unsigned long long)seed,
			policy, reported, what, job, text);
	}
	node_world_release(a);
	node_world_release(b);
	return !what;
}

static const uint32_t same_node[NW_NODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

/* The amounts of all nodes and requests are scaled alike, or only some kinds are. */
static void scale(struct node_world *w, int64_t cpus, int64_t mem, int64_t gpus)
{
	for (uint32_t node = 0; node < w->nodes; node++) {
		w->amount[node][SL_KIND_CPUS] *= cpus;
		if (w->amount[node][SL_KIND_MEM] < SL_MEM_UNBOUNDED)
			w->amount[node][SL_KIND_MEM] *= mem;
		for (uint32_t kind = SL_KIND_GPUS; kind < w->kinds; kind++)
			w->amount[node][kind] *= gpus;
	}
	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t g = 0; g < w->job[i].group_count; g++) {
			w->job[i].group[g].task.cpus *= cpus;
			w->job[i].group[g].task.mem *= mem;
			w->job[i].group[g].task.gpus *= gpus;
		}
}

static bool transformed(uint64_t seed, const char *policy, bool first)
{
	struct node_world a;
	struct node_world b;
	random_world(&a, seed);
	a.amount[0][SL_KIND_CPUS]++; /* Nodes of one cpu may be counted: scaled they have names. */
	b = a;
	b.offset = 86400 + (int64_t)(seed % 1000);
	if (!alike(&a, &b, policy, same_node, "a day later", seed))
		return false;
	b = a;
	scale(&b, 2, 8, 4); /* Powers of two: shares of the whole are rounded alike. */
	if (!alike(&a, &b, policy, same_node, "amounts scaled", seed))
		return false;
	b = a;
	b.types_apart = true;
	if (!alike(&a, &b, policy, same_node, "each node a type of its own", seed))
		return false;
	b = a;
	b.spare_type = true;
	return !first || alike(&a, &b, policy, same_node, "with a node that is of no use", seed);
}

Test(node_policies, times_amounts_and_names_of_types_do_not_matter, .timeout = 3600)
{
	const uint64_t worlds = effort_of(100, 1000, 6000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		const size_t plan = seed % SL_LEN(plans);
		const enum nr_place place = (enum nr_place)(seed / SL_LEN(plans) % NR_PLACES);
		char policy[100];
		(void)snprintf(policy, sizeof(policy), "%splace=%s", plans[plan].policy, places[place]);
		if (!transformed(seed, policy, place == NR_FIRST))
			return;
	}
}

/* GPUs that are followed one by one, of which nobody asks for less than one, are as good as counted ones; but
 * for promises, which would have a job change devices, and for jobs that go on where they were. */
Test(node_policies, devices_of_whole_gpus_do_not_matter, .timeout = 3600)
{
	static const char *const here[] = { "fcfs:", "composed:plan=greedy,", "easy:", "easy:order=sjf," };
	const uint64_t worlds = effort_of(100, 1000, 6000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world a;
		struct node_world b;
		char policy[100];
		(void)snprintf(policy, sizeof(policy), "%splace=%s", here[seed % SL_LEN(here)],
			places[seed / SL_LEN(here) % NR_PLACES]);
		random_world(&a, seed);
		a.amount[0][SL_KIND_CPUS]++; /* Nodes of one cpu may be counted. */
		b = a;
		b.gpu_parts = 1024; /* Shares of the whole are rounded alike. */
		scale(&b, 1, 1, b.gpu_parts);
		if (!alike(&a, &b, policy, same_node, "devices followed", seed))
			return;
	}
}

/* Half of those who ask for GPUs want a share, or a profile where some are divided. */
static void needs_shares(struct node_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/shares");
	w->gpu_parts = 1000;
	w->divided = below(&rng, 3) == 0;
	scale(w, 1, 1, w->gpu_parts);
	for (uint32_t i = 0; i < w->count; i++) {
		struct sl_task_resources *task = &w->job[i].group[0].task;
		w->job[i].group_count = 1; /* Whether several fit at all depends on the placing. */
		if (!task->gpus || below(&rng, 2))
			continue;
		task->gpus = 125 * (1 + below(&rng, 7));
		if (!w->divided || below(&rng, 2))
			continue;
		task->mig = (uint32_t)(1 + below(&rng, NW_PROFILES));
		task->gpus = 125 << (task->mig - 1);
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < w->count; i++)
		if (node_world_could_keep(w, i))
			w->job[kept++] = w->job[i];
	w->count = kept;
}

Test(node_policies, shares_of_gpus_are_no_more_than_there_are, .timeout = 3600)
{
	const uint64_t worlds = effort_of(60, 300, 3000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world w;
		random_world(&w, seed);
		people(&w, seed);
		for (enum nr_place place = NR_FIRST; place < NR_PLACES; place++)
			leave_out(&w, place);
		needs_shares(&w, seed);
		for (size_t i = 0; i < SL_LEN(presets) && w.count; i++)
			if (!audited(&w, presets[i], (enum nr_place)((seed + i) % NR_PLACES), seed % 4 == 0,
				    seed))
				return;
	}
}

/* Without ties between nodes their numbers do not matter: each has a number of cpus of its own, and the world
 * is told with the nodes the other way round. */
Test(node_policies, the_order_of_unlike_nodes_does_not_matter, .timeout = 3600)
{
	const uint64_t worlds = effort_of(100, 1000, 6000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world a;
		struct node_world b;
		uint32_t other[NW_NODES] = { 0 };
		random_world(&a, seed);
		b = a;
		for (uint32_t node = 0; node < a.nodes; node++) {
			other[node] = a.nodes - 1 - node;
			memcpy(b.amount[other[node]], a.amount[node], sizeof(a.amount[node]));
		}
		for (uint32_t i = 0; i < a.windows; i++) {
			b.window[i].nodes = 0;
			for (uint32_t node = 0; node < a.nodes; node++)
				b.window[i].nodes |= (a.window[i].nodes >> node & 1) << other[node];
		}
		/* One group, of one task or on one node: whether it fits depends on no choice that was a tie
		 * only if nobody shares; so it is all of the cpus of whole nodes. */
		for (uint32_t i = 0; i < a.count; i++) {
			struct sl_group *group = &a.job[i].group[0];
			*group = (struct sl_group){ .task = { .cpus = 1 },
				.tasks = a.nodes,
				.tasks_min = a.nodes,
				.tasks_max = a.nodes,
				.nodes_min = a.nodes,
				.nodes_max = a.nodes,
				.exclusive = i % 3 != 0 };
			a.job[i].group_count = 1;
			b.job[i] = a.job[i];
		}
		if (!alike(&a, &b, seed % 2 ? "easy:place=worst" : "conservative:place=first", NULL,
			    "the other way round", seed))
			return;
	}
}

/* Ids name jobs, and no more. */
Test(node_policies, ids_do_not_matter)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct node_world a;
		struct node_world b;
		random_world(&a, seed);
		b = a;
		b.id_first = 1000 - 7 * (int64_t)seed % 500;
		if (!alike(&a, &b, plans[seed % SL_LEN(plans)].policy[0] == 'c' ? "conservative" : "easy",
			    same_node, "other ids", seed))
			return;
	}
}

/* Jobs of whole nodes on nodes that are alike: a pool of that many cpus. */
static bool as_pool(uint64_t seed, const char *policy)
{
	struct node_world a;
	struct node_world b;
	struct sl_rng rng = sl_rng_stream(seed, "tests/whole");
	random_world(&a, seed);
	a.windows = 0;
	for (uint32_t node = 1; node < a.nodes; node++)
		memcpy(a.amount[node], a.amount[0], sizeof(a.amount[0]));
	b = a;
	for (uint32_t node = 0; node < b.nodes; node++) {
		memset(b.amount[node], 0, sizeof(b.amount[node]));
		b.amount[node][SL_KIND_CPUS] = 1;
		b.amount[node][SL_KIND_MEM] = SL_MEM_UNBOUNDED;
	}
	b.kinds = 2;
	for (uint32_t i = 0; i < a.count; i++) {
		const uint32_t whole = (uint32_t)(1 + below(&rng, a.nodes));
		const bool exclusive = below(&rng, 2);
		struct sl_group group = { .task = { .cpus = exclusive ? 1 : a.amount[0][SL_KIND_CPUS] },
			.tasks = whole,
			.tasks_min = whole,
			.tasks_max = whole,
			.tasks_per_node = 1,
			.exclusive = exclusive };
		a.job[i].group_count = b.job[i].group_count = 1;
		a.job[i].group[0] = b.job[i].group[0] = group;
		b.job[i].group[0].task.cpus = 1;
	}
	return alike(&a, &b, policy, NULL, "whole nodes as a pool", seed);
}

Test(node_policies, whole_nodes_are_a_counted_pool, .timeout = 3600)
{
	static const char *const policies[] = { "fcfs", "greedy", "easy", "easy:fill=shortest",
		"easy:order=sjf", "easy:spare=none" };
	const uint64_t worlds = effort_of(100, 1000, 6000);
	for (uint64_t seed = 1; seed <= worlds; seed++)
		for (size_t i = 0; i < SL_LEN(policies); i++)
			if (!as_pool(seed, policies[i]))
				return;
}
