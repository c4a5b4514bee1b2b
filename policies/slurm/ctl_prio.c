/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_prio.c
 */
#include "policies/slurm/ctl.h"

int ctl_prio_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

void ctl_prio_submit(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_prio_update(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_prio_run(struct ctl *c) { (void)c; }

ctl_time ctl_prio_next(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}
