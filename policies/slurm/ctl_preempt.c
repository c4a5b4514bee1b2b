/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_preempt.c
 */
#include "policies/slurm/ctl.h"

int ctl_preempt_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

bool ctl_may_preempt(
	const struct ctl *c, const struct ctl_job *preemptor, uint32_t part, const struct ctl_job *victim)
{
	(void)c;
	(void)preemptor;
	(void)part;
	(void)victim;
	return false;
}

bool ctl_preempts_first(const struct ctl *c, const struct ctl_entry *a, const struct ctl_entry *b)
{
	(void)c;
	(void)a;
	(void)b;
	return false;
}

size_t ctl_preempt_candidates(
	struct ctl *c, struct ctl_job *job, uint32_t part, struct ctl_job *const **victim)
{
	(void)c;
	(void)job;
	(void)part;
	(void)victim;
	return 0;
}

enum ctl_preempt_mode ctl_preempt_mode(const struct ctl *c, const struct ctl_job *victim)
{
	(void)c;
	(void)victim;
	return CTL_PREEMPT_OFF;
}

enum select_answer ctl_preempt_place(struct ctl *c, struct ctl_job *job, uint32_t part,
	const uint64_t *available, struct ctl_job *const **victim, size_t *count,
	const struct select_alloc **out)
{
	(void)c;
	(void)job;
	(void)part;
	(void)available;
	(void)victim;
	(void)count;
	(void)out;
	return SELECT_BUSY;
}

bool ctl_preempt_do(struct ctl *c, struct ctl_job *job, struct ctl_job *const *victim, size_t count)
{
	(void)c;
	(void)job;
	(void)victim;
	(void)count;
	return false;
}
