/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_conf.h - shared by the files that read slurm.conf for the controller.
 */
#ifndef POLICIES_SLURM_CTL_CONF_H
#define POLICIES_SLURM_CTL_CONF_H

#include "policies/slurm/control/ctl.h"

/* ctl_conf_parts.c: partitions and the table of TRES. */
int ctl_conf_parts(struct ctl *c, struct sl_err *err);

/* Minutes, CTL_NEVER: UNLIMITED. */
int64_t ctl_conf_over_time(const char *text, int64_t otherwise);
/* The word is one of the list, in any case. list may be NULL. */
bool ctl_conf_has(const char *list, const char *word);
/* "REQUEUE", "SUSPEND,GANG"; CTL_PREEMPT_NOT_SAID: none of them. */
enum ctl_preempt_mode ctl_conf_preempt_mode(const char *text);

#endif
