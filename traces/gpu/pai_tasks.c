/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pai_tasks.c - pai_task_table.csv: what the jobs of Alibaba's PAI request. Cpus and GPUs are in percent of
 * one, memory in GB, which are 1024 MiB (29.296875 is 30000 MiB). pai_sensor_table.csv: how much of a GPU
 * each instance used on average, in percent of one too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/gpu/gpu.h"

enum { JOB, TASK, COUNT, STATUS, START, END, CPU, MEM, GPU, TYPE };
enum { TYPES_MAX = 256, JOB_TASKS_MAX = 1000 };

static const struct gpu_column columns[] = {
	{ "job_name", JOB, true },
	{ "task_name", GPU_DERIVED, false },
	{ "inst_num", COUNT, true },
	{ "status", GPU_DERIVED, false },
	{ "start_time", START, true },
	{ "end_time", END, true },
	{ "plan_cpu", CPU, true },
	{ "plan_mem", MEM, true },
	{ "plan_gpu", GPU, true },
	{ "gpu_type", TYPE, false },
};
static const struct gpu_format format = { "PAI's table of tasks", columns, SL_LEN(columns), true, false };

enum { SENSED_JOB, SENSED_GPU };

static const struct gpu_column sensor_columns[] = {
	{ "job_name", SENSED_JOB, true },
	{ "task_name", GPU_DERIVED, false },
	{ "worker_name", GPU_DERIVED, false },
	{ "inst_id", GPU_DERIVED, false },
	{ "machine", GPU_DERIVED, false },
	{ "gpu_name", GPU_DERIVED, false },
	{ "cpu_usage", GPU_DERIVED, false },
	{ "gpu_wrk_util", SENSED_GPU, true },
	{ "avg_mem", GPU_DERIVED, false },
	{ "max_mem", GPU_DERIVED, false },
	{ "avg_gpu_wrk_mem", GPU_DERIVED, false },
	{ "max_gpu_wrk_mem", GPU_DERIVED, false },
	{ "read", GPU_DERIVED, false },
	{ "write", GPU_DERIVED, false },
	{ "read_count", GPU_DERIVED, false },
	{ "write_count", GPU_DERIVED, false },
};
static const struct gpu_format sensor_format = { "PAI's table of sensors", sensor_columns,
	SL_LEN(sensor_columns), true, false };

struct task {
	size_t job; /* Of the names. */
	uint32_t row, count;
	int64_t cpus, gpus, mem; /* Thousandths, MiB; 0: none. */
	sl_time start, end;
	int32_t type;    /* -1: none. */
	uint32_t sensed; /* Of a job's first task: instances that were looked at, */
	int64_t used;    /* and what they used of GPUs, thousandths. */
};

struct pai_tasks {
	struct task *task;
	size_t count, capacity;
	char *name; /* One after another, each closed by a zero. */
	size_t name_len, name_capacity;
	char *type[TYPES_MAX];
	int32_t type_count;
	struct sl_row_group group[JOB_TASKS_MAX];
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Types outlive their line. */
static int type_in(struct gpu_csv *csv, struct pai_tasks *tasks, int32_t *type)
{
	const char *cell = gpu_cell(csv, TYPE);
	*type = -1;
	if (!cell)
		return SL_OK;
	for (*type = 0; *type < tasks->type_count; ++*type)
		if (strcmp(tasks->type[*type], cell) == 0)
			return SL_OK;
	if (tasks->type_count == TYPES_MAX)
		return gpu_fail_cell(csv, TYPE, "one of at most 256 types");
	tasks->type[*type] = strdup(cell);
	tasks->type_count += tasks->type[*type] != NULL;
	return tasks->type[*type] ? SL_OK : sl_fail_memory(csv->err);
}

/* Tasks with the same job share its name if they come one after another. */
static int name_in(struct gpu_csv *csv, struct pai_tasks *tasks, size_t *job)
{
	const char *cell = gpu_cell(csv, JOB);
	if (!cell)
		cell = "";
	if (tasks->count && strcmp(tasks->name + tasks->task[tasks->count - 1].job, cell) == 0) {
		*job = tasks->task[tasks->count - 1].job;
		return SL_OK;
	}
	const size_t size = strlen(cell) + 1;
	if (SL_GROW(tasks->name, tasks->name_capacity, tasks->name_len + size, csv->err))
		return SL_SYSTEM;
	memcpy(tasks->name + tasks->name_len, cell, size);
	*job = tasks->name_len;
	tasks->name_len += size;
	return SL_OK;
}

static int64_t pai_tasks_known(int64_t value, int64_t otherwise)
{
	return value == SL_NONE ? otherwise : value;
}

/* More than one GPU is whole ones. */
static int gpus_in(struct gpu_csv *csv, int64_t *gpus)
{
	enum { THOUSAND = 1000, OF_PERCENT = 10 };
	const int status = gpu_scaled(csv, GPU, OF_PERCENT, gpus);
	*gpus = pai_tasks_known(*gpus, 0);
	if (status || *gpus <= THOUSAND || *gpus % THOUSAND == 0)
		return status;
	*gpus += THOUSAND - *gpus % THOUSAND;
	return gpu_odd(csv, "fractional count rounded up");
}

static int task_in(struct gpu_csv *csv, struct pai_tasks *tasks, struct task *task)
{
	enum { OF_PERCENT = 10, MIB_OF_GIB = 1024 };
	int64_t count;
	int status = gpu_count(csv, COUNT, &count);
	if (!status)
		status = gpu_scaled(csv, CPU, OF_PERCENT, &task->cpus);
	if (!status)
		status = gpu_scaled(csv, MEM, MIB_OF_GIB, &task->mem);
	if (!status)
		status = gpus_in(csv, &task->gpus);
	if (!status)
		status = gpu_time(csv, START, SL_SECOND, &task->start);
	if (!status)
		status = gpu_time(csv, END, SL_SECOND, &task->end);
	if (!status)
		status = type_in(csv, tasks, &task->type);
	if (status)
		return status;
	task->count = (uint32_t)pai_tasks_known(count, 1);
	task->cpus = pai_tasks_known(task->cpus, 0);
	return name_in(csv, tasks, &task->job);
}

static int pai_tasks_row_in(struct gpu_csv *csv, void *self)
{
	struct pai_tasks *tasks = self;
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	struct task task = { .row = (uint32_t)tasks->count };
	if (tasks->count == GPU_TASKS_MAX)
		return sl_fail_at(csv->err, &at, "more than %d tasks", GPU_TASKS_MAX);
	const int status = task_in(csv, tasks, &task);
	if (status)
		return status;
	if (SL_GROW(tasks->task, tasks->capacity, tasks->count + 1, csv->err))
		return SL_SYSTEM;
	tasks->task[tasks->count++] = task;
	return SL_OK;
}

/* ---- The file --------------------------------------------------------------------------------------- */

int pai_beside(const char *file, const char *name, struct sl_input **in, struct sl_err *err)
{
	static const char *const packed[] = { "", ".gz", ".zst", ".xz" };
	const char *slash = strrchr(file, '/');
	const size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
	const size_t capacity = folder + strlen(name) + 8;
	char *path = malloc(capacity);
	*in = NULL;
	if (!path)
		return sl_fail_memory(err);
	memcpy(path, file, folder);
	for (size_t i = 0; i < SL_LEN(packed) && !*in; i++) {
		struct sl_err none = { 0 };
		(void)snprintf(path + folder, capacity - folder, "%s%s", name, packed[i]);
		if (sl_input_open(in, path, &none))
			*in = NULL;
	}
	free(path);
	return SL_OK;
}

static int compare_tasks(const void *a, const void *b, void *names)
{
	const struct task *x = a;
	const struct task *y = b;
	const int by_name = strcmp((const char *)names + x->job, (const char *)names + y->job);
	return by_name ? by_name : (x->row > y->row) - (x->row < y->row);
}

static int read_tasks(
	struct pai_tasks *tasks, struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	/* Its rows are no jobs: what is odd is not counted among those. */
	struct gpu_csv csv = { .format = &format,
		.file = sl_input_name(in),
		.err = err,
		.self = tasks,
		.whole = true,
		.row = pai_tasks_row_in };
	int status = gpu_csv_read(&csv, in);
	if (!status && sink->file)
		status = sink->file(sink->self, in, err);
	if (!status && tasks->count)
		qsort_r(tasks->task, tasks->count, sizeof(*tasks->task), compare_tasks, tasks->name);
	return status;
}

static size_t pai_tasks_first_of(const struct pai_tasks *tasks, const char *job)
{
	size_t low = 0;
	size_t high = tasks->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (strcmp(tasks->name + tasks->task[middle].job, job) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of(const struct pai_tasks *tasks, size_t task, const char *job)
{
	return task < tasks->count && strcmp(tasks->name + tasks->task[task].job, job) == 0;
}

/* Those that nobody could look at, and those without a GPU, say nothing. */
static int sensed_in(struct gpu_csv *csv, void *self)
{
	enum { OF_PERCENT = 10 };
	struct pai_tasks *tasks = self;
	int64_t used;
	const char *job = gpu_cell(csv, SENSED_JOB);
	const int status = gpu_scaled(csv, SENSED_GPU, OF_PERCENT, &used);
	if (status || used == SL_NONE || !job)
		return status;
	const size_t first = pai_tasks_first_of(tasks, job);
	if (!is_of(tasks, first, job) || tasks->task[first].used > INT64_MAX - used)
		return SL_OK;
	tasks->task[first].sensed++;
	tasks->task[first].used += used;
	return SL_OK;
}

static int read_sensors(
	struct pai_tasks *tasks, const char *jobs_file, const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_input *in;
	int status = pai_beside(jobs_file, "pai_sensor_table.csv", &in, err);
	if (status || !in)
		return status;
	struct gpu_csv csv = { .format = &sensor_format,
		.file = sl_input_name(in),
		.err = err,
		.self = tasks,
		.whole = true,
		.row = sensed_in };
	status = gpu_csv_read(&csv, in);
	if (!status && sink->file)
		status = sink->file(sink->self, in, err);
	sl_input_close(in);
	return status;
}

int pai_tasks_read(
	struct pai_tasks **tasks, const char *jobs_file, const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_input *in;
	*tasks = NULL;
	int status = pai_beside(jobs_file, "pai_task_table.csv", &in, err);
	if (status)
		return status;
	if (!in)
		return sl_fail(err, SL_INPUT,
			"%s: jobs of PAI say what they ask in pai_task_table.csv, which is not beside it: put it there",
			jobs_file);
	*tasks = calloc(1, sizeof(**tasks));
	status = *tasks ? read_tasks(*tasks, in, sink, err) : sl_fail_memory(err);
	sl_input_close(in);
	return status ? status : read_sensors(*tasks, jobs_file, sink, err);
}

void pai_tasks_free(struct pai_tasks *tasks)
{
	if (!tasks)
		return;
	for (int32_t i = 0; i < tasks->type_count; i++)
		free(tasks->type[i]);
	free(tasks->task);
	free(tasks->name);
	free(tasks);
}

/* ---- Of a job ---------------------------------------------------------------------------------------- */

static struct sl_row_group pai_tasks_group_of(const struct pai_tasks *tasks, const struct task *task)
{
	enum { THOUSAND = 1000 };
	struct sl_row_group group = { .tasks = task->count,
		SL_ROW_GROUP_NOTHING,
		.cpus = task->cpus,
		.mem = task->mem,
		.gpus = task->gpus,
		.gpu_type = task->gpus && task->type >= 0 ? tasks->type[task->type] : NULL,
		.parts = THOUSAND,
		.gpu_mem = SL_NONE };
	gpu_group_reduce(&group);
	return group;
}

/* What an instance used on average, of what instances with GPUs requested on average. */
static int64_t active_of(const struct pai_tasks *tasks, size_t first, const char *job)
{
	enum { MILLION = 1000000 };
	__int128 asked = 0;
	__int128 instances = 0;
	for (size_t i = first; is_of(tasks, i, job); i++) {
		asked += (__int128)tasks->task[i].gpus * tasks->task[i].count;
		instances += tasks->task[i].gpus ? tasks->task[i].count : 0;
	}
	if (!asked || !tasks->task[first].sensed)
		return -1;
	/* used / sensed < 2^61 / 1, instances < 2^56 */
	const __int128 used = (__int128)tasks->task[first].used / tasks->task[first].sensed * instances;
	return used >= asked ? MILLION : (int64_t)(used * MILLION / asked);
}

static void range_add(struct pai_asked *asked, const struct task *task)
{
	if (task->start != SL_NONE && (asked->start == SL_NONE || task->start < asked->start))
		asked->start = task->start;
	if (task->end != SL_NONE && (asked->end == SL_NONE || task->end > asked->end))
		asked->end = task->end;
}

int pai_tasks_of(struct pai_tasks *tasks, const char *job, struct pai_asked *asked, struct sl_err *err)
{
	const size_t first = pai_tasks_first_of(tasks, job);
	*asked = (struct pai_asked){ tasks->group, 0, SL_NONE, SL_NONE, -1 };
	for (size_t i = first; is_of(tasks, i, job); i++) {
		const struct task *task = &tasks->task[i];
		range_add(asked, task);
		if (!task->cpus && !task->gpus) /* It takes nothing. */
			continue;
		if (asked->group_count == JOB_TASKS_MAX)
			return sl_fail(
				err, SL_INPUT, "job '%.40s' has more than %d tasks", job, JOB_TASKS_MAX);
		tasks->group[asked->group_count++] = pai_tasks_group_of(tasks, task);
	}
	if (asked->group_count)
		asked->active = active_of(tasks, first, job);
	return SL_OK;
}
