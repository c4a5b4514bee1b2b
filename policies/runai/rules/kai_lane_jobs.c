/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_lane_jobs.c - the jobs of a leaf queue in a lane: a heap, sifted as Go's container/heap does (with a
 * cap on its depth the last of its array falls out, as in KAI's scheduler_util/priority_queue).
 */
#include <string.h>

#include "policies/runai/rules/kai_lane.h"

static enum kai_growth growth_of(const struct kai *kai, const struct kai_entry *entry)
{
	const bool live = entry->live && (kai->config.plugins & KAI_PLUGIN_ELASTIC);
	return live ? kai_growth(kai, entry->job) : (enum kai_growth)entry->growth;
}

/* Jobs by priority, growth, age, name. */
static int kai_lane_jobs_compare(const struct kai *kai, const struct kai_entry *a, const struct kai_entry *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	const enum kai_growth left = growth_of(kai, a), right = growth_of(kai, b);
	if (left != right)
		return left < right ? -1 : 1;
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	return kai_compare_ages(kai, a->job, b->job);
}

bool kai_entry_before(const struct kai *kai, const struct kai_lane *lane, const struct kai_entry *a,
	const struct kai_entry *b)
{
	const int order = kai_lane_jobs_compare(kai, a, b);
	return lane->order == KAI_VICTIMS ? order > 0 : order < 0;
}

bool kai_pile_push(
	struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile, const struct kai_entry *entry)
{
	if (SL_GROW(pile->entry, pile->capacity, pile->count + 1, &kai->err))
		return false;
	struct kai_entry *heap = pile->entry;
	uint32_t at = pile->count++;
	pile->loose = lane->depth == 0 && (at == 0 || pile->loose);
	if (pile->loose) {
		const bool first = at && kai_entry_before(kai, lane, entry, &heap[0]);
		if (first)
			heap[at] = heap[0];
		heap[first ? 0 : at] = *entry;
		return true;
	}
	for (; at && kai_entry_before(kai, lane, entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *entry;
	if (lane->depth && pile->count > lane->depth)
		pile->count--;
	return true;
}

/* The entry goes down from there, among so many. */
static void sift(const struct kai *kai, const struct kai_lane *lane, const struct kai_pile *pile,
	const struct kai_entry *entry, uint32_t at)
{
	struct kai_entry *heap = pile->entry;
	const struct kai_entry last = *entry;
	for (uint32_t below = 2 * at + 1; below < pile->count; below = 2 * at + 1) {
		if (below + 1 < pile->count && kai_entry_before(kai, lane, &heap[below + 1], &heap[below]))
			below++;
		if (!kai_entry_before(kai, lane, &heap[below], &last))
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = last;
}

bool kai_pile_prune(const struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile,
	enum kai_stay (*stays)(const struct kai *kai, uint32_t job, const void *of), const void *of)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < pile->count; i++)
		if (pile->entry[i].live || stays(kai, pile->entry[i].job, of) == KAI_NONE_GOES)
			return false;
	for (uint32_t i = 0; i < pile->count; i++)
		if (stays(kai, pile->entry[i].job, of) == KAI_STAYS)
			pile->entry[kept++] = pile->entry[i];
	pile->count = kept;
	for (uint32_t i = kept / 2; i-- > 0;)
		sift(kai, lane, pile, &pile->entry[i], i);
	pile->loose = false;
	return true;
}

struct kai_entry kai_pile_pop(const struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile)
{
	for (uint32_t i = pile->count / 2; pile->loose && i-- > 0;)
		sift(kai, lane, pile, &pile->entry[i], i);
	pile->loose = false;
	const struct kai_entry first = pile->entry[0];
	pile->count--;
	sift(kai, lane, pile, &pile->entry[pile->count], 0);
	return first;
}

/* ---- What was taken of a job ---- */

const uint8_t *kai_lane_gone(const struct kai_lane *lane, uint32_t job)
{
	const uint32_t rest = job < lane->rest_of_count ? lane->rest_of[job] : 0;
	return rest ? lane->rest[rest - 1].gone : NULL;
}

/* How far the rest of a job has grown: pod sets without what was taken. */
static enum kai_growth rest_growth(const struct kai *kai, const struct kai_job *job, const uint8_t *gone)
{
	for (uint32_t i = 0; i < job->group_count; i++)
		job->group[i].met = 0;
	for (uint32_t i = 0; i < job->task_count; i++) {
		const struct kai_task *task = &kai->task[job->task + i];
		job->group[task->group].met += !gone[i] && kai_active_allocated((uint32_t)task->state);
	}
	enum kai_growth growth = KAI_AT_MINIMUM;
	for (uint32_t i = 0; i < job->group_count; i++) {
		const struct kai_group *group = &job->group[i];
		if (group->leaf && group->met < group->min)
			return KAI_BELOW_MINIMUM;
		if (group->leaf && group->met > group->min)
			growth = KAI_ABOVE_MINIMUM;
	}
	return growth;
}

struct kai_entry kai_entry_of(const struct kai *kai, const struct kai_lane *lane, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	const uint8_t *gone = kai_lane_gone(lane, job);
	struct kai_entry entry = { .created = row->created, .job = job, .request = KAI_NO };
	entry.live = lane->order == KAI_NEXT && kai_count_active(&row->group[0]);
	if (kai->config.plugins & KAI_PLUGIN_PRIORITY)
		entry.priority = row->priority;
	if (kai->config.plugins & KAI_PLUGIN_ELASTIC)
		entry.growth = (uint8_t)(gone ? rest_growth(kai, row, gone) : kai_growth(kai, job));
	if (lane->order == KAI_NEXT && !entry.live)
		(void)kai_plain_chunk(kai, job, &entry.request, &entry.take);
	return entry;
}

static bool is_held(const struct kai_task *task)
{
	return task->state == KAI_ALLOCATED || task->state == KAI_BINDING || task->state == KAI_BOUND ||
	       task->state == KAI_RUNNING;
}

/* Shares of GPUs by memory count nothing here: KAI takes a job's requests, in which they stand apart. */
static void add_held(const struct kai *kai, uint32_t request, int64_t times, struct kai_vec *sum)
{
	const struct kai_vec one = kai_charge_request(kai, request);
	for (int i = 0; i < KAI_RES; i++)
		if (i != KAI_GPUS || kai->request[request].kind != KAI_MEMORY)
			sum->at[i] += times * one.at[i];
}

static int64_t count_held(const struct kai_group *group)
{
	return group->count[KAI_ALLOCATED] + group->count[KAI_BINDING] + group->count[KAI_BOUND] +
	       group->count[KAI_RUNNING];
}

struct kai_vec kai_entry_needs(struct kai *kai, const struct kai_lane *lane, const struct kai_entry *entry)
{
	if (entry->part)
		return lane->part;
	return entry->request != KAI_NO ? kai_plain_needs(kai, entry->request, entry->take)
					: kai_next_needs(kai, entry->job);
}

struct kai_vec kai_held(const struct kai *kai, const struct kai_lane *lane, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	const uint8_t *gone = kai_lane_gone(lane, job);
	struct kai_vec sum = { 0 };
	bool walk = gone != NULL;
	for (uint32_t i = 0; i < row->group_count; i++)
		walk |= row->group[i].leaf && count_held(&row->group[i]) && row->group[i].request == KAI_NO;
	for (uint32_t i = 0; !walk && i < row->group_count; i++)
		if (row->group[i].leaf && count_held(&row->group[i]))
			add_held(kai, row->group[i].request, count_held(&row->group[i]), &sum);
	for (uint32_t i = 0; walk && i < row->task_count; i++)
		if (is_held(&kai->task[row->task + i]) && !(gone && gone[i]))
			add_held(kai, kai->task[row->task + i].request, 1, &sum);
	return sum;
}

uint32_t kai_active_left(const struct kai *kai, const struct kai_lane *lane, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	const uint8_t *gone = kai_lane_gone(lane, job);
	uint32_t count = 0;
	for (uint32_t i = 0; i < row->task_count; i++)
		count += kai_active_allocated((uint32_t)kai->task[row->task + i].state) && !(gone && gone[i]);
	return count;
}
