/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_usage.c
 */
#include "policies/slurm/ctl.h"

void ctl_usage_end(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_usage_apply(struct ctl *c, struct ctl_job *job, ctl_time from, ctl_time until)
{
	(void)c;
	(void)job;
	(void)from;
	(void)until;
}

int64_t ctl_billing(const struct ctl *c, uint32_t part, const int64_t *tres)
{
	(void)c;
	(void)part;
	(void)tres;
	return 0;
}
