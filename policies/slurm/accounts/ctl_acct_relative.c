/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_acct_relative.c - the flag Relative of a QOS (23.11): its limits of TRES are percents of what the
 * cluster has, or, where it is a partition's QOS, of what that partition has
 * (assoc_mgr_set_qos_tres_relative_cnt).
 *
 * Several partitions with the same such QOS: it is of the first. Billing is counted as cpus here.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

static bool is_relative(const struct ctl *c, const struct ctl_qos *qos)
{
	return c->params.version >= CTL_23_11 && (qos->flags & CTL_QOS_RELATIVE);
}

static uint32_t partition_of(const struct ctl *c, uint32_t qos)
{
	uint32_t part = 0;
	while (part < c->part_count && c->part[part].qos != qos)
		part++;
	return part;
}

bool ctl_qos_of_partition_alone(const struct ctl *c, uint32_t qos)
{
	return qos < c->qos_count && is_relative(c, &c->qos[qos]) && partition_of(c, qos) < c->part_count;
}

bool ctl_acct_relative(struct ctl *c)
{
	for (uint32_t i = 0; i < c->qos_count; i++) {
		struct ctl_qos *qos = &c->qos[i];
		qos->limits->whole = NULL;
		if (!is_relative(c, qos))
			continue;
		int64_t *whole = sl_alloc(c->arena, CTL_TRES_MAX, sizeof(*whole));
		if (!whole)
			return false;
		const uint32_t part = partition_of(c, i);
		for (uint32_t k = 0; k < c->tres_count; k++)
			whole[k] = part < c->part_count ? c->part[part].tres_total[k] : c->tres[k].total;
		whole[CTL_TRES_BILLING] = whole[CTL_TRES_CPU];
		qos->limits->whole = whole;
	}
	return true;
}
