/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_drawn.h - drawn Kueue states that change over time: cohorts, queues with limits and policies, workloads
 * that come, are admitted, preempted, finish.
 *
 * A plan is drawn first; a state is built from it with its rows in any order. Names say the same in all of
 * them: cohorts "c0".., queues "q0".., workloads "w00".., flavors "f" and "g" (tried in this order),
 * resources cpu and gpu, one resource group a node.
 */
#ifndef SL_TEST_KQ_DRAWN_H
#define SL_TEST_KQ_DRAWN_H

#include "policies/kueue/rules/kq_cycle.h"

enum { KD_COHORTS = 4, KD_QUEUES = 5, KD_JOBS = 24, KD_FLAVORS = 2, KD_RESOURCES = 2 };

struct kd_quota {
	int64_t nominal, borrowing, lending; /* KQ_NO_LIMIT */
};
struct kd_plan {
	uint64_t seed;
	uint32_t cohorts, queues, jobs, flavors;
	struct {
		uint32_t parent; /* Itself: a root. */
		struct kd_quota quota[KD_FLAVORS][KD_RESOURCES];
		double weight;
	} cohort[KD_COHORTS];
	struct {
		uint32_t cohort; /* `cohorts`: none. */
		struct kd_quota quota[KD_FLAVORS][KD_RESOURCES];
		enum kq_strategy strategy;
		enum kq_within within, reclaim, borrow_within;
		enum kq_preference preference;
		bool borrow_next, preempt_next;
		int64_t threshold; /* < 0: none. */
		double weight;
	} queue[KD_QUEUES];
	struct {
		uint32_t queue;
		int64_t priority, count, min_count, needs[KD_RESOURCES];
	} job[KD_JOBS];
	bool fair, partial;
	uint32_t gates_other; /* Bits, by the feature gates of kq_drawn.c: other than by default. */
};
enum {
	KD_PREEMPTS = 1, /* Policies are drawn; else nobody is ever preempted. */
	KD_STRICT = 2,   /* Some queues are StrictFIFO. */
	KD_PARTIAL = 4,  /* Some workloads may be admitted in part. */
	KD_GATES = 8,    /* Feature gates are drawn. */
};
enum { KD_GATE_FUNGIBILITY = 2 }; /* FlavorFungibility's bit of gates_other. */
struct kd_plan kd_draw(uint64_t seed, uint32_t flavors, uint32_t options);
/* How many states a property is tried on: SL_EFFORT less, full. */
uint64_t kd_runs(uint64_t usual);

struct kd {
	struct sl_arena *arena;
	struct kq *kq;
	const struct kd_plan *plan;
	uint32_t queue[KD_QUEUES], job[KD_JOBS]; /* Rows. */
	bool submitted[KD_JOBS], finished[KD_JOBS];
	bool changed[KD_QUEUES]; /* Since the last wake-up something left this queue's usage. */
};
/* shuffle 0: rows as planned; else another order for each. */
void kd_open(struct kd *w, const struct kd_plan *plan, uint64_t shuffle);
void kd_close(struct kd *w);
void kd_submit(struct kd *w, uint32_t job);
void kd_finish(struct kd *w, uint32_t job); /* If it is admitted, and not about to be evicted. */
uint32_t kd_evict_all(struct kd *w);        /* Evictions end: how many. */
/* Notes are followed; checks that all of the trees in which something changed are active, and no others. */
void kd_wake(struct kd *w);
bool kd_holds(const struct kd *w, uint32_t job);
bool kd_waits(const struct kd *w, uint32_t job);
/* Would it fit now, in one of the flavors? */
bool kd_fits(const struct kd *w, uint32_t job);
/* Could it ever? */
bool kd_possible(const struct kd *w, uint32_t job);

/* Checks of the state between cycles. */
void kd_check_accounting(const struct kd *w); /* Usage is the sum of the admissions. */
/* No node is above what its quotas and limits allow. Whoever is being evicted is left out: it counts until it
 * has stopped, but others of the same cycle are admitted to what it leaves (Kueue's scheduler, fits(): called
 * with all victims so far removed), so until then usage may well be above. */
void kd_check_limits(const struct kd *w);
/* And so with these in flavor "f" besides. */
void kd_check_limits_with(const struct kd *w, const bool in[KD_JOBS]);
void kd_check_places(const struct kd *w); /* Each waits in one place, or holds quota, or is done. */

#endif
