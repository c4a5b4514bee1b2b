/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * idle_gpus_csv.c - idle_gpus.csv: who held idle GPUs, those with most idle hours first.
 *
 * It is of the jobs that held GPUs and of whose activity the trace reports, so that a line's hours are its
 * active and its idle ones.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/metrics/metrics.h"

struct line {
	int32_t user; /* -1: not known. */
	const char *name;
	uint64_t jobs;
	struct metrics_gpu_time time;
};

static int by_user(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	const int order = x->name && y->name ? strcmp(x->name, y->name) : 0;
	return order ? order : (x->user > y->user) - (x->user < y->user);
}

/* Most idle time first, then by user. */
static int by_idle(const void *a, const void *b)
{
	const metrics_wide x = metrics_gpu_time_idle(&((const struct line *)a)->time);
	const metrics_wide y = metrics_gpu_time_idle(&((const struct line *)b)->time);
	return x != y ? (x < y ? 1 : -1) : by_user(a, b);
}

/* Lines of one user become one. */
static size_t merge(struct line *line, size_t count)
{
	size_t kept = 0;
	qsort(line, count, sizeof(*line), by_user);
	for (size_t i = 0; i < count; i++) {
		if (!kept || line[kept - 1].user != line[i].user) {
			line[kept++] = line[i];
			continue;
		}
		struct line *sum = &line[kept - 1];
		sum->jobs += line[i].jobs;
		sum->time.known += line[i].time.known;
		sum->time.active += line[i].time.active;
	}
	return kept;
}

/* A line for each job that counts. */
static size_t idle_gpus_csv_list(struct line *line, const struct sl_result *result)
{
	const struct sl_jobs *jobs = result->jobs;
	size_t count = 0;
	for (uint32_t row = 0; row < jobs->count; row++) {
		struct metrics_gpu_time time = { 0 };
		metrics_gpu_time_add(&time, result, row);
		const int32_t user = jobs->user[row];
		if (time.known)
			line[count++] = (struct line){ user,
				user >= 0 && jobs->user_name ? jobs->user_name[user] : NULL, 1, time };
	}
	return count;
}

static void put_ratio(struct sl_out *out, metrics_wide top, metrics_wide bottom, uint64_t scale)
{
	sl_out_text(out, ",");
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), metrics_ratio_micro(top, bottom, scale)));
}

static void idle_gpus_csv_put_line(struct sl_out *out, const struct line *line, metrics_wide hours)
{
	const struct metrics_gpu_time *time = &line->time;
	if (line->name)
		sl_out_csv(out, line->name);
	else if (line->user >= 0)
		sl_out_printf(out, "%" PRId32, line->user);
	sl_out_printf(out, ",%" PRIu64, line->jobs);
	put_ratio(out, time->known, hours, METRICS_MICRO);
	put_ratio(out, time->active, hours, 1);
	put_ratio(out, metrics_gpu_time_idle(time), hours, 1);
	put_ratio(out, metrics_gpu_time_idle(time), time->known, 1);
	sl_out_text(out, "\n");
}

static int write_idle(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	sl_out_text(out, "user,jobs,gpu_hours,gpu_hours_active,gpu_hours_idle,idle_share\n");
	if (!result->jobs->gpu_active)
		return SL_OK;
	struct line *line = malloc(((size_t)result->jobs->count + 1) * sizeof(*line));
	if (!line)
		return sl_fail_memory(err);
	const metrics_wide hour = (metrics_wide)3600 * SL_SECOND;
	const metrics_wide parts = (metrics_wide)metrics_gpu_parts(result);
	const size_t count = merge(line, idle_gpus_csv_list(line, result));
	qsort(line, count, sizeof(*line), by_idle);
	for (size_t i = 0; i < count; i++)
		idle_gpus_csv_put_line(out, &line[i], hour * parts);
	free(line);
	return SL_OK;
}

const struct sl_report metrics_idle_gpus = { .abi = SL_ABI_OF(struct sl_report),
	.name = "idle_gpus.csv",
	.summary = "GPU-hours held, active and idle, by user, where the trace tells of activity",
	.write = write_idle,
	.wanted = metrics_tells_active };
