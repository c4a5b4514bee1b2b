/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_report.c - what the policy reports at the end of a run: metrics, columns of jobs, evictions.
 */
#include "policies/kueue/kueue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICRO INT64_C(1000000)

void kueue_note_eviction(struct kueue *k, uint32_t row, const char *how, const char *reason, uint32_t cause,
	const char *message)
{
	const struct kq *kq = k->kq;
	if (!kueue_reserve(k, (void **)&k->eviction, &k->eviction_capacity, sizeof(*k->eviction),
		    k->eviction_count + 1))
		return;
	const uint32_t local = kq->workload[k->job[row].workload].local;
	const uint32_t by_local = cause == UINT32_MAX ? KQ_NO : kq->workload[k->job[cause].workload].local;
	k->eviction[k->eviction_count++] = (struct kueue_eviction){ .at = k->now,
		.job = row,
		.cause = cause,
		.how = how ? how : "",
		.reason = reason ? reason : "",
		.queue = local == KQ_NO ? "" : kq->local[local].queue_name,
		.by_queue = by_local == KQ_NO ? "" : kq->local[by_local].queue_name,
		.message = message ? kq_text(k->kq, message) : "" };
}

/* ---- Sums by a word ----------------------------------------------------------------------------- */

enum { WORDS_MAX = 256 };

struct sums {
	const char *word[WORDS_MAX];
	int64_t sum[WORDS_MAX], count[WORDS_MAX];
	uint32_t words;
};

/* In the order of the words. */
static void add_word(struct sums *sums, const char *word, int64_t amount)
{
	uint32_t at = 0;
	while (at < sums->words && strcmp(sums->word[at], word) < 0)
		at++;
	if (at == sums->words || strcmp(sums->word[at], word) != 0) {
		if (sums->words == WORDS_MAX)
			return;
		memmove(&sums->word[at + 1], &sums->word[at], (sums->words - at) * sizeof(*sums->word));
		memmove(&sums->sum[at + 1], &sums->sum[at], (sums->words - at) * sizeof(*sums->sum));
		memmove(&sums->count[at + 1], &sums->count[at], (sums->words - at) * sizeof(*sums->count));
		sums->word[at] = word;
		sums->sum[at] = sums->count[at] = 0;
		sums->words++;
	}
	sums->sum[at] += amount;
	sums->count[at]++;
}

static int report_words(struct sl_tally *tally, const char *name, const char *label, const struct sums *sums,
	bool mean, struct sl_err *err)
{
	char text[200];
	int status = SL_OK;
	for (uint32_t i = 0; i < sums->words && !status; i++) {
		(void)snprintf(text, sizeof(text), "%s{%s=%.100s}", name, label, sums->word[i]);
		status = sl_report_metric(
			tally, text, mean ? sums->sum[i] / sums->count[i] : sums->count[i] * MICRO, err);
	}
	return status;
}

/* ---- Metrics ------------------------------------------------------------------------------------ */

/* By the name of its class, else its number. */
static const char *class_name(struct kueue *k, uint32_t row)
{
	const char *name = k->shape[k->shape_of[row]].pods->priority_class;
	char number[32];
	if (name)
		return name;
	(void)snprintf(
		number, sizeof(number), "%lld", (long long)k->kq->workload[k->job[row].workload].priority);
	return kq_text(k->kq, number);
}

static int report_admissions(struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	struct sums *sums = sl_alloc(k->arena, 1, sizeof(*sums));
	int64_t sum = 0, count = 0;
	if (!sums)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < k->jobs->count; row++) {
		const struct kueue_job *job = &k->job[row];
		if (job->workload == KQ_NO || job->admitted == SL_NONE)
			continue;
		const sl_time waited = job->admitted - k->kq->workload[job->workload].created;
		add_word(sums, class_name(k, row), waited);
		sum += waited;
		count++;
	}
	int status = count ? sl_report_metric(tally, "kueue.time_to_admission", sum / count, err) : SL_OK;
	return status ? status : report_words(tally, "kueue.time_to_admission", "class", sums, true, err);
}

static int report_reasons(struct kueue *k, struct sl_tally *tally, bool preemptions, struct sl_err *err)
{
	const char *name = preemptions ? "kueue.preemptions" : "kueue.evictions";
	struct sums *sums = sl_alloc(k->arena, 1, sizeof(*sums));
	int64_t count = 0;
	if (!sums)
		return sl_fail_memory(err);
	for (size_t i = 0; i < k->eviction_count; i++) {
		const struct kueue_eviction *one = &k->eviction[i];
		if (preemptions && strcmp(one->how, "Preempted") != 0)
			continue;
		add_word(sums, preemptions ? one->reason : one->how, 1);
		count++;
	}
	const int status = sl_report_metric(tally, name, count * MICRO, err);
	return status ? status : report_words(tally, name, "reason", sums, false, err);
}

static int report_metrics(struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	const struct {
		const char *name;
		uint64_t count;
	} counts[] = { { "kueue.admissions", k->admissions }, { "kueue.cycles", k->cycles },
		{ "kueue.reservations", k->reservations }, { "kueue.misconfigured", k->misconfigured },
		{ "kueue.api_writes", k->writes } };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(counts) && !status; i++)
		status = sl_report_metric(tally, counts[i].name, (int64_t)counts[i].count * MICRO, err);
	if (!status)
		status = report_admissions(k, tally, err);
	if (!status)
		status = report_reasons(k, tally, false, err);
	return status ? status : report_reasons(k, tally, true, err);
}

/* ---- Columns of jobs ---------------------------------------------------------------------------- */

static int report_columns(struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const names[] = { "admitted", "admissions", "evictions", "preemptions" };
	int64_t *column[SL_LEN(names)];
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(names); i++) {
		column[i] = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(int64_t));
		if (!column[i])
			return sl_fail_memory(err);
	}
	for (uint32_t row = 0; row < k->jobs->count; row++) {
		const struct kueue_job *job = &k->job[row];
		const bool known = job->workload != KQ_NO;
		column[0][row] = job->admitted;
		column[1][row] = known ? job->admissions * MICRO : SL_NONE;
		column[2][row] = known ? job->evictions * MICRO : SL_NONE;
		column[3][row] = known ? job->preemptions * MICRO : SL_NONE;
	}
	for (size_t i = 0; i < SL_LEN(names) && !status; i++)
		status = sl_report_job_column(tally, names[i], column[i], err);
	return status;
}

/* ---- evictions.csv ------------------------------------------------------------------------------ */

static const char *workload_name(const struct kueue *k, uint32_t row)
{
	return row == UINT32_MAX ? "" : k->kq->workload[k->job[row].workload].name;
}

static int report_evictions(struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "job_id", "by", "reason", "cause", "queue", "by_queue",
		"message" };
	const size_t columns = SL_LEN(column);
	if (!k->eviction_count)
		return SL_OK;
	struct sl_cell *cell = sl_alloc(k->arena, k->eviction_count * columns, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	for (size_t i = 0; i < k->eviction_count; i++) {
		const struct kueue_eviction *one = &k->eviction[i];
		struct sl_cell *row = &cell[i * columns];
		row[0].micro = one->at;
		row[1].text = workload_name(k, one->job);
		row[2].text = workload_name(k, one->cause);
		row[3].text = one->how;
		row[4].text = one->reason;
		row[5].text = one->queue;
		row[6].text = one->by_queue;
		row[7].text = one->message;
	}
	return sl_report_add_table(
		tally, "evictions", column, (uint32_t)columns, cell, k->eviction_count, err);
}

int kueue_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct kueue *k = state;
	int status = report_metrics(k, tally, err);
	if (!status)
		status = kueue_checks_report(k, tally, err);
	if (!status)
		status = kueue_multi_report(k, tally, err);
	if (!status)
		status = report_columns(k, tally, err);
	if (!status)
		status = report_evictions(k, tally, err);
	if (!status && k->autoscale && k->binder)
		status = k->binder->report(k->binder_state, tally, err);
	return status ? status : kueue_series_report(k, sl_now(pass), tally, err);
}
