/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_write.c - any trace as CSV: what it requests by task, further groups on lines of their own.
 *
 * A replay of what is written is that of the trace. Of SWF, the fields that no replay uses are left out.
 */
#include <string.h>

#include "traces/table/job_table.h"

static const enum table_column columns[] = { TABLE_JOB_ID, TABLE_GROUP, TABLE_USER, TABLE_ACCOUNT,
	TABLE_PARTITION, TABLE_GANG, TABLE_SUBMIT, TABLE_WAIT, TABLE_RUN_TIME, TABLE_TIME_LIMIT, TABLE_STATUS,
	TABLE_TASKS, TABLE_CPUS_PER_TASK, TABLE_MEM_PER_TASK, TABLE_GPUS_PER_TASK, TABLE_GPU_TYPE,
	TABLE_TASKS_PER_NODE, TABLE_NODES_MIN, TABLE_NODES_MAX, TABLE_EXCLUSIVE, TABLE_TASKS_MIN,
	TABLE_TASKS_MAX };

/* Behind them, of traces whose rows say more. */
static const enum table_column columns_more[] = { TABLE_NAME, TABLE_QOS, TABLE_NICE, TABLE_BEGIN,
	TABLE_DEADLINE, TABLE_DEPENDENCY, TABLE_ARRAY, TABLE_ARRAY_TASK, TABLE_ARRAY_LIMIT, TABLE_HOLD,
	TABLE_REQUEUE, TABLE_TIME_MIN, TABLE_CANCEL, TABLE_CENSORED, TABLE_QUEUE, TABLE_NAMESPACE,
	TABLE_PRIORITY };

/* Behind them, of traces whose rows may say more of GPUs; then those above. */
static const enum table_column columns_gpus[] = { TABLE_GPU_MEMORY, TABLE_MIG, TABLE_GPU_ACTIVE };

static void put_header(struct sl_out *out, const char *const (*header)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sl_out_text(out, header[i][0][0] ? "# " : "#");
		sl_out_text(out, header[i][0]);
		sl_out_text(out, header[i][0][0] ? ": " : "");
		sl_out_text(out, header[i][1]);
		sl_out_text(out, "\n");
	}
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		sl_out_text(out, i ? "," : "");
		sl_out_text(out, table_column_name(columns[i]));
	}
}

static int table_write_begin(
	struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err)
{
	(void)err;
	put_header(out, header, count);
	sl_out_text(out, "\n");
	return SL_OK;
}

static void put_names(struct sl_out *out, const enum table_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sl_out_text(out, ",");
		sl_out_text(out, table_column_name(column[i]));
	}
}

static int begin_more(struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err)
{
	(void)err;
	put_header(out, header, count);
	put_names(out, columns_more, SL_LEN(columns_more));
	sl_out_text(out, "\n");
	return SL_OK;
}

static int begin_gpus(
	struct sl_out *out, const char *const (*header)[2], size_t count, bool says_more, struct sl_err *err)
{
	(void)err;
	put_header(out, header, count);
	put_names(out, columns_gpus, SL_LEN(columns_gpus));
	put_names(out, columns_more, says_more ? SL_LEN(columns_more) : 0);
	sl_out_text(out, "\n");
	return SL_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the header, and what rows say. */
static int begin_profile(struct sl_out *out, const char *const (*header)[2], size_t count, bool says_gpus,
	bool says_more, struct sl_err *err)
{
	(void)err;
	put_header(out, header, count);
	put_names(out, columns_gpus, says_gpus ? SL_LEN(columns_gpus) : 0);
	put_names(out, columns_more, says_more ? SL_LEN(columns_more) : 0);
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++) {
		sl_out_text(out, ",");
		sl_out_text(out, sl_profile_column(i));
	}
	sl_out_text(out, "\n");
	return SL_OK;
}

static void table_write_put_text(struct sl_out *out, const char *text)
{
	const size_t len = strlen(text);
	const bool plain = !strpbrk(text, ",\"\r\n") && text[0] != ' ' && text[0] != '\t' &&
			   (!len || (text[len - 1] != ' ' && text[len - 1] != '\t'));
	if (plain) {
		while (*text) {
			char displayed[SL_INERT_SIZE];
			(void)sl_inert(&text, displayed);
			sl_out_text(out, displayed);
		}
		return;
	}
	sl_out_text(out, "\"");
	while (*text) {
		char displayed[SL_INERT_SIZE];
		const char was = *text;
		(void)sl_inert(&text, displayed);
		sl_out_text(out, was == '"' ? "\"\"" : was == '\n' ? "\n" : was == '\t' ? "\t" : displayed);
	}
	sl_out_text(out, "\"");
}

static void put_cell(struct sl_out *out, const struct table_value *cell)
{
	if (cell->text) {
		table_write_put_text(out, cell->text);
		return;
	}
	if (cell->number == SL_NONE)
		return;
	char *p = sl_out_reserve(out, 32);
	sl_out_advance(out, cell->time ? sl_put_micro(p, cell->number) : sl_put_i64(p, cell->number));
}

static struct table_value table_write_number(int64_t value)
{
	return (struct table_value){ NULL, value, false };
}
static struct table_value table_write_time_of(int64_t value)
{
	return (struct table_value){ NULL, value, true };
}
/* So many parts, as wholes with decimals: millionths are written as times are. */
static struct table_value table_write_parts_of(int64_t value, uint32_t parts)
{
	const int64_t each = SL_SECOND / sl_parts(parts);
	if (parts <= 1 || value == SL_NONE || value > INT64_MAX / each)
		return table_write_number(value);
	return table_write_time_of(value * each);
}
static struct table_value table_write_name_of(const char *name, int64_t value)
{
	return (struct table_value){ name, value, false };
}

static const struct sl_row_attributes nothing;

/* Of the job: on its first line, and its id on all. */
static struct table_value job_cell(const struct sl_row *row, enum table_column column)
{
	const struct sl_row_attributes *more = row->more ? row->more : &nothing;
	const int64_t *col = row->col;
	switch ((unsigned)column) {
	case TABLE_JOB_ID:
		return table_write_name_of(more->id, col[SL_COL_ID]);
	case TABLE_USER:
		return table_write_name_of(more->user, col[SL_COL_USER]);
	case TABLE_ACCOUNT:
		return table_write_name_of(more->account, col[SL_COL_GROUP]);
	case TABLE_PARTITION:
		return table_write_name_of(more->partition, col[SL_COL_PARTITION]);
	case TABLE_GANG:
		return table_write_name_of(more->gang, SL_NONE);
	case TABLE_SUBMIT:
		return table_write_time_of(col[SL_COL_SUBMIT]);
	case TABLE_WAIT:
		return table_write_time_of(col[SL_COL_WAIT]);
	case TABLE_RUN_TIME:
		return table_write_time_of(col[SL_COL_RUN]);
	case TABLE_TIME_LIMIT:
		return table_write_time_of(col[SL_COL_LIMIT]);
	case TABLE_GPU_ACTIVE:
		return table_write_time_of(more->gpu_active ? *more->gpu_active : SL_NONE);
	case TABLE_STATUS:
		return table_write_number(col[SL_COL_STATUS]);
	default:
		return table_write_number(SL_NONE);
	}
}

static struct table_value group_cell(const struct sl_row_group *group, enum table_column column)
{
	switch ((unsigned)column) {
	case TABLE_TASKS:
		return table_write_number(group->tasks);
	case TABLE_CPUS_PER_TASK:
		return table_write_parts_of(group->cpus, group->parts);
	case TABLE_MEM_PER_TASK:
		return table_write_number(group->mem);
	case TABLE_GPUS_PER_TASK:
		return table_write_parts_of(group->gpus, group->parts);
	case TABLE_GPU_TYPE:
		return table_write_name_of(group->gpu_type, SL_NONE);
	case TABLE_TASKS_PER_NODE:
		return table_write_number(group->tasks_per_node);
	case TABLE_NODES_MIN:
		return table_write_number(group->nodes_min);
	case TABLE_NODES_MAX:
		return table_write_number(group->nodes_max);
	case TABLE_EXCLUSIVE:
		return table_write_number(group->exclusive ? 1 : SL_NONE);
	case TABLE_GPU_MEMORY:
		return table_write_number(group->gpu_mem > 0 ? group->gpu_mem : SL_NONE);
	case TABLE_MIG:
		return table_write_name_of(group->mig, SL_NONE);
	case TABLE_TASKS_MIN:
		return table_write_number(group->tasks_min);
	case TABLE_TASKS_MAX:
		return table_write_number(group->tasks_max);
	default:
		return table_write_number(SL_NONE);
	}
}

static struct table_value cell_of(
	const struct sl_row *row, const struct sl_row_group *group, size_t index, enum table_column column)
{
	if (column == TABLE_GROUP)
		return table_write_number((int64_t)index);
	if (column > TABLE_GROUP)
		return group_cell(group, column);
	return !index || column == TABLE_JOB_ID ? job_cell(row, column) : table_write_number(SL_NONE);
}

static void table_write_put_line(
	struct sl_out *out, const struct sl_row *row, const struct sl_row_group *group, size_t index)
{
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const struct table_value cell = cell_of(row, group, index, columns[i]);
		if (i)
			sl_out_text(out, ",");
		put_cell(out, &cell);
	}
	for (size_t i = 0; row->more && row->more->gpu_active && i < SL_LEN(columns_gpus); i++) {
		const struct table_value cell = cell_of(row, group, index, columns_gpus[i]);
		sl_out_text(out, ",");
		put_cell(out, &cell);
	}
	for (size_t i = 0; row->more && row->more->job && i < SL_LEN(columns_more); i++) {
		const struct table_value cell =
			index ? table_write_number(SL_NONE) : table_more_of(row->more, columns_more[i]);
		sl_out_text(out, ",");
		put_cell(out, &cell);
	}
	for (uint32_t i = 0; row->more && row->more->profile && i < SL_PROFILE_COLUMNS; i++) {
		char number_text[40];
		const char *text = index ? NULL : sl_profile_put(row->more->profile, i, number_text);
		sl_out_text(out, ",");
		if (text)
			table_write_put_text(out, text);
	}
	sl_out_text(out, "\n");
}

static int job(struct sl_out *out, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	if (row->more && row->more->group_count) {
		for (size_t i = 0; i < row->more->group_count; i++)
			table_write_put_line(out, row, &row->more->group[i], i);
		return SL_OK;
	}
	for (size_t i = 0; row->more && i < row->more->desc_count; i++) {
		struct sl_row_group group;
		struct table_gpus gpus;
		table_group_of(&row->more->desc[i], &group, &gpus);
		table_write_put_line(out, row, &group, i);
	}
	if (row->more && row->more->desc_count)
		return SL_OK;
	/* SWF: as many tasks of a cpu as were requested, or else allocated; none makes no sense here either.
	 */
	const int64_t asked = row->col[SL_COL_REQ_CPUS];
	const int64_t size = asked > 0 ? asked : row->col[SL_COL_CPUS];
	const struct sl_row_group plain = {
		.tasks = size > 0 ? size : 0, SL_ROW_GROUP_NOTHING, .cpus = 1, .mem = SL_NONE, .gpus = SL_NONE
	};
	table_write_put_line(out, row, &plain, 0);
	return SL_OK;
}

const struct sl_writer table_writer = {
	.abi = SL_ABI_OF(struct sl_writer),
	.name = "table",
	.summary = "CSV with a header line: what a replay uses, one line a job and group",
	.begin = table_write_begin,
	.job = job,
	.names = true,
	.begin_more = begin_more,
	.begin_gpus = begin_gpus,
	.begin_profile = begin_profile,
};
