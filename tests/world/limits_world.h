/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits_world.h - slurmctld's accounts and limits alone: sacctmgr's tables in a few words, and jobs that
 * start and end by hand. TRES: cpu, mem, node, billing, gres/gpu, license/lic.
 */
#ifndef SL_TEST_LIMITS_WORLD_H
#define SL_TEST_LIMITS_WORLD_H

#include "policies/slurm/accounts/ctl_limits.h"
#include "sim/base/base.h"

enum { LW_GPU = CTL_TRES_FIRST, LW_LIC, LW_TRES };
enum { LW_SETTINGS = 128, LW_JOBS = 400, LW_USERS = 4, LW_NODES = 8 };

struct limits_world {
	struct ctl c;
	struct sl_cluster cluster;
	struct sl_setting setting[LW_SETTINGS];
	struct sl_jobs jobs;
	int32_t account[LW_JOBS];
	const char *user_name[LW_USERS];
	struct ctl_job job[LW_JOBS];
	struct sl_job_attributes more[LW_JOBS];
	struct ctl_part part[2];
	uint32_t parts[LW_JOBS][2];
	struct select_alloc alloc[LW_JOBS];
	struct select_node_alloc node_alloc[LW_JOBS][LW_NODES];
	uint32_t count; /* Of jobs. */
};

/* Partitions p and q without QOS; users u1 to u4; limits, QOS and associations are enforced. */
void lw_begin(struct limits_world *w);
void lw_report(
	struct limits_world *w, const char *kind, const char *name, const char *key, const char *value);
/* Account acc with users u1 and u2, account two below acc with u2 and u3, QOS normal and other, all usable.
 */
void lw_usual(struct limits_world *w);
void lw_ready(struct limits_world *w);
void lw_end(struct limits_world *w);

/* A job of so many cpus on one node for so many minutes (CTL_NONE: it does not say), of p. */
struct ctl_job *lw_job(struct limits_world *w, const char *user, const char *account, const char *qos,
	int64_t cpus, int64_t min);
/* It is submitted: the word that refuses it, "None". */
const char *lw_submit(struct limits_world *w, struct ctl_job *job);
/* Whether it would start, with its request: "None", or the word. */
const char *lw_try(struct limits_world *w, struct ctl_job *job);
/* It starts, whatever is limited. */
void lw_start(struct limits_world *w, struct ctl_job *job);
void lw_stop(struct limits_world *w, struct ctl_job *job);

#endif
