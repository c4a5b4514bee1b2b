/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_main.c
 */
#include "policies/slurm/ctl.h"

void ctl_main_pass(struct ctl *c, bool full)
{
	(void)c;
	(void)full;
}
