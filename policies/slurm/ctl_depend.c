/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_depend.c
 */
#include "policies/slurm/ctl.h"

int ctl_depend_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

enum ctl_depend_state ctl_depend_test(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return CTL_DEPEND_NONE;
}
