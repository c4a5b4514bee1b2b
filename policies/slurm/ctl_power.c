/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_power.c
 */
#include "policies/slurm/ctl.h"

int ctl_power_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	(void)c;
	(void)setup;
	(void)err;
	return SL_OK;
}

ctl_time ctl_power_boot(struct ctl *c, const struct select_alloc *alloc)
{
	(void)alloc;
	return c->now;
}

void ctl_power_run(struct ctl *c) { (void)c; }

ctl_time ctl_power_next(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}
