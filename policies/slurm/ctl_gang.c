/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_gang.c
 */
#include "policies/slurm/ctl.h"

int ctl_gang_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

void ctl_gang_started(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_gang_ended(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_gang_run(struct ctl *c) { (void)c; }

ctl_time ctl_gang_next(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}
