/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_pick.h - what a job still needs while its nodes are chosen.
 */
#ifndef POLICIES_SLURM_SELECT_PICK_H
#define POLICIES_SLURM_SELECT_PICK_H

#include "policies/slurm/select/select_parts.h"

struct sel_need {
	struct sel_test *t;
	int64_t cpus, cpus_most; /* At least, at most, still needed. */
	int64_t nodes, nodes_least, nodes_most;
	int64_t tasks; /* Still to be laid out, at most. */
	bool per_job;  /* A gres is asked for the job as a whole. */
};

/* A maximal run of usable neighbours of one weight. */
struct sel_run {
	int64_t cpus, nodes;
	uint32_t from, to, required; /* required: its first required node, UINT32_MAX: none. */
	uint64_t weight;
	int64_t gres[SEL_GRES];
};

void sel_need_begin(struct sel_need *need, struct sel_test *t);
bool sel_need_met(const struct sel_need *need);
/* The node is the job's; how many cpus of it. 0: it cannot be, by its devices. */
int64_t sel_need_take(struct sel_need *need, uint32_t node, int64_t cpus);
/* Whether the gres that the job still needs are in these counts. */
bool sel_gres_in(const struct sel_test *t, const int64_t *gres);
void sel_gres_count(const struct sel_test *t, uint32_t node, int64_t *gres);

#endif
