/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_fair.c
 */
#include "policies/slurm/ctl.h"

void ctl_fair_tree(struct ctl *c) { (void)c; }
