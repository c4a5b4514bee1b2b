/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_conf.c
 */
#include "policies/slurm/ctl.h"

int ctl_conf_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	(void)c;
	(void)setup;
	(void)err;
	return SL_OK;
}

const char *ctl_conf_text(const struct ctl *c, const char *key)
{
	(void)c;
	(void)key;
	return NULL;
}

int64_t ctl_conf_number(const struct ctl *c, const char *key, int64_t otherwise)
{
	(void)c;
	(void)key;
	return otherwise;
}

const char *ctl_sched_param(const struct ctl *c, const char *key)
{
	(void)c;
	(void)key;
	return NULL;
}

uint32_t ctl_tres_named(const struct ctl *c, const char *name, size_t len)
{
	(void)c;
	(void)name;
	(void)len;
	return CTL_NO_ROW;
}

bool ctl_tres_list(const struct ctl *c, const char *text, int64_t *amount)
{
	(void)c;
	(void)text;
	(void)amount;
	return false;
}

uint32_t ctl_part_named(const struct ctl *c, const char *name, size_t len)
{
	(void)c;
	(void)name;
	(void)len;
	return CTL_NO_ROW;
}
