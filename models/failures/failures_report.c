/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_report.c - what is reported at the end of a run: metrics, the columns `ettr` and
 * `attempts_failed`, the tables failures.csv, failure_causes.csv and mttf.csv.
 *
 * ETTR of a job: productive time / (end - submission), or, with ettr=started, / (end - first start);
 * productive is the work that counted in the end, 0 of a job that a failure ended. Kokolis et al. (HPCA 2025)
 * divide by the time in which the run was scheduled, or eligible and waiting; so, as remembered, does the
 * default. MTTF of jobs of a size: the time that they held nodes over the failures that ended attempts;
 * projected: that time over the node-time times the rate of failures that nodes showed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/failures/failures.h"

#define MILLION INT64_C(1000000)
#define HOUR_MS INT64_C(3600000)

uint32_t failures_record(struct failures *f, sl_time at, const char *what, uint32_t cause)
{
	if (f->record_count == FAIL_RECORDS_MAX ||
		SL_GROW_IN(f->setup.arena, f->record, f->record_capacity, f->record_count + 1, NULL)) {
		f->records_dropped++;
		return UINT32_MAX;
	}
	f->record[f->record_count] =
		(struct fail_record){ .at = at, .until = SL_NONE, .what = what ? what : "", .cause = cause };
	return f->record_count++;
}

/* ---- What is still open as the run ends ------------------------------------------------ */

static void close_accounting(struct failures *f, sl_time now)
{
	for (uint32_t i = 0; i < f->running_count; i++)
		failures_bin_held(f, &f->job[f->running[i]], now, true);
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct fail_node *node = &f->node[i];
		if (node->state == FAIL_DOWN)
			f->cause[node->now.cause].down += failures_times(1, now - node->down_since, 1);
		if (node->role == FAIL_ROLE_SERVING)
			f->serving += failures_times(1, now - node->serving_since, 1);
		if (node->away)
			f->away += failures_times(1, now - node->away_since, 1);
	}
	for (uint32_t i = 0; i < f->group_count; i++) {
		const struct fail_group *group = &f->group[i];
		if (group->out)
			f->cause[group->cause].down +=
				failures_times(group->node_count, now - group->next, 1);
	}
}

/* ---- Metrics ------------------------------------------------------------------------------ */

struct reporting {
	struct failures *f;
	struct sl_tally *tally;
	struct sl_err *err;
	int status;
};

static void metric(struct reporting *t, const char *name, int64_t micro)
{
	if (!t->status)
		t->status = sl_report_metric(t->tally, name, micro, t->err);
}

/* "name{cause=x}"; what would break the name's form is replaced. */
static void metric_of_cause(struct reporting *t, const char *family, const char *cause, int64_t micro)
{
	char name[200];
	const int len = snprintf(name, sizeof(name), "%s{cause=%.100s}", family, cause);
	for (char *p = strchr(name, '=') + 1; p < name + len - 1; p++)
		if (strchr("{},=\"\\", *p) || (unsigned char)*p < ' ')
			*p = '_';
	char *kept = sl_strdup(t->f->setup.arena, name, (size_t)len);
	if (kept)
		metric(t, kept, micro);
	else if (!t->status)
		t->status = sl_fail_memory(t->err);
}

static int64_t hours(int64_t ms) { return sl_mul_div(ms, MILLION, HOUR_MS); }

static bool is_used(const struct fail_cause *cause) { return cause->count || cause->jobs || cause->down; }

static void report_causes(struct reporting *t)
{
	struct failures *f = t->f;
	const bool gpus = f->setup.cluster->gpus > 0;
	for (uint32_t i = 0; i < f->cause_count; i++) {
		const struct fail_cause *cause = &f->cause[i];
		if (!is_used(cause))
			continue;
		metric_of_cause(t, "failures.count", cause->name, (int64_t)cause->count * MILLION);
		metric_of_cause(t, "failures.jobs", cause->name, (int64_t)cause->jobs * MILLION);
		metric_of_cause(t, "failures.down_node_hours", cause->name, hours(cause->down));
		metric_of_cause(t, "failures.lost_node_hours", cause->name, hours(cause->lost));
		if (gpus)
			metric_of_cause(t, "failures.lost_gpu_hours", cause->name, hours(cause->lost_gpu));
	}
}

struct sums {
	uint64_t count, jobs;
	int64_t down, lost, lost_gpu;
};

static struct sums sum_up(const struct failures *f)
{
	struct sums sums = { 0 };
	for (uint32_t i = 0; i < f->cause_count; i++) {
		sums.count += f->cause[i].count;
		sums.jobs += f->cause[i].jobs;
		sums.down += f->cause[i].down;
		sums.lost += f->cause[i].lost;
		sums.lost_gpu += f->cause[i].lost_gpu;
	}
	return sums;
}

/* Productive over available time, in millionths; SL_NONE: it has not ended, or never ran. */
static int64_t ettr_of(const struct failures *f, uint32_t row)
{
	const struct fail_job *job = &f->job[row];
	if (job->ended == SL_NONE || job->first == SL_NONE)
		return SL_NONE;
	const sl_time from = f->options.ettr == FAIL_ETTR_STARTED ? job->first : f->setup.jobs->submit[row];
	const sl_time range = job->ended - from;
	return range > 0 ? sl_mul_div(job->productive, MILLION, range) : SL_NONE;
}

static void report_ettr(struct reporting *t)
{
	struct failures *f = t->f;
	const uint32_t count = f->setup.jobs->count;
	int64_t *ettr = sl_alloc(f->setup.arena, (size_t)count + 1, sizeof(*ettr));
	int64_t *failed = sl_alloc(f->setup.arena, (size_t)count + 1, sizeof(*failed));
	if (!ettr || !failed) {
		t->status = sl_fail_memory(t->err);
		return;
	}
	int64_t sum = 0, jobs = 0;
	for (uint32_t i = 0; i < count; i++) {
		ettr[i] = ettr_of(f, i);
		failed[i] = f->job[i].first == SL_NONE ? SL_NONE : (int64_t)f->job[i].failures * MILLION;
		if (ettr[i] == SL_NONE || f->job[i].nodes < f->options.ettr_nodes)
			continue;
		sum += ettr[i];
		jobs++;
	}
	if (jobs)
		metric(t, "ettr.mean", sl_mul_div(sum, 1, jobs));
	if (!t->status)
		t->status = sl_report_job_column(t->tally, "ettr", ettr, t->err);
	if (!t->status)
		t->status = sl_report_job_column(t->tally, "attempts_failed", failed, t->err);
}

static void report_metrics(struct reporting *t, sl_time now)
{
	struct failures *f = t->f;
	const struct sums sums = sum_up(f);
	const int64_t range = failures_times(1, now - f->begun, 1);
	metric(t, "failures.total", (int64_t)sums.count * MILLION);
	metric(t, "failures.jobs_hit", (int64_t)sums.jobs * MILLION);
	if (sums.count)
		metric(t, "failures.mtbf_hours", hours(range) / (int64_t)sums.count);
	uint64_t interruptions = 0;
	int64_t held = 0;
	for (uint32_t i = 0; i < FAIL_BINS; i++) {
		interruptions += f->bin[i].failures;
		held += f->bin[i].held;
	}
	if (interruptions)
		metric(t, "failures.mtti_hours", hours(held) / (int64_t)interruptions);
	metric(t, "failures.lost_node_hours", hours(sums.lost));
	metric(t, "failures.restart_node_hours", hours(f->restart));
	metric(t, "failures.useful_node_hours", hours(f->useful));
	if (f->setup.cluster->gpus > 0) {
		metric(t, "failures.lost_gpu_hours", hours(sums.lost_gpu));
		metric(t, "failures.restart_gpu_hours", hours(f->restart_gpu));
		metric(t, "failures.useful_gpu_hours", hours(f->useful_gpu));
	}
	if (f->node_count) {
		metric(t, "failures.down_node_hours", hours(sums.down));
		metric(t, "failures.passed_over", (int64_t)f->passed_over * MILLION);
		if (range > 0)
			metric(t, "failures.availability",
				MILLION - sl_mul_div(f->away, MILLION, range * f->node_count));
	}
	if (f->options.spares) {
		metric(t, "failures.spares.used", (int64_t)f->served * MILLION);
		metric(t, "failures.spares.missed", (int64_t)f->wanted * MILLION);
		metric(t, "failures.spares.node_hours", hours(f->serving));
	}
	if (f->records_dropped)
		metric(t, "failures.lines_dropped", (int64_t)f->records_dropped * MILLION);
}

/* ---- Tables ----------------------------------------------------------------------------------- */

static struct sl_cell failures_report_number(int64_t micro) { return (struct sl_cell){ NULL, micro }; }

static struct sl_cell *cells(struct reporting *t, size_t rows, size_t columns)
{
	struct sl_cell *cell =
		t->status ? NULL : sl_alloc(t->f->setup.arena, rows * columns + 1, sizeof(*cell));
	if (!cell && !t->status)
		t->status = sl_fail_memory(t->err);
	return cell;
}

static void report_records(struct reporting *t)
{
	static const char *const column[] = { "at", "what", "cause", "until", "jobs", "gpu_seconds_lost" };
	struct failures *f = t->f;
	struct sl_cell *cell = cells(t, f->record_count, SL_LEN(column));
	if (!cell)
		return;
	for (uint32_t i = 0; i < f->record_count; i++) {
		const struct fail_record *record = &f->record[i];
		struct sl_cell *row = &cell[i * SL_LEN(column)];
		row[0] = failures_report_number(record->at);
		row[1] = (struct sl_cell){ record->what, 0 };
		row[2] = (struct sl_cell){ f->cause[record->cause].name, 0 };
		row[3] = failures_report_number(record->until);
		row[4] = failures_report_number(record->jobs * MILLION);
		row[5] = failures_report_number(record->lost_gpu * 1000); /* Of ms. */
	}
	t->status = sl_report_add_table(
		t->tally, "failures", column, SL_LEN(column), cell, f->record_count, t->err);
}

static void report_cause_table(struct reporting *t)
{
	static const char *const column[] = { "cause", "failures", "jobs", "down_node_hours",
		"lost_node_hours", "lost_gpu_hours" };
	struct failures *f = t->f;
	struct sl_cell *cell = cells(t, f->cause_count, SL_LEN(column));
	if (!cell)
		return;
	size_t rows = 0;
	for (uint32_t i = 0; i < f->cause_count; i++) {
		const struct fail_cause *cause = &f->cause[i];
		if (!is_used(cause))
			continue;
		struct sl_cell *row = &cell[rows++ * SL_LEN(column)];
		row[0] = (struct sl_cell){ cause->name, 0 };
		row[1] = failures_report_number((int64_t)cause->count * MILLION);
		row[2] = failures_report_number((int64_t)cause->jobs * MILLION);
		row[3] = failures_report_number(hours(cause->down));
		row[4] = failures_report_number(hours(cause->lost));
		row[5] = failures_report_number(hours(cause->lost_gpu));
	}
	t->status =
		sl_report_add_table(t->tally, "failure_causes", column, SL_LEN(column), cell, rows, t->err);
}

/* Failures of a node in 1 ms of being up, over all: failures that were seen or hit, over node-time. */
static double rate_displayed(const struct failures *f, sl_time now)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < f->cause_drawn; i++)
		count += f->cause[i].count;
	const int64_t range = failures_times(1, now - f->begun, 1);
	const int64_t up = range * f->node_count - f->away;
	return up > 0 ? (double)count / (double)up : 0;
}

static void report_mttf(struct reporting *t, sl_time now)
{
	static const char *const column[] = { "nodes_from", "nodes_to", "attempts", "failures", "held_hours",
		"mttf_hours", "projected_hours" };
	struct failures *f = t->f;
	struct sl_cell *cell = cells(t, FAIL_BINS, SL_LEN(column));
	if (!cell)
		return;
	const double rate = rate_displayed(f, now);
	size_t rows = 0;
	for (uint32_t i = 0; i < FAIL_BINS; i++) {
		const struct fail_bin *bin = &f->bin[i];
		if (!bin->attempts)
			continue;
		struct sl_cell *row = &cell[rows++ * SL_LEN(column)];
		const double expected = rate * (double)bin->node_held;
		const double projected =
			expected > 0 ? (double)bin->held / (double)HOUR_MS / expected * 1e6 : 0;
		row[0] = failures_report_number((INT64_C(1) << i) * MILLION);
		row[1] = failures_report_number(((INT64_C(2) << i) - 1) * MILLION);
		row[2] = failures_report_number((int64_t)bin->attempts * MILLION);
		row[3] = failures_report_number((int64_t)bin->failures * MILLION);
		row[4] = failures_report_number(hours(bin->held));
		row[5] = failures_report_number(
			bin->failures ? hours(bin->held) / (int64_t)bin->failures : SL_NONE);
		row[6] = failures_report_number(
			projected > 0 && projected < 1e18 ? (int64_t)(projected + 0.5) : SL_NONE);
	}
	t->status = sl_report_add_table(t->tally, "mttf", column, SL_LEN(column), cell, rows, t->err);
}

int failures_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct reporting t = { .f = state, .tally = tally, .err = err };
	const sl_time now = sl_now(sim);
	close_accounting(t.f, now);
	report_metrics(&t, now);
	report_causes(&t);
	if (!t.status)
		report_ettr(&t);
	report_records(&t);
	report_cause_table(&t);
	report_mttf(&t, now);
	return t.status;
}
