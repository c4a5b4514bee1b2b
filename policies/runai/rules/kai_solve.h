/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_solve.h - a session: fair shares once, then the actions in their order; what comes of it is in
 * kai.effect.
 */
#ifndef SL_RUNAI_KAI_SOLVE_H
#define SL_RUNAI_KAI_SOLVE_H

#include "policies/runai/rules/kai_order.h"
#include "policies/runai/rules/kai_place.h"
#include "policies/runai/rules/kai_share.h"

/* Shares are computed, effects forgotten, marks of evictions cleared. */
void kai_open(struct kai *kai);
/* What was simulated for a job whose gang then still lacks a pod set is not undone by KAI, though nothing is
 * committed: jobs that come later in the session see its victims gone. This undoes it; and a task that was
 * evicted where it was pipelined before it started there (kai_effect.early) is pending again, not releasing.
 */
void kai_close(struct kai *kai);
/* kai_open, all actions of the config, kai_close (unless config.keep_open). Tasks end as KAI_BINDING,
 * KAI_PIPELINED, KAI_RELEASING or as they were. Nonzero: kai.err. */
int kai_session(struct kai *kai);
void kai_run(struct kai *kai, enum kai_action action);

/* The actions: kai_allocate.c, kai_consolidate.c, kai_reclaim.c, kai_preempt.c, kai_stale.c. */
void kai_act_allocate(struct kai *kai);
void kai_act_consolidate(struct kai *kai);
void kai_act_reclaim(struct kai *kai);
void kai_act_preempt(struct kai *kai);
void kai_act_stale(struct kai *kai);

/* A job may be looked at by the first four. */
bool kai_eligible(const struct kai *kai, uint32_t job);
/* Its constraints, as a number: two jobs with the same fail alike (useSchedulingSignatures). */
uint64_t kai_signature(const struct kai *kai, uint32_t job);
/* Checks of limit and quota for the next chunk; says why in the job, if `report`. True: it may go on. */
bool kai_gates(struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, bool report);

/* kai_solver.c: shared by consolidation, reclaim and preempt. */
struct kai_rows_list;
struct kai_aim {
	enum kai_action action;
	uint32_t job; /* The one that is to start. */
	/* Jobs that may be victims, into the list. False: nobody. */
	bool (*candidates)(struct kai *kai, const struct kai_aim *aim, struct kai_rows_list *list);
	/* What the simulation came to may stand. task: all that were evicted, those of a batch together; as
	 * they are now. needs: of the tasks of the probe. */
	bool (*accept)(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
		const uint32_t *task, uint32_t count);
	bool keeps_all; /* No victim may be left without a place. */
	/* Whatever candidates lose, it may not stand: needs, of the tasks of a probe, is too much. NULL. */
	bool (*hopeless)(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs);
};
/* True: done, and in kai.effect. */
bool kai_solve(struct kai *kai, const struct kai_aim *aim);

#endif
