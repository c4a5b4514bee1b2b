/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_whole.h - the engine's thousandths of a cpu or GPU as slurmctld counts them: in wholes.
 *
 * Under the policy hybrid some jobs request parts, and are not Slurm's; so are nodes that have parts. What
 * Slurm's own jobs request, and its own nodes have, has to be whole.
 */
#ifndef POLICIES_SLURM_CTL_WHOLE_H
#define POLICIES_SLURM_CTL_WHOLE_H

#include "sim/plugin.h"

/* Why Slurm cannot have these jobs on these nodes, a constant; NULL: it can. */
const char *ctl_not_whole(const struct sl_setup *setup);
/* The same cluster and jobs where all is whole already. NULL: no memory. */
const struct sl_cluster *ctl_whole_cluster(const struct sl_setup *setup);
const struct sl_jobs *ctl_whole_jobs(const struct sl_setup *setup);

/* ctl_pool.c: a counted pool of cpus as nodes of one cpu each, numbered as those of SL_USE_NODES, and of each
 * job so many tasks of one cpu. NULL: no memory. */
const struct sl_cluster *ctl_pool_cluster(const struct sl_setup *setup);
const struct sl_jobs *ctl_pool_jobs(const struct sl_setup *setup);

#endif
