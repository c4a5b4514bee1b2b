/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_series.c - what was, over time: of each project and department what it is entitled to (its fair
 * share), holds, lends and waits for, in each pool. Reported as the table "projects".
 *
 * A cell is a queue's, of a pool and a resource: GPUs, and cpus and memory where some quota or limit names
 * them. A point is noted of a cell that is another at the end of an instant. From POINTS_MAX on, of each cell
 * the last in each of equal intervals of time is kept, and intervals are twice as long each time after that.
 * Sums over time are not touched by that.
 */
#include "policies/runai/runai.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 400000, RANGES = 1024 };
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

struct runai_series {
	uint32_t queues, cells; /* Cell: (pool * KAI_RES + resource) * queues + queue. */
	bool reported[KAI_RES];
	struct cell *cell;
	struct point *point;
	size_t count, capacity, most; /* most: then they are thinned. */
	sl_time range;                /* 0: all are kept. */
	int64_t *quota, *used, *lent; /* By queue, of one pool and resource. */
	struct kai_vec *live;         /* [pool * queues + queue] */
	int64_t *active;              /* Likewise: of GPUs, reported amounts. */
	int64_t *job_active;          /* By job: of this attempt. NULL: the trace does not say. */
};

bool runai_tells_active(const struct runai *r) { return r->series->job_active != NULL; }

const char *runai_kind_of(const struct runai *r, uint32_t queue)
{
	return r->config.queue[queue].children ? "department" : "project";
}

int64_t runai_reported(enum kai_res res, int64_t amount)
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

static void choose_resources(const struct runai *r, bool reported[KAI_RES])
{
	reported[KAI_GPUS] = true;
	for (uint32_t pool = 0; pool < r->instance_count; pool++)
		for (uint32_t q = 0; q < r->config.queue_count; q++)
			for (int res = 0; res < KAI_RES; res++)
				reported[res] |=
					names(runai_share_of(&r->config.queue[q], pool), (enum kai_res)res);
}

int runai_series_make(struct runai *r, struct sl_err *err)
{
	struct runai_series *series = sl_alloc(r->arena, 1, sizeof(*series));
	const size_t queues = r->config.queue_count, rows = queues * r->instance_count + 1;
	if (!series || rows * KAI_RES > UINT32_MAX)
		return sl_fail_memory(err);
	r->series = series;
	series->queues = (uint32_t)queues;
	series->cells = (uint32_t)(queues * r->instance_count * KAI_RES);
	series->cell = sl_alloc(r->arena, rows * KAI_RES, sizeof(*series->cell));
	series->quota = sl_alloc(r->arena, rows, sizeof(*series->quota));
	series->used = sl_alloc(r->arena, rows, sizeof(*series->used));
	series->lent = sl_alloc(r->arena, rows, sizeof(*series->lent));
	series->live = sl_alloc(r->arena, rows, sizeof(*series->live));
	series->active = sl_alloc(r->arena, rows, sizeof(*series->active));
	if (!series->cell || !series->quota || !series->used || !series->lent || !series->live ||
		!series->active)
		return sl_fail_memory(err);
	if (r->jobs->gpu_active) {
		series->job_active =
			sl_alloc(r->arena, (size_t)r->jobs->count + 1, sizeof(*series->job_active));
		if (!series->job_active)
			return sl_fail_memory(err);
	}
	series->most = POINTS_MAX;
	choose_resources(r, series->reported);
	return SL_OK;
}

void runai_series_release(struct runai *r)
{
	if (r->series)
		free(r->series->point);
}

/* ---- Jobs ---- */

static void add_active(struct runai *r, uint32_t row, int64_t amount)
{
	const struct runai_run *run = &r->run[row];
	const struct kai *kai = r->instance[run->instance].kai;
	for (uint32_t at = run->said.queue; at != KAI_NO; at = kai->queue[at].parent)
		r->series->active[(size_t)run->instance * r->series->queues + at] += amount;
}

/* GPUs that the job holds, as reported, times how active they are. */
static int64_t active_of(const struct runai *r, uint32_t row)
{
	const struct runai_run *run = &r->run[row];
	const struct kai *kai = r->instance[run->instance].kai;
	const struct kai_job *job = &kai->job[run->job];
	int64_t gpus = 0;
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai_active_allocated((uint32_t)kai->task[job->task + i].state))
			gpus += kai_charge(kai, job->task + i).at[KAI_GPUS];
	const int64_t reported = runai_reported(KAI_GPUS, gpus);
	return reported / MICRO * r->jobs->gpu_active[row] +
	       reported % MICRO * r->jobs->gpu_active[row] / MICRO;
}

void runai_series_stage(struct runai *r, uint32_t row, enum runai_stage to)
{
	const enum runai_stage from = r->run[row].stage;
	if (to != RUNAI_AWAY &&
		runai_reserve(r, (void **)&r->step, &r->step_capacity, sizeof(*r->step), r->step_count + 1))
		r->step[r->step_count++] = (struct runai_step){ r->now, row, (uint8_t)from, (uint8_t)to };
	if (!r->series->job_active || r->jobs->gpu_active[row] < 0)
		return;
	if (from == RUNAI_RUNS) {
		add_active(r, row, -r->series->job_active[row]);
		r->series->job_active[row] = 0;
	}
	if (to == RUNAI_RUNS) {
		r->series->job_active[row] = active_of(r, row);
		add_active(r, row, r->series->job_active[row]);
	}
}

/* ---- In a session ---- */

void runai_series_open(struct runai *r, uint32_t instance)
{
	const struct kai *kai = r->instance[instance].kai;
	for (uint32_t q = 0; q < r->series->queues; q++)
		r->series->live[(size_t)instance * r->series->queues + q] = kai->queue[q].allocated;
}

const struct kai_vec *runai_series_live(const struct runai *r, uint32_t instance)
{
	return &r->series->live[(size_t)instance * r->series->queues];
}

void runai_series_effect(struct runai *r, uint32_t instance, const struct kai_effect *effect)
{
	const struct kai *kai = r->instance[instance].kai;
	const struct kai_vec charge = kai_charge_on(kai, effect->task, effect->node);
	struct kai_vec *live = &r->series->live[(size_t)instance * r->series->queues];
	for (uint32_t at = kai->job[kai->task[effect->task].job].queue; at != KAI_NO;
		at = kai->queue[at].parent)
		for (int res = 0; res < KAI_RES; res++)
			live[at].at[res] += effect->kind == KAI_EVICT ? -charge.at[res] : charge.at[res];
}

/* ---- Noted ---- */

static int64_t runai_series_over(int64_t used, int64_t quota)
{
	return quota == KAI_UNLIMITED || used <= quota ? 0 : used - quota;
}

static void runai_series_settle(struct cell *cell, sl_time now)
{
	const int64_t *value = cell->value;
	const int64_t sum[RUNAI_SUMS] = { value[FAIR], value[USED],
		runai_series_over(value[USED], cell->quota), value[LENT], value[WAITING], value[ACTIVE] };
	for (int i = 0; cell->known && now > cell->since && i < RUNAI_SUMS; i++)
		cell->sum[i] += (unsigned __int128)(uint64_t)sum[i] * (uint64_t)(now - cell->since);
	cell->since = now;
}

static bool is_same_range(const struct runai_series *series, sl_time a, sl_time b)
{
	return series->range ? a / series->range == b / series->range : a == b;
}

/* Intervals are twice as long; of each cell the last point in each is kept. */
static void thin(struct runai_series *series)
{
	const sl_time length = series->point[series->count - 1].at - series->point[0].at;
	size_t kept = 0;
	series->range = series->range ? series->range * 2 : length / RANGES + 1;
	for (uint32_t i = 0; i < series->cells; i++)
		series->cell[i].last = UINT32_MAX;
	for (size_t i = 0; i < series->count; i++) {
		const struct point *point = &series->point[i];
		uint32_t *last = &series->cell[point->cell].last;
		if (*last == UINT32_MAX || !is_same_range(series, series->point[*last].at, point->at))
			*last = (uint32_t)kept++;
		series->point[*last] = *point;
	}
	series->count = kept;
	series->most = kept > POINTS_MAX / 2 ? kept * 2 : POINTS_MAX;
}

static void put_point(struct runai *r, uint32_t at)
{
	struct runai_series *series = r->series;
	struct cell *cell = &series->cell[at];
	if (series->count >= series->most)
		thin(series);
	if (!cell->known || !is_same_range(series, series->point[cell->last].at, r->now)) {
		if (!runai_reserve(r, (void **)&series->point, &series->capacity, sizeof(*series->point),
			    series->count + 1))
			return;
		cell->last = (uint32_t)series->count++;
	}
	struct point *point = &series->point[cell->last];
	point->at = r->now;
	point->cell = at;
	memcpy(point->value, cell->value, sizeof(point->value));
	cell->known = true;
}

static void note_cell(struct runai *r, uint32_t at, const int64_t value[VALUES])
{
	struct cell *cell = &r->series->cell[at];
	if (cell->known && memcmp(cell->value, value, sizeof(cell->value)) == 0)
		return;
	runai_series_settle(cell, r->now);
	memcpy(cell->value, value, sizeof(cell->value));
	put_point(r, at);
}

static void runai_series_record(struct runai *r, uint32_t instance, enum kai_res res)
{
	struct runai_series *series = r->series;
	const struct kai *kai = r->instance[instance].kai;
	const uint32_t first = (instance * KAI_RES + (uint32_t)res) * series->queues;
	const int64_t total = runai_reported(res, kai->total.at[res]);
	bool same = true;
	for (uint32_t q = 0; q < series->queues; q++) {
		struct cell *cell = &series->cell[first + q];
		series->quota[q] = cell->quota = runai_reported(res, kai->queue[q].quota.at[res]);
		series->used[q] = runai_reported(res, kai->queue[q].allocated.at[res]);
		same = same && cell->known && cell->value[USED] == series->used[q];
	}
	if (!same)
		runai_lend(kai, series->quota, series->used, series->lent);
	for (uint32_t q = 0; q < series->queues; q++) {
		const struct kai_queue *queue = &kai->queue[q];
		const int64_t fair = runai_reported(res, queue->fair.at[res]);
		const int64_t waiting = kai_sub(queue->request.at[res], queue->allocated.at[res]);
		const int64_t value[VALUES] = { fair == KAI_UNLIMITED ? total : fair, series->used[q],
			same ? series->cell[first + q].value[LENT] : series->lent[q],
			runai_reported(res, waiting > 0 ? waiting : 0),
			res == KAI_GPUS ? series->active[(size_t)instance * series->queues + q] : 0 };
		note_cell(r, first + q, value);
	}
}

void runai_series_note(struct runai *r)
{
	for (uint32_t instance = 0; instance < r->instance_count; instance++)
		for (int res = 0; res < KAI_RES; res++)
			if (r->series->reported[res])
				runai_series_record(r, instance, (enum kai_res)res);
}

void runai_series_sums(struct runai *r, sl_time until, uint32_t queue, unsigned __int128 sum[RUNAI_SUMS])
{
	memset(sum, 0, RUNAI_SUMS * sizeof(*sum));
	for (uint32_t instance = 0; instance < r->instance_count; instance++) {
		struct cell *cell =
			&r->series->cell[(instance * KAI_RES + KAI_GPUS) * r->series->queues + queue];
		runai_series_settle(cell, until > cell->since ? until : cell->since);
		for (int i = 0; i < RUNAI_SUMS; i++)
			sum[i] += cell->sum[i];
	}
}

/* ---- projects.csv ---- */

static int runai_series_by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell); /* A cell has one at a time. */
}

static void put_row(const struct runai *r, const struct point *point, struct sl_cell *cell)
{
	const struct runai_series *series = r->series;
	const uint32_t q = point->cell % series->queues, res = point->cell / series->queues % KAI_RES;
	const uint32_t pool = point->cell / series->queues / KAI_RES;
	const uint32_t parent = r->config.queue[q].parent;
	const int64_t quota = series->cell[point->cell].quota, used = point->value[USED];
	cell[0].micro = point->at;
	cell[1].text = r->config.queue[q].name;
	cell[2].text = runai_kind_of(r, q);
	cell[3].text = parent == KAI_NO ? "" : r->config.queue[parent].name;
	cell[4].text = r->config.pool[pool].name;
	cell[5].text = kai_res_name((enum kai_res)res);
	cell[6].micro = quota == KAI_UNLIMITED ? SL_NONE : quota;
	cell[7].micro = point->value[FAIR];
	cell[8].micro = used;
	cell[9].micro = used - runai_series_over(used, quota);
	cell[10].micro = runai_series_over(used, quota);
	cell[11].micro = point->value[LENT];
	cell[12].micro = point->value[WAITING];
	cell[13].micro = series->job_active && res == KAI_GPUS ? point->value[ACTIVE] : SL_NONE;
}

int runai_series_report(struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "project", "kind", "parent", "pool", "resource", "quota",
		"entitled", "allocated", "in_quota", "over_quota", "lent", "waiting", "active" };
	struct runai_series *series = r->series;
	if (!series->count)
		return SL_OK;
	struct sl_cell *cell = sl_alloc(r->arena, series->count * SL_LEN(column), sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	qsort(series->point, series->count, sizeof(*series->point), runai_series_by_time);
	for (size_t i = 0; i < series->count; i++)
		put_row(r, &series->point[i], &cell[i * SL_LEN(column)]);
	return sl_report_add_table(tally, "projects", column, SL_LEN(column), cell, series->count, err);
}
