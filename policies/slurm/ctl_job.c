/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_job.c
 */
#include "policies/slurm/ctl.h"

int ctl_job_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

void ctl_submit(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_start(struct ctl *c, struct ctl_job *job, uint32_t part, const struct select_alloc *alloc)
{
	(void)c;
	(void)job;
	(void)part;
	(void)alloc;
}

void ctl_end(struct ctl *c, struct ctl_job *job, enum sl_state state, bool told)
{
	(void)c;
	(void)job;
	(void)state;
	(void)told;
}

void ctl_requeue(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held)
{
	(void)c;
	(void)job;
	(void)as;
	(void)held;
}

void ctl_suspend(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_resume(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_hold(struct ctl *c, struct ctl_job *job, bool by_user)
{
	(void)c;
	(void)job;
	(void)by_user;
}

void ctl_release_hold(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
}

void ctl_set_reason(struct ctl *c, struct ctl_job *job, enum sl_reason reason)
{
	(void)c;
	(void)job;
	(void)reason;
}

bool ctl_independent(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return true;
}

void ctl_tick(struct ctl *c) { (void)c; }

ctl_time ctl_tick_needed(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}

bool ctl_deadline_ok(struct ctl *c, struct ctl_job *job)
{
	(void)c;
	(void)job;
	return true;
}

int64_t ctl_limit_in(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	(void)c;
	(void)part;
	return job->time_limit;
}

enum sl_reason ctl_part_allows(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	(void)c;
	(void)job;
	(void)part;
	return SL_REASON_NONE;
}
