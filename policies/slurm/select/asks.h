/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asks.h - jobs' requests as Slurm's job descriptions, whatever format they came in.
 */
#ifndef POLICIES_SLURM_ASKS_H
#define POLICIES_SLURM_ASKS_H

#include "sim/plugin.h"

/* By request, an array by component: what was written to Slurm, or what was asked in groups, put into its
 * words: a group's tasks, with their cpus, memory and GPUs. SL_INPUT: a request has more than components_max
 * groups. All is the arena's. */
int slurm_asks_make(const struct sl_cluster *cluster, const struct sl_jobs *jobs, struct sl_arena *arena,
	uint32_t components_max, const struct sl_job_desc *const **desc, struct sl_err *err);

/* Slurm allocates whole cores and devices; its shards and MIG devices are gres of their own, not modelled
 * here. NULL: no node has and no job requests less than a whole; else which does, a constant. */
const char *slurm_not_whole(const struct sl_cluster *cluster, const struct sl_jobs *jobs);

#endif
