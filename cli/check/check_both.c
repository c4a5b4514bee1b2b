/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_both.c - waits, turnarounds and slowdowns of two runs, over the jobs that ran in both.
 *
 * Runs in which other jobs ran have other means, whatever became of those that both have: a configuration
 * that refuses the jobs that wait longest has shorter waits. So the metrics that are made of jobs' waits are
 * recomputed, of both runs, by the same code from rows of the jobs of both alone; labels (user, size, ...)
 * too. What is of the machine (utilization, queue, makespan) stays, and so does a metric that is only
 * bounded: its bound is of the run.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "cli/check/check_impact.h"
#include "reports/metrics/metrics.h"

/* ---- Columns of the jobs of both ------------------------------------------------------------ */

/* As a result has them, of one of the two runs. */
struct columns {
	sl_time *submit, *start, *end, *limit, *suspended;
	int64_t *cpus;
	int32_t *size, *user, *partition;
	uint8_t *state;
	metrics_wide wait_total;
	uint32_t count;
};

static int columns_make(struct columns *to, uint32_t capacity, struct sl_arena *arena, struct sl_err *err)
{
	sl_time **const time[] = { &to->submit, &to->start, &to->end, &to->limit, &to->suspended };
	int32_t **const number[] = { &to->size, &to->user, &to->partition };
	bool good = true;
	*to = (struct columns){ .cpus = sl_alloc(arena, (size_t)capacity + 1, sizeof(*to->cpus)),
		.state = sl_alloc(arena, (size_t)capacity + 1, sizeof(*to->state)) };
	for (size_t i = 0; i < SL_LEN(time); i++)
		good = (*time[i] = sl_alloc(arena, (size_t)capacity + 1, sizeof(sl_time))) && good;
	for (size_t i = 0; i < SL_LEN(number); i++)
		good = (*number[i] = sl_alloc(arena, (size_t)capacity + 1, sizeof(int32_t))) && good;
	return good && to->cpus && to->state ? SL_OK : sl_fail_memory(err);
}

/* ended: in both, so that it has a turnaround in both. */
static void columns_add(struct columns *to, const struct impact_job *job, bool ended)
{
	const uint32_t row = to->count++;
	to->submit[row] = job->submit;
	to->start[row] = job->submit + job->wait;
	to->end[row] = ended ? job->end : SL_NONE;
	to->limit[row] = job->limit;
	to->suspended[row] = ended ? job->end - to->start[row] - job->held : 0;
	to->cpus[row] = job->cpus;
	to->size[row] = job->size;
	to->user[row] = (int32_t)job->of[IMPACT_USER]; /* UINT32_MAX: -1, not known. */
	to->partition[row] = (int32_t)job->of[IMPACT_PARTITION];
	to->state[row] = job->completed ? SL_COMPLETED : SL_FAILED;
	to->wait_total += (uint64_t)job->wait_total;
}

/* The two runs' jobs side by side. */
struct pairs {
	struct columns was, is;
};

static void pair_add(struct pairs *pairs, const struct impact_job *was, const struct impact_job *is)
{
	const bool ran = was && was->counts && was->ran;
	const bool runs = is && is->counts && is->ran;
	if (!ran || !runs)
		return;
	const bool ended = was->end != SL_NONE && is->end != SL_NONE;
	columns_add(&pairs->was, was, ended);
	columns_add(&pairs->is, is, ended);
}

static int pairs_make(struct pairs *pairs, const struct check_jobs *was, const struct check_jobs *is,
	struct sl_arena *arena, struct sl_err *err)
{
	struct impact_walk walk = { .was = was, .is = is };
	const struct impact_job *a;
	const struct impact_job *b;
	const uint32_t most = was->count < is->count ? was->count : is->count;
	int status = columns_make(&pairs->was, most, arena, err);
	if (!status)
		status = columns_make(&pairs->is, most, arena, err);
	while (!status && impact_next(&walk, &a, &b))
		pair_add(pairs, a, b);
	return status;
}

/* ---- Their metrics ----------------------------------------------------------------------------- */

/* parts: in how many the cpus are counted. */
static int measure(struct sl_metrics *metrics, const struct check *check, const struct columns *from,
	int64_t parts, struct sl_err *err)
{
	static const struct sl_metric *const list[] = { &metrics_of_wait, &metrics_of_slowdown,
		&metrics_of_groups };
	const struct sl_jobs jobs = { .count = from->count,
		.submit = from->submit,
		.limit = from->limit,
		.size = from->size,
		.user = from->user,
		.partition = from->partition,
		.user_name = check->group[IMPACT_USER].text,
		.partition_name = check->group[IMPACT_PARTITION].text };
	const struct sl_cluster cluster = { .cpu_parts = parts };
	const struct sl_result result = { .jobs = &jobs,
		.start = from->start,
		.end = from->end,
		.state = from->state,
		.suspended = from->suspended,
		.cpus_held = from->cpus,
		.cluster = &cluster,
		.first = INT64_MIN };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(list) && !status; i++)
		status = list[i]->compute(&result, metrics, err);
	return !status && metrics->failed ? sl_fail_memory(err) : status;
}

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

bool check_both_is(const struct baseline_metric *metric) { return metric_is_of_waits(metric->name); }

/* A name that is not among those that there are: of a group of which no job ran in both, or of a plug-in. */
static bool is_group(const char *name)
{
	static const char *const label[] = { "{user=", "{partition=", "{size=", "{limit=" };
	const char *brace = strchr(name, '{');
	for (size_t i = 0; brace && i < SL_LEN(label); i++)
		if (begins(brace, label[i]))
			return true;
	return false;
}

/* CHECK_NONE: no job ran in both. False: the metric is of another kind. */
static bool check_both_value_of(
	const struct sl_metrics *metrics, const struct columns *from, const char *name, int64_t *value)
{
	const int64_t *found = metrics_get(metrics, name);
	if (!found && !is_group(name))
		return false;
	*value = found && from->count ? *found : CHECK_NONE;
	if (found && from->count && strcmp(name, "wait_total.mean") == 0)
		*value = metrics_ratio_micro(from->wait_total, from->count, 1);
	return true;
}

/* ---- In place of those that the runs had ------------------------------------------------------------ */

static void check_both_take_values(struct check *check, size_t which, size_t run,
	const struct sl_metrics metrics[2], const struct pairs *pairs)
{
	const struct baseline_case *of = check->item[which].of;
	struct check_found *was = &check->base[which].found[run];
	struct check_found *is = &check->item[which].found[run];
	for (size_t i = 0; i < of->metric_count; i++) {
		const struct baseline_metric *metric = &of->metric[i];
		int64_t before;
		int64_t after;
		if (metric->many || !check_both_is(metric) || !tolerance_relative(&metric->tol) ||
			is->value[i] == CHECK_NONE ||
			!check_both_value_of(&metrics[0], &pairs->was, metric->name, &before) ||
			!check_both_value_of(&metrics[1], &pairs->is, metric->name, &after))
			continue;
		/* Where no job is in both, the baseline's value is reported as it was. */
		was->value[i] = after == CHECK_NONE ? was->value[i] : before;
		is->value[i] = after;
	}
}

static int restate_run(struct check *check, size_t which, size_t run, struct sl_err *err)
{
	const struct check_jobs *was = check->base[which].found[run].jobs;
	const struct check_jobs *is = check->item[which].found[run].jobs;
	struct sl_arena *arena = sl_arena_new();
	struct pairs pairs = { 0 };
	struct sl_metrics metrics[2];
	if (!arena)
		return sl_fail_memory(err);
	metrics_init(&metrics[0], arena, NULL);
	metrics_init(&metrics[1], arena, NULL);
	int status = pairs_make(&pairs, was, is, arena, err);
	if (!status)
		status = measure(&metrics[0], check, &pairs.was, was->cpu_parts, err);
	if (!status)
		status = measure(&metrics[1], check, &pairs.is, is->cpu_parts, err);
	if (!status)
		check_both_take_values(check, which, run, metrics, &pairs);
	metrics_release(&metrics[0]);
	metrics_release(&metrics[1]);
	sl_arena_free(arena);
	return status;
}

int check_both_restate(struct check *check, size_t which, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t run = 0; run < check->item[which].runs && !status; run++)
		status = restate_run(check, which, run, err);
	return status ? status : check_against_adopt_metrics(check, which, err);
}
