/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu_row.c - what a line says becomes a row for the sink.
 */
#include <stdio.h>
#include <string.h>

#include "traces/gpu/gpu.h"

static const struct sl_row_group nothing_asked = {
	.tasks = 1, SL_ROW_GROUP_NOTHING, .mem = SL_NONE, .gpu_mem = SL_NONE
};

void gpu_row_clear(struct gpu_row *r, uint64_t line)
{
	*r = (struct gpu_row){ .row.line = line, .group = nothing_asked };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		r->row.col[i] = SL_NONE;
	r->job = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
}

void gpu_row_id(struct gpu_row *r, const char *text, uint64_t number)
{
	int64_t id = (int64_t)number;
	const bool plain = !text || (text[0] >= '0' && text[0] <= '9' && (text[0] != '0' || !text[1]) &&
					    sl_get_i64(text, strlen(text), &id));
	if (plain)
		r->row.col[SL_COL_ID] = id;
	else
		r->more.id = text;
}

/* Clocks that were set back, or are not those of one machine, leave nothing. */
static int64_t between(sl_time from, sl_time until) { return until > from ? until - from : 0; }

void gpu_row_times(struct gpu_row *r, sl_time submit, sl_time start, sl_time end, sl_time last)
{
	int64_t *col = r->row.col;
	col[SL_COL_SUBMIT] = submit;
	r->job.start_recorded = start;
	r->job.end_recorded = end;
	if (start == SL_NONE) {
		if (end != SL_NONE && submit != SL_NONE)
			r->more.cancel = end ? end : 1; /* 0 is never. */
		return;
	}
	if (submit != SL_NONE)
		col[SL_COL_WAIT] = between(submit, start);
	if (end != SL_NONE) {
		col[SL_COL_RUN] = between(start, end);
	} else if (last != SL_NONE) {
		col[SL_COL_RUN] = between(start, last);
		r->job.censored = true;
	}
}

void gpu_row_state(struct gpu_row *r, enum sl_state state)
{
	enum { SWF_FAILED = 0, SWF_COMPLETED = 1, SWF_CANCELLED = 5 };
	if (state == SL_COMPLETED)
		r->more.cancel = 0; /* It did run, and the log does not know since when. */
	const bool never = r->more.cancel && (state == SL_PENDING || state == SL_RUNNING);
	r->job.state_recorded = never ? SL_CANCELLED : state;
	if (r->job.state_recorded == SL_COMPLETED)
		r->row.col[SL_COL_STATUS] = SWF_COMPLETED;
	else if (r->job.state_recorded == SL_CANCELLED)
		r->row.col[SL_COL_STATUS] = SWF_CANCELLED;
	else if (state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED)
		r->row.col[SL_COL_STATUS] = SWF_FAILED;
}

static int64_t gpu_row_share(int64_t total, int64_t parts) { return total / parts + (total % parts != 0); }

static int64_t gpu_row_known(int64_t value, int64_t otherwise)
{
	return value == SL_NONE ? otherwise : value;
}

void gpu_row_total(struct gpu_row *r, int64_t nodes, int64_t cpus, int64_t gpus, int64_t mem)
{
	struct sl_row_group *g = &r->group;
	cpus = gpu_row_known(cpus, 0);
	gpus = gpu_row_known(gpus, 0);
	nodes = gpu_row_known(nodes, 0);
	const bool even = nodes > 0 && cpus % nodes == 0 && gpus % nodes == 0;
	g->tasks = even ? nodes : gpus ? gpus : cpus;
	if (even) {
		g->tasks_per_node = 1;
		g->mem = mem;
	} else if (nodes > 0) {
		g->nodes_min = g->nodes_max = nodes;
	}
	if (g->tasks <= 0) /* Makes no sense, and is said so. */
		return;
	g->gpus = gpu_row_share(gpus, g->tasks);
	g->cpus = gpu_row_share(cpus, g->tasks);
	if (even || mem == SL_NONE)
		return;
	const __int128 all = (__int128)mem * (nodes > 0 ? nodes : 1);
	const __int128 each = all / g->tasks + (all % g->tasks != 0);
	g->mem = each < SL_MEM_UNBOUNDED ? (int64_t)each : SL_MEM_UNBOUNDED;
}

void gpu_group_reduce(struct sl_row_group *g)
{
	enum { THOUSAND = 1000 };
	if (g->parts != THOUSAND || g->cpus % THOUSAND || g->gpus % THOUSAND)
		return;
	g->cpus /= THOUSAND;
	g->gpus /= THOUSAND;
	g->parts = 1;
}

int gpu_row_report(struct gpu_row *r, const struct sl_sink *sink, struct sl_err *err)
{
	if (!r->more.group) {
		gpu_group_reduce(&r->group);
		r->more.group = &r->group;
		r->more.group_count = 1;
	}
	r->more.job = &r->job;
	r->row.more = &r->more;
	return sink->job(sink->self, &r->row, err);
}
