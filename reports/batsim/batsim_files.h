/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batsim_files.h - which machines a job had, for the files that Batsim and evalys have.
 *
 * On nodes these are the nodes' numbers, from 0, as recorded. A counted pool names no processors: they are
 * assigned afterwards, in the order of (start, row), always the lowest that are free, those of jobs that end
 * at an instant first. What does not fit then, since suspended jobs released theirs, has none.
 */
#ifndef REPORTS_BATSIM_FILES_H
#define REPORTS_BATSIM_FILES_H

#include "sim/plugin.h"

/* From..to, both included. */
struct machine_run {
	uint32_t from, to;
};

struct machines {
	struct machine_run *run;
	size_t run_count, run_capacity;
	size_t *first;   /* By job: its runs begin there, */
	uint32_t *count; /* and are so many. */
};

int machines_of(struct machines *machines, const struct sl_result *result, struct sl_err *err);
void machines_release(struct machines *machines);

extern const struct sl_report report_batsim_jobs, report_batsim_schedule;

#endif
