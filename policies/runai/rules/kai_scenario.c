/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_scenario.c - sets of victims, one after another. Victims are gathered in the order of their queues,
 * a batch at a time. (KAI: solvers/pod_scenario_builder.go, sub_scenario_emitter.go, plugins/nodelocalgreedy,
 * plugins/multinodegang.)
 *
 *   node-local: after each batch, for every node of its job, all gathered batches of the jobs that have one
 *     there;
 *   multi-node: after each batch, the gathered nodes from the smallest that would do: so many that their GPUs
 * cover what is requested, then 1, 2, 4... more, with all batches that touch them.
 *
 * Sets that free too little for what is requested are passed over: nothing could come of them.
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Victims in batches ---- */

void kai_victims_clear(struct kai_victims *victims) { victims->task.count = victims->batch_count = 0; }

bool kai_victims_add(
	struct kai *kai, struct kai_victims *victims, uint32_t job, const uint32_t *task, uint32_t count)
{
	if (SL_GROW(victims->batch, victims->batch_capacity, victims->batch_count + 1, &kai->err))
		return false;
	victims->batch[victims->batch_count++] = (struct kai_batch){ job, victims->task.count, count };
	for (uint32_t i = 0; i < count; i++)
		if (!kai_rows_add(kai, &victims->task, task[i]))
			return false;
	return true;
}

void kai_victims_free(struct kai_victims *victims)
{
	free(victims->task.row);
	free(victims->batch);
	*victims = (struct kai_victims){ 0 };
}

/* ---- Amounts ---- */

static void plus(struct kai_vec *to, const struct kai_vec *what)
{
	for (int i = 0; i < KAI_RES; i++)
		to->at[i] += what->at[i];
}

static bool covers(const struct kai_vec *a, const struct kai_vec *b, const struct kai_vec *resources)
{
	for (int i = 0; i < KAI_RES; i++)
		if (resources->at[i] > 0 && kai_add(a->at[i], b->at[i]) < resources->at[i])
			return false;
	return true;
}

static struct kai_vec freed_by(const struct kai *kai, const struct kai_rows_list *tasks)
{
	struct kai_vec sum = { 0 };
	for (uint32_t i = 0; i < tasks->count; i++) {
		const struct kai_vec held = kai_charge(kai, tasks->row[i]);
		plus(&sum, &held);
	}
	return sum;
}

/* ---- The queue of victims ---- */

static bool is_recorded(const struct kai *kai, uint32_t task)
{
	const struct kai_victims *recorded = &kai->solve->recorded;
	for (uint32_t i = 0; i < recorded->task.count; i++)
		if (recorded->task.row[i] == task)
			return true;
	return false;
}

/* Those of the job that are recorded, into the array. */
static uint32_t recorded_of(const struct kai *kai, uint32_t job, uint32_t *headroom)
{
	const struct kai_victims *recorded = &kai->solve->recorded;
	uint32_t count = 0;
	for (uint32_t i = 0; i < recorded->task.count; i++)
		if (kai->task[recorded->task.row[i]].job == job)
			headroom[count++] = recorded->task.row[i];
	return count;
}

static bool touch_capacity(struct kai *kai, struct kai_touches *touches)
{
	return !SL_GROW_ZEROED(touches->node, touches->nodes, kai->node_count + 1, &kai->err) &&
	       !SL_GROW_ZEROED(touches->job, touches->jobs, kai->job_count + 1, &kai->err);
}

/* The end of a list of batches; made anew if it is of an older probe. */
static void touch(struct kai *kai, struct kai_touches *touches, struct kai_touched *list, uint32_t batch)
{
	if (list->probe == touches->probe && touches->link[list->last].batch == batch)
		return;
	if (SL_GROW(touches->link, touches->link_capacity, touches->link_count + 1, &kai->err))
		return;
	const uint32_t made = touches->link_count++;
	touches->link[made] = (struct kai_link){ batch, KAI_NO };
	if (list->probe == touches->probe)
		touches->link[list->last].next = made;
	else
		list->first = made;
	list->last = made;
	list->probe = touches->probe;
}

/* The batch gathered last comes into the lists of its job and its nodes. */
static void touch_last(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	struct kai_touches *touches = &state->touches;
	const uint32_t last = state->gathered.batch_count - 1;
	const struct kai_batch *batch = &state->gathered.batch[last];
	if (!touch_capacity(kai, touches))
		return;
	touch(kai, touches, &touches->job[batch->job], last);
	for (uint32_t i = 0; i < batch->count; i++) {
		const int64_t node = kai->task[state->gathered.task.row[batch->first + i]].node;
		if (node >= 0)
			touch(kai, touches, &touches->node[node], last);
	}
}

static uint32_t first_link(const struct kai_touches *touches, const struct kai_touched *list)
{
	return list->probe == touches->probe ? list->first : KAI_NO;
}

enum gathered { NONE_LEFT, PASSED_OVER, GATHERED };

static enum gathered gather_next(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	const uint32_t job = kai_lane_pop(kai, state->victims);
	if (job == KAI_NO)
		return NONE_LEFT;
	struct kai_rows_list *headroom = &state->scratch;
	if (SL_GROW(headroom->row, headroom->capacity, kai->job[job].task_count + 1, &kai->err))
		return NONE_LEFT;
	bool rest;
	headroom->count =
		kai_eviction_chunk(kai, job, kai_lane_gone(state->victims, job), headroom->row, &rest);
	bool retry = false;
	for (uint32_t i = 0; i < headroom->count && !retry; i++)
		retry = is_recorded(kai, headroom->row[i]);
	if (retry) {
		headroom->count = recorded_of(kai, job, headroom->row);
		kai_lane_push_rest(kai, state->victims, job, headroom->row, headroom->count);
		return PASSED_OVER;
	}
	if (headroom->count == 0 ||
		!kai_victims_add(kai, &state->gathered, job, headroom->row, headroom->count))
		return PASSED_OVER;
	touch_last(kai);
	for (uint32_t i = 0; i < headroom->count; i++) {
		const struct kai_vec held = kai_charge(kai, headroom->row[i]);
		plus(&s->freed, &held);
	}
	kai_fit_gather(kai, headroom->row, headroom->count);
	if (rest)
		kai_lane_push_rest(kai, state->victims, job, headroom->row, headroom->count);
	return GATHERED;
}

/* ---- Node-local ---- */

static int by_rank(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Nodes of all tasks of the job gathered last, by name. */
static void list_nodes(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	const struct kai_victims *gathered = &kai->solve->gathered;
	const struct kai_job *job = &kai->job[gathered->batch[gathered->batch_count - 1].job];
	uint64_t *rank = malloc(((size_t)job->task_count + 1) * sizeof(*rank));
	uint32_t count = 0;
	s->node.count = s->at = 0;
	if (!rank) {
		(void)sl_fail_memory(&kai->err);
		return;
	}
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai->task[job->task + i].node >= 0)
			rank[count++] = kai->node_rank[kai->task[job->task + i].node];
	qsort(rank, count, sizeof(*rank), by_rank);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || rank[i] != rank[i - 1])
			(void)kai_rows_add(kai, &s->node, kai->node_by_name[rank[i]]);
	free(rank);
}

/* All batches of the job that were gathered, as one. */
static void choose_job(struct kai *kai, uint32_t job)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_touches *touches = &state->touches;
	struct kai_victims *chosen = &state->chosen;
	bool begun = false;
	for (uint32_t i = first_link(touches, &touches->job[job]); i != KAI_NO; i = touches->link[i].next) {
		const struct kai_batch *batch = &state->gathered.batch[touches->link[i].batch];
		const uint32_t *task = state->gathered.task.row + batch->first;
		if (!begun) {
			begun = kai_victims_add(kai, chosen, job, task, batch->count);
			continue;
		}
		for (uint32_t t = 0; t < batch->count; t++)
			(void)kai_rows_add(kai, &chosen->task, task[t]);
		chosen->batch[chosen->batch_count - 1].count += batch->count;
	}
}

/* Batches of the jobs that have one there. */
static void choose_local(struct kai_scenarios *s, uint32_t node)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	const struct kai_touches *touches = &state->touches;
	struct kai_rows_list *jobs = &state->scratch;
	kai_victims_clear(&state->chosen);
	jobs->count = 0;
	if (!touches->node)
		return;
	for (uint32_t i = first_link(touches, &touches->node[node]); i != KAI_NO; i = touches->link[i].next) {
		const uint32_t job = state->gathered.batch[touches->link[i].batch].job;
		bool known = false;
		for (uint32_t k = 0; k < jobs->count && !known; k++)
			known = jobs->row[k] == job;
		if (!known && kai_rows_add(kai, jobs, job))
			choose_job(kai, job);
	}
}

/* ---- Multi-node ---- */

static int by_free(const void *a, const void *b)
{
	const struct kai_ranked *x = a, *y = b;
	if (x->free != y->free)
		return x->free < y->free ? -1 : 1;
	return (x->seen > y->seen) - (x->seen < y->seen);
}

/* GPUs that a set frees, by node; nodes that are new are put into `ranked`. */
static uint32_t count_freed(
	const struct kai *kai, const struct kai_rows_list *tasks, struct kai_ranked *ranked)
{
	struct kai_solve_state *state = kai->solve;
	uint32_t count = 0;
	for (uint32_t i = 0; i < tasks->count; i++) {
		const int64_t node = kai->task[tasks->row[i]].node;
		if (node < 0)
			continue;
		if (state->stamp_node[node] != state->stamp) {
			state->stamp_node[node] = state->stamp;
			state->freed_gpus[node] = 0;
			ranked[count] = (struct kai_ranked){ 0, (uint32_t)node, count };
			count++;
		}
		state->freed_gpus[node] += kai_charge(kai, tasks->row[i]).at[KAI_GPUS];
	}
	return count;
}

static bool ranked_capacity(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const size_t nodes = (size_t)kai->node_count + 1;
	if (state->ranked_nodes >= nodes)
		return true;
	if (SL_RESIZE(state->ranked, nodes, &kai->err) || SL_RESIZE(state->freed_gpus, nodes, &kai->err))
		return false;
	state->ranked_nodes = nodes;
	return true;
}

/* GPUs of nodes that will do, without those gathered: what is free, and what is recorded there. */
static int64_t free_elsewhere(struct kai *kai, uint32_t gathered)
{
	const struct kai_solve_state *state = kai->solve;
	const struct kai_stock *stock = kai_stock(kai);
	const struct kai_rows_list *recorded = &state->recorded.task;
	int64_t base = state->base_free.at[KAI_GPUS];
	for (uint32_t i = 0; i < gathered; i++) {
		const uint32_t node = state->ranked[i].node;
		if (state->feasible[node / 64] >> node % 64 & 1)
			base -= stock->free[node].at[KAI_GPUS];
	}
	for (uint32_t i = 0; i < recorded->count; i++) { /* Where they are will do. */
		const int64_t node = kai->task[recorded->row[i]].node;
		if (node >= 0 && state->stamp_node[node] != state->stamp)
			base += kai_charge(kai, recorded->row[i]).at[KAI_GPUS];
	}
	return base;
}

/* Gathered nodes from the smallest that holds the smallest task; how many of them cover what is requested. */
static void rank_nodes(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	s->node.count = 0;
	s->next = KAI_NO;
	s->step = 1;
	if (!ranked_capacity(kai))
		return;
	struct kai_ranked *ranked = state->ranked;
	state->stamp++;
	const uint32_t count = count_freed(kai, &state->gathered.task, ranked);
	int64_t left = s->resources.at[KAI_GPUS] - free_elsewhere(kai, count);
	const struct kai_rows_list *recorded = &state->recorded.task;
	for (uint32_t i = 0; i < recorded->count; i++) {
		const int64_t node = kai->task[recorded->row[i]].node;
		if (node >= 0 && state->stamp_node[node] == state->stamp)
			state->freed_gpus[node] += kai_charge(kai, recorded->row[i]).at[KAI_GPUS];
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t node = ranked[i].node;
		ranked[i].free = kai_stock(kai)->free[node].at[KAI_GPUS] + state->freed_gpus[node];
		if (s->least <= 0 || ranked[i].free >= s->least)
			ranked[kept++] = ranked[i];
	}
	qsort(ranked, kept, sizeof(*ranked), by_free);
	uint32_t need = left <= 0 ? 0 : kept + 1;
	for (uint32_t i = 0; i < kept; i++) {
		(void)kai_rows_add(kai, &s->node, ranked[i].node);
		left -= ranked[i].free;
		if (left <= 0 && need > kept)
			need = i + 1;
	}
	s->next = need;
}

/* All batches that touch the first `next` nodes; then more of them. False: no more. */
static bool choose_nodes(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *gathered = &state->gathered;
	if (s->next > s->node.count)
		return false;
	state->stamp++;
	for (uint32_t i = 0; i < s->next; i++)
		state->stamp_node[s->node.row[i]] = state->stamp;
	kai_victims_clear(&state->chosen);
	for (uint32_t i = 0; i < gathered->batch_count; i++) {
		const struct kai_batch *batch = &gathered->batch[i];
		const uint32_t *task = gathered->task.row + batch->first;
		bool touches = false;
		for (uint32_t t = 0; t < batch->count && !touches; t++)
			touches = kai->task[task[t]].node >= 0 &&
				  state->stamp_node[kai->task[task[t]].node] == state->stamp;
		if (touches)
			(void)kai_victims_add(kai, &state->chosen, batch->job, task, batch->count);
	}
	if (s->next == s->node.count) {
		s->next = KAI_NO;
	} else {
		s->next = s->next + s->step < s->node.count ? s->next + s->step : s->node.count;
		s->step *= 2;
	}
	return true;
}

/* ---- One after another ---- */

bool kai_scenarios_open(struct kai *kai, const struct kai_aim *aim, enum kai_generator generator,
	uint32_t tasks, struct kai_scenarios *made)
{
	struct kai_solve_state *state = kai->solve;
	*made = (struct kai_scenarios){
		.kai = kai, .aim = aim, .generator = generator, .tasks = tasks, .least = -1
	};
	made->resources = kai_chunk_needs(kai, state->chunk.row, tasks, true);
	for (uint32_t i = 0; i < tasks; i++) {
		const int64_t gpus =
			kai_charge_request(kai, kai->task[state->chunk.row[i]].request).at[KAI_GPUS];
		if (made->least < 0 || gpus < made->least)
			made->least = gpus;
	}
	made->all = kai_stock(kai)->all;
	made->freed = freed_by(kai, &state->recorded.task);
	kai_victims_clear(&state->gathered);
	state->touches.link_count = 0;
	state->touches.probe++;
	kai_fit_scenarios(kai);
	return !kai->err.status;
}

/* Candidates come into their queues once one is needed: what is recorded may do alone. */
static bool queue_victims(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	if (s->queued)
		return true;
	s->queued = true;
	if (state->victims)
		kai_lane_clear(state->victims, KAI_VICTIMS, 0);
	else
		state->victims = kai_lane_new(kai, KAI_VICTIMS, 0);
	for (uint32_t i = 0; state->victims && i < state->candidate.count; i++)
		kai_lane_push(kai, state->victims, state->candidate.row[i]);
	return state->victims && !kai->err.status;
}

void kai_scenarios_close(struct kai_scenarios *scenarios) { free(scenarios->node.row); }

/* What the set that is chosen leaves for the job is enough, as a sum. */
static bool enough(const struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	struct kai_vec free = state->base_free, more = freed_by(kai, &state->recorded.task);
	const struct kai_vec chosen = freed_by(kai, &state->chosen.task);
	plus(&more, &chosen);
	if (kai->config.exhaustive)
		return true;
	state->stamp++;
	for (uint32_t i = 0; i < state->chosen.task.count; i++) {
		const int64_t node = kai->task[state->chosen.task.row[i]].node;
		if (node < 0 || state->stamp_node[node] == state->stamp ||
			state->feasible[node / 64] >> node % 64 & 1)
			continue;
		state->stamp_node[node] = state->stamp;
		plus(&free, &kai_stock(kai)->free[node]);
	}
	return covers(&free, &more, &s->resources) && kai_set_fits(kai, s->tasks);
}

/* The next of what was gathered so far. */
static bool next_here(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	if (!s->active)
		return false;
	if (s->generator == KAI_MULTI_NODE) {
		s->active = choose_nodes(s);
		return s->active;
	}
	if (s->at == s->node.count) {
		s->active = false;
		return false;
	}
	choose_local(s, s->node.row[s->at++]);
	return kai->err.status == 0;
}

bool kai_scenarios_next(struct kai_scenarios *s)
{
	struct kai *kai = s->kai;
	struct kai_solve_state *state = kai->solve;
	if (!s->begun) {
		s->begun = true;
		kai_victims_clear(&state->chosen);
		const bool alone = s->generator == KAI_MULTI_NODE || state->recorded.task.count > 0;
		if (alone && covers(&s->all, &s->freed, &s->resources) && enough(s))
			return true;
	}
	while (!kai->err.status && queue_victims(s)) {
		while (next_here(s))
			if (enough(s))
				return true;
		const enum gathered how = gather_next(s);
		if (how == NONE_LEFT)
			return false;
		if (how == PASSED_OVER || !covers(&s->all, &s->freed, &s->resources) ||
			!kai_gathered_fit(kai, s->tasks))
			continue;
		s->active = true;
		if (s->generator == KAI_MULTI_NODE)
			rank_nodes(s);
		else
			list_nodes(s);
	}
	return false;
}
