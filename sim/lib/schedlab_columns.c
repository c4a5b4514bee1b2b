/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedlab_columns.c - a run as named columns, for programs in other languages (python/schedlab.py).
 *
 * What the engine keeps as an array is lent; what is computed from several is made on the first request, and
 * kept.
 */
#include <stddef.h>
#include <string.h>

#include "sim/lib/schedlab_parts.h"
#include "sim/run/pass.h"

struct source {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	const struct sl_result *result; /* NULL: it is not over. */
	const struct sim *sim;          /* NULL: it is not in steps. */
};

/* One row of a table, as a number. */
typedef int64_t (*maker)(const struct sl_result *result, size_t row);
/* Likewise, of the cluster's present state: made again at each request. */
typedef int64_t (*teller)(const struct source *from, size_t row);

struct column_def {
	const char *table, *name;
	/* Lends what is there; false: it is not. NULL: it is made by `make`, row by row. */
	bool (*lend)(const struct source *from, struct sl_column *column);
	maker make;
	teller report;
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
	const sl_time *data = from->result ? from->result->start : from->sim ? from->sim->start : NULL;
	return lend_array(column, data, from->jobs->count, sizeof(sl_time), SL_COLUMN_I64);
}

static bool lend_end(const struct source *from, struct sl_column *column)
{
	const sl_time *data = from->result ? from->result->end : from->sim ? from->sim->end : NULL;
	return lend_array(column, data, from->jobs->count, sizeof(sl_time), SL_COLUMN_I64);
}

static bool lend_state(const struct source *from, struct sl_column *column)
{
	const uint8_t *data = from->result ? from->result->state : from->sim ? from->sim->job_state : NULL;
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

/* ---- Requests of jobs, resources of nodes ------------------------------------------------------------ */

static const struct sl_request *schedlab_columns_request_of(const struct source *from, size_t row)
{
	return from->jobs->request ? &from->jobs->requests[from->jobs->request[row]] : NULL;
}

static int64_t report_asks_cpus(const struct source *from, size_t row)
{
	const struct sl_request *request = schedlab_columns_request_of(from, row);
	return request ? request->cpus : from->jobs->size[row];
}

static int64_t report_asks_mem(const struct source *from, size_t row)
{
	const struct sl_request *request = schedlab_columns_request_of(from, row);
	return request ? request->mem : 0;
}

static int64_t report_asks_gpus(const struct source *from, size_t row)
{
	const struct sl_request *request = schedlab_columns_request_of(from, row);
	return request ? request->gpus : 0;
}

/* Of its first group that requests GPUs; 0: any type, or none. */
static int64_t report_asks_types(const struct source *from, size_t row)
{
	const struct sl_request *request = schedlab_columns_request_of(from, row);
	for (uint32_t i = 0; request && i < request->group_count; i++)
		if (request->group[i].task.gpus)
			return request->group[i].task.gpu_types;
	return 0;
}

static int64_t schedlab_columns_amount_of(const struct source *from, size_t node, uint32_t kind)
{
	const int64_t amount = from->cluster->type[from->cluster->node_type[node]].amount[kind];
	return amount < SL_MEM_UNBOUNDED ? amount : 0;
}

static int64_t report_node_cpus(const struct source *from, size_t node)
{
	return schedlab_columns_amount_of(from, node, SL_KIND_CPUS);
}

static int64_t report_node_mem(const struct source *from, size_t node)
{
	return schedlab_columns_amount_of(from, node, SL_KIND_MEM);
}

static int64_t report_node_gpus(const struct source *from, size_t node)
{
	int64_t gpus = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < from->cluster->kind_count; kind++)
		gpus += schedlab_columns_amount_of(from, node, kind);
	return gpus;
}

/* Nothing of a node that is down. */
static int64_t left_of(const struct source *from, size_t node, int64_t amount, int64_t used)
{
	return sl_node_is_up(from->sim, (uint32_t)node) ? amount - used : 0;
}

static int64_t report_free_cpus(const struct source *from, size_t node)
{
	return left_of(
		from, node, report_node_cpus(from, node), nodes_used(from->sim->nodes, (uint32_t)node).cpus);
}

static int64_t report_free_mem(const struct source *from, size_t node)
{
	return left_of(
		from, node, report_node_mem(from, node), nodes_used(from->sim->nodes, (uint32_t)node).mem);
}

static int64_t report_free_gpus(const struct source *from, size_t node)
{
	return left_of(
		from, node, report_node_gpus(from, node), nodes_used(from->sim->nodes, (uint32_t)node).gpus);
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
	{ "jobs", "id", lend_id, NULL, NULL },
	{ "jobs", "submit", lend_submit, NULL, NULL },
	{ "jobs", "eligible", NULL, make_eligible, NULL },
	{ "jobs", "start", lend_start, NULL, NULL },
	{ "jobs", "end", lend_end, NULL, NULL },
	{ "jobs", "state", lend_state, NULL, NULL },
	{ "jobs", "wait", NULL, make_wait, NULL },
	{ "jobs", "wait_total", NULL, make_wait_total, NULL },
	{ "jobs", "run_time", NULL, make_run_time, NULL },
	{ "jobs", "suspended", NULL, make_suspended, NULL },
	{ "jobs", "attempts", NULL, make_attempts, NULL },
	{ "jobs", "run_traced", lend_run_traced, NULL, NULL },
	{ "jobs", "time_limit", lend_time_limit, NULL, NULL },
	{ "jobs", "size", lend_size, NULL, NULL },
	{ "jobs", "nodes", NULL, make_nodes, NULL },
	{ "jobs", "cpus", NULL, make_cpus, NULL },
	{ "jobs", "gpus", NULL, make_gpus, NULL },
	{ "jobs", "user", lend_user, NULL, NULL },
	{ "jobs", "account", lend_account, NULL, NULL },
	{ "jobs", "partition", lend_partition, NULL, NULL },
	{ "jobs", "asks_cpus", NULL, NULL, report_asks_cpus },
	{ "jobs", "asks_mem", NULL, NULL, report_asks_mem },
	{ "jobs", "asks_gpus", NULL, NULL, report_asks_gpus },
	{ "jobs", "asks_types", NULL, NULL, report_asks_types },
	{ "nodes", "cpus", NULL, NULL, report_node_cpus },
	{ "nodes", "mem", NULL, NULL, report_node_mem },
	{ "nodes", "gpus", NULL, NULL, report_node_gpus },
	{ "nodes", "cpus_free", NULL, NULL, report_free_cpus },
	{ "nodes", "mem_free", NULL, NULL, report_free_mem },
	{ "nodes", "gpus_free", NULL, NULL, report_free_gpus },
	{ "ids", "name", lend_ids, NULL, NULL },
	{ "users", "name", lend_users, NULL, NULL },
	{ "accounts", "name", lend_accounts, NULL, NULL },
	{ "partitions", "name", lend_partitions, NULL, NULL },
	{ "usage", "time", lend_usage_at, NULL, NULL },
	{ "usage", "cpus_busy", lend_usage_cpus_busy, NULL, NULL },
	{ "usage", "cpus_queued", lend_usage_cpus_queued, NULL, NULL },
	{ "usage", "gpus_busy", lend_usage_gpus_busy, NULL, NULL },
	{ "usage", "gpus_queued", lend_usage_gpus_queued, NULL, NULL },
	{ "usage", "mem_busy", lend_usage_mem_busy, NULL, NULL },
	{ "usage", "nodes_busy", lend_usage_nodes_busy, NULL, NULL },
	{ "usage", "running", lend_usage_running, NULL, NULL },
	{ "usage", "queued", lend_usage_queued, NULL, NULL },
	{ "usage", "suspended", lend_usage_suspended, NULL, NULL },
	{ "reasons", "time", lend_reasons_at, NULL, NULL },
	{ "reasons", "job", lend_reasons_job, NULL, NULL },
	{ "reasons", "reason", NULL, make_reason, NULL },
	{ "reasons", "detail", NULL, make_detail, NULL },
	{ "attempts", "job", lend_attempts_job, NULL, NULL },
	{ "attempts", "state", lend_attempts_state, NULL, NULL },
	{ "attempts", "start", lend_attempts_start, NULL, NULL },
	{ "attempts", "end", lend_attempts_end, NULL, NULL },
	{ "attempts", "suspended", lend_attempts_suspended, NULL, NULL },
	{ "attempts", "lost", lend_attempts_lost, NULL, NULL },
	{ "attempts", "overhead", lend_attempts_overhead, NULL, NULL },
};

/* Memory for a computed column, kept. */
static int64_t *made_at(struct sl_run *run, size_t index, size_t count)
{
	if (!run->made)
		run->made = sl_alloc(run->arena, SL_LEN(columns), sizeof(*run->made));
	if (run->made && !run->made[index])
		run->made[index] = sl_alloc(run->arena, count + 1, sizeof(int64_t));
	return run->made ? run->made[index] : NULL;
}

static bool make_column(
	struct sl_run *run, size_t index, const struct sl_result *result, struct sl_column *column)
{
	const struct column_def *def = &columns[index];
	const size_t count = strcmp(def->table, "reasons") == 0 ? result->reason_count : result->jobs->count;
	const bool fresh = !run->made || !run->made[index];
	int64_t *made = made_at(run, index, count);
	for (size_t row = 0; made && fresh && row < count; row++)
		made[row] = def->make(result, row);
	return lend_array(column, made, count, sizeof(int64_t), SL_COLUMN_I64);
}

static bool report_column(
	struct sl_run *run, size_t index, const struct source *from, struct sl_column *column)
{
	const struct column_def *def = &columns[index];
	const bool of_nodes = strcmp(def->table, "nodes") == 0;
	const size_t count = of_nodes ? from->cluster->node_count : from->jobs->count;
	const bool present = strstr(def->name, "_free") != NULL;
	if (present && (!from->sim || !from->sim->nodes))
		return false;
	int64_t *made = made_at(run, index, count);
	for (size_t row = 0; made && row < count; row++)
		made[row] = def->report(from, row);
	return lend_array(column, made, count, sizeof(int64_t), SL_COLUMN_I64);
}

bool sl_run_column(struct sl_run *run, const char *table, const char *column, struct sl_column *found)
{
	const struct scenario *scenario = run->run->scenario;
	const struct source from = { &scenario->jobs, &scenario->cluster, sl_run_result(run),
		sl_run_state(run) };
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const struct column_def *def = &columns[i];
		if (strcmp(def->table, table) != 0 || strcmp(def->name, column) != 0)
			continue;
		if (def->lend)
			return def->lend(&from, found);
		if (def->report)
			return report_column(run, i, &from, found);
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
