/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_pool.h - a counted pool of cpus as slurmctld would be given it: nodes of one cpu each, and of each job
 * so many tasks of one cpu.
 */
#ifndef POLICIES_SLURM_CTL_POOL_H
#define POLICIES_SLURM_CTL_POOL_H

#include "sim/plugin.h"

/* The nodes are numbered as those of SL_USE_NODES. NULL: no memory. */
const struct sl_cluster *ctl_pool_cluster(const struct sl_setup *setup);
/* The same jobs, with requests. NULL: no memory. */
const struct sl_jobs *ctl_pool_jobs(const struct sl_setup *setup);

#endif
