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

/* So many rows at a time, whose numbers stay near. */
enum { BLOCK = 512 };

#define MINUTE (60 * SL_SECOND)
#define HOUR   (60 * MINUTE)

/* Lengths of time from `from` on, until the next line's. */
static const struct {
	sl_time from;
	const char *label;
} limit_class[METRICS_LENGTHS] = {
	{ 0, "<5m" },
	{ 5 * MINUTE, "5m-30m" },
	{ 30 * MINUTE, "30m-1h" },
	{ 1 * HOUR, "1h-4h" },
	{ 4 * HOUR, "4h-12h" },
	{ 12 * HOUR, "12h-24h" },
	{ 24 * HOUR, ">=24h" },
};

unsigned metrics_length(sl_time time)
{
	unsigned k = METRICS_LENGTHS - 1;
	while (k && time < limit_class[k].from)
		k--;
	return k;
}

const char *metrics_length_label(unsigned i) { return limit_class[i].label; }

/* What groups are computed from, of rows [from, from + count). */
struct rows {
	const struct sl_result *result;
	struct metrics_span span;
	uint32_t from, count;
	sl_time wait[BLOCK];      /* NO_WAIT */
	uint64_t slowdown[BLOCK]; /* Bounded, in billionths; NO_SLOWDOWN. */
	sl_time held[BLOCK];      /* Of those that started; */
	int64_t cpus[BLOCK], gpus[BLOCK];
};

static void limit_index(const void *unused, const struct rows *rows, uint32_t *restrict group)
{
	const sl_time *limit = rows->result->jobs->limit + rows->from;
	const uint32_t count = rows->count;
	(void)unused;
	for (uint32_t i = 0; i < count; i++)
		group[i] = metrics_length(limit[i]);
}

/* Sizes between powers of two. */
static void size_index(const void *unused, const struct rows *rows, uint32_t *restrict group)
{
	const int32_t *size = rows->result->jobs->size + rows->from;
	const uint32_t count = rows->count;
	(void)unused;
	for (uint32_t i = 0; i < count; i++)
		group[i] = 31 - (uint32_t)__builtin_clz((uint32_t)size[i] | 1);
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

struct group {
	uint64_t jobs, started, ran;
	metrics_wide cpu_time, gpu_time, wait, slowdown;
	size_t first, waited; /* Its waits above 0: wait[first] .. [first + waited) */
};

/* One kind of groups. */
struct kind {
	void (*label)(char label[LABEL], int64_t i); /* Of the i-th; NULL: by name. */
	const char *key;                             /* "user" */
	const char *const *name;
	bool users; /* Jain's indices are of these. */
	/* The group of each row; UINT32_MAX: none. */
	void (*index)(const void *self, const struct rows *rows, uint32_t *restrict group);
	const int32_t *number; /* By row, where keys are; */
	struct metrics_keys keys;
	size_t count;
	struct group *group;
};

static void key_index(const void *self, const struct rows *rows, uint32_t *restrict group)
{
	const struct kind *kind = self;
	const int32_t *number = kind->number + rows->from;
	const uint32_t *place = kind->keys.place;
	const uint32_t count = rows->count;
	for (uint32_t i = 0; i < count; i++)
		group[i] = number[i] < 0 ? UINT32_MAX
			   : place       ? place[number[i]]
					 : metrics_keys_search(&kind->keys, number[i]);
}

enum { BY_SIZE, BY_LIMIT, BY_USER, BY_PARTITION, KINDS };

struct grouping {
	const struct sl_result *result;
	struct metrics_span span; /* Rows outside are of no group. */
	struct kind kind[KINDS];
	int64_t *sorted; /* Of one kind, waits above 0, group by group; a place for each row. */
};

/* ---- Adding up ------------------------------------------------------------------------------ */

static void rows_waits(struct rows *rows)
{
	const sl_time *start = rows->result->start + rows->from;
	const sl_time *submit = rows->result->jobs->submit + rows->from;
	sl_time *restrict wait = rows->wait;
	const uint32_t count = rows->count;
	for (uint32_t i = 0; i < count; i++)
		wait[i] = start[i] != SL_NONE ? start[i] - submit[i] : NO_WAIT;
}

static void rows_take(struct rows *rows)
{
	const struct sl_result *result = rows->result;
	rows_waits(rows);
	for (uint32_t i = 0; i < rows->count; i++) {
		const uint32_t row = rows->from + i;
		rows->slowdown[i] = NO_SLOWDOWN;
		if (rows->wait[i] == NO_WAIT)
			continue;
		rows->held[i] = metrics_held(result, row);
		rows->cpus[i] = metrics_cpus(result, row);
		rows->gpus[i] = result->gpus_held ? sl_gpus_of(result, row) : 0;
		if (metrics_ran(result, row))
			rows->slowdown[i] =
				metrics_bounded(result->end[row] - result->jobs->submit[row], rows->held[i]);
	}
}

static void metrics_groups_add(struct kind *kind, const struct rows *rows)
{
	const bool gpus = rows->result->gpus_held;
	uint32_t index[BLOCK];
	kind->index(kind, rows, index);
	for (uint32_t i = 0; i < rows->count; i++) {
		if (index[i] == UINT32_MAX || !metrics_sieved(&rows->span, rows->result, rows->from + i))
			continue;
		struct group *group = &kind->group[index[i]];
		group->jobs++;
		if (rows->wait[i] == NO_WAIT)
			continue;
		group->started++;
		group->waited += rows->wait[i] > 0;
		group->wait += (uint64_t)rows->wait[i];
		group->cpu_time += (metrics_wide)(uint64_t)rows->held[i] * (uint64_t)rows->cpus[i];
		if (gpus)
			group->gpu_time += (metrics_wide)(uint64_t)rows->held[i] * (uint64_t)rows->gpus[i];
		group->ran += rows->slowdown[i] != NO_SLOWDOWN;
		group->slowdown += rows->slowdown[i];
	}
}

/* The block of rows from there on. */
static bool rows_next(struct rows *rows, uint32_t from)
{
	const uint32_t left = rows->span.until - from;
	rows->from = from;
	rows->count = left < BLOCK ? left : BLOCK;
	return left;
}

/* One walk over all jobs, for all kinds. */
static void metrics_groups_add_up(struct grouping *by)
{
	struct rows rows = { .result = by->result, .span = by->span };
	for (uint32_t from = by->span.first; rows_next(&rows, from); from += rows.count) {
		rows_take(&rows);
		for (size_t k = 0; k < KINDS; k++)
			if (by->kind[k].count)
				metrics_groups_add(&by->kind[k], &rows);
	}
}

static void sort_waits(const struct grouping *by, struct kind *kind)
{
	struct rows rows = { .result = by->result, .span = by->span };
	uint32_t index[BLOCK];
	size_t first = 0;
	for (size_t i = 0; i < kind->count; i++) {
		kind->group[i].first = first;
		first += kind->group[i].waited;
		kind->group[i].waited = 0; /* Counted again as they are put in place. */
	}
	for (uint32_t from = by->span.first; rows_next(&rows, from); from += rows.count) {
		rows_waits(&rows);
		kind->index(kind, &rows, index);
		for (uint32_t i = 0; i < rows.count; i++) {
			if (rows.wait[i] <= 0 || index[i] == UINT32_MAX ||
				!metrics_sieved(&rows.span, by->result, rows.from + i))
				continue;
			struct group *group = &kind->group[index[i]];
			by->sorted[group->first + group->waited++] = rows.wait[i];
		}
	}
}

/* ---- Putting -------------------------------------------------------------------------------- */

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

static int put_users(struct sl_metrics *metrics, const struct kind *kind, struct sl_err *err)
{
	metrics_wide *x = calloc(kind->count + 1, sizeof(*x));
	if (!x)
		return sl_fail_memory(err);
	size_t ran = 0;
	for (size_t i = 0; i < kind->count; i++)
		if (kind->group[i].ran)
			x[ran++] = kind->group[i].slowdown / kind->group[i].ran;
	metrics_put_jain(metrics, "jain.slowdown", x, ran);
	for (size_t i = 0; i < kind->count; i++)
		x[i] = kind->group[i].cpu_time;
	metrics_put_jain(metrics, "jain.share", x, kind->count);
	free(x);
	return SL_OK;
}

static int put_kind(
	struct sl_metrics *metrics, const struct grouping *by, struct kind *kind, struct sl_err *err)
{
	const int status = kind->users ? put_users(metrics, kind, err) : SL_OK;
	if (kind->count)
		sort_waits(by, kind);
	for (size_t i = 0; i < kind->count; i++) {
		char label[LABEL];
		if (kind->label)
			kind->label(label, (int64_t)i);
		else
			name_label(label, kind->key, kind->keys.key[i], kind->name);
		if (kind->group[i].jobs)
			metrics_groups_put_group(metrics, by, &kind->group[i], label);
	}
	return status;
}

static int grouping_make(struct grouping *by, const struct sl_result *result, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	*by = (struct grouping){
		.result = result,
		.span = metrics_span_of(result),
		.kind = {
			[BY_SIZE] = { .label = size_label, .index = size_index, .count = 31 },
			[BY_LIMIT] = { .label = limit_label, .index = limit_index, .count = SL_LEN(limit_class) },
			[BY_USER] = { .key = "user", .name = jobs->user_name, .users = true, .number = jobs->user },
			[BY_PARTITION] = { .key = "partition", .name = jobs->partition_name, .number = jobs->partition },
		},
		.sorted = malloc(((size_t)jobs->count + 1) * sizeof(*by->sorted)),
	};
	int status = by->sorted ? SL_OK : sl_fail_memory(err);
	for (size_t k = 0; k < KINDS && !status; k++) {
		struct kind *kind = &by->kind[k];
		if (kind->number) {
			status = metrics_keys_make(&kind->keys, kind->number, jobs->count, err);
			kind->index = key_index;
			kind->count = kind->keys.count;
		}
		kind->group = status ? NULL : calloc(kind->count + 1, sizeof(*kind->group));
		if (!status && !kind->group)
			status = sl_fail_memory(err);
	}
	return status;
}

static void grouping_release(struct grouping *by)
{
	for (size_t k = 0; k < KINDS; k++) {
		metrics_keys_release(&by->kind[k].keys);
		free(by->kind[k].group);
	}
	free(by->sorted);
}

static int metrics_groups_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	struct grouping by;
	int status = grouping_make(&by, result, err);
	if (!status)
		metrics_groups_add_up(&by);
	for (size_t k = 0; k < KINDS && !status; k++)
		status = put_kind(metrics, &by, &by.kind[k], err);
	grouping_release(&by);
	return status;
}

const struct sl_metric metrics_of_groups = { SL_ABI_OF(struct sl_metric), "groups",
	"jobs{G}, cpu_seconds{G}, gpu_seconds{G} (on nodes), wait.mean{G}, wait.p95{G}, bounded_slowdown.mean{G} of the jobs of a group G: "
	"size=1, 2-3, 4-7, ... cpus (GPUs of a job that asks any); limit=<5m, 5m-30m, 30m-1h, 1h-4h, 4h-12h, 12h-24h, >=24h; user=ID; "
	"partition=ID. jain.slowdown: Jain's index of the users' mean bounded slowdowns; jain.share: of the "
	"cpu-seconds that they used; 1: all alike, 1/n: one of n has it all",
	"Jain, Chiu, Hawe 1984: A quantitative measure of fairness and discrimination (DEC-TR-301)",
	metrics_groups_compute };
