/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate_turnover.c - how soon nodes are taken again: from the latest end on the nodes of a job to its
 * start, where the job waited as that end came.
 *
 * What a scheduler does behind a job's end is in it (of Slurm: the node is COMPLETING until the epilog is
 * done, and no job starts there, on whichever cores), and so is the time until its next pass, and what it
 * lets go first: a log cannot tell these apart. Of jobs with several attempts the last counts.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/metrics/calibrate_parts.h"
#include "reports/metrics/metrics.h"

/* A job's time on its nodes, and since when it waited for it. */
struct stay {
	sl_time since, start, end;
};

struct visit {
	uint32_t node, job;
	sl_time end;
};

struct host {
	const char *name;
	uint32_t node;
};

struct turnover {
	const struct sl_result *result;
	struct host *host;            /* By name. */
	struct stay *stay;            /* By job; start SL_NONE: on no nodes that are known. */
	struct visit *visit, *by_end; /* Job by job; node by node, by their ends. */
	size_t count, capacity;
	int64_t *value;
	uint32_t job; /* Whose nodes are read. */
	struct sl_err *err;
};

static int add_visit(struct turnover *t, uint32_t node)
{
	const int status = SL_GROW_MOST(t->visit, t->capacity, t->count + 1, UINT32_MAX, t->err);
	if (!status)
		t->visit[t->count++] = (struct visit){ node, t->job, t->stay[t->job].end };
	return status;
}

/* ---- By the log ------------------------------------------------------------------------------- */

static int host_by_name(const void *a, const void *b)
{
	return strcmp(((const struct host *)a)->name, ((const struct host *)b)->name);
}

static int add_host(void *self, const char *name, size_t len)
{
	struct turnover *t = self;
	char text[SL_HOST_NAME_MAX + 1];
	const struct host key = { text, 0 };
	if (len > SL_HOST_NAME_MAX)
		return SL_OK;
	memcpy(text, name, len);
	text[len] = '\0';
	const struct host *host =
		bsearch(&key, t->host, t->result->cluster->node_count, sizeof(*t->host), host_by_name);
	return host ? add_visit(t, host->node) : SL_OK;
}

/* A list that cannot be read names no node. */
static int take_recorded(struct turnover *t)
{
	const struct sl_jobs *jobs = t->result->jobs;
	const struct sl_job_attributes *more = calibrate_more_of(jobs, t->job);
	struct sl_err unread = { 0 };
	if (!more || !more->nodes_recorded || more->start_recorded == SL_NONE ||
		more->end_recorded == SL_NONE || more->end_recorded <= more->start_recorded)
		return SL_OK;
	const sl_time behind = more->requeued_after_recorded > more->eligible_after_recorded
				       ? more->requeued_after_recorded
				       : more->eligible_after_recorded;
	t->stay[t->job] =
		(struct stay){ jobs->submit[t->job] + behind, more->start_recorded, more->end_recorded };
	(void)sl_hosts_each(more->nodes_recorded, strlen(more->nodes_recorded), NULL, &unread, add_host, t);
	return t->err->status;
}

/* ---- In the replay ------------------------------------------------------------------------------ */

static int take_simulated(struct turnover *t)
{
	const struct sl_result *result = t->result;
	const struct sl_allocation at = sl_allocation_of(result, t->job, NULL);
	const sl_time eligible = result->eligible ? result->eligible[t->job] : SL_NONE;
	int status = SL_OK;
	if (!metrics_started(result, t->job) || result->end[t->job] == SL_NONE ||
		result->end[t->job] <= result->start[t->job])
		return SL_OK;
	t->stay[t->job] = (struct stay){ eligible == SL_NONE ? result->jobs->submit[t->job] : eligible,
		result->start[t->job], result->end[t->job] };
	for (uint32_t i = 0; i < at.count && !status; i++)
		status = add_visit(t, at.alloc[i].node);
	return status;
}

/* ---- Both ------------------------------------------------------------------------------------------ */

static int visit_by_end(const void *a, const void *b)
{
	const struct visit *x = a;
	const struct visit *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* The latest end on the node by then; SL_NONE: there is none. */
static sl_time end_before(const struct turnover *t, uint32_t node, sl_time start)
{
	const struct visit key = { node, UINT32_MAX, start };
	size_t low = 0;
	size_t high = t->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		*(visit_by_end(&t->by_end[middle], &key) <= 0 ? &low : &high) =
			visit_by_end(&t->by_end[middle], &key) <= 0 ? middle + 1 : middle;
	}
	return low && t->by_end[low - 1].node == node ? t->by_end[low - 1].end : SL_NONE;
}

static struct calibrate_turnover turnover_of(struct turnover *t)
{
	struct calibrate_turnover all = { 0 };
	for (size_t i = 0; i < t->count;) {
		const uint32_t job = t->visit[i].job;
		const struct stay *stay = &t->stay[job];
		sl_time latest = SL_NONE;
		for (; i < t->count && t->visit[i].job == job; i++) {
			const sl_time end = end_before(t, t->visit[i].node, stay->start);
			if (end != SL_NONE && (latest == SL_NONE || end > latest))
				latest = end;
		}
		if (latest != SL_NONE && stay->since < latest)
			t->value[all.starts++] = stay->start - latest;
	}
	if (!all.starts)
		return all;
	all.least = metrics_select(t->value, all.starts, 0);
	all.p50 = metrics_select(t->value, all.starts, metrics_rank(all.starts, 50));
	all.p95 = metrics_select(t->value, all.starts, metrics_rank(all.starts, 95));
	return all;
}

static int one_side(struct turnover *t, int (*take)(struct turnover *), struct calibrate_turnover *side)
{
	int status = SL_OK;
	t->count = 0;
	for (t->job = 0; t->job < t->result->jobs->count && !status; t->job++)
		status = take(t);
	if (status)
		return status;
	free(t->by_end);
	t->by_end = calloc(t->count + 1, sizeof(*t->by_end));
	if (!t->by_end)
		return sl_fail_memory(t->err);
	if (t->count)
		memcpy(t->by_end, t->visit, t->count * sizeof(*t->by_end));
	qsort(t->by_end, t->count, sizeof(*t->by_end), visit_by_end);
	*side = turnover_of(t);
	return SL_OK;
}

static void hosts_make(struct turnover *t)
{
	const struct sl_cluster *cluster = t->result->cluster;
	for (uint32_t node = 0; node < cluster->node_count; node++)
		t->host[node] = (struct host){ cluster->node_name[node], node };
	qsort(t->host, cluster->node_count, sizeof(*t->host), host_by_name);
}

int calibrate_turnovers(struct calibration *all, const struct sl_result *result, struct sl_err *err)
{
	const uint32_t nodes = result->cluster ? result->cluster->node_count : 0;
	if (!nodes || !result->cluster->node_name)
		return SL_OK;
	struct turnover t = { .result = result,
		.host = calloc(nodes, sizeof(*t.host)),
		.stay = calloc((size_t)result->jobs->count + 1, sizeof(*t.stay)),
		.value = calloc((size_t)result->jobs->count + 1, sizeof(*t.value)),
		.err = err };
	int status = t.host && t.stay && t.value ? SL_OK : sl_fail_memory(err);
	if (!status) {
		hosts_make(&t);
		status = one_side(&t, take_recorded, &all->turnover[0]);
	}
	if (!status && result->place)
		status = one_side(&t, take_simulated, &all->turnover[1]);
	free(t.host);
	free(t.stay);
	free(t.visit);
	free(t.by_end);
	free(t.value);
	return status;
}
