/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_topo.c - where a set of pods with a topology constraint may go: domains that can hold it, deepest
 * first, the fullest first among equals (KAI: plugins/topology, job_filtering.go and node_scoring.go).
 *
 * Free is what is idle or releasing. Sums are of all nodes of a domain, also those that are not offered: they
 * only rule out domains that cannot hold the set; whether one does is found by allocating it there.
 */
#include "policies/runai/rules/kai_topo.h"

#include <stdlib.h>
#include <string.h>

enum { SCORE_MOST = 10 };
static const double ratio_of_nothing = 1000; /* Something is requested of which the domain has nothing. */

/* One question. */
struct question {
	struct kai *kai;
	struct kai_topo_state *state;
	const struct kai_tree *tree;
	const struct kai_job *job;
	const struct kai_group *group;
	const uint32_t *task;
	uint32_t count;
	kai_nodes among;
	uint32_t start;             /* The lowest domain that has all nodes offered. */
	uint32_t deep, top;         /* Depths of candidates. */
	bool alike;                 /* Tasks request the same kinds of resources: pods are counted. */
	bool nowhere;               /* They request a resource that no node has. */
	bool pinned;                /* Pods of the set run, and it may not be spread: see state->holds. */
	uint32_t order;             /* Domains visited: state->visit. */
	const int64_t *free, *pods; /* Of domains: kai_topo_sum. */
};

static bool offered(const struct question *of, uint32_t position)
{
	const uint32_t node = of->tree->node[position];
	return !of->among || (of->among[node / 64] >> node % 64 & 1);
}

/* ---- What is requested ---- */

static void add_request(struct question *of, const struct kai_request *request, int64_t *one)
{
	one[KAI_TOPO_CPU] = request->cpu;
	one[KAI_TOPO_MEM] = request->mem;
	one[KAI_TOPO_PODS] = 1;
	/* A share by memory is of no known part of a device: it counts as none, as in KAI. */
	if (request->kind == KAI_WHOLE)
		one[KAI_TOPO_GPUS] = request->gpus * KAI_GPU;
	else if (request->kind == KAI_FRACTION)
		one[KAI_TOPO_GPUS] = request->gpus * request->fraction;
	for (uint32_t i = 0; i < request->profile_count; i++) {
		const uint32_t at = KAI_TOPO_MIG + request->profile[i].profile;
		if (at < of->state->amounts)
			one[at] += request->profile[i].count;
		else
			of->nowhere = true;
	}
}

/* All together, the greatest of each, and whether all request GPUs (and each profile) or none. */
static void kai_topo_add_up(struct question *of)
{
	struct kai_topo_state *state = of->state;
	const uint32_t amounts = state->amounts;
	int64_t *one = state->node_free;
	of->alike = true;
	memset(state->needs, 0, amounts * sizeof(*state->needs));
	memset(state->most, 0, amounts * sizeof(*state->most));
	for (uint32_t i = 0; i < of->count; i++) {
		memset(one, 0, amounts * sizeof(*one));
		add_request(of, &of->kai->request[of->kai->task[of->task[i]].request], one);
		for (uint32_t r = 0; r < amounts; r++) {
			if (i > 0 && r >= KAI_TOPO_GPUS && (one[r] > 0) != (state->needs[r] > 0))
				of->alike = false;
			state->needs[r] = kai_add(state->needs[r], one[r]);
			if (one[r] > state->most[r])
				state->most[r] = one[r];
		}
	}
}

/* Nothing but slots of pods. */
static bool asks_nothing(const struct kai_topo_state *state)
{
	for (uint32_t r = 0; r < state->amounts; r++)
		if (r != KAI_TOPO_PODS && state->most[r] > 0)
			return false;
	return true;
}

/* ---- What is free ---- */

/* What is requested over what is free, of the scarcest; above 1: it does not fit. */
static double ratio_of(const struct question *of, uint32_t domain)
{
	const struct kai_topo_state *state = of->state;
	double ratio = 0;
	for (uint32_t r = 0; r < state->amounts; r++) {
		const int64_t free = of->free[(size_t)domain * state->amounts + r];
		if (r == KAI_TOPO_PODS || state->needs[r] <= 0)
			continue;
		const double of_this = free > 0 ? (double)state->needs[r] / (double)free : ratio_of_nothing;
		if (of_this > ratio)
			ratio = of_this;
	}
	return ratio;
}

static bool can_hold(const struct question *of, uint32_t domain)
{
	if (of->nowhere)
		return false;
	return of->alike ? of->pods[domain] >= of->count : of->state->ratio[domain] <= 1;
}

/* ---- Which domains ---- */

/* The domain of this depth (or the deepest above it) that has the position. */
static uint32_t above(const struct kai_tree *tree, uint32_t position, uint32_t depth)
{
	uint32_t domain = tree->leaf[position];
	while (tree->domain[domain].depth > depth)
		domain = tree->domain[domain].parent;
	return domain;
}

/* The lowest domain with all nodes that are offered, but not below what is preferred: nothing deeper is
 * looked at then. (KAI: common.go, lowestCommonDomainID.) False: none is offered. */
static bool find_start(struct question *of)
{
	const struct kai_tree *tree = of->tree;
	uint32_t first = 0, last = tree->node_count;
	while (first < last && !offered(of, first))
		first++;
	while (last > first && !offered(of, last - 1))
		last--;
	if (first == last)
		return false;
	const uint32_t preferred = of->group->preferred;
	uint32_t domain = above(tree, first, preferred != KAI_NO ? preferred + 1 : tree->level_count);
	while (tree->domain[domain].to < last)
		domain = tree->domain[domain].parent;
	of->start = domain;
	return true;
}

/* From the preferred level up to the required one, or to the root. False: a level that the topology has not,
 * none at all, or preferred above required. */
static bool find_depths(struct question *of)
{
	const struct kai_group *group = of->group;
	const uint32_t levels = of->tree->level_count;
	if (group->required != KAI_NO && group->required >= levels)
		return false;
	if (group->preferred != KAI_NO && group->preferred >= levels)
		return false;
	if (group->required == KAI_NO && group->preferred == KAI_NO)
		return false;
	of->top = group->required != KAI_NO ? group->required + 1 : 0;
	of->deep = group->preferred != KAI_NO ? group->preferred + 1 : of->top;
	return of->deep >= of->top;
}

/* The start and what is below it, breadth first, in the order of rows. */
static void walk(struct question *of)
{
	const struct kai_tree *tree = of->tree;
	uint32_t *visit = of->state->visit;
	visit[0] = of->start;
	of->order = 1;
	for (uint32_t i = 0; i < of->order; i++) {
		const struct kai_domain *domain = &tree->domain[visit[i]];
		for (uint32_t k = 0; k < domain->child_count && domain->depth < of->deep; k++)
			visit[of->order++] = domain->child + k;
	}
}

static int fullest_first(const void *left, const void *right)
{
	const struct kai_topo_rank *a = left, *b = right;
	if (a->ratio != b->ratio)
		return a->ratio > b->ratio ? -1 : 1;
	return a->domain < b->domain ? -1 : 1;
}

/* The same walk, the children of each sorted: the higher ratio first, then the smaller id. */
static void walk_sorted(struct question *of)
{
	const struct kai_tree *tree = of->tree;
	struct kai_topo_state *state = of->state;
	for (uint32_t i = 0; i < of->order; i++)
		state->ratio[state->visit[i]] = ratio_of(of, state->visit[i]);
	uint32_t end = 1;
	for (uint32_t i = 0; i < end; i++) {
		const struct kai_domain *domain = &tree->domain[state->visit[i]];
		const uint32_t children = domain->depth < of->deep ? domain->child_count : 0;
		for (uint32_t k = 0; k < children; k++)
			state->rank[k] =
				(struct kai_topo_rank){ state->ratio[domain->child + k], domain->child + k };
		qsort(state->rank, children, sizeof(*state->rank), fullest_first);
		for (uint32_t k = 0; k < children; k++)
			state->visit[end++] = state->rank[k].domain;
	}
}

static bool is_below(const struct kai_job *job, uint32_t group, const struct kai_group *set)
{
	while (group != KAI_NO && &job->group[group] != set)
		group = job->group[group].parent;
	return group != KAI_NO;
}

/* A set that must stay together, of which pods run or are to, stays where they are. */
static void find_pins(struct question *of)
{
	const struct kai_tree *tree = of->tree;
	of->pinned = false;
	if (of->group->required == KAI_NO)
		return;
	for (uint32_t i = 0; i < of->job->task_count; i++) {
		const struct kai_task *task = &of->kai->task[of->job->task + i];
		if (!kai_active_allocated((uint32_t)task->state) ||
			!is_below(of->job, task->group, of->group))
			continue;
		if (!of->pinned)
			memset(of->state->holds, 0, tree->domain_count * sizeof(*of->state->holds));
		of->pinned = true;
		const uint32_t at = task->node >= 0 ? tree->at[task->node] : KAI_NO;
		if (at != KAI_NO)
			of->state->holds[above(tree, at, of->top)] = true;
	}
}

/* A start below all candidates has none: KAI looks at no domain above the one that has all nodes offered. */
static bool is_candidate(const struct question *of, uint32_t domain)
{
	const struct kai_tree *tree = of->tree;
	if (tree->domain[domain].depth < of->top || tree->domain[domain].depth > of->deep ||
		!can_hold(of, domain))
		return false;
	while (tree->domain[domain].depth > of->top)
		domain = tree->domain[domain].parent;
	return !of->pinned || of->state->holds[domain];
}

/* ---- What callers hold ---- */

static struct kai_topo_lent *lend(struct kai *kai)
{
	struct kai_topo_state *state = kai->topo;
	if (SL_GROW_ZEROED(state->lent, state->lent_capacity, state->lent_count + 1, &kai->err))
		return NULL;
	struct kai_topo_lent *lent = &state->lent[state->lent_count];
	if (!lent->nodes)
		lent->nodes = malloc((state->node_words + 1) * sizeof(*lent->nodes));
	if (!lent->score)
		lent->score = malloc((state->node_words * 64 + 1) * sizeof(*lent->score));
	if (!lent->nodes || !lent->score)
		return (void)sl_fail_memory(&kai->err), NULL;
	state->lent_count++;
	return lent;
}

/* Preferred domains, the tightest first, score 1 .. 10 in equal steps: the emptiest gets most, so that pods
 * go where all fit. Steps as KAI computes them. */
static void score(const struct question *of, struct kai_topo_lent *lent)
{
	const struct kai_tree *tree = of->tree;
	uint32_t count = 0, rank = 0;
	memset(lent->score, 0, of->state->node_words * 64 * sizeof(*lent->score));
	for (uint32_t i = 0; i < of->order; i++)
		count += tree->domain[of->state->visit[i]].depth == of->deep;
	for (uint32_t i = 0; i < of->order; i++) {
		const struct kai_domain *domain = &tree->domain[of->state->visit[i]];
		if (domain->depth != of->deep)
			continue;
		const double points = (double)(int64_t)((double)++rank / (double)count * SCORE_MOST);
		for (uint32_t at = domain->from; at < domain->to; at++)
			lent->score[tree->node[at]] = points;
	}
}

/* Candidates, depth by depth from the deepest; within a depth as they were visited. */
static bool kai_topo_list(const struct question *of, struct kai_topo_lent *lent, struct kai_domains *domains)
{
	const struct kai_topo_state *state = of->state;
	const struct kai_tree *tree = of->tree;
	if (SL_GROW(lent->domain, lent->capacity, of->order, &of->kai->err))
		return false;
	for (uint32_t end = of->order; end > 0;) {
		uint32_t from = end - 1;
		const uint32_t depth = tree->domain[state->visit[from]].depth;
		while (from > 0 && tree->domain[state->visit[from - 1]].depth == depth)
			from--;
		for (uint32_t i = from; i < end; i++)
			if (is_candidate(of, state->visit[i]))
				lent->domain[domains->count++] = state->visit[i];
		end = from;
	}
	return true;
}

/* A level is only preferred: what lacks is capacity, wherever. */
static void say_headroom(const struct question *of, struct kai_job *job)
{
	const int64_t headroom = of->pods[of->start];
	const uint32_t task = of->task[headroom < of->count ? (uint32_t)headroom : of->count - 1];
	job->why = KAI_POD_ERRORS;
	job->why_a = task - of->task[0];
	job->why_b = job->group[of->kai->task[task].group].min;
	job->why_c = task - job->task;
}

/* Why none: how many pods, and (pods alike) how many the most that one domain of the required level holds. */
static void say_why(const struct question *of)
{
	struct kai_job *job = &of->kai->job[of->job - of->kai->job];
	int64_t most = 0;
	if (of->order && of->group->required == KAI_NO) {
		say_headroom(of, job);
		return;
	}
	for (uint32_t i = 0; i < of->order; i++) {
		const uint32_t domain = of->state->visit[i];
		if (of->tree->domain[domain].depth == of->top && of->pods[domain] > most)
			most = of->pods[domain];
	}
	job->why = KAI_TOPOLOGY;
	job->why_a = of->count;
	job->why_b = most;
	job->why_c = of->top;
}

static bool kai_topo_answer(struct question *of, struct kai_domains *domains)
{
	of->order = 0;
	if (!of->tree || !find_depths(of) || !find_start(of))
		return false;
	kai_topo_add_up(of);
	if (!kai_topo_sum(of->kai, of->group->topology, asks_nothing(of->state) ? of->count : 0, &of->free,
		    &of->pods))
		return false;
	walk(of);
	walk_sorted(of);
	if (!can_hold(of, of->start))
		return false;
	find_pins(of);
	struct kai_topo_lent *lent = lend(of->kai);
	if (!lent)
		return false;
	lent->tree = of->tree;
	lent->among = of->among;
	domains->depth = of->state->lent_count - 1;
	if (of->group->preferred != KAI_NO) {
		score(of, lent);
		domains->node_score = lent->score;
	}
	if (kai_topo_list(of, lent, domains) && domains->count > 0)
		return true;
	kai_domains_free(of->kai, domains);
	return false;
}

bool kai_topo_domains(struct kai *kai, const struct kai_set *set, struct kai_domains *domains)
{
	const struct kai_group *group = &kai->job[set->job].group[set->group];
	*domains = (struct kai_domains){ .depth = KAI_NO };
	if (group->topology == KAI_NO || set->count == 0 || !(kai->config.plugins & KAI_PLUGIN_TOPOLOGY)) {
		struct kai_topo_lent *lent = lend(kai);
		if (!lent)
			return false;
		*domains = (struct kai_domains){ .count = 1, .depth = kai->topo->lent_count - 1 };
		lent->tree = NULL;
		lent->among = set->among;
		return true;
	}
	struct question of = { .kai = kai,
		.state = kai->topo,
		.tree = group->topology < kai->topo->tree_count ? &kai->topo->tree[group->topology] : NULL,
		.job = &kai->job[set->job],
		.group = group,
		.task = set->task,
		.count = set->count,
		.among = set->among };
	if (kai_topo_answer(&of, domains))
		return true;
	if (!set->quiet)
		say_why(&of);
	return false;
}

kai_nodes kai_topo_nodes(struct kai *kai, const struct kai_domains *domains, uint32_t which)
{
	const struct kai_topo_lent *lent = &kai->topo->lent[domains->depth];
	if (!lent->tree)
		return lent->among;
	const struct kai_domain *domain = &lent->tree->domain[lent->domain[which]];
	memset(lent->nodes, 0, kai->node_words * sizeof(*lent->nodes));
	for (uint32_t at = domain->from; at < domain->to; at++) {
		const uint32_t node = lent->tree->node[at];
		lent->nodes[node / 64] |= UINT64_C(1) << node % 64;
	}
	for (size_t i = 0; lent->among && i < kai->node_words; i++)
		lent->nodes[i] &= lent->among[i];
	return lent->nodes;
}

void kai_domains_free(struct kai *kai, struct kai_domains *domains)
{
	if (domains->depth == KAI_NO)
		return;
	SL_CHECK(domains->depth + 1 == kai->topo->lent_count); /* The last one got is freed first. */
	kai->topo->lent_count--;
	*domains = (struct kai_domains){ .depth = KAI_NO };
}

/* ---- Made and gone ---- */

static bool kai_topo_make_room(struct kai *kai, struct kai_topo_state *state)
{
	size_t most = 1;
	for (uint32_t i = 0; i < state->tree_count; i++)
		if (state->tree[i].domain_count > most)
			most = state->tree[i].domain_count;
	state->amounts = KAI_TOPO_MIG + kai->mig_count;
	state->node_words = kai->node_words;
	state->ratio = calloc(most, sizeof(*state->ratio));
	state->visit = calloc(most, sizeof(*state->visit));
	state->holds = calloc(most, sizeof(*state->holds));
	state->rank = calloc(most, sizeof(*state->rank));
	state->needs = calloc(3 * (size_t)state->amounts, sizeof(*state->needs));
	if (!state->needs)
		return false;
	state->most = state->needs + state->amounts;
	state->node_free = state->most + state->amounts;
	return state->ratio && state->visit && state->holds && state->rank;
}

void kai_topo_seal(struct kai *kai)
{
	kai_topo_free(kai);
	struct kai_topo_state *state = calloc(1, sizeof(*state));
	if (state) {
		state->tree = calloc((size_t)kai->topology_count + 1, sizeof(*state->tree));
		state->sums = calloc((size_t)kai->topology_count + 1, sizeof(*state->sums));
	}
	kai->topo = state;
	if (!state || !state->tree || !state->sums) {
		(void)sl_fail_memory(&kai->err);
		return;
	}
	for (uint32_t i = 0; i < kai->topology_count; i++) {
		state->tree_count = i + 1;
		if (kai_tree_grow(kai, &kai->topology[i], &state->tree[i]) != 0)
			return;
	}
	if (!kai_topo_make_room(kai, state))
		(void)sl_fail_memory(&kai->err);
}

void kai_topo_free(struct kai *kai)
{
	struct kai_topo_state *state = kai->topo;
	if (!state)
		return;
	for (uint32_t i = 0; i < state->tree_count; i++)
		kai_tree_free(&state->tree[i]);
	for (uint32_t i = 0; i < state->lent_capacity; i++) {
		free(state->lent[i].domain);
		free(state->lent[i].nodes);
		free(state->lent[i].score);
	}
	free(state->lent);
	for (uint32_t i = 0; state->sums && i < state->tree_count; i++)
		kai_topo_sums_free(&state->sums[i]);
	free(state->sums);
	free(state->ratio);
	free(state->visit);
	free(state->holds);
	free(state->rank);
	free(state->needs);
	free(state->tree);
	free(state);
	kai->topo = NULL;
}
