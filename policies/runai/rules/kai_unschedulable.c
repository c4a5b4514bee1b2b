/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_unschedulable.c - what cannot be is not tried. Sets of victims that free too little for the tasks of
 * the job are skipped (KAI: accumulated_scenario_filters; those count GPUs, here each node is looked at), and
 * a job for which all candidates together do not leave enough is not looked at further.
 *
 * Tasks that request whole GPUs, or none, and all the same: so many fit on a node as its scarcest resource
 * allows. Of others nothing is said here. If a topology has them all in one domain, they have to fit in a
 * domain (KAI: topology_aware_idle_gpus); else all nodes are one.
 */
#include "policies/runai/rules/kai_solve_parts.h"
#include "policies/runai/rules/kai_topo.h"

#include <stdlib.h>
#include <string.h>

/* What the task's end would free there, at most: of a share, its devices whole. */
static void free_task(const struct kai *kai, uint32_t task, struct kai_free *free)
{
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	free->pods++;
	if (needs->best_effort)
		return;
	free->cpu += needs->cpu;
	free->mem += needs->mem;
	if (needs->kind == KAI_WHOLE || needs->kind == KAI_FRACTION || needs->kind == KAI_MEMORY)
		free->gpus += needs->gpus;
}

static int64_t times(int64_t free, int64_t needs, int64_t most)
{
	if (needs <= 0)
		return most;
	if (free < needs)
		return 0;
	return free / needs < most ? free / needs : most;
}

/* So many such tasks fit on the node, with what is freed. */
static int64_t fit(
	const struct kai *kai, const struct kai_request *needs, uint32_t row, const struct kai_free *freed)
{
	const struct kai_node *node = &kai->node[row];
	if (!node->ready || (needs->allowed && !(needs->allowed[row / 64] >> row % 64 & 1)))
		return 0;
	int64_t most = node->idle.pods + node->releasing.pods + freed->pods;
	most = most > 0 ? most : 0;
	if (needs->best_effort)
		return most;
	most = times(node->idle.cpu + node->releasing.cpu + freed->cpu, needs->cpu, most);
	most = times(node->idle.mem + node->releasing.mem + freed->mem, needs->mem, most);
	return times(node->idle.gpus + node->releasing.gpus + freed->gpus, needs->gpus, most);
}

/* The request of all tasks of the chunk; NULL: they differ, or are of another kind. */
static const struct kai_request *same_needs(const struct kai *kai)
{
	const struct kai_rows_list *chunk = &kai->solve->chunk;
	const uint32_t request = kai->task[chunk->row[0]].request;
	const struct kai_request *needs = &kai->request[request];
	if (kai->config.exhaustive)
		return NULL;
	for (uint32_t i = 1; i < chunk->count; i++)
		if (kai->task[chunk->row[i]].request != request)
			return NULL;
	return needs->kind == KAI_WHOLE || needs->kind == KAI_NO_GPU ? needs : NULL;
}

static bool in(const uint64_t *nodes, uint32_t row) { return nodes[row / 64] >> row % 64 & 1; }

static const struct kai_free nothing;

/* ---- Domains ---- */

/* The group that keeps all tasks of the chunk in a domain of a level; NULL: there is none. */
static const struct kai_group *kai_unschedulable_bound(const struct kai *kai, const struct kai_job *job)
{
	const struct kai_group *group = &job->group[0];
	if (group->topology == KAI_NO && job->group_count == 2)
		group = &job->group[1];
	if (!(kai->config.plugins & KAI_PLUGIN_TOPOLOGY) || group->topology == KAI_NO ||
		group->required == KAI_NO || group->topology >= kai->topo->tree_count ||
		group->required >= kai->topo->tree[group->topology].level_count)
		return NULL;
	return group;
}

static void domains_of(struct kai *kai, const struct kai_group *group)
{
	const struct kai_tree *tree = &kai->topo->tree[group->topology];
	struct kai_solve_state *state = kai->solve;
	for (uint32_t i = 0; i < kai->node_count; i++) {
		uint32_t domain = KAI_NO;
		if (tree->at[i] != KAI_NO)
			domain = tree->leaf[tree->at[i]];
		while (domain != KAI_NO && tree->domain[domain].depth > group->required + 1)
			domain = tree->domain[domain].parent;
		state->domain_of[i] = domain;
	}
}

static bool find_domains(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_job *job = &kai->job[kai->task[state->chunk.row[0]].job];
	const struct kai_group *group = kai_unschedulable_bound(kai, job);
	state->domain_count = group ? kai->topo->tree[group->topology].domain_count : 1;
	if (SL_GROW(state->domain, state->domain_capacity, state->domain_count, &kai->err))
		return false;
	memset(state->domain, 0, state->domain_count * sizeof(*state->domain));
	if (group)
		domains_of(kai, group);
	else
		memset(state->domain_of, 0, kai->node_count * sizeof(*state->domain_of));
	return true;
}

static bool kai_unschedulable_make_room(struct kai *kai, struct kai_solve_state *state)
{
	const size_t headroom = (size_t)kai->node_count + 1;
	if (state->freed_nodes >= kai->node_count && state->freed_at)
		return true;
	free(state->freed_at);
	free(state->gathered_at);
	free(state->domain_of);
	state->freed_at = calloc(headroom, sizeof(*state->freed_at));
	state->gathered_at = calloc(headroom, sizeof(*state->gathered_at));
	state->gathered_nodes.count = 0;
	state->domain_of = calloc(headroom, sizeof(*state->domain_of));
	state->freed_nodes = kai->node_count;
	if (!state->freed_at || !state->gathered_at || !state->domain_of) {
		state->freed_nodes = 0;
		return (void)sl_fail_memory(&kai->err), false;
	}
	return true;
}

bool kai_fit_open(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (!kai_unschedulable_make_room(kai, state))
		return false;
	state->same_needs = same_needs(kai);
	return !state->same_needs || find_domains(kai);
}

/* ---- A set ---- */

void kai_fit_probe(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	state->base_most = 0;
	for (uint32_t i = 0; state->same_needs && i < state->domain_count; i++)
		state->domain[i].base = 0;
	if (!state->same_needs)
		return;
	(void)kai_stock(kai);
	struct kai_stock_walk walk = kai_stock_from(state->same_needs->gpus);
	for (uint32_t i; (i = kai_stock_next(kai, &walk)) != KAI_NO;) {
		if (!in(state->feasible, i) || state->domain_of[i] == KAI_NO)
			continue;
		struct kai_domain_fit *domain = &state->domain[state->domain_of[i]];
		domain->base += fit(kai, state->same_needs, i, &nothing);
		state->base_most = domain->base > state->base_most ? domain->base : state->base_most;
	}
}

/* A task that leaves: its node is one that more fit on. Nodes that are new are put into touched. */
static void free_at(struct kai *kai, uint32_t task)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_task *row = &kai->task[task];
	if (row->node < 0 || row->state == KAI_RELEASING)
		return;
	struct kai_free *freed = &state->freed_at[row->node];
	if (state->stamp_node[row->node] != state->stamp) {
		state->stamp_node[row->node] = state->stamp;
		*freed = nothing;
		(void)kai_rows_add(kai, &state->touched, (uint32_t)row->node);
	}
	free_task(kai, task, freed);
}

static void free_all(struct kai *kai, const struct kai_rows_list *tasks)
{
	for (uint32_t i = 0; i < tasks->count; i++)
		free_at(kai, tasks->row[i]);
}

/* So many more fit there; how many into its domain by now. */
static int64_t add_node(const struct kai *kai, uint32_t node)
{
	const struct kai_solve_state *state = kai->solve;
	const uint32_t row = state->domain_of[node];
	if (row == KAI_NO)
		return 0;
	struct kai_domain_fit *domain = &state->domain[row];
	if (domain->stamp != state->stamp)
		domain->with = domain->base;
	domain->stamp = state->stamp;
	domain->with += fit(kai, state->same_needs, node, &state->freed_at[node]);
	if (in(state->feasible, node))
		domain->with -= fit(kai, state->same_needs, node, &nothing);
	return domain->with;
}

bool kai_set_fits(struct kai *kai, uint32_t tasks)
{
	struct kai_solve_state *state = kai->solve;
	if (!state->same_needs)
		return true;
	state->stamp++;
	state->touched.count = 0;
	free_all(kai, &state->recorded.task);
	free_all(kai, &state->chosen.task);
	bool fits = state->base_most >= tasks;
	for (uint32_t i = 0; i < state->touched.count && !fits; i++)
		fits = add_node(kai, state->touched.row[i]) >= tasks;
	return fits;
}

/* ---- All that is gathered ---- */

static void gather_node(struct kai *kai, uint32_t node, int64_t before)
{
	struct kai_solve_state *state = kai->solve;
	if (state->domain_of[node] == KAI_NO)
		return;
	struct kai_domain_fit *domain = &state->domain[state->domain_of[node]];
	domain->gathered += fit(kai, state->same_needs, node, &state->gathered_at[node]) - before;
	if (domain->gathered > state->gathered_most)
		state->gathered_most = domain->gathered;
}

void kai_fit_gather(struct kai *kai, const uint32_t *task, uint32_t count)
{
	struct kai_solve_state *state = kai->solve;
	for (uint32_t i = 0; state->same_needs && i < count; i++) {
		const struct kai_task *row = &kai->task[task[i]];
		if (row->node < 0 || row->state == KAI_RELEASING)
			continue;
		const uint32_t node = (uint32_t)row->node;
		const int64_t before = fit(kai, state->same_needs, node, &state->gathered_at[node]);
		if (!state->gathered_at[node].pods && !kai_rows_add(kai, &state->gathered_nodes, node))
			return;
		free_task(kai, task[i], &state->gathered_at[node]);
		gather_node(kai, node, before);
	}
}

void kai_fit_scenarios(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (!state->same_needs)
		return;
	state->gathered_most = 0;
	for (uint32_t i = 0; i < state->gathered_nodes.count; i++)
		state->gathered_at[state->gathered_nodes.row[i]] = nothing;
	state->gathered_nodes.count = 0;
	for (uint32_t i = 0; i < state->domain_count; i++)
		state->domain[i].gathered = 0;
	(void)kai_stock(kai);
	struct kai_stock_walk walk = kai_stock_from(state->same_needs->gpus);
	for (uint32_t i; (i = kai_stock_next(kai, &walk)) != KAI_NO;)
		gather_node(kai, i, 0);
	kai_fit_gather(kai, state->recorded.task.row, state->recorded.task.count);
}

bool kai_gathered_fit(const struct kai *kai, uint32_t tasks)
{
	return !kai->solve->same_needs || kai->solve->gathered_most >= tasks;
}

bool kai_all_fit(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (!state->same_needs)
		return true;
	kai_victims_clear(&state->recorded);
	kai_fit_scenarios(kai);
	for (uint32_t i = 0; i < state->candidate.count && !kai_gathered_fit(kai, state->chunk.count); i++) {
		const struct kai_job *job = &kai->job[state->candidate.row[i]];
		for (uint32_t t = job->task; t < job->task + job->task_count; t++)
			kai_fit_gather(kai, &t, 1);
	}
	return kai_gathered_fit(kai, state->chunk.count);
}
