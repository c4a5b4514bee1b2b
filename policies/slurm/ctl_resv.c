/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv.c
 */
#include "policies/slurm/ctl.h"

int ctl_resv_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

enum ctl_status ctl_resv_nodes(struct ctl *c, struct ctl_job *job, ctl_time start, int64_t limit_min,
	uint64_t *available, bool *maint, ctl_time *next)
{
	(void)c;
	(void)job;
	(void)start;
	(void)limit_min;
	(void)available;
	(void)maint;
	(void)next;
	return CTL_OK;
}

enum sl_reason ctl_resv_submit(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return SL_REASON_NONE;
}

void ctl_resv_run(struct ctl *c) { (void)c; }

ctl_time ctl_resv_next(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}
