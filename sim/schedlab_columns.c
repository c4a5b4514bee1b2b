/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedlab_columns.c - a run as named columns, for programs in other languages (scripts/schedlab.py).
 *
 * What the engine keeps as an array is lent; what is made of several is made when somebody asks, and kept.
 */
#include <stddef.h>
#include <string.h>

#include "sim/pass.h"
#include "sim/schedlab_parts.h"

struct source {
	const struct sl_jobs *jobs;
	const struct sl_result *result; /* NULL: it is not over. */
	const struct sl_pass *pass;     /* NULL: it is not in steps. */
};

/* One row of a table, as a number. */
typedef int64_t (*maker)(const struct sl_result *result, size_t row);

struct column_def {
	const char *table, *name;
	/* Lends what is there; false: it is not. NULL: it is made by `make`, row by row. */
	bool (*lend)(const struct source *from, struct sl_column *column);
	maker make;
};

static bool lend_array(
	struct sl_column *column, const void *data, size_t count, size_t stride, enum sl_column_type type)
{
	*column = (struct sl_column){ data, count, stride, type };
	return data != NULL;
}

/* ---- By job -------------------------------------------------------------------------------- */

#define LEND_JOBS(name, member, element, type)                                                           \
	static bool lend_##name(const struct source *from, struct sl_column *column)                     \
	{                                                                                                \
		return lend_array(column, from->jobs->member, from->jobs->count, sizeof(element), type); \
	}
LEND_JOBS(id, id, int64_t, SL_COLUMN_I64)
LEND_JOBS(submit, submit, sl_time, SL_COLUMN_I64)
LEND_JOBS(run_traced, run, sl_time, SL_COLUMN_I64)
LEND_JOBS(time_limit, limit, sl_time, SL_COLUMN_I64)
LEND_JOBS(size, size, int32_t, SL_COLUMN_I32)
LEND_JOBS(user, user, int32_t, SL_COLUMN_I32)
LEND_JOBS(account, account, int32_t, SL_COLUMN_I32)
LEND_JOBS(partition, partition, int32_t, SL_COLUMN_I32)
#undef LEND_JOBS

static bool lend_start(const struct source *from, struct sl_column *column)
{
	const sl_time *data = from->result ? from->result->start : from->pass ? from->pass->start : NULL;
	return lend_array(column, data, from->jobs->count, sizeof(sl_time), SL_COLUMN_I64);
}

static bool lend_end(const struct source *from, struct sl_column *column)
{
	const sl_time *data = from->result ? from->result->end : from->pass ? from->pass->end : NULL;
	return lend_array(column, data, from->jobs->count, sizeof(sl_time), SL_COLUMN_I64);
}

static bool lend_state(const struct source *from, struct sl_column *column)
{
	const uint8_t *data = from->result ? from->result->state : from->pass ? from->pass->job_state : NULL;
	return lend_array(column, data, from->jobs->count, sizeof(uint8_t), SL_COLUMN_U8);
}

static int64_t make_eligible(const struct sl_result *result, size_t row)
{
	return result->eligible ? result->eligible[row] : result->jobs->submit[row];
}

static int64_t make_wait(const struct sl_result *result, size_t row)
{
	return result->start[row] == SL_NONE ? SL_NONE : result->start[row] - result->jobs->submit[row];
}

static int64_t make_wait_total(const struct sl_result *result, size_t row)
{
	return sl_wait_total_of(result, (uint32_t)row);
}

static int64_t make_run_time(const struct sl_result *result, size_t row)
{
	return result->start[row] == SL_NONE ? SL_NONE : sl_run_time_of(result, (uint32_t)row);
}

static int64_t make_suspended(const struct sl_result *result, size_t row)
{
	return sl_suspended_of(result, (uint32_t)row);
}

static int64_t make_attempts(const struct sl_result *result, size_t row)
{
	const struct sl_attempt *attempt;
	const size_t several = sl_attempts_of(result, (uint32_t)row, &attempt);
	return several ? (int64_t)several : result->start[row] != SL_NONE;
}

static int64_t make_cpus(const struct sl_result *result, size_t row)
{
	return sl_cpus_of(result, (uint32_t)row);
}

static int64_t make_gpus(const struct sl_result *result, size_t row)
{
	return sl_gpus_of(result, (uint32_t)row);
}

static int64_t make_nodes(const struct sl_result *result, size_t row)
{
	return result->nodes_held ? result->nodes_held[row] : result->jobs->size[row];
}

/* ---- Names --------------------------------------------------------------------------------- */

static bool lend_ids(const struct source *from, struct sl_column *column)
{
	return lend_array(
		column, from->jobs->id_name, from->jobs->count, sizeof(const char *), SL_COLUMN_TEXT);
}

static bool lend_users(const struct source *from, struct sl_column *column)
{
	return lend_array(
		column, from->jobs->user_name, from->jobs->user_count, sizeof(const char *), SL_COLUMN_TEXT);
}

static bool lend_accounts(const struct source *from, struct sl_column *column)
{
	return lend_array(column, from->jobs->account_name, from->jobs->account_count, sizeof(const char *),
		SL_COLUMN_TEXT);
}

static bool lend_partitions(const struct source *from, struct sl_column *column)
{
	return lend_array(column, from->jobs->partition_name, from->jobs->partition_count,
		sizeof(const char *), SL_COLUMN_TEXT);
}

/* ---- What was recorded ----------------------------------------------------------------------- */

#define LEND_RECORD(table, array, number, member, type)                                                      \
	static bool lend_##table##_##member(const struct source *from, struct sl_column *column)             \
	{                                                                                                    \
		const struct sl_result *result = from->result;                                               \
		const void *first = result && result->array ? &result->array[0].member : NULL;               \
		return lend_array(column, first, result ? result->number : 0, sizeof(*result->array), type); \
	}
LEND_RECORD(usage, usage, usage_count, at, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, cpus_busy, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, cpus_queued, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, gpus_busy, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, gpus_queued, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, mem_busy, SL_COLUMN_I64)
LEND_RECORD(usage, usage, usage_count, running, SL_COLUMN_U32)
LEND_RECORD(usage, usage, usage_count, queued, SL_COLUMN_U32)
LEND_RECORD(usage, usage, usage_count, nodes_busy, SL_COLUMN_U32)
LEND_RECORD(usage, usage, usage_count, suspended, SL_COLUMN_U32)
LEND_RECORD(reasons, reasons, reason_count, at, SL_COLUMN_I64)
LEND_RECORD(reasons, reasons, reason_count, job, SL_COLUMN_U32)
LEND_RECORD(attempts, attempts, attempt_count, job, SL_COLUMN_U32)
LEND_RECORD(attempts, attempts, attempt_count, state, SL_COLUMN_U32)
LEND_RECORD(attempts, attempts, attempt_count, start, SL_COLUMN_I64)
LEND_RECORD(attempts, attempts, attempt_count, end, SL_COLUMN_I64)
LEND_RECORD(attempts, attempts, attempt_count, suspended, SL_COLUMN_I64)
LEND_RECORD(attempts, attempts, attempt_count, lost, SL_COLUMN_I64)
LEND_RECORD(attempts, attempts, attempt_count, overhead, SL_COLUMN_I64)
#undef LEND_RECORD

static int64_t make_reason(const struct sl_result *result, size_t row) { return result->reasons[row].reason; }

static int64_t make_detail(const struct sl_result *result, size_t row) { return result->reasons[row].detail; }

/* ---- All of them --------------------------------------------------------------------------------- */

static const struct column_def columns[] = {
	{ "jobs", "id", lend_id, NULL },
	{ "jobs", "submit", lend_submit, NULL },
	{ "jobs", "eligible", NULL, make_eligible },
	{ "jobs", "start", lend_start, NULL },
	{ "jobs", "end", lend_end, NULL },
	{ "jobs", "state", lend_state, NULL },
	{ "jobs", "wait", NULL, make_wait },
	{ "jobs", "wait_total", NULL, make_wait_total },
	{ "jobs", "run_time", NULL, make_run_time },
	{ "jobs", "suspended", NULL, make_suspended },
	{ "jobs", "attempts", NULL, make_attempts },
	{ "jobs", "run_traced", lend_run_traced, NULL },
	{ "jobs", "time_limit", lend_time_limit, NULL },
	{ "jobs", "size", lend_size, NULL },
	{ "jobs", "nodes", NULL, make_nodes },
	{ "jobs", "cpus", NULL, make_cpus },
	{ "jobs", "gpus", NULL, make_gpus },
	{ "jobs", "user", lend_user, NULL },
	{ "jobs", "account", lend_account, NULL },
	{ "jobs", "partition", lend_partition, NULL },
	{ "ids", "name", lend_ids, NULL },
	{ "users", "name", lend_users, NULL },
	{ "accounts", "name", lend_accounts, NULL },
	{ "partitions", "name", lend_partitions, NULL },
	{ "usage", "time", lend_usage_at, NULL },
	{ "usage", "cpus_busy", lend_usage_cpus_busy, NULL },
	{ "usage", "cpus_queued", lend_usage_cpus_queued, NULL },
	{ "usage", "gpus_busy", lend_usage_gpus_busy, NULL },
	{ "usage", "gpus_queued", lend_usage_gpus_queued, NULL },
	{ "usage", "mem_busy", lend_usage_mem_busy, NULL },
	{ "usage", "nodes_busy", lend_usage_nodes_busy, NULL },
	{ "usage", "running", lend_usage_running, NULL },
	{ "usage", "queued", lend_usage_queued, NULL },
	{ "usage", "suspended", lend_usage_suspended, NULL },
	{ "reasons", "time", lend_reasons_at, NULL },
	{ "reasons", "job", lend_reasons_job, NULL },
	{ "reasons", "reason", NULL, make_reason },
	{ "reasons", "detail", NULL, make_detail },
	{ "attempts", "job", lend_attempts_job, NULL },
	{ "attempts", "state", lend_attempts_state, NULL },
	{ "attempts", "start", lend_attempts_start, NULL },
	{ "attempts", "end", lend_attempts_end, NULL },
	{ "attempts", "suspended", lend_attempts_suspended, NULL },
	{ "attempts", "lost", lend_attempts_lost, NULL },
	{ "attempts", "overhead", lend_attempts_overhead, NULL },
};

static bool make_column(
	struct sl_run *run, size_t index, const struct sl_result *result, struct sl_column *column)
{
	const struct column_def *def = &columns[index];
	const size_t count = strcmp(def->table, "reasons") == 0 ? result->reason_count : result->jobs->count;
	if (!run->made)
		run->made = sl_alloc(run->arena, SL_LEN(columns), sizeof(*run->made));
	if (!run->made)
		return false;
	if (!run->made[index]) {
		int64_t *made = sl_alloc(run->arena, count + 1, sizeof(*made));
		for (size_t row = 0; made && row < count; row++)
			made[row] = def->make(result, row);
		run->made[index] = made;
	}
	return lend_array(column, run->made[index], count, sizeof(int64_t), SL_COLUMN_I64);
}

bool sl_run_column(struct sl_run *run, const char *table, const char *column, struct sl_column *found)
{
	const struct source from = { &run->run->scenario->jobs, sl_run_result(run), sl_run_state(run) };
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const struct column_def *def = &columns[i];
		if (strcmp(def->table, table) != 0 || strcmp(def->name, column) != 0)
			continue;
		if (def->lend)
			return def->lend(&from, found);
		return from.result && make_column(run, i, from.result, found);
	}
	return false;
}

const char *sl_run_column_at(const char *table, size_t i)
{
	for (size_t k = 0; k < SL_LEN(columns); k++)
		if (strcmp(columns[k].table, table) == 0 && i-- == 0)
			return columns[k].name;
	return NULL;
}
