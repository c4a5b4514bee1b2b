/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_share.h - what each queue may have: fair shares (KAI's plugin proportion), the checks of quotas and
 * limits, which queue may reclaim from which, and minimum runtimes (minruntime).
 */
#ifndef SL_RUNAI_KAI_SHARE_H
#define SL_RUNAI_KAI_SHARE_H

#include "policies/runai/rules/kai.h"

/* One resource divided among siblings. Amounts in their units (thousandths, bytes) or GPUs: real numbers, as
 * KAI computes; HUGE_VAL: unlimited. */
struct kai_claim {
	const char *name;
	int64_t priority, created;
	double quota, limit, weight, usage;
	double request;
	double fair; /* Given back; the surplus alone adds to what is there. */
	/* Memory of kai_divide. */
	double want;  /* Request within the limit. */
	double share; /* Of the surplus, this round; not yet divided by the sum. */
	double rest;  /* What rounding down kept back; 0: nothing. */
	uint32_t row; /* The caller's. */
};
struct kai_division {
	double k;                 /* kValue */
	bool surplus_only;        /* What the quota allots is there already. */
	bool remainders_by_group; /* config.remainders_by_group */
};
/* What goes by a tie, and in which order sums are made: priority (higher first), age (older first), name,
 * row. Negative: a first. */
int kai_compare_claims(const struct kai_claim *a, const struct kai_claim *b);
/* Claims stand in that order. headroom: an array of count rows. Returns what remains of total. */
double kai_divide(struct kai_claim *claim, uint32_t count, double total, const struct kai_division *how,
	uint32_t *headroom);

/* At the opening of a session, not journalled: kai.total (of nodes that are ready), then each queue's fair
 * share, from the roots. What queues request is kept up to date as tasks come and go: of tasks that are
 * allocated, bound, binding or running, as charged where they are, and of pending ones, of the least device.
 */
void kai_open_shares(struct kai *kai);
/* Parts of it. */
struct kai_vec kai_total(const struct kai *kai);
void kai_divide_tree(struct kai *kai); /* kai.total by queue.request. */
/* a(q): limit if the quota is unlimited, else the greater of quota and fair share, within the limit. */
int64_t kai_allocatable(const struct kai_queue *queue, enum kai_res res);

/* Checks of limit and quota, from the leaf to the root. True: blocked; which queue and resource is reported
 * (may be NULL). */
struct kai_blocked {
	uint32_t queue;
	enum kai_res res;
	int64_t requested, allocated, bound;
};
bool kai_over_limit(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, struct kai_blocked *how);
bool kai_np_over_quota(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, struct kai_blocked *how);

/* Reclaim: may a job of this leaf start it at all (at the present allocation). */
bool kai_may_reclaim(const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, bool preemptible);
/* Is this leaf's job a candidate (the pair of ancestors that differ first). */
bool kai_victim_leaf(const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, uint32_t victim);
/* The ancestor of the victim's leaf that is compared with one of the leaf's. */
uint32_t kai_loser(const struct kai *kai, uint32_t leaf, uint32_t victim);
/* The reclaimer, and what queues had allocated when this job's solution began: by queue. */
struct kai_taker {
	uint32_t leaf;
	bool preemptible;
	const struct kai_vec *needs, *allocated, *allocated_np;
};
/* Units that victims lose, each of a leaf, in the order in which they are taken off; those of a leaf stand
 * together, leaves in order of their creation, then rows. */
struct kai_unit {
	uint32_t leaf;
	struct kai_vec needs;
};
bool kai_reclaimable(
	const struct kai *kai, const struct kai_taker *taker, const struct kai_unit *unit, uint32_t count);
/* The two strategies, alone: what the victim's queue (at the level of the pair) still has before the unit. */
bool kai_maintains_fair_share(const struct kai_queue *victim, const struct kai_vec *remaining);
bool kai_guarantees_quota(const struct kai_queue *reclaimer, const struct kai_vec *allocated,
	const struct kai_vec *needs, const struct kai_queue *victim, const struct kai_vec *remaining);
/* config.priority_reclaim: within its quota, from one of lower priority. */
bool kai_takes_by_priority(const struct kai *kai, const struct kai_queue *reclaimer,
	const struct kai_vec *allocated, const struct kai_vec *needs, const struct kai_queue *victim);

/* Minimum run times. */
sl_time kai_preempt_min(const struct kai *kai, uint32_t victim_leaf);
sl_time kai_reclaim_min(const struct kai *kai, uint32_t reclaimer_leaf, uint32_t victim_leaf);
/* The job may not be touched (elastic ones: not below their minimum) at kai.now. */
bool kai_protected(const struct kai *kai, uint32_t job, sl_time least);

/* Time-based fair share: past allocation, decayed, as a share of the capacity decayed alike,
 * of samples at multiples of `step`. The caller says what held since the last call; usage of the queues is
 * set by kai_usage_set. */
enum kai_window { KAI_SLIDING, KAI_TUMBLING, KAI_CRON };
/* When a cron window starts anew: minutes, hours, days of month and week (0: Sunday), months (1..12) in bits.
 */
struct kai_cron {
	uint64_t minute;
	uint32_t hour, day, month, weekday;
	bool day_said, weekday_said; /* Both: either will do. */
};
/* "minute hour day month weekday", or @hourly, @daily, @weekly, @monthly, @yearly. SL_INPUT: it is neither.
 */
int kai_cron_parse(const char *text, struct kai_cron *cron, struct sl_err *err);
/* The first of its minutes after that time (seconds since 1970, of the clock it is meant for); INT64_MAX:
 * there is none. */
int64_t kai_cron_next(const struct kai_cron *cron, int64_t after_s);

struct kai_usage;
struct kai_usage_config {
	sl_time half_life; /* 0: no decay. */
	sl_time window;    /* 1 week. Not of KAI_CRON. */
	enum kai_window kind;
	sl_time start; /* KAI_TUMBLING: a boundary. Before it, the last sample alone counts. */
	sl_time step;  /* Samples are so far apart (queryResolution and fetchInterval, 1 min). */
	struct kai_cron cron;
	int64_t epoch_s; /* KAI_CRON: seconds since 1970 of time 0. */
};
enum { KAI_SAMPLES_MAX = 1 << 20 }; /* Of a sliding window. */
struct kai_usage *kai_usage_new(struct kai *kai, const struct kai_usage_config *config);
void kai_usage_free(struct kai_usage *usage);
/* Before anything changes at kai.now: what is allocated is unchanged since the last call. */
void kai_usage_note(struct kai *kai, struct kai_usage *usage);
void kai_usage_set(struct kai *kai, struct kai_usage *usage);

/* Memory that kai_share.c and kai_reclaimable.c work in, made when the queues are sealed. */
struct kai_share_state {
	uint32_t *order; /* Siblings in the order of kai_compare_claims; each where it is in kai.sealed. */
	uint32_t *headroom;
	struct kai_claim *claim;
	/* By queue, of those that lose something. */
	struct kai_vec *remaining;
	uint8_t *involved; /* Bits of resources; KAI_LOSES: it is one of them. */
	uint32_t *touched;
	uint32_t touched_count;
};
enum { KAI_LOSES = 1 << KAI_RES };

#endif
