/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric_reported.c - what the fabric reports at the end of a run: how far jobs were slowed, how full its
 * links were.
 */
#include <stdlib.h>

#include "models/fabric/model.h"

static int fabric_reported_by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Time held over time that the same work takes at the traced speed, by job. */
static int report_jobs(struct fabric_model *m, struct sl_tally *tally, struct sl_err *err)
{
	int64_t *slowdown = sl_alloc(m->arena, (size_t)m->jobs->count + 1, sizeof(*slowdown));
	int64_t *sorted = malloc(((size_t)m->jobs->count + 1) * sizeof(*sorted));
	if (!slowdown || !sorted) {
		free(sorted);
		return sl_fail_memory(err);
	}
	size_t count = 0;
	__int128 sum = 0;
	for (uint32_t job = 0; job < m->jobs->count; job++) {
		slowdown[job] = SL_NONE;
		if (m->worked[job] <= 0)
			continue;
		slowdown[job] = sl_mul_div(m->held[job], 1000000, m->worked[job]);
		sum += slowdown[job];
		sorted[count++] = slowdown[job];
	}
	if (count)
		qsort(sorted, count, sizeof(*sorted), fabric_reported_by_value);
	const int64_t p95 = count ? sorted[(count * 95 + 99) / 100 - 1] : 0;
	free(sorted);
	int status = sl_report_metric(tally, "fabric.jobs", (int64_t)count * 1000000, err);
	status = status ? status
			: sl_report_metric(tally, "fabric.jobs.most", (int64_t)m->on_it_most * 1000000, err);
	if (!status && count)
		status =
			sl_report_metric(tally, "fabric.slowdown.mean", (int64_t)(sum / (int64_t)count), err);
	if (!status && count)
		status = sl_report_metric(tally, "fabric.slowdown.p95", p95, err);
	return status ? status : sl_report_job_column(tally, "network_slowdown", slowdown, err);
}

/* Bytes a second over what it has, in millionths; 0 where nothing bounds it. */
static int64_t fabric_reported_part_of(__int128 bytes, const struct fabric_link *link)
{
	if (link->capacity == INT64_MAX || link->capacity <= 0)
		return 0;
	return (int64_t)((bytes * 1000000 + link->capacity / 2) / link->capacity);
}

static __int128 fabric_reported_mean_of(const struct fabric_load *load, sl_time range)
{
	return range > 0 ? load->sum / range : 0;
}

static int report_links(struct fabric_model *m, sl_time now, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "link", "level", "capacity_mb_s", "mean_load", "peak_load",
		"limiting" };
	enum { COLUMNS = SL_LEN(column) };
	struct sl_cell *cell = sl_alloc(m->arena, (size_t)m->links * COLUMNS + 1, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	const sl_time range = m->first == SL_NONE ? 0 : now - m->first;
	int64_t busiest = 0;
	sl_time limiting = 0;
	for (uint32_t i = 0; i < m->links; i++) {
		const struct fabric_link *link = &m->link[i];
		const struct fabric_load *load = &m->load[i];
		struct sl_cell *row = &cell[(size_t)i * COLUMNS];
		row[0].text = link->name;
		row[1].micro = (int64_t)link->level * 1000000;
		row[2].micro = link->capacity == INT64_MAX ? SL_NONE
							   : link->capacity; /* B/s are millionths of MB/s. */
		row[3].micro = fabric_reported_part_of(fabric_reported_mean_of(load, range), link);
		row[4].micro = fabric_reported_part_of(load->peak, link);
		row[5].micro = load->full_time;
		if (row[3].micro > busiest)
			busiest = row[3].micro;
		if (load->full_time > limiting)
			limiting = load->full_time;
	}
	int status = sl_report_metric(tally, "fabric.link.load.most", busiest, err);
	status = status ? status : sl_report_metric(tally, "fabric.link.limiting.most", limiting, err);
	return status ? status : sl_report_add_table(tally, "links", column, COLUMNS, cell, m->links, err);
}

static int report_effort(const struct fabric_model *m, struct sl_tally *tally, struct sl_err *err)
{
	const struct fabric_effort effort = fabric_share_effort(m->share);
	const int64_t solves = (int64_t)effort.solves;
	int status = sl_report_metric(tally, "fabric.solves", solves * 1000000, err);
	if (!status && solves)
		status = sl_report_metric(tally, "fabric.solve.jobs.mean",
			sl_mul_div((int64_t)effort.jobs, 1000000, solves), err);
	if (!status && solves)
		status = sl_report_metric(
			tally, "fabric.solve.jobs.most", (int64_t)effort.jobs_most * 1000000, err);
	return status;
}

/* Jobs that still run are counted up to now. */
static void close_all(struct fabric_model *m, sl_time now)
{
	for (uint32_t i = 0; i < m->links; i++) {
		fabric_load_close(&m->load[i], now);
		if (fabric_share_is_full(m->share, i))
			fabric_load_full(&m->load[i], now, false);
	}
	for (uint32_t job = 0; m->on_it && job < m->jobs->count; job++) {
		const uint32_t slot = fabric_share_slot(m->share, job);
		if (slot == UINT32_MAX)
			continue;
		const struct fabric_client *client = &m->client[slot];
		m->held[job] += now - client->since;
		m->worked[job] +=
			(sl_time)(((unsigned __int128)(uint64_t)(now - client->since) * client->rate) >> 32);
	}
}

int fabric_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct fabric_model *m = state;
	if (m->failed)
		return sl_fail_memory(err);
	const sl_time now =
		m->on_it ? sl_now(sim) : m->last; /* Means are of the time in which there was traffic. */
	close_all(m, now);
	int status = report_jobs(m, tally, err);
	status = status ? status : report_links(m, now, tally, err);
	return status ? status : report_effort(m, tally, err);
}
