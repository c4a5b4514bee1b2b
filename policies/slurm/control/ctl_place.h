/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_place.h - shared by the passes (ctl_main.c, ctl_bf.c), their queue and node selection
 * (select_nodes()).
 */
#ifndef POLICIES_SLURM_CTL_PLACE_H
#define POLICIES_SLURM_CTL_PLACE_H

#include "policies/slurm/control/ctl_bits.h"

/* ---- ctl_place.c */

/* Scratch of the caller: sets of select_node_words() words. */
enum ctl_set {
	CTL_SET_PASS,
	CTL_SET_TRY,
	CTL_SET_PLACE,
	CTL_SET_CHOSEN,
	CTL_SET_SHARED,
	CTL_SET_BEFORE,
	CTL_SET_SIZED,
	CTL_SET_COUNT
};
uint64_t *ctl_place_set(const struct ctl *c, enum ctl_set which);

/* The nodes that it listed (--nodelist); NULL: none. */
const uint64_t *ctl_place_required(const struct ctl *c, const struct ctl_job *job);
/* select_nodes(): starts it now in that partition on nodes of available, preempting if it has to and may; its
 * reason is what came of it. */
enum ctl_status ctl_place_try(struct ctl *c, struct ctl_job *job, uint32_t part, const uint64_t *available);
/* When it could start there on nodes of available (in, and out: those of its allocation). CTL_OK: at is when.
 */
struct ctl_when {
	bool now_only; /* Now or not at all (TEST_NOW_ONLY). */
	/* The backfill's will_run_data, from 24.11 on: not before then, and nothing that ends after `until`
	 * is waited for (CTL_NEVER: anything). */
	ctl_time from, until;
	ctl_time at;
};
enum ctl_status ctl_place_plan(
	struct ctl *c, struct ctl_job *job, uint32_t part, uint64_t *available, struct ctl_when *when);
/* ---- ctl_running.c */

int ctl_running_make(struct ctl *c, struct sl_err *err);
/* What has nodes, by the ends of limits; valid until one of them changes. The number is another then. The
 * node selection has been told of the ends. */
const struct select_running *ctl_running_list(struct ctl *c, size_t *count, uint64_t *number);

/* ---- ctl_queue.c */

int ctl_queue_make(struct ctl *c, struct sl_err *err);
/* It has a life of its own, or is of no array. */
bool ctl_is_alone(const struct ctl_job *job);
/* The job that an entry of the queue stands for by now, with the features that the entry is for; NULL: it has
 * started. */
struct ctl_job *ctl_entry_job(struct ctl *c, const struct ctl_entry *entry);
/* It is tried in the entry's reservation, until ctl_entry_left: unless it has started there it is in none
 * then (job_queue_rec_magnetic_resv(), job_resv_clear_magnetic_flag()). */
void ctl_entry_enter(const struct ctl_entry *entry, struct ctl_job *job);
void ctl_entry_left(struct ctl_job *job);
/* Of a list of QOS, that which it is tried with, and the priority of that try. */
void ctl_queue_tried(struct ctl *c, struct ctl_job *job, uint32_t qos, uint32_t priority);
/* Whether it may be tried; an array's other waiting tasks go with their head. */
bool ctl_queue_independent(struct ctl *c, struct ctl_job *job);
/* Sets the reason, of an array's waiting tasks too. */
void ctl_queue_reason(struct ctl *c, struct ctl_job *job, enum sl_reason reason);
/* It is one of those that acct_policy_job_runnable_state() looks for. 22.05 tests for a range of its list of
 * reasons, and all that came to that list later lie outside it: limits of GRES, licences and billing, of
 * memory but for Grp, of nodes per minute, per node, and per account. */
bool ctl_is_limit_known(enum sl_reason reason);
/* Its partition sets it, and clears it. */
bool ctl_is_partitions(enum sl_reason reason);
/* Limits are tested again if they kept it before (acct_policy_job_runnable_state). False: they still do.
 */
bool ctl_limits_retry(struct ctl *c, struct ctl_job *job);

#endif
