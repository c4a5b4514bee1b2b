/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_table.c - the policy's own figures at a moment, for views and explain.
 *
 *   pending  a row for each job that waits, queue by queue (by name), in each in its order: its row, its
 * places in the ClusterQueue and in the LocalQueue from 1, as Kueue's visibility API counts from 0; the
 * reason and the message of its condition QuotaReserved
 *   quota    a row for each ClusterQueue, flavor and resource with a quota: how much there is, is used, is
 * borrowed, and may be used besides, as Kubernetes writes amounts
 *   course   a row for each step of each job so far, in the order of time: its row, when (in seconds), what
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/kueue/kueue.h"
#include "policies/kueue/rules/kq_assign.h"
#include "policies/kueue/rules/kq_queue.h"

#define NUMBER(value) \
	(struct sl_figure) { .text = NULL, .number = (value) }
#define WORD(value) \
	(struct sl_figure) { .text = (value), .number = (double)NAN }

static const char *kueue_table_text_of(const char *text) { return text ? text : ""; }

/* ---- Who waits ---------------------------------------------------------------------------------- */

/* Workloads that wait, in the order of their queue. */
struct waiting {
	struct kq *kq;
	uint32_t *workload;
	size_t count, capacity;
};

static int compare_waiting(const void *a, const void *b, void *self)
{
	struct kq *kq = ((struct waiting *)self)->kq;
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	if (kq_queue_before(kq, x, y))
		return -1;
	return kq_queue_before(kq, y, x) ? 1 : (x > y) - (x < y);
}

static bool kueue_table_gather(struct kueue *k, struct waiting *waiting, uint32_t queue)
{
	static const enum kq_queued where[] = { KQ_ACTIVE, KQ_INADMISSIBLE, KQ_IN_FLIGHT };
	waiting->count = 0;
	for (size_t i = 0; i < SL_LEN(where); i++) {
		const uint32_t *workload;
		const uint32_t count = kq_waiting(k->kq, queue, where[i], &workload);
		if (!count)
			continue;
		if (!kueue_reserve(k, (void **)&waiting->workload, &waiting->capacity,
			    sizeof(*waiting->workload), waiting->count + count))
			return false;
		memcpy(waiting->workload + waiting->count, workload, count * sizeof(*workload));
		waiting->count += count;
	}
	if (waiting->count)
		qsort_r(waiting->workload, waiting->count, sizeof(*waiting->workload), compare_waiting,
			waiting);
	return true;
}

/* place 0: in no queue. */
static int list_workload(const struct kueue *k, uint32_t workload, size_t place, size_t local_place,
	const struct sl_table_sink *table)
{
	static const char *const column[] = { "job", "queue", "place", "local_queue", "local_place", "reason",
		"message" };
	const struct kq_workload *row = &k->kq->workload[workload];
	const struct kq_local_queue *local = row->local == KQ_NO ? NULL : &k->kq->local[row->local];
	const struct kq_cond *cond = &row->cond[KQ_QUOTA_RESERVED];
	const bool said = cond->status == KQ_FALSE;
	const struct sl_figure figure[SL_LEN(column)] = {
		NUMBER(k->job_of[workload]),
		WORD(local ? kueue_table_text_of(local->queue_name) : ""),
		NUMBER(place ? (double)place : (double)NAN),
		WORD(kueue_table_text_of(row->queue_name)),
		NUMBER(place ? (double)local_place : (double)NAN),
		WORD(said ? kueue_table_text_of(cond->reason) : ""),
		WORD(said ? kueue_table_text_of(cond->message) : ""),
	};
	return table->row(table->self, column, figure, SL_LEN(figure));
}

static int list_waiting(const struct kueue *k, const struct waiting *waiting, uint32_t *of_local,
	const struct sl_table_sink *table)
{
	int status = SL_OK;
	memset(of_local, 0, k->kq->local_count * sizeof(*of_local));
	for (size_t i = 0; i < waiting->count && !status; i++) {
		const uint32_t local = k->kq->workload[waiting->workload[i]].local;
		const uint32_t place = local == KQ_NO ? 0 : ++of_local[local];
		if (waiting->workload[i] < k->job_of_count &&
			k->job_of[waiting->workload[i]] < k->jobs->count)
			status = list_workload(k, waiting->workload[i], i + 1, place, table);
	}
	return status;
}

/* In no queue: theirs is not there, is stopped, or they back off. */
static int list_others(const struct kueue *k, const struct sl_table_sink *table)
{
	int status = SL_OK;
	for (uint32_t row = 0; row < k->jobs->count && !status; row++) {
		const struct kueue_job *job = &k->job[row];
		if (job->workload != KQ_NO && job->stage == KUEUE_WAITS &&
			k->kq->workload[job->workload].queued == KQ_NOT_QUEUED)
			status = list_workload(k, job->workload, 0, 0, table);
	}
	return status;
}

static int list_pending(struct kueue *k, const struct sl_table_sink *table, struct sl_err *err)
{
	struct waiting waiting = { .kq = k->kq };
	uint32_t *of_local = calloc((size_t)k->kq->local_count + 1, sizeof(*of_local));
	int status = of_local ? SL_OK : SL_SYSTEM;
	for (uint32_t i = 0; i < k->kq->queue_count && !status; i++)
		status = kueue_table_gather(k, &waiting, k->kq->queue[i])
				 ? list_waiting(k, &waiting, of_local, table)
				 : SL_SYSTEM;
	if (!status)
		status = list_others(k, table);
	free(of_local);
	free(waiting.workload);
	return status == SL_SYSTEM ? sl_fail_memory(err) : status;
}

/* ---- Quota -------------------------------------------------------------------------------------- */

static int list_cell(const struct kueue *k, uint32_t queue, uint32_t fr, const struct sl_table_sink *table)
{
	static const char *const column[] = { "queue", "root", "flavor", "resource", "nominal", "used",
		"borrowed", "available", "borrows" };
	const struct kq *kq = k->kq;
	const size_t at = (size_t)queue * kq->fr_count + fr;
	const int64_t over = kq_sub(kq->usage[at], kq->nominal[at]);
	const int64_t free_now = kq_available(kq, queue, fr);
	const uint32_t resource = kq->fr[fr].resource;
	char nominal[32], used[32], borrowed[32], available[32];
	kq_quantity(resource, kq->nominal[at], nominal);
	kq_quantity(resource, kq->usage[at], used);
	kq_quantity(resource, over > 0 ? over : 0, borrowed);
	kq_quantity(resource, free_now > 0 ? free_now : 0, available);
	const struct sl_figure figure[SL_LEN(column)] = {
		WORD(kq->node[queue].name),
		WORD(kq->node[kq->node[queue].root].name),
		WORD(kq->flavor[kq->fr[fr].flavor].name),
		WORD(kq->resource[resource]),
		WORD(nominal),
		WORD(used),
		WORD(borrowed),
		WORD(available),
		NUMBER(over > 0),
	};
	return table->row(table->self, column, figure, SL_LEN(figure));
}

static int list_quota(const struct kueue *k, const struct sl_table_sink *table)
{
	const struct kq *kq = k->kq;
	const struct kq_quota_made *made = kq->state[KQ_PART_QUOTA];
	int status = SL_OK;
	for (uint32_t i = 0; made && i < kq->queue_count; i++)
		for (uint32_t fr = 0; fr < kq->fr_count && !status; fr++) {
			const uint32_t queue = kq->queue[i];
			if (!kq->node[queue].cycle && made->quoted[(size_t)queue * kq->fr_count + fr])
				status = list_cell(k, queue, fr, table);
		}
	return status;
}

/* ---- What jobs went through --------------------------------------------------------------------- */

void kueue_note(struct kueue *k, uint32_t row, enum kueue_step step)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	struct kueue_note note = { .at = k->now, .row = row, .step = step };
	if (step == KUEUE_RESERVED && workload->admission)
		for (uint32_t p = 0; p < workload->podset_count; p++) {
			note.pods += kq_admitted_count(k->kq, k->job[row].workload, p);
			note.of += kq_podset_count(k->kq, &workload->podset[p]);
		}
	if (kueue_reserve(k, (void **)&k->note, &k->note_capacity, sizeof(*k->note), k->note_count + 1))
		k->note[k->note_count++] = note;
}

static int list_series(const struct kueue *k, const struct sl_table_sink *table)
{
	static const char *const column[] = { "job", "at", "step" };
	static const char *const step[] = { [KUEUE_QUEUED] = "queued",
		[KUEUE_RESERVED] = "quota reserved",
		[KUEUE_ADMITTED] = "admitted",
		[KUEUE_ON_NODES] = "pods on nodes",
		[KUEUE_READY] = "pods ready",
		[KUEUE_EVICTED] = "evicted" };
	int status = SL_OK;
	for (size_t i = 0; i < k->note_count && !status; i++) {
		const struct kueue_note *note = &k->note[i];
		char at[40], text[80];
		*sl_put_micro(at, note->at) = '\0';
		if (note->pods < note->of)
			(void)snprintf(text, sizeof(text), "%s for %" PRId64 " of %" PRId64 " pods",
				step[note->step], note->pods, note->of);
		else
			(void)snprintf(text, sizeof(text), "%s", step[note->step]);
		const struct sl_figure figure[SL_LEN(column)] = { NUMBER(note->row), WORD(at), WORD(text) };
		status = table->row(table->self, column, figure, SL_LEN(figure));
	}
	return status;
}

int kueue_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err)
{
	struct kueue *k = state;
	(void)pass;
	(void)at;
	if (strcmp(what, "pending") == 0)
		return list_pending(k, table, err);
	if (strcmp(what, "quota") == 0)
		return list_quota(k, table);
	if (strcmp(what, "course") == 0)
		return list_series(k, table);
	return SL_USAGE;
}
