/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_acct.c
 */
#include "policies/slurm/ctl.h"

int ctl_acct_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

uint32_t ctl_qos_named(const struct ctl *c, const char *name, size_t len)
{
	(void)c;
	(void)name;
	(void)len;
	return CTL_NO_ROW;
}

uint32_t ctl_assoc_of(const struct ctl *c, const char *user, const char *account, const char *partition)
{
	(void)c;
	(void)user;
	(void)account;
	(void)partition;
	return CTL_NO_ROW;
}
