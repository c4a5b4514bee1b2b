/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_license.c
 */
#include "policies/slurm/ctl.h"

int ctl_license_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

bool ctl_license_known(const struct ctl *c, const struct ctl_job *job)
{
	(void)c;
	(void)job;
	return true;
}

bool ctl_license_free(struct ctl *c, const struct ctl_job *job, ctl_time when)
{
	(void)c;
	(void)job;
	(void)when;
	return true;
}

void ctl_license_take(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_license_give(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}
