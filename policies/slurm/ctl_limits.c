/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits.c
 */
#include "policies/slurm/ctl.h"

int ctl_limits_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

enum sl_reason ctl_limits_submit(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return SL_REASON_NONE;
}

void ctl_limits_submitted(struct ctl *c, struct ctl_job *job, bool added)
{
	(void)c;
	(void)job;
	(void)added;
}

enum sl_reason ctl_limits_pre(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return SL_REASON_NONE;
}

enum sl_reason ctl_limits_post(struct ctl *c, struct ctl_job *job, const int64_t *tres)
{
	(void)c;
	(void)job;
	(void)tres;
	return SL_REASON_NONE;
}

void ctl_limits_begin(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_limits_end(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

bool ctl_limits_timed_out(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return false;
}

int64_t ctl_limits_nodes_max(const struct ctl *c, const struct ctl_job *job)
{
	(void)c;
	(void)job;
	return CTL_NEVER;
}

int64_t ctl_limits_wall_max(const struct ctl *c, const struct ctl_job *job)
{
	(void)c;
	(void)job;
	return CTL_NEVER;
}
