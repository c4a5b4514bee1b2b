/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_calibrate.c - calibrate.h's numbers as metrics, of runs that are to be compared with their log, and
 * as calibration.csv.
 */
#include <stdio.h>
#include <string.h>

#include "reports/metrics/calibrate.h"
#include "reports/metrics/metrics.h"

static void metrics_calibrate_put_count(struct sl_metrics *metrics, const char *name, size_t count)
{
	metrics_put(metrics, name, count, 1, METRICS_MICRO);
}

static void put_side(struct sl_metrics *metrics, const char *measure, const char *which, const char *label,
	const struct calibrate_side *side)
{
	const struct {
		const char *name;
		sl_time value;
	} line[] = { { "mean", side->mean }, { "p50", side->p50 }, { "p95", side->p95 } };
	char name[400];
	for (size_t i = 0; i < SL_LEN(line); i++) {
		(void)snprintf(
			name, sizeof(name), "calibration.%s.%s.%s%s", measure, which, line[i].name, label);
		sl_metric_put(metrics, name, line[i].value);
	}
}

static void put_both(
	struct sl_metrics *metrics, const char *measure, const char *label, const struct calibrate_both *both)
{
	put_side(metrics, measure, "recorded", label, &both->recorded);
	put_side(metrics, measure, "simulated", label, &both->simulated);
}

static void metrics_calibrate_put_group(struct sl_metrics *metrics, const struct calibrate_group *group)
{
	char label[320];
	char name[400];
	if (group->name)
		(void)snprintf(
			label, sizeof(label), "{%s=%.240s}", calibrate_kind_name[group->kind], group->name);
	else
		(void)snprintf(label, sizeof(label), "{%s=%lld}", calibrate_kind_name[group->kind],
			(long long)group->number);
	(void)snprintf(name, sizeof(name), "calibration.jobs%s", label);
	metrics_calibrate_put_count(metrics, name, group->jobs);
	put_both(metrics, "wait", label, &group->wait);
}

static int metrics_calibrate_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	struct calibration all;
	if (!result->calibrate)
		return SL_OK;
	const int status = calibrate(&all, result, err);
	if (status)
		return status;
	metrics_calibrate_put_count(metrics, "calibration.jobs", all.jobs);
	metrics_calibrate_put_count(metrics, "calibration.left_out", all.total - all.jobs);
	for (unsigned i = 0; i < CALIBRATE_MEASURES; i++)
		put_both(metrics, calibrate_measure_name[i], "", &all.measure[i]);
	if (all.starts != SL_NONE)
		sl_metric_put(metrics, "calibration.rank.starts", all.starts);
	if (all.waits != SL_NONE)
		sl_metric_put(metrics, "calibration.rank.waits", all.waits);
	sl_metric_put(metrics, "calibration.difference.p50", all.difference_p50);
	metrics_put(metrics, "calibration.within_minute", all.within_minute, all.jobs, METRICS_MICRO);
	metrics_put(metrics, "calibration.within_tenth", all.within_tenth, all.jobs, METRICS_MICRO);
	metrics_put(metrics, "calibration.sooner", all.sooner, all.jobs, METRICS_MICRO);
	metrics_put(metrics, "calibration.later", all.later, all.jobs, METRICS_MICRO);
	metrics_calibrate_put_count(metrics, "calibration.trust", (size_t)all.trust);
	for (size_t i = 0; i < all.group_count; i++)
		metrics_calibrate_put_group(metrics, &all.group[i]);
	calibrate_release(&all);
	return SL_OK;
}

const struct sl_metric metrics_of_calibration = { SL_ABI_OF(struct sl_metric), "calibration",
	"with --calibrate, of the jobs that started both in the log and here: calibration.jobs, .left_out; "
	"calibration.M.recorded.mean, .p50, .p95 and calibration.M.simulated...: seconds, M being wait (first start - "
	"submission), eligible (first start - since when it could be considered), last (last attempt's start - when it "
	"was put back into the queue), wait also by partition, user, account and qos; calibration.rank.starts, .waits: "
	"Spearman's rank correlation, ties averaged; calibration.difference.p50: simulated - recorded wait, seconds; "
	"calibration.within_minute, .within_tenth: share of waits within a minute, within a minute or a tenth; "
	"calibration.sooner, .later: share of starts more than a minute sooner or later; calibration.trust: 3 close, 2 "
	"fair, 1 poor, 0 too few jobs to tell",
	"Spearman 1904: The proof and measurement of association between two things (Am. J. Psychology 15)",
	metrics_calibrate_compute };

/* ---- Calibration.csv: recorded beside simulated waits, of all jobs and of each group. ---- */

static void metrics_calibrate_put_line(
	struct sl_out *out, const char *measure, size_t jobs, const struct calibrate_both *both)
{
	const sl_time time[] = { both->recorded.mean, both->simulated.mean, both->recorded.p50,
		both->simulated.p50, both->recorded.p95, both->simulated.p95, both->recorded.max,
		both->simulated.max };
	sl_out_printf(out, ",%s,%zu", measure, jobs);
	for (size_t i = 0; i < SL_LEN(time); i++) {
		char text[40];
		*sl_put_micro(text, time[i]) = '\0';
		sl_out_printf(out, ",%s", text);
	}
	sl_out_text(out, "\n");
}

static int write_calibration(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct calibration all;
	const int status = calibrate(&all, result, err);
	if (status)
		return status;
	sl_out_text(out, "group,name,measure,jobs,recorded_mean,simulated_mean,recorded_p50,simulated_p50,"
			 "recorded_p95,simulated_p95,recorded_max,simulated_max\n");
	for (unsigned i = 0; i < CALIBRATE_MEASURES; i++) {
		sl_out_text(out, "all,");
		metrics_calibrate_put_line(out, calibrate_measure_name[i], all.jobs, &all.measure[i]);
	}
	for (size_t i = 0; i < all.group_count; i++) {
		const struct calibrate_group *group = &all.group[i];
		char number[40];
		*sl_put_i64(number, group->number) = '\0';
		sl_out_printf(out, "%s,", calibrate_kind_name[group->kind]);
		sl_out_csv(out, group->name ? group->name : number);
		metrics_calibrate_put_line(
			out, calibrate_measure_name[CALIBRATE_WAIT], group->jobs, &group->wait);
	}
	calibrate_release(&all);
	return SL_OK;
}

static bool was_asked(const struct sl_result *result) { return result->calibrate; }

const struct sl_report calibration_csv = { SL_ABI_OF(struct sl_report), "calibration.csv",
	"with --calibrate: recorded beside simulated waits", write_calibration, was_asked, false, NULL };
