/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm.c
 */
#include "policies/slurm/ctl.h"

void ctl_order(struct ctl *c, struct ctl_job *job, enum ctl_order order, const char *why)
{
	(void)c;
	(void)job;
	(void)order;
	(void)why;
}

void ctl_failed(struct ctl *c, int status)
{
	(void)c;
	(void)status;
}
