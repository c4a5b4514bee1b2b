/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.h - a counted pool: its cpus, and how many are free.
 *
 * One counted pool of cpus (nodes: nodes.h). Nothing is ever allocated twice, and no job releases more than
 * it was allocated.
 */
#ifndef SL_CLUSTER_H
#define SL_CLUSTER_H

#include "sim/base/base.h"

struct cluster {
	int64_t cpus, cpus_free;
	int64_t cpus_closed; /* In windows. */
	int64_t cpus_owed;   /* To windows that opened while too much was in use. */
};

static inline bool cluster_fits(const struct cluster *cluster, int64_t cpus)
{
	return cpus <= cluster->cpus_free;
}

static inline void cluster_allocate(struct cluster *cluster, int64_t cpus)
{
	SL_CHECK(cpus > 0 && cpus <= cluster->cpus_free);
	cluster->cpus_free -= cpus;
}

static inline void cluster_free(struct cluster *cluster, int64_t cpus)
{
	cluster->cpus_free += cpus;
	SL_CHECK(cluster->cpus_free <= cluster->cpus); /* A job released more than it was allocated. */
}

#endif
