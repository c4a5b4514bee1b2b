/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_columns.c - what a header's names mean.
 */
#include <string.h>

#include "traces/table/job_table.h"

enum { NAME_LONGEST = 63 };

/* Under its own name first, which the writer uses; then under others that are common. */
static const struct {
	enum table_column column;
	const char *name;
} names[] = {
	{ TABLE_JOB_ID, "job_id" },
	{ TABLE_JOB_ID, "jobid" },
	{ TABLE_JOB_ID, "id" },
	{ TABLE_USER, "user" },
	{ TABLE_ACCOUNT, "account" },
	{ TABLE_PARTITION, "partition" },
	{ TABLE_SUBMIT, "submit" },
	{ TABLE_SUBMIT, "submit_time" },
	{ TABLE_START, "start" },
	{ TABLE_START, "start_time" },
	{ TABLE_END, "end" },
	{ TABLE_END, "end_time" },
	{ TABLE_WAIT, "wait" },
	{ TABLE_WAIT, "wait_time" },
	{ TABLE_RUN_TIME, "run_time" },
	{ TABLE_RUN_TIME, "runtime" },
	{ TABLE_RUN_TIME, "duration" },
	{ TABLE_TIME_LIMIT, "time_limit" },
	{ TABLE_TIME_LIMIT, "timelimit" },
	{ TABLE_STATUS, "status" },
	{ TABLE_STATUS, "state" },
	{ TABLE_GANG, "gang" },
	{ TABLE_NAME, "name" },
	{ TABLE_NAME, "job_name" },
	{ TABLE_QOS, "qos" },
	{ TABLE_NICE, "nice" },
	{ TABLE_BEGIN, "begin" },
	{ TABLE_DEADLINE, "deadline" },
	{ TABLE_DEPENDENCY, "dependency" },
	{ TABLE_ARRAY, "array" },
	{ TABLE_ARRAY, "array_job" },
	{ TABLE_ARRAY_TASK, "array_task" },
	{ TABLE_ARRAY_LIMIT, "array_limit" },
	{ TABLE_HOLD, "hold" },
	{ TABLE_REQUEUE, "requeue" },
	{ TABLE_TIME_MIN, "time_min" },
	{ TABLE_CANCEL, "cancel" },
	{ TABLE_QUEUE, "queue" },
	{ TABLE_QUEUE, "local_queue" },
	{ TABLE_NAMESPACE, "namespace" },
	{ TABLE_PRIORITY, "priority" },
	{ TABLE_CENSORED, "censored" },
	{ TABLE_GPU_ACTIVE, "gpu_active" },
	{ TABLE_GROUP, "group" },
	{ TABLE_TASKS, "tasks" },
	{ TABLE_CPUS_PER_TASK, "cpus_per_task" },
	{ TABLE_MEM_PER_TASK, "mem_per_task" },
	{ TABLE_GPUS_PER_TASK, "gpus_per_task" },
	{ TABLE_TASKS_PER_NODE, "tasks_per_node" },
	{ TABLE_TASKS_MIN, "tasks_min" },
	{ TABLE_TASKS_MAX, "tasks_max" },
	{ TABLE_NODES, "nodes" },
	{ TABLE_CPUS_PER_NODE, "cpus_per_node" },
	{ TABLE_MEM_PER_NODE, "mem_per_node" },
	{ TABLE_GPUS_PER_NODE, "gpus_per_node" },
	{ TABLE_CPUS, "cpus" },
	{ TABLE_GPUS, "gpus" },
	{ TABLE_MEMORY, "memory" },
	{ TABLE_NODES_MIN, "nodes_min" },
	{ TABLE_NODES_MAX, "nodes_max" },
	{ TABLE_GPU_TYPE, "gpu_type" },
	{ TABLE_EXCLUSIVE, "exclusive" },
	{ TABLE_GPU_MEMORY, "gpu_memory" },
	{ TABLE_MIG, "mig" },
	{ TABLE_PASSED_OVER, "eligible" },
	{ TABLE_PASSED_OVER, "bounded_slowdown" },
	{ TABLE_PASSED_OVER, "wait_total" },
	{ TABLE_PASSED_OVER, "suspended" },
	{ TABLE_PASSED_OVER, "attempts" },
};

/* Whatever the case; blanks and dashes are as good as underscores. */
static bool same_name(const char *name, const char *text, size_t len)
{
	size_t i = 0;
	for (; i < len && name[i]; i++) {
		char c = text[i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (c == ' ' || c == '-')
			c = '_';
		if (c != name[i])
			return false;
	}
	return i == len && !name[i];
}

enum table_column table_column_of(const char *name, size_t len)
{
	for (size_t i = 0; i < SL_LEN(names); i++)
		if (same_name(names[i].name, name, len))
			return names[i].column;
	return TABLE_UNKNOWN;
}

const char *table_column_name(enum table_column column)
{
	size_t i = 0;
	while (names[i].column != column)
		i++;
	return names[i].name;
}

static int check_needed(struct table *t)
{
	const struct sl_place at = { t->file, t->row_line, 0 };
	const bool run = t->at[TABLE_RUN_TIME] >= 0 || (t->at[TABLE_START] >= 0 && t->at[TABLE_END] >= 0);
	if (t->at[TABLE_SUBMIT] < 0)
		return sl_fail_at(
			t->err, &at, "the header has no column 'submit': name it, see schedlab-trace(5)");
	if (!run)
		return sl_fail_at(t->err, &at,
			"the header has no column 'run_time', nor both of 'start' and 'end': name it, see "
			"schedlab-trace(5)");
	return SL_OK;
}

/* A column that nothing models is reported, once. */
static int report_unknown(struct table *t, const char *name, size_t field)
{
	char what[NAME_LONGEST + 16] = "column '";
	size_t len = strlen(what);
	for (size_t i = 0; name[i] && i < NAME_LONGEST; i++)
		what[len++] = (char)(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
	what[len++] = '\'';
	what[len] = '\0';
	const struct sl_place at = table_place(t, field);
	return t->sink->ignored ? t->sink->ignored(t->sink->self, what, &at, t->err) : SL_OK;
}

int table_header(struct table *t)
{
	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		t->at[i] = -1;
	for (size_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		t->profile_at[i] = -1;
	t->header_count = t->fields.count;
	for (size_t i = 0; i < t->fields.count; i++) {
		const char *name = t->fields.text + t->fields.at[i];
		const enum table_column column = table_column_of(name, strlen(name));
		const uint32_t member = sl_profile_find(name, strlen(name));
		if (member != UINT32_MAX) {
			const struct sl_place at = table_place(t, i);
			if (t->profile_at[member] >= 0)
				return sl_fail_at(
					t->err, &at, "column '%.60s' stands twice: remove one", name);
			t->profile_at[member] = (int)i;
			t->says_profile = true;
			continue;
		}
		if (column == TABLE_UNKNOWN) {
			const int status = *name ? report_unknown(t, name, i) : SL_OK;
			if (status)
				return status;
		}
		if (column >= TABLE_COLUMNS)
			continue;
		const struct sl_place at = table_place(t, i);
		if (t->at[column] >= 0)
			return sl_fail_at(t->err, &at, "column '%.60s' stands twice: remove one", name);
		t->at[column] = (int)i;
		t->says_more |= table_is_more(column);
		t->says_gpus |=
			column == TABLE_GPU_MEMORY || column == TABLE_MIG || column == TABLE_GPU_ACTIVE;
	}
	return check_needed(t);
}
