/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_jobs.c - jobs, their tasks and groups: rows made, reused, sorted; requests of tasks.
 */
#include "policies/runai/rules/kai_solve.h"

#include <stdlib.h>
#include <string.h>

/* ---- Requests of tasks ---- */

static uint64_t kai_jobs_hash_of(const struct kai_request *request)
{
	uint64_t hash = sl_hash(sl_hash(1, (uint64_t)request->cpu), (uint64_t)request->mem);
	hash = sl_hash(sl_hash(hash, (uint64_t)request->kind), (uint64_t)request->gpus);
	hash = sl_hash(sl_hash(hash, (uint64_t)request->fraction), (uint64_t)request->gpu_mem);
	for (uint32_t i = 0; i < request->profile_count; i++)
		hash = sl_hash(
			sl_hash(hash, request->profile[i].profile), (uint64_t)request->profile[i].count);
	return hash;
}

static bool kai_jobs_same(const struct kai_request *a, const struct kai_request *b)
{
	if (a->cpu != b->cpu || a->mem != b->mem || a->kind != b->kind || a->gpus != b->gpus ||
		a->fraction != b->fraction || a->gpu_mem != b->gpu_mem || a->allowed != b->allowed ||
		a->best_effort != b->best_effort || a->profile_count != b->profile_count)
		return false;
	for (uint32_t i = 0; i < a->profile_count; i++)
		if (a->profile[i].profile != b->profile[i].profile ||
			a->profile[i].count != b->profile[i].count)
			return false;
	return true;
}

uint32_t kai_request(struct kai *kai, const struct kai_request *request)
{
	const uint64_t hash = kai_jobs_hash_of(request);
	uint32_t i;
	SL_MAP_EACH(&kai->request_map, hash, i)
	if (kai_jobs_same(&kai->request[i], request))
		return i;
	if (SL_GROW(kai->request, kai->request_capacity, kai->request_count + 1, &kai->err) ||
		sl_map_add(&kai->request_map, hash, kai->request_count, &kai->err))
		return KAI_NO;
	struct kai_request *more = &kai->request[kai->request_count++];
	*more = *request;
	if (request->profile_count) {
		struct kai_profiles *profile = sl_alloc(kai->arena, request->profile_count, sizeof(*profile));
		if (!profile)
			return (void)sl_fail_memory(&kai->err), KAI_NO;
		memcpy(profile, request->profile, request->profile_count * sizeof(*profile));
		more->profile = profile;
	}
	return kai->request_count - 1;
}

/* ---- Rows ---- */

static unsigned kai_jobs_class_of(uint32_t tasks)
{
	unsigned class = 0;
	while ((UINT32_C(1) << class) < tasks)
		class ++;
	return class;
}

/* A block of tasks; KAI_NO: no memory. */
static uint32_t block_of(struct kai *kai, uint32_t tasks)
{
	const unsigned class = kai_jobs_class_of(tasks);
	if (kai->block_count[class])
		return kai->block[class][--kai->block_count[class]];
	const uint32_t first = kai->task_count, headroom = UINT32_C(1) << class;
	if (SL_GROW(kai->task, kai->task_capacity, first + headroom, &kai->err))
		return KAI_NO;
	kai->task_count += headroom;
	return first;
}

static uint32_t job_row(struct kai *kai)
{
	if (kai->free_job_count)
		return kai->free_job[--kai->free_job_count];
	if (SL_GROW(kai->job, kai->job_capacity, kai->job_count + 1, &kai->err))
		return KAI_NO;
	if (!kai_lists_grow(kai))
		return KAI_NO;
	return kai->job_count++;
}

uint32_t kai_job(struct kai *kai, const char *name, uint32_t tasks, uint32_t groups)
{
	if (tasks > KAI_ROWS_MAX / 2)
		return (void)kai_fail(kai, SL_INPUT, "a job of %u tasks", tasks), KAI_NO;
	const uint32_t count = groups ? groups : 2;
	struct kai_group *group = calloc(count, sizeof(*group));
	const uint32_t first = group ? block_of(kai, tasks) : KAI_NO;
	const uint32_t row = first != KAI_NO ? job_row(kai) : KAI_NO;
	if (row == KAI_NO) {
		free(group);
		return (void)sl_fail_memory(&kai->err), KAI_NO;
	}
	for (uint32_t i = 0; i < count; i++)
		group[i] = (struct kai_group){ .parent = i ? 0 : KAI_NO,
			.leaf = i > 0,
			.min = i ? tasks : KAI_NO,
			.topology = KAI_NO,
			.required = KAI_NO,
			.preferred = KAI_NO,
			.request = KAI_NO,
			.name = kai_text(kai, i ? "default" : "") };
	for (uint32_t i = 0; i < tasks; i++)
		kai->task[first + i] = (struct kai_task){ .job = row,
			.group = 1,
			.node = -1,
			.from = -1,
			.kept = -1,
			.created = 0,
			.uid = kai_text(kai, ""),
			.nominated = KAI_NO,
			.row_outside = KAI_NO };
	kai->job[row] = (struct kai_job){ .name = kai_text(kai, name),
		.queue = KAI_NO,
		.preemptible = true,
		.priority = 50,
		.ready = true,
		.started = SL_NONE,
		.stale_since = SL_NONE,
		.grace = SL_NONE,
		.evicted_at = SL_NONE,
		.group = group,
		.group_count = count,
		.task = first,
		.task_count = tasks,
		.row_outside = KAI_NO };
	return row;
}

/* Rows of shared GPUs, as far as it requests shares. */
static bool share_headroom(struct kai *kai, struct kai_task *task)
{
	const struct kai_request *request = &kai->request[task->request];
	if (request->kind != KAI_FRACTION && request->kind != KAI_MEMORY)
		return true;
	int64_t *headroom = malloc(3 * (size_t)request->gpus * sizeof(*headroom));
	if (!headroom)
		return (void)sl_fail_memory(&kai->err), false;
	for (int64_t i = 0; i < 3 * request->gpus; i++)
		headroom[i] = -1;
	task->shared = headroom;
	task->from_shared = headroom + request->gpus;
	task->kept_shared = headroom + 2 * request->gpus;
	return true;
}

/* Merge sort: runs of `width` in `from` into `to`. */
static void merge_runs(
	const struct kai *kai, const uint32_t *from, uint32_t *to, uint32_t count, uint32_t width)
{
	for (uint32_t start = 0; start < count; start += 2 * width) {
		const uint32_t middle = start + width < count ? start + width : count;
		const uint32_t end = start + 2 * width < count ? start + 2 * width : count;
		uint32_t left = start, right = middle;
		for (uint32_t i = start; i < end; i++)
			to[i] = left < middle && (right >= end ||
							 kai_compare_tasks(kai, from[left], from[right]) <= 0)
					? from[left++]
					: from[right++];
	}
}

static int sort_tasks(struct kai *kai, const struct kai_job *job)
{
	const uint32_t count = job->task_count;
	if (count < 2)
		return 0;
	uint32_t *order = malloc(2 * (size_t)count * sizeof(*order));
	struct kai_task *copy = malloc(count * sizeof(*copy));
	if (!order || !copy) {
		free(order);
		free(copy);
		return sl_fail_memory(&kai->err);
	}
	uint32_t *from = order, *to = order + count;
	for (uint32_t i = 0; i < count; i++)
		from[i] = job->task + i;
	for (uint32_t width = 1; width < count; width *= 2) {
		merge_runs(kai, from, to, count, width);
		uint32_t *swap = from;
		from = to;
		to = swap;
	}
	memcpy(copy, &kai->task[job->task], count * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++)
		kai->task[job->task + i] = copy[from[i] - job->task];
	free(order);
	free(copy);
	return 0;
}

/* Groups all of whose tasks have the same request. */
static void note_requests(struct kai *kai, const struct kai_job *job)
{
	for (uint32_t i = 0; i < job->group_count; i++)
		job->group[i].met = 0;
	for (uint32_t i = 0; i < job->task_count; i++) {
		const struct kai_task *task = &kai->task[job->task + i];
		struct kai_group *group = &job->group[task->group];
		if (!group->met)
			group->request = task->request;
		else if (group->request != task->request)
			group->request = KAI_NO;
		group->met = 1;
	}
}

int kai_seal_job(struct kai *kai, uint32_t row)
{
	struct kai_job *job = &kai->job[row];
	if (sort_tasks(kai, job) != 0)
		return kai->err.status;
	note_requests(kai, job);
	for (uint32_t i = 0; i < job->task_count; i++) {
		struct kai_task *task = &kai->task[job->task + i];
		if (!share_headroom(kai, task))
			return kai->err.status;
		const enum kai_state state = (enum kai_state)task->state;
		job->group[0].count[KAI_PENDING]++;
		job->group[task->group].count[KAI_PENDING]++;
		task->state = KAI_PENDING;
		kai_count_request(kai, job->task + i, 1);
		kai_list_note(kai, row, KAI_PENDING);
		if (state != KAI_PENDING)
			kai_set_task(kai, job->task + i, state, KAI_NO, NULL);
	}
	job->signature = kai_signature(kai, row);
	return kai->err.status;
}

static void free_block(struct kai *kai, const struct kai_job *job)
{
	const unsigned class = kai_jobs_class_of(job->task_count);
	if (SL_GROW(kai->block[class], kai->block_capacity[class], kai->block_count[class] + 1, &kai->err))
		return;
	kai->block[class][kai->block_count[class]++] = job->task;
}

void kai_drop_job(struct kai *kai, uint32_t row)
{
	struct kai_job *job = &kai->job[row];
	for (uint32_t i = 0; i < job->task_count; i++) {
		struct kai_task *task = &kai->task[job->task + i];
		kai_set_task(kai, job->task + i, KAI_SUCCEEDED, KAI_NO, NULL);
		free(task->shared);
		task->shared = task->from_shared = task->kept_shared = NULL;
	}
	free_block(kai, job);
	free(job->group);
	job->group = NULL;
	job->task_count = 0;
	job->gone = true;
	if (SL_GROW(kai->free_job, kai->free_job_capacity, kai->free_job_count + 1, &kai->err))
		return;
	kai->free_job[kai->free_job_count++] = row;
}

void kai_jobs_free(struct kai *kai)
{
	for (uint32_t i = 0; i < kai->job_count; i++) {
		const struct kai_job *job = &kai->job[i];
		for (uint32_t k = 0; k < job->task_count; k++)
			free(kai->task[job->task + k].shared);
		free(job->group);
	}
	for (unsigned i = 0; i < SL_LEN(kai->block); i++)
		free(kai->block[i]);
	free(kai->job);
	free(kai->task);
	free(kai->free_job);
	for (int i = 0; i < KAI_LISTS; i++) {
		free(kai->list[i]);
		free(kai->sure[i]);
	}
	free(kai->request);
	sl_map_free(&kai->request_map);
}
