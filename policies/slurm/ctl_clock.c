/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_clock.c
 */
#include "policies/slurm/ctl.h"

int ctl_clock_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

void ctl_run(struct ctl *c) { (void)c; }

sl_time ctl_next(struct ctl *c)
{
	(void)c;
	return SL_NEVER;
}

void ctl_want_pass(struct ctl *c) { (void)c; }

void ctl_want_batch_pass(struct ctl *c) { (void)c; }
