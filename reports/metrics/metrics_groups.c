/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_groups.c - the same numbers by size, limit, user and partition: who waits, not only how long.
 *
 * Kinds of groups come in the order of the table, groups in ascending order within each; a group without jobs
 * has no lines. Users' groups give Jain's index too.
 */
#include "reports/metrics/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 320, NAME_LONGEST = 240 };

/* Of a row that did not start, of one that did not end. */
enum { NO_WAIT = -1, NO_SLOWDOWN = 0 };

#define MINUTE (60 * SL_SECOND)
#define HOUR   (60 * MINUTE)

/* Limits from `from` on, until the next line's. */
static const struct {
	sl_time from;
	const char *label;
} limit_class[] = {
	{ 0, "<5m" },
	{ 5 * MINUTE, "5m-30m" },
	{ 30 * MINUTE, "30m-1h" },
	{ 1 * HOUR, "1h-4h" },
	{ 4 * HOUR, "4h-12h" },
	{ 12 * HOUR, "12h-24h" },
	{ 24 * HOUR, ">=24h" },
};

static uint32_t limit_index(const struct sl_result *result, uint32_t row)
{
	uint32_t i = SL_LEN(limit_class) - 1;
	while (i && result->jobs->limit[row] < limit_class[i].from)
		i--;
	return i;
}

/* Sizes between powers of two. */
static uint32_t size_index(const struct sl_result *result, uint32_t row)
{
	return 31 - (uint32_t)__builtin_clz((uint32_t)result->jobs->size[row] | 1);
}

static void limit_label(char label[LABEL], int64_t i)
{
	(void)snprintf(label, LABEL, "limit=%s", limit_class[i].label);
}

static void size_label(char label[LABEL], int64_t i)
{
	const int64_t from = INT64_C(1) << i;
	if (from == 1)
		(void)snprintf(label, LABEL, "size=1");
	else
		(void)snprintf(label, LABEL, "size=%" PRId64 "-%" PRId64, from, 2 * from - 1);
}

/* key=name, or the number where there are no names. A name too long is cut, and told apart by its number. */
static void name_label(char label[LABEL], const char *key, int64_t id, const char *const *name)
{
	if (!name)
		(void)snprintf(label, LABEL, "%s=%" PRId64, key, id);
	else if (strlen(name[id]) <= NAME_LONGEST)
		(void)snprintf(label, LABEL, "%s=%s", key, name[id]);
	else
		(void)snprintf(label, LABEL, "%s=%.*s...%" PRId64, key, NAME_LONGEST, name[id], id);
}

/* What the groups of one kind are called. */
struct kind {
	void (*label)(char label[LABEL], int64_t i); /* Of the i-th; NULL: by name. */
	const char *key;                             /* "user" */
	const char *const *name;
	bool users; /* Jain's indices are of these. */
};

struct group {
	uint64_t jobs, started, ran;
	metrics_wide cpu_time, gpu_time, wait, slowdown;
	size_t first, waited; /* Its waits above 0: wait[first] .. [first + waited) */
};

struct sample {
	int64_t wait;      /* NO_WAIT */
	uint64_t slowdown; /* Bounded, in billionths; NO_SLOWDOWN. */
};

/* What the groups are computed with; each array has a place for each row. */
struct grouping {
	const struct sl_result *result;
	uint32_t first; /* Rows before are of no group. */
	struct sample *sample;
	int64_t *sorted; /* Waits above 0, group by group. */
	uint32_t *index; /* The row's group; UINT32_MAX: none. */
	struct group *group;
	size_t count;
};

static metrics_wide metrics_groups_product(int64_t a, int64_t b) { return (metrics_wide)a * (metrics_wide)b; }

static void group_add(
	struct group *group, const struct sl_result *result, const struct sample *sample, uint32_t row)
{
	group->jobs++;
	if (sample->wait == NO_WAIT)
		return;
	group->started++;
	group->waited += sample->wait > 0;
	group->wait += (uint64_t)sample->wait;
	group->cpu_time += metrics_groups_product(metrics_held(result, row), metrics_cpus(result, row));
	if (result->gpus_held)
		group->gpu_time += metrics_groups_product(metrics_held(result, row), sl_gpus_of(result, row));
	group->ran += sample->slowdown != NO_SLOWDOWN;
	group->slowdown += sample->slowdown;
}

static void metrics_groups_add_up(const struct grouping *by)
{
	/* Copies, that no store into a group can change. */
	const struct sl_jobs jobs = *by->result->jobs;
	struct sl_result result = *by->result;
	const uint32_t *index = by->index;
	const struct sample *sample = by->sample;
	struct group *group = by->group;
	result.jobs = &jobs;
	for (uint32_t row = 0; row < jobs.count; row++)
		if (index[row] != UINT32_MAX)
			group_add(&group[index[row]], &result, &sample[row], row);
}

static void sort_waits(const struct grouping *by)
{
	const uint32_t rows = by->result->jobs->count;
	const uint32_t *index = by->index;
	const struct sample *sample = by->sample;
	struct group *groups = by->group;
	int64_t *sorted = by->sorted;
	size_t first = 0;
	for (size_t i = 0; i < by->count; i++) {
		groups[i].first = first;
		first += groups[i].waited;
		groups[i].waited = 0; /* Counted again as they are put in place. */
	}
	for (uint32_t row = 0; row < rows; row++) {
		if (sample[row].wait <= 0 || index[row] == UINT32_MAX)
			continue;
		struct group *group = &groups[index[row]];
		sorted[group->first + group->waited++] = sample[row].wait;
	}
}

static int64_t wait_p95(const struct grouping *by, const struct group *group)
{
	const size_t k = metrics_rank(group->started, 95);
	const size_t zeros = group->started - group->waited;
	return k < zeros ? 0 : metrics_select(by->sorted + group->first, group->waited, k - zeros);
}

static void put_one(struct sl_metrics *metrics, const char *name, const char *label, metrics_wide top,
	metrics_wide bottom)
{
	char whole[2 * LABEL];
	(void)snprintf(whole, sizeof(whole), "%s{%s}", name, label);
	metrics_put(metrics, whole, top, bottom, 1);
}

static void metrics_groups_put_group(
	struct sl_metrics *metrics, const struct grouping *by, const struct group *group, const char *label)
{
	put_one(metrics, "jobs", label, (metrics_wide)group->jobs * METRICS_MICRO, 1);
	put_one(metrics, "cpu_seconds", label, group->cpu_time, (metrics_wide)metrics_cpu_parts(by->result));
	if (by->result->gpus_held)
		put_one(metrics, "gpu_seconds", label, group->gpu_time,
			(metrics_wide)metrics_gpu_parts(by->result));
	if (group->started) {
		put_one(metrics, "wait.mean", label, group->wait, group->started);
		put_one(metrics, "wait.p95", label, (metrics_wide)wait_p95(by, group), 1);
	}
	if (group->ran)
		put_one(metrics, "bounded_slowdown.mean", label, group->slowdown,
			(metrics_wide)group->ran * (METRICS_NANO / METRICS_MICRO));
}

static int put_users(struct sl_metrics *metrics, const struct grouping *by, struct sl_err *err)
{
	metrics_wide *x = calloc(by->count + 1, sizeof(*x));
	if (!x)
		return sl_fail_memory(err);
	size_t ran = 0;
	for (size_t i = 0; i < by->count; i++)
		if (by->group[i].ran)
			x[ran++] = by->group[i].slowdown / by->group[i].ran;
	metrics_put_jain(metrics, "jain.slowdown", x, ran);
	for (size_t i = 0; i < by->count; i++)
		x[i] = by->group[i].cpu_time;
	metrics_put_jain(metrics, "jain.share", x, by->count);
	free(x);
	return SL_OK;
}

/* by->index and by->count are set; id[i], or i itself, is what the kind names group i by. */
static int put_kind(struct sl_metrics *metrics, struct grouping *by, const int32_t *id,
	const struct kind *kind, struct sl_err *err)
{
	int status = SL_OK;
	by->group = calloc(by->count + 1, sizeof(*by->group));
	if (!by->group)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < by->first; row++)
		by->index[row] = UINT32_MAX;
	metrics_groups_add_up(by);
	if (kind->users)
		status = put_users(metrics, by, err);
	sort_waits(by);
	for (size_t i = 0; i < by->count; i++) {
		char label[LABEL];
		if (kind->label)
			kind->label(label, (int64_t)i);
		else
			name_label(label, kind->key, id[i], kind->name);
		if (by->group[i].jobs)
			metrics_groups_put_group(metrics, by, &by->group[i], label);
	}
	free(by->group);
	return status;
}

/* Groups that a row's columns say, of a number known before. */
static int put_classes(struct sl_metrics *metrics, struct grouping *by, struct sl_err *err)
{
	static const struct {
		uint32_t (*index)(const struct sl_result *result, uint32_t row);
		void (*label)(char label[LABEL], int64_t i);
		size_t count;
	} kind[] = {
		{ size_index, size_label, 31 },
		{ limit_index, limit_label, SL_LEN(limit_class) },
	};
	int status = SL_OK;
	for (size_t i = 0; !status && i < SL_LEN(kind); i++) {
		for (uint32_t row = 0; row < by->result->jobs->count; row++)
			by->index[row] = kind[i].index(by->result, row);
		by->count = kind[i].count;
		status = put_kind(metrics, by, NULL, &(struct kind){ .label = kind[i].label }, err);
	}
	return status;
}

/* Groups by a number that rows carry. */
static int put_keys(struct sl_metrics *metrics, struct grouping *by, struct sl_err *err)
{
	const struct sl_jobs *jobs = by->result->jobs;
	const struct {
		const int32_t *number;
		struct kind kind;
	} kind[] = {
		{ jobs->user, { NULL, "user", jobs->user_name, true } },
		{ jobs->partition, { NULL, "partition", jobs->partition_name, false } },
	};
	int status = SL_OK;
	for (size_t i = 0; !status && i < SL_LEN(kind); i++) {
		struct metrics_keys keys = { .index = by->index };
		status = metrics_keys_make(&keys, kind[i].number, by->result->jobs->count, err);
		if (status)
			return status;
		by->count = keys.count;
		status = put_kind(metrics, by, keys.key, &kind[i].kind, err);
		metrics_keys_release(&keys);
	}
	return status;
}

static int metrics_groups_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	const size_t capacity = (size_t)result->jobs->count + 1;
	struct grouping by = {
		.result = result,
		.first = metrics_first(result),
		.sample = calloc(capacity, sizeof(*by.sample)),
		.sorted = malloc(capacity * sizeof(*by.sorted)),
		.index = calloc(capacity, sizeof(*by.index)),
	};
	int status = SL_OK;
	if (!by.sample || !by.sorted || !by.index)
		status = sl_fail_memory(err);
	for (uint32_t row = 0; !status && row < result->jobs->count; row++)
		by.sample[row] = (struct sample){
			.wait = metrics_started(result, row) ? metrics_wait(result, row) : NO_WAIT,
			.slowdown = metrics_ran(result, row) ? metrics_bounded_slowdown(result, row)
							     : NO_SLOWDOWN,
		};
	if (!status)
		status = put_classes(metrics, &by, err);
	if (!status)
		status = put_keys(metrics, &by, err);
	free(by.index);
	free(by.sorted);
	free(by.sample);
	return status;
}

const struct sl_metric metrics_of_groups = { SL_ABI_OF(struct sl_metric), "groups",
	"jobs{G}, cpu_seconds{G}, gpu_seconds{G} (on nodes), wait.mean{G}, wait.p95{G}, bounded_slowdown.mean{G} of the jobs of a group G: "
	"size=1, 2-3, 4-7, ... cpus (GPUs of a job that asks any); limit=<5m, 5m-30m, 30m-1h, 1h-4h, 4h-12h, 12h-24h, >=24h; user=ID; "
	"partition=ID. jain.slowdown: Jain's index of the users' mean bounded slowdowns; jain.share: of the "
	"cpu-seconds that they used; 1: all alike, 1/n: one of n has it all",
	"Jain, Chiu, Hawe 1984: A quantitative measure of fairness and discrimination (DEC-TR-301)",
	metrics_groups_compute };
