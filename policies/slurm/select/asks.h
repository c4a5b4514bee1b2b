/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asks.h - what jobs ask, in Slurm's words, whoever wrote it down.
 */
#ifndef POLICIES_SLURM_ASKS_H
#define POLICIES_SLURM_ASKS_H

#include "sim/plugin.h"

/* By request, an array by component: what was written to Slurm, or what was asked in groups, put into its
 * words: a group's tasks, with their cpus, memory and GPUs. SL_INPUT: a request has more than components_max
 * groups. All is the arena's. */
int slurm_asks_make(const struct sl_cluster *cluster, const struct sl_jobs *jobs, struct sl_arena *arena,
	uint32_t components_max, const struct sl_job_desc *const **desc, struct sl_err *err);

/* Slurm gives out whole cores and devices; its shards and MIG devices are gres of their own, which this does
 * not follow. NULL: nobody has or asks for less than a whole; else who does, a constant. */
const char *slurm_not_whole(const struct sl_cluster *cluster, const struct sl_jobs *jobs);

#endif
