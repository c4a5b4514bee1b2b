/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_job_make.c - each job's description before it is submitted (job_desc_msg), as sbatch sends it and
 * slurmctld fills it in: partitions, request, time limit in whole minutes, association, array.
 *
 * A job of several components (heterogeneous) is as many jobs: the first in its row of the trace, the others
 * behind all rows.
 */
#include "policies/slurm/control/ctl.h"
#include "policies/slurm/select/asks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COMPONENTS_MAX = 128 }; /* MAX_HET_JOB_COMPS */

/* ---- Its association ------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a;
	const int32_t y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

static uint32_t ctl_job_make_place_of(const int32_t *number, uint32_t count, int32_t wanted)
{
	uint32_t low = 0;
	while (low < count) {
		const uint32_t middle = low + (count - low) / 2;
		if (number[middle] < wanted)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Users that a trace calls by numbers are called by these; a job without any has no known user. */
static int name_numbers(struct ctl *c, const int32_t *number, uint32_t count, struct sl_err *err)
{
	for (uint32_t i = 0; i < count; i++) {
		char text[32];
		const int len = snprintf(text, sizeof(text), "%d", (int)number[i]);
		c->user_name[i] = number[i] < 0 ? "unknown" : sl_strdup(c->arena, text, (size_t)len);
		if (!c->user_name[i])
			return sl_fail_memory(err);
	}
	c->user_count = count;
	return SL_OK;
}

static int users_by_number(struct ctl *c, struct sl_err *err)
{
	const struct sl_jobs *jobs = c->jobs;
	int32_t *number = malloc(((size_t)jobs->count + 1) * sizeof(*number));
	if (!number)
		return sl_fail_memory(err);
	if (jobs->count)
		memcpy(number, jobs->user, jobs->count * sizeof(*number));
	qsort(number, jobs->count, sizeof(*number), compare_numbers); /* Equal ones are the same. */
	uint32_t count = 0;
	for (uint32_t i = 0; i < jobs->count; i++)
		if (!i || number[i] != number[count - 1])
			number[count++] = number[i];
	c->user_name = sl_alloc(c->arena, (size_t)count + 1, sizeof(*c->user_name));
	int status = c->user_name ? name_numbers(c, number, count, err) : sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs->count && !status; row++)
		c->job[row].user = ctl_job_make_place_of(number, count, jobs->user[row]);
	free(number);
	return status;
}

static int users_by_name(struct ctl *c, struct sl_err *err)
{
	const struct sl_jobs *jobs = c->jobs;
	c->user_name = sl_alloc(c->arena, (size_t)jobs->user_count + 1, sizeof(*c->user_name));
	if (!c->user_name)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < jobs->user_count; i++)
		c->user_name[i] = jobs->user_name[i];
	c->user_name[jobs->user_count] = "unknown";
	c->user_count = jobs->user_count + 1;
	for (uint32_t row = 0; row < jobs->count; row++)
		c->job[row].user = jobs->user[row] < 0 ? jobs->user_count : (uint32_t)jobs->user[row];
	return SL_OK;
}

static void account_of(struct ctl *c, struct ctl_job *job)
{
	const struct sl_jobs *jobs = c->jobs;
	const int32_t account = jobs->account ? jobs->account[job->of] : -1;
	job->user_name = c->user_name[job->user];
	if (jobs->account_name && account >= 0)
		job->account = jobs->account_name[account];
	if (job->het_offset && job->desc.desc->account)
		job->account = job->desc.desc->account;
	job->assoc = ctl_assoc_of(
		c, job->user_name, job->account, job->part_count ? c->part[job->parts[0]].name : NULL);
	job->qos = CTL_NO_ROW;
	if (job->more->qos)
		job->qos = ctl_qos_named(c, job->more->qos, strlen(job->more->qos));
	else if (job->assoc != CTL_NO_ROW)
		job->qos = c->assoc[job->assoc].default_qos;
}

/* ---- Where ------------------------------------------------------------------------------------------ */

/* In the order of their tiers, the highest first; equal ones as written (slurmctld sorts a job's partitions);
 * each once, however often it was named. */
static void put_part(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	for (uint32_t i = 0; i < job->part_count; i++)
		if (job->parts[i] == part)
			return;
	uint32_t at = job->part_count++;
	for (; at > 0 && c->part[job->parts[at - 1]].tier < c->part[part].tier; at--)
		job->parts[at] = job->parts[at - 1];
	job->parts[at] = part;
}

/* "a,b", one after another; part_count stays 0 where one of them is not known. */
static int parts_named(struct ctl *c, struct ctl_job *job, const char *list, struct sl_err *err)
{
	uint32_t count = 1;
	for (const char *at = list; *at; at++)
		count += *at == ',';
	job->parts = sl_alloc(c->arena, count, sizeof(*job->parts));
	if (!job->parts)
		return sl_fail_memory(err);
	for (const char *at = list; *at;) {
		const size_t len = strcspn(at, ",");
		const uint32_t part = len ? ctl_part_named(c, at, len) : CTL_NO_ROW;
		if (len && part == CTL_NO_ROW) {
			job->part_count = 0;
			return SL_OK;
		}
		if (len)
			put_part(c, job, part);
		at += len + (at[len] == ',');
	}
	return SL_OK;
}

bool ctl_parts_set(struct ctl *c, struct ctl_job *job, const char *list)
{
	uint32_t *const parts = job->parts;
	const uint32_t count = job->part_count;
	job->part_count = 0;
	const int status = parts_named(c, job, list, &c->engine.err);
	if (status)
		controller_failed(&c->engine, status);
	if (!job->part_count) {
		job->parts = parts;
		job->part_count = count;
		return false;
	}
	job->part = job->parts[0];
	return true;
}

static int ctl_job_make_parts_of(struct ctl *c, struct ctl_job *job, struct sl_err *err)
{
	const struct sl_jobs *jobs = c->jobs;
	const int32_t named = jobs->partition_name ? jobs->partition[job->of] : -1;
	const char *list = job->desc.desc->partition;
	/* --partition is of one component alone, a group has that of its job. */
	const bool own = job->het_offset && jobs->requests[jobs->request[job->of]].desc;
	if (!list && named >= 0 && !own)
		list = jobs->partition_name[named];
	if (!c->cluster->partition_count) /* All of it is one, whatever the log calls its queues. */
		list = NULL;
	int status = SL_OK;
	if (list && *list) {
		status = parts_named(c, job, list, err);
	} else if (c->part_default < c->part_count) {
		job->parts = sl_alloc(c->arena, 1, sizeof(*job->parts));
		if (!job->parts)
			return sl_fail_memory(err);
		job->parts[job->part_count++] = c->part_default;
	}
	job->part = job->part_count ? job->parts[0] : 0;
	return status;
}

/* ---- What ------------------------------------------------------------------------------------------- */

void ctl_job_asks(struct ctl *c, struct ctl_job *job)
{
	struct select_wants wants;
	job->desc.partition = job->part;
	select_wants(c->select, &job->desc, &wants);
	job->nodes_min = wants.nodes_min;
	job->nodes_max = wants.nodes_max ? wants.nodes_max : CTL_NEVER;
	job->cpus_min = wants.cpus;
	job->tasks = wants.tasks ? wants.tasks : 1;
	job->known_part = CTL_NO_ROW;
	memset(job->tres_asked, 0, sizeof(job->tres_asked));
	job->tres_asked[CTL_TRES_CPU] = wants.cpus;
	job->tres_asked[CTL_TRES_MEM] = wants.mem;
	job->tres_asked[CTL_TRES_NODE] = wants.nodes_min;
	for (uint32_t i = CTL_TRES_FIRST; i < c->tres_count; i++)
		if (c->tres[i].gres != CTL_NO_ROW)
			job->tres_asked[i] =
				select_wants_gres(c->select, &job->desc, c->tres[i].gres, c->tres[i].type);
	ctl_license_tres(c, job, job->tres_asked);
	if (job->part < c->part_count)
		job->tres_asked[CTL_TRES_BILLING] = ctl_billing(c, job->part, job->tres_asked);
}

void ctl_tres_of(const struct ctl *c, const struct ctl_job *job, uint32_t part,
	const struct select_alloc *alloc, int64_t *tres)
{
	memset(tres, 0, CTL_TRES_MAX * sizeof(*tres));
	tres[CTL_TRES_CPU] = alloc->cpus;
	tres[CTL_TRES_NODE] = alloc->node_count;
	for (uint32_t i = 0; i < alloc->node_count; i++)
		tres[CTL_TRES_MEM] += alloc->node_alloc[i].mem;
	for (uint32_t i = CTL_TRES_FIRST; i < c->tres_count; i++)
		if (c->tres[i].gres != CTL_NO_ROW)
			tres[i] = select_holds_gres(c->select, alloc, c->tres[i].gres, c->tres[i].type);
	ctl_license_tres(c, job, tres);
	tres[CTL_TRES_BILLING] = ctl_billing(c, part, tres);
}

/* Whole minutes, rounded up, as slurmctld keeps limits. */
static int64_t minutes_of(sl_time limit)
{
	if (limit == SL_NEVER)
		return CTL_NEVER;
	const sl_time minute = 60 * SL_SECOND;
	return limit > 0 ? limit / minute + (limit % minute != 0) : 1;
}

static ctl_time time_or_none(const struct ctl *c, sl_time at)
{
	return at == SL_NONE ? CTL_NONE : at == SL_NEVER ? CTL_NEVER : ctl_time_of(c, at);
}

static int ctl_job_make_fill(struct ctl *c, struct ctl_job *job, struct sl_err *err)
{
	const struct sl_job_attributes *more = job->more;
	const int status = ctl_job_make_parts_of(c, job, err);
	if (status)
		return status;
	SL_CHECK(more);
	account_of(c, job);
	const sl_time own = job->het_offset ? job->desc.desc->limit : SL_NONE;
	job->time_limit = job->limit_set = minutes_of(own == SL_NONE ? c->jobs->limit[job->of] : own);
	job->time_min = more->time_min == SL_NONE ? CTL_NONE : minutes_of(more->time_min);
	job->submit = ctl_time_of(c, c->jobs->submit[job->of]);
	job->begin = time_or_none(c, more->begin);
	job->deadline = time_or_none(c, more->deadline);
	job->nice = more->nice == SL_NONE ? 0 : more->nice;
	job->requeue_ok = more->requeue < 0 ? c->params.requeue : more->requeue != 0;
	job->run_left = c->jobs->run[job->of] / SL_SECOND;
	job->eligible = job->accrue = job->start = job->end = job->planned = job->planned_reported = CTL_NONE;
	job->end_limit = job->suspended_at = job->preempted_at = CTL_NONE;
	job->tested = CTL_NONE;
	job->preempted_for = job->started_for = CTL_NO_ROW;
	job->kill_at = CTL_NEVER;
	job->resv = CTL_NO_ROW;
	job->next = job->before = CTL_NO_ROW;
	job->reason = SL_REASON_NONE;
	return SL_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------------------ */

struct task {
	int64_t array, index;
	uint32_t row;
};

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a;
	const struct task *y = b;
	if (x->array != y->array)
		return x->array < y->array ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Of tasks [from, until), all of one array. The order is that of its earliest row. */
static int array_make(struct ctl *c, const struct task *task, size_t from, size_t until, struct sl_err *err)
{
	struct ctl_array *array = &c->array[c->array_count];
	array->count = (uint32_t)(until - from);
	array->job = sl_alloc(c->arena, array->count, sizeof(*array->job));
	if (!array->job)
		return sl_fail_memory(err);
	array->order = UINT32_MAX;
	for (uint32_t i = 0; i < array->count; i++) {
		struct ctl_job *job = &c->job[task[from + i].row];
		array->job[i] = job->row;
		array->order = job->order < array->order ? job->order : array->order;
		if (job->more->array_limit > array->limit)
			array->limit = job->more->array_limit;
		job->array = c->array_count;
		job->array_task = task[from + i].index;
	}
	for (uint32_t i = 0; i < array->count; i++)
		c->job[array->job[i]].order = array->order;
	c->array_count++;
	return SL_OK;
}

static int arrays_of(struct ctl *c, const struct task *task, size_t count, struct sl_err *err)
{
	size_t arrays = 0;
	for (size_t i = 0; i < count; i++)
		arrays += !i || task[i].array != task[i - 1].array;
	c->array = sl_alloc(c->arena, arrays + 1, sizeof(*c->array));
	if (!c->array)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (size_t from = 0, until; from < count && !status; from = until) {
		until = from + 1;
		while (until < count && task[until].array == task[from].array)
			until++;
		status = array_make(c, task, from, until, err);
	}
	return status;
}

static int make_arrays(struct ctl *c, struct sl_err *err)
{
	struct task *task = malloc(((size_t)c->jobs->count + 1) * sizeof(*task));
	if (!task)
		return sl_fail_memory(err);
	size_t count = 0;
	for (uint32_t row = 0; row < c->jobs->count; row++) {
		const struct sl_job_attributes *more = c->job[row].more;
		if (more->array != SL_NONE)
			task[count++] = (struct task){ more->array, more->array_task, row };
	}
	qsort(task, count, sizeof(*task), compare_tasks);
	const int status = arrays_of(c, task, count, err);
	free(task);
	return status;
}

/* ---- Lists of sizes ------------------------------------------------------------------------------------ */

/* "1,4,8", "2-8:2": which of them the list has, by size. */
static void sizes_in(const char *list, uint8_t *has, int64_t most)
{
	for (const char *at = list; *at;) {
		const size_t len = strcspn(at, ",");
		size_t digits = strspn(at, "0123456789");
		const char *p = at + digits;
		int64_t from = 0, until, step = 1;
		(void)sl_get_i64(at, digits, &from);
		until = from;
		if (*p == '-') {
			digits = strspn(++p, "0123456789");
			(void)sl_get_i64(p, digits, &until);
			p += digits;
		}
		if (*p == ':')
			(void)sl_get_i64(p + 1, strspn(p + 1, "0123456789"), &step);
		for (int64_t size = from; size > 0 && step > 0 && size <= until && size <= most; size += step)
			has[size] = 1;
		at += len + (at[len] == ',');
	}
}

bool ctl_job_sizes(struct ctl *c, struct ctl_job *job)
{
	const struct sl_job_desc *desc = job->desc.desc;
	const int64_t most = c->cluster->node_count;
	job->sized = NULL;
	job->sized_count = 0;
	if (!desc->node_sizes)
		return true;
	uint8_t *has = sl_alloc(c->arena, (size_t)most + 1, 1);
	const struct sl_job_desc **sized =
		sl_alloc(c->arena, (size_t)most + 1, sizeof(const struct sl_job_desc *));
	if (!has || !sized)
		return false;
	sizes_in(desc->node_sizes, has, most);
	for (int64_t size = most; size > 0; size--) {
		struct sl_job_desc *one = has[size] ? sl_alloc(c->arena, 1, sizeof(*one)) : NULL;
		if (!has[size])
			continue;
		if (!one)
			return false;
		*one = *desc;
		one->nodes_min = one->nodes_max = size;
		one->node_sizes = NULL;
		sized[job->sized_count++] = one;
	}
	job->sized = job->sized_count ? sized : NULL;
	return true;
}

static int make_sized(struct ctl *c, struct sl_err *err)
{
	const struct ctl_job *last = NULL;
	for (uint32_t row = 0; row < c->job_count; row++) {
		struct ctl_job *job = &c->job[row];
		if (!job->desc.desc->node_sizes)
			continue;
		if (last && last->desc.desc == job->desc.desc) {
			job->sized = last->sized;
			job->sized_count = last->sized_count;
		} else if (!ctl_job_sizes(c, job)) {
			return sl_fail_memory(err);
		}
		last = job;
	}
	return SL_OK;
}

/* ---- What it prefers ----------------------------------------------------------------------------------- */

bool ctl_job_prefer(struct ctl *c, struct ctl_job *job, const char *features)
{
	struct sl_job_desc *desc;
	job->constrained = job->desc.desc;
	job->preferred = NULL;
	if (!features)
		return true;
	desc = sl_alloc(c->arena, 1, sizeof(*desc));
	if (!desc) {
		controller_no_memory(&c->engine);
		return false;
	}
	*desc = *job->desc.desc;
	desc->constraint = features;
	job->desc.desc = job->preferred = desc;
	return true;
}

/* Jobs of one request share both descriptions. */
static int make_preferred(struct ctl *c, struct sl_err *err)
{
	uint32_t last = CTL_NO_ROW;
	for (uint32_t row = 0; row < c->job_count; row++) {
		struct ctl_job *job = &c->job[row];
		const char *features = job->desc.desc->prefer;
		const bool same = last != CTL_NO_ROW && c->job[last].constrained == job->desc.desc;
		if (!features)
			continue;
		if (same) {
			job->constrained = c->job[last].constrained;
			job->desc.desc = job->preferred = c->job[last].preferred;
		} else if (!ctl_job_prefer(c, job, features)) {
			return sl_fail_memory(err);
		}
		last = row;
	}
	return SL_OK;
}

/* ---- All --------------------------------------------------------------------------------------------- */

static const struct sl_job_attributes *nothing_more(struct ctl *c)
{
	struct sl_job_attributes *more = sl_alloc(c->arena, 1, sizeof(*more));
	if (more)
		*more = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE };
	return more;
}

static uint32_t components_of(const struct sl_jobs *jobs, uint32_t row)
{
	const uint32_t groups = jobs->requests[jobs->request[row]].group_count;
	return groups > 1 ? groups : 1;
}

uint32_t ctl_job_count(const struct sl_jobs *jobs)
{
	uint32_t count = jobs->count;
	for (uint32_t row = 0; row < jobs->count; row++)
		count += components_of(jobs, row) - 1;
	return count;
}

/* The description of one component of a row, whose numbers count in the order of submission. */
static void begin_job(struct ctl *c, struct ctl_job *job, uint32_t row, const struct sl_job_desc *desc)
{
	const struct sl_jobs *jobs = c->jobs;
	job->row = (uint32_t)(job - c->job);
	job->of = row;
	job->array = CTL_NO_ROW;
	job->desc = (struct select_job){ .desc = desc, .user = jobs->user[row] };
}

int ctl_job_make(struct ctl *c, struct sl_err *err)
{
	const struct sl_jobs *jobs = c->jobs;
	const struct sl_job_desc *const *desc;
	const struct sl_job_attributes *nothing = nothing_more(c);
	int status = slurm_asks_make(c->cluster, jobs, c->arena, COMPONENTS_MAX, &desc, err);
	c->job = sl_alloc(c->arena, (size_t)c->job_count + 1, sizeof(*c->job));
	if (!status && (!nothing || !c->job))
		status = sl_fail_memory(err);
	if (status)
		return status;
	uint32_t order = 0;
	uint32_t further = jobs->count;
	for (uint32_t row = 0; row < jobs->count; row++) {
		for (uint32_t k = 0; k < components_of(jobs, row); k++) {
			struct ctl_job *job = &c->job[k ? further++ : row];
			SL_CHECK(job);
			begin_job(c, job, row, &desc[jobs->request[row]][k]);
			job->order = order++;
			job->het_offset = k;
			job->more = jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]]
									: nothing;
		}
	}
	status = jobs->user_name ? users_by_name(c, err) : users_by_number(c, err);
	for (uint32_t row = jobs->count; row < c->job_count; row++)
		c->job[row].user = c->job[c->job[row].of].user;
	if (!status)
		status = ctl_het_make(c, err);
	for (uint32_t row = 0; row < c->job_count && !status; row++)
		status = ctl_job_make_fill(c, &c->job[row], err);
	if (!status)
		status = make_sized(c, err);
	if (!status)
		status = make_preferred(c, err);
	return status ? status : make_arrays(c, err);
}
