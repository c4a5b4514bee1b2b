/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_place.c
 */
#include "policies/slurm/ctl.h"

int ctl_place_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

enum ctl_status ctl_place_now(struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *available)
{
	(void)c;
	(void)job;
	(void)part;
	(void)available;
	return CTL_NODES_BUSY;
}

enum ctl_status ctl_place_later(struct ctl *c, struct ctl_job *job, uint32_t part, uint64_t *available,
	int64_t limit_min, ctl_time *at)
{
	(void)c;
	(void)job;
	(void)part;
	(void)available;
	(void)limit_min;
	(void)at;
	return CTL_NODES_BUSY;
}

enum ctl_status ctl_place_ever(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	(void)c;
	(void)job;
	(void)part;
	return CTL_OK;
}
