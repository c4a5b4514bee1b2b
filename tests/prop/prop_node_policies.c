/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_node_policies.c - whole policies on nodes against the slow reference, on generated clusters; and what
 * must not change when a world is told otherwise. SL_EFFORT=full runs more of them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/node_reference.h"

enum effort { EFFORT_LESS, EFFORT_PLAIN, EFFORT_FULL, EFFORTS };

static enum effort effort(void)
{
	const char *text = getenv("SL_EFFORT");
	if (text && strcmp(text, "full") == 0)
		return EFFORT_FULL;
	return text && strcmp(text, "less") == 0 ? EFFORT_LESS : EFFORT_PLAIN;
}

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
	return node_reference_could_hold(w, g);
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
}

/* ---- Against the reference ------------------------------------------------------------------------ */

static void sums(const struct node_world *w, const struct nr_placement *held, int64_t *nodes, int64_t *cpus,
	int64_t *gpus)
{
	*nodes = *cpus = *gpus = 0;
	for (uint32_t node = 0; node < w->nodes; node++) {
		bool on = false;
		for (uint32_t i = 0; i < held->count; i++) {
			const struct nr_piece *piece = &held->piece[i];
			if (piece->node != node)
				continue;
			on = true;
			for (uint32_t kind = 0; kind < w->kinds; kind++) {
				const int64_t amount =
					piece->whole ? w->amount[node][kind] : piece->amount[kind];
				*cpus += kind == SL_KIND_CPUS ? amount : 0;
				*gpus += kind >= SL_KIND_GPUS ? amount : 0;
			}
		}
		*nodes += on;
	}
}

static bool same_pieces(const struct node_world *w, uint32_t job, const struct nr_placement *held)
{
	bool same = w->piece_count[job] == held->count;
	for (uint32_t i = 0; i < w->piece_count[job] && same; i++) {
		const struct nw_piece *piece = &w->piece[job][i];
		same = false;
		for (uint32_t k = 0; k < held->count && !same; k++)
			same = held->piece[k].node == piece->node && held->piece[k].group == piece->group &&
			       held->piece[k].tasks == piece->tasks;
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
	if (!same_pieces(w, job, &want->held[job]))
		return "pieces";
	return got->nodes_held[job] == nodes && got->cpus_held[job] == cpus && got->gpus_held[job] == gpus
		       ? NULL
		       : "sum held";
}

static void put_pieces(FILE *out, const struct node_world *w, uint32_t job, const struct nr_result *want)
{
	(void)fprintf(out, "\nengine: start %lld on (node group tasks)", (long long)node_world_start(w, job));
	for (uint32_t i = 0; i < w->piece_count[job]; i++)
		(void)fprintf(out, " (%u %u %u)", w->piece[job][i].node, w->piece[job][i].group,
			w->piece[job][i].tasks);
	(void)fprintf(out, "\nreference: start %lld on", (long long)want->start[job]);
	for (uint32_t i = 0; i < want->held[job].count; i++)
		(void)fprintf(out, " (%u %u %u)", want->held[job].piece[i].node,
			want->held[job].piece[i].group, want->held[job].piece[i].tasks);
}

static void tell(
	const struct node_world *w, uint32_t job, const struct nr_result *want, char *text, size_t size)
{
	node_world_describe(w, text, size);
	FILE *out = fmemopen(text + strlen(text), size - strlen(text), "w");
	if (!out)
		return;
	put_pieces(out, w, job, want);
	(void)fclose(out);
}

static bool agrees(struct node_world *w, size_t plan, enum nr_place place, bool check, uint64_t seed)
{
	static const size_t room = 8000;
	struct nr_options options = plans[plan].options;
	struct nr_result want;
	char policy[100];
	char text[8000];
	const char *what = NULL;
	options.place = place;
	(void)snprintf(policy, sizeof(policy), "%splace=%s", plans[plan].policy, places[place]);
	node_reference_run(w, &options, &want);
	if (node_world_run(w, policy, check)) {
		what = w->err.text;
		node_world_describe(w, text, room);
		cr_expect_fail("seed %llu, %s: %s\n%s", (unsigned long long)seed, policy, what, text);
	}
	for (uint32_t job = 0; job < w->count && !what; job++) {
		what = difference(w, job, &want);
		if (!what)
			continue;
		tell(w, job, &want, text, room);
		cr_expect_fail("seed %llu, %s: %s of job %u differs\n%s", (unsigned long long)seed, policy,
			what, job + 1, text);
	}
	node_world_release(w);
	return !what;
}

Test(node_policies, generated_worlds_agree_with_the_reference, .timeout = 3600)
{
	static const uint64_t number[EFFORTS] = { 200, 2000, 100000 };
	const uint64_t worlds = number[effort()];
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct node_world w;
		random_world(&w, seed);
		for (size_t plan = 0; plan < SL_LEN(plans); plan++)
			if (!agrees(&w, plan, (enum nr_place)((seed + plan) % NR_PLACES), seed % 20 == 0,
				    seed))
				return;
	}
}
