/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibration_csv.c - calibration.csv: recorded beside simulated waits, of all jobs and of each group.
 */
#include <string.h>

#include "reports/metrics/calibrate.h"

static void put_line(struct sl_out *out, const char *measure, size_t jobs, const struct calibrate_both *both)
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
		put_line(out, calibrate_measure_name[i], all.jobs, &all.measure[i]);
	}
	for (size_t i = 0; i < all.group_count; i++) {
		const struct calibrate_group *group = &all.group[i];
		char number[40];
		*sl_put_i64(number, group->number) = '\0';
		sl_out_printf(out, "%s,", calibrate_kind_name[group->kind]);
		sl_out_csv(out, group->name ? group->name : number);
		put_line(out, calibrate_measure_name[CALIBRATE_WAIT], group->jobs, &group->wait);
	}
	calibrate_release(&all);
	return SL_OK;
}

static bool was_asked(const struct sl_result *result) { return result->calibrate; }

const struct sl_report calibration_csv = { SL_ABI_OF(struct sl_report), "calibration.csv",
	"with --calibrate: recorded beside simulated waits", write_calibration, was_asked, false, NULL };
