/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate_parts.h - what the files of calibrate.h share.
 */
#ifndef REPORTS_CALIBRATE_PARTS_H
#define REPORTS_CALIBRATE_PARTS_H

#include "reports/metrics/calibrate.h"

/* A job that is compared; [0]: by the log, [1]: in the replay. */
struct calibrate_job {
	uint32_t row;
	sl_time start[2];
	sl_time time[CALIBRATE_MEASURES][2];
	sl_time again; /* The wait by the second log; SL_NONE: it has no start of it. */
};

/* scratch: count. */
struct calibrate_both calibrate_both_of(
	const struct calibrate_job *const *job, size_t count, enum calibrate_measure which, int64_t *scratch);
/* Mean waits of those that the second log has, too. */
size_t calibrate_again_of(
	const struct calibrate_job *const *job, size_t count, sl_time *shared, sl_time *again);
/* What the trace says of a job beyond its size and times; NULL: nothing. */
const struct sl_job_attributes *calibrate_more_of(const struct sl_jobs *jobs, uint32_t row);
/* calibrate_turnover.c */
int calibrate_turnovers(struct calibration *all, const struct sl_result *result, struct sl_err *err);
/* calibrate_groups.c: some (all->jobs of them) is brought into other orders. */
int calibrate_groups(struct calibration *all, const struct sl_jobs *jobs, const struct calibrate_job **some,
	int64_t *scratch, struct sl_err *err);

#endif
