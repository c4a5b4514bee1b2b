/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_course.c - what was, over time: of each project and department what it is entitled to (its fair
 * share), holds, lends and waits for, in each pool. Told as the table "projects".
 *
 * A cell is a queue's, of a pool and a resource: GPUs, and cpus and memory where some quota or limit names
 * them. A point is noted of a cell that is another at the end of an instant. From POINTS_MAX on, of each cell
 * the last in each of equal spans of time is kept, and spans are twice as long each time after that. Sums
 * over time are not touched by that.
 */
#include "policies/runai/runai.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 400000, SPANS = 1024 };
#define MICRO INT64_C(1000000)
#define MIB   (INT64_C(1) << 20)

enum value { FAIR, USED, LENT, WAITING, ACTIVE, VALUES };
struct point {
	sl_time at;
	uint32_t cell;
	int64_t value[VALUES];
};

struct cell {
	int64_t quota;
	int64_t value[VALUES]; /* Noted last, */
	bool known;
	uint32_t last; /* as this point, */
	sl_time since; /* at. */
	unsigned __int128 sum[RUNAI_SUMS];
};

struct runai_course {
	uint32_t queues, cells; /* Cell: (pool * KAI_RES + resource) * queues + queue. */
	bool told[KAI_RES];
	struct cell *cell;
	struct point *point;
	size_t count, capacity, most; /* most: then they are thinned. */
	sl_time span;                 /* 0: all are kept. */
	int64_t *quota, *used, *lent; /* By queue, of one pool and resource. */
	struct kai_vec *live;         /* [pool * queues + queue] */
	int64_t *active;              /* Likewise: of GPUs, amounts told. */
	int64_t *job_active;          /* By job: of this attempt. NULL: the trace does not say. */
};

bool runai_tells_active(const struct runai *r) { return r->course->job_active != NULL; }

const char *runai_kind_of(const struct runai *r, uint32_t queue)
{
	return r->config.queue[queue].children ? "department" : "project";
}

int64_t runai_told(enum kai_res res, int64_t amount)
{
	if (amount == KAI_UNLIMITED)
		return amount;
	switch (res) {
	case KAI_CPU:
		return amount * 1000;
	case KAI_MEM:
		return amount / MIB * MICRO + amount % MIB * MICRO / MIB;
	case KAI_GPUS:
	case KAI_RES:
		break;
	}
	return amount / (KAI_GPU / MICRO);
}

/* ---- Made ---- */

static bool names(const struct runai_share *share, enum kai_res res)
{
	const int64_t quota = share->quota.at[res];
	return (quota > 0 && quota != KAI_UNLIMITED) || share->limit.at[res] != KAI_UNLIMITED;
}

static void choose_resources(const struct runai *r, bool told[KAI_RES])
{
	told[KAI_GPUS] = true;
	for (uint32_t pool = 0; pool < r->world_count; pool++)
		for (uint32_t q = 0; q < r->config.queue_count; q++)
			for (int res = 0; res < KAI_RES; res++)
				told[res] |=
					names(runai_share_of(&r->config.queue[q], pool), (enum kai_res)res);
}

int runai_course_make(struct runai *r, struct sl_err *err)
{
	struct runai_course *course = sl_alloc(r->arena, 1, sizeof(*course));
	const size_t queues = r->config.queue_count, rows = queues * r->world_count + 1;
	if (!course || rows * KAI_RES > UINT32_MAX)
		return sl_fail_memory(err);
	r->course = course;
	course->queues = (uint32_t)queues;
	course->cells = (uint32_t)(queues * r->world_count * KAI_RES);
	course->cell = sl_alloc(r->arena, rows * KAI_RES, sizeof(*course->cell));
	course->quota = sl_alloc(r->arena, rows, sizeof(*course->quota));
	course->used = sl_alloc(r->arena, rows, sizeof(*course->used));
	course->lent = sl_alloc(r->arena, rows, sizeof(*course->lent));
	course->live = sl_alloc(r->arena, rows, sizeof(*course->live));
	course->active = sl_alloc(r->arena, rows, sizeof(*course->active));
	if (!course->cell || !course->quota || !course->used || !course->lent || !course->live ||
		!course->active)
		return sl_fail_memory(err);
	if (r->jobs->gpu_active) {
		course->job_active =
			sl_alloc(r->arena, (size_t)r->jobs->count + 1, sizeof(*course->job_active));
		if (!course->job_active)
			return sl_fail_memory(err);
	}
	course->most = POINTS_MAX;
	choose_resources(r, course->told);
	return SL_OK;
}

void runai_course_release(struct runai *r)
{
	if (r->course)
		free(r->course->point);
}

/* ---- Jobs ---- */

static void add_active(struct runai *r, uint32_t row, int64_t amount)
{
	const struct runai_run *run = &r->run[row];
	const struct kai *kai = r->world[run->world].kai;
	for (uint32_t at = run->said.queue; at != KAI_NO; at = kai->queue[at].parent)
		r->course->active[(size_t)run->world * r->course->queues + at] += amount;
}

/* GPUs that the job holds, told, times how active they are. */
static int64_t active_of(const struct runai *r, uint32_t row)
{
	const struct runai_run *run = &r->run[row];
	const struct kai *kai = r->world[run->world].kai;
	const struct kai_job *job = &kai->job[run->job];
	int64_t gpus = 0;
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai_active_allocated((uint32_t)kai->task[job->task + i].state))
			gpus += kai_charge(kai, job->task + i).at[KAI_GPUS];
	const int64_t told = runai_told(KAI_GPUS, gpus);
	return told / MICRO * r->jobs->gpu_active[row] + told % MICRO * r->jobs->gpu_active[row] / MICRO;
}

void runai_course_stage(struct runai *r, uint32_t row, enum runai_stage to)
{
	const enum runai_stage from = r->run[row].stage;
	if (to != RUNAI_AWAY &&
		runai_reserve(r, (void **)&r->step, &r->step_capacity, sizeof(*r->step), r->step_count + 1))
		r->step[r->step_count++] = (struct runai_step){ r->now, row, (uint8_t)from, (uint8_t)to };
	if (!r->course->job_active || r->jobs->gpu_active[row] < 0)
		return;
	if (from == RUNAI_RUNS) {
		add_active(r, row, -r->course->job_active[row]);
		r->course->job_active[row] = 0;
	}
	if (to == RUNAI_RUNS) {
		r->course->job_active[row] = active_of(r, row);
		add_active(r, row, r->course->job_active[row]);
	}
}

/* ---- In a session ---- */

void runai_course_open(struct runai *r, uint32_t world)
{
	const struct kai *kai = r->world[world].kai;
	for (uint32_t q = 0; q < r->course->queues; q++)
		r->course->live[(size_t)world * r->course->queues + q] = kai->queue[q].allocated;
}

const struct kai_vec *runai_course_live(const struct runai *r, uint32_t world)
{
	return &r->course->live[(size_t)world * r->course->queues];
}

void runai_course_effect(struct runai *r, uint32_t world, const struct kai_effect *effect)
{
	const struct kai *kai = r->world[world].kai;
	const struct kai_vec charge = kai_charge_on(kai, effect->task, effect->node);
	struct kai_vec *live = &r->course->live[(size_t)world * r->course->queues];
	for (uint32_t at = kai->job[kai->task[effect->task].job].queue; at != KAI_NO;
		at = kai->queue[at].parent)
		for (int res = 0; res < KAI_RES; res++)
			live[at].at[res] += effect->kind == KAI_EVICT ? -charge.at[res] : charge.at[res];
}

/* ---- Noted ---- */

static int64_t over(int64_t used, int64_t quota)
{
	return quota == KAI_UNLIMITED || used <= quota ? 0 : used - quota;
}

static void settle(struct cell *cell, sl_time now)
{
	const int64_t *value = cell->value;
	const int64_t sum[RUNAI_SUMS] = { value[FAIR], value[USED], over(value[USED], cell->quota),
		value[LENT], value[WAITING], value[ACTIVE] };
	for (int i = 0; cell->known && now > cell->since && i < RUNAI_SUMS; i++)
		cell->sum[i] += (unsigned __int128)(uint64_t)sum[i] * (uint64_t)(now - cell->since);
	cell->since = now;
}

static bool is_same_span(const struct runai_course *course, sl_time a, sl_time b)
{
	return course->span ? a / course->span == b / course->span : a == b;
}

/* Spans are as long again; of each cell the last point in each is kept. */
static void thin(struct runai_course *course)
{
	const sl_time length = course->point[course->count - 1].at - course->point[0].at;
	size_t kept = 0;
	course->span = course->span ? course->span * 2 : length / SPANS + 1;
	for (uint32_t i = 0; i < course->cells; i++)
		course->cell[i].last = UINT32_MAX;
	for (size_t i = 0; i < course->count; i++) {
		const struct point *point = &course->point[i];
		uint32_t *last = &course->cell[point->cell].last;
		if (*last == UINT32_MAX || !is_same_span(course, course->point[*last].at, point->at))
			*last = (uint32_t)kept++;
		course->point[*last] = *point;
	}
	course->count = kept;
	course->most = kept > POINTS_MAX / 2 ? kept * 2 : POINTS_MAX;
}

static void put_point(struct runai *r, uint32_t at)
{
	struct runai_course *course = r->course;
	struct cell *cell = &course->cell[at];
	if (course->count >= course->most)
		thin(course);
	if (!cell->known || !is_same_span(course, course->point[cell->last].at, r->now)) {
		if (!runai_reserve(r, (void **)&course->point, &course->capacity, sizeof(*course->point),
			    course->count + 1))
			return;
		cell->last = (uint32_t)course->count++;
	}
	struct point *point = &course->point[cell->last];
	point->at = r->now;
	point->cell = at;
	memcpy(point->value, cell->value, sizeof(point->value));
	cell->known = true;
}

static void note_cell(struct runai *r, uint32_t at, const int64_t value[VALUES])
{
	struct cell *cell = &r->course->cell[at];
	if (cell->known && memcmp(cell->value, value, sizeof(cell->value)) == 0)
		return;
	settle(cell, r->now);
	memcpy(cell->value, value, sizeof(cell->value));
	put_point(r, at);
}

static void note(struct runai *r, uint32_t world, enum kai_res res)
{
	struct runai_course *course = r->course;
	const struct kai *kai = r->world[world].kai;
	const uint32_t first = (world * KAI_RES + (uint32_t)res) * course->queues;
	const int64_t total = runai_told(res, kai->total.at[res]);
	bool same = true;
	for (uint32_t q = 0; q < course->queues; q++) {
		struct cell *cell = &course->cell[first + q];
		course->quota[q] = cell->quota = runai_told(res, kai->queue[q].quota.at[res]);
		course->used[q] = runai_told(res, kai->queue[q].allocated.at[res]);
		same = same && cell->known && cell->value[USED] == course->used[q];
	}
	if (!same)
		runai_lend(kai, course->quota, course->used, course->lent);
	for (uint32_t q = 0; q < course->queues; q++) {
		const struct kai_queue *queue = &kai->queue[q];
		const int64_t fair = runai_told(res, queue->fair.at[res]);
		const int64_t waiting = kai_sub(queue->request.at[res], queue->allocated.at[res]);
		const int64_t value[VALUES] = { fair == KAI_UNLIMITED ? total : fair, course->used[q],
			same ? course->cell[first + q].value[LENT] : course->lent[q],
			runai_told(res, waiting > 0 ? waiting : 0),
			res == KAI_GPUS ? course->active[(size_t)world * course->queues + q] : 0 };
		note_cell(r, first + q, value);
	}
}

void runai_course_note(struct runai *r)
{
	for (uint32_t world = 0; world < r->world_count; world++)
		for (int res = 0; res < KAI_RES; res++)
			if (r->course->told[res])
				note(r, world, (enum kai_res)res);
}

void runai_course_sums(struct runai *r, sl_time until, uint32_t queue, unsigned __int128 sum[RUNAI_SUMS])
{
	memset(sum, 0, RUNAI_SUMS * sizeof(*sum));
	for (uint32_t world = 0; world < r->world_count; world++) {
		struct cell *cell =
			&r->course->cell[(world * KAI_RES + KAI_GPUS) * r->course->queues + queue];
		settle(cell, until > cell->since ? until : cell->since);
		for (int i = 0; i < RUNAI_SUMS; i++)
			sum[i] += cell->sum[i];
	}
}

/* ---- projects.csv ---- */

static int by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell); /* A cell has one at a time. */
}

static void put_row(const struct runai *r, const struct point *point, struct sl_cell *cell)
{
	const struct runai_course *course = r->course;
	const uint32_t q = point->cell % course->queues, res = point->cell / course->queues % KAI_RES;
	const uint32_t pool = point->cell / course->queues / KAI_RES;
	const uint32_t parent = r->config.queue[q].parent;
	const int64_t quota = course->cell[point->cell].quota, used = point->value[USED];
	cell[0].micro = point->at;
	cell[1].text = r->config.queue[q].name;
	cell[2].text = runai_kind_of(r, q);
	cell[3].text = parent == KAI_NO ? "" : r->config.queue[parent].name;
	cell[4].text = r->config.pool[pool].name;
	cell[5].text = kai_res_name((enum kai_res)res);
	cell[6].micro = quota == KAI_UNLIMITED ? SL_NONE : quota;
	cell[7].micro = point->value[FAIR];
	cell[8].micro = used;
	cell[9].micro = used - over(used, quota);
	cell[10].micro = over(used, quota);
	cell[11].micro = point->value[LENT];
	cell[12].micro = point->value[WAITING];
	cell[13].micro = course->job_active && res == KAI_GPUS ? point->value[ACTIVE] : SL_NONE;
}

int runai_course_tell(struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "project", "kind", "parent", "pool", "resource", "quota",
		"entitled", "allocated", "in_quota", "over_quota", "lent", "waiting", "active" };
	struct runai_course *course = r->course;
	if (!course->count)
		return SL_OK;
	struct sl_cell *cell = sl_alloc(r->arena, course->count * SL_LEN(column), sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	qsort(course->point, course->count, sizeof(*course->point), by_time);
	for (size_t i = 0; i < course->count; i++)
		put_row(r, &course->point[i], &cell[i * SL_LEN(column)]);
	return sl_tell_table(tally, "projects", column, SL_LEN(column), cell, course->count, err);
}
