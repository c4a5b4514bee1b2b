/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_shares.h - orders between share holders: the one with the least usage for its weight goes first, its
 * own jobs in order of submission. What a start changes is in ledgers, so that undoing a pass undoes it.
 */
#ifndef SL_COMPOSED_FAIR_SHARES_H
#define SL_COMPOSED_FAIR_SHARES_H

#include "policies/composed/share_holders.h"

/* Lower goes first. over 0: after all others. */
struct ratio {
	int64_t of;
	__int128 over;
};
/* As qsort compares. */
int ratio_compare(struct ratio a, struct ratio b);

struct fair_shares;

/* A way of sharing. */
struct fair_share {
	const char *name;
	bool drawn; /* By lot: has no order, only a next. */
	int (*init)(struct fair_shares *fair_shares, const struct sl_setup *setup, struct sl_err *err);
	struct ratio (*value)(
		const struct fair_shares *fair_shares, const struct sl_pass *pass, uint32_t share_holder);
	void (*begin)(struct fair_shares *fair_shares, struct sl_pass *pass); /* Optional: of a pass. */
	/* It is allocated, or releases, what the job requests. */
	void (*started)(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job);
	void (*stopped)(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job); /* Optional. */
	void (*resumed)(struct fair_shares *fair_shares, struct sl_pass *pass,
		sl_job job); /* Optional: was suspended. */
	void (*joined)(struct fair_shares *fair_shares, struct sl_pass *pass,
		uint32_t share_holder); /* Optional: may wait. */
	void (*left)(struct fair_shares *fair_shares, struct sl_pass *pass,
		uint32_t share_holder); /* No job waits. */
};
extern const struct fair_share fair_share_fair, fair_share_drf, fair_share_lottery, fair_share_stride;

enum { RUNS_NOT, RUNS, RUNS_SUSPENDED };

struct fair_shares_options {
	const struct fair_share *fair_share;
	int64_t by;
	const char *weights, *initial;
	sl_time half_life;
	bool dominant; /* Usage is of the job's dominant resource. */
	bool by_size;  /* Stride: a job costs its size, else size and estimate. */
};

struct fair_shares {
	struct share_holders share_holders;
	struct fair_shares_options options;
	const struct sl_cluster *cluster;
	uint64_t seed;
	int64_t *weight;  /* By share holder, in millionths. */
	sl_ledger runs;   /* By job: RUNS_ */
	sl_ledger amount; /* By share holder; the sharing rule's own. */
	sl_ledger whole;  /* A few counters of all together. */
	sl_time unit;     /* Of usage, in cpu-microseconds. */
	int64_t clock;    /* Of this pass. */
	struct ratio *value;
	double *key;      /* By share holder: its jobs' key in the queue; -1: none yet. */
	uint32_t *sorted; /* The active ones, by value: kept from pass to pass, as little changes. */
	uint32_t sorted_count;
	uint64_t *barred; /* By share holder: the last pass in which its turn was over. */
	uint64_t passes;
	bool requeued;
	struct sl_rng rng;
};

int fair_shares_init(struct fair_shares **fair_shares, const struct fair_shares_options *options,
	const struct sl_setup *setup, struct sl_err *err);
/* Returns the job's key. */
double fair_shares_submitted(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job);
void fair_shares_ended(
	struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job); /* Or was cancelled. */
/* At the beginning of a pass. rekey: the plan is going to read the queue in order. */
void fair_shares_begin(struct fair_shares *fair_shares, struct sl_pass *pass, bool rekey);
/* The first waiting job of the share holder with the least value, of those not barred. */
sl_job fair_shares_first(struct fair_shares *fair_shares, struct sl_pass *pass);
/* Its share holder's turn is over until the next pass. */
void fair_shares_bar(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job);
/* After the command. */
void fair_shares_started(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job);
void fair_shares_stopped(
	struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job, enum sl_preempt how);
void fair_shares_resumed(struct fair_shares *fair_shares, struct sl_pass *pass, sl_job job);

/* Lottery's counters in `world`: draws made, and the share holder that has won and not started yet, plus 1.
 */
enum { WHOLE_DRAWS, WHOLE_WINNER };
/* It won, and its turn is over. */
void winner_goes(struct fair_shares *fair_shares, struct sl_pass *pass, uint32_t share_holder);

#endif
