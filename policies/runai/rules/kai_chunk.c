/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_chunk.c - a chunk of a job is allocated: its tasks one by one, each on the best node that the ones
 * before left; all or none. KAI, actions/common/allocate.go (AllocateJob), gpu_sharing,
 * framework/statement.go (Pipeline, ConvertAllAllocatedToPipelined) and api/podgroup_info
 * (ShouldPipelineJob).
 *
 * Sets of groups with a topology constraint try one domain after another, and what lies below them its own
 * within it. A task that a simulation evicted, and that comes out where it was, runs on as if nothing had
 * been; one whose eviction is settled is to start there anew.
 */
#include "policies/runai/rules/kai_place.h"

#include <stdlib.h>
#include <string.h>

/* What goes down the tree of groups. */
struct stage {
	struct kai *kai;
	uint32_t job;
	bool pipeline_only;
	kai_nodes among;
	const double *extra; /* Of the nearest set that prefers. */
	uint32_t placed;     /* In this chunk. */
	bool gated;          /* A limit or a quota kept a task from a node. */
};

/* ---- One task ---- */

static bool same_devices(const int64_t *rows, const struct kai_request *needs, const uint32_t *shared)
{
	for (int64_t i = 0; rows && i < needs->gpus; i++)
		if (rows[i] != shared[i])
			return false;
	return true;
}

/* It fits where it was pipelined, with what was reserved for it there. */
static bool fits_back(const struct kai *kai, uint32_t row)
{
	const struct kai_task *task = &kai->task[row];
	const struct kai_request *needs = &kai->request[task->request];
	const struct kai_node *node = &kai->node[task->node];
	bool now;
	for (int64_t i = 0; task->shared && i < needs->gpus; i++)
		if (!kai_share_fits(
			    &node->shared[task->shared[i]], kai_share_mem(node, needs), kai_device_mem(node)))
			return false;
	return kai_fits(kai, row, (uint32_t)task->node, &now);
}

/* What this simulation evicted comes out where it still is: as if nothing had been. If that is where it was
 * before it was to move, KAI takes back the eviction of this simulation alone, and it is to move again; here
 * only as long as that fits. */
static bool comes_back(const struct kai *kai, uint32_t row, const struct kai_spot *spot)
{
	const struct kai_task *task = &kai->task[row];
	const struct kai_request *needs = &kai->request[task->request];
	if (task->state != KAI_RELEASING || task->evicted != 1)
		return false;
	if (task->node == spot->node && same_devices(task->shared, needs, spot->shared))
		return true;
	const bool there =
		(task->from == spot->node && same_devices(task->from_shared, needs, spot->shared)) ||
		(task->kept == spot->node && same_devices(task->kept_shared, needs, spot->shared));
	return there && fits_back(kai, row);
}

static void kai_chunk_settle(struct stage *stage, uint32_t row, const struct kai_spot *spot)
{
	struct kai *kai = stage->kai;
	const struct kai_task *task = &kai->task[row];
	const struct kai_request *needs = &kai->request[task->request];
	const uint32_t *shared = task->shared ? spot->shared : NULL;
	if (comes_back(kai, row, spot)) {
		kai_unevict_task(kai, row);
		return;
	}
	for (int64_t i = 0; task->shared && i < needs->gpus; i++)
		if (!kai_shared_in_use(&kai->node[spot->node].shared[spot->shared[i]]))
			kai_shared_take(kai, &kai->node[spot->node], spot->shared[i]);
	if (spot->now && !stage->pipeline_only)
		kai_allocate_task(kai, row, spot->node, shared);
	else
		kai_pipeline_task(kai, row, spot->node, shared);
}

static bool place_task(struct stage *stage, uint32_t row)
{
	struct kai_spot spot;
	const bool found = kai_best_spot(stage->kai, row, stage->among, stage->extra, &spot);
	stage->gated |= spot.gated;
	if (!found)
		return false;
	kai_chunk_settle(stage, row, &spot);
	stage->placed++;
	return true;
}

/* ---- Groups ---- */

struct tasks {
	const uint32_t *row;
	uint32_t count;
};

static void say_why(struct kai *kai, uint32_t row, uint32_t task, uint32_t placed)
{
	struct kai_job *job = &kai->job[row];
	job->why = KAI_POD_ERRORS;
	job->why_a = placed;
	job->why_b = job->group[kai->task[task].group].min;
	job->why_c = task - job->task;
}

static bool place_pods(struct stage *stage, struct tasks tasks)
{
	for (uint32_t i = 0; i < tasks.count; i++) {
		if (place_task(stage, tasks.row[i]))
			continue;
		if (!stage->pipeline_only)
			say_why(stage->kai, stage->job, tasks.row[i], stage->placed);
		return false;
	}
	return true;
}

/* The child of `set` that holds the group; KAI_NO: it is not below. */
static uint32_t child_of(const struct kai_job *job, uint32_t set, uint32_t group)
{
	while (group != KAI_NO && job->group[group].parent != set)
		group = job->group[group].parent;
	return group;
}

static bool place_group(struct stage *stage, uint32_t group, struct tasks tasks);

/* Tasks below a child, into the array. */
static uint32_t pick(
	const struct stage *stage, uint32_t set, uint32_t child, struct tasks tasks, uint32_t *headroom)
{
	const struct kai_job *job = &stage->kai->job[stage->job];
	uint32_t count = 0;
	for (uint32_t i = 0; i < tasks.count; i++)
		if (child_of(job, set, stage->kai->task[tasks.row[i]].group) == child)
			headroom[count++] = tasks.row[i];
	return count;
}

/* Sets first, then pods; of each kind in the order in which the chunk names them. done: by child. */
static bool place_children(
	struct stage *stage, uint32_t set, struct tasks tasks, uint8_t *done, uint32_t *headroom)
{
	const struct kai_job *job = &stage->kai->job[stage->job];
	for (int pods = 0; pods < 2; pods++)
		for (uint32_t i = 0; i < tasks.count; i++) {
			const uint32_t child = child_of(job, set, stage->kai->task[tasks.row[i]].group);
			if (child == KAI_NO || done[child] || job->group[child].leaf != (pods == 1))
				continue;
			done[child] = 1;
			const struct tasks below = { headroom, pick(stage, set, child, tasks, headroom) };
			if (!place_group(stage, child, below))
				return false;
		}
	return true;
}

static bool place_set(struct stage *stage, uint32_t set, struct tasks tasks)
{
	const struct kai_job *job = &stage->kai->job[stage->job];
	if (job->group_count == 2 && set == 0) /* All pods are in one set. */
		return place_group(stage, 1, tasks);
	uint32_t *headroom = malloc((size_t)(tasks.count + 1) * sizeof(*headroom));
	uint8_t *done = calloc(job->group_count, sizeof(*done));
	bool ok = headroom && done;
	if (ok)
		ok = place_children(stage, set, tasks, done, headroom);
	else
		(void)sl_fail_memory(&stage->kai->err);
	free(headroom);
	free(done);
	return ok;
}

static bool place_within(struct stage *stage, uint32_t group, struct tasks tasks)
{
	return stage->kai->job[stage->job].group[group].leaf ? place_pods(stage, tasks)
							     : place_set(stage, group, tasks);
}

/* One domain after another. */
static bool place_group(struct stage *stage, uint32_t group, struct tasks tasks)
{
	struct kai *kai = stage->kai;
	if (kai->job[stage->job].group[group].topology == KAI_NO || tasks.count == 0)
		return place_within(stage, group, tasks);
	struct kai_domains domains;
	const struct kai_set set = { stage->job, group, tasks.row, tasks.count, stage->among,
		stage->pipeline_only };
	if (!kai_topo_domains(kai, &set, &domains))
		return false;
	bool ok = false;
	for (uint32_t i = 0; i < domains.count && !ok; i++) {
		struct stage within = *stage;
		within.among = kai_topo_nodes(kai, &domains, i);
		if (domains.node_score)
			within.extra = domains.node_score;
		const kai_marked mark = kai_mark(kai);
		ok = place_within(&within, group, tasks);
		if (ok) {
			kai_keep(kai, mark);
			stage->placed = within.placed;
		} else {
			kai_undo(kai, mark);
		}
	}
	kai_domains_free(kai, &domains);
	return ok;
}

/* ---- All or none ---- */

/* Some pod set has a task that is to start later, and too few that run without it. */
static bool has_to_wait(const struct kai_job *job)
{
	for (uint32_t i = 0; i < job->group_count; i++) {
		const struct kai_group *pods = &job->group[i];
		if (!pods->leaf || pods->count[KAI_PIPELINED] == 0)
			continue;
		const int64_t running = pods->count[KAI_ALLOCATED] + pods->count[KAI_BINDING] +
					pods->count[KAI_BOUND] + pods->count[KAI_RUNNING];
		if (running < pods->min)
			return true;
	}
	return false;
}

/* What was to start now starts later, at the same place. */
static void wait_together(struct kai *kai, const uint32_t *task, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_task *row = &kai->task[task[i]];
		if (row->state != KAI_ALLOCATED)
			continue;
		const uint32_t node = (uint32_t)row->node;
		uint32_t shared[KAI_DEVICES_MAX];
		for (int64_t k = 0; row->shared && k < kai->request[row->request].gpus; k++)
			shared[k] = (uint32_t)row->shared[k];
		kai_set_task(kai, task[i], KAI_PENDING, KAI_NO, NULL);
		kai_pipeline_task(kai, task[i], node, row->shared ? shared : NULL);
	}
}

/* Tasks that request the same, and of which a node holds so many whoever comes first: if some do not fit now,
 * as many do not later. KAI_NO: they are not of that kind. */
static uint32_t alike(const struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count)
{
	const struct kai_job *row = &kai->job[job];
	const uint32_t request = kai->task[task[0]].request;
	const struct kai_request *needs = &kai->request[request];
	const bool shares = needs->kind == KAI_FRACTION || needs->kind == KAI_MEMORY;
	if (row->group_count != 2 || row->group[0].topology != KAI_NO || row->group[1].topology != KAI_NO ||
		(shares && needs->gpus > 1))
		return KAI_NO;
	for (uint32_t i = 1; i < count; i++)
		if (kai->task[task[i]].request != request)
			return KAI_NO;
	return request;
}

/* They did not fit before. */
static bool known_to_fail(struct stage *stage, uint32_t request, const uint32_t *task, uint32_t count)
{
	struct kai *kai = stage->kai;
	if (request == KAI_NO || !kai_nowhere(kai, request, count))
		return false;
	const int64_t headroom = kai->request[request].nowhere_count - 1;
	if (!stage->pipeline_only)
		say_why(kai, stage->job, task[headroom], (uint32_t)headroom);
	return true;
}

bool kai_place_chunk(
	struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, const struct kai_place_how *how)
{
	struct stage stage = {
		.kai = kai, .job = job, .pipeline_only = how->pipeline_only, .among = how->among
	};
	const uint32_t request = count && !how->among ? alike(kai, job, task, count) : KAI_NO;
	if (known_to_fail(&stage, request, task, count))
		return false;
	const kai_marked mark = kai_mark(kai);
	if (!place_group(&stage, 0, (struct tasks){ task, count }) || kai->err.status != 0) {
		kai_undo(kai, mark);
		if (request != KAI_NO && !stage.gated)
			kai_note_nowhere(kai, request, stage.placed + 1);
		return false;
	}
	if (!how->pipeline_only && has_to_wait(&kai->job[job]))
		wait_together(kai, task, count);
	kai_keep(kai, mark);
	return true;
}
