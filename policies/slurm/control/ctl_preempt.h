/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_preempt.h - what preemption and gang scheduling do to jobs: ctl_job.c's functions, unless a test puts
 * its own in their place.
 */
#ifndef POLICIES_SLURM_CTL_PREEMPT_H
#define POLICIES_SLURM_CTL_PREEMPT_H

#include "policies/slurm/control/ctl.h"

struct ctl_acts {
	void (*end)(struct ctl *c, struct ctl_job *job, enum sl_state state, bool reported);
	void (*requeue)(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held);
	void (*suspend)(struct ctl *c, struct ctl_job *job);
	void (*resume)(struct ctl *c, struct ctl_job *job);
};
const struct ctl_acts *ctl_acts_of(const struct ctl *c);

/* Ends it, or puts it back into the queue, as its mode says; grace is over, or there was none. */
void ctl_preempt_kill(struct ctl *c, struct ctl_job *victim);

static inline bool ctl_holds_node_of(const struct ctl_job *job, const uint64_t *nodes)
{
	for (uint32_t i = 0; job->alloc && i < job->alloc->node_count; i++) {
		const uint32_t node = job->alloc->node_alloc[i].node;
		if (!nodes || (nodes[node / 64] >> (node % 64) & 1))
			return true;
	}
	return false;
}

#endif
