/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command.c
 */
#include "policies/slurm/ctl.h"

int ctl_command_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	(void)c;
	(void)setup;
	(void)err;
	return SL_OK;
}

void ctl_command_run(struct ctl *c) { (void)c; }

sl_time ctl_command_next(const struct ctl *c)
{
	(void)c;
	return SL_NEVER;
}
