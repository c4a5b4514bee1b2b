/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_job.c - what a job says of itself beyond size and time, from its cells and into them.
 */
#include <string.h>

#include "traces/table/job_table.h"

static const struct sl_job_attributes nothing = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };

/* A whole number; negative ones only where they have a meaning. */
static int table_job_number_in(struct table *t, enum table_column column, int64_t least, int64_t *value)
{
	const char *cell = table_cell(t, column);
	*value = SL_NONE;
	if (!cell)
		return SL_OK;
	if (!sl_get_i64(cell, strlen(cell), value) || *value > INT32_MAX || *value < INT32_MIN)
		return table_fail_cell(t, column, "a whole number");
	if (*value < least)
		*value = SL_NONE;
	return SL_OK;
}

static int numbers_in(struct table *t, struct sl_job_attributes *job)
{
	const struct {
		enum table_column column;
		int64_t least;
		int64_t *value;
	} cells[] = {
		{ TABLE_NICE, INT32_MIN, &job->nice },
		{ TABLE_ARRAY, 0, &job->array },
		{ TABLE_ARRAY_TASK, 0, &job->array_task },
		{ TABLE_ARRAY_LIMIT, 1, &job->array_limit },
		{ TABLE_PRIORITY, INT32_MIN, &job->priority },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(cells) && !status; i++)
		status = table_job_number_in(t, cells[i].column, cells[i].least, cells[i].value);
	return status;
}

static int table_job_times_in(struct table *t, struct sl_job_attributes *job, struct sl_row_attributes *more)
{
	int status = table_point_in(t, TABLE_BEGIN, &job->begin);
	if (!status)
		status = table_point_in(t, TABLE_DEADLINE, &job->deadline);
	if (!status)
		status = table_point_in(t, TABLE_CANCEL, &more->cancel);
	return status ? status : table_duration_in(t, TABLE_TIME_MIN, &job->time_min);
}

static int flags_in(struct table *t, struct sl_job_attributes *job)
{
	bool requeue;
	bool known;
	int status = table_bool_in(t, TABLE_HOLD, &job->held, &known);
	if (!status)
		status = table_bool_in(t, TABLE_CENSORED, &job->censored, &known);
	if (!status)
		status = table_bool_in(t, TABLE_REQUEUE, &requeue, &known);
	if (!status && known)
		job->requeue = (int8_t)requeue;
	return status;
}

int table_more_in(struct table *t, struct sl_row_attributes *more)
{
	struct sl_job_attributes *job = &t->job;
	*job = nothing;
	job->name = table_cell(t, TABLE_NAME);
	job->qos = table_cell(t, TABLE_QOS);
	job->queue = table_cell(t, TABLE_QUEUE);
	job->namespace = table_cell(t, TABLE_NAMESPACE);
	job->dependency = table_cell(t, TABLE_DEPENDENCY);
	more->job = job;
	int status = numbers_in(t, job);
	if (!status)
		status = table_job_times_in(t, job, more);
	return status ? status : flags_in(t, job);
}

static struct table_value table_job_number(int64_t value)
{
	return (struct table_value){ NULL, value, false };
}
static struct table_value table_job_time_of(int64_t value)
{
	return (struct table_value){ NULL, value, true };
}
static struct table_value table_job_text_of(const char *text)
{
	return (struct table_value){ text, SL_NONE, false };
}

struct table_value table_more_of(const struct sl_row_attributes *more, enum table_column column)
{
	const struct sl_job_attributes *job = more->job;
	switch ((unsigned)column) {
	case TABLE_NAME:
		return table_job_text_of(job->name);
	case TABLE_QOS:
		return table_job_text_of(job->qos);
	case TABLE_QUEUE:
		return table_job_text_of(job->queue);
	case TABLE_NAMESPACE:
		return table_job_text_of(job->namespace);
	case TABLE_PRIORITY:
		return table_job_number(job->priority);
	case TABLE_DEPENDENCY:
		return table_job_text_of(job->dependency);
	case TABLE_NICE:
		return table_job_number(job->nice);
	case TABLE_ARRAY:
		return table_job_number(job->array);
	case TABLE_ARRAY_TASK:
		return table_job_number(job->array_task);
	case TABLE_ARRAY_LIMIT:
		return table_job_number(job->array_limit);
	case TABLE_BEGIN:
		return table_job_time_of(job->begin);
	case TABLE_DEADLINE:
		return table_job_time_of(job->deadline);
	case TABLE_TIME_MIN:
		return table_job_time_of(job->time_min);
	case TABLE_CANCEL:
		return table_job_time_of(more->cancel ? more->cancel : SL_NONE);
	case TABLE_HOLD:
		return table_job_number(job->held ? 1 : SL_NONE);
	case TABLE_CENSORED:
		return table_job_number(job->censored ? 1 : SL_NONE);
	case TABLE_REQUEUE:
		return table_job_number(job->requeue < 0 ? SL_NONE : job->requeue);
	default:
		return table_job_number(SL_NONE);
	}
}
