/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow_model.h - jobs that depend on each other, directly or through others, are one workflow: its
 * critical path, and how it went. Private to models/workflow.
 *
 * The critical path is the longest chain of run times, delays and submissions, as traced, from the workflow's
 * first submission on: on a cluster without others, and at the traced speed, no makespan is shorter.
 */
#ifndef MODELS_WORKFLOW_H
#define MODELS_WORKFLOW_H

#include "sim/plugin.h"

struct workflow_job {
	uint32_t of;        /* The first row of its workflow; its own: perhaps it is alone. */
	sl_time ends;       /* At the earliest, on an empty cluster; SL_NONE: it waits in a circle. */
	sl_time start, end; /* In the run: the first start; SL_NONE: never. */
	uint32_t unmet;     /* While paths are found: jobs that it waits for. */
};

struct workflows {
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	struct workflow_job *job; /* By row. */
};

/* Who belongs together, and when each could end. */
int workflow_paths(struct workflows *w, struct sl_err *err);
/* Since when nothing but the cluster kept it, with the ends given by `end_of`; *by: the job that it waited
 * for last, UINT32_MAX: none. SL_NONE: never. */
typedef sl_time (*workflow_end)(const struct workflows *w, uint32_t row, bool start);
sl_time workflow_ready(const struct workflows *w, uint32_t row, workflow_end end_of, uint32_t *by);

#endif
