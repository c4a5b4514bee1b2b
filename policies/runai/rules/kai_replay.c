/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_replay.c - in which order a simulation allocates again: the jobs that it evicted and the one that it is
 * about, among all that wait. (KAI: actions/common/action, GetJobsToAllocate.)
 *
 * What waits is sorted once; a lane takes it from there. Trees of queues, from the root down, in which
 * nothing is to be allocated are left out: they change the order of no others (but where priority within
 * quotas is compared first: then a queue may be before a second, that before a third, and that before the
 * first).
 */
#include "policies/runai/rules/kai_lane.h"

#include <stdlib.h>
#include <string.h>

struct kai_waiting {
	struct kai_entry entry;
	const char *name;
	uint32_t leaf;
};

/* Of a leaf: its rows of kai_back. */
struct kai_range {
	uint32_t leaf, first, end, root;
};

struct kai_replay {
	struct kai_lane *lane;
	struct kai_back back;
	struct kai_waiting *waiting; /* While they are sorted. */
	uint32_t waiting_capacity;
	struct kai_range *range;
	uint32_t range_count, range_capacity;
	uint32_t *row; /* By job: of kai_back; KAI_NO. */
	uint32_t job_count;
	/* Of what was settled since, jobs that wait still. */
	uint32_t *late;
	uint32_t late_count, late_capacity;
	/* Of this simulation. */
	uint32_t *pushed;
	uint32_t pushed_count, pushed_capacity;
	bool walking;
	uint64_t number, *looked; /* looked: by root queue: the last simulation that allocated below it. */
	uint32_t queue_count;
};

enum { SEEN = 0, HIDDEN = 1, SETTLED = 2 }; /* kai_back.hidden */

struct kai_replay *kai_replay_new(struct kai *kai)
{
	struct kai_replay *replay = calloc(1, sizeof(*replay));
	if (!replay)
		return (void)sl_fail_memory(&kai->err), NULL;
	replay->lane = kai_lane_new(kai, KAI_NEXT, 0);
	if (!replay->lane)
		return free(replay), NULL;
	replay->lane->back = &replay->back;
	return replay;
}

void kai_replay_free(struct kai_replay *replay)
{
	if (!replay)
		return;
	kai_lane_free(replay->lane);
	free(replay->back.entry);
	free(replay->back.needs);
	free(replay->back.hidden);
	free(replay->waiting);
	free(replay->range);
	free(replay->row);
	free(replay->late);
	free(replay->pushed);
	free(replay->looked);
	free(replay);
}

/* ---- What waits ---- */

/* Leaves together, their jobs by priority, elastic state, age, name. */
static int by_leaf(const void *left, const void *right)
{
	const struct kai_waiting *a = left, *b = right;
	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	if (a->entry.priority != b->entry.priority)
		return a->entry.priority > b->entry.priority ? -1 : 1;
	if (a->entry.growth != b->entry.growth)
		return a->entry.growth < b->entry.growth ? -1 : 1;
	if (a->entry.created != b->entry.created)
		return a->entry.created < b->entry.created ? -1 : 1;
	const int name = a->name == b->name ? 0 : strcmp(a->name, b->name);
	return name ? name : (a->entry.job > b->entry.job) - (a->entry.job < b->entry.job);
}

static uint32_t collect(struct kai *kai, struct kai_replay *replay)
{
	uint32_t count = 0;
	memset(replay->row, 0xff, kai->job_count * sizeof(*replay->row)); /* KAI_NO */
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_WAITING, i)) != KAI_NO; i++) {
		const struct kai_job *job = &kai->job[i];
		if (!kai_lane_may(kai, replay->lane, i))
			continue;
		if (SL_GROW(replay->waiting, replay->waiting_capacity, count + 1, &kai->err))
			return 0;
		struct kai_entry entry = kai_entry_of(kai, replay->lane, i);
		entry.live = false; /* Who only waits does not change. */
		entry.other = true;
		replay->waiting[count++] = (struct kai_waiting){ entry, job->name, job->queue };
	}
	return count;
}

static bool headroom(struct kai *kai, struct kai_replay *replay)
{
	if (kai->job_count > replay->job_count && SL_RESIZE(replay->row, kai->job_count, &kai->err))
		return false;
	replay->job_count = kai->job_count > replay->job_count ? kai->job_count : replay->job_count;
	if (kai->queue_count <= replay->queue_count)
		return true;
	if (SL_RESIZE(replay->looked, kai->queue_count, &kai->err))
		return false;
	memset(replay->looked, 0, kai->queue_count * sizeof(*replay->looked));
	replay->queue_count = kai->queue_count;
	return true;
}

static bool back_headroom(struct kai *kai, struct kai_back *back, uint32_t count)
{
	if (count <= back->capacity)
		return true;
	if (SL_RESIZE(back->entry, count, &kai->err) || SL_RESIZE(back->needs, count, &kai->err) ||
		SL_RESIZE(back->hidden, count, &kai->err))
		return false;
	back->capacity = count;
	return true;
}

static uint32_t root_of(const struct kai *kai, uint32_t queue)
{
	while (kai->queue[queue].parent != KAI_NO)
		queue = kai->queue[queue].parent;
	return queue;
}

/* The row is the last of its leaf's so far. */
static bool extend_range(struct kai *kai, struct kai_replay *replay, uint32_t leaf, uint32_t row)
{
	if (!replay->range_count || replay->range[replay->range_count - 1].leaf != leaf) {
		if (SL_GROW(replay->range, replay->range_capacity, replay->range_count + 1, &kai->err))
			return false;
		replay->range[replay->range_count++] =
			(struct kai_range){ leaf, row, row, root_of(kai, leaf) };
	}
	replay->range[replay->range_count - 1].end = row + 1;
	return true;
}

void kai_replay_open(struct kai *kai, struct kai_replay *replay)
{
	kai_replay_clear(replay);
	replay->back.count = replay->range_count = replay->late_count = 0;
	if (!headroom(kai, replay))
		return;
	const uint32_t count = collect(kai, replay);
	if (!count || !back_headroom(kai, &replay->back, count))
		return;
	qsort(replay->waiting, count, sizeof(*replay->waiting), by_leaf);
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_waiting *waiting = &replay->waiting[i];
		if (!extend_range(kai, replay, waiting->leaf, i))
			return;
		replay->back.entry[i] = waiting->entry;
		replay->back.needs[i] = kai_entry_needs(kai, replay->lane, &waiting->entry);
		replay->back.hidden[i] = SEEN;
		replay->row[waiting->entry.job] = i;
	}
	replay->back.count = count;
}

static bool kai_replay_append(
	struct kai *kai, uint32_t **array, uint32_t *count, uint32_t *capacity, uint32_t job)
{
	if (SL_GROW(*array, *capacity, *count + 1, &kai->err))
		return false;
	(*array)[(*count)++] = job;
	return true;
}

void kai_replay_changed(struct kai *kai, struct kai_replay *replay, uint32_t job)
{
	const uint32_t row = job < replay->job_count ? replay->row[job] : KAI_NO;
	if (row != KAI_NO)
		replay->back.hidden[row] = SETTLED;
	uint32_t at = 0;
	while (at < replay->late_count && replay->late[at] != job)
		at++;
	const bool waits = kai->job[job].group[0].count[KAI_PENDING] > 0;
	if (at < replay->late_count && !waits)
		replay->late[at] = replay->late[--replay->late_count];
	else if (at == replay->late_count && waits)
		(void)kai_replay_append(kai, &replay->late, &replay->late_count, &replay->late_capacity, job);
}

/* ---- A simulation ---- */

void kai_replay_clear(struct kai_replay *replay)
{
	kai_lane_clear(replay->lane, KAI_NEXT, 0);
	for (uint32_t i = 0; i < replay->pushed_count; i++) {
		const uint32_t row = replay->row[replay->pushed[i]];
		if (row != KAI_NO && replay->back.hidden[row] == HIDDEN)
			replay->back.hidden[row] = SEEN;
	}
	replay->pushed_count = 0;
	replay->walking = false;
	replay->number++;
}

static void kai_replay_note(struct kai *kai, struct kai_replay *replay, uint32_t job)
{
	const uint32_t row = replay->row[job];
	if (row != KAI_NO && replay->back.hidden[row] == SEEN)
		replay->back.hidden[row] = HIDDEN;
	(void)kai_replay_append(kai, &replay->pushed, &replay->pushed_count, &replay->pushed_capacity, job);
	replay->looked[root_of(kai, kai->job[job].queue)] = replay->number;
}

void kai_replay_push(struct kai *kai, struct kai_replay *replay, uint32_t job)
{
	if (!kai_lane_may(kai, replay->lane, job))
		return;
	kai_replay_note(kai, replay, job);
	kai_lane_push(kai, replay->lane, job);
}

void kai_replay_push_whole(struct kai *kai, struct kai_replay *replay, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	if (!kai_lane_may(kai, replay->lane, job))
		return;
	const bool ranked = kai->config.plugins & KAI_PLUGIN_PRIORITY;
	kai_replay_note(kai, replay, job);
	kai_lane_enter(kai, replay->lane,
		&(struct kai_entry){ .priority = ranked ? row->priority : 0,
			.created = row->created,
			.job = job,
			.request = row->group[1].request,
			.take = row->task_count,
			.growth = KAI_BELOW_MINIMUM });
}

void kai_replay_push_part(
	struct kai *kai, struct kai_replay *replay, uint32_t job, const struct kai_vec *needs)
{
	if (!kai_lane_may(kai, replay->lane, job))
		return;
	kai_replay_note(kai, replay, job);
	kai_lane_push_part(kai, replay->lane, job, needs);
}

static bool was_pushed(const struct kai_replay *replay, uint32_t job)
{
	for (uint32_t i = 0; i < replay->pushed_count; i++)
		if (replay->pushed[i] == job)
			return true;
	return false;
}

static bool left_out(const struct kai *kai, const struct kai_replay *replay, uint32_t root)
{
	return replay->looked[root] != replay->number && !kai->config.priority_reclaim;
}

/* What waits below the roots that are looked at comes in. */
static void kai_replay_start(struct kai *kai, struct kai_replay *replay)
{
	struct kai_lane *lane = replay->lane;
	replay->walking = true;
	for (uint32_t i = 0; i < replay->late_count; i++) {
		const uint32_t job = replay->late[i], root = root_of(kai, kai->job[job].queue);
		if (left_out(kai, replay, root) || was_pushed(replay, job))
			continue;
		struct kai_entry entry = kai_entry_of(kai, lane, job);
		entry.other = true;
		kai_lane_enter(kai, lane, &entry);
	}
	for (uint32_t i = 0; i < replay->range_count; i++) {
		const struct kai_range *range = &replay->range[i];
		if (left_out(kai, replay, range->root))
			continue;
		struct kai_seat *seat = kai_lane_seat(lane, range->leaf);
		seat->back = range->first;
		seat->back_end = range->end;
		seat->known = false;
		while (seat->back < seat->back_end && replay->back.hidden[seat->back])
			seat->back++;
		if (seat->back < seat->back_end)
			kai_lane_join(kai, lane, range->leaf);
	}
}

uint32_t kai_replay_pop(struct kai *kai, struct kai_replay *replay)
{
	if (!replay->walking)
		kai_replay_start(kai, replay);
	replay->lane->last = KAI_NO; /* What is allocated since has changed what queues hold. */
	struct kai_entry entry;
	while (kai_lane_take(kai, replay->lane, &entry))
		if (!entry.other)
			return entry.job;
	return KAI_NO;
}
