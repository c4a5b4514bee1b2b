/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_jobs.h - objects as jobs: what kube_jobs.c and kube_times.c share.
 */
#ifndef SL_KUBE_JOBS_H
#define SL_KUBE_JOBS_H

#include "traces/kube/kube.h"

/* SL_NONE: not known. */
struct kube_times {
	sl_time submit;
	bool dated;         /* Since 1970, not since the trace's zero; */
	sl_time start, end; /* these always are. */
	sl_time run, limit;
	sl_time cancel; /* After its submission. */
};
int kube_times_of(const struct sl_object *object, struct kube_times *times, struct sl_err *err);

#endif
