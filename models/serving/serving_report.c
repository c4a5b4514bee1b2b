/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serving_report.c - what services tell as the run is over.
 */
#include <stdio.h>
#include <string.h>

#include "models/serving/serving.h"

#define MICROHOUR (INT64_C(3600)) /* us in a millionth of an hour. */

static int64_t narrow(__int128 value) { return value < INT64_MAX ? (int64_t)value : INT64_MAX; }

/* part / whole in millionths, rounded half up; of nothing: all. */
static int64_t serving_report_share_of(__int128 part, __int128 whole)
{
	if (whole <= 0)
		return SL_SECOND;
	while (whole > (__int128)1 << 100) { /* So that the product fits. */
		whole >>= 1;
		part >>= 1;
	}
	return narrow((part * SL_SECOND + whole / 2) / whole);
}

/* A mean over time, in millionths. */
static int64_t serving_report_mean_of(__int128 sum, sl_time time)
{
	return time > 0 ? narrow((sum * SL_SECOND + time / 2) / time) : 0;
}

static int64_t requests_of(__int128 sum) { return narrow((sum + SL_SECOND / 2) / SL_SECOND); }

static int64_t hours_of(const struct serving *serving, __int128 gpu_time)
{
	const __int128 unit = (__int128)MICROHOUR * serving->gpu_parts;
	return narrow((gpu_time + unit / 2) / unit);
}

/* ---- Metrics ------------------------------------------------------------------------------------------- */

static int metric(struct serving *serving, struct sl_tally *tally, const char *name, const char *service,
	int64_t micro, struct sl_err *err)
{
	char text[200];
	(void)snprintf(
		text, sizeof(text), service ? "serving.%s{service=%.80s}" : "serving.%s", name, service);
	const char *lasting = sl_strdup(serving->arena, text, strlen(text));
	return lasting ? sl_report_metric(tally, lasting, micro, err) : sl_fail_memory(err);
}

/* Figures of one service, or of all together. */
struct figures {
	struct serving_sum sum;
	uint64_t cold_starts, replacements;
	__int128 gpu_time;
};

static int report_figures(struct serving *serving, struct sl_tally *tally, const char *service,
	const struct figures *of, struct sl_err *err)
{
	const struct {
		const char *name;
		int64_t micro;
	} all[] = {
		{ "served", serving_report_share_of(of->sum.served, of->sum.load) },
		{ "attainment", serving_report_share_of(of->sum.met, of->sum.time) },
		{ "requests", requests_of(of->sum.load) },
		{ "unserved", requests_of(of->sum.load - of->sum.served) },
		{ "cold_starts", (int64_t)of->cold_starts * SL_SECOND },
		{ "replacements", (int64_t)of->replacements * SL_SECOND },
		{ "gpu_hours", hours_of(serving, of->gpu_time) },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(all) && !status; i++)
		status = metric(serving, tally, all[i].name, service, all[i].micro, err);
	return status;
}

static int report_replicas(
	struct serving *serving, struct sl_tally *tally, const struct serving_service *s, struct sl_err *err)
{
	const struct {
		const char *name;
		int64_t micro;
	} all[] = {
		{ "wanted.mean", serving_report_mean_of(s->sum.wanted, s->sum.time) },
		{ "wanted.max", s->wanted_max * SL_SECOND },
		{ "running.mean", serving_report_mean_of(s->sum.running, s->sum.time) },
		{ "ready.mean", serving_report_mean_of(s->sum.ready, s->sum.time) },
		{ "ready.max", s->ready_max * SL_SECOND },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(all) && !status; i++)
		status = metric(serving, tally, all[i].name, s->name, all[i].micro, err);
	return status;
}

static void figures_add(struct figures *to, const struct serving_service *s)
{
	to->sum.load += s->sum.load;
	to->sum.served += s->sum.served;
	to->sum.time += s->sum.time;
	to->sum.met += s->sum.met;
	to->cold_starts += s->cold_starts;
	to->replacements += s->replacements;
	to->gpu_time += s->gpu_time;
}

/* ---- Tables ------------------------------------------------------------------------------------- */

enum { COLUMNS = 8 };

/* Means over ranges, in requests a second and replicas. */
static void range_row(
	struct sl_cell *row, const struct serving_service *s, const struct serving_sum *sum, uint32_t range)
{
	const sl_time from = s->began + range * s->width;
	row[0].text = s->name;
	row[1].micro = from;
	row[2].micro = from + sum->time;
	row[3].micro = serving_report_mean_of(sum->load, sum->time) / SL_SECOND;
	row[4].micro = serving_report_mean_of(sum->served, sum->time) / SL_SECOND;
	row[5].micro = serving_report_mean_of(sum->wanted, sum->time);
	row[6].micro = serving_report_mean_of(sum->running, sum->time);
	row[7].micro = serving_report_mean_of(sum->ready, sum->time);
}

static int report_table(struct serving *serving, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const names[COLUMNS] = { "service", "from", "to", "load", "served", "wanted",
		"running", "ready" };
	size_t rows = 0;
	for (uint32_t i = 0; i < serving->services; i++)
		for (uint32_t k = 0; k < SERVING_RANGES; k++)
			rows += serving->service[i].range[k].time > 0;
	struct sl_cell *cell = sl_alloc(serving->arena, rows * COLUMNS + 1, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	rows = 0;
	for (uint32_t i = 0; i < serving->services; i++) {
		const struct serving_service *s = &serving->service[i];
		for (uint32_t k = 0; k < SERVING_RANGES; k++)
			if (s->range[k].time > 0)
				range_row(&cell[COLUMNS * rows++], s, &s->range[k], k);
	}
	return sl_report_add_table(tally, "serving", names, COLUMNS, cell, rows, err);
}

static int report_column(struct serving *serving, struct sl_tally *tally, struct sl_err *err)
{
	int64_t *ready = sl_alloc(serving->arena, (size_t)serving->jobs->count + 1, sizeof(*ready));
	if (!ready)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < serving->jobs->count; i++)
		ready[i] = SL_NONE;
	for (uint32_t i = 0; i < serving->replicas; i++)
		ready[serving->replica[i].job] = serving->replica[i].ready_first;
	return sl_report_job_column(tally, "ready", ready, err);
}

/* ---- All of it ---------------------------------------------------------------------------------- */

/* Those that run still, as it was stopped. */
static void count_running(struct serving *serving, sl_time now)
{
	for (uint32_t i = 0; i < serving->replicas; i++) {
		const struct serving_replica *r = &serving->replica[i];
		if (r->running && serving->jobs->request)
			serving->service[r->service].gpu_time +=
				(__int128)(now - r->started) *
				serving->jobs->requests[serving->jobs->request[r->job]].gpus;
	}
}

int serving_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct serving *serving = state;
	struct figures all = { 0 };
	count_running(serving, sl_now(sim));
	for (uint32_t i = 0; i < serving->services; i++) {
		serving_pass_to(serving, i, sl_now(sim));
		figures_add(&all, &serving->service[i]);
	}
	int status = report_figures(serving, tally, NULL, &all, err);
	for (uint32_t i = 0; i < serving->services && !status; i++) {
		const struct serving_service *s = &serving->service[i];
		struct figures one = { 0 };
		figures_add(&one, s);
		status = report_figures(serving, tally, s->name, &one, err);
		if (!status)
			status = report_replicas(serving, tally, s, err);
	}
	if (!status)
		status = report_column(serving, tally, err);
	return status ? status : report_table(serving, tally, err);
}
