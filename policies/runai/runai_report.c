/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_report.c - what the policy reports at the end of a run: metrics, evictions.csv, projects.csv.
 */
#include "policies/runai/runai.h"

#include <stdio.h>
#include <string.h>

/* Of more queues the metrics of all are too many to be of use. */
enum { QUEUES_REPORTED = 1000, NAME_REPORTED = 120 };
#define MICRO   INT64_C(1000000)
#define SECONDS INT64_C(3600) /* Of an hour. */

/* Reported amounts (millionths) times us, to millionths of hours, rounded half up. */
static int64_t hours(unsigned __int128 sum)
{
	const uint64_t hour = (uint64_t)SL_SECOND * (uint64_t)SECONDS;
	const unsigned __int128 of = (sum + hour / 2) / hour;
	return of > INT64_MAX ? INT64_MAX : (int64_t)of;
}

static int runai_report_put(struct sl_tally *tally, const char *name, int64_t micro, struct sl_err *err)
{
	return sl_report_metric(tally, name, micro, err);
}

/* ---- Whose jobs are ---- */

static int report_mapped(const struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	char name[80];
	int status = SL_OK;
	for (int i = 0; i < RUNAI_MAPPEDS && !status; i++) {
		(void)snprintf(
			name, sizeof(name), "runai.mapped{by=%s}", runai_mapped_name((enum runai_mapped)i));
		status = r->mapped[i] ? runai_report_put(tally, name, (int64_t)r->mapped[i] * MICRO, err)
				      : SL_OK;
	}
	return status;
}

/* ---- Evictions ---- */

static unsigned __int128 lost_of(const struct runai_eviction *one)
{
	return (unsigned __int128)(uint64_t)runai_reported(KAI_GPUS, one->gpus) *
	       (uint64_t)(one->ran > 0 ? one->ran : 0);
}

static int report_evictions(const struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	int64_t count[KAI_ACTIONS] = { 0 }, moved = 0;
	unsigned __int128 sum = 0, lost = 0;
	char name[80];
	for (uint32_t i = 0; i < r->eviction_count; i++) {
		count[r->eviction[i].action]++;
		moved += r->eviction[i].moved;
		sum += lost_of(&r->eviction[i]);
		lost += r->checkpoint || r->eviction[i].shrunk ? 0 : lost_of(&r->eviction[i]);
	}
	int status = runai_report_put(tally, "runai.evictions", r->eviction_count * MICRO, err);
	for (int i = 0; i < KAI_ACTIONS && !status; i++) {
		(void)snprintf(name, sizeof(name), "runai.evictions{action=%s}",
			runai_action_name((enum kai_action)i));
		status = count[i] ? runai_report_put(tally, name, count[i] * MICRO, err) : SL_OK;
	}
	if (!status)
		status = runai_report_put(tally, "runai.moved", moved * MICRO, err);
	if (!status)
		status = runai_report_put(tally, "runai.preempted_gpu_hours", hours(sum), err);
	return status ? status : runai_report_put(tally, "runai.lost_gpu_hours", hours(lost), err);
}

static const char *runai_report_id_of(const struct runai *r, uint32_t row)
{
	char id[32];
	if (row == UINT32_MAX)
		return "";
	if (r->jobs->id_name && r->jobs->id_name[row])
		return r->jobs->id_name[row];
	(void)snprintf(id, sizeof(id), "%lld", (long long)r->jobs->id[row]);
	return sl_strdup(r->arena, id, strlen(id));
}

static const char *project_of(const struct runai *r, uint32_t row)
{
	const uint32_t queue = row == UINT32_MAX ? KAI_NO : r->run[row].said.queue;
	return queue == KAI_NO ? "" : r->config.queue[queue].name;
}

static int put_eviction(struct runai *r, const struct runai_eviction *one, struct sl_cell *cell)
{
	cell[0].micro = one->at;
	cell[1].text = runai_report_id_of(r, one->row);
	cell[2].text = project_of(r, one->row);
	cell[3].text = runai_action_name(one->action);
	cell[4].text = runai_report_id_of(r, one->cause);
	cell[5].text = project_of(r, one->cause);
	cell[6].text = runai_evicted_text(r, one);
	cell[7].micro = runai_reported(KAI_GPUS, one->gpus);
	cell[8].text = one->moved ? "yes" : "no";
	cell[9].micro = one->ran;
	cell[10].text = r->checkpoint || one->shrunk ? "kept" : "lost";
	return cell[1].text && cell[4].text && cell[6].text ? SL_OK : SL_SYSTEM;
}

static int report_eviction_table(struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "job_id", "project", "action", "by", "by_project",
		"reason", "gpus", "moved", "ran_for", "work" };
	if (!r->eviction_count)
		return SL_OK;
	struct sl_cell *cell = sl_alloc(r->arena, r->eviction_count * SL_LEN(column), sizeof(*cell));
	for (uint32_t i = 0; cell && i < r->eviction_count; i++)
		if (put_eviction(r, &r->eviction[i], &cell[i * SL_LEN(column)]) != 0)
			cell = NULL;
	if (!cell)
		return sl_fail_memory(err);
	return sl_report_add_table(tally, "evictions", column, SL_LEN(column), cell, r->eviction_count, err);
}

/* ---- Projects ---- */

/* Names that are no label of a metric (quotes, backslashes, control characters, very long ones) are in
 * projects.csv alone. */
static int report_queue(struct sl_tally *tally, const char *metric, const char *kind, const char *name,
	int64_t micro, struct sl_err *err)
{
	char text[200];
	if (strlen(name) > NAME_REPORTED)
		return SL_OK;
	for (const char *c = name; *c; c++)
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			return SL_OK;
	(void)snprintf(text, sizeof(text), "%s{%s=%s}", metric, kind, name);
	return runai_report_put(tally, text, micro, err);
}

/* What accounts, partitions or users are entitled to of all GPUs, on the average over time, where projects
 * are these (sl_entitlement). */
static int report_entitlement(struct runai *r, uint32_t queue, const unsigned __int128 *sum, sl_time length,
	struct sl_tally *tally, struct sl_err *err)
{
	static const char *const cause[RUNAI_BYS] = {
		[RUNAI_BY_ACCOUNT] = "account", [RUNAI_BY_PARTITION] = "partition", [RUNAI_BY_USER] = "user"
	};
	const char *label = cause[r->config.cause];
	const int64_t gpus = r->cluster->gpus / sl_parts(r->cluster->gpu_parts);
	if (!label || gpus <= 0 || length <= 0 || r->config.queue[queue].children)
		return SL_OK;
	const unsigned __int128 whole = (unsigned __int128)(uint64_t)gpus * (uint64_t)length;
	const unsigned __int128 share = (sum[RUNAI_ENTITLEMENT] + whole / 2) / whole;
	return report_queue(tally, "entitled", label, r->config.queue[queue].name, (int64_t)share, err);
}

static int report_sums(struct runai *r, sl_time until, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const metric[RUNAI_SUMS] = { [RUNAI_ENTITLEMENT] = "runai.entitled_gpu_hours",
		[RUNAI_ALLOCATED] = "runai.allocated_gpu_hours",
		[RUNAI_OVER] = "runai.over_quota_gpu_hours",
		[RUNAI_LENT] = "runai.lent_gpu_hours",
		[RUNAI_WAITING] = "runai.waiting_gpu_hours",
		[RUNAI_ACTIVE] = "runai.active_gpu_hours" };
	const int displayed = runai_tells_active(r) ? RUNAI_SUMS : RUNAI_ACTIVE;
	const sl_time first = r->jobs->count ? r->jobs->submit[0] : 0;
	unsigned __int128 all[RUNAI_SUMS] = { 0 }, sum[RUNAI_SUMS];
	int status = SL_OK;
	for (uint32_t q = 0; q < r->config.queue_count && !status; q++) {
		const struct runai_queue *queue = &r->config.queue[q];
		runai_series_sums(r, until, q, sum);
		for (int i = 0; i < RUNAI_SUMS && !queue->children; i++)
			all[i] += sum[i];
		for (int i = 0; i < displayed && !status && r->config.queue_count <= QUEUES_REPORTED; i++)
			status = report_queue(
				tally, metric[i], runai_kind_of(r, q), queue->name, hours(sum[i]), err);
		if (!status && r->config.queue_count <= QUEUES_REPORTED)
			status = report_entitlement(r, q, sum, until - first, tally, err);
	}
	for (int i = RUNAI_ALLOCATED; i < displayed && !status; i++)
		status = runai_report_put(tally, metric[i], hours(all[i]), err);
	return status;
}

/* The mean wait of a project's jobs, to their first start; and how many never had one. */
static int report_waits(struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	struct waits {
		int64_t sum, started, jobs;
	} *of = sl_alloc(r->arena, (size_t)r->config.queue_count + 1, sizeof(*of));
	int status = of ? SL_OK : sl_fail_memory(err);
	if (!of || r->config.queue_count > QUEUES_REPORTED)
		return status;
	for (uint32_t row = 0; row < r->jobs->count; row++) {
		const struct runai_run *run = &r->run[row];
		if (run->said.queue == KAI_NO)
			continue;
		struct waits *mine = &of[run->said.queue];
		mine->jobs++;
		mine->started += run->first != SL_NONE;
		mine->sum += run->first == SL_NONE ? 0 : run->first - r->jobs->submit[row];
	}
	for (uint32_t q = 0; q < r->config.queue_count && !status; q++) {
		const char *name = r->config.queue[q].name;
		if (!of[q].jobs)
			continue;
		status = report_queue(tally, "runai.jobs", "project", name, of[q].jobs * MICRO, err);
		if (!status && of[q].started)
			status = report_queue(
				tally, "runai.wait", "project", name, of[q].sum / of[q].started, err);
	}
	return status;
}

/* Jobs for which victims were looked for, and for which that was given up. */
static int report_searches(const struct runai *r, struct sl_tally *tally, struct sl_err *err)
{
	uint64_t searches = 0, cut = 0;
	for (uint32_t i = 0; i < r->instance_count; i++) {
		searches += r->instance[i].kai->searches;
		cut += r->instance[i].kai->searches_cut;
	}
	const int status = runai_report_put(tally, "runai.searches", (int64_t)searches * MICRO, err);
	return status ? status : runai_report_put(tally, "runai.searches_cut", (int64_t)cut * MICRO, err);
}

int runai_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct runai *r = state;
	int status = runai_report_put(tally, "runai.sessions", (int64_t)r->sessions * MICRO, err);
	if (!status)
		status = report_searches(r, tally, err);
	if (!status)
		status = report_mapped(r, tally, err);
	if (!status)
		status = report_evictions(r, tally, err);
	if (!status)
		status = report_waits(r, tally, err);
	if (!status)
		status = report_sums(r, sl_now(pass), tally, err);
	if (!status)
		status = report_eviction_table(r, tally, err);
	return status ? status : runai_series_report(r, tally, err);
}
