/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_node.c
 */
#include "policies/slurm/ctl.h"

int ctl_node_make(struct ctl *c, struct sl_err *err)
{
	(void)c;
	(void)err;
	return SL_OK;
}

const uint64_t *ctl_nodes_avail(const struct ctl *c)
{
	(void)c;
	return NULL;
}

void ctl_node_set(struct ctl *c, const uint64_t *nodes, enum sl_node_state state, const char *reason)
{
	(void)c;
	(void)nodes;
	(void)state;
	(void)reason;
}

void ctl_node_run(struct ctl *c) { (void)c; }

ctl_time ctl_node_next(const struct ctl *c)
{
	(void)c;
	return CTL_NEVER;
}
